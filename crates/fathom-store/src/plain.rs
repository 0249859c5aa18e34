//! Explicit parts in full, one after the other.
//!
//! Strings lie in an append-only arena and are found through a hash table of their numbers. Costs the bytes
//! of the string, 8 for its place, and 11 to 22 for its share of the table. Faster than a tree when states
//! are short or have nothing in common; the measure of all other stores in tests.

use rapidhash::v3::rapidhash_v3;

use crate::arena::Arena;
use crate::parts::Parts;
use crate::table::{Table, Vacant};

/// Explicit parts in full.
#[derive(Clone, Debug)]
pub struct PlainParts {
    table: Table,
    strings: Arena,
}

impl Default for PlainParts {
    fn default() -> PlainParts {
        PlainParts { table: Table::new(), strings: Arena::default() }
    }
}

impl Parts for PlainParts {
    /// The hash.
    type Key = u64;
    type Opened = ();
    type Vacant = Vacant;
    const NEEDS_BYTES: bool = true;

    #[inline]
    fn key(&mut self, state: &[u8], _: &mut ()) -> Option<u64> {
        Some(rapidhash_v3(state))
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        self.table.prefetch(key);
    }

    #[inline]
    fn prefetch_match(&self, key: u64) {
        if let Ok(number) = self.table.find(key, |_| true) {
            self.strings.prefetch(number);
        }
    }

    #[inline]
    fn find(&self, key: u64, state: &[u8]) -> Result<u32, Vacant> {
        self.table.find(key, |number| self.strings.get(number) == state)
    }

    #[inline]
    fn fill(&mut self, mut vacant: Vacant, key: u64, state: &[u8]) -> u32 {
        if self.table.is_crowded() {
            self.table.grow(|number| rapidhash_v3(self.strings.get(number)));
            vacant = match self.table.find(key, |_| false) {
                Ok(_) => unreachable!("nothing is equal"),
                Err(vacant) => vacant,
            };
        }
        let number = self.strings.len() as u32;
        self.table.fill(vacant, key, number);
        self.strings.push(state);
        number
    }

    #[inline]
    fn open<'a>(&'a self, part: u32, (): &'a mut ()) -> &'a [u8] {
        self.strings.get(part)
    }

    fn len(&self) -> usize {
        self.strings.len()
    }

    fn bytes(&self) -> usize {
        self.table.bytes() + self.strings.bytes()
    }

    #[inline]
    fn growth(&self, length: usize) -> Option<usize> {
        // Offsets in the arena have 32 bits.
        if length > u32::MAX as usize / 2 || self.strings.len() >= u32::MAX as usize - 1 {
            return None;
        }
        // While the table grows, the old one is still there.
        let table = if self.table.is_crowded() { 2 * self.table.bytes() } else { 0 };
        Some(table + self.strings.growth(length))
    }

    fn key_growth(&self) -> Option<usize> {
        Some(0)
    }

    fn grow_for_keys(&mut self) {}
}
