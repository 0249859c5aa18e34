//! A zone that owns its matrix.

use std::fmt;

use crate::{Bound, inclusion, matrix, transform};

/// A convex set of clock values that is not empty, as a closed matrix.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Zone {
    dim: usize,
    bounds: Box<[Bound]>,
}

impl Zone {
    /// Every clock is 0.
    pub fn zero(n_clocks: usize) -> Zone {
        let dim = n_clocks + 1;
        Zone { dim, bounds: vec![Bound::ZERO; dim * dim].into_boxed_slice() }
    }

    /// All values of clocks.
    pub fn all(n_clocks: usize) -> Zone {
        let mut zone = Zone::zero(n_clocks);
        matrix::make_all(&mut zone.bounds, zone.dim);
        zone
    }

    /// The zone with a matrix that need not be closed; none when it has no value.
    ///
    /// # Panics
    /// Unless there are `dim * dim` bounds.
    pub fn from_bounds(dim: usize, bounds: &[Bound]) -> Option<Zone> {
        assert_eq!(bounds.len(), dim * dim, "a matrix has dim * dim bounds");
        let mut zone = Zone { dim, bounds: bounds.into() };
        for clock in 0..dim {
            let entry = &mut zone.bounds[clock];
            *entry = (*entry).min(Bound::ZERO);
            let entry = &mut zone.bounds[clock * dim + clock];
            *entry = (*entry).min(Bound::ZERO);
        }
        matrix::close(&mut zone.bounds, dim).then_some(zone)
    }

    /// Number of clocks, clock 0 included.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The matrix, row by row.
    pub fn bounds(&self) -> &[Bound] {
        &self.bounds
    }

    /// The matrix, to be changed by the functions on slices.
    pub fn bounds_mut(&mut self) -> &mut [Bound] {
        &mut self.bounds
    }

    /// The bound on `x_left - x_right`.
    pub fn bound(&self, left: usize, right: usize) -> Bound {
        self.bounds[left * self.dim + right]
    }

    /// Adds a bound on `x_left - x_right`. Says whether a value is left; if not, the zone must not be used any more.
    #[must_use]
    pub fn constrain(&mut self, left: usize, right: usize, bound: Bound) -> bool {
        matrix::constrain(&mut self.bounds, self.dim, left, right, bound)
    }

    /// What is in both zones, if anything is.
    pub fn intersection(&self, other: &Zone) -> Option<Zone> {
        let mut zone = self.clone();
        matrix::intersect(&mut zone.bounds, &other.bounds, self.dim).then_some(zone)
    }

    /// Lets any time pass.
    pub fn up(&mut self) {
        transform::up(&mut self.bounds, self.dim);
    }

    /// Lets any time pass backwards.
    pub fn down(&mut self) {
        transform::down(&mut self.bounds, self.dim);
    }

    /// Sets a clock to a value, 0 or more.
    pub fn reset(&mut self, clock: usize, value: i32) {
        transform::reset(&mut self.bounds, self.dim, clock, value);
    }

    /// Sets a clock to the value of another one.
    pub fn copy(&mut self, clock: usize, from: usize) {
        transform::copy(&mut self.bounds, self.dim, clock, from);
    }

    /// Adds a constant, 0 or more, to a clock.
    pub fn advance(&mut self, clock: usize, by: i32) {
        transform::advance(&mut self.bounds, self.dim, clock, by);
    }

    /// Forgets the value of a clock.
    pub fn free(&mut self, clock: usize) {
        transform::free(&mut self.bounds, self.dim, clock);
    }

    /// Whether every value of another zone is in this one.
    pub fn includes(&self, other: &Zone) -> bool {
        inclusion::is_within(&other.bounds, &self.bounds)
    }

    /// Whether a point is in it: the values of all clocks, clock 0 first, in units of `1 / scale`.
    pub fn contains(&self, point: &[i64], scale: i64) -> bool {
        matrix::contains(&self.bounds, point, scale)
    }

    /// Panics unless the matrix is closed and has a value.
    pub fn assert_valid(&self) {
        assert!(matrix::is_closed(&self.bounds, self.dim), "not a closed matrix: {self:?}");
    }
}

impl fmt::Debug for Zone {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.bounds.chunks(self.dim)).finish()
    }
}
