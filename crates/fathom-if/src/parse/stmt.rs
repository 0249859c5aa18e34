//! Transitions and statements.

use super::{Parser, Read};
use crate::syntax::{
    Deadline, Expr, ExprKind, Input, Name, Statement, StatementKind, Terminator, Transition,
};
use crate::token::TokenKind;

/// Words that start a statement.
const STATEMENTS: &[&str] =
    &["skip", "informal", "task", "set", "reset", "output", "call", "fork", "kill", "if", "while", "return"];

impl Parser {
    pub(super) fn transition(&mut self) -> Read<Transition> {
        let start = self.span();
        let mut deadline = None;
        if self.take_word("deadline") {
            deadline = Some(self.deadline()?);
            self.sign(";")?;
        }
        let mut provided = None;
        if self.take_word("provided") {
            provided = Some(self.expr()?);
            self.sign(";")?;
        }
        let mut when = None;
        if self.take_word("when") {
            when = Some(self.expr()?);
            self.sign(";")?;
        }
        let mut input = None;
        if self.take_word("input") {
            let signal = self.name("the name of a signal")?;
            let arguments = if self.at_sign("(") { self.arguments()? } else { Vec::new() };
            self.sign(";")?;
            input = Some(Input { signal, arguments });
        }
        let body = self.statements()?;
        let terminator = self.terminator()?;
        let span = start.to(self.last_span());
        Ok(Transition { deadline, provided, when, input, body, terminator, span })
    }

    fn deadline(&mut self) -> Read<Deadline> {
        for (word, deadline) in
            [("eager", Deadline::Eager), ("delayable", Deadline::Delayable), ("lazy", Deadline::Lazy)]
        {
            if self.take_word(word) {
                return Ok(deadline);
            }
        }
        Err(self.expected("`eager`, `delayable` or `lazy`"))
    }

    fn terminator(&mut self) -> Read<Terminator> {
        let span = self.span();
        if self.take_word("stop") {
            self.sign(";")?;
            return Ok(Terminator::Stop(span));
        }
        if self.take_word("nextstate") {
            let target = self.name("the name of a state")?;
            self.sign(";")?;
            return Ok(Terminator::NextState(target));
        }
        Err(self.expected("a statement, `nextstate` or `stop`"))
    }

    /// Statements up to something that starts none.
    pub(super) fn statements(&mut self) -> Read<Vec<Statement>> {
        self.deeper(|parser| {
            let mut statements = Vec::new();
            while parser.at_statement() {
                statements.push(parser.statement()?);
            }
            Ok(statements)
        })
    }

    fn at_statement(&self) -> bool {
        match self.peek() {
            TokenKind::Word(word) => STATEMENTS.contains(&word.as_str()) || !crate::token::is_keyword(word),
            _ => false,
        }
    }

    fn statement(&mut self) -> Read<Statement> {
        let start = self.span();
        let kind = self.statement_kind()?;
        Ok(Statement { kind, span: start.to(self.last_span()) })
    }

    fn statement_kind(&mut self) -> Read<StatementKind> {
        if self.take_word("if") {
            return self.conditional();
        }
        if self.take_word("while") {
            let condition = self.expr()?;
            self.word("do")?;
            let body = self.statements()?;
            self.word("endwhile")?;
            self.take_sign(";");
            return Ok(StatementKind::While { condition, body });
        }
        let kind = self.action()?;
        self.sign(";")?;
        Ok(kind)
    }

    fn conditional(&mut self) -> Read<StatementKind> {
        let condition = self.expr()?;
        self.word("then")?;
        let then = self.statements()?;
        let otherwise = if self.take_word("else") { self.statements()? } else { Vec::new() };
        self.word("endif")?;
        self.take_sign(";");
        Ok(StatementKind::If { condition, then, otherwise })
    }

    fn action(&mut self) -> Read<StatementKind> {
        if self.take_word("skip") {
            return Ok(StatementKind::Skip);
        }
        if self.take_word("informal") {
            if let TokenKind::Text(text) = self.peek() {
                let text = text.clone();
                self.advance();
                return Ok(StatementKind::Informal(text));
            }
            return Err(self.expected("a text in quotes"));
        }
        if self.take_word("task") {
            return self.assignment();
        }
        if self.take_word("set") {
            let clock = self.expr()?;
            self.sign(":=")?;
            return Ok(StatementKind::Set(clock, self.expr()?));
        }
        if self.take_word("reset") {
            return Ok(StatementKind::Reset(self.expr()?));
        }
        if self.take_word("output") {
            return self.output();
        }
        if self.take_word("kill") {
            return Ok(StatementKind::Kill(self.expr()?));
        }
        if self.take_word("return") {
            let value = if self.at_sign(";") { None } else { Some(self.expr()?) };
            return Ok(StatementKind::Return(value));
        }
        if self.at_word("call") || self.at_word("fork") {
            return self.call_or_fork(None);
        }
        let result = self.expr()?;
        self.sign(":=")?;
        self.call_or_fork(Some(result))
    }

    /// `task x := e`, where `e` may be a call or a fork as well.
    fn assignment(&mut self) -> Read<StatementKind> {
        let target = self.expr()?;
        self.sign(":=")?;
        if self.at_word("call") || self.at_word("fork") {
            return self.call_or_fork(Some(target));
        }
        Ok(StatementKind::Task(target, self.expr()?))
    }

    fn call_or_fork(&mut self, result: Option<Expr>) -> Read<StatementKind> {
        if self.take_word("call") {
            let procedure = self.name("the name of a procedure")?;
            return Ok(StatementKind::Call { result, procedure, arguments: self.arguments()? });
        }
        if self.take_word("fork") {
            let process = self.name("the name of a process")?;
            return Ok(StatementKind::Fork { result, process, arguments: self.arguments()? });
        }
        Err(self.expected("`call` or `fork`; other assignments start with `task`"))
    }

    fn output(&mut self) -> Read<StatementKind> {
        let signal: Name = self.name("the name of a signal")?;
        let arguments = if self.at_sign("(") { self.arguments()? } else { Vec::new() };
        let via = if self.take_word("via") { Some(self.expr()?) } else { None };
        let to = if self.at_word("to") {
            self.advance();
            if self.at_word("env") {
                let span = self.span();
                self.advance();
                Some(Expr { kind: ExprKind::Name("env".to_owned()), span })
            } else {
                Some(self.expr()?)
            }
        } else {
            None
        };
        Ok(StatementKind::Output { signal, arguments, via, to })
    }
}
