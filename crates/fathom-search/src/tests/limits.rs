//! Limits: every one gives its own reason to stop, and what was seen so far counts.

use fathom_model::{NoRegion, PropertyId, Steps, Stop, System};

use super::{ENGINES, Engine};
use crate::{Monitor, Options, Order, Progress, breadth_first, depth_first, last_first};
use fathom_testing::systems::Graph;

impl Engine {
    fn run_with<S: System>(self, system: &S, options: &Options, monitor: &mut dyn Monitor) -> crate::Outcome {
        match self {
            Engine::BreadthFirst => breadth_first(system, options, monitor),
            Engine::Pile => last_first(system, options, monitor),
            Engine::DepthFirst(order) => depth_first(system, order, options, monitor),
        }
    }
}

/// All numbers of three bytes: state n leads to 2n and 2n + 1.
struct Tree;

impl System for Tree {
    type Region = NoRegion;
    type Label = ();
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, _: &mut (), out: &mut Steps<NoRegion, ()>) {
        out.push(&1_u32.to_le_bytes(), NoRegion, &[]);
    }

    fn successors(&self, state: &[u8], _: &NoRegion, _: &mut (), out: &mut Steps<NoRegion, ()>) {
        let number = Graph::decode(state);
        for next in [2 * number, 2 * number + 1].into_iter().filter(|&next| next < 1 << 18) {
            out.push(&next.to_le_bytes(), NoRegion, &[]);
        }
    }
}

#[test]
fn the_monitor_is_told_and_may_stop_the_search_for_its_own_reason() {
    for reason in [Stop::Time, Stop::Cancelled] {
        for engine in ENGINES {
            let mut seen: Vec<Progress> = Vec::new();
            let mut monitor = |progress: &Progress| {
                seen.push(*progress);
                (seen.len() == 5).then_some(reason)
            };
            let outcome = engine.run_with(&Tree, &Options::default(), &mut monitor);
            assert_eq!(outcome.stop, reason);
            assert_eq!(seen.len(), 5);
            assert_eq!(seen[0].transitions, 0);
            assert!(
                seen.is_sorted_by(|one, next| one.states < next.states && one.transitions < next.transitions)
            );
            assert!(seen.iter().all(|progress| progress.bytes > 0 && progress.pending < 100_000));
            assert_eq!(outcome.statistics.states, seen[4].states);
            assert!((4000..=8001).contains(&outcome.statistics.states), "{}", outcome.statistics.states);
        }
    }
}

#[test]
fn a_limit_on_memory_ends_the_search_within_the_limit() {
    for engine in ENGINES {
        let options = Options { max_bytes: Some(1_000_000), ..Options::default() };
        let outcome = engine.run_with(&Tree, &options, &mut crate::NoMonitor);
        assert_eq!(outcome.stop, Stop::Memory);
        assert!(outcome.statistics.store_bytes <= 1_000_000);
        assert!(outcome.statistics.states > 10_000, "{}", outcome.statistics.states);
        let options = Options { max_bytes: Some(100_000_000), ..Options::default() };
        let outcome = engine.run_with(&Tree, &options, &mut crate::NoMonitor);
        assert_eq!(outcome.stop, Stop::Exhausted);
        assert_eq!(outcome.statistics.states, (1 << 18) - 1);
    }
}

#[test]
fn the_memory_of_the_frontier_counts() {
    // Each state on the path leaves a hundred thousand steps to be tried beside it.
    let wide: Vec<u32> = (1..100_000).collect();
    let graph = Graph { initial: vec![0], edges: vec![wide.clone(), wide], ..Graph::default() };
    let engine = Engine::DepthFirst(Order::AsGiven);
    let options = Options { max_bytes: Some(3_000_000), ..Options::default() };
    let outcome = engine.run_with(&graph, &options, &mut crate::NoMonitor);
    assert_eq!(outcome.stop, Stop::Memory);
    assert!(outcome.statistics.store_bytes < 2_000_000);
}

#[test]
fn a_bound_on_depth_of_exactly_the_depth_cuts_nothing_off() {
    let graph = Graph::chain(1000);
    for engine in ENGINES {
        for (max_depth, expected) in
            [(1001, Stop::Exhausted), (1000, Stop::Exhausted), (999, Stop::Depth), (0, Stop::Depth)]
        {
            let options = Options { max_depth: Some(max_depth), ..Options::default() };
            let outcome = engine.run(&graph, &options);
            assert_eq!(outcome.stop, expected, "{engine:?} {max_depth}");
            assert_eq!(outcome.depth_cut, expected == Stop::Depth);
            assert_eq!(outcome.statistics.states, u64::from(max_depth.min(1000)) + 1);
        }
    }
}

#[test]
fn evidence_found_before_a_limit_is_kept() {
    let graph = Graph { findings: vec![(5, PropertyId(0), None)], ..Graph::chain(1000) };
    let options = Options {
        properties: vec![PropertyId(0), PropertyId(1)],
        max_states: Some(20),
        ..Options::default()
    };
    for engine in ENGINES {
        let outcome = engine.run(&graph, &options);
        assert_eq!(outcome.stop, Stop::States);
        assert_eq!(outcome.evidence[0].1.as_ref().expect("evidence").choices, [0; 5]);
        assert!(outcome.evidence[1].1.is_none());
    }
}
