//! The exact store with a number for each state, for searches that must know more than that a state is known.
//!
//! As [`PackedStore`](crate::PackedStore): a state is one word, and an insertion touches one line of memory, in which
//! the number is, too ([`numbered_table`](crate::numbered_table)). What numbers mean is the search's business.

use fathom_model::{NoRegion, Steps};

use crate::numbered_table::NumberedTable;
use crate::packing::{Escapes, Opened, Packer};
use crate::store::StateId;

/// A map from states without regions to numbers.
///
/// # Example
///
/// ```
/// use fathom_store::{NumberedStore, Opened, Entered};
///
/// let mut store = NumberedStore::new(&mut std::iter::empty(), u64::MAX, u64::MAX);
/// let mut opened = Opened::default();
/// let key = store.key(b"first", &mut opened).unwrap();
/// assert!(matches!(store.insert(key, 7), Entered::New(_)));
/// assert_eq!(store.insert(key, 8), Entered::Known(7));
/// store.set_number(key, 9);
/// assert_eq!(store.number(key), Some(9));
/// ```
#[derive(Debug)]
pub struct NumberedStore {
    packer: Packer,
    table: NumberedTable,
    escapes: Escapes,
    max_states: u64,
    max_bytes: u64,
}

/// What became of an insertion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entered {
    /// It was not known.
    New(StateId),
    /// It was known, with this number.
    Known(u32),
    /// It was not known, and there may be no more states.
    TooMany,
    /// It was not known, and there is no memory for it.
    NoMemory,
}

impl NumberedStore {
    /// An empty store fitted to some states of those to come, with limits on states and bytes.
    pub fn new(sample: &mut dyn Iterator<Item = &[u8]>, max_states: u64, max_bytes: u64) -> NumberedStore {
        let mut packer = Packer::default();
        packer.fit(sample);
        packer.set_max_bytes(max_bytes);
        NumberedStore {
            packer,
            table: NumberedTable::new(),
            escapes: Escapes::default(),
            max_states,
            max_bytes,
        }
    }

    /// Whether there is memory for so many bytes more.
    fn has_memory(&self, more: usize) -> bool {
        (self.bytes() + more) as u64 <= self.max_bytes
    }

    /// The key of a state; none when there is no memory for it.
    #[inline]
    pub fn key(&mut self, state: &[u8], near: &mut Opened) -> Option<u64> {
        match self.packer.root(state, near) {
            Some(root) => Some(root),
            None => self.key_after_growth(state, near),
        }
    }

    #[cold]
    fn key_after_growth(&mut self, state: &[u8], near: &mut Opened) -> Option<u64> {
        let growth = self.packer.growth()?;
        if !self.has_memory(growth) {
            return None;
        }
        self.packer.grow();
        self.packer.root(state, near)
    }

    /// Adds the keys of all steps to a list and asks for the memory that they need; false when there is none for them.
    #[inline]
    pub fn keys<L>(&mut self, steps: &Steps<NoRegion, L>, near: &mut Opened, keys: &mut Vec<u64>) -> bool {
        let n_before = keys.len();
        self.packer.roots_simply(steps, near, keys);
        for index in keys.len() - n_before..steps.len() {
            match self.key(steps.state(index), near) {
                Some(key) => keys.push(key),
                None => return false,
            }
        }
        // The last one is looked at first.
        for &key in keys[n_before..].iter().rev() {
            self.table.prefetch(key);
        }
        true
    }

    /// Asks for the memory that a look-up needs.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        self.table.prefetch(key);
    }

    /// Remembers a state with a number unless it is known.
    #[inline]
    pub fn insert(&mut self, key: u64, number: u32) -> Entered {
        let key = if self.packer.may_be_old(key) { self.packer.settle(key) } else { key };
        let is_full = self.len() as u64 >= self.max_states;
        if is_full || self.table.is_crowded() {
            if let Some(number) = self.table.get(key) {
                return Entered::Known(number);
            }
            if is_full {
                return Entered::TooMany;
            }
            if !self.has_memory(self.table.growth()) {
                return Entered::NoMemory;
            }
            self.table.grow();
        }
        if let Some(number) = self.table.insert(key, number) {
            return Entered::Known(number);
        }
        if Packer::is_escaped(key) {
            self.note_escaped();
        }
        Entered::New(StateId(key))
    }

    /// The number of a state; none when it is not known.
    #[inline]
    pub fn number(&self, key: u64) -> Option<u32> {
        let key = if self.packer.may_be_old(key) { self.packer.find_settled(key) } else { Some(key) };
        key.and_then(|key| self.table.get(key))
    }

    /// Changes the number of a known state.
    #[inline]
    pub fn set_number(&mut self, key: u64, number: u32) {
        let key = if self.packer.may_be_old(key) { self.packer.find_settled(key) } else { Some(key) };
        if let Some(key) = key {
            self.table.set(key, number);
        }
    }

    /// The key that a state has now whose key was made earlier: one that can be compared with others.
    pub fn renewed(&mut self, key: u64) -> u64 {
        if self.packer.may_be_old(key) { self.packer.settle(key) } else { key }
    }

    /// Counts a new state that cannot be packed; when there are many, there are new packings.
    #[cold]
    fn note_escaped(&mut self) {
        self.escapes.add();
        if !self.escapes.are_many() {
            return;
        }
        // A second table beside this one: where there is no memory for it, things stay as they are.
        if self.has_memory(self.table.bytes()) {
            self.packer.refit(&mut self.escapes, &mut self.table);
        } else {
            self.escapes.ignore();
        }
    }

    /// The state with a key that was made here.
    #[inline]
    pub fn open<'a>(&self, key: u64, opened: &'a mut Opened) -> &'a [u8] {
        self.packer.open(key, opened)
    }

    /// Number of states.
    #[inline]
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.packer.bytes() + self.table.bytes()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn state(number: u32) -> Vec<u8> {
        let mut state = vec![7; 20 + number as usize % 30];
        state[..4].copy_from_slice(&(number % 1000).to_le_bytes());
        state[12..16].copy_from_slice(&(number / 1000).to_le_bytes());
        state
    }

    #[test]
    fn numbers_stay_with_their_states_when_these_are_packed_anew() {
        let mut store = NumberedStore::new(&mut std::iter::empty(), u64::MAX, u64::MAX);
        let mut opened = Opened::default();
        let mut keys = Vec::new();
        for number in 0..20_000 {
            let key = store.key(&state(number), &mut opened).expect("memory");
            assert!(matches!(store.insert(key, number), Entered::New(_)));
            keys.push(key);
            assert_eq!(store.len(), number as usize + 1);
        }
        for number in (0..20_000).step_by(3) {
            store.set_number(keys[number as usize], number + 5);
        }
        for number in 0..20_000 {
            let key = store.key(&state(number), &mut opened).expect("memory");
            let expected = number + if number % 3 == 0 { 5 } else { 0 };
            assert_eq!(store.number(key), Some(expected));
            assert_eq!(
                store.number(keys[number as usize]),
                Some(expected),
                "the first key still means the state"
            );
            assert_eq!(store.insert(key, 1), Entered::Known(expected));
            assert_eq!(store.open(keys[number as usize], &mut opened), state(number));
        }
    }

    #[test]
    fn limits_are_kept_and_what_is_known_stays_known() {
        let mut store = NumberedStore::new(&mut std::iter::empty(), 3, u64::MAX);
        let mut opened = Opened::default();
        for number in 0..3_u8 {
            let key = store.key(&[number], &mut opened).expect("memory");
            assert!(matches!(store.insert(key, 0), Entered::New(_)));
        }
        let key = store.key(&[9], &mut opened).expect("memory");
        assert_eq!(store.insert(key, 0), Entered::TooMany);
        let key = store.key(&[1], &mut opened).expect("memory");
        assert_eq!(store.insert(key, 0), Entered::Known(0));
        let mut small = NumberedStore::new(&mut std::iter::empty(), u64::MAX, 100_000);
        let mut number = 0_u32;
        let end = loop {
            let Some(key) = small.key(&state(number), &mut opened) else { break None };
            match small.insert(key, 0) {
                Entered::New(_) => number += 1,
                other => break Some(other),
            }
        };
        assert!(end.is_none_or(|end| end == Entered::NoMemory) && number > 100, "{end:?} {number}");
    }
}
