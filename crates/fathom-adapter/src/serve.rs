//! The implementation's side, for implementations in Rust: with a clock that the tester tells, or one of its own.

use std::io::{BufRead, Result, Write};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

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
        match answer(implementation, &line?) {
            Some(said) => say(implementation, Some(said), &mut output)?,
            None => return Ok(()),
        }
    }
    Ok(())
}

/// The same with a clock of its own: a tick takes this long, the first one begins with the run.
///
/// # Errors
///
/// When input or output break.
pub fn serve_in_real_time(
    implementation: &mut dyn Implementation,
    tick: Duration,
    input: impl BufRead + Send + 'static,
    mut output: impl Write,
) -> Result<()> {
    let (sender, lines) = sync_channel(1);
    // Not joined: it ends with the input, or with the receiver.
    std::thread::spawn(move || input.lines().try_for_each(|line| sender.send((Instant::now(), line)).ok()));
    let (mut began, mut n_ticks) = (Instant::now(), 0);
    loop {
        let next = began + tick * (n_ticks + 1);
        let (at, line) = match lines.recv_timeout(next.saturating_duration_since(Instant::now())) {
            Ok((at, line)) => (at, Some(line?)),
            Err(RecvTimeoutError::Timeout) => (next, None),
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        // What was due before the line came happened before it, however late this thread is.
        while began + tick * (n_ticks + 1) <= at {
            n_ticks += 1;
            for action in implementation.tick() {
                writeln!(output, "{}", Said::Observed(action).to_line())?;
            }
            say(implementation, None, &mut output)?;
        }
        let Some(line) = line else { continue };
        let Some(said) = answer(implementation, &line) else { return Ok(()) };
        if said == Said::Ready {
            (began, n_ticks) = (Instant::now(), 0);
        }
        say(implementation, Some(said), &mut output)?;
    }
}

/// The answer to a line; none when the test is over.
fn answer(implementation: &mut dyn Implementation, line: &str) -> Option<Said> {
    Some(match Told::parse(line) {
        Some(Told::Stop) => return None,
        Some(Told::Reset(_)) => {
            implementation.reset();
            Said::Ready
        }
        Some(Told::Do { action, .. }) => match implementation.perform(&action) {
            Ok(observed) => Said::Done(observed),
            Err(why) => Said::Refused(why),
        },
        Some(Told::Tick(_)) => Said::Done(implementation.tick()),
        None => Said::Failed(format!("no message: {line}")),
    })
}

/// Says an answer, then what the implementation does on its own.
fn say(implementation: &mut dyn Implementation, said: Option<Said>, output: &mut impl Write) -> Result<()> {
    if let Some(said) = said {
        writeln!(output, "{}", said.to_line())?;
    }
    while let Some(action) = implementation.act() {
        writeln!(output, "{}", Said::Observed(action).to_line())?;
    }
    output.flush()
}
