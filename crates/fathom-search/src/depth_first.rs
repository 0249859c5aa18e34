//! Depth-first search: always on from the state reached last.
//!
//! The stack is the current path. Each state on it has the steps that were not tried yet and were not known
//! when it was expanded. All of these lie in one buffer, the last state's on top: taking the next one pops
//! it, so that memory is the path and what is still to be tried beside it, nothing is allocated for a step,
//! and a chain a million states long takes no more than its path. (Expanding a state again for each of its
//! steps would save the buffer and cost a factor of time; undoing steps, as Spin does, needs systems that
//! can run backwards.) A state is remembered when its turn comes and not before, which is what makes the
//! order truly depth-first.
//!
//! With a bound on depth, a state first met near the bound may come back on a shorter way with more of its
//! future within the bound. The store keeps the least depth of each state and calls a state new that comes
//! back at a smaller one; the search then goes through it again. That can take many times longer than a
//! search without bound, but misses nothing within the bound.

use fathom_model::{Region, Steps, Stop, System};
use fathom_store::{ExactStore, Keep, StateId, Store};

use crate::frontier::{Frontier, Reached};
use crate::options::{Monitor, Options};
use crate::outcome::Outcome;
use crate::random::Random;
use crate::search::search;

/// Explores depth-first with an exact store.
pub fn depth_first<S: System>(
    system: &S,
    order: Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Outcome {
    let keep = if options.max_depth.is_some() { Keep::Depths } else { Keep::States };
    search(system, &mut ExactStore::new(keep), &mut Stack::new(order), options, monitor)
}

/// The order in which the steps that leave a state are tried.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Order {
    /// The order of the system.
    #[default]
    AsGiven,
    /// At random, the same for the same seed.
    Random {
        /// The seed.
        seed: u64,
    },
}

/// The current path, with what is still to be tried beside it.
#[derive(Clone, Debug)]
pub struct Stack<R> {
    random: Option<Random>,
    path: Vec<OnPath>,
    /// Steps to be tried: those of the initial states first, then those of each state on the path.
    untried: Vec<Untried<R>>,
    /// Their explicit parts, in the same order.
    bytes: Vec<u8>,
    /// Bytes that the regions of untried steps hold elsewhere.
    region_heap: usize,
    /// Reused for the order of steps.
    order: Vec<u32>,
}

/// A state on the current path.
#[derive(Clone, Debug)]
struct OnPath {
    /// Index of the step, or initial state, that led to it.
    choice: u32,
    /// Number of untried steps that belong to the states before it.
    n_below: usize,
}

#[derive(Clone, Debug)]
struct Untried<R> {
    /// Index of the step, or initial state.
    choice: u32,
    /// Where the explicit part starts; it ends where the next one starts.
    start: usize,
    region: R,
}

impl<R: Region> Stack<R> {
    /// An empty stack.
    pub fn new(order: Order) -> Stack<R> {
        let random = match order {
            Order::AsGiven => None,
            Order::Random { seed } => Some(Random::new(seed)),
        };
        Stack {
            random,
            path: Vec::new(),
            untried: Vec::new(),
            bytes: Vec::new(),
            region_heap: 0,
            order: Vec::new(),
        }
    }
}

impl<R: Region> Frontier<R> for Stack<R> {
    fn add<L, St: Store<R>>(
        &mut self,
        _: Option<StateId>,
        steps: &Steps<R, L>,
        depth: u32,
        reached: &mut Reached<'_, St>,
    ) -> Result<(), Stop> {
        self.order.clear();
        // The last one added is the first one taken.
        self.order.extend((0..steps.len() as u32).rev());
        if let Some(random) = &mut self.random {
            random.shuffle(&mut self.order);
        }
        for &choice in &self.order {
            let (state, region) = (steps.state(choice as usize), steps.region(choice as usize));
            // What is known now will still be known when its turn comes.
            if reached.knows(state, region, depth) {
                continue;
            }
            self.region_heap += region.heap_size();
            self.untried.push(Untried { choice, start: self.bytes.len(), region: region.clone() });
            self.bytes.extend_from_slice(state);
        }
        Ok(())
    }

    fn next<St: Store<R>>(&mut self, reached: &mut Reached<'_, St>) -> Result<Option<StateId>, Stop> {
        loop {
            let n_below = self.path.last().map_or(0, |last| last.n_below);
            if self.untried.len() == n_below {
                if self.path.pop().is_none() {
                    return Ok(None);
                }
                continue;
            }
            let Some(Untried { choice, start, region }) = self.untried.pop() else {
                return Ok(None);
            };
            self.region_heap -= region.heap_size();
            let inserted = reached.insert(&self.bytes[start..], &region, None, self.path.len() as u32)?;
            self.bytes.truncate(start);
            if let Some(id) = inserted {
                self.path.push(OnPath { choice, n_below: self.untried.len() });
                return Ok(Some(id));
            }
        }
    }

    fn depth(&self) -> u32 {
        self.path.len().saturating_sub(1) as u32
    }

    fn path(&self) -> Option<Vec<u32>> {
        Some(self.path.iter().map(|state| state.choice).collect())
    }

    fn n_pending(&self) -> usize {
        self.untried.len()
    }

    fn bytes(&self) -> usize {
        self.path.capacity() * size_of::<OnPath>()
            + self.untried.capacity() * size_of::<Untried<R>>()
            + self.bytes.capacity()
            + self.order.capacity() * size_of::<u32>()
            + self.region_heap
    }
}
