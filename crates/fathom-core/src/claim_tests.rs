//! Claims as written, on small models.

use fathom_model::Answer;
use fathom_search::NoMonitor;
use fathom_source::MemoryLoader;

use crate::{CheckOptions, Language, check, load, replay};

/// The answer about the claim of a program, and how many model steps its evidence has.
fn check_claim(text: &str) -> (Answer, Option<usize>) {
    let loader = MemoryLoader::new().with("m.pml", text);
    let loaded = load("m.pml", Language::Promela, &loader, &[]).expect("the program is there");
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let claim = model.properties.len() - 1;
    let options = CheckOptions { properties: vec![claim.into()], ..CheckOptions::default() };
    let verdict = check(&model, &options, &mut NoMonitor).verdicts.remove(0);
    let steps = verdict.trace.map(|trace| replay(&model, verdict.property, &trace).visits.len() - 1);
    (verdict.answer, steps)
}

const COUNTER: &str = "byte x; active proctype p() { x = 1; x = 2 }\n";

#[test]
fn a_claim_that_gets_to_its_end_is_violated_at_the_state_it_looked_at() {
    let claim = "never { do :: x == 2 -> break :: else od }";
    assert_eq!(check_claim(&format!("{COUNTER}{claim}")), (Answer::Violated, Some(2)));
}

#[test]
fn a_claim_looks_at_the_initial_state_first() {
    assert_eq!(check_claim(&format!("{COUNTER}never {{ x == 0 }}")), (Answer::Violated, Some(0)));
    assert_eq!(check_claim(&format!("{COUNTER}never {{ x == 1 }}")), (Answer::Holds, None));
}

#[test]
fn a_claim_that_never_gets_to_its_end_holds() {
    let claim = "never { do :: x == 3 -> break :: else od }";
    assert_eq!(check_claim(&format!("{COUNTER}{claim}")), (Answer::Holds, None));
}

#[test]
fn a_failed_assertion_in_a_claim_violates_it() {
    let claim = "never { do :: atomic { (x == 2) -> assert(x != 2) } :: true od }";
    assert_eq!(check_claim(&format!("{COUNTER}{claim}")), (Answer::Violated, Some(2)));
}

#[test]
fn a_claim_goes_on_looking_when_the_model_has_stopped() {
    let claim = "never { do :: x == 2 -> break :: else od; skip; skip; skip; skip }";
    assert_eq!(check_claim(&format!("{COUNTER}{claim}")).0, Answer::Violated);
}

#[test]
fn a_claim_about_infinite_runs_holds_when_no_cycle_is_accepted() {
    let claim = "never { accept: do :: x != 2 od }";
    assert_eq!(check_claim(&format!("{COUNTER}{claim}")), (Answer::Holds, None));
    let claim = "never { accept: do :: x <= 2 od }";
    assert_eq!(check_claim(&format!("{COUNTER}{claim}")).0, Answer::Violated);
}
