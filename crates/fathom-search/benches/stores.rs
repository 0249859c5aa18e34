//! What each store costs, on states of real models and in a whole search: `cargo bench -p fathom-search`.
//!
//! States of the example models are explored once and written down, expansion by expansion; then the same
//! insertions go into each store, so that the model itself costs nothing. After that come whole searches of a
//! system with cheap steps. One line for each measurement, `key=value`; compare lines of one run.
#![allow(clippy::print_stdout, missing_docs)]

use std::collections::{HashSet, VecDeque};
use std::time::Instant;

use fathom::model::{Interpreter, NoRegion, Steps, System};
use fathom::source::MemoryLoader;
use fathom::{Language, load};
use fathom_search::{
    NoMonitor, Options, Order, Outcome, StoreKind, breadth_first, breadth_first_parallel, depth_first,
    depth_first_parallel,
};
use fathom_store::{ExactStore, Insert, Keep, PackedParts, PackedStore, PlainParts, StateId, Store};

/// Insertions done together, where they are.
const BATCH: usize = 64;
/// Expansions of each model.
const MOST_EXPANSIONS: usize = 200_000;

fn main() {
    let models = [
        ("peterson_n", include_str!("../../../examples/promela/peterson_n.pml"), "N=4"),
        ("leader_lann", include_str!("../../../examples/promela/leader_lann.pml"), "N=4"),
        ("giop", include_str!("../../../examples/promela/giop.pml"), "USERS=2"),
    ];
    for (name, text, define) in models {
        let recording = Recording::new(text, define);
        for batch in [1, BATCH] {
            let plain: ExactStore<NoRegion, PlainParts> = ExactStore::new(Keep::States);
            measure(name, "plain", plain, &recording, batch, false);
            let numbered: ExactStore<NoRegion, PackedParts> = ExactStore::new(Keep::States);
            measure(name, "packed-numbered", numbered, &recording, batch, true);
            measure(name, "packed", PackedStore::new(), &recording, batch, true);
            measure(name, "packed-without-sample", PackedStore::new(), &recording, batch, false);
        }
    }
    let system = Counters { n_counters: 7, bound: 8 };
    let options = Options::default();
    search("breadth-first", || breadth_first(&system, &options, &mut NoMonitor));
    search("depth-first", || depth_first(&system, Order::AsGiven, &options, &mut NoMonitor));
    for threads in [2, 4] {
        search(&format!("breadth-first-{threads}"), || {
            breadth_first_parallel(&system, threads, &options, &mut NoMonitor)
        });
        search(&format!("depth-first-{threads}"), || {
            depth_first_parallel(&system, threads, Order::AsGiven, &options, &mut NoMonitor)
        });
    }
    let bitstate = StoreKind::Bitstate { bits: 1 << 28, hashes: 3, seed: 1 };
    for store in [StoreKind::Plain, StoreKind::Compact { bits: 40 }, bitstate] {
        let options = Options { store, ..Options::default() };
        search(&format!("breadth-first-{}", store.name()), || {
            breadth_first(&system, &options, &mut NoMonitor)
        });
    }
}

/// The expansions of a breadth-first search.
struct Recording {
    bytes: Vec<u8>,
    /// One past the last byte of each state.
    ends: Vec<usize>,
    /// For each expansion its first state, which is the one expanded; its successors follow.
    expansions: Vec<usize>,
}

impl Recording {
    fn new(text: &str, define: &str) -> Recording {
        let loader = MemoryLoader::new().with("model.pml", text);
        let (name, value) = define.split_once('=').expect("NAME=VALUE");
        let loaded = load("model.pml", Language::Promela, &loader, &[(name.to_string(), value.to_string())]);
        let model = loaded.expect("an example").model.expect("an example without errors");
        let system = Interpreter::new(&model, &[]);
        let mut scratch = system.scratch();
        let mut steps = Steps::new();
        system.initial(&mut scratch, &mut steps);
        let mut queue: VecDeque<Vec<u8>> =
            (0..steps.len()).map(|index| steps.state(index).to_vec()).collect();
        let mut seen: HashSet<Vec<u8>> = queue.iter().cloned().collect();
        let mut recording = Recording { bytes: Vec::new(), ends: Vec::new(), expansions: Vec::new() };
        while let Some(state) = queue.pop_front().filter(|_| recording.expansions.len() < MOST_EXPANSIONS) {
            steps.clear();
            system.successors(&state, &NoRegion, &mut scratch, &mut steps);
            recording.expansions.push(recording.ends.len());
            recording.add(&state);
            for index in 0..steps.len() {
                recording.add(steps.state(index));
                if seen.insert(steps.state(index).to_vec()) {
                    queue.push_back(steps.state(index).to_vec());
                }
            }
        }
        recording.expansions.push(recording.ends.len());
        recording
    }

    fn add(&mut self, state: &[u8]) {
        self.bytes.extend_from_slice(state);
        self.ends.push(self.bytes.len());
    }

    fn state(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }
}

/// Inserts what was recorded, reading each expanded state from the store as a search would.
fn measure<St: Store<NoRegion>>(
    model: &str,
    store_name: &str,
    mut store: St,
    recording: &Recording,
    batch: usize,
    is_fitted: bool,
) {
    if is_fitted {
        let every = (recording.ends.len() / 4096).max(1);
        store.fit(&mut (0..recording.ends.len()).step_by(every).map(|index| recording.state(index)));
    }
    let start = Instant::now();
    let mut opened = St::Opened::default();
    let mut ids = Vec::new();
    let mut held_back = vec![(store.key(recording.state(0), &mut opened).expect("no limit on memory"), 0)];
    let mut n_steps = 0;
    for (number, expansion) in recording.expansions.windows(2).enumerate() {
        if number >= ids.len() {
            insert(&mut store, recording, &mut held_back, &mut ids);
        }
        assert_eq!(store.open(ids[number], &mut opened).0.len(), recording.state(expansion[0]).len());
        for index in expansion[0] + 1..expansion[1] {
            let key = store.key(recording.state(index), &mut opened).expect("no limit on memory");
            store.prefetch(key);
            held_back.push((key, index));
            n_steps += 1;
            if held_back.len() >= batch {
                insert(&mut store, recording, &mut held_back, &mut ids);
            }
        }
    }
    insert(&mut store, recording, &mut held_back, &mut ids);
    let nanoseconds = start.elapsed().as_nanos() as f64 / f64::from(n_steps);
    let n_states = store.len();
    println!(
        "model={model} store={store_name} batch={batch} states={n_states} insertions={n_steps} \
         ns_per_insertion={nanoseconds:.1} bytes_per_state={:.1}",
        store.bytes() as f64 / n_states as f64
    );
}

fn insert<St: Store<NoRegion>>(
    store: &mut St,
    recording: &Recording,
    held_back: &mut Vec<(St::Key, usize)>,
    ids: &mut Vec<StateId>,
) {
    if held_back.len() > 1 {
        held_back.iter().for_each(|&(key, _)| store.prefetch_match(key));
    }
    for (key, index) in held_back.drain(..) {
        if let Insert::New(id) = store.insert(key, recording.state(index), &NoRegion, 0) {
            ids.push(id);
        }
    }
}

fn search(engine: &str, run: impl Fn() -> Outcome) {
    let start = Instant::now();
    let statistics = run().statistics;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "system=counters engine={engine} states={} transitions={} seconds={seconds:.2} \
         ns_per_transition={:.1} bytes_per_state={:.1}",
        statistics.states,
        statistics.transitions,
        seconds * 1e9 / statistics.transitions as f64,
        statistics.store_bytes as f64 / statistics.states as f64
    );
}

/// Counters that go round, one step at a time: states of 28 bytes with seven cheap steps each.
struct Counters {
    n_counters: usize,
    bound: u8,
}

impl System for Counters {
    type Region = NoRegion;
    type Label = ();
    type Scratch = Vec<u8>;

    fn scratch(&self) -> Vec<u8> {
        Vec::new()
    }

    fn initial(&self, _: &mut Vec<u8>, out: &mut Steps<NoRegion, ()>) {
        out.push(&vec![0; self.n_counters * 4], NoRegion, &[]);
    }

    fn successors(&self, state: &[u8], _: &NoRegion, next: &mut Vec<u8>, out: &mut Steps<NoRegion, ()>) {
        next.clear();
        next.extend_from_slice(state);
        for counter in (0..state.len()).step_by(4) {
            next[counter] = if state[counter] + 1 == self.bound { 0 } else { state[counter] + 1 };
            out.push(next, NoRegion, &[]);
            next[counter] = state[counter];
        }
    }
}
