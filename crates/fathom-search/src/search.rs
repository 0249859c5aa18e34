//! The search loop.
//!
//! Take a state from the frontier, expand it, note what was found, hand the steps to the frontier, look at
//! the limits now and then. The frontier may hold insertions back to overlap the memory latency of many;
//! before anything is noted or compared with a limit they are done, so that what is seen from outside is the
//! same as if every step were inserted at once. Order and storage are the frontier's and the store's; the loop is compiled for
//! each combination and calls nothing through a pointer except the monitor.
//!
//! When there is evidence about all properties, the search ends. After evidence about the first, it goes on
//! for the others, but not for ever: see [`Patience`](crate::Patience). A finding ends nothing for its
//! state: what lies behind it is explored all the same, so that the other properties see every state.

use std::marker::PhantomData;

use fathom_model::{ByteSet, Evidence, Finding, Region, Statistics, Steps, Stop, System, Trace};
use fathom_store::{StateId, Store};

use crate::frontier::{Frontier, Reached};
use crate::local_steps::{LocalSteps, PackedStates};
use crate::options::{Monitor, Options, Progress};
use crate::outcome::Outcome;
use crate::pace::Pace;
use crate::stopwatch::{Stage, Stopwatch};

/// Expansions between two looks at the monitor and at memory.
const EXPANSIONS_BETWEEN_POLLS: u32 = 1000;
/// The same with regions, which may take long: a decision diagram can cost seconds.
const EXPANSIONS_WITH_REGIONS: u32 = 20;

/// Explores a system until nothing is left, there is evidence about everything asked, or a limit is hit.
///
/// Store and frontier must be empty and belong together: a [`Queue`](crate::Queue) needs a store that keeps
/// covered states readable, and a [`Stack`](crate::Stack) one that keeps depths if there is a bound on depth.
/// [`breadth_first`](crate::breadth_first()) and [`depth_first`](crate::depth_first()) see to that.
///
/// # Example
///
/// A counter from 0 to 9 with steps of one and two, and the question whether it can pass 7.
///
/// ```
/// use fathom_model::{Answer, NoRegion, PropertyId, Steps, Stop, System};
/// use fathom_search::{Meaning, NoMonitor, Options, Queue, replay, search, verdicts};
/// use fathom_store::{ExactStore, Keep};
///
/// struct Counter;
/// const PASSES_SEVEN: PropertyId = PropertyId(0);
///
/// impl System for Counter {
///     type Region = NoRegion;
///     type Label = &'static str;
///     type Scratch = ();
///
///     fn scratch(&self) {}
///
///     fn initial(&self, _: &mut (), out: &mut Steps<NoRegion, &'static str>) {
///         out.push(&[0], NoRegion, &["start"]);
///     }
///
///     fn successors(
///         &self,
///         state: &[u8],
///         _: &NoRegion,
///         _: &mut (),
///         out: &mut Steps<NoRegion, &'static str>,
///     ) {
///         if state[0] > 7 {
///             out.find(PASSES_SEVEN, None, &[]);
///         }
///         for (step, label) in [(1, "one"), (2, "two")] {
///             if state[0] + step <= 9 {
///                 out.push(&[state[0] + step], NoRegion, &[label]);
///             }
///         }
///     }
/// }
///
/// let options = Options { properties: vec![PASSES_SEVEN], ..Options::default() };
/// let mut store: ExactStore<NoRegion> = ExactStore::new(Keep::Covered);
/// let outcome = search(&Counter, &mut store, &mut Queue::new(), &options, &mut NoMonitor);
/// assert_eq!(outcome.stop, Stop::Found);
///
/// let verdict = &verdicts(&outcome, |_| Meaning::Witness)[0];
/// assert_eq!(verdict.answer, Answer::Holds);
///
/// let trace = verdict.trace.as_ref().unwrap();
/// assert_eq!(trace.choices, [1, 1, 1, 1]);
/// let replayed = replay(&Counter, trace).unwrap();
/// assert_eq!(replayed.visits.last().unwrap().state, [8]);
/// ```
pub fn search<S, St, F>(
    system: &S,
    store: &mut St,
    frontier: &mut F,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Outcome
where
    S: System,
    St: Store<S::Region>,
    F: Frontier<S::Region, St>,
{
    debug_assert!(store.is_empty());
    let max_states = options.max_states.unwrap_or(u64::MAX);
    let max_bytes = options.max_bytes.unwrap_or(u64::MAX);
    store.set_limits(max_states, max_bytes);
    let reached = Reached {
        store,
        max_states,
        is_bounded: options.max_depth.is_some(),
        n_matched: 0,
        deepest: 0,
        depth_cut: false,
        stopwatch: options.clock.map(Stopwatch::start),
    };
    let mut search = Search {
        system,
        options,
        frontier,
        reached,
        scratch: system.scratch(),
        steps: Steps::new(),
        local_steps: (options.max_depth.is_none() && size_of::<S::Region>() == 0).then(LocalSteps::new),
        keys: Vec::new(),
        evidence: vec![None; options.properties.len()],
        end_of_patience: u64::MAX,
        n_transitions: 0,
        n_expanded: 0,
    };
    let stop = match search.explore(monitor) {
        Err(stop) => stop,
        Ok(()) if search.reached.depth_cut => Stop::Depth,
        Ok(()) => Stop::Exhausted,
    };
    search.into_outcome(stop)
}

/// A search under way.
struct Search<'a, S: System, St: Store<S::Region>, F> {
    system: &'a S,
    options: &'a Options,
    frontier: &'a mut F,
    reached: Reached<'a, St>,
    scratch: S::Scratch,
    /// What the state under expansion leads to.
    steps: Steps<S::Region, S::Label>,
    /// What is remembered about the steps of others, if that can be used.
    local_steps: Option<LocalSteps<S::Region, S::Label>>,
    /// What the state under expansion leads to, if that was remembered.
    keys: Vec<St::Key>,
    /// By index in the list of properties.
    evidence: Vec<Option<Trace>>,
    /// With so many states, the search for the remaining properties ends.
    end_of_patience: u64,
    n_transitions: u64,
    n_expanded: u64,
}

impl<S: System, St: Store<S::Region>, F: Frontier<S::Region, St>> Search<'_, S, St, F> {
    /// The loop. An error is a reason to stop before everything was explored.
    fn explore(&mut self, monitor: &mut dyn Monitor) -> Result<(), Stop> {
        self.system.initial(&mut self.scratch, &mut self.steps);
        self.note_findings(IsInitial(true))?;
        self.frontier.add(&self.steps, 0, &mut self.reached)?;
        let mut pace = Pace::from_now(match size_of::<S::Region>() {
            0 => EXPANSIONS_BETWEEN_POLLS,
            _ => EXPANSIONS_WITH_REGIONS,
        });
        while self.frontier.next(&mut self.reached)? {
            if pace.is_due() || self.options.is_alarmed() {
                self.frontier.flush(&mut self.reached)?;
                self.poll(monitor)?;
            }
            let n_before = self.n_transitions;
            self.expand()?;
            self.reached.enter(Stage::Frontier);
            pace.count((self.n_transitions - n_before) as usize, &self.steps);
            if (self.reached.store.len() + self.frontier.n_held_back()) as u64 >= self.end_of_patience {
                self.frontier.flush(&mut self.reached)?;
                if self.reached.store.len() as u64 >= self.end_of_patience {
                    return Err(Stop::Found);
                }
            }
        }
        Ok(())
    }

    /// Expands the current state by what is remembered; false when that is not enough.
    #[inline]
    fn expand_from_memory(&mut self) -> Result<bool, Stop> {
        let (Some(local_steps), Some(id)) = (&mut self.local_steps, self.frontier.id()) else {
            return Ok(false);
        };
        self.reached.enter(Stage::Successors);
        let mut states =
            Current { frontier: &mut *self.frontier, store: &mut *self.reached.store, region: PhantomData };
        let found = local_steps.successors(id, self.system, &mut self.scratch, &mut states)?;
        let Some(roots) = found else {
            return Ok(false);
        };
        self.keys.clear();
        St::keys_of(roots, &mut self.keys);
        self.reached.enter(Stage::Store);
        self.n_expanded += 1;
        self.n_transitions += self.keys.len() as u64;
        self.frontier.add_keys(&self.keys, self.frontier.depth() + 1, &mut self.reached)?;
        Ok(true)
    }

    #[inline]
    fn expand(&mut self) -> Result<(), Stop> {
        self.steps.clear();
        if self.expand_from_memory()? {
            return Ok(());
        }
        let (state, region) = self.frontier.current(&*self.reached.store);
        if let Some(stopwatch) = &mut self.reached.stopwatch {
            stopwatch.enter(Stage::Successors);
        }
        self.system.successors(state, region, &mut self.scratch, &mut self.steps);
        self.reached.enter(Stage::Store);
        self.n_expanded += 1;
        self.n_transitions += self.steps.len() as u64;
        if !self.steps.findings().is_empty() {
            self.note_findings(IsInitial(false))?;
        }
        let depth = self.frontier.depth() + 1;
        if self.options.max_depth.is_some_and(|max_depth| depth > max_depth) {
            return self.cut_off(depth);
        }
        self.frontier.add(&self.steps, depth, &mut self.reached)
    }

    /// Drops the steps that leave a state at the bound on depth.
    fn cut_off(&mut self, depth: u32) -> Result<(), Stop> {
        self.frontier.flush(&mut self.reached)?;
        for index in 0..self.steps.len() {
            let (state, region) = (self.steps.state(index), self.steps.region(index));
            let key = self.frontier.key(state, self.reached.store).ok_or(Stop::Memory)?;
            self.reached.depth_cut |= !self.reached.knows(key, state, region, depth);
        }
        Ok(())
    }

    /// Whether a finding is the first evidence about a property asked, and its index in the list.
    fn news(&self, finding: &Finding) -> Option<usize> {
        let asked = self.options.properties.iter().position(|&property| property == finding.property);
        asked.filter(|&index| self.evidence[index].is_none())
    }

    /// Keeps what is the first evidence about a property asked, found in the current state or before the
    /// first step.
    fn note_findings(&mut self, is_initial: IsInitial) -> Result<(), Stop> {
        if !self.steps.findings().iter().any(|finding| self.news(finding).is_some()) {
            return Ok(());
        }
        self.frontier.flush(&mut self.reached)?;
        let path = if is_initial.0 { Vec::new() } else { self.frontier.way() };
        for finding in self.steps.findings() {
            if let Some(index) = self.news(finding) {
                self.evidence[index] = Some(trace_to(finding, &path));
            }
        }
        if self.options.continue_after_all {
            return Ok(());
        }
        if self.evidence.iter().all(Option::is_some) {
            return Err(Stop::Found);
        }
        if self.end_of_patience == u64::MAX {
            self.end_of_patience = self.options.patience.limit(self.reached.store.len() as u64);
        }
        Ok(())
    }

    fn poll(&mut self, monitor: &mut dyn Monitor) -> Result<(), Stop> {
        let local_bytes = self.local_steps.as_ref().map_or(0, LocalSteps::bytes);
        let progress = Progress {
            states: self.reached.store.len() as u64,
            transitions: self.n_transitions,
            depth: u64::from(self.frontier.depth()),
            pending: self.frontier.n_pending() as u64,
            bytes: (self.reached.store.bytes() + self.frontier.bytes() + local_bytes) as u64,
        };
        if let Some(stop) = monitor.poll(&progress) {
            return Err(stop);
        }
        match self.options.max_bytes {
            Some(max_bytes) if progress.bytes > max_bytes => Err(Stop::Memory),
            _ => Ok(()),
        }
    }

    fn into_outcome(self, stop: Stop) -> Outcome {
        let store = self.reached.store;
        Outcome {
            evidence: self.options.properties.iter().copied().zip(self.evidence).collect(),
            stop,
            depth_cut: self.reached.depth_cut,
            trust: store.trust(),
            expected_omissions: store.expected_omissions(),
            profile: self.reached.stopwatch.map(Stopwatch::profile),
            statistics: Statistics {
                states: store.len() as u64,
                expanded: self.n_expanded,
                transitions: self.n_transitions,
                matched: self.reached.n_matched,
                max_depth: u64::from(self.reached.deepest),
                seconds: 0.0,
                store_bytes: (store.bytes() + self.frontier.trail_bytes()) as u64,
            },
        }
    }
}

/// The current state of a search, and its store.
struct Current<'a, R, St, F> {
    frontier: &'a mut F,
    store: &'a mut St,
    region: PhantomData<R>,
}

impl<R: Region, St: Store<R>, F: Frontier<R, St>> PackedStates<R> for Current<'_, R, St, F> {
    #[inline]
    fn version(&mut self, id: StateId) -> u64 {
        self.store.version(id)
    }

    fn bits_of(&mut self, id: StateId, bytes: &ByteSet) -> u64 {
        self.store.bits_of(id, bytes)
    }

    fn open(&mut self, _: StateId) -> (&[u8], &R) {
        self.frontier.current(self.store)
    }

    fn root(&mut self, state: &[u8]) -> Result<u64, Stop> {
        self.frontier.key(state, self.store).map(St::root_of).ok_or(Stop::Memory)
    }
}

/// Whether findings are about what comes before the first step.
struct IsInitial(bool);

/// The trace along a path, the index of the initial state first, to a finding. A finding before the first
/// step has an empty path, and counts as one about the first initial state.
pub(crate) fn trace_to(finding: &Finding, path: &[u32]) -> Trace {
    let (initial, choices) =
        path.split_first().map_or((0, &[][..]), |(&initial, choices)| (initial, choices));
    let evidence = Evidence::Finding { property: finding.property, fault: finding.fault.clone() };
    Trace { initial, choices: choices.to_vec(), evidence, loop_at: None }
}
