//! What channels do: questions, sends, matching and receiving of messages.
//!
//! A buffered channel keeps its messages from the front in slots of equal size; slots past the length are
//! zero, so that equal contents have equal bytes. A hand-shake channel holds nothing; a message passes from
//! edge to edge as a list of values (see [`step`](super::step)).

use super::eval::Look;
use super::frames::{ChannelRecord, Configuration};
use crate::layout::{ChannelLayout, Layout, read_number, write_number};
use crate::{ChannelQuery, ChannelType, Fault, Pattern, Which};

/// Number of messages in a channel.
pub(crate) fn length(layout: &Layout, state: &Configuration, record: ChannelRecord) -> u32 {
    let channel = &layout.channels[record.channel_type.index()];
    match channel.length_width {
        0 => 0,
        width => read_number(&state.bytes[(record.offset + channel.length) as usize..], width),
    }
}

/// Answers a question about the channel with an index.
///
/// A hand-shake channel holds nothing between two steps, and so it is empty, and not full either.
pub(crate) fn query(look: &Look<'_>, state: &Configuration, channel: usize, query: ChannelQuery) -> i64 {
    let record = state.channels[channel];
    let capacity = look.model.channel_type(record.channel_type).capacity;
    let length = length(look.layout, state, record);
    let full = capacity > 0 && length == capacity;
    match query {
        ChannelQuery::Length => i64::from(length),
        ChannelQuery::Empty => i64::from(length == 0),
        ChannelQuery::NotEmpty => i64::from(length != 0),
        ChannelQuery::Full => i64::from(full),
        ChannelQuery::NotFull => i64::from(!full),
    }
}

/// Whether a buffered channel has a message that fits.
pub(crate) fn poll(
    look: &Look<'_>,
    state: &Configuration,
    channel: usize,
    patterns: &[Pattern],
    which: Which,
) -> Result<bool, Fault> {
    let record = state.channels[channel];
    if look.model.channel_type(record.channel_type).is_rendezvous() {
        return Err(Fault::PollOfRendezvous);
    }
    Ok(find_message(look, state, channel, patterns, which)?.is_some())
}

/// The slot of the message that is meant, if it fits.
///
/// Only the fields that there are patterns for are compared; a field that the message does not have counts
/// as 0. That the numbers agree is checked when a message is taken.
pub(crate) fn find_message(
    look: &Look<'_>,
    state: &Configuration,
    channel: usize,
    patterns: &[Pattern],
    which: Which,
) -> Result<Option<u32>, Fault> {
    let record = state.channels[channel];
    let length = length(look.layout, state, record);
    let ty = look.model.channel_type(record.channel_type);
    for slot in which.places(length) {
        if message_fits(look, state, record, ty, patterns, slot)? {
            return Ok(Some(slot));
        }
        if !which.passes(first_field(look.layout, state, record, ty, slot)) {
            break;
        }
    }
    Ok(None)
}

/// The first field of a message; 0 when messages have none.
fn first_field(
    layout: &Layout,
    state: &Configuration,
    record: ChannelRecord,
    ty: &ChannelType,
    slot: u32,
) -> i64 {
    let field = ty.fields.first();
    field.map_or(0, |&field| i64::from(state.read(slot_address(layout, record, slot), field) as i32))
}

fn message_fits(
    look: &Look<'_>,
    state: &Configuration,
    record: ChannelRecord,
    ty: &ChannelType,
    patterns: &[Pattern],
    slot: u32,
) -> Result<bool, Fault> {
    let mut address = slot_address(look.layout, record, slot);
    for (pattern, field) in patterns.iter().zip(&ty.fields) {
        if let Pattern::Match(expected) = pattern
            && look.value(state, expected)? != i64::from(state.read(address, *field) as i32)
        {
            return Ok(false);
        }
        address += field.size();
    }
    for pattern in patterns.iter().skip(ty.fields.len()) {
        if let Pattern::Match(expected) = pattern
            && look.value(state, expected)? != 0
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Puts a message with these values into a buffered channel that has room.
pub(crate) fn send(
    look: &Look<'_>,
    state: &mut Configuration,
    channel: usize,
    values: &[i64],
    sorted: bool,
) -> Result<(), Fault> {
    let record = state.channels[channel];
    let ty = look.model.channel_type(record.channel_type);
    check_field_count(ty, values.len())?;
    let layout = &look.layout.channels[record.channel_type.index()];
    let length = length(look.layout, state, record);
    debug_assert!(length < ty.capacity, "the channel has room");
    let slot = if sorted { sorted_slot(look.layout, state, record, ty, values, length) } else { length };
    let from = slot_address(look.layout, record, slot) as usize;
    let end = slot_address(look.layout, record, length) as usize;
    state.bytes.copy_within(from..end, from + layout.message_size as usize);
    let mut address = from as u32;
    for (value, field) in values.iter().zip(&ty.fields) {
        state.write(address, *field, *value);
        address += field.size();
    }
    set_length(layout, state, record, length + 1);
    Ok(())
}

/// Where a sorted send inserts: before the first message that is greater, and so after its equals.
///
/// The values are compared as they were computed, before they are truncated to the fields.
fn sorted_slot(
    layout: &Layout,
    state: &Configuration,
    record: ChannelRecord,
    ty: &ChannelType,
    values: &[i64],
    length: u32,
) -> u32 {
    let is_greater = |slot: &u32| {
        let mut address = slot_address(layout, record, *slot);
        for (value, field) in values.iter().zip(&ty.fields) {
            let stored = i64::from(state.read(address, *field) as i32);
            if *value != stored {
                return stored > *value;
            }
            address += field.size();
        }
        false
    };
    (0..length).find(is_greater).unwrap_or(length)
}

/// Copies the fields of a message out, left to right; binding patterns store them.
pub(crate) fn bind(
    look: &Look<'_>,
    state: &mut Configuration,
    channel: usize,
    patterns: &[Pattern],
    slot: u32,
) -> Result<(), Fault> {
    let record = state.channels[channel];
    let ty = look.model.channel_type(record.channel_type);
    check_field_count(ty, patterns.len())?;
    let mut address = slot_address(look.layout, record, slot);
    for (pattern, field) in patterns.iter().zip(&ty.fields) {
        if let Pattern::Bind(place) = pattern {
            let value = state.read(address, *field);
            look.store(state, place, value)?;
        }
        address += field.size();
    }
    Ok(())
}

/// Takes a message out; those behind it move up.
pub(crate) fn remove(layout: &Layout, state: &mut Configuration, channel: usize, slot: u32) {
    let record = state.channels[channel];
    let length = length(layout, state, record);
    let channel = &layout.channels[record.channel_type.index()];
    let size = channel.message_size as usize;
    let from = slot_address(layout, record, slot) as usize;
    let end = slot_address(layout, record, length) as usize;
    state.bytes.copy_within(from + size..end, from);
    state.bytes[end - size..end].fill(0);
    set_length(channel, state, record, length - 1);
}

/// The fields of the message in a slot.
pub(crate) fn message(
    layout: &Layout,
    state: &Configuration,
    record: ChannelRecord,
    ty: &ChannelType,
    slot: u32,
) -> Vec<i64> {
    let mut address = slot_address(layout, record, slot);
    let mut values = Vec::with_capacity(ty.fields.len());
    for field in &ty.fields {
        values.push(state.read(address, *field));
        address += field.size();
    }
    values
}

/// A message must have as many fields as its channel.
pub(crate) fn check_field_count(ty: &ChannelType, found: usize) -> Result<(), Fault> {
    match ty.fields.len() {
        expected if expected == found => Ok(()),
        expected => Err(Fault::FieldCount { expected, found }),
    }
}

fn slot_address(layout: &Layout, record: ChannelRecord, slot: u32) -> u32 {
    let channel = &layout.channels[record.channel_type.index()];
    record.offset + channel.messages + slot * channel.message_size
}

fn set_length(channel: &ChannelLayout, state: &mut Configuration, record: ChannelRecord, length: u32) {
    let at = (record.offset + channel.length) as usize;
    write_number(&mut state.bytes[at..], channel.length_width, length);
}
