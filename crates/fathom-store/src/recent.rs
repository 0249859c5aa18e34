//! Keys that were seen lately.
//!
//! Two steps of independent processes can be taken in either order, and the state behind both is reached twice, one
//! expansion after the other. A slot for each of a few thousand hashes remembers the last key that was seen there:
//! such an insertion ends in a near cache instead of in memory.

/// Number of slots; a power of two. Together they take 64 kilobytes.
const SLOTS: usize = 1 << 13;

/// The last key by a few bits of a hash.
#[derive(Clone, Default, Debug)]
pub struct Recent {
    /// 0 where there was none: that key is never remembered. Empty before the first.
    slots: Box<[u64]>,
}

impl Recent {
    /// Whether a key is remembered. From now on, it is.
    #[inline(always)]
    pub(crate) fn was_seen(&mut self, key: u64) -> bool {
        let index = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOTS.ilog2())) as usize;
        match self.slots.get_mut(index) {
            Some(slot) => std::mem::replace(slot, key) == key && key != 0,
            None => self.see_first(index, key),
        }
    }

    #[cold]
    fn see_first(&mut self, index: usize, key: u64) -> bool {
        self.slots = vec![0; SLOTS].into_boxed_slice();
        self.slots[index] = key;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_seen_was_seen() {
        let mut recent = Recent::default();
        assert!(!recent.was_seen(0) && !recent.was_seen(0));
        assert!(!recent.was_seen(7) && recent.was_seen(7));
        let n_seen_before = (8..8 + 2 * SLOTS as u64).filter(|&key| recent.was_seen(key)).count();
        assert_eq!(n_seen_before, 0);
    }
}
