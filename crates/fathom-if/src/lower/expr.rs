//! Expressions: types are checked, names become places.

use fathom_model::{Base, BinaryOp as Op, Expr, Index, Place, TemplateId, UnaryOp as Un};
use fathom_source::Span;

use super::Lowering;
use super::scope::Symbol;
use super::types::{INTEGER, NIL, Ty};
use crate::syntax::{self, BinaryOp, ExprKind, Name, UnaryOp};

/// A scalar value.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) ty: Ty,
    pub(crate) expr: Expr,
}

impl Value {
    fn broken() -> Value {
        Value { ty: Ty::Broken, expr: Expr::Const(0) }
    }

    fn constant(ty: Ty, value: i64) -> Value {
        Value { ty, expr: Expr::Const(value) }
    }

    /// The value, when it is known.
    pub(crate) fn known(&self) -> Option<i64> {
        if let Expr::Const(value) = self.expr { Some(value) } else { None }
    }
}

/// The way to a variable or a part of one.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) base: Base,
    pub(crate) offset: u32,
    pub(crate) indices: Vec<Index>,
    pub(crate) ty: Ty,
}

impl Access {
    /// The scalar inside at an offset.
    pub(crate) fn scalar(&self, offset: u32, ty: &Ty) -> Place {
        Place {
            base: self.base.clone(),
            offset: self.offset + offset,
            indices: self.indices.clone(),
            ty: ty.scalar(),
        }
    }
}

/// Arithmetic at compile time, as the model does it.
fn fold(op: Op, left: i64, right: i64) -> Option<i64> {
    let value = match op {
        Op::Add => left + right,
        Op::Subtract => left - right,
        Op::Multiply => left.checked_mul(right)?,
        Op::Divide if right != 0 => left / right,
        Op::Remainder if right != 0 => left % right,
        Op::Equal => i64::from(left == right),
        Op::NotEqual => i64::from(left != right),
        Op::Less => i64::from(left < right),
        Op::LessEqual => i64::from(left <= right),
        Op::Greater => i64::from(left > right),
        Op::GreaterEqual => i64::from(left >= right),
        Op::And => i64::from(left != 0 && right != 0),
        Op::Or => i64::from(left != 0 || right != 0),
        _ => return None,
    };
    i32::try_from(value).is_ok().then_some(value)
}

/// The range of a result; everything when it may wrap.
fn range_of(op: Op, left: (i64, i64), right: (i64, i64)) -> (i64, i64) {
    let corners = |combine: fn(i64, i64) -> i64| {
        let all = [
            combine(left.0, right.0),
            combine(left.0, right.1),
            combine(left.1, right.0),
            combine(left.1, right.1),
        ];
        (all.into_iter().min().unwrap_or(0), all.into_iter().max().unwrap_or(0))
    };
    let (low, high) = match op {
        Op::Add => corners(|a, b| a + b),
        Op::Subtract => corners(|a, b| a - b),
        Op::Multiply => corners(|a, b| a.saturating_mul(b)),
        Op::Divide if left.0 >= 0 && right.0 >= 0 => (0, left.1),
        Op::Remainder if left.0 >= 0 && right.0 >= 0 => (0, left.1.min((right.1 - 1).max(0))),
        _ => return (i64::from(i32::MIN), i64::from(i32::MAX)),
    };
    if i32::try_from(low).is_ok() && i32::try_from(high).is_ok() {
        (low, high)
    } else {
        (i64::from(i32::MIN), i64::from(i32::MAX))
    }
}

impl Lowering {
    /// A number known now.
    pub(crate) fn constant(&mut self, expr: &syntax::Expr) -> Option<i64> {
        let before = self.diagnostics.len();
        let value = self.value(expr);
        match value.known() {
            Some(known) if value.ty != Ty::Broken => Some(known),
            _ => {
                if self.diagnostics.len() == before {
                    self.error("if::not-constant", "not a constant", expr.span);
                }
                None
            }
        }
    }

    /// A truth value.
    pub(crate) fn condition(&mut self, expr: &syntax::Expr) -> Expr {
        let value = self.value(expr);
        self.expect(&value, &Ty::Bool, expr.span);
        value.expr
    }

    pub(crate) fn expect(&mut self, value: &Value, ty: &Ty, span: Span) {
        if !ty.accepts(&value.ty) {
            let message = format!("expected {}, found {}", self.type_name(ty), self.type_name(&value.ty));
            self.error("if::type", message, span);
        }
    }

    /// A scalar value.
    pub(crate) fn value(&mut self, expr: &syntax::Expr) -> Value {
        match &expr.kind {
            ExprKind::Integer(value) => Value::constant(Ty::Int { low: *value, high: *value }, *value),
            ExprKind::Boolean(value) => Value::constant(Ty::Bool, i64::from(*value)),
            ExprKind::Nil => Value::constant(Ty::Pid, NIL),
            ExprKind::SelfPid => Value { ty: Ty::Pid, expr: Expr::OwnProcess },
            ExprKind::Float(_) => {
                self.unsupported("if::unsupported-float", "numbers with fractions", expr.span);
                Value::broken()
            }
            ExprKind::Name(name) => self.named_value(name, expr),
            ExprKind::Field(..) | ExprKind::Index(..) => match self.access(expr) {
                Some(access) => self.load(&access, expr.span),
                None => Value::broken(),
            },
            ExprKind::Call(name, _) => {
                let what = format!("functions (`{}`), which belong to abstract types,", name.text);
                self.unsupported("if::unsupported-function", &what, expr.span);
                Value::broken()
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::Cast(name, operand) => self.cast(name, operand, expr.span),
            ExprKind::Conditional(condition, then, otherwise) => {
                let condition = self.condition(condition);
                let (then_value, other_value) = (self.value(then), self.value(otherwise));
                self.expect(&other_value, &then_value.ty, otherwise.span);
                let ty = match (&then_value.ty, &other_value.ty) {
                    (Ty::Int { low: a, high: b }, Ty::Int { low: c, high: d }) => {
                        Ty::Int { low: *a.min(c), high: *b.max(d) }
                    }
                    (ty, _) => ty.clone(),
                };
                let parts = (Box::new(condition), Box::new(then_value.expr), Box::new(other_value.expr));
                Value { ty, expr: Expr::Conditional(parts.0, parts.1, parts.2) }
            }
            ExprKind::At(process, state) => self.at_state(process, state, expr.span),
        }
    }

    fn named_value(&mut self, name: &str, expr: &syntax::Expr) -> Value {
        match self.scopes.find(name).cloned() {
            Some(Symbol::Const { ty, value }) => {
                let ty = if let Ty::Int { .. } = ty { Ty::Int { low: value, high: value } } else { ty };
                Value::constant(ty, value)
            }
            _ => match self.access(expr) {
                Some(access) => self.load(&access, expr.span),
                None => Value::broken(),
            },
        }
    }

    fn load(&mut self, access: &Access, span: Span) -> Value {
        if !access.ty.is_scalar() {
            let message = format!("a whole {} is not a value here", self.type_name(&access.ty));
            self.error("if::type", message, span);
            return Value::broken();
        }
        if access.ty == Ty::Clock && !self.clocks_allowed {
            self.error("if::clock-in-expression", "clocks are read in `when` and `tpc` only", span);
            return Value::broken();
        }
        Value { ty: access.ty.clone(), expr: Expr::Load(access.scalar(0, &access.ty)) }
    }

    fn unary(&mut self, op: UnaryOp, operand: &syntax::Expr) -> Value {
        let value = self.value(operand);
        match op {
            UnaryOp::Not => {
                self.expect(&value, &Ty::Bool, operand.span);
                match value.known() {
                    Some(known) => Value::constant(Ty::Bool, i64::from(known == 0)),
                    None => Value { ty: Ty::Bool, expr: Expr::negation(value.expr) },
                }
            }
            UnaryOp::Active => {
                self.expect(&value, &Ty::Pid, operand.span);
                Value { ty: Ty::Bool, expr: self.is_active(value.expr) }
            }
            UnaryOp::Plus => {
                self.expect(&value, &INTEGER, operand.span);
                value
            }
            UnaryOp::Minus => {
                self.expect(&value, &INTEGER, operand.span);
                match (value.known(), &value.ty) {
                    (Some(known), _) => Value::constant(Ty::Int { low: -known, high: -known }, -known),
                    (None, Ty::Int { low, high }) if *low > i64::from(i32::MIN) => Value {
                        ty: Ty::Int { low: -high, high: -low },
                        expr: Expr::Unary(Un::Negate, Box::new(value.expr)),
                    },
                    _ => Value { ty: INTEGER, expr: Expr::Unary(Un::Negate, Box::new(value.expr)) },
                }
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &syntax::Expr, right: &syntax::Expr) -> Value {
        if let BinaryOp::Equal | BinaryOp::NotEqual = op
            && let Some(are_equal) = self.wholes_equal(left, right)
        {
            let expr = if op == BinaryOp::Equal { are_equal } else { Expr::negation(are_equal) };
            return Value { ty: Ty::Bool, expr };
        }
        let (left_value, right_value) = (self.value(left), self.value(right));
        let (model_op, operands, is_truth) = match op {
            BinaryOp::Or => (Op::Or, Some(Ty::Bool), true),
            BinaryOp::And => (Op::And, Some(Ty::Bool), true),
            BinaryOp::Equal => (Op::Equal, None, true),
            BinaryOp::NotEqual => (Op::NotEqual, None, true),
            BinaryOp::Less => (Op::Less, None, true),
            BinaryOp::LessEqual => (Op::LessEqual, None, true),
            BinaryOp::GreaterEqual => (Op::GreaterEqual, None, true),
            BinaryOp::Greater => (Op::Greater, None, true),
            BinaryOp::Add => (Op::Add, Some(INTEGER), false),
            BinaryOp::Subtract => (Op::Subtract, Some(INTEGER), false),
            BinaryOp::Multiply => (Op::Multiply, Some(INTEGER), false),
            BinaryOp::Divide => (Op::Divide, Some(INTEGER), false),
            BinaryOp::Remainder => (Op::Remainder, Some(INTEGER), false),
        };
        let is_difference =
            op == BinaryOp::Subtract && left_value.ty == Ty::Clock && right_value.ty == Ty::Clock;
        match &operands {
            Some(_) if is_difference => {}
            Some(ty) => {
                self.expect(&left_value, ty, left.span);
                self.expect(&right_value, ty, right.span);
            }
            None => {
                let comparable = |ty: &Ty| if *ty == Ty::Clock { INTEGER } else { ty.clone() };
                if !comparable(&left_value.ty).accepts(&comparable(&right_value.ty)) {
                    self.expect(&right_value, &left_value.ty, right.span);
                }
            }
        }
        if let (Some(a), Some(b)) = (left_value.known(), right_value.known())
            && let Some(value) = fold(model_op, a, b)
        {
            let ty = if is_truth { Ty::Bool } else { Ty::Int { low: value, high: value } };
            return Value::constant(ty, value);
        }
        let ty = match (&left_value.ty, &right_value.ty) {
            _ if is_truth => Ty::Bool,
            (Ty::Int { low: a, high: b }, Ty::Int { low: c, high: d }) => {
                let (low, high) = range_of(model_op, (*a, *b), (*c, *d));
                Ty::Int { low, high }
            }
            _ => INTEGER,
        };
        let mut expr = Expr::binary(model_op, left_value.expr.clone(), right_value.expr.clone());
        if is_difference {
            return Value { ty, expr };
        }
        // A comparison of an inactive clock is false.
        for value in [&left_value, &right_value] {
            if value.ty == Ty::Clock {
                let active = Expr::binary(Op::GreaterEqual, value.expr.clone(), Expr::Const(0));
                expr = Expr::binary(Op::And, active, expr);
            }
        }
        Value { ty, expr }
    }

    /// Whether two arrays or records of one type are equal, element by element; none when they are something else.
    fn wholes_equal(&mut self, left: &syntax::Expr, right: &syntax::Expr) -> Option<Expr> {
        let is_place = |expr: &syntax::Expr| {
            matches!(expr.kind, ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Field(..))
        };
        if !is_place(left) || !is_place(right) {
            return None;
        }
        let n_said = self.diagnostics.len();
        let places = (self.access(left), self.access(right));
        self.diagnostics.truncate(n_said);
        let (Some(one), Some(other)) = places else { return None };
        if one.ty.is_scalar() || !one.ty.accepts(&other.ty) {
            return None;
        }
        let scalars = self.scalars(&one.ty).into_iter().zip(self.scalars(&other.ty));
        let equal = scalars.map(|((offset, ty), (other_offset, other_ty))| {
            let (one, other) = (one.scalar(offset, &ty), other.scalar(other_offset, &other_ty));
            Expr::binary(Op::Equal, Expr::Load(one), Expr::Load(other))
        });
        equal.reduce(|all, one| Expr::binary(Op::And, all, one))
    }

    /// `{process} n` is the n-th instance; `{type} e` is a value of another type.
    fn cast(&mut self, name: &Name, operand: &syntax::Expr, span: Span) -> Value {
        let is_meant = |symbol: &Symbol| matches!(symbol, Symbol::Process(_) | Symbol::Type(_));
        match self.scopes.find_meant(&name.text, is_meant).cloned() {
            Some(Symbol::Process(index)) => {
                let number = self.value(operand);
                if number.ty == Ty::Pid {
                    return number;
                }
                self.expect(&number, &INTEGER, operand.span);
                let (first, count) = self.instances(index);
                match number.known() {
                    Some(known) if (0..i64::from(count)).contains(&known) => {
                        Value::constant(Ty::Pid, i64::from(first) + known)
                    }
                    Some(known) => {
                        let message = format!("`{}` has no instance {known} at the start", name.text);
                        self.error("if::no-such-instance", message, span);
                        Value::broken()
                    }
                    None => Value {
                        ty: Ty::Pid,
                        expr: Expr::binary(Op::Add, Expr::Const(i64::from(first)), number.expr),
                    },
                }
            }
            Some(Symbol::Route(_)) => {
                self.error("if::route-as-value", "a signalroute stands after `via` only", span);
                Value::broken()
            }
            _ => {
                let ty = self.named_type(name);
                let value = self.value(operand);
                match (&ty, &value.ty) {
                    (Ty::Broken, _) | (_, Ty::Broken) => Value::broken(),
                    (Ty::Int { .. }, Ty::Int { .. } | Ty::Bool | Ty::Enum(_)) => {
                        let range = if value.ty == Ty::Bool {
                            Ty::Int { low: 0, high: 1 }
                        } else {
                            Ty::Int { low: 0, high: 255 }
                        };
                        let ty = if let Ty::Int { .. } = value.ty { value.ty.clone() } else { range };
                        Value { ty, expr: value.expr }
                    }
                    _ if ty == value.ty => value,
                    _ => {
                        let message =
                            format!("no cast from {} to {}", self.type_name(&value.ty), self.type_name(&ty));
                        self.error("if::type", message, span);
                        Value::broken()
                    }
                }
            }
        }
    }

    /// The way to a variable.
    pub(crate) fn access(&mut self, expr: &syntax::Expr) -> Option<Access> {
        match &expr.kind {
            ExprKind::Name(text) => {
                let name = Name { text: text.clone(), span: expr.span };
                self.variable(&name)
            }
            ExprKind::Field(inner, field) => {
                if let Some(access) = self.variable_of_process(inner, field) {
                    return access;
                }
                let access = self.access(inner)?;
                let Ty::Record(index) = access.ty else {
                    if access.ty != Ty::Broken {
                        let message = format!("{} has no fields", self.type_name(&access.ty));
                        self.error("if::type", message, field.span);
                    }
                    return None;
                };
                let found = self.record_fields[index].iter().find(|(name, ..)| *name == field.text).cloned();
                let Some((_, ty, offset)) = found else {
                    self.unknown("field", field);
                    return None;
                };
                Some(Access { offset: access.offset + offset, ty, ..access })
            }
            ExprKind::Index(inner, index) => {
                let access = self.access(inner)?;
                let index_value = self.value(index);
                let Ty::Array { low, length, element } = access.ty.clone() else {
                    if access.ty != Ty::Broken {
                        let message = format!("{} has no elements", self.type_name(&access.ty));
                        self.error("if::type", message, inner.span);
                    }
                    return None;
                };
                self.expect(&index_value, &INTEGER, index.span);
                self.element(access, low, length, *element, &index_value, index.span)
            }
            _ => {
                self.error("if::not-a-variable", "not a variable", expr.span);
                None
            }
        }
    }

    fn element(
        &mut self,
        access: Access,
        low: i64,
        length: u32,
        element: Ty,
        index: &Value,
        span: Span,
    ) -> Option<Access> {
        let stride = self.size_of(&element);
        let mut access = Access { ty: element, ..access };
        match index.known() {
            Some(known) if (low..low + i64::from(length)).contains(&known) => {
                access.offset += (known - low) as u32 * stride;
            }
            Some(known) => {
                let message = format!("index {known} outside {low}..{}", low + i64::from(length) - 1);
                self.error("if::out-of-range", message, span);
                return None;
            }
            None => {
                let value = match low {
                    0 => index.expr.clone(),
                    _ => Expr::binary(Op::Subtract, index.expr.clone(), Expr::Const(low)),
                };
                access.indices.push(Index { value, length, stride });
            }
        }
        Some(access)
    }

    fn variable(&mut self, name: &Name) -> Option<Access> {
        match self.scopes.find(&name.text).cloned() {
            Some(Symbol::Variable { base, offset, ty }) => {
                if ty == Ty::Broken {
                    return None;
                }
                Some(Access { base, offset, indices: Vec::new(), ty })
            }
            Some(Symbol::Clock(number)) => {
                let place = self.clock_place(number, Expr::OwnProcess);
                Some(Access { base: place.base, offset: place.offset, indices: place.indices, ty: Ty::Clock })
            }
            Some(_) => {
                self.error("if::not-a-variable", format!("`{}` is not a variable", name.text), name.span);
                None
            }
            None => {
                if let Some(access) = self.only_local(name) {
                    return access;
                }
                self.unknown("variable", name);
                None
            }
        }
    }

    /// A variable of another process: `({p}0).x`, `p.x`, `p[1].x`. The inner option is none when that was refused.
    fn variable_of_process(&mut self, process: &syntax::Expr, field: &Name) -> Option<Option<Access>> {
        let (index, pid) = self.process_meant(process)?;
        Some(self.local_of(index, pid?, field))
    }

    /// The process that an expression means and the number of the instance, when it means one at all.
    pub(crate) fn process_meant(&mut self, expr: &syntax::Expr) -> Option<(usize, Option<Expr>)> {
        let (name, operand) = match &expr.kind {
            ExprKind::Name(text) => (text, None),
            ExprKind::Index(inner, number) => match &inner.kind {
                ExprKind::Name(text) => (text, Some(number)),
                _ => return None,
            },
            ExprKind::Cast(name, number) => (&name.text, Some(number)),
            _ => return None,
        };
        let Some(Symbol::Process(index)) = self.scopes.find(name).cloned() else { return None };
        let name = Name { text: name.clone(), span: expr.span };
        let zero = syntax::Expr { kind: ExprKind::Integer(0), span: expr.span };
        let number = operand.map_or(&zero, |number| number);
        let value = self.cast(&name, number, expr.span);
        Some((index, (value.ty != Ty::Broken).then_some(value.expr)))
    }

    /// A variable of a process, by the number of the instance.
    pub(crate) fn local_of(&mut self, index: usize, pid: Expr, field: &Name) -> Option<Access> {
        let found = self.locals_of.get(index).and_then(|level| level.get(&field.text)).cloned();
        match found {
            Some((Symbol::Variable { base: Base::Own, offset, ty }, _)) => {
                let base = Base::Other { template: TemplateId::from(index), process: Some(Box::new(pid)) };
                Some(Access { base, offset, indices: Vec::new(), ty })
            }
            Some((Symbol::Clock(number), _)) => {
                let place = self.clock_place(number, pid);
                Some(Access { base: place.base, offset: place.offset, indices: place.indices, ty: Ty::Clock })
            }
            _ => {
                self.unknown("variable of this process", field);
                None
            }
        }
    }
}
