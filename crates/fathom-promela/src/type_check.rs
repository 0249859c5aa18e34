//! What may be assigned to what.
//!
//! Promela converts between all its number types without a word. Two things are checked: channels are not
//! numbers, and members of one enumeration are not members of another.

use fathom_model::{EnumerationId, ScalarKind, ScalarType, Type};
use fathom_source::Span;

use crate::context::Context;
use crate::scope::Symbol;
use crate::syntax::{Expr, ExprKind, VarRef};

impl Context {
    /// Checks `variable = value`.
    pub fn check_assignment(&mut self, variable: &VarRef, value: &Expr) {
        let target = self.scalar_of(variable);
        match target.map(|ty| ty.kind) {
            // Fields of structures are not looked at: there Spin lets numbers pass, and models rely on it.
            Some(ScalarKind::Channel)
                if matches!(value.kind, ExprKind::Number(_)) && variable.parts.len() == 1 =>
            {
                let message = "a number is not a channel";
                self.error("promela::type-mismatch", message, value.span, "expected a channel");
            }
            Some(ScalarKind::Enumeration(expected)) => {
                if let Some(found) = self.enumeration_of(value).filter(|found| *found != expected) {
                    let name = |id: EnumerationId| self.model.enumerations[id.index()].name.clone();
                    let (expected, found) = (name(expected), name(found));
                    let message = format!("a value of `{found}` for a variable of `{expected}`");
                    self.error(
                        "promela::type-mismatch",
                        message,
                        value.span,
                        format!("expected `{expected}`"),
                    );
                }
            }
            _ => {}
        }
        self.check_operands(value);
    }

    /// Reports arithmetic on channels.
    fn check_operands(&mut self, value: &Expr) {
        let operands: Vec<&Expr> = match &value.kind {
            ExprKind::Unary(_, operand) => vec![operand],
            ExprKind::Binary(_, left, right) => vec![left, right],
            ExprKind::Conditional(_, then, otherwise) => {
                self.check_operands(then);
                self.check_operands(otherwise);
                return;
            }
            _ => return,
        };
        for operand in operands {
            if let ExprKind::Variable(variable) = &operand.kind
                && self.scalar_of(variable).is_some_and(|ty| ty.kind == ScalarKind::Channel)
            {
                self.channel_arithmetic(operand.span);
            }
            self.check_operands(operand);
        }
    }

    /// Reports arithmetic on a channel.
    pub fn channel_arithmetic(&mut self, span: Span) {
        self.error("promela::type-mismatch", "arithmetic on a channel", span, "a channel is not a number");
    }

    /// The type of a scalar variable; nothing when it is no such thing, which is reported elsewhere.
    fn scalar_of(&mut self, variable: &VarRef) -> Option<ScalarType> {
        let reported = self.diagnostics.len();
        let access = self.access(variable);
        self.diagnostics.truncate(reported);
        match access?.ty {
            Type::Scalar(ty) => Some(ty),
            _ => None,
        }
    }

    fn enumeration_of(&mut self, value: &Expr) -> Option<EnumerationId> {
        let ExprKind::Variable(variable) = &value.kind else { return None };
        if let [part] = variable.parts.as_slice()
            && let Some(Symbol::Constant(_, enumeration)) = self.scopes.find(&part.name.name)
        {
            return Some(*enumeration);
        }
        match self.scalar_of(variable)?.kind {
            ScalarKind::Enumeration(enumeration) => Some(enumeration),
            _ => None,
        }
    }
}
