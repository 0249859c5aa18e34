//! One look at a bucket: is a root there, and where is there room?

use super::BUCKET;
use crate::sync::{AtomicU64, Ordering};

/// Whether a root is in a bucket, and the first empty slot, or their number if there is none. Others may be
/// filling slots meanwhile: each slot is as it was at some moment during the call.
#[inline(always)]
pub(super) fn scan(bucket: &[AtomicU64; BUCKET], root: u64) -> (bool, usize) {
    #[cfg(all(target_arch = "x86_64", not(loom), not(miri)))]
    if std::arch::is_x86_feature_detected!("avx2") {
        let (is_there, empty) = scan_with_avx2(bucket, root);
        // The first one that was seen empty: if it no longer is, trying to fill it shows that.
        return (is_there, (empty | 1 << BUCKET).trailing_zeros() as usize);
    }
    scan_one_by_one(bucket, root)
}

fn scan_one_by_one(bucket: &[AtomicU64; BUCKET], root: u64) -> (bool, usize) {
    let (mut is_there, mut empty) = (false, 1_u32 << BUCKET);
    for (index, slot) in bucket.iter().enumerate() {
        let slot = slot.load(Ordering::Relaxed);
        is_there |= slot == root;
        empty |= u32::from(slot == 0) << index;
    }
    (is_there, empty.trailing_zeros() as usize)
}

/// All slots at once. Only for processors that have AVX2.
#[cfg(all(target_arch = "x86_64", not(loom), not(miri)))]
#[inline(always)]
fn scan_with_avx2(bucket: &[AtomicU64; BUCKET], root: u64) -> (bool, u32) {
    const { assert!(BUCKET == 8, "two registers of four words") };
    let (is_there, low, high): (u8, u32, u32);
    // SAFETY: the processor has the instructions. They read the eight words and nothing else; each word is read in
    // one piece, as a relaxed load would. All registers that `vzeroupper` changes are named.
    unsafe {
        std::arch::asm!(
            "vmovq xmm0, {root}",
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
            root = in(reg) root,
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

    proptest! {
        #[test]
        fn all_at_once_is_one_by_one(slots: [u8; BUCKET], n_used in 0..=BUCKET, root in 1..6_u64) {
            let mut bucket: [AtomicU64; BUCKET] = slots.map(|slot| AtomicU64::new(u64::from(slot % 6 + 1)));
            bucket[n_used..].iter_mut().for_each(|slot| *slot = AtomicU64::new(0));
            prop_assert_eq!(scan(&bucket, root), scan_one_by_one(&bucket, root));
            prop_assert_eq!(scan(&bucket, root).1, n_used);
        }
    }
}
