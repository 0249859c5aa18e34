//! From several acceptance sets to one, on states.
//!
//! The usual construction counts how many of the sets, in a fixed order, a run has met since it last met all of them; a state
//! of the result is a state with this *level*, and accepting when the level is full. Levels matter
//! inside accepting components only: a transition that enters a component may choose the level, and takes one
//! that exists already if it can (Babiak and others, "Compositional approach to suspension", SPIN 2013). The order of the sets
//! changes the size, so the caller may try several.

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, Marks, StateIndex, Transition};
use crate::components::Components;

/// Where a run enters a component.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entry {
    /// At the bottom, with nothing met.
    Low,
    /// At the top, as if all had just been met.
    High,
}

struct Levels<'a> {
    source: &'a Automaton,
    components: Components,
    order: &'a [usize],
    entry: Entry,
    numbers: FxHashMap<(StateIndex, usize), StateIndex>,
    /// The levels with which every state occurs.
    used: Vec<Vec<usize>>,
    list: Vec<(StateIndex, usize)>,
}

impl Automaton {
    /// An automaton with one acceptance set on states, for the same language.
    ///
    /// `order` is a permutation of the sets. The automaton has been trimmed.
    pub(crate) fn degeneralize(&self, order: &[usize], entry: Entry) -> Automaton {
        debug_assert_eq!(order.len(), self.n_sets);
        let components = self.components();
        let mut levels = Levels {
            source: self,
            components,
            order,
            entry,
            numbers: FxHashMap::default(),
            used: vec![Vec::new(); self.n_states()],
            list: Vec::new(),
        };
        let level = levels.entry_level(self.initial);
        let initial = levels.number(self.initial, level);
        let mut states = Vec::new();
        while states.len() < levels.list.len() {
            let (state, level) = levels.list[states.len()];
            let full = level == order.len();
            let marks = if full { Marks::all(1) } else { Marks::NONE };
            let transitions = self.states[state].iter().map(|transition| {
                let level = levels.after(state, level, transition);
                let target = levels.number(transition.target, level);
                Transition { guard: transition.guard, marks, target }
            });
            let transitions = transitions.collect();
            states.push(transitions);
        }
        let mut result = self.with_states(initial, states);
        result.n_sets = 1;
        result.is_state_based = true;
        result.join_transitions();
        result
    }
}

impl Levels<'_> {
    fn number(&mut self, state: StateIndex, level: usize) -> StateIndex {
        *self.numbers.entry((state, level)).or_insert_with(|| {
            self.list.push((state, level));
            self.used[state].push(level);
            self.list.len() - 1
        })
    }

    /// The level of a run that enters the component of a state there.
    fn entry_level(&self, state: StateIndex) -> usize {
        let full = self.order.len();
        let all = Marks::all(full);
        let inside = |transition: &&Transition| self.components.together(state, transition.target);
        if self.source.states[state].iter().filter(inside).all(|transition| transition.marks == all) {
            // It will be full anyway.
            return full;
        }
        let used = self.used[state].iter().copied();
        match self.entry {
            Entry::Low => used.min().unwrap_or(0),
            Entry::High => used.max().unwrap_or(full),
        }
    }

    /// The level after a transition.
    fn after(&self, state: StateIndex, level: usize, transition: &Transition) -> usize {
        if !self.components.together(state, transition.target) {
            return self.entry_level(transition.target);
        }
        let full = self.order.len();
        let start = if level == full { 0 } else { level };
        let met = self.order[start..].iter().take_while(|&&set| transition.marks.contains(set)).count();
        start + met
    }
}
