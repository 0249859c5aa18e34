//! Emptiness by strongly connected components: is there a run that counts?
//!
//! One depth-first search that keeps the strongly connected components of what it has seen (Couvreur, FM 1999; the
//! stacks are those of Gabow, 2000). States of components that are not complete are *alive* and numbered in the order of
//! their discovery. A step back to a living state joins all components from that state's on into one, and their marks
//! with them; when a component has a cycle and the marks of all sets, every state of it lies on a run that counts,
//! and the search ends. When the first state of a component is left for good, the component is complete and dead.
//! Each state is expanded once, however many sets there are, and a violation shows as soon as its last step is
//! seen, not when the search comes back.
//!
//! Where we differ: the number of a state is beside it in the store ([`NumberedStore`]), in the same cache line. Steps are
//! looked at when their state is expanded, all at once, so that memory latencies overlap; those to living states join
//! components at once, those to dead ones are dropped, and only the others wait. States that no run that
//! counts passes again and again ([`Accepting::is_passing`]) are dead from the start, and as long as there was nothing else on the way to
//! them, they are searched in another order ([`passing`]).
//! Nested depth-first search (Courcoubetis and others, 1992) was here before; decision 12 compares them.
//!
//! What is found is the component; a short lasso in it is looked for afterwards ([`lasso`](crate::lasso)). A
//! finding about a property asked, which a product makes when nothing that follows can matter, ends the
//! search with a trace that has no loop.

mod passing;

use fathom_model::{Accepting, NoRegion, Statistics, Steps, Stop, Trace, Trust};
use fathom_store::{Entered, NumberedStore, Opened};

use crate::lasso::Lassos;
use crate::options::{Monitor, Options, Progress};
use crate::outcome::Outcome;
use crate::pace::Pace;
use crate::sample::sample;
use crate::search::trace_to;
use passing::Passing;

/// Expansions between two looks at the monitor and at memory.
const EXPANSIONS_BETWEEN_POLLS: u32 = 1000;

/// The number of states of complete components.
const DEAD: u32 = u32::MAX;

/// Looks for a run that counts, and for findings about the first property asked.
///
/// The evidence is a lasso, [`Evidence::State`](fathom_model::Evidence::State) with a loop, or the way to a finding. The store is exact whatever the
/// options say, and nothing is explored after the first evidence.
pub fn strong_components<S: Accepting<Region = NoRegion>>(
    system: &S,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Outcome {
    let store = NumberedStore::new(
        &mut sample(system, options).iter(),
        options.max_states.unwrap_or(u64::MAX),
        options.max_bytes.unwrap_or(u64::MAX),
    );
    let mut search = Search {
        system,
        options,
        monitor,
        store,
        opened: Opened::default(),
        passing: Passing::default(),
        path: Vec::new(),
        untried: Vec::new(),
        alive: Vec::new(),
        components: Vec::new(),
        all_marks: system.all_marks(),
        scratch: system.scratch(),
        steps: Steps::new(),
        current: Vec::new(),
        keys: Vec::new(),
        made: Vec::new(),
        evidence: None,
        depth_cut: false,
        statistics: Statistics::default(),
        pace: Pace::from_now(EXPANSIONS_BETWEEN_POLLS),
    };
    let stop = match search.explore() {
        Err(stop) => stop,
        Ok(()) if search.depth_cut => Stop::Depth,
        Ok(()) => Stop::Exhausted,
    };
    search.into_outcome(stop)
}

/// A search under way. An error of its methods is a reason to stop.
struct Search<'a, S: Accepting<Region = NoRegion>> {
    system: &'a S,
    options: &'a Options,
    monitor: &'a mut dyn Monitor,
    store: NumberedStore,
    opened: Opened,
    /// What is only passed, on the way to where the path begins.
    passing: Passing,
    path: Vec<Visit>,
    /// Steps to be tried: those to where the path begins first, then of each state on the path.
    untried: Vec<Untried>,
    /// The keys of the living states, by number.
    alive: Vec<u64>,
    /// The components that are not complete, in the order of their first states, which are on the path.
    components: Vec<Component>,
    all_marks: u64,
    scratch: S::Scratch,
    steps: Steps<NoRegion, S::Label>,
    /// The state that was expanded last, and the keys of its steps.
    current: Vec<u8>,
    keys: Vec<u64>,
    /// Steps that were made and not looked at.
    made: Vec<Untried>,
    evidence: Option<Trace>,
    depth_cut: bool,
    statistics: Statistics,
    pace: Pace,
}

/// A state on the path.
#[derive(Debug)]
struct Visit {
    /// Its number when it came, [`DEAD`] for a state that is only passed.
    number: u32,
    /// Index of the step, or initial state, that led to it.
    choice: u32,
    /// Number of untried steps that belong to the states before it.
    n_below: usize,
}

#[derive(Clone, Copy, Debug)]
struct Untried {
    key: u64,
    marks: u64,
    choice: u32,
    is_passing: bool,
}

/// A component that is not complete.
#[derive(Clone, Copy, Debug)]
struct Component {
    /// The number of its first state: it has all living states from there to the first of the next component.
    first: u32,
    /// The marks of steps inside.
    marks: u64,
    /// The marks of the step that led into it.
    before: u64,
}

impl<S: Accepting<Region = NoRegion>> Search<'_, S> {
    /// Takes a step from where the path begins, and whatever can be reached from there.
    fn explore_from(&mut self, first: Untried) -> Result<(), Stop> {
        self.untried.push(first);
        self.explore_untried()
    }

    /// The same for a step to a state whose steps have been made.
    fn explore_from_expanded(&mut self, first: Untried) -> Result<(), Stop> {
        self.untried.push(first);
        if self.try_last()?.is_some() {
            self.add_steps()?;
        }
        self.explore_untried()
    }

    fn explore_untried(&mut self) -> Result<(), Stop> {
        loop {
            let n_below = self.path.last().map_or(0, |last| last.n_below);
            if self.untried.len() > n_below {
                if let Some(key) = self.try_last()? {
                    self.expand(key)?;
                    self.note_finding()?;
                    self.add_steps()?;
                }
            } else if let Some(last) = self.path.pop() {
                self.leave(last.number);
            } else {
                return Ok(());
            }
        }
    }

    /// Takes the last of the untried steps. Gives the key of the state that it leads to when that is new; then it
    /// is the last on the path.
    fn try_last(&mut self) -> Result<Option<u64>, Stop> {
        let Some(Untried { key, marks, choice, is_passing }) = self.untried.pop() else { return Ok(None) };
        let number = if is_passing { DEAD } else { self.alive.len() as u32 };
        match self.store.insert(key, number) {
            Entered::New(_) => {}
            Entered::Known(number) => {
                self.statistics.matched += 1;
                self.meet(number, marks)?;
                return Ok(None);
            }
            Entered::TooMany => return Err(Stop::States),
            Entered::NoMemory => return Err(Stop::Memory),
        }
        if !is_passing {
            self.alive.push(key);
            self.components.push(Component { first: number, marks: 0, before: marks });
        }
        self.path.push(Visit { number, choice, n_below: self.untried.len() });
        let depth = self.passing.depth_of_entry() + self.path.len() as u64 - 1;
        self.statistics.max_depth = self.statistics.max_depth.max(depth);
        Ok(Some(key))
    }

    /// Makes the steps of a state, and asks for the memory in which to look for them.
    fn expand(&mut self, key: u64) -> Result<(), Stop> {
        if self.pace.is_due() || self.options.is_alarmed() {
            self.poll()?;
        }
        // What comes next when this state leads to nothing new.
        if let Some(next) = self.untried.last() {
            self.store.prefetch(next.key);
        }
        let Search { system, store, opened, steps, scratch, current, .. } = self;
        current.clear();
        current.extend_from_slice(store.open(key, opened));
        steps.clear();
        system.successors(current, &NoRegion, scratch, steps);
        self.pace.count(steps.len(), steps);
        self.ask_for_keys()?;
        let Search { system, steps, scratch, current, keys, made, .. } = self;
        made.clear();
        made.extend(keys.iter().enumerate().map(|(index, &key)| Untried {
            key,
            marks: system.marks(current, scratch, index),
            choice: index as u32,
            is_passing: system.is_passing(steps.state(index)),
        }));
        Ok(())
    }

    /// Makes the keys of the steps of the last expansion, and asks for the memory in which to look for them.
    fn ask_for_keys(&mut self) -> Result<(), Stop> {
        self.keys.clear();
        match self.store.keys(&self.steps, &mut self.opened, &mut self.keys) {
            true => Ok(()),
            false => Err(Stop::Memory),
        }
    }

    /// Looks at the steps of the last state on the path and keeps those that may lead to something new.
    fn add_steps(&mut self) -> Result<(), Stop> {
        self.statistics.transitions += self.made.len() as u64;
        let is_cut = self.options.max_depth.is_some_and(|most| self.path.len() as u64 > u64::from(most));
        // The last one added is the first one taken.
        for index in (0..self.made.len()).rev() {
            let step = self.made[index];
            if let Some(number) = self.store.number(step.key) {
                self.statistics.matched += 1;
                self.meet(number, step.marks)?;
            } else if is_cut {
                self.depth_cut = true;
            } else {
                self.untried.push(step);
            }
        }
        Ok(())
    }

    /// A step with these marks leads from the last state on the path to a known state.
    #[inline]
    fn meet(&mut self, number: u32, marks: u64) -> Result<(), Stop> {
        if number == DEAD || self.path.last().is_none_or(|last| last.number == DEAD) {
            return Ok(());
        }
        let mut marks = marks;
        while let Some(&last) = self.components.last()
            && last.first > number
        {
            marks |= last.marks | last.before;
            self.components.pop();
        }
        let Some(joined) = self.components.last_mut() else { return Ok(()) };
        joined.marks |= marks;
        if joined.marks == self.all_marks {
            let first = joined.first;
            return self.close(first);
        }
        Ok(())
    }

    /// Leaves a state for good. When it was the first of its component, that is complete.
    #[inline]
    fn leave(&mut self, number: u32) {
        if self.components.last().is_none_or(|last| last.first != number) {
            return;
        }
        self.components.pop();
        // Far enough ahead that memory keeps up, near enough that what was asked for is still there.
        const AHEAD: usize = 16;
        let ended = &self.alive[number as usize..];
        for (index, &key) in ended.iter().enumerate() {
            if let Some(&later) = ended.get(index + AHEAD) {
                self.store.prefetch(later);
            }
            self.store.set_number(key, DEAD);
        }
        self.alive.truncate(number as usize);
    }

    /// Ends the search with a lasso in the component of the living states from this number on.
    fn close(&mut self, first: u32) -> Result<(), Stop> {
        let in_path = self.path.iter().take_while(|visit| visit.number == DEAD || visit.number < first);
        let first_in_path = self.path.iter().find(|visit| visit.number == first);
        let mut way = self.passing.way_to_entry();
        way.extend(in_path.chain(first_in_path).map(|visit| visit.choice));
        let root = self.store.renewed(self.alive[first as usize]);
        let mut lassos = Lassos::new(self.system, &mut self.store, first..DEAD);
        self.evidence = Some(lassos.short_lasso(root, &way));
        Err(Stop::Found)
    }

    fn note_finding(&mut self) -> Result<(), Stop> {
        if self.steps.findings().is_empty() {
            return Ok(());
        }
        let asked = self.options.properties.first();
        let found = self.steps.findings().iter().find(|finding| Some(&finding.property) == asked);
        let Some(finding) = found else { return Ok(()) };
        let mut way = self.passing.way_to_entry();
        way.extend(self.path.iter().map(|visit| visit.choice));
        self.evidence = Some(trace_to(finding, &way));
        Err(Stop::Found)
    }

    fn bytes(&self) -> u64 {
        let stacks = self.path.capacity() * size_of::<Visit>()
            + self.untried.capacity() * size_of::<Untried>()
            + self.alive.capacity() * size_of::<u64>()
            + self.components.capacity() * size_of::<Component>();
        (self.store.bytes() + self.passing.bytes() + stacks) as u64
    }

    fn poll(&mut self) -> Result<(), Stop> {
        let progress = Progress {
            states: self.store.len() as u64,
            transitions: self.statistics.transitions,
            depth: self.passing.depth_of_entry() + self.path.len() as u64,
            pending: (self.untried.len() + self.passing.n_pending()) as u64,
            bytes: self.bytes(),
        };
        if let Some(stop) = self.monitor.poll(&progress) {
            return Err(stop);
        }
        let is_full = self.options.max_bytes.is_some_and(|most| progress.bytes > most);
        if is_full { Err(Stop::Memory) } else { Ok(()) }
    }

    fn into_outcome(self, stop: Stop) -> Outcome {
        let asked = self.options.properties.first();
        Outcome {
            evidence: asked.map(|&property| (property, self.evidence)).into_iter().collect(),
            stop,
            depth_cut: self.depth_cut,
            trust: Trust::Complete,
            expected_omissions: 0.0,
            profile: None,
            statistics: Statistics {
                states: self.store.len() as u64,
                store_bytes: self.store.bytes() as u64,
                ..self.statistics
            },
        }
    }
}
