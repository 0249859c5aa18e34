//! Hash compaction: a few dozen bits of a hash in place of a state.
//!
//! Two states with the same bits are taken for one. With b bits, a new state that comes when i are stored is
//! taken for one of them with probability i / 2^b, so of n states about n² / 2^(b+1) are missed (Wolper and
//! Leroy, "Reliable Hashing without Collision Detection", CAV 1993; Stern and Dill, "Improved Probabilistic
//! Verification by Hash Compaction", CHARME 1995): with 40 bits, half a state in a million, and half a million
//! in a billion; with 60 bits, none. What is missed with a state is also what can be reached only through it,
//! and that no estimate knows.
//!
//! The bits lie packed in a table with open addressing; the home of a value is in proportion to the value, so
//! the table is almost sorted, and growing is one sweep from old to new. States cannot be read again: the
//! frontier has to keep those that wait.

use fathom_model::{Region, Trust};
use rapidhash::v3::rapidhash_v3;

use crate::bitstate::with_region;
use crate::recent::Recent;
use crate::store::{Insert, StateId, Store};

/// Slots of an empty store.
const FIRST_SLOTS: usize = 1024;

/// A store of compacted hashes.
#[derive(Clone, Debug)]
pub struct CompactStore {
    /// Bits of a slot.
    width: u32,
    /// Slots one after the other, 0 when empty, and a word more so that a slot may be read as two words.
    words: Vec<u64>,
    n_slots: usize,
    n_states: usize,
    max_states: u64,
    max_bytes: u64,
}

impl CompactStore {
    /// An empty store that keeps so many bits of each state, from 8 to 64.
    pub fn new(bits: u32) -> CompactStore {
        let width = bits.clamp(8, 64);
        let words = vec![0; words_for(FIRST_SLOTS, width)];
        CompactStore {
            width,
            words,
            n_slots: FIRST_SLOTS,
            n_states: 0,
            max_states: u64::MAX,
            max_bytes: u64::MAX,
        }
    }

    /// The value that stands for a hash: its upper bits, but never 0.
    fn value(&self, hash: u64) -> u64 {
        (hash >> (64 - self.width)).max(1)
    }

    fn home(&self, value: u64) -> usize {
        ((u128::from(value) * self.n_slots as u128) >> self.width) as usize
    }

    fn slot(&self, index: usize) -> u64 {
        let (word, shift) = (index * self.width as usize / 64, index * self.width as usize % 64);
        let both = u128::from(self.words[word]) | u128::from(self.words[word + 1]) << 64;
        (both >> shift) as u64 & (u64::MAX >> (64 - self.width))
    }

    /// Fills an empty slot.
    fn fill(&mut self, index: usize, value: u64) {
        let (word, shift) = (index * self.width as usize / 64, index * self.width as usize % 64);
        let both = u128::from(value) << shift;
        self.words[word] |= both as u64;
        self.words[word + 1] |= (both >> 64) as u64;
    }

    /// Whether a value is there, or the empty slot for it.
    fn find(&self, value: u64) -> Option<usize> {
        let mut index = self.home(value);
        loop {
            match self.slot(index) {
                0 => return Some(index),
                stored if stored == value => return None,
                _ => index = if index + 1 == self.n_slots { 0 } else { index + 1 },
            }
        }
    }

    fn is_crowded(&self) -> bool {
        (self.n_states + 1) * 5 > self.n_slots * 4
    }

    fn n_slots_after(&self) -> usize {
        self.n_slots / 2 * 3
    }

    fn grow(&mut self) {
        let n_slots = self.n_slots_after();
        let words = vec![0; words_for(n_slots, self.width)];
        let old = std::mem::replace(self, CompactStore { words, n_slots, ..*self });
        for index in 0..old.n_slots {
            let value = old.slot(index);
            if value != 0
                && let Some(vacant) = self.find(value)
            {
                self.fill(vacant, value);
            }
        }
    }
}

fn words_for(n_slots: usize, width: u32) -> usize {
    (n_slots * width as usize).div_ceil(64) + 1
}

impl<R: Region> Store<R> for CompactStore {
    /// The hash.
    type Key = u64;
    type Opened = Recent;
    const NEEDS_BYTES: bool = true;
    const RECALLS: bool = false;

    fn key(&mut self, state: &[u8], _: &mut Recent) -> Option<u64> {
        Some(rapidhash_v3(state))
    }

    #[inline]
    fn was_seen(&self, key: u64, near: &mut Recent) -> bool {
        // A key says nothing about the region.
        size_of::<R>() == 0 && near.was_seen(key)
    }

    fn prefetch(&self, key: u64) {
        if size_of::<R>() != 0 {
            return;
        }
        let index = self.home(self.value(key));
        crate::prefetch::prefetch(&self.words[index * self.width as usize / 64]);
    }

    fn insert(&mut self, key: u64, _: &[u8], region: &R, _: u32) -> Insert {
        let value = self.value(with_region(key, region));
        let Some(mut vacant) = self.find(value) else {
            return Insert::Known;
        };
        if self.n_states as u64 >= self.max_states {
            return Insert::Full;
        }
        if self.is_crowded() {
            // The old table and the new one, for a moment.
            let bytes = (self.words.len() + words_for(self.n_slots_after(), self.width)) * size_of::<u64>();
            if bytes as u64 > self.max_bytes {
                return Insert::Full;
            }
            self.grow();
            vacant = self.find(value).unwrap_or(vacant);
        }
        self.fill(vacant, value);
        self.n_states += 1;
        Insert::New(StateId(self.n_states as u64 - 1))
    }

    fn knows(&self, key: u64, _: &[u8], region: &R, _: u32) -> bool {
        self.find(self.value(with_region(key, region))).is_none()
    }

    fn open<'a>(&'a self, _: StateId, _: &'a mut Recent) -> (&'a [u8], &'a R) {
        unreachable!("a lossy store does not recall states")
    }

    fn is_covered(&self, _: StateId) -> bool {
        false
    }

    fn len(&self) -> usize {
        self.n_states
    }

    fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }

    fn set_limits(&mut self, max_states: u64, max_bytes: u64) {
        (self.max_states, self.max_bytes) = (max_states, max_bytes);
    }

    fn expected_omissions(&self) -> f64 {
        let n_states = self.n_states as f64;
        n_states * (n_states - 1.0).max(0.0) / 2_f64.powi(self.width as i32 + 1)
    }

    fn trust(&self) -> Trust {
        Trust::Lossy
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use fathom_model::NoRegion;

    /// Inserts this many different states and gives the number of those taken for others.
    fn n_omitted(store: &mut CompactStore, n_states: u32) -> u32 {
        let insert = |number: u32| store.put(&number.to_le_bytes(), &NoRegion, 0);
        (0..n_states).map(insert).filter(|answer| matches!(answer, Insert::Known)).count() as u32
    }

    #[test]
    fn enough_bits_miss_nothing_and_what_is_known_stays_known() {
        for bits in [40, 47, 63, 64] {
            let mut store = CompactStore::new(bits);
            assert_eq!(n_omitted(&mut store, 100_000), 0, "{bits} bits");
            assert_eq!(n_omitted(&mut store, 100_000), 100_000, "{bits} bits");
            assert_eq!(Store::<NoRegion>::len(&store), 100_000);
            let bits_per_state = Store::<NoRegion>::bytes(&store) as f64 * 8.0 / 100_000.0;
            assert!(bits_per_state < f64::from(bits) * 1.9, "{bits_per_state}");
        }
    }

    #[test]
    fn few_bits_miss_about_as_many_as_expected() {
        for (bits, n_states) in [(24, 30_000), (28, 200_000), (20, 10_000)] {
            let mut store = CompactStore::new(bits);
            let n_omitted = f64::from(n_omitted(&mut store, n_states));
            let expected = Store::<NoRegion>::expected_omissions(&store);
            assert!((n_omitted - expected).abs() < 5.0 * expected.sqrt() + 1.0, "{n_omitted} {expected}");
        }
    }

    #[test]
    fn limits_are_kept() {
        let mut store = CompactStore::new(48);
        Store::<NoRegion>::set_limits(&mut store, 1000, u64::MAX);
        assert_eq!(n_omitted(&mut store, 2000), 0);
        assert_eq!(Store::<NoRegion>::len(&store), 1000);
        Store::<NoRegion>::set_limits(&mut store, u64::MAX, 100_000);
        assert_eq!(n_omitted(&mut store, 100_000), 1000);
        assert!(Store::<NoRegion>::bytes(&store) <= 100_000);
    }
}
