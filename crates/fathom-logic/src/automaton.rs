//! Büchi automata with several acceptance sets, on transitions or on states.
//!
//! A word is accepted if some run on it has, for every acceptance set, infinitely many transitions in the set; without sets
//! every infinite run accepts. *State-based* acceptance is the special case in which all transitions that leave a
//! state are in the same sets; the automaton says so.

use rustc_hash::FxHashMap;

use crate::PropositionId;
use crate::components::Components;
use crate::guard::{Guard, Guards};
use crate::lasso::Lasso;

/// A transition is compared with this many others to the same target.
const MOST_COMPARED: usize = 200;

/// A state of an automaton: its position.
pub type StateIndex = usize;

/// A set of acceptance sets, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Marks(pub u64);

impl Marks {
    /// In no set.
    pub const NONE: Marks = Marks(0);
    /// An automaton has at most this many sets.
    pub const MOST: usize = 64;

    /// In the first `n_sets` sets.
    pub fn all(n_sets: usize) -> Marks {
        Marks(if n_sets >= 64 { u64::MAX } else { (1 << n_sets) - 1 })
    }

    /// Whether the set is among these.
    pub fn contains(self, set: usize) -> bool {
        self.0 >> set & 1 == 1
    }

    /// These and one more.
    #[must_use]
    pub fn with(self, set: usize) -> Marks {
        Marks(self.0 | 1 << set)
    }

    /// Whether all of these are among the others.
    pub fn is_subset(self, other: Marks) -> bool {
        self.0 & !other.0 == 0
    }

    /// The sets in either.
    #[must_use]
    pub fn union(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }
}

/// A transition of an automaton.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Transition {
    /// Which letters it reads, a function of the propositions by their numbers.
    pub guard: Guard,
    /// The acceptance sets it is in.
    pub marks: Marks,
    /// Where it leads.
    pub target: StateIndex,
}

/// A Büchi automaton with `n_sets` acceptance sets.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// The propositions that guards may speak about, ascending.
    pub propositions: Vec<PropositionId>,
    /// The functions on transitions; variable `i` is the proposition with number `i`.
    pub guards: Guards,
    /// Where runs start.
    pub initial: StateIndex,
    /// The transitions that leave each state.
    pub states: Vec<Vec<Transition>>,
    /// How many acceptance sets there are.
    pub n_sets: usize,
    /// Whether all transitions that leave a state have the same marks.
    pub is_state_based: bool,
}

impl Automaton {
    /// How many states there are.
    pub fn n_states(&self) -> usize {
        self.states.len()
    }

    /// How many transitions there are.
    pub fn n_transitions(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }

    /// The marks of a state of an automaton with state-based acceptance: those of its transitions.
    pub fn marks_of_state(&self, state: StateIndex) -> Marks {
        self.states[state].first().map_or(Marks::NONE, |transition| transition.marks)
    }

    /// Whether a state is accepting, in an automaton with state-based acceptance.
    pub fn is_accepting(&self, state: StateIndex) -> bool {
        !self.states[state].is_empty() && self.marks_of_state(state) == Marks::all(self.n_sets)
    }

    /// Whether no letter is read by two transitions of one state.
    pub fn is_deterministic(&mut self) -> bool {
        let guards = &mut self.guards;
        self.states.iter().all(|transitions| {
            let mut taken = Guard::FALSE;
            transitions.iter().all(|transition| {
                let free = !guards.intersects(taken, transition.guard);
                taken = guards.or(taken, transition.guard);
                free
            })
        })
    }

    /// The state that loops on every letter and accepts, if there is one: whoever reaches it has won.
    pub fn accepting_sink(&self) -> Option<StateIndex> {
        (0..self.n_states()).find(|&state| {
            self.states[state].iter().any(|transition| {
                transition.target == state
                    && transition.guard == Guard::TRUE
                    && transition.marks == Marks::all(self.n_sets)
            })
        })
    }

    /// Whether some run on the word accepts.
    pub fn accepts(&self, lasso: &Lasso) -> bool {
        let length = lasso.len();
        let step = |index: usize| {
            let (state, position) = (index / length, index % length);
            let letter = lasso.letters()[position];
            let next = lasso.next(position);
            self.states[state]
                .iter()
                .filter(move |transition| {
                    self.guards.holds(transition.guard, |variable| letter >> variable & 1 == 1)
                })
                .map(move |transition| (transition.target * length + next, transition.marks))
        };
        has_accepting_component(self.n_states() * length, self.initial * length, self.n_sets, |index| {
            step(index).collect()
        })
    }

    /// Whether no word is accepted.
    pub fn is_empty(&self) -> bool {
        !has_accepting_component(self.n_states(), self.initial, self.n_sets, |state| {
            self.states[state].iter().map(|transition| (transition.target, transition.marks)).collect()
        })
    }

    /// The strongly connected component of each state, by number; none for a state that no run reaches.
    pub fn component_numbers(&self) -> Vec<Option<usize>> {
        self.components().of
    }

    /// The components of the transition graph from the initial state.
    pub(crate) fn components(&self) -> Components {
        Components::find(self.n_states(), self.initial, |state| {
            self.states[state].iter().map(|transition| transition.target).collect()
        })
    }

    /// Joins transitions of a state with one target; what a better marked transition reads is not read twice.
    pub(crate) fn join_transitions(&mut self) {
        for at in 0..self.states.len() {
            let mut list = std::mem::take(&mut self.states[at]);
            // By target, in the order in which the targets occur; the same marks side by side.
            let mut order: FxHashMap<StateIndex, usize> = FxHashMap::default();
            for transition in &list {
                let next = order.len();
                order.entry(transition.target).or_insert(next);
            }
            list.sort_by_key(|transition| (order[&transition.target], transition.marks));
            let mut joined: Vec<Transition> = Vec::with_capacity(list.len());
            for transition in list {
                match joined.last_mut() {
                    Some(last) if (last.target, last.marks) == (transition.target, transition.marks) => {
                        last.guard = self.guards.or(last.guard, transition.guard);
                    }
                    _ => joined.push(transition),
                }
            }
            for index in 0..joined.len() {
                // Better marks are larger numbers, so they come later.
                let others = joined[index + 1..].iter();
                let others = others.take_while(|other| other.target == joined[index].target);
                let better: Vec<Guard> = others
                    .take(MOST_COMPARED)
                    .filter(|other| joined[index].marks.is_subset(other.marks))
                    .map(|other| other.guard)
                    .collect();
                for guard in better {
                    joined[index].guard = self.guards.minus(joined[index].guard, guard);
                }
            }
            joined.retain(|transition| transition.guard != Guard::FALSE);
            self.states[at] = joined;
        }
    }

    /// An automaton over the same propositions and functions with other states.
    pub(crate) fn with_states(&self, initial: StateIndex, states: Vec<Vec<Transition>>) -> Automaton {
        Automaton {
            guards: self.guards.clone(),
            initial,
            states,
            propositions: self.propositions.clone(),
            ..*self
        }
    }

    /// Keeps the states that can be reached, in the order in which they are met.
    pub(crate) fn renumber(&mut self) {
        let mut numbers: FxHashMap<StateIndex, StateIndex> = FxHashMap::default();
        let mut order = vec![self.initial];
        numbers.insert(self.initial, 0);
        let mut at = 0;
        while at < order.len() {
            for transition in &self.states[order[at]] {
                numbers.entry(transition.target).or_insert_with(|| {
                    order.push(transition.target);
                    order.len() - 1
                });
            }
            at += 1;
        }
        let mut states = Vec::with_capacity(order.len());
        for state in order {
            let mut transitions = std::mem::take(&mut self.states[state]);
            for transition in &mut transitions {
                transition.target = numbers[&transition.target];
            }
            states.push(transitions);
        }
        self.states = states;
        self.initial = 0;
    }
}

/// Whether a component that can be reached has a cycle and a transition in every set.
pub(crate) fn has_accepting_component(
    n_states: usize,
    root: usize,
    n_sets: usize,
    successors: impl Fn(usize) -> Vec<(usize, Marks)>,
) -> bool {
    let components = Components::find(n_states, root, |state| {
        successors(state).into_iter().map(|(target, _)| target).collect()
    });
    components.members.iter().any(|members| {
        let mut marks = Marks::NONE;
        let mut has_cycle = false;
        for &member in members {
            for (target, more) in successors(member) {
                if components.together(member, target) {
                    has_cycle = true;
                    marks = marks.union(more);
                }
            }
        }
        has_cycle && marks == Marks::all(n_sets)
    })
}
