//! Last-first and depth-first search of composite states with threads: a stack for each.
//!
//! The two differ in when a state is remembered, as they do with one thread: when it is reached, so that
//! the stack holds places in the store (last-first); or when its turn comes, so that the stack holds states (depth-first). A thread
//! that runs out of work waits; one that sees others waiting gives away half of its stack, from the bottom, where what is likely to lead to the
//! most lies. (Work sharing on request, as in [`depth_first_parallel`](crate::depth_first_parallel()).) How a state was reached is in the
//! store, so that what is given away needs no path.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use fathom_model::{Region, System};
use fathom_store::{Place, Reach};

use crate::depth_first::{Order, depth_first};
use crate::last_first::last_first;
use crate::options::{Monitor, Options};
use crate::outcome::Outcome;
use crate::parallel_regions::{SharedSearch, Worker, lock, needs_one_thread};
use crate::random::Random;

/// Expansions between two looks at what others want, and at the monitor.
const EXPANSIONS_BETWEEN_LOOKS: u32 = if cfg!(test) { 1 } else { 20 };
/// How long the first thread waits for work before it looks at the monitor again.
const WAIT: Duration = Duration::from_millis(20);

/// Explores last-first with this many threads.
pub fn last_first_regions_parallel<S: System + Sync>(
    system: &S,
    n_threads: usize,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Outcome
where
    S::Region: Send + Sync,
{
    match needs_one_thread(n_threads, options) {
        true => last_first(system, options, monitor),
        false => explore(system, n_threads, (Remember::WhenReached, Order::AsGiven), options, monitor),
    }
}

/// Explores depth-first with this many threads; systems without regions have a better store of their own:
/// [`depth_first_parallel`](crate::depth_first_parallel()).
pub fn depth_first_regions_parallel<S: System + Sync>(
    system: &S,
    n_threads: usize,
    order: Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Outcome
where
    S::Region: Send + Sync,
{
    match needs_one_thread(n_threads, options) {
        true => depth_first(system, order, options, monitor),
        false => explore(system, n_threads, (Remember::WhenTaken, order), options, monitor),
    }
}

/// When a state is remembered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Remember {
    WhenReached,
    WhenTaken,
}

/// What waits on a stack.
enum Waiting<R> {
    /// A state in the store, and its depth.
    Reached(Place, u32),
    /// A state that is not remembered yet.
    Untried(Box<[u8]>, Box<R>, Reach),
}

/// Work that nobody does yet.
struct Pool<R> {
    jobs: Vec<VecDeque<Waiting<R>>>,
    n_waiting: usize,
    is_over: bool,
}

struct Search<'a, S: System> {
    shared: SharedSearch<'a, S>,
    n_threads: usize,
    remember: Remember,
    order: Order,
    pool: Mutex<Pool<S::Region>>,
    work_or_end: Condvar,
    /// Threads that wait and for which there is no work yet.
    n_hungry: AtomicUsize,
    /// What waits on all stacks, and the bytes of it.
    n_pending: AtomicUsize,
    pending_bytes: AtomicUsize,
}

fn explore<S: System + Sync>(
    system: &S,
    n_threads: usize,
    (remember, order): (Remember, Order),
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Outcome
where
    S::Region: Send + Sync,
{
    let search = Search {
        shared: SharedSearch::new(system, options),
        n_threads,
        remember,
        order,
        pool: Mutex::new(Pool { jobs: Vec::new(), n_waiting: 0, is_over: false }),
        work_or_end: Condvar::new(),
        n_hungry: AtomicUsize::new(0),
        n_pending: AtomicUsize::new(0),
        pending_bytes: AtomicUsize::new(0),
    };
    let mut first = Thread::new(&search, 0);
    first.worker.steps = search.shared.initial();
    first.take_over(None, 0);
    let stack = std::mem::take(&mut first.stack);
    lock(&search.pool).jobs.push(stack);
    std::thread::scope(|scope| {
        for index in 1..n_threads {
            let search = &search;
            scope.spawn(move || Thread::new(search, index).run(&mut || {}));
        }
        let mut poll = || {
            let n_pending = search.n_pending.load(Ordering::Relaxed);
            search.shared.poll(n_pending, search.pending_bytes.load(Ordering::Relaxed), monitor);
        };
        // Others may take all the work before this thread has any.
        poll();
        first.run(&mut poll);
    });
    search.shared.into_outcome()
}

impl<S: System + Sync> Search<'_, S>
where
    S::Region: Send + Sync,
{
    /// The next job, once there is one; none when there will be no more.
    fn next_job(&self, poll: &mut dyn FnMut()) -> Option<VecDeque<Waiting<S::Region>>> {
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
            poll();
        }
        pool.is_over = true;
        self.work_or_end.notify_all();
        None
    }

    fn give(&self, job: VecDeque<Waiting<S::Region>>) {
        let mut pool = lock(&self.pool);
        pool.jobs.push(job);
        self.n_hungry.store(pool.n_waiting.saturating_sub(pool.jobs.len()), Ordering::Relaxed);
        self.work_or_end.notify_one();
    }
}

/// One thread with its stack.
struct Thread<'a, S: System> {
    search: &'a Search<'a, S>,
    stack: VecDeque<Waiting<S::Region>>,
    worker: Worker<S>,
    random: Option<Random>,
    /// Steps of a state in the order in which they are put on the stack.
    choices: Vec<u32>,
}

impl<'a, S: System + Sync> Thread<'a, S>
where
    S::Region: Send + Sync,
{
    fn new(search: &'a Search<'a, S>, index: usize) -> Thread<'a, S> {
        let random = match search.order {
            Order::AsGiven => None,
            Order::Random { seed } => Some(Random::new(seed.wrapping_add(index as u64))),
        };
        let worker = Worker::new(search.shared.system);
        Thread { search, stack: VecDeque::new(), worker, random, choices: Vec::new() }
    }

    /// Does jobs until there are no more. When a thread panics, the others must not wait for it.
    fn run(&mut self, poll: &mut dyn FnMut()) {
        let _guard = EndOnPanic(self.search);
        while let Some(job) = self.search.next_job(poll) {
            self.stack = job;
            self.work(poll);
        }
    }

    /// Empties the stack.
    fn work(&mut self, poll: &mut dyn FnMut()) {
        let mut n_until_look = EXPANSIONS_BETWEEN_LOOKS;
        let mut n_counted = 0;
        while let Some(waiting) = self.stack.pop_back() {
            self.expand(waiting);
            n_until_look -= 1;
            if n_until_look == 0 {
                n_until_look = EXPANSIONS_BETWEEN_LOOKS;
                self.search.shared.count(&mut self.worker.done);
                self.search.n_pending.fetch_add(self.stack.len().wrapping_sub(n_counted), Ordering::Relaxed);
                n_counted = self.stack.len();
                poll();
            }
            if self.search.shared.is_stopped() {
                break;
            }
            if self.stack.len() > 1 && self.search.n_hungry.load(Ordering::Relaxed) > 0 {
                let n_given = self.stack.len() / 2;
                self.search.give(self.stack.drain(..n_given).collect());
            }
        }
        self.search.n_pending.fetch_sub(n_counted, Ordering::Relaxed);
        self.search.shared.count(&mut self.worker.done);
    }

    fn expand(&mut self, waiting: Waiting<S::Region>) {
        let shared = &self.search.shared;
        let (place, depth) = match waiting {
            Waiting::Reached(place, depth) => {
                let mut state = std::mem::take(&mut self.worker.state);
                let region = shared.store.open(place, &mut state);
                if let Some(region) = &region {
                    shared.expand((&state, region), (place, depth), &mut self.worker);
                }
                self.worker.state = state;
                if region.is_none() {
                    return;
                }
                (place, depth)
            }
            Waiting::Untried(state, region, reach) => {
                self.search.pending_bytes.fetch_sub(bytes_of(&state, &*region), Ordering::Relaxed);
                let Some(place) = shared.insert(&state, &region, reach, &mut self.worker.done) else {
                    return;
                };
                shared.expand((&state, &region), (place, reach.depth), &mut self.worker);
                (place, reach.depth)
            }
        };
        self.take_over(Some(place), depth + 1);
    }

    /// Puts what is new on the stack: last-first the last step on top, depth-first the first one.
    fn take_over(&mut self, parent: Option<Place>, depth: u32) {
        let search = self.search;
        let Worker { steps, done, .. } = &mut self.worker;
        self.choices.clear();
        match search.remember {
            Remember::WhenReached => self.choices.extend(0..steps.len() as u32),
            Remember::WhenTaken => self.choices.extend((0..steps.len() as u32).rev()),
        }
        if let Some(random) = &mut self.random {
            random.shuffle(&mut self.choices);
        }
        for &choice in &self.choices {
            let (state, region) = (steps.state(choice as usize), steps.region(choice as usize));
            let reach = Reach { parent, choice, depth };
            let waiting = match search.remember {
                Remember::WhenReached => search
                    .shared
                    .insert(state, region, reach, done)
                    .map(|place| Waiting::Reached(place, depth)),
                Remember::WhenTaken if search.shared.store.knows(state, region, depth) => {
                    done.n_matched += 1;
                    None
                }
                Remember::WhenTaken => {
                    search.pending_bytes.fetch_add(bytes_of(state, region), Ordering::Relaxed);
                    Some(Waiting::Untried(state.into(), Box::new(region.clone()), reach))
                }
            };
            self.stack.extend(waiting);
        }
    }
}

/// What a state takes that is not remembered yet.
fn bytes_of<R: Region>(state: &[u8], region: &R) -> usize {
    size_of::<Waiting<R>>() + state.len() + size_of::<R>() + region.heap_size()
}

/// Lets the others end when its thread panics; the panic itself is passed on when threads are joined.
struct EndOnPanic<'a, S: System>(&'a Search<'a, S>);

impl<S: System> Drop for EndOnPanic<'_, S> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            lock(&self.0.pool).is_over = true;
            self.0.work_or_end.notify_all();
        }
    }
}
