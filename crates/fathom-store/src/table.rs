//! A hash table of numbers: open addressing, linear probing, a power of two of slots.
//!
//! A slot is one word: the number of an entry and 32 bits of its hash. The home slot comes from the low bits
//! of the hash and the stored part from the high ones, so that the stored part still tells entries apart
//! that are neighbors in the table. Eight slots share a cache line, and at a load of at most three quarters
//! one line usually decides whether something is known; the entry itself, elsewhere in memory, is looked at
//! only when all 32 bits agree. Nothing is ever removed, so there are no tombstones.

use crate::prefetch::prefetch;

/// Slots of an empty table.
const FIRST_SLOTS: usize = 256;

/// A hash table of numbers below 2³² − 1.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// 0 when empty, or the upper half of the hash above the number plus one.
    slots: Vec<u64>,
    /// Number of slots in use.
    n_used: usize,
}

/// The place where an entry would go.
#[derive(Clone, Copy, Debug)]
pub struct Vacant(usize);

impl Table {
    /// An empty table.
    pub(crate) fn new() -> Table {
        Table { slots: vec![0; FIRST_SLOTS], n_used: 0 }
    }

    /// The entry with this hash for which `is_equal`, or the place for it.
    #[inline]
    pub(crate) fn find(&self, hash: u64, mut is_equal: impl FnMut(u32) -> bool) -> Result<u32, Vacant> {
        let mask = self.slots.len() - 1;
        let mut index = hash as usize & mask;
        loop {
            let slot = self.slots[index];
            if slot == 0 {
                return Err(Vacant(index));
            }
            if slot >> 32 == hash >> 32 && is_equal(slot as u32 - 1) {
                return Ok(slot as u32 - 1);
            }
            index = (index + 1) & mask;
        }
    }

    /// Asks for the slot at which a search for this hash starts.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        prefetch(&self.slots[hash as usize & (self.slots.len() - 1)]);
    }

    /// Fills a place found by [`Table::find`] with the same hash, when nothing was added since.
    #[inline]
    pub(crate) fn fill(&mut self, vacant: Vacant, hash: u64, number: u32) {
        debug_assert!(self.slots[vacant.0] == 0 && number < u32::MAX);
        self.slots[vacant.0] = hash >> 32 << 32 | (u64::from(number) + 1);
        self.n_used += 1;
    }

    /// Whether the table has to grow before anything is added.
    #[inline]
    pub(crate) fn is_crowded(&self) -> bool {
        (self.n_used + 1) * 4 > self.slots.len() * 3
    }

    /// Doubles the number of slots. The entries are the numbers below `n_used`, and are hashed again: that
    /// walks through memory in order and costs less than keeping whole hashes would.
    pub(crate) fn grow(&mut self, hash_of: impl Fn(u32) -> u64) {
        let n_slots = self.slots.len() * 2;
        let mask = n_slots - 1;
        let mut slots = vec![0_u64; n_slots];
        for number in 0..self.n_used as u32 {
            let hash = hash_of(number);
            let mut index = hash as usize & mask;
            while slots[index] != 0 {
                index = (index + 1) & mask;
            }
            slots[index] = hash >> 32 << 32 | (u64::from(number) + 1);
        }
        self.slots = slots;
    }

    /// Bytes of memory in use.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds numbers 0, 1, … with these hashes and expects to find each, whatever collides.
    fn check(hashes: &[u64]) {
        let mut table = Table::new();
        for (number, &hash) in hashes.iter().enumerate() {
            let number = number as u32;
            assert!(table.find(hash, |other| other == number).is_err());
            if table.is_crowded() {
                table.grow(|number| hashes[number as usize]);
            }
            let vacant = table.find(hash, |_| false).expect_err("nothing is equal");
            table.fill(vacant, hash, number);
        }
        for (number, &hash) in hashes.iter().enumerate() {
            let number = number as u32;
            let found = table.find(hash, |other| {
                assert_eq!(hashes[other as usize] >> 32, hash >> 32, "compared in spite of the stored part");
                other == number
            });
            assert_eq!(found.ok(), Some(number));
        }
    }

    #[test]
    fn equal_hashes_are_told_apart_by_comparison() {
        check(&[u64::MAX; 700]);
    }

    #[test]
    fn probing_wraps_around_at_the_end_of_the_table() {
        let hashes: Vec<u64> = (0..150_u64).map(|i| i << 32 | 0xff).collect();
        check(&hashes);
    }

    #[test]
    fn spread_hashes_survive_growth() {
        let hashes: Vec<u64> = (0..5000_u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        check(&hashes);
    }
}
