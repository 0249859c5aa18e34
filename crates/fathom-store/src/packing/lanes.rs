//! How states of one length become 59 bits, and back.
//!
//! Most bits of a state never change: the upper half of a counter that stays small, the number of a process
//! that is never another. Others always change together: a variable that is 255 until it has a small value. So
//! the ways in which a byte differs from a constant span a space of few dimensions over the field of two elements,
//! and as many bits of the byte, the *pivots*, tell all the others. A packing knows these spaces, from a sample,
//! and gathers the pivots. If they fit, they *are* the root: the state in 59 bits, with nothing to look up. If
//! not, groups of up to 64 of them are interned, and a group goes on as a code of 28 bits, into the root or into
//! another group.
//!
//! Each place (group or root) is the exclusive-or of shifted pivots of words and codes. So a place of a successor
//! is the place of the state it comes from, with what has changed flipped: a step that changes one word costs
//! one gathering, whatever the length of the state.
//!
//! A state that differs from the constant in a way that the packing does not know cannot be packed: it *escapes*,
//! and is stored by other means.

use fathom_model::Steps;

use super::bits::Bits;
use super::{CODE_BITS, Intern, Recall};

/// Bytes in a word.
pub(super) const WORD: usize = 8;

/// Some bits of a word, and where they go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Lane {
    /// The word, by its index in the state.
    pub(super) word: u32,
    /// The place: a group, or the root, which comes after all groups.
    pub(super) place: u32,
    /// Where in the place the gathered bits start.
    pub(super) shift: u32,
    /// The pivots: the bits of the word that are gathered.
    pub(super) mask: u64,
    /// Where the tables of this lane are that tell what bits the pivots bring with them, a byte of pivots each;
    /// none when they bring nothing but themselves.
    pub(super) tables: (u32, u32),
}

/// How states of one length are packed.
#[derive(Clone, Debug)]
pub(super) struct Packing {
    /// Bytes of a state.
    pub(super) length: usize,
    /// In the upper bits of every root.
    pub(super) tag: u64,
    /// By word.
    pub(super) constants: Vec<u64>,
    /// In order of words.
    pub(super) lanes: Vec<Lane>,
    /// By word: its first lane; and the number of lanes at the end.
    pub(super) first_lanes: Vec<u32>,
    /// Whether there are no groups, and so one lane for each word.
    pub(super) is_simple: bool,
    /// By word: vectors that span the ways in which it was seen to differ from the constant. The packing covers
    /// more, where there was room.
    pub(super) seen: Vec<Vec<u64>>,
    /// By lane and byte of pivots.
    pub(super) tables: Vec<[u64; 256]>,
    /// By group: the place and the shift of its code. A place comes after the groups that go into it.
    pub(super) groups: Vec<(u32, u32)>,
    /// An earlier packing for the same length, by its index. What it can pack is left to it.
    pub(super) earlier: Option<usize>,
}

/// A state as a packing sees it.
#[derive(Clone, Default, Debug)]
pub(super) struct Packed {
    /// By word; the bytes of each are in the order of the state.
    pub(super) words: Vec<u64>,
    /// By place.
    pub(super) places: Vec<u64>,
    /// By group.
    pub(super) codes: Vec<u32>,
}

/// A state cannot be packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unpackable {
    /// It has a bit where there was never one.
    Escapes,
    /// There is no room for another group.
    Crowded,
}

/// The words of a state, the last one filled up with zeros.
#[inline(always)]
pub(super) fn words_of(state: &[u8]) -> impl Iterator<Item = u64> {
    let (whole, rest) = state.as_chunks::<WORD>();
    let last = (!rest.is_empty()).then(|| last_word(state, rest));
    whole.iter().map(|&bytes| u64::from_le_bytes(bytes)).chain(last)
}

/// The last word of a state, of which there are these bytes.
#[inline(always)]
fn last_word(state: &[u8], rest: &[u8]) -> u64 {
    match state.last_chunk::<WORD>() {
        // One load, and what belongs to the word before it shifted out.
        Some(end) => u64::from_le_bytes(*end) >> (8 * (WORD - rest.len())),
        None => rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

impl Packing {
    /// The root of a state of the same length as the open one, which has this packing. `scratch` is for the
    /// places of the state.
    #[inline(always)]
    pub(super) fn fold_from<B: Bits>(
        &self,
        state: &[u8],
        open: &Packed,
        scratch: &mut Vec<u64>,
        tables: &mut impl Intern,
    ) -> Result<u64, Unpackable> {
        debug_assert_eq!(state.len(), self.length);
        scratch.clear();
        scratch.extend_from_slice(&open.places);
        let (whole, rest) = state.as_chunks::<WORD>();
        let mut beyond = 0;
        // Plain loops: closures would not be compiled for the instructions.
        for (index, (word, &before)) in whole.iter().zip(&open.words).enumerate() {
            let change = u64::from_le_bytes(*word) ^ before;
            if change != 0 {
                beyond |= self.gather_word::<B>(index, change, scratch);
            }
        }
        if !rest.is_empty() {
            let change = last_word(state, rest) ^ open.words[whole.len()];
            if change != 0 {
                beyond |= self.gather_word::<B>(whole.len(), change, scratch);
            }
        }
        if beyond != 0 {
            return Err(Unpackable::Escapes);
        }
        for (group, &(place, shift)) in self.groups.iter().enumerate() {
            if scratch[group] != open.places[group] {
                let code = tables.code(scratch[group]).ok_or(Unpackable::Crowded)?;
                scratch[place as usize] ^= u64::from(code ^ open.codes[group]) << shift;
            }
        }
        Ok(scratch[self.groups.len()])
    }

    /// The same for a simple packing; none when the state escapes.
    #[inline(always)]
    pub(super) fn fold_simply<B: Bits>(&self, state: &[u8], open: &Packed) -> Option<u64> {
        let (whole, rest) = state.as_chunks::<WORD>();
        let (mut root, mut beyond) = (open.places[0], 0);
        for ((word, &before), lane) in whole.iter().zip(&open.words).zip(&self.lanes) {
            let change = u64::from_le_bytes(*word) ^ before;
            if change != 0 {
                let pivots = B::gather(change, lane.mask);
                beyond |= change ^ self.spread::<B>(lane, pivots);
                root ^= pivots << lane.shift;
            }
        }
        if let (false, Some(&before), Some(lane)) = (rest.is_empty(), open.words.last(), self.lanes.last()) {
            let change = last_word(state, rest) ^ before;
            let pivots = B::gather(change, lane.mask);
            beyond |= change ^ self.spread::<B>(lane, pivots);
            root ^= pivots << lane.shift;
        }
        (beyond == 0).then_some(root)
    }

    /// Adds the roots of steps that leave the open state, which has this simple packing, from the first one on, as
    /// long as they have it, too.
    #[inline(always)]
    pub(super) fn fold_all_simply<B: Bits, R, L>(
        &self,
        steps: &Steps<R, L>,
        open: &Packed,
        roots: &mut Vec<u64>,
    ) {
        for index in 0..steps.len() {
            let state = steps.state(index);
            if state.len() != self.length {
                return;
            }
            match self.fold_simply::<B>(state, open) {
                Some(root) => roots.push(root),
                None => return,
            }
        }
    }

    #[inline(always)]
    fn lanes_of(&self, word: usize) -> &[Lane] {
        &self.lanes[self.first_lanes[word] as usize..self.first_lanes[word + 1] as usize]
    }

    /// Flips what belongs to a change of a word in the places; gives the bits of it that this does not explain.
    #[inline(always)]
    fn gather_word<B: Bits>(&self, word: usize, change: u64, places: &mut [u64]) -> u64 {
        let mut unexplained = change;
        for lane in self.lanes_of(word) {
            let pivots = B::gather(change, lane.mask);
            unexplained ^= self.spread::<B>(lane, pivots);
            places[lane.place as usize] ^= pivots << lane.shift;
        }
        unexplained
    }

    /// All bits of a word that go with some pivots of a lane. What is above the pivots is ignored.
    #[inline(always)]
    fn spread<B: Bits>(&self, lane: &Lane, pivots: u64) -> u64 {
        if lane.tables.1 == 0 {
            return B::scatter(pivots, lane.mask);
        }
        let tables = &self.tables[lane.tables.0 as usize..][..lane.tables.1 as usize];
        let (mut bits, mut pivots) = (0, pivots);
        for table in tables {
            bits ^= table[(pivots & 0xff) as usize];
            pivots >>= 8;
        }
        bits
    }

    /// Whether a state of the right length can be packed. The word of the hint is looked at first; when the
    /// state cannot be packed, the hint becomes a word that shows it.
    #[inline(always)]
    pub(super) fn covers<B: Bits>(&self, state: &[u8], hint: &mut u32) -> bool {
        // Loops and no closures: those would not be compiled for the instructions.
        let (whole, rest) = state.as_chunks::<WORD>();
        let hinted = *hint as usize;
        if let (Some(word), Some(constant)) = (whole.get(hinted), self.constants.get(hinted))
            && !self.explains::<B>(hinted, u64::from_le_bytes(*word) ^ constant)
        {
            return false;
        }
        for (index, (word, constant)) in whole.iter().zip(&self.constants).enumerate() {
            if !self.explains::<B>(index, u64::from_le_bytes(*word) ^ constant) {
                *hint = index as u32;
                return false;
            }
        }
        rest.is_empty()
            || self.explains::<B>(whole.len(), last_word(state, rest) ^ self.constants[whole.len()])
    }

    /// Whether a word may differ from the constant in this way.
    #[inline(always)]
    fn explains<B: Bits>(&self, word: usize, change: u64) -> bool {
        let mut unexplained = change;
        for lane in self.lanes_of(word) {
            unexplained ^= self.spread::<B>(lane, B::gather(change, lane.mask));
        }
        unexplained == 0
    }

    /// The root of a state of the right length, when another kind of state is open.
    #[inline(always)]
    pub(super) fn fold_afresh<B: Bits>(
        &self,
        state: &[u8],
        scratch: &mut Vec<u64>,
        tables: &mut impl Intern,
    ) -> Result<u64, Unpackable> {
        scratch.clear();
        scratch.resize(self.groups.len() + 1, 0);
        let (whole, rest) = state.as_chunks::<WORD>();
        let mut beyond = 0;
        // Plain loops: closures would not be compiled for the instructions.
        for (index, (word, constant)) in whole.iter().zip(&self.constants).enumerate() {
            beyond |= self.gather_word::<B>(index, u64::from_le_bytes(*word) ^ constant, scratch);
        }
        if !rest.is_empty() {
            let change = last_word(state, rest) ^ self.constants[whole.len()];
            beyond |= self.gather_word::<B>(whole.len(), change, scratch);
        }
        if beyond != 0 {
            return Err(Unpackable::Escapes);
        }
        for (group, &(place, shift)) in self.groups.iter().enumerate() {
            let code = tables.code(scratch[group]).ok_or(Unpackable::Crowded)?;
            scratch[place as usize] |= u64::from(code) << shift;
        }
        Ok(scratch[self.groups.len()] | self.tag)
    }

    /// Opens the state with a root of this packing. If the open state has this packing too, what they share is
    /// not looked up again.
    #[inline(always)]
    pub(super) fn unfold<B: Bits>(&self, root: u64, open: &mut Packed, is_same: bool, tables: &impl Recall) {
        let n_groups = self.groups.len();
        if !is_same {
            open.words.clear();
            open.words.resize(self.constants.len(), 0);
            open.places.clear();
            open.places.resize(n_groups + 1, 0);
            open.codes.clear();
            open.codes.resize(n_groups, 0);
        }
        open.places[n_groups] = root;
        for group in (0..n_groups).rev() {
            let (place, shift) = self.groups[group];
            let code = (open.places[place as usize] >> shift) as u32 & ((1 << CODE_BITS) - 1);
            if open.codes[group] != code {
                open.codes[group] = code;
                open.places[group] = tables.recall(code);
            }
        }
        open.words.copy_from_slice(&self.constants);
        for lane in &self.lanes {
            open.words[lane.word as usize] ^=
                self.spread::<B>(lane, open.places[lane.place as usize] >> lane.shift);
        }
    }
}
