//! Development tasks: `cargo xtask TASK`.
//!
//! What is too big for a shell script and no part of the product. Nothing depends on this crate, and it depends
//! on no other crate of ours but the one that draws: it runs the command `fathom` as a user would.
#![allow(clippy::print_stderr, reason = "a task tells how far it is")]

mod bench;
mod experiment;
mod goals;
mod lengths;
mod partitions;
mod smv;
mod smv_models;
mod symbolic_hunting;

use std::process::ExitCode;

use clap::Parser;

/// Development tasks.
#[derive(Parser)]
#[command(name = "cargo xtask", version)]
enum Task {
    /// Compare Fathom with Spin on this machine; write tables, JSON and plots
    Bench(bench::Arguments),
    /// Repeat the experiments of the sources on hunting; write tables
    Experiment(experiment::Arguments),
    /// Write a model in SMV of some size
    Smv(smv::Arguments),
    /// Repeat the symbolic experiments of Bui (2009); write a page
    SymbolicHunting(symbolic_hunting::Arguments),
    /// Hunt for far goals beside Spin's default search; write a table
    Goals(goals::Arguments),
    /// Measure the lengths of tests for INRES; write a table and a plot
    Lengths(lengths::Arguments),
    /// Compare explicit, symbolic and composite states; write a page
    Partitions(partitions::Arguments),
}

fn main() -> ExitCode {
    let done = match Task::parse() {
        Task::Bench(arguments) => bench::run(&arguments),
        Task::Experiment(arguments) => experiment::run(&arguments),
        Task::Smv(arguments) => smv::run(&arguments),
        Task::SymbolicHunting(arguments) => symbolic_hunting::run(&arguments),
        Task::Goals(arguments) => goals::run(&arguments),
        Task::Lengths(arguments) => lengths::run(&arguments),
        Task::Partitions(arguments) => partitions::run(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
