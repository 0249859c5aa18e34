//! Explicit, symbolic, composite: `cargo xtask partitions`.
//!
//! Each question of the list is answered three times, as a user would ask: with everything explicit, with everything symbolic, and under the partition that the list names. Time is what the program
//! says it took to read the model and to check it, the shortest of some runs where these are short. With `--nusmv FILE`, that program answers all questions of the models in SMV as well, and must say the same;
//! there, time is processor time of the whole programs, as one of them says nothing.
//!
//! Every result is kept in `symbolic.json` beside the page. With `--only` the other lines come from there.

mod nusmv;
mod page;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs};

use anyhow::{Context, Result};
use clap::Args;
use nix::sys::resource::{UsageWho, getrusage};
use serde::{Deserialize, Serialize};

use crate::bench::{environment, fathom_tool, process};

/// The flags of `cargo xtask partitions`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Names of models, separated by commas; default: all
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,

    /// Where the page goes
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Seconds for a run
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    time: u64,

    /// Measure this program instead of building one
    #[arg(long, value_name = "FILE")]
    fathom: Option<PathBuf>,

    /// The program NuSMV, to be compared with
    #[arg(long, value_name = "FILE")]
    nusmv: Option<PathBuf>,
}

/// One question.
#[derive(Clone, PartialEq, Deserialize, Serialize, Debug)]
#[serde(deny_unknown_fields)]
struct Question {
    /// Where the model is, from the root of the repository.
    model: String,
    /// Definitions.
    #[serde(default)]
    defines: Vec<String>,
    /// What is asked.
    property: String,
    /// The flags of the partition.
    partition: Vec<String>,
    /// Why it comes out as it does.
    why: String,
}

impl Question {
    /// The name of the model, with its definitions.
    fn name(&self) -> String {
        let stem = Path::new(&self.model).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        [vec![stem], self.defines.clone()].concat().join(" ")
    }
}

/// Runs of which the shortest counts.
const ROUNDS: usize = 9;

/// How a run ended.
#[derive(Clone, PartialEq, Deserialize, Serialize, Debug)]
struct Run {
    /// What the program says it took to read the model and check it; processor time of one that was stopped.
    seconds: f64,
    /// Peak memory of the program; nothing is known of one that was killed.
    megabytes: Option<f64>,
    /// Concrete states.
    states: Option<f64>,
    /// Explicit parts.
    parts: Option<u64>,
    /// Nodes of diagrams.
    nodes: Option<u64>,
    /// The verdict, or why there is none.
    end: String,
}

impl Run {
    fn is_answered(&self) -> bool {
        ["holds", "violated"].contains(&self.end.as_str())
    }
}

/// A line of the table.
#[derive(Clone, PartialEq, Deserialize, Serialize, Debug)]
struct Line {
    question: Question,
    explicit: Run,
    symbolic: Run,
    composite: Run,
    /// Version and commit of the program, the day, and the load of the machine.
    by: String,
}

impl Line {
    /// How many times faster the composite is than the better extreme; at least that many when no extreme came to an end.
    fn ratio(&self) -> f64 {
        self.explicit.seconds.min(self.symbolic.seconds) / self.composite.seconds
    }

    /// Whether the composite wins, beyond what noise could explain.
    fn is_won(&self) -> bool {
        let saved = self.explicit.seconds.min(self.symbolic.seconds) - self.composite.seconds;
        self.composite.is_answered() && self.ratio() >= 1.5 && saved >= 0.005
    }
}

/// What was measured so far.
#[derive(Clone, PartialEq, Default, Deserialize, Serialize, Debug)]
struct Results {
    lines: Vec<Line>,
    #[serde(default)]
    rivals: Vec<nusmv::Rival>,
    /// Where the rivals were measured, and with what.
    #[serde(default)]
    rivals_by: String,
}

/// Runs the task.
///
/// # Errors
///
/// When a program is missing, a file cannot be written, or two programs disagree.
pub fn run(arguments: &Arguments) -> Result<()> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let questions: Vec<Question> =
        serde_json::from_str(include_str!("partitions.json")).context("partitions.json")?;
    let fathom = match &arguments.fathom {
        Some(fathom) => fathom.canonicalize().with_context(|| fathom.display().to_string())?,
        None => fathom_tool::build(&repository)?,
    };
    process::kill_on_interrupt().context("Ctrl-C")?;
    let out = arguments.out.clone().unwrap_or_else(|| repository.join("docs/benchmarks"));
    let environment = environment::look(&repository, &fathom, environment::Rival::None)?
        .for_program(arguments.fathom.as_deref());
    let kept = out.join("symbolic.json");
    let mut results: Results = match fs::read_to_string(&kept) {
        Ok(text) => serde_json::from_str(&text).context("symbolic.json")?,
        Err(_) => Results::default(),
    };
    let is_asked = |name: &str| {
        arguments.only.is_empty() || arguments.only.iter().any(|only| name.split(' ').next() == Some(only))
    };
    let limit = Duration::from_secs(arguments.time);
    results.lines.retain(|line| questions.iter().any(|question| question.name() == line.question.name()));
    for question in questions.iter().filter(|question| is_asked(&question.name())) {
        let one = |flags: &[&str]| best_of_some(&fathom, &repository, question, flags, limit);
        let partition: Vec<&str> = question.partition.iter().map(String::as_str).collect();
        let line = Line {
            question: question.clone(),
            explicit: one(&["--threads", "1"])?,
            symbolic: one(&["--engine", "symbolic"])?,
            composite: one(&partition)?,
            by: format!(
                "{}, {}, load before {}",
                environment.fathom, environment.date, environment.load_before
            ),
        };
        let answers: Vec<&str> = [&line.explicit, &line.symbolic, &line.composite]
            .into_iter()
            .filter(|run| run.is_answered())
            .map(|run| run.end.as_str())
            .collect();
        anyhow::ensure!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{line:?}");
        eprintln!("{}", page::row(&line));
        results.lines.retain(|old| old.question.name() != line.question.name());
        results.lines.push(line);
    }
    let place = |name: &str| questions.iter().position(|question| question.name() == name);
    results.lines.sort_by_key(|line| place(&line.question.name()));
    if let Some(program) = &arguments.nusmv {
        results.rivals = nusmv::compare(program, &fathom, &repository, &questions, limit)?;
        results.rivals_by = format!("Measured on {}, {}.", environment.processor, environment.fathom);
    }
    let text = serde_json::to_string_pretty(&results).context("results as JSON")?;
    fs::write(&kept, text + "\n").context("symbolic.json")?;
    fs::write(out.join("symbolic.md"), page::page(&results, &environment)).context("symbolic.md")?;
    Ok(())
}

/// Processor time of all programs that were waited for so far, in seconds.
fn processor_time() -> Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("getrusage")?;
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}

/// The shortest of some runs: of few when they are long.
fn best_of_some(
    fathom: &Path,
    repository: &Path,
    question: &Question,
    flags: &[&str],
    limit: Duration,
) -> Result<Run> {
    let mut best = measure(fathom, repository, question, flags, limit)?;
    for round in 1..ROUNDS {
        if best.seconds < 0.2 || (best.seconds < 1.0 && round < 3) {
            let again = measure(fathom, repository, question, flags, limit)?;
            best = if again.seconds < best.seconds { again } else { best };
        }
    }
    Ok(best)
}

fn measure(
    fathom: &Path,
    repository: &Path,
    question: &Question,
    flags: &[&str],
    limit: Duration,
) -> Result<Run> {
    let mut command = Command::new(fathom);
    command
        .current_dir(repository)
        .arg("check")
        .arg(&question.model)
        .args(["--property", &question.property]);
    command.args(question.defines.iter().flat_map(|define| ["-D", define])).args(flags);
    command.args(["--memory", "4G", "--format", "json", "--quiet"]);
    let before = processor_time()?;
    let ended = process::run(&mut command, limit).context("fathom")?;
    let processor_seconds = processor_time()? - before;
    let report: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
    let composite = &report["composite"];
    let answered = &report["properties"][0];
    let end = match (ended.is_out_of_time, answered["verdict"].as_str()) {
        (true, _) => format!("stopped after {} s", limit.as_secs()),
        (_, Some("inconclusive")) => answered["stop"].as_str().unwrap_or("inconclusive").to_owned(),
        (_, Some(verdict)) => verdict.to_owned(),
        (_, None) => ended.stderr.lines().next().unwrap_or("no report").to_owned(),
    };
    let statistics = &report["statistics"];
    let told = statistics["seconds"].as_f64().zip(statistics["setup_seconds"].as_f64());
    Ok(Run {
        seconds: told.map_or(processor_seconds, |(checking, reading)| checking + reading),
        megabytes: statistics["peak_memory_bytes"].as_f64().map(|bytes| bytes / 1e6),
        states: composite["concrete_states"].as_f64().or(statistics["states"].as_f64()),
        parts: composite["explicit_parts"].as_u64(),
        nodes: composite["nodes"].as_u64(),
        end,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_of_the_list_is_about_a_model_of_the_project() {
        let questions: Vec<Question> =
            serde_json::from_str(include_str!("partitions.json")).expect("a list of questions");
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for question in &questions {
            assert!(root.join(&question.model).exists(), "{}", question.model);
        }
        let mut names: Vec<String> = questions.iter().map(Question::name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), questions.len(), "names tell the lines apart");
    }
}
