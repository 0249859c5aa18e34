//! The public timed automata, when they are there: counts of zones are those of TChecker, and broken files are
//! rejected.
//!
//! `FATHOM_CORPUS` names the folder; its `timed/expected.md` has what `tck-reach` says for each algorithm and order.

use std::path::PathBuf;

use fathom_core::model::{Answer, Stop};
use fathom_core::search::NoMonitor;
use fathom_core::source::MemoryLoader;
use fathom_core::timed_automata::{Cover, Network, ZoneOptions};
use fathom_core::{Asked, Language, LoadedTimed, TimedEngine, TimedOptions, check_timed, load_timed};
use fathom_testing::at_once;

fn folder() -> Option<PathBuf> {
    std::env::var_os("FATHOM_CORPUS").map(|folder| PathBuf::from(folder).join("timed"))
}

fn load(name: &str) -> LoadedTimed {
    let path = folder().expect("a corpus").join("tchecker").join(format!("{name}.tck"));
    let text = std::fs::read_to_string(path).expect("a model");
    let loader = MemoryLoader::new().with("m.tck", &text);
    load_timed("m.tck", Language::TChecker, &loader).expect("a file")
}

/// A row of the table: model, options, stored, visited and transitions.
struct Row {
    model: String,
    engine: TimedEngine,
    cover: Cover,
    counts: [u64; 3],
}

fn rows(text: &str) -> Vec<Row> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, model, algorithm, order, stored, visited, transitions, ..] = cells[..] else { return None };
        let number = |text: &str| text.replace(',', "").parse().ok();
        Some(Row {
            model: model.to_owned(),
            engine: if order == "bfs" { TimedEngine::BreadthFirst } else { TimedEngine::LastFirst },
            cover: if algorithm == "covreach" { Cover::Inclusion } else { Cover::Simulation },
            counts: [number(stored)?, number(visited)?, number(transitions)?],
        })
    };
    text.lines().filter_map(row).collect()
}

fn counts(network: &Network, row: &Row) -> [u64; 3] {
    let options = TimedOptions {
        engine: row.engine,
        zones: ZoneOptions { cover: row.cover, ..ZoneOptions::default() },
        ..TimedOptions::default()
    };
    let report = check_timed(network, &[], &options, &mut NoMonitor);
    assert_eq!(report.stop, Stop::Exhausted);
    [report.statistics.states, report.statistics.expanded, report.statistics.transitions]
}

#[test]
fn stored_and_visited_zones_are_those_of_tchecker() {
    let Some(folder) = folder() else { return };
    let text = std::fs::read_to_string(folder.join("expected.md")).expect("a table");
    let rows = rows(&text);
    assert!(rows.len() >= 20, "{} rows", rows.len());
    let compare = |row: &Row| {
        let network = load(&row.model).network.expect("a network");
        let found = counts(&network, row);
        let Row { model, engine, cover, counts } = row;
        (found != *counts)
            .then(|| format!("{model} {engine:?} {cover:?}: {found:?}, TChecker has {counts:?}"))
    };
    let problems: Vec<String> = at_once(&rows, compare).into_iter().flatten().collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Files that TChecker's own tests expect to fail: an array as a value, a location twice, events that are not declared.
const BROKEN: [&str; 5] = ["bug-046", "expr-06", "expr-07", "parsing-01", "parsing-02"];

#[test]
fn broken_files_are_rejected_and_the_others_read() {
    let Some(folder) = folder() else { return };
    let mut n_files = 0;
    for entry in std::fs::read_dir(folder.join("tchecker")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { continue };
        let loaded = load(name);
        assert_eq!(loaded.network.is_none(), BROKEN.contains(&name), "{name}: {:?}", loaded.diagnostics);
        n_files += 1;
    }
    assert!(n_files > 40);
}

/// Fischer's protocol keeps processes apart; the witness of one inside is a run that was checked with numbers.
#[test]
fn labels_of_critical_sections_are_reached_one_at_a_time() {
    if folder().is_none() {
        return;
    }
    let mut loaded = load("fischer-8");
    let apart = loaded.ask(Asked::Invariant, "!(cs1 && cs2)").expect("a condition");
    let inside = loaded.ask(Asked::Reach, "cs8 && x8 > 20").expect("a condition");
    let network = loaded.network.expect("a network");
    let options = TimedOptions { properties: vec![apart, inside], ..TimedOptions::default() };
    let report = check_timed(&network, &loaded.properties, &options, &mut NoMonitor);
    assert!(report.answers.iter().all(|answer| answer.verdict.answer == Answer::Holds));
    assert!(report.answers[1].run.is_some());
}
