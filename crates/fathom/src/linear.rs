//! Formulas of linear temporal logic, and claims about infinite runs: which engine looks for a run that violates
//! them, and the check of what it finds.
//!
//! A formula that a finite run violates if any does is a plain search of the product, with every engine, store and thread
//! there is. The others are a search for strongly connected components on one thread, or for nested cycles on
//! several, with the exact store. Weak fairness needs components.
//!
//! Reductions are used where they are sound: those that keep the number of steps (`slice`, `dead`) for every formula,
//! the others (`fuse`, `por`) for formulas that cannot count steps; none with fairness, which asks who can move. The
//! edges around which nothing is put off for ever make every cycle of a reduced system one on which all processes were
//! looked at ([`PartialOrder`]), and what the propositions read counts as visible.
//!
//! A lasso is followed on the reference interpreter, and the formula is evaluated on it by an evaluator that knows
//! nothing of automata. Of a violation after finitely many steps, one infinite run that goes on from there is evaluated
//! the same way.

use std::collections::HashMap;

use fathom_model::{
    Accepting, Answer, Evidence, Fault, Interpreter, Model, Move, NoRegion, PropertyId, Question, Steps,
    Stop, System, Trace, Trust, Verdict, Watched,
};
use fathom_native::NativeSystem;
use fathom_reduce::{PartialOrder, Reduced};
use fathom_search::{
    Meaning, Monitor, Options, Outcome, Replay, ReplayError, StoreKind, nested_depth_first_parallel,
    strong_components, verdicts,
};
use fathom_temporal::{
    Acceptance, Extended, Fair, Letter, LinearQuestion, MarkedEnd, Product, Stuttering, Truth, Watcher,
    is_fair_loop,
};

use crate::check::{CheckOptions, Code, FEW_STATES, Searched, does_not_replay, run, unsupported};
use crate::reduce::{Reductions, original_lasso, original_trace, reduce};

/// Most steps that a violation after finitely many steps is followed to see an infinite run.
const MOST_STEPS_BEYOND: usize = 10_000;
/// A lasso that threads have found is replaced by a shorter one found with up to so many times the states.
const FACTOR_FOR_SHORT: u64 = 4;
/// Sets of the automaton beside those of the processes under fairness.
const MOST_SETS_WITH_FAIRNESS: u32 = 64 - Fair::<Interpreter<'static>>::MOST_PROCESSES;

/// Which runs count.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Fairness {
    /// All.
    #[default]
    None,
    /// Those in which no process can move from some state on for ever without doing so.
    Weak,
}

impl Fairness {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Fairness::None => "none",
            Fairness::Weak => "weak",
        }
    }
}

/// Something that looks for accepted runs.
pub(crate) trait LinearEngine {
    /// Which automaton it wants.
    fn acceptance(&self) -> Acceptance {
        Acceptance::States
    }

    /// Which runs count.
    fn fairness(&self) -> Fairness {
        Fairness::None
    }

    /// Which reductions may be used, where they are sound.
    fn reductions(&self) -> Reductions {
        Reductions::NONE
    }

    /// What searched last, when it is not what the user asked for.
    fn name(&self) -> Option<&'static str> {
        None
    }

    /// Looks for evidence about a property in a product with an automaton; `is_plain` when finite runs decide. Gives the
    /// number of threads, too.
    fn run<S: Accepting<Region = NoRegion> + Sync>(
        &mut self,
        system: &S,
        property: PropertyId,
        is_plain: bool,
    ) -> (Outcome, usize);
}

/// The complete engines.
pub(crate) struct Exhaustive<'a> {
    options: &'a CheckOptions,
    monitor: &'a mut dyn Monitor,
    searched: Option<&'static str>,
}

impl<'a> Exhaustive<'a> {
    /// With these options.
    pub(crate) fn new(options: &'a CheckOptions, monitor: &'a mut dyn Monitor) -> Exhaustive<'a> {
        Exhaustive { options, monitor, searched: None }
    }

    /// The threads that can be used for cycles: fairness and a bound on depth take one.
    fn most_threads(&self) -> usize {
        let options = self.options;
        let is_alone = options.max_depth.is_some()
            || options.store != StoreKind::Exact
            || options.clock.is_some()
            || options.fairness != Fairness::None;
        if is_alone { 1 } else { options.threads.max(1) }
    }

    /// Searches with threads for cycles; what they find is replaced by something shorter.
    fn run_together<S: Accepting<Region = NoRegion> + Sync>(
        &mut self,
        system: &S,
        threads: usize,
        limits: Options,
    ) -> Outcome {
        let mut outcome = nested_depth_first_parallel(system, threads, &limits, self.monitor);
        if outcome.evidence.iter().any(|(_, trace)| trace.is_some()) {
            // Which lasso was found depends on the race, and it is long. A search of about as many states by
            // components finds a short one, the same every time.
            let most = FEW_STATES.max(outcome.statistics.states.saturating_mul(FACTOR_FOR_SHORT));
            let again = Options { max_states: Some(most), ..limits };
            let short = strong_components(system, &again, self.monitor);
            if short.evidence.iter().any(|(_, trace)| trace.is_some()) {
                outcome.evidence = short.evidence;
            }
        }
        outcome
    }
}

impl LinearEngine for Exhaustive<'_> {
    fn acceptance(&self) -> Acceptance {
        if self.most_threads() > 1 { Acceptance::States } else { Acceptance::Steps }
    }

    fn fairness(&self) -> Fairness {
        self.options.fairness
    }

    fn reductions(&self) -> Reductions {
        self.options.reductions
    }

    fn name(&self) -> Option<&'static str> {
        self.searched
    }

    fn run<S: Accepting<Region = NoRegion> + Sync>(
        &mut self,
        system: &S,
        property: PropertyId,
        is_plain: bool,
    ) -> (Outcome, usize) {
        let options = self.options;
        if is_plain {
            self.searched = Some(options.engine.name());
            let alone = CheckOptions { continue_after_all: false, ..options.clone() };
            return run(system, &alone, vec![property], self.monitor);
        }
        let limits = Options {
            properties: vec![property],
            max_states: options.max_states,
            max_depth: options.max_depth,
            max_bytes: options.max_bytes,
            ..Options::default()
        };
        let can_share = system.is_state_based() && system.n_sets() <= 1;
        let threads = if can_share { self.most_threads() } else { 1 };
        self.searched = Some("scc");
        let few = limits.max_states.map_or(FEW_STATES, |most| most.min(FEW_STATES));
        let is_first = threads > 1 && limits.max_states != Some(few);
        let first =
            Options { max_states: if is_first { Some(few) } else { limits.max_states }, ..limits.clone() };
        let outcome = strong_components(system, &first, self.monitor);
        if !is_first || outcome.stop != Stop::States {
            return (outcome, 1);
        }
        self.searched = Some("cndfs");
        (self.run_together(system, threads, limits), threads)
    }
}

/// Answers a formula, a question about cycles or a claim with an engine; nothing when the property is something else.
pub(crate) fn check_linear(
    model: &Model,
    property: PropertyId,
    code: Code,
    engine: &mut impl LinearEngine,
) -> Option<Searched> {
    match model.properties[property.index()].question {
        Question::Ltl(_) | Question::Psl(_) | Question::NonProgress | Question::Acceptance => {
            Some(check_formula(model, property, code, engine))
        }
        Question::Claim(_) => Some(check_claim(model, property, engine)),
        _ => None,
    }
}

/// Answers a formula, or a question about cycles.
fn check_formula(
    model: &Model,
    property: PropertyId,
    code: Code,
    engine: &mut impl LinearEngine,
) -> Searched {
    let question = LinearQuestion::new(model, property).expect("the property is a formula");
    check_question(model, &question, code, engine)
}

/// Answers a question about runs; the trace is one of the model.
pub(crate) fn check_question(
    model: &Model,
    question: &LinearQuestion,
    code: Code,
    engine: &mut impl LinearEngine,
) -> Searched {
    let property = question.property();
    let (fairness, wanted) = (engine.fairness(), sound_reductions(question, engine));
    let searched = Checking { model, question, code, fairness, wanted }.check(engine);
    // What is sliced away may keep a loop of the original from closing within reason.
    searched.unwrap_or_else(|| {
        let wanted = Reductions::NONE;
        let again = Checking { model, question, code, fairness, wanted }.check(engine);
        again.unwrap_or_else(|| Searched::without_search(unsupported(property)))
    })
}

/// The reductions that keep the answer.
fn sound_reductions(question: &LinearQuestion, engine: &impl LinearEngine) -> Reductions {
    if engine.fairness() == Fairness::Weak || question.ended().is_some() {
        return Reductions::NONE;
    }
    let wanted = engine.reductions();
    if (wanted.fuse || wanted.partial_order) && !question.is_stutter_invariant() {
        return Reductions { fuse: false, partial_order: false, ..wanted };
    }
    wanted
}

/// A question on its way to an answer.
struct Checking<'a> {
    model: &'a Model,
    question: &'a LinearQuestion,
    code: Code,
    fairness: Fairness,
    wanted: Reductions,
}

/// What a search of a product gave.
struct Answered {
    outcome: Outcome,
    threads: usize,
    /// The trace of the system without the automaton.
    trace: Option<Option<Trace>>,
}

impl Checking<'_> {
    /// The answer; none when the loop of a reduced model does not close in the original.
    fn check(&self, engine: &mut impl LinearEngine) -> Option<Searched> {
        let Checking { model, question, code, fairness, wanted } = *self;
        let (property, asked, at_end) = (question.property(), question.propositions(), question.at_end());
        let reduced = reduce(question.model(), &asked, wanted);
        let order = if wanted.partial_order { PartialOrder::new(&reduced, &asked) } else { None };
        let native = match (code, &order) {
            (Code::Interpreted, _) => None,
            (Code::Native, None) => NativeSystem::new(&reduced, &asked).ok(),
            (Code::Native, Some(_)) => NativeSystem::selective(&reduced, &asked).ok(),
        };
        let interpreter = Interpreter::new(&reduced, &asked);
        let is_fair = fairness == Fairness::Weak;
        let stuttering = Extended::new(interpreter.clone(), at_end);
        let ordered = order.clone().map(|order| Reduced::of(interpreter.clone(), order));
        let answered = match (native, order) {
            // A formula that sees where runs end is not asked about fair ones.
            _ if is_fair && question.ended().is_some() => None,
            (Some(system), _) if let Some(ended) = question.ended() => {
                let reference = MarkedEnd { system: interpreter.clone(), ended };
                self.search(MarkedEnd { system, ended }, &reference, engine)
            }
            (None, _) if let Some(ended) = question.ended() => {
                let reference = MarkedEnd { system: interpreter.clone(), ended };
                self.search(reference.clone(), &reference, engine)
            }
            (Some(native), _) if is_fair => {
                self.search(Fair::new(native, &reduced, at_end), &stuttering, engine)
            }
            (None, _) if is_fair => {
                self.search(Fair::new(interpreter.clone(), &reduced, at_end), &stuttering, engine)
            }
            (Some(native), Some(order)) => {
                let reference = Extended::new(Reduced::of(interpreter.clone(), order.clone()), at_end);
                self.search(Extended::new(Reduced::of(native, order), at_end), &reference, engine)
            }
            (None, Some(order)) => {
                let reference = Extended::new(Reduced::of(interpreter.clone(), order), at_end);
                self.search(reference.clone(), &reference, engine)
            }
            (Some(native), None) => self.search(Extended::new(native, at_end), &stuttering, engine),
            (None, None) => self.search(stuttering.clone(), &stuttering, engine),
        };
        // A formula whose automaton is too large is one that no engine answers.
        let Some(Answered { outcome, threads, trace }) = answered else {
            return Some(Searched::without_search(unsupported(property)));
        };
        let used = Reductions { partial_order: ordered.is_some(), ..wanted };
        let mut verdict = verdict_on(property, &outcome);
        if let Some(projected) = trace {
            let no_evidence = ReplayError::NoEvidence { property, fault: None };
            let projected = projected.unwrap_or_else(|| {
                does_not_replay(model, verdict.trace.as_ref().expect("a trace was projected"), &no_evidence)
            });
            let original = match (used == Reductions::NONE, &ordered) {
                (true, _) => Some(projected),
                (false, Some(ordered)) => self.on_original(ordered, &projected),
                (false, None) => self.on_original(&interpreter, &projected),
            };
            if is_fair && !original.as_ref().is_some_and(|trace| self.is_fair(trace)) {
                // There are more processes than are kept track of.
                return Some(Searched::without_search(unsupported(property)));
            }
            verdict.trace = Some(original?);
        }
        let engine = engine.name();
        Some(Searched { verdict, outcome: Some(outcome), threads, engine, reductions: used })
    }

    /// A trace of a reduced model as one of the original; none when its loop does not close there.
    fn on_original<S>(&self, reduced: &S, trace: &Trace) -> Option<Trace>
    where
        S: System<Region = NoRegion, Label = Move> + Clone,
    {
        let (model, property, at_end) = (self.model, self.question.property(), self.question.at_end());
        let way = Trace { evidence: Evidence::State, ..trace.clone() };
        let original = Extended::new(Interpreter::new(model, &[]), at_end);
        let reduced = Extended::new(reduced.clone(), at_end);
        let followed = match trace.loop_at {
            Some(_) => original_lasso(&original, &reduced, &way),
            None => original_trace(model, &reduced, property, &way).map(Some),
        };
        let found = followed.unwrap_or_else(|error| does_not_replay(model, trace, &error))?;
        Some(Trace { evidence: trace.evidence.clone(), ..found })
    }

    fn search<S, T>(&self, system: S, reference: &T, engine: &mut impl LinearEngine) -> Option<Answered>
    where
        S: Accepting<Region = NoRegion> + Sync,
        T: System<Region = NoRegion, Label = Move> + Clone,
    {
        let mut watcher = self.question.watcher(engine.acceptance()).ok()?;
        if system.n_sets() > 0 && watcher.n_sets() > MOST_SETS_WITH_FAIRNESS {
            watcher = self.question.watcher(Acceptance::States).ok()?;
        }
        let product = Product::new(system, &watcher);
        let (outcome, threads) = engine.run(&product, self.question.property(), watcher.is_plain());
        let trace = self.projected(&outcome, reference, &watcher);
        Some(Answered { outcome, threads, trace })
    }

    /// The trace of an outcome without the automaton, if there is one.
    fn projected<T>(&self, outcome: &Outcome, reference: &T, watcher: &Watcher) -> Option<Option<Trace>>
    where
        T: System<Region = NoRegion, Label = Move> + Clone,
    {
        let trace = outcome.evidence.first()?.1.as_ref()?;
        Some(Product::new(reference.clone(), watcher).project(trace))
    }

    /// Whether the loop of a trace is fair, as the reference interpreter sees it.
    fn is_fair(&self, trace: &Trace) -> bool {
        let Some(loop_at) = trace.loop_at else { return true };
        let system = Extended::new(Interpreter::new(self.model, &[]), self.question.at_end());
        let way = Trace { evidence: Evidence::State, ..trace.clone() };
        let Ok(replay) = fathom_search::replay(&system, &way) else { return false };
        let mut scratch = system.scratch();
        let mut steps = Steps::recording();
        let around: Vec<(Vec<u32>, Vec<u32>)> = replay.visits[loop_at..]
            .windows(2)
            .map(|pair| {
                steps.clear();
                system.successors(&pair[0].state, &NoRegion, &mut scratch, &mut steps);
                let first = |index: usize| steps.labels(index).first().map(|label| label.process);
                let able = (0..steps.len()).filter_map(first).collect();
                let moved = pair[1].labels.iter().flat_map(|label| {
                    [Some(label.process), label.partner.map(|partner| partner.process)].into_iter().flatten()
                });
                (able, moved.collect())
            })
            .collect();
        is_fair_loop(&around)
    }
}

/// Looks for a run that a claim as written forbids, finite or infinite.
fn check_claim(model: &Model, property: PropertyId, engine: &mut impl LinearEngine) -> Searched {
    let watched = Watched::new(model, property).expect("the property is a claim");
    let is_finite = match model.properties[property.index()].question {
        Question::Claim(claim) => Watched::is_finite(model, claim),
        _ => true,
    };
    if engine.fairness() == Fairness::Weak && !is_finite {
        return Searched::without_search(unsupported(property));
    }
    let (outcome, threads) = engine.run(&watched, property, is_finite);
    let verdict = verdict_on(property, &outcome);
    let engine = engine.name();
    Searched { verdict, outcome: Some(outcome), threads, engine, reductions: Reductions::NONE }
}

/// The verdict of a search for violations of one property; an engine that did not search has no evidence.
fn verdict_on(property: PropertyId, outcome: &Outcome) -> Verdict {
    match outcome.evidence.is_empty() {
        true => Verdict { stop: outcome.stop, ..unsupported(property) },
        false => verdicts(outcome, |_| Meaning::Violation).remove(0),
    }
}

/// Whether the loop of a lasso of a claim passes an accepting location. Traces without a loop show a finding.
pub(crate) fn is_accepted<'a>(
    watched: &Watched<'_>,
    trace: &Trace,
    mut states: impl Iterator<Item = &'a [u8]>,
) -> bool {
    let Some(loop_at) = trace.loop_at else { return true };
    states.by_ref().skip(loop_at).any(|state| watched.is_accepting(state))
}

/// Follows a trace that is evidence against a formula on the reference interpreter, and evaluates the formula on it.
pub(crate) fn replay_formula(
    question: &LinearQuestion,
    trace: &Trace,
) -> Result<Replay<NoRegion, Move>, ReplayError> {
    let system = Stuttering(Interpreter::new(question.model(), &question.propositions()));
    let way = Trace { evidence: Evidence::State, ..trace.clone() };
    let replay = fathom_search::replay(&system, &way)?;
    let mut looking = Looking::new(question, &system);
    let mut letters: Vec<Letter> = replay.visits.iter().map(|visit| looking.letter(&visit.state)).collect();
    let is_shown = match (&trace.evidence, trace.loop_at) {
        (Evidence::Finding { fault: Some(fault), .. }, _) => looking.faults().contains(fault),
        (_, Some(loop_at)) => {
            // The last state is the first of the loop again.
            letters.pop();
            looking.is_violated_by(&letters, loop_at)
        }
        (Evidence::Finding { fault: None, .. }, None) => {
            let states: Vec<&[u8]> = replay.visits.iter().map(|visit| &visit.state[..]).collect();
            let loop_start = looking.go_on(&states, &mut letters);
            looking.is_violated_by(&letters, loop_start)
        }
        (Evidence::State, None) => false,
    };
    if is_shown {
        return Ok(replay);
    }
    let fault = match &trace.evidence {
        Evidence::Finding { fault, .. } => fault.clone(),
        Evidence::State => None,
    };
    Err(ReplayError::NoEvidence { property: question.property(), fault })
}

/// The faults of the propositions of a formula in the last state of a trace; none when the property is not a formula.
///
/// # Errors
///
/// When the trace cannot be followed.
pub fn proposition_faults(
    model: &Model,
    property: PropertyId,
    trace: &Trace,
) -> Result<Option<Vec<Fault>>, ReplayError> {
    let Some(question) = LinearQuestion::new(model, property) else { return Ok(None) };
    let system = Stuttering(Interpreter::new(question.model(), &question.propositions()));
    let replay = fathom_search::replay(&system, &Trace { evidence: Evidence::State, ..trace.clone() })?;
    let mut looking = Looking::new(&question, &system);
    if let Some(last) = replay.visits.last() {
        looking.letter(&last.state);
    }
    Ok(Some(looking.faults()))
}

/// Looks at states of the reference interpreter.
struct Looking<'a> {
    question: &'a LinearQuestion,
    system: &'a Stuttering<Interpreter<'a>>,
    scratch: <Interpreter<'a> as System>::Scratch,
    steps: Steps<NoRegion, Move>,
    /// How many states were looked at when the first was that cannot move, itself included.
    ended_after: Option<usize>,
    n_looked_at: usize,
}

impl<'a> Looking<'a> {
    fn new(question: &'a LinearQuestion, system: &'a Stuttering<Interpreter<'a>>) -> Looking<'a> {
        Looking {
            question,
            system,
            scratch: system.scratch(),
            steps: Steps::new(),
            ended_after: None,
            n_looked_at: 0,
        }
    }

    /// What a state says about the propositions.
    fn letter(&mut self, state: &[u8]) -> Letter {
        self.steps.clear();
        self.system.0.successors(state, &NoRegion, &mut self.scratch, &mut self.steps);
        self.n_looked_at += 1;
        if self.steps.is_empty() && self.ended_after.is_none() {
            self.ended_after = Some(self.n_looked_at);
        }
        let letter = self.question.letter(self.steps.findings());
        if self.steps.is_empty() {
            // The state repeats itself.
            self.steps.push(state, NoRegion, &[]);
        }
        letter
    }

    /// Whether the formula is false of the run that was looked at from its start, which goes on as a loop or ends in a state that cannot
    /// move.
    fn is_violated_by(&self, letters: &[Letter], loop_start: usize) -> bool {
        let finite = self.ended_after.and_then(|n_states| {
            self.question.is_violated_by_finite(&letters[..n_states.min(letters.len())])
        });
        finite.unwrap_or_else(|| self.question.is_violated_by(letters, loop_start))
    }

    /// The faults of the propositions in the state looked at last.
    fn faults(&self) -> Vec<Fault> {
        self.steps.findings().iter().filter_map(|finding| finding.fault.clone()).collect()
    }

    /// Goes on from the last of some states until a state comes again, and gives the position of that state. When none
    /// comes within reason, the last state counts as repeated.
    fn go_on(&mut self, states: &[&[u8]], letters: &mut Vec<Letter>) -> usize {
        let Some((last, _)) = states.split_last() else {
            letters.push(Letter(vec![Truth::False; self.question.propositions().len()]));
            return 0;
        };
        let start = states.len() - 1;
        let mut seen: HashMap<Vec<u8>, usize> = HashMap::from([(last.to_vec(), start)]);
        self.letter(last);
        for _ in 0..MOST_STEPS_BEYOND {
            let next = self.steps.state(0).to_vec();
            if let Some(&position) = seen.get(&next) {
                return position;
            }
            letters.push(self.letter(&next));
            seen.insert(next, letters.len() - 1);
        }
        letters.len() - 1
    }
}

/// How far an answer without a search can be trusted, for the report of a run that searched nothing.
pub(crate) fn stop_of(verdicts: &[Verdict]) -> Stop {
    let early = verdicts.iter().find(|verdict| verdict.answer == Answer::Inconclusive);
    match early {
        Some(verdict) => verdict.stop,
        None if verdicts
            .iter()
            .all(|verdict| verdict.trust == Trust::Complete && verdict.trace.is_none()) =>
        {
            Stop::Exhausted
        }
        None => Stop::Found,
    }
}
