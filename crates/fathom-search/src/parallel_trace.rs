//! Traces that do not depend on who came first.
//!
//! The sequential breadth-first search gives the trace whose choices come first in lexicographic order among
//! all shortest ones: states of a level are expanded in the order of their first ways. With threads that
//! order is lost, and so are parents that could be relied on. But the levels are known. So when the search is
//! over, walk back from the states that show evidence: expand each level again and mark the states that have
//! a step to a marked state of the next one. Then walk forward from the initial states and take the first
//! step that leads to a mark. This costs as much as the search up to the evidence, at worst, and is done by
//! all threads; nothing is stored for it while searching.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use fathom_model::{Evidence, Fault, PropertyId, Steps, System, Trace};
use fathom_store::StateId;

use crate::parallel::{Shared, Worker};

/// Levels with fewer states are left to one thread.
const NARROW: usize = if cfg!(test) { 3 } else { 512 };

/// Where the first evidence about a property is.
#[derive(Clone, Default, Debug)]
pub(crate) enum Found {
    /// Nowhere so far.
    #[default]
    No,
    /// Before the first step.
    Initially(Option<Fault>),
    /// In these states, all at this depth.
    At {
        /// The depth.
        depth: usize,
        /// The states, in any order.
        states: Vec<StateId>,
    },
}

/// The properties for which a state is on a shortest way to evidence, as bits.
type Marks = HashMap<StateId, u64>;

/// Evidence about these properties that there is before the first step.
pub(crate) fn initial_evidence<R, L>(initial: &Steps<R, L>, properties: &[PropertyId]) -> Vec<Found> {
    let found = |&property: &PropertyId| {
        let finding = initial.findings().iter().find(|finding| finding.property == property);
        finding.map_or(Found::No, |finding| Found::Initially(finding.fault.clone()))
    };
    properties.iter().map(found).collect()
}

/// The first of the shortest traces to the evidence about each property.
pub(crate) fn traces<S: System + Sync>(
    shared: &Shared<'_, S>,
    levels: &[(usize, usize)],
    found: &[Found],
    n_threads: usize,
) -> Vec<Option<Trace>> {
    let mut traces = vec![None; found.len()];
    // Marks have a bit for each property.
    for first in (0..found.len()).step_by(64) {
        let group = &found[first..found.len().min(first + 64)];
        let marks = walk_back(shared, levels, group, n_threads);
        for (offset, found) in group.iter().enumerate() {
            let property = shared.options.properties[first + offset];
            traces[first + offset] = match found {
                Found::No => None,
                Found::Initially(fault) => {
                    let evidence = Evidence::Finding { property, fault: fault.clone() };
                    Some(Trace { initial: 0, choices: Vec::new(), evidence, loop_at: None })
                }
                Found::At { depth, .. } => Some(walk_forward(shared, &marks[..=*depth], offset, property)),
            };
        }
    }
    traces
}

/// The marks of every level down to the deepest evidence.
fn walk_back<S: System + Sync>(
    shared: &Shared<'_, S>,
    levels: &[(usize, usize)],
    group: &[Found],
    n_threads: usize,
) -> Vec<Marks> {
    let mut marks: Vec<Marks> = Vec::new();
    for (offset, found) in group.iter().enumerate() {
        let Found::At { depth, states } = found else {
            continue;
        };
        if marks.len() <= *depth {
            marks.resize(*depth + 1, Marks::new());
        }
        for &state in states {
            *marks[*depth].entry(state).or_insert(0) |= 1 << offset;
        }
    }
    for depth in (1..marks.len()).rev() {
        let (before, after) = marks.split_at_mut(depth);
        let next = &after[0];
        let (first, end) = levels[depth - 1];
        let cursor = AtomicUsize::new(first);
        let mark = || mark_level(shared, &cursor, end, next);
        let marked: Vec<(StateId, u64)> = if end - first < NARROW {
            mark()
        } else {
            std::thread::scope(|scope| {
                let threads: Vec<_> = (0..n_threads).map(|_| scope.spawn(mark)).collect();
                threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
            })
        };
        for (state, bits) in marked {
            *before[depth - 1].entry(state).or_insert(0) |= bits;
        }
    }
    marks
}

/// The states of a level, as many as this thread gets hold of, that have a step to a marked state.
fn mark_level<S: System>(
    shared: &Shared<'_, S>,
    cursor: &AtomicUsize,
    end: usize,
    next: &Marks,
) -> Vec<(StateId, u64)> {
    let mut worker = Worker::new(shared);
    let mut marked = Vec::new();
    loop {
        let first = cursor.fetch_add(64, Ordering::Relaxed);
        if first >= end {
            return marked;
        }
        for index in first..end.min(first + 64) {
            let id = StateId::from_index(index);
            if !worker.expand(id) {
                continue;
            }
            let bits = (0..worker.steps.len()).fold(0, |bits, step| bits | bits_of(&mut worker, step, next));
            if bits != 0 {
                marked.push((id, bits));
            }
        }
    }
}

/// The marks of the state that a step leads to.
fn bits_of<S: System>(worker: &mut Worker<'_, S>, step: usize, marks: &Marks) -> u64 {
    let id = worker.key(step).ok().and_then(|key| worker.find(key));
    id.and_then(|id| marks.get(&id)).copied().unwrap_or(0)
}

fn walk_forward<S: System>(
    shared: &Shared<'_, S>,
    marks: &[Marks],
    offset: usize,
    property: PropertyId,
) -> Trace {
    // The steps of a new worker are the initial states.
    let mut worker = Worker::new(shared);
    let mut choices = Vec::with_capacity(marks.len());
    for marks in marks {
        let step = (0..worker.steps.len())
            .find(|&step| bits_of(&mut worker, step, marks) & 1 << offset != 0)
            .expect("a marked state has a step to a marked state; please report this bug");
        choices.push(step as u32);
        let key = worker.key(step).ok().and_then(|key| worker.find(key));
        worker.expand(key.expect("it was found just now"));
    }
    let finding = worker.steps.findings().iter().find(|finding| finding.property == property);
    let fault = finding.expect("the last state shows the evidence; please report this bug").fault.clone();
    let evidence = Evidence::Finding { property, fault };
    Trace { initial: choices[0], choices: choices[1..].to_vec(), evidence, loop_at: None }
}
