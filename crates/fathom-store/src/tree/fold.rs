//! Folding a state into a pair of codes, and unfolding it again.
//!
//! A *code* names a node: a word of eight bytes, or a pair of codes. The root of a state is itself a pair, in
//! one 64-bit word. Codes say of themselves whether they name a word or a pair, so that a state is unfolded
//! without knowing its length beforehand.
//!
//! Folding starts from a state that is open, usually the one of which the new state is a successor. Words
//! that are the same in both have the same codes, and so have pairs of them: only the ways from the words
//! that differ to the root are looked up. A step changes one or two words, whatever the length of the state.

use super::shape::{ROOT, Shape};
use crate::packing::{Intern, Recall};

/// In a code: names a word. The other bits are the number plus one, or 0 for the word 0, which is in no set.
const LEAF: u32 = 1 << 31;
/// Bytes in a word.
const WORD: usize = 8;
/// Bytes that are compared at once in long states.
const LINE: usize = 64;

/// A state that is open: its bytes, and the codes of all nodes of its tree.
///
/// The buffers are used again and again. One that was never filled is a state that is near to nothing.
#[derive(Clone, Default, Debug)]
pub struct OpenTree {
    /// The state, followed by padding up to whole words.
    bytes: Vec<u8>,
    /// Bytes of the state.
    length: usize,
    /// The same, as words.
    words: Vec<u64>,
    /// The words in the order of the tree.
    leaf_words: Vec<u64>,
    /// By node of the shape; leaves first.
    codes: Vec<u32>,
    /// The codes of inner nodes on the way of unfolding.
    inner: Vec<u32>,
    /// The codes of a state under folding, when it has nothing to do with the open one.
    folded: Vec<u32>,
    /// Nodes whose codes were replaced while folding, with their codes in the open state.
    replaced: Vec<(u32, u32)>,
    /// Inner nodes to be looked up, as bits.
    marks: Vec<u64>,
    /// By number of leaves.
    shapes: Vec<Option<Box<Shape>>>,
}

impl OpenTree {
    /// The bytes of the state.
    pub(crate) fn state(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// The root of a state; none when there is no room. Any state may be open; the nearer the better.
    #[inline]
    pub(crate) fn fold(&mut self, state: &[u8], tables: &mut impl Intern) -> Option<u64> {
        let root = if state.len() / WORD + 1 == self.words.len() {
            self.fold_from_open(state, tables)
        } else {
            self.fold_afresh(state, tables)
        };
        if root.is_none() {
            self.marks.fill(0);
        }
        root
    }

    /// Folds a state of as many words as the open one. The codes of the open state are changed on the way and
    /// restored in the end: a step changes few.
    #[inline]
    fn fold_from_open(&mut self, state: &[u8], tables: &mut impl Intern) -> Option<u64> {
        let n_words = self.words.len();
        let shape = self.shapes[n_words].as_deref()?;
        let mut folding = Folding {
            shape,
            n_leaves: n_words,
            codes: &mut self.codes,
            replaced: &mut self.replaced,
            marks: &mut self.marks,
        };
        let root = folding.fold(state, &self.bytes, &self.words, tables);
        for (node, code) in self.replaced.drain(..) {
            self.codes[node as usize] = code;
        }
        root
    }

    /// Folds a state of another number of words than the open one.
    fn fold_afresh(&mut self, state: &[u8], tables: &mut impl Intern) -> Option<u64> {
        let n_words = state.len() / WORD + 1;
        self.prepare_shape(n_words);
        let shape = self.shapes[n_words].as_deref()?;
        self.folded.clear();
        self.folded.resize(n_words, 0);
        let (whole, rest) = state.as_chunks::<WORD>();
        let words = whole.iter().map(|&bytes| u64::from_le_bytes(bytes)).chain([last_word(rest)]);
        for (word, &leaf) in words.zip(&shape.leaves) {
            self.folded[leaf as usize] = leaf_code(word, tables)?;
        }
        for &children in &shape.children {
            let code = tables.code(pair(&self.folded, children))?;
            self.folded.push(code);
        }
        Some(root(shape, &self.folded))
    }

    #[cold]
    fn prepare_shape(&mut self, n_words: usize) {
        if self.shapes.len() <= n_words {
            self.shapes.resize(n_words + 1, None);
        }
        let shape = self.shapes[n_words].get_or_insert_with(|| Box::new(Shape::balanced(n_words)));
        let n_marks = shape.children.len().div_ceil(64).max(1);
        if self.marks.len() < n_marks {
            self.marks.resize(n_marks, 0);
        }
    }

    /// Opens the state with a root. What it has in common with the state that is open is not looked up again.
    #[inline]
    pub(crate) fn unfold(&mut self, root: u64, tables: &impl Recall) {
        if self.unfold_differences(root, tables).is_none() {
            self.unfold_afresh(root, tables);
        }
        let padding = usize::from(self.bytes.last().copied().unwrap_or(0));
        self.length = self.bytes.len() - padding;
    }

    /// Replaces what differs from the open state; none when the tree has another shape, or no state is open.
    #[inline]
    fn unfold_differences(&mut self, root: u64, tables: &impl Recall) -> Option<()> {
        let shape = self.shapes.get(self.words.len())?.as_deref()?;
        let (left, Some(right)) = shape.root else {
            return None;
        };
        let mut refresh =
            Refresh { shape, codes: &mut self.codes, words: &mut self.words, bytes: &mut self.bytes };
        refresh.node(left, (root >> 32) as u32, tables)?;
        refresh.node(right, root as u32, tables)
    }

    fn unfold_afresh(&mut self, root: u64, tables: &impl Recall) {
        self.leaf_words.clear();
        self.codes.clear();
        self.inner.clear();
        self.unfold_node((root >> 32) as u32, tables);
        if root as u32 != 0 {
            self.unfold_node(root as u32, tables);
        }
        self.codes.extend_from_slice(&self.inner);
        let n_words = self.leaf_words.len();
        if self.shapes.get(n_words).is_none_or(Option::is_none) {
            self.prepare_shape(n_words);
        }
        self.words.clear();
        self.bytes.clear();
        let leaves = self.shapes[n_words].as_deref().map_or(&[][..], |shape| &shape.leaves);
        for &leaf in leaves {
            let word = self.leaf_words[leaf as usize];
            self.words.push(word);
            self.bytes.extend_from_slice(&word.to_le_bytes());
        }
    }

    fn unfold_node(&mut self, code: u32, tables: &impl Recall) {
        if code & LEAF != 0 {
            self.leaf_words.push(recall_word(code, tables));
            self.codes.push(code);
            return;
        }
        let pair = tables.recall(code);
        self.unfold_node((pair >> 32) as u32, tables);
        self.unfold_node(pair as u32, tables);
        self.inner.push(code);
    }
}

#[inline(always)]
fn pair(codes: &[u32], (left, right): (u32, u32)) -> u64 {
    u64::from(codes[left as usize]) << 32 | u64::from(codes[right as usize])
}

#[inline]
fn root(shape: &Shape, codes: &[u32]) -> u64 {
    match shape.root {
        (left, Some(right)) => pair(codes, (left, right)),
        (left, None) => u64::from(codes[left as usize]) << 32,
    }
}

/// The code that names a word.
#[inline(always)]
fn leaf_code(word: u64, tables: &mut impl Intern) -> Option<u32> {
    Some(LEAF | tables.code(word)?)
}

/// The word that a code names.
#[inline(always)]
fn recall_word(code: u32, tables: &impl Recall) -> u64 {
    tables.recall(code & !LEAF)
}

/// An open state on its way to become another one.
struct Refresh<'a> {
    shape: &'a Shape,
    codes: &'a mut [u32],
    words: &'a mut [u64],
    bytes: &'a mut [u8],
}

impl Refresh<'_> {
    /// Gives a node its new code, and everything below it; none when the code names a tree of another shape.
    fn node(&mut self, node: u32, code: u32, tables: &impl Recall) -> Option<()> {
        if self.codes[node as usize] == code {
            return Some(());
        }
        let inner = (node as usize).checked_sub(self.words.len());
        if inner.is_none() != (code & LEAF != 0) {
            return None;
        }
        self.codes[node as usize] = code;
        let Some(inner) = inner else {
            let (place, word) = (self.shape.words[node as usize] as usize, recall_word(code, tables));
            self.words[place] = word;
            self.bytes[place * WORD..][..WORD].copy_from_slice(&word.to_le_bytes());
            return Some(());
        };
        let (left, right) = self.shape.children[inner];
        // The code 0, which would name nothing, is where a state of a single word has no other half.
        if code == 0 {
            return None;
        }
        let pair = tables.recall(code);
        self.node(left, (pair >> 32) as u32, tables)?;
        self.node(right, pair as u32, tables)
    }
}

/// A state under folding.
struct Folding<'a> {
    shape: &'a Shape,
    n_leaves: usize,
    codes: &'a mut [u32],
    replaced: &'a mut Vec<(u32, u32)>,
    marks: &'a mut [u64],
}

impl Folding<'_> {
    #[inline(always)]
    fn fold(&mut self, state: &[u8], bytes: &[u8], words: &[u64], tables: &mut impl Intern) -> Option<u64> {
        let (whole, rest) = state.as_chunks::<WORD>();
        let n_in_lines = state.len() / LINE * (LINE / WORD);
        let mut is_marked = false;
        for (index, (line, open)) in
            state.as_chunks::<LINE>().0.iter().zip(bytes.as_chunks::<LINE>().0).enumerate()
        {
            // A whole line of bytes is compared faster than its words.
            if line != open {
                let first = index * (LINE / WORD);
                is_marked |= self.replace_words(whole, words, first..first + LINE / WORD, tables)?;
            }
        }
        is_marked |= self.replace_words(whole, words, n_in_lines..whole.len(), tables)?;
        let word = last_word(rest);
        if word != words[whole.len()] {
            let code = leaf_code(word, tables)?;
            is_marked |= self.replace(self.shape.leaves[whole.len()] as usize, code);
        }
        if is_marked {
            self.fold_marked(tables)?;
        }
        Some(root(self.shape, self.codes))
    }

    /// Replaces the words that differ, among some. Says whether that leaves marks.
    #[inline(always)]
    fn replace_words(
        &mut self,
        whole: &[[u8; WORD]],
        words: &[u64],
        range: std::ops::Range<usize>,
        tables: &mut impl Intern,
    ) -> Option<bool> {
        let mut is_marked = false;
        for (index, (bytes, &open)) in range.clone().zip(whole[range.clone()].iter().zip(&words[range])) {
            let word = u64::from_le_bytes(*bytes);
            if word != open {
                let code = leaf_code(word, tables)?;
                is_marked |= self.replace(self.shape.leaves[index] as usize, code);
            }
        }
        Some(is_marked)
    }

    /// Gives a node another code, and marks its parent; false when that is the root, which needs no mark.
    #[inline(always)]
    fn replace(&mut self, node: usize, code: u32) -> bool {
        self.replaced.push((node as u32, self.codes[node]));
        self.codes[node] = code;
        let parent = self.shape.parents[node];
        if parent == ROOT {
            return false;
        }
        let inner = parent as usize - self.n_leaves;
        self.marks[inner / 64] |= 1 << (inner % 64);
        true
    }

    /// Looks up the marked nodes, children first, and those above them. Leaves no marks.
    #[inline(always)]
    fn fold_marked(&mut self, tables: &mut impl Intern) -> Option<()> {
        for index in 0..self.marks.len() {
            while self.marks[index] != 0 {
                let bit = self.marks[index].trailing_zeros() as usize;
                self.marks[index] &= self.marks[index] - 1;
                let inner = index * 64 + bit;
                let code = tables.code(pair(self.codes, self.shape.children[inner]))?;
                let node = self.n_leaves + inner;
                if self.codes[node] != code {
                    self.replace(node, code);
                }
            }
        }
        Some(())
    }
}

/// The last word of a state: what is left of it, zeros, and in the last byte the number of bytes that do not
/// belong to the state. There is always at least one such byte, so states of any lengths are told apart.
#[inline(always)]
fn last_word(rest: &[u8]) -> u64 {
    let padding = ((WORD - rest.len()) as u64) << (8 * (WORD - 1));
    let mut word = 0;
    // At most seven bytes: one of four, one of two, one of one, whichever there are.
    let mut shift = 0;
    let mut rest = rest;
    if let Some((four, after)) = rest.split_first_chunk::<4>() {
        word = u64::from(u32::from_le_bytes(*four));
        (shift, rest) = (32, after);
    }
    if let Some((two, after)) = rest.split_first_chunk::<2>() {
        word |= u64::from(u16::from_le_bytes(*two)) << shift;
        (shift, rest) = (shift + 16, after);
    }
    if let Some(&one) = rest.first() {
        word |= u64::from(one) << shift;
    }
    word | padding
}
