//! Many independent tasks over threads, with one winner whatever the scheduling.
//!
//! Tasks have numbers. The winner is the successful task with the smallest number: when a task succeeds, those
//! with larger numbers are called off and those with smaller ones are run to their end. So a run with eight
//! threads gives what a run with one gives, only sooner, and a seed reproduces it.
//!
//! The thread of the caller asks the monitor: with one thread between pieces of work, otherwise again and
//! again while the others work.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use fathom_model::Stop;
use fathom_search::{Monitor, Progress};

/// How long the caller waits before it asks the monitor again.
const BETWEEN_POLLS: Duration = Duration::from_millis(10);

/// Bytes of state that a region counts for between two looks at the clock: where there are any, a step takes far longer than to copy a state.
pub(crate) const fn bytes_of_region<R>() -> usize {
    if size_of::<R>() == 0 { 0 } else { 2048 }
}

/// What all tasks of a run share: counts, and whether to go on.
#[derive(Debug, Default)]
pub(crate) struct Board {
    n_states: AtomicU64,
    n_transitions: AtomicU64,
    max_depth: AtomicU64,
    bytes: AtomicU64,
    /// Number of the best successful task so far.
    winner: AtomicU64,
    is_stopped: AtomicBool,
}

impl Board {
    /// Everything at its beginning.
    pub fn new() -> Board {
        let board = Board::default();
        board.winner.store(u64::MAX, Ordering::Relaxed);
        board
    }

    /// The counts.
    pub fn progress(&self) -> Progress {
        Progress {
            states: self.n_states.load(Ordering::Relaxed),
            transitions: self.n_transitions.load(Ordering::Relaxed),
            depth: self.max_depth.load(Ordering::Relaxed),
            pending: 0,
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }
}

/// How a task is told to go on or to give up.
pub(crate) struct Watch<'a> {
    board: &'a Board,
    number: u64,
    /// With one thread, the monitor is asked here: whether to stop.
    ask: Option<&'a dyn Fn(&Progress) -> bool>,
}

impl Watch<'_> {
    /// Adds what was done since the last call. False when the task is to give up.
    pub fn goes_on(&self, done: Done) -> bool {
        self.board.n_states.fetch_add(done.n_states, Ordering::Relaxed);
        self.board.n_transitions.fetch_add(done.n_transitions, Ordering::Relaxed);
        self.board.max_depth.fetch_max(done.depth, Ordering::Relaxed);
        self.board.bytes.fetch_max(done.bytes, Ordering::Relaxed);
        if self.ask.is_some_and(|ask| ask(&self.board.progress())) {
            self.board.is_stopped.store(true, Ordering::Relaxed);
        }
        !self.board.is_stopped.load(Ordering::Relaxed)
            && self.board.winner.load(Ordering::Relaxed) > self.number
    }
}

/// What a task has done since it last said so.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Done {
    pub n_states: u64,
    pub n_transitions: u64,
    /// The largest depth, not a difference.
    pub depth: u64,
    /// The memory in use, not a difference.
    pub bytes: u64,
}

/// What came of a task.
pub(crate) enum Task<T> {
    /// It succeeded.
    Won(T),
    /// It ran to its end.
    Ended,
    /// It was told to give up.
    GaveUp,
}

/// What came of a run.
pub(crate) struct Raced<T> {
    /// The winner with its number.
    pub winner: Option<(u64, T)>,
    /// What the monitor said, if it ended the run.
    pub stop: Option<Stop>,
}

/// Runs tasks with numbers from `numbers` until one has won and no better one can.
///
/// Each thread has a worker, made by `worker`; `run` runs one task.
pub(crate) fn race<W, T: Send>(
    threads: usize,
    numbers: std::ops::Range<u64>,
    board: &Board,
    worker: impl Fn() -> W + Sync,
    run: impl Fn(&mut W, u64, &Watch<'_>) -> Task<T> + Sync,
    monitor: &mut dyn Monitor,
) -> Raced<T> {
    board.winner.store(u64::MAX, Ordering::Relaxed);
    if threads <= 1 {
        return race_alone(numbers, board, &worker, &run, monitor);
    }
    let next = AtomicU64::new(numbers.start);
    let best: Mutex<Option<(u64, T)>> = Mutex::new(None);
    let contestant = || {
        let mut worker = worker();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let is_late = board.winner.load(Ordering::Relaxed) < number;
            if number >= numbers.end || is_late || board.is_stopped.load(Ordering::Relaxed) {
                break;
            }
            let watch = Watch { board, number, ask: None };
            if let Task::Won(result) = run(&mut worker, number, &watch) {
                let mut best = best.lock().unwrap_or_else(PoisonError::into_inner);
                if best.as_ref().is_none_or(|(old, _)| number < *old) {
                    *best = Some((number, result));
                }
                board.winner.fetch_min(number, Ordering::Relaxed);
            }
        }
    };
    let stop = run_watched(threads, &board.is_stopped, contestant, || monitor.poll(&board.progress()));
    Raced { winner: best.into_inner().unwrap_or_else(PoisonError::into_inner), stop }
}

/// Runs the same on several threads, and asks now and then whether to stop. What is said first is noted for the threads and
/// given back when all have ended.
pub(crate) fn run_watched(
    threads: usize,
    is_stopped: &AtomicBool,
    work: impl Fn() + Sync,
    mut poll: impl FnMut() -> Option<Stop>,
) -> Option<Stop> {
    let (n_running, all_done) = (Mutex::new(threads), Condvar::new());
    let mut stop = None;
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                work();
                *n_running.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
                all_done.notify_all();
            });
        }
        let mut running = n_running.lock().unwrap_or_else(PoisonError::into_inner);
        while *running > 0 {
            let (guard, _) =
                all_done.wait_timeout(running, BETWEEN_POLLS).unwrap_or_else(PoisonError::into_inner);
            running = guard;
            if *running > 0 && stop.is_none() {
                stop = poll();
                is_stopped.fetch_or(stop.is_some(), Ordering::Relaxed);
            }
        }
    });
    stop
}

fn race_alone<W, T>(
    numbers: std::ops::Range<u64>,
    board: &Board,
    worker: &dyn Fn() -> W,
    run: &dyn Fn(&mut W, u64, &Watch<'_>) -> Task<T>,
    monitor: &mut dyn Monitor,
) -> Raced<T> {
    let mut worker = worker();
    let mut winner = None;
    let stop = with_monitor(monitor, |ask| {
        for number in numbers {
            let watch = Watch { board, number, ask: Some(ask) };
            if let Task::Won(result) = run(&mut worker, number, &watch) {
                winner = Some((number, result));
                return;
            }
            if board.is_stopped.load(Ordering::Relaxed) {
                return;
            }
        }
    });
    Raced { winner, stop }
}

/// Runs one task by itself, with a monitor to ask.
pub(crate) fn run_alone<T>(
    board: &Board,
    monitor: &mut dyn Monitor,
    run: impl FnOnce(&Watch<'_>) -> T,
) -> (T, Option<Stop>) {
    board.winner.store(u64::MAX, Ordering::Relaxed);
    let mut result = None;
    let stop = with_monitor(monitor, |ask| result = Some(run(&Watch { board, number: 0, ask: Some(ask) })));
    (result.expect("the task has run"), stop)
}

/// Runs something that asks a monitor through a shared reference. Gives what the monitor said.
fn with_monitor(monitor: &mut dyn Monitor, run: impl FnOnce(&dyn Fn(&Progress) -> bool)) -> Option<Stop> {
    let local = RefCell::new((monitor, None));
    run(&|progress| {
        let (monitor, stop) = &mut *local.borrow_mut();
        if stop.is_none() {
            *stop = monitor.poll(progress);
        }
        stop.is_some()
    });
    local.into_inner().1
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_search::NoMonitor;

    /// Tasks that succeed when their number is a multiple of 7 beyond 20, after work that takes the longer the
    /// smaller the number.
    fn winner(threads: usize) -> Option<(u64, u64)> {
        let run = |_: &mut (), number: u64, watch: &Watch<'_>| {
            for _ in 0..100_000 / (number + 1) {
                if !watch.goes_on(Done { n_states: 1, ..Done::default() }) {
                    return Task::GaveUp;
                }
            }
            if number > 20 && number.is_multiple_of(7) { Task::Won(number * 10) } else { Task::Ended }
        };
        race(threads, 0..1000, &Board::new(), || (), run, &mut NoMonitor).winner
    }

    #[test]
    fn the_smallest_number_wins_whatever_the_threads() {
        for threads in [1, 2, 3, 8] {
            assert_eq!(winner(threads), Some((21, 210)), "{threads} threads");
        }
    }

    #[test]
    fn the_monitor_ends_a_run_with_any_number_of_threads() {
        for threads in [1, 3] {
            let run = |_: &mut (), _: u64, watch: &Watch<'_>| {
                while watch.goes_on(Done { n_states: 1, ..Done::default() }) {
                    std::thread::yield_now();
                }
                Task::<()>::GaveUp
            };
            let mut monitor = |progress: &Progress| (progress.states > 10).then_some(Stop::Time);
            let raced = race(threads, 0..u64::MAX, &Board::new(), || (), run, &mut monitor);
            assert!(raced.winner.is_none());
            assert_eq!(raced.stop, Some(Stop::Time));
        }
    }
}
