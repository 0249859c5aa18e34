//! Formulas of computation tree logic (Clarke and Emerson, 1981), each kept once. What they mean is in
//! [`evaluate_ctl`](crate::evaluate_ctl).

use rustc_hash::FxHashMap;

use crate::PropositionId;
use crate::table::{Table, TableNode};

/// Over which paths a temporal operator speaks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Quantifier {
    /// Every path from here.
    All,
    /// Some path from here.
    Exists,
}

impl Quantifier {
    /// The other one.
    #[must_use]
    pub fn dual(self) -> Quantifier {
        match self {
            Quantifier::All => Quantifier::Exists,
            Quantifier::Exists => Quantifier::All,
        }
    }
}

/// Names one formula of a table of [`CtlFormulas`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CtlFormula(u32);

impl CtlFormula {
    /// The formula that is always true; the same in every table.
    pub const TRUE: CtlFormula = CtlFormula(0);
    /// The formula that is never true; the same in every table.
    pub const FALSE: CtlFormula = CtlFormula(1);

    /// The position in the table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a formula is made of. Temporal operators are as in LTL, along the quantified paths.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum CtlNode {
    True,
    False,
    Proposition(PropositionId),
    Not(CtlFormula),
    And(CtlFormula, CtlFormula),
    Or(CtlFormula, CtlFormula),
    Implies(CtlFormula, CtlFormula),
    Equivalent(CtlFormula, CtlFormula),
    Next(Quantifier, CtlFormula),
    Eventually(Quantifier, CtlFormula),
    Always(Quantifier, CtlFormula),
    Until(Quantifier, CtlFormula, CtlFormula),
    WeakUntil(Quantifier, CtlFormula, CtlFormula),
    Release(Quantifier, CtlFormula, CtlFormula),
    StrongRelease(Quantifier, CtlFormula, CtlFormula),
}

/// A table of formulas.
#[derive(Clone, Debug)]
pub struct CtlFormulas {
    table: Table<CtlNode>,
}

impl TableNode for CtlNode {
    const TRUE: CtlNode = CtlNode::True;
    const FALSE: CtlNode = CtlNode::False;

    fn proposition(&self) -> Option<PropositionId> {
        match self {
            CtlNode::Proposition(proposition) => Some(*proposition),
            _ => None,
        }
    }

    fn push_operands(&self, out: &mut Vec<u32>) {
        match self {
            CtlNode::True | CtlNode::False | CtlNode::Proposition(_) => {}
            CtlNode::Not(f) | CtlNode::Next(_, f) | CtlNode::Eventually(_, f) | CtlNode::Always(_, f) => {
                out.push(f.0);
            }
            CtlNode::And(l, r)
            | CtlNode::Or(l, r)
            | CtlNode::Implies(l, r)
            | CtlNode::Equivalent(l, r)
            | CtlNode::Until(_, l, r)
            | CtlNode::WeakUntil(_, l, r)
            | CtlNode::Release(_, l, r)
            | CtlNode::StrongRelease(_, l, r) => out.extend([l.0, r.0]),
        }
    }
}

impl Default for CtlFormulas {
    fn default() -> CtlFormulas {
        CtlFormulas::new()
    }
}

impl CtlFormulas {
    /// A table with the two constants.
    pub fn new() -> CtlFormulas {
        CtlFormulas { table: Table::new() }
    }

    /// The formula of a node.
    pub fn make(&mut self, node: CtlNode) -> CtlFormula {
        CtlFormula(self.table.intern(node))
    }

    /// What a formula is made of.
    pub fn node(&self, formula: CtlFormula) -> &CtlNode {
        self.table.node(formula.0)
    }

    /// The operands of a formula, in their order.
    pub fn operands(&self, formula: CtlFormula) -> Vec<CtlFormula> {
        self.table.operands(formula.0).into_iter().map(CtlFormula).collect()
    }

    /// All subformulas with the formula itself, operands first, each once: the order in which to label states.
    pub fn subformulas(&self, formula: CtlFormula) -> Vec<CtlFormula> {
        self.table.parts(formula.0).into_iter().map(CtlFormula).collect()
    }

    /// The propositions of a formula in ascending order.
    pub fn propositions_of(&self, formula: CtlFormula) -> Vec<PropositionId> {
        self.table.propositions_of(formula.0)
    }

    /// Whether the formula speaks about one state only.
    pub fn is_boolean(&self, formula: CtlFormula) -> bool {
        self.subformulas(formula).into_iter().all(|part| {
            matches!(
                self.node(part),
                CtlNode::True
                    | CtlNode::False
                    | CtlNode::Proposition(_)
                    | CtlNode::Not(_)
                    | CtlNode::And(..)
                    | CtlNode::Or(..)
                    | CtlNode::Implies(..)
                    | CtlNode::Equivalent(..)
            )
        })
    }

    /// The same formula with not, and, or, `EX`, `E U` and `EG` only: what an engine must know.
    ///
    /// On graphs without states that have no successors all operators are covered; where there are such states, `EG` is
    /// to be read as: some path that cannot be continued or is infinite.
    pub fn existential(&mut self, formula: CtlFormula) -> CtlFormula {
        self.rewrite(formula, &mut FxHashMap::default())
    }

    fn rewrite(&mut self, formula: CtlFormula, known: &mut FxHashMap<CtlFormula, CtlFormula>) -> CtlFormula {
        if let Some(&known) = known.get(&formula) {
            return known;
        }
        let operands: Vec<CtlFormula> =
            self.operands(formula).into_iter().map(|operand| self.rewrite(operand, known)).collect();
        let result = self.rewrite_node(formula, &operands, known);
        known.insert(formula, result);
        known.insert(result, result);
        result
    }

    /// One operator, with operands that are rewritten already.
    fn rewrite_node(
        &mut self,
        formula: CtlFormula,
        operands: &[CtlFormula],
        known: &mut FxHashMap<CtlFormula, CtlFormula>,
    ) -> CtlFormula {
        use Quantifier::{All, Exists};
        let node = self.node(formula).clone();
        match (node, operands) {
            (CtlNode::True | CtlNode::False | CtlNode::Proposition(_), _) => formula,
            (CtlNode::Not(_), &[f]) => self.not(f),
            (CtlNode::And(..), &[l, r]) => self.make(CtlNode::And(l, r)),
            (CtlNode::Or(..), &[l, r]) => self.make(CtlNode::Or(l, r)),
            (CtlNode::Implies(..), &[l, r]) => {
                let not_left = self.not(l);
                self.make(CtlNode::Or(not_left, r))
            }
            (CtlNode::Equivalent(..), &[l, r]) => {
                let (not_left, not_right) = (self.not(l), self.not(r));
                let both = self.make(CtlNode::And(l, r));
                let none = self.make(CtlNode::And(not_left, not_right));
                self.make(CtlNode::Or(both, none))
            }
            (CtlNode::Next(Exists, _), &[f]) => self.make(CtlNode::Next(Exists, f)),
            (CtlNode::Eventually(Exists, _), &[f]) => self.make(CtlNode::Until(Exists, CtlFormula::TRUE, f)),
            (CtlNode::Always(Exists, _), &[f]) => self.make(CtlNode::Always(Exists, f)),
            (CtlNode::Until(Exists, ..), &[l, r]) => self.make(CtlNode::Until(Exists, l, r)),
            (CtlNode::WeakUntil(Exists, ..), &[l, r]) => {
                let until = self.make(CtlNode::Until(Exists, l, r));
                let always = self.make(CtlNode::Always(Exists, l));
                self.make(CtlNode::Or(until, always))
            }
            (CtlNode::StrongRelease(Exists, ..), &[l, r]) => {
                let both = self.make(CtlNode::And(l, r));
                self.make(CtlNode::Until(Exists, r, both))
            }
            (CtlNode::Release(Exists, ..), &[l, r]) => {
                let both = self.make(CtlNode::And(l, r));
                let until = self.make(CtlNode::Until(Exists, r, both));
                let always = self.make(CtlNode::Always(Exists, r));
                self.make(CtlNode::Or(until, always))
            }
            // For all paths: not for some path the dual of the negated operands.
            (node, parts) => {
                let parts: Vec<CtlFormula> = parts.iter().map(|&part| self.not(part)).collect();
                let dual = match node {
                    CtlNode::Next(All, _) => CtlNode::Next(Exists, parts[0]),
                    CtlNode::Eventually(All, _) => CtlNode::Always(Exists, parts[0]),
                    CtlNode::Always(All, _) => CtlNode::Eventually(Exists, parts[0]),
                    CtlNode::Until(All, ..) => CtlNode::Release(Exists, parts[0], parts[1]),
                    CtlNode::WeakUntil(All, ..) => CtlNode::StrongRelease(Exists, parts[0], parts[1]),
                    CtlNode::Release(All, ..) => CtlNode::Until(Exists, parts[0], parts[1]),
                    _ => CtlNode::WeakUntil(Exists, parts[0], parts[1]),
                };
                let dual = self.make(dual);
                let dual = self.rewrite(dual, known);
                self.not(dual)
            }
        }
    }

    /// Not, without doubling it.
    pub fn not(&mut self, formula: CtlFormula) -> CtlFormula {
        match *self.node(formula) {
            CtlNode::Not(inner) => inner,
            CtlNode::True => CtlFormula::FALSE,
            CtlNode::False => CtlFormula::TRUE,
            _ => self.make(CtlNode::Not(formula)),
        }
    }
}
