//! Facts about pruned searches and their iteration.

use std::collections::BTreeSet;

use fathom_guide::Heuristic;
use fathom_model::{Answer, NoRegion, Stop, Trust};
use fathom_search::{Meaning, NoMonitor, Progress, replay, verdicts};
use proptest::prelude::*;

use crate::bits::Places;
use crate::pruned::{Ended, Nobody, Observer, Pruner, Throw, ThrowOrder};
use crate::race::{Board, run_alone};
use crate::wanted::Wanted;
use crate::way::trace_of;
use crate::{Enough, IsrOptions, Refine, Sizes, isr, isr_guided};
use fathom_testing::systems::{GOAL, Graph, Growing, Philosophers};

/// Collects states in the order in which they get a bit.
struct Visits(Vec<u16>);

impl Observer for Visits {
    fn generated(&mut self, _: u64, _: &[u8], _: bool) {}

    fn entered(&mut self, state: &[u8]) {
        let byte = |at: usize| state.get(at).copied().unwrap_or(0);
        self.0.push(u16::from_le_bytes([byte(0), byte(1)]));
    }
}

fn throw(bits: u64, places: Places) -> Throw {
    let order = ThrowOrder::DepthFirst;
    Throw { bits, places, order, max_depth: u32::MAX, shuffle: None, max_tries: None }
}

/// The numbers in the source of the states that a search visits, in order.
fn visited_philosophers(throw: &Throw) -> Vec<u32> {
    let mut visits = Visits(Vec::new());
    let mut pruner = Pruner::new(&Philosophers);
    let nothing = Wanted::anything(&[]);
    run_alone(&Board::new(), &mut NoMonitor, |watch| pruner.run(throw, &nothing, &mut visits, watch));
    let number =
        |word: &u16| Philosophers::NUMBERED.iter().position(|known| known == word).unwrap() as u32 + 1;
    visits.0.iter().map(number).collect()
}

/// Compares what searches with 5 to 12 bits visit with a table, and gives the number of states of all together.
fn n_visited(order: ThrowOrder, expected: [&[u32]; 8]) -> usize {
    let mut union = BTreeSet::new();
    for (bits, expected) in (5..).zip(expected) {
        let visited = visited_philosophers(&Throw { order, ..throw(bits, Places::Remainder) });
        assert_eq!(visited, expected, "{bits} bits");
        union.extend(visited);
    }
    union.len()
}

#[test]
fn three_philosophers_are_visited_as_in_the_source() {
    let depth_first: [&[u32]; 8] = [
        &[1, 2, 12, 14],
        &[1, 2, 6, 13, 3, 4],
        &[1, 2, 6, 10],
        &[1, 2, 6, 3, 5, 8],
        &[1, 2, 6, 15, 16, 17, 18, 3, 12],
        &[1, 2, 12, 14],
        &[1, 2, 6, 10, 15, 12, 4, 20],
        &[1, 2, 6, 10, 13, 3, 7, 5, 4],
    ];
    let breadth_first: [&[u32]; 8] = [
        &[1, 2, 12, 14],
        &[1, 2, 3, 4, 6, 13],
        &[1, 2, 6, 10],
        &[1, 2, 3, 6, 5, 8],
        &[1, 2, 3, 4, 6, 13, 12, 20, 15],
        &[1, 2, 12, 14],
        &[1, 2, 3, 4, 6, 12, 20, 15],
        &[1, 2, 3, 4, 6, 13, 7, 5, 10],
    ];
    assert_eq!(n_visited(ThrowOrder::DepthFirst, depth_first), 17);
    assert_eq!(n_visited(ThrowOrder::BreadthFirst, breadth_first), 14);
    // Without a heuristic the cheapest is the oldest.
    assert_eq!(n_visited(ThrowOrder::Cheapest, breadth_first), 14);
}

#[test]
fn the_deadlock_of_three_philosophers_is_first_found_with_seven_bits() {
    let found = |bits| {
        let wanted = Wanted::anything(&[GOAL]);
        let run = |watch: &crate::race::Watch<'_>| {
            Pruner::new(&Philosophers).run(&throw(bits, Places::Remainder), &wanted, &mut Nobody, watch)
        };
        matches!(run_alone(&Board::new(), &mut NoMonitor, run).0, Ended::Found(..))
    };
    assert_eq!((1..8).filter(|&bits| found(bits)).collect::<Vec<_>>(), [7]);
}

#[test]
fn small_and_large_states_are_visited_in_the_same_order() {
    let graph = Graph {
        initial: vec![0, 30],
        edges: (0..60)
            .map(|state| vec![(state * 7 + 1) % 60, (state * 11 + 3) % 60, (state + 5) % 60])
            .collect(),
        findings: vec![],
        is_undivided: false,
        ..Graph::default()
    };
    for bits in [3, 10, 17, 40, 1000] {
        let visited = |is_large| {
            let mut visits = Visits(Vec::new());
            let mut pruner = Pruner::new(&graph);
            pruner.treat_as_large(is_large);
            run_alone(&Board::new(), &mut NoMonitor, |watch| {
                let throw = throw(bits, Places::Hashed { seed: 5 });
                pruner.run(&throw, &Wanted::anything(&[]), &mut visits, watch)
            });
            (visits.0, pruner.thrown.n_stored, pruner.thrown.max_depth)
        };
        assert_eq!(visited(false), visited(true), "{bits} bits");
    }
}

proptest! {
    #[test]
    fn whatever_is_found_replays_and_nothing_is_found_that_is_not_there(
        edges in proptest::collection::vec(proptest::collection::vec(0_u32..40, 0..4), 40),
        goal in 1_u32..40,
        bits in 1_u64..200,
        seed in any::<u64>(),
        shuffle in any::<bool>(),
        is_large in any::<bool>(),
        order in prop_oneof![
            Just(ThrowOrder::DepthFirst), Just(ThrowOrder::BreadthFirst), Just(ThrowOrder::Cheapest)
        ],
    ) {
        let graph = Graph { initial: vec![0], edges, findings: Graph::goals(&[goal]), is_undivided: false, ..Graph::default() };
        let throw = Throw {
            shuffle: shuffle.then_some(seed),
            max_depth: 30,
            order,
            ..throw(bits, Places::Hashed { seed })
        };
        let mut pruner = Pruner::new(&graph);
        pruner.treat_as_large(is_large);
        let wanted = Wanted::anything(&[GOAL]);
        let (ended, _) = run_alone(&Board::new(), &mut NoMonitor, |watch| {
            pruner.run(&throw, &wanted, &mut Nobody, watch)
        });
        prop_assert!(pruner.thrown.n_stored <= bits);
        if let Ended::Found(way, _) = ended {
            prop_assert!(way.len() <= 30);
            let trace = trace_of(&graph, &way);
            prop_assert!(replay(&graph, &trace).is_ok());
        }
    }
}

fn options(sizes: Sizes) -> IsrOptions {
    IsrOptions { properties: vec![GOAL], sizes, ..IsrOptions::default() }
}

#[test]
fn the_trace_is_the_same_with_any_number_of_threads() {
    let edges =
        (0..5000_u32).map(|state| vec![(state * 7 + 1) % 5000, (state * 11 + 3) % 5000, state / 2]).collect();
    let graph = Graph {
        initial: vec![0],
        edges,
        findings: Graph::goals(&[4321]),
        is_undivided: true,
        ..Graph::default()
    };
    for sizes in [Sizes::SOURCE, Sizes::RANDOM] {
        let run = |threads| {
            let options = IsrOptions { threads, refine: Refine::GoOn, ..options(sizes) };
            let mut monitor = |progress: &Progress| (progress.states > 300_000).then_some(Stop::Time);
            let first = IsrOptions { refine: Refine::Never, ..options.clone() };
            let outcome = isr(&graph, &first, &mut monitor);
            (outcome.hits[0], outcome.outcome.evidence)
        };
        let alone = run(1);
        assert!(alone.1[0].1.is_some());
        assert_eq!(alone, run(2));
        assert_eq!(alone, run(4));
    }
}

#[test]
fn refinement_gives_shorter_and_shorter_traces() {
    let graph = Graph {
        initial: vec![0],
        edges: (0..300_u32).map(|state| vec![state + 1, (state * 2 + 1).min(300)]).collect(),
        findings: Graph::goals(&[300]),
        is_undivided: false,
        ..Graph::default()
    };
    let last =
        Sizes::Growing { first: 20, small_step: 1, per_magnitude: 8, threshold: 300, factor: 1.5, last: 600 };
    for refine in [Refine::FromStart, Refine::GoOn] {
        let outcome = isr(&graph, &IsrOptions { refine, ..options(last) }, &mut NoMonitor);
        let lengths: Vec<usize> = outcome.hits.iter().map(|hit| hit.length).collect();
        assert!(lengths.len() > 1, "{lengths:?}");
        assert!(lengths.is_sorted_by(|before, after| before > after), "{lengths:?}");
        let trace = outcome.outcome.evidence[0].1.as_ref().unwrap();
        assert_eq!(trace.choices.len(), lengths[lengths.len() - 1]);
        assert!(replay(&graph, trace).is_ok());
    }
}

#[test]
fn nothing_found_is_inconclusive_and_sampled_even_when_all_was_seen() {
    let graph = Graph { findings: vec![], ..Graph::chain(10) };
    let sizes =
        Sizes::Growing { first: 1, small_step: 1, per_magnitude: 1, threshold: 100, factor: 2.0, last: 100 };
    let outcome = isr(&graph, &options(sizes), &mut NoMonitor);
    let verdict = &verdicts(&outcome.outcome, |_| Meaning::Violation)[0];
    assert_eq!((verdict.answer, verdict.trust), (Answer::Inconclusive, Trust::Sampled));
    assert_eq!(outcome.n_throws, 100);
}

#[test]
fn regions_are_told_apart() {
    let outcome = isr(&Growing { goal: 514 }, &options(Sizes::RANDOM), &mut NoMonitor);
    let trace = outcome.outcome.evidence[0].1.as_ref().unwrap();
    assert!(replay(&Growing { goal: 514 }, trace).is_ok());
}

#[test]
fn the_monitor_ends_it_and_all_properties_may_be_asked_for() {
    let graph = Graph { findings: vec![], ..Graph::chain(10) };
    let options = IsrOptions { enough: Enough::All, ..options(Sizes::RANDOM) };
    let mut monitor = |progress: &Progress| (progress.states > 1000).then_some(Stop::Time);
    assert_eq!(isr(&graph, &options, &mut monitor).outcome.stop, Stop::Time);
}

#[test]
fn sizes_grow_by_small_steps_and_then_by_a_factor() {
    let sizes = |number| Sizes::SOURCE.bytes(number);
    assert_eq!([0, 1, 9_999].map(sizes), [Some(1), Some(2), Some(10_000)]);
    assert_eq!([10_000, 10_007, 10_008].map(sizes), [Some(12_000), Some(12_007), Some(14_400)]);
    assert_eq!(sizes(1 << 40), None);
    let random: Vec<_> = [0, 3, 4, 56, 60].map(|number| Sizes::RANDOM.bytes(number)).into();
    assert_eq!(random, [Some(64), Some(64), Some(128), Some(1 << 20), Some(64)]);
}

/// The number of a state: larger ones are nearer.
struct Upwards;

impl Heuristic<NoRegion> for Upwards {
    fn estimate(&self, state: &[u8], _: &NoRegion) -> u32 {
        1000 - Graph::decode(state)
    }

    fn largest(&self) -> u32 {
        1000
    }
}

#[test]
fn a_guided_search_goes_straight_to_the_goal() {
    let edges = (0..1000_u32).map(|state| vec![state / 2, state / 3, state + 1]).collect();
    let graph = Graph {
        initial: vec![0],
        edges,
        findings: Graph::goals(&[1000]),
        is_undivided: true,
        ..Graph::default()
    };
    let sizes = Sizes::AtRandom { first: 4 << 20, factor: 2.0, per_magnitude: 1, last: 4 << 20 };
    let guided = isr_guided(&graph, &options(sizes), Some(&Upwards), &mut NoMonitor);
    assert_eq!((guided.n_throws, guided.hits[0].length), (1, 1000));
    assert_eq!(guided.hits[0].thrown.n_stored, 1001, "nothing beside the way is visited");
}

#[test]
fn breadth_first_with_room_enough_finds_a_nearest_goal_and_cheapest_first_goes_straight() {
    // A grid of 30 by 30: right or up; the goal is the far corner.
    let edges = |state: u32| {
        let (x, y) = (state % 30, state / 30);
        [(x + 1, y), (x, y + 1)]
            .into_iter()
            .filter(|&(x, y)| x < 30 && y < 30)
            .map(|(x, y)| y * 30 + x)
            .collect()
    };
    let graph = Graph {
        initial: vec![0],
        edges: (0..900).map(edges).collect(),
        findings: Graph::goals(&[29 * 30 + 29]),
        is_undivided: false,
        ..Graph::default()
    };
    struct Corner;
    impl Heuristic<NoRegion> for Corner {
        fn estimate(&self, state: &[u8], _: &NoRegion) -> u32 {
            let state = Graph::decode(state);
            58 - state % 30 - state / 30
        }
        fn largest(&self) -> u32 {
            58
        }
    }
    let run = |order, heuristic: Option<&dyn Heuristic<NoRegion>>| {
        let sizes = Sizes::one(1 << 20);
        let options = IsrOptions { properties: vec![GOAL], order, ..options(sizes) };
        let hit = isr_guided(&graph, &options, heuristic, &mut NoMonitor).hits[0];
        (hit.length, hit.thrown.n_stored)
    };
    assert_eq!(run(ThrowOrder::BreadthFirst, None), (58, 900));
    let (length, n_stored) = run(ThrowOrder::Cheapest, Some(&Corner));
    assert!(length == 58 && n_stored < 200, "{length} steps, {n_stored} states");
}

#[test]
fn throws_are_counted_when_the_monitor_stops() {
    let graph = Graph { findings: vec![], ..Graph::chain(10) };
    let mut n_polls = 0;
    let mut monitor = |_: &Progress| {
        n_polls += 1;
        (n_polls >= 20).then_some(Stop::Time)
    };
    let n_throws = isr(&graph, &options(Sizes::RANDOM), &mut monitor).n_throws;
    assert!((5..=20).contains(&n_throws), "{n_throws}");
}
