//! All goals at once: one sequence that reaches them all.
//!
//! Every goal is a bit of the state, as the trap variables of the source are, so that the shortest sequence is the nearest state with all bits
//! set. Breadth-first search finds it where memory lasts; depth-first and pruned searches find some sequence where it does not, and pruned ones
//! make it shorter: every hit lowers the bound on depth.
//!
//! The source runs the same goals on the stopwatch and on INRES (Ernits, 2007, tables 5.1 to 5.5).

use fathom_hunt::{Refine, Sizes};
use fathom_model::{Stop, System};
use fathom_search::{Monitor, Progress};

use crate::engine::{Guide, SearchLimits, TestEngine, search};
use crate::generate::{Test, TestStatistics};
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
    /// For pruned searches: what happens after a hit.
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
    let target = Target::All(options.wanted.clone());
    let observed = Observed::new(system, tracker, target, options.guide, options.seed);
    let limits = SearchLimits {
        max_states: options.max_states,
        max_bytes: options.max_bytes,
        max_depth: options.max_depth,
        seed: options.seed,
        threads: options.threads,
        sizes: options.sizes,
        refine: options.refine,
    };
    let searched =
        search(&observed, options.engine, &limits, &mut |progress: &Progress| monitor.poll(progress));
    let mut statistics = TestStatistics::default();
    statistics.count(&searched);
    let mut covered = GoalSet::empty(tracker.goals().len());
    let test = searched.trace.as_ref().map(|trace| {
        let followed = observed.follow(trace).expect("a trace of a search can be followed");
        let reached = followed.reached.into_iter().filter(|&(_, goal)| covered.add(goal)).collect();
        Test { initial: followed.initial, choices: followed.choices, reached }
    });
    let is_shortest =
        test.is_some() && options.engine == TestEngine::BreadthFirst && size_of::<S::Region>() == 0;
    WholeOutcome { test, is_shortest, stop: searched.stop, statistics }
}
