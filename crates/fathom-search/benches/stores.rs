//! What each store costs, on states of real models and in a whole search: `cargo bench -p fathom-search`.
//!
//! States of the example models are explored once and written down, expansion by expansion; then the same
//! insertions go into each store, so that the model itself costs nothing. After that come whole searches of a
//! system with cheap steps. `items/s` are insertions, or transitions; compare lines of one run. What a state takes in
//! memory is in every report (`bytes/state`).
#![allow(missing_docs)]

use std::collections::{HashSet, VecDeque};
use std::fmt;

use divan::Bencher;
use divan::counter::ItemsCount;
use fathom_core::model::{Interpreter, NoRegion, Steps, System};
use fathom_core::source::MemoryLoader;
use fathom_core::{Language, load};
use fathom_search::{
    NoMonitor, Options, Order, Outcome, StoreKind, breadth_first, breadth_first_parallel, depth_first,
    depth_first_parallel,
};
use fathom_store::{ExactStore, Insert, Keep, PackedParts, PackedStore, PlainParts, StateId, Store};

/// Insertions done together, as in a breadth-first search, or one by one.
const BATCHES: [usize; 2] = [64, 1];
/// Expansions of each model.
const MOST_EXPANSIONS: usize = 100_000;

fn main() {
    divan::main();
}

/// A model whose states are inserted.
struct Example {
    name: &'static str,
    text: &'static str,
    define: &'static str,
}

impl fmt::Display for Example {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name)
    }
}

const EXAMPLES: [Example; 3] = [
    Example {
        name: "peterson_n",
        text: include_str!("../../../examples/promela/peterson_n.pml"),
        define: "N=4",
    },
    Example {
        name: "leader_lann",
        text: include_str!("../../../examples/promela/leader_lann.pml"),
        define: "N=4",
    },
    Example { name: "giop", text: include_str!("../../../examples/promela/giop.pml"), define: "USERS=2" },
];

#[divan::bench(args = EXAMPLES, consts = BATCHES, sample_count = 5, sample_size = 1)]
fn plain<const BATCH: usize>(bencher: Bencher<'_, '_>, example: &Example) {
    insertions::<ExactStore<NoRegion, PlainParts>>(bencher, example, BATCH, || ExactStore::new(Keep::States));
}

#[divan::bench(args = EXAMPLES, consts = BATCHES, sample_count = 5, sample_size = 1)]
fn packed_and_numbered<const BATCH: usize>(bencher: Bencher<'_, '_>, example: &Example) {
    insertions::<ExactStore<NoRegion, PackedParts>>(bencher, example, BATCH, || {
        ExactStore::new(Keep::States)
    });
}

#[divan::bench(args = EXAMPLES, consts = BATCHES, sample_count = 5, sample_size = 1)]
fn packed<const BATCH: usize>(bencher: Bencher<'_, '_>, example: &Example) {
    insertions::<PackedStore<NoRegion>>(bencher, example, BATCH, PackedStore::new);
}

fn insertions<St: Store<NoRegion>>(
    bencher: Bencher<'_, '_>,
    example: &Example,
    batch: usize,
    new: impl Fn() -> St,
) {
    let recording = Recording::new(example.text, example.define);
    let empty = || {
        let mut store = new();
        let every = (recording.ends.len() / 4096).max(1);
        store.fit(&mut (0..recording.ends.len()).step_by(every).map(|index| recording.state(index)));
        store
    };
    let n_steps = recording.ends.len() - recording.expansions.len() + 1;
    let bencher = bencher.counter(ItemsCount::new(n_steps));
    bencher.with_inputs(empty).bench_local_values(|store| fill(store, &recording, batch));
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
fn fill<St: Store<NoRegion>>(mut store: St, recording: &Recording, batch: usize) -> St {
    let mut opened = St::Opened::default();
    let mut ids = Vec::new();
    let mut held_back = vec![(store.key(recording.state(0), &mut opened).expect("no limit on memory"), 0)];
    for (number, expansion) in recording.expansions.windows(2).enumerate() {
        if number >= ids.len() {
            insert(&mut store, recording, &mut held_back, &mut ids);
        }
        assert_eq!(store.open(ids[number], &mut opened).0.len(), recording.state(expansion[0]).len());
        for index in expansion[0] + 1..expansion[1] {
            let key = store.key(recording.state(index), &mut opened).expect("no limit on memory");
            store.prefetch(key);
            held_back.push((key, index));
            if held_back.len() >= batch {
                insert(&mut store, recording, &mut held_back, &mut ids);
            }
        }
    }
    insert(&mut store, recording, &mut held_back, &mut ids);
    store
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

/// The system of the whole searches.
const COUNTERS: Counters = Counters { n_counters: 6, bound: 8 };

/// Threads of the whole searches.
const THREADS: [usize; 3] = [1, 2, 4];

#[divan::bench(consts = THREADS, sample_count = 3, sample_size = 1)]
fn search_breadth_first<const N: usize>(bencher: Bencher<'_, '_>) {
    let options = Options::default();
    whole_search(bencher, || match N {
        1 => breadth_first(&COUNTERS, &options, &mut NoMonitor),
        _ => breadth_first_parallel(&COUNTERS, N, &options, &mut NoMonitor),
    });
}

#[divan::bench(consts = THREADS, sample_count = 3, sample_size = 1)]
fn search_depth_first<const N: usize>(bencher: Bencher<'_, '_>) {
    let options = Options::default();
    whole_search(bencher, || match N {
        1 => depth_first(&COUNTERS, Order::AsGiven, &options, &mut NoMonitor),
        _ => depth_first_parallel(&COUNTERS, N, Order::AsGiven, &options, &mut NoMonitor),
    });
}

#[divan::bench(args = ["plain", "compact", "bitstate"], sample_count = 3, sample_size = 1)]
fn search_with(bencher: Bencher<'_, '_>, store: &str) {
    let store = match store {
        "plain" => StoreKind::Plain,
        "compact" => StoreKind::Compact { bits: 40 },
        _ => StoreKind::Bitstate { bits: 1 << 28, hashes: 3, seed: 1 },
    };
    let options = Options { store, ..Options::default() };
    whole_search(bencher, || breadth_first(&COUNTERS, &options, &mut NoMonitor));
}

fn whole_search(bencher: Bencher<'_, '_>, run: impl Fn() -> Outcome) {
    // Every counter can move in every state.
    let n_transitions = usize::from(COUNTERS.bound).pow(COUNTERS.n_counters as u32) * COUNTERS.n_counters;
    bencher.counter(ItemsCount::new(n_transitions)).bench_local(run);
}

/// Counters that go round, one step at a time: states of 24 bytes with six cheap steps each.
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
