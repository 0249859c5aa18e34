//! A system whose type is forgotten.
//!
//! An engine is compiled for every type of system that it searches. There are many: code native or interpreted, with
//! an order of steps chosen or not, runs made infinite in this way or that. Behind one type they share the engines'
//! code; what it costs is an indirect call for each state that is expanded.

use std::any::Any;
use std::fmt;
use std::ops::Range;

use crate::{Accepting, Footprint, Region, Steps, System};

/// Any system with these regions and labels.
pub struct Erased<'a, R, L> {
    system: Box<dyn Object<R, L> + Sync + 'a>,
    /// What is asked for each step.
    n_sets: u32,
}

/// Buffers of a system whose type is forgotten.
#[derive(Debug)]
pub struct ErasedScratch(Box<dyn Any>);

impl<'a, R: Region, L: Clone> Erased<'a, R, L> {
    /// Forgets the type of a system. All its runs count.
    pub fn new<S>(system: S) -> Erased<'a, R, L>
    where
        S: System<Region = R, Label = L, Scratch: 'static> + Sync + 'a,
    {
        Erased { system: Box::new(Plain(system)), n_sets: 0 }
    }

    /// Forgets the type of a system but not which of its runs count.
    pub fn accepting<S>(system: S) -> Erased<'a, R, L>
    where
        S: Accepting<Region = R, Label = L, Scratch: 'static> + Sync + 'a,
    {
        let n_sets = system.n_sets();
        Erased { system: Box::new(Marked(system)), n_sets }
    }
}

impl<R, L> fmt::Debug for Erased<'_, R, L> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Erased").finish_non_exhaustive()
    }
}

/// A system, and which of its runs count.
trait Object<R, L> {
    fn scratch(&self) -> Box<dyn Any>;
    fn initial(&self, scratch: &mut dyn Any, out: &mut Steps<R, L>);
    fn successors(&self, state: &[u8], region: &R, scratch: &mut dyn Any, out: &mut Steps<R, L>);
    fn portions(&self, state: &[u8], region: &R, scratch: &mut dyn Any, out: &mut Steps<R, L>) -> usize;
    fn portion(
        &self,
        among: Range<usize>,
        state: &[u8],
        region: &R,
        scratch: &mut dyn Any,
        out: &mut Steps<R, L>,
    ) -> usize;
    fn footprint(&self, portion: usize, state: &[u8], scratch: &mut dyn Any, out: &mut Footprint) -> bool;
    fn marks(&self, state: &[u8], scratch: &dyn Any, step: usize) -> u64;
    fn is_state_based(&self) -> bool;
    fn is_accepting(&self, state: &[u8]) -> bool;
    fn is_passing(&self, state: &[u8]) -> bool;
    fn component(&self, state: &[u8]) -> u32;
}

/// A system all of whose runs count.
struct Plain<S>(S);

/// A system that says which of its runs count.
struct Marked<S>(S);

const OWN: &str = "a system gets its own buffers";

/// What both have in common.
macro_rules! steps_of_system {
    () => {
        fn scratch(&self) -> Box<dyn Any> {
            Box::new(self.0.scratch())
        }

        fn initial(&self, scratch: &mut dyn Any, out: &mut Steps<S::Region, S::Label>) {
            self.0.initial(scratch.downcast_mut().expect(OWN), out);
        }

        fn successors(
            &self,
            state: &[u8],
            region: &S::Region,
            scratch: &mut dyn Any,
            out: &mut Steps<S::Region, S::Label>,
        ) {
            self.0.successors(state, region, scratch.downcast_mut().expect(OWN), out);
        }

        fn portions(
            &self,
            state: &[u8],
            region: &S::Region,
            scratch: &mut dyn Any,
            out: &mut Steps<S::Region, S::Label>,
        ) -> usize {
            self.0.portions(state, region, scratch.downcast_mut().expect(OWN), out)
        }

        fn portion(
            &self,
            among: Range<usize>,
            state: &[u8],
            region: &S::Region,
            scratch: &mut dyn Any,
            out: &mut Steps<S::Region, S::Label>,
        ) -> usize {
            self.0.portion(among, state, region, scratch.downcast_mut().expect(OWN), out)
        }

        fn footprint(
            &self,
            portion: usize,
            state: &[u8],
            scratch: &mut dyn Any,
            out: &mut Footprint,
        ) -> bool {
            self.0.footprint(portion, state, scratch.downcast_mut().expect(OWN), out)
        }
    };
}

impl<S: System<Scratch: 'static>> Object<S::Region, S::Label> for Plain<S> {
    steps_of_system!();

    fn marks(&self, _: &[u8], _: &dyn Any, _: usize) -> u64 {
        0
    }

    fn is_state_based(&self) -> bool {
        true
    }

    fn is_accepting(&self, _: &[u8]) -> bool {
        true
    }

    fn is_passing(&self, _: &[u8]) -> bool {
        false
    }

    fn component(&self, _: &[u8]) -> u32 {
        0
    }
}

impl<S: Accepting<Scratch: 'static>> Object<S::Region, S::Label> for Marked<S> {
    steps_of_system!();

    fn marks(&self, state: &[u8], scratch: &dyn Any, step: usize) -> u64 {
        self.0.marks(state, scratch.downcast_ref().expect(OWN), step)
    }

    fn is_state_based(&self) -> bool {
        self.0.is_state_based()
    }

    fn is_accepting(&self, state: &[u8]) -> bool {
        self.0.is_accepting(state)
    }

    fn is_passing(&self, state: &[u8]) -> bool {
        self.0.is_passing(state)
    }

    fn component(&self, state: &[u8]) -> u32 {
        self.0.component(state)
    }
}

impl<R: Region, L: Clone> System for Erased<'_, R, L> {
    type Region = R;
    type Label = L;
    type Scratch = ErasedScratch;

    fn scratch(&self) -> ErasedScratch {
        ErasedScratch(self.system.scratch())
    }

    fn initial(&self, scratch: &mut ErasedScratch, out: &mut Steps<R, L>) {
        self.system.initial(&mut *scratch.0, out);
    }

    fn successors(&self, state: &[u8], region: &R, scratch: &mut ErasedScratch, out: &mut Steps<R, L>) {
        self.system.successors(state, region, &mut *scratch.0, out);
    }

    fn portions(
        &self,
        state: &[u8],
        region: &R,
        scratch: &mut ErasedScratch,
        out: &mut Steps<R, L>,
    ) -> usize {
        self.system.portions(state, region, &mut *scratch.0, out)
    }

    fn portion(
        &self,
        among: Range<usize>,
        state: &[u8],
        region: &R,
        scratch: &mut ErasedScratch,
        out: &mut Steps<R, L>,
    ) -> usize {
        self.system.portion(among, state, region, &mut *scratch.0, out)
    }

    fn footprint(
        &self,
        portion: usize,
        state: &[u8],
        scratch: &mut ErasedScratch,
        footprint: &mut Footprint,
    ) -> bool {
        self.system.footprint(portion, state, &mut *scratch.0, footprint)
    }
}

impl<R: Region, L: Clone> Accepting for Erased<'_, R, L> {
    #[inline]
    fn n_sets(&self) -> u32 {
        self.n_sets
    }

    fn marks(&self, state: &[u8], scratch: &ErasedScratch, step: usize) -> u64 {
        self.system.marks(state, &*scratch.0, step)
    }

    fn is_state_based(&self) -> bool {
        self.system.is_state_based()
    }

    fn is_accepting(&self, state: &[u8]) -> bool {
        self.system.is_accepting(state)
    }

    fn is_passing(&self, state: &[u8]) -> bool {
        self.system.is_passing(state)
    }

    fn component(&self, state: &[u8]) -> u32 {
        self.system.component(state)
    }
}
