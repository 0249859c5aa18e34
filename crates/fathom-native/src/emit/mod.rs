//! From the model to the code generator's form.
//!
//! One [`Emitter`] makes one function. Expressions become values of 32 bits (arithmetic wraps by itself, as the
//! model wants), places become addresses relative to the state or to the record of the process that moves.
//! Whatever can fail is checked and, on failure, the function gives up with
//! [`ASK`](crate::context::result::ASK): the interpreter then says exactly what went wrong. So generated code
//! has no errors of its own and never touches a byte outside the state.
//!
//! - `expr`: expressions and places
//! - `channel`: finding channels, sending, receiving
//! - `effect`: actions, whole edges, indivisible blocks
//! - `guard`: which edges can be taken
//! - `expand`: all edges of a location

mod channel;
mod effect;
mod expand;
mod expr;
mod guard;

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Block, BlockArg, Endianness, FuncRef, InstBuilder, MemFlagsData, Signature, Type, Value, types,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::FunctionBuilder;
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Module};
use fathom_model::{EdgeId, Expr, LocationId, TemplateId};

use crate::context::{field, result};
use crate::facts::Facts;

/// What a function is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose<'m> {
    /// Says that the driver must do it.
    Nothing,
    /// Says that the interpreter must answer.
    Unknown,
    /// Takes every edge of a location that can be taken, each on a copy of the state.
    Expand(TemplateId, LocationId),
    /// Which edges of a location can be taken: a bit for each, in the order of the groups and lists.
    Choices(TemplateId, LocationId),
    /// Which edges of a location might be taken, each looked at for itself, hand-shakes and `else` left out: a bit
    /// for each, in the context.
    MightTake(TemplateId, LocationId),
    /// Whether one edge can be taken, not looking at a guard `else`.
    Guard(TemplateId, EdgeId),
    /// Goes on alone at a location, as long as there is one way to go.
    Run(TemplateId, LocationId),
    /// Takes an edge that can be taken, and runs the indivisible block that it enters.
    Effect(TemplateId, EdgeId),
    /// The sender's half of a hand-shake.
    Offered(TemplateId, EdgeId),
    /// Whether an edge receives the message under way.
    Accept(TemplateId, EdgeId),
    /// The receiver's half of a hand-shake.
    Accepted(TemplateId, EdgeId),
    /// Whether a condition of a template holds.
    Provided(TemplateId, &'m Expr),
    /// Whether a condition that no process looks at holds.
    Property(&'m Expr),
}

impl Purpose<'_> {
    fn template(self) -> Option<TemplateId> {
        match self {
            Purpose::Expand(template, _)
            | Purpose::Choices(template, _)
            | Purpose::MightTake(template, _)
            | Purpose::Run(template, _)
            | Purpose::Guard(template, _)
            | Purpose::Effect(template, _)
            | Purpose::Offered(template, _)
            | Purpose::Accept(template, _)
            | Purpose::Accepted(template, _)
            | Purpose::Provided(template, _) => Some(template),
            Purpose::Property(_) | Purpose::Nothing | Purpose::Unknown => None,
        }
    }
}

/// The process that looks, in a function under construction.
#[derive(Clone, Copy)]
struct Own {
    template: TemplateId,
    /// First byte of its record, 64 bits.
    record: Value,
    /// Its number, 64 bits.
    number: Value,
}

/// An address: a value of 64 bits and a constant.
#[derive(Clone, Copy)]
struct Address {
    base: Value,
    offset: i32,
}

impl Address {
    fn plus(self, offset: u32) -> Address {
        Address { offset: self.offset + offset as i32, ..self }
    }
}

/// The signature of every generated function.
pub(crate) fn signature(call_conv: CallConv) -> Signature {
    let mut signature = Signature::new(call_conv);
    signature.params.extend([AbiParam::new(types::I64); 4]);
    signature.returns.push(AbiParam::new(types::I64));
    signature
}

/// Number of arguments, all of 64 bits, of each helper, and whether it gives a value.
pub(crate) const HELPERS: [(&str, usize, bool); 9] = [
    ("append_process", 2, true),
    ("append_channel", 2, true),
    ("first_of", 2, true),
    ("location_of", 3, true),
    ("some_progress", 2, true),
    ("some_accepting", 2, true),
    ("insert_sorted", 3, false),
    ("remove_message", 4, false),
    ("copy_state", 3, false),
];

/// A function under construction.
pub(crate) struct Emitter<'a, 'm> {
    facts: &'a Facts<'m>,
    builder: FunctionBuilder<'a>,
    module: &'a mut JITModule,
    helpers: &'a HashMap<&'static str, FuncId>,
    known_helpers: HashMap<&'static str, FuncRef>,
    /// The state, 64 bits; the first one, when it may grow.
    first_state: Value,
    /// The context, 64 bits.
    context: Value,
    own: Option<Own>,
    /// The process created last in the effect under construction, 32 bits.
    created: Option<Value>,
    /// Whether records may be added: the state may move.
    grows: bool,
    /// Whether nothing can move otherwise; looked up in the context when not known.
    timeout: Option<bool>,
    /// Where code goes that gives up.
    ask: Option<Block>,
    /// The functions that go on alone at a location.
    runs: &'a HashMap<(TemplateId, LocationId), FuncId>,
    /// Code goes on alone at locations with a number from here on; nowhere when there is none.
    least_rank: Option<usize>,
    /// Where an effect goes when it is done, with its result; without, the function returns it.
    exit: Option<Block>,
    /// The locations of an indivisible block that have code or will get it.
    inside: HashMap<LocationId, Block>,
    /// Those among them without code yet.
    waiting: Vec<LocationId>,
}

impl<'a, 'm> Emitter<'a, 'm> {
    /// Starts a function.
    pub fn new(
        facts: &'a Facts<'m>,
        mut builder: FunctionBuilder<'a>,
        module: &'a mut JITModule,
        helpers: &'a HashMap<&'static str, FuncId>,
        runs: &'a HashMap<(TemplateId, LocationId), FuncId>,
        purpose: Purpose<'m>,
    ) -> Emitter<'a, 'm> {
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let [first_state, record, number, context] = *builder.block_params(entry) else {
            unreachable!("every function has four arguments")
        };
        let own = purpose.template().map(|template| Own { template, record, number });
        Emitter {
            facts,
            builder,
            module,
            helpers,
            known_helpers: HashMap::new(),
            first_state,
            context,
            own,
            created: None,
            grows: false,
            timeout: None,
            ask: None,
            runs,
            least_rank: Some(0),
            exit: None,
            inside: HashMap::new(),
            waiting: Vec::new(),
        }
    }

    /// Writes the function.
    pub fn emit(mut self, purpose: Purpose<'m>) {
        let model = self.facts.model;
        match purpose {
            Purpose::Nothing => self.give(result::SPECIAL),
            Purpose::Unknown => self.give(result::ASK),
            Purpose::Expand(template, location) => self.expand(template, location),
            Purpose::Choices(template, location) => self.choices(template, location),
            Purpose::MightTake(template, location) => {
                self.timeout = Some(false);
                self.might_take(template, location);
            }
            Purpose::Run(template, location) => {
                self.timeout = Some(false);
                self.run(template, location);
            }
            Purpose::Guard(template, edge) => self.guard_alone(model.template(template).edge(edge)),
            Purpose::Effect(template, edge) => {
                self.grows = crate::kinds::grows(model, template, edge);
                self.effect(template, edge);
            }
            Purpose::Offered(template, edge) => {
                self.least_rank = None;
                self.offered(template, edge);
            }
            Purpose::Accept(template, edge) => {
                self.timeout = Some(false);
                self.accept(model.template(template).edge(edge));
            }
            Purpose::Accepted(template, edge) => {
                self.timeout = Some(false);
                self.accepted(template, edge);
            }
            Purpose::Provided(_, condition) | Purpose::Property(condition) => {
                let holds = self.truth(condition);
                let holds = self.builder.ins().uextend(types::I64, holds);
                self.builder.ins().return_(&[holds]);
            }
        }
        if let Some(ask) = self.ask {
            self.builder.switch_to_block(ask);
            self.builder.set_cold_block(ask);
            self.give(result::ASK);
        }
        self.builder.seal_all_blocks();
        let config = self.module.target_config();
        self.builder.finalize(config);
    }

    /// Memory of the state: anywhere, never outside, little endian.
    fn state_memory() -> MemFlagsData {
        MemFlagsData::new().with_notrap().with_endianness(Endianness::Little)
    }

    /// Memory of the context and of directories.
    fn own_memory() -> MemFlagsData {
        MemFlagsData::trusted()
    }

    /// The state.
    fn state(&mut self) -> Value {
        if self.grows { self.context_field(field::STATE) } else { self.first_state }
    }

    fn context_field(&mut self, offset: i32) -> Value {
        self.builder.ins().load(types::I64, Self::own_memory(), self.context, offset)
    }

    fn number(&mut self, value: i32) -> Value {
        self.builder.ins().iconst(types::I32, i64::from(value))
    }

    fn wide(&mut self, value: u64) -> Value {
        self.builder.ins().iconst(types::I64, value as i64)
    }

    /// Returns a constant.
    fn give(&mut self, value: u64) {
        let value = self.wide(value);
        self.builder.ins().return_(&[value]);
    }

    /// Ends an effect with a result.
    fn leave(&mut self, result: Value) {
        match self.exit {
            Some(exit) => self.builder.ins().jump(exit, &[BlockArg::Value(result)]),
            None => self.builder.ins().return_(&[result]),
        };
    }

    /// The block that gives up.
    fn ask_block(&mut self) -> Block {
        *self.ask.get_or_insert_with(|| self.builder.create_block())
    }

    /// Gives up unless a condition holds.
    fn require(&mut self, condition: Value) {
        let ask = self.ask_block();
        let next = self.builder.create_block();
        self.builder.ins().brif(condition, next, &[], ask, &[]);
        self.builder.switch_to_block(next);
    }

    /// Gives up; what follows is never reached.
    fn give_up(&mut self) {
        let ask = self.ask_block();
        self.builder.ins().jump(ask, &[]);
        let next = self.builder.create_block();
        self.builder.switch_to_block(next);
    }

    /// Calls a helper with the context and further arguments.
    fn call(&mut self, name: &'static str, arguments: &[Value]) -> Option<Value> {
        let function = match self.known_helpers.get(name) {
            Some(function) => *function,
            None => {
                let function = self.module.declare_func_in_func(self.helpers[name], self.builder.func);
                self.known_helpers.insert(name, function);
                function
            }
        };
        let mut all = vec![self.context];
        all.extend_from_slice(arguments);
        let call = self.builder.ins().call(function, &all);
        self.builder.inst_results(call).first().copied()
    }

    /// A value that two branches compute, the second perhaps in several blocks.
    fn choose(
        &mut self,
        condition: Value,
        ty: Type,
        then: impl FnOnce(&mut Self) -> Value,
        otherwise: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        let (then_block, else_block, end) =
            (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
        let chosen = self.builder.append_block_param(end, ty);
        self.builder.ins().brif(condition, then_block, &[], else_block, &[]);
        self.builder.switch_to_block(then_block);
        let value = then(self);
        self.builder.ins().jump(end, &[BlockArg::Value(value)]);
        self.builder.switch_to_block(else_block);
        let value = otherwise(self);
        self.builder.ins().jump(end, &[BlockArg::Value(value)]);
        self.builder.switch_to_block(end);
        chosen
    }

    fn compare(&mut self, how: IntCC, left: Value, right: Value) -> Value {
        self.builder.ins().icmp(how, left, right)
    }

    fn compare_constant(&mut self, how: IntCC, left: Value, right: i64) -> Value {
        self.builder.ins().icmp_imm_s(how, left, right)
    }
}
