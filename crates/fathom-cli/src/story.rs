//! A trace told: replayed on the reference interpreter and explained step by step.

use fathom_core::model::explain::{
    Change, ChannelContents, DescribedState, ExplainedStep, Message, Mover, Owner, Transfer, describe_state,
    explain,
};
use fathom_core::model::{
    Evidence, Fault, Interpreter, Move, NoRegion, PropertyId, Question, RunEnd, System, Trace, VariableRole,
};
use fathom_core::search::Replay;

use crate::session::Session;
use crate::wire::{self, ParticipationForm};

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

/// A trace that was followed to its end, ready to be explained.
///
/// Traces may have millions of steps: they are explained one by one, and nothing but the states is kept.
#[derive(Clone, Debug)]
pub struct Story {
    replay: Replay<NoRegion, Move>,
    /// For a lasso: the number of steps before the loop.
    pub loop_at: Option<usize>,
    /// The state at the end; none when an error comes before the first.
    pub last_state: Option<Vec<u8>>,
}

/// Replays a trace that is about a property; of a claim beside the model, only the model is told.
///
/// # Errors
///
/// In words, when the trace does not show what it claims.
pub fn tell(interpreter: &Interpreter<'_>, property: PropertyId, trace: &Trace) -> Result<Story, String> {
    let replay =
        fathom_core::try_replay(interpreter.model(), property, trace).map_err(|error| error.to_string())?;
    let mut story = Story { replay, loop_at: trace.loop_at, last_state: None };
    story.last_state = match story.cut_short(interpreter, &mut interpreter.scratch())? {
        Some(step) => step.moves.last().map(|last| last.state.clone()),
        None => story.replay.visits.last().map(|visit| visit.state.clone()),
    };
    Ok(story)
}

impl Story {
    /// How many processes take part.
    pub fn participation(&self, interpreter: &Interpreter<'_>) -> ParticipationForm {
        fathom_core::traced_participation(interpreter.model(), &self.replay).into()
    }

    /// The state at the start, where a model may start in several: no step tells which it is.
    pub fn first_state(&self, interpreter: &Interpreter<'_>) -> Option<&[u8]> {
        let is_chosen = !interpreter.model().initial_effect.is_empty();
        self.replay.visits.first().filter(|_| is_chosen).map(|visit| &visit.state[..])
    }

    /// Number of steps, counting a last one that an error cut short.
    pub fn n_steps(&self) -> usize {
        self.replay.visits.len().saturating_sub(1) + usize::from(!self.replay.finding_labels.is_empty())
    }

    /// All moves, unexplained.
    pub fn moves(&self) -> impl Iterator<Item = &Move> {
        self.replay.visits.iter().flat_map(|visit| &visit.labels).chain(&self.replay.finding_labels)
    }

    /// Explains step by step.
    ///
    /// # Errors
    ///
    /// In words, when a step cannot be explained although it was replayed: a bug in Fathom.
    pub fn for_each_step(
        &self,
        interpreter: &Interpreter<'_>,
        mut see: impl FnMut(&StoryStep),
    ) -> Result<(), String> {
        let mut scratch = interpreter.scratch();
        for (n_before, pair) in self.replay.visits.windows(2).enumerate() {
            let (before, moves) = (&pair[0].state, &pair[1].labels);
            see(&explain_step(interpreter, &mut scratch, before, moves, n_before, true)?);
        }
        if let Some(step) = self.cut_short(interpreter, &mut scratch)? {
            see(&step);
        }
        Ok(())
    }

    /// The last step, if an error cut it short.
    fn cut_short(
        &self,
        interpreter: &Interpreter<'_>,
        scratch: &mut <Interpreter<'_> as System>::Scratch,
    ) -> Result<Option<StoryStep>, String> {
        let moves = &self.replay.finding_labels;
        let Some(last) = self.replay.visits.last().filter(|_| !moves.is_empty()) else { return Ok(None) };
        let n_before = self.replay.visits.len() - 1;
        explain_step(interpreter, scratch, &last.state, moves, n_before, false).map(Some)
    }
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
pub fn conclusion(question: &Question, fault: Option<&Fault>, loop_at: Option<usize>) -> String {
    let is_lasso = loop_at.is_some();
    match (question, fault) {
        (Question::Invariant(_), Some(fault)) => format!("the invariant cannot be evaluated: {fault}"),
        (Question::Reach(_), Some(fault)) => format!("the expression cannot be evaluated: {fault}"),
        (Question::Automaton(_), Some(fault)) => {
            format!("a proposition of the automaton cannot be evaluated here: {fault}")
        }
        (Question::Ltl(_) | Question::Ctl(_) | Question::Psl(_), Some(fault)) => {
            format!("the formula cannot be evaluated here: {fault}")
        }
        (Question::Claim(_), Some(fault)) => format!("in the claim: {fault}"),
        (_, Some(fault)) => fault.to_string(),
        (Question::Deadlock, None) => "no process can move, and not all are where they may rest".to_owned(),
        (Question::Invariant(_), None) => "the invariant is false here".to_owned(),
        (Question::Reach(_), None) => "the state asked for is reached".to_owned(),
        (Question::Psl(psl), None) if psl.end != RunEnd::Stutter => {
            "the formula is false of this run".to_owned()
        }
        (Question::Ltl(_) | Question::Psl(_), None) if is_lasso => {
            "the loop repeats for ever: the formula is false of this run".to_owned()
        }
        (Question::Ctl(_), None) => "one path of the tree that shows it".to_owned(),
        (Question::Ltl(_) | Question::Psl(_), None) => {
            "whatever follows, the formula is false of this run".to_owned()
        }
        (Question::NonProgress, None) => {
            "the loop repeats for ever, and no process makes progress".to_owned()
        }
        (Question::Acceptance, None) => {
            "the loop repeats for ever, and passes a location marked as accepting".to_owned()
        }
        (Question::Automaton(_), None) if is_lasso => {
            "the loop repeats for ever: the automaton accepts this run, which must not happen".to_owned()
        }
        (Question::Automaton(_), None) => {
            "whatever follows, the automaton accepts this run, which must not happen".to_owned()
        }
        (Question::Claim(_), None) if is_lasso => {
            "the loop repeats for ever: the claim accepts this run, which must not happen".to_owned()
        }
        (Question::Claim(_), None) => {
            "whatever follows, the claim accepts this run, which must not happen".to_owned()
        }
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

/// The start of a story as JSON, where there are several.
pub fn first_to_wire(
    session: &Session,
    interpreter: &Interpreter<'_>,
    story: &Story,
) -> Option<wire::StateForm> {
    let first = story.first_state(interpreter)?;
    Some(state_to_wire(session, &describe(interpreter, first)))
}

/// The steps of a story as JSON.
pub fn steps_to_wire(
    session: &Session,
    interpreter: &Interpreter<'_>,
    story: &Story,
) -> Result<Vec<wire::Step>, String> {
    let mut steps = Vec::with_capacity(story.n_steps());
    story.for_each_step(interpreter, |step| steps.push(step_to_wire(session, step)))?;
    Ok(steps)
}

/// A step as JSON.
pub fn step_to_wire(session: &Session, step: &StoryStep) -> wire::Step {
    wire::Step {
        number: step.number,
        complete: step.complete,
        moves: step.moves.iter().map(|explained| move_to_wire(session, explained)).collect(),
    }
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
        fault: explained.fault_text(),
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
