//! Numbers, texts, tuples and the like as data.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use fathom_symmetry::{Drawing, Place, mix};

use super::{Data, Reader, Writer, draw, hash, widths};

macro_rules! integers {
    ($($integer:ty),+) => {$(
        impl Data for $integer {
            const WIDTH: Option<usize> = Some(size_of::<$integer>());
            const HAS_OBJECTS: bool = false;

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

    #[inline]
    fn write(&self, out: &mut Writer<'_>) {
        out.bytes(&[u8::from(*self)]);
    }

    #[inline]
    fn read(input: &mut Reader<'_>) -> bool {
        input.bytes(1)[0] != 0
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
    ($(($($name:ident $place:tt),*)),+) => {$(
        impl<$($name: Data),*> Data for ($($name,)*) {
            #[allow(unused_mut)]
            const WIDTH: Option<usize> = {
                let mut width = Some(0);
                $(width = widths(width, $name::WIDTH);)*
                width
            };
            const HAS_OBJECTS: bool = false $(|| $name::HAS_OBJECTS)*;

            fn write(&self, _out: &mut Writer<'_>) {
                $(self.$place.write(_out);)*
            }

            fn read(_input: &mut Reader<'_>) -> Self {
                #[allow(clippy::unused_unit)]
                ($($name::read(_input),)*)
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

tuples!((), (A 0), (A 0, B 1), (A 0, B 1, C 2), (A 0, B 1, C 2, D 3), (A 0, B 1, C 2, D 3, E 4));

impl<T: Data> Data for Option<T> {
    const WIDTH: Option<usize> = widths(Some(1), T::WIDTH);
    const HAS_OBJECTS: bool = T::HAS_OBJECTS;

    fn write(&self, out: &mut Writer<'_>) {
        out.bytes(&[u8::from(self.is_some())]);
        match (self, T::WIDTH) {
            (Some(value), _) => value.write(out),
            (None, Some(width)) => out.pad(out.position() + width),
            (None, None) => (),
        }
    }

    fn read(input: &mut Reader<'_>) -> Option<T> {
        if input.bytes(1)[0] != 0 {
            return Some(T::read(input));
        }
        input.bytes(T::WIDTH.unwrap_or(0));
        None
    }

    fn draw_objects(&self, place: Place, drawing: &mut Drawing) {
        match self {
            None => drawing.plain(place, 0),
            Some(value) => draw(value, place, drawing),
        }
    }

    fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            None => write!(out, "none"),
            Some(value) => value.show(out),
        }
    }
}

impl<T: Data, const N: usize> Data for [T; N] {
    const WIDTH: Option<usize> = match T::WIDTH {
        Some(width) => Some(width * N),
        None => None,
    };
    const HAS_OBJECTS: bool = T::HAS_OBJECTS;

    fn write(&self, out: &mut Writer<'_>) {
        self.iter().for_each(|value| value.write(out));
    }

    fn read(input: &mut Reader<'_>) -> [T; N] {
        std::array::from_fn(|_| T::read(input))
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
        read_all::<(K, V), _>(input)
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
    values.iter().for_each(|value| value.write(out));
}

pub(super) fn write_set<'a, T: Data>(members: impl ExactSizeIterator<Item = &'a T>, out: &mut Writer<'_>) {
    out.length(members.len() as u64);
    out.unordered(members.map(|member| (member, ())), |(member, ()), out| member.write(out));
}

pub(super) fn write_map<'a, K: Data, V: Data>(
    entries: impl ExactSizeIterator<Item = (&'a K, &'a V)>,
    out: &mut Writer<'_>,
) {
    out.length(entries.len() as u64);
    out.unordered(entries, |(key, value), out| {
        key.write(out);
        value.write(out);
    });
}

/// Reads what was written with its length before it.
pub(super) fn read_all<T: Data, C: FromIterator<T>>(input: &mut Reader<'_>) -> C {
    let length = input.length();
    (0..length).map(|_| T::read(input)).collect()
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
