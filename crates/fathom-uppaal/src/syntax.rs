//! What is written: declarations, templates, the system line, queries.
//!
//! XML and text are read into the same document.

use fathom_source::Span;

/// A name and where it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Name {
    pub text: String,
    pub span: Span,
}

/// An expression as it is written.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub kind: ExpressionKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum ExpressionKind {
    Number(i64),
    Bool(bool),
    Name(String),
    Member(Box<Expression>, Name),
    Index(Box<Expression>, Box<Expression>),
    Call(Box<Expression>, Vec<Expression>),
    Not(Box<Expression>),
    Minus(Box<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
    /// With the operator of `+=` and its like.
    Assign(Option<Operator>, Box<Expression>, Box<Expression>),
    /// `++` and `--`: by how much, and whether the value is the new one.
    Increment {
        by: i64,
        is_prefix: bool,
        place: Box<Expression>,
    },
    Quantified(Quantifier, Name, Box<TypeExpression>, Box<Expression>),
    /// The rate of a clock, `x'`.
    Rate(Box<Expression>),
    Deadlock,
    /// `{ 1, 2 }`, for initial values; fields may be named.
    List(Vec<(Option<Name>, Expression)>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
    And,
    Or,
    Imply,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Min,
    Max,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Quantifier {
    Forall,
    Exists,
    Sum,
}

/// A type as it is written.
#[derive(Clone, Debug)]
pub(crate) struct TypeExpression {
    pub is_const: bool,
    pub is_meta: bool,
    pub is_urgent: bool,
    pub is_broadcast: bool,
    pub base: BaseType,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum BaseType {
    /// With its bounds.
    Int(Option<Box<(Expression, Expression)>>),
    Bool,
    Clock,
    Channel,
    Void,
    Scalar(Box<Expression>),
    Struct(Vec<(TypeExpression, Vec<Declarator>)>),
    Named(String),
}

/// The length of an array: a number, or a type whose values are the indices.
#[derive(Clone, Debug)]
pub(crate) enum Dimension {
    /// Also a name, of a constant or of a type.
    Size(Expression),
    Type(TypeExpression),
}

/// What is declared of a type: a name, lengths of arrays, an initial value.
#[derive(Clone, Debug)]
pub(crate) struct Declarator {
    pub name: Name,
    pub is_reference: bool,
    pub dimensions: Vec<Dimension>,
    pub initial: Option<Expression>,
}

/// A parameter of a template or of a function.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub ty: TypeExpression,
    pub declarator: Declarator,
}

#[derive(Clone, Debug)]
pub(crate) enum Declaration {
    Variables(TypeExpression, Vec<Declarator>),
    Typedef(TypeExpression, Vec<Declarator>),
    Function(Function),
    /// Groups of channels from low to high; nothing stands for `default`.
    ChannelPriorities(Vec<Vec<Option<Expression>>>),
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub result: TypeExpression,
    pub name: Name,
    pub parameters: Vec<Parameter>,
    pub body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Expression(Expression),
    Variables(TypeExpression, Vec<Declarator>),
    Block(Vec<Statement>),
    If(Expression, Box<Statement>, Option<Box<Statement>>),
    While(Expression, Box<Statement>),
    DoWhile(Box<Statement>, Expression),
    For(Option<Expression>, Option<Expression>, Option<Expression>, Box<Statement>),
    ForType(Name, TypeExpression, Box<Statement>),
    Return(Option<Expression>, Span),
    Empty,
}

#[derive(Clone, Debug)]
pub(crate) struct Template {
    pub name: Name,
    pub parameters: Vec<Parameter>,
    pub declarations: Vec<Declaration>,
    pub locations: Vec<Location>,
    pub edges: Vec<Edge>,
    /// The identity of the initial location.
    pub initial: Option<Name>,
}

#[derive(Clone, Debug)]
pub(crate) struct Location {
    /// What edges call it: the name in text, the identity in XML.
    pub id: String,
    pub name: String,
    pub invariant: Option<Expression>,
    pub is_urgent: bool,
    pub is_committed: bool,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    Send,
    Receive,
    /// Neither: all whose alphabet has the channel take part.
    Together,
}

#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub source: Name,
    pub target: Name,
    pub selects: Vec<(Name, TypeExpression)>,
    pub guard: Option<Expression>,
    pub synchronization: Option<(Expression, Direction)>,
    pub updates: Vec<Expression>,
    pub span: Span,
}

/// `P(params) = Template(arguments);`
#[derive(Clone, Debug)]
pub(crate) struct Instantiation {
    pub name: Name,
    pub parameters: Vec<Parameter>,
    pub template: Name,
    pub arguments: Vec<Expression>,
}

/// What is asked.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub kind: QueryKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum QueryKind {
    /// `E<> p`.
    Possibly(Expression),
    /// `A[] p`.
    Invariantly(Expression),
    /// `E[] p`.
    PotentiallyAlways(Expression),
    /// `A<> p`.
    Eventually(Expression),
    /// `p --> q`.
    LeadsTo(Expression, Expression),
    /// `sup{p}: e, …`.
    Supremum(Option<Expression>, Vec<Expression>),
    /// `inf{p}: e, …`.
    Infimum(Option<Expression>, Vec<Expression>),
}

/// A whole file.
#[derive(Clone, Default, Debug)]
pub(crate) struct Document {
    pub declarations: Vec<Declaration>,
    pub templates: Vec<Template>,
    pub instantiations: Vec<Instantiation>,
    /// Processes by priority, from low to high.
    pub system: Vec<Vec<Name>>,
    /// Alphabets of processes, for synchronization without direction.
    pub alphabets: Vec<(Name, Vec<Expression>)>,
    pub queries: Vec<Query>,
}
