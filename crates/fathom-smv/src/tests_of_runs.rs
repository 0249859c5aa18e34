//! Which runs count: fairness, compassion, and which process makes a step.

use fathom_model::Question;

use crate::tests::{codes, model};

#[test]
fn compassion_may_be_about_steps() {
    for (text, names) in [
        (
            "MODULE main IVAR i : boolean; VAR x : boolean; COMPASSION (i, x) LTLSPEC G F x",
            vec!["x", "compassion-1"],
        ),
        (
            "MODULE main VAR x : boolean; p : process m(x); COMPASSION (TRUE, p.running) LTLSPEC F x MODULE m(x) ASSIGN next(x) := TRUE;",
            vec!["x", "compassion-1"],
        ),
        ("MODULE main VAR x : boolean; COMPASSION (x, !x) LTLSPEC F x", vec!["x"]),
    ] {
        let model = model(text);
        let found: Vec<&str> = model.globals.variables.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(found, names, "{text}");
        assert!(matches!(model.properties[3].question, Question::Ltl(_)));
    }
}

#[test]
fn fairness_is_about_one_step_and_processes() {
    for (text, code) in [
        ("MODULE main VAR x : boolean; FAIRNESS next(x)", "smv::next"),
        ("MODULE main VAR x : boolean; COMPASSION (x, next(x))", "smv::next"),
        ("MODULE main VAR x : boolean; FAIRNESS running", "smv::running"),
        (
            "MODULE main VAR p : process m; MODULE m VAR s : n; MODULE n VAR x : boolean; FAIRNESS running",
            "smv::running",
        ),
    ] {
        assert_eq!(codes(text), [code], "{text}");
    }
    assert!(codes("MODULE main VAR p : process m; MODULE m VAR x : boolean; FAIRNESS running").is_empty());
}
