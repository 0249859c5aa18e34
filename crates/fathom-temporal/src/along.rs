//! A system held to one trace: which run of the automaton goes with it?
//!
//! Traces say nothing of the automaton that watched them ([`Product::project`](crate::Product::project)). To work on one as a trace
//! of the product again, the moves of the automaton must be found. [`Along`] is the system with the one step in each state that the trace takes; its
//! place on the trace is in front of the state. Any engine on the product of this small system and the automaton finds an accepted run over
//! the trace, and [`Product::lift`](crate::Product::lift) turns that into a trace of the whole product.

use fathom_model::{Accepting, Steps, System, Trace};

/// Bytes of the place in front of the state.
const PLACE: usize = 4;

/// A system that takes the steps of a trace, round its loop for ever if it has one. Without a loop, it takes one more step at the end if
/// there is one: an automaton that has accepted says so in the state after.
#[derive(Clone, Debug)]
pub struct Along<'a, S> {
    system: &'a S,
    trace: &'a Trace,
}

/// Buffers that one worker reuses from state to state.
#[derive(Debug)]
pub struct AlongScratch<S: System> {
    inner: S::Scratch,
    steps: Steps<S::Region, S::Label>,
}

impl<'a, S: System> Along<'a, S> {
    /// The system, held to the trace.
    pub fn new(system: &'a S, trace: &'a Trace) -> Along<'a, S> {
        Along { system, trace }
    }
}

/// The choice of a trace at a place, and the place after it. None beyond the one step after the end.
pub(crate) fn choice_at(trace: &Trace, place: usize) -> Option<(u32, usize)> {
    let length = trace.choices.len();
    let choice = match trace.choices.get(place) {
        Some(&choice) => choice,
        None if place == length && trace.loop_at.is_none() => 0,
        None => return None,
    };
    let next = match trace.loop_at {
        Some(loop_at) if place + 1 == length => loop_at,
        _ => place + 1,
    };
    Some((choice, next))
}

fn place_of(state: &[u8]) -> usize {
    u32::from_le_bytes([state[0], state[1], state[2], state[3]]) as usize
}

fn front(place: usize) -> [u8; PLACE] {
    u32::try_from(place).unwrap_or(u32::MAX).to_le_bytes()
}

impl<S: System> System for Along<'_, S> {
    type Region = S::Region;
    type Label = S::Label;
    type Scratch = AlongScratch<S>;

    fn scratch(&self) -> AlongScratch<S> {
        AlongScratch { inner: self.system.scratch(), steps: Steps::new() }
    }

    fn initial(&self, scratch: &mut AlongScratch<S>, out: &mut Steps<S::Region, S::Label>) {
        let AlongScratch { inner, steps } = scratch;
        steps.clear();
        self.system.initial(inner, steps);
        let index = self.trace.initial as usize;
        if index < steps.len() {
            out.push(&[&front(0), steps.state(index)].concat(), steps.region(index).clone(), &[]);
        }
    }

    fn successors(
        &self,
        state: &[u8],
        region: &S::Region,
        scratch: &mut AlongScratch<S>,
        out: &mut Steps<S::Region, S::Label>,
    ) {
        let AlongScratch { inner, steps } = scratch;
        steps.clear();
        self.system.successors(&state[PLACE..], region, inner, steps);
        for finding in steps.findings() {
            out.find(finding.property, finding.fault.clone(), &[]);
        }
        let Some((choice, next)) = choice_at(self.trace, place_of(state)) else { return };
        let index = choice as usize;
        if index < steps.len() {
            out.push(&[&front(next), steps.state(index)].concat(), steps.region(index).clone(), &[]);
        }
    }
}

impl<S: Accepting> Accepting for Along<'_, S> {
    fn n_sets(&self) -> u32 {
        self.system.n_sets()
    }

    fn marks(&self, state: &[u8], scratch: &AlongScratch<S>, _: usize) -> u64 {
        let choice = choice_at(self.trace, place_of(state)).map_or(0, |(choice, _)| choice);
        self.system.marks(&state[PLACE..], &scratch.inner, choice as usize)
    }

    fn is_state_based(&self) -> bool {
        self.system.is_state_based()
    }

    fn is_accepting(&self, state: &[u8]) -> bool {
        self.system.is_accepting(&state[PLACE..])
    }
}
