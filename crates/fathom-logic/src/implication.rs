//! Whether one formula implies another, as far as their shapes tell.
//!
//! The rules go through both formulas at once; a "no" means "not seen". They follow Somenzi and Bloem (CAV 2000) and
//! the manual of Spot's formulas (Duret-Lutz), with eventual and universal formulas in addition. State formulas are compared
//! exactly, as decision diagrams.

use rustc_hash::FxHashMap;

use crate::class::Shapes;
use crate::guard::{Guard, Guards};
use crate::{Formula, Formulas, Node};

/// What is known about implications between the formulas of one table, all in negation normal form.
#[derive(Clone, Default, Debug)]
pub struct Implications {
    known: FxHashMap<(Formula, Formula), bool>,
    guards: Guards,
    functions: FxHashMap<Formula, Guard>,
    shapes: Shapes,
}

impl Implications {
    /// The shape of a formula.
    pub fn shape(&mut self, formulas: &Formulas, formula: Formula) -> crate::class::Shape {
        self.shapes.of(formulas, formula)
    }

    /// The function of a state formula.
    fn function(&mut self, formulas: &Formulas, formula: Formula) -> Guard {
        if let Some(&function) = self.functions.get(&formula) {
            return function;
        }
        let operands: Vec<Guard> =
            formulas.operands(formula).into_iter().map(|part| self.function(formulas, part)).collect();
        let function = match formulas.node(formula) {
            Node::True => Guard::TRUE,
            Node::Proposition(proposition) => self.guards.variable(proposition.index() as u32),
            Node::Not(_) => self.guards.not(operands[0]),
            Node::And(_) => operands.into_iter().fold(Guard::TRUE, |all, part| self.guards.and(all, part)),
            Node::Or(_) => operands.into_iter().fold(Guard::FALSE, |any, part| self.guards.or(any, part)),
            _ => Guard::FALSE,
        };
        self.functions.insert(formula, function);
        function
    }

    /// Whether every word of the first is seen to be one of the second.
    pub fn implies(&mut self, formulas: &Formulas, a: Formula, b: Formula) -> bool {
        if a == b || a == Formula::FALSE || b == Formula::TRUE {
            return true;
        }
        if a == Formula::TRUE || b == Formula::FALSE {
            return false;
        }
        if let Some(&known) = self.known.get(&(a, b)) {
            return known;
        }
        let (of_a, of_b) = (self.shapes.of(formulas, a), self.shapes.of(formulas, b));
        let result = if of_a.is_boolean && of_b.is_boolean {
            let (left, right) = (self.function(formulas, a), self.function(formulas, b));
            self.guards.implies(left, right)
        } else {
            self.split(formulas, a, b) || self.by_left(formulas, a, b) || self.by_right(formulas, a, b)
        };
        self.known.insert((a, b), result);
        result
    }

    /// Conjunctions and disjunctions, and operators of the same kind compared operand by operand.
    fn split(&mut self, formulas: &Formulas, a: Formula, b: Formula) -> bool {
        let (node_a, node_b) = (formulas.node(a).clone(), formulas.node(b).clone());
        if let Node::And(list) = &node_b {
            return list.iter().all(|&part| self.implies(formulas, a, part));
        }
        if let Node::Or(list) = &node_a {
            return list.iter().all(|&part| self.implies(formulas, part, b));
        }
        if let Node::And(list) = &node_a
            && list.iter().any(|&part| self.implies(formulas, part, b))
        {
            return true;
        }
        if let Node::Or(list) = &node_b
            && list.iter().any(|&part| self.implies(formulas, a, part))
        {
            return true;
        }
        match (node_a, node_b) {
            (Node::Next(f), Node::Next(g)) => self.implies(formulas, f, g),
            (Node::Until(l, r), Node::Until(m, s) | Node::WeakUntil(m, s))
            | (Node::WeakUntil(l, r), Node::WeakUntil(m, s)) => {
                self.implies(formulas, r, s) && (self.implies(formulas, l, m) || self.implies(formulas, l, s))
            }
            (Node::Release(l, r), Node::Release(m, s))
            | (Node::StrongRelease(l, r), Node::Release(m, s) | Node::StrongRelease(m, s)) => {
                self.implies(formulas, l, m) && self.implies(formulas, r, s)
            }
            (Node::Always(f), Node::WeakUntil(m, s)) => {
                self.implies(formulas, f, m) || self.implies(formulas, f, s)
            }
            (Node::Always(f), Node::Release(_, s)) => self.implies(formulas, f, s),
            _ => false,
        }
    }

    /// Rules that look into the first formula.
    fn by_left(&mut self, formulas: &Formulas, a: Formula, b: Formula) -> bool {
        let eventual = self.shapes.of(formulas, b).is_eventual;
        match *formulas.node(a) {
            Node::Next(f) | Node::Eventually(f) => eventual && self.implies(formulas, f, b),
            Node::Always(f) => self.implies(formulas, f, b),
            Node::Until(l, r) => self.implies(formulas, r, b) && (eventual || self.implies(formulas, l, b)),
            Node::WeakUntil(l, r) => self.implies(formulas, r, b) && self.implies(formulas, l, b),
            Node::Release(_, r) => self.implies(formulas, r, b),
            Node::StrongRelease(l, r) => {
                self.implies(formulas, r, b) || eventual && self.implies(formulas, l, b)
            }
            _ => false,
        }
    }

    /// Rules that look into the second formula.
    fn by_right(&mut self, formulas: &Formulas, a: Formula, b: Formula) -> bool {
        let universal = self.shapes.of(formulas, a).is_universal;
        match *formulas.node(b) {
            Node::Next(f) | Node::Always(f) => universal && self.implies(formulas, a, f),
            Node::Eventually(f) => self.implies(formulas, a, f),
            Node::Until(_, r) => self.implies(formulas, a, r),
            Node::WeakUntil(l, r) => {
                self.implies(formulas, a, r) || universal && self.implies(formulas, a, l)
            }
            Node::Release(l, r) => {
                self.implies(formulas, a, r) && (universal || self.implies(formulas, a, l))
            }
            Node::StrongRelease(l, r) => self.implies(formulas, a, l) && self.implies(formulas, a, r),
            _ => false,
        }
    }
}
