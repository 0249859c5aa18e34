//! Priorities: a move is possible only where none of a higher priority is.
//!
//! A move of a higher priority is possible at the clock values that satisfy its guards and, by its updates, the invariants of its target. What
//! is left of the zone outside of these is in general several zones, one for each bound that is broken (David,
//! Håkansson, Larsen and Pettersson, "Model Checking Timed Automata with Priorities Using DBM Subtraction", FORMATS
//! 2006). Each is a step of its own. Bounds are taken as the model writes them, never as a closed matrix implies them, so that
//! no bound on a difference of clocks comes in that the extrapolation does not know.

use fathom_model::Steps;
use fathom_zone::{Bound, Constraint, matrix};

use crate::deadlock::as_clock_constraint;
use crate::moves::TimedMove;
use crate::network::ClockConstraint;
use crate::zone_region::ZoneRegion;
use crate::zone_system::{ZoneScratch, ZoneSystem};

/// A move, its priority, and what it asks of clocks; nothing when it is not possible whatever they are.
struct Candidate {
    edges: Vec<(usize, usize)>,
    priority: (i32, i32),
    bounds: Option<Vec<Constraint>>,
}

/// A part of a zone, and how it was cut out.
type Part = (Vec<Bound>, Vec<ClockConstraint>);

impl ZoneSystem<'_> {
    /// Takes every move at the values where none of a higher priority is possible.
    pub(crate) fn take_by_priority(
        &self,
        scratch: &mut ZoneScratch,
        has_committed: bool,
        out: &mut Steps<ZoneRegion, TimedMove>,
    ) {
        let mut candidates: Vec<Candidate> = Vec::new();
        self.each_move(&scratch.before, &mut |edges, kind| {
            let priority = self.network().priority(kind, edges);
            // A fault is noticed by taking the move, at all values.
            let bounds = self.bounds_of_move(&scratch.before, edges).unwrap_or(Some(Vec::new()));
            candidates.push(Candidate { edges: edges.to_vec(), priority, bounds });
        });
        let whole = scratch.source.clone();
        for candidate in candidates.iter().filter(|candidate| candidate.bounds.is_some()) {
            let mut parts: Vec<Part> = vec![(whole.clone(), Vec::new())];
            for higher in candidates.iter().filter(|other| other.priority > candidate.priority) {
                if let Some(bounds) = &higher.bounds {
                    parts = parts.into_iter().flat_map(|part| self.outside(part, bounds)).collect();
                }
            }
            for (source, within) in parts {
                scratch.source = source;
                scratch.within = within;
                scratch.chosen.clone_from(&candidate.edges);
                self.try_take(scratch, has_committed, out);
            }
        }
        scratch.source = whole;
        scratch.within.clear();
    }

    /// What of a part breaks one of these bounds, cut so that nothing is in two.
    fn outside(&self, part: Part, bounds: &[Constraint]) -> Vec<Part> {
        let dim = self.network().dim();
        let (mut rest, mut within) = part;
        let mut found = Vec::new();
        for &Constraint { left, right, bound } in bounds {
            if let Some(complement) = bound.complement() {
                let broken = Constraint { left: right, right: left, bound: complement };
                let mut outside = rest.clone();
                if matrix::constrain(&mut outside, dim, broken.left, broken.right, broken.bound) {
                    let mut how = within.clone();
                    how.extend(as_clock_constraint(broken));
                    found.push((outside, how));
                }
            }
            if !matrix::constrain(&mut rest, dim, left, right, bound) {
                break;
            }
            within.extend(as_clock_constraint(Constraint { left, right, bound }));
        }
        found
    }
}
