//! Breadth-first search with threads, level by level.
//!
//! Each thread keeps a list of the states that it was the first to reach. Those of a level together are what is to
//! be expanded next; threads take pieces of them until nothing is left, and wait for each other at the end. Levels
//! of a few states are not worth waking anyone: the first thread goes through them alone.
//!
//! How a state was reached is in the trail of the thread that reached it: as in the sequential search, a thread's
//! new states come in the order in which it expands others, so it numbers what it expands, and the trail refers to
//! these numbers. Which state of which thread has a number is noted once for each piece.
//!
//! Why another loop than the sequential one: here the store is shared, nothing is ever decided by the order of
//! insertion, and evidence counts at the end of a level. So counts, verdicts, depths and the lengths of traces are
//! the same whatever the number of threads. Which of several shortest traces is shown depends on the race. A
//! search that stops at evidence finishes the level first. Limits on states and memory may be passed by the pieces that threads are working on.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use fathom_model::{Finding, Statistics, Stop, System, Trace, Trust};
use fathom_store::StateId;

use crate::barrier::Barrier;
use crate::breadth_first::breadth_first;
use crate::options::{Monitor, Options, Progress, StoreKind};
use crate::outcome::Outcome;
use crate::pace::Pace;
use crate::parallel::{HeldBack, Shared, Worker};
use crate::parallel_trail::{Place, ThreadTrail, way};
use crate::search::trace_to;

/// Insertions that are done together.
const BATCH: usize = 128;
/// Levels with fewer states are left to the first thread.
const NARROW: usize = if cfg!(test) { 3 } else { 512 };
/// States that a thread takes at once, at most.
const PIECE: usize = 512;

/// Explores breadth-first with this many threads and a shared packed store.
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
    let lists = || (0..n_threads).map(|_| RwLock::new(List::default())).collect();
    let search = Search {
        shared: Shared::new(system, options),
        lists: [lists(), lists()],
        parity: AtomicUsize::new(0),
        next: AtomicUsize::new(0),
        level_length: AtomicUsize::new(0),
        n_waiting: AtomicUsize::new(0),
        list_bytes: AtomicUsize::new(0),
        trail_bytes: AtomicUsize::new(0),
        is_at_bound: AtomicBool::new(false),
        depth_cut: AtomicBool::new(false),
        is_over: AtomicBool::new(false),
        wanted: options.properties.iter().map(|_| AtomicBool::new(true)).collect(),
        found: Mutex::new(Vec::new()),
        barrier: Barrier::new(n_threads),
    };
    std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..n_threads)
            .map(|thread| {
                scope.spawn({
                    let search = &search;
                    move || search.help(thread)
                })
            })
            .collect();
        let mut first = Thread::new(&search.shared, 0);
        let mut lead = Lead::default();
        let stop = search.lead(&mut first, &mut lead, monitor);
        first.worker.end_session();
        search.is_over.store(true, Ordering::Relaxed);
        search.barrier.wait();
        let mut trails = vec![first.trail];
        for helper in helpers {
            match helper.join() {
                Ok(trail) => trails.push(trail),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        search.outcome(stop, &lead, &trails)
    })
}

/// States of a level that one thread has reached.
#[derive(Default)]
struct List {
    ids: Vec<StateId>,
    /// The number of the first one in the trail of the thread.
    first: usize,
}

/// What the threads share.
struct Search<'a, S: System> {
    shared: Shared<'a, S>,
    /// By parity of the depth, and by thread.
    lists: [Vec<RwLock<List>>; 2],
    /// Parity of the depth of the level.
    parity: AtomicUsize,
    /// The next state of the level that nobody has taken, counted over all lists.
    next: AtomicUsize,
    level_length: AtomicUsize,
    /// States reached from the level so far, about.
    n_waiting: AtomicUsize,
    /// Bytes of the lists when the level began.
    list_bytes: AtomicUsize,
    trail_bytes: AtomicUsize,
    /// Whether the states of the level are at the bound on depth.
    is_at_bound: AtomicBool,
    depth_cut: AtomicBool,
    is_over: AtomicBool,
    /// By property: whether there was no evidence on earlier levels.
    wanted: Vec<AtomicBool>,
    /// What was found on this level.
    found: Mutex<Vec<Found>>,
    barrier: Barrier,
}

/// Evidence: the property, by its index in the list, what was found, and the state.
#[derive(Clone)]
struct Found {
    index: usize,
    finding: Finding,
    /// None before the first step.
    place: Option<Place>,
}

/// One thread: its buffers, and the way to all the states that it has reached.
struct Thread<'a, S: System> {
    index: u32,
    worker: Worker<'a, S>,
    trail: ThreadTrail,
    /// Insertions held back.
    batch: Vec<HeldBack>,
    /// States of the next level.
    reached: Vec<StateId>,
    found: Vec<Found>,
}

impl<'a, S: System> Thread<'a, S> {
    fn new(shared: &'a Shared<'a, S>, index: u32) -> Thread<'a, S> {
        Thread {
            index,
            worker: Worker::new(shared),
            trail: ThreadTrail::default(),
            batch: Vec::with_capacity(2 * BATCH),
            reached: Vec::new(),
            found: Vec::new(),
        }
    }

    fn insert_batch(&mut self) -> Result<(), Stop> {
        let Thread { worker, batch, reached, trail, .. } = self;
        worker.insert_all(batch, |id, held_back| {
            reached.push(id);
            if trail.push(Some(held_back.parent), held_back.choice) { Ok(()) } else { Err(Stop::Memory) }
        })?;
        batch.clear();
        Ok(())
    }

    /// Hands over the states reached, in exchange for the memory of a level that is done with.
    fn hand_over(&mut self, list: &RwLock<List>) {
        let mut list = list.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut list.ids, &mut self.reached);
        self.reached.clear();
        list.first = self.trail.len() - list.ids.len();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<S: System + Sync> Search<'_, S> {
    /// A thread that waits for levels and works on them; gives its trail in the end.
    fn help(&self, index: usize) -> ThreadTrail {
        let mut thread = Thread::new(&self.shared, index as u32);
        loop {
            self.barrier.wait();
            if self.is_over.load(Ordering::Relaxed) {
                return thread.trail;
            }
            self.work(&mut thread, &mut || {});
            self.barrier.wait();
        }
    }

    /// The first thread: goes from level to level, and looks at limits and evidence.
    fn lead(&self, first: &mut Thread<'_, S>, lead: &mut Lead, monitor: &mut dyn Monitor) -> Stop {
        lead.found = initial_evidence(first, &self.shared.options.properties);
        if let Some(stop) = self.note_evidence(lead) {
            return stop;
        }
        if let Err(stop) = self.insert_initial(first) {
            return stop;
        }
        loop {
            let parity = lead.depth % 2;
            let length = self.lists[parity].iter().map(|list| read(list).ids.len()).sum();
            if length == 0 {
                return Stop::Exhausted;
            }
            for list in &self.lists[1 - parity] {
                list.write().unwrap_or_else(PoisonError::into_inner).ids.clear();
            }
            lead.deepest = lead.depth;
            let max_depth = self.shared.options.max_depth;
            let is_at_bound = max_depth.is_some_and(|most| lead.depth >= most as usize);
            self.is_at_bound.store(is_at_bound, Ordering::Relaxed);
            self.parity.store(parity, Ordering::Relaxed);
            self.next.store(0, Ordering::Relaxed);
            self.level_length.store(length, Ordering::Relaxed);
            self.n_waiting.store(0, Ordering::Relaxed);
            let n_kept: usize = self.lists.iter().flatten().map(|list| read(list).ids.capacity()).sum();
            self.list_bytes.store(n_kept * size_of::<StateId>(), Ordering::Relaxed);
            let mut poll = || self.poll(lead.depth, monitor);
            if length < NARROW {
                self.work(first, &mut poll);
            } else {
                self.barrier.wait();
                self.work(first, &mut poll);
                self.barrier.wait();
            }
            lead.collect(&mut lock(&self.found));
            if let Some(stop) = self.shared.reason().or_else(|| self.note_evidence(lead)) {
                return stop;
            }
            lead.depth += 1;
        }
    }

    fn insert_initial(&self, first: &mut Thread<'_, S>) -> Result<(), Stop> {
        first.worker.make_keys()?;
        for index in 0..first.worker.keys().len() {
            if let Some(id) = first.worker.insert(first.worker.keys()[index])? {
                first.reached.push(id);
                if !first.trail.push(None, index as u32) {
                    return Err(Stop::Memory);
                }
            }
        }
        first.worker.end_session();
        first.hand_over(&self.lists[0][0]);
        self.shared.count(&mut first.worker.done);
        self.shared.reason().map_or(Ok(()), Err)
    }

    /// Takes pieces of the level until nothing is left.
    fn work(&self, thread: &mut Thread<'_, S>, poll: &mut dyn FnMut()) {
        let parity = self.parity.load(Ordering::Relaxed);
        let lists: Vec<_> = self.lists[parity].iter().map(read).collect();
        let length = self.level_length.load(Ordering::Relaxed);
        let piece = (length / (4 * lists.len())).clamp(1, PIECE);
        let is_at_bound = self.is_at_bound.load(Ordering::Relaxed);
        while !self.shared.is_stopped() {
            let start = self.next.fetch_add(piece, Ordering::Relaxed);
            if start >= length {
                break;
            }
            let mut range = start..length.min(start + piece);
            while !range.is_empty() && !self.shared.is_stopped() {
                let n_before = thread.reached.len();
                let bytes_before = thread.trail.bytes();
                match self.expand_piece(thread, &lists, range.clone(), is_at_bound) {
                    Ok(next) => range.start = next,
                    Err(stop) => self.shared.stop(stop),
                }
                thread.worker.end_session();
                self.shared.count(&mut thread.worker.done);
                self.n_waiting.fetch_add(thread.reached.len() - n_before, Ordering::Relaxed);
                self.trail_bytes.fetch_add(thread.trail.bytes() - bytes_before, Ordering::Relaxed);
                poll();
            }
        }
        if let Err(stop) = thread.insert_batch() {
            self.shared.stop(stop);
        }
        thread.worker.end_session();
        self.shared.count(&mut thread.worker.done);
        lock(&self.found).append(&mut thread.found);
        thread.hand_over(&self.lists[1 - parity][thread.index as usize]);
    }

    /// Expands the states of a range, counted over all lists, until it is time to look at limits. Gives where to go on.
    fn expand_piece(
        &self,
        thread: &mut Thread<'_, S>,
        lists: &[impl std::ops::Deref<Target = List>],
        range: std::ops::Range<usize>,
        is_at_bound: bool,
    ) -> Result<usize, Stop> {
        let mut pace = Pace::new(PIECE as u32);
        let mut start = 0;
        for (index, list) in lists.iter().enumerate() {
            let end = start + list.ids.len();
            let (from, to) = (range.start.max(start), range.end.min(end));
            if from < to {
                let number = list.first + from - start;
                thread.trail.start_piece(Place { thread: index as u32, number: number as u32 });
                for (offset, &id) in list.ids[from - start..to - start].iter().enumerate() {
                    let place = Place { thread: index as u32, number: (number + offset) as u32 };
                    self.expand(thread, id, place, is_at_bound)?;
                    pace.count(thread.worker.keys().len(), &thread.worker.steps);
                    if pace.is_due() || self.shared.options.is_alarmed() {
                        return Ok(from + offset + 1);
                    }
                }
            }
            start = end;
        }
        Ok(range.end)
    }

    #[inline]
    fn expand(
        &self,
        thread: &mut Thread<'_, S>,
        id: StateId,
        place: Place,
        is_at_bound: bool,
    ) -> Result<(), Stop> {
        let parent = thread.trail.expand();
        thread.worker.expand(id)?;
        for finding in thread.worker.steps.findings() {
            let asked = self.shared.options.properties.iter().position(|&asked| asked == finding.property);
            if let Some(index) = asked.filter(|&index| self.wanted[index].load(Ordering::Relaxed)) {
                thread.found.push(Found { index, finding: finding.clone(), place: Some(place) });
            }
        }
        if is_at_bound {
            self.cut_off(thread);
            return Ok(());
        }
        thread.worker.hold_back(parent, &mut thread.batch);
        if thread.batch.len() >= BATCH { thread.insert_batch() } else { Ok(()) }
    }

    /// Drops the steps that leave a state at the bound on depth.
    fn cut_off(&self, thread: &mut Thread<'_, S>) {
        for index in 0..thread.worker.keys().len() {
            if thread.worker.knows(thread.worker.keys()[index]) {
                thread.worker.done.n_matched += 1;
            } else {
                self.depth_cut.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Whether the evidence so far, or the end of patience with the rest, ends the search.
    fn note_evidence(&self, lead: &mut Lead) -> Option<Stop> {
        let has = |index| lead.found.iter().any(|found| found.index == index);
        let mut n_found = 0;
        for (index, wanted) in self.wanted.iter().enumerate() {
            wanted.store(!has(index), Ordering::Relaxed);
            n_found += usize::from(has(index));
        }
        if n_found == 0 || self.shared.options.continue_after_all {
            return None;
        }
        let n_states = self.shared.n_states.load(Ordering::Relaxed);
        let limit = *lead.end_of_patience.get_or_insert(self.shared.options.patience.limit(n_states));
        (n_found == self.wanted.len() || n_states >= limit).then_some(Stop::Found)
    }

    fn poll(&self, depth: usize, monitor: &mut dyn Monitor) {
        let length = self.level_length.load(Ordering::Relaxed);
        let n_waiting = self.n_waiting.load(Ordering::Relaxed);
        let lists = self.list_bytes.load(Ordering::Relaxed) + n_waiting * size_of::<StateId>();
        let progress = Progress {
            states: self.shared.n_states.load(Ordering::Relaxed),
            transitions: self.shared.n_transitions.load(Ordering::Relaxed),
            depth: depth as u64,
            pending: (length.saturating_sub(self.next.load(Ordering::Relaxed)) + n_waiting) as u64,
            bytes: (self.shared.bytes() + lists + self.trail_bytes.load(Ordering::Relaxed)) as u64,
        };
        if let Some(stop) = monitor.poll(&progress) {
            self.shared.stop(stop);
        } else if self.shared.options.max_bytes.is_some_and(|max_bytes| progress.bytes > max_bytes) {
            self.shared.stop(Stop::Memory);
        }
    }

    fn outcome(&self, stop: Stop, lead: &Lead, trails: &[ThreadTrail]) -> Outcome {
        let depth_cut = self.depth_cut.load(Ordering::Relaxed);
        let stop = match stop {
            Stop::Exhausted if depth_cut => Stop::Depth,
            stop => stop,
        };
        let statistics = Statistics {
            states: self.shared.n_states.load(Ordering::Relaxed),
            transitions: self.shared.n_transitions.load(Ordering::Relaxed),
            matched: self.shared.n_matched.load(Ordering::Relaxed),
            max_depth: lead.deepest as u64,
            seconds: 0.0,
            store_bytes: (self.shared.store.bytes() + self.trail_bytes.load(Ordering::Relaxed)) as u64,
            ..Statistics::default()
        };
        let trace = |index: usize| lead.trace(index, trails);
        let properties = self.shared.options.properties.iter().copied();
        let evidence = properties.enumerate().map(|(index, property)| (property, trace(index))).collect();
        Outcome {
            evidence,
            stop,
            depth_cut,
            trust: Trust::Complete,
            expected_omissions: 0.0,
            profile: None,
            statistics,
        }
    }
}

fn read(list: &RwLock<List>) -> std::sync::RwLockReadGuard<'_, List> {
    list.read().unwrap_or_else(PoisonError::into_inner)
}

/// Evidence about these properties that there is before the first step.
fn initial_evidence<S: System>(first: &Thread<'_, S>, properties: &[fathom_model::PropertyId]) -> Vec<Found> {
    let asked = |finding: &Finding| properties.iter().position(|&property| property == finding.property);
    let findings = first.worker.steps.findings().iter();
    let found = findings.filter_map(|finding| {
        asked(finding).map(|index| Found { index, finding: finding.clone(), place: None })
    });
    found.collect()
}

/// What the first thread keeps from level to level.
#[derive(Default)]
struct Lead {
    depth: usize,
    deepest: usize,
    /// Evidence of the first level that has any, for each property.
    found: Vec<Found>,
    end_of_patience: Option<u64>,
}

impl Lead {
    /// Moves what was found on a level to where evidence is kept: one piece for each property is enough.
    fn collect(&mut self, found: &mut Vec<Found>) {
        for found in found.drain(..) {
            if self.found.iter().all(|earlier| earlier.index != found.index) {
                self.found.push(found);
            }
        }
    }

    fn trace(&self, index: usize, trails: &[ThreadTrail]) -> Option<Trace> {
        let found = self.found.iter().find(|found| found.index == index)?;
        let path = found.place.map_or_else(Vec::new, |place| way(place, trails));
        Some(trace_to(&found.finding, &path))
    }
}
