//! What the steps of a state cost: machine code against the reference interpreter.
//!
//! The same states of shipped models, in breadth-first order, are expanded by both; nothing is stored. Run with
//! `cargo bench -p fathom-native`. `items/s` are expanded states; compare lines of one run. What it costs to make
//! the code is measured, too.
#![allow(missing_docs)]

use std::collections::HashSet;
use std::fmt;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use fathom_core::model::{Interpreter, Model, NoRegion, Steps, System};
use fathom_core::source::MemoryLoader;
use fathom_core::{Language, load};
use fathom_native::NativeSystem;

/// States that are expanded, at most.
const MOST_STATES: usize = 10_000;

fn main() {
    divan::main();
}

/// A shipped model: its text and a parameter.
#[derive(Clone, Copy)]
struct Example {
    name: &'static str,
    text: &'static str,
    define: (&'static str, &'static str),
}

impl fmt::Display for Example {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name)
    }
}

/// Processes over shared bytes, channels, indivisible blocks, and much of everything.
const EXAMPLES: [Example; 4] = [
    Example {
        name: "peterson_n",
        text: include_str!("../../../examples/promela/peterson_n.pml"),
        define: ("N", "4"),
    },
    Example {
        name: "leader_lann",
        text: include_str!("../../../examples/promela/leader_lann.pml"),
        define: ("N", "4"),
    },
    Example {
        name: "philosophers",
        text: include_str!("../../../examples/promela/philosophers.pml"),
        define: ("N", "10"),
    },
    Example {
        name: "giop",
        text: include_str!("../../../examples/promela/giop.pml"),
        define: ("USERS", "2"),
    },
];

#[divan::bench(args = EXAMPLES)]
fn interpreted(bencher: Bencher<'_, '_>, example: Example) {
    let model = model(example);
    expand(bencher, &Interpreter::new(&model, &[]), &states(&model));
}

#[divan::bench(args = EXAMPLES)]
fn native(bencher: Bencher<'_, '_>, example: Example) {
    let model = model(example);
    let system = NativeSystem::new(&model, &[]).expect("native code for this processor");
    expand(bencher, &system, &states(&model));
}

/// From the model to machine code.
#[divan::bench(args = EXAMPLES)]
fn compile(bencher: Bencher<'_, '_>, example: Example) {
    let model = model(example);
    bencher.bench_local(|| NativeSystem::new(black_box(&model), &[]).is_ok());
}

fn expand<S: System<Region = NoRegion>>(bencher: Bencher<'_, '_>, system: &S, states: &[Vec<u8>]) {
    let mut scratch = system.scratch();
    let mut steps = Steps::new();
    bencher.counter(ItemsCount::new(states.len())).bench_local(|| {
        let mut n_steps = 0;
        for state in states {
            steps.clear();
            system.successors(black_box(state), &NoRegion, &mut scratch, &mut steps);
            n_steps += steps.len();
        }
        n_steps
    });
}

fn model(example: Example) -> Model {
    let loader = MemoryLoader::new().with("model.pml", example.text);
    let (name, value) = example.define;
    let loaded = load("model.pml", Language::Promela, &loader, &[(name.to_owned(), value.to_owned())]);
    loaded.expect("an example").model.expect("an example without errors")
}

/// The first states in breadth-first order.
fn states(model: &Model) -> Vec<Vec<u8>> {
    let system = Interpreter::new(model, &[]);
    let mut scratch = system.scratch();
    let mut steps = Steps::new();
    system.initial(&mut scratch, &mut steps);
    let mut states: Vec<Vec<u8>> = (0..steps.len()).map(|index| steps.state(index).to_vec()).collect();
    let mut seen: HashSet<Vec<u8>> = states.iter().cloned().collect();
    let mut next = 0;
    while next < states.len() && states.len() < MOST_STATES {
        steps.clear();
        system.successors(&states[next], &NoRegion, &mut scratch, &mut steps);
        next += 1;
        for index in 0..steps.len() {
            if seen.insert(steps.state(index).to_vec()) {
                states.push(steps.state(index).to_vec());
            }
        }
    }
    states.truncate(MOST_STATES);
    states
}
