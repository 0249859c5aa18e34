//! Last-first search: of what was reached and not expanded, the last comes next.
//!
//! Like breadth-first search, it remembers every state the moment it is reached; like depth-first search, it goes on from
//! what it reached last. That is not depth-first in the strict sense: a state belongs to the first branch that
//! reached it, though that branch may come to it late. With regions this is an advantage: what is reached can be swallowed by a larger
//! region before its turn comes, and is then never expanded. It is what checkers of timed automata call depth-first
//! search of a zone graph with a waiting list (Behrmann, Hune and Vaandrager, "Distributing Timed Model Checking", CAV
//! 2000, discuss how much the order matters for the number of zones).

use fathom_model::{Region, Steps, Stop, System};
use fathom_store::{ExactStore, Keep, PackedStore, PlainParts, StateId, Store};

use crate::best_first::{Node, way_to};
use crate::frontier::{Frontier, Reached};
use crate::options::{Monitor, Options};
use crate::outcome::Outcome;
use crate::sample::fit_to_sample;
use crate::search::search;

/// Explores last-first, always with an exact store.
pub fn last_first<S: System>(system: &S, options: &Options, monitor: &mut dyn Monitor) -> Outcome {
    if size_of::<S::Region>() == 0 && options.max_depth.is_none() {
        let mut store: PackedStore<S::Region> = PackedStore::new();
        fit_to_sample(system, &mut store);
        return search(system, &mut store, &mut Pile::new(), options, monitor);
    }
    let keep = if size_of::<S::Region>() == 0 { Keep::Depths } else { Keep::Covered };
    let mut store: ExactStore<S::Region, PlainParts> = ExactStore::new(keep);
    search(system, &mut store, &mut Pile::new(), options, monitor)
}

/// A pile of states, for a store that recalls them.
#[derive(Debug)]
pub struct Pile<R: Region, St: Store<R>> {
    nodes: Vec<Node>,
    /// Numbers of nodes that wait, the last one on top.
    waiting: Vec<u32>,
    current: Option<u32>,
    opened: St::Opened,
}

impl<R: Region, St: Store<R>> Pile<R, St> {
    /// An empty pile.
    pub fn new() -> Pile<R, St> {
        Pile { nodes: Vec::new(), waiting: Vec::new(), current: None, opened: St::Opened::default() }
    }

    fn id(&self) -> StateId {
        self.nodes[self.current.expect("a frontier stands at a state") as usize].id
    }
}

impl<R: Region, St: Store<R>> Default for Pile<R, St> {
    fn default() -> Pile<R, St> {
        Pile::new()
    }
}

impl<R: Region, St: Store<R>> Frontier<R, St> for Pile<R, St> {
    fn add<L>(&mut self, steps: &Steps<R, L>, depth: u32, reached: &mut Reached<'_, St>) -> Result<(), Stop> {
        let parent = self.current.map_or(0, |current| current + 1);
        for index in 0..steps.len() {
            let key = reached.key(steps.state(index), &mut self.opened)?;
            if let Some(id) = reached.insert(key, steps.state(index), steps.region(index), depth)? {
                let number = u32::try_from(self.nodes.len()).ok().filter(|&number| number < u32::MAX);
                self.waiting.push(number.ok_or(Stop::Memory)?);
                self.nodes.push(Node { id, parent, choice: index as u32, depth });
            }
        }
        Ok(())
    }

    fn flush(&mut self, _: &mut Reached<'_, St>) -> Result<(), Stop> {
        Ok(())
    }

    fn n_held_back(&self) -> usize {
        0
    }

    fn next(&mut self, reached: &mut Reached<'_, St>) -> Result<bool, Stop> {
        while let Some(number) = self.waiting.pop() {
            if !reached.may_skip(self.nodes[number as usize].id) {
                self.current = Some(number);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn current<'a>(&'a mut self, store: &'a St) -> (&'a [u8], &'a R) {
        let id = self.id();
        store.open(id, &mut self.opened)
    }

    fn key(&mut self, state: &[u8], store: &mut St) -> Option<St::Key> {
        store.key(state, &mut self.opened)
    }

    fn depth(&self) -> u32 {
        self.current.map_or(0, |current| self.nodes[current as usize].depth)
    }

    fn way(&self) -> Vec<u32> {
        way_to(&self.nodes, self.current)
    }

    fn n_pending(&self) -> usize {
        self.waiting.len()
    }

    fn trail_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
    }

    fn bytes(&self) -> usize {
        self.trail_bytes() + self.waiting.capacity() * size_of::<u32>()
    }
}
