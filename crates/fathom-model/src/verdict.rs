//! Verdicts: the answers, how far they can be trusted, and what they cost.

use crate::{Fault, PropertyId};

/// The answer to one property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The property is true of the model.
    Holds,
    /// It is not.
    Violated,
    /// Not known.
    Inconclusive,
}

/// How far the search behind an answer can be trusted to have seen everything.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Trust {
    /// Every state that counts was seen.
    Complete,
    /// Some states may have been taken for others.
    Lossy,
    /// Only a sample was looked at.
    Sampled,
}

/// Why the search for an answer ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Nothing was left to explore.
    Exhausted,
    /// Evidence was found, for this property or, when the answer is inconclusive, for another one.
    Found,
    /// The limit on stored states.
    States,
    /// The limit on depth cut something off.
    Depth,
    /// The limit on time.
    Time,
    /// The limit on memory.
    Memory,
    /// The user asked.
    Cancelled,
    /// No engine answers this kind of property yet.
    Unsupported,
}

impl Answer {
    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Answer::Holds => "holds",
            Answer::Violated => "violated",
            Answer::Inconclusive => "inconclusive",
        }
    }
}

impl Trust {
    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Trust::Complete => "complete",
            Trust::Lossy => "lossy",
            Trust::Sampled => "sampled",
        }
    }
}

impl Stop {
    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Stop::Exhausted => "exhausted",
            Stop::Found => "found",
            Stop::States => "states",
            Stop::Depth => "depth",
            Stop::Time => "time",
            Stop::Memory => "memory",
            Stop::Cancelled => "cancelled",
            Stop::Unsupported => "unsupported",
        }
    }
}

/// The answer to one property, with its evidence.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The property.
    pub property: PropertyId,
    /// The answer.
    pub answer: Answer,
    /// How far the search can be trusted.
    pub trust: Trust,
    /// Why the search ended.
    pub stop: Stop,
    /// The evidence: how a violation, or for reachability a witness, is reached.
    pub trace: Option<Trace>,
}

/// A trace: which initial state, then which step of those that the system offers, again and again.
///
/// States are not in it. Replaying the choices on the system gives them, and checks the trace on the way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// Index of the initial state.
    pub initial: u32,
    /// Index of the step taken in each state.
    pub choices: Vec<u32>,
    /// What is found at the end.
    pub evidence: Evidence,
    /// For a lasso: the number of steps before the loop.
    pub loop_at: Option<usize>,
}

/// What a trace shows when it has been followed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// The expansion of the last state has a finding about this property, with this fault if any.
    Finding {
        /// The property.
        property: PropertyId,
        /// The fault.
        fault: Option<Fault>,
    },
    /// Only the way itself.
    State,
}

/// What a search cost and saw.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Statistics {
    /// Distinct composite states stored.
    pub states: u64,
    /// Composite states expanded; 0 where an engine does not count them. More than are stored when regions swallow
    /// others that were expanded before.
    pub expanded: u64,
    /// Steps executed, whether or not they led to something new.
    pub transitions: u64,
    /// Steps that led to a state already known.
    pub matched: u64,
    /// Longest distance from an initial state at which a state was stored (breadth-first), or longest
    /// path on the stack (depth-first).
    pub max_depth: u64,
    /// Seconds of search.
    pub seconds: f64,
    /// Bytes of the store.
    pub store_bytes: u64,
}
