//! What edges do.
//!
//! An effect works in place on a copy of the state. When the edge enters an indivisible block, the code goes
//! on with the block: each of its locations is a block of code that tests its edges in order and takes the
//! first. So a whole `d_step` is one call. Nothing has to be undone on the way: an edge is tested completely
//! before it changes anything, and whatever fails afterwards is left to the interpreter from the start.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Value, types};
use cranelift_module::Module;
use fathom_model::{Action, Edge, EdgeId, Expr, Initializer, LocationId, Pattern, Sync, TemplateId};

use super::{Address, Emitter, Own};
use crate::context::{field, result};

/// Most edges of one indivisible block before it counts as endless, as in the interpreter.
const LONGEST_BLOCK: i64 = 1_000_000;

/// What an edge has under way, in a function under construction.
#[derive(Clone, Copy)]
struct Progress {
    /// The result so far, 64 bits: assertions that failed.
    result: Value,
    /// Locations of the block entered so far, 64 bits.
    n_inside: Value,
    is_first: bool,
}

/// How an edge ended.
enum Ending {
    Arrived,
    Ended,
}

impl Emitter<'_, '_> {
    /// See [`Purpose::Effect`](super::Purpose::Effect).
    pub(super) fn effect(&mut self, template: TemplateId, edge: EdgeId) {
        let model = self.facts.model;
        let edge = model.template(template).edge(edge);
        self.sync_effect(edge);
        self.act_and_finish(template, edge);
    }

    /// See [`Purpose::Offered`](super::Purpose::Offered).
    pub(super) fn offered(&mut self, template: TemplateId, edge: EdgeId) {
        let model = self.facts.model;
        let edge = model.template(template).edge(edge);
        self.act_and_finish(template, edge);
    }

    /// See [`Purpose::Accepted`](super::Purpose::Accepted).
    pub(super) fn accepted(&mut self, template: TemplateId, edge: EdgeId) {
        let model = self.facts.model;
        let edge = model.template(template).edge(edge);
        if let Some(Sync::Receive { patterns, .. }) = &edge.sync {
            let message = self.context_field(field::MESSAGE);
            for (number, pattern) in patterns.iter().enumerate() {
                if let Pattern::Bind(place) = pattern {
                    let at = number as i32 * 4;
                    let value = self.builder.ins().load(types::I32, Self::own_memory(), message, at);
                    self.store(place, value);
                }
            }
        }
        self.act_and_finish(template, edge);
    }

    pub(super) fn sync_effect(&mut self, edge: &Edge) {
        match &edge.sync {
            None => {}
            Some(Sync::Send { channel, fields, sorted }) => self.send(channel, fields, *sorted),
            Some(Sync::Receive { channel, patterns, which, copy }) => {
                self.receive(channel, patterns, *which, *copy);
            }
        }
    }

    /// See [`Purpose::Run`](super::Purpose::Run).
    pub(super) fn run(&mut self, template_id: TemplateId, location: LocationId) {
        let model = self.facts.model;
        let template = model.template(template_id);
        self.least_rank = self.facts.run_on.rank(template_id, location).map(|rank| rank + 1);
        let location = template.location(location);
        let mask = self.choices_of(template, location);
        let (blocked, some) = (self.builder.create_block(), self.builder.create_block());
        self.builder.ins().brif(mask, some, &[], blocked, &[]);
        self.builder.switch_to_block(blocked);
        // The step ends here.
        self.give(0);
        self.builder.switch_to_block(some);
        let edges: Vec<&Edge> = location.groups.iter().flatten().map(|edge| template.edge(*edge)).collect();
        if edges.len() > 1 {
            let (many, one) = (self.builder.create_block(), self.builder.create_block());
            let less = self.builder.ins().iadd_imm_s(mask, -1);
            let others = self.builder.ins().band(mask, less);
            self.builder.ins().brif(others, many, &[], one, &[]);
            self.builder.switch_to_block(many);
            self.give(result::ATOMIC);
            self.builder.switch_to_block(one);
        }
        let result = self.wide(1 << result::IN_BETWEEN_SHIFT);
        let n_inside = self.wide(0);
        for (bit, edge) in edges.iter().enumerate() {
            let next = self.builder.create_block();
            if bit + 1 < edges.len() {
                let taken = self.builder.create_block();
                let is_it = self.builder.ins().band_imm_s(mask, 1 << bit);
                self.builder.ins().brif(is_it, taken, &[], next, &[]);
                self.builder.switch_to_block(taken);
            }
            self.sync_effect(edge);
            self.act_and_arrive(template_id, edge, Progress { result, n_inside, is_first: false });
            if bit + 1 < edges.len() {
                self.builder.switch_to_block(next);
            }
        }
        self.locations_inside(template_id);
    }

    /// The rest of the first edge after its exchange, and the block that it enters.
    pub(super) fn act_and_finish(&mut self, template: TemplateId, edge: &Edge) {
        let zero = self.wide(0);
        let progress = Progress { result: zero, n_inside: zero, is_first: true };
        self.act_and_arrive(template, edge, progress);
        self.locations_inside(template);
    }

    /// The code of the indivisible blocks that were entered.
    fn locations_inside(&mut self, template: TemplateId) {
        while let Some(location) = self.waiting.pop() {
            self.location_inside(template, location);
        }
    }

    /// Runs the actions of an edge and goes where it leads.
    fn act_and_arrive(&mut self, template: TemplateId, edge: &Edge, progress: Progress) {
        let (ending, result) = self.actions(edge, progress);
        if let Ending::Ended = ending {
            self.finish(result, result::ENDED);
            return;
        }
        let own = self.own.expect("edges belong to processes");
        let layout = self.facts.layout.processes[template.index()];
        let state = self.state();
        let base = self.builder.ins().iadd(state, own.record);
        let target = self.number(edge.target.0 as i32);
        let address = Address { base, offset: layout.location as i32 };
        self.write_number(address, layout.location_width, target);
        if self.facts.model.template(template).location(edge.target).deterministic {
            let block = self.block_inside(edge.target);
            let arguments = [BlockArg::Value(result), BlockArg::Value(progress.n_inside)];
            self.builder.ins().jump(block, &arguments);
        } else {
            self.arrive(template, edge, result);
        }
    }

    /// Ends a move outside of blocks, or goes on alone.
    fn arrive(&mut self, template: TemplateId, edge: &Edge, result: Value) {
        let rank = self.facts.run_on.rank(template, edge.target);
        let goes_on = rank.is_some_and(|rank| self.least_rank.is_some_and(|least| rank >= least));
        if !(edge.atomic && goes_on && self.runs.contains_key(&(template, edge.target))) {
            self.finish(result, if edge.atomic { result::ATOMIC } else { 0 });
            return;
        }
        self.store_last();
        let function = self.runs[&(template, edge.target)];
        let function = self.module.declare_func_in_func(function, self.builder.func);
        let own = self.own.expect("edges belong to processes");
        let state = self.state();
        let call = self.builder.ins().call(function, &[state, own.record, own.number, self.context]);
        let further = self.builder.inst_results(call)[0];
        let result = self.builder.ins().iadd(result, further);
        self.leave(result);
    }

    /// Ends a move.
    fn finish(&mut self, result: Value, more: u64) {
        self.store_last();
        let more = self.wide(more);
        let result = self.builder.ins().bor(result, more);
        self.leave(result);
    }

    /// Remembers who moved last, when the model asks for it.
    fn store_last(&mut self) {
        if let Some(offset) = self.facts.layout.last {
            let base = self.state();
            let number = self.own.expect("edges belong to processes").number;
            let number = self.builder.ins().ireduce(types::I32, number);
            self.write_number(Address { base, offset: offset as i32 }, 2, number);
        }
    }

    /// The code of a location inside an indivisible block.
    fn block_inside(&mut self, location: LocationId) -> Block {
        if let Some(block) = self.inside.get(&location) {
            return *block;
        }
        let block = self.builder.create_block();
        self.builder.append_block_param(block, types::I64);
        self.builder.append_block_param(block, types::I64);
        self.inside.insert(location, block);
        self.waiting.push(location);
        block
    }

    /// Takes the first edge of a location inside a block that can be taken.
    fn location_inside(&mut self, template_id: TemplateId, location: LocationId) {
        let block = self.inside[&location];
        self.builder.switch_to_block(block);
        let result = self.builder.block_params(block)[0];
        let n_inside = self.builder.block_params(block)[1];
        let n_inside = self.builder.ins().iadd_imm_s(n_inside, 1);
        let is_short = self.compare_constant(IntCC::SignedLessThanOrEqual, n_inside, LONGEST_BLOCK);
        self.require(is_short);
        let model = self.facts.model;
        let template = model.template(template_id);
        for edge in template.location(location).groups.iter().flatten() {
            let edge = template.edge(*edge);
            let (taken, next) = (self.builder.create_block(), self.builder.create_block());
            let yes = self.builder.ins().iconst(types::I8, 1);
            let test = self.test(edge, yes);
            self.builder.ins().brif(test, taken, &[], next, &[]);
            self.builder.switch_to_block(taken);
            // A requirement that fails would have to be undone.
            if edge.effect.iter().any(|action| matches!(action, Action::Require(_))) {
                self.give_up();
            }
            self.sync_effect(edge);
            self.act_and_arrive(template_id, edge, Progress { result, n_inside, is_first: false });
            self.builder.switch_to_block(next);
        }
        // Blocked inside.
        let ask = self.ask_block();
        self.builder.ins().jump(ask, &[]);
    }

    /// Runs actions. Gives how they ended, and the result with the assertions that failed.
    fn actions(&mut self, edge: &Edge, progress: Progress) -> (Ending, Value) {
        self.created = None;
        let mut failed: Option<Value> = None;
        let mut ending = Ending::Arrived;
        for action in &edge.effect {
            match action {
                Action::Assign(place, value) => {
                    let value = self.value(value);
                    self.store(place, value);
                }
                Action::Create { template, arguments, .. } => self.create(*template, arguments),
                Action::Require(condition) => {
                    let holds = self.truth(condition);
                    let (next, refused) = (self.builder.create_block(), self.builder.create_block());
                    self.builder.ins().brif(holds, next, &[], refused, &[]);
                    self.builder.switch_to_block(refused);
                    self.give(result::REFUSED);
                    self.builder.switch_to_block(next);
                }
                Action::Assert(condition) => {
                    let holds = self.truth(condition);
                    let fails = self.compare_constant(IntCC::Equal, holds, 0);
                    let fails = self.builder.ins().uextend(types::I64, fails);
                    failed = Some(match failed {
                        Some(before) => self.builder.ins().bor(before, fails),
                        None => fails,
                    });
                }
                // Such models are refused before.
                Action::SetPriority { .. } | Action::Choose { .. } => self.give_up(),
                Action::Print(_) => {}
                Action::End => ending = Ending::Ended,
            }
        }
        let Some(failed) = failed else { return (ending, progress.result) };
        let counted = self.builder.ins().ishl_imm_s(failed, i64::from(result::FAILED_SHIFT));
        let mut result = self.builder.ins().iadd(progress.result, counted);
        if progress.is_first {
            let first =
                self.builder.ins().ishl_imm_s(failed, i64::from(result::FIRST_FAILED.trailing_zeros()));
            result = self.builder.ins().bor(result, first);
        }
        (ending, result)
    }

    /// Creates a process: record, arguments, then its own first values.
    fn create(&mut self, template_id: TemplateId, arguments: &[Expr]) {
        let values: Vec<Value> = arguments.iter().map(|argument| self.value(argument)).collect();
        let number = self.wide(u64::from(template_id.0));
        let number = self.make_record("append_process", number);
        let record = self.context_field(field::NEW_RECORD);
        let creator = self.own;
        self.own = Some(Own { template: template_id, record, number });
        let model = self.facts.model;
        let template = model.template(template_id);
        for (parameter, value) in template.parameters.iter().zip(values) {
            self.store(parameter, value);
        }
        for initializer in &template.locals.initializers {
            match initializer {
                Initializer::Value { place, value } => {
                    let value = self.value(value);
                    self.store(place, value);
                }
                Initializer::Channel { place, channel_type } => {
                    let channel_type = self.wide(u64::from(channel_type.0));
                    let channel = self.make_record("append_channel", channel_type);
                    let channel = self.builder.ins().ireduce(types::I32, channel);
                    self.store(place, channel);
                }
            }
        }
        self.own = creator;
        self.created = Some(self.builder.ins().ireduce(types::I32, number));
    }

    /// Makes a record; gives its number, 64 bits, and gives up when there are too many.
    fn make_record(&mut self, helper: &'static str, kind: Value) -> Value {
        debug_assert!(self.grows, "only growing code makes records");
        let number = self.call(helper, &[kind]).expect("it gives a value");
        let made = self.compare_constant(IntCC::SignedGreaterThanOrEqual, number, 0);
        self.require(made);
        number
    }
}
