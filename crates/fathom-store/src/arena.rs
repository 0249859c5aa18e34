//! Byte strings of any length, appended one after the other and never moved.
//!
//! Chunks instead of one vector: a vector that doubles holds the old and the new copy at once, just when
//! memory is short, and keeps half of itself in reserve. Here the reserve is at most one chunk, and the
//! first chunk grows from nothing so that small searches stay small.

use crate::prefetch::prefetch;

/// Bytes in a chunk. A longer string has a chunk to itself.
const CHUNK: usize = 1 << 22;

/// An append-only list of byte strings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arena {
    chunks: Vec<Vec<u8>>,
    /// Where each string starts: chunk in the upper 32 bits, offset in the chunk in the lower 32. It ends
    /// where the next one in the same chunk starts, or with the chunk.
    starts: Vec<u64>,
}

impl Arena {
    /// Number of strings.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Appends a string, whose index is the length before.
    pub(crate) fn push(&mut self, string: &[u8]) {
        if self.needs_chunk(string.len()) {
            let capacity = if self.chunks.is_empty() { string.len() } else { CHUNK.max(string.len()) };
            self.chunks.push(Vec::with_capacity(capacity));
        }
        let index = self.chunks.len() - 1;
        let chunk = &mut self.chunks[index];
        debug_assert!(chunk.len() <= CHUNK);
        self.starts.push((index as u64) << 32 | chunk.len() as u64);
        chunk.extend_from_slice(string);
    }

    /// The string with an index.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> &[u8] {
        let index = index as usize;
        let start = self.starts[index];
        let chunk = &self.chunks[(start >> 32) as usize];
        let end = match self.starts.get(index + 1) {
            Some(&next) if next >> 32 == start >> 32 => next as u32 as usize,
            _ => chunk.len(),
        };
        &chunk[start as u32 as usize..end]
    }

    /// Asks for the start of a string.
    #[inline]
    pub(crate) fn prefetch(&self, index: u32) {
        prefetch(&self.starts[index as usize]);
    }

    /// Bytes of memory in use.
    pub(crate) fn bytes(&self) -> usize {
        // Every chunk but the first and those of long strings has the same capacity; summing is cheap all
        // the same, there is one chunk for every four million bytes.
        let chunks: usize = self.chunks.iter().map(Vec::capacity).sum();
        chunks + self.chunks.capacity() * size_of::<Vec<u8>>() + self.starts.capacity() * size_of::<u64>()
    }

    /// Bytes by which memory grows, at worst, when a string of this length is appended.
    #[inline]
    pub(crate) fn growth(&self, length: usize) -> usize {
        let starts =
            if self.starts.len() == self.starts.capacity() { self.starts.capacity().max(4) * 8 } else { 0 };
        if self.needs_chunk(length) {
            return starts + if self.chunks.is_empty() { length } else { CHUNK.max(length) };
        }
        let chunk = &self.chunks[self.chunks.len() - 1];
        starts + if chunk.len() + length > chunk.capacity() { chunk.capacity() + length } else { 0 }
    }

    fn needs_chunk(&self, length: usize) -> bool {
        match self.chunks.last() {
            Some(chunk) => !chunk.is_empty() && chunk.len() + length > CHUNK,
            None => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_every_length_come_back_across_chunks() {
        let lengths = [0, 1, 7, CHUNK - 9, 0, 3, CHUNK, 0, CHUNK + 5, 2, CHUNK / 2, CHUNK / 2, 0, 0, 1];
        let strings: Vec<Vec<u8>> = lengths.iter().enumerate().map(|(i, &n)| vec![i as u8; n]).collect();
        let mut arena = Arena::default();
        for string in &strings {
            let (before, growth) = (arena.bytes(), arena.growth(string.len()));
            arena.push(string);
            // The list of chunks itself is not worth predicting.
            assert!(arena.bytes() <= before + growth + 256, "{before} + {growth} < {}", arena.bytes());
        }
        assert_eq!(arena.len(), strings.len());
        for (index, string) in strings.iter().enumerate() {
            assert!(arena.get(index as u32) == &string[..], "string {index}");
        }
    }

    #[test]
    fn a_small_arena_takes_little_memory() {
        let mut arena = Arena::default();
        arena.push(&[1; 100]);
        assert!(arena.bytes() < 1000);
    }
}
