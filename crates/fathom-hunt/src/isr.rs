//! Iterated search refinement: one pruned search after the other, with tables that grow.
//!
//! Each size of the table is another way to forget, so each search runs into another corner of the state space.
//! Sizes grow by small steps, to try many ways at one size, and beyond a threshold by a factor, to find the right
//! magnitude. A hit is a trace; from then on only shorter ones count, and the sizes begin anew.
//!
//! Source: Ernits, *Two State Space Reduction Techniques for Explicit State Model Checking* (2007), algorithm 3,
//! repaired: every size of a batch is tried, the factor applies as soon as the threshold is passed, the bound on
//! depth is that of the size at hand, and nothing is started twice after a hit. The searches are independent and
//! go to threads; which one counts does not depend on the threads ([`crate::race`]). Beyond the source:
//! [`Sizes::AtRandom`] keeps the magnitude and changes hash seed and order of steps instead, and [`isr_guided`] tries
//! the steps that a heuristic likes first.
//!
//! That nothing is found proves nothing: the outcome is sampled and never says that everything was explored.

use std::sync::atomic::{AtomicU64, Ordering};

use fathom_guide::Heuristic;
use fathom_model::{PropertyId, Stop, System};
use fathom_search::{Monitor, Outcome};

use crate::bits::{Places, derive_seed};
use crate::pruned::{Ended, Nobody, Pruner, Throw, ThrowOrder, Thrown, order_seed};
use crate::race::{Board, Task, race};
use crate::sampled_outcome::outcome_of_ways;
use crate::wanted::{Wanted, keep_best};
use crate::way::Way;

/// What is looked for, and how tables grow.
#[derive(Clone, PartialEq, Debug)]
pub struct IsrOptions {
    /// The properties in question, each once.
    pub properties: Vec<PropertyId>,
    /// How tables grow.
    pub sizes: Sizes,
    /// The order of each search.
    pub order: ThrowOrder,
    /// Whether to go on after a hit, for a shorter trace.
    pub refine: Refine,
    /// When it is enough.
    pub enough: Enough,
    /// With large states: most steps that a search tries, for each bit of its table; without it every search
    /// runs to its end, as in the source.
    pub patience: Option<u32>,
    /// Most steps of a path; otherwise there are as many as the table has bits.
    pub max_depth: Option<u32>,
    /// Number of threads.
    pub threads: usize,
    /// The seed of hashes and orders.
    pub seed: u64,
}

/// How tables grow.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Sizes {
    /// The source's way: one size after the other, with one hash function and the order of the system.
    Growing {
        /// Bytes of the first table.
        first: u64,
        /// Bytes from one table to the next.
        small_step: u64,
        /// Tables tried one after the other at each magnitude.
        per_magnitude: u32,
        /// From this many bytes on, sizes are multiplied after each batch.
        threshold: u64,
        /// By how much.
        factor: f64,
        /// Bytes of the largest table.
        last: u64,
    },
    /// Magnitudes by a factor, and at each one several searches with a hash seed and an order of their own; from
    /// the largest back to the first, for ever.
    AtRandom {
        /// Bytes of the first table.
        first: u64,
        /// From one magnitude to the next.
        factor: f64,
        /// Searches at each magnitude.
        per_magnitude: u32,
        /// Bytes of the largest table.
        last: u64,
    },
}

impl Sizes {
    /// The source's parameters for dining philosophers.
    pub const SOURCE: Sizes = Sizes::Growing {
        first: 1,
        small_step: 1,
        per_magnitude: 8,
        threshold: 10_000,
        factor: 1.2,
        last: 200_000,
    };

    /// Sizes from 64 bytes to one megabyte by doubling, four searches each.
    pub const RANDOM: Sizes = Sizes::AtRandom { first: 64, factor: 2.0, per_magnitude: 4, last: 1 << 20 };

    /// One table of so many bytes.
    pub fn one(bytes: u64) -> Sizes {
        Sizes::Growing {
            first: bytes,
            small_step: 1,
            per_magnitude: 1,
            threshold: bytes,
            factor: 2.0,
            last: bytes,
        }
    }

    /// Bytes of the table of a search, counted from 0. None beyond the last.
    pub fn bytes(&self, number: u64) -> Option<u64> {
        match *self {
            Sizes::Growing { first, small_step, per_magnitude, threshold, factor, last } => {
                let (first, step) = (first.max(1), small_step.max(1));
                let n_small = threshold.saturating_sub(first) / step + 1;
                let size = if number < n_small {
                    first.saturating_add(number.saturating_mul(step))
                } else {
                    let batch = u64::from(per_magnitude.max(1));
                    let (magnitude, place) = ((number - n_small) / batch, (number - n_small) % batch);
                    let exponent = (magnitude + 1).min(10_000) as i32;
                    let base = threshold.max(first) as f64 * factor.max(1.0001).powi(exponent);
                    (base as u64).saturating_add(place * step)
                };
                (size <= last).then_some(size)
            }
            Sizes::AtRandom { first, factor, per_magnitude, last } => {
                let (first, factor) = (first.max(1), factor.max(1.0001));
                let ratio = last.max(first) as f64 / first as f64;
                let n_magnitudes = (ratio.ln() / factor.ln()).floor() as u64 + 1;
                let magnitude = number / u64::from(per_magnitude.max(1)) % n_magnitudes;
                Some((first as f64 * factor.powi(magnitude as i32)) as u64)
            }
        }
    }
}

/// When there is evidence enough.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Enough {
    /// When there is some about one property.
    Any,
    /// When there is some about every property.
    All,
}

/// What happens after a hit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refine {
    /// It ends when there is enough evidence.
    Never,
    /// The source's way: sizes begin anew, and only shorter traces count.
    FromStart,
    /// Only shorter traces count; sizes go on.
    GoOn,
}

impl Default for IsrOptions {
    fn default() -> IsrOptions {
        IsrOptions {
            properties: Vec::new(),
            sizes: Sizes::SOURCE,
            order: ThrowOrder::DepthFirst,
            refine: Refine::Never,
            enough: Enough::Any,
            patience: Some(8),
            max_depth: None,
            threads: 1,
            seed: 1,
        }
    }
}

/// A search that found something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hit {
    /// The property.
    pub property: PropertyId,
    /// Number of the search, counted from 0 since the sizes last began.
    pub number: u64,
    /// The search.
    pub throw: Throw,
    /// What it did.
    pub thrown: Thrown,
    /// Number of steps of the trace.
    pub length: usize,
}

/// What came of iterated search refinement.
#[derive(Clone, Debug)]
pub struct IsrOutcome {
    /// Evidence, the reason to stop, and what it cost. Always sampled.
    pub outcome: Outcome,
    /// The searches that found something, in order.
    pub hits: Vec<Hit>,
    /// Number of searches.
    pub n_throws: u64,
}

/// Looks for evidence about properties with pruned searches: see the module header.
pub fn isr<S: System + Sync>(system: &S, options: &IsrOptions, monitor: &mut dyn Monitor) -> IsrOutcome
where
    S::Region: Send,
{
    isr_guided(system, options, None, monitor)
}

/// The same, guided: depth-first with the steps of each state tried in the order of their estimates, or the state with the
/// smallest estimate first ([`ThrowOrder`]). Depth-first with large states, whose steps are never all there at once, the
/// heuristic is not asked.
pub fn isr_guided<S: System + Sync>(
    system: &S,
    options: &IsrOptions,
    heuristic: Option<&dyn Heuristic<S::Region>>,
    monitor: &mut dyn Monitor,
) -> IsrOutcome
where
    S::Region: Send,
{
    let board = Board::new();
    let mut wanted = Wanted::anything(&options.properties);
    let mut best: Vec<(PropertyId, Option<Way>)> =
        options.properties.iter().map(|&property| (property, None)).collect();
    let (mut hits, mut next) = (Vec::new(), 0);
    let n_throws = AtomicU64::new(0);
    let stop = loop {
        if wanted.is_empty() {
            break Stop::Found;
        }
        let run = |pruner: &mut Pruner<'_, S>, number: u64, watch: &crate::race::Watch<'_>| {
            let Some(throw) = throw(options, &wanted, number) else { return Task::Ended };
            n_throws.fetch_add(1, Ordering::Relaxed);
            match pruner.run(&throw, &wanted, &mut Nobody, watch) {
                Ended::Found(way, property) => {
                    let length = way.len();
                    Task::Won((Hit { property, number, throw, thrown: pruner.thrown, length }, way))
                }
                Ended::Exhausted => Task::Ended,
                Ended::GaveUp => Task::GaveUp,
            }
        };
        let end = n_sizes(&options.sizes);
        let worker = || Pruner::new(system).guided_by(heuristic);
        let raced = race(options.threads, next..end, &board, worker, run, monitor);
        let Some((number, (hit, way))) = raced.winner else {
            break raced.stop.unwrap_or(Stop::States);
        };
        hits.push(hit);
        next = number + 1;
        match options.refine {
            _ if options.enough == Enough::Any && way.len() == 0 => wanted = Wanted::anything(&[]),
            Refine::Never if options.enough == Enough::Any => wanted = Wanted::anything(&[]),
            Refine::Never => wanted.drop(hit.property),
            _ if way.len() == 0 => wanted.drop(hit.property),
            refine => {
                if options.enough == Enough::Any {
                    wanted = Wanted::anything(&[hit.property]);
                }
                wanted.tighten(hit.property, way.len() as u32 - 1);
                next = if refine == Refine::FromStart { 0 } else { next };
            }
        }
        keep_best(&mut best, hit.property, way);
        if let Some(stop) = raced.stop {
            break stop;
        }
    };
    let n_throws = n_throws.into_inner();
    IsrOutcome { outcome: outcome_of_ways(system, best, stop, &board.progress(), monitor), hits, n_throws }
}

/// A search of the schedule. None beyond the last.
pub(crate) fn throw(options: &IsrOptions, wanted: &Wanted, number: u64) -> Option<Throw> {
    let bits = options.sizes.bytes(number)?.saturating_mul(8);
    let derived = u32::try_from(bits).unwrap_or(u32::MAX);
    let max_depth = options.max_depth.unwrap_or(derived).min(wanted.most_steps());
    let (seed, shuffle) = match options.sizes {
        Sizes::Growing { .. } => (options.seed, None),
        Sizes::AtRandom { .. } => {
            let seed = derive_seed(options.seed, number);
            (seed, Some(order_seed(seed)))
        }
    };
    let max_tries = options.patience.map(|patience| bits.saturating_mul(u64::from(patience)));
    Some(Throw { bits, places: Places::Hashed { seed }, order: options.order, max_depth, shuffle, max_tries })
}

/// Number of searches of a schedule.
pub(crate) fn n_sizes(sizes: &Sizes) -> u64 {
    if let Sizes::AtRandom { .. } = sizes {
        return u64::MAX;
    }
    // Sizes never fall, so the first that is beyond the last is found by halving.
    let (mut low, mut high) = (0, 1 << 50);
    while low < high {
        let middle = low + (high - low) / 2;
        if sizes.bytes(middle).is_some() { low = middle + 1 } else { high = middle }
    }
    low
}
