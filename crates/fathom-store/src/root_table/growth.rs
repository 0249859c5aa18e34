//! Growth of a table of roots where it is.
//!
//! Memory for a much larger table is reserved, which costs nothing until it is touched. A root with a greater hash is
//! in a later bucket, however many there are, so roots move towards the end, the last ones first. The new places of
//! the last half lie behind the old table, those of the quarter before lie where these were, and so on: the roots of
//! such a *stretch* move at the speed of memory, and threads share the work in pieces. The new places of a piece lie
//! side by side, so that nobody else writes there; the few roots at its edges wait until all others have moved.

use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::format::Format;
use super::slot::Slot;
use super::table::Table;

/// The roots of the first few buckets wait, too.
const FEW: usize = 64;
/// Buckets that a thread moves at once.
const PIECE: usize = if cfg!(test) { 16 } else { 1 << 12 };

/// A table that grows where it is. Threads that call [`Growth::work`] share what there is to do.
#[derive(Debug)]
pub(crate) struct Growth<F: Format> {
    table: Table<F>,
    /// That of the table when it has grown.
    format: F,
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

impl<F: Format> Growth<F> {
    /// Begins to make a table with a reserve larger.
    pub(super) fn new(mut table: Table<F>) -> Growth<F> {
        let format = table.format.with_buckets(table.n_buckets_after_growth());
        let n_buckets = table.format.n_buckets();
        // Those for which there was no room may have some then.
        let waiting = table.take_strays().into_iter().collect();
        let mut progress = Progress { left: 0..0, end: n_buckets, n_workers: 0, waiting };
        progress.left = progress.stretch(n_buckets, format.n_buckets());
        Growth { table, format, progress: Mutex::new(progress), has_progressed: Condvar::new() }
    }

    /// Moves pieces until none is left.
    pub(super) fn work(&self) {
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
                progress.left = progress.stretch(self.table.format.n_buckets(), self.format.n_buckets());
                self.has_progressed.notify_all();
            }
        }
    }

    /// Moves the roots of some buckets to where they belong. Gives back those that have to wait: at the edges, and
    /// without room in their own bucket.
    fn move_piece(&self, buckets: Range<usize>, waiting: &mut Vec<u64>) {
        let table = &self.table;
        let (n_before, n_after) = (table.format.n_buckets(), self.format.n_buckets());
        let place = |bucket: usize| (bucket * n_after).div_ceil(n_before);
        let places = if buckets.end <= FEW { 0..0 } else { place(buckets.start)..place(buckets.end) };
        for index in buckets {
            for slot in table.bucket(index) {
                let word = slot.load();
                if word == 0 {
                    break;
                }
                slot.store(0);
                let root = table.format.root(word, index);
                let has_moved = self.format.locate(root).is_some_and(|(home, word)| {
                    home >= places.start && table.put(word, home..places.end, &self.format)
                });
                if !has_moved {
                    waiting.push(root);
                }
            }
        }
    }

    /// The table when all work is done.
    pub(super) fn finish(self) -> Table<F> {
        let mut table = self.table;
        table.set_format(self.format);
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
