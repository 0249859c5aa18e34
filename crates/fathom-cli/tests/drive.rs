//! `fathom drive`: tests of implementations, from the command line.
//!
//! A binary of its own: some of these look at real clocks, and are not to share the cores with searches.

mod common;

use std::io::Write;
use std::path::Path;
use std::process::Command;

use common::{Folder, Ran};

fn example(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/online").join(name).display().to_string()
}

/// Runs `fathom drive` with these words, then `--`, then a specimen of `fathom` itself.
fn drive(folder: &Folder, words: &[&str], specimen: &[&str]) -> Ran {
    let mut all = vec!["drive"];
    all.extend_from_slice(words);
    all.extend(["--silence", "30ms", "--quiet", "--", env!("CARGO_BIN_EXE_fathom"), "specimen"]);
    all.extend_from_slice(specimen);
    folder.run(&all)
}

fn join<'a>(parts: &[&[&'a str]]) -> Vec<&'a str> {
    parts.concat()
}

const BUFFER: [&str; 4] = ["--observable", "Taken", "--observable", "Counted"];

#[test]
fn a_buffer_passes_and_its_faults_fail_with_logs_that_replay() {
    let folder = Folder::with(&[]);
    let model = example("buffer.cs");
    let words = |more: &[&'static str]| join(&[&[&model], &BUFFER, more]);
    drive(&folder, &words(&["--steps", "500"]), &["buffer"]).expect(0);
    for fault in ["newest-first", "drops-when-full", "no-answer-after-clear"] {
        let found = drive(
            &folder,
            &words(&["--runs", "20", "--log", "log.jsonl", "--force", "--format", "json"]),
            &["buffer", "--fault", fault],
        )
        .expect(1);
        let report = found.json();
        assert_eq!(report["result"]["verdict"], "fail");
        assert_eq!(report["shortened"]["minimal"], true, "{report}");
        let replayed = drive(
            &folder,
            &words(&["--replay", "log.jsonl", "--format", "json"]),
            &["buffer", "--fault", fault],
        )
        .expect(1);
        assert_eq!(replayed.json()["replay"]["same"], true);
        // Without the fault the log comes out otherwise, and that is no failure.
        drive(&folder, &words(&["--replay", "log.jsonl"]), &["buffer"]).expect(3);
    }
}

#[test]
fn goals_are_reported_and_needed() {
    let folder = Folder::with(&[]);
    let model = example("buffer.cs");
    let words = |goal: &'static str| join(&[&[&model], &BUFFER, &["--goal", goal, "--format", "json"]]);
    let covered = drive(&folder, &words("actions .* then states .*"), &["buffer"]).expect(0).json();
    assert_eq!(covered["goal"]["covered"], true);
    assert_eq!(covered["test"]["strategy"], "guided");
    let problem = drive(&folder, &words("action Nothing"), &["buffer"]).expect(2).json();
    assert_eq!(problem["diagnostics"][0]["code"], "coverage::matches-nothing", "{problem}");
    let problem = drive(&folder, &words("action a and"), &["buffer"]).expect(2).json();
    assert_eq!(problem["diagnostics"][0]["code"], "coverage::syntax");
    let few = join(&[&words("actions .*"), &["--steps", "2", "--runs", "1"]]);
    drive(&folder, &few, &["buffer"]).expect(3);
}

#[test]
fn runs_are_cleaned_up() {
    let folder = Folder::with(&[]);
    let model = example("buffer.cs");
    let words = |cleanup: &'static str| {
        join(&[&[&model], &BUFFER, &["--runs", "5", "--steps", "7", "--cleanup", cleanup]])
    };
    drive(&folder, &words("Clear"), &["buffer"]).expect(0);
    drive(&folder, &words("Nothing"), &["buffer"]).expect(3);
}

#[test]
fn three_tiers_are_composed_on_the_fly() {
    let folder = Folder::with(&[]);
    let (model, scenario, use_cases) = (example("phone.cs"), example("phone.fsm"), example("phone.use"));
    let tiers = [
        model.as_str(),
        "--program",
        "ActionWords",
        "--program",
        "Keywords",
        "--scenario",
        &scenario,
        "--unsent",
        "aw.*",
        "--observable",
        "kwShows",
        "--use-cases",
        &use_cases,
        "--format",
        "json",
    ];
    let expanded = drive(&folder, &join(&[&tiers, &["--expand"]]), &["phone"]).expect(0).json();
    let first = &expanded["use_cases"][0];
    assert_eq!(
        (&first["events"], first["actions"].as_array().map(Vec::len)),
        (&2.into(), Some(8)),
        "{first}"
    );
    let report = drive(&folder, &tiers, &["phone"]).expect(0).json();
    assert_eq!(report["goal"]["use_cases"][1]["rate"], 1.0);
    for fault in ["keeps-draft", "back-stays"] {
        let words = join(&[&tiers, &["--mode", "bug-hunt", "--time", "20s"]]);
        let report = drive(&folder, &words, &["phone", "--fault", fault]).expect(1).json();
        assert!(report["shortened"]["run"].as_array().is_some_and(|run| run.len() <= 16), "{report}");
    }
}

#[test]
fn a_process_may_stand_for_the_tester() {
    let folder = Folder::with(&[]);
    let model = example("lock.pml");
    drive(&folder, &[&model, "--steps", "60"], &["lock"]).expect(0);
    for fault in ["grants-once", "grants-on-free"] {
        drive(&folder, &[&model, "--steps", "60"], &["lock", "--fault", fault]).expect(1);
    }
    let missing = drive(&folder, &[&model, "--environment", "nobody"], &["lock"]).expect(2);
    assert!(missing.stderr.contains("--environment"), "{}", missing.stderr);
}

#[test]
fn breakdowns_end_in_verdicts() {
    let folder = Folder::with(&[]);
    let model = example("buffer.cs");
    for (fault, kind) in [("ends", "ended"), ("hangs", "hung"), ("garbage", "garbage")] {
        // Only what hangs is waited for; a machine that is busy is no reason to give up on the others.
        let timeout = if fault == "hangs" { "1s" } else { "60s" };
        let words =
            join(&[&[&model], &BUFFER, &["--timeout", timeout, "--shorten", "0", "--format", "json"]]);
        let report = drive(&folder, &words, &["buffer", "--fault", fault]).expect(1).json();
        assert_eq!(report["result"]["kind"], kind, "{report}");
    }
    folder.run(&["drive", &model, "--quiet", "--", "no-such-program"]).expect(2);
    folder.run(&["drive", &model, "--quiet"]).expect(2);
}

#[test]
fn an_implementation_in_python_is_tested_if_there_is_python() {
    if Command::new("python3").arg("--version").output().is_err() {
        // The specimens in Rust carry the suite.
        let _ = writeln!(std::io::stderr(), "skipped: there is no python3");
        return;
    }
    let folder = Folder::with(&[]);
    let (model, program) = (example("buffer.cs"), example("buffer.py"));
    let run = |fault: &[&str]| {
        let words = [
            "drive",
            model.as_str(),
            "--quiet",
            "--silence",
            "100ms",
            "--runs",
            "3",
            "--steps",
            "200",
            "--shorten",
            "20",
        ];
        folder.run(&join(&[&words, &BUFFER, &["--", "python3", &program], fault]))
    };
    run(&[]).expect(0);
    for fault in ["newest-first", "drops-when-full", "counts-wrong-when-full", "crashes"] {
        run(&[fault]).expect(1);
    }
}

#[test]
fn a_lamp_is_tested_against_timed_automata_with_a_virtual_clock() {
    let folder = Folder::with(&[]);
    let model = example("lamp.xta");
    for strategy in ["random", "least-visited"] {
        let words = [model.as_str(), "--steps", "300", "--strategy", strategy];
        drive(&folder, &words, &["lamp"]).expect(0);
    }
    for (fault, kind) in [
        ("off-late", "missing"),
        ("off-early", "unexpected"),
        ("never-bright", "unexpected"),
        ("forgets-dim", "missing"),
    ] {
        let words = [
            model.as_str(),
            "--runs",
            "20",
            "--steps",
            "100",
            "--log",
            "log.jsonl",
            "--force",
            "--format",
            "json",
        ];
        let report = drive(&folder, &words, &["lamp", "--fault", fault]).expect(1).json();
        assert_eq!(report["result"]["kind"], kind, "{report}");
        assert_eq!(report["shortened"]["minimal"], true, "{report}");
        let run = report["shortened"]["run"].as_array().unwrap();
        // Off is due five units after the press: late means that nothing came by then, early that it came one before.
        let last = run.last().unwrap();
        match fault {
            "off-late" => {
                assert_eq!((&last["silence"], &last["time"]), (&true.into(), &5.0.into()), "{report}")
            }
            "off-early" => {
                assert_eq!((&last["observed"], &last["time"]), (&"Off".into(), &4.0.into()), "{report}")
            }
            _ => (),
        }
        let again = [model.as_str(), "--replay", "log.jsonl", "--format", "json"];
        let again = drive(&folder, &again, &["lamp", "--fault", fault]).expect(1).json();
        assert_eq!(again["replay"]["same"], true, "{again}");
    }
}

#[test]
fn what_timed_models_lack_is_refused() {
    let folder = Folder::with(&[]);
    let model = example("lamp.xta");
    let missing = drive(&folder, &[&model, "--environment", "nobody"], &["lamp"]).expect(2);
    assert!(missing.stderr.contains("Lamp, environment"), "{}", missing.stderr);
    drive(&folder, &[&model, "--tick", "Tick"], &["lamp"]).expect(2);
    drive(&folder, &[&model, "--grain", "0"], &["lamp"]).expect(2);
}

#[test]
fn goals_and_finer_grains_are_for_timed_models_too() {
    let folder = Folder::with(&[]);
    let model = example("lamp.xta");
    let goal = "actions .* then any value >= 4 for sysvars x";
    let words = [model.as_str(), "--goal", goal, "--format", "json"];
    let report = drive(&folder, &words, &["lamp"]).expect(0).json();
    assert_eq!(report["goal"]["covered"], true, "{report}");
    // A tick of the lamp is one of four in a unit now, so that it goes off much too early.
    let words = [model.as_str(), "--grain", "4", "--runs", "20", "--steps", "50", "--format", "json"];
    let report = drive(&folder, &words, &["lamp"]).expect(1).json();
    let run = report["shortened"]["run"].as_array().unwrap();
    assert_eq!(run.last().unwrap()["time"], 1.25, "{report}");
}

/// Long units, so that a busy machine is no reason to fail; and two ticks in each, so that it shows when something is late by one.
const REAL: [&str; 10] =
    ["--unit", "400ms", "--grain", "2", "--tolerance", "80ms", "--timeout", "60s", "--shorten", "0"];

/// The lamp goes off by itself.
const BY_ITSELF: &str = "state \"Lamp = dim.*x = 5\" then action Off";

#[test]
fn real_clocks_tell_late_and_early() {
    let folder = Folder::with(&[]);
    let model = example("lamp.xta");
    let run = |fault: &[&str]| {
        let words = join(&[&[&model], &REAL, &["--goal", BY_ITSELF, "--format", "json"]]);
        drive(&folder, &words, &join(&[&["lamp", "--tick", "400ms"], fault]))
    };
    let report = run(&[]).expect(0).json();
    assert_eq!((&report["goal"]["covered"], &report["test"]["runs"]), (&true.into(), &1.into()), "{report}");
    for (fault, kind) in [("off-late", "missing"), ("off-early", "unexpected")] {
        let report = run(&["--fault", fault]).expect(1).json();
        assert_eq!(report["result"]["kind"], kind, "{report}");
    }
}

#[test]
fn a_lamp_in_python_with_a_clock_of_its_own_is_tested_if_there_is_python() {
    if Command::new("python3").arg("--version").output().is_err() {
        // The specimens in Rust carry the suite.
        let _ = writeln!(std::io::stderr(), "skipped: there is no python3");
        return;
    }
    let folder = Folder::with(&[]);
    let (model, program) = (example("lamp.xta"), example("lamp.py"));
    let run = |goal: &str, fault: &[&str]| {
        let words = ["drive", model.as_str(), "--quiet", "--goal", goal];
        folder.run(&join(&[&words, &REAL, &["--", "python3", &program, "0.4"], fault]))
    };
    run(BY_ITSELF, &[]).expect(0);
    for fault in ["too-late", "too-early"] {
        run(BY_ITSELF, &[fault]).expect(1);
    }
    run("action Bright", &[]).expect(0);
    run("action Bright", &["never-bright"]).expect(1);
}

/// A specimen that listens; ended with the test.
struct Listening(std::process::Child, String);

impl Listening {
    fn start(words: &[&str]) -> Listening {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fathom"))
            .args(words)
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("a specimen");
        let mut line = String::new();
        let mut output = std::io::BufReader::new(child.stdout.take().expect("its output"));
        std::io::BufRead::read_line(&mut output, &mut line).expect("a line");
        let address = line.trim().strip_prefix("listening at ").expect("an address").to_owned();
        Listening(child, address)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn an_implementation_is_reached_by_its_address() {
    let folder = Folder::with(&[]);
    let model = example("buffer.cs");
    let run = |address: &str| {
        let words =
            ["drive", model.as_str(), "--connect", address, "--quiet", "--silence", "30ms", "--steps", "100"];
        folder.run(&join(&[&words, &BUFFER, &["--runs", "5", "--format", "json"]]))
    };
    let correct = Listening::start(&["specimen", "buffer", "--listen", "127.0.0.1:0"]);
    run(&correct.1).expect(0);
    let wrong =
        Listening::start(&["specimen", "buffer", "--fault", "newest-first", "--listen", "127.0.0.1:0"]);
    let report = run(&wrong.1).expect(1).json();
    assert_eq!(report["shortened"]["minimal"], true, "{report}");
    let address = wrong.1.clone();
    drop(wrong);
    run(&address).expect(2);
}

#[test]
fn bug_hunts_do_first_what_earlier_tests_did_not() {
    let folder = Folder::with(&[]);
    let model = example("buffer.cs");
    let base = join(&[&[&model], &BUFFER, &["--strategy", "least-visited", "--steps", "1", "--force"]]);
    let hunt = |more: &[&'static str]| {
        let words = join(&[&base, &["--mode", "bug-hunt", "--runs", "1"], more]);
        drive(&folder, &words, &["buffer"]).expect(0);
    };
    hunt(&["--log", "first.jsonl", "--seed", "7"]);
    hunt(&["--log", "same.jsonl", "--seed", "7"]);
    hunt(&["--log", "other.jsonl", "--seed", "7", "--earlier", "first.jsonl"]);
    let actions = |log: &str| -> Vec<String> {
        folder.read(log).lines().filter(|line| line.contains("\"do\"")).map(str::to_owned).collect()
    };
    assert_eq!(actions("first.jsonl"), actions("same.jsonl"));
    assert_ne!(
        actions("first.jsonl")[0],
        actions("other.jsonl")[0],
        "what was done first is not done first again"
    );
    let words = join(&[&base, &["--earlier", "first.jsonl"]]);
    drive(&folder, &words, &["buffer"]).expect(2);
    let words = join(&[&base, &["--mode", "bug-hunt", "--earlier", "nothing.jsonl"]]);
    drive(&folder, &words, &["buffer"]).expect(2);
}
