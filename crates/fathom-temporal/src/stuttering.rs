//! Every run made infinite: a state that cannot move repeats itself.
//!
//! Formulas of linear temporal logic speak about infinite runs. A run that ends is extended by repeating its last
//! state for ever, as Spin does, so that a run cannot escape a formula by stopping.

use fathom_model::{Steps, System};

/// A system in which a state without steps has one step to itself, without labels.
#[derive(Clone, Debug)]
pub struct Stuttering<S>(pub S);

impl<S: System> System for Stuttering<S> {
    type Region = S::Region;
    type Label = S::Label;
    type Scratch = S::Scratch;

    fn scratch(&self) -> S::Scratch {
        self.0.scratch()
    }

    fn initial(&self, scratch: &mut S::Scratch, out: &mut Steps<S::Region, S::Label>) {
        self.0.initial(scratch, out);
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
        self.0.successors(state, region, scratch, out);
        if out.len() == n_before {
            out.push(state, region.clone(), &[]);
        }
    }
}
