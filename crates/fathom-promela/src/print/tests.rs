//! Printing and reading again.

use super::*;
use crate::syntax::{Program, Sequence, Step, Stmt, StmtKind, Unit};
use crate::{parse_formula, parse_program};
use fathom_source::{MemoryLoader, SourceMap, has_errors};

fn parse(text: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add("t.pml", text);
    let (program, diagnostics) = parse_program(file, &mut sources, &MemoryLoader::new(), &[]);
    assert!(diagnostics.is_empty(), "{text}\n{diagnostics:?}");
    program
}

/// The first statement of `init { … }`, printed on one line.
fn line(statement: &str) -> String {
    let program = parse(&format!("init {{ {statement} }}"));
    let Some(Unit::Process(process)) = program.units.last() else { panic!("no process") };
    match &process.body.steps[0] {
        Step::Statement(statement) => statement_line(statement),
        other => panic!("no statement: {other:?}"),
    }
}

fn formula(text: &str) -> String {
    let mut sources = SourceMap::new();
    let file = sources.add("f", text);
    let (formula, diagnostics) = parse_formula(file, &sources, &["P".to_owned()]);
    assert!(diagnostics.is_empty(), "{text}\n{diagnostics:?}");
    expression(&formula.expect("a formula"))
}

#[test]
fn a_statement_prints_as_a_line_of_a_trace() {
    assert_eq!(line("flag[_pid] = 1"), "flag[_pid] = 1");
    assert_eq!(line("c!msg(3)"), "c!msg,3");
    assert_eq!(line("turn == 1"), "(turn==1)");
    assert_eq!(line("c ?? < a, eval(b), -3 >"), "c??<a,eval(b),-3>");
    assert_eq!(line("if :: x -> y = 1 :: else fi"), "if :: (x); y = 1 :: else fi");
    assert_eq!(line("printf(\"a\\t%d\\n\", x)"), "printf(\"a\\t%d\\n\",x)");
    assert_eq!(line("skip"), "(1)");
}

#[test]
fn parentheses_stay_where_they_are_needed() {
    assert_eq!(line("x = (a + b) * c - (d - e) - (-f)"), "x = (a+b)*c-(d-e)-(-f)");
    assert_eq!(line("x = ((a * b)) + c"), "x = a*b+c");
    assert_eq!(line("x = !(!a) && -(-b)"), "x = !(!a) && -(-b)");
    assert_eq!(line("c!(!a)"), "c! !a");
    assert_eq!(line("x = (a -> b : (c -> d : e))"), "x = (a -> b : (c -> d : e))");
}

#[test]
fn formulas_print_with_the_signs_of_an_ltl_block() {
    assert_eq!(formula("[] (p -> <> q)"), "[] (p -> <> q)");
    assert_eq!(formula("p U (q U r) && ![]s"), "p U (q U r) && ![] s");
    assert_eq!(formula("always (P[1]@l implies eventually P:x == 2)"), "[] (P[1]@l -> <> P:x==2)");
    assert_eq!(formula("a <-> b"), "a <-> b");
    assert_eq!(formula("!!a"), "!(!a)");
}

/// Text of the tree without places, which differ, and without names of inlines, which are not printed.
pub(crate) fn shape(program: &Program) -> String {
    let mut program = program.clone();
    for unit in &mut program.units {
        match unit {
            Unit::Process(process) => forget_inlines(&mut process.body),
            Unit::Monitor(monitor) => forget_inlines(&mut monitor.body),
            _ => {}
        }
    }
    let text = format!("{program:?}");
    let mut pieces = text.split("Span {");
    let mut shape = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        shape.push_str(piece.split_once('}').map_or("", |(_, rest)| rest));
    }
    shape
}

fn forget_inlines(sequence: &mut Sequence) {
    for step in &mut sequence.steps {
        if let Step::Statement(statement) = step {
            forget_inlines_in(statement);
        }
    }
}

fn forget_inlines_in(statement: &mut Stmt) {
    match &mut statement.kind {
        StmtKind::If(options) | StmtKind::Do(options) => options.iter_mut().for_each(forget_inlines),
        StmtKind::ForRange { body, .. } | StmtKind::ForIn { body, .. } => forget_inlines(body),
        StmtKind::Atomic(body) | StmtKind::DStep(body) => forget_inlines(body),
        StmtKind::Block { body, inline } => {
            *inline = None;
            forget_inlines(body);
        }
        StmtKind::Unless { main, escape } => {
            forget_inlines_in(main);
            forget_inlines_in(escape);
        }
        _ => {}
    }
}

#[test]
fn reading_a_printed_program_gives_the_same_tree() {
    for text in crate::samples::PROGRAMS {
        let first = parse(text);
        let printed = program(&first);
        let second = parse(&printed);
        assert_eq!(shape(&first), shape(&second), "{printed}");
    }
}

#[test]
fn reading_a_printed_model_of_the_corpus_gives_the_same_tree() {
    let mut models = 0;
    crate::samples::for_each_corpus_model(|mut model| {
        models += 1;
        if has_errors(&model.diagnostics) {
            return;
        }
        let name = model.name;
        let file = model.sources.add("printed", program(&model.program));
        let (second, diagnostics) = parse_program(file, &mut model.sources, &MemoryLoader::new(), &[]);
        assert!(!has_errors(&diagnostics), "{name}: {diagnostics:?}");
        assert!(shape(&model.program) == shape(&second), "{name}: the tree differs");
    });
    assert!(models == 0 || models > 200, "only {models} models");
}
