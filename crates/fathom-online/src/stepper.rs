//! Steppers: how a tester reaches an implementation.
//!
//! The idea and the word are NModel's (Jacky, Veanes, Campbell and Schulte 2008): something that resets the implementation, carries out an
//! action on it, and says what comes back. Here it also waits, lets time pass, and has words for an implementation that breaks down.
//! [`Embedded`] reaches an implementation in the same program; others are at the edge, where processes and sockets are.

use std::fmt;

use crate::action::Action;

/// What came back for an action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// What the implementation had done before it heard of the action.
    pub earlier: Vec<Action>,
    /// What became of the action.
    pub outcome: Outcome,
}

/// What became of an action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It was done, and this came of it at once.
    Done(Vec<Action>),
    /// The implementation does not do it here, and says why.
    Refused(String),
    /// The implementation tried and failed, and says how.
    Failed(String),
}

/// What was heard while waiting.
pub type Heard = Option<Action>;

/// What happened while a unit of time was to pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ticked {
    /// It passed; this came at its end.
    Passed(Vec<Action>),
    /// This came before it was over; it has not passed.
    Heard(Action),
    /// This came before it was over, but so near to the end that it may as well have come after it; it has passed.
    Nearly(Action),
}

/// An implementation that no longer answers as it should.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Broken {
    /// It came to an end, and how.
    Ended(String),
    /// It did not answer in time, to what.
    Hung(String),
    /// It said something that is no answer.
    Garbage(String),
    /// It cannot be reached, which says nothing about it.
    Unreachable(String),
}

impl fmt::Display for Broken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Ended(how) => write!(out, "the implementation ended: {how}"),
            Broken::Hung(to_what) => write!(out, "the implementation did not answer in time: {to_what}"),
            Broken::Garbage(what) => {
                write!(out, "the implementation said something that is no answer: {what}")
            }
            Broken::Unreachable(why) => write!(out, "the implementation cannot be reached: {why}"),
        }
    }
}

/// A way to reach an implementation.
///
/// No method waits for ever: an implementation that does not answer is [`Broken::Hung`].
pub trait Stepper {
    /// Brings the implementation to its beginning, starting it again if it is broken.
    ///
    /// # Errors
    ///
    /// When it cannot.
    fn reset(&mut self) -> Result<(), Broken>;

    /// Carries out an action.
    ///
    /// # Errors
    ///
    /// When the implementation breaks down.
    fn perform(&mut self, action: &Action) -> Result<Answer, Broken>;

    /// What the implementation has done and nobody has heard yet; does not wait.
    ///
    /// # Errors
    ///
    /// When the implementation breaks down.
    fn poll(&mut self) -> Result<Heard, Broken>;

    /// Waits for the implementation to do something, for as long as it takes to call it silent.
    ///
    /// # Errors
    ///
    /// When the implementation breaks down.
    fn wait(&mut self) -> Result<Heard, Broken>;

    /// Lets one unit of time pass.
    ///
    /// # Errors
    ///
    /// When the implementation breaks down.
    fn tick(&mut self) -> Result<Ticked, Broken>;

    /// Waits for something that has to happen now, without letting time pass: for as long as clocks may differ.
    ///
    /// # Errors
    ///
    /// When the implementation breaks down.
    fn due(&mut self) -> Result<Heard, Broken> {
        self.poll()
    }

    /// Whether a unit of time is over, or as good as over, that the tester has not let pass: a real clock does not wait for it.
    fn is_behind(&self) -> bool {
        false
    }
}

/// An implementation in the same program.
pub trait Implementation {
    /// Back to the beginning.
    fn reset(&mut self);

    /// Carries out an action and gives what came of it at once.
    ///
    /// # Errors
    ///
    /// Why it does not.
    fn perform(&mut self, action: &Action) -> Result<Vec<Action>, String>;

    /// Does something on its own, if there is something to do.
    fn act(&mut self) -> Option<Action> {
        None
    }

    /// One unit of time passes; gives what happens at its end.
    fn tick(&mut self) -> Vec<Action> {
        Vec::new()
    }
}

/// Reaches an implementation in the same program, with a clock that is counted, not read.
#[derive(Debug)]
pub struct Embedded<I>(pub I);

impl<I: Implementation> Stepper for Embedded<I> {
    fn reset(&mut self) -> Result<(), Broken> {
        self.0.reset();
        Ok(())
    }

    fn perform(&mut self, action: &Action) -> Result<Answer, Broken> {
        let outcome = match self.0.perform(action) {
            Ok(observed) => Outcome::Done(observed),
            Err(why) => Outcome::Refused(why),
        };
        Ok(Answer { earlier: Vec::new(), outcome })
    }

    fn poll(&mut self) -> Result<Heard, Broken> {
        Ok(None)
    }

    fn wait(&mut self) -> Result<Heard, Broken> {
        Ok(self.0.act())
    }

    fn tick(&mut self) -> Result<Ticked, Broken> {
        match self.0.act() {
            Some(action) => Ok(Ticked::Heard(action)),
            None => Ok(Ticked::Passed(self.0.tick())),
        }
    }

    fn due(&mut self) -> Result<Heard, Broken> {
        Ok(self.0.act())
    }
}
