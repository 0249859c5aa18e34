//! Facts about the portfolio.

use fathom_guide::Heuristic;
use fathom_model::{Answer, NoRegion, PropertyId, Stop, Trace, Trust};
use fathom_search::{Meaning, Monitor, Progress, replay, verdicts};

use crate::{Arm, ArmRow, Enough, Found, HuntOptions, HuntOutcome, Slice, Target, default_arms, hunt};
use fathom_testing::systems::{GOAL, Graph};

fn never(_: &Progress, _: &[ArmRow]) -> Option<Stop> {
    None
}

fn options() -> HuntOptions {
    HuntOptions { properties: vec![GOAL], attempt_states: 0, slice_states: 2000, ..HuntOptions::default() }
}

/// A line with detours: from each place on, back to a third, or to and fro beside it.
fn maze(last: u32) -> Graph {
    let edges = (0..last).map(|state| vec![state + 1, state / 3, state / 2 + 1, state + 1]).collect();
    Graph {
        initial: vec![0],
        edges,
        findings: Graph::goals(&[last]),
        is_undivided: false,
        ..Graph::default()
    }
}

fn run(graph: &Graph, options: &HuntOptions) -> HuntOutcome {
    hunt(graph, options, default_arms(graph, &[], options.seed, 1 << 28), &mut never)
}

#[test]
fn what_is_found_is_shortened_and_replays() {
    let graph = maze(60);
    for threads in [1, 3] {
        let outcome = run(&graph, &HuntOptions { threads, ..options() });
        let trace = outcome.outcome.evidence[0].1.as_ref().unwrap();
        assert!(replay(&graph, trace).is_ok());
        assert_eq!(trace.choices.len(), 60);
        assert!(outcome.found_by[0].is_some());
        assert_eq!(outcome.outcome.stop, Stop::Found);
    }
}

#[test]
fn one_seed_gives_one_run_with_one_thread() {
    let graph = maze(40);
    let once = run(&graph, &HuntOptions { seed: 7, ..options() });
    let again = run(&graph, &HuntOptions { seed: 7, ..options() });
    assert_eq!(once.arms, again.arms);
    assert_eq!(once.outcome.evidence, again.outcome.evidence);
}

#[test]
fn a_rest_that_is_counted_ends_a_hunt_without_a_clock() {
    // An arm that never ends by itself, after those that find something.
    struct Endless;
    impl Arm for Endless {
        fn name(&self) -> &str {
            "endless"
        }
        fn work(&mut self, _: &[Target], _: u64, monitor: &mut dyn Monitor) -> Slice {
            let mut states = 0;
            let progress = |states| Progress { states, transitions: 0, depth: 0, pending: 0, bytes: 0 };
            while monitor.poll(&progress(states)).is_none() {
                states += 100;
            }
            Slice { states, ..Slice::default() }
        }
    }
    let graph = maze(60);
    let run = |slices, enough| {
        let options = HuntOptions {
            rest: crate::Rest::Counted { slices },
            enough,
            patience: 1000,
            seed: 7,
            ..options()
        };
        let mut arms = default_arms(&graph, &[], 7, 1 << 28);
        // Without the complete search, which would know that nothing is shorter.
        arms.pop();
        arms.push(Box::new(Endless));
        let mut impatient = |progress: &Progress, _: &[ArmRow]| {
            assert!(progress.states < 1_000_000, "the rest is over");
            None
        };
        hunt(&graph, &options, arms, &mut impatient)
    };
    let once = run(3, Enough::Any);
    assert_eq!((once.outcome.stop, once.outcome.evidence[0].1.is_some()), (Stop::Found, true));
    let again = run(3, Enough::Any);
    assert_eq!((&once.arms, &once.outcome.evidence), (&again.arms, &again.outcome.evidence));
    let endless = |outcome: &HuntOutcome| {
        outcome.arms.iter().find(|row| row.name == "endless").map_or(0, |row| row.states)
    };
    assert!(endless(&run(30, Enough::All)) > endless(&once), "the rest is as long as asked for");
}

#[test]
fn small_systems_are_answered_for_good() {
    let graph = Graph { findings: vec![], ..maze(40) };
    let outcome = run(&graph, &HuntOptions { attempt_states: 1000, ..options() });
    let verdict = &verdicts(&outcome.outcome, |_| Meaning::Violation)[0];
    assert_eq!((verdict.answer, verdict.trust), (Answer::Holds, Trust::Complete));
    let found = run(&maze(40), &HuntOptions { attempt_states: 1000, ..options() });
    assert_eq!(found.outcome.evidence[0].1.as_ref().unwrap().choices.len(), 40);
    assert_eq!(found.found_by, [None]);
}

#[test]
fn large_systems_without_evidence_stay_open() {
    let graph = Graph { findings: vec![], ..maze(40_000) };
    let limited = HuntOptions { attempt_states: 100, max_states: Some(30_000), ..options() };
    let outcome = run(&graph, &limited);
    let verdict = &verdicts(&outcome.outcome, |_| Meaning::Violation)[0];
    assert_eq!(
        (verdict.answer, verdict.trust, verdict.stop),
        (Answer::Inconclusive, Trust::Sampled, Stop::States)
    );
    assert!(outcome.arms.iter().all(|row| row.n_slices > 0), "every arm has its turn: {:?}", outcome.arms);
}

#[test]
fn the_monitor_sees_the_arms_and_ends_the_hunt() {
    let graph = Graph { findings: vec![], ..maze(40_000) };
    for threads in [1, 2] {
        let mut names = Vec::new();
        let mut monitor = |progress: &Progress, rows: &[ArmRow]| {
            names = rows.iter().map(|row| row.name.clone()).collect();
            (progress.states > 5000).then_some(Stop::Time)
        };
        let options = HuntOptions { threads, ..options() };
        let outcome = hunt(&graph, &options, default_arms(&graph, &[], 1, 1 << 28), &mut monitor);
        assert_eq!(outcome.outcome.stop, Stop::Time);
        assert_eq!(names.len(), outcome.arms.len());
    }
}

/// An arm that finds the trace in its third slice, and a shorter one in the fourth.
struct Scripted {
    n_slices: u64,
}

impl Arm for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn work(&mut self, targets: &[Target], n_states: u64, _: &mut dyn Monitor) -> Slice {
        self.n_slices += 1;
        assert_eq!(targets[0].most_steps.is_some(), self.n_slices > 3, "the best trace is shared");
        let trace = |length: usize| Trace {
            initial: 0,
            choices: vec![0; length],
            evidence: fathom_model::Evidence::Finding { property: GOAL, fault: None },
            loop_at: None,
        };
        let found = match self.n_slices {
            3 => Some((GOAL, Found::from(&trace(9)))),
            4 => Some((GOAL, Found::from(&trace(8)))),
            _ => None,
        };
        Slice { found, states: n_states, ..Slice::default() }
    }
}

#[test]
fn arms_of_others_take_part_and_the_best_trace_is_shared() {
    let graph = Graph { findings: vec![], ..Graph::chain(20) };
    let options = HuntOptions { patience: 3, ..options() };
    let outcome = hunt(&graph, &options, vec![Box::new(Scripted { n_slices: 0 })], &mut never);
    // The trace is made up and does not replay, so shortening leaves it alone.
    assert_eq!(outcome.outcome.evidence[0].1.as_ref().unwrap().choices.len(), 8);
    assert_eq!((outcome.arms[0].n_slices, outcome.arms[0].best), (7, Some(8)));
}

/// The number of the state as seen from the end.
struct ToTheEnd(u32);

impl Heuristic<NoRegion> for ToTheEnd {
    fn estimate(&self, state: &[u8], _: &NoRegion) -> u32 {
        self.0 - Graph::decode(state)
    }

    fn largest(&self) -> u32 {
        self.0
    }
}

#[test]
fn guided_arms_find_what_the_others_do_not() {
    // One wrong step leads back to the start.
    let edges = (0..300_u32).map(|state| vec![0, state + 1, 0]).collect();
    let graph = Graph {
        initial: vec![0],
        edges,
        findings: Graph::goals(&[300]),
        is_undivided: true,
        ..Graph::default()
    };
    let heuristic = ToTheEnd(300);
    let asked = HuntOptions { properties: vec![GOAL, PropertyId(4)], enough: Enough::Any, ..options() };
    let walks = |heuristics: &[(&str, &dyn Heuristic<NoRegion>)]| {
        let arms = default_arms(&graph, heuristics, 1, 1 << 28).into_iter();
        let is_walk = |name: &str| !name.starts_with("pruned") && !["trail", "complete"].contains(&name);
        let arms = arms.filter(|arm| is_walk(arm.name())).collect();
        hunt(&graph, &HuntOptions { max_states: Some(200_000), ..asked.clone() }, arms, &mut never)
    };
    assert!(walks(&[]).outcome.evidence[0].1.is_none());
    let guided = walks(&[("end", &heuristic)]);
    assert_eq!(guided.outcome.evidence[0].1.as_ref().unwrap().choices.len(), 300);
    assert!(guided.found_by[0].as_ref().unwrap().contains("end"), "{:?}", guided.found_by);
}

#[test]
fn a_complete_search_among_the_arms_ends_the_hunt_with_a_proof_or_a_shortest_trace() {
    let graph = Graph { findings: vec![], ..maze(4000) };
    for threads in [1, 2] {
        let options = HuntOptions { attempt_states: 100, threads, ..options() };
        let outcome = run(&graph, &options);
        let verdict = &verdicts(&outcome.outcome, |_| Meaning::Violation)[0];
        assert_eq!((verdict.answer, verdict.trust), (Answer::Holds, Trust::Complete));
        assert_eq!(outcome.outcome.stop, Stop::Exhausted);
    }
    // Far away for walks, next door for a search in layers: of a hundred steps, one goes on.
    let edges = (0..900_u32).map(|state| [vec![state + 1], vec![0; 99]].concat()).collect();
    let graph = Graph {
        initial: vec![0],
        edges,
        findings: Graph::goals(&[900]),
        is_undivided: true,
        ..Graph::default()
    };
    let arms = default_arms(&graph, &[], 1, 1 << 28).into_iter();
    let arms = arms.filter(|arm| ["walk", "complete"].contains(&arm.name())).collect();
    let outcome = hunt(&graph, &options(), arms, &mut never);
    assert_eq!(outcome.outcome.evidence[0].1.as_ref().unwrap().choices.len(), 900);
    assert_eq!(
        (outcome.is_shortest.as_slice(), outcome.found_by[0].as_deref()),
        (&[true][..], Some("complete"))
    );
}

/// Evidence about one property must not keep complete searches from looking for the other one.
#[test]
fn what_is_not_found_yet_is_looked_for_first_when_everything_is_asked_for() {
    let (open, bounded) = (PropertyId(1), PropertyId(2));
    let target = |property, most_steps| Target { property, most_steps };
    let of = |targets: &[Target]| crate::arm::open_targets(targets);
    assert_eq!(of(&[target(open, None), target(bounded, Some(7))]), (vec![open], None));
    assert_eq!(of(&[target(open, Some(9)), target(bounded, Some(7))]), (vec![open, bounded], Some(9)));
}

#[test]
fn a_trace_is_called_a_shortest_one_when_a_complete_search_finds_nothing_shorter() {
    // There are two ways to the goal; the long one comes first.
    let mut edges: Vec<Vec<u32>> = (1..=60).map(|state| vec![state]).collect();
    edges[0] = vec![1, 30];
    let graph = Graph {
        initial: vec![0],
        edges,
        findings: Graph::goals(&[60]),
        is_undivided: true,
        ..Graph::default()
    };
    let shortest = run(&graph, &HuntOptions { patience: 3, ..options() });
    assert_eq!(shortest.outcome.evidence[0].1.as_ref().unwrap().choices.len(), 31);
    assert_eq!(shortest.is_shortest, [true]);
    // Without room for that, nothing is said about the length.
    let arms = default_arms(&graph, &[], 1, 1 << 28).into_iter().filter(|arm| arm.name() != "complete");
    let unknown = hunt(&graph, &options(), arms.collect(), &mut never);
    assert_eq!(unknown.outcome.evidence[0].1.as_ref().unwrap().choices.len(), 31);
    assert_eq!(unknown.is_shortest, [false]);
}
