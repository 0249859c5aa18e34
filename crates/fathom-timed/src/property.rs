//! What is asked of a network.

use fathom_source::Span;

use crate::expr::Expr;
use crate::network::ClockConstraint;

/// One question.
#[derive(Clone, Debug)]
pub struct TimedProperty {
    /// Unique name, for reports and for `--property`.
    pub name: String,
    /// The question.
    pub question: TimedQuestion,
    /// Where it is written, when it is.
    pub span: Option<Span>,
}

/// The form of a question.
#[derive(Clone, Debug)]
pub enum TimedQuestion {
    /// One of these is true in some state.
    Reach(Vec<Conjunct>),
    /// None of these is true in any state: the condition that holds in every state, turned round.
    Never(Vec<Conjunct>),
    /// No step runs into a fault.
    RuntimeError,
    /// From every state some move is possible, at once or after a wait.
    Deadlock,
}

impl TimedQuestion {
    /// The word for it in reports.
    pub fn kind(&self) -> &'static str {
        match self {
            TimedQuestion::Reach(_) => "reach",
            TimedQuestion::Never(_) => "invariant",
            TimedQuestion::RuntimeError => "runtime-error",
            TimedQuestion::Deadlock => "deadlock",
        }
    }

    /// Whether it is asked only when someone names it: it takes an extrapolation of its own.
    pub fn is_on_request(&self) -> bool {
        matches!(self, TimedQuestion::Deadlock)
    }

    /// What a search looks for, if it is about single states.
    pub fn conjuncts(&self) -> &[Conjunct] {
        match self {
            TimedQuestion::Reach(conjuncts) | TimedQuestion::Never(conjuncts) => conjuncts,
            TimedQuestion::RuntimeError | TimedQuestion::Deadlock => &[],
        }
    }
}

/// Conditions on locations and integers, and bounds on clocks, all of which have to be true at once.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Conjunct {
    /// Each is true when it is not 0.
    pub conditions: Vec<Expr>,
    /// The bounds.
    pub clocks: Vec<ClockConstraint>,
}
