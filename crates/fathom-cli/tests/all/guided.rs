//! Guided engines and heuristic files as a whole program.

use crate::common::{Folder, document, property};
use serde_json::Value;

/// A model that has every name in the examples of the document about heuristic files.
const NAMES: &str = "byte x; byte a[2]; active proctype p() { byte i;
  do :: x < 3 -> x++; a[x % 2] = x; i = x :: x == 3 -> break od; here: skip }
";

const PHILOSOPHERS: &str = "bit taken[N]; active [N] proctype phil() { do
  :: atomic { !taken[_pid]; taken[_pid] = 1 }; atomic { !taken[(_pid + 1) % N]; taken[(_pid + 1) % N] = 1 };
     taken[_pid] = 0; taken[(_pid + 1) % N] = 0 od }
";

#[test]
fn every_example_of_a_heuristic_file_can_be_used() {
    let text = document("formats/heuristic.md");
    let blocks: Vec<&str> =
        text.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect();
    assert_eq!(blocks.len(), 5);
    for block in blocks {
        let folder = Folder::with(&[("m.pml", NAMES), ("h.json", block)]);
        let arguments = ["check", "m.pml", "--reach", "p@here", "--engine", "best", "--heuristic", "h.json"];
        let ran = folder.run(&arguments).expect(0);
        assert!(ran.stdout.contains("witness of reach-1"), "{block}\n{}", ran.stdout);
    }
}

#[test]
fn a_heuristic_that_was_written_is_read_again() {
    let cases: [(&str, &[&str], &str); 5] = [
        ("local", &[], "templates"),
        ("abstract", &[], "databases"),
        ("formula", &[], "goal"),
        ("wrong", &[], "goal"),
        ("cost", &["--cost", "3 - x"], "expression"),
    ];
    for (kind, more, key) in cases {
        let folder = Folder::with(&[("m.pml", NAMES)]);
        let asked = ["check", "m.pml", "--reach", "p@here && x == 3", "--engine", "best", "--format", "json"];
        let first = [&asked[..], &["--heuristic", kind, "--heuristic-out", "h.json"], more].concat();
        let one = folder.run(&first).expect(0).json();
        let written: Value = serde_json::from_str(&folder.read("h.json")).expect("JSON");
        assert_eq!(written["kind"], kind);
        assert!(written.get(key).is_some(), "{written}");
        let again = [&asked[..], &["--heuristic", "h.json", "--heuristic-out", "again.json"]].concat();
        let two = folder.run(&again).expect(0).json();
        assert_eq!(property(&one, "reach-1")["trace"]["steps"], property(&two, "reach-1")["trace"]["steps"]);
        if key != "goal" && key != "expression" {
            assert_eq!(folder.read("again.json"), folder.read("h.json"));
        }
        // What a user has edited is not lost.
        folder.write("h.json", "edited");
        let ran = folder.run(&first).expect(2);
        assert!(ran.stdout.contains("h.json exists"), "{}", ran.stdout);
        assert_eq!(folder.read("h.json"), "edited");
        folder.run(&[&first[..], &["--force"]].concat()).expect(0);
        assert_ne!(folder.read("h.json"), "edited");
    }
}

#[test]
fn what_is_wrong_with_a_heuristic_file_is_said_with_its_place() {
    let cases = [
        ("{ \"format\": 1,\n  \"kind\": \"local\",\n  \"over\": \"sideways\" }", "3"),
        ("{ \"format\": 1,\n  \"kind\": \"local\", \n  \"colour\": 3 }", "3"),
        ("{ \"format\": 1,\n  \"kind\": ", "2"),
        ("{ \"format\": 1,\n  \"kind\": \"magic\" }", "2"),
        ("{ \"format\": 7,\n  \"kind\": \"local\" }", "1"),
        (
            "{ \"format\": 1, \"kind\": \"abstract\",\n \"databases\": [\n { \"keep\": [ \"x\", \"zzz\" ] } ] }",
            "3",
        ),
        (
            "{ \"format\": 1, \"kind\": \"pattern\",\n \"rows\": [\n { \"template\": \"q\", \"from\": 0, \"to\": 0 } ] }",
            "3",
        ),
    ];
    for (text, line) in cases {
        let folder = Folder::with(&[("m.pml", NAMES), ("h.json", text)]);
        let arguments = [
            "check",
            "m.pml",
            "--reach",
            "x == 2",
            "--engine",
            "best",
            "--heuristic",
            "h.json",
            "--format",
            "json",
        ];
        let report = folder.run(&arguments).expect(2).json();
        let span = report["diagnostics"][0]["span"].as_str().unwrap_or_default().to_owned();
        assert!(span.starts_with(&format!("h.json:{line}:")), "{text}: {report}");
    }
    let folder = Folder::with(&[("m.pml", NAMES)]);
    let ran = folder.run(&["check", "m.pml", "--engine", "best", "--heuristic", "missing.json"]).expect(2);
    assert!(ran.stderr.contains("cannot read missing.json: no such file"), "{}", ran.stderr);
}

#[test]
fn the_error_of_a_small_instance_guides_a_large_one() {
    let folder = Folder::with(&[("m.pml", PHILOSOPHERS)]);
    let ignore = ["--ignore", "assertion,runtime-error"];
    let asked = ["check", "m.pml", "--engine", "best", "--heuristic", "pattern", "--format", "json"];
    // The size is found without being named.
    let found = folder.run(&[&asked[..], &["-DN=4"], &ignore].concat()).expect(1).json();
    assert_eq!(property(&found, "deadlock")["trace"]["steps"], 4);
    let arguments = [&asked[..], &["--param", "N=12", "--heuristic-out", "h.json"], &ignore].concat();
    let report = folder.run(&arguments).expect(1).json();
    assert_eq!(property(&report, "deadlock")["trace"]["steps"], 12);
    assert_eq!(property(&report, "deadlock")["trace"]["optimal"], "unknown");
    assert!(report["statistics"]["states"].as_u64().is_some_and(|states| states < 300), "{report}");
    let written: Value = serde_json::from_str(&folder.read("h.json")).expect("JSON");
    assert_eq!(written["rows"].as_array().map(Vec::len), Some(2));
    // A guided walk that is told the size takes the pattern by itself, and goes straight.
    let walked = ["check", "m.pml", "--engine", "walk", "--guided", "--param", "N=12", "--format", "json"];
    let walked = folder.run(&[&walked[..], &ignore].concat()).expect(1).json();
    assert_eq!(property(&walked, "deadlock")["trace"]["steps"], 12);
    let hunted = ["hunt", "m.pml", "-DN=12", "--heuristic", "h.json", "--time", "20s", "--format", "json"];
    folder.run(&[&hunted[..], &ignore].concat()).expect(1);
}

/// Numbers of locations change with a model: then its distances in the experiments on walks have to follow.
#[test]
fn the_heuristics_of_the_experiments_fit_their_models_and_guide_walks() {
    let cases: [(&str, &[&str], &str, u64); 5] = [
        ("philosophers.pml", &["-DN=20", "--property", "deadlock"], "local/philosophers.json", 20),
        ("lastid_mutex.pml", &["-DN=20", "-DSCAN", "-DPAIR"], "local/mutual-exclusion.json", 100),
        ("leader_lann.pml", &["-DN=12", "-DFORWARD"], "local/leader-election.json", 350),
        ("leader_lann.pml", &["-DN=20", "-DFORWARD"], "pattern/leader-election.json", 300),
        ("peterson_n.pml", &["-DN=3", "-DERROR=1"], "local/peterson.json", 10_000),
    ];
    let folder = Folder::with(&[]);
    let repository = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    for (model, more, heuristic, most) in cases {
        let model = format!("{repository}/examples/promela/{model}");
        let file = format!("{repository}/docs/benchmarks/{heuristic}");
        let walked = ["check", &model, "--engine", "walk", "--guided", "--heuristic", &file, "--seed", "23"];
        let mut arguments = [&walked[..], &["--threads", "1", "--format", "json"], more].concat();
        if !more.contains(&"--property") {
            arguments.extend(["--property", "assertion"]);
        }
        let report = folder.run(&arguments).expect(1).json();
        let steps = report["properties"][0]["trace"]["steps"].as_u64();
        assert!(steps.is_some_and(|steps| steps <= most), "{heuristic}: {steps:?}");
    }
}

#[test]
fn reductions_are_honoured_and_traces_say_what_is_known_of_their_length() {
    let folder = Folder::with(&[("m.pml", NAMES)]);
    let run = |more: &[&str]| {
        let asked = ["check", "m.pml", "--reach", "p@here", "--format", "json"];
        folder.run(&[&asked[..], more].concat()).expect(0).json()
    };
    let star = run(&["--engine", "astar"]);
    assert_eq!(star["run"]["reductions"], serde_json::json!(["slice", "dead"]));
    assert_eq!(property(&star, "reach-1")["trace"]["optimal"], "shortest");
    let none = run(&["--engine", "astar", "--reduce", "none"]);
    assert_eq!(none["run"]["reductions"], serde_json::json!([]));
    let fused = run(&["--engine", "astar", "--reduce", "fuse"]);
    assert_eq!(fused["run"]["reductions"], serde_json::json!(["fuse"]));
    assert_eq!(property(&fused, "reach-1")["trace"]["optimal"], "unknown");
    let weighted = run(&["--engine", "astar", "--weight", "3"]);
    let trace = &property(&weighted, "reach-1")["trace"];
    assert!(trace["optimal"] == "unknown" || trace["factor"] == 3.0, "{trace}");
    let cheapest = run(&["--engine", "bnb", "--cost", "x"]);
    assert_eq!(property(&cheapest, "reach-1")["trace"]["optimal"], "cheapest");
    for engine in [&["best-dfs"][..], &["beam", "--beam-width", "2"]] {
        let report = run(&[&["--engine"], engine].concat());
        assert_eq!(property(&report, "reach-1")["trace"]["optimal"], "unknown");
    }
    let text = folder.run(&["check", "m.pml", "--reach", "p@here", "--engine", "bnb"]).expect(0).stdout;
    assert!(text.contains("none is shorter"), "{text}");
}
