//! A system watched by an automaton.
//!
//! A state of the product is a state of the automaton, four bytes, in front of a state of the system. In each step the
//! automaton reads the state of the system, the first one included, and moves; then the system moves. Where the automaton
//! cannot move, the run is none of its business and is dropped. Where it has reached a state from which it
//! accepts whatever comes, the violation is there already, and the product says so with a finding.
//!
//! Steps are in the order of the automaton's moves, then in the order of the system's, so that the choice of the system can
//! be read off a choice of the product ([`Product::project`]): traces that people see say nothing of the automaton.

use fathom_model::{Accepting, Evidence, Steps, System, Trace};

use crate::question::{Letter, Watcher, fault_of};

/// Bytes of the automaton's state in front of the state.
const PREFIX: usize = 4;

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
    letter: Letter,
    targets: Vec<u32>,
    state: Vec<u8>,
}

impl<'a, S: System> Product<'a, S> {
    /// A system made of the question's model and asked about its propositions, watched.
    pub fn new(system: S, watcher: &'a Watcher) -> Product<'a, S> {
        Product { system, watcher }
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
}

impl<S: System> Accepting for Product<'_, S> {
    #[inline]
    fn is_accepting(&self, state: &[u8]) -> bool {
        self.watcher.is_accepting(watcher_state(state))
    }

    #[inline]
    fn is_mixed(&self, state: &[u8]) -> bool {
        self.watcher.is_mixed(watcher_state(state))
    }

    #[inline]
    fn component(&self, state: &[u8]) -> u32 {
        self.watcher.component(watcher_state(state))
    }
}

fn watcher_state(state: &[u8]) -> u32 {
    u32::from_le_bytes([state[0], state[1], state[2], state[3]])
}

fn compose(out: &mut Vec<u8>, watcher: u32, state: &[u8]) {
    out.clear();
    out.extend_from_slice(&watcher.to_le_bytes());
    out.extend_from_slice(state);
}

impl<S: System> System for Product<'_, S> {
    type Region = S::Region;
    type Label = S::Label;
    type Scratch = ProductScratch<S>;

    fn scratch(&self) -> ProductScratch<S> {
        ProductScratch {
            inner: self.system.scratch(),
            steps: Steps::new(),
            letter: Letter::default(),
            targets: Vec::new(),
            state: Vec::new(),
        }
    }

    fn initial(&self, scratch: &mut ProductScratch<S>, out: &mut Steps<S::Region, S::Label>) {
        let ProductScratch { inner, steps, state, .. } = scratch;
        steps.clear();
        self.system.initial(inner, steps);
        for index in 0..steps.len() {
            compose(state, self.watcher.initial(), steps.state(index));
            out.push(state, steps.region(index).clone(), &[]);
        }
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
        if watcher.is_final(at) {
            out.find(watcher.property, None, &[]);
            return;
        }
        let ProductScratch { inner, steps, letter, targets, state: composed } = scratch;
        if out.is_recording() != steps.is_recording() {
            *steps = if out.is_recording() { Steps::recording() } else { Steps::new() };
        }
        steps.clear();
        self.system.successors(&state[PREFIX..], region, inner, steps);
        letter.read(steps.findings(), watcher.first, watcher.n_propositions);
        if let Some(proposition) = watcher.read(at, letter, targets) {
            out.find(watcher.property, fault_of(steps.findings(), watcher.first + proposition), &[]);
        }
        for &target in &*targets {
            for index in 0..steps.len() {
                compose(composed, target, steps.state(index));
                out.push(composed, steps.region(index).clone(), steps.labels(index));
            }
        }
    }
}
