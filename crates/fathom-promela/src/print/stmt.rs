//! Statements as text.
//!
//! The same code writes one line for a trace and the lines of a program: a [`Writer`] decides what stands
//! between steps.

use super::expr::{
    write_expression, write_list, write_parenthesized, write_receive_arguments, write_variable,
};
use super::program::write_declaration;
use crate::syntax::*;

/// A statement on one line, without labels: `flag[_pid] = 1`, `c!msg,3`, `(turn==1)`.
///
/// A compound statement shows its whole text; a trace usually names a step of it.
pub fn statement_line(statement: &Stmt) -> String {
    let mut writer = Writer { text: String::new(), indentation: None };
    writer.kind(&statement.kind);
    writer.text
}

/// Collects text, in lines or in one line.
pub(super) struct Writer {
    pub(super) text: String,
    /// How deep lines are indented; none for all in one line.
    pub(super) indentation: Option<usize>,
}

impl Writer {
    /// Starts a line, or leaves a space.
    fn line(&mut self) {
        match self.indentation {
            Some(depth) => {
                self.text.push('\n');
                self.text.extend(std::iter::repeat_n("    ", depth));
            }
            None => self.text.push(' '),
        }
    }

    fn indent(&mut self) {
        self.indentation = self.indentation.map(|depth| depth + 1);
    }

    fn dedent(&mut self) {
        self.indentation = self.indentation.map(|depth| depth - 1);
    }

    /// `{ … }`
    pub(super) fn block(&mut self, body: &Sequence) {
        self.text.push('{');
        self.indent();
        self.line();
        self.sequence(body);
        self.dedent();
        self.line();
        self.text.push('}');
    }

    fn sequence(&mut self, sequence: &Sequence) {
        for (number, step) in sequence.steps.iter().enumerate() {
            if number > 0 {
                self.text.push(';');
                self.line();
            }
            match step {
                Step::Declaration(declaration) => write_declaration(&mut self.text, declaration),
                Step::Exclusive(exclusive) => self.exclusive(exclusive),
                Step::Statement(statement) => self.statement(statement),
            }
        }
    }

    fn exclusive(&mut self, exclusive: &Exclusive) {
        self.text.push_str(if exclusive.send { "xs " } else { "xr " });
        for (number, channel) in exclusive.channels.iter().enumerate() {
            if number > 0 {
                self.text.push_str(", ");
            }
            write_variable(&mut self.text, channel);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        for label in &statement.labels {
            self.text.push_str(&label.name);
            self.text.push_str(": ");
        }
        self.kind(&statement.kind);
    }

    fn kind(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::If(options) => self.options("if", options, "fi"),
            StmtKind::Do(options) => self.options("do", options, "od"),
            StmtKind::ForRange { variable, low, high, body } => {
                self.range("for (", variable, low, high);
                self.text.push(' ');
                self.block(body);
            }
            StmtKind::ForIn { variable, container, body } => {
                self.text.push_str("for (");
                write_variable(&mut self.text, variable);
                self.text.push_str(" in ");
                write_variable(&mut self.text, container);
                self.text.push_str(") ");
                self.block(body);
            }
            StmtKind::Select { variable, low, high } => self.range("select (", variable, low, high),
            StmtKind::Atomic(body) => {
                self.text.push_str("atomic ");
                self.block(body);
            }
            StmtKind::DStep(body) => {
                self.text.push_str("d_step ");
                self.block(body);
            }
            StmtKind::Block { body, inline } => {
                if let Some(name) = inline {
                    self.text.push_str(&format!("/* {} */ ", name.name));
                }
                self.block(body);
            }
            StmtKind::Unless { main, escape } => {
                self.statement(main);
                self.text.push_str(" unless ");
                self.statement(escape);
            }
            simple => write_simple(&mut self.text, simple),
        }
    }

    fn options(&mut self, open: &str, options: &[Sequence], close: &str) {
        self.text.push_str(open);
        for option in options {
            self.line();
            self.text.push_str(":: ");
            self.indent();
            self.sequence(option);
            self.dedent();
        }
        self.line();
        self.text.push_str(close);
    }

    fn range(&mut self, head: &str, variable: &VarRef, low: &Expr, high: &Expr) {
        self.text.push_str(head);
        write_variable(&mut self.text, variable);
        self.text.push_str(" : ");
        write_expression(&mut self.text, low, 0);
        self.text.push_str(" .. ");
        write_expression(&mut self.text, high, 0);
        self.text.push(')');
    }
}

/// Statements without statements in them.
fn write_simple(out: &mut String, kind: &StmtKind) {
    match kind {
        StmtKind::Expression(expression) => write_parenthesized(out, expression),
        StmtKind::Assign(variable, value) => {
            write_variable(out, variable);
            out.push_str(" = ");
            write_expression(out, value, 0);
        }
        StmtKind::Increment(variable) => {
            write_variable(out, variable);
            out.push_str("++");
        }
        StmtKind::Decrement(variable) => {
            write_variable(out, variable);
            out.push_str("--");
        }
        StmtKind::Send { channel, arguments, sorted } => {
            write_variable(out, channel);
            out.push_str(if *sorted { "!!" } else { "!" });
            let start = out.len();
            write_list(out, arguments);
            // `c!!x` is another statement than sending `!x`.
            if out[start..].starts_with('!') {
                out.insert(start, ' ');
            }
        }
        StmtKind::Receive { channel, arguments, random, copy } => {
            write_variable(out, channel);
            out.push_str(if *random { "??" } else { "?" });
            out.push_str(if *copy { "<" } else { "" });
            write_receive_arguments(out, arguments);
            out.push_str(if *copy { ">" } else { "" });
        }
        StmtKind::Goto(label) => {
            out.push_str("goto ");
            out.push_str(&label.name);
        }
        StmtKind::Break => out.push_str("break"),
        StmtKind::Else => out.push_str("else"),
        StmtKind::Assert(condition) => {
            out.push_str("assert(");
            write_expression(out, condition, 0);
            out.push(')');
        }
        StmtKind::Printf { format, arguments } => {
            out.push_str("printf(");
            write_string(out, format);
            for argument in arguments {
                out.push(',');
                write_expression(out, argument, 0);
            }
            out.push(')');
        }
        StmtKind::Printm(value) => {
            out.push_str("printm(");
            write_expression(out, value, 0);
            out.push(')');
        }
        StmtKind::SetPriority(process, priority) => {
            out.push_str("set_priority(");
            write_expression(out, process, 0);
            out.push(',');
            write_expression(out, priority, 0);
            out.push(')');
        }
        _ => {}
    }
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{c}' => out.push_str("\\f"),
            '"' | '\\' => {
                out.push('\\');
                out.push(character);
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}
