//! A set of roots in one format.
//!
//! A root goes to the bucket that its hash names, or the next one with an empty slot. Nothing is ever removed, and
//! slots of a bucket are used in order, so a bucket with an empty slot ends every search. The few roots for which
//! the format has no word are *strays*, kept in a set of their own; when there are many, the table has to grow, and
//! may get another format.
//!
//! Threads insert through `&self` with a compare-and-swap of an empty slot. The loser of a race looks at the bucket
//! again, and finds either its own root or another one, and goes on. There is nothing to publish besides the
//! word itself, so that no ordering is needed.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::format::Format;
use super::slot::{LINE, Slot};
use super::{Added, LARGE, Step};
use crate::prefetch::prefetch;
use crate::sync::{AtomicUsize, Ordering, RESERVES, try_zeroed, zeroed};

/// A set of words other than 0.
#[derive(Debug)]
pub(crate) struct Table<F: Format> {
    /// And a reserve.
    pub(super) slots: Box<[F::Slot]>,
    /// Slots before the first bucket, which starts a cache line.
    pub(super) n_before: usize,
    pub(super) format: F,
    /// Roots in the table, and places that threads have claimed for more.
    pub(super) n_claimed: AtomicUsize,
    /// With this many the table has to grow.
    n_crowded: usize,
    /// How full it is meant to be.
    pub(super) step: Step,
    /// By how many eighths it grows next, if it is large.
    pub(super) n_eighths: usize,
    strays: Mutex<HashSet<u64>>,
}

/// What a search for a root has found.
enum Found<'t, S> {
    /// It is there.
    Known,
    /// It is not, and this is the slot for it, and the word to put there.
    Room(&'t S, u64),
    /// The format has no word for it: it is a stray, or will be.
    Stray,
}

impl<F: Format> Table<F> {
    pub(super) fn new(format: F, step: Step) -> Table<F> {
        let n_buckets = format.n_buckets();
        let n_slots = |n_buckets: usize| (n_buckets + 1) * F::Slot::PER_BUCKET - 1;
        let reserves = if n_buckets >= LARGE { &RESERVES[..] } else { &[] };
        let reserved = reserves.iter().find_map(|reserve| try_zeroed(n_slots(n_buckets * reserve)));
        let slots: Box<[F::Slot]> = reserved.unwrap_or_else(|| zeroed(n_slots(n_buckets)));
        let address = slots.as_ptr().addr();
        let n_before =
            if cfg!(loom) { 0 } else { (address.next_multiple_of(LINE) - address) / size_of::<F::Slot>() };
        let n_claimed = AtomicUsize::new(0);
        let n_crowded = step.most_roots(n_buckets * F::Slot::PER_BUCKET);
        let strays = Mutex::default();
        Table { slots, n_before, format, n_claimed, n_crowded, step, n_eighths: 8, strays }
    }

    /// The table takes another format, for which its slots are filled already.
    pub(super) fn set_format(&mut self, format: F) {
        self.n_crowded = self.step.most_roots(format.n_buckets() * F::Slot::PER_BUCKET);
        self.n_eighths = 8;
        self.format = format;
    }

    /// Number of roots, when no thread has claims.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.n_claimed.load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub(super) fn bucket(&self, index: usize) -> &[F::Slot] {
        let start = self.n_before + index * F::Slot::PER_BUCKET;
        &self.slots[start..start + F::Slot::PER_BUCKET]
    }

    #[inline(always)]
    fn bucket_after(&self, index: usize) -> usize {
        if index + 1 == self.format.n_buckets() { 0 } else { index + 1 }
    }

    /// Asks for the line in which a search starts.
    #[inline(always)]
    pub(super) fn prefetch(&self, root: u64) {
        if let Some((home, _)) = self.format.locate(root) {
            prefetch(&self.slots[self.n_before + home * F::Slot::PER_BUCKET]);
        }
    }

    #[inline(always)]
    fn find(&self, root: u64) -> Found<'_, F::Slot> {
        debug_assert_ne!(root, 0);
        let Some((mut index, mut word)) = self.format.locate(root) else {
            return Found::Stray;
        };
        loop {
            let bucket = self.bucket(index);
            let (is_there, empty) = F::Slot::scan(bucket, word);
            if is_there {
                return Found::Known;
            }
            if empty < F::Slot::PER_BUCKET {
                return Found::Room(&bucket[empty], word);
            }
            index = self.bucket_after(index);
            match self.format.next(word) {
                Some(next) => word = next,
                None => return Found::Stray,
            }
        }
    }

    #[cold]
    fn strays(&self) -> MutexGuard<'_, HashSet<u64>> {
        self.strays.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a root is there.
    #[inline(always)]
    pub(super) fn contains(&self, root: u64) -> bool {
        match self.find(root) {
            Found::Known => true,
            Found::Room(..) => false,
            Found::Stray => self.strays().contains(&root),
        }
    }

    /// Adds a root unless it is there.
    #[inline(always)]
    pub(super) fn insert(&mut self, root: u64) -> Added {
        let n_roots = self.len();
        match self.find(root) {
            Found::Known => return Added::Known,
            Found::Room(..) if n_roots >= self.n_crowded => return Added::Crowded,
            Found::Room(slot, word) => slot.store(word),
            Found::Stray => match self.insert_stray(root, n_roots < self.n_crowded) {
                Added::New => (),
                otherwise => return otherwise,
            },
        }
        self.n_claimed.store(n_roots + 1, Ordering::Relaxed);
        Added::New
    }

    /// Like [`Table::insert`], beside other threads. A thread claims places, `block` at a time.
    #[inline(always)]
    pub(super) fn insert_shared(&self, root: u64, claim: &mut usize, block: usize) -> Added {
        loop {
            let found = self.find(root);
            if matches!(found, Found::Known) {
                return Added::Known;
            }
            if *claim == 0 {
                *claim = self.claim(block);
            }
            let added = match found {
                Found::Room(..) if *claim == 0 => Added::Crowded,
                Found::Room(slot, word) if slot.fill(word) => Added::New,
                Found::Stray => self.insert_stray(root, *claim > 0),
                _ => continue,
            };
            if added == Added::New {
                *claim -= 1;
            }
            return added;
        }
    }

    /// Adds a root for which there is no word unless it is there, or there are too many.
    #[cold]
    fn insert_stray(&self, root: u64, may_add: bool) -> Added {
        let mut strays = self.strays();
        if strays.contains(&root) {
            return Added::Known;
        }
        if !may_add || strays.len() >= self.most_strays() {
            return Added::Crowded;
        }
        strays.insert(root);
        Added::New
    }

    fn most_strays(&self) -> usize {
        self.format.n_buckets() / 8 + 16
    }

    /// Claims at most this many places; none when the table is crowded.
    #[cold]
    fn claim(&self, block: usize) -> usize {
        let mut n_claimed = self.len();
        loop {
            let claim = block.min(self.n_crowded.saturating_sub(n_claimed));
            let after = n_claimed + claim;
            match self.n_claimed.compare_exchange(n_claimed, after, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return claim,
                Err(now) => n_claimed = now,
            }
        }
    }

    /// Whether the table has to grow before anything is added.
    pub(super) fn is_crowded(&self) -> bool {
        self.len() >= self.n_crowded || self.has_many_strays()
    }

    pub(super) fn has_many_strays(&self) -> bool {
        self.strays().len() >= self.most_strays()
    }

    pub(super) fn n_buckets_after_growth(&self) -> usize {
        let n_buckets = self.format.n_buckets();
        if n_buckets < LARGE { n_buckets * 2 } else { n_buckets / 8 * (8 + self.n_eighths) }
    }

    pub(super) fn has_reserve(&self) -> bool {
        self.n_before + self.n_buckets_after_growth() * F::Slot::PER_BUCKET <= self.slots.len()
    }

    /// All roots.
    pub(super) fn for_each(&self, mut f: impl FnMut(u64)) {
        for index in 0..self.format.n_buckets() {
            for slot in self.bucket(index) {
                match slot.load() {
                    0 => break,
                    word => f(self.format.root(word, index)),
                }
            }
        }
        self.strays().iter().copied().for_each(f);
    }

    /// Enters a root that is not there into the first of these buckets that has room, in a format that the table may
    /// not have yet; false when none has. No other thread uses the buckets.
    #[inline(always)]
    pub(super) fn put(&self, mut word: u64, buckets: Range<usize>, format: &F) -> bool {
        for index in buckets {
            let bucket = self.bucket(index);
            if let Some(slot) = bucket.get(F::Slot::scan(bucket, word).1) {
                slot.store(word);
                return true;
            }
            match format.next(word) {
                Some(next) => word = next,
                None => return false,
            }
        }
        false
    }

    /// Enters a root that is not there into the first bucket that has room, or else among the strays, without counting it.
    pub(super) fn put_anywhere(&mut self, root: u64) {
        match self.find(root) {
            Found::Room(slot, word) => slot.store(word),
            Found::Stray | Found::Known => _ = self.strays().insert(root),
        }
    }

    /// Gives up all strays.
    pub(super) fn take_strays(&mut self) -> HashSet<u64> {
        std::mem::take(self.strays.get_mut().unwrap_or_else(PoisonError::into_inner))
    }

    /// Bytes of memory in use.
    pub(super) fn bytes(&self) -> usize {
        let strays = self.strays().capacity() * (size_of::<u64>() + 1);
        self.format.n_buckets() * LINE + strays
    }
}
