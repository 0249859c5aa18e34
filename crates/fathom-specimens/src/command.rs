//! The specimens as programs: what they say on standard output, and ways to break down.

use std::io::{BufRead, Error, ErrorKind, Result, Write};
use std::time::Duration;

use fathom_adapter::{serve, serve_in_real_time};
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

/// A specimen to run.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Specimen {
    /// `buffer`, `sessions`, `lamp`, `phone` or `lock`.
    pub name: String,
    /// A fault to switch on.
    pub fault: Option<String>,
    /// The length of a tick, for a clock of its own; without it the tester says when time passes.
    pub tick: Option<Duration>,
}

impl Specimen {
    /// Reads words as a program gets them: the name, then perhaps `--fault NAME` and `--tick MILLISECONDS`.
    ///
    /// # Errors
    ///
    /// When they mean nothing.
    pub fn parse(words: &[String]) -> Result<Specimen> {
        let mut words = words.iter();
        let Some(name) = words.next() else {
            return Err(wrong("expected the name of a specimen".to_owned()));
        };
        let mut specimen = Specimen { name: name.clone(), ..Specimen::default() };
        while let Some(flag) = words.next() {
            match (flag.as_str(), words.next()) {
                ("--fault", Some(fault)) => specimen.fault = Some(fault.clone()),
                ("--tick", Some(number)) => {
                    let number = number.parse().map_err(|_| wrong(format!("{number} is no number")))?;
                    specimen.tick = Some(Duration::from_millis(number));
                }
                _ => {
                    return Err(wrong(format!("expected --fault NAME or --tick MILLISECONDS, found {flag}")));
                }
            }
        }
        Ok(specimen)
    }

    /// Answers a tester until it stops.
    ///
    /// # Errors
    ///
    /// When there is no such specimen or fault, or input or output break.
    pub fn run(&self, input: impl BufRead + Send + 'static, output: impl Write) -> Result<()> {
        let mut implementation = self.make()?;
        match self.tick {
            Some(tick) if !tick.is_zero() => serve_in_real_time(&mut *implementation, tick, input, output),
            Some(_) => Err(wrong("a tick takes some time".to_owned())),
            None => serve(&mut *implementation, input, output),
        }
    }

    fn make(&self) -> Result<Box<dyn Implementation>> {
        let faults: &[Fault] = match self.name.as_str() {
            "buffer" => &buffer::FAULTS,
            "sessions" => &sessions::FAULTS,
            "lamp" => &lamp::FAULTS,
            "phone" => &phone::FAULTS,
            "lock" => &lock::FAULTS,
            name => {
                return Err(wrong(format!(
                    "there is no specimen '{name}': there are buffer, sessions, lamp, phone and lock"
                )));
            }
        };
        let all: Vec<Fault> = faults.iter().chain(&BREAKDOWNS).copied().collect();
        let known = |wanted: &String| {
            all.iter().find(|fault| **fault == *wanted).copied().ok_or_else(|| {
                wrong(format!("{} has no fault '{wanted}': it has {}", self.name, all.join(", ")))
            })
        };
        let fault = self.fault.as_ref().map(known).transpose()?;
        let implementation: Box<dyn Implementation> = match self.name.as_str() {
            "buffer" => Box::new(Buffer::new(fault)),
            "sessions" => Box::new(Server::new(fault)),
            "lamp" => Box::new(Lamp::new(fault)),
            "phone" => Box::new(Phone::new(fault)),
            _ => Box::new(Lock::new(fault)),
        };
        Ok(match fault.filter(|fault| BREAKDOWNS.contains(fault)) {
            None => implementation,
            Some(breakdown) => Box::new(Breaking { inside: implementation, breakdown, n: 0 }),
        })
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
