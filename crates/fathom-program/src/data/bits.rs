//! Types with few values, and sets of them as rows of bits.

use std::fmt;
use std::marker::PhantomData;

use fathom_symmetry::{Drawing, Place};

use super::few::rows;
use super::primitive::show_list;
use super::{Data, Reader, Writer, width_alone};

/// A type whose values can be numbered.
pub trait Finite: Copy {
    /// How many values there are.
    const COUNT: usize;

    /// The number of a value, from 0 on.
    fn index(&self) -> usize;

    /// The value with a number.
    ///
    /// # Panics
    ///
    /// When there is none.
    fn value(index: usize) -> Self;

    /// All values.
    fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT).map(Self::value)
    }
}

impl Finite for bool {
    const COUNT: usize = 2;

    fn index(&self) -> usize {
        usize::from(*self)
    }

    fn value(index: usize) -> bool {
        assert!(index < 2, "there are two values");
        index == 1
    }
}

/// A number below a bound.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Below<const N: usize>(u8);

impl<const N: usize> Below<N> {
    /// A number.
    ///
    /// # Panics
    ///
    /// When it is not below the bound, or the bound is above 256.
    #[inline]
    pub fn new(number: usize) -> Below<N> {
        assert!(number < N && N <= 256, "a number below its bound");
        Below(number as u8)
    }

    /// The number.
    #[inline]
    pub fn get(self) -> usize {
        usize::from(self.0)
    }
}

impl<const N: usize> Finite for Below<N> {
    const COUNT: usize = N;

    #[inline]
    fn index(&self) -> usize {
        self.get()
    }

    #[inline]
    fn value(index: usize) -> Below<N> {
        Below::new(index)
    }
}

impl<const N: usize> fmt::Debug for Below<N> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.0)
    }
}

impl<const N: usize> Data for Below<N> {
    const WIDTH: Option<usize> = width_alone(N);
    const HAS_OBJECTS: bool = false;
    const VALUES: usize = N;

    #[inline]
    fn number(&self) -> usize {
        self.get()
    }

    #[inline]
    fn from_number(number: usize) -> Below<N> {
        Below::new(number)
    }

    #[inline]
    fn write(&self, out: &mut Writer<'_>) {
        out.number_alone(self.get(), N);
    }

    #[inline]
    fn read(input: &mut Reader<'_>) -> Below<N> {
        Below::new(input.number_alone(N))
    }

    fn draw_objects(&self, place: Place, drawing: &mut Drawing) {
        drawing.plain(place, u64::from(self.0));
    }

    fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.0)
    }
}

/// A set of values of a type that has no more than 64 of them: a bit for each.
pub struct Bits<T> {
    bits: u64,
    of: PhantomData<fn() -> T>,
}

impl<T: Finite> Bits<T> {
    const BYTES: usize = {
        assert!(T::COUNT <= 64, "a set of bits is of a type with no more than 64 values");
        T::COUNT.div_ceil(8)
    };

    /// The empty set.
    #[inline]
    pub fn new() -> Bits<T> {
        Bits { bits: 0, of: PhantomData }
    }

    /// Number of members.
    #[inline]
    pub fn len(&self) -> usize {
        self.bits.count_ones() as usize
    }

    /// Whether there are no members.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.bits == 0
    }

    /// Whether all values are members.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.len() == T::COUNT
    }

    /// Whether something is a member.
    #[inline]
    pub fn contains(&self, value: T) -> bool {
        self.bits >> value.index() & 1 == 1
    }

    /// Adds a member.
    #[inline]
    pub fn insert(&mut self, value: T) {
        self.bits |= 1 << value.index();
    }

    /// Takes a member out.
    #[inline]
    pub fn remove(&mut self, value: T) {
        self.bits &= !(1 << value.index());
    }

    /// The members, by number.
    pub fn iter(&self) -> impl Iterator<Item = T> + use<T> {
        let mut bits = self.bits;
        std::iter::from_fn(move || {
            let index = bits.trailing_zeros() as usize;
            (bits != 0).then(|| {
                bits &= bits - 1;
                T::value(index)
            })
        })
    }
}

impl<T> Clone for Bits<T> {
    fn clone(&self) -> Bits<T> {
        *self
    }
}

impl<T> Copy for Bits<T> {}

impl<T> PartialEq for Bits<T> {
    fn eq(&self, other: &Bits<T>) -> bool {
        self.bits == other.bits
    }
}

impl<T> Eq for Bits<T> {}

impl<T> PartialOrd for Bits<T> {
    fn partial_cmp(&self, other: &Bits<T>) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Bits<T> {
    fn cmp(&self, other: &Bits<T>) -> std::cmp::Ordering {
        self.bits.cmp(&other.bits)
    }
}

impl<T: Finite> Default for Bits<T> {
    fn default() -> Bits<T> {
        Bits::new()
    }
}

impl<T: Finite> FromIterator<T> for Bits<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Bits<T> {
        let mut bits = Bits::new();
        values.into_iter().for_each(|value| bits.insert(value));
        bits
    }
}

impl<T: Finite + fmt::Debug> fmt::Debug for Bits<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.iter()).finish()
    }
}

impl<T: Finite + Data> Data for Bits<T> {
    const WIDTH: Option<usize> = Some(Bits::<T>::BYTES);
    /// A set of bits is of values with numbers, and objects have none that matter.
    const HAS_OBJECTS: bool = {
        assert!(!T::HAS_OBJECTS, "a set of bits has no objects");
        false
    };

    const VALUES: usize = rows(2, T::COUNT);

    #[inline]
    fn number(&self) -> usize {
        self.bits as usize
    }

    #[inline]
    fn from_number(number: usize) -> Bits<T> {
        Bits { bits: number as u64, of: PhantomData }
    }

    #[inline]
    fn write(&self, out: &mut Writer<'_>) {
        out.bytes(&self.bits.to_le_bytes()[..Self::BYTES]);
    }

    #[inline]
    fn read(input: &mut Reader<'_>) -> Bits<T> {
        let mut bytes = [0; 8];
        bytes[..Self::BYTES].copy_from_slice(input.bytes(Self::BYTES));
        Bits { bits: u64::from_le_bytes(bytes), of: PhantomData }
    }

    fn draw_objects(&self, place: Place, drawing: &mut Drawing) {
        drawing.plain(place, self.bits);
    }

    fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        show_list("{", self.iter(), "}", out, |value, out| value.show(out))
    }
}
