//! Footprints against what happens: states that agree on a footprint have the same steps, changes to the same bytes.

use std::collections::HashMap;

use fathom_core::model::{ByteSet, Footprint, Interpreter, NoRegion, Steps, System};

/// The bytes of a state in a set, with their indices.
type Part = Vec<(usize, u8)>;

/// What was said about the states of a model so far.
#[derive(Default)]
pub(crate) struct Footprints {
    footprint: Footprint,
    /// By portion, length, and what decides: what is decided by it.
    decided: HashMap<(usize, usize, Part), ByteSet>,
    /// The changes that steps make.
    steps: HashMap<(usize, usize, Part), Vec<Part>>,
    /// States that were not the first to have a footprint.
    pub n_compared: usize,
}

fn part(state: &[u8], sets: [&ByteSet; 2]) -> Part {
    let mut bytes = sets[0].clone();
    bytes.add(sets[1]);
    bytes.iter().map(|byte| (byte, state[byte])).collect()
}

impl Footprints {
    /// Compares all portions of a state with those of the states before it.
    ///
    /// # Panics
    ///
    /// When they disagree.
    pub(crate) fn check(&mut self, name: &str, state: &[u8], interpreter: &Interpreter<'_>) {
        let mut scratch = interpreter.scratch();
        let mut steps = Steps::new();
        let n_portions = interpreter.portions(state, &NoRegion, &mut scratch, &mut steps);
        for portion in 0..n_portions {
            steps.clear();
            if portion == 0 {
                interpreter.portions(state, &NoRegion, &mut scratch, &mut steps);
            }
            interpreter.portion(portion..portion + 1, state, &NoRegion, &mut scratch, &mut steps);
            if !interpreter.footprint(portion, state, &mut scratch, &mut self.footprint) {
                continue;
            }
            let Footprint { frame, layers, touched } = &self.footprint;
            let key = |bytes: &ByteSet| (portion, state.len(), part(state, [frame, bytes]));
            let mut so_far = ByteSet::default();
            for layer in layers.iter().chain([touched]) {
                let said = self.decided.entry(key(&so_far)).or_insert_with(|| layer.clone());
                assert_eq!(
                    said, layer,
                    "{name}: what is decided by {so_far:?} in portion {portion} of {state:?}"
                );
                so_far.add(layer);
            }
            let mut changes: Vec<Part> =
                (0..steps.len()).map(|step| changes(state, steps.state(step))).collect();
            // With a finding there are no steps to be used again.
            if !steps.findings().is_empty() {
                changes = vec![vec![(usize::MAX, 0)]];
            }
            let known = self.steps.get(&key(touched));
            self.n_compared += usize::from(known.is_some());
            if let Some(known) = known {
                assert_eq!(known, &changes, "{name}: portion {portion} of {state:?}, touched {touched:?}");
            }
            self.steps.insert(key(touched), changes);
        }
    }
}

/// The bytes that a step changes, and its length if that is another.
fn changes(from: &[u8], to: &[u8]) -> Part {
    if from.len() != to.len() {
        return vec![(usize::MAX, 1)];
    }
    let differing = (0..to.len()).filter(|&byte| from[byte] != to[byte]);
    differing.map(|byte| (byte, to[byte])).collect()
}
