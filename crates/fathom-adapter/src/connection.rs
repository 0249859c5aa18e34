//! Lines to and from an implementation, each wait with a limit.
//!
//! A thread reads lines and hands them over; it holds a few at most, so that an implementation that never stops talking blocks instead of
//! filling memory. A line without an end is cut.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use fathom_online::Broken;

/// How to get at an implementation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Launch {
    /// Start a program with arguments; standard input and output are the connection.
    Program {
        /// The program and its arguments.
        words: Vec<String>,
        /// What becomes of its standard error.
        messages: Messages,
    },
    /// Connect to a socket.
    Socket(String),
}

/// What becomes of the standard error of a program under test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Messages {
    /// It goes where that of the tester goes.
    Shown,
    /// Nobody reads it.
    Dropped,
}

/// Longest line that is taken for a message.
const MOST_BYTES: u64 = 1 << 20;

/// Lines that wait to be heard.
const MOST_LINES: usize = 1000;

/// How long a program may take to end by itself when its input has ended, and to be found ended.
const TO_END: Duration = Duration::from_millis(500);

/// A line, or why there is none.
type Line = Result<String, String>;

/// A line with the moment at which it came.
type Stamped = (Instant, Line);

/// An open connection.
pub(crate) struct Connection {
    writer: Option<Box<dyn Write + Send>>,
    lines: Receiver<Stamped>,
    child: Option<Child>,
}

impl Connection {
    pub(crate) fn open(launch: &Launch, patience: Duration) -> Result<Connection, Broken> {
        match launch {
            Launch::Program { words, messages } => Connection::start(words, *messages),
            Launch::Socket(address) => Connection::connect(address, patience),
        }
    }

    fn start(words: &[String], messages: Messages) -> Result<Connection, Broken> {
        let [program, arguments @ ..] = words else {
            return Err(Broken::Unreachable("no program is given".to_owned()));
        };
        let stderr = match messages {
            Messages::Shown => Stdio::inherit(),
            Messages::Dropped => Stdio::null(),
        };
        let child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn();
        let mut child =
            child.map_err(|error| Broken::Unreachable(format!("cannot start {program}: {error}")))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Broken::Unreachable(format!("{program} has no standard input or output")));
        };
        Ok(Connection { writer: Some(Box::new(input)), lines: read_lines(output), child: Some(child) })
    }

    fn connect(address: &str, patience: Duration) -> Result<Connection, Broken> {
        let unreachable =
            |error: std::io::Error| Broken::Unreachable(format!("cannot connect to {address}: {error}"));
        let mut addresses = address.to_socket_addrs().map_err(unreachable)?;
        let Some(first) = addresses.next() else {
            return Err(Broken::Unreachable(format!("{address} is no address")));
        };
        let stream = TcpStream::connect_timeout(&first, patience).map_err(unreachable)?;
        stream.set_nodelay(true).map_err(unreachable)?;
        stream.set_write_timeout(Some(patience)).map_err(unreachable)?;
        let reader = stream.try_clone().map_err(unreachable)?;
        Ok(Connection { writer: Some(Box::new(stream)), lines: read_lines(reader), child: None })
    }

    /// Sends a line. That nobody reads it shows when the answer does not come.
    pub(crate) fn send(&mut self, line: &str) -> Result<(), Broken> {
        let Some(writer) = &mut self.writer else { return Err(self.ended()) };
        let sent = writer.write_all(format!("{line}\n").as_bytes()).and_then(|()| writer.flush());
        match sent {
            Ok(()) => Ok(()),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                Err(Broken::Hung("it does not read what it is sent".to_owned()))
            }
            Err(_) => Err(self.ended()),
        }
    }

    /// The next line, if it comes in time, with the moment at which it came.
    pub(crate) fn receive(&mut self, patience: Duration) -> Result<Option<(Instant, String)>, Broken> {
        match self.lines.recv_timeout(patience) {
            Ok((at, Ok(line))) => Ok(Some((at, line))),
            Ok((_, Err(problem))) => Err(Broken::Garbage(problem)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
        }
    }

    /// How it ended.
    fn ended(&mut self) -> Broken {
        let Some(child) = &mut self.child else {
            return Broken::Ended("the connection was closed".to_owned());
        };
        match wait_for(child, TO_END) {
            Some(status) => Broken::Ended(status),
            None => Broken::Ended("it closed its output".to_owned()),
        }
    }
}

/// The exit status of a program that ends in time.
fn wait_for(child: &mut Child, patience: Duration) -> Option<String> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.to_string()),
            Ok(None) if start.elapsed() < patience => std::thread::sleep(Duration::from_millis(2)),
            Ok(None) | Err(_) => return None,
        }
    }
}

/// Ends the program: first by the end of its input, then by force. It is waited for in both cases.
impl Drop for Connection {
    fn drop(&mut self) {
        self.writer = None;
        if let Some(child) = &mut self.child
            && wait_for(child, TO_END).is_none()
        {
            // Neither can fail in a way that matters: a program that is gone is what is wanted.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn read_lines(input: impl Read + Send + 'static) -> Receiver<Stamped> {
    let (sender, receiver) = sync_channel(MOST_LINES);
    // Not joined: it ends with the input, or with the receiver.
    std::thread::spawn(move || hand_over(BufReader::new(input), &sender));
    receiver
}

fn hand_over(mut input: impl BufRead, sender: &SyncSender<Stamped>) {
    loop {
        let mut bytes = Vec::new();
        match input.by_ref().take(MOST_BYTES).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => (),
        }
        let is_cut = bytes.last() != Some(&b'\n') && bytes.len() as u64 == MOST_BYTES;
        let line = match String::from_utf8(bytes) {
            _ if is_cut => Err("a line of more than a megabyte".to_owned()),
            Ok(line) => Ok(line.trim().to_owned()),
            Err(_) => Err("bytes that are no UTF-8".to_owned()),
        };
        if sender.send((Instant::now(), line)).is_err() {
            return;
        }
    }
}
