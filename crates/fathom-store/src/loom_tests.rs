//! Every interleaving of two threads that add words to the same table.

use loom::sync::Arc;
use loom::thread;

use crate::root_table::{Added, RootTable};
use crate::word_set::{Claim, WordSet};

/// Two threads add words; then both words of each thread have one number, and the number leads to the word.
fn check(first: [u64; 2], second: [u64; 2]) {
    loom::model(move || {
        let set = Arc::new(WordSet::new());
        let add = |set: &WordSet, words: [u64; 2]| {
            let mut claim = Claim::default();
            words.map(|word| {
                let (number, is_new) = set.intern_shared(word, &mut claim, 2).expect("there is room");
                // Whoever learns a number can read the word, however it was added.
                assert_eq!(set.word(number), word);
                (number, is_new)
            })
        };
        let shared = Arc::clone(&set);
        let other = thread::spawn(move || add(&shared, second));
        let mine = add(&set, first);
        let theirs = other.join().expect("no panic");
        for (mine, word) in mine.iter().zip(first) {
            for (theirs, other) in theirs.iter().zip(second) {
                assert_eq!(mine.0 == theirs.0, word == other, "one number for one word");
                assert!(word != other || mine.1 != theirs.1, "one of them was first");
            }
            assert_eq!(set.find(word).ok(), Some(mine.0));
        }
    });
}

#[test]
fn the_same_new_words_get_one_number_each() {
    check([5, 6], [5, 6]);
    check([5, 6], [6, 5]);
}

#[test]
fn different_new_words_get_different_numbers() {
    check([5, 6], [7, 5]);
}

/// Two threads add roots to one bucket; each root is new to exactly one of them, and there in the end.
fn check_roots(table: fn() -> RootTable) {
    loom::model(move || {
        let table = Arc::new(table());
        let add = |table: &RootTable, roots: [u64; 2]| {
            let mut claim = 0;
            let is_new = roots.map(|root| table.insert_shared(root, &mut claim, 2) == Added::New);
            table.give_up(&mut claim);
            is_new
        };
        let shared = Arc::clone(&table);
        let other = thread::spawn(move || add(&shared, [5, 6]));
        let mine = add(&table, [6, 5]);
        let theirs = other.join().expect("no panic");
        assert!(mine[0] != theirs[1] && mine[1] != theirs[0]);
        assert!(table.contains(5) && table.contains(6));
        assert_eq!(table.len(), 2);
    });
}

#[test]
fn of_two_threads_with_the_same_new_root_one_is_first() {
    check_roots(RootTable::new);
    check_roots(RootTable::new_with_half_slots);
}
