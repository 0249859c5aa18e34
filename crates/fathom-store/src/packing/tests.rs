//! Packing against the strings themselves.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::root_table::{Added, RootTable};

fn root(packer: &mut Packer, state: &[u8], near: &mut Opened) -> u64 {
    loop {
        match packer.root(state, near) {
            Some(key) if packer.may_be_old(key) => return packer.settle(key),
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

/// Inserts a root that is missing.
fn insert(table: &mut RootTable, root: u64) {
    if table.insert(root) == Added::Crowded {
        table.grow();
        table.insert(root);
    }
}

proptest! {
    #[test]
    fn roots_are_the_same_exactly_when_strings_are_while_packings_are_replaced(
        batches in prop::collection::vec((strings(), 1..12_u8), 1..6),
    ) {
        let mut packer = Packer::default();
        let (mut opened, mut escapes, mut table) = (Opened::default(), Escapes::default(), RootTable::new());
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
                    insert(&mut table, made);
                }
                roots.insert(string.clone(), made);
                prop_assert_eq!(packer.open(made, &mut opened), &string[..]);
            }
            packer.refit(&mut escapes, &mut table);
            prop_assert_eq!(table.len(), roots.len());
            let made: Vec<(Vec<u8>, u64)> = roots.iter().map(|(string, root)| (string.clone(), *root)).collect();
            for (string, before) in made {
                let now = root(&mut packer, &string, &mut opened);
                prop_assert!(now == before || packer.may_be_old(before));
                prop_assert!(table.contains(now));
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

/// A state in which every byte of the first 40 takes one of 16 values.
fn wide_state(number: u64) -> Vec<u8> {
    let mut state = vec![9_u8; 50];
    let mut mixed = number;
    for byte in &mut state[..40] {
        mixed = mixed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *byte = (mixed >> 60) as u8;
    }
    state
}

#[test]
fn what_was_never_seen_before_changes_no_root() {
    let mut packer = Packer::default();
    let mut opened = Opened::default();
    let state = |number: u32| {
        let mut state = vec![9_u8; 24];
        state[..4].copy_from_slice(&number.to_le_bytes());
        state[20..].copy_from_slice(&number.wrapping_mul(3).to_le_bytes());
        state
    };
    let numbers = [0, 1, 2, 3, 7, 255, 256, 1000, 70_000, 1 << 24, u32::MAX];
    let roots = numbers.map(|number| root(&mut packer, &state(number), &mut opened));
    assert_eq!(packer.n_words(), 0, "all in the root");
    for (number, made) in numbers.into_iter().zip(roots) {
        assert_eq!(root(&mut packer, &state(number), &mut opened), made);
        assert!(!packer.may_be_old(made));
        assert_eq!(packer.open(made, &mut opened), state(number));
    }
}

#[test]
fn states_that_escape_get_a_packing_with_more_room() {
    let mut packer = Packer::default();
    let (mut opened, mut escapes, mut table) = (Opened::default(), Escapes::default(), RootTable::new());
    // Only as many as the 16 values of the first bytes times the number of a pattern for the rest.
    let state = |number: u64| {
        let mut state = wide_state(number % 300);
        state[0] = (number / 300) as u8;
        state
    };
    for number in 0..3000 {
        let made = root(&mut packer, &state(number), &mut opened);
        if Packer::is_escaped(made) {
            escapes.add();
        }
        insert(&mut table, made);
    }
    assert!(escapes.are_many());
    packer.refit(&mut escapes, &mut table);
    assert!(!escapes.are_many());
    assert_eq!(table.len(), 3000);
    for number in 0..3000 {
        let made = root(&mut packer, &state(number), &mut opened);
        assert!(table.contains(made) && !packer.may_be_old(made), "packed, and not a tree");
    }
    // One word for each pattern of the group, besides the words of trees.
    assert!(packer.packings.groups().map(WordSet::len).sum::<usize>() <= 3000);
}
