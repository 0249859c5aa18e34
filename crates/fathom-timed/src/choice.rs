//! Choices of edges that locations allow, and the clock values at which each is a move.
//!
//! The edges of a choice ask for their guards, and for the invariants of the target, whose bounds are bounds on the clocks before the
//! updates. A receiver of a broadcast takes part exactly when one of its guards is true (Uppaal's help, "Synchronisations"). Where
//! these guards bound clocks, there is a choice with it and one without it: the latter asks that every one of its guards is broken. What
//! breaks a conjunction of bounds is not convex, but one place for each bound: those before it are kept, and it is broken. So
//! a choice is possible in the union of some places, each a conjunction of bounds as the model writes them, or their
//! complements, and no two of them overlap.

use fathom_model::Fault;
use fathom_zone::{Bound, Constraint};

use crate::layout::Valuation;
use crate::network::{Participant, Synchronization};
use crate::ready::{bound_of, constraint_in, holds};
use crate::statement::{self, ClockUpdate, Outcome};
use crate::zone_system::ZoneSystem;

/// A choice of edges.
#[derive(Clone, Default, Debug)]
pub(crate) struct Choice {
    /// Process, and index of the edge in it, in the order in which the updates happen.
    pub edges: Vec<(usize, usize)>,
    /// Edges of receivers that do not take part: the guard of each is broken.
    pub silent: Vec<(usize, usize)>,
    /// The priority of its kind.
    pub kind: i32,
}

/// Bounds on clocks, all of which are satisfied there.
pub(crate) type Place = Vec<Constraint>;

/// Splits places along a conjunction of bounds, and leaves what breaks it.
fn broken(places: Vec<Place>, bounds: &[Constraint]) -> Vec<Place> {
    let mut found = Vec::new();
    for place in places {
        for (index, &Constraint { left, right, bound }) in bounds.iter().enumerate() {
            let Some(complement) = bound.complement() else { continue };
            let mut outside = place.clone();
            outside.extend_from_slice(&bounds[..index]);
            outside.push(Constraint { left: right, right: left, bound: complement });
            found.push(outside);
        }
    }
    found
}

impl ZoneSystem<'_> {
    /// Calls a function with every choice of edges that locations and conditions of receivers allow.
    pub(crate) fn each_choice(&self, valuation: &Valuation, visit: &mut dyn FnMut(&Choice)) {
        let locations = &valuation.locations;
        for synchronization in &self.network().synchronizations {
            let participants = &synchronization.participants;
            if participants.iter().all(|one| one.is_weak || !self.edges_with(*one, locations).is_empty()) {
                let mut choice = Choice { kind: synchronization.priority, ..Choice::default() };
                self.each_choice_of(synchronization, participants, valuation, &mut choice, visit);
            }
        }
        for process in 0..self.network().processes.len() {
            for &edge in self.edges_alone(process, locations) {
                let edges = vec![(process, edge)];
                visit(&Choice { edges, silent: Vec::new(), kind: self.network().alone_priority });
            }
        }
    }

    fn each_choice_of(
        &self,
        synchronization: &Synchronization,
        participants: &[Participant],
        valuation: &Valuation,
        choice: &mut Choice,
        visit: &mut dyn FnMut(&Choice),
    ) {
        let Some((first, rest)) = participants.split_first() else {
            if !choice.edges.is_empty() {
                visit(choice);
            }
            return;
        };
        let edges = self.edges_to_take(*first, synchronization.weak_rule, valuation);
        for &edge in edges.iter() {
            choice.edges.push((first.process, edge));
            self.each_choice_of(synchronization, rest, valuation, choice, visit);
            choice.edges.pop();
        }
        // Who has no edge goes without, and so does who may be kept from each by clocks.
        if edges.iter().all(|&edge| self.may_stay_silent(synchronization, *first, edge)) {
            let n_before = choice.silent.len();
            choice.silent.extend(edges.iter().map(|&edge| (first.process, edge)));
            self.each_choice_of(synchronization, rest, valuation, choice, visit);
            choice.silent.truncate(n_before);
        }
    }

    /// Where a choice is a move, disregarding priorities: in one of these places.
    pub(crate) fn places_of(&self, valuation: &Valuation, choice: &Choice) -> Result<Vec<Place>, Fault> {
        let Some(bounds) = self.bounds_of_move(valuation, &choice.edges)? else { return Ok(Vec::new()) };
        let silent = self.places_of_silence(valuation, &choice.silent)?;
        Ok(silent.into_iter().map(|place| [&bounds[..], &place[..]].concat()).collect())
    }

    /// Where receivers do not take part with these edges.
    pub(crate) fn places_of_silence(
        &self,
        valuation: &Valuation,
        silent: &[(usize, usize)],
    ) -> Result<Vec<Place>, Fault> {
        let mut places = vec![Vec::new()];
        for edge in silent {
            if let Some(bounds) = self.bounds_of_guards(valuation, std::slice::from_ref(edge))? {
                places = broken(places, &bounds);
            }
        }
        Ok(places)
    }

    /// What has to be true of clocks for edges to be taken together at once; none when something else forbids it.
    fn bounds_of_move(
        &self,
        valuation: &Valuation,
        edges: &[(usize, usize)],
    ) -> Result<Option<Vec<Constraint>>, Fault> {
        let locations = &valuation.locations;
        let has_committed = (0..locations.len()).any(|process| self.is_committed(process, valuation));
        if has_committed && !edges.iter().any(|&(process, _)| self.is_committed(process, valuation)) {
            return Ok(None);
        }
        let Some(mut bounds) = self.bounds_of_guards(valuation, edges)? else { return Ok(None) };
        let network = self.network();
        let mut after = valuation.clone();
        let mut updates = Vec::new();
        for &(process, edge) in edges {
            let edge = &network.processes[process].edges[edge];
            after.locations[process] = edge.target as u32;
            let mut locals = vec![0; network.n_locals];
            match statement::run(
                &edge.update,
                network,
                locations,
                &mut after.values,
                &mut locals,
                &mut updates,
            ) {
                Outcome::Done => {}
                Outcome::Blocked => return Ok(None),
                Outcome::Fault(fault) => return Err(fault),
            }
        }
        network.reset_meta(&mut after.values);
        let is_possible = self.add_bounds_of_target(&after, &updates, &mut bounds)?;
        Ok(is_possible.then_some(bounds))
    }

    /// Adds what the invariants of the target say about the clocks before the updates; false when they cannot be true.
    fn add_bounds_of_target(
        &self,
        after: &Valuation,
        updates: &[ClockUpdate],
        bounds: &mut Vec<Constraint>,
    ) -> Result<bool, Fault> {
        let network = self.network();
        // By clock of a zone: the clock before, and what is added.
        let mut origin: Vec<(usize, i32)> = (0..network.dim()).map(|clock| (clock, 0)).collect();
        for &ClockUpdate { clock, from, value } in updates {
            let (before, added) = from.map_or((0, 0), |from| origin[from + 1]);
            origin[clock + 1] = (before, added + value);
        }
        let environment = self.environment(after);
        for (process, &location) in network.processes.iter().zip(&after.locations) {
            let invariant = &process.locations[location as usize].invariant;
            if !holds(&invariant.conditions, &environment)? {
                return Ok(false);
            }
            for constraint in &invariant.clocks {
                let Some(wanted) = constraint_in(constraint, &environment)? else { continue };
                let (left, left_added) = origin[wanted.left];
                let (right, right_added) = origin[wanted.right];
                let constant = wanted.bound.constant().unwrap_or(0) - left_added + right_added;
                let bound = bound_of(constant, constraint.is_strict);
                if left != right {
                    bounds.push(Constraint { left, right, bound });
                } else if bound < Bound::ZERO {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
