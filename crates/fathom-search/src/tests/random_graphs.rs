//! Random graphs against a naive search.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use fathom_model::{Answer, Evidence, PropertyId, Stop, Trust};
use proptest::prelude::*;

use super::{ENGINES, Engine, ORDERS, replayed};
use crate::{Meaning, Options, Order, verdicts};
use fathom_testing::systems::Graph;

/// Distance from the initial states, by state.
fn distances(graph: &Graph) -> BTreeMap<u32, u32> {
    let mut distances = BTreeMap::new();
    let mut queue: VecDeque<(u32, u32)> = graph.initial.iter().map(|&state| (state, 0)).collect();
    while let Some((state, distance)) = queue.pop_front() {
        if let Entry::Vacant(entry) = distances.entry(state) {
            entry.insert(distance);
            queue.extend(graph.edges(state).iter().map(|&next| (next, distance + 1)));
        }
    }
    distances
}

/// Least distance of evidence about a property.
fn nearest(graph: &Graph, distances: &BTreeMap<u32, u32>, property: PropertyId) -> Option<u32> {
    let found = graph.findings.iter().filter(|(_, found, _)| *found == property);
    found.filter_map(|(state, _, _)| distances.get(state).copied()).min()
}

/// States in the order in which a recursive search meets them.
fn preorder(graph: &Graph) -> Vec<u32> {
    fn visit(graph: &Graph, state: u32, order: &mut Vec<u32>) {
        if !order.contains(&state) {
            order.push(state);
            graph.edges(state).iter().for_each(|&next| visit(graph, next, order));
        }
    }
    let mut order = Vec::new();
    graph.initial.iter().for_each(|&state| visit(graph, state, &mut order));
    order
}

/// Graphs with up to 40 states, numbered so that their bytes differ in length, with up to five properties.
pub(super) fn graphs() -> impl Strategy<Value = Graph> {
    let state = || (0..40_u32).prop_map(|number| if number % 3 == 0 { number * 20 } else { number });
    let edges = prop::collection::vec((state(), state()), 0..90);
    let findings = prop::collection::vec((state(), 0..5_u32), 0..8);
    (prop::collection::vec(state(), 0..4), edges, findings).prop_map(|(initial, pairs, findings)| {
        let mut edges = vec![Vec::new(); 800];
        for (from, to) in pairs {
            edges[from as usize].push(to);
        }
        let findings = findings.into_iter().map(|(state, number)| (state, PropertyId(number), None));
        Graph { initial, edges, findings: findings.collect(), ..Graph::default() }
    })
}

/// Options that ask about everything and explore everything.
pub(super) fn everything(graph: &Graph) -> Options {
    Options { properties: graph.properties(), continue_after_all: true, ..Options::default() }
}

proptest! {
    #[test]
    fn counts_and_verdicts_are_those_of_a_naive_search(graph in graphs()) {
        let distances = distances(&graph);
        let n_transitions: usize = distances.keys().map(|&state| graph.edges(state).len()).sum();
        for engine in ORDERS {
            let outcome = engine.run(&graph, &everything(&graph));
            prop_assert_eq!(outcome.stop, Stop::Exhausted);
            prop_assert!(!outcome.depth_cut);
            let statistics = outcome.statistics;
            prop_assert_eq!(statistics.states, distances.len() as u64);
            prop_assert_eq!(statistics.transitions, n_transitions as u64);
            let n_matched = n_transitions + graph.initial.len() - distances.len();
            prop_assert_eq!(statistics.matched, n_matched as u64);
            if engine == Engine::BreadthFirst {
                let farthest = distances.values().copied().max().unwrap_or(0);
                prop_assert_eq!(statistics.max_depth, u64::from(farthest));
            }
            for verdict in verdicts(&outcome, |_| Meaning::Violation) {
                let is_reached = nearest(&graph, &distances, verdict.property).is_some();
                prop_assert_eq!(verdict.answer, if is_reached { Answer::Violated } else { Answer::Holds });
                prop_assert_eq!(verdict.trust, Trust::Complete);
                prop_assert_eq!(verdict.stop, if is_reached { Stop::Found } else { Stop::Exhausted });
            }
        }
    }

    #[test]
    fn every_trace_replays_and_breadth_first_ones_are_shortest(graph in graphs()) {
        let distances = distances(&graph);
        for engine in ORDERS {
            for continue_after_all in [false, true] {
                let outcome = engine.run(&graph, &Options { continue_after_all, ..everything(&graph) });
                for (trace, replay) in replayed(&graph, &outcome) {
                    prop_assert_eq!(replay.visits.len(), trace.choices.len() + 1);
                    let Evidence::Finding { property, .. } = trace.evidence else { panic!("no finding") };
                    let last = Graph::decode(&replay.visits.last().unwrap().state);
                    prop_assert!(graph.findings.contains(&(last, property, None)));
                    for visit in &replay.visits {
                        prop_assert_eq!(&visit.labels, &[Graph::decode(&visit.state)]);
                    }
                    if engine == Engine::BreadthFirst {
                        let nearest = nearest(&graph, &distances, property);
                        prop_assert_eq!(trace.choices.len() as u32, nearest.unwrap());
                    }
                }
            }
        }
    }

    #[test]
    fn a_bounded_search_sees_exactly_what_is_within_the_bound(graph in graphs(), max_depth in 0..7_u32) {
        let distances = distances(&graph);
        let n_within = distances.values().filter(|&&distance| distance <= max_depth).count();
        let is_beyond = n_within < distances.len();
        let options = Options { max_depth: Some(max_depth), ..everything(&graph) };
        for engine in ENGINES {
            let outcome = engine.run(&graph, &options);
            prop_assert_eq!(outcome.statistics.states, n_within as u64);
            prop_assert!(outcome.statistics.max_depth <= u64::from(max_depth));
            prop_assert_eq!(outcome.stop, if outcome.depth_cut { Stop::Depth } else { Stop::Exhausted });
            if engine == Engine::BreadthFirst {
                prop_assert_eq!(outcome.depth_cut, is_beyond);
            } else {
                // Depth-first may be cut off on a long way to what it sees later on a short one.
                prop_assert!(outcome.depth_cut || !is_beyond);
            }
            for verdict in verdicts(&outcome, |_| Meaning::Violation) {
                let nearest = nearest(&graph, &distances, verdict.property);
                let is_found = nearest.is_some_and(|nearest| nearest <= max_depth);
                prop_assert_eq!(verdict.answer == Answer::Violated, is_found);
                if !is_found {
                    let expected = if outcome.depth_cut { Answer::Inconclusive } else { Answer::Holds };
                    prop_assert_eq!(verdict.answer, expected);
                    prop_assert_eq!(verdict.stop, outcome.stop);
                }
            }
            for (trace, _) in replayed(&graph, &outcome) {
                prop_assert!(trace.choices.len() <= max_depth as usize);
            }
        }
    }

    #[test]
    fn the_order_of_expansion_is_breadth_first_or_truly_depth_first(graph in graphs()) {
        let graph = Graph { findings: Vec::new(), log: Some(Arc::default()), ..graph };
        Engine::BreadthFirst.run(&graph, &Options::default());
        let order = graph.take_log();
        let distances = distances(&graph);
        prop_assert!(order.is_sorted_by_key(|state| distances[state]));
        Engine::DepthFirst(Order::AsGiven).run(&graph, &Options::default());
        let order = graph.take_log();
        prop_assert_eq!(order, preorder(&graph));
    }

    #[test]
    fn a_limit_on_states_is_exact(graph in graphs(), max_states in 0..45_u64) {
        let n_states = distances(&graph).len() as u64;
        for engine in ENGINES {
            let options = Options { max_states: Some(max_states), ..everything(&graph) };
            let outcome = engine.run(&graph, &options);
            prop_assert_eq!(outcome.statistics.states, n_states.min(max_states));
            let expected = if max_states < n_states { Stop::States } else { Stop::Exhausted };
            prop_assert_eq!(outcome.stop, expected);
            for (trace, _) in replayed(&graph, &outcome) {
                prop_assert!((trace.choices.len() as u64) < max_states);
            }
        }
    }

    #[test]
    fn a_random_order_is_the_same_for_the_same_seed(graph in graphs(), seed in any::<u64>()) {
        let graph = Graph { log: Some(Arc::default()), ..graph };
        let engine = Engine::DepthFirst(Order::Random { seed });
        let first = engine.run(&graph, &everything(&graph));
        let first_order = graph.take_log();
        let second = engine.run(&graph, &everything(&graph));
        let second_order = graph.take_log();
        prop_assert_eq!(first_order, second_order);
        prop_assert_eq!(first.evidence, second.evidence);
        prop_assert_eq!(first.statistics, second.statistics);
    }
}

#[test]
fn different_seeds_give_different_orders() {
    let graph = Graph { initial: (0..20).collect(), log: Some(Arc::default()), ..Graph::default() };
    let orders: BTreeSet<Vec<u32>> = (0..20)
        .map(|seed| {
            Engine::DepthFirst(Order::Random { seed }).run(&graph, &Options::default());
            graph.take_log()
        })
        .collect();
    assert_eq!(orders.len(), 20);
}

#[test]
fn a_state_cut_off_at_the_bound_is_explored_again_when_it_comes_back_nearer() {
    // Depth-first goes 0 1 2 3 first and is cut off there; the error 4 is two steps from 0 through 3.
    let edges = vec![vec![1, 3], vec![2], vec![3], vec![4]];
    let graph = Graph {
        initial: vec![0],
        edges,
        findings: vec![(4, PropertyId(0), None)],
        log: Some(Arc::default()),
        ..Graph::default()
    };
    let options = Options { max_depth: Some(3), ..everything(&graph) };
    let outcome = Engine::DepthFirst(Order::AsGiven).run(&graph, &options);
    assert_eq!(graph.take_log(), [0, 1, 2, 3, 3, 4]);
    let trace = outcome.evidence[0].1.as_ref().expect("the error is within the bound");
    assert_eq!(trace.choices, [1, 0]);
    assert_eq!(outcome.statistics.states, 5);
    assert!(outcome.depth_cut);
}
