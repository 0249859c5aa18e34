//! Databases against the distances of the models themselves.

use fathom_core::model::{Model, NoRegion, PropertyId};
use fathom_testing::{Entropy, random_promela};

use super::{AbstractHeuristic, AbstractPlan, Combine, DatabasePlan, NoDatabase, Recipe};
use crate::Heuristic;
use crate::formula::FAR;
use crate::model_tests::{COUNTERS, distances, model, successors};

fn databases(
    model: &Model,
    property: PropertyId,
    most_states: usize,
) -> Result<AbstractHeuristic, NoDatabase> {
    AbstractHeuristic::new(model, &[property], Recipe::of_states(Combine::Max, most_states))
}

fn planned(plan: &AbstractPlan, most_states: usize) -> Recipe<'_> {
    Recipe { plan: Some(plan), ..Recipe::of_states(Combine::Max, most_states) }
}

/// Checks that estimates are lower bounds that change by one at most, and gives the largest.
fn check_bound(model: &Model, property: PropertyId, heuristic: &AbstractHeuristic, what: &str) -> u32 {
    assert!(heuristic.is_lower_bound());
    let mut largest = 0;
    for (state, distance) in distances(model, property) {
        for made in &heuristic.databases {
            assert!(made.database.knows(&heuristic.shape, &state), "{what}: {:?}", made.plan);
        }
        let estimate = heuristic.estimate(&state, &NoRegion);
        assert!(distance.is_none_or(|distance| estimate <= distance), "{what}: {estimate} {distance:?}");
        for next in successors(model, &state) {
            let next = heuristic.estimate(&next, &NoRegion);
            assert!(estimate <= next + 1, "{what}: {estimate} {next}");
        }
        if estimate < FAR {
            largest = largest.max(estimate);
        }
    }
    largest
}

const PUZZLE: &str = "byte a[6]; byte x, y;
    init { d_step { a[1] = 1; a[2] = 2; a[3] = 3; a[4] = 4; a[5] = 5 }; atomic { run P(); run Check() } }
    proctype P() { do
      :: d_step { x > 0; a[y * 3 + x] = a[y * 3 + x - 1]; a[y * 3 + x - 1] = 0; x-- }
      :: d_step { x < 2; a[y * 3 + x] = a[y * 3 + x + 1]; a[y * 3 + x + 1] = 0; x++ }
      :: d_step { y > 0; a[y * 3 + x] = a[(y - 1) * 3 + x]; a[(y - 1) * 3 + x] = 0; y-- }
      :: d_step { y < 1; a[y * 3 + x] = a[(y + 1) * 3 + x]; a[(y + 1) * 3 + x] = 0; y++ }
    od }
    proctype Check() { a[0] == 5 && a[1] == 4 && a[2] == 3 && a[3] == 2 && a[4] == 1 && a[5] == 0; done: false }";

#[test]
fn estimates_are_lower_bounds_and_consistent() {
    let chatter = "mtype = { a, b }; chan r = [0] of { mtype, byte }; chan c = [2] of { byte, bit }; byte got, turn;
        active proctype s() { byte i; do :: i < 4 -> i++; if :: r!a,i :: r!b,3 :: c!i,1 fi :: else -> break od }
        active proctype t() { byte v; bit w; do :: atomic { r?a,v -> got = got + v } :: r?b,v; turn = v
          :: c??v,1 -> assert(got < 6 || turn != 3) :: c?v,w; got = 0 od }";
    let cases = [
        (COUNTERS, None),
        (COUNTERS, Some("q@there && y == 2")),
        (COUNTERS, Some("x == 3 && len(c) == 1")),
        (chatter, None),
        (chatter, Some("got == 5 && turn == 3")),
        (PUZZLE, Some("Check@done")),
    ];
    for (text, reach) in cases {
        let (model, property) = model(text, reach);
        for most_states in [1000, 20_000] {
            let what = format!("{reach:?} {most_states}");
            let heuristic =
                databases(&model, property, most_states).unwrap_or_else(|error| panic!("{what}: {error}"));
            let largest = check_bound(&model, property, &heuristic, &what);
            assert!(largest > 1 || most_states < 20_000, "{what}");
        }
    }
}

#[test]
fn a_puzzle_is_told_apart_by_its_pieces() {
    let (model, property) = model(PUZZLE, Some("Check@done"));
    // All of it is 360 states, and Check.
    let whole = databases(&model, property, 10_000).unwrap();
    let exact = distances(&model, property);
    assert!(exact.iter().all(|(state, distance)| {
        let estimate = whole.estimate(state, &NoRegion);
        distance.map_or(estimate == FAR, |distance| estimate == distance)
    }));
    let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    let group = |values: [i64; 2]| DatabasePlan {
        keep: names(&["x", "y", "P[1]", "Check[2]"]),
        groups: vec![(
            names(&["a[0]", "a[1]", "a[2]", "a[3]", "a[4]", "a[5]"]),
            vec![vec![values[0]], vec![values[1]]],
        )],
    };
    let plan = AbstractPlan { databases: vec![group([1, 2]), group([3, 4])], combine: Combine::Max };
    let grouped = AbstractHeuristic::new(&model, &[property], planned(&plan, 10_000)).unwrap();
    assert!(check_bound(&model, property, &grouped, "grouped") > 10);
    assert_eq!(grouped.plan(), plan);
    let sum = AbstractPlan { combine: Combine::Sum, ..plan };
    let sum = AbstractHeuristic::new(&model, &[property], planned(&sum, 10_000)).unwrap();
    assert!(!sum.is_lower_bound());
    assert!(exact.keys().any(|state| sum.estimate(state, &NoRegion) > grouped.estimate(state, &NoRegion)));
}

#[test]
fn a_plan_with_an_unknown_cell_is_refused_by_name() {
    let (model, property) = model(COUNTERS, Some("x == 3"));
    let plan = DatabasePlan { keep: vec!["x".to_owned(), "nowhere".to_owned()], groups: Vec::new() };
    let plan = AbstractPlan { databases: vec![plan], combine: Combine::Max };
    let refused = AbstractHeuristic::new(&model, &[property], planned(&plan, 1000));
    assert_eq!(refused.err(), Some(NoDatabase::NoCell("nowhere".to_owned())));
}

/// The example of Bui (2009): three bits, of which the last is dropped, give four layers.
#[test]
fn three_bits_without_the_last_have_four_layers() {
    let edges = ["000100", "100101", "101000", "101011", "101110", "110111", "011010", "010001", "001000"];
    let step = |edge: &str| {
        let bit = |at: usize| &edge[at..=at];
        format!(
            ":: d_step {{ x0 == {} && x1 == {} && x2 == {}; x0 = {}; x1 = {}; x2 = {} }}",
            bit(0),
            bit(1),
            bit(2),
            bit(3),
            bit(4),
            bit(5)
        )
    };
    let options: String = edges.iter().map(|edge| step(edge)).collect();
    let text = format!("bit x0, x1, x2; active proctype p() {{ do {options} od }}");
    let (model, property) = model(&text, Some("x0 && x1 && x2"));
    let keep = vec!["x0".to_owned(), "x1".to_owned()];
    let plan =
        AbstractPlan { databases: vec![DatabasePlan { keep, groups: Vec::new() }], combine: Combine::Max };
    let heuristic = AbstractHeuristic::new(&model, &[property], planned(&plan, 1000)).unwrap();
    assert_eq!(heuristic.sizes(), [(4, 3)]);
    let mut layers: Vec<u32> =
        distances(&model, property).keys().map(|state| heuristic.estimate(state, &NoRegion)).collect();
    layers.sort_unstable();
    layers.dedup();
    assert_eq!(layers, [0, 1, 2, 3]);
}

#[test]
fn random_models_have_lower_bounds_too() {
    let mut n_made = 0;
    for seed in 0..30 {
        let text = random_promela(&mut Entropy::seeded(seed, 600));
        for reach in [None, Some("_nr_pr == 1")] {
            let Some((model, property)) = crate::model_tests::try_model(&text, reach) else { continue };
            if crate::model_tests::try_distances(&model, property, 3000).is_none() {
                continue;
            }
            for most_states in [1000, 5000] {
                if let Ok(heuristic) = databases(&model, property, most_states) {
                    n_made += 1;
                    check_bound(&model, property, &heuristic, &format!("seed {seed} {reach:?}\n{text}"));
                }
            }
        }
    }
    assert!(n_made > 10, "{n_made}");
}

#[test]
fn making_databases_can_be_interrupted_at_any_time() {
    let (model, property) = model(COUNTERS, Some("x == 3"));
    let make = |n_looks: usize| {
        let left = std::cell::Cell::new(n_looks);
        let goes_on = || {
            let is_over = left.get() == 0;
            left.set(left.get().saturating_sub(1));
            !is_over
        };
        let recipe = Recipe { goes_on: &goes_on, ..Recipe::of_states(Combine::Max, 1000) };
        AbstractHeuristic::new(&model, &[property], recipe)
    };
    let first_that_is_enough = (0..1000).find(|&n_looks| make(n_looks).is_ok()).expect("made in the end");
    assert!(first_that_is_enough > 2, "{first_that_is_enough}");
    for n_looks in 0..first_that_is_enough {
        assert_eq!(make(n_looks).err(), Some(NoDatabase::Interrupted), "{n_looks}");
    }
}
