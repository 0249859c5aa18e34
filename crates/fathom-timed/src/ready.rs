//! Guards and locations, made ready for the search: what they say about clocks is compiled to bounds where it does not depend on integers.

use fathom_model::Fault;
use fathom_zone::{Bound, Constraint};

use crate::expr::{Environment, Expr, checked_index};
use crate::network::{ClockConstraint, ClockPlace, Guard, Network, Urgency};
use crate::statement;

/// A guard, with bounds made ready where they do not depend on integers.
#[derive(Clone, Debug)]
pub(crate) struct ReadyGuard {
    pub(crate) conditions: Vec<Expr>,
    pub(crate) fixed: Vec<Constraint>,
    pub(crate) dynamic: Vec<ClockConstraint>,
    /// Whether it says nothing at all, as most invariants do.
    pub(crate) is_trivial: bool,
}

impl ReadyGuard {
    pub(crate) fn new(conditions: &[Expr], clocks: &[ClockConstraint]) -> ReadyGuard {
        let mut ready = ReadyGuard {
            conditions: conditions.to_vec(),
            fixed: Vec::new(),
            dynamic: Vec::new(),
            is_trivial: conditions.is_empty() && clocks.is_empty(),
        };
        for constraint in clocks {
            match fixed_constraint(constraint) {
                Some(fixed) => ready.fixed.push(fixed),
                None => ready.dynamic.push(constraint.clone()),
            }
        }
        ready
    }

    /// Whether it is upper bounds of clocks that do not depend on integers, and nothing else.
    pub(crate) fn is_plainly_above(&self) -> bool {
        self.conditions.is_empty()
            && self.dynamic.is_empty()
            && self.fixed.iter().all(|one| one.left != 0 && one.right == 0)
    }
}

/// A constraint on clocks of a zone, if it is the same in every state.
fn fixed_constraint(constraint: &ClockConstraint) -> Option<Constraint> {
    let side = |place: &Option<ClockPlace>| match place {
        None => Some(0),
        Some(place) => place.constant().map(|clock| clock + 1),
    };
    let bound = i32::try_from(constraint.bound.constant()?).ok()?;
    Some(Constraint {
        left: side(&constraint.left)?,
        right: side(&constraint.right)?,
        bound: bound_of(bound, constraint.is_strict),
    })
}

pub(crate) fn bound_of(constant: i32, is_strict: bool) -> Bound {
    if is_strict { Bound::below(constant) } else { Bound::at_most(constant) }
}

/// A location, made ready.
#[derive(Clone, Debug)]
pub(crate) struct ReadyLocation {
    pub(crate) invariant: ReadyGuard,
    pub(crate) urgency: Urgency,
    /// Edges that no synchronization speaks of.
    pub(crate) alone: Vec<usize>,
    /// By event: the edges with it.
    pub(crate) by_event: Vec<Vec<usize>>,
}

pub(crate) fn ready(guard: &Guard) -> ReadyGuard {
    ReadyGuard::new(&guard.conditions, &guard.clocks)
}

pub(crate) fn ready_locations(network: &Network) -> Vec<Vec<ReadyLocation>> {
    let is_synchronized = |process: usize, event: usize| {
        network.synchronizations.iter().any(|synchronization| {
            synchronization
                .participants
                .iter()
                .any(|participant| participant.process == process && participant.event == event)
        })
    };
    network
        .processes
        .iter()
        .enumerate()
        .map(|(index, process)| {
            let mut locations: Vec<ReadyLocation> = process
                .locations
                .iter()
                .map(|location| ReadyLocation {
                    invariant: ready(&location.invariant),
                    urgency: location.urgency,
                    alone: Vec::new(),
                    by_event: vec![Vec::new(); network.events.len()],
                })
                .collect();
            for (number, edge) in process.edges.iter().enumerate() {
                let location = &mut locations[edge.source];
                location.by_event[edge.event].push(number);
                if !is_synchronized(index, edge.event) {
                    location.alone.push(number);
                }
            }
            locations
        })
        .collect()
}

/// Whether every condition is true.
#[inline]
pub(crate) fn holds(conditions: &[Expr], environment: &Environment<'_>) -> Result<bool, Fault> {
    for condition in conditions {
        if condition.evaluate(environment)? == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A constraint on clocks of a zone; none when there is no bound.
pub(crate) fn constraint_in(
    constraint: &ClockConstraint,
    environment: &Environment<'_>,
) -> Result<Option<Constraint>, Fault> {
    let side = |place: &Option<ClockPlace>| clock_of(place.as_ref(), environment);
    let (left, right) = (side(&constraint.left)?, side(&constraint.right)?);
    let Some(bound) = constraint.bound_in(environment)? else { return Ok(None) };
    // Ranges were checked when the network was made: this never cuts anything off.
    let most = i64::from(statement::MOST_CLOCK_VALUE);
    let bound = bound_of(bound.clamp(-most, most) as i32, constraint.is_strict);
    Ok(Some(Constraint { left, right, bound }))
}

/// The clock of a zone that a place is; 0 for none.
pub(crate) fn clock_of(place: Option<&ClockPlace>, environment: &Environment<'_>) -> Result<usize, Fault> {
    let Some(place) = place else { return Ok(0) };
    let index = match &place.index {
        None => 0,
        Some(index) => checked_index(index.evaluate(environment)?, place.length)?,
    };
    Ok(place.first + index + 1)
}
