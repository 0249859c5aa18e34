//! Explicit parts: an exact set of byte strings, numbered in the order in which they were added.

use std::fmt::Debug;

/// A set of byte strings. Two strings are the same exactly when their bytes are.
///
/// A look-up goes in stages, so that a search can overlap the memory latency of many: make the *key* of each
/// string, ask for the memory that it needs, then look. An [`Opened`](Parts::Opened) is a stored string laid
/// out in a buffer, and may help to make keys of strings that are similar.
pub trait Parts: Debug + Default {
    /// What stands for a string until it is stored.
    type Key: Copy + Debug;
    /// A buffer for a stored string.
    type Opened: Default + Debug;
    /// The place where a string would go.
    type Vacant: Copy + Debug;
    /// Whether a key is worth nothing without the string.
    const NEEDS_BYTES: bool;

    /// Looks at some strings of those to come, and may use what they have in common. Only for an empty set.
    fn fit(&mut self, _sample: &mut dyn Iterator<Item = &[u8]>) {}

    /// The key of a string; none when [`Parts::grow_for_keys`] has to be called first.
    fn key(&mut self, state: &[u8], near: &mut Self::Opened) -> Option<Self::Key>;

    /// Asks for the memory that tells whether a string may be stored.
    fn prefetch(&self, key: Self::Key);

    /// Asks for the memory that confirms that it is, when the memory asked for first is there.
    fn prefetch_match(&self, key: Self::Key);

    /// The number of a string, or the place for it. Without [`NEEDS_BYTES`](Parts::NEEDS_BYTES) the string
    /// itself may be left out.
    fn find(&self, key: Self::Key, state: &[u8]) -> Result<u32, Self::Vacant>;

    /// Adds a string at the place where it was not found, when nothing was added since. Gives its number.
    fn fill(&mut self, vacant: Self::Vacant, key: Self::Key, state: &[u8]) -> u32;

    /// The string with a number.
    fn open<'a>(&'a self, part: u32, opened: &'a mut Self::Opened) -> &'a [u8];

    /// Number of strings.
    fn len(&self) -> usize;

    /// Whether there is no string.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory in use.
    fn bytes(&self) -> usize;

    /// Bytes by which memory grows, at worst, when a string of this length is added; none when it cannot be.
    fn growth(&self, length: usize) -> Option<usize>;

    /// Bytes by which memory grows to make room for more keys; none when there can be no more.
    fn key_growth(&self) -> Option<usize>;

    /// Makes room for more keys.
    fn grow_for_keys(&mut self);
}
