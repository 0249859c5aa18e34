//! Ultimately periodic words, and what formulas say about them.
//!
//! The evaluator is the oracle of this crate: it computes the meaning of every subformula at every position of the
//! word as a fixpoint, straight from the definition, and knows nothing of automata. Traces that claim to violate a
//! formula are checked with it, and so are the automata.

use rustc_hash::FxHashMap;

use crate::{Formula, Formulas, Node, PropositionId};

/// Which propositions hold in a state; bit `i` is the proposition with number `i`.
pub type Valuation = u64;

/// An infinite word that repeats its end for ever.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Lasso {
    letters: Vec<Valuation>,
    /// Where the word goes on after the last letter.
    loop_start: usize,
}

impl Lasso {
    /// The letters of the stem, then those of the loop for ever. None when the loop is empty.
    pub fn new(stem: &[Valuation], repeated: &[Valuation]) -> Option<Lasso> {
        let letters = [stem, repeated].concat();
        (!repeated.is_empty()).then_some(Lasso { letters, loop_start: stem.len() })
    }

    /// All letters, those of the stem first.
    pub fn letters(&self) -> &[Valuation] {
        &self.letters
    }

    /// How many positions there are before the word repeats.
    pub fn len(&self) -> usize {
        self.letters.len()
    }

    /// Never: a lasso has a loop.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The position where the loop starts.
    pub fn loop_start(&self) -> usize {
        self.loop_start
    }

    /// The position after a position.
    pub fn next(&self, position: usize) -> usize {
        if position + 1 == self.letters.len() { self.loop_start } else { position + 1 }
    }

    /// Whether the word satisfies a formula.
    pub fn satisfies(&self, formulas: &Formulas, formula: Formula) -> bool {
        evaluate(formulas, formula, self.letters.len(), self.loop_start, |position, proposition| {
            self.letters[position] >> proposition.index() & 1 == 1
        })[0]
    }
}

/// The values of a formula at all positions of a word of `length` letters whose end goes back to `loop_start`.
///
/// `holds` says whether a proposition holds at a position. This form serves words whose letters are states.
///
/// # Panics
///
/// When `loop_start` is not a position.
pub fn evaluate(
    formulas: &Formulas,
    formula: Formula,
    length: usize,
    loop_start: usize,
    holds: impl Fn(usize, PropositionId) -> bool,
) -> Vec<bool> {
    assert!(loop_start < length, "the loop starts in the word");
    let mut values: FxHashMap<Formula, Vec<bool>> = FxHashMap::default();
    let next = |position: usize| if position + 1 == length { loop_start } else { position + 1 };
    // A fixpoint on a lasso: going backwards through the word twice passes the loop twice, which is enough.
    let fixpoint = |start: bool, step: &dyn Fn(usize, bool) -> bool| {
        let mut value = vec![start; length];
        for _ in 0..2 {
            for position in (0..length).rev() {
                value[position] = step(position, value[next(position)]);
            }
        }
        value
    };
    for part in formulas.subformulas(formula) {
        let of = |operand: &Formula| &values[operand];
        let each = |rule: &dyn Fn(usize) -> bool| (0..length).map(rule).collect::<Vec<bool>>();
        let value = match formulas.node(part) {
            Node::True => vec![true; length],
            Node::False => vec![false; length],
            Node::Proposition(proposition) => each(&|at| holds(at, *proposition)),
            Node::Not(f) => each(&|at| !of(f)[at]),
            Node::And(list) => each(&|at| list.iter().all(|f| of(f)[at])),
            Node::Or(list) => each(&|at| list.iter().any(|f| of(f)[at])),
            Node::Implies(l, r) => each(&|at| !of(l)[at] || of(r)[at]),
            Node::Equivalent(l, r) => each(&|at| of(l)[at] == of(r)[at]),
            Node::Next(f) => each(&|at| of(f)[next(at)]),
            Node::Eventually(f) => fixpoint(false, &|at, later| of(f)[at] || later),
            Node::Always(f) => fixpoint(true, &|at, later| of(f)[at] && later),
            Node::Until(l, r) => fixpoint(false, &|at, later| of(r)[at] || of(l)[at] && later),
            Node::WeakUntil(l, r) => fixpoint(true, &|at, later| of(r)[at] || of(l)[at] && later),
            Node::Release(l, r) => fixpoint(true, &|at, later| of(r)[at] && (of(l)[at] || later)),
            Node::StrongRelease(l, r) => fixpoint(false, &|at, later| of(r)[at] && (of(l)[at] || later)),
        };
        values.insert(part, value);
    }
    values.remove(&formula).unwrap_or_default()
}

/// All lassos over `n_propositions` propositions with stems of at most `stem` and loops of at most `repeated` letters.
pub fn all_lassos(n_propositions: usize, stem: usize, repeated: usize) -> Vec<Lasso> {
    let n_letters = 1u64 << n_propositions;
    let words = |length: usize| -> Vec<Vec<Valuation>> {
        (0..length).fold(vec![Vec::new()], |words, _| {
            let longer =
                |word: Vec<Valuation>| (0..n_letters).map(move |letter| [&word[..], &[letter]].concat());
            words.into_iter().flat_map(longer).collect()
        })
    };
    let mut lassos = Vec::new();
    for stem in (0..=stem).flat_map(words) {
        for repeated in (1..=repeated).flat_map(words) {
            lassos.extend(Lasso::new(&stem, &repeated));
        }
    }
    lassos
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition of until by looking for the position where its right side holds.
    #[test]
    fn until_and_its_kin_mean_what_their_definition_says() {
        let mut formulas = Formulas::new();
        let p = formulas.proposition(PropositionId::new(0));
        let q = formulas.proposition(PropositionId::new(1));
        let until = formulas.until(p, q);
        let weak = formulas.weak_until(p, q);
        let release = formulas.release(p, q);
        let strong_release = formulas.strong_release(p, q);
        let (eventually, always) = (formulas.eventually(p), formulas.always(p));
        for lasso in all_lassos(2, 2, 3) {
            let mut path = vec![0];
            for _ in 0..2 * lasso.len() {
                path.push(lasso.next(path[path.len() - 1]));
            }
            let p_at = |at: &usize| lasso.letters()[*at] & 1 == 1;
            let q_at = |at: &usize| lasso.letters()[*at] & 2 == 2;
            let before = |n: usize, f: &dyn Fn(&usize) -> bool| path[..n].iter().all(f);
            let expect_until = (0..path.len()).any(|n| q_at(&path[n]) && before(n, &p_at));
            let expect_strong = (0..path.len()).any(|n| p_at(&path[n]) && before(n + 1, &q_at));
            assert_eq!(lasso.satisfies(&formulas, until), expect_until);
            assert_eq!(lasso.satisfies(&formulas, weak), expect_until || path.iter().all(p_at));
            assert_eq!(lasso.satisfies(&formulas, strong_release), expect_strong);
            assert_eq!(lasso.satisfies(&formulas, release), expect_strong || path.iter().all(q_at));
            assert_eq!(lasso.satisfies(&formulas, eventually), path.iter().any(p_at));
            assert_eq!(lasso.satisfies(&formulas, always), path.iter().all(p_at));
        }
    }

    #[test]
    fn a_lasso_needs_a_loop() {
        assert!(Lasso::new(&[1], &[]).is_none());
        assert_eq!(all_lassos(1, 1, 1).len(), 6);
    }
}
