//! Composite states by number: for looking at a graph of states as a graph.
//!
//! Two composite states are the same when their bytes are and their regions include each other; nothing is dropped because something larger is known, so
//! that every way through the graph is a way through the system, choice by choice.

use std::collections::HashMap;

use fathom_model::{Region, Steps, System};

/// Composite states, in the order in which they were seen first.
#[derive(Debug)]
pub(crate) struct Numbering<R> {
    pub states: Vec<(Vec<u8>, R)>,
    by_bytes: HashMap<Vec<u8>, Vec<usize>>,
}

impl<R: Region> Numbering<R> {
    pub fn new() -> Numbering<R> {
        Numbering { states: Vec::new(), by_bytes: HashMap::new() }
    }

    /// The number of a composite state, and whether it is new.
    pub fn number(&mut self, state: &[u8], region: &R) -> (usize, bool) {
        if let Some(alike) = self.by_bytes.get(state) {
            let is_same = |&&number: &&usize| {
                let known = &self.states[number].1;
                known.includes(region) && region.includes(known)
            };
            if let Some(&number) = alike.iter().find(is_same) {
                return (number, false);
            }
        }
        let number = self.states.len();
        self.states.push((state.to_vec(), region.clone()));
        self.by_bytes.entry(state.to_vec()).or_default().push(number);
        (number, true)
    }

    /// The initial composite states, by number.
    pub fn initial<S: System<Region = R>>(&mut self, system: &S) -> Vec<usize> {
        let mut begin = Steps::new();
        system.initial(&mut system.scratch(), &mut begin);
        (0..begin.len()).map(|index| self.number(begin.state(index), begin.region(index)).0).collect()
    }
}
