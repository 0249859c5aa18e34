//! What states are made of.
//!
//! A value of [`Data`] can be written as bytes, the same bytes for equal values and no others, and read back; it can be
//! drawn as a part of a graph, so that it can be compared up to the names of objects; and it can be shown to people.
//! Derive it for structures and enumerations; collections are [`Set`], [`Map`], [`Bag`] and [`Seq`].

mod bits;
mod collections;
mod few;
mod object;
mod primitive;
mod slice;
mod write;

use std::fmt::{self, Debug};

use fathom_symmetry::{Drawing, Place};

pub use bits::{Below, Bits, Finite};
pub use collections::{Bag, Map, Seq, Set};
pub use few::{Layout, MANY, either, pairs, width_alone};
pub use object::{Object, Sort};
pub use write::{Names, Parts, Reader, StateReader, Writer};

/// Something that a state is made of.
pub trait Data: Clone + Ord + Debug + Send + Sync + 'static {
    /// The number of bytes of every value, if it is the same for all.
    const WIDTH: Option<usize>;

    /// Whether there may be objects in a value.
    const HAS_OBJECTS: bool;

    /// How many values there are, if no more than 256, or else [`MANY`]: those of a type with few can be written as numbers.
    const VALUES: usize = MANY;

    /// The number of a value, of a type that has few.
    fn number(&self) -> usize {
        unreachable!("a type with many values does not number them")
    }

    /// The value with a number, of a type that has few.
    ///
    /// # Panics
    ///
    /// When there is none.
    fn from_number(number: usize) -> Self {
        unreachable!("a type with many values does not number them, asked for {number}")
    }

    /// Writes the value: equal values as equal bytes, different ones as different bytes of which none is the beginning
    /// of another.
    fn write(&self, out: &mut Writer<'_>);

    /// Reads what was written.
    ///
    /// # Panics
    ///
    /// When it is something else.
    fn read(input: &mut Reader<'_>) -> Self;

    /// Draws the value. What has no objects is drawn as a hash by [`draw`].
    fn draw_objects(&self, place: Place, drawing: &mut Drawing);

    /// The place of what a map has for this key, if the key is an object that can hold it.
    fn keyed(&self, place: Place, drawing: &mut Drawing) -> Option<Place> {
        let _ = (place, drawing);
        None
    }

    /// The number that a value is known by when objects get these names, if it is an object.
    fn name(&self, names: &Names<'_>) -> Option<u32> {
        let _ = names;
        None
    }

    /// Shows the value as a person would write it.
    fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// Writes a state: a part for each variable.
    fn write_state(&self, parts: &mut Parts<'_>)
    where
        Self: Sized,
    {
        parts.write(self);
    }

    /// Reads a state that was written in parts.
    fn read_state(parts: &mut StateReader<'_>) -> Self
    where
        Self: Sized,
    {
        parts.read()
    }

    /// Draws a state: its variables at places of their own.
    fn draw_state(&self, drawing: &mut Drawing)
    where
        Self: Sized,
    {
        draw(self, Place::variable(0), drawing);
    }

    /// The variables of a state, with their names, as far as there are any.
    fn variables(&self) -> Vec<(String, String)>
    where
        Self: Sized,
    {
        vec![("state".to_string(), Shown(self).to_string())]
    }
}

/// Draws a value: as a hash if it cannot have objects.
pub fn draw<D: Data>(value: &D, place: Place, drawing: &mut Drawing) {
    if D::HAS_OBJECTS {
        value.draw_objects(place, drawing);
    } else {
        let bytes = drawing.buffer();
        bytes.clear();
        value.write(&mut Writer::new(bytes));
        let hash = rapidhash::v3::rapidhash_v3(bytes);
        drawing.plain(place, hash);
    }
}

/// A hash of a value without objects.
pub fn hash<D: Data>(value: &D) -> u64 {
    let mut bytes = Vec::new();
    value.write(&mut Writer::new(&mut bytes));
    rapidhash::v3::rapidhash_v3(&bytes)
}

/// Displays a value as a person would write it.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a, D>(pub &'a D);

impl<D: Data> fmt::Display for Shown<'_, D> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.show(out)
    }
}

/// The sum of two widths, if both are known.
pub const fn widths(left: Option<usize>, right: Option<usize>) -> Option<usize> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left + right),
        _ => None,
    }
}

/// The widest of some widths, if all are known.
pub const fn widest(widths: &[Option<usize>]) -> Option<usize> {
    let (mut place, mut widest) = (0, 0);
    while place < widths.len() {
        match widths[place] {
            Some(width) if width > widest => widest = width,
            Some(_) => (),
            None => return None,
        }
        place += 1;
    }
    Some(widest)
}
