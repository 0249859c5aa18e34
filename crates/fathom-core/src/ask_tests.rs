//! Properties given as text.

use fathom_source::MemoryLoader;

use crate::{Asked, Language, load};

const MODEL: &str = "#define BOTH (x == 1 && y == 1)
byte x, y; byte a[2];
proctype w(byte p) { here: p = p + 1 }
active proctype q() { byte l; l = 1; L: x = 1 }
init { byte r; r = 2; E: run w(3) }
";

/// The codes of what is wrong with a text.
fn complaints(model: &str, asked: Asked, text: &str) -> Vec<&'static str> {
    let loader = MemoryLoader::new().with("m.pml", model);
    let mut loaded = load("m.pml", Language::Promela, &loader, &[]).expect("the model is there");
    match loaded.ask(asked, text) {
        Ok(_) => Vec::new(),
        Err(diagnostics) => diagnostics.iter().map(|diagnostic| diagnostic.code).collect(),
    }
}

#[test]
fn globals_locals_locations_and_macros_can_be_named() {
    for text in [
        "x < 2",
        "BOTH",
        "q[0]:l == 1",
        "q[0]@L",
        "q@L",
        "init:r == 2",
        "init[1]@E",
        "w[2]:p > 3",
        "a[x] == 0",
    ] {
        assert_eq!(complaints(MODEL, Asked::Invariant, text), [""; 0], "{text}");
    }
    assert_eq!(complaints(MODEL, Asked::Ltl, "[] (BOTH -> <> q@L)"), [""; 0]);
}

#[test]
fn what_cannot_be_asked_is_said() {
    let cases = [
        ("run w(1)", "promela::misplaced-run"),
        ("x == (run w(1))", "promela::misplaced-run"),
        ("w[run w(1)]:p == 0", "promela::misplaced-run"),
        ("z == 1", "promela::undeclared-name"),
        ("q[0]:z == 1", "promela::undeclared-name"),
        ("q[0]@M", "promela::undeclared-label"),
        ("nobody[0]@M", "promela::undeclared-process"),
        ("[] x", "promela::syntax"),
        ("x ==", "promela::syntax"),
        ("", "promela::syntax"),
    ];
    for (text, code) in cases {
        assert!(complaints(MODEL, Asked::Invariant, text).contains(&code), "{text}");
    }
}

#[test]
fn a_process_that_is_never_there_is_a_mistake_where_processes_are_fixed() {
    let fixed = "byte x; active proctype p() { byte l; l = 1 } active proctype q() { x = 1 }";
    assert_eq!(complaints(fixed, Asked::Reach, "p[0]:l == 1"), [""; 0]);
    assert_eq!(complaints(fixed, Asked::Reach, "p[1]:l == 1"), ["promela::no-such-process"]);
    assert_eq!(complaints(fixed, Asked::Reach, "p[-1]:l == 1"), ["promela::no-such-process"]);
}
