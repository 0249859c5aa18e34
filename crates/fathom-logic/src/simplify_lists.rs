//! Rewriting of conjunctions and disjunctions: members that others imply go, members of the same kind are joined.
//!
//! Both are one procedure with the roles of the operators exchanged. See `simplify.rs` for the sources.

use crate::simplify::Simplifier;
use crate::{Formula, Formulas, Node};

/// Members of longer lists are not compared with each other.
const MOST_COMPARED: usize = 40;

impl Simplifier {
    /// The conjunction of simplified formulas.
    pub(crate) fn and(&mut self, formulas: &mut Formulas, list: &[Formula]) -> Formula {
        self.list(formulas, list, true)
    }

    /// The disjunction of simplified formulas.
    pub(crate) fn or(&mut self, formulas: &mut Formulas, list: &[Formula]) -> Formula {
        self.list(formulas, list, false)
    }

    fn list(&mut self, formulas: &mut Formulas, list: &[Formula], all: bool) -> Formula {
        let mut members = flatten(formulas, list, all);
        loop {
            members.sort_unstable();
            members.dedup();
            let (neutral, absorbing) = (formulas.constant(all), formulas.constant(!all));
            members.retain(|&member| member != neutral);
            if members.contains(&absorbing) {
                return absorbing;
            }
            if members.len() > MOST_COMPARED {
                let before = members.len();
                self.join_kinds(formulas, &mut members, all);
                if members.len() < before {
                    continue;
                }
                break;
            }
            if self.has_contradiction(formulas, &members, all) {
                return absorbing;
            }
            self.drop_implied(formulas, &mut members, all);
            if self.shorten_by_context(formulas, &mut members, all) {
                continue;
            }
            let Some((first, second, joined)) = self.join_two(formulas, &members, all) else { break };
            members.remove(second);
            members.remove(first);
            members.extend(flatten(formulas, &[joined], all));
        }
        if all { formulas.and_all(&members) } else { formulas.or_all(&members) }
    }

    /// Joins all members with the same outermost operator that distributes over the list; for long lists.
    fn join_kinds(&mut self, formulas: &mut Formulas, members: &mut Vec<Formula>, all: bool) {
        for is_next in [false, true] {
            let mut inner = Vec::new();
            members.retain(|&member| {
                let operand = match *formulas.node(member) {
                    Node::Next(f) if is_next => Some(f),
                    Node::Always(f) if !is_next && all => Some(f),
                    Node::Eventually(f) if !is_next && !all => Some(f),
                    _ => None,
                };
                // What can be suspended stays on its own.
                let operand = operand.filter(|_| !self.shape(formulas, member).is_suspendable());
                inner.extend(operand);
                operand.is_none()
            });
            if inner.is_empty() {
                continue;
            }
            let joined = self.list(formulas, &inner, all);
            members.push(match (is_next, all) {
                (true, _) => self.next(formulas, joined),
                (false, true) => self.always(formulas, joined),
                (false, false) => self.eventually(formulas, joined),
            });
        }
    }

    /// Whether two members exclude each other (conjunction), or one of any two must hold (disjunction).
    fn has_contradiction(&mut self, formulas: &mut Formulas, members: &[Formula], all: bool) -> bool {
        for (at, &one) in members.iter().enumerate() {
            for &other in &members[at + 1..] {
                let found = if all {
                    self.implies_negation(formulas, one, other) || self.implies_negation(formulas, other, one)
                } else {
                    let negation = self.normal_forms.negative(formulas, one);
                    self.implies(formulas, negation, other)
                };
                if found {
                    return true;
                }
            }
        }
        false
    }

    /// Removes members that another member makes superfluous.
    fn drop_implied(&mut self, formulas: &Formulas, members: &mut Vec<Formula>, all: bool) {
        let mut at = 0;
        while at < members.len() {
            let member = members[at];
            let superfluous = members.iter().enumerate().any(|(other_at, &other)| {
                let (strong, weak) = if all { (other, member) } else { (member, other) };
                other_at != at && self.implies(formulas, strong, weak)
            });
            if superfluous {
                members.remove(at);
            } else {
                at += 1;
            }
        }
    }

    /// Shortens a member that is a list of lists by what another member decides: in `a && (a && b || c)` the second `a` says nothing. Gives
    /// whether there was one.
    fn shorten_by_context(&mut self, formulas: &mut Formulas, members: &mut Vec<Formula>, all: bool) -> bool {
        for at in 0..members.len() {
            let parts = match (formulas.node(members[at]), all) {
                (Node::Or(parts), true) | (Node::And(parts), false) => parts.to_vec(),
                _ => continue,
            };
            let mut is_shorter = false;
            let mut kept = Vec::with_capacity(parts.len());
            for &part in &parts {
                let inner = match (formulas.node(part), all) {
                    (Node::And(inner), true) | (Node::Or(inner), false) => inner.to_vec(),
                    _ => {
                        kept.push(part);
                        continue;
                    }
                };
                let mut is_decided = |element: &Formula| {
                    members.iter().enumerate().any(|(other_at, &other)| {
                        let (strong, weak) = if all { (other, *element) } else { (*element, other) };
                        other_at != at && self.implies(formulas, strong, weak)
                    })
                };
                let rest: Vec<Formula> =
                    inner.iter().copied().filter(|element| !is_decided(element)).collect();
                is_shorter |= rest.len() < inner.len();
                kept.push(if all { formulas.and_all(&rest) } else { formulas.or_all(&rest) });
            }
            if is_shorter {
                let shorter = self.list(formulas, &kept, !all);
                members.remove(at);
                members.extend(flatten(formulas, &[shorter], all));
                return true;
            }
        }
        false
    }

    /// Two members that can be written as one.
    fn join_two(
        &mut self,
        formulas: &mut Formulas,
        members: &[Formula],
        all: bool,
    ) -> Option<(usize, usize, Formula)> {
        for first in 0..members.len() {
            for second in first + 1..members.len() {
                let (a, b) = (members[first], members[second]);
                let joined = if all { self.join_and(formulas, a, b) } else { self.join_or(formulas, a, b) };
                if let Some(joined) = joined {
                    return Some((first, second, joined));
                }
            }
        }
        None
    }

    fn join_and(&mut self, formulas: &mut Formulas, a: Formula, b: Formula) -> Option<Formula> {
        let suspendable =
            self.shape(formulas, a).is_suspendable() || self.shape(formulas, b).is_suspendable();
        let joined = match (formulas.node(a).clone(), formulas.node(b).clone()) {
            (Node::Always(f), Node::Always(g)) if !suspendable => {
                let both = self.and(formulas, &[f, g]);
                self.always(formulas, both)
            }
            (Node::Next(f), Node::Next(g)) => {
                let both = self.and(formulas, &[f, g]);
                self.next(formulas, both)
            }
            (Node::Eventually(f), Node::Eventually(g)) => {
                let (Node::Always(f), Node::Always(g)) = (formulas.node(f).clone(), formulas.node(g).clone())
                else {
                    return None;
                };
                let both = self.and(formulas, &[f, g]);
                let always = self.always(formulas, both);
                self.eventually(formulas, always)
            }
            (Node::Until(l, r), Node::Until(m, s) | Node::WeakUntil(m, s))
            | (Node::WeakUntil(m, s), Node::Until(l, r))
                if r == s =>
            {
                let both = self.and(formulas, &[l, m]);
                self.until(formulas, both, r)
            }
            (Node::WeakUntil(l, r), Node::WeakUntil(m, s)) if r == s => {
                let both = self.and(formulas, &[l, m]);
                self.weak_until(formulas, both, r)
            }
            (Node::StrongRelease(l, r), Node::StrongRelease(m, s) | Node::Release(m, s))
            | (Node::Release(m, s), Node::StrongRelease(l, r))
                if l == m =>
            {
                let both = self.and(formulas, &[r, s]);
                self.strong_release(formulas, l, both)
            }
            (Node::Release(l, r), Node::Release(m, s)) if l == m => {
                let both = self.and(formulas, &[r, s]);
                self.release(formulas, l, both)
            }
            (Node::WeakUntil(l, r), Node::Eventually(f)) | (Node::Eventually(f), Node::WeakUntil(l, r))
                if f == r =>
            {
                self.until(formulas, l, r)
            }
            (Node::Release(l, r), Node::Eventually(f)) | (Node::Eventually(f), Node::Release(l, r))
                if f == l =>
            {
                self.strong_release(formulas, l, r)
            }
            _ => return None,
        };
        Some(joined)
    }

    fn join_or(&mut self, formulas: &mut Formulas, a: Formula, b: Formula) -> Option<Formula> {
        let joined = match (formulas.node(a).clone(), formulas.node(b).clone()) {
            (Node::Eventually(f), Node::Eventually(g)) => {
                let either = self.or(formulas, &[f, g]);
                self.eventually(formulas, either)
            }
            (Node::Next(f), Node::Next(g)) => {
                let either = self.or(formulas, &[f, g]);
                self.next(formulas, either)
            }
            (Node::Always(f), Node::Always(g)) => {
                let (Node::Eventually(f), Node::Eventually(g)) =
                    (formulas.node(f).clone(), formulas.node(g).clone())
                else {
                    return None;
                };
                let either = self.or(formulas, &[f, g]);
                let later = self.eventually(formulas, either);
                self.always(formulas, later)
            }
            (Node::WeakUntil(l, r), Node::WeakUntil(m, s) | Node::Until(m, s))
            | (Node::Until(m, s), Node::WeakUntil(l, r))
                if l == m =>
            {
                let either = self.or(formulas, &[r, s]);
                self.weak_until(formulas, l, either)
            }
            (Node::Until(l, r), Node::Until(m, s)) if l == m => {
                let either = self.or(formulas, &[r, s]);
                self.until(formulas, l, either)
            }
            (Node::Release(l, r), Node::Release(m, s) | Node::StrongRelease(m, s))
            | (Node::StrongRelease(m, s), Node::Release(l, r))
                if r == s =>
            {
                let either = self.or(formulas, &[l, m]);
                self.release(formulas, either, r)
            }
            (Node::StrongRelease(l, r), Node::StrongRelease(m, s)) if r == s => {
                let either = self.or(formulas, &[l, m]);
                self.strong_release(formulas, either, r)
            }
            (Node::Until(l, r), Node::Always(f)) | (Node::Always(f), Node::Until(l, r)) if f == l => {
                self.weak_until(formulas, l, r)
            }
            (Node::StrongRelease(l, r), Node::Always(f)) | (Node::Always(f), Node::StrongRelease(l, r))
                if f == r =>
            {
                self.release(formulas, l, r)
            }
            _ => return None,
        };
        Some(joined)
    }
}

fn flatten(formulas: &Formulas, list: &[Formula], all: bool) -> Vec<Formula> {
    let mut flat = Vec::with_capacity(list.len());
    for &member in list {
        match formulas.node(member) {
            Node::And(inner) if all => flat.extend_from_slice(inner),
            Node::Or(inner) if !all => flat.extend_from_slice(inner),
            _ => flat.push(member),
        }
    }
    flat
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lasso::all_lassos;
    use crate::random::{RandomFormulas, Seed};

    #[test]
    fn simplified_formulas_mean_the_same() {
        let mut formulas = Formulas::new();
        let mut simplifier = Simplifier::default();
        let lassos = all_lassos(2, 1, 2);
        for n_propositions in [1, 2] {
            let mut random = RandomFormulas::new(Seed(7), n_propositions);
            for round in 0..10_000 {
                let formula = random.formula(&mut formulas, 4 + round % 9);
                let simple = simplifier.simplify(&mut formulas, formula);
                for lasso in &lassos {
                    let value = lasso.satisfies(&formulas, formula);
                    assert_eq!(lasso.satisfies(&formulas, simple), value, "round {round}");
                }
            }
        }
    }
}
