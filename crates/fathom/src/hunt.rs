//! Hunting: sampled and guided engines on a model, and the replay of what they find.
//!
//! [`hunt()`] divides the time among many engines; [`check`](crate::check()) comes here for the engines that need a
//! heuristic or that sample. All work on the model without what nobody asks about and with dead values forgotten,
//! which leaves the number of steps alone; traces are those of the model as written, and replayed.

use fathom_guide::{Heuristic, Kind, ModelHeuristic, Reversed};
use fathom_hunt::{
    ArmRow, Bias, Claim, Guide, Hit, Hooks, HuntMonitor, IsrOptions, Share, ShortenOptions, WalkOptions,
    default_arms,
};
use fathom_model::{
    Answer, Expr, Interpreter, Model, NoRegion, PropertyId, Stop, System, Trace, Trust, Verdict,
};
use fathom_native::NativeSystem;
use fathom_search::{Meaning, Monitor, Options, Outcome, Priority, ReplayError, best_first, verdicts};

use crate::check::{CheckOptions, Code, Engine, Report, replay};
use crate::reduce::{Reductions, original_trace, reduce};

/// Which heuristics guide.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum HeuristicChoice {
    /// Those that know something about the properties.
    #[default]
    Auto,
    /// This kind only.
    Kind(Kind),
    /// The value of an expression: small is near.
    Cost(Expr),
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
}

/// What guided and sampled engines need to know beyond [`CheckOptions`].
#[derive(Clone, PartialEq, Debug)]
pub struct Guidance {
    /// Which heuristics guide.
    pub heuristic: HeuristicChoice,
    /// Turn estimates round, for experiments.
    pub reversed: bool,
    /// Weight of the estimate in A*.
    pub weight: f64,
    /// Iterated search refinement; properties, threads, depth and seed come from elsewhere.
    pub isr: IsrOptions,
    /// Walks; properties, threads, depth and seed come from elsewhere.
    pub walk: WalkOptions,
    /// Walks are guided.
    pub guided_walks: bool,
    /// The seed.
    pub seed: u64,
}

impl Default for Guidance {
    fn default() -> Guidance {
        Guidance {
            heuristic: HeuristicChoice::Auto,
            reversed: false,
            weight: 1.0,
            isr: IsrOptions::default(),
            walk: WalkOptions::default(),
            guided_walks: false,
            seed: 1,
        }
    }
}

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

/// Reductions that keep the number of steps.
const STEADY: Reductions = Reductions { slice: true, dead: true, fuse: false, partial_order: false };
/// Bytes for searches that remember what they saw, unless said otherwise.
const SEARCH_BYTES: u64 = 512 << 20;

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
/// use fathom::{HuntOptions, Language, default_properties, hunt, load};
/// use fathom::model::{Answer, Stop};
/// use fathom::hunting::ArmRow;
/// use fathom::search::Progress;
/// use fathom::source::MemoryLoader;
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
    let safety = safety_of(model, &options.properties);
    let reduced = prepare(model, &safety, &options.guidance.heuristic);
    let ground = Ground::new(model, &reduced, &safety, options.code);
    let heuristics = ground.heuristics(&safety, &options.guidance.heuristic);
    let guides = Guides::new(heuristics, options.guidance.reversed);
    let native = ground.native(&safety);
    let (found, code) = match &native {
        Some(native) => (hunt_on(native, options, &safety, &guides, monitor), Code::Native),
        None => (hunt_on(&ground.interpreter, options, &safety, &guides, monitor), Code::Interpreted),
    };
    let found_by = options.properties.iter().map(|property| {
        let index = safety.iter().position(|asked| asked == property)?;
        found.found_by.get(index).cloned().flatten()
    });
    HuntReport {
        report: ground.report(&options.properties, &found.outcome, options.threads.max(1), code),
        found_by: found_by.collect(),
        arms: found.arms,
        heuristics: guides.names(),
    }
}

fn hunt_on<S: System<Region = NoRegion> + Sync>(
    system: &S,
    options: &HuntOptions,
    safety: &[PropertyId],
    guides: &Guides<'_>,
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
        ..fathom_hunt::HuntOptions::default()
    };
    let bytes = options.max_bytes.map_or(SEARCH_BYTES, |bytes| bytes.min(SEARCH_BYTES));
    let arms = default_arms(system, &guides.named(), options.guidance.seed, bytes / threads as u64);
    fathom_hunt::hunt(system, &hunted, arms, monitor)
}

/// Answers properties with an engine that is guided or samples.
pub(crate) fn check_by(model: &Model, options: &CheckOptions, monitor: &mut dyn Monitor) -> Report {
    let guidance = &options.guidance;
    let safety = safety_of(model, &options.properties);
    let reduced = prepare(model, &safety, &guidance.heuristic);
    let ground = Ground::new(model, &reduced, &safety, options.code);
    let heuristics = ground.heuristic_for(options.engine, &safety, guidance);
    let guides = Guides::new(heuristics, guidance.reversed);
    let native = ground.native(&safety);
    let ((outcome, sample), code) = match &native {
        Some(native) => (search_on(native, options, &safety, &guides, monitor), Code::Native),
        None => (search_on(&ground.interpreter, options, &safety, &guides, monitor), Code::Interpreted),
    };
    let threads = match options.engine {
        Engine::Isr | Engine::Walk => options.threads.max(1),
        _ => 1,
    };
    let report = ground.report(&options.properties, &outcome, threads, code);
    let note = note(options, &guides, &outcome);
    Report { note: Some(note), sample, ..report }
}

/// Runs one engine.
fn search_on<S: System<Region = NoRegion> + Sync>(
    system: &S,
    options: &CheckOptions,
    safety: &[PropertyId],
    guides: &Guides<'_>,
    monitor: &mut dyn Monitor,
) -> (Outcome, Option<Sample>) {
    let guidance = &options.guidance;
    let threads = options.threads.max(1);
    let named = guides.named();
    let heuristic = named.first().map(|&(_, heuristic)| heuristic);
    match options.engine {
        Engine::Isr => {
            let isr = IsrOptions {
                properties: safety.to_vec(),
                threads,
                max_depth: options.max_depth,
                seed: guidance.seed,
                ..guidance.isr.clone()
            };
            let done = fathom_hunt::isr(system, &isr, monitor);
            let n_attempts = done.hits.first().map_or(done.n_throws, |hit| hit.number + 1);
            (done.outcome, Some(Sample { n_attempts, claim: None, hits: done.hits }))
        }
        Engine::Walk => {
            let walk = WalkOptions {
                properties: safety.to_vec(),
                threads,
                max_depth: options.max_depth.or(guidance.walk.max_depth),
                seed: guidance.seed,
                ..guidance.walk.clone()
            };
            let guide = heuristic.filter(|_| guidance.guided_walks).map(|heuristic| Guide {
                heuristic,
                bias: Bias::default(),
                share: Share::EachStep,
                sample: Some(64),
            });
            let done = fathom_hunt::walk(system, &walk, Hooks { guide, lasso: None }, monitor);
            let n_attempts = done.found_by.map_or(done.claim.n_walks, |walk| walk + 1);
            (done.outcome, Some(Sample { n_attempts, claim: Some(done.claim), hits: Vec::new() }))
        }
        engine => {
            let search = Options {
                properties: safety.to_vec(),
                continue_after_all: options.continue_after_all,
                patience: options.patience,
                max_states: options.max_states,
                max_depth: options.max_depth,
                max_bytes: options.max_bytes,
                store: options.store,
                clock: None,
            };
            let estimate = |state: &[u8], region: &NoRegion| {
                heuristic.map_or(0, |heuristic| heuristic.estimate(state, region))
            };
            let weight = guidance.weight;
            let priority = if engine == Engine::Best { Priority::Best } else { Priority::Sum { weight } };
            (best_first(system, &estimate, priority, &search, monitor), None)
        }
    }
}

/// What is to be said about the trace.
fn note(options: &CheckOptions, guides: &Guides<'_>, outcome: &Outcome) -> String {
    let reversed = if options.guidance.reversed { " reversed" } else { "" };
    let guided = match guides.names().first() {
        Some(name) => format!("heuristic {name}{reversed}"),
        None => "no heuristic knows anything about these properties".to_owned(),
    };
    let is_bound = guides.is_lower_bound();
    let weight = options.guidance.weight;
    match options.engine {
        Engine::AStar if outcome.evidence.len() == 1 && is_bound && weight <= 1.0 => {
            format!("{guided}; it never overestimates: a trace is as short as can be")
        }
        Engine::AStar if outcome.evidence.len() == 1 && is_bound => {
            format!("{guided}, weight {weight}: a trace is at most {weight} times as long as the shortest")
        }
        Engine::AStar => format!("{guided}, weight {weight}: a trace need not be the shortest"),
        Engine::Best => format!("{guided}: a trace need not be the shortest"),
        Engine::Walk if options.guidance.guided_walks => format!("walks guided by {guided}; a sample"),
        _ => "a sample: that nothing is found proves nothing".to_owned(),
    }
}

/// Makes a trace shorter. The trace that comes back has been replayed.
///
/// # Errors
///
/// When the trace does not show what it claims.
pub fn shorten(
    model: &Model,
    property: PropertyId,
    trace: &Trace,
    monitor: &mut dyn Monitor,
) -> Result<Trace, ReplayError> {
    let options = ShortenOptions::default();
    let interpreter = Interpreter::new(model, &[property]);
    let shorter = match NativeSystem::new(model, &[property]) {
        Ok(native) => fathom_hunt::shorten(&native, trace, &options, monitor)?,
        Err(_) => fathom_hunt::shorten(&interpreter, trace, &options, monitor)?,
    };
    replay(model, property, &shorter);
    Ok(shorter)
}

fn safety_of(model: &Model, properties: &[PropertyId]) -> Vec<PropertyId> {
    let is_safety = |property: &PropertyId| model.properties[property.index()].question.is_safety();
    properties.iter().copied().filter(is_safety).collect()
}

/// The model that is searched, beside the one as written.
struct Ground<'m> {
    model: &'m Model,
    reduced: &'m Model,
    interpreter: Interpreter<'m>,
    reductions: Reductions,
    code: Code,
}

/// The model to search, and how it was made. The variables of a cost expression are looked at by nobody else, so then
/// the model stays as it is.
fn prepare(model: &Model, safety: &[PropertyId], heuristic: &HeuristicChoice) -> (Model, Reductions) {
    let reductions = match heuristic {
        HeuristicChoice::Cost(_) => Reductions::NONE,
        _ => STEADY,
    };
    (reduce(model, safety, reductions), reductions)
}

impl<'m> Ground<'m> {
    fn new(
        model: &'m Model,
        reduced: &'m (Model, Reductions),
        safety: &[PropertyId],
        code: Code,
    ) -> Ground<'m> {
        let (reduced, reductions) = reduced;
        let interpreter = Interpreter::new(reduced, safety);
        Ground { model, reduced, interpreter, reductions: *reductions, code }
    }

    fn native(&self, safety: &[PropertyId]) -> Option<NativeSystem<'m>> {
        match self.code {
            Code::Native => NativeSystem::new(self.reduced, safety).ok(),
            Code::Interpreted => None,
        }
    }

    /// The heuristics for a hunt.
    fn heuristics(&self, safety: &[PropertyId], choice: &HeuristicChoice) -> Vec<ModelHeuristic<'m>> {
        let of_kind = |kind: Kind| ModelHeuristic::new(self.reduced, safety, kind);
        match choice {
            HeuristicChoice::Cost(expr) => vec![ModelHeuristic::cost(self.reduced, expr.clone())],
            HeuristicChoice::Kind(kind) => of_kind(*kind).into_iter().collect(),
            // The control distance is part of the others.
            HeuristicChoice::Auto => {
                Kind::ALL.into_iter().filter(|&kind| kind != Kind::Local).filter_map(of_kind).collect()
            }
        }
    }

    /// The heuristic for one engine: A* wants one that never overestimates.
    fn heuristic_for(
        &self,
        engine: Engine,
        safety: &[PropertyId],
        guidance: &Guidance,
    ) -> Vec<ModelHeuristic<'m>> {
        let by_itself = engine == Engine::AStar && guidance.heuristic == HeuristicChoice::Auto;
        let local = HeuristicChoice::Kind(Kind::Local);
        let mut heuristics = match by_itself && guidance.weight <= 1.0 {
            true => self.heuristics(safety, &local),
            false => self.heuristics(safety, &guidance.heuristic),
        };
        heuristics.truncate(1);
        heuristics
    }

    /// The answers about the model as written, with every trace replayed.
    fn report(&self, asked: &[PropertyId], outcome: &Outcome, threads: usize, code: Code) -> Report {
        let question = |property: PropertyId| &self.model.properties[property.index()].question;
        let mut answered = verdicts(outcome, |property| Meaning::of(question(property))).into_iter();
        let verdict = |&property: &PropertyId| match question(property).is_safety() {
            true => self.on_original(answered.next().expect("an answer for every property asked")),
            false => Verdict {
                property,
                answer: Answer::Inconclusive,
                trust: Trust::Sampled,
                stop: Stop::Unsupported,
                trace: None,
            },
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
            searched_states: true,
            note: None,
            sample: None,
        }
    }

    fn on_original(&self, verdict: Verdict) -> Verdict {
        let Some(trace) = &verdict.trace else { return verdict };
        let original = original_trace(self.model, &self.interpreter, verdict.property, trace);
        // One that cannot be followed does not replay either, which says why.
        let original = original.unwrap_or_else(|_| trace.clone());
        replay(self.model, verdict.property, &original);
        Verdict { trace: Some(original), ..verdict }
    }
}

/// Heuristics, turned round or not.
enum Guides<'m> {
    Plain(Vec<ModelHeuristic<'m>>),
    Reversed(Vec<Reversed<ModelHeuristic<'m>>>),
}

impl<'m> Guides<'m> {
    fn new(plain: Vec<ModelHeuristic<'m>>, reversed: bool) -> Guides<'m> {
        match reversed {
            false => Guides::Plain(plain),
            true => Guides::Reversed(plain.into_iter().map(Reversed).collect()),
        }
    }

    fn named(&self) -> Vec<(&'static str, &dyn Heuristic<NoRegion>)> {
        match self {
            Guides::Plain(plain) => {
                plain.iter().map(|one| (one.name(), one as &dyn Heuristic<NoRegion>)).collect()
            }
            Guides::Reversed(reversed) => {
                reversed.iter().map(|one| (one.0.name(), one as &dyn Heuristic<NoRegion>)).collect()
            }
        }
    }

    fn names(&self) -> Vec<&'static str> {
        self.named().into_iter().map(|(name, _)| name).collect()
    }

    /// Whether the estimates of the first are never too large; without a heuristic they are 0.
    fn is_lower_bound(&self) -> bool {
        match self {
            Guides::Plain(plain) => plain.first().is_none_or(ModelHeuristic::is_lower_bound),
            Guides::Reversed(reversed) => reversed.is_empty(),
        }
    }
}
