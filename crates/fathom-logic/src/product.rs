//! What two automata accept together.

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, Marks, StateIndex, Transition};
use crate::guard::{Guard, Guards};

impl Guards {
    /// The function of another table, in this one.
    pub fn import(&mut self, other: &Guards, guard: Guard, known: &mut FxHashMap<Guard, Guard>) -> Guard {
        if guard <= Guard::TRUE {
            return guard;
        }
        if let Some(&known) = known.get(&guard) {
            return known;
        }
        let (variable, low, high) = other.parts(guard);
        let low = self.import(other, low, known);
        let high = self.import(other, high, known);
        let condition = self.variable(variable);
        let result = self.choose(condition, high, low);
        known.insert(guard, result);
        result
    }
}

/// The automaton of the words that both accept; none when it would have more than `most_states` states.
///
/// # Panics
///
/// When both together have more than [`Marks::MOST`] acceptance sets.
pub fn intersection(left: &Automaton, right: &Automaton, most_states: usize) -> Option<Automaton> {
    assert!(left.n_sets + right.n_sets <= Marks::MOST, "too many acceptance sets");
    let mut guards = left.guards.clone();
    let mut known = FxHashMap::default();
    let mut numbers: FxHashMap<(StateIndex, StateIndex), StateIndex> = FxHashMap::default();
    let mut list = vec![(left.initial, right.initial)];
    numbers.insert(list[0], 0);
    let mut states = Vec::new();
    while states.len() < list.len() {
        let (one, other) = list[states.len()];
        let mut transitions = Vec::new();
        for a in &left.states[one] {
            for b in &right.states[other] {
                let b_guard = guards.import(&right.guards, b.guard, &mut known);
                let guard = guards.and(a.guard, b_guard);
                if guard == Guard::FALSE {
                    continue;
                }
                let target = *numbers.entry((a.target, b.target)).or_insert_with(|| {
                    list.push((a.target, b.target));
                    list.len() - 1
                });
                // Marks of the right automaton follow those of the left one.
                let marks = a.marks.0 | b.marks.0.checked_shl(left.n_sets as u32).unwrap_or(0);
                transitions.push(Transition { guard, marks: Marks(marks), target });
            }
        }
        if list.len() > most_states {
            return None;
        }
        states.push(transitions);
    }
    let mut propositions = [&left.propositions[..], &right.propositions[..]].concat();
    propositions.sort_unstable();
    propositions.dedup();
    let n_sets = left.n_sets + right.n_sets;
    Some(Automaton { propositions, guards, initial: 0, states, n_sets, is_state_based: false })
}

/// Whether no word is accepted by both; none when that is too much work.
pub fn are_disjoint(left: &Automaton, right: &Automaton, most_states: usize) -> Option<bool> {
    intersection(left, right, most_states).map(|both| both.is_empty())
}
