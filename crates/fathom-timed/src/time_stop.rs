//! Where time stops: deadlines of moves.
//!
//! An *eager* move is taken as soon as it is possible: no time passes while its guard is true. A *delayable* one is taken before it becomes impossible:
//! time does not pass beyond the last moment at which its guard is true. Neither is an invariant: where the moment was missed, for example
//! because a condition on integers was false then, time goes on. (Bornot, Sifakis and Tripakis, "Modeling Urgency in Timed
//! Systems", COMPOS 1997, have deadlines as sets of states; these are two of them.)
//!
//! For a zone that means a split. Let `P` be a part of it, and a guard of an eager move have the bounds `x ≥ a` from below and others from
//! above. Where the guard is true, no time passes. Where a bound from below is not reached yet and the guard will be true, time passes up to that bound. Where the
//! guard will not be true, time passes freely. What will be true after a wait satisfies the bounds from above, and with each
//! bound `y ≤ b` and `x ≥ a` also `y - x ≤ b - a` (Fourier and Motzkin). These bounds on differences are known to extrapolation. Each part is
//! a step of its own, and its bounds at the beginning and at the end of the wait go into its label: so a trace can be timed.
//!
//! Bounds from below of eager moves and from above of delayable ones must not be strict: there would be no first, or no last, moment.
//!
//! A guard that cannot be evaluated stops time at once: to wait there is a run-time error.

use fathom_model::Fault;
use fathom_zone::{Bound, Constraint, Zone, matrix};

use crate::deadlock::as_clock_constraint;
use crate::expr::{BinaryOp, Environment, Expr};
use crate::layout::Valuation;
use crate::moves::Stay;
use crate::network::{ClockConstraint, Guard, Network};
use crate::property::Conjunct;
use crate::ready::{bound_of, constraint_in, holds};
use crate::zone_system::ZoneSystem;

/// A reason for time to stop while a process is at a location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimeStop {
    /// The process.
    pub process: usize,
    /// Its location.
    pub location: usize,
    /// When a move is possible.
    pub guard: Guard,
    /// When time stops for it.
    pub rule: StopRule,
}

/// When time stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopRule {
    /// While the guard is true: an eager move. Bounds from below are not strict.
    WhileTrue,
    /// At the last moment at which the guard is true: a delayable move. Bounds from above are not strict.
    BeforeFalse,
}

/// A part of a zone in which time passes alike.
pub(crate) struct Part {
    /// The clocks at the beginning.
    pub zone: Vec<Bound>,
    start: Vec<Constraint>,
    /// What is true as long as the wait lasts.
    pub end: Vec<Constraint>,
    /// Whether no time passes at all.
    pub is_still: bool,
}

impl Part {
    /// The same, as a label says it.
    pub fn stay(&self) -> Stay {
        let clocks = |all: &[Constraint]| all.iter().copied().filter_map(as_clock_constraint).collect();
        Stay { start: clocks(&self.start), end: clocks(&self.end), is_still: self.is_still }
    }

    /// What of it satisfies some bounds; none when nothing does.
    fn within(&self, dim: usize, bounds: &[Constraint]) -> Option<Part> {
        let mut zone = self.zone.clone();
        let is_possible =
            bounds.iter().all(|one| matrix::constrain(&mut zone, dim, one.left, one.right, one.bound));
        is_possible.then(|| Part {
            zone,
            start: [&self.start[..], bounds].concat(),
            end: self.end.clone(),
            is_still: self.is_still,
        })
    }
}

fn complement(constraint: Constraint) -> Option<Constraint> {
    let bound = constraint.bound.complement()?;
    Some(Constraint { left: constraint.right, right: constraint.left, bound })
}

/// What is true wherever some bounds will be true, at once or after a wait.
fn before(bounds: &[Constraint]) -> Vec<Constraint> {
    let mut found: Vec<Constraint> = bounds.iter().copied().filter(|one| one.left != 0).collect();
    for upper in bounds.iter().filter(|one| one.left != 0 && one.right == 0) {
        for lower in bounds.iter().filter(|one| one.left == 0 && one.right != upper.left) {
            found.push(Constraint {
                left: upper.left,
                right: lower.right,
                bound: upper.bound.plus(lower.bound),
            });
        }
    }
    found
}

/// The bounds that splits may need, as conditions whose constants count.
pub(crate) fn bounds_of_stops(network: &Network) -> Vec<Conjunct> {
    let stops = network.time_stops.iter().map(|stop| stop.guard.clocks.clone());
    let known = stops.chain([differences(network)]).filter(|clocks| !clocks.is_empty());
    known.map(|clocks| Conjunct { clocks, ..Conjunct::default() }).collect()
}

/// The bounds on differences of clocks that splits may need.
fn differences(network: &Network) -> Vec<ClockConstraint> {
    let mut found = Vec::new();
    for stop in &network.time_stops {
        let clocks = &stop.guard.clocks;
        for upper in clocks.iter().filter(|one| one.left.is_some() && one.right.is_none()) {
            for lower in clocks.iter().filter(|one| one.left.is_none()) {
                let bound =
                    Expr::Binary(BinaryOp::Add, Box::new(upper.bound.clone()), Box::new(lower.bound.clone()));
                let is_strict = upper.is_strict || lower.is_strict;
                let (left, right) = (upper.left.clone(), lower.right.clone());
                if left != right {
                    found.push(ClockConstraint { left, right, bound, is_strict });
                }
            }
        }
    }
    found
}

impl ZoneSystem<'_> {
    /// The fault that waiting in a state is: a condition about time that cannot be evaluated.
    pub(crate) fn fault_of_waiting(&self, valuation: &Valuation) -> Option<Fault> {
        let environment = self.environment(valuation);
        let mut stops = self.network().time_stops.iter();
        stops.find_map(|stop| stop.bounds_in(&environment).err()).filter(|_| self.may_delay(valuation))
    }

    /// Splits a zone into parts in which time passes alike.
    pub(crate) fn parts_of_wait(&self, valuation: &Valuation, zone: &[Bound]) -> Vec<Part> {
        let dim = self.network().dim();
        let whole = Part { zone: zone.to_vec(), start: Vec::new(), end: Vec::new(), is_still: false };
        let mut parts = vec![whole];
        let environment = self.environment(valuation);
        for stop in &self.network().time_stops {
            match stop.bounds_in(&environment) {
                Ok(None) => {}
                Ok(Some(bounds)) => {
                    parts = parts.iter().flat_map(|part| split(part, dim, &bounds, stop.rule)).collect();
                }
                Err(_) => parts.iter_mut().for_each(|part| part.is_still = true),
            }
        }
        parts
    }

    /// What a wait from a part of a zone leads to, as long as the invariants allow; with the restriction or without it. None when
    /// nothing does.
    pub(crate) fn lasting(&self, valuation: &Valuation, part: &Part, is_restricted: bool) -> Option<Zone> {
        let mut lasts = Zone::from_bounds(self.network().dim(), &part.zone)?;
        if part.is_still {
            return Some(lasts);
        }
        lasts.up();
        // What is a fault was one of the step that led here.
        let is_possible = match is_restricted {
            true => self.constrain_to_invariants(valuation, lasts.bounds_mut()),
            false => self.constrain_to_own_invariants(valuation, lasts.bounds_mut()),
        };
        let mut end = part.end.iter();
        let is_left =
            is_possible.unwrap_or(false) && end.all(|one| lasts.constrain(one.left, one.right, one.bound));
        is_left.then_some(lasts)
    }
}

/// Splits a part where a guard with these bounds has something to say about it.
fn split(part: &Part, dim: usize, bounds: &[Constraint], rule: StopRule) -> Vec<Part> {
    let contradicts = |lower: &Constraint| {
        let mut upper = bounds.iter().filter(|one| one.left == lower.right && one.right == 0);
        lower.left == 0 && upper.any(|upper| upper.bound.plus(lower.bound) < Bound::ZERO)
    };
    if bounds.iter().any(contradicts) {
        return part.within(dim, &[]).into_iter().collect();
    }
    let ahead = before(bounds);
    let mut found = Vec::new();
    // What the guard will never be true in: those before are kept, and one is broken.
    let mut kept = Vec::new();
    for &one in &ahead {
        if let Some(broken) = complement(one) {
            found.extend(part.within(dim, &[&kept[..], &[broken]].concat()));
        }
        kept.push(one);
    }
    let Some(ahead_of) = part.within(dim, &ahead) else { return found };
    let lower: Vec<Constraint> = bounds.iter().copied().filter(|one| one.left == 0).collect();
    match rule {
        StopRule::BeforeFalse => {
            let mut rest = ahead_of;
            rest.end.extend(ahead.iter().copied().filter(|one| one.right == 0));
            found.push(rest);
        }
        StopRule::WhileTrue => {
            if let Some(mut inside) = ahead_of.within(dim, &lower) {
                inside.is_still = true;
                found.push(inside);
            }
            for &one in &lower {
                let Some(broken) = complement(one) else { continue };
                if let Some(mut rest) = ahead_of.within(dim, &[broken]) {
                    let most = bound_of(-one.bound.constant().unwrap_or(0), false);
                    rest.end.push(Constraint { left: one.right, right: 0, bound: most });
                    found.push(rest);
                }
            }
        }
    }
    found
}

impl TimeStop {
    /// The bounds of the guard in a state; none where it is about another location, or is false whatever the clocks are.
    pub(crate) fn bounds_in(&self, environment: &Environment<'_>) -> Result<Option<Vec<Constraint>>, Fault> {
        if environment.locations[self.process] as usize != self.location
            || !holds(&self.guard.conditions, environment)?
        {
            return Ok(None);
        }
        let mut bounds = Vec::new();
        for constraint in &self.guard.clocks {
            bounds.extend(constraint_in(constraint, environment)?);
        }
        Ok(Some(bounds))
    }

    /// Whether the bounds are such that there is a first moment, for an eager move, or a last one, for one that is delayable.
    pub fn has_end(&self) -> bool {
        self.guard.clocks.iter().all(|one| match self.rule {
            StopRule::WhileTrue => one.left.is_some() || !one.is_strict,
            StopRule::BeforeFalse => one.left.is_none() || one.right.is_some() || !one.is_strict,
        })
    }
}
