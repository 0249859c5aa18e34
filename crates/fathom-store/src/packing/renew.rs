//! New packings when many states have escaped from the ones that there are.
//!
//! A sample of all states stored so far says how they vary, and all states of a length get new roots. The packing
//! before is *stale*, only good for opening states that a search still knows by their old ids. This takes a while for
//! a large table, so it is done only when the states that have escaped since are a part of all: each state gets a
//! new root a few times at most, and mostly never.
//!
//! A key is made before it is inserted, so that it may be old by then: one of a stale packing, or of a tree, which
//! therefore says how many packings there were when it was made. Such a key is *settled* first.

use std::sync::atomic::Ordering;

use super::{Claims, Known, Opened, Packer, Plans, ROOT_BITS, TIME_SHIFT, TREE};
use crate::numbered_table::NumberedTable;
use crate::root_table::RootTable;

/// Fewest states of a length that say how others will vary.
const FEWEST: usize = 16;
/// States in a sample.
const SAMPLE: usize = 16_384;
/// Fewest states that have escaped for which there is a new packing.
const FEWEST_ESCAPED: usize = 256;
/// With more states in the table, those that have escaped must be this part of them.
const PART: usize = 4;

/// Number of states that have escaped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Escapes {
    n_escaped: usize,
    /// With so many of them, new packings are tried.
    most: usize,
}

impl Default for Escapes {
    fn default() -> Escapes {
        Escapes { n_escaped: 0, most: FEWEST_ESCAPED }
    }
}

impl Escapes {
    /// Counts one more.
    pub(crate) fn add(&mut self) {
        self.n_escaped += 1;
    }

    /// Whether there are enough to make new packings.
    pub(crate) fn are_many(&self) -> bool {
        self.n_escaped >= self.most
    }

    /// There is no memory for new packings: states that escape go on to escape.
    pub(crate) fn ignore(&mut self) {
        self.most = usize::MAX;
    }

    /// New packings were tried, with so many roots in the table.
    fn forget(&mut self, n_roots: usize) {
        (self.n_escaped, self.most) = (0, FEWEST_ESCAPED.max(n_roots / PART));
    }
}

/// Buffers for making roots of opened states.
#[derive(Default)]
struct Buffers {
    old: Opened,
    new: Opened,
}

/// A table of roots that may get others.
pub(crate) trait Roots: Sized {
    /// Number of roots.
    fn n_roots(&self) -> usize;

    /// All roots.
    fn for_each_root(&self, f: impl FnMut(u64));

    /// About so many of the roots, from all over the table.
    fn some(&self, n_roots: usize) -> Vec<u64> {
        let every = self.n_roots().div_ceil(n_roots).max(1);
        let (mut roots, mut index) = (Vec::new(), 0);
        self.for_each_root(|root| {
            if index % every == 0 {
                roots.push(root);
            }
            index += 1;
        });
        roots
    }

    /// The same table with other roots.
    fn rebuilt(&self, new_root: impl FnMut(u64) -> u64) -> Self;
}

impl Roots for RootTable {
    fn n_roots(&self) -> usize {
        self.len()
    }

    fn for_each_root(&self, f: impl FnMut(u64)) {
        self.for_each(f);
    }

    fn rebuilt(&self, new_root: impl FnMut(u64) -> u64) -> RootTable {
        self.renewed(new_root)
    }
}

impl Roots for NumberedTable {
    fn n_roots(&self) -> usize {
        self.len()
    }

    fn for_each_root(&self, mut f: impl FnMut(u64)) {
        self.for_each(|root, _| f(root));
    }

    fn rebuilt(&self, new_root: impl FnMut(u64) -> u64) -> NumberedTable {
        self.renewed(new_root)
    }
}

impl Packer {
    /// Whether a key or root may not be what it would be if it were made now.
    #[inline(always)]
    pub(crate) fn may_be_old(&self, key: u64) -> bool {
        const TREES: u32 = 1 << (TREE >> ROOT_BITS);
        (self.packings.stale | TREES) >> (key >> ROOT_BITS) & 1 != 0
    }

    /// Packs states better of lengths of which some have escaped, if it can. All roots are in the table.
    #[cold]
    pub(crate) fn refit<T: Roots>(&mut self, escapes: &mut Escapes, roots: &mut T) {
        let mut buffers = Buffers::default();
        let sample = roots.some(SAMPLE);
        let sample: Vec<Vec<u8>> =
            sample.into_iter().map(|root| self.open(root, &mut buffers.old).to_vec()).collect();
        let stale = self.packings.stale;
        self.replace_packings(&sample);
        if self.packings.stale != stale {
            *roots = roots
                .rebuilt(|root| if self.may_be_old(root) { self.renew(root, &mut buffers) } else { root });
        }
        escapes.forget(roots.n_roots());
    }

    /// Adds packings for the lengths of which some states have escaped.
    fn replace_packings(&mut self, sample: &[Vec<u8>]) {
        let current = self.packings.by_length.iter().flatten().map(|&index| &self.packings.all[index]);
        let escaping = current.filter(|packing| packing.has_escaped.load(Ordering::Relaxed));
        let lengths: Vec<usize> = escaping.map(|packing| packing.length).collect();
        let aim = self.packings.aim;
        for length in lengths {
            let states: Vec<&[u8]> =
                sample.iter().map(Vec::as_slice).filter(|state| state.len() == length).collect();
            if states.len() >= FEWEST
                && self.packings.may_add(length)
                && let Some(plans) = Plans::fit(&states, &self.packings.apart)
            {
                self.packings.add(&states, &plans.into_plan(aim));
            }
        }
    }

    /// The root that goes with a key that may be old.
    #[inline(never)]
    pub(crate) fn settle(&mut self, key: u64) -> u64 {
        if self.is_settled(key) {
            Packer::without_time(key)
        } else {
            self.renew(key, &mut Buffers::default())
        }
    }

    /// Like [`Packer::settle`], beside other threads; none when [`Packer::grow`] has to be called first.
    #[inline(never)]
    pub(crate) fn settle_shared(&self, key: u64, claims: &mut Claims) -> Option<u64> {
        if self.is_settled(key) {
            return Some(Packer::without_time(key));
        }
        let mut buffers = Buffers::default();
        let state = self.open(key, &mut buffers.old);
        self.root_shared(state, &mut buffers.new, claims).map(Packer::without_time)
    }

    /// Like [`Packer::settle`] when nothing must be interned: none when the root cannot be one that was made.
    #[inline(never)]
    pub(crate) fn find_settled(&self, key: u64) -> Option<u64> {
        if self.is_settled(key) {
            return Some(Packer::without_time(key));
        }
        let mut buffers = Buffers::default();
        let state = self.open(key, &mut buffers.old);
        buffers.new.fold(state, &self.packings, Known(&self.words)).map(Packer::without_time)
    }

    /// The root that a state has now whose key or root was made earlier.
    fn renew(&mut self, old: u64, buffers: &mut Buffers) -> u64 {
        self.open(old, &mut buffers.old);
        let state = buffers.old.state();
        loop {
            match self.root(state, &mut buffers.new) {
                Some(key) => return Packer::without_time(key),
                None if self.growth().is_some() => self.grow(),
                // No packing for it, then.
                None => return Packer::without_time(old),
            }
        }
    }

    /// A key or root without the number of packings that there were.
    #[inline(always)]
    pub(crate) fn without_time(key: u64) -> u64 {
        if Packer::is_escaped(key) { key & !(u64::from(u8::MAX) << TIME_SHIFT) } else { key }
    }

    /// Whether a key that may be old is not.
    fn is_settled(&self, key: u64) -> bool {
        let time = key >> TIME_SHIFT & u64::from(u8::MAX);
        Packer::is_escaped(key) && time == self.packings.all.len() as u64
    }
}
