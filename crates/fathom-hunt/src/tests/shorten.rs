//! Facts about shortening.

use fathom_model::{Evidence, Fault, NoRegion, PropertyId, Stop, Trace};
use fathom_search::{NoMonitor, Options, Progress, breadth_first, replay};
use proptest::prelude::*;

use crate::{
    Acceptance, Around, Hooks, IsrOptions, Repeats, ShortenOptions, Sizes, WalkOptions, distinguish, isr,
    shorten, shorten_lasso, walk,
};
use fathom_testing::systems::{GOAL, Graph, Growing, Philosophers};

fn goal() -> Evidence {
    Evidence::Finding { property: GOAL, fault: Some(Fault::Assertion) }
}

proptest! {
    #[test]
    fn windows_over_a_small_graph_give_a_shortest_trace(
        edges in proptest::collection::vec(proptest::collection::vec(0_u32..40, 1..4), 40),
        goal in 1_u32..40,
        is_undivided in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let graph = Graph { initial: vec![0], edges, findings: Graph::goals(&[goal]), is_undivided, ..Graph::default() };
        let walks = WalkOptions { properties: vec![GOAL], n_walks: 20, max_depth: Some(300), seed, ..WalkOptions::default() };
        let outcome = walk(&graph, &walks, Hooks::none(), &mut NoMonitor);
        if let Some(long) = &outcome.outcome.evidence[0].1 {
            let short = shorten(&graph, long, &ShortenOptions::default(), &mut NoMonitor).unwrap();
            prop_assert!(replay(&graph, &short).is_ok());
            let options = Options { properties: vec![GOAL], ..Options::default() };
            let best = breadth_first(&graph, &options, &mut NoMonitor).evidence[0].1.clone().unwrap();
            prop_assert_eq!(short.choices.len(), best.choices.len());
        }
    }

    #[test]
    fn without_windows_the_trace_still_replays_and_is_no_longer(
        edges in proptest::collection::vec(proptest::collection::vec(0_u32..40, 1..4), 40),
        goal in 1_u32..40,
        n_throws in 0_u64..3,
        seed in any::<u64>(),
    ) {
        let graph = Graph { initial: vec![0], edges, findings: Graph::goals(&[goal]), is_undivided: false, ..Graph::default() };
        let walks = WalkOptions { properties: vec![GOAL], n_walks: 20, max_depth: Some(300), seed, ..WalkOptions::default() };
        let outcome = walk(&graph, &walks, Hooks::none(), &mut NoMonitor);
        if let Some(long) = &outcome.outcome.evidence[0].1 {
            let options = ShortenOptions { window_states: 0, n_throws, ..ShortenOptions::default() };
            let short = shorten(&graph, long, &options, &mut NoMonitor).unwrap();
            let replayed = replay(&graph, &short).unwrap();
            prop_assert!(short.choices.len() <= long.choices.len());
            let states: std::collections::BTreeSet<_> =
                replayed.visits.iter().map(|visit| visit.state.clone()).collect();
            prop_assert_eq!(states.len(), replayed.visits.len(), "no loops are left");
        }
    }
}

#[test]
fn a_trace_of_something_else_is_refused() {
    let graph = Graph::chain(5);
    let trace = Trace { initial: 0, choices: vec![0, 0, 1], evidence: goal(), loop_at: None };
    assert!(shorten(&graph, &trace, &ShortenOptions::default(), &mut NoMonitor).is_err());
    let early = Trace { initial: 0, choices: vec![0, 0], evidence: goal(), loop_at: None };
    assert!(shorten(&graph, &early, &ShortenOptions::default(), &mut NoMonitor).is_err());
    let nowhere = Trace { initial: 3, choices: vec![], evidence: goal(), loop_at: None };
    assert!(shorten(&graph, &nowhere, &ShortenOptions::default(), &mut NoMonitor).is_err());
}

#[test]
fn a_lasso_stays_as_it_is() {
    let graph = Graph { initial: vec![0], edges: vec![vec![1], vec![0]], ..Graph::default() };
    let lasso = Trace { initial: 0, choices: vec![0, 0, 0, 0], evidence: Evidence::State, loop_at: Some(0) };
    assert_eq!(shorten(&graph, &lasso, &ShortenOptions::default(), &mut NoMonitor), Ok(lasso));
}

#[test]
fn what_was_gained_stays_when_the_monitor_stops() {
    let edges = (0..400_u32).map(|state| vec![state + 1, (state + 3).min(400)]).collect();
    let graph = Graph {
        initial: vec![0],
        edges,
        findings: Graph::goals(&[400]),
        is_undivided: true,
        ..Graph::default()
    };
    let trace = Trace { initial: 0, choices: vec![0; 400], evidence: goal(), loop_at: None };
    let mut n_polls = 0;
    let mut monitor = |_: &Progress| {
        n_polls += 1;
        (n_polls > 3).then_some(Stop::Time)
    };
    let short = shorten(&graph, &trace, &ShortenOptions::default(), &mut monitor).unwrap();
    assert!(short.choices.len() < 400 && short.choices.len() > 134, "{}", short.choices.len());
    assert!(replay(&graph, &short).is_ok());
}

#[test]
fn detours_of_processes_are_left_out() {
    // Without windows and pruned searches; the shortest deadlock of three philosophers has three steps.
    let walks = WalkOptions { properties: vec![GOAL], seed: 4, ..WalkOptions::default() };
    let outcome = walk(&Philosophers, &walks, Hooks::none(), &mut NoMonitor);
    let long = outcome.outcome.evidence[0].1.as_ref().unwrap();
    let short = shorten(&Philosophers, long, &ShortenOptions::default(), &mut NoMonitor).unwrap();
    assert_eq!(short.choices.len(), 3);
}

#[test]
fn traces_with_regions_are_shortened() {
    let growing = Growing { goal: 514 };
    let trails = WalkOptions {
        properties: vec![GOAL],
        repeats: Repeats::Avoid,
        n_walks: 100_000,
        ..WalkOptions::default()
    };
    let outcome = walk(&growing, &trails, Hooks::none(), &mut NoMonitor);
    let long = outcome.outcome.evidence[0].1.as_ref().unwrap();
    let short = shorten(&growing, long, &ShortenOptions::default(), &mut NoMonitor).unwrap();
    let options = Options { properties: vec![GOAL], ..Options::default() };
    let best = breadth_first(&growing, &options, &mut NoMonitor).evidence[0].1.clone().unwrap();
    assert_eq!(short.choices.len(), best.choices.len());
}

#[test]
fn the_classes_of_a_search_are_the_states_that_met_on_a_bit() {
    let sizes =
        Sizes::Growing { first: 1, small_step: 1, per_magnitude: 1, threshold: 10, factor: 2.0, last: 10 };
    let options = IsrOptions { properties: vec![GOAL], sizes, ..IsrOptions::default() };
    let outcome = isr(&Philosophers, &options, &mut NoMonitor);
    let hit = &outcome.hits[0];
    let report = distinguish(&Philosophers, hit, None);
    assert!(report.classes.len() as u64 <= hit.throw.bits);
    assert!(report.classes.len() as u64 >= hit.thrown.n_stored);
    let mut members: Vec<usize> = report.classes.concat();
    members.sort_unstable();
    assert_eq!(members, (0..report.states.len()).collect::<Vec<_>>(), "every state is in one class");
    let byte = |byte: usize| -> Vec<u8> { report.states.iter().map(|state| state[byte]).collect() };
    let (low, high) = (report.role(&byte(0)), report.role(&byte(1)));
    assert!((0.0..=1.0).contains(&low.differs_inside) && low.n_values > high.n_values);
    // The place in the table is what the partition depends on and nothing else.
    let mut place = vec![0; report.states.len()];
    for (number, class) in report.classes.iter().enumerate() {
        class.iter().for_each(|&state| place[state] = number);
    }
    assert!(report.role(&place).is_always_told());
    assert_eq!(report.role(&place).differs_inside, 0.0);
}

/// Accepts every multiple of a number.
struct Multiples(u32);

impl Acceptance<NoRegion> for Multiples {
    fn is_accepting(&self, state: &[u8], _: &NoRegion) -> bool {
        Graph::decode(state).is_multiple_of(self.0)
    }
}

fn shorter_lasso(graph: &Graph, long: &Trace, accepts: &Multiples) -> Trace {
    shorten_lasso(graph, long, accepts, Around::Shorter, &mut NoMonitor).expect("a trace of the graph")
}

/// The states of a trace in a graph, the first one included.
fn states(graph: &Graph, trace: &Trace) -> Vec<u32> {
    let mut states = vec![graph.initial[trace.initial as usize]];
    for &choice in &trace.choices {
        states.push(graph.edges(states[states.len() - 1])[choice as usize]);
    }
    states
}

#[test]
fn a_lasso_gets_a_shorter_loop_and_a_shorter_way_to_it() {
    // A long way (1 to 9) to a ring (10 to 29) with a chord from 15 to 11, and a short cut from 1 to 11.
    let mut edges: Vec<Vec<u32>> = (0..30).map(|state| vec![state + 1]).collect();
    edges[29] = vec![10];
    edges[15].push(11);
    edges[1].push(11);
    let graph = Graph { initial: vec![0], edges, is_undivided: true, ..Graph::default() };
    let long = Trace { initial: 0, choices: vec![0; 30], evidence: Evidence::State, loop_at: Some(10) };
    assert!(replay(&graph, &long).is_ok());
    let through_the_chord = shorter_lasso(&graph, &long, &Multiples(12));
    assert_eq!(states(&graph, &through_the_chord), [0, 1, 11, 12, 13, 14, 15, 11]);
    assert_eq!(through_the_chord.loop_at, Some(2));
    // Where only 20 is accepting, the loop must stay long.
    let round = shorter_lasso(&graph, &long, &Multiples(20));
    assert_eq!((round.choices.len(), round.loop_at), (22, Some(2)));
}

proptest! {
    #[test]
    fn shortened_lassos_come_back_by_way_of_an_accepting_state(
        edges in proptest::collection::vec(proptest::collection::vec(0_u32..30, 1..4), 30),
        nth in 2_u32..7,
        seed in any::<u64>(),
    ) {
        let graph = Graph { initial: vec![0], edges, is_undivided: true, ..Graph::default() };
        let (lasso, accepts) = (PropertyId(9), Multiples(nth));
        let hooks = Hooks { guide: None, lasso: Some((lasso, &accepts as &dyn Acceptance<NoRegion>)) };
        let options = WalkOptions { properties: vec![lasso], n_walks: 10, max_depth: Some(200), seed, ..WalkOptions::default() };
        if let Some(long) = &walk(&graph, &options, hooks, &mut NoMonitor).outcome.evidence[0].1 {
            let short = shorter_lasso(&graph, long, &accepts);
            prop_assert!(replay(&graph, &short).is_ok());
            prop_assert!(short.choices.len() <= long.choices.len());
            let states = states(&graph, &short);
            let around = &states[short.loop_at.expect("a lasso")..];
            prop_assert_eq!(around.first(), around.last());
            prop_assert!(around.len() > 1 && around.iter().any(|state| state.is_multiple_of(nth)));
            // Where the loop is to stay, only the way to it becomes shorter, and it may be entered elsewhere.
            let same = shorten_lasso(&graph, long, &accepts, Around::Same, &mut NoMonitor).expect("a trace");
            prop_assert!(replay(&graph, &same).is_ok() && same.choices.len() <= long.choices.len());
            let sorted = |trace: &Trace| {
                let mut around = self::states(&graph, trace).split_off(trace.loop_at.expect("a lasso"));
                around.pop();
                around.sort_unstable();
                around
            };
            prop_assert_eq!(sorted(&same), sorted(long));
        }
    }
}
