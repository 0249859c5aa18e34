//! Tokens to expressions whose names are not yet resolved.
//!
//! Operators bind as in C. Nesting is bounded, so that no text exhausts the stack.

use fathom_source::{Diagnostic, Span};
use fathom_timed::{BinaryOp, UnaryOp};

use crate::lexer::{Token, TokenKind};

/// Deepest nesting.
const MOST_DEPTH: usize = 200;

/// An expression as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Written {
    pub kind: WrittenKind,
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum WrittenKind {
    Number(i64),
    Name(String),
    Element(String, Box<Written>),
    /// `Process.location`.
    At(String, String),
    Unary(UnaryOp, Box<Written>),
    Binary(BinaryOp, Box<Written>, Box<Written>),
    Choose(Box<Written>, Box<Written>, Box<Written>),
}

/// Reads expressions from tokens.
pub(crate) struct Reader<'t, 'd> {
    pub tokens: &'t [Token],
    pub position: usize,
    pub diagnostics: &'d mut Vec<Diagnostic>,
    pub depth: usize,
}

/// Binary operators by how tightly they bind.
const LEVELS: [&[(&str, BinaryOp)]; 6] = [
    &[("||", BinaryOp::Or)],
    &[("&&", BinaryOp::And)],
    &[("==", BinaryOp::Equal), ("!=", BinaryOp::NotEqual)],
    &[("<", BinaryOp::Less), ("<=", BinaryOp::AtMost), (">", BinaryOp::Greater), (">=", BinaryOp::AtLeast)],
    &[("+", BinaryOp::Add), ("-", BinaryOp::Subtract)],
    &[("*", BinaryOp::Multiply), ("/", BinaryOp::Divide), ("%", BinaryOp::Remainder)],
];

impl<'t, 'd> Reader<'t, 'd> {
    pub(crate) fn new(tokens: &'t [Token], diagnostics: &'d mut Vec<Diagnostic>) -> Reader<'t, 'd> {
        Reader { tokens, position: 0, diagnostics, depth: 0 }
    }

    pub(crate) fn token(&self) -> &'t Token {
        &self.tokens[self.position.min(self.tokens.len() - 1)]
    }

    pub(crate) fn advance(&mut self) {
        self.position = (self.position + 1).min(self.tokens.len() - 1);
    }

    pub(crate) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.token().kind, TokenKind::Sign(found) if found == sign)
    }

    pub(crate) fn is_word(&self, word: &str) -> bool {
        matches!(&self.token().kind, TokenKind::Name(name) if name == word)
    }

    /// Takes a sign if it is there.
    pub(crate) fn take_sign(&mut self, sign: &str) -> bool {
        let is_there = self.is_sign(sign);
        if is_there {
            self.advance();
        }
        is_there
    }

    pub(crate) fn take_word(&mut self, word: &str) -> bool {
        let is_there = self.is_word(word);
        if is_there {
            self.advance();
        }
        is_there
    }

    pub(crate) fn expected<T>(&mut self, what: &str) -> Option<T> {
        let token = self.token();
        let found = match &token.kind {
            TokenKind::Name(name) => format!("'{name}'"),
            TokenKind::Number(number) => format!("'{number}'"),
            TokenKind::Sign(sign) => format!("'{sign}'"),
            TokenKind::End => "the end".to_owned(),
        };
        let message = format!("expected {what}, found {found}");
        self.diagnostics.push(Diagnostic::error("tchecker::syntax", message).at(token.span, ""));
        None
    }

    /// Nothing may follow.
    pub(crate) fn finish(&mut self) -> Option<()> {
        if self.token().kind == TokenKind::End { Some(()) } else { self.expected("the end") }
    }

    /// Goes one level deeper; none, with a message, when that is too deep.
    pub(crate) fn enter(&mut self) -> Option<()> {
        self.depth += 1;
        if self.depth <= MOST_DEPTH {
            return Some(());
        }
        let span = self.token().span;
        let message = "nested too deeply";
        self.diagnostics.push(Diagnostic::error("tchecker::too-large", message).at(span, ""));
        None
    }

    pub(crate) fn expression(&mut self) -> Option<Written> {
        self.enter()?;
        let read = self.level(0);
        self.depth -= 1;
        read
    }

    fn level(&mut self, level: usize) -> Option<Written> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        while let Some(&(_, op)) = operators.iter().find(|(sign, _)| self.is_sign(sign)) {
            self.advance();
            let right = self.level(level + 1)?;
            let span = left.span.to(right.span);
            left = Written { kind: WrittenKind::Binary(op, Box::new(left), Box::new(right)), span };
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Written> {
        let start = self.token().span;
        let op = if self.is_sign("!") {
            UnaryOp::Not
        } else if self.is_sign("-") {
            UnaryOp::Minus
        } else {
            return self.primary();
        };
        self.advance();
        self.enter()?;
        let operand = self.unary()?;
        self.depth -= 1;
        let span = start.to(operand.span);
        Some(Written { kind: WrittenKind::Unary(op, Box::new(operand)), span })
    }

    fn primary(&mut self) -> Option<Written> {
        let token = self.token();
        let start = token.span;
        match &token.kind {
            TokenKind::Number(number) => {
                self.advance();
                Some(Written { kind: WrittenKind::Number(*number), span: start })
            }
            TokenKind::Sign("(") => {
                self.advance();
                let mut inner = self.expression()?;
                let end = self.token().span;
                if !self.take_sign(")") {
                    return self.expected("')'");
                }
                inner.span = start.to(end);
                Some(inner)
            }
            TokenKind::Name(word) if word == "if" => {
                self.advance();
                self.choice(start)
            }
            TokenKind::Name(name) => {
                self.advance();
                self.named(name, start)
            }
            _ => self.expected("an expression"),
        }
    }

    /// `if c then a else b`; the first word is taken already.
    fn choice(&mut self, start: Span) -> Option<Written> {
        let condition = self.expression()?;
        if !self.take_word("then") {
            return self.expected("'then'");
        }
        let yes = self.expression()?;
        if !self.take_word("else") {
            return self.expected("'else'");
        }
        let no = self.expression()?;
        let span = start.to(no.span);
        Some(Written { kind: WrittenKind::Choose(Box::new(condition), Box::new(yes), Box::new(no)), span })
    }

    fn named(&mut self, name: &str, start: Span) -> Option<Written> {
        if self.take_sign("[") {
            let index = self.expression()?;
            let end = self.token().span;
            if !self.take_sign("]") {
                return self.expected("']'");
            }
            let kind = WrittenKind::Element(name.to_owned(), Box::new(index));
            return Some(Written { kind, span: start.to(end) });
        }
        if self.take_sign(".") {
            let token = self.token();
            let TokenKind::Name(location) = &token.kind else { return self.expected("a location") };
            self.advance();
            let kind = WrittenKind::At(name.to_owned(), location.clone());
            return Some(Written { kind, span: start.to(token.span) });
        }
        Some(Written { kind: WrittenKind::Name(name.to_owned()), span: start })
    }
}
