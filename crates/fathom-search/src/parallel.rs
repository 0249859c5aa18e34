//! What the parallel engines have in common: the store, the counts and the reason to stop that threads share,
//! and the session of one thread.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use fathom_model::{ByteSet, Region, Steps, Stop, System};
use fathom_store::{Claims, NeedsRoom, Opened, Session, SharedStore, StateId};

use crate::local_steps::{LocalSteps, PackedStates};
use crate::options::Options;
use crate::sample::{places, sample};

/// What all threads of a search share.
pub(crate) struct Shared<'a, S: System> {
    pub(crate) system: &'a S,
    pub(crate) options: &'a Options,
    pub(crate) store: SharedStore,
    pub(crate) n_states: AtomicU64,
    pub(crate) n_transitions: AtomicU64,
    pub(crate) n_matched: AtomicU64,
    /// Bytes in which threads remember steps.
    local_bytes: AtomicUsize,
    /// Whether to stop, as soon as a thread looks.
    is_stopped: AtomicBool,
    stop: Mutex<Option<Stop>>,
}

impl<'a, S: System> Shared<'a, S> {
    /// Everything at its beginning, with a store fitted to the system.
    pub(crate) fn new(system: &'a S, options: &'a Options) -> Shared<'a, S> {
        let sample = sample(system, options);
        let max_bytes = options.max_bytes.unwrap_or(u64::MAX);
        Shared {
            system,
            options,
            store: SharedStore::with_bytes_apart(&mut sample.iter(), &places(system, &sample), max_bytes),
            n_states: AtomicU64::new(0),
            n_transitions: AtomicU64::new(0),
            n_matched: AtomicU64::new(0),
            local_bytes: AtomicUsize::new(0),
            is_stopped: AtomicBool::new(false),
            stop: Mutex::new(None),
        }
    }

    /// Bytes of memory in use, without what waits to be expanded.
    pub(crate) fn bytes(&self) -> usize {
        self.store.bytes() + self.local_bytes.load(Ordering::Relaxed)
    }

    /// Whether some thread has a reason to stop.
    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// Stops all threads. The first reason counts.
    pub(crate) fn stop(&self, reason: Stop) {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason);
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// The reason to stop, if there is one.
    pub(crate) fn reason(&self) -> Option<Stop> {
        *self.stop.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds what a thread has done since it last said so, and stops when there are too many states or bytes.
    /// The limits may be passed by what the threads do at the same time. The caller must not be in a session.
    pub(crate) fn count(&self, done: &mut Done) {
        let Done { n_states, n_transitions, n_matched } = std::mem::take(done);
        let n_before = self.n_states.fetch_add(n_states, Ordering::Relaxed);
        self.n_transitions.fetch_add(n_transitions, Ordering::Relaxed);
        self.n_matched.fetch_add(n_matched, Ordering::Relaxed);
        if self.options.max_states.is_some_and(|max_states| n_before + n_states > max_states) {
            self.stop(Stop::States);
        }
        if self.options.max_bytes.is_some_and(|max_bytes| self.bytes() as u64 > max_bytes) {
            self.stop(Stop::Memory);
        }
    }
}

/// What a thread has done.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Done {
    pub(crate) n_states: u64,
    pub(crate) n_transitions: u64,
    pub(crate) n_matched: u64,
}

/// An insertion that is held back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldBack {
    pub(crate) key: u64,
    /// The number of the state expanded, and the step.
    pub(crate) parent: u32,
    pub(crate) choice: u32,
}

/// One thread: its buffers, and its session while it has one.
pub(crate) struct Worker<'a, S: System> {
    pub(crate) shared: &'a Shared<'a, S>,
    session: Option<Session<'a>>,
    pub(crate) scratch: S::Scratch,
    pub(crate) steps: Steps<S::Region, S::Label>,
    /// What is remembered about the steps of others, if that can be used.
    local_steps: Option<LocalSteps<S::Region, S::Label>>,
    /// The bytes of it that all threads know of.
    local_bytes: usize,
    /// The keys of all that the state expanded last leads to. If that was remembered, there are no steps.
    keys: Vec<u64>,
    /// A region without size: they are all alike.
    region: Option<S::Region>,
    opened: Opened,
    claims: Claims,
    pub(crate) done: Done,
}

impl<'a, S: System> Worker<'a, S> {
    /// A thread that has done nothing. Its steps are the initial states.
    pub(crate) fn new(shared: &'a Shared<'a, S>) -> Worker<'a, S> {
        assert!(size_of::<S::Region>() == 0, "threads share states without regions only");
        let mut scratch = shared.system.scratch();
        let mut steps = Steps::new();
        shared.system.initial(&mut scratch, &mut steps);
        let region = (!steps.is_empty()).then(|| steps.region(0).clone());
        Worker {
            shared,
            session: None,
            scratch,
            steps,
            local_steps: shared.options.max_depth.is_none().then(LocalSteps::new),
            local_bytes: 0,
            keys: Vec::new(),
            region,
            opened: Opened::default(),
            claims: Claims::default(),
            done: Done::default(),
        }
    }

    #[inline]
    fn session(&mut self) -> &Session<'a> {
        self.session.get_or_insert_with(|| self.shared.store.session())
    }

    /// Ends the session, so that others can make the store grow. Must be called before the thread waits.
    pub(crate) fn end_session(&mut self) {
        self.session = None;
        let local_bytes = self.local_steps.as_ref().map_or(0, LocalSteps::bytes);
        if local_bytes != self.local_bytes {
            // They may also become fewer: the sum is right all the same.
            self.shared.local_bytes.fetch_add(local_bytes.wrapping_sub(self.local_bytes), Ordering::Relaxed);
            self.local_bytes = local_bytes;
        }
    }

    /// Expands a state: what it leads to is in `keys`. If there are findings, they are in `steps`.
    #[inline]
    pub(crate) fn expand(&mut self, id: StateId) -> Result<(), Stop> {
        self.steps.clear();
        if !self.expand_from_memory(id)? {
            self.expand_to_steps(id)?;
        }
        self.done.n_transitions += self.keys.len() as u64;
        Ok(())
    }

    /// Expands a state by what is remembered; false when that is not enough.
    #[inline]
    fn expand_from_memory(&mut self, id: StateId) -> Result<bool, Stop> {
        let (Some(local_steps), Some(region)) = (&mut self.local_steps, &self.region) else {
            return Ok(false);
        };
        let mut states = SharedStates {
            store: &self.shared.store,
            session: &mut self.session,
            opened: &mut self.opened,
            claims: &mut self.claims,
            region,
        };
        let found = local_steps.successors(id, self.shared.system, &mut self.scratch, &mut states)?;
        self.keys.clear();
        self.keys.extend_from_slice(found.unwrap_or_default());
        Ok(found.is_some())
    }

    fn expand_to_steps(&mut self, id: StateId) -> Result<(), Stop> {
        let session = self.session.get_or_insert_with(|| self.shared.store.session());
        let state = session.open(id, &mut self.opened);
        let region = self.region.as_ref().expect("there is a state, so there is a region");
        self.shared.system.successors(state, region, &mut self.scratch, &mut self.steps);
        self.make_keys()
    }

    /// Makes the keys of all steps.
    pub(crate) fn make_keys(&mut self) -> Result<(), Stop> {
        self.keys.clear();
        let session = self.session.get_or_insert_with(|| self.shared.store.session());
        session.keys_simply(&self.steps, &self.opened, &mut self.keys);
        for index in self.keys.len()..self.steps.len() {
            let key = self.key(index)?;
            self.keys.push(key);
        }
        Ok(())
    }

    fn key(&mut self, index: usize) -> Result<u64, Stop> {
        loop {
            let session = self.session.get_or_insert_with(|| self.shared.store.session());
            match session.key(self.steps.state(index), &mut self.opened, &mut self.claims) {
                Ok(key) => return Ok(key),
                Err(NeedsRoom) => self.make_room()?,
            }
        }
    }

    /// The keys of all that the state expanded last leads to.
    #[inline]
    pub(crate) fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Asks for the memory that insertions of all keys need.
    #[inline]
    pub(crate) fn prefetch(&mut self) {
        let session = self.session.get_or_insert_with(|| self.shared.store.session());
        self.keys.iter().for_each(|&key| session.prefetch(key));
    }

    /// Holds back the insertion of all keys, and asks for the memory that it needs. Keys that were made lately are
    /// known, as all keys that were made are inserted.
    #[inline]
    pub(crate) fn hold_back(&mut self, parent: u32, batch: &mut Vec<HeldBack>) {
        let session = self.session.get_or_insert_with(|| self.shared.store.session());
        for (choice, &key) in self.keys.iter().enumerate() {
            if session.was_seen(key, &mut self.opened) {
                self.done.n_matched += 1;
            } else {
                session.prefetch(key);
                batch.push(HeldBack { key, parent, choice: choice as u32 });
            }
        }
    }

    /// Remembers states; those that are to be expanded are told, with their ids.
    #[inline]
    pub(crate) fn insert_all(
        &mut self,
        mut batch: &[HeldBack],
        mut tell: impl FnMut(StateId, &HeldBack) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        while let Some((held_back, rest)) = batch.split_first() {
            if let Some(id) = self.insert(held_back.key)? {
                tell(id, held_back)?;
            }
            batch = rest;
        }
        Ok(())
    }

    /// Remembers a state. Gives its id when it is to be expanded, none when it is known.
    #[inline(always)]
    pub(crate) fn insert(&mut self, key: u64) -> Result<Option<StateId>, Stop> {
        loop {
            let session = self.session.get_or_insert_with(|| self.shared.store.session());
            match session.insert(key, &mut self.claims) {
                Ok(Some(id)) => {
                    self.done.n_states += 1;
                    return Ok(Some(id));
                }
                Ok(None) => {
                    self.done.n_matched += 1;
                    return Ok(None);
                }
                Err(NeedsRoom) => self.make_room()?,
            }
        }
    }

    /// Whether a state is known.
    #[inline]
    pub(crate) fn knows(&mut self, key: u64) -> bool {
        self.session().knows(key)
    }

    #[cold]
    fn make_room(&mut self) -> Result<(), Stop> {
        self.end_session();
        if self.shared.store.make_room() { Ok(()) } else { Err(Stop::Memory) }
    }
}

/// The shared store as one thread sees it while it expands a state.
struct SharedStates<'w, 'a, R> {
    store: &'a SharedStore,
    session: &'w mut Option<Session<'a>>,
    opened: &'w mut Opened,
    claims: &'w mut Claims,
    region: &'w R,
}

impl<'a, R> SharedStates<'_, 'a, R> {
    #[inline]
    fn session(&mut self) -> &Session<'a> {
        self.session.get_or_insert_with(|| self.store.session())
    }
}

impl<R: Region> PackedStates<R> for SharedStates<'_, '_, R> {
    #[inline]
    fn version(&mut self, id: StateId) -> u64 {
        self.session().version(id)
    }

    fn bits_of(&mut self, id: StateId, bytes: &ByteSet) -> u64 {
        self.session().bits_of(id, bytes)
    }

    fn open(&mut self, id: StateId) -> (&[u8], &R) {
        let session = self.session.get_or_insert_with(|| self.store.session());
        (session.open(id, self.opened), self.region)
    }

    fn root(&mut self, state: &[u8]) -> Result<u64, Stop> {
        loop {
            let session = self.session.get_or_insert_with(|| self.store.session());
            match session.key(state, self.opened, self.claims) {
                Ok(key) => return Ok(key),
                Err(NeedsRoom) => {
                    *self.session = None;
                    if !self.store.make_room() {
                        return Err(Stop::Memory);
                    }
                }
            }
        }
    }
}
