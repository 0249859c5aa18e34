//! Which edges can be taken.
//!
//! At most locations that is a matter of the state alone, and one function answers for all edges with a bit
//! for each. Where an edge may offer a hand-shake, or may turn out not to be executable only after it has run,
//! the driver asks edge by edge.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Value, types};
use fathom_model::{Edge, Guard, Location, LocationId, Pattern, Sync, Template, TemplateId};

use super::Emitter;
use crate::context::{field, result};
use crate::kinds::{changes_records, changes_records_inside};

impl Emitter<'_, '_> {
    /// See [`Purpose::Choices`](super::Purpose::Choices).
    pub(super) fn choices(&mut self, template: TemplateId, location: LocationId) {
        let model = self.facts.model;
        let template = model.template(template);
        let location = template.location(location);
        let mask = self.choices_of(template, location);
        self.builder.ins().return_(&[mask]);
    }

    /// See [`Purpose::MightTake`](super::Purpose::MightTake).
    pub(super) fn might_take(&mut self, template: TemplateId, location: LocationId) {
        let template = self.facts.model.template(template);
        let mut mask = self.wide(0);
        for (bit, edge) in template.location(location).groups.iter().flatten().enumerate() {
            let edge = template.edge(*edge);
            if edge.guard == Guard::Else {
                continue;
            }
            let no = self.builder.ins().iconst(types::I8, 0);
            let guard = self.guard(&edge.guard, no);
            let test = match (&edge.sync, guard) {
                (None, None) => self.builder.ins().iconst(types::I8, 1),
                (None, Some(guard)) => guard,
                (Some(sync), None) => self.buffer_test(sync),
                (Some(sync), Some(guard)) => {
                    self.choose(guard, types::I8, |this| this.buffer_test(sync), |_| no)
                }
            };
            let wide = self.builder.ins().uextend(types::I64, test);
            let shifted = self.builder.ins().ishl_imm_s(wide, bit as i64);
            mask = self.builder.ins().bor(mask, shifted);
        }
        self.builder.ins().store(Self::own_memory(), mask, self.context, field::ANSWER);
        self.give(0);
    }

    /// Whether a message can be exchanged with a buffer; a hand-shake cannot.
    fn buffer_test(&mut self, sync: &Sync) -> Value {
        let Sync::Send { channel, .. } = sync else { return self.sync_test(sync) };
        let channel = self.channel(channel);
        self.by_class(channel, types::I8, |this, record, class| {
            if this.facts.classes[class].is_rendezvous() {
                return this.builder.ins().iconst(types::I8, 0);
            }
            this.has_room(record, class)
        })
    }

    /// A bit for each edge that can be taken: of the first group that has one or, at a deterministic location,
    /// of the first edge.
    pub(super) fn choices_of(&mut self, template: &Template, location: &Location) -> Value {
        let end = self.builder.create_block();
        let choices = self.builder.append_block_param(end, types::I64);
        let mut mask = self.wide(0);
        let mut bit = 0;
        for (number, group) in location.groups.iter().enumerate() {
            if number > 0 {
                mask = self.unless_decided(mask, end);
            }
            for edge in group {
                if location.deterministic && bit > 0 {
                    mask = self.unless_decided(mask, end);
                }
                let nothing_before = self.compare_constant(IntCC::Equal, mask, 0);
                let test = self.test(template.edge(*edge), nothing_before);
                let wide = self.builder.ins().uextend(types::I64, test);
                let shifted = self.builder.ins().ishl_imm_s(wide, bit);
                mask = self.builder.ins().bor(mask, shifted);
                bit += 1;
            }
        }
        self.builder.ins().jump(end, &[BlockArg::Value(mask)]);
        self.builder.switch_to_block(end);
        choices
    }

    /// Goes to the end when there are choices already; gives the choices when not.
    fn unless_decided(&mut self, mask: Value, end: Block) -> Value {
        let next = self.builder.create_block();
        self.builder.ins().brif(mask, end, &[BlockArg::Value(mask)], next, &[]);
        self.builder.switch_to_block(next);
        self.wide(0)
    }

    /// Whether an edge that offers no hand-shake can be taken, 8 bits; whether an `else` can is known.
    pub(super) fn test(&mut self, edge: &Edge, else_holds: Value) -> Value {
        let guard = self.guard(&edge.guard, else_holds);
        match (&edge.sync, guard) {
            (None, None) => self.builder.ins().iconst(types::I8, 1),
            (None, Some(guard)) => guard,
            (Some(sync), None) => self.sync_test(sync),
            (Some(sync), Some(guard)) => self.choose(
                guard,
                types::I8,
                |this| this.sync_test(sync),
                |this| this.builder.ins().iconst(types::I8, 0),
            ),
        }
    }

    /// Whether a guard holds, 8 bits; nothing when it always does.
    fn guard(&mut self, guard: &Guard, else_holds: Value) -> Option<Value> {
        match guard {
            Guard::Always => None,
            Guard::When(condition) => Some(self.truth(condition)),
            Guard::Else => Some(else_holds),
            Guard::Youngest => {
                let count = self.context_field(field::N_PROCESSES);
                let youngest = self.builder.ins().iadd_imm_s(count, -1);
                let own = self.own.expect("edges belong to processes").number;
                Some(self.compare(IntCC::Equal, own, youngest))
            }
        }
    }

    fn sync_test(&mut self, sync: &Sync) -> Value {
        match sync {
            Sync::Send { channel, .. } => {
                let channel = self.channel(channel);
                self.by_class(channel, types::I8, |this, record, class| {
                    if this.facts.classes[class].is_rendezvous() {
                        this.give_up();
                        return this.builder.ins().iconst(types::I8, 0);
                    }
                    this.has_room(record, class)
                })
            }
            Sync::Receive { channel, patterns, which, copy } => {
                let channel = self.channel(channel);
                self.by_class(channel, types::I8, |this, record, class| {
                    if !this.facts.classes[class].is_rendezvous() {
                        return this.has_message(record, class, patterns, *which);
                    }
                    if *copy {
                        this.give_up();
                    }
                    this.builder.ins().iconst(types::I8, 0)
                })
            }
        }
    }

    /// See [`Purpose::Guard`](super::Purpose::Guard).
    pub(super) fn guard_alone(&mut self, edge: &Edge) {
        let yes = self.builder.ins().iconst(types::I8, 1);
        if let Some(guard) = self.guard(&edge.guard, yes) {
            let (next, blocked) = (self.builder.create_block(), self.builder.create_block());
            self.builder.ins().brif(guard, next, &[], blocked, &[]);
            self.builder.switch_to_block(blocked);
            self.give(result::BLOCKED);
            self.builder.switch_to_block(next);
        }
        let answer = match &edge.sync {
            None => self.wide(result::READY),
            Some(sync @ Sync::Receive { .. }) => {
                let possible = self.sync_test(sync);
                self.builder.ins().uextend(types::I64, possible)
            }
            Some(Sync::Send { channel, fields, .. }) => {
                let channel = self.channel(channel);
                self.by_class(channel, types::I64, |this, record, class| {
                    if this.facts.classes[class].is_rendezvous() {
                        return this.offer(channel.index, class, edge, fields);
                    }
                    let room = this.has_room(record, class);
                    this.builder.ins().uextend(types::I64, room)
                })
            }
        };
        self.builder.ins().return_(&[answer]);
    }

    /// Puts a message under way.
    fn offer(&mut self, index: Value, class: usize, edge: &Edge, fields: &[fathom_model::Expr]) -> Value {
        let template = self.own.expect("edges belong to processes").template;
        let is_inside = self.facts.model.template(template).location(edge.target).deterministic;
        if is_inside || self.facts.classes[class].fields.len() != fields.len() || changes_records(edge) {
            self.give_up();
            return self.wide(result::BLOCKED);
        }
        let message = self.context_field(field::MESSAGE);
        for (number, value) in fields.iter().enumerate() {
            let ty = self.facts.classes[class].fields[number];
            let value = self.value(value);
            let value = self.truncated(value, ty);
            self.builder.ins().store(Self::own_memory(), value, message, number as i32 * 4);
        }
        self.builder.ins().store(Self::own_memory(), index, self.context, field::MESSAGE_CHANNEL);
        self.wide(result::OFFER)
    }

    /// See [`Purpose::Accept`](super::Purpose::Accept).
    pub(super) fn accept(&mut self, edge: &Edge) {
        let Some(Sync::Receive { channel, patterns, copy: false, .. }) = &edge.sync else {
            self.give(result::BLOCKED);
            return;
        };
        let blocked = self.builder.create_block();
        let no = self.builder.ins().iconst(types::I8, 0);
        if let Some(guard) = self.guard(&edge.guard, no) {
            self.unless_blocked(guard, blocked);
        }
        let channel = self.channel(channel);
        let under_way = self.context_field(field::MESSAGE_CHANNEL);
        let same = self.compare(IntCC::Equal, channel.index, under_way);
        self.unless_blocked(same, blocked);
        self.by_class(channel, types::I8, |this, _, class| {
            if this.facts.classes[class].fields.len() != patterns.len() {
                this.give_up();
            }
            this.builder.ins().iconst(types::I8, 0)
        });
        let message = self.context_field(field::MESSAGE);
        for (number, pattern) in patterns.iter().enumerate() {
            if let Pattern::Match(expected) = pattern {
                let expected = self.value(expected);
                let found =
                    self.builder.ins().load(types::I32, Self::own_memory(), message, number as i32 * 4);
                let agrees = self.compare(IntCC::Equal, expected, found);
                self.unless_blocked(agrees, blocked);
            }
        }
        let template = self.own.expect("edges belong to processes").template;
        if changes_records_inside(self.facts.model, template, edge) {
            self.give_up();
        }
        self.give(result::READY);
        self.builder.switch_to_block(blocked);
        self.give(result::BLOCKED);
    }

    fn unless_blocked(&mut self, condition: Value, blocked: Block) {
        let next = self.builder.create_block();
        self.builder.ins().brif(condition, next, &[], blocked, &[]);
        self.builder.switch_to_block(next);
    }
}
