//! States as trees of shared nodes, whatever they look like.
//!
//! A state is cut into words of eight bytes. Words get numbers, pairs of numbers get numbers, and so on up a
//! balanced binary tree; the state itself is the pair at the root (Laarman, van de Pol and Weber, "Parallel
//! Recursive State Compression for Free", SPIN 2011). Neighboring states differ in one or two words, so nearly
//! all nodes are shared. This needs no sample of the states to come, and takes states of any length: it stores
//! what [`packing`](crate::packing) cannot.

mod fold;
mod shape;

pub use fold::OpenTree;

#[cfg(all(test, not(loom)))]
mod tests;
