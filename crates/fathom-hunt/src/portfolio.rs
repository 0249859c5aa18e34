//! The portfolio: several engines share the time, and what makes progress gets more of it.
//!
//! No sampled engine is best everywhere: pruned searches run deep where walks go in circles, walks cross spaces that
//! fill every table, and many errors are near enough for a plain search. So first a short complete attempt is
//! made, which also answers small systems for good. Then the arms take turns, in slices counted in states. The arm
//! for the next slice is chosen as a bandit's (UCB1: Auer, Cesa-Bianchi and Fischer, "Finite-time Analysis of the
//! Multiarmed Bandit Problem", Machine Learning 2002): by what it gained so far, and by how seldom it was tried. A
//! first trace is a whole gain, a shorter one the part by which it is shorter. Arms work for shorter traces as soon
//! as there is one. When nothing has improved for a while the best trace is shortened, and that is the answer.
//!
//! With one thread, a run depends on the seed alone unless a limit on time ends it. With more, which arm runs when
//! depends on the machine; traces are traces all the same.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fathom_model::{PropertyId, Stop, System, Trust};
use fathom_search::{Outcome, Progress};

use crate::arm::{Arm, Found, Slice, Target, state_bytes};
use crate::complete_arm::{Room, complete_attempt};
use crate::isr::Enough;
use crate::race::{Board, run_watched};
use crate::sampled_outcome::sampled_outcome;
use crate::shorten::{ShortenOptions, shorten_way, shows_evidence};
use crate::way::{Way, trace_of};

/// What is hunted for, and with what effort.
#[derive(Clone, PartialEq, Debug)]
pub struct HuntOptions {
    /// The properties in question, each once.
    pub properties: Vec<PropertyId>,
    /// When it is enough.
    pub enough: Enough,
    /// States of the complete attempt; 0 for none.
    pub attempt_states: u64,
    /// Bytes that it may take.
    pub attempt_bytes: u64,
    /// States of one slice.
    pub slice_states: u64,
    /// Most states of all arms together.
    pub max_states: Option<u64>,
    /// The hunt ends when this many times as many slices as there are arms have brought no shorter trace.
    pub patience: u32,
    /// How long shorter traces are looked for, and how long the best one is shortened, is counted in states: see [`Rest`]. With one thread a hunt
    /// then depends on its seed alone. Without it, the monitor decides.
    pub rest: Rest,
    /// How the best trace is shortened at the end.
    pub shorten: ShortenOptions,
    /// Number of threads.
    pub threads: usize,
    /// The seed.
    pub seed: u64,
}

impl Default for HuntOptions {
    fn default() -> HuntOptions {
        HuntOptions {
            properties: Vec::new(),
            enough: Enough::Any,
            attempt_states: 200_000,
            attempt_bytes: 256 << 20,
            slice_states: 200_000,
            max_states: None,
            patience: 1,
            rest: Rest::UpToMonitor,
            shorten: ShortenOptions::default(),
            threads: 1,
            seed: 1,
        }
    }
}

/// What is done after the first trace.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Rest {
    /// The monitor says when it is enough.
    #[default]
    UpToMonitor,
    /// As many states again as the first trace took, and so many slices at least; then the same for shortening. Every arm gets a turn, unless
    /// that takes as long once more.
    Counted {
        /// Slices at least.
        slices: u64,
    },
}

/// One line of the table of arms.
#[derive(Clone, PartialEq, Debug)]
pub struct ArmRow {
    /// The name of the arm.
    pub name: String,
    /// Slices it was given.
    pub n_slices: u64,
    /// States it visited.
    pub states: u64,
    /// Steps it made.
    pub transitions: u64,
    /// Its longest path.
    pub depth: u64,
    /// The steps of its shortest trace, with a last one that fails, as people see it.
    pub best: Option<usize>,
    /// What it gained, 1 for a first trace.
    pub gain: f64,
    /// Whether it works now.
    pub is_working: bool,
    /// Whether it has nothing more to do.
    pub is_exhausted: bool,
}

/// Told how a hunt stands, and asked whether to stop.
pub trait HuntMonitor {
    /// A reason to stop here, if there is one.
    fn poll(&mut self, progress: &Progress, arms: &[ArmRow]) -> Option<Stop>;

    /// Told that the hunt for another question begins, and how many are left with it. Each should have its share of the
    /// time.
    fn begin(&mut self, _n_left: usize) {}
}

impl<F: FnMut(&Progress, &[ArmRow]) -> Option<Stop>> HuntMonitor for F {
    fn poll(&mut self, progress: &Progress, arms: &[ArmRow]) -> Option<Stop> {
        self(progress, arms)
    }
}

/// What came of a hunt.
#[derive(Clone, Debug)]
pub struct HuntOutcome {
    /// Evidence, the reason to stop, and what it cost. Sampled, unless a complete search explored everything.
    pub outcome: Outcome,
    /// What each arm did.
    pub arms: Vec<ArmRow>,
    /// Which arm found the evidence, before shortening; none for the complete attempt. In the order of the
    /// properties.
    pub found_by: Vec<Option<String>>,
    /// Whether each trace is a shortest one, for certain.
    pub is_shortest: Vec<bool>,
}

/// Bytes of states in a slice at most, judged from the first state.
const SLICE_BYTES: u64 = 1 << 29;

/// Hunts with arms: see the module header.
pub fn hunt<S: System + Sync>(
    system: &S,
    options: &HuntOptions,
    arms: Vec<Box<dyn Arm + '_>>,
    monitor: &mut dyn HuntMonitor,
) -> HuntOutcome {
    let attempt_states = options.attempt_states.min(options.max_states.unwrap_or(u64::MAX));
    let (mut attempt, stop) = match attempt_states {
        0 => (None, None),
        n_states => {
            let mut watched = |progress: &Progress| monitor.poll(progress, &[]);
            let room = Room { n_states, max_bytes: options.attempt_bytes };
            let (outcome, stop) = complete_attempt(system, &options.properties, room, &mut watched);
            (Some(outcome), stop)
        }
    };
    if let Some(outcome) = attempt.take_if(|outcome| is_answer(outcome, options.enough) || stop.is_some()) {
        let outcome = Outcome { stop: stop.unwrap_or(outcome.stop), ..outcome };
        let is_shortest = outcome.evidence.iter().map(|(_, trace)| trace.is_some()).collect();
        let found_by = vec![None; options.properties.len()];
        return HuntOutcome { found_by, is_shortest, arms: Vec::new(), outcome };
    }
    let slice_states = options.slice_states.min(SLICE_BYTES / (state_bytes(system) as u64).max(1)).max(1);
    let table = Mutex::new(Table::new(options, slice_states, arms, attempt.as_ref()));
    let stop = run(system, &table, options, monitor);
    let table = table.into_inner().unwrap_or_else(PoisonError::into_inner);
    finish(system, options, table, stop, monitor)
}

/// Whether a complete attempt leaves nothing to hunt for.
fn is_answer(outcome: &Outcome, enough: Enough) -> bool {
    let mut evidence = outcome.evidence.iter().map(|(_, trace)| trace.is_some());
    let is_found = match enough {
        Enough::Any => evidence.any(|found| found),
        Enough::All => evidence.all(|found| found),
    };
    is_found || outcome.stop == Stop::Exhausted && !outcome.depth_cut
}

/// The evidence about one property.
struct Entry {
    property: PropertyId,
    best: Option<(Way, Option<String>)>,
    /// Whether nothing shorter exists.
    is_shortest: bool,
}

/// A rest that is counted.
#[derive(Clone, Copy)]
struct Counted {
    /// The states at which it is over.
    end: u64,
    /// The states of it.
    length: u64,
}

/// The numbers of states at which a slice ends.
#[derive(Clone, Copy)]
struct Ends {
    /// The rest is over.
    rest: u64,
    /// There are to be no more.
    all: u64,
}

impl Ends {
    fn reached(self, states: u64) -> Option<Stop> {
        let is_over = (states >= self.rest).then_some(Stop::Found);
        is_over.or((states >= self.all).then_some(Stop::States))
    }
}

/// What the threads of a hunt share.
struct Table<'a> {
    options: &'a HuntOptions,
    /// States of a slice: large ones take longer, and a slice has fewer of them.
    slice_states: u64,
    /// None while an arm works.
    arms: Vec<Option<Box<dyn Arm + 'a>>>,
    rows: Vec<ArmRow>,
    entries: Vec<Entry>,
    n_slices: u64,
    /// Slices since the last improvement.
    n_in_vain: u64,
    states: u64,
    transitions: u64,
    depth: u64,
    /// The states when enough was found.
    states_to_first: Option<u64>,
    /// Whether there can be no evidence about anything for which there is none.
    is_proved: bool,
}

impl<'a> Table<'a> {
    fn new(
        options: &'a HuntOptions,
        slice_states: u64,
        arms: Vec<Box<dyn Arm + 'a>>,
        attempt: Option<&Outcome>,
    ) -> Table<'a> {
        let row = |arm: &dyn Arm| ArmRow {
            name: arm.name().to_owned(),
            n_slices: 0,
            states: 0,
            transitions: 0,
            depth: 0,
            best: None,
            gain: 0.0,
            is_working: false,
            is_exhausted: false,
        };
        let known = |property: PropertyId| {
            let mut evidence = attempt.iter().flat_map(|outcome| &outcome.evidence);
            let found = evidence.find(|(about, _)| *about == property).and_then(|(_, trace)| trace.as_ref());
            found.map(|trace| (Way::from(trace), None))
        };
        // The attempt searches in layers.
        let entry = |&property: &PropertyId| {
            let best = known(property);
            Entry { property, is_shortest: best.is_some(), best }
        };
        let entries = options.properties.iter().map(entry);
        Table {
            options,
            slice_states,
            rows: arms.iter().map(|arm| row(arm.as_ref())).collect(),
            arms: arms.into_iter().map(Some).collect(),
            entries: entries.collect(),
            n_slices: 0,
            n_in_vain: 0,
            states: attempt.map_or(0, |outcome| outcome.statistics.states),
            transitions: attempt.map_or(0, |outcome| outcome.statistics.transitions),
            depth: attempt.map_or(0, |outcome| outcome.statistics.max_depth),
            states_to_first: None,
            is_proved: false,
        }
    }

    fn progress(&self) -> Progress {
        Progress {
            states: self.states,
            transitions: self.transitions,
            depth: self.depth,
            pending: 0,
            bytes: 0,
        }
    }

    /// What arms are to look for: with one property enough, only that one as soon as there is something about it.
    fn targets(&self) -> Vec<Target> {
        let is_any_found = self.entries.iter().any(|entry| entry.best.is_some());
        let matters =
            |entry: &&Entry| self.options.enough == Enough::All || !is_any_found || entry.best.is_some();
        let target = |entry: &Entry| match &entry.best {
            _ if entry.is_shortest => None,
            None => Some(Target { property: entry.property, most_steps: None }),
            Some((way, _)) => {
                let most_steps = way.len().checked_sub(1)? as u32;
                Some(Target { property: entry.property, most_steps: Some(most_steps) })
            }
        };
        self.entries.iter().filter(matters).filter_map(target).collect()
    }

    /// Whether there is evidence about enough of the properties.
    fn is_found(&self) -> bool {
        let mut found = self.entries.iter().map(|entry| entry.best.is_some());
        match self.options.enough {
            Enough::Any => found.any(|found| found),
            Enough::All => found.all(|found| found),
        }
    }

    /// Why no more slices are to be given.
    fn reason_to_end(&self) -> Option<Stop> {
        let is_found = self.is_found();
        if self.is_proved && (!is_found || self.options.enough == Enough::All) {
            return Some(Stop::Exhausted);
        }
        let patience = u64::from(self.options.patience) * self.rows.len() as u64;
        if is_found && self.n_in_vain >= patience || self.targets().is_empty() {
            return Some(Stop::Found);
        }
        let had_turns = self.rows.iter().all(|row| row.n_slices > 0 || row.is_exhausted);
        if is_found && self.rest().is_some_and(|rest| self.states >= rest.end && had_turns) {
            return Some(Stop::Found);
        }
        if self.options.max_states.is_some_and(|max_states| self.states >= max_states)
            || self.rows.iter().all(|row| row.is_exhausted)
        {
            return Some(Stop::States);
        }
        None
    }

    /// What is left after the first trace, when that is counted.
    fn rest(&self) -> Option<Counted> {
        let Rest::Counted { slices } = self.options.rest else { return None };
        let first = self.states_to_first?;
        let length = first.max(slices.saturating_mul(self.slice_states));
        Some(Counted { end: first.saturating_add(length), length })
    }

    /// The numbers of states at which a slice ends, whatever it does.
    fn ends(&self) -> Ends {
        // A slice may be far longer than the rest: not every arm gets a turn then.
        let rest = self.rest().map_or(u64::MAX, |rest| rest.end.saturating_add(rest.length));
        Ends { rest, all: self.options.max_states.unwrap_or(u64::MAX) }
    }

    /// The arm that gets the next slice.
    fn choose(&self) -> Option<usize> {
        let value = |row: &ArmRow| {
            if row.n_slices == 0 {
                return f64::INFINITY;
            }
            let (n, all) = (row.n_slices as f64, self.n_slices.max(1) as f64);
            row.gain / n + (2.0 * all.ln() / n).sqrt()
        };
        let free =
            (0..self.rows.len()).filter(|&arm| self.arms[arm].is_some() && !self.rows[arm].is_exhausted);
        // The first of equals, so that the order of the arms is the order of the first slices.
        free.rev().max_by(|&one, &other| value(&self.rows[one]).total_cmp(&value(&self.rows[other])))
    }

    /// Notes what came of a slice.
    fn note(&mut self, arm: usize, targets: &[Target], slice: Slice) {
        self.n_slices += 1;
        self.n_in_vain += 1;
        self.states += slice.states;
        self.transitions += slice.transitions;
        self.depth = self.depth.max(slice.depth);
        let row = &mut self.rows[arm];
        row.n_slices += 1;
        row.states += slice.states;
        row.transitions += slice.transitions;
        row.depth = row.depth.max(slice.depth);
        row.is_working = false;
        row.is_exhausted = slice.is_exhausted;
        self.is_proved |= slice.proves;
        let Some((property, Found(way))) = slice.found else {
            if slice.is_shortest {
                self.no_shorter_than(targets);
            }
            return;
        };
        let length = way.len();
        let shown = length + usize::from(way.ends_in_a_fault());
        row.best = Some(row.best.map_or(shown, |best| best.min(shown)));
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.property == property) else { return };
        let gain = match &entry.best {
            None => 1.0,
            Some((old, _)) => 1.0 - length as f64 / old.len().max(1) as f64,
        };
        if gain > 0.0 {
            row.gain += gain;
            self.n_in_vain = 0;
            entry.best = Some((way, Some(row.name.clone())));
        }
        entry.is_shortest |= slice.is_shortest;
        if self.states_to_first.is_none() && self.is_found() {
            self.states_to_first = Some(self.states);
        }
    }

    /// Notes that nothing was left within the bounds of targets. Whatever was found meanwhile is within them or not: what
    /// is as long as the bound allows no more is a shortest one.
    fn no_shorter_than(&mut self, targets: &[Target]) {
        for target in targets {
            let entry = self.entries.iter_mut().find(|entry| entry.property == target.property);
            if let (Some(entry), Some(most_steps)) = (entry, target.most_steps) {
                entry.is_shortest |=
                    entry.best.as_ref().is_some_and(|(way, _)| way.len() as u64 == u64::from(most_steps) + 1);
            }
        }
    }
}

fn lock<'t, 'a>(table: &'t Mutex<Table<'a>>) -> MutexGuard<'t, Table<'a>> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives slices to arms until there is a reason to end.
fn run<S: System + Sync>(
    system: &S,
    table: &Mutex<Table<'_>>,
    options: &HuntOptions,
    monitor: &mut dyn HuntMonitor,
) -> Stop {
    if options.threads <= 1 {
        let local = RefCell::new((monitor, None));
        let ask = |progress: &Progress| {
            let rows = lock(table).rows.clone();
            let (monitor, stop) = &mut *local.borrow_mut();
            if stop.is_none() {
                *stop = monitor.poll(progress, &rows);
            }
            *stop
        };
        let ended = work(system, table, &ask);
        return local.borrow().1.unwrap_or(ended);
    }
    let is_stopped = AtomicBool::new(false);
    let ended = Mutex::new(Stop::States);
    let worker = || {
        let ask = |_: &Progress| is_stopped.load(Ordering::Relaxed).then_some(Stop::Cancelled);
        let reason = work(system, table, &ask);
        if reason != Stop::Cancelled {
            *ended.lock().unwrap_or_else(PoisonError::into_inner) = reason;
            // The others need not finish their slices.
            is_stopped.store(true, Ordering::Relaxed);
        }
    };
    let stop = run_watched(options.threads, &is_stopped, worker, || {
        let (progress, rows) = {
            let table = lock(table);
            (table.progress(), table.rows.clone())
        };
        monitor.poll(&progress, &rows)
    });
    stop.unwrap_or(ended.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// One thread of a hunt: slice after slice.
fn work<S: System>(system: &S, table: &Mutex<Table<'_>>, ask: &dyn Fn(&Progress) -> Option<Stop>) -> Stop {
    let slice_states = lock(table).slice_states;
    loop {
        let (number, mut arm, targets, before, ends) = {
            let mut table = lock(table);
            if let Some(stop) = table.reason_to_end() {
                return stop;
            }
            // More threads than arms: this one is not needed.
            let Some(number) = table.choose() else { return Stop::Cancelled };
            table.rows[number].is_working = true;
            let arm = table.arms[number].take().expect("an arm that does not work");
            (number, arm, table.targets(), table.progress(), table.ends())
        };
        let mut stop = None;
        let mut watched = |progress: &Progress| {
            let states = before.states + progress.states;
            stop = stop.or_else(|| ends.reached(states));
            let transitions = before.transitions + progress.transitions;
            let depth = before.depth.max(progress.depth);
            stop = stop.or(ask(&Progress { states, transitions, depth, ..*progress }));
            stop
        };
        let mut slice = arm.work(&targets, slice_states, &mut watched);
        // What the other arms have to beat should not be easy to beat.
        if let Some((_, Found(way))) = &mut slice.found
            && !slice.is_shortest
            && shows_evidence(system, way)
        {
            let (shorter, _) =
                shorten_way(system, way.clone(), &ShortenOptions::quick(), &Board::new(), &mut watched);
            *way = shorter;
        }
        let mut table = lock(table);
        table.note(number, &targets, slice);
        table.arms[number] = Some(arm);
        if let Some(stop) = stop {
            return stop;
        }
    }
}

/// Shortens what was found and makes the report.
fn finish<S: System>(
    system: &S,
    options: &HuntOptions,
    table: Table<'_>,
    stop: Stop,
    monitor: &mut dyn HuntMonitor,
) -> HuntOutcome {
    let (progress, rest) = (table.progress(), table.rest());
    let rows = table.rows;
    let (mut evidence, mut found_by, mut late) = (Vec::new(), Vec::new(), None);
    let is_shortest = table.entries.iter().map(|entry| entry.is_shortest).collect();
    for entry in table.entries {
        let (way, arm) = entry.best.map_or((None, None), |(way, arm)| (Some(way), arm));
        // When time is up, a trace is still a trace: shortening it is left out.
        let is_in_time = matches!(stop, Stop::Found | Stop::States | Stop::Exhausted);
        let trace = way.map(|way| {
            let mut watched = |done: &Progress| {
                let is_over = rest.is_some_and(|rest| done.states >= rest.length);
                late = late.or_else(|| monitor.poll(&progress, &rows));
                late.or(is_over.then_some(Stop::Found))
            };
            match is_in_time && !entry.is_shortest && shows_evidence(system, &way) {
                true => {
                    let board = Board::new();
                    trace_of(system, &shorten_way(system, way, &options.shorten, &board, &mut watched).0)
                }
                false => trace_of(system, &way),
            }
        });
        evidence.push((entry.property, trace));
        found_by.push(arm);
    }
    let sampled = sampled_outcome(evidence, stop, &progress);
    let outcome = match stop {
        // An arm has explored everything, and knows that there is nothing about the rest.
        Stop::Exhausted => Outcome { depth_cut: false, trust: Trust::Complete, ..sampled },
        _ => sampled,
    };
    HuntOutcome { outcome, arms: rows, found_by, is_shortest }
}
