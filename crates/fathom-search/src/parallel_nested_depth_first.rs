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
//! The verdict is the same whatever the number of threads; which cycle is found, and how often a state is
//! expanded, depends on the race. For one acceptance set, on states.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fathom_model::{Accepting, Evidence, NoRegion, Statistics, Steps, Stop, Trace, Trust};
use fathom_store::{Claims, NeedsRoom, Opened, Session, SharedStore};

use crate::on_path::{OnPath, hash};
use crate::options::{Monitor, Options, Progress};
use crate::outcome::Outcome;
use crate::random::Random;
use crate::sample::sample;
use crate::search::trace_to;

/// How long it takes at most until the monitor is looked at again.
const WAIT: Duration = Duration::from_millis(20);
/// Expansions between two looks at what others have to say.
const EXPANSIONS_BETWEEN_LOOKS: u32 = 256;

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
    let sample = sample(system);
    let store = || {
        let max_bytes = options.max_bytes.unwrap_or(u64::MAX);
        SharedStore::new(&mut sample.iter().map(Vec::as_slice), max_bytes)
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
        is_stopped: AtomicBool::new(false),
        end: Mutex::new(None),
    };
    std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        for thread in 0..n_threads.max(1) {
            let (shared, sender) = (&shared, sender.clone());
            scope.spawn(move || {
                let mut worker = Worker::new(shared, thread as u64);
                if let Err(End { stop, trace }) = worker.explore() {
                    shared.stop(stop, trace);
                }
                worker.count();
                // Nobody listens any more only when the search is over.
                let _ = sender.send(());
            });
        }
        let mut n_running = n_threads.max(1);
        while n_running > 0 {
            match receiver.recv_timeout(WAIT) {
                Ok(()) => n_running -= 1,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => shared.poll(monitor),
            }
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

impl<S> Shared<'_, S> {
    /// Stops all threads. Evidence counts more than a limit that was met at the same time.
    fn stop(&self, stop: Stop, trace: Option<Trace>) {
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        if end.as_ref().is_none_or(|end| end.trace.is_none() && trace.is_some()) {
            *end = Some(End { stop, trace });
        }
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    fn poll(&self, monitor: &mut dyn Monitor) {
        let bytes = (self.blue.bytes() + self.red.bytes()) as u64;
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
        if self.options.max_bytes.is_some_and(|most| bytes > most) {
            self.stop(Stop::Memory, None);
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

/// A shared store as one thread uses it.
struct View<'a> {
    store: &'a SharedStore,
    session: Option<Session<'a>>,
    opened: Opened,
    claims: Claims,
}

impl<'a> View<'a> {
    fn new(store: &'a SharedStore) -> View<'a> {
        View { store, session: None, opened: Opened::default(), claims: Claims::default() }
    }

    /// Ends the session, so that others can make the store grow.
    fn rest(&mut self) {
        self.session = None;
    }

    #[cold]
    fn make_room(&mut self) -> Result<(), Stop> {
        self.rest();
        if self.store.make_room() { Ok(()) } else { Err(Stop::Memory) }
    }

    #[inline]
    fn key(&mut self, state: &[u8]) -> Result<u64, Stop> {
        loop {
            let session = self.session.get_or_insert_with(|| self.store.session());
            match session.key(state, &mut self.opened, &mut self.claims) {
                Ok(key) => return Ok(key),
                Err(NeedsRoom) => self.make_room()?,
            }
        }
    }

    #[inline]
    fn knows(&mut self, key: u64) -> bool {
        self.session.get_or_insert_with(|| self.store.session()).knows(key)
    }

    #[inline]
    fn prefetch(&mut self, key: u64) {
        self.session.get_or_insert_with(|| self.store.session()).prefetch(key);
    }

    /// Says whether it was new.
    #[inline]
    fn insert(&mut self, key: u64) -> Result<bool, Stop> {
        loop {
            let session = self.session.get_or_insert_with(|| self.store.session());
            match session.insert(key, &mut self.claims) {
                Ok(new) => return Ok(new.is_some()),
                Err(NeedsRoom) => self.make_room()?,
            }
        }
    }

    #[inline]
    fn open(&mut self, key: u64, out: &mut Vec<u8>) {
        let session = self.session.get_or_insert_with(|| self.store.session());
        out.clear();
        out.extend_from_slice(session.open_key(key, &mut self.opened));
    }

    /// Whether a key is that of a state.
    #[inline]
    fn is_key_of(&mut self, key: u64, state: &[u8], opened: &mut Opened) -> bool {
        self.session.get_or_insert_with(|| self.store.session()).open_key(key, opened) == state
    }
}

/// A state on the path of a thread.
#[derive(Debug)]
struct Visit {
    key: u64,
    hash: u64,
    /// Index of the step, or initial state, that led to it.
    choice: u32,
    /// Number of untried steps that belong to the states before it.
    n_below: usize,
    /// Number of accepting states up to it on the path, itself included.
    n_accepting: u32,
    is_accepting: bool,
    is_passing: bool,
}

#[derive(Debug)]
struct Untried {
    key: u64,
    choice: u32,
    is_passing: bool,
}

/// What an inner search has seen.
#[derive(Default, Debug)]
struct Inside {
    /// Keys in the red store.
    seen: HashSet<u64>,
    accepting: Vec<u64>,
    /// For each expanded state on the way: the choice that led to it, and the number of waiting ones below it.
    path: Vec<(u32, usize)>,
    waiting: Vec<(u64, u32)>,
}

/// One thread.
struct Worker<'a, S: Accepting<Region = NoRegion>> {
    shared: &'a Shared<'a, S>,
    blue: View<'a>,
    red: View<'a>,
    random: Option<Random>,
    path: Vec<Visit>,
    on_path: OnPath,
    untried: Vec<Untried>,
    scratch: S::Scratch,
    steps: Steps<NoRegion, S::Label>,
    current: Vec<u8>,
    order: Vec<u32>,
    keys: Vec<u64>,
    /// For looks at states on the path.
    other: Opened,
    n_states: u64,
    n_transitions: u64,
    n_matched: u64,
    deepest: u64,
    n_until_look: u32,
}

impl<'a, S: Accepting<Region = NoRegion>> Worker<'a, S> {
    fn new(shared: &'a Shared<'a, S>, thread: u64) -> Worker<'a, S> {
        Worker {
            shared,
            blue: View::new(&shared.blue),
            red: View::new(&shared.red),
            random: (thread > 0).then(|| Random::new(thread)),
            path: Vec::new(),
            on_path: OnPath::default(),
            untried: Vec::new(),
            scratch: shared.system.scratch(),
            steps: Steps::new(),
            current: Vec::new(),
            order: Vec::new(),
            keys: Vec::new(),
            other: Opened::default(),
            n_states: 0,
            n_transitions: 0,
            n_matched: 0,
            deepest: 0,
            n_until_look: EXPANSIONS_BETWEEN_LOOKS,
        }
    }

    /// The blue store. A thread is in a session of one store at a time: growth waits for sessions, and two threads that
    /// wait for each other's would wait for ever.
    #[inline]
    fn on_blue(&mut self) -> &mut View<'a> {
        self.red.rest();
        &mut self.blue
    }

    #[inline]
    fn on_red(&mut self) -> &mut View<'a> {
        self.blue.rest();
        &mut self.red
    }

    fn explore(&mut self) -> Result<(), End> {
        self.shared.system.initial(&mut self.scratch, &mut self.steps);
        self.note_finding()?;
        self.add_steps()?;
        loop {
            let n_below = self.path.last().map_or(0, |last| last.n_below);
            if self.untried.len() > n_below {
                self.try_last()?;
            } else if self.path.is_empty() {
                return Ok(());
            } else {
                self.leave_last()?;
            }
        }
    }

    /// Takes the last of the untried steps, unless someone is done with where it leads.
    fn try_last(&mut self) -> Result<(), End> {
        let Some(Untried { key, choice, is_passing }) = self.untried.pop() else { return Ok(()) };
        let is_known = if is_passing { !self.mark_blue(key)? } else { self.on_blue().knows(key) };
        if is_known {
            self.n_matched += 1;
            return Ok(());
        }
        let mut current = std::mem::take(&mut self.current);
        self.on_blue().open(key, &mut current);
        let hash = hash(&current);
        self.current = current;
        let n_accepting = self.path.last().map_or(0, |last| last.n_accepting);
        if !is_passing {
            self.on_path.push(hash, self.path.len() as u32);
        }
        let n_below = self.untried.len();
        self.path.push(Visit { key, hash, choice, n_below, n_accepting, is_accepting: false, is_passing });
        self.deepest = self.deepest.max(self.path.len() as u64 - 1);
        self.expand_current()?;
        self.note_finding()?;
        let is_accepting = !is_passing && self.is_current_accepting();
        if let Some(last) = self.path.last_mut() {
            last.is_accepting = is_accepting;
            last.n_accepting += u32::from(is_accepting);
        }
        self.add_steps()
    }

    /// Whether the state that was expanded last is accepting; one without steps is on no cycle.
    fn is_current_accepting(&self) -> bool {
        let system = self.shared.system;
        !self.steps.is_empty() && system.marks(&self.current, &self.scratch, 0) == system.all_marks()
    }

    fn expand_current(&mut self) -> Result<(), End> {
        self.n_until_look -= 1;
        if self.n_until_look == 0 {
            self.n_until_look = EXPANSIONS_BETWEEN_LOOKS;
            self.look()?;
        }
        self.steps.clear();
        self.shared.system.successors(&self.current, &NoRegion, &mut self.scratch, &mut self.steps);
        self.n_transitions += self.steps.len() as u64;
        Ok(())
    }

    /// Says what was done, and hears whether to go on.
    fn look(&mut self) -> Result<(), End> {
        self.blue.rest();
        self.red.rest();
        self.count();
        if self.shared.is_stopped.load(Ordering::Relaxed) {
            return Err(Stop::Found.into());
        }
        let n_states = self.shared.n_states.load(Ordering::Relaxed) + self.path.len() as u64;
        if self.shared.options.max_states.is_some_and(|most| n_states > most) {
            return Err(Stop::States.into());
        }
        Ok(())
    }

    /// Adds what was done to what all have done.
    fn count(&mut self) {
        let shared = self.shared;
        shared.n_states.fetch_add(std::mem::take(&mut self.n_states), Ordering::Relaxed);
        shared.n_transitions.fetch_add(std::mem::take(&mut self.n_transitions), Ordering::Relaxed);
        shared.n_matched.fetch_add(std::mem::take(&mut self.n_matched), Ordering::Relaxed);
        shared.deepest.fetch_max(self.deepest, Ordering::Relaxed);
    }

    /// The position on the path of the state that a step reaches.
    fn position(&mut self, choice: usize) -> Option<usize> {
        self.red.rest();
        let state = self.steps.state(choice);
        let Worker { on_path, path, blue, other, .. } = self;
        let is_at = |position: u32| blue.is_key_of(path[position as usize].key, state, other);
        on_path.find(hash(state), is_at).map(|position| position as usize)
    }

    /// Keeps the steps of the last expansion that may lead to something new.
    fn add_steps(&mut self) -> Result<(), End> {
        self.keys.clear();
        self.red.rest();
        for index in 0..self.steps.len() {
            let key = self.blue.key(self.steps.state(index))?;
            self.blue.prefetch(key);
            self.keys.push(key);
        }
        self.order.clear();
        // The last one added is the first one taken.
        self.order.extend((0..self.steps.len() as u32).rev());
        if let Some(random) = &mut self.random {
            random.shuffle(&mut self.order);
        }
        for at in 0..self.order.len() {
            let choice = self.order[at] as usize;
            let is_passing = self.shared.system.is_passing(self.steps.state(choice));
            let key = self.keys[choice];
            if self.on_blue().knows(key) {
                self.n_matched += 1;
            } else if !is_passing && let Some(position) = self.position(choice) {
                let before = position.checked_sub(1).map_or(0, |before| self.path[before].n_accepting);
                if self.path.last().is_some_and(|last| last.n_accepting > before) {
                    return self.close(position, &[choice as u32]);
                }
            } else {
                self.untried.push(Untried { key, choice: choice as u32, is_passing });
            }
        }
        Ok(())
    }

    fn mark_blue(&mut self, key: u64) -> Result<bool, End> {
        let is_new = self.on_blue().insert(key)?;
        self.n_states += u64::from(is_new);
        Ok(is_new)
    }

    /// Takes the last state off the path, after an inner search if it is accepting.
    fn leave_last(&mut self) -> Result<(), End> {
        let Some(last) = self.path.last() else { return Ok(()) };
        let (key, hash, is_accepting, is_passing) = (last.key, last.hash, last.is_accepting, last.is_passing);
        if !is_passing {
            self.mark_blue(key)?;
            if is_accepting {
                let mut current = std::mem::take(&mut self.current);
                self.on_blue().open(key, &mut current);
                self.current = current;
                self.search_inside()?;
            }
            self.on_path.pop(hash, self.path.len() as u32 - 1);
        }
        self.path.pop();
        Ok(())
    }

    /// Looks for a way from the current state, the last on the path, back onto the path; then marks what it saw red.
    fn search_inside(&mut self) -> Result<(), End> {
        let component = self.shared.system.component(&self.current);
        self.blue.rest();
        let seed = self.red.key(&self.current)?;
        let mut inside = Inside::default();
        inside.seen.insert(seed);
        self.expand_inside(&mut inside, component, None)?;
        loop {
            let n_below = inside.path.last().map_or(0, |last| last.1);
            if inside.waiting.len() > n_below {
                let Some((key, choice)) = inside.waiting.pop() else { break };
                let mut current = std::mem::take(&mut self.current);
                self.on_red().open(key, &mut current);
                self.current = current;
                inside.path.push((choice, inside.waiting.len()));
                self.expand_inside(&mut inside, component, Some(key))?;
            } else if inside.path.pop().is_none() {
                break;
            }
        }
        self.wait_for_red(&inside.accepting)?;
        let mut keys: Vec<u64> = inside.seen.into_iter().collect();
        // In an order that does not depend on a table.
        keys.sort_unstable();
        for key in keys {
            self.on_red().insert(key)?;
        }
        Ok(())
    }

    /// Expands the current state of an inner search, which has this key unless it is where the search began.
    fn expand_inside(&mut self, inside: &mut Inside, component: u32, key: Option<u64>) -> Result<(), End> {
        self.expand_current()?;
        if let Some(key) = key
            && self.is_current_accepting()
        {
            inside.accepting.push(key);
        }
        for choice in 0..self.steps.len() {
            if self.shared.system.component(self.steps.state(choice)) != component {
                continue;
            }
            if let Some(position) = self.position(choice) {
                let choices: Vec<u32> =
                    inside.path.iter().map(|(choice, _)| *choice).chain([choice as u32]).collect();
                return self.close(position, &choices);
            }
        }
        self.blue.rest();
        for choice in 0..self.steps.len() {
            if self.shared.system.component(self.steps.state(choice)) != component {
                continue;
            }
            let key = self.red.key(self.steps.state(choice))?;
            if !self.red.knows(key) && inside.seen.insert(key) {
                inside.waiting.push((key, choice as u32));
            }
        }
        Ok(())
    }

    /// Waits until the threads that look from these states are done with them.
    fn wait_for_red(&mut self, keys: &[u64]) -> Result<(), End> {
        for &key in keys {
            while !self.on_red().knows(key) {
                self.look()?;
                std::thread::yield_now();
            }
        }
        Ok(())
    }

    /// Ends the search with a lasso: the path, then these choices, which lead back to a position on it.
    fn close(&self, position: usize, choices: &[u32]) -> Result<(), End> {
        let mut all: Vec<u32> = self.path.iter().map(|visit| visit.choice).collect();
        let initial = all.remove(0);
        all.extend_from_slice(choices);
        let trace = Trace { initial, choices: all, evidence: Evidence::State, loop_at: Some(position) };
        Err(End { stop: Stop::Found, trace: Some(trace) })
    }

    fn note_finding(&self) -> Result<(), End> {
        let asked = self.shared.options.properties.first();
        let found = self.steps.findings().iter().find(|finding| Some(&finding.property) == asked);
        let Some(finding) = found else { return Ok(()) };
        let way: Vec<u32> = self.path.iter().map(|visit| visit.choice).collect();
        Err(End { stop: Stop::Found, trace: Some(trace_to(finding, &way)) })
    }
}
