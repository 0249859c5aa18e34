//! Breadth-first search with threads, level by level.
//!
//! The states of a level are a range of ids, from which threads take pieces until it is used up; what is new
//! gets ids beyond the range, and is the next level. Threads wait for each other at the end of a level. Levels
//! of a few states are not worth waking anyone: the first thread goes through them alone.
//!
//! Why another loop than the sequential one: here the store is shared, nothing is ever decided by the order of
//! insertion, and evidence counts at the end of a level. So counts, verdicts, depths and traces are the same
//! whatever the number of threads; the trace to evidence is the one that the sequential search gives (see
//! [`parallel_trace`](crate::parallel_trace)). A search that stops at evidence finishes the level first. Limits
//! on states and memory may be passed by the pieces that threads are working on.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, PoisonError};

use fathom_model::{Statistics, Stop, System, Trust};
use fathom_store::StateId;

use crate::breadth_first::breadth_first;
use crate::options::{Monitor, Options, Progress, StoreKind};
use crate::outcome::Outcome;
use crate::parallel::{Shared, Worker};
use crate::parallel_trace::{Found, initial_evidence, traces};

/// Insertions that are done together.
const BATCH: usize = 64;
/// Levels with fewer states are left to the first thread.
const NARROW: usize = if cfg!(test) { 3 } else { 512 };
/// States that a thread takes at once, at most.
const PIECE: usize = 256;

/// Explores breadth-first with this many threads and a shared compressed store.
///
/// Systems with regions are explored by one thread: stores with inclusion are not shared yet. Nor are other
/// stores than the default one.
pub fn breadth_first_parallel<S: System + Sync>(
    system: &S,
    n_threads: usize,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Outcome {
    if n_threads < 2 || size_of::<S::Region>() != 0 || options.store != StoreKind::Exact {
        return breadth_first(system, options, monitor);
    }
    let search = Search {
        shared: Shared::new(system, options),
        next: AtomicUsize::new(0),
        level_end: AtomicUsize::new(0),
        piece: AtomicUsize::new(1),
        is_at_bound: AtomicBool::new(false),
        depth_cut: AtomicBool::new(false),
        is_over: AtomicBool::new(false),
        wanted: options.properties.iter().map(|_| AtomicBool::new(true)).collect(),
        findings: Mutex::new(Vec::new()),
        barrier: Barrier::new(n_threads),
    };
    std::thread::scope(|scope| {
        for _ in 1..n_threads {
            scope.spawn(|| search.help());
        }
        search.lead(n_threads, monitor)
    })
}

/// What the threads share.
struct Search<'a, S: System> {
    shared: Shared<'a, S>,
    /// The next state of the level that nobody has taken.
    next: AtomicUsize,
    level_end: AtomicUsize,
    /// States to be taken at once.
    piece: AtomicUsize,
    /// Whether the states of the level are at the bound on depth.
    is_at_bound: AtomicBool,
    depth_cut: AtomicBool,
    is_over: AtomicBool,
    /// By property: whether there was no evidence on earlier levels.
    wanted: Vec<AtomicBool>,
    /// What was found on this level: the property, by its index in the list, and the state.
    findings: Mutex<Vec<(usize, StateId)>>,
    barrier: Barrier,
}

impl<S: System + Sync> Search<'_, S> {
    /// A thread that waits for levels and works on them.
    fn help(&self) {
        let mut worker = Worker::new(&self.shared);
        loop {
            self.barrier.wait();
            if self.is_over.load(Ordering::Relaxed) {
                return;
            }
            self.work(&mut worker, &mut || {});
            self.barrier.wait();
        }
    }

    /// The first thread: goes from level to level, and looks at limits and evidence.
    fn lead(&self, n_threads: usize, monitor: &mut dyn Monitor) -> Outcome {
        let mut worker = Worker::new(&self.shared);
        let mut progress = Lead::default();
        let stop = self.lead_levels(n_threads, &mut worker, &mut progress, monitor);
        worker.end_session();
        self.is_over.store(true, Ordering::Relaxed);
        self.barrier.wait();
        let depth_cut = self.depth_cut.load(Ordering::Relaxed);
        let stop = match stop {
            Stop::Exhausted if depth_cut => Stop::Depth,
            stop => stop,
        };
        let statistics = Statistics {
            states: self.shared.n_states.load(Ordering::Relaxed),
            transitions: self.shared.n_transitions.load(Ordering::Relaxed),
            matched: self.shared.n_matched.load(Ordering::Relaxed),
            max_depth: progress.deepest as u64,
            seconds: 0.0,
            store_bytes: self.shared.store.bytes() as u64,
        };
        let traces = traces(&self.shared, &progress.levels, &progress.found, n_threads);
        let evidence = self.shared.options.properties.iter().copied().zip(traces).collect();
        Outcome { evidence, stop, depth_cut, trust: Trust::Complete, expected_omissions: 0.0, statistics }
    }

    fn lead_levels(
        &self,
        n_threads: usize,
        worker: &mut Worker<'_, S>,
        lead: &mut Lead,
        monitor: &mut dyn Monitor,
    ) -> Stop {
        lead.found = initial_evidence(&worker.steps, &self.shared.options.properties);
        if let Some(stop) = self.note_evidence(lead) {
            return stop;
        }
        if let Err(stop) = self.insert_initial(worker) {
            return stop;
        }
        let (mut first, mut depth) = (0, 0);
        loop {
            let end = self.shared.store.n_claimed();
            if first == end {
                return Stop::Exhausted;
            }
            lead.levels.push((first, end));
            lead.deepest = depth;
            let max_depth = self.shared.options.max_depth;
            self.is_at_bound.store(max_depth.is_some_and(|most| depth >= most as usize), Ordering::Relaxed);
            self.next.store(first, Ordering::Relaxed);
            self.level_end.store(end, Ordering::Relaxed);
            self.piece.store(((end - first) / (4 * n_threads)).clamp(1, PIECE), Ordering::Relaxed);
            let mut poll = || self.poll(depth, monitor);
            if end - first < NARROW {
                self.work(worker, &mut poll);
            } else {
                self.barrier.wait();
                self.work(worker, &mut poll);
                self.barrier.wait();
            }
            self.collect(lead, depth);
            if let Some(stop) = self.shared.reason().or_else(|| self.note_evidence(lead)) {
                return stop;
            }
            (first, depth) = (end, depth + 1);
        }
    }

    fn insert_initial(&self, worker: &mut Worker<'_, S>) -> Result<(), Stop> {
        for index in 0..worker.steps.len() {
            let key = worker.key(index)?;
            worker.insert(key)?;
        }
        worker.give_up_ids();
        self.shared.count(&mut worker.done);
        self.shared.reason().map_or(Ok(()), Err)
    }

    /// Takes pieces of the level until nothing is left.
    fn work(&self, worker: &mut Worker<'_, S>, poll: &mut dyn FnMut()) {
        let (level_end, piece) = (self.level_end.load(Ordering::Relaxed), self.piece.load(Ordering::Relaxed));
        let is_at_bound = self.is_at_bound.load(Ordering::Relaxed);
        let mut batch = Vec::with_capacity(2 * BATCH);
        let mut findings = Vec::new();
        while !self.shared.is_stopped() {
            let first = self.next.fetch_add(piece, Ordering::Relaxed);
            if first >= level_end {
                break;
            }
            for index in first..level_end.min(first + piece) {
                let id = StateId::from_index(index);
                if let Err(stop) = self.expand(worker, id, is_at_bound, &mut batch, &mut findings) {
                    self.shared.stop(stop);
                    break;
                }
            }
            worker.end_session();
            self.shared.count(&mut worker.done);
            poll();
        }
        if let Err(stop) = insert_batch(worker, &mut batch) {
            self.shared.stop(stop);
        }
        worker.give_up_ids();
        self.shared.count(&mut worker.done);
        self.findings.lock().unwrap_or_else(PoisonError::into_inner).append(&mut findings);
    }

    #[inline]
    fn expand(
        &self,
        worker: &mut Worker<'_, S>,
        id: StateId,
        is_at_bound: bool,
        batch: &mut Vec<u64>,
        findings: &mut Vec<(usize, StateId)>,
    ) -> Result<(), Stop> {
        if !worker.expand(id) {
            return Ok(());
        }
        worker.done.n_transitions += worker.steps.len() as u64;
        for finding in worker.steps.findings() {
            let asked = self.shared.options.properties.iter().position(|&asked| asked == finding.property);
            if let Some(index) = asked.filter(|&index| self.wanted[index].load(Ordering::Relaxed)) {
                findings.push((index, id));
            }
        }
        for index in 0..worker.steps.len() {
            let key = worker.key(index)?;
            if !is_at_bound {
                batch.push(key);
            } else if worker.find(key).is_some() {
                worker.done.n_matched += 1;
            } else {
                self.depth_cut.store(true, Ordering::Relaxed);
            }
        }
        if batch.len() >= BATCH { insert_batch(worker, batch) } else { Ok(()) }
    }

    /// Moves the findings of a level to where evidence is kept.
    fn collect(&self, lead: &mut Lead, depth: usize) {
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        for (property, id) in findings.drain(..) {
            self.wanted[property].store(false, Ordering::Relaxed);
            match &mut lead.found[property] {
                Found::No => lead.found[property] = Found::At { depth, states: vec![id] },
                Found::At { states, .. } => states.push(id),
                Found::Initially(_) => {}
            }
        }
    }

    /// Whether the evidence so far, or the end of patience with the rest, ends the search.
    fn note_evidence(&self, lead: &mut Lead) -> Option<Stop> {
        for (wanted, found) in self.wanted.iter().zip(&lead.found) {
            wanted.store(matches!(found, Found::No), Ordering::Relaxed);
        }
        let n_found = lead.found.iter().filter(|found| !matches!(found, Found::No)).count();
        if n_found == 0 || self.shared.options.continue_after_all {
            return None;
        }
        let n_states = self.shared.n_states.load(Ordering::Relaxed);
        let limit = *lead.end_of_patience.get_or_insert(self.shared.options.patience.limit(n_states));
        (n_found == lead.found.len() || n_states >= limit).then_some(Stop::Found)
    }

    fn poll(&self, depth: usize, monitor: &mut dyn Monitor) {
        let next = self.next.load(Ordering::Relaxed);
        let progress = Progress {
            states: self.shared.n_states.load(Ordering::Relaxed),
            transitions: self.shared.n_transitions.load(Ordering::Relaxed),
            depth: depth as u64,
            pending: self.shared.store.n_claimed().saturating_sub(next) as u64,
            bytes: self.shared.store.bytes() as u64,
        };
        if let Some(stop) = monitor.poll(&progress) {
            self.shared.stop(stop);
        } else if self.shared.options.max_bytes.is_some_and(|max_bytes| progress.bytes > max_bytes) {
            self.shared.stop(Stop::Memory);
        }
    }
}

/// What the first thread keeps from level to level.
#[derive(Default)]
struct Lead {
    /// The ids of each level, from the first to before the last; some may be holes.
    levels: Vec<(usize, usize)>,
    deepest: usize,
    /// By property.
    found: Vec<Found>,
    end_of_patience: Option<u64>,
}

fn insert_batch<S: System>(worker: &mut Worker<'_, S>, batch: &mut Vec<u64>) -> Result<(), Stop> {
    for &key in batch.iter() {
        worker.prefetch_match(key);
    }
    for &key in batch.iter() {
        worker.insert(key)?;
    }
    batch.clear();
    Ok(())
}
