//! Moves: which edges a step takes.

use crate::network::ClockConstraint;

/// The edges of one step: an edge of one process, or one for each process that takes part in a synchronization.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TimedMove {
    /// Process, and index of the edge in it, in the order in which the updates happen.
    pub edges: Vec<(usize, usize)>,
    /// What has to be true of clocks because no move of a higher priority is possible, and no
    /// receiver takes part that does not.
    pub within: Vec<ClockConstraint>,
}
