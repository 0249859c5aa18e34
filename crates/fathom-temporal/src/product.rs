//! A system watched by an automaton.
//!
//! A state of the product is a state of the automaton, two bytes, in front of a state of the system. In each step the
//! automaton reads the state of the system, the first one included, and moves; then the system moves. Where the automaton
//! cannot move, the run is none of its business and is dropped. Where it has reached a state from which it
//! accepts whatever comes, the violation is there already, and the product says so with a finding.
//!
//! Steps are in the order of the automaton's moves, then in the order of the system's, so that the choice of the system can
//! be read off a choice of the product ([`Product::project`]): traces that people see say nothing of the automaton.

use fathom_model::{Accepting, Evidence, Steps, System, Trace};

use crate::along::{Along, choice_at};
use crate::watcher::{Move, Watcher};

/// Bytes of the automaton's state in front of the state.
const PREFIX: usize = 2;

/// A system, every state of which has a step, and an automaton that looks at it.
#[derive(Clone, Debug)]
pub struct Product<'a, S> {
    system: S,
    watcher: &'a Watcher,
}

/// Buffers that one worker reuses from state to state.
#[derive(Debug)]
pub struct ProductScratch<S: System> {
    inner: S::Scratch,
    steps: Steps<S::Region, S::Label>,
    /// The moves of the automaton in the last expansion.
    moves: Vec<Move>,
}

impl<'a, S: System> Product<'a, S> {
    /// A system made of the question's model and asked about its propositions, watched.
    pub fn new(system: S, watcher: &'a Watcher) -> Product<'a, S> {
        Product { system, watcher }
    }

    /// The system that is watched.
    pub fn system(&self) -> &S {
        &self.system
    }

    /// The same system, watched by another automaton.
    pub fn watched_by<'b>(self, watcher: &'b Watcher) -> Product<'b, S> {
        Product { system: self.system, watcher }
    }

    /// The trace of the system alone. The way to a finding without a fault ends with the last state that the automaton
    /// had to read.
    ///
    /// None when the trace is not one of this product.
    pub fn project(&self, trace: &Trace) -> Option<Trace> {
        let mut scratch = self.scratch();
        let mut steps = Steps::new();
        self.initial(&mut scratch, &mut steps);
        let initial = trace.initial as usize;
        let mut at = (initial < steps.len())
            .then(|| (steps.state(initial).to_vec(), steps.region(initial).clone()))?;
        let mut choices = Vec::with_capacity(trace.choices.len());
        for &choice in &trace.choices {
            steps.clear();
            self.successors(&at.0, &at.1, &mut scratch, &mut steps);
            let index = choice as usize;
            if index >= steps.len() {
                return None;
            }
            // What the system did in the same expansion is still in the buffers.
            choices.push((index % scratch.steps.len()) as u32);
            at = (steps.state(index).to_vec(), steps.region(index).clone());
        }
        if matches!(trace.evidence, Evidence::Finding { fault: None, .. }) {
            choices.pop();
        }
        Some(Trace { choices, ..trace.clone() })
    }

    /// The system held to a trace of its own, watched by the same automaton. What an engine finds there is for [`Product::lift`].
    pub fn along<'b>(&'b self, trace: &'b Trace) -> Product<'b, Along<'b, S>> {
        Product { system: Along::new(&self.system, trace), watcher: self.watcher }
    }

    /// A trace of the product [along](Product::along) a trace of the system, as one of this product: the other way round than
    /// [`Product::project`].
    ///
    /// None when the traces do not belong together.
    pub fn lift(&self, trace: &Trace, watched: &Trace) -> Option<Trace> {
        let mut scratch = self.scratch();
        let mut steps = Steps::new();
        self.initial(&mut scratch, &mut steps);
        let initial = trace.initial as usize;
        let mut at = (initial < steps.len())
            .then(|| (steps.state(initial).to_vec(), steps.region(initial).clone()))?;
        let (mut choices, mut place) = (Vec::with_capacity(watched.choices.len()), 0);
        // Along the trace there is one step in each state, so that a choice is a move of the automaton.
        for &moved in &watched.choices {
            let (choice, next) = choice_at(trace, place)?;
            steps.clear();
            self.successors(&at.0, &at.1, &mut scratch, &mut steps);
            let n_steps = scratch.steps.len();
            let index = moved as usize * n_steps + choice as usize;
            if choice as usize >= n_steps || index >= steps.len() {
                return None;
            }
            choices.push(index as u32);
            at = (steps.state(index).to_vec(), steps.region(index).clone());
            place = next;
        }
        Some(Trace { initial: trace.initial, choices, ..watched.clone() })
    }
}

/// The sets of the automaton come first, then those of the system.
impl<S: Accepting> Accepting for Product<'_, S> {
    fn n_sets(&self) -> u32 {
        self.watcher.n_sets() + self.system.n_sets()
    }

    #[inline]
    fn marks(&self, state: &[u8], scratch: &ProductScratch<S>, step: usize) -> u64 {
        let ProductScratch { inner, steps, moves } = scratch;
        let own = match &moves[..] {
            [only] => only.marks,
            all => all[step / steps.len()].marks,
        };
        if self.system.n_sets() == 0 {
            return own;
        }
        own | self.system.marks(&state[PREFIX..], inner, step % steps.len()) << self.watcher.n_sets()
    }

    fn is_state_based(&self) -> bool {
        self.watcher.is_state_based() && self.system.is_state_based()
    }

    fn is_accepting(&self, state: &[u8]) -> bool {
        self.watcher.is_accepting(watcher_state(state)) && self.system.is_accepting(&state[PREFIX..])
    }

    #[inline]
    fn is_passing(&self, state: &[u8]) -> bool {
        self.watcher.is_passing(watcher_state(state))
    }

    #[inline]
    fn component(&self, state: &[u8]) -> u32 {
        self.watcher.component(watcher_state(state))
    }
}

#[inline]
fn watcher_state(state: &[u8]) -> u16 {
    u16::from_le_bytes([state[0], state[1]])
}

impl<S: System> System for Product<'_, S> {
    type Region = S::Region;
    type Label = S::Label;
    type Scratch = ProductScratch<S>;

    fn scratch(&self) -> ProductScratch<S> {
        ProductScratch { inner: self.system.scratch(), steps: Steps::new(), moves: Vec::new() }
    }

    fn initial(&self, scratch: &mut ProductScratch<S>, out: &mut Steps<S::Region, S::Label>) {
        let ProductScratch { inner, steps, .. } = scratch;
        steps.clear();
        self.system.initial(inner, steps);
        out.push_behind(self.watcher.initial().to_le_bytes(), steps);
    }

    fn successors(
        &self,
        state: &[u8],
        region: &S::Region,
        scratch: &mut ProductScratch<S>,
        out: &mut Steps<S::Region, S::Label>,
    ) {
        let watcher = self.watcher;
        let at = watcher_state(state);
        let ProductScratch { inner, steps, moves } = scratch;
        if watcher.is_final(at) {
            out.find(watcher.property(), None, &[]);
            return;
        }
        if out.is_recording() != steps.is_recording() {
            *steps = if out.is_recording() { Steps::recording() } else { Steps::new() };
        }
        steps.clear();
        self.system.successors(&state[PREFIX..], region, inner, steps);
        if let Some(fault) = watcher.read(at, steps.findings(), moves) {
            out.find(watcher.property(), Some(fault), &[]);
        }
        for next in &*moves {
            out.push_behind(next.target.to_le_bytes(), steps);
        }
    }
}
