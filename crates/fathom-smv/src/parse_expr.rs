//! Expressions: precedence as in the manual of NuSMV, with the temporal operators of both logics. Which of them may occur where is decided when
//! expressions get their meaning.

use fathom_source::Span;

use crate::lexer::TokenKind;
use crate::parse::Parser;
use crate::syntax::{BinaryOp, Expr, ExprKind, Name, Temporal, UnaryOp};

/// How deep expressions may nest.
const DEEPEST: u32 = 200;

/// Most operators one after the other.
const LONGEST: u32 = 5_000;

/// What messages call operators that are not read.
const PAST: &str = "operators about the past";
const BOUNDED: &str = "bounded operators";

/// Words that are no names.
pub(crate) const KEYWORDS: &[&str] = &[
    "MODULE",
    "VAR",
    "IVAR",
    "FROZENVAR",
    "DEFINE",
    "CONSTANTS",
    "ASSIGN",
    "INIT",
    "INVAR",
    "TRANS",
    "FAIRNESS",
    "JUSTICE",
    "COMPASSION",
    "SPEC",
    "CTLSPEC",
    "LTLSPEC",
    "INVARSPEC",
    "PSLSPEC",
    "COMPUTE",
    "ISA",
    "MIRROR",
    "PRED",
    "NAME",
    "FUN",
    "case",
    "esac",
    "TRUE",
    "FALSE",
    "next",
    "init",
    "array",
    "of",
    "boolean",
    "process",
    "union",
    "in",
    "mod",
    "xor",
    "xnor",
    "word",
    "unsigned",
    "signed",
    "EX",
    "EF",
    "EG",
    "AX",
    "AF",
    "AG",
    "E",
    "A",
    "U",
    "V",
    "S",
    "T",
    "X",
    "F",
    "G",
    "Y",
    "Z",
    "H",
    "O",
    "integer",
    "real",
    "EBF",
    "EBG",
    "ABF",
    "ABG",
    "BU",
];

impl Parser<'_> {
    /// An expression.
    pub(crate) fn expr(&mut self) -> Option<Expr> {
        if self.depth >= DEEPEST {
            self.problem("smv::too-deep", format!("expressions nest deeper than {DEEPEST}"));
            self.give_up();
            return None;
        }
        self.depth += 1;
        let expr = self.binary(0);
        self.depth -= 1;
        expr
    }

    /// The operator that comes next, with how strongly it binds on either side.
    fn operator(&self) -> Option<(BinaryOp, u8, u8)> {
        use BinaryOp as Op;
        let left = |op, level| Some((op, level, level + 1));
        match &self.peek().kind {
            TokenKind::Sign(sign) => match *sign {
                "->" => Some((Op::Implies, 10, 10)),
                "<->" => left(Op::Equivalent, 20),
                "|" => left(Op::Or, 40),
                "&" => left(Op::And, 50),
                "=" => left(Op::Equal, 70),
                "!=" => left(Op::NotEqual, 70),
                "<" => left(Op::Less, 70),
                ">" => left(Op::Greater, 70),
                "<=" => left(Op::LessEqual, 70),
                ">=" => left(Op::GreaterEqual, 70),
                "<<" => left(Op::ShiftLeft, 100),
                ">>" => left(Op::ShiftRight, 100),
                "+" => left(Op::Add, 110),
                "-" => left(Op::Subtract, 110),
                "*" => left(Op::Multiply, 120),
                "/" => left(Op::Divide, 120),
                "::" => left(Op::Concat, 140),
                _ => None,
            },
            TokenKind::Word(word) => match word.as_str() {
                "xor" => left(Op::Xor, 40),
                "xnor" => left(Op::Xnor, 40),
                "U" if self.until_is_operator => left(Op::Until, 60),
                "V" if self.until_is_operator => left(Op::Release, 60),
                "in" => left(Op::In, 80),
                "union" => left(Op::Union, 90),
                "mod" => left(Op::Modulo, 120),
                _ => None,
            },
            _ => None,
        }
    }

    fn binary(&mut self, least: u8) -> Option<Expr> {
        let mut expr = self.unary()?;
        let mut length = 0;
        loop {
            length += 1;
            if length > LONGEST {
                self.problem("smv::too-deep", format!("more than {LONGEST} operators in a row"));
                self.give_up();
                return None;
            }
            if least <= 30 && self.at_sign("?") {
                self.next();
                let then = self.expr()?;
                self.expect(":")?;
                let otherwise = self.binary(30)?;
                let span = cover(expr.span, otherwise.span);
                let parts = (Box::new(expr), Box::new(then), Box::new(otherwise));
                expr = Expr { kind: ExprKind::Conditional(parts.0, parts.1, parts.2), span };
                continue;
            }
            let Some((op, _, right)) = self.operator().filter(|(_, level, _)| *level >= least) else {
                if self.until_is_operator && (self.at_word("S") || self.at_word("T")) {
                    return self.unsupported(PAST);
                }
                return Some(expr);
            };
            self.next();
            self.depth += 1;
            if self.depth >= DEEPEST {
                self.problem("smv::too-deep", format!("expressions nest deeper than {DEEPEST}"));
                self.give_up();
                return None;
            }
            let operand = self.binary(right);
            self.depth -= 1;
            let operand = operand?;
            let span = cover(expr.span, operand.span);
            expr = Expr { kind: ExprKind::Binary(op, Box::new(expr), Box::new(operand)), span };
        }
    }

    fn unary(&mut self) -> Option<Expr> {
        let start = self.peek().span;
        if self.depth >= DEEPEST {
            self.problem("smv::too-deep", format!("expressions nest deeper than {DEEPEST}"));
            self.give_up();
            return None;
        }
        let operator = match &self.peek().kind {
            TokenKind::Sign("!") => Some(UnaryOp::Not),
            TokenKind::Sign("-") => Some(UnaryOp::Negate),
            _ => None,
        };
        self.depth += 1;
        let expr = match operator {
            Some(UnaryOp::Negate) if matches!(self.peek_at(1).kind, TokenKind::Integer(_)) => {
                self.next();
                let token = self.next();
                let TokenKind::Integer(value) = token.kind else { return None };
                let low = Expr { kind: ExprKind::Integer(-value), span: cover(start, token.span) };
                self.range_after(low)
            }
            Some(op) => {
                self.next();
                let operand = if op == UnaryOp::Not { self.unary() } else { self.binary(130) };
                operand.map(|operand| {
                    let span = cover(start, operand.span);
                    Expr { kind: ExprKind::Unary(op, Box::new(operand)), span }
                })
            }
            None => match self.temporal() {
                Some(Temporal::Eventually | Temporal::Always)
                    if self.peek_at(1).kind == TokenKind::Sign("[") =>
                {
                    self.unsupported(BOUNDED)
                }
                Some(op) => {
                    self.next();
                    // What a formula says about one state may follow without parentheses.
                    self.binary(70).map(|operand| {
                        let span = cover(start, operand.span);
                        Expr { kind: ExprKind::Temporal(op, Box::new(operand)), span }
                    })
                }
                None => self.postfix(),
            },
        };
        self.depth -= 1;
        expr
    }

    fn unsupported(&mut self, what: &str) -> Option<Expr> {
        self.problem("smv::unsupported", format!("{what} are not supported"));
        None
    }

    fn temporal(&self) -> Option<Temporal> {
        let TokenKind::Word(word) = &self.peek().kind else { return None };
        Some(match word.as_str() {
            "EX" => Temporal::ExistsNext,
            "EF" => Temporal::ExistsEventually,
            "EG" => Temporal::ExistsAlways,
            "AX" => Temporal::AllNext,
            "AF" => Temporal::AllEventually,
            "AG" => Temporal::AllAlways,
            "X" => Temporal::Next,
            "F" => Temporal::Eventually,
            "G" => Temporal::Always,
            _ => return None,
        })
    }

    fn postfix(&mut self) -> Option<Expr> {
        let mut expr = self.primary()?;
        loop {
            if self.eat(".") {
                let name = self.any_name()?;
                let span = cover(expr.span, name.span);
                expr = Expr { kind: ExprKind::Field(Box::new(expr), name), span };
            } else if self.eat("[") {
                let index = self.expr()?;
                let low = if self.eat(":") { Some(self.expr()?) } else { None };
                let end = self.expect("]")?;
                let span = cover(expr.span, end);
                let kind = match low {
                    Some(low) => ExprKind::Bits(Box::new(expr), Box::new(index), Box::new(low)),
                    None => ExprKind::Index(Box::new(expr), Box::new(index)),
                };
                expr = Expr { kind, span };
            } else {
                return Some(expr);
            }
        }
    }

    fn primary(&mut self) -> Option<Expr> {
        let token = self.peek().clone();
        let span = token.span;
        match token.kind {
            TokenKind::Integer(value) if i32::try_from(value).is_err() => {
                self.problem("smv::number-too-large", "a number of more than 32 bits".to_owned());
                self.next();
                Some(Expr { kind: ExprKind::Integer(0), span })
            }
            TokenKind::Integer(value) => {
                self.next();
                let low = Expr { kind: ExprKind::Integer(value), span };
                self.range_after(low)
            }
            TokenKind::WordConstant { signed, width, bits } => {
                self.next();
                Some(Expr { kind: ExprKind::Word { signed, width, bits }, span })
            }
            TokenKind::Sign("(") => {
                self.next();
                let until = std::mem::replace(&mut self.until_is_operator, true);
                let inner = self.expr();
                self.until_is_operator = until;
                let inner = inner?;
                let end = self.expect(")")?;
                Some(Expr { kind: inner.kind, span: cover(span, end) })
            }
            TokenKind::Sign("{") => {
                self.next();
                let mut elements = vec![self.expr()?];
                while self.eat(",") {
                    elements.push(self.expr()?);
                }
                let end = self.expect("}")?;
                Some(Expr { kind: ExprKind::Set(elements), span: cover(span, end) })
            }
            TokenKind::Word(word) => self.word(&word, span),
            _ => self.expected("an expression"),
        }
    }

    /// A range of numbers, when `..` follows.
    fn range_after(&mut self, low: Expr) -> Option<Expr> {
        if !self.eat("..") {
            return Some(low);
        }
        let high = self.binary(110)?;
        let span = cover(low.span, high.span);
        Some(Expr { kind: ExprKind::Range(Box::new(low), Box::new(high)), span })
    }

    fn word(&mut self, word: &str, span: Span) -> Option<Expr> {
        match word {
            "TRUE" | "FALSE" => {
                self.next();
                Some(Expr { kind: ExprKind::Boolean(word == "TRUE"), span })
            }
            "case" => self.case(span),
            "next" => {
                self.next();
                self.expect("(")?;
                let inner = self.expr()?;
                let end = self.expect(")")?;
                Some(Expr { kind: ExprKind::Next(Box::new(inner)), span: cover(span, end) })
            }
            "E" | "A" => {
                self.next();
                self.expect("[")?;
                let until = std::mem::replace(&mut self.until_is_operator, false);
                let left = self.expr();
                self.until_is_operator = until;
                let left = Box::new(left?);
                if self.at_word("BU") {
                    return self.unsupported(BOUNDED);
                }
                if !self.eat_word("U") {
                    return self.expected("`U`");
                }
                let right = Box::new(self.expr()?);
                let end = self.expect("]")?;
                let kind = ExprKind::PathUntil { all: word == "A", left, right };
                Some(Expr { kind, span: cover(span, end) })
            }
            "O" | "H" | "Y" | "Z" => self.unsupported(PAST),
            "EBF" | "EBG" | "ABF" | "ABG" => self.unsupported(BOUNDED),
            "signed" | "unsigned" if self.peek_at(1).kind == TokenKind::Sign("(") => self.call(),
            _ if KEYWORDS.contains(&word) => self.expected("an expression"),
            _ if self.peek_at(1).kind == TokenKind::Sign("(") => self.call(),
            _ => {
                self.next();
                Some(Expr { kind: ExprKind::Name(word.to_owned()), span })
            }
        }
    }

    fn call(&mut self) -> Option<Expr> {
        let token = self.next();
        let TokenKind::Word(text) = token.kind else { return self.expected("a name") };
        let name = Name { text, span: token.span };
        self.expect("(")?;
        let mut arguments = vec![self.expr()?];
        while self.eat(",") {
            arguments.push(self.expr()?);
        }
        let end = self.expect(")")?;
        let span = cover(name.span, end);
        Some(Expr { kind: ExprKind::Call(name, arguments), span })
    }

    fn case(&mut self, start: Span) -> Option<Expr> {
        self.next();
        let mut branches = Vec::new();
        while !self.at_word("esac") {
            let condition = self.expr()?;
            self.expect(":")?;
            let value = self.expr()?;
            self.expect(";")?;
            branches.push((condition, value));
        }
        let end = self.next().span;
        if branches.is_empty() {
            self.problem("smv::empty-case", "a case without a branch".to_owned());
            return None;
        }
        Some(Expr { kind: ExprKind::Case(branches), span: cover(start, end) })
    }
}

/// The text from the start of one to the end of the other.
pub(crate) fn cover(first: Span, last: Span) -> Span {
    Span { end: last.end.max(first.end), ..first }
}
