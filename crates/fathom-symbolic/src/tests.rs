//! Composite states against the reference interpreter.

mod differential;
mod partitions;
mod traces;
