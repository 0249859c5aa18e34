//! Growth of a table of roots where it is.
//!
//! Memory for a much larger table is reserved, which costs nothing until it is touched. A root with a greater hash is
//! in a later bucket, however many there are, so roots move towards the end, the last ones first. The new places of
//! the last half lie behind the old table, those of the quarter before lie where these were, and so on: the roots of
//! such a *stretch* move at the speed of memory, and threads share the work in pieces. The new places of a piece lie
//! side by side, so that nobody else writes there; the few roots at its edges wait until all others have moved.

use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::{BUCKET, RootTable, home_among, most_roots};
use crate::sync::Ordering;

/// The roots of the first few buckets wait, too.
const FEW: usize = 64;
/// Buckets that a thread moves at once.
const PIECE: usize = if cfg!(test) { 16 } else { 1 << 12 };

/// A table that grows. Threads that call [`Growth::work`] share what there is to do.
#[derive(Debug)]
pub(crate) struct Growth {
    table: RootTable,
    n_buckets: usize,
    progress: Mutex<Progress>,
    has_progressed: Condvar,
}

#[derive(Debug)]
struct Progress {
    /// The buckets of the stretch that nobody moves yet.
    left: Range<usize>,
    /// Where the stretch ends.
    end: usize,
    /// Threads that move pieces of it.
    n_workers: usize,
    /// Roots without a place until all others are where they belong.
    waiting: Vec<u64>,
}

impl Growth {
    /// Begins to make a table larger. When there is no reserve, it is larger at once.
    pub(crate) fn new(table: RootTable) -> Growth {
        let (table, n_left) = if table.has_reserve() { (table, 1) } else { (table.copy(), 0) };
        let n_left = n_left * table.n_buckets;
        let n_buckets = if n_left == 0 { table.n_buckets } else { table.n_buckets_after_growth() };
        let mut progress = Progress { left: 0..0, end: n_left, n_workers: 0, waiting: Vec::new() };
        progress.left = progress.stretch(table.n_buckets, n_buckets);
        Growth { table, n_buckets, progress: Mutex::new(progress), has_progressed: Condvar::new() }
    }

    /// Moves pieces until none is left.
    pub(crate) fn work(&self) {
        let mut waiting = Vec::new();
        let mut progress = self.lock();
        loop {
            if progress.end == 0 {
                return;
            }
            if progress.left.is_empty() {
                progress = self.has_progressed.wait(progress).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let start = progress.left.end.saturating_sub(PIECE).max(progress.left.start);
            let piece = start..progress.left.end;
            progress.left.end = start;
            progress.n_workers += 1;
            drop(progress);
            self.move_piece(piece, &mut waiting);
            progress = self.lock();
            progress.n_workers -= 1;
            progress.waiting.append(&mut waiting);
            if progress.n_workers == 0 && progress.left.is_empty() {
                progress.end = progress.left.start;
                progress.left = progress.stretch(self.table.n_buckets, self.n_buckets);
                self.has_progressed.notify_all();
            }
        }
    }

    /// Moves the roots of some buckets to where they belong. Gives back those that have to wait: at the edges, and
    /// without room in their own bucket.
    fn move_piece(&self, buckets: Range<usize>, waiting: &mut Vec<u64>) {
        let table = &self.table;
        let place = |bucket: usize| (bucket * self.n_buckets).div_ceil(table.n_buckets);
        let places = if buckets.end <= FEW { 0..0 } else { place(buckets.start)..place(buckets.end) };
        let slots = table.n_before + buckets.start * BUCKET..table.n_before + buckets.end * BUCKET;
        for slot in &table.slots[slots] {
            let root = slot.load(Ordering::Relaxed);
            if root == 0 {
                continue;
            }
            slot.store(0, Ordering::Relaxed);
            let home = home_among(root, self.n_buckets);
            if home < places.start || !table.put(root, home..places.end) {
                waiting.push(root);
            }
        }
    }

    /// The table when all work is done.
    pub(crate) fn finish(self) -> RootTable {
        let mut table = self.table;
        (table.n_buckets, table.n_crowded) = (self.n_buckets, most_roots(self.n_buckets));
        table.n_quarters = 4;
        for root in self.progress.into_inner().unwrap_or_else(PoisonError::into_inner).waiting {
            table.put_anywhere(root);
        }
        table
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress {
    /// The buckets before the end whose roots all belong behind it, when so many buckets become more; all of them
    /// when there are few.
    fn stretch(&self, n_before: usize, n_after: usize) -> Range<usize> {
        let start = (self.end as u128 * n_before as u128).div_ceil(n_after as u128) as usize;
        if self.end <= FEW { 0..self.end } else { start..self.end }
    }
}
