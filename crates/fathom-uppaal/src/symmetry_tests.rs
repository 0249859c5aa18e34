//! Symmetry by scalar sets: with it and without it the same is reached, and ways can be followed back.

use std::collections::{BTreeSet, VecDeque};

use fathom_model::{PropertyId, Region, Steps, System};
use fathom_source::SourceMap;
use fathom_timed::concrete::{Goal, check_run};
use fathom_timed::extremum::find_extremum;
use fathom_timed::liveness::{LivenessOutcome, search_lasso};
use fathom_timed::symmetry::{Symmetry, plain_way};
use fathom_timed::timing::schedule;
use fathom_timed::{
    Conjunct, Network, TimedProperty, TimedQuestion, Valuation, ZoneOptions, ZoneRegion, ZoneSystem,
};
use proptest::prelude::*;

pub(crate) fn read(text: &str, queries: &[&str]) -> (Network, Vec<TimedProperty>) {
    let mut sources = SourceMap::new();
    let file = sources.add("m.xta", text);
    let (found, diagnostics) = crate::read(file, &sources);
    let network = found.unwrap_or_else(|| panic!("{text}: {diagnostics:?}")).0;
    let property = |text: &&str| {
        let query = sources.add("<query>", *text);
        let (question, _) = crate::lower_query_file(file, query, &sources).expect("a query").remove(0);
        TimedProperty { name: "query".to_owned(), question, span: None }
    };
    let properties = queries.iter().map(property).collect();
    (network, properties)
}

pub(crate) fn symmetry(network: &Network, properties: &[TimedProperty]) -> Option<Symmetry> {
    let asked: Vec<PropertyId> = (0..properties.len()).map(PropertyId::from).collect();
    Symmetry::new(network, properties, &asked)
}

/// Composite states, each with the one that it was reached from.
pub(crate) type Explored = Vec<(Vec<u8>, ZoneRegion, Option<usize>)>;

pub(crate) fn explore(system: &ZoneSystem<'_>) -> Explored {
    let (mut scratch, mut steps) = (system.scratch(), Steps::new());
    let mut known: Explored = Vec::new();
    let mut waiting = VecDeque::new();
    system.initial(&mut scratch, &mut steps);
    let mut from = None;
    loop {
        for index in 0..steps.len() {
            let (state, region) = (steps.state(index), steps.region(index));
            if !known.iter().any(|(other, larger, _)| other == state && larger.includes(region)) {
                waiting.push_back(known.len());
                known.push((state.to_vec(), region.clone(), from));
            }
        }
        let Some(next) = waiting.pop_front() else { return known };
        steps.clear();
        let (state, region, _) = known[next].clone();
        system.successors(&state, &region, &mut scratch, &mut steps);
        from = Some(next);
    }
}

/// What does not depend on names of elements: locations in order, and variables without elements.
pub(crate) fn abstraction(
    network: &Network,
    system: &ZoneSystem<'_>,
    explored: &Explored,
) -> BTreeSet<(Vec<u32>, Vec<i32>)> {
    let scalars = &network.scalars;
    let view = |(state, ..): &(Vec<u8>, ZoneRegion, Option<usize>)| {
        let mut valuation = Valuation::default();
        system.layout().decode(state, &mut valuation);
        let mut locations = valuation.locations;
        locations.sort_unstable();
        let is_plain =
            |index: &usize| scalars.variables[*index].elements.is_empty() && scalars.values[*index].is_none();
        let plain = (0..valuation.values.len()).filter(is_plain).map(|index| valuation.values[index]);
        (locations, plain.collect())
    };
    explored.iter().map(view).collect()
}

/// Follows the way to every state back, and checks that it is one.
pub(crate) fn check_ways(network: &Network, system: &ZoneSystem<'_>, explored: &Explored) {
    let anything = [Conjunct::default()];
    for index in 0..explored.len() {
        let mut visits = Vec::new();
        let mut at = Some(index);
        while let Some(index) = at {
            visits.push((explored[index].0.clone(), explored[index].1.clone()));
            at = explored[index].2;
        }
        visits.reverse();
        let way = plain_way(system, &visits, None).expect("a way");
        let run = schedule(network, &way.initial, &way.moves, &[], &[]).expect("delays");
        let states = check_run(network, &run, Goal::OneOf(&anything)).expect("a run");
        let mut end = Valuation::default();
        system.layout().decode(&explored[index].0, &mut end);
        let mut reached = states.last().expect("a last state").valuation.locations.clone();
        reached.sort_unstable();
        end.locations.sort_unstable();
        assert_eq!(reached, end.locations);
    }
}

fn fischer(n: usize, wait: usize) -> String {
    format!(
        "typedef scalar[{n}] id_t; bool taken; id_t id; int[0,{n}] inside;
         process P(const id_t pid) {{
             clock x;
             state idle, asks {{ x <= 2 }}, waits, in;
             init idle;
             trans idle -> asks {{ guard !taken; assign x = 0; }},
                   asks -> waits {{ guard x <= 2; assign x = 0, taken = true, id = pid; }},
                   waits -> asks {{ guard !taken; assign x = 0; }},
                   waits -> in {{ guard taken && id == pid && x >= {wait}; assign inside++; }},
                   in -> idle {{ assign taken = false, inside--; }};
         }}
         system P;"
    )
}

#[test]
fn mutual_exclusion_needs_far_fewer_zones_when_processes_are_alike() {
    let (network, properties) = read(&fischer(4, 3), &["A[] inside < 2"]);
    let asked = [PropertyId(0)];
    let plain = ZoneSystem::new(&network, &properties, &asked, ZoneOptions::default());
    let reduced = plain.clone().with_symmetry(symmetry(&network, &properties));
    assert!(reduced.symmetry().is_some());
    let (all, fewer) = (explore(&plain), explore(&reduced));
    assert!(fewer.len() * 10 < all.len(), "{} of {}", fewer.len(), all.len());
    assert_eq!(abstraction(&network, &plain, &all), abstraction(&network, &reduced, &fewer));
    check_ways(&network, &reduced, &fewer);
}

#[test]
fn who_asks_about_one_element_gets_no_symmetry() {
    let text = fischer(3, 3);
    for (query, is_symmetric) in [
        ("E<> P(1).in", false),
        ("E<> P(0).in && P(1).in", false),
        ("E<> exists (i : id_t) P(i).in", true),
        ("E<> exists (i : id_t) exists (j : id_t) i != j && P(i).in && P(j).in", true),
        ("A[] forall (i : id_t) P(i).in imply id == i", true),
        ("E<> exists (i : id_t) P(i).in && P(i).x > 7", true),
        ("E<> P(2).x > 7", false),
        ("E<> id == 1", false),
    ] {
        let (network, properties) = read(&text, &[query]);
        assert_eq!(symmetry(&network, &properties).is_some(), is_symmetric, "{query}");
    }
}

#[test]
fn what_tells_elements_apart_is_no_symmetry() {
    let with = |declarations: &str, edge: &str| {
        format!(
            "typedef scalar[3] id_t; id_t id; int[0,9] n; bool b[id_t]; chan c[id_t]; {declarations}
             process P(const id_t pid) {{ state s, t; init s; trans s -> t {{ {edge} }}, t -> s {{ sync c[pid]?; }}; }}
             process Q() {{ state s; init s; trans s -> s {{ select i : id_t; sync c[i]!; }}; }}
             system P, Q;"
        )
    };
    for (declarations, edge, is_symmetric) in [
        ("", "assign id = pid, b[pid] = true;", true),
        ("", "guard id != pid && !b[id]; assign b[id] = true;", true),
        ("", "guard forall (i : id_t) b[i] imply i == pid; assign n = 1;", true),
        ("", "select i : id_t; guard b[i]; assign id = i;", true),
        ("", "guard sum (i : id_t) b[i] < 2; assign b[pid] = true;", true),
        ("", "assign n = pid;", false),
        ("", "guard pid < 2;", false),
        ("", "guard id < 2;", false),
        ("", "assign id = 1;", false),
        ("", "guard b[1];", false),
        ("const int w[id_t] = { 1, 2, 2 };", "assign n = w[pid];", false),
        ("const int w[id_t] = { 2, 2, 2 };", "assign n = w[pid];", true),
        ("int[0,9] k[3];", "assign k[pid] = 1;", false),
    ] {
        let (network, _) = read(&with(declarations, edge), &[]);
        assert_eq!(symmetry(&network, &[]).is_some(), is_symmetric, "{declarations} {edge}");
    }
}

/// A model whose processes have elements of a type for names; `id_t` is this type.
pub(crate) fn random_model_over(type_of_size: fn(usize) -> String) -> impl Strategy<Value = String> {
    let guards = prop::sample::subsequence(
        vec![
            "x >= 1",
            "x < 2",
            "y[pid] > 1",
            "y[id] <= 2",
            "id == pid",
            "id != pid",
            "b[pid]",
            "!b[id]",
            "n < 2",
            "forall (i : id_t) !b[i]",
            "exists (i : id_t) i != pid && b[i]",
            "last[pid] == id",
            "z - x < 2",
        ],
        0..3,
    );
    let syncs = prop::sample::select(vec![
        "",
        "",
        "",
        "sync c!;",
        "sync c?;",
        "sync d[pid]!;",
        "sync d[id]?;",
        "sync e!;",
        "sync e?;",
    ]);
    let updates = prop::sample::subsequence(
        vec![
            "x = 0",
            "y[pid] = 0",
            "y[id] = 1",
            "id = pid",
            "b[pid] = true",
            "b[id] = false",
            "n = 1",
            "n = (n + 1) % 3",
            "last[pid] = id",
            "id = last[id]",
        ],
        0..3,
    );
    let edge = (0..3, 0..3, guards, syncs, updates).prop_map(|(from, to, guards, sync, updates)| {
        let guard = if guards.is_empty() { String::new() } else { format!("guard {};", guards.join(" && ")) };
        let assign =
            if updates.is_empty() { String::new() } else { format!("assign {};", updates.join(", ")) };
        format!("s{from} -> s{to} {{ {guard} {sync} {assign} }}")
    });
    (2..4_usize, prop::collection::vec(edge, 2..6), any::<bool>()).prop_map(
        move |(size, edges, is_bounded)| {
            let id_t = type_of_size(size);
            let invariant = if is_bounded { "{ x <= 2 }" } else { "" };
            format!(
            "typedef {id_t} id_t; id_t id; bool b[id_t]; int[0,2] n; clock z; clock y[id_t]; id_t last[id_t];
             chan c; chan d[id_t]; broadcast chan e;
             process P(const id_t pid) {{ clock x; state s0, s1 {invariant}, s2; init s0; trans {}; }}
             system P;",
            edges.join(",\n")
        )
        },
    )
}

fn random_model() -> impl Strategy<Value = String> {
    random_model_over(|size| format!("scalar[{size}]"))
}

/// What is asked of random models about runs for ever and largest values: the same for all elements.
pub(crate) const ASKED: [&str; 10] = [
    "E[] n < 2",
    "E[] forall (i : id_t) !b[i]",
    "E[] forall (i : id_t) !P(i).s1",
    "A<> n == 1",
    "A<> exists (i : id_t) P(i).s2",
    "A<> exists (i : id_t) b[i]",
    "n == 0 --> exists (i : id_t) P(i).s1",
    "exists (i : id_t) b[i] && P(i).s2 --> n == 2",
    "sup{exists (i : id_t) P(i).s1}: n",
    "inf{exists (i : id_t) P(i).s1 && y[i] > 1}: n",
];

/// The answer with the states that a symmetry leaves, and with all.
pub(crate) fn both_answers(network: &Network, property: &TimedProperty) -> Option<[String; 2]> {
    let symmetry = symmetry(network, std::slice::from_ref(property))?;
    let answer = |symmetry: Option<&Symmetry>| match &property.question {
        TimedQuestion::Extremum(asked) => {
            format!("{:?}", find_extremum(network, asked, symmetry, &mut |states| states < 20_000).0)
        }
        question => {
            let looked_for = question.liveness().expect("a question about runs");
            let (outcome, cost) =
                search_lasso(network, looked_for, symmetry, &mut |cost| cost.n_states < 20_000);
            match outcome {
                LivenessOutcome::Found(_) => "found".to_owned(),
                LivenessOutcome::None => "none".to_owned(),
                LivenessOutcome::Cut => format!("cut after {}", cost.n_states),
            }
        }
    };
    Some([answer(Some(&symmetry)), answer(None)])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn runs_for_ever_and_largest_values_are_the_same_with_symmetry(text in random_model()) {
        let (network, properties) = read(&text, &ASKED);
        for (property, asked) in properties.iter().zip(ASKED) {
            let Some([with, without]) = both_answers(&network, property) else { continue };
            if !without.starts_with("cut") && !without.starts_with("Cut") {
                prop_assert_eq!(with, without, "{}", asked);
            }
        }
    }
}

#[test]
fn questions_about_runs_for_ever_need_fewer_zones_when_processes_are_alike() {
    for (query, is_symmetric, expected) in [
        ("A<> inside > 0", true, "found"),
        ("inside > 1 --> inside == 0", true, "none"),
        ("E[] inside == 0", true, "found"),
        ("P(1).asks --> P(1).waits", false, "none"),
        ("sup: inside", true, "Value(1, false)"),
        ("sup: P(0).x", false, ""),
    ] {
        let (network, properties) = read(&fischer(3, 3), &[query]);
        let found = both_answers(&network, &properties[0]);
        assert_eq!(found.is_some(), is_symmetric, "{query}");
        if let Some([with, without]) = found {
            assert_eq!((with.as_str(), without.as_str()), (expected, expected), "{query}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    #[test]
    fn the_same_is_reached_with_symmetry(text in random_model()) {
        let (network, _) = read(&text, &[]);
        let Some(symmetry) = symmetry(&network, &[]) else { return Ok(()) };
        let plain = ZoneSystem::new(&network, &[], &[], ZoneOptions::default());
        let reduced = plain.clone().with_symmetry(Some(symmetry));
        let (all, fewer) = (explore(&plain), explore(&reduced));
        prop_assert_eq!(abstraction(&network, &plain, &all), abstraction(&network, &reduced, &fewer));
        if fewer.len() < 200 {
            check_ways(&network, &reduced, &fewer);
        }
    }
}
