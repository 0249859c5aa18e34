//! What an edge does: its actions, one after the other, on a state in place.

use super::eval::Look;
use super::frames::{Configuration, MOST_RECORDS};
use super::outcomes::Outcomes;
use crate::print::display_expr;
use crate::{Action, Expr, Fault, Initializer, Model, PrintForm, PrintPart, TemplateId};

/// What happens on the side while actions run, and a buffer they share.
#[derive(Clone, Default, Debug)]
pub(crate) struct Log {
    /// An assertion was false.
    pub assertion_failed: bool,
    /// The condition of the first one that was, when someone listens.
    pub false_condition: String,
    /// What was printed, when someone listens.
    pub output: Option<String>,
    /// Arguments of a process that is being created.
    arguments: Vec<i64>,
    /// What the effect under way chooses.
    pub outcomes: Outcomes,
}

impl Log {
    /// Notes an assertion that is false.
    fn note_failure(&mut self, look: &Look<'_>, state: &Configuration, condition: &Expr) {
        if self.output.is_some() && !self.assertion_failed {
            let template =
                look.own.and_then(|own| state.process(i64::from(own))).map(|process| process.template);
            self.false_condition = display_expr(look.model, template, condition);
        }
        self.assertion_failed = true;
    }
}

/// How a list of actions ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Applied {
    /// To the end.
    Done,
    /// The process has ended itself.
    Ended,
    /// A requirement was false: the edge is not executable, the state is to be thrown away.
    Refused,
}

/// Runs actions on behalf of the process that looks.
pub(crate) fn apply(
    look: &Look<'_>,
    state: &mut Configuration,
    actions: &[Action],
    log: &mut Log,
) -> Result<Applied, Fault> {
    let mut look = *look;
    state.temporaries.clear();
    for action in actions {
        match action {
            Action::Assign(place, value) => {
                let value = look.value(state, value)?;
                look.store(state, place, value)?;
            }
            Action::Choose { place, least, most } => {
                let chosen = log.outcomes.choose((most - least) as u64 + 1);
                look.store(state, place, least + chosen as i64)?;
            }
            Action::Create { template, arguments, priority } => {
                look.created = i64::from(create(&look, state, *template, arguments, *priority, log)?);
            }
            Action::Require(condition) => {
                if !look.holds(state, condition)? {
                    return Ok(Applied::Refused);
                }
            }
            Action::Assert(condition) => {
                if !look.holds(state, condition)? {
                    log.note_failure(&look, state, condition);
                }
            }
            Action::SetPriority { process, priority } => set_priority(&look, state, process, priority)?,
            Action::Print(parts) => {
                if let Some(output) = &mut log.output {
                    print(&look, state, parts, output)?;
                }
            }
            Action::End => {
                state.remove_youngest();
                return Ok(Applied::Ended);
            }
        }
    }
    Ok(Applied::Done)
}

/// Creates a process: record, arguments, then its own initialisers, which may create channels.
pub(crate) fn create(
    look: &Look<'_>,
    state: &mut Configuration,
    template: TemplateId,
    arguments: &[Expr],
    priority: u8,
    log: &mut Log,
) -> Result<u32, Fault> {
    if state.processes.len() >= MOST_RECORDS {
        return Err(Fault::TooManyProcesses);
    }
    log.arguments.clear();
    for argument in arguments {
        log.arguments.push(look.value(state, argument)?);
    }
    let number = state.append_process(look.model, look.layout, template, priority);
    let look = look.by(number);
    let template = look.model.template(template);
    for (parameter, value) in template.parameters.iter().zip(&log.arguments) {
        look.store(state, parameter, *value)?;
    }
    initialize(&look, state, &template.locals.initializers)?;
    Ok(number)
}

/// Gives the variables of a frame their first values.
pub(crate) fn initialize(
    look: &Look<'_>,
    state: &mut Configuration,
    initializers: &[Initializer],
) -> Result<(), Fault> {
    for initializer in initializers {
        match initializer {
            Initializer::Value { place, value } => {
                let value = look.value(state, value)?;
                look.store(state, place, value)?;
            }
            Initializer::Channel { place, channel_type } => {
                if state.channels.len() >= MOST_RECORDS {
                    return Err(Fault::TooManyChannels);
                }
                let number = state.append_channel(look.layout, *channel_type);
                look.store(state, place, number)?;
            }
        }
    }
    Ok(())
}

/// Setting the priority of a process that does not exist does nothing.
fn set_priority(
    look: &Look<'_>,
    state: &mut Configuration,
    process: &Expr,
    priority: &Expr,
) -> Result<(), Fault> {
    let process = look.value(state, process)?;
    let priority = look.value(state, priority)?;
    let Some(record) = state.process(process) else { return Ok(()) };
    match u8::try_from(priority) {
        Ok(priority) if priority > 0 => {
            state.set_priority(look.layout, record, priority);
            Ok(())
        }
        _ => Err(Fault::PriorityOutOfRange { priority }),
    }
}

fn print(
    look: &Look<'_>,
    state: &Configuration,
    parts: &[PrintPart],
    output: &mut String,
) -> Result<(), Fault> {
    for part in parts {
        match part {
            PrintPart::Text(text) => output.push_str(text),
            PrintPart::Value(value, form) => {
                let value = look.value(state, value)?;
                output.push_str(&format_value(look.model, value, *form));
            }
        }
    }
    Ok(())
}

fn format_value(model: &Model, value: i64, form: PrintForm) -> String {
    match form {
        PrintForm::Decimal => value.to_string(),
        PrintForm::Unsigned => (value as u32).to_string(),
        PrintForm::Hexadecimal => format!("{:x}", value as u32),
        PrintForm::Octal => format!("{:o}", value as u32),
        PrintForm::Truth => (value != 0).to_string(),
        PrintForm::Character => char::from(value as u8).to_string(),
        PrintForm::Name(enumeration) => {
            let name = model.enumerations.get(enumeration.index()).and_then(|names| names.name_of(value));
            name.map_or_else(|| value.to_string(), str::to_owned)
        }
    }
}
