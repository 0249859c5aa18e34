//! New packings when many states have turned out to be unlike the sample.
//!
//! They are the next sample, together with what is known from the one before. As long as there are few states and the
//! new packing is simple, all states of this length are packed by it from then on: those stored so far get new roots,
//! and the packings before it are *stale*, only good for opening states that a search still knows by their old ids.
//! Otherwise what an earlier packing covers is still packed by that, and only the states that have escaped may get
//! new roots. (Giving all of them new ones again and again was measured to cost more than it saves.)
//!
//! A key is made before it is inserted, so that it may be old by then: one of a stale packing, or of a tree, which
//! therefore says how many packings there were when it was made. Such a key is *settled* first.

use super::{Claims, Known, Opened, Packer, ROOT_BITS, TIME_SHIFT, TREE, fit};
use crate::numbered_table::NumberedTable;
use crate::root_table::{Added, RootTable};

/// Fewest states of a length that are worth a new packing.
const FEWEST: usize = 64;

/// With more states than this, only those that have escaped get new roots.
const FEW_STATES: usize = 1 << 17;

/// What has got a new root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Renewed {
    /// Nothing: there is no new packing.
    Nothing,
    /// So many of the escaped states. Their old roots are still in the table, too.
    Escaped(usize),
    /// All that needed one, and no old roots are left.
    All,
}

/// Buffers for making roots of opened states.
#[derive(Default)]
struct Buffers {
    old: Opened,
    new: Opened,
}

/// A table of roots that may get others.
pub(crate) trait Roots: Sized {
    /// Number of roots, old ones included.
    fn n_roots(&self) -> usize;

    /// The same table with other roots.
    fn rebuilt(&self, new_root: impl FnMut(u64) -> u64) -> Self;

    /// Adds the new root of a state whose old one is there.
    fn add_renewed(&mut self, old: u64, new: u64);
}

impl Roots for RootTable {
    fn n_roots(&self) -> usize {
        self.len()
    }

    fn rebuilt(&self, new_root: impl FnMut(u64) -> u64) -> RootTable {
        self.renewed(new_root)
    }

    fn add_renewed(&mut self, _: u64, new: u64) {
        if self.insert(new) == Added::Crowded {
            self.grow();
            self.insert(new);
        }
    }
}

impl Roots for NumberedTable {
    fn n_roots(&self) -> usize {
        self.len()
    }

    fn rebuilt(&self, new_root: impl FnMut(u64) -> u64) -> NumberedTable {
        self.renewed(new_root)
    }

    fn add_renewed(&mut self, old: u64, new: u64) {
        self.rename(old, new);
    }
}

impl Packer {
    /// Whether a key or root may not be what it would be if it were made now.
    #[inline(always)]
    pub(crate) fn may_be_old(&self, key: u64) -> bool {
        const TREES: u32 = 1 << (TREE >> ROOT_BITS);
        (self.packings.stale | TREES) >> (key >> ROOT_BITS) & 1 != 0
    }

    /// Packs states better that have escaped, if it can: these are their roots, and all roots are in the table.
    #[cold]
    pub(crate) fn refit<T: Roots>(&mut self, escaped: &mut Vec<u64>, roots: &mut T) -> Renewed {
        let mut buffers = Buffers::default();
        let last = escaped.iter().rev().take(fit::MOST_STATES);
        let sample: Vec<Vec<u8>> = last.map(|&root| self.open(root, &mut buffers.old).to_vec()).collect();
        let stale = self.packings.stale;
        let sample: Vec<&[u8]> = sample.iter().map(Vec::as_slice).collect();
        if !self.add_packings(&sample, FEWEST, roots.n_roots() <= FEW_STATES) {
            return Renewed::Nothing;
        }
        if self.packings.stale != stale {
            escaped.clear();
            *roots = roots.rebuilt(|root| {
                let new = if self.may_be_old(root) { self.renew(root, &mut buffers) } else { root };
                escaped.extend(Packer::is_escaped(new).then_some(new));
                new
            });
            // Those that had two roots were seen twice.
            escaped.sort_unstable();
            escaped.dedup();
            return Renewed::All;
        }
        let n_before = escaped.len();
        escaped.retain(|&root| {
            let new = self.renew(root, &mut buffers);
            if new != root {
                roots.add_renewed(root, new);
            }
            new == root
        });
        Renewed::Escaped(n_before - escaped.len())
    }

    /// The root that goes with a key that may be old.
    #[inline(never)]
    pub(crate) fn settle(&mut self, key: u64) -> u64 {
        if self.is_settled(key) { without_time(key) } else { self.renew(key, &mut Buffers::default()) }
    }

    /// Like [`Packer::settle`], beside other threads; none when [`Packer::grow`] has to be called first.
    #[inline(never)]
    pub(crate) fn settle_shared(&self, key: u64, claims: &mut Claims) -> Option<u64> {
        if self.is_settled(key) {
            return Some(without_time(key));
        }
        let mut buffers = Buffers::default();
        let state = self.open(key, &mut buffers.old);
        self.root_shared(state, &mut buffers.new, claims).map(without_time)
    }

    /// Like [`Packer::settle`] when nothing must be interned: none when the root cannot be one that was made.
    #[inline(never)]
    pub(crate) fn find_settled(&self, key: u64) -> Option<u64> {
        if self.is_settled(key) {
            return Some(without_time(key));
        }
        let mut buffers = Buffers::default();
        let state = self.open(key, &mut buffers.old);
        buffers.new.fold(state, &self.packings, Known(&self.words)).map(without_time)
    }

    /// The root that a state has now whose key or root was made earlier.
    fn renew(&mut self, old: u64, buffers: &mut Buffers) -> u64 {
        self.open(old, &mut buffers.old);
        let state = &buffers.old.bytes[..buffers.old.length];
        loop {
            match self.root(state, &mut buffers.new) {
                Some(key) => return without_time(key),
                None if self.growth().is_some() => self.grow(),
                // No packing for it, then.
                None => return without_time(old),
            }
        }
    }

    /// Whether a key that may be old is not.
    fn is_settled(&self, key: u64) -> bool {
        let time = key >> TIME_SHIFT & u64::from(u8::MAX);
        Packer::is_escaped(key) && time == self.packings.all.len() as u64
    }
}

/// A key or root without the number of packings that there were.
#[inline(always)]
fn without_time(key: u64) -> u64 {
    if Packer::is_escaped(key) { key & !(u64::from(u8::MAX) << TIME_SHIFT) } else { key }
}
