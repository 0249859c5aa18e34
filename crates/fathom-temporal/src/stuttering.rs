//! Every run made infinite: a state that cannot move repeats itself.
//!
//! Formulas of linear temporal logic speak about infinite runs. A run that ends is extended by repeating its last
//! state for ever, as Spin does, so that a run cannot escape a formula by stopping. Where only cycles matter, as
//! in the search for runs without progress, runs that end are left alone.

use fathom_model::{Accepting, Steps, System};

/// What becomes of runs that end.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum AtEnd {
    /// The last state repeats itself.
    #[default]
    Repeats,
    /// Nothing: they are not infinite.
    Stops,
}

/// A system in which a state without steps has one step to itself, without labels, if it is to repeat itself; all its runs count.
#[derive(Clone, Debug)]
pub struct Extended<S> {
    system: S,
    at_end: AtEnd,
}

impl<S: System> Extended<S> {
    /// A system with its runs made infinite, or not.
    pub fn new(system: S, at_end: AtEnd) -> Extended<S> {
        Extended { system, at_end }
    }

    /// A system with its runs made infinite.
    pub fn repeating(system: S) -> Extended<S> {
        Extended::new(system, AtEnd::Repeats)
    }

    /// The system as it was.
    pub fn inner(&self) -> &S {
        &self.system
    }
}

impl<S: System> System for Extended<S> {
    type Region = S::Region;
    type Label = S::Label;
    type Scratch = S::Scratch;

    fn scratch(&self) -> S::Scratch {
        self.system.scratch()
    }

    fn initial(&self, scratch: &mut S::Scratch, out: &mut Steps<S::Region, S::Label>) {
        self.system.initial(scratch, out);
    }

    #[inline]
    fn successors(
        &self,
        state: &[u8],
        region: &S::Region,
        scratch: &mut S::Scratch,
        out: &mut Steps<S::Region, S::Label>,
    ) {
        let n_before = out.len();
        self.system.successors(state, region, scratch, out);
        if out.len() == n_before && self.at_end == AtEnd::Repeats {
            out.push(state, region.clone(), &[]);
        }
    }
}

/// All runs count.
impl<S: System> Accepting for Extended<S> {
    fn n_sets(&self) -> u32 {
        0
    }

    #[inline]
    fn marks(&self, _: &[u8], _: &S::Scratch, _: usize) -> u64 {
        0
    }

    fn is_state_based(&self) -> bool {
        true
    }

    fn is_accepting(&self, _: &[u8]) -> bool {
        true
    }
}
