//! One row of an experiment: a command, and what its JSON report says.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::bench::process;

/// Median and quartiles.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Quartiles {
    pub lower: f64,
    pub median: f64,
    pub upper: f64,
}

impl Quartiles {
    fn of(number: Option<f64>) -> Option<Quartiles> {
        number.map(|number| Quartiles { lower: number, median: number, upper: number })
    }
}

/// What came out of a row.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Measured {
    /// Runs, and those that found something.
    pub runs: u64,
    pub hits: u64,
    pub seconds: Option<Quartiles>,
    pub states: Option<Quartiles>,
    pub length: Option<Quartiles>,
    pub attempts: Option<Quartiles>,
    /// Bytes of the first table that hit.
    pub table: Option<u64>,
    /// Steps of the first hit over tables.
    pub first_length: Option<u64>,
    /// Peak memory of the program, in bytes; none for sweeps.
    pub memory: Option<u64>,
    /// Wall time of the whole row.
    pub wall: Duration,
    /// What went wrong.
    pub problem: Option<String>,
}

impl Measured {
    /// Runs a command of `fathom` that prints JSON.
    ///
    /// # Errors
    ///
    /// When the program cannot be started.
    pub fn run(fathom: &Path, arguments: &[String], limit: Duration) -> Result<Measured> {
        let mut command = Command::new(fathom);
        command.args(arguments).args(["--format", "json", "--quiet"]);
        let ended = process::run(&mut command, limit).with_context(|| fathom.display().to_string())?;
        let mut measured = match serde_json::from_str::<Value>(&ended.stdout) {
            _ if ended.is_out_of_time => Measured::failed("out of time"),
            Ok(report) if report.get("error").is_some() => Measured::failed(&report["error"].to_string()),
            Ok(report) if report.get("runs").is_some() => Measured::of_sweep(&report),
            Ok(report) => Measured::of_run(&report),
            Err(_) => Measured::failed(ended.stderr.lines().next().unwrap_or("no report")),
        };
        measured.wall = ended.wall;
        Ok(measured)
    }

    fn failed(problem: &str) -> Measured {
        Measured { problem: Some(problem.to_owned()), ..Measured::default() }
    }

    /// A sweep over seeds is one row; a sweep over tables is summed up by its hits.
    fn of_sweep(report: &Value) -> Measured {
        let runs: Vec<&Value> = report["runs"].as_array().into_iter().flatten().collect();
        let hits: Vec<&&Value> = runs.iter().filter(|run| run["hit"] == true).collect();
        let collect = |runs: &[&&Value], key: &str| {
            quartiles(runs.iter().filter_map(|run| run[key].as_f64()).collect())
        };
        let all: Vec<&&Value> = runs.iter().collect();
        let is_table = report["parameter"] == "table";
        let first = hits.first().filter(|_| is_table);
        Measured {
            runs: runs.len() as u64,
            hits: hits.len() as u64,
            seconds: collect(&all, "seconds"),
            states: collect(&all, "states"),
            length: collect(&hits, "length"),
            attempts: collect(&hits, "attempts"),
            table: first.and_then(|run| run["value"].as_u64()),
            first_length: first.and_then(|run| run["length"].as_u64()),
            ..Measured::default()
        }
    }

    fn of_run(report: &Value) -> Measured {
        let traces = report["properties"].as_array().into_iter().flatten().map(|one| &one["trace"]["steps"]);
        let length = traces.filter_map(Value::as_f64).next();
        let (statistics, sample) = (&report["statistics"], &report["sample"]);
        Measured {
            runs: 1,
            hits: u64::from(length.is_some()),
            seconds: Quartiles::of(statistics["seconds"].as_f64()),
            states: Quartiles::of(statistics["states"].as_f64()),
            length: Quartiles::of(length),
            attempts: Quartiles::of(sample["attempts"].as_f64()),
            table: sample["hits"][0]["bits"].as_u64().map(|bits| bits / 8),
            first_length: None,
            memory: statistics["peak_memory_bytes"].as_u64(),
            ..Measured::default()
        }
    }

    /// For whoever watches.
    pub fn line(&self) -> String {
        match (&self.problem, self.seconds, self.length) {
            (Some(problem), ..) => problem.clone(),
            (None, Some(seconds), length) => format!(
                "{} of {} hit, {:.3} s, {} steps",
                self.hits,
                self.runs,
                seconds.median,
                length.map_or("-".to_owned(), |length| format!("{:.0}", length.median))
            ),
            _ => "nothing".to_owned(),
        }
    }
}

/// Median and quartiles of some numbers.
fn quartiles(mut numbers: Vec<f64>) -> Option<Quartiles> {
    numbers.sort_by(f64::total_cmp);
    let last = numbers.len().checked_sub(1)?;
    let at = |share: f64| {
        let place = share * last as f64;
        let (low, high) = (numbers[place.floor() as usize], numbers[place.ceil() as usize]);
        low + (high - low) * place.fract()
    };
    Some(Quartiles { lower: at(0.25), median: at(0.5), upper: at(0.75) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_sweep_over_seeds_becomes_quartiles_and_one_over_tables_its_first_hit() {
        let run = |value: u64, hit: bool, length: u64| {
            let length = if hit { json!(length) } else { Value::Null };
            json!({ "value": value, "hit": hit, "length": length, "seconds": 0.5, "states": 10, "attempts": 1 })
        };
        let runs = json!([run(3, false, 0), run(5, true, 13), run(7, true, 9)]);
        let seeds = Measured::of_sweep(&json!({ "parameter": "seed", "runs": runs }));
        assert_eq!((seeds.runs, seeds.hits, seeds.table), (3, 2, None));
        assert_eq!(seeds.length, Some(Quartiles { lower: 10.0, median: 11.0, upper: 12.0 }));
        let tables = Measured::of_sweep(&json!({ "parameter": "table", "runs": runs }));
        assert_eq!((tables.table, tables.first_length), (Some(5), Some(13)));
    }

    #[test]
    fn a_report_is_one_run() {
        let report = json!({
            "properties": [{ "trace": null }, { "trace": { "steps": 7 } }],
            "statistics": { "seconds": 1.5, "states": 9, "peak_memory_bytes": 4096 },
            "sample": { "attempts": 3, "hits": [{ "bits": 80 }] },
        });
        let run = Measured::of_run(&report);
        assert_eq!((run.hits, run.table, run.memory), (1, Some(10), Some(4096)));
        assert_eq!(run.line(), "1 of 1 hit, 1.500 s, 7 steps");
    }
}
