//! The short form of a zone: the fewest bounds from which all others follow.
//!
//! Larsen, Larsson, Pettersson and Yi, "Efficient Verification of Real-Time Systems: Compact Data Structure and
//! State-Space Reduction" (RTSS 1997). Clocks whose differences are fixed form groups. In each group the differences
//! along one cycle through it say everything; between groups, among one clock of each, a bound stays unless two others
//! give it. What stays is often a third of the matrix, and closing it gives the matrix back.

use crate::{Bound, Zone};

/// A bound on the difference of two clocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Constraint {
    /// The clock that is bounded.
    pub left: usize,
    /// The clock that is taken from it.
    pub right: usize,
    /// The bound on `left - right`.
    pub bound: Bound,
}

/// The fewest constraints of which a closed matrix follows, in order of clocks. That a clock is not below 0 is one of
/// them where it does not follow from others.
pub fn minimal_constraints(matrix: &[Bound], dim: usize) -> Vec<Constraint> {
    let at = |left: usize, right: usize| matrix[left * dim + right];
    let is_fixed = |left: usize, right: usize| at(left, right).plus(at(right, left)) == Bound::ZERO;
    // The first clock of the group of each clock.
    let first: Vec<usize> =
        (0..dim).map(|clock| (0..clock).find(|&other| is_fixed(other, clock)).unwrap_or(clock)).collect();
    let mut kept = Vec::new();
    for left in 0..dim {
        for right in (0..dim).filter(|&right| right != left) {
            let bound = at(left, right);
            let stays = if first[left] == first[right] {
                next_in_group(&first, left) == right
            } else {
                first[left] == left
                    && first[right] == right
                    && !is_redundant(matrix, dim, &first, left, right)
            };
            if stays && !bound.is_infinite() {
                kept.push(Constraint { left, right, bound });
            }
        }
    }
    kept
}

/// The clock after this one on the cycle through its group.
fn next_in_group(first: &[usize], clock: usize) -> usize {
    (clock + 1..first.len()).find(|&other| first[other] == first[clock]).unwrap_or(first[clock])
}

/// Whether two bounds through another group give a bound between groups.
fn is_redundant(matrix: &[Bound], dim: usize, first: &[usize], left: usize, right: usize) -> bool {
    (0..dim).any(|through| {
        first[through] == through
            && through != left
            && through != right
            && matrix[left * dim + through].plus(matrix[through * dim + right]) <= matrix[left * dim + right]
    })
}

/// The zone that constraints describe; none when there is no value.
pub fn zone_of(n_clocks: usize, constraints: &[Constraint]) -> Option<Zone> {
    let mut zone = Zone::all(n_clocks);
    constraints
        .iter()
        .all(|&Constraint { left, right, bound }| zone.constrain(left, right, bound))
        .then_some(zone)
}
