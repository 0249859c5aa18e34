//! Operators: what they make of values.

use fathom_source::Span;

use crate::code::{Number, Op};
use crate::interpret::{MOST_MEMBERS, Machine, Run, limit, raise};
use crate::order::{is_term, term_order};
use crate::value::Value;

impl Machine<'_> {
    pub(crate) fn operate(&mut self, op: &Op, arguments: Vec<Value>, span: Span) -> Run<Value> {
        match (op, &arguments[..]) {
            (Op::Equal(is_equal), [left, right]) => Ok(Value::Bool((left == right) == *is_equal)),
            (Op::Not, [value]) => Ok(Value::Bool(*value != Value::Bool(true))),
            (Op::Logic(operator), [left, right]) => {
                let (left, right) = (*left == Value::Bool(true), *right == Value::Bool(true));
                Ok(Value::Bool(match *operator {
                    "&" => left & right,
                    "|" => left | right,
                    _ => left ^ right,
                }))
            }
            (Op::Compare(operator), [left, right]) => self.compare(operator, left, right, span),
            (Op::Arithmetic(operator, number), [left, right]) => {
                arithmetic(operator, *number, left, right, span)
            }
            (Op::Negate(Number::Double), [Value::Double(value)]) => Ok(Value::double(-value.get())),
            (Op::Negate(number), [value]) => Ok(wrap(whole(value).wrapping_neg(), *number)),
            (Op::Complement(number), [value]) => Ok(wrap(!whole(value), *number)),
            (Op::Concat, parts) => {
                let text = self.texts_of(parts)?.concat();
                self.charge(text.len() / 16)?;
                if text.len() > MOST_MEMBERS { limit("a text gets too long") } else { Ok(Value::text(&text)) }
            }
            (Op::Convert(number), [value]) => Ok(match (number, value) {
                (_, Value::Null) => Value::Null,
                (Number::Double, Value::Double(_)) => value.clone(),
                (Number::Double, value) => Value::double(whole(value) as f64),
                (number, Value::Double(value)) => wrap(value.get() as i64, *number),
                (number, value) => wrap(whole(value), *number),
            }),
            (Op::ElementNumber, [value]) => match self.unit.element_number(value) {
                Some(number) => Ok(Value::Int(number)),
                None => raise("this has no number", span),
            },
            (Op::NumberElement(id), [value]) => {
                let known = &self.unit.all.enums[id.0 as usize];
                let number = whole(value);
                match known.elements.iter().position(|(_, other)| *other == number) {
                    Some(place) => Ok(self.unit.elements(*id)[place].clone()),
                    None => raise(format!("no element of `{}` has the number {number}", known.name), span),
                }
            }
            (Op::OnElements(operator, gives), [left, right]) => {
                let (left, right) = (self.as_number(left, span)?, self.as_number(right, span)?);
                let number = arithmetic(operator, Number::Int, &left, &right, span)?;
                match gives {
                    Some(id) => self.operate(&Op::NumberElement(*id), vec![number], span),
                    None => Ok(number),
                }
            }
            (Op::ToChar, [value]) => to_char(value, span),
            (Op::Lifted(op), operands) => match operands.contains(&Value::Null) {
                true if matches!(**op, Op::Compare(_)) => Ok(Value::Bool(false)),
                true => Ok(Value::Null),
                false => self.operate(op, arguments, span),
            },
            (Op::Elements(id), _) => Ok(Value::sequence(self.unit.elements(*id).to_vec())),
            (Op::Library(library), _) => self.run_builtin(*library, arguments, span),
            _ => limit("an operation lacks an operand"),
        }
    }

    /// The number of an element; a number is one already.
    fn as_number(&self, value: &Value, span: Span) -> Run<Value> {
        match (value, self.unit.element_number(value)) {
            (Value::Int(_), _) => Ok(value.clone()),
            (_, Some(number)) => Ok(Value::Int(number)),
            _ => raise("this has no number", span),
        }
    }

    pub(crate) fn compare(&mut self, operator: &str, left: &Value, right: &Value, span: Span) -> Run<Value> {
        let order = match (left, right) {
            (Value::Double(left), Value::Double(right)) => match left.get().partial_cmp(&right.get()) {
                Some(order) => order,
                None => return Ok(Value::Bool(false)),
            },
            (Value::Null, other) | (other, Value::Null) if !is_term(other) => {
                return raise("null has no order", span);
            }
            (left, right) => term_order(self.unit, left, right),
        };
        Ok(Value::Bool(match operator {
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            _ => order.is_ge(),
        }))
    }
}

/// A number as a character: the last 16 bits of it.
pub(crate) fn to_char(value: &Value, span: Span) -> Run<Value> {
    let number = match value {
        Value::Char(_) | Value::Null => return Ok(value.clone()),
        Value::Double(number) => number.get() as i64,
        value => whole(value),
    };
    match char::from_u32(u32::from(number as u16)) {
        Some(character) => Ok(Value::Char(character)),
        None => raise(format!("{} is half of a character", number as u16), span),
    }
}

fn whole(value: &Value) -> i64 {
    match value {
        Value::Int(number) => *number,
        Value::Char(character) => i64::from(u32::from(*character)),
        _ => 0,
    }
}

/// A number as one of its kind: C# does not check by default.
fn wrap(number: i64, kind: Number) -> Value {
    Value::Int(if kind == Number::Int { i64::from(number as i32) } else { number })
}

/// The least whole number of a kind.
fn least(kind: Number) -> i64 {
    if kind == Number::Int { i64::from(i32::MIN) } else { i64::MIN }
}

fn arithmetic(operator: &str, number: Number, left: &Value, right: &Value, span: Span) -> Run<Value> {
    if let (Value::Double(left), Value::Double(right)) = (left, right) {
        let (left, right) = (left.get(), right.get());
        return Ok(Value::double(match operator {
            "+" => left + right,
            "-" => left - right,
            "*" => left * right,
            "/" => left / right,
            _ => left % right,
        }));
    }
    if *left == Value::Null || *right == Value::Null {
        return raise("null is no number", span);
    }
    let (left, right) = (whole(left), whole(right));
    let shift = if number == Number::Int { right as u32 & 31 } else { right as u32 & 63 };
    Ok(wrap(
        match operator {
            "+" => left.wrapping_add(right),
            "-" => left.wrapping_sub(right),
            "*" => left.wrapping_mul(right),
            "/" | "%" if right == 0 => return raise("division by zero", span),
            "/" | "%" if right == -1 && left == least(number) => {
                return raise("the quotient is too large", span);
            }
            "/" => left.wrapping_div(right),
            "%" => left.wrapping_rem(right),
            "&" => left & right,
            "|" => left | right,
            "^" => left ^ right,
            "<<" => left.wrapping_shl(shift),
            _ => left.wrapping_shr(shift),
        },
        number,
    ))
}
