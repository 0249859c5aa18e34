//! The comparison with Spin: `cargo xtask bench`.
//!
//! Both tools run on the same models on the same machine in the same hour, in turn, so that a change of the
//! machine's mood meets both. Everything that was measured is written down with the commands that repeat it:
//! `table.rs` and `plot.rs` for people, JSON for scripts. Results are written after each model; a run that is
//! interrupted keeps what it has.

pub mod environment;
pub mod fathom_tool;
mod measurement;
pub mod models;
mod plot;
pub mod process;
mod results;
mod sets;
mod spin_tool;
mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use clap::Args;

use measurement::{End, Measurement};
use models::Model;
use results::{Results, Row};
use sets::{Set, SetName, Tool};

/// The flags of `cargo xtask bench`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The models by name or pattern, separated by commas; default: all
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    models: Vec<String>,

    /// The sets, separated by commas, or all
    #[arg(long, default_value = "all", value_delimiter = ',', value_parser = parse_set)]
    set: Vec<SetChoice>,

    /// Rounds; the best of them counts
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,

    /// Where tables, JSON and plots go; relative to where you are
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Most seconds for one run of one contender
    #[arg(long, default_value_t = 120, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    time: u64,

    /// Threads in the set about threads; default: as many as there are processors, at least 2
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..))]
    threads: Option<u16>,

    /// Measure this program instead of building one
    #[arg(long, value_name = "FILE")]
    fathom: Option<PathBuf>,
}

/// A set, or all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SetChoice {
    All,
    One(SetName),
}

const ALL_SETS: [SetName; 5] =
    [SetName::Plain, SetName::Reduced, SetName::Bitstate, SetName::Threads, SetName::Ltl];

fn parse_set(text: &str) -> Result<SetChoice, String> {
    let known = || ALL_SETS.map(SetName::file_stem).join(", ");
    match ALL_SETS.into_iter().find(|set| set.file_stem() == text) {
        Some(set) => Ok(SetChoice::One(set)),
        None if text == "all" => Ok(SetChoice::All),
        None => Err(format!("expected {} or all", known())),
    }
}

fn chosen_sets(choices: &[SetChoice]) -> Vec<SetName> {
    let is_chosen =
        |set: &SetName| choices.contains(&SetChoice::All) || choices.contains(&SetChoice::One(*set));
    ALL_SETS.into_iter().filter(is_chosen).collect()
}

/// Runs the task.
///
/// # Errors
///
/// A tool is missing, a model is not known, or a file cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let repository = repository.canonicalize().context("the repository")?;
    let corpus = std::env::var_os(models::CORPUS).map(PathBuf::from);
    let chosen = models::choose(&repository, corpus.as_deref(), &arguments.models)?;
    let threads = arguments.threads.map_or_else(default_threads, usize::from);
    let sets: Vec<Set> =
        chosen_sets(&arguments.set).into_iter().map(|name| Set::new(name, threads)).collect();
    process::kill_on_interrupt().context("Ctrl-C")?;
    for set in &sets {
        environment::need(set.rival())?;
    }
    let fathom = match &arguments.fathom {
        Some(fathom) => fathom.canonicalize().with_context(|| fathom.display().to_string())?,
        None => fathom_tool::build(&repository)?,
    };
    let out = arguments.out.clone().unwrap_or_else(|| repository.join("docs/benchmarks"));
    fs::create_dir_all(&out).with_context(|| out.display().to_string())?;
    for set in &sets {
        let environment = environment::look(&repository, &fathom, set.rival())?;
        let environment = environment.for_program(arguments.fathom.as_deref());
        let mut results = Results {
            set: set.name,
            environment,
            repeat: arguments.repeat as usize,
            time_limit_seconds: arguments.time,
            rows: Vec::new(),
            advantages: Vec::new(),
        };
        for model in chosen.iter().filter(|model| set.takes(model)) {
            eprintln!("{}: {}", set.name.file_stem(), model.name);
            let measurements = measure(set, model, &fathom, arguments)?;
            results.rows.push(Row::new(set, model, measurements));
            write(set, &mut results, &out)?;
        }
    }
    Ok(())
}

fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from).max(2)
}

/// All rounds of one model. A contender that fails once is not tried again.
fn measure(set: &Set, model: &Model, fathom: &Path, arguments: &Arguments) -> Result<Vec<Measurement>> {
    let limit = Duration::from_secs(arguments.time);
    let mut best: Vec<Option<Measurement>> = vec![None; set.contenders.len()];
    for round in 1..=arguments.repeat {
        for (contender, best) in set.contenders.iter().zip(&mut best) {
            if best.as_ref().is_some_and(|best| best.end != End::Complete) {
                continue;
            }
            let run = match (&contender.tool, contender.tool.fathom_options(model)) {
                (Tool::Spin(options), _) => spin_tool::measure(model, options, limit)?,
                (_, Some(options)) => fathom_tool::measure(fathom, model, &options, limit)?,
                (_, None) => unreachable!("only Spin has no options of Fathom"),
            };
            tell(&contender.name, round, &run);
            *best = Some(match best.take() {
                Some(best) => best.merge(run),
                None => run,
            });
        }
    }
    Ok(best.into_iter().flatten().collect())
}

fn tell(contender: &str, round: u32, run: &Measurement) {
    let seconds = run.wall_seconds.map_or_else(|| "-".to_owned(), |seconds| format!("{seconds:.2} s"));
    let states = run.states.map_or_else(|| "-".to_owned(), |states| states.to_string());
    eprintln!("  {contender:12} round {round}: {:8} {seconds:>10} {states:>12} states", run.end.word());
}

/// Writes the three files of a set.
fn write(set: &Set, results: &mut Results, out: &Path) -> Result<()> {
    results.summarize(set);
    let json = serde_json::to_string_pretty(results)? + "\n";
    let svg = plot::svg(set, results).map_err(|reason| anyhow!("the plot: {reason}"))?;
    for (extension, text) in [("json", json), ("svg", svg), ("md", table::page(set, results))] {
        let path = out.join(set.name.file_stem()).with_extension(extension);
        fs::write(&path, text).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn parse(line: &str) -> Result<Arguments, clap::Error> {
        let words = ["bench"].into_iter().chain(line.split_whitespace());
        Line::try_parse_from(words).map(|line| line.arguments)
    }

    #[test]
    fn all_sets_run_without_a_choice() {
        let arguments = parse("").expect("no flags");
        assert_eq!(chosen_sets(&arguments.set), ALL_SETS);
        assert_eq!((arguments.repeat, arguments.time), (3, 120));
    }

    #[test]
    fn sets_and_models_are_lists() {
        let arguments = parse("--set threads,plain --models a*,b").expect("flags");
        assert_eq!(chosen_sets(&arguments.set), [SetName::Plain, SetName::Threads]);
        assert_eq!(arguments.models, ["a*", "b"]);
    }

    #[test]
    fn wrong_values_are_refused() {
        for line in ["--set nothing", "--repeat 0", "--time 0", "--threads 1"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn three_files_are_written_for_a_set() {
        let (set, mut results) = results::tests::sample();
        let folder = tempfile::tempdir().expect("a folder");
        write(&set, &mut results, folder.path()).expect("files");
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a file");
        assert!(read("plain.md").starts_with("# Without reductions"));
        assert!(read("plain.svg").starts_with("<svg"));
        assert!(serde_json::from_str::<serde_json::Value>(&read("plain.json")).is_ok());
    }
}
