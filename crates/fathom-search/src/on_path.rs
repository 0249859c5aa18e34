//! Which states are on the path of a depth-first search, and where.
//!
//! A table from a hash of the explicit part to the position on the path. Two states with one hash are told apart by
//! whoever asks, who can read the state at a position again; so the table needs no states of its own. The second
//! state of a hash is entered under the next number. States leave in the reverse order in which they came, so
//! no gap opens in front of one that is still there.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Positions on the path, by hash.
#[derive(Default, Debug)]
pub(crate) struct OnPath {
    positions: HashMap<u64, u32, BuildHasherDefault<Same>>,
}

/// The hash of a number that is one already.
#[derive(Default, Debug)]
pub(crate) struct Same(u64);

impl Hasher for Same {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0.rotate_left(8) ^ u64::from(byte)).wrapping_mul(MULTIPLIER);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

/// An odd number with its bits well mixed: the golden ratio (Knuth, volume 3, 6.4).
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// A hash of an explicit part.
pub(crate) fn hash(state: &[u8]) -> u64 {
    let mut hash = state.len() as u64;
    let mut mix = |word: u64| {
        hash = (hash ^ word).wrapping_mul(MULTIPLIER);
        hash ^= hash >> 29;
    };
    let mut words = state.chunks_exact(8);
    for word in &mut words {
        mix(u64::from_le_bytes(word.try_into().expect("eight bytes")));
    }
    let rest = words.remainder();
    mix(rest.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)));
    hash.wrapping_mul(MULTIPLIER)
}

impl OnPath {
    /// Bytes for a state on the path: a slot of a table that is half full on average.
    pub(crate) const BYTES_PER_STATE: usize = 32;

    /// Enters a state at a position.
    pub(crate) fn push(&mut self, hash: u64, position: u32) {
        let mut key = hash;
        while self.positions.contains_key(&key) {
            key = key.wrapping_add(1);
        }
        self.positions.insert(key, position);
    }

    /// Removes the state that was entered last.
    pub(crate) fn pop(&mut self, hash: u64, position: u32) {
        let mut key = hash;
        while self.positions.get(&key).is_some_and(|&at| at != position) {
            key = key.wrapping_add(1);
        }
        self.positions.remove(&key);
    }

    /// The position of a state; `is_at` says whether it is the one at a position.
    #[inline]
    pub(crate) fn find(&self, hash: u64, mut is_at: impl FnMut(u32) -> bool) -> Option<u32> {
        let mut key = hash;
        while let Some(&position) = self.positions.get(&key) {
            if is_at(position) {
                return Some(position);
            }
            key = key.wrapping_add(1);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_with_one_hash_are_told_apart_and_leave_in_turn() {
        let mut path = OnPath::default();
        for position in 0..3 {
            path.push(7, position);
        }
        path.push(8, 3);
        assert_eq!(path.find(7, |position| position == 2), Some(2));
        assert_eq!(path.find(8, |position| position == 3), Some(3));
        path.pop(8, 3);
        path.pop(7, 2);
        assert_eq!(path.find(7, |position| position == 2), None);
        assert_eq!(path.find(7, |position| position == 1), Some(1));
    }
}
