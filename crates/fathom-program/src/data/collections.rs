//! Immutable collections: sets, maps, bags and sequences.
//!
//! A collection is a slice in order, shared by everything that has the same. A copy costs nothing, and a change makes a new
//! slice: collections in states are small, and what is small is fastest in one piece.

use std::fmt;
use std::ops::Index;
use std::sync::Arc;

use fathom_symmetry::{Drawing, Place};

use super::primitive::{
    draw_map, draw_sequence, draw_set, read_all, show_list, show_maplet, write_map, write_sequence, write_set,
};
use super::{Data, Reader, Writer};

/// A slice with a value more, or with another one, at a place.
fn spliced<T: Clone>(values: &[T], place: usize, n_out: usize, value: Option<T>) -> Arc<[T]> {
    let behind = &values[place + n_out..];
    // Of a known length, so that memory is asked for once.
    match value {
        Some(value) if n_out == 0 => {
            let length = values.len() + 1;
            let pick = |at: usize| match at.cmp(&place) {
                std::cmp::Ordering::Less => values[at].clone(),
                std::cmp::Ordering::Equal => value.clone(),
                std::cmp::Ordering::Greater => values[at - 1].clone(),
            };
            (0..length).map(pick).collect()
        }
        Some(value) => {
            let mut copy: Arc<[T]> = Arc::from(values);
            Arc::get_mut(&mut copy).expect("a new slice is not shared")[place] = value;
            copy
        }
        None => values[..place].iter().chain(behind).cloned().collect(),
    }
}

/// A set.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Set<T>(Arc<[T]>);

impl<T: Ord + Clone> Set<T> {
    /// The empty set.
    pub fn new() -> Set<T> {
        Set(Arc::new([]))
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
        match self.0.binary_search(&value) {
            Ok(_) => self.clone(),
            Err(place) => Set(spliced(&self.0, place, 0, Some(value))),
        }
    }

    /// The set without a member.
    #[must_use]
    pub fn without(&self, value: &T) -> Set<T> {
        match self.0.binary_search(value) {
            Ok(place) => Set(spliced(&self.0, place, 1, None)),
            Err(_) => self.clone(),
        }
    }

    /// Adds a member; gives whether it is new.
    pub fn insert(&mut self, value: T) -> bool {
        let n_before = self.len();
        *self = self.with(value);
        self.len() > n_before
    }

    /// Takes a member out; gives whether it was there.
    pub fn remove(&mut self, value: &T) -> bool {
        let n_before = self.len();
        *self = self.without(value);
        self.len() < n_before
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
        let length = input.length() as usize;
        if T::HAS_OBJECTS {
            return (0..length).map(|_| T::read(input)).collect();
        }
        // What has no names is written in its order, so that it is read into place.
        Set((0..length).map(|_| T::read(input)).collect())
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
pub struct Map<K, V>(Arc<[(K, V)]>);

impl<K: Ord + Clone, V: Clone> Map<K, V> {
    /// The map without entries.
    pub fn new() -> Map<K, V> {
        Map(Arc::new([]))
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
        let (place, n_out) = match self.find(&key) {
            Ok(place) => (place, 1),
            Err(place) => (place, 0),
        };
        Map(spliced(&self.0, place, n_out, Some((key, value))))
    }

    /// The map without an entry for a key.
    #[must_use]
    pub fn without(&self, key: &K) -> Map<K, V> {
        match self.find(key) {
            Ok(place) => Map(spliced(&self.0, place, 1, None)),
            Err(_) => self.clone(),
        }
    }

    /// Gives a key a value.
    pub fn insert(&mut self, key: K, value: V) {
        if let (Ok(place), Some(entries)) = (self.find(&key), Arc::get_mut(&mut self.0)) {
            entries[place].1 = value;
        } else {
            *self = self.with(key, value);
        }
    }

    /// Takes the entry of a key out and gives its value.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let value = self.get(key).cloned()?;
        *self = self.without(key);
        Some(value)
    }

    /// The value of a key, to be changed in place.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let place = self.find(key).ok()?;
        Some(&mut Arc::make_mut(&mut self.0)[place].1)
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
        read_all::<(K, V), _>(input)
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
            1 => self.0 = self.0.without(value),
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
pub struct Seq<T>(Arc<[T]>);

impl<T: Clone> Seq<T> {
    /// The empty sequence.
    pub fn new() -> Seq<T> {
        Seq(Arc::new([]))
    }

    /// Adds a value at the end.
    pub fn push(&mut self, value: T) {
        self.0 = spliced(&self.0, self.0.len(), 0, Some(value));
    }

    /// Takes the first value out.
    pub fn pop_front(&mut self) -> Option<T> {
        let first = self.0.first().cloned()?;
        self.0 = spliced(&self.0, 0, 1, None);
        Some(first)
    }

    /// Takes the last value out.
    pub fn pop(&mut self) -> Option<T> {
        let last = self.0.last().cloned()?;
        self.0 = spliced(&self.0, self.0.len() - 1, 1, None);
        Some(last)
    }

    /// Puts another value at a place.
    ///
    /// # Panics
    ///
    /// When there is no such place.
    pub fn set(&mut self, place: usize, value: T) {
        Arc::make_mut(&mut self.0)[place] = value;
    }

    /// The values, to be changed in place.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        Arc::make_mut(&mut self.0)
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
        Seq(Arc::from(values))
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
