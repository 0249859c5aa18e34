//! Checking composite states: some variables are sets of values.
//!
//! The search loop, the frontiers and the sampled engines are those of explicit states; the store keeps the union of the regions of
//! each explicit part ([`UnionStore`]). A trace of composite states is made concrete and becomes one of the model. When diagrams have no
//! room, nothing is claimed that was not found before: the search ends for want of memory.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fathom_guide::Heuristic;
use fathom_hunt::{Guide, Hooks};
use fathom_model::{
    Answer, Evidence, Finding, Model, NoRegion, PropertyId, Statistics, Steps, Stop, System, Trace, Verdict,
};
use fathom_search::{
    Heap, Meaning, Monitor, Options, Order, Ordered, Outcome, Priority, Progress, Queue, Stack, beam_in,
    depth_first, search, verdicts,
};
use fathom_store::UnionStore;
use fathom_symbolic::{Composite, CompositeVisit, DiagramRegion, GaveUp, Partition, Room, Side};

use crate::check::{CheckOptions, Code, Engine, Report, does_not_replay};
use crate::guidance::{Guidance, Guides, heuristic_for};
use crate::guided::{Sample, isr_options, walk_options, with_monitor};
use crate::hunt_linear::without_search;
use crate::reduce::Reductions;

/// Share of the memory for states that diagrams may take.
const SHARE_OF_DIAGRAMS: u64 = 2;

/// What there is to say about a search of composite states.
#[derive(Clone, Debug)]
pub struct CompositeReport {
    /// What was a set of values, and what was not.
    pub partition: Vec<Side>,
    /// Different explicit parts; for sampled engines 0.
    pub explicit_parts: u64,
    /// Concrete states that were reached; for sampled engines 0.
    pub concrete_states: f64,
    /// Nodes of diagrams at the end, with those not collected yet.
    pub nodes: u64,
    /// Abstract distances that guided, by property.
    pub distances: Vec<crate::symbolic_guided::DistancesReport>,
}

/// Tells a search to stop when a state could not be expanded.
struct RoomMonitor<'a, 'm> {
    composite: &'a Composite<'m>,
    inner: &'a mut dyn Monitor,
}

impl Monitor for RoomMonitor<'_, '_> {
    fn poll(&mut self, progress: &Progress) -> Option<Stop> {
        let gave_up = self.composite.gave_up();
        match gave_up {
            Some(GaveUp::NoRoom) => Some(Stop::Memory),
            Some(GaveUp::Stopped) => self.inner.poll(progress).or(Some(Stop::Time)),
            None => self.inner.poll(progress),
        }
    }

    fn alarm(&self) -> Option<Arc<AtomicBool>> {
        self.inner.alarm()
    }

    fn last_alarm(&self) -> Option<Arc<AtomicBool>> {
        self.inner.last_alarm()
    }

    fn found(&mut self) {
        self.inner.found();
        allow_to_show(self.composite, self.inner);
    }
}

/// From here on the last alarm counts: there is time to show what was found.
fn allow_to_show(composite: &Composite<'_>, monitor: &dyn Monitor) {
    if let Some(last) = monitor.last_alarm() {
        composite.model().listing.heed(Some(last.clone()));
        composite.diagrams().heed_instead(last);
    }
}

/// The room for diagrams.
pub(crate) fn room(options: &CheckOptions) -> Room {
    options.max_bytes.map_or_else(Room::default, |bytes| {
        let share = Room::of_bytes(bytes / SHARE_OF_DIAGRAMS);
        Room { nodes: share.nodes.min(Room::default().nodes) }
    })
}

/// What a search of composite states has seen.
struct Searched {
    outcome: Outcome,
    store: Option<UnionStore<DiagramRegion>>,
    sample: Option<Sample>,
}

/// Answers the properties of single states on composite states; the rest of the report is filled in by the caller.
pub(crate) fn check_composite(
    model: &Model,
    partition: &Partition,
    safety: &[PropertyId],
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
    mut report: Report,
) -> Report {
    let composite = Composite::new(model, partition, safety, room(options));
    let alarm = monitor.alarm();
    if let Some(alarm) = &alarm {
        composite.diagrams().heed(alarm.clone());
    }
    let search = Options {
        properties: safety.to_vec(),
        continue_after_all: options.continue_after_all,
        patience: options.patience,
        max_states: options.max_states,
        max_depth: options.max_depth,
        max_bytes: options.max_bytes.map(|bytes| bytes - bytes / SHARE_OF_DIAGRAMS),
        store: options.store,
        clock: options.clock,
        alarm,
    };
    let mut searched = run(&composite, model, safety, options, &search, monitor);
    if searched.outcome.stop != Stop::Found
        && let Some(stop) = stop_of(&composite, monitor)
    {
        searched.outcome.stop = stop;
    }
    let is_found = searched.outcome.evidence.iter().any(|(_, trace)| trace.is_some());
    if is_found {
        allow_to_show(&composite, monitor);
    }
    let mut nodes = composite.diagrams().n_nodes() as u64;
    let (mut explicit_parts, mut concrete_states) = (0, 0.0);
    if let Some(store) = &searched.store {
        explicit_parts = store.n_parts() as u64;
        store.for_each_part(&mut |state, region| concrete_states += composite.count(state, region));
    }
    let question = |property: PropertyId| &model.properties[property.index()].question;
    let answered = verdicts(&searched.outcome, |property| Meaning::of(question(property)));
    report.verdicts = answered
        .into_iter()
        .map(|verdict| concrete(model, &composite, searched.store.as_mut(), verdict))
        .collect();
    nodes = nodes.max(composite.diagrams().n_nodes() as u64);
    report.statistics = Statistics {
        store_bytes: searched.outcome.statistics.store_bytes + composite.diagrams().bytes() as u64,
        ..searched.outcome.statistics
    };
    report.stop = searched.outcome.stop;
    report.reductions = Reductions::NONE;
    report.code = Code::Interpreted;
    report.profile = searched.outcome.profile;
    report.sample = searched.sample;
    report.composite = Some(CompositeReport {
        partition: partition.sides().to_vec(),
        explicit_parts,
        concrete_states,
        nodes,
        distances: Vec::new(),
    });
    report
}

/// Why states were not expanded, if some were not.
pub(crate) fn stop_of(composite: &Composite<'_>, monitor: &mut dyn Monitor) -> Option<Stop> {
    let nothing = Progress { states: 0, transitions: 0, depth: 0, pending: 0, bytes: 0 };
    match composite.gave_up()? {
        GaveUp::NoRoom => Some(Stop::Memory),
        GaveUp::Stopped => monitor.poll(&nothing).or(Some(Stop::Time)),
    }
}

/// Searches with the engine that is asked for.
fn run(
    composite: &Composite<'_>,
    model: &Model,
    safety: &[PropertyId],
    options: &CheckOptions,
    limits: &Options,
    monitor: &mut dyn Monitor,
) -> Searched {
    let monitor = &mut RoomMonitor { composite, inner: monitor };
    let order = options.random_order.map_or(Order::AsGiven, |seed| Order::Random { seed });
    let guidance = &options.guidance;
    let (made, stop) = match options.engine {
        Engine::BreadthFirst | Engine::DepthFirst => (None, None),
        Engine::Walk | Engine::Isr if !guidance.guided => (None, None),
        _ => {
            let (made, stop) =
                with_monitor(monitor, |goes_on| heuristic_for(model, safety, options, goes_on));
            (made.ok(), stop)
        }
    };
    if let Some(stop) = stop {
        return Searched { outcome: without_search(safety, stop), store: None, sample: None };
    }
    let guides = Guides::new(made.into_iter().collect(), guidance.reversed);
    let named = guides.named();
    let explicit = named.first().map(|&(_, heuristic)| OfExplicitPart(heuristic));
    let heuristic = explicit.as_ref().map(|explicit| explicit as &dyn Heuristic<DiagramRegion>);
    let estimate = |from: Option<&[u8]>, state: &[u8], region: &DiagramRegion| match (heuristic, from) {
        (None, _) => 0,
        (Some(heuristic), Some(from)) => heuristic.estimate_step(from, state, region),
        (Some(heuristic), None) => heuristic.estimate(state, region),
    };
    let mut store = UnionStore::new();
    let outcome = match options.engine {
        // With a bound, depths matter: a state that comes back on a shorter way is new.
        Engine::DepthFirst if limits.max_depth.is_some() => {
            let outcome = depth_first(composite, order, limits, monitor);
            return Searched { outcome, store: None, sample: None };
        }
        Engine::DepthFirst => search(composite, &mut store, &mut Stack::new(order), limits, monitor),
        Engine::Walk => {
            let walk = walk_options(options, safety);
            let Guidance { bias, share, .. } = *guidance;
            let guide = heuristic.map(|heuristic| Guide { heuristic, bias, share, sample: Some(64) });
            let done = fathom_hunt::walk(composite, &walk, Hooks { guide, lasso: None }, monitor);
            return Searched {
                outcome: done.outcome.clone(),
                store: None,
                sample: Some(Sample::of_walks(done)),
            };
        }
        Engine::Isr => {
            let isr = isr_options(options, safety);
            let done = fathom_hunt::isr_guided(composite, &isr, heuristic, monitor);
            return Searched {
                outcome: done.outcome.clone(),
                store: None,
                sample: Some(Sample::of_isr(done)),
            };
        }
        Engine::Beam => beam_in(composite, &mut store, &estimate, guidance.beam_width, limits, monitor),
        Engine::Best | Engine::AStar | Engine::BestDepthFirst => {
            let priority = match options.engine {
                Engine::AStar => Priority::Sum { weight: guidance.weight },
                Engine::BestDepthFirst => Priority::Deepest { seed: guidance.seed },
                _ => Priority::Best,
            };
            search(composite, &mut store, &mut Ordered::new(Heap::new(&estimate, priority)), limits, monitor)
        }
        _ => search(composite, &mut store, &mut Queue::new(), limits, monitor),
    };
    Searched { outcome, store: Some(store), sample: None }
}

/// A heuristic that sees the explicit part of a composite state, with zeros for the rest: it only orders.
struct OfExplicitPart<'h>(&'h dyn Heuristic<NoRegion>);

impl Heuristic<DiagramRegion> for OfExplicitPart<'_> {
    fn prepare(&self, goes_on: &dyn Fn() -> bool) {
        self.0.prepare(goes_on);
    }

    fn estimate(&self, state: &[u8], _: &DiagramRegion) -> u32 {
        self.0.estimate(state, &NoRegion)
    }

    fn estimate_step(&self, from: &[u8], to: &[u8], _: &DiagramRegion) -> u32 {
        self.0.estimate_step(from, to, &NoRegion)
    }

    fn largest(&self) -> u32 {
        self.0.largest()
    }
}

/// Whether an engine runs on composite states. Branch and bound does not: what it makes small is one number for each state, and a set of values may have
/// many costs; with steps as the cost it lives on reopening states, of which the union of regions knows nothing.
pub fn runs_on_composite_states(engine: Engine) -> bool {
    engine != Engine::BranchAndBound
}

/// A verdict with a trace of the model in the place of one of composite states.
fn concrete(
    model: &Model,
    composite: &Composite<'_>,
    store: Option<&mut UnionStore<DiagramRegion>>,
    verdict: Verdict,
) -> Verdict {
    let Some(trace) = &verdict.trace else { return verdict };
    let n_cuts = model.listing.n_cuts();
    let made = way_of(composite, store, trace).map(|way| composite.concrete_trace(&way, verdict.property));
    // Without room, or time, there is evidence, but none that can be shown.
    let unshown = |stop: Stop| Verdict { answer: Answer::Inconclusive, stop, trace: None, ..verdict.clone() };
    match (made, composite.gave_up()) {
        (Some(Ok(Some(concrete))), _) => Verdict { trace: Some(concrete), ..verdict },
        (_, Some(GaveUp::NoRoom)) => unshown(Stop::Memory),
        (_, Some(GaveUp::Stopped)) => unshown(Stop::Time),
        // A trace names its initial state, and its steps, by their numbers among all, which nobody could count up to.
        (_, None) if model.listing.n_cuts() > n_cuts => Verdict { trace: None, ..verdict },
        (_, None) => {
            let error = fathom_search::ReplayError::NoEvidence { property: verdict.property, fault: None };
            does_not_replay(model, trace, &error)
        }
    }
}

/// The composite states that a search went through: as it expanded them.
fn way_of(
    composite: &Composite<'_>,
    mut store: Option<&mut UnionStore<DiagramRegion>>,
    trace: &Trace,
) -> Option<Vec<CompositeVisit>> {
    let mut scratch = composite.scratch();
    let mut steps = Steps::new();
    composite.initial(&mut scratch, &mut steps);
    let mut way: Vec<CompositeVisit> = Vec::with_capacity(trace.choices.len() + 1);
    // Evidence before the first step, where there may be initial states all the same.
    let is_evidence = |finding: &Finding| {
        trace.evidence == Evidence::Finding { property: finding.property, fault: finding.fault.clone() }
    };
    if steps.is_empty() || trace.choices.is_empty() && steps.findings().iter().any(is_evidence) {
        return Some(way);
    }
    for &choice in std::iter::once(&trace.initial).chain(&trace.choices) {
        let index = choice as usize;
        if index >= steps.len() {
            return None;
        }
        let (state, reached) = (steps.state(index).to_vec(), steps.region(index).clone());
        let region = match &mut store {
            Some(store) => store.handed_out(&state, &reached)?,
            None => reached,
        };
        steps.clear();
        composite.successors(&state, &region, &mut scratch, &mut steps);
        way.push((state, region));
    }
    Some(way)
}
