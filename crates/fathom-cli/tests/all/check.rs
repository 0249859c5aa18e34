//! `fathom check` as a whole program: answers, exit status, limits, and what happens to bad input.

use crate::common::{COUNTER, ENDLESS, Folder, MESSAGES, Ran, TWO_ERRORS, property};

#[test]
fn exit_status_says_holds_violated_cannot_run_or_inconclusive() {
    let folder =
        Folder::with(&[("ok.pml", COUNTER), ("bad.pml", TWO_ERRORS), ("broken.pml", "active proctype")]);
    folder.run(&["check", "ok.pml"]).expect(0);
    folder.run(&["check", "bad.pml"]).expect(1);
    folder.run(&["check", "broken.pml"]).expect(2);
    folder.run(&["check", "ok.pml", "--max-states", "2"]).expect(3);
    folder.run(&["check"]).expect(2);
    folder.run(&["--version"]).expect(0);
    // A violation that was found counts more than a property without an answer.
    let mixed = format!("{TWO_ERRORS}ltl later {{ <> (x == 9) }}\n");
    folder.write("mixed.pml", mixed);
    folder.run(&["check", "mixed.pml"]).expect(1);
}

#[test]
fn text_shows_the_trace_step_by_step_and_how_to_reproduce_it() {
    let folder = Folder::with(&[("m.pml", MESSAGES)]);
    let ran = folder.run(&["check", "m.pml", "--msc"]).expect(1);
    for wanted in [
        "assertion      violated      complete, found",
        "deadlock       holds         complete, exhausted",
        "wire!request,7",
        "m.pml:5",
        "server[1]:v: 0 → 7",
        "prints: got 7",
        "log (1/2): [1]",
        "*** assertion violated",
        "|-wire!request,7->|",
        "states/s",
        "reproduce: fathom check m.pml --lang promela",
        "--seed 1",
    ] {
        assert!(ran.stdout.contains(wanted), "{wanted:?} is not in\n{}", ran.stdout);
    }
}

#[test]
fn a_deadlock_says_where_the_processes_are() {
    let text = "chan c = [0] of { byte };\nactive proctype one() { stuck: c!1 }\n";
    let ran = Folder::with(&[("d.pml", text)]).run(&["check", "d.pml"]).expect(1);
    assert!(ran.stdout.contains("one[0] at d.pml:2"), "{}", ran.stdout);
    assert!(ran.stdout.contains("stuck:"), "{}", ran.stdout);
}

#[test]
fn continue_explores_everything_and_reports_the_first_of_each_property() {
    let folder = Folder::with(&[("two.pml", TWO_ERRORS)]);
    let report = folder.run(&["check", "two.pml", "--continue", "--format", "json"]).expect(1).json();
    assert_eq!(property(&report, "deadlock")["verdict"], "violated");
    assert_eq!(property(&report, "assertion")["verdict"], "violated");
    for engine in ["bfs", "dfs"] {
        let again = folder
            .run(&["check", "two.pml", "--continue", "--format", "json", "--engine", engine])
            .expect(1)
            .json();
        assert_eq!(again["run"]["engine"], engine);
        for count in ["states", "transitions", "matched"] {
            assert_eq!(again["statistics"][count], report["statistics"][count], "{engine} {count}");
        }
    }
}

#[test]
fn ignored_properties_are_left_out() {
    let folder = Folder::with(&[("two.pml", &format!("{TWO_ERRORS}ltl l {{ [] (x < 9) }}\n"))]);
    let names = |arguments: &[&str], status: i32| -> Vec<String> {
        let all = [&["check", "two.pml", "--format", "json"], arguments].concat();
        let report = folder.run(&all).expect(status).json();
        let properties = report["properties"].as_array().expect("properties").clone();
        properties.iter().map(|property| property["name"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(names(&["--ignore", "deadlock,assertion,claims"], 0), ["runtime-error"]);
    assert_eq!(names(&["--ignore", "deadlock", "--ignore", "claims"], 1), ["assertion", "runtime-error"]);
    assert_eq!(names(&["--property", "deadlock"], 1), ["deadlock"]);
}

#[test]
fn invariants_and_reachability_see_locals_and_locations() {
    let folder = Folder::with(&[("c.pml", COUNTER)]);
    let verdict = |flag: &str, text: &str, status: i32| {
        let report = folder.run(&["check", "c.pml", flag, text, "--format", "json"]).expect(status).json();
        assert_eq!(report["properties"].as_array().map(Vec::len), Some(1));
        let property = report["properties"][0].clone();
        (property["verdict"].as_str().expect("a verdict").to_owned(), property["trace"]["steps"].clone())
    };
    assert_eq!(verdict("--invariant", "p[0]:i <= 3", 0).0, "holds");
    let (answer, steps) = verdict("--invariant", "p[0]:i < 2", 1);
    assert_eq!((answer.as_str(), steps.as_u64()), ("violated", Some(5)));
    let (answer, steps) = verdict("--reach", "p[0]@done", 0);
    assert_eq!((answer.as_str(), steps.as_u64()), ("holds", Some(10)));
    assert_eq!(verdict("--reach", "x == 4", 1).0, "violated");
}

#[test]
fn a_witness_is_shown() {
    let folder = Folder::with(&[("c.pml", COUNTER)]);
    let ran = folder.run(&["check", "c.pml", "--reach", "x == 1"]).expect(0);
    assert!(ran.stdout.contains("witness of reach-1, 3 steps:"), "{}", ran.stdout);
}

#[test]
fn definitions_change_the_model() {
    let folder = Folder::with(&[("n.pml", "byte x; active proctype p() { x = N; assert(x < 5) }")]);
    folder.run(&["check", "n.pml", "-D", "N=4"]).expect(0);
    folder.run(&["check", "n.pml", "-DN=5"]).expect(1);
    folder.run(&["check", "n.pml", "-DN"]).expect(0);
    folder.run(&["check", "n.pml"]).expect(2);
    folder.run(&["check", "n.pml", "-D", "3=4"]).expect(2);
}

#[test]
fn limits_end_a_search_with_an_honest_verdict() {
    let folder = Folder::with(&[("e.pml", ENDLESS)]);
    let limits =
        [("--max-states", "1000", "states"), ("--max-depth", "20", "depth"), ("--time", "200ms", "time")];
    let more = [("--memory", "4M", "memory"), ("--time", "0", "time")];
    for (flag, value, stop) in limits.into_iter().chain(more) {
        let report = folder.run(&["check", "e.pml", flag, value, "--format", "json"]).expect(3).json();
        let deadlock = property(&report, "deadlock");
        assert_eq!(deadlock["verdict"], "inconclusive", "{flag}");
        assert_eq!(deadlock["stop"], stop, "{flag}");
        assert_eq!(deadlock["trace"], serde_json::Value::Null, "{flag}");
    }
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_a_search_with_a_report() {
    let folder = Folder::with(&[("e.pml", ENDLESS)]);
    let mut command = folder.command(&["check", "e.pml", "--format", "json", "--time", "60s", "--quiet"]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = command.spawn().expect("the program starts");
    std::thread::sleep(std::time::Duration::from_millis(700));
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.expect("kill runs").success());
    let ran = Ran::of(child.wait_with_output().expect("it ends")).expect(3);
    let report = ran.json();
    assert_eq!(property(&report, "deadlock")["stop"], "cancelled");
    assert!(report["statistics"]["states"].as_u64().expect("a number") > 0);
}

#[test]
fn formulas_of_the_file_and_of_the_command_line_are_checked() {
    let text = format!("{COUNTER}ltl l {{ <> (x == 200) }}\n");
    let folder = Folder::with(&[("l.pml", &text)]);
    let report = folder.run(&["check", "l.pml", "--property", "l", "--format", "json"]).expect(1).json();
    let ltl = property(&report, "l");
    assert_eq!((ltl["kind"].as_str(), ltl["verdict"].as_str()), (Some("ltl"), Some("violated")));
    assert!(ltl["trace"]["loop_at"].is_u64(), "{ltl}");
    assert_eq!(report["run"]["reductions"], serde_json::json!(["slice", "dead", "fuse"]));
    assert_eq!(report["run"]["engine"], "scc");
    let ran = folder.run(&["check", "l.pml", "--property", "l", "--trace", "t.json"]).expect(1);
    assert!(ran.stdout.contains("here the loop starts"), "{}", ran.stdout);
    assert!(ran.stdout.contains("the formula is false of this run"), "{}", ran.stdout);
    let again = folder.run(&["replay", "t.json"]).expect(0);
    assert!(again.stdout.contains("here the loop starts"), "{}", again.stdout);
    folder.run(&["check", "l.pml", "--ltl", "[] (x < 200)"]).expect(0);
    folder.run(&["check", "l.pml", "--ltl", "[] (x < 1)", "--trace", "u.json"]).expect(1);
    folder.run(&["replay", "u.json"]).expect(0);
}

#[test]
fn a_problem_in_a_formula_is_shown_in_the_formula() {
    let folder = Folder::with(&[("c.pml", "byte counter; active proctype p() { counter = 1 }")]);
    let ran = folder.run(&["check", "c.pml", "--ltl", "[] (countr < 2)"]).expect(2);
    assert!(ran.stderr.contains("[] (countr < 2)") && ran.stderr.contains('^'), "{}", ran.stderr);
    assert!(ran.stderr.contains("`counter`"), "{}", ran.stderr);
    let ran = folder.run(&["check", "c.pml", "--ltl", "[] (counter <"]).expect(2);
    assert!(ran.stderr.contains('^'), "{}", ran.stderr);
}

#[test]
fn processes_that_are_alike_are_explored_once() {
    let ring = "#define N 5\nbool taken[N]; active [N] proctype p() { do :: atomic { !taken[_pid] -> taken[_pid] = true };
        atomic { !taken[(_pid + 1) % N] -> taken[(_pid + 1) % N] = true }; d_step { taken[_pid] = false; taken[(_pid + 1) % N] = false } od }";
    let folder = Folder::with(&[("r.pml", ring)]);
    let states = |flags: &[&str]| {
        let words = [&["check", "r.pml", "--continue", "--format", "json"], flags].concat();
        let report = folder.run(&words).expect(1).json();
        (report["statistics"]["states"].as_u64().expect("a number"), report["run"]["reductions"].clone())
    };
    assert_eq!(states(&[]), (82, serde_json::json!([])));
    // Five of a class, but for the two states in which all do the same.
    assert_eq!(states(&["--symmetry", "canonical"]), (18, serde_json::json!(["sym"])));
    assert_eq!(states(&["--reduce", "sym"]), (18, serde_json::json!(["sym"])));
    let info = folder.run(&["info", "r.pml"]).expect(0);
    assert!(info.stdout.contains("5 processes of p with taken[]"), "{}", info.stdout);
}

#[test]
fn what_is_not_available_is_refused() {
    let folder = Folder::with(&[("c.pml", COUNTER)]);
    let ran = folder.run(&["check", "c.pml", "--symmetry", "pairwise"]).expect(2);
    assert!(ran.stderr.contains("model programs only"), "{}", ran.stderr);
    for (flag, value) in [("--engine", "magic"), ("--store", "x"), ("--reduce", "x"), ("--code", "x")] {
        folder.run(&["check", "c.pml", flag, value]).expect(2);
    }
    folder.run(&["check", "c.pml", "--random-order"]).expect(2);
    folder.run(&["check", "c.pml", "--threads", "0"]).expect(2);
    folder.run(&["check", "c.pml", "--property", "nothing"]).expect(2);
    folder.run(&["check", "c.pml", "--reduce", "none", "--threads", "4", "--engine", "auto"]).expect(0);
}

/// A net of independent counters: many states, few with reductions.
const INDEPENDENT: &str = "active [3] proctype p() { byte n; do :: n < 40 -> n++ :: else -> break od }";

#[test]
fn reductions_are_on_by_default_unless_everything_is_counted() {
    let folder = Folder::with(&[("i.pml", INDEPENDENT)]);
    let run = |flags: &[&str]| {
        let mut words = vec!["check", "i.pml", "--format", "json", "--quiet"];
        words.extend(flags);
        folder.run(&words).expect(0).json()
    };
    let states = |report: &serde_json::Value| report["statistics"]["states"].as_u64().expect("a number");
    let all = serde_json::json!(["slice", "dead", "fuse", "por"]);
    let reduced = run(&[]);
    assert_eq!(reduced["run"]["reductions"], all);
    assert_eq!(reduced["run"]["threads"], 1, "a few states need no threads");
    let counted = run(&["--continue", "--threads", "2"]);
    assert_eq!(counted["run"]["reductions"], serde_json::json!([]));
    assert_eq!(counted["run"]["threads"], 2);
    assert!(states(&reduced) * 100 < states(&counted), "{} of {}", states(&reduced), states(&counted));
    let asked = run(&["--continue", "--reduce", "all"]);
    assert_eq!((asked["run"]["reductions"].clone(), states(&asked)), (all, states(&reduced)));
    let threads = run(&["--reduce", "none", "--threads", "2"]);
    assert_eq!((states(&threads), threads["run"]["threads"].as_u64()), (states(&counted), Some(2)));
    let plain = run(&["--reduce", "none", "--threads", "2", "--store", "plain"]);
    assert_eq!((states(&plain), plain["run"]["threads"].as_u64()), (states(&counted), Some(1)));
}

#[test]
fn random_order_is_the_same_for_the_same_seed() {
    let folder = Folder::with(&[("two.pml", TWO_ERRORS)]);
    let first = |seed: &str| {
        let ran = folder.run(&["check", "two.pml", "--engine", "dfs", "--random-order", "--seed", seed]);
        let ran = ran.expect(1);
        let is_stable = |line: &&str| !line.contains("/s") && !line.contains("memory");
        ran.stdout.lines().filter(is_stable).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(first("7"), first("7"));
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = Folder::with(&[("c.txt", COUNTER)]);
    let ran = folder.run(&["check", "missing.pml"]).expect(2);
    assert_eq!(ran.stderr, "fathom: cannot read missing.pml: no such file\n");
    let ran = folder.run(&["check", ".", "--lang", "promela"]).expect(2);
    assert!(ran.stderr.contains("is a directory"), "{}", ran.stderr);
    let ran = folder.run(&["check", "c.txt"]).expect(2);
    assert!(ran.stderr.contains("--lang promela"), "{}", ran.stderr);
    folder.run(&["check", "c.txt", "--lang", "promela"]).expect(0);
    folder.run(&["check", "c.txt", "--lang", "klingon"]).expect(2);
    let sparse = std::fs::File::create(folder.path("huge.pml")).expect("a file");
    sparse.set_len(1 << 40).expect("a sparse file");
    let ran = folder.run(&["check", "huge.pml"]).expect(2);
    assert!(ran.stderr.contains("too large"), "{}", ran.stderr);
}

#[test]
fn included_files_are_found_beside_the_includer_and_beside_the_main_file() {
    let folder = Folder::with(&[
        ("main/m.pml", "#include \"sub/a.h\"\nactive proctype p() { assert(A + B + C == 6) }\n"),
        ("main/sub/a.h", "#include \"b.h\"\n#include \"c.h\"\n#define A 1\n"),
        ("main/sub/b.h", "#define B 2\n"),
        ("main/c.h", "#define C 3\n"),
    ]);
    folder.run(&["check", "main/m.pml"]).expect(0);
    std::fs::remove_file(folder.path("main/c.h")).expect("it is there");
    let ran = folder.run(&["check", "main/m.pml"]).expect(2);
    assert!(ran.stderr.contains("c.h"), "{}", ran.stderr);
}

#[test]
fn latin_1_in_comments_loads_with_a_warning() {
    let folder = Folder::with(&[]);
    folder.write("latin.pml", b"/* pr\xfcft */ active proctype p() { skip }\n");
    let ran = folder.run(&["check", "latin.pml"]).expect(0);
    assert!(ran.stderr.contains("Latin-1"), "{}", ran.stderr);
    assert_eq!(folder.run(&["check", "latin.pml", "--quiet"]).expect(0).stderr, "");
}

#[test]
fn random_bytes_do_not_panic() {
    let folder = Folder::with(&[]);
    let mut word = 1u64;
    for round in 0..30 {
        let mut bytes = Vec::new();
        for _ in 0..200 {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let text: &[&[u8]] = &[
                b"{",
                b"}",
                b"proctype p",
                b"(",
                b")",
                b"do ::",
                b"od",
                b"x",
                b"1",
                b"\xff",
                b"!",
                b"?",
                b"\n#if ",
            ];
            bytes.extend_from_slice(text[(word >> 40) as usize % text.len()]);
        }
        folder.write("r.pml", &bytes);
        let ran = folder.run(&["check", "r.pml", "--max-states", "100", "--quiet"]);
        assert!(matches!(ran.status, Some(0..=3)), "round {round}: {ran:#?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::with(&[("m.pml", MESSAGES)]);
    let mut command = folder.command(&["check", "m.pml"]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    drop(child.stdout.take());
    let ran = Ran::of(child.wait_with_output().expect("it ends"));
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(1), ""));
}
