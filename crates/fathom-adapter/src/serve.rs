//! The implementation's side, for implementations in Rust.

use std::io::{BufRead, Result, Write};

use fathom_online::Implementation;

use crate::protocol::{Said, Told};

/// Answers a tester until it stops or its lines end. What the implementation does on its own is said after each answer.
///
/// # Errors
///
/// When input or output break.
pub fn serve(
    implementation: &mut dyn Implementation,
    input: impl BufRead,
    mut output: impl Write,
) -> Result<()> {
    for line in input.lines() {
        let line = line?;
        let said = match Told::parse(&line) {
            Some(Told::Stop) => return Ok(()),
            Some(Told::Reset(_)) => {
                implementation.reset();
                Said::Ready
            }
            Some(Told::Do(action)) => match implementation.perform(&action) {
                Ok(observed) => Said::Done(observed),
                Err(why) => Said::Refused(why),
            },
            Some(Told::Tick) => Said::Done(implementation.tick()),
            None => Said::Failed(format!("no message: {line}")),
        };
        writeln!(output, "{}", said.to_line())?;
        while let Some(action) = implementation.act() {
            writeln!(output, "{}", Said::Observed(action).to_line())?;
        }
        output.flush()?;
    }
    Ok(())
}
