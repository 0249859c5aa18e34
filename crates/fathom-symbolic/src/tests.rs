//! Composite states against the reference interpreter.

mod choices;
mod differential;
mod graph;
mod guided;
mod microwave;
mod partitions;
mod traces;
mod walk;
