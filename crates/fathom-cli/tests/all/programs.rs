//! The commands on model programs in C# as a whole program.

use crate::common::{Folder, property};

/// Interchangeable seats, each of which is taken by one guest.
const SEATS: &str = r#"
using System;
using NModel;
using NModel.Attributes;
using NModel.Execution;

namespace Party
{
    [Abstract]
    enum Seat { A, B, C }

    public static class Table
    {
        static Set<Seat> taken = Set<Seat>.EmptySet;

        static bool TakeEnabled(Seat seat) { return !taken.Contains(seat); }

        [Action]
        static void Take(Seat seat) { taken = taken.Add(seat); }

        [StateInvariant]
        static bool TwoAtMost() { return taken.Count <= 2; }

        [StateProperty]
        static bool Empty() { return taken.Count == 0; }
    }

    public static class Factory
    {
        public static ModelProgram Create()
        {
            return new LibraryModelProgram(typeof(Factory).Assembly, "Party");
        }
    }
}
"#;

fn folder() -> Folder {
    Folder::with(&[("seats.cs", SEATS), ("broken.cs", SEATS.replace("taken.Count", "taken.Cuont").as_str())])
}

#[test]
fn exit_status_says_violated_inconclusive_or_cannot_run() {
    let folder = folder();
    folder.run(&["check", "seats.cs"]).expect(1);
    folder.run(&["check", "seats.cs", "--max-states", "1"]).expect(3);
    let ran = folder.run(&["check", "broken.cs"]).expect(2);
    assert!(ran.stderr.contains("Cuont"), "{}", ran.stderr);
    folder.run(&["check", "seats.cs", "--ctl", "AG nobody"]).expect(2);
    folder.run(&["check", "seats.cs", "--symbolic", "taken"]).expect(2);
    folder.run(&["check", "seats.cs", "--engine", "astar"]).expect(2);
    folder.run(&["check", "seats.cs", "--property", "nothing"]).expect(2);
    folder.run(&["check", "seats.cs", "-D", "N=1"]).expect(2);
    folder.run(&["replay", "seats.cs"]).expect(2);
}

#[test]
fn flags_without_a_meaning_for_programs_are_refused() {
    let folder = folder();
    for flags in [
        &["--heuristic", "blocked"][..],
        &["--cost", "1"],
        &["--reverse-heuristic"],
        &["--engine", "walk", "--guided"],
        &["--engine", "walk", "--walks", "3"],
        &["--engine", "isr", "--table-last", "9"],
        &["--some-initial"],
        &["--code", "interpreted"],
    ] {
        let ran = folder.run(&[&["check", "seats.cs"], flags].concat()).expect(2);
        let flag = flags.iter().rev().find(|flag| flag.starts_with("--")).unwrap();
        assert!(ran.stderr.contains(flag), "{}", ran.stderr);
    }
    let ran = folder.run(&["check", "seats.cs", "--feature", "Nope"]).expect(2);
    assert!(ran.stderr.contains("no class has the feature `Nope`"), "{}", ran.stderr);
}

/// An action that never ends costs two million steps of the interpreter, each time it is tried.
#[test]
fn slow_actions_are_tried_a_few_times_only() {
    let text = SEATS.replace(
        "[StateInvariant]",
        "static int n; [Action] static void Forever() { while (true) n++; }\n        [StateInvariant]",
    );
    let folder = Folder::with(&[("slow.cs", text.as_str())]);
    let started = std::time::Instant::now();
    folder.run(&["check", "slow.cs"]).expect(1);
    assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
}

#[test]
fn symmetry_takes_seats_for_one_and_gives_the_same_answers() {
    let folder = folder();
    let mut reports = Vec::new();
    for symmetry in ["none", "canonical", "pairwise"] {
        let ran =
            folder.run(&["check", "seats.cs", "--continue", "--symmetry", symmetry, "--format", "json"]);
        reports.push(ran.expect(1).json());
    }
    let states = |report: &serde_json::Value| report["statistics"]["states"].as_u64();
    assert_eq!(reports.iter().map(states).collect::<Vec<_>>(), [Some(8), Some(4), Some(4)]);
    for report in &reports {
        let invariant = property(report, "Table.TwoAtMost");
        assert_eq!(invariant["verdict"], "violated");
        assert_eq!(invariant["trace"]["steps"], 3);
        assert_eq!(invariant["program"]["steps"].as_array().map(Vec::len), Some(3));
        assert!(
            invariant["program"]["steps"][0]["action"]
                .as_str()
                .is_some_and(|action| action.starts_with("Take("))
        );
    }
}

#[test]
fn a_report_for_people_shows_actions_and_what_they_change() {
    let ran = folder().run(&["check", "seats.cs"]).expect(1);
    assert!(ran.stdout.contains("violation of"), "{}", ran.stdout);
    assert!(ran.stdout.contains("  Take("), "{}", ran.stdout);
    assert!(ran.stdout.contains("taken = "), "{}", ran.stdout);
    assert!(
        ran.stdout
            .contains("reproduce: fathom check seats.cs --lang csharp --engine bfs --symmetry canonical"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_hunt_a_graph_a_walk_and_the_questions() {
    let folder = folder();
    folder.run(&["hunt", "seats.cs", "--time", "20s", "--seed", "1", "--threads", "1"]).expect(1);
    let drawn = folder.run(&["graph", "seats.cs"]).expect(0).stdout;
    assert_eq!(drawn.matches("label=\"Take(").count(), 6, "{drawn}");
    let plain = folder.run(&["graph", "seats.cs", "--symmetry", "none"]).expect(0).stdout;
    assert_eq!(plain.matches("label=\"Take(").count(), 12, "{plain}");
    let twins = folder.run(&["graph", "seats.cs", "--twins"]).expect(0).stdout;
    assert!(twins.contains("dashed"), "{twins}");
    let walk = folder.run(&["simulate", "seats.cs", "--random", "--seed", "3"]).expect(0).stdout;
    assert!(walk.contains("   3  Take(") && walk.contains("no action is enabled"), "{walk}");
    let info = folder.run(&["info", "seats.cs"]).expect(0).stdout;
    assert!(info.contains("TwoAtMost") && info.contains("states have objects"), "{info}");
}

#[test]
fn the_run_of_a_program_is_written_and_followed_again() {
    let folder = folder();
    let report = folder.run(&["check", "seats.cs", "--trace", "t.json", "--format", "json"]).expect(1).json();
    let violated = report["properties"].as_array().expect("properties").iter();
    let violated = violated.filter(|property| property["verdict"] == "violated").collect::<Vec<_>>();
    assert_eq!(violated[0]["trace"]["file"], "t.json");
    let again = folder.run(&["replay", "t.json", "--format", "json"]).expect(0).json();
    assert_eq!(again["program"], violated[0]["program"]);
    let text = folder.run(&["replay", "t.json"]).expect(0).stdout;
    assert!(text.contains("3 steps") && text.contains("Take("), "{text}");
    // A run that is cut shows nothing about the property, and one of another program is refused.
    let mut file: serde_json::Value = serde_json::from_str(&folder.read("t.json")).expect("JSON");
    file["choices"].as_array_mut().expect("choices").pop();
    folder.write("cut.json", file.to_string());
    let ran = folder.run(&["replay", "cut.json"]).expect(2);
    assert!(ran.stderr.contains("does not fit"), "{}", ran.stderr);
    folder.run(&["check", "seats.cs", "--trace", "t.json"]).expect(2);
    folder.write("seats.cs", SEATS.replace("<= 2", "<= 1"));
    let ran = folder.run(&["replay", "t.json"]).expect(2);
    assert!(ran.stderr.contains("it changed since"), "{}", ran.stderr);
}

#[test]
fn the_run_that_violates_a_formula_is_followed_again() {
    let folder = folder();
    // Seats are never given back, so that every run ends.
    folder.run(&["check", "seats.cs", "--ltl", "[] Table.TwoAtMost", "--trace", "t.json"]).expect(1);
    folder.run(&["replay", "t.json"]).expect(0);
    folder
        .run(&[
            "check",
            "seats.cs",
            "--ltl",
            "<> ! Table.TwoAtMost && [] Table.TwoAtMost",
            "--trace",
            "u.json",
        ])
        .expect(1);
    folder.run(&["replay", "u.json"]).expect(0);
}

/// A long way with many side tracks; `Distance` says how far it is.
const TRAIL: &str = r#"
using NModel; using NModel.Attributes;
namespace Trail {
  static class Hiker {
    static int at = 0; static int strayed = 0;
    static bool OnEnabled() { return at < 12; }
    [Action] static void On() { at = at + 1; }
    static bool StrayEnabled() { return strayed < 40; }
    [Action] static void Stray() { strayed = strayed + 1; }
    [StateInvariant] static bool NotThere() { return at < 12; }
    [StateProperty] static int Distance() { return 12 - at; }
  }
}
"#;

#[test]
fn distances_of_a_program_guide_engines() {
    let wrong = TRAIL.replace("static int Distance()", "static bool Distance()").replace("12 - at;", "true;");
    let folder = Folder::with(&[("trail.cs", TRAIL), ("seats.cs", SEATS), ("wrong.cs", &wrong)]);
    let check = |engine: &str| {
        let ran = folder.run(&[
            "check",
            "trail.cs",
            "--engine",
            engine,
            "--property",
            "Hiker.NotThere",
            "--threads",
            "1",
            "--format",
            "json",
        ]);
        let report = ran.expect(1).json();
        let steps = property(&report, "Hiker.NotThere")["trace"]["steps"].as_u64();
        (steps, report["statistics"]["states"].as_u64().expect("a number"))
    };
    let (steps, all) = check("bfs");
    assert_eq!(steps, Some(12));
    for engine in ["best", "astar"] {
        let (steps, states) = check(engine);
        assert_eq!(steps, Some(12), "{engine}");
        assert!(states * 2 < all, "{engine}: {states} of {all}");
    }
    // Everything that can be reached is looked at before something holds.
    let ran = folder.run(&[
        "check",
        "trail.cs",
        "--engine",
        "best",
        "--property",
        "no run-time error",
        "--format",
        "json",
    ]);
    let report = ran.expect(0).json();
    assert_eq!(property(&report, "no run-time error")["trust"], "complete");
    assert_eq!(report["statistics"]["states"].as_u64(), Some(13 * 41));
    let ran = folder.run(&["check", "seats.cs", "--engine", "astar"]).expect(2);
    assert!(ran.stderr.contains("needs distances"), "{}", ran.stderr);
    let narrow =
        ["check", "trail.cs", "--property", "Hiker.NotThere", "--engine", "beam", "--beam-width", "100"];
    let ran = folder.run(&narrow).expect(1);
    assert!(ran.stdout.contains("--beam-width 100"), "{}", ran.stdout);
    folder.run(&["check", "trail.cs", "--engine", "best", "--weight", "2"]).expect(2);
    folder.run(&["check", "trail.cs", "--engine", "best", "--store", "bitstate"]).expect(2);
    let ran = folder.run(&["check", "wrong.cs"]).expect(2);
    assert!(ran.stderr.contains("`Distance` has to be static"), "{}", ran.stderr);
}

#[test]
fn formulas_about_the_branching_of_runs_are_answered() {
    let folder = folder();
    for (formula, status, steps) in [
        ("AG Table.TwoAtMost", 1, Some(3)),
        ("EF ! Table.TwoAtMost", 0, Some(3)),
        ("AF ! Table.TwoAtMost", 0, None),
        ("EX EX Table.TwoAtMost", 0, Some(2)),
        ("AG EF Table.TwoAtMost", 1, Some(3)),
        ("! Table.TwoAtMost", 1, None),
        ("E [ Table.TwoAtMost U AG ! Table.TwoAtMost ]", 0, Some(3)),
    ] {
        let check =
            ["check", "seats.cs", "--ctl", formula, "--format", "json", "--trace", "c.json", "--force"];
        let report = folder.run(&check).expect(status).json();
        let answer = property(&report, formula);
        assert_eq!((answer["kind"].as_str(), answer["trust"].as_str()), (Some("ctl"), Some("complete")));
        assert_eq!(answer["trace"]["steps"].as_u64(), steps, "{report}");
        if steps.is_some() {
            folder.run(&["replay", "c.json"]).expect(0);
        }
    }
    // Both kinds of formulas, and a limit.
    let both = ["check", "seats.cs", "--ltl", "<> ! Table.TwoAtMost", "--ctl", "AF ! Table.TwoAtMost"];
    let ran = folder.run(&both).expect(0);
    assert!(ran.stdout.contains("--ltl") && ran.stdout.contains("--ctl"), "{}", ran.stdout);
    folder.run(&["check", "seats.cs", "--ctl", "AG EF Table.TwoAtMost", "--max-states", "2"]).expect(3);
    folder.run(&["check", "seats.cs", "--ctl", "AG ("]).expect(2);
    folder.run(&["hunt", "seats.cs", "--ctl", "AG Table.TwoAtMost"]).expect(2);
}

/// Who is met first depends on names: what is found up to names is no run of the program.
const ORDER: &str = r#"
using NModel; using NModel.Attributes;
namespace Order {
  class O : LabeledInstance<O> { public int w; }
  static class M {
    static Set<O> all = Set<O>.EmptySet; static int r;
    static bool AddEnabled() { return all.Count < 2; }
    [Action] static void Add([New] O o, bool b) { o.w = b ? 1 : 2; all = all.Add(o); }
    static bool DoEnabled() { return r == 0; }
    [Action] static void Do() { if (all.Count == 2) foreach (O o in all) r = r * 10 + o.w; }
    [StateInvariant] static bool NotOneTwo() { return r != 12; }
    [StateInvariant] static bool NotTwoOne() { return r != 21; }
  }
}
"#;

#[test]
fn a_program_that_asks_for_names_is_searched_without_symmetry() {
    let folder = Folder::with(&[("order.cs", ORDER)]);
    for symmetry in ["canonical", "pairwise"] {
        let report =
            folder.run(&["check", "order.cs", "--continue", "--symmetry", symmetry, "--format", "json"]);
        let report = report.expect(1).json();
        assert_eq!(property(&report, "M.NotOneTwo")["verdict"], "violated");
        assert_eq!(property(&report, "M.NotTwoOne")["verdict"], "violated");
    }
    let told = folder.run(&["check", "order.cs"]).expect(1).stdout;
    assert!(told.contains("asks for the names of objects"), "{told}");
    let plain = folder.run(&["graph", "order.cs", "--symmetry", "none"]).expect(0);
    let drawn = folder.run(&["graph", "order.cs"]).expect(0);
    assert!(drawn.stderr.contains("drawn without symmetry"), "{}", drawn.stderr);
    assert_eq!(drawn.stdout, plain.stdout);
}

#[test]
fn deadlocks_are_asked_about_by_the_name_that_they_have_in_all_languages() {
    let report = folder().run(&["check", "seats.cs", "--property", "deadlock", "--format", "json"]).json();
    assert_eq!(report["properties"].as_array().unwrap().len(), 1);
    assert_eq!(report["properties"][0]["kind"], "deadlock");
}

/// What depends on names only after more states than are looked at before a search: `END` is what happens there.
const LATE_ORDER: &str = r#"
using NModel; using NModel.Attributes;
namespace Late {
  class O : LabeledInstance<O> { public O next; }
  static class M {
    static Set<O> all = Set<O>.EmptySet; static O chosen; static int time; static int r;
    static Sequence<O> row = Sequence<O>.EmptySequence;
    static bool AddEnabled() { return all.Count < 3; }
    [Action] static void Add([New] O o) { all = all.Add(o); }
    static bool TickEnabled() { return all.Count == 3 && time < 1000; }
    [Action] static void Tick() { time++; }
    static bool ChooseEnabled() { return time == 1000 && chosen == null; }
    [Action] static void Choose([Domain("all")] O o) { chosen = o; }
    static bool DoEnabled() { return chosen != null && r == 0; }
    [Action] static void Do() { END }
    [StateInvariant] static bool NotTwo() { return r != 2; }
    [StateInvariant] static bool NotOne() { return r != 1; }
  }
}
"#;

#[test]
fn a_program_that_asks_for_names_late_in_a_run_is_searched_without_symmetry() {
    for (number, end) in [
        "foreach (O o in all) { r = o == chosen ? 2 : 1; break; }",
        "foreach (O o in all) r = o == chosen ? 2 : 1;",
        "foreach (O o in all) if (o == chosen) { r = row.Count == 1 ? 2 : 1; } else row = row.AddLast(o);",
        "r = all.Minimum() == chosen ? 2 : 1;",
        "r = all.Choose(1) == chosen ? 2 : 1;",
        "r = all.Exists(o => new Set<O>(o) < new Set<O>(chosen)) ? 2 : 1;",
        "r = all.AsArray()[2] == chosen ? 2 : 1;",
        "row = new Sequence<O>(all); r = row.Head == chosen ? 2 : 1;",
        "r = $\"{chosen}\".Contains(\"1\") ? 2 : 1;",
        "O last = null; foreach (O o in all) { o.next = last; last = o; } r = last == chosen ? 2 : 1;",
    ]
    .iter()
    .enumerate()
    {
        let folder = Folder::with(&[("late.cs", LATE_ORDER.replace("END", end).as_str())]);
        for symmetry in ["canonical", "pairwise"] {
            let flags = ["check", "late.cs", "--continue", "--symmetry", symmetry, "--format", "json"];
            let report = folder.run(&flags).expect(1).json();
            assert_eq!(property(&report, "M.NotOne")["verdict"], "violated", "{number} {symmetry}");
            assert_eq!(property(&report, "M.NotTwo")["verdict"], "violated", "{number} {symmetry}");
        }
        let told = folder.run(&["check", "late.cs"]).expect(1).stdout;
        assert!(told.contains("asks for the names of objects"), "{number}: {told}");
    }
}

#[test]
fn loops_over_objects_that_come_to_the_same_under_all_names_keep_symmetry() {
    let end = "foreach (O o in all) o.next = chosen; foreach (O o in all) time++; \
               foreach (O o in all) if (o.next != chosen) r = 1; r = 3;";
    let folder = Folder::with(&[("late.cs", LATE_ORDER.replace("END", end).as_str())]);
    let report = folder.run(&["check", "late.cs", "--continue", "--format", "json"]).expect(0).json();
    assert_eq!(property(&report, "M.NotOne")["verdict"], "holds");
    assert_eq!(report["run"]["reductions"][0], "symmetry-canonical");
}

#[test]
fn formulas_of_every_logic_are_asked_by_names_and_told() {
    let folder = folder();
    let ran = folder.run(&[
        "check",
        "seats.cs",
        "--pattern",
        "absence(Table.Empty)",
        "--psl",
        "always Table.TwoAtMost",
    ]);
    let text = ran.expect(1).stdout;
    for words in [
        "pattern: absence(Table.Empty)",
        "as LTL:  [] !Table.Empty",
        "that is: ",
        "violation of always Table.TwoAtMost",
    ] {
        assert!(text.contains(words), "{words} in {text}");
    }
    let fair = ["check", "seats.cs", "--ctl", "AF !Table.Empty", "--fair-ctl", "!Table.Empty"];
    let text = folder.run(&fair).expect(0).stdout;
    assert!(text.contains("on paths with, again and again, !Table.Empty"), "{text}");
    folder.run(&["check", "seats.cs", "--psl", "always Table.Empty", "--trace", "psl.json"]).expect(1);
    let text = folder.run(&["replay", "psl.json"]).expect(0).stdout;
    assert!(text.contains("always Table.Empty"), "{text}");
    for (flags, words) in [
        (["--psl", "always Table.Emtpy", "--psl-end", "stutter"], "there is `Table.Empty`"),
        (["--psl", "always Table.Empty", "--psl-end", "weak"], "expected --psl-end stutter"),
        (["--ctl", "AG Table.Empty", "--fair-ctl", "processes"], "not processes"),
        (["--ltl", "[] Table.Empty", "--fair-ctl", "Table.Empty"], "--fair-ctl needs --ctl"),
        (["--pattern", "absence(Table.Empty", "--ltl", "[] Table.Empty"], "cannot understand --pattern"),
    ] {
        let ran = folder.run(&[&["check", "seats.cs"][..], &flags].concat()).expect(2);
        assert!(ran.stderr.contains(words), "{words} in {}", ran.stderr);
    }
}

#[test]
fn a_machine_alone_is_reproduced_as_what_it_is() {
    let folder =
        Folder::with(&[("m.txt", "FSM(0, AcceptingStates(1), Transitions(t(0, Go(), 1), t(1, Back(), 0)))")]);
    let text = folder.run(&["check", "m.txt", "--lang", "csharp"]).expect(0).stdout;
    let command = text.lines().find_map(|line| line.strip_prefix("reproduce: fathom ")).expect("a command");
    folder.run(&command.split(' ').collect::<Vec<_>>()).expect(0);
}
