//! One move at a time: for replaying and explaining traces.

use std::fmt;

use super::eval::Look;
use super::frames::Configuration;
use super::reached::Move;
use super::step::{Extent, moves_of};
use super::{Interpreter, Scratch, channel, enabled};
use crate::layout::Layout;
use crate::{Fault, Model, Sync};

/// What one move did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Executed {
    /// The state after it; the state before it when a fault other than a failed assertion stopped it.
    pub state: Vec<u8>,
    /// What it printed.
    pub output: String,
    /// What went wrong.
    pub fault: Option<Fault>,
    /// The condition that was false, where an assertion failed.
    pub condition: Option<String>,
}

/// Why a move cannot be replayed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ReplayError {
    /// There is no such process, or it is of another template.
    NoSuchProcess {
        /// Its number.
        process: u32,
    },
    /// The edge does not leave the location of the process, or it is not executable.
    NotExecutable {
        /// The number of the process.
        process: u32,
    },
    /// The move is made on timeout although something else can move.
    NoTimeout,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::NoSuchProcess { process } => write!(out, "there is no process {process} to move"),
            ReplayError::NotExecutable { process } => {
                write!(out, "process {process} cannot make this move here")
            }
            ReplayError::NoTimeout => write!(out, "a move on timeout although something else can move"),
        }
    }
}

impl std::error::Error for ReplayError {}

impl Interpreter<'_> {
    /// Makes one move from a state, which may be a state in the middle of a step.
    pub fn execute_move(
        &self,
        scratch: &mut Scratch,
        state: &[u8],
        chosen: &Move,
    ) -> Result<Executed, ReplayError> {
        scratch.base.load(&self.layout, state);
        let found = scratch.base.process(i64::from(chosen.process));
        if found.is_none_or(|record| record.template != chosen.template) {
            return Err(ReplayError::NoSuchProcess { process: chosen.process });
        }
        if chosen.timeout && self.something_moves(chosen.process, scratch) {
            return Err(ReplayError::NoTimeout);
        }
        scratch.reached.start(true, true);
        let look = Look { timeout: chosen.timeout, ..self.look() }.by(chosen.process);
        let Scratch { base, buffers, reached, .. } = scratch;
        moves_of(&look, base, Extent::Edge, buffers, reached);
        let is_chosen = |labels: &std::ops::Range<usize>| reached.labels[labels.clone()] == [*chosen];
        let met = reached.faults.iter().find(|met| is_chosen(&met.labels));
        let fault = met.map(|met| met.fault.clone());
        let condition = met.and_then(|met| met.condition.clone());
        match reached.children.iter().find(|child| is_chosen(&child.labels)) {
            Some(child) => Ok(Executed {
                state: reached.bytes[child.state.clone()].to_vec(),
                output: reached.text[child.text.clone()].to_owned(),
                fault,
                condition,
            }),
            None if fault.is_some() => {
                Ok(Executed { state: state.to_vec(), output: String::new(), fault, condition })
            }
            None => Err(ReplayError::NotExecutable { process: chosen.process }),
        }
    }

    /// Whether any process moves without a timeout. Inside an indivisible block the question does not come up.
    fn something_moves(&self, process: u32, scratch: &mut Scratch) -> bool {
        if enabled::location_of(&self.look(), &scratch.base, process).deterministic {
            return false;
        }
        scratch.reached.start(false, false);
        let Scratch { base, buffers, reached, .. } = scratch;
        (0..base.processes.len() as u32)
            .any(|process| moves_of(&self.look().by(process), base, Extent::Block, buffers, reached))
    }
}

/// The channel and the message that a process would send in a state.
pub(crate) fn sent_message(
    model: &Model,
    layout: &Layout,
    state: &Configuration,
    process: u32,
    sync: &Sync,
) -> Option<(usize, Vec<i64>)> {
    let Sync::Send { channel, fields, .. } = sync else { return None };
    let look = Look::new(model, layout).by(process);
    let channel = look.channel(state, channel).ok()?;
    let types = &model.channel_type(state.channels[channel].channel_type).fields;
    let values =
        fields.iter().zip(types).map(|(field, ty)| Some(ty.truncate(look.value(state, field).ok()?)));
    Some((channel, values.collect::<Option<Vec<i64>>>()?))
}

/// The channel and the message that a process would receive in a state.
pub(crate) fn received_message(
    model: &Model,
    layout: &Layout,
    state: &Configuration,
    process: u32,
    sync: &Sync,
) -> Option<(usize, Vec<i64>)> {
    let Sync::Receive { channel, patterns, which, .. } = sync else { return None };
    let look = Look::new(model, layout).by(process);
    let index = look.channel(state, channel).ok()?;
    let slot = channel::find_message(&look, state, index, patterns, *which).ok()??;
    let record = state.channels[index];
    Some((index, channel::message(layout, state, record, model.channel_type(record.channel_type), slot)))
}
