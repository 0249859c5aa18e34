//! Smaller formulas with the same meaning, by rewriting.
//!
//! The formula is brought into negation normal form and rebuilt from its leaves by builders that know the rules of their
//! operator. The rules are those of Somenzi and Bloem (CAV 2000), Etessami and Holzmann (CONCUR 2000) for eventual
//! and universal formulas, suspendable subformulas (Babiak and others, TACAS 2012), and the list in
//! the manual of Spot's formulas (Duret-Lutz). Rules that combine the members of a conjunction or a disjunction
//! are in `simplify_lists.rs`; implications are looked for by shape only.
//!
//! Every rule makes a formula smaller, or moves an operator outwards (next, eventual parts), so rebuilding ends.

use rustc_hash::FxHashMap;

use crate::class::Shape;
use crate::implication::Implications;
use crate::normal_form::NormalForms;
use crate::{Formula, Formulas, Node};

/// Rewrites the formulas of one table and remembers the results.
///
/// ```
/// use fathom_logic::{Formulas, Propositions, Simplifier, parse_ltl_text, print_formula};
/// let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
/// let formula = parse_ltl_text("X []<>(p U q)", &mut formulas, &mut propositions).unwrap();
/// let simple = Simplifier::default().simplify(&mut formulas, formula);
/// assert_eq!(print_formula(&formulas, &propositions, simple), "[] <> q");
/// ```
#[derive(Clone, Default, Debug)]
pub struct Simplifier {
    pub(crate) normal_forms: NormalForms,
    pub(crate) implications: Implications,
    known: FxHashMap<Formula, Formula>,
}

impl Simplifier {
    /// A formula in negation normal form with the same meaning, usually smaller.
    pub fn simplify(&mut self, formulas: &mut Formulas, formula: Formula) -> Formula {
        let normal = self.normal_forms.positive(formulas, formula);
        self.rebuild(formulas, normal)
    }

    /// The negation, simplified.
    pub fn negate(&mut self, formulas: &mut Formulas, formula: Formula) -> Formula {
        let normal = self.normal_forms.negative(formulas, formula);
        self.rebuild(formulas, normal)
    }

    /// The shape of a formula in negation normal form.
    pub fn shape(&mut self, formulas: &Formulas, formula: Formula) -> Shape {
        self.implications.shape(formulas, formula)
    }

    fn rebuild(&mut self, formulas: &mut Formulas, formula: Formula) -> Formula {
        if let Some(&known) = self.known.get(&formula) {
            return known;
        }
        let node = formulas.node(formula).clone();
        let operands: Vec<Formula> =
            formulas.operands(formula).into_iter().map(|operand| self.rebuild(formulas, operand)).collect();
        let result = match node {
            Node::And(_) => self.and(formulas, &operands),
            Node::Or(_) => self.or(formulas, &operands),
            Node::Next(_) => self.next(formulas, operands[0]),
            Node::Eventually(_) => self.eventually(formulas, operands[0]),
            Node::Always(_) => self.always(formulas, operands[0]),
            Node::Until(..) => self.until(formulas, operands[0], operands[1]),
            Node::WeakUntil(..) => self.weak_until(formulas, operands[0], operands[1]),
            Node::Release(..) => self.release(formulas, operands[0], operands[1]),
            Node::StrongRelease(..) => self.strong_release(formulas, operands[0], operands[1]),
            _ => formula,
        };
        self.known.insert(formula, result);
        self.known.insert(result, result);
        result
    }

    pub(crate) fn implies(&mut self, formulas: &Formulas, a: Formula, b: Formula) -> bool {
        self.implications.implies(formulas, a, b)
    }

    /// Whether the negation of the first implies the second.
    fn negation_implies(&mut self, formulas: &mut Formulas, a: Formula, b: Formula) -> bool {
        let negation = self.normal_forms.negative(formulas, a);
        self.implies(formulas, negation, b)
    }

    /// Whether the first implies the negation of the second.
    pub(crate) fn implies_negation(&mut self, formulas: &mut Formulas, a: Formula, b: Formula) -> bool {
        let negation = self.normal_forms.negative(formulas, b);
        self.implies(formulas, a, negation)
    }

    /// Divides the members of a list into those with a fact and the rest.
    fn part(
        &mut self,
        formulas: &Formulas,
        list: &[Formula],
        fact: fn(Shape) -> bool,
    ) -> (Vec<Formula>, Vec<Formula>) {
        list.iter().partition(|&&member| fact(self.shape(formulas, member)))
    }

    /// From the next state on.
    pub(crate) fn next(&mut self, formulas: &mut Formulas, operand: Formula) -> Formula {
        if self.shape(formulas, operand).is_suspendable() {
            return operand;
        }
        let node = formulas.node(operand).clone();
        if let Node::And(list) | Node::Or(list) = &node {
            let (out, inner) = self.part(formulas, list, Shape::is_suspendable);
            if !out.is_empty() {
                let all = matches!(node, Node::And(_));
                let inner = self.join(formulas, &inner, all);
                let inner = self.next(formulas, inner);
                return self.join(formulas, &[out, vec![inner]].concat(), all);
            }
        }
        formulas.next(operand)
    }

    fn join(&mut self, formulas: &mut Formulas, list: &[Formula], all: bool) -> Formula {
        if all { self.and(formulas, list) } else { self.or(formulas, list) }
    }

    /// From some state on.
    pub(crate) fn eventually(&mut self, formulas: &mut Formulas, operand: Formula) -> Formula {
        if self.shape(formulas, operand).is_eventual {
            return operand;
        }
        match formulas.node(operand).clone() {
            Node::Next(f) => {
                let inner = self.eventually(formulas, f);
                self.next(formulas, inner)
            }
            Node::Until(_, r) => self.eventually(formulas, r),
            Node::StrongRelease(l, r) => {
                let both = self.and(formulas, &[l, r]);
                self.eventually(formulas, both)
            }
            Node::WeakUntil(l, r) => {
                let always = self.always(formulas, l);
                let cases = self.or(formulas, &[always, r]);
                self.eventually(formulas, cases)
            }
            Node::Or(list) => {
                let (out, inner) = self.part(formulas, &list, |shape| shape.is_eventual);
                if out.is_empty() {
                    return self.eventually_of_always(formulas, operand);
                }
                let inner = self.or(formulas, &inner);
                let inner = self.eventually(formulas, inner);
                self.or(formulas, &[out, vec![inner]].concat())
            }
            Node::And(list) => {
                let (out, inner) = self.part(formulas, &list, Shape::is_suspendable);
                if out.is_empty() {
                    return formulas.eventually(operand);
                }
                let inner = self.and(formulas, &inner);
                let inner = self.eventually(formulas, inner);
                self.and(formulas, &[out, vec![inner]].concat())
            }
            _ => self.eventually_of_always(formulas, operand),
        }
    }

    /// `<> [] (f || u)` with `u` universal is `<> [] f || <> u`.
    fn eventually_of_always(&mut self, formulas: &mut Formulas, operand: Formula) -> Formula {
        if let Node::Always(f) = *formulas.node(operand)
            && let Node::Or(list) = formulas.node(f).clone()
        {
            let (out, inner) = self.part(formulas, &list, |shape| shape.is_universal);
            if !out.is_empty() {
                let inner = self.or(formulas, &inner);
                let inner = self.always(formulas, inner);
                let mut cases = vec![self.eventually(formulas, inner)];
                for part in out {
                    cases.push(self.eventually(formulas, part));
                }
                return self.or(formulas, &cases);
            }
        }
        formulas.eventually(operand)
    }

    /// From every state on.
    pub(crate) fn always(&mut self, formulas: &mut Formulas, operand: Formula) -> Formula {
        if self.shape(formulas, operand).is_universal {
            return operand;
        }
        match formulas.node(operand).clone() {
            Node::Next(f) => {
                let inner = self.always(formulas, f);
                self.next(formulas, inner)
            }
            Node::Release(_, r) => self.always(formulas, r),
            Node::WeakUntil(l, r) => {
                let either = self.or(formulas, &[l, r]);
                self.always(formulas, either)
            }
            Node::Until(l, r) => {
                let (either, later) = (self.or(formulas, &[l, r]), self.eventually(formulas, r));
                let parts = [self.always(formulas, either), self.always(formulas, later)];
                self.and(formulas, &parts)
            }
            Node::StrongRelease(l, r) => {
                let later = self.eventually(formulas, l);
                let parts = [self.always(formulas, r), self.always(formulas, later)];
                self.and(formulas, &parts)
            }
            Node::And(list) => {
                // What is universal is out already, and always what is eventual can be suspended.
                let separate = |shape: Shape| shape.is_universal || shape.is_eventual;
                let (out, inner) = self.part(formulas, &list, separate);
                if out.is_empty() {
                    return formulas.always(operand);
                }
                let inner = self.and(formulas, &inner);
                let mut parts = vec![self.always(formulas, inner)];
                for part in out {
                    parts.push(self.always(formulas, part));
                }
                self.and(formulas, &parts)
            }
            Node::Or(list) => {
                let (out, inner) = self.part(formulas, &list, Shape::is_suspendable);
                if out.is_empty() {
                    return formulas.always(operand);
                }
                let inner = self.or(formulas, &inner);
                let inner = self.always(formulas, inner);
                self.or(formulas, &[out, vec![inner]].concat())
            }
            Node::Eventually(f) => self.always_of_eventually(formulas, operand, f),
            _ => formulas.always(operand),
        }
    }

    /// `[] <> (f && e)` with `e` eventual is `[] <> f && [] e`.
    fn always_of_eventually(&mut self, formulas: &mut Formulas, operand: Formula, f: Formula) -> Formula {
        if let Node::And(list) = formulas.node(f).clone() {
            let (out, inner) = self.part(formulas, &list, |shape| shape.is_eventual);
            if !out.is_empty() {
                let inner = self.and(formulas, &inner);
                let inner = self.eventually(formulas, inner);
                let mut parts = vec![self.always(formulas, inner)];
                for part in out {
                    parts.push(self.always(formulas, part));
                }
                return self.and(formulas, &parts);
            }
        }
        formulas.always(operand)
    }

    /// Both operands under a next operator, without it.
    fn both_next(formulas: &Formulas, l: Formula, r: Formula) -> Option<(Formula, Formula)> {
        match (formulas.node(l), formulas.node(r)) {
            (Node::Next(l), Node::Next(r)) => Some((*l, *r)),
            _ => None,
        }
    }

    /// Until.
    pub(crate) fn until(&mut self, formulas: &mut Formulas, l: Formula, r: Formula) -> Formula {
        if r == Formula::TRUE || self.shape(formulas, r).is_eventual || self.implies(formulas, l, r) {
            return r;
        }
        if self.negation_implies(formulas, r, l) {
            return self.eventually(formulas, r);
        }
        if let Some(rest) = self.without_forever(formulas, l, r) {
            return self.weak_until(formulas, l, rest);
        }
        if let Some((l, r)) = Self::both_next(formulas, l, r) {
            let inner = self.until(formulas, l, r);
            return self.next(formulas, inner);
        }
        if let Some(changed) = self.trim_left_of_until(formulas, l, r) {
            return self.until(formulas, changed, r);
        }
        match formulas.node(r).clone() {
            Node::Until(m, _) if self.implies(formulas, l, m) => return r,
            Node::Or(list) => {
                let (out, inner) = self.part(formulas, &list, |shape| shape.is_eventual);
                if !out.is_empty() {
                    let inner = self.or(formulas, &inner);
                    let inner = self.until(formulas, l, inner);
                    return self.or(formulas, &[out, vec![inner]].concat());
                }
            }
            Node::And(list) => {
                let (out, inner) = self.part(formulas, &list, Shape::is_suspendable);
                if !out.is_empty() {
                    let inner = self.and(formulas, &inner);
                    let inner = self.until(formulas, l, inner);
                    return self.and(formulas, &[out, vec![inner]].concat());
                }
            }
            _ => {}
        }
        formulas.until(l, r)
    }

    /// For `l U (g || [] h)`, where `l` and `h` are the same wherever `g` is false: `g`. The formula is `l W g` then.
    fn without_forever(&mut self, formulas: &mut Formulas, l: Formula, r: Formula) -> Option<Formula> {
        let Node::Or(list) = formulas.node(r).clone() else { return None };
        for (at, &member) in list.iter().enumerate() {
            let Node::Always(h) = *formulas.node(member) else { continue };
            let mut others = list.to_vec();
            others.remove(at);
            let rest = formulas.or_all(&others);
            let weaker = formulas.or(h, rest);
            if self.implies(formulas, h, l) && self.implies(formulas, l, weaker) {
                return Some(rest);
            }
        }
        None
    }

    /// For `l R (g && <> h)`, where `l` and `h` are the same wherever `g` is true: `g`. The formula is `l M g` then.
    fn without_at_last(&mut self, formulas: &mut Formulas, l: Formula, r: Formula) -> Option<Formula> {
        let Node::And(list) = formulas.node(r).clone() else { return None };
        for (at, &member) in list.iter().enumerate() {
            let Node::Eventually(h) = *formulas.node(member) else { continue };
            let mut others = list.to_vec();
            others.remove(at);
            let rest = formulas.and_all(&others);
            let stronger = formulas.and(h, rest);
            if self.implies(formulas, l, h) && self.implies(formulas, stronger, l) {
                return Some(rest);
            }
        }
        None
    }

    /// The left side of an until or weak until without what its right side makes superfluous.
    fn trim_left_of_until(&mut self, formulas: &mut Formulas, l: Formula, r: Formula) -> Option<Formula> {
        match formulas.node(l).clone() {
            Node::Until(m, s) | Node::WeakUntil(m, s) if s == r => Some(m),
            Node::Or(list) => {
                let kept: Vec<Formula> =
                    list.iter().copied().filter(|&part| !self.implies(formulas, part, r)).collect();
                (kept.len() < list.len()).then(|| self.or(formulas, &kept))
            }
            Node::And(list) => {
                let kept: Vec<Formula> =
                    list.iter().copied().filter(|&part| !self.negation_implies(formulas, r, part)).collect();
                (kept.len() < list.len()).then(|| self.and(formulas, &kept))
            }
            _ => None,
        }
    }

    /// Weak until.
    pub(crate) fn weak_until(&mut self, formulas: &mut Formulas, l: Formula, r: Formula) -> Formula {
        if l == Formula::TRUE || r == Formula::TRUE || self.negation_implies(formulas, r, l) {
            return Formula::TRUE;
        }
        if self.implies(formulas, l, r) {
            return r;
        }
        if r == Formula::FALSE {
            return self.always(formulas, l);
        }
        let (of_l, of_r) = (self.shape(formulas, l), self.shape(formulas, r));
        if of_l.is_universal {
            return self.or(formulas, &[l, r]);
        }
        if of_l.is_eventual && of_r.is_eventual || of_r.is_suspendable() {
            let always = self.always(formulas, l);
            return self.or(formulas, &[always, r]);
        }
        if let Some((l, r)) = Self::both_next(formulas, l, r) {
            let inner = self.weak_until(formulas, l, r);
            return self.next(formulas, inner);
        }
        if matches!(formulas.node(l), Node::Until(_, s) if *s == r) {
            return l;
        }
        if let Some(changed) = self.trim_left_of_until(formulas, l, r) {
            return self.weak_until(formulas, changed, r);
        }
        match formulas.node(r).clone() {
            Node::WeakUntil(m, _) if self.implies(formulas, l, m) => return r,
            Node::Or(list) => {
                let (out, inner) = self.part(formulas, &list, |shape| shape.is_eventual);
                if !out.is_empty() {
                    let inner = self.or(formulas, &inner);
                    let inner = self.weak_until(formulas, l, inner);
                    return self.or(formulas, &[out, vec![inner]].concat());
                }
            }
            _ => {}
        }
        formulas.weak_until(l, r)
    }

    /// Release.
    pub(crate) fn release(&mut self, formulas: &mut Formulas, l: Formula, r: Formula) -> Formula {
        if r == Formula::FALSE || self.shape(formulas, r).is_universal || self.implies(formulas, r, l) {
            return r;
        }
        if self.implies_negation(formulas, r, l) {
            return self.always(formulas, r);
        }
        if let Some(rest) = self.without_at_last(formulas, l, r) {
            return self.strong_release(formulas, l, rest);
        }
        if let Some((l, r)) = Self::both_next(formulas, l, r) {
            let inner = self.release(formulas, l, r);
            return self.next(formulas, inner);
        }
        if let Some(changed) = self.trim_left_of_release(formulas, l, r) {
            return self.release(formulas, changed, r);
        }
        match formulas.node(r).clone() {
            Node::Release(m, _) if self.implies(formulas, m, l) => return r,
            Node::And(list) => {
                let (out, inner) = self.part(formulas, &list, |shape| shape.is_universal);
                if !out.is_empty() {
                    let inner = self.and(formulas, &inner);
                    let inner = self.release(formulas, l, inner);
                    return self.and(formulas, &[out, vec![inner]].concat());
                }
            }
            Node::Or(list) => {
                let (out, inner) = self.part(formulas, &list, Shape::is_suspendable);
                if !out.is_empty() {
                    let inner = self.or(formulas, &inner);
                    let inner = self.release(formulas, l, inner);
                    return self.or(formulas, &[out, vec![inner]].concat());
                }
            }
            _ => {}
        }
        formulas.release(l, r)
    }

    /// The left side of a release or strong release without what its right side makes superfluous.
    fn trim_left_of_release(&mut self, formulas: &mut Formulas, l: Formula, r: Formula) -> Option<Formula> {
        match formulas.node(l).clone() {
            Node::Release(m, s) | Node::StrongRelease(m, s) if s == r => Some(m),
            Node::And(list) => {
                let kept: Vec<Formula> =
                    list.iter().copied().filter(|&part| !self.implies(formulas, r, part)).collect();
                (kept.len() < list.len()).then(|| self.and(formulas, &kept))
            }
            Node::Or(list) => {
                let kept: Vec<Formula> =
                    list.iter().copied().filter(|&part| !self.implies_negation(formulas, r, part)).collect();
                (kept.len() < list.len()).then(|| self.or(formulas, &kept))
            }
            _ => None,
        }
    }

    /// Strong release.
    pub(crate) fn strong_release(&mut self, formulas: &mut Formulas, l: Formula, r: Formula) -> Formula {
        if l == Formula::FALSE || r == Formula::FALSE || self.implies_negation(formulas, r, l) {
            return Formula::FALSE;
        }
        if self.implies(formulas, r, l) {
            return r;
        }
        if r == Formula::TRUE {
            return self.eventually(formulas, l);
        }
        let (of_l, of_r) = (self.shape(formulas, l), self.shape(formulas, r));
        if of_l.is_eventual {
            return self.and(formulas, &[l, r]);
        }
        if of_l.is_universal && of_r.is_universal || of_r.is_suspendable() {
            let later = self.eventually(formulas, l);
            return self.and(formulas, &[later, r]);
        }
        if let Some((l, r)) = Self::both_next(formulas, l, r) {
            let inner = self.strong_release(formulas, l, r);
            return self.next(formulas, inner);
        }
        if matches!(formulas.node(l), Node::Release(_, s) if *s == r) {
            return l;
        }
        if let Some(changed) = self.trim_left_of_release(formulas, l, r) {
            return self.strong_release(formulas, changed, r);
        }
        match formulas.node(r).clone() {
            Node::StrongRelease(m, _) if self.implies(formulas, m, l) => return r,
            Node::And(list) => {
                let (out, inner) = self.part(formulas, &list, |shape| shape.is_universal);
                if !out.is_empty() {
                    let inner = self.and(formulas, &inner);
                    let inner = self.strong_release(formulas, l, inner);
                    return self.and(formulas, &[out, vec![inner]].concat());
                }
            }
            _ => {}
        }
        formulas.strong_release(l, r)
    }
}
