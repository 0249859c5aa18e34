//! Hunting: sampled and guided engines on a model, and the replay of what they find.
//!
//! [`hunt()`] divides the time among many engines; [`check`](crate::check()) comes here for the engines that need a
//! heuristic or that sample. All work on the model without what nobody asks about and with dead values forgotten,
//! which leaves the number of steps alone; traces are those of the model as written, and replayed.

use fathom_guide::{Heuristic, Kind, ModelHeuristic, Reversed};
use fathom_hunt::{
    ArmRow, Bias, Claim, Guide, Hit, Hooks, HuntMonitor, IsrOptions, IsrOutcome, Share, ShortenOptions,
    WalkOptions, WalkOutcome, default_arms,
};
use fathom_model::{Expr, Interpreter, Model, NoRegion, PropertyId, Question, Stop, System, Trace, Verdict};
use fathom_native::NativeSystem;
use fathom_search::{Meaning, Monitor, Options, Outcome, Priority, ReplayError, best_first, verdicts};

use crate::check::{CheckOptions, Code, Engine, Report, replay, unsupported};
use crate::distinction::{Distinction, distinction};
use crate::hunt_linear::{LinearHunt, Sampled, without_search};
use crate::linear::{check_linear, stop_of};
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
    /// Walks and pruned searches are guided.
    pub guided: bool,
    /// How estimates become weights, for guided walks.
    pub bias: Bias,
    /// What weights are given to.
    pub share: Share,
    /// Say what the last successful pruned search took for equal.
    pub distinguish: bool,
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
            guided: false,
            bias: Bias::default(),
            share: Share::EachStep,
            distinguish: false,
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
pub(crate) const SEARCH_BYTES: u64 = 512 << 20;

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
    let linear = linear_of(model, &options.properties);
    let n_questions = (usize::from(!safety.is_empty()) + linear.len()).max(1);
    let max_states = options.max_states.map(|states| states / n_questions as u64);
    let mut hunted = hunt_states(model, &HuntOptions { max_states, ..options.clone() }, n_questions, monitor);
    for (number, property) in linear.iter().enumerate() {
        let is_found = hunted.report.verdicts.iter().any(|verdict| verdict.trace.is_some());
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
    hunted
}

impl HuntReport {
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
    let reduced = prepare(model, &safety, &options.guidance.heuristic);
    let ground = Ground::new(model, &reduced, &safety, options.code);
    let heuristics = ground.heuristics(&safety, &options.guidance.heuristic);
    let guides = Guides::new(heuristics, options.guidance.reversed);
    let native = ground.native(&safety);
    let code = if native.is_some() { Code::Native } else { Code::Interpreted };
    let found = if safety.is_empty() {
        let outcome = without_search(Stop::Exhausted);
        fathom_hunt::HuntOutcome { outcome, arms: Vec::new(), found_by: Vec::new() }
    } else {
        monitor.begin(n_questions);
        match &native {
            Some(native) => hunt_on(native, options, &safety, &guides, monitor),
            None => hunt_on(&ground.interpreter, options, &safety, &guides, monitor),
        }
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
    let mut report = check_states_by(model, options, monitor);
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
fn check_states_by(model: &Model, options: &CheckOptions, monitor: &mut dyn Monitor) -> Report {
    let guidance = &options.guidance;
    let safety = safety_of(model, &options.properties);
    let reduced = prepare(model, &safety, &guidance.heuristic);
    let ground = Ground::new(model, &reduced, &safety, options.code);
    let heuristics = ground.heuristic_for(options.engine, &safety, guidance);
    let guides = Guides::new(heuristics, guidance.reversed);
    let native = ground.native(&safety);
    let code = if native.is_some() { Code::Native } else { Code::Interpreted };
    let (outcome, sample) = match (&native, safety.is_empty() && !options.properties.is_empty()) {
        (_, true) => (without_search(Stop::Exhausted), None),
        (Some(native), _) => search_on(native, options, &safety, &guides, monitor),
        (None, _) => search_on(&ground.interpreter, options, &safety, &guides, monitor),
    };
    let threads = match options.engine {
        Engine::Isr | Engine::Walk => options.threads.max(1),
        _ => 1,
    };
    let hit = sample.as_ref().and_then(|sample| sample.hits.last()).filter(|_| guidance.distinguish);
    let heuristic = guides.named().first().map(|&(_, heuristic)| heuristic).filter(|_| guidance.guided);
    let distinction = hit.map(|hit| match &native {
        Some(native) => distinction(ground.reduced, native, hit, heuristic),
        None => distinction(ground.reduced, &ground.interpreter, hit, heuristic),
    });
    let report = ground.report(&options.properties, &outcome, threads, code);
    let note = note(options, &guides, &outcome);
    let sample = sample.map(|sample| Sample { distinction, ..sample });
    Report { note: Some(note), sample, ..report }
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

/// What walks are told.
pub(crate) fn walk_options(options: &CheckOptions, properties: &[PropertyId]) -> WalkOptions {
    WalkOptions {
        properties: properties.to_vec(),
        threads: options.threads.max(1),
        max_depth: options.max_depth.or(options.guidance.walk.max_depth),
        seed: options.guidance.seed,
        ..options.guidance.walk.clone()
    }
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
    let named = guides.named();
    let heuristic = named.first().map(|&(_, heuristic)| heuristic);
    match options.engine {
        Engine::Isr => {
            let isr = isr_options(options, safety);
            let heuristic = heuristic.filter(|_| guidance.guided);
            let done = fathom_hunt::isr_guided(system, &isr, heuristic, monitor);
            (done.outcome.clone(), Some(Sample::of_isr(done)))
        }
        Engine::Walk => {
            let walk = walk_options(options, safety);
            let Guidance { bias, share, .. } = *guidance;
            let guide = heuristic.filter(|_| guidance.guided);
            let guide = guide.map(|heuristic| Guide { heuristic, bias, share, sample: Some(64) });
            let done = fathom_hunt::walk(system, &walk, Hooks { guide, lasso: None }, monitor);
            (done.outcome.clone(), Some(Sample::of_walks(done)))
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
        Engine::Walk | Engine::Isr if options.guidance.guided => format!("guided by {guided}; a sample"),
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

fn linear_of(model: &Model, properties: &[PropertyId]) -> Vec<PropertyId> {
    let is_linear = |property: &PropertyId| {
        matches!(
            model.properties[property.index()].question,
            Question::Ltl(_) | Question::Psl(_) | Question::Claim(_)
        )
    };
    properties.iter().copied().filter(is_linear).collect()
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
