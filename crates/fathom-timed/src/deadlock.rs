//! Deadlocks: values of clocks from which no move is possible, now or after any wait.
//!
//! A move is possible at the values that satisfy the guards of its edges and whose updates satisfy the invariants of the target;
//! these are bounds on the clocks before the move, as each clock after it is a clock before it and a number, or a
//! number. Waiting leads to it from everything below. What is left of the zone when all of this is taken away is stuck
//! (Behrmann, David and Larsen, "A Tutorial on Uppaal", LNCS 3185, 2004, name the question; federations answer it).
//!
//! Extrapolation by lower and upper constants adds values that can do less than those they stand for, so that they may be
//! stuck where no true value is. Who asks about deadlocks gets extrapolation by largest constants and plain inclusion.

use fathom_model::{Steps, System};
use fathom_zone::minimal::minimal_constraints;
use fathom_zone::{Bound, Constraint, Federation, Zone};

use crate::expr::Expr;
use crate::layout::Valuation;
use crate::moves::TimedMove;
use crate::network::{ClockConstraint, ClockPlace, Network};
use crate::property::Conjunct;
use crate::ready::constraint_in;
use crate::zone_options::{Extrapolation, ZoneOptions};
use crate::zone_region::{Cover, ZoneRegion};
use crate::zone_system::ZoneSystem;

/// What the ends of a list of moves that are stuck, or are not, and satisfy the bounds of a conjunct, satisfy: one list of bounds on clocks for each part. Exact: zones are not
/// made larger on the way.
pub fn stuck_ends(
    network: &Network,
    initial: &[u32],
    moves: &[TimedMove],
    wanted: &Conjunct,
) -> Vec<Vec<ClockConstraint>> {
    let exact = ZoneOptions { extrapolation: Extrapolation::None, cover: Cover::Inclusion };
    let system = ZoneSystem::new(network, &[], &[], exact);
    let (mut scratch, mut steps) = (system.scratch(), Steps::recording());
    system.initial(&mut scratch, &mut steps);
    let is_start = |state: &[u8]| {
        let mut valuation = Valuation::default();
        system.layout().decode(state, &mut valuation);
        valuation.locations == initial
    };
    // What is said of the initial state is no move.
    let n_before = TimedMove::n_before_all(moves);
    let mut found = (0..steps.len()).find(|&index| {
        is_start(steps.state(index)) && (n_before == 0 || steps.labels(index).first() == moves.first())
    });
    for wanted in &moves[n_before..] {
        let Some(index) = found else { return Vec::new() };
        let (state, region) = (steps.state(index).to_vec(), steps.region(index).clone());
        steps.clear();
        system.successors(&state, &region, &mut scratch, &mut steps);
        found = (0..steps.len()).find(|&index| steps.labels(index).first() == Some(wanted));
    }
    let Some(index) = found else { return Vec::new() };
    let (state, region) = (steps.state(index), steps.region(index));
    let stuck = system.stuck_part(state, region);
    let mut valuation = Valuation::default();
    system.layout().decode(state, &mut valuation);
    let mut zone = region.bounds().to_vec();
    let environment = system.environment(&valuation);
    for constraint in &wanted.clocks {
        match constraint_in(constraint, &environment) {
            Ok(Some(Constraint { left, right, bound })) => {
                if !fathom_zone::matrix::constrain(&mut zone, network.dim(), left, right, bound) {
                    return Vec::new();
                }
            }
            Ok(None) => {}
            Err(_) => return Vec::new(),
        }
    }
    let part = system.part_where(&zone, &stuck, wanted.is_stuck != Some(false));
    part.zones().iter().map(constraints_of).collect()
}

/// A zone as bounds on clocks of the network.
pub(crate) fn constraints_of(zone: &Zone) -> Vec<ClockConstraint> {
    minimal_constraints(zone.bounds(), zone.dim()).into_iter().filter_map(as_clock_constraint).collect()
}

/// A bound on clocks of a zone as one on clocks of the network; none when it is no bound.
pub(crate) fn as_clock_constraint(constraint: Constraint) -> Option<ClockConstraint> {
    let place = |clock: usize| clock.checked_sub(1).map(ClockPlace::clock);
    let Constraint { left, right, bound } = constraint;
    Some(ClockConstraint {
        left: place(left),
        right: place(right),
        bound: Expr::Constant(i64::from(bound.constant()?)),
        is_strict: bound.is_strict(),
    })
}

impl ZoneSystem<'_> {
    /// The part of a composite state from which no move is possible, now or later.
    pub fn stuck_part(&self, state: &[u8], region: &ZoneRegion) -> Federation {
        let mut valuation = Valuation::default();
        self.layout().decode(state, &mut valuation);
        let mut source = region.bounds().to_vec();
        if !self.constrain_to_invariants(&valuation, &mut source).unwrap_or(false) {
            return Federation::new();
        }
        self.stuck_in(&valuation, &source)
    }

    /// What of a zone is in a federation, or is not.
    pub(crate) fn part_where(&self, zone: &[Bound], stuck: &Federation, is_stuck: bool) -> Federation {
        let Some(zone) = Zone::from_bounds(self.network().dim(), zone) else { return Federation::new() };
        if is_stuck {
            let mut part = Federation::new();
            stuck.zones().iter().filter_map(|other| other.intersection(&zone)).for_each(|one| part.add(one));
            return part;
        }
        let mut part = Federation::from(zone);
        part.subtract_all(stuck);
        part
    }

    /// The same for a zone within its invariants.
    pub(crate) fn stuck_in(&self, valuation: &Valuation, source: &[Bound]) -> Federation {
        let Some(zone) = Zone::from_bounds(self.network().dim(), source) else { return Federation::new() };
        let may_delay = self.may_delay(valuation);
        if may_delay && !self.network().time_stops.is_empty() {
            return self.stuck_by_parts(valuation, &zone);
        }
        let mut rest = Federation::from(zone.clone());
        self.take_away_moves(&mut rest, valuation, (&zone, &zone), may_delay);
        rest
    }

    /// The same where time stops count: parts may overlap, and what has a move in one of them is not stuck. What is a fault is no deadlock.
    fn stuck_by_parts(&self, valuation: &Valuation, zone: &Zone) -> Federation {
        if self.fault_of_waiting(valuation).is_some() {
            return Federation::new();
        }
        let mut rest = Federation::from(zone.clone());
        for part in self.parts_of_wait(valuation, zone.bounds()) {
            let Some(start) = Zone::from_bounds(zone.dim(), &part.zone) else { continue };
            let Some(lasts) = self.lasting(valuation, &part, true) else { continue };
            self.take_away_moves(&mut rest, valuation, (&start, &lasts), !part.is_still);
        }
        rest
    }

    /// Takes away what of a zone has a move as long as a wait from it lasts.
    fn take_away_moves(
        &self,
        rest: &mut Federation,
        valuation: &Valuation,
        (start, lasts): (&Zone, &Zone),
        may_delay: bool,
    ) {
        self.each_choice(valuation, &mut |choice| {
            if rest.is_empty() {
                return;
            }
            // A fault is an error of its own, and no deadlock.
            let places = self.places_of(valuation, choice).unwrap_or_else(|_| vec![Vec::new()]);
            for place in places {
                let mut enabled = lasts.clone();
                if place.iter().all(|one| enabled.constrain(one.left, one.right, one.bound)) {
                    if may_delay {
                        enabled.down();
                    }
                    if let Some(enabled) = enabled.intersection(start) {
                        rest.subtract(&enabled);
                    }
                }
            }
        });
    }
}
