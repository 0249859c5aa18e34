//! Formulas and claims about infinite runs, on small models.

use fathom_model::{Answer, PropertyId, Stop, Trace, Verdict};
use fathom_search::NoMonitor;
use fathom_source::MemoryLoader;

use crate::{Asked, CheckOptions, Code, Language, Loaded, check, load, replay, try_replay};

fn load_text(text: &str) -> Loaded {
    let loader = MemoryLoader::new().with("m.pml", text);
    load("m.pml", Language::Promela, &loader, &[]).expect("the program is there")
}

/// The answer about a formula, the same for compiled and interpreted steps.
fn ask(text: &str, formula: &str) -> (Loaded, Verdict) {
    let mut loaded = load_text(text);
    let property = loaded.ask(Asked::Ltl, formula).unwrap_or_else(|problems| panic!("{problems:?}"));
    let model = loaded.model.as_ref().expect("a model");
    let verdict = |code: Code| {
        let options = CheckOptions { code, properties: vec![property], ..CheckOptions::default() };
        check(model, &options, &mut NoMonitor).verdicts.remove(0)
    };
    let (native, interpreted) = (verdict(Code::Native), verdict(Code::Interpreted));
    assert_eq!((native.answer, &native.trace), (interpreted.answer, &interpreted.trace));
    (loaded, native)
}

fn trace_of(text: &str, formula: &str) -> Trace {
    let (_, verdict) = ask(text, formula);
    assert_eq!(verdict.answer, Answer::Violated, "{formula}");
    verdict.trace.expect("a violation has a trace")
}

const BLINKING: &str = "bool on; active proctype p() { do :: on = true; on = false od }\n";
const CHOICE: &str = "byte x; active proctype p() { do :: x = 1 :: x = 2 od }\n";
const ENDING: &str = "byte x; active proctype p() { x = 1; x = 2 }\n";

#[test]
fn formulas_about_cycles_are_answered() {
    for (formula, answer) in [
        ("[] <> on", Answer::Holds),
        ("<> [] on", Answer::Violated),
        ("[] (on -> <> !on)", Answer::Holds),
        ("[] (on -> X !on)", Answer::Holds),
        ("[] (!on -> X !on)", Answer::Violated),
        ("!on U on", Answer::Holds),
        ("true", Answer::Holds),
        ("false", Answer::Violated),
    ] {
        assert_eq!(ask(BLINKING, formula).1.answer, answer, "{formula}");
    }
}

#[test]
fn a_lasso_has_a_loop_and_replays() {
    let trace = trace_of(CHOICE, "<> (x == 2)");
    let loop_at = trace.loop_at.expect("a loop");
    assert!(loop_at < trace.choices.len());
}

#[test]
fn a_finite_violation_is_the_nearest_and_has_no_loop() {
    let trace = trace_of(ENDING, "[] (x < 2)");
    assert_eq!((trace.choices.len(), trace.loop_at), (2, None));
    let trace = trace_of(ENDING, "false");
    assert_eq!((trace.choices.len(), trace.loop_at), (0, None));
}

#[test]
fn a_run_that_ends_repeats_its_last_state() {
    assert_eq!(ask(ENDING, "<> [] (x == 2)").1.answer, Answer::Holds);
    let trace = trace_of(ENDING, "[] <> (x == 1)");
    let loop_at = trace.loop_at.expect("a loop");
    assert_eq!(trace.choices.len() - loop_at, 1, "the loop is one step that changes nothing");
}

#[test]
fn a_trace_that_does_not_violate_the_formula_is_refused() {
    let (loaded, verdict) = ask(CHOICE, "<> (x == 2)");
    let model = loaded.model.expect("a model");
    let trace = verdict.trace.expect("a trace");
    assert!(try_replay(&model, verdict.property, &trace).is_ok());
    // The second choice makes x = 2 and closes no loop, or one on which the formula holds.
    let mut other = trace.clone();
    other.choices = vec![1, 1];
    other.loop_at = Some(1);
    assert!(try_replay(&model, verdict.property, &other).is_err());
    other.loop_at = None;
    assert!(try_replay(&model, verdict.property, &other).is_err());
}

#[test]
fn a_proposition_that_cannot_be_evaluated_is_a_finding_where_it_is_asked_for() {
    let text = "byte x; byte a[2]; active proctype p() { x = 1; x = 2 }\n";
    let (_, verdict) = ask(text, "[] (a[x] == 0)");
    assert_eq!(verdict.answer, Answer::Violated);
    let trace = verdict.trace.expect("a trace");
    assert_eq!((trace.choices.len(), trace.loop_at), (2, None));
    // Nobody looks at the array when the counter is too large.
    assert_eq!(ask(text, "[] (x < 2 -> a[x] == 0)").1.answer, Answer::Holds);
}

#[test]
fn limits_leave_a_formula_open() {
    let mut loaded = load_text("int x; active proctype p() { do :: x++ od }");
    let property = loaded.ask(Asked::Ltl, "[] <> (x >= 0 || x < 0)").expect("a formula");
    let later = loaded.ask(Asked::Ltl, "<> [] (x >= 0)").expect("a formula");
    let model = loaded.model.expect("a model");
    let base = CheckOptions { properties: vec![property, later], ..CheckOptions::default() };
    for (options, stop) in [
        (CheckOptions { max_states: Some(100), ..base.clone() }, Stop::States),
        (CheckOptions { max_depth: Some(50), ..base }, Stop::Depth),
    ] {
        let verdicts = check(&model, &options, &mut NoMonitor).verdicts;
        assert_eq!((verdicts[1].answer, verdicts[1].stop), (Answer::Inconclusive, stop));
    }
}

/// The answer about the claim of a program.
fn check_claim(text: &str) -> (Answer, Option<usize>) {
    let model = load_text(text).model.expect("a model");
    let property = PropertyId::from(model.properties.len() - 1);
    let options = CheckOptions { properties: vec![property], ..CheckOptions::default() };
    let verdict = check(&model, &options, &mut NoMonitor).verdicts.remove(0);
    if let Some(trace) = &verdict.trace {
        replay(&model, property, trace);
    }
    (verdict.answer, verdict.trace.and_then(|trace| trace.loop_at))
}

#[test]
fn claims_with_accept_labels_are_about_cycles() {
    let stays_off = "never { do :: !on :: !on -> break od; accept: do :: !on od }";
    assert_eq!(check_claim(&format!("{BLINKING}{stays_off}")), (Answer::Holds, None));
    let always_again = "never { do :: true :: on -> goto accept od; accept: do :: true :: !on od }";
    assert!(matches!(check_claim(&format!("{BLINKING}{always_again}")), (Answer::Violated, None)));
    let once_more = "never { do :: true :: on -> goto accept od; accept: do :: on :: !on od }";
    assert!(matches!(check_claim(&format!("{BLINKING}{once_more}")), (Answer::Violated, Some(_))));
    let stays = "never { do :: true :: x == 1 -> break od; accept: do :: x == 1 od }";
    assert!(matches!(check_claim(&format!("{CHOICE}{stays}")), (Answer::Violated, Some(_))));
}
