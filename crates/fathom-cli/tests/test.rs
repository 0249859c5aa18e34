//! `fathom test` as a whole program.

mod common;

use common::Folder;

const COUNTER: &str =
    "byte n; active proctype p() { do :: n < 9 -> n++ :: n == 9 -> n = 0 :: n > 9 -> break od }";

#[test]
fn every_goal_is_covered_or_proved_infeasible() {
    let folder = Folder::with(&[("m.pml", COUNTER)]);
    let report = folder.run(&["test", "m.pml", "--format", "json", "--quiet"]).expect(0).json();
    assert_eq!(report["summary"]["covered"], 4);
    assert_eq!(report["summary"]["infeasible"], 2);
    assert_eq!(report["summary"]["steps"], 20);
    let goals = report["goals"].as_array().unwrap();
    assert!(
        goals.iter().any(|goal| goal["text"] == "p: (n>9)" && goal["answer"] == "infeasible"),
        "{goals:?}"
    );
    let text = folder.run(&["test", "m.pml", "--quiet"]).expect(0).stdout;
    assert!(text.contains("6 goals: 4 covered, 2 infeasible, 0 not found"), "{text}");
    assert!(text.contains("1 test with 20 steps"), "{text}");
}

#[test]
fn a_limit_leaves_goals_open() {
    let folder = Folder::with(&[("m.pml", COUNTER)]);
    let ran = folder.run(&["test", "m.pml", "--max-states", "3", "--quiet"]).expect(3);
    assert!(ran.stdout.contains("not-found (states)"), "{}", ran.stdout);
}

#[test]
fn engines_guides_and_forms_agree_on_what_is_covered() {
    let folder = Folder::with(&[("m.pml", COUNTER)]);
    for engine in ["bfs", "dfs", "best", "isr"] {
        for guide in ["none", "uniform", "tuned", "distance"] {
            for tests in ["long", "short"] {
                let flags = ["--engine", engine, "--guide", guide, "--tests", tests, "--cover", "1-switch"];
                let arguments = [&["test", "m.pml", "--format", "json", "--quiet"][..], &flags].concat();
                let summary = folder.run(&arguments).expect(0).json()["summary"].clone();
                assert_eq!(
                    (&summary["covered"], &summary["infeasible"]),
                    (&5.into(), &4.into()),
                    "{flags:?}"
                );
            }
        }
    }
}

#[test]
fn a_shortened_sequence_says_that_it_is_shortest() {
    let folder = Folder::with(&[("m.pml", COUNTER)]);
    let arguments = ["test", "m.pml", "--engine", "dfs", "--shorten", "bfs", "--format", "json", "--quiet"];
    let summary = folder.run(&arguments).expect(0).json()["summary"].clone();
    assert_eq!((&summary["shortest"], &summary["steps"]), (&true.into(), &20.into()));
}

#[test]
fn pictures_and_code_are_written_and_not_overwritten() {
    let folder = Folder::with(&[("m.pml", COUNTER)]);
    let arguments =
        ["test", "m.pml", "--picture", "m.svg", "--template", "python", "--code", "m.py", "--quiet"];
    folder.run(&arguments).expect(0);
    assert!(folder.read("m.svg").contains("<svg"));
    let code = folder.read("m.py");
    assert!(code.contains("def test_1(it):") && code.contains("it.step(\"p[0]\", \"(n<9)\")"), "{code}");
    assert!(!code.contains("{{") && !code.contains("it.wait("), "{code}");
    folder.run(&arguments).expect(2);
    for (language, mark) in [("rust", "pub fn test_1("), ("c", "int test_1(void)")] {
        let arguments = ["test", "m.pml", "--template", language, "--code", "m.txt", "--force", "--quiet"];
        folder.run(&arguments).expect(0);
        assert!(folder.read("m.txt").contains(mark));
    }
    folder.run(&["test", "m.pml", "--picture", "m.dot", "--quiet"]).expect(0);
    assert!(folder.read("m.dot").contains("color=darkgreen"));
}

#[test]
fn a_template_with_a_mistake_is_refused() {
    let folder = Folder::with(&[("m.pml", COUNTER), ("t.txt", "{{#tests}} {{nothing}} {{/tests}}")]);
    let ran = folder.run(&["test", "m.pml", "--template", "t.txt", "--code", "x.txt", "--quiet"]).expect(2);
    assert!(ran.stderr.contains("unknown field 'nothing'"), "{}", ran.stderr);
}

#[test]
fn messages_are_charts_and_traps_and_requirements_are_goals() {
    let text = "chan c = [0] of { byte }; byte got;
        active proctype a() { c ! 1; req_second: c ! 2 }
        active proctype b() { do :: c ? got od }";
    let folder = Folder::with(&[("m.pml", text)]);
    let arguments =
        ["test", "m.pml", "--cover", "requirements", "--trap", "got == 1", "--trap", "got == 3", "--msc"];
    let ran = folder.run(&[&arguments[..], &["--quiet"]].concat()).expect(0);
    assert!(ran.stdout.contains("3 goals: 2 covered, 1 infeasible"), "{}", ran.stdout);
    assert!(ran.stdout.contains("infeasible  trap got == 3"), "{}", ran.stdout);
    assert!(ran.stdout.contains("c!1"), "{}", ran.stdout);
}

#[test]
fn timed_automata_wait_and_programs_call() {
    let lamp =
        "clock x; process P() { state off, on { x <= 10 }; init off; trans off -> on { assign x = 0; },
        on -> off { guard x >= 5; }; } system P;";
    let folder = Folder::with(&[("lamp.xta", lamp)]);
    let ran = folder.run(&["test", "lamp.xta", "--quiet"]).expect(0);
    assert!(ran.stdout.contains("wait 5, P: on -> off"), "{}", ran.stdout);
    folder.run(&["test", "lamp.xta", "--cover", "values"]).expect(2);
    folder.run(&["test", "lamp.xta", "--cover", "everything"]).expect(2);
    folder.run(&["test", "lamp.xta", "--trap", "P.nowhere"]).expect(2);
}
