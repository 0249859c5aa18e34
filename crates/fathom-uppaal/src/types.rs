//! Types, and how values of them are laid out.
//!
//! A value is a row of integers, a row of clocks and a row of channels: arrays and records are their elements one after
//! the other, in each row apart.

use std::rc::Rc;

use fathom_timed::Coordinates;

/// Numbers of integers, clocks and channels.
pub(crate) type Size = [usize; 3];
/// Index into a [`Size`].
pub(crate) const INTEGERS: usize = 0;
/// Index into a [`Size`].
pub(crate) const CLOCKS: usize = 1;
/// Index into a [`Size`].
pub(crate) const CHANNELS: usize = 2;

/// The range of `int` without bounds.
pub(crate) const INT: Type = Type::Int { least: -32768, most: 32767 };

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Type {
    Int {
        least: i32,
        most: i32,
    },
    Bool,
    /// Which set, and its size.
    Scalar {
        set: usize,
        size: u32,
    },
    Clock,
    Channel {
        is_urgent: bool,
        is_broadcast: bool,
    },
    Void,
    /// The index of the first element may be any number.
    Array {
        element: Rc<Type>,
        first: i64,
        length: u32,
        /// The scalar set whose elements are its indices.
        set: Option<usize>,
    },
    Struct(Rc<Vec<(String, Type)>>),
}

impl Type {
    /// Room for a value.
    pub fn size(&self) -> Size {
        match self {
            Type::Int { .. } | Type::Bool | Type::Scalar { .. } => [1, 0, 0],
            Type::Clock => [0, 1, 0],
            Type::Channel { .. } => [0, 0, 1],
            Type::Void => [0, 0, 0],
            Type::Array { element, length, .. } => {
                element.size().map(|size| size.saturating_mul(*length as usize))
            }
            Type::Struct(fields) => fields.iter().fold([0, 0, 0], |sum, (_, ty)| {
                let size = ty.size();
                [0, 1, 2].map(|row| sum[row] + size[row])
            }),
        }
    }

    /// Whether it is one integer.
    pub fn is_integer(&self) -> bool {
        matches!(self, Type::Int { .. } | Type::Bool | Type::Scalar { .. })
    }

    /// The least and the largest value, of one integer.
    pub fn range(&self) -> (i64, i64) {
        match self {
            Type::Int { least, most } => (i64::from(*least), i64::from(*most)),
            Type::Bool => (0, 1),
            Type::Scalar { size, .. } => (0, i64::from(*size) - 1),
            _ => (0, 0),
        }
    }

    /// Whether there is a clock in it.
    pub fn has_clock(&self) -> bool {
        self.size()[CLOCKS] > 0
    }

    /// Calls a function with every element that is no array and no record, what its name ends in, and its place: what its name ends in without
    /// elements of scalar sets, and these.
    pub fn each_leaf(
        &self,
        suffix: &str,
        place: &Coordinates,
        visit: &mut dyn FnMut(&str, &Coordinates, &Type),
    ) {
        match self {
            Type::Array { element, first, length, set } => {
                for index in 0..i64::from(*length) {
                    let mut inside = place.clone();
                    match set {
                        Some(set) => {
                            inside.family.push_str("[]");
                            inside.elements.push((*set, index as u32));
                        }
                        None => inside.family.push_str(&format!("[{}]", first + index)),
                    }
                    element.each_leaf(&format!("{suffix}[{}]", first + index), &inside, visit);
                }
            }
            Type::Struct(fields) => {
                for (name, ty) in fields.iter() {
                    let mut inside = place.clone();
                    inside.family.push_str(&format!(".{name}"));
                    ty.each_leaf(&format!("{suffix}.{name}"), &inside, visit);
                }
            }
            leaf => visit(suffix, place, leaf),
        }
    }

    /// The types of the integers in a value.
    pub fn integers(&self) -> Vec<Type> {
        let mut found = Vec::new();
        self.each_leaf("", &Coordinates::default(), &mut |_, _, leaf| {
            if leaf.is_integer() {
                found.push(leaf.clone());
            }
        });
        found
    }

    /// Whether something of another type may be passed where a reference to this one is expected.
    pub fn accepts_reference(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Int { .. }, Type::Int { .. }) => true,
            (Type::Channel { is_broadcast, .. }, Type::Channel { is_broadcast: other, .. }) => {
                is_broadcast == other
            }
            (
                Type::Array { element, length, .. },
                Type::Array { element: other_element, length: other_length, .. },
            ) => length == other_length && element.accepts_reference(other_element),
            _ => self == other,
        }
    }

    /// For messages.
    pub fn describe(&self) -> &'static str {
        match self {
            Type::Int { .. } => "an integer",
            Type::Bool => "a truth value",
            Type::Scalar { .. } => "a scalar",
            Type::Clock => "a clock",
            Type::Channel { is_broadcast: true, .. } => "a broadcast channel",
            Type::Channel { .. } => "a channel",
            Type::Void => "nothing",
            Type::Array { .. } => "an array",
            Type::Struct(_) => "a record",
        }
    }
}
