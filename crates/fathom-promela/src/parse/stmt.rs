//! Sequences and statements.

use super::cursor::BLOCK_COST;
use super::{Parsed, Parser};
use crate::syntax::*;
use crate::token::{Punct, Symbol, TokenKind, word};
use fathom_source::Diagnostic;

impl Parser<'_> {
    /// `{ … }`
    pub(crate) fn block(&mut self) -> Parsed<Sequence> {
        self.expect(Punct::LeftBrace)?;
        let body = self.sequence()?;
        self.expect(Punct::RightBrace)?;
        Ok(body)
    }

    /// Steps up to the end of a block or an option.
    fn sequence(&mut self) -> Parsed<Sequence> {
        self.deeper(BLOCK_COST, Self::sequence_steps)
    }

    fn sequence_steps(&mut self) -> Parsed<Sequence> {
        let mut sequence = Sequence::default();
        while self.eat(Punct::Semicolon) {}
        if self.at_sequence_end() {
            return self.expected("a statement");
        }
        loop {
            let start = self.mark();
            let (parentheses, depth) = (self.parentheses, self.depth);
            let result = self.step().and_then(|step| {
                sequence.steps.push(step);
                if self.at_sequence_end() || self.at_separator() { Ok(()) } else { self.expected("`;`") }
            });
            if result.is_err() {
                (self.parentheses, self.depth) = (parentheses, depth);
                if self.mark() == start {
                    self.next();
                }
                self.recover_in_sequence();
                if self.at_unit_start() {
                    return Err(super::Failed);
                }
            }
            while self.eat(Punct::Semicolon) || self.eat(Punct::Arrow) {}
            if self.at_sequence_end() {
                return Ok(sequence);
            }
        }
    }

    fn at_sequence_end(&self) -> bool {
        matches!(
            self.peek().kind,
            TokenKind::End
                | TokenKind::Punct(Punct::RightBrace | Punct::Options)
                | TokenKind::Name(word::FI | word::OD)
        )
    }

    /// Whether a new statement may start here: a separator is next, or may be left out.
    fn at_separator(&self) -> bool {
        self.at(Punct::Semicolon)
            || self.at(Punct::Arrow)
            || self.previous == TokenKind::Punct(Punct::RightBrace)
            || self.previous == TokenKind::Name(word::ELSE)
            || self.at_line_start()
    }

    fn step(&mut self) -> Parsed<Step> {
        let start = self.mark();
        let labels = self.labels()?;
        if self.at_declaration() || matches!(self.peek().name(), Some(word::XR | word::XS)) {
            if let Some(label) = labels.first() {
                let message = format!("label `{}` in front of a declaration", label.name);
                self.report(Diagnostic::error("promela::misplaced-label", message).at(label.span, ""));
            }
            if self.at_declaration() {
                return Ok(Step::Declaration(self.declaration()?));
            }
            return Ok(Step::Exclusive(self.exclusive()?));
        }
        let main = self.statement(labels)?;
        if !self.eat_word(word::UNLESS) {
            return Ok(Step::Statement(main));
        }
        let labels = self.labels()?;
        let escape = self.statement(labels)?;
        let kind = StmtKind::Unless { main: Box::new(main), escape: Box::new(escape) };
        Ok(Step::Statement(Stmt { labels: Vec::new(), kind, span: self.span_from(start) }))
    }

    fn exclusive(&mut self) -> Parsed<Exclusive> {
        let start = self.mark();
        let send = self.next().name() == Some(word::XS);
        let mut channels = vec![self.variable_reference()?];
        while self.eat(Punct::Comma) {
            channels.push(self.variable_reference()?);
        }
        Ok(Exclusive { send, channels, span: self.span_from(start) })
    }

    /// `name:` as often as it is next.
    fn labels(&mut self) -> Parsed<Vec<Ident>> {
        let mut labels = Vec::new();
        while let Some(symbol) = self.plain_name(0)
            && self.peek_at(1).is(Punct::Colon)
            && !self.names_process(symbol)
        {
            labels.push(self.expect_name("a label")?.1);
            self.next();
        }
        Ok(labels)
    }

    /// Whether `name:` at the start of a statement refers to a variable of a process. In a process only names
    /// declared so far do, as in Spin; a claim may stand before the processes that it is about.
    fn names_process(&self, symbol: Symbol) -> bool {
        self.declared_processes.contains(&symbol) || self.in_monitor && self.processes.contains(&symbol)
    }

    fn statement(&mut self, labels: Vec<Ident>) -> Parsed<Stmt> {
        let start = self.mark();
        // A label at the end of a sequence, or in front of a separator, marks a `skip`.
        let is_bare = self.at_sequence_end() || self.at(Punct::Semicolon) || self.at(Punct::Arrow);
        if let Some(label) = labels.last()
            && is_bare
        {
            let span = label.span;
            let kind = StmtKind::Expression(Expr { kind: ExprKind::Number(1), span });
            return Ok(Stmt { labels, kind, span });
        }
        let kind = self.statement_kind()?;
        Ok(Stmt { labels, kind, span: self.span_from(start) })
    }

    fn statement_kind(&mut self) -> Parsed<StmtKind> {
        let token = self.peek();
        let TokenKind::Name(symbol) = token.kind else {
            if self.at(Punct::LeftBrace) {
                return Ok(StmtKind::Block { body: self.block()?, inline: None });
            }
            if self.at(Punct::Arrow) {
                return self.expected("a statement");
            }
            return Ok(StmtKind::Expression(self.expression()?));
        };
        if !symbol.is_reserved() {
            return self.named_statement(symbol);
        }
        match symbol {
            word::IF => Ok(StmtKind::If(self.options(word::FI)?)),
            word::DO => Ok(StmtKind::Do(self.options(word::OD)?)),
            word::ATOMIC => {
                self.next();
                Ok(StmtKind::Atomic(self.block()?))
            }
            word::D_STEP => {
                self.next();
                Ok(StmtKind::DStep(self.block()?))
            }
            word::FOR => self.for_statement(),
            word::SELECT => self.select(),
            word::GOTO => {
                self.next();
                Ok(StmtKind::Goto(self.expect_name("a label")?.1))
            }
            word::BREAK => {
                self.next();
                Ok(StmtKind::Break)
            }
            word::ELSE => {
                self.next();
                Ok(StmtKind::Else)
            }
            word::ASSERT => {
                self.next();
                Ok(StmtKind::Assert(self.expression()?))
            }
            word::PRINTF => self.printf(),
            word::PRINTM => {
                self.next();
                self.open(Punct::LeftParen)?;
                let value = self.expression()?;
                self.close(Punct::RightParen)?;
                Ok(StmtKind::Printm(value))
            }
            word::SET_PRIORITY => {
                self.next();
                self.open(Punct::LeftParen)?;
                let process = self.expression()?;
                self.expect(Punct::Comma)?;
                let priority = self.expression()?;
                self.close(Punct::RightParen)?;
                Ok(StmtKind::SetPriority(process, priority))
            }
            word::RETURN => self.return_statement(),
            word::C_CODE | word::C_DECL | word::C_STATE | word::C_TRACK => {
                let span = self.embedded_c();
                Ok(StmtKind::Expression(Expr { kind: ExprKind::Number(1), span }))
            }
            _ => Ok(StmtKind::Expression(self.expression()?)),
        }
    }

    /// A statement that starts with a name: a call of an inline, or something done to a variable.
    fn named_statement(&mut self, symbol: Symbol) -> Parsed<StmtKind> {
        if self.inlines.contains_key(&symbol) && self.peek_at(1).is(Punct::LeftParen) {
            return self.inline_call(None);
        }
        let start = self.mark();
        let variable = self.variable_reference()?;
        let token = self.peek();
        let TokenKind::Punct(punct) = token.kind else {
            return Ok(StmtKind::Expression(self.expression_from(variable, start)?));
        };
        match punct {
            Punct::Assign => {
                self.next();
                let called = self.plain_name(0).filter(|name| self.inlines.contains_key(name));
                if called.is_some() && self.peek_at(1).is(Punct::LeftParen) {
                    return self.inline_call(Some(variable));
                }
                Ok(StmtKind::Assign(variable, self.expression()?))
            }
            Punct::Increment => {
                self.next();
                Ok(StmtKind::Increment(variable))
            }
            Punct::Decrement => {
                self.next();
                Ok(StmtKind::Decrement(variable))
            }
            Punct::Bang | Punct::SortedSend if !self.line_separates() => self.send(variable),
            Punct::Question | Punct::RandomReceive if !self.peek_at(1).is(Punct::LeftBracket) => {
                self.receive(variable)
            }
            _ => Ok(StmtKind::Expression(self.expression_from(variable, start)?)),
        }
    }

    fn options(&mut self, end: Symbol) -> Parsed<Vec<Sequence>> {
        self.next();
        let mut options = Vec::new();
        if !self.at(Punct::Options) {
            return self.expected("`::`");
        }
        while self.eat(Punct::Options) {
            options.push(self.sequence()?);
        }
        self.expect_word(end)?;
        Ok(options)
    }

    fn for_statement(&mut self) -> Parsed<StmtKind> {
        self.next();
        self.open(Punct::LeftParen)?;
        let variable = self.variable_reference()?;
        if self.eat_word(word::IN) {
            let container = self.variable_reference()?;
            self.close(Punct::RightParen)?;
            self.eat(Punct::Semicolon);
            return Ok(StmtKind::ForIn { variable, container, body: self.block()? });
        }
        if !self.at(Punct::Colon) {
            return self.expected("`:` or `in`");
        }
        let (low, high) = self.range()?;
        self.eat(Punct::Semicolon);
        Ok(StmtKind::ForRange { variable, low, high, body: self.block()? })
    }

    fn select(&mut self) -> Parsed<StmtKind> {
        self.next();
        self.open(Punct::LeftParen)?;
        let variable = self.variable_reference()?;
        let (low, high) = self.range()?;
        Ok(StmtKind::Select { variable, low, high })
    }

    /// `: low .. high )`
    fn range(&mut self) -> Parsed<(Expr, Expr)> {
        self.expect(Punct::Colon)?;
        let low = self.expression()?;
        self.expect(Punct::DotDot)?;
        let high = self.expression()?;
        self.close(Punct::RightParen)?;
        Ok((low, high))
    }

    fn printf(&mut self) -> Parsed<StmtKind> {
        self.next();
        self.open(Punct::LeftParen)?;
        let TokenKind::Text(format) = self.peek().kind else { return self.expected("a string") };
        let format = self.interner.text(format).to_owned();
        self.next();
        let mut arguments = Vec::new();
        while self.eat(Punct::Comma) {
            arguments.push(self.expression()?);
        }
        self.close(Punct::RightParen)?;
        Ok(StmtKind::Printf { format, arguments })
    }
}
