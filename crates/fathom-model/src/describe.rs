//! A state with names: values, channel contents, and where the processes are.

use fathom_source::Span;

use crate::interpreter::{Configuration, channel_length, channel_message};
use crate::layout::Layout;
use crate::print::display_value;
use crate::{Frame, LocationId, Model, ScalarKind, ScalarType, TemplateId, Type, VariableRole};

/// Whose variable a value belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Owner {
    /// All processes share it.
    Global,
    /// A process.
    Process {
        /// Its number.
        number: u32,
        /// Its template.
        template: TemplateId,
    },
}

/// A scalar of a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedValue {
    /// Whose it is.
    pub owner: Owner,
    /// Its name with fields and indices, such as `flag[1]`.
    pub name: String,
    /// Its value; truth values and members of enumerations by name.
    pub value: String,
    /// Its value as a number.
    pub number: i64,
    /// What its variable is for.
    pub role: VariableRole,
    /// Its type.
    pub ty: ScalarType,
}

/// A channel of a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelContents {
    /// Its number, counted from 1.
    pub number: u32,
    /// The first variable that holds it, shared ones first; else `chan#` and its number.
    pub name: String,
    /// Every variable that holds it.
    pub holders: Vec<String>,
    /// Number of messages that fit.
    pub capacity: u32,
    /// The messages, front first, fields separated by commas.
    pub messages: Vec<String>,
}

/// A process of a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcessAt {
    /// Its number.
    pub number: u32,
    /// Its template.
    pub template: TemplateId,
    /// The name of its template.
    pub name: String,
    /// Where it is.
    pub location: LocationId,
    /// The labels there.
    pub labels: Vec<String>,
    /// Where that stands in the text.
    pub span: Option<Span>,
    /// Whether it may rest there.
    pub end: bool,
    /// Its priority.
    pub priority: u8,
}

/// A state with names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DescribedState {
    /// Globals, then locals by process.
    pub values: Vec<NamedValue>,
    /// Channels by number.
    pub channels: Vec<ChannelContents>,
    /// Processes by number.
    pub processes: Vec<ProcessAt>,
}

/// Names everything in a state.
pub fn describe_state(model: &Model, layout: &Layout, state: &[u8]) -> DescribedState {
    let mut configuration = Configuration::default();
    configuration.load(layout, state);
    let values = named_values(model, layout, &configuration);
    let channels = (0..configuration.channels.len())
        .map(|index| describe_channel(model, layout, &configuration, &values, index))
        .collect();
    let processes = (0..configuration.processes.len())
        .map(|number| describe_process(model, layout, &configuration, number))
        .collect();
    DescribedState { values, channels, processes }
}

/// The fields of a message, separated by commas.
pub(crate) fn message_text(model: &Model, fields: &[ScalarType], values: &[i64]) -> String {
    let values = fields.iter().zip(values).map(|(field, value)| display_value(model, *field, *value));
    values.collect::<Vec<_>>().join(",")
}

fn describe_process(model: &Model, layout: &Layout, state: &Configuration, number: usize) -> ProcessAt {
    let record = state.processes[number];
    let template = model.template(record.template);
    let id = state.location(layout, record);
    let location = template.location(id);
    ProcessAt {
        number: number as u32,
        template: record.template,
        name: template.name.clone(),
        location: id,
        labels: location.labels.clone(),
        span: location.span,
        end: location.end,
        priority: state.priority(layout, record),
    }
}

fn describe_channel(
    model: &Model,
    layout: &Layout,
    state: &Configuration,
    values: &[NamedValue],
    index: usize,
) -> ChannelContents {
    let record = state.channels[index];
    let ty = model.channel_type(record.channel_type);
    let number = index as u32 + 1;
    let holds =
        |value: &&NamedValue| value.ty.kind == ScalarKind::Channel && value.number == i64::from(number);
    let holders: Vec<String> =
        values.iter().filter(holds).map(|value| qualified_name(model, value)).collect();
    let messages = (0..channel_length(layout, state, record))
        .map(|slot| message_text(model, &ty.fields, &channel_message(layout, state, record, ty, slot)))
        .collect();
    let name = holders.first().cloned().unwrap_or_else(|| format!("chan#{number}"));
    ChannelContents { number, name, holders, capacity: ty.capacity, messages }
}

/// The name of a value with the process it belongs to: `P[1].x`.
fn qualified_name(model: &Model, value: &NamedValue) -> String {
    match value.owner {
        Owner::Global => value.name.clone(),
        Owner::Process { number, template } => {
            format!("{}[{number}].{}", model.template(template).name, value.name)
        }
    }
}

fn named_values(model: &Model, layout: &Layout, state: &Configuration) -> Vec<NamedValue> {
    let mut values = Vec::new();
    name_frame(model, state, Owner::Global, &model.globals, 0, &mut values);
    for (number, &record) in state.processes.iter().enumerate() {
        let owner = Owner::Process { number: number as u32, template: record.template };
        let frame = &model.template(record.template).locals;
        name_frame(model, state, owner, frame, state.locals(layout, record), &mut values);
    }
    values
}

fn name_frame(
    model: &Model,
    state: &Configuration,
    owner: Owner,
    frame: &Frame,
    address: u32,
    values: &mut Vec<NamedValue>,
) {
    for variable in &frame.variables {
        let mut push = |name: &str, address: u32, ty: ScalarType| {
            let number = state.read(address, ty);
            let value = display_value(model, ty, number);
            values.push(NamedValue { owner, name: name.to_owned(), value, number, role: variable.role, ty });
        };
        name_scalars(model, &variable.ty, variable.name.clone(), address + variable.offset, &mut push);
    }
}

/// Calls back for every scalar inside a variable.
fn name_scalars(
    model: &Model,
    ty: &Type,
    name: String,
    address: u32,
    push: &mut impl FnMut(&str, u32, ScalarType),
) {
    match ty {
        Type::Scalar(scalar) => push(&name, address, *scalar),
        Type::Array { element, length, first } => {
            let size = element.size(model);
            for index in 0..*length {
                name_scalars(
                    model,
                    element,
                    format!("{name}[{}]", first + i64::from(index)),
                    address + index * size,
                    push,
                );
            }
        }
        Type::Record(record) => {
            for field in &model.records[record.index()].fields {
                let name = format!("{name}.{}", field.name);
                name_scalars(model, &field.ty, name, address + field.offset, push);
            }
        }
    }
}
