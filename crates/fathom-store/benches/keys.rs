//! What it costs to make the key of a state: a hash of all bytes, or the state packed.
//!
//! Synthetic states that differ in a few bytes from one to the next, as states in a search do; lengths are those
//! of small and large models. Run with `cargo bench -p fathom-store`. `items/s` are states; compare lines of one
//! run. Whole insertions on states of real models are in `crates/fathom-search/benches/stores.rs`.
#![allow(missing_docs)]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use fathom_model::NoRegion;
use fathom_store::{ExactStore, Keep, PackedParts, Parts, PlainParts, Store};

const LENGTHS: [usize; 4] = [16, 48, 128, 512];
const N_STATES: usize = 4096;

fn main() {
    divan::main();
}

/// The hash of every byte.
#[divan::bench(args = LENGTHS)]
fn hash(bencher: Bencher<'_, '_>, length: usize) {
    let states = states(length);
    bencher.counter(ItemsCount::new(states.len())).bench_local(|| {
        let hash = |state: &Vec<u8>| rapidhash::v3::rapidhash_v3(black_box(state));
        states.iter().map(hash).fold(0, u64::wrapping_add)
    });
}

#[divan::bench(args = LENGTHS)]
fn plain_key(bencher: Bencher<'_, '_>, length: usize) {
    keys::<PlainParts>(bencher, length);
}

#[divan::bench(args = LENGTHS)]
fn packed_key(bencher: Bencher<'_, '_>, length: usize) {
    keys::<PackedParts>(bencher, length);
}

/// Keys of states that are known already, one near the other.
fn keys<P: Parts>(bencher: Bencher<'_, '_>, length: usize) {
    let states = states(length);
    let mut store: ExactStore<NoRegion, P> = ExactStore::new(Keep::States);
    store.fit(&mut states.iter().map(Vec::as_slice));
    for state in &states {
        store.put(state, &NoRegion, 0);
    }
    let mut opened = P::Opened::default();
    bencher.counter(ItemsCount::new(states.len())).bench_local(|| {
        states.iter().filter(|state| store.key(black_box(state), &mut opened).is_some()).count()
    });
}

/// A pseudo-random walk through byte strings that changes two bytes at a time.
fn states(length: usize) -> Vec<Vec<u8>> {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut state = vec![0_u8; length];
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    (0..N_STATES)
        .map(|_| {
            for _ in 0..2 {
                let number = next();
                state[(number >> 8) as usize % length] = (number & 3) as u8;
            }
            state.clone()
        })
        .collect()
}
