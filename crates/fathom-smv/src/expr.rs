//! Expressions of one state, or of a step, as expressions of the model.
//!
//! A value before a step is in the globals, a value after it in the temporaries until the step is over: `next(x)` reads the temporary of `x`. A set is no value; whether
//! something is in it is an expression ([`Flat::member`], in `set.rs`).

use std::collections::BTreeSet;

use fathom_model::{Base, BinaryOp as Op, Expr as ModelExpr, Place, ScalarKind, UnaryOp as Not};
use fathom_source::{Span, similar};

use crate::flatten::{Flat, Symbol};
use crate::syntax::{BinaryOp, Expr, ExprKind, UnaryOp, VarKind};
use crate::value::{Ty, Value, both, equal, fold, masked, within};

/// How deep lowering may recurse.
pub(crate) const DEEPEST: usize = 400;
/// Most nodes of expressions of one program.
const MOST_NODES: usize = 4_000_000;

/// Where an expression stands.
#[derive(Clone, Debug)]
pub(crate) struct Context<'a> {
    pub(crate) scope: usize,
    /// Whether names mean values after the step.
    pub(crate) primed: bool,
    /// Whether `next` may occur.
    pub(crate) has_next: bool,
    /// Whether inputs may occur.
    pub(crate) has_inputs: bool,
    /// Whether variables may occur.
    pub(crate) has_variables: bool,
    /// Whether values that never change are made in this effect.
    pub(crate) is_initial: bool,
    /// The process that runs, in a step.
    pub(crate) running: Option<usize>,
    /// Variables that the step leaves alone.
    pub(crate) kept: &'a [bool],
    /// Whether a value stands in a set that another value makes comparable with what is looked for.
    pub(crate) among: bool,
    pub(crate) depth: usize,
}

impl<'a> Context<'a> {
    /// In a state.
    pub(crate) fn state(scope: usize) -> Context<'a> {
        Context {
            scope,
            primed: false,
            has_next: false,
            has_inputs: false,
            has_variables: true,
            is_initial: false,
            running: None,
            kept: &[],
            among: false,
            depth: 0,
        }
    }

    /// Where only constants may stand.
    pub(crate) fn constant(scope: usize) -> Context<'a> {
        Context { has_variables: false, ..Context::state(scope) }
    }
}

impl Flat {
    pub(crate) fn wrong(&mut self, code: &'static str, message: impl Into<String>, span: Span) -> Value {
        self.error(code, message, Some(span));
        Value::broken()
    }

    pub(crate) fn too_deep(&mut self, span: Span) {
        let message = format!("definitions are circular, or an expression nests deeper than {DEEPEST}");
        self.error("smv::too-large", message, Some(span));
    }

    pub(crate) fn expected(&mut self, what: &str, found: Ty, span: Span) -> Value {
        if found == Ty::Broken {
            return Value::broken();
        }
        self.wrong("smv::type", format!("expected {what}, found {}", found.describe()), span)
    }

    /// The value of an expression.
    pub(crate) fn value(&mut self, expr: &Expr, context: &Context<'_>) -> Value {
        self.n_nodes += 1;
        if context.depth > DEEPEST || self.n_nodes > MOST_NODES {
            let is_said = self.diagnostics.iter().any(|said| said.code == "smv::too-large");
            if !is_said {
                self.too_deep(expr.span);
            }
            return Value::broken();
        }
        let context = &Context { depth: context.depth + 1, ..context.clone() };
        match &expr.kind {
            ExprKind::Integer(value) => Value::constant(*value, Ty::Int),
            ExprKind::Boolean(value) => Value::constant(i64::from(*value), Ty::Bool),
            ExprKind::Word { signed, width, bits } => self.word_constant(*signed, *width, *bits, expr.span),
            ExprKind::Name(name) if name == "running" && !self.has_symbol(name, context.scope) => {
                self.running(context.scope, expr.span, context)
            }
            ExprKind::Field(base, field) if field.text == "running" => match self.symbol(base, context.scope)
            {
                Some(Symbol::Instance(inner)) if !self.has_symbol("running", inner) => {
                    self.running(inner, expr.span, context)
                }
                _ => self.named(expr, context),
            },
            ExprKind::Name(_) | ExprKind::Field(..) => self.named(expr, context),
            ExprKind::Index(base, index) => self.element(expr, base, index, context),
            ExprKind::Bits(word, high, low) => self.bits(word, high, low, expr.span, context),
            ExprKind::Unary(op, operand) => self.unary(*op, operand, context),
            ExprKind::Binary(BinaryOp::In, value, set) => {
                let value = self.value(value, context);
                let truth = self.member(set, context, &value);
                Value::truth(truth)
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr.span, context),
            ExprKind::Conditional(condition, then, otherwise) => {
                let condition = self.truth(condition, context);
                let (left, right) = (self.value(then, context), self.value(otherwise, context));
                self.chosen(condition, left, right, expr.span)
            }
            ExprKind::Case(branches) => {
                let Some(((condition, last), before)) = branches.split_last() else { return Value::broken() };
                let mut value = self.value(last, context);
                let otherwise = self.truth(condition, context);
                if fold(&otherwise) != Some(1) && value.ty != Ty::Broken {
                    let parts = (Box::new(otherwise), Box::new(value.expr), Box::new(no_branch()));
                    value.expr = ModelExpr::Conditional(parts.0, parts.1, parts.2);
                }
                for (condition, branch) in before.iter().rev() {
                    let condition = self.truth(condition, context);
                    let branch = self.value(branch, context);
                    value = self.chosen(condition, branch, value, expr.span);
                }
                value
            }
            ExprKind::Next(inner) => {
                if !context.has_next || context.primed {
                    return self.wrong("smv::next", "`next` does not belong here", expr.span);
                }
                let primed = Context { primed: true, has_next: false, has_inputs: false, ..context.clone() };
                self.value(inner, &primed)
            }
            ExprKind::Call(name, arguments) => self.call(&name.text, name.span, arguments, context),
            ExprKind::Set(elements) if elements.len() == 1 => self.value(&elements[0], context),
            ExprKind::Array(_) => self.wrong("smv::type", "a whole array is no value", expr.span),
            ExprKind::Set(_) | ExprKind::Range(..) => {
                self.wrong("smv::set", "a set stands where one value is expected", expr.span)
            }
            ExprKind::Temporal(..) | ExprKind::PathUntil { .. } => {
                self.wrong("smv::temporal", "a temporal operator does not belong here", expr.span)
            }
        }
    }

    /// A condition.
    pub(crate) fn truth(&mut self, expr: &Expr, context: &Context<'_>) -> ModelExpr {
        let value = self.value(expr, context);
        self.as_truth(value, expr.span).expr
    }

    fn as_truth(&mut self, value: Value, span: Span) -> Value {
        match value.ty {
            Ty::Bool | Ty::Broken => value,
            // As in older texts.
            Ty::Int if value.least >= 0 && value.most <= 1 => Value { ty: Ty::Bool, ..value },
            _ => self.expected("a truth value", value.ty, span),
        }
    }

    fn has_symbol(&self, name: &str, scope: usize) -> bool {
        self.scopes[scope].symbols.contains_key(name)
    }

    /// Whether the process that an instance is part of makes the step.
    fn running(&mut self, scope: usize, span: Span, context: &Context<'_>) -> Value {
        let is_process = self.processes.len() > 1 && self.processes.contains(&scope);
        if !is_process {
            return self.wrong("smv::running", "`running` is about processes, and this is none", span);
        }
        match context.running {
            Some(process) => {
                let is_running = process == self.scopes[scope].process;
                Value::constant(i64::from(is_running), Ty::Bool)
            }
            None => self.wrong("smv::running", "`running` is about steps", span),
        }
    }

    fn word_constant(&mut self, signed: bool, width: u32, bits: u64, span: Span) -> Value {
        let widest = if signed { 32 } else { 31 };
        if width > widest {
            return self.wrong("smv::unsupported", format!("words have at most {widest} bits here"), span);
        }
        let value =
            if signed && bits >> (width - 1) & 1 == 1 { bits as i64 - (1 << width) } else { bits as i64 };
        Value::constant(value, Ty::Word { signed, width })
    }

    fn named(&mut self, expr: &Expr, context: &Context<'_>) -> Value {
        if let ExprKind::Name(name) = &expr.kind
            && self.literals.contains_key(name)
            && self.has_symbol(name, context.scope)
        {
            let message = format!("`{name}` is a parameter and a symbolic constant");
            return self.wrong("smv::ambiguous", message, expr.span);
        }
        match self.symbol(expr, context.scope) {
            Some(Symbol::Variable(number)) => self.load(number, expr.span, context),
            Some(Symbol::Define((value, scope))) => {
                let value = value.clone();
                self.value(&value, &Context { scope, ..context.clone() })
            }
            Some(Symbol::Array { .. }) => self.wrong("smv::type", "a whole array is no value", expr.span),
            Some(Symbol::Instance(_)) => self.wrong("smv::type", "an instance is no value", expr.span),
            None => {
                let ExprKind::Name(name) = &expr.kind else {
                    let value = self.wrong("smv::undeclared", "nothing of this name is declared", expr.span);
                    self.help_with_name(expr, context.scope);
                    return value;
                };
                match self.literals.get(name) {
                    Some(&(group, number)) => Value::constant(number, Ty::Enum(group)),
                    None => {
                        let value =
                            self.wrong("smv::undeclared", format!("`{name}` is not declared"), expr.span);
                        self.help_with_name(expr, context.scope);
                        value
                    }
                }
            }
        }
    }

    /// Adds the nearest name there is to what was said last.
    fn help_with_name(&mut self, expr: &Expr, scope: usize) {
        let near = match &expr.kind {
            ExprKind::Name(name) => {
                let literals = self.literals.keys().map(String::as_str);
                let names = self.scopes[scope].symbols.keys().map(String::as_str);
                similar(name, names.chain(literals)).map(str::to_owned)
            }
            ExprKind::Field(base, field) => match self.symbol(base, scope) {
                Some(Symbol::Instance(inner)) => {
                    let names = self.scopes[inner].symbols.keys().map(String::as_str);
                    similar(&field.text, names).map(str::to_owned)
                }
                Some(_) => None,
                None => return self.help_with_name(base, scope),
            },
            _ => None,
        };
        if let Some(near) = near
            && let Some(said) = self.diagnostics.pop()
        {
            self.diagnostics.push(said.help(format!("there is a `{near}`")));
        }
    }

    /// The place of a variable, before or after the step.
    pub(crate) fn place(&self, number: usize, base: Base) -> Place {
        let variable = &self.variables[number];
        Place::fixed(base, variable.offset, variable.domain.scalar(self.kind_of(number)))
    }

    /// What the bits of a variable stand for.
    pub(crate) fn kind_of(&self, number: usize) -> ScalarKind {
        match self.variables[number].domain.ty {
            Ty::Bool => ScalarKind::Boolean,
            Ty::Enum(group) => ScalarKind::Enumeration(fathom_model::EnumerationId::from(group)),
            _ => ScalarKind::Integer,
        }
    }

    pub(crate) fn load(&mut self, number: usize, span: Span, context: &Context<'_>) -> Value {
        let variable = &self.variables[number];
        if !context.has_variables {
            return self.wrong("smv::constant", "a constant is expected", span);
        }
        let base = match variable.kind {
            VarKind::Input if context.has_inputs => Base::Temporary,
            VarKind::Input => return self.wrong("smv::input", "an input does not belong here", span),
            VarKind::Frozen if context.is_initial => Base::Temporary,
            VarKind::Frozen => Base::Global,
            VarKind::State if context.primed && !context.kept.get(number).copied().unwrap_or(false) => {
                Base::Temporary
            }
            VarKind::State => Base::Global,
        };
        variable.domain.value(ModelExpr::Load(self.place(number, base)))
    }

    pub(crate) fn bits(
        &mut self,
        word: &Expr,
        high: &Expr,
        low: &Expr,
        span: Span,
        context: &Context<'_>,
    ) -> Value {
        let value = self.value(word, context);
        let Ty::Word { width, .. } = value.ty else { return self.expected("a word", value.ty, word.span) };
        let (Some(high), Some(low)) = (self.constant(high, context.scope), self.constant(low, context.scope))
        else {
            return Value::broken();
        };
        if low < 0 || high < low || high >= i64::from(width) || high - low > 30 {
            return self.wrong("smv::bounds", format!("no bits {high} to {low} in {width} bits"), span);
        }
        let shifted = ModelExpr::binary(Op::ShiftRight, value.expr, ModelExpr::Const(low));
        Value::word(shifted, false, (high - low + 1) as u32)
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr, context: &Context<'_>) -> Value {
        let value = self.value(operand, context);
        match (op, value.ty) {
            (_, Ty::Broken) => value,
            (UnaryOp::Not, Ty::Word { signed, width }) => {
                Value::word(ModelExpr::Unary(Not::Complement, Box::new(value.expr)), signed, width)
            }
            (UnaryOp::Not, _) => {
                let truth = self.as_truth(value, operand.span);
                if truth.ty == Ty::Broken { truth } else { Value::truth(ModelExpr::negation(truth.expr)) }
            }
            (UnaryOp::Negate, Ty::Word { signed, width }) => {
                Value::word(ModelExpr::Unary(Not::Negate, Box::new(value.expr)), signed, width)
            }
            (UnaryOp::Negate, Ty::Int) => {
                let (least, most) = (-value.most, -value.least);
                Value::number(ModelExpr::Unary(Not::Negate, Box::new(value.expr)), least, most)
            }
            (UnaryOp::Negate, ty) => self.expected("a number", ty, operand.span),
        }
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        span: Span,
        context: &Context<'_>,
    ) -> Value {
        if matches!(op, BinaryOp::Until | BinaryOp::Release) {
            return self.wrong("smv::temporal", "a temporal operator does not belong here", span);
        }
        if op == BinaryOp::Union {
            return self.wrong("smv::set", "a set stands where one value is expected", span);
        }
        let is_associative = matches!(
            op,
            BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor
                | BinaryOp::Xnor
                | BinaryOp::Add
                | BinaryOp::Multiply
        );
        if is_associative && spine(op, left).is_some() {
            return self.chain(op, left, right, context);
        }
        let (a, b) = (self.value(left, context), self.value(right, context));
        if a.ty == Ty::Broken || b.ty == Ty::Broken {
            return Value::broken();
        }
        self.combined(op, (a, left.span), (b, right.span), span)
    }

    /// What an operator makes of two values.
    fn combined(
        &mut self,
        op: BinaryOp,
        (a, left): (Value, Span),
        (b, right): (Value, Span),
        span: Span,
    ) -> Value {
        use BinaryOp::{Equivalent, Implies, Xnor, Xor};
        match op {
            BinaryOp::And | BinaryOp::Or | Xor | Xnor | Implies | Equivalent => {
                self.connective(op, (a, left), (b, right))
            }
            BinaryOp::Equal | BinaryOp::NotEqual => self.equality(op == BinaryOp::Equal, a, b, span),
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => {
                if !self.are_numbers(&a, &b, span) {
                    return Value::broken();
                }
                let op = match op {
                    BinaryOp::Less => Op::Less,
                    BinaryOp::LessEqual => Op::LessEqual,
                    BinaryOp::Greater => Op::Greater,
                    _ => Op::GreaterEqual,
                };
                Value::truth(ModelExpr::binary(op, a.expr, b.expr))
            }
            BinaryOp::Concat => match (a.ty, b.ty) {
                (Ty::Word { width: high, .. }, Ty::Word { width: low, .. }) if high + low <= 31 => {
                    let shifted = ModelExpr::binary(Op::ShiftLeft, a.expr, ModelExpr::Const(i64::from(low)));
                    let joined = ModelExpr::binary(Op::BitOr, shifted, masked(b.expr, low));
                    Value::word(joined, false, high + low)
                }
                (Ty::Word { .. }, Ty::Word { .. }) => {
                    self.wrong("smv::unsupported", "words have at most 31 bits here", span)
                }
                (Ty::Word { .. }, other) | (other, _) => self.expected("a word", other, span),
            },
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => self.shift(op == BinaryOp::ShiftLeft, a, b, span),
            _ => self.arithmetic(op, a, b, span),
        }
    }

    /// A long row of operands of which any two neighbours may be taken first: as deep as its length has digits.
    fn chain(&mut self, op: BinaryOp, left: &Expr, right: &Expr, context: &Context<'_>) -> Value {
        let mut operands = vec![right];
        let mut rest = left;
        while let Some((before, last)) = spine(op, rest) {
            operands.push(last);
            rest = before;
        }
        operands.push(rest);
        let mut values: Vec<(Value, Span)> =
            operands.into_iter().rev().map(|one| (self.value(one, context), one.span)).collect();
        while values.len() > 1 {
            let mut joined = Vec::with_capacity(values.len().div_ceil(2));
            let mut parts = values.into_iter();
            while let Some(one) = parts.next() {
                match parts.next() {
                    Some(other) if one.0.ty == Ty::Broken || other.0.ty == Ty::Broken => {
                        return Value::broken();
                    }
                    Some(other) => {
                        let span = other.1;
                        joined.push((self.combined(op, one, other, span), span));
                    }
                    None => joined.push(one),
                }
            }
            values = joined;
        }
        values.pop().map_or_else(Value::broken, |(value, _)| value)
    }

    fn connective(&mut self, op: BinaryOp, (a, left): (Value, Span), (b, right): (Value, Span)) -> Value {
        if let (Ty::Word { signed, width }, Ty::Word { .. }) = (a.ty, b.ty) {
            if a.ty != b.ty {
                return self.expected(&a.ty.describe(), b.ty, right);
            }
            let complement = |expr: ModelExpr| ModelExpr::Unary(Not::Complement, Box::new(expr));
            let expr = match op {
                BinaryOp::And => ModelExpr::binary(Op::BitAnd, a.expr, b.expr),
                BinaryOp::Or => ModelExpr::binary(Op::BitOr, a.expr, b.expr),
                BinaryOp::Xor => ModelExpr::binary(Op::BitXor, a.expr, b.expr),
                BinaryOp::Implies => ModelExpr::binary(Op::BitOr, complement(a.expr), b.expr),
                _ => complement(ModelExpr::binary(Op::BitXor, a.expr, b.expr)),
            };
            return Value::word(expr, signed, width);
        }
        let (a, b) = (self.as_truth(a, left), self.as_truth(b, right));
        if a.ty == Ty::Broken || b.ty == Ty::Broken {
            return Value::broken();
        }
        Value::truth(match op {
            BinaryOp::And => both(a.expr, b.expr),
            BinaryOp::Or => ModelExpr::binary(Op::Or, a.expr, b.expr),
            BinaryOp::Implies => ModelExpr::binary(Op::Or, ModelExpr::negation(a.expr), b.expr),
            BinaryOp::Xor => ModelExpr::binary(Op::NotEqual, a.expr, b.expr),
            _ => equal(a.expr, b.expr),
        })
    }

    pub(crate) fn equality(&mut self, is_equal: bool, a: Value, b: Value, span: Span) -> Value {
        let is_word = |ty: Ty| matches!(ty, Ty::Word { .. });
        if (is_word(a.ty) || is_word(b.ty)) && a.ty != b.ty {
            return self.expected(&a.ty.describe(), b.ty, span);
        }
        let op = if is_equal { Op::Equal } else { Op::NotEqual };
        let is_small = |number: &Value| number.least >= 0 && number.most <= 1;
        match (a.ty, b.ty) {
            (Ty::Broken, _) | (_, Ty::Broken) => Value::broken(),
            (one, other) if one == other => Value::truth(ModelExpr::binary(op, a.expr, b.expr)),
            // As in older texts.
            (Ty::Bool, Ty::Int) if is_small(&b) => Value::truth(ModelExpr::binary(op, a.expr, b.expr)),
            (Ty::Int, Ty::Bool) if is_small(&a) => Value::truth(ModelExpr::binary(op, a.expr, b.expr)),
            _ => {
                let value = self.equal_anywhere(a, b, span);
                match value.expr {
                    _ if is_equal || value.ty == Ty::Broken => value,
                    ModelExpr::Const(known) => Value::constant(1 - known, Ty::Bool),
                    ModelExpr::Binary(_, a, b) => Value::truth(ModelExpr::Binary(op, a, b)),
                    expr => Value::truth(ModelExpr::negation(expr)),
                }
            }
        }
    }

    /// Whether two values can be computed with together; says so if not.
    fn are_numbers(&mut self, a: &Value, b: &Value, span: Span) -> bool {
        let is_number = |ty: Ty| ty == Ty::Int;
        match (a.ty, b.ty) {
            (Ty::Word { .. }, _) | (_, Ty::Word { .. }) if a.ty == b.ty => true,
            (Ty::Word { .. }, other) | (other, Ty::Word { .. }) => {
                self.expected("words of one type", other, span);
                false
            }
            (one, other) if is_number(one) && is_number(other) => true,
            (one, other) => {
                self.expected("numbers", if is_number(one) { other } else { one }, span);
                false
            }
        }
    }

    fn shift(&mut self, is_left: bool, a: Value, b: Value, span: Span) -> Value {
        let Ty::Word { signed, width } = a.ty else { return self.expected("a word", a.ty, span) };
        if !matches!(b.ty, Ty::Int | Ty::Word { signed: false, .. }) {
            return self.expected("how far to shift", b.ty, span);
        }
        let known = b.known();
        if known.is_some_and(|by| !(0..=i64::from(width)).contains(&by)) {
            let message = format!("{width} bits are shifted by 0 to {width}");
            return self.wrong("smv::bounds", message, span);
        }
        let op = if is_left { Op::ShiftLeft } else { Op::ShiftRight };
        let sign = ModelExpr::binary(Op::Less, a.expr.clone(), ModelExpr::Const(0));
        let beyond = match is_left || !signed {
            true => ModelExpr::Const(0),
            false => ModelExpr::Unary(Not::Negate, Box::new(sign)),
        };
        let mut expr = ModelExpr::binary(op, a.expr, b.expr.clone());
        if b.most >= i64::from(width) {
            let is_whole = equal(b.expr.clone(), ModelExpr::Const(width.into()));
            expr = ModelExpr::Conditional(Box::new(is_whole), Box::new(beyond), Box::new(expr));
        }
        if b.least < 0 || b.most > i64::from(width) {
            let fits = within(&b.expr, 0, width.into());
            expr = ModelExpr::Conditional(Box::new(fits), Box::new(expr), Box::new(no_branch()));
        }
        Value::word(expr, signed, width)
    }

    fn arithmetic(&mut self, op: BinaryOp, a: Value, b: Value, span: Span) -> Value {
        if !self.are_numbers(&a, &b, span) {
            return Value::broken();
        }
        let model_op = match op {
            BinaryOp::Add => Op::Add,
            BinaryOp::Subtract => Op::Subtract,
            BinaryOp::Multiply => Op::Multiply,
            BinaryOp::Divide => Op::Divide,
            _ => Op::Remainder,
        };
        let (least, most) = match op {
            BinaryOp::Add => (a.least + b.least, a.most + b.most),
            BinaryOp::Subtract => (a.least - b.most, a.most - b.least),
            BinaryOp::Multiply => {
                let ends = [(a.least, b.least), (a.least, b.most), (a.most, b.least), (a.most, b.most)];
                let products = ends.map(|(one, other)| one.saturating_mul(other));
                (products.into_iter().min().unwrap_or(0), products.into_iter().max().unwrap_or(0))
            }
            BinaryOp::Divide => {
                let far = a.least.abs().max(a.most.abs());
                (if a.least >= 0 && b.least >= 0 { 0 } else { -far }, far)
            }
            _ => {
                let far = b.least.abs().max(b.most.abs()) - 1;
                (if a.least >= 0 { 0 } else { -far }, far.min(if a.least >= 0 { a.most } else { far }))
            }
        };
        let expr = ModelExpr::binary(model_op, a.expr, b.expr);
        if let Ty::Word { signed, width } = a.ty {
            return Value::word(expr, signed, width);
        }
        if least < i64::from(i32::MIN) || most > i64::from(i32::MAX) {
            return Value::number(expr, i64::from(i32::MIN), i64::from(i32::MAX));
        }
        Value::number(expr, least, most)
    }

    /// One value or another.
    pub(crate) fn chosen(
        &mut self,
        condition: ModelExpr,
        then: Value,
        otherwise: Value,
        span: Span,
    ) -> Value {
        let Some((then, otherwise, ty)) = self.in_common(then, otherwise, span) else {
            return Value::broken();
        };
        let values = match (&then.values, &otherwise.values) {
            (Some(one), Some(other)) => Some(one | other).filter(|values| values.len() <= 256),
            _ => None,
        };
        let (least, most) = (then.least.min(otherwise.least), then.most.max(otherwise.most));
        let parts = (Box::new(condition), Box::new(then.expr), Box::new(otherwise.expr));
        Value { expr: ModelExpr::Conditional(parts.0, parts.1, parts.2), ty, least, most, values }
    }

    /// Whether words have so many bits; says so if not.
    fn is_width(&mut self, width: i64, signed: bool, span: Span) -> bool {
        let widest = if signed { 32 } else { 31 };
        let is_width = (1..=widest).contains(&width);
        if !is_width {
            let message = format!("words have 1 to {widest} bits here, not {width}");
            self.error("smv::unsupported", message, Some(span));
        }
        is_width
    }

    fn call(&mut self, name: &str, at: Span, arguments: &[Expr], context: &Context<'_>) -> Value {
        let wanted = match name {
            "bool" | "word1" | "toint" | "signed" | "unsigned" | "abs" | "sizeof" => Some(1),
            "extend" | "resize" | "uwconst" | "swconst" | "max" | "min" => Some(2),
            "count" => None,
            _ => return self.wrong("smv::unsupported", format!("no function `{name}`"), at),
        };
        if wanted.is_some_and(|wanted| wanted != arguments.len()) {
            return self.wrong("smv::arguments", format!("`{name}` has another number of arguments"), at);
        }
        let values: Vec<Value> = arguments.iter().map(|argument| self.value(argument, context)).collect();
        if values.iter().any(|value| value.ty == Ty::Broken) {
            return Value::broken();
        }
        let first = values[0].clone();
        match (name, first.ty) {
            ("bool", Ty::Bool) => first,
            ("bool", Ty::Int | Ty::Word { .. }) => {
                Value::truth(ModelExpr::binary(Op::NotEqual, first.expr, ModelExpr::Const(0)))
            }
            ("word1", Ty::Bool) => Value::word(first.expr, false, 1),
            ("toint", Ty::Bool | Ty::Int | Ty::Word { .. }) => Value { ty: Ty::Int, ..first },
            ("signed", Ty::Word { width, .. }) => Value::word(first.expr, true, width),
            ("unsigned", Ty::Word { width, .. }) if width <= 31 => Value::word(first.expr, false, width),
            ("extend" | "resize", Ty::Word { signed, width: old }) => {
                let Some(by) = self.constant(&arguments[1], context.scope) else { return Value::broken() };
                let is_extended = name == "extend";
                if is_extended && by < 0 {
                    return self.wrong(
                        "smv::bounds",
                        "a word is extended by 0 bits or more",
                        arguments[1].span,
                    );
                }
                let width = if is_extended { i64::from(old).saturating_add(by) } else { by };
                if !self.is_width(width, signed, arguments[1].span) {
                    return Value::broken();
                }
                let width = width as u32;
                let is_narrower = signed && width < old;
                let expr = if is_narrower { narrowed(first.expr, width) } else { first.expr };
                Value::word(expr, signed, width)
            }
            ("sizeof", Ty::Word { width, .. }) => Value::constant(i64::from(width), Ty::Int),
            ("uwconst" | "swconst", Ty::Int) => {
                let Some(width) = self.constant(&arguments[1], context.scope) else { return Value::broken() };
                let signed = name == "swconst";
                if !self.is_width(width, signed, arguments[1].span) {
                    return Value::broken();
                }
                let (least, most) = Ty::bounds_of_word(signed, width as u32);
                let least = least.min(-(1 << (width - 1)));
                if first.known().is_some_and(|known| !(least..=most).contains(&known)) {
                    let message = format!("a number that does not fit {width} bits");
                    return self.wrong("smv::bounds", message, arguments[0].span);
                }
                Value::word(first.expr, signed, width as u32)
            }
            ("abs", Ty::Int) => {
                let negative = ModelExpr::binary(Op::Less, first.expr.clone(), ModelExpr::Const(0));
                let far = first.least.abs().max(first.most.abs());
                let opposite = ModelExpr::Unary(Not::Negate, Box::new(first.expr.clone()));
                let parts = (Box::new(negative), Box::new(opposite), Box::new(first.expr));
                Value::number(ModelExpr::Conditional(parts.0, parts.1, parts.2), 0, far)
            }
            ("max" | "min", Ty::Int) => {
                let second = values[1].clone();
                let op = if name == "max" { Op::Greater } else { Op::Less };
                let condition = ModelExpr::binary(op, first.expr.clone(), second.expr.clone());
                self.chosen(condition, first, second, at)
            }
            ("count", _) => {
                let n_values = values.len() as i64;
                let mut sum = ModelExpr::Const(0);
                for (value, argument) in values.into_iter().zip(arguments) {
                    let truth = self.as_truth(value, argument.span);
                    sum = ModelExpr::binary(Op::Add, sum, truth.expr);
                }
                Value::number(sum, 0, n_values)
            }
            (_, ty) => self.expected(&format!("another argument of `{name}`"), ty, at),
        }
    }

    /// The variables whose values after the step an expression reads, by offset.
    pub(crate) fn reads_after(expr: &ModelExpr, found: &mut BTreeSet<u32>) {
        match expr {
            ModelExpr::Load(place) => {
                if place.base == Base::Temporary {
                    found.insert(place.offset);
                }
                place.indices.iter().for_each(|index| Flat::reads_after(&index.value, found));
            }
            ModelExpr::Unary(_, operand) => Flat::reads_after(operand, found),
            ModelExpr::Binary(_, left, right) => {
                Flat::reads_after(left, found);
                Flat::reads_after(right, found);
            }
            ModelExpr::Conditional(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().for_each(|part| Flat::reads_after(part, found));
            }
            _ => {}
        }
    }
}

/// A signed word made narrower keeps its sign and its low bits.
fn narrowed(expr: ModelExpr, width: u32) -> ModelExpr {
    let low = masked(expr.clone(), width - 1);
    let sign = ModelExpr::binary(Op::Less, expr, ModelExpr::Const(0));
    let negative = ModelExpr::binary(Op::Subtract, low.clone(), ModelExpr::Const(1 << (width - 1)));
    ModelExpr::Conditional(Box::new(sign), Box::new(negative), Box::new(low))
}

/// What stands for the value of a `case` of which no branch is taken: there is none, as with a division by 0.
pub(crate) fn no_branch() -> ModelExpr {
    ModelExpr::binary(Op::Divide, ModelExpr::Const(0), ModelExpr::Const(0))
}

/// The operands of an expression that is made with an operator.
fn spine(op: BinaryOp, expr: &Expr) -> Option<(&Expr, &Expr)> {
    match &expr.kind {
        ExprKind::Binary(found, left, right) if *found == op => Some((left, right)),
        _ => None,
    }
}
