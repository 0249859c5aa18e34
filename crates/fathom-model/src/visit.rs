//! Visiting expressions and places: for whoever wants to know what a model reads and writes.

use crate::{Action, Base, Edge, Expr, Guard, Pattern, Place, PrintPart, Sync, Template};

/// Calls `f` on an expression and on all its parts, those in places and patterns included.
pub fn visit(expr: &Expr, f: &mut dyn FnMut(&Expr)) {
    f(expr);
    match expr {
        Expr::Load(place) => visit_place(place, f),
        Expr::Unary(_, operand)
        | Expr::Channel(_, operand)
        | Expr::Enabled(operand)
        | Expr::LocationOf(operand)
        | Expr::Priority(operand) => visit(operand, f),
        Expr::Binary(_, left, right) => {
            visit(left, f);
            visit(right, f);
        }
        Expr::Conditional(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().for_each(|part| visit(part, f));
        }
        Expr::Poll { channel, patterns, .. } => {
            visit(channel, f);
            patterns.iter().for_each(|pattern| visit_pattern(pattern, f));
        }
        Expr::AtLocation { process, .. } => process.iter().for_each(|process| visit(process, f)),
        Expr::Const(_)
        | Expr::OwnProcess
        | Expr::ProcessCount
        | Expr::LastProcess
        | Expr::Created
        | Expr::Timeout
        | Expr::NonProgress
        | Expr::SomeAccepting => {}
    }
}

/// Calls `f` on every expression in a place.
pub fn visit_place(place: &Place, f: &mut dyn FnMut(&Expr)) {
    if let Base::Other { process: Some(process), .. } = &place.base {
        visit(process, f);
    }
    place.indices.iter().for_each(|index| visit(&index.value, f));
}

fn visit_pattern(pattern: &Pattern, f: &mut dyn FnMut(&Expr)) {
    match pattern {
        Pattern::Match(value) => visit(value, f),
        Pattern::Bind(place) => visit_place(place, f),
    }
}

/// Calls `f` on every expression of an edge.
pub fn visit_edge(edge: &Edge, f: &mut dyn FnMut(&Expr)) {
    if let Guard::When(condition) = &edge.guard {
        visit(condition, f);
    }
    match &edge.sync {
        Some(Sync::Send { channel, fields, .. }) => {
            visit(channel, f);
            fields.iter().for_each(|field| visit(field, f));
        }
        Some(Sync::Receive { channel, patterns, .. }) => {
            visit(channel, f);
            patterns.iter().for_each(|pattern| visit_pattern(pattern, f));
        }
        None => {}
    }
    for action in &edge.effect {
        match action {
            Action::Assign(place, value) => {
                visit_place(place, f);
                visit(value, f);
            }
            Action::Choose { place, .. } => visit_place(place, f),
            Action::Create { arguments, .. } => arguments.iter().for_each(|argument| visit(argument, f)),
            Action::Require(condition) | Action::Assert(condition) => visit(condition, f),
            Action::SetPriority { process, priority } => {
                visit(process, f);
                visit(priority, f);
            }
            Action::Print(parts) => {
                for part in parts {
                    if let PrintPart::Value(value, _) = part {
                        visit(value, f);
                    }
                }
            }
            Action::End => {}
        }
    }
}

/// Calls `f` on each place that the edges of a template store into.
pub fn for_each_written(template: &Template, f: &mut dyn FnMut(&Place)) {
    template.edges.iter().for_each(|edge| for_each_written_by(edge, f));
}

/// Calls `f` on each place that an edge stores into.
pub fn for_each_written_by(edge: &Edge, f: &mut dyn FnMut(&Place)) {
    if let Some(Sync::Receive { patterns, .. }) = &edge.sync {
        for pattern in patterns {
            if let Pattern::Bind(place) = pattern {
                f(place);
            }
        }
    }
    for action in &edge.effect {
        if let Action::Assign(place, _) | Action::Choose { place, .. } = action {
            f(place);
        }
    }
}
