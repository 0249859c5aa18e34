//! Expressions of integers, and calls of functions.
//!
//! The network has expressions without effects, and statements. An expression with effects (`list[len++]`, a call) becomes
//! statements that come before it, its *prelude*, and a rest without effects. Calls are expanded where they stand, so that
//! references and constants are known in the body; each has locals of its own, which is right because there is no
//! recursion. Quantifiers run over types, hence over known values, and are written out.

use std::rc::Rc;
use std::sync::Arc;

use fathom_source::Span;
use fathom_timed::{BinaryOp, Compute, Environment, Expr, Place, Statement, UnaryOp};

use crate::resolve::{Lowering, MOST_ELEMENTS};
use crate::scope::{Object, Scope, Storage, Symbol, binary, fold, not, truth};
use crate::syntax::{Expression, ExpressionKind, Function, Operator, Parameter, Quantifier};
use crate::types::{INT, INTEGERS, Type};

/// Locals after which an update is too large.
const MOST_LOCALS: usize = 1 << 16;

impl<'a> Lowering<'a> {
    /// An expression without effects on anything but locals.
    pub fn pure(&mut self, scope: &Rc<Scope<'a>>, expression: &'a Expression) -> Option<Expr> {
        let mut prelude = Vec::new();
        let before = self.next_local;
        let result = self.integer(scope, expression, &mut prelude);
        let n_locals = self.next_local;
        self.next_local = before;
        let result = result?;
        if prelude.is_empty() {
            return Some(result);
        }
        if has_effects(&prelude) {
            return self.complain("uppaal::side-effect", "something is changed here", expression.span);
        }
        let compute = Expr::Compute(Arc::new(Compute { statements: prelude, result, n_locals }));
        // Functions of constants are constants.
        let no_state = Environment { values: &[], locals: &[], locations: &[], labels: &[] };
        if !reads_state(&compute)
            && let Ok(value) = compute.evaluate(&no_state)
        {
            return Some(Expr::Constant(value));
        }
        Some(compute)
    }

    /// The value of an expression in the first state, as far as it is known.
    pub fn initial_value(&mut self, scope: &Rc<Scope<'a>>, expression: &'a Expression) -> Option<i64> {
        let expr = self.pure(scope, expression)?;
        let values: Vec<i32> = self.network.variables.iter().map(|variable| variable.initial).collect();
        let environment = Environment { values: &values, locals: &[], locations: &[], labels: &[] };
        match expr.evaluate(&environment) {
            Ok(value) => Some(value),
            Err(fault) => {
                self.complain("uppaal::not-constant", format!("no value: {fault}"), expression.span)
            }
        }
    }

    /// An integer; what has to be done before goes to the prelude.
    pub fn integer(
        &mut self,
        scope: &Rc<Scope<'a>>,
        expression: &'a Expression,
        prelude: &mut Vec<Statement>,
    ) -> Option<Expr> {
        if self.next_local > MOST_LOCALS {
            return self.complain("uppaal::too-large", "too much happens here", expression.span);
        }
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Number(number) => Some(Expr::Constant(*number)),
            ExpressionKind::Bool(is_true) => Some(Expr::Constant(i64::from(*is_true))),
            ExpressionKind::Name(_) | ExpressionKind::Index(..) => {
                let object = self.object(scope, expression, prelude)?;
                self.read(&object, span)
            }
            ExpressionKind::Member(of, name) => {
                if let Some(process) = self.process(scope, of)
                    && let Some(Symbol::Location(process, location)) =
                        self.process_scopes.get(process?)?.own(&name.text)
                {
                    return Some(Expr::At { process, location });
                }
                let object = self.object(scope, expression, prelude)?;
                self.read(&object, span)
            }
            ExpressionKind::Call(function, arguments) => {
                if let (ExpressionKind::Name(name), [argument]) = (&function.kind, &arguments[..])
                    && name == "abs"
                    && scope.find("abs").is_none()
                {
                    let value = self.integer(scope, argument, prelude)?;
                    let negated = fold(Expr::Unary(UnaryOp::Minus, Box::new(value.clone())));
                    return Some(binary(BinaryOp::Max, value, negated));
                }
                let object = self.object(scope, expression, prelude)?;
                // The range of the result is known even where its value is not.
                Some(ranged(self.read(&object, span)?, &object.ty))
            }
            ExpressionKind::Not(operand) => Some(not(self.integer(scope, operand, prelude)?)),
            ExpressionKind::Minus(operand) => {
                let operand = self.integer(scope, operand, prelude)?;
                Some(fold(Expr::Unary(UnaryOp::Minus, Box::new(operand))))
            }
            ExpressionKind::Binary(operator, left, right) => {
                self.binary_expression(scope, *operator, left, right, prelude)
            }
            ExpressionKind::Conditional(condition, yes, no) => {
                let condition = self.integer(scope, condition, prelude)?;
                let (mut then, mut otherwise) = (Vec::new(), Vec::new());
                let (yes, no) =
                    (self.integer(scope, yes, &mut then), self.integer(scope, no, &mut otherwise));
                let (yes, no) = (yes?, no?);
                if then.is_empty() && otherwise.is_empty() {
                    return Some(fold(Expr::Choose(Box::new(condition), Box::new(yes), Box::new(no))));
                }
                let local = self.new_local(&INT).base[INTEGERS];
                then.push(assign_local(local, yes));
                otherwise.push(assign_local(local, no));
                prelude.push(Statement::If { condition, then, otherwise });
                Some(Expr::Local(local))
            }
            ExpressionKind::Assign(operator, place, value) => {
                let object = self.assignment(scope, *operator, place, value, span, prelude)?;
                self.read(&object, span)
            }
            ExpressionKind::Increment { by, is_prefix, place } => {
                let mut object = self.object(scope, place, prelude)?;
                self.keep_object(&mut object, prelude);
                let before = self.read(&object, span)?;
                let before = if *is_prefix { before } else { self.keep(before, prelude) };
                let after = binary(BinaryOp::Add, self.read(&object, span)?, Expr::Constant(*by));
                self.assign(&object, after, span, prelude)?;
                Some(before)
            }
            ExpressionKind::Quantified(quantifier, name, ty, body) => {
                let (ty, _) = self.type_of(scope, ty)?;
                let values = self.values_of(&ty, name.span)?;
                let (op, neutral) = match quantifier {
                    Quantifier::Forall => (BinaryOp::And, 1),
                    Quantifier::Exists => (BinaryOp::Or, 0),
                    Quantifier::Sum => (BinaryOp::Add, 0),
                };
                let mut total = Expr::Constant(neutral);
                for value in values {
                    let inside = Scope::inside(scope);
                    inside.declare(&name.text, Symbol::Object(Object::constant(value, ty.clone())));
                    let mut more = Vec::new();
                    let next = self.integer(&inside, body, &mut more)?;
                    total = self.combined(op, total, next, more, prelude);
                }
                Some(total)
            }
            ExpressionKind::Deadlock => self.complain(
                "uppaal::deadlock",
                "'deadlock' is for queries, and combined with 'and', 'or', 'not' and 'imply' only",
                span,
            ),
            ExpressionKind::Rate(_) => {
                self.complain("uppaal::clock-rate", "rates of clocks are not supported", span)
            }
            ExpressionKind::List(_) => {
                self.complain("uppaal::type", "a list is for initial values only", span)
            }
        }
    }

    fn read(&mut self, object: &Object, span: Span) -> Option<Expr> {
        if object.ty.is_integer() {
            return Some(object.read());
        }
        let message = format!("expected an integer, found {}", object.ty.describe());
        let code = if object.ty.has_clock() { "uppaal::clock-expression" } else { "uppaal::type" };
        self.complain(code, message, span)
    }

    fn binary_expression(
        &mut self,
        scope: &Rc<Scope<'a>>,
        operator: Operator,
        left: &'a Expression,
        right: &'a Expression,
        prelude: &mut Vec<Statement>,
    ) -> Option<Expr> {
        if matches!(operator, Operator::Equal | Operator::NotEqual)
            && self
                .type_hint(scope, left)
                .is_some_and(|ty| matches!(ty, Type::Array { .. } | Type::Struct(_)))
        {
            return self.compare_all(scope, operator, left, right, prelude);
        }
        let left = self.integer(scope, left, prelude)?;
        let mut more = Vec::new();
        let right = self.integer(scope, right, &mut more)?;
        Some(match operator {
            Operator::Imply => {
                let left = not(left);
                self.combined(BinaryOp::Or, left, right, more, prelude)
            }
            other => self.combined(plain_operator(other), left, right, more, prelude),
        })
    }

    /// An operation whose right operand has a prelude of its own.
    fn combined(
        &mut self,
        op: BinaryOp,
        left: Expr,
        right: Expr,
        more: Vec<Statement>,
        prelude: &mut Vec<Statement>,
    ) -> Expr {
        if more.is_empty() {
            return binary(op, left, right);
        }
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            // The right one happens only when it matters.
            let local = self.new_local(&INT).base[INTEGERS];
            prelude.push(assign_local(local, truth(left)));
            let mut then = more;
            then.push(assign_local(local, truth(right)));
            let condition = if op == BinaryOp::And { Expr::Local(local) } else { not(Expr::Local(local)) };
            prelude.push(Statement::If { condition, then, otherwise: Vec::new() });
            return Expr::Local(local);
        }
        // The left one is what it was before the right one happened.
        let left = self.keep(left, prelude);
        prelude.extend(more);
        binary(op, left, right)
    }

    fn compare_all(
        &mut self,
        scope: &Rc<Scope<'a>>,
        operator: Operator,
        left: &'a Expression,
        right: &'a Expression,
        prelude: &mut Vec<Statement>,
    ) -> Option<Expr> {
        let span = left.span.to(right.span);
        let (left, right) = (self.object(scope, left, prelude)?, self.object(scope, right, prelude)?);
        let (types, others) = (left.ty.integers(), right.ty.integers());
        if types.len() != others.len() || left.ty.size() != right.ty.size() || left.ty.has_clock() {
            return self.complain("uppaal::type", "these cannot be compared", span);
        }
        let mut equal = Expr::Constant(1);
        for (number, (ty, other)) in types.into_iter().zip(others).enumerate() {
            let one =
                binary(BinaryOp::Equal, left.integer(number, ty).read(), right.integer(number, other).read());
            equal = binary(BinaryOp::And, equal, one);
        }
        Some(if operator == Operator::Equal { equal } else { not(equal) })
    }

    /// The type of something with a place, without saying anything.
    pub fn type_hint(&self, scope: &Rc<Scope<'a>>, expression: &'a Expression) -> Option<Type> {
        match &expression.kind {
            ExpressionKind::Name(name) => match scope.find(name)? {
                Symbol::Object(object) => Some(object.ty),
                _ => None,
            },
            ExpressionKind::Index(of, _) => match self.type_hint(scope, of)? {
                Type::Array { element, .. } => Some((*element).clone()),
                _ => None,
            },
            ExpressionKind::Member(of, name) => {
                let process = match &of.kind {
                    ExpressionKind::Name(process) => match scope.find(process) {
                        Some(Symbol::Process(process)) => Some(process),
                        _ => None,
                    },
                    ExpressionKind::Call(family, _) => match &family.kind {
                        ExpressionKind::Name(family) => match scope.find(family) {
                            // All of a family have the same names.
                            Some(Symbol::Family(family)) => family.values().next().copied(),
                            _ => None,
                        },
                        _ => None,
                    },
                    _ => None,
                };
                if let Some(process) = process {
                    return match self.process_scopes.get(process)?.own(&name.text)? {
                        Symbol::Object(object) => Some(object.ty),
                        _ => None,
                    };
                }
                match self.type_hint(scope, of)? {
                    Type::Struct(fields) => {
                        fields.iter().find(|(field, _)| *field == name.text).map(|(_, ty)| ty.clone())
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Assigns, and gives what was assigned to.
    pub fn assignment(
        &mut self,
        scope: &Rc<Scope<'a>>,
        operator: Option<Operator>,
        place: &'a Expression,
        value: &'a Expression,
        span: Span,
        prelude: &mut Vec<Statement>,
    ) -> Option<Object> {
        let mut object = self.object(scope, place, prelude)?;
        let mut more = Vec::new();
        if operator.is_none() && matches!(object.ty, Type::Array { .. } | Type::Struct(_)) {
            let from = self.object(scope, value, &mut more)?;
            self.keep_object(&mut object, prelude);
            prelude.extend(more);
            self.assign_all(&object, &from, span, prelude)?;
            return Some(object);
        }
        if object.ty == Type::Clock {
            self.set_clock(scope, &object, value, span, prelude)?;
            return Some(object);
        }
        let value = self.integer(scope, value, &mut more)?;
        if operator.is_some() || !more.is_empty() {
            self.keep_object(&mut object, prelude);
        }
        let value = match operator {
            Some(operator) => {
                let before = self.read(&object, span)?;
                self.combined(plain_operator(operator), before, value, more, prelude)
            }
            None => {
                prelude.extend(more);
                value
            }
        };
        self.assign(&object, value, span, prelude)?;
        Some(object)
    }

    fn set_clock(
        &mut self,
        scope: &Rc<Scope<'a>>,
        object: &Object,
        value: &'a Expression,
        span: Span,
        prelude: &mut Vec<Statement>,
    ) -> Option<()> {
        if object.is_const {
            return self.complain("uppaal::constant", "a constant cannot be changed", span);
        }
        if self.type_hint(scope, value) == Some(Type::Clock) {
            let from = Some(self.object(scope, value, prelude)?.clock());
            let clock = object.clock();
            prelude.push(Statement::SetClock { clock, from, value: Expr::Constant(0) });
            return Some(());
        }
        let value = self.integer(scope, value, prelude)?;
        prelude.push(Statement::SetClock { clock: object.clock(), from: None, value });
        Some(())
    }

    /// Gives one integer a value.
    pub fn assign(
        &mut self,
        object: &Object,
        value: Expr,
        span: Span,
        prelude: &mut Vec<Statement>,
    ) -> Option<()> {
        let place = object.place().filter(|_| !object.is_const);
        let Some(place) = place else {
            return self.complain("uppaal::constant", "a constant cannot be changed", span);
        };
        if !object.ty.is_integer() {
            let message = format!("{} cannot be changed like this", object.ty.describe());
            return self.complain("uppaal::type", message, span);
        }
        let value = match (&object.ty, &object.storage) {
            (Type::Bool, _) => truth(value),
            // Variables of the network know their range; locals do not.
            (ty, Storage::Local) => ranged(value, ty),
            _ => value,
        };
        prelude.push(Statement::Assign { place, value });
        Some(())
    }

    /// Assigns every integer of an array or a record.
    pub fn assign_all(
        &mut self,
        object: &Object,
        from: &Object,
        span: Span,
        prelude: &mut Vec<Statement>,
    ) -> Option<()> {
        let (types, others) = (object.ty.integers(), from.ty.integers());
        if types.len() != others.len() || object.ty.size() != from.ty.size() || object.ty.has_clock() {
            return self.complain("uppaal::type", "these are not of the same type", span);
        }
        for (number, (ty, other)) in types.into_iter().zip(others).enumerate() {
            let value = from.integer(number, other).read();
            self.assign(&object.integer(number, ty), value, span, prelude)?;
        }
        Some(())
    }

    /// Calls a function; gives where its result is, if it has one.
    pub fn call(
        &mut self,
        scope: &Rc<Scope<'a>>,
        function: &'a Expression,
        arguments: &'a [Expression],
        span: Span,
        prelude: &mut Vec<Statement>,
    ) -> Option<Option<Object>> {
        let ExpressionKind::Name(name) = &function.kind else {
            return self.complain("uppaal::type", "expected the name of a function", function.span);
        };
        let Symbol::Function(called, around) = self.lookup(scope, name, function.span)? else {
            return self.complain("uppaal::type", format!("'{name}' is no function"), function.span);
        };
        if self.calls.iter().any(|other| std::ptr::eq(*other, called)) {
            let message = format!("'{name}' calls itself: recursion is not supported");
            return self.complain("uppaal::recursion", message, span);
        }
        if called.parameters.len() != arguments.len() {
            let (expected, found) = (called.parameters.len(), arguments.len());
            let message = format!("'{name}' takes {expected} arguments, found {found}");
            return self.complain("uppaal::arguments", message, span);
        }
        let inside = Scope::inside(&around);
        for (parameter, argument) in called.parameters.iter().zip(arguments) {
            self.bind_argument(scope, &around, &inside, parameter, argument, prelude)?;
        }
        self.calls.push(called);
        let result = self.function_body(&inside, called, prelude);
        self.calls.pop();
        result
    }

    fn bind_argument(
        &mut self,
        scope: &Rc<Scope<'a>>,
        around: &Rc<Scope<'a>>,
        inside: &Rc<Scope<'a>>,
        parameter: &'a Parameter,
        argument: &'a Expression,
        prelude: &mut Vec<Statement>,
    ) -> Option<()> {
        let declarator = &parameter.declarator;
        let (ty, is_const) = self.type_of(around, &parameter.ty)?;
        let ty = self.with_dimensions(around, &ty, declarator)?;
        let object = if declarator.is_reference {
            let mut object = self.object(scope, argument, prelude)?;
            if !ty.accepts_reference(&object.ty) {
                let message = format!("expected {}, found {}", ty.describe(), object.ty.describe());
                return self.complain("uppaal::type", message, argument.span);
            }
            self.keep_object(&mut object, prelude);
            object.is_const |= is_const;
            object
        } else if ty.is_integer() {
            let value = self.integer(scope, argument, prelude)?;
            if let (Some(known), true) = (value.constant(), is_const) {
                Object::constant(known, ty)
            } else {
                let local = self.new_local(&ty);
                self.assign(&local, value, argument.span, prelude)?;
                Object { is_const, ..local }
            }
        } else if ty.size()[1..] == [0, 0] {
            let from = self.object(scope, argument, prelude)?;
            let local = self.new_local(&ty);
            self.assign_all(&local, &from, argument.span, prelude)?;
            Object { is_const, ..local }
        } else {
            let message = "clocks and channels are passed by reference";
            return self.complain("uppaal::by-value", message, declarator.name.span);
        };
        inside.declare(&declarator.name.text, Symbol::Object(object));
        Some(())
    }

    fn function_body(
        &mut self,
        inside: &Rc<Scope<'a>>,
        called: &'a Function,
        prelude: &mut Vec<Statement>,
    ) -> Option<Option<Object>> {
        let (ty, _) = self.type_of(inside, &called.result)?;
        let result = (ty != Type::Void).then(|| self.new_local(&ty));
        let mut body = Vec::new();
        if let Some(result) = &result {
            // A function that does not say has the result 0, or what is nearest to it.
            for (number, ty) in result.ty.integers().into_iter().enumerate() {
                let (least, most) = ty.range();
                let value = Expr::Constant(0_i64.clamp(least, most));
                self.assign(&result.integer(number, ty), value, called.name.span, &mut body)?;
            }
        }
        self.statements(inside, &called.body, result.as_ref(), &mut body)?;
        if body.last() == Some(&Statement::Leave) {
            body.pop();
        }
        prelude.push(Statement::Block(body.into()));
        Some(result)
    }

    /// The number of values that a quantifier or selection runs through is limited.
    pub fn is_too_many(&mut self, number: usize, span: Span) -> bool {
        let is_too_many = number as i64 > MOST_ELEMENTS;
        if is_too_many {
            self.complain::<()>("uppaal::too-large", "too many choices", span);
        }
        is_too_many
    }
}

/// A value that has to be in the range of a type.
fn ranged(value: Expr, ty: &Type) -> Expr {
    let (least, most) = ty.range();
    fold(Expr::Ranged(Box::new(value), least, most))
}

fn assign_local(local: usize, value: Expr) -> Statement {
    Statement::Assign { place: Place::Local { first: local, length: 1, index: None }, value }
}

fn plain_operator(operator: Operator) -> BinaryOp {
    match operator {
        Operator::Add => BinaryOp::Add,
        Operator::Subtract => BinaryOp::Subtract,
        Operator::Multiply => BinaryOp::Multiply,
        Operator::Divide => BinaryOp::Divide,
        Operator::Remainder => BinaryOp::Remainder,
        Operator::Power => BinaryOp::Power,
        Operator::Equal => BinaryOp::Equal,
        Operator::NotEqual => BinaryOp::NotEqual,
        Operator::Less => BinaryOp::Less,
        Operator::AtMost => BinaryOp::AtMost,
        Operator::Greater => BinaryOp::Greater,
        Operator::AtLeast => BinaryOp::AtLeast,
        Operator::And => BinaryOp::And,
        Operator::Or | Operator::Imply => BinaryOp::Or,
        Operator::BitAnd => BinaryOp::BitAnd,
        Operator::BitOr => BinaryOp::BitOr,
        Operator::BitXor => BinaryOp::BitXor,
        Operator::ShiftLeft => BinaryOp::ShiftLeft,
        Operator::ShiftRight => BinaryOp::ShiftRight,
        Operator::Min => BinaryOp::Min,
        Operator::Max => BinaryOp::Max,
    }
}

/// Whether statements change anything but locals.
fn has_effects(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match statement {
        Statement::Assign { place, .. } => matches!(place, Place::Variable { .. }),
        Statement::SetClock { .. } => true,
        Statement::If { then, otherwise, .. } => has_effects(then) || has_effects(otherwise),
        Statement::While { body, .. } => has_effects(body),
        Statement::Block(body) => has_effects(body),
        Statement::Leave => false,
    })
}

/// Whether an expression depends on variables or locations.
fn reads_state(expr: &Expr) -> bool {
    match expr {
        Expr::Variable(_) | Expr::Element { .. } | Expr::At { .. } | Expr::HasLabel(_) => true,
        Expr::Constant(_) | Expr::Local(_) | Expr::NoBound => false,
        Expr::LocalElement { index, .. } | Expr::Table { index, .. } => reads_state(index),
        Expr::Unary(_, operand) | Expr::Within(operand, _) | Expr::Ranged(operand, ..) => {
            reads_state(operand)
        }
        Expr::Binary(_, left, right) => reads_state(left) || reads_state(right),
        Expr::Choose(condition, yes, no) => reads_state(condition) || reads_state(yes) || reads_state(no),
        Expr::Compute(compute) => reads_state(&compute.result) || statements_read_state(&compute.statements),
    }
}

fn statements_read_state(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match statement {
        Statement::Assign { value, place } => {
            let index = match place {
                Place::Variable { .. } => return true,
                Place::Local { index, .. } => index,
            };
            reads_state(value) || index.as_ref().is_some_and(reads_state)
        }
        Statement::SetClock { .. } => true,
        Statement::If { condition, then, otherwise } => {
            reads_state(condition) || statements_read_state(then) || statements_read_state(otherwise)
        }
        Statement::While { condition, body } => reads_state(condition) || statements_read_state(body),
        Statement::Block(body) => statements_read_state(body),
        Statement::Leave => false,
    })
}
