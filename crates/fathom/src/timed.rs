//! Timed automata: loading them, checking them, and runs with delays.
//!
//! A search of zones finds a list of moves. Before anyone sees it, it becomes a run with delays and is checked by
//! the concrete meaning of the network, which knows nothing of zones.

use fathom_model::{Evidence, PropertyId, Statistics, Stop, Trace, Verdict};
use fathom_search::{
    Clock, Meaning, Monitor, Options, Order, Outcome, Patience, Profile, Replay, StoreKind, breadth_first,
    depth_first, last_first, verdicts,
};
use fathom_source::{Diagnostic, FileLoader, LoadError, SourceMap, Span};
use fathom_timed::concrete::{ConcreteState, Goal, TimedRun, check_run};
use fathom_timed::timing::schedule;
use fathom_timed::{
    Network, TimedMove, TimedProperty, TimedQuestion, ZoneOptions, ZoneRegion, ZoneSystem, stuck_ends,
};

use crate::load::{Asked, Language, truncate};

/// A network with the text it comes from and everything there is to say about it.
#[derive(Clone)]
pub struct LoadedTimed {
    /// The files.
    pub sources: SourceMap,
    /// The language.
    pub language: Language,
    /// The network, unless there are errors.
    pub network: Option<Network>,
    /// What can be asked about it.
    pub properties: Vec<TimedProperty>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Loads a network of timed automata. Problems in the text are diagnostics of the result.
///
/// # Errors
///
/// When the file cannot be loaded.
pub fn load_timed(path: &str, language: Language, loader: &dyn FileLoader) -> Result<LoadedTimed, LoadError> {
    let mut sources = SourceMap::new();
    let main = sources.add_loaded(loader.load(path, None)?)?;
    let (read, mut diagnostics) = fathom_tchecker::read(main, &sources);
    truncate(&mut diagnostics);
    let (network, properties) = read.map_or((None, Vec::new()), |(network, found)| (Some(network), found));
    Ok(LoadedTimed { sources, language, network, properties, diagnostics })
}

impl LoadedTimed {
    /// Adds a property given as text in the language of the network.
    ///
    /// # Errors
    ///
    /// What is wrong with the text; its spans are in [`LoadedTimed::sources`], where the text has become a file.
    pub fn ask(&mut self, asked: Asked, text: &str) -> Result<PropertyId, Vec<Diagnostic>> {
        let Some(network) = &self.network else { return Err(self.diagnostics.clone()) };
        let kind = asked.kind();
        let name = (1..)
            .map(|number| format!("{kind}-{number}"))
            .find(|name| self.properties.iter().all(|property| property.name != *name))
            .expect("some number is free");
        let file = self.sources.add(format!("<{name}>"), text);
        let question = match asked {
            Asked::Reach => fathom_tchecker::lower_reach(network, file, &self.sources)?,
            Asked::Invariant => fathom_tchecker::lower_invariant(network, file, &self.sources)?,
            _ => {
                let message = format!("--{kind} is not yet supported for timed automata");
                return Err(vec![Diagnostic::error("timed::unsupported", message)]);
            }
        };
        let span = Some(Span { file, start: 0, end: text.len() as u32 });
        self.properties.push(TimedProperty { name, question, span });
        Ok(PropertyId::from(self.properties.len() - 1))
    }
}

/// The order in which zones are explored.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum TimedEngine {
    /// Breadth-first.
    #[default]
    BreadthFirst,
    /// The last one reached comes first.
    LastFirst,
    /// Depth-first: the path is the memory.
    DepthFirst,
}

impl TimedEngine {
    /// The name in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            TimedEngine::BreadthFirst => "bfs",
            TimedEngine::LastFirst => "lifo",
            TimedEngine::DepthFirst => "dfs",
        }
    }
}

/// How to check a network.
#[derive(Clone, Debug, Default)]
pub struct TimedOptions {
    /// The order.
    pub engine: TimedEngine,
    /// How zones are made and compared. When deadlocks are asked about, extrapolation is by largest constants and cover by
    /// inclusion at most.
    pub zones: ZoneOptions,
    /// The properties in question.
    pub properties: Vec<PropertyId>,
    /// Explore everything, even when every property has its answer.
    pub continue_after_all: bool,
    /// Most zones to store.
    pub max_states: Option<u64>,
    /// Most steps from an initial state.
    pub max_depth: Option<u32>,
    /// Most bytes of memory for store and frontier.
    pub max_bytes: Option<u64>,
    /// For depth-first search: tries steps in random order, with this seed.
    pub random_order: Option<u64>,
    /// A clock, if a profile is wanted.
    pub clock: Option<Clock>,
}

/// The answer to one property.
#[derive(Clone, Debug)]
pub struct TimedAnswer {
    /// The verdict.
    pub verdict: Verdict,
    /// The run that shows it, with the states before each delay and the last one.
    pub run: Option<(TimedRun, Vec<ConcreteState>)>,
}

/// The answers.
#[derive(Clone, Debug)]
pub struct TimedReport {
    /// The answers, in the order in which they were asked.
    pub answers: Vec<TimedAnswer>,
    /// What they cost.
    pub statistics: Statistics,
    /// Why the search ended.
    pub stop: Stop,
    /// Where the time went, if there was a clock.
    pub profile: Option<Profile>,
}

/// Checks properties of a network. Every run in the report has been checked against the concrete meaning.
///
/// # Panics
///
/// When a trace cannot be followed, timed or checked: a bug in Fathom.
///
/// # Example
///
/// ```
/// use fathom::model::Answer;
/// use fathom::search::NoMonitor;
/// use fathom::source::MemoryLoader;
/// use fathom::{Asked, Language, TimedOptions, check_timed, load_timed};
///
/// let text = "system:lamp\nevent:press\nclock:1:x\nprocess:P\nlocation:P:off{initial:}\nlocation:P:on{invariant: x<=10}\n\
///             edge:P:off:on:press{do: x=0}\nedge:P:on:off:press{provided: x>=5}\n";
/// let loader = MemoryLoader::new().with("lamp.tck", text);
/// let mut loaded = load_timed("lamp.tck", Language::TChecker, &loader).unwrap();
/// let late = loaded.ask(Asked::Reach, "P.on && x > 7").unwrap();
/// let network = loaded.network.unwrap();
/// let options = TimedOptions { properties: vec![late], ..TimedOptions::default() };
/// let report = check_timed(&network, &loaded.properties, &options, &mut NoMonitor);
/// assert_eq!(report.answers[0].verdict.answer, Answer::Holds);
/// let (run, _) = report.answers[0].run.as_ref().unwrap();
/// // Seven and a half, or any other number above seven.
/// assert!(run.last_delay > 7 * run.scale);
/// ```
pub fn check_timed(
    network: &Network,
    properties: &[TimedProperty],
    options: &TimedOptions,
    monitor: &mut dyn Monitor,
) -> TimedReport {
    let system = ZoneSystem::new(network, properties, &options.properties, options.zones);
    let outcome = run(&system, options, monitor);
    let meaning = |property: PropertyId| match properties[property.index()].question {
        TimedQuestion::Reach(_) => Meaning::Witness,
        TimedQuestion::Never(_) | TimedQuestion::RuntimeError | TimedQuestion::Deadlock => Meaning::Violation,
    };
    let answers = verdicts(&outcome, meaning)
        .into_iter()
        .map(|verdict| {
            let run = verdict.trace.as_ref().map(|trace| {
                timed_run(&system, &properties[verdict.property.index()].question, trace)
                    .unwrap_or_else(|error| does_not_replay(network, trace, &error))
            });
            TimedAnswer { verdict, run }
        })
        .collect();
    TimedReport { answers, statistics: outcome.statistics, stop: outcome.stop, profile: outcome.profile }
}

fn run(system: &ZoneSystem<'_>, options: &TimedOptions, monitor: &mut dyn Monitor) -> Outcome {
    let search = Options {
        properties: options.properties.clone(),
        continue_after_all: options.continue_after_all,
        patience: Patience::default(),
        max_states: options.max_states,
        max_depth: options.max_depth,
        max_bytes: options.max_bytes,
        store: StoreKind::Exact,
        clock: options.clock,
    };
    match options.engine {
        TimedEngine::BreadthFirst => breadth_first(system, &search, monitor),
        TimedEngine::LastFirst => last_first(system, &search, monitor),
        TimedEngine::DepthFirst => {
            let order = options.random_order.map_or(Order::AsGiven, |seed| Order::Random { seed });
            depth_first(system, order, &search, monitor)
        }
    }
}

/// The run with delays that a trace of zones stands for, and its states.
fn timed_run(
    system: &ZoneSystem<'_>,
    question: &TimedQuestion,
    trace: &Trace,
) -> Result<(TimedRun, Vec<ConcreteState>), String> {
    let network = system.network();
    let replay: Replay<ZoneRegion, TimedMove> =
        fathom_search::replay(system, trace).map_err(|error| error.to_string())?;
    let mut initial = fathom_timed::Valuation::default();
    match replay.visits.first() {
        Some(first) => system.layout().decode(&first.state, &mut initial),
        // A fault before the first step: there is nothing to be timed.
        None => return Err("the network cannot start".to_owned()),
    }
    let moves: Vec<TimedMove> = replay.visits.iter().flat_map(|visit| visit.labels.iter().cloned()).collect();
    let last = replay.finding_labels.first();
    let fault = match &trace.evidence {
        Evidence::Finding { fault, .. } => fault.as_ref(),
        Evidence::State => None,
    };
    if let (Some(last), Some(fault)) = (last, fault) {
        let timed = schedule(network, &initial.locations, &moves, &last.edges, &[]);
        let timed = timed.map_err(|error| error.to_string())?;
        let states = check_run(network, &timed, Goal::Fault(&last.edges, fault));
        return Ok((timed, states.map_err(|error| error.to_string())?));
    }
    // Which of the conjuncts is true at the end, or where it is stuck, has to be found out.
    let conjuncts = question.conjuncts();
    let (ends, goal) = match question {
        TimedQuestion::Deadlock => (stuck_ends(network, &initial.locations, &moves), Goal::Deadlock),
        _ => {
            let ends = conjuncts.iter().map(|conjunct| conjunct.clocks.clone()).collect();
            (ends, Goal::OneOf(conjuncts))
        }
    };
    let mut problem = "nothing is to be shown at the end".to_owned();
    for end in &ends {
        let timed = match schedule(network, &initial.locations, &moves, &[], end) {
            Ok(timed) => timed,
            Err(error) => {
                problem = error.to_string();
                continue;
            }
        };
        match check_run(network, &timed, goal) {
            Ok(states) => return Ok((timed, states)),
            Err(error) => problem = error.to_string(),
        }
    }
    Err(problem)
}

fn does_not_replay(network: &Network, trace: &Trace, error: &str) -> ! {
    panic!(
        "a trace does not replay with numbers for clocks: {error}\n\
         network: {}\ntrace: {trace:?}\n\
         this is a bug in Fathom; please report it together with the model",
        network.name
    )
}
