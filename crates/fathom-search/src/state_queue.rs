//! A breadth-first queue that holds the states themselves, for a store that cannot recall them.
//!
//! Only the states of two levels are kept: those still to be expanded, and those reached from them. For traces
//! there remains the [`Trail`].

use fathom_model::{Region, Steps, Stop};
use fathom_store::Store;

use crate::frontier::{Frontier, Reached};
use crate::trail::Trail;

/// Insertions that are held back at most, and a few more: those of one state are never torn apart.
const BATCH: usize = 64;

/// A queue of states, for a store that does not recall them.
#[derive(Debug)]
pub struct StateQueue<R: Region, St: Store<R>> {
    level: Level<R>,
    next_level: Level<R>,
    /// Index of the next state of the level.
    next: usize,
    depth: u32,
    /// States expanded or under expansion, over all levels.
    n_taken: u64,
    trail: Trail,
    opened: St::Opened,
    keys: Vec<St::Key>,
    /// Insertions held back: the key, the state that was expanded, and which of its steps this is.
    batch: Vec<(St::Key, Option<u32>, u32)>,
    /// The states that go with them.
    held_back: Level<R>,
}

/// The states of a level.
#[derive(Debug)]
struct Level<R> {
    bytes: Vec<u8>,
    /// One past the last byte of each state.
    ends: Vec<usize>,
    regions: Vec<R>,
}

impl<R> Level<R> {
    fn new() -> Level<R> {
        Level { bytes: Vec::new(), ends: Vec::new(), regions: Vec::new() }
    }

    fn state(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    fn push(&mut self, state: &[u8], region: &R)
    where
        R: Clone,
    {
        self.bytes.extend_from_slice(state);
        self.ends.push(self.bytes.len());
        self.regions.push(region.clone());
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.regions.clear();
    }

    fn bytes(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<usize>()
    }
}

impl<R: Region, St: Store<R>> StateQueue<R, St> {
    /// An empty queue.
    pub fn new() -> StateQueue<R, St> {
        StateQueue {
            level: Level::new(),
            next_level: Level::new(),
            next: 0,
            depth: 0,
            n_taken: 0,
            trail: Trail::default(),
            opened: St::Opened::default(),
            keys: Vec::new(),
            batch: Vec::new(),
            held_back: Level::new(),
        }
    }

    fn insert_batch(&mut self, reached: &mut Reached<'_, St>) -> Result<(), Stop> {
        let depth = self.depth + u32::from(self.n_taken > 0);
        for (index, &(key, parent, choice)) in self.batch.iter().enumerate() {
            let (state, region) = (self.held_back.state(index), &self.held_back.regions[index]);
            if reached.insert(key, state, region, depth)?.is_none() {
                continue;
            }
            if !self.trail.push(parent, choice) {
                return Err(Stop::Memory);
            }
            self.next_level.push(state, region);
        }
        self.batch.clear();
        self.held_back.clear();
        Ok(())
    }

    fn current_index(&self) -> Option<u32> {
        self.n_taken.checked_sub(1).map(|index| index as u32)
    }
}

impl<R: Region, St: Store<R>> Default for StateQueue<R, St> {
    fn default() -> StateQueue<R, St> {
        StateQueue::new()
    }
}

impl<R: Region, St: Store<R>> Frontier<R, St> for StateQueue<R, St> {
    fn add<L>(&mut self, steps: &Steps<R, L>, _: u32, reached: &mut Reached<'_, St>) -> Result<(), Stop> {
        self.keys.clear();
        reached.keys(steps, &mut self.opened, &mut self.keys)?;
        let parent = self.current_index();
        for (index, &key) in self.keys.iter().enumerate() {
            if reached.store.was_seen(key, &mut self.opened) {
                reached.n_matched += 1;
                continue;
            }
            reached.store.prefetch(key);
            self.batch.push((key, parent, index as u32));
            self.held_back.push(steps.state(index), steps.region(index));
        }
        if self.batch.len() >= BATCH || parent.is_none() { self.insert_batch(reached) } else { Ok(()) }
    }

    fn flush(&mut self, reached: &mut Reached<'_, St>) -> Result<(), Stop> {
        self.insert_batch(reached)
    }

    fn n_held_back(&self) -> usize {
        self.batch.len()
    }

    fn next(&mut self, reached: &mut Reached<'_, St>) -> Result<bool, Stop> {
        if self.next == self.level.ends.len() {
            self.insert_batch(reached)?;
            if self.next_level.ends.is_empty() {
                return Ok(false);
            }
            std::mem::swap(&mut self.level, &mut self.next_level);
            self.next_level.clear();
            self.next = 0;
            self.depth += u32::from(self.n_taken > 0);
        }
        self.next += 1;
        self.n_taken += 1;
        Ok(true)
    }

    fn current<'a>(&'a mut self, _: &'a St) -> (&'a [u8], &'a R) {
        (self.level.state(self.next - 1), &self.level.regions[self.next - 1])
    }

    fn key(&mut self, state: &[u8], store: &mut St) -> Option<St::Key> {
        store.key(state, &mut self.opened)
    }

    fn depth(&self) -> u32 {
        self.depth
    }

    fn way(&self) -> Vec<u32> {
        self.current_index().map_or_else(Vec::new, |index| self.trail.way(index))
    }

    fn n_pending(&self) -> usize {
        self.level.ends.len() - self.next + self.next_level.ends.len()
    }

    fn trail_bytes(&self) -> usize {
        self.trail.bytes()
    }

    fn bytes(&self) -> usize {
        self.level.bytes() + self.next_level.bytes() + self.held_back.bytes() + self.trail.bytes()
    }
}
