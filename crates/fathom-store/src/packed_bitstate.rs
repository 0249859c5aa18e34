//! Bitstate hashing of packed states, for breadth-first search.
//!
//! What is hashed is the root of a state ([`packing`](crate::packing)), and so is what waits to be expanded: eight bytes
//! in place of a state. The field of bits is that of [`BitstateStore`], and so is what can be said about omissions:
//! a root says everything about its state, so nothing is lost before it is hashed.
//!
//! States that cannot be packed are hashed as they are, and kept in full until it is their turn. A search
//! opens states in the order in which it has made their keys, so what lies before the last one that was opened can go.

use std::cell::Cell;
use std::collections::VecDeque;

use fathom_model::{ByteSet, Region, Steps, Trust};
use rapidhash::v3::rapidhash_v3;

use crate::bitstate::BitstateStore;
use crate::packing::{Opened, Packer, TREE};
use crate::store::{Insert, StateId, Store};

/// Bytes of a chunk of states that are kept in full, and a state more.
const CHUNK: usize = 1 << 18;

/// A store of bits that can recall states as long as they wait to be expanded.
#[derive(Debug)]
pub struct PackedBitstateStore<R> {
    packer: Packer,
    field: BitstateStore,
    unpacked: Unpacked,
    /// A region, when there are any states: those without size are all alike.
    region: Option<R>,
    max_bytes: u64,
}

/// States in full, one after the other.
#[derive(Default, Debug)]
struct Unpacked {
    chunks: VecDeque<Chunk>,
    /// Chunks that are gone.
    n_gone: usize,
    /// The last state that was opened is in this chunk.
    opened: Cell<usize>,
}

#[derive(Default, Debug)]
struct Chunk {
    bytes: Vec<u8>,
    /// One past the last byte of each state.
    ends: Vec<u32>,
}

impl Unpacked {
    /// Bits of the index of a state in its chunk.
    const INDEX_BITS: u32 = 20;

    /// Keeps a state; gives where it is.
    fn push(&mut self, state: &[u8]) -> u64 {
        while self.n_gone < self.opened.get() && self.chunks.len() > 1 {
            self.chunks.pop_front();
            self.n_gone += 1;
        }
        if self.chunks.back().is_none_or(|chunk| chunk.bytes.len() + state.len() > CHUNK) {
            self.chunks.push_back(Chunk::default());
        }
        let number = self.n_gone + self.chunks.len() - 1;
        let chunk = self.chunks.back_mut().expect("there is a chunk");
        chunk.bytes.extend_from_slice(state);
        chunk.ends.push(chunk.bytes.len() as u32);
        (number as u64) << Unpacked::INDEX_BITS | (chunk.ends.len() - 1) as u64
    }

    fn get(&self, place: u64) -> &[u8] {
        let index = (place & ((1 << Unpacked::INDEX_BITS) - 1)) as usize;
        let chunk = &self.chunks[(place >> Unpacked::INDEX_BITS) as usize - self.n_gone];
        let start = if index == 0 { 0 } else { chunk.ends[index - 1] as usize };
        &chunk.bytes[start..chunk.ends[index] as usize]
    }

    fn open(&self, place: u64) -> &[u8] {
        self.opened.set((place >> Unpacked::INDEX_BITS) as usize);
        self.get(place)
    }

    fn bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.bytes.capacity() + 4 * chunk.ends.capacity()).sum()
    }
}

impl<R: Region> PackedBitstateStore<R> {
    /// An empty store: see [`BitstateStore::new`].
    ///
    /// # Panics
    /// When regions have a size.
    pub fn new(n_bits: u64, n_hashes: u32, seed: u64) -> PackedBitstateStore<R> {
        assert!(size_of::<R>() == 0, "a lossy store has no regions");
        PackedBitstateStore {
            packer: Packer::default(),
            field: BitstateStore::new(n_bits, n_hashes, seed),
            unpacked: Unpacked::default(),
            region: None,
            max_bytes: u64::MAX,
        }
    }

    /// Whether all states of the sample are packed without the help of tables. Otherwise hashing a state in full is
    /// faster.
    pub fn packs_simply(&self) -> bool {
        self.packer.packs_simply()
    }

    /// The place of a state that is kept in full, if the key is that of one.
    #[inline(always)]
    fn place(key: u64) -> Option<u64> {
        Packer::is_escaped(key).then_some(key & !TREE)
    }

    /// What is hashed.
    #[inline(always)]
    fn hash(&self, key: u64) -> u64 {
        match Self::place(key) {
            None => key,
            Some(place) => rapidhash_v3(self.unpacked.get(place)),
        }
    }

    fn field(&self) -> &impl Store<R> {
        &self.field
    }
}

impl<R: Region> Store<R> for PackedBitstateStore<R> {
    /// The root, or where the state is kept in full.
    type Key = u64;
    type Opened = Opened;
    const NEEDS_BYTES: bool = false;
    const RECALLS: bool = true;

    fn fit(&mut self, sample: &mut dyn Iterator<Item = &[u8]>) {
        self.packer.fit(sample);
    }

    fn keep_apart(&mut self, bytes: &ByteSet) {
        self.packer.keep_apart(bytes);
    }

    #[inline]
    fn key(&mut self, state: &[u8], near: &mut Opened) -> Option<u64> {
        loop {
            match self.packer.packed_root(state, near) {
                Ok(Some(root)) => return Some(root),
                Ok(None) => return Some(TREE | self.unpacked.push(state)),
                Err(_) => {
                    let growth = self.packer.growth()?;
                    if self.max_bytes != u64::MAX
                        && (Store::<R>::bytes(self) + growth) as u64 > self.max_bytes
                    {
                        return None;
                    }
                    self.packer.grow();
                }
            }
        }
    }

    #[inline]
    fn keys<L>(&mut self, steps: &Steps<R, L>, near: &mut Opened, keys: &mut Vec<u64>) -> bool {
        let n_before = keys.len();
        self.packer.roots_simply(steps, near, keys);
        for index in keys.len() - n_before..steps.len() {
            match self.key(steps.state(index), near) {
                Some(key) => keys.push(key),
                None => return false,
            }
        }
        true
    }

    #[inline]
    fn was_seen(&self, key: u64, near: &mut Opened) -> bool {
        near.was_seen(key)
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        if !Packer::is_escaped(key) {
            Store::<R>::prefetch(&self.field, key);
        }
    }

    #[inline]
    fn insert(&mut self, key: u64, _: &[u8], region: &R, depth: u32) -> Insert {
        let hash = self.hash(key);
        match self.field.insert(hash, &[], region, depth) {
            Insert::New(_) => {
                if self.region.is_none() {
                    self.region = Some(region.clone());
                }
                Insert::New(StateId(key))
            }
            other => other,
        }
    }

    fn knows(&self, key: u64, _: &[u8], region: &R, depth: u32) -> bool {
        self.field.knows(self.hash(key), &[], region, depth)
    }

    #[inline]
    fn open<'a>(&'a self, id: StateId, opened: &'a mut Opened) -> (&'a [u8], &'a R) {
        let region = self.region.as_ref().expect("there is a state, so there is a region");
        match Self::place(id.0) {
            None => (self.packer.open(id.0, opened), region),
            Some(place) => {
                opened.close();
                (self.unpacked.open(place), region)
            }
        }
    }

    #[inline]
    fn version(&self, id: StateId) -> u64 {
        self.packer.version(id.0)
    }

    fn bits_of(&self, id: StateId, bytes: &ByteSet) -> u64 {
        self.packer.bits_of(id.0, bytes)
    }

    fn root_of(key: u64) -> u64 {
        key
    }

    #[inline]
    fn keys_of(roots: &[u64], keys: &mut Vec<u64>) {
        keys.extend_from_slice(roots);
    }

    fn is_covered(&self, _: StateId) -> bool {
        false
    }

    #[inline]
    fn len(&self) -> usize {
        self.field().len()
    }

    fn bytes(&self) -> usize {
        self.field().bytes() + self.packer.bytes() + self.unpacked.bytes()
    }

    fn set_limits(&mut self, max_states: u64, max_bytes: u64) {
        Store::<R>::set_limits(&mut self.field, max_states, max_bytes);
        self.packer.set_max_bytes(max_bytes);
        self.max_bytes = max_bytes;
    }

    fn expected_omissions(&self) -> f64 {
        self.field().expected_omissions()
    }

    fn trust(&self) -> Trust {
        self.field().trust()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use fathom_model::NoRegion;

    use super::*;

    /// States of 40 bytes, of which the later ones cannot be packed.
    fn state(number: u32) -> Vec<u8> {
        let mut state = vec![0; 40];
        let n_random = if number < 5000 { 2 } else { 40 };
        let mut mixed = u64::from(number);
        for byte in &mut state[..n_random] {
            *byte = mixed as u8;
            mixed = mixed.wrapping_mul(6_364_136_223_846_793_005).rotate_left(9) ^ u64::from(number);
        }
        state[36..].copy_from_slice(&number.to_le_bytes());
        state
    }

    #[test]
    fn states_that_wait_can_be_read_and_known_ones_are_known() {
        let mut store: PackedBitstateStore<NoRegion> = PackedBitstateStore::new(1 << 24, 3, 0);
        let sample: Vec<Vec<u8>> = (0..1000).map(state).collect();
        store.fit(&mut sample.iter().map(Vec::as_slice));
        let mut near = Opened::default();
        let mut waiting = VecDeque::new();
        let mut n_read = 0;
        for number in 0..40_000 {
            let key = store.key(&state(number), &mut near).expect("no limit");
            if let Insert::New(id) = store.insert(key, &[], &NoRegion, 0) {
                waiting.push_back((number, id));
            }
            assert!(store.knows(key, &[], &NoRegion, 0));
            let again = store.key(&state(number), &mut near).expect("no limit");
            assert_eq!(store.insert(again, &[], &NoRegion, 0), Insert::Known, "{number}");
            if number % 3 != 0
                && let Some((number, id)) = waiting.pop_front()
            {
                assert_eq!(store.open(id, &mut near).0, state(number));
                n_read += 1;
            }
        }
        assert!(n_read > 20_000 && store.unpacked.n_gone > 0, "{n_read} {}", store.unpacked.n_gone);
        assert!(Store::<NoRegion>::len(&store) > 39_000);
    }
}
