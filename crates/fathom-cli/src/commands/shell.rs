//! `fathom completions` and `fathom manual`: help for the shell, made from the definition of the flags.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::arguments::Cli;
use crate::failure::{self, Failure};
use crate::output;

/// The flags of `completions`.
#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Prints completions for a shell.
pub fn print_completions(arguments: &CompletionsArguments) -> Result<u8, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "fathom", &mut text);
    output::print(&String::from_utf8_lossy(&text))?;
    Ok(failure::HOLDS)
}

/// Prints the manual page.
pub fn print_manual() -> Result<u8, Failure> {
    let mut text = Vec::new();
    let page = clap_mangen::Man::new(Cli::command());
    page.render(&mut text).map_err(|error| Failure::new(format!("cannot make the manual page: {error}")))?;
    output::print(&String::from_utf8_lossy(&text))?;
    Ok(failure::HOLDS)
}
