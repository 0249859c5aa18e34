//! What methods do, with every name resolved: what the interpreter runs.

use std::sync::Arc;

use fathom_source::Span;

use crate::types::{ClassId, EnumId, Type};
use crate::value::Value;

/// Kinds of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    /// 32 bits.
    Int,
    /// 64 bits.
    Long,
    /// With a fraction.
    Double,
}

/// An operation on values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Op {
    /// `+ - * / % & | ^ << >>` on numbers.
    Arithmetic(&'static str, Number),
    /// `< <= > >=`.
    Compare(&'static str),
    /// `==`, or `!=`.
    Equal(bool),
    /// `!`.
    Not,
    /// `& | ^` on truth values.
    Logic(&'static str),
    /// `-a`.
    Negate(Number),
    /// `~a`.
    Complement(Number),
    /// Texts, one after the other.
    Concat,
    /// A number as another kind.
    Convert(Number),
    /// The number of an element.
    ElementNumber,
    /// The element with a number.
    NumberElement(EnumId),
    /// All elements.
    Elements(EnumId),
    /// `+ - & | ^` on the numbers of elements; what it gives is a number, or an element again.
    OnElements(&'static str, Option<EnumId>),
    /// A number as a character.
    ToChar,
    /// An operation that gives nothing when an operand is nothing.
    Lifted(Box<Op>),
    /// Something of the library.
    Library(Library),
}

/// What the library offers; the first argument is what it is asked of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Library {
    Count,
    IsEmpty,
    Contains,
    Exists,
    ForAll,
    Choose,
    Select,
    Convert,
    Minimum,
    Maximum,
    NewSet,
    NewBag,
    NewSequence,
    NewMap,
    SetOf,
    BagOf,
    SequenceOf,
    MapOf,
    NewTuple,
    Add,
    Remove,
    Union,
    Intersect,
    Difference,
    IsSubset,
    IsProperSubset,
    IsSuperset,
    IsProperSuperset,
    BigUnion,
    BigIntersect,
    CountSubsets,
    AllSubsets,
    ChooseSubset,
    ChooseNonemptySubset,
    ExistsOne,
    Reduce,
    AsArray,
    CopyTo,
    MapAdd,
    Override,
    OverrideAll,
    OverrideWith,
    RemoveKey,
    RemovePair,
    Keys,
    Values,
    ContainsKey,
    Get,
    Merge,
    IsSubmap,
    BigMerge,
    BigOverride,
    RestrictKeys,
    RestrictValues,
    CountItem,
    CountUnique,
    RemoveAll,
    AddMultiple,
    BagOfCounts,
    AddFirst,
    AddLast,
    Head,
    Tail,
    Last,
    Front,
    Concatenate,
    BigConcatenate,
    Zip,
    Unzip,
    ChoosePermutation,
    Reverse,
    IndexOf,
    LastIndexOf,
    IsPrefix,
    Item(u8),
    Length,
    StartsWith,
    EndsWith,
    Substring,
    ToUpper,
    ToLower,
    Trim,
    TrimStart,
    TrimEnd,
    PadLeft,
    PadRight,
    Insert,
    Replace,
    Split,
    Format,
    Join,
    IsNullOrEmpty,
    IsNullOrWhiteSpace,
    CompareOrdinal,
    IsDigit,
    IsLetter,
    IsLetterOrDigit,
    IsUpper,
    IsLower,
    IsWhiteSpace,
    Min,
    Max,
    Abs,
    ParseDouble,
    ParseInt,
    /// `ToString()` of something that is there.
    ToText,
    /// `ToString()` of something that may be nothing.
    ToTextOrEmpty,
    /// `ToString()` of an error.
    ErrorText,
    CompareTo,
    HashCode,
    HasValue,
    Unwrap,
    Ignore,
}

/// An expression.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Code {
    Constant(Value),
    Local(u32),
    /// A field of a class.
    Static(u32),
    /// A field of an object.
    Field(Box<Code>, u32, Span),
    /// A field of a compound value.
    Part(Box<Code>, u32, Span),
    Call(u32, Option<Box<Code>>, Vec<Pass>, Span),
    /// A compound value, made by a constructor.
    New(ClassId, Option<u32>, Vec<Code>),
    /// A fresh object.
    Create(ClassId),
    Op(Op, Vec<Code>, Span),
    And(Box<Code>, Box<Code>),
    Or(Box<Code>, Box<Code>),
    If(Box<Code>, Box<Code>, Box<Code>),
    Coalesce(Box<Code>, Box<Code>),
    Assign(Box<Target>, Box<Code>),
    /// The target gets the value if it has none.
    AssignIfNull(Box<Target>, Box<Code>),
    /// The target gets what the operation makes of it and a value; gives the value before, or the one after.
    Update(Box<Target>, Op, Box<Code>, bool, Span),
    /// `TryGetValue`, with what the target gets when there is nothing to get.
    TryGet(Box<Code>, Box<Code>, Box<Target>, Value, Span),
    Lambda(Arc<Lambda>),
    Invoke(Box<Code>, Vec<Code>, Span),
    NewArray(Box<Code>, Value, Span),
    ArrayOf(Vec<Code>),
    ArrayAt(Box<Code>, Box<Code>, Span),
    ArrayLength(Box<Code>, Span),
}

/// What can be assigned to.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Target {
    Local(u32),
    Static(u32),
    Field(Code, u32, Span),
    Element(Code, Code, Span),
    /// A property: what sets it, of which instance, and what gets it if there is something.
    Setter(u32, Option<Code>, Span, Option<u32>),
    /// Nowhere.
    Nowhere,
}

/// An argument.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Pass {
    Value(Code),
    Out(Target),
    Ref(Code, Target),
}

/// A function without a name: a frame like the one it is made in, with parameters behind.
#[derive(Clone, Debug)]
pub struct Lambda {
    /// Where its parameters are.
    pub parameters: Vec<u32>,
    /// Where its own variables begin, parameters among them.
    pub first: u32,
    /// It is the value of a method, which has a copy of the instance that it is of.
    pub is_method: bool,
    /// Number of variables.
    pub n_locals: u32,
    /// What it does.
    pub body: Vec<Instr>,
}

/// A statement.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Instr {
    Do(Code),
    Let(u32, Code),
    Block(Vec<Instr>),
    If(Code, Vec<Instr>, Vec<Instr>),
    /// Condition, body, what comes after each round; whether the condition is asked first.
    Loop(Option<Code>, Vec<Instr>, Vec<Code>, bool),
    /// What goes through something may have to wait while the body runs, and shares it.
    ForEach(u32, Code, Arc<Vec<Instr>>, Span),
    Switch(Code, Vec<(Vec<Option<Value>>, Vec<Instr>)>),
    Return(Option<Code>),
    Yield(Code),
    YieldBreak,
    Break,
    Continue,
    /// An error: a pair of what it is called and its message.
    Throw(Code, Span),
    /// What is tried, what is done about an error that is in a variable then, and what is done at the end.
    Try(Vec<Instr>, Option<(u32, Vec<Instr>)>, Vec<Instr>),
}

/// What a method does.
#[derive(Clone, Debug)]
pub struct MethodCode {
    /// Number of variables: `this`, parameters, others.
    pub n_locals: u32,
    /// Where the parameters start.
    pub first_parameter: u32,
    /// Where the fields are while a compound value is made.
    pub fields: Option<(u32, u32)>,
    /// What it does.
    pub body: Vec<Instr>,
    /// Whether it gives what it yields.
    pub is_iterator: bool,
}

/// The first value of a variable without one.
pub fn default_value(ty: &Type, element: &dyn Fn(EnumId) -> Value) -> Value {
    match ty {
        Type::Bool => Value::Bool(false),
        Type::Int | Type::Long => Value::Int(0),
        Type::Double => Value::double(0.0),
        Type::Char => Value::Char('\0'),
        Type::Enum(id) => element(*id),
        // Pairs and triples are structures.
        Type::Tuple(parts) => Value::Tuple(parts.iter().map(|part| default_value(part, element)).collect()),
        _ => Value::Null,
    }
}
