//! Delays for a list of moves: from a symbolic trace to a run with numbers.
//!
//! Let `T(0) = 0` be the start, `T(i)` the moment of the i-th move, and the last one the moment at which the goal is
//! looked at. A clock is the time since it was last set, and what it was set to, so each guard and invariant on the way is
//! a bound on the difference of two of these moments. The earliest solution is found by pushing moments later until no
//! bound is broken (Bellman and Ford). A strict bound pushes by a little more than its constant: moments are pairs of
//! a whole number and a number of such littles, in lexicographic order. When all is settled, a little is one part of as
//! many as make the largest number of littles less than 1. So all delays share a small denominator, and the run ends
//! as early as the moves allow.
//!
//! A trace of extrapolated zones can always be timed: whatever a zone can do that is added by extrapolation, a value of the
//! zone before can do, too.

use std::fmt;

use fathom_model::Fault;

use crate::concrete::{TimedRun, TimedStep};
use crate::expr::{Environment, checked_index};
use crate::layout::Valuation;
use crate::moves::{Stay, TimedMove};
use crate::network::{ClockConstraint, ClockPlace, Network};
use crate::property::Conjunct;
use crate::statement::{self, ClockUpdate, Outcome};

/// Why moves cannot be timed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TimingError {
    /// The updates of a move cannot be made.
    Update {
        /// Number of moves before.
        after: usize,
    },
    /// No delays satisfy all guards and invariants.
    Impossible,
}

impl fmt::Display for TimingError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimingError::Update { after } => write!(out, "after {after} moves: an update cannot be made"),
            TimingError::Impossible => write!(out, "no delays satisfy all guards and invariants"),
        }
    }
}

impl std::error::Error for TimingError {}

/// A moment, or a time between moments: whole units, and littles.
type Moment = (i64, i64);

/// `T(later) >= T(earlier) + distance`.
struct AtLeast {
    later: usize,
    earlier: usize,
    distance: Moment,
}

/// The earliest run that takes these moves from these locations and satisfies some bounds on clocks at its end.
/// `last_edges` are edges whose guards have to be true at the end, too, without being taken.
///
/// # Errors
///
/// When there is none.
pub fn schedule(
    network: &Network,
    initial: &[u32],
    moves: &[TimedMove],
    last_edges: &[(usize, usize)],
    at_end: &[ClockConstraint],
) -> Result<TimedRun, TimingError> {
    schedule_within(network, initial, moves, last_edges, at_end, (usize::MAX, &[]))
}

/// The same, with something that is true all the time after a number of moves: one of these conjuncts, of which at most one
/// speaks of clocks in any state.
///
/// # Errors
///
/// When there is none.
pub fn schedule_within(
    network: &Network,
    initial: &[u32],
    moves: &[TimedMove],
    last_edges: &[(usize, usize)],
    at_end: &[ClockConstraint],
    (from, within): (usize, &[Conjunct]),
) -> Result<TimedRun, TimingError> {
    let mut timing = Timing::new(network, initial);
    let stay = |after: usize| after.checked_sub(1).and_then(|last| moves[last].stay.as_ref());
    // What is said of the initial state is no move.
    let n_before = TimedMove::n_before_all(moves);
    for (after, taken) in moves.iter().enumerate() {
        if after < n_before {
            timing.stand_still(after, after + 1);
            continue;
        }
        timing.pass_to(after, after + 1);
        timing.keep_stay(after, after + 1, stay(after));
        if after >= from {
            timing.keep_within(after, after + 1, within);
        }
        timing.add_guards(after + 1, &taken.edges).map_err(|_| TimingError::Update { after })?;
        timing.add_all(after + 1, &taken.within).map_err(|_| TimingError::Impossible)?;
        timing.take(after + 1, &taken.edges).ok_or(TimingError::Update { after })?;
    }
    let end = moves.len() + 1;
    timing.pass_to(moves.len(), end);
    timing.keep_stay(moves.len(), end, stay(moves.len()));
    if moves.len() >= from {
        timing.keep_within(moves.len(), end, within);
    }
    // What is a fault to evaluate bounds nothing.
    let _ = timing.add_guards(end, last_edges);
    timing.add_all(end, at_end).map_err(|_| TimingError::Impossible)?;
    let moments = timing.solve(end)?;
    let scale = moments.iter().map(|moment| moment.1).max().unwrap_or(0) + 1;
    let at = |index: usize| moments[index].0 * scale + moments[index].1;
    let delay = |index: usize| at(index) - at(index - 1);
    let step = |(index, taken): (usize, &TimedMove)| TimedStep {
        delay: delay(index + 1),
        edges: taken.edges.clone(),
    };
    let mut run = TimedRun {
        initial: initial.to_vec(),
        scale,
        steps: moves.iter().enumerate().skip(n_before).map(step).collect(),
        last_delay: delay(end),
    };
    shorten(&mut run);
    Ok(run)
}

/// Takes what all delays and the scale have in common out of the fraction.
fn shorten(run: &mut TimedRun) {
    let delays = run.steps.iter().map(|step| step.delay).chain([run.last_delay]);
    let common = delays.fold(run.scale, greatest_common_divisor);
    for step in &mut run.steps {
        step.delay /= common;
    }
    run.last_delay /= common;
    run.scale /= common;
}

fn greatest_common_divisor(left: i64, right: i64) -> i64 {
    if right == 0 { left } else { greatest_common_divisor(right, left % right) }
}

struct Timing<'a> {
    network: &'a Network,
    valuation: Valuation,
    /// The moment at which each clock was last set, and to what.
    set: Vec<(usize, i64)>,
    constraints: Vec<AtLeast>,
}

impl<'a> Timing<'a> {
    fn new(network: &'a Network, initial: &[u32]) -> Timing<'a> {
        let values = network.variables.iter().map(|variable| variable.initial).collect();
        Timing {
            network,
            valuation: Valuation { locations: initial.to_vec(), values },
            set: vec![(0, 0); network.clocks.len()],
            constraints: Vec::new(),
        }
    }

    /// The state lasts from one moment to the next.
    fn pass_to(&mut self, from: usize, to: usize) {
        self.constraints.push(AtLeast { later: to, earlier: from, distance: (0, 0) });
        let mut may_pass = true;
        for index in 0..self.network.processes.len() {
            let location = &self.network.processes[index].locations[self.valuation.locations[index] as usize];
            may_pass &= !self.network.is_still(index, &self.environment());
            // What is a fault to evaluate is found out by whoever checks the run.
            let _ = self.add_all(from, &location.invariant.clocks);
            let _ = self.add_all(to, &location.invariant.clocks);
        }
        may_pass &= !self.network.is_urgent(&self.environment());
        if !may_pass {
            self.constraints.push(AtLeast { later: from, earlier: to, distance: (0, 0) });
        }
    }

    /// No time passes from one moment to the next.
    fn stand_still(&mut self, from: usize, to: usize) {
        self.constraints.push(AtLeast { later: to, earlier: from, distance: (0, 0) });
        self.constraints.push(AtLeast { later: from, earlier: to, distance: (0, 0) });
    }

    /// The state lasts as a trace says.
    fn keep_stay(&mut self, from: usize, to: usize, stay: Option<&Stay>) {
        let Some(stay) = stay else { return };
        // What is a fault to evaluate is found out by whoever checks the run.
        let _ = self.add_all(from, &stay.start);
        if stay.is_still {
            return self.stand_still(from, to);
        }
        let _ = self.add_all(to, &stay.end);
    }

    /// One of these is true from one moment to the next.
    fn keep_within(&mut self, from: usize, to: usize, within: &[Conjunct]) {
        let holds = |conjunct: &&Conjunct| {
            let environment = self.environment();
            conjunct.conditions.iter().all(|one| one.evaluate(&environment).is_ok_and(|value| value != 0))
        };
        let possible: Vec<&Conjunct> = within.iter().filter(holds).collect();
        if possible.iter().any(|conjunct| conjunct.clocks.is_empty()) {
            return;
        }
        if let Some(conjunct) = possible.first() {
            // What is a fault to evaluate is found out by whoever checks the run.
            let _ = self.add_all(from, &conjunct.clocks);
            let _ = self.add_all(to, &conjunct.clocks);
        }
    }

    fn add_guards(&mut self, at: usize, edges: &[(usize, usize)]) -> Result<(), Fault> {
        edges.iter().try_for_each(|&(process, edge)| {
            self.add_all(at, &self.network.processes[process].edges[edge].guard.clocks)
        })
    }

    fn add_all(&mut self, at: usize, constraints: &[ClockConstraint]) -> Result<(), Fault> {
        constraints.iter().try_for_each(|constraint| self.add(at, constraint))
    }

    /// A bound on clocks at a moment is one on the difference of two moments.
    fn add(&mut self, at: usize, constraint: &ClockConstraint) -> Result<(), Fault> {
        let Some(bound) = constraint.bound_in(&self.environment())? else { return Ok(()) };
        let left = self.last_set(constraint.left.as_ref())?;
        let right = self.last_set(constraint.right.as_ref())?;
        // A clock is the moment, less that at which it was set, and the offset. The moment cancels out in differences.
        let (from, to, bound) = match (left, right) {
            (Some((set, offset)), None) => (at, set, bound - offset),
            (None, Some((set, offset))) => (set, at, bound + offset),
            (Some((left, left_offset)), Some((right, right_offset))) => {
                (right, left, bound - left_offset + right_offset)
            }
            (None, None) => (at, at, bound),
        };
        // T(from) - T(to) <= bound.
        let distance = (-bound, i64::from(constraint.is_strict));
        self.constraints.push(AtLeast { later: to, earlier: from, distance });
        Ok(())
    }

    fn last_set(&self, place: Option<&ClockPlace>) -> Result<Option<(usize, i64)>, Fault> {
        let Some(place) = place else { return Ok(None) };
        let index = match &place.index {
            None => 0,
            Some(index) => checked_index(index.evaluate(&self.environment())?, place.length)?,
        };
        Ok(Some(self.set[place.first + index]))
    }

    fn environment(&self) -> Environment<'_> {
        let Valuation { locations, values } = &self.valuation;
        Environment { values, locals: &[], locations, labels: &[] }
    }

    /// Makes the updates of a move at a moment.
    fn take(&mut self, at: usize, edges: &[(usize, usize)]) -> Option<()> {
        let mut updates = Vec::new();
        let before = self.valuation.locations.clone();
        for &(process, edge) in edges {
            let edge = &self.network.processes[process].edges[edge];
            self.valuation.locations[process] = edge.target as u32;
            let mut locals = vec![0; self.network.n_locals];
            let values = &mut self.valuation.values;
            let outcome =
                statement::run(&edge.update, self.network, &before, values, &mut locals, &mut updates);
            if outcome != Outcome::Done {
                return None;
            }
        }
        self.network.reset_meta(&mut self.valuation.values);
        for ClockUpdate { clock, from, value } in updates {
            let (set, offset) = from.map_or((at, 0), |from| self.set[from]);
            self.set[clock] = (set, offset + i64::from(value));
        }
        Some(())
    }

    /// The earliest moments that satisfy every constraint.
    fn solve(&self, end: usize) -> Result<Vec<Moment>, TimingError> {
        let mut moments: Vec<Moment> = vec![(0, 0); end + 1];
        for _ in 0..=end + 1 {
            let mut is_settled = true;
            for &AtLeast { later, earlier, distance } in &self.constraints {
                let least = (moments[earlier].0 + distance.0, moments[earlier].1 + distance.1);
                if moments[later] < least {
                    moments[later] = least;
                    is_settled = false;
                }
            }
            if moments[0] > (0, 0) {
                break;
            }
            if is_settled {
                return Ok(moments);
            }
        }
        Err(TimingError::Impossible)
    }
}
