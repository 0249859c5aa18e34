//! Constant expressions: array sizes, capacities, priorities.

use crate::context::Context;
use crate::scope::Symbol;
use crate::syntax::{BinaryOp, Expr, ExprKind, UnaryOp};

/// The value of an expression that does not depend on the state.
///
/// A variable counts as the constant it is initialised with: the language allows that in array sizes.
pub(crate) fn constant_value(context: &Context, expr: &Expr) -> Option<i64> {
    let value = match &expr.kind {
        ExprKind::Number(value) => *value,
        ExprKind::Variable(variable) => {
            let [part] = variable.parts.as_slice() else { return None };
            match context.scopes.find(&part.name.name)? {
                Symbol::Constant(value, _) => *value,
                Symbol::Variable(_) => return None,
            }
        }
        ExprKind::Unary(op, operand) => {
            let operand = constant_value(context, operand)?;
            match op {
                UnaryOp::Negate => operand.wrapping_neg(),
                UnaryOp::Complement => !operand,
                UnaryOp::Not => i64::from(operand == 0),
                _ => return None,
            }
        }
        ExprKind::Binary(op, left, right) => {
            binary(*op, constant_value(context, left)?, constant_value(context, right)?)?
        }
        ExprKind::Conditional(condition, then, otherwise) => {
            let chosen = if constant_value(context, condition)? != 0 { then } else { otherwise };
            constant_value(context, chosen)?
        }
        _ => return None,
    };
    Some(i64::from(value as i32))
}

/// Like [`constant_value`], but a variable with a constant first value counts as that value.
pub(crate) fn size_value(context: &Context, expr: &Expr) -> Option<i64> {
    if let ExprKind::Variable(variable) = &expr.kind
        && let [part] = variable.parts.as_slice()
        && let Some(Symbol::Variable(symbol)) = context.scopes.find(&part.name.name)
    {
        return symbol.constant;
    }
    constant_value(context, expr)
}

fn binary(op: BinaryOp, left: i64, right: i64) -> Option<i64> {
    Some(match op {
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Subtract => left.wrapping_sub(right),
        BinaryOp::Multiply => left.wrapping_mul(right),
        BinaryOp::Divide => left.checked_div(right)?,
        BinaryOp::Remainder => left.checked_rem(right)?,
        BinaryOp::ShiftLeft => i64::from((left as i32).wrapping_shl(right as u32)),
        BinaryOp::ShiftRight => i64::from((left as i32).wrapping_shr(right as u32)),
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
        BinaryOp::Equal => i64::from(left == right),
        BinaryOp::NotEqual => i64::from(left != right),
        BinaryOp::Less => i64::from(left < right),
        BinaryOp::LessEqual => i64::from(left <= right),
        BinaryOp::Greater => i64::from(left > right),
        BinaryOp::GreaterEqual => i64::from(left >= right),
        BinaryOp::And => i64::from(left != 0 && right != 0),
        BinaryOp::Or => i64::from(left != 0 || right != 0),
        _ => return None,
    })
}
