//! A program under test: `fathom-specimen buffer --fault newest-first`.

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match fathom_specimens::run(&words, std::io::stdin().lock(), std::io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "fathom-specimen: {error}");
            ExitCode::from(2)
        }
    }
}
