//! Bits that a path has changed, and what they have become.
//!
//! A list in the order of the bits: paths change few bits, mostly from the first to the last, and are kept by the thousand, so that
//! a list takes less time and memory than a tree.

use fathom_diagram::Diagram;

/// Functions by the numbers of bits.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct ChangedBits {
    /// In order of their numbers.
    list: Vec<(u32, Diagram)>,
}

impl ChangedBits {
    fn place(&self, bit: u32) -> Result<usize, usize> {
        // New bits come last as a rule.
        match self.list.last() {
            Some((last, _)) if *last >= bit => self.list.binary_search_by_key(&bit, |(of, _)| *of),
            _ => Err(self.list.len()),
        }
    }

    /// What a bit has become, if it has changed.
    pub fn get(&self, bit: u32) -> Option<&Diagram> {
        self.place(bit).ok().map(|place| &self.list[place].1)
    }

    /// Whether a bit has changed.
    pub fn contains(&self, bit: u32) -> bool {
        self.place(bit).is_ok()
    }

    /// A bit becomes a function.
    pub fn insert(&mut self, bit: u32, function: Diagram) {
        match self.place(bit) {
            Ok(place) => self.list[place].1 = function,
            Err(place) => self.list.insert(place, (bit, function)),
        }
    }

    /// A bit is what it was.
    pub fn remove(&mut self, bit: u32) {
        if let Ok(place) = self.place(bit) {
            self.list.remove(place);
        }
    }

    /// Whether there are bits from this one on.
    pub fn reaches(&self, bit: u32) -> bool {
        self.list.last().is_some_and(|(last, _)| *last >= bit)
    }

    /// Forgets all bits from this one on.
    pub fn truncate(&mut self, bit: u32) {
        let n_before = self.list.partition_point(|(of, _)| *of < bit);
        self.list.truncate(n_before);
    }

    /// Number of bits that have changed.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The bits with what they have become, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Diagram)> {
        self.list.iter().map(|(bit, function)| (*bit, function))
    }
}

/// Of bits that are all different.
impl FromIterator<(u32, Diagram)> for ChangedBits {
    fn from_iter<I: IntoIterator<Item = (u32, Diagram)>>(bits: I) -> ChangedBits {
        let mut list: Vec<(u32, Diagram)> = bits.into_iter().collect();
        list.sort_by_key(|(bit, _)| *bit);
        debug_assert!(list.windows(2).all(|pair| pair[0].0 < pair[1].0), "a bit is one function");
        ChangedBits { list }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use fathom_diagram::{Diagrams, Room};

    use super::*;

    /// Against a tree, bits coming and going in an order that jumps about.
    #[test]
    fn a_list_of_bits_is_what_a_tree_of_them_is() {
        let diagrams = Diagrams::new(Room { nodes: 1 << 12 });
        let (mut list, mut tree) = (ChangedBits::default(), BTreeMap::new());
        for time in 0..400u32 {
            let bit = time * 37 % 64;
            match time * 13 % 7 {
                0 => {
                    list.remove(bit);
                    tree.remove(&bit);
                }
                1 if time % 5 == 0 => {
                    assert_eq!(list.reaches(bit), tree.range(bit..).next().is_some());
                    list.truncate(bit);
                    tree.split_off(&bit);
                }
                _ => {
                    list.insert(bit, diagrams.constant(time % 2 == 0));
                    tree.insert(bit, diagrams.constant(time % 2 == 0));
                }
            }
            assert!(list.iter().eq(tree.iter().map(|(bit, function)| (*bit, function))));
            assert_eq!((list.get(bit), list.contains(bit)), (tree.get(&bit), tree.contains_key(&bit)));
            assert_eq!(list, tree.iter().rev().map(|(bit, function)| (*bit, function.clone())).collect());
        }
        assert_eq!(list.len(), tree.len());
    }
}
