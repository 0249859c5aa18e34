//! `fathom hunt`, the guided and sampled engines of `check`, and `replay --shorten` as a whole program.

mod common;

use common::{COUNTER, Folder, TWO_ERRORS, property};

/// Two counters that have to meet in a corner which a search of 200 000 states does not reach.
const CORNER: &str = "short x, y;
active proctype p() { do :: x < 900 -> x++ :: x > 0 -> x-- od }
active proctype q() { do :: y < 900 -> y++ :: y > 0 -> y-- od }
active proctype r() { x == 700 && y == 700; assert(false) }
";

#[test]
fn a_hunt_finds_what_a_short_search_does_not_and_the_trace_replays() {
    let folder = Folder::with(&[("m.pml", CORNER)]);
    let arguments =
        ["hunt", "m.pml", "--time", "60s", "--threads", "1", "--trace", "t.json", "--format", "json"];
    let report = folder.run(&arguments).expect(1).json();
    assert_eq!(property(&report, "assertion")["verdict"], "violated");
    assert_eq!(report["run"]["engine"], "hunt");
    assert!(report["arms"].as_array().is_some_and(|arms| arms.len() > 5));
    let steps = property(&report, "assertion")["trace"]["steps"].as_u64().unwrap();
    assert!((2802..4000).contains(&steps), "{steps}");
    folder.run(&["replay", "t.json"]).expect(0);
}

#[test]
fn a_hunt_that_finds_nothing_is_inconclusive_unless_it_explored_everything() {
    let endless = "int x; active proctype p() { do :: x++; assert(x != -5) od }";
    let folder = Folder::with(&[("ok.pml", COUNTER), ("endless.pml", endless)]);
    folder.run(&["hunt", "ok.pml"]).expect(0);
    let ran = folder.run(&["hunt", "endless.pml", "--max-states", "300000", "--time", "20s"]).expect(3);
    assert!(ran.stdout.contains("inconclusive  sampled"), "{}", ran.stdout);
}

#[test]
fn guided_searches_say_whether_a_trace_is_shortest() {
    let folder = Folder::with(&[("m.pml", CORNER)]);
    let engine = |engine: &str, more: &[&str]| {
        let mut arguments = vec!["check", "m.pml", "--property", "assertion", "--engine", engine];
        arguments.extend(more);
        folder.run(&arguments).expect(1).stdout
    };
    assert!(engine("best", &["--heuristic", "formula"]).contains("need not be the shortest"));
    let shortest = engine("astar", &[]);
    assert!(shortest.contains("as short as can be") && shortest.contains("2802 steps"), "{shortest}");
    assert!(engine("astar", &["--weight", "2", "--heuristic", "local"]).contains("at most 2 times"));
    folder.run(&["check", "m.pml", "--engine", "best", "--heuristic", "cost"]).expect(2);
    folder.run(&["check", "m.pml", "--engine", "best", "--heuristic", "nonsense"]).expect(2);
}

#[test]
fn sampled_engines_find_and_never_prove() {
    let folder = Folder::with(&[("bad.pml", TWO_ERRORS), ("ok.pml", COUNTER)]);
    for engine in ["isr", "walk"] {
        folder.run(&["check", "bad.pml", "--engine", engine]).expect(1);
        folder.run(&["check", "ok.pml", "--engine", engine, "--table-last", "64"]).expect(3);
    }
}

#[test]
fn a_trace_can_be_made_shorter_and_written() {
    let folder = Folder::with(&[(
        "m.pml",
        "byte x; active proctype p() { do :: x < 200 -> x++ :: x > 0 -> x-- od }
         active proctype q() { x == 50; assert(false) }",
    )]);
    folder
        .run(&["check", "m.pml", "--engine", "dfs", "--property", "assertion", "--trace", "t.json"])
        .expect(1);
    folder.run(&["replay", "t.json", "--shorten", "--trace", "s.json", "--quiet"]).expect(0);
    let length = |name: &str| {
        let file: serde_json::Value = serde_json::from_str(&folder.read(name)).unwrap();
        file["choices"].as_array().unwrap().len()
    };
    assert_eq!(length("s.json"), 101);
    assert!(length("t.json") >= 101);
    folder.run(&["replay", "s.json"]).expect(0);
}
