//! The program `fathom`: see the library of this crate.

use std::process::ExitCode;

fn main() -> ExitCode {
    fathom_cli::main()
}
