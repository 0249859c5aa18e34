//! Pruned searches that are not depth-first: the oldest state first, or the one that a heuristic likes best.
//!
//! Source: Ernits, *Two State Space Reduction Techniques for Explicit State Model Checking* (2007), chapter 4 and section
//! 5.1: with a table far too small, breadth-first search fills it near the initial state, and depth-first search, which
//! runs into far corners, is nearly always better; the order is worth having for comparison, and as *cheapest first* with
//! a cost that grows along a path. A bit is set when a state is generated, since its turn may never come.
//!
//! Every state that got a bit is kept until its turn, and how it was reached until the end: as many entries as the
//! table has bits at most.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fathom_model::{Region, System};

use crate::pruned::{Ended, Observer, Pruner, ThrowOrder, Told};
use crate::race::bytes_of_region;
use crate::way::Hop;

/// How a state was reached.
#[derive(Clone, Copy)]
struct Reached {
    /// The state before; the state itself for an initial one.
    parent: u32,
    choice: u32,
    depth: u32,
}

/// A state that waits for its turn.
struct Waiting<R> {
    state: Vec<u8>,
    region: R,
}

/// A search under way.
pub(crate) struct Wide<R> {
    reached: Vec<Reached>,
    waiting: Vec<Option<Waiting<R>>>,
    /// Estimate and number of the state: the smallest comes first, the oldest of equals.
    open: BinaryHeap<Reverse<(u32, u32)>>,
    bytes: usize,
}

impl<R: Region> Wide<R> {
    /// A search that has not begun.
    pub fn new() -> Wide<R> {
        Wide { reached: Vec::new(), waiting: Vec::new(), open: BinaryHeap::new(), bytes: 0 }
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.bytes + self.reached.len() * (size_of::<Reached>() + size_of::<Option<Waiting<R>>>())
    }

    fn clear(&mut self) {
        self.reached.clear();
        self.waiting.clear();
        self.open.clear();
        self.bytes = 0;
    }

    fn add(&mut self, parent: Option<u32>, choice: u32, estimate: u32, state: &[u8], region: &R) {
        let number = self.reached.len() as u32;
        let depth = parent.map_or(0, |parent| self.reached[parent as usize].depth + 1);
        self.reached.push(Reached { parent: parent.unwrap_or(number), choice, depth });
        self.bytes += state.len();
        self.waiting.push(Some(Waiting { state: state.to_vec(), region: region.clone() }));
        self.open.push(Reverse((estimate, number)));
    }

    /// A state whose turn it is.
    fn take(&mut self, number: u32) -> Option<Waiting<R>> {
        let taken = self.waiting[number as usize].take();
        self.bytes -= taken.as_ref().map_or(0, |taken| taken.state.len());
        taken
    }

    /// The choices that lead to a state, the first of which is the initial state.
    fn path(&self, to: u32) -> Vec<Hop> {
        let mut path = Vec::new();
        let mut at = &self.reached[to as usize];
        loop {
            path.push(Hop::among_all(at.choice as usize));
            if at.depth == 0 {
                break;
            }
            at = &self.reached[at.parent as usize];
        }
        path.reverse();
        path
    }
}

impl<S: System> Pruner<'_, S> {
    /// A search in the order of the throw from the initial states in the buffer of steps.
    pub(crate) fn run_wide<O: Observer>(&mut self, told: &mut Told<'_, O>) -> Ended {
        self.wide.clear();
        self.file_wide(None, told);
        let mut n_bytes = 0;
        while let Some(Reverse((_, number))) = self.wide.open.pop() {
            let Some(next) = self.wide.take(number) else { continue };
            let depth = self.wide.reached[number as usize].depth;
            self.steps.clear();
            self.system.successors(&next.state, &next.region, &mut self.scratch, &mut self.steps);
            self.thrown.n_transitions += self.steps.len() as u64;
            self.thrown.max_depth = self.thrown.max_depth.max(depth);
            if let Some(found) = self.first_wanted(told, depth) {
                return Self::found(self.wide.path(number).into_iter(), found);
            }
            n_bytes += 64 + (next.state.len() + bytes_of_region::<S::Region>()) * (1 + self.steps.len());
            if !self.goes_on(&mut n_bytes, told.watch) {
                return Ended::GaveUp;
            }
            if depth < told.throw.max_depth {
                self.file_wide(Some(number), told);
            }
        }
        Ended::Exhausted
    }

    /// Gives a bit to every step in the buffer that has none, and lets it wait for its turn.
    fn file_wide<O: Observer>(&mut self, parent: Option<u32>, told: &mut Told<'_, O>) {
        self.order.clear();
        self.order.extend(0..self.steps.len() as u32);
        if let Some(random) = &mut told.random {
            random.shuffle(&mut self.order);
        }
        let heuristic = self.heuristic.filter(|_| told.throw.order == ThrowOrder::Cheapest);
        for &choice in &self.order {
            let (state, region) = (self.steps.state(choice as usize), self.steps.region(choice as usize));
            let place = self.table.place(state, region.fingerprint());
            let is_new = self.table.set(place);
            told.observer.generated(place, state, is_new);
            if !is_new {
                self.thrown.n_matched += 1;
                continue;
            }
            self.thrown.n_stored += 1;
            told.observer.entered(state);
            let estimate = heuristic.map_or(0, |heuristic| heuristic.estimate(state, region));
            self.wide.add(parent, choice, estimate, state, region);
        }
    }
}
