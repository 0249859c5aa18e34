//! Goals far away: `cargo xtask goals`.
//!
//! For each goal of the list `fathom hunt` is run as a user would run it, and Spin's default search beside it:
//! `spin -a`, `gcc -O2 -DMEMLIM=4096`, `./pan -m10000000`. Spin is asked by a never claim that ends where the goal is
//! reached; its depth counts a step of the claim for every step of the model, so half of it is the length of its trace.
//! A goal is *met* when the hunt finds it within the limit with a trace of at most twice the best known length,
//! and Spin runs out of memory or time or gives a trace more than ten times as long as the best known.

mod page;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, fs};

use anyhow::{Context, Result, anyhow};
use clap::Args;
use serde::Deserialize;

use crate::bench::{fathom_tool, process};

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

    /// Measure this program instead of building one
    #[arg(long, value_name = "FILE")]
    fathom: Option<PathBuf>,
}

/// One goal.
#[derive(Clone, Deserialize, Debug)]
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

/// How a search for a goal ended.
#[derive(Clone, Debug)]
struct Ended {
    /// Length of the trace.
    steps: Option<u64>,
    seconds: f64,
    /// In place of a trace.
    reason: String,
}

/// A line of the table.
#[derive(Clone, Debug)]
struct Line {
    goal: Goal,
    hunt: Ended,
    spin: Ended,
}

impl Line {
    fn is_hard_for_spin(&self) -> bool {
        self.spin.steps.is_none_or(|steps| steps > 10 * self.goal.best)
    }

    fn is_met(&self) -> bool {
        self.is_hard_for_spin() && self.hunt.steps.is_some_and(|steps| steps <= 2 * self.goal.best)
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
    let mut lines = Vec::new();
    for goal in goals {
        if !arguments.only.is_empty() && !arguments.only.contains(&goal.name) {
            continue;
        }
        let model = folder.join(format!("{}.pm", goal.name));
        let hunt = hunt(&fathom, &model, &goal, arguments.time)?;
        let spin = spin(&model, &goal, arguments.spin_time)?;
        let line = Line { goal, hunt, spin };
        eprintln!("{}", page::row(&line));
        lines.push(line);
        fs::write(out.join("goals.md"), page::page(&lines, arguments)).context("goals.md")?;
    }
    Ok(())
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

fn spin(model: &Path, goal: &Goal, seconds: u64) -> Result<Ended> {
    let folder = tempfile::tempdir().context("a temporary folder")?;
    let text = fs::read_to_string(model).with_context(|| model.display().to_string())?;
    // A claim that ends is violated.
    let claim = format!("\nnever {{ do :: ({}) -> break :: else od }}\n", goal.goal);
    fs::write(folder.path().join("m.pml"), text + &claim).context("m.pml")?;
    let step = |program: &str, arguments: &[&str], limit: u64| {
        let mut command = match program.strip_prefix("./") {
            Some(name) => Command::new(folder.path().join(name)),
            None => Command::new(program),
        };
        command.args(arguments).current_dir(folder.path());
        process::run(&mut command, Duration::from_secs(limit)).with_context(|| program.to_owned())
    };
    let failed = |reason: &str| Ended { steps: None, seconds: 0.0, reason: reason.to_owned() };
    if step("spin", &["-a", "m.pml"], 60)?.status != Some(0) {
        return Ok(failed("spin refuses the model"));
    }
    let plain = ["-O2", "-w", "-DMEMLIM=4096", "-DVECTORSZ=4096", "-o", "pan", "pan.c"];
    let compiled = step("gcc", &plain, 120)?;
    if compiled.status != Some(0) {
        // Remote references in the claim rule out partial order reduction.
        let without = [&["-DNOREDUCE"], &plain[..]].concat();
        if step("gcc", &without, 120)?.status != Some(0) {
            return Ok(failed("gcc refuses the verifier"));
        }
    }
    let started = Instant::now();
    let ended = step("./pan", &["-m10000000"], seconds)?;
    let depth = ended.stdout.split("at depth ").nth(1);
    let depth = depth.and_then(|rest| rest.split(')').next()).and_then(|depth| depth.parse::<u64>().ok());
    let is_violated =
        ended.stdout.contains("claim violated") || ended.stdout.contains("end state in claim reached");
    let reason = match (ended.is_out_of_time, ended.stdout.contains("memory") && !is_violated) {
        (true, _) => "time",
        (false, true) => "memory",
        (false, false) if ended.stdout.contains("max search depth too small") => "depth",
        (false, false) => "not found",
    };
    Ok(Ended {
        steps: depth.filter(|_| is_violated).map(|depth| depth / 2),
        seconds: started.elapsed().as_secs_f64(),
        reason: reason.to_owned(),
    })
}
