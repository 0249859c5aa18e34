//! The project's own systems in IF: every sidecar in `examples/if` says what must come out. Systems with clocks are networks of timed
//! automata.

use std::path::{Path, PathBuf};

use fathom_core::model::PropertyId;
use fathom_core::search::NoMonitor;
use fathom_core::timed_automata::extremum::ExtremumAnswer;
use fathom_core::{
    Asked, BestWitness, CheckOptions, Code, Language, Loaded, LoadedTimed, Reductions, TimedEngine,
    TimedOptions, TimedReport, check, check_timed, is_timed, load, load_timed,
};
use fathom_testing::{file_loader, sidecars_in};
use serde_json::Value;

/// Those of systems with clocks, or of the others.
fn sidecars(with_clocks: bool) -> Vec<PathBuf> {
    let mut found = sidecars_in("examples/if");
    let is_meant = |path: &PathBuf| {
        let model = path.with_extension("if");
        is_timed(&model.to_string_lossy(), Language::If, &file_loader).expect("a file") == with_clocks
    };
    found.retain(is_meant);
    assert!(found.len() >= 2);
    found
}

fn expected_beside(sidecar: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(sidecar).expect("a sidecar")).expect("JSON")
}

/// What is asked, and how.
fn question(asked: &Value) -> (Asked, &str) {
    let kinds = [
        ("invariant", Asked::Invariant),
        ("reach", Asked::Reach),
        ("ltl", Asked::Ltl),
        ("ctl", Asked::Ctl),
        ("query", Asked::Query),
    ];
    let found = kinds.into_iter().find_map(|(key, kind)| Some((kind, asked[key].as_str()?)));
    found.unwrap_or_else(|| panic!("{asked} asks nothing"))
}

fn load_beside(sidecar: &Path) -> (Loaded, Value) {
    let path = sidecar.with_extension("if");
    let loaded = load(&path.to_string_lossy(), Language::If, &file_loader, &[]).expect("a file");
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    (loaded, expected_beside(sidecar))
}

#[test]
fn counts_are_those_of_the_sidecars() {
    for sidecar in sidecars(false) {
        let (loaded, expected) = load_beside(&sidecar);
        let model = loaded.model.expect("a model");
        for code in [Code::Native, Code::Interpreted] {
            let properties = (0..model.properties.len()).map(Into::into).collect();
            let options =
                CheckOptions { code, properties, continue_after_all: true, ..CheckOptions::default() };
            let report = check(&model, &options, &mut NoMonitor);
            let found = [report.statistics.states, report.statistics.transitions];
            let wanted = ["states", "transitions"].map(|key| expected[key].as_u64().unwrap_or(0));
            assert_eq!(found, wanted, "{}", sidecar.display());
            assert_eq!(report.verdicts.len(), model.properties.len());
            for verdict in &report.verdicts {
                assert_eq!(verdict.answer.word(), "holds", "{}", sidecar.display());
            }
        }
    }
}

#[test]
fn verdicts_are_those_of_the_sidecars_with_and_without_reductions() {
    for sidecar in sidecars(false) {
        let (mut loaded, expected) = load_beside(&sidecar);
        let asked = expected["asked"].as_array().expect("a list");
        let mut properties = Vec::new();
        for asked in asked {
            let (kind, text) = question(asked);
            properties.push(loaded.ask(kind, text).unwrap_or_else(|said| panic!("{text}: {said:?}")));
        }
        let model = loaded.model.expect("a model");
        for reductions in [Reductions::ALL, CheckOptions::default().reductions] {
            let options =
                CheckOptions { reductions, properties: properties.clone(), ..CheckOptions::default() };
            let report = check(&model, &options, &mut NoMonitor);
            for (verdict, asked) in report.verdicts.iter().zip(asked) {
                assert_eq!(verdict.answer.word(), asked["verdict"], "{asked} {reductions:?}");
            }
        }
    }
}

fn load_with_clocks(sidecar: &Path) -> LoadedTimed {
    let path = sidecar.with_extension("if");
    let loaded = load_timed(&path.to_string_lossy(), Language::If, &file_loader).expect("a file");
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    loaded
}

fn check_with_clocks(loaded: &LoadedTimed, options: &TimedOptions) -> TimedReport {
    let network = loaded.network.as_ref().expect("a network");
    check_timed(network, &loaded.properties, options, &mut NoMonitor)
}

#[test]
fn verdicts_of_systems_with_clocks_are_those_of_the_sidecars_in_every_order() {
    for sidecar in sidecars(true) {
        let mut loaded = load_with_clocks(&sidecar);
        let expected = expected_beside(&sidecar);
        for asked in expected["asked"].as_array().expect("a list") {
            let (kind, text) = question(asked);
            let id = loaded.ask(kind, text).unwrap_or_else(|said| panic!("{text}: {said:?}"));
            for (engine, threads) in
                [(TimedEngine::BreadthFirst, 1), (TimedEngine::LastFirst, 2), (TimedEngine::DepthFirst, 1)]
            {
                let options =
                    TimedOptions { engine, threads, properties: vec![id], ..TimedOptions::default() };
                let report = check_with_clocks(&loaded, &options);
                let answer = &report.answers[0];
                assert_eq!(answer.verdict.answer.word(), asked["verdict"], "{asked} {engine:?}");
                if let Some(value) = asked["value"].as_str() {
                    let wanted = ExtremumAnswer::Value(value.parse().expect("a number"), false);
                    assert_eq!(answer.value, Some(wanted), "{asked}");
                }
            }
            if let Some(time) = asked["fastest"].as_i64() {
                let best = Some(BestWitness::Fastest);
                let options = TimedOptions { best, properties: vec![id], ..TimedOptions::default() };
                assert_eq!(
                    check_with_clocks(&loaded, &options).answers[0].cost,
                    Some((time, false)),
                    "{asked}"
                );
            }
        }
    }
}

#[test]
fn counts_of_systems_with_clocks_are_those_of_the_sidecars() {
    for sidecar in sidecars(true) {
        let loaded = load_with_clocks(&sidecar);
        let expected = expected_beside(&sidecar);
        let runtime_error = PropertyId(0);
        let options = TimedOptions {
            properties: vec![runtime_error],
            continue_after_all: true,
            ..TimedOptions::default()
        };
        let report = check_with_clocks(&loaded, &options);
        assert_eq!(report.answers[0].verdict.answer.word(), "holds", "{}", sidecar.display());
        let found = [report.statistics.states, report.statistics.expanded, report.statistics.transitions];
        let wanted = ["states", "expanded", "transitions"].map(|key| expected[key].as_u64().unwrap_or(0));
        assert_eq!(found, wanted, "{}", sidecar.display());
    }
}
