//! Nested depth-first search with threads: is there a cycle through an accepting state?
//!
//! CNDFS (Evangelista, Laarman, Petrucci and van de Pol, ATVA 2012). Every thread does a nested depth-first search
//! (Courcoubetis, Vardi, Wolper and Yannakakis, 1992) of its own, each in another order, and they tell each other what
//! they are done with: states that the outer search of some thread has left for good are *blue*, those that an inner
//! search has are *red*, and nobody goes there again. A thread that leaves an accepting state looks from there for a
//! way back onto its own path, which is the answer; it marks what it saw red only when the other accepting
//! states among it are red, for which it waits for the threads that look from there.
//!
//! Where we differ: colors are stores, the path is a table ([`on_path`](crate::on_path)), and the inner search stays
//! in the component of the automaton ([`Accepting::component`]). States that no run that counts passes again and again
//! belong to the thread that brings them first: that part is a plain search. A step back onto the path that
//! closes a cycle with an accepting state is an answer at once (Schwoon and Esparza, 2005).
//!
//! [`outer`] is the search of a thread, [`inner`] the one from an accepting state, [`view`] a store as a thread uses it.
//!
//! The verdict is the same whatever the number of threads; which cycle is found, and how often a state is
//! expanded, depends on the race. For one acceptance set, on states.

mod inner;
mod outer;
mod view;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fathom_model::{Accepting, NoRegion, Statistics, Stop, Trace, Trust};
use fathom_store::SharedStore;

use crate::options::{Monitor, Options, Progress};
use crate::outcome::Outcome;
use crate::sample::sample;
use outer::Worker;

/// How long it takes at most until the monitor is looked at again.
const WAIT: Duration = Duration::from_millis(20);

/// Looks for a run with infinitely many accepting states, and for findings about the first property asked, with this
/// many threads.
///
/// The evidence is a lasso or the way to a finding. Bounds on depth are not looked at.
///
/// # Panics
///
/// When acceptance is not on states, or has more than one set.
pub fn nested_depth_first_parallel<S: Accepting<Region = NoRegion> + Sync>(
    system: &S,
    n_threads: usize,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Outcome {
    assert!(system.is_state_based() && system.n_sets() <= 1, "one set of accepting states");
    let sample = sample(system, options);
    let store = || {
        let max_bytes = options.max_bytes.unwrap_or(u64::MAX);
        SharedStore::new(&mut sample.iter(), max_bytes)
    };
    let shared = Shared {
        system,
        options,
        blue: store(),
        red: store(),
        n_states: AtomicU64::new(0),
        n_transitions: AtomicU64::new(0),
        n_matched: AtomicU64::new(0),
        deepest: AtomicU64::new(0),
        own_bytes: AtomicU64::new(0),
        is_stopped: AtomicBool::new(false),
        end: Mutex::new(None),
    };
    drop(sample);
    std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        for thread in 0..n_threads.max(1) {
            let (shared, sender) = (&shared, sender.clone());
            scope.spawn(move || {
                // Lives as long as the thread does: nobody sends, and when the last one is gone, the search is over.
                let _running: Sender<()> = sender;
                let _fall = StopAtPanic(shared);
                let mut worker = Worker::new(shared, thread as u64);
                if let Err(End { stop, trace }) = worker.explore() {
                    shared.stop(stop, trace);
                }
                worker.count();
            });
        }
        drop(sender);
        while receiver.recv_timeout(WAIT) == Err(RecvTimeoutError::Timeout) {
            shared.poll(monitor);
        }
    });
    shared.into_outcome()
}

/// What all threads share.
struct Shared<'a, S> {
    system: &'a S,
    options: &'a Options,
    /// What outer searches have left for good, and what was passed.
    blue: SharedStore,
    /// What inner searches have left for good.
    red: SharedStore,
    n_states: AtomicU64,
    n_transitions: AtomicU64,
    n_matched: AtomicU64,
    deepest: AtomicU64,
    /// Bytes of what threads keep for themselves.
    own_bytes: AtomicU64,
    is_stopped: AtomicBool,
    /// The first reason to stop, with the evidence if there is any.
    end: Mutex<Option<End>>,
}

/// A reason to stop, with the evidence if there is any.
#[derive(Clone, Debug)]
struct End {
    stop: Stop,
    trace: Option<Trace>,
}

impl From<Stop> for End {
    fn from(stop: Stop) -> End {
        End { stop, trace: None }
    }
}

/// Stops the others when a thread panics: they may wait for what it would have done.
struct StopAtPanic<'a, S>(&'a Shared<'a, S>);

impl<S> Drop for StopAtPanic<'_, S> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop(Stop::Cancelled, None);
        }
    }
}

impl<S> Shared<'_, S> {
    /// Stops all threads. Evidence counts more than a limit that was met at the same time.
    fn stop(&self, stop: Stop, trace: Option<Trace>) {
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        if end.as_ref().is_none_or(|end| end.trace.is_none() && trace.is_some()) {
            *end = Some(End { stop, trace });
        }
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Bytes of memory in use. The caller must not be in a session.
    fn bytes(&self) -> u64 {
        (self.blue.bytes() + self.red.bytes()) as u64 + self.own_bytes.load(Ordering::Relaxed)
    }

    fn poll(&self, monitor: &mut dyn Monitor) {
        let bytes = self.bytes();
        let progress = Progress {
            states: self.n_states.load(Ordering::Relaxed),
            transitions: self.n_transitions.load(Ordering::Relaxed),
            depth: self.deepest.load(Ordering::Relaxed),
            pending: 0,
            bytes,
        };
        if let Some(stop) = monitor.poll(&progress) {
            self.stop(stop, None);
        }
    }

    fn into_outcome(self) -> Outcome {
        let end = self.end.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (stop, trace) = end.map_or((Stop::Exhausted, None), |end| (end.stop, end.trace));
        Outcome {
            evidence: self
                .options
                .properties
                .first()
                .map(|&property| (property, trace))
                .into_iter()
                .collect(),
            stop,
            depth_cut: false,
            trust: Trust::Complete,
            expected_omissions: 0.0,
            profile: None,
            statistics: Statistics {
                states: self.n_states.into_inner(),
                transitions: self.n_transitions.into_inner(),
                matched: self.n_matched.into_inner(),
                max_depth: self.deepest.into_inner(),
                seconds: 0.0,
                store_bytes: (self.blue.bytes() + self.red.bytes()) as u64,
                ..Statistics::default()
            },
        }
    }
}
