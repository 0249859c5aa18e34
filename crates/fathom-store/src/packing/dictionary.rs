//! How states of one length become 59 bits, and back.
//!
//! Most bytes of a state never change, and those that do take few values: a counter that stays small, a location,
//! a variable that is 255 until it is set. So every byte has a *dictionary*: the values seen there, numbered in the
//! order in which they came, and each number is a pattern of bits that belong to this byte alone. If the bits of all
//! bytes fit, together they *are* the root: the state in 59 bits, with nothing to look up. If not, the bits of some
//! bytes make up the word of a *group*. Those words are numbered, too, and the number of such a word has its bits in
//! the root, or in another group. Bytes that vary together are in one group, so that its number needs far fewer bits.
//!
//! Each place (group or root) is the exclusive-or of patterns. So a place of a successor is the place of the state it
//! comes from with the old patterns of what has changed taken out and the new ones put in: a step that changes three
//! bytes costs six loads from tables that are in the nearest cache, whatever the length of the state.
//!
//! A value that was not seen before gets the next number. When that does not fit into the bits of its byte, the byte
//! gets a bit more, above all that are in use: roots made before mean the same as before, so that nothing has to be
//! found out in advance. Only when a place has no bit left, a state cannot be packed: it *escapes*, and so will it
//! for ever. It is stored by other means until there is a packing with more room.
//!
//! Threads share dictionaries. What is in them never changes; a value is entered under a lock, and its pattern is
//! stored last and read first, so that whoever has the pattern finds everything else.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fathom_model::{ByteSet, Steps};

use super::bits::{Bits, Portable};
use super::changes::Changes;
use super::fit::Plan;
use super::{InternInGroup, ROOT_BITS};
use crate::word_set::WordSet;

/// Values of a byte.
const VALUES: usize = 256;
/// In the pattern of every value that was seen.
const KNOWN: u64 = 1 << 63;
/// Bits of a group: all below the one that says that a pattern is known.
pub(super) const GROUP_BITS: u32 = 63;
/// Most places of a packing.
pub(super) const MOST_PLACES: usize = 16;

/// How states of one length are packed.
#[derive(Debug)]
pub(super) struct Packing {
    /// Bytes of a state.
    pub(super) length: usize,
    /// In the upper bits of every root.
    pub(super) tag: u64,
    /// Whether there are no groups.
    pub(super) is_simple: bool,
    /// Whether a state has escaped.
    pub(super) has_escaped: AtomicBool,
    /// How often something has got bits.
    n_changes: AtomicU32,
    /// A state whose patterns are all 0.
    first: Packed,
    /// By byte and value: its pattern and `KNOWN`, or 0.
    patterns: Box<[[AtomicU64; VALUES]]>,
    /// By byte: its place.
    place_of: Box<[AtomicU32]>,
    /// A place comes after the groups that go into it.
    pub(super) groups: Vec<Group>,
    /// The groups, then the root.
    places: Vec<Place>,
    entry: Mutex<Entry>,
}

/// Some bytes, and other groups, that are numbered together.
#[derive(Debug)]
pub(super) struct Group {
    /// Where its number goes.
    place: u32,
    /// The bits of the number in that place.
    mask: AtomicU64,
    /// The words by number; the number 0 is that of the word 0, which is not in the set.
    pub(super) words: WordSet,
}

/// What is in a place besides numbers of groups.
#[derive(Debug)]
struct Place {
    n_coded: AtomicU32,
    /// The bytes that have bits here, in the order in which they got them.
    coded: Box<[Coded]>,
}

/// A byte that has bits.
#[derive(Debug)]
struct Coded {
    byte: AtomicU32,
    /// Its bits.
    mask: AtomicU64,
    /// By number.
    values: [AtomicU8; VALUES],
}

/// What is needed to enter a value.
#[derive(Debug)]
struct Entry {
    /// By place: the bits that are free are those from here on.
    first_free: Vec<u32>,
    /// By byte: the place that is meant for it, if any.
    planned: Vec<Option<u32>>,
    /// By byte: number of values.
    n_values: Vec<u32>,
    /// By byte: where it is among those that have bits in its place.
    coded: Vec<Option<u32>>,
}

/// A state as a packing sees it.
#[derive(Clone, Default, Debug)]
pub(super) struct Packed {
    pub(super) bytes: Vec<u8>,
    /// By place; 0 where there is none.
    places: [u64; MOST_PLACES],
    /// By group.
    numbers: [u32; MOST_PLACES],
}

/// A state cannot be packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unpackable {
    /// It has a value that is not in the dictionary, but may be entered.
    Unknown,
    /// There is no bit left for the number of a group.
    Escapes,
    /// There is no room for the word of a group.
    Crowded,
}

impl Group {
    fn new(place: u32) -> Group {
        Group { place, mask: AtomicU64::new(0), words: WordSet::new() }
    }
}

impl Place {
    /// An empty place of so many bits.
    fn new(n_bits: u32) -> Place {
        let coded = |_| Coded {
            byte: AtomicU32::new(0),
            mask: AtomicU64::new(0),
            values: [const { AtomicU8::new(0) }; VALUES],
        };
        // A byte that has no bit is not here.
        Place { n_coded: AtomicU32::new(0), coded: (0..n_bits).map(coded).collect() }
    }

    fn n_bits(&self) -> u32 {
        self.coded.len() as u32
    }

    #[inline(always)]
    fn coded(&self) -> &[Coded] {
        &self.coded[..self.n_coded.load(Ordering::Acquire) as usize]
    }
}

impl Packing {
    /// Bytes of memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        let groups: usize = self.groups.iter().map(|group| group.words.bytes()).sum();
        Packing::bytes_for(self.length)
            + (self.places.len() - 1) * GROUP_BITS as usize * size_of::<Coded>()
            + groups
    }

    /// Bytes of memory that a packing for states of this length takes, without groups.
    pub(super) fn bytes_for(length: usize) -> usize {
        length * (VALUES * size_of::<u64>() + size_of::<u32>()) + ROOT_BITS as usize * size_of::<Coded>()
    }

    /// A packing with the places of a plan, for states of which this is one.
    pub(super) fn new(first: &[u8], tag: u64, plan: &Plan) -> Packing {
        let (length, n_groups) = (first.len(), plan.groups.len());
        let mut packed = Packed { bytes: first.to_vec(), ..Packed::default() };
        packed.places[n_groups] = tag;
        let widths = std::iter::repeat_n(GROUP_BITS, n_groups).chain([ROOT_BITS]);
        let packing = Packing {
            length,
            tag,
            is_simple: n_groups == 0,
            has_escaped: AtomicBool::new(false),
            n_changes: AtomicU32::new(0),
            first: packed,
            patterns: (0..length).map(|_| [const { AtomicU64::new(0) }; VALUES]).collect(),
            place_of: (0..length).map(|_| AtomicU32::new(n_groups as u32)).collect(),
            groups: plan.groups.iter().map(|&place| Group::new(place)).collect(),
            places: widths.map(Place::new).collect(),
            entry: Mutex::new(Entry {
                first_free: vec![0; n_groups + 1],
                planned: plan.places.clone(),
                n_values: vec![1; length],
                coded: vec![None; length],
            }),
        };
        for (patterns, &value) in packing.patterns.iter().zip(first) {
            patterns[usize::from(value)].store(KNOWN, Ordering::Relaxed);
        }
        packing
    }

    /// The state that all others are compared with when no other is near.
    #[inline(always)]
    pub(super) fn first(&self) -> &Packed {
        &self.first
    }

    /// The root of a state of the same length as one that is near.
    #[inline(always)]
    pub(super) fn fold_from<B: Bits>(
        &self,
        state: &[u8],
        near: &Packed,
        tables: &mut impl InternInGroup,
    ) -> Result<u64, Unpackable> {
        debug_assert_eq!(state.len(), self.length);
        let mut places = near.places;
        let mut known = KNOWN;
        for byte in Changes::new(state, &near.bytes) {
            let (pattern, flip) = self.flip(byte, state[byte], near.bytes[byte]);
            places[self.place_of[byte].load(Ordering::Relaxed) as usize % MOST_PLACES] ^= flip;
            known &= pattern;
        }
        if known & KNOWN == 0 {
            return Err(Unpackable::Unknown);
        }
        for (index, group) in self.groups.iter().enumerate() {
            if places[index] != near.places[index] {
                let number = tables.number(self.tag | index as u64, &group.words, places[index]);
                let number = number.ok_or(Unpackable::Crowded)?;
                let mut mask = group.mask.load(Ordering::Relaxed);
                if number >> mask.count_ones() != 0 {
                    mask = self.widen_group(group, number).ok_or(Unpackable::Escapes)?;
                }
                places[group.place as usize % MOST_PLACES] ^=
                    B::scatter(u64::from(number ^ near.numbers[index]), mask);
            }
        }
        Ok(places[self.groups.len()])
    }

    /// The pattern of a value of a byte, and what it flips when it replaces another one.
    #[inline(always)]
    fn flip(&self, byte: usize, value: u8, before: u8) -> (u64, u64) {
        let patterns = &self.patterns[byte];
        let pattern = patterns[usize::from(value)].load(Ordering::Acquire);
        (pattern, pattern ^ patterns[usize::from(before)].load(Ordering::Relaxed))
    }

    /// Like [`Packing::fold_from`] for a simple packing; none when a value is not in the dictionary.
    #[inline(always)]
    pub(super) fn fold_simply(&self, state: &[u8], near: &Packed) -> Option<u64> {
        let (mut root, mut known) = (near.places[0], KNOWN);
        for byte in Changes::new(state, &near.bytes) {
            let (pattern, flip) = self.flip(byte, state[byte], near.bytes[byte]);
            root ^= flip;
            known &= pattern;
        }
        (known & KNOWN != 0).then_some(root)
    }

    /// Adds the roots of steps that leave the open state, which has this simple packing, from the first one on, as
    /// long as they have it, too, and all of their values are in the dictionary.
    #[inline(always)]
    pub(super) fn fold_all_simply<R, L>(&self, steps: &Steps<R, L>, near: &Packed, roots: &mut Vec<u64>) {
        for index in 0..steps.len() {
            let state = steps.state(index);
            if state.len() != self.length {
                return;
            }
            match self.fold_simply(state, near) {
                Some(root) => roots.push(root),
                None => return,
            }
        }
    }

    /// Opens the state with a root of this packing. If the open state has this packing too, what they share is
    /// not looked up again.
    #[inline(always)]
    pub(super) fn unfold<B: Bits>(&self, root: u64, open: &mut Packed, is_same: bool) {
        if !is_same {
            open.bytes.clear();
            open.bytes.extend_from_slice(&self.first.bytes);
            (open.places, open.numbers) = (self.first.places, self.first.numbers);
        }
        let n_groups = self.groups.len();
        open.places[n_groups] = root;
        self.places[n_groups].unfold::<B>(root, &mut open.bytes);
        for (index, group) in self.groups.iter().enumerate().rev() {
            let place = open.places[group.place as usize % MOST_PLACES];
            let number = B::gather(place, group.mask.load(Ordering::Relaxed)) as u32;
            if open.numbers[index] != number {
                open.numbers[index] = number;
                open.places[index] = if number == 0 { 0 } else { group.words.word(number - 1) };
                self.places[index].unfold::<B>(open.places[index], &mut open.bytes);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Entry> {
        self.entry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a group the bits that a number needs; none when there are too few.
    #[cold]
    fn widen_group(&self, group: &Group, number: u32) -> Option<u64> {
        let mut entry = self.lock();
        let mut mask = group.mask.load(Ordering::Relaxed);
        while number >> mask.count_ones() != 0 {
            let Some(bit) = self.take_bit(&mut entry, group.place) else {
                self.has_escaped.store(true, Ordering::Relaxed);
                return None;
            };
            mask |= 1 << bit;
            group.mask.store(mask, Ordering::Relaxed);
        }
        Some(mask)
    }

    /// Enters what a state has that is not in the dictionary; false when there is no room for it.
    #[cold]
    pub(super) fn enter(&self, state: &[u8]) -> bool {
        let mut entry = self.lock();
        let is_entered = state.iter().enumerate().all(|(byte, &value)| {
            let is_known = self.patterns[byte][usize::from(value)].load(Ordering::Relaxed) != 0;
            is_known || self.enter_value(&mut entry, byte, value).is_some()
        });
        if !is_entered {
            self.has_escaped.store(true, Ordering::Relaxed);
        }
        is_entered
    }

    fn enter_value(&self, entry: &mut Entry, byte: usize, value: u8) -> Option<()> {
        let number = entry.n_values[byte];
        let index = match entry.coded[byte] {
            Some(index) => index,
            None => self.begin_to_code(entry, byte)?,
        };
        let place = self.place_of[byte].load(Ordering::Relaxed);
        let coded = &self.places[place as usize].coded[index as usize];
        let mut mask = coded.mask.load(Ordering::Relaxed);
        if number >> mask.count_ones() != 0 {
            mask |= 1 << self.take_bit(entry, place)?;
        }
        coded.mask.store(mask, Ordering::Relaxed);
        coded.values[number as usize].store(value, Ordering::Relaxed);
        entry.n_values[byte] += 1;
        let pattern = KNOWN | Portable::scatter(u64::from(number), mask);
        self.patterns[byte][usize::from(value)].store(pattern, Ordering::Release);
        Some(())
    }

    /// A byte that had one value so far is about to get bits: in the place that is meant for it, or where there is
    /// most room.
    fn begin_to_code(&self, entry: &mut Entry, byte: usize) -> Option<u32> {
        let room = |place: u32| self.places[place as usize].n_bits() - entry.first_free[place as usize];
        let planned = entry.planned[byte].filter(|&place| room(place) > 0);
        let roomiest = || (0..self.places.len() as u32).max_by_key(|&place| room(place));
        let place = planned.or_else(roomiest).filter(|&place| room(place) > 0)?;
        self.place_of[byte].store(place, Ordering::Relaxed);
        let place = &self.places[place as usize];
        let index = place.n_coded.load(Ordering::Relaxed);
        let coded = &place.coded[index as usize];
        coded.byte.store(byte as u32, Ordering::Relaxed);
        coded.values[0].store(self.first.bytes[byte], Ordering::Relaxed);
        place.n_coded.store(index + 1, Ordering::Release);
        entry.coded[byte] = Some(index);
        Some(index)
    }

    fn take_bit(&self, entry: &mut Entry, place: u32) -> Option<u32> {
        let bit = entry.first_free[place as usize];
        if bit == self.places[place as usize].n_bits() {
            return None;
        }
        entry.first_free[place as usize] += 1;
        self.n_changes.fetch_add(1, Ordering::Release);
        Some(bit)
    }

    /// How often something has got bits. Whoever has a root sees all changes that were made for it.
    #[inline(always)]
    pub(super) fn n_changes(&self) -> u32 {
        self.n_changes.load(Ordering::Acquire)
    }

    /// The bits of a root that say what these bytes are, and perhaps something about others.
    pub(super) fn bits_of(&self, bytes: &ByteSet) -> u64 {
        let entry = self.lock();
        let has_bits = |&byte: &usize| byte < self.length && entry.coded[byte].is_some();
        bytes.iter().filter(has_bits).fold(0, |bits, byte| {
            let place = self.place_of[byte].load(Ordering::Relaxed) as usize;
            let index = entry.coded[byte].expect("the byte has bits") as usize;
            bits | self.bits_of_place(place, self.places[place].coded[index].mask.load(Ordering::Relaxed))
        })
    }

    /// The bits of a root that say what some bits of a place are.
    fn bits_of_place(&self, place: usize, bits: u64) -> u64 {
        match self.groups.get(place) {
            None => bits,
            Some(group) => self.bits_of_place(group.place as usize, group.mask.load(Ordering::Relaxed)),
        }
    }
}

impl Place {
    /// Puts the values of its bytes where they belong in a state.
    #[inline(always)]
    fn unfold<B: Bits>(&self, word: u64, bytes: &mut [u8]) {
        for coded in self.coded() {
            let number = B::gather(word, coded.mask.load(Ordering::Relaxed)) as u8;
            bytes[coded.byte.load(Ordering::Relaxed) as usize] =
                coded.values[usize::from(number)].load(Ordering::Relaxed);
        }
    }
}
