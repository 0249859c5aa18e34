//! Removing what no accepting run needs: states, marks, acceptance sets.
//!
//! States from which no accepting cycle can be reached go. On transitions that lie on no accepting cycle marks mean nothing:
//! they are set as [`FreeMarks`] says, which helps or hinders simulation. In a component in which every cycle meets a set,
//! all transitions are put into it; a set that contains another in a component is not needed there, and the sets that are
//! needed are numbered anew per component, so that the automaton has as many sets as its most demanding component (Babiak and
//! others, SPIN 2013; Duret-Lutz, 2014).

use crate::automaton::{Automaton, Marks, StateIndex};
use crate::components::Components;

/// What to write on transitions whose marks mean nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FreeMarks {
    /// They are in no set.
    None,
    /// They are in every set.
    All,
}

/// What the cycles of a component do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    NoCycle,
    Accepting,
    Rejecting,
}

impl Automaton {
    /// Removes useless states and sets, without changing the language.
    pub(crate) fn trim(&mut self, free: FreeMarks) {
        self.remove_useless_states();
        if self.states.iter().all(Vec::is_empty) {
            return;
        }
        let components = self.components();
        let all = Marks::all(self.n_sets);
        let kinds: Vec<Kind> = components
            .members
            .iter()
            .map(|members| match self.marks_inside(&components, members) {
                None => Kind::NoCycle,
                Some(marks) if marks == all => Kind::Accepting,
                Some(_) => Kind::Rejecting,
            })
            .collect();
        self.renumber_sets(&components, &kinds);
        let all = Marks::all(self.n_sets);
        let free = if free == FreeMarks::All { all } else { Marks::NONE };
        let is_state_based = self.is_state_based;
        for (component, members) in components.members.iter().enumerate() {
            for &state in members {
                for transition in &mut self.states[state] {
                    let inside = is_state_based || components.together(state, transition.target);
                    match kinds[component] {
                        Kind::Accepting if inside => {}
                        Kind::Rejecting if inside => transition.marks = Marks::NONE,
                        _ => transition.marks = free,
                    }
                }
            }
        }
        self.join_transitions();
    }

    /// The sets that the transitions inside a component are in.
    fn marks_inside(&self, components: &Components, members: &[StateIndex]) -> Option<Marks> {
        self.inside(components, members).map(|(_, _, marks)| marks).reduce(Marks::union)
    }

    /// The transitions inside a component: source, position, marks.
    fn inside<'a>(
        &'a self,
        components: &'a Components,
        members: &'a [StateIndex],
    ) -> impl Iterator<Item = (StateIndex, usize, Marks)> + 'a {
        members.iter().flat_map(move |&state| {
            let transitions = self.states[state].iter().enumerate();
            transitions
                .filter(move |(_, transition)| components.together(state, transition.target))
                .map(move |(at, transition)| (state, at, transition.marks))
        })
    }

    fn remove_useless_states(&mut self) {
        let components = self.components();
        // Components come with sinks first, so what follows a component is known.
        let mut useful = vec![false; components.members.len()];
        for (component, members) in components.members.iter().enumerate() {
            useful[component] = self.marks_inside(&components, members) == Some(Marks::all(self.n_sets))
                || members
                    .iter()
                    .flat_map(|&member| &self.states[member])
                    .any(|transition| components.of[transition.target].is_some_and(|target| useful[target]));
        }
        let is_useful = |state: StateIndex| components.of[state].is_some_and(|component| useful[component]);
        for transitions in &mut self.states {
            transitions.retain(|transition| is_useful(transition.target));
        }
        if !is_useful(self.initial) {
            self.states[self.initial].clear();
        }
        self.renumber();
    }

    /// Finds the sets that each accepting component needs and numbers them anew. Other marks are not touched.
    fn renumber_sets(&mut self, components: &Components, kinds: &[Kind]) {
        let accepting: Vec<&Vec<StateIndex>> = components
            .members
            .iter()
            .zip(kinds)
            .filter(|(_, kind)| **kind == Kind::Accepting)
            .map(|(members, _)| members)
            .collect();
        let needed: Vec<Vec<usize>> =
            accepting.iter().map(|members| self.needed_sets(components, members)).collect();
        // Cycles that do not accept need a set to say so.
        let least = usize::from(kinds.contains(&Kind::Rejecting));
        let n_sets = needed.iter().map(Vec::len).max().unwrap_or(0).max(least);
        for (members, needed) in accepting.into_iter().zip(needed) {
            for &state in members {
                for transition in &mut self.states[state] {
                    let old = transition.marks;
                    let mut marks = Marks::all(n_sets);
                    for (new, &set) in needed.iter().enumerate() {
                        if !old.contains(set) {
                            marks.0 &= !(1 << new);
                        }
                    }
                    transition.marks = marks;
                }
            }
        }
        self.n_sets = n_sets;
    }

    /// The sets of which a component needs to be told: those that a cycle can miss, without those implied by others.
    fn needed_sets(&self, components: &Components, members: &[StateIndex]) -> Vec<usize> {
        let mut sets: Vec<usize> =
            (0..self.n_sets).filter(|&set| self.has_cycle_without(components, members, set)).collect();
        let mut at = 0;
        while at < sets.len() {
            let set = sets[at];
            let implied = sets.iter().any(|&other| {
                other != set
                    && self
                        .inside(components, members)
                        .all(|(_, _, marks)| !marks.contains(other) || marks.contains(set))
            });
            if implied {
                sets.remove(at);
            } else {
                at += 1;
            }
        }
        sets
    }

    fn has_cycle_without(&self, components: &Components, members: &[StateIndex], set: usize) -> bool {
        let position = |state: StateIndex| members.iter().position(|&member| member == state);
        let successors = |at: usize| -> Vec<usize> {
            let Some(&state) = members.get(at) else {
                // One more state that leads everywhere is the root.
                return (0..members.len()).collect();
            };
            self.states[state]
                .iter()
                .filter(|transition| {
                    !transition.marks.contains(set) && components.together(state, transition.target)
                })
                .filter_map(|transition| position(transition.target))
                .collect()
        };
        let inner = Components::find(members.len() + 1, members.len(), successors);
        (0..members.len()).any(|at| successors(at).into_iter().any(|target| inner.together(at, target)))
    }
}
