//! `fathom specimen`: an implementation to try `fathom drive` on.

use clap::Args;

use crate::failure::{self, Failure};

/// The flags of `specimen`.
#[derive(Debug, Args)]
#[command(
    after_help = "It talks lines of JSON on standard input and output: fathom drive MODEL -- fathom specimen buffer --fault newest-first"
)]
pub struct SpecimenArguments {
    /// Which: buffer, sessions, lamp, phone or lock
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Switch on a fault
    #[arg(long, value_name = "FAULT")]
    pub fault: Option<String>,
}

/// Runs the command.
pub fn run(arguments: &SpecimenArguments) -> Result<u8, Failure> {
    let mut words = vec![arguments.name.clone()];
    words.extend(arguments.fault.iter().flat_map(|fault| ["--fault".to_owned(), fault.clone()]));
    fathom_specimens::run(&words, std::io::stdin().lock(), std::io::stdout())
        .map_err(|error| Failure::new(error.to_string()))?;
    Ok(failure::HOLDS)
}
