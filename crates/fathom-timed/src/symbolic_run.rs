//! The zones that a run goes through: what else could have been, step by step.
//!
//! The zone after a step has every value of clocks that is possible there with the same steps and other delays, now or after a wait. Nothing is
//! extrapolated, so these zones are exact. The states of the run say which zone is meant where a step leads to several.

use fathom_model::{Steps, System};
use fathom_zone::Bound;

use crate::concrete::{ConcreteState, TimedRun};
use crate::deadlock::constraints_of;
use crate::layout::Valuation;
use crate::network::{ClockConstraint, ClockPlace, Network};
use crate::zone_options::{Extrapolation, ZoneOptions};
use crate::zone_region::{Cover, ZoneRegion};
use crate::zone_system::ZoneSystem;

/// The zone at the start and after each step of a run with its states, each as few bounds on clocks. A step without edges, a moment of its own, has the zone of the
/// step before. None when it is no run.
pub fn zones_of_run(
    network: &Network,
    run: &TimedRun,
    states: &[ConcreteState],
) -> Option<Vec<Vec<ClockConstraint>>> {
    let exact = ZoneOptions { extrapolation: Extrapolation::None, cover: Cover::Inclusion };
    let system = ZoneSystem::new(network, &[], &[], exact);
    let (mut scratch, mut steps) = (system.scratch(), Steps::recording());
    system.initial(&mut scratch, &mut steps);
    let mut zones = Vec::new();
    let mut edges: &[(usize, usize)] = &[];
    for (number, state) in states.iter().take(run.steps.len() + 1).enumerate() {
        if number > 0 && edges.is_empty() {
            let last: &Vec<ClockConstraint> = zones.last()?;
            zones.push(last.clone());
            edges = run.steps.get(number).map_or(&[], |step| &step.edges);
            continue;
        }
        // Where time stops, parts of a zone differ in how long they last.
        let delay = run.steps.get(number).map_or(run.last_delay, |step| step.delay);
        let still = network.cost.filter(|cost| !cost.grows).map(|cost| cost.clock);
        let grown = |(clock, &value): (usize, &i64)| value + if still == Some(clock) { 0 } else { delay };
        let later: Vec<i64> = state.clocks.iter().enumerate().map(grown).collect();
        let is_meant = |&index: &usize| {
            let mut valuation = Valuation::default();
            system.layout().decode(steps.state(index), &mut valuation);
            steps.labels(index).first().is_none_or(|label| label.edges == edges)
                && valuation == state.valuation
                && contains(steps.region(index).bounds(), network.dim(), &state.clocks, run.scale)
                && contains(steps.region(index).bounds(), network.dim(), &later, run.scale)
        };
        let found = (0..steps.len()).find(is_meant)?;
        let (bytes, region) = (steps.state(found).to_vec(), steps.region(found).clone());
        zones.push(zone_constraints(network, &region)?);
        steps.clear();
        system.successors(&bytes, &region, &mut scratch, &mut steps);
        edges = run.steps.get(number).map_or(&[], |step| &step.edges);
    }
    Some(zones)
}

/// A zone of a network as few bounds on clocks.
pub fn zone_constraints(network: &Network, region: &ZoneRegion) -> Option<Vec<ClockConstraint>> {
    let zone = fathom_zone::Zone::from_bounds(network.dim(), region.bounds())?;
    Some(constraints_of(&zone).into_iter().filter(is_worth_saying).collect())
}

/// Whether a zone has these values, in parts of a unit.
fn contains(zone: &[Bound], dim: usize, clocks: &[i64], scale: i64) -> bool {
    let value = |clock: usize| clock.checked_sub(1).map_or(0, |clock| clocks[clock]);
    zone.iter().enumerate().all(|(index, bound)| {
        let difference = value(index / dim) - value(index % dim);
        bound.constant().is_none_or(|most| {
            let most = i64::from(most) * scale;
            difference < most || (difference == most && !bound.is_strict())
        })
    })
}

/// That clocks are not negative goes without saying.
fn is_worth_saying(constraint: &ClockConstraint) -> bool {
    constraint.left.is_some() || constraint.bound.constant() != Some(0) || constraint.is_strict
}

/// A bound on clocks in words: `x <= 5`, `x - y < 2`.
pub fn constraint_text(network: &Network, constraint: &ClockConstraint) -> String {
    let name = |place: &ClockPlace| network.clocks[place.first].name.clone();
    let bound = constraint.bound.constant().unwrap_or(0);
    let sign = |upward: bool| match (upward, constraint.is_strict) {
        (true, false) => "<=",
        (true, true) => "<",
        (false, false) => ">=",
        (false, true) => ">",
    };
    match (&constraint.left, &constraint.right) {
        (Some(left), None) => format!("{} {} {bound}", name(left), sign(true)),
        (None, Some(right)) => format!("{} {} {}", name(right), sign(false), -bound),
        (Some(left), Some(right)) if bound < 0 => {
            format!("{} - {} {} {}", name(right), name(left), sign(false), -bound)
        }
        (Some(left), Some(right)) => format!("{} - {} {} {bound}", name(left), name(right), sign(true)),
        (None, None) => format!("0 {} {bound}", sign(true)),
    }
}
