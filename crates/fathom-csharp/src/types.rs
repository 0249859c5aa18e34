//! Types of values.

use std::fmt;

/// Number of an enumeration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EnumId(pub u32);

/// Number of a class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClassId(pub u32);

/// The type of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// Something that a diagnostic was written about: fits everywhere.
    Unknown,
    /// No value.
    Void,
    /// `null`.
    Null,
    /// Anything: `object`.
    Object,
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `long`.
    Long,
    /// `double`.
    Double,
    /// `string`.
    Text,
    /// `char`.
    Char,
    /// An error that was caught.
    Exception,
    /// An enumeration.
    Enum(EnumId),
    /// A class whose instances are objects or compound values.
    Class(ClassId),
    /// `T?`.
    Nullable(Box<Type>),
    /// `Set<T>`.
    Set(Box<Type>),
    /// `Bag<T>`.
    Bag(Box<Type>),
    /// `Sequence<T>`.
    Sequence(Box<Type>),
    /// `Map<K, V>`.
    Map(Box<Type>, Box<Type>),
    /// `Pair<A, B>`, `Triple<A, B, C>`.
    Tuple(Vec<Type>),
    /// `T[]`.
    Array(Box<Type>),
    /// `IEnumerable<T>`.
    Enumerable(Box<Type>),
    /// A function.
    Function(Vec<Type>, Box<Type>),
}

impl Type {
    /// The type of what `foreach` goes through.
    pub fn element(&self) -> Option<Type> {
        match self {
            Type::Set(element)
            | Type::Bag(element)
            | Type::Sequence(element)
            | Type::Array(element)
            | Type::Enumerable(element) => Some((**element).clone()),
            Type::Map(key, value) => Some(Type::Tuple(vec![(**key).clone(), (**value).clone()])),
            Type::Text => Some(Type::Char),
            Type::Unknown => Some(Type::Unknown),
            _ => None,
        }
    }

    /// The type that one of one part is made of.
    pub fn inside(&self) -> Option<&Type> {
        match self {
            Type::Set(of)
            | Type::Bag(of)
            | Type::Sequence(of)
            | Type::Array(of)
            | Type::Enumerable(of)
            | Type::Nullable(of) => Some(of),
            _ => None,
        }
    }

    /// Whether `null` is a value of it.
    pub fn has_null(&self) -> bool {
        !matches!(
            self,
            Type::Void
                | Type::Bool
                | Type::Int
                | Type::Long
                | Type::Double
                | Type::Char
                | Type::Enum(_)
                | Type::Tuple(_)
        )
    }

    /// Whether it has numbers.
    pub fn is_number(&self) -> bool {
        matches!(self, Type::Int | Type::Long | Type::Double | Type::Char | Type::Unknown)
    }

    /// Whether a variable of a state can have it.
    pub fn is_modelling(&self) -> bool {
        match self {
            Type::Array(_) | Type::Enumerable(_) | Type::Function(..) | Type::Object | Type::Exception => {
                false
            }
            Type::Set(element) | Type::Bag(element) | Type::Sequence(element) | Type::Nullable(element) => {
                element.is_modelling()
            }
            Type::Map(key, value) => key.is_modelling() && value.is_modelling(),
            Type::Tuple(parts) => parts.iter().all(Type::is_modelling),
            _ => true,
        }
    }

    /// Whether a value of this type can stand where one of another is wanted; numbers may have to be converted.
    pub fn fits(&self, wanted: &Type) -> bool {
        match (self, wanted) {
            (Type::Unknown, _) | (_, Type::Unknown) | (_, Type::Object) => true,
            (Type::Null, wanted) => wanted.has_null(),
            (Type::Char, Type::Int | Type::Long | Type::Double) => true,
            (Type::Int, Type::Long | Type::Double) | (Type::Long, Type::Double) => true,
            (Type::Nullable(from), Type::Nullable(to)) => from.fits(to) && (from == to || from.is_number()),
            (from, Type::Nullable(to)) => from.fits(to),
            (from, Type::Enumerable(to)) => from.element().is_some_and(|element| element.same(to)),
            (from, to) => from.same(to),
        }
    }

    /// Whether two types are the same, as far as they are known.
    pub fn same(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Unknown, _) | (_, Type::Unknown) => true,
            (Type::Set(a), Type::Set(b))
            | (Type::Bag(a), Type::Bag(b))
            | (Type::Sequence(a), Type::Sequence(b))
            | (Type::Array(a), Type::Array(b))
            | (Type::Nullable(a), Type::Nullable(b))
            | (Type::Enumerable(a), Type::Enumerable(b)) => a.same(b),
            (Type::Map(a, b), Type::Map(c, d)) => a.same(c) && b.same(d),
            (Type::Tuple(a), Type::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b)),
            (Type::Function(a, r), Type::Function(b, s)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b)) && r.same(s)
            }
            (a, b) => a == b,
        }
    }
}

/// Names of classes and enumerations.
pub trait TypeNames {
    /// The name of an enumeration.
    fn enum_name(&self, id: EnumId) -> &str;
    /// The name of a class.
    fn class_name(&self, id: ClassId) -> &str;
}

/// Displays a type as a person would write it.
pub struct Shown<'a, N>(pub &'a Type, pub &'a N);

impl<N: TypeNames> fmt::Display for Shown<'_, N> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shown(ty, names) = self;
        let list = |out: &mut fmt::Formatter<'_>, types: &[Type]| {
            types.iter().enumerate().try_for_each(|(place, ty)| {
                let comma = if place > 0 { ", " } else { "" };
                write!(out, "{comma}{}", Shown(ty, *names))
            })
        };
        let of = |out: &mut fmt::Formatter<'_>, name: &str, types: &[&Type]| {
            write!(out, "{name}<")?;
            list(out, &types.iter().map(|ty| (*ty).clone()).collect::<Vec<_>>())?;
            write!(out, ">")
        };
        match ty {
            Type::Unknown => write!(out, "?"),
            Type::Void => write!(out, "void"),
            Type::Null => write!(out, "null"),
            Type::Object => write!(out, "object"),
            Type::Bool => write!(out, "bool"),
            Type::Int => write!(out, "int"),
            Type::Long => write!(out, "long"),
            Type::Double => write!(out, "double"),
            Type::Text => write!(out, "string"),
            Type::Char => write!(out, "char"),
            Type::Exception => write!(out, "Exception"),
            Type::Enum(id) => write!(out, "{}", names.enum_name(*id)),
            Type::Class(id) => write!(out, "{}", names.class_name(*id)),
            Type::Nullable(inner) => write!(out, "{}?", Shown(inner, *names)),
            Type::Set(element) => of(out, "Set", &[element]),
            Type::Bag(element) => of(out, "Bag", &[element]),
            Type::Sequence(element) => of(out, "Sequence", &[element]),
            Type::Map(key, value) => of(out, "Map", &[key, value]),
            Type::Tuple(parts) => {
                let name = if parts.len() == 2 { "Pair" } else { "Triple" };
                of(out, name, &parts.iter().collect::<Vec<_>>())
            }
            Type::Array(element) => write!(out, "{}[]", Shown(element, *names)),
            Type::Enumerable(element) => of(out, "IEnumerable", &[element]),
            Type::Function(parameters, result) => {
                let mut all: Vec<&Type> = parameters.iter().collect();
                all.push(result);
                of(out, "Func", &all)
            }
        }
    }
}
