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
//! What waits is kept as keys, eight bytes each with a compressed store, and the explicit parts only where the
//! store needs them. The successors of a state are looked up together, so that the memory that they need is on
//! its way while their keys are still being made.
//!
//! With a bound on depth, a state first met near the bound may come back on a shorter way with more of its
//! future within the bound. The store keeps the least depth of each state and calls a state new that comes
//! back at a smaller one; the search then goes through it again. That can take many times longer than a
//! search without bound, but misses nothing within the bound.

use fathom_model::{Region, Steps, Stop, System};
use fathom_store::{BitstateStore, CompactStore, ExactStore, Keep, PackedStore, PlainParts, StateId, Store};

use crate::frontier::{Frontier, Reached};
use crate::options::{Monitor, Options, StoreKind};
use crate::outcome::Outcome;
use crate::random::Random;
use crate::sample::fit_to_sample;
use crate::search::search;

/// Explores depth-first, with the store that the options ask for.
///
/// A lossy store keeps no depths: with a bound on depth, it may miss what comes back on a shorter way.
pub fn depth_first<S: System>(
    system: &S,
    order: Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Outcome {
    let keep = if options.max_depth.is_some() { Keep::Depths } else { Keep::States };
    match options.store {
        StoreKind::Exact if size_of::<S::Region>() == 0 && keep == Keep::States => {
            let mut store: PackedStore<S::Region> = PackedStore::new();
            fit_to_sample(system, options, &mut store);
            search(system, &mut store, &mut Stack::new(order), options, monitor)
        }
        StoreKind::Exact => {
            let mut store: ExactStore<S::Region> = ExactStore::new(keep);
            fit_to_sample(system, options, &mut store);
            search(system, &mut store, &mut Stack::new(order), options, monitor)
        }
        StoreKind::Plain => {
            let mut store: ExactStore<S::Region, PlainParts> = ExactStore::new(keep);
            search(system, &mut store, &mut Stack::new(order), options, monitor)
        }
        StoreKind::Compact { bits } => {
            search(system, &mut CompactStore::new(bits), &mut Stack::new(order), options, monitor)
        }
        StoreKind::Bitstate { bits, hashes, seed } => {
            let mut store = BitstateStore::new(bits, hashes, seed);
            search(system, &mut store, &mut Stack::new(order), options, monitor)
        }
    }
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
#[derive(Debug)]
pub struct Stack<R: Region, St: Store<R>> {
    random: Option<Random>,
    path: Vec<OnPath>,
    /// Steps to be tried: those of the initial states first, then those of each state on the path.
    untried: Vec<Untried<R, St::Key>>,
    /// Their explicit parts, in the same order, if the store needs them.
    bytes: Vec<u8>,
    /// Bytes that the regions of untried steps hold elsewhere.
    region_heap: usize,
    /// Reused for the order of steps, and for their keys in the order of the system.
    order: Vec<u32>,
    keys: Vec<St::Key>,
    current: Option<StateId>,
    opened: St::Opened,
    /// The current state, for a store that does not recall it.
    current_bytes: Vec<u8>,
    current_region: Option<R>,
    /// A region, when there are any states; regions without size are all alike.
    any_region: Option<R>,
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
struct Untried<R, K> {
    key: K,
    /// Index of the step, or initial state.
    choice: u32,
    /// Length of the explicit part, 0 if it is not kept.
    length: u32,
    region: R,
}

impl<R: Region, St: Store<R>> Stack<R, St> {
    /// An empty stack.
    pub fn new(order: Order) -> Stack<R, St> {
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
            keys: Vec::new(),
            current: None,
            opened: St::Opened::default(),
            current_bytes: Vec::new(),
            current_region: None,
            any_region: None,
        }
    }

    /// Takes steps with these keys: those that are not known will be tried.
    #[inline]
    fn add_unknown<'s>(
        &mut self,
        keys: &[St::Key],
        depth: u32,
        reached: &mut Reached<'_, St>,
        step: impl Fn(usize) -> (&'s [u8], &'s R),
    ) where
        R: 's,
    {
        for &key in keys {
            reached.store.prefetch(key);
        }
        for &key in keys {
            reached.store.prefetch_match(key);
        }
        self.order.clear();
        // The last one added is the first one taken.
        self.order.extend((0..keys.len() as u32).rev());
        if let Some(random) = &mut self.random {
            random.shuffle(&mut self.order);
        }
        for &choice in &self.order {
            let (state, region) = step(choice as usize);
            let key = keys[choice as usize];
            // What is known now will still be known when its turn comes.
            if reached.knows(key, state, region, depth) {
                continue;
            }
            self.region_heap += region.heap_size();
            let mut length = 0;
            if St::NEEDS_BYTES {
                length = state.len() as u32;
                self.bytes.extend_from_slice(state);
            }
            self.untried.push(Untried { key, choice, length, region: region.clone() });
        }
    }

    /// Takes the last of the untried steps and remembers where it leads. Says whether that was new.
    fn try_last(&mut self, reached: &mut Reached<'_, St>) -> Result<bool, Stop> {
        let Some(Untried { key, choice, length, region }) = self.untried.pop() else {
            return Ok(false);
        };
        self.region_heap -= region.heap_size();
        let start = self.bytes.len() - length as usize;
        let inserted = reached.insert(key, &self.bytes[start..], &region, self.path.len() as u32)?;
        if let Some(id) = inserted {
            self.path.push(OnPath { choice, n_below: self.untried.len() });
            self.current = Some(id);
            if !St::RECALLS {
                self.current_bytes.clear();
                self.current_bytes.extend_from_slice(&self.bytes[start..]);
                self.current_region = Some(region);
            }
        }
        self.bytes.truncate(start);
        Ok(inserted.is_some())
    }
}

impl<R: Region, St: Store<R>> Frontier<R, St> for Stack<R, St> {
    fn add<L>(&mut self, steps: &Steps<R, L>, depth: u32, reached: &mut Reached<'_, St>) -> Result<(), Stop> {
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        let made = reached.keys(steps, &mut self.opened, &mut keys);
        if made.is_ok() {
            self.add_unknown(&keys, depth, reached, |step| (steps.state(step), steps.region(step)));
        }
        self.keys = keys;
        if self.any_region.is_none() && !steps.is_empty() {
            self.any_region = Some(steps.region(0).clone());
        }
        made
    }

    fn id(&self) -> Option<StateId> {
        self.current
    }

    #[inline]
    fn add_keys(&mut self, keys: &[St::Key], depth: u32, reached: &mut Reached<'_, St>) -> Result<(), Stop> {
        let region = self.any_region.clone().expect("there is a state, so there is a region");
        self.add_unknown(keys, depth, reached, |_| (&[], &region));
        Ok(())
    }

    fn flush(&mut self, _: &mut Reached<'_, St>) -> Result<(), Stop> {
        Ok(())
    }

    fn n_held_back(&self) -> usize {
        0
    }

    fn next(&mut self, reached: &mut Reached<'_, St>) -> Result<bool, Stop> {
        loop {
            let n_below = self.path.last().map_or(0, |last| last.n_below);
            if self.untried.len() == n_below {
                if self.path.pop().is_none() {
                    return Ok(false);
                }
            } else if self.try_last(reached)? {
                return Ok(true);
            }
        }
    }

    #[inline]
    fn current<'a>(&'a mut self, store: &'a St) -> (&'a [u8], &'a R) {
        if St::RECALLS {
            return store.open(self.current.expect("a frontier stands at a state"), &mut self.opened);
        }
        (&self.current_bytes, self.current_region.as_ref().expect("a frontier stands at a state"))
    }

    fn key(&mut self, state: &[u8], store: &mut St) -> Option<St::Key> {
        store.key(state, &mut self.opened)
    }

    fn depth(&self) -> u32 {
        self.path.len().saturating_sub(1) as u32
    }

    fn way(&self) -> Vec<u32> {
        self.path.iter().map(|state| state.choice).collect()
    }

    fn n_pending(&self) -> usize {
        self.untried.len()
    }

    fn bytes(&self) -> usize {
        self.path.capacity() * size_of::<OnPath>()
            + self.untried.capacity() * size_of::<Untried<R, St::Key>>()
            + self.bytes.capacity()
            + self.order.capacity() * size_of::<u32>()
            + self.keys.capacity() * size_of::<St::Key>()
            + self.region_heap
    }
}
