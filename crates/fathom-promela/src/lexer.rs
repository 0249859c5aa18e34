//! Text to tokens, before preprocessing.
//!
//! The whole file becomes tokens at once; line ends survive as a mark on the token after them, because both
//! the preprocessor (directives) and the parser (Spin lets a line end a statement) need them. What is not a
//! token (a lone quote in `#error don't`, a dollar in a group that `#if 0` leaves out) becomes a token of
//! kind `Unknown` or `OpenText`, and is an error only if the parser meets it.
//!
//! Where we differ from Spin: a number is always a token of its own, so that `1..N` is three tokens and `N`
//! may be a macro.

use crate::token::{Interner, Punct, Token, TokenKind};
use fathom_source::{Diagnostic, FileId, Span};

/// No program has more tokens than this, before or after preprocessing.
pub(crate) const MAX_TOKENS: usize = 10_000_000;

/// Warnings about tokens stop when there is this much to say.
const MAX_WARNINGS: usize = 100;

/// The tokens of a text, in order, without an end token.
pub(crate) fn lex(
    file: FileId,
    text: &str,
    interner: &mut Interner,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Token> {
    let mut lexer =
        Lexer { file, text, bytes: text.as_bytes(), position: 0, interner, diagnostics, tokens: Vec::new() };
    lexer.run();
    lexer.tokens
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    bytes: &'a [u8],
    position: usize,
    interner: &'a mut Interner,
    diagnostics: &'a mut Vec<Diagnostic>,
    tokens: Vec<Token>,
}

/// What stands in front of a token.
struct Gap {
    newline: bool,
    space: bool,
}

impl Lexer<'_> {
    fn run(&mut self) {
        let mut first = true;
        loop {
            let gap = self.skip_gap();
            let start = self.position;
            if start >= self.bytes.len() {
                return;
            }
            if self.tokens.len() >= MAX_TOKENS {
                self.diagnostics.push(
                    Diagnostic::error(
                        "promela::expansion-too-large",
                        format!("more than {MAX_TOKENS} tokens"),
                    )
                    .at(self.span(start, start), "gave up here"),
                );
                return;
            }
            let kind = self.token();
            debug_assert!(self.position > start);
            self.tokens.push(Token {
                kind,
                span: self.span(start, self.position),
                newline_before: gap.newline || first,
                space_before: gap.space,
                final_name: false,
            });
            first = false;
        }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span { file: self.file, start: start as u32, end: end as u32 }
    }

    fn byte(&self, offset: usize) -> u8 {
        self.bytes.get(self.position + offset).copied().unwrap_or(0)
    }

    fn skip_gap(&mut self) -> Gap {
        let mut gap = Gap { newline: false, space: false };
        while self.position < self.bytes.len() {
            match (self.byte(0), self.byte(1)) {
                (b'\n', _) => {
                    gap.newline = true;
                    self.position += 1;
                }
                (b' ' | b'\t' | b'\r' | 0x0b | 0x0c, _) => self.position += 1,
                (b'\\', b'\n') => self.position += 2,
                (b'\\', b'\r') if self.byte(2) == b'\n' => self.position += 3,
                (b'/', b'/') => self.skip_line_comment(),
                (b'/', b'*') => self.skip_block_comment(),
                // Spin ignores the end of a comment that never began; `*/*` is a product and a comment.
                (b'*', b'/') if self.byte(2) != b'*' => self.skip_stray_comment_end(),
                // A byte order mark.
                (0xef, 0xbb) if self.byte(2) == 0xbf => self.position += 3,
                _ => return gap,
            }
            gap.space = true;
        }
        gap
    }

    fn skip_line_comment(&mut self) {
        while self.position < self.bytes.len() && self.byte(0) != b'\n' {
            let continues = self.byte(0) == b'\\'
                && (self.byte(1) == b'\n' || (self.byte(1) == b'\r' && self.byte(2) == b'\n'));
            self.position += match (continues, self.byte(1)) {
                (true, b'\r') => 3,
                (true, _) => 2,
                _ => 1,
            };
        }
    }

    fn skip_block_comment(&mut self) {
        let start = self.position;
        match self.text.get(start + 2..).and_then(|rest| rest.find("*/")) {
            Some(length) => self.position = start + 2 + length + 2,
            None => {
                self.position = self.bytes.len();
                self.diagnostics.push(
                    Diagnostic::error("promela::unterminated-comment", "comment without an end")
                        .at(self.span(start, start + 2), "starts here")
                        .help("close it with `*/`"),
                );
            }
        }
    }

    fn skip_stray_comment_end(&mut self) {
        let span = self.span(self.position, self.position + 2);
        self.position += 2;
        self.warn(
            Diagnostic::warning("promela::stray-comment-end", "end of a comment that never began")
                .at(span, "ignored")
                .note("comments do not nest"),
        );
    }

    fn warn(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_WARNINGS {
            self.diagnostics.push(diagnostic);
        }
    }

    fn token(&mut self) -> TokenKind {
        match self.byte(0) {
            b'0'..=b'9' => self.number(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.name(),
            b'"' => self.string(),
            b'\'' => self.character(),
            _ => self.punct(),
        }
    }

    fn take_while(&mut self, accept: impl Fn(u8) -> bool) -> usize {
        let start = self.position;
        while self.position < self.bytes.len() && accept(self.byte(0)) {
            self.position += 1;
        }
        start
    }

    fn name(&mut self) -> TokenKind {
        let start = self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        TokenKind::Name(self.interner.intern(&self.text[start..self.position]))
    }

    fn number(&mut self) -> TokenKind {
        let start = self.take_while(|byte| byte.is_ascii_digit());
        let digits = &self.text[start..self.position];
        let value = digits
            .bytes()
            .fold(0_u64, |value, digit| value.saturating_mul(10).saturating_add(u64::from(digit - b'0')));
        let wrapped = value as u32 as i32;
        // 2147483648 is fine: it is how the least integer is written, with a minus in front.
        if value > 1 << 31 {
            self.warn(
                Diagnostic::warning("promela::number-wraps", "number does not fit an int")
                    .at(self.span(start, self.position), format!("read as {wrapped}")),
            );
        }
        TokenKind::Number(wrapped)
    }

    fn string(&mut self) -> TokenKind {
        self.position += 1;
        let mut text = String::new();
        loop {
            let Some(character) = self.text[self.position..].chars().next() else {
                return TokenKind::OpenText;
            };
            match character {
                '\n' => return TokenKind::OpenText,
                '"' => {
                    self.position += 1;
                    return TokenKind::Text(self.interner.intern(&text));
                }
                '\\' => {
                    self.position += 1;
                    self.escape(&mut text);
                }
                _ => {
                    self.position += character.len_utf8();
                    text.push(character);
                }
            }
        }
    }

    /// What follows a backslash in a string.
    fn escape(&mut self, text: &mut String) {
        let Some(character) = self.text[self.position..].chars().next() else { return };
        self.position += character.len_utf8();
        match character {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'f' => text.push('\u{c}'),
            // A continued line.
            '\n' => {}
            '\r' if self.byte(0) == b'\n' => self.position += 1,
            _ => text.push(character),
        }
    }

    fn character(&mut self) -> TokenKind {
        let mut characters = self.text[self.position + 1..].chars();
        let (value, length) = match characters.next() {
            Some('\\') => match characters.next() {
                Some('n') => ('\n', 2),
                Some('t') => ('\t', 2),
                Some('r') => ('\r', 2),
                Some('f') => ('\u{c}', 2),
                Some(other) => (other, 1 + other.len_utf8()),
                None => ('\\', 1),
            },
            Some(other) => (other, other.len_utf8()),
            None => ('\'', 0),
        };
        if value == '\n' && length == 1 || characters.next() != Some('\'') {
            self.position += 1;
            return TokenKind::Unknown('\'');
        }
        self.position += 1 + length + 1;
        TokenKind::Character(value as u32)
    }

    fn punct(&mut self) -> TokenKind {
        let rest = &self.bytes[self.position..];
        for &(punct, text) in Punct::ALL {
            if rest.starts_with(text.as_bytes()) {
                self.position += text.len();
                return TokenKind::Punct(punct);
            }
        }
        let character = self.text[self.position..].chars().next().unwrap_or(' ');
        self.position += character.len_utf8();
        TokenKind::Unknown(character)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_source::SourceMap;

    fn describe(text: &str) -> (String, usize) {
        let mut sources = SourceMap::new();
        let file = sources.add("t.pml", text);
        let mut interner = Interner::new();
        let mut diagnostics = Vec::new();
        let tokens = lex(file, text, &mut interner, &mut diagnostics);
        let texts: Vec<&str> = tokens.iter().map(|token| sources.text(token.span)).collect();
        (texts.join(" "), diagnostics.len())
    }

    #[test]
    fn the_longest_sign_wins() {
        assert_eq!(describe("a--b->c!!d??[x]<<=1..N").0, "a -- b -> c !! d ?? [ x ] << = 1 .. N");
    }

    #[test]
    fn comments_and_continuations_are_gaps() {
        assert_eq!(describe("a/* x */b // c\n d\\\n e"), ("a b d e".to_owned(), 0));
        assert_eq!(describe("a /* b").1, 1);
    }

    #[test]
    fn line_ends_mark_the_next_token() {
        let mut interner = Interner::new();
        let mut sources = SourceMap::new();
        let file = sources.add("t", "");
        let tokens = lex(file, "a b\nc \\\n d /* \n */ e", &mut interner, &mut Vec::new());
        let marks: Vec<bool> = tokens.iter().map(|token| token.newline_before).collect();
        assert_eq!(marks, [true, false, true, false, false]);
    }

    #[test]
    fn strings_and_characters_resolve_escapes() {
        let mut interner = Interner::new();
        let mut sources = SourceMap::new();
        let file = sources.add("t", "");
        let tokens = lex(file, r#""a\n\"é" 'x' '\n' ' "#, &mut interner, &mut Vec::new());
        let kinds: Vec<TokenKind> = tokens.iter().map(|token| token.kind).collect();
        let text = interner.intern("a\n\"é");
        assert_eq!(
            kinds,
            [
                TokenKind::Text(text),
                TokenKind::Character(120),
                TokenKind::Character(10),
                TokenKind::Unknown('\'')
            ]
        );
    }
}
