//! The commands, one file each: flags, validation, the run, and the exit status.

pub mod check;
mod check_report;
pub mod graph;
mod guide_arguments;
pub mod hunt;
pub mod info;
pub mod replay;
pub mod shell;
pub mod simulate;
mod simulate_interactive;
