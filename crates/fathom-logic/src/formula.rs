//! Formulas of linear temporal logic, each kept once.
//!
//! A table of [`Formulas`] owns the nodes; a [`Formula`] is a small number in it. Equal formulas have equal
//! numbers, so that tables about formulas (normal forms, simplifications, states of automata) are cheap. Builders keep
//! what the author wrote; only nested conjunctions and disjunctions are made flat.
//! Rewriting is the business of [`simplify`](crate::Simplifier).

use rustc_hash::FxHashMap;

use crate::PropositionId;
use crate::table::{Table, TableNode};

/// Names one formula of a table of [`Formulas`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Formula(u32);

impl Formula {
    /// The formula that is always true; the same in every table.
    pub const TRUE: Formula = Formula(0);
    /// The formula that is never true; the same in every table.
    pub const FALSE: Formula = Formula(1);

    /// The position in the table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a formula is made of.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Node {
    /// True of every word.
    True,
    /// True of no word.
    False,
    /// The proposition holds in the first state.
    Proposition(PropositionId),
    /// Not.
    Not(Formula),
    /// All of these; at least two.
    And(Box<[Formula]>),
    /// One of these; at least two.
    Or(Box<[Formula]>),
    /// If the first, then the second.
    Implies(Formula, Formula),
    /// Both or none.
    Equivalent(Formula, Formula),
    /// From the next state on.
    Next(Formula),
    /// From some state on.
    Eventually(Formula),
    /// From every state on.
    Always(Formula),
    /// The second comes true, and until then the first holds.
    Until(Formula, Formula),
    /// Like until, but the second need not come if the first holds for ever.
    WeakUntil(Formula, Formula),
    /// The second holds up to and including the moment when the first does, for ever if it never does.
    Release(Formula, Formula),
    /// Like release, but the first must come.
    StrongRelease(Formula, Formula),
}

/// A table of formulas.
#[derive(Clone, Debug)]
pub struct Formulas {
    table: Table<Node>,
}

impl TableNode for Node {
    const TRUE: Node = Node::True;
    const FALSE: Node = Node::False;

    fn proposition(&self) -> Option<PropositionId> {
        match self {
            Node::Proposition(proposition) => Some(*proposition),
            _ => None,
        }
    }

    fn push_operands(&self, out: &mut Vec<u32>) {
        match self {
            Node::True | Node::False | Node::Proposition(_) => {}
            Node::Not(f) | Node::Next(f) | Node::Eventually(f) | Node::Always(f) => out.push(f.0),
            Node::And(list) | Node::Or(list) => out.extend(list.iter().map(|f| f.0)),
            Node::Implies(l, r)
            | Node::Equivalent(l, r)
            | Node::Until(l, r)
            | Node::WeakUntil(l, r)
            | Node::Release(l, r)
            | Node::StrongRelease(l, r) => out.extend([l.0, r.0]),
        }
    }
}

impl Default for Formulas {
    fn default() -> Formulas {
        Formulas::new()
    }
}

impl Formulas {
    /// A table with the two constants.
    pub fn new() -> Formulas {
        Formulas { table: Table::new() }
    }

    /// The formula of a node.
    pub(crate) fn intern(&mut self, node: Node) -> Formula {
        Formula(self.table.intern(node))
    }

    /// What a formula is made of.
    pub fn node(&self, formula: Formula) -> &Node {
        self.table.node(formula.0)
    }

    /// True or false.
    pub fn constant(&self, value: bool) -> Formula {
        if value { Formula::TRUE } else { Formula::FALSE }
    }

    /// A proposition.
    pub fn proposition(&mut self, proposition: PropositionId) -> Formula {
        self.intern(Node::Proposition(proposition))
    }

    /// Not.
    pub fn not(&mut self, operand: Formula) -> Formula {
        self.intern(Node::Not(operand))
    }

    /// Both.
    pub fn and(&mut self, left: Formula, right: Formula) -> Formula {
        self.and_all(&[left, right])
    }

    /// One or both.
    pub fn or(&mut self, left: Formula, right: Formula) -> Formula {
        self.or_all(&[left, right])
    }

    /// All; true if there are none.
    pub fn and_all(&mut self, operands: &[Formula]) -> Formula {
        let mut flat = Vec::with_capacity(operands.len());
        for &operand in operands {
            match self.node(operand) {
                Node::And(inner) => flat.extend_from_slice(inner),
                _ => flat.push(operand),
            }
        }
        match flat[..] {
            [] => Formula::TRUE,
            [one] => one,
            _ => self.intern(Node::And(flat.into())),
        }
    }

    /// One of these; false if there are none.
    pub fn or_all(&mut self, operands: &[Formula]) -> Formula {
        let mut flat = Vec::with_capacity(operands.len());
        for &operand in operands {
            match self.node(operand) {
                Node::Or(inner) => flat.extend_from_slice(inner),
                _ => flat.push(operand),
            }
        }
        match flat[..] {
            [] => Formula::FALSE,
            [one] => one,
            _ => self.intern(Node::Or(flat.into())),
        }
    }

    /// If the first, then the second.
    pub fn implies(&mut self, left: Formula, right: Formula) -> Formula {
        self.intern(Node::Implies(left, right))
    }

    /// Both or none.
    pub fn equivalent(&mut self, left: Formula, right: Formula) -> Formula {
        self.intern(Node::Equivalent(left, right))
    }

    /// From the next state on.
    pub fn next(&mut self, operand: Formula) -> Formula {
        self.intern(Node::Next(operand))
    }

    /// From the state on that is `n` steps away.
    pub fn next_n(&mut self, operand: Formula, n: usize) -> Formula {
        (0..n).fold(operand, |formula, _| self.next(formula))
    }

    /// From some state on.
    pub fn eventually(&mut self, operand: Formula) -> Formula {
        self.intern(Node::Eventually(operand))
    }

    /// From every state on.
    pub fn always(&mut self, operand: Formula) -> Formula {
        self.intern(Node::Always(operand))
    }

    /// The second comes true, and until then the first holds.
    pub fn until(&mut self, left: Formula, right: Formula) -> Formula {
        self.intern(Node::Until(left, right))
    }

    /// Until, or the first for ever.
    pub fn weak_until(&mut self, left: Formula, right: Formula) -> Formula {
        self.intern(Node::WeakUntil(left, right))
    }

    /// The second holds up to and including the moment when the first does, or for ever.
    pub fn release(&mut self, left: Formula, right: Formula) -> Formula {
        self.intern(Node::Release(left, right))
    }

    /// The second holds up to and including the moment when the first does, which comes.
    pub fn strong_release(&mut self, left: Formula, right: Formula) -> Formula {
        self.intern(Node::StrongRelease(left, right))
    }

    /// The operands of a formula, in their order.
    pub fn operands(&self, formula: Formula) -> Vec<Formula> {
        self.table.operands(formula.0).into_iter().map(Formula).collect()
    }

    /// The formula with every operand replaced by its image.
    pub fn map_operands(
        &mut self,
        formula: Formula,
        mut image: impl FnMut(&mut Formulas, Formula) -> Formula,
    ) -> Formula {
        let node = self.node(formula).clone();
        let mut list = |formulas: &mut Formulas, list: &[Formula]| -> Vec<Formula> {
            list.iter().map(|&operand| image(formulas, operand)).collect()
        };
        match node {
            Node::True | Node::False | Node::Proposition(_) => formula,
            Node::And(operands) => {
                let images = list(self, &operands);
                self.and_all(&images)
            }
            Node::Or(operands) => {
                let images = list(self, &operands);
                self.or_all(&images)
            }
            Node::Not(f) | Node::Next(f) | Node::Eventually(f) | Node::Always(f) => {
                let image = list(self, &[f])[0];
                self.intern(match node {
                    Node::Not(_) => Node::Not(image),
                    Node::Next(_) => Node::Next(image),
                    Node::Eventually(_) => Node::Eventually(image),
                    _ => Node::Always(image),
                })
            }
            Node::Implies(l, r)
            | Node::Equivalent(l, r)
            | Node::Until(l, r)
            | Node::WeakUntil(l, r)
            | Node::Release(l, r)
            | Node::StrongRelease(l, r) => {
                let images = list(self, &[l, r]);
                let (l, r) = (images[0], images[1]);
                self.intern(match node {
                    Node::Implies(..) => Node::Implies(l, r),
                    Node::Equivalent(..) => Node::Equivalent(l, r),
                    Node::Until(..) => Node::Until(l, r),
                    Node::WeakUntil(..) => Node::WeakUntil(l, r),
                    Node::Release(..) => Node::Release(l, r),
                    _ => Node::StrongRelease(l, r),
                })
            }
        }
    }

    /// All subformulas with the formula itself, operands first, each once.
    pub fn subformulas(&self, formula: Formula) -> Vec<Formula> {
        self.table.parts(formula.0).into_iter().map(Formula).collect()
    }

    /// The propositions of a formula in ascending order.
    pub fn propositions_of(&self, formula: Formula) -> Vec<PropositionId> {
        self.table.propositions_of(formula.0)
    }

    /// How many operators and operands the formula is written with.
    pub fn size(&self, formula: Formula) -> usize {
        let parts = self.subformulas(formula);
        let mut sizes: FxHashMap<Formula, usize> = FxHashMap::default();
        for part in parts {
            let operands = self.operands(part);
            let own = operands.len().saturating_sub(1).max(1);
            let below: usize = operands.iter().map(|operand| sizes[operand]).fold(0, usize::saturating_add);
            sizes.insert(part, own.saturating_add(below));
        }
        sizes[&formula]
    }

    /// Whether the formula speaks about the first state only.
    pub fn is_boolean(&self, formula: Formula) -> bool {
        self.subformulas(formula).into_iter().all(|part| {
            matches!(
                self.node(part),
                Node::True
                    | Node::False
                    | Node::Proposition(_)
                    | Node::Not(_)
                    | Node::And(_)
                    | Node::Or(_)
                    | Node::Implies(..)
                    | Node::Equivalent(..)
            )
        })
    }

    /// Whether the formula has no next operator; then it cannot count steps.
    pub fn is_next_free(&self, formula: Formula) -> bool {
        !self.subformulas(formula).into_iter().any(|part| matches!(self.node(part), Node::Next(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_formulas_are_one() {
        let mut formulas = Formulas::new();
        let p = formulas.proposition(PropositionId::new(0));
        let q = formulas.proposition(PropositionId::new(1));
        let left = formulas.and(p, q);
        let flat = formulas.and_all(&[p, q, p]);
        assert_eq!(formulas.and(left, p), flat);
        assert_ne!(formulas.and(q, p), left);
        assert_eq!(formulas.size(flat), 5);
        assert_eq!(formulas.propositions_of(flat), [PropositionId::new(0), PropositionId::new(1)]);
    }
}
