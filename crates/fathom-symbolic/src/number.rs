//! Numbers as vectors of diagrams.
//!
//! A number is known, or it is a list of bits in two's complement, the least significant first and the sign last,
//! each a function of the bits of a state. Lists are as short as the value allows: a sign that is repeated is dropped.
//! The results are those of the reference interpreter, which computes like a C `int`: results are given as many bits as
//! they can need, and what exceeds 32 is cut off, which is how 32 bits wrap. Whoever needs the low bits of a result only says how many:
//! the high bits of a product are its largest, and are not made for a variable of eight bits.
//!
//! Addition is by ripple, multiplication by shift and add with the sign bit subtracted, division by restoring; each bit of
//! a result is as large as it has to be, which for products is exponential in any order of variables (Bryant, "On the Complexity of
//! VLSI Implementations and Graph Representations of Boolean Functions", 1991).

use fathom_diagram::{Diagram, Diagrams, NoRoom};
use fathom_model::{BinaryOp, ScalarType, UnaryOp};

use crate::multiples::Multiples;

/// Most bits of a number.
pub(crate) const WIDEST: usize = 32;

/// A value in every state of a set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Number {
    /// The same everywhere.
    Known(i64),
    /// Bits, the sign last; at least one, and not all constant.
    Bits(Vec<Diagram>),
}

/// The arithmetic of numbers whose bits live in one place.
#[derive(Clone, Debug)]
pub(crate) struct Arithmetic {
    /// The function that is false everywhere.
    pub no: Diagram,
    /// The function that is true everywhere.
    pub yes: Diagram,
}

impl Arithmetic {
    pub fn new(diagrams: &Diagrams) -> Arithmetic {
        Arithmetic { no: diagrams.constant(false), yes: diagrams.constant(true) }
    }

    /// A constant function.
    pub fn constant(&self, value: bool) -> &Diagram {
        if value { &self.yes } else { &self.no }
    }

    /// A number from bits with the sign last; bits beyond 32 are cut off.
    pub fn number(&self, mut bits: Vec<Diagram>) -> Number {
        bits.truncate(WIDEST);
        while bits.len() > 1 && bits[bits.len() - 1] == bits[bits.len() - 2] {
            bits.pop();
        }
        let known = bits.iter().enumerate().try_fold(0i64, |value, (place, bit)| {
            let weight = if place + 1 == bits.len() { -(1i64 << place) } else { 1i64 << place };
            bit.as_constant().map(|bit| value + if bit { weight } else { 0 })
        });
        match known {
            Some(value) => Number::Known(value),
            None => Number::Bits(bits),
        }
    }

    /// A number that is 1 where a condition holds and 0 elsewhere.
    pub fn truth(&self, condition: Diagram) -> Number {
        self.number(vec![condition, self.no.clone()])
    }

    /// The number that is stored in so many bits of a type.
    pub fn load(&self, ty: ScalarType, mut bits: Vec<Diagram>) -> Number {
        if !ty.signed && bits.len() < WIDEST {
            bits.push(self.no.clone());
        }
        self.number(bits)
    }

    /// The bits that are stored when a number is assigned to a scalar of so many bits.
    pub fn store(&self, number: &Number, n_bits: usize) -> Vec<Diagram> {
        // With room for a sign.
        let mut bits = Vec::with_capacity(n_bits + 1);
        bits.extend((0..n_bits).map(|place| self.bit(number, place).clone()));
        bits
    }

    /// The same of a number that nobody else needs.
    pub fn stored_bits(&self, number: Number, n_bits: usize) -> Vec<Diagram> {
        match number {
            Number::Bits(mut bits) if bits.len() >= n_bits => {
                bits.truncate(n_bits);
                bits
            }
            number => self.store(&number, n_bits),
        }
    }

    /// A bit of a number; beyond its length, the sign.
    pub fn bit<'a>(&'a self, number: &'a Number, place: usize) -> &'a Diagram {
        match number {
            Number::Known(value) => self.constant(value >> place.min(63) & 1 == 1),
            Number::Bits(bits) => bits.get(place).unwrap_or(&bits[bits.len() - 1]),
        }
    }

    fn sign<'a>(&'a self, number: &'a Number) -> &'a Diagram {
        self.bit(number, WIDEST - 1)
    }

    /// True where a number is not 0.
    pub fn nonzero(&self, number: &Number) -> Result<Diagram, NoRoom> {
        match number {
            Number::Known(value) => Ok(self.constant(*value != 0).clone()),
            Number::Bits(bits) => bits.iter().try_fold(self.no.clone(), |some, bit| some.or(bit)),
        }
    }

    /// True where two numbers are the same.
    pub fn equal(&self, left: &Number, right: &Number) -> Result<Diagram, NoRoom> {
        let width = width(left).max(width(right));
        (0..width).rev().try_fold(self.yes.clone(), |same, place| {
            same.and(&self.bit(left, place).equivalent(self.bit(right, place))?)
        })
    }

    /// True where a number has a value.
    pub fn is(&self, number: &Number, value: i64) -> Result<Diagram, NoRoom> {
        self.equal(number, &Number::Known(value))
    }

    /// True where the left number is the smaller one.
    pub fn less(&self, left: &Number, right: &Number) -> Result<Diagram, NoRoom> {
        let width = width(left).max(width(right));
        let mut less = self.no.clone();
        for place in 0..width {
            let (a, b) = (self.bit(left, place), self.bit(right, place));
            let decides = if place + 1 == width { a } else { b };
            less = a.xor(b)?.ite(decides, &less)?;
        }
        Ok(less)
    }

    /// One number where a condition holds, another elsewhere.
    pub fn choose(&self, condition: &Diagram, then: &Number, otherwise: &Number) -> Result<Number, NoRoom> {
        if then == otherwise || condition.is_true() {
            return Ok(then.clone());
        }
        if condition.is_false() {
            return Ok(otherwise.clone());
        }
        let width = width(then).max(width(otherwise));
        let bits: Result<Vec<Diagram>, NoRoom> = (0..width)
            .map(|place| condition.ite(self.bit(then, place), self.bit(otherwise, place)))
            .collect();
        Ok(self.number(bits?))
    }

    /// A number of which nobody looks at more than so many of its low bits: what is above means nothing.
    pub fn low(&self, number: Number, n_bits: usize) -> Number {
        match number {
            Number::Bits(bits) if bits.len() > n_bits => {
                self.number(self.stored_bits(Number::Bits(bits), n_bits))
            }
            number => number,
        }
    }

    /// An operator with one operand.
    pub fn unary(&self, op: UnaryOp, operand: &Number) -> Result<Number, NoRoom> {
        Ok(match op {
            UnaryOp::Negate => self.sum(&Number::Known(0), operand, Sum::Difference, WIDEST)?,
            UnaryOp::Complement => {
                let bits: Result<Vec<Diagram>, NoRoom> =
                    (0..width(operand)).map(|place| self.bit(operand, place).not()).collect();
                self.number(bits?)
            }
            UnaryOp::Not => self.truth(self.nonzero(operand)?.not()?),
        })
    }

    /// An operator with two operands. What a division gives where the divisor is 0 means nothing.
    pub fn binary(&self, op: BinaryOp, left: &Number, right: &Number) -> Result<Number, NoRoom> {
        self.binary_low(op, left, right, WIDEST)
    }

    /// The same, of which nobody looks at more than so many low bits. For operators whose low bits depend on more than low bits (division,
    /// comparison, shifts to the right) that makes no difference.
    pub fn binary_low(
        &self,
        op: BinaryOp,
        left: &Number,
        right: &Number,
        n_bits: usize,
    ) -> Result<Number, NoRoom> {
        Ok(match op {
            BinaryOp::Add => self.sum(left, right, Sum::Sum, n_bits)?,
            BinaryOp::Subtract => self.sum(left, right, Sum::Difference, n_bits)?,
            BinaryOp::Multiply => self.product(left, right, n_bits)?,
            BinaryOp::Divide => self.divide(left, right)?.0,
            BinaryOp::Remainder => self.divide(left, right)?.1,
            BinaryOp::ShiftLeft => self.shift(left, right, Self::shift_left)?,
            BinaryOp::ShiftRight => self.shift(left, right, Self::shift_right)?,
            BinaryOp::BitAnd => self.bitwise(left, right, Diagram::and)?,
            BinaryOp::BitOr => self.bitwise(left, right, Diagram::or)?,
            BinaryOp::BitXor => self.bitwise(left, right, Diagram::xor)?,
            BinaryOp::Equal => self.truth(self.equal(left, right)?),
            BinaryOp::NotEqual => self.truth(self.equal(left, right)?.not()?),
            BinaryOp::Less => self.truth(self.less(left, right)?),
            BinaryOp::LessEqual => self.truth(self.less(right, left)?.not()?),
            BinaryOp::Greater => self.truth(self.less(right, left)?),
            BinaryOp::GreaterEqual => self.truth(self.less(left, right)?.not()?),
            BinaryOp::And => self.truth(self.nonzero(left)?.and(&self.nonzero(right)?)?),
            BinaryOp::Or => self.truth(self.nonzero(left)?.or(&self.nonzero(right)?)?),
        })
    }

    fn bitwise(
        &self,
        left: &Number,
        right: &Number,
        op: fn(&Diagram, &Diagram) -> Result<Diagram, NoRoom>,
    ) -> Result<Number, NoRoom> {
        let width = width(left).max(width(right));
        let bits: Result<Vec<Diagram>, NoRoom> =
            (0..width).map(|place| op(self.bit(left, place), self.bit(right, place))).collect();
        Ok(self.number(bits?))
    }

    fn sum(&self, left: &Number, right: &Number, kind: Sum, most: usize) -> Result<Number, NoRoom> {
        let width = most.min(width(left).max(width(right)) + 1);
        Ok(self.number(self.add(left, right, kind, width)?))
    }

    /// The low bits of a sum or difference.
    fn add(&self, left: &Number, right: &Number, kind: Sum, width: usize) -> Result<Vec<Diagram>, NoRoom> {
        self.add_shifted(left, (right, 0), kind, width)
    }

    /// The same with the right number shifted to the left.
    fn add_shifted(
        &self,
        left: &Number,
        (right, by): (&Number, usize),
        kind: Sum,
        width: usize,
    ) -> Result<Vec<Diagram>, NoRoom> {
        let mut bits = Vec::with_capacity(width);
        bits.extend((0..by.min(width)).map(|place| self.bit(left, place).clone()));
        // What is carried, or borrowed.
        let mut carry = self.no.clone();
        for place in by..width {
            let (a, b) = (self.bit(left, place), self.bit(right, place - by));
            let half = a.xor(b)?;
            // Nobody looks at what the last bit carries, which would be the largest of all.
            let next = match kind {
                _ if place + 1 == width => None,
                Sum::Sum if carry.is_false() => Some(a.and(b)?),
                Sum::Difference if carry.is_false() => Some(b.minus(a)?),
                // Where the two differ it goes on; where they do not, either says.
                Sum::Sum => Some(half.ite(&carry, a)?),
                Sum::Difference => Some(half.ite(b, &carry)?),
            };
            bits.push(half.xor(&carry)?);
            carry = next.unwrap_or(carry);
        }
        Ok(bits)
    }

    fn product(&self, left: &Number, right: &Number, most: usize) -> Result<Number, NoRoom> {
        // The shorter one decides how often is added.
        let (long, short) = if width(left) < width(right) { (right, left) } else { (left, right) };
        if let (Number::Known(factor), unknown) | (unknown, Number::Known(factor)) = (short, long) {
            return self.multiple(unknown, *factor, most, &mut Multiples::default());
        }
        let width_of_short = width(short);
        let n_bits = most.min(width(long) + width_of_short);
        let mut sum = Number::Known(0);
        for place in 0..width_of_short.min(n_bits) {
            let factor = self.bit(short, place);
            if factor.is_false() {
                continue;
            }
            let mut addend = Vec::with_capacity(n_bits - place);
            for from in 0..n_bits - place {
                addend.push(self.bit(long, from).and(factor)?);
            }
            let kind = if place + 1 == width_of_short { Sum::Difference } else { Sum::Sum };
            sum = self.shifted_sum(&sum, (&Number::Bits(addend), place), kind, n_bits)?;
        }
        Ok(sum)
    }

    /// A number shifted to the left, in so many bits.
    pub fn shifted(&self, number: &Number, by: usize, n_bits: usize) -> Number {
        let mut bits = vec![self.no.clone(); by];
        bits.extend((by..n_bits).map(|place| self.bit(number, place - by).clone()));
        self.number(bits)
    }

    /// A number with a shifted one added or subtracted, in so many bits.
    pub fn shifted_sum(
        &self,
        left: &Number,
        right: (&Number, usize),
        kind: Sum,
        n_bits: usize,
    ) -> Result<Number, NoRoom> {
        Ok(self.number(self.add_shifted(left, right, kind, n_bits)?))
    }

    /// The bits of the absolute value, without a sign.
    fn magnitude(&self, number: &Number) -> Result<Vec<Diagram>, NoRoom> {
        let width = width(number);
        let negated = self.add(&Number::Known(0), number, Sum::Difference, width)?;
        let sign = self.sign(number);
        (0..width).map(|place| sign.ite(&negated[place], self.bit(number, place))).collect()
    }

    /// Quotient and remainder, truncated towards zero.
    fn divide(&self, left: &Number, right: &Number) -> Result<(Number, Number), NoRoom> {
        let (dividend, divisor) = (self.magnitude(left)?, self.magnitude(right)?);
        let positive = |mut bits: Vec<Diagram>| {
            bits.push(self.no.clone());
            Number::Bits(bits)
        };
        let divisor = positive(divisor);
        let width = width(&divisor) + 1;
        let mut rest = vec![self.no.clone(); width];
        let mut quotient = vec![self.no.clone(); dividend.len()];
        for place in (0..dividend.len()).rev() {
            rest.pop();
            rest.insert(0, dividend[place].clone());
            let number = Number::Bits(rest.clone());
            let fits = self.less(&number, &divisor)?.not()?;
            let smaller = self.add(&number, &divisor, Sum::Difference, width)?;
            for (bit, smaller) in rest.iter_mut().zip(&smaller) {
                *bit = fits.ite(smaller, bit)?;
            }
            quotient[place] = fits;
        }
        let signed = |number: Number, sign: &Diagram| -> Result<Number, NoRoom> {
            let bits = self.add(&Number::Known(0), &number, Sum::Difference, width_of(&number) + 1)?;
            let wide: Result<Vec<Diagram>, NoRoom> =
                (0..bits.len()).map(|place| sign.ite(&bits[place], self.bit(&number, place))).collect();
            Ok(self.number(wide?))
        };
        let sign = self.sign(left).xor(self.sign(right))?;
        Ok((signed(positive(quotient), &sign)?, signed(Number::Bits(rest), self.sign(left))?))
    }

    /// A shift by the low five bits of a number.
    fn shift(
        &self,
        left: &Number,
        right: &Number,
        by: fn(&Arithmetic, &Number, usize) -> Number,
    ) -> Result<Number, NoRoom> {
        let mut result = left.clone();
        for place in 0..5 {
            let shifted = by(self, &result, 1 << place);
            result = self.choose(self.bit(right, place), &shifted, &result)?;
        }
        Ok(result)
    }

    fn shift_left(&self, number: &Number, by: usize) -> Number {
        let bits = (0..WIDEST).map(|place| match place.checked_sub(by) {
            Some(from) => self.bit(number, from).clone(),
            None => self.no.clone(),
        });
        self.number(bits.collect())
    }

    fn shift_right(&self, number: &Number, by: usize) -> Number {
        self.number((0..WIDEST).map(|place| self.bit(number, place + by).clone()).collect())
    }

    /// The values that bits without a sign have where a condition holds, each with the part of the condition.
    pub fn split(&self, condition: &Diagram, bits: &[Diagram]) -> Result<Vec<(u32, Diagram)>, NoRoom> {
        let mut parts = vec![(0u32, condition.clone())];
        parts.retain(|(_, part)| !part.is_false());
        for (place, bit) in bits.iter().enumerate().rev() {
            let mut next = Vec::with_capacity(parts.len());
            for (value, part) in parts {
                let with = part.and(bit)?;
                let without = part.minus(bit)?;
                for (part, bit) in [(without, 0), (with, 1u32 << place)] {
                    if !part.is_false() {
                        next.push((value | bit, part));
                    }
                }
            }
            parts = next;
        }
        Ok(parts)
    }
}

/// Whether to add or to subtract.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sum {
    /// Added.
    Sum,
    /// Subtracted.
    Difference,
}

/// Bits of a number, its sign included.
pub(crate) fn width(number: &Number) -> usize {
    match number {
        Number::Known(value) => 65 - (value ^ (value >> 63)).leading_zeros() as usize,
        Number::Bits(bits) => bits.len(),
    }
}

fn width_of(number: &Number) -> usize {
    width(number)
}

#[cfg(test)]
mod tests {
    use fathom_diagram::{Room, Variable};

    use super::*;

    const OPERATORS: [BinaryOp; 18] = [
        BinaryOp::Add,
        BinaryOp::Subtract,
        BinaryOp::Multiply,
        BinaryOp::Divide,
        BinaryOp::Remainder,
        BinaryOp::ShiftLeft,
        BinaryOp::ShiftRight,
        BinaryOp::BitAnd,
        BinaryOp::BitOr,
        BinaryOp::BitXor,
        BinaryOp::Equal,
        BinaryOp::NotEqual,
        BinaryOp::Less,
        BinaryOp::LessEqual,
        BinaryOp::Greater,
        BinaryOp::GreaterEqual,
        BinaryOp::And,
        BinaryOp::Or,
    ];

    /// What the reference interpreter says, through an expression of constants.
    fn expected(op: BinaryOp, left: i64, right: i64) -> Option<i64> {
        let model = fathom_model::Model::default();
        let interpreter = fathom_model::Interpreter::new(&model, &[]);
        let expr =
            fathom_model::Expr::binary(op, fathom_model::Expr::Const(left), fathom_model::Expr::Const(right));
        let mut scratch = fathom_model::System::scratch(&interpreter);
        interpreter.evaluate(&mut scratch, &[], &expr).ok()
    }

    fn value_at(number: &Number, row: u32) -> i64 {
        match number {
            Number::Known(value) => *value,
            Number::Bits(bits) => {
                let bit =
                    |place: usize| bits[place].evaluate(|variable: Variable| row >> variable.0 & 1 == 1);
                let low: i64 = (0..bits.len() - 1).map(|place| i64::from(bit(place)) << place).sum();
                low - (i64::from(bit(bits.len() - 1)) << (bits.len() - 1))
            }
        }
    }

    /// Every pair of small numbers, with every mixture of known and unknown operands, and large constants.
    #[test]
    fn operators_are_those_of_the_interpreter() {
        let diagrams = Diagrams::new(Room { nodes: 1 << 20 });
        let arithmetic = Arithmetic::new(&diagrams);
        let bits: Vec<Diagram> =
            (0..8).map(|_| diagrams.variable(diagrams.new_variable()).unwrap()).collect();
        let signed = ScalarType { bits: 4, signed: true, ..ScalarType::BYTE };
        let unsigned = ScalarType { bits: 4, ..ScalarType::BYTE };
        let extremes = [0, 1, -1, 7, 31, 33, i64::from(i32::MAX), i64::from(i32::MIN)];
        for (left_type, right_type) in [(signed, signed), (unsigned, signed), (unsigned, unsigned)] {
            let left = arithmetic.load(left_type, bits[..4].to_vec());
            let right = arithmetic.load(right_type, bits[4..].to_vec());
            for op in OPERATORS {
                let result = arithmetic.binary(op, &left, &right).unwrap();
                for row in 0..256u32 {
                    let (a, b) = (value_at(&left, row), value_at(&right, row));
                    if let Some(expected) = expected(op, a, b) {
                        assert_eq!(value_at(&result, row), expected, "{a} {op:?} {b}");
                    }
                }
                for known in extremes {
                    let results = [
                        arithmetic.binary(op, &left, &Number::Known(known)).unwrap(),
                        arithmetic.binary(op, &Number::Known(known), &left).unwrap(),
                    ];
                    for row in 0..16u32 {
                        let a = value_at(&left, row);
                        for (result, (a, b)) in results.iter().zip([(a, known), (known, a)]) {
                            if let Some(expected) = expected(op, a, b) {
                                assert_eq!(value_at(result, row), expected, "{a} {op:?} {b}");
                            }
                        }
                    }
                }
            }
        }
    }

    /// Whoever asks for few bits gets those of the whole result, and no more.
    #[test]
    fn low_bits_are_those_of_the_whole_result() {
        let diagrams = Diagrams::new(Room { nodes: 1 << 20 });
        let arithmetic = Arithmetic::new(&diagrams);
        let bits: Vec<Diagram> =
            (0..8).map(|_| diagrams.variable(diagrams.new_variable()).unwrap()).collect();
        let left = arithmetic.load(ScalarType { bits: 4, ..ScalarType::BYTE }, bits[..4].to_vec());
        let right =
            arithmetic.load(ScalarType { bits: 4, signed: true, ..ScalarType::BYTE }, bits[4..].to_vec());
        let factors = [right, Number::Known(11), Number::Known(-3), Number::Known(0)];
        for n_bits in 1..10 {
            for factor in &factors {
                for op in [BinaryOp::Add, BinaryOp::Subtract, BinaryOp::Multiply] {
                    let whole = arithmetic.binary(op, &left, factor).unwrap();
                    let low = arithmetic.binary_low(op, &left, factor, n_bits).unwrap();
                    let low = arithmetic.low(low, n_bits);
                    assert_eq!(arithmetic.store(&whole, n_bits), arithmetic.store(&low, n_bits), "{op:?}");
                    assert!(matches!(&low, Number::Known(_)) || width(&low) <= n_bits);
                }
            }
        }
    }

    #[test]
    fn extremes_wrap_like_those_of_the_interpreter() {
        let diagrams = Diagrams::new(Room { nodes: 1 << 20 });
        let arithmetic = Arithmetic::new(&diagrams);
        let bit = diagrams.variable(diagrams.new_variable()).unwrap();
        let extremes = [0, 1, -1, 2, 12_345, i64::from(i32::MAX), i64::from(i32::MIN)];
        for one in extremes {
            for other in extremes {
                // One of two numbers, which one is not known.
                let left = arithmetic.choose(&bit, &Number::Known(one), &Number::Known(other)).unwrap();
                for right in extremes {
                    for op in OPERATORS {
                        let result = arithmetic.binary(op, &left, &Number::Known(right)).unwrap();
                        for row in 0..2 {
                            if let Some(expected) = expected(op, value_at(&left, row), right) {
                                assert_eq!(value_at(&result, row), expected, "{left:?} {op:?} {right}");
                            }
                        }
                    }
                }
                for op in [UnaryOp::Negate, UnaryOp::Complement, UnaryOp::Not] {
                    let result = arithmetic.unary(op, &left).unwrap();
                    for row in 0..2 {
                        let value = value_at(&left, row);
                        let expected = match op {
                            UnaryOp::Negate => i64::from((value as i32).wrapping_neg()),
                            UnaryOp::Complement => !value,
                            UnaryOp::Not => i64::from(value == 0),
                        };
                        assert_eq!(value_at(&result, row), expected);
                    }
                }
            }
        }
    }
}
