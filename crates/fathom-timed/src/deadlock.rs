//! Deadlocks: values of clocks from which no move is possible, now or after any wait.
//!
//! A move is possible at the values that satisfy the guards of its edges and whose updates satisfy the invariants of the target;
//! these are bounds on the clocks before the move, as each clock after it is a clock before it and a number, or a
//! number. Waiting leads to it from everything below. What is left of the zone when all of this is taken away is stuck
//! (Behrmann, David and Larsen, "A Tutorial on Uppaal", LNCS 3185, 2004, name the question; federations answer it).
//!
//! Extrapolation by lower and upper constants adds values that can do less than those they stand for, so that they may be
//! stuck where no true value is. Who asks about deadlocks gets extrapolation by largest constants and plain inclusion.

use fathom_model::{Fault, Steps, System};
use fathom_zone::minimal::minimal_constraints;
use fathom_zone::{Bound, Constraint, Federation, Zone};

use crate::expr::Expr;
use crate::layout::Valuation;
use crate::moves::TimedMove;
use crate::network::{ClockConstraint, ClockPlace, Network, Participant, Synchronization};
use crate::property::Conjunct;
use crate::statement::{self, ClockUpdate, Outcome};
use crate::zone_region::{Cover, ZoneRegion};
use crate::zone_system::{Extrapolation, ZoneOptions, ZoneSystem, bound_of, constraint_in, holds};

/// Something that is called with the edges of a move and the priority of its kind.
type Visit<'v> = dyn FnMut(&[(usize, usize)], i32) + 'v;

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
    let mut found = (0..steps.len()).find(|&index| is_start(steps.state(index)));
    for wanted in moves {
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
        let mut rest = Federation::from(zone.clone());
        self.each_move(valuation, &mut |edges, _| {
            if rest.is_empty() {
                return;
            }
            if let Some(mut enabled) = self.enabled_part(valuation, &zone, edges) {
                if may_delay {
                    enabled.down();
                }
                rest.subtract(&enabled);
            }
        });
        rest
    }

    /// Calls a function with every choice of edges that locations allow, and the priority of its kind.
    pub(crate) fn each_move(&self, valuation: &Valuation, visit: &mut Visit<'_>) {
        let locations = &valuation.locations;
        let mut chosen = Vec::new();
        for synchronization in &self.network().synchronizations {
            let participants = &synchronization.participants;
            if participants.iter().all(|one| one.is_weak || !self.edges_with(*one, locations).is_empty()) {
                self.each_choice(synchronization, participants, valuation, &mut chosen, visit);
            }
        }
        for process in 0..self.network().processes.len() {
            for &edge in self.edges_alone(process, locations) {
                visit(&[(process, edge)], self.network().alone_priority);
            }
        }
    }

    fn each_choice(
        &self,
        synchronization: &Synchronization,
        participants: &[Participant],
        valuation: &Valuation,
        chosen: &mut Vec<(usize, usize)>,
        visit: &mut Visit<'_>,
    ) {
        let Some((first, rest)) = participants.split_first() else {
            if !chosen.is_empty() {
                visit(chosen, synchronization.priority);
            }
            return;
        };
        let edges = self.edges_to_take(*first, synchronization.weak_rule, valuation);
        if edges.is_empty() {
            return self.each_choice(synchronization, rest, valuation, chosen, visit);
        }
        for &edge in edges.iter() {
            chosen.push((first.process, edge));
            self.each_choice(synchronization, rest, valuation, chosen, visit);
            chosen.pop();
        }
    }

    /// The part of a zone in which edges can be taken together at once; none when there is none.
    fn enabled_part(&self, valuation: &Valuation, zone: &Zone, edges: &[(usize, usize)]) -> Option<Zone> {
        let mut enabled = zone.clone();
        match self.bounds_of_move(valuation, edges) {
            Ok(Some(bounds)) => {
                bounds.iter().all(|one| enabled.constrain(one.left, one.right, one.bound)).then_some(enabled)
            }
            Ok(None) => None,
            // A fault is an error of its own, and no deadlock.
            Err(_) => Some(zone.clone()),
        }
    }

    /// What has to be true of clocks for edges to be taken together at once; none when something else forbids it.
    pub(crate) fn bounds_of_move(
        &self,
        valuation: &Valuation,
        edges: &[(usize, usize)],
    ) -> Result<Option<Vec<Constraint>>, Fault> {
        let locations = &valuation.locations;
        let has_committed = (0..locations.len()).any(|process| self.is_committed(process, locations));
        if has_committed && !edges.iter().any(|&(process, _)| self.is_committed(process, locations)) {
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
            match statement::run(&edge.update, network, &mut after.values, &mut locals, &mut updates) {
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
