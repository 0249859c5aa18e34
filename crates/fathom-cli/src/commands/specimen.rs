//! `fathom specimen`: an implementation to try `fathom drive` on.

use std::io::{BufReader, stdin, stdout};
use std::net::TcpListener;
use std::time::Duration;

use clap::Args;
use fathom_specimens::Specimen;

use crate::failure::{self, Failure};
use crate::output;
use crate::units::parse_time;

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
    /// One tick of a clock of its own: 50ms, 1s; without it the tester says when time passes
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub tick: Option<Duration>,
    /// Wait for testers at this address, one after the other; port 0 is any that is free, and the first line says which
    #[arg(long, value_name = "HOST:PORT")]
    pub listen: Option<String>,
}

/// Runs the command.
pub fn run(arguments: &SpecimenArguments) -> Result<u8, Failure> {
    let SpecimenArguments { name, fault, tick, listen } = arguments;
    let specimen = Specimen { name: name.clone(), fault: fault.clone(), tick: *tick };
    let ran = match listen {
        None => specimen.run(BufReader::new(stdin()), stdout()),
        Some(address) => answer_at(&specimen, address)?,
    };
    ran.map_err(|error| Failure::new(error.to_string()))?;
    Ok(failure::HOLDS)
}

/// Answers testers until the socket breaks. One that goes away in the middle is no reason to stop.
fn answer_at(specimen: &Specimen, address: &str) -> Result<std::io::Result<()>, Failure> {
    let failed = |error: std::io::Error| Failure::new(format!("cannot listen at {address}: {error}"));
    let listener = TcpListener::bind(address).map_err(failed)?;
    output::print(&format!("listening at {}\n", listener.local_addr().map_err(failed)?))?;
    for stream in listener.incoming() {
        let stream = stream.map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        let reader = BufReader::new(stream.try_clone().map_err(failed)?);
        if let Err(error) = specimen.run(reader, stream)
            && error.kind() == std::io::ErrorKind::InvalidInput
        {
            return Ok(Err(error));
        }
    }
    Ok(Ok(()))
}
