//! Sums of clocks and integers: what may stand on the sides of a comparison with clocks, and right of `=`.

use fathom_source::{Diagnostic, Span};
use fathom_timed::{BinaryOp, ClockConstraint, ClockPlace, Expr, UnaryOp};

use crate::expression::{Written, WrittenKind};
use crate::scope::{Scope, folded};

/// Clocks added, clocks taken away, and an integer.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    pub plus: Vec<ClockPlace>,
    pub minus: Vec<ClockPlace>,
    pub integer: Expr,
}

impl Linear {
    fn of_integer(integer: Expr) -> Linear {
        Linear { plus: Vec::new(), minus: Vec::new(), integer }
    }

    fn negated(self) -> Linear {
        Linear {
            plus: self.minus,
            minus: self.plus,
            integer: folded(Expr::Unary(UnaryOp::Minus, Box::new(self.integer))),
        }
    }

    fn and(mut self, other: Linear) -> Linear {
        self.plus.extend(other.plus);
        self.minus.extend(other.minus);
        self.integer = folded(Expr::Binary(BinaryOp::Add, Box::new(self.integer), Box::new(other.integer)));
        self
    }
}

/// A sum of clocks and integers; none, with a message, when it is not one.
pub(crate) fn linear(scope: &Scope, written: &Written, diagnostics: &mut Vec<Diagnostic>) -> Option<Linear> {
    if !scope.has_clock(written) {
        return scope.integer(written, diagnostics).map(Linear::of_integer);
    }
    match &written.kind {
        WrittenKind::Name(_) | WrittenKind::Element(..) => {
            let clock = scope.clock(written, diagnostics)?;
            Some(Linear { plus: vec![clock], minus: Vec::new(), integer: Expr::Constant(0) })
        }
        WrittenKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) => {
            let (left, right) = (linear(scope, left, diagnostics), linear(scope, right, diagnostics));
            let right = if *op == BinaryOp::Add { right? } else { right?.negated() };
            Some(left?.and(right))
        }
        WrittenKind::Unary(UnaryOp::Minus, operand) => Some(linear(scope, operand, diagnostics)?.negated()),
        _ => {
            let message = "clocks can only be added, taken away and compared";
            diagnostics.push(Diagnostic::error("tchecker::clock-expression", message).at(written.span, ""));
            None
        }
    }
}

/// The bounds that a comparison of clocks stands for: all of them have to be true. Not for `!=`.
pub(crate) fn comparison(
    op: BinaryOp,
    left: Linear,
    right: Linear,
    span: Span,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Vec<ClockConstraint>> {
    let Linear { plus, minus, integer } = left.and(right.negated());
    let (Ok(plus), Ok(minus)) = (at_most_one(plus), at_most_one(minus)) else {
        let message = "a bound can be on a clock or on the difference of two clocks only";
        diagnostics.push(Diagnostic::error("tchecker::clock-expression", message).at(span, ""));
        return None;
    };
    // plus - minus + integer op 0.
    let upper = |is_strict| ClockConstraint {
        left: plus.clone(),
        right: minus.clone(),
        bound: folded(Expr::Unary(UnaryOp::Minus, Box::new(integer.clone()))),
        is_strict,
    };
    let lower = |is_strict| ClockConstraint {
        left: minus.clone(),
        right: plus.clone(),
        bound: integer.clone(),
        is_strict,
    };
    Some(match op {
        BinaryOp::Less => vec![upper(true)],
        BinaryOp::AtMost => vec![upper(false)],
        BinaryOp::Greater => vec![lower(true)],
        BinaryOp::AtLeast => vec![lower(false)],
        _ => vec![upper(false), lower(false)],
    })
}

fn at_most_one(clocks: Vec<ClockPlace>) -> Result<Option<ClockPlace>, ()> {
    let mut clocks = clocks.into_iter();
    let first = clocks.next();
    if clocks.next().is_some() { Err(()) } else { Ok(first) }
}
