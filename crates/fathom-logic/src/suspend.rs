//! Obligations that can wait: an automaton that looks at them only where that can matter.
//!
//! A formula is *suspendable* if it is true of a word exactly when it is true of each of its suffixes, such as `[] <> p`. In a conjunction with another
//! formula it need not be looked at before the automaton of the other one has reached a component in which it can stay and accept: there its
//! automaton starts, and starts again in the next one (Babiak, Badie, Duret-Lutz, Křetínský and Strejček, "Compositional approach to suspension
//! and other improvements to LTL translation", SPIN 2013, without the detour by formulas with new propositions).

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, Marks, StateIndex, Transition};
use crate::guard::Guard;

/// The automaton of the words that both accept, where the language of the second is that of a suspendable formula; none when it would have more than
/// `most_states` states, or too many acceptance sets.
pub fn suspended_intersection(
    automaton: &Automaton,
    suspended: &Automaton,
    most_states: usize,
) -> Option<Automaton> {
    let n_sets = automaton.n_sets + suspended.n_sets;
    if n_sets > Marks::MOST {
        return None;
    }
    let components = &automaton.components();
    let all = Marks::all(automaton.n_sets);
    let is_accepting: Vec<bool> = components
        .members
        .iter()
        .map(|members| {
            let inside = members.iter().flat_map(|&state| {
                let stays = automaton.states[state].iter();
                stays.filter(move |transition| components.together(state, transition.target))
            });
            inside.map(|transition| transition.marks).reduce(Marks::union) == Some(all)
        })
        .collect();
    let waits = |state: StateIndex| components.of[state].is_none_or(|component| !is_accepting[component]);
    let mut guards = automaton.guards.clone();
    let mut known = FxHashMap::default();
    let enter = |state: StateIndex| (state, (!waits(state)).then_some(suspended.initial));
    let start = enter(automaton.initial);
    let mut list = vec![start];
    let mut numbers: FxHashMap<(StateIndex, Option<StateIndex>), StateIndex> = FxHashMap::default();
    numbers.insert(start, 0);
    let mut states: Vec<Vec<Transition>> = Vec::new();
    while states.len() < list.len() {
        let (state, other) = list[states.len()];
        let mut found = Vec::new();
        for transition in &automaton.states[state] {
            let stays = components.together(state, transition.target);
            match other {
                Some(other) if stays => {
                    for beside in &suspended.states[other] {
                        let guard = guards.import(&suspended.guards, beside.guard, &mut known);
                        let guard = guards.and(transition.guard, guard);
                        // Marks of the suspended automaton follow those of the other one.
                        let more = beside.marks.0.checked_shl(automaton.n_sets as u32).unwrap_or(0);
                        let marks = Marks(transition.marks.0 | more);
                        found.push((guard, marks, (transition.target, Some(beside.target))));
                    }
                }
                _ => found.push((transition.guard, Marks::NONE, enter(transition.target))),
            }
        }
        let transitions = found.into_iter().filter(|(guard, ..)| *guard != Guard::FALSE);
        let transitions = transitions.map(|(guard, marks, pair)| {
            let target = *numbers.entry(pair).or_insert_with(|| {
                list.push(pair);
                list.len() - 1
            });
            Transition { guard, marks, target }
        });
        let transitions = transitions.collect();
        if list.len() > most_states {
            return None;
        }
        states.push(transitions);
    }
    let mut propositions = [&automaton.propositions[..], &suspended.propositions[..]].concat();
    propositions.sort_unstable();
    propositions.dedup();
    Some(Automaton { propositions, guards, initial: 0, states, n_sets, is_state_based: false })
}
