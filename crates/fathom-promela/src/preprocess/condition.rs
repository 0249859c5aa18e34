//! The expressions of `#if` and `#elif`: C's constant expressions on 64-bit integers.

use super::Preprocessor;
use crate::token::{Interner, Punct, Token, TokenKind, word};
use fathom_source::{Diagnostic, Span};

/// Expressions nest at most this deep.
const MAX_DEPTH: usize = 100;

impl Preprocessor<'_> {
    /// The truth of a condition; false with a diagnostic when it is malformed.
    pub(super) fn condition(&mut self, tokens: &[Token], span: Span) -> bool {
        let tokens = self.replace_defined(tokens);
        let tokens = self.expand_line(&tokens);
        let mut evaluator =
            Evaluator { tokens: &tokens, position: 0, interner: self.interner, span, depth: 0 };
        match evaluator.whole() {
            Ok(value) => value != 0,
            Err(diagnostic) => {
                self.diagnostics.push(*diagnostic);
                false
            }
        }
    }

    /// Replaces `defined X` and `defined(X)` by 0 or 1, before macros are expanded.
    fn replace_defined(&self, tokens: &[Token]) -> Vec<Token> {
        let mut output = Vec::with_capacity(tokens.len());
        let mut rest = tokens;
        while let Some((&token, after)) = rest.split_first() {
            rest = after;
            if token.name() != Some(word::DEFINED) {
                output.push(token);
                continue;
            }
            let parenthesized = rest.first().is_some_and(|token| token.is(Punct::LeftParen));
            let at = usize::from(parenthesized);
            let Some(symbol) = rest.get(at).and_then(|token| token.name()) else {
                output.push(token);
                continue;
            };
            let kind = TokenKind::Number(i32::from(self.macros.contains_key(&symbol)));
            output.push(Token { kind, ..token });
            rest = &rest[at + 1..];
            if parenthesized && rest.first().is_some_and(|token| token.is(Punct::RightParen)) {
                rest = &rest[1..];
            }
        }
        output
    }
}

struct Evaluator<'a> {
    tokens: &'a [Token],
    position: usize,
    interner: &'a Interner,
    span: Span,
    depth: usize,
}

/// A value, or what is wrong.
type Value = Result<i64, Box<Diagnostic>>;

impl Evaluator<'_> {
    fn whole(&mut self) -> Value {
        let value = self.conditional()?;
        if self.position < self.tokens.len() { self.fail("the end of the line") } else { Ok(value) }
    }

    fn fail(&self, expected: &str) -> Value {
        let (found, span) = match self.tokens.get(self.position) {
            Some(token) => (token.describe(self.interner), token.span),
            None => ("the end of the line".to_owned(), self.span),
        };
        let message = format!("expected {expected} in a condition, found {found}");
        Err(Box::new(Diagnostic::error("promela::condition", message).at(span, "")))
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.tokens.get(self.position).is_some_and(|token| token.is(punct));
        self.position += usize::from(found);
        found
    }

    fn conditional(&mut self) -> Value {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail("less nesting");
        }
        let condition = self.binary(0)?;
        let value = if self.eat(Punct::Question) {
            let yes = self.conditional()?;
            if !self.eat(Punct::Colon) {
                return self.fail("`:`");
            }
            let no = self.conditional()?;
            if condition != 0 { yes } else { no }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, least: u8) -> Value {
        let mut left = self.unary()?;
        while let Some((punct, level)) = self.operator()
            && level >= least
        {
            self.position += 1;
            let right = self.binary(level + 1)?;
            left = match apply(punct, left, right) {
                Some(value) => value,
                None => return self.fail("a divisor other than zero"),
            };
        }
        Ok(left)
    }

    fn operator(&self) -> Option<(Punct, u8)> {
        let TokenKind::Punct(punct) = self.tokens.get(self.position)?.kind else { return None };
        let level = match punct {
            Punct::Or => 0,
            Punct::And => 1,
            Punct::Pipe => 2,
            Punct::Caret => 3,
            Punct::Ampersand => 4,
            Punct::Equal | Punct::NotEqual => 5,
            Punct::Less | Punct::LessEqual | Punct::Greater | Punct::GreaterEqual => 6,
            Punct::ShiftLeft | Punct::ShiftRight => 7,
            Punct::Plus | Punct::Minus => 8,
            Punct::Star | Punct::Slash | Punct::Percent => 9,
            _ => return None,
        };
        Some((punct, level))
    }

    fn unary(&mut self) -> Value {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail("less nesting");
        }
        let value = self.operand();
        self.depth -= 1;
        value
    }

    fn operand(&mut self) -> Value {
        let Some(&token) = self.tokens.get(self.position) else { return self.fail("a value") };
        self.position += 1;
        match token.kind {
            TokenKind::Number(value) => Ok(self.number(i64::from(value as u32))),
            TokenKind::Character(code) => Ok(i64::from(code)),
            TokenKind::Name(word::TRUE) => Ok(1),
            TokenKind::Name(_) => Ok(0),
            TokenKind::Punct(Punct::Bang) => Ok(i64::from(self.unary()? == 0)),
            // Signs that the lexer joins.
            TokenKind::Punct(Punct::SortedSend) => Ok(i64::from(self.unary()? != 0)),
            TokenKind::Punct(Punct::Minus) => Ok(self.unary()?.wrapping_neg()),
            TokenKind::Punct(Punct::Plus) => self.unary(),
            TokenKind::Punct(Punct::Tilde) => Ok(!self.unary()?),
            TokenKind::Punct(Punct::LeftParen) => {
                let value = self.conditional()?;
                if self.eat(Punct::RightParen) { Ok(value) } else { self.fail("`)`") }
            }
            _ => {
                self.position -= 1;
                self.fail("a value")
            }
        }
    }

    /// C's suffixes and hexadecimal digits, which are names to Promela.
    fn number(&mut self, value: i64) -> i64 {
        let Some(next) = self.tokens.get(self.position).filter(|token| !token.space_before) else {
            return value;
        };
        let Some(symbol) = next.name() else { return value };
        let text = self.interner.text(symbol).to_ascii_lowercase();
        if text.bytes().all(|byte| matches!(byte, b'u' | b'l')) {
            self.position += 1;
        } else if value == 0
            && let Some(digits) = text.strip_prefix('x')
            && let Ok(hexadecimal) = i64::from_str_radix(digits.trim_end_matches(['u', 'l']), 16)
        {
            self.position += 1;
            return hexadecimal;
        }
        value
    }
}

fn apply(punct: Punct, left: i64, right: i64) -> Option<i64> {
    Some(match punct {
        Punct::Or => i64::from(left != 0 || right != 0),
        Punct::And => i64::from(left != 0 && right != 0),
        Punct::Pipe => left | right,
        Punct::Caret => left ^ right,
        Punct::Ampersand => left & right,
        Punct::Equal => i64::from(left == right),
        Punct::NotEqual => i64::from(left != right),
        Punct::Less => i64::from(left < right),
        Punct::LessEqual => i64::from(left <= right),
        Punct::Greater => i64::from(left > right),
        Punct::GreaterEqual => i64::from(left >= right),
        Punct::ShiftLeft => left.wrapping_shl(right as u32),
        Punct::ShiftRight => left.wrapping_shr(right as u32),
        Punct::Plus => left.wrapping_add(right),
        Punct::Minus => left.wrapping_sub(right),
        Punct::Star => left.wrapping_mul(right),
        Punct::Slash if right != 0 => left.wrapping_div(right),
        Punct::Percent if right != 0 => left.wrapping_rem(right),
        _ => return None,
    })
}
