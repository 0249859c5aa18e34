//! What moves a zone: time passes, clocks are set.
//!
//! All of these are linear in the dimension or quadratic at most, and keep a closed matrix closed (Bengtsson and
//! Yi, "Timed Automata: Semantics, Algorithms and Tools", LNCS 3098, 2004).

use crate::Bound;

/// Lets any time pass: what can be reached from the zone by waiting.
#[inline]
pub fn up(matrix: &mut [Bound], dim: usize) {
    for clock in 1..dim {
        matrix[clock * dim] = Bound::INFINITY;
    }
}

/// Lets any time pass backwards: what can reach the zone by waiting.
pub fn down(matrix: &mut [Bound], dim: usize) {
    for clock in 1..dim {
        // As far back as the clocks that run ahead of this one allow.
        let least = (1..dim).map(|other| matrix[other * dim + clock]).min().unwrap_or(Bound::ZERO);
        matrix[clock] = least.min(Bound::ZERO);
    }
}

/// Sets a clock to a value, 0 or more.
#[inline]
pub fn reset(matrix: &mut [Bound], dim: usize, clock: usize, value: i32) {
    debug_assert!(clock != 0 && value >= 0);
    for other in 0..dim {
        matrix[clock * dim + other] = matrix[other].shift(value);
        matrix[other * dim + clock] = matrix[other * dim].shift(-value);
    }
    matrix[clock * dim + clock] = Bound::ZERO;
}

/// Sets a clock to the value of another one.
pub fn copy(matrix: &mut [Bound], dim: usize, clock: usize, from: usize) {
    debug_assert!(clock != 0);
    if clock == from {
        return;
    }
    for other in 0..dim {
        matrix[clock * dim + other] = matrix[from * dim + other];
        matrix[other * dim + clock] = matrix[other * dim + from];
    }
    matrix[clock * dim + clock] = Bound::ZERO;
    matrix[clock * dim + from] = Bound::ZERO;
    matrix[from * dim + clock] = Bound::ZERO;
}

/// Adds a constant, 0 or more, to a clock.
pub fn advance(matrix: &mut [Bound], dim: usize, clock: usize, by: i32) {
    debug_assert!(clock != 0 && by >= 0);
    for other in (0..dim).filter(|&other| other != clock) {
        matrix[clock * dim + other] = matrix[clock * dim + other].shift(by);
        matrix[other * dim + clock] = matrix[other * dim + clock].shift(-by);
    }
}

/// Forgets the value of a clock: it may be anything, 0 or more.
pub fn free(matrix: &mut [Bound], dim: usize, clock: usize) {
    debug_assert!(clock != 0);
    for other in (0..dim).filter(|&other| other != clock) {
        matrix[clock * dim + other] = Bound::INFINITY;
        matrix[other * dim + clock] = matrix[other * dim];
    }
}
