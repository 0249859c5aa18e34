//! Values as numbers and as bytes: all values of small types, some of large ones.

use std::collections::BTreeSet;
use std::fmt::Debug;

use proptest::prelude::*;

use crate::{Bag, Below, Bits, Data, Finite, MANY, Map, Object, Reader, Seq, Set, Writer, sorts};

sorts! { Ball }

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data, Finite)]
enum Mood {
    Calm,
    Excited(bool),
    Torn { between: bool, and: bool },
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
enum Only {
    This,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
struct Small {
    mood: Mood,
    only: Only,
    at: Below<5>,
}

/// Fields that share bytes, fields that do not, and one that has a length of its own.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
struct Large {
    is_open: bool,
    small: [Small; 3],
    number: u16,
    marks: Bits<Below<11>>,
    last: Option<Mood>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
enum Message {
    Nothing,
    Call { from: Below<7>, mood: Mood },
    Data(Below<9>, u32, bool),
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
struct Everything {
    flag: bool,
    large: Option<Large>,
    messages: Set<Message>,
    moods: Seq<Mood>,
    where_to: Map<Below<6>, Below<3>>,
    owners: Map<Object<Ball>, (bool, Mood)>,
    end: Below<2>,
}

fn bytes_of<D: Data>(value: &D) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.write(&mut Writer::new(&mut bytes));
    bytes
}

/// The bytes of a value, which have the width of its type and are those of no other value.
fn check<D: Data>(value: &D) -> Vec<u8> {
    let bytes = bytes_of(value);
    assert!(D::WIDTH.is_none_or(|width| width == bytes.len()), "{value:?}: {bytes:?}");
    let mut reader = Reader::new(&bytes);
    assert_eq!(D::read(&mut reader), *value, "{bytes:?}");
    assert!(reader.is_at_end());
    bytes
}

/// Goes through all values of a type with few.
fn check_all<D: Data>(n_values: usize) {
    assert_eq!(D::VALUES, n_values);
    let mut seen = BTreeSet::new();
    for number in 0..n_values {
        let value = D::from_number(number);
        assert_eq!(value.number(), number, "{value:?}");
        seen.insert(check(&value));
    }
    assert_eq!(seen.len(), n_values);
}

#[test]
fn types_with_few_values_number_them() {
    check_all::<bool>(2);
    check_all::<i8>(256);
    check_all::<Below<5>>(5);
    check_all::<Only>(1);
    check_all::<()>(1);
    check_all::<Mood>(1 + 2 + 4);
    check_all::<Small>(7 * 5);
    check_all::<Option<Small>>(36);
    check_all::<[Below<3>; 5]>(243);
    check_all::<(bool, Mood, Only, Option<Below<4>>)>(2 * 7 * 5);
    check_all::<Bits<Mood>>(128);
    check_all::<Box<Mood>>(7);
}

#[test]
fn types_with_many_values_have_the_bytes_that_their_parts_need() {
    let many = [Large::VALUES, Message::VALUES, <[Below<3>; 6]>::VALUES, u16::VALUES, <Set<bool>>::VALUES];
    assert_eq!(many, [MANY; 5]);
    // Four to a byte, the last two in a second one.
    assert_eq!(<[Below<3>; 6]>::WIDTH, Some(2));
    // A flag; a row of many values, which begins with a byte: three numbers below 35; two bytes and two more; three bits.
    assert_eq!(Large::WIDTH, Some(1 + 3 + 2 + 2 + 1));
    // Two bits, then a number below 9, a word, and a flag.
    assert_eq!(Message::WIDTH, Some(1 + 4 + 1));
    assert_eq!(Everything::WIDTH, None);
}

fn mood() -> impl Strategy<Value = Mood> {
    (0..Mood::COUNT).prop_map(Finite::value)
}

fn below<const N: usize>() -> impl Strategy<Value = Below<N>> {
    (0..N).prop_map(Below::new)
}

fn large() -> impl Strategy<Value = Large> {
    let small = || (mood(), below()).prop_map(|(mood, at)| Small { mood, only: Only::This, at });
    let marks = prop::collection::vec(below::<11>(), 0..6).prop_map(|marks| marks.into_iter().collect());
    (any::<bool>(), [small(), small(), small()], any::<u16>(), marks, prop::option::of(mood()))
        .prop_map(|(is_open, small, number, marks, last)| Large { is_open, small, number, marks, last })
}

fn message() -> impl Strategy<Value = Message> {
    prop_oneof![
        Just(Message::Nothing),
        (below(), mood()).prop_map(|(from, mood)| Message::Call { from, mood }),
        (below(), any::<u32>(), any::<bool>()).prop_map(|(a, b, c)| Message::Data(a, b, c)),
    ]
}

fn many<T: Debug>(value: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<T>> {
    prop::collection::vec(value, 0..9)
}

fn everything() -> impl Strategy<Value = Everything> {
    let owners = many((0..4_u32, any::<bool>(), mood())).prop_map(|owners| {
        owners.into_iter().map(|(ball, flag, mood)| (Object::number(ball), (flag, mood))).collect()
    });
    let where_to = many((below(), below())).prop_map(|entries| entries.into_iter().collect());
    let messages = many(message()).prop_map(|messages| messages.into_iter().collect());
    let moods = many(mood()).prop_map(|moods| moods.into_iter().collect());
    (any::<bool>(), prop::option::of(large()), messages, moods, where_to, owners, below()).prop_map(
        |(flag, large, messages, moods, where_to, owners, end)| Everything {
            flag,
            large,
            messages,
            moods,
            where_to,
            owners,
            end,
        },
    )
}

proptest! {
    #[test]
    fn no_bytes_are_the_beginning_of_others(one in everything(), other in everything()) {
        let (bytes, other_bytes) = (check(&one), check(&other));
        prop_assert_eq!(one == other, bytes == other_bytes);
        prop_assert!(one == other || !bytes.starts_with(&other_bytes));
        let pair = (one.messages, other.moods);
        check(&pair);
        check(&pair.0.iter().cloned().collect::<Vec<_>>());
    }

    #[test]
    fn collections_are_those_of_the_library(
        changes in prop::collection::vec((any::<bool>(), 0..12_u32, any::<bool>()), 0..40),
    ) {
        let (mut set, mut map) = (Set::new(), Map::new());
        let (mut known_set, mut known_map) = (BTreeSet::new(), std::collections::BTreeMap::new());
        let mut copies = Vec::new();
        for (inserts, value, copies_before) in changes {
            if copies_before {
                copies.push((set.clone(), known_set.clone(), map.clone(), known_map.clone()));
            }
            if inserts {
                prop_assert_eq!(set.insert(value), known_set.insert(value));
                map.insert(value, known_set.len());
                known_map.insert(value, known_set.len());
            } else {
                prop_assert_eq!(set.remove(&value), known_set.remove(&value));
                prop_assert_eq!(map.remove(&value), known_map.remove(&value));
            }
        }
        copies.push((set, known_set, map, known_map));
        // What was copied did not change with what it was copied from.
        for (set, known_set, map, known_map) in copies {
            prop_assert!(set.iter().eq(known_set.iter()));
            prop_assert!(map.iter().eq(known_map.iter()));
        }
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
struct Odd {
    r#type: Option<Option<u8>>,
    deep: Option<Option<Option<bool>>>,
}

#[test]
fn options_in_options_are_shown_apart() {
    let shown = |r#type, deep| {
        let variables = Odd { r#type, deep }.variables();
        assert_eq!((&*variables[0].0, &*variables[1].0), ("type", "deep"));
        (variables[0].1.clone(), variables[1].1.clone())
    };
    assert_eq!(shown(None, None), ("none".into(), "none".into()));
    assert_eq!(shown(Some(None), Some(None)), ("some(none)".into(), "some(none)".into()));
    assert_eq!(shown(Some(Some(3)), Some(Some(None))), ("3".into(), "some(some(none))".into()));
    let odd = Odd { r#type: None, deep: Some(Some(Some(true))) };
    assert_eq!(crate::Shown(&odd).to_string(), "Odd { type: none, deep: true }");
}

#[test]
fn collections_are_extended_and_gone_through() {
    let mut set = Set::from([3, 1]);
    set.extend([2, 3]);
    assert_eq!(set.clone().into_iter().collect::<Vec<_>>(), [1, 2, 3]);
    let mut map = Map::from([(1, 'a'), (2, 'b')]);
    map.extend([(2, 'c')]);
    let mut pairs = Vec::new();
    for (&key, &value) in &map {
        pairs.push((key, value));
    }
    assert_eq!(pairs, [(1, 'a'), (2, 'c')]);
    assert_eq!(Bag::from([5, 4, 5]).count(&5), 2);
}

#[test]
fn tuples_of_eight_are_read_as_they_were_written() {
    let value = (1_u8, true, 70_000_u32, 'x', Some(2_u16), Mood::Calm, false, String::from("end"));
    let bytes = bytes_of(&value);
    let read: (u8, bool, u32, char, Option<u16>, Mood, bool, String) = Data::read(&mut Reader::new(&bytes));
    assert_eq!(read, value);
}
