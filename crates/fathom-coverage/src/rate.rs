//! Rates: exact fractions between 0 and 1.
//!
//! All that the evaluation needs is counts over counts, halves, and comparison. None of them needs a common denominator, so 128 bits are
//! enough for criteria that nest as deep as the parser allows.

use std::cmp::Ordering;
use std::fmt;

/// How much of a criterion is fulfilled: 1 is all of it.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    part: u128,
    whole: u128,
}

impl Rate {
    /// Nothing.
    pub const NONE: Rate = Rate { part: 0, whole: 1 };
    /// All of it.
    pub const FULL: Rate = Rate { part: 1, whole: 1 };

    /// So many out of so many.
    ///
    /// # Panics
    ///
    /// When `whole` is 0, or less than `part`.
    pub fn of(part: u64, whole: u64) -> Rate {
        assert!(whole > 0 && part <= whole, "a rate is between 0 and 1");
        Rate { part: u128::from(part), whole: u128::from(whole) }
    }

    /// The rate of `A then B` while A, with this rate, is not fulfilled.
    pub fn first_half(self) -> Rate {
        Rate { part: self.part, whole: self.whole * 2 }
    }

    /// The rate of `A then B` when A is fulfilled and B has this rate.
    pub fn second_half(self) -> Rate {
        Rate { part: self.part + self.whole, whole: self.whole * 2 }
    }

    /// Whether all is fulfilled.
    pub fn is_full(self) -> bool {
        self.part == self.whole
    }

    /// For people, and for choosing among steps: an approximation.
    pub fn to_f64(self) -> f64 {
        self.part as f64 / self.whole as f64
    }
}

impl PartialEq for Rate {
    fn eq(&self, other: &Rate) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Rate {}

impl PartialOrd for Rate {
    fn partial_cmp(&self, other: &Rate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By continued fractions: products of numerators and denominators may not fit.
impl Ord for Rate {
    fn cmp(&self, other: &Rate) -> Ordering {
        let (mut left, mut right) = ((self.part, self.whole), (other.part, other.whole));
        let mut is_turned = false;
        loop {
            let whole = (left.0 / left.1).cmp(&(right.0 / right.1));
            let rests = (left.0 % left.1, right.0 % right.1);
            let order = match (whole, rests) {
                (Ordering::Equal, (0, 0)) => Ordering::Equal,
                (Ordering::Equal, (0, _)) => Ordering::Less,
                (Ordering::Equal, (_, 0)) => Ordering::Greater,
                (Ordering::Equal, rests) => {
                    (left, right) = ((left.1, rests.0), (right.1, rests.1));
                    is_turned = !is_turned;
                    continue;
                }
                (order, _) => order,
            };
            return if is_turned { order.reverse() } else { order };
        }
    }
}

impl fmt::Display for Rate {
    /// As a percentage that is 100 only if all is fulfilled, and 0 only if nothing is.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = self.to_f64() * 100.0;
        let shown = match (self.is_full(), self.part) {
            (true, _) => 100.0,
            (_, 0) => 0.0,
            _ => percent.clamp(0.1, 99.9),
        };
        if shown.fract() == 0.0 { write!(out, "{shown}%") } else { write!(out, "{shown:.1}%") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_compare_as_numbers() {
        let all: Vec<Rate> =
            (1..12).flat_map(|whole| (0..=whole).map(move |part| Rate::of(part, whole))).collect();
        for left in &all {
            for right in &all {
                let exact = (left.part * right.whole).cmp(&(right.part * left.whole));
                assert_eq!(left.cmp(right), exact, "{left:?} {right:?}");
            }
        }
    }

    #[test]
    fn a_chain_of_sixty_is_not_fulfilled_before_its_end() {
        let mut rate = Rate::of(u64::MAX - 1, u64::MAX);
        for _ in 0..60 {
            let next = rate.second_half();
            assert!(next > rate && !next.is_full());
            rate = next;
        }
        assert_eq!(rate.to_string(), "99.9%");
    }
}
