//! How states were reached, in a byte and a quarter for each.
//!
//! The states of a breadth-first search have numbers, in the order in which they were first reached. Of each the
//! trail knows the number of the state from which it was reached ([`Parents`], two bits) and which of its steps
//! that was (a byte, and those beyond 254 aside). So the way to a state is read off without looking at any state.

use std::collections::BTreeMap;

use crate::parents::Parents;

/// In place of a choice that does not fit into a byte.
const LARGE: u8 = u8::MAX;
/// Most states: parents have 32 bits.
const MOST: usize = u32::MAX as usize - 1;

/// The way to each state, by its number.
#[derive(Default, Debug)]
pub(crate) struct Trail {
    parents: Parents,
    choices: Vec<u8>,
    large_choices: BTreeMap<usize, u32>,
}

impl Trail {
    /// Adds the next state: the state that was expanded, or none for an initial state, and the index of the step
    /// or initial state. Says whether there was room for it.
    #[inline]
    #[must_use]
    pub(crate) fn push(&mut self, parent: Option<u32>, choice: u32) -> bool {
        let number = self.choices.len();
        self.parents.push(parent);
        self.choices.push(u8::try_from(choice).unwrap_or(LARGE));
        if choice >= u32::from(LARGE) {
            self.large_choices.insert(number, choice);
        }
        number < MOST
    }

    /// The parent of a state and the choice that led to it.
    pub(crate) fn step(&self, number: usize) -> (Option<u32>, u32) {
        let choice = match self.choices[number] {
            LARGE => self.large_choices[&number],
            choice => u32::from(choice),
        };
        (self.parents.get(number), choice)
    }

    /// The choices that lead to a state, the index of the initial state first.
    pub(crate) fn way(&self, number: u32) -> Vec<u32> {
        let mut choices = Vec::new();
        let mut state = Some(number);
        while let Some(number) = state {
            let (parent, choice) = self.step(number as usize);
            choices.push(choice);
            state = parent;
        }
        choices.reverse();
        choices
    }

    /// Number of states.
    pub(crate) fn len(&self) -> usize {
        self.choices.len()
    }

    /// Bytes of memory in use.
    pub(crate) fn bytes(&self) -> usize {
        self.parents.bytes() + self.choices.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_a_state_goes_through_its_parents() {
        let mut trail = Trail::default();
        for (parent, choice) in
            [(None, 0), (None, 1), (Some(0), 300), (Some(1), 2), (Some(1), 254), (Some(2), 255)]
        {
            assert!(trail.push(parent, choice));
        }
        assert_eq!(trail.way(0), [0]);
        assert_eq!(trail.way(3), [1, 2]);
        assert_eq!(trail.way(4), [1, 254]);
        assert_eq!(trail.way(5), [0, 300, 255]);
        assert_eq!(trail.len(), 6);
    }
}
