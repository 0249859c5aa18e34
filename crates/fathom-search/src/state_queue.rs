//! A breadth-first queue that holds the states themselves, for a store that cannot recall them.
//!
//! Only the states of two levels are kept: those still to be expanded, and those reached from them. For traces
//! there remains the [`Trail`].

use fathom_model::{Region, Steps, Stop};
use fathom_store::Store;

use crate::frontier::{Frontier, Reached};
use crate::trail::Trail;

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
        }
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
    fn add<L>(&mut self, steps: &Steps<R, L>, depth: u32, reached: &mut Reached<'_, St>) -> Result<(), Stop> {
        self.keys.clear();
        reached.keys(steps, &mut self.opened, &mut self.keys)?;
        for &key in &self.keys {
            reached.store.prefetch(key);
        }
        for (index, &key) in self.keys.iter().enumerate() {
            let (state, region) = (steps.state(index), steps.region(index));
            if reached.insert(key, state, region, depth)?.is_none() {
                continue;
            }
            if !self.trail.push(self.current_index(), index as u32) {
                return Err(Stop::Memory);
            }
            self.next_level.bytes.extend_from_slice(state);
            self.next_level.ends.push(self.next_level.bytes.len());
            self.next_level.regions.push(region.clone());
        }
        Ok(())
    }

    fn flush(&mut self, _: &mut Reached<'_, St>) -> Result<(), Stop> {
        Ok(())
    }

    fn n_held_back(&self) -> usize {
        0
    }

    fn next(&mut self, _: &mut Reached<'_, St>) -> Result<bool, Stop> {
        if self.next == self.level.ends.len() {
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
        self.level.bytes() + self.next_level.bytes() + self.trail.bytes()
    }
}
