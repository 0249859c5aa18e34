//! Negation normal form: negations in front of propositions only, no implications.
//!
//! Every operator has its dual (until and release, weak until and strong release), so the result is as large as the
//! formula but for equivalences, whose operands occur with both signs.

use rustc_hash::FxHashMap;

use crate::{Formula, Formulas, Node};

/// What is known about normal forms of the formulas of one table.
#[derive(Clone, Default, Debug)]
pub struct NormalForms {
    known: FxHashMap<(Formula, bool), Formula>,
}

impl NormalForms {
    /// The normal form of a formula.
    pub fn positive(&mut self, formulas: &mut Formulas, formula: Formula) -> Formula {
        self.push(formulas, formula, true)
    }

    /// The normal form of the negation of a formula.
    pub fn negative(&mut self, formulas: &mut Formulas, formula: Formula) -> Formula {
        self.push(formulas, formula, false)
    }

    fn push(&mut self, formulas: &mut Formulas, formula: Formula, sign: bool) -> Formula {
        if let Some(&known) = self.known.get(&(formula, sign)) {
            return known;
        }
        let result = match formulas.node(formula).clone() {
            Node::True => formulas.constant(sign),
            Node::False => formulas.constant(!sign),
            Node::Proposition(_) if sign => formula,
            Node::Proposition(_) => formulas.not(formula),
            Node::Not(f) => self.push(formulas, f, !sign),
            Node::And(list) => self.list(formulas, &list, sign, sign),
            Node::Or(list) => self.list(formulas, &list, sign, !sign),
            Node::Implies(l, r) => {
                let parts = [self.push(formulas, l, !sign), self.push(formulas, r, sign)];
                if sign { formulas.or_all(&parts) } else { formulas.and_all(&parts) }
            }
            Node::Equivalent(l, r) => self.equivalence(formulas, l, r, sign),
            Node::Next(f) => self.unary(formulas, f, sign, Node::Next),
            Node::Eventually(f) if sign => self.unary(formulas, f, sign, Node::Eventually),
            Node::Eventually(f) => self.unary(formulas, f, sign, Node::Always),
            Node::Always(f) if sign => self.unary(formulas, f, sign, Node::Always),
            Node::Always(f) => self.unary(formulas, f, sign, Node::Eventually),
            Node::Until(l, r) if sign => self.binary(formulas, l, r, sign, Node::Until),
            Node::Until(l, r) => self.binary(formulas, l, r, sign, Node::Release),
            Node::Release(l, r) if sign => self.binary(formulas, l, r, sign, Node::Release),
            Node::Release(l, r) => self.binary(formulas, l, r, sign, Node::Until),
            Node::WeakUntil(l, r) if sign => self.binary(formulas, l, r, sign, Node::WeakUntil),
            Node::WeakUntil(l, r) => self.binary(formulas, l, r, sign, Node::StrongRelease),
            Node::StrongRelease(l, r) if sign => self.binary(formulas, l, r, sign, Node::StrongRelease),
            Node::StrongRelease(l, r) => self.binary(formulas, l, r, sign, Node::WeakUntil),
        };
        self.known.insert((formula, sign), result);
        result
    }

    fn list(&mut self, formulas: &mut Formulas, list: &[Formula], sign: bool, all: bool) -> Formula {
        let parts: Vec<Formula> = list.iter().map(|&part| self.push(formulas, part, sign)).collect();
        if all { formulas.and_all(&parts) } else { formulas.or_all(&parts) }
    }

    fn equivalence(&mut self, formulas: &mut Formulas, l: Formula, r: Formula, sign: bool) -> Formula {
        let cases = [true, false].map(|value| {
            let parts = [self.push(formulas, l, value), self.push(formulas, r, value == sign)];
            formulas.and_all(&parts)
        });
        formulas.or_all(&cases)
    }

    fn unary(
        &mut self,
        formulas: &mut Formulas,
        operand: Formula,
        sign: bool,
        node: fn(Formula) -> Node,
    ) -> Formula {
        let operand = self.push(formulas, operand, sign);
        formulas.intern(node(operand))
    }

    fn binary(
        &mut self,
        formulas: &mut Formulas,
        left: Formula,
        right: Formula,
        sign: bool,
        node: fn(Formula, Formula) -> Node,
    ) -> Formula {
        let (left, right) = (self.push(formulas, left, sign), self.push(formulas, right, sign));
        formulas.intern(node(left, right))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lasso::all_lassos;
    use crate::random::{RandomFormulas, Seed};

    #[test]
    fn normal_forms_mean_the_formula_and_its_negation() {
        let mut formulas = Formulas::new();
        let mut normal_forms = NormalForms::default();
        let mut random = RandomFormulas::new(Seed(1), 2);
        let lassos = all_lassos(2, 1, 2);
        for _ in 0..300 {
            let formula = random.formula(&mut formulas, 8);
            let positive = normal_forms.positive(&mut formulas, formula);
            let negative = normal_forms.negative(&mut formulas, formula);
            for part in formulas.subformulas(positive).into_iter().chain(formulas.subformulas(negative)) {
                match formulas.node(part) {
                    Node::Not(f) => assert!(matches!(formulas.node(*f), Node::Proposition(_))),
                    node => assert!(!matches!(node, Node::Implies(..) | Node::Equivalent(..))),
                }
            }
            for lasso in &lassos {
                let value = lasso.satisfies(&formulas, formula);
                assert_eq!(lasso.satisfies(&formulas, positive), value);
                assert_eq!(lasso.satisfies(&formulas, negative), !value);
            }
        }
    }
}
