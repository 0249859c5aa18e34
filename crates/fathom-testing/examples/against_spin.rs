//! Compares random programs with Spin: `cargo run -p fathom-testing --example against_spin -- FROM TO`.
//!
//! For each seed: the program, Spin's verifier for it without reductions, and the counts and verdict of both.
//! Spin counts the initial state as a transition. Programs that Spin refuses, that its verifier refuses to
//! start, or that are too large or deep for either are left out, and counted.
//!
//! Exit status: 0 no differences, 1 differences, 2 `spin` or `gcc` is missing.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use fathom_core::model::{Answer, Stop};
use fathom_core::search::NoMonitor;
use fathom_core::source::MemoryLoader;
use fathom_core::{CheckOptions, Language, check, default_properties, load};
use fathom_testing::{Entropy, random_promela};

/// Larger programs are left out.
const MOST_STATES: u64 = 300_000;

/// Slower programs are left out.
const LONGEST: Duration = Duration::from_secs(30);

/// What a tool says about a program.
#[derive(Debug)]
struct Answers {
    states: u64,
    transitions: u64,
    /// Kinds of errors: all of them for us, the first one for Spin.
    errors: Vec<String>,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map_while(|argument| argument.parse::<u64>().ok());
    let (from, to) = (arguments.next().unwrap_or(0), arguments.next().unwrap_or(100));
    for tool in ["spin", "gcc"] {
        if Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
            eprintln!("{tool} is not installed: nothing to compare with");
            return ExitCode::from(2);
        }
    }
    let folder = std::env::temp_dir().join(format!("fathom-against-spin-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    let (mut n_compared, mut n_left_out, mut n_different) = (0, 0, 0);
    for seed in from..to {
        let program = random_promela(&mut Entropy::seeded(seed, 400));
        match ask_spin(&folder, &program).and_then(|spin| Ok((spin, ask_fathom(&program)?))) {
            Err(why) => {
                n_left_out += 1;
                println!("{seed}: left out: {why}");
            }
            Ok((spin, ours)) => {
                n_compared += 1;
                for difference in differences(&spin, &ours) {
                    n_different += 1;
                    println!("{seed}: DIFFERENT {difference}");
                }
            }
        }
    }
    // A folder that stays behind is no reason to fail.
    let _ = std::fs::remove_dir_all(&folder);
    println!("{n_compared} compared, {n_left_out} left out, {n_different} differences");
    if n_different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn differences(spin: &Answers, ours: &Answers) -> Vec<String> {
    let mut differences = Vec::new();
    if (spin.states, spin.transitions) != (ours.states, ours.transitions + 1) {
        differences.push(format!(
            "counts: Spin {} states, {} transitions; Fathom {}, {} + 1",
            spin.states, spin.transitions, ours.states, ours.transitions
        ));
    }
    let agrees = match spin.errors.first().map(String::as_str) {
        None => ours.errors.is_empty(),
        Some("deadlock") => ours.errors.iter().any(|error| error == "deadlock"),
        // Spin reports some faults as failed assertions.
        Some("assertion") => ours.errors.iter().any(|error| error != "deadlock"),
        Some(_) => ours.errors.iter().any(|error| error == "runtime-error"),
    };
    if !agrees {
        differences.push(format!("verdict: Spin {:?}; Fathom {:?}", spin.errors, ours.errors));
    }
    differences
}

fn ask_fathom(program: &str) -> Result<Answers, String> {
    let loader = MemoryLoader::new().with("random.pml", program);
    let loaded = load("random.pml", Language::Promela, &loader, &[]).expect("a file in memory");
    let model = loaded.model.expect("random programs are accepted");
    let options = CheckOptions {
        properties: default_properties(&model),
        continue_after_all: true,
        max_states: Some(MOST_STATES),
        ..CheckOptions::default()
    };
    let report = check(&model, &options, &mut NoMonitor);
    if report.stop != Stop::Exhausted {
        return Err("too large".to_owned());
    }
    let violated = report.verdicts.iter().filter(|verdict| verdict.answer == Answer::Violated);
    Ok(Answers {
        states: report.statistics.states,
        transitions: report.statistics.transitions,
        errors: violated.map(|verdict| model.properties[verdict.property.index()].name.clone()).collect(),
    })
}

fn ask_spin(folder: &Path, program: &str) -> Result<Answers, String> {
    for stale in ["pan.c", "pan"] {
        // Not there before the first program.
        let _ = std::fs::remove_file(folder.join(stale));
    }
    std::fs::write(folder.join("m.pml"), program).map_err(|error| error.to_string())?;
    let said = run(folder, "spin", &["-o1", "-o2", "-o3", "-a", "m.pml"])?;
    if !folder.join("pan.c").exists() {
        return Err(format!("Spin refuses it: {}", said.lines().last().unwrap_or("")));
    }
    let flags = ["-O0", "-w", "-DSAFETY", "-DNOREDUCE", "-DNOFAIR", "-o", "pan", "pan.c"];
    let said = run(folder, "gcc", &flags)?;
    if !folder.join("pan").exists() {
        return Err(format!("the verifier does not compile: {}", said.lines().next().unwrap_or("")));
    }
    let counted = run(folder, "./pan", &["-m200000", "-c0", "-E", "-A", "-n", "-w20"])?;
    if counted.contains("depth too small") {
        return Err("too deep for Spin".to_owned());
    }
    let number = |what: &str| {
        let line = counted.lines().find(|line| line.contains(what))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let (Some(states), Some(transitions)) = (number(" states, stored"), number(" transitions (=")) else {
        return Err(format!("the verifier does not start: {}", counted.lines().next().unwrap_or("")));
    };
    let judged = run(folder, "./pan", &["-m200000", "-c1", "-n", "-w20"])?;
    let error = judged.lines().find(|line| line.starts_with("pan:1:")).map(|line| match line {
        _ if line.contains("invalid end state") => "deadlock".to_owned(),
        _ if line.contains("assertion violated") => "assertion".to_owned(),
        _ => line.to_owned(),
    });
    Ok(Answers { states, transitions, errors: error.into_iter().collect() })
}

/// Runs a tool and gives what it says; an error when it takes too long.
fn run(folder: &Path, tool: &str, arguments: &[&str]) -> Result<String, String> {
    let path = folder.join("said");
    let said = std::fs::File::create(&path).map_err(|error| error.to_string())?;
    let also = said.try_clone().map_err(|error| error.to_string())?;
    // A tool of the folder is named relative to it.
    let name = tool.strip_prefix("./").map_or(tool.into(), |name| folder.join(name));
    let mut child = Command::new(name)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(said)
        .stderr(also)
        .spawn()
        .map_err(|error| format!("{tool}: {error}"))?;
    let start = Instant::now();
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        if start.elapsed() > LONGEST {
            // It may have ended just now.
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("{tool} takes too long"));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let bytes = std::fs::read(&path).map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
