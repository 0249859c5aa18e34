//! Channels: finding their records, matching, sending and receiving.
//!
//! Code is made for each class of channels that an expression may mean; for a fixed channel that is one, at a
//! constant address. A receive from the front moves all slots up by one, used or not, because unused ones are
//! zero anyway: that is a handful of loads and stores without a loop.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{BlockArg, InstBuilder, Type, Value, types};
use fathom_model::{Expr, Pattern, Which};

use super::{Address, Emitter};
use crate::context::field;

/// Up to this many bytes a channel's messages are moved without a loop.
const SHORT_CHANNEL: u32 = 128;

/// The class of a channel.
#[derive(Clone, Copy)]
enum ClassOf {
    Known(usize),
    /// To be asked at run time, 64 bits.
    Found(Value),
}

/// A channel, found.
#[derive(Clone, Copy)]
pub(super) struct Channel {
    /// Its number less one, 64 bits.
    pub index: Value,
    record: Address,
    class: ClassOf,
}

impl Emitter<'_, '_> {
    /// Finds the channel that an expression means; gives up when there is none.
    pub(super) fn channel(&mut self, channel: &Expr) -> Channel {
        if let Expr::Load(place) = channel {
            if let Some(fixed) = self.facts.fixed_channel(place) {
                let base = self.state();
                let index = self.wide(u64::from(fixed.number - 1));
                let record = Address { base, offset: fixed.offset as i32 };
                return Channel { index, record, class: ClassOf::Known(fixed.class) };
            }
            if let Some(first) = self.facts.fixed_row(place) {
                let element = self.index(&place.indices[0].value, place.indices[0].length);
                let distance = self.scaled(element, self.facts.classes[first.class].layout.size);
                let state = self.state();
                let base = self.builder.ins().iadd(state, distance);
                let index = self.builder.ins().iadd_imm_s(element, i64::from(first.number - 1));
                let record = Address { base, offset: first.offset as i32 };
                return Channel { index, record, class: ClassOf::Known(first.class) };
            }
        }
        let number = self.value(channel);
        self.look_up(number)
    }

    /// Finds the channel with a number of 32 bits.
    fn look_up(&mut self, number: Value) -> Channel {
        let number = self.builder.ins().sextend(types::I64, number);
        let index = self.builder.ins().iadd_imm_s(number, -1);
        let count = self.context_field(field::N_CHANNELS);
        let exists = self.compare(IntCC::UnsignedLessThan, index, count);
        self.require(exists);
        let entries = self.context_field(field::CHANNELS);
        let distance = self.builder.ins().ishl_imm_s(index, 3);
        let entry = self.builder.ins().iadd(entries, distance);
        let offset = self.builder.ins().uload32(Self::own_memory(), entry, 0);
        let class = match self.facts.classes.len() {
            1 => ClassOf::Known(0),
            _ => ClassOf::Found(self.builder.ins().uload32(Self::own_memory(), entry, 4)),
        };
        let state = self.state();
        let base = self.builder.ins().iadd(state, offset);
        Channel { index, record: Address { base, offset: 0 }, class }
    }

    /// A value that depends on the class of a channel.
    pub(super) fn by_class(
        &mut self,
        channel: Channel,
        ty: Type,
        mut value: impl FnMut(&mut Self, Address, usize) -> Value,
    ) -> Value {
        let found = match channel.class {
            ClassOf::Known(class) => return value(self, channel.record, class),
            ClassOf::Found(found) => found,
        };
        let end = self.builder.create_block();
        let chosen = self.builder.append_block_param(end, ty);
        let n_classes = self.facts.classes.len();
        if n_classes == 0 {
            // A model without channels has found none.
            self.give_up();
            let nothing = self.builder.ins().iconst(ty, 0);
            self.builder.ins().jump(end, &[BlockArg::Value(nothing)]);
        }
        for class in 0..n_classes {
            let next = self.builder.create_block();
            if class + 1 < n_classes {
                let here = self.builder.create_block();
                let is_it = self.compare_constant(IntCC::Equal, found, class as i64);
                self.builder.ins().brif(is_it, here, &[], next, &[]);
                self.builder.switch_to_block(here);
            }
            let result = value(self, channel.record, class);
            self.builder.ins().jump(end, &[BlockArg::Value(result)]);
            if class + 1 < n_classes {
                self.builder.switch_to_block(next);
            }
        }
        self.builder.switch_to_block(end);
        chosen
    }

    /// Whether a buffered channel has a message that fits, 8 bits.
    pub(super) fn poll(&mut self, channel: &Expr, patterns: &[Pattern], which: Which) -> Value {
        let channel = self.channel(channel);
        self.by_class(channel, types::I8, |this, record, class| {
            if this.facts.classes[class].is_rendezvous() {
                this.give_up();
                return this.builder.ins().iconst(types::I8, 0);
            }
            this.has_message(record, class, patterns, which)
        })
    }

    /// Whether a buffered channel has the message that is meant, and it fits.
    pub(super) fn has_message(
        &mut self,
        record: Address,
        class: usize,
        patterns: &[Pattern],
        which: Which,
    ) -> Value {
        if which != Which::Front {
            let slot = self.find(record, class, patterns, which);
            return self.compare_constant(IntCC::SignedGreaterThanOrEqual, slot, 0);
        }
        let layout = self.facts.classes[class].layout;
        let length = self.read_number(record.plus(layout.length), layout.length_width);
        let some = self.compare_constant(IntCC::NotEqual, length, 0);
        self.fits(some, record.plus(layout.messages), class, patterns)
    }

    /// The slot of the message that is meant, 64 bits; -1 when there is none, or it does not fit.
    fn find(&mut self, record: Address, class: usize, patterns: &[Pattern], which: Which) -> Value {
        let (layout, capacity) = (self.facts.classes[class].layout, self.facts.classes[class].capacity);
        let length = self.read_number(record.plus(layout.length), layout.length_width);
        let length = self.builder.ins().uextend(types::I64, length);
        let places = which.places(capacity);
        let most = self.wide(u64::from(places.end));
        let length = self.builder.ins().umin(length, most);
        let (head, body, end) =
            (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
        let slot = self.builder.append_block_param(head, types::I64);
        let found = self.builder.append_block_param(end, types::I64);
        let start = self.wide(u64::from(places.start));
        let none = self.builder.ins().iconst(types::I64, -1);
        self.builder.ins().jump(head, &[BlockArg::Value(start)]);
        self.builder.switch_to_block(head);
        let more = self.compare(IntCC::UnsignedLessThan, slot, length);
        self.builder.ins().brif(more, body, &[], end, &[BlockArg::Value(none)]);
        self.builder.switch_to_block(body);
        let message = self.slot(record, class, slot);
        let yes = self.builder.ins().iconst(types::I8, 1);
        let fits = self.fits(yes, message, class, patterns);
        let next = self.builder.ins().iadd_imm_s(slot, 1);
        if let Which::Beside(passed) = which {
            let other = self.builder.create_block();
            self.builder.ins().brif(fits, end, &[BlockArg::Value(slot)], other, &[]);
            self.builder.switch_to_block(other);
            let is_passed = self.is_passed(message, class, passed);
            self.builder.ins().brif(is_passed, head, &[BlockArg::Value(next)], end, &[BlockArg::Value(none)]);
        } else {
            self.builder.ins().brif(fits, end, &[BlockArg::Value(slot)], head, &[BlockArg::Value(next)]);
        }
        self.builder.switch_to_block(end);
        found
    }

    /// Whether the first field of a message is in a set of values, 8 bits.
    fn is_passed(&mut self, message: Address, class: usize, passed: u64) -> Value {
        let first = match self.facts.classes[class].fields.first() {
            Some(&field) => self.read(message, field),
            None => self.builder.ins().iconst(types::I32, 0),
        };
        let is_small = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, first, 64);
        let set = self.wide(passed);
        let first = self.builder.ins().uextend(types::I64, first);
        let shifted = self.builder.ins().ushr(set, first);
        let bit = self.builder.ins().ireduce(types::I8, shifted);
        let bit = self.builder.ins().band_imm_u(bit, 1);
        self.builder.ins().band(is_small, bit)
    }

    /// The address of a slot.
    fn slot(&mut self, record: Address, class: usize, slot: Value) -> Address {
        let layout = self.facts.classes[class].layout;
        let distance = self.scaled(slot, layout.message_size);
        let base = self.builder.ins().iadd(record.base, distance);
        Address { base, ..record }.plus(layout.messages)
    }

    /// Whether, besides what is known so far, a message fits. A field that it does not have counts as 0.
    fn fits(&mut self, so_far: Value, message: Address, class: usize, patterns: &[Pattern]) -> Value {
        let mut fits = so_far;
        let mut address = message;
        for (number, pattern) in patterns.iter().enumerate() {
            let field = self.facts.classes[class].fields.get(number).copied();
            if let Pattern::Match(expected) = pattern {
                let here = address;
                let test = |this: &mut Self| {
                    let expected = this.value(expected);
                    match field {
                        Some(field) => {
                            let found = this.read(here, field);
                            this.compare(IntCC::Equal, expected, found)
                        }
                        None => this.compare_constant(IntCC::Equal, expected, 0),
                    }
                };
                fits = if self.facts.is_total(expected) {
                    let agrees = test(self);
                    self.builder.ins().band(fits, agrees)
                } else {
                    self.choose(fits, types::I8, test, |this| this.builder.ins().iconst(types::I8, 0))
                };
            }
            address = address.plus(field.map_or(0, |field| field.size()));
        }
        fits
    }

    /// Whether a buffered channel has room, 8 bits.
    pub(super) fn has_room(&mut self, record: Address, class: usize) -> Value {
        let (layout, capacity) = (self.facts.classes[class].layout, self.facts.classes[class].capacity);
        let length = self.read_number(record.plus(layout.length), layout.length_width);
        self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, length, i64::from(capacity))
    }

    /// Puts a message into a buffered channel that has room.
    pub(super) fn send(&mut self, channel: &Expr, fields: &[Expr], sorted: bool) {
        let channel = self.channel(channel);
        let values: Vec<Value> = fields.iter().map(|field| self.value(field)).collect();
        self.by_class(channel, types::I8, |this, record, class| {
            let known = &this.facts.classes[class];
            if known.is_rendezvous() || known.fields.len() != values.len() {
                this.give_up();
            } else if sorted {
                this.insert_sorted(record, class, &values);
            } else {
                this.append(record, class, &values);
            }
            this.builder.ins().iconst(types::I8, 0)
        });
    }

    fn append(&mut self, record: Address, class: usize, values: &[Value]) {
        let layout = self.facts.classes[class].layout;
        let length = self.read_number(record.plus(layout.length), layout.length_width);
        // The guard has seen room; the check is for code that is not called after its guard.
        let capacity = i64::from(self.facts.classes[class].capacity);
        let room = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, length, capacity);
        self.require(room);
        let slot = self.builder.ins().uextend(types::I64, length);
        let mut address = self.slot(record, class, slot);
        for (number, value) in values.iter().enumerate() {
            let field = self.facts.classes[class].fields[number];
            self.write(address, field, *value);
            address = address.plus(field.size());
        }
        let longer = self.builder.ins().iadd_imm_s(length, 1);
        self.write_number(record.plus(layout.length), layout.length_width, longer);
    }

    fn insert_sorted(&mut self, record: Address, class: usize, values: &[Value]) {
        let message = self.context_field(field::MESSAGE);
        for (number, value) in values.iter().enumerate() {
            self.builder.ins().store(Self::own_memory(), *value, message, number as i32 * 4);
        }
        let record = self.builder.ins().iadd_imm_s(record.base, i64::from(record.offset));
        let class = self.wide(class as u64);
        self.call("insert_sorted", &[record, class]);
    }

    /// Takes a message that fits out of a buffered channel, or copies it.
    pub(super) fn receive(&mut self, channel: &Expr, patterns: &[Pattern], which: Which, copy: bool) {
        let channel = self.channel(channel);
        self.by_class(channel, types::I8, |this, record, class| {
            let known = &this.facts.classes[class];
            if known.is_rendezvous() || known.fields.len() != patterns.len() {
                this.give_up();
            } else {
                this.receive_from(record, class, patterns, which, copy);
            }
            this.builder.ins().iconst(types::I8, 0)
        });
    }

    fn receive_from(
        &mut self,
        record: Address,
        class: usize,
        patterns: &[Pattern],
        which: Which,
        copy: bool,
    ) {
        let layout = self.facts.classes[class].layout;
        let slot = (which != Which::Front).then(|| {
            let slot = self.find(record, class, patterns, which);
            let found = self.compare_constant(IntCC::SignedGreaterThanOrEqual, slot, 0);
            self.require(found);
            slot
        });
        let mut address = match slot {
            Some(slot) => self.slot(record, class, slot),
            None => record.plus(layout.messages),
        };
        for (number, pattern) in patterns.iter().enumerate() {
            let field = self.facts.classes[class].fields[number];
            if let Pattern::Bind(place) = pattern {
                let value = self.read(address, field);
                self.store(place, value);
            }
            address = address.plus(field.size());
        }
        if copy {
            return;
        }
        let size = layout.size - layout.messages;
        match slot {
            None if size <= SHORT_CHANNEL => self.remove_front(record, class, size),
            _ => {
                let slot = slot.unwrap_or_else(|| self.wide(0));
                let record = self.builder.ins().iadd_imm_s(record.base, i64::from(record.offset));
                let class = self.wide(class as u64);
                self.call("remove_message", &[record, class, slot]);
            }
        }
    }

    /// Moves all slots of a channel up by one; the last becomes zero.
    fn remove_front(&mut self, record: Address, class: usize, size: u32) {
        let layout = self.facts.classes[class].layout;
        let moved = size - layout.message_size;
        let start = record.plus(layout.messages);
        let mut done = 0;
        while done < size {
            let (limit, is_moved) = if done < moved { (moved, true) } else { (size, false) };
            let ty = match limit - done {
                8.. => types::I64,
                4..8 => types::I32,
                2..4 => types::I16,
                _ => types::I8,
            };
            let value = if is_moved {
                let from = start.plus(done + layout.message_size);
                self.builder.ins().load(ty, Self::state_memory(), from.base, from.offset)
            } else {
                self.builder.ins().iconst(ty, 0)
            };
            let to = start.plus(done);
            self.builder.ins().store(Self::state_memory(), value, to.base, to.offset);
            done += ty.bytes();
        }
        let length = self.read_number(record.plus(layout.length), layout.length_width);
        let shorter = self.builder.ins().iadd_imm_s(length, -1);
        self.write_number(record.plus(layout.length), layout.length_width, shorter);
    }
}
