//! Statements of functions.

use std::rc::Rc;

use fathom_timed::{BinaryOp, ClockPlace, Expr, Statement as Lowered};

use crate::resolve::Lowering;
use crate::scope::{Object, Scope, Symbol, binary};
use crate::syntax::{Declarator, Expression, ExpressionKind, Operator, Statement, TypeExpression};
use crate::types::{INT, Type};

impl<'a> Lowering<'a> {
    /// Statements one after the other, with names of their own.
    pub fn statements(
        &mut self,
        scope: &Rc<Scope<'a>>,
        statements: &'a [Statement],
        result: Option<&Object>,
        out: &mut Vec<Lowered>,
    ) -> Option<()> {
        let inside = Scope::inside(scope);
        let mut is_fine = true;
        for statement in statements {
            is_fine &= self.statement(&inside, statement, result, out).is_some();
        }
        is_fine.then_some(())
    }

    fn statement(
        &mut self,
        scope: &Rc<Scope<'a>>,
        statement: &'a Statement,
        result: Option<&Object>,
        out: &mut Vec<Lowered>,
    ) -> Option<()> {
        match statement {
            Statement::Empty => Some(()),
            Statement::Expression(expression) => self.effect(scope, expression, out),
            Statement::Variables(ty, declarators) => self.local_variables(scope, ty, declarators, out),
            Statement::Block(body) => self.statements(scope, body, result, out),
            Statement::If(condition, then, otherwise) => {
                let condition = self.integer(scope, condition, out)?;
                let (mut yes, mut no) = (Vec::new(), Vec::new());
                self.statements(scope, std::slice::from_ref(&**then), result, &mut yes)?;
                if let Some(otherwise) = otherwise {
                    self.statements(scope, std::slice::from_ref(&**otherwise), result, &mut no)?;
                }
                out.push(Lowered::If { condition, then: yes, otherwise: no });
                Some(())
            }
            Statement::While(condition, body) => {
                let mut inner = Vec::new();
                self.statements(scope, std::slice::from_ref(&**body), result, &mut inner)?;
                self.loop_while(scope, condition, inner, out)
            }
            Statement::DoWhile(body, condition) => {
                self.statements(scope, std::slice::from_ref(&**body), result, out)?;
                let mut again = Vec::new();
                self.statements(scope, std::slice::from_ref(&**body), result, &mut again)?;
                self.loop_while(scope, condition, again, out)
            }
            Statement::For(first, condition, step, body) => {
                if let Some(first) = first {
                    self.effect(scope, first, out)?;
                }
                let mut inner = Vec::new();
                self.statements(scope, std::slice::from_ref(&**body), result, &mut inner)?;
                if let Some(step) = step {
                    self.effect(scope, step, &mut inner)?;
                }
                match condition {
                    Some(condition) => self.loop_while(scope, condition, inner, out),
                    None => {
                        out.push(Lowered::While { condition: Expr::Constant(1), body: inner });
                        Some(())
                    }
                }
            }
            Statement::ForType(name, ty, body) => {
                let (ty, _) = self.type_of(scope, ty)?;
                let values = self.values_of(&ty, name.span)?;
                // One more than the last value has to fit, so the counter is a plain number.
                let counter = self.new_local(&Type::Int { least: i32::MIN, most: i32::MAX });
                self.assign(&counter, Expr::Constant(*values.start()), name.span, out)?;
                let inside = Scope::inside(scope);
                let seen = Object { ty, is_const: true, ..counter.clone() };
                inside.declare(&name.text, Symbol::Object(seen));
                let mut inner = Vec::new();
                self.statements(&inside, std::slice::from_ref(&**body), result, &mut inner)?;
                let next = binary(BinaryOp::Add, counter.read(), Expr::Constant(1));
                self.assign(&counter, next, name.span, &mut inner)?;
                let condition = binary(BinaryOp::AtMost, counter.read(), Expr::Constant(*values.end()));
                out.push(Lowered::While { condition, body: inner });
                Some(())
            }
            Statement::Return(value, span) => {
                match (value, result) {
                    (Some(value), Some(result)) if result.ty.is_integer() => {
                        let value = self.integer(scope, value, out)?;
                        self.assign(result, value, *span, out)?;
                    }
                    (Some(value), Some(result)) => {
                        let from = self.object(scope, value, out)?;
                        self.assign_all(result, &from, *span, out)?;
                    }
                    (None, None) => {}
                    (Some(_), None) => {
                        return self.complain("uppaal::type", "this function has no result", *span);
                    }
                    (None, Some(_)) => return self.complain("uppaal::type", "expected a result", *span),
                }
                out.push(Lowered::Leave);
                Some(())
            }
        }
    }

    /// A loop; the condition may have effects.
    fn loop_while(
        &mut self,
        scope: &Rc<Scope<'a>>,
        condition: &'a Expression,
        mut body: Vec<Lowered>,
        out: &mut Vec<Lowered>,
    ) -> Option<()> {
        let mut prelude = Vec::new();
        let value = self.integer(scope, condition, &mut prelude)?;
        if prelude.is_empty() {
            out.push(Lowered::While { condition: value, body });
            return Some(());
        }
        let goes_on = self.new_local(&INT);
        self.assign(&goes_on, value, condition.span, &mut prelude)?;
        out.extend(prelude.iter().cloned());
        body.extend(prelude);
        out.push(Lowered::While { condition: goes_on.read(), body });
        Some(())
    }

    /// An expression for what it does.
    pub fn effect(
        &mut self,
        scope: &Rc<Scope<'a>>,
        expression: &'a Expression,
        out: &mut Vec<Lowered>,
    ) -> Option<()> {
        if let Some(done) = self.pay(scope, expression, out) {
            return done;
        }
        match &expression.kind {
            ExpressionKind::Assign(operator, place, value) => {
                self.assignment(scope, *operator, place, value, expression.span, out).map(|_| ())
            }
            ExpressionKind::Increment { by, place, .. } => {
                let mut object = self.object(scope, place, out)?;
                if !object.steps.is_empty() {
                    self.keep_object(&mut object, out);
                }
                let value = binary(BinaryOp::Add, object.read(), Expr::Constant(*by));
                self.assign(&object, value, expression.span, out)
            }
            ExpressionKind::Call(function, arguments) => {
                self.call(scope, function, arguments, expression.span, out).map(|_| ())
            }
            // What has no effect is looked at all the same.
            _ => self.integer(scope, expression, out).map(|_| ()),
        }
    }

    /// What is added to the cost, if that is what an expression does.
    fn pay(
        &mut self,
        scope: &Rc<Scope<'a>>,
        expression: &'a Expression,
        out: &mut Vec<Lowered>,
    ) -> Option<Option<()>> {
        let cost_of = |place: &Expression| match &place.kind {
            ExpressionKind::Name(name) => match scope.find(name) {
                Some(Symbol::Cost(clock)) => Some(ClockPlace::clock(clock)),
                _ => None,
            },
            _ => None,
        };
        let (clock, value) = match &expression.kind {
            ExpressionKind::Increment { by, place, .. } => (cost_of(place)?, Expr::Constant(*by)),
            ExpressionKind::Assign(operator, place, value) => {
                let clock = cost_of(place)?;
                if *operator != Some(Operator::Add) {
                    let message = "cost only grows: 'cost += e'";
                    return Some(self.complain("uppaal::cost", message, expression.span));
                }
                let Some(value) = self.integer(scope, value, out) else { return Some(None) };
                (clock, value)
            }
            _ => return None,
        };
        if value.constant().is_some_and(|value| value < 0) {
            return Some(self.complain("uppaal::cost", "cost only grows", expression.span));
        }
        out.push(Lowered::SetClock { clock: clock.clone(), from: Some(clock), value });
        Some(Some(()))
    }

    fn local_variables(
        &mut self,
        scope: &Rc<Scope<'a>>,
        ty: &'a TypeExpression,
        declarators: &'a [Declarator],
        out: &mut Vec<Lowered>,
    ) -> Option<()> {
        let (ty, is_const) = self.type_of(scope, ty)?;
        for declarator in declarators {
            let ty = self.with_dimensions(scope, &ty, declarator)?;
            if ty.size()[1..] != [0, 0] {
                let message = "functions have no clocks and channels of their own";
                return self.complain("uppaal::type", message, declarator.name.span);
            }
            let local = self.new_local(&ty);
            self.initialize(scope, &local, declarator, out)?;
            scope.declare(&declarator.name.text, Symbol::Object(Object { is_const, ..local }));
        }
        Some(())
    }

    /// Gives a local its first value, every time anew.
    fn initialize(
        &mut self,
        scope: &Rc<Scope<'a>>,
        local: &Object,
        declarator: &'a Declarator,
        out: &mut Vec<Lowered>,
    ) -> Option<()> {
        let span = declarator.name.span;
        match &declarator.initial {
            Some(initial) if matches!(initial.kind, ExpressionKind::List(_)) => {
                let mut values = Vec::new();
                self.list(&local.ty, initial, &mut values)?;
                for (number, (ty, value)) in local.ty.integers().into_iter().zip(values).enumerate() {
                    let value = self.integer(scope, value, out)?;
                    self.assign(&local.integer(number, ty), value, span, out)?;
                }
                Some(())
            }
            Some(initial) if local.ty.is_integer() => {
                let value = self.integer(scope, initial, out)?;
                self.assign(local, value, span, out)
            }
            Some(initial) => {
                let from = self.object(scope, initial, out)?;
                self.assign_all(local, &from, span, out)
            }
            None => {
                for (number, ty) in local.ty.integers().into_iter().enumerate() {
                    let (least, most) = ty.range();
                    let value = Expr::Constant(0_i64.clamp(least, most));
                    self.assign(&local.integer(number, ty), value, span, out)?;
                }
                Some(())
            }
        }
    }
}
