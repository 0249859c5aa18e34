//! What is asked of a network.

use fathom_logic::{Formulas, Propositions};
use fathom_model::AskedOfRuns;
use fathom_source::Span;

use crate::expr::Expr;
use crate::extremum::Extremum;
use crate::liveness::LivenessQuestion;
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
    /// There is a maximal run on which one of these is true all the time.
    Always(Vec<Conjunct>),
    /// There is no maximal run on which one of these is true all the time: what is to become true on each, turned round.
    NotAlways(Vec<Conjunct>),
    /// There is no run that comes to one of the first and has one of the second true all the time from then on.
    LeadsTo(Vec<Conjunct>, Vec<Conjunct>),
    /// The largest or least value of something.
    Extremum(Extremum),
    /// Every run satisfies a formula.
    Linear(Box<TimedFormula>),
}

/// A formula about runs, over conditions on locations and integers.
#[derive(Clone, Debug)]
pub struct TimedFormula {
    /// The table of its parts.
    pub formulas: Formulas,
    /// The formula.
    pub asked: AskedOfRuns,
    /// What the propositions are called.
    pub names: Propositions,
    /// What the propositions mean, in the order of their names: true when it is not 0.
    pub propositions: Vec<Expr>,
}

impl TimedQuestion {
    /// The word for it in reports.
    pub fn kind(&self) -> &'static str {
        match self {
            TimedQuestion::Reach(_) => "reach",
            TimedQuestion::Never(_) => "invariant",
            TimedQuestion::RuntimeError => "runtime-error",
            TimedQuestion::Deadlock => "deadlock",
            TimedQuestion::Always(_) => "always",
            TimedQuestion::NotAlways(_) => "eventually",
            TimedQuestion::LeadsTo(..) => "leads-to",
            TimedQuestion::Extremum(asked) if asked.is_largest => "supremum",
            TimedQuestion::Extremum(_) => "infimum",
            TimedQuestion::Linear(formula) => match formula.asked {
                AskedOfRuns::Ltl(_) => "ltl",
                AskedOfRuns::Psl(..) => "psl",
            },
        }
    }

    /// Whether it is asked only when someone names it: it takes an extrapolation of its own.
    pub fn is_on_request(&self) -> bool {
        matches!(self, TimedQuestion::Deadlock)
    }

    /// Whether it has a search of its own, and cannot be answered together with others.
    pub fn is_apart(&self) -> bool {
        self.liveness().is_some() || matches!(self, TimedQuestion::Extremum(_) | TimedQuestion::Linear(_))
    }

    /// What a search looks for, if it is about single states.
    pub fn conjuncts(&self) -> &[Conjunct] {
        match self {
            TimedQuestion::Reach(conjuncts) | TimedQuestion::Never(conjuncts) => conjuncts,
            _ => &[],
        }
    }

    /// Everything that it says about single states, in lists whose order does not matter; none when there is more to it.
    pub(crate) fn conditions(&self) -> Option<Vec<Vec<Conjunct>>> {
        match self {
            TimedQuestion::Reach(conjuncts) | TimedQuestion::Never(conjuncts) => {
                Some(vec![conjuncts.clone()])
            }
            TimedQuestion::RuntimeError | TimedQuestion::Deadlock => Some(Vec::new()),
            TimedQuestion::Always(within) | TimedQuestion::NotAlways(within) => Some(vec![within.clone()]),
            TimedQuestion::LeadsTo(beginning, within) => Some(vec![beginning.clone(), within.clone()]),
            TimedQuestion::Extremum(asked) => {
                Some(vec![asked.among.clone(), vec![asked.measured.as_conjunct()]])
            }
            TimedQuestion::Linear(_) => None,
        }
    }

    /// The run for ever that is looked for, if one is.
    pub fn liveness(&self) -> Option<LivenessQuestion<'_>> {
        match self {
            TimedQuestion::Always(within) | TimedQuestion::NotAlways(within) => {
                Some(LivenessQuestion { within, beginning: None })
            }
            TimedQuestion::LeadsTo(beginning, within) => {
                Some(LivenessQuestion { within, beginning: Some(beginning) })
            }
            _ => None,
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
    /// Whether no move is possible, at once or after any wait; nothing when that does not matter.
    pub is_stuck: Option<bool>,
}
