//! What has to be true in a state: invariants, and the restriction of a search for runs on which something is true for ever.

use fathom_model::Fault;
use fathom_zone::{Bound, Constraint, matrix};

use crate::bounds::{LocalBounds, diagonals};
use crate::expr::Environment;
use crate::layout::Valuation;
use crate::property::Conjunct;
use crate::ready::{ReadyGuard, constraint_in, holds};
use crate::time_stop;
use crate::zone_system::ZoneSystem;

impl ZoneSystem<'_> {
    /// The same, but only as long as one of these is true. In any state, at most one of them may speak of clocks, so that what is
    /// left of a zone is one. `others` are conditions whose constants count, too.
    #[must_use]
    pub fn restricted_to(mut self, within: &[Conjunct], others: &[Conjunct]) -> Self {
        let all = [within, others, &time_stop::bounds_of_stops(self.network)].concat();
        self.bounds = LocalBounds::new(self.network, &all);
        self.diagonals = diagonals(self.network, &all);
        let ready = |conjunct: &Conjunct| ReadyGuard::new(&conjunct.conditions, &conjunct.clocks);
        self.restriction = Some(within.iter().map(ready).collect());
        self
    }

    /// Adds the bounds of a guard to a zone; false when nothing is left.
    #[inline]
    pub(crate) fn constrain(
        &self,
        guard: &ReadyGuard,
        environment: &Environment<'_>,
        zone: &mut [Bound],
    ) -> Result<bool, Fault> {
        let dim = self.network.dim();
        for constraint in &guard.fixed {
            if !matrix::constrain(zone, dim, constraint.left, constraint.right, constraint.bound) {
                return Ok(false);
            }
        }
        for constraint in &guard.dynamic {
            let Some(Constraint { left, right, bound }) = constraint_in(constraint, environment)? else {
                continue;
            };
            if !matrix::constrain(zone, dim, left, right, bound) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Adds all invariants of a state to a zone; false when nothing is left, or a condition on integers fails.
    #[inline]
    pub(crate) fn constrain_to_invariants(
        &self,
        valuation: &Valuation,
        zone: &mut [Bound],
    ) -> Result<bool, Fault> {
        Ok(self.constrain_to_own_invariants(valuation, zone)?
            && self.constrain_to_restriction(&self.environment(valuation), zone)?)
    }

    /// The same without the restriction.
    pub(crate) fn constrain_to_own_invariants(
        &self,
        valuation: &Valuation,
        zone: &mut [Bound],
    ) -> Result<bool, Fault> {
        if self.has_plain_invariants {
            return Ok(self.constrain_to_plain_invariants(valuation, zone));
        }
        let environment = self.environment(valuation);
        for invariant in self.invariants_in(valuation) {
            if !holds(&invariant.conditions, &environment)?
                || !self.constrain(invariant, &environment, zone)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The invariants of a state that say anything.
    #[inline]
    pub(crate) fn invariants_in<'v>(
        &'v self,
        valuation: &'v Valuation,
    ) -> impl Iterator<Item = &'v ReadyGuard> {
        let invariants = self
            .with_invariants
            .iter()
            .map(|&process| &self.locations[process][valuation.locations[process] as usize].invariant);
        invariants.filter(|invariant| !invariant.is_trivial)
    }

    /// Adds all invariants of a state to a zone, where all are upper bounds; false when nothing is left.
    #[inline]
    pub(crate) fn constrain_to_plain_invariants(&self, valuation: &Valuation, zone: &mut [Bound]) -> bool {
        let bounds = self.invariants_in(valuation).flat_map(|invariant| &invariant.fixed);
        matrix::constrain_above(zone, self.network.dim(), bounds.map(|one| (one.left, one.bound)))
    }

    /// Adds what has to be true all the time to a zone; false when nothing is left.
    pub(crate) fn constrain_to_restriction(
        &self,
        environment: &Environment<'_>,
        zone: &mut [Bound],
    ) -> Result<bool, Fault> {
        let Some(restriction) = &self.restriction else { return Ok(true) };
        let mut chosen: Option<&ReadyGuard> = None;
        for guard in restriction {
            if !holds(&guard.conditions, environment)? {
                continue;
            }
            if guard.fixed.is_empty() && guard.dynamic.is_empty() {
                return Ok(true);
            }
            chosen = chosen.or(Some(guard));
        }
        match chosen {
            Some(guard) => self.constrain(guard, environment, zone),
            None => Ok(false),
        }
    }

    /// The bounds on clocks that the restriction is in a state; none where it cannot be true.
    pub(crate) fn restriction_in(&self, valuation: &Valuation) -> Option<Vec<Constraint>> {
        let environment = self.environment(valuation);
        let mut found: Option<Vec<Constraint>> = None;
        for guard in self.restriction.iter().flatten() {
            if !holds(&guard.conditions, &environment).unwrap_or(false) {
                continue;
            }
            let mut bounds = guard.fixed.clone();
            for constraint in &guard.dynamic {
                bounds.extend(constraint_in(constraint, &environment).ok().flatten());
            }
            if bounds.is_empty() {
                return Some(bounds);
            }
            found = found.or(Some(bounds));
        }
        found
    }
}
