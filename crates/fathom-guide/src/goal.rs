//! Heuristics made of a model and the properties in question.
//!
//! Every property has a *goal*, the states that are evidence about it: an invariant is false, an expression to be
//! reached is true, an assertion is about to fail, nothing can move. The estimate of a state is the distance to the
//! nearest goal. A [`Kind`] says how distances are measured; a property that a kind knows nothing about is left out.

use std::borrow::Cow;

use fathom_model::layout::Layout;
use fathom_model::{
    Action, Expr, Guard, Interpreter, LocationId, Model, NoRegion, PropertyId, Question, Steps, System,
    TemplateId,
};

use crate::Heuristic;
use crate::blocked::n_movable;
use crate::formula::{FAR, LocalGoals, Measure, Ruler, collect_locations};
use crate::local::{LocalGoal, traps};
use crate::local_table::{LocalTable, Over};
use crate::view::View;

/// How distances are measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The control distance of the process that matters; never more than the true distance, where the report says
    /// so.
    Local,
    /// What numbers and processes lack for the formula.
    Formula,
    /// The same, with every part of the formula that is wrong counted as one.
    Wrong,
    /// Processes that can still move: for deadlocks.
    Blocked,
}

impl Kind {
    /// Every kind, in the order in which they are worth a try.
    pub const ALL: [Kind; 4] = [Kind::Formula, Kind::Wrong, Kind::Blocked, Kind::Local];

    /// The name in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Local => "local",
            Kind::Formula => "formula",
            Kind::Wrong => "wrong",
            Kind::Blocked => "blocked",
        }
    }

    fn measure(self) -> Measure {
        match self {
            Kind::Local | Kind::Blocked => Measure::Bound,
            Kind::Formula => Measure::Differences,
            Kind::Wrong => Measure::Wrong,
        }
    }
}

/// The states that are evidence about a property.
#[derive(Clone, Debug)]
enum Goal<'m> {
    /// An expression is true, or false.
    State { expr: Cow<'m, Expr>, wanted: bool },
    /// A process is before an assertion that is false.
    Assertion { before: LocalGoal, expr: &'m Expr },
    /// A process is where it stays for ever.
    Trap(LocalGoal),
    /// Nothing can move.
    Blocked,
    /// An expression is small.
    Cost(Expr),
}

/// How deep guards of guards are followed.
const DEEPEST_GATE: u32 = 2;
/// The least estimate that weights are made relative to.
const LEAST_LARGEST: u32 = 16;

/// A heuristic made of a model.
#[derive(Clone, Debug)]
pub struct ModelHeuristic<'m> {
    model: &'m Model,
    layout: Layout,
    name: &'static str,
    measure: Measure,
    goals: Vec<Goal<'m>>,
    locals: LocalGoals,
    largest: u32,
    is_lower_bound: bool,
}

impl<'m> ModelHeuristic<'m> {
    /// The heuristic of a kind for properties; none when the kind knows nothing about any of them.
    pub fn new(model: &'m Model, properties: &[PropertyId], kind: Kind) -> Option<ModelHeuristic<'m>> {
        let mut goals = Vec::new();
        let mut is_complete = true;
        for property in properties {
            let of_property = goals_of(model, &model.properties[property.index()].question, kind);
            is_complete &= !of_property.is_empty();
            goals.extend(of_property);
        }
        let is_lower_bound = kind == Kind::Local && is_complete && moves_one_process(model);
        (!goals.is_empty()).then(|| Self::of_goals(model, kind.name(), kind.measure(), goals, is_lower_bound))
    }

    /// The value of an expression, given by the user: small is near, negative counts as 0.
    pub fn cost(model: &'m Model, expr: Expr) -> ModelHeuristic<'m> {
        Self::of_goals(model, "cost", Measure::Differences, vec![Goal::Cost(expr)], false)
    }

    /// The distance to an expression given by the user being true, in place of the properties.
    pub fn toward(model: &'m Model, expr: Expr, kind: Kind) -> ModelHeuristic<'m> {
        let goal = Goal::State { expr: Cow::Owned(expr), wanted: true };
        Self::of_goals(model, kind.name(), kind.measure(), vec![goal], false)
    }

    /// The local distances behind the estimates, as a table.
    pub fn to_local_table(&self) -> LocalTable {
        let mut over = Over::Sum;
        let mut goals: Vec<&LocalGoal> = self.locals.values().collect();
        for goal in &self.goals {
            if let Goal::Assertion { before: local, .. } | Goal::Trap(local) = goal {
                goals.push(local);
                over = Over::Min;
            }
        }
        LocalTable::of_goals(self.model, goals.into_iter(), over)
    }

    fn of_goals(
        model: &'m Model,
        name: &'static str,
        measure: Measure,
        goals: Vec<Goal<'m>>,
        is_lower_bound: bool,
    ) -> ModelHeuristic<'m> {
        let mut locals = LocalGoals::new();
        for goal in &goals {
            match goal {
                Goal::State { expr, .. } => collect_locations(model, expr, &mut locals),
                Goal::Assertion { expr, .. } => collect_locations(model, expr, &mut locals),
                Goal::Trap(_) | Goal::Blocked | Goal::Cost(_) => {}
            }
        }
        let layout = Layout::new(model);
        let mut heuristic =
            ModelHeuristic { model, layout, name, measure, goals, locals, largest: 0, is_lower_bound };
        let at_start = initial_state(model).map_or(0, |state| heuristic.estimate(&state, &NoRegion));
        let processes = model.start.len() as u32;
        heuristic.largest = at_start.saturating_mul(2).max(processes).clamp(LEAST_LARGEST, FAR);
        heuristic
    }

    /// The name in reports and on the command line.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether an estimate is never more than the number of steps to the nearest goal.
    pub fn is_lower_bound(&self) -> bool {
        self.is_lower_bound
    }

    fn distance(&self, ruler: &Ruler<'_>, goal: &Goal<'_>) -> u32 {
        match goal {
            Goal::State { expr, wanted } => ruler.distance(expr, None, *wanted),
            Goal::Assertion { before, expr } => nearest(ruler, before, |process| {
                let steps = ruler.local(before, process);
                match (ruler.measure, process) {
                    // The step that fails may make it false itself.
                    (Measure::Bound, _) | (_, None) => steps,
                    _ => steps.saturating_add(ruler.distance(expr, process, false)).min(FAR),
                }
            }),
            Goal::Trap(trap) => nearest(ruler, trap, |process| ruler.local(trap, process)),
            Goal::Blocked => n_movable(ruler.view),
            Goal::Cost(expr) => {
                ruler.view.value(expr, None).map_or(FAR, |value| value.clamp(0, i64::from(FAR)) as u32)
            }
        }
    }
}

/// The smallest distance of a process of the template of a local goal, or of one that is yet to be created: for a
/// bound always, since that may be nearer; otherwise only when there is none.
fn nearest(ruler: &Ruler<'_>, goal: &LocalGoal, distance: impl Fn(Option<usize>) -> u32) -> u32 {
    let processes = ruler.view.processes.iter().enumerate();
    let ours = processes.filter(|(_, (_, template))| *template == goal.template);
    let nearest = ours.map(|(process, _)| distance(Some(process))).min();
    match nearest {
        Some(nearest) if ruler.measure != Measure::Bound => nearest,
        Some(nearest) => nearest.min(distance(None)),
        None => distance(None),
    }
}

impl Heuristic<NoRegion> for ModelHeuristic<'_> {
    fn estimate(&self, state: &[u8], _: &NoRegion) -> u32 {
        let view = View::new(self.model, &self.layout, state);
        let ruler = Ruler { view: &view, goals: &self.locals, measure: self.measure, depth: DEEPEST_GATE };
        self.goals.iter().map(|goal| self.distance(&ruler, goal)).min().unwrap_or(0)
    }

    fn largest(&self) -> u32 {
        self.largest
    }
}

/// The goals of a question that a kind can measure.
fn goals_of<'m>(model: &'m Model, question: &'m Question, kind: Kind) -> Vec<Goal<'m>> {
    match (question, kind) {
        (Question::Deadlock, Kind::Blocked) => vec![Goal::Blocked],
        // The way into a trap says nothing about other deadlocks: no bound.
        (Question::Deadlock, Kind::Formula | Kind::Wrong) => {
            let trap = |(index, template)| {
                let locations = traps(template);
                let template = TemplateId::from(index);
                (!locations.is_empty()).then(|| Goal::Trap(LocalGoal::new(model, template, &locations)))
            };
            model.templates.iter().enumerate().filter_map(trap).collect()
        }
        (Question::Invariant(expr), Kind::Local | Kind::Formula | Kind::Wrong) => {
            vec![Goal::State { expr: Cow::Borrowed(expr), wanted: false }]
        }
        (Question::Reach(expr), Kind::Local | Kind::Formula | Kind::Wrong) => {
            vec![Goal::State { expr: Cow::Borrowed(expr), wanted: true }]
        }
        (Question::Assertion, Kind::Local | Kind::Formula | Kind::Wrong) => assertions(model),
        _ => Vec::new(),
    }
}

/// One goal for every assertion in the model.
fn assertions(model: &Model) -> Vec<Goal<'_>> {
    let mut goals = Vec::new();
    for (index, template) in model.templates.iter().enumerate() {
        for (edge_index, edge) in template.edges.iter().enumerate() {
            let leaves = |location: &usize| {
                let mut edges = template.locations[*location].groups.iter().flatten();
                edges.any(|edge| edge.index() == edge_index)
            };
            for action in &edge.effect {
                let Action::Assert(expr) = action else { continue };
                let sources: Vec<LocationId> =
                    (0..template.locations.len()).filter(leaves).map(LocationId::from).collect();
                let before = LocalGoal::new(model, TemplateId::from(index), &sources);
                goals.push(Goal::Assertion { before, expr });
            }
        }
    }
    goals
}

/// Whether a step never takes a process along more than one edge that counts: a hand-shake inside an indivisible
/// sequence may.
fn moves_one_process(model: &Model) -> bool {
    let has_hand_shakes = model.channel_types.iter().any(|channel| channel.is_rendezvous());
    let mut edges = model.templates.iter().flat_map(|template| &template.edges);
    !(has_hand_shakes && edges.any(|edge| edge.atomic && edge.guard != Guard::Youngest))
}

fn initial_state(model: &Model) -> Option<Vec<u8>> {
    let interpreter = Interpreter::new(model, &[]);
    let mut steps = Steps::new();
    interpreter.initial(&mut interpreter.scratch(), &mut steps);
    (!steps.is_empty()).then(|| steps.state(0).to_vec())
}
