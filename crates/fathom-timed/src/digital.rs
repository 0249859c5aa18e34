//! Digital clocks: a network whose time passes in equal small steps.
//!
//! Clocks are whole multiples of a *grain*, a fraction of the unit of time; a step takes edges or lets one grain pass. Where every bound
//! on clocks includes its end, this loses nothing that can be seen from outside by whoever looks at a clock of that grain: if the network has a run, it has
//! every run in which the moments are rounded in one direction, too (Henzinger, Manna and Pnueli, "What good are digital clocks?", ICALP 1992). A
//! run that was observed, with its moments rounded down, is therefore none of the network's only if the unrounded one is none either.
//!
//! Bounds that exclude their end are made to include it: that allows more, never less, by less than a grain. A broadcast is the one
//! place where allowing more of a receiver forbids something else, so receivers must not have such bounds.
//!
//! The steps are those of the [concrete meaning](crate::concrete). Clocks beyond every constant that they are still compared with are
//! kept just beyond it, so that there are finitely many states, unless differences of clocks are compared.

use std::fmt;

use fathom_model::{NoRegion, Steps, System};
use fathom_zone::NO_BOUND;

use crate::bounds::LocalBounds;
use crate::concrete::{Checker, ConcreteState};
use crate::expr::Interval;
use crate::layout::{Layout, Valuation};
use crate::network::{ClockConstraint, Guard, Network, Participant, WeakRule};
use crate::time_stop::bounds_of_stops;

/// A network with digital clocks.
#[derive(Debug)]
pub struct Digital {
    network: Network,
    /// Parts of a unit of time.
    grain: i64,
    labels: Vec<Vec<Vec<usize>>>,
    layout: Layout,
    /// None where differences of clocks are compared.
    bounds: Option<LocalBounds>,
}

/// What a step does.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum DigitalMove {
    /// One grain of time passes.
    Wait,
    /// Edges are taken: process and index of the edge in it.
    Take(Vec<(usize, usize)>),
}

/// Why a network cannot have digital clocks.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NotDigital {
    /// Constants are too large for a grain that fine.
    TooFine,
    /// A receiver of a broadcast has a bound on a clock that excludes its end.
    StrictReceiver {
        /// The process.
        process: String,
    },
}

impl fmt::Display for NotDigital {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotDigital::TooFine => write!(out, "the grain is too fine for the constants of the model"),
            NotDigital::StrictReceiver { process } => write!(
                out,
                "process {process} receives a broadcast under a bound on a clock that excludes its end, which digital clocks cannot follow"
            ),
        }
    }
}

impl std::error::Error for NotDigital {}

/// Grains of a unit at most.
const FINEST: u32 = 1000;

impl Digital {
    /// A network with this many grains to the unit of time.
    ///
    /// # Errors
    ///
    /// When its clocks cannot be digital.
    pub fn new(network: &Network, grain: u32) -> Result<Digital, NotDigital> {
        if grain == 0 || grain > FINEST {
            return Err(NotDigital::TooFine);
        }
        check_receivers(network)?;
        check_constants(network, i64::from(grain))?;
        let mut network = network.clone();
        include_ends(&mut network);
        let compares_differences =
            network.guards().any(|guard| guard.clocks.iter().any(ClockConstraint::is_diagonal));
        let bounds = (!compares_differences).then(|| LocalBounds::new(&network, &bounds_of_stops(&network)));
        Ok(Digital {
            grain: i64::from(grain),
            labels: network.labels_of_locations(),
            layout: Layout::new(&network),
            bounds,
            network,
        })
    }

    /// The network, with bounds that include their ends.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// A state with numbers; its clocks are multiples of the grain.
    pub fn state(&self, state: &[u8]) -> ConcreteState {
        let (explicit, clocks) = state.split_at(state.len() - 4 * self.network.clocks.len());
        let mut valuation = Valuation::default();
        self.layout.decode(explicit, &mut valuation);
        let clock = |bytes: &[u8]| i64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        ConcreteState { valuation, clocks: clocks.chunks_exact(4).map(clock).collect() }
    }

    /// Where processes are, and the values of integers and clocks, with their names.
    pub fn variables(&self, state: &[u8]) -> Vec<(String, String)> {
        let ConcreteState { valuation, clocks } = self.state(state);
        let network = &self.network;
        let places = network.processes.iter().zip(&valuation.locations);
        let places =
            places.map(|(process, &at)| (process.name.clone(), process.locations[at as usize].name.clone()));
        let values =
            network.variables.iter().zip(&valuation.values).filter(|(variable, _)| !variable.is_meta);
        let values = values.map(|(variable, value)| (variable.name.clone(), value.to_string()));
        let clocks = network.clocks.iter().zip(&clocks);
        let clocks = clocks.map(|(clock, &value)| (clock.name.clone(), self.in_units(value)));
        places.chain(values).chain(clocks).collect()
    }

    /// A number of grains in units of time.
    pub fn in_units(&self, grains: i64) -> String {
        let (whole, rest) = (grains / self.grain, grains % self.grain);
        if rest == 0 { whole.to_string() } else { (grains as f64 / self.grain as f64).to_string() }
    }

    /// Clocks that are beyond everything they are still compared with are kept just beyond it.
    fn encode(&self, state: &ConcreteState, constants: &mut [i32], out: &mut Vec<u8>) {
        out.clear();
        self.layout.encode(&state.valuation, out);
        if let Some(bounds) = &self.bounds {
            bounds.gather(&state.valuation.locations, constants);
        }
        let dim = self.network.dim();
        for (clock, &value) in state.clocks.iter().enumerate() {
            let most = match self.bounds {
                Some(_) => match constants[clock + 1].max(constants[dim + clock + 1]) {
                    NO_BOUND => 0,
                    constant => (i64::from(constant.max(0)) + 1) * self.grain,
                },
                None => i64::from(u32::MAX),
            };
            out.extend_from_slice(&(value.clamp(0, most) as u32).to_le_bytes());
        }
    }

    fn checker(&self, state: ConcreteState) -> Checker<'_> {
        Checker::at(&self.network, &self.labels, self.grain, state)
    }
}

/// Buffers for states.
#[derive(Clone, Debug)]
pub struct DigitalScratch {
    constants: Vec<i32>,
    bytes: Vec<u8>,
}

impl System for Digital {
    type Region = NoRegion;
    type Label = DigitalMove;
    type Scratch = DigitalScratch;

    fn scratch(&self) -> DigitalScratch {
        DigitalScratch { constants: vec![0; 2 * self.network.dim()], bytes: Vec::new() }
    }

    fn initial(&self, scratch: &mut DigitalScratch, out: &mut Steps<NoRegion, DigitalMove>) {
        let mut places: Vec<Vec<u32>> = vec![Vec::new()];
        for process in &self.network.processes {
            let starts = process.locations.iter().enumerate().filter(|(_, location)| location.is_initial);
            let starts: Vec<u32> = starts.map(|(index, _)| index as u32).collect();
            let with = |place: &Vec<u32>| {
                starts.iter().map(|&start| [&place[..], &[start]].concat()).collect::<Vec<_>>()
            };
            places = places.iter().flat_map(with).collect();
        }
        for locations in places {
            let values = self.network.variables.iter().map(|variable| variable.initial).collect();
            let state = ConcreteState {
                valuation: Valuation { locations, values },
                clocks: vec![0; self.network.clocks.len()],
            };
            let checker = self.checker(state);
            if checker.check_invariants().is_ok() {
                self.encode(&checker.state, &mut scratch.constants, &mut scratch.bytes);
                out.push(&scratch.bytes, NoRegion, &[]);
            }
        }
    }

    fn successors(
        &self,
        state: &[u8],
        _: &NoRegion,
        scratch: &mut DigitalScratch,
        out: &mut Steps<NoRegion, DigitalMove>,
    ) {
        let here = self.state(state);
        let moves = self.checker(here.clone()).moves();
        for (edges, _) in moves {
            let mut checker = self.checker(here.clone());
            if checker.take(&edges).is_ok() {
                self.encode(&checker.state, &mut scratch.constants, &mut scratch.bytes);
                out.push(&scratch.bytes, NoRegion, &[DigitalMove::Take(edges)]);
            }
        }
        let mut checker = self.checker(here);
        if checker.wait(1).is_ok() {
            self.encode(&checker.state, &mut scratch.constants, &mut scratch.bytes);
            out.push(&scratch.bytes, NoRegion, &[DigitalMove::Wait]);
        }
    }
}

/// Every bound on clocks includes its end.
fn include_ends(network: &mut Network) {
    let close = |guard: &mut Guard| guard.clocks.iter_mut().for_each(|bound| bound.is_strict = false);
    for process in &mut network.processes {
        process.locations.iter_mut().for_each(|location| close(&mut location.invariant));
        process.edges.iter_mut().for_each(|edge| close(&mut edge.guard));
    }
    network.time_stops.iter_mut().for_each(|stop| close(&mut stop.guard));
}

/// Clocks just beyond every constant have to fit where they are kept.
fn check_constants(network: &Network, grain: i64) -> Result<(), NotDigital> {
    let ranges = network.ranges();
    let is_too_large = |bound: &ClockConstraint| {
        let Interval { least, most } = bound.bound.interval(&ranges);
        let largest = least.unsigned_abs().max(most.unsigned_abs());
        least <= most && largest.saturating_add(1).saturating_mul(grain as u64) > u64::from(u32::MAX)
    };
    match network.guards().any(|guard| guard.clocks.iter().any(is_too_large)) {
        true => Err(NotDigital::TooFine),
        false => Ok(()),
    }
}

fn check_receivers(network: &Network) -> Result<(), NotDigital> {
    let is_strict = |participant: &&Participant| {
        let mut edges = network.processes[participant.process].edges.iter();
        participant.is_weak
            && edges.any(|edge| {
                edge.event == participant.event && edge.guard.clocks.iter().any(|bound| bound.is_strict)
            })
    };
    let broadcasts = network.synchronizations.iter().filter(|one| one.weak_rule == WeakRule::Guard);
    match broadcasts.flat_map(|one| &one.participants).find(is_strict) {
        Some(participant) => {
            Err(NotDigital::StrictReceiver { process: network.processes[participant.process].name.clone() })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Expr;
    use crate::network::{Clock, ClockPlace, Edge, Location, Process, Urgency};
    use crate::statement::Statement;

    fn bound(is_upper: bool, constant: i32, is_strict: bool) -> ClockConstraint {
        let clock = Some(ClockPlace::clock(0));
        let (left, right, constant) =
            if is_upper { (clock, None, constant) } else { (None, clock, -constant) };
        ClockConstraint { left, right, bound: Expr::Constant(i64::from(constant)), is_strict }
    }

    fn location(name: &str, clocks: Vec<ClockConstraint>) -> Location {
        Location {
            name: name.to_owned(),
            is_initial: name == "off",
            invariant: Guard { conditions: Vec::new(), clocks },
            urgency: Urgency::None,
            labels: Vec::new(),
            span: None,
        }
    }

    /// Goes on, and off again after more than 2 units and at most 3.
    fn lamp() -> Network {
        let edge = |source, target, clocks, update| Edge {
            source,
            target,
            event: 0,
            guard: Guard { conditions: Vec::new(), clocks },
            update,
            span: None,
        };
        let reset = Statement::SetClock { clock: ClockPlace::clock(0), from: None, value: Expr::Constant(0) };
        Network {
            clocks: vec![Clock { name: "x".to_owned() }],
            events: vec![String::new()],
            processes: vec![Process {
                name: "lamp".to_owned(),
                locations: vec![location("off", Vec::new()), location("on", vec![bound(true, 3, false)])],
                edges: vec![
                    edge(0, 1, Vec::new(), vec![reset]),
                    edge(1, 0, vec![bound(false, 2, true)], Vec::new()),
                ],
            }],
            ..Network::default()
        }
    }

    fn steps(digital: &Digital, state: &[u8]) -> Vec<(DigitalMove, Vec<u8>)> {
        let mut steps = Steps::recording();
        digital.successors(state, &NoRegion, &mut digital.scratch(), &mut steps);
        (0..steps.len()).map(|step| (steps.labels(step)[0].clone(), steps.state(step).to_vec())).collect()
    }

    #[test]
    fn time_passes_by_grains_up_to_invariants() {
        for grain in [1, 4] {
            let digital = Digital::new(&lamp(), grain).unwrap();
            let mut begin = Steps::new();
            digital.initial(&mut digital.scratch(), &mut begin);
            let off = begin.state(0).to_vec();
            // What the clock says while it is compared with nothing does not count.
            assert_eq!(steps(&digital, &off)[1], (DigitalMove::Wait, off.clone()));
            let mut on = steps(&digital, &off)[0].1.clone();
            let (mut waits, mut first_end) = (0, None);
            loop {
                let next = steps(&digital, &on);
                if next.iter().any(|step| step.0 != DigitalMove::Wait) && first_end.is_none() {
                    first_end = Some(waits);
                }
                match next.into_iter().find(|step| step.0 == DigitalMove::Wait) {
                    Some((_, later)) => on = later,
                    None => break,
                }
                waits += 1;
            }
            // The bound that excludes 2 is made to include it.
            assert_eq!((first_end, waits), (Some(2 * grain), 3 * grain));
            assert_eq!(digital.variables(&on)[1], ("x".to_owned(), "3".to_owned()));
        }
    }

    #[test]
    fn a_grain_is_written_as_a_part_of_a_unit() {
        let digital = Digital::new(&lamp(), 4).unwrap();
        assert_eq!((digital.in_units(8), digital.in_units(9)), ("2".to_owned(), "2.25".to_owned()));
        assert_eq!(Digital::new(&lamp(), 0).unwrap_err(), NotDigital::TooFine);
    }
}
