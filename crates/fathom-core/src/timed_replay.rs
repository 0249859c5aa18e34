//! Runs of timed automata that come from elsewhere, such as a file: do they show what they are said to show?
//!
//! Every rule of the network is looked at again by its concrete meaning. Nothing of the search that found the run is taken on trust but this:
//! that a loop of locations and integers can be gone round again and again.

use fathom_model::Fault;
use fathom_timed::concrete::{ConcreteState, Goal, TimedRun, check_run, check_run_within, fault_after};
use fathom_timed::liveness::{ForEver, LivenessQuestion};
use fathom_timed::{Conjunct, Network, TimedQuestion};

use crate::timed_linear::check_linear_again;

/// A run, and what it is said to show about a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShownRun {
    /// The run.
    pub run: TimedRun,
    /// How it goes on for ever, where that matters.
    pub for_ever: Option<ForEver>,
    /// The move after it that is a fault; no edges for none.
    pub faulty: Vec<(usize, usize)>,
}

/// Checks a run that is said to show something about a question. Gives its states, and the fault that it ends with.
///
/// # Errors
///
/// What is wrong with it.
pub fn check_timed_again(
    network: &Network,
    question: &TimedQuestion,
    shown: &ShownRun,
) -> Result<(Vec<ConcreteState>, Option<Fault>), String> {
    let ShownRun { run, for_ever, faulty } = shown;
    // Without edges, it is the wait that is a fault.
    if !faulty.is_empty() || matches!(question, TimedQuestion::RuntimeError) {
        let (states, fault) = fault_after(network, run, faulty).map_err(|error| error.to_string())?;
        return match (question, fault) {
            (TimedQuestion::RuntimeError, Some(fault)) => Ok((states, Some(fault))),
            _ => Err("the move after the run is no fault".to_owned()),
        };
    }
    if let Some(looked_for) = question.liveness() {
        let for_ever = for_ever.ok_or("it is not said how the run goes on")?;
        return check_for_ever(network, looked_for, run, for_ever).map(|states| (states, None));
    }
    if let TimedQuestion::Linear(asked) = question {
        return check_linear_again(network, asked, run, *for_ever).map(|states| (states, None));
    }
    let goal = match question {
        TimedQuestion::Deadlock => Goal::Deadlock,
        _ => Goal::OneOf(question.conjuncts()),
    };
    check_run(network, run, goal).map(|states| (states, None)).map_err(|error| error.to_string())
}

/// Whether something is true for ever, from some moment of the run on: from its beginning, or from one where it has to be.
fn check_for_ever(
    network: &Network,
    looked_for: LivenessQuestion<'_>,
    run: &TimedRun,
    for_ever: ForEver,
) -> Result<Vec<ConcreteState>, String> {
    let stuck = [Conjunct { is_stuck: Some(true), ..Conjunct::default() }];
    let goal = match for_ever {
        ForEver::Stuck => Goal::OneOf(&stuck),
        ForEver::Waiting => Goal::Waiting(looked_for.within),
        ForEver::Loop(_) => Goal::OneOf(looked_for.within),
    };
    // A moment of its own says where it begins.
    let mut moments = run.steps.iter().enumerate().filter(|(_, step)| step.edges.is_empty());
    let from = match looked_for.beginning {
        None => 0,
        Some(_) => moments.next_back().ok_or("it is not said where it begins")?.0 + 1,
    };
    let checked = check_run_within(network, run, goal, (from, looked_for.within));
    let states = checked.map_err(|error| error.to_string())?;
    if let Some(beginning) = looked_for.beginning {
        let until = TimedRun { steps: run.steps[..from].to_vec(), last_delay: 0, ..run.clone() };
        check_run(network, &until, Goal::OneOf(beginning)).map_err(|error| error.to_string())?;
    }
    if let ForEver::Loop(at) = for_ever {
        let valuation = |number: usize| states.get(number).map(|state| &state.valuation);
        if at >= run.steps.len() || valuation(at) != valuation(run.steps.len()) {
            return Err("the loop does not come back".to_owned());
        }
    }
    Ok(states)
}
