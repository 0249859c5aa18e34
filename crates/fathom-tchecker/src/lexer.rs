//! Tokens of expressions and statements.

use fathom_source::{Diagnostic, Span};

use crate::syntax::Text;

/// A token with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

/// What a token is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    Name(String),
    Number(i64),
    /// An operator, a bracket, a separator.
    Sign(&'static str),
    End,
}

/// Signs, longer ones first.
const SIGNS: [&str; 23] = [
    "&&", "||", "==", "!=", "<=", ">=", "<", ">", "=", "!", "+", "-", "*", "/", "%", "(", ")", "[", "]", ";",
    ",", "@", ".",
];

/// Tokens of a piece of text, with an end token.
pub(crate) fn lex(piece: &Text, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let text = piece.text.as_str();
    let base = piece.span.start as usize;
    let span = |start: usize, end: usize| Span {
        file: piece.span.file,
        start: (base + start) as u32,
        end: (base + end) as u32,
    };
    let mut tokens = Vec::new();
    let mut position = 0;
    while let Some(first) = text[position..].chars().next() {
        let rest = &text[position..];
        if first.is_whitespace() {
            position += first.len_utf8();
        } else if first == '#' {
            position += rest.find('\n').unwrap_or(rest.len());
        } else if first.is_ascii_digit() {
            let length = rest.find(|other: char| !other.is_ascii_digit()).unwrap_or(rest.len());
            let end = position + length;
            let number = rest[..length].parse().unwrap_or_else(|_| {
                let message = "number does not fit into 64 bits";
                diagnostics.push(Diagnostic::error("tchecker::number", message).at(span(position, end), ""));
                0
            });
            tokens.push(Token { kind: TokenKind::Number(number), span: span(position, end) });
            position = end;
        } else if first.is_alphabetic() || first == '_' || first == '$' {
            let is_part = |other: char| other.is_alphanumeric() || other == '_' || other == '$';
            let length = rest.find(|other: char| !is_part(other)).unwrap_or(rest.len());
            let end = position + length;
            tokens
                .push(Token { kind: TokenKind::Name(rest[..length].to_owned()), span: span(position, end) });
            position = end;
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            tokens.push(Token { kind: TokenKind::Sign(sign), span: span(position, position + sign.len()) });
            position += sign.len();
        } else {
            let end = position + first.len_utf8();
            let message = format!("unexpected character '{first}'");
            diagnostics.push(Diagnostic::error("tchecker::syntax", message).at(span(position, end), ""));
            position = end;
        }
    }
    tokens.push(Token { kind: TokenKind::End, span: span(text.len(), text.len()) });
    tokens
}
