//! The check of automata against the meaning of formulas on all short words, for tests and fuzz targets.
//!
//! The bytes make a formula of linear temporal logic over two propositions. Its automaton, that of its negation and the one with several acceptance sets
//! must accept exactly the ultimately periodic words that the evaluator accepts, for all words with a short stem and a short loop.

use fathom_core::logic::{Formula, Formulas, PropositionId, Translator, all_lassos, are_disjoint};

use crate::Entropy;

fn formula(entropy: &mut Entropy<'_>, formulas: &mut Formulas, depth: usize) -> Formula {
    if depth == 0 || entropy.chance(15) {
        return match entropy.below(9) {
            0 => formulas.constant(entropy.below(2) == 0),
            other => formulas.proposition(PropositionId::new(other % 2)),
        };
    }
    let kind = entropy.below(12);
    let left = formula(entropy, formulas, depth - 1);
    if kind < 4 {
        return match kind {
            0 => formulas.not(left),
            1 => formulas.next(left),
            2 => formulas.eventually(left),
            _ => formulas.always(left),
        };
    }
    let right = formula(entropy, formulas, depth - 1);
    match kind {
        4 => formulas.and(left, right),
        5 => formulas.or(left, right),
        6 => formulas.implies(left, right),
        7 => formulas.equivalent(left, right),
        8 => formulas.until(left, right),
        9 => formulas.weak_until(left, right),
        10 => formulas.release(left, right),
        _ => formulas.strong_release(left, right),
    }
}

/// Makes a formula from bytes and compares its automata with it. Gives the number of words that satisfy it, and of words; none when an automaton is
/// too large.
///
/// # Panics
///
/// When Fathom has a bug: an automaton accepts something else than the formula means.
pub fn check_linear(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut entropy = Entropy::new(bytes);
    let mut formulas = Formulas::new();
    let depth = 1 + entropy.below(4);
    let asked = formula(&mut entropy, &mut formulas, depth);
    let negation = formulas.not(asked);
    let mut translator = Translator::new();
    translator.most_states = 2000;
    let yes = translator.buchi(&mut formulas, asked).ok()?;
    let no = translator.buchi(&mut formulas, negation).ok()?;
    let general = translator.generalized(&mut formulas, asked).ok()?;
    assert_ne!(are_disjoint(&yes, &no, 10_000), Some(false), "{formulas:?} {asked:?}");
    let words = all_lassos(2, 2, 2);
    let mut n_satisfied = 0;
    for word in &words {
        let expected = word.satisfies(&formulas, asked);
        let found = [yes.accepts(word), !no.accepts(word), general.accepts(word)];
        assert_eq!(found, [expected; 3], "{word:?}: {formulas:?} {asked:?}");
        n_satisfied += usize::from(expected);
    }
    Some((n_satisfied, words.len()))
}
