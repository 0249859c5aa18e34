//! A set of roots: one cache line for a look-up.
//!
//! A root is a 64-bit word other than 0 that says everything about a state, so the table holds the roots
//! themselves: eight to a bucket of one cache line, compared all at once; 0 is an empty slot. A root goes to the
//! bucket that its hash names, or the next one with an empty slot. Nothing is ever removed, and slots of a bucket
//! are used in order, so a bucket with an empty slot ends every search.
//!
//! The bucket is the upper half of the hash times the number of buckets (Lemire, "Fast Random Integer Generation
//! in an Interval", ACM TOMACS 2019): any number of buckets will do, and a root with a greater hash is in a later
//! bucket, however many there are. So a table grows where it is, and fast ([`growth`]).
//!
//! Threads insert through `&self` with a compare-and-swap of an empty slot. The loser of a race looks at the slot
//! again, and finds either its own root or another one, and goes on. There is nothing to publish besides the
//! word itself, so that no ordering is needed.

mod growth;
mod scan;

use std::ops::Range;

use crate::prefetch::prefetch;
use crate::sync::{AtomicU64, AtomicUsize, Ordering, RESERVES, try_zeroed_words, zeroed_words};
pub(crate) use growth::Growth;
use scan::scan;

/// Slots in a bucket.
const BUCKET: usize = 8;
/// Buckets of a new table.
const FIRST_BUCKETS: usize = if cfg!(loom) { 1 } else { 64 };
/// Tables of fewer buckets have no reserve and are copied when they grow.
const LARGE: usize = if cfg!(test) { 1 << 8 } else { 1 << 16 };
/// Roots in a full table, for each bucket: a load of 0.8.
const CROWD: (usize, usize) = (32, 5);

/// A set of words other than 0.
#[derive(Debug)]
pub(crate) struct RootTable {
    /// And a reserve.
    slots: Box<[AtomicU64]>,
    /// Slots before the first bucket, which starts a cache line.
    n_before: usize,
    n_buckets: usize,
    /// Roots in the table, and places that threads have claimed for more.
    n_claimed: AtomicUsize,
    /// With this many the table has to grow.
    n_crowded: usize,
    /// By how many quarters it grows next, if it is large.
    n_quarters: usize,
}

/// What became of an insertion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Added {
    /// The root was not there, and is now.
    New,
    /// It was there.
    Known,
    /// It was not there, and the table must grow first.
    Crowded,
}

impl RootTable {
    /// An empty table.
    pub(crate) fn new() -> RootTable {
        RootTable::with_buckets(FIRST_BUCKETS)
    }

    fn with_buckets(n_buckets: usize) -> RootTable {
        let n_slots = |n_buckets: usize| (n_buckets + 1) * BUCKET - 1;
        let reserves = if n_buckets >= LARGE { &RESERVES[..] } else { &[] };
        let reserved = reserves.iter().find_map(|reserve| try_zeroed_words(n_slots(n_buckets * reserve)));
        let slots = reserved.unwrap_or_else(|| zeroed_words(n_slots(n_buckets)));
        let n_before = n_until_line(&slots);
        let n_crowded = most_roots(n_buckets);
        RootTable { slots, n_before, n_buckets, n_claimed: AtomicUsize::new(0), n_crowded, n_quarters: 4 }
    }

    /// Number of roots, when no thread has claims.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.n_claimed.load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn hash(root: u64) -> u64 {
        let product = u128::from(root ^ 0x9e37_79b9_7f4a_7c15) * 0xd1b5_4a32_d192_ed03_u128;
        let folded = (product as u64) ^ ((product >> 64) as u64);
        folded.wrapping_mul(0xaef1_7502_108e_f2d9)
    }

    #[inline(always)]
    fn home(&self, root: u64) -> usize {
        home_among(root, self.n_buckets)
    }

    #[inline(always)]
    fn bucket(&self, index: usize) -> &[AtomicU64; BUCKET] {
        let start = self.n_before + index * BUCKET;
        self.slots[start..start + BUCKET].as_array().expect("a bucket has its slots")
    }

    #[inline(always)]
    fn bucket_after(&self, index: usize) -> usize {
        if index + 1 == self.n_buckets { 0 } else { index + 1 }
    }

    /// Asks for the line in which a search starts.
    #[inline(always)]
    pub(crate) fn prefetch(&self, root: u64) {
        prefetch(&self.slots[self.n_before + self.home(root) * BUCKET]);
    }

    /// Whether a root is there, or else the slot for it.
    #[inline(always)]
    fn find(&self, root: u64) -> Result<(), &AtomicU64> {
        debug_assert_ne!(root, 0);
        let mut index = self.home(root);
        loop {
            let bucket = self.bucket(index);
            let (is_there, empty) = scan(bucket, root);
            if is_there {
                return Ok(());
            }
            if empty < BUCKET {
                return Err(&bucket[empty]);
            }
            index = self.bucket_after(index);
        }
    }

    /// Whether a root is there.
    #[inline(always)]
    pub(crate) fn contains(&self, root: u64) -> bool {
        self.find(root).is_ok()
    }

    /// Adds a root unless it is there.
    #[inline(always)]
    pub(crate) fn insert(&mut self, root: u64) -> Added {
        let n_roots = self.n_claimed.load(Ordering::Relaxed);
        match self.find(root) {
            Ok(()) => Added::Known,
            Err(_) if n_roots >= self.n_crowded => Added::Crowded,
            Err(slot) => {
                slot.store(root, Ordering::Relaxed);
                self.n_claimed.store(n_roots + 1, Ordering::Relaxed);
                Added::New
            }
        }
    }

    /// Like [`RootTable::insert`], beside other threads. A thread claims places, `block` at a time.
    #[inline(always)]
    pub(crate) fn insert_shared(&self, root: u64, claim: &mut usize, block: usize) -> Added {
        loop {
            let slot = match self.find(root) {
                Ok(()) => return Added::Known,
                Err(slot) => slot,
            };
            if *claim == 0 {
                *claim = self.claim(block);
                if *claim == 0 {
                    return Added::Crowded;
                }
            }
            if slot.compare_exchange(0, root, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                *claim -= 1;
                return Added::New;
            }
        }
    }

    /// Claims at most this many places; none when the table is crowded.
    #[cold]
    fn claim(&self, block: usize) -> usize {
        let mut n_claimed = self.n_claimed.load(Ordering::Relaxed);
        loop {
            let claim = block.min(self.n_crowded.saturating_sub(n_claimed));
            let after = n_claimed + claim;
            match self.n_claimed.compare_exchange(n_claimed, after, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return claim,
                Err(now) => n_claimed = now,
            }
        }
    }

    /// Gives up places that were claimed and not used.
    #[cfg(test)]
    pub(crate) fn give_up(&self, claim: &mut usize) {
        self.n_claimed.fetch_sub(std::mem::take(claim), Ordering::Relaxed);
    }

    /// Whether the table has to grow before anything is added.
    #[inline]
    pub(crate) fn is_crowded(&self) -> bool {
        self.len() >= self.n_crowded
    }

    fn n_buckets_after_growth(&self) -> usize {
        if self.n_buckets < LARGE { self.n_buckets * 2 } else { self.n_buckets / 4 * (4 + self.n_quarters) }
    }

    fn has_reserve(&self) -> bool {
        self.n_before + self.n_buckets_after_growth() * BUCKET <= self.slots.len()
    }

    /// Chooses by how much the table grows next: twofold, or less if that does not fit. False when nothing fits.
    pub(crate) fn choose_growth(&mut self, fits: impl Fn(usize) -> bool) -> bool {
        [4, 2, 1].into_iter().any(|n_quarters| {
            self.n_quarters = n_quarters;
            fits(self.growth())
        })
    }

    /// Bytes by which memory grows to make room.
    pub(crate) fn growth(&self) -> usize {
        let n_more = if self.has_reserve() { self.n_buckets } else { 0 };
        (self.n_buckets_after_growth() - n_more) * BUCKET * size_of::<u64>()
    }

    /// Makes room.
    #[cold]
    pub(crate) fn grow(&mut self) {
        let table = std::mem::replace(self, RootTable::with_buckets(1));
        let growth = Growth::new(table);
        growth.work();
        *self = growth.finish();
    }

    /// All roots.
    pub(crate) fn roots(&self) -> impl Iterator<Item = u64> {
        let slots = &self.slots[self.n_before..self.n_before + self.n_buckets * BUCKET];
        slots.iter().map(|slot| slot.load(Ordering::Relaxed)).filter(|&root| root != 0)
    }

    /// A table with other roots in place of these.
    pub(crate) fn renewed(&self, mut renew: impl FnMut(u64) -> u64) -> RootTable {
        /// Roots whose places are asked for at once.
        const BATCH: usize = 64;
        let mut renewed = RootTable::with_buckets(self.n_buckets);
        let mut roots = self.roots();
        let mut n_roots = 0;
        loop {
            let batch: Vec<u64> = roots.by_ref().take(BATCH).map(&mut renew).collect();
            batch.iter().for_each(|&root| renewed.prefetch(root));
            for &root in &batch {
                let added = renewed.insert(root);
                debug_assert_ne!(added, Added::Crowded, "there are no more roots than before");
            }
            n_roots += batch.len();
            if batch.len() < BATCH {
                break;
            }
        }
        // Threads still have what they have claimed.
        renewed.n_claimed.fetch_add(self.len() - n_roots, Ordering::Relaxed);
        renewed
    }

    /// The same table in memory of its own, with more buckets.
    fn copy(&self) -> RootTable {
        let grown = RootTable::with_buckets(self.n_buckets_after_growth());
        grown.n_claimed.store(self.len(), Ordering::Relaxed);
        for slot in &self.slots[self.n_before..self.n_before + self.n_buckets * BUCKET] {
            let root = slot.load(Ordering::Relaxed);
            if root != 0 {
                grown.put_anywhere(root);
            }
        }
        grown
    }

    /// Enters a root that is not there into the first of these buckets that has room; false when none has. No
    /// other thread uses them.
    #[inline(always)]
    fn put(&self, root: u64, buckets: Range<usize>) -> bool {
        for index in buckets {
            let bucket = self.bucket(index);
            if let Some(slot) = bucket.get(scan(bucket, root).1) {
                slot.store(root, Ordering::Relaxed);
                return true;
            }
        }
        false
    }

    /// Enters a root that is not there into the first bucket that has room.
    fn put_anywhere(&self, root: u64) {
        let home = self.home(root);
        let found_room = self.put(root, home..self.n_buckets) || self.put(root, 0..home);
        debug_assert!(found_room, "a table is never full");
    }

    /// Bytes of memory in use.
    pub(crate) fn bytes(&self) -> usize {
        self.n_buckets * BUCKET * size_of::<u64>()
    }
}

/// The bucket among so many in which a search for a root starts.
#[inline(always)]
fn home_among(root: u64, n_buckets: usize) -> usize {
    ((u128::from(RootTable::hash(root)) * n_buckets as u128) >> 64) as usize
}

/// Roots in so many buckets with which a table has to grow.
fn most_roots(n_buckets: usize) -> usize {
    n_buckets * CROWD.0 / CROWD.1
}

/// Slots until the first one at the start of a cache line.
fn n_until_line(slots: &[AtomicU64]) -> usize {
    let address = slots.as_ptr().addr();
    if cfg!(loom) { 0 } else { (address.next_multiple_of(64) - address) / size_of::<AtomicU64>() }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        #[test]
        fn a_table_is_a_set(roots in prop::collection::vec(1..3000_u64, 0..4000), spread: u64) {
            let mut table = RootTable::new();
            let mut expected = HashSet::new();
            for root in roots.iter().map(|root| root.wrapping_mul(spread | 1)) {
                prop_assert_eq!(table.contains(root), expected.contains(&root));
                let mut added = table.insert(root);
                if added == Added::Crowded {
                    table.grow();
                    added = table.insert(root);
                }
                prop_assert_eq!(added == Added::New, expected.insert(root));
                prop_assert_eq!(table.len(), expected.len());
            }
            prop_assert!(expected.iter().all(|&root| table.contains(root)));
        }
    }

    #[test]
    fn a_table_grows_by_less_when_there_is_no_memory_for_twice_as_much() {
        let mut table = RootTable::with_buckets(LARGE);
        let mut n_roots = 0;
        for quarters in [2, 1, 4] {
            while !table.is_crowded() {
                n_roots += 1;
                assert_eq!(table.insert(n_roots), Added::New);
            }
            let (n_buckets, allowed) = (table.n_buckets, table.bytes() * quarters / 4);
            let bytes = table.bytes();
            assert!(!table.choose_growth(|growth| growth < bytes / 8));
            assert!(table.choose_growth(|growth| growth <= allowed));
            table.grow();
            assert_eq!(table.n_buckets, n_buckets / 4 * (4 + quarters));
            assert!((1..=n_roots).all(|root| table.contains(root)));
        }
    }

    #[test]
    fn threads_agree_on_who_was_first() {
        let mut table = RootTable::with_buckets(2000);
        let n_new: usize = std::thread::scope(|scope| {
            let insert_all = |thread: u64| {
                let mut claim = 0;
                let roots = (0..10_000).map(|index| (index + thread * 3000) % 10_000 + 1);
                let n_new =
                    roots.filter(|&root| table.insert_shared(root, &mut claim, 16) == Added::New).count();
                table.give_up(&mut claim);
                n_new
            };
            let threads: Vec<_> = (0..3).map(|thread| scope.spawn(move || insert_all(thread))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
        });
        assert_eq!((n_new, table.len()), (10_000, 10_000));
        table.grow();
        assert!((1..=10_000).all(|root| table.contains(root)));
    }
}
