//! Whether a formula can count steps.
//!
//! A language is *stutter-invariant* if repeating letters of a word, or leaving repetitions out, does not change whether
//! the word is in it. Only then may partial-order reduction and fused steps be used. Formulas without next
//! are; for others both automata are asked (Michaud and Duret-Lutz, SPIN 2015): a language is stutter-invariant iff no word has both a
//! shorter relative inside and one outside. The product of the two automata, each of which may wait
//! while a letter repeats, is then empty.
//!
//! An automaton without its complement, such as a claim that somebody wrote, is asked something simpler: whether each step of it can be stretched to two on the
//! same letter, and each two such steps drawn together to one, with no fewer marks and into states that simulate. That suffices; an automaton for which it is not so
//! counts as sensitive.
//!
//! Cost: states of both automata times letters, so formulas with more than [`MOST_PROPOSITIONS`] propositions are not
//! looked at and count as sensitive.

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, Marks, StateIndex, Transition, has_accepting_component};
use crate::guard::Guard;
use crate::translate::{TranslateError, Translator};
use crate::trim::FreeMarks;
use crate::{Formula, Formulas, NormalForms};

/// Letters are tried one by one up to this many propositions.
const MOST_PROPOSITIONS: usize = 8;

/// The product is given up beyond this many states.
const MOST_STATES: usize = 200_000;

impl Translator {
    /// Whether the formula is stutter-invariant. A "no" may be wrong for formulas with many propositions.
    ///
    /// # Errors
    ///
    /// When the automata are too large.
    pub fn is_stutter_invariant(
        &mut self,
        formulas: &mut Formulas,
        formula: Formula,
    ) -> Result<bool, TranslateError> {
        let simple = self.simplifier.simplify(formulas, formula);
        if formulas.is_next_free(formula) || formulas.is_next_free(simple) {
            return Ok(true);
        }
        let negated = NormalForms::default().negative(formulas, formula);
        let automata = [self.generalized(formulas, simple)?, self.generalized(formulas, negated)?];
        Ok(is_stutter_invariant(&automata[0], &automata[1]))
    }
}

/// Whether a language is stutter-invariant, given automata of it and of its complement. A "no" may be wrong for automata with many
/// propositions.
pub fn is_stutter_invariant(automaton: &Automaton, complement: &Automaton) -> bool {
    has_no_common_stutter(automaton, complement) == Some(true)
}

impl Automaton {
    /// Whether the language is stutter-invariant, as far as can be seen step by step. A "no" may be wrong.
    pub fn is_closed_under_stuttering(mut self) -> bool {
        // Marks on states say more than they mean.
        self.is_state_based = false;
        self.reduce();
        self.trim(FreeMarks::All);
        let Some(simulates) = self.simulation() else { return false };
        let states = self.states.clone();
        let guards = &mut self.guards;
        states.iter().all(|list| {
            // Two steps from here on the same letter: the letters, the marks of both, and where they lead.
            let mut doubles = Vec::new();
            for first in list {
                for second in &states[first.target] {
                    let guard = guards.and(first.guard, second.guard);
                    if guard != Guard::FALSE {
                        let marks = first.marks.union(second.marks);
                        doubles.push(Transition { guard, marks, target: second.target });
                    }
                }
            }
            let mut is_answered = |challenge: &Transition, answers: &[Transition]| {
                let fits = answers.iter().filter(|answer| {
                    challenge.marks.is_subset(answer.marks) && simulates(challenge.target, answer.target)
                });
                let open = fits.fold(challenge.guard, |open, answer| guards.minus(open, answer.guard));
                open == Guard::FALSE
            };
            list.iter().all(|single| is_answered(single, &doubles))
                && doubles.iter().all(|double| is_answered(double, list))
        })
    }
}

/// Whether no word of one automaton is a stuttering of a word of the other; none if that is too much work.
fn has_no_common_stutter(left: &Automaton, right: &Automaton) -> Option<bool> {
    let variables: Vec<u32> = [&left.propositions[..], &right.propositions[..]]
        .concat()
        .iter()
        .map(|proposition| proposition.index() as u32)
        .collect();
    let mut variables = variables;
    variables.sort_unstable();
    variables.dedup();
    let n_sets = left.n_sets + right.n_sets + 2;
    if variables.len() > MOST_PROPOSITIONS || n_sets > Marks::MOST {
        return None;
    }
    let automata = [left, right];
    // A state is the two states and the letter that was read last; the first one has read none.
    let mut numbers: FxHashMap<([StateIndex; 2], usize), usize> = FxHashMap::default();
    let start = ([left.initial, right.initial], usize::MAX);
    let mut list = vec![start];
    numbers.insert(start, 0);
    let mut successors: Vec<Vec<(usize, Marks)>> = Vec::new();
    while successors.len() < list.len() {
        let (states, last) = list[successors.len()];
        let mut steps = Vec::new();
        for letter in 0..1usize << variables.len() {
            let holds = |variable: u32| {
                variables.iter().position(|&other| other == variable).is_some_and(|at| letter >> at & 1 == 1)
            };
            // Each side moves, or waits if the letter repeats. One more set per side asks it to move for ever.
            let moves = [0, 1].map(|side: usize| {
                let automaton = automata[side];
                let shift = if side == 0 { 0 } else { left.n_sets + 1 };
                let mut moves: Vec<(StateIndex, u64)> = automaton.states[states[side]]
                    .iter()
                    .filter(|transition| automaton.guards.holds(transition.guard, holds))
                    .map(|transition| {
                        (transition.target, (transition.marks.0 | 1 << automaton.n_sets) << shift)
                    })
                    .collect();
                if letter == last {
                    moves.push((states[side], 0));
                }
                moves
            });
            for &(one, one_marks) in &moves[0] {
                for &(other, other_marks) in &moves[1] {
                    let target = ([one, other], letter);
                    let target = *numbers.entry(target).or_insert_with(|| {
                        list.push(target);
                        list.len() - 1
                    });
                    steps.push((target, Marks(one_marks | other_marks)));
                }
            }
        }
        if list.len() > MOST_STATES {
            return None;
        }
        successors.push(steps);
    }
    Some(!has_accepting_component(list.len(), 0, n_sets, |state| successors[state].clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lasso, Propositions, all_lassos, parse_ltl_text, random::*};

    fn check(text: &str) -> bool {
        let (mut formulas, mut propositions) = (Formulas::new(), Propositions::new());
        let formula = parse_ltl_text(text, &mut formulas, &mut propositions).expect("a formula");
        Translator::new().is_stutter_invariant(&mut formulas, formula).expect("small")
    }

    #[test]
    fn formulas_that_count_steps_are_recognized() {
        assert!(check("[] (p -> <> q)"));
        assert!(!check("X p"));
        assert!(!check("[] (p -> X q)"));
        assert!(!check("<> (p && X p)"));
        // Next as part of a change of value does not count.
        assert!(check("<> (p && X (!p))"));
        assert!(check("[] <> (p && X <> q)"));
        assert!(check("(p && X (!p)) || (!p U (p && X (!p))) || !(<> p && <> !p) || true"));
        assert!(check("<> (!p && X (p && <> q))"));
    }

    /// All words with some letters repeated once.
    fn stretched(lasso: &Lasso) -> Vec<Lasso> {
        (0..1usize << lasso.len())
            .filter_map(|mask| {
                let double = |range: std::ops::Range<usize>| -> Vec<u64> {
                    range
                        .flat_map(|at| {
                            let times = 1 + (mask >> at & 1);
                            std::iter::repeat_n(lasso.letters()[at], times)
                        })
                        .collect()
                };
                Lasso::new(&double(0..lasso.loop_start()), &double(lasso.loop_start()..lasso.len()))
            })
            .collect()
    }

    #[test]
    fn automata_that_count_steps_are_not_closed_and_most_others_are() {
        let mut formulas = Formulas::new();
        let mut translator = Translator::new();
        let mut random = RandomFormulas::new(Seed(17), 2);
        let (mut n_closed, mut n_missed) = (0, 0);
        for round in 0..400 {
            let formula = random.formula(&mut formulas, 3 + round % 4);
            let invariant = translator.is_stutter_invariant(&mut formulas, formula).expect("small");
            let plain = translator.buchi(&mut formulas, formula).expect("small");
            let general = translator.generalized(&mut formulas, formula).expect("small");
            for automaton in [plain, general] {
                let closed = automaton.is_closed_under_stuttering();
                assert!(invariant || !closed, "round {round}");
                n_closed += usize::from(closed);
                n_missed += usize::from(invariant && !closed);
            }
        }
        assert!(n_closed > 10 * n_missed, "{n_closed} {n_missed}");
    }

    #[test]
    fn no_invariant_formula_tells_stretched_words_apart() {
        let mut formulas = Formulas::new();
        let mut translator = Translator::new();
        let mut random = RandomFormulas::new(Seed(11), 2);
        let lassos = all_lassos(2, 2, 2);
        let (mut n_invariant, mut n_sensitive) = (0, 0);
        for round in 0..250 {
            let formula = random.formula(&mut formulas, 4 + round % 3);
            if formulas.is_next_free(formula) {
                continue;
            }
            let invariant = translator.is_stutter_invariant(&mut formulas, formula).expect("small");
            let told_apart = lassos.iter().any(|lasso| {
                let value = lasso.satisfies(&formulas, formula);
                stretched(lasso).iter().any(|other| other.satisfies(&formulas, formula) != value)
            });
            // Formulas of this size are told apart by short words if at all.
            assert_eq!(invariant, !told_apart, "round {round}");
            if invariant { n_invariant += 1 } else { n_sensitive += 1 }
        }
        assert!(n_invariant > 10 && n_sensitive > 20, "{n_invariant} {n_sensitive}");
    }
}
