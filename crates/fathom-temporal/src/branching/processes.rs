//! Weak fairness of processes as something that happens again and again.
//!
//! A path is fair to a process when the process moves again and again or cannot move again and again: one [`Recurring`] for each process, in which states
//! speak for those that cannot move and steps for those that do. As in Spin, both sides of a hand-shake move, but only the sender counts as able to.

use fathom_model::{Move, NoRegion, Steps};

use super::graph::StateSet;
use super::label::Recurring;

/// Which processes can move in which states, and which move with which steps, gathered while a graph is explored.
#[derive(Clone, Debug, Default)]
pub struct ProcessFacts {
    /// By process: the states in which it can move, and the steps that it takes part in, a bit each.
    rows: Vec<(Vec<u64>, Vec<u64>)>,
    n_states: usize,
    n_steps: usize,
}

impl ProcessFacts {
    /// Adds what the steps of the next state, with their labels, say.
    pub fn push(&mut self, steps: &Steps<NoRegion, Move>) {
        for index in 0..steps.len() {
            let labels = steps.labels(index);
            if let Some(process) = able(labels) {
                let state = self.n_states;
                set(&mut self.row(process).0, state);
            }
            for process in moved(labels) {
                let step = self.n_steps;
                set(&mut self.row(process).1, step);
            }
            self.n_steps += 1;
        }
        self.n_states += 1;
    }

    fn row(&mut self, process: u32) -> &mut (Vec<u64>, Vec<u64>) {
        let index = process as usize;
        if index >= self.rows.len() {
            self.rows.resize(index + 1, (Vec::new(), Vec::new()));
        }
        &mut self.rows[index]
    }

    /// What must happen again and again on a path that is fair to all processes.
    pub fn fairness(&self) -> Vec<Recurring> {
        let again = |(able, moved): &(Vec<u64>, Vec<u64>)| Recurring {
            states: StateSet::of_words(able.clone(), self.n_states).complement(),
            steps: Some(StateSet::of_words(moved.clone(), self.n_steps)),
        };
        self.rows.iter().map(again).collect()
    }
}

fn set(row: &mut Vec<u64>, index: usize) {
    if row.len() <= index / 64 {
        row.resize(index / 64 + 1, 0);
    }
    row[index / 64] |= 1 << (index % 64);
}

/// The process that a step shows to be able to move.
fn able(labels: &[Move]) -> Option<u32> {
    labels.first().map(|label| label.process)
}

/// The processes that take part in a step.
fn moved(labels: &[Move]) -> Vec<u32> {
    labels
        .iter()
        .flat_map(|label| [Some(label.process), label.partner.map(|partner| partner.process)])
        .flatten()
        .collect()
}

/// A state on a loop: the labels of all steps that leave it, and of the one that is taken.
#[derive(Clone, Debug)]
pub struct OnLoop<L> {
    /// Of all steps.
    pub offered: Vec<Vec<L>>,
    /// Of the one taken.
    pub taken: Vec<L>,
}

/// Says whether going round a loop for ever counts.
pub type AcceptLoop<'a, L> = &'a dyn Fn(&[OnLoop<L>]) -> bool;

/// Whether going round a loop for ever is fair to all processes.
pub fn is_fair_to_processes(states: &[OnLoop<Move>]) -> bool {
    let able_in =
        |state: &OnLoop<Move>, process: u32| state.offered.iter().any(|labels| able(labels) == Some(process));
    let Some(first) = states.first() else { return true };
    first.offered.iter().filter_map(|labels| able(labels)).all(|process| {
        let is_always_able = states.iter().all(|state| able_in(state, process));
        !is_always_able || states.iter().any(|state| moved(&state.taken).contains(&process))
    })
}
