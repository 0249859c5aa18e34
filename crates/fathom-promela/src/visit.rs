//! Goes through every expression of a program, as written.

use crate::syntax::{
    Declaration, Expr, ExprKind, Initializer, Program, ReceiveArg, Sequence, Step, Stmt, StmtKind, Unit,
    VarRef,
};

/// Calls `f` on every expression of a program, outer ones first.
pub(crate) fn for_each_expr<'p>(program: &'p Program, f: &mut dyn FnMut(&'p Expr)) {
    for unit in &program.units {
        match unit {
            Unit::Process(process) => {
                process.parameters.iter().for_each(|declaration| visit_declaration(declaration, f));
                process.active.iter().chain(&process.priority).for_each(|expr| visit_expr(expr, f));
                process.provided.iter().for_each(|expr| visit_expr(expr, f));
                visit_sequence(&process.body, f);
            }
            Unit::Monitor(monitor) => visit_sequence(&monitor.body, f),
            Unit::Ltl(ltl) => visit_expr(&ltl.formula, f),
            Unit::Declaration(declaration) => visit_declaration(declaration, f),
            Unit::Typedef(_) | Unit::Mtype(_) => {}
        }
    }
}

/// Calls `f` on an expression and on everything in it.
pub(crate) fn visit_expr<'p>(expr: &'p Expr, f: &mut dyn FnMut(&'p Expr)) {
    f(expr);
    match &expr.kind {
        ExprKind::Number(_) | ExprKind::Timeout | ExprKind::NonProgress => {}
        ExprKind::Variable(variable) | ExprKind::Channel(_, variable) => visit_variable(variable, f),
        ExprKind::Unary(_, operand) | ExprKind::Process(_, operand) => visit_expr(operand, f),
        ExprKind::Binary(_, left, right) => {
            visit_expr(left, f);
            visit_expr(right, f);
        }
        ExprKind::Conditional(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().for_each(|expr| visit_expr(expr, f));
        }
        ExprKind::Run { arguments, priority, .. } => {
            arguments.iter().chain(priority.as_deref()).for_each(|expr| visit_expr(expr, f));
        }
        ExprKind::Poll { channel, arguments, .. } => {
            visit_variable(channel, f);
            arguments.iter().for_each(|argument| visit_argument(argument, f));
        }
        ExprKind::RemoteLabel { index, .. } => index.iter().for_each(|index| visit_expr(index, f)),
        ExprKind::RemoteVariable { index, variable, .. } => {
            index.iter().for_each(|index| visit_expr(index, f));
            visit_variable(variable, f);
        }
    }
}

fn visit_variable<'p>(variable: &'p VarRef, f: &mut dyn FnMut(&'p Expr)) {
    variable.parts.iter().filter_map(|part| part.index.as_deref()).for_each(|index| visit_expr(index, f));
}

fn visit_argument<'p>(argument: &'p ReceiveArg, f: &mut dyn FnMut(&'p Expr)) {
    match argument {
        ReceiveArg::Variable(variable) => visit_variable(variable, f),
        ReceiveArg::Eval(expr) | ReceiveArg::Constant(expr) => visit_expr(expr, f),
    }
}

fn visit_declaration<'p>(declaration: &'p Declaration, f: &mut dyn FnMut(&'p Expr)) {
    for declarator in &declaration.declarators {
        match &declarator.initializer {
            Some(Initializer::Value(value)) => visit_expr(value, f),
            Some(Initializer::List(values)) => values.iter().for_each(|value| visit_expr(value, f)),
            Some(Initializer::Channel { .. }) | None => {}
        }
    }
}

fn visit_sequence<'p>(sequence: &'p Sequence, f: &mut dyn FnMut(&'p Expr)) {
    for step in &sequence.steps {
        match step {
            Step::Declaration(declaration) => visit_declaration(declaration, f),
            Step::Exclusive(_) => {}
            Step::Statement(stmt) => visit_statement(stmt, f),
        }
    }
}

fn visit_statement<'p>(stmt: &'p Stmt, f: &mut dyn FnMut(&'p Expr)) {
    match &stmt.kind {
        StmtKind::Expression(expr) | StmtKind::Assert(expr) | StmtKind::Printm(expr) => visit_expr(expr, f),
        StmtKind::Assign(variable, value) => {
            visit_variable(variable, f);
            visit_expr(value, f);
        }
        StmtKind::Increment(variable) | StmtKind::Decrement(variable) => visit_variable(variable, f),
        StmtKind::Send { channel, arguments, .. } => {
            visit_variable(channel, f);
            arguments.iter().for_each(|argument| visit_expr(argument, f));
        }
        StmtKind::Receive { channel, arguments, .. } => {
            visit_variable(channel, f);
            arguments.iter().for_each(|argument| visit_argument(argument, f));
        }
        StmtKind::If(options) | StmtKind::Do(options) => {
            options.iter().for_each(|option| visit_sequence(option, f));
        }
        StmtKind::ForRange { variable, low, high, body } => {
            visit_variable(variable, f);
            visit_expr(low, f);
            visit_expr(high, f);
            visit_sequence(body, f);
        }
        StmtKind::ForIn { body, .. } => visit_sequence(body, f),
        StmtKind::Select { variable, low, high } => {
            visit_variable(variable, f);
            visit_expr(low, f);
            visit_expr(high, f);
        }
        StmtKind::Atomic(body) | StmtKind::DStep(body) | StmtKind::Block { body, .. } => {
            visit_sequence(body, f)
        }
        StmtKind::Unless { main, escape } => {
            visit_statement(main, f);
            visit_statement(escape, f);
        }
        StmtKind::Printf { arguments, .. } => arguments.iter().for_each(|argument| visit_expr(argument, f)),
        StmtKind::SetPriority(process, priority) => {
            visit_expr(process, f);
            visit_expr(priority, f);
        }
        StmtKind::Goto(_) | StmtKind::Break | StmtKind::Else => {}
    }
}
