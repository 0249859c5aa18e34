//! Values as bytes, and states as strings of parts.
//!
//! Values of types with few are numbers that share bytes with their neighbours ([`few`](super::few)); all others begin and end with a byte.
//!
//! A part with a fixed number of bytes stands in the state as it is. Any other is a number: the place of its bytes in a
//! table that all workers share ([`PartTable`]). So states have one length, their bytes stay where they are, and what
//! the store makes of them is small. Sampled engines, which throw states away, have no table: parts stand in the state in full.

use fathom_symmetry::Drawing;

use super::Data;
use super::few::{BitsIn, BitsOut, MANY, bits_of};
use crate::table::PartTable;

/// Names for objects: what they are called instead.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// Which objects there are.
    pub drawing: &'a Drawing,
    /// The name of each, by index.
    pub names: &'a [u32],
}

impl Names<'_> {
    /// The name of an object.
    ///
    /// # Panics
    ///
    /// When it was not drawn.
    pub fn of(&self, sort: u64, number: u32) -> u32 {
        let index = self.drawing.index_of(sort, number).expect("every object of a state is drawn");
        self.names[index]
    }
}

/// Where values are written to.
#[derive(Debug)]
pub struct Writer<'a> {
    bytes: &'a mut Vec<u8>,
    /// Numbers that go behind the bytes.
    bits: BitsOut,
    names: Option<Names<'a>>,
}

impl<'a> Writer<'a> {
    /// Writes behind what is there.
    pub fn new(bytes: &'a mut Vec<u8>) -> Writer<'a> {
        Writer { bytes, bits: BitsOut::default(), names: None }
    }

    /// Writes a part of a larger value. What comes last is to be [`align`](Writer::align)ed.
    #[inline(always)]
    pub fn part<D: Data>(&mut self, part: &D) {
        if D::VALUES == MANY {
            self.align();
            part.write(self);
        } else {
            self.number(part.number(), D::VALUES);
        }
    }

    /// Writes a number below a count, at most 256, in the bits that it needs.
    #[inline(always)]
    pub fn number(&mut self, number: usize, count: usize) {
        self.bits.push(number, bits_of(count), self.bytes);
    }

    /// Writes a number below a count, at most 256, alone.
    #[inline(always)]
    pub fn number_alone(&mut self, number: usize, count: usize) {
        debug_assert_eq!(self.bits.n_bytes(), 0, "what came before is aligned");
        if count > 1 {
            self.bytes.push(number as u8);
        }
    }

    /// What comes next begins with a byte.
    #[inline(always)]
    pub fn align(&mut self) {
        self.bits.flush(self.bytes);
    }

    /// Writes bytes as they are.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) {
        debug_assert_eq!(self.bits.n_bytes(), 0, "what came before is aligned");
        self.bytes.extend_from_slice(bytes);
    }

    /// Where the next byte goes.
    #[inline]
    pub fn position(&self) -> usize {
        self.bytes.len() + self.bits.n_bytes()
    }

    /// Writes zeros up to a position.
    #[inline]
    pub fn pad(&mut self, position: usize) {
        self.align();
        if self.bytes.len() < position {
            self.bytes.resize(position, 0);
        }
    }

    /// Writes a number that is small most of the time.
    pub fn length(&mut self, mut length: u64) {
        while length >= 0x80 {
            self.bytes.push(length as u8 | 0x80);
            length >>= 7;
        }
        self.bytes.push(length as u8);
    }

    /// Writes a number of either sign that is near 0 most of the time.
    pub fn signed(&mut self, number: i64) {
        self.length(((number << 1) ^ (number >> 63)) as u64);
    }

    /// Writes an object, by the name that it gets.
    pub fn object(&mut self, sort: u64, number: u32) {
        let name = self.names.map_or(number, |names| names.of(sort, number));
        self.length(u64::from(name));
    }

    /// Whether objects get other names: then what was in order may no longer be.
    pub fn is_renaming(&self) -> bool {
        self.names.is_some()
    }

    /// Writes values in an order that does not depend on the names that objects had: those known by objects by their
    /// new names, others as their bytes come out.
    pub fn unordered<'v, K: Data, T>(
        &mut self,
        values: impl Iterator<Item = (&'v K, T)>,
        mut write: impl FnMut((&'v K, T), &mut Writer<'_>),
    ) {
        let Some(names) = self.names.filter(|_| K::HAS_OBJECTS) else {
            return values.for_each(|value| write(value, self));
        };
        let mut values: Vec<(Option<u32>, &K, T)> =
            values.map(|(key, value)| (key.name(&names), key, value)).collect();
        if values.iter().all(|(name, ..)| name.is_some()) {
            values.sort_unstable_by_key(|(name, ..)| *name);
            return values.into_iter().for_each(|(_, key, value)| write((key, value), self));
        }
        self.align();
        let start = self.bytes.len();
        let mut ends: Vec<(usize, usize)> = Vec::with_capacity(values.len());
        for (_, key, value) in values {
            let from = self.bytes.len() - start;
            write((key, value), self);
            self.align();
            ends.push((from, self.bytes.len() - start));
        }
        let written = self.bytes.split_off(start);
        ends.sort_unstable_by(|left, right| written[left.0..left.1].cmp(&written[right.0..right.1]));
        for (from, to) in ends {
            self.bytes.extend_from_slice(&written[from..to]);
        }
    }
}

/// Where values are read from.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    /// Of the byte before.
    bits: BitsIn,
}

const WRITTEN: &str = "what was written can be read";

impl<'a> Reader<'a> {
    /// Reads from the start.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, bits: BitsIn::EMPTY }
    }

    /// Reads a part of a larger value. Behind the last one comes [`align`](Reader::align).
    #[inline(always)]
    pub fn part<D: Data>(&mut self) -> D {
        if D::VALUES == MANY {
            self.align();
            D::read(self)
        } else {
            D::from_number(self.number(D::VALUES))
        }
    }

    /// Reads a number below a count.
    #[inline(always)]
    pub fn number(&mut self, count: usize) -> usize {
        let bytes = &mut self.bytes;
        self.bits.pop(bits_of(count), || {
            let (&first, rest) = bytes.split_first().expect(WRITTEN);
            *bytes = rest;
            first
        })
    }

    /// Reads a number below a count that stands alone.
    #[inline(always)]
    pub fn number_alone(&mut self, count: usize) -> usize {
        if count > 1 { usize::from(self.bytes(1)[0]) } else { 0 }
    }

    /// What comes next begins with a byte.
    #[inline(always)]
    pub fn align(&mut self) {
        self.bits = BitsIn::EMPTY;
    }

    /// Whether nothing is left.
    pub fn is_at_end(&self) -> bool {
        self.bytes.is_empty()
    }

    /// How many bytes are left, without what is left of one that was begun.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.bytes.len()
    }

    /// Reads what a value of this width was padded with, if it has one, that began when so many bytes were left.
    #[inline]
    pub fn skip_padding(&mut self, before: usize, width: Option<usize>) {
        self.align();
        if let Some(width) = width {
            self.bytes(width - (before - self.remaining()));
        }
    }

    /// Reads bytes.
    ///
    /// # Panics
    ///
    /// When there are fewer.
    #[inline]
    pub fn bytes(&mut self, length: usize) -> &'a [u8] {
        let (read, rest) = self.bytes.split_at_checked(length).expect(WRITTEN);
        self.bytes = rest;
        read
    }

    /// Reads a number written as a length.
    ///
    /// # Panics
    ///
    /// When there is none.
    pub fn length(&mut self) -> u64 {
        let (mut length, mut shift) = (0, 0);
        loop {
            let byte = self.bytes(1)[0];
            length |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return length;
            }
            shift += 7;
        }
    }

    /// Reads a number of either sign.
    pub fn signed(&mut self) -> i64 {
        let number = self.length();
        (number >> 1) as i64 ^ -((number & 1) as i64)
    }

    /// Reads an object.
    pub fn object(&mut self) -> u32 {
        self.length() as u32
    }
}

/// Parts up to this many bytes stand in the state as they are, if all values have as many.
const MOST_IN_PLACE: usize = 64;

fn is_in_place<D: Data>() -> bool {
    D::WIDTH.is_some_and(|width| width <= MOST_IN_PLACE)
}

/// A state that is being written, part by part.
#[derive(Debug)]
pub struct Parts<'a> {
    state: &'a mut Vec<u8>,
    /// Numbers that go behind the state.
    bits: BitsOut,
    /// The part at hand.
    part: &'a mut Vec<u8>,
    table: Option<&'a PartTable>,
    names: Option<Names<'a>>,
}

impl<'a> Parts<'a> {
    /// Writes a state behind what is there, with parts in a table or in full.
    pub fn new(state: &'a mut Vec<u8>, part: &'a mut Vec<u8>, table: Option<&'a PartTable>) -> Parts<'a> {
        Parts { state, bits: BitsOut::default(), part, table, names: None }
    }

    /// The same under other names.
    #[must_use]
    pub fn renaming(self, names: Names<'a>) -> Parts<'a> {
        Parts { names: Some(names), ..self }
    }

    /// Writes all parts of a state.
    pub fn write_all<D: Data>(mut self, state: &D) {
        state.write_state(&mut self);
        self.align();
    }

    /// Writes a part.
    #[inline(always)]
    pub fn write<D: Data>(&mut self, value: &D) {
        if D::VALUES != MANY {
            return self.bits.push(value.number(), bits_of(D::VALUES), self.state);
        }
        self.align();
        let names = self.names.filter(|_| D::HAS_OBJECTS);
        let Some(table) = self.table.filter(|_| !is_in_place::<D>()) else {
            return value.write(&mut Writer { names, ..Writer::new(self.state) });
        };
        self.part.clear();
        value.write(&mut Writer { names, ..Writer::new(self.part) });
        self.state.extend_from_slice(&table.number(self.part).to_le_bytes());
    }

    /// What comes next begins with a byte.
    #[inline(always)]
    fn align(&mut self) {
        self.bits.flush(self.state);
    }
}

/// A state that is being read, part by part.
#[derive(Debug)]
pub struct StateReader<'a> {
    state: Reader<'a>,
    table: Option<&'a PartTable>,
}

impl<'a> StateReader<'a> {
    /// Reads a state whose parts are in a table or in full.
    pub fn new(state: &'a [u8], table: Option<&'a PartTable>) -> StateReader<'a> {
        StateReader { state: Reader::new(state), table }
    }

    /// Whether no part is left.
    pub fn is_at_end(&self) -> bool {
        self.state.is_at_end()
    }

    /// Reads a part.
    ///
    /// # Panics
    ///
    /// When it is another.
    #[inline]
    pub fn read<D: Data>(&mut self) -> D {
        if D::VALUES != MANY {
            return self.state.part();
        }
        self.state.align();
        let Some(table) = self.table.filter(|_| !is_in_place::<D>()) else {
            return D::read(&mut self.state);
        };
        let number = u32::from_le_bytes(self.state.bytes(4).try_into().expect("four bytes"));
        D::read(&mut Reader::new(table.bytes(number)))
    }
}
