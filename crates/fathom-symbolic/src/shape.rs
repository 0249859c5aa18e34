//! The explicit part of a composite state, taken apart.
//!
//! It has the layout of a whole state, with zeros in the place of everything symbolic, so that whoever can read a state can
//! read it. A [`Shape`] knows where its processes and channels are and which of its bytes are symbolic.

use std::ops::Deref;
use std::sync::Arc;

use fathom_model::layout::{Layout, RecordKind, read_number, write_number};
use fathom_model::{ChannelTypeId, Model, TemplateId};

use crate::partition::{AllCells, Cells};

/// Most processes or channels of one state.
pub(crate) const MOST_RECORDS: usize = 0xffff;

/// Where a process is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ProcessRecord {
    pub offset: u32,
    pub template: TemplateId,
}

/// Where a channel is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ChannelRecord {
    pub offset: u32,
    pub channel_type: ChannelTypeId,
}

/// An explicit part with its directory.
#[derive(Clone, Default, Debug)]
pub(crate) struct Shape {
    pub bytes: Vec<u8>,
    directory: Arc<Directory>,
}

/// What there is in an explicit part, and where. Few steps change it: copies of a shape share it.
#[derive(Clone, Default, Debug)]
pub(crate) struct Directory {
    pub processes: Vec<ProcessRecord>,
    pub channels: Vec<ChannelRecord>,
    /// By byte.
    pub symbolic: Vec<bool>,
}

impl Deref for Shape {
    type Target = Directory;

    fn deref(&self) -> &Directory {
        &self.directory
    }
}

impl Shape {
    /// Takes an explicit part, or a whole state, apart.
    pub fn load(layout: &Layout, cells: &AllCells, state: &[u8]) -> Shape {
        let mut symbolic = Vec::with_capacity(state.len());
        symbolic.extend_from_slice(&cells.globals.symbolic);
        let mut directory = Directory { symbolic, ..Directory::default() };
        let mut offset = layout.records;
        while (offset as usize) < state.len() {
            let kind = layout.record_kind(&state[offset as usize..]);
            directory.note_record(cells, kind, offset);
            offset += layout.record_size(kind);
        }
        Shape { bytes: state.to_vec(), directory: Arc::new(directory) }
    }

    /// Zeroed globals and no record.
    pub fn empty(layout: &Layout, cells: &AllCells) -> Shape {
        let directory = Directory { symbolic: cells.globals.symbolic.clone(), ..Directory::default() };
        Shape { bytes: vec![0; layout.records as usize], directory: Arc::new(directory) }
    }

    /// The directory, shared.
    pub fn directory(&self) -> Arc<Directory> {
        self.directory.clone()
    }

    /// Appends a zeroed record with its tag; gives its offset.
    pub fn append_record(&mut self, layout: &Layout, cells: &AllCells, kind: RecordKind) -> u32 {
        let offset = self.bytes.len() as u32;
        self.bytes.resize((offset + layout.record_size(kind)) as usize, 0);
        write_number(&mut self.bytes[offset as usize..], layout.tag_width, layout.tag(kind));
        Arc::make_mut(&mut self.directory).note_record(cells, kind, offset);
        offset
    }

    /// Removes the youngest process and every channel younger than it.
    pub fn remove_youngest(&mut self) {
        let directory = Arc::make_mut(&mut self.directory);
        let Some(record) = directory.processes.pop() else { return };
        while directory.channels.last().is_some_and(|channel| channel.offset > record.offset) {
            directory.channels.pop();
        }
        self.bytes.truncate(record.offset as usize);
        directory.symbolic.truncate(record.offset as usize);
    }

    /// How many bits are symbolic.
    pub fn n_symbolic_bits(&self, cells: &AllCells) -> usize {
        let processes = self.processes.iter().map(|one| cells.processes[one.template.index()].bits.len());
        let channels = self.channels.iter().map(|one| cells.channels[one.channel_type.index()].bits.len());
        cells.globals.bits.len() + processes.sum::<usize>() + channels.sum::<usize>()
    }

    /// The numbers of all symbolic bits, in order.
    pub fn symbolic_bits(&self, cells: &AllCells) -> Vec<u32> {
        let mut bits = cells.globals.bits.clone();
        let processes =
            self.processes.iter().map(|record| (record.offset, &cells.processes[record.template.index()]));
        let channels =
            self.channels.iter().map(|record| (record.offset, &cells.channels[record.channel_type.index()]));
        for (offset, cells) in processes.chain(channels) {
            bits.extend(cells.bits.iter().map(|bit| bit + offset * 8));
        }
        bits.sort_unstable();
        bits
    }

    /// The record of a process, if there is one of that number.
    pub fn process(&self, number: i64) -> Option<ProcessRecord> {
        usize::try_from(number).ok().and_then(|index| self.processes.get(index)).copied()
    }

    /// The number of the first process of a template.
    pub fn first_of(&self, template: TemplateId) -> Option<i64> {
        self.processes.iter().position(|process| process.template == template).map(|index| index as i64)
    }

    /// The priority of a process; 1 when the model has no priorities.
    pub fn priority(&self, layout: &Layout, record: ProcessRecord) -> u8 {
        let process = &layout.processes[record.template.index()];
        process.priority.map_or(1, |offset| self.bytes[(record.offset + offset) as usize])
    }

    /// Sets the priority of a process, when the model has priorities.
    pub fn set_priority(&mut self, layout: &Layout, record: ProcessRecord, priority: u8) {
        if let Some(offset) = layout.processes[record.template.index()].priority {
            self.bytes[(record.offset + offset) as usize] = priority;
        }
    }

    /// First byte of the locals of a process.
    pub fn locals(&self, layout: &Layout, record: ProcessRecord) -> u32 {
        record.offset + layout.processes[record.template.index()].locals
    }

    /// Remembers who moved last, when the model asks for it.
    pub fn set_last(&mut self, layout: &Layout, number: u32) {
        if let Some(offset) = layout.last {
            write_number(&mut self.bytes[offset as usize..], 2, number);
        }
    }

    /// Who moved last.
    pub fn last(&self, layout: &Layout) -> i64 {
        layout.last.map_or(0, |offset| i64::from(read_number(&self.bytes[offset as usize..], 2)))
    }
}

impl Directory {
    fn note_record(&mut self, cells: &AllCells, kind: RecordKind, offset: u32) {
        match kind {
            RecordKind::Process(template) => self.processes.push(ProcessRecord { offset, template }),
            RecordKind::Channel(channel_type) => self.channels.push(ChannelRecord { offset, channel_type }),
        }
        self.symbolic.extend_from_slice(&cells_of(cells, kind).symbolic);
    }
}

/// The symbolic bits of records of a kind.
pub(crate) fn cells_of(cells: &AllCells, kind: RecordKind) -> &Cells {
    match kind {
        RecordKind::Process(template) => &cells.processes[template.index()],
        RecordKind::Channel(channel_type) => &cells.channels[channel_type.index()],
    }
}

/// Number of locations of a template.
pub(crate) fn n_locations(model: &Model, template: TemplateId) -> usize {
    model.template(template).locations.len()
}
