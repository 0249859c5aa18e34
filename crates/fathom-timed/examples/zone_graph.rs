//! Explores the zones of `.tck` files, and says how many there are and how long it took:
//! `cargo run --release -p fathom-timed --example zone_graph -- bfs|lifo|dfs[:THREADS] inclusion|simulation FILE…`.
//!
//! `zone_graph page FOLDER` writes `docs/benchmarks/timed.md` to standard output: all models of TChecker's that are in the folder, beside its figures
//! (`tchecker_figures.txt`), and what a second thread gains. Counts that are not TChecker's end it.
//!
//! Seconds with one thread are those of the processor, where the system tells them: they hardly depend on what else runs. Those with more are
//! of the clock on the wall, which is what threads are for.
#![allow(clippy::print_stdout)] // the whole point

use std::time::Instant;

use fathom_search::{
    NoMonitor, Options, Order, breadth_first_regions_parallel, depth_first_regions_parallel,
    last_first_regions_parallel,
};
use fathom_source::SourceMap;
use fathom_timed::{Cover, Network, ZoneOptions, ZoneSystem};

/// What TChecker says.
const FIGURES: &str = include_str!("tchecker_figures.txt");
/// Runs of each row, of which the fastest counts.
const ROUNDS: usize = 2;
/// Rows that take less are left out: the clock is too coarse for them.
const SHORTEST: f64 = 0.01;

/// Seconds of processor time of this thread so far.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? / 1e9)
}

/// What an exploration came to.
struct Explored {
    /// Stored, visited, transitions.
    counts: [u64; 3],
    processor: f64,
    wall: f64,
}

fn explore(network: &Network, order: &str, n_threads: usize, cover: Cover) -> Explored {
    let system = ZoneSystem::new(network, &[], &[], ZoneOptions { cover, ..ZoneOptions::default() });
    let before = processor_seconds();
    let started = Instant::now();
    let (options, monitor) = (Options::default(), &mut NoMonitor);
    let outcome = match order {
        "lifo" => last_first_regions_parallel(&system, n_threads, &options, monitor),
        "dfs" => depth_first_regions_parallel(&system, n_threads, Order::AsGiven, &options, monitor),
        _ => breadth_first_regions_parallel(&system, n_threads, &options, monitor),
    };
    let wall = started.elapsed().as_secs_f64();
    let processor = processor_seconds().zip(before).map_or(f64::NAN, |(after, before)| after - before);
    let found = outcome.statistics;
    Explored { counts: [found.states, found.expanded, found.transitions], processor, wall }
}

/// The fastest of some runs.
fn best(network: &Network, order: &str, n_threads: usize, cover: Cover) -> Explored {
    let runs = (0..ROUNDS).map(|_| explore(network, order, n_threads, cover));
    let time = |one: &Explored| if n_threads == 1 { one.processor } else { one.wall };
    runs.min_by(|left, right| time(left).total_cmp(&time(right))).expect("a run")
}

fn read(file: &str) -> Option<Network> {
    let text = std::fs::read_to_string(file).ok()?;
    let mut sources = SourceMap::new();
    let id = sources.add(file, text);
    fathom_tchecker::read(id, &sources).0.map(|(network, _)| network)
}

fn cover_named(name: &str) -> Cover {
    if name == "simulation" { Cover::Simulation } else { Cover::Inclusion }
}

/// A number with commas.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [word, folder] if word == "page" => write_page(folder),
        [order, cover, files @ ..] if !files.is_empty() => explore_files(order, cover_named(cover), files),
        _ => println!(
            "usage: zone_graph bfs|lifo|dfs[:THREADS] inclusion|simulation FILE... | zone_graph page FOLDER"
        ),
    }
}

fn explore_files(order: &str, cover: Cover, files: &[String]) {
    let (order, n_threads) = order.split_once(':').unwrap_or((order, "1"));
    let n_threads: usize = n_threads.parse().expect("a number of threads");
    for file in files {
        let Some(network) = read(file) else {
            println!("{file}: errors");
            continue;
        };
        let Explored { counts: [stored, visited, transitions], processor, wall } =
            explore(&network, order, n_threads, cover);
        println!(
            "{file} {order}:{n_threads} {}: stored {stored} visited {visited} transitions {transitions} \
             seconds {processor:.3} visited/s {:.0} wall {wall:.3}",
            cover.name(),
            visited as f64 / if n_threads == 1 { processor } else { wall },
        );
    }
}

fn write_page(folder: &str) {
    println!(
        "# Timed automata beside TChecker\n\n\
         Exploring all zones, on one thread. The models are TChecker's public examples, and its figures are recorded ones: one run each of `tck-reach -a covreach|aLU-covreach -s bfs|dfs`\n\
         (commit d711ace9), in seconds of user time, on a shared machine with two cores of which nothing else is known. Fathom's are seconds of processor time of the search, the least\n\
         of {ROUNDS} runs, on an Intel Xeon with two cores and nothing else at work. The last column is therefore the size of the difference, not a measure to the tenth.\n\
         `lifo` is TChecker's `dfs`, `simulation` its `aLU-covreach`. Stored and visited zones and transitions are equal in every row: the command that writes this page ends if one is not.\n\n\
         ```\n\
         cargo run --release -p fathom-timed --example zone_graph -- page FOLDER_OF_MODELS > docs/benchmarks/timed.md\n\
         cargo run --release -p fathom-timed --example zone_graph -- bfs inclusion FILE.tck\n\
         ```\n\n\
         | model | order | cover | stored | visited | transitions | seconds | visited/s | TChecker visited/s | times |\n\
         | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    );
    let mut both = Vec::new();
    for line in FIGURES.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [model, order, cover, numbers @ ..] = &words[..] else { continue };
        let numbers: Vec<u64> = numbers.iter().map(|one| one.parse().expect("a number")).collect();
        let Some(network) = read(&format!("{folder}/{model}.tck")) else { continue };
        let found = best(&network, order, 1, cover_named(cover));
        assert_eq!(found.counts[..], numbers[..3], "{model} {order} {cover}: not the counts of TChecker");
        if found.processor < SHORTEST {
            continue;
        }
        let rate = found.counts[1] as f64 / found.processor;
        println!(
            "| {model} | {order} | {cover} | {} | {} | {} | {:.3} | {} | {} | {:.1} |",
            grouped(found.counts[0]),
            grouped(found.counts[1]),
            grouped(found.counts[2]),
            found.processor,
            grouped(rate as u64),
            grouped(numbers[3]),
            rate / numbers[3] as f64,
        );
        if *cover == "inclusion" && found.processor > 0.1 {
            both.push((*model, *order, network, found));
        }
    }
    println!(
        "\nRuns of less than {SHORTEST} seconds are left out.\n\n\
         ## Threads\n\n\
         `--threads 2` shares one store with inclusion. Seconds on the wall, the least of {ROUNDS} runs, on two cores with nothing else at work.\n\n\
         | model | order | visited, 1 thread | visited, 2 threads | seconds, 1 thread | seconds, 2 threads | times |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: |"
    );
    for (model, order, network, _) in both {
        let [one, two] = [1, 2].map(|n_threads| best(&network, order, n_threads, Cover::Inclusion));
        println!(
            "| {model} | {order} | {} | {} | {:.3} | {:.3} | {:.2} |",
            grouped(one.counts[1]),
            grouped(two.counts[1]),
            one.wall,
            two.wall,
            one.wall / two.wall
        );
    }
    println!(
        "\nLast-first search with two threads may visit more zones than with one: a zone is expanded before the larger one comes that would have swallowed it."
    );
}
