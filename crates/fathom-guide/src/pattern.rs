//! Patterns of moves: the way to the error of a smaller instance, recognised in a larger one.
//!
//! Source: Bui, *Guided Random-Walk Based Model Checking* (2009), the heuristic h1. A shortest error of an instance
//! with fewer processes becomes a list of rows: who moved, from where to where, and what some variables were
//! afterwards. A move of a larger instance that matches row i of n is n - i steps from the error. There the table is
//! made by hand; here it comes from the trace. Processes keep their numbers where the property names them, and where the
//! caller knows that nobody else takes part in the error; and the variables are those that change on the way. Numbers often differ between instances, so a move that matches but
//! for its variables is n further away than one that matches in full, which is still nearer than one that matches
//! nothing.
//!
//! It judges moves and not states: what a state is worth depends on how it was reached. So it is no lower bound.

use fathom_model::layout::Layout;
use fathom_model::{
    Base, Expr, Interpreter, Model, Move, NoRegion, Place, Question, ScalarKind, ScalarType, Trace, Type,
};

use crate::Heuristic;
use crate::view::View;

/// Which of several matching rows counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Match {
    /// The first, which is the farthest from the error.
    #[default]
    First,
    /// The last, which is the nearest.
    Closest,
}

/// One move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PatternRow {
    /// The template of the process that moved.
    pub template: String,
    /// Its number, if it matters.
    pub process: Option<usize>,
    /// Where it was.
    pub from: u32,
    /// Where it is.
    pub to: u32,
    /// What variables are afterwards: global ones by their names, its own with a colon before.
    pub variables: Vec<(String, i64)>,
    /// What it did, for people.
    pub text: String,
}

/// The moves of a way to an error, the first one first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PatternTable {
    /// The moves.
    pub rows: Vec<PatternRow>,
    /// Which of several matching rows counts.
    pub matching: Match,
}

impl PatternTable {
    /// The moves of a trace of a (smaller) model; none when it cannot be followed. Processes that the question names keep
    /// their numbers, and so do these.
    pub fn of_trace(
        model: &Model,
        question: &Question,
        trace: &Trace,
        numbered: &[usize],
    ) -> Option<PatternTable> {
        let steps = follow(model, trace)?;
        let layout = Layout::new(model);
        let mut named = named_processes(question);
        named.extend(numbered.iter().map(|&number| number as i64));
        let states: Vec<&[u8]> = steps.iter().map(|(_, state)| state.as_slice()).collect();
        let globals = changing_globals(model, &states);
        let mut rows = Vec::new();
        for pair in steps.windows(2) {
            let (before, (moves, after)) = (&pair[0].1, &pair[1]);
            let Some(first) = moves.first() else { continue };
            let number = first.process as usize;
            let (old, new) = (View::new(model, &layout, before), View::new(model, &layout, after));
            if number >= old.processes.len() || number >= new.processes.len() {
                continue;
            }
            let template = model.template(first.template);
            let value = |place: &Place, own: Option<usize>| new.value(&Expr::Load(place.clone()), own);
            let global = globals.iter().filter_map(|(name, place)| Some((name.clone(), value(place, None)?)));
            let own = scalars(&template.locals.variables, &Base::Own);
            let changed = |place: &Place| {
                let expr = Expr::Load(place.clone());
                old.value(&expr, Some(number)) != new.value(&expr, Some(number))
            };
            let local = own.iter().filter(|(_, place)| changed(place));
            let local =
                local.filter_map(|(name, place)| Some((format!(":{name}"), value(place, Some(number))?)));
            rows.push(PatternRow {
                template: template.name.clone(),
                process: named.contains(&(number as i64)).then_some(number),
                from: old.location(number).0,
                to: new.location(number).0,
                variables: global.chain(local).collect(),
                text: template.edge(first.edge).text.clone(),
            });
        }
        Some(PatternTable { rows, matching: Match::First })
    }

    /// The process that makes the last move of a trace; none when there is no move or the trace cannot be followed.
    pub fn last_mover(model: &Model, trace: &Trace) -> Option<usize> {
        let (moves, _) = follow(model, trace)?.pop()?;
        moves.first().map(|first| first.process as usize)
    }

    /// The same moves, whatever variables are.
    pub fn without_variables(&self) -> PatternTable {
        let rows = self.rows.iter().map(|row| PatternRow { variables: Vec::new(), ..row.clone() });
        PatternTable { rows: rows.collect(), ..self.clone() }
    }
}

/// The moves and states of a trace; the initial state has no move.
fn follow(model: &Model, trace: &Trace) -> Option<Vec<(Vec<Move>, Vec<u8>)>> {
    use fathom_model::{Steps, System};
    let interpreter = Interpreter::new(model, &[]);
    let (mut scratch, mut steps) = (interpreter.scratch(), Steps::recording());
    interpreter.initial(&mut scratch, &mut steps);
    let initial = trace.initial as usize;
    let mut way = vec![(Vec::new(), (initial < steps.len()).then(|| steps.state(initial).to_vec())?)];
    for &choice in &trace.choices {
        let (_, state) = way.last()?;
        steps.clear();
        interpreter.successors(state, &NoRegion, &mut scratch, &mut steps);
        let choice = choice as usize;
        way.push(
            (choice < steps.len()).then(|| (steps.labels(choice).to_vec(), steps.state(choice).to_vec()))?,
        );
    }
    Some(way)
}

/// The processes that a property names.
fn named_processes(question: &Question) -> Vec<i64> {
    let mut named = Vec::new();
    if let Question::Invariant(expr) | Question::Reach(expr) = question {
        collect_named(expr, &mut named);
    }
    named
}

fn collect_named(expr: &Expr, named: &mut Vec<i64>) {
    let add = |process: &Option<Box<Expr>>, named: &mut Vec<i64>| {
        if let Some(Expr::Const(number)) = process.as_deref() {
            named.push(*number);
        }
    };
    match expr {
        Expr::AtLocation { process, .. } => add(process, named),
        Expr::Load(Place { base: Base::Other { process, .. }, .. }) => add(process, named),
        Expr::Unary(_, operand) => collect_named(operand, named),
        Expr::Binary(_, left, right) => {
            collect_named(left, named);
            collect_named(right, named);
        }
        _ => {}
    }
}

/// Plain variables that hold numbers, with their places.
fn scalars(variables: &[fathom_model::Variable], base: &Base) -> Vec<(String, Place)> {
    let is_number = |ty: &ScalarType| !matches!(ty.kind, ScalarKind::Channel | ScalarKind::Process);
    let scalar = |variable: &fathom_model::Variable| match variable.ty {
        Type::Scalar(ty) if is_number(&ty) => {
            Some((variable.name.clone(), Place::fixed(base.clone(), variable.offset, ty)))
        }
        _ => None,
    };
    variables.iter().filter_map(scalar).collect()
}

fn changing_globals(model: &Model, states: &[&[u8]]) -> Vec<(String, Place)> {
    let all = scalars(&model.globals.variables, &Base::Global);
    let changes = |place: &Place| {
        let value = |state: &[u8]| place.ty.read(&state[place.offset as usize..]);
        states.windows(2).any(|pair| value(pair[0]) != value(pair[1]))
    };
    all.into_iter().filter(|(_, place)| changes(place)).collect()
}

/// A row that belongs to a model.
#[derive(Clone, Debug)]
struct Resolved {
    template: fathom_model::TemplateId,
    process: Option<usize>,
    from: u32,
    to: u32,
    variables: Vec<(Expr, i64)>,
}

/// Estimates from patterns.
#[derive(Clone, Debug)]
pub struct PatternHeuristic<'m> {
    model: &'m Model,
    layout: Layout,
    rows: Vec<Resolved>,
    matching: Match,
}

/// What a pattern names that the model does not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownName {
    /// The index of the row.
    pub row: usize,
    /// The name.
    pub name: String,
}

impl<'m> PatternHeuristic<'m> {
    /// The heuristic of a table for a model.
    ///
    /// # Errors
    ///
    /// When the table names a template, a location or a variable that the model does not have.
    pub fn new(model: &'m Model, table: &PatternTable) -> Result<PatternHeuristic<'m>, UnknownName> {
        let mut rows = Vec::new();
        for (number, row) in table.rows.iter().enumerate() {
            let unknown = |name: &str| UnknownName { row: number, name: name.to_owned() };
            let template = model.find_template(&row.template).ok_or_else(|| unknown(&row.template))?;
            let body = model.template(template);
            for location in [row.from, row.to] {
                if location as usize >= body.locations.len() {
                    return Err(unknown(&location.to_string()));
                }
            }
            let (globals, locals) = (
                scalars(&model.globals.variables, &Base::Global),
                scalars(&body.locals.variables, &Base::Own),
            );
            let mut variables = Vec::new();
            for (name, value) in &row.variables {
                let (list, plain) = match name.strip_prefix(':') {
                    Some(own) => (&locals, own),
                    None => (&globals, name.as_str()),
                };
                let found = list.iter().find(|(known, _)| known == plain);
                let (_, place) = found.ok_or_else(|| unknown(name))?;
                variables.push((Expr::Load(place.clone()), *value));
            }
            rows.push(Resolved { template, process: row.process, from: row.from, to: row.to, variables });
        }
        Ok(PatternHeuristic { model, layout: Layout::new(model), rows, matching: table.matching })
    }

    /// Processes that may have moved: those that changed, or, when only global variables did, all.
    fn movers(old: &View<'_>, new: &View<'_>) -> Vec<usize> {
        let n_both = old.processes.len().min(new.processes.len());
        let same_template = |process: &usize| old.processes[*process].1 == new.processes[*process].1;
        let record = |view: &View<'_>, process: usize| {
            let (offset, template) = view.processes[process];
            let size = view.layout.processes[template.index()].size;
            view.state[offset as usize..(offset + size) as usize].to_vec()
        };
        let both: Vec<usize> = (0..n_both).filter(same_template).collect();
        let changed: Vec<usize> =
            both.iter().copied().filter(|&process| record(old, process) != record(new, process)).collect();
        if changed.is_empty() { both } else { changed }
    }
}

impl Heuristic<NoRegion> for PatternHeuristic<'_> {
    fn estimate(&self, _: &[u8], _: &NoRegion) -> u32 {
        self.largest()
    }

    fn estimate_step(&self, from: &[u8], to: &[u8], _: &NoRegion) -> u32 {
        let (old, new) = (View::new(self.model, &self.layout, from), View::new(self.model, &self.layout, to));
        let movers = Self::movers(&old, &new);
        let n_rows = self.rows.len() as u32;
        let mut best = None;
        let mut next_best = None;
        for (number, row) in self.rows.iter().enumerate() {
            let left = n_rows - number as u32;
            let moved = |process: &&usize| {
                let process = **process;
                new.processes[process].1 == row.template
                    && row.process.is_none_or(|number| number == process)
                    && old.location(process).0 == row.from
                    && new.location(process).0 == row.to
            };
            for &mover in movers.iter().filter(moved) {
                let fits = |(expr, value): &(Expr, i64)| new.value(expr, Some(mover)) == Some(*value);
                let slot = if row.variables.iter().all(fits) { &mut best } else { &mut next_best };
                if slot.is_none() || self.matching == Match::Closest {
                    *slot = Some(left);
                }
            }
        }
        best.or(next_best.map(|left| left + n_rows)).unwrap_or(self.largest())
    }

    fn largest(&self) -> u32 {
        2 * self.rows.len() as u32 + 1
    }
}
