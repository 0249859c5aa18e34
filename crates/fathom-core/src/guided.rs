//! One engine alone that is guided or samples, and what is known about the traces it finds.

use std::cell::RefCell;

use fathom_guide::{AnyHeuristic, Gauge, Heuristic};
use fathom_hunt::{Claim, Guide, Hit, Hooks, IsrOptions, IsrOutcome, WalkOptions, WalkOutcome};
use fathom_model::{Model, NoRegion, PropertyId, Stop, System};
use fathom_search::{
    Cheapest, Cost, Monitor, Options, Outcome, Priority, Progress, beam, best_first, branch_and_bound,
};

use crate::check::{CheckOptions, Engine, Optimality, Report, replay};
use crate::distinction::{Distinction, distinction};
use crate::guidance::{Guidance, Guides, HeuristicError, heuristic_for};
use crate::hunt::{Ground, OnSystem, linear_of, safety_of};
use crate::hunt_linear::{Sampled, without_search};
use crate::linear::{check_linear, stop_of};
use crate::reduce::Reductions;

/// Answers properties with an engine that is guided or samples.
pub(crate) fn check_guided(model: &Model, options: &CheckOptions, monitor: &mut dyn Monitor) -> Report {
    let mut report = check_states(model, options, monitor);
    let linear = linear_of(model, &options.properties);
    for property in &linear {
        let mut engine = Sampled { options, monitor: &mut *monitor, sample: None };
        let Some(searched) = check_linear(model, *property, options.code, &mut engine) else { continue };
        let sample = engine.sample;
        if let Some(trace) = &searched.verdict.trace {
            replay(model, *property, trace);
        }
        report.count(&searched);
        report.sample = report.sample.take().or(sample);
        let place = options.properties.iter().position(|asked| asked == property);
        report.verdicts[place.expect("the property was asked")] = searched.verdict;
    }
    if !linear.is_empty() {
        report.stop = stop_of(&report.verdicts);
    }
    report
}

/// Answers the properties of single states.
fn check_states(model: &Model, options: &CheckOptions, monitor: &mut dyn Monitor) -> Report {
    let guidance = &options.guidance;
    let safety = safety_of(model, &options.properties);
    let prepared = guidance.prepare(model, &safety);
    let ground = Ground::new(model, &prepared, &safety, guidance.reductions());
    let needs_none = matches!(options.engine, Engine::Isr | Engine::Walk) && !guidance.guided;
    let (made, stop) = match needs_none {
        true => (Ok(None), None),
        false => {
            with_monitor(monitor, |goes_on| heuristic_for(&prepared, &safety, options, goes_on).map(Some))
        }
    };
    let (heuristics, missing) = match made {
        Ok(heuristic) => (heuristic.into_iter().collect(), None),
        Err(reason) => (Vec::new(), Some(reason)),
    };
    let guides = Guides::new(heuristics, guidance.reversed);
    let mut guided = Guided { options, safety: &safety, guides: &guides, prepared: &prepared, monitor };
    let has_nothing_to_search = safety.is_empty() && !options.properties.is_empty();
    let early = stop.or(has_nothing_to_search.then_some(Stop::Exhausted));
    let (searched, code) = match early {
        Some(stop) => {
            let outcome = without_search(&safety, stop);
            (Searched { outcome, sample: None, cheapest: None }, options.code)
        }
        None => ground.on_system(options.code, &mut guided),
    };
    let threads = match options.engine {
        Engine::Isr | Engine::Walk => options.threads.max(1),
        _ => 1,
    };
    let report = ground.report(&options.properties, &searched.outcome, threads, code);
    let optimality = optimality(options, &guides, &searched, report.reductions);
    let note = note(options, &guides, missing.as_ref(), &searched, optimality);
    Report { note: Some(note), sample: searched.sample, optimality, ..report }
}

/// Does something that asks whether to go on, and gives what the monitor said.
pub(crate) fn with_monitor<T>(
    monitor: &mut dyn Monitor,
    work: impl FnOnce(&dyn Fn() -> bool) -> T,
) -> (T, Option<Stop>) {
    let nothing_yet = Progress { states: 0, transitions: 0, depth: 0, pending: 0, bytes: 0 };
    let local = RefCell::new((monitor, None));
    let done = work(&|| {
        let (monitor, stop) = &mut *local.borrow_mut();
        *stop = stop.or_else(|| monitor.poll(&nothing_yet));
        stop.is_none()
    });
    (done, local.into_inner().1)
}

/// What a sampled engine has done, beyond its answers.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Pruned searches or walks that were made: up to the one that found something first, if one did.
    pub n_attempts: u64,
    /// For walks: what those that found nothing say.
    pub claim: Option<Claim>,
    /// For pruned searches: those that found something.
    pub hits: Vec<Hit>,
    /// What the last of these has taken for equal, if that was asked for.
    pub distinction: Option<Distinction>,
}

impl Sample {
    pub(crate) fn of_walks(done: WalkOutcome) -> Sample {
        let n_attempts = done.found_by.map_or(done.claim.n_walks, |walk| walk + 1);
        Sample { n_attempts, claim: Some(done.claim), hits: Vec::new(), distinction: None }
    }

    pub(crate) fn of_isr(done: IsrOutcome) -> Sample {
        let n_attempts = done.hits.first().map_or(done.n_throws, |hit| hit.number + 1);
        Sample { n_attempts, claim: None, hits: done.hits, distinction: None }
    }
}

/// What pruned searches are told.
pub(crate) fn isr_options(options: &CheckOptions, properties: &[PropertyId]) -> IsrOptions {
    IsrOptions {
        properties: properties.to_vec(),
        threads: options.threads.max(1),
        max_depth: options.max_depth,
        seed: options.guidance.seed,
        ..options.guidance.isr.clone()
    }
}

/// Bytes that a step of a walk takes which remembers where it has been.
const BYTES_OF_WALK_STEP: u64 = 64;

/// What walks are told. Those that end by themselves may never do so where there are endlessly many states: then memory ends them.
pub(crate) fn walk_options(options: &CheckOptions, properties: &[PropertyId]) -> WalkOptions {
    let threads = options.threads.max(1);
    let affordable = options.max_bytes.map(|bytes| {
        let steps = bytes / threads as u64 / BYTES_OF_WALK_STEP;
        u32::try_from(steps.max(1)).unwrap_or(u32::MAX)
    });
    WalkOptions {
        properties: properties.to_vec(),
        threads,
        max_depth: options.max_depth.or(options.guidance.walk.max_depth).or(affordable),
        seed: options.guidance.seed,
        ..options.guidance.walk.clone()
    }
}

/// What an engine has seen.
struct Searched {
    outcome: Outcome,
    /// Of an engine that samples.
    sample: Option<Sample>,
    /// Of branch and bound.
    cheapest: Option<Bounded>,
}

/// What branch and bound knows about costs.
struct Bounded {
    costs: Vec<Option<i64>>,
    is_proved: bool,
    has_decreased: bool,
}

/// The engine, on whatever system it is.
struct Guided<'a, 'm> {
    options: &'a CheckOptions,
    safety: &'a [PropertyId],
    guides: &'a Guides<'m>,
    prepared: &'m Model,
    monitor: &'a mut dyn Monitor,
}

impl OnSystem for Guided<'_, '_> {
    type Result = Searched;

    fn run<S: System<Region = NoRegion> + Sync>(&mut self, system: &S) -> Searched {
        let (outcome, sample) = match self.options.engine {
            Engine::Isr => self.isr(system),
            Engine::Walk => self.walk(system),
            Engine::BranchAndBound => return self.branch_and_bound(system),
            engine => (self.best(system, engine), None),
        };
        Searched { outcome, sample, cheapest: None }
    }
}

impl Guided<'_, '_> {
    fn isr<S: System<Region = NoRegion> + Sync>(&mut self, system: &S) -> (Outcome, Option<Sample>) {
        let guidance = &self.options.guidance;
        let isr = isr_options(self.options, self.safety);
        let named = self.guides.named();
        let heuristic = named.first().map(|&(_, heuristic)| heuristic).filter(|_| guidance.guided);
        let done = fathom_hunt::isr_guided(system, &isr, heuristic, self.monitor);
        let outcome = done.outcome.clone();
        let mut sample = Sample::of_isr(done);
        if let Some(hit) = sample.hits.last().filter(|_| guidance.distinguish) {
            sample.distinction = Some(distinction(self.prepared, system, hit, heuristic));
        }
        (outcome, Some(sample))
    }

    fn walk<S: System<Region = NoRegion> + Sync>(&mut self, system: &S) -> (Outcome, Option<Sample>) {
        let Guidance { bias, share, guided, .. } = self.options.guidance;
        let walk = walk_options(self.options, self.safety);
        let named = self.guides.named();
        let heuristic = named.first().map(|&(_, heuristic)| heuristic).filter(|_| guided);
        let guide = heuristic.map(|heuristic| Guide { heuristic, bias, share, sample: Some(64) });
        let done = fathom_hunt::walk(system, &walk, Hooks { guide, lasso: None }, self.monitor);
        (done.outcome.clone(), Some(Sample::of_walks(done)))
    }

    fn best<S: System<Region = NoRegion> + Sync>(&mut self, system: &S, engine: Engine) -> Outcome {
        let guidance = &self.options.guidance;
        let search = self.limits();
        let named = self.guides.named();
        let heuristic = named.first().map(|&(_, heuristic)| heuristic);
        let estimate =
            |from: Option<&[u8]>, state: &[u8], region: &NoRegion| estimate(heuristic, from, state, region);
        let priority = match engine {
            Engine::Beam => return beam(system, &estimate, guidance.beam_width, &search, self.monitor),
            Engine::AStar => Priority::Sum { weight: guidance.weight },
            Engine::BestDepthFirst => Priority::Deepest { seed: guidance.seed },
            _ => Priority::Best,
        };
        best_first(system, &estimate, priority, &search, self.monitor)
    }

    fn branch_and_bound<S: System<Region = NoRegion> + Sync>(&mut self, system: &S) -> Searched {
        let search = self.limits();
        let named = self.guides.named();
        let heuristic = named.first().map(|&(_, heuristic)| heuristic);
        let estimate =
            |from: Option<&[u8]>, state: &[u8], region: &NoRegion| estimate(heuristic, from, state, region);
        let gauge = self.options.guidance.cost.clone().map(|expr| Gauge::new(self.prepared, expr));
        let value = |state: &[u8], _: &NoRegion| {
            gauge.as_ref().and_then(|gauge| gauge.value(state)).unwrap_or(i64::MAX - 1)
        };
        let cost = match &gauge {
            Some(_) => Cost::Value(&value),
            None => Cost::Steps { is_lower_bound: self.guides.is_lower_bound() },
        };
        let Cheapest { outcome, costs, is_proved, has_decreased } =
            branch_and_bound(system, &estimate, &cost, &search, self.monitor);
        Searched { outcome, sample: None, cheapest: Some(Bounded { costs, is_proved, has_decreased }) }
    }

    fn limits(&self) -> Options {
        let options = self.options;
        Options {
            properties: self.safety.to_vec(),
            continue_after_all: options.continue_after_all,
            patience: options.patience,
            max_states: options.max_states,
            max_depth: options.max_depth,
            max_bytes: options.max_bytes,
            store: options.store,
            clock: None,
            alarm: self.monitor.alarm(),
        }
    }
}

/// The estimate of a heuristic, for a state that was reached from another one or not.
fn estimate(
    heuristic: Option<&dyn Heuristic<NoRegion>>,
    from: Option<&[u8]>,
    state: &[u8],
    region: &NoRegion,
) -> u32 {
    match (heuristic, from) {
        (None, _) => 0,
        (Some(heuristic), Some(from)) => heuristic.estimate_step(from, state, region),
        (Some(heuristic), None) => heuristic.estimate(state, region),
    }
}

/// What is known about the length or the cost of traces. Only reductions that keep the number of steps keep it.
fn optimality(
    options: &CheckOptions,
    guides: &Guides<'_>,
    searched: &Searched,
    reductions: Reductions,
) -> Optimality {
    let weight = options.guidance.weight;
    if reductions.fuse || reductions.partial_order {
        return Optimality::Unknown;
    }
    match (options.engine, &searched.cheapest) {
        (Engine::AStar, _) if guides.is_lower_bound() && weight <= 1.0 => Optimality::Shortest,
        (Engine::AStar, _) if guides.is_lower_bound() => Optimality::Within(weight),
        (Engine::BranchAndBound, Some(bounded)) if bounded.is_proved => match options.guidance.cost {
            Some(_) => Optimality::Cheapest,
            None => Optimality::Shortest,
        },
        _ => Optimality::Unknown,
    }
}

/// What is to be said about the heuristic and the trace.
fn note(
    options: &CheckOptions,
    guides: &Guides<'_>,
    missing: Option<&HeuristicError>,
    searched: &Searched,
    optimality: Optimality,
) -> String {
    let reversed = if options.guidance.reversed { " reversed" } else { "" };
    let guided = match (guides.names().first(), missing) {
        (Some(name), _) => format!("heuristic {name}{reversed}"),
        (None, Some(reason)) => format!("{reason}; no estimates"),
        (None, None) => "no heuristic".to_owned(),
    };
    let mut text = match options.engine {
        Engine::Walk | Engine::Isr if options.guidance.guided => format!("guided by {guided}; a sample"),
        Engine::Walk | Engine::Isr => "a sample: that nothing is found proves nothing".to_owned(),
        Engine::AStar if options.guidance.weight != 1.0 => {
            format!("{guided}, weight {}: {}", options.guidance.weight, claim(optimality))
        }
        Engine::Beam => {
            format!("{guided}, beam of {} states: {}", options.guidance.beam_width, claim(optimality))
        }
        _ => format!("{guided}: {}", claim(optimality)),
    };
    if guides.is_lower_bound() && !guides.names().is_empty() {
        text += "\nthe estimates never exceed the true distance";
    }
    if let Some(AnyHeuristic::Abstract(databases)) = guides.first() {
        let sizes = databases.sizes().into_iter();
        let sizes: Vec<String> =
            sizes.map(|(states, distance)| format!("{states} states, up to {distance} steps")).collect();
        text += &format!("\nabstract distances: {}", sizes.join("; "));
        if databases.is_unreachable() {
            text += "\nno abstract state that can be reached leads to the goal: nor does any state";
        }
    }
    if let Some(bounded) = &searched.cheapest {
        let costs: Vec<String> = bounded.costs.iter().flatten().map(i64::to_string).collect();
        if !costs.is_empty() && options.guidance.cost.is_some() {
            text += &format!("\ncost {}", costs.join(", "));
        }
        if bounded.has_decreased {
            text += "\nsome step makes the cost less: nothing is claimed about the cheapest";
        }
    }
    text
}

fn claim(optimality: Optimality) -> String {
    match optimality {
        Optimality::Unknown => "a trace need not be the shortest".to_owned(),
        Optimality::Shortest => "a trace is as short as can be".to_owned(),
        Optimality::Within(factor) => format!("a trace is at most {factor} times as long as the shortest"),
        Optimality::Cheapest => "a trace is as cheap as can be".to_owned(),
    }
}
