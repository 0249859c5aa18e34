//! `cargo xtask lengths`: the lengths of tests for INRES against the number of blocks, as a table and a picture.
//!
//! Every sequence of three transitions is covered, by each engine, for more and more blocks of data: the experiment of Ernits (2007), section 5.1, whose curves are
//! lost. The command is run as a user would run it. Nothing on the page depends on the machine.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use fathom_plot::{Curve, CurveChart, CurvePanel};
use serde_json::Value;

/// Numbers of blocks.
const BLOCKS: [u32; 8] = [5, 10, 50, 100, 200, 300, 500, 1000];

/// Name in the legend, the most blocks, and flags. Pruned searches are many, and take their time.
const SERIES: [(&str, u32, &[&str]); 4] = [
    ("bfs", 1000, &["--engine", "bfs"]),
    ("best", 300, &["--engine", "best"]),
    ("isr, tuned", 50, &["--engine", "isr", "--guide", "tuned"]),
    ("isr, distance", 50, &["--engine", "isr", "--guide", "distance"]),
];

/// The flags of `lengths`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The command `fathom`
    #[arg(long, default_value = "target/release/fathom")]
    fathom: PathBuf,
    /// Where the table (.md) and the picture (.svg) go, without the extension
    #[arg(long, default_value = "docs/benchmarks/inres")]
    out: PathBuf,
}

/// What one run comes to.
struct Length {
    steps: f64,
    states: f64,
    kilobytes: f64,
}

/// Runs the task.
pub fn run(arguments: &Arguments) -> Result<()> {
    let mut measured: Vec<(&str, Vec<(u32, Length)>)> = Vec::new();
    for (name, most, flags) in SERIES {
        let mut rows = Vec::new();
        for blocks in BLOCKS.into_iter().filter(|blocks| *blocks <= most) {
            eprintln!("{name}, n = {blocks}");
            rows.push((blocks, measure(&arguments.fathom, flags, blocks)?));
        }
        measured.push((name, rows));
    }
    std::fs::write(arguments.out.with_extension("md"), table(&measured))?;
    let picture = picture(&measured).map_err(anyhow::Error::msg)?;
    std::fs::write(arguments.out.with_extension("svg"), picture)?;
    Ok(())
}

fn measure(fathom: &Path, flags: &[&str], blocks: u32) -> Result<Length> {
    let constant = format!("n={blocks}");
    let ran = Command::new(fathom)
        .args(["test", "examples/uppaal/inres.xta", "--cover", "2-switch", "--format", "json", "--quiet"])
        .args(["-D", &constant])
        .args(flags)
        .output()
        .with_context(|| format!("cannot run {}", fathom.display()))?;
    ensure!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let report: Value = serde_json::from_slice(&ran.stdout)?;
    let number = |part: &str, key: &str| {
        report[part][key].as_f64().with_context(|| format!("the report has no {part}.{key}"))
    };
    Ok(Length {
        steps: number("summary", "steps")?,
        states: number("statistics", "states")?,
        kilobytes: number("statistics", "store_bytes")? / 1024.0,
    })
}

fn table(measured: &[(&str, Vec<(u32, Length)>)]) -> String {
    let mut text = String::from(
        "# INRES: lengths of tests\n\n`cargo xtask lengths` writes this page: `fathom test examples/uppaal/inres.xta --cover 2-switch -D n=N` with each engine. All sequences of three transitions that are possible are covered; \
         the others are proved to be infeasible.\n\n![lengths of tests](inres.svg)\n\n| engine | n | steps | states of all searches | largest store, KiB |\n| --- | ---: | ---: | ---: | ---: |\n",
    );
    for (name, rows) in measured {
        for (blocks, length) in rows {
            let Length { steps, states, kilobytes } = length;
            // Writing to a text does not fail.
            let _ = writeln!(text, "| {name} | {blocks} | {steps} | {states} | {kilobytes:.0} |");
        }
    }
    text
}

fn picture(measured: &[(&str, Vec<(u32, Length)>)]) -> Result<String, String> {
    let panel = |title: &str, quantity: fn(&Length) -> f64| CurvePanel {
        title: title.to_owned(),
        curves: measured
            .iter()
            .map(|(name, rows)| Curve {
                name: (*name).to_owned(),
                points: rows.iter().map(|(blocks, length)| (f64::from(*blocks), quantity(length))).collect(),
                whiskers: Vec::new(),
            })
            .collect(),
    };
    let panels = vec![
        panel("steps", |length| length.steps),
        panel("largest store, KiB", |length| length.kilobytes),
        panel("states of all searches", |length| length.states),
    ];
    CurveChart { parameter: "blocks of data".to_owned(), panels }.svg()
}
