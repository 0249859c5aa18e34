//! On-line testing: an implementation is tested against a model, step by step as it answers.
//!
//! The tester plays against the implementation. It chooses among the *controllable* actions that the model allows, sends them through a
//! [`Stepper`], and takes what the implementation does on its own, the *observable* actions, for evidence: an observation that the model
//! does not allow is a failure, and so is silence where the model does not allow silence. The conformance relation is that of Tretmans
//! ("Test generation with inputs, outputs and repetitive quiescence", 1996), for models that need not accept every input: the tester keeps the
//! set of states that the model may be in ([`Estimate`]) and sends only what all of them accept.
//!
//! Which action comes next is a [`Strategy`]: random, least visited, best after a bounded look-ahead (`NextStep` of Katara and Kervinen, HVC
//! 2006), or on the shortest way to something that is not covered yet. [`test()`] runs a test, [`replay()`] follows the log of one, [`shorten()`] makes a
//! failing log shorter against the restarted implementation.
//!
//! **Invariant:** nothing here knows processes, sockets, files or clocks: they are behind [`Stepper`] and [`Watch`].

mod action;
mod earlier;
mod estimate;
mod expand;
mod explored;
mod log;
mod model;
mod nearest;
mod next_step;
mod replay;
mod shorten;
mod stepper;
mod strategy;
mod tester;
#[cfg(test)]
mod tests;
mod tracker;
mod turn;
mod verdict;

pub use action::{Action, Term};
pub use estimate::{Enabled, Estimate, TooManyStates};
pub use expand::{Expansion, expand};
pub use explored::Explored;
pub use log::{Entry, RunLog, Stimulus, stimuli};
pub use model::{ModelStep, Role, Roles, State, Systematic, TestModel};
pub use replay::{follow, replay};
pub use shorten::{Shortened, shorten};
pub use stepper::{Answer, Broken, Embedded, Heard, Implementation, Outcome, Stepper, Ticked};
pub use strategy::{Choice, Strategy};
pub use tester::{EndRule, TestOptions, TestReport, Watch, test};
pub use tracker::{Tracker, universe};
pub use verdict::{Failure, TestVerdict};
