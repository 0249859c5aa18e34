//! An automaton that looks at a system.
//!
//! What a [`Product`](crate::Product) needs to know of an automaton, worked out before the search: where it may go when it
//! reads a letter, as a table of all letters when there are few, and facts about its states. A letter is what
//! the findings about a state say about the propositions, a bit for each that is true.

use fathom_logic::{Automaton, Guard, Marks, StateIndex};
use fathom_model::{Fault, Finding, PropertyId};

use crate::run_formula::{Letter, Truth};

/// Which automaton is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Acceptance {
    /// The smallest one, with any number of acceptance sets, on transitions.
    #[default]
    Steps,
    /// One with one set of accepting states.
    States,
}

/// Most entries of the table of letters.
const MOST_ENTRIES: usize = 1 << 16;

/// An automaton, ready to look at a system.
#[derive(Clone, Debug)]
pub struct Watcher {
    automaton: Automaton,
    /// The property it is about.
    property: PropertyId,
    /// The property that stands for the first proposition, and how many there are.
    first: usize,
    n_propositions: usize,
    /// For each state of the automaton.
    facts: Vec<StateFacts>,
    /// Where it goes, when there are few letters.
    table: Option<Table>,
    is_plain: bool,
}

#[derive(Clone, Copy, Debug)]
struct StateFacts {
    component: u32,
    /// No run that is accepted stays in the component.
    is_passing: bool,
    /// Whatever comes, the run is accepted.
    is_final: bool,
}

/// A move of the automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Move {
    /// Where it leads.
    pub(crate) target: u16,
    /// The acceptance sets it is in.
    pub(crate) marks: u64,
}

/// Moves by state and letter.
#[derive(Clone, Debug)]
struct Table {
    /// For state and letter, where their moves begin; one more at the end.
    starts: Vec<u32>,
    moves: Vec<Move>,
}

impl Watcher {
    /// An automaton that accepts what the property forbids. The properties from `first` on stand for its propositions.
    pub(crate) fn new(
        automaton: Automaton,
        property: PropertyId,
        first: PropertyId,
        n_propositions: usize,
    ) -> Watcher {
        assert!(automaton.n_states() <= usize::from(u16::MAX), "the translation keeps automata small");
        let components = automaton.component_numbers();
        let sink = automaton.accepting_sink();
        let n_components = components.iter().flatten().max().map_or(0, |most| most + 1);
        let mut inside: Vec<Option<Marks>> = vec![None; n_components];
        for (state, transitions) in automaton.states.iter().enumerate() {
            for transition in transitions {
                if let Some(component) = components[state]
                    && components[transition.target] == Some(component)
                {
                    let marks = inside[component].unwrap_or_default();
                    inside[component] = Some(marks.union(transition.marks));
                }
            }
        }
        let all = Marks::all(automaton.n_sets);
        let facts: Vec<StateFacts> = (0..automaton.n_states())
            .map(|state| {
                let component = components[state].unwrap_or(0);
                StateFacts {
                    component: component as u32,
                    is_passing: inside.get(component).copied().flatten() != Some(all),
                    is_final: sink == Some(state),
                }
            })
            .collect();
        let is_plain = facts.iter().all(|facts| facts.is_passing || facts.is_final);
        let table = Table::new(&automaton, n_propositions);
        Watcher { automaton, property, first: first.index(), n_propositions, facts, table, is_plain }
    }

    /// Whether every violation shows after finitely many steps, so that a plain search answers the question.
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// How many states the automaton has.
    pub fn n_states(&self) -> usize {
        self.automaton.n_states()
    }

    /// How many acceptance sets the automaton has.
    pub fn n_sets(&self) -> u32 {
        self.automaton.n_sets as u32
    }

    pub(crate) fn property(&self) -> PropertyId {
        self.property
    }

    pub(crate) fn is_state_based(&self) -> bool {
        self.automaton.is_state_based
    }

    pub(crate) fn initial(&self) -> u16 {
        self.automaton.initial as u16
    }

    #[inline]
    pub(crate) fn is_final(&self, state: u16) -> bool {
        self.facts[usize::from(state)].is_final
    }

    pub(crate) fn is_accepting(&self, state: u16) -> bool {
        self.automaton.is_accepting(usize::from(state)) && !self.is_passing(state)
    }

    #[inline]
    pub(crate) fn is_passing(&self, state: u16) -> bool {
        self.facts[usize::from(state)].is_passing
    }

    #[inline]
    pub(crate) fn component(&self, state: u16) -> u32 {
        self.facts[usize::from(state)].component
    }

    /// The moves of the automaton when it reads a state about which this was found; and the fault of the first
    /// proposition that it asked for and that cannot be evaluated.
    #[inline]
    pub(crate) fn read(&self, state: u16, findings: &[Finding], out: &mut Vec<Move>) -> Option<Fault> {
        out.clear();
        let Some(table) = &self.table else { return self.read_guards(state, findings, out) };
        let mut letter = (1_usize << self.n_propositions) - 1;
        for finding in findings {
            let Some(index) = finding.property.index().checked_sub(self.first) else { continue };
            if index < self.n_propositions {
                if finding.fault.is_some() {
                    return self.read_guards(state, findings, out);
                }
                letter &= !(1 << index);
            }
        }
        let at = usize::from(state) << self.n_propositions | letter;
        out.extend_from_slice(&table.moves[table.starts[at] as usize..table.starts[at + 1] as usize]);
        None
    }

    /// The same, guard by guard.
    #[cold]
    fn read_guards(&self, state: u16, findings: &[Finding], out: &mut Vec<Move>) -> Option<Fault> {
        let mut letter = Letter::default();
        letter.read(findings, self.first, self.n_propositions);
        let mut faulty = None;
        for transition in &self.automaton.states[usize::from(state)] {
            let asked_faulty = std::cell::Cell::new(None);
            let holds = transition.guard == Guard::TRUE
                || self.automaton.guards.holds(transition.guard, |variable| {
                    let truth = letter.0[variable as usize];
                    if truth == Truth::Faulty {
                        asked_faulty.set(Some(variable as usize));
                    }
                    truth == Truth::True
                });
            faulty = faulty.or(asked_faulty.get());
            if holds && asked_faulty.get().is_none() {
                out.push(Move { target: transition.target as u16, marks: transition.marks.0 });
            }
        }
        fault_of(findings, self.first + faulty?)
    }
}

impl Table {
    fn new(automaton: &Automaton, n_propositions: usize) -> Option<Table> {
        let n_letters = 1_usize.checked_shl(n_propositions as u32)?;
        if n_letters.checked_mul(automaton.n_states())? > MOST_ENTRIES {
            return None;
        }
        let mut table = Table { starts: vec![0], moves: Vec::new() };
        for state in 0..automaton.n_states() {
            for letter in 0..n_letters {
                table.add(automaton, state, letter);
            }
        }
        Some(table)
    }

    fn add(&mut self, automaton: &Automaton, state: StateIndex, letter: usize) {
        for transition in &automaton.states[state] {
            if automaton.guards.holds(transition.guard, |variable| letter >> variable & 1 == 1) {
                self.moves.push(Move { target: transition.target as u16, marks: transition.marks.0 });
            }
        }
        self.starts.push(self.moves.len() as u32);
    }
}

/// The fault of a proposition in what a system said about a state.
fn fault_of(findings: &[Finding], property: usize) -> Option<Fault> {
    let finding = findings.iter().find(|finding| finding.property.index() == property)?;
    finding.fault.clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_logic::{Formulas, PropositionId, Translator};

    #[test]
    fn the_table_says_what_the_guards_say() {
        let mut formulas = Formulas::new();
        let [p, q] = [0, 1].map(|index| formulas.proposition(PropositionId::new(index)));
        let until = formulas.until(p, q);
        let again = formulas.eventually(until);
        let formula = formulas.always(again);
        let automaton = Translator::new().generalized(&mut formulas, formula).expect("small");
        let watcher = Watcher::new(automaton, PropertyId(0), PropertyId(1), 2);
        for state in 0..watcher.n_states() as u16 {
            for letter in 0..4 {
                let mut steps: fathom_model::Steps<fathom_model::NoRegion, ()> = fathom_model::Steps::new();
                for proposition in (0..2).filter(|proposition| letter >> proposition & 1 == 0) {
                    steps.find(PropertyId(1 + proposition), None, &[]);
                }
                let (mut fast, mut slow) = (Vec::new(), Vec::new());
                assert_eq!(watcher.read(state, steps.findings(), &mut fast), None);
                assert_eq!(watcher.read_guards(state, steps.findings(), &mut slow), None);
                assert_eq!(fast, slow);
            }
        }
    }
}
