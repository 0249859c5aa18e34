//! Models whose variables are partly sets of values: composite states with decision diagrams.
//!
//! A [`Partition`] says which parts of a state are sets of values. A [`Composite`] is the model under a partition: a system
//! whose states are explicit bytes with a [`DiagramRegion`] for the rest. Every engine that searches systems with regions runs on
//! it; what it finds is made concrete by [`Composite::concrete_trace`] and then replayed by the reference interpreter.
//!
//! - `partition`, `auto`, `factors`, `shape`, `encoding`, `order`, `arrange`: what is symbolic, where it is, and its variables
//! - `number`: arithmetic on vectors of diagrams
//! - `machine`, `evaluate`, `channel`, `enabled`, `effect`, `choice`, `moves`, `expand`: symbolic execution of the model language, file by file like the
//!   reference interpreter
//! - `path`, `image`, `prepared`: what a set of states becomes in a step, the way back, and steps that are made once for many sets
//! - `graph`, `fixpoint`, `branching`: all composite states with their steps, sets of them, and formulas of computation tree logic
//! - `relation`, `cell`, `dependencies`: steps for all values at once, and which scalars matter for which
//! - `distances`, `guided`, `walk`: abstract distances, A* over sets of states, and walks of single states through sets
//! - `linear`: the product with an automaton
//! - `composite`, `region`, `concrete`: the system, its regions, its traces
//!
//! **Invariant:** the set of concrete states of a step is exactly what the reference interpreter reaches, under every partition; the
//! differential tests compare.

mod arrange;
mod auto;
mod branching;
mod cell;
mod changed_bits;
mod channel;
mod choice;
mod composite;
mod concrete;
mod dependencies;
mod distances;
mod effect;
mod enabled;
mod encoding;
mod evaluate;
mod expand;
mod factors;
mod fixpoint;
mod graph;
mod guided;
mod image;
mod linear;
mod machine;
mod moves;
mod multiples;
mod number;
mod order;
mod partition;
mod path;
mod prepared;
mod region;
mod relation;
mod shape;
#[cfg(test)]
mod tests;
mod walk;

pub use branching::CompositeLabels;
pub use composite::{Composite, CompositeScratch, GaveUp};
pub use concrete::CompositeVisit;
pub use dependencies::CellDependencies;
pub use distances::{AbstractDistances, NoDistances};
pub use fathom_diagram::{NoRoom, Room};
pub use graph::{CompositeGraph, GoesOn, NoGraph, StatesOf};
pub use guided::{GuidedEnd, GuidedLimits, GuidedProgress, GuidedSearch, guided_search};
pub use linear::{Accepted, ConcreteLasso};
pub use partition::{Partition, Side, UnknownPart};
pub use region::DiagramRegion;
pub use relation::{CompositeRelation, NoRelation};
pub use walk::{Chance, SymbolicRepeats, SymbolicWalk, SymbolicWalkEnd, SymbolicWalkRules, SymbolicWalker};
