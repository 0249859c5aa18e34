//! Expressions and formulas, by precedence climbing over the levels of Spin's grammar.
//!
//! The temporal operators share the grammar: between `&&` and `|` stand `U`, `W` and `V`, below `||` stand
//! `->` and `<->`, and `[]`, `<>` and `X` bind like `!`. All operators with two operands group to the left.

use super::cursor::{CHAIN_COST, NEST_COST};
use super::{Mode, Parsed, Parser};
use crate::syntax::*;
use crate::token::{Punct, Symbol, TokenKind, word};
use fathom_source::Diagnostic;

/// How tightly an operator binds; larger is tighter.
pub(crate) fn precedence(operator: BinaryOp) -> u8 {
    match operator {
        BinaryOp::Implies | BinaryOp::Equivalent => 1,
        BinaryOp::Or => 2,
        BinaryOp::And => 3,
        BinaryOp::Until | BinaryOp::WeakUntil | BinaryOp::Release => 4,
        BinaryOp::BitOr => 5,
        BinaryOp::BitXor => 6,
        BinaryOp::BitAnd => 7,
        BinaryOp::Equal | BinaryOp::NotEqual => 8,
        BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => 9,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => 10,
        BinaryOp::Add | BinaryOp::Subtract => 11,
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => 12,
    }
}

impl Parser<'_> {
    pub(crate) fn expression(&mut self) -> Parsed<Expr> {
        self.deeper(NEST_COST, |parser| {
            let start = parser.mark();
            let left = parser.unary()?;
            parser.binary(left, start, 0)
        })
    }

    /// An expression whose first part was read already as a variable.
    pub(super) fn expression_from(&mut self, variable: VarRef, start: usize) -> Parsed<Expr> {
        let left = self.after_variable(variable, start)?;
        self.binary(left, start, 0)
    }

    /// Operators that bind at least as tightly as `least`, and their right operands.
    fn binary(&mut self, mut left: Expr, start: usize, least: u8) -> Parsed<Expr> {
        let depth = self.depth;
        while let Some((operator, length)) = self.binary_operator()
            && precedence(operator) >= least
        {
            self.descend(CHAIN_COST)?;
            for _ in 0..length {
                self.next();
            }
            let right_start = self.mark();
            let right = self.unary()?;
            let right = self.binary(right, right_start, precedence(operator) + 1)?;
            let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
            left = Expr { kind, span: self.span_from(start) };
        }
        self.depth = depth;
        Ok(left)
    }

    /// The operator that is next, and of how many tokens it is made.
    fn binary_operator(&self) -> Option<(BinaryOp, usize)> {
        let temporal = self.mode == Mode::Temporal;
        let punct = match self.peek().kind {
            TokenKind::Punct(punct) => punct,
            TokenKind::Name(symbol) if temporal => {
                return temporal_word(symbol).map(|operator| (operator, 1));
            }
            _ => return None,
        };
        let operator = match punct {
            Punct::Plus => BinaryOp::Add,
            Punct::Minus if !self.line_separates() => BinaryOp::Subtract,
            Punct::Star => BinaryOp::Multiply,
            Punct::Slash => BinaryOp::Divide,
            Punct::Percent => BinaryOp::Remainder,
            Punct::ShiftLeft => BinaryOp::ShiftLeft,
            Punct::ShiftRight => BinaryOp::ShiftRight,
            Punct::Ampersand => BinaryOp::BitAnd,
            Punct::Pipe => BinaryOp::BitOr,
            Punct::Caret => BinaryOp::BitXor,
            Punct::Equal => BinaryOp::Equal,
            Punct::NotEqual => BinaryOp::NotEqual,
            Punct::Less if temporal && self.peek_at(1).is(Punct::Arrow) && !self.peek_at(1).space_before => {
                return Some((BinaryOp::Equivalent, 2));
            }
            Punct::Less => BinaryOp::Less,
            Punct::LessEqual => BinaryOp::LessEqual,
            Punct::Greater => BinaryOp::Greater,
            Punct::GreaterEqual => BinaryOp::GreaterEqual,
            Punct::And => BinaryOp::And,
            Punct::Or => BinaryOp::Or,
            Punct::Arrow if temporal => BinaryOp::Implies,
            _ => return None,
        };
        Some((operator, 1))
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.mark();
        let temporal = self.mode == Mode::Temporal;
        let (operator, length) = match self.peek().kind {
            TokenKind::Punct(Punct::Minus) => (UnaryOp::Negate, 1),
            TokenKind::Punct(Punct::Tilde) => (UnaryOp::Complement, 1),
            TokenKind::Punct(Punct::Bang) => (UnaryOp::Not, 1),
            TokenKind::Punct(Punct::SortedSend) => return self.double_negation(start),
            TokenKind::Punct(Punct::LeftBracket) if temporal && self.peek_at(1).is(Punct::RightBracket) => {
                (UnaryOp::Always, 2)
            }
            TokenKind::Punct(Punct::Less) if temporal && self.peek_at(1).is(Punct::Greater) => {
                (UnaryOp::Eventually, 2)
            }
            TokenKind::Name(word::ALWAYS) if temporal => (UnaryOp::Always, 1),
            TokenKind::Name(word::EVENTUALLY) if temporal => (UnaryOp::Eventually, 1),
            TokenKind::Name(word::X | word::NEXT) if temporal => (UnaryOp::Next, 1),
            _ => return self.primary(),
        };
        for _ in 0..length {
            self.next();
        }
        let operand = self.deeper(NEST_COST, Self::unary)?;
        Ok(Expr { kind: ExprKind::Unary(operator, Box::new(operand)), span: self.span_from(start) })
    }

    /// `!!x` is one token, for Spin a sorted send only. Formulas are full of it, so it is read as two there.
    fn double_negation(&mut self, start: usize) -> Parsed<Expr> {
        if self.mode != Mode::Temporal {
            return self.expected("an expression");
        }
        self.next();
        let operand = self.deeper(NEST_COST, Self::unary)?;
        let span = self.span_from(start);
        let inner = Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(operand)), span };
        Ok(Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(inner)), span })
    }

    pub(super) fn primary(&mut self) -> Parsed<Expr> {
        let start = self.mark();
        let token = self.peek();
        let kind = match token.kind {
            TokenKind::Number(value) => {
                self.next();
                ExprKind::Number(i64::from(value))
            }
            TokenKind::Character(code) => {
                self.next();
                ExprKind::Number(i64::from(code))
            }
            TokenKind::Punct(Punct::LeftParen) => self.parenthesized()?,
            TokenKind::Name(symbol) if symbol.is_reserved() => self.word_expression(symbol)?,
            TokenKind::Name(symbol) => {
                if self.inlines.contains_key(&symbol) && self.peek_at(1).is(Punct::LeftParen) {
                    let message = "an inline cannot be called inside an expression";
                    self.mistake(
                        Diagnostic::error("promela::inline-in-expression", message).at(token.span, ""),
                    )?;
                }
                let variable = self.variable_reference()?;
                return self.after_variable(variable, start);
            }
            _ => return self.expected("an expression"),
        };
        Ok(Expr { kind, span: self.span_from(start) })
    }

    /// `( e )` or `( c -> a : b )`
    fn parenthesized(&mut self) -> Parsed<ExprKind> {
        self.open(Punct::LeftParen)?;
        let first = self.expression()?;
        let kind = if self.mode == Mode::State && self.eat(Punct::Arrow) {
            let yes = self.expression()?;
            self.expect(Punct::Colon)?;
            let no = self.expression()?;
            ExprKind::Conditional(Box::new(first), Box::new(yes), Box::new(no))
        } else if self.mode == Mode::Temporal && self.at(Punct::Colon) {
            // In a formula the arrow was read as implication.
            let ExprKind::Binary(BinaryOp::Implies, condition, yes) = first.kind else {
                return self.expected("`)`");
            };
            self.next();
            ExprKind::Conditional(condition, yes, Box::new(self.expression()?))
        } else {
            first.kind
        };
        self.close(Punct::RightParen)?;
        Ok(kind)
    }

    fn word_expression(&mut self, symbol: Symbol) -> Parsed<ExprKind> {
        let kind = match symbol {
            word::TRUE | word::SKIP => ExprKind::Number(1),
            word::FALSE => ExprKind::Number(0),
            word::TIMEOUT => ExprKind::Timeout,
            word::NP => ExprKind::NonProgress,
            word::RUN => return self.run(),
            word::INIT => return self.of_init(),
            word::LEN => return self.channel_question(ChannelFunction::Len),
            word::EMPTY => return self.channel_question(ChannelFunction::Empty),
            word::NEMPTY => return self.channel_question(ChannelFunction::Nempty),
            word::FULL => return self.channel_question(ChannelFunction::Full),
            word::NFULL => return self.channel_question(ChannelFunction::Nfull),
            word::ENABLED => return self.process_question(ProcessFunction::Enabled),
            word::PC_VALUE => return self.process_question(ProcessFunction::PcValue),
            word::GET_PRIORITY => return self.process_question(ProcessFunction::GetPriority),
            word::C_EXPR => {
                self.embedded_c();
                return Ok(ExprKind::Number(1));
            }
            _ => return self.expected("a statement or an expression"),
        };
        self.next();
        Ok(kind)
    }

    /// `init@l`, `init[i]@l`, `init:v`, `init[i]:v`: the process of `init` as others see it.
    fn of_init(&mut self) -> Parsed<ExprKind> {
        let span = self.next().span;
        let process = Ident { name: ":init:".to_owned(), span };
        let index = self.optional_index()?;
        if self.eat(Punct::At) {
            let (_, label) = self.expect_name("a label")?;
            return Ok(ExprKind::RemoteLabel { process, index, label });
        }
        self.expect(Punct::Colon)?;
        let variable = self.variable_reference()?;
        Ok(ExprKind::RemoteVariable { process, index, variable })
    }

    fn channel_question(&mut self, function: ChannelFunction) -> Parsed<ExprKind> {
        self.next();
        self.open(Punct::LeftParen)?;
        let channel = self.variable_reference()?;
        self.close(Punct::RightParen)?;
        Ok(ExprKind::Channel(function, channel))
    }

    fn process_question(&mut self, function: ProcessFunction) -> Parsed<ExprKind> {
        self.next();
        self.open(Punct::LeftParen)?;
        let process = self.expression()?;
        self.close(Punct::RightParen)?;
        Ok(ExprKind::Process(function, Box::new(process)))
    }

    fn run(&mut self) -> Parsed<ExprKind> {
        self.next();
        let (_, process) = self.expect_name("the name of a proctype")?;
        self.open(Punct::LeftParen)?;
        let mut arguments = Vec::new();
        if !self.at(Punct::RightParen) {
            arguments.push(self.expression()?);
            while self.eat(Punct::Comma) {
                arguments.push(self.expression()?);
            }
        }
        self.close(Punct::RightParen)?;
        let priority = self.priority()?.map(Box::new);
        Ok(ExprKind::Run { process, arguments, priority })
    }

    /// `a`, `a[i]`, `a.b[j].c`
    pub(crate) fn variable_reference(&mut self) -> Parsed<VarRef> {
        let start = self.mark();
        let mut parts = vec![self.variable_part()?];
        while self.eat(Punct::Dot) {
            parts.push(self.variable_part()?);
        }
        Ok(VarRef { parts, span: self.span_from(start) })
    }

    /// `[e]`, or nothing.
    fn optional_index(&mut self) -> Parsed<Option<Box<Expr>>> {
        if !self.at(Punct::LeftBracket) {
            return Ok(None);
        }
        self.open(Punct::LeftBracket)?;
        let index = self.expression()?;
        self.close(Punct::RightBracket)?;
        Ok(Some(Box::new(index)))
    }

    fn variable_part(&mut self) -> Parsed<VarPart> {
        let (_, name) = self.expect_name("a name")?;
        // In a formula `a [] b` would be a mistake anyway, so a bracket is always an index here.
        let index = self.optional_index()?;
        Ok(VarPart { name, index })
    }

    /// What a variable turns out to be: itself, a poll of a channel, or something of another process.
    fn after_variable(&mut self, variable: VarRef, start: usize) -> Parsed<Expr> {
        let TokenKind::Punct(punct) = self.peek().kind else {
            return Ok(Expr { kind: ExprKind::Variable(variable), span: self.span_from(start) });
        };
        let is_process = variable.parts.len() == 1
            && self
                .source
                .tokens
                .get(start)
                .and_then(|token| token.name())
                .is_some_and(|name| self.processes.contains(&name));
        let kind = match punct {
            Punct::Question | Punct::RandomReceive if self.peek_at(1).is(Punct::LeftBracket) => {
                self.poll(variable)?
            }
            Punct::At => {
                self.next();
                let VarPart { name: process, index } = self.only_part(variable);
                let (_, label) = self.expect_name("a label")?;
                ExprKind::RemoteLabel { process, index, label }
            }
            Punct::Colon if is_process && self.plain_name(1).is_some() => {
                self.next();
                let VarPart { name: process, index } = self.only_part(variable);
                let variable = self.variable_reference()?;
                ExprKind::RemoteVariable { process, index, variable }
            }
            _ => ExprKind::Variable(variable),
        };
        Ok(Expr { kind, span: self.span_from(start) })
    }

    fn only_part(&mut self, variable: VarRef) -> VarPart {
        let span = variable.span;
        let mut parts = variable.parts.into_iter();
        let first = parts.next();
        if parts.next().is_some() {
            self.report(Diagnostic::error("promela::syntax", "expected the name of a process").at(span, ""));
        }
        first.unwrap_or_else(|| VarPart { name: Ident { name: String::new(), span }, index: None })
    }
}

fn temporal_word(symbol: Symbol) -> Option<BinaryOp> {
    Some(match symbol {
        word::U | word::UNTIL | word::STRONGUNTIL => BinaryOp::Until,
        word::W | word::WEAKUNTIL => BinaryOp::WeakUntil,
        word::V | word::RELEASE => BinaryOp::Release,
        word::IMPLIES => BinaryOp::Implies,
        word::EQUIVALENT => BinaryOp::Equivalent,
        _ => return None,
    })
}
