//! Expressions as text.

use crate::parse::precedence;
use crate::syntax::*;

/// Tighter than every operator with two operands.
const UNARY: u8 = 20;

/// An expression with as few parentheses as mean the same.
pub fn expression(expression: &Expr) -> String {
    let mut text = String::new();
    write_expression(&mut text, expression, 0);
    text
}

/// Writes an expression where operators must bind at least as tightly as `least`.
pub(super) fn write_expression(out: &mut String, expression: &Expr, least: u8) {
    match &expression.kind {
        ExprKind::Binary(operator, left, right) => {
            let level = precedence(*operator);
            let parenthesized = level < least;
            if parenthesized {
                out.push('(');
            }
            write_expression(out, left, level);
            out.push_str(binary_sign(*operator));
            write_right(out, *operator, right, level + 1);
            if parenthesized {
                out.push(')');
            }
        }
        ExprKind::Unary(operator, operand) => {
            out.push_str(unary_sign(*operator));
            let joins = matches!(
                (operator, &operand.kind),
                (UnaryOp::Negate, ExprKind::Unary(UnaryOp::Negate, _))
                    | (UnaryOp::Not, ExprKind::Unary(UnaryOp::Not, _))
            );
            if joins { write_parenthesized(out, operand) } else { write_expression(out, operand, UNARY) }
        }
        kind => write_primary(out, kind),
    }
}

/// The right operand: `a-(-b)` must not become `a--b`.
fn write_right(out: &mut String, operator: BinaryOp, right: &Expr, least: u8) {
    let start = out.len();
    write_expression(out, right, least);
    if operator == BinaryOp::Subtract && out[start..].starts_with('-') {
        out.insert(start, '(');
        out.push(')');
    }
}

pub(super) fn write_parenthesized(out: &mut String, expression: &Expr) {
    // A conditional brings its own.
    let bare = matches!(expression.kind, ExprKind::Conditional(..));
    if !bare {
        out.push('(');
    }
    write_expression(out, expression, 0);
    if !bare {
        out.push(')');
    }
}

fn write_primary(out: &mut String, kind: &ExprKind) {
    match kind {
        // A number that was wrapped when it was read is printed so that it wraps again.
        ExprKind::Number(value) if *value < 0 => out.push_str(&(*value as u32).to_string()),
        ExprKind::Number(value) => out.push_str(&value.to_string()),
        ExprKind::Variable(variable) => write_variable(out, variable),
        ExprKind::Conditional(condition, yes, no) => {
            out.push('(');
            // One level more than an implication, which looks the same in a formula.
            write_expression(out, condition, 2);
            out.push_str(" -> ");
            write_expression(out, yes, 2);
            out.push_str(" : ");
            write_expression(out, no, 0);
            out.push(')');
        }
        ExprKind::Run { process, arguments, priority } => {
            out.push_str("run ");
            out.push_str(&process.name);
            out.push('(');
            write_list(out, arguments);
            out.push(')');
            if let Some(priority) = priority {
                out.push_str(" priority ");
                write_expression(out, priority, UNARY);
            }
        }
        ExprKind::Channel(function, channel) => {
            out.push_str(match function {
                ChannelFunction::Len => "len(",
                ChannelFunction::Empty => "empty(",
                ChannelFunction::Nempty => "nempty(",
                ChannelFunction::Full => "full(",
                ChannelFunction::Nfull => "nfull(",
            });
            write_variable(out, channel);
            out.push(')');
        }
        ExprKind::Poll { channel, arguments, random } => {
            write_variable(out, channel);
            out.push_str(if *random { "??[" } else { "?[" });
            write_receive_arguments(out, arguments);
            out.push(']');
        }
        ExprKind::Process(function, process) => {
            out.push_str(match function {
                ProcessFunction::Enabled => "enabled(",
                ProcessFunction::PcValue => "pc_value(",
                ProcessFunction::GetPriority => "get_priority(",
            });
            write_expression(out, process, 0);
            out.push(')');
        }
        ExprKind::Timeout => out.push_str("timeout"),
        ExprKind::NonProgress => out.push_str("np_"),
        ExprKind::RemoteLabel { process, index, label } => {
            write_process(out, process, index.as_deref());
            out.push('@');
            out.push_str(&label.name);
        }
        ExprKind::RemoteVariable { process, index, variable } => {
            write_process(out, process, index.as_deref());
            out.push(':');
            write_variable(out, variable);
        }
        ExprKind::Unary(..) | ExprKind::Binary(..) => {}
    }
}

fn write_process(out: &mut String, process: &Ident, index: Option<&Expr>) {
    out.push_str(&process.name);
    if let Some(index) = index {
        out.push('[');
        write_expression(out, index, 0);
        out.push(']');
    }
}

pub(super) fn write_variable(out: &mut String, variable: &VarRef) {
    for (number, part) in variable.parts.iter().enumerate() {
        if number > 0 {
            out.push('.');
        }
        out.push_str(&part.name.name);
        if let Some(index) = &part.index {
            out.push('[');
            write_expression(out, index, 0);
            out.push(']');
        }
    }
}

/// Expressions with commas.
pub(super) fn write_list(out: &mut String, expressions: &[Expr]) {
    for (number, expression) in expressions.iter().enumerate() {
        if number > 0 {
            out.push(',');
        }
        write_expression(out, expression, 0);
    }
}

pub(super) fn write_receive_arguments(out: &mut String, arguments: &[ReceiveArg]) {
    for (number, argument) in arguments.iter().enumerate() {
        if number > 0 {
            out.push(',');
        }
        match argument {
            ReceiveArg::Variable(variable) => write_variable(out, variable),
            ReceiveArg::Eval(value) => {
                out.push_str("eval(");
                write_expression(out, value, 0);
                out.push(')');
            }
            ReceiveArg::Constant(value) => write_expression(out, value, 0),
        }
    }
}

fn unary_sign(operator: UnaryOp) -> &'static str {
    match operator {
        UnaryOp::Negate => "-",
        UnaryOp::Complement => "~",
        UnaryOp::Not => "!",
        UnaryOp::Always => "[] ",
        UnaryOp::Eventually => "<> ",
        UnaryOp::Next => "X ",
    }
}

fn binary_sign(operator: BinaryOp) -> &'static str {
    match operator {
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Remainder => "%",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRight => ">>",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::And => " && ",
        BinaryOp::Or => " || ",
        BinaryOp::Implies => " -> ",
        BinaryOp::Equivalent => " <-> ",
        BinaryOp::Until => " U ",
        BinaryOp::WeakUntil => " W ",
        BinaryOp::Release => " V ",
    }
}
