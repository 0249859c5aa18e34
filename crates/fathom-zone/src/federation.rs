//! Federations: unions of zones.
//!
//! What is left of a zone when another is taken away is in general not convex. A federation keeps it as zones that
//! do not overlap. Subtraction goes through the constraints of what is taken away, in their short form: the part that
//! violates the first one stays, then the part that satisfies the first and violates the second, and so on (David,
//! Håkansson, Larsen and Pettersson, "Model Checking Timed Automata with Priorities Using DBM Subtraction", FORMATS
//! 2006, without their choice of an order).

use crate::minimal::minimal_constraints;
use crate::{Constraint, Zone};

/// A union of zones.
#[derive(Clone, Default, Debug)]
pub struct Federation {
    zones: Vec<Zone>,
}

impl Federation {
    /// The union of nothing.
    pub fn new() -> Federation {
        Federation::default()
    }

    /// The zones, in the order in which they came.
    pub fn zones(&self) -> &[Zone] {
        &self.zones
    }

    /// Whether there is no value in it.
    pub fn is_empty(&self) -> bool {
        self.zones.is_empty()
    }

    /// Adds a zone, unless it is within one that is there; those within it go.
    pub fn add(&mut self, zone: Zone) {
        if !self.zones.iter().any(|known| known.includes(&zone)) {
            self.zones.retain(|known| !zone.includes(known));
            self.zones.push(zone);
        }
    }

    /// Takes a zone away.
    pub fn subtract(&mut self, zone: &Zone) {
        let constraints = minimal_constraints(zone.bounds(), zone.dim());
        let mut left_over = Vec::new();
        for mut rest in std::mem::take(&mut self.zones) {
            for &Constraint { left, right, bound } in &constraints {
                let mut outside = rest.clone();
                if let Some(complement) = bound.complement()
                    && outside.constrain(right, left, complement)
                {
                    left_over.push(outside);
                }
                // What satisfies every constraint in the end is what was to be taken away.
                if !rest.constrain(left, right, bound) {
                    break;
                }
            }
        }
        self.zones = left_over;
    }

    /// Takes a federation away.
    pub fn subtract_all(&mut self, other: &Federation) {
        for zone in &other.zones {
            self.subtract(zone);
        }
    }

    /// Whether every value of a zone is in some zone of it.
    pub fn includes(&self, zone: &Zone) -> bool {
        let mut rest = Federation::from(zone.clone());
        rest.subtract_all(self);
        rest.is_empty()
    }

    /// Whether a point is in it: the values of all clocks, clock 0 first, in units of `1 / scale`.
    pub fn contains(&self, point: &[i64], scale: i64) -> bool {
        self.zones.iter().any(|zone| zone.contains(point, scale))
    }
}

impl From<Zone> for Federation {
    fn from(zone: Zone) -> Federation {
        Federation { zones: vec![zone] }
    }
}
