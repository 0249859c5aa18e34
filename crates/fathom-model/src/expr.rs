//! Expressions: pure functions of a state and of the process that looks at it.
//!
//! Arithmetic is that of a C `int`: 32 bits, wrapping, division and remainder truncating towards zero.
//! Comparisons and logical operators give 0 or 1; any value but 0 counts as true.

use crate::{LocationId, ScalarType, TemplateId};

/// An expression.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    /// A number.
    Const(i64),
    /// The value of a variable.
    Load(Place),
    /// An operator with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator with two operands. `And` and `Or` look at the second only when they must.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `condition ? then : otherwise`; only the chosen branch is looked at.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A question about a channel. The operand is the channel's number.
    Channel(ChannelQuery, Box<Expr>),
    /// Whether a message that fits could be received from a buffered channel.
    Poll {
        /// The channel's number.
        channel: Box<Expr>,
        /// What the fields must be; binding patterns fit anything.
        patterns: Vec<Pattern>,
        /// Which message is looked at.
        which: Which,
    },
    /// The number of the process that evaluates.
    OwnProcess,
    /// The number of processes alive.
    ProcessCount,
    /// The process that made the last step; 0 before the first. Models that use it set
    /// [`Model::uses_last`](crate::Model::uses_last), because it becomes part of the state.
    LastProcess,
    /// The number of the process created last in the same effect.
    Created,
    /// Whether a process has an executable edge, not counting hand-shakes.
    Enabled(Box<Expr>),
    /// The number of the location a process is at; 0 when there is no such process.
    LocationOf(Box<Expr>),
    /// Whether a process of that template is at a location. False when there is no such process. Without
    /// a process number: the first process of the template.
    AtLocation {
        /// The template.
        template: TemplateId,
        /// The process number.
        process: Option<Box<Expr>>,
        /// The location.
        location: LocationId,
    },
    /// The scheduling priority of a process; 0 when there is no such process.
    Priority(Box<Expr>),
    /// True when no process can move otherwise.
    Timeout,
    /// True when no process is at a location marked as progress.
    NonProgress,
    /// True when some process is at a location marked as accepting.
    SomeAccepting,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Negate,
    Complement,
    Not,
}

/// Operators with two operands, with the meaning they have in C.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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
}

/// Questions about a channel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ChannelQuery {
    /// Number of messages.
    Length,
    /// No message.
    Empty,
    /// Some message.
    NotEmpty,
    /// As many messages as fit. A hand-shake channel holds none between two steps and is never full.
    Full,
    /// Room for one more.
    NotFull,
}

/// Where a place starts.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Base {
    /// In the globals.
    Global,
    /// In the locals of the process that evaluates.
    Own,
    /// In the locals of another process. Reading gives 0 when there is no such process or it is of
    /// another template; writing is not allowed.
    Other {
        /// The template whose locals are meant.
        template: TemplateId,
        /// The process number; without it, the first process of the template.
        process: Option<Box<Expr>>,
    },
    /// In the temporaries of the effect under way: 0 when it starts, forgotten when it ends, no part of any state. Places here
    /// have no indices.
    Temporary,
    /// Nowhere: what is written is lost. Reading gives 0.
    Discard,
}

/// The way to a scalar: a base, a byte offset, and array indices computed at run time.
///
/// The address is `base + offset + Σ index·stride`; every index is checked against its length.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// Where it starts.
    pub base: Base,
    /// Constant part of the offset, in bytes.
    pub offset: u32,
    /// Variable parts of the offset.
    pub indices: Vec<Index>,
    /// Type of the scalar.
    pub ty: ScalarType,
}

/// One array index of a [`Place`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Index {
    /// The index, counted from 0.
    pub value: Expr,
    /// Number of elements: an index outside `0..length` is a fault.
    pub length: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
}

/// Which message of a buffered channel a receive takes, if it fits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Which {
    /// The one at the front.
    Front,
    /// The first that fits.
    First,
    /// The first whose first field is none of the values in a set, which has bit `v` when `v` is in it. Those before it are passed over and stay.
    Beside(u64),
    /// The one at a place, counted from the front.
    At(u32),
}

impl Which {
    /// The places to look at in a channel with so many messages.
    pub fn places(self, length: u32) -> std::ops::Range<u32> {
        match self {
            Which::Front => 0..length.min(1),
            Which::First | Which::Beside(_) => 0..length,
            Which::At(place) => place..length.min(place.saturating_add(1)).max(place),
        }
    }

    /// Whether what comes after a message that does not fit, with this first field, is looked at.
    pub fn passes(self, first: i64) -> bool {
        match self {
            Which::Front | Which::At(_) => false,
            Which::First => true,
            Which::Beside(passed) => {
                u32::try_from(first).is_ok_and(|first| first < 64 && passed >> first & 1 == 1)
            }
        }
    }

    /// Whether only the message at the front matters.
    pub fn is_front(self) -> bool {
        matches!(self, Which::Front | Which::At(0))
    }
}

/// What a field of a message must be, and where it goes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Pattern {
    /// Must equal this value.
    Match(Expr),
    /// Anything; stored here when the message is received.
    Bind(Place),
}

impl Expr {
    /// The expression that is always 1.
    pub const TRUE: Expr = Expr::Const(1);

    /// Shorthand for an operator with two operands.
    pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    /// Shorthand for logical negation.
    pub fn negation(operand: Expr) -> Expr {
        Expr::Unary(UnaryOp::Not, Box::new(operand))
    }
}

impl Place {
    /// A scalar at a fixed offset.
    pub fn fixed(base: Base, offset: u32, ty: ScalarType) -> Place {
        Place { base, offset, indices: Vec::new(), ty }
    }
}
