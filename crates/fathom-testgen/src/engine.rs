//! One search for a goal, with any engine.

use std::cell::RefCell;
use std::collections::HashMap;

use fathom_hunt::{Enough, IsrOptions, Refine, Sizes};
use fathom_model::{Erased, Statistics, Stop, System, Trace};
use fathom_search::{Monitor, Options, Order, Outcome, Priority};

use crate::observed::{Observed, REACHED};

/// How goals are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum TestEngine {
    /// The nearest goal first. Proves that goals are infeasible.
    #[default]
    BreadthFirst,
    /// As deep as it goes. Proves as well.
    DepthFirst,
    /// The state that looks nearest to a goal first. Proves as well.
    BestFirst,
    /// Iterated search refinement: depth-first searches with tiny tables of bits. Proves nothing.
    Isr,
}

impl TestEngine {
    /// The name in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            TestEngine::BreadthFirst => "bfs",
            TestEngine::DepthFirst => "dfs",
            TestEngine::BestFirst => "best",
            TestEngine::Isr => "isr",
        }
    }

    /// Whether it ends only when everything was seen.
    pub fn is_complete(self) -> bool {
        self != TestEngine::Isr
    }
}

/// Which steps of a state are tried first.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Guide {
    /// The order of the system.
    #[default]
    None,
    /// Those that reach a new goal; the source's uniform penalty on everything that was there before.
    Uniform,
    /// Those that reach a new goal, then those that drive a loop which a goal waits for; the source's tuned penalty, without the hand.
    Tuned,
    /// Those that lead nearest to a goal by charts; of equals those that drive a loop.
    Distance,
}

impl Guide {
    /// The name in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Guide::None => "none",
            Guide::Uniform => "uniform",
            Guide::Tuned => "tuned",
            Guide::Distance => "distance",
        }
    }
}

/// How far one search goes.
#[derive(Clone, Debug)]
pub(crate) struct SearchLimits {
    pub max_states: Option<u64>,
    pub max_bytes: Option<u64>,
    pub max_depth: Option<u32>,
    pub seed: u64,
    pub threads: usize,
    /// For pruned searches: how tables grow, and what happens after a hit.
    pub sizes: Sizes,
    pub refine: Refine,
}

/// What came of one search.
pub(crate) struct Searched {
    pub trace: Option<Trace>,
    pub stop: Stop,
    pub statistics: Statistics,
    /// Bytes of the table of a pruned search that found something.
    pub table_bytes: Option<u64>,
}

/// Looks for what an observed system is after.
pub(crate) fn search<S: System<Scratch: 'static> + Sync>(
    observed: &Observed<'_, S>,
    engine: TestEngine,
    limits: &SearchLimits,
    monitor: &mut dyn Monitor,
) -> Searched
where
    S::Region: Send + Sync + 'static,
    S::Label: 'static,
{
    // Engines are compiled for systems whose type is forgotten.
    let system: Erased<'_, S::Region, S::Label> = Erased::new(observed);
    let options = Options {
        properties: vec![REACHED],
        max_states: limits.max_states,
        max_bytes: limits.max_bytes,
        max_depth: limits.max_depth,
        ..Options::default()
    };
    let mut table_bytes = None;
    let outcome: Outcome = match engine {
        TestEngine::BreadthFirst => fathom_search::breadth_first(&system, &options, monitor),
        TestEngine::DepthFirst => fathom_search::depth_first(&system, Order::AsGiven, &options, monitor),
        TestEngine::BestFirst => {
            let cache = RefCell::new(HashMap::new());
            let estimate = |_: Option<&[u8]>, state: &[u8], _: &S::Region| {
                observed.estimate(state, &mut cache.borrow_mut())
            };
            fathom_search::best_first(&system, &estimate, Priority::Sum { weight: 1.0 }, &options, monitor)
        }
        TestEngine::Isr => {
            let options = IsrOptions {
                properties: vec![REACHED],
                sizes: limits.sizes,
                refine: limits.refine,
                enough: Enough::All,
                max_depth: limits.max_depth,
                threads: limits.threads,
                seed: limits.seed,
                ..IsrOptions::default()
            };
            let found = fathom_hunt::isr(&system, &options, monitor);
            table_bytes = found.hits.last().map(|hit| hit.throw.bits.div_ceil(8));
            found.outcome
        }
    };
    let Outcome { evidence, stop, statistics, .. } = outcome;
    let trace = evidence.into_iter().find_map(|(_, trace)| trace);
    Searched { trace, stop, statistics, table_bytes }
}
