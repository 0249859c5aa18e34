//! Expressions and places.
//!
//! Conditions are values of 8 bits, 0 or 1; everything else has 32. `&&` and `||` look at their right operand
//! without a branch when that is short and cannot fail: the answer is the same, and processors like it better.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use fathom_model::{Base, BinaryOp, ChannelQuery, Expr, Place, ScalarType, TemplateId, UnaryOp};

use super::{Address, Emitter};
use crate::context::field;
use crate::directory::ProcessEntry;
use crate::facts::is_truth;

/// Up to this many parts an operand is looked at whether needed or not.
const SHORT: usize = 8;

/// Bytes of an entry of a directory, as a shift.
const ENTRY_SHIFT: i64 = 3;
const _: () = assert!(size_of::<ProcessEntry>() == 1 << ENTRY_SHIFT);

impl<'m> Emitter<'_, 'm> {
    /// Whether an expression is not 0: 0 or 1 in 8 bits.
    pub(super) fn truth(&mut self, expr: &Expr) -> Value {
        if let Some(value) = self.facts.constant(expr) {
            return self.builder.ins().iconst(types::I8, i64::from(value != 0));
        }
        match expr {
            Expr::Unary(UnaryOp::Not, operand) => {
                let operand = self.truth(operand);
                self.compare_constant(IntCC::Equal, operand, 0)
            }
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                self.connected(*op, left, right)
            }
            Expr::Binary(op, left, right) if is_truth(*op) => {
                let left = self.value(left);
                let right = self.value(right);
                self.compare(comparison(*op), left, right)
            }
            Expr::Poll { channel, patterns, which } => self.poll(channel, patterns, *which),
            Expr::AtLocation { template, process, location } => {
                let record = self.other(*template, process.as_deref());
                let exists = self.compare_constant(IntCC::SignedGreaterThanOrEqual, record, 0);
                self.choose(
                    exists,
                    types::I8,
                    |this| {
                        let at = this.location(*template, record);
                        this.compare_constant(IntCC::Equal, at, i64::from(location.0))
                    },
                    |this| this.builder.ins().iconst(types::I8, 0),
                )
            }
            _ => {
                let value = self.value(expr);
                self.compare_constant(IntCC::NotEqual, value, 0)
            }
        }
    }

    fn connected(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Value {
        let left = self.truth(left);
        if self.facts.is_total(right) && size(right) <= SHORT {
            let right = self.truth(right);
            return match op {
                BinaryOp::And => self.builder.ins().band(left, right),
                _ => self.builder.ins().bor(left, right),
            };
        }
        match op {
            BinaryOp::And => self.choose(
                left,
                types::I8,
                |this| this.truth(right),
                |this| this.builder.ins().iconst(types::I8, 0),
            ),
            _ => self.choose(
                left,
                types::I8,
                |this| this.builder.ins().iconst(types::I8, 1),
                |this| this.truth(right),
            ),
        }
    }

    /// The value of an expression, 32 bits.
    pub(super) fn value(&mut self, expr: &Expr) -> Value {
        if let Some(value) = self.facts.constant(expr) {
            return self.number(value);
        }
        match expr {
            Expr::Const(value) => self.number(*value as i32),
            Expr::Load(place) => self.load(place),
            Expr::Unary(UnaryOp::Negate, operand) => {
                let operand = self.value(operand);
                self.builder.ins().ineg(operand)
            }
            Expr::Unary(UnaryOp::Complement, operand) => {
                let operand = self.value(operand);
                self.builder.ins().bnot(operand)
            }
            Expr::Binary(op, left, right) if !is_truth(*op) => self.arithmetic(*op, left, right),
            Expr::Conditional(condition, then, otherwise) => {
                let condition = self.truth(condition);
                let is_short = |expr| self.facts.is_total(expr) && size(expr) <= SHORT;
                if is_short(then) && is_short(otherwise) {
                    let then = self.value(then);
                    let otherwise = self.value(otherwise);
                    return self.builder.ins().select(condition, then, otherwise);
                }
                self.choose(condition, types::I32, |this| this.value(then), |this| this.value(otherwise))
            }
            Expr::Channel(query, channel) => self.query(*query, channel),
            Expr::Unary(UnaryOp::Not, _) | Expr::Binary(..) | Expr::Poll { .. } | Expr::AtLocation { .. } => {
                let truth = self.truth(expr);
                self.builder.ins().uextend(types::I32, truth)
            }
            _ => self.question(expr),
        }
    }

    /// The value of an expression about processes.
    fn question(&mut self, expr: &Expr) -> Value {
        match expr {
            Expr::OwnProcess => match self.own {
                Some(own) => self.builder.ins().ireduce(types::I32, own.number),
                None => self.number(-1),
            },
            Expr::ProcessCount => {
                let count = self.context_field(field::N_PROCESSES);
                self.builder.ins().ireduce(types::I32, count)
            }
            Expr::LastProcess => match self.facts.layout.last {
                Some(offset) => {
                    let base = self.state();
                    self.read(Address { base, offset: offset as i32 }, ScalarType::PROCESS)
                }
                None => self.number(0),
            },
            Expr::Created => match self.created {
                Some(created) => created,
                None => self.number(0),
            },
            Expr::Timeout => match self.timeout {
                Some(timeout) => self.number(i32::from(timeout)),
                None => {
                    let timeout = self.context_field(field::TIMEOUT);
                    self.builder.ins().ireduce(types::I32, timeout)
                }
            },
            Expr::NonProgress => {
                let state = self.state();
                let some = self.call("some_progress", &[state]).expect("it gives a value");
                let none = self.compare_constant(IntCC::Equal, some, 0);
                self.builder.ins().uextend(types::I32, none)
            }
            Expr::SomeAccepting => {
                let state = self.state();
                let some = self.call("some_accepting", &[state]).expect("it gives a value");
                self.builder.ins().ireduce(types::I32, some)
            }
            Expr::LocationOf(process) => {
                let process = self.value(process);
                let process = self.builder.ins().sextend(types::I64, process);
                let state = self.state();
                let location = self.call("location_of", &[state, process]).expect("it gives a value");
                self.builder.ins().ireduce(types::I32, location)
            }
            Expr::Priority(process) if !self.facts.model.uses_priorities => {
                let process = self.value(process);
                let process = self.builder.ins().sextend(types::I64, process);
                let count = self.context_field(field::N_PROCESSES);
                let exists = self.compare(IntCC::UnsignedLessThan, process, count);
                self.builder.ins().uextend(types::I32, exists)
            }
            // Whether another process is enabled, and priorities that differ, are left to the interpreter.
            _ => {
                self.give_up();
                self.number(0)
            }
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Value {
        let x = self.value(left);
        let y = self.value(right);
        match op {
            BinaryOp::Add => self.builder.ins().iadd(x, y),
            BinaryOp::Subtract => self.builder.ins().isub(x, y),
            BinaryOp::Multiply => self.builder.ins().imul(x, y),
            BinaryOp::ShiftLeft => self.builder.ins().ishl(x, y),
            BinaryOp::ShiftRight => self.builder.ins().sshr(x, y),
            BinaryOp::BitAnd => self.builder.ins().band(x, y),
            BinaryOp::BitOr => self.builder.ins().bor(x, y),
            BinaryOp::BitXor => self.builder.ins().bxor(x, y),
            _ => self.division(op, x, y, self.facts.constant(right)),
        }
    }

    /// Division and remainder; the least number by -1 wraps.
    fn division(&mut self, op: BinaryOp, x: Value, y: Value, divisor: Option<i32>) -> Value {
        if divisor.is_none_or(|divisor| divisor == 0) {
            let valid = self.compare_constant(IntCC::NotEqual, y, 0);
            self.require(valid);
        }
        let is_plain = divisor.is_some_and(|divisor| divisor != -1 && divisor != 0);
        let (x, y) = if is_plain {
            (x, y)
        } else {
            (self.builder.ins().sextend(types::I64, x), self.builder.ins().sextend(types::I64, y))
        };
        let value = match op {
            BinaryOp::Divide => self.builder.ins().sdiv(x, y),
            _ => self.builder.ins().srem(x, y),
        };
        if is_plain { value } else { self.builder.ins().ireduce(types::I32, value) }
    }

    /// The value of a place.
    fn load(&mut self, place: &Place) -> Value {
        if let Base::Other { template, process } = &place.base {
            let record = self.other(*template, process.as_deref());
            let exists = self.compare_constant(IntCC::SignedGreaterThanOrEqual, record, 0);
            let locals = self.facts.layout.processes[template.index()].locals;
            return self.choose(
                exists,
                types::I32,
                |this| {
                    let state = this.state();
                    let base = this.builder.ins().iadd(state, record);
                    let address =
                        this.indexed(Address { base, offset: (locals + place.offset) as i32 }, place);
                    this.read(address, place.ty)
                },
                |this| this.number(0),
            );
        }
        match self.address(place) {
            Some(address) => self.read(address, place.ty),
            None => self.number(0),
        }
    }

    /// Stores a value of 32 bits, truncated.
    pub(super) fn store(&mut self, place: &Place, value: Value) {
        if let Some(address) = self.address(place) {
            self.write(address, place.ty, value);
        }
    }

    /// The address of a place that is not another process's; nothing when it is nowhere.
    fn address(&mut self, place: &Place) -> Option<Address> {
        let base = match place.base {
            Base::Global => {
                let base = self.state();
                Address { base, offset: 0 }
            }
            Base::Own => {
                let own = self.own?;
                let locals = self.facts.layout.processes[own.template.index()].locals;
                let state = self.state();
                let base = self.builder.ins().iadd(state, own.record);
                Address { base, offset: locals as i32 }
            }
            Base::Other { .. } | Base::Temporary | Base::Discard => return None,
        };
        Some(self.indexed(base.plus(place.offset), place))
    }

    /// Adds the indices of a place to an address, each checked.
    fn indexed(&mut self, mut address: Address, place: &Place) -> Address {
        for index in &place.indices {
            let constant = self.facts.constant(&index.value).and_then(|value| u32::try_from(value).ok());
            if let Some(value) = constant.filter(|value| *value < index.length) {
                address = address.plus(value * index.stride);
                continue;
            }
            let value = self.index(&index.value, index.length);
            let distance = self.scaled(value, index.stride);
            address.base = self.builder.ins().iadd(address.base, distance);
        }
        address
    }

    /// An index below a length, 64 bits.
    pub(super) fn index(&mut self, index: &Expr, length: u32) -> Value {
        let value = self.value(index);
        if self.facts.largest(index).is_none_or(|largest| largest >= length) {
            let inside = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, value, i64::from(length));
            self.require(inside);
        }
        self.builder.ins().uextend(types::I64, value)
    }

    /// A product of 64 bits with a constant.
    pub(super) fn scaled(&mut self, value: Value, factor: u32) -> Value {
        match factor {
            1 => value,
            _ if factor.is_power_of_two() => {
                self.builder.ins().ishl_imm_s(value, i64::from(factor.trailing_zeros()))
            }
            _ => self.builder.ins().imul_imm_s(value, i64::from(factor)),
        }
    }

    /// First byte of the record of a process of a template, 64 bits; -1 when there is no such process.
    fn other(&mut self, template: TemplateId, process: Option<&Expr>) -> Value {
        let number = match process {
            Some(process) => {
                let number = self.value(process);
                self.builder.ins().sextend(types::I64, number)
            }
            None => {
                let template = self.wide(u64::from(template.0));
                self.call("first_of", &[template]).expect("it gives a value")
            }
        };
        let count = self.context_field(field::N_PROCESSES);
        let exists = self.compare(IntCC::UnsignedLessThan, number, count);
        self.choose(
            exists,
            types::I64,
            |this| {
                let entries = this.context_field(field::PROCESSES);
                let distance = this.builder.ins().ishl_imm_s(number, ENTRY_SHIFT);
                let entry = this.builder.ins().iadd(entries, distance);
                let offset = this.builder.ins().uload32(Self::own_memory(), entry, 0);
                let found = this.builder.ins().uload32(Self::own_memory(), entry, 4);
                let fits = this.compare_constant(IntCC::Equal, found, i64::from(template.0));
                let none = this.builder.ins().iconst(types::I64, -1);
                this.builder.ins().select(fits, offset, none)
            },
            |this| this.builder.ins().iconst(types::I64, -1),
        )
    }

    /// The location of a process of a template, 32 bits.
    fn location(&mut self, template: TemplateId, record: Value) -> Value {
        let layout = self.facts.layout.processes[template.index()];
        let state = self.state();
        let base = self.builder.ins().iadd(state, record);
        self.read_number(Address { base, offset: layout.location as i32 }, layout.location_width)
    }

    /// Reads an unsigned number of 1, 2 or 4 bytes, to 32 bits.
    pub(super) fn read_number(&mut self, address: Address, width: u32) -> Value {
        let Address { base, offset } = address;
        match width {
            1 => self.builder.ins().uload8(types::I32, Self::state_memory(), base, offset),
            2 => self.builder.ins().uload16(types::I32, Self::state_memory(), base, offset),
            _ => self.builder.ins().load(types::I32, Self::state_memory(), base, offset),
        }
    }

    /// Stores the low 1, 2 or 4 bytes of a value of 32 bits.
    pub(super) fn write_number(&mut self, address: Address, width: u32, value: Value) {
        let Address { base, offset } = address;
        match width {
            1 => self.builder.ins().istore8(Self::state_memory(), value, base, offset),
            2 => self.builder.ins().istore16(Self::state_memory(), value, base, offset),
            _ => self.builder.ins().store(Self::state_memory(), value, base, offset),
        };
    }

    /// Reads a scalar, to 32 bits.
    pub(super) fn read(&mut self, address: Address, ty: ScalarType) -> Value {
        let Address { base, offset } = address;
        match (ty.bits, ty.signed) {
            (8, true) => self.builder.ins().sload8(types::I32, Self::state_memory(), base, offset),
            (16, true) => self.builder.ins().sload16(types::I32, Self::state_memory(), base, offset),
            _ => {
                let raw = self.read_number(address, ty.size());
                self.truncated(raw, ty)
            }
        }
    }

    /// The value that reading back gives, 32 bits.
    pub(super) fn truncated(&mut self, value: Value, ty: ScalarType) -> Value {
        let unused = 32 - i64::from(ty.bits);
        if unused == 0 {
            return value;
        }
        if ty.signed {
            let up = self.builder.ins().ishl_imm_s(value, unused);
            return self.builder.ins().sshr_imm_s(up, unused);
        }
        self.builder.ins().band_imm_s(value, (1i64 << ty.bits) - 1)
    }

    /// Stores a value of 32 bits in a scalar. High bits that are not used become zero.
    pub(super) fn write(&mut self, address: Address, ty: ScalarType, value: Value) {
        let value = match ty.bits {
            8 | 16 | 32 => value,
            bits => self.builder.ins().band_imm_s(value, (1i64 << bits) - 1),
        };
        self.write_number(address, ty.size(), value);
    }

    /// The query of a channel, 32 bits.
    fn query(&mut self, query: ChannelQuery, channel: &Expr) -> Value {
        let channel = self.channel(channel);
        self.by_class(channel, types::I32, |this, record, class| {
            let class = &this.facts.classes[class];
            let (width, at, capacity) = (class.layout.length_width, class.layout.length, class.capacity);
            if width == 0 {
                let empty = matches!(query, ChannelQuery::Empty | ChannelQuery::NotFull);
                return this.number(i32::from(empty));
            }
            let length = this.read_number(record.plus(at), width);
            let how = match query {
                ChannelQuery::Length => return length,
                ChannelQuery::Empty => (IntCC::Equal, 0),
                ChannelQuery::NotEmpty => (IntCC::NotEqual, 0),
                ChannelQuery::Full => (IntCC::Equal, capacity),
                ChannelQuery::NotFull => (IntCC::NotEqual, capacity),
            };
            let answer = this.compare_constant(how.0, length, i64::from(how.1));
            this.builder.ins().uextend(types::I32, answer)
        })
    }
}

fn comparison(op: BinaryOp) -> IntCC {
    match op {
        BinaryOp::Equal => IntCC::Equal,
        BinaryOp::NotEqual => IntCC::NotEqual,
        BinaryOp::Less => IntCC::SignedLessThan,
        BinaryOp::LessEqual => IntCC::SignedLessThanOrEqual,
        BinaryOp::Greater => IntCC::SignedGreaterThan,
        _ => IntCC::SignedGreaterThanOrEqual,
    }
}

/// Number of parts of an expression.
fn size(expr: &Expr) -> usize {
    match expr {
        Expr::Const(_) => 0,
        Expr::Load(place) => {
            1 + place.indices.iter().map(|index| 1 + size(&index.value)).sum::<usize>()
                + if matches!(place.base, Base::Other { .. }) { SHORT } else { 0 }
        }
        Expr::Unary(_, operand) => 1 + size(operand),
        Expr::Binary(_, left, right) => 1 + size(left) + size(right),
        Expr::Conditional(condition, then, otherwise) => 1 + size(condition) + size(then) + size(otherwise),
        Expr::Channel(_, channel) => 2 + size(channel),
        Expr::OwnProcess | Expr::ProcessCount | Expr::LastProcess | Expr::Created | Expr::Timeout => 1,
        _ => SHORT + 1,
    }
}
