//! Bitstate hashing: a few bits of a large bit field for each state.
//!
//! A state sets k bits, chosen by hash; it is known when all of them are set already (Holzmann, "An Analysis of
//! Bitstate Hashing", Formal Methods in System Design 1998; a Bloom filter). The field has any number of bits,
//! fixed from the start, so memory is never short; when the field fills up, more and more states are taken for
//! known. The places are made from two hashes by double hashing with a cubic term (Dillinger and Manolios,
//! "Bloom Filters in Probabilistic Verification", FMCAD 2004), scaled to the field by multiplication. Another
//! seed chooses other places: what one run misses another one may find.
//!
//! A state that is new when a fraction f of the bits is set is missed with probability q = f^k. For each state
//! found new there were thus q / (1 − q) missed ones before it; their sum is the estimate. It says nothing of
//! what can be reached only through missed states.

use fathom_model::{Region, Trust};
use rapidhash::v3::rapidhash_v3;

use crate::prefetch::prefetch;
use crate::recent::Recent;
use crate::store::{Insert, StateId, Store};
use crate::sync::zeroed_field;

/// A store of bits.
#[derive(Clone, Debug)]
pub struct BitstateStore {
    field: Box<[u64]>,
    n_bits: u64,
    n_hashes: u32,
    seed: u64,
    n_set: u64,
    n_states: usize,
    omissions: f64,
    max_states: u64,
}

impl BitstateStore {
    /// An empty store of `n_bits` bits, at least 64, that sets `n_hashes` of them for each state.
    pub fn new(n_bits: u64, n_hashes: u32, seed: u64) -> BitstateStore {
        let n_bits = n_bits.max(64);
        BitstateStore {
            field: zeroed_field(n_bits.div_ceil(64) as usize),
            n_bits,
            n_hashes: n_hashes.max(1),
            seed,
            n_set: 0,
            n_states: 0,
            omissions: 0.0,
            max_states: u64::MAX,
        }
    }

    /// Fraction of the bits that are set.
    pub fn fill(&self) -> f64 {
        self.n_set as f64 / self.n_bits as f64
    }

    /// The places of a state: word and bit.
    #[inline]
    fn places(&self, hash: u64) -> impl Iterator<Item = (usize, u64)> + use<> {
        let n_bits = u128::from(self.n_bits);
        let mut place = mix(hash ^ mix(self.seed));
        let mut step = mix(place) | 1;
        (0..u64::from(self.n_hashes)).map(move |index| {
            let bit = ((u128::from(place) * n_bits) >> 64) as u64;
            place = place.wrapping_add(step);
            step = step.wrapping_add(index);
            ((bit / 64) as usize, 1 << (bit % 64))
        })
    }

    #[inline]
    fn is_known(&self, hash: u64) -> bool {
        self.places(hash).all(|(word, bit)| self.field[word] & bit != 0)
    }
}

/// A permutation of words that spreads every bit (the finalizer of SplitMix64).
fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

impl<R: Region> Store<R> for BitstateStore {
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
        near.was_seen(key)
    }

    fn prefetch(&self, key: u64) {
        self.places(key).for_each(|(word, _)| prefetch(&self.field[word]));
    }

    fn insert(&mut self, key: u64, _: &[u8], _: &R, _: u32) -> Insert {
        debug_assert_eq!(size_of::<R>(), 0, "a lossy store has no regions");
        if self.is_known(key) {
            return Insert::Known;
        }
        if self.n_states as u64 >= self.max_states {
            return Insert::Full;
        }
        let missed = self.fill().powi(self.n_hashes as i32);
        self.omissions += missed / (1.0 - missed);
        for (word, bit) in self.places(key) {
            self.n_set += u64::from(self.field[word] & bit == 0);
            self.field[word] |= bit;
        }
        self.n_states += 1;
        // Ids are of no use here, and may run over.
        Insert::New(StateId(self.n_states as u64 - 1))
    }

    fn knows(&self, key: u64, _: &[u8], _: &R, _: u32) -> bool {
        self.is_known(key)
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
        self.field.len() * size_of::<u64>()
    }

    fn set_limits(&mut self, max_states: u64, _: u64) {
        self.max_states = max_states;
    }

    fn expected_omissions(&self) -> f64 {
        self.omissions
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
    fn n_omitted(store: &mut BitstateStore, n_states: u32) -> u32 {
        let insert = |number: u32| store.put(&number.to_le_bytes(), &NoRegion, 0);
        (0..n_states).map(insert).filter(|answer| matches!(answer, Insert::Known)).count() as u32
    }

    #[test]
    fn a_large_field_misses_nothing_and_what_is_known_stays_known() {
        let mut store = BitstateStore::new(10_000_019, 4, 1);
        assert_eq!(n_omitted(&mut store, 20_000), 0);
        assert_eq!(n_omitted(&mut store, 20_000), 20_000);
        assert_eq!(Store::<NoRegion>::len(&store), 20_000);
        assert!(Store::<NoRegion>::bytes(&store) < 10_000_019 / 8 + 16);
    }

    #[test]
    fn a_small_field_misses_about_as_many_as_expected_whatever_its_size_and_seed() {
        for (n_bits, n_hashes, seed) in
            [(1 << 20, 3, 1), (1_000_003, 2, 7), (777_777, 1, 3), (2_000_000, 5, 9), (999_999, 3, u64::MAX)]
        {
            let mut store = BitstateStore::new(n_bits, n_hashes, seed);
            let n_omitted = f64::from(n_omitted(&mut store, 200_000));
            let expected = Store::<NoRegion>::expected_omissions(&store);
            let bound = 6.0 * expected.sqrt() + 0.03 * expected;
            assert!((n_omitted - expected).abs() < bound, "{n_bits} {n_hashes}: {n_omitted} {expected}");
        }
    }

    #[test]
    fn seeds_choose_different_places() {
        let field = |seed| {
            let mut store = BitstateStore::new(1 << 16, 3, seed);
            n_omitted(&mut store, 100);
            store.field
        };
        assert_eq!(field(1), field(1));
        assert_ne!(field(1), field(2));
    }
}
