//! Formulas of the property specification language on small models.

use fathom_model::{Answer, RunEnd};
use fathom_search::NoMonitor;
use fathom_source::MemoryLoader;

use crate::{Asked, CheckOptions, Code, Language, check, load, try_replay};

/// The answer about a formula, the same for compiled and interpreted steps.
fn answer(text: &str, formula: &str, end: RunEnd) -> Answer {
    let loader = MemoryLoader::new().with("m.pml", text);
    let mut loaded = load("m.pml", Language::Promela, &loader, &[]).expect("the program is there");
    let property =
        loaded.ask(Asked::Psl(end), formula).unwrap_or_else(|problems| panic!("{formula}: {problems:?}"));
    let model = loaded.model.expect("a model");
    let [native, interpreted] = [Code::Native, Code::Interpreted].map(|code| {
        let options = CheckOptions { code, properties: vec![property], ..CheckOptions::default() };
        check(&model, &options, &mut NoMonitor).verdicts.remove(0)
    });
    assert_eq!((native.answer, &native.trace), (interpreted.answer, &interpreted.trace), "{formula}");
    if let Some(trace) = &native.trace {
        assert!(try_replay(&model, property, trace).is_ok(), "{formula}");
    }
    native.answer
}

const BLINKING: &str = "bool on; active proctype p() { do :: on = true; on = false od }\n";
const CHOICE: &str = "byte x; active proctype p() { do :: x = 1 :: x = 2 od }\n";
const ENDING: &str = "byte x; active proctype p() { x = 1; x = 2; end: false }\n";

#[test]
fn formulas_about_endless_runs_are_answered() {
    use Answer::{Holds, Violated};
    for (model, formula, expected) in [
        (BLINKING, "always (on -> next !on)", Holds),
        (BLINKING, "always (!on -> next !on)", Violated),
        (BLINKING, "{!on[+]; on} |=> !on", Holds),
        (BLINKING, "always {on; !on} |=> !on", Violated),
        (BLINKING, "never {on; on}", Holds),
        (BLINKING, "eventually! {on; !on}", Holds),
        (BLINKING, "always eventually! on", Holds),
        (CHOICE, "eventually! (x == 2)", Violated),
        (CHOICE, "(x != 2) until (x == 2)", Holds),
        (CHOICE, "(x != 2) until! (x == 2)", Violated),
        (CHOICE, "always ({x == 1; x == 2} |-> next (x > 0))", Holds),
        (CHOICE, "{[*]; {x == 1; x == 2}[*2]}!", Violated),
        (CHOICE, "always (x == 1 -> next_e[1:3] (x == 2))", Violated),
        (CHOICE, "(always (x == 1)) abort x == 2", Violated),
        (CHOICE, "(next always (x == 1)) abort x == 2", Holds),
    ] {
        for end in [RunEnd::Stutter, RunEnd::Neutral, RunEnd::Weak, RunEnd::Strong] {
            assert_eq!(answer(model, formula, end), expected, "{formula} with {end:?}");
        }
    }
}

#[test]
fn runs_that_end_are_seen_in_the_chosen_view() {
    use Answer::{Holds, Violated};
    for (formula, [stutter, neutral, weak, strong]) in [
        ("always (x <= 2)", [Holds, Holds, Holds, Violated]),
        ("always (x < 2)", [Violated, Violated, Violated, Violated]),
        ("eventually! (x == 2)", [Holds, Holds, Holds, Holds]),
        ("eventually! (x == 3)", [Violated, Violated, Holds, Violated]),
        ("always (x == 2 -> next! (x == 2))", [Holds, Violated, Holds, Violated]),
        ("always (x == 2 -> next (x == 3))", [Violated, Holds, Holds, Violated]),
        ("(x < 3) until (x == 3)", [Holds, Holds, Holds, Violated]),
        ("(x < 3) until! (x == 3)", [Violated, Violated, Holds, Violated]),
        ("{x == 0; x == 1; x == 2; x == 2}", [Holds, Holds, Holds, Violated]),
        ("{x == 0; x == 1; x == 2; x == 2}!", [Holds, Violated, Holds, Violated]),
        ("{x == 0; x == 1; x == 2}!", [Holds, Holds, Holds, Holds]),
    ] {
        let ends = [RunEnd::Stutter, RunEnd::Neutral, RunEnd::Weak, RunEnd::Strong];
        let found = ends.map(|end| answer(ENDING, formula, end));
        assert_eq!(found, [stutter, neutral, weak, strong], "{formula}");
    }
}

#[test]
fn patterns_are_checked_as_the_formulas_that_they_stand_for() {
    let loader = MemoryLoader::new().with("m.pml", CHOICE);
    let mut loaded = load("m.pml", Language::Promela, &loader, &[]).expect("the program is there");
    let cases = [
        ("absence(x == 3)", Answer::Holds),
        ("response(x == 1, x == 2)", Answer::Violated),
        ("existence(x > 0)", Answer::Holds),
        ("precedence(x == 1, x == 2)", Answer::Violated),
        ("universality(x > 0) after x > 0", Answer::Holds),
        ("absence(x == 2) between x == 1 and x == 2", Answer::Holds),
    ];
    let asked = cases.map(|(text, _)| {
        loaded.ask(Asked::Pattern, text).unwrap_or_else(|problems| panic!("{text}: {problems:?}"))
    });
    assert_eq!(loaded.expansions[1].1.ltl, "[] ((x == 1) -> <> (x == 2))");
    assert_eq!(loaded.expansions[1].1.ctl, "AG ((x == 1) -> AF (x == 2))");
    // The formula in the other logic has the same answer.
    let branching: Vec<_> = loaded.expansions.clone().into_iter().map(|(_, found)| found.ctl).collect();
    let branching: Vec<_> =
        branching.iter().map(|text| loaded.ask(Asked::Ctl, text).expect("a formula")).collect();
    let model = loaded.model.expect("a model");
    let options =
        CheckOptions { properties: asked.into_iter().chain(branching).collect(), ..CheckOptions::default() };
    let verdicts = check(&model, &options, &mut NoMonitor).verdicts;
    for (index, (text, expected)) in cases.into_iter().enumerate() {
        assert_eq!(verdicts[index].answer, expected, "{text}");
        assert_eq!(verdicts[cases.len() + index].answer, expected, "{text} as CTL");
    }
}
