//! Sets of values on the command line: partitions, their files, reports, and bad input.

use crate::common::{Folder, property};

const CONVERTER: &str = "byte dec; byte weight = 128;
active proctype converter() {
  do
  :: atomic { weight > 0 -> dec = dec + weight; weight = weight / 2 }
  :: atomic { weight > 0 -> weight = weight / 2 }
  :: weight == 0
  od
}
";

/// The converter of da Costa (2005), rebuilt: 511 states, and a way of eight steps to the last number.
#[test]
fn every_partition_gives_the_same_answers_and_counts() {
    let folder = Folder::with(&[
        ("c.pml", CONVERTER),
        ("p.txt", "# by hand\nsymbolic dec\nexplicit weight # control\n"),
    ]);
    let asked = [
        "check",
        "c.pml",
        "--format",
        "json",
        "--continue",
        "--reach",
        "dec == 255",
        "--invariant",
        "dec + weight < 256",
    ];
    let plain = folder.run(&asked).expect(0).json();
    assert_eq!(plain["statistics"]["states"], 511);
    for flags in [
        &["--symbolic", "dec"][..],
        &["--explicit", "dec,at(converter)"],
        &["--symbolic", "dec,weight"],
        &["--engine", "symbolic"],
        &["--partition", "auto"],
        &["--partition", "p.txt", "--engine", "dfs"],
    ] {
        let report = folder.run(&[&asked[..], flags].concat()).expect(0).json();
        assert_eq!(report["composite"]["concrete_states"], 511.0, "{flags:?}");
        assert_eq!(property(&report, "reach-1")["verdict"], "holds");
        assert_eq!(property(&report, "invariant-1")["verdict"], "holds");
        if !flags.contains(&"dfs") {
            assert_eq!(
                property(&report, "reach-1")["trace"],
                property(&plain, "reach-1")["trace"],
                "{flags:?}"
            );
        }
    }
}

#[test]
fn reports_list_the_partition_and_info_explains_auto() {
    let folder = Folder::with(&[("c.pml", CONVERTER)]);
    let text = folder.run(&["check", "c.pml", "--symbolic", "dec"]).expect(0).stdout;
    assert!(text.contains("symbolic: dec\nexplicit: weight, at(converter)\n"), "{text}");
    assert!(text.contains("--symbolic dec"), "the command that reproduces it: {text}");
    let info = folder.run(&["info", "c.pml"]).expect(0).stdout;
    assert!(info.contains("symbolic dec  # 8 bits, wide data that decides nothing"), "{info}");
    assert!(info.contains("explicit weight  # 8 bits, decides control flow"), "{info}");
}

#[test]
fn info_writes_a_partition_to_be_edited_and_overwrites_none() {
    let folder = Folder::with(&[("c.pml", CONVERTER)]);
    folder.run(&["info", "c.pml", "--partition-out", "p.txt"]).expect(0);
    let report = folder.run(&["check", "c.pml", "--partition", "p.txt"]).expect(0).stdout;
    assert!(report.contains("symbolic: dec\nexplicit: weight, at(converter)\n"), "{report}");
    let edited = folder.read("p.txt").replace("explicit weight", "symbolic weight");
    folder.write("p.txt", &edited);
    let report = folder.run(&["check", "c.pml", "--partition", "p.txt"]).expect(0).stdout;
    assert!(report.contains("symbolic: dec, weight\nexplicit: at(converter)\n"), "{report}");
    let refused = folder.run(&["info", "c.pml", "--partition-out", "p.txt"]).expect(2);
    assert!(refused.stderr.contains("--force"), "{}", refused.stderr);
    assert_eq!(folder.read("p.txt"), edited);
    folder.run(&["info", "c.pml", "--partition-out", "p.txt", "--force"]).expect(0);
    assert_ne!(folder.read("p.txt"), edited);
}

#[test]
fn unknown_parts_files_and_engines_are_refused() {
    let folder = Folder::with(&[
        ("c.pml", CONVERTER),
        ("bad.txt", "symbolic dec\nperhaps weight\n"),
        ("both.txt", "symbolic dec\nexplicit weight\nexplicit dec\n"),
    ]);
    for (flags, wanted) in [
        (&["--symbolic", "nothing"][..], "`nothing` is no part"),
        (&["--partition", "missing.txt"], "missing.txt"),
        (&["--partition", "bad.txt"], "bad.txt:2"),
        (&["--partition", "both.txt"], "both.txt:3: 'dec' is on both sides"),
        (&["--symbolic", "dec", "--explicit", "dec"], "'dec' is on both sides"),
        (&["--symbolic", "dec", "--store", "bitstate"], "--store has no meaning for sets of values"),
        (&["--symbolic", "dec", "--engine", "bnb"], "does not run on sets of values"),
    ] {
        let ran = folder.run(&[&["check", "c.pml"], flags].concat()).expect(2);
        assert!(ran.stderr.contains(wanted), "{}", ran.stderr);
    }
}

const WAITING: &str = "MODULE main
VAR count : 0..7; state : {idle, waiting, failed}; aside : 0..7;
ASSIGN
  init(count) := 0; init(state) := idle; init(aside) := 0;
  next(aside) := {0, 1, 2, 3, 4, 5, 6, 7};
  next(state) := case state = idle : {idle, waiting}; count = 7 : failed; state = waiting : {waiting, idle}; TRUE : state; esac;
  next(count) := case state = waiting & count < 7 : {count + 1, 0}; TRUE : 0; esac;
INVARSPEC NAME never := state != failed
";

#[test]
fn guided_search_over_diagrams_is_shortest_and_says_what_it_kept() {
    let folder = Folder::with(&[("w.smv", WAITING)]);
    let plain = folder.run(&["check", "w.smv", "--format", "json"]).expect(1).json();
    let asked = ["check", "w.smv", "--format", "json", "--engine", "symbolic-guided"];
    let guided = folder.run(&asked).expect(1).json();
    let steps = |report: &serde_json::Value| property(report, "never")["trace"]["steps"].clone();
    assert_eq!(steps(&guided), steps(&plain));
    assert_eq!(property(&guided, "never")["trace"]["optimal"], "shortest");
    assert_eq!(property(&guided, "deadlock")["verdict"], "holds");
    assert_eq!(guided["run"]["engine"], "symbolic-guided");
    let distances = guided["composite"]["distances"].as_array().expect("a list");
    let never = distances.iter().find(|one| one["property"] == "never").expect("an entry");
    assert_eq!(never["kept"], serde_json::json!(["count", "state"]));
    assert_eq!((&never["start"], &never["complete"]), (&steps(&plain), &serde_json::json!(true)));
    // Written down, edited, and used again.
    let refused = folder.run(&[&asked[..], &["--heuristic-out", "h.json"]].concat()).expect(2);
    assert!(refused.stdout.contains("one property") || refused.stderr.contains("one property"));
    let written = [&asked[..], &["--property", "never", "--heuristic-out", "h.json"]].concat();
    folder.run(&written).expect(1);
    let file = folder.read("h.json");
    assert!(file.contains("\"count\""), "{file}");
    folder.write("less.json", file.replace("\"count\"", "\"aside\""));
    folder.write("wrong.json", file.replace("\"count\"", "\"nothing\""));
    let less = [&asked[..], &["--property", "never", "--heuristic", "less.json"]].concat();
    let less = folder.run(&less).expect(1).json();
    assert_eq!(steps(&less), steps(&plain), "whatever is kept, the trace is shortest");
    assert_eq!(less["composite"]["distances"][0]["kept"], serde_json::json!(["aside", "state"]));
    let wrong = [&asked[..], &["--property", "never", "--heuristic", "wrong.json"]].concat();
    assert!(folder.run(&wrong).expect(2).stdout.contains("heuristic::file"));
}

#[test]
fn walks_through_sets_of_successors_sample_and_reproduce() {
    let folder = Folder::with(&[("w.smv", WAITING)]);
    let asked = [
        "check",
        "w.smv",
        "--property",
        "never",
        "--engine",
        "symbolic-walk",
        "--seed",
        "5",
        "--format",
        "json",
    ];
    for flags in [
        &[][..],
        &["--trail"],
        &["--guided"],
        &["--guided", "--trail", "--weigh-estimates", "--bias", "linear"],
    ] {
        let run = || folder.run(&[&asked[..], flags].concat()).expect(1).json();
        let (one, other) = (run(), run());
        assert_eq!(one["properties"], other["properties"], "{flags:?}");
        assert_eq!(one["statistics"]["transitions"], other["statistics"]["transitions"]);
        assert!(one["sample"]["attempts"].as_u64().is_some_and(|walks| walks > 0));
    }
    let safe =
        "MODULE main VAR x : 0..3; ASSIGN init(x) := 0; next(x) := {0, 1, 2}; INVARSPEC NAME low := x < 3";
    folder.write("safe.smv", safe);
    let report = folder
        .run(&[
            "check",
            "safe.smv",
            "--property",
            "low",
            "--engine",
            "symbolic-walk",
            "--walks",
            "50",
            "--trail",
            "--format",
            "json",
        ])
        .expect(3)
        .json();
    assert_eq!(property(&report, "low")["verdict"], "inconclusive");
    assert_eq!(report["sample"]["claim"]["draws"], 50);
}

#[test]
fn what_engines_over_diagrams_do_not_understand_is_refused() {
    let folder = Folder::with(&[("w.smv", WAITING)]);
    for (flags, wanted) in [
        (&["--engine", "symbolic-walk", "--restart", "0.5"][..], "--restart"),
        (&["--engine", "symbolic-walk", "--all-children"], "--all-children"),
        (&["--engine", "symbolic-guided", "--heuristic", "local"], "abstract distances only"),
        (&["--engine", "symbolic-guided", "--reverse-heuristic"], "--reverse-heuristic"),
        (&["--engine", "symbolic-best"], "symbolic-guided"),
    ] {
        let ran = folder.run(&[&["check", "w.smv"], flags].concat()).expect(2);
        assert!(ran.stderr.contains(wanted), "{flags:?}: {}", ran.stderr);
    }
}

#[test]
fn info_recommends_engines_over_diagrams_for_processes_of_smv_and_hunts_use_them() {
    let folder = Folder::with(&[("s.smv", include_str!("../../../../examples/smv/send_receive.smv"))]);
    let info = folder.run(&["info", "s.smv"]).expect(0).stdout;
    assert!(info.contains("check --engine symbolic-guided"), "{info}");
    let hunted = folder
        .run(&["hunt", "s.smv", "--symbolic", "--property", "answered", "--threads", "1"])
        .expect(1)
        .stdout;
    assert!(hunted.contains("--symbolic"), "the command that reproduces it: {hunted}");
}

/// Forty lamps of which any may be lit at first: 2^40 states, and two nodes for each lamp.
fn many_lamps() -> String {
    let names = |between: &str| (0..40).map(|n| format!("l{n}")).collect::<Vec<_>>().join(between);
    let declared: String = (0..40).map(|n| format!("l{n} : boolean; ")).collect();
    let kept: String = (0..40).map(|n| format!("next(l{n}) := l{n}; ")).collect();
    format!(
        "MODULE main VAR {declared} ASSIGN {kept} INVARSPEC NAME one_is_lit := {}; CTLSPEC NAME stays := AG (l0 -> AG l0)",
        names(" | ")
    )
}

#[test]
fn what_explicit_states_cannot_answer_is_answered_by_diagrams_side_by_side() {
    let folder = Folder::with(&[("lamps.smv", &many_lamps())]);
    let asked = ["check", "lamps.smv", "--format", "json", "--threads", "2"];
    let report = folder.run(&asked).expect(1).json();
    assert_eq!(property(&report, "one_is_lit")["verdict"], "violated");
    assert_eq!(property(&report, "one_is_lit")["trace"]["steps"], 0);
    assert_eq!(property(&report, "stays")["verdict"], "holds");
    assert_eq!(property(&report, "stays")["trust"], "complete");
    // The command that reproduces it names the search that has answered.
    let text = folder.run(&["check", "lamps.smv", "--threads", "2"]).expect(1).stdout;
    let command = text.lines().find_map(|line| line.strip_prefix("reproduce: fathom ")).expect("a command");
    assert!(command.contains("--engine symbolic") || command.contains("--partition auto"), "{command}");
    folder.run(&command.split(' ').collect::<Vec<_>>()).expect(1);
    // Who asks for explicit states gets them.
    let explicit = [&asked[..], &["--engine", "bfs", "--time", "200ms", "--max-states", "100"]].concat();
    assert_eq!(property(&folder.run(&explicit).expect(3).json(), "stays")["verdict"], "inconclusive");
}

#[test]
fn small_models_are_answered_on_explicit_states() {
    let folder = Folder::with(&[("w.smv", WAITING)]);
    let text = folder.run(&["check", "w.smv", "--threads", "2"]).expect(1).stdout;
    assert!(text.contains("--engine bfs") && !text.contains("--partition"), "{text}");
}
