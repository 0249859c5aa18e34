//! Values of C# programs, and states made of them.
//!
//! Values are immutable: collections are slices in order, shared by everything that has the same. A value carries no
//! names: enumerations, classes and sorts of objects are numbers of the program it belongs to, so that it can be read
//! back from bytes without it. Elements of abstract enumerations are objects, unless the program names them.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use fathom_program::{Data, Drawing, Names, Parts, Place, Reader, StateReader, Writer, mix};

/// A number with a fraction, in the order in which there is one of any two.
#[derive(Clone, Copy, Debug)]
pub struct Real(f64);

impl Real {
    /// A number; there is one zero, and one that is none.
    pub fn new(number: f64) -> Real {
        if number.is_nan() { Real(f64::NAN) } else { Real(number + 0.0) }
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl PartialEq for Real {
    fn eq(&self, other: &Real) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Real {}

impl PartialOrd for Real {
    fn partial_cmp(&self, other: &Real) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Real {
    fn cmp(&self, other: &Real) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// A value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Value {
    /// `null`.
    Null,
    /// An argument that does not matter.
    Any,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Double(Real),
    /// A character.
    Char(char),
    /// A text.
    Text(Arc<str>),
    /// An element of an enumeration.
    Element(u32, u32),
    /// An object of a sort.
    Object(u32, u32),
    /// A compound value of a class, with its fields.
    Compound(u32, Arc<[Value]>),
    /// A set: members in order.
    Set(Arc<[Value]>),
    /// A bag: members in order, each with how often it is there.
    Bag(Arc<[(Value, Value)]>),
    /// A map: entries in the order of their keys.
    Map(Arc<[(Value, Value)]>),
    /// A sequence.
    Sequence(Arc<[Value]>),
    /// A pair or a triple.
    Tuple(Arc<[Value]>),
    /// An array of an evaluation, which is no part of a state.
    Array(u32),
    /// A function of an evaluation, which is no part of a state.
    Function(u32),
}

impl Value {
    /// A text.
    pub fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    /// A number with a fraction.
    pub fn double(number: f64) -> Value {
        Value::Double(Real::new(number))
    }

    /// A set of values in any order.
    pub fn set(mut members: Vec<Value>) -> Value {
        if !members.is_sorted_by(|left, right| left < right) {
            members.sort();
            members.dedup();
        }
        Value::Set(members.into())
    }

    /// A map of entries with different keys, in any order.
    pub fn map(mut entries: Vec<(Value, Value)>) -> Value {
        entries.sort();
        Value::Map(entries.into())
    }

    /// A sequence.
    pub fn sequence(members: Vec<Value>) -> Value {
        Value::Sequence(members.into())
    }

    /// Whether there are objects in it.
    pub fn has_objects(&self) -> bool {
        match self {
            Value::Object(..) => true,
            Value::Compound(_, parts) | Value::Set(parts) | Value::Sequence(parts) | Value::Tuple(parts) => {
                parts.iter().any(Value::has_objects)
            }
            Value::Bag(entries) | Value::Map(entries) => {
                entries.iter().any(|(key, value)| key.has_objects() || value.has_objects())
            }
            _ => false,
        }
    }

    /// Calls for each object in it.
    pub fn each_object(&self, call: &mut impl FnMut(u32, u32)) {
        match self {
            Value::Object(sort, number) => call(*sort, *number),
            Value::Compound(_, parts) | Value::Set(parts) | Value::Sequence(parts) | Value::Tuple(parts) => {
                parts.iter().for_each(|part| part.each_object(call));
            }
            Value::Bag(entries) | Value::Map(entries) => {
                for (key, value) in entries.iter() {
                    key.each_object(call);
                    value.each_object(call);
                }
            }
            _ => (),
        }
    }
}

const NULL: u8 = 0;
const ANY: u8 = 1;
const FALSE: u8 = 2;
const TRUE: u8 = 3;
const INT: u8 = 4;
const DOUBLE: u8 = 5;
const CHAR: u8 = 6;
const TEXT: u8 = 7;
const ELEMENT: u8 = 8;
const OBJECT: u8 = 9;
const COMPOUND: u8 = 10;
const SET: u8 = 11;
const BAG: u8 = 12;
const MAP: u8 = 13;
const SEQUENCE: u8 = 14;
const TUPLE: u8 = 15;

/// A number for a sort of objects, for drawings.
fn sort_id(sort: u32) -> u64 {
    mix(u64::from(sort), 31)
}

fn write_all(tag: u8, values: &[Value], out: &mut Writer<'_>) {
    out.bytes(&[tag]);
    out.length(values.len() as u64);
    values.iter().for_each(|value| value.write(out));
}

fn read_all(input: &mut Reader<'_>) -> Vec<Value> {
    let length = input.length();
    (0..length).map(|_| Value::read(input)).collect()
}

fn read_entries(input: &mut Reader<'_>) -> Vec<(Value, Value)> {
    let length = input.length();
    (0..length).map(|_| (Value::read(input), Value::read(input))).collect()
}

/// Draws a value: as a hash if it has no objects.
fn draw(value: &Value, place: Place, drawing: &mut Drawing) {
    if value.has_objects() {
        value.draw_objects(place, drawing);
    } else {
        drawing.plain(place, hash(value));
    }
}

fn hash(value: &Value) -> u64 {
    let mut bytes = Vec::new();
    value.write(&mut Writer::new(&mut bytes));
    let word = |bytes: &[u8]| bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    bytes.chunks(8).fold(bytes.len() as u64, |hash, chunk| mix(hash, word(chunk)))
}

/// What tells parts of drawings apart.
const LENGTH: u64 = 1;
const MEMBER: u64 = 2;
const KEY: u64 = 3;
const VALUE: u64 = 4;

impl Data for Value {
    const WIDTH: Option<usize> = None;
    const HAS_OBJECTS: bool = true;

    fn write(&self, out: &mut Writer<'_>) {
        match self {
            Value::Null => out.bytes(&[NULL]),
            Value::Any | Value::Array(_) | Value::Function(_) => out.bytes(&[ANY]),
            Value::Bool(value) => out.bytes(&[if *value { TRUE } else { FALSE }]),
            Value::Int(number) => {
                out.bytes(&[INT]);
                out.signed(*number);
            }
            Value::Double(number) => {
                out.bytes(&[DOUBLE]);
                out.bytes(&number.get().to_bits().to_le_bytes());
            }
            Value::Char(character) => {
                out.bytes(&[CHAR]);
                out.length(u64::from(*character));
            }
            Value::Text(text) => {
                out.bytes(&[TEXT]);
                out.length(text.len() as u64);
                out.bytes(text.as_bytes());
            }
            Value::Element(kind, index) => {
                out.bytes(&[ELEMENT]);
                out.length(u64::from(*kind));
                out.length(u64::from(*index));
            }
            Value::Object(sort, number) => {
                out.bytes(&[OBJECT]);
                out.length(u64::from(*sort));
                out.object(sort_id(*sort), *number);
            }
            Value::Compound(kind, fields) => {
                out.bytes(&[COMPOUND]);
                out.length(u64::from(*kind));
                out.length(fields.len() as u64);
                fields.iter().for_each(|field| field.write(out));
            }
            Value::Sequence(values) => write_all(SEQUENCE, values, out),
            Value::Tuple(values) => write_all(TUPLE, values, out),
            Value::Set(members) => {
                out.bytes(&[SET]);
                out.length(members.len() as u64);
                out.unordered(members.iter().map(|member| (member, ())), |(member, ()), out| {
                    member.write(out)
                });
            }
            Value::Bag(entries) | Value::Map(entries) => {
                out.bytes(&[if matches!(self, Value::Bag(_)) { BAG } else { MAP }]);
                out.length(entries.len() as u64);
                let entries = entries.iter().map(|(key, value)| (key, value));
                out.unordered(entries, |(key, value), out| {
                    key.write(out);
                    value.write(out);
                });
            }
        }
    }

    fn read(input: &mut Reader<'_>) -> Value {
        match input.bytes(1)[0] {
            NULL => Value::Null,
            FALSE => Value::Bool(false),
            TRUE => Value::Bool(true),
            INT => Value::Int(input.signed()),
            DOUBLE => {
                let bytes = input.bytes(8).try_into().expect("eight bytes");
                Value::double(f64::from_bits(u64::from_le_bytes(bytes)))
            }
            CHAR => Value::Char(char::from_u32(input.length() as u32).unwrap_or_default()),
            TEXT => {
                let length = input.length() as usize;
                Value::Text(String::from_utf8_lossy(input.bytes(length)).into())
            }
            ELEMENT => Value::Element(input.length() as u32, input.length() as u32),
            OBJECT => Value::Object(input.length() as u32, input.object()),
            COMPOUND => Value::Compound(input.length() as u32, read_all(input).into()),
            // Names may have changed: what was in order need not be.
            SET => Value::set(read_all(input)),
            BAG => {
                let mut entries = read_entries(input);
                entries.sort();
                Value::Bag(entries.into())
            }
            MAP => Value::map(read_entries(input)),
            SEQUENCE => Value::Sequence(read_all(input).into()),
            TUPLE => Value::Tuple(read_all(input).into()),
            _ => Value::Any,
        }
    }

    fn draw_objects(&self, place: Place, drawing: &mut Drawing) {
        match self {
            Value::Object(sort, number) => drawing.object(place, sort_id(*sort), *number),
            Value::Compound(_, parts) | Value::Sequence(parts) | Value::Tuple(parts) => {
                let inside = drawing.open(place);
                let kind = if let Value::Compound(kind, _) = self { u64::from(*kind) + 1 } else { 0 };
                drawing.plain(inside.part(LENGTH), mix(kind, parts.len() as u64));
                for (index, part) in parts.iter().enumerate() {
                    draw(part, inside.part(mix(MEMBER, index as u64)), drawing);
                }
                drawing.close(place);
            }
            Value::Set(members) => {
                let inside = drawing.open(place);
                drawing.plain(inside.part(LENGTH), members.len() as u64);
                for member in members.iter() {
                    draw(member, inside.member(MEMBER), drawing);
                }
                drawing.close(place);
            }
            Value::Bag(entries) | Value::Map(entries) => {
                let inside = drawing.open(place);
                drawing.plain(inside.part(LENGTH), entries.len() as u64);
                for (key, value) in entries.iter() {
                    draw_entry(key, value, inside, drawing);
                }
                drawing.close(place);
            }
            plain => drawing.plain(place, hash(plain)),
        }
    }

    fn keyed(&self, place: Place, drawing: &mut Drawing) -> Option<Place> {
        match self {
            Value::Object(sort, number) => drawing.keyed(place, sort_id(*sort), *number),
            _ => None,
        }
    }

    fn name(&self, names: &Names<'_>) -> Option<u32> {
        match self {
            // The members of a collection have one type, so objects among them have one sort.
            Value::Object(sort, number) => Some(names.of(sort_id(*sort), *number)),
            _ => None,
        }
    }

    fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{self:?}")
    }
}

fn draw_entry(key: &Value, value: &Value, inside: Place, drawing: &mut Drawing) {
    if !key.has_objects() {
        draw(value, inside.part(mix(KEY, hash(key))), drawing);
    } else if let Some(held) = key.keyed(inside.part(VALUE), drawing) {
        draw(value, held, drawing);
    } else {
        let pair = inside.member(MEMBER);
        let both = drawing.open(pair);
        draw(key, both.part(KEY), drawing);
        draw(value, both.part(VALUE), drawing);
        drawing.close(pair);
    }
}

/// A state: a value for each variable.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct State(pub Vec<Value>);

impl Data for State {
    const WIDTH: Option<usize> = None;
    const HAS_OBJECTS: bool = true;

    fn write(&self, out: &mut Writer<'_>) {
        write_all(TUPLE, &self.0, out);
    }

    fn read(input: &mut Reader<'_>) -> State {
        input.bytes(1);
        State(read_all(input))
    }

    fn draw_objects(&self, place: Place, drawing: &mut Drawing) {
        Value::Tuple(self.0.clone().into()).draw_objects(place, drawing);
    }

    fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}", self.0)
    }

    fn write_state(&self, parts: &mut Parts<'_>) {
        self.0.iter().for_each(|value| parts.write(value));
    }

    fn read_state(parts: &mut StateReader<'_>) -> State {
        let mut values = Vec::new();
        while !parts.is_at_end() {
            values.push(parts.read());
        }
        State(values)
    }

    fn draw_state(&self, drawing: &mut Drawing) {
        for (index, value) in self.0.iter().enumerate() {
            draw(value, Place::variable(index as u64), drawing);
        }
    }
}
