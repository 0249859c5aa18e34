//! The graph of explicit parts has the states of the interpreter, and an expression is true in the same of them.

use std::collections::BTreeSet;

use fathom_model::{Base, BinaryOp, Expr, Interpreter, Model, NoRegion, Place, Steps, System, Type};

use super::differential::model;
use crate::{Composite, CompositeGraph, NoGraph, Partition, Room};

/// `y` is never 0, and `x` and `y` never meet.
const PROGRAM: &str = "byte x = 1; byte y = 9; bit turn; byte a[2];
    active proctype p() { do :: x < 6 -> x++; turn = !turn :: x > 2 -> x = x - 2 :: y > 7 -> y-- :: y < 12 -> y = y + 2; a[turn] = x od }";

fn load(model: &Model, name: &str) -> Expr {
    let variable = model.globals.variables.iter().find(|one| one.name == name).expect("a global");
    let Type::Scalar(ty) = variable.ty else { panic!("{name} is a scalar") };
    Expr::Load(Place { base: Base::Global, offset: variable.offset, indices: Vec::new(), ty })
}

/// Every state that the interpreter reaches.
fn states(model: &Model) -> BTreeSet<Vec<u8>> {
    let interpreter = Interpreter::new(model, &[]);
    let (mut scratch, mut steps) = (interpreter.scratch(), Steps::new());
    interpreter.initial(&mut scratch, &mut steps);
    let mut reached = BTreeSet::new();
    let mut pending: Vec<Vec<u8>> = (0..steps.len()).map(|index| steps.state(index).to_vec()).collect();
    while let Some(state) = pending.pop() {
        steps.clear();
        interpreter.successors(&state, &NoRegion, &mut scratch, &mut steps);
        if reached.insert(state) {
            pending.extend((0..steps.len()).map(|index| steps.state(index).to_vec()));
        }
    }
    reached
}

#[test]
fn an_expression_is_true_in_the_states_of_the_interpreter_whatever_is_symbolic() {
    let model = model(PROGRAM);
    let (x, y, turn) = (load(&model, "x"), load(&model, "y"), load(&model, "turn"));
    let binary = |op, left: &Expr, right: &Expr| Expr::binary(op, left.clone(), right.clone());
    let two = Expr::Const(2);
    let exprs = [
        Expr::Const(1),
        // Of one variable, of two, and of some that may be explicit.
        binary(BinaryOp::Less, &x, &Expr::Const(4)),
        binary(BinaryOp::Equal, &binary(BinaryOp::Multiply, &x, &two), &y),
        binary(BinaryOp::And, &turn, &binary(BinaryOp::Greater, &y, &Expr::Const(8))),
        // Without a value only where nobody comes to.
        binary(BinaryOp::Equal, &binary(BinaryOp::Remainder, &x, &y), &two),
        binary(BinaryOp::Divide, &y, &binary(BinaryOp::Subtract, &y, &x)),
    ];
    let faulty = binary(BinaryOp::Divide, &y, &binary(BinaryOp::Subtract, &x, &two));
    let reached = states(&model);
    let interpreter = Interpreter::new(&model, &[]);
    let mut scratch = interpreter.scratch();
    for symbolic in [&["x", "y"][..], &["y"], &["x", "y", "turn"], &["x", "y", "a", "at(p)"], &["all"], &[]] {
        let partition = Partition::explicit(&model).with(symbolic, true).expect("parts of the model");
        let composite = Composite::new(&model, &partition, &[], Room { nodes: 1 << 20 });
        let graph = CompositeGraph::new(&composite, &mut |_, _| true).expect("room");
        assert_eq!(graph.count(graph.all()), reached.len() as f64, "{symbolic:?}");
        for expr in &exprs {
            let found = graph.satisfying(expr).expect("a value everywhere");
            let mut n_true = 0;
            for state in &reached {
                let expected = interpreter.evaluate(&mut scratch, state, expr).expect("a value") != 0;
                assert_eq!(graph.contains(&found, state), expected, "{symbolic:?} {expr:?} {state:?}");
                n_true += u32::from(expected);
            }
            assert_eq!(graph.count(&found), f64::from(n_true), "{symbolic:?} {expr:?}");
        }
        assert_eq!(graph.satisfying(&faulty), Err(NoGraph::Faulty), "{symbolic:?}");
    }
}
