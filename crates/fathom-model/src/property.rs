//! Properties: what is asked of a model.

use fathom_source::Span;

use crate::{Expr, TemplateId};

/// One question.
#[derive(Clone, Debug)]
pub struct Property {
    /// Unique name, for reports and for `--property`.
    pub name: String,
    /// The question.
    pub question: Question,
    /// Where it is written, when it is.
    pub span: Option<Span>,
}

/// The form of a question.
#[derive(Clone, Debug)]
pub enum Question {
    /// Whenever nothing can move, every process is at a location where it may rest.
    Deadlock,
    /// No assertion fails.
    Assertion,
    /// No step runs into a [`Fault`](crate::Fault): division by zero, an index out of range, a misuse of
    /// a channel.
    RuntimeError,
    /// True in every state.
    Invariant(Expr),
    /// True in some state.
    Reach(Expr),
    /// A formula of linear temporal logic, true of every run.
    Ltl(Formula),
    /// A claim as written: the system has no run that the claim accepts.
    Claim(TemplateId),
    /// An event trace as written.
    EventTrace(TemplateId),
}

impl Question {
    /// The word for it in reports.
    pub fn kind(&self) -> &'static str {
        match self {
            Question::Deadlock => "deadlock",
            Question::Assertion => "assertion",
            Question::RuntimeError => "runtime-error",
            Question::Invariant(_) => "invariant",
            Question::Reach(_) => "reach",
            Question::Ltl(_) => "ltl",
            Question::Claim(_) => "never",
            Question::EventTrace(_) => "trace",
        }
    }

    /// Whether a search of the states of the model alone answers it.
    pub fn is_safety(&self) -> bool {
        !matches!(self, Question::Ltl(_) | Question::Claim(_) | Question::EventTrace(_))
    }
}

/// A formula of linear temporal logic over expressions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Formula {
    /// True in a state when the expression is not 0.
    State(Expr),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Equivalent(Box<Formula>, Box<Formula>),
    Next(Box<Formula>),
    Always(Box<Formula>),
    Eventually(Box<Formula>),
    Until(Box<Formula>, Box<Formula>),
    WeakUntil(Box<Formula>, Box<Formula>),
    Release(Box<Formula>, Box<Formula>),
}
