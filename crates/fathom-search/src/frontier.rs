//! Frontiers: what is still to be expanded, in an order.
//!
//! The loop expands a state and hands the steps to the frontier; then it asks for the next state. *When* a
//! reached state is remembered is up to the frontier, because it belongs to the order: breadth-first
//! remembers every state the moment it is reached and queues the new ones; depth-first must not remember a
//! state before its turn comes, or a state would be taken from the branch to which it belongs and the
//! search would no longer be depth-first. So the frontier does the insertion, through [`Reached`], which
//! counts and knows the limits. That is what lets one loop serve both.

use fathom_model::{Region, Steps, Stop};
use fathom_store::{Insert, StateId, Store};

use crate::stopwatch::{Stage, Stopwatch};

/// What is still to be expanded, in an order.
///
/// A frontier stands at a state, the *current* one, from the first [`Frontier::next`] on. It may hold back
/// insertions to do many at once; [`Frontier::flush`] does them, in the order in which they were handed over.
pub trait Frontier<R: Region, St: Store<R>> {
    /// Takes what the current state leads to, or the initial states if there is none yet. `depth` is the
    /// depth of the states reached.
    fn add<L>(&mut self, steps: &Steps<R, L>, depth: u32, reached: &mut Reached<'_, St>) -> Result<(), Stop>;

    /// Does the insertions that were held back.
    fn flush(&mut self, reached: &mut Reached<'_, St>) -> Result<(), Stop>;

    /// Number of insertions held back.
    fn n_held_back(&self) -> usize;

    /// Moves on to the next state to expand, which is in the store by now; false when nothing is left.
    fn next(&mut self, reached: &mut Reached<'_, St>) -> Result<bool, Stop>;

    /// The current state.
    fn current<'a>(&'a mut self, store: &'a St) -> (&'a [u8], &'a R);

    /// The id of the current state, for a frontier that takes [keys](Frontier::add_keys), too.
    fn id(&self) -> Option<StateId> {
        None
    }

    /// Takes what the current state leads to, as keys of packed states without regions.
    fn add_keys(&mut self, keys: &[St::Key], depth: u32, reached: &mut Reached<'_, St>) -> Result<(), Stop> {
        let _ = (keys, depth, reached);
        unreachable!("a frontier without ids gets steps")
    }

    /// The keys of states near to the current one.
    fn key(&mut self, state: &[u8], store: &mut St) -> Option<St::Key>;

    /// Depth of the current state.
    fn depth(&self) -> u32;

    /// The choices that lead to the current state, the index of the initial state first.
    fn way(&self) -> Vec<u32>;

    /// Number of states that wait, some of which may turn out to be known.
    fn n_pending(&self) -> usize;

    /// Bytes of memory in use.
    fn bytes(&self) -> usize;

    /// Those of them that are kept for every state that was reached.
    fn trail_bytes(&self) -> usize {
        0
    }
}

/// The store as a frontier uses it: inserts, counts, and turns a full store into a reason to stop.
#[derive(Debug)]
pub struct Reached<'a, St> {
    pub(crate) store: &'a mut St,
    pub(crate) max_states: u64,
    pub(crate) is_bounded: bool,
    /// Steps that led to something known.
    pub(crate) n_matched: u64,
    /// Largest depth at which something was stored.
    pub(crate) deepest: u32,
    /// Whether the bound on depth kept something from being stored.
    pub(crate) depth_cut: bool,
    /// If a profile is wanted.
    pub(crate) stopwatch: Option<Stopwatch>,
}

impl<St> Reached<'_, St> {
    /// Another stage of the search begins.
    #[inline(always)]
    pub(crate) fn enter(&mut self, stage: Stage) {
        if let Some(stopwatch) = &mut self.stopwatch {
            stopwatch.enter(stage);
        }
    }

    /// The key of a state that was reached.
    #[inline]
    pub fn key<R: Region>(&mut self, state: &[u8], near: &mut St::Opened) -> Result<St::Key, Stop>
    where
        St: Store<R>,
    {
        self.store.key(state, near).ok_or(Stop::Memory)
    }

    /// Adds the keys of all states that steps lead to.
    #[inline]
    pub fn keys<R: Region, L>(
        &mut self,
        steps: &Steps<R, L>,
        near: &mut St::Opened,
        keys: &mut Vec<St::Key>,
    ) -> Result<(), Stop>
    where
        St: Store<R>,
    {
        self.enter(Stage::Keys);
        let has_room = self.store.keys(steps, near, keys);
        self.enter(Stage::Store);
        if has_room { Ok(()) } else { Err(Stop::Memory) }
    }

    /// Remembers a composite state. Gives its id when it is to be expanded, none when it is known.
    #[inline]
    pub fn insert<R: Region>(
        &mut self,
        key: St::Key,
        state: &[u8],
        region: &R,
        depth: u32,
    ) -> Result<Option<StateId>, Stop>
    where
        St: Store<R>,
    {
        match self.store.insert(key, state, region, depth) {
            Insert::New(id) => {
                self.deepest = self.deepest.max(depth);
                Ok(Some(id))
            }
            Insert::Known => {
                self.n_matched += 1;
                Ok(None)
            }
            Insert::Full if self.store.len() as u64 >= self.max_states => Err(Stop::States),
            // No bytes left, or no ids.
            Insert::Full => Err(Stop::Memory),
        }
    }

    /// Whether a state in the store need not be expanded any more.
    ///
    /// With a bound on depth it must be: what has swallowed it may have come later, at a depth at which not
    /// all of its successors are within the bound any more.
    #[inline]
    pub fn may_skip<R: Region>(&self, id: StateId) -> bool
    where
        St: Store<R>,
    {
        !self.is_bounded && self.store.is_covered(id)
    }

    /// Whether a composite state is known, and will stay so; counts it if it is.
    #[inline]
    pub fn knows<R: Region>(&mut self, key: St::Key, state: &[u8], region: &R, depth: u32) -> bool
    where
        St: Store<R>,
    {
        let is_known = self.store.knows(key, state, region, depth);
        self.n_matched += u64::from(is_known);
        is_known
    }
}
