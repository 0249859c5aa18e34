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

/// A client that may never be served.
const FORGETFUL: &str = "bool asked, served; byte x;
active proctype client() { do :: asked = true; served; served = false; asked = false od }
active proctype server() { do :: asked && !served -> served = true :: x = (x + 1) % 3 od }
ltl answer { [] (asked -> <> served) }
ltl fine { [] (x < 3) }
";

#[test]
fn formulas_are_hunted_for_by_walks_and_their_lassos_replay() {
    let folder = Folder::with(&[("m.pml", FORGETFUL)]);
    let arguments = ["check", "m.pml", "--engine", "walk", "--property", "answer", "--trace", "w.json"];
    let report = folder.run(&[&arguments[..], &["--format", "json"]].concat()).expect(1).json();
    assert!(property(&report, "answer")["trace"]["loop_at"].is_u64(), "{report}");
    assert_eq!(property(&report, "answer")["trust"], "complete");
    folder.run(&["replay", "w.json"]).expect(0);
    let shorter = ["replay", "w.json", "--shorten", "--trace", "s.json", "--format", "json"];
    let shorter = folder.run(&shorter).expect(0).json();
    let steps = |report: &serde_json::Value| report["steps"].as_array().map_or(0, Vec::len);
    let long = folder.run(&["replay", "w.json", "--format", "json"]).expect(0).json();
    assert!(shorter["loop_at"].is_u64() && steps(&shorter) <= steps(&long), "{shorter}");
    folder.run(&["replay", "s.json"]).expect(0);
    let hunted = folder.run(&["hunt", "m.pml", "--ltl", "[] <> served", "--format", "json", "--time", "20s"]);
    assert_eq!(property(&hunted.expect(1).json(), "ltl-1")["verdict"], "violated");
    folder.run(&["hunt", "m.pml", "--property", "fine", "--time", "20s"]).expect(0);
    let lasso =
        folder.run(&["check", "m.pml", "--engine", "walk", "--property", "fine", "--end-at-loop"]).expect(3);
    assert!(lasso.stdout.contains("found nothing"), "{}", lasso.stdout);
}

#[test]
fn walks_say_exactly_what_they_can_claim() {
    let folder = Folder::with(&[("ok.pml", COUNTER)]);
    let run = |more: &[&str]| {
        let arguments = [&["check", "ok.pml", "--engine", "walk", "--format", "json"], more].concat();
        folder.run(&arguments).expect(3).json()["sample"]["claim"].clone()
    };
    let claim = run(&["--trail", "--epsilon", "0.005"]);
    assert_eq!((&claim["walks"], &claim["draws"]), (&2021.into(), &2021.into()));
    assert!(claim["epsilon"].as_f64().unwrap() <= 0.005);
    assert_eq!(claim["cut"], 0);
    // With a bound on the length the claim is about walks of that length; a start at another walk makes no draw.
    let bounded = run(&["--trail", "--walks", "50", "--max-depth", "2"]);
    assert_eq!((&bounded["draws"], &bounded["cut"]), (&50.into(), &50.into()));
    let some = run(&["--end-at-loop", "--walks", "64", "--restart", "1", "--restart-chain", "8"]);
    assert!(some["draws"].as_u64().unwrap() < 64 && some["draws"].as_u64().unwrap() >= 8, "{some}");
    for wrong in [
        &["--epsilon", "1"][..],
        &["--epsilon", "0.1", "--walks", "5"],
        &["--delta", "0"],
        &["--restart", "2"],
        &["--bias", "warm"],
        &["--table-order", "sideways"],
        &["--refine=upwards"],
        &["--trail", "--end-at-loop"],
        &["--table-factor", "1"],
    ] {
        folder.run(&[&["check", "ok.pml", "--engine", "walk"], wrong].concat()).expect(2);
    }
}

#[test]
fn every_order_of_pruned_searches_finds_and_says_what_it_took_for_equal() {
    let near = CORNER.replace("900", "40").replace("700", "25");
    let folder = Folder::with(&[("m.pml", near.as_str()), ("bad.pml", TWO_ERRORS)]);
    for order in ["depth", "breadth", "cheapest"] {
        let arguments =
            ["check", "bad.pml", "--engine", "isr", "--table-order", order, "--guided", "--format", "json"];
        let report = folder.run(&arguments).expect(1).json();
        assert_eq!(report["sample"]["hits"].as_array().map(Vec::len), Some(1), "{report}");
    }
    let arguments =
        ["check", "m.pml", "--engine", "isr", "--distinguish", "--guided", "--heuristic", "formula"];
    let report = folder.run(&[&arguments[..], &["--format", "json"]].concat()).expect(1).json();
    let distinction = &report["sample"]["distinction"];
    let classes = distinction["classes"].as_u64().unwrap();
    assert!(classes <= distinction["bits"].as_u64().unwrap() && classes > 0, "{distinction}");
    let names: Vec<&str> = distinction["variables"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"x") && names.contains(&"y") && names.contains(&"r[2]@"), "{names:?}");
    let text = folder.run(&arguments).expect(1).stdout;
    assert!(text.contains("never mixed in a class") && text.contains("hit with a table of"), "{text}");
}
