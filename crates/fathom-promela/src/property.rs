//! Properties: formulas in the program, and expressions given from outside.

use std::collections::HashMap;

use fathom_model::{Action, Expr, Formula, LocationId, Model};
use fathom_source::Diagnostic;

use crate::constant::constant_value;
use crate::context::Context;
use crate::remote::{close_expr, close_formula};
use crate::syntax::{self, BinaryOp, ExprKind, UnaryOp};
use crate::visit::visit_expr;

/// Lowers an expression about one state of a finished model, given as syntax.
pub fn lower_state_expr(model: &Model, expr: &syntax::Expr) -> Result<Expr, Vec<Diagnostic>> {
    let mut context = Context::of_model(model);
    let mut lowered = context.expr(expr);
    check_processes(&mut context, expr);
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

/// Where processes neither start nor end, a process that is not there is a slip of the pen.
fn check_processes(context: &mut Context, expr: &syntax::Expr) {
    let creates = |action: &Action| matches!(action, Action::Create { .. });
    let mut edges = context.model.templates.iter().flat_map(|template| &template.edges);
    if edges.any(|edge| edge.effect.iter().any(creates)) {
        return;
    }
    let mut missing = Vec::new();
    visit_expr(expr, &mut |part| {
        let (ExprKind::RemoteLabel { process, index: Some(index), .. }
        | ExprKind::RemoteVariable { process, index: Some(index), .. }) = &part.kind
        else {
            return;
        };
        if let Some(number) = constant_value(context, index) {
            let start = usize::try_from(number).ok().and_then(|number| context.model.start.get(number));
            let name = start.map(|start| &context.model.template(start.template).name);
            if name != Some(&process.name) {
                missing.push((number, process.name.clone(), index.span));
            }
        }
    });
    for (number, name, span) in missing {
        let message = format!("process {number} is not a `{name}`");
        context.error("promela::no-such-process", message, span, "no such process at any time");
    }
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
