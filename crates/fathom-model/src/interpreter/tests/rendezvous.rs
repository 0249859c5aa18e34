//! Hand-shakes, `else`, and groups of edges.

use super::builder::*;
use crate::*;

const BYTE: ScalarType = ScalarType::BYTE;

/// After a hand-shake the receiver goes on alone if its edge is atomic; the sender does not, even if its own
/// edge is.
///
/// `chan r=[0] of {byte}; byte x; active proctype S() { atomic { r!1; x=1; x=2 } }`
/// `active proctype R() { byte y; atomic { r?y; x=3; x=4 } } active proctype T() { x=9 }`
#[test]
fn atomicity_passes_to_the_receiver() {
    let mut build = Build::new();
    let r = build.channel("r", 0, &[BYTE]);
    let x = build.global("x", BYTE);
    let sender = vec![send(&r, vec![1.into()]).atomic(), set(&x, 1).atomic(), set(&x, 2)];
    build.run(BuildTemplate::sequence("S", sender));
    let mut receiver = BuildTemplate::sequence(
        "R",
        vec![receive(&r, vec![anything()]).atomic(), set(&x, 3).atomic(), set(&x, 4)],
    );
    receiver.local("y", BYTE);
    build.run(receiver);
    build.run(BuildTemplate::sequence("T", vec![set(&x, 9)]));
    build.expect(19, 24); // Spin's
}

/// Every pair of an offer and a receive that fits is a step of its own, whatever the order of processes.
///
/// `chan r=[0] of {byte}; byte x; active [2] proctype S() { r!_pid }`
/// `active [2] proctype R() { byte y; if :: r?y -> x=x+y :: r?0 -> x=x+8 :: r?1; x=x+16 fi }`
#[test]
fn every_fitting_pair_shakes_hands() {
    let mut build = Build::new();
    let r = build.channel("r", 0, &[BYTE]);
    let x = build.global("x", BYTE);
    let sender = build.add(BuildTemplate::sequence("S", vec![send(&r, vec![Expr::OwnProcess])]));
    let mut receiver = BuildTemplate::new("R", 5);
    let y = receiver.local("y", BYTE);
    for (at, pattern, value) in [(1, bind(&y), load(&y)), (2, only(0), 8.into()), (3, only(1), 16.into())] {
        receiver.edge(0, 0, to(at, receive(&r, vec![pattern])));
        receiver.edge(at, 0, to(4, set(&x, plus(&x, value))));
    }
    let receiver = build.add(receiver);
    for template in [sender, sender, receiver, receiver] {
        build.start(template);
    }
    build.expect(77, 128); // Spin's
}

/// Receivers are tried from the highest process number to the lowest, their edges in list order.
#[test]
fn receivers_are_tried_from_the_youngest() {
    let mut build = Build::new();
    let r = build.channel("r", 0, &[BYTE]);
    build.run(BuildTemplate::sequence("S", vec![send(&r, vec![7.into()])]));
    let mut receiver = BuildTemplate::new("R", 2);
    receiver.edge(0, 0, to(1, receive(&r, vec![anything()])));
    receiver.edge(0, 0, to(1, receive(&r, vec![only(7)])));
    receiver.edge(0, 0, to(1, receive(&r, vec![only(8)])));
    let receiver = build.add(receiver);
    build.start(receiver);
    build.start(receiver);
    let interpreter = Interpreter::new(&build.model, &[]);
    let (mut scratch, mut steps) = (interpreter.scratch(), Steps::recording());
    interpreter.initial(&mut scratch, &mut steps);
    let state = steps.state(0).to_vec();
    steps.clear();
    interpreter.successors(&state, &NoRegion, &mut scratch, &mut steps);
    let pairs: Vec<_> = (0..steps.len())
        .map(|index| {
            let label = steps.labels(index)[0];
            let partner = label.partner.expect("a hand-shake has a partner");
            (label.process, partner.process, partner.edge.0)
        })
        .collect();
    assert_eq!(pairs, [(0, 2, 1), (0, 2, 2), (0, 1, 1), (0, 1, 2)]);
}

/// A receiving indivisible block may take part in a hand-shake, and then runs to its end.
///
/// `chan r=[0] of {byte}; byte x; active proctype S() { r!3; r!4 }`
/// `active proctype R() { byte y; d_step { r?y; x=x+y; y=0 }; atomic { r?y; x=y; y=0 }; x=0 }`
/// `active proctype T() { x=x+100 }`
#[test]
fn a_block_may_start_with_a_hand_shake_it_receives() {
    let mut build = Build::new();
    let r = build.channel("r", 0, &[BYTE]);
    let x = build.global("x", BYTE);
    build.run(BuildTemplate::sequence("S", vec![send(&r, vec![3.into()]), send(&r, vec![4.into()])]));
    let y = Place::fixed(Base::Own, 0, BYTE);
    let body = vec![
        receive(&r, vec![bind(&y)]),
        set(&x, plus(&x, &y)),
        set(&y, 0),
        receive(&r, vec![bind(&y)]).atomic(),
        set(&x, &y).atomic(),
        set(&y, 0),
        set(&x, 0),
    ];
    let mut receiver = BuildTemplate::sequence("R", body).deterministic(&[1, 2]);
    assert_eq!(receiver.local("y", BYTE), y);
    build.run(receiver);
    build.run(BuildTemplate::sequence("T", vec![set(&x, plus(&x, 100))]));
    build.expect(20, 25); // Spin's
}

/// An indivisible block must not offer a hand-shake: not as its first statement, not later.
#[test]
fn a_block_must_not_offer_a_hand_shake() {
    for block in [[1], [2]] {
        let mut build = Build::new();
        let r = build.channel("r", 0, &[BYTE]);
        let body = vec![send(&r, vec![1.into()]), send(&r, vec![1.into()]), skip()];
        build.run(BuildTemplate::sequence("S", body).deterministic(&block));
        build.run(BuildTemplate::sequence("R", vec![receive(&r, vec![anything()]); 2]));
        let findings = build.explore().findings;
        assert!(
            findings.contains(&("runtime-error".into(), "rendezvous inside a d_step".into())),
            "{block:?}"
        );
    }
}

/// `else` is not executable when an offer before it is accepted, and is when nobody accepts.
///
/// `chan r=[0] of {byte}; byte x; active proctype R() { byte y; do :: r?y od }`
/// `active proctype P() { if :: r!3 :: else -> x=1 fi }`
#[test]
fn an_accepted_offer_rules_out_else() {
    for (accepted, states, transitions) in [(true, 3, 2), (false, 4, 3)] {
        let mut build = Build::new();
        let r = build.channel("r", 0, &[BYTE]);
        let x = build.global("x", BYTE);
        let mut receiver = BuildTemplate::new("R", 2);
        let y = receiver.local("y", BYTE);
        receiver.location(0).end = true;
        let pattern = if accepted { bind(&y) } else { only(4) };
        receiver.edge(0, 0, to(0, receive(&r, vec![pattern])));
        build.run(receiver);
        let mut p = BuildTemplate::new("P", 3);
        p.edge(0, 0, to(2, send(&r, vec![3.into()])));
        p.edge(0, 0, to(1, skip().guard(Guard::Else)));
        p.edge(1, 0, to(2, set(&x, 1)));
        build.run(p);
        build.expect(states, transitions); // Spin's for the first
    }
}

/// `else` and other edges of a receiver do not take part in a hand-shake.
#[test]
fn only_receives_answer_an_offer() {
    let mut build = Build::new();
    let r = build.channel("r", 0, &[BYTE]);
    let x = build.global("x", BYTE);
    build.run(BuildTemplate::sequence("S", vec![send(&r, vec![1.into()])]));
    let mut receiver = BuildTemplate::new("R", 2);
    receiver.edge(0, 0, to(0, receive(&r, vec![anything()])));
    receiver.edge(0, 0, to(1, set(&x, 1).guard(Guard::Else)));
    build.run(receiver);
    // The receive is not executable at rest, so `else` is: one step each from the initial state.
    let explored = build.explore();
    assert_eq!(explored.findings.len(), 1, "the sender waits for ever in one branch");
    assert_eq!(explored.states.len(), 7);
}

/// Once an edge of a group was taken, later groups are not tried.
#[test]
fn a_group_overrules_those_after_it() {
    let mut build = Build::new();
    let x = build.global("x", BYTE);
    let mut a = BuildTemplate::new("A", 2);
    a.edge(0, 0, to(1, set(&x, 10).when(equal(&x, 2))));
    a.edge(0, 0, to(1, set(&x, 20).when(equal(&x, 2))));
    a.edge(0, 1, to(0, set(&x, plus(&x, 1)).when(less(&x, 5))));
    build.run(a);
    assert_eq!(build.final_values(&x), [10, 20]);
}

/// As in Spin, an offer that nobody accepts makes the groups after its own count again.
///
/// `chan r=[0] of {byte}; byte x; active proctype B() { x==50; r?_ }`
/// `active proctype A() { { do :: x<2 -> x++ od } unless { if :: r!1 -> x=20 :: x==1 -> x=10 fi } }`
/// (Spin tries the edges of an escape from the last to the first.)
#[test]
fn a_refused_offer_lets_later_groups_count() {
    for (offer_first, states, transitions) in [(true, 5, 4), (false, 7, 7)] {
        let mut build = Build::new();
        let r = build.channel("r", 0, &[BYTE]);
        let x = build.global("x", BYTE);
        let mut a = BuildTemplate::new("A", 5);
        let escape = |a: &mut BuildTemplate, at: usize| {
            let mut edges = [to(2, wait(equal(&x, 1))), to(3, send(&r, vec![1.into()]))];
            if offer_first {
                edges.reverse();
            }
            edges.into_iter().for_each(|edge| a.edge(at, 0, edge));
        };
        escape(&mut a, 0);
        escape(&mut a, 1);
        a.edge(0, 1, to(1, wait(less(&x, 2))));
        a.edge(1, 1, to(0, set(&x, plus(&x, 1))));
        a.edge(2, 0, to(4, set(&x, 10)));
        a.edge(3, 0, to(4, set(&x, 20)));
        build.run(a);
        let body = vec![wait(equal(&x, 50)), receive(&r, vec![anything()])];
        build.run(BuildTemplate::sequence("B", body));
        let explored = build.explore();
        assert_eq!((explored.states.len(), explored.transitions), (states, transitions)); // Spin's
    }
}
