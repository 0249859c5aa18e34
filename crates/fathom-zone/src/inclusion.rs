//! When one zone is in another, exactly or up to what guards can tell.
//!
//! [`is_within`] compares closed matrices entry by entry. [`is_within_lu`] asks less: that every value of one zone
//! can be simulated by a value of the other in an automaton whose guards bound each clock from below by constants up
//! to `lower` and from above by constants up to `upper`. The set of all values simulated by a zone (its *aLU*
//! abstraction; Behrmann, Bouyer, Larsen and Pelánek, "Lower and Upper Bounds in Zone-Based Abstractions of Timed
//! Automata", STTT 2006) is not convex, yet whether a zone lies in it can be read off two matrices in quadratic time
//! (Herbreteau, Srivathsan and Walukiewicz, "Better Abstractions for Timed Automata", LICS 2012).
//!
//! A store compares one zone with many. What the second test asks of the other zone is that none of its bounds is below a number that does not
//! depend on it. [`shadow_lu`] is the matrix of these numbers: a zone is simulated by another exactly if its shadow [`is_within`] the other.

use crate::{Bound, NO_BOUND};

/// Whether every value of `inner` is in `outer`.
#[inline]
pub fn is_within(inner: &[Bound], outer: &[Bound]) -> bool {
    debug_assert_eq!(inner.len(), outer.len());
    // Blocks without branches inside, so that they become vector instructions; most answers fall in the first.
    let (inner_blocks, inner_rest) = inner.as_chunks::<8>();
    let (outer_blocks, outer_rest) = outer.as_chunks::<8>();
    for (inner, outer) in inner_blocks.iter().zip(outer_blocks) {
        let mut exceeds = false;
        for index in 0..8 {
            exceeds |= inner[index] > outer[index];
        }
        if exceeds {
            return false;
        }
    }
    inner_rest.iter().zip(outer_rest).all(|(inner, outer)| inner <= outer)
}

/// Whether every value of `inner` is simulated by a value of `outer`, when guards compare each clock from below with
/// constants up to `lower` and from above with constants up to `upper`, where [`NO_BOUND`] says that there is none.
///
/// Not so when for some clocks `x` and `y`: `inner` allows `x <= upper(x)`, bounds `y - x` less sharply than `outer`,
/// and so much so that `y` can be told from every value that `outer` has for it.
pub fn is_within_lu(inner: &[Bound], outer: &[Bound], dim: usize, lower: &[i32], upper: &[i32]) -> bool {
    let first_row = &inner[..dim];
    let rows = inner.chunks_exact(dim).zip(outer.chunks_exact(dim));
    for ((inner_row, outer_row), &lower) in rows.zip(lower).filter(|(_, lower)| **lower != NO_BOUND) {
        let mut is_told_apart = false;
        // Without branches, so that it becomes vector instructions. Without a constant the last test always fails.
        for x in 0..dim {
            let is_larger = outer_row[x] < inner_row[x];
            let is_seen = Bound::below(-lower).finite_plus(outer_row[x]) < first_row[x];
            let is_compared = first_row[x] >= Bound::at_most(-upper[x]);
            is_told_apart |= is_larger & is_seen & is_compared;
        }
        if is_told_apart {
            return false;
        }
    }
    true
}

/// The matrix with which [`is_within`] tells of any `outer` what [`is_within_lu`] tells of `inner` and `outer`. It is no zone.
pub fn shadow_lu(inner: &[Bound], dim: usize, lower: &[i32], upper: &[i32], shadow: &mut [Bound]) {
    let first_row = &inner[..dim];
    let rows = inner.chunks_exact(dim).zip(shadow.chunks_exact_mut(dim));
    for ((inner_row, shadow_row), &lower) in rows.zip(lower) {
        if lower == NO_BOUND {
            shadow_row.fill(Bound::LEAST);
            continue;
        }
        for x in 0..dim {
            let is_compared = first_row[x] >= Bound::at_most(-upper[x]);
            let seen = first_row[x].first_told_apart(lower);
            shadow_row[x] = if is_compared { inner_row[x].min(seen) } else { Bound::LEAST };
        }
    }
}
