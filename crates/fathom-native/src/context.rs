//! What generated code sees of the world besides the state, and the helpers it calls.
//!
//! Generated code gets four arguments: the state, the first byte of the record of the process that moves, the
//! number of that process, and a [`Context`]. It reads the context at fixed offsets, so the type has the layout
//! of C and the offsets are taken from it when code is made.
//!
//! Helpers do what is rare or long: they make records, search for processes, insert in order.

use std::mem::offset_of;

use fathom_model::layout::{RecordKind, read_number, write_number};
use fathom_model::{ChannelTypeId, TemplateId};

use crate::directory::{ChannelEntry, Directory, ProcessEntry};
use crate::facts::Facts;

/// A function made by the code generator.
///
/// What the result means depends on what the function is for: see [`result`].
pub(crate) type Code = unsafe extern "C" fn(*mut u8, u64, u64, *mut Context<'_>) -> u64;

/// Results of generated functions.
pub(crate) mod result {
    /// The interpreter must answer: something went wrong that only it can tell exactly, or it was asked for
    /// something that is not compiled. The highest bit of every result.
    pub const ASK: u64 = 1 << 63;
    /// Of an expansion: the driver must do it.
    pub const SPECIAL: u64 = 1 << 62;
    /// Of an expansion: some state has a result that is not 0; all results are in the context.
    pub const HAS_RESULTS: u64 = 1 << 32;
    /// Of a guard: not executable.
    pub const BLOCKED: u64 = 0;
    /// Of a guard: executable.
    pub const READY: u64 = 1;
    /// Of a guard: executable together with a receiver; channel and message are in the context.
    pub const OFFER: u64 = 2;
    /// Of an effect: the last edge taken has the atomic mark.
    pub const ATOMIC: u64 = 1;
    /// Of an effect: the process has ended itself; its record is still there.
    pub const ENDED: u64 = 2;
    /// Of an effect: a requirement was false, the state is to be thrown away.
    pub const REFUSED: u64 = 4;
    /// Of an effect: an assertion failed in the first edge.
    pub const FIRST_FAILED: u64 = 8;
    /// Of an effect: from this bit on, the number of edges with a failed assertion.
    pub const FAILED_SHIFT: u32 = 8;
    /// Of an effect: from this bit on, the number of in-between states at which code went on by itself.
    pub const IN_BETWEEN_SHIFT: u32 = 40;

    /// The number of edges with a failed assertion in the result of an effect.
    pub fn n_failed(result: u64) -> u64 {
        result >> FAILED_SHIFT & ((1 << (IN_BETWEEN_SHIFT - FAILED_SHIFT)) - 1)
    }
}

/// See the module header.
#[repr(C)]
pub(crate) struct Context<'m> {
    /// Processes of the state, by number.
    pub processes: *const ProcessEntry,
    pub n_processes: u64,
    /// Channels of the state, by number less one.
    pub channels: *const ChannelEntry,
    pub n_channels: u64,
    /// Whether nothing can move otherwise: 0 or 1.
    pub timeout: u64,
    /// Bytes of the state.
    pub length: u64,
    /// Where an expansion puts the states it reaches, one after the other: room for one for each edge.
    pub fresh: *mut u8,
    /// The result of the effect that led to each of them: room for one for each edge.
    pub results: *mut u64,
    /// The message under way, or one to be inserted: room for every message of the model.
    pub message: *mut i32,
    /// The channel of the message under way, counted from 0.
    pub message_channel: u64,
    /// The state, when it may grow while code runs.
    pub state: *mut u8,
    /// First byte of the record made last.
    pub new_record: u64,
    /// The state that grows, when it may.
    pub growing: *mut Growing,
    /// The answer of a function whose result has no room for it.
    pub answer: u64,
    pub facts: *const Facts<'m>,
}

/// Offsets of the fields of a [`Context`].
pub(crate) mod field {
    use super::{Context, offset_of};
    pub const PROCESSES: i32 = offset_of!(Context<'_>, processes) as i32;
    pub const N_PROCESSES: i32 = offset_of!(Context<'_>, n_processes) as i32;
    pub const CHANNELS: i32 = offset_of!(Context<'_>, channels) as i32;
    pub const N_CHANNELS: i32 = offset_of!(Context<'_>, n_channels) as i32;
    pub const TIMEOUT: i32 = offset_of!(Context<'_>, timeout) as i32;
    pub const LENGTH: i32 = offset_of!(Context<'_>, length) as i32;
    pub const FRESH: i32 = offset_of!(Context<'_>, fresh) as i32;
    pub const RESULTS: i32 = offset_of!(Context<'_>, results) as i32;
    pub const MESSAGE: i32 = offset_of!(Context<'_>, message) as i32;
    pub const MESSAGE_CHANNEL: i32 = offset_of!(Context<'_>, message_channel) as i32;
    pub const STATE: i32 = offset_of!(Context<'_>, state) as i32;
    pub const NEW_RECORD: i32 = offset_of!(Context<'_>, new_record) as i32;
    pub const ANSWER: i32 = offset_of!(Context<'_>, answer) as i32;
}

/// A state that grows and shrinks, with its directory.
#[derive(Clone, Default, Debug)]
pub(crate) struct Growing {
    pub bytes: Vec<u8>,
    pub directory: Directory,
}

impl Context<'_> {
    /// Looks at a state with this directory from now on.
    pub fn look_at(&mut self, directory: &Directory) {
        self.processes = directory.processes.as_ptr();
        self.n_processes = directory.processes.len() as u64;
        self.channels = directory.channels.as_ptr();
        self.n_channels = directory.channels.len() as u64;
    }
}

/// Most processes or channels of one state: their numbers are stored in 16 bits.
const MOST_RECORDS: usize = 0xffff;

/// The helpers, by name.
pub(crate) fn helpers() -> [(&'static str, *const u8); 9] {
    [
        ("append_process", append_process as *const u8),
        ("append_channel", append_channel as *const u8),
        ("first_of", first_of as *const u8),
        ("location_of", location_of as *const u8),
        ("some_progress", some_progress as *const u8),
        ("some_accepting", some_accepting as *const u8),
        ("insert_sorted", insert_sorted as *const u8),
        ("remove_message", remove_message as *const u8),
        ("copy_state", copy_state as *const u8),
    ]
}

/// Copies a state to where an expansion puts it.
#[allow(unsafe_code)]
unsafe extern "C" fn copy_state(world: *mut Context<'_>, from: *const u8, to: *mut u8) {
    // SAFETY: called by generated code with its own context, the state, and a place among the fresh states,
    // which the driver has made room for; the two do not overlap.
    unsafe { std::ptr::copy_nonoverlapping(from, to, (*world).length as usize) };
}

/// Takes the context of a call of a helper apart.
///
/// # Safety
///
/// The pointer is the context that the driver passed to the generated code which called the helper.
#[allow(unsafe_code)]
unsafe fn context<'c, 'm>(context: *mut Context<'m>) -> (&'c mut Context<'m>, &'c Facts<'m>) {
    // SAFETY: the driver keeps context and facts alive while generated code runs, and has no reference to
    // the context meanwhile.
    unsafe { (&mut *context, &*(*context).facts) }
}

/// Appends a record; gives its first byte.
///
/// # Safety
///
/// As for [`context`]; the code that called the helper was made as growing code.
#[allow(unsafe_code)]
unsafe fn append_record(context: &mut Context<'_>, facts: &Facts<'_>, kind: RecordKind) -> usize {
    let layout = &facts.layout;
    // SAFETY: the driver gives growing code a state to grow, and has no reference to it while code runs.
    let growing = unsafe { &mut *context.growing };
    let offset = growing.bytes.len();
    growing.bytes.resize(offset + layout.record_size(kind) as usize, 0);
    write_number(&mut growing.bytes[offset..], layout.tag_width, layout.tag(kind));
    match kind {
        RecordKind::Process(template) => {
            growing.directory.processes.push(ProcessEntry { offset: offset as u32, template: template.0 });
            let process = &layout.processes[template.index()];
            let initial = facts.model.template(template).initial.0;
            write_number(
                &mut growing.bytes[offset + process.location as usize..],
                process.location_width,
                initial,
            );
        }
        RecordKind::Channel(channel_type) => {
            let class = facts.class_of_type[channel_type.index()] as u32;
            growing.directory.channels.push(ChannelEntry { offset: offset as u32, class });
        }
    }
    growing.directory.set_length(growing.bytes.len());
    context.look_at(&growing.directory);
    context.state = growing.bytes.as_mut_ptr();
    context.new_record = offset as u64;
    offset
}

/// Appends the record of a process; gives its number, or -1 when there are too many.
#[allow(unsafe_code)]
unsafe extern "C" fn append_process(world: *mut Context<'_>, template: u64) -> i64 {
    // SAFETY: called by growing code with its own context.
    unsafe {
        let (context, facts) = context(world);
        if context.n_processes as usize >= MOST_RECORDS {
            return -1;
        }
        append_record(context, facts, RecordKind::Process(TemplateId(template as u32)));
        context.n_processes as i64 - 1
    }
}

/// Appends the record of a channel; gives its number, or -1 when there are too many.
#[allow(unsafe_code)]
unsafe extern "C" fn append_channel(world: *mut Context<'_>, channel_type: u64) -> i64 {
    // SAFETY: called by growing code with its own context.
    unsafe {
        let (context, facts) = context(world);
        if context.n_channels as usize >= MOST_RECORDS {
            return -1;
        }
        append_record(context, facts, RecordKind::Channel(ChannelTypeId(channel_type as u32)));
        context.n_channels as i64
    }
}

/// The number of the first process of a template; -1 when there is none.
#[allow(unsafe_code)]
unsafe extern "C" fn first_of(world: *mut Context<'_>, template: u64) -> i64 {
    // SAFETY: called by generated code with its own context, whose directory the driver keeps alive.
    let processes = unsafe { processes_of(world) };
    let found = processes.iter().position(|process| u64::from(process.template) == template);
    found.map_or(-1, |number| number as i64)
}

/// The processes of the state that generated code looks at.
///
/// # Safety
///
/// As for [`context`].
#[allow(unsafe_code)]
unsafe fn processes_of<'c>(world: *mut Context<'_>) -> &'c [ProcessEntry] {
    // SAFETY: pointer and length describe a vector that the driver keeps alive while generated code runs.
    unsafe { std::slice::from_raw_parts((*world).processes, (*world).n_processes as usize) }
}

/// The location of a process in the state.
///
/// # Safety
///
/// The state is the one that the directory of the context describes.
#[allow(unsafe_code)]
unsafe fn read_location(facts: &Facts<'_>, state: *const u8, process: ProcessEntry) -> u32 {
    let layout = &facts.layout.processes[process.template as usize];
    let at = process.offset as usize + layout.location as usize;
    // SAFETY: a record in the directory lies inside the state.
    let bytes = unsafe { std::slice::from_raw_parts(state.add(at), layout.location_width as usize) };
    read_number(bytes, layout.location_width)
}

/// The location of the process with a number; 0 when there is none.
#[allow(unsafe_code)]
unsafe extern "C" fn location_of(world: *mut Context<'_>, state: *const u8, number: i64) -> i64 {
    // SAFETY: called by generated code with its own context and state.
    unsafe {
        let found = usize::try_from(number).ok().and_then(|number| processes_of(world).get(number));
        let (_, facts) = context(world);
        found.map_or(0, |&process| i64::from(read_location(facts, state, process)))
    }
}

/// Whether some process is at a location marked as progress.
#[allow(unsafe_code)]
unsafe extern "C" fn some_progress(world: *mut Context<'_>, state: *const u8) -> i64 {
    // SAFETY: called by generated code with its own context and state.
    unsafe {
        let (_, facts) = context(world);
        let is_progress = |&process: &ProcessEntry| {
            let template = &facts.model.templates[process.template as usize];
            template.locations[read_location(facts, state, process) as usize].progress
        };
        i64::from(processes_of(world).iter().any(is_progress))
    }
}

/// Whether some process is at a location marked as accepting.
#[allow(unsafe_code)]
unsafe extern "C" fn some_accepting(world: *mut Context<'_>, state: *const u8) -> i64 {
    // SAFETY: called by generated code with its own context and state.
    unsafe {
        let (_, facts) = context(world);
        let is_accepting = |&process: &ProcessEntry| {
            let template = &facts.model.templates[process.template as usize];
            template.locations[read_location(facts, state, process) as usize].accept
        };
        i64::from(processes_of(world).iter().any(is_accepting))
    }
}

/// Inserts the message of the context into a channel that has room, before the first message that is greater.
#[allow(unsafe_code)]
unsafe extern "C" fn insert_sorted(world: *mut Context<'_>, record: *mut u8, class: u64) {
    // SAFETY: called by generated code with its own context; the record is one of a channel of this class in
    // its state, has room, and the context holds as many values as the channel has fields.
    let (facts, record, values) = unsafe {
        let (context, facts) = context(world);
        let class = &facts.classes[class as usize];
        let values = std::slice::from_raw_parts(context.message, class.fields.len());
        (facts, std::slice::from_raw_parts_mut(record, class.layout.size as usize), values)
    };
    let class = &facts.classes[class as usize];
    let layout = class.layout;
    let size = layout.message_size as usize;
    let start = layout.messages as usize;
    let length = read_number(&record[layout.length as usize..], layout.length_width);
    let is_greater = |slot: &usize| {
        let mut at = start + slot * size;
        for (value, field) in values.iter().zip(&class.fields) {
            let stored = field.read(&record[at..]) as i32;
            if *value != stored {
                return stored > *value;
            }
            at += field.size() as usize;
        }
        false
    };
    let slot = (0..length as usize).find(is_greater).unwrap_or(length as usize);
    let mut at = start + slot * size;
    record.copy_within(at..start + length as usize * size, at + size);
    for (value, field) in values.iter().zip(&class.fields) {
        field.write(&mut record[at..], i64::from(*value));
        at += field.size() as usize;
    }
    write_number(&mut record[layout.length as usize..], layout.length_width, length + 1);
}

/// Takes a message out of a channel that has it; those behind it move up.
#[allow(unsafe_code)]
unsafe extern "C" fn remove_message(world: *mut Context<'_>, record: *mut u8, class: u64, slot: u64) {
    // SAFETY: called by generated code with its own context; the record is one of a channel of this class in
    // its state.
    let (layout, record) = unsafe {
        let (_, facts) = context(world);
        let layout = facts.classes[class as usize].layout;
        (layout, std::slice::from_raw_parts_mut(record, layout.size as usize))
    };
    let size = layout.message_size as usize;
    let length = read_number(&record[layout.length as usize..], layout.length_width);
    let from = layout.messages as usize + slot as usize * size;
    let end = layout.messages as usize + length as usize * size;
    record.copy_within(from + size..end, from);
    record[end - size..end].fill(0);
    write_number(&mut record[layout.length as usize..], layout.length_width, length - 1);
}
