//! A claim as written, taken for an automaton.
//!
//! A claim looks at each state of a run, the first one included, and moves; it describes what must not happen. The run is an
//! error when the claim gets to its end, fails an assertion on the way, or passes a location with an accept label for ever. When
//! it cannot move, the run so far is none of its business. Edges marked atomic are taken in one go, as the claims that
//! Spin makes of formulas expect.
//!
//! The conditions on its edges become propositions, and what the claim can do in one state becomes transitions, each
//! with the letters for which it can. Getting to the end, a failed assertion and a look that never ends lead to one state that accepts
//! whatever follows. The automaton keeps the locations, the moves and their order as they were written: products have the states that Spin counts.
//!
//! The second reading of a claim, letter by letter along a run ([`ClaimFormula::is_violated_by`]), makes no automaton.

use std::collections::HashMap;

use fathom_logic::{
    Automaton, Guard as LetterSet, Guards, Marks, PropositionId, StateIndex, Transition, TranslateError,
};
use fathom_model::{Action, Edge, Expr, Fault, Guard, LocationId, Template};

use crate::run_formula::{Letter, Truth};

/// Most edges that a claim takes in one state, one after the other.
const LONGEST_LOOK: usize = 1000;
/// Most edges that a claim takes in one state on all its ways.
const MOST_EDGES: usize = 100_000;

/// A claim, and the conditions that it asks about.
#[derive(Clone, Debug)]
pub(crate) struct ClaimFormula {
    claim: Template,
    propositions: Vec<Expr>,
    numbers: HashMap<Expr, usize>,
}

/// How a way of a claim through one state ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    /// It waits there for the next state.
    Rests(LocationId),
    /// The run is an error, here and now.
    Error(ClaimError),
}

/// Why a run that a claim has followed is an error after finitely many steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ClaimError {
    /// The claim got to its end.
    End,
    /// An assertion in the claim failed.
    Assertion,
    /// It does not stop looking at one state.
    Endless,
}

impl ClaimError {
    fn fault(self) -> Option<Fault> {
        match self {
            ClaimError::End => None,
            ClaimError::Assertion => Some(Fault::Assertion),
            ClaimError::Endless => Some(Fault::EndlessInside),
        }
    }
}

/// What decides whether the claim can take an edge: letters one at a time, or sets of them.
trait Reading {
    /// A set of letters.
    type Letters: Copy;

    /// The letters among some for which a condition is true, and those for which it is false.
    fn split(&mut self, letters: Self::Letters, proposition: usize) -> (Self::Letters, Self::Letters);

    fn is_empty(&self, letters: Self::Letters) -> bool;

    fn none(&self) -> Self::Letters;
}

/// A look at one state under way.
struct Look<'a, R: Reading> {
    reading: &'a mut R,
    ways: Vec<(R::Letters, Outcome)>,
    /// The locations passed on the way.
    passed: Vec<LocationId>,
    n_edges: usize,
}

impl ClaimFormula {
    /// The claim of a template.
    pub fn new(claim: &Template) -> ClaimFormula {
        let mut propositions = Vec::new();
        let mut numbers = HashMap::new();
        let conditions = claim.edges.iter().flat_map(|edge| {
            let guard = match &edge.guard {
                Guard::When(condition) => Some(condition),
                _ => None,
            };
            guard.into_iter().chain(assertions(edge))
        });
        for condition in conditions {
            if !numbers.contains_key(condition) {
                numbers.insert(condition.clone(), propositions.len());
                propositions.push(condition.clone());
            }
        }
        ClaimFormula { claim: claim.clone(), propositions, numbers }
    }

    /// The conditions that it asks about.
    pub fn propositions(&self) -> &[Expr] {
        &self.propositions
    }

    /// The automaton that accepts what the claim does: one set, on states.
    ///
    /// # Errors
    ///
    /// When the claim has too many ways through one state, or too many locations.
    pub fn automaton(&self) -> Result<Automaton, TranslateError> {
        let mut reading = LetterSets { guards: Guards::new() };
        let mut numbers = HashMap::from([(Some(self.claim.initial), 0)]);
        let mut order = vec![Some(self.claim.initial)];
        let mut states: Vec<Vec<Transition>> = Vec::new();
        while let Some(&location) = order.get(states.len()) {
            let marks = match location {
                Some(location) if !self.claim.location(location).accept => Marks::NONE,
                _ => Marks::all(1),
            };
            let Some(location) = location else {
                // Whatever follows is accepted.
                states.push(vec![Transition { guard: LetterSet::TRUE, marks, target: states.len() }]);
                continue;
            };
            let ways = self.ways(&mut reading, location, LetterSet::TRUE);
            let ways = ways.ok_or(TranslateError::TooManyTransitions { limit: MOST_EDGES })?;
            let transitions = ways.into_iter().map(|(guard, outcome)| {
                let target = match outcome {
                    Outcome::Rests(location) => Some(location),
                    Outcome::Error(_) => None,
                };
                let target: StateIndex = *numbers.entry(target).or_insert_with(|| {
                    order.push(target);
                    order.len() - 1
                });
                Transition { guard, marks, target }
            });
            states.push(transitions.collect());
        }
        let limit = usize::from(u16::MAX);
        if states.len() > limit {
            return Err(TranslateError::TooManyStates { limit });
        }
        Ok(Automaton {
            propositions: (0..self.propositions.len()).map(PropositionId::new).collect(),
            guards: reading.guards,
            initial: 0,
            states,
            n_sets: 1,
            is_state_based: true,
        })
    }

    /// The ways through one state for some letters, in order, each with the letters for which it can be gone; none when there are
    /// too many.
    fn ways<R: Reading>(
        &self,
        reading: &mut R,
        from: LocationId,
        letters: R::Letters,
    ) -> Option<Vec<(R::Letters, Outcome)>> {
        let mut look = Look { reading, ways: Vec::new(), passed: Vec::new(), n_edges: 0 };
        self.look(&mut look, from, letters)?;
        Some(look.ways)
    }

    fn look<R: Reading>(&self, look: &mut Look<'_, R>, from: LocationId, letters: R::Letters) -> Option<()> {
        if look.passed.contains(&from) {
            // The state stays as it is, so the way back can be gone for ever.
            look.ways.push((letters, Outcome::Error(ClaimError::Endless)));
            return Some(());
        }
        if look.passed.len() > LONGEST_LOOK {
            return None;
        }
        look.passed.push(from);
        // The letters for which nothing could be taken so far.
        let mut open = letters;
        for group in &self.claim.location(from).groups {
            let letters = open;
            for &id in group {
                let edge = self.claim.edge(id);
                let (now, without) = match &edge.guard {
                    Guard::Always => (letters, look.reading.none()),
                    Guard::When(condition) => {
                        let number = self.numbers[condition];
                        (look.reading.split(letters, number).0, look.reading.split(open, number).1)
                    }
                    Guard::Else => (open, look.reading.none()),
                    Guard::Youngest => continue,
                };
                open = without;
                if !look.reading.is_empty(now) {
                    self.take(look, edge, now)?;
                }
            }
            if look.reading.is_empty(open) {
                break;
            }
        }
        look.passed.pop();
        Some(())
    }

    /// Takes an edge on these letters.
    fn take<R: Reading>(&self, look: &mut Look<'_, R>, edge: &Edge, letters: R::Letters) -> Option<()> {
        look.n_edges += 1;
        if look.n_edges > MOST_EDGES {
            return None;
        }
        for condition in assertions(edge) {
            // A failed assertion is an error, and the claim goes on.
            let failed = look.reading.split(letters, self.numbers[condition]).1;
            if !look.reading.is_empty(failed) {
                look.ways.push((failed, Outcome::Error(ClaimError::Assertion)));
            }
        }
        if self.is_closing(edge.target) {
            look.ways.push((letters, Outcome::Error(ClaimError::End)));
        } else if edge.atomic {
            self.look(look, edge.target, letters)?;
        } else {
            look.ways.push((letters, Outcome::Rests(edge.target)));
        }
        Some(())
    }

    /// Whether a location is the closing brace of the claim.
    fn is_closing(&self, location: LocationId) -> bool {
        let edges = self.claim.location(location).groups.iter().flatten();
        edges.into_iter().any(|edge| self.claim.edge(*edge).effect.contains(&Action::End))
    }

    /// Whether the run of these letters, whose end goes back to `loop_start`, is one that the claim forbids.
    pub fn is_violated_by(&self, letters: &[Letter], loop_start: usize) -> bool {
        let mut followed = Followed::default();
        let mut at = 0;
        followed.number((0, self.claim.initial));
        while let Some(&(position, location)) = followed.order.get(at) {
            let next = if position + 1 < letters.len() { position + 1 } else { loop_start };
            let outcomes = self.outcomes(location, &letters[position]);
            if outcomes.iter().any(|outcome| matches!(outcome, Outcome::Error(_))) {
                return true;
            }
            let targets = outcomes.into_iter().filter_map(|outcome| match outcome {
                Outcome::Rests(location) => Some(followed.number((next, location))),
                Outcome::Error(_) => None,
            });
            let targets = targets.collect();
            followed.targets.push(targets);
            at += 1;
        }
        (0..followed.order.len()).any(|node| {
            let (_, location) = followed.order[node];
            self.claim.location(location).accept && followed.comes_back(node)
        })
    }

    /// The faults with which a run of these letters is an error at the last of them; without a fault where the claim gets to its
    /// end there.
    pub fn errors_at_end(&self, letters: &[Letter]) -> Vec<Option<Fault>> {
        let Some((last, before)) = letters.split_last() else { return Vec::new() };
        let mut locations = vec![self.claim.initial];
        for letter in before {
            let mut next: Vec<LocationId> = Vec::new();
            for outcome in locations.iter().flat_map(|&location| self.outcomes(location, letter)) {
                if let Outcome::Rests(location) = outcome
                    && !next.contains(&location)
                {
                    next.push(location);
                }
            }
            locations = next;
        }
        let outcomes = locations.iter().flat_map(|&location| self.outcomes(location, last));
        let errors = outcomes.filter_map(|outcome| match outcome {
            Outcome::Error(error) => Some(error.fault()),
            Outcome::Rests(_) => None,
        });
        errors.collect()
    }

    fn outcomes(&self, location: LocationId, letter: &Letter) -> Vec<Outcome> {
        let ways = self.ways(&mut OneLetter(letter), location, true);
        ways.into_iter().flatten().map(|(_, outcome)| outcome).collect()
    }
}

/// Assertions on an edge.
fn assertions(edge: &Edge) -> impl Iterator<Item = &Expr> {
    edge.effect.iter().filter_map(|action| match action {
        Action::Assert(condition) => Some(condition),
        _ => None,
    })
}

/// Sets of letters as decision diagrams.
struct LetterSets {
    guards: Guards,
}

impl Reading for LetterSets {
    type Letters = LetterSet;

    fn split(&mut self, letters: LetterSet, proposition: usize) -> (LetterSet, LetterSet) {
        let condition = self.guards.variable(proposition as u32);
        (self.guards.and(letters, condition), self.guards.minus(letters, condition))
    }

    fn is_empty(&self, letters: LetterSet) -> bool {
        letters == LetterSet::FALSE
    }

    fn none(&self) -> LetterSet {
        LetterSet::FALSE
    }
}

/// One letter, or none.
struct OneLetter<'a>(&'a Letter);

impl Reading for OneLetter<'_> {
    type Letters = bool;

    fn split(&mut self, letters: bool, proposition: usize) -> (bool, bool) {
        let truth = self.0.0[proposition];
        (letters && truth == Truth::True, letters && truth != Truth::True)
    }

    fn is_empty(&self, letters: bool) -> bool {
        !letters
    }

    fn none(&self) -> bool {
        false
    }
}

/// What a claim does on a run: positions with locations, and what follows each.
#[derive(Default)]
struct Followed {
    order: Vec<(usize, LocationId)>,
    numbers: HashMap<(usize, LocationId), usize>,
    targets: Vec<Vec<usize>>,
}

impl Followed {
    fn number(&mut self, node: (usize, LocationId)) -> usize {
        *self.numbers.entry(node).or_insert_with(|| {
            self.order.push(node);
            self.order.len() - 1
        })
    }

    /// Whether there is a way from a node back to it.
    fn comes_back(&self, start: usize) -> bool {
        let mut seen = vec![false; self.order.len()];
        let mut waiting = self.targets[start].clone();
        while let Some(node) = waiting.pop() {
            if node == start {
                return true;
            }
            if !std::mem::replace(&mut seen[node], true) {
                waiting.extend_from_slice(&self.targets[node]);
            }
        }
        false
    }
}
