//! Traces as files: writing, protection of what exists, and following them again.

use crate::common::{COUNTER, Folder, MESSAGES, TWO_ERRORS, property};
use serde_json::Value;

#[test]
fn a_trace_is_written_and_followed_again() {
    let folder = Folder::with(&[("m.pml", MESSAGES)]);
    let report = folder.run(&["check", "m.pml", "--trace", "t.json", "--format", "json"]).expect(1).json();
    let trace = property(&report, "assertion")["trace"].clone();
    assert_eq!(trace["file"], "t.json");
    let written: Value = serde_json::from_str(&folder.read("t.json")).expect("JSON");
    let again = folder.run(&["replay", "t.json", "--format", "json"]).expect(0).json();
    assert_eq!(again["steps"], written["steps"]);
    assert_eq!(again["steps"].as_array().map(Vec::len), trace["steps"].as_u64().map(|steps| steps as usize));
    assert_eq!(again["evidence"]["fault"], "assertion violated");
    let text = folder.run(&["replay", "t.json", "--msc"]).expect(0).stdout;
    for wanted in ["wire!request,7", "server[1]:v: 0 → 7", "*** assertion violated", "the state at the end:"]
    {
        assert!(text.contains(wanted), "{wanted:?} is not in\n{text}");
    }
}

#[test]
fn invariants_and_definitions_travel_with_the_trace() {
    let folder = Folder::with(&[("n.pml", "byte x; active proctype p() { x = N }")]);
    folder.run(&["check", "n.pml", "-DN=7", "--invariant", "x < 7", "--trace", "t.json"]).expect(1);
    let again = folder.run(&["replay", "t.json", "--format", "json"]).expect(0).json();
    assert_eq!(again["property"], "invariant-1");
    assert_eq!(again["state"]["values"][0]["value"], "7");
}

#[test]
fn the_trace_of_a_claim_is_followed_again() {
    let claim = format!("{COUNTER}never {{ do :: x < 2 :: x == 2 -> break od }}\n");
    let folder = Folder::with(&[("n.pml", &claim)]);
    let report = folder.run(&["check", "n.pml", "--trace", "t.json", "--format", "json"]).expect(1).json();
    let properties = report["properties"].as_array().expect("properties");
    let never = properties.iter().find(|property| property["kind"] == "never").expect("the claim");
    assert_eq!(never["verdict"], "violated");
    let again = folder.run(&["replay", "t.json", "--format", "json"]).expect(0).json();
    assert_eq!(again["state"]["values"][0]["value"], "2");
    assert_eq!(again["steps"].as_array().map(|steps| steps.len() as u64), never["trace"]["steps"].as_u64());
    let text = folder.run(&["check", "n.pml"]).expect(1).stdout;
    assert!(text.contains("the claim accepts this run, which must not happen"), "{text}");
}

#[test]
fn several_violations_get_files_of_their_own() {
    let folder = Folder::with(&[("two.pml", TWO_ERRORS)]);
    folder.run(&["check", "two.pml", "--continue", "--trace", "t.json"]).expect(1);
    let property = |name: &str| -> Value {
        let file: Value = serde_json::from_str(&folder.read(name)).expect("JSON");
        file["property"].clone()
    };
    assert_eq!(property("t.json"), "deadlock");
    assert_eq!(property("t-assertion.json"), "assertion");
    folder.run(&["replay", "t.json"]).expect(0);
    folder.run(&["replay", "t-assertion.json"]).expect(0);
}

#[test]
fn a_witness_is_written_too() {
    let folder = Folder::with(&[("c.pml", COUNTER)]);
    folder.run(&["check", "c.pml", "--reach", "x == 2", "--trace", "w.json"]).expect(0);
    folder.run(&["replay", "w.json"]).expect(0);
    // Without a trace there is no file.
    folder.run(&["check", "c.pml", "--trace", "none.json"]).expect(0);
    assert!(!folder.path("none.json").exists());
}

#[test]
fn no_file_is_overwritten_unless_forced() {
    let folder = Folder::with(&[("two.pml", TWO_ERRORS), ("t.json", "mine"), ("u-assertion.json", "mine")]);
    let ran = folder.run(&["check", "two.pml", "--trace", "t.json"]).expect(2);
    assert!(ran.stderr.contains("t.json exists"), "{}", ran.stderr);
    assert_eq!((ran.stdout.as_str(), folder.read("t.json").as_str()), ("", "mine"));
    folder.run(&["check", "two.pml", "--trace", "u.json"]).expect(2);
    folder.run(&["check", "two.pml", "--trace", "no/such/folder.json"]).expect(2);
    folder.run(&["check", "two.pml", "--trace", "."]).expect(2);
    folder.run(&["check", "two.pml", "--trace", "t.json", "--force"]).expect(1);
    folder.run(&["replay", "t.json"]).expect(0);
}

#[test]
fn a_trace_is_found_from_anywhere_and_refused_when_the_model_changed() {
    let folder = Folder::with(&[("a/m.pml", MESSAGES)]);
    folder.run(&["check", "a/m.pml", "--trace", "a/t.json"]).expect(1);
    folder.run(&["replay", "a/t.json"]).expect(0);
    let moved = Folder::with(&[("b/m.pml", MESSAGES), ("b/t.json", &folder.read("a/t.json"))]);
    moved.run(&["replay", "b/t.json"]).expect(0);
    std::fs::rename(moved.path("b/m.pml"), moved.path("other.pml")).expect("it is there");
    let ran = moved.run(&["replay", "b/t.json"]).expect(2);
    assert!(ran.stderr.contains("cannot find the model"), "{}", ran.stderr);
    moved.run(&["replay", "b/t.json", "--model", "other.pml"]).expect(0);
    moved.write("other.pml", format!("{MESSAGES}/* changed */"));
    let ran = moved.run(&["replay", "b/t.json", "--model", "other.pml"]).expect(2);
    assert!(ran.stderr.contains("changed"), "{}", ran.stderr);
}

#[test]
fn a_trace_that_does_not_fit_is_refused() {
    let folder = Folder::with(&[("m.pml", MESSAGES)]);
    folder.run(&["check", "m.pml", "--trace", "t.json"]).expect(1);
    let trace: Value = serde_json::from_str(&folder.read("t.json")).expect("JSON");
    let changes: [(&str, Value); 7] = [
        ("choices", serde_json::json!([0, 99])),
        ("choices", serde_json::json!([])),
        ("initial", serde_json::json!(3)),
        ("loop_at", serde_json::json!(1)),
        ("property", serde_json::json!("nothing")),
        ("format", serde_json::json!(999)),
        ("evidence", serde_json::json!({"kind": "finding", "fault": "division by zero", "text": ""})),
    ];
    for (key, value) in changes {
        let mut changed = trace.clone();
        changed[key] = value;
        folder.write("changed.json", changed.to_string());
        let ran = folder.run(&["replay", "changed.json"]).expect(2);
        assert!(ran.stderr.starts_with("fathom: "), "{key}: {}", ran.stderr);
        let json = folder.run(&["replay", "changed.json", "--format", "json"]).expect(2).json();
        assert!(json["error"].is_string(), "{key}");
    }
    folder.write("junk.json", "{");
    folder.run(&["replay", "junk.json"]).expect(2);
    folder.run(&["replay", "missing.json"]).expect(2);
}
