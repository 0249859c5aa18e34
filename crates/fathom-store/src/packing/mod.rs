//! Packing: every explicit part as one word, its *root*.
//!
//! The root of a state says everything about it: two states have the same root exactly when their bytes are the
//! same. It is a tag and 59 bits. In those bits are the numbers of the values of all bytes that vary, and where that
//! is too much, codes of interned groups of them ([`dictionary`]). What does not fit into that either is a tree of
//! interned words ([`tree`](crate::tree)), and the root is the number of the topmost pair. States of up to seven
//! bytes are in the root as they are.
//!
//! When many states turn out not to fit, there is a new packing, and all states of their length get new roots
//! ([`renew`]).
//!
//! After Laarman, van de Pol and Weber, "Parallel Recursive State Compression for Free" (SPIN 2011), who intern
//! pairs of pairs. We differ in this: what varies little is hardly stored at all, so that small states are their
//! own roots and large ones need one or two look-ups instead of a path through a tree; groups have dense numbers
//! instead of places in a table, so that tables grow without renaming anything; and the parts of the state from
//! which a search comes are found again by comparing bytes, not through what a language says about its steps,
//! so that any system profits.
//!
//! Words and groups are few and mostly stay in the cache; the root is the one look-up that goes to memory, and
//! it is prefetched.

pub(crate) mod bits;
mod changes;
mod dictionary;
mod dispatch;
mod fit;
mod memo;
mod renew;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use fathom_model::{ByteSet, Steps};

use crate::recent::Recent;
use crate::root_table::Step;
use crate::shared::Claims;
use crate::tree::OpenTree;
use crate::word_set::{Claim, WordSet};
use dictionary::{Packed, Packing, Unpackable};
use dispatch::{fold, unfold};
use fit::{Aim, Plan, Plans, fits_simply};
use memo::Memo;
pub(crate) use renew::Escapes;

/// Bits of a root below the tag.
const ROOT_BITS: u32 = 59;
/// Where the tag of a root is.
pub(crate) const TAG_SHIFT: u32 = ROOT_BITS;
/// Bits of the code of a group.
const CODE_BITS: u32 = 28;
/// The tag of states that are trees.
pub(crate) const TREE: u64 = 1 << ROOT_BITS;
/// The tag of states of a few bytes, which are in the root with their length.
const SHORT: u64 = 2 << ROOT_BITS;
/// The tag of the first packing.
const FIRST: u64 = 3 << ROOT_BITS;
/// Most packings: tags have five bits, and 0 is none.
const MOST_PACKINGS: usize = 29;
/// Bytes of the longest state that is in the root with its length.
const MOST_SHORT: usize = 7;
/// Bytes of the longest state that is packed: dictionaries of longer ones would take too much of the cache.
const MOST_PACKED: usize = 1024;
/// Where the number of packings is in the key of a tree: with more of them, the state may have another root.
const TIME_SHIFT: u32 = 32;
/// Numbers of words that a thread claims at once.
const BLOCK: u32 = 8;

/// Where words get codes from: a code is the number of the word plus one, and 0 for the word 0, which is in
/// no set. None when there is no room for more.
pub(crate) trait Intern {
    /// The code of a word of a tree.
    fn code(&mut self, word: u64) -> Option<u32>;
}

/// The same with the words of groups, which are in sets of their own.
trait InternInGroup {
    /// The code of a word of a group.
    fn number(&mut self, group: u64, words: &WordSet, word: u64) -> Option<u32>;
}

impl<I: Intern> Intern for &mut I {
    #[inline(always)]
    fn code(&mut self, word: u64) -> Option<u32> {
        (**self).code(word)
    }
}

impl<I: InternInGroup> InternInGroup for &mut I {
    #[inline(always)]
    fn number(&mut self, group: u64, words: &WordSet, word: u64) -> Option<u32> {
        (**self).number(group, words, word)
    }
}

/// Tables must grow first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NoRoom;

/// Where words are found by their codes.
pub(crate) trait Recall {
    /// The word with a code.
    fn recall(&self, code: u32) -> u64;
}

/// Makes roots of states, and states of roots.
#[derive(Debug)]
pub struct Packer {
    words: WordSet,
    packings: Packings,
}

/// How states are packed.
#[derive(Debug)]
struct Packings {
    /// By tag.
    all: Vec<Packing>,
    /// By length of the state: the packing for it.
    by_length: Vec<Option<usize>>,
    /// A bit for each tag of packings that are only used to open states that have their roots from earlier.
    stale: u32,
    /// The first state of a length for which there is no packing, and should be.
    wanted: Mutex<Option<Vec<u8>>>,
    /// Bytes of states that had better not be in groups.
    apart: ByteSet,
    /// Bytes that packings may take.
    most_bytes: usize,
    /// What roots are meant to be.
    aim: Aim,
}

impl Default for Packings {
    fn default() -> Packings {
        Packings {
            all: Vec::new(),
            by_length: Vec::new(),
            stale: 0,
            wanted: Mutex::new(None),
            apart: ByteSet::default(),
            most_bytes: usize::MAX,
            aim: Aim::default(),
        }
    }
}

impl Packings {
    #[inline(always)]
    fn for_length(&self, length: usize) -> Option<&Packing> {
        self.by_length.get(length).copied().flatten().map(|index| &self.all[index])
    }

    /// Whether roots with this tag are made no longer.
    #[inline(always)]
    fn is_stale(&self, tag: u64) -> bool {
        self.stale >> (tag >> ROOT_BITS) & 1 != 0
    }

    fn groups(&self) -> impl Iterator<Item = &WordSet> {
        self.all.iter().flat_map(|packing| &packing.groups).map(|group| &group.words)
    }

    fn bytes(&self) -> usize {
        self.all.iter().map(Packing::bytes).sum()
    }

    /// Whether there may be another packing for states of a length.
    fn may_add(&self, length: usize) -> bool {
        (MOST_SHORT + 1..=MOST_PACKED).contains(&length)
            && self.all.len() < MOST_PACKINGS
            && self.bytes() + Packing::bytes_for(length) <= self.most_bytes
    }

    /// Says that a packing is missing for a state: true if there is going to be one.
    #[cold]
    fn want(&self, state: &[u8]) -> bool {
        let may_add = self.may_add(state.len());
        if may_add {
            *self.wanted.lock().unwrap_or_else(PoisonError::into_inner) = Some(state.to_vec());
        }
        may_add
    }

    /// Adds the packing that is wanted, if any.
    fn add_wanted(&mut self) {
        let wanted = self.wanted.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(state) = wanted
            && self.for_length(state.len()).is_none()
        {
            self.add(&[&state], &Plan::simple(state.len()));
        }
    }

    /// Adds a packing for the states of which these are some, all of one length. It replaces the one before.
    fn add(&mut self, sample: &[&[u8]], plan: &Plan) {
        let length = sample[0].len();
        if self.by_length.len() <= length {
            self.by_length.resize(length + 1, None);
        }
        if let Some(before) = self.by_length[length] {
            self.stale |= 1 << (self.all[before].tag >> ROOT_BITS);
        }
        let tag = FIRST + ((self.all.len() as u64) << ROOT_BITS);
        let packing = Packing::new(sample[0], tag, plan);
        for state in sample {
            packing.enter(state);
        }
        self.by_length[length] = Some(self.all.len());
        self.all.push(packing);
    }
}

/// A state that is open: its bytes, and what helps to make the roots of similar states.
///
/// The buffers are used again and again. One that was never filled is a state that is near to nothing.
#[derive(Clone, Default, Debug)]
pub struct Opened {
    /// The state, when it is not packed.
    bytes: Vec<u8>,
    length: usize,
    is_packed: bool,
    /// The tag of the packing of the open state, 0 for none that helps.
    tag: u64,
    /// Whether that is a simple packing.
    is_simple: bool,
    packed: Packed,
    tree: OpenTree,
    memo: Memo<12>,
    recent: Recent,
}

impl Default for Packer {
    fn default() -> Packer {
        Packer { words: WordSet::new(), packings: Packings::default() }
    }
}

impl Recall for WordSet {
    #[inline(always)]
    fn recall(&self, code: u32) -> u64 {
        if code == 0 { 0 } else { self.word(code - 1) }
    }
}

/// The code that goes with a number; none when it would be too large for a group.
#[inline(always)]
fn code_of(number: u32) -> Option<u32> {
    (number < (1 << CODE_BITS) - 1).then_some(number + 1)
}

/// The words when no one else uses them.
struct Alone<'a>(&'a mut WordSet);

impl Intern for Alone<'_> {
    #[inline(always)]
    fn code(&mut self, word: u64) -> Option<u32> {
        self.0.intern(word).ok().and_then(code_of)
    }
}

impl InternInGroup for Alone<'_> {
    fn number(&mut self, _: u64, words: &WordSet, word: u64) -> Option<u32> {
        intern_in_group(words, word)
    }
}

/// The words when threads share them.
struct Together<'a>(&'a WordSet, &'a mut Claim);

impl Intern for Together<'_> {
    #[inline(always)]
    fn code(&mut self, word: u64) -> Option<u32> {
        self.0.intern_shared(word, self.1, BLOCK).ok().and_then(|(number, _)| code_of(number))
    }
}

impl InternInGroup for Together<'_> {
    fn number(&mut self, _: u64, words: &WordSet, word: u64) -> Option<u32> {
        intern_in_group(words, word)
    }
}

/// The words of groups are few, and new ones rare.
#[inline(always)]
fn intern_in_group(words: &WordSet, word: u64) -> Option<u32> {
    words.intern_shared(word, &mut Claim::default(), 1).ok().and_then(|(number, _)| code_of(number))
}

/// The words that there are.
struct Known<'a>(&'a WordSet);

impl Intern for Known<'_> {
    fn code(&mut self, word: u64) -> Option<u32> {
        self.0.find(word).ok().and_then(code_of)
    }
}

impl InternInGroup for Known<'_> {
    fn number(&mut self, _: u64, words: &WordSet, word: u64) -> Option<u32> {
        words.find(word).ok().and_then(code_of)
    }
}

/// Words with the answers that were given last.
struct Remembering<'a, I> {
    memo: &'a mut Memo<12>,
    tables: I,
}

impl<I: Intern> Intern for Remembering<'_, I> {
    #[inline(always)]
    fn code(&mut self, word: u64) -> Option<u32> {
        if word == 0 {
            return Some(0);
        }
        self.memo.code(TREE, word, || self.tables.code(word))
    }
}

impl<I: InternInGroup> InternInGroup for Remembering<'_, I> {
    #[inline(always)]
    fn number(&mut self, group: u64, words: &WordSet, word: u64) -> Option<u32> {
        if word == 0 {
            return Some(0);
        }
        self.memo.code(group, word, || self.tables.number(group, words, word))
    }
}

impl Packer {
    /// These bytes of states had better not be in groups.
    pub(crate) fn keep_apart(&mut self, bytes: &ByteSet) {
        self.packings.apart.clone_from(bytes);
    }

    /// By how much the table of roots had better grow. Where bytes are kept apart, steps are remembered by them and cost about as much as moving
    /// a root, so that few should move; elsewhere steps cost many times that.
    pub(crate) fn step(&self) -> Step {
        if self.packings.apart.is_empty() { Step::Eighth } else { Step::Twofold }
    }

    /// Looks at some states of those to come. Only before the first root is made.
    pub(crate) fn fit(&mut self, sample: &mut dyn Iterator<Item = &[u8]>) {
        assert!(self.words.len() == 0, "a packing is fitted before the first root is made");
        let mut by_length: BTreeMap<usize, Vec<&[u8]>> = BTreeMap::new();
        sample.for_each(|state| by_length.entry(state.len()).or_default().push(state));
        let mut by_length: Vec<Vec<&[u8]>> = by_length.into_values().collect();
        by_length.sort_by_key(|states| std::cmp::Reverse(states.len()));
        by_length.retain(|states| self.packings.may_add(states[0].len()));
        by_length.truncate(MOST_PACKINGS);
        let are_simple = by_length.iter().all(|states| fits_simply(states));
        let plans = |states: &Vec<&[u8]>| {
            if are_simple {
                return Some(Plans::simple(states[0].len()));
            }
            Plans::fit(states, &self.packings.apart)
        };
        let mut fitted: Vec<(Vec<&[u8]>, Plans)> = Vec::new();
        for states in by_length {
            fitted.extend(plans(&states).map(|plans| (states, plans)));
        }
        let aim = Aim::of(fitted.iter().map(|(states, plans)| (states.len(), plans)));
        self.packings.aim = aim;
        for (states, plans) in fitted {
            if self.packings.may_add(states[0].len()) {
                self.packings.add(&states, &plans.into_plan(aim));
            }
        }
    }

    /// Whether there are packings, and none has groups.
    pub(crate) fn packs_simply(&self) -> bool {
        !self.packings.all.is_empty() && self.packings.all.iter().all(|packing| packing.is_simple)
    }

    /// There may be so many bytes in all: from now on, packings get no more than a part of them.
    pub(crate) fn set_max_bytes(&mut self, max_bytes: u64) {
        self.packings.most_bytes = usize::try_from(max_bytes / 8).unwrap_or(usize::MAX);
    }

    /// Whether a root is that of a state that no packing covered when it was made.
    #[inline(always)]
    pub(crate) fn is_escaped(root: u64) -> bool {
        root >> ROOT_BITS == TREE >> ROOT_BITS
    }

    /// The key of a state: its root, but for trees; none when [`Packer::grow`] has to be called first.
    #[inline(always)]
    pub(crate) fn root(&mut self, state: &[u8], near: &mut Opened) -> Option<u64> {
        near.fold(state, &self.packings, Alone(&mut self.words))
    }

    /// The root of a state if it can be packed. An error when [`Packer::grow`] has to be called first.
    #[inline(always)]
    pub(crate) fn packed_root(&mut self, state: &[u8], near: &mut Opened) -> Result<Option<u64>, NoRoom> {
        if let Some(root) = near.fold_simply(state, &self.packings) {
            return Ok(Some(root));
        }
        near.fold_packed(state, &self.packings, Alone(&mut self.words))
    }

    /// Adds the roots of steps to a list, from the first one on, as long as no table is needed for it.
    #[inline(always)]
    pub(crate) fn roots_simply<R, L>(&self, steps: &Steps<R, L>, near: &Opened, roots: &mut Vec<u64>) {
        if near.is_simple {
            self.packings.all[index_of(near.tag)].fold_all_simply(steps, &near.packed, roots);
        }
    }

    /// Like [`Packer::root`], beside other threads.
    #[inline(always)]
    pub(crate) fn root_shared(&self, state: &[u8], near: &mut Opened, claims: &mut Claims) -> Option<u64> {
        near.fold(state, &self.packings, Together(&self.words, &mut claims.words))
    }

    /// The number of a packing and of its changes, if the root is that of a packing in use, or else 0.
    #[inline(always)]
    pub(crate) fn version(&self, root: u64) -> u64 {
        let tag = root >> ROOT_BITS << ROOT_BITS;
        if tag < FIRST || self.packings.is_stale(tag) {
            return 0;
        }
        tag | u64::from(self.packings.all[index_of(tag)].n_changes())
    }

    /// The bits of such a root that say what these bytes are, and perhaps something about others.
    pub(crate) fn bits_of(&self, root: u64, bytes: &ByteSet) -> u64 {
        self.packings.all[index_of(root >> ROOT_BITS << ROOT_BITS)].bits_of(bytes)
    }

    /// The state with a root.
    #[inline]
    pub(crate) fn open<'a>(&self, root: u64, opened: &'a mut Opened) -> &'a [u8] {
        opened.unfold(root, &self.packings, &self.words);
        opened.state()
    }

    /// Bytes of memory in use.
    pub(crate) fn bytes(&self) -> usize {
        self.words.bytes() + self.packings.bytes()
    }

    /// Bytes by which memory grows to make room; none when there can be no more.
    pub(crate) fn growth(&self) -> Option<usize> {
        let is_at_its_end = |words: &WordSet| words.len() >= (1 << CODE_BITS) - 1;
        let sets = || self.packings.groups().chain([&self.words]);
        (!sets().any(is_at_its_end)).then(|| sets().map(WordSet::growth).sum())
    }

    /// Makes room for more roots, if it is needed, and a packing that is missing.
    #[cold]
    pub(crate) fn grow(&mut self) {
        self.packings.add_wanted();
        let groups = self.packings.all.iter_mut().flat_map(|packing| &mut packing.groups);
        for words in groups.map(|group| &mut group.words).chain([&mut self.words]) {
            if words.growth() > 0 {
                words.grow();
            }
        }
    }

    /// Number of words interned.
    #[cfg(test)]
    fn n_words(&self) -> usize {
        self.words.len() + self.packings.groups().map(WordSet::len).sum::<usize>()
    }
}

impl Opened {
    /// Whether a root was shown here lately: see [`Store::was_seen`](crate::Store::was_seen).
    #[inline(always)]
    pub(crate) fn was_seen(&mut self, root: u64) -> bool {
        self.recent.was_seen(root)
    }

    /// The open state.
    #[inline(always)]
    fn state(&self) -> &[u8] {
        if self.is_packed { &self.packed.bytes[..self.length] } else { &self.bytes[..self.length] }
    }

    #[inline(always)]
    fn fold(
        &mut self,
        state: &[u8],
        packings: &Packings,
        tables: impl Intern + InternInGroup,
    ) -> Option<u64> {
        match self.fold_simply(state, packings) {
            Some(root) => Some(root),
            None => self.fold_with_tables(state, packings, tables),
        }
    }

    /// The root of a state that has the same simple packing as the open one and no new values.
    #[inline(always)]
    fn fold_simply(&self, state: &[u8], packings: &Packings) -> Option<u64> {
        if !self.is_simple || state.len() != self.length {
            return None;
        }
        packings.all[index_of(self.tag)].fold_simply(state, &self.packed)
    }

    /// The same in general.
    #[inline(never)]
    fn fold_with_tables(
        &mut self,
        state: &[u8],
        packings: &Packings,
        tables: impl Intern + InternInGroup,
    ) -> Option<u64> {
        let mut tables = tables;
        if let Some(root) = self.fold_packed(state, packings, &mut tables).ok()? {
            return Some(root);
        }
        let tables = &mut Remembering { memo: &mut self.memo, tables };
        let pair = self.tree.fold(state, tables)?;
        let time = (packings.all.len() as u64) << TIME_SHIFT;
        Some(TREE | time | u64::from(tables.code(pair)?))
    }

    /// The same without trees: none for a state that would be one.
    #[inline]
    fn fold_packed(
        &mut self,
        state: &[u8],
        packings: &Packings,
        tables: impl InternInGroup,
    ) -> Result<Option<u64>, NoRoom> {
        let Some(packing) = packings.for_length(state.len()) else {
            let root = short_root(state);
            return if root.is_none() && packings.want(state) { Err(NoRoom) } else { Ok(root) };
        };
        let tables = &mut Remembering { memo: &mut self.memo, tables };
        loop {
            let near = (packing.tag == self.tag).then_some(&self.packed);
            match fold(packing, state, near, tables) {
                Ok(root) => return Ok(Some(root)),
                Err(Unpackable::Crowded) => return Err(NoRoom),
                Err(Unpackable::Unknown) if packing.enter(state) => {}
                Err(Unpackable::Unknown | Unpackable::Escapes) => return Ok(None),
            }
        }
    }

    /// There is no open state any more that would help.
    pub(crate) fn close(&mut self) {
        (self.tag, self.is_simple, self.is_packed) = (0, false, false);
    }

    #[inline]
    fn unfold(&mut self, root: u64, packings: &Packings, words: &WordSet) {
        let tag = root >> ROOT_BITS << ROOT_BITS;
        if tag == TREE || tag == SHORT {
            self.unfold_otherwise(root, words);
            return;
        }
        let packing = &packings.all[index_of(tag)];
        unfold(packing, root, &mut self.packed, self.tag == tag);
        if self.tag != tag {
            (self.tag, self.length, self.is_packed) = (tag, packing.length, true);
            self.is_simple = packing.is_simple;
        }
        if packings.is_stale(tag) {
            (self.tag, self.is_simple) = (0, false);
        }
    }

    /// Opens a state that is not packed.
    fn unfold_otherwise(&mut self, root: u64, words: &WordSet) {
        self.close();
        self.bytes.clear();
        if Packer::is_escaped(root) {
            self.tree.unfold(words.recall((root & !TREE) as u32), words);
            self.bytes.extend_from_slice(self.tree.state());
            self.length = self.bytes.len();
        } else {
            self.length = (root >> (8 * MOST_SHORT)) as usize & MOST_SHORT;
            self.bytes.extend_from_slice(&root.to_le_bytes());
        }
    }
}

/// The packing with a tag, by its index.
#[inline(always)]
fn index_of(tag: u64) -> usize {
    (tag.wrapping_sub(FIRST) >> ROOT_BITS) as usize
}

/// The root of a state of a few bytes.
#[inline]
fn short_root(state: &[u8]) -> Option<u64> {
    let word = |state: &[u8]| state.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    (state.len() <= MOST_SHORT).then(|| SHORT | (state.len() as u64) << (8 * MOST_SHORT) | word(state))
}

#[cfg(all(test, not(loom)))]
mod tests;
