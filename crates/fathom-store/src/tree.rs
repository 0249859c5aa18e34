//! Tree compression: explicit parts as trees of shared nodes.
//!
//! A state is cut into words of eight bytes. Words get numbers, pairs of numbers get numbers, and so on up a
//! balanced binary tree; the state itself is the pair at the root. Neighboring states differ in one or two
//! words, so nearly all nodes are shared, and a state costs little more than its root: eight bytes, and five
//! or six for its share of the hash table, whatever its length. Two states have the same root exactly when
//! their bytes are the same: nothing is hashed away.
//!
//! After Laarman, van de Pol and Weber, "Parallel Recursive State Compression for Free" (SPIN 2011). We differ
//! in this: nodes have dense numbers instead of places in a table, so that tables grow without renaming
//! anything, ids of states are given out in order, and a breadth-first queue is a range of numbers; the parts
//! of the state from which a search comes are found again by comparing bytes, not through what a language
//! says about its steps, so that any system profits; and states may have different lengths.
//!
//! Words and inner pairs are few and stay in the cache; the root is the one look-up that goes to memory, and
//! it is prefetched.

mod fit;
mod fold;
mod memo;
mod shape;
mod shared;

pub use fold::OpenTree;

use crate::parts::Parts;
use crate::word_set::{Vacant, WordSet};
use fold::{Intern, LEAF, Recall, Shapes, words_of};
use shape::Shape;

/// The tables of the tree.
#[derive(Debug)]
pub struct TreeParts {
    leaves: WordSet,
    pairs: WordSet,
    roots: WordSet,
    /// By number of words; those that are missing are balanced.
    shapes: Vec<Option<Shape>>,
}

impl Default for TreeParts {
    fn default() -> TreeParts {
        TreeParts { leaves: WordSet::new(), pairs: WordSet::new(), roots: WordSet::new(), shapes: Vec::new() }
    }
}

impl TreeParts {
    /// Number of distinct words and of inner pairs.
    pub fn n_nodes(&self) -> (usize, usize) {
        (self.leaves.len(), self.pairs.len())
    }
}

impl Recall for TreeParts {
    #[inline(always)]
    fn leaf(&self, number: u32) -> u64 {
        self.leaves.word(number)
    }

    #[inline(always)]
    fn pair(&self, number: u32) -> u64 {
        self.pairs.word(number)
    }
}

impl Shapes for TreeParts {
    fn shape(&self, n_words: usize) -> Shape {
        let fitted = self.shapes.get(n_words).and_then(Option::as_ref);
        fitted.cloned().unwrap_or_else(|| Shape::balanced(n_words))
    }
}

/// Codes have 31 bits.
fn code_space(number: u32) -> Option<u32> {
    (number < LEAF - 1).then_some(number)
}

impl Intern for TreeParts {
    #[inline]
    fn leaf(&mut self, word: u64) -> Option<u32> {
        self.leaves.intern(word).ok().and_then(code_space)
    }

    #[inline]
    fn pair(&mut self, pair: u64) -> Option<u32> {
        self.pairs.intern(pair).ok().and_then(code_space)
    }
}

impl Parts for TreeParts {
    type Key = u64;
    type Opened = OpenTree;
    type Vacant = Vacant;
    const NEEDS_BYTES: bool = false;

    #[inline]
    fn key(&mut self, state: &[u8], near: &mut OpenTree) -> Option<u64> {
        near.fold(state, self)
    }

    #[inline(always)]
    fn prefetch(&self, key: u64) {
        self.roots.prefetch(key);
    }

    #[inline(always)]
    fn prefetch_match(&self, key: u64) {
        self.roots.prefetch_match(key);
    }

    #[inline(always)]
    fn find(&self, key: u64, _: &[u8]) -> Result<u32, Vacant> {
        self.roots.find(key)
    }

    #[inline]
    fn fill(&mut self, vacant: Vacant, key: u64, _: &[u8]) -> u32 {
        if let Ok(number) = self.roots.fill(vacant, key) {
            return number;
        }
        self.roots.grow();
        self.roots.intern(key).expect("there is room after growth")
    }

    #[inline]
    fn open<'a>(&'a self, part: u32, opened: &'a mut OpenTree) -> &'a [u8] {
        opened.unfold(self.roots.word(part), self);
        opened.state()
    }

    fn len(&self) -> usize {
        self.roots.len()
    }

    fn bytes(&self) -> usize {
        self.leaves.bytes() + self.pairs.bytes() + self.roots.bytes()
    }

    #[inline]
    fn growth(&self, _: usize) -> Option<usize> {
        if self.roots.is_at_its_end() { None } else { Some(self.roots.growth() + size_of::<u64>()) }
    }

    fn fit(&mut self, sample: &mut dyn Iterator<Item = &[u8]>) {
        assert!(self.leaves.len() == 0, "trees are fitted before the first key is made");
        let mut by_length: Vec<Vec<Vec<u64>>> = Vec::new();
        for state in sample {
            let words = words_of(state);
            if by_length.len() <= words.len() {
                by_length.resize(words.len() + 1, Vec::new());
            }
            by_length[words.len()].push(words);
        }
        let fitted = |(n_words, sample): (usize, &Vec<Vec<u64>>)| {
            (!sample.is_empty()).then(|| fit::fit(sample, n_words))
        };
        self.shapes = by_length.iter().enumerate().map(fitted).collect();
    }

    fn key_growth(&self) -> Option<usize> {
        let crowded = [&self.leaves, &self.pairs].map(|set| (set.growth(), set.len() >= LEAF as usize - 1));
        if crowded.iter().any(|&(_, is_at_its_end)| is_at_its_end) {
            return None;
        }
        Some(crowded.iter().map(|&(bytes, _)| bytes).sum())
    }

    fn grow_for_keys(&mut self) {
        for set in [&mut self.leaves, &mut self.pairs] {
            if set.growth() > 0 {
                set.grow();
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
