//! Explores the zones of `.tck` files, and says how many there are and how long it took:
//! `cargo run --release -p fathom-timed --example zone_graph -- bfs|lifo|dfs[:THREADS] inclusion|simulation FILE…`.
//!
//! Seconds are those of the processor, where the system tells them: they hardly depend on what else runs. Those of the clock on the
//! wall are what threads are for.
#![allow(clippy::print_stdout)] // the whole point

use std::time::Instant;

use fathom_search::{
    NoMonitor, Options, Order, breadth_first_regions_parallel, depth_first_regions_parallel,
    last_first_regions_parallel,
};
use fathom_source::SourceMap;
use fathom_timed::{Cover, ZoneOptions, ZoneSystem};

/// Seconds of processor time of this process so far, in hundredths.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let (_, fields) = text.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [order, cover, files @ ..] = &arguments[..] else {
        println!("usage: zone_graph bfs|lifo|dfs[:THREADS] inclusion|simulation FILE...");
        return;
    };
    let cover = if cover == "simulation" { Cover::Simulation } else { Cover::Inclusion };
    let (order, n_threads) = order.split_once(':').unwrap_or((order, "1"));
    let n_threads: usize = n_threads.parse().expect("a number of threads");
    for file in files {
        let text = std::fs::read_to_string(file).expect("a file");
        let mut sources = SourceMap::new();
        let id = sources.add(file.as_str(), text);
        let Some((network, _)) = fathom_tchecker::read(id, &sources).0 else {
            println!("{file}: errors");
            continue;
        };
        let system = ZoneSystem::new(&network, &[], &[], ZoneOptions { cover, ..ZoneOptions::default() });
        let before = processor_seconds();
        let started = Instant::now();
        let (options, monitor) = (Options::default(), &mut NoMonitor);
        let outcome = match order {
            "lifo" => last_first_regions_parallel(&system, n_threads, &options, monitor),
            "dfs" => depth_first_regions_parallel(&system, n_threads, Order::AsGiven, &options, monitor),
            _ => breadth_first_regions_parallel(&system, n_threads, &options, monitor),
        };
        let wall = started.elapsed().as_secs_f64();
        let seconds = processor_seconds().zip(before).map_or(f64::NAN, |(after, before)| after - before);
        let counts = outcome.statistics;
        println!(
            "{file} {order}:{n_threads} {}: stored {} visited {} transitions {} seconds {seconds:.2} visited/s {:.0} wall {wall:.3}",
            cover.name(),
            counts.states,
            counts.expanded,
            counts.transitions,
            counts.expanded as f64 / seconds
        );
    }
}
