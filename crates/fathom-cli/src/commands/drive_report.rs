//! What comes of `fathom drive`, in words and as JSON.

use std::fmt::Write;

use fathom_adapter::log_file::{entries_to_json, times, verdict_to_json};
use fathom_coverage::{Rate, UseCase};
use fathom_online::{Entry, Expansion, RunLog, Shortened, Strategy, TestReport, TestVerdict};
use serde_json::{Value, json};

use crate::arguments::Format;
use crate::failure::Failure;
use crate::program::Source;
use crate::units::counted;
use crate::{output, wire};

/// Items that are missing, as many as anyone reads.
const MOST_MISSING: usize = 10;

/// How much of a goal is covered.
pub struct GoalReport<'a> {
    /// The criterion.
    pub criterion: String,
    /// How much of it.
    pub rate: Rate,
    /// Steps until it was.
    pub covered_after: Option<usize>,
    /// Its parts: text, rate, what is missing.
    pub parts: Vec<(String, Rate, Vec<String>)>,
    /// The use cases it was made of.
    pub use_cases: Vec<(&'a UseCase, Rate)>,
}

/// A test that is over.
pub struct Driven<'a> {
    /// The model.
    pub source: &'a Source,
    /// How was chosen.
    pub strategy: Strategy,
    /// With which seed.
    pub seed: u64,
    /// What came of it.
    pub report: &'a TestReport,
    /// What was to be covered.
    pub goal: Option<GoalReport<'a>>,
    /// The failing run, shortened.
    pub shortened: Option<&'a Shortened>,
    /// Ticks in a unit of time, where time passes.
    pub grain: Option<u32>,
    /// How long it took.
    pub seconds: f64,
}

/// Shows the result of a test.
pub fn publish(driven: &Driven<'_>, format: Format) -> Result<(), Failure> {
    match format {
        Format::Json => output::print_json(&to_json(driven)),
        Format::Text => output::print(&to_text(driven)),
    }
}

fn to_json(driven: &Driven<'_>) -> Value {
    let Driven { source, report, .. } = driven;
    let goal = driven.goal.as_ref().map(|goal| {
        let part = |(criterion, rate, missing): &(String, Rate, Vec<String>)| {
            json!({ "criterion": criterion, "rate": rate.to_f64(), "missing": missing })
        };
        let use_case = |(case, rate): &(&UseCase, Rate)| {
            json!({ "id": case.id, "name": case.name, "priority": case.priority, "rate": rate.to_f64() })
        };
        json!({
            "criterion": goal.criterion,
            "rate": goal.rate.to_f64(),
            "covered": goal.rate.is_full(),
            "covered_after": goal.covered_after,
            "parts": goal.parts.iter().map(part).collect::<Vec<_>>(),
            "use_cases": goal.use_cases.iter().map(use_case).collect::<Vec<_>>(),
        })
    });
    let failed = report.runs.last().filter(|run| run.verdict.failure().is_some());
    json!({
        "fathom": wire::VERSION,
        "model": { "file": source.name, "language": source.language },
        "test": {
            "strategy": driven.strategy.name(), "seed": driven.seed, "runs": report.runs.len(),
            "steps": report.n_steps, "seconds": driven.seconds,
        },
        "result": verdict_to_json(&report.verdict),
        "goal": goal,
        "failing_run": failed.map(|run| entries_to_json(&run.entries, driven.grain)),
        "shortened": driven.shortened.map(|shortened| json!({
            "run": entries_to_json(&shortened.log.entries, driven.grain), "trials": shortened.n_trials,
            "minimal": shortened.is_minimal, "result": verdict_to_json(&shortened.log.verdict),
        })),
    })
}

/// One line for each entry; where time passes, with the time in units.
fn write_run(text: &mut String, entries: &[Entry], grain: Option<u32>) {
    for (number, (entry, time)) in entries.iter().zip(times(entries, grain)).enumerate() {
        let line = match entry {
            Entry::Did { action, is_sent: true } => format!("  {action}"),
            Entry::Did { action, is_sent: false } => format!("({action})"),
            Entry::Observed { action, .. } => format!("  -> {action}"),
            Entry::Silence => "  (silence)".to_owned(),
            Entry::Tick => "  (time passes)".to_owned(),
        };
        let time = time.map_or(String::new(), |time| format!("{time:>8}"));
        let _ = writeln!(text, "{:>4}{time}{line}", number + 1);
    }
}

fn verdict_line(verdict: &TestVerdict) -> String {
    match verdict {
        TestVerdict::Pass => "pass".to_owned(),
        TestVerdict::Fail(failure) => format!("FAIL: {failure}"),
        TestVerdict::Inconclusive(why) => format!("inconclusive: {why}"),
    }
}

fn to_text(driven: &Driven<'_>) -> String {
    let report = driven.report;
    let mut text = format!("{}: {}\n", driven.source.name, verdict_line(&report.verdict));
    let _ = writeln!(
        text,
        "{} in {}, {:.1} s, strategy {}, seed {}",
        counted(report.n_steps as u64, "step"),
        counted(report.runs.len() as u64, "run"),
        driven.seconds,
        driven.strategy.name(),
        driven.seed
    );
    if let Some(goal) = &driven.goal {
        let _ = writeln!(text, "goal covered to {}: {}", goal.rate, goal.criterion);
        if let Some(steps) = goal.covered_after {
            let _ = writeln!(text, "  after {}", counted(steps as u64, "step"));
        }
        for (case, rate) in &goal.use_cases {
            let _ = writeln!(text, "  use case {} ({}): {rate}", case.id, case.name);
        }
        for (criterion, rate, missing) in goal.parts.iter().filter(|(_, rate, _)| !rate.is_full()) {
            let shown = missing.iter().take(MOST_MISSING).cloned().collect::<Vec<_>>().join("; ");
            let more = if missing.len() > MOST_MISSING { "; …" } else { "" };
            let _ = writeln!(text, "  {criterion}: {rate}, missing {shown}{more}");
        }
    }
    let failed = report.runs.last().filter(|run| run.verdict.failure().is_some());
    match (driven.shortened, failed) {
        (Some(shortened), _) => {
            let minimal = if shortened.is_minimal { ", nothing can be left out" } else { "" };
            let _ = writeln!(
                text,
                "shortened in {}{minimal}: {}",
                counted(shortened.n_trials as u64, "run"),
                verdict_line(&shortened.log.verdict)
            );
            write_run(&mut text, &shortened.log.entries, driven.grain);
        }
        (None, Some(run)) => write_run(&mut text, &run.entries, driven.grain),
        (None, None) => (),
    }
    text
}

/// Shows how the model carries out use cases.
pub fn publish_expansions(expansions: &[(&UseCase, Expansion)], format: Format) -> Result<(), Failure> {
    if format == Format::Json {
        let one = |(case, expansion): &(&UseCase, Expansion)| {
            let (result, events, actions) = match expansion {
                Expansion::Run(actions) => {
                    let action = |(action, is_event): &(fathom_online::Action, bool)| json!({ "action": action.shown(), "event": is_event });
                    ("possible", case.events.len(), actions.iter().map(action).collect::<Vec<Value>>())
                }
                Expansion::Impossible(events) => ("impossible", *events, Vec::new()),
                Expansion::TooFar(events) => ("too-far", *events, Vec::new()),
            };
            json!({ "id": case.id, "name": case.name, "result": result, "events": events, "actions": actions })
        };
        let all: Vec<Value> = expansions.iter().map(one).collect();
        return output::print_json(&json!({ "fathom": wire::VERSION, "use_cases": all }));
    }
    let mut text = String::new();
    for (case, expansion) in expansions {
        match expansion {
            Expansion::Run(actions) => {
                let (n_events, n_actions) = (case.events.len() as u64, actions.len() as u64);
                let (events, all) = (counted(n_events, "event"), counted(n_actions, "action"));
                let _ = writeln!(text, "{} ({}): {events}, {all}", case.id, case.name);
                for (action, is_event) in actions {
                    let _ = writeln!(text, "  {} {action}", if *is_event { '*' } else { ' ' });
                }
            }
            Expansion::Impossible(events) => {
                let _ = writeln!(text, "{} ({}): impossible after {events} events", case.id, case.name);
            }
            Expansion::TooFar(events) => {
                let _ = writeln!(
                    text,
                    "{} ({}): not found, {events} events within --max-states",
                    case.id, case.name
                );
            }
        }
    }
    output::print(&text)
}

/// Shows what came of doing a log again.
pub fn publish_replay(
    again: &RunLog,
    recorded: &str,
    is_same: bool,
    grain: Option<u32>,
    format: Format,
) -> Result<(), Failure> {
    if format == Format::Json {
        return output::print_json(&json!({
            "fathom": wire::VERSION,
            "replay": { "same": is_same, "recorded": recorded, "run": entries_to_json(&again.entries, grain) },
            "result": verdict_to_json(&again.verdict),
        }));
    }
    let same = if is_same { "the same as recorded" } else { "not as recorded" };
    let mut text = format!("replay: {}, {same}\n", verdict_line(&again.verdict));
    write_run(&mut text, &again.entries, grain);
    output::print(&text)
}
