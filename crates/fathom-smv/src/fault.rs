//! What can go wrong while an expression is evaluated.

use fathom_model::{BinaryOp, Expr};

use crate::value::fold;

/// Whether some values make an expression violate `runtime-error`: it divides by what may be 0, or reads an element by an index.
pub(crate) fn can_fail(expr: &Expr) -> bool {
    match expr {
        Expr::Const(_) => false,
        Expr::Load(place) => !place.indices.is_empty(),
        Expr::Unary(_, operand) => can_fail(operand),
        Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, dividend, divisor) => {
            fold(divisor).is_none_or(|divisor| divisor == 0) || can_fail(dividend)
        }
        Expr::Binary(_, left, right) => can_fail(left) || can_fail(right),
        Expr::Conditional(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().any(|part| can_fail(part))
        }
        _ => true,
    }
}
