//! The store as engines see it.
//!
//! A store holds composite states: an explicit part and a region. A composite state that is included in one
//! already stored (same explicit part, region within the stored region) is known. In the other direction, a
//! new region may swallow stored ones; these are then *covered*, and nothing is lost when they are not
//! expanded any more, because exploration is monotone in inclusion (see [`Region`]).
//!
//! Depth. A search with a bound on depth must explore a state again when it comes back to it on a shorter
//! way, or it would miss what lies just within the bound. For that the depth is given with every insertion,
//! and a store that keeps depths treats it as a part of the region: only what is included *and* no
//! shallower is known. Stores that do not keep depths ignore it.

use std::fmt::Debug;

use fathom_model::{ByteSet, Region, Steps, Trust};

/// The name of a stored composite state, by which the store can read it again. What is in it is the store's
/// business: a number, or the packed state itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateId(pub(crate) u64);

/// What became of an insertion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Insert {
    /// It was not known: expand it.
    New(StateId),
    /// It was known: included in one that is stored.
    Known,
    /// It was not known, and a limit leaves no room for it. The store is unchanged.
    Full,
}

/// What a search remembers.
///
/// Insertion goes in stages, so that a search can overlap the memory latency of many: make the key of each
/// state, ask for the memory that it needs, then insert. [`Store::put`] does it all at once.
pub trait Store<R: Region> {
    /// What stands for an explicit part until it is inserted.
    type Key: Copy + Debug;
    /// A buffer for a stored state that is being expanded. It may help to make the keys of similar states,
    /// such as its successors; it never changes what they mean.
    type Opened: Default + Debug;
    /// Whether a key is worth nothing without the explicit part. If not, [`Store::insert`] and
    /// [`Store::knows`] may be given an empty one.
    const NEEDS_BYTES: bool;
    /// Whether stored states can be read again, and so opened by their ids.
    const RECALLS: bool;

    /// Looks at some explicit parts of those to come, and may use what they have in common: it never changes
    /// an answer. Only for a store that was not used yet.
    fn fit(&mut self, _sample: &mut dyn Iterator<Item = &[u8]>) {}

    /// These bytes decide what others mean: a store may use that, too.
    fn keep_apart(&mut self, _bytes: &ByteSet) {}

    /// The key of an explicit part; none when there is no memory for it.
    fn key(&mut self, state: &[u8], near: &mut Self::Opened) -> Option<Self::Key>;

    /// Adds the keys of the explicit parts of all steps to a list; false when there is no memory for them.
    fn keys<L>(&mut self, steps: &Steps<R, L>, near: &mut Self::Opened, keys: &mut Vec<Self::Key>) -> bool {
        for index in 0..steps.len() {
            match self.key(steps.state(index), near) {
                Some(key) => keys.push(key),
                None => return false,
            }
        }
        true
    }

    /// Asks for the memory that an insertion needs first.
    fn prefetch(&self, _key: Self::Key) {}

    /// Whether a key was shown here lately with the same buffer. If whoever shows keys inserts them afterwards, then
    /// one that was seen is known, or about to be.
    fn was_seen(&self, _key: Self::Key, _near: &mut Self::Opened) -> bool {
        false
    }

    /// Asks for the memory that it needs next, when what it needs first is there.
    fn prefetch_match(&self, _key: Self::Key) {}

    /// Remembers a composite state unless it is known, with the number of steps from an initial state.
    fn insert(&mut self, key: Self::Key, state: &[u8], region: &R, depth: u32) -> Insert;

    /// Whether an insertion would be answered with [`Insert::Known`]. Once known, a composite state stays
    /// known.
    fn knows(&self, key: Self::Key, state: &[u8], region: &R, depth: u32) -> bool;

    /// Makes the key of a composite state and inserts it.
    fn put(&mut self, state: &[u8], region: &R, depth: u32) -> Insert {
        match self.key(state, &mut Self::Opened::default()) {
            Some(key) => self.insert(key, state, region, depth),
            None => Insert::Full,
        }
    }

    /// The explicit part and the region of a stored state.
    ///
    /// # Panics
    /// Unless the store [recalls](Store::RECALLS) states.
    fn open<'a>(&'a self, id: StateId, opened: &'a mut Self::Opened) -> (&'a [u8], &'a R);

    /// For a store of packed states: a number that changes with the bits that bytes have in ids. It is 0 for a state
    /// that is stored otherwise.
    fn version(&self, _id: StateId) -> u64 {
        0
    }

    /// The bits of the id of a packed state that say what these bytes are, and perhaps something about others.
    fn bits_of(&self, _id: StateId, _bytes: &ByteSet) -> u64 {
        0
    }

    /// What would be the id of a state with this key, in a store of packed states.
    fn root_of(_key: Self::Key) -> u64 {
        0
    }

    /// Adds the keys of packed states that would have these ids.
    fn keys_of(_roots: &[u64], _keys: &mut Vec<Self::Key>) {}

    /// Whether a region stored later has swallowed this one, so that it need not be expanded any more.
    fn is_covered(&self, id: StateId) -> bool;

    /// Number of composite states stored, without those that are covered.
    fn len(&self) -> usize;

    /// Whether nothing is stored.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory in use, tables and reserves included.
    fn bytes(&self) -> usize;

    /// From now on, answers [`Insert::Full`] rather than hold more composite states than this, or grow past
    /// this many bytes.
    fn set_limits(&mut self, max_states: u64, max_bytes: u64);

    /// For a lossy store: how many states were probably taken for others so far.
    fn expected_omissions(&self) -> f64 {
        0.0
    }

    /// How far "known" can be trusted.
    fn trust(&self) -> Trust {
        Trust::Complete
    }
}
