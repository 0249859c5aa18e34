//! The steps of one process after the other: see [`System::portions`].
//!
//! As in the interpreter a portion is a process, the youngest first, and whatever is rare is left to it.

use std::ops::Range;

use fathom_model::{Move, NoRegion, Steps, System};

use crate::expand::{Ask, Expansion};
use crate::{NativeSystem, Scratch};

impl NativeSystem<'_> {
    /// See [`System::portions`].
    pub(crate) fn count_portions(
        &self,
        state: &[u8],
        scratch: &mut Scratch,
        out: &mut Steps<NoRegion, Move>,
    ) -> usize {
        if out.is_recording() || self.is_interpreted() {
            return self.interpreter.portions(state, &NoRegion, &mut scratch.interpreter, out);
        }
        let before = out.height();
        let Scratch { directory, buffers, .. } = scratch;
        directory.refresh(&self.facts, state);
        let n_portions = directory.processes.len();
        let mut expansion = Expansion::new(&self.facts, &self.plan, directory, buffers, out);
        if let Err(Ask) = self.check_state(state, &mut expansion) {
            out.truncate(before);
            return self.interpreter.portions(state, &NoRegion, &mut scratch.interpreter, out);
        }
        n_portions
    }

    /// See [`System::portion`].
    pub(crate) fn expand_portion(
        &self,
        among: Range<usize>,
        state: &[u8],
        scratch: &mut Scratch,
        out: &mut Steps<NoRegion, Move>,
    ) -> usize {
        scratch.buffers.partners.clear();
        if out.is_recording() || self.is_interpreted() {
            scratch.buffers.partners.is_partial = true;
            return self.interpreter.portion(among, state, &NoRegion, &mut scratch.interpreter, out);
        }
        let before = out.height();
        self.expand_native_portion(among.clone(), state, scratch, out).unwrap_or_else(|Ask| {
            out.truncate(before);
            scratch.n_interpreted += 1;
            scratch.buffers.partners.is_partial = true;
            self.interpreter.portion(among, state, &NoRegion, &mut scratch.interpreter, out)
        })
    }

    fn expand_native_portion(
        &self,
        among: Range<usize>,
        state: &[u8],
        scratch: &mut Scratch,
        out: &mut Steps<NoRegion, Move>,
    ) -> Result<usize, Ask> {
        let Scratch { directory, buffers, .. } = scratch;
        directory.refresh(&self.facts, state);
        let n_processes = directory.processes.len();
        debug_assert!(among.end <= n_processes, "a portion for each process");
        let mut expansion = Expansion::new(&self.facts, &self.plan, directory, buffers, out);
        let processes = n_processes.saturating_sub(among.end)..n_processes.saturating_sub(among.start);
        let n_looked_at = expansion.expand_first(state, directory, processes)?;
        self.report_failed(&mut expansion);
        Ok(among.start + n_looked_at)
    }
}
