//! Objects: values that are nothing but different from each other.

use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use fathom_symmetry::{Drawing, Place};

use super::{Data, Names, Reader, Writer};

/// A kind of objects. [`sorts!`](crate::sorts) declares them.
pub trait Sort: 'static {
    /// What objects of this sort are called.
    const NAME: &'static str;

    /// A number for the name.
    const ID: u64 = id(Self::NAME);
}

/// A number for a name; no two names of a program have the same, by all odds.
const fn id(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let (mut hash, mut place) = (0xcbf2_9ce4_8422_2325_u64, 0);
    while place < bytes.len() {
        hash = (hash ^ bytes[place] as u64).wrapping_mul(0x0100_0000_01b3);
        place += 1;
    }
    hash
}

/// Declares sorts of objects.
///
/// ```
/// use fathom_program::{Object, sorts};
///
/// sorts! {
///     /// Those who eat.
///     Philosopher, Fork
/// }
/// assert_eq!(Object::<Fork>::number(3).to_string(), "Fork#3");
/// ```
#[macro_export]
macro_rules! sorts {
    ($($(#[$attribute:meta])* $name:ident),+ $(,)?) => {$(
        #[doc = concat!("The sort of `", stringify!($name), "` objects.")]
        $(#[$attribute])*
        #[derive(Debug)]
        pub enum $name {}
        impl $crate::Sort for $name {
            const NAME: &'static str = stringify!($name);
        }
    )+};
}

/// An object of a sort. Programs may ask whether two are the same and must not ask anything else: which number
/// one has, or which comes first, does not matter.
pub struct Object<S> {
    number: u32,
    sort: PhantomData<fn() -> S>,
}

impl<S: Sort> Object<S> {
    /// The object with this number: for initial states.
    pub fn number(number: u32) -> Object<S> {
        Object { number, sort: PhantomData }
    }

    /// The first objects of a sort.
    pub fn first(count: u32) -> impl Iterator<Item = Object<S>> {
        (0..count).map(Object::number)
    }

    /// An object that is none of these: the one with the least number.
    ///
    /// `others` has to have every object that the state still mentions, wherever it does: what is left out may come back as new,
    /// and two things of the program are then one.
    ///
    /// ```
    /// use fathom_program::{Object, Set, sorts};
    ///
    /// sorts! { Session }
    /// let (open, closed) = (Set::from([Object::number(0)]), Set::from([Object::number(1)]));
    /// let session: Object<Session> = Object::fresh(open.iter().chain(&closed));
    /// assert_eq!(session, Object::number(2));
    /// ```
    pub fn fresh<'a>(others: impl IntoIterator<Item = &'a Object<S>>) -> Object<S> {
        let mut numbers: Vec<u32> = others.into_iter().map(|object| object.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let free = numbers.iter().enumerate().find(|&(place, &number)| place as u32 != number);
        Object::number(free.map_or(numbers.len() as u32, |(place, _)| place as u32))
    }
}

impl<S> Clone for Object<S> {
    fn clone(&self) -> Object<S> {
        *self
    }
}

impl<S> Copy for Object<S> {}

impl<S> PartialEq for Object<S> {
    fn eq(&self, other: &Object<S>) -> bool {
        self.number == other.number
    }
}

impl<S> Eq for Object<S> {}

impl<S> PartialOrd for Object<S> {
    fn partial_cmp(&self, other: &Object<S>) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<S> Ord for Object<S> {
    fn cmp(&self, other: &Object<S>) -> std::cmp::Ordering {
        self.number.cmp(&other.number)
    }
}

impl<S> Hash for Object<S> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

impl<S: Sort> fmt::Display for Object<S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}#{}", S::NAME, self.number)
    }
}

impl<S: Sort> Debug for Object<S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl<S: Sort> Data for Object<S> {
    const WIDTH: Option<usize> = None;
    const HAS_OBJECTS: bool = true;

    fn write(&self, out: &mut Writer<'_>) {
        out.object(S::ID, self.number);
    }

    fn read(input: &mut Reader<'_>) -> Object<S> {
        Object::number(input.object())
    }

    fn draw_objects(&self, place: Place, drawing: &mut Drawing) {
        drawing.object(place, S::ID, self.number);
    }

    fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }

    fn name(&self, names: &Names<'_>) -> Option<u32> {
        Some(names.of(S::ID, self.number))
    }

    fn keyed(&self, place: Place, drawing: &mut Drawing) -> Option<Place> {
        drawing.keyed(place, S::ID, self.number)
    }
}
