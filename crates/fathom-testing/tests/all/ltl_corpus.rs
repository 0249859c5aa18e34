//! Formulas with known verdicts: every sidecar in `corpus/promela/ltl` says what its formulas are.

use std::path::PathBuf;

use fathom_core::model::{Answer, PropertyId};
use fathom_core::search::NoMonitor;
use fathom_core::{CheckOptions, Code, Engine, Fairness, Language, Reductions, check, load};
use fathom_testing::{file_loader, sidecars_in};
use serde_json::Value;

fn sidecars(of: &str) -> Vec<PathBuf> {
    sidecars_in(&format!("corpus/promela/{of}"))
}

#[test]
fn formulas_of_the_corpus_have_the_verdicts_of_their_sidecars() {
    let (mut n_holds, mut n_violated) = (0, 0);
    let mut differences = Vec::new();
    for sidecar in sidecars("ltl") {
        let text = std::fs::read_to_string(&sidecar).expect("a sidecar");
        let expected: Value = serde_json::from_str(&text).expect("JSON");
        let path = sidecar.with_extension("pml");
        let loaded = load(&path.to_string_lossy(), Language::Promela, &file_loader, &[]).expect("the model");
        let model = loaded.model.unwrap_or_else(|| panic!("{}: {:?}", path.display(), loaded.diagnostics));
        for (name, said) in expected["properties"].as_object().expect("formulas with their verdicts") {
            let found = model.properties.iter().position(|property| property.name == *name);
            let property = PropertyId::from(found.unwrap_or_else(|| panic!("{}: no {name}", path.display())));
            for (engine, code, reductions) in [
                (Engine::BreadthFirst, Code::Native, Reductions::NONE),
                (Engine::DepthFirst, Code::Interpreted, Reductions::NONE),
                (Engine::BreadthFirst, Code::Native, Reductions::ALL),
            ] {
                let properties = vec![property];
                let options =
                    CheckOptions { engine, code, reductions, properties, ..CheckOptions::default() };
                let answer = check(&model, &options, &mut NoMonitor).verdicts[0].answer;
                if Some(answer.word()) != said.as_str() {
                    differences.push(format!("{} {name}: {} != {said}", path.display(), answer.word()));
                }
                match answer {
                    Answer::Violated => n_violated += 1,
                    _ => n_holds += 1,
                }
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(n_holds >= 60 && n_violated >= 60, "{n_holds} answers hold, {n_violated} do not");
}

#[test]
fn fair_runs_of_the_corpus_have_the_verdicts_of_their_sidecars() {
    let (mut n_compared, mut n_saved_by_fairness) = (0, 0);
    let mut differences = Vec::new();
    for sidecar in sidecars("ltl") {
        let text = std::fs::read_to_string(&sidecar).expect("a sidecar");
        let expected: Value = serde_json::from_str(&text).expect("JSON");
        let path = sidecar.with_extension("pml");
        let loaded = load(&path.to_string_lossy(), Language::Promela, &file_loader, &[]).expect("the model");
        let model = loaded.model.unwrap_or_else(|| panic!("{}: {:?}", path.display(), loaded.diagnostics));
        for (name, said) in expected["fair"].as_object().expect("formulas with their verdicts") {
            let found = model.properties.iter().position(|property| property.name == *name);
            let property = PropertyId::from(found.unwrap_or_else(|| panic!("{}: no {name}", path.display())));
            for reductions in [Reductions::NONE, Reductions::ALL] {
                let (fairness, properties) = (Fairness::Weak, vec![property]);
                let options = CheckOptions { reductions, fairness, properties, ..CheckOptions::default() };
                let answer = check(&model, &options, &mut NoMonitor).verdicts[0].answer;
                if Some(answer.word()) != said.as_str() {
                    differences.push(format!("{} {name}: {} != {said}", path.display(), answer.word()));
                }
            }
            n_compared += 1;
            n_saved_by_fairness += u32::from(said == "holds" && expected["properties"][name] == "violated");
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(n_compared >= 70 && n_saved_by_fairness >= 6, "{n_compared} {n_saved_by_fairness}");
}

#[test]
fn cycles_of_the_corpus_have_the_verdicts_of_their_sidecars() {
    let (mut n_compared, mut n_saved_by_fairness) = (0, 0);
    let mut differences = Vec::new();
    for sidecar in sidecars("cycles") {
        let text = std::fs::read_to_string(&sidecar).expect("a sidecar");
        let expected: Value = serde_json::from_str(&text).expect("JSON");
        let path = sidecar.with_extension("pml");
        let loaded = load(&path.to_string_lossy(), Language::Promela, &file_loader, &[]).expect("the model");
        let model = loaded.model.unwrap_or_else(|| panic!("{}: {:?}", path.display(), loaded.diagnostics));
        for (key, fairness) in [("properties", Fairness::None), ("fair", Fairness::Weak)] {
            for (name, said) in expected[key].as_object().expect("properties with their verdicts") {
                let found = model.properties.iter().position(|property| property.name == *name);
                let property =
                    PropertyId::from(found.unwrap_or_else(|| panic!("{}: no {name}", path.display())));
                n_saved_by_fairness +=
                    u32::from(said == "holds" && expected["properties"][name] == "violated");
                for (code, reductions) in [
                    (Code::Native, Reductions::NONE),
                    (Code::Interpreted, Reductions::NONE),
                    (Code::Native, Reductions::ALL),
                ] {
                    let properties = vec![property];
                    let options =
                        CheckOptions { code, reductions, fairness, properties, ..CheckOptions::default() };
                    let report = check(&model, &options, &mut NoMonitor);
                    let answer = report.verdicts[0].answer;
                    n_compared += 1;
                    if Some(answer.word()) != said.as_str() {
                        let how = format!("{key} {code:?} {reductions:?}");
                        differences.push(format!(
                            "{} {name} {how}: {}, not {said}",
                            path.display(),
                            answer.word()
                        ));
                    }
                }
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(n_compared >= 100 && n_saved_by_fairness >= 6, "{n_compared} {n_saved_by_fairness}");
}
