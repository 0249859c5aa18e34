//! One random walk.
//!
//! A state is looked at before anything else: what is wanted may be found where a walk ends. Then one step is
//! chosen and taken. Which steps are looked at, and how one is chosen, is [`Children`] and [`Guide`](crate::Guide); when the walk
//! ends is [`Repeats`] and the bound.

use fathom_model::{Evidence, PropertyId, Region, Steps, System};
use fathom_search::Random;

use crate::bits::fingerprint;
use crate::choose::{Bias, choose};
use crate::race::{Done, Watch, bytes_of_region};
use crate::seen::Seen;
use crate::walk::{Children, Hooks, Repeats, WalkOptions};
use crate::wanted::Wanted;
use crate::way::{Follower, Hop, Way, evidence_of};

/// How a walk ended.
pub(crate) enum Walked {
    /// With something that is wanted.
    Found(Way, PropertyId),
    /// By itself: nothing to go on with, or a state that it had been in.
    Maximal,
    /// At the bound on its length.
    Cut,
    GaveUp,
}

/// About so many bytes of states are made between two looks at the clock.
const BYTES_BETWEEN_LOOKS: usize = 1 << 20;

/// A walk that begins.
#[derive(Clone, Copy)]
pub(crate) struct Begun {
    pub number: u64,
    /// Steps of the walk before that are kept.
    pub n_kept: usize,
}

/// Someone who walks.
pub(crate) struct Walker<'s, S: System> {
    follower: Follower<'s, S>,
    options: &'s WalkOptions,
    hooks: Hooks<'s, S::Region>,
    seen: Seen,
    initial: u32,
    pub hops: Vec<Hop>,
    /// Portions in an order that is shuffled as far as it is needed.
    order: Vec<u32>,
    /// What may be chosen, by index in the buffer of steps.
    candidates: Vec<u32>,
    /// The step that each entry of the buffer is.
    found_as: Vec<Hop>,
    estimates: Vec<u32>,
    weights: Vec<f64>,
    /// That of the walk under way.
    bias: Bias,
    /// The last place on the walk that is accepting.
    accepting: Option<usize>,
    done: Done,
    n_bytes: usize,
}

impl<'s, S: System> Walker<'s, S> {
    /// A walker that has not walked.
    pub fn new(system: &'s S, options: &'s WalkOptions, hooks: Hooks<'s, S::Region>) -> Walker<'s, S> {
        Walker {
            follower: Follower::new(system),
            options,
            hooks,
            seen: Seen::default(),
            initial: 0,
            hops: Vec::new(),
            order: Vec::new(),
            candidates: Vec::new(),
            found_as: Vec::new(),
            estimates: Vec::new(),
            weights: Vec::new(),
            bias: Bias::default(),
            accepting: None,
            done: Done::default(),
            n_bytes: 0,
        }
    }

    /// Makes one walk, which goes on from the first `n_kept` steps of the last one.
    pub fn walk(&mut self, walk: Begun, wanted: &Wanted, random: &mut Random, watch: &Watch<'_>) -> Walked {
        let Begun { number, n_kept } = walk;
        self.bias = self.hooks.guide.map_or_else(Bias::default, |guide| guide.bias.of_walk(number));
        self.seen.clear();
        self.order.clear();
        self.accepting = None;
        if let Some(ended) = self.start(n_kept, wanted, random) {
            return ended;
        }
        let ended = loop {
            if let Some(ended) = self.note_state(self.hops.len(), wanted) {
                break ended;
            }
            if self.n_bytes >= BYTES_BETWEEN_LOOKS && !self.report(watch) {
                break Walked::GaveUp;
            }
            match self.step(wanted, random) {
                Ok(()) => {}
                Err(ended) => break ended,
            }
        };
        self.report(watch);
        ended
    }

    fn start(&mut self, n_kept: usize, wanted: &Wanted, random: &mut Random) -> Option<Walked> {
        if n_kept > 0 {
            self.follower.start(self.initial);
            self.hops.truncate(n_kept);
            for place in 0..n_kept {
                self.note_state(place, wanted);
                self.follower.take(self.hops[place]);
            }
            return None;
        }
        self.hops.clear();
        self.initial = 0;
        let exists = self.follower.start(0);
        if let Some(finding) = wanted.first(&self.follower.steps, 0) {
            let (evidence, property) = (evidence_of(finding), finding.property);
            return Some(Walked::Found(self.way(evidence), property));
        }
        if !exists {
            return Some(Walked::Maximal);
        }
        self.initial = random.below(self.follower.steps.len()) as u32;
        self.follower.enter(self.initial as usize);
        None
    }

    /// Remembers the state at a place of the walk. Gives an end when it closes a loop that ends the walk.
    fn note_state(&mut self, place: usize, wanted: &Wanted) -> Option<Walked> {
        if self.options.repeats == Repeats::Allow && self.hooks.lasso.is_none() {
            return None;
        }
        let region = self.follower.region();
        let fingerprint = fingerprint(&self.follower.state, region.fingerprint());
        let Some(first) = self.seen.find(fingerprint) else {
            self.seen.insert(fingerprint, place);
            if self.hooks.lasso.is_some_and(|(_, lasso)| lasso.is_accepting(&self.follower.state, region)) {
                self.accepting = Some(place);
            }
            return None;
        };
        if let Some((property, _)) = self.hooks.lasso
            && self.accepting.is_some_and(|accepting| accepting >= first)
            && wanted.wants(property, place as u32)
        {
            let way = Way { loop_at: Some(first), ..self.way(Evidence::State) };
            return Some(Walked::Found(way, property));
        }
        (self.options.repeats != Repeats::Allow).then_some(Walked::Maximal)
    }

    /// Takes a step, or ends the walk.
    fn step(&mut self, wanted: &Wanted, random: &mut Random) -> Result<(), Walked> {
        let is_last = self.options.max_depth.is_some_and(|max_depth| self.hops.len() >= max_depth as usize);
        let guided_sample = self.hooks.guide.and_then(|guide| guide.sample);
        // At the bound the state is looked at in full: what is wanted may be just there.
        match (self.options.children, guided_sample) {
            (Children::All, None) => self.look_at_all(wanted)?,
            _ if is_last => self.look_at_all(wanted)?,
            (_, sample) => self.look_at_some(sample.unwrap_or(1), wanted, random)?,
        }
        if is_last {
            return Err(Walked::Cut);
        }
        if self.candidates.is_empty() {
            return Err(Walked::Maximal);
        }
        let rank = self.choose(random);
        let chosen = self.candidates[rank] as usize;
        self.hops.push(self.found_as[chosen]);
        self.follower.enter(chosen);
        self.done.n_states += 1;
        self.done.depth = self.done.depth.max(self.hops.len() as u64);
        Ok(())
    }

    /// Makes all steps, and candidates of them.
    fn look_at_all(&mut self, wanted: &Wanted) -> Result<(), Walked> {
        self.follower.expand();
        self.found_as.clear();
        self.found_as.extend((0..self.follower.steps.len()).map(Hop::among_all));
        self.note_steps(0, wanted)?;
        self.candidates.clear();
        for index in 0..self.follower.steps.len() {
            self.add_candidate(index);
        }
        Ok(())
    }

    /// Asks portions in random order until there are this many candidates.
    fn look_at_some(&mut self, n_wanted: usize, wanted: &Wanted, random: &mut Random) -> Result<(), Walked> {
        let n_portions = self.follower.portions();
        self.note_steps(0, wanted)?;
        if self.order.len() != n_portions {
            self.order.clear();
            self.order.extend(0..n_portions as u32);
        }
        self.candidates.clear();
        self.found_as.clear();
        let mut has_steps = false;
        for n_drawn in 0..n_portions {
            // Shuffling any order as far as needed draws without replacement.
            let last = n_portions - 1 - n_drawn;
            self.order.swap(random.below(last + 1), last);
            let portion = self.order[last];
            let n_before = self.follower.steps.len();
            self.follower.add_portion(portion as usize);
            let n_steps = self.follower.steps.len() - n_before;
            self.found_as.extend((0..n_steps as u32).map(|index| Hop { portion, index }));
            self.note_steps(n_before, wanted)?;
            has_steps |= n_steps > 0;
            for index in n_before..n_before + n_steps {
                self.add_candidate(index);
            }
            if self.candidates.len() >= n_wanted {
                return Ok(());
            }
        }
        if has_steps { Ok(()) } else { self.look_at_all(wanted) }
    }

    /// Counts the steps from an index on, and looks at the findings.
    fn note_steps(&mut self, n_before: usize, wanted: &Wanted) -> Result<(), Walked> {
        let steps = &self.follower.steps;
        let n_steps = steps.len() - n_before;
        self.done.n_transitions += n_steps as u64;
        self.n_bytes += 256 + (self.follower.state.len() + bytes_of_region::<S::Region>()) * (1 + n_steps);
        match wanted.first(steps, self.hops.len() as u32) {
            None => Ok(()),
            Some(finding) => {
                let (evidence, property) = (evidence_of(finding), finding.property);
                Err(Walked::Found(self.way(evidence), property))
            }
        }
    }

    fn add_candidate(&mut self, index: usize) {
        if self.options.repeats == Repeats::Avoid {
            let steps: &Steps<S::Region, S::Label> = &self.follower.steps;
            let fingerprint = fingerprint(steps.state(index), steps.region(index).fingerprint());
            if self.seen.find(fingerprint).is_some() {
                return;
            }
        }
        self.candidates.push(index as u32);
    }

    /// Chooses a candidate.
    fn choose(&mut self, random: &mut Random) -> usize {
        let Some(guide) = self.hooks.guide else { return random.below(self.candidates.len()) };
        self.estimates.clear();
        for &index in &self.candidates {
            let (state, region) =
                (self.follower.steps.state(index as usize), self.follower.steps.region(index as usize));
            self.estimates.push(guide.heuristic.estimate_step(&self.follower.state, state, region));
        }
        let largest = guide.heuristic.largest();
        choose(&self.estimates, largest, self.bias, guide.share, &mut self.weights, random)
    }

    fn way(&self, evidence: Evidence) -> Way {
        Way { initial: self.initial, hops: self.hops.clone(), evidence, loop_at: None }
    }

    /// Says what was done. False when the walk is to give up.
    fn report(&mut self, watch: &Watch<'_>) -> bool {
        self.n_bytes = 0;
        let depth = self.done.depth;
        let done = std::mem::take(&mut self.done);
        self.done.depth = depth;
        watch.goes_on(Done { bytes: (self.hops.len() * size_of::<Hop>()) as u64, ..done })
    }
}
