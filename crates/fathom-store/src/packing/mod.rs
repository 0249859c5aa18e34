//! Packing: every explicit part as one word, its *root*.
//!
//! The root of a state says everything about it: two states have the same root exactly when their bytes are the
//! same. It is a tag and 59 bits. Of states that look like a sample taken beforehand the bits that vary are
//! gathered, and interned in groups if there are too many ([`lanes`]). The others, and states of lengths that
//! the sample does not know, are trees of interned words ([`tree`](crate::tree)), and the root is the number of
//! the topmost pair. States of up to seven bytes are in the root as they are.
//!
//! When many states turn out to be unlike the sample, they are the next sample, and some roots may change
//! ([`renew`]).
//!
//! After Laarman, van de Pol and Weber, "Parallel Recursive State Compression for Free" (SPIN 2011), who intern
//! pairs of pairs. We differ in this: what varies little is not stored at all, so that small states are their
//! own roots and large ones need one or two look-ups instead of a path through a tree; groups have dense numbers
//! instead of places in a table, so that tables grow without renaming anything; and the parts of the state from
//! which a search comes are found again by comparing bytes, not through what a language says about its steps,
//! so that any system profits.
//!
//! Words and groups are few and mostly stay in the cache; the root is the one look-up that goes to memory, and
//! it is prefetched.

mod bits;
mod dispatch;
mod fit;
mod lanes;
mod memo;
mod renew;

use std::collections::BTreeMap;

use fathom_model::Steps;

use crate::recent::Recent;
use crate::shared::Claims;
use crate::tree::OpenTree;
use crate::word_set::{Claim, WordSet};
use dispatch::{covers, covers_with_hint, fold_afresh, fold_all_simply, fold_from, fold_simply, unfold};
use lanes::{Packed, Packing, Unpackable, WORD};
use memo::Memo;
pub(crate) use renew::Renewed;

/// Bits of a root below the tag.
const ROOT_BITS: u32 = 59;
/// Bits of the code of a group.
const CODE_BITS: u32 = 28;
/// The tag of states that are trees.
const TREE: u64 = 1 << ROOT_BITS;
/// The tag of states of a few bytes, which are in the root with their length.
const SHORT: u64 = 2 << ROOT_BITS;
/// The tag of the first packing.
const FIRST: u64 = 3 << ROOT_BITS;
/// Most packings: tags have five bits, and 0 is none.
const MOST_PACKINGS: usize = 29;
/// Bytes of the longest state that is in the root with its length.
const MOST_SHORT: usize = 7;
/// Where the number of packings is in the key of a tree: with more of them, the state may have another root.
const TIME_SHIFT: u32 = 32;
/// Numbers of words that a thread claims at once.
const BLOCK: u32 = 8;

/// Where words get codes from: a code is the number of the word plus one, and 0 for the word 0, which is in
/// no set. None when there is no room for more.
pub(crate) trait Intern {
    /// The code of a word.
    fn code(&mut self, word: u64) -> Option<u32>;
}

/// Where words are found by their codes.
pub(crate) trait Recall {
    /// The word with a code.
    fn recall(&self, code: u32) -> u64;
}

/// By packing: the word that kept the last state out that it does not cover.
type Hints = [u32; MOST_PACKINGS];

/// Makes roots of states, and states of roots.
#[derive(Debug)]
pub struct Packer {
    words: WordSet,
    packings: Packings,
}

/// How states are packed.
#[derive(Default, Debug)]
struct Packings {
    /// By tag.
    all: Vec<Packing>,
    /// By length of the state: the last packing for it.
    last: Vec<Option<usize>>,
    /// A bit for each tag of packings that are only used to open states that have their roots from earlier.
    stale: u32,
}

impl Packings {
    #[inline(always)]
    fn last_for(&self, length: usize) -> Option<usize> {
        self.last.get(length).copied().flatten()
    }

    /// No state gets a root from this packing or an earlier one any more. Gives no packing.
    fn retire(&mut self, mut next: Option<usize>) -> Option<usize> {
        while let Some(index) = next {
            self.stale |= 1 << (self.all[index].tag >> ROOT_BITS);
            next = self.all[index].earlier;
        }
        None
    }

    /// Whether roots with this tag are made no longer.
    #[inline(always)]
    fn is_stale(&self, tag: u64) -> bool {
        self.stale >> (tag >> ROOT_BITS) & 1 != 0
    }

    /// The first packing that covers a state.
    fn first_to_cover(&self, state: &[u8]) -> Option<&Packing> {
        let mut first = None;
        let mut next = self.last_for(state.len());
        while let Some(packing) = next.map(|index| &self.all[index]) {
            if covers(packing, state) {
                first = Some(packing);
            }
            next = packing.earlier;
        }
        first
    }

    /// Whether a packing that is earlier than this one covers a state. A state mostly has the same word that
    /// keeps it out as the one before, which the hints remember, by packing.
    #[inline(always)]
    fn is_covered_earlier(&self, packing: &Packing, state: &[u8], hints: &mut Hints) -> bool {
        let mut next = packing.earlier;
        while let Some(index) = next {
            let packing = &self.all[index];
            if covers_with_hint(packing, state, &mut hints[index]) {
                return true;
            }
            next = packing.earlier;
        }
        false
    }

    /// Adds a packing for the states of which these are some, all of one length. Says whether there is a new one.
    /// It may replace the earlier ones.
    fn add(&mut self, sample: &[&[u8]], replaces: bool) -> bool {
        let length = sample[0].len();
        if self.all.len() == MOST_PACKINGS {
            return false;
        }
        let earlier = self.last_for(length);
        let tag = FIRST + ((self.all.len() as u64) << ROOT_BITS);
        let Some(packing) = fit::fit(sample, tag, earlier.map(|index| &self.all[index])) else {
            return false;
        };
        if self.last.len() <= length {
            self.last.resize(length + 1, None);
        }
        self.last[length] = Some(self.all.len());
        let earlier = if replaces && packing.is_simple { self.retire(earlier) } else { earlier };
        self.all.push(Packing { earlier, ..packing });
        true
    }
}

/// A state that is open: its bytes, and what helps to make the roots of similar states.
///
/// The buffers are used again and again. One that was never filled is a state that is near to nothing.
#[derive(Clone, Default, Debug)]
pub struct Opened {
    /// The state, followed by zeros up to whole words.
    bytes: Vec<u8>,
    length: usize,
    /// The tag of the packing of the open state, 0 for none.
    tag: u64,
    /// Whether that is a simple packing.
    is_simple: bool,
    packed: Packed,
    scratch: Vec<u64>,
    tree: OpenTree,
    memo: Memo<12>,
    recent: Recent,
    hints: Hints,
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

/// The words when threads share them.
struct Together<'a>(&'a WordSet, &'a mut Claim);

impl Intern for Together<'_> {
    #[inline(always)]
    fn code(&mut self, word: u64) -> Option<u32> {
        self.0.intern_shared(word, self.1, BLOCK).ok().and_then(|(number, _)| code_of(number))
    }
}

/// The words that there are.
struct Known<'a>(&'a WordSet);

impl Intern for Known<'_> {
    fn code(&mut self, word: u64) -> Option<u32> {
        self.0.find(word).ok().and_then(code_of)
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
        self.memo.code(word, || self.tables.code(word))
    }
}

impl Packer {
    /// Looks at some states of those to come. Only before the first root is made.
    pub(crate) fn fit(&mut self, sample: &mut dyn Iterator<Item = &[u8]>) {
        assert!(self.words.len() == 0, "a packing is fitted before the first root is made");
        self.packings = Packings::default();
        let states: Vec<&[u8]> = sample.collect();
        self.add_packings(&states, 1, true);
    }

    /// Adds a packing for every length of which there are so many states, the most frequent ones first.
    fn add_packings(&mut self, states: &[&[u8]], fewest: usize, replaces: bool) -> bool {
        let mut by_length: BTreeMap<usize, Vec<&[u8]>> = BTreeMap::new();
        for &state in states.iter().filter(|state| state.len() > MOST_SHORT) {
            by_length.entry(state.len()).or_default().push(state);
        }
        let mut by_length: Vec<Vec<&[u8]>> = by_length.into_values().collect();
        by_length.retain(|states| states.len() >= fewest);
        by_length.sort_by_key(|states| std::cmp::Reverse(states.len()));
        let added: Vec<bool> = by_length.iter().map(|states| self.packings.add(states, replaces)).collect();
        added.contains(&true)
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

    /// Adds the roots of steps to a list, from the first one on, as long as no table is needed for it.
    #[inline(always)]
    pub(crate) fn roots_simply<R, L>(&self, steps: &Steps<R, L>, near: &Opened, roots: &mut Vec<u64>) {
        if !near.is_simple {
            return;
        }
        let packing = &self.packings.all[index_of(near.tag)];
        if packing.earlier.is_none() {
            fold_all_simply(packing, steps, &near.packed, roots);
        }
    }

    /// Like [`Packer::root`], beside other threads.
    #[inline(always)]
    pub(crate) fn root_shared(&self, state: &[u8], near: &mut Opened, claims: &mut Claims) -> Option<u64> {
        near.fold(state, &self.packings, Together(&self.words, &mut claims.words))
    }

    /// The state with a root.
    #[inline]
    pub(crate) fn open<'a>(&self, root: u64, opened: &'a mut Opened) -> &'a [u8] {
        opened.unfold(root, &self.packings, &self.words);
        &opened.bytes[..opened.length]
    }

    /// Bytes of memory in use.
    pub(crate) fn bytes(&self) -> usize {
        self.words.bytes()
    }

    /// Bytes by which memory grows to make room; none when there can be no more.
    pub(crate) fn growth(&self) -> Option<usize> {
        (self.words.len() < (1 << CODE_BITS) - 1).then(|| self.words.growth())
    }

    /// Makes room for more roots, if it is needed.
    #[cold]
    pub(crate) fn grow(&mut self) {
        if self.words.growth() > 0 {
            self.words.grow();
        }
    }

    /// Number of words interned.
    #[cfg(test)]
    fn n_words(&self) -> usize {
        self.words.len()
    }
}

impl Opened {
    /// Whether a root was shown here lately: see [`Store::was_seen`](crate::Store::was_seen).
    #[inline(always)]
    pub(crate) fn was_seen(&mut self, root: u64) -> bool {
        self.recent.was_seen(root)
    }

    #[inline(always)]
    fn fold(&mut self, state: &[u8], packings: &Packings, tables: impl Intern) -> Option<u64> {
        if self.is_simple && state.len() == self.length {
            let packing = &packings.all[index_of(self.tag)];
            if (packing.earlier.is_none() || !packings.is_covered_earlier(packing, state, &mut self.hints))
                && let Some(root) = fold_simply(packing, state, &self.packed)
            {
                return Some(root);
            }
        }
        self.fold_with_tables(state, packings, tables)
    }

    /// The same in general.
    #[inline(never)]
    fn fold_with_tables(&mut self, state: &[u8], packings: &Packings, tables: impl Intern) -> Option<u64> {
        let tables = &mut Remembering { memo: &mut self.memo, tables };
        if self.tag != 0 && state.len() == self.length {
            let packing = &packings.all[index_of(self.tag)];
            if !packings.is_covered_earlier(packing, state, &mut self.hints) {
                match fold_from(packing, state, &self.packed, &mut self.scratch, tables) {
                    Ok(root) => return Some(root),
                    Err(Unpackable::Crowded) => return None,
                    Err(Unpackable::Escapes) => {}
                }
            }
        }
        if let Some(packing) = packings.first_to_cover(state) {
            return fold_afresh(packing, state, &mut self.scratch, tables).ok();
        }
        if let Some(root) = short_root(state) {
            return Some(root);
        }
        let pair = self.tree.fold(state, tables)?;
        let time = (packings.all.len() as u64) << TIME_SHIFT;
        Some(TREE | time | u64::from(tables.code(pair)?))
    }

    #[inline]
    fn unfold(&mut self, root: u64, packings: &Packings, words: &WordSet) {
        let tag = root >> ROOT_BITS << ROOT_BITS;
        if tag == TREE {
            (self.tag, self.is_simple) = (0, false);
            self.tree.unfold(words.recall((root & !TREE) as u32), words);
            self.length = self.tree.state().len();
            self.bytes.clear();
            self.bytes.extend_from_slice(self.tree.state());
            return;
        }
        if tag == SHORT {
            (self.tag, self.is_simple) = (0, false);
            self.length = (root >> (8 * MOST_SHORT)) as usize & MOST_SHORT;
            self.bytes.clear();
            self.bytes.extend_from_slice(&root.to_le_bytes());
            return;
        }
        let packing = &packings.all[index_of(tag)];
        unfold(packing, root, &mut self.packed, self.tag == tag, words);
        if self.tag != tag {
            (self.tag, self.length) = (tag, packing.length);
            self.is_simple = packing.is_simple;
            self.bytes.resize(self.packed.words.len() * WORD, 0);
        }
        for (bytes, word) in self.bytes.as_chunks_mut::<WORD>().0.iter_mut().zip(&self.packed.words) {
            *bytes = word.to_le_bytes();
        }
        if packings.is_stale(tag) {
            (self.tag, self.is_simple) = (0, false);
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
