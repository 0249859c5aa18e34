//! Depth-first search with threads: each on its own path, with work given to those who have none.
//!
//! Every thread has a stack like that of the sequential search and a shared store decides who expands a state:
//! the one who brings it first. A thread that runs out of work waits; one that sees others waiting gives away
//! half of the untried steps nearest to the start of its path, which are likely to lead to the most, together
//! with the way to them. (Work sharing on request, as in the multi-core search of Holzmann and Bosnacki, "The
//! Design of a Multicore Extension of the SPIN Model Checker", IEEE TSE 2007, but without hand-off depths.)
//!
//! Why another loop than the sequential one: there is one stack for each thread, and an order over all of them
//! does not exist. An exhaustive search gives the same counts and verdicts whatever the number of threads;
//! which trace is found first, and the longest path, depend on the race. Bounded search needs depths in the
//! store, and regions need inclusion; both are left to one thread.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fathom_model::{Statistics, Steps, Stop, System, Trace, Trust};
use fathom_store::StateId;

use crate::depth_first::{Order, depth_first};
use crate::options::{Monitor, Options, Progress, StoreKind};
use crate::outcome::Outcome;
use crate::pace::Pace;
use crate::parallel::{Shared, Worker};
use crate::random::Random;
use crate::search::trace_to;

/// Expansions between two looks at what others want.
const EXPANSIONS_BETWEEN_LOOKS: u32 = 64;
/// How long the first thread waits for work before it looks at the monitor again.
const WAIT: Duration = Duration::from_millis(20);

/// Explores depth-first with this many threads and a shared compressed store.
///
/// Systems with regions, other stores than the default one, and searches with a bound on depth are left to one
/// thread.
pub fn depth_first_parallel<S: System + Sync>(
    system: &S,
    n_threads: usize,
    order: Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Outcome {
    if n_threads < 2
        || size_of::<S::Region>() != 0
        || options.store != StoreKind::Exact
        || options.max_depth.is_some()
    {
        return depth_first(system, order, options, monitor);
    }
    let search = Search {
        shared: Shared::new(system, options),
        n_threads,
        order,
        pool: Mutex::new(Pool::default()),
        work_or_end: Condvar::new(),
        n_hungry: AtomicUsize::new(0),
        evidence: Mutex::new(vec![None; options.properties.len()]),
        end_of_patience: AtomicU64::new(u64::MAX),
        deepest: AtomicUsize::new(0),
        n_untried: AtomicUsize::new(0),
    };
    std::thread::scope(|scope| {
        for thread in 1..n_threads {
            let search = &search;
            scope.spawn(move || Thread::new(search, thread).run(&mut || {}));
        }
        search.lead(monitor);
    });
    search.into_outcome()
}

/// What the threads share.
struct Search<'a, S: System> {
    shared: Shared<'a, S>,
    n_threads: usize,
    order: Order,
    pool: Mutex<Pool>,
    work_or_end: Condvar,
    /// Threads that wait and for which there is no work yet.
    n_hungry: AtomicUsize,
    /// By property.
    evidence: Mutex<Vec<Option<Trace>>>,
    end_of_patience: AtomicU64,
    /// Longest path so far.
    deepest: AtomicUsize,
    n_untried: AtomicUsize,
}

/// Work that nobody does yet.
#[derive(Default)]
struct Pool {
    jobs: Vec<Job>,
    n_waiting: usize,
    is_over: bool,
}

/// Steps to be tried, and the way to the state that they leave.
struct Job {
    way: Vec<u32>,
    untried: VecDeque<Untried>,
}

#[derive(Clone, Copy)]
struct Untried {
    key: u64,
    /// Index of the step, or initial state.
    choice: u32,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<S: System + Sync> Search<'_, S> {
    /// The first thread: starts from the initial states, works, and looks at the monitor.
    fn lead(&self, monitor: &mut dyn Monitor) {
        let mut thread = Thread::new(self, 0);
        // The steps of a new worker are the initial states.
        let noted = thread.note_findings(true).and_then(|()| thread.worker.make_keys());
        match noted.and_then(|()| thread.take_steps()) {
            Ok(()) => lock(&self.pool)
                .jobs
                .push(Job { way: Vec::new(), untried: std::mem::take(&mut thread.untried) }),
            Err(stop) => self.shared.stop(stop),
        }
        thread.run(&mut || self.poll(monitor));
    }

    /// The next job, once there is one; none when there will be no more.
    fn next_job(&self, poll: &mut dyn FnMut()) -> Option<Job> {
        let mut pool = lock(&self.pool);
        pool.n_waiting += 1;
        loop {
            if pool.is_over || self.shared.is_stopped() {
                break;
            }
            if let Some(job) = pool.jobs.pop() {
                pool.n_waiting -= 1;
                self.n_hungry.store(pool.n_waiting.saturating_sub(pool.jobs.len()), Ordering::Relaxed);
                return Some(job);
            }
            if pool.n_waiting == self.n_threads {
                break;
            }
            self.n_hungry.store(pool.n_waiting, Ordering::Relaxed);
            pool = self.work_or_end.wait_timeout(pool, WAIT).unwrap_or_else(PoisonError::into_inner).0;
            // Whoever looks at the store may have to wait until it has grown, which waits for those who want to give work away.
            drop(pool);
            poll();
            pool = lock(&self.pool);
        }
        pool.is_over = true;
        self.work_or_end.notify_all();
        None
    }

    fn give(&self, job: Job) {
        let mut pool = lock(&self.pool);
        pool.jobs.push(job);
        self.n_hungry.store(pool.n_waiting.saturating_sub(pool.jobs.len()), Ordering::Relaxed);
        self.work_or_end.notify_one();
    }

    fn poll(&self, monitor: &mut dyn Monitor) {
        let n_untried = self.n_untried.load(Ordering::Relaxed);
        let progress = Progress {
            states: self.shared.n_states.load(Ordering::Relaxed),
            transitions: self.shared.n_transitions.load(Ordering::Relaxed),
            depth: self.deepest.load(Ordering::Relaxed) as u64,
            pending: n_untried as u64,
            bytes: (self.shared.bytes() + n_untried * size_of::<Untried>()) as u64,
        };
        if let Some(stop) = monitor.poll(&progress) {
            self.shared.stop(stop);
        } else if self.shared.options.max_bytes.is_some_and(|max_bytes| progress.bytes > max_bytes) {
            self.shared.stop(Stop::Memory);
        }
    }

    fn into_outcome(self) -> Outcome {
        let statistics = Statistics {
            states: self.shared.n_states.load(Ordering::Relaxed),
            transitions: self.shared.n_transitions.load(Ordering::Relaxed),
            matched: self.shared.n_matched.load(Ordering::Relaxed),
            max_depth: self.deepest.load(Ordering::Relaxed) as u64,
            seconds: 0.0,
            store_bytes: self.shared.store.bytes() as u64,
            ..Statistics::default()
        };
        let evidence = self.evidence.into_inner().unwrap_or_else(PoisonError::into_inner);
        Outcome {
            evidence: self.shared.options.properties.iter().copied().zip(evidence).collect(),
            stop: self.shared.reason().unwrap_or(Stop::Exhausted),
            depth_cut: false,
            trust: Trust::Complete,
            expected_omissions: 0.0,
            profile: None,
            statistics,
        }
    }
}

/// One thread with its path.
struct Thread<'a, S: System> {
    search: &'a Search<'a, S>,
    worker: Worker<'a, S>,
    random: Option<Random>,
    /// The way to where the path starts.
    way: Vec<u32>,
    /// The choice that led to each state on the path, and the number of steps put on the stack before its own.
    path: Vec<(u32, usize)>,
    /// What is left of the stack of untried steps.
    untried: VecDeque<Untried>,
    /// Steps that were given away, all from the bottom of the stack.
    n_given: usize,
    /// Expansions until steps may be given away again: finding them and the way to them takes time.
    n_until_share: usize,
    order: Vec<u32>,
    /// What this thread has added to the number of untried steps of all.
    n_counted: usize,
}

impl<'a, S: System + Sync> Thread<'a, S> {
    fn new(search: &'a Search<'a, S>, index: usize) -> Thread<'a, S> {
        let random = match search.order {
            Order::AsGiven => None,
            Order::Random { seed } => Some(Random::new(seed.wrapping_add(index as u64))),
        };
        Thread {
            search,
            worker: Worker::new(&search.shared),
            random,
            way: Vec::new(),
            path: Vec::new(),
            untried: VecDeque::new(),
            n_given: 0,
            n_until_share: 0,
            order: Vec::new(),
            n_counted: 0,
        }
    }

    /// Does jobs until there are no more.
    fn run(&mut self, poll: &mut dyn FnMut()) {
        loop {
            // Who waits must not keep the store from growing.
            self.worker.end_session();
            self.look();
            let Some(job) = self.search.next_job(poll) else {
                return;
            };
            (self.way, self.untried) = (job.way, job.untried);
            self.path.clear();
            (self.n_given, self.n_until_share) = (0, 0);
            if let Err(stop) = self.explore(poll) {
                self.search.shared.stop(stop);
            }
            if self.search.shared.is_stopped() {
                self.untried.clear();
            }
        }
    }

    fn explore(&mut self, poll: &mut dyn FnMut()) -> Result<(), Stop> {
        let mut pace = Pace::new(EXPANSIONS_BETWEEN_LOOKS);
        while let Some(id) = self.next()? {
            self.worker.expand(id)?;
            if !self.worker.steps.findings().is_empty() {
                self.note_findings(false)?;
            }
            self.take_steps()?;
            pace.count(self.worker.keys().len(), &self.worker.steps);
            if pace.is_due() || self.search.shared.options.is_alarmed() {
                self.worker.end_session();
                self.look();
                poll();
                if self.search.shared.is_stopped() {
                    return Ok(());
                }
            }
            self.n_until_share = self.n_until_share.saturating_sub(1);
            if self.n_until_share == 0 && self.search.n_hungry.load(Ordering::Relaxed) > 0 {
                self.share();
            }
        }
        Ok(())
    }

    /// The next state that this thread is the first to bring.
    #[inline]
    fn next(&mut self) -> Result<Option<StateId>, Stop> {
        loop {
            let n_below = self.path.last().map_or(0, |&(_, n_below)| n_below);
            if self.n_given + self.untried.len() <= n_below.max(self.n_given) {
                if self.path.pop().is_none() {
                    return Ok(None);
                }
                continue;
            }
            let Some(Untried { key, choice }) = self.untried.pop_back() else {
                return Ok(None);
            };
            if let Some(id) = self.worker.insert(key)? {
                self.path.push((choice, self.n_given + self.untried.len()));
                return Ok(Some(id));
            }
        }
    }

    /// Puts the steps that are not known yet on the stack, the first one on top.
    fn take_steps(&mut self) -> Result<(), Stop> {
        self.worker.prefetch();
        self.order.clear();
        self.order.extend((0..self.worker.keys().len() as u32).rev());
        if let Some(random) = &mut self.random {
            random.shuffle(&mut self.order);
        }
        for &choice in &self.order {
            let key = self.worker.keys()[choice as usize];
            if self.worker.knows(key) {
                self.worker.done.n_matched += 1;
            } else {
                self.untried.push_back(Untried { key, choice });
            }
        }
        Ok(())
    }

    /// Tells the others what was done, and looks whether patience is at its end.
    fn look(&mut self) {
        let search = self.search;
        search.shared.count(&mut self.worker.done);
        search.deepest.fetch_max((self.way.len() + self.path.len()).saturating_sub(1), Ordering::Relaxed);
        search.n_untried.fetch_add(self.untried.len().wrapping_sub(self.n_counted), Ordering::Relaxed);
        self.n_counted = self.untried.len();
        let n_states = search.shared.n_states.load(Ordering::Relaxed);
        if n_states >= search.end_of_patience.load(Ordering::Relaxed) {
            search.shared.stop(Stop::Found);
        }
    }

    /// Gives away half of the untried steps nearest to the start of the path: those of one state.
    #[cold]
    fn share(&mut self) {
        // Someone who has a single step left had better take it.
        if self.untried.len() < 2 {
            return;
        }
        // The steps of the state at the end of the first `level` choices are the first ones on the stack.
        let level = self.path.partition_point(|&(_, n_below)| n_below <= self.n_given);
        let end = self.path.get(level).map_or(self.n_given + self.untried.len(), |&(_, n_below)| n_below);
        let n_given = (end - self.n_given).div_ceil(2).min(self.untried.len() - 1);
        let mut way = self.way.clone();
        way.extend(self.path[..level].iter().map(|&(choice, _)| choice));
        self.n_until_share = way.len() / 4;
        self.n_given += n_given;
        self.search.give(Job { way, untried: self.untried.drain(..n_given).collect() });
    }

    /// Keeps what is the first evidence about a property asked.
    fn note_findings(&mut self, is_initial: bool) -> Result<(), Stop> {
        let options = self.search.shared.options;
        let is_asked = |steps: &Steps<S::Region, S::Label>| {
            steps.findings().iter().any(|finding| options.properties.contains(&finding.property))
        };
        if !is_asked(&self.worker.steps) {
            return Ok(());
        }
        let mut evidence = lock(&self.search.evidence);
        let mut is_news = false;
        for finding in self.worker.steps.findings() {
            let asked = options.properties.iter().position(|&asked| asked == finding.property);
            if let Some(index) = asked.filter(|&index| evidence[index].is_none()) {
                let choices = self.path.iter().map(|&(choice, _)| choice);
                let path: Vec<u32> =
                    if is_initial { Vec::new() } else { self.way.iter().copied().chain(choices).collect() };
                evidence[index] = Some(trace_to(finding, &path));
                is_news = true;
            }
        }
        if !is_news || options.continue_after_all {
            return Ok(());
        }
        if evidence.iter().all(Option::is_some) {
            return Err(Stop::Found);
        }
        drop(evidence);
        let n_states = self.search.shared.n_states.load(Ordering::Relaxed) + self.worker.done.n_states;
        self.search.end_of_patience.fetch_min(options.patience.limit(n_states), Ordering::Relaxed);
        Ok(())
    }
}
