//! Complete searches: the attempt that a hunt begins with, and the arm that tries again with more room.
//!
//! Many errors are not deep but only in wide company, and a plain breadth-first search finds them in seconds, on
//! a shortest way. So a hunt begins with a short one, and gives one a turn from time to time, with eight times the states
//! each time: all turns together take a seventh more than the last. When one explores everything and finds nothing, the
//! hunt is over, with a proof.

use fathom_model::{PropertyId, Stop, System, Trust};
use fathom_search::{Monitor, Options, Outcome, Patience, Progress, breadth_first};

use crate::arm::{Arm, Slice, Target, expansion_bytes, improvement, open_targets, slice_of};

/// Bytes of steps that an attempt makes at most, judged from the first state.
const ATTEMPT_BYTES: u64 = 1 << 30;

/// From one attempt to the next.
const GROWTH: u64 = 8;

/// What an attempt may take.
#[derive(Clone, Copy)]
pub(crate) struct Room {
    pub n_states: u64,
    pub max_bytes: u64,
}

/// A complete search, cut off after so many states: short traces near the start, and proofs of small systems.
pub(crate) fn complete_attempt<S: System>(
    system: &S,
    properties: &[PropertyId],
    room: Room,
    monitor: &mut dyn Monitor,
) -> (Outcome, Option<Stop>) {
    let options = Options {
        properties: properties.to_vec(),
        max_bytes: Some(room.max_bytes),
        max_states: Some(affordable(system, room.n_states)),
        ..Options::default()
    };
    search(system, &options, monitor)
}

/// So many states, or fewer: states with thousands of steps are for others to deal with.
fn affordable<S: System>(system: &S, n_states: u64) -> u64 {
    let factor = n_states.max(1).div_ceil(FIRST_STATES);
    let bytes = ATTEMPT_BYTES.saturating_mul(factor);
    n_states.min(bytes / (expansion_bytes(system) as u64).max(1)).max(1)
}

/// The states of an attempt that [`ATTEMPT_BYTES`] are meant for.
const FIRST_STATES: u64 = 200_000;

fn search<S: System>(system: &S, options: &Options, monitor: &mut dyn Monitor) -> (Outcome, Option<Stop>) {
    let most_transitions = options.max_states.unwrap_or(u64::MAX).saturating_mul(32);
    let mut stop = None;
    let mut watched = |progress: &Progress| {
        stop = stop.or_else(|| monitor.poll(progress));
        stop.or((progress.transitions > most_transitions).then_some(Stop::States))
    };
    let outcome = breadth_first(system, options, &mut watched);
    (outcome, stop)
}

/// Breadth-first searches with more and more states.
pub struct CompleteArm<'s, S: System> {
    system: &'s S,
    max_bytes: u64,
    n_slices: u32,
    is_full: bool,
}

impl<'s, S: System> CompleteArm<'s, S> {
    /// An arm that has not searched yet. A search takes so many bytes at most.
    pub fn new(system: &'s S, max_bytes: u64) -> CompleteArm<'s, S> {
        CompleteArm { system, max_bytes, n_slices: 0, is_full: false }
    }
}

impl<S: System + Sync> Arm for CompleteArm<'_, S> {
    fn name(&self) -> &str {
        "complete"
    }

    fn work(&mut self, targets: &[Target], n_states: u64, monitor: &mut dyn Monitor) -> Slice {
        self.n_slices += 1;
        let (properties, max_depth) = open_targets(targets);
        let n_states = n_states.saturating_mul(GROWTH.saturating_pow(self.n_slices));
        let options = Options {
            properties,
            max_states: Some(affordable(self.system, n_states)),
            max_depth,
            max_bytes: Some(self.max_bytes),
            // The first evidence is enough.
            patience: Patience { states: 0, factor: 0 },
            ..Options::default()
        };
        let (outcome, stop) = search(self.system, &options, monitor);
        let found = improvement(&outcome, targets);
        // With a bound on depth: that nothing is left within it says that there is no shorter trace.
        let is_done = matches!(outcome.stop, Stop::Exhausted | Stop::Depth) && found.is_none();
        self.is_full |= is_done || stop.is_none() && outcome.stop == Stop::Memory;
        Slice {
            is_exhausted: self.is_full,
            proves: is_proof(&outcome) && max_depth.is_none(),
            // What is found in layers is nearest.
            is_shortest: found.is_some() || is_done && max_depth.is_some(),
            ..slice_of(&outcome, found)
        }
    }
}

/// Whether everything was explored and nothing found.
pub(crate) fn is_proof(outcome: &Outcome) -> bool {
    let has_nothing = outcome.evidence.iter().all(|(_, trace)| trace.is_none());
    outcome.stop == Stop::Exhausted && !outcome.depth_cut && outcome.trust == Trust::Complete && has_nothing
}
