//! The value of an expression in a state.
//!
//! Values are those of a C `int`, carried in 64 bits and wrapped to 32 after every operation. Recursion is as
//! deep as the expression, which the front ends bound. [`Expr::Enabled`] recurses into the guards of other
//! processes, which may ask in turn; that is cut off at [`DEEPEST_QUESTION`].

use super::frames::{Configuration, ProcessRecord};
use crate::layout::Layout;
use crate::{Base, BinaryOp, Expr, Fault, Location, LocationId, Model, Place, TemplateId, UnaryOp};

/// How deep questions whether a process is enabled may nest before they count as endless.
const DEEPEST_QUESTION: u32 = 64;

/// Who looks at a state, and under which circumstances.
#[derive(Clone, Copy)]
pub(crate) struct Look<'a> {
    /// The model.
    pub model: &'a Model,
    /// The layout of its states.
    pub layout: &'a Layout,
    /// The process that looks; none for a property.
    pub own: Option<u32>,
    /// The process created last in the same effect.
    pub created: i64,
    /// Whether nothing can move otherwise.
    pub timeout: bool,
    /// How many questions about other processes led here.
    pub depth: u32,
}

impl<'a> Look<'a> {
    /// The look of nobody, at rest.
    pub fn new(model: &'a Model, layout: &'a Layout) -> Look<'a> {
        Look { model, layout, own: None, created: 0, timeout: false, depth: 0 }
    }

    /// The same circumstances, seen by a process.
    pub fn by(self, process: u32) -> Look<'a> {
        Look { own: Some(process), ..self }
    }

    /// Whether an expression is not 0.
    pub fn holds(&self, state: &Configuration, expr: &Expr) -> Result<bool, Fault> {
        Ok(self.value(state, expr)? != 0)
    }

    /// The value of an expression.
    pub fn value(&self, state: &Configuration, expr: &Expr) -> Result<i64, Fault> {
        Ok(match expr {
            Expr::Const(value) => wrap(*value),
            Expr::Load(Place { base: Base::Temporary, offset, ty, .. }) => {
                wrap(state.read_temporary(*offset, *ty))
            }
            Expr::Load(place) => match self.address(state, place)? {
                Some(address) => wrap(state.read(address, place.ty)),
                None => 0,
            },
            Expr::Unary(op, operand) => op.apply(self.value(state, operand)?),
            Expr::Binary(BinaryOp::And, left, right) => {
                i64::from(self.holds(state, left)? && self.holds(state, right)?)
            }
            Expr::Binary(BinaryOp::Or, left, right) => {
                i64::from(self.holds(state, left)? || self.holds(state, right)?)
            }
            Expr::Binary(op, left, right) => {
                let left = self.value(state, left)?;
                op.apply(left, self.value(state, right)?)?
            }
            Expr::Conditional(condition, then, otherwise) => {
                let chosen = if self.holds(state, condition)? { then } else { otherwise };
                self.value(state, chosen)?
            }
            Expr::Channel(query, channel) => {
                let channel = self.channel(state, channel)?;
                super::channel::query(self, state, channel, *query)
            }
            Expr::Poll { channel, patterns, which } => {
                let channel = self.channel(state, channel)?;
                i64::from(super::channel::poll(self, state, channel, patterns, *which)?)
            }
            _ => self.value_of_question(state, expr)?,
        })
    }

    /// The value of an expression about processes.
    fn value_of_question(&self, state: &Configuration, expr: &Expr) -> Result<i64, Fault> {
        Ok(match expr {
            Expr::OwnProcess => self.own.map_or(-1, i64::from),
            Expr::ProcessCount => state.processes.len() as i64,
            Expr::LastProcess => state.last(self.layout),
            Expr::Created => self.created,
            Expr::Timeout => i64::from(self.timeout),
            Expr::NonProgress => i64::from(!self.some_location(state, |location| location.progress)),
            Expr::SomeAccepting => i64::from(self.some_location(state, |location| location.accept)),
            Expr::Enabled(process) => i64::from(self.enabled(state, process)?),
            Expr::LocationOf(process) => {
                let process = state.process(self.value(state, process)?);
                process.map_or(0, |record| i64::from(state.location(self.layout, record).0))
            }
            Expr::AtLocation { template, process, location } => {
                i64::from(self.other(state, *template, process.as_deref())?.is_some_and(|record| {
                    let at: LocationId = state.location(self.layout, record);
                    at == *location
                }))
            }
            Expr::Priority(process) => {
                let process = state.process(self.value(state, process)?);
                process.map_or(0, |record| i64::from(state.priority(self.layout, record)))
            }
            _ => unreachable!("every other expression is evaluated by `value`"),
        })
    }

    /// Whether some process is at a location like this.
    fn some_location(&self, state: &Configuration, is_meant: fn(&Location) -> bool) -> bool {
        state.processes.iter().any(|&record| {
            is_meant(self.model.template(record.template).location(state.location(self.layout, record)))
        })
    }

    fn enabled(&self, state: &Configuration, process: &Expr) -> Result<bool, Fault> {
        let number = self.value(state, process)?;
        if self.own.is_some_and(|own| i64::from(own) == number) {
            return Err(Fault::EnabledSelf);
        }
        if self.depth >= DEEPEST_QUESTION {
            return Err(Fault::EndlessInside);
        }
        match state.process(number) {
            None => Ok(false),
            Some(_) => super::enabled::has_executable_edge(
                &Look { depth: self.depth + 1, ..*self }.by(number as u32),
                state,
            ),
        }
    }

    /// The process that a reference to another process means.
    fn other(
        &self,
        state: &Configuration,
        template: TemplateId,
        process: Option<&Expr>,
    ) -> Result<Option<ProcessRecord>, Fault> {
        let number = match process {
            Some(process) => Some(self.value(state, process)?),
            None => state.first_of(template),
        };
        Ok(number.and_then(|number| state.process(number)).filter(|record| record.template == template))
    }

    /// The address of a scalar; none when the place is nowhere.
    #[inline]
    pub fn address(&self, state: &Configuration, place: &Place) -> Result<Option<u32>, Fault> {
        let base = match &place.base {
            Base::Global => 0,
            Base::Own => match self.own {
                Some(own) => state.locals(self.layout, state.processes[own as usize]),
                None => return Ok(None),
            },
            Base::Other { template, process } => match self.other(state, *template, process.as_deref())? {
                Some(record) => state.locals(self.layout, record),
                None => return Ok(None),
            },
            Base::Temporary | Base::Discard => return Ok(None),
        };
        let mut address = base + place.offset;
        for index in &place.indices {
            let value = self.value(state, &index.value)?;
            if value < 0 || value >= i64::from(index.length) {
                return Err(Fault::IndexOutOfRange { index: value, length: index.length });
            }
            address += value as u32 * index.stride;
        }
        Ok(Some(address))
    }

    /// Stores a value in a place.
    pub fn store(&self, state: &mut Configuration, place: &Place, value: i64) -> Result<(), Fault> {
        if place.base == Base::Temporary {
            state.write_temporary(place.offset, place.ty, value);
        } else if let Some(address) = self.address(state, place)? {
            state.write(address, place.ty, value);
        }
        Ok(())
    }

    /// The channel that an expression means, as an index into the channels of the state.
    pub fn channel(&self, state: &Configuration, channel: &Expr) -> Result<usize, Fault> {
        let number = self.value(state, channel)?;
        if number == 0 {
            return Err(Fault::NoChannel);
        }
        match usize::try_from(number - 1) {
            Ok(index) if index < state.channels.len() => Ok(index),
            _ => Err(Fault::DeadChannel { channel: number }),
        }
    }
}

/// The value that a C `int` holds.
#[inline]
fn wrap(value: i64) -> i64 {
    i64::from(value as i32)
}

impl UnaryOp {
    /// The result for a value of a C `int`.
    pub fn apply(self, operand: i64) -> i64 {
        match self {
            UnaryOp::Negate => wrap(operand.wrapping_neg()),
            UnaryOp::Complement => !operand,
            UnaryOp::Not => i64::from(operand == 0),
        }
    }
}

impl BinaryOp {
    /// The result for values of a C `int`. Logical operators look at both operands here.
    ///
    /// # Errors
    ///
    /// Division by zero.
    pub fn apply(self, left: i64, right: i64) -> Result<i64, Fault> {
        let divisor = || if right == 0 { Err(Fault::DivisionByZero) } else { Ok(right) };
        Ok(match self {
            BinaryOp::Add => wrap(left.wrapping_add(right)),
            BinaryOp::Subtract => wrap(left.wrapping_sub(right)),
            BinaryOp::Multiply => wrap(left.wrapping_mul(right)),
            BinaryOp::Divide => wrap(left.wrapping_div(divisor()?)),
            BinaryOp::Remainder => wrap(left.wrapping_rem(divisor()?)),
            // C leaves shifts by 32 and more undefined; like the usual processors we look at five bits.
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
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arithmetic wraps at 32 bits, also where C would trap.
    #[test]
    fn arithmetic_is_that_of_a_c_int() {
        let min = i64::from(i32::MIN);
        let max = i64::from(i32::MAX);
        assert_eq!(BinaryOp::Add.apply(max, 1), Ok(min));
        assert_eq!(BinaryOp::Divide.apply(min, -1), Ok(min));
        assert_eq!(BinaryOp::Divide.apply(-7, 2), Ok(-3));
        assert_eq!(BinaryOp::Remainder.apply(-7, 2), Ok(-1));
        assert_eq!(BinaryOp::Multiply.apply(max, max), Ok(1));
        assert_eq!(BinaryOp::ShiftRight.apply(-8, 1), Ok(-4));
        assert_eq!(BinaryOp::ShiftLeft.apply(1, 31), Ok(min));
        assert_eq!(UnaryOp::Negate.apply(min), min);
        assert_eq!(UnaryOp::Complement.apply(5), -6);
        assert_eq!(BinaryOp::Remainder.apply(1, 0), Err(Fault::DivisionByZero));
    }
}
