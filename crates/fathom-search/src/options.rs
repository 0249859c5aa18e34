//! What a search is asked, how far it may go, and who is told on the way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fathom_model::{PropertyId, Stop};

use crate::stopwatch::Clock;

/// What is asked and how far to go.
///
/// The default asks nothing, has no limits, and explores everything.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The properties in question, each once. Findings about others are ignored.
    pub properties: Vec<PropertyId>,
    /// Explore everything, even when there is evidence about all properties.
    pub continue_after_all: bool,
    /// How long to go on for the other properties when there is evidence about the first.
    pub patience: Patience,
    /// Most composite states to store. A search that needs exactly so many ends as if there were no limit.
    pub max_states: Option<u64>,
    /// Most steps from an initial state. States at this depth are still looked at, what they lead to is not.
    pub max_depth: Option<u32>,
    /// Most bytes of memory for store and frontier together.
    pub max_bytes: Option<u64>,
    /// What to remember of each state.
    pub store: StoreKind,
    /// A clock, if a profile is wanted. Searches with threads ignore it.
    pub clock: Option<Clock>,
    /// A flag that is set when it is time to stop, so that this is heard after the next expansion, however long these take: see
    /// [`Monitor::alarm`].
    pub alarm: Option<Arc<AtomicBool>>,
}

impl Options {
    /// Whether it is time to stop.
    #[inline]
    pub(crate) fn is_alarmed(&self) -> bool {
        self.alarm.as_ref().is_some_and(|alarm| alarm.load(Ordering::Relaxed))
    }
}

/// What a search remembers of each state. Systems with regions always get an exact store.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum StoreKind {
    /// All of it, packed: see [`PackedStore`](fathom_store::PackedStore).
    #[default]
    Exact,
    /// All of it, as it is: see [`PlainParts`](fathom_store::PlainParts).
    Plain,
    /// This many bits of a hash: see [`CompactStore`](fathom_store::CompactStore).
    Compact {
        /// Bits for each state, 8 to 64.
        bits: u32,
    },
    /// A few bits of a field: see [`BitstateStore`](fathom_store::BitstateStore).
    Bitstate {
        /// Bits of the field, any number.
        bits: u64,
        /// Bits to be set for each state.
        hashes: u32,
        /// Which bits: another seed misses other states.
        seed: u64,
    },
}

impl StoreKind {
    /// The name in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            StoreKind::Exact => "exact",
            StoreKind::Plain => "plain",
            StoreKind::Compact { .. } => "compact",
            StoreKind::Bitstate { .. } => "bitstate",
        }
    }
}

/// How long a search goes on for the other properties when it has evidence about one: until the larger of
/// two numbers of states is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// This many states.
    pub states: u64,
    /// This many times the states that were stored at the first finding.
    pub factor: u64,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { states: 1_000_000, factor: 4 }
    }
}

impl Patience {
    /// The number of stored states with which the search ends when the first finding came at `n_states`.
    pub fn limit(self, n_states: u64) -> u64 {
        self.states.max(self.factor.saturating_mul(n_states))
    }
}

/// Where a search stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Composite states stored.
    pub states: u64,
    /// Steps executed.
    pub transitions: u64,
    /// Depth of the state to be expanded next or expanded last.
    pub depth: u64,
    /// Composite states that wait for their expansion.
    pub pending: u64,
    /// Bytes of store and frontier.
    pub bytes: u64,
}

/// Told about every thousandth expansion, and asked whether to stop: the place for clocks, signals, and the
/// progress line.
pub trait Monitor {
    /// A reason to stop here, if there is one.
    fn poll(&mut self, progress: &Progress) -> Option<Stop>;

    /// A flag that is set when it is time to stop, for work that goes on for long without a chance to ask; none when nobody sets one. Once it is set, [`Monitor::poll`] has a reason.
    fn alarm(&self) -> Option<Arc<AtomicBool>> {
        None
    }

    /// A flag that is set a while after it was time to stop, for work without which what was found would be lost; none when there is no such while.
    fn last_alarm(&self) -> Option<Arc<AtomicBool>> {
        None
    }

    /// Hears that there is evidence, and that it is going to be shown.
    fn found(&mut self) {}
}

impl<F: FnMut(&Progress) -> Option<Stop>> Monitor for F {
    fn poll(&mut self, progress: &Progress) -> Option<Stop> {
        self(progress)
    }
}

/// A monitor that never stops anything.
#[derive(Clone, Copy, Debug)]
pub struct NoMonitor;

impl Monitor for NoMonitor {
    fn poll(&mut self, _: &Progress) -> Option<Stop> {
        None
    }
}
