//! Expressions over bounded integers and locations.

use std::sync::Arc;

use fathom_model::Fault;

use crate::statement::Compute;

/// An operator with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Not,
    Minus,
}

/// An operator with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    /// Toward zero, as in C.
    Divide,
    /// With the sign of the left operand, as in C.
    Remainder,
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
    And,
    Or,
    /// With an exponent of 0 or more.
    Power,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
}

/// An expression. Truth is 1, and everything but 0 is true.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    /// A number.
    Constant(i64),
    /// A variable of the network.
    Variable(usize),
    /// An element of an array of the network.
    Element {
        /// The variable that is its first element.
        first: usize,
        /// Number of elements.
        length: u32,
        /// Which one.
        index: Box<Expr>,
    },
    /// A local variable of a sequence of statements.
    Local(usize),
    /// An element of a local array.
    LocalElement {
        /// The local that is its first element.
        first: usize,
        /// Number of elements.
        length: u32,
        /// Which one.
        index: Box<Expr>,
    },
    /// An operator with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator with two operands. `And` and `Or` look at the right one only when they must.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// The second or the third, as the first says.
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Whether a process is at a location.
    At {
        /// The process.
        process: usize,
        /// Index of the location in the process.
        location: usize,
    },
    /// Whether some process is at a location with a label.
    HasLabel(usize),
    /// An element of a list of constants.
    Table {
        /// The constants.
        values: Arc<[i32]>,
        /// Which one.
        index: Box<Expr>,
    },
    /// The value, if it is an index of an array of this length; a fault if not.
    Within(Box<Expr>, u32),
    /// The value, if it is between two numbers, these included; a fault if not.
    Ranged(Box<Expr>, i64, i64),
    /// As the bound of a clock: none at all.
    NoBound,
    /// What comes out of some statements that change nothing but locals.
    Compute(Arc<Compute>),
}

/// What an expression is evaluated in.
#[derive(Clone, Copy, Debug)]
pub struct Environment<'a> {
    /// The variables of the network.
    pub values: &'a [i32],
    /// The local variables.
    pub locals: &'a [i32],
    /// The location of each process.
    pub locations: &'a [u32],
    /// By process and location: its labels. Empty where no expression asks for labels.
    pub labels: &'a [Vec<Vec<usize>>],
}

impl Expr {
    /// The value.
    ///
    /// # Errors
    ///
    /// A division by zero or an index outside its array.
    pub fn evaluate(&self, environment: &Environment<'_>) -> Result<i64, Fault> {
        match self {
            Expr::Constant(value) => Ok(*value),
            Expr::Variable(variable) => Ok(i64::from(environment.values[*variable])),
            Expr::Element { first, length, index } => {
                let index = checked_index(index.evaluate(environment)?, *length)?;
                Ok(i64::from(environment.values[first + index]))
            }
            Expr::Local(local) => Ok(i64::from(environment.locals[*local])),
            Expr::LocalElement { first, length, index } => {
                let index = checked_index(index.evaluate(environment)?, *length)?;
                Ok(i64::from(environment.locals[first + index]))
            }
            Expr::Unary(UnaryOp::Not, operand) => Ok(i64::from(operand.evaluate(environment)? == 0)),
            Expr::Unary(UnaryOp::Minus, operand) => Ok(operand.evaluate(environment)?.wrapping_neg()),
            Expr::Binary(BinaryOp::And, left, right) => {
                Ok(i64::from(left.evaluate(environment)? != 0 && right.evaluate(environment)? != 0))
            }
            Expr::Binary(BinaryOp::Or, left, right) => {
                Ok(i64::from(left.evaluate(environment)? != 0 || right.evaluate(environment)? != 0))
            }
            Expr::Binary(op, left, right) => {
                apply(*op, left.evaluate(environment)?, right.evaluate(environment)?)
            }
            Expr::Choose(condition, yes, no) => match condition.evaluate(environment)? {
                0 => no.evaluate(environment),
                _ => yes.evaluate(environment),
            },
            Expr::At { process, location } => {
                Ok(i64::from(environment.locations[*process] as usize == *location))
            }
            Expr::HasLabel(label) => {
                let has_label = |(process, &location): (usize, &u32)| {
                    environment.labels[process][location as usize].contains(label)
                };
                Ok(i64::from(environment.locations.iter().enumerate().any(has_label)))
            }
            Expr::Table { values, index } => {
                let index = checked_index(index.evaluate(environment)?, values.len() as u32)?;
                Ok(i64::from(values[index]))
            }
            Expr::Within(index, length) => Ok(checked_index(index.evaluate(environment)?, *length)? as i64),
            Expr::Ranged(value, least, most) => {
                let value = value.evaluate(environment)?;
                if value < *least || value > *most {
                    return Err(Fault::ValueOutOfRange { value, least: *least, most: *most });
                }
                Ok(value)
            }
            Expr::NoBound => Ok(NO_BOUND),
            Expr::Compute(compute) => compute.evaluate(environment),
        }
    }

    /// The value, if it is the same in every environment.
    pub fn constant(&self) -> Option<i64> {
        match self {
            Expr::Constant(value) => Some(*value),
            Expr::Unary(op, operand) => {
                let operand = operand.constant()?;
                Some(match op {
                    UnaryOp::Not => i64::from(operand == 0),
                    UnaryOp::Minus => operand.checked_neg()?,
                })
            }
            Expr::Binary(op, left, right) => {
                let (left, right) = (left.constant()?, right.constant()?);
                match op {
                    BinaryOp::And => Some(i64::from(left != 0 && right != 0)),
                    BinaryOp::Or => Some(i64::from(left != 0 || right != 0)),
                    op => apply(*op, left, right).ok(),
                }
            }
            Expr::Choose(condition, yes, no) => {
                if condition.constant()? == 0 {
                    no.constant()
                } else {
                    yes.constant()
                }
            }
            Expr::Table { values, index } => {
                let index = usize::try_from(index.constant()?).ok()?;
                values.get(index).map(|&value| i64::from(value))
            }
            Expr::Within(index, length) => {
                index.constant().filter(|&index| index >= 0 && index < i64::from(*length))
            }
            Expr::Ranged(value, least, most) => {
                value.constant().filter(|value| (*least..=*most).contains(value))
            }
            _ => None,
        }
    }

    /// Between which numbers the value lies, when each variable of the network lies in its range.
    pub fn interval(&self, ranges: &[Interval]) -> Interval {
        let hull = |first: usize, length: u32| {
            ranges[first..first + length as usize]
                .iter()
                .fold(Interval { least: i64::MAX, most: i64::MIN }, |hull, range| hull.union(*range))
        };
        match self {
            Expr::Constant(value) => Interval { least: *value, most: *value },
            Expr::Variable(variable) => ranges[*variable],
            Expr::Element { first, length, .. } => hull(*first, *length),
            Expr::Local(_) | Expr::LocalElement { .. } => Interval::ALL,
            Expr::Unary(UnaryOp::Minus, operand) => {
                let Interval { least, most } = operand.interval(ranges);
                Interval { least: most.saturating_neg(), most: least.saturating_neg() }
            }
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply), left, right) => {
                let (left, right) = (left.interval(ranges), right.interval(ranges));
                Interval::of_ends(*op, left, right)
            }
            Expr::Binary(BinaryOp::Divide, left, _) => {
                let Interval { least, most } = left.interval(ranges);
                let magnitude = least.saturating_abs().max(most.saturating_abs());
                Interval { least: magnitude.saturating_neg(), most: magnitude }
            }
            Expr::Binary(BinaryOp::Remainder, _, right) => {
                let Interval { least, most } = right.interval(ranges);
                let magnitude = least.saturating_abs().max(most.saturating_abs());
                Interval { least: magnitude.saturating_neg(), most: magnitude }
            }
            Expr::Choose(_, yes, no) => yes.interval(ranges).union(no.interval(ranges)),
            Expr::Table { values, .. } => {
                let (least, most) = (values.iter().min().copied(), values.iter().max().copied());
                Interval { least: i64::from(least.unwrap_or(0)), most: i64::from(most.unwrap_or(0)) }
            }
            Expr::Within(index, length) => {
                let Interval { least, most } = index.interval(ranges);
                Interval { least: least.max(0), most: most.min(i64::from(*length) - 1) }
            }
            Expr::Ranged(value, lower, upper) => {
                let Interval { least, most } = value.interval(ranges);
                Interval { least: least.max(*lower), most: most.min(*upper) }
            }
            // The union with anything is the other.
            Expr::NoBound => Interval { least: i64::MAX, most: i64::MIN },
            Expr::Compute(compute) => compute.result.interval(ranges),
            Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), left, right) => {
                let (left, right) = (left.interval(ranges), right.interval(ranges));
                match op {
                    BinaryOp::Min => {
                        Interval { least: left.least.min(right.least), most: left.most.min(right.most) }
                    }
                    _ => Interval { least: left.least.max(right.least), most: left.most.max(right.most) },
                }
            }
            Expr::Binary(BinaryOp::BitAnd, left, right) => {
                let (left, right) = (left.interval(ranges), right.interval(ranges));
                match left.least >= 0 && right.least >= 0 {
                    true => Interval { least: 0, most: left.most.min(right.most) },
                    false => Interval::ALL,
                }
            }
            Expr::Binary(
                BinaryOp::Power
                | BinaryOp::BitOr
                | BinaryOp::BitXor
                | BinaryOp::ShiftLeft
                | BinaryOp::ShiftRight,
                ..,
            ) => Interval::ALL,
            Expr::Unary(UnaryOp::Not, _) | Expr::Binary(..) | Expr::At { .. } | Expr::HasLabel(_) => {
                Interval { least: 0, most: 1 }
            }
        }
    }
}

/// The value of [`Expr::NoBound`].
pub(crate) const NO_BOUND: i64 = i64::MAX;

/// Numbers between two ends, ends included.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Interval {
    /// The lower end.
    pub least: i64,
    /// The upper end.
    pub most: i64,
}

impl Interval {
    /// All values that a variable can have.
    pub const ALL: Interval = Interval { least: i32::MIN as i64, most: i32::MAX as i64 };

    fn union(self, other: Interval) -> Interval {
        Interval { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    /// The hull of an operation on the ends: right for operations that are monotone in each operand.
    fn of_ends(op: BinaryOp, left: Interval, right: Interval) -> Interval {
        let apply = |left: i64, right: i64| match op {
            BinaryOp::Add => left.saturating_add(right),
            BinaryOp::Subtract => left.saturating_sub(right),
            _ => left.saturating_mul(right),
        };
        let ends = [
            apply(left.least, right.least),
            apply(left.least, right.most),
            apply(left.most, right.least),
            apply(left.most, right.most),
        ];
        Interval {
            least: ends.into_iter().min().unwrap_or(i64::MIN),
            most: ends.into_iter().max().unwrap_or(i64::MAX),
        }
    }
}

/// An index, when it is one of an array of this length.
pub(crate) fn checked_index(index: i64, length: u32) -> Result<usize, Fault> {
    match usize::try_from(index) {
        Ok(valid) if valid < length as usize => Ok(valid),
        _ => Err(Fault::IndexOutOfRange { index, length }),
    }
}

fn apply(op: BinaryOp, left: i64, right: i64) -> Result<i64, Fault> {
    let truth = |is_true: bool| Ok(i64::from(is_true));
    match op {
        BinaryOp::Add => Ok(left.wrapping_add(right)),
        BinaryOp::Subtract => Ok(left.wrapping_sub(right)),
        BinaryOp::Multiply => Ok(left.wrapping_mul(right)),
        BinaryOp::Divide | BinaryOp::Remainder if right == 0 => Err(Fault::DivisionByZero),
        BinaryOp::Divide => Ok(left.wrapping_div(right)),
        BinaryOp::Remainder => Ok(left.wrapping_rem(right)),
        BinaryOp::Equal => truth(left == right),
        BinaryOp::NotEqual => truth(left != right),
        BinaryOp::Less => truth(left < right),
        BinaryOp::AtMost => truth(left <= right),
        BinaryOp::Greater => truth(left > right),
        BinaryOp::AtLeast => truth(left >= right),
        BinaryOp::And => truth(left != 0 && right != 0),
        BinaryOp::Or => truth(left != 0 || right != 0),
        BinaryOp::Power => {
            let exponent = u32::try_from(right).map_err(|_| Fault::ValueOutOfRange {
                value: right,
                least: 0,
                most: i64::from(u32::MAX),
            })?;
            Ok(left.saturating_pow(exponent))
        }
        BinaryOp::BitAnd => Ok(left & right),
        BinaryOp::BitOr => Ok(left | right),
        BinaryOp::BitXor => Ok(left ^ right),
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight if !(0..32).contains(&right) => {
            Err(Fault::ValueOutOfRange { value: right, least: 0, most: 31 })
        }
        BinaryOp::ShiftLeft => Ok(left << right),
        BinaryOp::ShiftRight => Ok(left >> right),
        BinaryOp::Min => Ok(left.min(right)),
        BinaryOp::Max => Ok(left.max(right)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    fn check(expr: &Expr, values: &[i32], expected: Result<i64, Fault>) {
        let environment = Environment { values, locals: &[], locations: &[], labels: &[] };
        assert_eq!(expr.evaluate(&environment), expected);
    }

    #[test]
    fn division_is_that_of_c_and_by_zero_a_fault() {
        let divide = binary(BinaryOp::Divide, Expr::Variable(0), Expr::Variable(1));
        check(&divide, &[-7, 2], Ok(-3));
        check(&divide, &[1, 0], Err(Fault::DivisionByZero));
        check(&binary(BinaryOp::Remainder, Expr::Variable(0), Expr::Variable(1)), &[-7, 2], Ok(-1));
        // The right side is not looked at.
        check(&binary(BinaryOp::And, Expr::Constant(0), divide), &[1, 0], Ok(0));
    }

    #[test]
    fn an_index_outside_its_array_is_a_fault() {
        let element = Expr::Element { first: 1, length: 2, index: Box::new(Expr::Variable(0)) };
        check(&element, &[1, 5, 6], Ok(6));
        check(&element, &[2, 5, 6], Err(Fault::IndexOutOfRange { index: 2, length: 2 }));
        check(&element, &[-1, 5, 6], Err(Fault::IndexOutOfRange { index: -1, length: 2 }));
    }

    #[test]
    fn every_value_lies_in_the_interval() {
        let ranges = [Interval { least: -2, most: 3 }, Interval { least: 1, most: 2 }];
        for op in [
            BinaryOp::Add,
            BinaryOp::Subtract,
            BinaryOp::Multiply,
            BinaryOp::Divide,
            BinaryOp::Remainder,
            BinaryOp::Less,
        ] {
            let expr = binary(op, Expr::Variable(0), Expr::Variable(1));
            let interval = expr.interval(&ranges);
            for left in -2..=3 {
                for right in 1..=2 {
                    let values = [left, right];
                    let environment =
                        Environment { values: &values, locals: &[], locations: &[], labels: &[] };
                    let value = expr.evaluate(&environment).expect("no fault");
                    assert!(interval.least <= value && value <= interval.most, "{op:?} {left} {right}");
                }
            }
        }
    }
}
