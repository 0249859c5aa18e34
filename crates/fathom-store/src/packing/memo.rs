//! The last answers of a table, in a few cache lines.
//!
//! A search comes back to the same words and pairs again and again. A slot for each of a few thousand hashes
//! remembers the last word that was looked up there and its code: a hit is one multiplication and one load,
//! without the branches of a probe. Codes never change, so that nothing in a memo is ever wrong; each thread
//! has its own.

/// Word, code and set by a few bits of a hash of the word.
#[derive(Clone, Debug)]
pub(super) struct Memo<const BITS: u32> {
    /// The word 0, which is never looked up, where there is nothing.
    entries: Box<[(u64, u32, u32)]>,
}

impl<const BITS: u32> Default for Memo<BITS> {
    fn default() -> Memo<BITS> {
        Memo { entries: Box::default() }
    }
}

impl<const BITS: u32> Memo<BITS> {
    /// The code of a word other than 0 in a set, the name of which has nothing in the middle: the one remembered, or
    /// the one that `look_up` finds.
    #[inline(always)]
    pub(super) fn code(&mut self, set: u64, word: u64, look_up: impl FnOnce() -> Option<u32>) -> Option<u32> {
        let set = (set >> 32) as u32 | set as u32;
        let index = (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS)) as usize;
        if let Some(&(known, code, known_set)) = self.entries.get(index)
            && (known, known_set) == (word, set)
        {
            return Some(code);
        }
        let code = look_up()?;
        if self.entries.is_empty() {
            self.entries = vec![(0, 0, 0); 1 << BITS].into_boxed_slice();
        }
        self.entries[index] = (word, code, set);
        Some(code)
    }
}
