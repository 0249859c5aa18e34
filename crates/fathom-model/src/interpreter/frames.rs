//! A state taken apart: its bytes, and where its processes and channels are.
//!
//! A state is a byte string without a header (see [`layout`](crate::layout)), so finding process 3 means
//! walking over the records before it. A [`Configuration`] walks once, when it is loaded, and keeps the
//! offsets; every read and write after that is direct. Records are added and removed at the end only, so
//! the offsets never move.

use crate::layout::{Layout, RecordKind, read_number, write_number};
use crate::{ChannelTypeId, LocationId, Model, ScalarType, TemplateId};

/// Most processes or channels of one state: their numbers are stored in 16 bits.
pub(crate) const MOST_RECORDS: usize = 0xffff;

/// Where a process is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessRecord {
    /// First byte of the record.
    pub offset: u32,
    /// Template.
    pub template: TemplateId,
}

/// Where a channel is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChannelRecord {
    /// First byte of the record.
    pub offset: u32,
    /// Type.
    pub channel_type: ChannelTypeId,
}

/// A state with its directory.
#[derive(Clone, Default, Debug)]
pub(crate) struct Configuration {
    /// The state.
    pub bytes: Vec<u8>,
    /// Its processes, by number.
    pub processes: Vec<ProcessRecord>,
    /// Its channels, by number less one.
    pub channels: Vec<ChannelRecord>,
    /// Temporaries of the effect under way; what is beyond the end is 0.
    pub temporaries: Vec<u8>,
}

impl Configuration {
    /// Takes a state apart.
    pub fn load(&mut self, layout: &Layout, state: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(state);
        self.processes.clear();
        self.channels.clear();
        let mut offset = layout.records;
        while (offset as usize) < state.len() {
            let kind = layout.record_kind(&state[offset as usize..]);
            match kind {
                RecordKind::Process(template) => self.processes.push(ProcessRecord { offset, template }),
                RecordKind::Channel(channel_type) => {
                    self.channels.push(ChannelRecord { offset, channel_type });
                }
            }
            offset += layout.record_size(kind);
        }
        debug_assert_eq!(offset as usize, state.len(), "a state ends with a whole record");
    }

    /// Starts over with zeroed globals and no record.
    pub fn reset(&mut self, layout: &Layout) {
        self.bytes.clear();
        self.bytes.resize(layout.records as usize, 0);
        self.processes.clear();
        self.channels.clear();
    }

    /// Becomes a copy, in the memory it has.
    pub fn copy_from(&mut self, other: &Configuration) {
        self.bytes.clear();
        self.bytes.extend_from_slice(&other.bytes);
        self.processes.clear();
        self.processes.extend_from_slice(&other.processes);
        self.channels.clear();
        self.channels.extend_from_slice(&other.channels);
    }

    /// The record of a process, if there is one of that number.
    pub fn process(&self, number: i64) -> Option<ProcessRecord> {
        usize::try_from(number).ok().and_then(|index| self.processes.get(index)).copied()
    }

    /// The number of the first process of a template.
    pub fn first_of(&self, template: TemplateId) -> Option<i64> {
        self.processes.iter().position(|process| process.template == template).map(|index| index as i64)
    }

    /// The location of a process.
    pub fn location(&self, layout: &Layout, record: ProcessRecord) -> LocationId {
        let process = &layout.processes[record.template.index()];
        let at = (record.offset + process.location) as usize;
        LocationId(read_number(&self.bytes[at..], process.location_width))
    }

    /// Moves a process to a location.
    pub fn set_location(&mut self, layout: &Layout, number: u32, location: LocationId) {
        let record = self.processes[number as usize];
        let process = &layout.processes[record.template.index()];
        let at = (record.offset + process.location) as usize;
        write_number(&mut self.bytes[at..], process.location_width, location.0);
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

    /// Appends the record of a process at its initial location, with zeroed locals; gives its number.
    pub fn append_process(
        &mut self,
        model: &Model,
        layout: &Layout,
        template: TemplateId,
        priority: u8,
    ) -> u32 {
        let offset = self.append_record(layout, RecordKind::Process(template));
        let number = self.processes.len() as u32;
        let record = ProcessRecord { offset, template };
        self.processes.push(record);
        self.set_location(layout, number, model.template(template).initial);
        self.set_priority(layout, record, priority);
        number
    }

    /// Appends the record of an empty channel; gives its number, counted from 1.
    pub fn append_channel(&mut self, layout: &Layout, channel_type: ChannelTypeId) -> i64 {
        let offset = self.append_record(layout, RecordKind::Channel(channel_type));
        self.channels.push(ChannelRecord { offset, channel_type });
        self.channels.len() as i64
    }

    /// Removes the youngest process and every channel younger than it.
    pub fn remove_youngest(&mut self) {
        let Some(record) = self.processes.pop() else { return };
        while self.channels.last().is_some_and(|channel| channel.offset > record.offset) {
            self.channels.pop();
        }
        self.bytes.truncate(record.offset as usize);
    }

    fn append_record(&mut self, layout: &Layout, kind: RecordKind) -> u32 {
        let offset = self.bytes.len();
        self.bytes.resize(offset + layout.record_size(kind) as usize, 0);
        write_number(&mut self.bytes[offset..], layout.tag_width, layout.tag(kind));
        offset as u32
    }

    /// Reads a temporary.
    pub fn read_temporary(&self, offset: u32, ty: ScalarType) -> i64 {
        let start = (offset as usize).min(self.temporaries.len());
        let end = (start + ty.size() as usize).min(self.temporaries.len());
        let mut bytes = [0; 4];
        bytes[..end - start].copy_from_slice(&self.temporaries[start..end]);
        ty.read(&bytes)
    }

    /// Stores a temporary, truncated.
    pub fn write_temporary(&mut self, offset: u32, ty: ScalarType, value: i64) {
        let end = offset as usize + ty.size() as usize;
        if self.temporaries.len() < end {
            self.temporaries.resize(end, 0);
        }
        ty.write(&mut self.temporaries[offset as usize..], value);
    }

    /// Reads a scalar.
    #[inline]
    pub fn read(&self, address: u32, ty: ScalarType) -> i64 {
        ty.read(&self.bytes[address as usize..])
    }

    /// Stores a scalar, truncated.
    #[inline]
    pub fn write(&mut self, address: u32, ty: ScalarType, value: i64) {
        ty.write(&mut self.bytes[address as usize..], value);
    }
}
