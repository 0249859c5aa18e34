//! Timed automata: loading them, checking them, and runs with delays.
//!
//! A search of zones finds a list of moves. Before anyone sees it, it becomes a run with delays and is checked by
//! the concrete meaning of the network, which knows nothing of zones.

use fathom_hunt::{Enough, Hooks, IsrOptions, WalkOptions};
use fathom_model::{Answer, Evidence, Fault, PropertyId, Statistics, Stop, Trace, Trust, Verdict};
use fathom_search::{
    Clock, Meaning, Monitor, Options, Order, Outcome, Patience, Profile, Replay, StoreKind,
    breadth_first_regions_parallel, depth_first_regions_parallel, last_first_regions_parallel, verdicts,
};
use fathom_source::{Diagnostic, FileId, FileLoader, LoadError, SourceMap, Span, has_errors};
use fathom_timed::concrete::{ConcreteState, Goal, TimedRun, check_run};
use fathom_timed::extremum::ExtremumAnswer;
use fathom_timed::liveness::ForEver;
use fathom_timed::symmetry::{PlainWay, Symmetry, SymmetryUse, plain_way};
use fathom_timed::timing::schedule;
use fathom_timed::{
    Conjunct, Expr, Network, TimedMove, TimedProperty, TimedQuestion, ZoneOptions, ZoneRegion, ZoneSystem,
    stuck_ends,
};

use crate::ask::Expansion;
use crate::load::{Asked, Language, truncate};
use crate::{timed_linear, timed_questions};

/// A network with the text it comes from and everything there is to say about it.
#[derive(Clone)]
pub struct LoadedTimed {
    /// The files.
    pub sources: SourceMap,
    /// The language.
    pub language: Language,
    /// The file with the model.
    main: FileId,
    /// The network, unless there are errors.
    pub network: Option<Network>,
    /// What can be asked about it.
    pub properties: Vec<TimedProperty>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// What the patterns that were asked stand for.
    pub expansions: Vec<(PropertyId, Expansion)>,
    /// What the network came of, for expressions of IF.
    pub(crate) system: Option<Box<fathom_if::TimedSystem>>,
}

/// Loads a network of timed automata. Problems in the text are diagnostics of the result.
///
/// # Errors
///
/// When the file cannot be loaded.
pub fn load_timed(path: &str, language: Language, loader: &dyn FileLoader) -> Result<LoadedTimed, LoadError> {
    load_timed_with(path, language, loader, &[])
}

/// The same, with definitions for languages that have them.
///
/// # Errors
///
/// When the file cannot be loaded.
pub fn load_timed_with(
    path: &str,
    language: Language,
    loader: &dyn FileLoader,
    defines: &[(String, String)],
) -> Result<LoadedTimed, LoadError> {
    let mut sources = SourceMap::new();
    let mut main = sources.add_loaded(loader.load(path, None)?)?;
    let mut system = None;
    let mut refused = Vec::new();
    if language == Language::Uppaal && !defines.is_empty() {
        match fathom_uppaal::define(main, &sources, defines) {
            Ok(text) => main = sources.add(sources.file(main).name().to_owned(), text),
            Err(problems) => refused = problems,
        }
    }
    let (read, mut diagnostics) = match language {
        Language::Uppaal if !refused.is_empty() => (None, refused),
        Language::Uppaal => fathom_uppaal::read(main, &sources),
        Language::If => {
            let (read, said) = read_if(main, &sources, defines);
            let network = read.as_ref().map(|read| (read.network().clone(), if_properties()));
            system = read.map(Box::new);
            (network, said)
        }
        _ => fathom_tchecker::read(main, &sources),
    };
    truncate(&mut diagnostics);
    let (network, properties) = read.map_or((None, Vec::new()), |(network, found)| (Some(network), found));
    let expansions = Vec::new();
    Ok(LoadedTimed { sources, language, main, network, properties, diagnostics, expansions, system })
}

fn read_if(
    main: FileId,
    sources: &SourceMap,
    defines: &[(String, String)],
) -> (Option<fathom_if::TimedSystem>, Vec<Diagnostic>) {
    let (parsed, mut diagnostics) = fathom_if::parse_system(main, sources);
    let (options, found) = fathom_if::Options::from_defines(defines);
    diagnostics.extend(found);
    // Half a system gives misleading messages: lower only what parsed.
    if has_errors(&diagnostics) {
        return (None, diagnostics);
    }
    let (lowered, found) = fathom_if::lower_timed(&parsed, sources.file(main).name(), sources, options);
    diagnostics.extend(found);
    (lowered, diagnostics)
}

/// What can be asked about every system of IF.
fn if_properties() -> Vec<TimedProperty> {
    let property = |(name, question): (&str, TimedQuestion)| TimedProperty {
        name: name.to_owned(),
        question,
        span: None,
    };
    let asked = [("runtime-error", TimedQuestion::RuntimeError), ("deadlock", TimedQuestion::Deadlock)];
    asked.into_iter().map(property).collect()
}

impl LoadedTimed {
    /// The text of the model.
    pub fn model_text(&self) -> &str {
        self.sources.file(self.main).text()
    }

    /// Adds a property given as text in the language of the network.
    ///
    /// # Errors
    ///
    /// What is wrong with the text; its spans are in [`LoadedTimed::sources`], where the text has become a file.
    pub fn ask(&mut self, asked: Asked, text: &str) -> Result<PropertyId, Vec<Diagnostic>> {
        let Some(network) = &self.network else { return Err(self.diagnostics.clone()) };
        let kind = asked.kind();
        let name = self.free_name(kind);
        let file = self.sources.add(format!("<{name}>"), text);
        let (main, sources) = (self.main, &self.sources);
        let question = match (asked, self.language) {
            (Asked::Reach, Language::Uppaal) => fathom_uppaal::lower_condition(main, file, sources, false)?,
            (Asked::Invariant, Language::Uppaal) => {
                fathom_uppaal::lower_condition(main, file, sources, true)?
            }
            (Asked::Query, Language::Uppaal) => {
                let found = fathom_uppaal::lower_query_file(main, file, sources)?;
                only_one(found.into_iter().map(|(question, _)| question).collect())?
            }
            (Asked::Ltl | Asked::Psl(_) | Asked::Pattern, _) => {
                let state_expr =
                    |file: FileId, sources: &SourceMap| self.lower_state_expr(network, file, sources);
                let (formula, expansion) =
                    timed_linear::read_formula(asked, file, sources, Box::new(state_expr))?;
                let id = PropertyId::from(self.properties.len());
                self.expansions.extend(expansion.map(|expansion| (id, expansion)));
                TimedQuestion::Linear(Box::new(formula))
            }
            (Asked::Reach, Language::If) => self.if_reach(text, true)?,
            (Asked::Invariant, Language::If) => self.if_reach(text, false)?,
            (Asked::Query, Language::If) => only_one(self.if_questions(text)?)?,
            (Asked::Reach, Language::TChecker) => fathom_tchecker::lower_reach(network, file, sources)?,
            (Asked::Invariant, Language::TChecker) => {
                fathom_tchecker::lower_invariant(network, file, sources)?
            }
            _ => {
                let message = format!("--{kind} is not yet supported for timed automata");
                return Err(vec![Diagnostic::error("timed::unsupported", message)]);
            }
        };
        let span = Some(Span { file, start: 0, end: text.len() as u32 });
        self.properties.push(TimedProperty { name, question, span });
        Ok(PropertyId::from(self.properties.len() - 1))
    }

    /// An expression about locations and integers of one state, given as text, to be evaluated by whoever asks.
    ///
    /// # Errors
    ///
    /// What is wrong with the text; its spans are in [`LoadedTimed::sources`], where the text has become a file.
    pub fn state_expr(&mut self, text: &str) -> Result<Expr, Vec<Diagnostic>> {
        let file = self.sources.add("<expression>", text);
        let Some(network) = &self.network else { return Err(self.diagnostics.clone()) };
        self.lower_state_expr(network, file, &self.sources)
    }

    fn lower_state_expr(
        &self,
        network: &Network,
        file: FileId,
        sources: &SourceMap,
    ) -> Result<Expr, Vec<Diagnostic>> {
        match self.language {
            Language::Uppaal => fathom_uppaal::lower_state_expr(self.main, file, sources),
            Language::If => self.if_proposition(file, sources),
            _ => fathom_tchecker::lower_state_expr(network, file, sources),
        }
    }

    /// Adds queries in the language of Uppaal, such as those of a file (`.q`). A list of values is a property for each of them.
    ///
    /// # Errors
    ///
    /// What is wrong with the text.
    pub fn ask_queries(&mut self, name: &str, text: &str) -> Result<Vec<PropertyId>, Vec<Diagnostic>> {
        if self.network.is_none() {
            return Err(self.diagnostics.clone());
        }
        if self.language == Language::If {
            return self.ask_if_queries(text);
        }
        if self.language != Language::Uppaal {
            let message = "queries are for timed automata in the languages of Uppaal and IF";
            return Err(vec![Diagnostic::error("uppaal::query", message)]);
        }
        let file = self.sources.add(name, text);
        let mut found = Vec::new();
        for (question, span) in fathom_uppaal::lower_query_file(self.main, file, &self.sources)? {
            let name = self.free_name("query");
            self.properties.push(TimedProperty { name, question, span: Some(span) });
            found.push(PropertyId::from(self.properties.len() - 1));
        }
        Ok(found)
    }

    pub(crate) fn free_name(&self, kind: &str) -> String {
        (1..)
            .map(|number| format!("{kind}-{number}"))
            .find(|name| self.properties.iter().all(|property| property.name != *name))
            .expect("some number is free")
    }
}

/// The only question of a list.
fn only_one(mut found: Vec<TimedQuestion>) -> Result<TimedQuestion, Vec<Diagnostic>> {
    match (found.pop(), found.is_empty()) {
        (Some(question), true) => Ok(question),
        _ => Err(vec![Diagnostic::error("query::form", "this is not one question")]),
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
    /// Iterated search refinement: pruned searches with tiny tables of bits. Proves nothing.
    Isr,
    /// Random walks. Proves nothing.
    Walk,
}

impl TimedEngine {
    /// The name in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            TimedEngine::BreadthFirst => "bfs",
            TimedEngine::LastFirst => "lifo",
            TimedEngine::DepthFirst => "dfs",
            TimedEngine::Isr => "isr",
            TimedEngine::Walk => "walk",
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
    /// How zones are remembered by breadth-first and depth-first search for single states. A lossy store takes zones for known that are equal
    /// to one before, or that it cannot tell from one.
    pub store: StoreKind,
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
    /// Threads of the search for questions about states. Those about runs, the largest value and the best witness, and searches with a
    /// clock, have one; so does 0.
    pub threads: usize,
    /// The seed of pruned searches and walks.
    pub seed: u64,
    /// For questions about single states: the best witness instead of the first.
    pub best: Option<BestWitness>,
    /// Which states are taken for one.
    pub symmetry: SymmetryUse,
    /// Breadth-first: no run with fewer steps shows the same. Zones that are reached in fewer steps are then kept, though a larger one
    /// may come later.
    pub fewest_steps: bool,
}

impl TimedOptions {
    /// How many threads are at work.
    pub fn n_threads(&self, properties: &[TimedProperty]) -> usize {
        let is_complete = matches!(
            self.engine,
            TimedEngine::BreadthFirst | TimedEngine::LastFirst | TimedEngine::DepthFirst
        );
        let (_, together) = self.apart_and_together(properties);
        let is_search = !together.is_empty() || self.properties.is_empty();
        match is_search && !(is_complete && self.clock.is_some()) {
            true => self.threads.max(1),
            false => 1,
        }
    }

    /// Some questions have searches of their own, each with its place in the list; the others have one together.
    fn apart_and_together(
        &self,
        properties: &[TimedProperty],
    ) -> (Vec<(usize, PropertyId)>, Vec<PropertyId>) {
        let (mut apart, mut together) = (Vec::new(), Vec::new());
        for (number, &property) in self.properties.iter().enumerate() {
            let question = &properties[property.index()].question;
            let is_best = self.best.is_some() && is_about_states(question);
            match question.is_apart() || is_best {
                true => apart.push((number, property)),
                false => together.push(property),
            }
        }
        (apart, together)
    }
}

/// What makes a witness the best one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BestWitness {
    /// It takes the least time.
    Fastest,
    /// It costs least, for networks with a cost.
    Cheapest,
}

/// The answer to one property.
#[derive(Clone, Debug)]
pub struct TimedAnswer {
    /// The verdict.
    pub verdict: Verdict,
    /// The run that shows it, with the states before each delay and the last one.
    pub run: Option<(TimedRun, Vec<ConcreteState>)>,
    /// The move after the run that is a fault, and the fault, where the run shows one.
    pub fault: Option<(Vec<(usize, usize)>, Fault)>,
    /// How the run goes on for ever, where that is asked.
    pub for_ever: Option<ForEver>,
    /// The largest or least value, where that is asked.
    pub value: Option<ExtremumAnswer>,
    /// The cost or time of the best witness, and whether it is only approached.
    pub cost: Option<(i64, bool)>,
    /// The engine that answered a formula; it is not chosen.
    pub engine: Option<&'static str>,
}

impl TimedAnswer {
    pub(crate) fn of(verdict: Verdict) -> TimedAnswer {
        TimedAnswer { verdict, run: None, fault: None, for_ever: None, value: None, cost: None, engine: None }
    }
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
    /// Scalar sets, and sets of processes, whose elements were not told apart.
    pub n_symmetric_sets: usize,
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
/// use fathom_core::model::Answer;
/// use fathom_core::search::NoMonitor;
/// use fathom_core::source::MemoryLoader;
/// use fathom_core::{Asked, Language, TimedOptions, check_timed, load_timed};
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
    let network = &*options.symmetry.prepare(network);
    let (apart, together) = options.apart_and_together(properties);
    let together_is_empty = together.is_empty();
    let mut report = if together_is_empty && !apart.is_empty() {
        let (statistics, stop) = (Statistics::default(), Stop::Exhausted);
        TimedReport { answers: Vec::new(), statistics, stop, profile: None, n_symmetric_sets: 0 }
    } else {
        check_together(
            network,
            properties,
            &TimedOptions { properties: together, ..options.clone() },
            monitor,
        )
    };
    let is_alone = together_is_empty && apart.len() == 1;
    for (number, property) in apart {
        let symmetry = symmetry_of(network, properties, &[property], options);
        report.n_symmetric_sets = report.n_symmetric_sets.max(symmetry.as_ref().map_or(0, Symmetry::n_sets));
        let (answer, cost) = answer_apart(network, property, properties, symmetry.as_ref(), options, monitor);
        report.statistics.states += cost.states;
        report.statistics.expanded += cost.expanded;
        report.statistics.transitions += cost.transitions;
        report.statistics.matched += cost.matched;
        report.statistics.store_bytes += cost.store_bytes;
        report.statistics.max_depth = report.statistics.max_depth.max(cost.max_depth);
        if is_alone {
            report.stop = answer.verdict.stop;
        }
        report.answers.insert(number.min(report.answers.len()), answer);
    }
    report
}

/// Whether a question is about single states, and not about deadlocks.
fn is_about_states(question: &TimedQuestion) -> bool {
    let conjuncts = question.conjuncts();
    !conjuncts.is_empty() && conjuncts.iter().all(|conjunct| conjunct.is_stuck.is_none())
}

pub(crate) fn answer_apart(
    network: &Network,
    property: PropertyId,
    properties: &[TimedProperty],
    symmetry: Option<&Symmetry>,
    options: &TimedOptions,
    monitor: &mut dyn Monitor,
) -> (TimedAnswer, Statistics) {
    let question = &properties[property.index()].question;
    if let Some(looked_for) = question.liveness() {
        return timed_questions::answer_liveness(
            network, property, question, looked_for, symmetry, options, monitor,
        );
    }
    if let TimedQuestion::Extremum(asked) = question {
        return timed_questions::answer_extremum(network, property, asked, symmetry, options, monitor);
    }
    if let TimedQuestion::Linear(asked) = question {
        return timed_linear::answer_linear(network, property, asked, options, monitor);
    }
    let best = match options.best {
        Some(BestWitness::Cheapest) if network.cost.is_some() => BestWitness::Cheapest,
        _ => BestWitness::Fastest,
    };
    timed_questions::answer_best(network, property, question, best, options, monitor)
}

/// The symmetry that counts for some questions. Best witnesses are looked for among all states.
fn symmetry_of(
    network: &Network,
    properties: &[TimedProperty],
    asked: &[PropertyId],
    options: &TimedOptions,
) -> Option<Symmetry> {
    let is_best = |id: &PropertyId| is_about_states(&properties[id.index()].question);
    if options.best.is_some() && asked.iter().any(is_best) {
        return None;
    }
    options.symmetry.symmetry(network, properties, asked)
}

/// One search for all of these.
fn check_together(
    network: &Network,
    properties: &[TimedProperty],
    options: &TimedOptions,
    monitor: &mut dyn Monitor,
) -> TimedReport {
    let symmetry = symmetry_of(network, properties, &options.properties, options);
    let n_symmetric_sets = symmetry.as_ref().map_or(0, Symmetry::n_sets);
    let system = ZoneSystem::new(network, properties, &options.properties, options.zones);
    let system = system.with_symmetry(symmetry);
    let outcome = run(&system, options, monitor);
    let answers = answers_of(&system, properties, &outcome);
    let Outcome { statistics, stop, profile, .. } = outcome;
    TimedReport { answers, statistics, stop, profile, n_symmetric_sets }
}

/// The answers that a search of zones gives, each with a run that was checked.
pub(crate) fn answers_of(
    system: &ZoneSystem<'_>,
    properties: &[TimedProperty],
    outcome: &Outcome,
) -> Vec<TimedAnswer> {
    let meaning = |property: PropertyId| match properties[property.index()].question {
        TimedQuestion::Reach(_) => Meaning::Witness,
        _ => Meaning::Violation,
    };
    verdicts(outcome, meaning)
        .into_iter()
        .map(|mut verdict| {
            // What a lossy search has not found may be there.
            if verdict.trust == Trust::Lossy && verdict.answer == Answer::Violated {
                verdict.answer = Answer::Inconclusive;
            }
            let found = verdict.trace.as_ref().map(|trace| {
                timed_run(system, &properties[verdict.property.index()].question, trace)
                    .unwrap_or_else(|error| does_not_replay(system.network(), trace, &error))
            });
            let (run, fault) = found.map_or((None, None), |(run, fault)| (Some(run), fault));
            TimedAnswer { run, fault, ..TimedAnswer::of(verdict) }
        })
        .collect()
}

fn run(system: &ZoneSystem<'_>, options: &TimedOptions, monitor: &mut dyn Monitor) -> Outcome {
    let search = Options {
        properties: options.properties.clone(),
        continue_after_all: options.continue_after_all,
        patience: Patience::default(),
        max_states: options.max_states,
        // With a bound, of whatever size, nothing that is reached in fewer steps is swallowed.
        max_depth: options.max_depth.or(options.fewest_steps.then_some(u32::MAX)),
        max_bytes: options.max_bytes,
        store: options.store,
        clock: options.clock,
        alarm: monitor.alarm(),
    };
    match options.engine {
        TimedEngine::BreadthFirst => {
            breadth_first_regions_parallel(system, options.threads, &search, monitor)
        }
        TimedEngine::LastFirst => last_first_regions_parallel(system, options.threads, &search, monitor),
        TimedEngine::DepthFirst => {
            let order = options.random_order.map_or(Order::AsGiven, |seed| Order::Random { seed });
            depth_first_regions_parallel(system, options.threads, order, &search, monitor)
        }
        TimedEngine::Isr => {
            let isr = IsrOptions {
                properties: options.properties.clone(),
                enough: Enough::All,
                max_depth: options.max_depth,
                threads: options.threads.max(1),
                seed: options.seed,
                ..IsrOptions::default()
            };
            fathom_hunt::isr(system, &isr, monitor).outcome
        }
        TimedEngine::Walk => {
            let walk = WalkOptions {
                properties: options.properties.clone(),
                enough: Enough::All,
                max_depth: options.max_depth.or(WalkOptions::default().max_depth),
                threads: options.threads.max(1),
                seed: options.seed,
                ..WalkOptions::default()
            };
            fathom_hunt::walk(system, &walk, Hooks { guide: None, lasso: None }, monitor).outcome
        }
    }
}

/// The moves of a trace of zones.
fn way_of(system: &ZoneSystem<'_>, trace: &Trace) -> Result<PlainWay, String> {
    let replay: Replay<ZoneRegion, TimedMove> =
        fathom_search::replay(system, trace).map_err(|error| error.to_string())?;
    let mut initial = fathom_timed::Valuation::default();
    match replay.visits.first() {
        Some(first) => system.layout().decode(&first.state, &mut initial),
        // A fault before the first step: there is nothing to be timed.
        None => return Err("the network cannot start".to_owned()),
    }
    let fault = match (&trace.evidence, replay.finding_labels.first()) {
        (Evidence::Finding { fault: Some(fault), property, .. }, Some(last)) => {
            Some((*property, last.clone(), fault.clone()))
        }
        _ => None,
    };
    if system.symmetry().is_some() {
        let visits: Vec<_> = replay.visits.into_iter().map(|visit| (visit.state, visit.region)).collect();
        let way = plain_way(system, &visits, fault.map(|(property, ..)| property));
        return way.ok_or_else(|| "the way is lost among states that are alike".to_owned());
    }
    let moves = replay.visits.iter().flat_map(|visit| visit.labels.iter().cloned()).collect();
    let fault = fault.map(|(_, last, fault)| (last, fault));
    Ok(PlainWay { initial: initial.locations, moves, fault })
}

/// A run with its states, and the move after it that is a fault, if that is what it shows.
type Shown = ((TimedRun, Vec<ConcreteState>), Option<(Vec<(usize, usize)>, Fault)>);

/// The run with delays that a trace of zones stands for.
fn timed_run(system: &ZoneSystem<'_>, question: &TimedQuestion, trace: &Trace) -> Result<Shown, String> {
    let network = system.network();
    let PlainWay { initial, moves, fault } = way_of(system, trace)?;
    if let Some((last, fault)) = fault {
        let timed = schedule(network, &initial, &moves, &last.edges, &[]);
        let timed = timed.map_err(|error| error.to_string())?;
        let states = check_run(network, &timed, Goal::Fault(&last.edges, &fault));
        let run = (timed, states.map_err(|error| error.to_string())?);
        return Ok((run, Some((last.edges, fault))));
    }
    // Which of the conjuncts is true at the end, or where it is stuck, has to be found out.
    let conjuncts = question.conjuncts();
    let (ends, goal) = match question {
        TimedQuestion::Deadlock => {
            let stuck = Conjunct { is_stuck: Some(true), ..Conjunct::default() };
            (stuck_ends(network, &initial, &moves, &stuck), Goal::Deadlock)
        }
        _ => {
            let ends = |conjunct: &Conjunct| match conjunct.is_stuck {
                None => vec![conjunct.clocks.clone()],
                Some(_) => stuck_ends(network, &initial, &moves, conjunct),
            };
            (conjuncts.iter().flat_map(ends).collect(), Goal::OneOf(conjuncts))
        }
    };
    let mut problem = "nothing is to be shown at the end".to_owned();
    for end in &ends {
        let timed = match schedule(network, &initial, &moves, &[], end) {
            Ok(timed) => timed,
            Err(error) => {
                problem = error.to_string();
                continue;
            }
        };
        match check_run(network, &timed, goal) {
            Ok(states) => return Ok(((timed, states), None)),
            Err(error) => problem = error.to_string(),
        }
    }
    Err(problem)
}

pub(crate) fn does_not_replay(network: &Network, trace: &dyn std::fmt::Debug, error: &str) -> ! {
    panic!(
        "a trace does not replay with numbers for clocks: {error}\n\
         network: {}\ntrace: {trace:?}\n\
         this is a bug in Fathom; please report it together with the model",
        network.name
    )
}
