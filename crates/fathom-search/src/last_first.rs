//! Last-first search: of what was reached and not expanded, the last comes next.
//!
//! Like breadth-first search, it remembers every state the moment it is reached; like depth-first search, it goes on from
//! what it reached last. That is not depth-first in the strict sense: a state belongs to the first branch that
//! reached it, though that branch may come to it late. With regions this is an advantage: what is reached can be swallowed by a larger
//! region before its turn comes, and is then never expanded. It is what checkers of timed automata call depth-first
//! search of a zone graph with a waiting list (Behrmann, Hune and Vaandrager, "Distributing Timed Model Checking", CAV
//! 2000, discuss how much the order matters for the number of zones).

use fathom_model::{Region, System};
use fathom_store::{ExactStore, Keep, PackedStore, PlainParts};

use crate::options::{Monitor, Options};
use crate::ordered::{Arrival, Ordered, TakesTurns};
use crate::outcome::Outcome;
use crate::sample::fit_to_sample;
use crate::search::search;

/// Explores last-first, always with an exact store.
pub fn last_first<S: System>(system: &S, options: &Options, monitor: &mut dyn Monitor) -> Outcome {
    if size_of::<S::Region>() == 0 && options.max_depth.is_none() {
        let mut store: PackedStore<S::Region> = PackedStore::new();
        fit_to_sample(system, options, &mut store);
        return search(system, &mut store, &mut Ordered::new(Pile::default()), options, monitor);
    }
    let keep = if size_of::<S::Region>() == 0 { Keep::Depths } else { Keep::Covered };
    let mut store: ExactStore<S::Region, PlainParts> = ExactStore::new(keep);
    search(system, &mut store, &mut Ordered::new(Pile::default()), options, monitor)
}

/// A pile of states that wait, the last one on top.
#[derive(Debug, Default)]
pub struct Pile(Vec<u32>);

impl<R: Region> TakesTurns<R> for Pile {
    const LOOKS_BACK: bool = false;

    fn put(&mut self, number: u32, _: Arrival<'_, R>) {
        self.0.push(number);
    }

    fn take(&mut self) -> Option<u32> {
        self.0.pop()
    }

    fn n_waiting(&self) -> usize {
        self.0.len()
    }

    fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<u32>()
    }
}
