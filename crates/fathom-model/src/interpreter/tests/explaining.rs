//! Explanations of states and steps, and models as text.

use super::builder::*;
use crate::explain::{Owner, Transfer, describe_state, explain};
use crate::*;

const BYTE: ScalarType = ScalarType::BYTE;

fn first_step(interpreter: &Interpreter<'_>, state: &[u8]) -> (Vec<Move>, Vec<u8>) {
    let (mut scratch, mut steps) = (interpreter.scratch(), Steps::recording());
    interpreter.successors(state, &NoRegion, &mut scratch, &mut steps);
    (steps.labels(0).to_vec(), steps.state(0).to_vec())
}

fn initial(interpreter: &Interpreter<'_>) -> Vec<u8> {
    let (mut scratch, mut steps) = (interpreter.scratch(), Steps::recording());
    interpreter.initial(&mut scratch, &mut steps);
    steps.state(0).to_vec()
}

/// A model with an enumeration, a record array, a buffered and a hand-shake channel.
fn rich_model() -> Build {
    let mut build = Build::new();
    let members = vec![(1, "ack".to_owned()), (2, "nak".to_owned())];
    build.model.enumerations.push(Enumeration { name: "mtype".into(), members });
    let mtype = ScalarType { kind: ScalarKind::Enumeration(EnumerationId(0)), ..BYTE };
    let field = |name: &str, offset, ty| Variable {
        name: name.into(),
        ty: Type::Scalar(ty),
        offset,
        role: VariableRole::Plain,
        span: None,
    };
    let fields = vec![field("kind", 0, mtype), field("on", 1, ScalarType::BOOL)];
    build.model.records.push(Record { name: "Slot".into(), fields, size: 2 });
    let element = Box::new(Type::Record(RecordId(0)));
    build.model.globals.variables.push(Variable {
        name: "slots".into(),
        ty: Type::Array { element, length: 2, first: 0 },
        offset: 0,
        role: VariableRole::Plain,
        span: None,
    });
    build.model.globals.size = 4;
    let c = build.channel("c", 2, &[mtype, BYTE]);
    let r = build.channel("r", 0, &[mtype]);
    let index = Index { value: Expr::OwnProcess, length: 2, stride: 2 };
    let own_kind = Place { base: Base::Global, offset: 0, indices: vec![index.clone()], ty: mtype };
    let own_on = Place { base: Base::Global, offset: 1, indices: vec![index], ty: ScalarType::BOOL };
    let print = Action::Print(vec![
        PrintPart::Text("got ".into()),
        PrintPart::Value(load(&own_kind), PrintForm::Name(EnumerationId(0))),
    ]);
    let body = vec![
        receive(&r, vec![bind(&own_kind)]).act(print).atomic().text("r?kind"),
        set(&own_on, Expr::negation(load(&own_on))).atomic().text("on = !on"),
        send(&c, vec![load(&own_kind), 300.into()]).text("c!kind,300"),
        receive(&c, vec![only(2), anything()]).text("c?nak,_"),
    ];
    build.run(BuildTemplate::sequence("R", body));
    build.run(BuildTemplate::sequence("S", vec![send(&r, vec![2.into()]).text("r!nak")]));
    build
}

/// A step is explained move by move: who, what changed, which channels, what was printed.
#[test]
fn a_step_is_explained_move_by_move() {
    let build = rich_model();
    let interpreter = Interpreter::new(&build.model, &[]);
    let mut scratch = interpreter.scratch();
    let state = initial(&interpreter);
    let (moves, reached) = first_step(&interpreter, &state);
    let steps = explain(&interpreter, &mut scratch, &state, &moves).expect("the step replays");
    assert_eq!(steps.len(), 3);
    assert_eq!(steps[2].state, reached);
    assert_eq!((steps[0].mover.name.as_str(), steps[0].mover.text.as_str()), ("S", "r!nak"));
    assert_eq!(steps[0].partner.as_ref().map(|partner| partner.text.as_str()), Some("r?kind"));
    assert_eq!(steps[0].output, "got nak");
    let message = &steps[0].messages[0];
    assert_eq!(message.transfer, Transfer::HandShake { from: 1, to: 0 });
    assert_eq!((message.channel_name.as_str(), message.text.as_str()), ("r", "nak"));
    let change = |step: usize| {
        let change = &steps[step].changes[0];
        (change.name.as_str(), change.old.as_deref(), change.new.as_deref())
    };
    assert_eq!(change(0), ("slots[0].kind", Some("0"), Some("nak")));
    assert_eq!(change(1), ("slots[0].on", Some("false"), Some("true")));
    assert_eq!(steps[2].messages[0].transfer, Transfer::Send { from: 0 });
    assert_eq!(steps[2].channels[0].messages, ["nak,44"]);
    assert!(steps[2].changes.is_empty());
}

/// A receive from a buffered channel shows the message that left.
#[test]
fn a_received_message_is_shown() {
    let build = rich_model();
    let interpreter = Interpreter::new(&build.model, &[]);
    let mut scratch = interpreter.scratch();
    let (_, state) = first_step(&interpreter, &initial(&interpreter));
    // The sender ends first: it has the higher number.
    let (_, state) = first_step(&interpreter, &state);
    let (moves, _) = first_step(&interpreter, &state);
    let steps = explain(&interpreter, &mut scratch, &state, &moves).expect("the step replays");
    assert_eq!(steps[0].messages[0].transfer, Transfer::Receive { to: 0, copy: false });
    assert_eq!(steps[0].messages[0].text, "nak,44");
    assert!(steps[0].channels[0].messages.is_empty());
}

/// Created and ended processes are reported, with their variables.
#[test]
fn creation_and_end_are_reported() {
    let mut build = Build::new();
    let mut b = BuildTemplate::sequence("B", vec![]);
    b.parameter("n", BYTE);
    let b = build.add(b);
    let run = edge(0).act(Action::Create { template: b, arguments: vec![7.into()], priority: 1 });
    build.run(BuildTemplate::sequence("A", vec![run]));
    let interpreter = Interpreter::new(&build.model, &[]);
    let mut scratch = interpreter.scratch();
    let state = initial(&interpreter);
    let (moves, state_after) = first_step(&interpreter, &state);
    let step = &explain(&interpreter, &mut scratch, &state, &moves).expect("the step replays")[0];
    assert_eq!(step.created, [(1, "B".to_owned())]);
    assert_eq!(step.changes[0].owner, Owner::Process { number: 1, template: b });
    assert_eq!((step.changes[0].old.as_deref(), step.changes[0].new.as_deref()), (None, Some("7")));
    let (moves, _) = first_step(&interpreter, &state_after);
    let step = &explain(&interpreter, &mut scratch, &state_after, &moves).expect("the step replays")[0];
    assert!(step.ended);
    assert_eq!(step.changes[0].new, None);
}

/// A move that the state does not allow is refused.
#[test]
fn a_wrong_move_does_not_replay() {
    let build = rich_model();
    let interpreter = Interpreter::new(&build.model, &[]);
    let mut scratch = interpreter.scratch();
    let state = initial(&interpreter);
    let (moves, _) = first_step(&interpreter, &state);
    let mut try_move = |chosen: Move| interpreter.execute_move(&mut scratch, &state, &chosen).map(|_| ());
    assert_eq!(try_move(moves[0]), Ok(()));
    assert_eq!(try_move(moves[1]), Err(ReplayError::NotExecutable { process: 0 }));
    assert_eq!(try_move(Move { process: 5, ..moves[0] }), Err(ReplayError::NoSuchProcess { process: 5 }));
    assert_eq!(
        try_move(Move { template: TemplateId(0), ..moves[0] }),
        Err(ReplayError::NoSuchProcess { process: 1 })
    );
    assert_eq!(try_move(Move { partner: None, ..moves[0] }), Err(ReplayError::NotExecutable { process: 1 }));
    assert_eq!(try_move(Move { timeout: true, ..moves[0] }), Err(ReplayError::NoTimeout));
}

/// A channel is named after the variable that holds it; processes say where they are.
#[test]
fn a_state_is_described_by_name() {
    let build = rich_model();
    let interpreter = Interpreter::new(&build.model, &[]);
    let described = describe_state(&build.model, interpreter.layout(), &initial(&interpreter));
    let names: Vec<_> = described.values.iter().map(|value| value.name.as_str()).collect();
    assert_eq!(names, ["slots[0].kind", "slots[0].on", "slots[1].kind", "slots[1].on", "c", "r"]);
    let channels: Vec<_> =
        described.channels.iter().map(|channel| (channel.name.as_str(), channel.capacity)).collect();
    assert_eq!(channels, [("c", 2), ("r", 0)]);
    let processes: Vec<_> =
        described.processes.iter().map(|process| (process.name.as_str(), process.location.0)).collect();
    assert_eq!(processes, [("R", 0), ("S", 0)]);
}

/// Which of several assertions failed is said, unless the text of the edge says it.
#[test]
fn a_failed_assertion_is_told_with_its_condition() {
    let mut build = Build::new();
    let x = build.global("x", BYTE);
    let below = |most: i64| Action::Assert(Expr::binary(BinaryOp::Less, load(&x), most.into()));
    let edge = |text: &str| skip().act(below(9)).act(below(0)).text(text);
    build.run(BuildTemplate::sequence("A", vec![edge("step"), edge("assert(x<0)")]));
    let interpreter = Interpreter::new(&build.model, &[PropertyId(1)]);
    let mut scratch = interpreter.scratch();
    let mut state = initial(&interpreter);
    for expected in ["assertion violated: x < 0 is false", "assertion violated"] {
        let (moves, next) = first_step(&interpreter, &state);
        let explained = explain(&interpreter, &mut scratch, &state, &moves).expect("a step");
        assert_eq!(explained[0].fault_text().as_deref(), Some(expected));
        state = next;
    }
}

/// The text form names variables, fields, and indices, and shows guards, messages and effects.
#[test]
fn a_model_prints_with_names() {
    let text = print::print_model(&rich_model().model);
    for line in [
        "enumeration mtype { ack = 1, nak = 2 }",
        "record Slot { kind: mtype, on: bool }",
        "channel 0 c: [2] of mtype, u8",
        "variable slots: Slot[2] at 0",
        "    1: r?slots[_pid].kind; print \"got %e\", slots[_pid].kind -> 1 atomic",
        "    2: slots[_pid].on = !slots[_pid].on -> 2 atomic",
        "    3: c!slots[_pid].kind, 300 -> 3",
        "    4: c?2, _ -> 4",
        "    0: when youngest; end -> 4",
        "start S()",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }
}

/// No more parentheses than needed, and no fewer.
#[test]
fn expressions_print_with_the_parentheses_they_need() {
    use BinaryOp::{Add, And, Less, Multiply, Subtract};
    let mut build = Build::new();
    let x = build.global("x", BYTE);
    let sum = Expr::binary(Add, load(&x), 1.into());
    let cases = [
        (Expr::binary(Multiply, sum.clone(), 2.into()), "(x + 1) * 2"),
        (Expr::binary(Subtract, sum.clone(), sum.clone()), "x + 1 - (x + 1)"),
        (Expr::binary(And, Expr::binary(Less, load(&x), 1.into()), Expr::negation(sum)), "x < 1 && !(x + 1)"),
    ];
    for (expr, text) in cases {
        assert_eq!(print::display_expr(&build.model, None, &expr), text);
    }
}
