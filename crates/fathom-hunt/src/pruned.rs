//! Searches pruned by a table of bits far smaller than the state space.
//!
//! A state whose bit is set counts as known, whoever set it. In a table with a bit for every thousandth state
//! most states are taken for others; the search becomes narrow and runs deep, and where it runs depends on the
//! size of the table and the hash. One such search is one throw; [`crate::isr()`] throws many times.
//!
//! Source: Ernits, *Two State Space Reduction Techniques for Explicit State Model Checking* (2007), chapter 4;
//! a bit is set when the turn of a state comes, as in a recursive search. Every finding of an expansion counts,
//! also one about a step that is not taken: Spin would have to take the step.
//!
//! Depth-first, which is the order that pays, there are two ways to keep the path, with the same order of states:
//!
//! - *small states* ([`crate::pruned_small`]): the steps still to be tried lie in one buffer. Nothing is computed twice.
//! - *large states* ([`crate::pruned_large`]): only what is different from state to state is kept, and steps are asked for
//!   again on the way back.
//!
//! The other orders are in [`crate::pruned_wide`].
//!
//! Cost: one expansion for each bit set at most; a table of a few kilobytes stays in the nearest cache. Nothing
//! is allocated in the loop once the buffers have grown.

use fathom_guide::Heuristic;
use fathom_model::{Evidence, PropertyId, Steps, System};
use fathom_search::Random;

use crate::bits::{BitTable, Places, mix};
use crate::delta::DeltaStack;
use crate::pruned_large::Level;
use crate::pruned_small::{OnPath, Untried};
use crate::pruned_wide::Wide;
use crate::race::{Done, Watch};
use crate::wanted::Wanted;
use crate::way::{Hop, Way, evidence_of};

/// In which order a pruned search goes through states.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum ThrowOrder {
    /// The youngest state first. A heuristic orders the steps of each state.
    #[default]
    DepthFirst,
    /// The oldest state first, whatever a heuristic says.
    BreadthFirst,
    /// The state with the smallest estimate first, the oldest of equals; without a heuristic the oldest.
    Cheapest,
}

/// One pruned search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Throw {
    /// Bits of the table.
    pub bits: u64,
    /// Which bit is whose.
    pub places: Places,
    /// The order of the search.
    pub order: ThrowOrder,
    /// Most steps of the path.
    pub max_depth: u32,
    /// With a seed, steps are tried at random and not in the order of the system.
    pub shuffle: Option<u64>,
    /// With large states: most steps that are tried. A search that succeeds runs almost straight; one that tries
    /// every step of every state on its way back seldom does.
    pub max_tries: Option<u64>,
}

/// What a pruned search has done.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Thrown {
    /// States that got a bit.
    pub n_stored: u64,
    /// Steps to states whose bit was set.
    pub n_matched: u64,
    /// Steps made.
    pub n_transitions: u64,
    /// Length of the longest path.
    pub max_depth: u32,
}

/// Told about every state that is generated, its place, and whether the bit was new.
pub(crate) trait Observer {
    fn generated(&mut self, place: u64, state: &[u8], is_new: bool);

    /// Told about every state that gets a bit, in order.
    fn entered(&mut self, _state: &[u8]) {}
}

/// Watches nothing.
pub(crate) struct Nobody;

impl Observer for Nobody {
    #[inline(always)]
    fn generated(&mut self, _: u64, _: &[u8], _: bool) {}
}

/// What one search is told.
pub(crate) struct Told<'a, O> {
    pub throw: &'a Throw,
    pub wanted: &'a Wanted,
    pub observer: &'a mut O,
    pub watch: &'a Watch<'a>,
    /// Where orders are random.
    pub random: Option<Random>,
}

/// How a pruned search ended.
pub(crate) enum Ended {
    Found(Way, PropertyId),
    Exhausted,
    GaveUp,
}

/// States are large when all steps of one together may take more than so many bytes, or a long path with what is
/// to be tried beside it so many. Then it is better to ask for steps again than to make them all.
const LARGE_EXPANSION: usize = 16 << 10;
const LARGE_PATH: usize = 64 << 20;
const LARGEST_PATH: usize = 512 << 20;
const MOST_PORTIONS: usize = 24;

/// About so many bytes of steps are made between two looks at the clock.
pub(crate) const BYTES_BETWEEN_LOOKS: usize = 1 << 20;

/// Buffers for one pruned search after the other.
pub(crate) struct Pruner<'s, S: System> {
    pub(crate) system: &'s S,
    pub(crate) scratch: S::Scratch,
    pub(crate) steps: Steps<S::Region, S::Label>,
    pub(crate) table: BitTable,
    pub(crate) untried: Vec<Untried<S::Region>>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) path: Vec<OnPath>,
    pub(crate) order: Vec<u32>,
    pub(crate) heuristic: Option<&'s dyn Heuristic<S::Region>>,
    pub(crate) estimates: Vec<u32>,
    pub(crate) delta: DeltaStack<S::Region>,
    pub(crate) levels: Vec<Level>,
    pub(crate) wide: Wide<S::Region>,
    /// Whether states are large, once that is known.
    is_large: Option<bool>,
    pub thrown: Thrown,
    reported: Thrown,
}

impl<'s, S: System> Pruner<'s, S> {
    /// Buffers that have not been used.
    pub fn new(system: &'s S) -> Pruner<'s, S> {
        Pruner {
            system,
            scratch: system.scratch(),
            steps: Steps::new(),
            table: BitTable::new(),
            untried: Vec::new(),
            bytes: Vec::new(),
            path: Vec::new(),
            order: Vec::new(),
            heuristic: None,
            estimates: Vec::new(),
            delta: DeltaStack::new(),
            levels: Vec::new(),
            wide: Wide::new(),
            is_large: None,
            thrown: Thrown::default(),
            reported: Thrown::default(),
        }
    }

    /// With steps tried in the order of their estimates, at random or in the order of the system where these are
    /// equal.
    pub fn guided_by(self, heuristic: Option<&'s dyn Heuristic<S::Region>>) -> Pruner<'s, S> {
        Pruner { heuristic, ..self }
    }

    /// Treats states as small or large whatever they are.
    #[cfg(test)]
    pub fn treat_as_large(&mut self, is_large: bool) {
        self.is_large = Some(is_large);
    }

    /// Makes one search for what is wanted.
    pub fn run(
        &mut self,
        throw: &Throw,
        wanted: &Wanted,
        observer: &mut impl Observer,
        watch: &Watch<'_>,
    ) -> Ended {
        self.thrown = Thrown::default();
        self.reported = Thrown::default();
        self.table.reset(throw.bits, throw.places);
        let random = throw.shuffle.map(Random::new);
        let mut told = Told { throw, wanted, observer, watch, random };
        self.steps.clear();
        self.system.initial(&mut self.scratch, &mut self.steps);
        if let Some(finding) = wanted.first(&self.steps, 0) {
            let way = Way { initial: 0, hops: Vec::new(), evidence: evidence_of(finding), loop_at: None };
            return Ended::Found(way, finding.property);
        }
        if self.steps.is_empty() {
            return Ended::Exhausted;
        }
        let ended = match throw.order {
            ThrowOrder::DepthFirst if self.are_states_large(throw.max_depth) => self.run_large(&mut told),
            ThrowOrder::DepthFirst => self.run_small(&mut told),
            ThrowOrder::BreadthFirst | ThrowOrder::Cheapest => self.run_wide(&mut told),
        };
        self.report(watch);
        ended
    }

    /// Whether the steps to be tried along a path of full depth would take too much memory, judged from the
    /// initial state.
    fn are_states_large(&mut self, max_depth: u32) -> bool {
        if let Some(is_large) = self.is_large {
            return is_large;
        }
        let (state, region) = (self.steps.state(0), self.steps.region(0));
        let mut few = Steps::new();
        let n_portions = self.system.portions(state, region, &mut self.scratch, &mut few);
        let expansion = n_portions * state.len();
        if n_portions == 1 {
            // To ask again is to ask for everything again: only when memory leaves no choice.
            return state.len().saturating_mul(4 * max_depth as usize) > LARGEST_PATH;
        }
        n_portions > MOST_PORTIONS
            || expansion > LARGE_EXPANSION
            || expansion.saturating_mul(max_depth.min(100_000) as usize) > LARGE_PATH
    }

    /// The way along a path of choices, the first of which is the initial state.
    pub(crate) fn found(mut path: impl Iterator<Item = Hop>, found: (Evidence, PropertyId)) -> Ended {
        let initial = path.next().map_or(0, |hop| hop.index);
        Ended::Found(Way { initial, hops: path.collect(), evidence: found.0, loop_at: None }, found.1)
    }

    /// The first finding in the buffer that is wanted, after so many steps.
    pub(crate) fn first_wanted<O>(&self, told: &Told<'_, O>, depth: u32) -> Option<(Evidence, PropertyId)> {
        told.wanted.first(&self.steps, depth).map(|finding| (evidence_of(finding), finding.property))
    }

    /// Looks at the clock after about so many bytes of steps. False when the search is to give up.
    pub(crate) fn goes_on(&mut self, n_bytes: &mut usize, watch: &Watch<'_>) -> bool {
        if *n_bytes <= BYTES_BETWEEN_LOOKS {
            return true;
        }
        *n_bytes = 0;
        self.report(watch)
    }

    /// Says what was done since the last time. False when the search is to give up.
    pub(crate) fn report(&mut self, watch: &Watch<'_>) -> bool {
        let (now, before) = (self.thrown, self.reported);
        self.reported = now;
        watch.goes_on(Done {
            n_states: now.n_stored - before.n_stored,
            n_transitions: now.n_transitions - before.n_transitions,
            depth: u64::from(now.max_depth),
            bytes: (self.bytes.len() + self.delta.bytes() + self.wide.bytes()) as u64 + self.table.bytes(),
        })
    }
}

/// The seed of the order of steps in a throw that is derived from another seed.
pub(crate) fn order_seed(seed: u64) -> u64 {
    mix(seed ^ 0x6f72_6465_7200)
}
