//! The syntax tree of a Promela program, after preprocessing and with inlines expanded.
//!
//! It keeps what the author wrote: names are not resolved, types are not checked. Every node that a message
//! may be about has a span.

use fathom_source::Span;

/// A name with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
}

/// A whole program, units in the order of the text.
#[derive(Clone, Default, Debug)]
pub struct Program {
    /// The units.
    pub units: Vec<Unit>,
}

/// A top-level declaration.
#[derive(Clone, Debug)]
// A tree is built once and then walked: boxes would cost more than they save.
#[allow(clippy::large_enum_variant)]
pub enum Unit {
    /// `proctype` or `init`.
    Process(Process),
    /// `never`, `trace` or `notrace`.
    Monitor(Monitor),
    /// `ltl`.
    Ltl(Ltl),
    /// `typedef`.
    Typedef(Typedef),
    /// `mtype = { … }`.
    Mtype(Mtype),
    /// Global variables.
    Declaration(Declaration),
}

/// A `proctype` or `init`.
#[derive(Clone, Debug)]
pub struct Process {
    /// The name; `:init:` for `init`.
    pub name: Ident,
    /// For `active [n] proctype`: `n`, or 1 without brackets. `init` has 1. None without `active`.
    pub active: Option<Expr>,
    /// Parameters, a declaration for each group of one type.
    pub parameters: Vec<Declaration>,
    /// `priority n`.
    pub priority: Option<Expr>,
    /// `provided (e)`.
    pub provided: Option<Expr>,
    /// Whether it is a `D_proctype`.
    pub deterministic: bool,
    /// The body.
    pub body: Sequence,
    /// The whole text.
    pub span: Span,
}

/// What a monitor is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MonitorKind {
    /// `never`
    Never,
    /// `trace`
    Trace,
    /// `notrace`
    NoTrace,
}

/// A `never` claim or an event trace.
#[derive(Clone, Debug)]
pub struct Monitor {
    /// Which.
    pub kind: MonitorKind,
    /// The name, for `never name { … }`.
    pub name: Option<Ident>,
    /// The body.
    pub body: Sequence,
    /// The whole text.
    pub span: Span,
}

/// An `ltl` block.
#[derive(Clone, Debug)]
pub struct Ltl {
    /// Its name, if it has one.
    pub name: Option<Ident>,
    /// The formula.
    pub formula: Expr,
    /// The whole text.
    pub span: Span,
}

/// A `typedef`.
#[derive(Clone, Debug)]
pub struct Typedef {
    /// The name of the type.
    pub name: Ident,
    /// Its fields.
    pub fields: Vec<Declaration>,
    /// The whole text.
    pub span: Span,
}

/// `mtype = { a, b }` or `mtype:name = { a, b }`.
#[derive(Clone, Debug)]
pub struct Mtype {
    /// The name of the enumeration, if it has one.
    pub subtype: Option<Ident>,
    /// Members in the order of the text.
    pub members: Vec<Ident>,
    /// The whole text.
    pub span: Span,
}

/// The name of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum TypeName {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    Unsigned,
    Chan,
    /// `mtype` or `mtype:name`.
    Mtype(Option<Ident>),
    /// A `typedef`.
    User(Ident),
}

/// How a variable is to be treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    /// `hidden`
    Hidden,
    /// `show`
    Show,
    /// `local`
    Local,
}

/// Variables of one type.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// `hidden`, `show` or `local`.
    pub visibility: Option<Visibility>,
    /// The type.
    pub ty: TypeName,
    /// The variables.
    pub declarators: Vec<Declarator>,
    /// The whole text.
    pub span: Span,
}

/// One variable of a declaration.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// Its name.
    pub name: Ident,
    /// `: n`, the width in bits.
    pub width: Option<Expr>,
    /// `[n]`, the number of elements.
    pub length: Option<Expr>,
    /// `= …`.
    pub initializer: Option<Initializer>,
}

/// A first value.
#[derive(Clone, Debug)]
pub enum Initializer {
    /// `= e`; every element of an array gets it.
    Value(Expr),
    /// `= { e, e }`.
    List(Vec<Expr>),
    /// `= [n] of { t, t }`.
    Channel {
        /// Number of messages.
        capacity: Expr,
        /// Types of the fields.
        fields: Vec<TypeName>,
        /// The whole text.
        span: Span,
    },
}

/// Steps, one after the other.
#[derive(Clone, Default, Debug)]
pub struct Sequence {
    /// The steps.
    pub steps: Vec<Step>,
}

/// An element of a sequence.
#[derive(Clone, Debug)]
// A tree is built once and then walked: boxes would cost more than they save.
#[allow(clippy::large_enum_variant)]
pub enum Step {
    /// Local variables.
    Declaration(Declaration),
    /// `xr` or `xs`.
    Exclusive(Exclusive),
    /// A statement.
    Statement(Stmt),
}

/// `xr c, d` or `xs c, d`: only this process receives from, or sends to, these channels.
#[derive(Clone, Debug)]
pub struct Exclusive {
    /// `xs` rather than `xr`.
    pub send: bool,
    /// The channels.
    pub channels: Vec<VarRef>,
    /// The whole text.
    pub span: Span,
}

/// A statement with its labels.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Labels in front of it, outermost first.
    pub labels: Vec<Ident>,
    /// What it is.
    pub kind: StmtKind,
    /// The text, without labels.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// An expression as a guard. `skip` is the expression 1.
    Expression(Expr),
    /// `v = e`
    Assign(VarRef, Expr),
    /// `v++`
    Increment(VarRef),
    /// `v--`
    Decrement(VarRef),
    /// `c!a,b` and `c!!a,b`; the form `c!a(b)` is the same as `c!a,b`.
    Send {
        /// The channel.
        channel: VarRef,
        /// The fields.
        arguments: Vec<Expr>,
        /// `!!`
        sorted: bool,
    },
    /// `c?a,b`, `c??a,b`, `c?<a,b>`, `c??<a,b>`.
    Receive {
        /// The channel.
        channel: VarRef,
        /// The fields.
        arguments: Vec<ReceiveArg>,
        /// `??`
        random: bool,
        /// `< … >`
        copy: bool,
    },
    /// `if … fi`
    If(Vec<Sequence>),
    /// `do … od`
    Do(Vec<Sequence>),
    /// `for (v : a .. b) { … }`
    ForRange {
        /// The variable.
        variable: VarRef,
        /// First value.
        low: Expr,
        /// Last value.
        high: Expr,
        /// The body.
        body: Sequence,
    },
    /// `for (v in a) { … }`
    ForIn {
        /// The variable.
        variable: VarRef,
        /// An array or a channel.
        container: VarRef,
        /// The body.
        body: Sequence,
    },
    /// `select (v : a .. b)`
    Select {
        /// The variable.
        variable: VarRef,
        /// Least value.
        low: Expr,
        /// Greatest value.
        high: Expr,
    },
    /// `atomic { … }`
    Atomic(Sequence),
    /// `d_step { … }`
    DStep(Sequence),
    /// `{ … }`, also what a call of an inline becomes.
    Block {
        /// The steps.
        body: Sequence,
        /// The name of the inline it comes from.
        inline: Option<Ident>,
    },
    /// `main unless escape`
    Unless {
        /// The statement that may be interrupted.
        main: Box<Stmt>,
        /// What interrupts it.
        escape: Box<Stmt>,
    },
    /// `goto l`
    Goto(Ident),
    /// `break`
    Break,
    /// `else`
    Else,
    /// `assert(e)`
    Assert(Expr),
    /// `printf("…", e, e)`
    Printf {
        /// The format with escapes resolved.
        format: String,
        /// The values.
        arguments: Vec<Expr>,
    },
    /// `printm(e)`
    Printm(Expr),
    /// `set_priority(p, n)`
    SetPriority(Expr, Expr),
}

/// A field of a receive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReceiveArg {
    /// A variable that takes the value, `_` included. A name that turns out to be a constant (`mtype`)
    /// is matched.
    Variable(VarRef),
    /// `eval(e)`: the value must equal it.
    Eval(Expr),
    /// A constant, with or without sign.
    Constant(Expr),
}

/// A reference to a variable: `a`, `a[i]`, `a.b[j].c`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VarRef {
    /// At least one part.
    pub parts: Vec<VarPart>,
    /// The whole text.
    pub span: Span,
}

/// A name with an optional index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VarPart {
    /// The name.
    pub name: Ident,
    /// `[e]`
    pub index: Option<Box<Expr>>,
}

/// An expression with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// A number, a character, `true` or `false`.
    Number(i64),
    /// A variable, or the name of an `mtype` member, or a predefined name such as `_pid`.
    Variable(VarRef),
    /// An operator with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator with two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `run p(a, b) priority n`
    Run {
        /// The proctype.
        process: Ident,
        /// The arguments.
        arguments: Vec<Expr>,
        /// The priority.
        priority: Option<Box<Expr>>,
    },
    /// `len(c)` and its kin.
    Channel(ChannelFunction, VarRef),
    /// `c?[a,b]` and `c??[a,b]`
    Poll {
        /// The channel.
        channel: VarRef,
        /// The fields.
        arguments: Vec<ReceiveArg>,
        /// `??`
        random: bool,
    },
    /// `enabled(p)`, `pc_value(p)`, `get_priority(p)`
    Process(ProcessFunction, Box<Expr>),
    /// `timeout`
    Timeout,
    /// `np_`
    NonProgress,
    /// `p[i]@l` or `p@l`
    RemoteLabel {
        /// The proctype.
        process: Ident,
        /// The process number.
        index: Option<Box<Expr>>,
        /// The label.
        label: Ident,
    },
    /// `p[i]:v` or `p:v`
    RemoteVariable {
        /// The proctype.
        process: Ident,
        /// The process number.
        index: Option<Box<Expr>>,
        /// The variable.
        variable: VarRef,
    },
}

/// Operators with one operand. The temporal ones occur in `ltl` only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Negate,
    Complement,
    Not,
    Always,
    Eventually,
    Next,
}

/// Operators with two operands. The temporal ones occur in `ltl` only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    BitAnd,
    BitOr,
    BitXor,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
    Implies,
    Equivalent,
    Until,
    WeakUntil,
    Release,
}

/// Questions about a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum ChannelFunction {
    Len,
    Empty,
    Nempty,
    Full,
    Nfull,
}

/// Questions about a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum ProcessFunction {
    Enabled,
    PcValue,
    GetPriority,
}
