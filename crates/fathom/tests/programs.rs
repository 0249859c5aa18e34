//! The example programs: what they are known to be, and how many states they have.

// Examples have a `main` that nobody calls here, and two of them the same clients.
#![allow(dead_code, clippy::duplicate_mod)]

use fathom::model::Answer;
use fathom::program::{Runnable, Symmetry};
use fathom::search::NoMonitor;
use fathom::{CheckOptions, check_program};

#[path = "../examples/clients.rs"]
mod clients;
#[path = "../examples/linearizable_register.rs"]
mod linearizable_register;
#[path = "../examples/paxos.rs"]
mod paxos;
#[path = "../examples/philosophers.rs"]
mod philosophers;
#[path = "../examples/two_phase_commit.rs"]
mod two_phase_commit;

use clients::Clients;
use linearizable_register::Register;
use paxos::Paxos;
use philosophers::Philosophers;
use two_phase_commit::TwoPhaseCommit;

/// Explores everything, and gives the answers with the numbers of states and transitions.
fn explore(program: &dyn Runnable, symmetry: Symmetry) -> (Vec<Answer>, u64, u64) {
    let properties = (0..program.asked().len()).map(Into::into).collect();
    let options = CheckOptions { properties, continue_after_all: true, ..CheckOptions::default() };
    let report = check_program(program, symmetry, &options, &mut NoMonitor);
    let answers = report.verdicts.iter().map(|verdict| verdict.answer).collect();
    (answers, report.statistics.states, report.statistics.transitions)
}

/// Checks that everything asked is as hoped for, with so many states and transitions.
fn check(program: &dyn Runnable, states: u64, transitions: u64) {
    let (answers, n_states, n_transitions) = explore(program, Symmetry::None);
    assert!(answers.iter().all(|answer| *answer == Answer::Holds), "{}: {answers:?}", program.title());
    assert_eq!((n_states, n_transitions), (states, transitions), "{}", program.title());
}

// The numbers of states of the next three are those of the examples of the same names of Stateright 0.31.0; so are those of steps,
// of which Stateright counts one more, for the initial state.

#[test]
fn two_phase_commit_has_as_many_states_as_elsewhere() {
    check(&TwoPhaseCommit::<3>, 288, 1145);
    check(&TwoPhaseCommit::<5>, 8832, 58145);
}

#[test]
fn paxos_is_linearizable_and_has_as_many_states_as_elsewhere() {
    check(&Paxos::<1>, 265, 481);
    check(&Paxos::<2>, 16_668, 32_970);
}

#[test]
fn a_register_kept_by_majorities_is_linearizable_and_has_as_many_states_as_elsewhere() {
    check(&Register::<1>, 1449, 3727);
}

#[test]
fn clients_are_served_one_at_a_time() {
    check(&Clients { n: 3, visits: 1 }, 129, 252);
    let (answers, states, _) = explore(&Clients { n: 3, visits: 1 }, Symmetry::Canonical);
    assert_eq!((answers, states), (vec![Answer::Holds; 2], 30));
}

#[test]
fn philosophers_who_all_take_the_left_fork_first_starve() {
    let (answers, states, _) = explore(&Philosophers(5), Symmetry::None);
    assert_eq!((answers, states), (vec![Answer::Violated], 242));
    let (answers, states, _) = explore(&Philosophers(5), Symmetry::Canonical);
    assert_eq!((answers, states), (vec![Answer::Violated], 50));
}

/// What clients may have seen, as the operations end: who, and what was read or none for the end of a write.
fn is_linearizable(ends: &[(usize, Option<Option<usize>>)]) -> bool {
    use paxos::register::{Client, History};
    let mut history = History::<2>::new();
    for &(client, read) in ends {
        match read {
            None => history.end_write(Client::new(client)),
            Some(value) => history.end_read(Client::new(client), value.map(Client::new)),
        }
    }
    history.is_linearizable()
}

#[test]
fn histories_that_no_order_explains_are_found() {
    let (wrote, read) = (None, |client| Some(Some(client)));
    // The other write has not ended, and may come before or after, or between.
    assert!(is_linearizable(&[(0, wrote), (0, read(0))]));
    assert!(is_linearizable(&[(0, wrote), (0, read(1))]));
    // Its own write has ended.
    assert!(!is_linearizable(&[(0, wrote), (0, Some(None))]));
    // Both writes overlap, but the reads have to agree which was last; each may come before the other write.
    assert!(is_linearizable(&[(0, wrote), (1, wrote), (0, read(1)), (1, read(1))]));
    assert!(is_linearizable(&[(0, wrote), (1, wrote), (0, read(0)), (1, read(1))]));
    assert!(!is_linearizable(&[(0, wrote), (1, wrote), (0, read(1)), (1, read(0))]));
    // A read is over before the other write, so that what comes later has to agree.
    assert!(is_linearizable(&[(0, wrote), (0, read(0)), (1, wrote), (1, read(1))]));
    assert!(!is_linearizable(&[(0, wrote), (0, read(1)), (1, wrote), (1, read(0))]));
}
