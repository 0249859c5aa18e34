//! Bitstate hashing: a few bits of a large bit field for each state.
//!
//! A state sets k bits, chosen by hash; it is known when all of them are set already (Holzmann, "An Analysis of
//! Bitstate Hashing", Formal Methods in System Design 1998; a Bloom filter). The field has any number of bits,
//! fixed from the start, so memory is never short; when the field fills up, more and more states are taken for
//! known. Another seed chooses other places: what one run misses another one may find.
//!
//! In a large field all bits of a state are in one cache line, so that a look-up goes to memory once and not k times
//! (Putze, Sanders and Singler, "Cache-, Hash- and Space-Efficient Bloom Filters", WEA 2007); some lines fill up sooner
//! than others, which costs a few more omissions. In a small one, and with a single bit, places are anywhere, made from
//! two hashes by double hashing with a cubic term (Dillinger and Manolios, "Bloom Filters in Probabilistic Verification",
//! FMCAD 2004). Both are scaled to the field by multiplication.
//!
//! A state that is new when a fraction f of the bits (of its line) is set is missed with probability q = f^k. For each
//! state found new there were thus q / (1 − q) missed ones before it; their sum is the estimate. It says nothing of
//! what can be reached only through missed states.

use fathom_model::{Region, Trust};
use rapidhash::v3::rapidhash_v3;

use crate::prefetch::prefetch;
use crate::recent::Recent;
use crate::store::{Insert, StateId, Store};
use crate::sync::zeroed;

/// Words of a cache line, and bits.
const LINE: usize = 8;
const LINE_BITS: u64 = 512;
/// Bits of the smallest field that is divided into lines: it does not fit into the nearest cache.
const SMALLEST_WITH_LINES: u64 = 1 << 20;

/// A store of bits.
#[derive(Clone, Debug)]
pub struct BitstateStore {
    field: Box<[u64]>,
    /// Words before the first line, which starts where a line of the cache starts.
    n_before: usize,
    n_bits: u64,
    /// Lines that the field is divided into; 0 for none.
    n_lines: u64,
    n_hashes: u32,
    /// Chooses the places.
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
        let has_lines = n_bits >= SMALLEST_WITH_LINES && n_hashes > 1;
        let n_more = if has_lines { LINE - 1 } else { 0 };
        let field: Box<[u64]> = zeroed(n_bits.div_ceil(64) as usize + n_more);
        let address = field.as_ptr().addr();
        let n_before = (address.next_multiple_of(64) - address) / size_of::<u64>();
        BitstateStore {
            field,
            n_before: if has_lines { n_before } else { 0 },
            n_bits,
            n_lines: if has_lines { n_bits / LINE_BITS } else { 0 },
            n_hashes: n_hashes.max(1),
            seed: mix(seed),
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

    /// The line of a state, by its first word, when the field has lines.
    #[inline(always)]
    fn line(&self, hash: u64) -> usize {
        let line = ((u128::from(mix(hash ^ self.seed)) * u128::from(self.n_lines)) >> 64) as usize;
        self.n_before + line * LINE
    }

    /// The places of a state: word and bit.
    #[inline(always)]
    fn places(&self, hash: u64) -> Places {
        let place = mix(hash ^ self.seed);
        if self.n_lines > 0 {
            Places {
                first_word: self.line(hash),
                n_bits: 0,
                place: 0,
                step: mix(place),
                index: 0,
                end: self.n_hashes,
            }
        } else {
            Places {
                first_word: 0,
                n_bits: self.n_bits,
                place,
                step: mix(place) | 1,
                index: 0,
                end: self.n_hashes,
            }
        }
    }

    /// The probability that a state that is not known, now, would have been taken for known.
    #[inline]
    fn chance_of_omission(&self, hash: u64) -> f64 {
        if self.n_lines == 0 {
            return self.fill().powi(self.n_hashes as i32);
        }
        let line = self.line(hash);
        let n_set: u32 = self.field[line..line + LINE].iter().map(|word| word.count_ones()).sum();
        (f64::from(n_set) / LINE_BITS as f64).powi(self.n_hashes as i32)
    }

    #[inline]
    fn is_known(&self, hash: u64) -> bool {
        self.places(hash).all(|(word, bit)| self.field[word] & bit != 0)
    }
}

/// The places of a state, one after the other.
struct Places {
    /// Where the line starts.
    first_word: usize,
    /// Bits of the field; 0 when places are in a line.
    n_bits: u64,
    place: u64,
    step: u64,
    index: u32,
    end: u32,
}

impl Iterator for Places {
    type Item = (usize, u64);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, u64)> {
        /// Places in a line that a word chooses, nine bits for each.
        const PER_WORD: u32 = 7;
        if self.index == self.end {
            return None;
        }
        let bit = if self.n_bits == 0 {
            let bit = self.step % LINE_BITS;
            self.step = if self.index % PER_WORD == PER_WORD - 1 { mix(self.step) } else { self.step >> 9 };
            bit
        } else {
            let bit = ((u128::from(self.place) * u128::from(self.n_bits)) >> 64) as u64;
            self.place = self.place.wrapping_add(self.step);
            self.step = self.step.wrapping_add(u64::from(self.index));
            bit
        };
        self.index += 1;
        Some((self.first_word + (bit / 64) as usize, 1 << (bit % 64)))
    }
}

/// The hash of a composite state: two regions are told apart as two explicit parts are.
#[inline(always)]
pub(crate) fn with_region<R: Region>(hash: u64, region: &R) -> u64 {
    if size_of::<R>() == 0 { hash } else { mix(hash ^ mix(region.fingerprint())) }
}

/// A permutation of words that spreads every bit (the finalizer of SplitMix64).
#[inline(always)]
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

    #[inline]
    fn key(&mut self, state: &[u8], _: &mut Recent) -> Option<u64> {
        Some(rapidhash_v3(state))
    }

    #[inline]
    fn was_seen(&self, key: u64, near: &mut Recent) -> bool {
        // A key says nothing about the region.
        size_of::<R>() == 0 && near.was_seen(key)
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        if size_of::<R>() != 0 {
            return;
        }
        if self.n_lines > 0 {
            prefetch(&self.field[self.line(key)]);
        } else {
            self.places(key).for_each(|(word, _)| prefetch(&self.field[word]));
        }
    }

    #[inline]
    fn insert(&mut self, key: u64, _: &[u8], region: &R, _: u32) -> Insert {
        let key = with_region(key, region);
        if self.is_known(key) {
            return Insert::Known;
        }
        if self.n_states as u64 >= self.max_states {
            return Insert::Full;
        }
        let missed = self.chance_of_omission(key);
        self.omissions += missed / (1.0 - missed);
        for (word, bit) in self.places(key) {
            self.n_set += u64::from(self.field[word] & bit == 0);
            self.field[word] |= bit;
        }
        self.n_states += 1;
        // Ids are of no use here, and may run over.
        Insert::New(StateId(self.n_states as u64 - 1))
    }

    fn knows(&self, key: u64, _: &[u8], region: &R, _: u32) -> bool {
        self.is_known(with_region(key, region))
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
        assert!(Store::<NoRegion>::bytes(&store) < 10_000_019 / 8 + 80);
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
