//! A trace told: replayed on the reference interpreter and explained step by step.

use fathom::model::explain::{
    Change, ChannelContents, DescribedState, ExplainedStep, Message, Mover, Owner, Transfer, describe_state,
    explain,
};
use fathom::model::{Evidence, Fault, Interpreter, Move, Question, System, Trace, VariableRole};
use fathom::search;

use crate::session::Session;
use crate::wire;

/// One step of the system, explained move by move.
#[derive(Clone, Debug)]
pub struct StoryStep {
    /// Counted from 1.
    pub number: usize,
    /// Whether the step was made to its end.
    pub complete: bool,
    /// The moves.
    pub moves: Vec<ExplainedStep>,
}

/// A trace, explained.
#[derive(Clone, Debug)]
pub struct Story {
    /// The steps.
    pub steps: Vec<StoryStep>,
    /// For a lasso: the number of steps before the loop.
    pub loop_at: Option<usize>,
    /// The state at the end; none when an error comes before the first.
    pub last_state: Option<Vec<u8>>,
}

/// Replays a trace and explains it.
///
/// # Errors
///
/// In words, when the trace does not show what it claims.
pub fn tell(interpreter: &Interpreter<'_>, trace: &Trace) -> Result<Story, String> {
    let replay = search::replay(interpreter, trace).map_err(|error| error.to_string())?;
    let mut scratch = interpreter.scratch();
    let mut steps = Vec::with_capacity(replay.visits.len());
    let mut last_state: Option<Vec<u8>> = None;
    for visit in &replay.visits {
        if let Some(before) = &last_state {
            steps.push(explain_step(interpreter, &mut scratch, before, &visit.labels, steps.len(), true)?);
        }
        last_state = Some(visit.state.clone());
    }
    if let Some(before) = last_state.as_ref().filter(|_| !replay.finding_labels.is_empty()) {
        let step =
            explain_step(interpreter, &mut scratch, before, &replay.finding_labels, steps.len(), false)?;
        last_state = step.moves.last().map(|last| last.state.clone());
        steps.push(step);
    }
    Ok(Story { steps, loop_at: trace.loop_at, last_state })
}

/// Explains the moves of one step from a state; `n_before` steps came before it.
pub fn explain_step(
    interpreter: &Interpreter<'_>,
    scratch: &mut <Interpreter<'_> as System>::Scratch,
    before: &[u8],
    moves: &[Move],
    n_before: usize,
    complete: bool,
) -> Result<StoryStep, String> {
    let moves = explain(interpreter, scratch, before, moves).map_err(|error| error.to_string())?;
    Ok(StoryStep { number: n_before + 1, complete, moves })
}

/// What a trace shows, in one sentence.
pub fn conclusion(question: &Question, fault: Option<&Fault>) -> String {
    match (question, fault) {
        (Question::Invariant(_), Some(fault)) => format!("the invariant cannot be evaluated: {fault}"),
        (Question::Reach(_), Some(fault)) => format!("the expression cannot be evaluated: {fault}"),
        (_, Some(fault)) => fault.to_string(),
        (Question::Deadlock, None) => "no process can move, and not all are where they may rest".to_owned(),
        (Question::Invariant(_), None) => "the invariant is false here".to_owned(),
        (Question::Reach(_), None) => "the state asked for is reached".to_owned(),
        (_, None) => "the property is violated".to_owned(),
    }
}

/// The fault in the evidence of a trace.
pub fn fault_of(trace: &Trace) -> Option<&Fault> {
    match &trace.evidence {
        Evidence::Finding { fault, .. } => fault.as_ref(),
        Evidence::State => None,
    }
}

/// A process as people see it: `name[number]`.
pub fn process_name(name: &str, number: u32) -> String {
    format!("{name}[{number}]")
}

/// Names everything in a state.
pub fn describe(interpreter: &Interpreter<'_>, state: &[u8]) -> DescribedState {
    describe_state(interpreter.model(), interpreter.layout(), state)
}

/// Steps as JSON.
pub fn steps_to_wire(session: &Session, steps: &[StoryStep]) -> Vec<wire::Step> {
    let step = |step: &StoryStep| wire::Step {
        number: step.number,
        complete: step.complete,
        moves: step.moves.iter().map(|explained| move_to_wire(session, explained)).collect(),
    };
    steps.iter().map(step).collect()
}

fn move_to_wire(session: &Session, explained: &ExplainedStep) -> wire::MoveForm {
    let partner = |partner: &Mover| wire::PartnerForm {
        process: partner.process,
        name: partner.name.clone(),
        statement: partner.text.clone(),
        span: session.place(partner.span),
    };
    let created =
        |(process, name): &(u32, String)| wire::ProcessName { process: *process, name: name.clone() };
    let is_shown = |change: &&Change| change.role != VariableRole::Internal;
    wire::MoveForm {
        process: explained.mover.process,
        name: explained.mover.name.clone(),
        statement: explained.mover.text.clone(),
        span: session.place(explained.mover.span),
        partner: explained.partner.as_ref().map(partner),
        timeout: explained.timeout,
        changes: explained.changes.iter().filter(is_shown).map(change_to_wire).collect(),
        channels: explained.channels.iter().map(channel_to_wire).collect(),
        messages: explained.messages.iter().map(message_to_wire).collect(),
        output: explained.output.clone(),
        created: explained.created.iter().map(created).collect(),
        ended: explained.ended,
        fault: explained.fault.as_ref().map(ToString::to_string),
    }
}

fn owner_to_wire(owner: Owner) -> Option<u32> {
    match owner {
        Owner::Global => None,
        Owner::Process { number, .. } => Some(number),
    }
}

fn change_to_wire(change: &Change) -> wire::ChangeForm {
    wire::ChangeForm {
        process: owner_to_wire(change.owner),
        name: change.name.clone(),
        old: change.old.clone(),
        new: change.new.clone(),
    }
}

fn channel_to_wire(channel: &ChannelContents) -> wire::ChannelForm {
    wire::ChannelForm {
        number: channel.number,
        name: channel.name.clone(),
        capacity: channel.capacity,
        messages: channel.messages.clone(),
    }
}

fn message_to_wire(message: &Message) -> wire::MessageForm {
    let (kind, from, to) = match message.transfer {
        Transfer::HandShake { from, to } => ("handshake", Some(from), Some(to)),
        Transfer::Send { from } => ("send", Some(from), None),
        Transfer::Receive { to, copy: false } => ("receive", None, Some(to)),
        Transfer::Receive { to, copy: true } => ("copy", None, Some(to)),
    };
    wire::MessageForm {
        kind: kind.to_owned(),
        from,
        to,
        channel: message.channel_name.clone(),
        text: message.text.clone(),
    }
}

/// A state as JSON, without what the front end made for itself.
pub fn state_to_wire(session: &Session, described: &DescribedState) -> wire::StateForm {
    let processes = described.processes.iter().map(|process| wire::ProcessForm {
        process: process.number,
        name: process.name.clone(),
        location: process.location.0,
        labels: process.labels.clone(),
        span: session.place(process.span),
        end: process.end,
    });
    let shown = described.values.iter().filter(|value| value.role != VariableRole::Internal);
    let values = shown.map(|value| wire::ValueForm {
        process: owner_to_wire(value.owner),
        name: value.name.clone(),
        value: value.value.clone(),
    });
    wire::StateForm {
        processes: processes.collect(),
        values: values.collect(),
        channels: described.channels.iter().map(channel_to_wire).collect(),
    }
}
