//! Depth-first search pruned by a table of bits far smaller than the state space.
//!
//! A state whose bit is set counts as known, whoever set it. In a table with a bit for every thousandth state
//! most states are taken for others; the search becomes narrow and runs deep, and where it runs depends on the
//! size of the table and the hash. One such search is one throw; [`crate::isr()`] throws many times.
//!
//! Source: Ernits, *Two State Space Reduction Techniques for Explicit State Model Checking* (2007), chapter 4;
//! a bit is set when the turn of a state comes, as in a recursive search. Every finding of an expansion counts,
//! also one about a step that is not taken: Spin would have to take the step.
//!
//! Two ways to keep the path, with the same order of states:
//!
//! - *small states*: the steps still to be tried lie in one buffer, as in [`fathom_search::depth_first`], without
//!   those whose bit was set already when they were made. Nothing is computed twice.
//! - *large states*: only what is different from state to state is kept ([`crate::delta`]), steps are asked for
//!   by portions, and asked for again on the way back. Thousands of processes with thousands of steps each cost
//!   neither memory nor time for the steps that are never tried. Findings about steps come with their portions,
//!   so some are seen later than with small states.
//!
//! Cost: one expansion for each bit set at most; a table of a few kilobytes stays in the nearest cache. Nothing
//! is allocated in the loop once the buffers have grown.

use fathom_guide::Heuristic;
use fathom_model::{Evidence, PropertyId, Region, Steps, System};
use fathom_search::Random;

use crate::bits::{BitTable, Places, mix};
use crate::delta::DeltaStack;
use crate::race::{Done, Watch};
use crate::wanted::Wanted;
use crate::way::{Hop, Way, evidence_of};

/// One pruned search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Throw {
    /// Bits of the table.
    pub bits: u64,
    /// Which bit is whose.
    pub places: Places,
    /// Most steps of the path.
    pub max_depth: u32,
    /// With a seed, steps are tried at random and not in the order of the system.
    pub shuffle: Option<u64>,
    /// With large states: most steps that are tried. A search that succeeds runs almost straight; one that tries
    /// every step of every state on its way back seldom does.
    pub max_tries: Option<u64>,
}

/// What a pruned search has done.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Thrown {
    /// States that got a bit.
    pub n_stored: u64,
    /// Steps to states whose bit was set.
    pub n_matched: u64,
    /// Steps made.
    pub n_transitions: u64,
    /// Length of the longest path.
    pub max_depth: u32,
}

/// Told about every state that is generated, its place, and whether the bit was new.
pub(crate) trait Observer {
    fn generated(&mut self, place: u64, state: &[u8], is_new: bool);

    /// Told about every state that gets a bit, in order.
    fn entered(&mut self, _state: &[u8]) {}
}

/// Watches nothing.
pub(crate) struct Nobody;

impl Observer for Nobody {
    #[inline(always)]
    fn generated(&mut self, _: u64, _: &[u8], _: bool) {}
}

/// How a pruned search ended.
pub(crate) enum Ended {
    Found(Way, PropertyId),
    Exhausted,
    GaveUp,
}

/// States are large when all steps of one together may take more than so many bytes, or a long path with what is
/// to be tried beside it so many. Then it is better to ask for steps again than to make them all.
const LARGE_EXPANSION: usize = 16 << 10;
const LARGE_PATH: usize = 64 << 20;
const LARGEST_PATH: usize = 512 << 20;
const MOST_PORTIONS: usize = 24;

/// About so many bytes of steps are made between two looks at the clock.
const BYTES_BETWEEN_LOOKS: usize = 1 << 20;

/// A step still to be tried.
struct Untried<R> {
    place: u64,
    choice: u32,
    length: u32,
    region: R,
}

/// A state on the path, with small states.
struct OnPath {
    choice: u32,
    /// Steps still to be tried of the states before.
    n_below: usize,
}

/// A state on the path, with large states.
#[derive(Clone, Copy)]
struct Level {
    /// How it was reached.
    hop: Hop,
    /// Whether nothing was asked about it yet.
    is_fresh: bool,
    n_portions: u32,
    /// Where to begin among the portions.
    first: u32,
    /// The portion to ask next, counted from `first`.
    next: u32,
    /// The portion whose steps are tried now, if any.
    at: Option<u32>,
    /// Steps of it that were tried.
    n_tried: u32,
    /// Whether it has a step.
    moves: bool,
}

/// Buffers for one pruned search after the other.
pub(crate) struct Pruner<'s, S: System> {
    system: &'s S,
    scratch: S::Scratch,
    steps: Steps<S::Region, S::Label>,
    table: BitTable,
    untried: Vec<Untried<S::Region>>,
    bytes: Vec<u8>,
    path: Vec<OnPath>,
    order: Vec<u32>,
    heuristic: Option<&'s dyn Heuristic<S::Region>>,
    estimates: Vec<u32>,
    delta: DeltaStack<S::Region>,
    levels: Vec<Level>,
    /// Whether states are large, once that is known.
    is_large: Option<bool>,
    pub thrown: Thrown,
    reported: Thrown,
}

impl<'s, S: System> Pruner<'s, S> {
    /// Buffers that have not been used.
    pub fn new(system: &'s S) -> Pruner<'s, S> {
        Pruner {
            system,
            scratch: system.scratch(),
            steps: Steps::new(),
            table: BitTable::new(),
            untried: Vec::new(),
            bytes: Vec::new(),
            path: Vec::new(),
            order: Vec::new(),
            heuristic: None,
            estimates: Vec::new(),
            delta: DeltaStack::new(),
            levels: Vec::new(),
            is_large: None,
            thrown: Thrown::default(),
            reported: Thrown::default(),
        }
    }

    /// With steps tried in the order of their estimates, at random or in the order of the system where these are
    /// equal.
    pub fn guided_by(self, heuristic: Option<&'s dyn Heuristic<S::Region>>) -> Pruner<'s, S> {
        Pruner { heuristic, ..self }
    }

    /// Treats states as small or large whatever they are.
    #[cfg(test)]
    pub fn treat_as_large(&mut self, is_large: bool) {
        self.is_large = Some(is_large);
    }

    /// Makes one search for what is wanted.
    pub fn run(
        &mut self,
        throw: &Throw,
        wanted: &Wanted,
        observer: &mut impl Observer,
        watch: &Watch<'_>,
    ) -> Ended {
        self.thrown = Thrown::default();
        self.reported = Thrown::default();
        self.table.reset(throw.bits, throw.places);
        let mut random = throw.shuffle.map(Random::new);
        self.steps.clear();
        self.system.initial(&mut self.scratch, &mut self.steps);
        if let Some(finding) = wanted.first(&self.steps, 0) {
            let way = Way { initial: 0, hops: Vec::new(), evidence: evidence_of(finding), loop_at: None };
            return Ended::Found(way, finding.property);
        }
        if self.steps.is_empty() {
            return Ended::Exhausted;
        }
        let ended = if self.are_states_large(throw.max_depth) {
            self.run_large(throw, wanted, observer, watch, &mut random)
        } else {
            self.run_small(throw, wanted, observer, watch, &mut random)
        };
        self.report(watch);
        ended
    }

    /// Whether the steps to be tried along a path of full depth would take too much memory, judged from the
    /// initial state.
    fn are_states_large(&mut self, max_depth: u32) -> bool {
        if let Some(is_large) = self.is_large {
            return is_large;
        }
        let (state, region) = (self.steps.state(0), self.steps.region(0));
        let mut few = Steps::new();
        let n_portions = self.system.portions(state, region, &mut self.scratch, &mut few);
        let expansion = n_portions * state.len();
        if n_portions == 1 {
            // To ask again is to ask for everything again: only when memory leaves no choice.
            return state.len().saturating_mul(4 * max_depth as usize) > LARGEST_PATH;
        }
        n_portions > MOST_PORTIONS
            || expansion > LARGE_EXPANSION
            || expansion.saturating_mul(max_depth.min(100_000) as usize) > LARGE_PATH
    }

    fn run_small(
        &mut self,
        throw: &Throw,
        wanted: &Wanted,
        observer: &mut impl Observer,
        watch: &Watch<'_>,
        random: &mut Option<Random>,
    ) -> Ended {
        self.untried.clear();
        self.bytes.clear();
        self.path.clear();
        self.file_steps(observer, random);
        let mut n_until_look = 0;
        loop {
            let n_below = self.path.last().map_or(0, |on_path| on_path.n_below);
            if self.untried.len() == n_below {
                if self.path.pop().is_none() {
                    return Ended::Exhausted;
                }
                continue;
            }
            let next = self.untried.pop().expect("a step is still to be tried");
            let start = self.bytes.len() - next.length as usize;
            if !self.table.set(next.place) {
                self.thrown.n_matched += 1;
                self.bytes.truncate(start);
                continue;
            }
            self.thrown.n_stored += 1;
            if n_until_look == 0 {
                if !self.report(watch) {
                    return Ended::GaveUp;
                }
                n_until_look = (BYTES_BETWEEN_LOOKS / (next.length as usize * 4 + 64)) as u32;
            }
            n_until_look -= 1;
            self.steps.clear();
            let state = &self.bytes[start..];
            observer.entered(state);
            self.system.successors(state, &next.region, &mut self.scratch, &mut self.steps);
            self.bytes.truncate(start);
            let depth = self.path.len() as u32;
            self.thrown.n_transitions += self.steps.len() as u64;
            self.thrown.max_depth = self.thrown.max_depth.max(depth);
            if let Some(finding) = wanted.first(&self.steps, depth) {
                let found = (evidence_of(finding), finding.property);
                return self.found_small(next.choice, found);
            }
            if depth < throw.max_depth {
                self.path.push(OnPath { choice: next.choice, n_below: self.untried.len() });
                self.file_steps(observer, random);
            }
        }
    }

    /// Files the steps in the buffer to be tried later, the first on top. Those whose bit is set are dropped.
    #[inline]
    fn file_steps(&mut self, observer: &mut impl Observer, random: &mut Option<Random>) {
        let n_steps = self.steps.len();
        let is_ordered = random.is_some() || self.heuristic.is_some();
        if is_ordered {
            self.order_steps(random);
        }
        for rank in (0..n_steps).rev() {
            let index = if is_ordered { self.order[rank] as usize } else { rank };
            let (state, region) = (self.steps.state(index), self.steps.region(index));
            let place = self.table.place(state, region.fingerprint());
            let is_set = self.table.is_set(place);
            observer.generated(place, state, !is_set);
            if is_set {
                self.thrown.n_matched += 1;
                continue;
            }
            self.bytes.extend_from_slice(state);
            self.untried.push(Untried {
                place,
                choice: index as u32,
                length: state.len() as u32,
                region: region.clone(),
            });
        }
    }

    /// Puts the steps in the buffer in the order in which they are to be tried.
    fn order_steps(&mut self, random: &mut Option<Random>) {
        self.order.clear();
        self.order.extend(0..self.steps.len() as u32);
        if let Some(random) = random {
            random.shuffle(&mut self.order);
        }
        if let Some(heuristic) = self.heuristic {
            let steps = &self.steps;
            self.estimates.clear();
            self.estimates.extend(
                (0..steps.len()).map(|index| heuristic.estimate(steps.state(index), steps.region(index))),
            );
            self.order.sort_by_key(|&index| self.estimates[index as usize]);
        }
    }

    fn found_small(&self, last: u32, (evidence, property): (Evidence, PropertyId)) -> Ended {
        let mut choices = self.path.iter().map(|on_path| on_path.choice).chain([last]);
        let initial = choices.next().unwrap_or(0);
        let hops = choices.map(|choice| Hop::among_all(choice as usize)).collect();
        Ended::Found(Way { initial, hops, evidence, loop_at: None }, property)
    }

    fn run_large(
        &mut self,
        throw: &Throw,
        wanted: &Wanted,
        observer: &mut impl Observer,
        watch: &Watch<'_>,
        random: &mut Option<Random>,
    ) -> Ended {
        self.delta.clear();
        self.levels.clear();
        // One initial state after the other; large systems have one.
        for initial in 0..self.steps.len() {
            self.steps.clear();
            self.system.initial(&mut self.scratch, &mut self.steps);
            let place = self.table.place(self.steps.state(initial), self.steps.region(initial).fingerprint());
            let is_new = self.table.set(place);
            observer.generated(place, self.steps.state(initial), is_new);
            if !is_new {
                continue;
            }
            observer.entered(self.steps.state(initial));
            self.enter(initial, Hop::among_all(initial));
            if let Some(ended) = self.explore_large(throw, wanted, observer, watch, random) {
                return ended;
            }
        }
        Ended::Exhausted
    }

    fn explore_large(
        &mut self,
        throw: &Throw,
        wanted: &Wanted,
        observer: &mut impl Observer,
        watch: &Watch<'_>,
        random: &mut Option<Random>,
    ) -> Option<Ended> {
        let mut n_bytes = 0;
        while let Some(mut level) = self.levels.pop() {
            let depth = self.levels.len() as u32;
            let found = self.ask_next(&mut level, wanted, depth, random);
            let is_finished = level.at.is_none() || depth >= throw.max_depth;
            self.levels.push(level);
            if let Some(found) = found {
                return Some(self.found_large(found));
            }
            let n_tries = self.thrown.n_stored + self.thrown.n_matched;
            if throw.max_tries.is_some_and(|max_tries| n_tries > max_tries) {
                return Some(Ended::Exhausted);
            }
            n_bytes += 64 + self.delta.top().0.len() * (1 + self.steps.len());
            if n_bytes > BYTES_BETWEEN_LOOKS {
                n_bytes = 0;
                if !self.report(watch) {
                    return Some(Ended::GaveUp);
                }
            }
            // At the bound, a state is looked at but not left.
            if is_finished {
                self.levels.pop();
                self.delta.pop();
            } else if let Some(hop) = self.choose(observer) {
                observer.entered(self.steps.state(hop.index as usize));
                self.enter(hop.index as usize, hop);
            }
        }
        None
    }

    /// Asks for the steps of the state on top that come next; there are none when no portion is tried
    /// afterwards. Gives what was found.
    fn ask_next(
        &mut self,
        level: &mut Level,
        wanted: &Wanted,
        depth: u32,
        random: &mut Option<Random>,
    ) -> Option<(Evidence, PropertyId)> {
        self.steps.clear();
        let (state, region) = self.delta.top();
        if level.is_fresh {
            let n_portions = self.system.portions(state, region, &mut self.scratch, &mut self.steps);
            level.is_fresh = false;
            level.n_portions = n_portions as u32;
            level.first = random.as_mut().map_or(0, |random| random.below(n_portions.max(1))) as u32;
        }
        let n = level.n_portions;
        if level.at == Some(Hop::ALL) {
            self.system.successors(state, region, &mut self.scratch, &mut self.steps);
        } else if let Some(at) = level.at {
            self.system.portion(
                at as usize..at as usize + 1,
                state,
                region,
                &mut self.scratch,
                &mut self.steps,
            );
        } else {
            while level.next < n && self.steps.is_empty() {
                // From `first` to the end, then from 0 on.
                let (from, to) = match level.first + level.next {
                    from if from < n => (from, n),
                    from => (from - n, level.first),
                };
                let among = from as usize..to as usize;
                let next =
                    self.system.portion(among, state, region, &mut self.scratch, &mut self.steps) as u32;
                level.next += next - from;
                level.at = (!self.steps.is_empty()).then_some(next.wrapping_sub(1));
            }
            level.moves |= level.at.is_some();
            if level.at.is_none() && !level.moves {
                level.moves = true;
                level.at = Some(Hop::ALL);
                self.system.successors(state, region, &mut self.scratch, &mut self.steps);
            }
            self.thrown.n_transitions += self.steps.len() as u64;
        }
        wanted.first(&self.steps, depth).map(|finding| (evidence_of(finding), finding.property))
    }

    /// The first step in the buffer that was not tried yet and whose bit is not set; sets it.
    fn choose(&mut self, observer: &mut impl Observer) -> Option<Hop> {
        let level = self.levels.last_mut()?;
        let portion = level.at?;
        while (level.n_tried as usize) < self.steps.len() {
            let index = level.n_tried as usize;
            level.n_tried += 1;
            let (state, region) = (self.steps.state(index), self.steps.region(index));
            let place = self.table.place(state, region.fingerprint());
            let is_new = self.table.set(place);
            observer.generated(place, state, is_new);
            if is_new {
                return Some(Hop { portion, index: index as u32 });
            }
            self.thrown.n_matched += 1;
        }
        level.at = None;
        level.n_tried = 0;
        None
    }

    /// Puts the state of a step in the buffer on top of the path.
    fn enter(&mut self, index: usize, hop: Hop) {
        self.thrown.n_stored += 1;
        let (state, region) = (self.steps.state(index), self.steps.region(index).clone());
        self.delta.push(state, region);
        self.levels.push(Level {
            hop,
            is_fresh: true,
            n_portions: 0,
            first: 0,
            next: 0,
            at: None,
            n_tried: 0,
            moves: false,
        });
        self.thrown.max_depth = self.thrown.max_depth.max(self.levels.len() as u32 - 1);
    }

    fn found_large(&self, (evidence, property): (Evidence, PropertyId)) -> Ended {
        let initial = self.levels.first().map_or(0, |level| level.hop.index);
        let hops = self.levels.iter().skip(1).map(|level| level.hop).collect();
        Ended::Found(Way { initial, hops, evidence, loop_at: None }, property)
    }

    /// Says what was done since the last time. False when the search is to give up.
    fn report(&mut self, watch: &Watch<'_>) -> bool {
        let (now, before) = (self.thrown, self.reported);
        self.reported = now;
        watch.goes_on(Done {
            n_states: now.n_stored - before.n_stored,
            n_transitions: now.n_transitions - before.n_transitions,
            depth: u64::from(now.max_depth),
            bytes: (self.bytes.len() + self.delta.bytes()) as u64 + self.table.bytes(),
        })
    }
}

/// The seed of the order of steps in a throw that is derived from another seed.
pub(crate) fn order_seed(seed: u64) -> u64 {
    mix(seed ^ 0x6f72_6465_7200)
}
