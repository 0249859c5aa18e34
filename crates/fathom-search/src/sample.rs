//! A few thousand states, to fit a store to.
//!
//! Random walks from the initial states, each longer than the one before: unlike the first levels of a breadth-first
//! search they also get to where most states are. The walks end as soon as they find little that is new, and remember
//! what each state leads to, so that a small system costs next to nothing however slow its steps are. What they come
//! across does not count as explored.
//!
//! A sample is gone before the search begins, and so should be its memory: it is a few large pieces, which go back to where they
//! came from. Thousands of small ones would leave room that only small ones can use.

use std::ops::Range;

use fathom_model::{ByteSet, Footprint, Region, Steps, System};
use fathom_store::Store;
use rapidhash::v3::rapidhash_v3;
use rustc_hash::FxHashMap;

use crate::options::Options;
use crate::random::Random;

/// States that are enough, for a search of any size.
const ENOUGH: usize = 16_384;
/// The part of the states of a small search that is enough, and fewest of them.
const PART: usize = 16;
const FEWEST: usize = 256;
/// Expansions that are enough.
const ENOUGH_WORK: usize = 32_768;
/// Steps of the first walk; each one goes on a little longer than the one before.
const WALK: usize = 64;
/// Expansions in a row without a new state after which the walks end.
const BARREN: usize = 512;
/// States shorter than this have nothing to be fitted: they are their own keys.
const SHORT: usize = 8;

/// Fits an empty store to a system, for a search with these options.
pub(crate) fn fit_to_sample<S: System, St: Store<S::Region>>(system: &S, options: &Options, store: &mut St) {
    let sample = sample(system, options);
    if !sample.is_empty() {
        store.keep_apart(&places(system, &sample));
        store.fit(&mut sample.iter());
    }
}

/// States one behind the other.
#[derive(Default, Debug)]
pub(crate) struct Sample {
    bytes: Vec<u8>,
    /// By state: where it ends.
    ends: Vec<usize>,
}

impl Sample {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The states, in the order in which they were found.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|index| self.state(index))
    }

    fn state(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    fn push(&mut self, state: &[u8]) {
        self.bytes.extend_from_slice(state);
        self.ends.push(self.bytes.len());
    }
}

/// The bytes of sampled states that decide what others mean: where the processes are.
pub(crate) fn places<S: System>(system: &S, sample: &Sample) -> ByteSet {
    let mut places = ByteSet::default();
    let (Some(state), 0) = (sample.iter().last(), size_of::<S::Region>()) else {
        return places;
    };
    let (mut scratch, mut steps) = (system.scratch(), Steps::new());
    system.initial(&mut scratch, &mut steps);
    if steps.is_empty() {
        return places;
    }
    let region = steps.region(0).clone();
    let mut footprint = Footprint::default();
    for portion in 0..system.portions(state, &region, &mut scratch, &mut steps) {
        system.footprint(portion, state, &mut scratch, &mut footprint);
        if let Some(place) = footprint.layers.first() {
            places.add(place);
        }
    }
    places
}

/// The states on some random walks, each once, the same every time. For a search of a few states, it is fewer still.
pub(crate) fn sample<S: System>(system: &S, options: &Options) -> Sample {
    let mut scratch = system.scratch();
    let mut initial = Steps::new();
    system.initial(&mut scratch, &mut initial);
    if (0..initial.len()).all(|index| initial.state(index).len() < SHORT) {
        return Sample::default();
    }
    let mut random = Random::new(1);
    let part = options.max_states.map_or(ENOUGH, |most| most as usize / PART);
    let mut found = Walks { enough: part.clamp(FEWEST, ENOUGH), ..Walks::default() };
    found.add(&initial);
    let mut steps = Steps::new();
    let mut length = WALK;
    // Whoever searches afterwards hears the alarm, too.
    while !found.is_enough() && !options.is_alarmed() {
        length = (length + length / 4).min(ENOUGH_WORK);
        let start = random.below(initial.len());
        let (mut state, mut region) = (initial.state(start).to_vec(), initial.region(start).clone());
        for _ in 0..length {
            if let Some(next) = found.known_steps(&state, &region) {
                if next.is_empty() || found.is_enough() || options.is_alarmed() {
                    break;
                }
                let next = found.next[next.start + random.below(next.len())];
                state.clear();
                state.extend_from_slice(found.states.state(next as usize));
                continue;
            }
            steps.clear();
            system.successors(&state, &region, &mut scratch, &mut steps);
            found.expand(&state, &steps);
            if steps.is_empty() || found.is_enough() || options.is_alarmed() {
                break;
            }
            let choice = random.below(steps.len());
            state.clear();
            state.extend_from_slice(steps.state(choice));
            region = steps.region(choice).clone();
        }
    }
    found.states
}

/// What walks have come across.
#[derive(Default)]
struct Walks {
    /// States that are enough.
    enough: usize,
    states: Sample,
    /// By the hash of a state its number: nothing depends on a state that is left out because it has the hash of another one.
    seen: FxHashMap<u64, u32>,
    /// Numbers of states that others lead to.
    next: Vec<u32>,
    /// By the hash of a state what it leads to, as places in `next`; for systems without regions.
    known: FxHashMap<u64, Range<usize>>,
    n_expanded: usize,
    /// Expansions since the last new state.
    n_barren: usize,
}

impl Walks {
    /// What a state leads to, if that is known: it counts as another expansion, so that walks are the same with and without.
    fn known_steps<R: Region>(&mut self, state: &[u8], _: &R) -> Option<Range<usize>> {
        if size_of::<R>() > 0 {
            return None;
        }
        let next = self.known.get(&rapidhash_v3(state))?.clone();
        self.n_expanded += 1;
        self.n_barren += 1;
        Some(next)
    }

    fn expand<R: Region, L>(&mut self, state: &[u8], steps: &Steps<R, L>) {
        let start = self.next.len();
        self.add(steps);
        if size_of::<R>() == 0 {
            self.known.insert(rapidhash_v3(state), start..self.next.len());
        }
    }

    /// Adds states, and the numbers of all of them to what others lead to; of more than are enough for a sample some, evenly spread.
    fn add<R: Region, L>(&mut self, steps: &Steps<R, L>) {
        self.n_expanded += 1;
        self.n_barren += 1;
        let stride = steps.len().div_ceil(ENOUGH).max(1);
        for index in (0..steps.len()).step_by(stride) {
            let number = self.states.len() as u32;
            let number = *self.seen.entry(rapidhash_v3(steps.state(index))).or_insert(number);
            if number as usize == self.states.len() {
                self.states.push(steps.state(index));
                self.n_barren = 0;
            }
            self.next.push(number);
        }
    }

    fn is_enough(&self) -> bool {
        self.states.len() >= self.enough || self.n_expanded >= ENOUGH_WORK || self.n_barren >= BARREN
    }
}

#[cfg(test)]
mod tests {
    use fathom_model::NoRegion;

    use super::*;

    /// One long state that leads nowhere.
    struct Dead;

    impl System for Dead {
        type Region = NoRegion;
        type Label = ();
        type Scratch = ();

        fn scratch(&self) {}

        fn initial(&self, (): &mut (), out: &mut Steps<NoRegion, ()>) {
            out.push(&[7; 2 * SHORT], NoRegion, &[]);
        }

        fn successors(&self, _: &[u8], _: &NoRegion, (): &mut (), _: &mut Steps<NoRegion, ()>) {}
    }

    /// One long state that leads to ever more.
    struct Endless;

    impl System for Endless {
        type Region = NoRegion;
        type Label = ();
        type Scratch = ();

        fn scratch(&self) {}

        fn initial(&self, (): &mut (), out: &mut Steps<NoRegion, ()>) {
            out.push(&[0; 2 * SHORT], NoRegion, &[]);
        }

        fn successors(&self, state: &[u8], _: &NoRegion, (): &mut (), out: &mut Steps<NoRegion, ()>) {
            let mut next = state.to_vec();
            next[..8].copy_from_slice(&rapidhash_v3(state).to_le_bytes());
            out.push(&next, NoRegion, &[]);
        }
    }

    /// As many initial states as nobody wants to look at.
    struct Many;

    /// Initial states of [`Many`].
    const MANY: u32 = 10 * ENOUGH as u32;

    impl System for Many {
        type Region = NoRegion;
        type Label = ();
        type Scratch = ();

        fn scratch(&self) {}

        fn initial(&self, (): &mut (), out: &mut Steps<NoRegion, ()>) {
            for number in 0..MANY {
                out.push(&[number.to_le_bytes(), [0; 4]].concat(), NoRegion, &[]);
            }
        }

        fn successors(&self, _: &[u8], _: &NoRegion, (): &mut (), _: &mut Steps<NoRegion, ()>) {}
    }

    #[test]
    fn of_very_many_initial_states_a_few_are_looked_at() {
        let found = sample(&Many, &Options::default());
        assert!((ENOUGH / 2..=ENOUGH).contains(&found.len()), "{}", found.len());
        let last = found.state(found.len() - 1);
        assert!(u32::from_le_bytes([last[0], last[1], last[2], last[3]]) > MANY / 10 * 9, "from all over");
    }

    #[test]
    fn walks_hear_that_it_is_time_to_stop() {
        assert!(sample(&Endless, &Options::default()).len() > FEWEST);
        let alarm = Some(std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true)));
        assert_eq!(sample(&Endless, &Options { alarm, ..Options::default() }).len(), 1);
    }

    /// A ring of a few long states, which counts its expansions.
    #[derive(Default)]
    struct Ring(std::cell::Cell<usize>);

    impl System for Ring {
        type Region = NoRegion;
        type Label = ();
        type Scratch = ();

        fn scratch(&self) {}

        fn initial(&self, (): &mut (), out: &mut Steps<NoRegion, ()>) {
            out.push(&[0; 2 * SHORT], NoRegion, &[]);
        }

        fn successors(&self, state: &[u8], _: &NoRegion, (): &mut (), out: &mut Steps<NoRegion, ()>) {
            self.0.set(self.0.get() + 1);
            out.push(&[(state[0] + 1) % 5; 2 * SHORT], NoRegion, &[]);
            out.push(&[0; 2 * SHORT], NoRegion, &[]);
        }
    }

    #[test]
    fn no_state_is_expanded_twice() {
        let ring = Ring::default();
        assert_eq!(sample(&ring, &Options::default()).len(), 5);
        assert_eq!(ring.0.get(), 5);
    }

    #[test]
    fn walks_that_all_end_at_once_come_to_an_end() {
        let sample = sample(&Dead, &Options::default());
        assert_eq!(sample.iter().collect::<Vec<_>>(), [&[7; 2 * SHORT]]);
    }
}
