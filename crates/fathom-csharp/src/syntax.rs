//! What a C# file says, without what it means: the part of the language that model programs use.

use fathom_source::Span;

/// A name with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it is written.
    pub span: Span,
}

/// One file.
#[derive(Clone, Default, Debug)]
pub struct File {
    /// `using X = Y;`.
    pub aliases: Vec<(Name, TypeName)>,
    /// Namespaces in their order; what is outside of all is in one without a name.
    pub namespaces: Vec<Namespace>,
}

/// A namespace with its types.
#[derive(Clone, Debug)]
pub struct Namespace {
    /// The name with dots.
    pub name: String,
    /// The types declared in it.
    pub types: Vec<TypeDeclaration>,
}

/// A class or an enumeration.
#[derive(Clone, Debug)]
pub enum TypeDeclaration {
    /// `enum`.
    Enum(EnumDeclaration),
    /// `class`.
    Class(ClassDeclaration),
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct EnumDeclaration {
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Its name.
    pub name: Name,
    /// Elements, some with a number.
    pub elements: Vec<(Name, Option<Expr>)>,
}

/// A class, or a part of one.
#[derive(Clone, Debug)]
pub struct ClassDeclaration {
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Whether it may have other parts.
    pub is_partial: bool,
    /// Its name.
    pub name: Name,
    /// What it derives from.
    pub bases: Vec<TypeName>,
    /// Fields, properties, methods and constructors in their order.
    pub members: Vec<Member>,
    /// Types declared inside.
    pub types: Vec<TypeDeclaration>,
}

/// A member of a class.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Its name.
    pub name: Name,
    /// Whether it belongs to the class and not to its instances.
    pub is_static: bool,
    /// What it is.
    pub kind: MemberKind,
}

/// What a member is.
#[derive(Clone, Debug)]
pub enum MemberKind {
    /// A field.
    Field {
        /// The type of its values.
        ty: TypeName,
        /// `const` or `readonly`.
        is_constant: bool,
        /// `const`.
        is_literal: bool,
        /// The first value.
        value: Option<Expr>,
    },
    /// A property that computes its value.
    Property {
        /// The type of its values.
        ty: TypeName,
        /// What `get` does.
        get: Option<Block>,
        /// What `set` does.
        set: Option<Block>,
    },
    /// A method.
    Method {
        /// The type of what it gives.
        returns: TypeName,
        /// Its parameters.
        parameters: Vec<Parameter>,
        /// What it does.
        body: Block,
    },
    /// A constructor.
    Constructor {
        /// Its parameters.
        parameters: Vec<Parameter>,
        /// Arguments of `: this(…)`.
        delegates: Option<Vec<Argument>>,
        /// What it does.
        body: Block,
    },
}

/// A parameter of a method.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Its name.
    pub name: Name,
    /// Its type; the one of a lambda may have none.
    pub ty: Option<TypeName>,
    /// How it is passed.
    pub passing: Passing,
}

/// How an argument is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passing {
    /// A copy.
    Value,
    /// `out`.
    Out,
    /// `ref`.
    Ref,
    /// `params`: all that are left, as an array.
    Rest,
}

/// An attribute such as `[Action("Send(_, m)")]`.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The name, without `Attribute` at its end.
    pub name: Name,
    /// Values in their order.
    pub values: Vec<Expr>,
    /// `name = value`.
    pub named: Vec<(Name, Expr)>,
}

/// The name of a type.
#[derive(Clone, Debug)]
pub struct TypeName {
    /// Where it is written.
    pub span: Span,
    /// What it is.
    pub kind: TypeNameKind,
}

/// What the name of a type is.
#[derive(Clone, Debug)]
pub enum TypeNameKind {
    /// `var`.
    Implicit,
    /// A name with dots, with arguments of the last part.
    Named(Vec<String>, Vec<TypeName>),
    /// `T?`.
    Nullable(Box<TypeName>),
    /// `T[]`.
    Array(Box<TypeName>),
}

/// Statements in braces.
pub type Block = Vec<Stmt>;

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Where it is written.
    pub span: Span,
    /// What it is.
    pub kind: StmtKind,
}

/// What a statement is.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `;`.
    Empty,
    /// `{ … }`.
    Block(Block),
    /// Local variables.
    Local(TypeName, Vec<(Name, Option<Expr>)>),
    /// `const`.
    Const(TypeName, Vec<(Name, Option<Expr>)>),
    /// An expression for its effect.
    Expr(Expr),
    /// `if`.
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// `while`.
    While(Expr, Box<Stmt>),
    /// `do … while`.
    DoWhile(Box<Stmt>, Expr),
    /// `for`.
    For(Vec<Stmt>, Option<Expr>, Vec<Expr>, Box<Stmt>),
    /// `foreach`.
    ForEach(TypeName, Name, Expr, Box<Stmt>),
    /// `switch`: labels, none for `default`, with what follows them.
    Switch(Expr, Vec<(Vec<Option<Expr>>, Block)>),
    /// `return`.
    Return(Option<Expr>),
    /// `yield return`, or `yield break`.
    Yield(Option<Expr>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `throw`.
    Throw(Option<Expr>),
    /// `try`: body, what is done about an error, what is done at the end.
    Try(Block, Option<(Option<Name>, Block)>, Option<Block>),
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub struct Argument {
    /// How it is passed.
    pub passing: Passing,
    /// `out T x` declares a variable.
    pub declares: Option<(TypeName, Name)>,
    /// The value.
    pub value: Expr,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Where it is written.
    pub span: Span,
    /// What it is.
    pub kind: Box<ExprKind>,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// Something that a diagnostic was written about.
    Error,
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number; a long one.
    Int(i64, bool),
    /// A number with a fraction.
    Double(f64),
    /// A text.
    Text(String),
    /// A character.
    Char(char),
    /// A text with values in it.
    Interpolated(Vec<Expr>),
    /// A name.
    Name(String),
    /// A type that is a keyword, in `double.MaxValue`, or has arguments, in `Set<int>.EmptySet`.
    Type(TypeName),
    /// `this`.
    This,
    /// `base`.
    Base,
    /// `a.b`.
    Member(Expr, Name),
    /// `a[b]`.
    Index(Expr, Vec<Expr>),
    /// `f(a)`.
    Call(Expr, Vec<Argument>),
    /// `new T(a)`.
    New(TypeName, Vec<Argument>),
    /// `new T[n]` or `new T[] { … }` or `{ … }`.
    NewArray(Option<TypeName>, Option<Expr>, Option<Vec<Expr>>),
    /// `-a`, `!a`, `+a`, `~a`.
    Unary(&'static str, Expr),
    /// `++a`, `a++`: what is added, and whether the value is the one before.
    Step(i64, bool, Expr),
    /// `a + b` and the like.
    Binary(&'static str, Expr, Expr),
    /// `a = b`; `a += b` has an operator.
    Assign(Expr, Option<&'static str>, Expr),
    /// `a ? b : c`.
    Conditional(Expr, Expr, Expr),
    /// `(T) a`.
    Cast(TypeName, Expr),
    /// `default(T)` or `default`.
    Default(Option<TypeName>),
    /// `typeof(T)`.
    TypeOf(TypeName),
    /// `x => …` or `delegate(T x) { … }`.
    Lambda(Vec<Parameter>, LambdaBody),
}

/// What a lambda does.
#[derive(Clone, Debug)]
pub enum LambdaBody {
    /// Gives a value.
    Expr(Expr),
    /// Statements.
    Block(Block),
}
