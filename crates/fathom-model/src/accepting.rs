//! Systems whose infinite runs are accepted or not.

use crate::System;

/// A system in which a run counts when it passes accepting states again and again (Büchi, 1962): a model beside
/// an automaton that accepts what must not happen.
pub trait Accepting: System {
    /// Whether a state is accepting.
    fn is_accepting(&self, state: &[u8]) -> bool;

    /// Whether a state is accepting and some state that lies on a cycle with it may not be. Where every state of every
    /// cycle through it is accepting, any cycle will do, and none need be looked for from this state in particular.
    fn is_mixed(&self, state: &[u8]) -> bool {
        self.is_accepting(state)
    }

    /// A number that is the same for all states of a cycle.
    fn component(&self, _state: &[u8]) -> u32 {
        0
    }
}
