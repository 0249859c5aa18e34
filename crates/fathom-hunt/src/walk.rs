//! Random walks and trails, guided or not.
//!
//! A walk starts at an initial state and takes one random step after the other. It needs no memory to speak of,
//! works at any size, and often finds what a search that must remember everything cannot reach. Many short
//! experiments beat a long one, so walks start again and again.
//!
//! Source: Bui, *Guided Random-Walk Based Model Checking* (2009), with these repairs: a state is looked at before
//! the walk is ended; a walk that goes on from another one keeps its beginning, so that its trace starts at an
//! initial state; a step to the same state is a step; weights are never zero ([`crate::Bias`]). Trying one child
//! after the other is uniform over processes first; [`Children::All`] is uniform over steps. A lasso ends a walk at
//! its first repeated state (Grosu and Smolka, "Monte Carlo Model Checking", TACAS 2005).
//!
//! Walks are numbered and have seeds of their own. The walk with the smallest number that finds something counts,
//! whatever the number of threads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use fathom_guide::Heuristic;
use fathom_model::{PropertyId, Region, Stop, System};
use fathom_search::{Monitor, Outcome, Random};

use crate::bits::derive_seed;
use crate::choose::{Bias, Share};
use crate::claim::{Claim, Draws, InOrder};
use crate::isr::Enough;
use crate::race::{Board, Task, Watch, race};
use crate::sampled_outcome::outcome_of_ways;
use crate::walker::{Begun, Walked, Walker};
use crate::wanted::{Wanted, keep_best};
use crate::way::Way;

/// What is looked for, and how walks are made.
#[derive(Clone, PartialEq, Debug)]
pub struct WalkOptions {
    /// The properties in question, each once.
    pub properties: Vec<PropertyId>,
    /// When it is enough.
    pub enough: Enough,
    /// Number of walks: see [`n_walks_for`](crate::n_walks_for).
    pub n_walks: u64,
    /// Most steps of a walk.
    pub max_depth: Option<u32>,
    /// Which steps are looked at to choose one.
    pub children: Children,
    /// What is done about states that a walk has been in.
    pub repeats: Repeats,
    /// Where walks start.
    pub start: StartAt,
    /// The probability that the claim about walks that find nothing is wrong.
    pub delta: f64,
    /// Number of threads.
    pub threads: usize,
    /// The seed.
    pub seed: u64,
}

impl Default for WalkOptions {
    fn default() -> WalkOptions {
        WalkOptions {
            properties: Vec::new(),
            enough: Enough::Any,
            n_walks: 2020,
            max_depth: Some(10_000),
            children: Children::TryOne,
            repeats: Repeats::Allow,
            start: StartAt::Initial,
            delta: 4e-5,
            threads: 1,
            seed: 1,
        }
    }
}

/// Which steps are looked at to choose one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Children {
    /// Those of a random portion, of another one if it has none, and so on: fast where many can move.
    TryOne,
    /// All of them: every step is as likely as any other, and every finding next to the walk is seen.
    All,
}

/// What is done about states that a walk has been in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Repeats {
    /// Nothing: the walk ends at a state without steps or at the bound.
    Allow,
    /// The walk ends there.
    End,
    /// No step leads there; the walk, a *trail*, ends when there is no other.
    Avoid,
}

/// Where walks start.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum StartAt {
    /// At an initial state.
    Initial,
    /// With this probability at a random state of the walk before, else at an initial state.
    PreviousWalk {
        /// The probability.
        probability: f64,
        /// Every so many walks, one starts at an initial state for certain.
        chain: u32,
    },
}

/// What makes a walk guided.
pub struct Guide<'h, R: Region> {
    /// The estimates.
    pub heuristic: &'h dyn Heuristic<R>,
    /// How estimates become weights.
    pub bias: Bias,
    /// What weights are given to.
    pub share: Share,
    /// Look at this many candidates from random portions only, and not at all steps. For states with thousands
    /// of steps.
    pub sample: Option<usize>,
}

impl<R: Region> Clone for Guide<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Region> Copy for Guide<'_, R> {}

/// Which composite states of a product with an automaton are accepting: the hook for temporal logic.
pub trait Acceptance<R: Region>: Sync {
    /// Whether a run that is in this state again and again is accepted.
    fn is_accepting(&self, state: &[u8], region: &R) -> bool;
}

/// What walks may be given besides options.
pub struct Hooks<'h, R: Region> {
    /// What guides them.
    pub guide: Option<Guide<'h, R>>,
    /// A property that is violated by a loop through an accepting state.
    pub lasso: Option<(PropertyId, &'h dyn Acceptance<R>)>,
}

impl<R: Region> Clone for Hooks<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Region> Copy for Hooks<'_, R> {}

impl<R: Region> Hooks<'_, R> {
    /// Unguided walks for finite traces.
    pub fn none() -> Self {
        Hooks { guide: None, lasso: None }
    }
}

/// What came of walks.
#[derive(Clone, Debug)]
pub struct WalkOutcome {
    /// Evidence, the reason to stop, and what it cost: `states` counts steps taken. Always sampled.
    pub outcome: Outcome,
    /// What the walks that found nothing say.
    pub claim: Claim,
    /// The number of the walk that found the first evidence.
    pub found_by: Option<u64>,
}

/// Looks for evidence about properties on random walks: see the module header.
///
/// With a lasso in the hooks, its property must be among those asked.
pub fn walk<S: System + Sync>(
    system: &S,
    options: &WalkOptions,
    hooks: Hooks<'_, S::Region>,
    monitor: &mut dyn Monitor,
) -> WalkOutcome {
    let board = Board::new();
    let mut wanted = Wanted::anything(&options.properties);
    let mut best: Vec<(PropertyId, Option<Way>)> =
        options.properties.iter().map(|&property| (property, None)).collect();
    let counts = Counts::default();
    let (mut next, mut found_by) = (0, None);
    let n_chains = options.n_walks.div_ceil(chain_length(options));
    let stop = loop {
        if wanted.is_empty() {
            break Stop::Found;
        }
        let run = |walker: &mut Walker<'_, S>, number: u64, watch: &Watch<'_>| {
            run_chain(walker, options, &wanted, number, &counts, watch)
        };
        let worker = || Walker::new(system, options, hooks);
        let raced = race(options.threads, next..n_chains, &board, worker, run, monitor);
        let Some((number, (way, property, walk))) = raced.winner else {
            let cut = counts.n_cut.load(Ordering::Relaxed) > 0;
            break raced.stop.unwrap_or(if cut { Stop::Depth } else { Stop::States });
        };
        found_by.get_or_insert(walk);
        next = number + 1;
        keep_best(&mut best, property, way);
        match options.enough {
            Enough::Any => wanted = Wanted::anything(&[]),
            Enough::All => wanted.drop(property),
        }
        if let (Some(stop), false) = (raced.stop, wanted.is_empty()) {
            break stop;
        }
    };
    let draws = counts.in_order.lock().unwrap_or_else(PoisonError::into_inner).draws();
    let claim = Claim::new(counts.n_walks.load(Ordering::Relaxed), draws, options.max_depth, options.delta);
    WalkOutcome { outcome: outcome_of_ways(system, best, stop, &board.progress(), monitor), claim, found_by }
}

/// Walks of all threads.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    n_walks: AtomicU64,
    n_cut: AtomicU64,
    /// Independent ones.
    in_order: Mutex<InOrder>,
}

/// Number of walks that may build on each other.
pub(crate) fn chain_length(options: &WalkOptions) -> u64 {
    match options.start {
        StartAt::Initial => 1,
        StartAt::PreviousWalk { chain, .. } => u64::from(chain.max(1)),
    }
}

/// Makes the walks of one chain until one finds something; gives the way, the property and the number of the walk.
pub(crate) fn run_chain<S: System>(
    walker: &mut Walker<'_, S>,
    options: &WalkOptions,
    wanted: &Wanted,
    number: u64,
    counts: &Counts,
    watch: &Watch<'_>,
) -> Task<(Way, PropertyId, u64)> {
    let length = chain_length(options);
    let mut draws = Draws::default();
    for place in 0..length {
        let walk = number * length + place;
        if walk >= options.n_walks {
            break;
        }
        let mut random = Random::new(derive_seed(options.seed, walk));
        let n_kept = match options.start {
            StartAt::PreviousWalk { probability, .. } if place > 0 => {
                let part = random.below(1 << 20) as f64 / f64::from(1 << 20);
                if part < probability { random.below(walker.hops.len() + 1) } else { 0 }
            }
            _ => 0,
        };
        let walked = walker.walk(Begun { number: walk, n_kept }, wanted, &mut random, watch);
        counts.n_walks.fetch_add(1, Ordering::Relaxed);
        match walked {
            Walked::Found(way, property) => return Task::Won((way, property, walk)),
            Walked::GaveUp => return Task::GaveUp,
            Walked::Cut => {
                counts.n_cut.fetch_add(1, Ordering::Relaxed);
                draws.n_cut += u64::from(n_kept == 0);
            }
            Walked::Maximal => {}
        }
        draws.n_draws += u64::from(n_kept == 0);
    }
    counts.in_order.lock().unwrap_or_else(PoisonError::into_inner).end(number, draws);
    Task::Ended
}
