//! Slots of tables of roots, and one look at a bucket of them: is a word there, and where is there room?
//!
//! A bucket is a cache line: eight slots of 64 bits, or sixteen of 32. All are compared at once.

use crate::sync::{AtomicU32, AtomicU64, Ordering, Zero};

/// Bytes of a bucket.
pub(super) const LINE: usize = 64;

/// A slot that threads fill, once. It holds 0 until then.
pub(crate) trait Slot: Zero + std::fmt::Debug {
    /// Slots in a bucket.
    const PER_BUCKET: usize;

    /// What is in the slot.
    fn load(&self) -> u64;

    /// Fills or empties a slot that no other thread uses. The word must fit.
    fn store(&self, word: u64);

    /// Fills an empty slot; false when another thread has done so.
    fn fill(&self, word: u64) -> bool;

    /// Whether a word is in a bucket, and the first empty slot, or their number if there is none. Others may be
    /// filling slots meanwhile: each slot is as it was at some moment during the call.
    fn scan(bucket: &[Self], word: u64) -> (bool, usize);
}

impl Slot for AtomicU64 {
    const PER_BUCKET: usize = LINE / size_of::<u64>();

    #[inline(always)]
    fn load(&self) -> u64 {
        self.load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn store(&self, word: u64) {
        self.store(word, Ordering::Relaxed);
    }

    #[inline(always)]
    fn fill(&self, word: u64) -> bool {
        self.compare_exchange(0, word, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    #[inline(always)]
    fn scan(bucket: &[AtomicU64], word: u64) -> (bool, usize) {
        #[cfg(all(target_arch = "x86_64", not(loom), not(miri)))]
        if std::arch::is_x86_feature_detected!("avx2") {
            let bucket = bucket.as_array().expect("a bucket has its slots");
            let (is_there, empty) = scan_with_avx2(bucket, word);
            // The first one that was seen empty: if it no longer is, trying to fill it shows that.
            return (is_there, (empty | 1 << AtomicU64::PER_BUCKET).trailing_zeros() as usize);
        }
        scan_one_by_one(bucket, word)
    }
}

impl Slot for AtomicU32 {
    const PER_BUCKET: usize = LINE / size_of::<u32>();

    #[inline(always)]
    fn load(&self) -> u64 {
        u64::from(self.load(Ordering::Relaxed))
    }

    #[inline(always)]
    fn store(&self, word: u64) {
        debug_assert!(word <= u64::from(u32::MAX), "words of 32 bits");
        self.store(word as u32, Ordering::Relaxed);
    }

    #[inline(always)]
    fn fill(&self, word: u64) -> bool {
        debug_assert!(word <= u64::from(u32::MAX), "words of 32 bits");
        self.compare_exchange(0, word as u32, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    #[inline(always)]
    fn scan(bucket: &[AtomicU32], word: u64) -> (bool, usize) {
        let bucket = bucket.as_array().expect("a bucket has its slots");
        let (same, empty) = crate::bucket::compare(bucket, word as u32, 0);
        (same != 0, (empty | 1 << AtomicU32::PER_BUCKET).trailing_zeros() as usize)
    }
}

fn scan_one_by_one<S: Slot>(bucket: &[S], word: u64) -> (bool, usize) {
    let (mut is_there, mut empty) = (false, 1_u32 << S::PER_BUCKET);
    for (index, slot) in bucket.iter().enumerate() {
        let slot = slot.load();
        is_there |= slot == word;
        empty |= u32::from(slot == 0) << index;
    }
    (is_there, empty.trailing_zeros() as usize)
}

/// All slots at once. Only for processors that have AVX2.
#[cfg(all(target_arch = "x86_64", not(loom), not(miri)))]
#[inline(always)]
fn scan_with_avx2(bucket: &[AtomicU64; 8], word: u64) -> (bool, u32) {
    let (is_there, low, high): (u8, u32, u32);
    // SAFETY: the processor has the instructions. They read the eight words and nothing else; each word is read in
    // one piece, as a relaxed load would. All registers that `vzeroupper` changes are named.
    unsafe {
        std::arch::asm!(
            "vmovq xmm0, {word}",
            "vpbroadcastq ymm0, xmm0",
            "vmovdqu ymm1, [{bucket}]",
            "vmovdqu ymm2, [{bucket} + 32]",
            "vpxor xmm3, xmm3, xmm3",
            "vpcmpeqq ymm4, ymm1, ymm0",
            "vpcmpeqq ymm5, ymm2, ymm0",
            "vpor ymm4, ymm4, ymm5",
            "vpcmpeqq ymm1, ymm1, ymm3",
            "vpcmpeqq ymm2, ymm2, ymm3",
            "vmovmskpd {low:e}, ymm1",
            "vmovmskpd {high:e}, ymm2",
            "vptest ymm4, ymm4",
            "setnz {is_there}",
            "vzeroupper",
            word = in(reg) word,
            bucket = in(reg) bucket.as_ptr(),
            low = out(reg) low,
            high = out(reg) high,
            is_there = out(reg_byte) is_there,
            out("ymm0") _, out("ymm1") _, out("ymm2") _, out("ymm3") _,
            out("ymm4") _, out("ymm5") _, out("ymm6") _, out("ymm7") _,
            out("ymm8") _, out("ymm9") _, out("ymm10") _, out("ymm11") _,
            out("ymm12") _, out("ymm13") _, out("ymm14") _, out("ymm15") _,
            options(nostack, readonly),
        );
    }
    (is_there != 0, low | high << 4)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check<S: Slot>(slots: [u8; 16], n_used: usize, word: u64) {
        let bucket = crate::sync::zeroed::<S>(S::PER_BUCKET * 2);
        let n_before =
            (bucket.as_ptr().addr().next_multiple_of(LINE) - bucket.as_ptr().addr()) / size_of::<S>();
        let bucket = &bucket[n_before..n_before + S::PER_BUCKET];
        let n_used = n_used.min(S::PER_BUCKET);
        bucket[..n_used].iter().zip(slots).for_each(|(slot, word)| slot.store(u64::from(word % 6 + 1)));
        assert_eq!(S::scan(bucket, word), scan_one_by_one(bucket, word));
        assert_eq!(S::scan(bucket, word).1, n_used);
    }

    proptest! {
        #[test]
        fn all_at_once_is_one_by_one(slots: [u8; 16], n_used in 0..=16_usize, word in 1..6_u64) {
            check::<AtomicU64>(slots, n_used, word);
            check::<AtomicU32>(slots, n_used, word);
        }
    }
}
