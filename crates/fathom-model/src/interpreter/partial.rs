//! A look at the processes of a state, and the steps of some of them: what partial-order reduction needs.

use super::enabled::is_executable;
use super::{Interpreter, Move, Scratch};
use crate::{EdgeId, Fault, LocationId, NoRegion, ScalarType, Steps, TemplateId};

impl Interpreter<'_> {
    /// Takes a state apart; the other functions here speak about the state loaded last.
    pub fn load(&self, scratch: &mut Scratch, state: &[u8]) {
        scratch.base.load(&self.layout, state);
    }

    /// Number of processes alive.
    pub fn n_processes(&self, scratch: &Scratch) -> u32 {
        scratch.base.processes.len() as u32
    }

    /// The template of a process, and where it is.
    pub fn whereabouts(&self, scratch: &Scratch, process: u32) -> (TemplateId, LocationId) {
        let record = scratch.base.processes[process as usize];
        (record.template, scratch.base.location(&self.layout, record))
    }

    /// The value of a local scalar of a process.
    pub fn local(&self, scratch: &Scratch, process: u32, offset: u32, ty: ScalarType) -> i64 {
        let record = scratch.base.processes[process as usize];
        scratch.base.read(scratch.base.locals(&self.layout, record) + offset, ty)
    }

    /// The number of messages in a channel; nothing when there is no such channel.
    pub fn channel_length(&self, scratch: &Scratch, channel: u32) -> Option<u32> {
        let record = *scratch.base.channels.get((channel as usize).checked_sub(1)?)?;
        Some(super::channel::length(&self.layout, &scratch.base, record))
    }

    /// Whether a process could take an edge, given that it can take none listed before it. Hand-shakes and
    /// time-outs never count.
    ///
    /// # Errors
    ///
    /// When finding out runs into a fault.
    pub fn is_executable(&self, scratch: &Scratch, process: u32, edge: EdgeId) -> Result<bool, Fault> {
        let (template, _) = self.whereabouts(scratch, process);
        let look = self.look().by(process);
        is_executable(&look, &scratch.base, self.model.template(template).edge(edge))
    }

    /// Pushes the steps of the chosen processes from the state loaded last. Nothing is said about the state
    /// itself, and time-outs do not happen: the chosen processes can move.
    pub fn steps_of(
        &self,
        chosen: &dyn Fn(u32) -> bool,
        scratch: &mut Scratch,
        out: &mut Steps<NoRegion, Move>,
    ) {
        self.expand_chosen(false, chosen, scratch, out);
    }

    /// Pushes what there is to say about the state loaded last by itself.
    pub fn findings_of_state(&self, scratch: &Scratch, out: &mut Steps<NoRegion, Move>) {
        self.check_state(scratch, out);
    }
}
