//! `fathom check` on timed automata as a whole program.

use crate::common::{Folder, property};

const LAMP: &str = "system:lamp
event:press
clock:1:x
process:P
location:P:off{initial:}
location:P:on{invariant: x<=10 : labels: lit}
edge:P:off:on:press{do: x=0}
edge:P:on:off:press{provided: x>5}
";

#[test]
fn exit_status_says_holds_violated_or_cannot_run() {
    let folder = Folder::with(&[("lamp.tck", LAMP), ("broken.tck", "system:s\nedge:P:a:b:e\n")]);
    folder.run(&["check", "lamp.tck"]).expect(0);
    folder.run(&["check", "lamp.tck", "--reach", "P.on && x>10"]).expect(1);
    folder.run(&["check", "lamp.tck", "--invariant", "!P.on || x<=10"]).expect(0);
    folder.run(&["check", "broken.tck"]).expect(2);
    folder.run(&["check", "lamp.tck", "--max-states", "1"]).expect(3);
    folder.run(&["check", "lamp.tck", "--reach", "Q.on"]).expect(2);
    folder.run(&["check", "lamp.tck", "--ltl", "[] (lit -> <> P.off)"]).expect(0);
    folder.run(&["check", "lamp.tck", "--ltl", "[] lit"]).expect(1);
    folder.run(&["check", "lamp.tck", "--ltl", "[] (lit -> x <= 10)"]).expect(2);
    folder.run(&["check", "lamp.tck", "--ltl", "[]<> P.off", "--max-states", "1"]).expect(3);
    folder.run(&["check", "lamp.tck", "--ctl", "AG P.off"]).expect(2);
    folder.run(&["check", "lamp.tck", "--ltl", "[] lit", "--fair", "weak"]).expect(2);
    folder.run(&["check", "lamp.tck", "--engine", "symbolic"]).expect(2);
    folder.run(&["check", "lamp.tck", "--query", "E<> P.on"]).expect(2);
    folder.run(&["check", "lamp.tck", "--cover", "luck"]).expect(2);
    // The lamp may be left on until its time is over, and can be pressed then.
    folder.run(&["check", "lamp.tck", "--property", "deadlock"]).expect(0);
    folder.write("late.tck", LAMP.replace("x>5", "x<5"));
    let ran = folder.run(&["check", "late.tck", "--property", "deadlock"]).expect(1);
    assert!(ran.stdout.contains("extrapolation max-plus"), "{}", ran.stdout);
    assert!(ran.stdout.contains("violation of deadlock, 1 step in 5 units of time"), "{}", ran.stdout);
}

#[test]
fn text_shows_the_run_with_its_delays() {
    let folder = Folder::with(&[("lamp.tck", LAMP)]);
    let ran = folder.run(&["check", "lamp.tck", "--reach", "P.off && x > 6"]).expect(0);
    for wanted in [
        "lamp.tck: tchecker, 1 process, 1 clock",
        "engine bfs, extrapolation lu-plus, zones covered by inclusion",
        "witness of reach-1, ",
        "units of time",
        "reproduce: fathom check lamp.tck --lang tchecker --reach 'P.off && x > 6' --engine bfs",
    ] {
        assert!(ran.stdout.contains(wanted), "{wanted:?} is not in\n{}", ran.stdout);
    }
}

#[test]
fn json_has_the_run_as_fractions() {
    let folder = Folder::with(&[("lamp.tck", LAMP)]);
    let arguments = ["check", "lamp.tck", "--reach", "P.on && x > 6 && x < 7", "--format", "json"];
    let report = folder.run(&arguments).expect(0).json();
    assert_eq!(report["model"]["language"], "tchecker");
    assert!(report["statistics"]["expanded"].as_u64().is_some_and(|expanded| expanded >= 1));
    let run = &property(&report, "reach-1")["timed"];
    assert_eq!(run["steps"][0]["moves"][0]["to"], "on");
    assert_eq!(run["last_delay"], "13/2");
    assert_eq!(run["end"]["clocks"]["x"], "13/2");
    assert_eq!(run["end"]["locations"]["P"], "on");
}

#[test]
fn errors_have_places() {
    let text = "system:s\nevent:e\nprocess:P\nlocation:P:a{initial:}\nedge:P:a:a:e{provided: q<1}\n";
    let folder = Folder::with(&[("m.tck", text)]);
    let ran = folder.run(&["check", "m.tck"]).expect(2);
    assert!(ran.stderr.contains("'q' is not declared"), "{}", ran.stderr);
    assert!(ran.stderr.contains("m.tck:5:24"), "{}", ran.stderr);
}

const TOLL: &str = "clock x; process P() { state low { x <= 4 }, high; init low; trans low -> high { guard x >= 3; assign cost += 2; }; } system P;";

#[test]
fn queries_are_asked_with_flags_and_in_files() {
    let folder = Folder::with(&[
        ("toll.xta", TOLL),
        ("some.q", "// two of them\nE<> P.high\nA[] x <= 4 imply x <= 5\n"),
        ("wrong.q", "E<> P.nowhere\n"),
    ]);
    folder.run(&["check", "toll.xta", "--query", "A<> P.high"]).expect(0);
    folder.run(&["check", "toll.xta", "--query", "E[] P.low"]).expect(1);
    folder.run(&["check", "toll.xta", "--query", "P.low --> x > 9"]).expect(0);
    folder.run(&["check", "toll.xta", "--query-file", "some.q"]).expect(0);
    folder.run(&["check", "toll.xta", "--query-file", "wrong.q"]).expect(2);
    folder.run(&["check", "toll.xta", "--query", "Pr[<=5](<> P.high)"]).expect(2);
    folder.run(&["check", "toll.xta", "--witness", "dearest"]).expect(2);
}

#[test]
fn values_and_costs_are_shown() {
    let folder = Folder::with(&[("toll.xta", TOLL)]);
    let value = |query: &str, witness: &str| {
        let arguments = ["check", "toll.xta", "--query", query, "--witness", witness, "--format", "json"];
        let report = folder.run(&arguments).expect(0).json();
        property(&report, "query-1")["value"].as_str().map(str::to_owned)
    };
    assert_eq!(value("sup{P.low}: x", "some").as_deref(), Some("4"));
    assert_eq!(value("inf{P.high}: x", "some").as_deref(), Some("3"));
    assert_eq!(value("sup: x", "some").as_deref(), Some("no bound"));
    assert_eq!(value("E<> P.high", "cheapest").as_deref(), Some("2"));
    assert_eq!(value("E<> P.high", "fastest").as_deref(), Some("3"));
    assert_eq!(value("E<> P.high", "shortest"), None);
}

#[test]
fn a_hunt_shows_runs_with_delays_and_refuses_what_it_does_not_know() {
    let folder = Folder::with(&[("lamp.tck", LAMP)]);
    let asked = ["hunt", "lamp.tck", "--reach", "P.on && x>7"];
    let text = folder.run(&asked).expect(0).stdout;
    assert!(text.contains("engine hunt") && !text.contains("none is shorter"), "{text}");
    let report = folder.run(&[&asked[..], &["--format", "json", "--threads", "1"]].concat()).expect(0).json();
    let found = property(&report, "reach-1");
    assert_eq!((&report["run"]["engine"], &found["trace"]["optimal"]), (&"hunt".into(), &"unknown".into()));
    assert!(found["timed"]["steps"].as_array().is_some_and(|steps| steps.len() == 1), "{found}");
    folder.run(&["hunt", "lamp.tck", "--invariant", "!P.on || x<=9"]).expect(1);
    folder.run(&["hunt", "lamp.tck", "--property", "deadlock"]).expect(0);
    for wrong in [
        &["--heuristic", "abstract"][..],
        &["--param", "N=3"],
        &["-D", "N=3"],
        &["--reach", "Q.on"],
        &["--ctl", "AG lit"],
    ] {
        folder.run(&[&["hunt", "lamp.tck"], wrong].concat()).expect(2);
    }
}

#[test]
fn zones_of_a_run_are_shown_on_request() {
    let folder = Folder::with(&[("lamp.tck", LAMP)]);
    let asked = ["check", "lamp.tck", "--reach", "P.on && x > 6", "--trace-zones"];
    let ran = folder.run(&asked).expect(0);
    assert!(ran.stdout.contains("      zone: x <= 10\n"), "{}", ran.stdout);
    let report = folder.run(&[&asked[..], &["--format", "json"]].concat()).expect(0).json();
    assert_eq!(property(&report, "reach-1")["timed"]["steps"][0]["zone"][0], "x <= 10");
}

#[test]
fn members_that_are_alike_are_explored_once() {
    let model = "typedef scalar[3] id_t; int[0,3] n;
        process P(const id_t self) { state a, b; init a; trans a -> b { assign n++; }; }
        system P;";
    let folder = Folder::with(&[("m.xta", model)]);
    let states = |extra: &[&str]| {
        let asked = ["check", "m.xta", "--query", "A[] n < 4", "--format", "json"];
        folder.run(&[&asked[..], extra].concat()).expect(0).json()["statistics"]["states"].as_u64()
    };
    assert_eq!((states(&[]), states(&["--no-symmetry"])), (Some(4), Some(8)));
    let ran = folder.run(&["check", "m.xta", "--query", "A[] n < 4"]).expect(0);
    assert!(ran.stdout.contains("symmetry of 1 set\n"), "{}", ran.stdout);
    // Who asks about one of them gets the others, too.
    let ran = folder.run(&["check", "m.xta", "--query", "E<> P(2).b && !P(0).b"]).expect(0);
    assert!(!ran.stdout.contains("symmetry"), "{}", ran.stdout);
}

#[test]
fn processes_that_are_found_to_be_alike_are_explored_once() {
    let model = "const int N = 3; int[0,N] n; int[-1,N-1] last = -1;
        process P(const int[0,N-1] me) { state a, b; init a; trans a -> b { assign n++, last = me; }; }
        system P;";
    let folder = Folder::with(&[("m.xta", model)]);
    let states = |verb: &str, extra: &[&str]| {
        let asked = [verb, "m.xta", "--query", "A[] n < 4", "--format", "json"];
        folder.run(&[&asked[..], extra].concat()).expect(0).json()["statistics"]["states"].as_u64()
    };
    let found = states("check", &["--symmetry", "canonical"]);
    assert_eq!(
        (states("check", &[]), states("check", &["--symmetry", "none"]), found),
        (Some(13), Some(13), Some(4))
    );
    assert_eq!(states("hunt", &["--symmetry", "canonical"]), Some(4));
    let ran = folder.run(&["check", "m.xta", "--query", "E<> n == 2", "--symmetry", "canonical"]).expect(0);
    assert!(ran.stdout.contains("symmetry of 1 set\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("--symmetry canonical"), "{}", ran.stdout);
    let ran =
        folder.run(&["check", "m.xta", "--query", "E<> last == 2", "--symmetry", "canonical"]).expect(0);
    assert!(!ran.stdout.contains("symmetry of"), "{}", ran.stdout);
    let text = folder.run(&["info", "m.xta"]).expect(0).stdout;
    assert!(text.contains("  P(0), P(1), P(2) with last, in any order\n"), "{text}");
    folder.run(&["check", "m.xta", "--symmetry", "pairwise"]).expect(2);
    folder.run(&["check", "m.xta", "--symmetry", "canonical", "--no-symmetry"]).expect(2);
}

#[test]
fn several_values_are_asked_at_once() {
    let model = "clock x; int[0,3] n;
        process P() { state a { x <= 7 }, b; init a; trans a -> b { guard x > 2; assign n = 3; }; }
        system P;";
    let folder = Folder::with(&[("m.xta", model)]);
    let ran = folder.run(&["check", "m.xta", "--query", "sup{P.a}: x, n"]).expect(0);
    assert!(ran.stdout.contains("query-1  holds         complete, exhausted: 7\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("query-2  holds         complete, exhausted: 0\n"), "{}", ran.stdout);
}

#[test]
fn formulas_are_answered_with_runs_that_go_on_for_ever() {
    let folder = Folder::with(&[("lamp.tck", LAMP)]);
    let ran = folder.run(&["check", "lamp.tck", "--ltl", "<>[] P.off"]).expect(1);
    for wanted in [
        "engine scc, extrapolation max-plus, zones covered by equality",
        "ltl-1  violated",
        "that is: from some time on always `P.off`",
        "violation of ltl-1, 2 steps",
        "and so on, from after step 0",
        "reproduce: fathom check lamp.tck --lang tchecker --ltl '<>[] P.off'",
    ] {
        assert!(ran.stdout.contains(wanted), "{wanted:?} is not in\n{}", ran.stdout);
    }
    let ran = folder.run(&["check", "lamp.tck", "--ltl", "<> P.on"]).expect(1);
    assert!(ran.stdout.contains("and nothing more has to happen: time goes on"), "{}", ran.stdout);
    let arguments = [
        "check",
        "lamp.tck",
        "--ltl",
        "<>[] P.off",
        "--pattern",
        "response(P.on, P.off)",
        "--format",
        "json",
    ];
    let report = folder.run(&arguments).expect(1).json();
    let (looping, responding) = (property(&report, "ltl-1"), property(&report, "pattern-1"));
    assert_eq!((&looping["kind"], &looping["verdict"]), (&"ltl".into(), &"violated".into()));
    assert_eq!(looping["trace"]["loop_at"], 0);
    assert_eq!(looping["timed"]["steps"].as_array().map(Vec::len), Some(2));
    assert_eq!(responding["verdict"], "holds");
    assert_eq!(responding["formula"]["text"], "[] (P.on -> <> P.off)");
    let hunted = ["hunt", "lamp.tck", "--ltl", "<>[] P.off", "--time", "5s"];
    assert!(folder.run(&hunted).expect(1).stdout.contains("and so on, from after step 0"));
}

#[test]
fn threads_explore_zones_and_the_report_says_how_many() {
    let folder = Folder::with(&[("lamp.tck", LAMP)]);
    for engine in ["bfs", "dfs", "lifo"] {
        let asked = [
            "check",
            "lamp.tck",
            "--reach",
            "P.on && x > 6",
            "--engine",
            engine,
            "--format",
            "json",
            "--threads",
            "2",
        ];
        let report = folder.run(&asked).expect(0).json();
        assert_eq!(report["run"]["threads"], 2, "{engine}");
        assert!(property(&report, "reach-1")["timed"]["steps"].is_array());
    }
    // The least time is found by one thread.
    let asked = [
        "check",
        "lamp.tck",
        "--reach",
        "P.on",
        "--witness",
        "fastest",
        "--threads",
        "2",
        "--format",
        "json",
    ];
    assert_eq!(folder.run(&asked).expect(0).json()["run"]["threads"], 1);
}

#[test]
fn clocks_of_if_are_real_numbers() {
    let system = "system s; const N = 3; process p(1); var t clock; state a #start; set t := 0; nextstate b; endstate;
        state b; deadline delayable; when t >= 2 and t <= N; nextstate c; endstate; state c; endstate; endprocess; endsystem;";
    let folder = Folder::with(&[("window.if", system)]);
    let asked = ["check", "window.if"];
    let ran = folder.run(&[&asked[..], &["--reach", "p@b and t > 2"]].concat()).expect(0);
    assert!(ran.stdout.contains("window.if: if,") && ran.stdout.contains("after waiting"), "{}", ran.stdout);
    folder.run(&[&asked[..], &["--invariant", "not (p@b and t > 3)"]].concat()).expect(0);
    folder.run(&[&asked[..], &["--invariant", "not (p@b and t > 3)", "-D", "N=4"]].concat()).expect(1);
    folder.run(&[&asked[..], &["--ltl", "<> p@c"]].concat()).expect(0);
    folder.run(&[&asked[..], &["--ltl", "[] ! p@c"]].concat()).expect(1);
    folder.run(&["hunt", "window.if", "--reach", "p@c", "--time", "5s"]).expect(0);
    let query = |text: &str| folder.run(&["check", "window.if", "--query", text]);
    assert!(query("sup{p@b}: t").expect(0).stdout.contains(": 3"));
    query("A<> p@c").expect(0);
    query("p@b --> p@c").expect(0);
    query("E[] p@b").expect(1);
    query("A[] not deadlock").expect(1);
    query("E<> deadlock").expect(0);
    query("E<> p@b and").expect(2);
    query("p@b").expect(2);
    let walked = folder.run(&["simulate", "window.if", "--random", "--show-steps"]).expect(0);
    assert!(walked.stdout.contains("no step is possible any more"), "{}", walked.stdout);
    folder.run(&["check", "window.if", "--lang", "timed-if"]).expect(2);
}

#[test]
fn queries_are_for_models_without_clocks_as_well() {
    let system =
        "system s; process p(1); var n integer; state a #start; provided n < 3; task n := n + 1; nextstate a;
        provided n = 3; nextstate b; endstate; state b; nextstate b; endstate; endprocess; endsystem;";
    let folder = Folder::with(&[("count.if", system)]);
    for (query, status) in [
        ("E<> n = 3", 0),
        ("A[] n < 3", 1),
        ("A[] not deadlock", 0),
        ("A<> p@b", 0),
        ("E[] p@a", 1),
        ("n = 2 --> p@b", 0),
        ("sup: n", 2),
        ("n = 3", 2),
    ] {
        folder.run(&["check", "count.if", "--query", query]).expect(status);
    }
}

#[test]
fn a_lossy_store_of_zones_is_honest() {
    let folder = Folder::with(&[("lamp.tck", LAMP)]);
    let asked = |more: &[&str]| folder.run(&[&["check", "lamp.tck", "--store", "bitstate"], more].concat());
    let found = asked(&["--reach", "P.on && x > 7", "--format", "json"]).expect(0).json();
    assert_eq!(found["run"]["store"], "bitstate");
    let missed = asked(&["--reach", "P.on && x > 11"]).expect(3);
    assert!(missed.stdout.contains("inconclusive") && missed.stdout.contains("lossy"), "{}", missed.stdout);
    asked(&["--invariant", "!(P.on && x > 11)"]).expect(3);
    asked(&["--engine", "lifo"]).expect(2);
    asked(&["--ltl", "<> P.on"]).expect(2);
}
