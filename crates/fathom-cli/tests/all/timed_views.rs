//! Traces as files, `replay`, `simulate`, `graph` and `info` on timed automata as a whole program.

use std::io::Write;
use std::process::Stdio;

use crate::common::{Folder, Ran, document};
use serde_json::Value;

const LAMP: &str = "system:lamp
event:press
clock:1:x
int:1:0:2:0:n
process:P
location:P:off{initial:}
location:P:on{invariant: x<=10 : labels: lit}
edge:P:off:on:press{provided: n<2 : do: x=0; n=n+1}
edge:P:on:off:press{provided: x>5}
";

const COUNTER: &str = "clock x; int[0,2] n;
process P() { state a { x <= 3 }; init a; trans a -> a { guard x >= 2; assign n = n + 1, x = 0; }; }
system P;
";

fn folder() -> Folder {
    Folder::with(&[("lamp.tck", LAMP), ("counter.xta", COUNTER)])
}

/// Writes the evidence of a check to a file, follows it, and gives the report of that.
fn replayed(folder: &Folder, status: i32, arguments: &[&str]) -> Value {
    let check = [&["check"], arguments, &["--trace", "t.json", "--force", "--format", "json"]].concat();
    let report = folder.run(&check).expect(status).json();
    let files: Vec<&Value> = report["properties"]
        .as_array()
        .expect("properties")
        .iter()
        .map(|property| &property["trace"]["file"])
        .collect();
    assert!(files.iter().any(|file| **file == "t.json"), "{report}");
    folder.run(&["replay", "t.json", "--format", "json"]).expect(0).json()
}

#[test]
fn a_run_is_written_and_followed_again() {
    let folder = folder();
    let again = replayed(&folder, 0, &["lamp.tck", "--reach", "P.off && n == 2 && x > 6"]);
    assert_eq!(again["property"], "reach-1");
    assert_eq!(again["timed"]["end"]["values"]["n"], 2);
    assert_eq!(again["timed"]["steps"].as_array().map(Vec::len), Some(4));
    let text = folder.run(&["replay", "t.json"]).expect(0).stdout;
    for wanted in
        ["lamp.tck: reach-1, 4 steps in", "P: off → on (press)  n: 0 → 1", "the last state shows it"]
    {
        assert!(text.contains(wanted), "{wanted:?} is not in\n{text}");
    }
}

#[test]
fn evidence_of_every_kind_is_followed_again() {
    let folder = folder();
    let fault = replayed(&folder, 1, &["counter.xta", "--property", "runtime-error"]);
    assert!(fault["evidence"]["fault"].as_str().is_some_and(|fault| fault.contains("range")), "{fault}");
    // Lit for ever or never: a loop, a wait, and a state that is stuck.
    let kept = replayed(&folder, 1, &["lamp.tck", "--ltl", "[]<> lit"]);
    assert_eq!(kept["evidence"]["kind"], "state");
    replayed(&folder, 1, &["lamp.tck", "--ltl", "[] !lit"]);
    replayed(&folder, 1, &["lamp.tck", "--invariant", "n < 2"]);
    let xta = "clock x; process P() { state a { x <= 3 }, b; init a; \
               trans a -> a { guard x >= 2; assign x = 0; }, a -> b { guard x == 3; }; } system P;";
    folder.write("loop.xta", xta);
    for (query, status) in [("E[] P.a", 0), ("A<> P.b", 1), ("P.a --> P.b", 1), ("E[] P.a || P.b", 0)] {
        replayed(&folder, status, &["loop.xta", "--query", query]);
    }
    folder.write("two.q", "E<> P.b\nA[] x <= 3\n");
    replayed(&folder, 1, &["loop.xta", "--query-file", "two.q"]);
    folder.run(&["replay", "t-query-1.json"]).expect(0);
    replayed(&folder, 1, &["loop.xta", "--query", "A[] not deadlock && P.a"]);
}

#[test]
fn the_runs_of_the_examples_are_followed_again() {
    let examples = [
        ("uppaal/bridge.xta", "E<> arrived == N", "fastest"),
        ("uppaal/priced-landing.xta", "E<> landed == N", "cheapest"),
        ("uppaal/fischer-scalar.xta", "E<> n_inside == 1", "some"),
    ];
    for (name, query, witness) in examples {
        let folder = Folder::with(&[("m.xta", &document(&format!("../examples/{name}")))]);
        replayed(&folder, 0, &["m.xta", "--query", query, "--witness", witness]);
    }
}

#[test]
fn a_run_that_does_not_fit_is_refused() {
    let folder = folder();
    folder.run(&["check", "lamp.tck", "--reach", "P.off && n == 1", "--trace", "t.json"]).expect(0);
    let written: Value = serde_json::from_str(&folder.read("t.json")).expect("JSON");
    let wrong: [(&str, Value); 6] = [
        ("/timed/steps/1/delay", 0.into()),
        ("/timed/steps/1/delay", (-1).into()),
        ("/timed/steps/1/delay", i64::MAX.into()),
        ("/timed/scale", 0.into()),
        ("/timed/steps/0/edges/0/1", 99.into()),
        ("/timed/initial/0", 7.into()),
    ];
    for (place, value) in wrong {
        let mut file = written.clone();
        *file.pointer_mut(place).expect("the file has this place") = value;
        folder.write("wrong.json", file.to_string());
        let ran = folder.run(&["replay", "wrong.json"]).expect(2);
        assert!(ran.stderr.contains("does not fit the model"), "{place}: {}", ran.stderr);
    }
    folder.write("lamp.tck", LAMP.replace("x>5", "x>4"));
    let ran = folder.run(&["replay", "t.json"]).expect(2);
    assert!(ran.stderr.contains("it changed since"), "{}", ran.stderr);
}

#[test]
fn runs_overwrite_nothing() {
    let folder = folder();
    folder.write("t.json", "mine");
    let ran = folder.run(&["check", "lamp.tck", "--trace", "t.json"]).expect(2);
    assert!(ran.stderr.contains("t.json exists"), "{}", ran.stderr);
    assert_eq!(folder.read("t.json"), "mine");
    folder.run(&["hunt", "lamp.tck", "--reach", "n == 2", "--time", "5s", "--trace", "h.json"]).expect(0);
    folder.run(&["replay", "h.json"]).expect(0);
}

#[test]
fn a_random_walk_shows_its_delays() {
    let folder = folder();
    let arguments = ["simulate", "lamp.tck", "--random", "--steps", "20", "--seed", "3", "--show-steps"];
    let text = folder.run(&arguments).expect(0).stdout;
    // After two presses and two waits nothing is left to do.
    assert!(text.contains("4 steps with seed 3, then no step is possible any more"), "{text}");
    assert!(text.contains("P: off → on (press)  n: 1 → 2"), "{text}");
    let report = folder.run(&[&arguments[..], &["--format", "json"]].concat()).expect(0).json();
    assert_eq!(report["stop"], "end");
    assert_eq!(report["timed"]["end"]["values"]["n"], 2);
    let text = folder.run(&["simulate", "counter.xta", "--random", "--quiet"]).expect(0).stdout;
    assert!(text.contains("then an error") && text.contains("***"), "{text}");
    folder.run(&["simulate", "lamp.tck", "--random", "--msc"]).expect(2);
}

#[test]
fn a_walk_is_led_by_the_user() {
    let folder = folder();
    let mut child = folder
        .command(&["simulate", "lamp.tck"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("fathom starts");
    let words = b"\n1\nb\nb\nb\ns\nr 9\n7\nnonsense\nq\n";
    child.stdin.take().expect("a pipe").write_all(words).expect("fathom reads");
    let ran = Ran::of(child.wait_with_output().expect("fathom ends")).expect(0);
    for wanted in [
        "after 0 steps, at 0 or later:",
        "after 1 steps, at 0 or later:",
        "zone: x <= 10",
        "this is the start",
        "nothing can move",
        "choose a step from 1 to 0",
        "unknown command",
    ] {
        assert!(ran.stdout.contains(wanted), "{wanted:?} is not in\n{}", ran.stdout);
    }
}

#[test]
fn graphs_show_processes_and_zones() {
    let folder = folder();
    let dot = folder.run(&["graph", "lamp.tck"]).expect(0).stdout;
    assert!(dot.contains("label=\"off\", penwidth=3") && dot.contains("lit:"), "{dot}");
    let zones = folder.run(&["graph", "lamp.tck", "--states"]).expect(0).stdout;
    // Two presses with the lamp off before, between and after: five places.
    assert!(zones.contains("P.on\\nn=2\\nx <= 10"), "{zones}");
    assert_eq!(zones.matches(" [label=").count() - zones.matches(" -> ").count(), 5, "{zones}");
    let few = folder.run(&["graph", "lamp.tck", "--states", "--max-states", "2"]).expect(0).stdout;
    assert!(few.contains("filled,dashed"), "{few}");
    folder.run(&["graph", "counter.xta", "--process", "P", "--format", "svg"]).expect(0);
    folder.run(&["graph", "counter.xta", "--process", "Q"]).expect(2);
}

#[test]
fn info_says_what_a_network_is_made_of() {
    let folder = folder();
    let text = folder.run(&["info", "lamp.tck"]).expect(0).stdout;
    for wanted in
        ["1 process, 1 clock", "P: 2 locations, 2 edges", "clocks: x", "n: 0 to 2, at first 0", "lit"]
    {
        assert!(text.contains(wanted), "{wanted:?} is not in\n{text}");
    }
    let report = folder.run(&["info", "counter.xta", "--format", "json"]).expect(0).json();
    assert_eq!(report["variables"][0]["most"], 2);
    folder.run(&["info", "lamp.tck", "--model"]).expect(2);
}
