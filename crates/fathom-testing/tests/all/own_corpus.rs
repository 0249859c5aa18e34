//! The project's own models: every sidecar in `corpus/` and `examples/` says what must come out.

use std::path::{Path, PathBuf};

use fathom_core::model::{Model, Question};
use fathom_core::search::NoMonitor;
use fathom_core::source::Diagnostic;
use fathom_core::{CheckOptions, Engine, Language, Loaded, Reductions, check, load};
use fathom_testing::{at_once, file_loader};
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sidecars(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("a folder of the project")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sidecars(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            out.push(path);
        }
    }
}

fn read(sidecar: &Path) -> Value {
    let text = std::fs::read_to_string(sidecar).expect("a sidecar");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", sidecar.display()))
}

fn load_model(sidecar: &Path, defines: &Value) -> Loaded {
    let defines: Vec<(String, String)> = defines
        .as_object()
        .map(|map| {
            map.iter().map(|(name, value)| (name.clone(), value.as_str().unwrap_or("1").to_owned())).collect()
        })
        .unwrap_or_default();
    let path = sidecar.with_extension("pml");
    load(&path.to_string_lossy(), Language::Promela, &file_loader, &defines)
        .expect("the model beside its sidecar")
}

/// Compares a model with what its sidecar says; the differences in words.
fn compare(model: &Model, expected: &Value, engine: Engine) -> Vec<String> {
    let safety: Vec<_> = (0..model.properties.len())
        .filter(|&index| model.properties[index].question.is_safety())
        .map(Into::into)
        .collect();
    let options =
        CheckOptions { engine, properties: safety, continue_after_all: true, ..CheckOptions::default() };
    let report = check(model, &options, &mut NoMonitor);
    let mut differences = Vec::new();
    if Some(report.statistics.states) != expected["states"].as_u64() {
        differences.push(format!("states {} != {}", report.statistics.states, expected["states"]));
    }
    // The sidecar counts the initial state as a transition, as its oracle does.
    if Some(report.statistics.transitions + 1) != expected["transitions"].as_u64() {
        differences.push(format!(
            "transitions {} + 1 != {}",
            report.statistics.transitions, expected["transitions"]
        ));
    }
    for verdict in &report.verdicts {
        let property = &model.properties[verdict.property.index()];
        let said = match property.question {
            Question::Deadlock => &expected["verdict"]["deadlock"],
            Question::Assertion => &expected["verdict"]["assertion"],
            _ => &expected["verdict"]["runtime-error"],
        };
        let said = said.as_str().unwrap_or("holds");
        if verdict.answer.word() != said {
            differences.push(format!("{} {} != {said}", property.name, verdict.answer.word()));
        }
    }
    differences
}

/// Compares the answers of a reduced search with those of a full one; the differences in words.
fn compare_reduced(model: &Model, engine: Engine) -> Vec<String> {
    let properties: Vec<_> = (0..model.properties.len())
        .filter(|&index| model.properties[index].question.is_safety())
        .map(Into::into)
        .collect();
    let full = CheckOptions { engine, properties, continue_after_all: true, ..CheckOptions::default() };
    let reduced = CheckOptions { reductions: Reductions::ALL, ..full.clone() };
    let (full, reduced) = (check(model, &full, &mut NoMonitor), check(model, &reduced, &mut NoMonitor));
    let mut differences = Vec::new();
    if reduced.statistics.states > full.statistics.states {
        let (more, fewer) = (reduced.statistics.states, full.statistics.states);
        differences.push(format!("{more} states with reductions, {fewer} without"));
    }
    for (full, reduced) in full.verdicts.iter().zip(&reduced.verdicts) {
        if full.answer != reduced.answer {
            let name = &model.properties[full.property.index()].name;
            differences.push(format!("{name} {} but reduced {}", full.answer.word(), reduced.answer.word()));
        }
    }
    differences
}

/// Runs `job` on every item on all cores and fails with everything that went wrong.
fn for_all<T: Sync>(items: &[T], job: impl Fn(&T) -> Result<(), String> + Sync) {
    let mut failures: Vec<String> = at_once(items, job).into_iter().filter_map(Result::err).collect();
    failures.sort();
    assert!(failures.is_empty(), "{} of {} fail:\n{}", failures.len(), items.len(), failures.join("\n"));
}

fn describe(loaded: &Loaded, diagnostics: &[Diagnostic]) -> String {
    let one = |diagnostic: &Diagnostic| {
        let place = diagnostic.primary.as_ref().map(|label| loaded.sources.locate(label.span));
        format!("{} {} ({})", place.unwrap_or_default(), diagnostic.message, diagnostic.code)
    };
    diagnostics.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn check_variant(sidecar: &Path, expected: &Value, defines: &Value) -> Result<(), String> {
    let name = format!("{} {defines}", sidecar.display());
    let loaded = load_model(sidecar, defines);
    let Some(model) = &loaded.model else {
        return Err(format!("{name}: refused: {}", describe(&loaded, &loaded.diagnostics)));
    };
    for engine in [Engine::BreadthFirst, Engine::DepthFirst] {
        let mut differences = compare(model, expected, engine);
        differences.extend(compare_reduced(model, engine));
        if !differences.is_empty() {
            return Err(format!("{name} ({}): {}", engine.name(), differences.join("; ")));
        }
    }
    Ok(())
}

#[test]
fn models_of_the_corpus_have_the_counts_and_verdicts_of_their_sidecars() {
    let mut all = Vec::new();
    sidecars(&root().join("corpus/promela/ok"), &mut all);
    assert!(all.len() > 200, "the corpus is there");
    for_all(&all, |sidecar| check_variant(sidecar, &read(sidecar), &Value::Null));
}

#[test]
fn examples_have_the_counts_and_verdicts_of_their_sidecars() {
    let mut all = Vec::new();
    sidecars(&root().join("examples/promela"), &mut all);
    assert!(all.len() > 20, "the examples are there");
    let slow = std::env::var_os("FATHOM_SLOW").is_some();
    let mut variants = Vec::new();
    for sidecar in all {
        let expected = read(&sidecar);
        let listed = expected["variants"].as_array().cloned().unwrap_or_default();
        for variant in std::iter::once(expected).chain(listed) {
            if (slow || variant["slow"] != true) && variant["states"].is_u64() {
                variants.push((sidecar.clone(), variant));
            }
        }
    }
    for_all(&variants, |(sidecar, variant)| check_variant(sidecar, variant, &variant["defines"]));
}

#[test]
fn faulty_programs_get_the_diagnostics_of_their_sidecars() {
    let mut all = Vec::new();
    sidecars(&root().join("corpus/promela/err"), &mut all);
    sidecars(&root().join("corpus/promela/unsupported"), &mut all);
    assert!(all.len() > 40, "the corpus is there");
    for_all(&all, |sidecar| {
        let expected = read(sidecar);
        let loaded = load_model(sidecar, &Value::Null);
        let found = describe(&loaded, &loaded.diagnostics);
        let name = sidecar.display();
        if loaded.model.is_some() {
            return Err(format!("{name}: accepted; said: {found}"));
        }
        let codes: Vec<&str> =
            expected["codes"].as_array().expect("codes").iter().filter_map(Value::as_str).collect();
        for &code in &codes {
            if loaded.diagnostics.iter().all(|diagnostic| diagnostic.code != code) {
                return Err(format!("{name}: no {code}; said: {found}"));
            }
        }
        let first = loaded.diagnostics.iter().find(|diagnostic| diagnostic.code == codes[0]);
        let line = first
            .and_then(|diagnostic| diagnostic.primary.as_ref())
            .map(|label| loaded.sources.file(label.span.file).line_column(label.span.start).0);
        match (line, expected["line"].as_u64()) {
            (Some(line), Some(said)) if u64::from(line) != said => {
                Err(format!("{name}: {} on line {line}, not {said}; said: {found}", codes[0]))
            }
            _ => Ok(()),
        }
    });
}
