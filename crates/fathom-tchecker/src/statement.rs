//! Statements: what stands after `do:`.

use fathom_source::{Diagnostic, Span};
use fathom_timed::{Expr, Place, Statement};

use crate::expression::{Reader, Written, WrittenKind};
use crate::lexer::{TokenKind, lex};
use crate::linear::linear;
use crate::scope::{Cells, Meaning, Scope, check_index, undeclared};
use crate::syntax::Text;

/// Most local values of one sequence of statements.
const MOST_LOCALS: usize = 100_000;

/// Reads a sequence of statements. Gives it with the number of locals that it needs.
pub(crate) fn statements(
    scope: &mut Scope,
    text: &Text,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(Vec<Statement>, usize)> {
    let tokens = lex(text, diagnostics);
    let mut reader =
        StatementReader { reader: Reader::new(&tokens, diagnostics), scope, n_locals: 0, most_locals: 0 };
    let read = reader.sequence();
    let most_locals = reader.most_locals;
    let done = reader.reader.finish();
    scope.locals.clear();
    done?;
    Some((read?, most_locals))
}

struct StatementReader<'t, 'd, 's> {
    reader: Reader<'t, 'd>,
    scope: &'s mut Scope,
    /// Locals in use.
    n_locals: usize,
    most_locals: usize,
}

impl StatementReader<'_, '_, '_> {
    /// Statements up to a word that ends them. Locals declared here end with it.
    fn sequence(&mut self) -> Option<Vec<Statement>> {
        self.reader.enter()?;
        let (n_names, n_locals) = (self.scope.locals.len(), self.n_locals);
        let mut read = Vec::new();
        loop {
            if !self.at_end() && !self.reader.is_sign(";") {
                read.extend(self.statement()?);
            }
            if !self.reader.take_sign(";") {
                break;
            }
        }
        self.scope.locals.truncate(n_names);
        self.n_locals = n_locals;
        self.reader.depth -= 1;
        Some(read)
    }

    fn at_end(&self) -> bool {
        self.reader.token().kind == TokenKind::End
            || ["end", "else"].into_iter().any(|word| self.reader.is_word(word))
    }

    fn statement(&mut self) -> Option<Vec<Statement>> {
        if self.reader.take_word("nop") {
            return Some(Vec::new());
        }
        if self.reader.take_word("local") {
            return self.local();
        }
        if self.reader.take_word("if") {
            return self.branch();
        }
        if self.reader.take_word("while") {
            let condition = self.integer()?;
            self.word("do")?;
            let body = self.sequence()?;
            self.word("end")?;
            return Some(vec![Statement::While { condition, body }]);
        }
        self.assignment()
    }

    fn word(&mut self, word: &str) -> Option<()> {
        if self.reader.take_word(word) { Some(()) } else { self.reader.expected(&format!("'{word}'")) }
    }

    fn integer(&mut self) -> Option<Expr> {
        let written = self.reader.expression()?;
        self.scope.integer(&written, self.reader.diagnostics)
    }

    fn branch(&mut self) -> Option<Vec<Statement>> {
        let condition = self.integer()?;
        self.word("then")?;
        let then = self.sequence()?;
        let otherwise = if self.reader.take_word("else") { self.sequence()? } else { Vec::new() };
        self.word("end")?;
        Some(vec![Statement::If { condition, then, otherwise }])
    }

    /// `local x`, `local x = e` or `local x[n]`; the word is taken already.
    fn local(&mut self) -> Option<Vec<Statement>> {
        let token = self.reader.token();
        let TokenKind::Name(name) = &token.kind else { return self.reader.expected("a name") };
        self.reader.advance();
        let mut length = 1;
        if self.reader.take_sign("[") {
            let size = self.integer()?;
            if !self.reader.take_sign("]") {
                return self.reader.expected("']'");
            }
            match size.constant() {
                Some(size) if size >= 1 && size as usize <= MOST_LOCALS => length = size as u32,
                _ => {
                    return self.complain(
                        "tchecker::type",
                        "the size of a local array is a constant, 1 or more",
                        token.span,
                    );
                }
            }
        }
        let value = if self.reader.take_sign("=") { Some(self.integer()?) } else { None };
        let cells = Cells { first: self.n_locals, length };
        self.n_locals += length as usize;
        if self.n_locals > MOST_LOCALS {
            return self.complain("tchecker::too-large", "too many local values", token.span);
        }
        self.most_locals = self.most_locals.max(self.n_locals);
        self.scope.locals.push((name.clone(), cells));
        // A place that another block has used before starts at 0 again.
        let place = |index: Option<Expr>| Place::Local { first: cells.first, length, index };
        let zero = |cell: u32| Statement::Assign {
            place: place((length > 1).then_some(Expr::Constant(i64::from(cell)))),
            value: Expr::Constant(0),
        };
        Some(match value {
            Some(value) => vec![Statement::Assign { place: place(None), value }],
            None => (0..length).map(zero).collect(),
        })
    }

    fn assignment(&mut self) -> Option<Vec<Statement>> {
        let TokenKind::Name(_) = &self.reader.token().kind else {
            return self.reader.expected("a statement");
        };
        let target = self.reader.expression()?;
        if !self.reader.take_sign("=") {
            return self.reader.expected("'='");
        }
        let value = self.reader.expression()?;
        self.assign(&target, &value)
    }

    fn assign(&mut self, target: &Written, value: &Written) -> Option<Vec<Statement>> {
        let (name, index) = match &target.kind {
            WrittenKind::Name(name) => (name, None),
            WrittenKind::Element(name, index) => {
                (name, Some(self.scope.integer(index, self.reader.diagnostics)?))
            }
            _ => return self.complain("tchecker::type", "this cannot be assigned to", target.span),
        };
        let place = match (self.scope.local(name), self.scope.names.get(name)) {
            (Some(cells), _) => {
                let index = check_index(name, cells, index, target.span, self.reader.diagnostics)?;
                Place::Local { first: cells.first, length: cells.length, index }
            }
            (None, Some(&(Meaning::Integer(cells), _))) => {
                let index = check_index(name, cells, index, target.span, self.reader.diagnostics)?;
                Place::Variable { first: cells.first, length: cells.length, index }
            }
            (None, Some((Meaning::Clock(_), _))) => return self.set_clock(target, value),
            (None, None) => return undeclared(name, target.span, self.reader.diagnostics),
        };
        let value = self.scope.integer(value, self.reader.diagnostics)?;
        Some(vec![Statement::Assign { place, value }])
    }

    fn set_clock(&mut self, target: &Written, value: &Written) -> Option<Vec<Statement>> {
        let clock = self.scope.clock(target, self.reader.diagnostics)?;
        let sum = linear(self.scope, value, self.reader.diagnostics)?;
        if !sum.minus.is_empty() || sum.plus.len() > 1 {
            let message = "a clock can be set to a number, or to another clock and a number";
            return self.complain("tchecker::clock-expression", message, value.span);
        }
        if sum.integer.constant().is_some_and(|constant| constant < 0) {
            return self.complain("tchecker::clock-expression", "a clock cannot be set below 0", value.span);
        }
        let from = sum.plus.into_iter().next();
        Some(vec![Statement::SetClock { clock, from, value: sum.integer }])
    }

    fn complain<T>(&mut self, code: &'static str, message: &str, span: Span) -> Option<T> {
        self.reader.diagnostics.push(Diagnostic::error(code, message).at(span, ""));
        None
    }
}
