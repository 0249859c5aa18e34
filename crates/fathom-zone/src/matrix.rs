//! Matrices of bounds: making them, closing them, adding a constraint.
//!
//! A matrix of dimension `dim` is a slice of `dim * dim` bounds; entry `(i, j)`, at `i * dim + j`, bounds
//! `x_i - x_j`. Clock 0 is always 0.
//!
//! [`close`] is the algorithm of Floyd and Warshall, row by row: the inner loop adds one bound to a whole row and
//! takes minima, without branches, so that the compiler makes vector instructions of it. [`constrain`] keeps a
//! closed matrix closed in quadratic time: whatever gets sharper by a new bound on `(i, j)` does so on a way through
//! it (Rokicki, "Representing and Modeling Digital Circuits", 1993).

use crate::Bound;
use crate::dimension::with_known_dim;

/// Every clock is 0.
pub fn make_zero(matrix: &mut [Bound]) {
    matrix.fill(Bound::ZERO);
}

/// All values of clocks: each is 0 or more.
pub fn make_all(matrix: &mut [Bound], dim: usize) {
    matrix.fill(Bound::INFINITY);
    for clock in 0..dim {
        matrix[clock] = Bound::ZERO;
        matrix[clock * dim + clock] = Bound::ZERO;
    }
}

/// Closes any matrix. Says whether there is a value in it; if not, the matrix is worth nothing.
#[must_use]
pub fn close(matrix: &mut [Bound], dim: usize) -> bool {
    debug_assert_eq!(matrix.len(), dim * dim);
    with_known_dim!(dim => {
        let matrix = &mut matrix[..dim * dim];
        for through in 0..dim {
            relax_through(matrix, dim, through);
        }
    });
    has_value(matrix, dim)
}

/// Whether no entry of the diagonal says that something is less than itself.
fn has_value(matrix: &[Bound], dim: usize) -> bool {
    (0..dim).all(|clock| matrix[clock * dim + clock] >= Bound::ZERO)
}

/// Makes every bound as sharp as the way through one clock is.
#[inline(always)]
fn relax_through(matrix: &mut [Bound], dim: usize, through: usize) {
    let (before, rest) = matrix.split_at_mut(through * dim);
    let (row, after) = rest.split_at_mut(dim);
    // A clock that is bounded against nothing, as extrapolation leaves those that do not matter, makes nothing sharper.
    let is_free = (row[..through].iter().chain(&row[through + 1..])).all(|bound| bound.is_infinite());
    if is_free && row[through] >= Bound::ZERO {
        return;
    }
    for target in before.chunks_exact_mut(dim).chain(after.chunks_exact_mut(dim)) {
        let first = target[through];
        if !first.is_infinite() {
            relax_row(target, first, row);
        }
    }
}

/// Makes a row as sharp as a bound followed by another row.
#[inline(always)]
fn relax_row(target: &mut [Bound], first: Bound, row: &[Bound]) {
    for (entry, &second) in target.iter_mut().zip(row) {
        *entry = (*entry).min(first.finite_plus(second));
    }
}

/// Adds a bound on `x_left - x_right`. Says whether a value is left; if not, the matrix is worth nothing.
#[inline]
#[must_use]
pub fn constrain(matrix: &mut [Bound], dim: usize, left: usize, right: usize, bound: Bound) -> bool {
    if matrix[left * dim + right] <= bound {
        return true;
    }
    if matrix[right * dim + left].plus(bound) < Bound::ZERO {
        return false;
    }
    with_known_dim!(dim => tighten(matrix, dim, left, right, bound));
    true
}

/// Makes a bound sharper that leaves a value, and all that follows from it.
#[inline(always)]
fn tighten(matrix: &mut [Bound], dim: usize, left: usize, right: usize, bound: Bound) {
    let matrix = &mut matrix[..dim * dim];
    matrix[left * dim + right] = bound;
    // The row of `right` itself cannot become sharper: that would be a way back to `left` of negative length.
    let (before, rest) = matrix.split_at_mut(right * dim);
    let (row, after) = rest.split_at_mut(dim);
    for target in before.chunks_exact_mut(dim).chain(after.chunks_exact_mut(dim)) {
        let first = target[left];
        if !first.is_infinite() {
            relax_row(target, first.plus(bound), row);
        }
    }
}

/// Adds upper bounds on clocks other than clock 0, up to as many as there are clocks in quadratic time. Says whether a value is left; if not, the
/// matrix is worth nothing.
///
/// Whatever gets sharper by upper bounds does so on a way through clock 0, and only once: first what each clock has as its
/// upper bound, then all differences.
#[inline]
#[must_use]
pub fn constrain_above(
    matrix: &mut [Bound],
    dim: usize,
    bounds: impl Iterator<Item = (usize, Bound)>,
) -> bool {
    let mut is_changed = false;
    for (clock, bound) in bounds {
        debug_assert_ne!(clock, 0, "clock 0 has no upper bound but 0");
        if matrix[clock * dim] <= bound {
            continue;
        }
        if matrix[clock].plus(bound) < Bound::ZERO {
            return false;
        }
        is_changed = true;
        for row in matrix.chunks_exact_mut(dim).skip(1) {
            row[0] = row[0].min(bound.finite_plus(row[clock]));
        }
    }
    if is_changed {
        with_known_dim!(dim => relax_through(&mut matrix[..dim * dim], dim, 0));
    }
    true
}

/// Takes what is in both zones. Says whether there is a value; if not, the matrix is worth nothing.
#[must_use]
pub fn intersect(matrix: &mut [Bound], other: &[Bound], dim: usize) -> bool {
    let mut is_changed = false;
    for (entry, &bound) in matrix.iter_mut().zip(other) {
        is_changed |= bound < *entry;
        *entry = (*entry).min(bound);
    }
    !is_changed || close(matrix, dim)
}

/// Whether a matrix is closed and has a value.
pub fn is_closed(matrix: &[Bound], dim: usize) -> bool {
    let at = |left: usize, right: usize| matrix[left * dim + right];
    (0..dim).all(|clock| at(clock, clock) == Bound::ZERO && at(0, clock) <= Bound::ZERO)
        && (0..dim).all(|left| {
            (0..dim).all(|right| {
                (0..dim).all(|through| at(left, right) <= at(left, through).plus(at(through, right)))
            })
        })
}

/// Whether a point is in a zone: the values of all clocks, clock 0 first, in units of `1 / scale`.
pub fn contains(matrix: &[Bound], point: &[i64], scale: i64) -> bool {
    let dim = point.len();
    debug_assert_eq!(matrix.len(), dim * dim);
    (0..dim).all(|left| {
        (0..dim).all(|right| matrix[left * dim + right].allows(point[left] - point[right], scale))
    })
}
