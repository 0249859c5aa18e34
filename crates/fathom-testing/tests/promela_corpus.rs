//! The public corpus: the same counts and verdicts as Spin, model by model.
//!
//! `FATHOM_CORPUS` names the folder that holds `promela/expected.json`; without it the test says so and
//! passes. `FATHOM_CORPUS_ONLY` restricts it to models whose path contains the text.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use fathom::model::{Answer, Question};
use fathom::search::NoMonitor;
use fathom::{CheckOptions, Language, check, load};
use fathom_testing::file_loader;
use serde_json::Value;

/// Compares one model with what Spin says; the difference in words, if there is one.
fn compare(root: &Path, expected: &Value) -> Result<String, String> {
    let file = root.join(expected["file"].as_str().ok_or("no file")?);
    let loaded = load(&file.to_string_lossy(), Language::Promela, &file_loader, &[]).map_err(|error| error.to_string())?;
    let accepted = expected["spin"]["parse"] == "ok";
    let Some(model) = loaded.model else {
        let messages: Vec<String> = loaded
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.is_error())
            .map(|diagnostic| {
                let place = diagnostic.primary.as_ref().map(|label| loaded.sources.locate(label.span));
                format!("{} {} ({})", place.unwrap_or_default(), diagnostic.message, diagnostic.code)
            })
            .collect();
        return if accepted { Err(format!("refused: {}", messages.join("; "))) } else { Ok("refused".into()) };
    };
    if !accepted {
        return Err("accepted, but Spin refuses it".into());
    }
    let full = &expected["full"];
    if full["status"] != "ok" {
        return Ok(format!("skipped: {}", full["status"]));
    }
    if expected.get("counts_unreliable").is_some() {
        return Ok("skipped: unreliable".into());
    }
    let properties = model
        .properties
        .iter()
        .enumerate()
        .filter(|(_, property)| property.question.is_safety())
        .map(|(index, _)| index.into())
        .collect();
    let options = CheckOptions {
        properties,
        continue_after_all: true,
        max_states: Some(4_000_000),
        ..CheckOptions::default()
    };
    let report = check(&model, &options, &mut NoMonitor);
    let mut differences = Vec::new();
    let states = full["states"].as_u64().unwrap_or(0);
    if report.statistics.states != states {
        differences.push(format!("states {} != {states}", report.statistics.states));
    }
    let transitions = full["transitions"].as_u64().unwrap_or(0);
    if report.statistics.transitions + 1 != transitions {
        differences.push(format!("transitions {} + 1 != {transitions}", report.statistics.transitions));
    }
    let violated = |wanted: fn(&Question) -> bool| {
        report.verdicts.iter().any(|verdict| {
            verdict.answer == Answer::Violated && wanted(&model.properties[verdict.property.index()].question)
        })
    };
    let any = violated(|_| true);
    let found = match expected["verdict"]["kind"].as_str().unwrap_or("") {
        "none" => !any,
        "invalid_end_state" => violated(|question| matches!(question, Question::Deadlock)),
        "assertion_violated" => violated(|question| matches!(question, Question::Assertion)),
        "timeout" | "too_big" | "incomplete" => true,
        _ => any,
    };
    if !found {
        let ours: Vec<&str> = report
            .verdicts
            .iter()
            .filter(|verdict| verdict.answer == Answer::Violated)
            .map(|verdict| model.properties[verdict.property.index()].name.as_str())
            .collect();
        differences.push(format!("verdict {} but we find {ours:?}", expected["verdict"]["kind"]));
    }
    if differences.is_empty() { Ok(format!("{states} states")) } else { Err(differences.join("; ")) }
}

#[test]
fn every_listed_model_has_the_counts_and_verdict_of_spin() {
    let Some(root) = std::env::var_os("FATHOM_CORPUS").map(|corpus| PathBuf::from(corpus).join("promela")) else {
        println!("note: FATHOM_CORPUS is not set; the public corpus is not checked");
        return;
    };
    let Ok(text) = std::fs::read_to_string(root.join("expected.json")) else {
        println!("note: no expected.json under {}; the public corpus is not checked", root.display());
        return;
    };
    let expected: Value = serde_json::from_str(&text).expect("expected.json is JSON");
    let only = std::env::var("FATHOM_CORPUS_ONLY").unwrap_or_default();
    let models: Vec<&Value> = expected["models"]
        .as_array()
        .expect("a list of models")
        .iter()
        .filter(|model| model["file"].as_str().is_some_and(|file| file.contains(&only)))
        .collect();
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(model) = models.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = compare(&root, model);
                    results.lock().expect("no panic").push((model["file"].as_str().unwrap_or(""), result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no panic");
    results.sort();
    let mut failures = 0;
    for (file, result) in &results {
        match result {
            Ok(note) => println!("ok    {file}: {note}"),
            Err(difference) => {
                failures += 1;
                println!("FAIL  {file}: {difference}");
            }
        }
    }
    println!("{} models, {failures} differ", results.len());
    assert_eq!(failures, 0, "some models differ from Spin");
}
