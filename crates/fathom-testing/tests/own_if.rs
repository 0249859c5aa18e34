//! The project's own systems in IF: every sidecar in `examples/if` says what must come out.

use std::path::{Path, PathBuf};

use fathom_core::search::NoMonitor;
use fathom_core::{Asked, CheckOptions, Code, Language, Loaded, Reductions, check, load};
use fathom_testing::file_loader;
use serde_json::Value;

fn sidecars() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/if");
    let entries = std::fs::read_dir(folder).expect("a folder of the project");
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    found.sort();
    assert!(found.len() >= 3);
    found
}

fn load_beside(sidecar: &Path) -> (Loaded, Value) {
    let path = sidecar.with_extension("if");
    let loaded = load(&path.to_string_lossy(), Language::If, &file_loader, &[]).expect("a file");
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    let text = std::fs::read_to_string(sidecar).expect("a sidecar");
    (loaded, serde_json::from_str(&text).expect("JSON"))
}

#[test]
fn counts_are_those_of_the_sidecars() {
    for sidecar in sidecars() {
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
    for sidecar in sidecars() {
        let (mut loaded, expected) = load_beside(&sidecar);
        let asked = expected["asked"].as_array().expect("a list");
        let mut properties = Vec::new();
        for asked in asked {
            let kinds = [
                ("invariant", Asked::Invariant),
                ("reach", Asked::Reach),
                ("ltl", Asked::Ltl),
                ("ctl", Asked::Ctl),
            ];
            let found = kinds.into_iter().find_map(|(key, kind)| Some((kind, asked[key].as_str()?)));
            let (kind, text) = found.unwrap_or_else(|| panic!("{asked} asks nothing"));
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
