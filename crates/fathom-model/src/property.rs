//! Properties: what is asked of a model.

use fathom_logic::{Automaton, CtlFormula, CtlFormulas, Formulas, Propositions, Psl};
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
    /// A formula of computation tree logic, true in every initial state.
    Ctl(Box<CtlProperty>),
    /// A formula of the property specification language, true of every run.
    Psl(Box<PslProperty>),
    /// An automaton from elsewhere: it accepts no run.
    Automaton(Box<AutomatonProperty>),
    /// Every infinite run passes locations marked as progress again and again. Runs that end do not matter.
    NonProgress,
    /// No run passes locations marked as accepting again and again, nor ends at one.
    Acceptance,
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
            Question::Ctl(_) => "ctl",
            Question::Psl(_) => "psl",
            Question::Automaton(_) => "automaton",
            Question::NonProgress => "non-progress",
            Question::Acceptance => "acceptance",
            Question::Claim(_) => "never",
            Question::EventTrace(_) => "trace",
        }
    }

    /// Whether a search of the states of the model alone answers it.
    pub fn is_safety(&self) -> bool {
        !matches!(
            self,
            Question::Ltl(_)
                | Question::Ctl(_)
                | Question::Psl(_)
                | Question::Automaton(_)
                | Question::NonProgress
                | Question::Acceptance
                | Question::Claim(_)
                | Question::EventTrace(_)
        )
    }

    /// Whether it is asked only when someone names it: marks on locations may be there for other reasons.
    pub fn is_on_request(&self) -> bool {
        matches!(self, Question::NonProgress | Question::Acceptance)
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

/// A formula of computation tree logic over expressions.
///
/// Runs that end repeat their last state for ever. The formula is true of a model when it is true in every initial state.
#[derive(Clone, Debug)]
pub struct CtlProperty {
    /// The table of the formula.
    pub formulas: CtlFormulas,
    /// The formula.
    pub formula: CtlFormula,
    /// What the propositions are called.
    pub names: Propositions,
    /// What the propositions mean, in the order of their names.
    pub propositions: Vec<Expr>,
    /// State formulas of the table: path quantifiers speak only about paths on which each of them is true again and
    /// again.
    pub fairness: Vec<CtlFormula>,
}

/// A formula of the property specification language over expressions.
#[derive(Clone, Debug)]
pub struct PslProperty {
    /// The table of the state formulas in it.
    pub formulas: Formulas,
    /// The formula.
    pub psl: Psl,
    /// What the propositions are called.
    pub names: Propositions,
    /// What the propositions mean, in the order of their names.
    pub propositions: Vec<Expr>,
    /// What a run that ends is taken for.
    pub end: RunEnd,
}

/// A Büchi automaton over expressions, of the runs that must not be.
///
/// Runs that end repeat their last state for ever.
#[derive(Clone, Debug)]
pub struct AutomatonProperty {
    /// The automaton, with any number of acceptance sets.
    pub automaton: Automaton,
    /// What the propositions are called.
    pub names: Propositions,
    /// What the propositions mean, in the order of their names.
    pub propositions: Vec<Expr>,
}

/// A formula about runs, over propositions of whatever kind.
#[derive(Clone, Debug)]
pub enum AskedOfRuns {
    /// Of linear temporal logic.
    Ltl(fathom_logic::Formula),
    /// Of the property specification language, with what a run of finitely many moves is taken for.
    Psl(Psl, RunEnd),
}

/// What a run that ends is taken for by a formula about runs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum RunEnd {
    /// An infinite run that repeats its last state.
    #[default]
    Stutter,
    /// A finite run: strong operators want what they wait for before its end, weak ones do not.
    Neutral,
    /// A run that was cut off: what is not yet refuted holds.
    Weak,
    /// A run that was cut off: only what is shown already holds.
    Strong,
}

impl RunEnd {
    /// The name in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            RunEnd::Stutter => "stutter",
            RunEnd::Neutral => "neutral",
            RunEnd::Weak => "weak",
            RunEnd::Strong => "strong",
        }
    }
}
