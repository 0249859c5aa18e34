//! The command line of a program written in Rust, for programs in which something is wrong: this executable is the program when it starts
//! itself, so that it has a `main` of its own.

#![allow(clippy::print_stdout)] // as any test without a harness

use std::process::{Command, ExitCode, Output};

use fathom::program::{Data, Program, Property};

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
struct Count {
    n: u64,
    r#type: Option<Option<bool>>,
    text: String,
}

/// Counts to ten, unless something is wrong with it.
struct Odd {
    wrong: String,
}

impl Program for Odd {
    type State = Count;
    type Action = u64;

    fn initial(&self) -> Vec<Count> {
        match &*self.wrong {
            "nowhere" => Vec::new(),
            _ => vec![Count { n: 0, r#type: None, text: "x".repeat(90) }],
        }
    }

    fn actions(&self, state: &Count, actions: &mut Vec<u64>) {
        assert!(self.wrong != "actions" || state.n < 4, "no actions any more");
        actions.extend((state.n < 10).then_some(1));
    }

    fn apply(&self, by: &u64, state: &mut Count) {
        let limits = [9_u64; 6];
        if self.wrong == "apply" {
            assert!(state.n < limits[state.n as usize], "too many");
        }
        state.n += by;
        state.r#type = [None, Some(None), Some(Some(true))][state.n as usize % 3];
    }

    fn properties(&self) -> Vec<Property<Count>> {
        let wrong = self.wrong.clone();
        let small = move |state: &Count| {
            assert!(wrong != "property" || state.n < 4, "a property that panics");
            state.n < 8
        };
        match &*self.wrong {
            "nothing" => Vec::new(),
            "twins" => vec![
                Property::always("small", small),
                Property::no_deadlock(),
                Property::reach("small", |_| true),
            ],
            _ => vec![Property::always("small", small)],
        }
    }

    fn distance(&self, state: &Count) -> Option<u32> {
        (self.wrong == "distance").then_some(10 - state.n as u32)
    }
}

/// What makes this executable the program.
const IS_PROGRAM: &str = "FATHOM_TEST_IS_PROGRAM";

fn main() -> ExitCode {
    if std::env::var_os(IS_PROGRAM).is_some() {
        return fathom::cli::main(&Odd { wrong: fathom::cli::parameter("WRONG", String::new()) });
    }
    panics_are_blamed_on_the_program();
    names_are_for_one_property();
    what_is_not_there_is_warned_of();
    values_are_told_apart_and_shown_in_full();
    guided_engines_have_their_parameters();
    println!("test command ... ok");
    ExitCode::SUCCESS
}

/// Runs a command, which has to end with this status.
fn run(status: i32, words: &[&str]) -> (String, String) {
    let executable = std::env::current_exe().expect("a path");
    let ran = Command::new(executable).args(words).env(IS_PROGRAM, "1").output();
    let Output { status: ended, stdout, stderr } = ran.expect("it starts");
    let (out, err) = (String::from_utf8(stdout).expect("text"), String::from_utf8(stderr).expect("text"));
    assert_eq!(ended.code(), Some(status), "{words:?}\n{out}\n{err}");
    (out, err)
}

fn panics_are_blamed_on_the_program() {
    for (wrong, doing) in [
        ("apply", "`apply` of 1 in the state n = 6, type = none"),
        ("actions", "`actions` in the state n = 4"),
        ("property", "the property 'small' in the state n = 4"),
    ] {
        let define = format!("-DWRONG={wrong}");
        for words in
            [&["check", "--threads", "2"][..], &["check", "--engine", "dfs"], &["hunt", "--time", "20s"]]
        {
            let (_, err) = run(2, &[words, &[&define]].concat());
            assert!(err.contains("panicked at"), "{err}");
            assert!(err.contains(&format!("the program panicked in {doing}")), "{err}");
            assert!(!err.contains("bug in Fathom"), "{err}");
        }
        let (out, _) = run(2, &["check", "--format", "json", &define]);
        assert!(out.contains("\"error\": \"the program panicked in "), "{out}");
    }
}

fn names_are_for_one_property() {
    for command in [&["check"][..], &["check", "--property", "small"], &["hunt"], &["graph"], &["info"]] {
        let (_, err) = run(2, &[command, &["-D", "WRONG=twins"]].concat());
        assert!(err.contains("two properties with the name 'small'"), "{err}");
    }
}

fn what_is_not_there_is_warned_of() {
    for command in ["check", "info"] {
        let (out, _) = run(0, &[command, "-D", "WRONG=nowhere"]);
        assert!(out.contains("warning: there is no initial state"), "{out}");
        let (out, _) = run(0, &[command, "-D", "WRONG=nothing"]);
        assert!(out.contains("warning: the program has no properties"), "{out}");
    }
    let (out, _) = run(1, &["check"]);
    assert!(!out.contains("warning"), "{out}");
}

fn values_are_told_apart_and_shown_in_full() {
    let (out, _) = run(1, &["check"]);
    assert!(out.contains("type = none") && out.contains("type = some(none)"), "{out}");
    let (short, _) = run(0, &["graph"]);
    let (full, _) = run(0, &["graph", "--full"]);
    let value = "x".repeat(90);
    assert!(!short.contains(&value) && full.contains(&value), "{short}{full}");
}

/// A check of a program with an idea of distances.
fn guided<'w>(words: &[&'w str]) -> Vec<&'w str> {
    [&["check", "-D", "WRONG=distance"], words].concat()
}

fn guided_engines_have_their_parameters() {
    let (out, _) = run(1, &guided(&["--engine", "beam", "--beam-width", "3"]));
    assert!(out.contains("--beam-width 3"), "{out}");
    let (out, _) = run(1, &guided(&["--engine", "astar", "--weight", "2"]));
    assert!(out.contains("--weight 2"), "{out}");
    run(2, &guided(&["--engine", "astar", "--weight", "-1"]));
    run(2, &guided(&["--engine", "bfs", "--weight", "2"]));
    run(2, &guided(&["--engine", "astar", "--beam-width", "2"]));
}
