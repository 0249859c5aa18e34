//! How fast successors are made: `cargo run --release -p fathom-native --example speed -- FILE [-DNAME=VALUE]`.
//!
//! Collects states first (at most a million, or what `STATES` says), then expands all of them several times
//! with the interpreter and with native code (as often as `REPETITIONS` says), and prints the best rate of each.
#![allow(clippy::print_stdout)]

use std::collections::HashSet;
use std::time::{Duration, Instant};

use fathom_core::model::{Interpreter, Model, Move, NoRegion, Steps, System};
use fathom_core::{Language, default_properties, load};
use fathom_native::NativeSystem;
use fathom_testing::file_loader;

fn main() {
    let mut defines = Vec::new();
    let mut paths = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.strip_prefix("-D") {
            Some(define) => {
                let (name, value) = define.split_once('=').unwrap_or((define, "1"));
                defines.push((name.to_owned(), value.to_owned()));
            }
            None => paths.push(argument),
        }
    }
    for path in paths {
        let loaded = load(&path, Language::Promela, &file_loader, &defines).expect("a file");
        match loaded.model {
            Some(model) => measure(&path, &model),
            None => println!("{path}: refused {:?}", loaded.diagnostics),
        }
    }
}

fn measure(path: &str, model: &Model) {
    let asked = default_properties(model);
    let interpreter = Interpreter::new(model, &asked);
    let start = Instant::now();
    let native = NativeSystem::new(model, &asked).expect("native code");
    let setup = start.elapsed();
    let n_edges: usize = model.templates.iter().map(|template| template.edges.len()).sum();
    let limit = std::env::var("STATES").ok().and_then(|limit| limit.parse().ok()).unwrap_or(1_000_000);
    let states = collect(&native, limit);
    let size = states.iter().map(Vec::len).sum::<usize>() as f64 / states.len() as f64;
    let repetitions = std::env::var("REPETITIONS").ok().and_then(|number| number.parse().ok()).unwrap_or(5);
    let (n_transitions, native_time) = expand_all(&native, &states, repetitions);
    let (n_expected, interpreter_time) = expand_all(&interpreter, &states, 2);
    assert_eq!(n_transitions, n_expected, "native code and interpreter disagree");
    let rate = |time: Duration| n_transitions as f64 / time.as_secs_f64() / 1e6;
    let per_state = |time: Duration| time.as_secs_f64() * 1e9 / states.len() as f64;
    println!(
        "{path}: edges={n_edges} functions={} setup_ms={:.1} states={} bytes={size:.0} transitions={n_transitions} \
         interpreter_M/s={:.2} native_M/s={:.2} factor={:.1} native_ns_per_state={:.0} native_ns_per_transition={:.1}",
        native.n_functions(),
        setup.as_secs_f64() * 1e3,
        states.len(),
        rate(interpreter_time),
        rate(native_time),
        interpreter_time.as_secs_f64() / native_time.as_secs_f64(),
        per_state(native_time),
        native_time.as_secs_f64() * 1e9 / n_transitions as f64,
    );
}

type Out = Steps<NoRegion, Move>;

/// The first states in breadth-first order.
fn collect<S: System<Region = NoRegion, Label = Move>>(system: &S, limit: usize) -> Vec<Vec<u8>> {
    let mut scratch = system.scratch();
    let mut steps = Out::new();
    let mut known = HashSet::new();
    let mut states: Vec<Vec<u8>> = Vec::new();
    system.initial(&mut scratch, &mut steps);
    let mut next = 0;
    loop {
        for index in 0..steps.len() {
            if known.len() < limit && known.insert(steps.state(index).to_vec()) {
                states.push(steps.state(index).to_vec());
            }
        }
        steps.clear();
        let Some(state) = states.get(next) else { return states };
        system.successors(state, &NoRegion, &mut scratch, &mut steps);
        next += 1;
    }
}

/// Expands all states; gives the number of transitions and the best time.
fn expand_all<S: System<Region = NoRegion, Label = Move>>(
    system: &S,
    states: &[Vec<u8>],
    repetitions: usize,
) -> (usize, Duration) {
    let mut scratch = system.scratch();
    let mut steps = Out::new();
    let mut best = Duration::MAX;
    let mut n_transitions = 0;
    for _ in 0..repetitions {
        let start = Instant::now();
        n_transitions = 0;
        for state in states {
            steps.clear();
            system.successors(state, &NoRegion, &mut scratch, &mut steps);
            n_transitions += steps.len();
        }
        best = best.min(start.elapsed());
    }
    (n_transitions, best)
}
