//! Small systems on which engines are tested: a graph written down, philosophers in one word, and counters with intervals.

mod graph;
mod intervals;
mod philosophers;

use fathom_model::PropertyId;

pub use graph::Graph;
pub use intervals::{CounterEdge, CounterMachine, Growing, Interval, VALUES};
pub use philosophers::Philosophers;

/// The property that most tests ask about.
pub const GOAL: PropertyId = PropertyId(0);
