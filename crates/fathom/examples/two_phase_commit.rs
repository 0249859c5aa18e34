//! Two-phase commit, after the specification by Gray and Lamport (2006): resource managers and a transaction manager that
//! agree whether to commit, over messages that stay where everyone can see them.

use std::process::ExitCode;

use fathom::program::{Below, Bits, Data, Finite, Program, Property};

/// A resource manager.
type Manager<const N: usize> = Below<N>;

/// What a resource manager has decided.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub(crate) enum Decision {
    Working,
    Prepared,
    Committed,
    Aborted,
}

/// What the transaction manager has decided.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub(crate) enum Outcome {
    Open,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
pub(crate) struct State<const N: usize> {
    managers: [Decision; N],
    outcome: Outcome,
    /// Those the transaction manager has heard from.
    heard: Bits<Manager<N>>,
    /// Those who have said that they are prepared.
    said: Bits<Manager<N>>,
    commit_sent: bool,
    abort_sent: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Action {
    Hear(usize),
    Commit,
    Abort,
    Prepare(usize),
    ChooseToAbort(usize),
    ObeyCommit(usize),
    ObeyAbort(usize),
}

/// Two-phase commit with so many resource managers.
pub(crate) struct TwoPhaseCommit<const N: usize>;

impl<const N: usize> Program for TwoPhaseCommit<N> {
    type State = State<N>;
    type Action = Action;

    fn initial(&self) -> Vec<State<N>> {
        vec![State {
            managers: [Decision::Working; N],
            outcome: Outcome::Open,
            heard: Bits::new(),
            said: Bits::new(),
            commit_sent: false,
            abort_sent: false,
        }]
    }

    fn actions(&self, state: &State<N>, actions: &mut Vec<Action>) {
        let is_open = state.outcome == Outcome::Open;
        if is_open && state.heard.is_full() {
            actions.push(Action::Commit);
        }
        if is_open {
            actions.push(Action::Abort);
        }
        for (number, manager) in Manager::<N>::all().enumerate() {
            if is_open && state.said.contains(manager) {
                actions.push(Action::Hear(number));
            }
            if state.managers[number] == Decision::Working {
                actions.push(Action::Prepare(number));
                actions.push(Action::ChooseToAbort(number));
            }
            if state.commit_sent {
                actions.push(Action::ObeyCommit(number));
            }
            if state.abort_sent {
                actions.push(Action::ObeyAbort(number));
            }
        }
    }

    fn apply(&self, action: &Action, state: &mut State<N>) {
        match *action {
            Action::Hear(manager) => state.heard.insert(Manager::new(manager)),
            Action::Commit => (state.outcome, state.commit_sent) = (Outcome::Committed, true),
            Action::Abort => (state.outcome, state.abort_sent) = (Outcome::Aborted, true),
            Action::Prepare(manager) => {
                state.managers[manager] = Decision::Prepared;
                state.said.insert(Manager::new(manager));
            }
            Action::ChooseToAbort(manager) | Action::ObeyAbort(manager) => {
                state.managers[manager] = Decision::Aborted;
            }
            Action::ObeyCommit(manager) => state.managers[manager] = Decision::Committed,
        }
    }

    fn properties(&self) -> Vec<Property<State<N>>> {
        vec![
            Property::always("consistent", |state: &State<N>| {
                !(state.managers.contains(&Decision::Aborted)
                    && state.managers.contains(&Decision::Committed))
            }),
            Property::reach("all commit", |state: &State<N>| state.managers == [Decision::Committed; N]),
            Property::reach("all abort", |state: &State<N>| state.managers == [Decision::Aborted; N]),
        ]
    }
}

fn main() -> ExitCode {
    match fathom::cli::parameter_among("N", &[3, 5, 7, 9]) {
        5 => fathom::cli::main(&TwoPhaseCommit::<5>),
        7 => fathom::cli::main(&TwoPhaseCommit::<7>),
        9 => fathom::cli::main(&TwoPhaseCommit::<9>),
        _ => fathom::cli::main(&TwoPhaseCommit::<3>),
    }
}
