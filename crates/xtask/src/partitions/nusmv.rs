//! NuSMV, a public symbolic checker, on the same models.
//!
//! Cimatti and others, "NuSMV 2: An OpenSource Tool for Symbolic Model Checking" (CAV 2002). It is run as `NuSMV -dcx FILE` (verdicts without counterexamples), Fathom as `check FILE`, on all specifications of a file; both
//! must say the same about each. Version 2.5.4 builds from the sources that the Python package `pynusmv` carries.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::{Question, processor_time};
use crate::bench::process;

/// What both programs did with a model.
#[derive(Clone, PartialEq, Deserialize, Serialize, Debug)]
pub struct Rival {
    pub model: String,
    /// Number of specifications.
    pub specifications: usize,
    /// Processor time of NuSMV; none when it was stopped.
    pub nusmv: Option<f64>,
    /// Of Fathom, everything symbolic; none when it was stopped.
    pub symbolic: Option<f64>,
    /// Of Fathom under the partition of the list.
    pub composite: Option<f64>,
    /// How long each had.
    pub limit: u64,
}

/// Compares all models in SMV.
pub(super) fn compare(
    nusmv: &Path,
    fathom: &Path,
    repository: &Path,
    questions: &[Question],
    limit: Duration,
) -> Result<Vec<Rival>> {
    let mut rivals: Vec<Rival> = Vec::new();
    for question in questions.iter().filter(|question| question.model.ends_with(".smv")) {
        if rivals.iter().any(|rival| rival.model == question.model) {
            continue;
        }
        let model = repository.join(&question.model);
        let timed = |command: &mut Command| -> Result<(Option<f64>, process::Ended)> {
            let before = processor_time()?;
            let ended = process::run(command, limit).context("a checker")?;
            let seconds = processor_time()? - before;
            Ok(((!ended.is_out_of_time).then_some(seconds), ended))
        };
        let (of_nusmv, theirs) = timed(Command::new(nusmv).arg("-dcx").arg(&model))?;
        let check = |flags: &[&str]| {
            let mut command = Command::new(fathom);
            command.arg("check").arg(&model).args(["--ignore", "deadlock,assertion"]).args(flags);
            command.args(["--format", "json", "--quiet"]);
            command
        };
        let (symbolic, _) = timed(&mut check(&["--engine", "symbolic"]))?;
        let partition: Vec<&str> = question.partition.iter().map(String::as_str).collect();
        let (composite, ours) = timed(&mut check(&partition))?;
        let (theirs, ours) = (verdicts_of_nusmv(&theirs.stdout), verdicts_of_fathom(&ours.stdout));
        let is_known = of_nusmv.is_some() && composite.is_some();
        ensure!(!is_known || theirs == ours, "{}: {theirs:?} and {ours:?}", question.model);
        let rival = Rival {
            model: question.model.clone(),
            specifications: ours.len(),
            nusmv: of_nusmv,
            symbolic,
            composite,
            limit: limit.as_secs(),
        };
        eprintln!("{rival:?}");
        rivals.push(rival);
    }
    Ok(rivals)
}

/// How many specifications are true and how many are false: the order is that of kinds, not that of the file.
fn verdicts_of_nusmv(output: &str) -> Vec<bool> {
    let is_verdict = |line: &&str| line.starts_with("-- specification") || line.starts_with("-- invariant");
    let mut verdicts: Vec<bool> =
        output.lines().filter(is_verdict).map(|line| line.trim_end().ends_with("is true")).collect();
    verdicts.sort_unstable();
    verdicts
}

fn verdicts_of_fathom(output: &str) -> Vec<bool> {
    let report: serde_json::Value = serde_json::from_str(output).unwrap_or_default();
    let is_implicit = |name: &str| ["deadlock", "assertion", "runtime-error"].contains(&name);
    let mut verdicts: Vec<bool> = report["properties"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|property| !property["name"].as_str().is_some_and(is_implicit))
        .map(|property| property["verdict"] == "holds")
        .collect();
    verdicts.sort_unstable();
    verdicts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_read_from_what_both_programs_print() {
        let output = "*** This is NuSMV\n-- specification EX (!close | error)  is true\n-- invariant weight > 0ud8_0  is false\n";
        assert_eq!(verdicts_of_nusmv(output), [false, true]);
        let report = r#"{"properties":[{"name":"deadlock","verdict":"holds"},{"name":"a","verdict":"holds"},
            {"name":"b","verdict":"violated"}]}"#;
        assert_eq!(verdicts_of_fathom(report), [false, true]);
    }
}
