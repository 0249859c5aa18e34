//! Whole steps: a move, and everything that its process does alone afterwards.
//!
//! After an atomic edge only the same process moves, and the states in between are not states of the system.
//! Where it has a choice the step branches. Where it blocks, the step ends and others may move. The search
//! through these in-between states is depth first with a stack of its own, so that long atomic sequences do
//! not overflow the call stack. A sequence that comes back to an in-between state it has been in goes round
//! for ever and reaches nothing: it is dropped.

use std::collections::HashMap;

use super::Interpreter;
use super::eval::Look;
use super::frames::Configuration;
use super::reached::{Height, Move, Reached};
use super::step::{Buffers, Extent, moves_of};
use crate::{Fault, NoRegion, Steps};

/// Most moves of one atomic sequence before it is given up.
const LONGEST_SEQUENCE: usize = 1_000_000;

/// Up to this many in-between states are compared one by one; beyond, by hash.
const SHORT_SEQUENCE: usize = 32;

/// The choices at one in-between state, or at the expanded state itself.
#[derive(Clone, Debug)]
struct Level {
    /// Height of the stack of reached states below the choices.
    below: Height,
    /// The next choice, and one past the last, in [`Reached::children`].
    next: usize,
    end: usize,
    /// Number of moves that lead here.
    n_moves: usize,
    /// The choice that led here, in [`Reached::children`]; none for the expanded state.
    origin: Option<usize>,
}

/// Buffers that one worker reuses from state to state.
#[derive(Clone, Default, Debug)]
pub struct Scratch {
    /// The state under expansion.
    pub(super) base: Configuration,
    /// The in-between state under expansion.
    alone: Configuration,
    pub(super) buffers: Buffers,
    pub(super) reached: Reached,
    levels: Vec<Level>,
    /// Moves from the expanded state to the in-between state.
    path: Vec<Move>,
    /// In-between states of a long sequence: hash to level.
    long_sequence: HashMap<u64, usize>,
    /// Whether a step of the last expansion ran into a fault that ends its path.
    pub(super) path_ended: bool,
}

impl Interpreter<'_> {
    /// Pushes every step that leaves the state in `scratch.base`. Gives whether anything moved.
    pub(super) fn expand(
        &self,
        timeout: bool,
        scratch: &mut Scratch,
        out: &mut Steps<NoRegion, Move>,
    ) -> bool {
        self.expand_chosen(timeout, &|_| true, scratch, out)
    }

    /// Pushes every step of the chosen processes. Gives whether anything moved.
    pub(super) fn expand_chosen(
        &self,
        timeout: bool,
        chosen: &dyn Fn(u32) -> bool,
        scratch: &mut Scratch,
        out: &mut Steps<NoRegion, Move>,
    ) -> bool {
        scratch.reached.start(out.is_recording(), false);
        scratch.levels.clear();
        scratch.path.clear();
        scratch.long_sequence.clear();
        scratch.path_ended = false;
        let below = scratch.reached.height();
        let look = Look { timeout, ..self.look() };
        let mut moved = false;
        for process in (0..scratch.base.processes.len() as u32).rev().filter(|&process| chosen(process)) {
            let Scratch { base, buffers, reached, .. } = &mut *scratch;
            moved |= moves_of(&look.by(process), base, Extent::Block, buffers, reached);
        }
        self.report_faults(scratch, out);
        let end = scratch.reached.children.len();
        scratch.levels.push(Level { below, next: 0, end, n_moves: 0, origin: None });
        while self.explore_next(scratch, out) {}
        moved
    }

    /// Follows the next choice of the top level. False when none is left at all.
    fn explore_next(&self, scratch: &mut Scratch, out: &mut Steps<NoRegion, Move>) -> bool {
        let Some(level) = scratch.levels.last_mut() else { return false };
        scratch.path.truncate(level.n_moves);
        if level.next == level.end {
            scratch.reached.truncate(level.below);
            scratch.leave_level();
            return true;
        }
        let choice = level.next;
        level.next += 1;
        let child = &scratch.reached.children[choice];
        scratch.path.extend_from_slice(&scratch.reached.labels[child.labels.clone()]);
        match child.alone {
            Some(process) => self.go_on_alone(choice, process, scratch, out),
            None => out.push(&scratch.reached.bytes[child.state.clone()], NoRegion, &scratch.path),
        }
        true
    }

    /// Expands an in-between state for the one process that may go on, or ends the step there.
    fn go_on_alone(
        &self,
        choice: usize,
        process: u32,
        scratch: &mut Scratch,
        out: &mut Steps<NoRegion, Move>,
    ) {
        if scratch.is_on_sequence(choice) {
            return;
        }
        if scratch.levels.len() > LONGEST_SEQUENCE {
            self.model.listing.give_up_step();
            scratch.path_ended = true;
            return;
        }
        let below = scratch.reached.height();
        let Scratch { alone, buffers, reached, .. } = &mut *scratch;
        alone.load(&self.layout, &reached.bytes[reached.children[choice].state.clone()]);
        let moved = moves_of(&self.look().by(process), alone, Extent::Block, buffers, reached);
        self.report_faults(scratch, out);
        if moved {
            let end = scratch.reached.children.len();
            let n_moves = scratch.path.len();
            scratch.enter_level(Level { below, next: below.children, end, n_moves, origin: Some(choice) });
        } else {
            let state = scratch.reached.children[choice].state.clone();
            out.push(&scratch.reached.bytes[state], NoRegion, &scratch.path);
        }
    }

    /// Turns the faults met so far into findings.
    fn report_faults(&self, scratch: &mut Scratch, out: &mut Steps<NoRegion, Move>) {
        let Scratch { reached, path, path_ended, .. } = scratch;
        let n_moves = path.len();
        for met in reached.faults.drain(..) {
            *path_ended |= met.fault != Fault::Assertion;
            path.extend_from_slice(&reached.labels[met.labels]);
            self.report(&met.fault, path, out);
            path.truncate(n_moves);
        }
    }
}

impl Scratch {
    /// Whether the state of a choice is already on the way that led to it.
    fn is_on_sequence(&self, choice: usize) -> bool {
        let same = |level: &Level| {
            level.origin.is_some_and(|origin| {
                let (old, new) = (&self.reached.children[origin], &self.reached.children[choice]);
                old.alone == new.alone
                    && self.reached.bytes[old.state.clone()] == self.reached.bytes[new.state.clone()]
            })
        };
        if self.levels.len() <= SHORT_SEQUENCE {
            return self.levels.iter().any(same);
        }
        self.levels[..SHORT_SEQUENCE].iter().any(same)
            || self.long_sequence.get(&self.hash(choice)).is_some_and(|&level| same(&self.levels[level]))
    }

    fn enter_level(&mut self, level: Level) {
        if self.levels.len() >= SHORT_SEQUENCE
            && let Some(origin) = level.origin
        {
            self.long_sequence.insert(self.hash(origin), self.levels.len());
        }
        self.levels.push(level);
    }

    fn leave_level(&mut self) {
        let Some(level) = self.levels.pop() else { return };
        if self.levels.len() >= SHORT_SEQUENCE
            && let Some(origin) = level.origin
        {
            self.long_sequence.remove(&self.hash(origin));
        }
    }

    /// A hash of a reached state (Fowler, Noll and Vo); equality is checked on the bytes.
    fn hash(&self, choice: usize) -> u64 {
        let state = &self.reached.bytes[self.reached.children[choice].state.clone()];
        state.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        })
    }
}
