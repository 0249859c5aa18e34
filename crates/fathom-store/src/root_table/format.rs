//! What the slots of a table hold, and in which bucket a root belongs.
//!
//! The bucket is the upper half of a hash times the number of buckets (Lemire, "Fast Random Integer Generation in an
//! Interval", ACM TOMACS 2019): any number of buckets will do, and a root with a greater hash belongs in a later
//! bucket, however many there are.

use super::slot::Slot;
use crate::sync::AtomicU64;

/// How a table of so many buckets holds roots.
pub(crate) trait Format: Clone + std::fmt::Debug {
    /// A slot.
    type Slot: Slot;

    /// Number of buckets.
    fn n_buckets(&self) -> usize;

    /// The same with another number of buckets.
    fn with_buckets(&self, n_buckets: usize) -> Self;

    /// The bucket in which a search for a root starts, and the word for it there, other than 0; none when the table
    /// cannot hold this root.
    fn locate(&self, root: u64) -> Option<(usize, u64)>;

    /// The word for the same root in the next bucket; none when that is too far from where its search starts.
    fn next(&self, word: u64) -> Option<u64>;

    /// The root for which a word is in a bucket.
    fn root(&self, word: u64, bucket: usize) -> u64;
}

/// Slots hold roots as they are.
#[derive(Clone, Debug)]
pub(crate) struct Whole {
    pub(super) n_buckets: usize,
}

impl Whole {
    #[inline(always)]
    fn hash(root: u64) -> u64 {
        let product = u128::from(root ^ 0x9e37_79b9_7f4a_7c15) * 0xd1b5_4a32_d192_ed03_u128;
        let folded = (product as u64) ^ ((product >> 64) as u64);
        folded.wrapping_mul(0xaef1_7502_108e_f2d9)
    }
}

impl Format for Whole {
    type Slot = AtomicU64;

    #[inline(always)]
    fn n_buckets(&self) -> usize {
        self.n_buckets
    }

    fn with_buckets(&self, n_buckets: usize) -> Whole {
        Whole { n_buckets }
    }

    #[inline(always)]
    fn locate(&self, root: u64) -> Option<(usize, u64)> {
        let home = (u128::from(Whole::hash(root)) * self.n_buckets as u128) >> 64;
        Some((home as usize, root))
    }

    #[inline(always)]
    fn next(&self, word: u64) -> Option<u64> {
        Some(word)
    }

    #[inline(always)]
    fn root(&self, word: u64, _: usize) -> u64 {
        word
    }
}
