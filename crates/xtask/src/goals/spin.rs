//! Spin's side of a goal: its default search for a never claim that ends where the goal is.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::{Ended, Goal};
use crate::bench::process;

/// `spin -a`, `gcc -O2 -DMEMLIM=4096`, `./pan -m10000000`, the last within so many seconds.
///
/// # Errors
///
/// A tool is missing, or a file cannot be written.
pub fn search(model: &Path, goal: &Goal, seconds: u64) -> Result<Ended> {
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
    let seconds = started.elapsed().as_secs_f64();
    Ok(Ended { seconds, ..read(&ended.stdout, ended.is_out_of_time) })
}

/// What a verifier has printed. Its depth counts a step of the claim for every step of the model.
fn read(output: &str, is_out_of_time: bool) -> Ended {
    let is_violated = output.contains("claim violated") || output.contains("end state in claim reached");
    let depth = output.split("at depth ").nth(1);
    let depth = depth.and_then(|rest| rest.split(')').next()).and_then(|depth| depth.parse::<u64>().ok());
    let reason = if is_violated {
        "found"
    } else if is_out_of_time {
        "time"
    } else if output.contains("reached -DMEMLIM bound") || output.contains("out of memory") {
        "memory"
    } else if output.contains("max search depth too small") {
        "depth"
    } else {
        "not found"
    };
    let steps = depth.filter(|_| is_violated).map(|depth| depth / 2);
    Ended { steps, seconds: 0.0, reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_a_verifier_are_told_apart() {
        let found =
            read("pan:1: end state in claim reached (at depth 62907)\npan: wrote m.pml.trail\n", false);
        assert_eq!((found.steps, found.reason.as_str()), (Some(31453), "found"));
        let full = read("pan: reached -DMEMLIM bound\n\t4.29e+09 bytes used\n", false);
        assert_eq!((full.steps, full.reason.as_str()), (None, "memory"));
        // Every report has a line about memory usage.
        let nothing = read("errors: 0\nStats on memory usage (in Megabytes):\n", false);
        assert_eq!(nothing.reason, "not found");
        assert_eq!(read("", true).reason, "time");
        assert_eq!(read("error: max search depth too small\nerrors: 0\n", false).reason, "depth");
    }
}
