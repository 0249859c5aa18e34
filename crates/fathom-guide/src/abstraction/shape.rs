//! The places of a state where something is kept: cells.
//!
//! Records of processes and channels are added and removed at the end of a state only, so as long as they are always
//! created in the same order every variable, location and message has one address in all states. A [`Shape`] is the
//! longest sequence of records that was seen in the first states of a model, and the list of cells in it. A model that
//! creates its records in another order later on has no shape, and no abstraction.

use std::collections::HashSet;

use fathom_model::layout::{Layout, RecordKind, read_number};
use fathom_model::{Interpreter, Model, NoRegion, ScalarType, Steps, System, TemplateId, Type, Variable};

/// States that are looked at to find the sequence of records.
const STATES_LOOKED_AT: usize = 2000;

/// A process or a channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub kind: RecordKind,
    pub offset: u32,
}

/// What a cell holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Content {
    /// A variable, or a field of a message.
    Scalar(ScalarType),
    /// Where a process is, in so many bytes.
    Location(TemplateId, u32),
    /// The number of messages in a channel, in so many bytes.
    Length(u32),
}

/// A place in the state.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub address: u32,
    pub content: Content,
    /// The record that it belongs to; none for a global variable.
    pub record: Option<usize>,
    /// Cells with the same number always have the same set of values: the slots of a channel.
    pub family: u32,
    /// For people, and for files.
    pub name: String,
}

impl Cell {
    /// The template whose location it is.
    pub fn content_template(&self) -> Option<TemplateId> {
        match self.content {
            Content::Location(template, _) => Some(template),
            _ => None,
        }
    }
}

/// The cells of a model.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub layout: Layout,
    pub records: Vec<Record>,
    /// Indices of records, by number of process.
    pub processes: Vec<usize>,
    /// Indices of records, by number of channel less one.
    pub channels: Vec<usize>,
    pub cells: Vec<Cell>,
    /// By address: the number of the cell there.
    by_address: Vec<u32>,
    /// By number of process: the cell of its location.
    pub locations: Vec<u32>,
    /// By number of channel less one: the first cell, its length. Fields of messages follow.
    pub channel_cells: Vec<u32>,
    pub n_families: usize,
}

const NO_CELL: u32 = u32::MAX;

impl Shape {
    /// The shape of the states of a model; none when records are created in different orders.
    pub fn new(model: &Model) -> Option<Shape> {
        let layout = Layout::new(model);
        let records = longest_records(model, &layout)?;
        let mut shape = Shape {
            layout,
            processes: Vec::new(),
            channels: Vec::new(),
            cells: Vec::new(),
            by_address: Vec::new(),
            locations: Vec::new(),
            channel_cells: Vec::new(),
            n_families: 0,
            records,
        };
        for variable in &model.globals.variables {
            shape.add_variable(model, variable, 0, None, "");
        }
        for index in 0..shape.records.len() {
            shape.add_record(model, index);
        }
        let size = shape.cells.iter().map(|cell| cell.address as usize + 1).max().unwrap_or(0);
        shape.by_address = vec![NO_CELL; size];
        for (number, cell) in shape.cells.iter().enumerate() {
            shape.by_address[cell.address as usize] = number as u32;
        }
        Some(shape)
    }

    fn add_record(&mut self, model: &Model, index: usize) {
        let Record { kind, offset } = self.records[index];
        match kind {
            RecordKind::Process(template) => {
                let number = self.processes.len();
                self.processes.push(index);
                let layout = self.layout.processes[template.index()];
                let name = format!("{}[{number}]", model.template(template).name);
                self.locations.push(self.cells.len() as u32);
                let content = Content::Location(template, layout.location_width);
                self.add(offset + layout.location, content, Some(index), name.clone());
                for variable in &model.template(template).locals.variables {
                    self.add_variable(model, variable, offset + layout.locals, Some(index), &name);
                }
            }
            RecordKind::Channel(channel_type) => {
                self.channels.push(index);
                self.channel_cells.push(self.cells.len() as u32);
                let layout = self.layout.channels[channel_type.index()];
                let ty = model.channel_type(channel_type);
                let name = format!("channel {}", self.channels.len());
                if ty.is_rendezvous() {
                    return;
                }
                self.add(
                    offset + layout.length,
                    Content::Length(layout.length_width),
                    Some(index),
                    name.clone(),
                );
                let family = self.n_families as u32;
                self.n_families += ty.fields.len();
                for slot in 0..ty.capacity {
                    let mut address = offset + layout.messages + slot * layout.message_size;
                    for (field, &scalar) in ty.fields.iter().enumerate() {
                        let name = format!("{name}, message {slot}, field {field}");
                        let content = Content::Scalar(scalar);
                        let family = family + field as u32;
                        self.cells.push(Cell { address, content, record: Some(index), family, name });
                        address += scalar.size();
                    }
                }
            }
        }
    }

    fn add(&mut self, address: u32, content: Content, record: Option<usize>, name: String) {
        let family = self.n_families as u32;
        self.n_families += 1;
        self.cells.push(Cell { address, content, record, family, name });
    }

    fn add_variable(
        &mut self,
        model: &Model,
        variable: &Variable,
        base: u32,
        record: Option<usize>,
        owner: &str,
    ) {
        let name = match owner {
            "" => variable.name.clone(),
            owner => format!("{owner}:{}", variable.name),
        };
        self.add_type(model, &variable.ty, base + variable.offset, record, name);
    }

    fn add_type(&mut self, model: &Model, ty: &Type, address: u32, record: Option<usize>, name: String) {
        match ty {
            Type::Scalar(scalar) => self.add(address, Content::Scalar(*scalar), record, name),
            Type::Array { element, length, first } => {
                let size = element.size(model);
                for index in 0..*length {
                    self.add_type(
                        model,
                        element,
                        address + index * size,
                        record,
                        format!("{name}[{}]", first + i64::from(index)),
                    );
                }
            }
            Type::Record(id) => {
                for field in &model.records[id.index()].fields {
                    let name = format!("{name}.{}", field.name);
                    self.add_type(model, &field.ty, address + field.offset, record, name);
                }
            }
        }
    }

    /// The cell at an address.
    pub fn cell_at(&self, address: u32) -> Option<usize> {
        let cell = *self.by_address.get(address as usize)?;
        (cell != NO_CELL).then_some(cell as usize)
    }

    /// Number of records in a state; none when they are not those of this shape.
    pub fn n_records(&self, state: &[u8]) -> Option<usize> {
        let mut offset = self.layout.records as usize;
        let mut n_records = 0;
        while offset < state.len() {
            let record = self.records.get(n_records)?;
            if self.layout.record_kind(&state[offset..]) != record.kind {
                return None;
            }
            offset += self.layout.record_size(record.kind) as usize;
            n_records += 1;
        }
        Some(n_records)
    }

    /// What a state holds in a cell, which must exist in it.
    pub fn read(&self, cell: usize, state: &[u8]) -> i64 {
        let Cell { address, content, .. } = &self.cells[cell];
        let bytes = &state[*address as usize..];
        match content {
            Content::Scalar(ty) => i64::from(ty.read(bytes) as i32),
            Content::Location(_, width) | Content::Length(width) => i64::from(read_number(bytes, *width)),
        }
    }

    /// The process of a template that a record belongs to: number and template.
    pub fn process(&self, number: usize, n_records: usize) -> Option<TemplateId> {
        let record = *self.processes.get(number)?;
        match self.records[record].kind {
            RecordKind::Process(template) if record < n_records => Some(template),
            _ => None,
        }
    }

    /// Number of processes among so many records.
    pub fn n_processes(&self, n_records: usize) -> usize {
        self.processes.partition_point(|&record| record < n_records)
    }

    /// Number of channels among so many records.
    pub fn n_channels(&self, n_records: usize) -> usize {
        self.channels.partition_point(|&record| record < n_records)
    }
}

/// The longest sequence of records in the first states, of which all others are beginnings.
fn longest_records(model: &Model, layout: &Layout) -> Option<Vec<Record>> {
    let interpreter = Interpreter::new(model, &[]);
    let (mut scratch, mut steps) = (interpreter.scratch(), Steps::new());
    interpreter.initial(&mut scratch, &mut steps);
    let mut seen: HashSet<Vec<u8>> = HashSet::new();
    let mut waiting: Vec<Vec<u8>> = Vec::new();
    let mut longest: Vec<Record> = Vec::new();
    let mut next = 0;
    loop {
        for index in 0..steps.len() {
            let state = steps.state(index);
            let records = records_of(layout, state);
            let common = records.iter().zip(&longest).all(|(one, other)| one.kind == other.kind);
            if !common {
                return None;
            }
            if records.len() > longest.len() {
                longest = records;
            }
            if seen.len() < STATES_LOOKED_AT && seen.insert(state.to_vec()) {
                waiting.push(state.to_vec());
            }
        }
        let Some(state) = waiting.get(next) else { return Some(longest) };
        steps.clear();
        interpreter.successors(state, &NoRegion, &mut scratch, &mut steps);
        next += 1;
    }
}

fn records_of(layout: &Layout, state: &[u8]) -> Vec<Record> {
    let mut records = Vec::new();
    let mut offset = layout.records;
    while (offset as usize) < state.len() {
        let kind = layout.record_kind(&state[offset as usize..]);
        records.push(Record { kind, offset });
        offset += layout.record_size(kind);
    }
    records
}
