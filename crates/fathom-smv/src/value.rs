//! Types and values of lowered expressions.

use std::collections::BTreeSet;

use fathom_model::{BinaryOp, Expr, ScalarKind, ScalarType, UnaryOp};

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ty {
    Bool,
    Int,
    /// A value of an enumeration of this group, as it is stored.
    Enum(usize),
    /// A symbolic constant or a number, in the code of the whole program.
    Any,
    Word {
        signed: bool,
        width: u32,
    },
    /// Something is wrong, and said already.
    Broken,
}

impl Ty {
    /// How messages name it.
    pub(crate) fn describe(self) -> String {
        match self {
            Ty::Bool => "a truth value".to_owned(),
            Ty::Int => "a number".to_owned(),
            Ty::Enum(_) => "a symbolic constant".to_owned(),
            Ty::Any => "a symbolic constant or a number".to_owned(),
            Ty::Word { signed: true, width } => format!("a signed word of {width} bits"),
            Ty::Word { signed: false, width } => format!("an unsigned word of {width} bits"),
            Ty::Broken => "nothing".to_owned(),
        }
    }

    /// The least and the largest value of a word.
    pub(crate) fn bounds_of_word(signed: bool, width: u32) -> (i64, i64) {
        match signed {
            true => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
            false => (0, (1 << width) - 1),
        }
    }
}

/// An expression of the model with its type and bounds of its value.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) expr: Expr,
    pub(crate) ty: Ty,
    pub(crate) least: i64,
    pub(crate) most: i64,
    /// The values it can have, where they are known one by one.
    pub(crate) values: Option<BTreeSet<i64>>,
}

impl Value {
    pub(crate) fn broken() -> Value {
        Value { expr: Expr::Const(0), ty: Ty::Broken, least: 0, most: 0, values: None }
    }

    pub(crate) fn truth(expr: Expr) -> Value {
        Value { expr, ty: Ty::Bool, least: 0, most: 1, values: None }
    }

    pub(crate) fn constant(value: i64, ty: Ty) -> Value {
        let values = Some(BTreeSet::from([value]));
        Value { expr: Expr::Const(value), ty, least: value, most: value, values }
    }

    pub(crate) fn number(expr: Expr, least: i64, most: i64) -> Value {
        Value { expr, ty: Ty::Int, least, most, values: None }
    }

    /// A word, cut to its width.
    pub(crate) fn word(expr: Expr, signed: bool, width: u32) -> Value {
        let (least, most) = Ty::bounds_of_word(signed, width);
        let expr = if signed { sign_extended(expr, width) } else { masked(expr, width) };
        Value { expr, ty: Ty::Word { signed, width }, least, most, values: None }
    }

    /// The value, when it is a constant.
    pub(crate) fn known(&self) -> Option<i64> {
        fold(&self.expr)
    }
}

/// The values of a declared type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Domain {
    pub(crate) ty: Ty,
    pub(crate) least: i64,
    pub(crate) most: i64,
    /// The values, when there are gaps between them.
    pub(crate) gaps: Option<BTreeSet<i64>>,
}

impl Domain {
    /// How values are stored.
    pub(crate) fn scalar(&self, kind: ScalarKind) -> ScalarType {
        let signed = self.least < 0;
        let bits = (1..32)
            .find(|&bits| {
                let (least, most) = Ty::bounds_of_word(signed, bits);
                least <= self.least && self.most <= most
            })
            .unwrap_or(32);
        ScalarType { kind, bits: bits as u8, signed }
    }

    /// The values, one by one.
    pub(crate) fn values(&self) -> Vec<i64> {
        match &self.gaps {
            Some(values) => values.iter().copied().collect(),
            None => (self.least..=self.most).collect(),
        }
    }

    /// Whether a number is a value of the type.
    pub(crate) fn has(&self, value: i64) -> bool {
        self.gaps.as_ref().is_none_or(|values| values.contains(&value))
            && (self.least..=self.most).contains(&value)
    }

    /// What has the type, and is not known better.
    pub(crate) fn value(&self, expr: Expr) -> Value {
        let values = match (self.ty, &self.gaps) {
            (_, Some(values)) => Some(values.clone()),
            (Ty::Enum(_), None) => Some((self.least..=self.most).collect()),
            _ => None,
        };
        Value { expr, ty: self.ty, least: self.least, most: self.most, values }
    }

    /// Whether an expression is a value of the type.
    pub(crate) fn contains(&self, value: &Expr) -> Expr {
        match &self.gaps {
            Some(values) => {
                let each = values.iter().map(|&one| equal(value.clone(), Expr::Const(one)));
                each.reduce(|all, one| Expr::binary(BinaryOp::Or, all, one)).unwrap_or(Expr::Const(0))
            }
            None => within(value, self.least, self.most),
        }
    }

    /// Whether all that a value can be is in the type.
    pub(crate) fn includes(&self, value: &Value) -> bool {
        match (&value.values, &self.gaps) {
            (Some(values), Some(own)) => values.is_subset(own),
            (Some(values), None) => values.iter().all(|one| (self.least..=self.most).contains(one)),
            (None, Some(_)) => false,
            (None, None) => self.least <= value.least && value.most <= self.most,
        }
    }
}

/// Whether a value is in a range.
pub(crate) fn within(value: &Expr, least: i64, most: i64) -> Expr {
    let low = Expr::binary(BinaryOp::GreaterEqual, value.clone(), Expr::Const(least));
    let high = Expr::binary(BinaryOp::LessEqual, value.clone(), Expr::Const(most));
    Expr::binary(BinaryOp::And, low, high)
}

pub(crate) fn equal(left: Expr, right: Expr) -> Expr {
    Expr::binary(BinaryOp::Equal, left, right)
}

/// Both of two conditions.
pub(crate) fn both(left: Expr, right: Expr) -> Expr {
    Expr::binary(BinaryOp::And, left, right)
}

/// The low bits of a number.
pub(crate) fn masked(expr: Expr, width: u32) -> Expr {
    if width >= 32 {
        return expr;
    }
    Expr::binary(BinaryOp::BitAnd, expr, Expr::Const((1 << width) - 1))
}

/// A number with so many bits, the last of which is its sign.
pub(crate) fn sign_extended(expr: Expr, width: u32) -> Expr {
    if width >= 32 {
        return expr;
    }
    let shift = Expr::Const(i64::from(32 - width));
    let left = Expr::binary(BinaryOp::ShiftLeft, expr, shift.clone());
    Expr::binary(BinaryOp::ShiftRight, left, shift)
}

/// The value of an expression of constants.
pub(crate) fn fold(expr: &Expr) -> Option<i64> {
    let wrapped = |value: i64| i64::from(value as i32);
    Some(match expr {
        Expr::Const(value) => *value,
        Expr::Unary(UnaryOp::Negate, operand) => wrapped(-fold(operand)?),
        Expr::Unary(UnaryOp::Not, operand) => i64::from(fold(operand)? == 0),
        Expr::Unary(UnaryOp::Complement, operand) => !fold(operand)?,
        Expr::Conditional(condition, then, otherwise) => {
            if fold(condition)? != 0 {
                fold(then)?
            } else {
                fold(otherwise)?
            }
        }
        Expr::Binary(op, left, right) => {
            let (left, right) = (fold(left)?, fold(right)?);
            match op {
                BinaryOp::Add => wrapped(left + right),
                BinaryOp::Subtract => wrapped(left - right),
                BinaryOp::Multiply => wrapped(left.wrapping_mul(right)),
                BinaryOp::Divide if right != 0 => wrapped(left / right),
                BinaryOp::Remainder if right != 0 => wrapped(left % right),
                BinaryOp::Divide | BinaryOp::Remainder => return None,
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
            }
        }
        _ => return None,
    })
}
