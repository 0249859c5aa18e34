//! `fathom drive`: tests of implementations, from the command line.

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
