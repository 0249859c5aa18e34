//! Tables of bits with any number of bits: one bit for each state, and no way to tell states with one bit apart.
//!
//! The point of a *small* table is that it forgets in many different ways. A table with one bit more must
//! therefore be another function of the states, not the same one stretched: the size goes into the hash. The
//! source takes the remainder of a hash by the size, which does the same and needs a division;
//! [`Places::Remainder`] keeps that form, with the state itself as a number, for comparison with published tables.

use rapidhash::v3::rapidhash_v3;

/// Which place a state has in a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Places {
    /// By a hash of the state, the size and this seed.
    Hashed {
        /// The seed.
        seed: u64,
    },
    /// The first eight bytes of the state, as a number with the least significant byte first, modulo the size.
    Remainder,
}

/// A table of bits.
#[derive(Clone, Debug)]
pub(crate) struct BitTable {
    words: Vec<u64>,
    n_bits: u64,
    places: Places,
    /// What the size and the seed add to a hash.
    salt: u64,
}

impl BitTable {
    /// A table without bits; [`reset`](BitTable::reset) gives it some.
    pub fn new() -> BitTable {
        BitTable { words: Vec::new(), n_bits: 1, places: Places::Remainder, salt: 0 }
    }

    /// Becomes an empty table of this size, in the memory it has.
    pub fn reset(&mut self, n_bits: u64, places: Places) {
        self.n_bits = n_bits.max(1);
        self.places = places;
        self.salt = match places {
            Places::Hashed { seed } => mix(seed ^ mix(self.n_bits)),
            Places::Remainder => 0,
        };
        self.words.clear();
        self.words.resize(self.n_bits.div_ceil(64) as usize, 0);
    }

    /// The place of a composite state, whose region has this fingerprint.
    #[inline]
    pub fn place(&self, state: &[u8], fingerprint: u64) -> u64 {
        match self.places {
            Places::Hashed { .. } => {
                let hash = mix(rapidhash_v3(state) ^ fingerprint ^ self.salt);
                ((u128::from(hash) * u128::from(self.n_bits)) >> 64) as u64
            }
            Places::Remainder => {
                let number =
                    state.iter().take(8).rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
                (number ^ fingerprint) % self.n_bits
            }
        }
    }

    /// Whether the bit at a place is set.
    #[inline]
    pub fn is_set(&self, place: u64) -> bool {
        self.words[(place / 64) as usize] >> (place % 64) & 1 != 0
    }

    /// Sets the bit at a place, and says whether it was not set before.
    #[inline]
    pub fn set(&mut self, place: u64) -> bool {
        let (word, bit) = (&mut self.words[(place / 64) as usize], 1 << (place % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Bytes of the table.
    pub fn bytes(&self) -> u64 {
        self.words.len() as u64 * 8
    }

    /// Number of bits that are set.
    #[cfg(test)]
    pub fn n_set(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

/// A permutation of words that spreads every bit (the finalizer of SplitMix64).
#[inline]
pub(crate) fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// The seed of one of many runs that come from one seed.
pub fn derive_seed(seed: u64, index: u64) -> u64 {
    mix(mix(seed).wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

/// What is remembered of a state on a walk: enough never to be wrong in practice.
#[inline]
pub(crate) fn fingerprint(state: &[u8], region: u64) -> u64 {
    mix(rapidhash_v3(state) ^ mix(region))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bit_is_new_once() {
        let mut table = BitTable::new();
        table.reset(77, Places::Remainder);
        let place = table.place(&[200, 1], 0);
        assert_eq!(place, 456 % 77);
        assert!(!table.is_set(place));
        assert!(table.set(place));
        assert!(!table.set(place));
        assert_eq!(table.n_set(), 1);
        table.reset(77, Places::Remainder);
        assert!(!table.is_set(place));
    }

    #[test]
    fn places_fill_the_table_evenly_whatever_its_size() {
        let mut table = BitTable::new();
        for n_bits in [100, 128, 1001] {
            table.reset(n_bits, Places::Hashed { seed: 3 });
            for number in 0..n_bits as u32 * 10 {
                table.set(table.place(&number.to_le_bytes(), 0));
            }
            assert_eq!(table.n_set(), n_bits, "ten states for each bit leave next to none unset");
        }
    }

    #[test]
    fn one_bit_more_gives_other_collisions() {
        let pairs = |n_bits| {
            let mut table = BitTable::new();
            table.reset(n_bits, Places::Hashed { seed: 1 });
            let places: Vec<u64> = (0..200_u32).map(|number| table.place(&number.to_le_bytes(), 0)).collect();
            let same = |first: usize, second: usize| places[first] == places[second];
            (0..200 * 200)
                .filter(|pair| pair / 200 < pair % 200 && same(pair / 200, pair % 200))
                .collect::<Vec<_>>()
        };
        let (smaller, larger) = (pairs(1000), pairs(1001));
        let n_common = smaller.iter().filter(|pair| larger.contains(pair)).count();
        assert!(smaller.len() > 5 && n_common * 4 < smaller.len(), "{n_common} of {}", smaller.len());
    }

    #[test]
    fn a_region_is_part_of_the_state() {
        let mut table = BitTable::new();
        table.reset(1 << 20, Places::Hashed { seed: 0 });
        assert_ne!(table.place(&[1], 5), table.place(&[1], 6));
    }
}
