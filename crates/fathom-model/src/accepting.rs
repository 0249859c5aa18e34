//! Systems whose infinite runs are accepted or not.

use crate::System;

/// A system in which some infinite runs count: a model beside an automaton that accepts what must not happen, or one
/// whose scheduler must be fair.
///
/// Steps are in *sets*, and a run counts when it takes steps of every set again and again (Büchi, 1962, with several
/// sets and on transitions). Without sets every infinite run counts.
pub trait Accepting: System {
    /// Number of sets, at most 64.
    fn n_sets(&self) -> u32;

    /// The sets of a step, one bit each. `step` is the index of a step among those of the last expansion with
    /// these buffers, which was that of `state`.
    fn marks(&self, state: &[u8], scratch: &Self::Scratch, step: usize) -> u64;

    /// Whether all steps that leave a state are in the same sets.
    fn is_state_based(&self) -> bool;

    /// Whether a state is accepting: all steps that leave it are in all sets. Asked only where acceptance is
    /// [on states](Accepting::is_state_based).
    fn is_accepting(&self, state: &[u8]) -> bool;

    /// Whether no run that counts comes back to this state again and again.
    fn is_passing(&self, _state: &[u8]) -> bool {
        false
    }

    /// A number that is the same for all states of a cycle.
    fn component(&self, _state: &[u8]) -> u32 {
        0
    }

    /// The sets that a run that counts must come by: a bit for each.
    fn all_marks(&self) -> u64 {
        1_u64.checked_shl(self.n_sets()).unwrap_or(0).wrapping_sub(1)
    }
}
