//! The order of terms: what `CompareTo`, `<` and `Minimum` go by.
//!
//! It is NModel's: nothing comes first, collections go by their size and then by their members, pairs and compound values by their parts,
//! elements by their numbers. Texts go by the numbers of their characters, since .NET asks the culture of the machine.

use std::cmp::Ordering;

use crate::unit::Unit;
use crate::value::Value;

/// Whether a value has parts that are compared.
pub(crate) fn is_term(value: &Value) -> bool {
    matches!(
        value,
        Value::Set(_)
            | Value::Bag(_)
            | Value::Map(_)
            | Value::Sequence(_)
            | Value::Tuple(_)
            | Value::Compound(..)
    )
}

/// The order of two values of one type.
pub(crate) fn term_order(unit: &Unit, left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Element(..), Value::Element(..)) => {
            unit.element_number(left).cmp(&unit.element_number(right))
        }
        (Value::Set(left), Value::Set(right)) | (Value::Sequence(left), Value::Sequence(right)) => {
            left.len().cmp(&right.len()).then_with(|| in_turn(unit, left, right))
        }
        (Value::Tuple(left), Value::Tuple(right)) => in_turn(unit, left, right),
        (Value::Compound(kind, left), Value::Compound(other, right)) => {
            kind.cmp(other).then_with(|| in_turn(unit, left, right))
        }
        (Value::Bag(left), Value::Bag(right)) => {
            total(left).cmp(&total(right)).then_with(|| entries_in_turn(unit, left, right))
        }
        (Value::Map(left), Value::Map(right)) => {
            left.len().cmp(&right.len()).then_with(|| entries_in_turn(unit, left, right))
        }
        (left, right) => left.cmp(right),
    }
}

fn in_turn(unit: &Unit, left: &[Value], right: &[Value]) -> Ordering {
    let mut orders = left.iter().zip(right).map(|(left, right)| term_order(unit, left, right));
    orders.find(|order| order.is_ne()).unwrap_or_else(|| left.len().cmp(&right.len()))
}

fn entries_in_turn(unit: &Unit, left: &[(Value, Value)], right: &[(Value, Value)]) -> Ordering {
    let mut orders = left.iter().zip(right).map(|((key, value), (other_key, other_value))| {
        term_order(unit, key, other_key).then_with(|| term_order(unit, value, other_value))
    });
    orders.find(|order| order.is_ne()).unwrap_or_else(|| left.len().cmp(&right.len()))
}

/// How many members a bag has.
fn total(entries: &[(Value, Value)]) -> i64 {
    entries.iter().map(|(_, count)| if let Value::Int(count) = count { *count } else { 0 }).sum()
}
