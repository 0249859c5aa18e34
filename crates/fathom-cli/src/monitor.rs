//! What happens while a search runs: the deadline, Ctrl-C, and the progress line.
//!
//! The first Ctrl-C stops the search, and what was learned is reported; the second ends the program.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fathom_core::model::Stop;
use fathom_core::search::{Monitor, Progress};
use indicatif::{HumanCount, ProgressBar, ProgressStyle};

use crate::output;
use crate::units::display_size;

/// Time between two lines when standard error is not a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(5);
/// Time between two changes of the live line.
const LIVE_INTERVAL: Duration = Duration::from_millis(100);
/// What a shell reports for a program that Ctrl-C ended.
const STATUS_INTERRUPTED: i32 = 130;

/// Whether the user asked to stop, or somebody else for whom a search listens.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
    /// Asked by somebody else.
    also: Option<Arc<AtomicBool>>,
}

impl Interrupt {
    /// Listens for Ctrl-C from now on.
    pub fn listen() -> Interrupt {
        let interrupt = Interrupt::default();
        let flag = interrupt.clone();
        let installed = ctrlc::set_handler(move || {
            if flag.asked.swap(true, Ordering::SeqCst) {
                std::process::exit(STATUS_INTERRUPTED);
            }
        });
        if let Err(error) = installed {
            output::complain(&format!("Ctrl-C will end the program at once: {error}"));
        }
        interrupt
    }

    /// This one, or another.
    pub fn or(self, other: &Interrupt) -> Interrupt {
        Interrupt { also: Some(other.asked.clone()), ..self }
    }

    /// Asks to stop.
    pub fn ask(&self) {
        self.asked.store(true, Ordering::SeqCst);
    }

    /// Whether somebody else asked to stop.
    fn is_asked_by_others(&self) -> bool {
        self.also.as_deref().is_some_and(|flag| flag.load(Ordering::SeqCst))
    }

    /// Whether anybody asked to stop.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst) || self.is_asked_by_others()
    }
}

/// How progress is shown.
#[derive(Debug)]
enum Display {
    Silent,
    Live(ProgressBar),
    Lines,
}

/// Watches one search.
#[derive(Debug)]
pub struct Watch {
    started: Instant,
    shown: Instant,
    limit: Option<Duration>,
    interrupt: Interrupt,
    display: Display,
}

impl Watch {
    /// Starts the clock.
    pub fn start(limit: Option<Duration>, interrupt: Interrupt, quiet: bool) -> Watch {
        let display = match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Display::Silent,
            (false, true) => Display::Live(live_line()),
            (false, false) => Display::Lines,
        };
        let started = Instant::now();
        Watch { started, shown: started, limit, interrupt, display }
    }

    /// The time that is left, if there is a limit.
    pub fn left(&self) -> Option<Duration> {
        self.limit.map(|limit| limit.saturating_sub(self.started.elapsed()))
    }

    /// Removes the progress line and says how long the search took.
    pub fn finish(self) -> Duration {
        self.curtain().close();
        self.started.elapsed()
    }

    /// What removes the progress line, also while the search still has the watch.
    pub fn curtain(&self) -> Curtain {
        match &self.display {
            Display::Live(bar) => Curtain(Some(bar.clone())),
            Display::Silent | Display::Lines => Curtain(None),
        }
    }

    fn show(&mut self, progress: &Progress, elapsed: Duration) {
        let interval = match self.display {
            Display::Silent => return,
            Display::Live(_) => LIVE_INTERVAL,
            Display::Lines => LINE_INTERVAL,
        };
        if self.shown.elapsed() < interval {
            return;
        }
        self.shown = Instant::now();
        let line = progress_line(progress, elapsed);
        match &self.display {
            Display::Live(bar) => bar.set_message(line),
            _ => output::note(&line),
        }
    }
}

/// Removes the progress line, if there is one.
#[derive(Debug)]
pub struct Curtain(Option<ProgressBar>);

impl Curtain {
    /// Removes it.
    pub fn close(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// How long it may take to hear that the time is over.
pub fn patience(limit: Duration) -> Duration {
    limit / 10 + Duration::from_secs(2)
}

/// Time between two looks at the clock of an alarm.
const ALARM_INTERVAL: Duration = Duration::from_millis(20);

/// A flag that is set when the time is over, or the user asks to stop. Whoever watches the clock for it goes away with the last copy.
fn alarm_at(deadline: Option<Instant>, interrupt: Interrupt) -> Arc<AtomicBool> {
    let alarm = Arc::new(AtomicBool::new(false));
    let watched = Arc::downgrade(&alarm);
    std::thread::spawn(move || {
        while let Some(alarm) = watched.upgrade() {
            if interrupt.is_asked() || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                alarm.store(true, Ordering::Relaxed);
                return;
            }
            drop(alarm);
            std::thread::sleep(ALARM_INTERVAL);
        }
    });
    alarm
}

impl Monitor for Watch {
    fn alarm(&self) -> Option<Arc<AtomicBool>> {
        let deadline = self.limit.and_then(|limit| self.started.checked_add(limit));
        Some(alarm_at(deadline, self.interrupt.clone()))
    }

    fn last_alarm(&self) -> Option<Arc<AtomicBool>> {
        if self.interrupt.is_asked_by_others() {
            // Nobody waits for what this search has found.
            return None;
        }
        let limit = self.limit.unwrap_or_default();
        let over = self.started.checked_add(limit)?.max(Instant::now());
        Some(alarm_at(over.checked_add(patience(limit) / 2), Interrupt::default()))
    }

    fn poll(&mut self, progress: &Progress) -> Option<Stop> {
        if self.interrupt.is_asked() {
            return Some(Stop::Cancelled);
        }
        let elapsed = self.started.elapsed();
        if self.limit.is_some_and(|limit| elapsed >= limit) {
            return Some(Stop::Time);
        }
        self.show(progress, elapsed);
        None
    }
}

fn live_line() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
        bar.set_style(style);
    }
    bar
}

fn progress_line(progress: &Progress, elapsed: Duration) -> String {
    let rate = progress.states as f64 / elapsed.as_secs_f64().max(1e-9);
    format!(
        "{} states, {}/s, frontier {}, depth {}, {}, {:.1} s",
        HumanCount(progress.states),
        HumanCount(rate as u64),
        HumanCount(progress.pending),
        HumanCount(progress.depth),
        display_size(progress.bytes),
        elapsed.as_secs_f64()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alarm_is_set_at_the_deadline_and_by_the_user_and_not_before() {
        let is_set = |watch: &Watch, interrupt: &Interrupt, asks: bool| {
            let alarm = watch.alarm().expect("an alarm");
            interrupt.asked.store(asks, Ordering::SeqCst);
            let end =
                Instant::now() + Duration::from_secs(if asks || watch.limit.is_some() { 10 } else { 0 });
            while !alarm.load(Ordering::Relaxed) && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(1));
            }
            alarm.load(Ordering::Relaxed)
        };
        let interrupt = Interrupt::default();
        let patient = Watch::start(None, interrupt.clone(), true);
        assert!(!is_set(&patient, &interrupt, false));
        assert!(is_set(&patient, &interrupt, true));
        let other = Interrupt::default();
        let hasty = Watch::start(Some(Duration::from_millis(30)), other.clone(), true);
        assert!(is_set(&hasty, &other, false));
    }

    #[test]
    fn the_deadline_and_the_user_stop_a_search() {
        let progress = Progress { states: 1, transitions: 0, depth: 0, pending: 0, bytes: 0 };
        let interrupt = Interrupt::default();
        let mut patient = Watch::start(None, interrupt.clone(), true);
        let mut hasty = Watch::start(Some(Duration::ZERO), Interrupt::default(), true);
        assert_eq!(patient.poll(&progress), None);
        assert_eq!(hasty.poll(&progress), Some(Stop::Time));
        interrupt.ask();
        assert_eq!(patient.poll(&progress), Some(Stop::Cancelled));
    }
}
