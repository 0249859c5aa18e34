//! A program under test: `fathom-specimen buffer --fault newest-first`.

use std::io::{BufReader, Write, stdin, stdout};
use std::process::ExitCode;

use fathom_specimens::Specimen;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let ran = Specimen::parse(&words).and_then(|specimen| specimen.run(BufReader::new(stdin()), stdout()));
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "fathom-specimen: {error}");
            ExitCode::from(2)
        }
    }
}
