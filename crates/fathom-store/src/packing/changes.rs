//! The bytes in which two states differ.
//!
//! Sixteen of them are compared at once, where the processor can; what is left to do is proportional to the number of
//! differences.

/// Bytes that are compared at once.
const CHUNK: usize = 16;
/// Bytes of which the differences fit into a mask.
const BLOCK: usize = 64;

/// The indices of the bytes in which two strings of one length differ, in order.
pub(super) struct Changes<'a> {
    one: &'a [u8],
    other: &'a [u8],
    /// Where the current block starts.
    start: usize,
    /// A bit for each difference in it that is still to be told.
    mask: u64,
}

impl<'a> Changes<'a> {
    /// Compares two strings, the second of which may be longer: the rest of it is ignored.
    #[inline(always)]
    pub(super) fn new(one: &'a [u8], other: &'a [u8]) -> Changes<'a> {
        let other = &other[..one.len()];
        Changes { one, other, start: 0, mask: mask_of_block(one, other, 0) }
    }
}

impl Iterator for Changes<'_> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.mask == 0 {
            self.start += BLOCK;
            if self.start >= self.one.len() {
                return None;
            }
            self.mask = mask_of_block(self.one, self.other, self.start);
        }
        let index = self.mask.trailing_zeros() as usize;
        self.mask &= self.mask - 1;
        Some(self.start + index)
    }
}

/// A bit for each difference in the block that starts at an index.
#[inline(always)]
fn mask_of_block(one: &[u8], other: &[u8], start: usize) -> u64 {
    let n_bytes = (one.len() - start).min(BLOCK);
    let n_whole = n_bytes / CHUNK * CHUNK;
    let mut mask = 0;
    let mut index = 0;
    while index < n_whole {
        let chunks = (one[start + index..].first_chunk(), other[start + index..].first_chunk());
        if let (Some(one), Some(other)) = chunks {
            mask |= u64::from(differences(one, other)) << index;
        }
        index += CHUNK;
    }
    let n_left = n_bytes - n_whole;
    if n_left == 0 {
        return mask;
    }
    // The last bytes together with some before them, which are shifted out.
    if let (Some(one), Some(other)) = (one.last_chunk(), other.last_chunk()) {
        return mask | u64::from(differences(one, other)) >> (CHUNK - n_left) << n_whole;
    }
    let (mut padded_one, mut padded_other) = ([0; CHUNK], [0; CHUNK]);
    padded_one[..n_left].copy_from_slice(&one[..n_left]);
    padded_other[..n_left].copy_from_slice(&other[..n_left]);
    u64::from(differences(&padded_one, &padded_other))
}

/// A bit for each difference.
#[inline(always)]
fn differences(one: &[u8; CHUNK], other: &[u8; CHUNK]) -> u32 {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{__m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8};
        // SAFETY: there are as many bytes as are read, and all processors of this family have the instructions.
        unsafe {
            let one = _mm_loadu_si128(one.as_ptr().cast::<__m128i>());
            let other = _mm_loadu_si128(other.as_ptr().cast::<__m128i>());
            _mm_movemask_epi8(_mm_cmpeq_epi8(one, other)) as u32 ^ 0xffff
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    {
        let places = one.iter().zip(other).enumerate();
        places.fold(0, |mask, (index, (one, other))| mask | u32::from(one != other) << index)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn exactly_the_differences_are_told(
            one in prop::collection::vec(0..3_u8, 0..200),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..20),
            more in prop::collection::vec(any::<u8>(), 0..9),
        ) {
            let mut other = one.clone();
            for (index, byte) in changes {
                if !other.is_empty() {
                    let index = index.index(other.len());
                    other[index] = byte;
                }
            }
            let expected: Vec<usize> = (0..one.len()).filter(|&index| one[index] != other[index]).collect();
            other.extend(more);
            prop_assert_eq!(Changes::new(&one, &other).collect::<Vec<_>>(), expected);
        }
    }
}
