//! What there is to say about a formula beyond its verdict.

use fathom_logic::CtlFormula;
use fathom_model::{Move, PropertyId, Stop, Trace};
use fathom_temporal::Tree;

/// What there is to say about a formula beyond its verdict.
#[derive(Clone, Debug)]
pub struct Insight {
    /// The property.
    pub property: PropertyId,
    /// Why the formula is true or false, with the steps of all paths.
    pub tree: Option<ShownTree>,
    /// Parts that do not matter, if that was asked and the formula holds.
    pub vacuous: Vec<Vacuous>,
    /// Propositions that are the same in all states, if that was asked.
    pub constants: Vec<Constant>,
}

impl Insight {
    /// Nothing to say.
    pub(crate) fn new(property: PropertyId) -> Insight {
        Insight { property, tree: None, vacuous: Vec::new(), constants: Vec::new() }
    }

    /// Only if there is something to say.
    pub(crate) fn if_any(self) -> Option<Insight> {
        let is_empty = self.tree.is_none() && self.vacuous.is_empty() && self.constants.is_empty();
        (!is_empty).then_some(self)
    }
}

/// A part of a formula that holds and would hold whatever stood there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vacuous {
    /// The part that does not matter.
    pub part: String,
    /// The stronger formula, which holds too: with a constant for the part.
    pub stronger: String,
    /// What the part is the whole consequence of: that never happens where it would matter.
    pub cause: Option<String>,
}

/// A proposition that is the same in all states that can be reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constant {
    /// The proposition.
    pub proposition: String,
    /// What it is.
    pub value: bool,
}

/// The states that satisfy a formula of computation tree logic.
#[derive(Clone, Debug)]
pub struct Satisfying {
    /// The property that the formula is.
    pub property: PropertyId,
    /// Number of states that can be reached.
    pub n_states: u64,
    /// For each part of the formula, operands first: how many states satisfy it.
    pub parts: Vec<SatisfiedPart>,
    /// The nearest states that satisfy the formula, with the ways to them.
    pub nearest: Vec<Trace>,
    /// Why the search ended; with anything but [`Stop::Exhausted`] nothing is known.
    pub stop: Stop,
}

/// How many states satisfy a part of a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SatisfiedPart {
    /// The part.
    pub formula: CtlFormula,
    /// How many states satisfy it.
    pub n_states: u64,
    /// Whether all initial states do.
    pub is_initial: bool,
}

/// A tree of claims that was checked on the reference interpreter.
#[derive(Clone, Debug)]
pub struct ShownTree {
    /// Index of the initial state that it starts in.
    pub initial: u32,
    /// The explicit part of that state.
    pub state: Vec<u8>,
    /// The tree.
    pub tree: Tree<Move>,
}
