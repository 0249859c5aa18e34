//! Formulas of computation tree logic that speak about each path for itself.
//!
//! Without its path quantifiers a formula of computation tree logic is one of linear temporal logic. For some the two mean the same: those in which one can
//! tell by looking at a state which part is to be followed (Maidl, "The common fragment of CTL and LTL", 2000, whose deterministic formulas
//! these are): `AG`, `AX` and conjunctions of such formulas, a disjunction with a state formula, `A [f U p]`, `A [f W p]`, `A [p R f]`, `A [p M f]`
//! and `AF p` where `p` is about one state. Her argument needs only that a path can be left for another one that goes on from the same state, so it
//! stands when only fair paths count. Negations of such formulas are about one path that exists, and are answered by looking for it.

use fathom_logic::{CtlFormula, CtlFormulas, CtlNode, Formula, Formulas, Quantifier};
use fathom_model::Model;

use super::question::BranchingQuestion;
use crate::question::LinearQuestion;

/// A question about every path that answers a formula of computation tree logic.
#[derive(Clone, Debug)]
pub struct PathSearch {
    /// The question.
    pub question: LinearQuestion,
    /// Whether the formula is true exactly when the answer is *holds*; else it is, in a model with one initial state, exactly when that is
    /// *violated*.
    pub is_same: bool,
}

impl BranchingQuestion {
    /// The question about every path that answers this one, if there is one; of a model without the propositions of other questions.
    pub fn path_search(&self, model: &Model) -> Option<PathSearch> {
        let ctl = self.ctl();
        let mut translation = Translation { from: &ctl.formulas, into: Formulas::new() };
        // Where no path is fair, nothing can be said about a state by looking at all of them.
        if !ctl.fairness.is_empty() && !translation.is_about_paths(ctl.formula) {
            return None;
        }
        let all = translation.every_path(ctl.formula, true);
        let (formula, is_same) = match all {
            Some(formula) => (formula, true),
            None => (translation.every_path(ctl.formula, false)?, false),
        };
        let mut fairness = Vec::new();
        for &constraint in &ctl.fairness {
            let constraint = translation.in_state(constraint, true)?;
            let again = translation.into.eventually(constraint);
            fairness.push(translation.into.always(again));
        }
        let mut formulas = translation.into;
        let fair = formulas.and_all(&fairness);
        let formula = if fairness.is_empty() { formula } else { formulas.implies(fair, formula) };
        let question = LinearQuestion::of_ltl(model, self.property(), &ctl.propositions, formulas, formula);
        Some(PathSearch { question, is_same })
    }
}

/// Formulas on their way from one table into another.
struct Translation<'a> {
    from: &'a CtlFormulas,
    into: Formulas,
}

impl Translation<'_> {
    /// Whether a formula consists of such with quantifiers.
    fn is_about_paths(&self, formula: CtlFormula) -> bool {
        match *self.from.node(formula) {
            CtlNode::Not(f) => self.is_about_paths(f),
            CtlNode::And(l, r) | CtlNode::Or(l, r) | CtlNode::Implies(l, r) | CtlNode::Equivalent(l, r) => {
                self.is_about_paths(l) && self.is_about_paths(r)
            }
            _ => !self.from.is_boolean(formula),
        }
    }

    /// What every path must satisfy for a formula to be true, or to be false, in the state where they begin.
    fn every_path(&mut self, formula: CtlFormula, sign: bool) -> Option<Formula> {
        use Quantifier::{All, Exists};
        if self.from.is_boolean(formula) {
            return self.in_state(formula, sign);
        }
        match (self.from.node(formula).clone(), sign) {
            (CtlNode::Not(f), _) => self.every_path(f, !sign),
            (CtlNode::And(l, r), true) => self.both((l, true), (r, true)),
            (CtlNode::Or(l, r), false) => self.both((l, false), (r, false)),
            (CtlNode::Implies(l, r), false) => self.both((l, true), (r, false)),
            (CtlNode::Or(l, r), true) => self.either((l, true), (r, true)),
            (CtlNode::And(l, r), false) => self.either((l, false), (r, false)),
            (CtlNode::Implies(l, r), true) => self.either((l, false), (r, true)),
            (CtlNode::Next(All, f), true) | (CtlNode::Next(Exists, f), false) => {
                let f = self.every_path(f, sign)?;
                Some(self.into.next(f))
            }
            (CtlNode::Always(All, f), true) | (CtlNode::Eventually(Exists, f), false) => {
                let f = self.every_path(f, sign)?;
                Some(self.into.always(f))
            }
            (CtlNode::Eventually(All, f), true) | (CtlNode::Always(Exists, f), false) => {
                let f = self.in_state(f, sign)?;
                Some(self.into.eventually(f))
            }
            // Until something about one state comes.
            (CtlNode::Until(All, l, r), true) | (CtlNode::Release(Exists, l, r), false) => {
                let (l, r) = (self.every_path(l, sign)?, self.in_state(r, sign)?);
                Some(self.into.until(l, r))
            }
            (CtlNode::WeakUntil(All, l, r), true) | (CtlNode::StrongRelease(Exists, l, r), false) => {
                let (l, r) = (self.every_path(l, sign)?, self.in_state(r, sign)?);
                Some(self.into.weak_until(l, r))
            }
            // As long as something about one state has not come.
            (CtlNode::Release(All, l, r), true) | (CtlNode::Until(Exists, l, r), false) => {
                let (l, r) = (self.in_state(l, sign)?, self.every_path(r, sign)?);
                Some(self.into.release(l, r))
            }
            (CtlNode::StrongRelease(All, l, r), true) | (CtlNode::WeakUntil(Exists, l, r), false) => {
                let (l, r) = (self.in_state(l, sign)?, self.every_path(r, sign)?);
                Some(self.into.strong_release(l, r))
            }
            _ => None,
        }
    }

    fn both(&mut self, left: (CtlFormula, bool), right: (CtlFormula, bool)) -> Option<Formula> {
        let (left, right) = (self.every_path(left.0, left.1)?, self.every_path(right.0, right.1)?);
        Some(self.into.and(left, right))
    }

    /// One of two, of which one is about one state: what every path satisfies is then satisfied by the state or by every path.
    fn either(&mut self, left: (CtlFormula, bool), right: (CtlFormula, bool)) -> Option<Formula> {
        if !self.from.is_boolean(left.0) && !self.from.is_boolean(right.0) {
            return None;
        }
        let (left, right) = (self.every_path(left.0, left.1)?, self.every_path(right.0, right.1)?);
        Some(self.into.or(left, right))
    }

    /// A formula about one state, or its negation; none when it is about more.
    fn in_state(&mut self, formula: CtlFormula, sign: bool) -> Option<Formula> {
        let translated = match *self.from.node(formula) {
            CtlNode::True => self.into.constant(true),
            CtlNode::False => self.into.constant(false),
            CtlNode::Proposition(proposition) => self.into.proposition(proposition),
            CtlNode::Not(f) => return self.in_state(f, !sign),
            CtlNode::And(l, r) => {
                let (l, r) = (self.in_state(l, true)?, self.in_state(r, true)?);
                self.into.and(l, r)
            }
            CtlNode::Or(l, r) => {
                let (l, r) = (self.in_state(l, true)?, self.in_state(r, true)?);
                self.into.or(l, r)
            }
            CtlNode::Implies(l, r) => {
                let (l, r) = (self.in_state(l, true)?, self.in_state(r, true)?);
                self.into.implies(l, r)
            }
            CtlNode::Equivalent(l, r) => {
                let (l, r) = (self.in_state(l, true)?, self.in_state(r, true)?);
                self.into.equivalent(l, r)
            }
            _ => return None,
        };
        Some(if sign { translated } else { self.into.not(translated) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_logic::{Propositions, parse_ctl_text, print_formula};

    /// The formula about every path, with a sign in front when it is for the negation.
    fn linear(text: &str) -> Option<String> {
        let (mut formulas, mut propositions) = (CtlFormulas::new(), Propositions::new());
        let formula = parse_ctl_text(text, &mut formulas, &mut propositions).expect("a formula");
        let mut translation = Translation { from: &formulas, into: Formulas::new() };
        let yes = translation.every_path(formula, true).map(|found| (found, ""));
        let (found, sign) = yes.or_else(|| Some((translation.every_path(formula, false)?, "not ")))?;
        Some(format!("{sign}{}", print_formula(&translation.into, &propositions, found)))
    }

    #[test]
    fn formulas_about_each_path_lose_their_quantifiers() {
        assert_eq!(linear("AG (p -> AF q)").as_deref(), Some("[] (!p || <> q)"));
        assert_eq!(linear("A [AX p U q]").as_deref(), Some("X p U q"));
        assert_eq!(linear("EF (p && EG q)").as_deref(), Some("not [] (!p || <> !q)"));
        assert_eq!(linear("! E [p U EX q]").as_deref(), Some("!p R X !q"));
    }

    #[test]
    fn formulas_in_which_paths_part_stay_what_they_are() {
        for text in
            ["AG EF p", "AF AG p", "AF AX p", "AG p || AG q", "A [p U AF q]", "EF AG p", "AG p && EF q"]
        {
            assert_eq!(linear(text), None, "{text}");
        }
    }
}
