//! When evidence ends a search, and what replay accepts.

use fathom_model::{Evidence, Fault, PropertyId, Stop, Trace};

use super::{ENGINES, Engine, replayed};
use crate::{Options, Patience, ReplayError, replay};
use fathom_testing::systems::Graph;

const FIRST: PropertyId = PropertyId(0);
const SECOND: PropertyId = PropertyId(1);

/// A chain of 1000 states with evidence about the first property at 10 and the second at 500.
fn chain() -> Graph {
    Graph { findings: vec![(10, FIRST, None), (11, FIRST, None), (500, SECOND, None)], ..Graph::chain(999) }
}

fn check(options: &Options, expected: (Stop, u64), expected_lengths: &[Option<usize>]) {
    for engine in ENGINES {
        let outcome = engine.run(&chain(), options);
        let lengths: Vec<Option<usize>> = outcome
            .evidence
            .iter()
            .map(|(_, trace)| trace.as_ref().map(|trace| trace.choices.len()))
            .collect();
        assert_eq!(lengths, expected_lengths, "{engine:?}");
        assert_eq!(outcome.stop, expected.0, "{engine:?}");
        // Breadth-first has stored what comes next by the time it looks at a state.
        assert!(
            outcome.statistics.states.abs_diff(expected.1) <= 1,
            "{engine:?}: {}",
            outcome.statistics.states
        );
    }
}

#[test]
fn the_search_ends_when_all_properties_asked_have_evidence() {
    let ask = |properties: &[PropertyId]| Options { properties: properties.to_vec(), ..Options::default() };
    check(&ask(&[FIRST]), (Stop::Found, 11), &[Some(10)]);
    check(&ask(&[SECOND, FIRST]), (Stop::Found, 501), &[Some(500), Some(10)]);
    check(&ask(&[PropertyId(7)]), (Stop::Exhausted, 1000), &[None]);
    check(&ask(&[]), (Stop::Exhausted, 1000), &[]);
}

#[test]
fn the_search_goes_on_to_the_end_when_asked_to() {
    let options = Options { properties: vec![FIRST], continue_after_all: true, ..Options::default() };
    check(&options, (Stop::Exhausted, 1000), &[Some(10)]);
    let patience = Patience { states: 1, factor: 1 };
    let options = Options { properties: vec![FIRST, SECOND], continue_after_all: true, patience, ..options };
    check(&options, (Stop::Exhausted, 1000), &[Some(10), Some(500)]);
}

#[test]
fn after_the_first_evidence_patience_is_limited() {
    let options = |states, factor| Options {
        properties: vec![FIRST, SECOND],
        patience: Patience { states, factor },
        ..Options::default()
    };
    check(&options(200, 4), (Stop::Found, 200), &[Some(10), None]);
    // Eleven states at the first finding.
    check(&options(20, 30), (Stop::Found, 330), &[Some(10), None]);
    check(&options(0, 0), (Stop::Found, 11), &[Some(10), None]);
    check(&options(600, 0), (Stop::Found, 501), &[Some(10), Some(500)]);
    check(
        &Options { patience: Patience::default(), ..options(0, 0) },
        (Stop::Found, 501),
        &[Some(10), Some(500)],
    );
}

#[test]
fn patience_is_a_million_states_or_four_times_those_so_far() {
    assert_eq!(Patience::default().limit(10), 1_000_000);
    assert_eq!(Patience::default().limit(300_000), 1_200_000);
    assert_eq!(Patience::default().limit(u64::MAX), u64::MAX);
}

#[test]
fn a_finding_before_the_first_step_has_a_trace_without_states() {
    for initial in [vec![], vec![3]] {
        let graph = Graph { initial, initial_findings: vec![SECOND], ..Graph::default() };
        for engine in ENGINES {
            let outcome = engine.run(&graph, &Options { properties: vec![SECOND], ..Options::default() });
            assert_eq!(outcome.stop, Stop::Found);
            let (_, replay) = replayed(&graph, &outcome).next().expect("there is evidence");
            assert!(replay.visits.is_empty());
            assert_eq!(replay.finding_labels, [77]);
        }
    }
}

fn trace(initial: u32, choices: &[u32], evidence: Evidence) -> Trace {
    Trace { initial, choices: choices.to_vec(), evidence, loop_at: None }
}

#[test]
fn replay_refuses_a_trace_that_does_not_show_what_it_claims() {
    let graph = Graph::chain(2);
    let finding = |property, fault| Evidence::Finding { property, fault };
    let good = trace(0, &[0, 0], finding(FIRST, Some(Fault::Assertion)));
    let check = |trace: &Trace, expected| assert_eq!(replay(&graph, trace).unwrap_err(), expected);
    assert_eq!(replay(&graph, &good).expect("a good trace").visits.len(), 3);
    check(&Trace { initial: 1, ..good.clone() }, ReplayError::NoSuchInitial { index: 1, n_initial: 1 });
    let step = ReplayError::NoSuchStep { after: 1, index: 4, n_steps: 1 };
    check(&Trace { choices: vec![0, 4], ..good.clone() }, step);
    let none = |property, fault| ReplayError::NoEvidence { property, fault };
    check(&Trace { choices: vec![0], ..good.clone() }, none(FIRST, Some(Fault::Assertion)));
    check(&Trace { evidence: finding(SECOND, None), ..good.clone() }, none(SECOND, None));
    let fault = Some(Fault::DivisionByZero);
    check(&Trace { evidence: finding(FIRST, fault.clone()), ..good }, none(FIRST, fault));
}

#[test]
fn replay_checks_that_a_loop_is_closed() {
    let graph = Graph { initial: vec![0], edges: vec![vec![1], vec![2], vec![1]], ..Graph::default() };
    let lasso = |n_steps, loop_at| {
        let trace = trace(0, &vec![0; n_steps], Evidence::State);
        replay(&graph, &Trace { loop_at: Some(loop_at), ..trace })
    };
    assert_eq!(lasso(3, 1).expect("1 2 1 is a loop").visits.len(), 4);
    for (n_steps, loop_at) in [(3, 0), (2, 1), (1, 1), (0, 0), (3, 9)] {
        assert_eq!(lasso(n_steps, loop_at), Err(ReplayError::OpenLoop { loop_at }));
    }
}

#[test]
fn a_chain_of_a_million_states_needs_no_deep_stack() {
    let last = 1_000_000;
    let graph = Graph::chain(last);
    for engine in [Engine::BreadthFirst, ENGINES[1]] {
        let outcome = engine.run(&graph, &Options { properties: vec![FIRST], ..Options::default() });
        assert_eq!(outcome.statistics.states, u64::from(last) + 1);
        assert_eq!(outcome.statistics.max_depth, u64::from(last));
        let (trace, replay) = replayed(&graph, &outcome).next().expect("there is evidence");
        assert_eq!(trace.choices.len(), last as usize);
        assert_eq!(Graph::decode(&replay.visits.last().expect("a state").state), last);
    }
}
