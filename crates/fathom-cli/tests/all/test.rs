//! `fathom test` as a whole program.

use crate::common::Folder;

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
    folder.run(&["test", "lamp.xta", "--cover", "everything"]).expect(2);
    folder.run(&["test", "lamp.xta", "--trap", "P.nowhere"]).expect(2);
}

fn summary(folder: &Folder, words: &[&str]) -> (u64, u64, u64) {
    let all = [&["test"][..], words, &["--format", "json", "--quiet"]].concat();
    let summary = folder.run(&all).expect(0).json()["summary"].clone();
    let of = |key: &str| summary[key].as_u64().expect("a number");
    (of("goals"), of("covered"), of("infeasible"))
}

/// A door that is opened with a key.
const DOOR: &str = "namespace Doors { enum Mode { Open, Shut, Broken }
static class Door {
    static Mode mode = Mode.Shut; static bool locked = false; static int uses = 0;
    static bool OpenEnabled() { return mode == Mode.Shut && !locked && uses < 3; }
    [Requirement(\"D-1\", \"a door that is not locked opens\")]
    [Action] static void Open() { mode = Mode.Open; uses = uses + 1; }
    static bool ShutEnabled() { return mode == Mode.Open; }
    [Action] static void Shut() { mode = Mode.Shut; }
    [Requirement(\"D-2\", \"a door is locked when it is shut\")]
    static bool LockEnabled() { return mode == Mode.Shut && !locked; }
    [Action] static void Lock() { locked = true; }
    static bool SmashEnabled() { return uses > 9; }
    [Requirement(\"D-3\", \"no door is for ever\")]
    [Action] static void Smash() { mode = Mode.Broken; }
} }";

#[test]
fn model_programs_have_requirements_values_and_definitions() {
    let folder = Folder::with(&[("door.cs", DOOR)]);
    let words = ["test", "door.cs", "--cover", "requirements", "--format", "json", "--quiet"];
    let report = folder.run(&words).expect(0).json();
    let goals: Vec<(&str, &str)> = report["goals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|goal| (goal["text"].as_str().unwrap(), goal["answer"].as_str().unwrap()))
        .collect();
    let expected = [
        ("D-1: a door that is not locked opens", "covered"),
        ("D-2: a door is locked when it is shut", "covered"),
        ("D-3: no door is for ever", "infeasible"),
    ];
    assert_eq!(goals, expected);
    // Two values of locked, three of the mode, of which one never comes.
    assert_eq!(summary(&folder, &["door.cs", "--cover", "values"]), (5, 4, 1));
    let words = ["test", "door.cs", "--cover", "def-use", "--format", "json", "--quiet"];
    let report = folder.run(&words).expect(0).json();
    let answer = |text: &str| {
        let goals = report["goals"].as_array().unwrap();
        goals.iter().find(|goal| goal["text"] == text).map(|goal| goal["answer"].clone())
    };
    assert_eq!(answer("Door.mode: Doors: Open | Doors: Shut"), Some("covered".into()), "{report}");
    assert_eq!(answer("Door.locked: Doors: Lock | Doors: Open"), Some("infeasible".into()), "{report}");
}

#[test]
fn clocks_are_defined_and_used_and_bits_have_values() {
    let lamp = "clock x; bool lit; process P() { state off, on { x <= 10 }; init off; trans
        off -> on { assign x = 0, lit = true; }, on -> on { guard x >= 2; assign x = 0; },
        on -> off { guard x >= 5; assign lit = false; }; } system P;";
    let folder = Folder::with(&[("lamp.xta", lamp)]);
    // Both edges that set the clock, each followed by both that read it.
    assert_eq!(summary(&folder, &["lamp.xta", "--cover", "def-use"]), (4, 4, 0));
    assert_eq!(summary(&folder, &["lamp.xta", "--cover", "values"]), (2, 2, 0));
}

#[test]
fn tours_take_every_step_of_every_state() {
    let text = "byte n; active proctype p() { do :: atomic { n < 3 -> n++ } :: atomic { n > 0 -> n-- } od }";
    let folder = Folder::with(&[("m.pml", text)]);
    let words = ["test", "m.pml", "--tests", "tour", "--format", "json", "--quiet"];
    let report = folder.run(&words).expect(0).json();
    // Four states, three ways up and three down: up and down again, nothing twice.
    assert_eq!(report["tests"].as_array().unwrap().len(), 1, "{report}");
    assert_eq!(report["summary"]["steps"], 6);
    let limited = folder.run(&["test", "m.pml", "--tests", "tour", "--max-states", "2", "--quiet"]).expect(3);
    assert!(limited.stdout.contains("not-found (states)"), "{}", limited.stdout);
    // Long tests need two steps for the same transitions.
    assert_eq!(
        folder.run(&["test", "m.pml", "--format", "json", "--quiet"]).expect(0).json()["summary"]["steps"],
        2
    );
    let lamp =
        "clock x; process P() { state off, on { x <= 10 }; init off; trans off -> on { assign x = 0; },
        on -> off { guard x >= 5; }, on -> on { guard x >= 7; }; } system P;";
    let folder = Folder::with(&[("lamp.xta", lamp)]);
    let ran =
        folder.run(&["test", "lamp.xta", "--tests", "tour", "--cover", "1-switch", "--quiet"]).expect(0);
    assert!(ran.stdout.contains("0 not found"), "{}", ran.stdout);
}

#[test]
fn criteria_that_count_are_goals_in_every_language() {
    let folder = Folder::with(&[("m.pml", COUNTER), ("door.cs", DOOR)]);
    let goal = |file: &str, goal: &str| {
        let words = ["test", file, "--goal", goal, "--format", "json", "--quiet"];
        folder.run(&words).expect(0).json()
    };
    let report = goal("m.pml", "any value >= 7 for sysvars n then action \"p: n = 0\"");
    assert_eq!((&report["counted"]["answer"], &report["counted"]["rate"]), (&"covered".into(), &1.0.into()));
    // Up to nine, and back: the shortest way.
    assert_eq!(
        (&report["summary"]["steps"], &report["summary"]["goals"]),
        (&20.into(), &0.into()),
        "{report}"
    );
    let report = goal("m.pml", "every value >= 2 for actions \"p: n = 0\"");
    assert_eq!(report["summary"]["steps"], 40, "{report}");
    let report = goal("m.pml", "any value >= 12 for sysvars n");
    assert_eq!(
        (&report["counted"]["answer"], &report["counted"]["rate"]),
        (&"infeasible".into(), &0.75.into())
    );
    let report = goal("door.cs", "action Open then action Shut then action Lock");
    let calls: Vec<&str> = report["tests"][0]["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["moves"][0]["text"].as_str().unwrap())
        .collect();
    assert_eq!(calls, ["Open()", "Shut()", "Lock()"]);
    let text = folder
        .run(&["test", "door.cs", "--goal", "any value >= 4 for sysvars Door.uses", "--quiet"])
        .expect(0)
        .stdout;
    assert!(
        text.contains("goal covered to 75%, and more cannot be: any value >= 4 for sysvars Door.uses"),
        "{text}"
    );
    let limited = ["test", "m.pml", "--goal", "any value >= 9 for sysvars n", "--max-states", "1", "--quiet"];
    folder.run(&limited).expect(3);
    let wrong =
        folder.run(&["test", "m.pml", "--goal", "action nothing", "--format", "json", "--quiet"]).expect(2);
    assert_eq!(wrong.json()["diagnostics"][0]["code"], "coverage::matches-nothing");
    folder.run(&["test", "m.pml", "--goal", "action", "--quiet"]).expect(2);
}

#[test]
fn criteria_count_on_timed_automata_too() {
    let lamp =
        "clock x; process P() { state off, on { x <= 10 }; init off; trans off -> on { assign x = 0; },
        on -> off { guard x >= 5; }; } system P;";
    let folder = Folder::with(&[("lamp.xta", lamp)]);
    let words =
        ["test", "lamp.xta", "--goal", "any value >= 2 for states \"P = on\"", "--format", "json", "--quiet"];
    let report = folder.run(&words).expect(0).json();
    let delays: Vec<f64> = report["tests"][0]["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["delay"].as_f64().unwrap())
        .collect();
    assert_eq!(delays, [0.0, 5.0, 0.0], "{report}");
}

#[test]
fn constants_of_uppaal_are_defined_on_the_command_line() {
    let text = "const int n = 2; int[0, n] v; process P() { state s; init s; trans s -> s { guard v < n; assign v++; },
        s -> s { guard v == n; assign v = 0; }; } system P;";
    let folder = Folder::with(&[("m.xta", text)]);
    let steps = |words: &[&str]| {
        let all = [&["test", "m.xta", "--format", "json", "--quiet"][..], words].concat();
        folder.run(&all).expect(0).json()["summary"]["steps"].as_u64().unwrap()
    };
    assert_eq!((steps(&[]), steps(&["-D", "n=40"])), (3, 41));
    folder.run(&["check", "m.xta", "-D", "n=9", "--reach", "v == 9"]).expect(0);
    let wrong = folder.run(&["test", "m.xta", "-D", "m=9"]).expect(2);
    assert!(wrong.stderr.contains("no global constant 'm'"), "{}", wrong.stderr);
}

/// Whether a program can be run.
fn has(program: &str) -> bool {
    let found = std::process::Command::new(program).arg("--version").output().is_ok();
    if !found {
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            format!("skipped: there is no {program}\n").as_bytes(),
        );
    }
    found
}

#[test]
fn code_from_templates_is_understood_by_compilers() {
    let lamp =
        "clock x; process P() { state off, on { x <= 10 }; init off; trans off -> on { assign x = 0; },
        on -> off { guard 2 * x >= 5; }; } system P;";
    let lamp = lamp.replace("2 * x >= 5", "x >= 5");
    let quotes = "active proctype p() { do :: printf(\"a \\\"b\\\" \\\\ %d\\n\", 1) :: break od }";
    let folder = Folder::with(&[("lamp.xta", &lamp), ("m.pml", quotes), ("door.cs", DOOR)]);
    let checks: [(&str, &str, &str, &[&str]); 3] = [
        ("python", "t.py", "python3", &["-m", "py_compile", "t.py"]),
        (
            "rust",
            "t.rs",
            "rustc",
            &["--edition=2024", "--crate-type=lib", "--emit=metadata", "-Dwarnings", "t.rs"],
        ),
        ("c", "t.c", "cc", &["-std=c99", "-Wall", "-Werror", "-fsyntax-only", "t.c"]),
    ];
    for model in ["lamp.xta", "m.pml", "door.cs"] {
        for (template, file, program, words) in checks {
            let made = ["test", model, "--template", template, "--code", file, "--force", "--quiet"];
            folder.run(&made).expect(0);
            if has(program) {
                let ran =
                    std::process::Command::new(program).args(words).current_dir(folder.path(".")).output();
                let ran = ran.expect("it can be run");
                let said = String::from_utf8_lossy(&ran.stderr);
                assert!(ran.status.success(), "{model}, {template}: {said}\n{}", folder.read(file));
            }
        }
    }
}

#[test]
fn a_template_of_ones_own_is_filled() {
    let template = "{{file}} {{n_tests}}\n{{#tests}}\n{{test}}:{{#steps}} {{#moves}}{{text}}{{/moves}}{{/steps}}\n{{/tests}}\n";
    let folder = Folder::with(&[("door.cs", DOOR), ("own.txt", template)]);
    let goal = "action Open then action Lock";
    folder
        .run(&["test", "door.cs", "--goal", goal, "--template", "own.txt", "--code", "out.txt", "--quiet"])
        .expect(0);
    assert_eq!(folder.read("out.txt"), "door.cs 1\n1: Open() Shut() Lock()\n");
}
