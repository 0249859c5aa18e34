//! What a successful pruned search has taken for equal.
//!
//! A search that succeeds with a table of a few hundred bits shows that telling so many classes of states apart was
//! enough. This report repeats the search and collects the classes: the states that met on one bit, first come
//! first. For each byte of the states it compares how often two states of a class differ there with how often two
//! states of the search do: a byte that differs inside classes as often as anywhere was not needed to tell states
//! apart; one that differs less often was.
//!
//! Source: Ernits 2007, the distinguishing function; which bytes matter is an addition. The classes belong to a hash
//! function, so a byte is only a candidate for one that can be left out.

use std::collections::{BTreeMap, BTreeSet};

use fathom_model::System;
use fathom_search::NoMonitor;

use crate::isr::Hit;
use crate::pruned::{Observer, Pruner};
use crate::race::{Board, run_alone};
use crate::wanted::Wanted;

/// What a pruned search has taken for equal.
#[derive(Clone, PartialEq, Debug)]
pub struct Distinguished {
    /// Different states that were generated.
    pub n_states: usize,
    /// The classes with more than one state, the representative first, the largest class first.
    pub classes: Vec<Vec<Vec<u8>>>,
    /// Number of classes, with those of one state; everything that was not met is one more.
    pub n_classes: usize,
    /// By byte of the state, as far as all states have it: how the partition depends on it.
    pub bytes: Vec<ByteRole>,
}

/// How a partition depends on a byte of the state.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ByteRole {
    /// Number of different values.
    pub n_values: usize,
    /// Share of the members of classes that differ from their representative here.
    pub differs_inside: f64,
    /// Share of pairs of states far apart in the search that differ here: what to expect of a byte that plays no
    /// role.
    pub differs_anywhere: f64,
}

/// Collects classes.
#[derive(Default)]
struct Classes {
    by_place: BTreeMap<u64, Vec<Vec<u8>>>,
    known: BTreeSet<Vec<u8>>,
    in_order: Vec<Vec<u8>>,
}

impl Observer for Classes {
    fn generated(&mut self, place: u64, state: &[u8], _: bool) {
        if self.known.insert(state.to_vec()) {
            self.by_place.entry(place).or_default().push(state.to_vec());
            self.in_order.push(state.to_vec());
        }
    }
}

/// Repeats a search that found something and reports what it took for equal. Meant for small tables: every state
/// that the search generates is kept.
pub fn distinguish<S: System>(system: &S, hit: &Hit) -> Distinguished {
    let mut classes = Classes::default();
    let mut wanted = Wanted::anything(&[hit.property]);
    wanted.tighten(hit.property, hit.length as u32);
    run_alone(&Board::new(), &mut NoMonitor, |watch| {
        Pruner::new(system).run(&hit.throw, &wanted, &mut classes, watch)
    });
    let n_classes = classes.by_place.len();
    let shortest = classes.in_order.iter().map(Vec::len).min().unwrap_or(0);
    let bytes = (0..shortest).map(|byte| byte_role(&classes, byte)).collect();
    let mut shared: Vec<Vec<Vec<u8>>> =
        classes.by_place.into_values().filter(|class| class.len() > 1).collect();
    shared.sort_by_key(|class| std::cmp::Reverse(class.len()));
    Distinguished { n_states: classes.in_order.len(), classes: shared, n_classes, bytes }
}

fn byte_role(classes: &Classes, byte: usize) -> ByteRole {
    let values: BTreeSet<u8> = classes.in_order.iter().map(|state| state[byte]).collect();
    let (mut n_members, mut n_different) = (0_usize, 0_usize);
    for class in classes.by_place.values() {
        n_members += class.len() - 1;
        n_different += class[1..].iter().filter(|state| state[byte] != class[0][byte]).count();
    }
    // Pairs that have nothing to do with each other: states half of the list apart.
    let n_states = classes.in_order.len();
    let half = n_states / 2;
    let pairs = (0..n_states - half).filter(|_| half > 0);
    let n_anywhere =
        pairs.filter(|&index| classes.in_order[index][byte] != classes.in_order[index + half][byte]).count();
    let share = |count: usize, of: usize| if of == 0 { 0.0 } else { count as f64 / of as f64 };
    ByteRole {
        n_values: values.len(),
        differs_inside: share(n_different, n_members),
        differs_anywhere: share(n_anywhere, n_states - half),
    }
}
