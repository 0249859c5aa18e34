//! The models of `corpus/csharp`, with the counts that their sidecars say.

use std::path::{Path, PathBuf};

use fathom_program::Symmetry;
use fathom_source::{LoadError, LoadedFile, SourceMap, render_text};
use serde_json::Value;

use super::explore;
use crate::{CSharpProgram, Options, load};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/csharp")
}

pub(super) fn texts(value: &Value) -> Vec<String> {
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_string).collect()
}

/// Reads a file of a folder: the program, and what there is to say about it.
pub(super) fn load_from(folder: &Path, path: &str, options: &Options) -> (Option<CSharpProgram>, String) {
    let loader = |path: &str, _: Option<&str>| {
        let text = std::fs::read_to_string(folder.join(path));
        let text = text.map_err(|error| LoadError::Other(error.to_string()))?;
        Ok(LoadedFile { name: path.to_string(), text })
    };
    let mut sources = SourceMap::new();
    let (program, diagnostics) = load(path, &loader, options, &mut sources);
    (program, render_text(&sources, &diagnostics, false))
}

/// The sidecars of a folder, with the files they are about.
pub(super) fn sidecars(folder: &Path) -> Vec<(PathBuf, Value)> {
    let mut found = Vec::new();
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("json") => {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path.with_extension("cs"), serde_json::from_str(&text).unwrap()));
            }
            Some("cs") => assert!(path.with_extension("json").exists(), "{} has no sidecar", path.display()),
            _ => (),
        }
    }
    assert!(!found.is_empty());
    found
}

#[test]
fn every_model_has_the_states_that_its_sidecar_says() {
    let mut wrong = String::new();
    for (path, sidecar) in sidecars(&corpus().join("ok")) {
        let name = path.file_name().unwrap().to_str().unwrap();
        for run in sidecar["runs"].as_array().unwrap() {
            let options = Options {
                programs: texts(&run["programs"]),
                scenarios: texts(&run["scenarios"]),
                ..Options::default()
            };
            let (program, said) = load_from(&corpus().join("ok"), name, &options);
            let program = program.unwrap_or_else(|| panic!("{said}"));
            for (symmetry, states, steps) in [
                (Symmetry::None, "states", "transitions"),
                (Symmetry::Canonical, "classes", "class_transitions"),
            ] {
                let explored = explore(&program, symmetry, 100_000);
                let found = serde_json::json!({
                    states: explored.n_states, steps: explored.n_steps, "findings": explored.findings,
                });
                let mut expected = serde_json::json!({});
                for key in [states, steps, "findings"] {
                    expected[key] = run[key].clone();
                }
                if found != expected || explored.is_cut {
                    wrong += &format!("{name} {run}\n  {found} {:?}\n", explored.faults);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_faulty_program_gets_the_diagnostic_that_its_sidecar_says() {
    for (path, sidecar) in sidecars(&corpus().join("err")) {
        let name = path.file_name().unwrap().to_str().unwrap();
        let (program, said) = load_from(&corpus().join("err"), name, &Options::default());
        assert!(program.is_none(), "{name}");
        for code in texts(&sidecar["codes"]) {
            assert!(said.contains(&format!("[{code}]")), "{name}: {said}");
        }
        let place = format!("{name}:{}:", sidecar["line"]);
        assert!(said.contains(&place), "{name}: {said}");
    }
}

/// Public samples, when they are there: how many are read and explored.
#[test]
fn public_samples_are_read_and_explored() {
    let Some(folder) = std::env::var_os("FATHOM_CORPUS").map(|folder| Path::new(&folder).join("nmodel"))
    else {
        return;
    };
    let Ok(list) = std::fs::read_to_string(folder.join("samples.json")) else { return };
    let list: Value = serde_json::from_str(&list).unwrap();
    let (mut n_good, mut report) = (0, String::new());
    let samples = list.as_array().unwrap();
    for sample in samples {
        let options = Options {
            files: texts(&sample["files"]),
            programs: texts(&sample["programs"]),
            scenarios: texts(&sample["scenarios"]),
            features: None,
        };
        let name = sample["name"].as_str().unwrap();
        match load_from(&folder, sample["path"].as_str().unwrap(), &options) {
            (Some(program), _) => {
                n_good += 1;
                let plain = explore(&program, Symmetry::None, 300);
                let quotient = explore(&program, Symmetry::Canonical, 60);
                let cut = if plain.is_cut { "+" } else { "" };
                let cut_too = if quotient.is_cut { "+" } else { "" };
                report += &format!(
                    "{name}: {}{cut} states, {} steps, {}{cut_too} classes, {:?} {:?}\n",
                    plain.n_states, plain.n_steps, quotient.n_states, plain.findings, plain.faults
                );
            }
            (None, said) => report += &format!("{name}: refused\n{said}\n"),
        }
    }
    let report_path = std::env::temp_dir().join("fathom-nmodel-samples.txt");
    std::fs::write(report_path, format!("{report}{n_good} of {}\n", samples.len())).unwrap();
    assert!(n_good * 10 >= samples.len() * 9, "{n_good} of {}:\n{report}", samples.len());
}
