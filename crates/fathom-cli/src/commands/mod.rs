//! The commands, one file each: flags, validation, the run, and the exit status.

pub mod check;
mod check_report;
pub mod check_timed;
pub mod drive;
pub mod drive_model;
mod drive_report;
#[cfg(test)]
mod drive_tests;
mod drive_timed;
pub mod graph;
mod guide_arguments;
pub mod hunt;
mod hunt_timed;
pub mod info;
mod partition_arguments;
pub mod plan;
pub mod replay;
pub mod run_arguments;
pub mod shell;
pub mod simulate;
pub mod simulate_interactive;
mod smaller_instance;
pub mod specimen;
mod states_report;
pub mod store_arguments;
pub mod sweep;
mod sweep_report;
mod sweep_values;
pub mod test;
mod test_code;
pub mod test_program;
mod test_report;
pub mod translate;
