//! The smallest weak deterministic automaton of an obligation.
//!
//! Obligations are the languages of weak deterministic Büchi automata, and these can be minimised like automata on finite words
//! (Löding, 2001). Following Dax, Eisinger and Klaedtke (ATVA 2007): determinise by the subset construction, decide for
//! every component whether its cycles accept by trying one, color the components, and merge states. Whether
//! the language was an obligation at all is found out at the end: the result is compared with the automata of the formula
//! and of its negation. So the shape of the formula does not matter.
//!
//! Cost: the subset construction is exponential; it is given up beyond `most_states` states.

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, Marks, StateIndex, Transition};
use crate::components::Components;
use crate::guard::Guard;
use crate::product::are_disjoint;

/// The smallest weak deterministic automaton, with one acceptance set on states, if there is one.
///
/// `automaton` is for the language, `negation` for its complement.
pub fn weak_deterministic(
    automaton: &Automaton,
    negation: &Automaton,
    most_states: usize,
) -> Option<Automaton> {
    let mut subsets = Subsets::new(automaton);
    subsets.explore(most_states)?;
    let accepting = subsets.accepting_components();
    let mut complete = subsets.into_automaton(&accepting);
    complete.bisimulate();
    let mut complement = complete.clone();
    for transition in complement.states.iter_mut().flatten() {
        transition.marks = Marks(transition.marks.0 ^ 1);
    }
    let budget = 50_000;
    if !are_disjoint(&complete, negation, budget)? || !are_disjoint(&complement, automaton, budget)? {
        return None;
    }
    complete.trim(crate::trim::FreeMarks::None);
    Some(complete)
}

struct Subsets<'a> {
    source: &'a Automaton,
    /// The result so far, complete: the empty set is a state.
    result: Automaton,
    sets: Vec<Vec<StateIndex>>,
    components: Option<Components>,
}

impl<'a> Subsets<'a> {
    fn new(source: &'a Automaton) -> Subsets<'a> {
        let mut result = source.with_states(0, Vec::new());
        result.n_sets = 1;
        result.is_state_based = true;
        Subsets { source, result, sets: vec![vec![source.initial]], components: None }
    }

    fn explore(&mut self, most_states: usize) -> Option<()> {
        let mut numbers: FxHashMap<Vec<StateIndex>, StateIndex> = FxHashMap::default();
        numbers.insert(self.sets[0].clone(), 0);
        while self.result.states.len() < self.sets.len() {
            let set = self.sets[self.result.states.len()].clone();
            let mut transitions = Vec::new();
            for (guard, target) in self.successors(&set, most_states)? {
                let sets = &mut self.sets;
                let target = *numbers.entry(target).or_insert_with_key(|target| {
                    sets.push(target.clone());
                    sets.len() - 1
                });
                transitions.push(Transition { guard, marks: Marks::NONE, target });
            }
            if self.sets.len() > most_states {
                return None;
            }
            self.result.states.push(transitions);
        }
        self.components = Some(self.result.components());
        Some(())
    }

    /// Disjoint guards that cover everything, each with the set of states that its letters lead to; none if too many.
    fn successors(&mut self, set: &[StateIndex], most: usize) -> Option<Vec<(Guard, Vec<StateIndex>)>> {
        let guards = &mut self.result.guards;
        let mut parts: Vec<(Guard, Vec<StateIndex>)> = vec![(Guard::TRUE, Vec::new())];
        for transition in set.iter().flat_map(|&state| &self.source.states[state]) {
            let mut split = Vec::with_capacity(parts.len() + 1);
            for (guard, targets) in parts {
                let (with, without) =
                    (guards.and(guard, transition.guard), guards.minus(guard, transition.guard));
                if without != Guard::FALSE {
                    split.push((without, targets.clone()));
                }
                if with != Guard::FALSE {
                    let mut targets = targets;
                    targets.push(transition.target);
                    split.push((with, targets));
                }
            }
            parts = split;
            if parts.len() > most {
                return None;
            }
        }
        let mut joined: Vec<(Guard, Vec<StateIndex>)> = Vec::new();
        for (guard, mut targets) in parts {
            targets.sort_unstable();
            targets.dedup();
            match joined.iter_mut().find(|(_, other)| *other == targets) {
                Some((other, _)) => *other = guards.or(*other, guard),
                None => joined.push((guard, targets)),
            }
        }
        Some(joined)
    }

    /// For every component whether its cycles accept; none for components without cycles.
    fn accepting_components(&self) -> Vec<Option<bool>> {
        let Some(components) = &self.components else { return Vec::new() };
        components.members.iter().map(|members| self.has_accepting_cycle(components, members)).collect()
    }

    /// Whether the word of one cycle of the component is accepted by the source from the set where the cycle starts.
    fn has_accepting_cycle(&self, components: &Components, members: &[StateIndex]) -> Option<bool> {
        let start = *members.first()?;
        let cycle = self.cycle(components, start)?;
        let set = &self.sets[start];
        // A product of the source with the cycle, from a root that stands for the set.
        let length = cycle.len();
        let n_source = self.source.n_states();
        let root = n_source * length;
        let successors = |index: usize| -> Vec<(usize, Marks)> {
            if index == root {
                return set.iter().map(|&state| (state * length, Marks::NONE)).collect();
            }
            let (state, position) = (index / length, index % length);
            let letter = &cycle[position];
            self.source.states[state]
                .iter()
                .filter(|transition| {
                    self.source.guards.holds(transition.guard, |variable| letter.0.contains(&variable))
                })
                .map(|transition| (transition.target * length + (position + 1) % length, transition.marks))
                .collect()
        };
        Some(crate::automaton::has_accepting_component(root + 1, root, self.source.n_sets, successors))
    }

    /// Letters that lead from a state back to it inside its component: for each, the variables that are true.
    fn cycle(&self, components: &Components, start: StateIndex) -> Option<Vec<Letter>> {
        let mut from: FxHashMap<StateIndex, (StateIndex, Letter)> = FxHashMap::default();
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(state) = queue.pop_front() {
            for transition in &self.result.states[state] {
                if !components.together(start, transition.target) {
                    continue;
                }
                let letter = Letter::of(&self.result, transition.guard);
                if transition.target == start {
                    let mut letters = vec![letter];
                    let mut at = state;
                    while at != start {
                        let (previous, letter) = &from[&at];
                        letters.push(letter.clone());
                        at = *previous;
                    }
                    letters.reverse();
                    return Some(letters);
                }
                from.entry(transition.target).or_insert_with(|| {
                    queue.push_back(transition.target);
                    (state, letter)
                });
            }
        }
        None
    }

    /// Colors the components so that states with the same language get the same sign, and marks accepting states.
    ///
    /// A component without cycles takes the color of what follows it; one with cycles the largest color of its sign
    /// that is not above any successor's. Even colors accept.
    fn into_automaton(self, accepting: &[Option<bool>]) -> Automaton {
        let Some(components) = self.components else { return self.result };
        let top = 2 * components.members.len() as i64 + 2;
        let mut colors = vec![top; components.members.len()];
        for (component, members) in components.members.iter().enumerate() {
            let below = members
                .iter()
                .flat_map(|&member| &self.result.states[member])
                .filter_map(|transition| components.of[transition.target])
                .filter(|&target| target != component)
                .map(|target| colors[target])
                .min()
                .unwrap_or(top);
            colors[component] = match accepting[component] {
                None => below,
                Some(accepts) if (below % 2 == 0) == accepts => below,
                Some(_) => below - 1,
            };
        }
        let mut result = self.result;
        for (state, transitions) in result.states.iter_mut().enumerate() {
            let accepts = components.of[state].is_some_and(|component| colors[component] % 2 == 0);
            for transition in transitions {
                transition.marks = if accepts { Marks::all(1) } else { Marks::NONE };
            }
        }
        result
    }
}

/// One letter: the variables that are true, ascending.
#[derive(Clone, Debug)]
struct Letter(Vec<u32>);

impl Letter {
    fn of(automaton: &Automaton, guard: Guard) -> Letter {
        let cube = automaton.guards.witness(guard).unwrap_or_default();
        Letter(cube.into_iter().filter(|&(_, value)| value).map(|(variable, _)| variable).collect())
    }
}
