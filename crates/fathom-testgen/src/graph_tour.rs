//! Tests that take every step of every state: the postman's tour of the graph of composite states.
//!
//! Goals are about the control flow; a tour is about all that can happen. What goals are left after it, because they need a history that no tour has to
//! have, the usual searches look for.

use fathom_model::{Stop, System, Trace};
use fathom_search::{Monitor, Progress};

use crate::numbering::Numbering;
use crate::tour::tour;

/// Steps of the largest graph that is toured: the tour is exact, and its price grows faster than the graph.
const MOST_STEPS: usize = 50_000;

/// What a new test costs, in steps.
const RESET: u32 = 1;

/// States between questions whether to stop.
const BETWEEN_POLLS: usize = 1000;

/// The graph of a system.
struct StepGraph {
    n_states: usize,
    initial: Vec<usize>,
    /// Source, target, and index of the step among those that leave the source.
    steps: Vec<(usize, usize, u32)>,
}

/// Tests that take every step, each as a trace.
///
/// # Errors
///
/// Why the graph was not explored to its end.
pub(crate) fn tour_of<S: System>(
    system: &S,
    max_states: Option<u64>,
    monitor: &mut dyn Monitor,
) -> Result<Vec<Trace>, Stop> {
    let graph = explore(system, max_states, monitor)?;
    // With several initial states, a test begins with the choice of one: a step from a state of its own.
    let start = graph.n_states;
    let choices = graph.initial.iter().enumerate().map(|(index, &state)| (start, state, index as u32));
    let arcs: Vec<(usize, usize, u32)> = choices.chain(graph.steps.iter().copied()).collect();
    let ends: Vec<(usize, usize)> = arcs.iter().map(|&(from, to, _)| (from, to)).collect();
    let found = tour(graph.n_states + 1, &ends, start, RESET);
    let trace = |test: &Vec<usize>| Trace {
        initial: test.first().map_or(0, |&first| arcs[first].2),
        choices: test.iter().skip(1).map(|&step| arcs[step].2).collect(),
        evidence: fathom_model::Evidence::State,
        loop_at: None,
    };
    Ok(found.tests.iter().map(trace).collect())
}

fn explore<S: System>(
    system: &S,
    max_states: Option<u64>,
    monitor: &mut dyn Monitor,
) -> Result<StepGraph, Stop> {
    let mut known = Numbering::new();
    let initial = known.initial(system);
    let mut steps = Vec::new();
    let (mut scratch, mut buffer) = (system.scratch(), fathom_model::Steps::new());
    let mut next = 0;
    while next < known.states.len() {
        if next.is_multiple_of(BETWEEN_POLLS) {
            let (states, transitions) = (known.states.len() as u64, steps.len() as u64);
            let pending = (known.states.len() - next) as u64;
            let progress = Progress { states, transitions, depth: 0, pending, bytes: 0 };
            if let Some(stop) = monitor.poll(&progress) {
                return Err(stop);
            }
        }
        buffer.clear();
        let (state, region) = &known.states[next];
        system.successors(state, region, &mut scratch, &mut buffer);
        for index in 0..buffer.len() {
            let (target, _) = known.number(buffer.state(index), buffer.region(index));
            steps.push((next, target, index as u32));
        }
        if steps.len() > MOST_STEPS || max_states.is_some_and(|most| known.states.len() as u64 > most) {
            return Err(Stop::States);
        }
        next += 1;
    }
    Ok(StepGraph { n_states: known.states.len(), initial, steps })
}
