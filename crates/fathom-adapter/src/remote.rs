//! The tester's side: a stepper for implementations behind a connection.
//!
//! Time is virtual or real. A virtual clock is told: each tick is a message, and nothing happens in between. A real clock is read: ticks are at
//! whole multiples of the unit since the beginning of the run, and what comes shortly before one may as well have come after it. Lines have the moment at which they
//! came, so that a tester that was busy meanwhile puts them where they belong.

use std::time::{Duration, Instant};

use fathom_online::{Action, Answer, Broken, Heard, Outcome, Stepper, Ticked};

use crate::connection::{Connection, Launch};
use crate::protocol::{Said, Told};

/// How long to wait for what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timing {
    /// For an answer; longer means that the implementation hangs.
    pub answer: Duration,
    /// For something that the implementation does on its own; longer means that it is silent.
    pub silence: Duration,
    /// How time passes, in models that have it.
    pub clock: Clock,
}

/// How time passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// The implementation is told.
    Virtual,
    /// It has a clock of its own. For models in which time passes.
    Real {
        /// One tick of the model.
        unit: Duration,
        /// How far clocks and messages may be off.
        tolerance: Duration,
    },
}

impl Default for Timing {
    fn default() -> Timing {
        Timing { answer: Duration::from_secs(5), silence: Duration::from_millis(100), clock: Clock::Virtual }
    }
}

/// An implementation behind a connection.
pub struct Remote {
    launch: Launch,
    timing: Timing,
    connection: Option<Connection>,
    n_runs: u64,
    /// When the run began, and how many units of time have passed since.
    began: Instant,
    n_ticks: u32,
    /// Something that came after the end of the present tick, while the tester has not got there.
    held: Option<(Instant, Action)>,
}

impl Remote {
    /// Nothing is started before the first run.
    pub fn new(launch: Launch, timing: Timing) -> Remote {
        Remote { launch, timing, connection: None, n_runs: 0, began: Instant::now(), n_ticks: 0, held: None }
    }

    /// When the present tick ends, on a real clock.
    fn end_of_tick(&self, unit: Duration) -> Instant {
        self.began + unit * (self.n_ticks + 1)
    }

    /// Number of the process, while there is one.
    pub fn is_connected(&self) -> bool {
        self.connection.is_some()
    }

    /// Runs with the connection; one that breaks is closed, so that the next run begins anew.
    fn with<T>(
        &mut self,
        use_it: impl FnOnce(&mut Connection, &Timing) -> Result<T, Broken>,
    ) -> Result<T, Broken> {
        let Some(connection) = &mut self.connection else {
            return Err(Broken::Unreachable("there is no connection".to_owned()));
        };
        let used = use_it(connection, &self.timing);
        if used.is_err() {
            self.connection = None;
        }
        used
    }

    /// Waits for something that the implementation does on its own; gives the moment at which it came, too.
    fn hear_stamped(&mut self, patience: Duration) -> Result<Option<(Instant, Action)>, Broken> {
        if let Some(held) = self.held.take() {
            return Ok(Some(held));
        }
        self.with(|connection, _| match connection.receive(patience)? {
            None => Ok(None),
            Some((at, line)) => match Said::parse(&line) {
                Some(Said::Observed(action)) => Ok(Some((at, action))),
                _ => Err(garbage(&line)),
            },
        })
    }

    /// The same; what comes near the end of the present tick or after it is kept until the tester gets there.
    fn hear(&mut self, patience: Duration) -> Result<Heard, Broken> {
        let heard = self.hear_stamped(patience)?;
        match (heard, self.timing.clock) {
            (Some((at, action)), Clock::Real { unit, tolerance })
                if at + tolerance >= self.end_of_tick(unit) =>
            {
                self.held = Some((at, action));
                Ok(None)
            }
            (heard, _) => Ok(heard.map(|(_, action)| action)),
        }
    }

    /// Sends something and waits for the answer, with what came before it.
    fn ask(&mut self, told: &Told) -> Result<(Vec<Action>, Said), Broken> {
        let held: Vec<Action> = self.held.take().map(|(_, action)| action).into_iter().collect();
        self.with(|connection, timing| {
            connection.send(&told.to_line())?;
            let deadline = Instant::now() + timing.answer;
            let mut earlier = held;
            loop {
                let left = deadline.saturating_duration_since(Instant::now());
                match connection.receive(left)? {
                    None => return Err(Broken::Hung(told.to_line())),
                    Some((_, line)) => match Said::parse(&line) {
                        Some(Said::Observed(action)) => earlier.push(action),
                        Some(said) => return Ok((earlier, said)),
                        None => return Err(garbage(&line)),
                    },
                }
                // An implementation that only talks does not answer either.
                if Instant::now() >= deadline {
                    return Err(Broken::Hung(told.to_line()));
                }
            }
        })
    }

    fn break_off<T>(&mut self, broken: Broken) -> Result<T, Broken> {
        self.connection = None;
        Err(broken)
    }

    fn try_reset(&mut self) -> Result<(), Broken> {
        if self.connection.is_none() {
            self.connection = Some(Connection::open(&self.launch, self.timing.answer)?);
        }
        match self.ask(&Told::Reset(self.n_runs))? {
            // What is left of the run before does not count.
            (_, Said::Ready) => Ok(()),
            (_, said) => self.break_off(garbage(&said.to_line())),
        }
    }
}

fn garbage(line: &str) -> Broken {
    const MOST: usize = 200;
    let shown: String = line.chars().take(MOST).collect();
    Broken::Garbage(if shown.len() < line.len() { format!("{shown}…") } else { shown })
}

impl Stepper for Remote {
    fn reset(&mut self) -> Result<(), Broken> {
        self.n_runs += 1;
        let is_old = self.connection.is_some();
        let mut done = self.try_reset();
        if is_old && done.is_err() {
            // It may have broken down since the last run: a new one gets its chance.
            done = self.try_reset();
        }
        (self.began, self.n_ticks, self.held) = (Instant::now(), 0, None);
        done
    }

    fn perform(&mut self, action: &Action) -> Result<Answer, Broken> {
        let told = Told::Do { action: action.clone(), time: u64::from(self.n_ticks) };
        let (earlier, said) = self.ask(&told)?;
        let outcome = match said {
            Said::Done(observed) => Outcome::Done(observed),
            Said::Refused(why) => Outcome::Refused(why),
            Said::Failed(how) => Outcome::Failed(how),
            other => return self.break_off(garbage(&other.to_line())),
        };
        Ok(Answer { earlier, outcome })
    }

    fn poll(&mut self) -> Result<Heard, Broken> {
        self.hear(Duration::ZERO)
    }

    fn wait(&mut self) -> Result<Heard, Broken> {
        self.hear(self.timing.silence)
    }

    fn tick(&mut self) -> Result<Ticked, Broken> {
        let Clock::Real { unit, tolerance } = self.timing.clock else {
            return match self.ask(&Told::Tick(u64::from(self.n_ticks) + 1))? {
                (mut observed, Said::Done(later)) => {
                    self.n_ticks += 1;
                    observed.extend(later);
                    Ok(Ticked::Passed(observed))
                }
                (_, other) => self.break_off(garbage(&other.to_line())),
            };
        };
        let end = self.end_of_tick(unit);
        match self.hear_stamped(end.saturating_duration_since(Instant::now()))? {
            None => {
                self.n_ticks += 1;
                Ok(Ticked::Passed(Vec::new()))
            }
            Some((at, action)) if at >= end => {
                self.held = Some((at, action));
                self.n_ticks += 1;
                Ok(Ticked::Passed(Vec::new()))
            }
            Some((at, action)) if end - at <= tolerance => {
                std::thread::sleep(end.saturating_duration_since(Instant::now()));
                self.n_ticks += 1;
                Ok(Ticked::Nearly(action))
            }
            Some((_, action)) => Ok(Ticked::Heard(action)),
        }
    }

    fn due(&mut self) -> Result<Heard, Broken> {
        let Clock::Real { unit, tolerance } = self.timing.clock else {
            // Nothing happens between ticks that was not said already, but it may still be on its way.
            return self.hear(self.timing.silence);
        };
        let latest = self.end_of_tick(unit) + tolerance;
        let heard = self.hear_stamped(latest.saturating_duration_since(Instant::now()))?;
        Ok(heard.filter(|(at, _)| *at <= latest).map(|(_, action)| action))
    }

    fn is_behind(&self) -> bool {
        match self.timing.clock {
            Clock::Virtual => false,
            Clock::Real { unit, .. } => self.held.is_some() || Instant::now() >= self.end_of_tick(unit),
        }
    }
}

/// Says good-bye; the connection ends the program.
impl Drop for Remote {
    fn drop(&mut self) {
        if let Some(connection) = &mut self.connection {
            // An implementation that is gone already is fine.
            let _ = connection.send(&Told::Stop.to_line());
        }
    }
}
