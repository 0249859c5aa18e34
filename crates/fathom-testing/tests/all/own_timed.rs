//! The project's own timed automata: every sidecar in `examples/timed` says what must come out.

use std::path::{Path, PathBuf};

use fathom_core::model::Stop;
use fathom_core::search::NoMonitor;
use fathom_core::timed_automata::{Cover, Extrapolation, ZoneOptions};
use fathom_core::{Asked, Language, LoadedTimed, TimedEngine, TimedOptions, check_timed, load_timed};
use fathom_testing::{file_loader, sidecars_in};
use serde_json::Value;

fn sidecars() -> Vec<PathBuf> {
    let found = sidecars_in("examples/timed");
    assert!(found.len() >= 2);
    found
}

fn load(sidecar: &Path) -> (LoadedTimed, Value) {
    let path = sidecar.with_extension("tck");
    let loaded = load_timed(&path.to_string_lossy(), Language::TChecker, &file_loader).expect("a model");
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    let text = std::fs::read_to_string(sidecar).expect("a sidecar");
    (loaded, serde_json::from_str(&text).expect("JSON"))
}

#[test]
fn counts_are_those_of_the_sidecars() {
    for sidecar in sidecars() {
        let (loaded, expected) = load(&sidecar);
        let network = loaded.network.expect("a network");
        let report = check_timed(&network, &[], &TimedOptions::default(), &mut NoMonitor);
        assert_eq!(report.stop, Stop::Exhausted);
        let found = [report.statistics.states, report.statistics.expanded, report.statistics.transitions];
        let wanted = ["states", "expanded", "transitions"].map(|key| expected[key].as_u64().unwrap_or(0));
        assert_eq!(found, wanted, "{}", sidecar.display());
    }
}

/// Verdicts do not depend on order, extrapolation, cover or threads; every witness is timed and checked on the way.
#[test]
fn verdicts_are_those_of_the_sidecars_whatever_the_order_extrapolation_cover_and_threads() {
    let engines = [TimedEngine::BreadthFirst, TimedEngine::LastFirst, TimedEngine::DepthFirst];
    let extrapolations =
        [Extrapolation::Max, Extrapolation::MaxPlus, Extrapolation::Lu, Extrapolation::LuPlus];
    for sidecar in sidecars() {
        let (mut loaded, expected) = load(&sidecar);
        let asked = expected["asked"].as_array().expect("a list");
        let mut properties = Vec::new();
        for asked in asked {
            let (kind, text) = match (&asked["invariant"], &asked["reach"]) {
                (Value::String(text), _) => (Asked::Invariant, text),
                (_, Value::String(text)) => (Asked::Reach, text),
                _ => panic!("{asked} asks nothing"),
            };
            properties.push(loaded.ask(kind, text).expect("a condition"));
        }
        let network = loaded.network.expect("a network");
        for engine in engines {
            for extrapolation in extrapolations {
                for (cover, threads) in [
                    (Cover::Inclusion, 1),
                    (Cover::Simulation, 1),
                    (Cover::Inclusion, 3),
                    (Cover::Simulation, 2),
                ] {
                    let options = TimedOptions {
                        engine,
                        zones: ZoneOptions { extrapolation, cover },
                        properties: properties.clone(),
                        continue_after_all: true,
                        threads,
                        ..TimedOptions::default()
                    };
                    let report = check_timed(&network, &loaded.properties, &options, &mut NoMonitor);
                    for (answer, asked) in report.answers.iter().zip(asked) {
                        assert_eq!(answer.verdict.answer.word(), asked["verdict"], "{asked} {options:?}");
                        assert_eq!(answer.verdict.trace.is_some(), answer.run.is_some());
                    }
                }
            }
        }
    }
}
