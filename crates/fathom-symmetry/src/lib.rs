//! States that differ only in the names of objects.
//!
//! A state with interchangeable objects is drawn as a graph ([`Drawing`]): objects are vertices, everything else is
//! labels, edges and anonymous vertices. Two states are the same up to renaming when their graphs are isomorphic.
//! [`isomorphism`] compares two of them; [`Labeller`] gives each state a canonical form, the same bytes for all states
//! that differ in names only, so that every store, lossy ones included, takes them for one.
//!
//! Plain mathematics: nothing here knows values, models or systems.
//!
//! **Invariant: labels are hashes, answers are not.** Vertices and edges carry 64-bit hashes of what they stand for.
//! A collision can only make two objects look more alike than they are. What is compared in the end are the bytes that
//! the caller writes for a choice of names, so that a collision costs time or reduction and never a state.

mod canonical;
mod drawing;
mod graph;
mod pairwise;
mod refine;
#[cfg(test)]
mod tests;

pub use canonical::Labeller;
pub use drawing::{Drawing, Place};
pub use graph::{Graph, Vertex, mix};
pub use pairwise::{invariant, isomorphism};
