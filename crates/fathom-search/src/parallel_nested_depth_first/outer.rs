//! The outer search of one thread: depth-first, in an order of its own.
//!
//! A state is on the path, then blue. On leaving an accepting state the thread searches [inside](super::inner) first.

use std::sync::atomic::Ordering;

use fathom_model::{Accepting, Evidence, NoRegion, Steps, Stop, Trace};
use fathom_store::Opened;

use super::view::View;
use super::{End, Shared, inner};
use crate::on_path::{OnPath, hash};
use crate::pace::Pace;
use crate::random::Random;
use crate::search::trace_to;

/// Expansions between two looks at what others have to say.
const EXPANSIONS_BETWEEN_LOOKS: u32 = 256;

/// A state on the path of a thread.
#[derive(Debug)]
pub(super) struct Visit {
    pub(super) key: u64,
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

/// One thread.
pub(super) struct Worker<'a, S: Accepting<Region = NoRegion>> {
    pub(super) shared: &'a Shared<'a, S>,
    pub(super) blue: View<'a>,
    pub(super) red: View<'a>,
    random: Option<Random>,
    path: Vec<Visit>,
    on_path: OnPath,
    untried: Vec<Untried>,
    scratch: S::Scratch,
    pub(super) steps: Steps<NoRegion, S::Label>,
    /// The state that is expanded.
    pub(super) current: Vec<u8>,
    order: Vec<u32>,
    keys: Vec<u64>,
    /// For looks at states on the path.
    other: Opened,
    n_states: u64,
    n_transitions: u64,
    n_matched: u64,
    deepest: u64,
    /// States on the path that are not blue yet, unless another thread has made them so.
    n_open: u64,
    pace: Pace,
    /// States that the inner search has seen.
    pub(super) n_inside: usize,
    /// Bytes that this thread has said it keeps for itself.
    n_bytes_said: u64,
}

impl<'a, S: Accepting<Region = NoRegion>> Worker<'a, S> {
    pub(super) fn new(shared: &'a Shared<'a, S>, thread: u64) -> Worker<'a, S> {
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
            n_open: 0,
            pace: Pace::new(EXPANSIONS_BETWEEN_LOOKS),
            n_inside: 0,
            n_bytes_said: 0,
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
    pub(super) fn on_red(&mut self) -> &mut View<'a> {
        self.blue.rest();
        &mut self.red
    }

    pub(super) fn explore(&mut self) -> Result<(), End> {
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
            self.n_open += 1;
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
    pub(super) fn is_current_accepting(&self) -> bool {
        let system = self.shared.system;
        !self.steps.is_empty() && system.marks(&self.current, &self.scratch, 0) == system.all_marks()
    }

    pub(super) fn expand_current(&mut self) -> Result<(), End> {
        if self.pace.is_due() {
            self.look()?;
        }
        self.steps.clear();
        self.shared.system.successors(&self.current, &NoRegion, &mut self.scratch, &mut self.steps);
        self.pace.count(self.steps.len(), &self.steps);
        self.n_transitions += self.steps.len() as u64;
        Ok(())
    }

    /// Says what was done, and hears whether to go on.
    pub(super) fn look(&mut self) -> Result<(), End> {
        self.blue.rest();
        self.red.rest();
        self.count();
        if self.shared.is_stopped.load(Ordering::Relaxed) {
            return Err(Stop::Found.into());
        }
        let n_states = self.shared.n_states.load(Ordering::Relaxed) + self.n_open;
        if self.shared.options.max_states.is_some_and(|most| n_states > most) {
            return Err(Stop::States.into());
        }
        if self.shared.options.max_bytes.is_some_and(|most| self.shared.bytes() > most) {
            return Err(Stop::Memory.into());
        }
        Ok(())
    }

    /// Adds what was done to what all have done.
    pub(super) fn count(&mut self) {
        let shared = self.shared;
        let n_bytes = self.bytes();
        // The sum wraps around in between and is right in the end.
        shared.own_bytes.fetch_add(n_bytes.wrapping_sub(self.n_bytes_said), Ordering::Relaxed);
        self.n_bytes_said = n_bytes;
        shared.n_states.fetch_add(std::mem::take(&mut self.n_states), Ordering::Relaxed);
        shared.n_transitions.fetch_add(std::mem::take(&mut self.n_transitions), Ordering::Relaxed);
        shared.n_matched.fetch_add(std::mem::take(&mut self.n_matched), Ordering::Relaxed);
        shared.deepest.fetch_max(self.deepest, Ordering::Relaxed);
    }

    /// Bytes of what this thread keeps for itself.
    fn bytes(&self) -> u64 {
        let path = self.path.capacity() * (size_of::<Visit>() + OnPath::BYTES_PER_STATE);
        (path + self.untried.capacity() * size_of::<Untried>() + self.n_inside * inner::BYTES_PER_STATE)
            as u64
    }

    /// The position on the path of the state that a step reaches.
    pub(super) fn position(&mut self, choice: usize) -> Option<usize> {
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
            self.n_open -= 1;
        }
        self.path.pop();
        Ok(())
    }

    /// Ends the search with a lasso: the path, then these choices, which lead back to a position on it.
    pub(super) fn close(&self, position: usize, choices: &[u32]) -> Result<(), End> {
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
