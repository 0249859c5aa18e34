//! Immutable collections: sets, maps, bags and sequences.
//!
//! A collection is a slice in order. A copy costs nothing, as long as it is not changed: collections in states are small, and what is small is
//! fastest in one piece.

use std::fmt;
use std::ops::Index;

use fathom_symmetry::{Drawing, Place};

use super::primitive::{
    draw_map, draw_sequence, draw_set, read_all, read_map, show_list, show_maplet, write_map, write_sequence,
    write_set,
};
use super::slice::Slice;
use super::{Data, Reader, Writer};

/// A set.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Set<T>(Slice<T>);

impl<T: Ord + Clone> Set<T> {
    /// The empty set.
    pub fn new() -> Set<T> {
        Set(Slice::new())
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether something is a member.
    pub fn contains(&self, value: &T) -> bool {
        self.0.binary_search(value).is_ok()
    }

    /// The set with one more member.
    #[must_use]
    pub fn with(&self, value: T) -> Set<T> {
        let mut set = self.clone();
        set.insert(value);
        set
    }

    /// The set without a member.
    #[must_use]
    pub fn without(&self, value: &T) -> Set<T> {
        let mut set = self.clone();
        set.remove(value);
        set
    }

    /// Adds a member; gives whether it is new.
    pub fn insert(&mut self, value: T) -> bool {
        let place = self.0.binary_search(&value);
        if let Err(place) = place {
            self.0.edit().insert(place, value);
        }
        place.is_err()
    }

    /// Takes a member out; gives whether it was there.
    pub fn remove(&mut self, value: &T) -> bool {
        let place = self.0.binary_search(value);
        if let Ok(place) = place {
            self.0.edit().remove(place);
        }
        place.is_ok()
    }

    /// What is in one of two sets.
    #[must_use]
    pub fn union(&self, other: &Set<T>) -> Set<T> {
        self.iter().chain(other.iter()).cloned().collect()
    }

    /// What is in both of two sets.
    #[must_use]
    pub fn intersection(&self, other: &Set<T>) -> Set<T> {
        self.iter().filter(|value| other.contains(value)).cloned().collect()
    }

    /// What is in this set and not in another.
    #[must_use]
    pub fn difference(&self, other: &Set<T>) -> Set<T> {
        self.iter().filter(|value| !other.contains(value)).cloned().collect()
    }

    /// Whether all members are in another set.
    pub fn is_subset(&self, other: &Set<T>) -> bool {
        self.iter().all(|value| other.contains(value))
    }

    /// The members, in their order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }
}

impl<T: Ord + Clone> Default for Set<T> {
    fn default() -> Set<T> {
        Set::new()
    }
}

impl<T: Ord> FromIterator<T> for Set<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Set<T> {
        let mut values: Vec<T> = values.into_iter().collect();
        if !values.is_sorted_by(|left, right| left < right) {
            values.sort();
            values.dedup();
        }
        Set(values.into())
    }
}

impl<T: Ord + Clone> Extend<T> for Set<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        let more: Set<T> = values.into_iter().collect();
        if !more.is_empty() {
            *self = self.union(&more);
        }
    }
}

impl<T: Ord + Clone> IntoIterator for Set<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(mut self) -> std::vec::IntoIter<T> {
        std::mem::take(self.0.edit()).into_iter()
    }
}

impl<T: Ord, const N: usize> From<[T; N]> for Set<T> {
    fn from(values: [T; N]) -> Set<T> {
        values.into_iter().collect()
    }
}

impl<'a, T> IntoIterator for &'a Set<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> std::slice::Iter<'a, T> {
        self.0.iter()
    }
}

impl<T: fmt::Debug> fmt::Debug for Set<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.0.iter()).finish()
    }
}

impl<T: Data> Data for Set<T> {
    const WIDTH: Option<usize> = None;
    const HAS_OBJECTS: bool = T::HAS_OBJECTS;

    fn write(&self, out: &mut Writer<'_>) {
        write_set(self.0.iter(), out);
    }

    fn read(input: &mut Reader<'_>) -> Set<T> {
        if T::HAS_OBJECTS {
            return read_all(input);
        }
        // What has no names is written in its order, so that it is read into place.
        Set(read_all(input))
    }

    fn draw_objects(&self, place: Place, drawing: &mut Drawing) {
        draw_set(self.len(), self.iter(), place, drawing);
    }

    fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        show_list("{", self.iter(), "}", out, Data::show)
    }
}

/// A map.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Map<K, V>(Slice<(K, V)>);

impl<K: Ord + Clone, V: Clone> Map<K, V> {
    /// The map without entries.
    pub fn new() -> Map<K, V> {
        Map(Slice::new())
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn find(&self, key: &K) -> Result<usize, usize> {
        self.0.binary_search_by(|entry| entry.0.cmp(key))
    }

    /// Whether there is an entry for a key.
    pub fn contains_key(&self, key: &K) -> bool {
        self.find(key).is_ok()
    }

    /// The value of a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.find(key).ok().map(|place| &self.0[place].1)
    }

    /// The map in which a key has this value.
    #[must_use]
    pub fn with(&self, key: K, value: V) -> Map<K, V> {
        let mut map = self.clone();
        map.insert(key, value);
        map
    }

    /// The map without an entry for a key.
    #[must_use]
    pub fn without(&self, key: &K) -> Map<K, V> {
        let mut map = self.clone();
        map.remove(key);
        map
    }

    /// Gives a key a value.
    pub fn insert(&mut self, key: K, value: V) {
        match self.find(&key) {
            Ok(place) => self.0.edit_each()[place].1 = value,
            Err(place) => self.0.edit().insert(place, (key, value)),
        }
    }

    /// Takes the entry of a key out and gives its value.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let place = self.find(key).ok()?;
        Some(self.0.edit().remove(place).1)
    }

    /// The value of a key, to be changed in place.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let place = self.find(key).ok()?;
        Some(&mut self.0.edit_each()[place].1)
    }

    /// The entries, in the order of the keys.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> + ExactSizeIterator {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// The keys, in their order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator {
        self.0.iter().map(|(key, _)| key)
    }

    /// The values, in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator {
        self.0.iter().map(|(_, value)| value)
    }
}

impl<K: Ord + Clone, V: Clone> Default for Map<K, V> {
    fn default() -> Map<K, V> {
        Map::new()
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Map<K, V> {
    /// Of two entries for a key the later one counts.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Map<K, V> {
        let mut entries: Vec<(K, V)> = entries.into_iter().collect();
        if !entries.is_sorted_by(|left, right| left.0 < right.0) {
            entries.sort_by(|left, right| left.0.cmp(&right.0));
            entries.reverse();
            entries.dedup_by(|left, right| left.0 == right.0);
            entries.reverse();
        }
        Map(entries.into())
    }
}

impl<K: Ord + Clone, V: Clone> Extend<(K, V)> for Map<K, V> {
    /// Of two entries for a key the later one counts.
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<'a, K, V> IntoIterator for &'a Map<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = std::iter::Map<std::slice::Iter<'a, (K, V)>, fn(&'a (K, V)) -> (&'a K, &'a V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map(|(key, value)| (key, value))
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for Map<K, V> {
    fn from(entries: [(K, V); N]) -> Map<K, V> {
        entries.into_iter().collect()
    }
}

impl<K: Ord + Clone, V: Clone> Index<&K> for Map<K, V> {
    type Output = V;

    /// # Panics
    ///
    /// When there is no entry for the key.
    #[track_caller]
    fn index(&self, key: &K) -> &V {
        self.get(key).expect("the map has an entry for the key")
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Map<K, V> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_map().entries(self.0.iter().map(|(key, value)| (key, value))).finish()
    }
}

impl<K: Data, V: Data> Data for Map<K, V> {
    const WIDTH: Option<usize> = None;
    const HAS_OBJECTS: bool = K::HAS_OBJECTS || V::HAS_OBJECTS;

    fn write(&self, out: &mut Writer<'_>) {
        write_map(self.iter(), out);
    }

    fn read(input: &mut Reader<'_>) -> Map<K, V> {
        read_map(input)
    }

    fn draw_objects(&self, place: Place, drawing: &mut Drawing) {
        draw_map(self.len(), self.iter(), place, drawing);
    }

    fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        show_list("{", self.iter(), "}", out, show_maplet)
    }
}

/// A bag: a set whose members are there any number of times.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bag<T>(Map<T, u32>);

impl<T: Ord + Clone> Bag<T> {
    /// The empty bag.
    pub fn new() -> Bag<T> {
        Bag(Map::new())
    }

    /// Number of members, each as often as it is there.
    pub fn len(&self) -> usize {
        self.0.values().map(|&count| count as usize).sum()
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How often something is there.
    pub fn count(&self, value: &T) -> u32 {
        self.0.get(value).copied().unwrap_or(0)
    }

    /// Adds a member.
    pub fn insert(&mut self, value: T) {
        let count = self.count(&value) + 1;
        self.0.insert(value, count);
    }

    /// Takes a member out once; gives whether it was there.
    pub fn remove(&mut self, value: &T) -> bool {
        match self.count(value) {
            0 => return false,
            1 => _ = self.0.remove(value),
            count => self.0.insert(value.clone(), count - 1),
        }
        true
    }

    /// The members with how often they are there.
    pub fn iter(&self) -> impl Iterator<Item = (&T, u32)> {
        self.0.iter().map(|(value, &count)| (value, count))
    }
}

impl<T: Ord + Clone> Default for Bag<T> {
    fn default() -> Bag<T> {
        Bag::new()
    }
}

impl<T: Ord + Clone> FromIterator<T> for Bag<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Bag<T> {
        let mut bag = Bag::new();
        values.into_iter().for_each(|value| bag.insert(value));
        bag
    }
}

impl<T: Ord + Clone, const N: usize> From<[T; N]> for Bag<T> {
    fn from(values: [T; N]) -> Bag<T> {
        values.into_iter().collect()
    }
}

impl<T: fmt::Debug> fmt::Debug for Bag<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, out)
    }
}

impl<T: Data> Data for Bag<T> {
    const WIDTH: Option<usize> = None;
    const HAS_OBJECTS: bool = T::HAS_OBJECTS;

    fn write(&self, out: &mut Writer<'_>) {
        self.0.write(out);
    }

    fn read(input: &mut Reader<'_>) -> Bag<T> {
        Bag(Map::read(input))
    }

    fn draw_objects(&self, place: Place, drawing: &mut Drawing) {
        self.0.draw_objects(place, drawing);
    }

    fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        show_list("{", self.iter(), "}", out, |(value, count), out| {
            value.show(out)?;
            if count > 1 { write!(out, " x {count}") } else { Ok(()) }
        })
    }
}

/// A sequence.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seq<T>(Slice<T>);

impl<T: Clone> Seq<T> {
    /// The empty sequence.
    pub fn new() -> Seq<T> {
        Seq(Slice::new())
    }

    /// Adds a value at the end.
    pub fn push(&mut self, value: T) {
        self.0.edit().push(value);
    }

    /// Takes the first value out.
    pub fn pop_front(&mut self) -> Option<T> {
        (!self.0.is_empty()).then(|| self.0.edit().remove(0))
    }

    /// Takes the last value out.
    pub fn pop(&mut self) -> Option<T> {
        if self.0.is_empty() { None } else { self.0.edit().pop() }
    }

    /// Puts another value at a place.
    ///
    /// # Panics
    ///
    /// When there is no such place.
    pub fn set(&mut self, place: usize, value: T) {
        self.0.edit_each()[place] = value;
    }

    /// The values, to be changed in place.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self.0.edit_each()
    }
}

impl<T> std::ops::Deref for Seq<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Clone> Default for Seq<T> {
    fn default() -> Seq<T> {
        Seq::new()
    }
}

impl<T> FromIterator<T> for Seq<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Seq<T> {
        Seq(values.into_iter().collect())
    }
}

impl<T, const N: usize> From<[T; N]> for Seq<T> {
    fn from(values: [T; N]) -> Seq<T> {
        values.into_iter().collect()
    }
}

impl<'a, T> IntoIterator for &'a Seq<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> std::slice::Iter<'a, T> {
        self.0.iter()
    }
}

impl<T: fmt::Debug> fmt::Debug for Seq<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.0.iter()).finish()
    }
}

impl<T: Data> Data for Seq<T> {
    const WIDTH: Option<usize> = None;
    const HAS_OBJECTS: bool = T::HAS_OBJECTS;

    fn write(&self, out: &mut Writer<'_>) {
        write_sequence(&self.0, out);
    }

    fn read(input: &mut Reader<'_>) -> Seq<T> {
        read_all(input)
    }

    fn draw_objects(&self, place: Place, drawing: &mut Drawing) {
        draw_sequence(&self.0, place, drawing);
    }

    fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        show_list("[", self.iter(), "]", out, Data::show)
    }
}
