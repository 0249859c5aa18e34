//! A system that is watched on its way to goals.
//!
//! Its states are those of the system inside, with the history behind them, and behind that what the search is after ([`Target`]): for
//! the next goal a mark on states that have just reached one, for all goals at once a bit for each of them, as the trap variables of the source. Either
//! way the end of a search is a finding about [`REACHED`], which every engine understands.
//!
//! The steps of a state come in the order of the system or, with a [`Guide`], the promising ones first: for depth-first and pruned searches that is
//! all the guidance there can be. [`Observed::follow`] gives choices back in the order of the system inside.

use std::collections::HashMap;
use std::rc::Rc;

use fathom_model::{PropertyId, Steps, System, Trace};
use rapidhash::v3::rapidhash_v3;

use crate::distance::Distances;
use crate::engine::Guide;
use crate::goal_set::GoalSet;
use crate::history::Tracker;

/// What findings are about.
pub(crate) const REACHED: PropertyId = PropertyId(0);

/// What a search is after.
#[derive(Clone, Debug)]
pub enum Target {
    /// Any goal that is not in this set.
    Next(GoalSet),
    /// All goals in this set, on one way.
    All(GoalSet),
}

/// A system that is watched: see the module header.
pub struct Observed<'a, S: System> {
    system: &'a S,
    tracker: &'a Tracker<'a, S::Label>,
    target: Target,
    guide: Guide,
    /// A state to start from instead of the initial ones, with its history.
    from: Option<(Vec<u8>, S::Region, Vec<u16>)>,
    /// Distances to what a search for the next goal is after.
    distances: Option<Distances>,
    seed: u64,
}

/// Buffers of one worker.
pub struct ObservedScratch<B, R, L> {
    inner: B,
    steps: Steps<R, L>,
    history: Vec<u16>,
    after: Vec<u16>,
    reached: Vec<u32>,
    /// What is made of each step: rank, index in the system inside.
    ranks: Vec<(u64, u32)>,
    states: Vec<Vec<u8>>,
    /// Distances by what is covered.
    distances: HashMap<GoalSet, Rc<Distances>>,
}

/// The buffers for a system.
type ScratchOf<S> = ObservedScratch<<S as System>::Scratch, <S as System>::Region, <S as System>::Label>;

/// A way that was followed, on the system inside.
#[derive(Clone, Debug)]
pub(crate) struct Followed<R> {
    /// Index of the initial state, if it starts at one.
    pub initial: u32,
    pub choices: Vec<u32>,
    /// After how many steps, and which goals, in order; not each goal once.
    pub reached: Vec<(usize, u32)>,
    pub state: Vec<u8>,
    pub region: R,
    pub history: Vec<u16>,
}

/// Most sets of goals whose distances are kept.
const MOST_DISTANCES: usize = 4096;

impl<S: System> std::fmt::Debug for Observed<'_, S> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Observed").field("target", &self.target).finish_non_exhaustive()
    }
}

/// A state of an observed system, taken apart.
struct Parts<'s> {
    inner: &'s [u8],
    tail: &'s [u8],
}

impl<'a, S: System> Observed<'a, S> {
    /// A system that is watched from its initial states on.
    pub fn new(
        system: &'a S,
        tracker: &'a Tracker<'a, S::Label>,
        target: Target,
        guide: Guide,
        seed: u64,
    ) -> Observed<'a, S> {
        let distances = match &target {
            Target::Next(covered) if guide != Guide::None => {
                Some(Distances::new(tracker, |goal| !covered.has(goal)))
            }
            _ => None,
        };
        Observed { system, tracker, target, guide, from: None, distances, seed }
    }

    /// The same from a state with its history.
    pub(crate) fn starting_at(self, state: Vec<u8>, region: S::Region, history: Vec<u16>) -> Observed<'a, S> {
        Observed { from: Some((state, region, history)), ..self }
    }

    /// The estimate of a state: how far it is to the nearest goal, after those that are missing.
    pub(crate) fn estimate(&self, state: &[u8], cache: &mut HashMap<GoalSet, Rc<Distances>>) -> u32 {
        let mut history = Vec::new();
        let parts = self.take_apart(state, &mut history);
        match &self.target {
            Target::Next(covered) => {
                if parts.tail[0] == 1 {
                    return 0;
                }
                let of = |distances: &Distances| distances.of(self.tracker, parts.inner, &history);
                match &self.distances {
                    Some(distances) => of(distances),
                    None => of(&self.cached(cache, covered, covered)),
                }
            }
            Target::All(wanted) => {
                let covered = GoalSet::from_bytes(parts.tail);
                let n_missing = (wanted.len() - covered.len()) as u32;
                if n_missing == 0 {
                    return 0;
                }
                let distances = self.cached(cache, &covered, wanted);
                n_missing.saturating_mul(64) + distances.of(self.tracker, parts.inner, &history).min(63)
            }
        }
    }

    fn cached(
        &self,
        cache: &mut HashMap<GoalSet, Rc<Distances>>,
        covered: &GoalSet,
        wanted: &GoalSet,
    ) -> Rc<Distances> {
        if let Some(known) = cache.get(covered) {
            return Rc::clone(known);
        }
        if cache.len() >= MOST_DISTANCES {
            cache.clear();
        }
        let is_missing = |goal: u32| match self.target {
            Target::Next(_) => !covered.has(goal),
            Target::All(_) => wanted.has(goal) && !covered.has(goal),
        };
        let distances = Rc::new(Distances::new(self.tracker, is_missing));
        cache.insert(covered.clone(), Rc::clone(&distances));
        distances
    }

    /// Length of what the search is after, at the end of each state.
    fn tail_length(&self) -> usize {
        match &self.target {
            Target::Next(_) => 1,
            Target::All(wanted) => wanted.bytes().len(),
        }
    }

    fn take_apart<'s>(&self, state: &'s [u8], history: &mut Vec<u16>) -> Parts<'s> {
        let (rest, tail) = state.split_at(state.len() - self.tail_length());
        history.clear();
        if !self.tracker.has_history() {
            return Parts { inner: rest, tail };
        }
        let (rest, length) = rest.split_at(rest.len() - 4);
        let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize;
        let (inner, numbers) = rest.split_at(rest.len() - 2 * length);
        history.extend(numbers.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])));
        Parts { inner, tail }
    }

    fn put_together(&self, inner: &[u8], history: &[u16], tail: &[u8], out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(inner);
        if self.tracker.has_history() {
            out.extend(history.iter().flat_map(|number| number.to_le_bytes()));
            out.extend_from_slice(&(history.len() as u32).to_le_bytes());
        }
        out.extend_from_slice(tail);
    }

    /// What stands at the end of a state after goals were reached, and how many of them are of use.
    fn tail_after(&self, tail: &[u8], reached: &[u32]) -> (Vec<u8>, usize) {
        match &self.target {
            Target::Next(covered) => {
                let is_reached = reached.iter().any(|&goal| !covered.has(goal));
                (vec![u8::from(is_reached)], usize::from(is_reached))
            }
            Target::All(wanted) => {
                let mut covered = GoalSet::from_bytes(tail);
                let new = reached.iter().filter(|&&goal| wanted.has(goal) && covered.add(goal)).count();
                (covered.bytes().to_vec(), new)
            }
        }
    }

    fn empty_tail(&self) -> Vec<u8> {
        vec![0; self.tail_length()]
    }

    fn is_complete(&self, tail: &[u8]) -> bool {
        match &self.target {
            Target::Next(_) => tail[0] == 1,
            Target::All(wanted) => tail == wanted.bytes(),
        }
    }

    /// Goals that findings in a buffer stand for.
    fn found(&self, steps: &Steps<S::Region, S::Label>, reached: &mut Vec<u32>) {
        let goals = steps.findings().iter().filter_map(|finding| self.tracker.goal_of(finding.property));
        reached.extend(goals);
    }

    /// Expands a state into the buffers: states in the order in which they are pushed, with the index of their step inside.
    fn expand(&self, state: &[u8], region: &S::Region, scratch: &mut ScratchOf<S>) -> bool {
        let ObservedScratch { inner, steps, history, after, reached, ranks, states, distances } = scratch;
        let parts = self.take_apart(state, history);
        ranks.clear();
        if self.is_complete(parts.tail) {
            return true;
        }
        steps.clear();
        self.system.successors(parts.inner, region, inner, steps);
        reached.clear();
        self.found(steps, reached);
        let (tail, _) = self.tail_after(parts.tail, reached);
        if self.is_complete(&tail) {
            return true;
        }
        let guiding = self.distances_for(&tail, distances);
        for index in 0..steps.len() {
            after.clone_from(history);
            reached.clear();
            self.tracker.step(steps.labels(index), after, reached);
            self.tracker.arrive(steps.state(index), reached);
            let (new_tail, n_new) = self.tail_after(&tail, reached);
            if states.len() <= index {
                states.push(Vec::new());
            }
            self.put_together(steps.state(index), after, &new_tail, &mut states[index]);
            let rank = self.rank(n_new, steps, index, after, guiding.as_deref());
            ranks.push((rank, index as u32));
        }
        if self.guide != Guide::None {
            ranks.sort_by_key(|&(rank, index)| (rank, self.tie(&states[index as usize], index)));
        }
        false
    }

    fn distances_for(
        &self,
        tail: &[u8],
        cache: &mut HashMap<GoalSet, Rc<Distances>>,
    ) -> Option<Rc<Distances>> {
        match &self.target {
            Target::All(wanted) if matches!(self.guide, Guide::Tuned | Guide::Distance) => {
                Some(self.cached(cache, &GoalSet::from_bytes(tail), wanted))
            }
            _ => None,
        }
    }

    /// The place of a step in the order: small comes first.
    fn rank(
        &self,
        n_new: usize,
        steps: &Steps<S::Region, S::Label>,
        index: usize,
        after: &[u16],
        guiding: Option<&Distances>,
    ) -> u64 {
        if self.guide == Guide::None || n_new > 0 {
            return 0;
        }
        let Some(distances) = guiding.or(self.distances.as_ref()) else { return 1 };
        let mut is_driver = false;
        for label in steps.labels(index) {
            self.tracker.observe().taken(label, &mut |taken| is_driver |= distances.is_driver(taken));
        }
        match self.guide {
            Guide::None | Guide::Uniform => 1,
            Guide::Tuned => 2 - u64::from(is_driver),
            Guide::Distance => {
                let distance = u64::from(distances.of(self.tracker, steps.state(index), after));
                2 + 2 * distance - u64::from(is_driver)
            }
        }
    }

    /// Equals come in an order that depends on the seed; with seed 0 in that of the system.
    fn tie(&self, state: &[u8], index: u32) -> u64 {
        match self.seed {
            0 => u64::from(index),
            seed => (rapidhash_v3(state) ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16,
        }
    }

    /// Follows a trace of this system, and gives what it is on the system inside.
    pub(crate) fn follow(&self, trace: &Trace) -> Option<Followed<S::Region>> {
        let mut scratch = self.scratch();
        let mut begin = Steps::recording();
        self.initial(&mut scratch, &mut begin);
        let index = trace.initial as usize;
        if index >= begin.len() {
            return None;
        }
        let (mut state, mut region) = (begin.state(index).to_vec(), begin.region(index).clone());
        let mut reached = Vec::new();
        let mut goals = Vec::new();
        if self.from.is_none() {
            let mut history = Vec::new();
            self.tracker.start(self.take_apart(&state, &mut history).inner, &mut goals);
            reached.extend(goals.drain(..).map(|goal| (0, goal)));
        }
        let mut choices = Vec::with_capacity(trace.choices.len());
        for (after, &choice) in trace.choices.iter().enumerate() {
            self.expand(&state, &region, &mut scratch);
            self.found(&scratch.steps, &mut goals);
            reached.extend(goals.drain(..).map(|goal| (after, goal)));
            let &(_, index) = scratch.ranks.get(choice as usize)?;
            let mut history = scratch.history.clone();
            self.tracker.step(scratch.steps.labels(index as usize), &mut history, &mut goals);
            self.tracker.arrive(scratch.steps.state(index as usize), &mut goals);
            reached.extend(goals.drain(..).map(|goal| (after + 1, goal)));
            state.clone_from(&scratch.states[index as usize]);
            region = scratch.steps.region(index as usize).clone();
            choices.push(index);
        }
        let mut history = Vec::new();
        let inner = self.take_apart(&state, &mut history).inner.to_vec();
        scratch.steps.clear();
        self.system.successors(&inner, &region, &mut scratch.inner, &mut scratch.steps);
        self.found(&scratch.steps, &mut goals);
        reached.extend(goals.drain(..).map(|goal| (choices.len(), goal)));
        Some(Followed { initial: trace.initial, choices, reached, state: inner, region, history })
    }
}

impl<S: System> System for Observed<'_, S> {
    type Region = S::Region;
    type Label = S::Label;
    type Scratch = ScratchOf<S>;

    fn scratch(&self) -> ScratchOf<S> {
        ObservedScratch {
            inner: self.system.scratch(),
            steps: Steps::recording(),
            history: Vec::new(),
            after: Vec::new(),
            reached: Vec::new(),
            ranks: Vec::new(),
            states: Vec::new(),
            distances: HashMap::new(),
        }
    }

    fn initial(&self, scratch: &mut ScratchOf<S>, out: &mut Steps<S::Region, S::Label>) {
        let mut state = Vec::new();
        if let Some((inner, region, history)) = &self.from {
            self.put_together(inner, history, &self.empty_tail(), &mut state);
            return out.push(&state, region.clone(), &[]);
        }
        scratch.steps.clear();
        self.system.initial(&mut scratch.inner, &mut scratch.steps);
        for index in 0..scratch.steps.len() {
            scratch.reached.clear();
            self.tracker.start(scratch.steps.state(index), &mut scratch.reached);
            let (tail, _) = self.tail_after(&self.empty_tail(), &scratch.reached);
            self.put_together(scratch.steps.state(index), &[], &tail, &mut state);
            out.push(&state, scratch.steps.region(index).clone(), scratch.steps.labels(index));
        }
    }

    fn successors(
        &self,
        state: &[u8],
        region: &S::Region,
        scratch: &mut ScratchOf<S>,
        out: &mut Steps<S::Region, S::Label>,
    ) {
        if self.expand(state, region, scratch) {
            return out.find(REACHED, None, &[]);
        }
        for &(_, index) in &scratch.ranks {
            let index = index as usize;
            out.push(
                &scratch.states[index],
                scratch.steps.region(index).clone(),
                scratch.steps.labels(index),
            );
        }
    }
}
