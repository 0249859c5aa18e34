//! The top level of a program.

use super::{Mode, Parsed, Parser};
use crate::syntax::*;
use crate::token::{Punct, Symbol, TokenKind, word};
use fathom_source::{Diagnostic, Span};

impl Parser<'_> {
    pub(super) fn program(&mut self) -> Program {
        self.find_processes();
        let mut program = Program::default();
        loop {
            while self.eat(Punct::Semicolon) || self.eat(Punct::Arrow) {}
            if self.peek().kind == TokenKind::End {
                return program;
            }
            let start = self.mark();
            match self.unit() {
                Ok(Some(unit)) => program.units.push(unit),
                Ok(None) => {}
                Err(_) => {
                    self.mode = Mode::State;
                    self.in_sequence = false;
                    self.parentheses = 0;
                    if self.mark() == start {
                        self.next();
                    }
                    self.recover_in_program();
                }
            }
        }
    }

    /// Notes all proctypes ahead: a reference to a process may stand before its declaration.
    fn find_processes(&mut self) {
        for pair in self.source.tokens.windows(2) {
            if matches!(pair[0].name(), Some(word::PROCTYPE | word::D_PROCTYPE))
                && let Some(name) = pair[1].name().filter(|name| !name.is_reserved())
            {
                self.processes.insert(name);
            }
        }
    }

    fn unit(&mut self) -> Parsed<Option<Unit>> {
        let token = self.peek();
        let Some(symbol) = token.name() else { return self.expected("a declaration") };
        let unit = match symbol {
            word::ACTIVE | word::PROCTYPE | word::D_PROCTYPE => Unit::Process(self.process()?),
            word::INIT => Unit::Process(self.init()?),
            word::NEVER | word::TRACE | word::NOTRACE => Unit::Monitor(self.monitor(symbol)?),
            word::LTL => Unit::Ltl(self.ltl()?),
            word::TYPEDEF => Unit::Typedef(self.typedef()?),
            word::INLINE => {
                self.inline_definition()?;
                return Ok(None);
            }
            word::C_CODE | word::C_DECL | word::C_STATE | word::C_TRACK | word::C_EXPR => {
                self.embedded_c();
                return Ok(None);
            }
            word::MTYPE if self.at_mtype_members() => Unit::Mtype(self.mtype()?),
            _ if self.at_declaration() => Unit::Declaration(self.declaration()?),
            _ => return self.expected("a declaration"),
        };
        Ok(Some(unit))
    }

    fn process(&mut self) -> Parsed<Process> {
        let start = self.mark();
        let active = if self.eat_word(word::ACTIVE) { Some(self.instances()?) } else { None };
        let deterministic = match self.peek().name() {
            Some(word::PROCTYPE) => false,
            Some(word::D_PROCTYPE) => true,
            _ => return self.expected("`proctype`"),
        };
        self.next();
        let (symbol, name) = self.expect_name("the name of the proctype")?;
        self.declared_processes.insert(symbol);
        let parameters = self.parameters()?;
        let priority = self.priority()?;
        let provided = if self.eat_word(word::PROVIDED) {
            self.open(Punct::LeftParen)?;
            let condition = self.expression()?;
            self.close(Punct::RightParen)?;
            Some(condition)
        } else {
            None
        };
        let body = self.body()?;
        let span = self.span_from(start);
        Ok(Process { name, active, parameters, priority, provided, deterministic, body, span })
    }

    /// After `active`: the number of processes.
    fn instances(&mut self) -> Parsed<Expr> {
        let span = self.span_from(self.mark().saturating_sub(1));
        if !self.at(Punct::LeftBracket) {
            return Ok(Expr { kind: ExprKind::Number(1), span });
        }
        self.open(Punct::LeftBracket)?;
        let count = self.expression()?;
        self.close(Punct::RightBracket)?;
        Ok(count)
    }

    fn init(&mut self) -> Parsed<Process> {
        let start = self.mark();
        let span = self.next().span;
        let priority = self.priority()?;
        let body = self.body()?;
        Ok(Process {
            name: Ident { name: ":init:".to_owned(), span },
            active: Some(Expr { kind: ExprKind::Number(1), span }),
            parameters: Vec::new(),
            priority,
            provided: None,
            deterministic: false,
            body,
            span: self.span_from(start),
        })
    }

    /// `priority n`, if it is next.
    pub(super) fn priority(&mut self) -> Parsed<Option<Expr>> {
        if !self.eat_word(word::PRIORITY) {
            return Ok(None);
        }
        let token = self.peek();
        match token.kind {
            TokenKind::Number(value) => {
                self.next();
                Ok(Some(Expr { kind: ExprKind::Number(i64::from(value)), span: token.span }))
            }
            _ => self.expected("a number"),
        }
    }

    fn monitor(&mut self, symbol: Symbol) -> Parsed<Monitor> {
        let start = self.mark();
        self.next();
        let kind = match symbol {
            word::NEVER => MonitorKind::Never,
            word::TRACE => MonitorKind::Trace,
            _ => MonitorKind::NoTrace,
        };
        let name = match kind {
            MonitorKind::Never if self.plain_name(0).is_some() => Some(self.expect_name("a name")?.1),
            _ => None,
        };
        self.in_monitor = true;
        let body = self.body();
        self.in_monitor = false;
        let body = body?;
        Ok(Monitor { kind, name, body, span: self.span_from(start) })
    }

    fn ltl(&mut self) -> Parsed<Ltl> {
        let start = self.mark();
        self.next();
        let name = match self.plain_name(0) {
            Some(_) => Some(self.expect_name("a name")?.1),
            None => None,
        };
        self.expect(Punct::LeftBrace)?;
        self.mode = Mode::Temporal;
        let formula = self.expression()?;
        self.mode = Mode::State;
        while self.eat(Punct::Semicolon) {}
        self.expect(Punct::RightBrace)?;
        Ok(Ltl { name, formula, span: self.span_from(start) })
    }

    /// `{ … }` of a process or a monitor.
    fn body(&mut self) -> Parsed<Sequence> {
        self.in_sequence = true;
        let body = self.block();
        self.in_sequence = false;
        body
    }

    /// The only thing in a file.
    pub(super) fn lone_expression(&mut self) -> Parsed<Expr> {
        let expression = self.expression()?;
        while self.eat(Punct::Semicolon) {}
        if self.peek().kind != TokenKind::End {
            self.expected("an operator or the end")?;
        }
        Ok(expression)
    }

    /// Says that embedded C is not supported, and skips it.
    pub(super) fn embedded_c(&mut self) -> Span {
        let start = self.mark();
        let token = self.next();
        if matches!(token.name(), Some(word::C_STATE | word::C_TRACK)) {
            while matches!(self.peek().kind, TokenKind::Text(_)) {
                self.next();
            }
        } else {
            if self.at(Punct::LeftBracket) {
                self.skip_balanced(Punct::LeftBracket, Punct::RightBracket);
            }
            self.skip_balanced(Punct::LeftBrace, Punct::RightBrace);
        }
        let word = token.describe(self.interner);
        self.report(
            Diagnostic::error("promela::embedded-c", format!("embedded C ({word}) is not supported"))
                .at(token.span, ""),
        );
        self.span_from(start)
    }

    fn skip_balanced(&mut self, open: Punct, close: Punct) {
        let mut nesting = 0_usize;
        while self.peek().kind != TokenKind::End {
            if nesting == 0 && !self.at(open) {
                return;
            }
            let token = self.next();
            nesting += usize::from(token.is(open));
            nesting -= usize::from(token.is(close));
            if nesting == 0 {
                return;
            }
        }
    }
}
