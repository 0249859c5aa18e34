//! The symbolic experiments of Bui, *Guided Random-Walk Based Model Checking* (2009), chapters 5 and 7: `cargo xtask symbolic-hunting`.
//!
//! Guided search and walks over decision diagrams on the five families of models, with as many seeds as the source has; mean and standard deviation, since the source has these. Tables of the
//! source that are lost have conclusions in words, which the page repeats beside what came out.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::Value;

use crate::bench::{environment, fathom_tool, process};
use crate::smv_models::FAMILIES;

/// The flags of `cargo xtask symbolic-hunting`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Runs of each random row; the source has 50
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=50))]
    repeat: u32,

    /// Only families whose name has this in it
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    /// Where the page goes, as symbolic-hunting.md; relative to where you are
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Run this program instead of building one
    #[arg(long, value_name = "FILE")]
    fathom: Option<PathBuf>,
}

/// Most time for one row.
const ROW_LIMIT: Duration = Duration::from_secs(300);

/// A way to search: its name in the source, and flags.
const WAYS: [(&str, &str); 7] = [
    ("breadth-first", "check --engine symbolic --time 60s"),
    ("SGMC", "check --engine symbolic-guided --time 60s"),
    ("SRMC_w", "sweep --engine symbolic-walk $BOUND $SEEDS"),
    ("SRMC_t", "sweep --engine symbolic-walk --trail $SEEDS"),
    ("SGRMC_w", "sweep --engine symbolic-walk --guided --weigh-estimates --bias linear $BOUND $SEEDS"),
    ("SGRMC_t", "sweep --engine symbolic-walk --guided --weigh-estimates --bias linear --trail $SEEDS"),
    ("SGRMC_t, sharper weights", "sweep --engine symbolic-walk --guided --weigh-estimates --trail $SEEDS"),
];

/// The sizes of a family, its property, and the bound on walks that do not end by themselves.
struct Experiment {
    family: &'static str,
    property: &'static str,
    sizes: &'static [u32],
    bound: &'static str,
    source: &'static str,
}

const EXPERIMENTS: [Experiment; 5] = [
    Experiment {
        family: "philosophers",
        property: "somebody_eats",
        sizes: &[6, 10],
        bound: "--max-depth 10000",
        source: "Everybody takes part. The source (10 to 18 philosophers): walks need one traversal, trails sometimes more; lengths far above the optimum of two steps for each; \
                 SGRMC_t is fastest; SGMC is worse than breadth-first search, since all processes are alike.",
    },
    Experiment {
        family: "leader",
        property: "alone",
        sizes: &[3, 4],
        bound: "--max-depth 10000",
        source: "Everybody takes part. The source (3 to 6 members): trails beat walks, SGRMC_t is best, both random algorithms are ten times faster than breadth-first search and SGMC, \
                 of which SGMC is the better one.",
    },
    Experiment {
        family: "peterson_high",
        property: "alone",
        sizes: &[3],
        bound: "--max-depth 10000",
        source: "Everybody takes part. The source (3 to 5 processes): random algorithms are faster than breadth-first search and SGMC, guided ones fastest, SGMC very slow.",
    },
    Experiment {
        family: "peterson_low",
        property: "alone",
        sizes: &[3, 4],
        bound: "--max-depth 10000",
        source: "Two take part. The source, with 3 and 4 processes: shortest traces of 16 and 40 steps; breadth-first search 0.1 s and 25.3 s, SGMC 0.1 s and 1.1 s, SRMC 67.4 and 2127.7 steps, SGRMC 33.8 and 743.9 steps; \
                 with 5 processes SGMC is more than twice as fast as SGRMC and a hundred times as breadth-first search.",
    },
    Experiment {
        family: "send_receive",
        property: "answered",
        sizes: &[3, 4, 6],
        bound: "--max-depth 10000000",
        source: "One of three to six takes part. The source, with 3 processes: SRMC_w 95,589 steps, SRMC_t 7,070 (3.7 trails), SGRMC_w 124.9, SGRMC_t 119.9; with 6: 104,177, 68,417, 120.3 and 119.4. SGMC beats all.",
    },
];

/// What came of a row.
#[derive(Default)]
struct Row {
    runs: usize,
    hits: usize,
    length: Option<(f64, f64)>,
    steps: Option<(f64, f64)>,
    walks: Option<f64>,
    seconds: Option<f64>,
    problem: Option<String>,
}

/// Runs the task.
///
/// # Errors
///
/// A tool is missing, or a file cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let repository = repository.canonicalize().context("the repository")?;
    process::kill_on_interrupt().context("Ctrl-C")?;
    let fathom = match &arguments.fathom {
        Some(fathom) => fathom.canonicalize().with_context(|| fathom.display().to_string())?,
        None => fathom_tool::build(&repository)?,
    };
    let environment = environment::look(&repository, &fathom, environment::Rival::None)?;
    let environment = environment.for_program(arguments.fathom.as_deref());
    let folder = std::env::temp_dir().join("fathom-symbolic-hunting");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let out = arguments.out.clone().unwrap_or_else(|| repository.join("docs/benchmarks"));
    let path = out.join("symbolic-hunting.md");
    let seeds = crate::experiment::seeds(arguments.repeat as usize);
    let mut page = head(&environment, arguments.repeat);
    for experiment in &EXPERIMENTS {
        if arguments.only.as_ref().is_some_and(|text| !experiment.family.contains(text.as_str())) {
            continue;
        }
        let _ = write!(page, "\n## {}\n\n{}\n\n{HEADER}", experiment.family, experiment.source);
        for &size in experiment.sizes {
            let model = write_model(&folder, experiment.family, size)?;
            for (name, flags) in WAYS {
                let flags = flags.replace("$SEEDS", &seeds).replace("$BOUND", experiment.bound);
                let row = measure(&fathom, &model, experiment.property, &flags)?;
                eprintln!("{} {size} {name}: {} of {}", experiment.family, row.hits, row.runs);
                let _ = writeln!(page, "| {size} | {name} | {} |", row.cells());
                fs::write(&path, &page).with_context(|| path.display().to_string())?;
            }
        }
    }
    // What is read off the tables is about all of them.
    if arguments.only.is_none() {
        page += include_str!("symbolic_hunting_readings.md");
        fs::write(&path, &page).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

const HEADER: &str = "| N | way | found | trace, steps | steps made | walks | seconds |\n| ---: | --- | ---: | ---: | ---: | ---: | ---: |\n";

fn head(environment: &environment::Environment, n_seeds: u32) -> String {
    let mut text = format!(
        "# Guided search and walks over diagrams\n\nWritten by `cargo xtask symbolic-hunting`.\n\n\
         The symbolic experiments of Bui (2009), chapters 5 and 7: SGMC is `--engine symbolic-guided`; SRMC and SGRMC are `--engine symbolic-walk` without and with `--guided`, walks with the index w and trails (`--trail`) with t. \
         Distances have one weight together and weights are linear, as in the source; the last way has the weights that are the default here. Random rows have {n_seeds} seeds, the primes from 23 on; numbers are means with standard deviations, of runs that \
         found the error for traces, of all runs for steps. Steps made are those of all walks of a run; for the two searches, sets that were expanded. A run has 2020 walks at most. A row, with all its seeds, has 300 s, and is *out of time* when it takes longer. Seconds are those of a run with everything that is made before the search, also by the rows with seeds, \
         on a machine with much other work: good for ratios of ten.\n\n\
         - date: {}\n- Fathom: {}\n- processor: {}, {} cores in use\n- load before: {}\n\nModels: `cargo xtask smv FAMILY N`. Commands:\n\n```\n",
        environment.date,
        environment.fathom,
        environment.processor,
        environment.cores,
        environment.load_before
    );
    for (name, flags) in WAYS {
        let (verb, flags) = flags.split_once(' ').unwrap_or((flags, ""));
        let _ = writeln!(text, "fathom {verb} FAMILY-N.smv --property P {flags}   # {name}");
    }
    text += "```\n\n`$SEEDS` is `--over seed=23,29,…`; `$BOUND` is";
    let bounds: Vec<String> =
        EXPERIMENTS.iter().map(|one| format!(" `{}` for {}", one.bound, one.family)).collect();
    text + &bounds.join(",") + ".\n"
}

fn write_model(folder: &Path, family: &str, size: u32) -> Result<PathBuf> {
    let known = FAMILIES.iter().find(|one| one.name == family).context("a family")?;
    let path = folder.join(format!("{family}-{size}.smv"));
    fs::write(&path, (known.text)(size)).with_context(|| path.display().to_string())?;
    Ok(path)
}

fn measure(fathom: &Path, model: &Path, property: &str, flags: &str) -> Result<Row> {
    let mut words = flags.split_whitespace();
    let mut command = Command::new(fathom);
    command.args(words.next()).arg(model).args(["--property", property, "--threads", "1"]).args(words);
    command.args(["--format", "json", "--quiet"]);
    let ended = process::run(&mut command, ROW_LIMIT).with_context(|| fathom.display().to_string())?;
    let report: Value = match serde_json::from_str(&ended.stdout) {
        _ if ended.is_out_of_time => return Ok(Row::failed("out of time")),
        Ok(report) => report,
        Err(_) => return Ok(Row::failed(ended.stderr.lines().next().unwrap_or("no report"))),
    };
    Ok(Row::of(&report))
}

impl Row {
    fn failed(problem: &str) -> Row {
        Row { problem: Some(problem.to_owned()), ..Row::default() }
    }

    fn of(report: &Value) -> Row {
        let Some(runs) = report["runs"].as_array() else {
            let statistics = &report["statistics"];
            let length = report["properties"][0]["trace"]["steps"].as_f64();
            return Row {
                runs: 1,
                hits: usize::from(length.is_some()),
                length: length.map(|length| (length, 0.0)),
                steps: statistics["states"].as_f64().map(|states| (states, 0.0)),
                walks: None,
                seconds: statistics["seconds"].as_f64(),
                problem: None,
            };
        };
        let hits: Vec<&Value> = runs.iter().filter(|run| run["hit"] == true).collect();
        let all: Vec<&Value> = runs.iter().collect();
        let numbers = |runs: &[&Value], key: &str| {
            mean(&runs.iter().filter_map(|run| run[key].as_f64()).collect::<Vec<_>>())
        };
        Row {
            runs: runs.len(),
            hits: hits.len(),
            length: numbers(&hits, "length"),
            steps: numbers(&all, "transitions"),
            walks: numbers(&all, "attempts").map(|(mean, _)| mean),
            seconds: numbers(&all, "seconds").map(|(mean, _)| mean),
            problem: None,
        }
    }

    fn cells(&self) -> String {
        if let Some(problem) = &self.problem {
            return format!("{problem} | | | |");
        }
        let spread = |numbers: Option<(f64, f64)>| match numbers {
            None => "-".to_owned(),
            Some((mean, _)) if self.runs == 1 => format!("{mean}"),
            Some((mean, deviation)) => format!("{mean:.1} ± {deviation:.1}"),
        };
        let walks = self.walks.map_or("-".to_owned(), |walks| format!("{walks:.1}"));
        let seconds = self.seconds.map_or("-".to_owned(), |seconds| format!("{seconds:.3}"));
        let (length, steps) = (spread(self.length), spread(self.steps));
        format!("{} of {} | {length} | {steps} | {walks} | {seconds}", self.hits, self.runs)
    }
}

/// Mean and standard deviation.
fn mean(numbers: &[f64]) -> Option<(f64, f64)> {
    let n = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / n;
    let variance = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    (!numbers.is_empty()).then(|| (mean, variance.sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_sweep_becomes_means_with_deviations() {
        let run = |hit: bool, length: Value, steps: u64| json!({ "hit": hit, "length": length, "transitions": steps, "attempts": 1, "seconds": 0.5 });
        let runs = json!([run(true, json!(10), 10), run(true, json!(14), 14), run(false, Value::Null, 30)]);
        let row = Row::of(&json!({ "runs": runs }));
        assert_eq!(row.cells(), "2 of 3 | 12.0 ± 2.8 | 18.0 ± 10.6 | 1.0 | 0.500");
    }

    #[test]
    fn every_experiment_has_a_family() {
        for experiment in &EXPERIMENTS {
            assert!(FAMILIES.iter().any(|family| family.name == experiment.family));
        }
    }
}
