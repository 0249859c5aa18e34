//! Evidence against formulas of linear temporal logic and claims, looked at once more.
//!
//! A lasso is followed on the reference interpreter, and the formula is evaluated on it by an evaluator that knows
//! nothing of automata. Of a violation after finitely many steps, one infinite run that goes on from there is evaluated
//! the same way.

use std::collections::HashMap;

use fathom_model::{Evidence, Fault, Interpreter, Model, Move, NoRegion, PropertyId, Steps, System, Trace};
use fathom_search::{Replay, ReplayError};
use fathom_temporal::{Extended, Letter, LinearQuestion, Truth};

/// Most steps that a violation after finitely many steps is followed to see an infinite run.
const MOST_STEPS_BEYOND: usize = 10_000;

/// Follows a trace that is evidence against a formula on the reference interpreter, and evaluates the formula on it.
pub(crate) fn replay_formula(
    question: &LinearQuestion,
    trace: &Trace,
) -> Result<Replay<NoRegion, Move>, ReplayError> {
    let system = Extended::repeating(Interpreter::new(question.model(), &question.propositions()));
    let way = Trace { evidence: Evidence::State, ..trace.clone() };
    let replay = fathom_search::replay(&system, &way)?;
    let mut looking = Looking::new(question, &system);
    let mut letters: Vec<Letter> = replay.visits.iter().map(|visit| looking.letter(&visit.state)).collect();
    let is_shown = match (&trace.evidence, trace.loop_at) {
        (Evidence::Finding { fault: Some(fault), .. }, _) => {
            looking.faults().contains(fault) || question.claim_errors(&letters).contains(&Some(fault.clone()))
        }
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

/// A trace that violates a claim after finitely many steps, with the fault that the claim runs into at its end, if it does.
pub(crate) fn with_named_fault(question: &LinearQuestion, trace: Trace) -> Trace {
    let Evidence::Finding { property, fault: None } = trace.evidence else { return trace };
    let Ok((_, letters)) = letters_of(question, &trace) else { return trace };
    let fault = question.claim_errors(&letters).into_iter().min_by_key(Option::is_some).flatten();
    Trace { evidence: Evidence::Finding { property, fault }, ..trace }
}

/// The faults of the propositions of a formula in the last state of a trace, and those of a claim; none when the property is neither.
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
    let (mut faults, letters) = letters_of(&question, trace)?;
    faults.extend(question.claim_errors(&letters).into_iter().flatten());
    Ok(Some(faults))
}

/// The faults of the propositions in the last state of a trace, and what all its states say about them.
fn letters_of(question: &LinearQuestion, trace: &Trace) -> Result<(Vec<Fault>, Vec<Letter>), ReplayError> {
    let system = Extended::repeating(Interpreter::new(question.model(), &question.propositions()));
    let replay = fathom_search::replay(&system, &Trace { evidence: Evidence::State, ..trace.clone() })?;
    let mut looking = Looking::new(question, &system);
    let letters = replay.visits.iter().map(|visit| looking.letter(&visit.state)).collect();
    Ok((looking.faults(), letters))
}

/// Looks at states of the reference interpreter.
struct Looking<'a> {
    question: &'a LinearQuestion,
    system: &'a Extended<Interpreter<'a>>,
    scratch: <Interpreter<'a> as System>::Scratch,
    steps: Steps<NoRegion, Move>,
    /// How many states were looked at when the first was that cannot move, itself included.
    ended_after: Option<usize>,
    n_looked_at: usize,
}

impl<'a> Looking<'a> {
    fn new(question: &'a LinearQuestion, system: &'a Extended<Interpreter<'a>>) -> Looking<'a> {
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
        self.system.inner().successors(state, &NoRegion, &mut self.scratch, &mut self.steps);
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
