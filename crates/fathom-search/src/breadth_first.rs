//! Breadth-first search: states in the order in which they were first reached.
//!
//! The queue holds the ids of the states that were reached and not expanded yet; how each was reached is in the
//! [`Trail`]. Traces to evidence are shortest when there are no regions; with regions, a state that is swallowed
//! by one of the next level is skipped, which may cost a step.
//!
//! Insertions are held back until there are enough of them, or the level ends: the memory that each needs is
//! asked for at once, then all are done in order. Ids, ways and counts are those of one by one. With regions
//! nothing is held back, because what an insertion swallows must not be expanded.

use std::collections::VecDeque;

use fathom_model::{Region, Steps, Stop, System};
use fathom_store::{
    BitstateStore, CompactStore, ExactStore, Keep, PackedBitstateStore, PackedStore, PlainParts, StateId,
    Store,
};

use crate::frontier::{Frontier, Reached};
use crate::options::{Monitor, Options, StoreKind};
use crate::outcome::Outcome;
use crate::sample::fit_to_sample;
use crate::search::search;
use crate::state_queue::StateQueue;
use crate::trail::Trail;

/// Insertions that are held back at most, and a few more: those of one state are never torn apart.
const BATCH: usize = 64;

/// Explores breadth-first, with the store that the options ask for. A lossy store does not look for regions that include others: only equal
/// ones are known.
pub fn breadth_first<S: System>(system: &S, options: &Options, monitor: &mut dyn Monitor) -> Outcome {
    match options.store {
        StoreKind::Exact if size_of::<S::Region>() == 0 => {
            let mut store: PackedStore<S::Region> = PackedStore::new();
            fit_to_sample(system, options, &mut store);
            search(system, &mut store, &mut Queue::new(), options, monitor)
        }
        StoreKind::Exact => {
            // Regions are what takes memory: a sample of explicit parts would cost more than it saves.
            let mut store: ExactStore<S::Region, PlainParts> = ExactStore::new(Keep::Covered);
            search(system, &mut store, &mut Queue::new(), options, monitor)
        }
        StoreKind::Plain => {
            let mut store: ExactStore<S::Region, PlainParts> = ExactStore::new(Keep::Covered);
            search(system, &mut store, &mut Queue::new(), options, monitor)
        }
        StoreKind::Compact { bits } => {
            search(system, &mut CompactStore::new(bits), &mut StateQueue::new(), options, monitor)
        }
        StoreKind::Bitstate { bits, hashes, seed } if size_of::<S::Region>() != 0 => {
            let mut store = BitstateStore::new(bits, hashes, seed);
            search(system, &mut store, &mut StateQueue::new(), options, monitor)
        }
        StoreKind::Bitstate { bits, hashes, seed } => {
            let mut store: PackedBitstateStore<S::Region> = PackedBitstateStore::new(bits, hashes, seed);
            fit_to_sample(system, options, &mut store);
            if store.packs_simply() {
                return search(system, &mut store, &mut Queue::new(), options, monitor);
            }
            let mut store = BitstateStore::new(bits, hashes, seed);
            search(system, &mut store, &mut StateQueue::new(), options, monitor)
        }
    }
}

/// A queue of states, for a store that recalls them.
#[derive(Debug)]
pub struct Queue<R: Region, St: Store<R>> {
    /// States reached and not taken yet.
    waiting: VecDeque<StateId>,
    /// How many of them are at the depth of the current state.
    n_of_level: usize,
    /// States that were taken.
    n_taken: u32,
    /// Depth of the current state.
    depth: u32,
    current: Option<StateId>,
    trail: Trail,
    opened: St::Opened,
    /// The keys of the steps of the current state.
    keys: Vec<St::Key>,
    /// Insertions held back, all at the next depth.
    batch: Vec<HeldBack<St::Key>>,
    /// Their explicit parts, and one past the last byte of each, if the store needs them.
    batch_bytes: Vec<u8>,
    batch_ends: Vec<usize>,
    /// A region, when there are any states; regions without size are all alike.
    region: Option<R>,
}

#[derive(Clone, Copy, Debug)]
struct HeldBack<K> {
    key: K,
    /// The number of the state that was expanded plus one, 0 for none; and which of its steps this is.
    parent: u32,
    choice: u32,
}

impl<R: Region, St: Store<R>> Queue<R, St> {
    const HAS_REGIONS: bool = size_of::<R>() != 0;

    /// An empty queue.
    pub fn new() -> Queue<R, St> {
        Queue {
            waiting: VecDeque::new(),
            n_of_level: 0,
            n_taken: 0,
            depth: 0,
            current: None,
            trail: Trail::default(),
            opened: St::Opened::default(),
            keys: Vec::new(),
            batch: Vec::new(),
            batch_bytes: Vec::new(),
            batch_ends: Vec::new(),
            region: None,
        }
    }

    /// The number of the current state.
    #[inline]
    fn current_number(&self) -> Option<u32> {
        self.n_taken.checked_sub(1)
    }

    #[inline]
    fn insert(
        &mut self,
        held_back: HeldBack<St::Key>,
        state: &[u8],
        region: &R,
        reached: &mut Reached<'_, St>,
    ) -> Result<(), Stop> {
        let HeldBack { key, parent, choice } = held_back;
        let parent = parent.checked_sub(1);
        let depth = self.depth + u32::from(parent.is_some());
        if let Some(id) = reached.insert(key, state, region, depth)? {
            if !self.trail.push(parent, choice) {
                return Err(Stop::Memory);
            }
            self.waiting.push_back(id);
        }
        Ok(())
    }

    #[inline]
    fn hold_back<L>(&mut self, steps: &Steps<R, L>, reached: &mut Reached<'_, St>) -> Result<(), Stop> {
        self.keys.clear();
        reached.keys(steps, &mut self.opened, &mut self.keys)?;
        let keys = std::mem::take(&mut self.keys);
        self.hold_back_keys(&keys, reached, |index| steps.state(index));
        self.keys = keys;
        if self.region.is_none() && !steps.is_empty() {
            self.region = Some(steps.region(0).clone());
        }
        Ok(())
    }

    #[inline]
    fn hold_back_keys<'s>(
        &mut self,
        keys: &[St::Key],
        reached: &mut Reached<'_, St>,
        state: impl Fn(usize) -> &'s [u8],
    ) {
        for (index, &key) in keys.iter().enumerate() {
            if reached.store.was_seen(key, &mut self.opened) {
                reached.n_matched += 1;
                continue;
            }
            reached.store.prefetch(key);
            if St::NEEDS_BYTES {
                self.batch_bytes.extend_from_slice(state(index));
                self.batch_ends.push(self.batch_bytes.len());
            }
            self.batch.push(HeldBack { key, parent: self.n_taken, choice: index as u32 });
        }
    }

    fn insert_batch(&mut self, reached: &mut Reached<'_, St>) -> Result<(), Stop> {
        let Some(region) = self.region.clone() else {
            return Ok(());
        };
        let (batch, bytes) = (std::mem::take(&mut self.batch), std::mem::take(&mut self.batch_bytes));
        for held_back in &batch {
            reached.store.prefetch_match(held_back.key);
        }
        let mut start = 0;
        for (index, &held_back) in batch.iter().enumerate() {
            let end = if St::NEEDS_BYTES { self.batch_ends[index] } else { 0 };
            self.insert(held_back, &bytes[start..end], &region, reached)?;
            start = end;
        }
        (self.batch, self.batch_bytes) = (batch, bytes);
        self.batch.clear();
        self.batch_bytes.clear();
        self.batch_ends.clear();
        Ok(())
    }
}

impl<R: Region, St: Store<R>> Default for Queue<R, St> {
    fn default() -> Queue<R, St> {
        Queue::new()
    }
}

impl<R: Region, St: Store<R>> Frontier<R, St> for Queue<R, St> {
    #[inline]
    fn add<L>(&mut self, steps: &Steps<R, L>, _: u32, reached: &mut Reached<'_, St>) -> Result<(), Stop> {
        if Self::HAS_REGIONS {
            for index in 0..steps.len() {
                let key = reached.key(steps.state(index), &mut self.opened)?;
                let step = HeldBack { key, parent: self.n_taken, choice: index as u32 };
                self.insert(step, steps.state(index), steps.region(index), reached)?;
            }
        } else {
            self.hold_back(steps, reached)?;
            if self.batch.len() >= BATCH {
                self.insert_batch(reached)?;
            }
        }
        if self.current.is_none() {
            self.flush(reached)?;
            self.n_of_level = self.waiting.len();
        }
        Ok(())
    }

    fn flush(&mut self, reached: &mut Reached<'_, St>) -> Result<(), Stop> {
        if self.batch.is_empty() { Ok(()) } else { self.insert_batch(reached) }
    }

    fn n_held_back(&self) -> usize {
        self.batch.len()
    }

    #[inline]
    fn next(&mut self, reached: &mut Reached<'_, St>) -> Result<bool, Stop> {
        loop {
            if self.n_of_level == 0 {
                self.flush(reached)?;
                if self.waiting.is_empty() {
                    return Ok(false);
                }
                self.depth += 1;
                self.n_of_level = self.waiting.len();
            }
            let Some(id) = self.waiting.pop_front() else {
                return Ok(false);
            };
            self.n_of_level -= 1;
            self.n_taken += 1;
            self.current = Some(id);
            if !reached.may_skip(id) {
                return Ok(true);
            }
        }
    }

    #[inline]
    fn current<'a>(&'a mut self, store: &'a St) -> (&'a [u8], &'a R) {
        store.open(self.current.expect("a frontier stands at a state"), &mut self.opened)
    }

    #[inline]
    fn id(&self) -> Option<StateId> {
        self.current
    }

    #[inline]
    fn add_keys(&mut self, keys: &[St::Key], _: u32, reached: &mut Reached<'_, St>) -> Result<(), Stop> {
        self.hold_back_keys(keys, reached, |_| &[]);
        if self.batch.len() >= BATCH { self.insert_batch(reached) } else { Ok(()) }
    }

    fn key(&mut self, state: &[u8], store: &mut St) -> Option<St::Key> {
        store.key(state, &mut self.opened)
    }

    fn depth(&self) -> u32 {
        self.depth
    }

    fn way(&self) -> Vec<u32> {
        self.current_number().map_or_else(Vec::new, |number| self.trail.way(number))
    }

    fn n_pending(&self) -> usize {
        self.waiting.len()
    }

    fn trail_bytes(&self) -> usize {
        self.trail.bytes()
    }

    fn bytes(&self) -> usize {
        self.waiting.capacity() * size_of::<StateId>()
            + self.trail.bytes()
            + self.batch.capacity() * size_of::<HeldBack<St::Key>>()
            + self.batch_bytes.capacity()
    }
}
