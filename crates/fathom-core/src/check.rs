//! Checking: which engine answers which property, and the replay of every trace.

use std::collections::HashMap;

use fathom_model::{
    Answer, Evidence, Fault, Interpreter, Model, Move, NoRegion, PropertyId, Question, Statistics, Stop,
    System, Trace, Trust, Verdict,
};
use fathom_search::{
    Clock, Meaning, Monitor, Options, Order, Outcome, Patience, Profile, Replay, ReplayError, StoreKind,
    breadth_first, breadth_first_parallel, depth_first, depth_first_parallel, verdicts,
};

use fathom_reduce::{PartialOrder, Quotient, Reduced, Symmetry, plain_way};
use fathom_temporal::LinearQuestion;

use crate::branching::{check_branching, replay_branching};
use crate::code::folded_system_of;
use crate::composite_formulas::{ON_COMPOSITE_STATES, check_composite_formulas, one_exploration_will_do};
use crate::insight::{Insight, Satisfying};
use crate::linear::{Exhaustive, Fairness, check_linear, stop_of};
use crate::linear_replay::replay_formula;
use crate::order::order_of;
use crate::reduce::{Reductions, original_trace, reduce_and_fold};
use crate::vacuity::insight_of;

/// The engines that answer questions about single states.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Engine {
    /// Breadth-first: shortest traces.
    #[default]
    BreadthFirst,
    /// Depth-first: the path is the memory.
    DepthFirst,
    /// Best-first: what looks nearest comes next.
    Best,
    /// A*, weighted or not: steps and estimate together.
    AStar,
    /// Random best depth-first: on from what was reached last, to what looks nearest.
    BestDepthFirst,
    /// Beam search: of every layer what looks nearest; a sample.
    Beam,
    /// Branch and bound: the cheapest trace.
    BranchAndBound,
    /// Iterated search refinement: a sample.
    Isr,
    /// Random walks: a sample.
    Walk,
    /// A* over sets of states with abstract distances; everything is a set of values unless a partition says otherwise.
    SymbolicGuided,
    /// Random walks through sets of successors: a sample.
    SymbolicWalk,
}

impl Engine {
    /// The name in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Engine::BreadthFirst => "bfs",
            Engine::DepthFirst => "dfs",
            Engine::Best => "best",
            Engine::AStar => "astar",
            Engine::BestDepthFirst => "best-dfs",
            Engine::Beam => "beam",
            Engine::BranchAndBound => "bnb",
            Engine::Isr => "isr",
            Engine::Walk => "walk",
            Engine::SymbolicGuided => "symbolic-guided",
            Engine::SymbolicWalk => "symbolic-walk",
        }
    }

    /// Whether it works on sets of values, all of them where nothing else is said.
    pub fn is_symbolic(self) -> bool {
        matches!(self, Engine::SymbolicGuided | Engine::SymbolicWalk)
    }

    /// Whether it needs a heuristic or samples.
    pub fn is_for_hunting(self) -> bool {
        !matches!(self, Engine::BreadthFirst | Engine::DepthFirst)
    }
}

/// How steps are computed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Code {
    /// By machine code, made for the model when the run starts; where it cannot be made, by the interpreter.
    #[default]
    Native,
    /// By the reference interpreter.
    Interpreted,
}

impl Code {
    /// The name in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Code::Native => "native",
            Code::Interpreted => "interpreted",
        }
    }
}

/// How to check.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// The engine.
    pub engine: Engine,
    /// How steps are computed.
    pub code: Code,
    /// The properties in question.
    pub properties: Vec<PropertyId>,
    /// Which variables are sets of values, for properties of single states; none are unless it says so.
    pub partition: Option<fathom_symbolic::Partition>,
    /// Explore everything, even when every property has its answer.
    pub continue_after_all: bool,
    /// How long to go on for other properties after the first evidence.
    pub patience: Patience,
    /// Most states to store.
    pub max_states: Option<u64>,
    /// Most steps from an initial state.
    pub max_depth: Option<u32>,
    /// Most bytes of memory for store and frontier.
    pub max_bytes: Option<u64>,
    /// What to remember of each state.
    pub store: StoreKind,
    /// Threads to use; 0 counts as 1. Fewer are used where they would not help: see [`Report::threads`].
    pub threads: usize,
    /// Which reductions to use.
    pub reductions: Reductions,
    /// For depth-first: try steps in a random order with this seed.
    pub random_order: Option<u64>,
    /// For the engines that are guided or sample.
    pub guidance: crate::guidance::Guidance,
    /// Which infinite runs count, for formulas and questions about cycles.
    pub fairness: Fairness,
    /// A clock, if a profile is wanted: see [`Report::profile`]. Then one thread searches.
    pub clock: Option<Clock>,
    /// A formula of computation tree logic holds when it is true in some initial state, not only when it is true in all.
    pub some_initial: bool,
    /// For formulas of computation tree logic: only paths count on which no process that can always move never does.
    pub fair_processes: bool,
    /// Say which parts of formulas that hold do not matter, and which propositions never change: see [`Report::insights`].
    pub vacuity: bool,
    /// Formulas of computation tree logic whose states are wanted: see [`Report::satisfying`].
    pub states_of: Vec<PropertyId>,
    /// How many of these states are wanted with the ways to them.
    pub n_states_shown: usize,
}

impl CheckOptions {
    /// The partition, if it makes anything a set of values, or the engine takes sets of values only.
    pub(crate) fn symbolic_partition(&self) -> Option<&fathom_symbolic::Partition> {
        self.partition.as_ref().filter(|partition| !partition.is_explicit() || self.engine.is_symbolic())
    }
}

/// What is known about the length, or the cost, of the traces of a search.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Optimality {
    /// Nothing: there may be better ones.
    #[default]
    Unknown,
    /// None is shorter.
    Shortest,
    /// None is shorter by more than this factor.
    Within(f64),
    /// None is cheaper, by the cost that was asked for.
    Cheapest,
}

impl Optimality {
    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Optimality::Unknown => "unknown",
            Optimality::Shortest => "shortest",
            Optimality::Within(_) => "within",
            Optimality::Cheapest => "cheapest",
        }
    }
}

/// The answers, and what they cost.
#[derive(Clone, Debug)]
pub struct Report {
    /// One for each property asked, in the order of the options.
    pub verdicts: Vec<Verdict>,
    /// What the search cost; seconds are left to the caller.
    pub statistics: Statistics,
    /// Why the search ended.
    pub stop: Stop,
    /// The reductions that were used.
    pub reductions: Reductions,
    /// How steps were computed.
    pub code: Code,
    /// The threads that searched: one for a small number of states, and where the store or a bound on depth asks
    /// for it.
    pub threads: usize,
    /// With a lossy store: how many states were probably missed, not counting what lies behind them.
    pub expected_omissions: f64,
    /// The engine that answered each property, in the order of the verdicts; none where none did.
    pub engines: Vec<Option<&'static str>>,
    /// What is to be said about heuristics and the length of traces.
    pub note: Option<String>,
    /// For sampled engines: what they have done.
    pub sample: Option<crate::guided::Sample>,
    /// What is known about the length, or the cost, of the traces.
    pub optimality: Optimality,
    /// Whether the states of the model were searched by themselves: then statistics and reductions are those of that
    /// search. Formulas and claims have searches of their own.
    pub searched_states: bool,
    /// Where the time of the search went, if there was a clock: nanoseconds by [`STAGES`](fathom_search::STAGES).
    pub profile: Option<Profile>,
    /// What there is to say about formulas beyond their verdicts; at most one for each property.
    pub insights: Vec<Insight>,
    /// The states that satisfy the formulas asked for, in the order of the options.
    pub satisfying: Vec<Satisfying>,
    /// What there is to say about composite states, if some variables were sets of values.
    pub composite: Option<crate::composite::CompositeReport>,
}

/// Checks properties of a model. Every trace in the report has been replayed on the reference interpreter.
///
/// # Panics
///
/// When a trace does not replay: a bug in Fathom.
///
/// # Example
///
/// ```
/// use fathom_core::{CheckOptions, Language, check, default_properties, load};
/// use fathom_core::model::Answer;
/// use fathom_core::search::NoMonitor;
/// use fathom_core::source::MemoryLoader;
///
/// let loader = MemoryLoader::new().with("m.pml", "byte x; active proctype p() { x = 1; assert(x == 2) }");
/// let loaded = load("m.pml", Language::Promela, &loader, &[]).unwrap();
/// let model = loaded.model.unwrap();
/// let options = CheckOptions { properties: default_properties(&model), ..CheckOptions::default() };
/// let report = check(&model, &options, &mut NoMonitor);
/// assert_eq!(report.verdicts[0].answer, Answer::Holds); // no deadlock
/// assert_eq!(report.verdicts[1].answer, Answer::Violated); // the assertion
/// assert_eq!(report.verdicts[1].trace.as_ref().unwrap().choices.len(), 1);
/// ```
pub fn check(model: &Model, options: &CheckOptions, monitor: &mut dyn Monitor) -> Report {
    let unreduced = CheckOptions { reductions: Reductions::NONE, ..options.clone() };
    let options = if model.has_choices() { &unreduced } else { options };
    let everything;
    let options = match options.engine.is_symbolic() && options.symbolic_partition().is_none() {
        true => {
            let partition = Some(fathom_symbolic::Partition::symbolic(model));
            everything = CheckOptions { partition, ..options.clone() };
            &everything
        }
        false => options,
    };
    let mut n_cuts = model.listing.n_cuts();
    let n_given_up = model.listing.n_given_up();
    if options.engine.is_for_hunting() && options.symbolic_partition().is_none() {
        model.listing.heed(monitor.alarm());
        let mut report = crate::guided::check_guided(model, options, monitor);
        model.listing.heed(None);
        if model.listing.n_cuts() > n_cuts || model.listing.n_given_up() > n_given_up {
            doubt(&mut report, options.some_initial, reason_to_stop(monitor));
        }
        return report;
    }
    let question = |property: PropertyId| &model.properties[property.index()].question;
    let safety: Vec<PropertyId> =
        options.properties.iter().copied().filter(|&property| question(property).is_safety()).collect();
    let formulas: Vec<PropertyId> = options
        .properties
        .iter()
        .copied()
        .filter(|&property| {
            let asked = question(property);
            matches!(asked, Question::Ctl(_) | Question::Ltl(_) | Question::Psl(_) | Question::Automaton(_))
        })
        .collect();
    let mut on_composite = options
        .symbolic_partition()
        .filter(|_| !formulas.is_empty() && !safety.is_empty() && one_exploration_will_do(options))
        .and_then(|partition| {
            check_composite_formulas(model, partition, (&safety, &formulas), options, monitor)
        });
    let explored = on_composite.as_mut().and_then(|done| done.safety.take());
    let mut engine = options.engine.name();
    let mut report = match explored {
        None => check_states(model, safety, options, monitor),
        Some((verdicts, statistics)) => {
            engine = ON_COMPOSITE_STATES;
            let nothing_asked = check_states(model, Vec::new(), options, monitor);
            Report { verdicts, statistics, searched_states: true, ..nothing_asked }
        }
    };
    // What composite states do not answer is answered by complete engines on explicit ones.
    let complete = CheckOptions { engine: Engine::BreadthFirst, ..options.clone() };
    let options = if options.engine.is_for_hunting() { &complete } else { options };
    let mut answered = std::mem::take(&mut report.verdicts).into_iter();
    let branching: Vec<PropertyId> = options
        .properties
        .iter()
        .copied()
        .filter(|&property| matches!(question(property), Question::Ctl(_)))
        .collect();
    let mut answered_on_composite: HashMap<PropertyId, (Searched, Option<Insight>)> = HashMap::new();
    let mut counted_on_composite = None;
    let done = on_composite.or_else(|| {
        let partition = options.symbolic_partition()?;
        check_composite_formulas(model, partition, (&[], &formulas), options, monitor)
    });
    if let Some(done) = done {
        report.composite = report.composite.or(done.report);
        let answered = formulas.iter().zip(done.answers);
        answered_on_composite =
            answered.filter_map(|(&property, answer)| Some((property, answer?))).collect();
        counted_on_composite = done.satisfying;
        // Composite states hold all outcomes; they are listed for traces only.
        n_cuts = model.listing.n_cuts();
    }
    let uncounted = CheckOptions { states_of: Vec::new(), ..options.clone() };
    let options = if counted_on_composite.is_some() { &uncounted } else { options };
    let branching: Vec<PropertyId> =
        branching.into_iter().filter(|property| !answered_on_composite.contains_key(property)).collect();
    let branched = check_branching(model, &branching, options, monitor);
    let mut branched_answers = branched.answers.into_iter();
    report.satisfying = counted_on_composite.unwrap_or(branched.satisfying);
    if let Some(outcome) = branched.outcome.as_ref().filter(|_| !report.searched_states) {
        report.add_cost(outcome, 1);
    }
    for &property in &options.properties {
        if question(property).is_safety() {
            report.verdicts.push(answered.next().expect("an answer for every property asked"));
            report.engines.push(Some(engine));
            continue;
        }
        if let Some((searched, insight)) = answered_on_composite.remove(&property) {
            report.insights.extend(insight);
            report.add(searched);
            continue;
        }
        if let Question::Ctl(_) = question(property) {
            let (searched, insight) = branched_answers.next().expect("an answer for every formula asked");
            report.insights.extend(insight);
            report.add(searched);
            continue;
        }
        let mut engine = Exhaustive::new(options, &mut *monitor);
        let searched = check_linear(model, property, options.code, &mut engine);
        let searched = searched.unwrap_or_else(|| Searched::without_search(unsupported(property)));
        if options.vacuity {
            report.insights.extend(insight_of(model, &searched.verdict, options, monitor));
        }
        report.add(searched);
    }
    if !report.searched_states {
        report.stop = stop_of(&report.verdicts);
    }
    let unknown = report.satisfying.iter().map(|counted| counted.stop).find(|&stop| stop != Stop::Exhausted);
    if let (Stop::Exhausted, Some(stop)) = (report.stop, unknown) {
        report.stop = stop;
    }
    if model.listing.n_cuts() > n_cuts || model.listing.n_given_up() > n_given_up {
        doubt(&mut report, options.some_initial, reason_to_stop(monitor));
    }
    for verdict in &report.verdicts {
        if let Some(trace) = &verdict.trace {
            replay(model, verdict.property, trace);
        }
    }
    report
}

/// Whether a trace shows nothing but that outcomes were left out. It is taken back by [`doubt`], and is not followed: when the time was over, whoever
/// follows it finds all of them.
pub(crate) fn remarks_on_cut(trace: &Trace) -> bool {
    matches!(trace.evidence, Evidence::Finding { fault: Some(Fault::TooManyOutcomes), .. })
}

/// Why outcomes were left out: the time is over, or there are too many.
fn reason_to_stop(monitor: &mut dyn Monitor) -> Stop {
    let nothing = fathom_search::Progress { states: 0, transitions: 0, depth: 0, pending: 0, bytes: 0 };
    monitor.poll(&nothing).unwrap_or(Stop::States)
}

/// Takes back what is claimed of all states where not all were made. What was found stays found, but for the remark that
/// there is more than can be listed.
pub(crate) fn doubt(report: &mut Report, some_initial: bool, stop: Stop) {
    for verdict in &mut report.verdicts {
        if verdict.trace.as_ref().is_some_and(remarks_on_cut) {
            (verdict.answer, verdict.trace) = (Answer::Inconclusive, None);
            (verdict.stop, verdict.trust) = (stop, Trust::Sampled);
        }
        let is_found = match verdict.answer {
            Answer::Holds => some_initial,
            Answer::Violated => !some_initial || verdict.trace.is_some(),
            Answer::Inconclusive => continue,
        };
        if !is_found {
            verdict.answer = Answer::Inconclusive;
            verdict.stop = stop;
        }
        verdict.trust = Trust::Sampled;
    }
    for satisfying in &mut report.satisfying {
        satisfying.stop = stop;
    }
    report.stop = stop;
}

/// The answer to a property that has a search of its own.
pub(crate) struct Searched {
    /// The answer.
    pub(crate) verdict: Verdict,
    /// What the search has seen.
    pub(crate) outcome: Option<Outcome>,
    /// The threads that searched.
    pub(crate) threads: usize,
    /// The engine that searched, when it is not the one asked for.
    pub(crate) engine: Option<&'static str>,
    /// The reductions that were used.
    pub(crate) reductions: Reductions,
}

impl Searched {
    /// An answer that took no search.
    pub(crate) fn without_search(verdict: Verdict) -> Searched {
        Searched { verdict, outcome: None, threads: 1, engine: None, reductions: Reductions::NONE }
    }
}

impl Report {
    /// Adds the answer of a search of its own. What it cost counts when no states were searched for other properties.
    fn add(&mut self, searched: Searched) {
        if !self.searched_states {
            self.count(&searched);
        }
        self.engines.push(searched.engine);
        self.verdicts.push(searched.verdict);
    }

    /// Adds what a search of its own cost.
    pub(crate) fn count(&mut self, searched: &Searched) {
        if let Some(outcome) = &searched.outcome {
            self.add_cost(outcome, searched.threads);
            self.reductions = self.reductions.and_also(searched.reductions);
        }
    }

    fn add_cost(&mut self, outcome: &Outcome, threads: usize) {
        let (total, cost) = (&mut self.statistics, outcome.statistics);
        total.states += cost.states;
        total.transitions += cost.transitions;
        total.matched += cost.matched;
        total.max_depth = total.max_depth.max(cost.max_depth);
        total.store_bytes = total.store_bytes.max(cost.store_bytes);
        self.threads = self.threads.max(threads);
        self.expected_omissions += outcome.expected_omissions;
    }
}

/// Answers the properties that are about single states, in one search.
pub(crate) fn check_states(
    model: &Model,
    safety: Vec<PropertyId>,
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
) -> Report {
    let question = |property: PropertyId| &model.properties[property.index()].question;
    let is_asked = !safety.is_empty() || options.properties.is_empty() && options.states_of.is_empty();
    let wanted = if safety.is_empty() { Reductions::NONE } else { options.reductions };
    let mut report = Report {
        verdicts: Vec::new(),
        statistics: Statistics::default(),
        stop: Stop::Exhausted,
        reductions: wanted,
        code: options.code,
        threads: 1,
        expected_omissions: 0.0,
        profile: None,
        note: None,
        engines: Vec::new(),
        sample: None,
        optimality: Optimality::Unknown,
        searched_states: is_asked,
        insights: Vec::new(),
        satisfying: Vec::new(),
        composite: None,
    };
    if !is_asked {
        return report;
    }
    if let Some(partition) = options.symbolic_partition() {
        model.listing.heed(monitor.alarm());
        let check = match options.engine.is_symbolic() {
            true => crate::symbolic_guided::check_symbolic,
            false => crate::composite::check_composite,
        };
        let report = check(model, partition, &safety, options, monitor, report);
        model.listing.heed(None);
        return report;
    }
    let (reduced, symmetry) = reduce_and_fold(model, &safety, wanted);
    let order = order_of(&reduced, &safety, wanted.partial_order);
    let (system, code) = folded_system_of(&reduced, &safety, options.code, order.clone(), symmetry.clone());
    report.code = code;
    model.listing.heed(monitor.alarm());
    let (outcome, threads) = run(&system, options, safety.clone(), monitor);
    model.listing.heed(None);
    report.reductions = Reductions { partial_order: order.is_some(), symmetry: symmetry.is_some(), ..wanted };
    let answered = verdicts(&outcome, |property| Meaning::of(question(property))).into_iter();
    let explored = Explored::new(&reduced, &safety, order, symmetry);
    report.verdicts = answered.map(|verdict| explored.on_original(model, verdict)).collect();
    report.statistics = outcome.statistics;
    report.stop = outcome.stop;
    report.threads = threads;
    report.expected_omissions = outcome.expected_omissions;
    report.profile = outcome.profile;
    report
}

/// A reduced model as it was explored, interpreted.
struct Explored<'m> {
    interpreter: Interpreter<'m>,
    ordered: Option<Reduced<Interpreter<'m>>>,
    symmetry: Option<Symmetry>,
}

impl<'m> Explored<'m> {
    fn new(
        reduced: &'m Model,
        asked: &[PropertyId],
        order: Option<PartialOrder>,
        symmetry: Option<Symmetry>,
    ) -> Explored<'m> {
        let interpreter = Interpreter::new(reduced, asked);
        let ordered = order.map(|order| Reduced::of(interpreter.clone(), order));
        Explored { interpreter, ordered, symmetry }
    }

    /// A verdict about it as one about the original.
    fn on_original(&self, original: &Model, verdict: Verdict) -> Verdict {
        let Some(trace) = &verdict.trace else { return verdict };
        if remarks_on_cut(trace) {
            return verdict;
        }
        let moved = match (&self.symmetry, &self.ordered) {
            (None, Some(ordered)) => original_trace(original, ordered, verdict.property, trace),
            (None, None) => original_trace(original, &self.interpreter, verdict.property, trace),
            (Some(symmetry), Some(ordered)) => self.unfold(symmetry, ordered, original, &verdict),
            (Some(symmetry), None) => self.unfold(symmetry, &self.interpreter, original, &verdict),
        };
        let trace = moved.unwrap_or_else(|error| does_not_replay(original, trace, &error));
        Verdict { trace: Some(trace), ..verdict }
    }

    /// The trace of the original that a trace through classes of states stands for.
    fn unfold<S: System<Region = NoRegion, Label = Move>>(
        &self,
        symmetry: &Symmetry,
        folded: &S,
        original: &Model,
        verdict: &Verdict,
    ) -> Result<Trace, ReplayError> {
        let trace = verdict.trace.as_ref().expect("a verdict with a trace");
        let quotient = Quotient::of(folded, symmetry.clone());
        let plain = plain_way(symmetry, &quotient, &self.interpreter, trace)
            .ok_or(ReplayError::NoSuchInitial { index: trace.initial, n_initial: 0 })?;
        original_trace(original, &self.interpreter, verdict.property, &plain)
    }
}

/// Up to this many states one thread is as fast as many.
pub(crate) const FEW_STATES: u64 = 20_000;

/// The threads that can be used: only the exact store is shared, and a bound on depth needs one thread in depth-first
/// order.
fn most_threads(options: &CheckOptions) -> usize {
    let bounded = options.engine == Engine::DepthFirst && options.max_depth.is_some();
    let is_watched = options.clock.is_some();
    if options.store == StoreKind::Exact && !bounded && !is_watched { options.threads.max(1) } else { 1 }
}

/// Searches on one thread and, when there are more than a few states, again on all. Gives the number of threads of
/// the search that counts.
pub(crate) fn run<S: System + Sync>(
    system: &S,
    options: &CheckOptions,
    properties: Vec<PropertyId>,
    monitor: &mut dyn Monitor,
) -> (Outcome, usize) {
    let threads = most_threads(options);
    let is_limited = options.max_states.is_some_and(|most| most <= FEW_STATES);
    if threads > 1 {
        let few = CheckOptions {
            max_states: if is_limited { options.max_states } else { Some(FEW_STATES) },
            ..options.clone()
        };
        let outcome = run_on(system, 1, &few, properties.clone(), monitor);
        if outcome.stop != Stop::States || is_limited {
            return (outcome, 1);
        }
    }
    (run_on(system, threads, options, properties, monitor), threads)
}

fn run_on<S: System + Sync>(
    system: &S,
    threads: usize,
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
        store: options.store,
        clock: options.clock,
        alarm: monitor.alarm(),
    };
    let order = options.random_order.map_or(Order::AsGiven, |seed| Order::Random { seed });
    match (options.engine, threads) {
        (Engine::BreadthFirst, 1) => breadth_first(system, &search, monitor),
        (Engine::BreadthFirst, threads) => breadth_first_parallel(system, threads, &search, monitor),
        (Engine::DepthFirst, 1) => depth_first(system, order, &search, monitor),
        (Engine::DepthFirst, threads) => depth_first_parallel(system, threads, order, &search, monitor),
        (engine, _) => unreachable!("{engine:?} has an entry of its own"),
    }
}

/// No engine looks at such a property yet: it is never said to hold.
pub(crate) fn unsupported(property: PropertyId) -> Verdict {
    Verdict {
        property,
        answer: Answer::Inconclusive,
        trust: Trust::Sampled,
        stop: Stop::Unsupported,
        trace: None,
    }
}

/// Follows a trace that is evidence about a property on the reference interpreter.
///
/// # Panics
///
/// When the trace does not show what it claims: a bug in Fathom.
pub fn replay(model: &Model, property: PropertyId, trace: &Trace) -> Replay<NoRegion, Move> {
    match try_replay(model, property, trace) {
        Ok(replay) => replay,
        Err(error) => does_not_replay(model, trace, &error),
    }
}

pub(crate) fn does_not_replay(model: &Model, trace: &Trace, error: &ReplayError) -> ! {
    panic!(
        "a trace does not replay on the reference interpreter: {error}\n\
         model: {}\ntrace: {trace:?}\n\
         this is a bug in Fathom; please report it together with the model",
        model.name
    )
}

/// Like [`replay`], for a trace that may not belong to the model.
///
/// # Errors
///
/// When the trace does not show what it claims.
pub fn try_replay(
    model: &Model,
    property: PropertyId,
    trace: &Trace,
) -> Result<Replay<NoRegion, Move>, ReplayError> {
    if let Some(question) = LinearQuestion::new(model, property) {
        return replay_formula(&question, trace);
    }
    if let Question::Ctl(_) = model.properties[property.index()].question {
        return replay_branching(model, property, trace);
    }
    fathom_search::replay(&Interpreter::new(model, &[property]), trace)
}

/// What is asked when the user asks nothing: everything in the model but what is asked on request only.
pub fn default_properties(model: &Model) -> Vec<PropertyId> {
    let is_asked = |property: &PropertyId| !model.properties[property.index()].question.is_on_request();
    (0..model.properties.len()).map(PropertyId::from).filter(is_asked).collect()
}

/// Whether a property is one that the author wrote as a claim, and not one that every model has.
pub fn is_claim(question: &Question) -> bool {
    !question.is_safety()
}
