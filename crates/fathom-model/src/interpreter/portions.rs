//! The steps of one process after the other: see [`System::portions`].
//!
//! A portion is a process, the youngest first, as in an expansion of them all. Where processes are compared by
//! priority there is one portion with everything in it.

use std::ops::Range;

use super::{Interpreter, Move, Scratch};
use crate::{NoRegion, Steps, System};

impl Interpreter<'_> {
    /// See [`System::portions`].
    pub(super) fn count_portions(
        &self,
        state: &[u8],
        scratch: &mut Scratch,
        out: &mut Steps<NoRegion, Move>,
    ) -> usize {
        if self.model.uses_priorities {
            return 1;
        }
        scratch.base.load(&self.layout, state);
        self.check_state(scratch, out);
        scratch.base.processes.len()
    }

    /// See [`System::portion`].
    pub(super) fn expand_portion(
        &self,
        among: Range<usize>,
        state: &[u8],
        scratch: &mut Scratch,
        out: &mut Steps<NoRegion, Move>,
    ) -> usize {
        if self.model.uses_priorities {
            if !among.is_empty() {
                self.successors(state, &NoRegion, scratch, out);
            }
            return among.end;
        }
        scratch.base.load(&self.layout, state);
        let n_processes = scratch.base.processes.len();
        debug_assert!(among.end <= n_processes, "a portion for each process");
        let n_before = out.len();
        for portion in among.clone() {
            let wanted = (n_processes - 1 - portion) as u32;
            self.expand_chosen(false, &|process| process == wanted, scratch, out);
            if out.len() > n_before {
                return portion + 1;
            }
        }
        among.end
    }
}
