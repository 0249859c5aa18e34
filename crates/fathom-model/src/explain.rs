//! States and steps for people: named values, channel contents, and what each move changed.
//!
//! [`describe_state`] names every scalar of a state. [`explain`] replays the moves of a step one by one on the
//! reference interpreter and says for each what it changed, which channels it touched, what it printed, and
//! which messages went from whom to whom: enough for a trace printer and for a message sequence chart.

use std::collections::HashMap;

use fathom_source::Span;

use crate::describe::message_text;
pub use crate::describe::{ChannelContents, DescribedState, NamedValue, Owner, ProcessAt, describe_state};
use crate::interpreter::{
    Configuration, Interpreter, Move, ReplayError, Scratch, received_message, sent_message,
};
use crate::layout::Layout;
use crate::{EdgeId, Fault, Model, Sync, TemplateId, VariableRole};

/// A value before and after a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// Whose variable it is.
    pub owner: Owner,
    /// Its name.
    pub name: String,
    /// Before; none when the process is new.
    pub old: Option<String>,
    /// After; none when the process has ended.
    pub new: Option<String>,
    /// What the variable is for.
    pub role: VariableRole,
}

/// Where a message goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transfer {
    /// From one process to another at once.
    HandShake {
        /// The sender.
        from: u32,
        /// The receiver.
        to: u32,
    },
    /// Into a channel.
    Send {
        /// The sender.
        from: u32,
    },
    /// Out of a channel.
    Receive {
        /// The receiver.
        to: u32,
        /// The message stays in the channel.
        copy: bool,
    },
}

/// A message that was sent or received.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// Where it goes.
    pub transfer: Transfer,
    /// Number of the channel, counted from 1.
    pub channel: u32,
    /// Name of the channel.
    pub channel_name: String,
    /// The fields, separated by commas.
    pub text: String,
}

/// The side of one process in a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mover {
    /// Number of the process.
    pub process: u32,
    /// Name of its template.
    pub name: String,
    /// The statement.
    pub text: String,
    /// Where it stands.
    pub span: Option<Span>,
}

/// One move, explained.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExplainedStep {
    /// Who moves, and how.
    pub mover: Mover,
    /// The receiver of a hand-shake.
    pub partner: Option<Mover>,
    /// Whether the move was made because nothing else could move.
    pub timeout: bool,
    /// What changed.
    pub changes: Vec<Change>,
    /// Channels whose contents changed, with the contents after the move.
    pub channels: Vec<ChannelContents>,
    /// Messages sent and received.
    pub messages: Vec<Message>,
    /// What was printed.
    pub output: String,
    /// Processes created: number and name.
    pub created: Vec<(u32, String)>,
    /// Whether the process has ended.
    pub ended: bool,
    /// What went wrong.
    pub fault: Option<Fault>,
    /// The condition that was false, where an assertion failed.
    pub condition: Option<String>,
    /// The state after the move.
    pub state: Vec<u8>,
}

impl ExplainedStep {
    /// What went wrong, in words: with the condition of an assertion, unless the text of the move says it already.
    pub fn fault_text(&self) -> Option<String> {
        let fault = self.fault.as_ref()?;
        let bare = |text: &str| text.replace([' ', '(', ')'], "");
        match &self.condition {
            Some(condition) if !bare(&self.mover.text).contains(&bare(condition)) => {
                Some(format!("{fault}: {condition} is false"))
            }
            _ => Some(fault.to_string()),
        }
    }
}

/// Replays the moves of one step from a state and explains each.
pub fn explain(
    interpreter: &Interpreter<'_>,
    scratch: &mut Scratch,
    state: &[u8],
    moves: &[Move],
) -> Result<Vec<ExplainedStep>, ReplayError> {
    let (model, layout) = (interpreter.model(), interpreter.layout());
    let mut steps = Vec::with_capacity(moves.len());
    let mut before = state.to_vec();
    let mut described = describe_state(model, layout, state);
    for chosen in moves {
        let executed = interpreter.execute_move(scratch, &before, chosen)?;
        let after = describe_state(model, layout, &executed.state);
        let n_processes = described.processes.len();
        steps.push(ExplainedStep {
            mover: mover(model, chosen.process, chosen.template, chosen.edge),
            partner: chosen
                .partner
                .map(|partner| mover(model, partner.process, partner.template, partner.edge)),
            timeout: chosen.timeout,
            changes: changes(&described.values, &after.values),
            channels: after
                .channels
                .iter()
                .filter(|channel| has_changed(channel, &described))
                .cloned()
                .collect(),
            messages: messages(model, layout, &before, chosen, &described),
            output: executed.output,
            created: after
                .processes
                .iter()
                .skip(n_processes)
                .map(|process| (process.number, process.name.clone()))
                .collect(),
            ended: after.processes.len() < n_processes,
            fault: executed.fault,
            condition: executed.condition,
            state: executed.state.clone(),
        });
        before = executed.state;
        described = after;
    }
    Ok(steps)
}

fn mover(model: &Model, process: u32, template: TemplateId, edge: EdgeId) -> Mover {
    let template = model.template(template);
    let edge = template.edge(edge);
    Mover { process, name: template.name.clone(), text: edge.text.clone(), span: edge.span }
}

fn has_changed(channel: &ChannelContents, before: &DescribedState) -> bool {
    let old = before.channels.get(channel.number as usize - 1);
    old.map_or(&[][..], |old| &old.messages[..]) != &channel.messages[..]
}

fn changes(before: &[NamedValue], after: &[NamedValue]) -> Vec<Change> {
    let key = |value: &NamedValue| (value.owner, value.name.clone());
    let old: HashMap<_, _> = before.iter().map(|value| (key(value), value)).collect();
    let new: HashMap<_, _> = after.iter().map(|value| (key(value), value)).collect();
    let change = |value: &NamedValue, old: Option<&NamedValue>, new: Option<&NamedValue>| Change {
        owner: value.owner,
        name: value.name.clone(),
        old: old.map(|old| old.value.clone()),
        new: new.map(|new| new.value.clone()),
        role: value.role,
    };
    let mut changes = Vec::new();
    for value in after {
        let old = old.get(&key(value)).copied();
        if old.is_none_or(|old| old.number != value.number) {
            changes.push(change(value, old, Some(value)));
        }
    }
    let gone = before.iter().filter(|value| !new.contains_key(&key(value)));
    changes.extend(gone.map(|value| change(value, Some(value), None)));
    changes
}

/// The messages of a move, found by looking at the state before it.
fn messages(
    model: &Model,
    layout: &Layout,
    before: &[u8],
    chosen: &Move,
    described: &DescribedState,
) -> Vec<Message> {
    let mut state = Configuration::default();
    state.load(layout, before);
    let Some(sync) = &model.template(chosen.template).edge(chosen.edge).sync else { return Vec::new() };
    let (transfer, found) = match (sync, chosen.partner) {
        (Sync::Send { .. }, Some(partner)) => (
            Transfer::HandShake { from: chosen.process, to: partner.process },
            sent_message(model, layout, &state, chosen.process, sync),
        ),
        (Sync::Send { .. }, None) => (
            Transfer::Send { from: chosen.process },
            sent_message(model, layout, &state, chosen.process, sync),
        ),
        (Sync::Receive { copy, .. }, _) => (
            Transfer::Receive { to: chosen.process, copy: *copy },
            received_message(model, layout, &state, chosen.process, sync),
        ),
    };
    let Some((index, values)) = found else { return Vec::new() };
    let fields = &model.channel_type(state.channels[index].channel_type).fields;
    vec![Message {
        transfer,
        channel: index as u32 + 1,
        channel_name: described.channels[index].name.clone(),
        text: message_text(model, fields, &values),
    }]
}
