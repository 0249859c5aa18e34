//! What PSL means on words: the oracle, straight from the definition.
//!
//! A word has letters and an end: it repeats from a position on, it ends there, or it goes on for ever with the letter that
//! satisfies everything (the *weak* view of a finite word) or nothing (the *strong* view). Negation exchanges these
//! two letters. Matches of SEREs are found by dividing the word in all ways; nothing here knows automata. The cost
//! is exponential in the formula: this is for checking traces and tests.

use super::{Psl, Sere};
use crate::lasso::{Valuation, evaluate};
use crate::{Formula, Formulas};

/// How a word goes on after its letters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PslEnd {
    /// From this position again, for ever.
    Loop(usize),
    /// Not at all: the neutral view of a finite word.
    Stop,
    /// With letters that satisfy everything: the weak view of a finite word.
    Top,
    /// With letters that satisfy nothing: the strong view of a finite word.
    Bottom,
}

/// A word with its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PslWord {
    /// The letters.
    pub letters: Vec<Valuation>,
    /// What comes after them.
    pub end: PslEnd,
}

impl PslWord {
    /// Whether the word satisfies the formula.
    ///
    /// # Panics
    ///
    /// When the loop does not start at a letter.
    pub fn satisfies(&self, formulas: &Formulas, psl: &Psl) -> bool {
        if let PslEnd::Loop(start) = self.end {
            assert!(start < self.letters.len(), "the loop starts in the word");
        }
        View { formulas, word: self }.holds(psl, 0)
    }

    /// The word with the two special letters exchanged.
    fn exchanged(&self) -> PslWord {
        let end = match self.end {
            PslEnd::Top => PslEnd::Bottom,
            PslEnd::Bottom => PslEnd::Top,
            other => other,
        };
        PslWord { letters: self.letters.clone(), end }
    }
}

struct View<'a> {
    formulas: &'a Formulas,
    word: &'a PslWord,
}

/// What is at a position of the word.
enum Letter {
    State(Valuation),
    Top,
    Bottom,
    Nothing,
}

impl View<'_> {
    fn letter(&self, at: usize) -> Letter {
        match (self.word.letters.get(at), self.word.end) {
            (Some(&letter), _) => Letter::State(letter),
            (None, PslEnd::Loop(start)) => {
                let length = self.word.letters.len() - start;
                Letter::State(self.word.letters[start + (at - start) % length])
            }
            (None, PslEnd::Stop) => Letter::Nothing,
            (None, PslEnd::Top) => Letter::Top,
            (None, PslEnd::Bottom) => Letter::Bottom,
        }
    }

    /// Positions to look at from one on: all that can differ from each other.
    ///
    /// On a loop each position is met once for each state of an automaton for a SERE: after that everything has been seen. In
    /// front of a special letter one more position shows all of them.
    fn horizon(&self, at: usize, depth: usize) -> usize {
        let n_letters = self.word.letters.len();
        match self.word.end {
            PslEnd::Loop(start) => at.max(start) + (n_letters - start) * depth,
            PslEnd::Stop => n_letters,
            PslEnd::Top | PslEnd::Bottom => n_letters.max(at) + depth,
        }
    }

    fn boolean(&self, formula: Formula, at: usize) -> bool {
        match self.letter(at) {
            Letter::State(letter) => evaluate(self.formulas, formula, 1, 0, |_, proposition| {
                letter >> proposition.index() & 1 == 1
            })[0],
            Letter::Top => true,
            Letter::Bottom | Letter::Nothing => false,
        }
    }

    fn holds(&self, psl: &Psl, at: usize) -> bool {
        // From a special letter on everything or nothing holds.
        match self.letter(at) {
            Letter::Top => return true,
            Letter::Bottom => return false,
            _ => {}
        }
        match psl {
            Psl::Boolean(b) => matches!(self.letter(at), Letter::Nothing) || self.boolean(*b, at),
            Psl::StrongBoolean(b) => self.boolean(*b, at),
            Psl::Not(f) => {
                let exchanged = self.word.exchanged();
                !View { formulas: self.formulas, word: &exchanged }.holds(f, at)
            }
            Psl::And(l, r) => self.holds(l, at) && self.holds(r, at),
            Psl::Next(f) => !matches!(self.letter(at + 1), Letter::Nothing) && self.holds(f, at + 1),
            Psl::Until(l, r) => {
                for now in at..self.horizon(at, 1) {
                    if self.holds(r, now) {
                        return true;
                    }
                    if !self.holds(l, now) {
                        return false;
                    }
                }
                false
            }
            Psl::Abort(f, b) => {
                self.holds(f, at)
                    || (at..self.horizon(at, 1)).any(|now| {
                        let cut = self.cut(at, now, PslEnd::Top);
                        self.boolean(*b, now) && View { formulas: self.formulas, word: &cut }.holds(f, 0)
                    })
            }
            Psl::Strong(r) => self.ends(r, at, self.horizon(at, r.most_states())).contains(&true),
            Psl::Weak(r) => (at..self.horizon(at, r.most_states())).all(|last| {
                let cut = self.cut(at, last + 1, PslEnd::Top);
                let view = View { formulas: self.formulas, word: &cut };
                view.ends(r, 0, view.horizon(0, r.most_states())).contains(&true)
            }),
            Psl::Suffix(r, f) => {
                let exchanged = self.word.exchanged();
                let view = View { formulas: self.formulas, word: &exchanged };
                let horizon = self.horizon(at, r.most_states());
                let ends = view.ends(r, at, horizon);
                (at..horizon).all(|last| !ends[last + 1] || self.holds(f, last))
            }
        }
    }

    /// The letters from one position up to another, with an end of their own.
    fn cut(&self, from: usize, to: usize, end: PslEnd) -> PslWord {
        let letters: Vec<Valuation> = (from..to)
            .map_while(|at| match self.letter(at) {
                Letter::State(letter) => Some(letter),
                _ => None,
            })
            .collect();
        let end = if from + letters.len() < to { self.word.end } else { end };
        PslWord { letters, end }
    }

    /// For every position from `from` to the horizon, whether the letters up to it match.
    fn ends(&self, sere: &Sere, from: usize, horizon: usize) -> Vec<bool> {
        let mut ends = vec![false; horizon + 1];
        match sere {
            Sere::Empty => ends[from] = true,
            Sere::Boolean(b) => {
                if from < horizon {
                    ends[from + 1] = self.boolean(*b, from);
                }
            }
            Sere::Concat(r, s) => {
                let middles = self.ends(r, from, horizon);
                for middle in (from..=horizon).filter(|&middle| middles[middle]) {
                    join(&mut ends, &self.ends(s, middle, horizon));
                }
            }
            Sere::Fusion(r, s) => {
                let middles = self.ends(r, from, horizon);
                for middle in (from + 1..=horizon).filter(|&middle| middles[middle]) {
                    // The second has at least the letter that both share.
                    let mut more = self.ends(s, middle - 1, horizon);
                    more[middle - 1] = false;
                    join(&mut ends, &more);
                }
            }
            Sere::Or(r, s) => {
                ends = self.ends(r, from, horizon);
                join(&mut ends, &self.ends(s, from, horizon));
            }
            Sere::And(r, s) => {
                let other = self.ends(s, from, horizon);
                ends = self.ends(r, from, horizon);
                ends.iter_mut().zip(other).for_each(|(end, other)| *end &= other);
            }
            Sere::Star(r) => {
                ends[from] = true;
                for middle in from..=horizon {
                    if ends[middle] {
                        join(&mut ends, &self.ends(r, middle, horizon));
                    }
                }
            }
        }
        ends
    }
}

fn join(ends: &mut [bool], more: &[bool]) {
    ends.iter_mut().zip(more).for_each(|(end, more)| *end |= more);
}
