//! Every run made infinite, in a way that shows where it ended.
//!
//! For formulas that speak about finite runs. A state that cannot move has one step: to itself with a mark, where the run has ended and stays. The mark
//! is a byte behind the state. What is true there does not matter; that the run has ended is a proposition, false until then.

use fathom_model::{Accepting, PropertyId, Steps, System};

/// A system in which a run that ends goes on in a marked state for ever.
#[derive(Clone, Debug)]
pub struct MarkedEnd<S> {
    /// The system.
    pub system: S,
    /// The property that stands for the proposition that the run has ended.
    pub ended: PropertyId,
}

/// Buffers that one worker reuses from state to state.
#[derive(Debug)]
pub struct MarkedEndScratch<C, R, L> {
    inner: C,
    steps: Steps<R, L>,
    state: Vec<u8>,
}

type ScratchOf<S> = MarkedEndScratch<<S as System>::Scratch, <S as System>::Region, <S as System>::Label>;

const RUNNING: u8 = 0;
const ENDED: u8 = 1;

impl<S: System> MarkedEnd<S> {
    fn push_all(&self, scratch: &mut ScratchOf<S>, out: &mut Steps<S::Region, S::Label>) {
        let MarkedEndScratch { steps, state, .. } = scratch;
        for index in 0..steps.len() {
            state.clear();
            state.extend_from_slice(steps.state(index));
            state.push(RUNNING);
            out.push(state, steps.region(index).clone(), steps.labels(index));
        }
        for finding in steps.findings() {
            out.find(finding.property, finding.fault.clone(), steps.finding_labels(finding));
        }
    }
}

impl<S: System> System for MarkedEnd<S> {
    type Region = S::Region;
    type Label = S::Label;
    type Scratch = ScratchOf<S>;

    fn scratch(&self) -> ScratchOf<S> {
        MarkedEndScratch { inner: self.system.scratch(), steps: Steps::new(), state: Vec::new() }
    }

    fn initial(&self, scratch: &mut ScratchOf<S>, out: &mut Steps<S::Region, S::Label>) {
        scratch.steps.clear();
        self.system.initial(&mut scratch.inner, &mut scratch.steps);
        self.push_all(scratch, out);
    }

    fn successors(
        &self,
        state: &[u8],
        region: &S::Region,
        scratch: &mut ScratchOf<S>,
        out: &mut Steps<S::Region, S::Label>,
    ) {
        let Some((&mark, inner)) = state.split_last() else { return };
        if mark == ENDED {
            out.push(state, region.clone(), &[]);
            return;
        }
        if out.is_recording() != scratch.steps.is_recording() {
            scratch.steps = if out.is_recording() { Steps::recording() } else { Steps::new() };
        }
        scratch.steps.clear();
        self.system.successors(inner, region, &mut scratch.inner, &mut scratch.steps);
        out.find(self.ended, None, &[]);
        self.push_all(scratch, out);
        if scratch.steps.is_empty() {
            let marked = out.push_copy(state, region.clone());
            if let Some(last) = marked.last_mut() {
                *last = ENDED;
            }
        }
    }
}

/// Runs that end count, and of the others those that count in the system.
impl<S: Accepting> Accepting for MarkedEnd<S> {
    fn n_sets(&self) -> u32 {
        self.system.n_sets()
    }

    fn marks(&self, state: &[u8], scratch: &ScratchOf<S>, step: usize) -> u64 {
        match state.split_last() {
            Some((&RUNNING, inner)) if step < scratch.steps.len() => {
                self.system.marks(inner, &scratch.inner, step)
            }
            _ => self.all_marks(),
        }
    }

    fn is_state_based(&self) -> bool {
        self.system.is_state_based()
    }

    fn is_accepting(&self, state: &[u8]) -> bool {
        match state.split_last() {
            Some((&RUNNING, inner)) => self.system.is_accepting(inner),
            _ => true,
        }
    }
}
