//! The specimens as programs: what they say on standard output, and ways to break down.

use std::io::{BufRead, Error, ErrorKind, Result, Write};

use fathom_adapter::serve;
use fathom_online::{Action, Implementation};

use crate::buffer::Buffer;
use crate::lamp::Lamp;
use crate::lock::Lock;
use crate::phone::Phone;
use crate::sessions::Server;
use crate::{Fault, buffer, lamp, lock, phone, sessions};

/// Ways in which a program breaks down; each specimen has them, too.
const BREAKDOWNS: [Fault; 4] = ["ends", "hangs", "garbage", "floods"];

/// Actions before a program breaks down.
const ACTIONS_BEFORE: usize = 5;

/// Runs a specimen: `buffer`, `sessions`, `lamp`, `phone` or `lock`, and perhaps `--fault NAME`.
///
/// # Errors
///
/// When there is no such specimen or fault, or input or output break.
pub fn run(words: &[String], input: impl BufRead, output: impl Write) -> Result<()> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (name, wanted) = match words[..] {
        [name] => (name, None),
        [name, "--fault", fault] => (name, Some(fault)),
        _ => return Err(wrong("expected the name of a specimen, and perhaps --fault NAME".to_owned())),
    };
    let faults: &[Fault] = match name {
        "buffer" => &buffer::FAULTS,
        "sessions" => &sessions::FAULTS,
        "lamp" => &lamp::FAULTS,
        "phone" => &phone::FAULTS,
        "lock" => &lock::FAULTS,
        _ => {
            return Err(wrong(format!(
                "there is no specimen '{name}': there are buffer, sessions, lamp, phone and lock"
            )));
        }
    };
    let all: Vec<Fault> = faults.iter().chain(&BREAKDOWNS).copied().collect();
    let fault =
        match wanted {
            None => None,
            Some(wanted) => Some(*all.iter().find(|fault| **fault == wanted).ok_or_else(|| {
                wrong(format!("{name} has no fault '{wanted}': it has {}", all.join(", ")))
            })?),
        };
    let mut implementation: Box<dyn Implementation> = match name {
        "buffer" => Box::new(Buffer::new(fault)),
        "sessions" => Box::new(Server::new(fault)),
        "lamp" => Box::new(Lamp::new(fault)),
        "phone" => Box::new(Phone::new(fault)),
        _ => Box::new(Lock::new(fault)),
    };
    match fault.filter(|fault| BREAKDOWNS.contains(fault)) {
        None => serve(&mut *implementation, input, output),
        Some(breakdown) => serve(&mut Breaking { inside: implementation, breakdown, n: 0 }, input, output),
    }
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::InvalidInput, message)
}

/// An implementation that breaks down after some actions.
struct Breaking {
    inside: Box<dyn Implementation>,
    breakdown: Fault,
    n: usize,
}

impl Implementation for Breaking {
    fn reset(&mut self) {
        self.n = 0;
        self.inside.reset();
    }

    fn perform(&mut self, action: &Action) -> std::result::Result<Vec<Action>, String> {
        self.n += 1;
        if self.n < ACTIONS_BEFORE {
            return self.inside.perform(action);
        }
        let mut output = std::io::stdout();
        match self.breakdown {
            "ends" => std::process::exit(3),
            "hangs" => loop {
                std::thread::park();
            },
            "floods" => loop {
                // Ends when nobody reads any more.
                if output.write_all(b"{\"observed\": \"Deliver(7)\"}\n").is_err() {
                    std::process::exit(1);
                }
            },
            _ => {
                let _ = output.write_all(b"Segmentation fault, or so it seems\n");
                self.inside.perform(action)
            }
        }
    }

    fn act(&mut self) -> Option<Action> {
        self.inside.act()
    }

    fn tick(&mut self) -> Vec<Action> {
        self.inside.tick()
    }
}
