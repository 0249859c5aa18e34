//! The exact store: every explicit part in full, and for each one the regions reached with it.
//!
//! Explicit parts live in a set of their own kind, compressed ([`PackedParts`]) or in full ([`PlainParts`]);
//! both compare everything, so that "known" means known. The regions of an explicit part form a chain. An
//! insertion walks it once: a region that includes the new one makes it known; those that the new one
//! includes are taken off the chain. A chain is therefore an antichain under inclusion. This is the passed
//! list of timed-automata checkers (Bengtsson and Yi, "Timed Automata: Semantics, Algorithms and Tools",
//! LNCS 3098, 2004), for regions of any kind.
//!
//! A region type without size has a single value, which includes itself: each chain would have one link. For
//! such types the compiler drops chains altogether, the number of a state is the number of its explicit
//! part, and what is left is a plain set of byte strings.
//!
//! Cost without regions: what the set of explicit parts costs, and 4 bytes for the depth if depths are kept.
//! Where neither is needed, [`PackedStore`](crate::PackedStore) is smaller and faster.

use fathom_model::Region;

use crate::packed_parts::PackedParts;
use crate::parts::Parts;
#[cfg(doc)]
use crate::plain::PlainParts;
use crate::store::{Insert, StateId, Store};

/// No state: the end of a chain.
const NONE: u32 = u32::MAX;
/// In place of the next link: the region is covered and on no chain.
const COVERED: u32 = u32::MAX - 1;

/// What a store keeps with each state, beyond the state itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// Nothing, and states that become covered stay readable: for a search that holds ids.
    Covered,
    /// Nothing. The ids of covered states are used again.
    States,
    /// Like [`Keep::States`], with the least depth at which each state was reached, for bounded search. A
    /// state that comes back at a smaller depth is new.
    Depths,
    /// Like [`Keep::Covered`], with depths.
    CoveredDepths,
}

impl Keep {
    fn keeps_depths(self) -> bool {
        matches!(self, Keep::Depths | Keep::CoveredDepths)
    }

    fn keeps_covered(self) -> bool {
        matches!(self, Keep::Covered | Keep::CoveredDepths)
    }
}

/// A store that is never wrong.
///
/// # Example
///
/// ```
/// use fathom_model::NoRegion;
/// use fathom_store::{ExactStore, Insert, Keep, Store};
///
/// let mut store: ExactStore<NoRegion> = ExactStore::new(Keep::States);
/// let Insert::New(first) = store.put(b"first", &NoRegion, 0) else { panic!() };
/// let Insert::New(second) = store.put(b"second", &NoRegion, 1) else { panic!() };
/// assert_eq!(store.put(b"first", &NoRegion, 2), Insert::Known);
/// assert_eq!(store.open(second, &mut Default::default()).0, b"second");
/// ```
#[derive(Debug)]
pub struct ExactStore<R, P = PackedParts> {
    keep: Keep,
    /// The explicit parts by number.
    parts: P,
    /// By state. A vector of a type without size takes no memory, and only counts.
    regions: Vec<R>,
    /// Bytes that the regions hold outside of the vector.
    region_heap: usize,
    /// By state; empty unless depths are kept.
    depths: Vec<u32>,
    /// First state of the chain of each explicit part. This and the next two are empty without regions.
    heads: Vec<u32>,
    /// By state: the next one on the chain, or `NONE`, or `COVERED`.
    links: Vec<u32>,
    /// By state: its explicit part.
    part_of: Vec<u32>,
    /// Covered states whose ids may be used again; empty when covered states stay readable.
    free: Vec<u32>,
    n_covered: usize,
    max_states: u64,
    max_bytes: u64,
}

impl<R: Region, P: Parts> ExactStore<R, P> {
    /// Whether there is anything to say about regions at all.
    const HAS_REGIONS: bool = size_of::<R>() != 0;

    /// An empty store without limits.
    pub fn new(keep: Keep) -> ExactStore<R, P> {
        ExactStore {
            keep,
            parts: P::default(),
            regions: Vec::new(),
            region_heap: 0,
            depths: Vec::new(),
            heads: Vec::new(),
            links: Vec::new(),
            part_of: Vec::new(),
            free: Vec::new(),
            n_covered: 0,
            max_states: u64::MAX,
            max_bytes: u64::MAX,
        }
    }

    /// A state with an explicit part that is in the table: without regions, the state is known unless it
    /// was deeper.
    #[inline]
    fn insert_known_part(&mut self, part: u32, region: &R, depth: u32) -> Insert {
        if Self::HAS_REGIONS {
            return self.insert_in_chain(part, region, depth);
        }
        if self.keep.keeps_depths() && depth < self.depths[part as usize] {
            self.depths[part as usize] = depth;
            return Insert::New(StateId(u64::from(part)));
        }
        Insert::Known
    }

    /// Makes the key of a state when that takes more memory, unless the limit forbids.
    #[cold]
    fn key_after_growth(&mut self, state: &[u8], near: &mut P::Opened) -> Option<P::Key> {
        loop {
            let growth = self.parts.key_growth()?;
            if self.max_bytes != u64::MAX && (self.bytes() + growth) as u64 > self.max_bytes {
                return None;
            }
            self.parts.grow_for_keys();
            if let Some(key) = self.parts.key(state, near) {
                return Some(key);
            }
        }
    }

    fn insert_in_chain(&mut self, part: u32, region: &R, depth: u32) -> Insert {
        let mut n_swallowed = 0;
        let mut id = self.heads[part as usize];
        while id != NONE {
            if self.includes(id, region, depth) {
                return Insert::Known;
            }
            let (stored, stored_depth) = (&self.regions[id as usize], self.depth(id));
            n_swallowed += usize::from(Self::swallows(region, depth, stored, stored_depth));
            id = self.links[id as usize];
        }
        if !self.has_room(None, n_swallowed) {
            return Insert::Full;
        }
        if n_swallowed > 0 {
            self.unlink_swallowed(part, region, depth);
        }
        let id = self.add_state(region, depth);
        self.link(part, id);
        Insert::New(StateId(u64::from(id)))
    }

    /// Whether a stored state includes a region reached at a depth.
    fn includes(&self, id: u32, region: &R, depth: u32) -> bool {
        self.depth(id).is_none_or(|stored| stored <= depth) && self.regions[id as usize].includes(region)
    }

    fn swallows(region: &R, depth: u32, stored: &R, stored_depth: Option<u32>) -> bool {
        stored_depth.is_none_or(|stored| depth <= stored) && region.includes(stored)
    }

    /// The least depth at which a state was reached, if depths are kept.
    fn depth(&self, id: u32) -> Option<u32> {
        self.depths.get(id as usize).copied()
    }

    fn unlink_swallowed(&mut self, part: u32, region: &R, depth: u32) {
        let mut before = NONE;
        let mut id = self.heads[part as usize];
        while id != NONE {
            let next = self.links[id as usize];
            if Self::swallows(region, depth, &self.regions[id as usize], self.depth(id)) {
                match before {
                    NONE => self.heads[part as usize] = next,
                    before => self.links[before as usize] = next,
                }
                self.links[id as usize] = COVERED;
                self.n_covered += 1;
                if !self.keep.keeps_covered() {
                    self.free.push(id);
                }
            } else {
                before = id;
            }
            id = next;
        }
    }

    /// A row for a state, on no chain yet.
    #[inline]
    fn add_state(&mut self, region: &R, depth: u32) -> u32 {
        if cfg!(debug_assertions) {
            region.assert_valid();
        }
        self.region_heap += region.heap_size();
        if Self::HAS_REGIONS
            && let Some(id) = self.free.pop()
        {
            self.region_heap -= self.regions[id as usize].heap_size();
            self.regions[id as usize] = region.clone();
            if self.keep.keeps_depths() {
                self.depths[id as usize] = depth;
            }
            self.n_covered -= 1;
            return id;
        }
        let id = self.regions.len() as u32;
        self.regions.push(region.clone());
        if self.keep.keeps_depths() {
            self.depths.push(depth);
        }
        id
    }

    /// Puts a state in front of the chain of its explicit part.
    fn link(&mut self, part: u32, id: u32) {
        let next = self.heads[part as usize];
        if id as usize == self.links.len() {
            self.links.push(next);
            self.part_of.push(part);
        } else {
            self.links[id as usize] = next;
            self.part_of[id as usize] = part;
        }
        self.heads[part as usize] = id;
    }

    /// Whether the limits allow one more state, which covers `n_swallowed` and brings a new explicit part of
    /// this length, if any.
    #[inline]
    fn has_room(&self, new_part: Option<usize>, n_swallowed: usize) -> bool {
        let n_after = self.len() - n_swallowed + 1;
        if n_after as u64 > self.max_states || self.regions.len() >= COVERED as usize {
            return false;
        }
        let mut growth = 0;
        if let Some(length) = new_part {
            match self.parts.growth(length) {
                Some(bytes) => growth += bytes,
                None => return false,
            }
        }
        for words in [&self.depths, &self.heads, &self.links, &self.part_of] {
            growth += doubling(words);
        }
        growth += doubling(&self.regions);
        growth == 0 || self.max_bytes == u64::MAX || (self.bytes() + growth) as u64 <= self.max_bytes
    }
}

/// Bytes by which a vector grows when something is pushed. The first few bytes do not count.
#[inline]
fn doubling<T>(vector: &Vec<T>) -> usize {
    // The capacity of a vector of a type without size is never reached.
    if vector.len() == vector.capacity() { vector.capacity() * size_of::<T>() } else { 0 }
}

impl<R: Region, P: Parts> Store<R> for ExactStore<R, P> {
    type Key = P::Key;
    type Opened = P::Opened;
    const NEEDS_BYTES: bool = P::NEEDS_BYTES;
    const RECALLS: bool = true;

    fn fit(&mut self, sample: &mut dyn Iterator<Item = &[u8]>) {
        self.parts.fit(sample);
    }

    #[inline]
    fn key(&mut self, state: &[u8], near: &mut P::Opened) -> Option<P::Key> {
        match self.parts.key(state, near) {
            Some(key) => Some(key),
            None => self.key_after_growth(state, near),
        }
    }

    #[inline]
    fn prefetch(&self, key: P::Key) {
        self.parts.prefetch(key);
    }

    #[inline]
    fn prefetch_match(&self, key: P::Key) {
        self.parts.prefetch_match(key);
    }

    #[inline]
    fn insert(&mut self, key: P::Key, state: &[u8], region: &R, depth: u32) -> Insert {
        let vacant = match self.parts.find(key, state) {
            Ok(part) => return self.insert_known_part(part, region, depth),
            Err(vacant) => vacant,
        };
        if !self.has_room(Some(state.len()), 0) {
            return Insert::Full;
        }
        let part = self.parts.fill(vacant, key, state);
        let id = self.add_state(region, depth);
        if Self::HAS_REGIONS {
            self.heads.push(NONE);
            self.link(part, id);
        }
        Insert::New(StateId(u64::from(id)))
    }

    #[inline]
    fn knows(&self, key: P::Key, state: &[u8], region: &R, depth: u32) -> bool {
        let Ok(part) = self.parts.find(key, state) else {
            return false;
        };
        if !Self::HAS_REGIONS {
            return self.depth(part).is_none_or(|stored| stored <= depth);
        }
        let mut id = self.heads[part as usize];
        while id != NONE && !self.includes(id, region, depth) {
            id = self.links[id as usize];
        }
        id != NONE
    }

    #[inline]
    fn open<'a>(&'a self, id: StateId, opened: &'a mut P::Opened) -> (&'a [u8], &'a R) {
        let index = id.0 as usize;
        let part = if Self::HAS_REGIONS { self.part_of[index] } else { id.0 as u32 };
        (self.parts.open(part, opened), &self.regions[index])
    }

    #[inline]
    fn is_covered(&self, id: StateId) -> bool {
        Self::HAS_REGIONS && self.links[id.0 as usize] == COVERED
    }

    #[inline]
    fn len(&self) -> usize {
        self.regions.len() - self.n_covered
    }

    fn bytes(&self) -> usize {
        let words = [&self.depths, &self.heads, &self.links, &self.part_of, &self.free];
        let words: usize = words.iter().map(|words| words.capacity() * size_of::<u32>()).sum();
        let regions = if Self::HAS_REGIONS { self.regions.capacity() * size_of::<R>() } else { 0 };
        self.parts.bytes() + words + regions + self.region_heap
    }

    fn set_limits(&mut self, max_states: u64, max_bytes: u64) {
        self.max_states = max_states;
        // Keys take a little memory before anything is inserted: leave some for those of one expansion.
        self.max_bytes = if P::NEEDS_BYTES { max_bytes } else { max_bytes - max_bytes / 64 };
        if max_bytes == u64::MAX {
            self.max_bytes = u64::MAX;
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
