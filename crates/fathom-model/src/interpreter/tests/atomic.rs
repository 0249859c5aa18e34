//! Atomic sequences, indivisible blocks, and timeouts.

use super::builder::*;
use crate::*;

const BYTE: ScalarType = ScalarType::BYTE;

/// A process that blocks inside an atomic sequence lets others move, and goes on alone once it can.
///
/// `byte x, y; active proctype A() { atomic { x=1; y==1; x=2; x=3 } }`
/// `active proctype B() { x=5; y=1; x=6 }`
#[test]
fn atomicity_is_lost_while_blocked() {
    let mut build = Build::new();
    let [x, y] = ["x", "y"].map(|name| build.global(name, BYTE));
    let body = vec![set(&x, 1).atomic(), wait(equal(&y, 1)).atomic(), set(&x, 2).atomic(), set(&x, 3)];
    build.run(BuildTemplate::sequence("A", body));
    build.run(BuildTemplate::sequence("B", vec![set(&x, 5), set(&y, 1), set(&x, 6)]));
    build.expect(19, 24); // Spin's
}

/// States inside an atomic sequence that does not block are not states of the system.
#[test]
fn an_atomic_sequence_is_one_step() {
    let mut build = Build::new();
    let x = build.global("x", BYTE);
    let body = vec![set(&x, 1).atomic(), set(&x, 2).atomic(), set(&x, 3)];
    build.run(BuildTemplate::sequence("A", body));
    build.expect(3, 2);
}

/// Where an atomic sequence has a choice, the step branches.
#[test]
fn a_choice_inside_an_atomic_sequence_gives_several_steps() {
    let mut build = Build::new();
    let x = build.global("x", BYTE);
    let mut a = BuildTemplate::new("A", 3);
    a.edge(0, 0, to(1, skip().atomic()));
    for value in 1..=3 {
        a.edge(1, 0, to(2, set(&x, value)));
    }
    build.run(a);
    assert_eq!(build.final_values(&x), [1, 2, 3]);
    build.expect(7, 6);
}

/// An atomic sequence that goes round for ever reaches nothing, and is not a deadlock.
#[test]
fn an_endless_atomic_loop_is_dropped() {
    let mut build = Build::new();
    let x = build.global("x", ScalarType::BIT);
    let mut a = BuildTemplate::new("A", 3);
    a.edge(0, 0, to(1, set(&x, 1).atomic()));
    a.edge(1, 0, to(0, set(&x, 0).atomic()));
    a.edge(1, 0, to(2, set(&x, 1)));
    build.run(a);
    build.expect(3, 2);
}

/// A long atomic sequence needs no call stack; a loop at its end is still seen.
#[test]
fn a_very_long_atomic_sequence_works() {
    let mut build = Build::new();
    let x = build.global("x", ScalarType::INT);
    let mut a = BuildTemplate::new("A", 2);
    a.edge(0, 0, to(0, set(&x, plus(&x, 1)).when(less(&x, 50_000)).atomic()));
    a.edge(0, 0, to(1, skip().guard(Guard::Else)));
    a.edge(0, 0, to(0, skip().when(equal(&x, 40_000)).atomic()));
    build.run(a);
    // The explorer of these tests replays every step, which is too slow here: look at one expansion.
    let interpreter = Interpreter::new(&build.model, &[]);
    let mut scratch = interpreter.scratch();
    let mut steps = Steps::new();
    interpreter.initial(&mut scratch, &mut steps);
    let state = steps.state(0).to_vec();
    steps.clear();
    interpreter.successors(&state, &NoRegion, &mut scratch, &mut steps);
    assert_eq!(steps.len(), 1);
    let value = interpreter.evaluate(&mut scratch, steps.state(0), &load(&x));
    assert_eq!(value, Ok(50_000));
}

/// Inside an indivisible block only the first executable edge is taken, and nobody else moves.
#[test]
fn a_block_is_deterministic() {
    let mut build = Build::new();
    let x = build.global("x", BYTE);
    let mut a = BuildTemplate::new("A", 3).deterministic(&[1]);
    a.edge(0, 0, to(1, skip()));
    a.edge(1, 0, to(2, wait(equal(&x, 9))));
    a.edge(1, 0, to(2, set(&x, 1)));
    a.edge(1, 0, to(2, set(&x, 2)));
    build.run(a);
    assert_eq!(build.final_values(&x), [1]);
    build.expect(3, 2);
}

/// `else` inside a block is taken when nothing before it can be.
#[test]
fn else_inside_a_block_is_the_last_resort() {
    let mut build = Build::new();
    let x = build.global("x", BYTE);
    let mut a = BuildTemplate::new("A", 3).deterministic(&[1]);
    a.edge(0, 0, to(1, skip()));
    a.edge(1, 0, to(1, set(&x, plus(&x, 1)).when(less(&x, 5))));
    a.edge(1, 0, to(2, skip().guard(Guard::Else)));
    build.run(a);
    assert_eq!(build.final_values(&x), [5]);
}

/// A block that cannot go on is a run-time error, and the step does not happen.
#[test]
fn blocking_inside_a_block_is_an_error() {
    let mut build = Build::new();
    let x = build.global("x", BYTE);
    build.run(BuildTemplate::sequence("A", vec![skip(), wait(equal(&x, 1))]).deterministic(&[1]));
    build.expect_findings(&[("runtime-error", "statement blocks inside a d_step")]);
    assert_eq!(build.explore().states.len(), 1);
}

/// A block that never ends is a run-time error.
#[test]
fn an_endless_block_is_an_error() {
    let mut build = Build::new();
    let mut a = BuildTemplate::new("A", 3).deterministic(&[1]);
    a.edge(0, 0, to(1, skip()));
    a.edge(1, 0, to(1, skip()));
    build.run(a);
    build.expect_findings(&[("runtime-error", "atomic sequence without end")]);
}

/// After a block, the mark of its last edge says whether the process goes on alone.
#[test]
fn a_block_inside_an_atomic_sequence_does_not_end_it() {
    for (last_is_atomic, states) in [(true, 3), (false, 4)] {
        let mut build = Build::new();
        let x = build.global("x", BYTE);
        let mut last = set(&x, 2);
        last.atomic = last_is_atomic;
        let body = vec![set(&x, 1), last, set(&x, 3)];
        build.run(BuildTemplate::sequence("A", body).deterministic(&[1]));
        assert_eq!(build.explore().states.len(), states);
    }
}

/// `timeout` is true only where nothing can move otherwise, and never while an atomic sequence goes on; a
/// process that waits for it inside one yields first.
///
/// `byte x; chan c=[1] of {byte};`
/// `active proctype A() { do :: x<3 -> x++ :: timeout -> c!1; break od; timeout -> x=7 }`
/// `active proctype B() { c?_; atomic { x=8; timeout; x=9 } }`
#[test]
fn timeout_is_for_states_where_nothing_else_moves() {
    let mut build = Build::new();
    build.model.uses_timeout = true;
    let x = build.global("x", BYTE);
    let c = build.channel("c", 1, &[BYTE]);
    let mut a = BuildTemplate::new("A", 6);
    a.edge(0, 0, to(1, wait(less(&x, 3))));
    a.edge(1, 0, to(0, set(&x, plus(&x, 1))));
    a.edge(0, 0, to(2, wait(Expr::Timeout)));
    a.edge(2, 0, to(3, send(&c, vec![1.into()])));
    a.edge(3, 0, to(4, wait(Expr::Timeout)));
    a.edge(4, 0, to(5, set(&x, 7)));
    build.run(a);
    let body =
        vec![receive(&c, vec![anything()]), set(&x, 8).atomic(), wait(Expr::Timeout).atomic(), set(&x, 9)];
    build.run(BuildTemplate::sequence("B", body));
    build.expect(21, 20); // Spin's
}
