//! Trees against the strings themselves.

use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn a_string_comes_back_whatever_was_open_when_its_key_was_made(
        strings in prop::collection::vec(prop::collection::vec(0..3_u8, 0..70), 1..90),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..3_u8), 0..60),
        is_fitted: bool,
    ) {
        let mut parts = TreeParts::default();
        if is_fitted {
            parts.fit(&mut strings.iter().map(Vec::as_slice));
        }
        let mut opened = OpenTree::default();
        let mut stored: Vec<Vec<u8>> = Vec::new();
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
        for string in &all {
            let key = loop {
                match parts.key(string, &mut opened) {
                    Some(key) => break key,
                    None => parts.grow_for_keys(),
                }
            };
            let expected = stored.iter().position(|other| other == string);
            let number = match parts.find(key, string) {
                Ok(number) => number,
                Err(vacant) => {
                    stored.push(string.clone());
                    parts.fill(vacant, key, string)
                }
            };
            prop_assert_eq!(number as usize, expected.unwrap_or(stored.len() - 1));
            prop_assert_eq!(parts.open(number, &mut opened), &string[..]);
        }
        prop_assert_eq!(parts.len(), stored.len());
    }
}

#[test]
fn a_small_change_to_a_long_string_adds_a_node_for_each_level() {
    let mut parts = TreeParts::default();
    let mut opened = OpenTree::default();
    let mut string: Vec<u8> = (0..1016_u32).map(|index| (index % 251) as u8).collect();
    let key = parts.key(&string, &mut opened).unwrap();
    let vacant = parts.find(key, &string).unwrap_err();
    let number = parts.fill(vacant, key, &string);
    let (leaves, pairs) = parts.n_nodes();
    parts.open(number, &mut opened);
    string[500] = 255;
    assert_ne!(parts.key(&string, &mut opened).unwrap(), key);
    // 128 leaves: six levels between leaf and root.
    assert_eq!(parts.n_nodes(), (leaves + 1, pairs + 6));
}
