//! Formulas that hold for the wrong reason.
//!
//! A formula that holds is *vacuous* in an occurrence of a subformula if it would hold whatever stood there: for an occurrence of one
//! polarity it is enough to try the value that makes the formula hardest to satisfy (Beer, Ben-David, Eisner and Rodeh, 1997;
//! Kupferman and Vardi, 1999). So `[] (request -> <> grant)` holds vacuously if `[] !request` holds. Whoever
//! has found that a formula holds checks its [`strengthenings`]; one that holds too is a witness of vacuity, and says
//! which part does not matter. The same for all three logics.

use std::collections::VecDeque;

use crate::ctl::{CtlFormula, CtlFormulas, CtlNode};
use crate::{Formula, Formulas, Node, Psl};

/// A formula that implies the original: an occurrence of a part is replaced by a constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strengthening<F> {
    /// The part that was replaced.
    pub part: F,
    /// What it was replaced by: false where the part occurs positively, else true.
    pub value: bool,
    /// The stronger formula.
    pub formula: F,
    /// Where the part is: from the whole formula on, the numbers of operands.
    pub path: Vec<usize>,
    /// What the part is the consequence of, if it is the whole consequence: then it does not matter because that never happens.
    pub cause: Option<F>,
}

/// The stronger formulas, one for each occurrence of a part that is not constant, outermost parts first.
///
/// Occurrences below an equivalence have both polarities and are replaced by both values.
pub fn strengthenings(formulas: &mut Formulas, formula: Formula) -> Vec<Strengthening<Formula>> {
    strengthen(formulas, &formula)
}

/// The same for computation tree logic.
pub fn ctl_strengthenings(formulas: &mut CtlFormulas, formula: CtlFormula) -> Vec<Strengthening<CtlFormula>> {
    strengthen(formulas, &formula)
}

/// The same for the property specification language; state formulas and sequences are not taken apart.
pub fn psl_strengthenings(psl: &Psl) -> Vec<Strengthening<Psl>> {
    strengthen(&mut Sequences, psl)
}

/// What an operand does to the polarity of what is in it.
enum Polarity {
    Same,
    Opposite,
    Both,
}

/// A logic whose formulas can be taken apart and put together.
trait Parts {
    type Formula: Clone + PartialEq;

    fn operands(&self, formula: &Self::Formula) -> Vec<Self::Formula>;

    fn polarity(&self, formula: &Self::Formula, operand: usize) -> Polarity;

    fn is_constant(&self, formula: &Self::Formula) -> bool;

    fn constant(&self, value: bool) -> Self::Formula;

    /// The formula with one operand replaced.
    fn replace(&mut self, formula: &Self::Formula, operand: usize, by: Self::Formula) -> Self::Formula;

    /// Whether a part is one that its author sees, and not one of two that a negation was made of.
    fn is_seen(&self, _parent: &Self::Formula, _parent_is_seen: bool, _part: &Self::Formula) -> bool {
        true
    }

    /// Whether a formula is only a way to write its operand as a consequence.
    fn is_transparent(&self, _formula: &Self::Formula) -> bool {
        false
    }

    /// What an operand is the consequence of.
    fn cause(&self, formula: &Self::Formula, operand: usize) -> Option<Self::Formula>;
}

fn strengthen<P: Parts>(parts: &mut P, formula: &P::Formula) -> Vec<Strengthening<P::Formula>> {
    let mut found: Vec<Strengthening<P::Formula>> = Vec::new();
    let mut queue = VecDeque::from([Vec::new()]);
    while let Some(path) = queue.pop_front() {
        let Some(Place { part, polarity, cause, is_seen }) = at_path(parts, formula, &path) else { continue };
        for operand in 0..parts.operands(&part).len() {
            queue.push_back([&path[..], &[operand]].concat());
        }
        if path.is_empty() || !is_seen || parts.is_constant(&part) {
            continue;
        }
        for value in [false, true] {
            // False is hardest where the part occurs positively, true where negatively.
            if polarity.is_none_or(|positive| positive != value) {
                let constant = parts.constant(value);
                let stronger = replace(parts, formula, &path, constant);
                if found.iter().all(|other| other.formula != stronger) {
                    found.push(Strengthening {
                        part: part.clone(),
                        value,
                        formula: stronger,
                        path: path.clone(),
                        cause: cause.clone(),
                    });
                }
            }
        }
    }
    found
}

/// A part of a formula at a place.
struct Place<F> {
    part: F,
    /// None for both.
    polarity: Option<bool>,
    /// What it is the consequence of.
    cause: Option<F>,
    is_seen: bool,
}

/// The part at a path of operands.
fn at_path<P: Parts>(parts: &P, formula: &P::Formula, path: &[usize]) -> Option<Place<P::Formula>> {
    let mut place = Place { part: formula.clone(), polarity: Some(true), cause: None, is_seen: true };
    for &operand in path {
        let part = parts.operands(&place.part).get(operand)?.clone();
        place = Place {
            polarity: match parts.polarity(&place.part, operand) {
                Polarity::Same => place.polarity,
                Polarity::Opposite => place.polarity.map(|positive| !positive),
                Polarity::Both => None,
            },
            cause: match parts.cause(&place.part, operand) {
                None if parts.is_transparent(&place.part) => place.cause,
                cause => cause,
            },
            is_seen: parts.is_seen(&place.part, place.is_seen, &part),
            part,
        };
    }
    Some(place)
}

fn replace<P: Parts>(parts: &mut P, formula: &P::Formula, path: &[usize], by: P::Formula) -> P::Formula {
    let Some((&first, rest)) = path.split_first() else { return by };
    let Some(operand) = parts.operands(formula).get(first).cloned() else { return formula.clone() };
    let inner = replace(parts, &operand, rest, by);
    parts.replace(formula, first, inner)
}

impl<F> Strengthening<F> {
    /// Whether the part is inside that of another strengthening of the same formula, or is the same.
    pub fn is_inside<G>(&self, other: &Strengthening<G>) -> bool {
        self.path.starts_with(&other.path)
    }
}

impl Parts for Formulas {
    type Formula = Formula;

    fn operands(&self, formula: &Formula) -> Vec<Formula> {
        Formulas::operands(self, *formula)
    }

    fn polarity(&self, formula: &Formula, operand: usize) -> Polarity {
        match self.node(*formula) {
            Node::Not(_) => Polarity::Opposite,
            Node::Implies(..) if operand == 0 => Polarity::Opposite,
            Node::Equivalent(..) => Polarity::Both,
            _ => Polarity::Same,
        }
    }

    fn is_constant(&self, formula: &Formula) -> bool {
        matches!(self.node(*formula), Node::True | Node::False)
    }

    fn constant(&self, value: bool) -> Formula {
        Formulas::constant(self, value)
    }

    fn replace(&mut self, formula: &Formula, operand: usize, by: Formula) -> Formula {
        let mut at = 0;
        self.map_operands(*formula, |_, part| {
            at += 1;
            if at == operand + 1 { by } else { part }
        })
    }

    fn cause(&self, formula: &Formula, operand: usize) -> Option<Formula> {
        match *self.node(*formula) {
            Node::Implies(cause, _) if operand == 1 => Some(cause),
            _ => None,
        }
    }
}

impl Parts for CtlFormulas {
    type Formula = CtlFormula;

    fn operands(&self, formula: &CtlFormula) -> Vec<CtlFormula> {
        CtlFormulas::operands(self, *formula)
    }

    fn polarity(&self, formula: &CtlFormula, operand: usize) -> Polarity {
        match self.node(*formula) {
            CtlNode::Not(_) => Polarity::Opposite,
            CtlNode::Implies(..) if operand == 0 => Polarity::Opposite,
            CtlNode::Equivalent(..) => Polarity::Both,
            _ => Polarity::Same,
        }
    }

    fn is_constant(&self, formula: &CtlFormula) -> bool {
        matches!(self.node(*formula), CtlNode::True | CtlNode::False)
    }

    fn constant(&self, value: bool) -> CtlFormula {
        if value { CtlFormula::TRUE } else { CtlFormula::FALSE }
    }

    fn replace(&mut self, formula: &CtlFormula, operand: usize, by: CtlFormula) -> CtlFormula {
        let pick = |left: CtlFormula, right: CtlFormula| if operand == 0 { (by, right) } else { (left, by) };
        let node = match *self.node(*formula) {
            ref node @ (CtlNode::True | CtlNode::False | CtlNode::Proposition(_)) => node.clone(),
            CtlNode::Not(_) => CtlNode::Not(by),
            CtlNode::Next(q, _) => CtlNode::Next(q, by),
            CtlNode::Eventually(q, _) => CtlNode::Eventually(q, by),
            CtlNode::Always(q, _) => CtlNode::Always(q, by),
            CtlNode::And(l, r) => {
                let (l, r) = pick(l, r);
                CtlNode::And(l, r)
            }
            CtlNode::Or(l, r) => {
                let (l, r) = pick(l, r);
                CtlNode::Or(l, r)
            }
            CtlNode::Implies(l, r) => {
                let (l, r) = pick(l, r);
                CtlNode::Implies(l, r)
            }
            CtlNode::Equivalent(l, r) => {
                let (l, r) = pick(l, r);
                CtlNode::Equivalent(l, r)
            }
            CtlNode::Until(q, l, r) => {
                let (l, r) = pick(l, r);
                CtlNode::Until(q, l, r)
            }
            CtlNode::WeakUntil(q, l, r) => {
                let (l, r) = pick(l, r);
                CtlNode::WeakUntil(q, l, r)
            }
            CtlNode::Release(q, l, r) => {
                let (l, r) = pick(l, r);
                CtlNode::Release(q, l, r)
            }
            CtlNode::StrongRelease(q, l, r) => {
                let (l, r) = pick(l, r);
                CtlNode::StrongRelease(q, l, r)
            }
        };
        self.make(node)
    }

    fn cause(&self, formula: &CtlFormula, operand: usize) -> Option<CtlFormula> {
        match *self.node(*formula) {
            CtlNode::Implies(cause, _) if operand == 1 => Some(cause),
            _ => None,
        }
    }
}

/// PSL needs no table.
struct Sequences;

impl Parts for Sequences {
    type Formula = Psl;

    fn operands(&self, psl: &Psl) -> Vec<Psl> {
        match psl {
            Psl::Boolean(_) | Psl::StrongBoolean(_) | Psl::Strong(_) | Psl::Weak(_) => Vec::new(),
            Psl::Not(f) | Psl::Next(f) | Psl::Abort(f, _) | Psl::Suffix(_, f) => vec![(**f).clone()],
            Psl::And(l, r) | Psl::Until(l, r) => vec![(**l).clone(), (**r).clone()],
        }
    }

    fn polarity(&self, psl: &Psl, _: usize) -> Polarity {
        if let Psl::Not(_) = psl { Polarity::Opposite } else { Polarity::Same }
    }

    fn is_constant(&self, psl: &Psl) -> bool {
        matches!(psl, Psl::Boolean(Formula::TRUE | Formula::FALSE))
    }

    fn is_seen(&self, parent: &Psl, parent_is_seen: bool, part: &Psl) -> bool {
        // Disjunctions, implications, `always` are made of negations; what they negate is what was written.
        match parent {
            Psl::Not(_) => !parent_is_seen,
            Psl::And(..) | Psl::Until(..) => !matches!(part, Psl::Not(_)),
            _ => true,
        }
    }

    fn constant(&self, value: bool) -> Psl {
        Psl::Boolean(if value { Formula::TRUE } else { Formula::FALSE })
    }

    fn replace(&mut self, psl: &Psl, operand: usize, by: Psl) -> Psl {
        let by = Box::new(by);
        match (psl.clone(), operand) {
            (Psl::Not(_), _) => Psl::Not(by),
            (Psl::Next(_), _) => Psl::Next(by),
            (Psl::Abort(_, b), _) => Psl::Abort(by, b),
            (Psl::Suffix(r, _), _) => Psl::Suffix(r, by),
            (Psl::And(_, r), 0) => Psl::And(by, r),
            (Psl::And(l, _), _) => Psl::And(l, by),
            (Psl::Until(_, r), 0) => Psl::Until(by, r),
            (Psl::Until(l, _), _) => Psl::Until(l, by),
            (other, _) => other,
        }
    }

    fn is_transparent(&self, psl: &Psl) -> bool {
        matches!(psl, Psl::Not(_))
    }

    fn cause(&self, psl: &Psl, operand: usize) -> Option<Psl> {
        match psl {
            // An implication is not (cause and not consequence); with a negation for the cause it is a disjunction.
            Psl::And(cause, negated)
                if operand == 1 && matches!(**negated, Psl::Not(_)) && !matches!(**cause, Psl::Not(_)) =>
            {
                Some((**cause).clone())
            }
            Psl::Suffix(r, _) => Some(Psl::Strong(r.before_any().unwrap_or(r).clone())),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lasso::all_lassos;
    use crate::random::{RandomFormulas, Seed};
    use crate::{Propositions, Simplifier, parse_ltl_text, print_formula};

    #[test]
    fn a_response_is_vacuous_without_its_cause() {
        let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
        let formula = parse_ltl_text("[] (p -> <> q)", &mut formulas, &mut propositions).expect("a formula");
        let mut simplifier = Simplifier::default();
        let found: Vec<(String, String)> = strengthenings(&mut formulas, formula)
            .into_iter()
            .map(|found| {
                let simple = simplifier.simplify(&mut formulas, found.formula);
                let print = |formula| print_formula(&formulas, &propositions, formula);
                (print(found.part), print(simple))
            })
            .collect();
        let expected = [("p -> <> q", "false"), ("p", "[] <> q"), ("<> q", "[] !p"), ("q", "[] !p")];
        assert_eq!(found, expected.map(|(part, simple)| (part.to_owned(), simple.to_owned())));
    }

    #[test]
    fn the_cause_of_a_part_is_known_in_all_logics() {
        let (mut formulas, mut names) = (CtlFormulas::new(), Propositions::new());
        let formula = crate::parse_ctl_text("AG (p -> AF q)", &mut formulas, &mut names).expect("a formula");
        let found: Vec<(String, String, Option<String>)> = ctl_strengthenings(&mut formulas, formula)
            .into_iter()
            .map(|found| {
                let print = |formula| crate::print_ctl(&formulas, &names, formula);
                (print(found.part), print(found.formula), found.cause.map(print))
            })
            .collect();
        let expected = [
            ("p -> AF q", "AG false", None),
            ("p", "AG (true -> AF q)", None),
            ("AF q", "AG (p -> false)", Some("p")),
            // Only a part of the consequence.
            ("q", "AG (p -> AF false)", None),
        ];
        let expected = expected
            .map(|(part, formula, cause)| (part.to_owned(), formula.to_owned(), cause.map(str::to_owned)));
        assert_eq!(found, expected);
        let (mut formulas, mut names) = (Formulas::new(), Propositions::new());
        let psl = crate::parse_psl_text("always {p; q} |=> r", &mut formulas, &mut names).expect("a formula");
        let found = psl_strengthenings(&psl);
        let causes: Vec<String> = found
            .iter()
            .filter_map(|found| found.cause.as_ref())
            .map(|cause| crate::read_psl(&formulas, &names, cause))
            .collect();
        assert!(causes.contains(&"`p`, then `q` happens from here on".to_owned()), "{causes:?}");
    }

    #[test]
    fn without_equivalences_a_strengthening_implies_the_formula() {
        let mut formulas = Formulas::new();
        let mut random = RandomFormulas::new(Seed(6), 2);
        let lassos = all_lassos(2, 1, 2);
        for round in 0..200 {
            let formula = random.formula(&mut formulas, 3 + round % 7);
            let parts = formulas.subformulas(formula);
            if parts.iter().any(|&part| matches!(formulas.node(part), Node::Equivalent(..))) {
                continue;
            }
            for stronger in strengthenings(&mut formulas, formula) {
                for lasso in &lassos {
                    let implies =
                        !lasso.satisfies(&formulas, stronger.formula) || lasso.satisfies(&formulas, formula);
                    assert!(implies, "round {round}");
                }
            }
        }
    }
}
