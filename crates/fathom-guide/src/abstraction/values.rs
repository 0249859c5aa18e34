//! Sets of values that an expression may have where not everything is known.
//!
//! One value, a few, or any. Operations give every value that some combination of operands gives, and none at all
//! where every combination is an error of evaluation. A set that grows too large becomes *any*: too large is safe,
//! too small is not.

use std::sync::Arc;

use fathom_model::{BinaryOp, ScalarType, UnaryOp};

/// More values than that are any.
const MOST_VALUES: usize = 256;
/// More combinations than that are not tried.
const MOST_COMBINATIONS: usize = 1 << 14;

/// What a value may be. Several are sorted and different.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Values {
    One(i64),
    Several(Arc<[i64]>),
    Any,
}

impl Values {
    /// 0 or 1.
    pub fn unknown_truth() -> Values {
        Values::Several(Arc::from([0, 1]))
    }

    /// The values of a list; none when it is empty.
    pub fn of(mut list: Vec<i64>) -> Option<Values> {
        list.sort_unstable();
        list.dedup();
        match list.as_slice() {
            [] => None,
            [one] => Some(Values::One(*one)),
            several if several.len() > MOST_VALUES => Some(Values::Any),
            _ => Some(Values::Several(list.into())),
        }
    }

    /// The values, unless any is possible.
    pub fn list(&self) -> Option<&[i64]> {
        match self {
            Values::One(one) => Some(std::slice::from_ref(one)),
            Values::Several(several) => Some(several),
            Values::Any => None,
        }
    }

    pub fn may_be_true(&self) -> bool {
        self.list().is_none_or(|list| list.iter().any(|&value| value != 0))
    }

    pub fn may_be_false(&self) -> bool {
        self.contains(0)
    }

    pub fn may_be(&self, truth: bool) -> bool {
        if truth { self.may_be_true() } else { self.may_be_false() }
    }

    pub fn contains(&self, value: i64) -> bool {
        self.list().is_none_or(|list| list.binary_search(&value).is_ok())
    }

    /// Whether some value is in both.
    pub fn meets(&self, other: &Values) -> bool {
        match (self.list(), other.list()) {
            (Some(list), _) => list.iter().any(|&value| other.contains(value)),
            (None, Some(list)) => !list.is_empty(),
            (None, None) => true,
        }
    }

    /// The values of both.
    pub fn union(&self, other: &Values) -> Values {
        match (self.list(), other.list()) {
            (Some(one), Some(two)) => Values::of([one, two].concat()).unwrap_or(Values::Any),
            _ => Values::Any,
        }
    }

    /// Every value changed.
    pub fn map(&self, change: impl Fn(i64) -> i64) -> Values {
        match self {
            Values::One(one) => Values::One(change(*one)),
            Values::Several(list) => {
                Values::of(list.iter().map(|&value| change(value)).collect()).unwrap_or(Values::Any)
            }
            Values::Any => Values::Any,
        }
    }

    /// What a variable of a type holds after an assignment.
    pub fn stored_as(&self, ty: ScalarType) -> Values {
        match self {
            Values::Any if ty.bits <= 8 => {
                let (first, last) = if ty.signed {
                    (-(1_i64 << (ty.bits - 1)), (1_i64 << (ty.bits - 1)) - 1)
                } else {
                    (0, (1_i64 << ty.bits) - 1)
                };
                Values::of((first..=last).collect()).unwrap_or(Values::Any)
            }
            values => values.map(|value| ty.truncate(value)),
        }
    }

    /// The values of a unary operation.
    pub fn unary(op: UnaryOp, operand: &Values) -> Values {
        match (op, operand) {
            (UnaryOp::Not, Values::Any) => Values::unknown_truth(),
            _ => operand.map(|value| op.apply(value)),
        }
    }

    /// The values of a binary operation; none when every combination is an error. Logical operators have no errors
    /// here: whether the right operand is looked at is for the caller to know.
    pub fn binary(op: BinaryOp, left: &Values, right: &Values) -> Option<Values> {
        if let (Values::One(left), Values::One(right)) = (left, right) {
            return op.apply(*left, *right).ok().map(Values::One);
        }
        let combinations = match (left.list(), right.list()) {
            (Some(one), Some(two)) if one.len() * two.len() <= MOST_COMBINATIONS => one
                .iter()
                .flat_map(|&one| two.iter().filter_map(move |&two| op.apply(one, two).ok()))
                .collect(),
            _ if is_truth(op) => vec![0, 1],
            _ => return Some(Values::Any),
        };
        Values::of(combinations)
    }
}

fn is_truth(op: BinaryOp) -> bool {
    use BinaryOp::{And, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Or};
    matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual | And | Or)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn several(list: &[i64]) -> Values {
        Values::of(list.to_vec()).unwrap()
    }

    #[test]
    fn operations_give_every_combination() {
        let sum = Values::binary(BinaryOp::Add, &several(&[1, 2]), &several(&[10, 20])).unwrap();
        assert_eq!(sum, several(&[11, 12, 21, 22]));
        let less = Values::binary(BinaryOp::Less, &several(&[1, 2]), &Values::One(1)).unwrap();
        assert_eq!(less, Values::One(0));
        assert_eq!(Values::binary(BinaryOp::Less, &Values::Any, &Values::One(1)), Some(several(&[0, 1])));
        assert_eq!(Values::binary(BinaryOp::Divide, &Values::One(1), &Values::One(0)), None);
        let quotient = Values::binary(BinaryOp::Divide, &Values::One(6), &several(&[0, 3])).unwrap();
        assert_eq!(quotient, Values::One(2));
    }

    #[test]
    fn too_many_values_are_any_and_a_byte_has_256() {
        assert_eq!(Values::of((0..300).collect()), Some(Values::Any));
        assert_eq!(Values::Any.stored_as(ScalarType::BYTE).list().unwrap().len(), 256);
        assert_eq!(Values::Any.stored_as(ScalarType::INT), Values::Any);
        assert_eq!(Values::One(257).stored_as(ScalarType::BYTE), Values::One(1));
    }
}
