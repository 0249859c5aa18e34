//! States that are only passed, searched breadth-first.
//!
//! The automaton of most formulas waits in a state that no run that counts comes back to again and again, while the system
//! does anything: the product has every state of the system there, all of them components by themselves.
//! What is only passed needs no depth-first order. So it is searched breadth-first, from the initial states on, which is faster: steps wait in
//! line to be looked up while others are made, so that memory has their lines when it is their turn. The way to each
//! such state is a byte and a quarter ([`Trail`]). A step to anything that is more than passed begins a depth-first search,
//! which sees to all that can be reached from there, other states that are only passed included. It begins a little later, when some others
//! are about to begin and memory has the lines of its first steps.

use std::collections::VecDeque;

use fathom_model::{Accepting, NoRegion, Stop};
use fathom_store::Entered;

use super::{DEAD, Search, Untried};
use crate::trail::Trail;

/// Steps that wait in line: far enough ahead that memory keeps up, near enough that what was asked for is still there.
const LINE: usize = 32;
/// Entries that wait: as many expansions as memory takes for its lines.
const ENTRIES: usize = 4;

/// What is only passed.
#[derive(Default, Debug)]
pub(super) struct Passing {
    /// The keys of states that were reached and not expanded, in the order of their numbers.
    queue: VecDeque<u64>,
    /// Steps that have not been looked up.
    line: VecDeque<Waiting>,
    /// Where depth-first searches are about to begin.
    entries: VecDeque<Entry>,
    /// Buffers for steps.
    spare: Vec<Vec<Untried>>,
    /// The way to each state, by number.
    trail: Trail,
    /// The number of the first state of the last level, and how deep that is.
    level: u32,
    depth: u64,
    /// The state from which the path begins, none when it begins with an initial state; and how deep its first state is.
    entry: Option<u32>,
    depth_of_entry: u64,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    /// The number of the state that it leaves, none for a step to an initial state.
    from: Option<u32>,
    step: Untried,
}

/// A step from a state that is only passed to one that is more than that.
#[derive(Debug)]
struct Entry {
    from: Option<u32>,
    step: Untried,
    /// How deep the state is that it leads to.
    depth: u64,
    /// The steps of that state.
    steps: Vec<Untried>,
}

impl Passing {
    /// The choices that lead to the state from which the path begins.
    pub(super) fn way_to_entry(&self) -> Vec<u32> {
        self.entry.map_or(Vec::new(), |entry| self.trail.way(entry))
    }

    /// How deep the first state of the path is.
    pub(super) fn depth_of_entry(&self) -> u64 {
        self.depth_of_entry
    }

    /// States that were reached and not expanded.
    pub(super) fn n_pending(&self) -> usize {
        self.queue.len()
    }

    /// Bytes of memory in use.
    pub(super) fn bytes(&self) -> usize {
        self.trail.bytes() + self.queue.capacity() * size_of::<u64>()
    }

    /// How deep a state is that a step from this one reaches.
    #[inline]
    fn depth_behind(&self, from: Option<u32>) -> u64 {
        from.map_or(0, |from| self.depth + u64::from(from >= self.level))
    }
}

impl<S: Accepting<Region = NoRegion>> Search<'_, S> {
    /// Explores everything from the initial states on.
    pub(super) fn explore(&mut self) -> Result<(), Stop> {
        self.system.initial(&mut self.scratch, &mut self.steps);
        self.note_finding()?;
        self.ask_for_keys()?;
        for (index, &key) in self.keys.iter().enumerate() {
            let is_passing = self.system.is_passing(self.steps.state(index));
            let step = Untried { key, marks: 0, choice: index as u32, is_passing };
            self.passing.line.push_back(Waiting { from: None, step });
        }
        let mut n_expanded = 0;
        loop {
            self.look_up(LINE)?;
            if self.passing.queue.is_empty() {
                self.look_up(0)?;
            }
            let Some(key) = self.passing.queue.pop_front() else { break };
            self.expand(key)?;
            self.passing.entry = Some(n_expanded);
            self.note_finding()?;
            self.statistics.transitions += self.made.len() as u64;
            let waiting = self.made.iter().map(|&step| Waiting { from: Some(n_expanded), step });
            self.passing.line.extend(waiting);
            n_expanded += 1;
            // Those that began to wait before this expansion have waited long enough.
            self.enter(0)?;
        }
        self.enter(0)
    }

    /// Looks up the first steps of the line until it has no more than so many.
    #[inline]
    fn look_up(&mut self, most: usize) -> Result<(), Stop> {
        while self.passing.line.len() > most
            && let Some(Waiting { from, step }) = self.passing.line.pop_front()
        {
            if self.options.max_depth.is_some() {
                // A bound is one on the length of paths: these begin with the initial states.
                self.explore_from(step)?;
            } else if step.is_passing {
                self.pass(from, step)?;
            } else {
                self.prepare(from, step)?;
                self.enter(ENTRIES)?;
            }
        }
        Ok(())
    }

    /// Makes ready for a depth-first search, unless the state is known.
    fn prepare(&mut self, from: Option<u32>, step: Untried) -> Result<(), Stop> {
        if self.store.number(step.key).is_some() {
            self.statistics.matched += 1;
            return Ok(());
        }
        self.expand(step.key)?;
        let depth = self.passing.depth_behind(from);
        if !self.steps.findings().is_empty() {
            // These are looked at when the state is on the path.
            (self.passing.entry, self.passing.depth_of_entry) = (from, depth);
            return self.explore_from(step);
        }
        let spare = self.passing.spare.pop().unwrap_or_default();
        let steps = std::mem::replace(&mut self.made, spare);
        self.passing.entries.push_back(Entry { from, step, depth, steps });
        Ok(())
    }

    /// Begins the first depth-first searches until no more than so many wait.
    fn enter(&mut self, most: usize) -> Result<(), Stop> {
        while self.passing.entries.len() > most
            && let Some(Entry { from, step, depth, steps }) = self.passing.entries.pop_front()
        {
            (self.passing.entry, self.passing.depth_of_entry) = (from, depth);
            let spare = std::mem::replace(&mut self.made, steps);
            self.passing.spare.push(spare);
            self.explore_from_expanded(step)?;
        }
        Ok(())
    }

    /// Looks up a step to a state that is only passed.
    #[inline]
    fn pass(&mut self, from: Option<u32>, step: Untried) -> Result<(), Stop> {
        match self.store.insert(step.key, DEAD) {
            Entered::New(_) => {}
            Entered::Known(_) => {
                self.statistics.matched += 1;
                return Ok(());
            }
            Entered::TooMany => return Err(Stop::States),
            Entered::NoMemory => return Err(Stop::Memory),
        }
        let passing = &mut self.passing;
        let depth = passing.depth_behind(from);
        if depth > passing.depth {
            (passing.level, passing.depth) = (passing.trail.len() as u32, depth);
            self.statistics.max_depth = self.statistics.max_depth.max(depth);
        }
        let has_room = passing.trail.push(from, step.choice);
        passing.queue.push_back(step.key);
        if has_room { Ok(()) } else { Err(Stop::Memory) }
    }
}
