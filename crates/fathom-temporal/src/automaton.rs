//! Automata from other tools as questions about runs.
//!
//! The automaton accepts the runs that must not be, like a claim, and comes as someone else made it: with any number of acceptance sets, reduced or
//! not. What watches a system is a smaller one with the same language; a lasso that was found is followed in the automaton as it came.

use fathom_logic::{Automaton, Lasso, Valuation};

use crate::run_formula::{Letter, Truth};
use crate::watcher::Acceptance;

/// An automaton as it came.
#[derive(Clone, Debug)]
pub(crate) struct ForeignAutomaton {
    automaton: Automaton,
}

impl ForeignAutomaton {
    pub fn new(automaton: &Automaton) -> ForeignAutomaton {
        ForeignAutomaton { automaton: automaton.clone() }
    }

    /// The automaton that watches a system.
    pub fn violations(&self, acceptance: Acceptance) -> Automaton {
        match acceptance {
            Acceptance::Steps => {
                let mut reduced = self.automaton.clone();
                reduced.reduce();
                reduced
            }
            Acceptance::States => self.automaton.to_buchi(),
        }
    }

    /// Whether it cannot count steps. A "no" may be wrong.
    pub fn is_stutter_invariant(&self) -> bool {
        self.automaton.clone().is_closed_under_stuttering()
    }

    /// Whether the run whose end goes back to `loop_start` is accepted. A proposition that cannot be evaluated is not true.
    pub fn accepts(&self, letters: &[Letter], loop_start: usize) -> bool {
        let valuation = |letter: &Letter| -> Valuation {
            let bits = letter.0.iter().enumerate().filter(|(_, truth)| **truth == Truth::True);
            bits.fold(0, |all, (index, _)| all | 1 << index)
        };
        let letters: Vec<Valuation> = letters.iter().map(valuation).collect();
        let lasso = Lasso::new(&letters[..loop_start], &letters[loop_start..]);
        lasso.is_some_and(|lasso| self.automaton.accepts(&lasso))
    }
}
