//! From the zone after a move to the states that are pushed: time passes, as long as invariants and deadlines allow, and what comes out is
//! extrapolated.

use fathom_model::{Fault, Steps};
use fathom_zone::{Bound, Constraint, Zone, extrapolation, matrix, transform};

use crate::layout::Valuation;
use crate::moves::TimedMove;
use crate::network::{CostClock, Urgency};
use crate::zone_options::Extrapolation;
use crate::zone_region::{Cover, ZoneRegion};
use crate::zone_system::{ZoneScratch, ZoneSystem};

/// A cost that no run has.
const MOST_COST: i32 = 1 << 28;

impl ZoneSystem<'_> {
    /// Whether time may pass.
    #[inline]
    pub(crate) fn may_delay(&self, valuation: &Valuation) -> bool {
        self.with_urgency.iter().all(|&process| {
            let location = valuation.locations[process] as usize;
            match self.locations[process][location].urgency {
                Urgency::None => true,
                Urgency::Atomic => !self.network.is_still(process, &self.environment(valuation)),
                Urgency::Urgent | Urgency::Committed => false,
            }
        }) && !(self.has_urgent && self.network.is_urgent(&self.environment(valuation)))
    }

    /// Whether it is enough to look at the invariants of a state after time has passed. Upper bounds that are kept then were kept all the
    /// time before, and if they cannot be kept at first, they are never.
    #[inline]
    pub(crate) fn is_entered_by_waiting(&self, valuation: &Valuation) -> bool {
        self.has_plain_invariants
            && self.restriction.is_none()
            && self.cost.is_none()
            && self.network.time_stops.is_empty()
            && self.may_delay(valuation)
    }

    /// The states that a part of a composite state leads to by waiting, with the invariants and the restriction of this system.
    pub fn enter(
        &self,
        state: &[u8],
        zone: &[Bound],
        scratch: &mut ZoneScratch,
        out: &mut Steps<ZoneRegion, TimedMove>,
    ) {
        self.layout.decode(state, &mut scratch.after);
        scratch.zone.copy_from_slice(zone);
        if self.constrain_to_invariants(&scratch.after, &mut scratch.zone).unwrap_or(false) {
            // A fault here was one of the step that led here.
            let _ = self.finish(scratch, &[], out);
        }
    }

    /// Lets time pass in a zone that satisfies the invariants, or [needs not](Self::is_entered_by_waiting), extrapolates it, and pushes what comes out.
    pub(crate) fn finish(
        &self,
        scratch: &mut ZoneScratch,
        labels: &[TimedMove],
        out: &mut Steps<ZoneRegion, TimedMove>,
    ) -> Result<(), Fault> {
        self.forget_dearness(&mut scratch.zone);
        if !self.may_delay(&scratch.after) {
            self.push_zone(scratch, labels, out);
            return Ok(());
        }
        if self.network.time_stops.is_empty() {
            if self.wait(scratch)? {
                self.push_zone(scratch, labels, out);
            }
            return Ok(());
        }
        let dim = self.network.dim();
        for part in self.parts_of_wait(&scratch.after, &scratch.zone) {
            scratch.zone.copy_from_slice(&part.zone);
            if !part.is_still {
                let is_possible = self.wait(scratch)?;
                let constrain = |one: &Constraint| {
                    matrix::constrain(&mut scratch.zone, dim, one.left, one.right, one.bound)
                };
                if !is_possible || !part.end.iter().all(constrain) {
                    continue;
                }
            }
            let moved = labels.first().cloned().unwrap_or_default();
            let label = out.is_recording().then(|| TimedMove { stay: Some(part.stay()), ..moved });
            self.push_zone(scratch, label.as_slice(), out);
        }
        Ok(())
    }

    /// Lets time pass in a zone, as long as the invariants allow; false when nothing is left.
    #[inline]
    fn wait(&self, scratch: &mut ZoneScratch) -> Result<bool, Fault> {
        self.pass_time(&mut scratch.zone);
        let environment = self.environment(&scratch.after);
        if self.has_plain_invariants {
            if !self.constrain_to_plain_invariants(&scratch.after, &mut scratch.zone) {
                return Ok(false);
            }
        } else {
            for invariant in self.invariants_in(&scratch.after) {
                if !self.constrain(invariant, &environment, &mut scratch.zone)? {
                    return Ok(false);
                }
            }
        }
        self.constrain_to_restriction(&environment, &mut scratch.zone)
    }

    /// Extrapolates a zone, and pushes what comes out.
    fn push_zone(
        &self,
        scratch: &mut ZoneScratch,
        labels: &[TimedMove],
        out: &mut Steps<ZoneRegion, TimedMove>,
    ) {
        let dim = self.network.dim();
        scratch.bytes.clear();
        self.layout.encode(&scratch.after, &mut scratch.bytes);
        self.bounds.gather(&scratch.after.locations, &mut scratch.constants);
        let ZoneScratch { zone, constants, bytes, .. } = scratch;
        let (lower, upper) = constants.split_at_mut(dim);
        if let Some(CostClock { clock, .. }) = self.cost {
            (lower[clock + 1], upper[clock + 1]) = (MOST_COST, MOST_COST);
        }
        if !self.diagonals.is_empty() && self.options.extrapolation != Extrapolation::None {
            let most: Vec<i32> = lower.iter().zip(&*upper).map(|(&lower, &upper)| lower.max(upper)).collect();
            let whole = Zone::from_bounds(dim, zone).expect("a zone with a value");
            for piece in extrapolation::extrapolate_split(&whole, &most, &self.diagonals) {
                if let Some(symmetry) = &self.symmetry {
                    let (mut after, mut zone) = (scratch.after.clone(), piece.bounds().to_vec());
                    symmetry.sort(&mut after, &mut zone, &mut Vec::new());
                    bytes.clear();
                    self.layout.encode(&after, bytes);
                    out.push(bytes, ZoneRegion::new(&zone, Cover::Inclusion, &[]), labels);
                    continue;
                }
                out.push(bytes, ZoneRegion::new(piece.bounds(), Cover::Inclusion, &[]), labels);
            }
            return;
        }
        match self.options.extrapolation {
            Extrapolation::None => {}
            Extrapolation::Lu => extrapolation::extrapolate_lu(zone, dim, lower, upper),
            Extrapolation::LuPlus => extrapolation::extrapolate_lu_plus(zone, dim, lower, upper),
            Extrapolation::Max | Extrapolation::MaxPlus => {
                for (lower, &upper) in lower.iter_mut().zip(&*upper) {
                    *lower = (*lower).max(upper);
                }
                if self.options.extrapolation == Extrapolation::Max {
                    extrapolation::extrapolate_max(zone, dim, lower);
                } else {
                    extrapolation::extrapolate_max_plus(zone, dim, lower);
                }
            }
        }
        if self.symmetry.is_some() {
            return self.push_in_order(scratch, labels, out);
        }
        let region = ZoneRegion::renew(out.take_spare(), zone, self.options.cover, constants);
        out.push(bytes, region, labels);
    }

    /// Pushes what has been worked out, with elements of scalar sets in order.
    fn push_in_order(
        &self,
        scratch: &mut ZoneScratch,
        labels: &[TimedMove],
        out: &mut Steps<ZoneRegion, TimedMove>,
    ) {
        let Some(symmetry) = &self.symmetry else { return };
        scratch.exchanges.clear();
        symmetry.sort(&mut scratch.after, &mut scratch.zone, &mut scratch.exchanges);
        scratch.bytes.clear();
        self.layout.encode(&scratch.after, &mut scratch.bytes);
        self.bounds.gather(&scratch.after.locations, &mut scratch.constants);
        let region =
            ZoneRegion::renew(out.take_spare(), &scratch.zone, self.options.cover, &scratch.constants);
        out.push(&scratch.bytes, region, labels);
    }

    /// Lets time pass in a zone, and closes it upwards in the cost.
    #[inline]
    fn pass_time(&self, zone: &mut [Bound]) {
        let dim = self.network.dim();
        transform::up(zone, dim);
        if let Some(CostClock { clock, grows: false, .. }) = self.cost {
            // All others grow, and it does not.
            for other in (1..dim).filter(|&other| other != clock + 1) {
                zone[other * dim + clock + 1] = Bound::INFINITY;
            }
        }
    }

    /// Whoever has come somewhere at some cost might as well have paid more.
    #[inline]
    fn forget_dearness(&self, zone: &mut [Bound]) {
        let Some(CostClock { clock, .. }) = self.cost else { return };
        let dim = self.network.dim();
        for other in (0..dim).filter(|&other| other != clock + 1) {
            zone[(clock + 1) * dim + other] = Bound::INFINITY;
        }
    }
}
