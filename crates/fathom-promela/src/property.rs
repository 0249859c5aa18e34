//! Properties: formulas in the program, and expressions given from outside.

use std::collections::HashMap;

use fathom_model::{Expr, Formula, LocationId, Model};
use fathom_source::Diagnostic;

use crate::context::Context;
use crate::remote::{close_expr, close_formula};
use crate::syntax::{self, BinaryOp, ExprKind, UnaryOp};
use crate::visit::visit_expr;

/// Lowers an expression about one state of a finished model, given as syntax.
pub fn lower_state_expr(model: &Model, expr: &syntax::Expr) -> Result<Expr, Vec<Diagnostic>> {
    let mut context = Context::of_model(model);
    let mut lowered = context.expr(expr);
    close_expr(&mut context, &mut lowered, &labels_of(model));
    result(context, lowered)
}

/// Lowers a temporal formula about a finished model, given as syntax.
pub fn lower_formula(model: &Model, expr: &syntax::Expr) -> Result<Formula, Vec<Diagnostic>> {
    let mut context = Context::of_model(model);
    let mut lowered = context.formula(expr);
    close_formula(&mut context, &mut lowered, &labels_of(model));
    result(context, lowered)
}

fn result<T>(context: Context, lowered: T) -> Result<T, Vec<Diagnostic>> {
    if context.diagnostics.is_empty() { Ok(lowered) } else { Err(context.diagnostics) }
}

fn labels_of(model: &Model) -> Vec<HashMap<String, LocationId>> {
    let labels = |template: &fathom_model::Template| {
        let mut labels = HashMap::new();
        for (index, location) in template.locations.iter().enumerate() {
            for label in &location.labels {
                labels.entry(label.clone()).or_insert(LocationId::from(index));
            }
        }
        labels
    };
    model.templates.iter().map(labels).collect()
}

impl Context {
    /// Lowers a formula. What has no temporal operator in it is an expression about one state.
    pub fn formula(&mut self, expr: &syntax::Expr) -> Formula {
        if !is_temporal(expr) {
            return Formula::State(self.expr(expr));
        }
        match &expr.kind {
            ExprKind::Unary(op, operand) => {
                let operand = Box::new(self.formula(operand));
                match op {
                    UnaryOp::Not => Formula::Not(operand),
                    UnaryOp::Always => Formula::Always(operand),
                    UnaryOp::Eventually => Formula::Eventually(operand),
                    UnaryOp::Next => Formula::Next(operand),
                    UnaryOp::Negate | UnaryOp::Complement => self.arithmetic_on_formula(expr),
                }
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (Box::new(self.formula(left)), Box::new(self.formula(right)));
                match op {
                    BinaryOp::And => Formula::And(left, right),
                    BinaryOp::Or => Formula::Or(left, right),
                    BinaryOp::Implies => Formula::Implies(left, right),
                    BinaryOp::Equivalent => Formula::Equivalent(left, right),
                    BinaryOp::Until => Formula::Until(left, right),
                    BinaryOp::WeakUntil => Formula::WeakUntil(left, right),
                    BinaryOp::Release => Formula::Release(left, right),
                    _ => self.arithmetic_on_formula(expr),
                }
            }
            _ => self.arithmetic_on_formula(expr),
        }
    }

    fn arithmetic_on_formula(&mut self, expr: &syntax::Expr) -> Formula {
        let message = "arithmetic on a temporal formula";
        self.error("promela::temporal-operator", message, expr.span, "its operand is not about one state");
        Formula::State(Expr::Const(0))
    }
}

fn is_temporal(expr: &syntax::Expr) -> bool {
    let mut temporal = false;
    visit_expr(expr, &mut |expr| {
        temporal |= match &expr.kind {
            ExprKind::Unary(op, _) => matches!(op, UnaryOp::Always | UnaryOp::Eventually | UnaryOp::Next),
            ExprKind::Binary(op, ..) => {
                matches!(op, BinaryOp::Until | BinaryOp::WeakUntil | BinaryOp::Release)
            }
            _ => false,
        };
    });
    temporal
}
