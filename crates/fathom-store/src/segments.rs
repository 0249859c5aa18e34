//! An array of words that grows at its end and never moves.
//!
//! Segment k holds twice as many words as segment k − 1, so that a few dozen of them are enough for any
//! length and the place of a word is found with a shift and a subtraction. Growing copies nothing: there is
//! no moment at which two copies fill the memory, and other threads may read and write meanwhile. Segments
//! start as untouched zero pages; what was not written yet takes no memory.

use crate::sync::{AtomicU64, zeroed};

/// Words in the first segment; a power of two.
#[cfg(not(loom))]
const FIRST: usize = 64;
#[cfg(loom)]
const FIRST: usize = 4;

/// A growing array of words, all zero at first.
#[derive(Debug, Default)]
pub(crate) struct Segments {
    segments: Vec<Box<[AtomicU64]>>,
}

impl Segments {
    /// Sees to it that there are words up to this number of them.
    pub(crate) fn reserve(&mut self, length: usize) {
        while FIRST * ((1 << self.segments.len()) - 1) < length {
            self.segments.push(zeroed(FIRST << self.segments.len()));
        }
    }

    /// The word with an index below the reserved length.
    #[inline(always)]
    pub(crate) fn word(&self, index: u32) -> &AtomicU64 {
        let index = index as usize + FIRST;
        let segment = index.ilog2() - FIRST.ilog2();
        &self.segments[segment as usize][index - (FIRST << segment)]
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::sync::Ordering;

    #[test]
    fn words_keep_their_values_and_places_while_the_array_grows() {
        let mut segments = Segments::default();
        segments.reserve(1);
        let first = std::ptr::from_ref(segments.word(0));
        for index in 0..5000_u32 {
            segments.reserve(index as usize + 1);
            assert_eq!(segments.word(index).load(Ordering::Relaxed), 0);
            segments.word(index).store(u64::from(index) + 7, Ordering::Relaxed);
        }
        assert_eq!(std::ptr::from_ref(segments.word(0)), first);
        assert!((0..5000).all(|index| segments.word(index).load(Ordering::Relaxed) == u64::from(index) + 7));
    }
}
