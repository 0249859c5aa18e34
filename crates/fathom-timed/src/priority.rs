//! Priorities: a move is possible only where none of a higher priority is.
//!
//! A move of a higher priority is possible at the clock values that satisfy its guards and, by its updates, the invariants of its target. What
//! is left of the zone outside of these is in general several zones, one for each bound that is broken (David,
//! Håkansson, Larsen and Pettersson, "Model Checking Timed Automata with Priorities Using DBM Subtraction", FORMATS
//! 2006). Each is a step of its own. Bounds are taken as the model writes them, never as a closed matrix implies them, so that
//! no bound on a difference of clocks comes in that the extrapolation does not know. Receivers of broadcasts whose guards bound clocks are
//! treated alike: where they do not take part, their guards are broken.

use fathom_model::Steps;
use fathom_zone::{Bound, Constraint, matrix};

use crate::choice::{Choice, Place};
use crate::deadlock::as_clock_constraint;
use crate::moves::TimedMove;
use crate::network::ClockConstraint;
use crate::zone_region::ZoneRegion;
use crate::zone_system::{ZoneScratch, ZoneSystem};

/// A choice of edges, its priority, and where it is possible.
struct Candidate {
    choice: Choice,
    priority: (i32, i32),
    places: Vec<Place>,
}

/// A part of a zone, and how it was cut out.
type Part = (Vec<Bound>, Vec<ClockConstraint>);

impl ZoneSystem<'_> {
    /// Takes every move at the values where it is one: none of a higher priority is possible, and who does not take part cannot.
    pub(crate) fn take_by_parts(
        &self,
        scratch: &mut ZoneScratch,
        has_committed: bool,
        out: &mut Steps<ZoneRegion, TimedMove>,
    ) {
        let mut candidates: Vec<Candidate> = Vec::new();
        self.each_choice(&scratch.before, &mut |choice| {
            let priority = self.network().priority(choice.kind, &choice.edges);
            // A fault is noticed by taking the move, at all values.
            let places = self.places_of(&scratch.before, choice).unwrap_or_else(|_| vec![Vec::new()]);
            candidates.push(Candidate { choice: choice.clone(), priority, places });
        });
        let whole = scratch.source.clone();
        for candidate in candidates.iter().filter(|candidate| !candidate.places.is_empty()) {
            let mut parts = self.parts_of_silence(scratch, &whole, &candidate.choice);
            if self.network().has_priorities() {
                for higher in candidates.iter().filter(|other| other.priority > candidate.priority) {
                    for place in &higher.places {
                        parts = parts.into_iter().flat_map(|part| self.outside(part, place)).collect();
                    }
                }
            }
            for (source, within) in parts {
                scratch.source = source;
                scratch.within = within;
                scratch.chosen.clone_from(&candidate.choice.edges);
                self.try_take(scratch, has_committed, out);
            }
        }
        scratch.source = whole;
        scratch.within.clear();
    }

    /// What of a zone keeps receivers from taking part.
    fn parts_of_silence(&self, scratch: &ZoneScratch, whole: &[Bound], choice: &Choice) -> Vec<Part> {
        let dim = self.network().dim();
        let places = self.places_of_silence(&scratch.before, &choice.silent);
        let cut = |place: Place| {
            let mut part = whole.to_vec();
            place
                .iter()
                .all(|one| matrix::constrain(&mut part, dim, one.left, one.right, one.bound))
                .then(|| (part, place.into_iter().filter_map(as_clock_constraint).collect()))
        };
        places.unwrap_or_else(|_| vec![Vec::new()]).into_iter().filter_map(cut).collect()
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
