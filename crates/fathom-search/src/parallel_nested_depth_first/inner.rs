//! The inner search of one thread: is there a way from an accepting state back onto the path?
//!
//! What it sees is red in the end, and only then: another thread may be on its way from an accepting state that is among it, and must
//! find the way back that leads through here. So this thread waits until those states are red. Two threads that waited for each
//! other would both be on one cycle, which one of them would have closed (proved by Evangelista and others, 2012).

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use fathom_model::{Accepting, NoRegion};

use super::End;
use super::outer::Worker;
use crate::lasso::Mixed;

/// Bytes for a state that is seen: a slot of a table that is half full on average, and one of those that wait.
pub(super) const BYTES_PER_STATE: usize = 32;

/// What an inner search has seen.
#[derive(Default, Debug)]
struct Inside {
    /// Keys in the red store.
    seen: HashSet<u64, BuildHasherDefault<Mixed>>,
    accepting: Vec<u64>,
    /// For each expanded state on the way: the choice that led to it, and the number of waiting ones below it.
    path: Vec<(u32, usize)>,
    waiting: Vec<(u64, u32)>,
}

impl<S: Accepting<Region = NoRegion>> Worker<'_, S> {
    /// Looks for a way from the current state, the last on the path, back onto the path; then marks what it saw red.
    pub(super) fn search_inside(&mut self) -> Result<(), End> {
        let component = self.shared.system.component(&self.current);
        self.blue.rest();
        let seed = self.red.key(&self.current)?;
        let mut inside = Inside::default();
        inside.seen.insert(seed);
        self.expand_inside(&mut inside, component, None)?;
        loop {
            let n_below = inside.path.last().map_or(0, |last| last.1);
            if inside.waiting.len() > n_below {
                let Some((key, choice)) = inside.waiting.pop() else { break };
                let mut current = std::mem::take(&mut self.current);
                self.on_red().open(key, &mut current);
                self.current = current;
                inside.path.push((choice, inside.waiting.len()));
                self.expand_inside(&mut inside, component, Some(key))?;
            } else if inside.path.pop().is_none() {
                break;
            }
        }
        self.wait_for_red(&inside.accepting)?;
        let mut keys: Vec<u64> = inside.seen.into_iter().collect();
        // In an order that does not depend on a table.
        keys.sort_unstable();
        for key in keys {
            self.on_red().insert(key)?;
        }
        self.n_inside = 0;
        Ok(())
    }

    /// Expands the current state of an inner search, which has this key unless it is where the search began.
    fn expand_inside(&mut self, inside: &mut Inside, component: u32, key: Option<u64>) -> Result<(), End> {
        self.expand_current()?;
        if let Some(key) = key
            && self.is_current_accepting()
        {
            inside.accepting.push(key);
        }
        for choice in 0..self.steps.len() {
            if self.shared.system.component(self.steps.state(choice)) != component {
                continue;
            }
            if let Some(position) = self.position(choice) {
                let choices: Vec<u32> =
                    inside.path.iter().map(|(choice, _)| *choice).chain([choice as u32]).collect();
                return self.close(position, &choices);
            }
        }
        self.blue.rest();
        for choice in 0..self.steps.len() {
            if self.shared.system.component(self.steps.state(choice)) != component {
                continue;
            }
            let key = self.red.key(self.steps.state(choice))?;
            if !self.red.knows(key) && inside.seen.insert(key) {
                inside.waiting.push((key, choice as u32));
            }
        }
        self.n_inside = inside.seen.len();
        Ok(())
    }

    /// Waits until the threads that look from these states are done with them.
    fn wait_for_red(&mut self, keys: &[u64]) -> Result<(), End> {
        for &key in keys {
            while !self.on_red().knows(key) {
                self.look()?;
                std::thread::yield_now();
            }
        }
        Ok(())
    }
}
