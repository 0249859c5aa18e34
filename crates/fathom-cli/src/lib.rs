//! The command line of Fathom.
//!
//! Each command is one file in `commands`: it declares its flags, validates them into a configuration, runs,
//! and says its exit status. What several commands need has a file here: loading models, telling traces, the
//! forms of JSON.
//!
//! **Invariant:** this is the only crate that touches files, clocks, signals, the terminal and JSON. Results go
//! to standard output, everything else to standard error.

mod arguments;
mod commands;
mod failure;
mod files;
mod graph;
mod heuristic_file;
mod memory;
mod monitor;
mod output;
mod profile;
mod program;
mod sample;
mod sequence_chart;
mod session;
mod story;
mod story_text;
mod timed;
mod trace_file;
mod tree_text;
mod units;
mod walk;
pub mod wire;
mod wire_composite;
mod wire_plan;
mod wire_program;
mod wire_sweep;
mod wire_test;
mod wire_timed;

use std::process::ExitCode;
use std::sync::Mutex;

use clap::Parser;

use arguments::Cli;
use program::ProgramCli;
pub use program::{parameter, parameter_among};

use fathom_core::program::{Runnable, when_programs_panic};

/// Nested expressions are handled by recursion; a large stack costs nothing until it is used.
const STACK_BYTES: usize = 256 << 20;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    install_panic_message();
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || run(&cli));
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(status)) => ExitCode::from(status),
        // The message of the panic is out already.
        Ok(Err(_)) => ExitCode::from(101),
        Err(error) => {
            output::complain(&format!("cannot start a thread: {error}"));
            ExitCode::from(failure::CANNOT_RUN)
        }
    }
}

fn run(cli: &Cli) -> u8 {
    exit_status(cli.command.run(), cli.command.wants_json())
}

/// Runs the command line of one program with the arguments of the process: what `main` of a model written in Rust calls.
///
/// `check` answers its properties, `hunt` looks for errors where no search comes to an end, `graph` draws its states, `simulate` walks
/// through them, `info` says what is asked of it.
pub fn main_of(program: &dyn Runnable) -> ExitCode {
    let cli = ProgramCli::parse();
    blame_the_program(cli.command.wants_json());
    let run = || {
        let names = cli.defines.iter().map(|(name, _)| name.as_str());
        let ran = program::all_were_asked(names).and_then(|()| cli.command.run(program));
        exit_status(ran, cli.command.wants_json())
    };
    let joined = std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run);
        worker.map(std::thread::ScopedJoinHandle::join)
    });
    match joined {
        Ok(Ok(status)) => ExitCode::from(status),
        Ok(Err(_)) => {
            ask_for_report();
            ExitCode::from(101)
        }
        Err(error) => {
            output::complain(&format!("cannot start a thread: {error}"));
            ExitCode::from(failure::CANNOT_RUN)
        }
    }
}

/// The exit status of a command, after a complaint if it could not run.
pub(crate) fn exit_status(ran: Result<u8, failure::Failure>, wants_json: bool) -> u8 {
    ran.unwrap_or_else(|failure| {
        failure.report(wants_json);
        failure::CANNOT_RUN
    })
}

/// A panic is a bug in Fathom: ask for a report with the command that reproduces it.
fn install_panic_message() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        usual(info);
        ask_for_report();
    }));
}

fn ask_for_report() {
    let arguments: Vec<String> = std::env::args().map(|argument| output::quoted(&argument)).collect();
    output::complain(&format!(
        "this is a bug in Fathom; please report it with the model and this command: {}",
        arguments.join(" ")
    ));
}

/// A panic in the code of a program ends the process: an engine with a panic in it has no answers, and other threads would go on.
fn blame_the_program(wants_json: bool) {
    static FIRST: Mutex<()> = Mutex::new(());
    when_programs_panic(move |doing| {
        // Other threads may panic as well, and wait here for the end.
        let _first = FIRST.lock();
        let failure = failure::Failure::new(format!(
            "the program panicked in {doing}; this is an error of the program, and nothing is said about its properties"
        ));
        failure.report(wants_json);
        std::process::exit(failure::CANNOT_RUN.into());
    });
}
