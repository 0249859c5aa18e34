//! Faults, assertions, and properties of states.

use super::builder::*;
use crate::*;

const BYTE: ScalarType = ScalarType::BYTE;

/// Runs one process with this edge, in a model with a byte `x` and an array `a` of three bytes behind it.
fn faults_of(make: impl Fn(&mut Build, &Place) -> Edge) -> Vec<String> {
    let mut build = Build::new();
    let x = build.global("x", BYTE);
    for name in ["a0", "a1", "a2"] {
        build.global(name, BYTE);
    }
    let faulty = make(&mut build, &x);
    build.run(BuildTemplate::sequence("A", vec![faulty, set(&x, 200)]));
    let explored = build.explore();
    assert!(explored.states.len() == 1 || explored.findings.is_empty(), "a fault yields no step");
    explored.findings.into_iter().map(|(property, fault)| format!("{property}: {fault}")).collect()
}

fn element(index: impl Into<Expr>) -> Place {
    let index = Index { value: index.into(), length: 3, stride: 1 };
    Place { base: Base::Global, offset: 1, indices: vec![index], ty: BYTE }
}

/// What goes wrong while a guard, a message or an effect is evaluated is a finding, and the edge is not taken;
/// such a state is not a deadlock as well.
#[test]
fn faults_are_findings() {
    let divide = |x: &Place| Expr::binary(BinaryOp::Divide, 1.into(), load(x));
    let none = |_: &mut Build, _: &Place| send(&Expr::Const(0), vec![]);
    assert_eq!(faults_of(|_, x| wait(divide(x))), ["runtime-error: division by zero"]);
    assert_eq!(faults_of(|_, x| set(x, divide(x))), ["runtime-error: division by zero"]);
    assert_eq!(faults_of(|_, x| set(x, load(&element(2)))), [""; 0]);
    assert_eq!(
        faults_of(|_, x| set(x, load(&element(3)))),
        ["runtime-error: array index 3 out of range 0..2"]
    );
    assert_eq!(faults_of(|_, _| set(&element(-1), 1)), ["runtime-error: array index -1 out of range 0..2"]);
    assert_eq!(faults_of(none), ["runtime-error: use of a channel variable that holds no channel"]);
    assert_eq!(
        faults_of(|_, _| receive(&Expr::Const(5), vec![])),
        ["runtime-error: use of channel 5, which does not exist"]
    );
    let c = |build: &mut Build| build.channel("c", 1, &[BYTE]);
    assert_eq!(
        faults_of(|build, _| send(&c(build), vec![1.into(), 2.into()])),
        ["runtime-error: message of 2 fields on a channel of 1"]
    );
    let peek = |build: &mut Build, _: &Place| {
        let channel = build.channel("r", 0, &[BYTE]);
        let sync = Sync::Receive { channel, patterns: vec![anything()], which: Which::Front, copy: true };
        Edge { sync: Some(sync), ..edge(0) }
    };
    assert_eq!(faults_of(peek), ["runtime-error: poll of a rendezvous channel"]);
}

/// A fault that nobody asks about is no finding.
#[test]
fn only_asked_properties_have_findings() {
    let mut build = Build::new();
    build.run(BuildTemplate::sequence("A", vec![wait(Expr::binary(BinaryOp::Divide, 1.into(), 0.into()))]));
    build.model.properties.remove(2);
    build.expect(1, 0);
}

/// After a failed assertion the process goes on.
#[test]
fn a_failed_assertion_is_a_finding_and_a_step() {
    let mut build = Build::new();
    build.run(BuildTemplate::sequence("A", vec![edge(0).act(Action::Assert(Expr::Const(0)))]));
    build.expect_findings(&[("assertion", "assertion violated")]);
    assert_eq!(build.explore().states.len(), 3);
}

/// The labels of a finding inside a step lead up to the edge that fails.
#[test]
fn a_finding_says_how_far_the_step_got() {
    let mut build = Build::new();
    let fails = edge(0).act(Action::Assert(Expr::Const(0))).atomic();
    build.run(BuildTemplate::sequence("A", vec![skip().atomic(), fails, skip()]));
    let interpreter = Interpreter::new(&build.model, &[PropertyId(1)]);
    let (mut scratch, mut steps) = (interpreter.scratch(), Steps::recording());
    interpreter.initial(&mut scratch, &mut steps);
    let state = steps.state(0).to_vec();
    steps.clear();
    interpreter.successors(&state, &NoRegion, &mut scratch, &mut steps);
    let edges = |labels: &[Move]| labels.iter().map(|label| label.edge.0).collect::<Vec<_>>();
    assert_eq!(edges(steps.labels(0)), [1, 2, 3]);
    assert_eq!(edges(steps.finding_labels(&steps.findings()[0])), [1, 2]);
}

/// Faults before the first step are findings without a state.
#[test]
fn a_fault_in_the_initial_state_is_a_finding() {
    let mut build = Build::new();
    let x = build.global("x", BYTE);
    let value = Expr::binary(BinaryOp::Remainder, 1.into(), 0.into());
    build.model.globals.initializers.push(Initializer::Value { place: x, value });
    build.expect_findings(&[("runtime-error", "division by zero")]);
    assert!(build.explore().states.is_empty());
}

/// Invariants are looked at in every state, reachability likewise; a fault in one is a finding about it.
#[test]
fn properties_of_states_are_looked_at_everywhere() {
    let mut build = Build::new();
    let x = build.global("x", BYTE);
    build.run(BuildTemplate::sequence("A", vec![set(&x, 1), set(&x, 2)]));
    build.ask("small", Question::Invariant(less(&x, 2)));
    build.ask("tiny", Question::Invariant(less(&x, 3)));
    build.ask("two", Question::Reach(equal(&x, 2)));
    build.ask("three", Question::Reach(equal(&x, 3)));
    build.ask("odd", Question::Invariant(Expr::binary(BinaryOp::Divide, 6.into(), load(&x))));
    build.expect_findings(&[("small", ""), ("two", ""), ("odd", "division by zero")]);
}

/// A stored value keeps the bits of its type.
#[test]
fn assignments_truncate() {
    let mut build = Build::new();
    let x = build.global("x", BYTE);
    build.run(BuildTemplate::sequence("A", vec![set(&x, 511), set(&x, plus(&x, 2))]));
    assert_eq!(build.final_values(&x), [1]);
}

/// A front end that makes a broken model hears about it.
#[test]
fn broken_models_are_told_apart() {
    let check = |breaks: &dyn Fn(&mut Model), message: &str| {
        let mut build = Build::new();
        let x = build.global("x", BYTE);
        build.run(BuildTemplate::sequence("A", vec![set(&x, 1)]));
        assert_eq!(validate(&build.model), Ok(()));
        breaks(&mut build.model);
        let problems = validate(&build.model).expect_err(message);
        assert!(problems.iter().any(|problem| problem.contains(message)), "{problems:?}");
    };
    check(&|model| model.templates[0].initial = LocationId(9), "no such initial location");
    check(&|model| model.templates[0].edges[1].target = LocationId(9), "no such target");
    check(&|model| model.templates[0].locations[0].groups[0].push(EdgeId(7)), "no such edge");
    check(&|model| model.globals.size = 0, "leaves the frame");
    check(&|model| model.start[0].arguments.push(Expr::TRUE), "one argument for each parameter");
    check(&|model| model.start[0].template = TemplateId(4), "no such template");
    check(&|model| model.templates[0].provided = Some(Expr::Timeout), "timeouts");
    check(&|model| model.templates[0].provided = Some(Expr::Const(1 << 40)), "32 bits");
    check(
        &|model| {
            let place = Place::fixed(Base::Own, 0, BYTE);
            model.properties.push(Property {
                name: "p".into(),
                question: Question::Invariant(Expr::Load(place)),
                span: None,
            });
        },
        "no process, no locals",
    );
    check(&|model| model.templates[0].edges[0].guard = Guard::Always, "youngest");
}
