//! Steps by what they depend on, for a search on packed states: see [`Projections`].
//!
//! A state is expanded portion by portion. What was seen before, in a state that agrees on what matters, comes from
//! memory; what was not is asked of the system and remembered. Where there is a finding, or no step at all, the state
//! is expanded in the usual way: that is rare, and says all there is to say.

use fathom_model::{ByteSet, Footprint, Region, Steps, Stop, System};
use fathom_store::{Projections, Remembered, StateId};

/// What is remembered about steps, with buffers.
#[derive(Debug)]
pub(crate) struct LocalSteps<R, L> {
    projections: Projections,
    footprint: Footprint,
    steps: Steps<R, L>,
    roots: Vec<u64>,
    /// Whether the system says nothing about footprints.
    is_off: bool,
    /// States since the last one that was compared.
    n_unchecked: u32,
}

/// A store of packed states, with the state that is expanded.
pub(crate) trait PackedStates<R> {
    /// See [`Store::version`](fathom_store::Store::version).
    fn version(&mut self, id: StateId) -> u64;

    /// See [`Store::bits_of`](fathom_store::Store::bits_of).
    fn bits_of(&mut self, id: StateId, bytes: &ByteSet) -> u64;

    /// The state that is expanded.
    fn open(&mut self, id: StateId) -> (&[u8], &R);

    /// The root of a state near to it.
    fn root(&mut self, state: &[u8]) -> Result<u64, Stop>;
}

impl<R: Region, L: Clone> LocalSteps<R, L> {
    /// Nothing is remembered yet.
    pub(crate) fn new() -> LocalSteps<R, L> {
        LocalSteps {
            projections: Projections::default(),
            footprint: Footprint::default(),
            steps: Steps::new(),
            roots: Vec::new(),
            is_off: false,
            n_unchecked: 0,
        }
    }

    /// The roots of all states that a state leads to, in the order of the system; none when it must be expanded in the
    /// usual way.
    #[inline]
    pub(crate) fn successors<S: System<Region = R, Label = L>>(
        &mut self,
        id: StateId,
        system: &S,
        scratch: &mut S::Scratch,
        states: &mut impl PackedStates<R>,
    ) -> Result<Option<&[u64]>, Stop> {
        if self.is_off {
            return Ok(None);
        }
        let version = states.version(id);
        let mut remembered = self.projections.look_up(version, id);
        if remembered != Remembered::All {
            if remembered == Remembered::NoPlan {
                remembered = self.begin(version, id, system, scratch, states);
            }
            while let Remembered::Until(portion) = remembered {
                remembered = self.learn(id, portion, system, scratch, states)?;
            }
        }
        if cfg!(debug_assertions) && remembered == Remembered::All {
            self.check(id, system, scratch, states)?;
        }
        let found = self.projections.found();
        Ok((remembered == Remembered::All && !found.is_empty()).then_some(found))
    }

    #[cold]
    fn begin<S: System<Region = R, Label = L>>(
        &mut self,
        version: u64,
        id: StateId,
        system: &S,
        scratch: &mut S::Scratch,
        states: &mut dyn PackedStates<R>,
    ) -> Remembered {
        let (state, region) = states.open(id);
        self.steps.clear();
        let n_portions = system.portions(state, region, scratch, &mut self.steps);
        let is_known = |portion| system.footprint(portion, state, scratch, &mut self.footprint);
        if !(0..n_portions).any(is_known) {
            self.is_off = true;
            return Remembered::Nothing;
        }
        self.projections.begin(version, id, n_portions);
        Remembered::Until(0)
    }

    #[inline(never)]
    fn learn<S: System<Region = R, Label = L>>(
        &mut self,
        id: StateId,
        portion: usize,
        system: &S,
        scratch: &mut S::Scratch,
        states: &mut dyn PackedStates<R>,
    ) -> Result<Remembered, Stop> {
        let (state, region) = states.open(id);
        self.steps.clear();
        if portion == 0 {
            system.portions(state, region, scratch, &mut self.steps);
        }
        system.portion(portion..portion + 1, state, region, scratch, &mut self.steps);
        if !self.steps.findings().is_empty() {
            return Ok(Remembered::Nothing);
        }
        let needs_footprint = self.projections.needs_footprint(id, portion);
        let is_known = needs_footprint && system.footprint(portion, state, scratch, &mut self.footprint);
        self.roots.clear();
        for index in 0..self.steps.len() {
            self.roots.push(states.root(self.steps.state(index))?);
        }
        if needs_footprint {
            let mut bits_of = |bytes: &ByteSet| states.bits_of(id, bytes);
            self.projections.enter(id, portion, &self.footprint, is_known, &mut bits_of);
        }
        Ok(self.projections.learn(id, portion, &self.roots))
    }

    /// Now and then what was remembered is compared with what the system says.
    fn check<S: System<Region = R, Label = L>>(
        &mut self,
        id: StateId,
        system: &S,
        scratch: &mut S::Scratch,
        states: &mut dyn PackedStates<R>,
    ) -> Result<(), Stop> {
        const EVERY: u32 = 32;
        self.n_unchecked += 1;
        if self.n_unchecked < EVERY || self.projections.found().is_empty() {
            return Ok(());
        }
        self.n_unchecked = 0;
        let (state, region) = states.open(id);
        self.steps.clear();
        system.successors(state, region, scratch, &mut self.steps);
        self.roots.clear();
        for index in 0..self.steps.len() {
            self.roots.push(states.root(self.steps.state(index))?);
        }
        debug_assert_eq!(self.projections.found(), self.roots, "steps depend on their footprint alone");
        Ok(())
    }

    /// Bytes of memory in use.
    pub(crate) fn bytes(&self) -> usize {
        self.projections.bytes()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use fathom_model::NoRegion;

    use super::*;
    use crate::{NoMonitor, Options, Order, breadth_first, breadth_first_parallel, depth_first};

    /// Five counters from 0 to 7. The one with number i steps on when that of the counter named by byte 5 is not 3; the
    /// byte moves on, too, when counter 0 is even.
    struct Counters {
        /// Whether the footprints hold all that they should.
        is_honest: bool,
    }

    const N: usize = 5;

    impl Counters {
        fn steps_of(counter: usize, state: &[u8], out: &mut Steps<NoRegion, ()>) {
            let named = usize::from(state[N]);
            if state[named] != 3 || counter == named {
                let mut next = state.to_vec();
                next[counter] = (next[counter] + 1) % 8;
                out.push(&next, NoRegion, &[]);
                if counter == 0 && state[0].is_multiple_of(2) {
                    next[N] = (next[N] + 1) % N as u8;
                    out.push(&next, NoRegion, &[]);
                }
            }
        }
    }

    impl System for Counters {
        type Region = NoRegion;
        type Label = ();
        type Scratch = ();

        fn scratch(&self) {}

        fn initial(&self, (): &mut (), out: &mut Steps<NoRegion, ()>) {
            out.push(&[0; 16], NoRegion, &[]);
        }

        fn successors(&self, state: &[u8], _: &NoRegion, (): &mut (), out: &mut Steps<NoRegion, ()>) {
            (0..N).for_each(|counter| Counters::steps_of(counter, state, out));
        }

        fn portions(&self, _: &[u8], _: &NoRegion, (): &mut (), _: &mut Steps<NoRegion, ()>) -> usize {
            N
        }

        fn portion(
            &self,
            among: std::ops::Range<usize>,
            state: &[u8],
            _: &NoRegion,
            (): &mut (),
            out: &mut Steps<NoRegion, ()>,
        ) -> usize {
            for counter in among.clone() {
                Counters::steps_of(counter, state, out);
                if !out.is_empty() {
                    return counter + 1;
                }
            }
            among.end
        }

        fn footprint(&self, portion: usize, state: &[u8], (): &mut (), footprint: &mut Footprint) -> bool {
            footprint.clear();
            let mut layer = ByteSet::default();
            layer.insert(N as u32, 1);
            footprint.touched.add(&layer);
            footprint.touched.insert(portion as u32, 1);
            if self.is_honest {
                footprint.touched.insert(u32::from(state[N]), 1);
            }
            footprint.layers.push(layer);
            true
        }
    }

    fn n_reachable() -> (u64, u64) {
        let (mut known, mut waiting, mut n_steps) = (HashSet::new(), vec![vec![0; 16]], 0);
        known.insert(vec![0; 16]);
        while let Some(state) = waiting.pop() {
            let mut steps = Steps::new();
            Counters { is_honest: true }.successors(&state, &NoRegion, &mut (), &mut steps);
            n_steps += steps.len() as u64;
            for index in 0..steps.len() {
                if known.insert(steps.state(index).to_vec()) {
                    waiting.push(steps.state(index).to_vec());
                }
            }
        }
        (known.len() as u64, n_steps)
    }

    #[test]
    fn searches_from_memory_see_every_state_and_step() {
        let expected = n_reachable();
        let (system, options) = (Counters { is_honest: true }, Options::default());
        let outcomes = [
            breadth_first(&system, &options, &mut NoMonitor),
            breadth_first_parallel(&system, 3, &options, &mut NoMonitor),
            depth_first(&system, Order::AsGiven, &options, &mut NoMonitor),
        ];
        for outcome in outcomes {
            assert_eq!((outcome.statistics.states, outcome.statistics.transitions), expected);
        }
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "steps depend on their footprint alone")]
    fn a_footprint_that_is_too_small_is_noticed() {
        breadth_first(&Counters { is_honest: false }, &Options::default(), &mut NoMonitor);
    }
}
