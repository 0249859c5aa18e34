//! Trees against the strings themselves.

use proptest::prelude::*;

use super::OpenTree;
use crate::packing::Intern;
use crate::word_set::WordSet;

/// A set that grows by itself.
struct Words(WordSet);

impl Intern for Words {
    fn code(&mut self, word: u64) -> Option<u32> {
        if word == 0 {
            return Some(0);
        }
        if self.0.intern(word).is_err() {
            self.0.grow();
        }
        self.0.intern(word).ok().map(|number| number + 1)
    }
}

proptest! {
    #[test]
    fn a_string_comes_back_whatever_was_open_when_it_was_folded(
        strings in prop::collection::vec(prop::collection::vec(0..3_u8, 0..70), 1..90),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..3_u8), 0..60),
    ) {
        // Strings with nothing in common, and changed copies of them.
        let mut all = strings;
        for (which, place, byte) in changes {
            let mut copy = all[which.index(all.len())].clone();
            if !copy.is_empty() {
                let place = place.index(copy.len());
                copy[place] = byte;
            }
            all.push(copy);
        }
        let mut words = Words(WordSet::new());
        let mut opened = OpenTree::default();
        let mut roots: Vec<(u64, &[u8])> = Vec::new();
        for string in &all {
            let root = opened.fold(string, &mut words).unwrap();
            for &(other_root, other) in &roots {
                prop_assert_eq!(root == other_root, string == other);
            }
            roots.push((root, string));
            opened.unfold(root, &words.0);
            prop_assert_eq!(opened.state(), &string[..]);
        }
    }
}

#[test]
fn a_small_change_to_a_long_string_adds_a_node_for_each_level() {
    let mut words = Words(WordSet::new());
    let mut opened = OpenTree::default();
    let mut string: Vec<u8> = (0..1016_u32).map(|index| (index % 251) as u8).collect();
    let root = opened.fold(&string, &mut words).unwrap();
    opened.unfold(root, &words.0);
    let n_words = words.0.len();
    string[500] = 255;
    assert_ne!(opened.fold(&string, &mut words).unwrap(), root);
    // 128 leaves: six levels between leaf and root.
    assert_eq!(words.0.len(), n_words + 1 + 6);
}
