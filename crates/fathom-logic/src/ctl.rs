//! Formulas of computation tree logic, each kept once, and what they mean on a finite graph.
//!
//! The evaluator computes fixpoints naively, straight from the definition (Clarke and Emerson, 1981). It is the oracle
//! for engines that label states, and shows on graphs with one path that patterns say the same in both logics.
//!
//! States without successors end a path: a path is infinite or cannot be continued.
//! Then `AX f` holds and `EX f` does not, and `AF f` holds only if `f` has come.

use rustc_hash::FxHashMap;

use crate::PropositionId;

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
    nodes: Vec<CtlNode>,
    known: FxHashMap<CtlNode, CtlFormula>,
}

impl Default for CtlFormulas {
    fn default() -> CtlFormulas {
        CtlFormulas::new()
    }
}

impl CtlFormulas {
    /// A table with the two constants.
    pub fn new() -> CtlFormulas {
        let mut formulas = CtlFormulas { nodes: Vec::new(), known: FxHashMap::default() };
        formulas.make(CtlNode::True);
        formulas.make(CtlNode::False);
        formulas
    }

    /// The formula of a node.
    pub fn make(&mut self, node: CtlNode) -> CtlFormula {
        if let Some(&formula) = self.known.get(&node) {
            return formula;
        }
        let formula = CtlFormula(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.known.insert(node, formula);
        formula
    }

    /// What a formula is made of.
    pub fn node(&self, formula: CtlFormula) -> &CtlNode {
        &self.nodes[formula.index()]
    }

    /// The operands of a formula, in their order.
    pub fn operands(&self, formula: CtlFormula) -> Vec<CtlFormula> {
        match *self.node(formula) {
            CtlNode::True | CtlNode::False | CtlNode::Proposition(_) => Vec::new(),
            CtlNode::Not(f) | CtlNode::Next(_, f) | CtlNode::Eventually(_, f) | CtlNode::Always(_, f) => {
                vec![f]
            }
            CtlNode::And(l, r)
            | CtlNode::Or(l, r)
            | CtlNode::Implies(l, r)
            | CtlNode::Equivalent(l, r)
            | CtlNode::Until(_, l, r)
            | CtlNode::WeakUntil(_, l, r)
            | CtlNode::Release(_, l, r)
            | CtlNode::StrongRelease(_, l, r) => vec![l, r],
        }
    }

    /// All subformulas with the formula itself, operands first, each once: the order in which to label states.
    pub fn subformulas(&self, formula: CtlFormula) -> Vec<CtlFormula> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut order = Vec::new();
        let mut stack = vec![(formula, false)];
        while let Some((formula, done)) = stack.pop() {
            if done {
                order.push(formula);
            } else if seen.insert(formula) {
                stack.push((formula, true));
                stack.extend(self.operands(formula).into_iter().rev().map(|operand| (operand, false)));
            }
        }
        order
    }

    /// The propositions of a formula in ascending order.
    pub fn propositions_of(&self, formula: CtlFormula) -> Vec<PropositionId> {
        let mut found: Vec<PropositionId> = self
            .subformulas(formula)
            .into_iter()
            .filter_map(|part| match self.node(part) {
                CtlNode::Proposition(proposition) => Some(*proposition),
                _ => None,
            })
            .collect();
        found.sort_unstable();
        found
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

/// The values of a formula in all states of a graph given by successors; `holds` says which propositions hold where.
pub fn evaluate_ctl(
    formulas: &CtlFormulas,
    formula: CtlFormula,
    successors: &[Vec<usize>],
    holds: impl Fn(usize, PropositionId) -> bool,
) -> Vec<bool> {
    let n_states = successors.len();
    let mut values: FxHashMap<CtlFormula, Vec<bool>> = FxHashMap::default();
    let later = |quantifier: Quantifier, value: &[bool], state: usize| match quantifier {
        Quantifier::All => successors[state].iter().all(|&next| value[next]),
        Quantifier::Exists => successors[state].iter().any(|&next| value[next]),
    };
    // `weak` operators survive the end of a path, strong ones do not.
    let fixpoint = |quantifier: Quantifier, weak: bool, step: &dyn Fn(usize, bool) -> bool| {
        let mut value = vec![weak; n_states];
        loop {
            let next: Vec<bool> = (0..n_states)
                .map(|state| {
                    let later =
                        if successors[state].is_empty() { weak } else { later(quantifier, &value, state) };
                    step(state, later)
                })
                .collect();
            if next == value {
                return value;
            }
            value = next;
        }
    };
    for part in formulas.subformulas(formula) {
        let of = |operand: CtlFormula| &values[&operand];
        let each = |rule: &dyn Fn(usize) -> bool| (0..n_states).map(rule).collect::<Vec<bool>>();
        let value = match *formulas.node(part) {
            CtlNode::True => vec![true; n_states],
            CtlNode::False => vec![false; n_states],
            CtlNode::Proposition(proposition) => each(&|state| holds(state, proposition)),
            CtlNode::Not(f) => each(&|state| !of(f)[state]),
            CtlNode::And(l, r) => each(&|state| of(l)[state] && of(r)[state]),
            CtlNode::Or(l, r) => each(&|state| of(l)[state] || of(r)[state]),
            CtlNode::Implies(l, r) => each(&|state| !of(l)[state] || of(r)[state]),
            CtlNode::Equivalent(l, r) => each(&|state| of(l)[state] == of(r)[state]),
            CtlNode::Next(q, f) => each(&|state| later(q, of(f), state)),
            CtlNode::Eventually(q, f) => fixpoint(q, false, &|state, later| of(f)[state] || later),
            CtlNode::Always(q, f) => fixpoint(q, true, &|state, later| of(f)[state] && later),
            CtlNode::Until(q, l, r) => {
                fixpoint(q, false, &|state, later| of(r)[state] || of(l)[state] && later)
            }
            CtlNode::WeakUntil(q, l, r) => {
                fixpoint(q, true, &|state, later| of(r)[state] || of(l)[state] && later)
            }
            CtlNode::Release(q, l, r) => {
                fixpoint(q, true, &|state, later| of(r)[state] && (of(l)[state] || later))
            }
            CtlNode::StrongRelease(q, l, r) => {
                fixpoint(q, false, &|state, later| of(r)[state] && (of(l)[state] || later))
            }
        };
        values.insert(part, value);
    }
    values.remove(&formula).unwrap_or_default()
}
