//! A map from roots to small numbers: one cache line for a look-up.
//!
//! Like [`root_table`](crate::root_table), for one thread, with a number of 32 bits beside each root: five roots and their
//! numbers share a line, so that whoever asks about a state has the number with the answer. A root goes to the bucket
//! that its hash names, or to the next one with an empty slot; nothing is ever removed.

use crate::prefetch::prefetch;
use crate::sync::zeroed_field;

/// Roots in a bucket.
const BUCKET: usize = 5;
/// Words of a bucket: the roots, then their numbers, two to a word.
const LINE: usize = 8;
/// Buckets of a new table.
const FIRST_BUCKETS: usize = 64;
/// Up to this many buckets a table doubles; larger ones grow by half.
const SMALL: usize = 1 << 17;
/// Roots in a full table, for each bucket: a load of 0.8.
const CROWD: usize = 4;

/// A map from words other than 0 to numbers.
#[derive(Debug)]
pub(crate) struct NumberedTable {
    words: Box<[u64]>,
    /// Words before the first bucket, which starts a cache line.
    n_before: usize,
    n_buckets: usize,
    len: usize,
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
        let words = zeroed_field((n_buckets + 1) * LINE - 1);
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
        (self.words[place.line + BUCKET + place.slot / 2] >> (32 * (place.slot % 2))) as u32
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
        if self.n_buckets < SMALL { self.n_buckets * 2 } else { self.n_buckets / 2 * 3 }
    }

    /// Bytes of the table after growth; while it grows, there are both.
    pub(crate) fn bytes_after_growth(&self) -> usize {
        self.n_buckets_after_growth() * LINE * size_of::<u64>()
    }

    /// Makes room.
    #[cold]
    pub(crate) fn grow(&mut self) {
        let mut grown = NumberedTable::with_buckets(self.n_buckets_after_growth());
        self.for_each(|root, number| {
            grown.insert(root, number);
        });
        *self = grown;
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
