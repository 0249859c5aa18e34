//! Traces made shorter: those to a single state on the model, those that violate a formula on its product with the automaton.
//!
//! A trace against a formula says nothing of the automaton, so its moves are found first ([`Product::lift`](fathom_temporal::Product::lift)).
//! Then a loop is as good as any other through an accepting state, and a finite violation is shortened like the way to any state. A loop that is
//! fair to all processes may owe its place in a report to that; when a shorter one is not, the loop stays and only the way to it is made shorter.

use fathom_hunt::{Around, ShortenOptions};
use fathom_model::{Accepting, Model, Move, NoRegion, PropertyId, Question, Stop, Trace};
use fathom_search::{Monitor, Outcome, Replay, ReplayError};
use fathom_temporal::LinearQuestion;

use crate::check::{Code, replay, try_replay};
use crate::code::system_of;
use crate::hunt_linear::{ByAutomaton, without_search};
use crate::linear::{Fairness, LinearEngine, check_question};
use crate::linear_product::Checking;
use crate::reduce::Reductions;

/// Makes a trace shorter, or leaves it as it is. The trace that comes back has been replayed. Evidence about branching time is left as it is.
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
    if let Some(question) = LinearQuestion::new(model, property) {
        try_replay(model, property, trace)?;
        let shorter = shorten_linear(model, &question, trace, monitor);
        let shorter = fold(&try_replay(model, property, &shorter)?, shorter);
        replay(model, property, &shorter);
        return Ok(shorter);
    }
    if let Question::Ctl(_) = model.properties[property.index()].question {
        return try_replay(model, property, trace).map(|_| trace.clone());
    }
    let options = ShortenOptions::default();
    let (system, _) = system_of(model, &[property], Code::Native, None);
    let shorter = fathom_hunt::shorten(&system, trace, &options, monitor)?;
    replay(model, property, &shorter);
    Ok(shorter)
}

/// A trace against a formula or a claim, no longer than this one.
fn shorten_linear(
    model: &Model,
    question: &LinearQuestion,
    trace: &Trace,
    monitor: &mut dyn Monitor,
) -> Trace {
    let checking =
        Checking { model, question, code: Code::Native, fairness: Fairness::None, wanted: Reductions::NONE };
    let must_be_fair = trace.loop_at.is_some() && checking.is_fair(trace);
    let ways: &[Around] = if must_be_fair { &[Around::Shorter, Around::Same] } else { &[Around::Shorter] };
    for &around in ways {
        let mut engine = Shortener { given: trace, lifted: None, around, monitor: &mut *monitor };
        let shorter = check_question(model, question, Code::Native, &mut engine).verdict.trace;
        let fits = |shorter: &Trace| {
            shorter.choices.len() < trace.choices.len() && (!must_be_fair || checking.is_fair(shorter))
        };
        if let Some(shorter) = shorter.filter(fits) {
            return shorter;
        }
    }
    trace.clone()
}

/// The same infinite run with the fewest steps: a loop that goes round several times does so once, and the way to it ends where it
/// first goes as the loop does. The automaton may have needed the rest.
fn fold(replay: &Replay<NoRegion, Move>, trace: Trace) -> Trace {
    let Some(mut loop_at) = trace.loop_at else { return trace };
    let mut choices = trace.choices;
    let step = |choices: &[u32], place: usize| (&replay.visits[place].state, choices[place]);
    let length = choices.len() - loop_at;
    let goes_round = |period: &usize| {
        length.is_multiple_of(*period)
            && (loop_at..choices.len() - period)
                .all(|place| step(&choices, place) == step(&choices, place + period))
    };
    let period = (1..=length).find(goes_round).unwrap_or(length);
    choices.truncate(loop_at + period);
    while loop_at > 0 && step(&choices, loop_at - 1) == step(&choices, choices.len() - 1) {
        choices.pop();
        loop_at -= 1;
    }
    Trace { choices, loop_at: Some(loop_at), ..trace }
}

/// Makes one trace shorter on the product.
struct Shortener<'a> {
    given: &'a Trace,
    lifted: Option<Trace>,
    around: Around,
    monitor: &'a mut dyn Monitor,
}

impl LinearEngine for Shortener<'_> {
    fn given(&self) -> Option<&Trace> {
        Some(self.given)
    }

    fn note_lifted(&mut self, trace: Trace) {
        self.lifted = Some(trace);
    }

    fn run<S: Accepting<Region = NoRegion> + Sync>(
        &mut self,
        system: &S,
        property: PropertyId,
        _: bool,
    ) -> (Outcome, usize) {
        let shorter = self.lifted.take().and_then(|lifted| match lifted.loop_at {
            Some(_) => {
                let accepting = ByAutomaton(system);
                fathom_hunt::shorten_lasso(system, &lifted, &accepting, self.around, self.monitor).ok()
            }
            None => fathom_hunt::shorten(system, &lifted, &ShortenOptions::default(), self.monitor).ok(),
        });
        let Some(shorter) = shorter else { return (without_search(&[], Stop::Unsupported), 1) };
        let outcome = without_search(&[property], Stop::Found);
        (Outcome { evidence: vec![(property, Some(shorter))], ..outcome }, 1)
    }
}
