//! From formulas to small automata: the pipeline.
//!
//! Simplify the formula, build the tableau, trim and simulate until nothing changes; for a plain Büchi automaton bring
//! the acceptance sets down to one and reduce again; for obligations take the smallest weak deterministic automaton if it is
//! not larger. Several ways are tried and the smallest result is taken: automata are multiplied with state
//! spaces of millions of states, so a state saved pays for a lot of trying. Formulas with large automata are tried
//! in one way only.

use std::fmt;

use crate::automaton::{Automaton, Marks};
use crate::class::Shape;
use crate::degeneralize::Entry;
use crate::product::are_disjoint;
use crate::simplify::Simplifier;
use crate::simulation::Direction;
use crate::suspend::suspended_intersection;
use crate::tableau::{Cut, tableau};
use crate::trim::FreeMarks;
use crate::weak_deterministic::weak_deterministic;
use crate::{Formula, Formulas, Node};

/// Why there is no automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TranslateError {
    /// The automaton has more states than were allowed.
    TooManyStates {
        /// The limit that was given.
        limit: usize,
    },
    /// The automaton has more transitions than are kept.
    TooManyTransitions {
        /// The most transitions.
        limit: usize,
    },
    /// The formula has more obligations than there are acceptance sets.
    TooManySets {
        /// The most sets that an automaton can have.
        limit: usize,
    },
}

impl fmt::Display for TranslateError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TranslateError::TooManyStates { limit } => {
                write!(formatter, "the automaton of the formula has more than {limit} states")
            }
            TranslateError::TooManyTransitions { limit } => {
                write!(formatter, "the automaton of the formula has more than {limit} transitions")
            }
            TranslateError::TooManySets { limit } => {
                write!(formatter, "the automaton of the formula needs more than {limit} acceptance sets")
            }
        }
    }
}

impl std::error::Error for TranslateError {}

/// Where a formula stands in the hierarchy of temporal properties.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Violated by a finite prefix if at all, and satisfied by a finite prefix if at all.
    Bounded,
    /// Violated by a finite prefix if at all: a plain search answers it.
    Safety,
    /// Satisfied by a finite prefix if at all.
    Guarantee,
    /// A combination of safety and guarantee.
    Obligation,
    /// Needs infinite runs to be looked at, as far as is known.
    Other,
}

/// Translates the formulas of one table.
///
/// ```
/// use fathom_logic::{Formulas, Propositions, Translator, parse_ltl_text};
/// let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
/// let formula = parse_ltl_text("[] (request -> <> grant)", &mut formulas, &mut propositions).unwrap();
/// let automaton = Translator::new().buchi(&mut formulas, formula).unwrap();
/// assert_eq!(automaton.n_states(), 2);
/// ```
#[derive(Clone, Debug)]
pub struct Translator {
    /// Rewrites formulas before they are translated.
    pub simplifier: Simplifier,
    /// No automaton has more states than this before it is reduced.
    pub most_states: usize,
}

impl Default for Translator {
    fn default() -> Translator {
        Translator::new()
    }
}

/// Automata with more states or more to compare than this are reduced in one way only.
const SMALL: usize = 150;
const SMALL_WORK: usize = 10_000;

/// Formulas with more members, or larger ones, are not asked for members that are superfluous.
const MOST_MEMBERS: usize = 6;
const MOST_SIZE: usize = 40;

/// Deterministic automata of obligations are looked for up to this many states.
const MOST_SUBSETS: usize = 1000;

/// Obligations that do not look like one are looked for up to this many propositions.
const MOST_HIDDEN: usize = 10;

/// How much there is to compare in the largest automata that are made deterministic.
const MOST_WEAK_WORK: usize = 100_000;

impl Translator {
    /// With limits that keep any formula of a reasonable size.
    pub fn new() -> Translator {
        Translator { simplifier: Simplifier::default(), most_states: 20_000 }
    }

    /// An automaton with several acceptance sets on transitions.
    ///
    /// # Errors
    ///
    /// When the automaton is too large.
    pub fn generalized(
        &mut self,
        formulas: &mut Formulas,
        formula: Formula,
    ) -> Result<Automaton, TranslateError> {
        let candidates = self.candidates(formulas, formula)?;
        let weak = self.weak(formulas, formula, &candidates)?;
        // One set can be reduced where several could not.
        let small = candidates.iter().filter(|candidate| candidate.work() <= SMALL_WORK);
        let plain: Vec<Automaton> = small.flat_map(with_one_set).collect();
        Ok(smallest(candidates.into_iter().chain(weak).chain(plain)))
    }

    /// An automaton with one acceptance set on states.
    ///
    /// # Errors
    ///
    /// When the automaton is too large.
    pub fn buchi(&mut self, formulas: &mut Formulas, formula: Formula) -> Result<Automaton, TranslateError> {
        let candidates = self.candidates(formulas, formula)?;
        let weak = self.weak(formulas, formula, &candidates)?;
        let plain = candidates.iter().flat_map(with_one_set);
        Ok(smallest(plain.chain(weak)))
    }

    /// Where the formula stands in the hierarchy, decided on automata where its shape does not tell.
    ///
    /// # Errors
    ///
    /// When the automaton is too large.
    pub fn class(&mut self, formulas: &mut Formulas, formula: Formula) -> Result<Class, TranslateError> {
        let shape = self.shape(formulas, formula);
        let automaton = self.generalized(formulas, formula)?;
        let negated = self.simplifier.negate(formulas, formula);
        let negation = self.generalized(formulas, negated)?;
        let is_safety = shape.is_safety || is_closed(&automaton, &negation);
        let is_guarantee = shape.is_guarantee || is_closed(&negation, &automaton);
        Ok(match (is_safety, is_guarantee) {
            (true, true) => Class::Bounded,
            (true, false) => Class::Safety,
            (false, true) => Class::Guarantee,
            _ if shape.is_obligation => Class::Obligation,
            _ if weak_deterministic(&automaton, &negation, MOST_SUBSETS).is_some() => Class::Obligation,
            _ => Class::Other,
        })
    }

    /// What the simplified formula shows about itself.
    pub fn shape(&mut self, formulas: &mut Formulas, formula: Formula) -> Shape {
        let simple = self.simplifier.simplify(formulas, formula);
        self.simplifier.shape(formulas, simple)
    }

    fn candidates(
        &mut self,
        formulas: &mut Formulas,
        formula: Formula,
    ) -> Result<Vec<Automaton>, TranslateError> {
        let simple = self.simplifier.simplify(formulas, formula);
        let simple = self.without_superfluous(formulas, simple);
        let mut first = tableau(formulas, simple, Cut::ByProduct, self.most_states)?;
        let mut is_small = first.n_states() <= SMALL;
        first.reduce();
        is_small &= first.work() <= SMALL_WORK;
        let mut candidates = vec![first];
        if !is_small {
            return Ok(candidates);
        }
        let postponed = self.postpone(formulas, simple);
        let mut ways = vec![(simple, Cut::ByLetter)];
        if postponed != simple {
            ways.extend([(postponed, Cut::ByProduct), (postponed, Cut::ByLetter)]);
        }
        for (formula, cut) in ways {
            if let Ok(mut other) = tableau(formulas, formula, cut, SMALL) {
                other.reduce();
                candidates.push(other);
            }
        }
        candidates.extend(self.suspended(formulas, simple));
        Ok(candidates)
    }

    /// For a conjunction with members that can be suspended: the automaton that looks at them last.
    fn suspended(&mut self, formulas: &mut Formulas, formula: Formula) -> Option<Automaton> {
        let Node::And(list) = formulas.node(formula).clone() else { return None };
        let (suspendable, others): (Vec<Formula>, Vec<Formula>) =
            list.iter().partition(|&&part| self.simplifier.shape(formulas, part).is_suspendable());
        if suspendable.is_empty() || others.is_empty() {
            return None;
        }
        let [suspended, other] = [suspendable, others].map(|parts| {
            let part = formulas.and_all(&parts);
            self.generalized(formulas, part).ok()
        });
        let mut both = suspended_intersection(&other?, &suspended?, SMALL)?;
        both.reduce();
        Some(both)
    }

    /// A conjunction without members that the others imply, a disjunction without those that imply the others: decided on automata, for small formulas.
    fn without_superfluous(&mut self, formulas: &mut Formulas, formula: Formula) -> Formula {
        let (list, all) = match formulas.node(formula) {
            Node::And(list) => (list.clone(), true),
            Node::Or(list) => (list.clone(), false),
            _ => return formula,
        };
        if list.len() > MOST_MEMBERS || formulas.size(formula) > MOST_SIZE {
            return formula;
        }
        let mut members: Vec<Formula> = list.to_vec();
        let mut at = 0;
        while at < members.len() && members.len() > 1 {
            let member = members[at];
            let mut others = members.clone();
            others.remove(at);
            let others = if all { formulas.and_all(&others) } else { formulas.or_all(&others) };
            let (strong, weak) = if all { (others, member) } else { (member, others) };
            let negation = self.simplifier.negate(formulas, weak);
            let difference = formulas.and(strong, negation);
            let difference = self.simplifier.simplify(formulas, difference);
            match tableau(formulas, difference, Cut::ByProduct, SMALL) {
                Ok(automaton) if automaton.is_empty() => {
                    members.remove(at);
                }
                _ => at += 1,
            }
        }
        if members.len() == list.len() {
            return formula;
        }
        if all { formulas.and_all(&members) } else { formulas.or_all(&members) }
    }

    /// The formula with `<> f || s` as `<> (f || s)` where `s` can be suspended: its choice can wait with the other.
    ///
    /// That is larger as a formula, but the automaton may do with one waiting state.
    fn postpone(&mut self, formulas: &mut Formulas, formula: Formula) -> Formula {
        let mapped = formulas.map_operands(formula, |formulas, operand| self.postpone(formulas, operand));
        if let Some(waiting) = self.wait_for_all(formulas, mapped) {
            return waiting;
        }
        let Node::Or(list) = formulas.node(mapped).clone() else { return mapped };
        let (suspendable, others): (Vec<Formula>, Vec<Formula>) =
            list.iter().partition(|&&part| self.simplifier.shape(formulas, part).is_suspendable());
        let mut parts = Vec::new();
        let mut is_postponed = false;
        for part in others {
            parts.push(part);
            if let Node::Eventually(f) = *formulas.node(part)
                && !is_postponed
            {
                is_postponed = true;
                let inner = formulas.or_all(&[&[f][..], &suspendable].concat());
                parts.pop();
                parts.push(formulas.eventually(inner));
            }
        }
        if is_postponed {
            return formulas.or_all(&parts);
        }
        // Several that are suspendable, one of them `<> f`.
        let first = suspendable.iter().position(|&part| matches!(formulas.node(part), Node::Eventually(_)));
        match first {
            Some(first) if suspendable.len() > 1 => {
                let Node::Eventually(f) = *formulas.node(suspendable[first]) else { return mapped };
                let mut inner = suspendable.clone();
                inner[first] = f;
                for part in &mut inner {
                    if let Node::Eventually(f) = *formulas.node(*part) {
                        *part = f;
                    }
                }
                let inner = formulas.or_all(&inner);
                parts.push(formulas.eventually(inner));
                formulas.or_all(&parts)
            }
            _ => mapped,
        }
    }

    /// A conjunction `<> f && s` of what can be suspended, as `<> (f && s)`.
    fn wait_for_all(&mut self, formulas: &mut Formulas, formula: Formula) -> Option<Formula> {
        let Node::And(list) = formulas.node(formula).clone() else { return None };
        if !list.iter().all(|&part| self.simplifier.shape(formulas, part).is_suspendable()) {
            return None;
        }
        let is_eventual = |part: &Formula| matches!(formulas.node(*part), Node::Eventually(_));
        let first = list.iter().position(is_eventual)?;
        let mut inner = list.to_vec();
        if let Node::Eventually(f) = *formulas.node(inner[first]) {
            inner[first] = f;
        }
        let inner = formulas.and_all(&inner);
        Some(formulas.eventually(inner))
    }

    fn weak(
        &mut self,
        formulas: &mut Formulas,
        formula: Formula,
        candidates: &[Automaton],
    ) -> Result<Option<Automaton>, TranslateError> {
        if candidates.first().is_none_or(|first| first.work() > MOST_WEAK_WORK) {
            return Ok(None);
        }
        // What does not look like an obligation is one rarely enough to try small formulas only.
        let is_wide = formulas.propositions_of(formula).len() > MOST_HIDDEN;
        if is_wide && !self.shape(formulas, formula).is_obligation {
            return Ok(None);
        }
        let negated = self.simplifier.negate(formulas, formula);
        let Ok(mut negation) = tableau(formulas, negated, Cut::ByProduct, MOST_SUBSETS) else {
            return Ok(None);
        };
        negation.reduce();
        Ok(candidates.first().and_then(|first| weak_deterministic(first, &negation, MOST_SUBSETS)))
    }
}

/// Whether the language has all words whose prefixes it has: its automaton without acceptance accepts no more.
///
/// `negation` is for the complement. When that is too much work, the answer is no.
fn is_closed(automaton: &Automaton, negation: &Automaton) -> bool {
    let mut closure = automaton.clone();
    closure.trim(FreeMarks::None);
    closure.n_sets = 0;
    for transition in closure.states.iter_mut().flatten() {
        transition.marks = Marks::NONE;
    }
    are_disjoint(&closure, negation, 50_000) == Some(true)
}

/// Ways to bring the acceptance sets down to one, each reduced.
pub(crate) fn with_one_set(automaton: &Automaton) -> Vec<Automaton> {
    let is_small = automaton.work() <= SMALL_WORK;
    let orders = orders(automaton.n_sets, is_small);
    let entries = if is_small { &[Entry::Low, Entry::High][..] } else { &[Entry::Low] };
    let mut found = Vec::new();
    for order in orders {
        for &entry in entries {
            let mut plain = automaton.degeneralize(&order, entry);
            plain.reduce();
            found.push(plain);
        }
    }
    found
}

/// Orders of the acceptance sets to try.
fn orders(n_sets: usize, all: bool) -> Vec<Vec<usize>> {
    let identity: Vec<usize> = (0..n_sets).collect();
    if !all {
        return vec![identity];
    }
    if n_sets > 3 {
        let reverse = identity.iter().rev().copied().collect();
        return vec![identity, reverse];
    }
    let mut orders = vec![Vec::new()];
    for set in 0..n_sets {
        let longer = |order: Vec<usize>| {
            (0..=order.len()).map(move |at| {
                let mut order = order.clone();
                order.insert(at, set);
                order
            })
        };
        orders = orders.into_iter().flat_map(longer).collect();
    }
    orders
}

/// The one with the fewest states; among these a deterministic one, then the one with the fewest transitions.
pub(crate) fn smallest(candidates: impl Iterator<Item = Automaton>) -> Automaton {
    candidates
        .min_by_key(|automaton| {
            let mut automaton = automaton.clone();
            (automaton.n_states(), !automaton.is_deterministic(), automaton.n_sets, automaton.n_transitions())
        })
        .expect("there is at least one way to translate")
}

impl Automaton {
    /// An automaton with one acceptance set on states for the same language, the smallest that is found.
    #[must_use]
    pub fn to_buchi(&self) -> Automaton {
        let mut reduced = self.clone();
        reduced.reduce();
        smallest(with_one_set(&reduced).into_iter())
    }

    /// Trims and simulates in both directions until nothing changes. The language stays.
    pub fn reduce(&mut self) {
        loop {
            let before = (self.n_states(), self.n_transitions(), self.n_sets);
            for free in [FreeMarks::All, FreeMarks::None] {
                self.trim(free);
                self.simulate(Direction::Forward);
                self.trim(free);
                self.simulate(Direction::Backward);
            }
            self.trim(FreeMarks::None);
            if (self.n_states(), self.n_transitions(), self.n_sets) >= before {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lasso::{Lasso, all_lassos};
    use crate::random::{RandomFormulas, Seed};

    fn check(automaton: &Automaton, formulas: &Formulas, formula: Formula, lassos: &[Lasso], what: &str) {
        for lasso in lassos {
            let expected = lasso.satisfies(formulas, formula);
            assert_eq!(automaton.accepts(lasso), expected, "{what} on {lasso:?}");
        }
    }

    #[test]
    fn every_stage_accepts_what_the_formula_means() {
        let mut formulas = Formulas::new();
        let mut simplifier = Simplifier::default();
        let lassos = all_lassos(2, 1, 2);
        let mut random = RandomFormulas::new(Seed(3), 2);
        for round in 0..400 {
            let formula = random.formula(&mut formulas, 3 + round % 8);
            let what = |stage: &str| format!("{stage} in round {round}");
            let normal = simplifier.normal_forms.positive(&mut formulas, formula);
            for cut in [Cut::ByProduct, Cut::ByLetter] {
                let mut automaton = tableau(&formulas, normal, cut, 10_000).expect("small");
                check(&automaton, &formulas, formula, &lassos, &what("tableau"));
                automaton.trim(FreeMarks::All);
                check(&automaton, &formulas, formula, &lassos, &what("trim"));
                automaton.simulate(Direction::Forward);
                check(&automaton, &formulas, formula, &lassos, &what("forward"));
                automaton.trim(FreeMarks::None);
                automaton.simulate(Direction::Backward);
                check(&automaton, &formulas, formula, &lassos, &what("backward"));
                automaton.trim(FreeMarks::None);
                for entry in [Entry::Low, Entry::High] {
                    let order: Vec<usize> = (0..automaton.n_sets).collect();
                    let mut plain = automaton.degeneralize(&order, entry);
                    check(&plain, &formulas, formula, &lassos, &what("one set"));
                    plain.reduce();
                    check(&plain, &formulas, formula, &lassos, &what("reduced"));
                    assert!(plain.n_sets <= 1);
                    for transitions in &plain.states {
                        assert!(transitions.iter().all(|other| other.marks == transitions[0].marks));
                    }
                }
            }
        }
    }

    #[test]
    fn automata_of_a_formula_and_its_negation_divide_all_words() {
        let mut formulas = Formulas::new();
        let mut translator = Translator::new();
        let lassos = all_lassos(2, 2, 2);
        let mut random = RandomFormulas::new(Seed(5), 2);
        for round in 0..400 {
            let formula = random.formula(&mut formulas, 4 + round % 9);
            let negation = formulas.not(formula);
            let [yes, no] =
                [formula, negation].map(|formula| translator.buchi(&mut formulas, formula).expect("small"));
            let general = translator.generalized(&mut formulas, formula).expect("small");
            assert_eq!(are_disjoint(&yes, &no, 10_000), Some(true), "round {round}");
            assert_eq!(are_disjoint(&general, &no, 10_000), Some(true), "round {round}");
            for lasso in &lassos {
                let expected = lasso.satisfies(&formulas, formula);
                assert_eq!(yes.accepts(lasso), expected, "round {round} {lasso:?}");
                assert_eq!(no.accepts(lasso), !expected, "round {round} {lasso:?}");
                assert_eq!(general.accepts(lasso), expected, "round {round} {lasso:?}");
            }
        }
    }

    #[test]
    fn large_formulas_are_answered_or_refused() {
        let mut formulas = Formulas::new();
        let mut random = RandomFormulas::new(Seed(13), 4);
        let mut translator = Translator::new();
        translator.most_states = 2000;
        let mut n_answered = 0;
        for round in 0..60 {
            let formula = random.formula(&mut formulas, 20 + round % 10);
            let Ok(automaton) = translator.buchi(&mut formulas, formula) else { continue };
            n_answered += 1;
            let mut seed = Seed(round as u64);
            for _ in 0..50 {
                let mut word =
                    |length: usize| -> Vec<u64> { (0..length).map(|_| seed.below(16) as u64).collect() };
                let lasso = Lasso::new(&word(3), &word(3)).expect("a loop");
                assert_eq!(automaton.accepts(&lasso), lasso.satisfies(&formulas, formula), "round {round}");
            }
        }
        assert!(n_answered > 50, "{n_answered}");
    }
}
