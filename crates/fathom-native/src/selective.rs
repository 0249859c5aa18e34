//! Steps of chosen processes: see [`Selective`].
//!
//! Each location gets one more function, which says for each edge whether it might be taken. It is called only
//! for processes that whoever chooses wants to know about.

use fathom_model::{Choose, Fault, Move, NoRegion, Processes, ScalarType, Selective, Steps};

use crate::context::Code;
use crate::directory::Directory;
use crate::expand::{Ask, Expansion};
use crate::{NativeSystem, Scratch};

/// A state under expansion, looked at process by process.
struct Looked<'l, 'w, 'm> {
    expansion: &'l mut Expansion<'w, 'm>,
    state: &'l [u8],
    directory: &'l Directory,
    /// By location.
    might_take: &'l [Code],
    /// Whether the interpreter must answer.
    asks: bool,
}

impl Processes for Looked<'_, '_, '_> {
    fn n_processes(&self) -> usize {
        self.directory.processes.len()
    }

    fn location(&self, process: usize) -> usize {
        self.directory.spots[process].location_in(self.state)
    }

    fn executable(&mut self, process: usize) -> Option<u64> {
        let code = self.might_take[self.location(process)];
        match self.expansion.look(code, self.state, self.directory.processes[process], process) {
            Ok(executable) => Some(executable),
            Err(Ask) => {
                self.asks = true;
                None
            }
        }
    }

    fn channel_in(&self, process: usize, offset: u32) -> u32 {
        let entry = self.directory.processes[process];
        let locals = self.expansion.facts.layout.processes[entry.template as usize].locals;
        ScalarType::CHANNEL.read(&self.state[(entry.offset + locals + offset) as usize..]) as u32
    }

    fn channel_length(&self, channel: u32) -> Option<u32> {
        let entry = self.directory.channels.get((channel as usize).checked_sub(1)?)?;
        let layout = self.expansion.facts.classes[entry.class as usize].layout;
        if layout.length_width == 0 {
            return Some(0);
        }
        let length = &self.state[(entry.offset + layout.length) as usize..];
        Some(fathom_model::layout::read_number(length, layout.length_width))
    }
}

impl NativeSystem<'_> {
    fn expand_chosen(
        &self,
        state: &[u8],
        choice: &mut dyn Choose,
        scratch: &mut Scratch,
        out: &mut Steps<NoRegion, Move>,
    ) -> Result<(), Ask> {
        let Scratch { directory, buffers, .. } = scratch;
        directory.refresh(&self.facts, state);
        let mut expansion = Expansion::new(&self.facts, &self.plan, directory, buffers, out);
        self.check_state(state, &mut expansion)?;
        let mut looked = Looked {
            expansion: &mut expansion,
            state,
            directory,
            might_take: &self.plan.might_take,
            asks: false,
        };
        let is_choice = choice.choose(&mut looked);
        if looked.asks {
            return Err(Ask);
        }
        if is_choice {
            let before = expansion.out.height();
            let n_before = expansion.out.len();
            expansion.expand(state, directory, 0, &|process| choice.is_chosen(process))?;
            if expansion.out.len() > n_before {
                self.report_failed(&mut expansion);
                return Ok(());
            }
            expansion.out.truncate(before);
            expansion.n_failed = 0;
        }
        self.expand_all(state, directory, &mut expansion)
    }

    /// Adds a finding for each failed assertion.
    pub(crate) fn report_failed(&self, expansion: &mut Expansion<'_, '_>) {
        if let Some(assertion) = self.assertion {
            for _ in 0..expansion.n_failed {
                expansion.out.find(assertion, Some(Fault::Assertion), &[]);
            }
        }
    }
}

impl Selective for NativeSystem<'_> {
    fn chosen_successors(
        &self,
        state: &[u8],
        choice: &mut dyn Choose,
        scratch: &mut Scratch,
        out: &mut Steps<NoRegion, Move>,
    ) {
        let is_compiled = !self.plan.might_take.is_empty();
        if is_compiled && !out.is_recording() && !self.is_interpreted() {
            let before = out.height();
            if self.expand_chosen(state, choice, scratch, out).is_ok() {
                return;
            }
            out.truncate(before);
        }
        scratch.n_interpreted += 1;
        self.interpreter.chosen_successors(state, choice, &mut scratch.interpreter, out);
    }

    fn partners<'s>(&self, scratch: &'s Scratch) -> Option<&'s [(usize, u32)]> {
        let partners = &scratch.buffers.partners;
        (!partners.is_partial).then_some(&partners.of_steps)
    }
}
