//! A shared store as one thread uses it.
//!
//! A color says more than that a state has it: whoever sees a blue state relies on what it leads to being blue or on a path, and whoever
//! sees a red one on what its thread had waited for. The tables of a store order nothing but their own words,
//! so that a fence goes with every insertion and with every state that is found: what happened before the one is seen after
//! the other. (Without costs on processors that keep the order of writes anyway.)

use std::sync::atomic::{Ordering, fence};

use fathom_model::Stop;
use fathom_store::{Claims, NeedsRoom, Opened, Session, SharedStore};

/// A shared store as one thread uses it.
pub(super) struct View<'a> {
    store: &'a SharedStore,
    session: Option<Session<'a>>,
    opened: Opened,
    claims: Claims,
}

impl<'a> View<'a> {
    pub(super) fn new(store: &'a SharedStore) -> View<'a> {
        View { store, session: None, opened: Opened::default(), claims: Claims::default() }
    }

    /// Ends the session, so that others can make the store grow.
    pub(super) fn rest(&mut self) {
        self.session = None;
    }

    #[cold]
    fn make_room(&mut self) -> Result<(), Stop> {
        self.rest();
        if self.store.make_room() { Ok(()) } else { Err(Stop::Memory) }
    }

    #[inline]
    pub(super) fn key(&mut self, state: &[u8]) -> Result<u64, Stop> {
        loop {
            let session = self.session.get_or_insert_with(|| self.store.session());
            match session.key(state, &mut self.opened, &mut self.claims) {
                Ok(key) => return Ok(key),
                Err(NeedsRoom) => self.make_room()?,
            }
        }
    }

    /// Whether a state is there. Then everything that was put into any store before it, by whoever did, is there as well.
    #[inline]
    pub(super) fn knows(&mut self, key: u64) -> bool {
        let knows = self.session.get_or_insert_with(|| self.store.session()).knows(key);
        if knows {
            fence(Ordering::Acquire);
        }
        knows
    }

    #[inline]
    pub(super) fn prefetch(&mut self, key: u64) {
        self.session.get_or_insert_with(|| self.store.session()).prefetch(key);
    }

    /// Says whether it was new.
    #[inline]
    pub(super) fn insert(&mut self, key: u64) -> Result<bool, Stop> {
        fence(Ordering::Release);
        loop {
            let session = self.session.get_or_insert_with(|| self.store.session());
            match session.insert(key, &mut self.claims) {
                Ok(new) => return Ok(new.is_some()),
                Err(NeedsRoom) => self.make_room()?,
            }
        }
    }

    #[inline]
    pub(super) fn open(&mut self, key: u64, out: &mut Vec<u8>) {
        let session = self.session.get_or_insert_with(|| self.store.session());
        out.clear();
        out.extend_from_slice(session.open_key(key, &mut self.opened));
    }

    /// Whether a key is that of a state.
    #[inline]
    pub(super) fn is_key_of(&mut self, key: u64, state: &[u8], opened: &mut Opened) -> bool {
        self.session.get_or_insert_with(|| self.store.session()).open_key(key, opened) == state
    }
}
