//! Faults: what can go wrong while a step is executed.

use std::fmt;

/// A run-time error of the model. It ends the path that runs into it, except for a failed assertion.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Fault {
    /// An assertion is false. The only fault after which the process goes on.
    Assertion,
    /// The right operand of a division or remainder is 0.
    DivisionByZero,
    /// An array index outside its array.
    IndexOutOfRange {
        /// The index.
        index: i64,
        /// Number of elements.
        length: u32,
    },
    /// A channel variable that holds no channel.
    NoChannel,
    /// A channel number that names no living channel.
    DeadChannel {
        /// The number.
        channel: i64,
    },
    /// A message with the wrong number of fields for its channel.
    FieldCount {
        /// Fields of the channel.
        expected: usize,
        /// Fields of the statement.
        found: usize,
    },
    /// A poll of, or a copying receive from, a channel that holds no messages.
    PollOfRendezvous,
    /// A statement inside an indivisible block cannot be executed.
    BlockedInside,
    /// An indivisible block, or an atomic sequence, that goes on without end.
    EndlessInside,
    /// A hand-shake inside an indivisible block.
    RendezvousInside,
    /// More processes than a state can hold.
    TooManyProcesses,
    /// More channels than a state can hold.
    TooManyChannels,
    /// A priority outside 1 to 255.
    PriorityOutOfRange {
        /// The value.
        priority: i64,
    },
    /// A value outside the range of what it is assigned to.
    ValueOutOfRange {
        /// The value.
        value: i64,
        /// The least value allowed.
        least: i64,
        /// The largest value allowed.
        most: i64,
    },
    /// A process asks whether it is itself enabled.
    EnabledSelf,
    /// An effect with more outcomes than can be listed.
    TooManyOutcomes,
    /// An error that a model program runs into or raises.
    Raised {
        /// What is wrong, and where.
        message: String,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Assertion => write!(out, "assertion violated"),
            Fault::DivisionByZero => write!(out, "division by zero"),
            Fault::IndexOutOfRange { index, length } => {
                write!(out, "array index {index} out of range 0..{}", i64::from(*length) - 1)
            }
            Fault::NoChannel => write!(out, "use of a channel variable that holds no channel"),
            Fault::DeadChannel { channel } => write!(out, "use of channel {channel}, which does not exist"),
            Fault::FieldCount { expected, found } => {
                write!(out, "message of {found} fields on a channel of {expected}")
            }
            Fault::PollOfRendezvous => write!(out, "poll of a rendezvous channel"),
            Fault::BlockedInside => write!(out, "statement blocks inside a d_step"),
            Fault::EndlessInside => write!(out, "atomic sequence without end"),
            Fault::RendezvousInside => write!(out, "rendezvous inside a d_step"),
            Fault::TooManyProcesses => write!(out, "too many processes"),
            Fault::TooManyChannels => write!(out, "too many channels"),
            Fault::PriorityOutOfRange { priority } => write!(out, "priority {priority} outside 1 to 255"),
            Fault::ValueOutOfRange { value, least, most } => {
                write!(out, "value {value} out of range {least}..{most}")
            }
            Fault::TooManyOutcomes => write!(out, "more outcomes of one step than can be listed"),
            Fault::Raised { message } => write!(out, "{message}"),
            Fault::EnabledSelf => write!(out, "process asks whether it is itself enabled"),
        }
    }
}
