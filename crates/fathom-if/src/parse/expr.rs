//! Expressions, by precedence: `? :`, `or`, `and`, comparisons, `+ -`, `* / %`, prefixes, selectors.
//!
//! The sources give no precedence. `not` binds as tightly as other prefixes, so `not a and b` is `(not a) and b`, and `not x = y` wants
//! parentheses. The spellings of C (`!`, `&&`, `||`, `==`, `!=`) are understood as well, because formulas use them.

use super::{Parser, Read};
use crate::syntax::{BinaryOp, Expr, ExprKind, Name, UnaryOp};
use crate::token::TokenKind;

impl Parser {
    pub(super) fn expr(&mut self) -> Read<Expr> {
        self.deeper(|parser| {
            let condition = parser.binary(0)?;
            if !parser.take_sign("?") {
                return Ok(condition);
            }
            let then = parser.expr()?;
            parser.sign(":")?;
            let otherwise = parser.expr()?;
            let span = condition.span.to(otherwise.span);
            let kind = ExprKind::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise));
            Ok(Expr { kind, span })
        })
    }

    /// Arguments between parentheses.
    pub(super) fn arguments(&mut self) -> Read<Vec<Expr>> {
        self.sign("(")?;
        let mut arguments = Vec::new();
        if self.take_sign(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.expr()?);
            if !self.take_sign(",") {
                break;
            }
        }
        self.sign(")")?;
        Ok(arguments)
    }

    fn operator(&self) -> Option<(BinaryOp, u8)> {
        let text = match self.peek() {
            TokenKind::Word(word) => word.as_str(),
            TokenKind::Sign(sign) => sign,
            _ => return None,
        };
        Some(match text {
            "or" | "||" => (BinaryOp::Or, 1),
            "and" | "&&" => (BinaryOp::And, 2),
            "=" | "==" => (BinaryOp::Equal, 3),
            "<>" | "!=" => (BinaryOp::NotEqual, 3),
            "<" => (BinaryOp::Less, 3),
            "<=" => (BinaryOp::LessEqual, 3),
            ">=" => (BinaryOp::GreaterEqual, 3),
            ">" => (BinaryOp::Greater, 3),
            "+" => (BinaryOp::Add, 4),
            "-" => (BinaryOp::Subtract, 4),
            "*" => (BinaryOp::Multiply, 5),
            "/" => (BinaryOp::Divide, 5),
            "%" => (BinaryOp::Remainder, 5),
            _ => return None,
        })
    }

    /// Operators that bind more tightly than `above`, to the left.
    fn binary(&mut self, above: u8) -> Read<Expr> {
        let before = self.operators;
        let result = self.chain(above);
        self.operators = before;
        result
    }

    fn chain(&mut self, above: u8) -> Read<Expr> {
        let mut left = self.prefix()?;
        while let Some((op, level)) = self.operator() {
            if level <= above {
                break;
            }
            self.operators += 1;
            if self.operators > super::MOST_OPERATORS {
                return Err(self.expected("fewer operators in one expression"));
            }
            self.advance();
            let right = self.deeper(|parser| parser.binary(level))?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    fn prefix(&mut self) -> Read<Expr> {
        let start = self.span();
        let op = match self.peek() {
            TokenKind::Word(word) if word == "not" => Some(UnaryOp::Not),
            TokenKind::Word(word) if word == "active" => Some(UnaryOp::Active),
            TokenKind::Sign("!") => Some(UnaryOp::Not),
            TokenKind::Sign("+") => Some(UnaryOp::Plus),
            TokenKind::Sign("-") => Some(UnaryOp::Minus),
            _ => None,
        };
        if let Some(op) = op {
            self.advance();
            let operand = self.deeper(Parser::prefix)?;
            let span = start.to(operand.span);
            return Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), span });
        }
        if self.take_sign("{") {
            let name = self.name("the name of a type, a process or a signalroute")?;
            self.sign("}")?;
            let operand = self.deeper(Parser::cast_operand)?;
            let span = start.to(operand.span);
            return self.selectors(Expr { kind: ExprKind::Cast(name, Box::new(operand)), span });
        }
        let atom = self.atom()?;
        self.selectors(atom)
    }

    /// What a cast applies to: an atom, so that `{p}0.x` is a field of the instance.
    fn cast_operand(&mut self) -> Read<Expr> {
        if self.at_sign("{") || self.at_sign("-") { self.prefix() } else { self.atom() }
    }

    fn selectors(&mut self, mut expr: Expr) -> Read<Expr> {
        let mut length = 0;
        loop {
            length += 1;
            if length > super::DEEPEST {
                return Err(self.expected("fewer selectors in one expression"));
            }
            let kind = if self.take_sign(".") {
                let field = self.name("the name of a field")?;
                ExprKind::Field(Box::new(expr.clone()), field)
            } else if self.take_sign("[") {
                let index = self.expr()?;
                self.sign("]")?;
                ExprKind::Index(Box::new(expr.clone()), Box::new(index))
            } else if self.take_sign("@") {
                let state = self.name("the name of a state")?;
                ExprKind::At(Box::new(expr.clone()), state)
            } else {
                return Ok(expr);
            };
            expr = Expr { kind, span: expr.span.to(self.last_span()) };
        }
    }

    fn atom(&mut self) -> Read<Expr> {
        let span = self.span();
        let kind = match self.peek().clone() {
            TokenKind::Integer(value) => ExprKind::Integer(value),
            TokenKind::Float(text) => ExprKind::Float(text),
            TokenKind::Word(word) => match word.as_str() {
                "true" => ExprKind::Boolean(true),
                "false" => ExprKind::Boolean(false),
                "self" => ExprKind::SelfPid,
                "nil" => ExprKind::Nil,
                _ => return self.name_or_call(),
            },
            TokenKind::Sign("(") => {
                self.advance();
                let inner = self.expr()?;
                self.sign(")")?;
                return Ok(Expr { kind: inner.kind, span: span.to(self.last_span()) });
            }
            _ => return Err(self.expected("an expression")),
        };
        self.advance();
        Ok(Expr { kind, span })
    }

    fn name_or_call(&mut self) -> Read<Expr> {
        let name: Name = self.name("an expression")?;
        if self.at_sign("(") {
            let arguments = self.arguments()?;
            let span = name.span.to(self.last_span());
            return Ok(Expr { kind: ExprKind::Call(name, arguments), span });
        }
        Ok(Expr { kind: ExprKind::Name(name.text), span: name.span })
    }
}
