//! All edges of a location in one function: each that can be taken is taken on a copy of the state.
//!
//! Guards look at the state, effects work on the copies, which are written one after the other into a buffer of
//! the driver. So a process costs one call, however many edges it takes. What needs the driver in between
//! (hand-shakes, records that come and go, requirements) is left to it; but offers that nobody accepts do not need
//! it, and where that is known the others are taken as if there were none.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{BlockArg, InstBuilder, Value, types};
use fathom_model::{Edge, Location, LocationId, Template, TemplateId};

use super::Emitter;
use crate::context::{field, result};
use crate::kinds::{LocationKind, has_result, location_kind, without_offers};

/// States of up to this many bytes are copied by generated code, larger ones by the library.
const SHORT_STATE: i64 = 160;

/// Bytes of one load and store.
const CHUNK: i64 = 16;

/// Where an expansion is, in a function under construction.
#[derive(Clone, Copy)]
struct Cursor {
    /// The next copy of the state, 64 bits.
    fresh: Value,
    /// Where its result goes, 64 bits.
    results: Value,
    /// All results so far, put together, 64 bits.
    all_results: Value,
}

impl Emitter<'_, '_> {
    /// See [`Purpose::Expand`](super::Purpose::Expand).
    pub(super) fn expand(&mut self, template_id: TemplateId, location: LocationId) {
        let model = self.facts.model;
        let template = model.template(template_id);
        let location = template.location(location);
        if let Some(condition) = &template.provided
            && !location.deterministic
        {
            let holds = self.truth(condition);
            self.unless_zero(holds);
        }
        match location_kind(self.facts, template_id, location) {
            LocationKind::InPlace => self.expand_in_place(template_id, template, location),
            LocationKind::Last => {
                let yes = self.builder.ins().iconst(types::I8, 1);
                let edge = location.groups.iter().flatten().next();
                let test = edge.map_or(yes, |edge| self.test(template.edge(*edge), yes));
                self.unless_zero(test);
                self.give(result::SPECIAL);
            }
            LocationKind::Special => match without_offers(self.facts, template_id, location) {
                Some((without, _)) => self.expand_in_place(template_id, template, &without),
                None => self.give(result::SPECIAL),
            },
        }
    }

    /// Returns 0 unless a condition holds.
    fn unless_zero(&mut self, condition: Value) {
        let (next, none) = (self.builder.create_block(), self.builder.create_block());
        self.builder.ins().brif(condition, next, &[], none, &[]);
        self.builder.switch_to_block(none);
        self.give(0);
        self.builder.switch_to_block(next);
    }

    /// First all guards, then all copies, then all effects.
    fn expand_in_place(&mut self, template_id: TemplateId, template: &Template, location: &Location) {
        let edges: Vec<&Edge> = location.groups.iter().flatten().map(|edge| template.edge(*edge)).collect();
        if edges.is_empty() {
            self.give(0);
            return;
        }
        let choices = self.choices_of(template, location);
        self.unless_zero(choices);
        let n_states = if edges.len() == 1 { choices } else { self.builder.ins().popcnt(choices) };
        let fresh = self.context_field(field::FRESH);
        self.copy_states(fresh, n_states, edges.len());
        let has_results = edges.iter().any(|edge| has_result(self.facts.model, template_id, edge));
        let results = if has_results { self.context_field(field::RESULTS) } else { fresh };
        let zero = self.wide(0);
        let mut cursor = Cursor { fresh, results, all_results: zero };
        for (bit, edge) in edges.iter().enumerate() {
            cursor = self.expand_edge(template_id, edge, cursor, has_results, |this| {
                (edges.len() > 1).then(|| this.builder.ins().band_imm_s(choices, 1 << bit))
            });
        }
        let mut answer = n_states;
        if has_results {
            let some = self.compare_constant(IntCC::NotEqual, cursor.all_results, 0);
            let some = self.builder.ins().uextend(types::I64, some);
            let some = self.builder.ins().ishl_imm_s(some, i64::from(result::HAS_RESULTS.trailing_zeros()));
            answer = self.builder.ins().bor(answer, some);
        }
        self.builder.ins().return_(&[answer]);
    }

    /// Takes an edge on the next copy of the state, if it was chosen. Gives where the expansion is afterwards.
    fn expand_edge(
        &mut self,
        template: TemplateId,
        edge: &Edge,
        before: Cursor,
        has_results: bool,
        is_chosen: impl FnOnce(&mut Self) -> Option<Value>,
    ) -> Cursor {
        let (taken, next) = (self.builder.create_block(), self.builder.create_block());
        let mut parameter = || self.builder.append_block_param(next, types::I64);
        let after = Cursor { fresh: parameter(), results: parameter(), all_results: parameter() };
        let arguments =
            |cursor: Cursor| [cursor.fresh, cursor.results, cursor.all_results].map(BlockArg::Value);
        match is_chosen(self) {
            Some(is_chosen) => _ = self.builder.ins().brif(is_chosen, taken, &[], next, &arguments(before)),
            None => _ = self.builder.ins().jump(taken, &[]),
        }
        self.builder.switch_to_block(taken);
        let result = self.effect_on(template, edge, before.fresh);
        let mut now = before;
        if has_results {
            self.builder.ins().store(Self::own_memory(), result, before.results, 0);
            now.results = self.builder.ins().iadd_imm_s(before.results, 8);
            now.all_results = self.builder.ins().bor(before.all_results, result);
        }
        let length = self.context_field(field::LENGTH);
        now.fresh = self.builder.ins().iadd(before.fresh, length);
        self.builder.ins().jump(next, &arguments(now));
        self.builder.switch_to_block(next);
        after
    }

    /// Takes an edge on a copy of the state. Gives the result of the effect.
    fn effect_on(&mut self, template: TemplateId, edge: &Edge, copy: Value) -> Value {
        let exit = self.builder.create_block();
        let result = self.builder.append_block_param(exit, types::I64);
        let original = std::mem::replace(&mut self.first_state, copy);
        self.exit = Some(exit);
        self.inside.clear();
        self.sync_effect(edge);
        self.act_and_finish(template, edge);
        self.exit = None;
        self.first_state = original;
        self.builder.switch_to_block(exit);
        result
    }

    /// Copies the state some times, at least once.
    fn copy_states(&mut self, fresh: Value, n_states: Value, most: usize) {
        if most == 1 {
            self.copy_state(fresh);
            return;
        }
        let (head, end) = (self.builder.create_block(), self.builder.create_block());
        let to = self.builder.append_block_param(head, types::I64);
        let n_left = self.builder.append_block_param(head, types::I64);
        self.builder.ins().jump(head, &[BlockArg::Value(fresh), BlockArg::Value(n_states)]);
        self.builder.switch_to_block(head);
        self.copy_state(to);
        let length = self.context_field(field::LENGTH);
        let next = self.builder.ins().iadd(to, length);
        let n_left = self.builder.ins().iadd_imm_s(n_left, -1);
        let again = [BlockArg::Value(next), BlockArg::Value(n_left)];
        self.builder.ins().brif(n_left, head, &again, end, &[]);
        self.builder.switch_to_block(end);
    }

    /// Copies the state: in chunks, the last of which overlaps the one before.
    fn copy_state(&mut self, to: Value) {
        let from = self.first_state;
        let length = self.context_field(field::LENGTH);
        let (short, long, done) =
            (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
        let tail = self.builder.ins().iadd_imm_s(length, -CHUNK);
        let is_short =
            self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThanOrEqual, tail, SHORT_STATE - CHUNK);
        self.builder.ins().brif(is_short, short, &[], long, &[]);
        self.builder.switch_to_block(long);
        self.call("copy_state", &[from, to]);
        self.builder.ins().jump(done, &[]);
        self.builder.switch_to_block(short);
        let (head, body, last) =
            (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
        let at = self.builder.append_block_param(head, types::I64);
        let zero = self.wide(0);
        self.builder.ins().jump(head, &[BlockArg::Value(zero)]);
        self.builder.switch_to_block(head);
        let more = self.compare(IntCC::SignedLessThan, at, tail);
        self.builder.ins().brif(more, body, &[], last, &[]);
        self.builder.switch_to_block(body);
        self.copy_chunk(from, to, at);
        let next = self.builder.ins().iadd_imm_s(at, CHUNK);
        self.builder.ins().jump(head, &[BlockArg::Value(next)]);
        self.builder.switch_to_block(last);
        self.copy_chunk(from, to, tail);
        self.builder.ins().jump(done, &[]);
        self.builder.switch_to_block(done);
    }

    fn copy_chunk(&mut self, from: Value, to: Value, at: Value) {
        let from = self.builder.ins().iadd(from, at);
        let to = self.builder.ins().iadd(to, at);
        let chunk = self.builder.ins().load(types::I8X16, Self::state_memory(), from, 0);
        self.builder.ins().store(Self::state_memory(), chunk, to, 0);
    }
}
