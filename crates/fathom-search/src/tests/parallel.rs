//! Threads: the same answers as one, whatever their number.

use fathom_model::{NoRegion, PropertyId, Steps, Stop, System};
use proptest::prelude::*;

use super::random_graphs::{everything, graphs};
use super::replayed;
use crate::{
    Meaning, NoMonitor, Options, Order, Outcome, Progress, breadth_first, breadth_first_parallel,
    depth_first_parallel, verdicts,
};
use fathom_testing::systems::Graph;

const THREADS: [usize; 3] = [1, 2, 4];

/// A grid of counters, each step adding one to one of them, modulo a bound: wide levels and many ways to each
/// state. The finding is where all counters are at `target`.
struct Counters {
    n_counters: usize,
    bound: u8,
    target: u8,
}

const AT_TARGET: PropertyId = PropertyId(0);

impl System for Counters {
    type Region = NoRegion;
    type Label = ();
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, _: &mut (), out: &mut Steps<NoRegion, ()>) {
        out.push(&vec![0; self.n_counters * 4], NoRegion, &[]);
    }

    fn successors(&self, state: &[u8], _: &NoRegion, _: &mut (), out: &mut Steps<NoRegion, ()>) {
        if (0..self.n_counters).all(|counter| state[counter * 4] == self.target) {
            out.find(AT_TARGET, None, &[]);
        }
        for counter in 0..self.n_counters {
            let mut next = state.to_vec();
            next[counter * 4] = (state[counter * 4] + 1) % self.bound;
            out.push(&next, NoRegion, &[]);
        }
    }
}

/// By property: the length of the trace, if there is one.
fn lengths(outcome: &Outcome) -> Vec<Option<usize>> {
    outcome.evidence.iter().map(|(_, trace)| trace.as_ref().map(|trace| trace.choices.len())).collect()
}

fn check_same(one: &Outcome, other: &Outcome, n_threads: usize) {
    assert_eq!(lengths(one), lengths(other), "{n_threads} threads");
    assert_eq!((one.stop, one.depth_cut), (other.stop, other.depth_cut), "{n_threads} threads");
    let counts = |outcome: &Outcome| {
        let statistics = outcome.statistics;
        (statistics.states, statistics.transitions, statistics.matched, statistics.max_depth)
    };
    assert_eq!(counts(one), counts(other), "{n_threads} threads");
}

proptest! {
    #[test]
    fn on_random_graphs_outcomes_and_traces_are_those_of_one_thread(
        graph in graphs(),
        max_depth in prop_oneof![Just(None), (0..7_u32).prop_map(Some)],
    ) {
        let options = Options { max_depth, ..everything(&graph) };
        let expected = breadth_first(&graph, &options, &mut NoMonitor);
        for n_threads in THREADS {
            let outcome = breadth_first_parallel(&graph, n_threads, &options, &mut NoMonitor);
            check_same(&outcome, &expected, n_threads);
            prop_assert!(replayed(&graph, &outcome).count() <= outcome.evidence.len());
        }
    }

    #[test]
    fn depth_first_counts_and_verdicts_are_those_of_one_thread(graph in graphs(), seed in any::<u64>()) {
        let options = everything(&graph);
        let expected = breadth_first(&graph, &options, &mut NoMonitor);
        let answers = |outcome: &Outcome| {
            let verdicts = verdicts(outcome, |_| Meaning::Violation);
            verdicts.iter().map(|verdict| (verdict.answer, verdict.stop)).collect::<Vec<_>>()
        };
        for n_threads in THREADS {
            for order in [Order::AsGiven, Order::Random { seed }] {
                let outcome = depth_first_parallel(&graph, n_threads, order, &options, &mut NoMonitor);
                prop_assert_eq!(answers(&outcome), answers(&expected));
                let (one, other) = (outcome.statistics, expected.statistics);
                prop_assert_eq!(
                    (one.states, one.transitions, one.matched),
                    (other.states, other.transitions, other.matched)
                );
                prop_assert!(replayed(&graph, &outcome).count() <= outcome.evidence.len());
            }
        }
    }

    #[test]
    fn a_search_that_stops_at_evidence_gives_the_same_trace(graph in graphs()) {
        let options = Options { continue_after_all: false, ..everything(&graph) };
        let expected = breadth_first(&graph, &options, &mut NoMonitor);
        for n_threads in THREADS {
            let outcome = breadth_first_parallel(&graph, n_threads, &options, &mut NoMonitor);
            prop_assert_eq!(lengths(&outcome), lengths(&expected));
            prop_assert_eq!(outcome.stop, expected.stop);
            prop_assert_eq!(replayed(&graph, &outcome).count(), lengths(&expected).iter().flatten().count());
        }
    }
}

#[test]
fn wide_levels_are_shared_and_give_the_same_counts_and_lengths_of_traces() {
    let system = Counters { n_counters: 5, bound: 9, target: 8 };
    let options = Options { properties: vec![AT_TARGET], continue_after_all: true, ..Options::default() };
    let expected = breadth_first(&system, &options, &mut NoMonitor);
    assert_eq!(expected.statistics.states, 9_u64.pow(5));
    for n_threads in THREADS {
        let outcome = breadth_first_parallel(&system, n_threads, &options, &mut NoMonitor);
        check_same(&outcome, &expected, n_threads);
        assert_eq!(replayed(&system, &outcome).next().expect("evidence").0.choices.len(), 40);
    }
}

#[test]
fn depth_first_threads_share_a_large_system() {
    let system = Counters { n_counters: 5, bound: 9, target: 8 };
    let options = Options { properties: vec![AT_TARGET], continue_after_all: true, ..Options::default() };
    for n_threads in THREADS {
        let outcome = depth_first_parallel(&system, n_threads, Order::AsGiven, &options, &mut NoMonitor);
        assert_eq!(outcome.stop, Stop::Exhausted);
        assert_eq!(outcome.statistics.states, 9_u64.pow(5));
        assert_eq!(outcome.statistics.transitions, 5 * 9_u64.pow(5));
        assert_eq!(replayed(&system, &outcome).count(), 1);
        let options = Options { continue_after_all: false, ..options.clone() };
        let outcome = depth_first_parallel(&system, n_threads, Order::AsGiven, &options, &mut NoMonitor);
        assert_eq!(outcome.stop, Stop::Found);
        assert_eq!(replayed(&system, &outcome).count(), 1);
    }
}

#[test]
fn depth_first_limits_stop_all_threads() {
    let system = Counters { n_counters: 6, bound: 9, target: 99 };
    let run = |options: &Options| depth_first_parallel(&system, 2, Order::AsGiven, options, &mut NoMonitor);
    let outcome = run(&Options { max_states: Some(50_000), ..Options::default() });
    assert_eq!(outcome.stop, Stop::States);
    assert!((50_000..60_000).contains(&outcome.statistics.states), "{}", outcome.statistics.states);
    let outcome = run(&Options { max_bytes: Some(2_000_000), ..Options::default() });
    assert_eq!(outcome.stop, Stop::Memory);
}

#[test]
fn limits_and_the_monitor_stop_all_threads() {
    let system = Counters { n_counters: 6, bound: 9, target: 99 };
    for n_threads in [2, 4] {
        let run = |options: &Options| breadth_first_parallel(&system, n_threads, options, &mut NoMonitor);
        let outcome = run(&Options { max_states: Some(100_000), ..Options::default() });
        assert_eq!(outcome.stop, Stop::States);
        assert!((100_000..120_000).contains(&outcome.statistics.states), "{}", outcome.statistics.states);
        let outcome = run(&Options { max_bytes: Some(2_000_000), ..Options::default() });
        assert_eq!(outcome.stop, Stop::Memory);
        assert!(outcome.statistics.store_bytes < 2_300_000, "{}", outcome.statistics.store_bytes);
        let mut n_polls = 0;
        let mut monitor = |progress: &Progress| {
            n_polls += 1;
            (progress.states > 50_000).then_some(Stop::Cancelled)
        };
        let outcome = breadth_first_parallel(&system, n_threads, &Options::default(), &mut monitor);
        assert_eq!(outcome.stop, Stop::Cancelled);
        assert!(n_polls > 1 && outcome.statistics.states < 500_000);
    }
}

#[test]
fn many_steps_of_few_states_do_not_keep_threads_from_looking_at_limits() {
    // Every state leads to every other one: as many steps as fill many looks.
    let all: Vec<u32> = (0..4000).collect();
    let graph = Graph { initial: vec![0], edges: vec![all; 4000], ..Graph::default() };
    for n_threads in THREADS {
        for is_breadth_first in [true, false] {
            let mut n_polls = 0;
            let mut monitor = |_: &Progress| {
                n_polls += 1;
                (n_polls == 3).then_some(Stop::Time)
            };
            let options = Options::default();
            let outcome = if is_breadth_first {
                breadth_first_parallel(&graph, n_threads, &options, &mut monitor)
            } else {
                depth_first_parallel(&graph, n_threads, Order::AsGiven, &options, &mut monitor)
            };
            assert_eq!(outcome.stop, Stop::Time);
            // A few hundred of 4000 states, if the other threads are not slower than the first.
            let n_steps = outcome.statistics.transitions;
            assert!(
                n_steps < 4000 * 2000,
                "{n_threads} threads, breadth first: {is_breadth_first}, {n_steps}"
            );
        }
    }
}

#[test]
fn a_long_chain_wastes_no_ids() {
    let graph = Graph::chain(100_000);
    let options = Options { properties: vec![PropertyId(0)], ..Options::default() };
    let outcome = breadth_first_parallel(&graph, 2, &options, &mut NoMonitor);
    assert_eq!(outcome.statistics.max_depth, 100_000);
    assert_eq!(outcome.evidence[0].1.as_ref().expect("evidence").choices.len(), 100_000);
    let bytes = outcome.statistics.store_bytes / outcome.statistics.states;
    assert!(bytes < 40, "{bytes} bytes for each state of four bytes");
}
