//! The set against the standard one, alone and shared.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;

/// Words with many equal halves, as pairs of small numbers have.
fn word(number: u64) -> u64 {
    (number % 97) << 32 | (number / 97 + 1)
}

/// Adds words, growing on the way, and gives their numbers.
fn add(set: &mut WordSet, words: impl Iterator<Item = u64>) -> Vec<u32> {
    words
        .map(|word| {
            loop {
                match set.intern(word) {
                    Ok(number) => break number,
                    Err(Crowded) => set.grow(),
                }
            }
        })
        .collect()
}

#[test]
fn numbers_are_given_in_order_and_kept_while_the_set_grows() {
    let mut set = WordSet::new();
    let n_words = 300_000;
    assert_eq!(add(&mut set, (0..n_words).map(word)), (0..n_words as u32).collect::<Vec<_>>());
    assert_eq!(add(&mut set, (0..n_words).map(word)), (0..n_words as u32).collect::<Vec<_>>());
    assert!((0..n_words).all(|number| set.word(number as u32) == word(number)));
    assert!((n_words..2 * n_words).all(|number| set.find(word(number)).is_err()));
    assert_eq!(set.len(), n_words as usize);
}

#[test]
fn a_word_takes_less_than_sixteen_bytes_once_the_set_is_large() {
    let mut set = WordSet::new();
    for n_words in [400_000, 500_000, 700_000, 1_000_000, 1_500_000] {
        let n_before = set.len() as u64;
        add(&mut set, (n_before..n_words).map(word));
        let bytes = set.bytes() as f64 / n_words as f64;
        assert!((12.9..16.0).contains(&bytes), "{bytes} for {n_words}");
    }
}

#[test]
fn the_tag_gives_way_to_the_number_as_the_set_grows() {
    let mut set = WordSet::new();
    assert_eq!((set.number_bits, set.number_mask()), (8, 0xff));
    set.number_bits = 32;
    assert_eq!((set.tag(u64::MAX), set.number_mask()), (0, u32::MAX));
    set.number_bits = 31;
    assert_eq!((set.tag(1), set.number_mask()), (1 << 31, u32::MAX >> 1));
}

#[test]
fn threads_agree_on_the_number_of_every_word() {
    let mut set = WordSet::new();
    set.rebuild(1 << 13);
    let n_words = 60_000_u64;
    let run = |seed: u64| {
        let mut claim = Claim::default();
        let mut n_added = 0;
        let numbers: Vec<u32> = (0..n_words)
            .map(|index| {
                let (number, is_new) =
                    set.intern_shared(word((index + seed * 7) % n_words), &mut claim, 16).unwrap();
                n_added += usize::from(is_new);
                number
            })
            .collect();
        (seed, numbers, n_added, claim.n_unused())
    };
    let results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|seed| scope.spawn(move || run(seed))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let added: usize = results.iter().map(|(_, _, n_added, _)| n_added).sum();
    let unused: usize = results.iter().map(|(_, _, _, n_unused)| n_unused).sum();
    assert_eq!(added, n_words as usize);
    assert_eq!(set.len(), added + unused);
    for (seed, numbers, _, _) in &results {
        for (index, &number) in numbers.iter().enumerate() {
            assert_eq!(set.word(number), word((index as u64 + seed * 7) % n_words));
        }
    }
    // Holes are left out when the table is built again.
    set.grow();
    for index in 0..n_words {
        let number = set.find(word(index)).expect("it was added");
        assert_eq!(set.word(number), word(index));
    }
}

proptest! {
    #[test]
    fn the_set_agrees_with_the_standard_one(words in prop::collection::vec(1..4000_u64, 0..5000)) {
        let mut set = WordSet::new();
        let mut numbers: HashMap<u64, u32> = HashMap::new();
        for word in words {
            let expected = numbers.get(&word).copied();
            prop_assert_eq!(set.find(word).ok(), expected);
            let next = numbers.len() as u32;
            let number = *numbers.entry(word).or_insert(next);
            prop_assert_eq!(add(&mut set, std::iter::once(word)), vec![number]);
        }
    }
}
