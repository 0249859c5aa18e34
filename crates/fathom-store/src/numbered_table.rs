//! A map from roots to small numbers: one cache line for a look-up.
//!
//! Like [`root_table`](crate::root_table), for one thread, with a number of 32 bits beside each root: five roots and their
//! numbers share a line, so that whoever asks about a state has the number with the answer. A root goes to the bucket
//! that its hash names, or to the next one with an empty slot; nothing is ever removed.
//!
//! A table grows where it is: a root with a greater hash is in a later bucket, however many there are, so that roots move
//! from the last bucket to the first into buckets that have been emptied already. The few for which that is not so wait until the end.

use crate::prefetch::prefetch;
use crate::sync::{RESERVES, try_zeroed, zeroed};

/// Roots in a bucket.
const BUCKET: usize = 5;
/// Words of a bucket: the roots, then their numbers, two to a word.
const LINE: usize = 8;
/// Buckets of a new table.
const FIRST_BUCKETS: usize = 64;
/// Tables of fewer buckets have no reserve and are copied into others twice as large; larger ones grow by half.
const LARGE: usize = if cfg!(test) { 1 << 7 } else { 1 << 16 };
/// Roots in a full table, for each bucket: a load of 0.8.
const CROWD: usize = 4;

/// A map from words other than 0 to numbers.
#[derive(Debug)]
pub(crate) struct NumberedTable {
    /// And a reserve.
    words: Box<[u64]>,
    /// Words before the first bucket, which starts a cache line.
    n_before: usize,
    n_buckets: usize,
    len: usize,
}

/// The number in a slot of a bucket.
#[inline(always)]
fn number_in(bucket: &[u64], slot: usize) -> u32 {
    (bucket[BUCKET + slot / 2] >> (32 * (slot % 2))) as u32
}

/// Where a root is.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The first word of the bucket.
    line: usize,
    slot: usize,
}

impl NumberedTable {
    /// An empty table.
    pub(crate) fn new() -> NumberedTable {
        NumberedTable::with_buckets(FIRST_BUCKETS)
    }

    fn with_buckets(n_buckets: usize) -> NumberedTable {
        let n_words = |n_buckets: usize| (n_buckets + 1) * LINE - 1;
        let reserves = if n_buckets >= LARGE { &RESERVES[..] } else { &[] };
        let reserved = reserves.iter().find_map(|reserve| try_zeroed(n_words(n_buckets * reserve)));
        let words: Box<[u64]> = reserved.unwrap_or_else(|| zeroed(n_words(n_buckets)));
        let address = words.as_ptr().addr();
        let n_before = (address.next_multiple_of(64) - address) / size_of::<u64>();
        NumberedTable { words, n_before, n_buckets, len: 0 }
    }

    /// Number of roots.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    fn home(&self, root: u64) -> usize {
        let product = u128::from(root ^ 0x9e37_79b9_7f4a_7c15) * 0xd1b5_4a32_d192_ed03_u128;
        let folded = ((product as u64) ^ ((product >> 64) as u64)).wrapping_mul(0xaef1_7502_108e_f2d9);
        ((u128::from(folded) * self.n_buckets as u128) >> 64) as usize
    }

    /// Asks for the line in which a search starts.
    #[inline(always)]
    pub(crate) fn prefetch(&self, root: u64) {
        prefetch(&self.words[self.n_before + self.home(root) * LINE]);
    }

    /// Where a root is, or else where it would be.
    #[inline(always)]
    fn find(&self, root: u64) -> Result<Place, Place> {
        debug_assert_ne!(root, 0);
        let mut index = self.home(root);
        loop {
            let line = self.n_before + index * LINE;
            let bucket: &[u64; LINE] =
                self.words[line..line + LINE].as_array().expect("a bucket has its words");
            let (mut same, mut empty) = (1_u32 << BUCKET, 1_u32 << BUCKET);
            for (slot, &word) in bucket[..BUCKET].iter().enumerate() {
                same |= u32::from(word == root) << slot;
                empty |= u32::from(word == 0) << slot;
            }
            let (same, empty) = (same.trailing_zeros() as usize, empty.trailing_zeros() as usize);
            if same < BUCKET {
                return Ok(Place { line, slot: same });
            }
            if empty < BUCKET {
                return Err(Place { line, slot: empty });
            }
            index = if index + 1 == self.n_buckets { 0 } else { index + 1 };
        }
    }

    #[inline(always)]
    fn number_at(&self, place: Place) -> u32 {
        number_in(&self.words[place.line..place.line + LINE], place.slot)
    }

    #[inline(always)]
    fn set_number_at(&mut self, place: Place, number: u32) {
        let shift = 32 * (place.slot % 2);
        let word = &mut self.words[place.line + BUCKET + place.slot / 2];
        *word = *word & !(u64::from(u32::MAX) << shift) | u64::from(number) << shift;
    }

    /// The number of a root; none when it is not there.
    #[inline(always)]
    pub(crate) fn get(&self, root: u64) -> Option<u32> {
        self.find(root).ok().map(|place| self.number_at(place))
    }

    /// Changes the number of a root that is there.
    #[inline(always)]
    pub(crate) fn set(&mut self, root: u64, number: u32) {
        if let Ok(place) = self.find(root) {
            self.set_number_at(place, number);
        }
    }

    /// Whether the table must grow before anything is added.
    #[inline(always)]
    pub(crate) fn is_crowded(&self) -> bool {
        self.len >= self.n_buckets * CROWD
    }

    /// Adds a root with its number unless it is there; gives the number that was there. Not for a crowded table.
    #[inline(always)]
    pub(crate) fn insert(&mut self, root: u64, number: u32) -> Option<u32> {
        debug_assert!(self.len < self.n_buckets * BUCKET, "there is an empty slot");
        match self.find(root) {
            Ok(place) => Some(self.number_at(place)),
            Err(place) => {
                self.words[place.line + place.slot] = root;
                self.set_number_at(place, number);
                self.len += 1;
                None
            }
        }
    }

    fn n_buckets_after_growth(&self) -> usize {
        if self.n_buckets < LARGE { self.n_buckets * 2 } else { self.n_buckets / 2 * 3 }
    }

    fn has_reserve(&self) -> bool {
        self.n_before + self.n_buckets_after_growth() * LINE <= self.words.len()
    }

    /// Bytes by which memory grows to make room.
    pub(crate) fn growth(&self) -> usize {
        let n_there = if self.has_reserve() { self.n_buckets } else { 0 };
        (self.n_buckets_after_growth() - n_there) * LINE * size_of::<u64>()
    }

    /// Makes room.
    #[cold]
    pub(crate) fn grow(&mut self) {
        if self.has_reserve() {
            return self.grow_in_place();
        }
        let mut grown = NumberedTable::with_buckets(self.n_buckets_after_growth());
        self.for_each(|root, number| {
            grown.insert(root, number);
        });
        *self = grown;
    }

    fn grow_in_place(&mut self) {
        let n_old = self.n_buckets;
        self.n_buckets = self.n_buckets_after_growth();
        self.len = 0;
        let mut waiting = Vec::new();
        for index in (0..n_old).rev() {
            let line = self.n_before + index * LINE;
            let bucket: [u64; LINE] =
                self.words[line..line + LINE].try_into().expect("a bucket has its words");
            self.words[line..line + LINE].fill(0);
            for slot in (0..BUCKET).filter(|&slot| bucket[slot] != 0) {
                let (root, number) = (bucket[slot], number_in(&bucket, slot));
                if !self.put_beyond(index, root, number) {
                    waiting.push((root, number));
                }
            }
        }
        for (root, number) in waiting {
            self.insert(root, number);
        }
    }

    /// Adds a root that is not there, unless that touches one of the buckets up to this one or goes beyond the last. Gives whether it was
    /// added.
    #[inline(always)]
    fn put_beyond(&mut self, index: usize, root: u64, number: u32) -> bool {
        let home = self.home(root);
        if home <= index {
            return false;
        }
        for bucket in home..self.n_buckets {
            let line = self.n_before + bucket * LINE;
            if let Some(slot) = (0..BUCKET).find(|slot| self.words[line + slot] == 0) {
                self.words[line + slot] = root;
                self.set_number_at(Place { line, slot }, number);
                self.len += 1;
                return true;
            }
        }
        false
    }

    /// The same numbers with other roots. Those that have another root already are left out.
    #[cold]
    pub(crate) fn renewed(&self, mut new_root: impl FnMut(u64) -> u64) -> NumberedTable {
        let mut renewed = NumberedTable::with_buckets(self.n_buckets);
        self.for_each(|root, number| {
            renewed.insert(new_root(root), number);
        });
        renewed
    }

    /// All roots with their numbers.
    pub(crate) fn for_each(&self, mut f: impl FnMut(u64, u32)) {
        for index in 0..self.n_buckets {
            let line = self.n_before + index * LINE;
            for slot in 0..BUCKET {
                let root = self.words[line + slot];
                if root != 0 {
                    f(root, self.number_at(Place { line, slot }));
                }
            }
        }
    }

    /// Bytes of memory in use.
    pub(crate) fn bytes(&self) -> usize {
        self.n_buckets * LINE * size_of::<u64>()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn a_table_is_a_map(steps in prop::collection::vec((1..2000_u64, any::<u32>(), any::<bool>()), 0..4000)) {
            let mut table = NumberedTable::new();
            let mut expected: HashMap<u64, u32> = HashMap::new();
            for (root, number, is_change) in steps {
                let root = root.wrapping_mul(0x1000_0000_0000_0003);
                prop_assert_eq!(table.get(root), expected.get(&root).copied());
                if is_change {
                    table.set(root, number);
                    expected.entry(root).and_modify(|known| *known = number);
                    continue;
                }
                if table.is_crowded() {
                    table.grow();
                }
                let known = table.insert(root, number);
                prop_assert_eq!(known, expected.get(&root).copied());
                expected.entry(root).or_insert(number);
                prop_assert_eq!(table.len(), expected.len());
            }
            prop_assert!(expected.iter().all(|(&root, &number)| table.get(root) == Some(number)));
        }
    }
}
