//! Nested depth-first search: is there a cycle through an accepting state?
//!
//! Courcoubetis, Vardi, Wolper and Yannakakis (1992), in the form of Schwoon and Esparza (2005). The outer search is
//! depth-first. A step back onto its path closes a cycle; when an accepting state lies on it, that is the answer (Geldenhuys and
//! Valmari, 2004: the path counts its accepting states). What this misses is found by an inner search, which starts
//! when the outer one leaves an accepting state for good and looks for a way back onto the path. All inner searches
//! share what they have seen, so each state is expanded at most twice.
//!
//! Where we differ: colors are places. The outer search has a store, the inner searches have another one, which stays
//! small, and the path is a table beside them ([`on_path`](crate::on_path)); so states stay packed and no store
//! needs to keep bits for them. Components of the automaton ([`Accepting::component`]) bound the inner
//! search, and where all states of a component are accepting there is none.
//!
//! A finding about a property asked, which a product makes when nothing that follows can matter, ends the
//! search with a trace that has no loop.

use fathom_model::{Accepting, Evidence, NoRegion, Statistics, Steps, Stop, System, Trace, Trust};
use fathom_store::{Insert, PackedStore, StateId, Store};

use crate::on_path::{OnPath, hash};
use crate::options::{Monitor, Options, Progress};
use crate::outcome::Outcome;
use crate::sample::fit_to_sample;
use crate::search::trace_to;

/// Expansions between two looks at the monitor and at memory.
const EXPANSIONS_BETWEEN_POLLS: u32 = 1000;

/// Looks for a run with infinitely many accepting states, and for findings about the first property asked.
///
/// The evidence is a lasso, [`Evidence::State`] with a loop, or the way to a finding. The store is exact whatever the
/// options say, and nothing is explored after the first evidence.
pub fn nested_depth_first<S: Accepting<Region = NoRegion>>(
    system: &S,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Outcome {
    let mut store = PackedStore::new();
    fit_to_sample(system, &mut store);
    store.set_limits(options.max_states.unwrap_or(u64::MAX), options.max_bytes.unwrap_or(u64::MAX));
    let mut search = Search {
        system,
        options,
        monitor,
        store,
        opened: Default::default(),
        path: Vec::new(),
        on_path: OnPath::default(),
        untried: Vec::new(),
        inner: None,
        scratch: system.scratch(),
        steps: Steps::new(),
        current: Vec::new(),
        evidence: None,
        depth_cut: false,
        statistics: Statistics::default(),
        n_until_poll: 0,
    };
    let stop = match search.explore() {
        Err(stop) => stop,
        Ok(()) if search.depth_cut => Stop::Depth,
        Ok(()) => Stop::Exhausted,
    };
    search.into_outcome(stop)
}

/// A search under way. An error of its methods is a reason to stop.
struct Search<'a, S: System> {
    system: &'a S,
    options: &'a Options,
    monitor: &'a mut dyn Monitor,
    store: PackedStore<NoRegion>,
    opened: <PackedStore<NoRegion> as Store<NoRegion>>::Opened,
    path: Vec<Visit>,
    on_path: OnPath,
    /// Steps to be tried of the outer search: of the initial states first, then of each state on the path.
    untried: Vec<Untried>,
    /// What inner searches have seen; made when the first one starts.
    inner: Option<Box<Inner>>,
    scratch: S::Scratch,
    steps: Steps<NoRegion, S::Label>,
    /// The state that was expanded last.
    current: Vec<u8>,
    evidence: Option<Trace>,
    depth_cut: bool,
    statistics: Statistics,
    n_until_poll: u32,
}

/// A state on the path of the outer search.
#[derive(Debug)]
struct Visit {
    id: StateId,
    hash: u64,
    /// Index of the step, or initial state, that led to it.
    choice: u32,
    /// Number of untried steps that belong to the states before it.
    n_below: usize,
    /// Number of accepting states up to it on the path, itself included.
    n_accepting: u32,
}

#[derive(Debug)]
struct Untried {
    key: u64,
    choice: u32,
}

/// What inner searches have seen, and the one under way.
#[derive(Default, Debug)]
struct Inner {
    store: PackedStore<NoRegion>,
    opened: <PackedStore<NoRegion> as Store<NoRegion>>::Opened,
    /// For each expanded state on the way: the choice that led to it, and the number of waiting ones below it.
    path: Vec<(u32, usize)>,
    waiting: Vec<(StateId, u32)>,
}

impl<S: Accepting<Region = NoRegion>> Search<'_, S> {
    fn explore(&mut self) -> Result<(), Stop> {
        self.system.initial(&mut self.scratch, &mut self.steps);
        self.note_finding()?;
        self.add_steps()?;
        loop {
            let n_below = self.path.last().map_or(0, |last| last.n_below);
            if self.untried.len() > n_below {
                if self.try_last()? {
                    self.expand_last()?;
                }
            } else if self.path.is_empty() {
                return Ok(());
            } else {
                self.leave_last()?;
            }
        }
    }

    /// Takes the last of the untried steps. Says whether it led to a new state, which is the last on the path then.
    fn try_last(&mut self) -> Result<bool, Stop> {
        let Some(Untried { key, choice }) = self.untried.pop() else { return Ok(false) };
        let id = match self.store.insert(key, &[], &NoRegion, 0) {
            Insert::New(id) => id,
            Insert::Known => {
                self.statistics.matched += 1;
                return Ok(false);
            }
            Insert::Full if self.store.len() as u64 >= self.options.max_states.unwrap_or(u64::MAX) => {
                return Err(Stop::States);
            }
            Insert::Full => return Err(Stop::Memory),
        };
        let state = self.store.open(id, &mut self.opened).0;
        self.current.clear();
        self.current.extend_from_slice(state);
        let n_accepting =
            self.path.last().map_or(0, |last| last.n_accepting) + u32::from(self.system.is_accepting(state));
        let hash = hash(state);
        self.on_path.push(hash, self.path.len() as u32);
        self.path.push(Visit { id, hash, choice, n_below: self.untried.len(), n_accepting });
        self.statistics.max_depth = self.statistics.max_depth.max(self.path.len() as u64 - 1);
        Ok(true)
    }

    /// Expands the last state on the path.
    fn expand_last(&mut self) -> Result<(), Stop> {
        self.expand_current()?;
        self.note_finding()?;
        for choice in 0..self.steps.len() {
            if let Some(position) = self.position(choice) {
                let before = position.checked_sub(1).map_or(0, |before| self.path[before].n_accepting);
                if self.path[self.path.len() - 1].n_accepting > before {
                    return self.close(position, &[choice as u32]);
                }
            }
        }
        self.add_steps()
    }

    fn expand_current(&mut self) -> Result<(), Stop> {
        if self.n_until_poll == 0 {
            self.poll()?;
            self.n_until_poll = EXPANSIONS_BETWEEN_POLLS;
        }
        self.n_until_poll -= 1;
        self.steps.clear();
        self.system.successors(&self.current, &NoRegion, &mut self.scratch, &mut self.steps);
        self.statistics.transitions += self.steps.len() as u64;
        Ok(())
    }

    /// The position on the path of the state that a step reaches.
    #[inline]
    fn position(&mut self, choice: usize) -> Option<usize> {
        let state = self.steps.state(choice);
        let Search { on_path, path, store, opened, .. } = self;
        let is_at = |position: u32| store.open(path[position as usize].id, opened).0 == state;
        on_path.find(hash(state), is_at).map(|position| position as usize)
    }

    /// Keeps the steps of the last expansion that may lead to something new.
    fn add_steps(&mut self) -> Result<(), Stop> {
        let is_cut = self.options.max_depth.is_some_and(|most| self.path.len() as u64 > u64::from(most));
        // The last one added is the first one taken.
        for choice in (0..self.steps.len()).rev() {
            let key = self.store.key(self.steps.state(choice), &mut self.opened).ok_or(Stop::Memory)?;
            if self.store.knows(key, &[], &NoRegion, 0) {
                self.statistics.matched += 1;
            } else if is_cut {
                self.depth_cut = true;
            } else {
                self.untried.push(Untried { key, choice: choice as u32 });
            }
        }
        Ok(())
    }

    /// Takes the last state off the path, after an inner search if it calls for one.
    fn leave_last(&mut self) -> Result<(), Stop> {
        let Some(last) = self.path.last() else { return Ok(()) };
        let state = self.store.open(last.id, &mut self.opened).0;
        if self.system.is_mixed(state) {
            self.current.clear();
            self.current.extend_from_slice(state);
            self.search_inside()?;
        }
        if let Some(last) = self.path.pop() {
            self.on_path.pop(last.hash, self.path.len() as u32);
        }
        Ok(())
    }

    /// Looks for a way from the current state, which is the last on the path, back onto the path.
    fn search_inside(&mut self) -> Result<(), Stop> {
        let mut inner = self.inner.take().unwrap_or_else(|| {
            let mut inner = Box::<Inner>::default();
            fit_to_sample(self.system, &mut inner.store);
            inner.store.set_limits(u64::MAX, self.options.max_bytes.unwrap_or(u64::MAX));
            inner
        });
        let component = self.system.component(&self.current);
        inner.path.clear();
        inner.waiting.clear();
        self.expand_inside(&mut inner, component)?;
        loop {
            let n_below = inner.path.last().map_or(0, |last| last.1);
            if inner.waiting.len() > n_below {
                let Some((id, choice)) = inner.waiting.pop() else { break };
                self.current.clear();
                self.current.extend_from_slice(inner.store.open(id, &mut inner.opened).0);
                inner.path.push((choice, inner.waiting.len()));
                self.expand_inside(&mut inner, component)?;
            } else if inner.path.pop().is_none() {
                break;
            }
        }
        self.inner = Some(inner);
        Ok(())
    }

    fn expand_inside(&mut self, inner: &mut Inner, component: u32) -> Result<(), Stop> {
        self.expand_current()?;
        for choice in 0..self.steps.len() {
            let state = self.steps.state(choice);
            if self.system.component(state) != component {
                continue;
            }
            if let Some(position) = self.position(choice) {
                let choices: Vec<u32> =
                    inner.path.iter().map(|(choice, _)| *choice).chain([choice as u32]).collect();
                return self.close(position, &choices);
            }
            let state = self.steps.state(choice);
            // With a bound on depth, what was cut off is no business of the inner search either.
            let is_visited = !self.depth_cut || {
                let key = self.store.key(state, &mut self.opened).ok_or(Stop::Memory)?;
                self.store.knows(key, &[], &NoRegion, 0)
            };
            if is_visited {
                match inner.store.put(state, &NoRegion, 0) {
                    Insert::New(id) => inner.waiting.push((id, choice as u32)),
                    Insert::Known => {}
                    Insert::Full => return Err(Stop::Memory),
                }
            }
        }
        Ok(())
    }

    /// Ends the search with a lasso: the path, then these choices, which lead back to a position on it.
    fn close(&mut self, position: usize, choices: &[u32]) -> Result<(), Stop> {
        let mut all: Vec<u32> = self.path.iter().map(|visit| visit.choice).collect();
        let initial = all.remove(0);
        all.extend_from_slice(choices);
        self.evidence =
            Some(Trace { initial, choices: all, evidence: Evidence::State, loop_at: Some(position) });
        Err(Stop::Found)
    }

    fn note_finding(&mut self) -> Result<(), Stop> {
        let asked = self.options.properties.first();
        let found = self.steps.findings().iter().find(|finding| Some(&finding.property) == asked);
        let Some(finding) = found else { return Ok(()) };
        let way: Vec<u32> = self.path.iter().map(|visit| visit.choice).collect();
        self.evidence = Some(trace_to(finding, &way));
        Err(Stop::Found)
    }

    fn bytes(&self) -> u64 {
        let inner = self.inner.as_ref().map_or(0, |inner| inner.store.bytes());
        let stacks =
            self.path.capacity() * size_of::<Visit>() + self.untried.capacity() * size_of::<Untried>();
        (self.store.bytes() + inner + stacks + self.on_path.bytes()) as u64
    }

    fn poll(&mut self) -> Result<(), Stop> {
        let progress = Progress {
            states: self.store.len() as u64,
            transitions: self.statistics.transitions,
            depth: self.path.len() as u64,
            pending: self.untried.len() as u64,
            bytes: self.bytes(),
        };
        if let Some(stop) = self.monitor.poll(&progress) {
            return Err(stop);
        }
        let is_full = self.options.max_bytes.is_some_and(|most| progress.bytes > most);
        if is_full { Err(Stop::Memory) } else { Ok(()) }
    }

    fn into_outcome(self, stop: Stop) -> Outcome {
        let inner = self.inner.as_ref().map_or(0, |inner| inner.store.bytes());
        Outcome {
            evidence: self
                .options
                .properties
                .first()
                .map(|&property| (property, self.evidence))
                .into_iter()
                .collect(),
            stop,
            depth_cut: self.depth_cut,
            trust: Trust::Complete,
            expected_omissions: 0.0,
            profile: None,
            statistics: Statistics {
                states: self.store.len() as u64,
                store_bytes: (self.store.bytes() + inner) as u64,
                ..self.statistics
            },
        }
    }
}
