//! Estimates of how far a state is from what is looked for.
//!
//! A [`Heuristic`] gives a number for a composite state; engines prefer small numbers. It never changes an
//! answer, only the order in which states are looked at: engines keep every step possible, whatever the
//! estimate says.
//!
//! [`ModelHeuristic`] is made automatically of a model and the properties in question, in one of several [`Kind`]s.
//! [`AbstractHeuristic`] measures distances in abstractions of the model. [`PatternHeuristic`] recognises the moves of
//! an error of a smaller instance, [`LocalTableHeuristic`] reads a table. [`AnyHeuristic`] is any of them.
//!
//! **Invariant:** an estimate is a function of its arguments alone, so that a seed reproduces a run.

pub mod abstraction;
mod any;
mod blocked;
mod formula;
mod gauge;
mod goal;
mod local;
mod local_table;
#[cfg(test)]
mod model_tests;
mod pattern;
#[cfg(test)]
mod pattern_tests;
mod view;

use fathom_model::Region;

pub use abstraction::{AbstractHeuristic, AbstractPlan, Combine, DatabasePlan, NoDatabase, Recipe};
pub use any::{AnyHeuristic, LazyAbstract};
pub use gauge::Gauge;
pub use goal::{Kind, ModelHeuristic};
pub use local_table::{LocalRow, LocalTable, LocalTableHeuristic, Over};
pub use pattern::{Match, PatternHeuristic, PatternRow, PatternTable, UnknownName};

/// An estimate of the number of steps to the nearest state that is looked for.
pub trait Heuristic<R: Region>: Sync {
    /// Does what takes long before the first estimate, and asks now and then whether to go on. An engine that calls
    /// this first can be stopped meanwhile; without it, the first estimate takes as long as it takes.
    fn prepare(&self, _goes_on: &dyn Fn() -> bool) {}

    /// The estimate for a composite state.
    fn estimate(&self, state: &[u8], region: &R) -> u32;

    /// The estimate for a composite state that is reached by a step from another one. A heuristic that judges
    /// moves (who moved, from where) looks at both; the others look at the state reached.
    fn estimate_step(&self, from: &[u8], to: &[u8], region: &R) -> u32 {
        let _ = from;
        self.estimate(to, region)
    }

    /// The largest estimate that is worth telling from larger ones; weights are made relative to it.
    fn largest(&self) -> u32;
}

impl<R: Region, H: Heuristic<R> + ?Sized> Heuristic<R> for &H {
    fn prepare(&self, goes_on: &dyn Fn() -> bool) {
        (**self).prepare(goes_on);
    }

    fn estimate(&self, state: &[u8], region: &R) -> u32 {
        (**self).estimate(state, region)
    }

    fn estimate_step(&self, from: &[u8], to: &[u8], region: &R) -> u32 {
        (**self).estimate_step(from, to, region)
    }

    fn largest(&self) -> u32 {
        (**self).largest()
    }
}

/// A heuristic turned round, for experiments: what looked near looks far.
#[derive(Clone, Copy, Debug)]
pub struct Reversed<H>(pub H);

impl<R: Region, H: Heuristic<R>> Heuristic<R> for Reversed<H> {
    fn prepare(&self, goes_on: &dyn Fn() -> bool) {
        self.0.prepare(goes_on);
    }

    fn estimate(&self, state: &[u8], region: &R) -> u32 {
        self.0.largest().saturating_sub(self.0.estimate(state, region))
    }

    fn estimate_step(&self, from: &[u8], to: &[u8], region: &R) -> u32 {
        self.0.largest().saturating_sub(self.0.estimate_step(from, to, region))
    }

    fn largest(&self) -> u32 {
        self.0.largest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_model::NoRegion;

    struct FirstByte;

    impl Heuristic<NoRegion> for FirstByte {
        fn estimate(&self, state: &[u8], _: &NoRegion) -> u32 {
            u32::from(state[0])
        }

        fn largest(&self) -> u32 {
            10
        }
    }

    #[test]
    fn a_reversed_estimate_is_the_largest_less_the_estimate() {
        let reversed = Reversed(FirstByte);
        let estimates = [0, 3, 10, 12].map(|byte| reversed.estimate(&[byte], &NoRegion));
        assert_eq!(estimates, [10, 7, 0, 0]);
        assert_eq!(reversed.estimate_step(&[1], &[4], &NoRegion), 6);
        assert_eq!(reversed.largest(), 10);
    }
}
