//! Traces and states as text.
//!
//! One line for each statement: step, process, place, statement; what it changed stands below it. Statements
//! after the first of an atomic sequence have no number of their own.

use std::fmt::Write;

use fathom_core::Language;
use fathom_core::model::explain::{
    Change, ChannelContents, DescribedState, ExplainedStep, Mover, NamedValue, Owner, ProcessAt,
};
use fathom_core::model::{Interpreter, Model, ScalarKind, VariableRole};
use fathom_source::Span;

use crate::session::Session;
use crate::story::{Story, StoryStep, describe, process_name};

/// Columns wider than this do not push the others to the right.
const MAX_COLUMN: usize = 32;

/// The steps of a story, line by line. Each step is also handed to `see`.
pub fn story_to_text(
    session: &Session,
    interpreter: &Interpreter<'_>,
    story: &Story,
    mut see: impl FnMut(&StoryStep),
) -> String {
    let mut columns = Columns::default();
    for chosen in story.moves() {
        let partner = chosen.partner.map(|partner| (partner.process, partner.template, partner.edge));
        for (process, template, edge) in
            std::iter::once((chosen.process, chosen.template, chosen.edge)).chain(partner)
        {
            let template = session.model().template(template);
            columns.widen(session, &template.name, process, template.edge(edge).span);
        }
    }
    let mut text = String::new();
    if let Some(first) = story.first_state(interpreter) {
        text += &start_to_text(session, &describe(interpreter, first));
    }
    let told = story.for_each_step(interpreter, |step| {
        if story.loop_at.is_some_and(|loop_at| loop_at + 1 == step.number) {
            text.push_str("        <<< here the loop starts >>>\n");
        }
        write_step(&mut text, session, step, &columns);
        see(step);
    });
    if let Err(error) = told {
        let _ = writeln!(text, "        (the rest cannot be explained, which is a bug in Fathom: {error})");
    }
    text
}

/// Where a walk starts, in the manner of a step.
pub fn start_to_text(session: &Session, described: &DescribedState) -> String {
    let mut text = "     0  (the start)\n".to_owned();
    for line in values_to_text(session, described).lines() {
        let _ = writeln!(text, "        {line}");
    }
    text
}

/// What a step does besides being taken, on one line.
pub fn effects_to_text(session: &Session, step: &StoryStep) -> String {
    let lines: Vec<String> = step.moves.iter().flat_map(|explained| details(session, explained)).collect();
    lines.join(", ")
}

/// Some steps, line by line.
pub fn steps_to_text(session: &Session, steps: &[StoryStep]) -> String {
    let mut columns = Columns::default();
    for explained in steps.iter().flat_map(|step| &step.moves) {
        for mover in std::iter::once(&explained.mover).chain(&explained.partner) {
            columns.widen(session, &mover.name, mover.process, mover.span);
        }
    }
    let mut text = String::new();
    for step in steps {
        write_step(&mut text, session, step, &columns);
    }
    text
}

/// Widths of the columns, in characters.
#[derive(Default)]
struct Columns {
    process: usize,
    place: usize,
}

impl Columns {
    fn widen(&mut self, session: &Session, name: &str, process: u32, span: Option<Span>) {
        let process = width(&process_name(name, process)).min(MAX_COLUMN);
        let place = width(&line_of(session, span)).min(MAX_COLUMN);
        self.process = self.process.max(process);
        self.place = self.place.max(place);
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// `file:line` of a statement.
fn line_of(session: &Session, span: Option<Span>) -> String {
    let place = session.place(span).unwrap_or_default();
    place.rsplit_once(':').map_or(String::new(), |(line, _column)| line.to_owned())
}

fn write_step(text: &mut String, session: &Session, step: &StoryStep, columns: &Columns) {
    if step.moves.is_empty() {
        let _ = writeln!(text, "{:>6}  (no process can move: the state stays as it is)", step.number);
    }
    for (index, explained) in step.moves.iter().enumerate() {
        let number = if index == 0 { step.number.to_string() } else { String::new() };
        write_mover(text, session, &number, &explained.mover, columns);
        if let Some(partner) = &explained.partner {
            write_mover(text, session, "", partner, columns);
        }
        for detail in details(session, explained) {
            let _ = writeln!(text, "{:indent$}{detail}", "", indent = 10 + columns.process);
        }
    }
}

fn write_mover(text: &mut String, session: &Session, number: &str, mover: &Mover, columns: &Columns) {
    let process = process_name(&mover.name, mover.process);
    let place = line_of(session, mover.span);
    let statement = mover.text.replace('\n', " ");
    let _ = writeln!(
        text,
        "{number:>6}  {process:<process_width$}  {place:<place_width$}  {statement}",
        process_width = columns.process,
        place_width = columns.place
    );
}

/// What a move did, one line for each thing.
fn details(session: &Session, explained: &ExplainedStep) -> Vec<String> {
    let model = session.model();
    let mut lines = Vec::new();
    if explained.timeout {
        lines.push("(timeout: nothing else can move)".to_owned());
    }
    for (number, name) in &explained.created {
        lines.push(format!("creates {}", process_name(name, *number)));
    }
    let changes = explained.changes.iter().filter(|change| change.role != VariableRole::Internal);
    lines.extend(changes.filter_map(|change| change_to_text(model, change)));
    lines.extend(explained.channels.iter().map(channel_to_text));
    // Nothing is printed in SMV but the inputs of a step, which are in no state.
    let says = if session.config().language == Language::Smv { "input" } else { "prints:" };
    lines.extend(explained.output.lines().map(|line| format!("{says} {line}")));
    if explained.ended {
        lines.push(format!("{} ends", process_name(&explained.mover.name, explained.mover.process)));
    }
    if let Some(fault) = explained.fault_text() {
        lines.push(format!("*** {fault}"));
    }
    lines
}

/// A change; none for what comes and goes with its process and is zero.
fn change_to_text(model: &Model, change: &Change) -> Option<String> {
    let name = owned_name(model, change.owner, &change.name);
    match (&change.old, &change.new) {
        (Some(old), Some(new)) => Some(format!("{name}: {old} → {new}")),
        (None, Some(new)) if new != "0" && new != "false" => Some(format!("{name}: {new}")),
        _ => None,
    }
}

/// A variable as it is written in a property: `x`, or `p[0]:x`.
fn owned_name(model: &Model, owner: Owner, name: &str) -> String {
    match owner {
        Owner::Global => name.to_owned(),
        Owner::Process { number, template } => {
            format!("{}:{name}", process_name(&model.template(template).name, number))
        }
    }
}

fn channel_to_text(channel: &ChannelContents) -> String {
    let messages: Vec<String> = channel.messages.iter().map(|message| format!("[{message}]")).collect();
    format!("{} ({}/{}): {}", channel.name, messages.len(), channel.capacity, messages.join(" "))
        .trim_end()
        .to_owned()
}

/// Where every process is.
pub fn processes_to_text(session: &Session, described: &DescribedState) -> String {
    let mut text = String::new();
    for process in &described.processes {
        let _ = writeln!(text, "  {}", process_to_text(session, process));
    }
    text
}

fn process_to_text(session: &Session, process: &ProcessAt) -> String {
    let place = session.place(process.span).unwrap_or_else(|| format!("location {}", process.location.0));
    let labels: String = process.labels.iter().map(|label| format!(" {label}:")).collect();
    let end = if process.end { " (may rest here)" } else { "" };
    format!("{} at {place}{labels}{end}", process_name(&process.name, process.number))
}

/// A whole state.
pub fn state_to_text(session: &Session, described: &DescribedState) -> String {
    processes_to_text(session, described) + &values_to_text(session, described)
}

/// The values and the channels of a state.
fn values_to_text(session: &Session, described: &DescribedState) -> String {
    let mut text = String::new();
    // A variable that names its channel is shown with the contents of the channel.
    let is_name = |value: &NamedValue| {
        value.ty.kind == ScalarKind::Channel
            && described.channels.iter().any(|channel| channel.holders.first() == Some(&value.name))
    };
    let is_shown = |value: &&NamedValue| value.role != VariableRole::Internal && !is_name(value);
    for value in described.values.iter().filter(is_shown) {
        let name = owned_name(session.model(), value.owner, &value.name);
        let _ = writeln!(text, "  {name} = {}", value.value);
    }
    for channel in described.channels.iter().filter(|channel| channel.capacity > 0) {
        let _ = writeln!(text, "  {}", channel_to_text(channel));
    }
    text
}
