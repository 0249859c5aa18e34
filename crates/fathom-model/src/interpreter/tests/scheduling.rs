//! Priorities, `provided` and the last process together, compared with Spin's counts.

use super::builder::*;
use crate::*;

const BYTE: ScalarType = ScalarType::BYTE;

fn increment(x: &Place) -> Edge {
    set(x, plus(x, 1))
}

#[track_caller]
fn expect_counts(build: &Build, states: usize, transitions: usize) {
    let explored = build.explore();
    assert_eq!((explored.states.len(), explored.transitions), (states, transitions));
}

/// `byte x; active proctype A() priority 1 { x=1; x=2 }`
/// `active proctype B() priority 4 { x==1; x=3; set_priority(_pid,1); x=4 }`
/// `active proctype C() priority 2 { do :: x<3 -> x++ :: else -> break od }`
#[test]
fn priorities_schedule_as_in_spin() {
    let mut build = Build::new();
    build.model.uses_priorities = true;
    let x = build.global("x", BYTE);
    let a = build.add(BuildTemplate::sequence("A", vec![set(&x, 1), set(&x, 2)]));
    let lower = edge(0).act(Action::SetPriority { process: Expr::OwnProcess, priority: 1.into() });
    let body = vec![wait(equal(&x, 1)), set(&x, 3), lower, set(&x, 4)];
    let b = build.add(BuildTemplate::sequence("B", body));
    let mut c = BuildTemplate::new("C", 3);
    c.edge(0, 0, to(1, wait(less(&x, 3))));
    c.edge(0, 0, to(2, skip().guard(Guard::Else)));
    c.edge(1, 0, to(0, increment(&x)));
    let c = build.add(c);
    for (template, priority) in [(a, 1), (b, 4), (c, 2)] {
        build.start_with(template, vec![], priority);
    }
    expect_counts(&build, 22, 25); // Spin's
}

/// `byte x; active proctype A() { do :: x<3 && _last != _pid -> x++ od }`
/// `active proctype B() provided (x != 2) { do :: x<3 -> x = x+1 :: _last==0 -> x=0; break od }`
#[test]
fn the_last_process_is_part_of_the_state_as_in_spin() {
    let mut build = Build::new();
    build.model.uses_last = true;
    let x = build.global("x", BYTE);
    let other = Expr::binary(BinaryOp::NotEqual, Expr::LastProcess, Expr::OwnProcess);
    let mut a = BuildTemplate::new("A", 3);
    a.edge(0, 0, to(1, wait(Expr::binary(BinaryOp::And, less(&x, 3), other))));
    a.edge(1, 0, to(0, increment(&x)));
    build.run(a);
    let mut b = BuildTemplate::new("B", 4);
    b.provided(Expr::binary(BinaryOp::NotEqual, load(&x), 2.into()));
    b.edge(0, 0, to(1, wait(less(&x, 3))));
    b.edge(0, 0, to(2, wait(Expr::binary(BinaryOp::Equal, Expr::LastProcess, 0.into()))));
    b.edge(1, 0, to(0, increment(&x)));
    b.edge(2, 0, to(3, set(&x, 0)));
    build.run(b);
    expect_counts(&build, 33, 44); // Spin's
}

/// `byte x; chan r=[0] of {byte};`
/// `active proctype A() provided (x != 2) { do :: x<4 -> x++ :: r!x; x=1 od }`
/// `active proctype B() provided (x != 3) { byte y;`
/// `  do :: atomic { x==2 -> x=3; x=4; x=3 } :: r?y -> x=2 od }`
#[test]
fn provided_interrupts_atomic_sequences_as_in_spin() {
    let mut build = Build::new();
    let x = build.global("x", BYTE);
    let r = build.channel("r", 0, &[BYTE]);
    let differs = |value: i64| Expr::binary(BinaryOp::NotEqual, load(&x), value.into());
    let mut a = BuildTemplate::new("A", 4);
    a.provided(differs(2));
    a.edge(0, 0, to(1, wait(less(&x, 4))));
    a.edge(0, 0, to(2, send(&r, vec![load(&x)])));
    a.edge(1, 0, to(0, increment(&x)));
    a.edge(2, 0, to(0, set(&x, 1)));
    build.run(a);
    let mut b = BuildTemplate::new("B", 6);
    let y = b.local("y", BYTE);
    b.provided(differs(3));
    b.edge(0, 0, to(1, wait(equal(&x, 2)).atomic()));
    b.edge(0, 0, to(4, receive(&r, vec![bind(&y)])));
    b.edge(1, 0, to(2, set(&x, 3).atomic()));
    b.edge(2, 0, to(3, set(&x, 4).atomic()));
    b.edge(3, 0, to(0, set(&x, 3)));
    b.edge(4, 0, to(0, set(&x, 2)));
    build.run(b);
    expect_counts(&build, 55, 72); // Spin's
}
