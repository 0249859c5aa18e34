//! Verdicts of tests.

use std::fmt;

use crate::action::Action;
use crate::stepper::Broken;

/// Why an implementation fails.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Failure {
    /// It did something that the model does not allow.
    Unexpected {
        /// What it did.
        action: Action,
        /// What it might have done.
        expected: Vec<Action>,
    },
    /// It did nothing where the model says that something happens.
    Missing {
        /// What it might have done.
        expected: Vec<Action>,
    },
    /// It refused an action that the model allows.
    Refused {
        /// The action.
        action: Action,
        /// What it said.
        why: String,
    },
    /// It failed to carry out an action that the model allows.
    Failed {
        /// The action.
        action: Action,
        /// What it said.
        why: String,
    },
    /// It broke down.
    Broken(Broken),
}

impl Failure {
    /// One word for it, in logs and reports.
    pub fn kind(&self) -> &'static str {
        match self {
            Failure::Unexpected { .. } => "unexpected",
            Failure::Missing { .. } => "missing",
            Failure::Refused { .. } => "refused",
            Failure::Failed { .. } => "failed",
            Failure::Broken(Broken::Ended(_)) => "ended",
            Failure::Broken(Broken::Hung(_)) => "hung",
            Failure::Broken(Broken::Garbage(_)) => "garbage",
            Failure::Broken(Broken::Unreachable(_)) => "unreachable",
        }
    }
}

fn list(actions: &[Action]) -> String {
    const MOST: usize = 8;
    let mut shown: Vec<&str> = actions.iter().take(MOST).map(Action::shown).collect();
    match actions.len() {
        0 => return "nothing".to_owned(),
        1..=MOST => (),
        _ => shown.push("…"),
    }
    shown.join(" or ")
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Unexpected { action, expected } => {
                write!(out, "the implementation did {action}, where the model allows {}", list(expected))
            }
            Failure::Missing { expected } => {
                write!(out, "the implementation did nothing, where the model expects {}", list(expected))
            }
            Failure::Refused { action, why } => write!(out, "the implementation refused {action}: {why}"),
            Failure::Failed { action, why } => write!(out, "the implementation failed to do {action}: {why}"),
            Failure::Broken(broken) => write!(out, "{broken}"),
        }
    }
}

/// The answer of a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TestVerdict {
    /// Nothing was wrong, as far as the test went.
    Pass,
    /// The implementation did what no run of the model does.
    Fail(Failure),
    /// The test did not come to its end, and why.
    Inconclusive(String),
}

impl TestVerdict {
    /// One word for it, in logs and reports.
    pub fn name(&self) -> &'static str {
        match self {
            TestVerdict::Pass => "pass",
            TestVerdict::Fail(_) => "fail",
            TestVerdict::Inconclusive(_) => "inconclusive",
        }
    }

    /// The failure, if it is one.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            TestVerdict::Fail(failure) => Some(failure),
            _ => None,
        }
    }
}

/// An implementation that cannot be reached is not at fault.
impl From<Broken> for TestVerdict {
    fn from(broken: Broken) -> TestVerdict {
        match broken {
            Broken::Unreachable(_) => TestVerdict::Inconclusive(broken.to_string()),
            _ => TestVerdict::Fail(Failure::Broken(broken)),
        }
    }
}

impl From<Failure> for TestVerdict {
    fn from(failure: Failure) -> TestVerdict {
        TestVerdict::Fail(failure)
    }
}
