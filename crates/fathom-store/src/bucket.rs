//! One cache line of slots, compared all at once.

use crate::sync::{AtomicU32, Ordering};

/// Slots in a bucket.
pub(crate) const BUCKET: usize = 16;

/// Sixteen slots in one cache line. A slot is 0 when it is empty.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Bucket(pub(crate) [AtomicU32; BUCKET]);

/// A list of buckets, all empty at first.
///
/// Memory aligned to cache lines cannot be had zeroed without being touched, so the list starts at the first
/// line within memory that is aligned to a word.
#[cfg(not(loom))]
#[derive(Debug)]
pub(crate) struct Buckets {
    slots: Box<[AtomicU32]>,
    /// Slots before the first bucket.
    n_before: usize,
}

#[cfg(not(loom))]
impl Buckets {
    /// This many empty buckets.
    pub(crate) fn new(n_buckets: usize) -> Buckets {
        let slots: Box<[AtomicU32]> = crate::sync::zeroed((n_buckets + 1) * BUCKET - 1);
        let n_before =
            (slots.as_ptr().addr().next_multiple_of(64) - slots.as_ptr().addr()) / size_of::<AtomicU32>();
        Buckets { slots, n_before }
    }
}

#[cfg(not(loom))]
impl Default for Buckets {
    fn default() -> Buckets {
        Buckets::new(0)
    }
}

#[cfg(not(loom))]
impl std::ops::Deref for Buckets {
    type Target = [Bucket];

    #[inline(always)]
    fn deref(&self) -> &[Bucket] {
        let slots = &self.slots[self.n_before..];
        // SAFETY: a bucket is sixteen slots and nothing else; the first one is at a multiple of 64, because an
        // `AtomicU32` is four bytes and aligned to four, so at most 15 slots come before, for which there is
        // room even in an empty list; and there are at least so many slots left.
        unsafe { std::slice::from_raw_parts(slots.as_ptr().cast::<Bucket>(), slots.len() / BUCKET) }
    }
}

/// A list of buckets, all empty at first.
#[cfg(loom)]
#[derive(Debug, Default)]
pub(crate) struct Buckets(Box<[Bucket]>);

#[cfg(loom)]
impl Buckets {
    /// This many empty buckets.
    pub(crate) fn new(n_buckets: usize) -> Buckets {
        Buckets((0..n_buckets).map(|_| Bucket(std::array::from_fn(|_| AtomicU32::new(0)))).collect())
    }
}

#[cfg(loom)]
impl std::ops::Deref for Buckets {
    type Target = [Bucket];

    fn deref(&self) -> &[Bucket] {
        &self.0
    }
}

impl Bucket {
    /// For each slot one bit: those that are in use and agree with `tag` where `mask` is 0, and those that are
    /// empty. All slots are compared together, so that no branch depends on where they are. Others may be
    /// filling slots meanwhile: each slot is as it was at some moment during the call.
    #[inline(always)]
    pub(crate) fn scan(&self, tag: u32, mask: u32) -> (u32, u32) {
        let (matching, empty) = compare(&self.0, tag, mask);
        (matching & !empty, empty)
    }

    /// A slot. Whoever sees a number here sees the word that it stands for.
    #[inline(always)]
    pub(crate) fn slot(&self, place: usize) -> u32 {
        self.0[place].load(Ordering::Acquire)
    }
}

/// For each slot one bit: those that agree with `tag` where `mask` is 0, and those that are empty.
#[cfg(all(target_arch = "x86_64", not(miri), not(loom)))]
#[inline(always)]
pub(crate) fn compare(slots: &[AtomicU32; BUCKET], tag: u32, mask: u32) -> (u32, u32) {
    use std::arch::x86_64::{
        __m128i, _mm_andnot_si128, _mm_cmpeq_epi32, _mm_movemask_epi8, _mm_packs_epi16, _mm_packs_epi32,
        _mm_set1_epi32, _mm_setzero_si128,
    };
    let (a, b, c, d): (__m128i, __m128i, __m128i, __m128i);
    // SAFETY: the loads read the sixteen slots. These are atomics that other threads may write; in machine code
    // a load of four of them is four relaxed atomic loads, because each is aligned, and assembly may do what no
    // load of the language can. Every x86-64 processor has SSE2.
    unsafe {
        std::arch::asm!(
            "movdqu {a}, xmmword ptr [{slots}]",
            "movdqu {b}, xmmword ptr [{slots} + 16]",
            "movdqu {c}, xmmword ptr [{slots} + 32]",
            "movdqu {d}, xmmword ptr [{slots} + 48]",
            slots = in(reg) slots.as_ptr(),
            a = out(xmm_reg) a,
            b = out(xmm_reg) b,
            c = out(xmm_reg) c,
            d = out(xmm_reg) d,
            options(nostack, readonly, preserves_flags),
        );
        let (tags, masks, zero) =
            (_mm_set1_epi32(tag as i32), _mm_set1_epi32(mask as i32), _mm_setzero_si128());
        let matches = |four| _mm_cmpeq_epi32(_mm_andnot_si128(masks, four), tags);
        let empties = |four| _mm_cmpeq_epi32(four, zero);
        // All ones stay all ones when they are narrowed with saturation: from 32 to 16 to 8 bits.
        let bits = |a, b, c, d| {
            let narrowed = _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
            _mm_movemask_epi8(narrowed) as u32
        };
        (
            bits(matches(a), matches(b), matches(c), matches(d)),
            bits(empties(a), empties(b), empties(c), empties(d)),
        )
    }
}

/// See the version for x86-64.
#[cfg(not(all(target_arch = "x86_64", not(miri), not(loom))))]
#[inline(always)]
pub(crate) fn compare(slots: &[AtomicU32; BUCKET], tag: u32, mask: u32) -> (u32, u32) {
    let (mut matching, mut empty) = (0, 0);
    for (place, slot) in slots.iter().enumerate() {
        let slot = slot.load(Ordering::Relaxed);
        matching |= u32::from(slot & !mask == tag) << place;
        empty |= u32::from(slot == 0) << place;
    }
    (matching, empty)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn lists_of_any_length_are_empty_and_start_at_a_cache_line() {
        assert_eq!(Buckets::default().len(), 0);
        for n_buckets in 1..50 {
            let buckets = Buckets::new(n_buckets);
            assert_eq!(buckets.len(), n_buckets);
            assert_eq!(buckets.as_ptr().addr() % 64, 0);
            assert!(buckets.iter().all(|bucket| bucket.scan(0, 0) == (0, 0xffff)));
        }
    }

    #[test]
    fn every_slot_has_its_bit() {
        let bucket = Bucket(std::array::from_fn(|_| AtomicU32::new(0)));
        assert_eq!(bucket.scan(0, 0xff), (0, 0xffff), "an empty slot never matches, not even the tag 0");
        for place in 0..BUCKET {
            bucket.0[place].store(0xab00 | (place as u32 + 1), Ordering::Relaxed);
            let full = (2 << place) - 1;
            assert_eq!(bucket.scan(0xab00, 0xff), (full, 0xffff & !full));
            assert_eq!(bucket.scan(0xac00, 0xff).0, 0);
            assert_eq!(bucket.scan(0xab00 | (place as u32 + 1), 0).0, 1 << place);
        }
        bucket.0[3].store(u32::MAX, Ordering::Relaxed);
        assert_eq!(bucket.scan(0xffff_ff00, 0xff), (1 << 3, 0));
        assert_eq!(bucket.scan(0, u32::MAX), (0xffff, 0));
    }
}
