//! A small universe for tests: all zones over two clocks with tiny constants, and a grid of points.
//!
//! Points are in units of 1/12. A conjunction of bounds with integer constants on two clocks has a solution among
//! multiples of 1/3 if it has one at all, and with constants in quarters, as they appear when a point is fixed, among
//! multiples of 1/12. So on the grid of quarters "there is some delay, some value" can be decided by trying all
//! multiples of 1/12.

use std::collections::BTreeSet;

use crate::{Bound, Zone};

/// Units in 1.
pub(crate) const SCALE: i64 = 12;
/// Units between points of the grid.
const STEP: i64 = 3;
/// Largest value of a clock on the grid.
const MOST: i64 = 3 * SCALE;

/// A point: clock 0, then the two clocks.
pub(crate) type Point = [i64; 3];

/// The points of the grid.
pub(crate) fn grid() -> Vec<Point> {
    let values = || (0..=MOST).step_by(STEP as usize);
    values().flat_map(|first| values().map(move |second| [0, first, second])).collect()
}

/// All delays and values that tests of "there is one" have to try.
pub(crate) fn fine_values() -> impl Iterator<Item = i64> + Clone {
    0..=2 * MOST
}

/// The bounds of the universe.
pub(crate) fn bounds() -> Vec<Bound> {
    let finite = (-1..=1).flat_map(|constant| [Bound::below(constant), Bound::at_most(constant)]);
    finite.chain([Bound::INFINITY]).collect()
}

/// All matrices with these bounds beside the diagonal.
pub(crate) fn matrices() -> impl Iterator<Item = [Bound; 9]> {
    let bounds = bounds();
    let n_bounds = bounds.len();
    (0..n_bounds.pow(6)).map(move |mut number| {
        let mut matrix = [Bound::ZERO; 9];
        for index in [1, 2, 3, 5, 6, 7] {
            matrix[index] = bounds[number % n_bounds];
            number /= n_bounds;
        }
        matrix
    })
}

/// All zones of these matrices, each once.
pub(crate) fn zones() -> Vec<Zone> {
    let mut seen = BTreeSet::new();
    let mut zones = Vec::new();
    for matrix in matrices() {
        if let Some(zone) = Zone::from_bounds(3, &matrix)
            && seen.insert(zone.bounds().to_vec())
        {
            zones.push(zone);
        }
    }
    zones
}
