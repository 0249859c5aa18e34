//! Whether a program keeps the promise that symmetry relies on, as far as a few states tell.
//!
//! A state and its canonical form differ in names only. If a program asks no more of objects than whether two are the same,
//! both lead to the same classes, and the same is found in both. That is looked at for the states of some short random walks.
//! Whatever differs is a proof that the program asks for names; that nothing differs proves nothing. What a state leads to is
//! worked out once, so that a program of a few states costs little, however slow its actions are.

use std::collections::BTreeMap;

use fathom_model::{NoRegion, PropertyId, Steps, System};

use crate::program::Program;
use crate::system::{Call, ProgramSystem, Scratch, Symmetry};

/// States that are looked at.
const MOST_STATES: usize = 256;
/// Longest walk.
const LONGEST_WALK: usize = 16;

/// What a state leads to: classes, and properties about which something is found.
type Future = (Vec<Vec<u8>>, Vec<PropertyId>);

/// A program without symmetry, and its quotient.
struct Compared<'p, P: Program> {
    plain: ProgramSystem<'p, P>,
    quotient: ProgramSystem<'p, P>,
    scratch: Scratch<P::Action>,
    steps: Steps<NoRegion, Call>,
}

impl<P: Program> ProgramSystem<'_, P> {
    /// Whether some state and its canonical form have different futures.
    pub fn asks_for_names(&self) -> bool {
        if self.symmetry() == Symmetry::None {
            return false;
        }
        let plain = ProgramSystem::in_full(self.program, Symmetry::None);
        let quotient = ProgramSystem::in_full(self.program, Symmetry::Canonical);
        let (scratch, steps) = (plain.scratch(), Steps::new());
        Compared { plain, quotient, scratch, steps }.differ()
    }
}

impl<P: Program> Compared<'_, P> {
    fn differ(&mut self) -> bool {
        self.plain.initial(&mut self.scratch, &mut self.steps);
        let initial: Vec<Vec<u8>> =
            (0..self.steps.len()).map(|step| self.steps.state(step).to_vec()).collect();
        let mut random = 1_u64;
        let mut below = |n: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as usize % n
        };
        let mut n_states = 0;
        // What each state that was looked at leads to.
        let mut known: BTreeMap<Vec<u8>, Vec<Vec<u8>>> = BTreeMap::new();
        while n_states < MOST_STATES && !initial.is_empty() {
            let mut state = initial[below(initial.len())].clone();
            for _ in 0..LONGEST_WALK {
                n_states += 1;
                if !known.contains_key(&state) {
                    if self.differs(&state) {
                        return true;
                    }
                    self.expand(&state);
                    let next = (0..self.steps.len()).map(|step| self.steps.state(step).to_vec());
                    known.insert(state.clone(), next.collect());
                }
                let next = &known[&state];
                if next.is_empty() {
                    break;
                }
                state = next[below(next.len())].clone();
            }
        }
        false
    }

    /// Whether a state and its canonical form have different futures.
    fn differs(&mut self, state: &[u8]) -> bool {
        let Some(class) = self.quotient.exact_class_of(state) else { return false };
        if class == state {
            return false;
        }
        match (self.future(state), self.future(&class)) {
            (Some(one), Some(other)) => one != other,
            _ => false,
        }
    }

    fn expand(&mut self, state: &[u8]) {
        self.steps.clear();
        self.plain.successors(state, &NoRegion, &mut self.scratch, &mut self.steps);
    }

    /// None when a class has no name of its own, because there are too many ways to name its objects.
    fn future(&mut self, state: &[u8]) -> Option<Future> {
        self.expand(state);
        let classes = (0..self.steps.len()).map(|step| self.quotient.exact_class_of(self.steps.state(step)));
        let mut classes: Vec<Vec<u8>> = classes.collect::<Option<_>>()?;
        classes.sort_unstable();
        let mut found: Vec<PropertyId> =
            self.steps.findings().iter().map(|finding| finding.property).collect();
        found.sort_unstable();
        Some((classes, found))
    }
}
