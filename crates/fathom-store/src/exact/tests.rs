//! The exact store against an obvious model of it: a list of everything inserted.

use std::collections::{BTreeMap, HashMap};

use fathom_model::NoRegion;
use proptest::prelude::*;

use super::*;

/// All whole numbers from `low` to `high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Interval {
    low: u8,
    high: u8,
}

impl Region for Interval {
    fn includes(&self, other: &Interval) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    // Not true, but it makes visible that heap bytes are counted and given back.
    fn heap_size(&self) -> usize {
        100
    }

    fn assert_valid(&self) {
        assert!(self.low <= self.high);
    }
}

fn interval(low: u8, high: u8) -> Interval {
    Interval { low, high }
}

/// Few letters and short strings: many come up again, and many are prefixes of others.
fn explicit_part() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(0..3_u8, 0..7)
}

fn some_interval() -> impl Strategy<Value = Interval> {
    (0..12_u8, 0..12_u8).prop_map(|(one, other)| interval(one.min(other), one.max(other)))
}

/// An insertion: one of few explicit parts, a region, a depth.
fn insertion() -> impl Strategy<Value = (Vec<u8>, Interval, u32)> {
    (prop::collection::vec(0..2_u8, 0..3), some_interval(), 0..6_u32)
}

fn knows<R: Region, P: Parts>(store: &mut ExactStore<R, P>, state: &[u8], region: &R, depth: u32) -> bool {
    let key = store.key(state, &mut P::Opened::default()).unwrap();
    store.knows(key, state, region, depth)
}

fn state_of<R: Region, P: Parts>(store: &ExactStore<R, P>, id: StateId) -> Vec<u8> {
    store.open(id, &mut P::Opened::default()).0.to_vec()
}

/// The same facts for both kinds of explicit parts.
macro_rules! for_all_parts {
    ($name:ident, $parts:ty) => {
        mod $name {
            use super::*;
            type Store<R> = ExactStore<R, $parts>;
            use crate::store::Store as _;

            proptest! {
                #[test]
                fn without_regions_the_store_is_a_set_in_order_of_insertion(
                    strings in prop::collection::vec(explicit_part(), 0..3000),
                ) {
                    let mut store = Store::<NoRegion>::new(Keep::Covered);
                    let mut ids: HashMap<Vec<u8>, StateId> = HashMap::new();
                    for string in &strings {
                        prop_assert_eq!(knows(&mut store, string, &NoRegion, 0), ids.contains_key(string));
                        let expected = match ids.get(string) {
                            Some(_) => Insert::Known,
                            None => Insert::New(StateId(ids.len() as u64)),
                        };
                        prop_assert_eq!(store.put(string, &NoRegion, 0), expected);
                        if let Insert::New(id) = expected {
                            ids.insert(string.clone(), id);
                        }
                        prop_assert_eq!(store.len(), ids.len());
                    }
                    for string in &strings {
                        let id = ids[string];
                        prop_assert_eq!(&state_of(&store, id), string);
                        prop_assert!(!store.is_covered(id));
                    }
                }

                #[test]
                fn without_regions_a_state_is_new_again_only_at_a_smaller_depth(
                    insertions in prop::collection::vec((explicit_part(), 0..9_u32), 0..2000),
                ) {
                    let mut store = Store::<NoRegion>::new(Keep::Depths);
                    let mut least: HashMap<Vec<u8>, u32> = HashMap::new();
                    for (string, depth) in &insertions {
                        let is_new = least.get(string).is_none_or(|least| depth < least);
                        prop_assert_eq!(knows(&mut store, string, &NoRegion, *depth), !is_new);
                        let answer = store.put(string, &NoRegion, *depth);
                        prop_assert_eq!(matches!(answer, Insert::New(_)), is_new);
                        if let Insert::New(id) = answer {
                            prop_assert_eq!(&state_of(&store, id), string);
                        }
                        if is_new {
                            least.insert(string.clone(), *depth);
                        }
                        prop_assert_eq!(store.len(), least.len());
                    }
                }

                #[test]
                fn regions_are_known_when_included_and_covered_when_swallowed(
                    insertions in prop::collection::vec(insertion(), 0..300),
                ) {
                    let mut store = Store::new(Keep::Covered);
                    // By id; `true` when covered.
                    let mut model: Vec<(Vec<u8>, Interval, bool)> = Vec::new();
                    for (part, region, depth) in &insertions {
                        let is_known = model.iter().any(|(p, r, _)| p == part && r.includes(region));
                        prop_assert_eq!(knows(&mut store, part, region, *depth), is_known);
                        match store.put(part, region, *depth) {
                            Insert::Known => prop_assert!(is_known),
                            Insert::New(id) => {
                                prop_assert!(!is_known);
                                prop_assert_eq!(id, StateId(model.len() as u64));
                                for (p, r, covered) in &mut model {
                                    *covered |= p == part && region.includes(r);
                                }
                                model.push((part.clone(), *region, false));
                            }
                            Insert::Full => panic!("no limits"),
                        }
                        prop_assert_eq!(store.len(), model.iter().filter(|(_, _, covered)| !covered).count());
                    }
                    for (index, (part, region, covered)) in model.iter().enumerate() {
                        let id = StateId(index as u64);
                        let mut opened = Default::default();
                        prop_assert_eq!(store.open(id, &mut opened), (&part[..], region));
                        prop_assert_eq!(store.is_covered(id), *covered);
                    }
                }

                #[test]
                fn ids_are_used_again_when_nothing_refers_to_them(
                    insertions in prop::collection::vec(insertion(), 0..300),
                    keep in prop_oneof![Just(Keep::States), Just(Keep::Depths), Just(Keep::CoveredDepths)],
                ) {
                    let mut store = Store::new(keep);
                    let mut live: BTreeMap<usize, (Vec<u8>, Interval, u32)> = BTreeMap::new();
                    let mut most = 0;
                    for (part, region, depth) in &insertions {
                        // Without depths, all depths are alike.
                        let depth = if keep.keeps_depths() { *depth } else { 0 };
                        let includes = |big: &(Vec<u8>, Interval, u32), small: &(Vec<u8>, Interval, u32)| {
                            big.0 == small.0 && big.1.includes(&small.1) && big.2 <= small.2
                        };
                        let new = (part.clone(), *region, depth);
                        let is_known = live.values().any(|old| includes(old, &new));
                        prop_assert_eq!(knows(&mut store, part, region, depth), is_known);
                        match store.put(part, region, depth) {
                            Insert::Known => prop_assert!(is_known),
                            Insert::New(id) => {
                                prop_assert!(!is_known);
                                live.retain(|_, old| !includes(&new, old));
                                let before = live.insert(id.0 as usize, new);
                                prop_assert!(before.is_none(), "the id of a state that still counts");
                            }
                            Insert::Full => panic!("no limits"),
                        }
                        most = most.max(live.len());
                        prop_assert_eq!(store.len(), live.len());
                        prop_assert_eq!(store.region_heap, store.regions.len() * 100);
                        prop_assert!(keep.keeps_covered() || store.regions.len() <= most + 1, "ids are lost");
                    }
                    for (index, (part, region, _)) in &live {
                        let id = StateId(*index as u64);
                        let mut opened = Default::default();
                        prop_assert_eq!(store.open(id, &mut opened), (&part[..], region));
                    }
                }

                #[test]
                fn a_limit_on_bytes_is_kept_and_what_is_known_stays_known(
                    max_bytes in 3000..60_000_usize,
                    length in 1..40_usize,
                ) {
                    let mut store = Store::<NoRegion>::new(Keep::Covered);
                    store.set_limits(u64::MAX, max_bytes as u64);
                    let state = |number: u32| {
                        let mut state = vec![0; length + 4];
                        state[..4].copy_from_slice(&number.to_le_bytes());
                        state
                    };
                    let mut n_states = 0;
                    while let Insert::New(_) = store.put(&state(n_states), &NoRegion, 0) {
                        n_states += 1;
                        // The first few bytes of each table are not foreseen.
                        prop_assert!(store.bytes() <= max_bytes + 200);
                    }
                    prop_assert_eq!(store.len(), n_states as usize);
                    prop_assert_eq!(store.put(&state(n_states), &NoRegion, 0), Insert::Full);
                    for number in 0..n_states {
                        prop_assert_eq!(store.put(&state(number), &NoRegion, 0), Insert::Known);
                    }
                }
            }

            #[test]
            fn a_limit_on_states_is_exact() {
                let mut store = Store::<NoRegion>::new(Keep::Covered);
                store.set_limits(2, u64::MAX);
                assert_eq!(store.put(b"a", &NoRegion, 0), Insert::New(StateId(0)));
                assert_eq!(store.put(b"b", &NoRegion, 0), Insert::New(StateId(1)));
                assert_eq!(store.put(b"a", &NoRegion, 0), Insert::Known);
                assert_eq!(store.put(b"c", &NoRegion, 0), Insert::Full);
                assert!(!knows(&mut store, b"c", &NoRegion, 0));
                assert_eq!(store.len(), 2);
            }

            #[test]
            fn a_region_that_swallows_enough_fits_into_a_full_store() {
                let mut store = Store::new(Keep::Covered);
                store.set_limits(2, u64::MAX);
                assert_eq!(store.put(b"a", &interval(1, 2), 0), Insert::New(StateId(0)));
                assert_eq!(store.put(b"a", &interval(4, 5), 0), Insert::New(StateId(1)));
                assert_eq!(store.put(b"a", &interval(7, 8), 0), Insert::Full);
                assert_eq!(store.put(b"a", &interval(1, 3), 0), Insert::New(StateId(2)));
                assert!(store.is_covered(StateId(0)) && !store.is_covered(StateId(1)));
                assert_eq!(store.len(), 2);
            }
        }
    };
}

for_all_parts!(packed, PackedParts);
for_all_parts!(plain, crate::plain::PlainParts);

#[test]
fn without_regions_nothing_is_stored_for_them() {
    let mut store = ExactStore::<NoRegion>::new(Keep::States);
    let n_states = 100_000_u32;
    for number in 0..n_states {
        store.put(&number.to_le_bytes(), &NoRegion, 0);
    }
    for words in [&store.depths, &store.heads, &store.links, &store.part_of, &store.free] {
        assert_eq!(words.capacity(), 0);
    }
    // One leaf and one root for each, at most sixteen bytes each.
    assert!(store.bytes() <= 32 * n_states as usize, "{}", store.bytes());
}
