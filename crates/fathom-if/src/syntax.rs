//! The syntax tree of IF, as written: names are not resolved yet.
//!
//! The grammar is that of U. S. da Costa (*Um verificador de modelos explícito-simbólico*, 2005, chapter on IF), after M. Bozga and others
//! (*IF: an intermediate representation for SDL and its applications*, 1999). Differences: `via` takes an expression or the name of a route, the
//! visibility of a variable may be left out, and procedures may have a body of IF statements.

use fathom_source::Span;

/// A name with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The word.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A whole system.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct System {
    /// Its name.
    pub name: Option<Name>,
    /// Its parts in order.
    pub items: Vec<Item>,
}

/// A part of a system or of a process.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Item {
    Type(TypeDecl),
    Const(ConstDecl),
    Var(VarDecl),
    Signal(SignalDecl),
    Route(RouteDecl),
    Procedure(Procedure),
    Process(Process),
    State(State),
}

/// `type name = …;`
#[derive(Clone, PartialEq, Debug)]
pub struct TypeDecl {
    /// Its name.
    pub name: Name,
    /// What it stands for.
    pub definition: TypeDefinition,
}

/// What a type is.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum TypeDefinition {
    Enum(Vec<Name>),
    Range(Expr, Expr),
    Array {
        low: Expr,
        high: Expr,
        element: Name,
    },
    Record(Vec<(Name, Name)>),
    /// A sequence of bounded length.
    String {
        length: Expr,
        element: Name,
        span: Span,
    },
    /// Signatures of foreign functions.
    Abstract {
        functions: Vec<Name>,
        span: Span,
    },
    Alias(Name),
}

/// `const name = value;`
#[derive(Clone, PartialEq, Debug)]
pub struct ConstDecl {
    /// Its name.
    pub name: Name,
    /// Its value; without one, it comes from outside.
    pub value: Option<Expr>,
}

/// `var name type;`
#[derive(Clone, PartialEq, Debug)]
pub struct VarDecl {
    /// Its name.
    pub name: Name,
    /// The name of its type.
    pub ty: Name,
}

/// `signal name(types);`
#[derive(Clone, PartialEq, Debug)]
pub struct SignalDecl {
    /// Its name.
    pub name: Name,
    /// Types of its parameters.
    pub parameters: Vec<Name>,
}

/// `signalroute name(count) options from … to … with signals;`
#[derive(Clone, PartialEq, Debug)]
pub struct RouteDecl {
    /// Its name.
    pub name: Name,
    /// Number of instances at the start.
    pub count: Expr,
    /// `#fifo` and the like, with the two bounds of `#delay` and `#rate` and the one of `#bounded`.
    pub options: Vec<(Name, Vec<Expr>)>,
    /// Process where it starts; `env` for the environment.
    pub from: Name,
    /// Process where it leads; `env` for the environment.
    pub to: Name,
    /// What it carries.
    pub signals: Vec<Name>,
}

/// How a parameter is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Passing {
    In,
    InOut,
    Out,
}

/// A formal parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    /// How it is passed.
    pub passing: Passing,
    /// Its name.
    pub name: Name,
    /// The name of its type.
    pub ty: Name,
}

/// A procedure.
#[derive(Clone, PartialEq, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The name of the type of its result.
    pub returns: Option<Name>,
    /// Its variables.
    pub variables: Vec<VarDecl>,
    /// Foreign code, which is not understood.
    pub foreign: Option<Span>,
    /// Its statements.
    pub body: Vec<Statement>,
}

/// A process.
#[derive(Clone, PartialEq, Debug)]
pub struct Process {
    /// Its name.
    pub name: Name,
    /// Number of instances at the start.
    pub count: Expr,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Its parts.
    pub items: Vec<Item>,
}

/// A control state.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// Its name.
    pub name: Name,
    /// `#start`, `#stable`, `#unstable`, without the `#`.
    pub marks: Vec<Name>,
    /// Time may pass while this holds.
    pub time_progress: Option<Expr>,
    /// Signals that are kept for later.
    pub save: Vec<Name>,
    /// Transitions.
    pub transitions: Vec<Transition>,
    /// Substates.
    pub states: Vec<State>,
}

/// How urgent a transition is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Deadline {
    Eager,
    Delayable,
    Lazy,
}

/// The reception of a signal.
#[derive(Clone, PartialEq, Debug)]
pub struct Input {
    /// The signal.
    pub signal: Name,
    /// Where its parameters go.
    pub arguments: Vec<Expr>,
}

/// A transition.
#[derive(Clone, PartialEq, Debug)]
pub struct Transition {
    /// How urgent it is.
    pub deadline: Option<Deadline>,
    /// The guard on variables.
    pub provided: Option<Expr>,
    /// The guard on clocks.
    pub when: Option<Expr>,
    /// The signal it takes.
    pub input: Option<Input>,
    /// What it does.
    pub body: Vec<Statement>,
    /// Where it leads.
    pub terminator: Terminator,
    /// The whole transition.
    pub span: Span,
}

/// Where a transition leads.
#[derive(Clone, PartialEq, Debug)]
pub enum Terminator {
    /// To a state.
    NextState(Name),
    /// The process ends.
    Stop(Span),
}

/// A statement with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Where it stands.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum StatementKind {
    Skip,
    Informal(String),
    Task(Expr, Expr),
    Set(Expr, Expr),
    Reset(Expr),
    Output { signal: Name, arguments: Vec<Expr>, via: Option<Expr>, to: Option<Expr> },
    Call { result: Option<Expr>, procedure: Name, arguments: Vec<Expr> },
    Fork { result: Option<Expr>, process: Name, arguments: Vec<Expr> },
    Kill(Expr),
    If { condition: Expr, then: Vec<Statement>, otherwise: Vec<Statement> },
    While { condition: Expr, body: Vec<Statement> },
    Return(Option<Expr>),
}

/// An expression with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum ExprKind {
    Integer(i64),
    Float(String),
    Boolean(bool),
    SelfPid,
    Nil,
    Name(String),
    Field(Box<Expr>, Name),
    Index(Box<Expr>, Box<Expr>),
    Call(Name, Vec<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `{name} operand`: an instance by its number, or another type.
    Cast(Name, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `process @ state`: only in properties.
    At(Box<Expr>, Name),
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Not,
    Active,
    Plus,
    Minus,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    GreaterEqual,
    Greater,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}
