//! The engines for infinite runs: what they find, and how limits end them.

use fathom_model::{Accepting, NoRegion, PropertyId, Steps, Stop, System};

use crate::{NoMonitor, Options, Outcome, Progress, nested_depth_first_parallel, replay, strong_components};

/// A long tail into a ring, with a short cut and an accepting state on the ring, or nowhere.
struct TailAndRing {
    tail: u32,
    ring: u32,
    accepting: Option<u32>,
}

impl System for TailAndRing {
    type Region = NoRegion;
    type Label = ();
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, (): &mut (), out: &mut Steps<NoRegion, ()>) {
        out.push(&0_u32.to_le_bytes(), NoRegion, &[]);
    }

    fn successors(&self, state: &[u8], _: &NoRegion, (): &mut (), out: &mut Steps<NoRegion, ()>) {
        let at = u32::from_le_bytes(state.try_into().expect("four bytes"));
        let last = self.tail + self.ring - 1;
        let next = if at == last { self.tail } else { at + 1 };
        out.push(&next.to_le_bytes(), NoRegion, &[]);
        if at == 0 {
            // The short cut is the last choice: a depth-first search takes the tail first.
            out.push(&self.tail.to_le_bytes(), NoRegion, &[]);
        }
    }
}

impl Accepting for TailAndRing {
    fn n_sets(&self) -> u32 {
        1
    }

    fn marks(&self, state: &[u8], (): &(), _: usize) -> u64 {
        u64::from(self.is_accepting(state))
    }

    fn is_state_based(&self) -> bool {
        true
    }

    fn is_accepting(&self, state: &[u8]) -> bool {
        Some(u32::from_le_bytes(state.try_into().expect("four bytes"))) == self.accepting
    }

    fn is_passing(&self, state: &[u8]) -> bool {
        u32::from_le_bytes(state.try_into().expect("four bytes")) < self.tail
    }
}

fn options() -> Options {
    Options { properties: vec![PropertyId(0)], ..Options::default() }
}

fn run_all(system: &TailAndRing, options: &Options) -> Vec<Outcome> {
    let mut outcomes = vec![strong_components(system, options, &mut NoMonitor)];
    for n_threads in [1, 3] {
        outcomes.push(nested_depth_first_parallel(system, n_threads, options, &mut NoMonitor));
    }
    outcomes
}

#[test]
fn a_lasso_takes_the_short_cut_and_goes_round_once() {
    let system = TailAndRing { tail: 500, ring: 7, accepting: Some(503) };
    let outcome = strong_components(&system, &options(), &mut NoMonitor);
    let trace = outcome.evidence[0].1.as_ref().expect("a lasso");
    assert_eq!((trace.loop_at, trace.choices.len()), (Some(1), 8));
    replay(&system, trace).expect("a lasso of the system");
}

#[test]
fn all_engines_see_every_state_when_there_is_nothing_to_find() {
    for accepting in [None, Some(3)] {
        let system = TailAndRing { tail: 5000, ring: 3000, accepting };
        for outcome in run_all(&system, &options()) {
            assert_eq!((outcome.stop, outcome.statistics.states), (Stop::Exhausted, 8000));
            assert!(outcome.evidence[0].1.is_none());
        }
    }
}

#[test]
fn all_engines_find_the_cycle() {
    let system = TailAndRing { tail: 5000, ring: 3000, accepting: Some(6000) };
    for outcome in run_all(&system, &options()) {
        let trace = outcome.evidence[0].1.as_ref().expect("a lasso");
        assert_eq!(outcome.stop, Stop::Found);
        assert_eq!(trace.choices.len() - trace.loop_at.expect("a loop"), 3000);
        replay(&system, trace).expect("a lasso of the system");
    }
}

#[test]
fn a_limit_on_states_ends_the_search() {
    let system = TailAndRing { tail: 50_000, ring: 3000, accepting: Some(51_000) };
    for outcome in run_all(&system, &Options { max_states: Some(1000), ..options() }) {
        assert_eq!(outcome.stop, Stop::States);
        assert!(outcome.evidence[0].1.is_none());
    }
}

#[test]
fn as_many_states_as_there_may_be_are_no_reason_to_stop() {
    // The tail is only passed: it is known and on the path at once, and counts once.
    let system = TailAndRing { tail: 5000, ring: 3000, accepting: None };
    for outcome in run_all(&system, &Options { max_states: Some(8000), ..options() }) {
        assert_eq!((outcome.stop, outcome.statistics.states), (Stop::Exhausted, 8000));
    }
}

#[test]
fn a_long_path_counts_as_memory() {
    // No state is in a store before the ring is closed.
    let system = TailAndRing { tail: 0, ring: 200_000, accepting: None };
    for outcome in run_all(&system, &Options { max_bytes: Some(6_000_000), ..options() }) {
        assert_eq!(outcome.stop, Stop::Memory);
    }
}

/// A system that is broken from some state on.
struct Broken(TailAndRing);

impl System for Broken {
    type Region = NoRegion;
    type Label = ();
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, (): &mut (), out: &mut Steps<NoRegion, ()>) {
        self.0.initial(&mut (), out);
    }

    fn successors(&self, state: &[u8], region: &NoRegion, (): &mut (), out: &mut Steps<NoRegion, ()>) {
        assert!(u32::from_le_bytes(state.try_into().expect("four bytes")) < 2500, "broken");
        self.0.successors(state, region, &mut (), out);
    }
}

impl Accepting for Broken {
    fn n_sets(&self) -> u32 {
        1
    }

    fn marks(&self, state: &[u8], (): &(), _: usize) -> u64 {
        self.0.marks(state, &(), 0)
    }

    fn is_state_based(&self) -> bool {
        true
    }

    fn is_accepting(&self, state: &[u8]) -> bool {
        self.0.is_accepting(state)
    }
}

#[test]
#[should_panic(expected = "panicked")]
fn a_thread_that_panics_ends_the_search() {
    let system = Broken(TailAndRing { tail: 5000, ring: 3000, accepting: None });
    nested_depth_first_parallel(&system, 2, &options(), &mut NoMonitor);
}

#[test]
fn the_monitor_ends_the_search() {
    let system = TailAndRing { tail: 3_000_000, ring: 3000, accepting: Some(3_001_000) };
    let mut stop = |progress: &Progress| (progress.states > 0).then_some(Stop::Cancelled);
    let outcome = strong_components(&system, &options(), &mut stop);
    assert_eq!(outcome.stop, Stop::Cancelled);
    assert!(outcome.statistics.states < 10_000);
    let outcome = nested_depth_first_parallel(&system, 2, &options(), &mut stop);
    assert!(matches!(outcome.stop, Stop::Cancelled | Stop::Found), "{:?}", outcome.stop);
}

#[test]
fn a_bound_on_depth_leaves_what_it_cuts_off_open() {
    let system = TailAndRing { tail: 100, ring: 300, accepting: Some(350) };
    let outcome = strong_components(&system, &Options { max_depth: Some(50), ..options() }, &mut NoMonitor);
    assert_eq!((outcome.stop, outcome.depth_cut), (Stop::Depth, true));
}
