//! The compressed store, shared by threads.
//!
//! Many threads insert at once, through the lock-free tables of [`TreeParts`]; see
//! [`word_set`](crate::word_set) for why they agree. Only growth needs the store for itself: threads work in
//! *sessions*, which hold a read lock for the length of a batch, and whoever finds a table crowded ends its
//! session and makes room under the write lock. So a lock is taken once for some hundred insertions.
//!
//! Ids are claimed in blocks, so that threads do not write to each other's cache lines. What is left of a
//! block when a thread gives up its claims are holes: ids that no state has. Which state has which id depends
//! on the race; which states there are does not.

use std::sync::{RwLock, RwLockReadGuard};

use crate::parts::Parts;
use crate::store::StateId;
use crate::tree::{OpenTree, TreeParts};
use crate::word_set::Claim;

/// Ids that a thread claims at once.
const BLOCK: u32 = 64;

/// A set of explicit states that many threads use at once.
#[derive(Debug)]
pub struct SharedStore {
    parts: RwLock<TreeParts>,
    max_bytes: u64,
}

/// What one thread has claimed and not used yet.
#[derive(Clone, Copy, Default, Debug)]
pub struct Claims {
    pub(crate) leaves: Claim,
    pub(crate) pairs: Claim,
    pub(crate) roots: Claim,
}

/// A table is crowded: end the session and call [`SharedStore::make_room`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NeedsRoom;

/// Some look-ups and insertions of one thread.
#[derive(Debug)]
pub struct Session<'s> {
    parts: RwLockReadGuard<'s, TreeParts>,
}

impl SharedStore {
    /// An empty store fitted to some states of those to come, if any, that never takes more bytes than this.
    pub fn new(sample: &mut dyn Iterator<Item = &[u8]>, max_bytes: u64) -> SharedStore {
        let mut parts = TreeParts::default();
        parts.fit(sample);
        SharedStore { parts: RwLock::new(parts), max_bytes }
    }

    /// Begins a session. It should be short: growth waits for all of them.
    pub fn session(&self) -> Session<'_> {
        Session { parts: self.parts.read().unwrap_or_else(std::sync::PoisonError::into_inner) }
    }

    /// Makes room where a table is crowded, unless another thread has done so; false when memory does not
    /// allow it. The caller must not be in a session.
    #[must_use]
    pub fn make_room(&self) -> bool {
        let mut parts = self.parts.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Some((keys, roots)) = parts.key_growth().zip(parts.growth(0)) else {
            return false;
        };
        if self.max_bytes != u64::MAX && (parts.bytes() + keys + roots) as u64 > self.max_bytes {
            return false;
        }
        parts.grow_crowded();
        true
    }

    /// Ids claimed so far, holes included; all ids are below.
    pub fn n_claimed(&self) -> usize {
        self.session().parts.len()
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.session().parts.bytes()
    }
}

impl Session<'_> {
    /// The state with an id; none for a hole.
    #[inline]
    pub fn open<'a>(&'a self, id: StateId, opened: &'a mut OpenTree) -> Option<&'a [u8]> {
        self.parts.open_unless_hole(id.0, opened)
    }

    /// The key of a state: see [`Parts::key`].
    #[inline]
    pub fn key(&self, state: &[u8], near: &mut OpenTree, claims: &mut Claims) -> Result<u64, NeedsRoom> {
        self.parts.key_shared(state, near, claims).ok_or(NeedsRoom)
    }

    /// Asks for the memory that an insertion needs first.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        self.parts.prefetch(key);
    }

    /// Asks for the memory that it needs next.
    #[inline]
    pub fn prefetch_match(&self, key: u64) {
        self.parts.prefetch_match(key);
    }

    /// Remembers a state. Gives its id, and whether this call was the first to bring it.
    #[inline]
    pub fn insert(&self, key: u64, claims: &mut Claims) -> Result<(StateId, bool), NeedsRoom> {
        match self.parts.insert_shared(key, claims, BLOCK) {
            Ok((number, is_new)) => Ok((StateId(number), is_new)),
            Err(_) => Err(NeedsRoom),
        }
    }

    /// The id of a state, if it is known.
    #[inline]
    pub fn find(&self, key: u64) -> Option<StateId> {
        self.parts.find_shared(key).map(StateId)
    }
}

impl Session<'_> {
    /// Gives up the ids of states that were claimed and not used. They become holes, unless nobody has claimed
    /// others since.
    pub fn give_up_ids(&self, claims: &mut Claims) {
        self.parts.give_up_roots(std::mem::take(&mut claims.roots));
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Inserts states one by one, making room on the way.
    fn insert(
        store: &SharedStore,
        state: &[u8],
        near: &mut OpenTree,
        claims: &mut Claims,
    ) -> (StateId, bool) {
        loop {
            let session = store.session();
            let inserted = session.key(state, near, claims).and_then(|key| session.insert(key, claims));
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

    #[test]
    fn threads_agree_on_every_state_while_the_store_grows() {
        let n_states = 30_000_u32;
        let store = SharedStore::new(&mut std::iter::empty(), u64::MAX);
        let run = |thread: u32| {
            let (mut near, mut claims) = (OpenTree::default(), Claims::default());
            let mut ids = HashMap::new();
            let mut n_new = 0;
            for index in 0..n_states {
                // Every thread inserts all states, each from another place on.
                let number = (index + thread * 7001) % n_states;
                let (id, is_new) = insert(&store, &state(number), &mut near, &mut claims);
                n_new += u32::from(is_new);
                ids.insert(number, id);
            }
            (ids, n_new)
        };
        let results: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || run(thread))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert_eq!(results.iter().map(|(_, n_new)| n_new).sum::<u32>(), n_states);
        let mut opened = OpenTree::default();
        for number in 0..n_states {
            let id = results[0].0[&number];
            assert!(results.iter().all(|(ids, _)| ids[&number] == id));
            assert_eq!(store.session().open(id, &mut opened), Some(&state(number)[..]));
        }
        let ids = (0..store.n_claimed()).map(StateId::from_index);
        let n_held = ids.filter(|&id| store.session().open(id, &mut opened).is_some()).count();
        assert_eq!(n_held, n_states as usize);
    }

    #[test]
    fn no_room_is_made_past_the_limit() {
        let store = SharedStore::new(&mut std::iter::empty(), 100_000);
        let (mut near, mut claims) = (OpenTree::default(), Claims::default());
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
        assert!(number > 1000 && store.bytes() < 110_000, "{number} {}", store.bytes());
    }
}
