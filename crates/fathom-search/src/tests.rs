//! The engines as a whole: against naive searches, on machines computed by hand, and at their limits.

mod findings;
mod infinite_runs;
mod limits;
mod parallel;
mod random_graphs;
mod regions;
mod stores;

use fathom_model::{System, Trace};

use crate::options::{NoMonitor, Options};
use crate::{Order, Outcome, Replay, breadth_first, depth_first, last_first, replay};

/// The engines that every fact must be true of.
const ENGINES: [Engine; 3] = [
    Engine::BreadthFirst,
    Engine::DepthFirst(Order::AsGiven),
    Engine::DepthFirst(Order::Random { seed: 42 }),
];

/// All orders, also the one that has no lossy store and keeps no depths of regions.
const ORDERS: [Engine; 4] = [ENGINES[0], ENGINES[1], ENGINES[2], Engine::Pile];

#[derive(Clone, Copy, PartialEq, Debug)]
enum Engine {
    BreadthFirst,
    Pile,
    DepthFirst(Order),
}

impl Engine {
    fn run<S: System>(self, system: &S, options: &Options) -> Outcome {
        match self {
            Engine::BreadthFirst => breadth_first(system, options, &mut NoMonitor),
            Engine::Pile => last_first(system, options, &mut NoMonitor),
            Engine::DepthFirst(order) => depth_first(system, order, options, &mut NoMonitor),
        }
    }
}

/// The traces of an outcome, each of which must replay.
fn replayed<'a, S: System>(
    system: &'a S,
    outcome: &'a Outcome,
) -> impl Iterator<Item = (&'a Trace, Replay<S::Region, S::Label>)> {
    outcome.evidence.iter().filter_map(move |(_, trace)| {
        let trace = trace.as_ref()?;
        Some((trace, replay(system, trace).expect("every trace replays")))
    })
}
