//! The independent count: which goals a run reaches, found by looking at the whole run.
//!
//! Nothing of what generates tests is used: no history, no numbering of edges, no sets. A run is a list of edges that processes took; each goal
//! is looked for in it, as its definition says. Slow and obvious: tests compare it with the [`Tracker`](crate::Tracker), and reports are based on it.

use fathom_model::PropertyId;

use crate::chart::{Charts, Taken};
use crate::goal::{Goal, Goals};

/// What happened in a run.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Events {
    /// Chart and location of the processes in the first state.
    pub first: Vec<(u32, u32)>,
    /// The edges, in the order in which they were taken.
    pub taken: Vec<Taken>,
    /// Values of variables in some state.
    pub values: Vec<usize>,
    /// Properties about which there were findings in some state.
    pub found: Vec<PropertyId>,
}

/// The goals that a run reaches.
pub fn count(charts: &Charts, goals: &Goals, events: &Events) -> Vec<bool> {
    goals.goals.iter().map(|goal| is_reached(charts, goal, events)).collect()
}

fn is_reached(charts: &Charts, goal: &Goal, events: &Events) -> bool {
    let edge_of = |taken: &Taken| &charts.charts[taken.chart as usize].edges[taken.edge as usize];
    match goal {
        Goal::Location { chart, location } => {
            let is_first =
                events.first.iter().any(|&(of, at)| (of as usize, at as usize) == (*chart, *location));
            is_first
                || events.taken.iter().any(|taken| {
                    let edge = edge_of(taken);
                    let is_entered = taken.chart as usize == *chart && edge.target == *location && !edge.ends;
                    let is_new = charts.charts[*chart].initial == *location && edge.creates.contains(chart);
                    is_entered || is_new
                })
        }
        Goal::Edge { chart, edge } => {
            events.taken.iter().any(|taken| (taken.chart as usize, taken.edge as usize) == (*chart, *edge))
        }
        Goal::Switch { chart, edges } => lives(charts, events).iter().any(|life| {
            life.windows(edges.len()).any(|window| {
                window
                    .iter()
                    .zip(edges)
                    .all(|(taken, edge)| (taken.chart as usize, taken.edge as usize) == (*chart, *edge))
            })
        }),
        Goal::DefinitionUse { variable, definition, reading } => {
            let is_shared = charts.variables[*variable].owner.is_none();
            let lives = if is_shared { vec![events.taken.clone()] } else { lives(charts, events) };
            let is = |taken: &Taken, at: &(usize, usize)| (taken.chart as usize, taken.edge as usize) == *at;
            lives.iter().any(|life| {
                life.iter().enumerate().any(|(end, taken)| {
                    let before = life[..end].iter().rev().find(|it| edge_of(it).writes.contains(variable));
                    is(taken, reading) && before.is_some_and(|before| is(before, definition))
                })
            })
        }
        Goal::Requirement(name) => {
            events.taken.iter().any(|taken| edge_of(taken).requirements.contains(name))
        }
        Goal::Value(value) => events.values.contains(value),
        Goal::Trap(property) => events.found.contains(property),
    }
}

/// The edges of each process from its first to its last: another process may get the number of one that ended.
fn lives(charts: &Charts, events: &Events) -> Vec<Vec<Taken>> {
    let n_processes = events.taken.iter().map(|taken| taken.process + 1).max().unwrap_or(0);
    let mut lives = Vec::new();
    for process in 0..n_processes {
        let mut life = Vec::new();
        for taken in events.taken.iter().filter(|taken| taken.process == process) {
            life.push(*taken);
            if charts.charts[taken.chart as usize].edges[taken.edge as usize].ends {
                lives.push(std::mem::take(&mut life));
            }
        }
        lives.push(life);
    }
    lives
}
