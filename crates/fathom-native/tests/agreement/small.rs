//! Small models, each about one thing that generated code could get wrong.

use fathom_core::model::{BinaryOp, Expr, NoRegion, Property, Question, Steps, System, UnaryOp};
use fathom_native::NativeSystem;

use crate::{compare, load_text};

#[test]
fn arithmetic_wraps_and_divides_as_interpreted() {
    let mut model = load_text("int x, y; active proctype p() { do :: x = y :: y = x od }");
    let operands = [0, 1, -1, 2, -7, 31, 32, 33, i64::from(i32::MIN), i64::from(i32::MAX)];
    let operators = [
        BinaryOp::Add,
        BinaryOp::Subtract,
        BinaryOp::Multiply,
        BinaryOp::Divide,
        BinaryOp::Remainder,
        BinaryOp::ShiftLeft,
        BinaryOp::ShiftRight,
        BinaryOp::Less,
        BinaryOp::GreaterEqual,
    ];
    // Loads of a variable that is 0, so that nothing is folded.
    let zero = Expr::Load(fathom_core::model::Place::fixed(
        fathom_core::model::Base::Global,
        0,
        fathom_core::model::ScalarType::INT,
    ));
    for op in operators {
        for left in operands {
            for right in operands {
                let opaque = |value| Expr::binary(BinaryOp::Add, zero.clone(), Expr::Const(value));
                for (left, right) in [
                    (opaque(left), opaque(right)),
                    (opaque(left), Expr::Const(right)),
                    (Expr::Const(left), Expr::Const(right)),
                ] {
                    // One property for every bit of the result.
                    let value = Expr::binary(op, left, right);
                    let value = Expr::Unary(UnaryOp::Complement, Box::new(value));
                    for bit in [0, 1, 15, 30, 31] {
                        let mask = Expr::Const(1 << bit);
                        let question =
                            Question::Invariant(Expr::binary(BinaryOp::BitAnd, value.clone(), mask));
                        let name = model.properties.len().to_string();
                        model.properties.push(Property { name, question, span: None });
                    }
                }
            }
        }
    }
    compare("arithmetic", &model, 10);
}

#[test]
fn faults_are_those_of_the_interpreter() {
    let texts = [
        "byte a[3], i; active proctype p() { do :: a[i] = a[i] + 1; i = i + 1 od }",
        "byte x = 3; active proctype p() { do :: x = x - 1; x = 6 / x od }",
        "chan c; active proctype p() { do :: c!1 :: c?1 :: skip od }",
        "chan c = [0] of {byte}; byte x; active proctype p() { do :: c?[x] :: x = 1 od }",
        "byte x; active proctype p() { d_step { x = x + 1; x < 3; x = x % 3 } }",
        "byte x; active proctype p() { do :: atomic { x = x + 1; assert(x != 2); x < 5 } od }",
    ];
    for text in texts {
        compare(text, &load_text(text), 300);
    }
}

#[test]
fn hand_shakes_agree_with_unknown_channels_guards_and_last() {
    let texts = [
        "chan a = [0] of {byte, bool}; chan b = [1] of {byte}; chan d[2] = [0] of {byte, bool}; byte x, y;
         proctype s(chan c; byte n) { do :: c!n,1 :: c!n,0 -> y = n od }
         proctype r(chan c) { byte v; do :: atomic { c?v,1 -> x = v } :: d_step { c?v,0 -> x = v + 1 }
             :: b!v :: b?v od }
         init { atomic { run s(a, 1); run s(d[1], 2); run r(a); run r(d[1]) } }",
        "chan a = [0] of {mtype}; mtype = { one, two }; byte n;
         active [2] proctype s() provided (n < 3) { do :: a!one :: n = (n + 1) % 5 :: else od }
         active [2] proctype r() provided (n != 1) { do :: a?one -> n = _last :: a?two unless { n == 4 } od }",
        "chan a = [0] of {byte}; byte n;
         active proctype s() { do :: timeout -> a!1 :: a!2 od }
         active proctype r() { do :: a?1 -> n++; n < 3 :: timeout -> a?2 od }",
    ];
    for text in texts {
        assert!(compare(text, &load_text(text), 3_000) > 3, "{text}");
    }
}

#[test]
fn records_come_and_go() {
    let texts = [
        "byte n; chan q = [2] of {chan, byte};
         proctype w(byte k) { chan own = [2] of {byte}; byte v; own!k; q!own,k; own?v; n = n + v }
         init { chan c; byte v; do :: n < 4 -> run w(n + 1) :: q?c,v -> c!!v od }",
        "byte n; proctype w() { n++ } init { do :: atomic { run w(); run w(); n < 6 } od }",
        "int n; proctype w() { n = _nr_pr } init { do :: (run w() > 0 && n < 4) -> n++ :: else -> break od }",
    ];
    for text in texts {
        assert!(compare(text, &load_text(text), 2_000) > 3, "{text}");
    }
}

#[test]
fn channels_of_every_shape_agree() {
    let texts = [
        "chan q = [3] of {byte, short, bool}; byte x; short y;
         active proctype p() { do :: q!x,y,1 :: q!!2,x,0 :: q?x,y,_ :: q??eval(x),y,1 :: q?<x,y,_>
             :: q??[2,_,_] -> x++ :: x = (x + 1) % 3 :: nfull(q) -> y = -len(q) :: empty(q) && !full(q) -> y = 0 od }",
        "chan q[3] = [4] of {byte}; byte i;
         active proctype p() { do :: q[i]!i :: q[i]?i :: i = (i + 1) % 3 :: q[2]!!i :: q[0]??2 od }",
        "chan q = [40] of {int, int}; int x;
         active proctype p() { do :: q!x,1 :: q?x,1 :: x < 3 -> x++ :: q??2,1 od }",
    ];
    for text in texts {
        assert!(compare(text, &load_text(text), 3_000) > 3, "{text}");
    }
}

/// Agreement would be worth little if the interpreter did the work.
#[test]
fn nothing_is_left_to_the_interpreter_without_faults() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/promela");
    for name in
        ["peterson_n", "giop", "leader_lann", "philosophers", "construct_rendezvous", "construct_d_step"]
    {
        let model = crate::load_file(&root.join(name).with_extension("pml"), &[]).expect("a model");
        let system = NativeSystem::new(&model, &[]).expect("native code");
        let mut scratch = system.scratch();
        let mut steps = Steps::new();
        system.initial(&mut scratch, &mut steps);
        for _ in 0..200 {
            let Some(last) = steps.len().checked_sub(1) else { break };
            let state = steps.state(last).to_vec();
            steps.clear();
            system.successors(&state, &NoRegion, &mut scratch, &mut steps);
        }
        assert_eq!(scratch.n_interpreted(), 0, "{name}");
    }
}

#[test]
#[should_panic(expected = "a state")]
fn bytes_that_are_no_state_are_refused() {
    let model = load_text("chan c = [2] of {byte}; byte x; active proctype p() { do :: c!x :: c?x od }");
    let system = NativeSystem::new(&model, &[]).expect("native code");
    let mut scratch = system.scratch();
    let mut steps = Steps::new();
    system.initial(&mut scratch, &mut steps);
    let state = steps.state(0).to_vec();
    system.successors(&state[..state.len() - 1], &NoRegion, &mut scratch, &mut Steps::new());
}

#[test]
fn two_threads_share_a_system() {
    let model = load_text("byte x; active [2] proctype p() { do :: x = (x + 1) % 50 od }");
    let system = NativeSystem::new(&model, &[]).expect("native code");
    let count = || {
        let (mut scratch, mut steps) = (system.scratch(), Steps::new());
        system.initial(&mut scratch, &mut steps);
        for _ in 0..1000 {
            let state = steps.state(0).to_vec();
            steps.clear();
            system.successors(&state, &NoRegion, &mut scratch, &mut steps);
        }
        steps.state(0).to_vec()
    };
    let other = std::thread::scope(|scope| scope.spawn(count).join().expect("a thread"));
    assert_eq!(other, count());
}
