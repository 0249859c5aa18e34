//! All goals at once: one sequence that reaches them all.
//!
//! Every goal is a bit of the state, as the trap variables of the source are, so that the shortest sequence is the nearest state with all bits
//! set. Breadth-first search finds it where memory lasts; depth-first and pruned searches find some sequence where it does not, and pruned ones
//! make it shorter: every hit lowers the bound on depth, and another seed tries steps that look alike in another order.
//!
//! The source runs the same goals on the stopwatch and on INRES (Ernits, 2007, tables 5.1 to 5.5).

use fathom_hunt::{Refine, Sizes};
use fathom_model::{Stop, System};
use fathom_search::{Monitor, Progress};

use crate::engine::{Guide, SearchLimits, TestEngine, search};
use crate::generate::{Test, TestStatistics, is_final};
use crate::goal_set::GoalSet;
use crate::history::Tracker;
use crate::observed::{Observed, Target};

/// How to look for one sequence.
#[derive(Clone, Debug)]
pub struct WholeOptions {
    /// How it is looked for.
    pub engine: TestEngine,
    /// Which steps are tried first.
    pub guide: Guide,
    /// The goals to be reached.
    pub wanted: GoalSet,
    /// Most states.
    pub max_states: Option<u64>,
    /// Most bytes.
    pub max_bytes: Option<u64>,
    /// Most steps of the sequence.
    pub max_depth: Option<u32>,
    /// For pruned searches: how tables grow.
    pub sizes: Sizes,
    /// For pruned searches: whether to go on for shorter sequences after a hit, with other seeds.
    pub refine: Refine,
    /// The seed.
    pub seed: u64,
    /// Threads of pruned searches.
    pub threads: usize,
}

impl WholeOptions {
    /// Breadth-first search for these goals.
    pub fn new(wanted: GoalSet) -> WholeOptions {
        WholeOptions {
            engine: TestEngine::BreadthFirst,
            guide: Guide::None,
            wanted,
            max_states: None,
            max_bytes: None,
            max_depth: None,
            sizes: Sizes::SOURCE,
            refine: Refine::Never,
            seed: 0,
            threads: 1,
        }
    }
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct WholeOutcome {
    /// The sequence, if there is one.
    pub test: Option<Test>,
    /// Whether there is no shorter one: only breadth-first search on states without regions says so.
    pub is_shortest: bool,
    /// Why the search ended.
    pub stop: Stop,
    /// What it cost.
    pub statistics: TestStatistics,
}

/// Looks for one sequence that reaches all goals wanted.
pub fn all_at_once<S: System<Scratch: 'static> + Sync>(
    system: &S,
    tracker: &Tracker<'_, S::Label>,
    options: &WholeOptions,
    monitor: &mut dyn Monitor,
) -> WholeOutcome
where
    S::Region: Send + Sync + 'static,
    S::Label: 'static,
{
    let mut limits = SearchLimits {
        max_states: options.max_states,
        max_bytes: options.max_bytes,
        max_depth: options.max_depth,
        seed: options.seed,
        threads: options.threads,
        sizes: options.sizes,
        refine: Refine::Never,
    };
    let mut statistics = TestStatistics::default();
    let (mut test, mut stop) =
        look(system, tracker, options, options.seed, &mut limits, &mut statistics, monitor);
    let mut n_vain = 0;
    let is_refined = options.engine == TestEngine::Isr && options.refine != Refine::Never;
    while is_refined && n_vain < VAIN_ROUNDS && !is_final(stop) {
        let Some(best) = test.as_ref().filter(|test| !test.choices.is_empty()) else { break };
        // Another order of steps that look alike is another search; only shorter sequences count.
        limits.max_depth = Some(best.choices.len() as u32 - 1);
        let seed = options.seed.wrapping_add(statistics.searches);
        limits.seed = seed;
        let found = look(system, tracker, options, seed, &mut limits, &mut statistics, monitor);
        n_vain = if found.0.is_some() { 0 } else { n_vain + 1 };
        stop = if found.0.is_some() || is_final(found.1) { found.1 } else { stop };
        test = found.0.or(test);
    }
    let is_shortest =
        test.is_some() && options.engine == TestEngine::BreadthFirst && size_of::<S::Region>() == 0;
    WholeOutcome { test, is_shortest, stop, statistics }
}

/// Searches without a shorter sequence after which refinement ends.
const VAIN_ROUNDS: u32 = 400;

/// One search. Tables of later ones have about the size that was of use.
fn look<S: System<Scratch: 'static> + Sync>(
    system: &S,
    tracker: &Tracker<'_, S::Label>,
    options: &WholeOptions,
    seed: u64,
    limits: &mut SearchLimits,
    statistics: &mut TestStatistics,
    monitor: &mut dyn Monitor,
) -> (Option<Test>, Stop)
where
    S::Region: Send + Sync + 'static,
    S::Label: 'static,
{
    let target = Target::All(options.wanted.clone());
    let observed = Observed::new(system, tracker, target, options.guide, seed);
    let searched =
        search(&observed, options.engine, limits, &mut |progress: &Progress| monitor.poll(progress));
    statistics.count(&searched);
    if let Some(bytes) = searched.table_bytes {
        limits.sizes = Sizes::Growing {
            first: bytes,
            small_step: 1,
            per_magnitude: 1,
            threshold: bytes,
            factor: 2.0,
            last: bytes.saturating_mul(4),
        };
    }
    let mut covered = GoalSet::empty(tracker.goals().len());
    let test = searched.trace.as_ref().map(|trace| {
        let followed = observed.follow(trace).expect("a trace of a search can be followed");
        let reached = followed.reached.into_iter().filter(|&(_, goal)| covered.add(goal)).collect();
        Test { initial: followed.initial, choices: followed.choices, reached }
    });
    (test, searched.stop)
}
