//! What operations on zones cost, by the number of clocks.
//!
//! Run with `cargo bench -p fathom-zone`. Each line is one operation on one zone; compare lines of one run.
#![allow(missing_docs)]

use divan::{Bencher, black_box};
use fathom_zone::extrapolation::{extrapolate_lu_plus, extrapolate_max};
use fathom_zone::inclusion::{is_within, is_within_lu};
use fathom_zone::minimal::minimal_constraints;
use fathom_zone::{Bound, Zone, matrix, transform};

const CLOCKS: [usize; 4] = [4, 9, 16, 32];

fn main() {
    divan::main();
}

/// A zone as a search meets them: clocks set back one after the other, with time between.
fn zone(n_clocks: usize) -> Zone {
    let mut zone = Zone::zero(n_clocks);
    for clock in 1..=n_clocks {
        zone.up();
        assert!(zone.constrain(clock, 0, Bound::at_most(10 * clock as i32)));
        zone.reset(clock, 0);
    }
    zone.up();
    zone
}

fn constants(n_clocks: usize) -> Vec<i32> {
    (0..=n_clocks).map(|clock| if clock == 0 { 0 } else { 10 + clock as i32 }).collect()
}

/// Applies something to a fresh copy of the zone each time.
fn each(bencher: Bencher<'_, '_>, n_clocks: usize, apply: impl Fn(&mut [Bound], usize)) {
    let zone = zone(n_clocks);
    let mut bounds = zone.bounds().to_vec();
    bencher.bench_local(|| {
        bounds.copy_from_slice(zone.bounds());
        apply(black_box(&mut bounds), n_clocks + 1);
    });
}

#[divan::bench(args = CLOCKS)]
fn copy_only(bencher: Bencher<'_, '_>, n_clocks: usize) {
    each(bencher, n_clocks, |_, _| ());
}

#[divan::bench(args = CLOCKS)]
fn close(bencher: Bencher<'_, '_>, n_clocks: usize) {
    each(bencher, n_clocks, |zone, dim| assert!(matrix::close(zone, dim)));
}

#[divan::bench(args = CLOCKS)]
fn constrain(bencher: Bencher<'_, '_>, n_clocks: usize) {
    each(bencher, n_clocks, |zone, dim| assert!(matrix::constrain(zone, dim, 1, 0, Bound::at_most(400))));
}

#[divan::bench(args = CLOCKS)]
fn up(bencher: Bencher<'_, '_>, n_clocks: usize) {
    each(bencher, n_clocks, transform::up);
}

#[divan::bench(args = CLOCKS)]
fn reset(bencher: Bencher<'_, '_>, n_clocks: usize) {
    each(bencher, n_clocks, |zone, dim| transform::reset(zone, dim, 1, 0));
}

#[divan::bench(args = CLOCKS)]
fn extrapolation_max(bencher: Bencher<'_, '_>, n_clocks: usize) {
    let most = constants(n_clocks);
    each(bencher, n_clocks, |zone, dim| extrapolate_max(zone, dim, &most));
}

#[divan::bench(args = CLOCKS)]
fn extrapolation_lu_plus(bencher: Bencher<'_, '_>, n_clocks: usize) {
    let most = constants(n_clocks);
    each(bencher, n_clocks, |zone, dim| extrapolate_lu_plus(zone, dim, &most, &most));
}

#[divan::bench(args = CLOCKS)]
fn inclusion(bencher: Bencher<'_, '_>, n_clocks: usize) {
    let (inner, outer) = (zone(n_clocks), zone(n_clocks));
    bencher.bench_local(|| is_within(black_box(inner.bounds()), black_box(outer.bounds())));
}

#[divan::bench(args = CLOCKS)]
fn inclusion_up_to_simulation(bencher: Bencher<'_, '_>, n_clocks: usize) {
    let (inner, outer, most) = (zone(n_clocks), zone(n_clocks), constants(n_clocks));
    bencher.bench_local(|| {
        is_within_lu(black_box(inner.bounds()), black_box(outer.bounds()), n_clocks + 1, &most, &most)
    });
}

#[divan::bench(args = CLOCKS)]
fn short_form(bencher: Bencher<'_, '_>, n_clocks: usize) {
    let zone = zone(n_clocks);
    bencher.bench_local(|| minimal_constraints(black_box(zone.bounds()), n_clocks + 1));
}
