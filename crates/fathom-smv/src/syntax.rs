//! The syntax tree of SMV.

use fathom_source::Span;

/// A whole text.
#[derive(Clone, Default, Debug)]
pub struct Program {
    /// Its modules, in order.
    pub modules: Vec<Module>,
}

/// A name with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A module.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Name>,
    /// Everything in it, in order.
    pub items: Vec<Item>,
}

/// What a variable is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarKind {
    /// Part of the state.
    State,
    /// Free in every step.
    Input,
    /// Part of the state, and never changes.
    Frozen,
}

/// Something in a module.
#[derive(Clone, Debug)]
pub enum Item {
    /// A variable or an instance of a module.
    Var(VarKind, Name, Type),
    /// A name for an expression.
    Define(Name, Expr),
    /// A name for an expression, in an instance.
    DefineIn(Expr, Name, Expr),
    /// Names that are constants.
    Constants(Vec<Name>),
    /// An assignment.
    Assign(Assigned, Expr, Expr),
    /// A constraint.
    Constraint(Constraint, Expr),
    /// Each of the first, when it is true again and again, makes the second so.
    Compassion(Expr, Expr),
    /// Something asked, with its name if it has one.
    Spec(SpecKind, Option<Name>, Expr),
}

/// Which value of a variable is assigned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Assigned {
    /// In every state.
    Current,
    /// In initial states.
    Init,
    /// After a step.
    Next,
}

/// What a constraint is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Constraint {
    /// Initial states.
    Init,
    /// All states.
    Invar,
    /// Steps.
    Trans,
    /// Runs: true again and again.
    Fairness,
}

/// The logic of a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpecKind {
    /// True in every state.
    Invar,
    /// Computation tree logic.
    Ctl,
    /// Linear temporal logic.
    Ltl,
}

/// A type, or what an instance is of.
#[derive(Clone, Debug)]
pub enum Type {
    /// Truth values.
    Boolean,
    /// Numbers and symbolic constants.
    Enumeration(Vec<Expr>),
    /// A range of numbers.
    Range(Expr, Expr),
    /// A number of bits, with or without sign.
    Word {
        /// Whether it has a sign.
        signed: bool,
        /// How many bits.
        width: Expr,
    },
    /// An array.
    Array(Expr, Expr, Box<Type>),
    /// An instance of a module.
    Instance {
        /// The module.
        module: Name,
        /// What its parameters stand for.
        arguments: Vec<Expr>,
        /// Whether it runs on its own.
        process: bool,
    },
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it is written.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum ExprKind {
    Integer(i64),
    Boolean(bool),
    Word {
        signed: bool,
        width: u32,
        bits: u64,
    },
    /// A variable, a parameter, a define or a constant.
    Name(String),
    Field(Box<Expr>, Name),
    Index(Box<Expr>, Box<Expr>),
    /// Bits of a word, from high to low.
    Bits(Box<Expr>, Box<Expr>, Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Case(Vec<(Expr, Expr)>),
    Set(Vec<Expr>),
    /// An array of definitions, by position from 0 on; elements may be arrays.
    Array(Vec<Expr>),
    Range(Box<Expr>, Box<Expr>),
    /// The value after a step.
    Next(Box<Expr>),
    Call(Name, Vec<Expr>),
    /// A temporal operator with one operand: `EX`, `AG`, `X`, `F` and so on.
    Temporal(Temporal, Box<Expr>),
    /// `E [p U q]` and `A [p U q]`.
    PathUntil {
        all: bool,
        left: Box<Expr>,
        right: Box<Expr>,
    },
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Not,
    Negate,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Concat,
    Multiply,
    Divide,
    Modulo,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Union,
    In,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Until,
    Release,
    And,
    Or,
    Xor,
    Xnor,
    Equivalent,
    Implies,
}

/// Temporal operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Temporal {
    ExistsNext,
    ExistsEventually,
    ExistsAlways,
    AllNext,
    AllEventually,
    AllAlways,
    Next,
    Eventually,
    Always,
}
