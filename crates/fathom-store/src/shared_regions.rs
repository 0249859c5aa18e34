//! A store of composite states that threads share, with inclusion.
//!
//! The store is cut into shards by the explicit part of states, each with a lock of its own. All regions of an explicit
//! part are in one shard, so that looking whether a region is included in another, and swallowing those that it
//! includes, happens under one lock; expansion, which is what takes time with regions, happens under none. (One passed list for all threads, as in
//! Dalsgaard, Laarman, Larsen, Olesen and van de Pol, "Multi-Core Reachability for Timed Automata", FORMATS 2012, who
//! lock single chains of a lock-free table.)
//!
//! A shard is an [`ExactStore`] with the way to each of its states. What was swallowed stays, as the way to it may be
//! a part of the ways to others: the store is the memory of traces, too.
//!
//! When depths count, a region is known only where one that includes it was reached in as few steps, and swallows only those that
//! were not reached in fewer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fathom_model::Region;
use rapidhash::v3::rapidhash_v3;

use crate::exact::{ExactStore, Keep};
use crate::plain::PlainParts;
use crate::store::{Insert, StateId, Store};

/// Shards of the store, a power of two.
const SHARDS: u64 = 64;

/// Where a state is in the store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    shard: u32,
    id: StateId,
}

/// How a state was reached.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// From where; none for an initial state.
    pub parent: Option<Place>,
    /// By which of the steps from there, or as which initial state.
    pub choice: u32,
    /// In how many steps.
    pub depth: u32,
}

/// What became of a state that was brought to a store that threads share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SharedInsert {
    /// It is new, and here.
    New(Place),
    /// It is included in what is known.
    Known,
    /// It is new, and there are too many states.
    Full,
}

/// Composite states that threads share.
///
/// # Example
///
/// ```
/// use fathom_model::NoRegion;
/// use fathom_store::{Reach, SharedInsert, SharedRegionStore};
///
/// let store: SharedRegionStore<NoRegion> = SharedRegionStore::new(u64::MAX, false);
/// let start = Reach { parent: None, choice: 0, depth: 0 };
/// let SharedInsert::New(first) = store.insert(b"first", &NoRegion, start) else { panic!() };
/// let next = Reach { parent: Some(first), choice: 3, depth: 1 };
/// assert_eq!(store.insert(b"first", &NoRegion, next), SharedInsert::Known);
/// let SharedInsert::New(second) = store.insert(b"second", &NoRegion, next) else { panic!() };
/// assert_eq!(store.way(second), [0, 3]);
/// ```
#[derive(Debug)]
pub struct SharedRegionStore<R> {
    shards: Vec<Mutex<Shard<R>>>,
    max_states: u64,
    n_states: AtomicU64,
    bytes: AtomicU64,
}

#[derive(Debug)]
struct Shard<R> {
    store: ExactStore<R, PlainParts>,
    /// By state.
    ways: Vec<Reach>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<R: Region> SharedRegionStore<R> {
    /// An empty store for so many states at most. With a bound on depths, depths count.
    pub fn new(max_states: u64, is_bounded: bool) -> SharedRegionStore<R> {
        let keep = if is_bounded { Keep::CoveredDepths } else { Keep::Covered };
        let shard = |_| Mutex::new(Shard { store: ExactStore::new(keep), ways: Vec::new() });
        let shards: Vec<_> = (0..SHARDS).map(shard).collect();
        let bytes = shards.iter().map(|shard| lock(shard).store.bytes() as u64).sum();
        SharedRegionStore { shards, max_states, n_states: AtomicU64::new(0), bytes: AtomicU64::new(bytes) }
    }

    /// States that were not swallowed.
    pub fn len(&self) -> u64 {
        self.n_states.load(Ordering::Relaxed)
    }

    /// Whether there is no state.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory in use, about.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether a state is included in what is known.
    pub fn knows(&self, state: &[u8], region: &R, depth: u32) -> bool {
        let key = rapidhash_v3(state);
        lock(&self.shards[shard_of(key)]).store.knows(key, state, region, depth)
    }

    /// Remembers a state, and forgets what it includes.
    pub fn insert(&self, state: &[u8], region: &R, reach: Reach) -> SharedInsert {
        let key = rapidhash_v3(state);
        let number = shard_of(key);
        let mut guard = lock(&self.shards[number]);
        let Shard { store, ways } = &mut *guard;
        if self.len() >= self.max_states {
            return match store.knows(key, state, region, reach.depth) {
                true => SharedInsert::Known,
                false => SharedInsert::Full,
            };
        }
        let (n_before, bytes_before) = (store.len() as u64, bytes_of(store, ways));
        let id = match store.insert(key, state, region, reach.depth) {
            Insert::New(id) => id,
            Insert::Known => return SharedInsert::Known,
            Insert::Full => return SharedInsert::Full,
        };
        match ways.get_mut(id.0 as usize) {
            // Without regions, a state that comes back in fewer steps is the same.
            Some(longer) => *longer = reach,
            None => ways.push(reach),
        }
        // There may be fewer, too: sums that wrap are right all the same.
        self.n_states.fetch_add((store.len() as u64).wrapping_sub(n_before), Ordering::Relaxed);
        self.bytes.fetch_add(bytes_of(store, ways).wrapping_sub(bytes_before), Ordering::Relaxed);
        SharedInsert::New(Place { shard: number as u32, id })
    }

    /// Copies a state, and gives its region; none when it was swallowed.
    pub fn open(&self, place: Place, state: &mut Vec<u8>) -> Option<R> {
        let Shard { store, .. } = &*lock(&self.shards[place.shard as usize]);
        if store.is_covered(place.id) {
            return None;
        }
        let mut opened = ();
        let (bytes, region) = store.open(place.id, &mut opened);
        state.clear();
        state.extend_from_slice(bytes);
        Some(region.clone())
    }

    /// The index of the initial state from which a state was reached, and the steps from there.
    pub fn way(&self, place: Place) -> Vec<u32> {
        let mut path = Vec::new();
        let mut at = Some(place);
        while let Some(Place { shard, id }) = at {
            let Reach { parent, choice, .. } = lock(&self.shards[shard as usize]).ways[id.0 as usize];
            path.push(choice);
            at = parent;
        }
        path.reverse();
        path
    }
}

/// Shards are chosen by other bits than the slots of their tables.
fn shard_of(key: u64) -> usize {
    (key >> 32 & (SHARDS - 1)) as usize
}

fn bytes_of<R: Region>(store: &ExactStore<R, PlainParts>, ways: &Vec<Reach>) -> u64 {
    (store.bytes() + ways.capacity() * size_of::<Reach>()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers up to this one.
    #[derive(Clone, Debug, PartialEq)]
    struct UpTo(u32);

    impl Region for UpTo {
        fn includes(&self, other: &UpTo) -> bool {
            other.0 <= self.0
        }
    }

    fn at(depth: u32) -> Reach {
        Reach { parent: None, choice: 0, depth }
    }

    fn new(insert: SharedInsert) -> Place {
        match insert {
            SharedInsert::New(place) => place,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_larger_region_swallows_and_a_smaller_one_is_known() {
        let store = SharedRegionStore::new(u64::MAX, false);
        let small = new(store.insert(b"a", &UpTo(3), at(0)));
        new(store.insert(b"b", &UpTo(3), at(0)));
        assert_eq!(store.insert(b"a", &UpTo(2), at(0)), SharedInsert::Known);
        let large = new(store.insert(b"a", &UpTo(5), at(1)));
        let state = &mut Vec::new();
        assert_eq!((store.len(), store.open(small, state)), (2, None));
        assert_eq!((store.open(large, state), &state[..]), (Some(UpTo(5)), &b"a"[..]));
        assert!(store.knows(b"a", &UpTo(4), 0) && !store.knows(b"a", &UpTo(6), 0));
    }

    #[test]
    fn depths_count_when_they_are_bounded() {
        let (store, state) = (SharedRegionStore::new(u64::MAX, true), &mut Vec::new());
        let early = new(store.insert(b"a", &UpTo(3), at(1)));
        let late = new(store.insert(b"a", &UpTo(5), at(2)));
        assert!(store.open(early, state).is_some(), "it was reached in fewer steps");
        new(store.insert(b"a", &UpTo(4), at(1)));
        assert!(store.open(early, state).is_none() && store.open(late, state).is_some());
        assert_eq!(store.insert(b"a", &UpTo(5), at(3)), SharedInsert::Known);
    }

    #[test]
    fn what_is_full_says_so_and_still_knows() {
        let store = SharedRegionStore::new(1, false);
        new(store.insert(b"a", &UpTo(3), at(0)));
        assert_eq!(store.insert(b"b", &UpTo(3), at(0)), SharedInsert::Full);
        assert_eq!(store.insert(b"a", &UpTo(3), at(0)), SharedInsert::Known);
    }

    #[test]
    fn of_threads_that_bring_the_same_one_is_the_first() {
        let store: SharedRegionStore<UpTo> = SharedRegionStore::new(u64::MAX, false);
        let bring = || {
            let is_new = |number: &u32| {
                matches!(
                    store.insert(&(number % 64).to_le_bytes(), &UpTo(number % 640 / 64), at(0)),
                    SharedInsert::New(_)
                )
            };
            (0..6400).filter(is_new).count()
        };
        let n_new: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(bring)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
        });
        assert_eq!((store.len(), n_new >= 64, n_new <= 640), (64, true, true));
    }
}
