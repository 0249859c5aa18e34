//! Breadth-first search: states in the order in which they were first reached.
//!
//! A store that keeps parents gives out ids in order and without gaps, so the queue needs no memory: it is
//! the range of ids between the one expanded last and the one given out last. Traces to evidence are
//! shortest when there are no regions; with regions, a state that is swallowed by one of the next level is
//! skipped, which may cost a step.
//!
//! Insertions are held back until there are enough of them, or the level ends: first the memory that each
//! needs is asked for, then all are done in order. Ids, parents and counts are those of one by one. With
//! regions nothing is held back, because what an insertion swallows must not be expanded.

use fathom_model::{Region, Steps, Stop, System};
use fathom_store::{BitstateStore, CompactStore, ExactStore, Keep, PlainParts, StateId, Store};

use crate::frontier::{Frontier, Reached, Way};
use crate::options::{Monitor, Options, StoreKind};
use crate::outcome::Outcome;
use crate::sample::fit_to_sample;
use crate::search::search;
use crate::state_queue::StateQueue;

/// Insertions that are held back at most, and a few more: those of one state are never torn apart.
const BATCH: usize = 64;

/// Explores breadth-first, with the store that the options ask for.
pub fn breadth_first<S: System>(system: &S, options: &Options, monitor: &mut dyn Monitor) -> Outcome {
    let kind = if size_of::<S::Region>() == 0 { options.store } else { StoreKind::Exact };
    match kind {
        StoreKind::Exact => {
            let mut store: ExactStore<S::Region> = ExactStore::new(Keep::Parents);
            fit_to_sample(system, &mut store);
            search(system, &mut store, &mut Queue::new(), options, monitor)
        }
        StoreKind::Plain => {
            let mut store: ExactStore<S::Region, PlainParts> = ExactStore::new(Keep::Parents);
            search(system, &mut store, &mut Queue::new(), options, monitor)
        }
        StoreKind::Compact { bits } => {
            search(system, &mut CompactStore::new(bits), &mut StateQueue::new(), options, monitor)
        }
        StoreKind::Bitstate { bits, hashes, seed } => {
            let mut store = BitstateStore::new(bits, hashes, seed);
            search(system, &mut store, &mut StateQueue::new(), options, monitor)
        }
    }
}

/// A queue of states, for a store that gives out ids in order.
#[derive(Debug)]
pub struct Queue<R: Region, St: Store<R>> {
    /// Index of the next id to expand.
    next: usize,
    /// One past the last index at the depth of `next`.
    level_end: usize,
    /// One past the last index reached.
    end: usize,
    /// Depth of the current state.
    depth: u32,
    current: Option<StateId>,
    opened: St::Opened,
    /// Insertions held back, all at the next depth.
    batch: Vec<HeldBack<St::Key>>,
    /// Their explicit parts, if the store needs them.
    batch_bytes: Vec<u8>,
    /// A region, when there are any states; regions without size are all alike.
    region: Option<R>,
}

#[derive(Clone, Copy, Debug)]
struct HeldBack<K> {
    key: K,
    parent: Option<StateId>,
    /// One past the last byte of the explicit part.
    end: usize,
}

impl<R: Region, St: Store<R>> Queue<R, St> {
    const HAS_REGIONS: bool = size_of::<R>() != 0;

    /// An empty queue.
    pub fn new() -> Queue<R, St> {
        Queue {
            next: 0,
            level_end: 0,
            end: 0,
            depth: 0,
            current: None,
            opened: St::Opened::default(),
            batch: Vec::new(),
            batch_bytes: Vec::new(),
            region: None,
        }
    }

    #[inline]
    fn insert(
        &mut self,
        key: St::Key,
        state: &[u8],
        region: &R,
        parent: Option<StateId>,
        reached: &mut Reached<'_, St>,
    ) -> Result<(), Stop> {
        let depth = self.depth + u32::from(parent.is_some());
        if let Some(id) = reached.insert(key, state, region, parent, depth)? {
            debug_assert_eq!(id.index(), self.end, "a queue needs a store that keeps parents");
            self.end += 1;
        }
        Ok(())
    }

    fn hold_back<L>(&mut self, steps: &Steps<R, L>, reached: &mut Reached<'_, St>) -> Result<(), Stop> {
        for index in 0..steps.len() {
            let state = steps.state(index);
            let key = reached.key(state, &mut self.opened)?;
            reached.store.prefetch(key);
            if St::NEEDS_BYTES {
                self.batch_bytes.extend_from_slice(state);
            }
            self.batch.push(HeldBack { key, parent: self.current, end: self.batch_bytes.len() });
        }
        if self.region.is_none() && !steps.is_empty() {
            self.region = Some(steps.region(0).clone());
        }
        Ok(())
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
        for &HeldBack { key, parent, end } in &batch {
            self.insert(key, &bytes[start..end], &region, parent, reached)?;
            start = end;
        }
        (self.batch, self.batch_bytes) = (batch, bytes);
        self.batch.clear();
        self.batch_bytes.clear();
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
                self.insert(key, steps.state(index), steps.region(index), self.current, reached)?;
            }
        } else {
            self.hold_back(steps, reached)?;
            if self.batch.len() >= BATCH {
                self.insert_batch(reached)?;
            }
        }
        if self.current.is_none() {
            self.flush(reached)?;
            self.level_end = self.end;
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
            if self.next == self.level_end {
                self.flush(reached)?;
                if self.next == self.end {
                    return Ok(false);
                }
                self.depth += 1;
                self.level_end = self.end;
            }
            let id = StateId::from_index(self.next);
            self.next += 1;
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

    fn key(&mut self, state: &[u8], store: &mut St) -> Option<St::Key> {
        store.key(state, &mut self.opened)
    }

    fn depth(&self) -> u32 {
        self.depth
    }

    fn way(&self) -> Way {
        Way::Parents(self.current.expect("a frontier stands at a state"))
    }

    fn n_pending(&self) -> usize {
        self.end - self.next
    }

    fn bytes(&self) -> usize {
        self.batch.capacity() * size_of::<HeldBack<St::Key>>() + self.batch_bytes.capacity()
    }
}
