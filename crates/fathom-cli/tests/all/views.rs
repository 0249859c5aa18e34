//! `simulate`, `info`, `graph` and the help for the shell.

use std::io::Write;
use std::process::Stdio;

use crate::common::{COUNTER, Folder, MESSAGES, Ran, TWO_ERRORS, property};

fn talk(folder: &Folder, model: &str, commands: &str) -> Ran {
    let mut command = folder.command(&["simulate", model]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(commands.as_bytes()).expect("it reads");
    Ran::of(child.wait_with_output().expect("it ends"))
}

#[test]
fn a_walk_is_led_by_commands() {
    let folder = Folder::with(&[("c.pml", COUNTER)]);
    let ran = talk(&folder, "c.pml", "w x\n1\n\n1\ns\nb\nr 3\nw nope\nr x\n77\nh\nq\nnot read\n").expect(0);
    for wanted in
        ["  x = 0", "p[0]:i: 0 → 1", "x: 0 → 1", "after 3 steps:", "after 2 steps:", "after 5 steps:"]
    {
        assert!(ran.stdout.contains(wanted), "{wanted:?} is not in\n{}", ran.stdout);
    }
    assert!(ran.stdout.contains("choose a step from 1 to 1"), "{}", ran.stdout);
    assert!(ran.stdout.contains("go back one step"), "{}", ran.stdout);
    assert!(ran.stderr.contains("nope"), "{}", ran.stderr);
    // The end of the input is the end.
    talk(&folder, "c.pml", "1\n").expect(0);
}

#[test]
fn a_walk_shows_what_is_wrong() {
    let folder = Folder::with(&[("two.pml", TWO_ERRORS)]);
    let ran = talk(&folder, "two.pml", "2\n1\nb\nb\n1\n").expect(0);
    assert!(ran.stdout.contains("assertion violated"), "{}", ran.stdout);
    assert!(ran.stdout.contains("no process can move"), "{}", ran.stdout);
}

#[test]
fn a_random_run_prints_and_is_the_same_for_the_same_seed() {
    let folder = Folder::with(&[("m.pml", MESSAGES), ("c.pml", COUNTER), ("two.pml", TWO_ERRORS)]);
    let ran = folder.run(&["simulate", "m.pml", "--random", "--seed", "5"]).expect(0);
    assert!(ran.stdout.starts_with("got 7\n*** assertion violated\n"), "{}", ran.stdout);
    assert_eq!(ran.stdout, folder.run(&["simulate", "m.pml", "--random", "--seed", "5"]).stdout);
    let json = folder.run(&["simulate", "c.pml", "--random", "--format", "json"]).expect(0).json();
    assert_eq!(json["stop"], "end");
    assert_eq!(json["state"]["values"][0]["value"], "3");
    let json =
        folder.run(&["simulate", "c.pml", "--random", "--steps", "2", "--format", "json"]).expect(0).json();
    assert_eq!((json["stop"].as_str(), json["choices"].as_array().map(Vec::len)), (Some("steps"), Some(2)));
    let stops: Vec<String> = (0..20)
        .map(|seed| {
            let seed = seed.to_string();
            let arguments = ["simulate", "two.pml", "--random", "--format", "json", "--seed", &seed];
            folder.run(&arguments).expect(0).json()["stop"].as_str().expect("a stop").to_owned()
        })
        .collect();
    assert!(
        stops.iter().any(|stop| stop == "fault") && stops.iter().any(|stop| stop == "deadlock"),
        "{stops:?}"
    );
    folder.run(&["simulate", "c.pml", "--format", "json"]).expect(2);
}

#[test]
fn info_lists_what_the_model_is_made_of() {
    let folder = Folder::with(&[("m.pml", &format!("{MESSAGES}byte unused;\nltl l {{ [] true }}\n"))]);
    let json = folder.run(&["info", "m.pml", "--format", "json"]).expect(0).json();
    assert_eq!(json["model"]["processes"], 2);
    assert_eq!(json["processes"][1]["name"], "server");
    assert_eq!(json["processes"][1]["locals"][0]["type"], "byte");
    assert_eq!(json["channels"][0]["fields"], serde_json::json!(["mtype", "byte"]));
    assert_eq!(json["channels"][1]["capacity"], 2);
    let bits = json["model"]["state_bits"].as_u64().expect("a number");
    assert_eq!(json["state_bytes"].as_u64(), Some(bits / 8));
    let ltl = property(&json, "l");
    assert_eq!((ltl["supported"].as_bool(), ltl["kind"].as_str()), (Some(true), Some("ltl")));
    let text = folder.run(&["info", "m.pml"]).expect(0).stdout;
    assert!(text.contains("log = [2] of { byte }"), "{text}");
    let lowered = folder.run(&["info", "m.pml", "--model"]).expect(0).stdout;
    assert!(lowered.contains("template server"), "{lowered}");
}

#[test]
fn graphs_are_drawn_as_dot_and_as_svg() {
    let folder = Folder::with(&[("m.pml", MESSAGES), ("old.svg", "mine")]);
    let dot = folder.run(&["graph", "m.pml"]).expect(0).stdout;
    assert!(dot.starts_with("digraph \"m.pml\" {") && dot.ends_with("}\n"), "{dot}");
    assert_eq!(dot.matches("subgraph").count(), 2);
    assert!(dot.contains("got %d\\\\n"), "{dot}");
    let one = folder.run(&["graph", "m.pml", "--process", "client"]).expect(0).stdout;
    assert_eq!(one.matches("subgraph").count(), 1);
    folder.run(&["graph", "m.pml", "--process", "nobody"]).expect(2);
    let states = folder.run(&["graph", "m.pml", "--states"]).expect(0).stdout;
    assert!(states.contains("assertion violated") && states.contains("penwidth=3"), "{states}");
    let few = folder.run(&["graph", "m.pml", "--states", "--max-states", "2"]).expect(0).stdout;
    assert_eq!(few.lines().filter(|line| line.contains("[label=") && !line.contains("->")).count(), 2);
    for arguments in
        [&["graph", "m.pml", "--format", "svg"][..], &["graph", "m.pml", "--states", "--format", "svg"]]
    {
        let svg = folder.run(arguments).expect(0).stdout;
        assert!(svg.contains("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
        assert!(svg.contains("wire!request"), "{svg}");
    }
    folder.run(&["graph", "m.pml", "--format", "svg", "-o", "old.svg"]).expect(2);
    assert_eq!(folder.read("old.svg"), "mine");
    folder.run(&["graph", "m.pml", "--format", "svg", "-o", "old.svg", "--force"]).expect(0);
    assert!(folder.read("old.svg").contains("<svg"));
}

#[test]
fn the_shell_gets_completions_and_a_manual() {
    let folder = Folder::with(&[]);
    assert!(folder.run(&["completions", "bash"]).expect(0).stdout.contains("--max-states"));
    assert!(folder.run(&["manual"]).expect(0).stdout.contains(".TH fathom"));
}
