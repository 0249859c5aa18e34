//! Types of variables, and the frames that variables live in.
//!
//! A scalar is an integer of one to four bytes. Structured types exist for names and for printing; by the
//! time an expression reads a variable, the way to the scalar is a [`Place`] of byte offsets.

use fathom_source::Span;

use crate::{ChannelTypeId, EnumerationId, Expr, Model, Place, RecordId};

/// What the bits of a scalar stand for. Only printing and checking look at it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ScalarKind {
    /// A number.
    Integer,
    /// Zero or one, shown as `false` and `true`.
    Boolean,
    /// A member of an enumeration, by its number.
    Enumeration(EnumerationId),
    /// A channel by its number, counted from 1; 0 is no channel.
    Channel,
    /// A process by its number, counted from 0, or [`NO_PROCESS`].
    Process,
}

/// The number, where a language has one, that stands for no process.
pub const NO_PROCESS: i64 = 0xffff;

/// A scalar type: how many bits, with or without sign, and what they stand for.
///
/// Storing a value that does not fit keeps its low `bits` (the wrap rule of C and Promela).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ScalarType {
    /// What the bits stand for.
    pub kind: ScalarKind,
    /// Significant bits, 1 to 32.
    pub bits: u8,
    /// Whether the top bit is a sign.
    pub signed: bool,
}

impl ScalarType {
    /// One bit.
    pub const BIT: ScalarType = ScalarType { kind: ScalarKind::Integer, bits: 1, signed: false };
    /// One bit, shown as a truth value.
    pub const BOOL: ScalarType = ScalarType { kind: ScalarKind::Boolean, bits: 1, signed: false };
    /// Eight bits without sign.
    pub const BYTE: ScalarType = ScalarType { kind: ScalarKind::Integer, bits: 8, signed: false };
    /// Sixteen bits with sign.
    pub const SHORT: ScalarType = ScalarType { kind: ScalarKind::Integer, bits: 16, signed: true };
    /// Thirty-two bits with sign.
    pub const INT: ScalarType = ScalarType { kind: ScalarKind::Integer, bits: 32, signed: true };
    /// A channel number.
    pub const CHANNEL: ScalarType = ScalarType { kind: ScalarKind::Channel, bits: 16, signed: false };
    /// A process number.
    pub const PROCESS: ScalarType = ScalarType { kind: ScalarKind::Process, bits: 16, signed: false };

    /// Bytes of storage: 1, 2 or 4.
    pub fn size(self) -> u32 {
        match self.bits {
            0..=8 => 1,
            9..=16 => 2,
            _ => 4,
        }
    }

    /// The value that is stored when `value` is assigned: its low bits, sign-extended where signed.
    pub fn truncate(self, value: i64) -> i64 {
        let shift = 64 - u32::from(self.bits);
        if self.signed { (value << shift) >> shift } else { (((value as u64) << shift) >> shift) as i64 }
    }

    /// Reads a stored value, little endian.
    pub fn read(self, bytes: &[u8]) -> i64 {
        let raw = match self.size() {
            1 => i64::from(bytes[0]),
            2 => i64::from(u16::from_le_bytes([bytes[0], bytes[1]])),
            _ => i64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
        };
        self.truncate(raw)
    }

    /// Stores a value, truncated, little endian. Unused high bits of the storage are zero, so that equal
    /// values have equal bytes.
    pub fn write(self, bytes: &mut [u8], value: i64) {
        let mask = if self.bits >= 32 { u32::MAX } else { (1u32 << self.bits) - 1 };
        let raw = value as u32 & mask;
        match self.size() {
            1 => bytes[0] = raw as u8,
            2 => bytes[..2].copy_from_slice(&(raw as u16).to_le_bytes()),
            _ => bytes[..4].copy_from_slice(&raw.to_le_bytes()),
        }
    }
}

/// The type of a variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// A scalar.
    Scalar(ScalarType),
    /// A fixed number of elements of one type, one after the other.
    Array {
        /// Type of an element.
        element: Box<Type>,
        /// Number of elements, at least 1.
        length: u32,
        /// The index of the first one as people write it; in places they are counted from 0.
        first: i64,
    },
    /// Named fields, one after the other.
    Record(RecordId),
}

impl Type {
    /// Bytes of storage.
    pub fn size(&self, model: &Model) -> u32 {
        self.size_in(&model.records)
    }

    /// Bytes of storage, given the record types declared so far.
    pub fn size_in(&self, records: &[Record]) -> u32 {
        match self {
            Type::Scalar(scalar) => scalar.size(),
            Type::Array { element, length, .. } => element.size_in(records) * length,
            Type::Record(record) => records[record.index()].size,
        }
    }
}

/// A record type. Fields are laid out in order without gaps.
#[derive(Clone, Debug)]
pub struct Record {
    /// Name, for printing.
    pub name: String,
    /// Fields in order; offsets are relative to the start of the record.
    pub fields: Vec<Variable>,
    /// Bytes of storage: the sum over the fields.
    pub size: u32,
}

/// An enumeration: numbers with names.
#[derive(Clone, Debug)]
pub struct Enumeration {
    /// Name, for printing.
    pub name: String,
    /// Members: number and name.
    pub members: Vec<(i64, String)>,
}

impl Enumeration {
    /// The name of a number, if it has one.
    pub fn name_of(&self, value: i64) -> Option<&str> {
        self.members.iter().find(|(number, _)| *number == value).map(|(_, name)| name.as_str())
    }
}

/// What a variable is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariableRole {
    /// Part of the state.
    Plain,
    /// A parameter of a template: part of the state, set when the process is created.
    Parameter,
    /// Made by the front end: part of the state, not shown unless asked for.
    Internal,
}

/// A variable of a frame, or a field of a record.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Name as the author wrote it.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// First byte, relative to the start of the frame or record.
    pub offset: u32,
    /// What it is for.
    pub role: VariableRole,
    /// Where it is declared.
    pub span: Option<Span>,
}

/// How part of a frame gets its first value. Everything else starts as zero.
#[derive(Clone, Debug)]
pub enum Initializer {
    /// A value, computed when the frame is made.
    Value {
        /// Where it goes.
        place: Place,
        /// The value; may read what is initialised before it.
        value: Expr,
    },
    /// A new channel; its number is stored.
    Channel {
        /// Where the number goes.
        place: Place,
        /// The type of the channel.
        channel_type: ChannelTypeId,
    },
}

/// A group of variables with one lifetime: the globals of a model or the locals of a template.
///
/// Variables do not overlap and lie below `size`.
#[derive(Clone, Default, Debug)]
pub struct Frame {
    /// The variables, parameters first.
    pub variables: Vec<Variable>,
    /// Bytes of storage.
    pub size: u32,
    /// First values, in order.
    pub initializers: Vec<Initializer>,
}

impl Frame {
    /// Finds a variable by name.
    pub fn find(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_value_is_what_c_would_read_back() {
        let cases = [
            (ScalarType::BYTE, 256, 0),
            (ScalarType::BYTE, -1, 255),
            (ScalarType::BIT, 3, 1),
            (ScalarType::SHORT, 40_000, -25_536),
            (ScalarType::INT, 1 << 31, i64::from(i32::MIN)),
            (ScalarType { bits: 5, ..ScalarType::BYTE }, 33, 1),
        ];
        for (ty, value, expected) in cases {
            let mut bytes = [0xff; 4];
            ty.write(&mut bytes, value);
            assert_eq!(ty.read(&bytes), expected, "{ty:?} {value}");
            assert_eq!(ty.truncate(value), expected, "{ty:?} {value}");
        }
    }
}
