//! Formulas of CTL and PSL with known verdicts: every sidecar in `corpus/promela/branching` says what its formulas are.
//!
//! What is said about CTL is also what naive fixpoints say on the graph of the reference interpreter, and what is said about PSL is also what the
//! equivalent formula of LTL gets, where there is one.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use fathom_core::logic::{PropositionId, evaluate_fair_ctl};
use fathom_core::model::{
    Answer, CtlProperty, Interpreter, Model, NoRegion, PropertyId, Question, RunEnd, Steps, System,
};
use fathom_core::search::NoMonitor;
use fathom_core::{Asked, CheckOptions, Code, Engine, Language, Loaded, check, load};
use fathom_testing::{file_loader, sidecars_in};
use serde_json::Value;

fn sidecars() -> Vec<PathBuf> {
    sidecars_in("corpus/promela/branching")
}

/// A sidecar and its model.
fn open(sidecar: &Path) -> (Value, Loaded) {
    let text = std::fs::read_to_string(sidecar).expect("a sidecar");
    let expected: Value = serde_json::from_str(&text).expect("JSON");
    let path = sidecar.with_file_name(expected["model"].as_str().expect("the name of a model"));
    let loaded = load(&path.to_string_lossy(), Language::Promela, &file_loader, &[]).expect("the model");
    assert!(loaded.model.is_some(), "{}: {:?}", path.display(), loaded.diagnostics);
    (expected, loaded)
}

fn texts(value: &Value) -> Vec<String> {
    let list = value.as_array().map_or(&[][..], Vec::as_slice);
    list.iter().map(|text| text.as_str().expect("a text").to_owned()).collect()
}

/// The answer of both kinds of steps, which is one.
fn answer(model: &Model, property: PropertyId) -> Answer {
    let [first, second] = [(Engine::BreadthFirst, Code::Native), (Engine::DepthFirst, Code::Interpreted)]
        .map(|(engine, code)| {
            let options =
                CheckOptions { engine, code, properties: vec![property], ..CheckOptions::default() };
            check(model, &options, &mut NoMonitor).verdicts[0].answer
        });
    assert_eq!(first, second, "{}", model.properties[property.index()].name);
    first
}

/// The answer of naive fixpoints, on a graph made by nothing but the interpreter.
fn naive_answer(model: &Model, ctl: &CtlProperty) -> Answer {
    let interpreter = Interpreter::new(model, &[]);
    let (mut scratch, mut steps) = (interpreter.scratch(), Steps::new());
    interpreter.initial(&mut scratch, &mut steps);
    let n_initial = steps.len();
    let mut states: Vec<Vec<u8>> = (0..n_initial).map(|index| steps.state(index).to_vec()).collect();
    let mut numbers: HashMap<Vec<u8>, usize> = states.iter().cloned().zip(0..).collect();
    let mut successors: Vec<Vec<usize>> = Vec::new();
    while successors.len() < states.len() {
        let at = successors.len();
        steps.clear();
        interpreter.successors(&states[at].clone(), &NoRegion, &mut scratch, &mut steps);
        let mut next: Vec<usize> = Vec::new();
        for index in 0..steps.len() {
            let state = steps.state(index).to_vec();
            let number = *numbers.entry(state.clone()).or_insert(states.len());
            if number == states.len() {
                states.push(state);
            }
            next.push(number);
        }
        // A run that ends repeats its last state.
        successors.push(if next.is_empty() { vec![at] } else { next });
    }
    let mut truth = |state: usize, expr| {
        interpreter.evaluate(&mut scratch, &states[state], expr).expect("no faults here") != 0
    };
    let truths: Vec<Vec<bool>> = ctl
        .propositions
        .iter()
        .map(|expr| (0..states.len()).map(|state| truth(state, expr)).collect())
        .collect();
    let holds = |state: usize, proposition: PropositionId| truths[proposition.index()][state];
    let mut formulas = ctl.formulas.clone();
    let again: Vec<Vec<bool>> = ctl
        .fairness
        .iter()
        .map(|&constraint| evaluate_fair_ctl(&mut formulas, constraint, &successors, holds, &[]))
        .collect();
    let values = evaluate_fair_ctl(&mut formulas, ctl.formula, &successors, holds, &again);
    if values[..n_initial].iter().all(|&value| value) { Answer::Holds } else { Answer::Violated }
}

#[test]
fn branching_formulas_of_the_corpus_have_the_verdicts_of_their_sidecars() {
    let (mut n_holds, mut n_violated, mut n_fair) = (0, 0, 0);
    let mut differences = Vec::new();
    for sidecar in sidecars() {
        let (expected, mut loaded) = open(&sidecar);
        for entry in expected["ctl"].as_array().map_or(&[][..], Vec::as_slice) {
            let formula = entry["formula"].as_str().expect("a formula");
            let fairness = texts(&entry["fairness"]);
            let property = loaded
                .ask_ctl(formula, &fairness)
                .unwrap_or_else(|problems| panic!("{formula}: {problems:?}"));
            let model = loaded.model.as_ref().expect("a model");
            let found = answer(model, property);
            let Question::Ctl(ctl) = &model.properties[property.index()].question else { panic!("CTL") };
            let naive = naive_answer(model, ctl);
            let said = entry["verdict"].as_str();
            if Some(found.word()) != said || found != naive {
                let name = sidecar.display();
                differences
                    .push(format!("{name} {formula} {fairness:?}: {found:?}, naively {naive:?}, {said:?}"));
            }
            n_fair += usize::from(!fairness.is_empty());
            *(if found == Answer::Violated { &mut n_violated } else { &mut n_holds }) += 1;
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(n_holds >= 30 && n_violated >= 20 && n_fair >= 10, "{n_holds} {n_violated} {n_fair}");
}

#[test]
fn sequence_formulas_of_the_corpus_have_the_verdicts_of_their_sidecars() {
    let (mut n_holds, mut n_violated, mut n_linear) = (0, 0, 0);
    let mut differences = Vec::new();
    for sidecar in sidecars() {
        let (expected, mut loaded) = open(&sidecar);
        for entry in expected["psl"].as_array().map_or(&[][..], Vec::as_slice) {
            let formula = entry["formula"].as_str().expect("a formula");
            let end = match entry["end"].as_str() {
                None => RunEnd::Stutter,
                Some("neutral") => RunEnd::Neutral,
                Some("weak") => RunEnd::Weak,
                Some("strong") => RunEnd::Strong,
                Some(other) => panic!("{other}"),
            };
            let ask = |loaded: &mut Loaded, asked, text: &str| {
                loaded.ask(asked, text).unwrap_or_else(|problems| panic!("{text}: {problems:?}"))
            };
            let property = ask(&mut loaded, Asked::Psl(end), formula);
            let linear = entry["ltl"].as_str().map(|text| ask(&mut loaded, Asked::Ltl, text));
            let model = loaded.model.as_ref().expect("a model");
            let found = answer(model, property);
            let other = linear.map_or(found, |linear| answer(model, linear));
            let said = entry["verdict"].as_str();
            if Some(found.word()) != said || found != other {
                let name = sidecar.display();
                differences.push(format!("{name} {formula} {end:?}: {found:?}, as LTL {other:?}, {said:?}"));
            }
            n_linear += usize::from(linear.is_some());
            *(if found == Answer::Violated { &mut n_violated } else { &mut n_holds }) += 1;
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(n_holds >= 15 && n_violated >= 12 && n_linear >= 15, "{n_holds} {n_violated} {n_linear}");
}
