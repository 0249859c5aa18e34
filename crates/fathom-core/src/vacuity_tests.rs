//! Formulas that hold for the wrong reason, and the states that satisfy a formula.

use fathom_model::{Answer, RunEnd, Stop};
use fathom_search::NoMonitor;
use fathom_source::MemoryLoader;

use crate::{Asked, CheckOptions, Constant, Insight, Language, Loaded, check, load};

/// A light that blinks, and a lamp that nobody touches.
const LIGHTS: &str = "bool on, lamp; active proctype p() { do :: on = true; on = false od }\n";

fn load_text(text: &str) -> Loaded {
    let loader = MemoryLoader::new().with("m.pml", text);
    load("m.pml", Language::Promela, &loader, &[]).expect("the program is there")
}

fn insight(asked: Asked, formula: &str) -> (Answer, Option<Insight>) {
    let mut loaded = load_text(LIGHTS);
    let property = loaded.ask(asked, formula).unwrap_or_else(|problems| panic!("{formula}: {problems:?}"));
    let model = loaded.model.expect("a model");
    let options = CheckOptions { properties: vec![property], vacuity: true, ..CheckOptions::default() };
    let mut report = check(&model, &options, &mut NoMonitor);
    (report.verdicts[0].answer, report.insights.pop())
}

#[test]
fn what_follows_from_something_that_never_happens_does_not_matter() {
    for (asked, formula, part, cause) in [
        (Asked::Ltl, "[] (lamp -> <> on)", "<> on", Some("lamp")),
        (Asked::Ctl, "AG (lamp -> AF on)", "AF on", Some("lamp")),
        (Asked::Ctl, "AG (EF lamp -> on)", "on", Some("EF lamp")),
        (
            Asked::Psl(RunEnd::Stutter),
            "always (lamp -> next on)",
            "in the next state, if there is one, `on`",
            Some("`lamp`"),
        ),
        (
            Asked::Psl(RunEnd::Neutral),
            "always {on; lamp} |-> on",
            "`on`",
            Some("`on`, then `lamp` happens from here on"),
        ),
        (Asked::Pattern, "response(lamp, on)", "<> on", Some("lamp")),
        (Asked::Ltl, "[] <> (on || lamp) || [] lamp", "[] lamp", None),
    ] {
        let (answer, found) = insight(asked, formula);
        assert_eq!(answer, Answer::Holds, "{formula}");
        let found = found.unwrap_or_else(|| panic!("{formula} is vacuous"));
        let vacuous: Vec<(&str, Option<&str>)> =
            found.vacuous.iter().map(|one| (one.part.as_str(), one.cause.as_deref())).collect();
        assert!(vacuous.contains(&(part, cause)), "{formula}: {vacuous:?}");
    }
}

#[test]
fn constant_propositions_are_named() {
    for (asked, formula) in [
        (Asked::Ltl, "<> lamp"),
        (Asked::Ltl, "[] (lamp -> <> on)"),
        (Asked::Ctl, "AG (lamp -> on)"),
        (Asked::Ctl, "EF lamp && EF on"),
        (Asked::Psl(RunEnd::Stutter), "always (lamp -> on)"),
    ] {
        let (_, found) = insight(asked, formula);
        let constants = found.map(|found| found.constants).unwrap_or_default();
        let expected = Constant { proposition: "lamp".to_owned(), value: false };
        assert_eq!(constants, [expected], "{formula}");
    }
    // An invariant that holds says itself that it is constant.
    for (asked, formula) in [(Asked::Ltl, "[] !lamp"), (Asked::Ctl, "AG !lamp")] {
        let (answer, found) = insight(asked, formula);
        assert_eq!(answer, Answer::Holds, "{formula}");
        assert!(found.is_none_or(|found| found.constants.is_empty()), "{formula}");
    }
}

#[test]
fn a_formula_in_which_everything_matters_is_not_vacuous() {
    for (asked, formula) in [
        (Asked::Ltl, "[] (on -> X !on)"),
        (Asked::Ctl, "AG (on -> AX !on)"),
        (Asked::Psl(RunEnd::Stutter), "always (on -> next !on)"),
        (Asked::Ctl, "AG AF on"),
    ] {
        let (answer, found) = insight(asked, formula);
        assert_eq!(answer, Answer::Holds, "{formula}");
        assert!(found.is_none_or(|found| found.vacuous.is_empty()), "{formula}");
    }
    // A formula that does not hold has no reason to hold.
    let (answer, found) = insight(Asked::Ctl, "AG on");
    assert_eq!(answer, Answer::Violated);
    assert!(found.is_some_and(|found| found.vacuous.is_empty()));
}

#[test]
fn states_of_a_formula_are_counted_and_listed() {
    let mut loaded = load_text("byte x; active proctype p() { do :: x < 3 -> x++ :: x == 3 -> x = 1 od }\n");
    let states = loaded.ask_states_of("AG x > 0", &[]).expect("a formula");
    let model = loaded.model.expect("a model");
    let options = CheckOptions { states_of: vec![states], n_states_shown: 2, ..CheckOptions::default() };
    let report = check(&model, &options, &mut NoMonitor);
    let [found] = &report.satisfying[..] else { panic!("one formula") };
    assert_eq!(found.stop, Stop::Exhausted);
    assert_eq!(report.statistics.states, found.n_states);
    let [inner, whole] = &found.parts[..] else { panic!("two parts") };
    assert!(inner.n_states == whole.n_states && whole.n_states < found.n_states && !whole.is_initial);
    assert_eq!(found.nearest.len(), 2);
    assert_eq!(found.nearest[0].choices.len(), 2, "one test, one increment");
    let limited = CheckOptions { max_states: Some(2), ..options };
    let report = check(&model, &limited, &mut NoMonitor);
    assert_eq!((report.satisfying[0].stop, report.satisfying[0].parts.len()), (Stop::States, 0));
}
