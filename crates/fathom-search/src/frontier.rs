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

/// What is still to be expanded, in an order.
pub trait Frontier<R: Region> {
    /// Takes what the last expanded state leads to, or the initial states (`from` is none). `depth` is the
    /// depth of the states reached.
    fn add<L, St: Store<R>>(
        &mut self,
        from: Option<StateId>,
        steps: &Steps<R, L>,
        depth: u32,
        reached: &mut Reached<'_, St>,
    ) -> Result<(), Stop>;

    /// The next state to expand, which is in the store by now; none when nothing is left.
    fn next<St: Store<R>>(&mut self, reached: &mut Reached<'_, St>) -> Result<Option<StateId>, Stop>;

    /// Depth of the state that [`Frontier::next`] gave last.
    fn depth(&self) -> u32;

    /// The choices that lead to that state, the index of the initial state first; none when the frontier
    /// does not know and the parents in the store have to tell.
    fn path(&self) -> Option<Vec<u32>>;

    /// Number of states that wait, some of which may turn out to be known.
    fn n_pending(&self) -> usize;

    /// Bytes of memory in use.
    fn bytes(&self) -> usize;
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
}

impl<St> Reached<'_, St> {
    /// Remembers a composite state. Gives its id when it is to be expanded, none when it is known.
    #[inline]
    pub fn insert<R: Region>(
        &mut self,
        state: &[u8],
        region: &R,
        parent: Option<StateId>,
        depth: u32,
    ) -> Result<Option<StateId>, Stop>
    where
        St: Store<R>,
    {
        match self.store.insert(state, region, parent, depth) {
            Insert::New(id) => {
                self.deepest = self.deepest.max(depth);
                Ok(Some(id))
            }
            Insert::Known(_) => {
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
    pub fn knows<R: Region>(&mut self, state: &[u8], region: &R, depth: u32) -> bool
    where
        St: Store<R>,
    {
        let is_known = self.store.knows(state, region, depth);
        self.n_matched += u64::from(is_known);
        is_known
    }

    /// Drops the steps that leave a state at the bound on depth.
    pub(crate) fn cut_off<R: Region, L>(&mut self, steps: &Steps<R, L>, depth: u32)
    where
        St: Store<R>,
    {
        for index in 0..steps.len() {
            self.depth_cut |= !self.knows(steps.state(index), steps.region(index), depth);
        }
    }
}
