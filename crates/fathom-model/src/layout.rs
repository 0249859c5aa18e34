//! How a state of a model is laid out in bytes.
//!
//! ```text
//! state   = globals [last] record*
//! globals = the bytes of Model::globals
//! last    = u16, only when the model uses it
//! record  = process | channel            in order of creation
//! process = tag location [priority] locals
//! channel = tag length message{capacity}  unused messages are zero; a hand-shake channel is its tag alone
//! ```
//!
//! The tag says which template or channel type a record is of: template `t` has tag `t`, channel type `c`
//! has tag `number of templates + c`. Tags take one byte when all fit and two otherwise; so do locations,
//! per template, and lengths, per channel type. Numbers are little endian. Processes are numbered from 0
//! and channels from 1, in order of their records. A state has no header: it ends where its bytes end.
//!
//! Because processes end in the reverse order of creation, and take the channels above them along, a state
//! grows and shrinks at its end only, like a stack.
//!
//! **Invariant:** the layout is canonical. Two states are the same exactly when their bytes are.

use crate::{ChannelTypeId, Model, TemplateId};

/// Bytes of a number that must hold values up to `largest`.
fn width(largest: usize) -> u32 {
    match largest {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        _ => 4,
    }
}

/// Reads an unsigned number of 1, 2 or 4 bytes.
pub fn read_number(bytes: &[u8], width: u32) -> u32 {
    match width {
        1 => u32::from(bytes[0]),
        2 => u32::from(u16::from_le_bytes([bytes[0], bytes[1]])),
        _ => u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
    }
}

/// Writes an unsigned number of 1, 2 or 4 bytes.
pub fn write_number(bytes: &mut [u8], width: u32, value: u32) {
    match width {
        1 => bytes[0] = value as u8,
        2 => bytes[..2].copy_from_slice(&(value as u16).to_le_bytes()),
        _ => bytes[..4].copy_from_slice(&value.to_le_bytes()),
    }
}

/// Layout of the records of one template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProcessLayout {
    /// Offset of the location in the record.
    pub location: u32,
    /// Bytes of the location.
    pub location_width: u32,
    /// Offset of the priority byte, when there is one.
    pub priority: Option<u32>,
    /// Offset of the locals.
    pub locals: u32,
    /// Bytes of the record.
    pub size: u32,
}

/// Layout of the records of one channel type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChannelLayout {
    /// Offset of the length in the record.
    pub length: u32,
    /// Bytes of the length; 0 for a hand-shake channel.
    pub length_width: u32,
    /// Offset of the first message.
    pub messages: u32,
    /// Bytes of a message.
    pub message_size: u32,
    /// Bytes of the record.
    pub size: u32,
}

/// The layout of the states of one model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Bytes of a tag.
    pub tag_width: u32,
    /// Offset of the last process, when it is part of the state.
    pub last: Option<u32>,
    /// Offset of the first record.
    pub records: u32,
    /// By template.
    pub processes: Vec<ProcessLayout>,
    /// By channel type.
    pub channels: Vec<ChannelLayout>,
}

/// What a record is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordKind {
    /// A process of this template.
    Process(TemplateId),
    /// A channel of this type.
    Channel(ChannelTypeId),
}

impl Layout {
    /// Lays out the states of a model.
    pub fn new(model: &Model) -> Layout {
        let tag_width = width((model.templates.len() + model.channel_types.len()).saturating_sub(1));
        let last = model.uses_last.then_some(model.globals.size);
        let process = |template: &crate::Template| {
            let location_width = width(template.locations.len().saturating_sub(1));
            let after_location = tag_width + location_width;
            let priority = model.uses_priorities.then_some(after_location);
            let locals = after_location + u32::from(model.uses_priorities);
            let size = locals + template.locals.size;
            ProcessLayout { location: tag_width, location_width, priority, locals, size }
        };
        let channel = |ty: &crate::ChannelType| {
            let length_width = if ty.is_rendezvous() { 0 } else { width(ty.capacity as usize) };
            let messages = tag_width + length_width;
            let message_size = ty.message_size();
            ChannelLayout {
                length: tag_width,
                length_width,
                messages,
                message_size,
                size: messages + message_size * ty.capacity,
            }
        };
        Layout {
            tag_width,
            last,
            records: model.globals.size + if model.uses_last { 2 } else { 0 },
            processes: model.templates.iter().map(process).collect(),
            channels: model.channel_types.iter().map(channel).collect(),
        }
    }

    /// What the record at the start of these bytes is.
    pub fn record_kind(&self, record: &[u8]) -> RecordKind {
        let tag = read_number(record, self.tag_width) as usize;
        match tag.checked_sub(self.processes.len()) {
            None => RecordKind::Process(TemplateId::from(tag)),
            Some(channel) => RecordKind::Channel(ChannelTypeId::from(channel)),
        }
    }

    /// The tag of a record.
    pub fn tag(&self, kind: RecordKind) -> u32 {
        match kind {
            RecordKind::Process(template) => template.0,
            RecordKind::Channel(channel_type) => self.processes.len() as u32 + channel_type.0,
        }
    }

    /// Bytes of a record.
    pub fn record_size(&self, kind: RecordKind) -> u32 {
        match kind {
            RecordKind::Process(template) => self.processes[template.index()].size,
            RecordKind::Channel(channel_type) => self.channels[channel_type.index()].size,
        }
    }
}
