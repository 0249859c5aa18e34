//! Tests from models: which system is searched, what tests are in words, and the count that checks them.
//!
//! What [`fathom_testgen`] finds is followed on the reference interpreter (for timed automata: timed, and checked by the concrete meaning) and
//! its goals are counted again, independently, before anyone sees it.

use fathom_coverage::{Rate, reference};
use fathom_hunt::Refine;
use fathom_model::{
    Base, BinaryOp, Evidence, Expr, Interpreter, Model, Place, Property, PropertyId, Question, ScalarKind,
    ScalarType, Stop, System, Trace, Type, VariableRole,
};
use fathom_search::{Monitor, Replay};
use fathom_source::Diagnostic;
use fathom_testgen::{
    Charts, Criterion, CriterionTests, Events, FollowedTest, GenerateOptions, Generated, Goal, GoalAnswer,
    GoalSet, Goals, Guide, ModelCharts, Observe, Shape, Test, TestEngine, TestStatistics, Told, TooManyGoals,
    Tracker, WholeOptions, all_at_once, count, cover_criterion, events_of, generate, select,
};

use crate::check::Code;
use crate::code::system_of;

/// What tests should reach, and how they are looked for.
#[derive(Clone, Debug, Default)]
pub struct TestOptions {
    /// What makes goals.
    pub criteria: Vec<Criterion>,
    /// Questions whether some state can be reached: a goal each.
    pub traps: Vec<PropertyId>,
    /// How goals are looked for.
    pub generate: GenerateOptions,
    /// Afterwards, look for one sequence that reaches all that was reached, with fewer steps.
    pub shorten: Option<Shortening>,
    /// What tests should fulfil beside the goals, in the coverage language.
    pub counted: Option<fathom_coverage::Criterion>,
}

/// How one sequence for everything is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shortening {
    /// The engine.
    pub engine: TestEngine,
    /// Which steps are tried first.
    pub guide: Guide,
    /// For pruned searches: whether to go on for shorter sequences as long as there is time.
    pub refine: bool,
}

/// Tests, what they cover, and what cannot be covered.
#[derive(Clone, Debug)]
pub struct TestReport {
    /// The control flow that goals are about.
    pub charts: Charts,
    /// The goals.
    pub goals: Goals,
    /// What is known of each goal.
    pub answers: Vec<GoalAnswer>,
    /// The tests.
    pub tests: Vec<WrittenTest>,
    /// By chart and edge: how often tests take it.
    pub taken: Vec<Vec<u64>>,
    /// What generation cost.
    pub statistics: TestStatistics,
    /// Whether no shorter sequence reaches as much.
    pub is_shortest: bool,
    /// How much tests fulfil of a criterion that counts.
    pub counted: Option<CountedReport>,
}

/// How much tests fulfil of a criterion of the coverage language.
#[derive(Clone, Debug)]
pub struct CountedReport {
    /// How much.
    pub rate: Rate,
    /// By elementary criterion: text, rate, what is missing.
    pub parts: Vec<(String, Rate, Vec<String>)>,
    /// Why there is no more: found when all is fulfilled, exhausted when more cannot be.
    pub stop: Stop,
}

impl TestReport {
    /// Number of goals that tests reach.
    pub fn n_covered(&self) -> usize {
        self.answers.iter().filter(|answer| matches!(answer, GoalAnswer::Covered { .. })).count()
    }

    /// Number of goals that nothing reaches.
    pub fn n_infeasible(&self) -> usize {
        self.answers.iter().filter(|answer| **answer == GoalAnswer::Infeasible).count()
    }

    /// Number of steps of all tests.
    pub fn n_steps(&self) -> usize {
        self.tests.iter().map(|test| test.steps.len()).sum()
    }
}

/// A test, in words.
#[derive(Clone, Debug)]
pub struct WrittenTest {
    /// The test as a trace.
    pub trace: Trace,
    /// Its steps.
    pub steps: Vec<WrittenStep>,
    /// By chart and edge: how often it takes it.
    pub taken: Vec<Vec<u64>>,
    /// The goals that it reaches, by the independent count.
    pub covers: GoalSet,
    /// Those that no test before it reaches, and after how many steps.
    pub reached: Vec<(usize, u32)>,
}

/// A step of a test.
#[derive(Clone, PartialEq, Debug)]
pub struct WrittenStep {
    /// Who does what: process and statement, edge or action.
    pub moves: Vec<(String, String)>,
    /// With time: how long to wait before it, in units.
    pub delay: Option<f64>,
}

/// Puts a test that was followed into words.
type Write<'w, R, L> = dyn Fn(&Replay<R, L>) -> Vec<WrittenStep> + 'w;

/// Why there are no tests.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TestError {
    /// There are too many goals.
    TooManyGoals(TooManyGoals),
    /// There are more edges than goals can tell apart.
    TooManyEdges,
    /// The criterion that counts asks for what the model does not have.
    Criterion(Vec<Diagnostic>),
}

impl std::fmt::Display for TestError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TestError::TooManyGoals(error) => error.fmt(out),
            TestError::TooManyEdges => write!(out, "the model has more than 65 000 edges"),
            TestError::Criterion(problems) => {
                let texts: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
                write!(out, "the goal cannot be covered: {}", texts.join("; "))
            }
        }
    }
}

impl std::error::Error for TestError {}

/// Generates tests from a model.
///
/// # Errors
///
/// When there are too many goals or edges.
///
/// # Panics
///
/// When a test does not replay or does not reach what it should: a bug in Fathom.
///
/// # Example
///
/// ```
/// use fathom_core::search::NoMonitor;
/// use fathom_core::source::MemoryLoader;
/// use fathom_core::testgen::Criterion;
/// use fathom_core::{Language, TestOptions, generate_tests, load};
///
/// let text = "byte n; active proctype p() { do :: n < 9 -> n++ :: n == 9 -> n = 0 :: n > 9 -> break od }";
/// let loader = MemoryLoader::new().with("m.pml", text);
/// let model = load("m.pml", Language::Promela, &loader, &[]).unwrap().model.unwrap();
/// let options = TestOptions { criteria: vec![Criterion::Transitions], ..TestOptions::default() };
/// let report = generate_tests(&model, &options, &mut NoMonitor).unwrap();
/// // Up to nine and back; above nine there is nothing, and so the process never ends.
/// assert_eq!((report.tests.len(), report.n_steps()), (1, 20));
/// assert_eq!((report.n_covered(), report.n_infeasible()), (4, 2));
/// ```
pub fn generate_tests(
    model: &Model,
    options: &TestOptions,
    monitor: &mut dyn Monitor,
) -> Result<TestReport, TestError> {
    let charts = ModelCharts::new(model);
    // Labels are wanted for every step, which native code leaves to the interpreter anyway.
    let (system, _) = system_of(model, &options.traps, Code::Interpreted, None);
    let reference = Interpreter::new(model, &options.traps);
    let name = |process: u32, template: &str| format!("{template}[{process}]");
    let write = |replayed: &Replay<_, fathom_model::Move>| {
        let step = |visit: &fathom_search::Visit<_, fathom_model::Move>| {
            let mut moves = Vec::new();
            for label in &visit.labels {
                charts.taken(label, &mut |taken| {
                    let chart = &charts.charts().charts[taken.chart as usize];
                    let text = chart.edges[taken.edge as usize].text.clone();
                    moves.push((name(taken.process, &chart.name), text));
                });
            }
            WrittenStep { moves, delay: None }
        };
        replayed.visits.iter().skip(1).map(step).collect()
    };
    let actions = |label: &fathom_model::Move| actions_in(&charts, label);
    let layout = reference.layout();
    let variables = |state: &[u8]| {
        let described = fathom_model::explain::describe_state(model, layout, state);
        described.values.into_iter().map(|value| (value.name, value.value)).collect()
    };
    let told = Told { actions: &actions, variables: &variables };
    generate_on(&system, &reference, &charts, options, &write, told, monitor)
}

/// The edges that a label takes, as `process: text`.
pub(crate) fn actions_in<L>(observe: &dyn Observe<L>, label: &L) -> Vec<String> {
    let mut actions = Vec::new();
    observe.taken(label, &mut |taken| {
        let chart = &observe.charts().charts[taken.chart as usize];
        actions.push(format!("{}: {}", chart.name, chart.edges[taken.edge as usize].text));
    });
    actions
}

/// A question about each value of the truth values and enumerations that all processes share, each with its name: added to the model.
pub fn value_traps(model: &mut Model) -> Vec<PropertyId> {
    let mut found: Vec<(String, Place, i64)> = Vec::new();
    for variable in &model.globals.variables {
        let (Type::Scalar(ty), VariableRole::Plain) = (&variable.ty, variable.role) else { continue };
        for (value, text) in values_of(model, *ty) {
            let place = Place::fixed(Base::Global, variable.offset, *ty);
            found.push((format!("{} == {text}", variable.name), place, value));
        }
    }
    let is_new = |model: &Model, name: &str| model.properties.iter().all(|property| property.name != name);
    let mut traps = Vec::new();
    for (name, place, value) in found.into_iter().filter(|(name, ..)| is_new(model, name)).collect::<Vec<_>>()
    {
        let sides = (Box::new(Expr::Load(place)), Box::new(Expr::Const(value)));
        let question = Question::Reach(Expr::Binary(BinaryOp::Equal, sides.0, sides.1));
        traps.push(PropertyId::from(model.properties.len()));
        model.properties.push(Property { name, question, span: None });
    }
    traps
}

/// The values of a type that has few, with their names.
fn values_of(model: &Model, ty: ScalarType) -> Vec<(i64, String)> {
    match ty.kind {
        ScalarKind::Boolean => vec![(0, "false".to_owned()), (1, "true".to_owned())],
        ScalarKind::Enumeration(id) => model.enumerations[id.index()].members.clone(),
        _ if ty.bits == 1 => vec![(0, "0".to_owned()), (1, "1".to_owned())],
        _ => Vec::new(),
    }
}

/// Generates tests on any system, and follows them on a reference of it.
pub(crate) fn generate_on<S, T>(
    system: &S,
    reference: &T,
    observe: &dyn Observe<S::Label>,
    options: &TestOptions,
    write: &Write<'_, S::Region, S::Label>,
    told: Told<'_, S::Label>,
    monitor: &mut dyn Monitor,
) -> Result<TestReport, TestError>
where
    S: System<Scratch: 'static> + Sync,
    T: System<Region = S::Region, Label = S::Label>,
    S::Region: Send + Sync + 'static,
    S::Label: 'static,
{
    let charts = observe.charts();
    let goals = Goals::of(charts, &options.criteria, &options.traps).map_err(TestError::TooManyGoals)?;
    let tracker = Tracker::new(observe, &goals).ok_or(TestError::TooManyEdges)?;
    let mut generated = generate(system, &tracker, &options.generate, monitor);
    let mut is_shortest = false;
    if let Some(shortening) = options.shorten {
        is_shortest = shorten(system, &tracker, options, shortening, &mut generated, monitor);
    }
    let n_for_goals = generated.tests.len();
    let counted = match &options.counted {
        None => None,
        Some(criterion) => {
            let max_states = options.generate.max_states;
            let found = cover_criterion(system, told, criterion, STATES_FOR_ITEMS, max_states, monitor);
            let found = found.map_err(TestError::Criterion)?;
            generated.tests.extend(found.tests.iter().cloned());
            generated.statistics.add(&found.statistics);
            Some(found)
        }
    };
    let counter = Counter { reference, observe, goals: &goals, write };
    let mut tests: Vec<WrittenTest> = generated.tests.iter().map(|test| counter.follow(test)).collect();
    if let (Some(found), Some(criterion)) = (&counted, &options.counted) {
        counter.count_items(&tests[n_for_goals..], told, criterion, found);
    }
    // What a tour or a criterion that counts asks for, goals know nothing of.
    let is_free = |test: &usize| *test < n_for_goals && options.generate.shape != Shape::Tour;
    if (0..tests.len()).filter(is_free).count() > 1 {
        let prices: Vec<(usize, GoalSet)> =
            tests[..n_for_goals].iter().map(|test| (test.steps.len(), test.covers.clone())).collect();
        let kept = select(&prices);
        let kept = kept.into_iter().chain(n_for_goals..tests.len());
        tests = kept.map(|test| tests[test].clone()).collect();
    }
    let answers = count_again(&goals, &mut tests, &generated);
    let mut taken: Vec<Vec<u64>> = charts.charts.iter().map(|chart| vec![0; chart.edges.len()]).collect();
    for (total, of_test) in tests.iter().flat_map(taken_in) {
        taken[total.0][total.1] += of_test;
    }
    Ok(TestReport {
        charts: charts.clone(),
        goals: goals.clone(),
        answers,
        tests,
        taken,
        statistics: generated.statistics,
        is_shortest,
        counted: counted.map(|found| CountedReport {
            rate: found.rate,
            parts: found.parts,
            stop: found.stop,
        }),
    })
}

/// States that are looked at for what a criterion may ask for.
const STATES_FOR_ITEMS: usize = 20_000;

/// Events of tests whose rate is found again by the meaning of criteria, which is slow.
const MOST_EVENTS: usize = 2000;

/// Chart and edge, and how often a test takes it.
fn taken_in(test: &WrittenTest) -> impl Iterator<Item = ((usize, usize), u64)> + '_ {
    let charts = test.taken.iter().enumerate();
    charts.flat_map(|(chart, edges)| edges.iter().enumerate().map(move |(edge, &n)| ((chart, edge), n)))
}

/// Looks for one sequence that reaches as much with fewer steps. Gives whether it is known to be shortest.
fn shorten<S>(
    system: &S,
    tracker: &Tracker<'_, S::Label>,
    options: &TestOptions,
    shortening: Shortening,
    generated: &mut Generated,
    monitor: &mut dyn Monitor,
) -> bool
where
    S: System<Scratch: 'static> + Sync,
    S::Region: Send + Sync + 'static,
    S::Label: 'static,
{
    let mut wanted = GoalSet::empty(tracker.goals().len());
    for (goal, answer) in generated.answers.iter().enumerate() {
        if matches!(answer, GoalAnswer::Covered { .. }) {
            wanted.add(goal as u32);
        }
    }
    let (n_steps, limits) = (generated.n_steps(), &options.generate);
    let whole = WholeOptions {
        engine: shortening.engine,
        guide: shortening.guide,
        max_states: limits.max_states,
        max_bytes: limits.max_bytes,
        max_depth: Some(n_steps.saturating_sub(1) as u32).filter(|_| shortening.engine == TestEngine::Isr),
        sizes: limits.sizes,
        refine: if shortening.refine { Refine::GoOn } else { Refine::Never },
        seed: limits.seed,
        threads: limits.threads,
        ..WholeOptions::new(wanted)
    };
    let outcome = all_at_once(system, tracker, &whole, monitor);
    generated.statistics.add(&outcome.statistics);
    let Some(test) = outcome.test else { return false };
    if test.choices.len() < n_steps {
        generated.tests = vec![test];
    }
    outcome.is_shortest && generated.tests.len() == 1
}

/// Follows tests and counts what they reach.
struct Counter<'a, T: System> {
    reference: &'a T,
    observe: &'a dyn Observe<T::Label>,
    goals: &'a Goals,
    write: &'a Write<'a, T::Region, T::Label>,
}

impl<T: System> Counter<'_, T> {
    fn follow(&self, test: &Test) -> WrittenTest {
        let trace = Trace {
            initial: test.initial,
            choices: test.choices.clone(),
            evidence: Evidence::State,
            loop_at: None,
        };
        let replayed = match fathom_search::replay(self.reference, &trace) {
            Ok(replayed) => replayed,
            Err(error) => {
                panic!("a test does not replay: {error}\nthis is a bug in Fathom; please report it")
            }
        };
        let mut covers = GoalSet::empty(self.goals.len());
        let events = self.events(&replayed);
        let reached = count(self.observe.charts(), self.goals, &events);
        reached.iter().enumerate().filter(|(_, is_reached)| **is_reached).for_each(|(goal, _)| {
            covers.add(goal as u32);
        });
        for &(_, goal) in &test.reached {
            assert!(
                covers.has(goal),
                "a test does not reach {:?}; this is a bug in Fathom, please report it",
                self.goals.goals[goal as usize]
            );
        }
        let charts = self.observe.charts().charts.iter();
        let mut taken: Vec<Vec<u64>> = charts.map(|chart| vec![0; chart.edges.len()]).collect();
        for one in &events.taken {
            taken[one.chart as usize][one.edge as usize] += 1;
        }
        WrittenTest { trace, steps: (self.write)(&replayed), covers, taken, reached: test.reached.clone() }
    }

    /// Finds the rate of a criterion again, by its meaning and without the search.
    fn count_items(
        &self,
        tests: &[WrittenTest],
        told: Told<'_, T::Label>,
        criterion: &fathom_coverage::Criterion,
        found: &CriterionTests,
    ) {
        if tests.iter().map(|test| test.steps.len() + 1).sum::<usize>() > MOST_EVENTS {
            return;
        }
        let visits = |test: &WrittenTest| {
            let replayed =
                fathom_search::replay(self.reference, &test.trace).expect("it was followed before");
            replayed.visits.into_iter().map(|visit| (visit.state, visit.labels)).collect()
        };
        let followed: Vec<FollowedTest<T::Label>> = tests.iter().map(visits).collect();
        let again = reference::rate(criterion, &found.universe, &events_of(told, &followed));
        assert_eq!(
            again, found.rate,
            "tests do not fulfil {criterion} so far; this is a bug in Fathom, please report it"
        );
    }

    /// What happens in a test.
    fn events(&self, replayed: &Replay<T::Region, T::Label>) -> Events {
        let mut events = Events::default();
        if let Some(first) = replayed.visits.first() {
            self.observe
                .locations(&first.state, &mut |_, chart, location| events.first.push((chart, location)));
        }
        let asks_states = self.goals.goals.iter().any(|goal| matches!(goal, Goal::Trap(_)));
        let asks_values = self.goals.goals.iter().any(|goal| matches!(goal, Goal::Value(_)));
        let (mut scratch, mut steps) = (self.reference.scratch(), fathom_model::Steps::new());
        for visit in &replayed.visits {
            for label in &visit.labels {
                self.observe.taken(label, &mut |taken| events.taken.push(taken));
            }
            if asks_values {
                self.observe.values(&visit.state, &mut |value| events.values.push(value));
                events.values.sort_unstable();
                events.values.dedup();
            }
            if asks_states {
                steps.clear();
                self.reference.successors(&visit.state, &visit.region, &mut scratch, &mut steps);
                events.found.extend(steps.findings().iter().map(|finding| finding.property));
                events.found.sort_unstable();
                events.found.dedup();
            }
        }
        events
    }
}

/// The answers by the independent count of the tests that are left: which test is the first to reach a goal, and when.
fn count_again(goals: &Goals, tests: &mut [WrittenTest], generated: &Generated) -> Vec<GoalAnswer> {
    let mut answers: Vec<GoalAnswer> = generated.answers.clone();
    let mut seen = GoalSet::empty(goals.len());
    for (number, test) in tests.iter_mut().enumerate() {
        let known: std::collections::HashMap<u32, usize> =
            test.reached.iter().map(|&(step, goal)| (goal, step)).collect();
        test.reached.clear();
        for goal in test.covers.iter() {
            if seen.has(goal) {
                continue;
            }
            seen.add(goal);
            // Reached again by a test that generation credited to another one: at the latest at its end.
            let step = known.get(&goal).copied().unwrap_or(test.steps.len());
            test.reached.push((step, goal));
            answers[goal as usize] = GoalAnswer::Covered { test: number, step };
        }
        test.reached.sort_unstable();
    }
    for (goal, answer) in answers.iter().enumerate() {
        assert!(
            seen.has(goal as u32) || !matches!(answer, GoalAnswer::Covered { .. }),
            "no test reaches {:?} any more; this is a bug in Fathom, please report it",
            goals.goals[goal]
        );
    }
    answers
}
