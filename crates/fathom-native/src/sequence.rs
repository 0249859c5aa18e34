//! Atomic sequences: what a process does alone, as part of one step.
//!
//! The search through the states in between is the interpreter's: depth first, with a stack of its own, a state
//! that comes back on its own sequence is dropped. States wait in one buffer until their turn.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use fathom_model::NoRegion;

use crate::directory::Directory;
use crate::expand::{Ask, Differs, Expansion, View};

/// Most moves of one atomic sequence before it counts as endless, as in the interpreter.
const LONGEST_SEQUENCE: usize = 1_000_000;

/// Up to this many in-between states are compared one by one; beyond, by hash.
const SHORT_SEQUENCE: usize = 32;

/// A state that was reached.
#[derive(Clone, Debug)]
struct Child {
    state: Range<usize>,
    /// The process that goes on alone, if any.
    alone: Option<u32>,
    /// In-between states passed on the way here from the level it belongs to.
    n_between: usize,
    /// How it differs from the expanded state.
    differs: Differs,
}

/// The choices at one in-between state, or at the expanded state itself.
#[derive(Clone, Debug)]
struct Level {
    /// Number of bytes and children below.
    below: (usize, usize),
    /// The next choice, and one past the last.
    next: usize,
    end: usize,
    /// The choice that led here; none for the expanded state.
    origin: Option<usize>,
    /// A hash of the in-between state, beyond the first few.
    hash: u64,
    /// In-between states from the expanded state to here.
    n_between: usize,
}

/// States reached and kept aside.
#[derive(Default, Debug)]
pub(crate) struct Sequence {
    bytes: Vec<u8>,
    children: Vec<Child>,
    levels: Vec<Level>,
    /// In-between states of a long sequence: hash to level.
    long: HashMap<u64, usize, BuildHasherDefault<SameHash>>,
    /// The in-between state under expansion.
    state: Vec<u8>,
    directory: Directory,
}

impl Sequence {
    /// A copy of a state, to be edited.
    pub fn push_copy(
        &mut self,
        state: &[u8],
        alone: Option<u32>,
        n_between: u64,
        differs: Differs,
    ) -> &mut [u8] {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(state);
        let n_between = n_between as usize;
        self.children.push(Child { state: start..self.bytes.len(), alone, n_between, differs });
        &mut self.bytes[start..]
    }

    /// Forgets the last state.
    pub fn drop_last(&mut self) {
        if let Some(child) = self.children.pop() {
            self.bytes.truncate(child.state.start);
        }
    }

    /// Says how the last state was reached.
    pub fn mark_last(&mut self, alone: Option<u32>, n_between: u64) {
        if let Some(child) = self.children.last_mut() {
            child.alone = alone;
            child.n_between = n_between as usize;
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.children.clear();
        self.levels.clear();
        self.long.clear();
    }

    fn bytes_of(&self, choice: usize) -> &[u8] {
        &self.bytes[self.children[choice].state.clone()]
    }

    /// Whether the state of a choice, with this hash, is already on the way that led to it.
    fn is_on_sequence(&self, choice: usize, hash: u64) -> bool {
        let same = |level: &Level| {
            level.origin.is_some_and(|origin| {
                self.children[origin].alone == self.children[choice].alone
                    && self.bytes_of(origin) == self.bytes_of(choice)
            })
        };
        if self.levels.len() <= SHORT_SEQUENCE {
            return self.levels.iter().any(same);
        }
        self.levels[..SHORT_SEQUENCE].iter().any(same)
            || self.long.get(&hash).is_some_and(|&level| same(&self.levels[level]))
    }

    fn enter_level(&mut self, level: Level) {
        if self.levels.len() >= SHORT_SEQUENCE {
            self.long.insert(level.hash, self.levels.len());
        }
        self.levels.push(level);
    }

    fn leave_level(&mut self) {
        let Some(level) = self.levels.pop() else { return };
        if self.levels.len() >= SHORT_SEQUENCE {
            self.long.remove(&level.hash);
        }
        self.bytes.truncate(level.below.0);
        self.children.truncate(level.below.1);
    }
}

/// A quick hash of a state; equality is checked on the bytes.
fn hash(state: &[u8]) -> u64 {
    let mix = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let (words, rest) = state.as_chunks::<8>();
    let hash = words.iter().fold(state.len() as u64, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    rest.iter().fold(hash, |hash, byte| mix(hash, u64::from(*byte)))
}

/// Hashes that are keys already.
#[derive(Default, Debug)]
struct SameHash(u64);

impl Hasher for SameHash {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash(bytes);
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

impl Expansion<'_, '_> {
    /// Follows what was kept aside to the end of each step; the directory is that of the expanded state.
    pub(crate) fn follow_sequences(&mut self, directory: &Directory) -> Result<(), Ask> {
        self.context.timeout = 0;
        let receives = self.receives;
        let end = self.buffers.sequence.children.len();
        let base = Level { below: (0, 0), next: 0, end, origin: None, hash: 0, n_between: 0 };
        self.buffers.sequence.levels.push(base);
        while let Some(level) = self.buffers.sequence.levels.last_mut() {
            if level.next == level.end {
                self.buffers.sequence.leave_level();
                continue;
            }
            let choice = level.next;
            level.next += 1;
            let child = &self.buffers.sequence.children[choice];
            let n_between = level.n_between + child.n_between;
            if n_between > LONGEST_SEQUENCE {
                return Err(Ask);
            }
            match child.alone {
                Some(process) => self.go_on_alone(choice, process, n_between + 1, directory, receives)?,
                None => _ = self.out.push_copy(self.buffers.sequence.bytes_of(choice), NoRegion),
            }
        }
        Ok(())
    }

    /// Expands the in-between state of a choice, the `n_between`th on its way, for the one process that may
    /// go on, or ends the step there.
    fn go_on_alone(
        &mut self,
        choice: usize,
        process: u32,
        n_between: usize,
        base: &Directory,
        base_receives: Option<u64>,
    ) -> Result<(), Ask> {
        let sequence = &mut self.buffers.sequence;
        // Few states are compared one by one.
        let is_long = sequence.levels.len() >= SHORT_SEQUENCE;
        let hash = if is_long { hash(sequence.bytes_of(choice)) } else { 0 };
        if sequence.is_on_sequence(choice, hash) {
            return Ok(());
        }
        if n_between > LONGEST_SEQUENCE {
            return Err(Ask);
        }
        let below = (sequence.bytes.len(), sequence.children.len());
        let mut state = std::mem::take(&mut sequence.state);
        state.clear();
        state.extend_from_slice(sequence.bytes_of(choice));
        self.differs = sequence.children[choice].differs;
        // Where nobody else has moved, the same channels have receivers, or fewer.
        self.receives = if self.differs == Differs::default() { base_receives } else { None };
        self.context.length = state.len() as u64;
        let moved = if self.differs.in_records {
            let mut directory = std::mem::take(&mut sequence.directory);
            directory.refresh(self.facts, &state);
            self.context.look_at(&directory);
            let moved = self.moves_of(&View { state: &state, directory: &directory }, process as usize);
            self.buffers.sequence.directory = directory;
            moved
        } else {
            self.context.look_at(base);
            self.moves_of(&View { state: &state, directory: base }, process as usize)
        };
        self.flush(state.len());
        let sequence = &mut self.buffers.sequence;
        sequence.state = state;
        if moved? {
            let end = sequence.children.len();
            sequence.enter_level(Level { below, next: below.1, end, origin: Some(choice), hash, n_between });
        } else {
            self.out.push_copy(sequence.bytes_of(choice), NoRegion);
        }
        Ok(())
    }
}
