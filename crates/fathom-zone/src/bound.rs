//! Bounds: `< c`, `<= c`, or none.
//!
//! A bound is one integer, `2c` for `< c` and `2c + 1` for `<= c`, so that a sharper bound is a smaller number and
//! comparing, adding and taking minima need no branches (the encoding of Uppaal's matrix library; Bengtsson and
//! Yi, "Timed Automata: Semantics, Algorithms and Tools", LNCS 3098, 2004). No bound is a number above all others.

use std::fmt;

/// A bound on a difference of clocks: `< c`, `<= c`, or none. Sharper bounds are smaller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Bound(i32);

impl Bound {
    /// No bound: every difference is below it.
    pub const INFINITY: Bound = Bound(i32::MAX - 1);
    /// `<= 0`.
    pub const ZERO: Bound = Bound(1);
    /// Constants of bounds lie between minus this and this, as the sums that closing makes must fit. A closed matrix
    /// of dimension `n` with constants up to `c` may have entries up to `n * c`: whoever makes zones from user input
    /// checks that this product is small enough.
    pub const MOST: i32 = 1 << 28;

    /// `<= c`.
    #[inline]
    pub const fn at_most(constant: i32) -> Bound {
        Bound(2 * constant + 1)
    }

    /// `< c`.
    #[inline]
    pub const fn below(constant: i32) -> Bound {
        Bound(2 * constant)
    }

    /// The constant, unless it is infinity.
    #[inline]
    pub fn constant(self) -> Option<i32> {
        (!self.is_infinite()).then_some(self.0 >> 1)
    }

    /// The constant of a bound that is not infinite; of infinity a number above all others.
    #[inline]
    pub(crate) fn raw_constant(self) -> i32 {
        self.0 >> 1
    }

    /// Below everything: what is told apart from nothing.
    pub(crate) const LEAST: Bound = Bound(i32::MIN);

    /// The least bound `b` for which `below(-lower)` and `b` together are no sharper than this one; for bounds that are finite.
    #[inline]
    pub(crate) fn first_told_apart(self, lower: i32) -> Bound {
        let least = self.0 + 2 * lower;
        Bound(least + (least & 1))
    }

    /// Whether the constant itself is out of bounds.
    #[inline]
    pub fn is_strict(self) -> bool {
        self.0 & 1 == 0
    }

    /// Whether it bounds nothing.
    #[inline]
    pub fn is_infinite(self) -> bool {
        self.0 == Bound::INFINITY.0
    }

    /// The bound on `x - z` that follows from this one on `x - y` and another on `y - z`.
    #[inline]
    #[must_use]
    pub fn plus(self, other: Bound) -> Bound {
        // Infinity wraps; what it gives is not used.
        let sum = self.0.wrapping_add(other.0).wrapping_sub((self.0 | other.0) & 1);
        Bound(if self.is_infinite() || other.is_infinite() { Bound::INFINITY.0 } else { sum })
    }

    /// The same for a left side that is known to be finite.
    #[inline]
    pub(crate) fn finite_plus(self, other: Bound) -> Bound {
        let sum = self.0.wrapping_add(other.0).wrapping_sub((self.0 | other.0) & 1);
        Bound(if other.0 == Bound::INFINITY.0 { Bound::INFINITY.0 } else { sum })
    }

    /// The bound moved by a constant.
    #[inline]
    pub(crate) fn shift(self, by: i32) -> Bound {
        if self.is_infinite() { self } else { Bound(self.0 + 2 * by) }
    }

    /// The bound on `y - x` that says that this one on `x - y` does not hold; none for infinity.
    #[inline]
    pub fn complement(self) -> Option<Bound> {
        // not (x - y <= c) is y - x < -c, not (x - y < c) is y - x <= -c.
        (!self.is_infinite()).then_some(Bound(1 - self.0))
    }

    /// Whether a difference, in units of `1 / scale`, is within the bound.
    pub fn allows(self, difference: i64, scale: i64) -> bool {
        match self.constant() {
            None => true,
            Some(constant) if self.is_strict() => difference < i64::from(constant) * scale,
            Some(constant) => difference <= i64::from(constant) * scale,
        }
    }

    /// The bound as a number; the same for equal bounds only.
    pub fn to_raw(self) -> i32 {
        self.0
    }

    /// The bound that is this number.
    pub fn from_raw(raw: i32) -> Bound {
        Bound(raw)
    }
}

impl fmt::Debug for Bound {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.constant() {
            None => write!(out, "<inf"),
            Some(constant) if self.is_strict() => write!(out, "<{constant}"),
            Some(constant) => write!(out, "<={constant}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sharper_bounds_are_smaller() {
        let ordered = [
            Bound::below(-1),
            Bound::at_most(-1),
            Bound::below(0),
            Bound::ZERO,
            Bound::below(1),
            Bound::INFINITY,
        ];
        assert!(ordered.is_sorted_by(|left, right| left < right));
    }

    #[test]
    fn a_sum_is_strict_when_one_side_is() {
        assert_eq!(Bound::at_most(2).plus(Bound::at_most(-5)), Bound::at_most(-3));
        assert_eq!(Bound::at_most(2).plus(Bound::below(3)), Bound::below(5));
        assert_eq!(Bound::below(2).plus(Bound::below(3)), Bound::below(5));
        assert_eq!(Bound::below(-2).plus(Bound::INFINITY), Bound::INFINITY);
        assert_eq!(Bound::below(-2).finite_plus(Bound::INFINITY), Bound::INFINITY);
        assert_eq!(Bound::INFINITY.plus(Bound::at_most(-7)), Bound::INFINITY);
    }

    #[test]
    fn the_complement_is_true_exactly_when_the_bound_is_not() {
        for bound in [Bound::at_most(1), Bound::below(1), Bound::at_most(-2), Bound::below(0)] {
            let complement = bound.complement().expect("finite");
            for difference in -12..12 {
                assert_ne!(bound.allows(difference, 4), complement.allows(-difference, 4));
            }
        }
        assert_eq!(Bound::INFINITY.complement(), None);
    }
}
