//! Breadth-first search: states in the order in which they were first reached.
//!
//! A store that keeps parents gives out ids in order and without gaps, so the queue needs no memory: it is
//! the range of ids between the one expanded last and the one given out last. Traces to evidence are
//! shortest when there are no regions; with regions, a state that is swallowed by one of the next level is
//! skipped, which may cost a step.

use fathom_model::{Region, Steps, Stop, System};
use fathom_store::{ExactStore, Keep, StateId, Store};

use crate::frontier::{Frontier, Reached};
use crate::options::{Monitor, Options};
use crate::outcome::Outcome;
use crate::search::search;

/// Explores breadth-first with an exact store.
pub fn breadth_first<S: System>(system: &S, options: &Options, monitor: &mut dyn Monitor) -> Outcome {
    let mut store = ExactStore::new(Keep::Parents);
    search(system, &mut store, &mut Queue::new(), options, monitor)
}

/// A queue of states, for a store that gives out ids in order.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    /// Index of the next id to expand.
    next: usize,
    /// One past the last index at the depth of `next`.
    level_end: usize,
    /// One past the last index reached.
    end: usize,
    /// Depth of the state expanded last.
    depth: u32,
}

impl Queue {
    /// An empty queue.
    pub fn new() -> Queue {
        Queue::default()
    }
}

impl<R: Region> Frontier<R> for Queue {
    #[inline]
    fn add<L, St: Store<R>>(
        &mut self,
        from: Option<StateId>,
        steps: &Steps<R, L>,
        depth: u32,
        reached: &mut Reached<'_, St>,
    ) -> Result<(), Stop> {
        for index in 0..steps.len() {
            if let Some(id) = reached.insert(steps.state(index), steps.region(index), from, depth)? {
                debug_assert_eq!(id.index(), self.end, "a queue needs a store that keeps parents");
                self.end += 1;
            }
        }
        if from.is_none() {
            self.level_end = self.end;
        }
        Ok(())
    }

    #[inline]
    fn next<St: Store<R>>(&mut self, reached: &mut Reached<'_, St>) -> Result<Option<StateId>, Stop> {
        while self.next < self.end {
            if self.next == self.level_end {
                self.depth += 1;
                self.level_end = self.end;
            }
            let id = StateId::from_index(self.next);
            self.next += 1;
            if !reached.may_skip(id) {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    fn depth(&self) -> u32 {
        self.depth
    }

    fn path(&self) -> Option<Vec<u32>> {
        None
    }

    fn n_pending(&self) -> usize {
        self.end - self.next
    }

    fn bytes(&self) -> usize {
        0
    }
}
