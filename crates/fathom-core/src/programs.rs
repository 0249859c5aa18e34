//! Model programs: the engines on systems that are written as programs.
//!
//! States that differ in the names of objects only are taken for one, if symmetry is wanted. What is found in the quotient
//! is made a run of the program, and replayed on it, before it is shown.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fathom_hunt::{ArmRow, Enough, Hooks, HuntMonitor, HuntOutcome, IsrOptions, WalkOptions, default_arms};
use fathom_model::{NoRegion, PropertyId, Statistics, Stop, System, Trace, Verdict};
use fathom_program::{Call, Form, Opened, Runnable, Symmetry};
use fathom_search::{
    Cost, Meaning, Monitor, Options, Outcome, Priority, Progress, Replay, ReplayError, StoreKind, beam,
    best_first, branch_and_bound, verdicts,
};

use crate::check::{CheckOptions, Engine, run};
use crate::hunt::{attempt_bytes, rest_for, search_bytes};
use crate::program_linear::FormulaAnswer;

/// How to hunt in a program.
#[derive(Clone, Debug, Default)]
pub struct ProgramHuntOptions {
    /// The properties in question.
    pub properties: Vec<PropertyId>,
    /// Go on until there is evidence about every property.
    pub all: bool,
    /// Which states are taken for one.
    pub symmetry: Symmetry,
    /// The seed.
    pub seed: u64,
    /// Most states of all arms together.
    pub max_states: Option<u64>,
    /// Most bytes of memory for searches that remember what they saw.
    pub max_bytes: Option<u64>,
    /// Threads to use; 0 counts as 1.
    pub threads: usize,
}

/// The answers about a program, and what they cost.
#[derive(Clone, Debug)]
pub struct ProgramReport {
    /// One for each property asked, in the order of the options.
    pub verdicts: Vec<Verdict>,
    /// What the search cost; seconds are left to the caller.
    pub statistics: Statistics,
    /// Why the search ended.
    pub stop: Stop,
    /// Which states were taken for one: none but equal ones where there are no objects.
    pub symmetry: Symmetry,
    /// Whether the program was seen to ask for the names of objects: then it was searched without symmetry.
    pub asks_for_names: bool,
    /// The threads that searched.
    pub threads: usize,
    /// With a lossy store: how many states were probably missed.
    pub expected_omissions: f64,
}

impl ProgramReport {
    /// The report of a search that was not made.
    pub fn empty() -> ProgramReport {
        ProgramReport {
            verdicts: Vec::new(),
            statistics: Statistics::default(),
            stop: Stop::Exhausted,
            symmetry: Symmetry::None,
            asks_for_names: false,
            threads: 1,
            expected_omissions: 0.0,
        }
    }

    /// Adds the answer to a formula, and what it cost.
    pub fn add(&mut self, answer: &FormulaAnswer) {
        self.statistics.states += answer.statistics.states;
        self.statistics.transitions += answer.statistics.transitions;
        self.statistics.matched += answer.statistics.matched;
        self.statistics.max_depth = self.statistics.max_depth.max(answer.statistics.max_depth);
        self.statistics.store_bytes = self.statistics.store_bytes.max(answer.statistics.store_bytes);
        if self.stop == Stop::Exhausted {
            self.stop = answer.verdict.stop;
        }
        self.verdicts.push(answer.verdict.clone());
    }
}

/// What came of a hunt in a program.
#[derive(Clone, Debug)]
pub struct ProgramHuntReport {
    /// The answers, and what they cost.
    pub report: ProgramReport,
    /// What each arm did; empty when the complete attempt answered everything.
    pub arms: Vec<ArmRow>,
    /// Which arm found the evidence about each property; none for the complete attempt, and where there is none.
    pub found_by: Vec<Option<String>>,
}

/// Checks properties of a program: by breadth-first or depth-first search, best-first search or A* with the
/// [distances](fathom_program::Program::distance) of the program, pruned searches or walks. Every trace in the report is one
/// of the program without symmetry and has been replayed on it.
///
/// # Panics
///
/// When an engine is asked for that is not for programs, or a trace does not replay: the program asks for the names of objects, or there
/// is a bug in Fathom.
///
/// # Example
///
/// ```
/// use fathom_core::model::Answer;
/// use fathom_core::program::{Data, Program, Property, Symmetry};
/// use fathom_core::search::NoMonitor;
/// use fathom_core::{CheckOptions, check_program};
///
/// /// Two jugs of three and five litres; who can measure four?
/// struct Jugs;
///
/// #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
/// struct Water {
///     small: u8,
///     large: u8,
/// }
///
/// #[derive(Clone, Debug)]
/// enum Action {
///     FillSmall,
///     FillLarge,
///     EmptySmall,
///     EmptyLarge,
///     Over,
///     Back,
/// }
///
/// impl Program for Jugs {
///     type State = Water;
///     type Action = Action;
///
///     fn initial(&self) -> Vec<Water> {
///         vec![Water { small: 0, large: 0 }]
///     }
///
///     fn actions(&self, _: &Water, actions: &mut Vec<Action>) {
///         use Action::*;
///         actions.extend([FillSmall, FillLarge, EmptySmall, EmptyLarge, Over, Back]);
///     }
///
///     fn apply(&self, action: &Action, water: &mut Water) {
///         match action {
///             Action::FillSmall => water.small = 3,
///             Action::FillLarge => water.large = 5,
///             Action::EmptySmall => water.small = 0,
///             Action::EmptyLarge => water.large = 0,
///             Action::Over => {
///                 let poured = water.small.min(5 - water.large);
///                 (water.small, water.large) = (water.small - poured, water.large + poured);
///             }
///             Action::Back => {
///                 let poured = water.large.min(3 - water.small);
///                 (water.small, water.large) = (water.small + poured, water.large - poured);
///             }
///         }
///     }
///
///     fn properties(&self) -> Vec<Property<Water>> {
///         vec![Property::reach("four litres", |water: &Water| water.large == 4)]
///     }
/// }
///
/// let options = CheckOptions { properties: vec![0.into()], ..CheckOptions::default() };
/// let report = check_program(&Jugs, Symmetry::None, &options, &mut NoMonitor);
/// assert_eq!(report.verdicts[0].answer, Answer::Holds);
/// assert_eq!(report.verdicts[0].trace.as_ref().unwrap().choices.len(), 6);
/// ```
pub fn check_program(
    program: &dyn Runnable,
    symmetry: Symmetry,
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
) -> ProgramReport {
    let symmetry = useful(program, symmetry);
    // What an engine forgets, no table should remember.
    let form = match (options.engine, options.store) {
        (Engine::BreadthFirst | Engine::DepthFirst, StoreKind::Exact) => Form::Compact,
        _ => Form::InFull,
    };
    let opened = program.open(symmetry, form);
    if opened.asks_for_names() {
        let plain = check_program(program, Symmetry::None, options, monitor);
        return ProgramReport { asks_for_names: true, ..plain };
    }
    let mut watched = WithTables { opened: &*opened, max_bytes: options.max_bytes, inner: monitor };
    let (outcome, threads) = search(&*opened, options, &mut watched);
    let fit = (!opened.was_unfit()).then_some(&outcome);
    match fit.and_then(|outcome| report(program, symmetry, &*opened, outcome, threads)) {
        Some(report) => report,
        None => {
            ProgramReport { asks_for_names: true, ..check_program(program, Symmetry::None, options, monitor) }
        }
    }
}

/// Counts the tables of a program, too, when there is a limit on memory, and ends a search that symmetry spoils.
struct WithTables<'a> {
    opened: &'a dyn Opened,
    max_bytes: Option<u64>,
    inner: &'a mut dyn Monitor,
}

impl Monitor for WithTables<'_> {
    fn poll(&mut self, progress: &Progress) -> Option<Stop> {
        if self.opened.was_unfit() {
            return Some(Stop::Cancelled);
        }
        let is_full = self.max_bytes.is_some_and(|most| progress.bytes + self.opened.heap_size() > most);
        if is_full { Some(Stop::Memory) } else { self.inner.poll(progress) }
    }

    fn alarm(&self) -> Option<Arc<AtomicBool>> {
        self.inner.alarm()
    }
}

/// Runs an engine, and gives the number of threads of the search that counts.
fn search(opened: &dyn Opened, options: &CheckOptions, monitor: &mut dyn Monitor) -> (Outcome, usize) {
    let system = &opened.system();
    let (properties, threads) = (options.properties.clone(), options.threads.max(1));
    match options.engine {
        Engine::BreadthFirst | Engine::DepthFirst => run(system, options, properties, monitor),
        Engine::Isr => {
            let isr = IsrOptions {
                properties,
                enough: Enough::All,
                max_depth: options.max_depth,
                threads,
                seed: options.guidance.seed,
                ..IsrOptions::default()
            };
            (fathom_hunt::isr(system, &isr, monitor).outcome, threads)
        }
        Engine::Walk => {
            let walk = WalkOptions {
                properties,
                enough: Enough::All,
                max_depth: options.max_depth.or(WalkOptions::default().max_depth),
                threads,
                seed: options.guidance.seed,
                ..WalkOptions::default()
            };
            (fathom_hunt::walk(system, &walk, Hooks::none(), monitor).outcome, threads)
        }
        Engine::Best | Engine::AStar | Engine::BestDepthFirst | Engine::Beam | Engine::BranchAndBound => {
            (run_guided(system, opened, options, properties, monitor), 1)
        }
        engine => panic!("{} is not for programs", engine.name()),
    }
}

/// Searches in the order that the distances of a program suggest.
fn run_guided<S: System<Region = NoRegion>>(
    system: &S,
    opened: &dyn Opened,
    options: &CheckOptions,
    properties: Vec<PropertyId>,
    monitor: &mut dyn Monitor,
) -> Outcome {
    let search = Options {
        properties,
        continue_after_all: options.continue_after_all,
        patience: options.patience,
        max_states: options.max_states,
        max_depth: options.max_depth,
        max_bytes: options.max_bytes,
        alarm: monitor.alarm(),
        ..Options::default()
    };
    // Without any idea every state is as near as any other.
    let estimate = |_: Option<&[u8]>, state: &[u8], _: &NoRegion| opened.distance(state).unwrap_or(0);
    let guidance = &options.guidance;
    let priority = match options.engine {
        Engine::Beam => return beam(system, &estimate, guidance.beam_width, &search, monitor),
        Engine::BranchAndBound => {
            // A distance may be too large.
            let cost = Cost::Steps { is_lower_bound: false };
            return branch_and_bound(system, &estimate, &cost, &search, monitor).outcome;
        }
        Engine::AStar => Priority::Sum { weight: guidance.weight },
        Engine::BestDepthFirst => Priority::Deepest { seed: guidance.seed },
        _ => Priority::Best,
    };
    best_first(system, &estimate, priority, &search, monitor)
}

/// Hunts for evidence about properties of a program. Every trace in the report is one of the program without symmetry and has been
/// replayed on it.
///
/// # Panics
///
/// When a trace does not replay: a bug in Fathom.
pub fn hunt_program(
    program: &dyn Runnable,
    options: &ProgramHuntOptions,
    monitor: &mut dyn HuntMonitor,
) -> ProgramHuntReport {
    monitor.begin(1);
    let symmetry = useful(program, options.symmetry);
    let opened = program.open(symmetry, Form::InFull);
    if opened.asks_for_names() {
        return hunt_without_symmetry(program, options, monitor);
    }
    let system = opened.system();
    let threads = options.threads.max(1);
    let hunted = fathom_hunt::HuntOptions {
        properties: options.properties.clone(),
        enough: if options.all { Enough::All } else { Enough::Any },
        max_states: options.max_states,
        threads,
        seed: options.seed,
        attempt_bytes: attempt_bytes(options.max_bytes),
        rest: rest_for(threads),
        ..fathom_hunt::HuntOptions::default()
    };
    let arms = default_arms(&system, &[], options.seed, search_bytes(options.max_bytes, threads));
    let HuntOutcome { outcome, arms, found_by, .. } = fathom_hunt::hunt(&system, &hunted, arms, monitor);
    let fit = (!opened.was_unfit()).then_some(&outcome);
    match fit.and_then(|outcome| report(program, symmetry, &*opened, outcome, threads)) {
        Some(report) => ProgramHuntReport { report, arms, found_by },
        None => hunt_without_symmetry(program, options, monitor),
    }
}

/// Hunts in a program that asks for the names of objects.
fn hunt_without_symmetry(
    program: &dyn Runnable,
    options: &ProgramHuntOptions,
    monitor: &mut dyn HuntMonitor,
) -> ProgramHuntReport {
    let plain = ProgramHuntOptions { symmetry: Symmetry::None, ..options.clone() };
    let hunted = hunt_program(program, &plain, monitor);
    ProgramHuntReport { report: ProgramReport { asks_for_names: true, ..hunted.report }, ..hunted }
}

/// Symmetry where there are objects.
fn useful(program: &dyn Runnable, symmetry: Symmetry) -> Symmetry {
    if program.has_objects() { symmetry } else { Symmetry::None }
}

/// The report of a search; none when something was found that the program cannot do, because it asks for the names of objects.
fn report(
    program: &dyn Runnable,
    symmetry: Symmetry,
    opened: &dyn Opened,
    outcome: &Outcome,
    threads: usize,
) -> Option<ProgramReport> {
    let asked = program.asked();
    let meaning = |property: PropertyId| {
        if asked[property.index()].is_witnessed { Meaning::Witness } else { Meaning::Violation }
    };
    let mut answered = verdicts(outcome, meaning);
    for verdict in &mut answered {
        if let Some(trace) = &mut verdict.trace {
            *trace = opened.unfold(trace)?;
            if let Err(error) = replay_program(program, trace) {
                if symmetry != Symmetry::None {
                    return None;
                }
                panic!(
                    "a trace does not replay: {error}\nprogram: {}\ntrace: {trace:?}\n\
                     this is a bug in Fathom; please report it",
                    program.title()
                );
            }
        }
    }
    let mut statistics = outcome.statistics;
    statistics.store_bytes += opened.heap_size();
    Some(ProgramReport {
        verdicts: answered,
        statistics,
        stop: outcome.stop,
        symmetry,
        asks_for_names: false,
        threads,
        expected_omissions: outcome.expected_omissions,
    })
}

/// Follows a trace of a program without symmetry.
///
/// # Errors
///
/// When the trace does not show what it claims.
pub fn replay_program(program: &dyn Runnable, trace: &Trace) -> Result<Replay<NoRegion, Call>, ReplayError> {
    fathom_search::replay(&program.open(Symmetry::None, Form::InFull).system(), trace)
}
