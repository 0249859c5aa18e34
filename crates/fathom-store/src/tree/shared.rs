//! The tables of a tree, used by many threads at once.

use super::fold::{Intern, OpenTree, Shapes};
use super::shape::Shape;
use super::{TreeParts, code_space};
use crate::shared::Claims;
use crate::word_set::{Claim, Crowded};

/// Numbers of words and pairs that a thread claims at once.
const BLOCK: u32 = 8;

/// The tables, with what one thread has claimed of them.
struct Tables<'a> {
    parts: &'a TreeParts,
    claims: &'a mut Claims,
}

impl Intern for Tables<'_> {
    #[inline]
    fn leaf(&mut self, word: u64) -> Option<u32> {
        let interned = self.parts.leaves.intern_shared(word, &mut self.claims.leaves, BLOCK);
        interned.ok().and_then(|(number, _)| code_space(number))
    }

    #[inline]
    fn pair(&mut self, pair: u64) -> Option<u32> {
        let interned = self.parts.pairs.intern_shared(pair, &mut self.claims.pairs, BLOCK);
        interned.ok().and_then(|(number, _)| code_space(number))
    }
}

impl Shapes for Tables<'_> {
    fn shape(&self, n_words: usize) -> Shape {
        self.parts.shape(n_words)
    }
}

impl TreeParts {
    /// The key of a state; none when a table is crowded.
    #[inline]
    pub(crate) fn key_shared(&self, state: &[u8], near: &mut OpenTree, claims: &mut Claims) -> Option<u64> {
        near.fold(state, &mut Tables { parts: self, claims })
    }

    /// The number of a state, and whether this call has added it.
    #[inline]
    pub(crate) fn insert_shared(
        &self,
        key: u64,
        claims: &mut Claims,
        block: u32,
    ) -> Result<(u32, bool), Crowded> {
        self.roots.intern_shared(key, &mut claims.roots, block)
    }

    /// The number of a state, if it is known.
    #[inline]
    pub(crate) fn find_shared(&self, key: u64) -> Option<u32> {
        self.roots.find(key).ok()
    }

    /// The state with a number; none for a hole.
    #[inline]
    pub(crate) fn open_unless_hole<'a>(&self, number: u32, opened: &'a mut OpenTree) -> Option<&'a [u8]> {
        let root = self.roots.word(number);
        if root == 0 {
            return None;
        }
        opened.unfold(root, self);
        Some(opened.state())
    }

    /// Gives up numbers of states that were not used.
    pub(crate) fn give_up_roots(&self, claim: Claim) {
        self.roots.give_up(claim);
    }

    /// Makes room where it is needed.
    pub(crate) fn grow_crowded(&mut self) {
        for set in [&mut self.leaves, &mut self.pairs, &mut self.roots] {
            if set.growth() > 0 {
                set.grow();
            }
        }
    }
}
