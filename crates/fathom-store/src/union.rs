//! A store of unions: for each explicit part one region, the union of all that was reached with it.
//!
//! What is inserted is new where it is not in the union yet, and only this part is handed out to be expanded. For regions like
//! decision diagrams, whose unions are regions again, this is the reachability of symbolic model checking, one set for each explicit
//! part (Burch and others, "Symbolic Model Checking: 10^20 States and Beyond", 1990, with one part; da Costa, 2005, with many).
//! Nothing is ever covered: what was handed out is disjoint from what was handed out before.
//!
//! Since a state is handed out as less than what was reached, a list of choices does not say which composite states a search went
//! through. The store remembers what it handed out, in order, and [`UnionStore::handed_out`] finds the part that an insertion was.
//!
//! Depths are ignored: a search with a bound on depth must reach each state first on a shortest way.

use fathom_model::Unite;

use crate::parts::Parts;
use crate::plain::PlainParts;
use crate::store::{Insert, StateId, Store};

/// A store that hands out what is new: see the module header.
#[derive(Debug)]
pub struct UnionStore<R> {
    parts: PlainParts,
    /// By explicit part: everything reached with it.
    unions: Vec<R>,
    /// What was handed out, in order, with its explicit part.
    entries: Vec<(u32, R)>,
    max_states: u64,
    max_bytes: u64,
}

impl<R: Unite> Default for UnionStore<R> {
    fn default() -> UnionStore<R> {
        UnionStore::new()
    }
}

impl<R: Unite> UnionStore<R> {
    /// An empty store without limits.
    pub fn new() -> UnionStore<R> {
        UnionStore {
            parts: PlainParts::default(),
            unions: Vec::new(),
            entries: Vec::new(),
            max_states: u64::MAX,
            max_bytes: u64::MAX,
        }
    }

    /// The number of explicit parts.
    pub fn n_parts(&self) -> usize {
        self.unions.len()
    }

    /// Shows every explicit part with everything reached with it.
    pub fn for_each_part(&self, show: &mut dyn FnMut(&[u8], &R)) {
        for (part, union) in self.unions.iter().enumerate() {
            show(self.parts.open(part as u32, &mut Default::default()), union);
        }
    }

    /// What was handed out when a region was inserted: of the parts handed out for its explicit part, in order, the one that
    /// is the region without all before it. There is at most one: what was handed out for it leaves nothing of it for later.
    pub fn handed_out(&mut self, state: &[u8], region: &R) -> Option<R> {
        let key = self.parts.key(state, &mut Default::default())?;
        let part = self.parts.find(key, state).ok()?;
        let mut rest = Some(region.clone());
        for (_, entry) in self.entries.iter().filter(|(of, _)| *of == part) {
            let now = rest?;
            if now.includes(entry) && entry.includes(&now) {
                return Some(now);
            }
            rest = now.minus(entry).ok()?;
        }
        None
    }

    fn has_room(&self, length: usize) -> bool {
        if self.entries.len() as u64 >= self.max_states || self.entries.len() >= u32::MAX as usize {
            return false;
        }
        self.max_bytes == u64::MAX
            || self
                .parts
                .growth(length)
                .is_some_and(|growth| (self.bytes() + growth) as u64 <= self.max_bytes)
    }

    fn enter(&mut self, part: u32, region: R) -> Insert {
        if cfg!(debug_assertions) {
            region.assert_valid();
        }
        self.entries.push((part, region));
        Insert::New(StateId(self.entries.len() as u64 - 1))
    }
}

impl<R: Unite> Store<R> for UnionStore<R> {
    type Key = <PlainParts as Parts>::Key;
    type Opened = <PlainParts as Parts>::Opened;
    const NEEDS_BYTES: bool = true;
    const RECALLS: bool = true;

    fn key(&mut self, state: &[u8], near: &mut Self::Opened) -> Option<Self::Key> {
        loop {
            if let Some(key) = self.parts.key(state, near) {
                return Some(key);
            }
            self.parts.key_growth()?;
            self.parts.grow_for_keys();
        }
    }

    fn insert(&mut self, key: Self::Key, state: &[u8], region: &R, _: u32) -> Insert {
        match self.parts.find(key, state) {
            Ok(part) => {
                let known = &self.unions[part as usize];
                let (Ok(news), Ok(union)) = (region.minus(known), known.union(region)) else {
                    return Insert::Full;
                };
                match news {
                    None => Insert::Known,
                    Some(_) if !self.has_room(0) => Insert::Full,
                    Some(news) => {
                        self.unions[part as usize] = union;
                        self.enter(part, news)
                    }
                }
            }
            Err(_) if !self.has_room(state.len()) => Insert::Full,
            Err(vacant) => {
                let part = self.parts.fill(vacant, key, state);
                self.unions.push(region.clone());
                self.enter(part, region.clone())
            }
        }
    }

    fn knows(&self, key: Self::Key, state: &[u8], region: &R, _: u32) -> bool {
        self.parts.find(key, state).is_ok_and(|part| self.unions[part as usize].includes(region))
    }

    fn open<'a>(&'a self, id: StateId, opened: &'a mut Self::Opened) -> (&'a [u8], &'a R) {
        let (part, region) = &self.entries[id.0 as usize];
        (self.parts.open(*part, opened), region)
    }

    fn is_covered(&self, _: StateId) -> bool {
        false
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn bytes(&self) -> usize {
        let regions =
            self.unions.capacity() * size_of::<R>() + self.entries.capacity() * size_of::<(u32, R)>();
        self.parts.bytes() + regions
    }

    fn set_limits(&mut self, max_states: u64, max_bytes: u64) {
        self.max_states = max_states;
        self.max_bytes = max_bytes;
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use fathom_model::{NoRoomForRegion, Region};

    use super::*;

    /// Sets of numbers below 64.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    struct Bits(u64);

    impl Region for Bits {
        fn includes(&self, other: &Bits) -> bool {
            other.0 & !self.0 == 0
        }
    }

    impl Unite for Bits {
        fn minus(&self, other: &Bits) -> Result<Option<Bits>, NoRoomForRegion> {
            let rest = self.0 & !other.0;
            Ok((rest != 0).then_some(Bits(rest)))
        }

        fn union(&self, other: &Bits) -> Result<Bits, NoRoomForRegion> {
            Ok(Bits(self.0 | other.0))
        }
    }

    fn opened(store: &UnionStore<Bits>, id: StateId) -> (Vec<u8>, Bits) {
        let mut nothing = ();
        let (state, region) = store.open(id, &mut nothing);
        (state.to_vec(), *region)
    }

    #[test]
    fn only_what_is_new_is_handed_out() {
        let mut store: UnionStore<Bits> = UnionStore::new();
        let Insert::New(first) = store.put(b"a", &Bits(0b0011), 0) else { panic!("new") };
        let Insert::New(second) = store.put(b"a", &Bits(0b0110), 1) else { panic!("new") };
        assert_eq!(opened(&store, first), (b"a".to_vec(), Bits(0b0011)));
        assert_eq!(opened(&store, second), (b"a".to_vec(), Bits(0b0100)));
        assert_eq!(store.put(b"a", &Bits(0b0111), 2), Insert::Known, "two regions together include it");
        let Insert::New(other) = store.put(b"b", &Bits(0b0111), 2) else { panic!("another explicit part") };
        assert_eq!(opened(&store, other), (b"b".to_vec(), Bits(0b0111)));
        assert_eq!((store.len(), store.n_parts()), (3, 2));
    }

    #[test]
    fn what_was_handed_out_for_an_insertion_is_found_again() {
        let mut store: UnionStore<Bits> = UnionStore::new();
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut inserted = Vec::new();
        for _ in 0..300 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let state = [(seed >> 60) as u8];
            let region = Bits(1 << (seed >> 20 & 63) | 1 << (seed >> 30 & 63) | 1 << (seed >> 40 & 63));
            if let Insert::New(id) = store.put(&state, &region, 0) {
                inserted.push((state, region, opened(&store, id).1));
            }
        }
        assert!(inserted.len() > 50);
        for (state, region, news) in inserted {
            assert_eq!(store.handed_out(&state, &region), Some(news));
        }
        assert_eq!(store.handed_out(b"never", &Bits(1)), None);
    }

    #[test]
    fn a_limit_on_states_is_kept() {
        let mut store: UnionStore<Bits> = UnionStore::new();
        store.set_limits(2, u64::MAX);
        assert!(matches!(store.put(b"a", &Bits(1), 0), Insert::New(_)));
        assert!(matches!(store.put(b"a", &Bits(2), 0), Insert::New(_)));
        assert_eq!(store.put(b"a", &Bits(4), 0), Insert::Full);
        assert_eq!(store.put(b"b", &Bits(4), 0), Insert::Full);
        assert_eq!(store.put(b"a", &Bits(3), 0), Insert::Known);
    }
}
