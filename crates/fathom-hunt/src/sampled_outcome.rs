//! What every sampled engine reports: evidence, why it ended, what it cost, and that it proves nothing.

use fathom_model::{PropertyId, Statistics, Stop, System, Trace, Trust};
use fathom_search::{Outcome, Progress};

use crate::way::{Way, trace_of};

/// The report of a sampled engine.
pub(crate) fn sampled_outcome(
    evidence: Vec<(PropertyId, Option<Trace>)>,
    stop: Stop,
    progress: &Progress,
) -> Outcome {
    Outcome {
        evidence,
        stop,
        // Nothing is ever said to have been explored.
        depth_cut: true,
        trust: Trust::Sampled,
        expected_omissions: 0.0,
        profile: None,
        statistics: Statistics {
            states: progress.states,
            transitions: progress.transitions,
            matched: progress.transitions.saturating_sub(progress.states),
            max_depth: progress.depth,
            seconds: 0.0,
            store_bytes: progress.bytes,
            ..Statistics::default()
        },
    }
}

/// Ways as traces.
pub(crate) fn traces<S: System>(
    system: &S,
    ways: Vec<(PropertyId, Option<Way>)>,
) -> Vec<(PropertyId, Option<Trace>)> {
    ways.into_iter().map(|(property, way)| (property, way.map(|way| trace_of(system, &way)))).collect()
}
