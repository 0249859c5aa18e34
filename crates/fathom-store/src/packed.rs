//! The exact store for states without regions: a set of packed states, and nothing else.
//!
//! A state is packed into one word, its root, from which it can be read again ([`packing`](crate::packing)), and
//! the roots are in a table with eight or sixteen of them to a cache line ([`root_table`](crate::root_table)). So an
//! insertion touches one line of memory, the id of a state is its root, and a state costs eight bytes, or four when
//! few bits of roots vary, and the empty slots that the table has at its load, plus its share of the interned groups.

use fathom_model::{ByteSet, Region, Steps};

use crate::packing::{Escapes, Opened, Packer};
use crate::root_table::{Added, RootTable};
use crate::store::{Insert, StateId, Store};

/// A set of states without regions that is never wrong.
///
/// # Example
///
/// ```
/// use fathom_model::NoRegion;
/// use fathom_store::{Insert, PackedStore, Store};
///
/// let mut store: PackedStore<NoRegion> = PackedStore::new();
/// let Insert::New(first) = store.put(b"first", &NoRegion, 0) else { panic!() };
/// assert!(matches!(store.put(b"second", &NoRegion, 1), Insert::New(_)));
/// assert_eq!(store.put(b"first", &NoRegion, 2), Insert::Known);
/// assert_eq!(store.open(first, &mut Default::default()).0, b"first");
/// ```
#[derive(Debug)]
pub struct PackedStore<R> {
    packer: Packer,
    roots: RootTable,
    escapes: Escapes,
    /// A region, when there are any states: those without size are all alike.
    region: Option<R>,
    max_states: u64,
    max_bytes: u64,
}

impl<R: Region> PackedStore<R> {
    /// An empty store without limits.
    ///
    /// # Panics
    /// When regions have a size: then there is more to know about a state than its explicit part.
    pub fn new() -> PackedStore<R> {
        assert!(size_of::<R>() == 0, "a packed store is for states without regions");
        PackedStore {
            packer: Packer::default(),
            roots: RootTable::new(),
            escapes: Escapes::default(),
            region: None,
            max_states: u64::MAX,
            max_bytes: u64::MAX,
        }
    }

    #[cold]
    fn key_after_growth(&mut self, state: &[u8], near: &mut Opened) -> Option<u64> {
        let growth = self.packer.growth()?;
        if self.max_bytes != u64::MAX && (self.bytes() + growth) as u64 > self.max_bytes {
            return None;
        }
        self.packer.grow();
        self.packer.root(state, near)
    }

    /// Makes room in the table; false when the limit forbids.
    #[cold]
    fn grow(&mut self) -> bool {
        let (bytes, max_bytes) = (self.bytes(), self.max_bytes);
        let fits = |growth: usize| (bytes + growth) as u64 <= max_bytes;
        let has_room = self.roots.choose_growth(self.packer.step(), fits);
        if has_room {
            self.roots.grow();
        }
        has_room
    }

    /// Counts a new state that cannot be packed; when there are many, there are new packings.
    #[cold]
    fn note_escaped(&mut self) {
        self.escapes.add();
        if !self.escapes.are_many() {
            return;
        }
        // Where there is no memory for a second table, things stay as they are.
        let bytes = self.bytes() + self.roots.growth() + self.roots.bytes();
        if self.max_bytes != u64::MAX && bytes as u64 > self.max_bytes {
            self.escapes.ignore();
            return;
        }
        self.packer.refit(&mut self.escapes, &mut self.roots);
    }
}

impl<R: Region> Default for PackedStore<R> {
    fn default() -> PackedStore<R> {
        PackedStore::new()
    }
}

impl<R: Region> Store<R> for PackedStore<R> {
    type Key = u64;
    type Opened = Opened;
    const NEEDS_BYTES: bool = false;
    const RECALLS: bool = true;

    fn fit(&mut self, sample: &mut dyn Iterator<Item = &[u8]>) {
        self.packer.fit(sample);
    }

    fn keep_apart(&mut self, bytes: &ByteSet) {
        self.packer.keep_apart(bytes);
    }

    #[inline]
    fn key(&mut self, state: &[u8], near: &mut Opened) -> Option<u64> {
        match self.packer.root(state, near) {
            Some(root) => Some(root),
            None => self.key_after_growth(state, near),
        }
    }

    #[inline]
    fn keys<L>(&mut self, steps: &Steps<R, L>, near: &mut Opened, keys: &mut Vec<u64>) -> bool {
        let n_before = keys.len();
        self.packer.roots_simply(steps, near, keys);
        // Those that are not that simple, if any.
        for index in keys.len() - n_before..steps.len() {
            match self.key(steps.state(index), near) {
                Some(key) => keys.push(key),
                None => return false,
            }
        }
        true
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        self.roots.prefetch(key);
    }

    #[inline]
    fn was_seen(&self, key: u64, near: &mut Opened) -> bool {
        near.was_seen(key)
    }

    #[inline]
    fn insert(&mut self, key: u64, _: &[u8], region: &R, _: u32) -> Insert {
        let key = if self.packer.may_be_old(key) { self.packer.settle(key) } else { key };
        if self.len() as u64 >= self.max_states {
            return if self.roots.contains(key) { Insert::Known } else { Insert::Full };
        }
        let mut added = self.roots.insert(key);
        if added == Added::Crowded && self.grow() {
            added = self.roots.insert(key);
        }
        match added {
            Added::Known => Insert::Known,
            Added::Crowded => Insert::Full,
            Added::New => {
                if self.region.is_none() {
                    self.region = Some(region.clone());
                }
                if Packer::is_escaped(key) {
                    self.note_escaped();
                }
                Insert::New(StateId(key))
            }
        }
    }

    #[inline]
    fn knows(&self, key: u64, _: &[u8], _: &R, _: u32) -> bool {
        let key = if self.packer.may_be_old(key) { self.packer.find_settled(key) } else { Some(key) };
        key.is_some_and(|key| self.roots.contains(key))
    }

    #[inline]
    fn open<'a>(&'a self, id: StateId, opened: &'a mut Opened) -> (&'a [u8], &'a R) {
        let region = self.region.as_ref().expect("there is a state, so there is a region");
        (self.packer.open(id.0, opened), region)
    }

    #[inline]
    fn version(&self, id: StateId) -> u64 {
        self.packer.version(id.0)
    }

    fn bits_of(&self, id: StateId, bytes: &ByteSet) -> u64 {
        self.packer.bits_of(id.0, bytes)
    }

    fn root_of(key: u64) -> u64 {
        key
    }

    #[inline]
    fn keys_of(roots: &[u64], keys: &mut Vec<u64>) {
        keys.extend_from_slice(roots);
    }

    fn is_covered(&self, _: StateId) -> bool {
        false
    }

    #[inline]
    fn len(&self) -> usize {
        self.roots.len()
    }

    fn bytes(&self) -> usize {
        self.packer.bytes() + self.roots.bytes()
    }

    fn set_limits(&mut self, max_states: u64, max_bytes: u64) {
        self.max_states = max_states;
        // Keys take a little memory before anything is inserted: leave some for those of one expansion.
        self.max_bytes = if max_bytes == u64::MAX { u64::MAX } else { max_bytes - max_bytes / 64 };
        self.packer.set_max_bytes(max_bytes);
    }
}
