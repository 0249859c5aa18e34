//! The public corpus: the same counts and verdicts as Spin, model by model.
//!
//! `FATHOM_CORPUS` names the folder that holds `promela/expected.json`; without it the test says so and
//! passes. `FATHOM_CORPUS_ONLY` restricts it to models whose path contains the text.

#![allow(clippy::print_stdout)] // the report of a long run

use std::path::{Path, PathBuf};

use fathom_core::model::{Answer, Model, Question};
use fathom_core::search::NoMonitor;
use fathom_core::source::render_text;
use fathom_core::{CheckOptions, Language, Report, check, load, replay};
use fathom_testing::{at_once, file_loader};
use serde_json::Value;

/// Most states of a model whose number of states Spin did not find out.
const UNCOUNTED_LIMIT: u64 = 1_000_000;

/// Compares one model with what Spin says; the difference in words, if there is one.
fn compare(root: &Path, expected: &Value) -> Result<String, String> {
    let file = root.join(expected["file"].as_str().ok_or("no file")?);
    let loaded = load(&file.to_string_lossy(), Language::Promela, &file_loader, &[])
        .map_err(|error| error.to_string())?;
    let Some(model) = loaded.model else {
        return if expected["spin"]["parse"] == "ok" {
            Err(format!("refused: {}", render_text(&loaded.sources, &loaded.diagnostics, false)))
        } else {
            Ok("refused, as by Spin".into())
        };
    };
    if expected["spin"]["parse"] != "ok" {
        return Ok("accepted; Spin refuses it".into());
    }
    let full = &expected["full"];
    let counted = full["status"] == "ok" && expected.get("counts_unreliable").is_none();
    let report = search(&model, counted);
    let mut differences = Vec::new();
    if counted {
        compare_counts(&report, full, &mut differences);
    }
    compare_verdict(&model, &report, expected, &mut differences);
    compare_claims(&model, expected, &mut differences);
    let shortest = compare_shortest(&model, &report, expected, &mut differences);
    if !differences.is_empty() {
        return Err(differences.join("; "));
    }
    let counts = match counted {
        true => format!("{} states", report.statistics.states),
        false => format!("not counted by Spin ({})", full["status"]),
    };
    Ok(format!("{counts}, verdict {}{shortest}", expected["verdict"]["kind"]))
}

fn search(model: &Model, counted: bool) -> Report {
    let properties = (0..model.properties.len())
        .filter(|&index| model.properties[index].question.is_safety())
        .map(Into::into)
        .collect();
    let options = CheckOptions {
        properties,
        continue_after_all: counted,
        max_states: Some(if counted { 4_000_000 } else { UNCOUNTED_LIMIT }),
        ..CheckOptions::default()
    };
    check(model, &options, &mut NoMonitor)
}

fn compare_counts(report: &Report, full: &Value, differences: &mut Vec<String>) {
    let states = full["states"].as_u64().unwrap_or(0);
    if report.statistics.states != states {
        differences.push(format!("states {} != {states}", report.statistics.states));
    }
    // Spin counts the arrival at the initial state.
    let transitions = full["transitions"].as_u64().unwrap_or(0);
    if report.statistics.transitions + 1 != transitions {
        differences.push(format!("transitions {} + 1 != {transitions}", report.statistics.transitions));
    }
}

/// The first error of Spin's depth-first run must be among ours, unless our search met its limit first.
fn compare_verdict(model: &Model, report: &Report, expected: &Value, differences: &mut Vec<String>) {
    let answers = |wanted: fn(&Question) -> bool| {
        let mut verdicts = report.verdicts.iter();
        verdicts.any(|verdict| {
            verdict.answer != Answer::Holds && wanted(&model.properties[verdict.property.index()].question)
        })
    };
    let violated = report.verdicts.iter().any(|verdict| verdict.answer == Answer::Violated);
    let agrees = match expected["verdict"]["kind"].as_str().unwrap_or("") {
        "none" => !violated,
        "invalid_end_state" => answers(|question| matches!(question, Question::Deadlock)),
        "assertion_violated" => answers(|question| matches!(question, Question::Assertion)),
        // Spin does not know either.
        "timeout" | "too_big" | "incomplete" => true,
        _ => answers(|question| matches!(question, Question::RuntimeError)),
    };
    if !agrees {
        let ours: Vec<&str> = report
            .verdicts
            .iter()
            .filter(|verdict| verdict.answer == Answer::Violated)
            .map(|verdict| model.properties[verdict.property.index()].name.as_str())
            .collect();
        differences.push(format!("verdict {} but we find {ours:?}", expected["verdict"]["kind"]));
    }
}

/// Claims and formulas have Spin's verdict, unless a limit ended our search or Spin's.
fn compare_claims(model: &Model, expected: &Value, differences: &mut Vec<String>) {
    for claim in expected["claims"].as_array().into_iter().flatten() {
        let wanted = claim["name"].as_str().unwrap_or("");
        let named = model.properties.iter().position(|property| property.name == wanted);
        // Claims without a name have different ones in Spin.
        let is_claim = |question: &Question| matches!(question, Question::Claim(_) | Question::Ltl(_));
        let found =
            named.or_else(|| model.properties.iter().position(|property| is_claim(&property.question)));
        let Some(index) = found else { continue };
        let options = CheckOptions {
            properties: vec![index.into()],
            max_states: Some(UNCOUNTED_LIMIT),
            ..CheckOptions::default()
        };
        let answer = check(model, &options, &mut NoMonitor).verdicts[0].answer;
        let agrees = match claim["plain"]["kind"].as_str() {
            Some("holds") => answer == Answer::Holds,
            Some("property_violated") => answer == Answer::Violated,
            _ => true,
        };
        if !agrees {
            differences.push(format!(
                "claim {} {} but we say {}",
                claim["name"],
                claim["plain"]["kind"],
                answer.word()
            ));
        }
    }
}

/// Our shortest trace cannot be shorter than Spin's nearest error, but for one statement: for invalid end
/// states Spin's number is sometimes one too large (it differs between two copies of one model). Ours may be
/// longer: we count whole steps when we search, Spin counts each statement of an atomic sequence.
fn compare_shortest(
    model: &Model,
    report: &Report,
    expected: &Value,
    differences: &mut Vec<String>,
) -> String {
    let shortest = &expected["shortest"];
    let (Some(steps), true) = (shortest["steps"].as_u64(), shortest["status"] == "ok") else {
        return String::new();
    };
    let traces =
        report.verdicts.iter().filter_map(|verdict| Some((verdict.property, verdict.trace.as_ref()?)));
    let lengths = traces.map(|(property, trace)| {
        let replay = replay(model, property, trace);
        let moves = replay.visits.iter().flat_map(|visit| &visit.labels).chain(&replay.finding_labels);
        moves.map(|one| if one.partner.is_some() { 2 } else { 1 }).sum::<u64>()
    });
    match lengths.min() {
        None => String::new(),
        Some(ours) if ours + 1 >= steps => format!(", nearest error {ours} statements (Spin {steps})"),
        Some(ours) => {
            differences.push(format!("nearest error after {ours} statements, Spin says {steps}"));
            String::new()
        }
    }
}

#[test]
fn every_listed_model_has_the_counts_and_verdict_of_spin() {
    let Some(root) = std::env::var_os("FATHOM_CORPUS").map(|corpus| PathBuf::from(corpus).join("promela"))
    else {
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
    let mut results =
        at_once(&models, |model| (model["file"].as_str().unwrap_or_default(), compare(&root, model)));
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
