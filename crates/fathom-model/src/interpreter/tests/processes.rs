//! Creation and end of processes, priorities, `provided`, and questions about processes.

use super::builder::*;
use crate::*;

const BYTE: ScalarType = ScalarType::BYTE;

fn create(template: TemplateId, arguments: Vec<Expr>) -> Edge {
    edge(0).act(Action::Create { template, arguments, priority: 1 })
}

/// A new process gets its arguments, then its own channels; processes end in the reverse order of creation
/// and take their channels along.
///
/// `byte x; proctype B(byte n) { chan c=[2] of {byte}; c!n; c?x }`
/// `active proctype A() { run B(1); run B(2); x=3 }`
#[test]
fn processes_come_and_go_with_their_channels() {
    let mut build = Build::new();
    let x = build.global("x", BYTE);
    let channel_type = build.channel_type("c", 2, &[BYTE]);
    let c = Place::fixed(Base::Own, 1, ScalarType::CHANNEL);
    let n = Place::fixed(Base::Own, 0, BYTE);
    let body = vec![send(&load(&c), vec![load(&n)]), receive(&load(&c), vec![bind(&x)])];
    let mut b = BuildTemplate::sequence("B", body);
    assert_eq!(b.parameter("n", BYTE), n);
    assert_eq!(b.local("c", ScalarType::CHANNEL), c);
    b.initial(Initializer::Channel { place: c, channel_type });
    let b = build.add(b);
    let a = vec![create(b, vec![1.into()]), create(b, vec![2.into()]), set(&x, 3)];
    build.run(BuildTemplate::sequence("A", a));
    build.expect(56, 87); // Spin's
}

/// Arguments are evaluated by the creator before the process exists, and truncated to the parameter.
#[test]
fn arguments_are_values_of_the_creator() {
    let mut build = Build::new();
    let x = build.global("x", ScalarType::INT);
    let n = Place::fixed(Base::Own, 0, BYTE);
    let mut b = BuildTemplate::sequence("B", vec![set(&x, &n)]);
    b.parameter("n", BYTE);
    let b = build.add(b);
    let argument = Expr::binary(BinaryOp::Add, Expr::ProcessCount, Expr::Const(256));
    build.run(BuildTemplate::sequence("A", vec![create(b, vec![argument])]));
    assert_eq!(build.final_values(&x), [1]);
}

/// The number of the created process is known to the rest of the effect.
#[test]
fn the_creator_learns_the_number() {
    let mut build = Build::new();
    let x = build.global("x", BYTE);
    let b = build.add(BuildTemplate::sequence("B", vec![]));
    let run = create(b, vec![]).act(Action::Assign(x.clone(), Expr::Created));
    build.run(BuildTemplate::sequence("A", vec![run.clone(), run]));
    assert_eq!(build.final_values(&x), [1, 2], "the first may have ended before the second comes");
}

/// An edge whose effect refuses is not executable, whatever it did before.
#[test]
fn a_refused_effect_leaves_no_trace() {
    let mut build = Build::new();
    let x = build.global("x", BYTE);
    let mut a = BuildTemplate::new("A", 2);
    a.edge(0, 0, to(1, set(&x, 9).act(Action::Require(Expr::Const(0)))));
    a.edge(0, 0, to(1, set(&x, 1).guard(Guard::Else)));
    build.run(a);
    build.expect(3, 2);
    assert_eq!(build.final_values(&x), [1]);
}

/// A process takes no edge while its `provided` clause is false: not alone, not in an atomic sequence, not as
/// a receiver.
#[test]
fn provided_holds_a_process_back() {
    let mut build = Build::new();
    let x = build.global("x", BYTE);
    let r = build.channel("r", 0, &[BYTE]);
    let mut a = BuildTemplate::sequence("A", vec![receive(&r, vec![anything()]), set(&x, 9)]);
    a.provided(equal(&x, 1));
    build.run(a);
    let body = vec![send(&r, vec![1.into()]).atomic(), set(&x, 2)];
    build.run(BuildTemplate::sequence("B", body));
    build.expect_findings(&[("deadlock", "")]);
    assert_eq!(build.explore().states.len(), 1);

    let mut build = Build::new();
    let x = build.global("x", BYTE);
    let mut a = BuildTemplate::sequence("A", vec![set(&x, 1).atomic(), set(&x, 9)]);
    a.provided(less(&x, 1));
    build.run(a);
    // The atomic sequence stops where the clause turns false; the process never moves again.
    build.expect_findings(&[("deadlock", "")]);
    assert_eq!(build.explore().states.len(), 2);
}

/// A process moves only while no process of higher priority can.
#[test]
fn higher_priority_goes_first() {
    let mut build = Build::new();
    build.model.uses_priorities = true;
    let x = build.global("x", BYTE);
    let low = build.add(BuildTemplate::sequence("Low", vec![set(&x, 5)]));
    let high = build.add(BuildTemplate::sequence("High", vec![wait(less(&x, 1)), set(&x, plus(&x, 1))]));
    build.start_with(low, vec![], 1);
    build.start_with(high, vec![], 3);
    build.start_with(high, vec![], 3);
    assert_eq!(build.final_values(&x), [5]);
    // One of the two may wait for ever once the other has been through; then the low one moves.
    build.ask("low first", Question::Reach(Expr::binary(BinaryOp::And, equal(&x, 5), Expr::NonProgress)));
    let explored = build.explore();
    assert!(explored.findings.contains(&("low first".into(), String::new())));
    let states_without: usize = explored.states.len();
    build.model.uses_priorities = false;
    assert!(build.explore().states.len() > states_without);
}

/// Setting a priority takes effect at once; out of range is a run-time error; nobody there is ignored.
#[test]
fn priorities_can_change() {
    let set_priority = |process: i64, priority: i64| {
        edge(0).act(Action::SetPriority { process: process.into(), priority: priority.into() })
    };
    let mut build = Build::new();
    build.model.uses_priorities = true;
    let x = build.global("x", BYTE);
    let a = BuildTemplate::sequence("A", vec![set_priority(9, 0), set_priority(1, 7), set(&x, 1)]);
    build.run(a);
    build.run(BuildTemplate::sequence("B", vec![wait(equal(&x, 0)), set(&x, 2)]));
    assert_eq!(build.final_values(&x), [1]);
    let mut build = Build::new();
    build.model.uses_priorities = true;
    build.run(BuildTemplate::sequence("A", vec![set_priority(0, 256)]));
    build.expect_findings(&[("runtime-error", "priority 256 outside 1 to 255")]);
}

/// `enabled` asks whether another process has an executable edge; asking about oneself is an error, and
/// processes that ask about each other without end are one too.
#[test]
fn enabled_asks_about_others() {
    let enabled = |process: i64| Expr::Enabled(Box::new(process.into()));
    let mut build = Build::new();
    let x = build.global("x", BYTE);
    build.run(BuildTemplate::sequence("A", vec![wait(equal(&x, 1))]));
    let b = vec![
        wait(Expr::negation(enabled(0))),
        wait(Expr::negation(enabled(7))),
        set(&x, 1),
        wait(enabled(0)),
        set(&x, 2),
    ];
    build.run(BuildTemplate::sequence("B", b));
    assert!(build.final_values(&x).contains(&2));

    let mut build = Build::new();
    build.run(BuildTemplate::sequence("A", vec![wait(enabled(0))]));
    build.expect_findings(&[("runtime-error", "process asks whether it is itself enabled")]);

    let mut build = Build::new();
    build.run(BuildTemplate::sequence("A", vec![wait(enabled(1))]));
    build.run(BuildTemplate::sequence("B", vec![wait(enabled(0))]));
    build.expect_findings(&[("runtime-error", "atomic sequence without end")]);
}

/// The last process is the one that moved last; in a hand-shake, the receiver.
#[test]
fn the_last_process_is_remembered() {
    let mut build = Build::new();
    build.model.uses_last = true;
    let r = build.channel("r", 0, &[BYTE]);
    build.run(BuildTemplate::sequence("A", vec![receive(&r, vec![anything()])]));
    let mut idle = BuildTemplate::new("B", 2);
    idle.location(0).end = true;
    build.run(idle);
    build.run(BuildTemplate::sequence("C", vec![send(&r, vec![1.into()]), wait(Expr::Const(0))]));
    for process in 0..3 {
        let asked = Expr::binary(BinaryOp::Equal, Expr::LastProcess, process.into());
        let moved = Expr::AtLocation { template: TemplateId(2), process: None, location: LocationId(1) };
        let reach = Expr::binary(BinaryOp::And, moved, asked);
        build.ask(&format!("last {process}"), Question::Reach(reach));
    }
    build.expect_findings(&[("deadlock", ""), ("last 0", "")]);
}

/// Locals and locations of other processes can be looked at; nobody there gives 0.
#[test]
fn other_processes_can_be_looked_at() {
    let mut build = Build::new();
    let x = build.global("x", BYTE);
    let mut a = BuildTemplate::sequence("A", vec![wait(Expr::Const(0))]);
    let n = a.local("n", BYTE);
    a.initial(Initializer::Value { place: n, value: 6.into() });
    let a = build.add(a);
    build.start(a);
    let other = |process: Option<i64>| {
        let process = process.map(|process| Box::new(process.into()));
        Expr::Load(Place::fixed(Base::Other { template: a, process }, 0, BYTE))
    };
    let sum = [other(None), other(Some(0)), other(Some(1)), other(Some(-1))];
    let sum = sum.into_iter().reduce(|left, right| Expr::binary(BinaryOp::Add, left, right));
    build.run(BuildTemplate::sequence("B", vec![set(&x, sum.expect("four terms"))]));
    assert_eq!(build.final_values(&x), [12]);
}

/// Nothing moves and some process is not where it may rest: a deadlock. Nobody alive is none.
#[test]
fn a_deadlock_needs_someone_who_waits() {
    let mut build = Build::new();
    build.run(BuildTemplate::sequence("A", vec![wait(Expr::Const(0))]));
    build.expect_findings(&[("deadlock", "")]);
    let mut build = Build::new();
    let mut rests = BuildTemplate::sequence("A", vec![wait(Expr::Const(0))]);
    rests.location(0).end = true;
    build.run(rests);
    build.expect(1, 0);
    let mut build = Build::new();
    build.run(BuildTemplate::sequence("A", vec![]));
    build.expect(2, 1);
}
