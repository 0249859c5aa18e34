//! `fathom hunt`, the guided and sampled engines of `check`, and `replay --shorten` as a whole program.

use crate::common::{COUNTER, Folder, TWO_ERRORS, property};

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

#[test]
fn with_one_thread_a_seed_gives_one_hunt() {
    let folder = Folder::with(&[("m.pml", CORNER)]);
    let run = |seed: &str| {
        let arguments =
            ["hunt", "m.pml", "--time", "10m", "--threads", "1", "--seed", seed, "--format", "json"];
        let report = folder.run(&[&arguments[..], &["--quiet"]].concat()).expect(1).json();
        (report["arms"].clone(), report["properties"].clone())
    };
    let once = run("7");
    assert!(once.0.as_array().is_some_and(|arms| !arms.is_empty()));
    assert_eq!(once, run("7"));
}

#[test]
fn a_limit_on_states_ends_a_hunt_within_a_slice() {
    let endless = "int x, y; active proctype p() { do :: x++ :: y++ :: assert(x + y != -5) od }";
    let folder = Folder::with(&[("m.pml", endless)]);
    for states in [1_000_u64, 250_000] {
        let limit = states.to_string();
        let arguments =
            ["hunt", "m.pml", "--max-states", &limit, "--threads", "1", "--format", "json", "--quiet"];
        let report = folder.run(&arguments).expect(3).json();
        let visited = report["statistics"]["states"].as_u64().unwrap();
        assert!(visited < states + 50_000, "{visited} states for {states}");
    }
}

/// Philosophers, with their number as a macro that the command line may set.
const PHILOSOPHERS: &str = "#ifndef N
#define N 30 /* so many */
#endif
#define FORKS N
bit taken[FORKS];
active [N] proctype P() {
  do :: d_step { !taken[_pid] -> taken[_pid] = 1 }; d_step { !taken[(_pid + 1) % N] -> taken[(_pid + 1) % N] = 1 };
        taken[_pid] = 0; taken[(_pid + 1) % N] = 0
  od
}
";

#[test]
fn guided_walks_find_the_size_of_a_model() {
    let folder = Folder::with(&[("m.pml", PHILOSOPHERS), ("fixed.pml", CORNER)]);
    let walk = |more: &[&str]| {
        let arguments = ["check", "m.pml", "--engine", "walk", "--guided", "--property", "deadlock"];
        folder.run(&[&arguments[..], more].concat()).expect(1).stdout
    };
    let in_text = walk(&[]);
    assert!(in_text.contains("violation of deadlock, 30 steps") && in_text.contains("pattern"), "{in_text}");
    let given = walk(&["-D", "N=60"]);
    assert!(given.contains("violation of deadlock, 60 steps") && given.contains("pattern"), "{given}");
    let named = walk(&["--param", "N=40", "--heuristic", "pattern"]);
    assert!(named.contains("violation of deadlock, 40 steps"), "{named}");
    assert!(walk(&["--heuristic", "blocked"]).contains("heuristic blocked"));
    let none = folder.run(&["check", "fixed.pml", "--engine", "walk", "--heuristic", "pattern"]).expect(2);
    assert!(none.stderr.contains("--param NAME=VALUE"), "{}", none.stderr);
    let hunted = folder.run(&["hunt", "m.pml", "--param", "N=50", "--quiet"]).expect(1).stdout;
    assert!(hunted.contains("heuristics: pattern, "), "{hunted}");
}

/// An example of the repository.
fn example(name: &str) -> String {
    format!("{}/../../examples/promela/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Ernits (2007) has 2855 bytes and a hit at depth 5992 for two counters up to 999, and 514 bytes and 2614 steps for 255 philosophers, with
/// another hash: sizes and lengths are to be of that order.
#[test]
fn tiny_tables_are_enough_for_the_models_of_the_source() {
    let folder = Folder::with(&[]);
    let thrown = |model: &str, defines: &[&str], bytes: &str| {
        let file = example(model);
        let arguments =
            ["check", &file, "--engine", "isr", "--table-first", bytes, "--table-last", bytes, "--quiet"];
        let arguments = [&arguments[..], defines, &["--format", "json"]].concat();
        let hit = folder.run(&arguments).expect(1).json()["sample"]["hits"][0].clone();
        (hit["bits"].as_u64().unwrap(), hit["length"].as_u64().unwrap())
    };
    assert_eq!(thrown("incdec.pml", &["--property", "assertion"], "2884"), (8 * 2884, 5992));
    let deadlock = ["-D", "N=255", "--property", "deadlock"];
    assert_eq!(thrown("philosophers.pml", &deadlock, "481"), (8 * 481, 2867));
}

/// The steps of the trace that a check of an example finds.
fn steps_found(model: &str, arguments: &[&str]) -> u64 {
    let folder = Folder::with(&[]);
    let file = example(model);
    let arguments = [&["check", &file, "--quiet", "--format", "json"], arguments].concat();
    let report = folder.run(&arguments).expect(1).json();
    report["properties"][0]["trace"]["steps"].as_u64().expect("a trace")
}

/// Ernits (2007) has 6011 steps for a test of all transitions: 6000 ticks, and what the buttons take alone.
#[test]
fn a_test_of_the_stopwatch_takes_all_ticks_and_eleven_buttons() {
    let steps = |arguments: &[&str]| {
        steps_found("stopwatch.pml", &[&["--property", "assertion"], arguments].concat())
    };
    assert_eq!(steps(&["-D", "CONTROL", "--engine", "bfs"]), 11);
    let guided = |engine: &'static str| ["--engine", engine, "--heuristic", "cost", "--cost", "FAR"];
    for (cents, seconds) in [(3, 2), (10, 6)] {
        let (cents, seconds) = (format!("CENTS={cents}"), format!("SECONDS={seconds}"));
        let size = ["-D", &cents, "-D", &seconds];
        let shortest = steps(&[&size[..], &["--engine", "bfs"]].concat());
        assert_eq!(shortest, steps(&[&size[..], &guided("astar")].concat()), "{size:?}");
        assert_eq!(shortest, if cents == "CENTS=3" { 6 + 11 } else { 60 + 11 });
    }
    assert_eq!(steps(&guided("astar")), 6011);
    // Random best depth-first: 8508 steps at first in the source, with uniform costs; a thousandth of the states of A*.
    let deep = steps(&guided("best-dfs"));
    assert!((6011..8508).contains(&deep), "{deep}");
}

/// Ernits (2007) has 536 and 444 bytes; branch and bound over all schedules finds 392.
#[test]
fn schedules_of_the_arbiter_use_the_published_bytes_and_the_least_is_found() {
    let folder = Folder::with(&[]);
    let file = example("arbiter.pml");
    let known =
        [("1", 1, 536, 84), ("2", 1, 444, 71), ("3", 1, 392, 55), ("1", 3, 540, 85), ("2", 3, 452, 72)];
    for (schedule, cycles, spread, events) in known {
        let (schedule, cycles) = (format!("SCHEDULE={schedule}"), format!("CYCLES={cycles}"));
        let wanted = format!("!closed || (spread == {spread} && events == {events})");
        let reached = ["check", &file, "-D", &schedule, "-D", &cycles, "--reach", "closed", "--quiet"];
        folder.run(&reached).expect(0);
        folder.run(&["check", &file, "-D", &schedule, "-D", &cycles, "--invariant", &wanted]).expect(0);
    }
    for (cost, least) in [("spread", 392), ("events", 55)] {
        let arguments =
            ["check", &file, "-D", "SCHEDULE=0", "--reach", "closed", "--engine", "bnb", "--cost", cost];
        let ran = folder.run(&[&arguments[..], &["--quiet"]].concat()).expect(0);
        assert!(ran.stdout.contains(&format!("cost {least}\n")), "{}", ran.stdout);
        assert!(ran.stdout.contains("none is cheaper"), "{}", ran.stdout);
    }
}
