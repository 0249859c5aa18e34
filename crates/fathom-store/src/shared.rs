//! The packed store, shared by threads.
//!
//! Many threads insert at once, through the lock-free tables of words and roots; see
//! [`word_set`](crate::word_set) and [`root_table`](crate::root_table) for why they agree. Only growth needs the
//! store for itself: threads work in *sessions*, which hold a read lock for the length of a batch, and whoever
//! finds a table crowded ends its session and makes room under the write lock. So a lock is taken once for some
//! hundred insertions. Moving the roots of a large table takes a while; threads that come for a session meanwhile help.
//!
//! Places are claimed in blocks, so that threads do not write to each other's cache lines. Which thread brings a
//! state first depends on the race; which states there are does not.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use fathom_model::{ByteSet, Steps};

use crate::packing::{Escapes, Opened, Packer};
use crate::root_table::{Added, Growth, RootTable};
use crate::store::StateId;
use crate::word_set::Claim;

/// Places for states that a thread claims at once.
const BLOCK: usize = 256;

/// A set of explicit states that many threads use at once.
#[derive(Debug)]
pub struct SharedStore {
    tables: RwLock<Tables>,
    /// Held by the thread that makes room.
    growing: Mutex<()>,
    /// Whether a thread makes room, so that others had better look for work there.
    is_growing: AtomicBool,
    growth: Mutex<Option<Arc<Growth>>>,
    has_growth: Condvar,
    escapes: Mutex<Escapes>,
    /// Whether there are enough of them to make new packings.
    wants_refit: AtomicBool,
    max_bytes: u64,
}

#[derive(Debug)]
struct Tables {
    packer: Packer,
    roots: RootTable,
}

/// What one thread has claimed and not used yet.
#[derive(Clone, Copy, Default, Debug)]
pub struct Claims {
    pub(crate) words: Claim,
    roots: usize,
}

/// A table is crowded: end the session and call [`SharedStore::make_room`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NeedsRoom;

/// Some look-ups and insertions of one thread.
#[derive(Debug)]
pub struct Session<'s> {
    store: &'s SharedStore,
    tables: RwLockReadGuard<'s, Tables>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SharedStore {
    /// An empty store fitted to some states of those to come, if any, that never takes more bytes than this.
    pub fn new(sample: &mut dyn Iterator<Item = &[u8]>, max_bytes: u64) -> SharedStore {
        SharedStore::with_bytes_apart(sample, &ByteSet::default(), max_bytes)
    }

    /// The same when some bytes decide what others mean: see [`Store::keep_apart`](crate::Store::keep_apart).
    pub fn with_bytes_apart(
        sample: &mut dyn Iterator<Item = &[u8]>,
        apart: &ByteSet,
        max_bytes: u64,
    ) -> SharedStore {
        let mut packer = Packer::default();
        packer.keep_apart(apart);
        packer.fit(sample);
        packer.set_max_bytes(max_bytes);
        SharedStore {
            tables: RwLock::new(Tables { packer, roots: RootTable::new() }),
            growing: Mutex::new(()),
            is_growing: AtomicBool::new(false),
            growth: Mutex::new(None),
            has_growth: Condvar::new(),
            escapes: Mutex::new(Escapes::default()),
            wants_refit: AtomicBool::new(false),
            max_bytes,
        }
    }

    /// Begins a session. It should be short: growth waits for all of them.
    pub fn session(&self) -> Session<'_> {
        if self.is_growing.load(Ordering::Relaxed) {
            self.help();
        }
        if self.wants_refit.load(Ordering::Relaxed) {
            self.refit();
        }
        Session { store: self, tables: self.tables.read().unwrap_or_else(PoisonError::into_inner) }
    }

    /// Moves a part of a table that grows, once that has begun.
    #[cold]
    fn help(&self) {
        let mut growth = lock(&self.growth);
        while growth.is_none() && self.is_growing.load(Ordering::Relaxed) {
            growth = self.has_growth.wait(growth).unwrap_or_else(PoisonError::into_inner);
        }
        let work = growth.clone();
        drop(growth);
        if let Some(work) = work {
            work.work();
        }
    }

    /// Makes new packings when many states have escaped, unless another thread has done so.
    #[cold]
    fn refit(&self) {
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        let mut escapes = lock(&self.escapes);
        self.wants_refit.store(false, Ordering::Relaxed);
        if !escapes.are_many() {
            return;
        }
        // Where there is no memory for a second table, things stay as they are.
        let tables = &mut *tables;
        if self.is_too_much(tables.bytes() + tables.roots.growth() + tables.roots.bytes()) {
            escapes.ignore();
            return;
        }
        tables.packer.refit(&mut escapes, &mut tables.roots);
    }

    /// Makes room where a table is crowded, unless another thread has done so; false when memory does not
    /// allow it. The caller must not be in a session.
    #[must_use]
    pub fn make_room(&self) -> bool {
        let Ok(_growing) = self.growing.try_lock() else {
            // Another thread is at it.
            self.help();
            drop(lock(&self.growing));
            return true;
        };
        self.is_growing.store(true, Ordering::Relaxed);
        let has_room = self.grow();
        // Under the lock, so that no one begins to wait for what has just ended.
        let mut growth = lock(&self.growth);
        *growth = None;
        self.is_growing.store(false, Ordering::Relaxed);
        self.has_growth.notify_all();
        has_room
    }

    fn grow(&self) -> bool {
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        let Some(growth) = tables.packer.growth() else {
            return false;
        };
        let bytes = tables.bytes() + growth;
        let is_crowded = tables.roots.is_crowded();
        let step = tables.packer.step();
        if is_crowded && !tables.roots.choose_growth(step, |growth| !self.is_too_much(bytes + growth))
            || self.is_too_much(bytes)
        {
            return false;
        }
        tables.packer.grow();
        if tables.roots.is_crowded() {
            let table = std::mem::replace(&mut tables.roots, RootTable::new());
            tables.roots = self.grow_together(Growth::new(table));
        }
        true
    }

    fn is_too_much(&self, bytes: usize) -> bool {
        self.max_bytes != u64::MAX && bytes as u64 > self.max_bytes
    }

    /// Makes a table larger together with all threads that come by.
    fn grow_together(&self, growth: Growth) -> RootTable {
        let growth = Arc::new(growth);
        *lock(&self.growth) = Some(Arc::clone(&growth));
        self.has_growth.notify_all();
        growth.work();
        *lock(&self.growth) = None;
        // Those who still hold it will have seen in a moment that nothing is left.
        let mut growth = growth;
        loop {
            match Arc::try_unwrap(growth) {
                Ok(done) => return done.finish(),
                Err(shared) => growth = shared,
            }
            std::thread::yield_now();
        }
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.session().tables.bytes()
    }
}

impl Tables {
    fn bytes(&self) -> usize {
        self.packer.bytes() + self.roots.bytes()
    }
}

impl Session<'_> {
    /// See [`Store::version`](crate::Store::version).
    #[inline]
    pub fn version(&self, id: StateId) -> u64 {
        self.tables.packer.version(id.0)
    }

    /// See [`Store::bits_of`](crate::Store::bits_of).
    pub fn bits_of(&self, id: StateId, bytes: &ByteSet) -> u64 {
        self.tables.packer.bits_of(id.0, bytes)
    }

    /// The state with an id.
    #[inline]
    pub fn open<'a>(&'a self, id: StateId, opened: &'a mut Opened) -> &'a [u8] {
        self.tables.packer.open(id.0, opened)
    }

    /// The state with a key that was made here, whether or not it is stored.
    #[inline]
    pub fn open_key<'a>(&'a self, key: u64, opened: &'a mut Opened) -> &'a [u8] {
        self.tables.packer.open(key, opened)
    }

    /// The key of a state: see [`Store::key`](crate::Store::key).
    #[inline]
    pub fn key(&self, state: &[u8], near: &mut Opened, claims: &mut Claims) -> Result<u64, NeedsRoom> {
        self.tables.packer.root_shared(state, near, claims).ok_or(NeedsRoom)
    }

    /// Adds the keys of steps to a list, from the first one on; those that are missing must be made one by one.
    #[inline]
    pub fn keys_simply<R, L>(&self, steps: &Steps<R, L>, near: &Opened, keys: &mut Vec<u64>) {
        self.tables.packer.roots_simply(steps, near, keys);
    }

    /// Whether a key was shown here lately with the same buffer: see [`Store::was_seen`](crate::Store::was_seen).
    #[inline]
    pub fn was_seen(&self, key: u64, near: &mut Opened) -> bool {
        near.was_seen(key)
    }

    /// Asks for the memory that an insertion needs.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        self.tables.roots.prefetch(key);
    }

    /// Remembers a state. Gives its id when this call was the first to bring it.
    #[inline]
    pub fn insert(&self, key: u64, claims: &mut Claims) -> Result<Option<StateId>, NeedsRoom> {
        let packer = &self.tables.packer;
        let key =
            if packer.may_be_old(key) { packer.settle_shared(key, claims).ok_or(NeedsRoom)? } else { key };
        match self.tables.roots.insert_shared(key, &mut claims.roots, BLOCK) {
            Added::New => {
                if Packer::is_escaped(key) {
                    self.note_escaped();
                }
                Ok(Some(StateId(key)))
            }
            Added::Known => Ok(None),
            Added::Crowded => Err(NeedsRoom),
        }
    }

    /// Whether a state is known.
    #[inline]
    pub fn knows(&self, key: u64) -> bool {
        let packer = &self.tables.packer;
        let key = if packer.may_be_old(key) { packer.find_settled(key) } else { Some(key) };
        key.is_some_and(|key| self.tables.roots.contains(key))
    }

    /// Counts a new state that cannot be packed.
    #[cold]
    fn note_escaped(&self) {
        let mut escapes = lock(&self.store.escapes);
        escapes.add();
        if escapes.are_many() {
            self.store.wants_refit.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Inserts states one by one, making room on the way.
    fn insert(store: &SharedStore, state: &[u8], near: &mut Opened, claims: &mut Claims) -> (u64, bool) {
        loop {
            let session = store.session();
            let inserted = session
                .key(state, near, claims)
                .and_then(|key| session.insert(key, claims).map(|new| (key, new.is_some())));
            match inserted {
                Ok(answer) => return answer,
                Err(NeedsRoom) => {
                    drop(session);
                    assert!(store.make_room());
                }
            }
        }
    }

    fn state(number: u32) -> Vec<u8> {
        let mut state = vec![7; 20 + number as usize % 30];
        state[..4].copy_from_slice(&(number % 1000).to_le_bytes());
        state[12..16].copy_from_slice(&(number / 1000).to_le_bytes());
        state
    }

    /// Four threads insert so many states, each all of them; then every key means what it meant.
    fn insert_together(store: &SharedStore, n_states: u32, state: impl Fn(u32) -> Vec<u8> + Sync) {
        let state = &state;
        let run = |thread: u32| {
            let (mut near, mut claims) = (Opened::default(), Claims::default());
            let mut keys = HashMap::new();
            let mut n_new = 0;
            for index in 0..n_states {
                // Every thread inserts all states, each from another place on.
                let number = (index + thread * 7001) % n_states;
                let (key, is_new) = insert(store, &state(number), &mut near, &mut claims);
                n_new += u32::from(is_new);
                keys.insert(number, key);
            }
            (keys, n_new)
        };
        let results: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || run(thread))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert_eq!(results.iter().map(|(_, n_new)| n_new).sum::<u32>(), n_states);
        let mut opened = Opened::default();
        for number in 0..n_states {
            for (keys, _) in &results {
                assert!(store.session().knows(keys[&number]));
                assert_eq!(store.session().open(StateId(keys[&number]), &mut opened), state(number));
            }
        }
    }

    #[test]
    fn threads_agree_on_every_state_while_the_store_grows() {
        let store = SharedStore::new(&mut std::iter::empty(), u64::MAX);
        insert_together(&store, 30_000, state);
    }

    #[test]
    fn threads_agree_on_every_state_while_groups_grow_and_packings_are_replaced() {
        // Thirty bytes of sixteen values, far more than a root has room for, but only 2,000 ways to fill them.
        let state = |number: u32| -> Vec<u8> {
            let mut mixed = u64::from(number % 2000);
            let bytes = (0..30).map(|_| {
                mixed = mixed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (mixed >> 60) as u8
            });
            bytes.chain((number / 2000).to_le_bytes()).collect()
        };
        for n_sampled in [0, 500] {
            let sample: Vec<Vec<u8>> = (0..n_sampled).map(|number| state(number * 7)).collect();
            let store = SharedStore::new(&mut sample.iter().map(Vec::as_slice), u64::MAX);
            insert_together(&store, 20_000, state);
        }
    }

    #[test]
    fn no_room_is_made_past_the_limit() {
        let store = SharedStore::new(&mut std::iter::empty(), 100_000);
        let (mut near, mut claims) = (Opened::default(), Claims::default());
        let mut number = 0;
        loop {
            let session = store.session();
            let key = session.key(&state(number), &mut near, &mut claims);
            if key.and_then(|key| session.insert(key, &mut claims)).is_ok() {
                number += 1;
                continue;
            }
            drop(session);
            if !store.make_room() {
                break;
            }
        }
        assert!(number > 1000 && store.bytes() < 120_000, "{number} {}", store.bytes());
    }
}
