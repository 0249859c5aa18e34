//! Hunting: sampled and guided engines on a model, and the replay of what they find.
//!
//! [`hunt()`] divides the time among many engines; `guided` runs one of them alone. All work on the model without what
//! nobody asks about and with dead values forgotten, which leaves the number of steps alone, unless other reductions
//! are asked for; traces are those of the model as written, and replayed.

use fathom_hunt::{Arm, ArmRow, HuntMonitor, Rest, default_arms};
use fathom_model::{
    Answer, Interpreter, Model, NoRegion, PropertyId, Question, Stop, System, Trace, Verdict,
};
use fathom_reduce::{PartialOrder, Reduced};
use fathom_search::{Meaning, Outcome, Progress, verdicts};

use crate::check::{Code, Optimality, Report, doubt, remarks_on_cut, replay, unsupported};
use crate::code::system_of;
use crate::guidance::{Guidance, Guides, heuristics_for_hunt};
use crate::guided::with_monitor;
use crate::hunt_linear::{LinearHunt, without_search};
use crate::linear::{check_linear, stop_of};
use crate::order::order_of;
use crate::reduce::{Reductions, original_trace};
use crate::symbolic_arms::{Shared, composites, symbolic_arms};

/// How to hunt.
#[derive(Clone, Debug, Default)]
pub struct HuntOptions {
    /// The properties in question.
    pub properties: Vec<PropertyId>,
    /// Go on until there is evidence about every property.
    pub all: bool,
    /// Heuristics and seed.
    pub guidance: Guidance,
    /// How steps are computed.
    pub code: Code,
    /// Most states of all arms together.
    pub max_states: Option<u64>,
    /// Most bytes of memory for searches that remember what they saw.
    pub max_bytes: Option<u64>,
    /// Threads to use; 0 counts as 1.
    pub threads: usize,
    /// Arms on sets of values beside the others: guided search over diagrams, and walks through sets of successors.
    pub symbolic: bool,
}

/// What came of a hunt.
#[derive(Clone, Debug)]
pub struct HuntReport {
    /// The answers, and what they cost.
    pub report: Report,
    /// What each arm did; empty when the complete attempt answered everything.
    pub arms: Vec<ArmRow>,
    /// Which arm found the evidence about each property; none for the complete attempt, and where there is none.
    pub found_by: Vec<Option<String>>,
    /// The heuristics that guided.
    pub heuristics: Vec<&'static str>,
}

/// Bytes for searches that remember what they saw, unless said otherwise.
const SEARCH_BYTES: u64 = 512 << 20;

/// Bytes of the complete attempt that a hunt begins with, unless there is less.
const ATTEMPT_BYTES: u64 = 256 << 20;

/// Slices that are spent on shorter traces with one thread, at least.
const REST_SLICES: u64 = 5;

/// What is done after the first trace: with one thread counted in states, so that the seed alone decides.
pub(crate) fn rest_for(threads: usize) -> Rest {
    if threads <= 1 { Rest::Counted { slices: REST_SLICES } } else { Rest::UpToMonitor }
}

/// Bytes for one search that remembers what it saw. As many run at once as there are threads, and the complete one has twice as much.
pub(crate) fn search_bytes(max_bytes: Option<u64>, threads: usize) -> u64 {
    let threads = threads.max(1) as u64;
    let share = max_bytes.map_or(u64::MAX, |bytes| bytes / (threads + 1));
    share.min(SEARCH_BYTES / threads)
}

/// Bytes for the complete attempt, before there are any others.
pub(crate) fn attempt_bytes(max_bytes: Option<u64>) -> u64 {
    max_bytes.unwrap_or(u64::MAX).min(ATTEMPT_BYTES)
}

/// Hunts for evidence about properties of a model. Every trace in the report has been replayed on the reference
/// interpreter. Without evidence a property is inconclusive, unless the complete attempt explored everything.
///
/// # Panics
///
/// When a trace does not replay: a bug in Fathom.
///
/// # Example
///
/// ```
/// use fathom_core::{HuntOptions, Language, default_properties, hunt, load};
/// use fathom_core::model::{Answer, Stop};
/// use fathom_core::hunting::ArmRow;
/// use fathom_core::search::Progress;
/// use fathom_core::source::MemoryLoader;
///
/// let text = "int x; active proctype p() { do :: x++ :: x-- od } active proctype q() { assert(x < 400) }";
/// let loader = MemoryLoader::new().with("m.pml", text);
/// let model = load("m.pml", Language::Promela, &loader, &[]).unwrap().model.unwrap();
/// let options = HuntOptions { properties: default_properties(&model), ..HuntOptions::default() };
/// let found = hunt(&model, &options, &mut |_: &Progress, _: &[ArmRow]| None::<Stop>);
/// assert_eq!(found.report.verdicts[1].answer, Answer::Violated);
/// assert_eq!(found.report.verdicts[1].trace.as_ref().unwrap().choices.len(), 400);
/// ```
pub fn hunt(model: &Model, options: &HuntOptions, monitor: &mut dyn HuntMonitor) -> HuntReport {
    let (n_cuts, n_given_up) = (model.listing.n_cuts(), model.listing.n_given_up());
    let safety = safety_of(model, &options.properties);
    let linear = linear_of(model, &options.properties);
    let n_questions = (usize::from(!safety.is_empty()) + linear.len()).max(1);
    let max_states = options.max_states.map(|states| states / n_questions as u64);
    let mut hunted = hunt_states(model, &HuntOptions { max_states, ..options.clone() }, n_questions, monitor);
    for (number, property) in linear.iter().enumerate() {
        let mut traces = hunted.report.verdicts.iter().filter_map(|verdict| verdict.trace.as_ref());
        let is_found = traces.any(|trace| !remarks_on_cut(trace));
        if is_found && !options.all {
            let open = Verdict { stop: Stop::Found, ..unsupported(*property) };
            hunted.answer(&options.properties, open, None);
            continue;
        }
        monitor.begin(linear.len() - number);
        let mut engine =
            LinearHunt { options, max_states, monitor: &mut *monitor, arms: Vec::new(), found_by: None };
        let Some(searched) = check_linear(model, *property, options.code, &mut engine) else { continue };
        let LinearHunt { arms, found_by, .. } = engine;
        if let Some(trace) = &searched.verdict.trace {
            replay(model, *property, trace);
        }
        let name = &model.properties[property.index()].name;
        let arms = arms.into_iter().map(|row| ArmRow { name: format!("{name}: {}", row.name), ..row });
        hunted.arms.extend(arms);
        hunted.answer(&options.properties, searched.verdict.clone(), found_by);
        hunted.report.count(&searched);
    }
    if !linear.is_empty() {
        hunted.report.stop = stop_of(&hunted.report.verdicts);
    }
    if model.listing.n_cuts() > n_cuts || model.listing.n_given_up() > n_given_up {
        hunted.doubt();
    }
    hunted
}

impl HuntReport {
    /// Takes back what cannot be claimed because outcomes of some step were left out.
    fn doubt(&mut self) {
        doubt(&mut self.report, false, Stop::States);
        for (found_by, verdict) in self.found_by.iter_mut().zip(&self.report.verdicts) {
            if verdict.answer == Answer::Inconclusive {
                *found_by = None;
            }
        }
        if self.report.verdicts.iter().all(|verdict| verdict.trace.is_none()) {
            self.report.stop = Stop::States;
        }
    }

    /// Puts an answer in its place.
    fn answer(&mut self, asked: &[PropertyId], verdict: Verdict, found_by: Option<String>) {
        if let Some(place) = asked.iter().position(|&property| property == verdict.property) {
            self.found_by[place] = found_by;
            self.report.verdicts[place] = verdict;
        }
    }
}

/// Hunts for evidence about the properties of single states.
fn hunt_states(
    model: &Model,
    options: &HuntOptions,
    n_questions: usize,
    monitor: &mut dyn HuntMonitor,
) -> HuntReport {
    let safety = safety_of(model, &options.properties);
    let reduced = options.guidance.prepare(model, &safety);
    let ground = Ground::new(model, &reduced, &safety, options.guidance.reductions());
    monitor.begin(n_questions);
    let mut watched = |progress: &Progress| monitor.poll(progress, &[]);
    let (heuristics, _) = with_monitor(&mut watched, |goes_on| {
        heuristics_for_hunt(&reduced, &safety, &options.guidance, goes_on)
    });
    let guides = Guides::new(heuristics, options.guidance.reversed);
    let (found, code) = if safety.is_empty() {
        let outcome = without_search(&safety, Stop::Exhausted);
        let (arms, found_by, is_shortest) = Default::default();
        (fathom_hunt::HuntOutcome { outcome, arms, found_by, is_shortest }, options.code)
    } else {
        // Steps that partial order leaves out have numbers of their own.
        let is_symbolic = options.symbolic && ground.order.is_none();
        let composites = if is_symbolic { composites(&reduced, &safety) } else { Vec::new() };
        let shared: Vec<Shared<'_, '_>> = composites.iter().map(Shared::new).collect();
        let mut hunting = Hunting { options, safety: &safety, guides: &guides, shared: &shared, monitor };
        ground.on_system(options.code, &mut hunting)
    };
    let found_by = options.properties.iter().map(|property| {
        let index = safety.iter().position(|asked| asked == property)?;
        found.found_by.get(index).cloned().flatten()
    });
    let report = ground.report(&options.properties, &found.outcome, options.threads.max(1), code);
    let reductions = report.reductions;
    let is_shortest = |(at, (_, trace)): (usize, &(PropertyId, Option<Trace>))| {
        trace.is_none() || found.is_shortest.get(at) == Some(&true)
    };
    let has_trace = found.outcome.evidence.iter().any(|(_, trace)| trace.is_some());
    let keeps_steps = !reductions.fuse && !reductions.partial_order;
    let optimality =
        match has_trace && keeps_steps && found.outcome.evidence.iter().enumerate().all(is_shortest) {
            true => Optimality::Shortest,
            false => Optimality::Unknown,
        };
    HuntReport {
        report: Report { optimality, ..report },
        found_by: found_by.collect(),
        arms: found.arms,
        heuristics: guides.names(),
    }
}

/// A hunt, on whatever system it is.
struct Hunting<'a, 'm> {
    options: &'a HuntOptions,
    safety: &'a [PropertyId],
    guides: &'a Guides<'m>,
    shared: &'a [Shared<'a, 'm>],
    monitor: &'a mut dyn HuntMonitor,
}

impl OnSystem for Hunting<'_, '_> {
    type Result = fathom_hunt::HuntOutcome;

    fn run<S: System<Region = NoRegion> + Sync>(&mut self, system: &S) -> fathom_hunt::HuntOutcome {
        let seed = self.options.guidance.seed;
        let more = if self.shared.is_empty() { Vec::new() } else { symbolic_arms(self.shared, seed) };
        hunt_on(system, self.options, self.safety, self.guides, more, self.monitor)
    }
}

fn hunt_on<S: System<Region = NoRegion> + Sync>(
    system: &S,
    options: &HuntOptions,
    safety: &[PropertyId],
    guides: &Guides<'_>,
    more: Vec<Box<dyn Arm + '_>>,
    monitor: &mut dyn HuntMonitor,
) -> fathom_hunt::HuntOutcome {
    let enough = if options.all { fathom_hunt::Enough::All } else { fathom_hunt::Enough::Any };
    let threads = options.threads.max(1);
    let hunted = fathom_hunt::HuntOptions {
        properties: safety.to_vec(),
        enough,
        max_states: options.max_states,
        threads,
        seed: options.guidance.seed,
        attempt_bytes: attempt_bytes(options.max_bytes),
        rest: rest_for(threads),
        ..fathom_hunt::HuntOptions::default()
    };
    let bytes = search_bytes(options.max_bytes, threads);
    let named = guides.named();
    let mut arms: Vec<Box<dyn Arm + '_>> = default_arms(system, &named, options.guidance.seed, bytes);
    arms.extend(more);
    fathom_hunt::hunt(system, &hunted, arms, monitor)
}

pub(crate) fn linear_of(model: &Model, properties: &[PropertyId]) -> Vec<PropertyId> {
    let is_linear = |property: &PropertyId| {
        matches!(
            model.properties[property.index()].question,
            Question::Ltl(_) | Question::Psl(_) | Question::Claim(_) | Question::Automaton(_)
        )
    };
    properties.iter().copied().filter(is_linear).collect()
}

pub(crate) fn safety_of(model: &Model, properties: &[PropertyId]) -> Vec<PropertyId> {
    let is_safety = |property: &PropertyId| model.properties[property.index()].question.is_safety();
    properties.iter().copied().filter(is_safety).collect()
}

/// Something to be done on a system, native or interpreted, with an order of steps chosen or not.
pub(crate) trait OnSystem {
    /// What comes of it.
    type Result;

    /// Does it.
    fn run<S: System<Region = NoRegion> + Sync>(&mut self, system: &S) -> Self::Result;
}

/// The model that is searched, beside the one as written.
pub(crate) struct Ground<'m> {
    model: &'m Model,
    reduced: &'m Model,
    safety: Vec<PropertyId>,
    interpreter: Interpreter<'m>,
    order: Option<PartialOrder>,
    reductions: Reductions,
}

impl<'m> Ground<'m> {
    pub fn new(
        model: &'m Model,
        reduced: &'m Model,
        safety: &[PropertyId],
        reductions: Reductions,
    ) -> Ground<'m> {
        let order = order_of(reduced, safety, reductions.partial_order);
        let reductions = Reductions { partial_order: order.is_some(), symmetry: false, ..reductions };
        let interpreter = Interpreter::new(reduced, safety);
        Ground { model, reduced, safety: safety.to_vec(), interpreter, order, reductions }
    }

    /// Does something on the system to search, and says how its steps are computed.
    pub fn on_system<W: OnSystem>(&self, code: Code, work: &mut W) -> (W::Result, Code) {
        let (system, code) = system_of(self.reduced, &self.safety, code, self.order.clone());
        (work.run(&system), code)
    }

    /// The answers about the model as written, with every trace replayed.
    pub fn report(&self, asked: &[PropertyId], outcome: &Outcome, threads: usize, code: Code) -> Report {
        let question = |property: PropertyId| &self.model.properties[property.index()].question;
        let mut answered = verdicts(outcome, |property| Meaning::of(question(property))).into_iter();
        let verdict = |&property: &PropertyId| match question(property).is_safety() {
            true => self.on_original(answered.next().expect("an answer for every property asked")),
            false => unsupported(property),
        };
        Report {
            verdicts: asked.iter().map(verdict).collect(),
            statistics: outcome.statistics,
            stop: outcome.stop,
            reductions: self.reductions,
            code,
            threads,
            expected_omissions: 0.0,
            profile: None,
            engines: vec![None; asked.len()],
            searched_states: true,
            note: None,
            sample: None,
            insights: Vec::new(),
            satisfying: Vec::new(),
            composite: None,
            optimality: Optimality::Unknown,
        }
    }

    fn on_original(&self, verdict: Verdict) -> Verdict {
        let Some(trace) = &verdict.trace else { return verdict };
        if remarks_on_cut(trace) {
            return verdict;
        }
        let original = match &self.order {
            Some(order) => {
                let ordered = Reduced::of(self.interpreter.clone(), order.clone());
                original_trace(self.model, &ordered, verdict.property, trace)
            }
            None => original_trace(self.model, &self.interpreter, verdict.property, trace),
        };
        // One that cannot be followed does not replay either, which says why.
        let original = original.unwrap_or_else(|_| trace.clone());
        replay(self.model, verdict.property, &original);
        Verdict { trace: Some(original), ..verdict }
    }
}
