//! One sequence over all transitions of the stopwatch: the engines of Ernits (2007, tables 5.1 to 5.5) side by side.
//!
//! `cargo run -p fathom-testgen --example stopwatch` prints the table of `docs/benchmarks/testing.md`; with an argument, rows that contain it.

#![allow(clippy::print_stdout, missing_docs)]

use std::time::{Duration, Instant};

use fathom_hunt::{Refine, Sizes};
use fathom_model::{Interpreter, Model, Stop};
use fathom_search::Progress;
use fathom_source::{MemoryLoader, SourceMap};
use fathom_testgen::{
    Criterion, GenerateOptions, GoalAnswer, GoalSet, Goals, Guide, ModelCharts, Observe, TestEngine, Tracker,
    WholeOptions, all_at_once, generate,
};

/// Most time of a row.
const MOST_TIME: Duration = Duration::from_secs(30);

/// Most bytes of a store.
const MOST_BYTES: u64 = 2 << 30;

fn model() -> Model {
    let (mut sources, loader) = (SourceMap::new(), MemoryLoader::new());
    let main = sources.add("stopwatch.pml", include_str!("stopwatch.pml"));
    let (program, _, _) = fathom_promela::parse_program_and_macros(main, &mut sources, &loader, &[]);
    let (lowered, said) = fathom_promela::lower_program(&program, "stopwatch.pml");
    lowered.unwrap_or_else(|| panic!("{said:?}"))
}

/// A monitor that stops when the time is over.
fn clock(started: Instant) -> impl FnMut(&Progress) -> Option<Stop> {
    move |_| (started.elapsed() > MOST_TIME).then_some(Stop::Time)
}

fn main() {
    let only = std::env::args().nth(1).unwrap_or_default();
    let model = model();
    let charts = ModelCharts::new(&model);
    let goals = Goals::of(charts.charts(), &[Criterion::Transitions], &[]).expect("few goals");
    let tracker = Tracker::new(&charts, &goals).expect("few edges");
    let system = Interpreter::new(&model, &[]);
    let mut wanted = GoalSet::empty(goals.len());
    for (name, engine, guide) in [
        ("from goal to goal, breadth-first", TestEngine::BreadthFirst, Guide::None),
        ("from goal to goal, best-first", TestEngine::BestFirst, Guide::None),
        ("from goal to goal, pruned, distance", TestEngine::Isr, Guide::Distance),
    ] {
        let started = Instant::now();
        let options =
            GenerateOptions { engine, guide, max_bytes: Some(MOST_BYTES), ..GenerateOptions::default() };
        let generated = generate(&system, &tracker, &options, &mut clock(started));
        for (goal, answer) in generated.answers.iter().enumerate() {
            if matches!(answer, GoalAnswer::Covered { .. }) {
                wanted.add(goal as u32);
            }
        }
        row(
            name,
            Some(generated.n_steps()),
            started,
            generated.statistics.store_bytes,
            generated.statistics.states,
        );
    }
    println!("{} goals, {} of them feasible", goals.len(), wanted.len());
    let doubling = fathom_testgen::SIZES;
    let large = Sizes::Growing {
        first: 1024,
        small_step: 1,
        per_magnitude: 8,
        threshold: 1024,
        factor: 1.5,
        last: 64 << 20,
    };
    let rows = [
        ("all at once, breadth-first", TestEngine::BreadthFirst, Guide::None, doubling, Refine::Never),
        ("all at once, depth-first", TestEngine::DepthFirst, Guide::None, doubling, Refine::Never),
        (
            "all at once, depth-first, uniform",
            TestEngine::DepthFirst,
            Guide::Uniform,
            doubling,
            Refine::Never,
        ),
        ("all at once, depth-first, tuned", TestEngine::DepthFirst, Guide::Tuned, doubling, Refine::Never),
        (
            "all at once, depth-first, distance",
            TestEngine::DepthFirst,
            Guide::Distance,
            doubling,
            Refine::Never,
        ),
        ("all at once, best-first", TestEngine::BestFirst, Guide::None, doubling, Refine::Never),
        ("all at once, pruned", TestEngine::Isr, Guide::None, large, Refine::Never),
        ("all at once, pruned, uniform", TestEngine::Isr, Guide::Uniform, large, Refine::Never),
        ("all at once, pruned, tuned", TestEngine::Isr, Guide::Tuned, large, Refine::Never),
        ("all at once, pruned, distance", TestEngine::Isr, Guide::Distance, large, Refine::Never),
        ("all at once, pruned, refined", TestEngine::Isr, Guide::None, large, Refine::GoOn),
        ("all at once, pruned, tuned, refined", TestEngine::Isr, Guide::Tuned, large, Refine::GoOn),
        ("all at once, pruned, distance, refined", TestEngine::Isr, Guide::Distance, large, Refine::GoOn),
    ];
    for (name, engine, guide, sizes, refine) in rows.into_iter().filter(|row| row.0.contains(&only)) {
        let started = Instant::now();
        let options = WholeOptions {
            engine,
            guide,
            sizes,
            refine,
            seed: 1,
            max_bytes: Some(MOST_BYTES),
            ..WholeOptions::new(wanted.clone())
        };
        let found = all_at_once(&system, &tracker, &options, &mut clock(started));
        let length = found.test.map(|test| test.choices.len());
        row(name, length, started, found.statistics.store_bytes, found.statistics.states);
    }
}

fn row(name: &str, length: Option<usize>, started: Instant, bytes: u64, states: u64) {
    let length = length.map_or("none".to_owned(), |length| length.to_string());
    let seconds = started.elapsed().as_secs_f64();
    println!("| {name} | {length} | {states} | {:.1} MB | {seconds:.1} s |", bytes as f64 / 1e6);
}
