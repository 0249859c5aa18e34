//! Expressions as text, for the names of propositions.

use crate::syntax::{BinaryOp, Expr, ExprKind, UnaryOp};

/// An expression as text; names that belong to an instance have its prefix.
pub(crate) fn print_expr(expr: &Expr, prefix: &str) -> String {
    let inner = |part: &Expr| match part.kind {
        ExprKind::Binary(..) | ExprKind::Conditional(..) => format!("({})", print_expr(part, prefix)),
        _ => print_expr(part, prefix),
    };
    let list = |parts: &[Expr]| {
        let texts: Vec<String> = parts.iter().map(|part| print_expr(part, prefix)).collect();
        texts.join(", ")
    };
    match &expr.kind {
        ExprKind::Integer(value) => value.to_string(),
        ExprKind::Boolean(value) => if *value { "TRUE" } else { "FALSE" }.to_owned(),
        ExprKind::Word { signed, width, bits } => {
            format!("0{}d{width}_{bits}", if *signed { 's' } else { 'u' })
        }
        ExprKind::Name(name) => format!("{prefix}{name}"),
        ExprKind::Field(base, field) => format!("{}.{}", inner(base), field.text),
        ExprKind::Index(base, index) => format!("{}[{}]", inner(base), print_expr(index, prefix)),
        ExprKind::Bits(word, high, low) => {
            format!("{}[{}:{}]", inner(word), print_expr(high, prefix), print_expr(low, prefix))
        }
        ExprKind::Unary(UnaryOp::Not, operand) => format!("!{}", inner(operand)),
        ExprKind::Unary(UnaryOp::Negate, operand) => format!("-{}", inner(operand)),
        ExprKind::Binary(op, left, right) => format!("{} {} {}", inner(left), sign(*op), inner(right)),
        ExprKind::Conditional(condition, then, otherwise) => {
            format!("{} ? {} : {}", inner(condition), inner(then), inner(otherwise))
        }
        ExprKind::Case(_) => "case … esac".to_owned(),
        ExprKind::Set(elements) => format!("{{{}}}", list(elements)),
        ExprKind::Array(elements) => format!("[{}]", list(elements)),
        ExprKind::Range(low, high) => format!("{}..{}", inner(low), inner(high)),
        ExprKind::Next(inner) => format!("next({})", print_expr(inner, prefix)),
        ExprKind::Call(name, arguments) => format!("{}({})", name.text, list(arguments)),
        ExprKind::Temporal(op, operand) => format!("{op:?} {}", inner(operand)),
        ExprKind::PathUntil { left, right, .. } => format!("[{} U {}]", inner(left), inner(right)),
    }
}

fn sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Concat => "::",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Modulo => "mod",
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRight => ">>",
        BinaryOp::Union => "union",
        BinaryOp::In => "in",
        BinaryOp::Equal => "=",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::Until => "U",
        BinaryOp::Release => "V",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "xor",
        BinaryOp::Xnor => "xnor",
        BinaryOp::Equivalent => "<->",
        BinaryOp::Implies => "->",
    }
}
