//! `fathom sweep` as a whole program.

use crate::common::{COUNTER, Folder};

/// A ring of processes that can block each other; `N` of them.
const RING: &str = "#ifndef N
#define N 3
#endif
bit taken[N];
active [N] proctype p() {
  do
  :: d_step { !taken[_pid] -> taken[_pid] = 1 };
     d_step { !taken[(_pid + 1) % N] -> taken[(_pid + 1) % N] = 1 };
     taken[_pid] = 0;
     taken[(_pid + 1) % N] = 0
  od
}
";

#[test]
fn a_sweep_over_tables_writes_json_csv_and_curves_and_says_how_many_sizes_hit() {
    let folder = Folder::with(&[("m.pml", RING)]);
    let arguments =
        ["sweep", "m.pml", "-D", "N=6", "--over", "table=1..60", "--json", "s.json", "--csv", "s.csv"];
    let ran = folder.run(&[&arguments[..], &["--plot", "s.svg", "--quiet"]].concat()).expect(1);
    assert!(ran.stdout.contains("runs hit:"), "{}", ran.stdout);
    let report: serde_json::Value = serde_json::from_str(&folder.read("s.json")).unwrap();
    let runs = report["runs"].as_array().unwrap();
    assert_eq!((runs.len(), report["engine"].as_str()), (60, Some("isr")));
    let n_hits = runs.iter().filter(|run| run["hit"] == true).count();
    assert!(n_hits > 5 && n_hits < 60, "{n_hits}");
    assert_eq!(report["hit_percent"], 100.0 * n_hits as f64 / 60.0);
    assert_eq!(folder.read("s.csv").lines().count(), 61);
    assert!(folder.read("s.svg").starts_with("<svg"));
    // One table is one search: each run says so.
    assert!(runs.iter().all(|run| run["attempts"] == 1), "{report}");
}

#[test]
fn a_plot_is_a_png_when_its_name_says_so() {
    let folder = Folder::with(&[("m.pml", RING)]);
    folder.run(&["sweep", "m.pml", "--over", "N=2..4", "--plot", "s.PNG", "--quiet"]).expect(1);
    let picture = std::fs::read(folder.path("s.PNG")).unwrap();
    assert_eq!(picture[..16], *b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let number = |at: usize| u32::from_be_bytes(picture[at..at + 4].try_into().unwrap());
    // A legend, and panels for hits, time and length.
    assert_eq!((number(16), number(20)), (760, 34 + 3 * 240));
}

#[test]
fn one_command_gives_one_sweep_but_for_time() {
    let folder = Folder::with(&[("m.pml", RING)]);
    let sweep = || {
        let arguments = ["sweep", "m.pml", "--over", "N=3..5", "--repeat", "3", "--engine", "walk"];
        let report =
            folder.run(&[&arguments[..], &["--format", "json", "--quiet"]].concat()).expect(1).json();
        let runs = report["runs"].as_array().unwrap().clone();
        assert_eq!(report["values"].as_array().unwrap().len(), 3);
        assert_eq!(report["values"][2]["runs"], 3);
        runs.iter()
            .map(|run| (run["value"].clone(), run["length"].clone(), run["seed"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(sweep(), sweep());
}

#[test]
fn traces_are_as_long_as_check_says() {
    let assertion = "byte x; active proctype p() { x = 1; x = 2; assert(x == 1) }";
    for (model, property) in [(assertion, "assertion"), (RING, "deadlock")] {
        let folder = Folder::with(&[("m.pml", model)]);
        let asked =
            ["m.pml", "-DN=3", "--property", property, "--engine", "bfs", "--format", "json", "--quiet"];
        let checked = folder.run(&[&["check"], &asked[..]].concat()).expect(1).json();
        let swept = folder.run(&[&["sweep", "--over", "seed=1"], &asked[..]].concat()).expect(1).json();
        assert!(checked["properties"][0]["trace"]["steps"] == 3, "{checked}");
        assert_eq!(swept["runs"][0]["length"], 3, "{property}");
    }
}

#[test]
fn the_engine_seed_and_depth_are_those_that_were_said() {
    let folder = Folder::with(&[("m.pml", RING), ("ok.pml", COUNTER)]);
    let json = |arguments: &[&str], status: i32| {
        folder.run(&[arguments, &["--format", "json", "--quiet"]].concat()).expect(status).json()
    };
    let nearest = json(&["sweep", "m.pml", "--over", "N=2..4"], 1);
    let lengths: Vec<u64> =
        nearest["runs"].as_array().unwrap().iter().map(|run| run["length"].as_u64().unwrap()).collect();
    assert_eq!(lengths, [2, 3, 4], "breadth-first finds the nearest");
    let cut = json(&["sweep", "m.pml", "--over", "depth=1..4", "--engine", "bfs"], 1);
    let hits: Vec<bool> = cut["runs"].as_array().unwrap().iter().map(|run| run["hit"] == true).collect();
    assert_eq!(hits, [false, false, true, true]);
    let seeds = json(&["sweep", "m.pml", "--over", "seed=7,9", "--engine", "walk"], 1);
    assert_eq!((&seeds["runs"][0]["seed"], &seeds["runs"][1]["seed"]), (&7.into(), &9.into()));
    json(&["sweep", "ok.pml", "--over", "seed=1..3"], 0);
    json(&["sweep", "ok.pml", "--over", "table=1..9"], 3);
    let hunted = json(&["sweep", "m.pml", "--over", "N=3", "--engine", "hunt"], 1);
    assert_eq!(hunted["engine"], "hunt");
}

#[test]
fn nothing_is_overwritten_and_nonsense_is_refused() {
    let folder = Folder::with(&[("m.pml", RING), ("old.csv", "mine")]);
    let refused = folder.run(&["sweep", "m.pml", "--over", "table=1..9", "--csv", "old.csv"]).expect(2);
    assert!(refused.stderr.contains("--force"), "{}", refused.stderr);
    assert_eq!(folder.read("old.csv"), "mine");
    folder
        .run(&["sweep", "m.pml", "--over", "table=1..9", "--csv", "old.csv", "--force", "--quiet"])
        .expect(1);
    assert!(folder.read("old.csv").starts_with("table,seed,hit"));
    for wrong in [
        &["--over", "table=0"][..],
        &["--over", "N=2..1"],
        &["--over", "table=1..9", "--engine", "walk"],
        &["--over", "table=1..9", "--engine", "hunt"],
        &["--over", "N=3", "--csv", "a.svg", "--plot", "a.svg"],
        &["--over", "N=3", "--plot", "a.jpg"],
        &["--over", "N=3", "--plot", "a"],
        &["--over", "N=3", "--csv", "no/such/folder.csv"],
        &["--over", "N=3", "--engine", "nonsense"],
        &["--over", "N=3", "--repeat", "0"],
        &[],
    ] {
        folder.run(&[&["sweep", "m.pml"], wrong].concat()).expect(2);
    }
}
