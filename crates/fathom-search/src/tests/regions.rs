//! The same loop and store with intervals for regions.

use std::collections::BTreeSet;

use fathom_model::{Evidence, PropertyId, Stop, Trace};
use proptest::prelude::*;

use super::{Engine, ORDERS, replayed};
use crate::{
    NoMonitor, Options, Order, Outcome, ReplayError, breadth_first_regions_parallel,
    depth_first_regions_parallel, last_first_regions_parallel, replay,
};
use fathom_testing::systems::{CounterEdge, CounterMachine, Interval, VALUES};

const ANY: Interval = VALUES;
const DEPTH_FIRST: Engine = Engine::DepthFirst(Order::AsGiven);

fn edge(from: u8, guard: Interval, change: (i32, i32), to: u8) -> CounterEdge {
    CounterEdge { from, guard, change: Interval::new(change.0, change.1), to }
}

/// Location 1 is reached from 0 directly, with 5, and through 2, with 3 to 7. Only the latter leads to 3.
fn small_and_large(is_small_first: bool) -> CounterMachine {
    let mut edges = vec![
        edge(0, ANY, (0, 0), 1),
        edge(0, ANY, (0, 0), 2),
        edge(2, ANY, (-2, 2), 1),
        edge(1, Interval::new(7, 15), (0, 0), 3),
        edge(1, ANY, (0, 0), 4),
    ];
    if !is_small_first {
        edges.swap(0, 1);
    }
    CounterMachine { initial: vec![(0, Interval::new(5, 5))], edges }
}

/// Runs an engine to the end and compares states, transitions, matched steps and depth.
fn check_counts(engine: Engine, is_small_first: bool, expected: (u64, u64, u64, u64)) {
    let outcome = engine.run(&small_and_large(is_small_first), &Options::default());
    let counts = outcome.statistics;
    assert_eq!((counts.states, counts.transitions, counts.matched, counts.max_depth), expected, "{engine:?}");
    assert_eq!(outcome.stop, Stop::Exhausted);
}

#[test]
fn a_larger_region_that_comes_later_swallows_the_smaller_one() {
    // Stored: 0[5] 1[5] 2[5] 4[5] 1[3,7] 3[7] 4[3,7]; covered in the end: 1[5] 4[5].
    check_counts(Engine::BreadthFirst, true, (5, 6, 0, 3));
    check_counts(DEPTH_FIRST, true, (5, 6, 0, 3));
}

#[test]
fn a_region_swallowed_before_its_turn_is_not_expanded() {
    // 1[5] is reached before 1[3,7], but 2[5] is expanded before it: 4[5] never comes up.
    check_counts(Engine::BreadthFirst, false, (5, 5, 0, 3));
}

#[test]
fn a_smaller_region_that_comes_later_is_known() {
    check_counts(DEPTH_FIRST, false, (5, 5, 1, 3));
}

fn check_trace(engine: Engine, property: PropertyId, max_depth: Option<u32>, expected: &[u32]) {
    let machine = small_and_large(true);
    let options = Options { properties: vec![property], max_depth, ..Options::default() };
    let outcome = engine.run(&machine, &options);
    assert_eq!(outcome.stop, Stop::Found);
    let (trace, _) = replayed(&machine, &outcome).next().expect("there is evidence");
    assert_eq!(trace.choices, expected, "{engine:?}");
}

#[test]
fn traces_lead_to_the_region_that_shows_the_evidence() {
    for max_depth in [None, Some(3)] {
        for engine in [Engine::BreadthFirst, DEPTH_FIRST] {
            check_trace(engine, CounterMachine::property(3, 7), max_depth, &[1, 0, 0]);
            // Through the state 1[5]; breadth-first, it is covered by the time 4[5] is expanded.
            check_trace(engine, CounterMachine::property(4, 5), max_depth, &[0, 0]);
            check_trace(engine, CounterMachine::property(4, 6), max_depth, &[1, 0, 1]);
        }
    }
}

/// An engine with threads.
fn with_threads(engine: Engine, machine: &CounterMachine, n_threads: usize, options: &Options) -> Outcome {
    let monitor = &mut NoMonitor;
    match engine {
        Engine::BreadthFirst => breadth_first_regions_parallel(machine, n_threads, options, monitor),
        Engine::Pile => last_first_regions_parallel(machine, n_threads, options, monitor),
        Engine::DepthFirst(order) => {
            depth_first_regions_parallel(machine, n_threads, order, options, monitor)
        }
    }
}

#[test]
fn threads_stop_at_limits_and_at_evidence() {
    let machine = small_and_large(true);
    for engine in ORDERS {
        let run = |options: &Options| with_threads(engine, &machine, 2, options);
        let all = run(&Options::default());
        assert_eq!((all.stop, all.statistics.states), (Stop::Exhausted, 5), "{engine:?}");
        assert_eq!(run(&Options { max_states: Some(2), ..Options::default() }).stop, Stop::States);
        assert_eq!(run(&Options { max_bytes: Some(100), ..Options::default() }).stop, Stop::Memory);
        let found = run(&Options { properties: vec![CounterMachine::property(3, 7)], ..Options::default() });
        assert_eq!(found.stop, Stop::Found);
        assert_eq!(replayed(&machine, &found).next().expect("evidence").0.choices, [1, 0, 0]);
    }
}

#[test]
fn a_loop_is_closed_only_by_the_same_region() {
    // The counter is cut down to 5 by the first step, or grows to 3 to 7 from 5, and stays so.
    let lasso = |values: (i32, i32), guard: Interval, change: (i32, i32), loop_at| {
        let initial = vec![(0, Interval::new(values.0, values.1))];
        let stay = edge(1, ANY, (0, 0), 0);
        let machine = CounterMachine { initial, edges: vec![edge(0, guard, change, 1), stay] };
        let trace =
            Trace { initial: 0, choices: vec![0; 4], evidence: Evidence::State, loop_at: Some(loop_at) };
        replay(&machine, &trace).map(|replay| replay.visits.len())
    };
    let five = Interval::new(5, 5);
    assert_eq!(lasso((3, 7), five, (0, 0), 0), Err(ReplayError::OpenLoop { loop_at: 0 }));
    assert_eq!(lasso((3, 7), five, (0, 0), 2), Ok(5));
    assert_eq!(lasso((5, 5), ANY, (-1, 1), 0), Err(ReplayError::OpenLoop { loop_at: 0 }));
}

/// What single values of the counter can reach within a number of steps.
fn points(machine: &CounterMachine, max_depth: u32) -> BTreeSet<PropertyId> {
    let values = |values: Interval| values.low..=values.high;
    let mut reached: BTreeSet<(u8, i32)> = BTreeSet::new();
    reached
        .extend(machine.initial.iter().flat_map(|&(location, set)| values(set).map(move |v| (location, v))));
    for _ in 0..max_depth {
        let mut next = reached.clone();
        for &(location, value) in &reached {
            for edge in
                machine.edges.iter().filter(|edge| edge.from == location && edge.guard.contains(value))
            {
                let after = values(edge.change).map(|change| value + change).filter(|&v| VALUES.contains(v));
                next.extend(after.map(|value| (edge.to, value)));
            }
        }
        if next == reached {
            break;
        }
        reached = next;
    }
    reached.into_iter().map(|(location, value)| CounterMachine::property(location, value)).collect()
}

fn machines() -> impl Strategy<Value = CounterMachine> {
    let set = |low: i32, high: i32| {
        (low..=high, low..=high).prop_map(|(one, other)| Interval::new(one.min(other), one.max(other)))
    };
    let location = || 0..4_u8;
    let edges = (location(), set(0, 15), set(-3, 3), location())
        .prop_map(|(from, guard, change, to)| CounterEdge { from, guard, change, to });
    let initial = prop::collection::vec((location(), set(0, 15)), 1..3);
    (initial, prop::collection::vec(edges, 0..12))
        .prop_map(|(initial, edges)| CounterMachine { initial, edges })
}

fn all_points() -> Vec<PropertyId> {
    (0..4).flat_map(|location| (0..=15).map(move |value| CounterMachine::property(location, value))).collect()
}

proptest! {
    #[test]
    fn regions_reach_the_values_that_single_values_reach(
        machine in machines(),
        max_depth in prop_oneof![Just(None), (0..8_u32).prop_map(Some)],
    ) {
        let expected = points(&machine, max_depth.unwrap_or(u32::MAX));
        let is_all = expected.len() == points(&machine, u32::MAX).len();
        let options =
            Options { properties: all_points(), continue_after_all: true, max_depth, ..Options::default() };
        for engine in ORDERS {
            let outcome = engine.run(&machine, &options);
            let found = outcome.evidence.iter().filter(|(_, trace)| trace.is_some());
            let found: BTreeSet<PropertyId> = found.map(|(property, _)| *property).collect();
            if engine == Engine::Pile && max_depth.is_some() {
                // No depths are kept with regions: it may miss something within the bound, and then says so.
                prop_assert!(found.is_subset(&expected));
                prop_assert!(found == expected || outcome.depth_cut);
                continue;
            }
            prop_assert_eq!(&found, &expected, "{:?}", engine);
            prop_assert!(is_all || outcome.stop == Stop::Depth);
            for (trace, _) in replayed(&machine, &outcome) {
                prop_assert!(max_depth.is_none_or(|max_depth| trace.choices.len() <= max_depth as usize));
            }
        }
    }

    #[test]
    fn threads_reach_the_same_values(
        machine in machines(),
        n_threads in 2..4_usize,
        max_depth in prop_oneof![Just(None), (0..8_u32).prop_map(Some)],
    ) {
        let expected = points(&machine, max_depth.unwrap_or(u32::MAX));
        let is_all = expected.len() == points(&machine, u32::MAX).len();
        let options =
            Options { properties: all_points(), continue_after_all: true, max_depth, ..Options::default() };
        for engine in ORDERS {
            let outcome = with_threads(engine, &machine, n_threads, &options);
            let found = outcome.evidence.iter().filter(|(_, trace)| trace.is_some());
            let found: BTreeSet<PropertyId> = found.map(|(property, _)| *property).collect();
            prop_assert_eq!(&found, &expected, "{:?}", engine);
            prop_assert!(is_all || outcome.stop == Stop::Depth);
            for (trace, _) in replayed(&machine, &outcome) {
                prop_assert!(max_depth.is_none_or(|max_depth| trace.choices.len() <= max_depth as usize));
            }
        }
    }

    #[test]
    fn breadth_first_with_a_bound_no_trace_is_shorter(machine in machines(), n_threads in 1..4_usize) {
        let options = Options {
            properties: all_points(),
            continue_after_all: true,
            max_depth: Some(u32::MAX),
            ..Options::default()
        };
        let outcome = with_threads(Engine::BreadthFirst, &machine, n_threads, &options);
        prop_assert_eq!(outcome.stop, Stop::Exhausted);
        for (property, trace) in &outcome.evidence {
            let Some(trace) = trace else { continue };
            let n_steps = trace.choices.len() as u32;
            prop_assert!(n_steps == 0 || !points(&machine, n_steps - 1).contains(property));
        }
    }
}
