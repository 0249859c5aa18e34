//! Formulas of linear temporal logic, and claims about infinite runs: which engine looks for a run that violates
//! them, and the check of what it finds.
//!
//! A formula that a finite run violates if any does is a plain search of the product, with every engine, store and thread
//! there is. The others are a nested depth-first search, on one thread and with the exact store. No reduction is
//! used: the reductions were made for questions about single states.
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
use fathom_search::{Meaning, Monitor, Options, Outcome, Replay, ReplayError, nested_depth_first, verdicts};
use fathom_temporal::{Letter, LinearQuestion, MarkedEnd, Product, Stuttering, Truth};

use crate::check::{CheckOptions, Code, Searched, does_not_replay, run, unsupported};

/// Most steps that a violation after finitely many steps is followed to see an infinite run.
const MOST_STEPS_BEYOND: usize = 10_000;

/// Something that looks for accepted runs.
pub(crate) trait LinearEngine {
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
    pub options: &'a CheckOptions,
    pub monitor: &'a mut dyn Monitor,
}

impl LinearEngine for Exhaustive<'_> {
    fn run<S: Accepting<Region = NoRegion> + Sync>(
        &mut self,
        system: &S,
        property: PropertyId,
        is_plain: bool,
    ) -> (Outcome, usize) {
        let options = self.options;
        if is_plain {
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
        (nested_depth_first(system, &limits, self.monitor), 1)
    }
}

/// Answers a formula or a claim with an engine; nothing when the property is neither.
pub(crate) fn check_linear(
    model: &Model,
    property: PropertyId,
    code: Code,
    engine: &mut impl LinearEngine,
) -> Option<Searched> {
    match model.properties[property.index()].question {
        Question::Ltl(_) | Question::Psl(_) => Some(check_formula(model, property, code, engine)),
        Question::Claim(_) => Some(check_claim(model, property, engine)),
        _ => None,
    }
}

/// Answers a formula.
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
    // A formula whose automaton is too large is one that no engine answers.
    let Ok(watcher) = question.watcher() else { return Searched::without_search(unsupported(property)) };
    let asked = question.propositions();
    let native = match code {
        Code::Native => NativeSystem::new(question.model(), &asked).ok(),
        Code::Interpreted => None,
    };
    let reference = Interpreter::new(question.model(), &asked);
    let is_plain = watcher.is_plain();
    let (outcome, threads) = match (native, question.ended()) {
        (Some(native), None) => engine.run(&Product::new(Stuttering(native), &watcher), property, is_plain),
        (None, None) => {
            engine.run(&Product::new(Stuttering(reference.clone()), &watcher), property, is_plain)
        }
        (Some(system), Some(ended)) => {
            engine.run(&Product::new(MarkedEnd { system, ended }, &watcher), property, is_plain)
        }
        (None, Some(ended)) => {
            let system = MarkedEnd { system: reference.clone(), ended };
            engine.run(&Product::new(system, &watcher), property, is_plain)
        }
    };
    let verdict = verdict_on(property, &outcome);
    let trace = verdict.trace.as_ref().map(|trace| {
        let shown = match question.ended() {
            None => Product::new(Stuttering(reference), &watcher).project(trace),
            Some(ended) => Product::new(MarkedEnd { system: reference, ended }, &watcher).project(trace),
        };
        shown.unwrap_or_else(|| {
            does_not_replay(model, trace, &ReplayError::NoEvidence { property, fault: None })
        })
    });
    Searched { verdict: Verdict { trace, ..verdict }, outcome: Some(outcome), threads }
}

/// Looks for a run that a claim as written forbids, finite or infinite.
fn check_claim(model: &Model, property: PropertyId, engine: &mut impl LinearEngine) -> Searched {
    let watched = Watched::new(model, property).expect("the property is a claim");
    let is_finite = match model.properties[property.index()].question {
        Question::Claim(claim) => Watched::is_finite(model, claim),
        _ => true,
    };
    let (outcome, threads) = engine.run(&watched, property, is_finite);
    Searched { verdict: verdict_on(property, &outcome), outcome: Some(outcome), threads }
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
