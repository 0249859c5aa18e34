//! Facts about walks and trails.

use std::collections::BTreeMap;

use fathom_guide::{Heuristic, Reversed};
use fathom_model::{Answer, NoRegion, PropertyId, Stop, Trust};
use fathom_search::{Meaning, NoMonitor, replay, verdicts};
use proptest::prelude::*;

use crate::{
    Acceptance, Bias, Children, Enough, Guide, Hooks, Repeats, Share, StartAt, WalkOptions, WalkOutcome, walk,
};
use fathom_testing::systems::{GOAL, Graph, Growing, Philosophers};

fn options() -> WalkOptions {
    WalkOptions { properties: vec![GOAL], ..WalkOptions::default() }
}

fn run(graph: &Graph, options: &WalkOptions) -> WalkOutcome {
    walk(graph, options, Hooks::none(), &mut NoMonitor)
}

fn trace_length(outcome: &WalkOutcome) -> Option<usize> {
    outcome.outcome.evidence[0].1.as_ref().map(|trace| trace.choices.len())
}

proptest! {
    #[test]
    fn what_is_found_replays_whatever_the_options_and_threads(
        edges in proptest::collection::vec(proptest::collection::vec(0_u32..30, 0..4), 30),
        goal in 1_u32..30,
        is_undivided in any::<bool>(),
        children in prop_oneof![Just(Children::TryOne), Just(Children::All)],
        repeats in prop_oneof![Just(Repeats::Allow), Just(Repeats::End), Just(Repeats::Avoid)],
        restarts in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let graph = Graph { initial: vec![0, 1], edges, findings: Graph::goals(&[goal]), is_undivided, ..Graph::default() };
        let start = match restarts {
            true => StartAt::PreviousWalk { probability: 0.7, chain: 4 },
            false => StartAt::Initial,
        };
        let options = WalkOptions {
            n_walks: 60, max_depth: Some(50), children, repeats, start, seed, ..options()
        };
        let outcome = run(&graph, &options);
        if let Some(trace) = &outcome.outcome.evidence[0].1 {
            let replayed = replay(&graph, trace);
            prop_assert!(replayed.is_ok());
            if repeats == Repeats::Avoid {
                let states: std::collections::BTreeSet<_> =
                    replayed.unwrap().visits.into_iter().map(|visit| visit.state).collect();
                prop_assert_eq!(states.len(), trace.choices.len() + 1, "a trail never comes back");
            }
        }
        let threads = run(&graph, &WalkOptions { threads: 3, ..options });
        prop_assert_eq!(outcome.outcome.evidence, threads.outcome.evidence);
        prop_assert_eq!(outcome.found_by, threads.found_by);
    }

    /// Probabilities of maximal trails, added up by hand, against the share of walks that find the goal.
    #[test]
    fn maximal_trails_reach_a_state_as_often_as_their_probabilities_say(
        edges in proptest::collection::vec(proptest::collection::vec(0_u32..6, 0..4), 6),
        goal in 1_u32..6,
        seed in any::<u64>(),
    ) {
        let mut edges = edges;
        for row in &mut edges {
            row.sort();
            row.dedup();
        }
        let graph = Graph { initial: vec![0], edges, findings: Graph::goals(&[goal]), is_undivided: true, ..Graph::default() };
        let (found, missed) = trail_probability(&graph, &mut vec![0], 1.0);
        prop_assert!((found + missed - 1.0).abs() < 1e-9, "all maximal trails together are certain");
        let trails = WalkOptions {
            n_walks: 1, max_depth: None, children: Children::All, repeats: Repeats::Avoid, ..options()
        };
        let hits = (0..400)
            .filter(|&number| {
                let options = WalkOptions { seed: seed.wrapping_add(number), ..trails.clone() };
                trace_length(&run(&graph, &options)).is_some()
            })
            .count() as f64;
        let deviation = (400.0 * found * missed).sqrt();
        prop_assert!((hits - 400.0 * found).abs() <= 5.0 * deviation + 1e-9, "{hits} {found}");
    }
}

/// The probabilities that a trail that has come so far meets a goal, and that it ends without.
fn trail_probability(graph: &Graph, trail: &mut Vec<u32>, probability: f64) -> (f64, f64) {
    let last = trail[trail.len() - 1];
    if graph.is_goal(last) {
        return (probability, 0.0);
    }
    let next: Vec<u32> = graph.edges(last).iter().copied().filter(|state| !trail.contains(state)).collect();
    if next.is_empty() {
        return (0.0, probability);
    }
    let mut total = (0.0, 0.0);
    for &state in &next {
        trail.push(state);
        let (found, missed) = trail_probability(graph, trail, probability / next.len() as f64);
        trail.pop();
        total = (total.0 + found, total.1 + missed);
    }
    total
}

#[test]
fn a_goal_where_the_walk_ends_is_found() {
    let outcome = run(&Graph::chain(50), &WalkOptions { n_walks: 1, max_depth: Some(50), ..options() });
    assert_eq!(trace_length(&outcome), Some(50));
    let short = run(&Graph::chain(50), &WalkOptions { n_walks: 3, max_depth: Some(49), ..options() });
    assert_eq!(trace_length(&short), None);
    assert_eq!(short.outcome.stop, Stop::Depth);
    let claim = short.claim;
    assert_eq!((claim.n_walks, claim.n_draws, claim.n_cut), (3, 3, 3), "a claim about walks of this length");
}

#[test]
fn nothing_found_is_inconclusive_with_a_claim() {
    let graph = Graph { findings: vec![], ..Graph::chain(5) };
    let outcome = run(&graph, &WalkOptions { n_walks: 100, delta: 0.01, ..options() });
    let verdict = &verdicts(&outcome.outcome, |_| Meaning::Violation)[0];
    assert_eq!((verdict.answer, verdict.trust), (Answer::Inconclusive, Trust::Sampled));
    assert_eq!((outcome.claim.n_draws, outcome.claim.n_cut), (100, 0));
    assert!((outcome.claim.epsilon - (1.0 - 0.01_f64.powf(0.01))).abs() < 1e-12);
}

#[test]
fn whether_a_walk_is_a_draw_does_not_depend_on_how_it_ends() {
    // Half of the walks end at once; the other half is long, would find something, and is cut.
    let edges = vec![vec![1, 2], vec![], vec![3], vec![4], vec![5], vec![]];
    let graph =
        Graph { initial: vec![0], edges, findings: vec![(5, PropertyId(0), None)], ..Graph::default() };
    let outcome = run(&graph, &WalkOptions { n_walks: 40, max_depth: Some(3), ..options() });
    assert_eq!(trace_length(&outcome), None);
    let claim = outcome.claim;
    assert_eq!(claim.n_draws, 40);
    assert!((10..30).contains(&claim.n_cut), "{}", claim.n_cut);
    assert_eq!(claim.max_depth, Some(3), "the claim is about walks of this length");
}

#[test]
fn a_walk_that_goes_on_from_another_one_is_no_draw() {
    let graph = Graph { findings: vec![], ..Graph::chain(20) };
    let start = StartAt::PreviousWalk { probability: 1.0, chain: 10 };
    let outcome = run(&graph, &WalkOptions { n_walks: 100, start, ..options() });
    assert_eq!(outcome.claim.n_walks, 100);
    assert!((10..40).contains(&outcome.claim.n_draws), "{}", outcome.claim.n_draws);
}

#[test]
fn walks_end_at_the_first_loop_when_asked() {
    let ring = Graph {
        initial: vec![0],
        edges: (0..10).map(|state| vec![(state + 1) % 10]).collect(),
        findings: vec![],
        is_undivided: false,
        ..Graph::default()
    };
    let outcome = run(&ring, &WalkOptions { n_walks: 5, repeats: Repeats::End, ..options() });
    assert_eq!((outcome.outcome.statistics.states, outcome.claim.n_draws), (50, 5));
    let trails = run(&ring, &WalkOptions { n_walks: 5, repeats: Repeats::Avoid, ..options() });
    assert_eq!((trails.outcome.statistics.states, trails.claim.n_draws), (45, 5));
}

#[test]
fn all_children_are_uniform_over_steps_and_one_child_over_portions() {
    // Portion 0 is empty; three steps lead to 1, one to 2: by steps 3 to 1, by portions as well; undivided systems
    // have one portion.
    let graph = Graph {
        initial: vec![0],
        edges: vec![vec![1, 1, 1, 2]],
        findings: Graph::goals(&[2]),
        is_undivided: false,
        ..Graph::default()
    };
    for children in [Children::All, Children::TryOne] {
        let hits = (0..2000)
            .filter(|&seed| {
                let options = WalkOptions { n_walks: 1, seed, children, ..options() };
                trace_length(&run(&graph, &options)).is_some()
            })
            .count();
        assert!((420..580).contains(&hits), "{children:?}: {hits}");
    }
}

/// Counts of ones in a state: far from zero is near the goal of a chain.
struct Distance {
    goal: u32,
}

impl Heuristic<NoRegion> for Distance {
    fn estimate(&self, state: &[u8], _: &NoRegion) -> u32 {
        self.goal.saturating_sub(Graph::decode(state))
    }

    fn largest(&self) -> u32 {
        self.goal
    }
}

#[test]
fn a_guide_shortens_walks_and_a_reversed_guide_lengthens_them() {
    // A line on which one can go either way.
    let edges = (0..=40_u32).map(|state| vec![state.saturating_sub(1), (state + 1).min(40)]).collect();
    let line = Graph {
        initial: vec![0],
        edges,
        findings: Graph::goals(&[40]),
        is_undivided: true,
        ..Graph::default()
    };
    let mean = |heuristic: Option<&dyn Heuristic<NoRegion>>, bias: Bias, sample: Option<usize>| {
        let total: usize = (0..30)
            .map(|seed| {
                let guide =
                    heuristic.map(|heuristic| Guide { heuristic, bias, share: Share::EachStep, sample });
                let options = WalkOptions { seed, max_depth: None, ..options() };
                let outcome = walk(&line, &options, Hooks { guide, lasso: None }, &mut NoMonitor);
                trace_length(&outcome).unwrap()
            })
            .sum();
        total / 30
    };
    let forward = Distance { goal: 40 };
    let sharp = Bias::Exponential { temperature: 2.0 };
    let (unguided, guided) = (mean(None, sharp, None), mean(Some(&forward), sharp, None));
    assert!(guided * 5 < unguided, "{guided} {unguided}");
    assert!(mean(Some(&forward), Bias::Greedy { epsilon: 0.1 }, Some(5)) * 5 < unguided);
    let gently = Bias::Exponential { temperature: 20.0 };
    assert!(mean(Some(&Reversed(Distance { goal: 40 })), gently, None) > unguided);
}

/// Accepts one state.
struct Accepts(u32);

impl Acceptance<NoRegion> for Accepts {
    fn is_accepting(&self, state: &[u8], _: &NoRegion) -> bool {
        Graph::decode(state) == self.0
    }
}

#[test]
fn a_loop_through_an_accepting_state_is_found_as_a_lasso() {
    // A model that is idle (0), may start (1, 2, 0) or hang (3, 3, …), times an automaton for "works again and
    // again": 2 is accepting in one product, 3 in another, and 5 lies before the loop only.
    let edges = vec![vec![1, 3], vec![2], vec![0], vec![3], vec![], vec![0]];
    let graph = Graph { initial: vec![5], edges, findings: vec![], is_undivided: true, ..Graph::default() };
    let lasso = PropertyId(9);
    let find = |accepting: u32| {
        let accepts = Accepts(accepting);
        let hooks = Hooks { guide: None, lasso: Some((lasso, &accepts as &dyn Acceptance<NoRegion>)) };
        let options =
            WalkOptions { properties: vec![lasso], repeats: Repeats::End, n_walks: 50, ..options() };
        walk(&graph, &options, hooks, &mut NoMonitor).outcome.evidence[0].1.clone()
    };
    let works = find(2).expect("0 1 2 0 is a loop");
    assert_eq!((works.choices.len(), works.loop_at), (4, Some(1)));
    assert!(replay(&graph, &works).is_ok());
    let hangs = find(3).expect("3 3 is a loop");
    assert_eq!(
        (hangs.choices.len(), hangs.loop_at.map(|at| at + 1)),
        (hangs.choices.len(), Some(hangs.choices.len()))
    );
    assert!(replay(&graph, &hangs).is_ok());
    assert_eq!(find(5), None, "an accepting state before the loop is not enough");
}

#[test]
fn philosophers_and_regions_are_found() {
    let outcome = walk(&Philosophers, &options(), Hooks::none(), &mut NoMonitor);
    assert!(replay(&Philosophers, outcome.outcome.evidence[0].1.as_ref().unwrap()).is_ok());
    let growing = Growing { goal: 514 };
    let trails = WalkOptions { repeats: Repeats::Avoid, n_walks: 100_000, ..options() };
    let outcome = walk(&growing, &trails, Hooks::none(), &mut NoMonitor);
    assert!(replay(&growing, outcome.outcome.evidence[0].1.as_ref().unwrap()).is_ok());
}

#[test]
fn each_property_has_its_own_evidence_when_all_are_asked_for() {
    let graph = Graph::chain(5);
    let asked = WalkOptions { properties: vec![GOAL, PropertyId(5)], n_walks: 10, ..options() };
    let all = run(&graph, &WalkOptions { enough: Enough::All, ..asked.clone() });
    let found: BTreeMap<PropertyId, bool> =
        all.outcome.evidence.iter().map(|(property, trace)| (*property, trace.is_some())).collect();
    assert_eq!(found, BTreeMap::from([(GOAL, true), (PropertyId(5), false)]));
    assert_eq!(all.outcome.stop, Stop::States);
    assert_eq!(run(&graph, &asked).outcome.stop, Stop::Found);
}

/// The toy of Bui (2009), figure 3.2: three bits, the first one the most significant; dropping the last gives the distances
/// of table 5.1.
fn toy() -> Graph {
    let edges = vec![vec![4], vec![0], vec![1], vec![2], vec![5], vec![0, 3, 6], vec![7], vec![]];
    Graph { initial: vec![0], edges, findings: Graph::goals(&[7]), is_undivided: false, ..Graph::default() }
}

/// The distance in the abstraction without the last bit: 11 is the goal, then 10, 00 and 01.
struct WithoutLastBit;

impl Heuristic<NoRegion> for WithoutLastBit {
    fn estimate(&self, state: &[u8], _: &NoRegion) -> u32 {
        [2, 3, 1, 0][Graph::decode(state) as usize >> 1]
    }

    fn largest(&self) -> u32 {
        3
    }
}

#[test]
fn the_toy_of_the_source_has_its_images_distances_and_weights() {
    let toy = toy();
    // The image of 010 and 110 is 001 and 111.
    assert_eq!([toy.edges(2), toy.edges(6)].concat(), [1, 7]);
    // An abstract distance is never more than the true one.
    let estimate = |state: u32| WithoutLastBit.estimate(&state.to_le_bytes(), &NoRegion);
    for state in 0..8_u32 {
        let from_here = Graph { initial: vec![state], ..toy.clone() };
        let options = fathom_search::Options { properties: vec![GOAL], ..fathom_search::Options::default() };
        let nearest =
            fathom_search::breadth_first(&from_here, &options, &mut NoMonitor).evidence[0].1.clone();
        let distance = nearest.map_or(u32::MAX, |trace| trace.choices.len() as u32);
        assert!(estimate(state) <= distance, "{state:03b}: {} > {distance}", estimate(state));
    }
    // 100 at distance 1 against 011 and 010 at distance 3, with four layers: 3 to 1 between the classes.
    let fan = Graph {
        initial: vec![0],
        edges: vec![vec![4, 3, 2]],
        findings: Graph::goals(&[4]),
        is_undivided: false,
        ..Graph::default()
    };
    let guide = Guide {
        heuristic: &WithoutLastBit,
        bias: Bias::Linear { floor: 1 },
        share: Share::EachEstimate,
        sample: None,
    };
    let n_found = (0..4000)
        .filter(|&seed| {
            let one = WalkOptions { n_walks: 1, children: Children::All, seed, ..options() };
            let hooks = Hooks { guide: Some(guide), lasso: None };
            walk(&fan, &one, hooks, &mut NoMonitor).outcome.evidence[0].1.is_some()
        })
        .count();
    assert!((2900..3100).contains(&n_found), "{n_found} of 4000, expected 3000");
}

#[test]
fn a_guided_walk_through_the_toy_is_shorter_than_an_unguided_one() {
    let mean = |guide: Option<Guide<'_, NoRegion>>| {
        let length = |seed| {
            let one = WalkOptions { n_walks: 1, children: Children::All, max_depth: None, seed, ..options() };
            let outcome = walk(&toy(), &one, Hooks { guide, lasso: None }, &mut NoMonitor);
            trace_length(&outcome).expect("the goal is reached for certain")
        };
        (0..500).map(length).sum::<usize>() as f64 / 500.0
    };
    let guide = Guide {
        heuristic: &WithoutLastBit,
        bias: Bias::Linear { floor: 1 },
        share: Share::EachStep,
        sample: None,
    };
    let (guided, unguided) = (mean(Some(guide)), mean(None));
    assert!(guided < 0.8 * unguided && guided >= 4.0, "{guided} {unguided}");
}
