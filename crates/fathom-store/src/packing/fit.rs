//! Planning which bytes of a state are numbered together, from a sample of states of one length.
//!
//! If the bits that all bytes need fit into the root, with a few to spare, there is nothing to plan. Otherwise two
//! neighboring sets of bytes become one, again and again, until they do. What is gained is the bits of both less the
//! bits that the pairs of their values need; what is paid is a look-up in the set of these pairs. So those go together
//! for which most is gained, as long as the pairs are few. Neighbors only, because what belongs together lies together
//! in a state, and because the little that a sample shows would join anything with anything. Where a byte that is kept
//! apart lies between two sets, these belong to different processes: then more must be gained, as the steps of either
//! process would depend on both.
//!
//! Where some states need groups, all roots had better be *narrow*: then the table of roots has slots of half the size. To that end
//! joining goes on as long as the pairs are few and bits are gained. Where that does not make nearly all roots narrow, it would cost words and bring nothing, so
//! that groups are as few as can be; and where no states need any, there are none.
//!
//! How many pairs there will be among all states is a guess: how much each doubling of the sample has brought, and how
//! much less the next one. A bad guess costs memory and time, never correctness. Distinct values are counted by setting
//! bits in a bitmap by hash (linear counting: Whang, Vander-Zanden and Taylor, ACM TODS 1990).

use fathom_model::ByteSet;
use rustc_hash::FxHashMap;

use super::dictionary::{GROUP_BITS, MOST_PLACES};
use super::{CODE_BITS, ROOT_BITS};

/// Bits of the bitmap.
const BITMAP: usize = 1 << 16;
/// Most states of a sample that are compared with each other.
const MOST_STATES: usize = 16_384;
/// With more pieces, trying all pairs would take too long: longer pieces are tried, and in the end none.
const MOST_PIECES: usize = 96;
/// Number of states for which the bits of a group are meant to be enough.
const ALL_STATES: f64 = (1 << 22) as f64;
/// Bits of the numbers of a small set of words, which may be expected to stay in the cache.
const SMALL: f32 = 17.0;
/// Bits of the root that are left for what the sample does not show.
const ROOT_SPARE: u32 = 5;
/// Bits of the root that the sample may take.
const ROOM: u32 = ROOT_BITS - ROOT_SPARE;
/// Bits of a root that leave room for tags and for what the sample does not show in a table with slots of half the size.
const NARROW: u32 = 34;
/// One in so many roots may be wide where all are meant to be narrow.
const MOST_WIDE: usize = 16;
/// Bits that must be gained before bytes of different processes go together: steps of each would depend on both.
const STRANGERS: f32 = 3.0;
/// Bits of a group that are left.
const GROUP_SPARE: u32 = 11;

/// Which bytes are numbered together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Plan {
    /// By group: the place of its number. Places are the groups, then the root. A place comes after the groups that
    /// go into it.
    pub(super) groups: Vec<u32>,
    /// By byte: its place, when it varies.
    pub(super) places: Vec<Option<u32>>,
}

/// What roots are meant to be.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum Aim {
    /// Made with as few groups as can be.
    #[default]
    Simple,
    /// As few bits as leave slots of half the size.
    Narrow,
}

/// The plans for states of one length.
#[derive(Debug)]
pub(super) struct Plans {
    /// With as few groups as can be.
    simple: Plan,
    /// With narrow roots, if they can be had.
    narrow: Option<Plan>,
}

impl Plans {
    /// Plans for states of one length, of which these are some; none when they vary too much. Some bytes are better off on their
    /// own, if there is room.
    pub(super) fn fit(states: &[&[u8]], apart: &ByteSet) -> Option<Plans> {
        Plans::fit_apart(states, apart).or_else(|| Plans::fit_apart(states, &ByteSet::default()))
    }

    /// Plans without groups, for states of one length that need none.
    pub(super) fn simple(length: usize) -> Plans {
        Plans { simple: Plan::simple(length), narrow: None }
    }

    /// The plan for an aim.
    pub(super) fn into_plan(self, aim: Aim) -> Plan {
        match aim {
            Aim::Simple => self.simple,
            Aim::Narrow => self.narrow.unwrap_or(self.simple),
        }
    }
}

impl Aim {
    /// What to aim at, given so many states of each length, and the plans for them.
    pub(super) fn of<'p>(plans: impl Iterator<Item = (usize, &'p Plans)> + Clone) -> Aim {
        let has_groups = plans.clone().any(|(_, plans)| !plans.simple.groups.is_empty());
        let n_all: usize = plans.clone().map(|(n_states, _)| n_states).sum();
        let n_narrow: usize =
            plans.filter(|(_, plans)| plans.narrow.is_some()).map(|(n_states, _)| n_states).sum();
        if has_groups && n_narrow >= n_all - n_all / MOST_WIDE { Aim::Narrow } else { Aim::Simple }
    }
}

/// What a place holds.
#[derive(Clone, Default, Debug)]
struct Place {
    bytes: Vec<usize>,
    groups: Vec<Place>,
}

/// Some bytes that go together.
#[derive(Debug)]
struct Set {
    content: Place,
    /// Bits that the content takes in a place.
    width: u32,
    /// Bits that it takes when it is numbered.
    n_bits: u32,
    /// Which row of [`Sets::values`] is about it.
    row: usize,
}

impl Plan {
    /// All into the root.
    pub(super) fn simple(length: usize) -> Plan {
        Plan { groups: Vec::new(), places: vec![None; length] }
    }

    fn of_root(root: &Place, length: usize) -> Option<Plan> {
        let mut plan = Plan::simple(length);
        plan.lay_out_place(root);
        (plan.groups.len() < MOST_PLACES).then_some(plan)
    }

    /// Lays out a place after the groups that go into it; gives its number.
    fn lay_out_place(&mut self, place: &Place) -> u32 {
        let below: Vec<u32> = place.groups.iter().map(|group| self.lay_out_group(group)).collect();
        let number = self.groups.len() as u32;
        place.bytes.iter().for_each(|&byte| self.places[byte] = Some(number));
        below.iter().for_each(|&group| self.groups[group as usize] = number);
        number
    }

    fn lay_out_group(&mut self, group: &Place) -> u32 {
        let number = self.lay_out_place(group);
        self.groups.push(0);
        number
    }
}

impl Plans {
    fn fit_apart(states: &[&[u8]], apart: &ByteSet) -> Option<Plans> {
        let length = states.first()?.len();
        let needed = bits_needed(states);
        let width = needed.iter().sum::<u32>();
        if width <= NARROW {
            return Some(Plans { simple: Plan::simple(length), narrow: Some(Plan::simple(length)) });
        }
        // Every so many, so that all walks are heard.
        let every = states.len().div_ceil(MOST_STATES);
        let some: Vec<&[u8]> = states.iter().copied().step_by(every).collect();
        let mut root = Place::default();
        let mut joined = needed.clone();
        for byte in apart.iter().filter(|&byte| byte < length && needed[byte] > 0) {
            root.bytes.push(byte);
            joined[byte] = 0;
        }
        let width_apart: u32 = root.bytes.iter().map(|&byte| needed[byte]).sum();
        let Some(mut sets) = Sets::new(&joined, apart, &some) else {
            return (width <= ROOM).then(|| Plans::simple(length));
        };
        while width_apart + sets.width() > ROOM {
            let index = sets.best()?;
            sets.join(index);
        }
        let simple =
            if width <= ROOM { Plan::simple(length) } else { Plan::of_root(&sets.root(&root), length)? };
        let mut is_narrow = || {
            while width_apart + sets.width() > NARROW {
                let Some(index) = sets.best().filter(|&index| sets.is_small(index)) else { return false };
                sets.join(index);
            }
            true
        };
        let narrow = if is_narrow() { Plan::of_root(&sets.root(&root), length) } else { None };
        Some(Plans { simple, narrow })
    }
}

/// Whether states of one length, of which these are some, need no groups.
pub(super) fn fits_simply(states: &[&[u8]]) -> bool {
    bits_needed(states).iter().sum::<u32>() <= ROOM
}

/// By byte: bits that its values take.
fn bits_needed(states: &[&[u8]]) -> Vec<u32> {
    let of_byte = |byte: usize| {
        let mut seen = [false; 256];
        states.iter().for_each(|state| seen[usize::from(state[byte])] = true);
        bits_for(seen.iter().filter(|&&seen| seen).count())
    };
    (0..states.first().map_or(0, |state| state.len())).map(of_byte).collect()
}

/// Bits for so many numbers.
fn bits_for(n_values: usize) -> u32 {
    n_values.next_power_of_two().ilog2()
}

impl Set {
    /// Puts it into a place: as it is when it is a few bytes that are not worth a number, else as a group.
    fn put_into(&self, place: &mut Place) {
        if self.width <= self.n_bits {
            place.bytes.extend(&self.content.bytes);
            place.groups.extend(self.content.groups.iter().cloned());
        } else {
            place.groups.push(self.content.clone());
        }
    }

    /// Bits that it takes in a place.
    fn bits(&self) -> u32 {
        self.width.min(self.n_bits)
    }
}

/// The sets of bytes that vary.
struct Sets {
    all: Vec<Set>,
    /// Row by row the numbers of values of a set, by state of the sample. One piece of memory, which can be given back as a whole.
    values: Vec<u16>,
    n_states: usize,
    /// By set but the last: bits for the pairs of its values and those of the next set, about.
    bits: Vec<f32>,
    /// By set but the last: whether a byte that is kept apart lies between it and the next set.
    are_strangers: Vec<bool>,
    bitmap: Vec<u64>,
}

impl Sets {
    /// A set for every few bytes that vary.
    fn new(needed: &[u32], apart: &ByteSet, states: &[&[u8]]) -> Option<Sets> {
        let cut = |n_bytes: usize| -> Vec<std::ops::Range<usize>> {
            let starts = (0..needed.len()).step_by(n_bytes);
            let ranges = starts.map(|start| start..needed.len().min(start + n_bytes));
            ranges.filter(|range| needed[range.clone()].iter().any(|&bits| bits > 0)).collect()
        };
        let ranges = [1, 2, 4].into_iter().map(cut).find(|ranges| ranges.len() <= MOST_PIECES)?;
        let between = ranges.windows(2).map(|pair| pair[0].end..pair[1].start);
        let are_strangers = between.map(|between| apart.iter().any(|byte| between.contains(&byte))).collect();
        let n_sets = ranges.len();
        let mut values = Vec::with_capacity(n_sets * states.len());
        for range in &ranges {
            let value = |state: &&[u8]| {
                state[range.clone()].iter().fold(0, |value, &byte| value << 8 | u64::from(byte))
            };
            let mut numbers = FxHashMap::default();
            values.extend(states.iter().map(|state| number(&mut numbers, value(state))));
        }
        let set = |(row, range)| Set::new(range, needed, row);
        let all: Vec<Set> = ranges.into_iter().enumerate().map(set).collect();
        let bitmap = vec![0; BITMAP / 64];
        let mut sets = Sets { all, values, n_states: states.len(), bits: Vec::new(), are_strangers, bitmap };
        sets.bits = (1..n_sets).map(|index| sets.bits_of_pairs(index - 1)).collect();
        Some(sets)
    }

    /// The root with what is in it already, and the sets.
    fn root(&self, already: &Place) -> Place {
        let mut root = already.clone();
        self.all.iter().for_each(|set| set.put_into(&mut root));
        root
    }

    fn width(&self) -> u32 {
        self.all.iter().map(Set::bits).sum()
    }

    /// The set that had better be one with the next; none when there is one set.
    fn best(&self) -> Option<usize> {
        // What is gained with large sets is paid for in memory: only if there is no other way.
        let order = |&one: &usize, &other: &usize| {
            let are_small = self.is_small(one).cmp(&self.is_small(other));
            are_small.then_with(|| self.gain(one).total_cmp(&self.gain(other)))
        };
        (0..self.bits.len()).max_by(order)
    }

    /// Bits that are gained when a set and the next one become one.
    fn gain(&self, index: usize) -> f32 {
        let bits = self.all[index].bits() + self.all[index + 1].bits();
        bits as f32 - self.bits[index] - if self.are_strangers[index] { STRANGERS } else { 0.0 }
    }

    /// Whether something is gained by few pairs.
    fn is_small(&self, index: usize) -> bool {
        self.bits[index] <= SMALL && self.gain(index) > 0.0
    }

    /// Makes one set of a set and the next one.
    fn join(&mut self, index: usize) {
        // Less than before in any case, so that this comes to an end.
        let n_bits = self.bits[index].ceil() as u32;
        let n_bits = n_bits.min(self.all[index].bits() + self.all[index + 1].bits() - 1).min(CODE_BITS);
        let other = self.all.remove(index + 1);
        self.bits.remove(index);
        self.are_strangers.remove(index);
        let set = &mut self.all[index];
        let row = set.row;
        let mut numbers = FxHashMap::default();
        for state in 0..self.n_states {
            let [one, other] = [row, other.row].map(|row| self.values[row * self.n_states + state]);
            self.values[row * self.n_states + state] = number(&mut numbers, pair(one, other));
        }
        let one = std::mem::replace(set, Set { content: Place::default(), width: 0, n_bits, row });
        let room = GROUP_BITS - GROUP_SPARE;
        // Both as they are, when there is room.
        let are_wide = one.width + other.width > room;
        for part in [one, other] {
            let is_numbered = are_wide && part.width > part.n_bits;
            set.width += if is_numbered { part.n_bits } else { part.width };
            if is_numbered {
                set.content.groups.push(part.content);
            } else {
                set.content.bytes.extend(part.content.bytes);
                set.content.groups.extend(part.content.groups);
            }
        }
        for index in [index.wrapping_sub(1), index] {
            if index < self.bits.len() {
                self.bits[index] = self.bits_of_pairs(index);
            }
        }
    }

    /// Bits that the pairs of values of a set and the next one will take among all states.
    fn bits_of_pairs(&mut self, index: usize) -> f32 {
        self.bitmap.fill(0);
        let [one, other] = [index, index + 1].map(|index| {
            let start = self.all[index].row * self.n_states;
            &self.values[start..start + self.n_states]
        });
        // A quarter of the states from all over the sample, then half of them, then all.
        let counts = [(4, 0), (4, 2), (2, 1)].map(|(every, first)| {
            mark_pairs(one.iter().zip(other).skip(first).step_by(every), &mut self.bitmap);
            count(&self.bitmap).log2()
        });
        let (before, now) = (counts[1] - counts[0], counts[2] - counts[1]);
        let slowing = if before > 0.0 { (now / before).clamp(0.0, 1.0) } else { 0.0 };
        let doublings = (ALL_STATES / one.len() as f64).log2().max(0.0);
        let further = std::iter::successors(Some(now * slowing), |growth| Some(growth * slowing));
        (counts[2] + further.take(doublings.ceil() as usize).sum::<f64>()) as f32
    }
}

/// Sets the bits of pairs of values.
fn mark_pairs<'a>(pairs: impl Iterator<Item = (&'a u16, &'a u16)>, bitmap: &mut [u64]) {
    for (&one, &other) in pairs {
        let hash = pair(one, other).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bit = (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> (64 - BITMAP.ilog2());
        bitmap[bit as usize / 64] |= 1 << (bit % 64);
    }
}

/// About how many different things have set a bit.
fn count(bitmap: &[u64]) -> f64 {
    let n_set: u32 = bitmap.iter().map(|word| word.count_ones()).sum();
    let clear = 1.0 - f64::from(n_set) / BITMAP as f64;
    (-clear.ln() * BITMAP as f64).max(1.0)
}

impl Set {
    fn new(bytes: std::ops::Range<usize>, needed: &[u32], row: usize) -> Set {
        let width = needed[bytes.clone()].iter().sum();
        let bytes = bytes.filter(|&byte| needed[byte] > 0).collect();
        // A single byte is a number anyway.
        Set { content: Place { bytes, groups: Vec::new() }, width, n_bits: width, row }
    }
}

/// The number of a value, in order of first appearance. There are no more of them than states of a sample.
fn number(numbers: &mut FxHashMap<u64, u16>, value: u64) -> u16 {
    const { assert!(MOST_STATES <= 1 << u16::BITS) };
    let next = numbers.len() as u16;
    *numbers.entry(value).or_insert(next)
}

/// Two numbers in one word.
fn pair(one: u16, other: u16) -> u64 {
    u64::from(one) << 32 | u64::from(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether any group holds bytes on both sides of the middle.
    fn mixes_halves(plan: &Plan, middle: usize) -> bool {
        let root = plan.groups.len() as u32;
        let groups = |bytes: &[Option<u32>]| -> Vec<u32> {
            bytes.iter().flatten().copied().filter(|&place| place != root).collect()
        };
        let (first, second) = plan.places.split_at(middle);
        groups(first).iter().any(|group| groups(second).contains(group))
    }

    #[test]
    fn narrow_roots_have_groups_where_simple_ones_have_none() {
        // Forty bytes of two values each: forty bits. Of every eight, those that say the same lie side by side.
        let state = |number: usize| -> Vec<u8> {
            let word = |index: usize| number.wrapping_mul(0x9e37_79b9) >> (3 * index + 5) & 7;
            (0..40).map(|byte| (word(byte / 8) >> (byte % 8 * 3 / 8) & 1) as u8).collect()
        };
        let states: Vec<Vec<u8>> = (0..4000).map(state).collect();
        let states: Vec<&[u8]> = states.iter().map(Vec::as_slice).collect();
        assert!(fits_simply(&states));
        let plans = Plans::fit(&states, &ByteSet::default()).expect("few enough bits");
        assert_eq!(plans.simple, Plan::simple(40));
        assert!(plans.narrow.as_ref().is_some_and(|plan| !plan.groups.is_empty()));
        assert_eq!(Aim::of([(4000, &plans)].into_iter()), Aim::Simple, "no state needs groups");
        let grouped = Plans { simple: plans.narrow.clone().unwrap(), narrow: plans.narrow.clone() };
        assert_eq!(Aim::of([(4000, &plans), (10, &grouped)].into_iter()), Aim::Narrow);
        let wide = Plans { simple: grouped.simple.clone(), narrow: None };
        assert_eq!(Aim::of([(4000, &plans), (300, &wide)].into_iter()), Aim::Simple, "many stay wide");
        assert_eq!(Aim::of([(4000, &plans), (200, &wide)].into_iter()), Aim::Narrow, "few stay wide");
    }

    #[test]
    fn bytes_of_different_processes_go_together_only_when_that_saves_much() {
        // Two processes: a byte that says where each is, and 24 that vary together; beside them a byte of the first and
        // one of the second that often agree.
        let mut mixed = 1_u64;
        let mut random = move |below: u64| {
            mixed = mixed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (mixed >> 33) % below
        };
        let states: Vec<Vec<u8>> = (0..4000)
            .map(|_| {
                let (one, other, shared) = (random(64), random(64), random(4));
                let local = |number: u64, byte: u64| (number >> (byte % 6) & 1 | byte << 1) as u8;
                let mut state = vec![random(5) as u8];
                state.extend((0..24).map(|byte| local(one, byte)));
                state.push((4 * random(2) + shared) as u8);
                state.push(random(5) as u8);
                state.push((4 * random(2) + shared) as u8);
                state.extend((0..24).map(|byte| local(other, byte)));
                state
            })
            .collect();
        let states: Vec<&[u8]> = states.iter().map(Vec::as_slice).collect();
        let mut apart = ByteSet::default();
        apart.insert(0, 1);
        apart.insert(26, 1);
        let plan = Plans::fit(&states, &apart).expect("few enough bits").simple;
        assert!(!plan.groups.is_empty() && !mixes_halves(&plan, 26), "{plan:?}");
    }
}
