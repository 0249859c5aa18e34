//! A set of roots: one cache line for a look-up.
//!
//! A root is a 64-bit word other than 0 that says everything about a state, so the table holds the roots
//! themselves: eight to a bucket of one cache line, compared all at once ([`Whole`]). Of most roots far fewer than
//! 64 bits vary; then a table that is not small has slots of half the size, sixteen to a bucket, and a root is what its slot
//! and its bucket say together ([`Quotient`]). Which of the two it is, a table finds out when it grows ([`growth`]).

mod format;
mod growth;
mod quotient;
mod slot;
mod table;

use crate::sync::Ordering;
use format::{Format, Whole};
use quotient::{Quotient, Width};
use slot::LINE;
use table::Table;

/// Buckets of a new table.
const FIRST_BUCKETS: usize = if cfg!(loom) { 1 } else { 64 };
/// Tables of fewer buckets have no reserve and are copied when they grow.
const LARGE: usize = if cfg!(test) { 1 << 8 } else { 1 << 16 };
/// Fewest buckets with slots of half the size: with fewer, most roots would be too wide.
const FEWEST_OF_HALF: usize = if cfg!(test) { 1 << 6 } else { 1 << 10 };
/// Buckets of whole roots with as many slots as one bucket with slots of half the size.
const SLOTS_OF_HALF: usize = 2;

/// A set of words other than 0.
#[derive(Debug)]
pub(crate) enum RootTable {
    Whole(Table<Whole>),
    Quotient(Table<Quotient>),
}

/// A table that grows. Threads that call [`Growth::work`] share what there is to do.
#[derive(Debug)]
pub(crate) enum Growth {
    Whole(growth::Growth<Whole>),
    Quotient(growth::Growth<Quotient>),
    /// A table that had no reserve, or gets another format, is larger at once.
    Done(RootTable),
}

/// How full a table is meant to be, and by how much a large one grows then.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Step {
    /// At four fifths, twofold: roots move once on average, and nearly all of them are in the bucket that their hash names.
    #[default]
    Twofold,
    /// At five sixths, by an eighth: roots move eight times, and a large table is about three quarters full at least.
    Eighth,
}

impl Step {
    /// In eighths, and what else may do.
    fn n_eighths(self) -> &'static [usize] {
        match self {
            Step::Twofold => &[8, 4, 2, 1],
            Step::Eighth => &[1],
        }
    }

    /// Roots with which a table of so many slots is full.
    fn most_roots(self, n_slots: usize) -> usize {
        match self {
            Step::Twofold => n_slots * 4 / 5,
            Step::Eighth => n_slots * 5 / 6,
        }
    }
}

/// What a table is when it has grown.
enum Next {
    /// The same, with more buckets, where it is.
    Larger,
    /// An empty table into which the roots are copied.
    Whole(Whole),
    Quotient(Quotient),
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

/// The same for a table in either format.
macro_rules! in_format {
    ($table:expr, $name:ident => $answer:expr) => {
        match $table {
            RootTable::Whole($name) => $answer,
            RootTable::Quotient($name) => $answer,
        }
    };
}

impl RootTable {
    /// An empty table.
    pub(crate) fn new() -> RootTable {
        RootTable::with_buckets(FIRST_BUCKETS)
    }

    /// An empty table of one bucket whose slots are of half the size.
    #[cfg(all(test, loom))]
    pub(crate) fn new_with_half_slots() -> RootTable {
        let format = Quotient::new(1, Width::default()).expect("nothing is wide");
        RootTable::Quotient(Table::new(format, Step::default()))
    }

    fn with_buckets(n_buckets: usize) -> RootTable {
        RootTable::Whole(Table::new(Whole { n_buckets }, Step::default()))
    }

    /// Number of roots, when no thread has claims.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        in_format!(self, table => table.len())
    }

    /// Asks for the line in which a search starts.
    #[inline(always)]
    pub(crate) fn prefetch(&self, root: u64) {
        in_format!(self, table => table.prefetch(root));
    }

    /// Whether a root is there.
    #[inline(always)]
    pub(crate) fn contains(&self, root: u64) -> bool {
        in_format!(self, table => table.contains(root))
    }

    /// Adds a root unless it is there.
    #[inline(always)]
    pub(crate) fn insert(&mut self, root: u64) -> Added {
        in_format!(self, table => table.insert(root))
    }

    /// Like [`RootTable::insert`], beside other threads. A thread claims places, `block` at a time.
    #[inline(always)]
    pub(crate) fn insert_shared(&self, root: u64, claim: &mut usize, block: usize) -> Added {
        in_format!(self, table => table.insert_shared(root, claim, block))
    }

    /// Gives up places that were claimed and not used.
    #[cfg(test)]
    pub(crate) fn give_up(&self, claim: &mut usize) {
        let claim = std::mem::take(claim);
        in_format!(self, table => table.n_claimed.fetch_sub(claim, Ordering::Relaxed));
    }

    /// Whether the table has to grow before anything is added.
    #[inline]
    pub(crate) fn is_crowded(&self) -> bool {
        in_format!(self, table => table.is_crowded())
    }

    /// Chooses by how much the table grows next: as much as meant, or less if that does not fit. False when nothing fits.
    pub(crate) fn choose_growth(&mut self, meant: Step, fits: impl Fn(usize) -> bool) -> bool {
        in_format!(self, table => table.step = meant);
        meant.n_eighths().iter().any(|&n_eighths| {
            in_format!(self, table => table.n_eighths = n_eighths);
            fits(self.growth())
        })
    }

    /// Bytes by which memory grows to make room.
    pub(crate) fn growth(&self) -> usize {
        match self.next() {
            Next::Larger => in_format!(self, table => {
                (table.n_buckets_after_growth() - table.format.n_buckets()) * LINE
            }),
            Next::Whole(format) => format.n_buckets() * LINE,
            Next::Quotient(format) => format.n_buckets() * LINE,
        }
    }

    fn next(&self) -> Next {
        match self {
            RootTable::Whole(table) => {
                let n_buckets = table.n_buckets_after_growth();
                match self.quotient(n_buckets) {
                    Some(format) => Next::Quotient(format),
                    None if table.has_reserve() => Next::Larger,
                    None => Next::Whole(Whole { n_buckets }),
                }
            }
            RootTable::Quotient(table) => {
                // Strays are too wide, or had no room near their bucket; for the latter it is enough to grow.
                if !table.has_many_strays() && table.has_reserve() {
                    return Next::Larger;
                }
                let n_buckets = table.n_buckets_after_growth() * SLOTS_OF_HALF;
                self.quotient(n_buckets).map_or(Next::Whole(Whole { n_buckets }), Next::Quotient)
            }
        }
    }

    /// The format with slots of half the size for as many as so many buckets have, if it can hold these roots.
    fn quotient(&self, n_buckets: usize) -> Option<Quotient> {
        let n_buckets = n_buckets / SLOTS_OF_HALF;
        if n_buckets < FEWEST_OF_HALF {
            return None;
        }
        let mut width = Width::default();
        self.for_each(|root| width.add(root));
        Quotient::new(n_buckets, width)
    }

    /// Makes room.
    #[cold]
    pub(crate) fn grow(&mut self) {
        let growth = Growth::new(std::mem::replace(self, RootTable::with_buckets(1)));
        growth.work();
        *self = growth.finish();
    }

    /// All roots.
    pub(crate) fn for_each(&self, f: impl FnMut(u64)) {
        in_format!(self, table => table.for_each(f));
    }

    /// A table with other roots in place of these.
    pub(crate) fn renewed(&self, mut renew: impl FnMut(u64) -> u64) -> RootTable {
        /// Roots whose places are asked for at once.
        const BATCH: usize = 64;
        let n_buckets = match self {
            RootTable::Whole(table) => table.format.n_buckets(),
            RootTable::Quotient(table) => table.format.n_buckets() * SLOTS_OF_HALF,
        };
        let step = in_format!(self, table => table.step);
        let mut renewed = RootTable::Whole(Table::new(Whole { n_buckets }, step));
        let mut batch = Vec::with_capacity(BATCH);
        let mut add_all = |batch: &mut Vec<u64>| {
            batch.iter().for_each(|&root| renewed.prefetch(root));
            for root in batch.drain(..) {
                let added = renewed.insert(root);
                debug_assert_ne!(added, Added::Crowded, "there are no more roots than before");
            }
        };
        let mut n_roots = 0;
        self.for_each(|root| {
            n_roots += 1;
            batch.push(renew(root));
            if batch.len() == BATCH {
                add_all(&mut batch);
            }
        });
        add_all(&mut batch);
        // Threads still have what they have claimed.
        in_format!(&renewed, table => table.n_claimed.fetch_add(self.len() - n_roots, Ordering::Relaxed));
        renewed
    }

    /// The same roots in a table of another format.
    fn copy<F: Format>(&self, format: F) -> Table<F> {
        let mut copy = Table::new(format, in_format!(self, table => table.step));
        copy.n_claimed.store(self.len(), Ordering::Relaxed);
        self.for_each(|root| copy.put_anywhere(root));
        copy
    }

    /// Bytes of memory in use.
    pub(crate) fn bytes(&self) -> usize {
        in_format!(self, table => table.bytes())
    }
}

impl Growth {
    /// Begins to make a table larger.
    pub(crate) fn new(table: RootTable) -> Growth {
        match (table.next(), table) {
            (Next::Larger, RootTable::Whole(table)) => Growth::Whole(growth::Growth::new(table)),
            (Next::Larger, RootTable::Quotient(table)) => Growth::Quotient(growth::Growth::new(table)),
            (Next::Whole(format), table) => Growth::Done(RootTable::Whole(table.copy(format))),
            (Next::Quotient(format), table) => Growth::Done(RootTable::Quotient(table.copy(format))),
        }
    }

    /// Moves pieces until none is left.
    pub(crate) fn work(&self) {
        match self {
            Growth::Whole(growth) => growth.work(),
            Growth::Quotient(growth) => growth.work(),
            Growth::Done(_) => (),
        }
    }

    /// The table when all work is done.
    pub(crate) fn finish(self) -> RootTable {
        match self {
            Growth::Whole(growth) => RootTable::Whole(growth.finish()),
            Growth::Quotient(growth) => RootTable::Quotient(growth.finish()),
            Growth::Done(table) => table,
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::packing::TAG_SHIFT;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn add(table: &mut RootTable, root: u64) -> Added {
        match table.insert(root) {
            Added::Crowded => {
                table.grow();
                table.insert(root)
            }
            added => added,
        }
    }

    fn is_quotient(table: &RootTable) -> bool {
        matches!(table, RootTable::Quotient(_))
    }

    /// The root of a packing with so many numbered states, spread over so many bits.
    fn root(number: u64, n_bits: u32) -> u64 {
        3 << TAG_SHIFT | (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) % (1 << n_bits))
    }

    proptest! {
        #[test]
        fn a_table_is_a_set(
            roots in prop::collection::vec(1..3000_u64, 0..4000),
            more in prop::collection::vec(1..12_000_u64, 0..8000),
            spread: u64,
            n_bits in 12..50_u32,
        ) {
            let mut table = RootTable::new();
            let mut expected = HashSet::new();
            // Roots that grow wider, and then some of all kinds.
            let narrow = more.iter().map(|&number| root(number, n_bits.min(12 + number as u32 / 200)));
            let wide = roots.iter().map(|root| root.wrapping_mul(spread | 1));
            for root in narrow.chain(wide) {
                prop_assert_eq!(table.contains(root), expected.contains(&root));
                prop_assert_eq!(add(&mut table, root) == Added::New, expected.insert(root));
                prop_assert_eq!(table.len(), expected.len());
            }
            prop_assert!(expected.iter().all(|&root| table.contains(root)));
            let mut seen = HashSet::new();
            table.for_each(|root| assert!(seen.insert(root)));
            prop_assert!(seen == expected);
            let renewed = table.renewed(|root| root ^ 1 << 58);
            prop_assert_eq!(renewed.len(), expected.len());
            prop_assert!(expected.iter().all(|&root| renewed.contains(root ^ 1 << 58)));
        }
    }

    #[test]
    fn narrow_roots_take_half_the_memory() {
        let mut table = RootTable::new();
        let mut n_bytes = 0;
        for number in 0..100_000 {
            assert_eq!(add(&mut table, root(number, 32)), Added::New);
            n_bytes = n_bytes.max(table.bytes());
        }
        assert!(is_quotient(&table));
        assert!(n_bytes <= (1 << 18) * size_of::<u32>() + 1000, "{n_bytes}");
        assert!((0..100_000).all(|number| table.contains(root(number, 32))));
        assert!((100_000..101_000).all(|number| !table.contains(root(number, 32))));
    }

    #[test]
    fn a_table_changes_its_format_when_many_roots_are_too_wide() {
        let mut table = RootTable::new();
        (0..3000).for_each(|number| assert_eq!(add(&mut table, root(number, 20)), Added::New));
        assert!(is_quotient(&table));
        let n_bytes = table.bytes();
        // A few are no reason to change.
        (1..10).for_each(|number| assert_eq!(add(&mut table, root(number, 58)), Added::New));
        assert!(is_quotient(&table) && table.bytes() < n_bytes + 1000);
        (10..200).for_each(|number| assert_eq!(add(&mut table, root(number, 58)), Added::New));
        assert!(!is_quotient(&table));
        assert!((0..3000).all(|number| table.contains(root(number, 20))));
        assert!((0..200).all(|number| table.contains(root(number, 58))));
        assert_eq!(table.len(), 3199);
    }

    #[test]
    fn a_table_grows_by_less_when_there_is_no_memory_for_twice_as_much() {
        // Roots that stay whole, and roots that do not.
        for n_bits in [58, 30] {
            let mut table = RootTable::with_buckets(LARGE * SLOTS_OF_HALF);
            let mut n_roots = 0;
            for quarters in [4, 2, 1, 4] {
                while !table.is_crowded() {
                    n_roots += 1;
                    assert_eq!(table.insert(root(n_roots, n_bits)), Added::New);
                }
                let bytes = table.bytes();
                assert!(!table.choose_growth(Step::Twofold, |growth| growth < bytes / 16));
                assert!(table.choose_growth(Step::Twofold, |growth| growth <= bytes * quarters / 4));
                let is_first = quarters == 4 && n_roots < 5000 && n_bits == 30;
                table.grow();
                assert_eq!(is_quotient(&table), n_bits == 30);
                // With slots of half the size, twice as many take no more memory.
                let after = if is_first { bytes } else { bytes / 4 * (4 + quarters) };
                assert_eq!(table.bytes(), after);
                assert!((1..=n_roots).all(|number| table.contains(root(number, n_bits))));
            }
        }
    }

    #[test]
    fn a_table_that_is_meant_to_grow_by_an_eighth_stays_nearly_full() {
        for n_bits in [58, 30] {
            let mut table = RootTable::with_buckets(LARGE * SLOTS_OF_HALF);
            let mut n_roots = 0;
            for time in 0..20 {
                while !table.is_crowded() {
                    n_roots += 1;
                    assert_eq!(table.insert(root(n_roots, n_bits)), Added::New);
                }
                let (bytes, was_quotient) = (table.bytes(), is_quotient(&table));
                assert!(table.choose_growth(Step::Eighth, |_| true));
                table.grow();
                let is_changed = was_quotient != is_quotient(&table);
                assert!(is_changed || table.bytes() / LINE == bytes / LINE / 8 * 9, "time {time}");
                assert!((1..=n_roots).all(|number| table.contains(root(number, n_bits))));
            }
            let n_slots = table.bytes() / if n_bits == 30 { 4 } else { 8 };
            assert!(n_roots as usize >= n_slots / 100 * 74, "{n_roots} of {n_slots}");
        }
    }

    #[test]
    fn threads_agree_on_who_was_first() {
        for n_bits in [30, 58] {
            // Large enough for all, after it has grown once.
            let mut table = RootTable::with_buckets(1000);
            assert_eq!(table.insert(root(0, 30)), Added::New);
            table.grow();
            assert!(is_quotient(&table));
            // Those of 58 bits are strays at first, for as long as there is room for such.
            let n_roots = if n_bits == 30 { 10_000 } else { 100 };
            let n_new: usize = std::thread::scope(|scope| {
                let insert_all = |thread: u64| {
                    let mut claim = 0;
                    let numbers = (0..n_roots).map(|index| (index + thread * n_roots / 3) % n_roots + 1);
                    let is_new = |&number: &u64| {
                        table.insert_shared(root(number, n_bits), &mut claim, 16) == Added::New
                    };
                    let n_new = numbers.filter(is_new).count();
                    table.give_up(&mut claim);
                    n_new
                };
                let threads: Vec<_> = (0..3).map(|thread| scope.spawn(move || insert_all(thread))).collect();
                threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
            });
            assert_eq!((n_new, table.len()), (n_roots as usize, n_roots as usize + 1));
            table.grow();
            assert!((1..=n_roots).all(|number| table.contains(root(number, n_bits))));
        }
    }
}
