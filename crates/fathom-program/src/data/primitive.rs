//! Numbers, texts, tuples and the like as data.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use fathom_symmetry::{Drawing, Place, mix};

use super::few::rows;
use super::{Data, Layout, MANY, Reader, Shown, Writer, draw, either, hash, pairs, width_alone};

macro_rules! integers {
    ($($integer:ty),+) => {$(
        impl Data for $integer {
            const WIDTH: Option<usize> = Some(size_of::<$integer>());
            const HAS_OBJECTS: bool = false;
            const VALUES: usize = if size_of::<$integer>() == 1 { 256 } else { MANY };

            #[inline]
            fn number(&self) -> usize {
                usize::from(*self as u8)
            }

            #[inline]
            fn from_number(number: usize) -> $integer {
                number as $integer
            }

            #[inline]
            fn write(&self, out: &mut Writer<'_>) {
                out.bytes(&self.to_le_bytes());
            }

            #[inline]
            fn read(input: &mut Reader<'_>) -> $integer {
                let bytes = input.bytes(size_of::<$integer>());
                <$integer>::from_le_bytes(bytes.try_into().expect("as many bytes as asked for"))
            }

            fn draw_objects(&self, place: Place, drawing: &mut Drawing) {
                drawing.plain(place, *self as u64);
            }

            fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(out, "{self}")
            }
        }
    )+};
}

integers!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);

impl Data for bool {
    const WIDTH: Option<usize> = Some(1);
    const HAS_OBJECTS: bool = false;
    const VALUES: usize = 2;

    #[inline]
    fn number(&self) -> usize {
        usize::from(*self)
    }

    #[inline]
    fn from_number(number: usize) -> bool {
        number != 0
    }

    #[inline]
    fn write(&self, out: &mut Writer<'_>) {
        out.number_alone(self.number(), Self::VALUES);
    }

    #[inline]
    fn read(input: &mut Reader<'_>) -> bool {
        input.number_alone(Self::VALUES) != 0
    }

    fn draw_objects(&self, place: Place, drawing: &mut Drawing) {
        drawing.plain(place, u64::from(*self));
    }

    fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{self}")
    }
}

impl Data for char {
    const WIDTH: Option<usize> = Some(4);
    const HAS_OBJECTS: bool = false;

    fn write(&self, out: &mut Writer<'_>) {
        (*self as u32).write(out);
    }

    fn read(input: &mut Reader<'_>) -> char {
        char::from_u32(u32::read(input)).expect("a character was written")
    }

    fn draw_objects(&self, place: Place, drawing: &mut Drawing) {
        drawing.plain(place, u64::from(*self));
    }

    fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{self:?}")
    }
}

macro_rules! texts {
    ($($text:ty),+) => {$(
        impl Data for $text {
            const WIDTH: Option<usize> = None;
            const HAS_OBJECTS: bool = false;

            fn write(&self, out: &mut Writer<'_>) {
                out.length(self.len() as u64);
                out.bytes(self.as_bytes());
            }

            fn read(input: &mut Reader<'_>) -> $text {
                let length = input.length() as usize;
                str::from_utf8(input.bytes(length)).expect("a text was written").into()
            }

            fn draw_objects(&self, place: Place, drawing: &mut Drawing) {
                drawing.plain(place, hash(self));
            }

            fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(out, "{self:?}")
            }
        }
    )+};
}

texts!(String, Arc<str>);

macro_rules! tuples {
    ($(($($name:ident $value:ident $place:tt),*)),+) => {$(
        impl<$($name: Data),*> Data for ($($name,)*) {
            const WIDTH: Option<usize> = if Self::VALUES == MANY {
                Layout::EMPTY$(.with::<$name>())*.width()
            } else {
                width_alone(Self::VALUES)
            };
            const HAS_OBJECTS: bool = false $(|| $name::HAS_OBJECTS)*;
            const VALUES: usize = {
                let values = 1;
                $(let values = pairs(values, $name::VALUES);)*
                values
            };

            #[inline]
            fn number(&self) -> usize {
                let number = 0;
                $(let number = number * $name::VALUES + self.$place.number();)*
                number
            }

            #[inline]
            fn from_number(_number: usize) -> Self {
                let _above = Self::VALUES;
                $(
                    // The first one counts most.
                    let _above = _above / $name::VALUES.max(1);
                    let $value = $name::from_number(_number / _above.max(1) % $name::VALUES.max(1));
                )*
                #[allow(clippy::unused_unit)]
                ($($value,)*)
            }

            #[inline]
            fn write(&self, out: &mut Writer<'_>) {
                if Self::VALUES != MANY {
                    return out.number_alone(self.number(), Self::VALUES);
                }
                $(out.part(&self.$place);)*
                out.align();
            }

            #[inline]
            fn read(input: &mut Reader<'_>) -> Self {
                if Self::VALUES != MANY {
                    return Self::from_number(input.number_alone(Self::VALUES));
                }
                $(let $value = input.part();)*
                input.align();
                #[allow(clippy::unused_unit)]
                ($($value,)*)
            }

            fn draw_objects(&self, place: Place, drawing: &mut Drawing) {
                let _parts = drawing.open(place);
                $(draw(&self.$place, _parts.part($place), drawing);)*
                drawing.close(place);
            }

            fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(out, "(")?;
                $(
                    if $place > 0 {
                        write!(out, ", ")?;
                    }
                    self.$place.show(out)?;
                )*
                write!(out, ")")
            }
        }
    )+};
}

tuples!(
    (),
    (A a 0),
    (A a 0, B b 1),
    (A a 0, B b 1, C c 2),
    (A a 0, B b 1, C c 2, D d 3),
    (A a 0, B b 1, C c 2, D d 3, E e 4),
    (A a 0, B b 1, C c 2, D d 3, E e 4, F f 5),
    (A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6),
    (A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6, H h 7)
);

impl<T: Data> Data for Option<T> {
    const WIDTH: Option<usize> = if Self::VALUES == MANY {
        Layout::EMPTY.with_number(2).with::<T>().width()
    } else {
        width_alone(Self::VALUES)
    };
    const HAS_OBJECTS: bool = T::HAS_OBJECTS;
    const VALUES: usize = either(1, T::VALUES);

    #[inline]
    fn number(&self) -> usize {
        self.as_ref().map_or(0, |value| 1 + value.number())
    }

    #[inline]
    fn from_number(number: usize) -> Option<T> {
        number.checked_sub(1).map(T::from_number)
    }

    #[inline]
    fn write(&self, out: &mut Writer<'_>) {
        if Self::VALUES != MANY {
            return out.number_alone(self.number(), Self::VALUES);
        }
        let start = out.position();
        out.number(usize::from(self.is_some()), 2);
        if let Some(value) = self {
            out.part(value);
        }
        out.pad(start + Self::WIDTH.unwrap_or(0));
    }

    #[inline]
    fn read(input: &mut Reader<'_>) -> Option<T> {
        if Self::VALUES != MANY {
            return Self::from_number(input.number_alone(Self::VALUES));
        }
        let before = input.remaining();
        let value = (input.number(2) != 0).then(|| input.part());
        input.skip_padding(before, Self::WIDTH);
        value
    }

    fn draw_objects(&self, place: Place, drawing: &mut Drawing) {
        match self {
            None => drawing.plain(place, 0),
            Some(value) => draw(value, place, drawing),
        }
    }

    fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(value) = self else { return write!(out, "none") };
        let shown = Shown(value).to_string();
        // What reads like an option would be taken for this one.
        match shown == "none" || shown.starts_with("some(") {
            true => write!(out, "some({shown})"),
            false => out.write_str(&shown),
        }
    }
}

impl<T: Data, const N: usize> Data for [T; N] {
    const WIDTH: Option<usize> =
        if Self::VALUES == MANY { Layout::EMPTY.with_row::<T>(N).width() } else { width_alone(Self::VALUES) };
    const HAS_OBJECTS: bool = T::HAS_OBJECTS;
    const VALUES: usize = rows(T::VALUES, N);

    #[inline]
    fn number(&self) -> usize {
        self.iter().fold(0, |number, value| number * T::VALUES + value.number())
    }

    #[inline]
    fn from_number(number: usize) -> [T; N] {
        let mut above = Self::VALUES;
        std::array::from_fn(|_| {
            above /= T::VALUES;
            T::from_number(number / above % T::VALUES)
        })
    }

    #[inline]
    fn write(&self, out: &mut Writer<'_>) {
        if Self::VALUES != MANY {
            return out.number_alone(self.number(), Self::VALUES);
        }
        self.iter().for_each(|value| out.part(value));
        out.align();
    }

    #[inline]
    fn read(input: &mut Reader<'_>) -> [T; N] {
        if Self::VALUES != MANY {
            return Self::from_number(input.number_alone(Self::VALUES));
        }
        let values = std::array::from_fn(|_| input.part());
        input.align();
        values
    }

    fn draw_objects(&self, place: Place, drawing: &mut Drawing) {
        draw_sequence(self, place, drawing);
    }

    fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        show_list("[", self.iter(), "]", out, Data::show)
    }
}

impl<T: Data> Data for Vec<T> {
    const WIDTH: Option<usize> = None;
    const HAS_OBJECTS: bool = T::HAS_OBJECTS;

    fn write(&self, out: &mut Writer<'_>) {
        write_sequence(self, out);
    }

    fn read(input: &mut Reader<'_>) -> Vec<T> {
        read_all(input)
    }

    fn draw_objects(&self, place: Place, drawing: &mut Drawing) {
        draw_sequence(self, place, drawing);
    }

    fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        show_list("[", self.iter(), "]", out, Data::show)
    }
}

impl<T: Data> Data for Box<T> {
    const WIDTH: Option<usize> = T::WIDTH;
    const HAS_OBJECTS: bool = T::HAS_OBJECTS;
    const VALUES: usize = T::VALUES;

    fn number(&self) -> usize {
        (**self).number()
    }

    fn from_number(number: usize) -> Box<T> {
        Box::new(T::from_number(number))
    }

    fn write(&self, out: &mut Writer<'_>) {
        (**self).write(out);
    }

    fn read(input: &mut Reader<'_>) -> Box<T> {
        Box::new(T::read(input))
    }

    fn draw_objects(&self, place: Place, drawing: &mut Drawing) {
        (**self).draw_objects(place, drawing);
    }

    fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).show(out)
    }
}

impl<T: Data> Data for BTreeSet<T> {
    const WIDTH: Option<usize> = None;
    const HAS_OBJECTS: bool = T::HAS_OBJECTS;

    fn write(&self, out: &mut Writer<'_>) {
        write_set(self.iter(), out);
    }

    fn read(input: &mut Reader<'_>) -> BTreeSet<T> {
        read_all(input)
    }

    fn draw_objects(&self, place: Place, drawing: &mut Drawing) {
        draw_set(self.len(), self.iter(), place, drawing);
    }

    fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        show_list("{", self.iter(), "}", out, Data::show)
    }
}

impl<K: Data, V: Data> Data for BTreeMap<K, V> {
    const WIDTH: Option<usize> = None;
    const HAS_OBJECTS: bool = K::HAS_OBJECTS || V::HAS_OBJECTS;

    fn write(&self, out: &mut Writer<'_>) {
        write_map(self.iter(), out);
    }

    fn read(input: &mut Reader<'_>) -> BTreeMap<K, V> {
        read_map(input)
    }

    fn draw_objects(&self, place: Place, drawing: &mut Drawing) {
        draw_map(self.len(), self.iter(), place, drawing);
    }

    fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        show_list("{", self.iter(), "}", out, show_maplet)
    }
}

/// What tells collections apart in drawings.
const LENGTH: u64 = 1;
const MEMBER: u64 = 2;
const KEY: u64 = 3;
const VALUE: u64 = 4;

pub(super) fn write_sequence<T: Data>(values: &[T], out: &mut Writer<'_>) {
    out.length(values.len() as u64);
    values.iter().for_each(|value| out.part(value));
    out.align();
}

pub(super) fn write_set<'a, T: Data>(members: impl ExactSizeIterator<Item = &'a T>, out: &mut Writer<'_>) {
    out.length(members.len() as u64);
    out.unordered(members.map(|member| (member, ())), |(member, ()), out| out.part(member));
    out.align();
}

pub(super) fn write_map<'a, K: Data, V: Data>(
    entries: impl ExactSizeIterator<Item = (&'a K, &'a V)>,
    out: &mut Writer<'_>,
) {
    out.length(entries.len() as u64);
    out.unordered(entries, |(key, value), out| {
        out.part(key);
        out.part(value);
    });
    out.align();
}

/// Reads what was written with its length before it.
pub(super) fn read_all<T: Data, C: FromIterator<T>>(input: &mut Reader<'_>) -> C {
    let length = input.length() as usize;
    let values = (0..length).map(|_| input.part()).collect();
    input.align();
    values
}

/// Reads entries that were written with their number before them.
pub(super) fn read_map<K: Data, V: Data, C: FromIterator<(K, V)>>(input: &mut Reader<'_>) -> C {
    let length = input.length() as usize;
    let entries = (0..length).map(|_| (input.part(), input.part())).collect();
    input.align();
    entries
}

pub(super) fn draw_sequence<T: Data>(values: &[T], place: Place, drawing: &mut Drawing) {
    let parts = drawing.open(place);
    drawing.plain(parts.part(LENGTH), values.len() as u64);
    for (index, value) in values.iter().enumerate() {
        draw(value, parts.part(mix(MEMBER, index as u64)), drawing);
    }
    drawing.close(place);
}

pub(super) fn draw_set<'a, T: Data>(
    length: usize,
    members: impl Iterator<Item = &'a T>,
    place: Place,
    drawing: &mut Drawing,
) {
    let parts = drawing.open(place);
    drawing.plain(parts.part(LENGTH), length as u64);
    for member in members {
        draw(member, parts.member(MEMBER), drawing);
    }
    drawing.close(place);
}

pub(super) fn draw_map<'a, K: Data, V: Data>(
    length: usize,
    entries: impl Iterator<Item = (&'a K, &'a V)>,
    place: Place,
    drawing: &mut Drawing,
) {
    let parts = drawing.open(place);
    drawing.plain(parts.part(LENGTH), length as u64);
    for (key, value) in entries {
        if !K::HAS_OBJECTS {
            draw(value, parts.part(mix(KEY, hash(key))), drawing);
        } else if let Some(held) = key.keyed(parts.part(VALUE), drawing) {
            draw(value, held, drawing);
        } else {
            let pair = parts.member(MEMBER);
            let both = drawing.open(pair);
            draw(key, both.part(KEY), drawing);
            draw(value, both.part(VALUE), drawing);
            drawing.close(pair);
        }
    }
    drawing.close(place);
}

/// Shows values with commas between them.
pub(super) fn show_list<T>(
    open: &str,
    values: impl Iterator<Item = T>,
    close: &str,
    out: &mut fmt::Formatter<'_>,
    show: impl Fn(T, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    out.write_str(open)?;
    for (place, value) in values.enumerate() {
        if place > 0 {
            out.write_str(", ")?;
        }
        show(value, out)?;
    }
    out.write_str(close)
}

pub(super) fn show_maplet<K: Data, V: Data>(
    (key, value): (&K, &V),
    out: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    key.show(out)?;
    out.write_str(" -> ")?;
    value.show(out)
}
