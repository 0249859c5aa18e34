//! Goals far away: `cargo xtask goals`.
//!
//! For each goal of the list `fathom hunt` is run as a user would run it, and Spin's default search beside it:
//! `spin -a`, `gcc -O2 -DMEMLIM=4096`, `./pan -m10000000`. Spin is asked by a never claim that ends where the goal is
//! reached; its depth counts a step of the claim for every step of the model, so half of it is the length of its trace.
//! A goal is *met* when the hunt finds it within the limit with a trace of at most twice the best known length,
//! and Spin runs out of memory or time or gives a trace more than ten times as long as the best known.
//!
//! Every result is kept in `goals.json` beside the table. With `--only` the other lines of the table come from there, and with
//! `--keep-spin` Spin's side of all lines: it does not change when Fathom does.

mod page;
mod spin;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs};

use anyhow::{Context, Result, anyhow};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::bench::{environment, fathom_tool, process};

/// The flags of `cargo xtask goals`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Names of goals, separated by commas; default: all
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,

    /// Where the table goes
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Seconds for a hunt
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    time: u64,

    /// Seconds for Spin, its compilation not counted
    #[arg(long, default_value_t = 120, value_name = "SECONDS")]
    spin_time: u64,

    /// Take what Spin found from the last time, where there is something
    #[arg(long)]
    keep_spin: bool,

    /// Measure this program instead of building one
    #[arg(long, value_name = "FILE")]
    fathom: Option<PathBuf>,
}

/// One goal.
#[derive(Clone, PartialEq, Deserialize, Serialize, Debug)]
#[serde(deny_unknown_fields)]
struct Goal {
    /// The name of the model in the folder `promela/large` of the corpus.
    name: String,
    /// An expression that Fathom and Spin both understand.
    goal: String,
    /// The shortest trace that anyone is known to have found, in steps.
    best: u64,
    /// Who.
    source: String,
}

impl Goal {
    /// Whether it is the same question, whatever is known about the answer.
    fn asks_as(&self, other: &Goal) -> bool {
        (&self.name, &self.goal) == (&other.name, &other.goal)
    }
}

/// How a search for a goal ended.
#[derive(Clone, PartialEq, Deserialize, Serialize, Debug)]
struct Ended {
    /// Length of the trace.
    steps: Option<u64>,
    seconds: f64,
    /// In place of a trace.
    reason: String,
}

/// A line of the table.
#[derive(Clone, PartialEq, Deserialize, Serialize, Debug)]
struct Line {
    goal: Goal,
    hunt: Ended,
    /// Version and commit of the program that hunted, the day, and the load of the machine.
    fathom: String,
    spin: Ended,
}

impl Line {
    fn is_hard_for_spin(&self) -> bool {
        self.spin.steps.is_none_or(|steps| steps > 10 * self.goal.best)
    }

    fn is_met(&self) -> bool {
        self.is_hard_for_spin()
            && self.hunt.seconds <= 60.0
            && self.hunt.steps.is_some_and(|steps| steps <= 2 * self.goal.best)
    }
}

/// Runs the task.
///
/// # Errors
///
/// A tool or the corpus is missing, or a file cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let corpus = env::var_os("FATHOM_CORPUS").ok_or_else(|| anyhow!("FATHOM_CORPUS names no folder"))?;
    let folder = PathBuf::from(corpus).join("promela/large");
    let goals: Vec<Goal> = serde_json::from_str(include_str!("goals.json")).context("goals.json")?;
    let fathom = match &arguments.fathom {
        Some(fathom) => fathom.canonicalize().with_context(|| fathom.display().to_string())?,
        None => fathom_tool::build(&repository)?,
    };
    process::kill_on_interrupt().context("Ctrl-C")?;
    let out = arguments.out.clone().unwrap_or_else(|| repository.join("docs/benchmarks"));
    let environment = environment::look(&repository, &fathom, environment::Rival::Spin)?;
    let environment = environment.for_program(arguments.fathom.as_deref());
    let mut results = Results::read(&out.join("goals.json"))?;
    results.fit(&goals);
    for goal in &goals {
        if !arguments.only.is_empty() && !arguments.only.contains(&goal.name) {
            continue;
        }
        let model = folder.join(format!("{}.pm", goal.name));
        let old = results.lines.iter().find(|line| line.goal.asks_as(goal));
        let spin = match old.filter(|_| arguments.keep_spin) {
            Some(old) => old.spin.clone(),
            None => spin::search(&model, goal, arguments.spin_time)?,
        };
        let hunt = hunt(&fathom, &model, goal, arguments.time)?;
        let by =
            format!("{}, {}, load before {}", environment.fathom, environment.date, environment.load_before);
        let line = Line { goal: goal.clone(), hunt, fathom: by, spin };
        eprintln!("{}", page::row(&line));
        results.put(line, &goals);
        results.write(&out.join("goals.json"))?;
        let text = page::page(&results.lines, arguments, &environment);
        fs::write(out.join("goals.md"), text).context("goals.md")?;
    }
    Ok(())
}

/// What was measured so far.
#[derive(Clone, PartialEq, Default, Deserialize, Serialize, Debug)]
struct Results {
    lines: Vec<Line>,
}

impl Results {
    fn read(path: &Path) -> Result<Results> {
        match fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text).with_context(|| path.display().to_string()),
            Err(_) => Ok(Results::default()),
        }
    }

    fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self).context("results as JSON")?;
        fs::write(path, text + "\n").with_context(|| path.display().to_string())
    }

    /// Leaves lines of goals that are not asked about any more out, and takes what is known about the others.
    fn fit(&mut self, goals: &[Goal]) {
        self.lines.retain_mut(|line| match goals.iter().find(|goal| goal.asks_as(&line.goal)) {
            Some(goal) => {
                line.goal = goal.clone();
                true
            }
            None => false,
        });
    }

    /// Puts a line in place of the old one; lines are in the order of the goals.
    fn put(&mut self, line: Line, goals: &[Goal]) {
        self.lines.retain(|old| !old.goal.asks_as(&line.goal));
        self.lines.push(line);
        self.lines.sort_by_key(|line| goals.iter().position(|goal| goal.asks_as(&line.goal)));
    }
}

fn hunt(fathom: &Path, model: &Path, goal: &Goal, seconds: u64) -> Result<Ended> {
    let mut command = Command::new(fathom);
    command.arg("hunt").arg(model).args(["--reach", &goal.goal, "--time", &format!("{seconds}s")]);
    command.args(["--format", "json", "--quiet"]);
    let ended = process::run(&mut command, Duration::from_secs(seconds + 30)).context("fathom")?;
    let report: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
    let property = &report["properties"][0];
    Ok(Ended {
        steps: property["trace"]["steps"].as_u64(),
        seconds: ended.wall.as_secs_f64(),
        reason: property["stop"].as_str().unwrap_or("no report").to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, best: u64, hunt: Option<u64>, spin: Option<u64>) -> Line {
        let goal = Goal { name: name.to_owned(), goal: "g".to_owned(), best, source: "a test".to_owned() };
        let ended = |steps| Ended { steps, seconds: 1.0, reason: "found".to_owned() };
        Line { goal, hunt: ended(hunt), fathom: "fathom 0".to_owned(), spin: ended(spin) }
    }

    #[test]
    fn a_goal_is_met_when_it_is_hard_for_spin_and_the_hunt_has_a_short_trace_in_time() {
        assert!(line("m", 10, Some(20), Some(101)).is_met());
        assert!(line("m", 10, Some(10), None).is_met());
        assert!(!line("m", 10, Some(10), Some(100)).is_met());
        assert!(!line("m", 10, Some(21), None).is_met());
        assert!(!line("m", 10, None, None).is_met());
        let late = line("m", 10, Some(10), None);
        assert!(!Line { hunt: Ended { seconds: 60.5, ..late.hunt.clone() }, ..late }.is_met());
    }

    #[test]
    fn a_line_replaces_the_old_one_and_the_order_is_that_of_the_goals() {
        let lines = [line("a", 1, None, None), line("b", 1, None, None), line("b", 1, Some(1), None)];
        let goals = [lines[0].goal.clone(), lines[1].goal.clone()];
        let mut results = Results::default();
        for line in [1, 0, 2].map(|index: usize| lines[index].clone()) {
            results.put(line, &goals);
        }
        assert_eq!(results.lines, [lines[0].clone(), lines[2].clone()]);
        let better = Goal { best: 7, ..lines[1].goal.clone() };
        results.fit(std::slice::from_ref(&better));
        assert_eq!(results.lines, [Line { goal: better.clone(), ..lines[2].clone() }]);
        results.lines[0].goal = lines[1].goal.clone();
        let text = serde_json::to_string(&results).expect("JSON");
        assert_eq!(serde_json::from_str::<Results>(&text).expect("JSON"), results);
    }

    #[test]
    fn every_goal_of_the_list_has_one_line() {
        let goals: Vec<Goal> = serde_json::from_str(include_str!("goals.json")).expect("goals.json");
        for (number, goal) in goals.iter().enumerate() {
            assert!(goal.best > 0, "{}", goal.name);
            assert!(
                goals[..number].iter().all(|other| (&other.name, &other.goal) != (&goal.name, &goal.goal))
            );
        }
    }
}
