//! A point at which threads wait for each other, for a moment awake and then asleep.
//!
//! A search by levels comes here twice for each level, and mostly the others are there within microseconds. To be woken
//! up takes many times longer than that, so whoever waits looks again and again for a while before it goes to sleep.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// Looks before a thread goes to sleep: some ten microseconds.
const LOOKS: usize = 4000;

/// A point at which so many threads wait for each other.
#[derive(Debug)]
pub(crate) struct Barrier {
    n_threads: usize,
    n_here: AtomicUsize,
    /// How often all were here.
    n_passed: AtomicUsize,
    asleep: Mutex<()>,
    wake_up: Condvar,
}

impl Barrier {
    pub(crate) fn new(n_threads: usize) -> Barrier {
        Barrier {
            n_threads,
            n_here: AtomicUsize::new(0),
            n_passed: AtomicUsize::new(0),
            asleep: Mutex::new(()),
            wake_up: Condvar::new(),
        }
    }

    /// Waits until all threads are here. What they did before they came is seen by all that go on.
    pub(crate) fn wait(&self) {
        let n_passed = self.n_passed.load(Ordering::Acquire);
        if self.n_here.fetch_add(1, Ordering::AcqRel) + 1 == self.n_threads {
            // Nobody comes again before the others have been let go.
            self.n_here.store(0, Ordering::Relaxed);
            self.n_passed.store(n_passed.wrapping_add(1), Ordering::Release);
            // Under the lock, so that no one falls asleep after the call.
            let _asleep = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
            self.wake_up.notify_all();
            return;
        }
        let all_were_here = || self.n_passed.load(Ordering::Acquire) != n_passed;
        for _ in 0..LOOKS {
            if all_were_here() {
                return;
            }
            std::hint::spin_loop();
        }
        let mut asleep = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
        while !all_were_here() {
            asleep = self.wake_up.wait(asleep).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_thread_is_a_round_ahead() {
        const ROUNDS: usize = 2000;
        let barrier = Barrier::new(3);
        let done: [AtomicUsize; 3] = Default::default();
        std::thread::scope(|scope| {
            for thread in 0..3 {
                let (barrier, done) = (&barrier, &done);
                scope.spawn(move || {
                    for round in 1..=ROUNDS {
                        done[thread].store(round, Ordering::Relaxed);
                        barrier.wait();
                        assert!(done.iter().all(|other| other.load(Ordering::Relaxed) == round));
                        if round % 500 == thread {
                            // Long enough for the others to fall asleep.
                            std::thread::sleep(std::time::Duration::from_millis(5));
                        }
                        barrier.wait();
                    }
                });
            }
        });
    }
}
