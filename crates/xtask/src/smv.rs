//! Models in SMV of any size: `cargo xtask smv NAME N`.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::smv_models::FAMILIES;

/// The flags of `cargo xtask smv`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The family: philosophers, leader, peterson_high, peterson_low or send_receive
    #[arg(value_name = "NAME")]
    name: String,

    /// The number of processes
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(2..=64))]
    size: u32,

    /// Where the text goes; without it, to NAME-N.smv where you are
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Runs the task.
///
/// # Errors
///
/// The family is not known, or the file cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let Some(family) = FAMILIES.iter().find(|family| family.name == arguments.name) else {
        let known: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
        bail!("there is no family {}; there are {}", arguments.name, known.join(", "));
    };
    if arguments.size < family.smallest.min(3) {
        bail!("{} needs {} processes at least", family.name, family.smallest.min(3));
    }
    let path =
        arguments.out.clone().unwrap_or_else(|| format!("{}-{}.smv", family.name, arguments.size).into());
    fs::write(&path, (family.text)(arguments.size)).with_context(|| path.display().to_string())?;
    eprintln!("{}", path.display());
    Ok(())
}
