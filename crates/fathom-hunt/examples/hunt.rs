//! Runs one of the sampled engines on a Promela model and prints what it did: the place to measure them.
//!
//! ```text
//! cargo run --release -p fathom-hunt --example hunt -- ENGINE FILE [-D NAME=VALUE]… [--OPTION VALUE]…
//! ```
//!
//! Engines: `isr`, `walk`, `hunt`. Options for all: `--property KIND`, `--time SECONDS`, `--threads N`, `--seed N`,
//! `--shorten SECONDS`. For `isr`: `--sizes random`, `--first`, `--step`, `--per`, `--threshold`, `--factor`,
//! `--last`, `--refine start|on`, `--patience`, `--depth`, `--enough all`, `--classes yes`. For `walk`: `--walks`,
//! `--depth`, `--children all`, `--repeats end|avoid`, `--restart PROBABILITY`. For `hunt`: `--slice`, `--attempt`.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use fathom::model::{Model, PropertyId, Stop, Trace};
use fathom::search::{Outcome, Progress};
use fathom::source::{LoadError, LoadedFile};
use fathom::{Language, load};
use fathom_hunt::{
    ArmRow, Children, Enough, Hooks, HuntOptions, IsrOptions, Refine, Repeats, ShortenOptions, Sizes,
    StartAt, WalkOptions, default_arms, distinguish, hunt, isr, shorten, walk,
};
use fathom_native::NativeSystem;

struct Arguments {
    engine: String,
    file: String,
    defines: Vec<(String, String)>,
    options: BTreeMap<String, String>,
}

impl Arguments {
    fn read() -> Arguments {
        let mut words = std::env::args().skip(1);
        let engine = words.next().expect("an engine: isr, walk, hunt");
        let mut arguments =
            Arguments { engine, file: String::new(), defines: Vec::new(), options: BTreeMap::new() };
        while let Some(word) = words.next() {
            if word == "-D" {
                let define = words.next().expect("NAME=VALUE");
                let (name, value) = define.split_once('=').unwrap_or((&define, "1"));
                arguments.defines.push((name.to_owned(), value.to_owned()));
            } else if let Some(option) = word.strip_prefix("--") {
                arguments.options.insert(option.to_owned(), words.next().expect("a value"));
            } else {
                arguments.file = word;
            }
        }
        arguments
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.options.get(name).map(String::as_str)
    }

    fn number<T: std::str::FromStr>(&self, name: &str, default: T) -> T {
        self.text(name).map_or(default, |text| text.parse().ok().expect("a number"))
    }

    fn optional<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.text(name).map(|text| text.parse().ok().expect("a number"))
    }

    fn enough(&self) -> Enough {
        if self.text("enough") == Some("all") { Enough::All } else { Enough::Any }
    }
}

fn main() {
    let arguments = Arguments::read();
    let loader = |path: &str, _: Option<&str>| {
        let text = std::fs::read_to_string(path).map_err(|error| LoadError::Other(error.to_string()))?;
        Ok(LoadedFile { name: path.to_owned(), text })
    };
    let started = Instant::now();
    let loaded = load(&arguments.file, Language::Promela, &loader, &arguments.defines).expect("the file");
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let is_asked = |kind: &str| arguments.text("property").is_none_or(|wanted| wanted == kind);
    let asked: Vec<PropertyId> = (0..model.properties.len())
        .map(PropertyId::from)
        .filter(|id| model.properties[id.index()].question.is_safety())
        .filter(|id| is_asked(model.properties[id.index()].question.kind()))
        .collect();
    let system = NativeSystem::new(&model, &asked).expect("native code");
    println!("loaded in {:.2} s", started.elapsed().as_secs_f64());
    let started = Instant::now();
    let outcome = match arguments.engine.as_str() {
        "isr" => run_isr(&system, &arguments, asked),
        "walk" => run_walk(&system, &arguments, asked),
        "hunt" => run_hunt(&system, &arguments, asked),
        other => panic!("no engine {other}"),
    };
    println!(
        "searched in {:.2} s: {:?} {:?}",
        started.elapsed().as_secs_f64(),
        outcome.stop,
        outcome.statistics
    );
    for (property, trace) in &outcome.evidence {
        show_trace(&model, &system, &arguments, *property, trace.as_ref());
    }
    println!("all in {:.2} s, at most {} MB", started.elapsed().as_secs_f64(), peak_megabytes());
}

/// A monitor that stops after some seconds.
fn clock(seconds: f64) -> impl FnMut(&Progress) -> Option<Stop> {
    let (started, limit) = (Instant::now(), Duration::from_secs_f64(seconds));
    move |_| (started.elapsed() > limit).then_some(Stop::Time)
}

fn run_isr(system: &NativeSystem<'_>, arguments: &Arguments, properties: Vec<PropertyId>) -> Outcome {
    let sizes = match arguments.text("sizes") {
        Some("random") => Sizes::AtRandom {
            first: arguments.number("first", 64),
            factor: arguments.number("factor", 2.0),
            per_magnitude: arguments.number("per", 4),
            last: arguments.number("last", 1 << 20),
        },
        _ => Sizes::Growing {
            first: arguments.number("first", 1),
            small_step: arguments.number("step", 1),
            per_magnitude: arguments.number("per", 8),
            threshold: arguments.number("threshold", 10_000),
            factor: arguments.number("factor", 1.2),
            last: arguments.number("last", 200_000),
        },
    };
    let refine = match arguments.text("refine") {
        Some("start") => Refine::FromStart,
        Some("on") => Refine::GoOn,
        _ => Refine::Never,
    };
    let options = IsrOptions {
        properties,
        sizes,
        refine,
        enough: arguments.enough(),
        patience: Some(arguments.number("patience", 8)).filter(|&patience| patience > 0),
        max_depth: arguments.optional("depth"),
        threads: arguments.number("threads", 2),
        seed: arguments.number("seed", 1),
    };
    let result = isr(system, &options, &mut clock(arguments.number("time", 60.0)));
    println!("{} searches", result.n_throws);
    for hit in &result.hits {
        println!(
            "search {}: table of {} bytes, {} steps, {:?}",
            hit.number,
            hit.throw.bits / 8,
            hit.length,
            hit.thrown
        );
    }
    if let (Some(hit), Some(_)) = (result.hits.last(), arguments.text("classes")) {
        let report = distinguish(system, hit);
        println!("{} states in {} classes", report.n_states, report.n_classes);
        for (byte, role) in report.bytes.iter().enumerate().filter(|(_, role)| role.n_values > 1) {
            println!("byte {byte}: {role:?}");
        }
    }
    result.outcome
}

fn run_walk(system: &NativeSystem<'_>, arguments: &Arguments, properties: Vec<PropertyId>) -> Outcome {
    let options = WalkOptions {
        properties,
        enough: arguments.enough(),
        n_walks: arguments.number("walks", 2020),
        max_depth: Some(arguments.number("depth", 10_000)).filter(|&depth| depth > 0),
        children: if arguments.text("children") == Some("all") { Children::All } else { Children::TryOne },
        repeats: match arguments.text("repeats") {
            Some("end") => Repeats::End,
            Some("avoid") => Repeats::Avoid,
            _ => Repeats::Allow,
        },
        start: arguments
            .optional("restart")
            .map_or(StartAt::Initial, |probability| StartAt::PreviousWalk { probability, chain: 16 }),
        delta: arguments.number("delta", 4e-5),
        threads: arguments.number("threads", 2),
        seed: arguments.number("seed", 1),
    };
    let result = walk(system, &options, Hooks::none(), &mut clock(arguments.number("time", 60.0)));
    println!("found by walk {:?}; {:?}", result.found_by, result.claim);
    result.outcome
}

fn run_hunt(system: &NativeSystem<'_>, arguments: &Arguments, properties: Vec<PropertyId>) -> Outcome {
    let options = HuntOptions {
        properties,
        enough: arguments.enough(),
        attempt_states: arguments.number("attempt", 200_000),
        slice_states: arguments.number("slice", 200_000),
        patience: arguments.number("patience", 1),
        threads: arguments.number("threads", 2),
        seed: arguments.number("seed", 1),
        ..HuntOptions::default()
    };
    let mut clock = clock(arguments.number("time", 60.0));
    let mut monitor = |progress: &Progress, _: &[ArmRow]| clock(progress);
    let arms = default_arms(system, &[], options.seed, 1 << 28);
    let result = hunt(system, &options, arms, &mut monitor);
    for row in &result.arms {
        println!("{row:?}");
    }
    println!("found by {:?}", result.found_by);
    result.outcome
}

fn show_trace(
    model: &Model,
    system: &NativeSystem<'_>,
    arguments: &Arguments,
    property: PropertyId,
    trace: Option<&Trace>,
) {
    let name = &model.properties[property.index()].name;
    let Some(trace) = trace else {
        println!("{name}: nothing found");
        return;
    };
    println!("{name}: {} steps", trace.choices.len());
    let mut trace = trace.clone();
    if let Some(seconds) = arguments.optional("shorten") {
        let begun = Instant::now();
        trace = shorten(system, &trace, &ShortenOptions::default(), &mut clock(seconds)).expect("a trace");
        println!(
            "{name}: shortened to {} steps in {:.2} s",
            trace.choices.len(),
            begun.elapsed().as_secs_f64()
        );
    }
    let begun = Instant::now();
    if trace.choices.len() < 3000 || model.start.len() < 500 {
        fathom::replay(model, property, &trace);
        println!("{name}: replayed in {:.2} s", begun.elapsed().as_secs_f64());
    }
}

fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|text| text.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) / 1024
}
