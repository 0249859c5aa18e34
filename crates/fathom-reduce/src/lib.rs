//! Reductions: less to explore, the same answers.
//!
//! [`slice()`], [`forget_dead`] and [`fuse()`] rewrite a model before the search; [`Reduced`] chooses, state by state, which
//! processes have to be looked at; [`Quotient`] takes states for one that differ in names only. Each keeps the answers to questions about single states, deadlocks,
//! assertions and faults; what runs look like step by step they do not keep, and so a trace that was found on
//! a reduced model has to be followed on the original one.

mod access;
mod bits;
mod constant_channels;
mod counters;
mod dead;
mod faultless;
mod fuse;
mod partial_order;
mod slice;
mod sticky;
mod symmetry;

pub use dead::forget_dead;
pub use fuse::fuse;
pub use partial_order::{PartialOrder, Reduced, ReducedScratch};
pub use slice::slice;
pub use symmetry::{Quotient, QuotientScratch, Symmetry, plain_way};
