//! Best-first search and weighted A* as an arm.
//!
//! A guided search that remembers everything cannot be cut into slices and resumed, so each slice starts anew with
//! twice the states of the one before: all slices together take at most twice the time of the last. The weight
//! changes from slice to slice, from estimates alone to lengths and estimates together: estimates alone find
//! something soon, lengths make it short. A beam, which grows with the slices, is among them: with good estimates it
//! finds short traces at once.

use fathom_guide::Heuristic;
use fathom_model::{Region, Stop, System};
use fathom_search::{Monitor, Options, Patience, Priority, Progress, beam, best_first};

use crate::arm::{Arm, Slice, Target, improvement, open_targets, prepare, slice_of};
use crate::complete_arm::is_proof;

/// One way to search.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Way {
    Order(Priority),
    /// A beam of this share of the states of a slice.
    Beam(u64),
}

/// The searches of one round.
const ROUND: [Way; 4] = [
    Way::Order(Priority::Best),
    Way::Beam(200),
    Way::Order(Priority::Sum { weight: 5.0 }),
    Way::Order(Priority::Sum { weight: 1.5 }),
];

/// Guided searches that remember what they saw.
pub struct BestArm<'s, S: System> {
    name: String,
    system: &'s S,
    heuristic: &'s dyn Heuristic<S::Region>,
    max_bytes: u64,
    n_slices: u32,
    /// The orders that explored everything.
    is_done: [bool; ROUND.len()],
}

impl<'s, S: System> BestArm<'s, S> {
    /// An arm that has not searched yet. A search takes so many bytes at most.
    pub fn new(
        name: &str,
        system: &'s S,
        heuristic: &'s dyn Heuristic<S::Region>,
        max_bytes: u64,
    ) -> BestArm<'s, S> {
        BestArm {
            name: name.to_owned(),
            system,
            heuristic,
            max_bytes,
            n_slices: 0,
            is_done: [false; ROUND.len()],
        }
    }
}

impl<S: System + Sync> Arm for BestArm<'_, S>
where
    S::Region: Region + Send,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn work(&mut self, targets: &[Target], n_states: u64, monitor: &mut dyn Monitor) -> Slice {
        if prepare(self.heuristic, monitor).is_some() {
            return Slice::default();
        }
        let order = self.n_slices as usize % ROUND.len();
        let round = self.n_slices / ROUND.len() as u32;
        self.n_slices += 1;
        let (properties, max_depth) = open_targets(targets);
        let n_states = n_states.saturating_mul(1 << round.min(20));
        let options = Options {
            properties,
            max_states: Some(n_states),
            max_depth,
            max_bytes: Some(self.max_bytes),
            // The first evidence is enough.
            patience: Patience { states: 0, factor: 0 },
            ..Options::default()
        };
        let estimate = |from: Option<&[u8]>, state: &[u8], region: &S::Region| match from {
            Some(from) => self.heuristic.estimate_step(from, state, region),
            None => self.heuristic.estimate(state, region),
        };
        let mut watched = |progress: &Progress| {
            monitor
                .poll(progress)
                .or((progress.transitions > n_states.saturating_mul(32)).then_some(Stop::States))
        };
        let outcome = match ROUND[order] {
            Way::Order(priority) => best_first(self.system, &estimate, priority, &options, &mut watched),
            Way::Beam(share) => {
                let width = (n_states / share).max(1) as usize;
                beam(self.system, &estimate, width, &options, &mut watched)
            }
        };
        self.is_done[order] = matches!(outcome.stop, Stop::Exhausted | Stop::Depth | Stop::Memory);
        Slice {
            is_exhausted: self.is_done.iter().all(|&done| done),
            proves: is_proof(&outcome) && max_depth.is_none(),
            ..slice_of(&outcome, improvement(&outcome, targets))
        }
    }
}
