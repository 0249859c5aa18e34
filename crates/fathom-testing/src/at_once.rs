//! One piece of work for each of many models, on all cores.
//!
//! A test that goes through a corpus is one test to the harness, and would leave all cores but one idle.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What `work` makes of every item, in the order of the items. Each core takes the next item when it is done with one.
///
/// # Panics
///
/// When `work` panics on an item, with the same message; items that nobody has begun are left out then.
pub fn at_once<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let n_threads = thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let next = AtomicUsize::new(0);
    let take = || {
        let mut made = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return made };
            let _guard = SkipOnPanic { next: &next, n_items: items.len() };
            made.push((index, work(item)));
        }
    };
    let mut made: Vec<(usize, R)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads).map(|_| scope.spawn(take)).collect();
        let ends = threads.into_iter().map(|thread| thread.join());
        ends.flat_map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    made.sort_by_key(|(index, _)| *index);
    made.into_iter().map(|(_, result)| result).collect()
}

/// Leaves no items to others when its thread panics.
struct SkipOnPanic<'a> {
    next: &'a AtomicUsize,
    n_items: usize,
}

impl Drop for SkipOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.next.store(self.n_items, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::at_once;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..1000).collect();
        let twice = at_once(&items, |&item| 2 * item);
        assert!(twice.into_iter().eq((0..1000).map(|item| 2 * item)));
        assert!(at_once(&[], |&item: &u32| item).is_empty());
    }

    #[test]
    #[should_panic(expected = "item 7 is wrong")]
    fn a_failure_is_passed_on() {
        let items: Vec<u32> = (0..1000).collect();
        at_once(&items, |&item| assert!(item != 7, "item {item} is wrong"));
    }
}
