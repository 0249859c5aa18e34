//! Systems in IF, from the text to the answers.

use fathom_model::Answer;
use fathom_search::NoMonitor;
use fathom_source::MemoryLoader;

use crate::{Asked, CheckOptions, Language, Loaded, check, load};

fn example(name: &str) -> Loaded {
    let path = format!("{}/../../examples/if/{name}.if", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("an example");
    let loader = MemoryLoader::new().with("m.if", text);
    let loaded = load("m.if", Language::If, &loader, &[]).expect("a file in memory");
    assert!(loaded.model.is_some(), "{:?}", loaded.diagnostics);
    loaded
}

fn answer_to(formula: &str, fairness: &[String]) -> Answer {
    let mut loaded = example("microwave");
    let property = loaded.ask_ctl(formula, fairness).unwrap_or_else(|said| panic!("{formula}: {said:?}"));
    let options = CheckOptions { properties: vec![property], ..CheckOptions::default() };
    let mut report = check(loaded.model.as_ref().expect("a model"), &options, &mut NoMonitor);
    report.verdicts.remove(0).answer
}

/// The seven states of the oven, by start, close, heat, error (da Costa 2005).
const STATES: [&str; 7] = ["0000", "1001", "0100", "0110", "1101", "1100", "1110"];

/// A formula that is true in these states of the oven, counted from 1, and in no other.
fn one_of(states: &[usize]) -> String {
    let literal = |(bit, name): (char, &str)| if bit == '1' { name.to_owned() } else { format!("!{name}") };
    let state = |&number: &usize| {
        let bits = STATES[number - 1].chars().zip(["start", "close", "heat", "error"]);
        format!("({})", bits.map(literal).collect::<Vec<_>>().join(" && "))
    };
    let all: Vec<String> = states.iter().map(state).collect();
    if all.is_empty() { "false".to_owned() } else { all.join(" || ") }
}

/// The sets are those of the source where it prints them, and otherwise computed from its graph with plain fixpoints.
#[test]
fn formulas_are_true_in_the_states_of_the_oven_that_the_source_gives() {
    let all = [1, 2, 3, 4, 5, 6, 7];
    for (formula, states) in [
        ("close", &[3, 4, 5, 6, 7][..]),
        ("error", &[2, 5]),
        ("EX (!close || error)", &[1, 2, 3, 4, 5]),
        ("EG !heat", &[1, 2, 3, 5]),
        ("EG heat", &[4, 7]),
        ("EG close", &[3, 4, 5, 6, 7]),
        ("EG start", &[2, 5]),
        ("EG error", &[2, 5]),
        ("EG !error", &[1, 3, 4, 6, 7]),
        ("EF heat", &all),
        ("E [start U heat]", &[4, 6, 7]),
        ("AF heat", &[4, 6, 7]),
        ("AG (start -> AF heat)", &[]),
    ] {
        let exactly = format!("AG (({formula}) <-> ({}))", one_of(states));
        assert_eq!(answer_to(&exactly, &[]), Answer::Holds, "{formula}");
    }
    assert_eq!(answer_to(&format!("AG ({})", one_of(&all)), &[]), Answer::Holds);
    for state in all {
        assert_eq!(answer_to(&format!("EF {}", one_of(&[state])), &[]), Answer::Holds, "{state}");
    }
}

#[test]
fn a_fair_oven_heats() {
    let fair = ["start && close && !error".to_owned()];
    assert_eq!(answer_to("AG (start -> AF heat)", &[]), Answer::Violated);
    assert_eq!(answer_to("AG (start -> AF heat)", &fair), Answer::Holds);
    assert_eq!(answer_to("AG !EG !heat", &fair), Answer::Holds);
}

#[test]
fn a_misspelt_name_in_a_property_is_pointed_at() {
    let mut loaded = example("microwave");
    let said = loaded.ask(Asked::Invariant, "oven.heet").expect_err("no such variable");
    assert_eq!(said[0].code, "if::unknown-name");
    let said = loaded.ask(Asked::Ctl, "AG \"oven@rum\"").expect_err("no such state");
    let place = said[0].primary.as_ref().expect("a place").span;
    assert_eq!(loaded.sources.text(place), "rum");
}
