//! Shortening: any trace made shorter, with the same evidence at its end.
//!
//! Five means, from cheap to dear, each until it gains nothing more, and from the start again after a gain:
//!
//! 1. *loops*: what lies between two visits of one state is cut out;
//! 2. *leaving out* ([`crate::leave_out`]): steps of one process that nobody waits for;
//! 3. *windows* ([`crate::window`]): a small breadth-first search from a state of the trace to a later one;
//! 4. *towards the end* ([`crate::toward`]): a search guided by how much of a state differs from the last one;
//! 5. *pruned searches* ([`crate::isr()`]) from the initial states, with the length less one as their bound.
//!
//! The result is a trace of the system in any case: every candidate is followed to its end before it counts.
//! Nothing is said about how far the shortest trace is. Lassos are left as they are here: see [`crate::shorten_lasso()`].

use fathom_model::{Region, Stop, System, Trace};
use fathom_search::{Monitor, ReplayError, replay};

use crate::arm::expansion_bytes;
use crate::bits::fingerprint;
use crate::isr::{IsrOptions, Sizes, throw};
use crate::leave_out::leave_out;
use crate::pruned::{Ended, Nobody, Pruner};
use crate::race::{Board, Done, Watch, run_alone};
use crate::seen::Seen;
use crate::toward::shorten_toward;
use crate::wanted::Wanted;
use crate::way::{Follower, Way, property_of, shows, trace_of};
use crate::window::shorten_windows;

/// How much is done for a shorter trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShortenOptions {
    /// States of the largest local search; 0 for none. Smaller ones come first.
    pub window_states: usize,
    /// Bytes that a local search may take.
    pub window_bytes: usize,
    /// Bytes of states that may be made to try to leave out steps.
    pub trial_bytes: u64,
    /// Pruned searches that may fail one after the other.
    pub n_throws: u64,
    /// Bytes of states that they may make.
    pub throw_bytes: u64,
    /// The seed of the pruned searches.
    pub seed: u64,
}

impl ShortenOptions {
    /// What takes a second or so.
    pub fn quick() -> ShortenOptions {
        ShortenOptions { window_states: 200, trial_bytes: 1 << 30, n_throws: 0, ..ShortenOptions::default() }
    }
}

impl Default for ShortenOptions {
    fn default() -> ShortenOptions {
        ShortenOptions {
            window_states: 20_000,
            window_bytes: 8 << 20,
            trial_bytes: 8 << 30,
            n_throws: 60,
            throw_bytes: 4 << 30,
            seed: 1,
        }
    }
}

/// Makes a trace shorter: see the module header.
///
/// ```
/// # use fathom_model::{NoRegion, PropertyId, Steps, System, Evidence, Trace};
/// # use fathom_search::NoMonitor;
/// use fathom_hunt::{ShortenOptions, shorten};
/// # struct Counter;
/// # impl System for Counter {
/// #     type Region = NoRegion; type Label = (); type Scratch = ();
/// #     fn scratch(&self) {}
/// #     fn initial(&self, _: &mut (), out: &mut Steps<NoRegion, ()>) { out.push(&[0], NoRegion, &[]); }
/// #     fn successors(&self, state: &[u8], _: &NoRegion, _: &mut (), out: &mut Steps<NoRegion, ()>) {
/// #         if state[0] == 6 { out.find(PropertyId(0), None, &[]); }
/// #         out.push(&[(state[0] + 1) % 8], NoRegion, &[]);
/// #         out.push(&[(state[0] + 2) % 8], NoRegion, &[]);
/// #     }
/// # }
/// // A counter that grows by one or by two, modulo eight; the evidence is at 6.
/// let evidence = Evidence::Finding { property: PropertyId(0), fault: None };
/// let long = Trace { initial: 0, choices: vec![0; 14], evidence, loop_at: None };
/// let short = shorten(&Counter, &long, &ShortenOptions::default(), &mut NoMonitor).unwrap();
/// assert_eq!(short.choices, [1, 1, 1]);
/// ```
///
/// # Errors
///
/// When the trace does not show what it claims.
pub fn shorten<S: System>(
    system: &S,
    trace: &Trace,
    options: &ShortenOptions,
    monitor: &mut dyn Monitor,
) -> Result<Trace, ReplayError> {
    if trace.loop_at.is_some() || property_of(&trace.evidence).is_none() {
        replay(system, trace)?;
        return Ok(trace.clone());
    }
    let way = Way::from(trace);
    if !shows_evidence(system, &way) {
        // Says what is wrong; it may also be evidence before the first step, which is short enough.
        return replay(system, trace).map(|_| trace.clone());
    }
    let (way, _) = shorten_way(system, way, options, &Board::new(), monitor);
    Ok(trace_of(system, &way))
}

/// Makes a way shorter. Gives what the monitor said, too.
pub(crate) fn shorten_way<S: System>(
    system: &S,
    way: Way,
    options: &ShortenOptions,
    board: &Board,
    monitor: &mut dyn Monitor,
) -> (Way, Option<Stop>) {
    if way.loop_at.is_some() {
        return (way, None);
    }
    let mut shortest = way;
    // The way is kept outside, so that what was gained stays when the monitor stops.
    let ((), stop) = run_alone(board, monitor, |watch| {
        let mut follower = Follower::new(system);
        follower.start(shortest.initial);
        let state_bytes = follower.state.len() as u64;
        let mut shortening =
            Shortening { system, options, watch, trial_bytes: options.trial_bytes, state_bytes };
        shortening.run(&mut shortest);
    });
    (shortest, stop)
}

/// A shortening under way.
struct Shortening<'a, S: System> {
    system: &'a S,
    options: &'a ShortenOptions,
    watch: &'a Watch<'a>,
    trial_bytes: u64,
    /// Bytes of the initial state.
    state_bytes: u64,
}

impl<S: System> Shortening<'_, S> {
    fn run(&mut self, way: &mut Way) {
        loop {
            self.run_local(way);
            if !self.goes_on() || !self.throw_shorter(way) {
                return;
            }
        }
    }

    fn goes_on(&self) -> bool {
        self.watch.goes_on(Done::default())
    }

    /// The means that start from the way itself, until none gains anything.
    fn run_local(&mut self, way: &mut Way) {
        loop {
            self.keep(way, cut_loops(self.system, way));
            let length = way.len();
            leave_out(self.system, way, &mut self.trial_bytes, self.watch);
            self.keep(way, cut_loops(self.system, way));
            let mut n_states = 200.min(self.window_states());
            while n_states > 0 && self.goes_on() {
                let shorter =
                    shorten_windows(self.system, way, n_states, self.options.window_bytes, self.watch);
                let is_shorter = self.keep(way, shorter);
                if is_shorter {
                    continue;
                }
                let next = (n_states * 10).min(self.window_states());
                n_states = if next > n_states { next } else { 0 };
            }
            let (n_states, n_bytes) = (self.window_states() * 5, self.options.window_bytes * 8);
            if n_states > 0 && self.goes_on() {
                self.keep(way, shorten_toward(self.system, way, n_states, n_bytes, self.watch));
            }
            if way.len() == length || !self.goes_on() {
                return;
            }
        }
    }

    /// States of the largest window: none when a few expansions fill it.
    fn window_states(&self) -> usize {
        let is_small = expansion_bytes(self.system) <= self.options.window_bytes / 16;
        if is_small { self.options.window_states } else { 0 }
    }

    /// Takes a shorter way if it is one, and says so.
    fn keep(&self, way: &mut Way, candidate: Way) -> bool {
        let is_shorter = candidate.len() < way.len() && shows_evidence(self.system, &candidate);
        if is_shorter {
            *way = candidate;
        }
        is_shorter
    }

    /// Looks for a shorter way with pruned searches. False when a number of them has found none.
    fn throw_shorter(&mut self, way: &mut Way) -> bool {
        let (Some(property), Some(most_steps)) = (property_of(&way.evidence), way.len().checked_sub(1))
        else {
            return false;
        };
        let mut wanted = Wanted::anything(&[property]);
        wanted.tighten(property, most_steps as u32);
        // Tables about as large as the way is long, where the search runs about as deep as it may.
        let first = (way.len() as u64 / 16).max(8);
        let sizes = Sizes::AtRandom { first, factor: 2.0, per_magnitude: 4, last: first * 64 };
        let options =
            IsrOptions { sizes, seed: self.options.seed ^ way.len() as u64, ..IsrOptions::default() };
        let mut pruner = Pruner::new(self.system);
        let mut budget = self.options.throw_bytes;
        for number in 0..self.options.n_throws {
            let Some(throw) = throw(&options, &wanted, number).filter(|_| budget > 0) else { return false };
            let ended = pruner.run(&throw, &wanted, &mut Nobody, self.watch);
            let n_steps = pruner.thrown.n_stored + pruner.thrown.n_transitions;
            budget = budget.saturating_sub(n_steps.saturating_mul(64 + self.state_bytes));
            match ended {
                Ended::Found(found, _) => {
                    *way = found;
                    return true;
                }
                Ended::Exhausted => {}
                Ended::GaveUp => return false,
            }
        }
        false
    }
}

/// The way without what lies between two visits of one state.
pub(crate) fn cut_loops<S: System>(system: &S, way: &Way) -> Way {
    let mut follower = Follower::new(system);
    let mut seen = Seen::default();
    let mut kept = Way { hops: Vec::with_capacity(way.len()), ..way.clone() };
    let mut fingerprints: Vec<u64> = Vec::new();
    if !follower.start(way.initial) {
        return kept;
    }
    for place in 0..=way.len() {
        let fingerprint = fingerprint(&follower.state, follower.region().fingerprint());
        let known = seen.find(fingerprint).filter(|&at| fingerprints.get(at) == Some(&fingerprint));
        if let Some(at) = known {
            kept.hops.truncate(at);
            fingerprints.truncate(at + 1);
        } else {
            seen.replace(fingerprint, fingerprints.len());
            fingerprints.push(fingerprint);
        }
        let Some(&hop) = way.hops.get(place) else { break };
        if !follower.take(hop) {
            break;
        }
        kept.hops.push(hop);
    }
    kept
}

/// Whether a way can be followed and has its evidence at the end.
pub(crate) fn shows_evidence<S: System>(system: &S, way: &Way) -> bool {
    let mut follower = Follower::new(system);
    follower.start(way.initial)
        && way.hops.iter().all(|&hop| follower.take(hop))
        && has_evidence(&mut follower, way)
}

/// Whether the state of a follower has the evidence of a way.
pub(crate) fn has_evidence<S: System>(follower: &mut Follower<'_, S>, way: &Way) -> bool {
    follower.expand();
    shows(&follower.steps, &way.evidence)
}
