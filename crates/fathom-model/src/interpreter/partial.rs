//! A look at the processes of a state, and the steps of some of them: what partial-order reduction needs.

use super::enabled::{location_of, might_be_taken};
use super::{Interpreter, Move, Scratch};
use crate::{Choose, NoRegion, Processes, ScalarType, Selective, Steps};

/// The state loaded last.
struct Loaded<'a, 'm> {
    interpreter: &'a Interpreter<'m>,
    scratch: &'a Scratch,
}

impl Processes for Loaded<'_, '_> {
    fn n_processes(&self) -> usize {
        self.scratch.base.processes.len()
    }

    fn location(&self, process: usize) -> usize {
        let record = self.scratch.base.processes[process];
        let before = &self.interpreter.model.templates[..record.template.index()];
        let first: usize = before.iter().map(|template| template.locations.len()).sum();
        first + self.scratch.base.location(&self.interpreter.layout, record).index()
    }

    fn executable(&mut self, process: usize) -> Option<u64> {
        let state = &self.scratch.base;
        let look = self.interpreter.look().by(process as u32);
        let template = self.interpreter.model.template(state.processes[process].template);
        let edges = location_of(&look, state, process as u32).groups.iter().flatten();
        let mut executable = 0;
        for (number, edge) in edges.enumerate() {
            let bit = 1u64.checked_shl(number as u32)?;
            if might_be_taken(&look, state, template.edge(*edge)).ok()? {
                executable |= bit;
            }
        }
        Some(executable)
    }

    fn channel_in(&self, process: usize, offset: u32) -> u32 {
        let state = &self.scratch.base;
        let locals = state.locals(&self.interpreter.layout, state.processes[process]);
        state.read(locals + offset, ScalarType::CHANNEL) as u32
    }

    fn channel_length(&self, channel: u32) -> Option<u32> {
        let record = *self.scratch.base.channels.get((channel as usize).checked_sub(1)?)?;
        Some(super::channel::length(&self.interpreter.layout, &self.scratch.base, record))
    }
}

impl Selective for Interpreter<'_> {
    fn chosen_successors(
        &self,
        state: &[u8],
        choice: &mut dyn Choose,
        scratch: &mut Scratch,
        out: &mut Steps<NoRegion, Move>,
    ) {
        scratch.base.load(&self.layout, state);
        self.check_state(scratch, out);
        if choice.choose(&mut Loaded { interpreter: self, scratch }) {
            let before = out.height();
            let n_before = out.len();
            let chosen = |process: u32| choice.is_chosen(process as usize);
            self.expand_chosen(false, &chosen, scratch, out);
            if out.len() > n_before && !scratch.path_ended {
                return;
            }
            out.truncate(before);
        }
        self.expand_all(scratch, out);
    }
}
