//! Explicit parts packed, and numbered in the order in which they were added.
//!
//! For stores that keep something with each explicit part: the root of a state is interned like the groups that
//! it is made of. See [`packing`](crate::packing).

use crate::packing::{Opened, Packer};
use crate::parts::Parts;
use crate::word_set::{Vacant, WordSet};

/// A set of byte strings, packed.
#[derive(Debug)]
pub struct PackedParts {
    packer: Packer,
    roots: WordSet,
}

impl Default for PackedParts {
    fn default() -> PackedParts {
        PackedParts { packer: Packer::default(), roots: WordSet::new() }
    }
}

impl Parts for PackedParts {
    type Key = u64;
    type Opened = Opened;
    type Vacant = Vacant;
    const NEEDS_BYTES: bool = false;

    fn fit(&mut self, sample: &mut dyn Iterator<Item = &[u8]>) {
        self.packer.fit(sample);
    }

    #[inline]
    fn key(&mut self, state: &[u8], near: &mut Opened) -> Option<u64> {
        // No root changes here.
        self.packer.root(state, near).map(Packer::without_time)
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
    fn open<'a>(&'a self, part: u32, opened: &'a mut Opened) -> &'a [u8] {
        self.packer.open(self.roots.word(part), opened)
    }

    fn len(&self) -> usize {
        self.roots.len()
    }

    fn bytes(&self) -> usize {
        self.packer.bytes() + self.roots.bytes()
    }

    #[inline]
    fn growth(&self, _: usize) -> Option<usize> {
        if self.roots.is_at_its_end() { None } else { Some(self.roots.growth() + size_of::<u64>()) }
    }

    fn key_growth(&self) -> Option<usize> {
        self.packer.growth()
    }

    fn grow_for_keys(&mut self) {
        self.packer.grow();
    }
}
