//! Running a program under a limit of time.
//!
//! Each program has a process group of its own, and the whole group is killed when the time is up: `gcc` is a
//! driver whose compiler would go on alone. Time is taken around a blocking wait, so that looking at the clock
//! costs nothing; another thread watches the limit. Ctrl-C does not reach other process groups, so a handler
//! passes it on.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// How a program ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// From its start until it was gone.
    pub wall: Duration,
    /// The exit status; none when a signal ended it.
    pub status: Option<i32>,
    /// Whether it was killed because its time was up.
    pub is_out_of_time: bool,
    /// What it wrote.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
}

/// The process group that is running, for the handler; 0 is none.
static RUNNING: AtomicI32 = AtomicI32::new(0);

/// Runs a program to its end or for so long.
///
/// # Errors
///
/// When it cannot be started.
pub fn run(command: &mut Command, limit: Duration) -> io::Result<Ended> {
    let start = Instant::now();
    let child = command
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let group = i32::try_from(child.id()).expect("process numbers are positive and small");
    RUNNING.store(group, Ordering::SeqCst);
    let is_out_of_time = AtomicBool::new(false);
    let (done, waiting) = channel::<()>();
    let output = thread::scope(|scope| {
        let is_out_of_time = &is_out_of_time;
        scope.spawn(move || {
            if waiting.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                is_out_of_time.store(true, Ordering::SeqCst);
                kill(group);
            }
        });
        let output = child.wait_with_output();
        drop(done);
        output
    });
    let wall = start.elapsed();
    RUNNING.store(0, Ordering::SeqCst);
    let output = output?;
    Ok(Ended {
        wall,
        status: output.status.code(),
        is_out_of_time: is_out_of_time.into_inner(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

/// Passes Ctrl-C on to what is running, then ends.
pub fn kill_on_interrupt() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(|| {
        let group = RUNNING.load(Ordering::SeqCst);
        if group != 0 {
            kill(group);
        }
        std::process::exit(130);
    })
}

fn kill(group: i32) {
    // An error means that the group is gone already.
    let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn what_a_program_writes_and_its_status_come_back() {
        let ended = run(&mut shell("echo out; echo err >&2; exit 3"), Duration::from_secs(60)).expect("sh");
        assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("out\n", "err\n"));
        assert_eq!((ended.status, ended.is_out_of_time), (Some(3), false));
    }

    /// The grandchild holds the pipe open: without the kill of the group, the wait would last as long as it does.
    #[test]
    fn the_whole_group_is_killed_when_the_time_is_up() {
        let ended = run(&mut shell("sleep 50 & sleep 50"), Duration::from_millis(200)).expect("sh");
        assert!(ended.is_out_of_time);
        assert_eq!(ended.status, None);
        assert!(ended.wall < Duration::from_secs(20), "{:?}", ended.wall);
    }

    #[test]
    fn a_program_that_does_not_exist_is_an_error() {
        let error = run(&mut Command::new("no-such-program-here"), Duration::from_secs(1)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
