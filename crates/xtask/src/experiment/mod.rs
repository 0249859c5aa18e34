//! Experiments on hunting: `cargo xtask experiment NAME`.
//!
//! Each repeats a table of Ernits (2007) or Bui (2009) with today's engines, as plain commands of `fathom`, and writes a page
//! with what came out beside what the source has. Times of twenty years ago do not compare; the shape does: what
//! finds something at all, how lengths and states grow, which engine is ahead by how much.

mod bias_plan;
mod measured;
mod page;
mod plans;
mod source_figures;
mod tables;
mod walk_plans;
mod walk_readings;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::bench::{environment, fathom_tool, models, process};
use measured::Measured;
use plans::{Plan, plans};

pub use plans::seeds;

/// The flags of `cargo xtask experiment`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The experiments by name, or all
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,

    /// Runs of each random row; the source has 50
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=50))]
    repeat: u32,

    /// Only rows, or whole tables, whose name has this in it; the page has no others
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    /// Where pages go; relative to where you are
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Run this program instead of building one
    #[arg(long, value_name = "FILE")]
    fathom: Option<PathBuf>,
}

/// Most time for one row.
const ROW_LIMIT: Duration = Duration::from_secs(600);

/// Runs the task.
///
/// # Errors
///
/// An experiment is not known, a tool is missing, or a file cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let repository = repository.canonicalize().context("the repository")?;
    let corpus = std::env::var_os(models::CORPUS).map(PathBuf::from);
    let chosen = choose(&arguments.names, arguments.repeat as usize)?;
    process::kill_on_interrupt().context("Ctrl-C")?;
    let fathom = match &arguments.fathom {
        Some(fathom) => fathom.canonicalize().with_context(|| fathom.display().to_string())?,
        None => fathom_tool::build(&repository)?,
    };
    let out = arguments.out.clone().unwrap_or_else(|| repository.join("docs/benchmarks"));
    fs::create_dir_all(&out).with_context(|| out.display().to_string())?;
    for mut plan in chosen {
        if let Some(text) = &arguments.only {
            plan.keep(text);
        }
        let environment = environment::look(&repository, &fathom, environment::Rival::None)?;
        let environment = environment.for_program(arguments.fathom.as_deref());
        let mut rows = Vec::new();
        for row in &plan.rows {
            let Some(command) = row.command(&repository, corpus.as_deref()) else {
                eprintln!("{}: {}: left out, it needs {}", plan.name, row.label, models::CORPUS);
                continue;
            };
            let measured = Measured::run(&fathom, &command, ROW_LIMIT)?;
            eprintln!("{}: {}: {}", plan.name, row.label, measured.line());
            rows.push((row, measured));
            let path = out.join(format!("hunting-{}.md", plan.name));
            fs::write(&path, page::page(&plan, &environment, &rows))
                .with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}

fn choose(names: &[String], n_seeds: usize) -> Result<Vec<Plan>> {
    let all = plans(n_seeds);
    let known: Vec<&str> = all.iter().map(|plan| plan.name).collect();
    if let Some(unknown) = names.iter().find(|name| *name != "all" && !known.contains(&name.as_str())) {
        bail!("there is no experiment {unknown}; there are {} and all", known.join(", "));
    }
    let is_chosen = |plan: &Plan| names.iter().any(|name| name == "all" || name == plan.name);
    Ok(all.into_iter().filter(is_chosen).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn experiments_are_chosen_by_name() {
        let names = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            choose(&names, 3).map(|plans| plans.iter().map(|plan| plan.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&["incdec"]).expect("known"), ["incdec"]);
        assert_eq!(names(&["all"]).expect("all").len(), plans(3).len());
        assert!(names(&["nothing"]).is_err());
    }
}
