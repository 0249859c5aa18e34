//! The project's own models under partitions: explicit, symbolic and under three random partitions they get the same verdicts, and reach the same number of states.
//!
//! Everything that is finite and small enough, in the time that there is:
//!
//! ```text
//! FATHOM_CORPUS=DIR FATHOM_PARTITION_STATES=200000 FATHOM_PARTITION_SECONDS=10 cargo test --release -p fathom-testing --test all partition_corpus -- --nocapture
//! ```
//!
//! By default only models with few states, and composite searches that come to an end soon; `FATHOM_PARTITION_STATES` lets larger models take part, `FATHOM_PARTITION_SECONDS` says how long a run may take, and
//! `FATHOM_CORPUS` adds the models of the public corpus whose states Spin has counted. Random partitions cut through what belongs together, so that some runs are hopeless: those that are cut off are counted, by why, and what they found until then must be right as well.

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fathom_core::model::{Answer, PropertyId, Stop};
use fathom_core::search::{Monitor, NoMonitor, Progress, Random};
use fathom_core::symbolic::Partition;
use fathom_core::{CheckOptions, Language, Reductions, check, default_properties, load};
use fathom_testing::{at_once, file_loader};
use serde_json::Value;

/// Models with more states do not take part unless asked for.
const MOST_STATES: u64 = 300;
/// Bytes for diagrams and composite states.
const MOST_BYTES: u64 = 1 << 28;
/// Seconds of a run unless asked for.
const MOST_SECONDS: u64 = 10;

/// Ends a run when its time is over.
struct Deadline(Instant);

impl Monitor for Deadline {
    fn poll(&mut self, _: &Progress) -> Option<Stop> {
        (Instant::now() > self.0).then_some(Stop::Time)
    }

    fn alarm(&self) -> Option<Arc<AtomicBool>> {
        let (alarm, deadline) = (Arc::new(AtomicBool::new(false)), self.0);
        let watched = Arc::downgrade(&alarm);
        // Gone soon after the run that it is for.
        std::thread::spawn(move || {
            while let Some(alarm) = watched.upgrade() {
                alarm.store(Instant::now() > deadline, Ordering::Relaxed);
                drop(alarm);
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        Some(alarm)
    }
}

fn deadline() -> Deadline {
    let asked = std::env::var("FATHOM_PARTITION_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    Deadline(Instant::now() + Duration::from_secs(asked.unwrap_or(MOST_SECONDS)))
}

fn most_states() -> u64 {
    let asked = std::env::var("FATHOM_PARTITION_STATES").ok().and_then(|states| states.parse().ok());
    asked.unwrap_or(MOST_STATES)
}

fn models(folder: &Path, out: &mut Vec<(PathBuf, u64)>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            models(&path, out);
            continue;
        }
        let Some(language) = Language::of_file(&path.to_string_lossy()) else { continue };
        let Ok(text) = std::fs::read_to_string(path.with_extension("json")) else { continue };
        let sidecar: Value = serde_json::from_str(&text).expect("JSON");
        if let Some(states) = sidecar["states"].as_u64().filter(|_| !language.is_timed()) {
            out.push((path, states));
        }
    }
}

/// The models of the public corpus whose states Spin has counted.
fn public_models(corpus: &Path, out: &mut Vec<(PathBuf, u64)>) {
    let root = corpus.join("promela");
    let Ok(text) = std::fs::read_to_string(root.join("expected.json")) else { return };
    let expected: Value = serde_json::from_str(&text).expect("JSON");
    for model in expected["models"].as_array().into_iter().flatten() {
        let full = &model["full"];
        if let (Some(file), Some(states), true) =
            (model["file"].as_str(), full["states"].as_u64(), full["status"] == "ok")
        {
            out.push((root.join(file), states));
        }
    }
}

/// Whether both answers are known and differ.
fn differ(one: Answer, other: Answer) -> bool {
    one != other && one != Answer::Inconclusive && other != Answer::Inconclusive
}

#[test]
fn verdicts_are_the_same_under_every_partition() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in ["examples/if", "examples/smv", "examples/promela", "corpus/promela"] {
        models(&root.join(folder), &mut found);
    }
    if let Ok(public) = std::env::var("FATHOM_CORPUS") {
        public_models(Path::new(&public), &mut found);
    }
    found.retain(|(_, states)| *states <= most_states());
    let stops = at_once(&found, |(path, states)| compare(path, *states));
    let n_models = stops.iter().flatten().count();
    let stops: Vec<Stop> = stops.into_iter().flatten().flatten().collect();
    let n_runs = stops.len();
    let mut cut: BTreeMap<&str, usize> = BTreeMap::new();
    for stop in stops.into_iter().filter(|stop| *stop != Stop::Exhausted) {
        *cut.entry(stop.word()).or_default() += 1;
    }
    let n_cut: usize = cut.values().sum();
    println!("{n_models} models, {n_runs} runs, {n_cut} of them cut off: {cut:?}");
    let is_small = most_states() == MOST_STATES;
    assert!(n_models >= 20, "{n_models} models");
    assert!(!is_small || 4 * n_cut < n_runs, "{n_cut} of {n_runs} runs of small models cut off");
}

/// Compares the answers under some partitions of a model with those on explicit states. Gives why each run ended, or nothing for a file that is no model.
fn compare(path: &Path, states: u64) -> Option<Vec<Stop>> {
    let language = Language::of_file(&path.to_string_lossy()).unwrap_or(Language::Promela);
    let loaded = load(&path.to_string_lossy(), language, &file_loader, &[]).expect("a file");
    let model = loaded.model?;
    let properties: Vec<PropertyId> = default_properties(&model);
    let options = CheckOptions {
        properties,
        continue_after_all: true,
        max_bytes: Some(MOST_BYTES),
        // Numbers of states are compared.
        reductions: Reductions::NONE,
        ..CheckOptions::default()
    };
    let expected = check(&model, &options, &mut NoMonitor);
    if states > MOST_STATES {
        println!("{} with {states} states", path.display());
    }
    let mut stops = Vec::new();
    let mut partitions = vec![Partition::symbolic(&model)];
    let names: Vec<String> = partitions[0].sides().iter().map(|side| side.name.clone()).collect();
    let mut random = Random::new(states);
    for _ in 0..3 {
        let chosen: Vec<&str> = names.iter().filter(|_| random.below(2) == 0).map(String::as_str).collect();
        partitions.push(Partition::explicit(&model).with(&chosen, true).expect("names"));
    }
    for partition in partitions {
        let limited = CheckOptions {
            partition: Some(partition.clone()),
            max_states: Some(4 * states.max(100)),
            ..options.clone()
        };
        let start = Instant::now();
        let report = check(&model, &limited, &mut deadline());
        stops.push(report.stop);
        if start.elapsed() > Duration::from_secs(MOST_SECONDS) {
            println!(
                "{}: {} after {:.0} s",
                path.display(),
                report.stop.word(),
                start.elapsed().as_secs_f64()
            );
        }
        for (one, other) in expected.verdicts.iter().zip(&report.verdicts) {
            let name = &model.properties[one.property.index()].name;
            assert!(
                !differ(one.answer, other.answer),
                "{name} of {} {} but {} with {:?}",
                path.display(),
                one.answer.word(),
                other.answer.word(),
                partition
                    .sides()
                    .iter()
                    .filter(|side| side.symbolic)
                    .map(|side| &side.name)
                    .collect::<Vec<_>>()
            );
        }
        if let Some(composite) = report.composite.filter(|_| report.stop == Stop::Exhausted) {
            let reached = expected.statistics.states as f64;
            assert_eq!(composite.concrete_states, reached, "states of {}", path.display());
        }
    }
    Some(stops)
}
