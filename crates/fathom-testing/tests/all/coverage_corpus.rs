//! Tests for models of the public corpus: every pair of transitions is covered, proved infeasible, or said to be not found.
//!
//! `FATHOM_CORPUS` names the folder that holds `promela/`; without it the test says so and passes. Each test is followed on the reference interpreter
//! and counted again by the facade; here the sums are checked, and that what one engine proves infeasible no other reaches.

#![allow(clippy::print_stdout)] // the report of a long run

use std::path::PathBuf;

use fathom_core::search::NoMonitor;
use fathom_core::testgen::{Criterion, GenerateOptions, GoalAnswer, Guide, TestEngine};
use fathom_core::{Language, TestOptions, TestReport, generate_tests, load};
use fathom_testing::{at_once, file_loader};
use serde_json::Value;

/// Models whose states, without histories, are at most so many.
const MOST_STATES: u64 = 20_000;

/// Most states of a search.
const LIMIT: u64 = 200_000;

/// Number of models.
const N_MODELS: usize = 24;

fn run(model: &fathom_core::model::Model, engine: TestEngine, guide: Guide) -> TestReport {
    let generate = GenerateOptions { engine, guide, max_states: Some(LIMIT), ..GenerateOptions::default() };
    let criteria = vec![Criterion::Transitions, Criterion::Switches(1)];
    let options = TestOptions { criteria, generate, ..TestOptions::default() };
    generate_tests(model, &options, &mut NoMonitor).expect("few goals")
}

#[test]
fn pairs_of_transitions_are_covered_infeasible_or_not_found() {
    let Some(root) = std::env::var_os("FATHOM_CORPUS").map(PathBuf::from) else {
        println!("FATHOM_CORPUS is not set: nothing compared");
        return;
    };
    let root = root.join("promela");
    let text = std::fs::read_to_string(root.join("expected.json")).expect("the corpus has its answers");
    let expected: Value = serde_json::from_str(&text).expect("JSON");
    let models = expected["models"].as_array().or(expected.as_array()).expect("a list of models");
    let mut chosen = Vec::new();
    for entry in models {
        let states = entry["full"]["states"].as_u64().or(entry["full"]["states_stored"].as_u64());
        if entry["spin"]["parse"] != "ok" || !states.is_some_and(|states| (50..MOST_STATES).contains(&states))
        {
            continue;
        }
        let file = root.join(entry["file"].as_str().expect("a file"));
        let loaded = load(&file.to_string_lossy(), Language::Promela, &file_loader, &[]).expect("a file");
        let Some(model) = loaded.model else { continue };
        chosen.push((&entry["file"], model));
        if chosen.len() == N_MODELS {
            break;
        }
    }
    assert!(chosen.len() >= 10, "only {} models", chosen.len());
    at_once(&chosen, |(file, model)| {
        let breadth_first = run(model, TestEngine::BreadthFirst, Guide::None);
        let pruned = run(model, TestEngine::Isr, Guide::Distance);
        let open = breadth_first.goals.len() - breadth_first.n_covered() - breadth_first.n_infeasible();
        println!(
            "{file}: {} goals, {} covered, {} infeasible, {open} not found; {} tests, {} steps; pruned {} tests, {} steps",
            breadth_first.goals.len(),
            breadth_first.n_covered(),
            breadth_first.n_infeasible(),
            breadth_first.tests.len(),
            breadth_first.n_steps(),
            pruned.tests.len(),
            pruned.n_steps()
        );
        for (goal, (one, other)) in breadth_first.answers.iter().zip(&pruned.answers).enumerate() {
            let is_covered = |answer: &GoalAnswer| matches!(answer, GoalAnswer::Covered { .. });
            let contradict =
                |one: &GoalAnswer, other: &GoalAnswer| *one == GoalAnswer::Infeasible && is_covered(other);
            assert!(
                !contradict(one, other) && !contradict(other, one),
                "{file}: {:?}: {one:?} {other:?}",
                breadth_first.goals.goals[goal]
            );
        }
    });
}
