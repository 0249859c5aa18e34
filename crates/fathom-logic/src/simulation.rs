//! Merging states that simulate each other, and dropping transitions that others outdo.
//!
//! A state *simulates* another if it can answer each of its transitions, letter by letter, with one that is in the same
//! acceptance sets at least and leads to a state that simulates the other's target (direct simulation; Somenzi and Bloem,
//! CAV 2000; Etessami and Holzmann, CONCUR 2000). States that simulate each other are merged, and what a transition reads is
//! taken away where a better one reads it too. The same with all transitions reversed merges states with the same
//! past. A letter may be answered by different transitions, which makes the relation coarser than matching
//! transition by transition.
//!
//! The relation is a table of pairs, shrunk until it is stable: quadratic in the states and worse in the transitions, so
//! automata beyond [`MOST_WORK`] are only merged by bisimulation.

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, Marks, StateIndex, Transition};
use crate::guard::Guard;

/// The [`work`](Automaton::work) of the largest automata that are simulated.
const MOST_WORK: usize = 100_000;

/// Which way the relation looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// At what comes after a state.
    Forward,
    /// At what comes before a state.
    Backward,
}

/// For pairs of states, whether the second simulates the first.
struct Relation {
    n_states: usize,
    pairs: Vec<bool>,
}

impl Relation {
    fn holds(&self, small: StateIndex, large: StateIndex) -> bool {
        self.pairs[small * self.n_states + large]
    }

    /// For every state the first one that is equivalent to it.
    fn representatives(&self) -> Vec<StateIndex> {
        let equivalent = |state, other| self.holds(state, other) && self.holds(other, state);
        (0..self.n_states)
            .map(|state| (0..state).find(|&other| equivalent(state, other)).unwrap_or(state))
            .collect()
    }
}

impl Automaton {
    /// How much there is to compare: states with transitions, and the transitions of each state with each other.
    pub(crate) fn work(&self) -> usize {
        let squares: usize = self.states.iter().map(|list| list.len() * list.len()).sum();
        self.n_states() * self.n_transitions() + squares
    }

    /// One round of merging and dropping. The language stays.
    pub(crate) fn simulate(&mut self, direction: Direction) {
        if self.work() > MOST_WORK {
            return self.bisimulate();
        }
        let neighbors = match direction {
            Direction::Forward => self.states.clone(),
            Direction::Backward => self.reversed(),
        };
        let relation = self.largest_relation(&neighbors, direction);
        let first = relation.representatives();
        let mut lists = self.without_outdone(neighbors, &relation);
        for (state, list) in lists.iter_mut().enumerate() {
            if first[state] != state {
                // The representative has an answer to everything this state can do.
                list.clear();
            }
            for transition in list {
                transition.target = first[transition.target];
            }
        }
        match direction {
            Direction::Forward => self.states = lists,
            Direction::Backward => self.set_reversed(&lists),
        }
        self.initial = first[self.initial];
        self.join_transitions();
        self.renumber();
    }

    /// Whether the second of two states simulates the first; none when the automaton is too large.
    pub(crate) fn simulation(&mut self) -> Option<impl Fn(StateIndex, StateIndex) -> bool + use<>> {
        if self.work() > MOST_WORK {
            return None;
        }
        let neighbors = self.states.clone();
        let relation = self.largest_relation(&neighbors, Direction::Forward);
        Some(move |small, large| relation.holds(small, large))
    }

    /// For every state the transitions that enter it, with their sources as targets.
    fn reversed(&self) -> Vec<Vec<Transition>> {
        let mut reversed = vec![Vec::new(); self.n_states()];
        for (source, transitions) in self.states.iter().enumerate() {
            for transition in transitions {
                reversed[transition.target].push(Transition { target: source, ..*transition });
            }
        }
        reversed
    }

    fn set_reversed(&mut self, reversed: &[Vec<Transition>]) {
        self.states = vec![Vec::new(); reversed.len()];
        for (target, transitions) in reversed.iter().enumerate() {
            for transition in transitions {
                self.states[transition.target].push(Transition { target, ..*transition });
            }
        }
    }

    fn largest_relation(&mut self, neighbors: &[Vec<Transition>], direction: Direction) -> Relation {
        let n_states = self.n_states();
        let mut relation = Relation { n_states, pairs: vec![true; n_states * n_states] };
        if direction == Direction::Backward {
            for small in 0..n_states {
                for large in 0..n_states {
                    let starts = small != self.initial || large == self.initial;
                    // Merged states must agree on their marks if these are on states.
                    let marked = !self.is_state_based
                        || self.marks_of_state(small).is_subset(self.marks_of_state(large));
                    relation.pairs[small * n_states + large] = starts && marked;
                }
            }
        }
        loop {
            let mut changed = false;
            for small in 0..n_states {
                for large in 0..n_states {
                    if small != large
                        && relation.holds(small, large)
                        && !self.answers(&neighbors[small], &neighbors[large], &relation)
                    {
                        relation.pairs[small * n_states + large] = false;
                        changed = true;
                    }
                }
            }
            if !changed {
                return relation;
            }
        }
    }

    /// Whether every transition of the first list is answered, letter by letter, by the second.
    fn answers(&mut self, small: &[Transition], large: &[Transition], relation: &Relation) -> bool {
        small.iter().all(|challenge| {
            let mut open = challenge.guard;
            for answer in large {
                if challenge.marks.is_subset(answer.marks) && relation.holds(challenge.target, answer.target)
                {
                    open = self.guards.minus(open, answer.guard);
                    if open == Guard::FALSE {
                        return true;
                    }
                }
            }
            false
        })
    }

    /// The transitions without what another transition of the same list does better.
    fn without_outdone(&mut self, lists: Vec<Vec<Transition>>, relation: &Relation) -> Vec<Vec<Transition>> {
        let mut result = Vec::with_capacity(lists.len());
        for mut list in lists {
            for at in 0..list.len() {
                for other in 0..list.len() {
                    let (worse, better) = (list[at], list[other]);
                    let outdone = at != other
                        && better.guard != Guard::FALSE
                        && worse.marks.is_subset(better.marks)
                        && relation.holds(worse.target, better.target);
                    // Of two transitions that are as good as each other the first stays.
                    let equal =
                        better.marks.is_subset(worse.marks) && relation.holds(better.target, worse.target);
                    if outdone && (!equal || other < at) {
                        list[at].guard = self.guards.minus(worse.guard, better.guard);
                    }
                }
            }
            list.retain(|transition| transition.guard != Guard::FALSE);
            result.push(list);
        }
        result
    }

    /// Merges states whose transitions lead to the same classes; for automata too large to simulate.
    pub(crate) fn bisimulate(&mut self) {
        let n_states = self.n_states();
        let mut class = vec![0; n_states];
        let mut n_classes = 1;
        loop {
            let mut known: FxHashMap<Vec<(usize, Marks, Guard)>, usize> = FxHashMap::default();
            let mut next = Vec::with_capacity(n_states);
            for transitions in &self.states {
                let mut parts: Vec<(usize, Marks, Guard)> = transitions
                    .iter()
                    .map(|transition| (class[transition.target], transition.marks, transition.guard))
                    .collect();
                parts.sort_unstable();
                let mut signature: Vec<(usize, Marks, Guard)> = Vec::with_capacity(parts.len());
                for part in parts {
                    match signature.last_mut() {
                        Some(last) if (last.0, last.1) == (part.0, part.1) => {
                            last.2 = self.guards.or(last.2, part.2);
                        }
                        _ => signature.push(part),
                    }
                }
                let fresh = known.len();
                next.push(*known.entry(signature).or_insert(fresh));
            }
            let stable = known.len() == n_classes;
            n_classes = known.len();
            class = next;
            if stable {
                break;
            }
        }
        let mut first = vec![StateIndex::MAX; n_classes];
        for state in (0..n_states).rev() {
            first[class[state]] = state;
        }
        for transition in self.states.iter_mut().flatten() {
            transition.target = first[class[transition.target]];
        }
        self.initial = first[class[self.initial]];
        self.join_transitions();
        self.renumber();
    }
}
