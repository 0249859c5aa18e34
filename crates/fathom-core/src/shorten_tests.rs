//! Traces against formulas made shorter: loops, finite violations, and loops that are fair.

use fathom_model::{Evidence, Model, PropertyId, Trace};
use fathom_search::NoMonitor;
use fathom_source::MemoryLoader;

use crate::{Language, load, shorten, try_replay};

fn model(text: &str) -> Model {
    let loader = MemoryLoader::new().with("m.pml", text);
    let loaded = load("m.pml", Language::Promela, &loader, &[]).expect("the program is there");
    loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

fn property(model: &Model, name: &str) -> PropertyId {
    let index = model.properties.iter().position(|property| property.name == name);
    PropertyId::from(index.expect("a property with this name"))
}

fn lasso(choices: Vec<u32>, loop_at: usize) -> Trace {
    Trace { initial: 0, choices, evidence: Evidence::State, loop_at: Some(loop_at) }
}

/// A counter that grows by one or by two, modulo eight.
const COUNTER: &str = "byte x; active proctype p() { do :: x = (x + 1) % 8 :: x = (x + 2) % 8 od }
    ltl far { <> (x == 99) }
    ltl returns { [] <> (x == 1) }
    ltl small { [] (x < 5) }";

#[test]
fn a_lasso_gets_a_shorter_loop_and_a_shorter_way_to_it() {
    let model = model(COUNTER);
    let long = lasso(vec![0; 24], 8);
    let far = property(&model, "far");
    let short = shorten(&model, far, &long, &mut NoMonitor).expect("a trace of the model");
    assert_eq!((short.choices.len(), short.loop_at), (4, Some(0)));
    try_replay(&model, far, &short).expect("it shows the same");
    // Once through 1, then by twos for ever.
    let returns = property(&model, "returns");
    let long = lasso([vec![0; 16], vec![1; 8]].concat(), 16);
    let short = shorten(&model, returns, &long, &mut NoMonitor).expect("a trace of the model");
    assert_eq!((short.choices, short.loop_at), (vec![1; 4], Some(0)));
}

#[test]
fn detours_that_change_where_a_lasso_ends_are_left_out() {
    let text = "bit asked, done; byte n; active proctype p() { do :: n = n + 1 :: asked = 1 :: asked -> done = 1 od }
        ltl answered { [] (asked -> <> done) }";
    let model = model(text);
    // Three times round the counter before it asks, then for ever without an answer; each round ends elsewhere.
    let answered = property(&model, "answered");
    let long = lasso([vec![0; 700], vec![1], vec![0; 256]].concat(), 701);
    let short = shorten(&model, answered, &long, &mut NoMonitor).expect("a trace of the model");
    assert!(short.choices.len() <= 4, "{short:?}");
}

#[test]
fn a_finite_violation_of_a_formula_is_shortened() {
    let model = model(COUNTER);
    let small = property(&model, "small");
    let evidence = Evidence::Finding { property: small, fault: None };
    let long = Trace { initial: 0, choices: vec![0; 13], evidence, loop_at: None };
    let short = shorten(&model, small, &long, &mut NoMonitor).expect("a trace of the model");
    assert_eq!(short.choices.len(), 3);
    try_replay(&model, small, &short).expect("it shows the same");
}

#[test]
fn a_loop_that_is_fair_stays_fair() {
    let text =
        "bit x, y; active proctype p() { do :: x = 1 - x od } active proctype q() { do :: y = 1 - y od }
        ltl far { <> (x + y > 2) }";
    let model = model(text);
    let far = property(&model, "far");
    let fair = lasso(vec![0, 0, 0, 0, 0, 0, 0, 0, 1, 1], 6);
    let short = shorten(&model, far, &fair, &mut NoMonitor).expect("a trace of the model");
    assert_eq!((short.choices, short.loop_at), (vec![0, 0, 1, 1], Some(0)));
    let unfair = lasso(vec![0; 10], 6);
    let short = shorten(&model, far, &unfair, &mut NoMonitor).expect("a trace of the model");
    assert_eq!((short.choices.len(), short.loop_at), (2, Some(0)));
}

#[test]
fn a_trace_that_shows_nothing_is_refused() {
    let model = model(COUNTER);
    let returns = property(&model, "returns");
    assert!(shorten(&model, returns, &lasso(vec![0; 8], 0), &mut NoMonitor).is_err());
    assert!(shorten(&model, returns, &lasso(vec![7; 8], 0), &mut NoMonitor).is_err());
}
