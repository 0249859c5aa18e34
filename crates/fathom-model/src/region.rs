//! Regions: the symbolic half of a composite state.
//!
//! A composite state is an explicit part, a byte string, and a region, which stands for a set of values of
//! everything that the bytes do not say. The region of a plain model is [`NoRegion`]: it has no size, every
//! question about it is answered at compile time, and the search loop compiles to what it would be without
//! regions at all.

use std::fmt::Debug;

/// A set of values, in canonical form.
///
/// `includes` must be a preorder, and exploration must be monotone in it: whatever can be reached from a
/// region can be reached from one that includes it. That is what allows a store to drop what is included.
pub trait Region: Clone + Debug {
    /// Whether every value in `other` is in `self`.
    fn includes(&self, other: &Self) -> bool;

    /// A number that is the same for equal regions: what a sampled engine, which may take one state for
    /// another, remembers of a region.
    fn fingerprint(&self) -> u64 {
        0
    }

    /// Bytes of memory beyond the size of the type itself.
    fn heap_size(&self) -> usize {
        0
    }

    /// Panics when the region is not in canonical form; called in debug builds when it is stored.
    fn assert_valid(&self) {}
}

/// Regions of which the union is a region: what was reached can be kept as one set, and what is new of a region is a region.
pub trait Unite: Region {
    /// What is in this region and not in the other; nothing when that is nothing.
    fn minus(&self, other: &Self) -> Result<Option<Self>, NoRoomForRegion>;

    /// What is in one of them.
    fn union(&self, other: &Self) -> Result<Self, NoRoomForRegion>;
}

/// There is no memory for a region: a reason to end a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoRoomForRegion;

/// The region of a state that is all explicit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct NoRegion;

impl Region for NoRegion {
    #[inline(always)]
    fn includes(&self, _: &NoRegion) -> bool {
        true
    }
}
