use fathom_source::{SourceMap, has_errors, render_text};

use super::{parse_expression, parse_system};
use crate::samples::SYSTEMS;
use crate::syntax::{BinaryOp, Deadline, ExprKind, Item, Process, StatementKind, Terminator};

fn parse(text: &str) -> (crate::syntax::System, Vec<fathom_source::Diagnostic>, SourceMap) {
    let mut sources = SourceMap::new();
    let file = sources.add("m.if", text);
    let (system, diagnostics) = parse_system(file, &sources);
    (system, diagnostics, sources)
}

fn processes(system: &crate::syntax::System) -> Vec<&Process> {
    let mut found = Vec::new();
    for item in &system.items {
        if let Item::Process(process) = item {
            found.push(process);
        }
    }
    found
}

#[test]
fn every_construct_of_the_grammar_is_read() {
    for text in SYSTEMS {
        let (system, diagnostics, sources) = parse(text);
        assert!(diagnostics.is_empty(), "{}", render_text(&sources, &diagnostics, false));
        assert_eq!(processes(&system).len(), 1);
    }
}

#[test]
fn the_parts_of_a_transition_are_told_apart() {
    let (system, _, _) = parse(SYSTEMS[1]);
    let worker = processes(&system)[0];
    let Some(Item::State(idle)) = worker.items.iter().rev().find(|item| matches!(item, Item::State(_)))
    else {
        panic!("a state");
    };
    assert_eq!((idle.save.len(), idle.transitions.len(), idle.states.len()), (2, 2, 1));
    let first = &idle.transitions[0];
    assert_eq!(first.deadline, Some(Deadline::Lazy));
    assert!(first.provided.is_some() && first.when.is_some());
    assert_eq!(first.input.as_ref().map(|input| input.arguments.len()), Some(2));
    assert!(matches!(&first.terminator, Terminator::NextState(name) if name.text == "deep"));
    assert!(matches!(first.body.last().map(|last| &last.kind), Some(StatementKind::While { .. })));
    assert!(matches!(idle.transitions[1].terminator, Terminator::Stop(_)));
}

#[test]
fn operators_bind_as_documented() {
    let mut sources = SourceMap::new();
    let file = sources.add("e", "not a and b or c = 1 + 2 * 3 ? x : y");
    let (expr, diagnostics) = parse_expression(file, &sources);
    assert!(diagnostics.is_empty());
    let ExprKind::Conditional(condition, ..) = expr.expect("an expression").kind else { panic!("?:") };
    let ExprKind::Binary(BinaryOp::Or, left, right) = condition.kind else { panic!("or") };
    assert!(
        matches!(left.kind, ExprKind::Binary(BinaryOp::And, not, _) if matches!(not.kind, ExprKind::Unary(..)))
    );
    let ExprKind::Binary(BinaryOp::Equal, _, sum) = right.kind else { panic!("=") };
    let ExprKind::Binary(BinaryOp::Add, _, product) = sum.kind else { panic!("+") };
    assert!(matches!(product.kind, ExprKind::Binary(BinaryOp::Multiply, ..)));
}

#[test]
fn a_cast_binds_to_the_instance_and_not_to_its_field() {
    let mut sources = SourceMap::new();
    let file = sources.add("e", "{oven}0.heat");
    let expr = parse_expression(file, &sources).0.expect("an expression");
    assert!(matches!(expr.kind, ExprKind::Field(inner, _) if matches!(inner.kind, ExprKind::Cast(..))));
}

#[test]
fn one_problem_does_not_hide_the_next() {
    let text = "system s; var x; process p(1); state a #start; task y = 1; nextstate a; endstate;
        state b; provided ; nextstate a; endstate; endprocess; signal; endsystem;";
    let (system, diagnostics, sources) = parse(text);
    let said = render_text(&sources, &diagnostics, false);
    assert!(has_errors(&diagnostics));
    for place in ["m.if:1:16", "m.if:1:58", "m.if:2:27", "m.if:2:70"] {
        assert!(said.contains(place), "{place} in {said}");
    }
    assert_eq!(processes(&system).len(), 1);
}

#[test]
fn deep_nesting_is_refused_and_not_fatal() {
    let deep = ["(", "not ", "-", "{p}", "a[", "a ? "].map(|part| part.repeat(5_000));
    for part in deep {
        let text = format!(
            "system s; process p(1); state a; provided {part}; nextstate a; endstate; endprocess; endsystem;"
        );
        assert!(has_errors(&parse(&text).1));
    }
    let long = format!("system s; process p(1); state a; provided {}a; endstate;", "(a + a * ".repeat(9_000));
    assert!(has_errors(&parse(&long).1));
    let long = format!("system s; process p(1); state a; provided {}a; endstate;", "a + ".repeat(9_000));
    assert!(has_errors(&parse(&long).1));
    for part in ["state a; ", "if a then ", "while a do "] {
        let text = format!("system s; process p(1); state a; {}", part.repeat(5_000));
        assert!(has_errors(&parse(&text).1));
    }
}
