//! Sends, receives and polls.

use super::cursor::NEST_COST;
use super::{Parsed, Parser};
use crate::syntax::*;
use crate::token::{Punct, TokenKind, word};
use fathom_source::Diagnostic;

impl Parser<'_> {
    /// After the channel: `!a,b`, `!a(b)`, `!!a,b`.
    pub(super) fn send(&mut self, channel: VarRef) -> Parsed<StmtKind> {
        let sorted = self.next().is(Punct::SortedSend);
        let mut arguments = vec![self.expression()?];
        if self.at(Punct::LeftParen) && !self.line_separates() {
            self.open(Punct::LeftParen)?;
            arguments.push(self.expression()?);
            while self.eat(Punct::Comma) {
                arguments.push(self.expression()?);
            }
            self.close(Punct::RightParen)?;
        } else {
            while self.eat(Punct::Comma) {
                arguments.push(self.expression()?);
            }
        }
        Ok(StmtKind::Send { channel, arguments, sorted })
    }

    /// After the channel: `?a,b`, `?a(b)`, `??a,b`, `?<a,b>`, `??<a,b>`.
    pub(super) fn receive(&mut self, channel: VarRef) -> Parsed<StmtKind> {
        let random = self.next().is(Punct::RandomReceive);
        if let [part] = &channel.parts[..]
            && part.name.name == self.interner.text(word::STDIN)
        {
            self.report(
                Diagnostic::warning("promela::stdin", "a model has no input to read from `STDIN`")
                    .at(channel.span, "reading it is a run-time error"),
            );
        }
        let copy = self.eat(Punct::Less);
        let arguments = self.receive_arguments()?;
        if copy {
            self.expect(Punct::Greater)?;
        }
        Ok(StmtKind::Receive { channel, arguments, random, copy })
    }

    /// After the channel: `?[a,b]` or `??[a,b]`.
    pub(super) fn poll(&mut self, channel: VarRef) -> Parsed<ExprKind> {
        let random = self.next().is(Punct::RandomReceive);
        self.open(Punct::LeftBracket)?;
        let arguments = self.receive_arguments()?;
        self.close(Punct::RightBracket)?;
        Ok(ExprKind::Poll { channel, arguments, random })
    }

    fn receive_arguments(&mut self) -> Parsed<Vec<ReceiveArg>> {
        let mut arguments = Vec::new();
        self.receive_arguments_into(&mut arguments)?;
        Ok(arguments)
    }

    /// Fields with commas; the rest may stand in parentheses after any field, or all of them.
    fn receive_arguments_into(&mut self, arguments: &mut Vec<ReceiveArg>) -> Parsed<()> {
        if self.at(Punct::LeftParen) {
            return self.receive_arguments_in_parentheses(arguments);
        }
        loop {
            arguments.push(self.receive_argument()?);
            if self.at(Punct::LeftParen) && !self.line_separates() {
                return self.receive_arguments_in_parentheses(arguments);
            }
            if !self.eat(Punct::Comma) {
                return Ok(());
            }
            if self.at(Punct::LeftParen) {
                return self.receive_arguments_in_parentheses(arguments);
            }
        }
    }

    fn receive_arguments_in_parentheses(&mut self, arguments: &mut Vec<ReceiveArg>) -> Parsed<()> {
        self.deeper(NEST_COST, |parser| {
            parser.open(Punct::LeftParen)?;
            parser.receive_arguments_into(arguments)?;
            parser.close(Punct::RightParen)
        })
    }

    fn receive_argument(&mut self) -> Parsed<ReceiveArg> {
        let token = self.peek();
        match token.kind {
            TokenKind::Name(word::EVAL) => {
                self.next();
                self.open(Punct::LeftParen)?;
                let value = self.expression()?;
                self.close(Punct::RightParen)?;
                Ok(ReceiveArg::Eval(value))
            }
            TokenKind::Name(symbol) if !symbol.is_reserved() => {
                Ok(ReceiveArg::Variable(self.variable_reference()?))
            }
            TokenKind::Number(_)
            | TokenKind::Character(_)
            | TokenKind::Name(word::TRUE | word::FALSE | word::SKIP) => {
                Ok(ReceiveArg::Constant(self.primary()?))
            }
            TokenKind::Punct(Punct::Minus) => {
                let start = self.mark();
                self.next();
                if !matches!(self.peek().kind, TokenKind::Number(_) | TokenKind::Character(_)) {
                    return self.expected("a number");
                }
                let operand = Box::new(self.primary()?);
                let kind = ExprKind::Unary(UnaryOp::Negate, operand);
                Ok(ReceiveArg::Constant(Expr { kind, span: self.span_from(start) }))
            }
            _ => self.expected("a variable, a constant or `eval`"),
        }
    }
}
