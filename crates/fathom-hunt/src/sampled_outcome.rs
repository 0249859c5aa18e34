//! What every sampled engine reports: evidence, why it ended, what it cost, and that it proves nothing.

use fathom_model::{PropertyId, Statistics, Stop, System, Trace, Trust};
use fathom_search::{Monitor, Outcome, Progress};

use crate::way::{Way, find_trace_of};

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

/// The report of an engine that found ways, which become traces.
///
/// # Panics
///
/// When a step does not exist again, and nothing stopped the system either: it is not a function of its arguments.
pub(crate) fn outcome_of_ways<S: System>(
    system: &S,
    ways: Vec<(PropertyId, Option<Way>)>,
    mut stop: Stop,
    progress: &Progress,
    monitor: &mut dyn Monitor,
) -> Outcome {
    if ways.iter().any(|(_, way)| way.is_some()) {
        monitor.found();
    }
    let mut shown = |way: Way| {
        let trace = find_trace_of(system, &way);
        if trace.is_none() {
            stop = monitor
                .poll(progress)
                .expect("a step that was taken can be taken again; please report this bug");
        }
        trace
    };
    let evidence = ways.into_iter().map(|(property, way)| (property, way.and_then(&mut shown))).collect();
    sampled_outcome(evidence, stop, progress)
}
