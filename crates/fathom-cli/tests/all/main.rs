//! Everything about the command as a whole program but `drive`, in one binary: linking costs more than most of these tests.
//!
//! Tests here share a process: variables and the folder to work in are for the programs that they start, never for themselves.

mod check;
#[path = "../common/mod.rs"]
mod common;
mod formats;
mod graphs;
mod guided;
mod hunt;
mod plan;
mod programs;
mod sweep;
mod symbolic;
mod temporal;
mod test;
mod timed;
mod timed_views;
mod traces;
mod views;
