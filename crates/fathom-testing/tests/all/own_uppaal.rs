//! The project's own models in the languages of Uppaal: every sidecar in `examples/uppaal` says what must come out; and the cheapest ways
//! of priced models are those that trying everything finds.

use std::path::{Path, PathBuf};

use fathom_core::model::{Answer, PropertyId, Stop};
use fathom_core::search::NoMonitor;
use fathom_core::timed_automata::TimedQuestion;
use fathom_core::timed_automata::extremum::ExtremumAnswer;
use fathom_core::timed_automata::symmetry::SymmetryUse;
use fathom_core::{
    Asked, BestWitness, Language, LoadedTimed, TimedEngine, TimedOptions, TimedReport, check_timed,
    load_timed,
};
use fathom_testing::{file_loader, sidecars_in};
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/uppaal")
}

fn sidecars() -> Vec<Value> {
    let found = sidecars_in("examples/uppaal");
    assert!(found.len() >= 9);
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("a sidecar");
        serde_json::from_str(&text).expect("JSON")
    };
    found.iter().map(read).collect()
}

fn load(model: &str) -> LoadedTimed {
    let path = folder().join(model);
    let loaded = load_timed(&path.to_string_lossy(), Language::Uppaal, &file_loader).expect("a model");
    assert!(loaded.diagnostics.is_empty(), "{model}: {:?}", loaded.diagnostics);
    loaded
}

fn check(loaded: &LoadedTimed, properties: Vec<PropertyId>, best: Option<BestWitness>) -> TimedReport {
    let network = loaded.network.as_ref().expect("a network");
    let options = TimedOptions { properties, best, ..TimedOptions::default() };
    check_timed(network, &loaded.properties, &options, &mut NoMonitor)
}

#[test]
fn queries_have_the_verdicts_of_the_sidecars() {
    for expected in sidecars() {
        let model = expected["model"].as_str().expect("a name");
        let mut loaded = load(model);
        for asked in expected["asked"].as_array().expect("a list") {
            let text = asked["query"].as_str().expect("a query");
            let id = loaded.ask(Asked::Query, text).unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
            let report = check(&loaded, vec![id], None);
            let answer = &report.answers[0];
            assert_eq!(answer.verdict.answer.word(), asked["verdict"], "{model}: {text}");
            if let Some(value) = asked["value"].as_str() {
                let wanted = ExtremumAnswer::Value(value.parse().expect("a number"), false);
                assert_eq!(answer.value, Some(wanted), "{model}: {text}");
            }
            if let Some(time) = asked["fastest"].as_i64() {
                let report = check(&loaded, vec![id], Some(BestWitness::Fastest));
                assert_eq!(report.answers[0].cost, Some((time, false)), "{model}: {text}");
                let shown = |answer: Answer| answer == Answer::Holds;
                assert!(shown(report.answers[0].verdict.answer) && report.answers[0].run.is_some());
            }
        }
    }
}

/// With threads, in every order, with and without symmetry: the same answers, each with a run that was checked.
#[test]
fn threads_change_no_verdict() {
    let engines = [TimedEngine::BreadthFirst, TimedEngine::LastFirst, TimedEngine::DepthFirst];
    for expected in sidecars() {
        let model = expected["model"].as_str().expect("a name");
        let mut loaded = load(model);
        for asked in expected["asked"].as_array().expect("a list") {
            let text = asked["query"].as_str().expect("a query");
            let id = loaded.ask(Asked::Query, text).unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
            let network = loaded.network.as_ref().expect("a network");
            for (number, engine) in engines.into_iter().enumerate() {
                let options = TimedOptions {
                    engine,
                    properties: vec![id],
                    threads: 2 + number,
                    symmetry: [SymmetryUse::Declared, SymmetryUse::None, SymmetryUse::Found][number % 3],
                    ..TimedOptions::default()
                };
                let report = check_timed(network, &loaded.properties, &options, &mut NoMonitor);
                let verdict = &report.answers[0].verdict;
                assert_eq!(verdict.answer.word(), asked["verdict"], "{model}: {text} {engine:?}");
                assert!(verdict.trace.is_none() || report.answers[0].run.is_some());
            }
        }
    }
}

#[test]
fn queries_of_the_file_and_counts_are_those_of_the_sidecars() {
    for expected in sidecars() {
        let model = expected["model"].as_str().expect("a name");
        let loaded = load(model);
        if let Some(verdicts) = expected["verdicts"].as_array() {
            let is_asked =
                |index: &usize| !matches!(loaded.properties[*index].question, TimedQuestion::Deadlock);
            let ids = (0..loaded.properties.len()).filter(is_asked).map(PropertyId::from).collect();
            let report = check(&loaded, ids, None);
            let found: Vec<&str> = report.answers.iter().map(|answer| answer.verdict.answer.word()).collect();
            assert_eq!(Value::from(found), Value::from(verdicts.clone()), "{model}");
        }
        if let Some(states) = expected["states"].as_u64() {
            let report = check(&loaded, Vec::new(), None);
            assert_eq!(report.stop, Stop::Exhausted);
            let found = [report.statistics.states, report.statistics.expanded, report.statistics.transitions];
            let wanted = ["expanded", "transitions"].map(|key| expected[key].as_u64().unwrap_or(0));
            assert_eq!(found, [states, wanted[0], wanted[1]], "{model}");
        }
    }
}

#[test]
fn symmetry_changes_no_verdict_and_saves_states() {
    let mut n_saved = 0;
    for expected in sidecars() {
        let model = expected["model"].as_str().expect("a name");
        let mut loaded = load(model);
        for asked in expected["asked"].as_array().expect("a list") {
            let id = loaded.ask(Asked::Query, asked["query"].as_str().expect("a query")).expect("a query");
            let network = loaded.network.as_ref().expect("a network");
            let all = [SymmetryUse::Declared, SymmetryUse::Found, SymmetryUse::None].map(|symmetry| {
                let options = TimedOptions { properties: vec![id], symmetry, ..TimedOptions::default() };
                check_timed(network, &loaded.properties, &options, &mut NoMonitor)
            });
            let [with, found, without] = &all;
            assert_eq!(
                found.answers[0].verdict.answer, without.answers[0].verdict.answer,
                "{model}: {asked}"
            );
            assert!(found.n_symmetric_sets >= with.n_symmetric_sets, "{model}: {asked}");
            assert_eq!(with.answers[0].verdict.answer, without.answers[0].verdict.answer, "{model}: {asked}");
            assert_eq!(without.n_symmetric_sets, 0);
            if with.n_symmetric_sets > 0 && with.stop == Stop::Exhausted {
                assert!(with.statistics.states * 8 < without.statistics.states, "{model}: {asked}");
                n_saved += 1;
            }
        }
    }
    assert!(n_saved >= 3);
}

/// The answer to one question, if that takes few states.
fn answer(loaded: &mut LoadedTimed, asked: Asked, text: &str) -> Option<bool> {
    let id = loaded.ask(asked, text).unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
    let network = loaded.network.as_ref().expect("a network");
    let options = TimedOptions { properties: vec![id], max_states: Some(3_000), ..TimedOptions::default() };
    let report = check_timed(network, &loaded.properties, &options, &mut NoMonitor);
    let verdict = &report.answers[0].verdict;
    (verdict.answer != Answer::Inconclusive).then_some(verdict.answer == Answer::Holds)
}

#[test]
fn formulas_have_the_answers_of_the_queries_that_ask_the_same() {
    let (mut n_compared, mut n_true) = (0, 0);
    for expected in sidecars() {
        let mut loaded = load(expected["model"].as_str().expect("a name"));
        let network = loaded.network.as_ref().expect("a network");
        let places: Vec<String> = network
            .processes
            .iter()
            .take(2)
            .flat_map(|process| process.locations.iter().map(|at| format!("{}.{}", process.name, at.name)))
            .take(5)
            .collect();
        for p in &places {
            let mut pairs = vec![
                (format!("A<> {p}"), format!("<> {p}"), true),
                (format!("A[] not {p}"), format!("[] !{p}"), true),
                (format!("E[] not {p}"), format!("<> {p}"), false),
            ];
            let responses = places.iter().filter(|q| *q != p).take(3);
            pairs.extend(responses.map(|q| (format!("{p} --> {q}"), format!("[] ({p} -> <> {q})"), true)));
            for (query, formula, is_same) in pairs {
                let found =
                    (answer(&mut loaded, Asked::Query, &query), answer(&mut loaded, Asked::Ltl, &formula));
                if let (Some(query_holds), Some(formula_holds)) = found {
                    assert_eq!(
                        query_holds == is_same,
                        formula_holds,
                        "{}: {query}, {formula}",
                        expected["model"]
                    );
                    n_compared += 1;
                    n_true += usize::from(formula_holds);
                }
            }
        }
    }
    assert!(n_compared > 150 && n_true > 20, "{n_compared} {n_true}");
}

/// Pruned searches with tables of a few kilobytes, and walks, find what is far too deep for a complete search; the run is checked on the
/// way.
#[test]
fn pruned_searches_and_walks_find_what_the_sidecars_ask_of_them() {
    let mut n_asked = 0;
    for expected in sidecars() {
        let Some(query) = expected["sampled"].as_str() else { continue };
        n_asked += 1;
        let mut loaded = load(expected["model"].as_str().expect("a name"));
        let id = loaded.ask(Asked::Query, query).expect("a query");
        let network = loaded.network.as_ref().expect("a network");
        for engine in [TimedEngine::Isr, TimedEngine::Walk] {
            let options = TimedOptions { engine, properties: vec![id], ..TimedOptions::default() };
            let report = check_timed(network, &loaded.properties, &options, &mut NoMonitor);
            assert_eq!(report.answers[0].verdict.answer, Answer::Holds, "{engine:?}");
            assert!(report.answers[0].run.is_some());
        }
    }
    assert!(n_asked > 0);
}

/// The cost of the cheapest way that zones find, with its run checked on the way.
fn cheapest(model: &str, query: &str) -> i64 {
    let mut loaded = load(model);
    let id = loaded.ask(Asked::Query, query).expect("a query");
    let report = check(&loaded, vec![id], Some(BestWitness::Cheapest));
    assert!(report.answers[0].run.is_some());
    let (cost, is_strict) = report.answers[0].cost.expect("a cost");
    assert!(!is_strict);
    cost
}

/// Dijkstra's algorithm on who is where.
#[test]
fn the_cheapest_crossing_is_that_of_trying_everything() {
    let price = [3, 1, 4, 6];
    let fare = |a: usize, b: usize| if a == b { price[a] } else { 1 + price[a].max(price[b]) };
    let mut best = std::collections::BTreeMap::from([((0_u8, false), 0_i64)]);
    let mut is_changed = true;
    while is_changed {
        is_changed = false;
        for ((far, lamp), paid) in best.clone() {
            for a in 0..4 {
                for b in a..4 {
                    let is_there = |who: usize| (far >> who & 1 == 1) == lamp;
                    if is_there(a) && is_there(b) {
                        let next = (far ^ (1 << a) ^ if a == b { 0 } else { 1 << b }, !lamp);
                        let cost = paid + fare(a, b);
                        if best.get(&next).is_none_or(|&other| cost < other) {
                            best.insert(next, cost);
                            is_changed = true;
                        }
                    }
                }
            }
        }
    }
    let least = best[&(15, true)];
    assert_eq!(cheapest("priced-bridge.xta", "E<> arrived == N"), least);
}

/// Every order in which jobs may take machines, each task as early as it can be.
#[test]
fn the_shortest_schedule_is_that_of_trying_everything() {
    const MACHINE: [[usize; 3]; 3] = [[0, 1, 2], [0, 2, 1], [1, 2, 0]];
    const LENGTH: [[i64; 3]; 3] = [[3, 2, 2], [2, 1, 4], [4, 3, 1]];
    fn least(done: [usize; 3], job_free: [i64; 3], machine_free: [i64; 3]) -> i64 {
        let mut best = i64::MAX;
        for job in (0..3).filter(|&job| done[job] < 3) {
            let (machine, length) = (MACHINE[job][done[job]], LENGTH[job][done[job]]);
            let end = job_free[job].max(machine_free[machine]) + length;
            let (mut done, mut job_free, mut machine_free) = (done, job_free, machine_free);
            done[job] += 1;
            (job_free[job], machine_free[machine]) = (end, end);
            best = best.min(least(done, job_free, machine_free));
        }
        if best == i64::MAX { job_free.into_iter().max().unwrap_or(0) } else { best }
    }
    let expected = least([0; 3], [0; 3], [0; 3]);
    assert_eq!(cheapest("priced-job-shop.xta", "E<> forall (i : job_t) Job(i).done"), expected);
}

/// Every choice of whole moments for the landings.
#[test]
fn the_cheapest_landings_are_those_of_trying_everything() {
    let (earliest, target, latest) = ([2, 3, 5, 6], [5, 6, 7, 8], [12, 14, 13, 16]);
    let (early, late) = ([3, 1, 4, 2], [2, 5, 3, 1]);
    let mut best = i64::MAX;
    let range = |plane: usize| earliest[plane]..=latest[plane];
    for a in range(0) {
        for b in range(1) {
            for c in range(2) {
                for d in range(3) {
                    let at: [i64; 4] = [a, b, c, d];
                    let is_apart = (0..4).all(|one| (0..one).all(|other| (at[one] - at[other]).abs() >= 3));
                    let price = |plane: usize| match at[plane] < target[plane] {
                        true => early[plane] * (target[plane] - at[plane]),
                        false => late[plane] * (at[plane] - target[plane]),
                    };
                    if is_apart {
                        best = best.min((0..4).map(price).sum());
                    }
                }
            }
        }
    }
    assert_eq!(cheapest("priced-landing.xta", "E<> landed == N"), best);
}
