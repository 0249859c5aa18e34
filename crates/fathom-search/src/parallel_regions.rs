//! Searches of composite states with threads: a shared store with inclusion, and three orders.
//!
//! [`breadth_first_regions_parallel()`] goes level by level: threads take pieces of a level, and the next begins when all are
//! done. [`last_first_regions_parallel()`] and [`depth_first_regions_parallel()`] give each thread a stack of its own, and work to those who have none
//! (see [`region_stacks`](crate::region_stacks)). Whatever the order, a region that is swallowed before its turn is not expanded.
//!
//! Why other loops than the sequential one: its store and its frontier have one owner. Why others than those for states without regions: those
//! know a state by a word in a lock-free table, and regions need inclusion. Verdicts do not depend on threads. Which regions are
//! swallowed before their turn does, and so do the number of expansions and, slightly, that of stored regions; which of several traces is shown depends
//! on the race.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fathom_model::{Statistics, Steps, Stop, System, Trace, Trust};
use fathom_store::{Place, Reach, SharedInsert, SharedRegionStore};

use crate::breadth_first::breadth_first;
#[cfg(doc)]
use crate::depth_first_regions_parallel;
#[cfg(doc)]
use crate::last_first_regions_parallel;
use crate::options::{Monitor, Options, Progress, StoreKind};
use crate::outcome::Outcome;
use crate::search::trace_to;

/// Levels with fewer states are left to one thread.
const NARROW: usize = if cfg!(test) { 2 } else { 64 };
/// States that a thread takes at once, at most.
const PIECE: usize = 32;

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether several threads can do what is asked: a profile is that of one thread, and there is one kind of store.
pub(crate) fn needs_one_thread(n_threads: usize, options: &Options) -> bool {
    n_threads < 2 || options.store != StoreKind::Exact || options.clock.is_some()
}

/// What a thread has done.
#[derive(Clone, Copy, Default)]
pub(crate) struct Done {
    n_expanded: u64,
    n_transitions: u64,
    pub(crate) n_matched: u64,
    deepest: u64,
}

/// What a thread has for itself.
pub(crate) struct Worker<S: System> {
    scratch: S::Scratch,
    /// What the state expanded last leads to, as far as that is to be explored.
    pub(crate) steps: Steps<S::Region, S::Label>,
    /// The explicit part of the state that is expanded.
    pub(crate) state: Vec<u8>,
    pub(crate) done: Done,
}

impl<S: System> Worker<S> {
    pub(crate) fn new(system: &S) -> Worker<S> {
        Worker { scratch: system.scratch(), steps: Steps::new(), state: Vec::new(), done: Done::default() }
    }
}

/// What all threads of a search share.
pub(crate) struct SharedSearch<'a, S: System> {
    pub(crate) system: &'a S,
    pub(crate) options: &'a Options,
    pub(crate) store: SharedRegionStore<S::Region>,
    n_expanded: AtomicU64,
    n_transitions: AtomicU64,
    n_matched: AtomicU64,
    deepest: AtomicU64,
    depth_cut: AtomicBool,
    /// By index in the list of properties.
    evidence: Mutex<Vec<Option<Trace>>>,
    /// With so many states, the search for the remaining properties ends.
    end_of_patience: AtomicU64,
    stop: Mutex<Option<Stop>>,
    is_stopped: AtomicBool,
}

impl<'a, S: System + Sync> SharedSearch<'a, S> {
    pub(crate) fn new(system: &'a S, options: &'a Options) -> SharedSearch<'a, S> {
        let max_states = options.max_states.unwrap_or(u64::MAX);
        SharedSearch {
            system,
            options,
            store: SharedRegionStore::new(max_states, options.max_depth.is_some()),
            n_expanded: AtomicU64::new(0),
            n_transitions: AtomicU64::new(0),
            n_matched: AtomicU64::new(0),
            deepest: AtomicU64::new(0),
            depth_cut: AtomicBool::new(false),
            evidence: Mutex::new(vec![None; options.properties.len()]),
            end_of_patience: AtomicU64::new(u64::MAX),
            stop: Mutex::new(None),
            is_stopped: AtomicBool::new(false),
        }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// Stops all threads. The first reason counts.
    pub(crate) fn end(&self, stop: Stop) {
        lock(&self.stop).get_or_insert(stop);
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// The initial states, with what is found before the first step noted.
    pub(crate) fn initial(&self) -> Steps<S::Region, S::Label> {
        let (mut scratch, mut steps) = (self.system.scratch(), Steps::new());
        self.system.initial(&mut scratch, &mut steps);
        self.note_findings(&steps, None);
        steps
    }

    /// Expands a state: the steps that are to be explored are those of the worker.
    pub(crate) fn expand(
        &self,
        (state, region): (&[u8], &S::Region),
        (place, depth): (Place, u32),
        worker: &mut Worker<S>,
    ) {
        let Worker { scratch, steps, done, .. } = worker;
        steps.clear();
        self.system.successors(state, region, scratch, steps);
        done.n_expanded += 1;
        done.n_transitions += steps.len() as u64;
        done.deepest = done.deepest.max(u64::from(depth));
        self.note_findings(steps, Some(place));
        if self.options.max_depth.is_some_and(|most| depth >= most) {
            let is_new =
                |index| !self.store.knows(steps.state(index), steps.region(index), depth.saturating_add(1));
            if (0..steps.len()).any(is_new) {
                self.depth_cut.store(true, Ordering::Relaxed);
            }
            steps.clear();
        }
    }

    /// Remembers a state: where it is, if it is new.
    pub(crate) fn insert(
        &self,
        state: &[u8],
        region: &S::Region,
        reach: Reach,
        done: &mut Done,
    ) -> Option<Place> {
        match self.store.insert(state, region, reach) {
            SharedInsert::New(place) => return Some(place),
            SharedInsert::Known => done.n_matched += 1,
            SharedInsert::Full => self.end(Stop::States),
        }
        None
    }

    /// Adds what a thread has done since it last said so.
    pub(crate) fn count(&self, done: &mut Done) {
        let Done { n_expanded, n_transitions, n_matched, deepest } = std::mem::take(done);
        self.n_expanded.fetch_add(n_expanded, Ordering::Relaxed);
        self.n_transitions.fetch_add(n_transitions, Ordering::Relaxed);
        self.n_matched.fetch_add(n_matched, Ordering::Relaxed);
        self.deepest.fetch_max(deepest, Ordering::Relaxed);
    }

    /// Keeps what is the first evidence about a property asked, found in a state or before the first step.
    fn note_findings(&self, steps: &Steps<S::Region, S::Label>, from: Option<Place>) {
        if steps.findings().is_empty() {
            return;
        }
        let mut evidence = lock(&self.evidence);
        let mut is_news = false;
        for finding in steps.findings() {
            let asked = self.options.properties.iter().position(|&asked| asked == finding.property);
            if let Some(index) = asked.filter(|&index| evidence[index].is_none()) {
                let path = from.map_or_else(Vec::new, |place| self.store.way(place));
                evidence[index] = Some(trace_to(finding, &path));
                is_news = true;
            }
        }
        if !is_news || self.options.continue_after_all {
            return;
        }
        if evidence.iter().all(Option::is_some) {
            return self.end(Stop::Found);
        }
        let limit = self.options.patience.limit(self.store.len());
        self.end_of_patience.fetch_min(limit, Ordering::Relaxed);
    }

    /// Looks whether there is a reason to stop.
    pub(crate) fn poll(&self, n_pending: usize, pending_bytes: usize, monitor: &mut dyn Monitor) {
        let progress = Progress {
            states: self.store.len(),
            transitions: self.n_transitions.load(Ordering::Relaxed),
            depth: self.deepest.load(Ordering::Relaxed),
            pending: n_pending as u64,
            bytes: self.store.bytes() + pending_bytes as u64,
        };
        if let Some(stop) = monitor.poll(&progress) {
            self.end(stop);
        } else if self.options.max_bytes.is_some_and(|most| progress.bytes > most) {
            self.end(Stop::Memory);
        } else if progress.states >= self.end_of_patience.load(Ordering::Relaxed) {
            self.end(Stop::Found);
        }
    }

    pub(crate) fn into_outcome(self) -> Outcome {
        let depth_cut = self.depth_cut.into_inner();
        let exhausted = if depth_cut { Stop::Depth } else { Stop::Exhausted };
        let evidence = self.evidence.into_inner().unwrap_or_else(PoisonError::into_inner);
        Outcome {
            evidence: self.options.properties.iter().copied().zip(evidence).collect(),
            stop: self.stop.into_inner().unwrap_or_else(PoisonError::into_inner).unwrap_or(exhausted),
            depth_cut,
            trust: Trust::Complete,
            expected_omissions: 0.0,
            profile: None,
            statistics: Statistics {
                states: self.store.len(),
                expanded: self.n_expanded.into_inner(),
                transitions: self.n_transitions.into_inner(),
                matched: self.n_matched.into_inner(),
                max_depth: self.deepest.into_inner(),
                seconds: 0.0,
                store_bytes: self.store.bytes(),
            },
        }
    }
}

/// Explores breadth-first with this many threads; systems without regions have a better store of their own:
/// [`breadth_first_parallel`](crate::breadth_first_parallel).
///
/// With a bound on depth, of whatever size, no trace is shorter: what is reached in fewer steps is then never swallowed.
pub fn breadth_first_regions_parallel<S: System + Sync>(
    system: &S,
    n_threads: usize,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Outcome
where
    S::Region: Send + Sync,
{
    if needs_one_thread(n_threads, options) {
        return breadth_first(system, options, monitor);
    }
    let levels = Levels { shared: SharedSearch::new(system, options), n_threads };
    levels.explore(monitor);
    levels.shared.into_outcome()
}

/// A search level by level.
struct Levels<'a, S: System> {
    shared: SharedSearch<'a, S>,
    n_threads: usize,
}

impl<S: System + Sync> Levels<'_, S>
where
    S::Region: Send + Sync,
{
    fn explore(&self, monitor: &mut dyn Monitor) {
        let mut level = Vec::new();
        let mut worker = Worker::new(self.shared.system);
        worker.steps = self.shared.initial();
        self.take_over(&mut worker, None, 0, &mut level);
        self.shared.count(&mut worker.done);
        let mut depth = 0;
        while !level.is_empty() && !self.shared.is_stopped() {
            level = self.level(&level, depth, monitor);
            depth += 1;
        }
    }

    /// Expands a level: what is new.
    fn level(&self, places: &[Place], depth: u32, monitor: &mut dyn Monitor) -> Vec<Place> {
        let next = AtomicUsize::new(0);
        let poll = |monitor: &mut dyn Monitor| {
            let n_pending = places.len().saturating_sub(next.load(Ordering::Relaxed));
            self.shared.poll(n_pending, 2 * places.len() * size_of::<Place>(), monitor);
        };
        if places.len() < NARROW {
            return self.work(places, depth, &next, &mut || poll(monitor));
        }
        std::thread::scope(|scope| {
            let helper = || self.work(places, depth, &next, &mut || {});
            let helpers: Vec<_> = (1..self.n_threads).map(|_| scope.spawn(helper)).collect();
            let mut reached = self.work(places, depth, &next, &mut || poll(monitor));
            for helper in helpers {
                match helper.join() {
                    Ok(mut other) => reached.append(&mut other),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            reached
        })
    }

    /// Takes pieces of a level until nothing is left.
    fn work(&self, places: &[Place], depth: u32, next: &AtomicUsize, poll: &mut dyn FnMut()) -> Vec<Place> {
        let mut worker = Worker::new(self.shared.system);
        let mut reached = Vec::new();
        let piece = (places.len() / (4 * self.n_threads)).clamp(1, PIECE);
        while !self.shared.is_stopped() {
            let start = next.fetch_add(piece, Ordering::Relaxed);
            if start >= places.len() {
                break;
            }
            for &place in &places[start..places.len().min(start + piece)] {
                let mut state = std::mem::take(&mut worker.state);
                if let Some(region) = self.shared.store.open(place, &mut state) {
                    self.shared.expand((&state, &region), (place, depth), &mut worker);
                    self.take_over(&mut worker, Some(place), depth + 1, &mut reached);
                }
                worker.state = state;
            }
            self.shared.count(&mut worker.done);
            poll();
        }
        reached
    }

    /// Stores what is new.
    fn take_over(&self, worker: &mut Worker<S>, parent: Option<Place>, depth: u32, reached: &mut Vec<Place>) {
        let Worker { steps, done, .. } = worker;
        for index in 0..steps.len() {
            let reach = Reach { parent, choice: index as u32, depth };
            reached.extend(self.shared.insert(steps.state(index), steps.region(index), reach, done));
        }
    }
}
