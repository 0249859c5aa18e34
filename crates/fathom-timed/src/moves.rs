//! Moves: which edges a step takes.

use crate::network::ClockConstraint;

/// The edges of one step: an edge of one process, or one for each process that takes part in a synchronization.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct TimedMove {
    /// Process, and index of the edge in it, in the order in which the updates happen.
    pub edges: Vec<(usize, usize)>,
    /// What has to be true of clocks because no move of a higher priority is possible, and no
    /// receiver takes part that does not.
    pub within: Vec<ClockConstraint>,
    /// How long the state that it leads to lasts, where time stops count. A first move without edges says that of the initial state.
    pub stay: Option<Stay>,
}

impl TimedMove {
    /// How many of some moves are none, but say how long the initial state lasts: the first one, or none.
    pub fn n_before_all(moves: &[TimedMove]) -> usize {
        usize::from(moves.first().is_some_and(|first| first.edges.is_empty() && first.stay.is_some()))
    }
}

/// How long a state lasts.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Stay {
    /// What is true of clocks at its beginning.
    pub start: Vec<ClockConstraint>,
    /// What is true at its end.
    pub end: Vec<ClockConstraint>,
    /// Whether no time passes.
    pub is_still: bool,
}
