//! Temporal logic on the command line: answers, trees, words, and mistakes that are pointed at.

use crate::common::{Folder, property};

/// A light that blinks or breaks, and a lamp that nobody touches.
const LIGHTS: &str = "bool on, broken, lamp;
active proctype light() {
  do
  :: on = true; on = false
  :: broken = true; break
  od
}
";

#[test]
fn a_counterexample_of_ctl_is_a_tree_in_text_and_json() {
    let folder = Folder::with(&[("l.pml", LIGHTS)]);
    let flags = ["check", "l.pml", "--ctl", "AG (on -> AF broken)", "--ctl", "AG EF broken"];
    let ran = folder.run(&flags).expect(1);
    let text = &ran.stdout;
    assert!(text.contains("why ctl-1 violated:"), "{text}");
    assert!(text.contains("AF broken is false, on a loop of"), "{text}");
    assert!(
        text.contains("that is: in every state that can be reached it is possible to reach `broken`"),
        "{text}"
    );
    let ran = folder.run(&[&flags[..], &["--format", "json"]].concat()).expect(1);
    let report = ran.json();
    let first = property(&report, "ctl-1");
    assert_eq!((first["kind"].as_str(), first["verdict"].as_str()), (Some("ctl"), Some("violated")));
    assert_eq!(first["formula"]["text"], "AG (on -> AF broken)");
    let tree = &first["tree"];
    assert_eq!((tree["reason"].as_str(), tree["holds"].as_bool()), (Some("path"), Some(false)));
    let end = &tree["path"]["claims"][0]["claim"];
    assert_eq!(end["reason"], "parts");
    let lasso = &end["parts"][1]["path"];
    assert!(lasso["loop_at"].is_u64() && lasso["steps"].as_array().is_some_and(|steps| !steps.is_empty()));
    assert!(property(&report, "ctl-2")["tree"].is_null(), "nothing to show");
}

#[test]
fn the_first_path_of_a_tree_can_be_replayed_and_the_command_repeated() {
    let folder = Folder::with(&[("l.pml", LIGHTS)]);
    let flags = ["check", "l.pml", "--ctl", "AG AF on", "--fair-ctl", "!on", "--trace", "t.json"];
    let ran = folder.run(&flags).expect(1);
    folder.run(&["replay", "t.json"]).expect(0);
    let text = &ran.stdout;
    let command = text.lines().find_map(|line| line.strip_prefix("reproduce: ")).expect("a command");
    assert!(command.contains("--ctl 'AG AF on'") && command.contains("--fair-ctl '!on'"), "{command}");
    // Fairness can be what makes a formula true.
    folder.run(&["check", "l.pml", "--ctl", "AG AF on", "--fair-ctl", "on"]).expect(0);
    folder.run(&["check", "l.pml", "--fair-ctl", "on"]).expect(2);
    folder.run(&["check", "l.pml", "--ctl", "AG AF on", "--fair-ctl", "EF on"]).expect(2);
}

#[test]
fn paths_can_be_fair_to_processes() {
    let two =
        "bool on, done; active proctype p() { do :: on = !on od } active proctype q() { done = true }\n";
    let folder = Folder::with(&[("t.pml", two)]);
    folder.run(&["check", "t.pml", "--ctl", "AF done"]).expect(1);
    let ran = folder.run(&["check", "t.pml", "--ctl", "AF done", "--fair-ctl", "processes"]).expect(0);
    assert!(ran.stdout.contains("no process that can always move never does"), "{}", ran.stdout);
    assert!(ran.stdout.contains("--fair-ctl processes"), "{}", ran.stdout);
    folder.run(&["check", "t.pml", "--ctl", "AF done", "--ltl", "<> done", "--fair", "weak"]).expect(0);
    folder.run(&["check", "t.pml", "--ctl", "AF done", "--fair-ctl", "!on"]).expect(1);
}

#[test]
fn psl_and_patterns_are_checked_and_shown() {
    let folder = Folder::with(&[("l.pml", LIGHTS)]);
    folder.run(&["check", "l.pml", "--psl", "always (on -> next !on)"]).expect(0);
    let strong = ["check", "l.pml", "--psl", "always (broken -> next! broken)"];
    folder.run(&strong).expect(0);
    folder.run(&[&strong[..], &["--psl-end", "neutral", "--trace", "p.json"]].concat()).expect(1);
    folder.run(&["replay", "p.json"]).expect(0);
    let ran =
        folder.run(&["check", "l.pml", "--pattern", "response(on, broken)", "--format", "json"]).expect(1);
    let report = ran.json();
    let formula = &property(&report, "pattern-1")["formula"];
    assert_eq!(formula["pattern"], "response(on, broken)");
    assert_eq!(formula["text"], "[] (on -> <> broken)");
    assert_eq!(formula["ctl"], "AG (on -> AF broken)");
    assert_eq!(formula["reading"], "every `on` is followed, at once or later, by `broken`");
}

#[test]
fn vacuity_and_states_are_reported() {
    let folder = Folder::with(&[("l.pml", LIGHTS)]);
    let flags = ["check", "l.pml", "--ctl", "AG (lamp -> AF on)", "--vacuity", "--states-of", "EG !on"];
    let ran = folder.run(&flags).expect(0);
    let text = &ran.stdout;
    assert!(text.contains("vacuous: AF on is never put to the test; this holds, too: AG !lamp"), "{text}");
    assert!(text.contains("constant: lamp is false in every state"), "{text}");
    assert!(text.contains("states of states-1: EG !on"), "{text}");
    let report = folder.run(&[&flags[..], &["--format", "json"]].concat()).expect(0).json();
    let found = property(&report, "ctl-1");
    assert_eq!(found["vacuous"][0]["part"], "AF on");
    assert_eq!(found["constants"][0]["proposition"], "lamp");
    let states = &report["states_of"][0];
    assert_eq!(states["parts"][2]["formula"], "EG !on");
    assert!(states["parts"][2]["states"].as_u64() < states["states"].as_u64());
    assert_eq!(states["nearest"][0]["choices"].as_array().map(Vec::len), Some(0), "the initial state is one");
    // Alone, nothing else is checked.
    let report = folder.run(&["check", "l.pml", "--states-of", "on", "--format", "json"]).expect(0).json();
    assert_eq!(report["properties"].as_array().map(Vec::len), Some(0));
    assert!(report["statistics"]["states"].as_u64() > Some(0));
    // A count that was cut off is no count.
    let cut = folder.run(&["check", "l.pml", "--states-of", "on", "--max-states", "1", "--format", "json"]);
    assert_eq!(cut.expect(3).json()["states_of"][0]["stop"], "states");
}

#[test]
fn mistakes_in_formulas_are_pointed_at() {
    let folder = Folder::with(&[("l.pml", LIGHTS)]);
    for (flag, formula, expected) in [
        ("--ltl", "[] (onn -> <> broken)", "there is a `on`"),
        ("--ctl", "AG (on -> AF brokn)", "there is a `broken`"),
        ("--psl", "always {on; brokn} |=> on", "there is a `broken`"),
        ("--pattern", "response(on, brokn)", "there is a `broken`"),
        ("--pattern", "respons(on, broken)", "there is a `response`"),
        ("--ctl", "AG (on -> F broken)", "say on which paths: `AF` or `EF`"),
        ("--ctl", "on U broken", "`A [p U q]` or `E [p U q]`"),
        ("--ctl", "AG (on -> )", "expected a formula, found `)`"),
        ("--psl", "always {on; broken", "expected `}`, found the end"),
        ("--pattern", "response(on broken)", "expected `,`, found `broken`"),
        ("--ltl", "[] (on ->", "expected"),
    ] {
        let ran = folder.run(&["check", "l.pml", flag, formula]).expect(2);
        let text = &ran.stderr;
        assert!(text.contains(expected), "{formula}: {text}");
        // The formula is shown, with a mark below the place.
        let line = text.lines().position(|line| line.contains(formula)).expect("the formula");
        let marks = text.lines().nth(line + 1).expect("a line below");
        assert!(marks.contains('^'), "{formula}: {text}");
    }
}

/// Runs on which the light is on and later never broken, by hand, in the ways of other tools.
const FOREIGN: [(&str, &str); 4] = [
    (
        "states.hoa",
        "HOA: v1\ntool: \"by hand\"\nStates: 2\nStart: 0\nAP: 2 \"on\" \"broken\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n\
         properties: trans-labels explicit-labels state-acc\n--BODY--\nState: 0\n[t] 0\n[0&!1] 1\nState: 1 {0}\n[!1] 1\n--END--\n",
    ),
    (
        "transitions.hoa",
        "HOA: v1\nStates: 2\nStart: 0\nAP: 2 \"on\" \"broken\"\nAcceptance: 1 Inf(0)\n--BODY--\n\
         State: 0\n[t] 0\n[0&!1] 1\nState: 1\n[!1] 1 {0}\n--END--\n",
    ),
    (
        "generalized.hoa",
        "HOA: v1\nStates: 2\nStart: 0\nAP: 2 \"on\" \"broken\"\nAlias: @fine !1\nacc-name: generalized-Buchi 2\n\
         Acceptance: 2 Inf(0) & Inf(1)\n--BODY--\nState: 0 \"wait\"\n[t] 0 {0}\n[0 & @fine] 1\nState: 1 [@fine] 1 {0 1}\n--END--\n",
    ),
    (
        "implicit.hoa",
        "HOA: v1\nStates: 3\nStart: 0 Start: 1\nAP: 2 \"on\" \"broken\"\nAcceptance: 1 Inf(0)\n--BODY--\n\
         State: 0 0 0 0 0\nState: 1 2 1 2 2\nState: 2 2 2 2 2\n--END--\n",
    ),
];

#[test]
fn automata_are_taken_out_and_brought_back() {
    let folder = Folder::with(&[("l.pml", LIGHTS)]);
    for (formula, status) in
        [("[] (on -> <> broken)", 1), ("[] (on -> <> !on)", 0), ("[] !lamp", 0), ("[] !on", 1)]
    {
        folder.run(&["check", "l.pml", "--ltl", formula]).expect(status);
        for place in ["states", "transitions"] {
            let out = folder.run(&["translate", "--negate", "--acceptance", place, formula]).expect(0);
            folder.write("a.hoa", &out.stdout);
            let checked = folder.run(&["check", "l.pml", "--automaton", "a.hoa"]).expect(status);
            assert!(checked.stdout.contains("automaton-1"), "{}", checked.stdout);
            // It is read by the command that wrote it, too, and is as small as it was.
            let again = folder.run(&["translate", "--automaton", "a.hoa", "--acceptance", place]).expect(0);
            let states =
                |text: &str| text.lines().find(|line| line.starts_with("States:")).map(str::to_owned);
            assert_eq!(states(&again.stdout), states(&out.stdout), "{formula} {place}");
        }
        // As a claim of Promela.
        let claim = folder.run(&["translate", "--negate", "--form", "never", formula]).expect(0);
        folder.write("claimed.pml", format!("{LIGHTS}{}", claim.stdout));
        folder.run(&["check", "claimed.pml", "--property", "never_0"]).expect(status);
    }
}

#[test]
fn automata_of_other_tools_are_asked() {
    let folder = Folder::with(&[&[("l.pml", LIGHTS)], &FOREIGN[..]].concat());
    for (name, _) in &FOREIGN[..3] {
        let flags = ["check", "l.pml", "--automaton", name, "--trace", "t.json", "--force"];
        let ran = folder.run(&flags).expect(1);
        let text = &ran.stdout;
        assert!(text.contains("the automaton accepts this run, which must not happen"), "{name}: {text}");
        let command = text.lines().find_map(|line| line.strip_prefix("reproduce: ")).expect("a command");
        assert!(command.contains(&format!("--automaton {name}")), "{command}");
        // The trace has the automaton in it.
        folder.run(&["replay", "t.json"]).expect(0);
        folder.run(&["check", "l.pml", "--automaton", name, "--threads", "2"]).expect(1);
        folder
            .run(&["check", "l.pml", "--automaton", name, "--reduce", "none", "--code", "interpreted"])
            .expect(1);
        folder.run(&["hunt", "l.pml", "--automaton", name]).expect(1);
    }
    // No set is met: nothing is accepted.
    folder.run(&["check", "l.pml", "--automaton", "implicit.hoa"]).expect(0);
}

#[test]
fn mistakes_in_automata_are_pointed_at() {
    let folder = Folder::with(&[("l.pml", LIGHTS)]);
    let (_, good) = FOREIGN[0];
    for (bad, place, said) in [
        (good.replace("\"on\"", "\"onn\""), "a.hoa:5:", "there is a `on`"),
        (good.replace("[t] 0", "[2] 0"), "a.hoa:11:2", "there is no proposition 2"),
        (good.replace("Inf(0)", "Fin(0)"), "a.hoa:7:", "only conjunctions of `Inf`"),
        (good.replace("[!1] 1", "[!1] 7"), "a.hoa:", "state 7 is not defined"),
        (good.replace("--END--", ""), "a.hoa:", "expected `State:` or `--END--`"),
    ] {
        folder.write("a.hoa", &bad);
        let ran = folder.run(&["check", "l.pml", "--automaton", "a.hoa"]).expect(2);
        assert!(ran.stderr.contains(place) && ran.stderr.contains(said), "{}", ran.stderr);
    }
    folder.run(&["check", "l.pml", "--automaton", "missing.hoa"]).expect(2);
    let ran = folder.run(&["translate", "[] (p ->"]).expect(2);
    assert!(ran.stderr.contains("<formula>:1:9"), "{}", ran.stderr);
    folder.run(&["translate"]).expect(2);
    folder.run(&["translate", "[] p", "--form", "never", "--acceptance", "transitions"]).expect(2);
}
