//! How often a search looks at the clock, at signals and at memory.
//!
//! A look costs more than a small expansion, and so it comes once in many. An expansion with many or with large steps counts
//! for more: a state may have hundreds of thousands of successors, and a limit on time is to be heard after a few of those.

use fathom_model::Steps;

/// Steps of this many bytes count as one expansion.
const BYTES_OF_AN_EXPANSION: usize = 2048;

/// What a step costs beside the bytes of its state, in bytes.
const BYTES_OF_A_STEP: usize = 16;

/// Counts expansions from one look to the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Small expansions between two looks.
    between: u32,
    /// What is left of them.
    left: u32,
}

impl Pace {
    /// The first look comes after so many small expansions.
    pub(crate) fn new(between: u32) -> Pace {
        Pace { between, left: between }
    }

    /// The first look comes at once.
    pub(crate) fn from_now(between: u32) -> Pace {
        Pace { between, left: 0 }
    }

    /// Counts an expansion with so many steps. States of one system have about the same size, which is that of the first of
    /// `steps`; there are none when the steps were remembered.
    #[inline]
    pub(crate) fn count<R, L>(&mut self, n_steps: usize, steps: &Steps<R, L>) {
        let size = if steps.is_empty() { 0 } else { steps.state(0).len() };
        let n_more = n_steps * (BYTES_OF_A_STEP + size) / BYTES_OF_AN_EXPANSION;
        self.left = self.left.saturating_sub(1).saturating_sub(u32::try_from(n_more).unwrap_or(u32::MAX));
    }

    /// Whether it is time to look; if so, the next look is as far away as ever.
    #[inline]
    pub(crate) fn is_due(&mut self) -> bool {
        let is_due = self.left == 0;
        if is_due {
            self.left = self.between;
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use fathom_model::NoRegion;

    use super::*;

    #[test]
    fn large_expansions_bring_the_next_look_nearer() {
        let mut steps: Steps<NoRegion, ()> = Steps::new();
        steps.push(&[0; BYTES_OF_AN_EXPANSION], NoRegion, &[]);
        let mut pace = Pace::from_now(3);
        assert!(pace.is_due());
        for _ in 0..3 {
            assert!(!pace.is_due());
            pace.count(10, &Steps::<NoRegion, ()>::new());
        }
        assert!(pace.is_due());
        pace.count(2, &steps);
        assert!(pace.is_due());
        pace.count(1 << 50, &steps);
        assert!(pace.is_due());
        pace.count(2 * BYTES_OF_AN_EXPANSION / BYTES_OF_A_STEP, &Steps::<NoRegion, ()>::new());
        assert!(pace.is_due());
        assert!(!Pace::new(3).is_due());
    }
}
