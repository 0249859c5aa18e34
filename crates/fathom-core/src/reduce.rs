//! Reductions: which are used, and how a trace found on a reduced model becomes one of the original.

use fathom_model::{
    Expr, Finding, Interpreter, Model, Move, NoRegion, PropertyId, Question, Steps, System, Trace,
};
use fathom_reduce::Symmetry;
use fathom_search::ReplayError;

/// Which reductions are used.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Reductions {
    /// Drop what nobody asks about.
    pub slice: bool,
    /// Forget values that are never read again.
    pub dead: bool,
    /// Take private steps together.
    pub fuse: bool,
    /// Of steps that do not notice each other, explore one order.
    pub partial_order: bool,
    /// Take states for one that differ in the names of processes, channels and elements of arrays only.
    pub symmetry: bool,
}

impl Reductions {
    /// None at all: every state of the model as written.
    pub const NONE: Reductions =
        Reductions { slice: false, dead: false, fuse: false, partial_order: false, symmetry: false };
    /// Everything there is.
    pub const ALL: Reductions =
        Reductions { slice: true, dead: true, fuse: true, partial_order: true, symmetry: true };

    /// What is used when nobody says: everything but symmetry, which makes a step take thirty times as long and pays where
    /// memory is short or many processes are alike; nothing when all is explored to count it. Then counts are those
    /// of the model as written, which compare with other tools.
    pub fn by_default(continue_after_all: bool) -> Reductions {
        if continue_after_all { Reductions::NONE } else { Reductions { symmetry: false, ..Reductions::ALL } }
    }

    /// These and those.
    #[must_use]
    pub fn and_also(self, other: Reductions) -> Reductions {
        Reductions {
            slice: self.slice || other.slice,
            dead: self.dead || other.dead,
            fuse: self.fuse || other.fuse,
            partial_order: self.partial_order || other.partial_order,
            symmetry: self.symmetry || other.symmetry,
        }
    }

    /// The word for this set on the command line; [`named`](Reductions::named) reads it.
    pub fn to_text(self) -> String {
        match self {
            Reductions::NONE => "none".to_owned(),
            Reductions::ALL => "all".to_owned(),
            _ => self.names().join(","),
        }
    }

    /// The names of those in use, for reports.
    pub fn names(self) -> Vec<&'static str> {
        let all = [
            (self.slice, "slice"),
            (self.dead, "dead"),
            (self.fuse, "fuse"),
            (self.partial_order, "por"),
            (self.symmetry, "sym"),
        ];
        all.into_iter().filter(|(used, _)| *used).map(|(_, name)| name).collect()
    }

    /// Reads `none`, `all`, or names with commas between them.
    pub fn named(text: &str) -> Option<Reductions> {
        match text {
            "none" => return Some(Reductions::NONE),
            "all" => return Some(Reductions::ALL),
            _ => {}
        }
        let mut reductions = Reductions::NONE;
        for name in text.split(',') {
            match name.trim() {
                "slice" => reductions.slice = true,
                "dead" => reductions.dead = true,
                "fuse" => reductions.fuse = true,
                "por" => reductions.partial_order = true,
                "sym" => reductions.symmetry = true,
                _ => return None,
            }
        }
        Some(reductions)
    }
}

/// Rewrites a model so that questions about these properties have the same answers and fewer states.
pub(crate) fn reduce(model: &Model, asked: &[PropertyId], reductions: Reductions) -> Model {
    reduce_and_look(model, asked, &[], reductions)
}

/// What may be exchanged in a model without a difference to these properties; none when that is nothing.
pub fn find_symmetry(model: &Model, asked: &[PropertyId]) -> Option<Symmetry> {
    if model.has_choices() {
        return None;
    }
    Symmetry::new(model, asked).filter(|symmetry| symmetry.n_orders(model) > 1.0)
}

/// What may be exchanged in a model without a difference to what it asks about single states, for people: processes,
/// channels and elements of arrays.
pub fn symmetry_of(model: &Model) -> Vec<String> {
    let safety: Vec<PropertyId> = (0..model.properties.len())
        .map(PropertyId::from)
        .filter(|property| model.properties[property.index()].question.is_safety())
        .collect();
    Symmetry::new(model, &safety).map_or_else(Vec::new, |symmetry| symmetry.describe(model))
}

/// Rewrites a model in the same way, and finds its symmetry if that is wanted and there is some. Where forgetting
/// values would spoil it, because what is forgotten becomes the name of something, they are kept.
pub(crate) fn reduce_and_fold(
    model: &Model,
    asked: &[PropertyId],
    reductions: Reductions,
) -> (Model, Option<Symmetry>) {
    let reduced = reduce(model, asked, reductions);
    if !reductions.symmetry {
        return (reduced, None);
    }
    let folded = |model: &Model| find_symmetry(model, asked);
    let n_orders = |model: &Model, symmetry: &Option<Symmetry>| {
        symmetry.as_ref().map_or(1.0, |symmetry| symmetry.n_orders(model))
    };
    let symmetry = folded(&reduced);
    if reductions.dead {
        let kept = reduce(model, asked, Reductions { dead: false, ..reductions });
        let other = folded(&kept);
        if n_orders(&kept, &other) > n_orders(&reduced, &symmetry) {
            return (kept, other);
        }
    }
    (reduced, symmetry)
}

/// The same, where somebody looks at these expressions as well.
pub(crate) fn reduce_and_look(
    model: &Model,
    asked: &[PropertyId],
    also: &[Expr],
    reductions: Reductions,
) -> Model {
    let looked_at: Vec<Expr> = asked
        .iter()
        .filter_map(|property| match &model.properties[property.index()].question {
            Question::Invariant(expr) | Question::Reach(expr) => Some(expr.clone()),
            _ => None,
        })
        .chain(also.iter().cloned())
        .collect();
    let mut reduced = model.clone();
    if model.has_choices() {
        return reduced;
    }
    if reductions.slice {
        fathom_reduce::slice(&mut reduced, &looked_at);
    }
    if reductions.dead {
        fathom_reduce::forget_dead(&mut reduced, &looked_at);
    }
    if reductions.fuse {
        fathom_reduce::fuse(&mut reduced, &looked_at);
    }
    reduced
}

/// The trace of the original model that makes the same moves as a trace of the reduced one.
///
/// Reductions keep edges and their order, so a move means the same in both; only where steps begin and end
/// differs.
///
/// # Errors
///
/// When the trace does not replay on the reduced model, or its moves are not possible in the original: bugs
/// both.
pub(crate) fn original_trace<S: System<Region = NoRegion, Label = Move>>(
    original: &Model,
    reduced: &S,
    property: PropertyId,
    trace: &Trace,
) -> Result<Trace, ReplayError> {
    let replay = fathom_search::replay(reduced, trace)?;
    let moves: Vec<Move> =
        replay.visits.into_iter().flat_map(|visit| visit.labels).chain(replay.finding_labels).collect();
    let interpreter = Interpreter::new(original, &[property]);
    let choices = follow(&interpreter, property, trace.initial as usize, &moves);
    Ok(Trace { choices, ..trace.clone() })
}

/// The choices that make these moves one after the other, up to the state from which the last of them lead to
/// a finding.
fn follow(interpreter: &Interpreter<'_>, property: PropertyId, initial: usize, moves: &[Move]) -> Vec<u32> {
    let mut scratch = interpreter.scratch();
    let mut steps = Steps::recording();
    interpreter.initial(&mut scratch, &mut steps);
    let mut choices = Vec::new();
    if initial >= steps.len() {
        return choices;
    }
    let mut state = steps.state(initial).to_vec();
    let mut rest = moves;
    while !rest.is_empty() {
        steps.clear();
        interpreter.successors(&state, &NoRegion, &mut scratch, &mut steps);
        let is_found =
            |finding: &&Finding| finding.property == property && steps.finding_labels(finding) == rest;
        if steps.findings().iter().any(|finding| is_found(&finding)) {
            break;
        }
        let fitting = (0..steps.len()).find(|&index| rest.starts_with(steps.labels(index)));
        let Some(index) = fitting else { break };
        rest = &rest[steps.labels(index).len()..];
        choices.push(index as u32);
        state = steps.state(index).to_vec();
    }
    choices
}

/// Most steps round a loop before it counts as one that does not close.
const MOST_STEPS_AROUND: usize = 100_000;

/// The lasso of the original that makes the same moves as a lasso of the reduced system; none when its loop does not
/// close within reason. What a reduction drops from a state may differ when the loop comes back to its start, and is the
/// same again only after some rounds.
///
/// # Errors
///
/// When the trace does not replay on the reduced system, or its moves are not possible in the original: bugs both.
pub(crate) fn original_lasso<S, T>(
    original: &S,
    reduced: &T,
    trace: &Trace,
) -> Result<Option<Trace>, ReplayError>
where
    S: System<Region = NoRegion, Label = Move>,
    T: System<Region = NoRegion, Label = Move>,
{
    let replay = fathom_search::replay(reduced, trace)?;
    let moves: Vec<Vec<Move>> = replay.visits.into_iter().map(|visit| visit.labels).collect();
    let loop_at = trace.loop_at.unwrap_or(trace.choices.len());
    // The first visit is the initial state, without moves.
    let (before, around) = moves.split_at(loop_at + 1);
    let mut walk = Walk::start(original, trace.initial)?;
    walk.follow(&before.concat())?;
    let mut starts: Vec<(Vec<u8>, usize)> = Vec::new();
    while walk.choices.len() <= before.len() + MOST_STEPS_AROUND {
        if let Some((_, at)) = starts.iter().find(|(state, _)| *state == walk.state) {
            let loop_at = Some(*at);
            return Ok(Some(Trace { choices: walk.choices, loop_at, ..trace.clone() }));
        }
        starts.push((walk.state.clone(), walk.choices.len()));
        match around.concat() {
            // A state that repeats itself.
            moves if moves.is_empty() => walk.choose(0)?,
            moves => walk.follow(&moves)?,
        }
    }
    Ok(None)
}

/// A way through a system.
struct Walk<'a, S: System> {
    system: &'a S,
    scratch: S::Scratch,
    steps: Steps<NoRegion, Move>,
    state: Vec<u8>,
    choices: Vec<u32>,
}

impl<'a, S: System<Region = NoRegion, Label = Move>> Walk<'a, S> {
    fn start(system: &'a S, initial: u32) -> Result<Walk<'a, S>, ReplayError> {
        let mut scratch = system.scratch();
        let mut steps = Steps::recording();
        system.initial(&mut scratch, &mut steps);
        let n_steps = steps.len();
        if initial as usize >= n_steps {
            return Err(ReplayError::NoSuchInitial { index: initial, n_initial: n_steps });
        }
        let state = steps.state(initial as usize).to_vec();
        Ok(Walk { system, scratch, steps, state, choices: Vec::new() })
    }

    fn expand(&mut self) {
        self.steps.clear();
        self.system.successors(&self.state, &NoRegion, &mut self.scratch, &mut self.steps);
    }

    fn choose(&mut self, index: usize) -> Result<(), ReplayError> {
        self.expand();
        self.take(index)
    }

    fn take(&mut self, index: usize) -> Result<(), ReplayError> {
        let n_steps = self.steps.len();
        if index >= n_steps {
            return Err(ReplayError::NoSuchStep { after: self.choices.len(), index: index as u32, n_steps });
        }
        self.choices.push(index as u32);
        self.state = self.steps.state(index).to_vec();
        Ok(())
    }

    /// Takes the steps that make these moves one after the other.
    fn follow(&mut self, moves: &[Move]) -> Result<(), ReplayError> {
        let mut rest = moves;
        while !rest.is_empty() {
            self.expand();
            let fits = |index: &usize| {
                !self.steps.labels(*index).is_empty() && rest.starts_with(self.steps.labels(*index))
            };
            let index = (0..self.steps.len()).find(fits).unwrap_or(self.steps.len());
            rest = &rest[if index < self.steps.len() { self.steps.labels(index).len() } else { 0 }..];
            self.take(index)?;
        }
        Ok(())
    }
}
