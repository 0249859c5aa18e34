//! Packing against the strings themselves.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::root_table::{Added, RootTable};

fn root(packer: &mut Packer, state: &[u8], near: &mut Opened) -> u64 {
    loop {
        match packer.root(state, near) {
            Some(key) if Packer::is_escaped(key) => return packer.settle(key),
            Some(root) => return root,
            None => packer.grow(),
        }
    }
}

/// Strings that look like states: of a few lengths, most bytes small or constant.
fn strings() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let string = (0..3_usize, prop::collection::vec(0..6_u8, 64)).prop_map(|(length, bytes)| {
        let length = [64, 21, 10][length];
        let byte =
            |(index, byte): (usize, u8)| if index % 3 == 2 { 77 } else { byte % (1 + index as u8 % 5) };
        bytes.into_iter().take(length).enumerate().map(byte).collect()
    });
    prop::collection::vec(string, 1..120)
}

proptest! {
    #[test]
    fn roots_are_the_same_exactly_when_strings_are(
        all in strings(),
        n_sampled in 0..120_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()), 0..80),
        tiny_steps: bool,
    ) {
        let mut packer = Packer::default();
        packer.fit(&mut all.iter().take(n_sampled).map(Vec::as_slice));
        let mut all = all;
        for (which, place, byte) in changes {
            let mut copy = all[which.index(all.len())].clone();
            let place = place.index(copy.len());
            copy[place] = if tiny_steps { copy[place].wrapping_add(1) } else { byte };
            all.push(copy);
        }
        let mut opened = Opened::default();
        let mut roots: Vec<(u64, &[u8])> = Vec::new();
        for string in &all {
            let made = root(&mut packer, string, &mut opened);
            prop_assert_ne!(made, 0);
            // From nothing it is the same.
            prop_assert_eq!(root(&mut packer, string, &mut Opened::default()), made);
            for &(other_root, other) in &roots {
                prop_assert_eq!(made == other_root, string == other);
            }
            roots.push((made, string));
            prop_assert_eq!(packer.open(made, &mut opened), &string[..]);
        }
        for (made, string) in roots.into_iter().rev() {
            prop_assert_eq!(packer.open(made, &mut opened), string);
        }
    }
}

proptest! {
    #[test]
    fn roots_are_the_same_exactly_when_strings_are_while_packings_are_added(
        batches in prop::collection::vec((strings(), 1..12_u8), 1..6),
    ) {
        let mut packer = Packer::default();
        let (mut opened, mut escaped, mut table) = (Opened::default(), Vec::new(), RootTable::new());
        let mut roots: HashMap<Vec<u8>, u64> = HashMap::new();
        for (strings, factor) in &batches {
            for string in strings {
                let string: Vec<u8> = string.iter().map(|byte| byte.wrapping_mul(*factor)).collect();
                let made = root(&mut packer, &string, &mut opened);
                if let Some(&before) = roots.get(&string) {
                    prop_assert!(made == before || packer.may_be_old(before));
                    if packer.may_be_old(before) {
                        // A root says nothing of its time, and is taken for one from the beginning.
                        prop_assert_eq!(made, packer.settle(before));
                        prop_assert_eq!(Some(made), packer.find_settled(before));
                    }
                } else {
                    prop_assert!(roots.values().all(|&other| other != made));
                    escaped.extend(Packer::is_escaped(made).then_some(made));
                    if table.insert(made) == Added::Crowded {
                        table.grow();
                        table.insert(made);
                    }
                }
                roots.insert(string.clone(), made);
                prop_assert_eq!(packer.open(made, &mut opened), &string[..]);
            }
            let (n_before, n_escaped) = (table.len(), escaped.len());
            match packer.refit(&mut escaped, &mut table) {
                Renewed::Nothing => prop_assert_eq!(table.len(), n_before),
                Renewed::Escaped(n_renewed) => {
                    prop_assert_eq!(n_escaped - n_renewed, escaped.len());
                    prop_assert_eq!(table.len(), n_before + n_renewed);
                }
                Renewed::All => prop_assert_eq!(table.len(), roots.len()),
            }
            let made: Vec<(Vec<u8>, u64)> = roots.iter().map(|(string, root)| (string.clone(), *root)).collect();
            for (string, before) in made {
                let now = root(&mut packer, &string, &mut opened);
                prop_assert!(now == before || packer.may_be_old(before));
                prop_assert!(table.contains(now));
                prop_assert_eq!(escaped.contains(&now), Packer::is_escaped(now));
                prop_assert_eq!(packer.open(before, &mut opened), &string[..]);
                roots.insert(string, now);
            }
        }
    }
}

#[test]
fn a_state_of_few_varying_bits_is_its_own_root() {
    let state = |number: u32| {
        let mut state = vec![200_u8; 40];
        for (index, byte) in state.iter_mut().enumerate().step_by(2) {
            *byte = (number >> (index / 2) & 1) as u8;
        }
        state
    };
    let sample: Vec<Vec<u8>> = (0..5000).map(|number| state(number * 977)).collect();
    let mut packer = Packer::default();
    packer.fit(&mut sample.iter().map(Vec::as_slice));
    let mut opened = Opened::default();
    for number in 0..1 << 20 {
        root(&mut packer, &state(number), &mut opened);
    }
    assert_eq!(packer.n_words(), 0);
}

#[test]
fn bytes_that_vary_together_are_interned_together() {
    // Twenty bytes that are functions of a counter of ten values, and six of four values that are independent.
    let state = |number: u64| -> Vec<u8> {
        let (counter, rest) = (number % 10, number / 10);
        let together = (0..20).map(|index| (counter * (index + 3) * 37 % 251) as u8);
        together.chain((0..6).map(|index| (rest >> (2 * index) & 3) as u8)).collect()
    };
    let sample: Vec<Vec<u8>> = (0..4000).map(|number| state(number * 977)).collect();
    let mut packer = Packer::default();
    packer.fit(&mut sample.iter().map(Vec::as_slice));
    let mut opened = Opened::default();
    for number in 0..40_000 {
        root(&mut packer, &state(number), &mut opened);
    }
    assert!(packer.n_words() < 1000, "{}", packer.n_words());
}

#[test]
fn states_of_a_few_bytes_need_no_sample() {
    let mut packer = Packer::default();
    let mut opened = Opened::default();
    for length in 0..=7 {
        for byte in [0, 1, 255] {
            let state = vec![byte; length];
            let made = root(&mut packer, &state, &mut opened);
            assert_eq!(packer.open(made, &mut opened), state);
        }
    }
    assert_eq!(packer.n_words(), 0);
}

#[test]
fn a_simple_packing_replaces_the_ones_before_it() {
    let state = |number: u32| {
        let mut state = vec![9_u8; 24];
        state[..4].copy_from_slice(&number.to_le_bytes());
        state
    };
    let mut packer = Packer::default();
    let sample: Vec<Vec<u8>> = (0..64).map(state).collect();
    packer.fit(&mut sample.iter().map(Vec::as_slice));
    let (mut opened, mut table, mut escaped) = (Opened::default(), RootTable::new(), Vec::new());
    // Words beyond the room that the first packing has to spare: all 59 bits are below these.
    let far = |number: u32| state(number).into_iter().rev().collect::<Vec<u8>>();
    for string in (0..100).map(state).chain((0..200).map(far)) {
        let made = root(&mut packer, &string, &mut opened);
        escaped.extend(Packer::is_escaped(made).then_some(made));
        table.insert(made);
    }
    assert!(escaped.len() >= 64, "{}", escaped.len());
    assert_eq!(packer.refit(&mut escaped, &mut table), Renewed::All);
    assert_eq!((table.len(), escaped.len()), (300, 0));
    for string in (0..100).map(state).chain((0..200).map(far)) {
        let made = root(&mut packer, &string, &mut opened);
        assert!(table.contains(made) && !packer.may_be_old(made));
    }
}
