//! Fathom as a contender: the command line and its JSON report.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::measurement::{End, Measurement};
use super::models::Model;
use super::process::{self, Ended};
use super::spin_tool::MEMORY_MEGABYTES;

/// The options that distinguish one contender from another, after the model.
pub type Options = Vec<String>;

/// Builds the command from the sources at hand, and says where it is.
///
/// # Errors
///
/// When it does not build.
pub fn build(repository: &Path) -> Result<std::path::PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(repository)
        .args(["build", "--release", "--package", "fathom-cli", "--bin", "fathom"])
        .args(["--message-format", "json-render-diagnostics"])
        .stderr(std::process::Stdio::inherit())
        .output()
        .context("cargo")?;
    if !output.status.success() {
        bail!("fathom does not build");
    }
    executable(&String::from_utf8_lossy(&output.stdout)).context("cargo does not say where fathom is")
}

/// The program in cargo's messages.
fn executable(messages: &str) -> Option<std::path::PathBuf> {
    let values = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    values.filter_map(|value| value["executable"].as_str().map(Into::into)).next_back()
}

/// One run.
///
/// # Errors
///
/// When the program cannot be started.
pub fn measure(fathom: &Path, model: &Model, options: &Options, limit: Duration) -> Result<Measurement> {
    let arguments = |file: &str| {
        let mut arguments =
            vec!["check".to_owned(), file.to_owned(), "--lang".to_owned(), "promela".to_owned()];
        arguments.extend(model.defines.iter().flat_map(|define| ["-D".to_owned(), define.clone()]));
        arguments.extend(options.iter().cloned());
        arguments.extend(["--memory".to_owned(), format!("{MEMORY_MEGABYTES}M")]);
        arguments.extend(["--continue", "--format", "json", "--quiet"].map(str::to_owned));
        arguments
    };
    let path = model.path();
    let mut command = Command::new(fathom);
    command.args(arguments(path.to_str().context("a path that is not text")?));
    let ended = process::run(&mut command, limit).with_context(|| fathom.display().to_string())?;
    let commands = vec![format!("fathom {}", arguments(&model.shown_path()).join(" "))];
    Ok(interpret(&ended, asked_threads(options), commands))
}

/// The threads that the options ask for.
fn asked_threads(options: &Options) -> u64 {
    let place = options.iter().position(|option| option == "--threads");
    place.and_then(|place| options.get(place + 1)?.parse().ok()).unwrap_or(1)
}

#[derive(Deserialize)]
struct Report {
    run: Run,
    properties: Vec<Property>,
    statistics: Statistics,
}

#[derive(Deserialize)]
struct Run {
    threads: u64,
}

#[derive(Deserialize)]
struct Property {
    stop: String,
}

#[derive(Deserialize)]
struct Statistics {
    states: u64,
    transitions: u64,
    max_depth: u64,
    seconds: f64,
    setup_seconds: f64,
    store_bytes: u64,
    peak_memory_bytes: u64,
}

fn interpret(ended: &Ended, asked_threads: u64, commands: Vec<String>) -> Measurement {
    if ended.is_out_of_time {
        return Measurement::without_numbers(End::OutOfTime, commands);
    }
    let Ok(report) = serde_json::from_str::<Report>(&ended.stdout) else {
        let text = if ended.stdout.is_empty() { &ended.stderr } else { &ended.stdout };
        let reason = format!("status {:?}: {}", ended.status, text.trim());
        return Measurement::without_numbers(End::Failed(reason), commands);
    };
    let is_stopped_by = |reason: &str| report.properties.iter().any(|property| property.stop == reason);
    let end = if report.run.threads != asked_threads {
        End::Failed(format!("{} threads searched instead of {asked_threads}", report.run.threads))
    } else if is_stopped_by("memory") {
        End::OutOfMemory
    } else if report
        .properties
        .iter()
        .all(|property| ["exhausted", "found"].contains(&property.stop.as_str()))
    {
        End::Complete
    } else {
        let stops: Vec<&str> = report.properties.iter().map(|property| property.stop.as_str()).collect();
        End::Failed(format!("stopped: {}", stops.join(", ")))
    };
    let statistics = report.statistics;
    Measurement {
        end,
        commands,
        repeats: 1,
        wall_seconds: Some(ended.wall.as_secs_f64()),
        setup_seconds: Some(statistics.setup_seconds),
        search_seconds: Some(statistics.seconds),
        states: Some(statistics.states),
        transitions: Some(statistics.transitions),
        depth: Some(statistics.max_depth),
        state_bytes: Some(statistics.store_bytes),
        memory_bytes: Some(statistics.peak_memory_bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::super::measurement::Quantity;
    use super::*;

    fn ended(stdout: &str) -> Ended {
        Ended {
            wall: Duration::from_millis(1500),
            status: Some(0),
            is_out_of_time: false,
            stdout: stdout.to_owned(),
            stderr: String::new(),
        }
    }

    fn report(stop: &str) -> String {
        format!(
            r#"{{ "fathom": "0.1.0", "run": {{ "threads": 1 }}, "properties": [ {{ "name": "runtime-error", "stop": "{stop}" }} ],
                "statistics": {{ "states": 100, "transitions": 300, "matched": 201, "max_depth": 7, "seconds": 0.5,
                "setup_seconds": 0.001, "store_bytes": 1600, "peak_memory_bytes": 4096 }} }}"#
        )
    }

    #[test]
    fn a_report_becomes_a_measurement() {
        let run = interpret(&ended(&report("exhausted")), 1, Vec::new());
        assert_eq!(run.end, End::Complete);
        assert_eq!((run.states, run.transitions, run.depth), (Some(100), Some(300), Some(7)));
        assert_eq!(run.get(Quantity::WallSeconds), Some(1.5));
        assert_eq!(run.get(Quantity::TransitionRate), Some(600.0));
        assert_eq!(run.get(Quantity::BytesPerState), Some(16.0));
    }

    #[test]
    fn a_search_that_was_stopped_is_not_complete() {
        assert_eq!(interpret(&ended(&report("memory")), 1, Vec::new()).end, End::OutOfMemory);
        assert!(matches!(interpret(&ended(&report("depth")), 1, Vec::new()).end, End::Failed(_)));
    }

    #[test]
    fn a_search_with_other_threads_than_asked_for_is_a_failure() {
        let options: Options = ["--engine", "bfs", "--threads", "2"].map(str::to_owned).to_vec();
        assert_eq!((asked_threads(&options), asked_threads(&Vec::new())), (2, 1));
        let end = interpret(&ended(&report("exhausted")), 2, Vec::new()).end;
        assert_eq!(end, End::Failed("1 threads searched instead of 2".to_owned()));
    }

    #[test]
    fn an_error_is_kept_in_words() {
        let end = interpret(&ended(r#"{"fathom": "0.1.0", "error": "e.pml: 1 error"}"#), 1, Vec::new()).end;
        assert!(matches!(end, End::Failed(reason) if reason.contains("e.pml: 1 error")));
        let killed = Ended { is_out_of_time: true, ..ended("") };
        assert_eq!(interpret(&killed, 1, Vec::new()).end, End::OutOfTime);
    }

    #[test]
    fn the_program_is_found_in_the_messages_of_cargo() {
        let messages = "{\"reason\":\"compiler-artifact\",\"executable\":null}\n\
                        {\"reason\":\"compiler-artifact\",\"executable\":\"/t/release/fathom\"}\n\
                        {\"reason\":\"build-finished\",\"success\":true}\n";
        assert_eq!(executable(messages), Some("/t/release/fathom".into()));
        assert_eq!(executable("nonsense"), None);
    }
}
