//! Process error participation: which share of the processes takes part in an error.
//!
//! Bui, *Guided Random-Walk Based Model Checking* (2009), sorts models by this number (PEP). Where few processes take part, a
//! guided search that remembers what it saw does best: the heuristic is not led astray by the others. Where all
//! do, guided walks do. The source looks at variables: which processes own variables that the variables of the property
//! depend on directly. It gives neither a procedure for models with explicit states nor a threshold; both are ours:
//!
//! - *in a trace*: the processes that move in it. A trace with detours has more than it needs; shorten it first.
//! - *estimated*: the processes that a property looks into, and those that write a variable it looks at. A
//!   write that changes nothing for this process (`n = n + (_pid < 2)`) is none. For deadlocks, the processes
//!   that can block.
//! - where the processes of the text are edges here, as in SMV, edges are counted.
//! - up to half of the processes is few.

use std::collections::BTreeSet;
use std::ops::Range;

use fathom_model::explain::describe_state;
use fathom_model::layout::Layout;
use fathom_model::{
    Action, Base, BinaryOp, Edge, Expr, Formula, Guard, Interpreter, Model, Move, NoRegion, Pattern, Place,
    PropertyId, Question, Steps, Sync, System, Template, TemplateId, UnaryOp,
};
use fathom_search::{Random, Replay};

/// How many of the processes take part in an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Participation {
    /// Processes that take part.
    pub n_participants: usize,
    /// Processes that there are.
    pub n_processes: usize,
}

impl Participation {
    /// The share, 0 to 1.
    pub fn share(&self) -> f64 {
        if self.n_processes == 0 { 0.0 } else { self.n_participants as f64 / self.n_processes as f64 }
    }

    /// Whether at most half of the processes take part.
    pub fn is_low(&self) -> bool {
        self.n_participants * 2 <= self.n_processes
    }
}

/// Which engine to try first, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Advice {
    /// The command with its flags, without the model.
    pub command: &'static str,
    /// The reason, in one sentence.
    pub reason: &'static str,
}

/// The engine for a property of a model with this participation, when a complete search takes too long.
pub fn advice(model: &Model, question: &Question, participation: Participation) -> Advice {
    let is_of_sets = interleaved(model).is_some() && question.is_safety();
    match (question, participation.is_low()) {
        (_, true) if is_of_sets => Advice {
            command: "check --engine symbolic-guided",
            reason: "few processes take part: abstract distances forget the others, and a search of sets finds a shortest trace",
        },
        (_, false) if is_of_sets => Advice {
            command: "check --engine symbolic-walk --guided --trail --weigh-estimates",
            reason: "most processes take part: distances tell such states hardly apart, and guided trails need little of them",
        },
        (Question::Ltl(_) | Question::Psl(_) | Question::Claim(_) | Question::Automaton(_), _) => Advice {
            command: "hunt",
            reason: "an error that is a loop is looked for by walks, whatever the share of processes",
        },
        (_, true) => Advice {
            command: "check --engine best",
            reason: "few processes take part: a guided search that remembers what it saw is not led astray by the others",
        },
        (_, false) => Advice {
            command: "hunt",
            reason: "most processes take part: heuristics tell such states hardly apart, walks and pruned searches need not",
        },
    }
}

/// The processes of a model whose text has processes that are edges of one location here (SMV): the numbers of the edges that change something. None for other
/// models.
fn interleaved(model: &Model) -> Option<Vec<u32>> {
    let [start] = model.start.as_slice() else { return None };
    let template = model.template(start.template);
    let changes = |edge: &Edge| {
        edge.effect
            .iter()
            .any(|action| matches!(action, Action::Assign(place, _) if place.base == Base::Global))
    };
    if template.locations.len() != 1 || template.edges.len() < 2 {
        return None;
    }
    let edges = template.edges.iter().enumerate().filter(|(_, edge)| changes(edge));
    Some(edges.map(|(number, _)| number as u32).collect())
}

/// The participation in a trace that was followed: the processes that move.
pub fn traced_participation(model: &Model, replay: &Replay<NoRegion, Move>) -> Participation {
    if let Some(processes) = interleaved(model) {
        let labels = replay.visits.iter().flat_map(|visit| &visit.labels).chain(&replay.finding_labels);
        let moved: BTreeSet<u32> =
            labels.map(|label| label.edge.0).filter(|edge| processes.contains(edge)).collect();
        return Participation { n_participants: moved.len(), n_processes: processes.len() };
    }
    let mut moved = BTreeSet::new();
    let labels = replay.visits.iter().flat_map(|visit| &visit.labels).chain(&replay.finding_labels);
    for label in labels {
        moved.insert(label.process);
        moved.extend(label.partner.as_ref().map(|partner| partner.process));
    }
    let layout = Layout::new(model);
    let alive = |state: &[u8]| describe_state(model, &layout, state).processes.len();
    let ends = [replay.visits.first(), replay.visits.last()].into_iter().flatten();
    let most_alive = ends.map(|visit| alive(&visit.state)).max().unwrap_or(0);
    let highest = moved.last().map_or(0, |&process| process as usize + 1);
    Participation { n_participants: moved.len(), n_processes: most_alive.max(highest) }
}

/// The participation in errors of a property, estimated from the text. None when the property is not about variables,
/// locations or deadlocks.
pub fn estimated_participation(model: &Model, property: PropertyId) -> Option<Participation> {
    let processes = processes(model);
    let participants = participants(model, &processes, property)?;
    Some(Participation { n_participants: participants.len(), n_processes: processes.len() })
}

/// The numbers of the processes that take part in errors of these properties, as far as the text says; none when all do,
/// or when nothing is known.
pub fn few_participants(model: &Model, properties: &[PropertyId]) -> Option<Vec<usize>> {
    let processes = processes(model);
    let mut few = BTreeSet::new();
    for &property in properties {
        few.extend(participants(model, &processes, property)?);
    }
    let is_few = !few.is_empty() && few.len() < processes.len();
    is_few.then(|| few.into_iter().map(|number| number as usize).collect())
}

/// The processes that take part in errors of a property.
fn participants(model: &Model, processes: &[Process], property: PropertyId) -> Option<BTreeSet<u32>> {
    let estimate = Estimate { model, processes };
    let participants = match &model.properties[property.index()].question {
        Question::Deadlock => estimate.who(|process| can_block(model.template(process.template))),
        Question::Assertion => estimate.asserting(),
        Question::Invariant(expr) | Question::Reach(expr) => estimate.about(&[expr]),
        Question::Ltl(formula) => {
            let mut exprs = Vec::new();
            propositions(formula, &mut exprs);
            estimate.about(&exprs)
        }
        _ => return None,
    };
    Some(participants.into_iter().map(|process| process.number).collect())
}

/// A process by number and template.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Process {
    number: u32,
    template: TemplateId,
}

/// Steps and bytes of states of the walk that looks for created processes.
const MOST_STEPS: usize = 2000;
const MOST_BYTES: usize = 64 << 20;

/// The processes of a model: those at the start and, where processes are created, those of a short random walk.
fn processes(model: &Model) -> Vec<Process> {
    if let Some(edges) = interleaved(model) {
        let template = model.start[0].template;
        return edges.into_iter().map(|number| Process { number, template }).collect();
    }
    let at_start = model.start.iter().enumerate();
    let mut found: BTreeSet<Process> =
        at_start.map(|(number, start)| Process { number: number as u32, template: start.template }).collect();
    let creates = |edge: &Edge| edge.effect.iter().any(|action| matches!(action, Action::Create { .. }));
    if !model.templates.iter().flat_map(|template| &template.edges).any(creates) {
        return found.into_iter().collect();
    }
    let (interpreter, layout) = (Interpreter::new(model, &[]), Layout::new(model));
    let (mut scratch, mut steps, mut random) = (interpreter.scratch(), Steps::new(), Random::new(1));
    interpreter.initial(&mut scratch, &mut steps);
    let mut n_bytes = 0;
    for _ in 0..MOST_STEPS {
        if steps.is_empty() || n_bytes > MOST_BYTES {
            break;
        }
        let state = steps.state(random.below(steps.len())).to_vec();
        let described = describe_state(model, &layout, &state).processes;
        found.extend(described.iter().map(|one| Process { number: one.number, template: one.template }));
        n_bytes += state.len() * (steps.len() + 16);
        steps.clear();
        interpreter.successors(&state, &NoRegion, &mut scratch, &mut steps);
    }
    found.into_iter().collect()
}

/// Whether a process of a template may have to wait where it must not stay.
fn can_block(template: &Template) -> bool {
    let waits = |edge: &Edge| {
        edge.guard != Guard::Always
            || edge.sync.is_some()
            || edge.effect.iter().any(|action| matches!(action, Action::Require(_)))
    };
    template.locations.iter().any(|location| {
        let mut edges = location.groups.iter().flatten().map(|&id| template.edge(id)).peekable();
        !location.end
            && edges.peek().is_some()
            && edges.all(|edge| waits(edge) && !matches!(edge.guard, Guard::Else | Guard::Youngest))
    })
}

/// The expressions about states in a formula.
fn propositions<'m>(formula: &'m Formula, out: &mut Vec<&'m Expr>) {
    use Formula as F;
    match formula {
        F::State(expr) => out.push(expr),
        F::Not(operand) | F::Next(operand) | F::Always(operand) | F::Eventually(operand) => {
            propositions(operand, out);
        }
        F::And(left, right)
        | F::Or(left, right)
        | F::Implies(left, right)
        | F::Equivalent(left, right)
        | F::Until(left, right)
        | F::WeakUntil(left, right)
        | F::Release(left, right) => {
            propositions(left, out);
            propositions(right, out);
        }
    }
}

/// What a property looks at.
#[derive(Default)]
struct Looked {
    /// Bytes of the globals.
    globals: Vec<Range<u32>>,
    /// Processes whose locals or locations it looks at.
    processes: BTreeSet<Process>,
    /// Whether it looks into channels.
    channels: bool,
}

/// An estimate under way.
struct Estimate<'m> {
    model: &'m Model,
    processes: &'m [Process],
}

impl Estimate<'_> {
    fn who(&self, takes_part: impl Fn(&Process) -> bool) -> BTreeSet<Process> {
        self.processes.iter().filter(|process| takes_part(process)).copied().collect()
    }

    /// Who takes part when these expressions are asked about.
    fn about(&self, exprs: &[&Expr]) -> BTreeSet<Process> {
        let mut looked = Looked::default();
        exprs.iter().for_each(|expr| self.look(expr, None, &mut looked));
        self.participants(looked)
    }

    /// Who takes part in the failure of an assertion. That a process makes the assertion is not enough: it looks only.
    fn asserting(&self) -> BTreeSet<Process> {
        let mut looked = Looked::default();
        for process in self.processes {
            for edge in self.edges(process) {
                for action in &edge.effect {
                    if let Action::Assert(expr) = action {
                        self.look(expr, Some(process), &mut looked);
                    }
                }
            }
        }
        self.participants(looked)
    }

    fn participants(&self, looked: Looked) -> BTreeSet<Process> {
        let mut participants =
            self.who(|process| self.edges(process).any(|edge| self.writes(process, edge, &looked)));
        participants.extend(&looked.processes);
        participants
    }

    /// The edges that a process may take.
    fn edges(&self, process: &Process) -> impl Iterator<Item = &Edge> {
        let number = process.number;
        let is_edge = interleaved(self.model).is_some();
        let edges = self.model.template(process.template).edges.iter().enumerate();
        let own = edges.filter(move |(edge, _)| !is_edge || *edge as u32 == number);
        own.map(|(_, edge)| edge).filter(move |edge| match &edge.guard {
            Guard::When(guard) => fold(guard, Some(number)) != Some(0),
            _ => true,
        })
    }

    /// Whether an edge of a process changes something that is looked at.
    fn writes(&self, process: &Process, edge: &Edge, looked: &Looked) -> bool {
        let is_looked_at = |place: &Place| {
            place.base == Base::Global && {
                let bytes = bytes_of(place, Some(process.number));
                looked.globals.iter().any(|other| bytes.start < other.end && other.start < bytes.end)
            }
        };
        let by_message = match &edge.sync {
            Some(Sync::Receive { patterns, .. }) => {
                patterns.iter().any(|pattern| matches!(pattern, Pattern::Bind(place) if is_looked_at(place)))
            }
            _ => false,
        };
        let assigns = |action: &Action| match action {
            Action::Assign(place, value) => {
                is_looked_at(place) && !leaves_as_it_is(place, value, process.number)
            }
            _ => false,
        };
        by_message || looked.channels && edge.sync.is_some() || edge.effect.iter().any(assigns)
    }

    /// Notes what an expression looks at, for a process or for the property itself.
    fn look(&self, expr: &Expr, process: Option<&Process>, looked: &mut Looked) {
        let number = process.map(|process| process.number);
        match expr {
            Expr::Load(place) => self.look_at_place(place, process, looked),
            Expr::Unary(_, operand) => self.look(operand, process, looked),
            Expr::Binary(_, left, right) => {
                self.look(left, process, looked);
                self.look(right, process, looked);
            }
            Expr::Conditional(condition, then, otherwise) => {
                for part in [condition, then, otherwise] {
                    self.look(part, process, looked);
                }
            }
            Expr::Channel(..) | Expr::Poll { .. } => looked.channels = true,
            Expr::LocationOf(other) | Expr::Enabled(other) | Expr::Priority(other) => {
                self.look_into(None, fold(other, number), looked);
            }
            Expr::AtLocation { template, process: other, .. } => {
                let known = other.as_ref().map(|other| fold(other, number));
                self.look_at_other(*template, known, looked);
            }
            _ => {}
        }
    }

    fn look_at_place(&self, place: &Place, process: Option<&Process>, looked: &mut Looked) {
        let number = process.map(|process| process.number);
        match &place.base {
            Base::Global => looked.globals.push(bytes_of(place, number)),
            Base::Own => looked.processes.extend(process),
            Base::Other { template, process: other } => {
                let known = other.as_ref().map(|other| fold(other, number));
                self.look_at_other(*template, known, looked);
            }
            Base::Temporary | Base::Discard => {}
        }
        place.indices.iter().for_each(|index| self.look(&index.value, process, looked));
    }

    /// Notes a process of a template: the first, one with a known number, or any.
    fn look_at_other(&self, template: TemplateId, number: Option<Option<i64>>, looked: &mut Looked) {
        match number {
            None => looked.processes.extend(self.processes.iter().find(|one| one.template == template)),
            Some(number) => self.look_into(Some(template), number, looked),
        }
    }

    fn look_into(&self, template: Option<TemplateId>, number: Option<i64>, looked: &mut Looked) {
        looked.processes.extend(self.processes.iter().filter(|one| {
            template.is_none_or(|template| one.template == template)
                && number.is_none_or(|number| i64::from(one.number) == number)
        }));
    }
}

/// The bytes of the globals that a place may be, as far as a process with this number knows its indices.
fn bytes_of(place: &Place, number: Option<u32>) -> Range<u32> {
    let (mut start, mut spread) = (place.offset, 0);
    for index in &place.indices {
        match fold(&index.value, number).and_then(|value| u32::try_from(value).ok()) {
            Some(value) if value < index.length => start += value * index.stride,
            _ => spread += index.length.saturating_sub(1) * index.stride,
        }
    }
    start..start + spread + place.ty.size()
}

/// Whether an assignment by a process with this number stores what is there.
fn leaves_as_it_is(place: &Place, value: &Expr, number: u32) -> bool {
    let is_same = |expr: &Expr| matches!(expr, Expr::Load(other) if other == place);
    match value {
        Expr::Load(_) => is_same(value),
        Expr::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right) => {
            is_same(left) && fold(right, Some(number)) == Some(0)
        }
        _ => false,
    }
}

/// The value of an expression that depends on nothing but the number of the process that evaluates it.
fn fold(expr: &Expr, number: Option<u32>) -> Option<i64> {
    match expr {
        Expr::Const(value) => Some(*value),
        Expr::OwnProcess => number.map(i64::from),
        Expr::Unary(op, operand) => {
            let operand = fold(operand, number)?;
            Some(match op {
                UnaryOp::Negate => operand.checked_neg()?,
                UnaryOp::Complement => !operand,
                UnaryOp::Not => i64::from(operand == 0),
            })
        }
        Expr::Binary(op, left, right) => fold_binary(*op, fold(left, number), fold(right, number)),
        Expr::Conditional(condition, then, otherwise) => match fold(condition, number)? {
            0 => fold(otherwise, number),
            _ => fold(then, number),
        },
        _ => None,
    }
}

fn fold_binary(op: BinaryOp, left: Option<i64>, right: Option<i64>) -> Option<i64> {
    match (op, left, right) {
        (BinaryOp::And, Some(0), _) | (BinaryOp::And, _, Some(0)) => return Some(0),
        (BinaryOp::Or, Some(known), _) | (BinaryOp::Or, _, Some(known)) if known != 0 => return Some(1),
        _ => {}
    }
    let (left, right) = (left?, right?);
    let value = match op {
        BinaryOp::Add => left.checked_add(right)?,
        BinaryOp::Subtract => left.checked_sub(right)?,
        BinaryOp::Multiply => left.checked_mul(right)?,
        BinaryOp::Divide => left.checked_div(right)?,
        BinaryOp::Remainder => left.checked_rem(right)?,
        BinaryOp::Equal => i64::from(left == right),
        BinaryOp::NotEqual => i64::from(left != right),
        BinaryOp::Less => i64::from(left < right),
        BinaryOp::LessEqual => i64::from(left <= right),
        BinaryOp::Greater => i64::from(left > right),
        BinaryOp::GreaterEqual => i64::from(left >= right),
        BinaryOp::And => i64::from(left != 0 && right != 0),
        BinaryOp::Or => i64::from(left != 0 || right != 0),
        _ => return None,
    };
    // Arithmetic is that of a C `int`: what does not fit is left to the interpreter.
    i32::try_from(value).ok().map(i64::from)
}
