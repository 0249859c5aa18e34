//! From text to tokens. Comments are those of C: `// …` and `/* … */`.

use fathom_source::{Diagnostic, FileId, SourceMap, Span};

use crate::token::{Token, TokenKind};

/// Signs, longest first.
const SIGNS: &[&str] = &[
    ":=", "<>", "<=", ">=", "..", "!=", "==", "&&", "||", ";", ",", "(", ")", "[", "]", "{", "}", ".", "?",
    ":", "=", "<", ">", "+", "-", "*", "/", "%", "@", "!",
];

/// The tokens of a file, with one for its end.
pub(crate) fn lex(file: FileId, sources: &SourceMap) -> (Vec<Token>, Vec<Diagnostic>) {
    let text = sources.file(file).text();
    let mut lexer = Lexer { text, file, at: 0, tokens: Vec::new(), diagnostics: Vec::new() };
    lexer.run();
    (lexer.tokens, lexer.diagnostics)
}

struct Lexer<'a> {
    text: &'a str,
    file: FileId,
    at: usize,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn span(&self, start: usize) -> Span {
        Span { file: self.file, start: start as u32, end: self.at as u32 }
    }

    fn run(&mut self) {
        loop {
            self.skip_blank();
            let start = self.at;
            let Some(first) = self.rest().chars().next() else { break };
            if let Some(kind) = self.token(first) {
                self.tokens.push(Token { kind, span: self.span(start) });
            }
        }
        self.tokens.push(Token { kind: TokenKind::End, span: self.span(self.at) });
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("//") {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if trimmed.starts_with("/*") {
                let start = self.at;
                match trimmed.find("*/") {
                    Some(end) => self.at += end + 2,
                    None => {
                        self.at = self.text.len();
                        self.error("comment without end", start, start + 2);
                    }
                }
            } else {
                return;
            }
        }
    }

    /// One token; none when the characters mean nothing, which is said.
    fn token(&mut self, first: char) -> Option<TokenKind> {
        let start = self.at;
        if first.is_ascii_alphabetic() || first == '_' {
            return Some(TokenKind::Word(self.word().to_owned()));
        }
        if first.is_ascii_digit() {
            return Some(self.number());
        }
        if self.rest().starts_with("{#") {
            return Some(self.foreign());
        }
        match first {
            '#' => {
                self.at += 1;
                let word = self.word().to_owned();
                if word.is_empty() {
                    self.error("`#` without a word", start, self.at);
                    return None;
                }
                Some(TokenKind::Mark(word))
            }
            '"' => Some(self.quoted()),
            _ => {
                if let Some(sign) = SIGNS.iter().find(|sign| self.rest().starts_with(**sign)) {
                    self.at += sign.len();
                    return Some(TokenKind::Sign(sign));
                }
                self.at += first.len_utf8();
                self.error(&format!("unexpected character {first:?}"), start, self.at);
                None
            }
        }
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn number(&mut self) -> TokenKind {
        let start = self.at;
        let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        self.at += digits(self.rest());
        let mut after = self.rest().chars();
        // Two dots after a number are those of a range.
        if after.next() == Some('.') && after.next().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
            self.at += digits(self.rest());
            return TokenKind::Float(self.text[start..self.at].to_owned());
        }
        match self.text[start..self.at].parse::<i64>() {
            Ok(value) if value <= i64::from(u32::MAX) => TokenKind::Integer(value),
            _ => {
                self.error("number of more than 32 bits", start, self.at);
                TokenKind::Integer(0)
            }
        }
    }

    fn foreign(&mut self) -> TokenKind {
        let start = self.at;
        match self.rest().find("#}") {
            Some(end) => self.at += end + 2,
            None => {
                self.at = self.text.len();
                self.error("foreign code without `#}`", start, start + 2);
            }
        }
        TokenKind::Foreign
    }

    fn quoted(&mut self) -> TokenKind {
        let start = self.at;
        self.at += 1;
        let rest = self.rest();
        match rest.find(['"', '\n']) {
            Some(end) if rest[end..].starts_with('"') => {
                self.at += end + 1;
                TokenKind::Text(rest[..end].to_owned())
            }
            end => {
                self.at += end.unwrap_or(rest.len());
                self.error("text without closing quote", start, start + 1);
                TokenKind::Text(String::new())
            }
        }
    }

    fn error(&mut self, message: &str, start: usize, end: usize) {
        let span = Span { file: self.file, start: start as u32, end: end as u32 };
        self.diagnostics.push(Diagnostic::error("if::syntax", message).at(span, ""));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> (Vec<TokenKind>, usize) {
        let mut sources = SourceMap::new();
        let file = sources.add("m.if", text);
        let (tokens, diagnostics) = lex(file, &sources);
        (tokens.into_iter().map(|token| token.kind).collect(), diagnostics.len())
    }

    #[test]
    fn the_dots_of_a_range_do_not_belong_to_the_number() {
        let (tokens, problems) = kinds("range 0..12 1.5");
        let word = TokenKind::Word("range".to_owned());
        let float = TokenKind::Float("1.5".to_owned());
        let dots = TokenKind::Sign("..");
        let expected = vec![word, TokenKind::Integer(0), dots, TokenKind::Integer(12), float, TokenKind::End];
        assert_eq!((tokens, problems), (expected, 0));
    }

    #[test]
    fn marks_casts_and_foreign_code_are_told_apart() {
        let (tokens, problems) = kinds("#start {tr}0 {# int x; #} // end\n/* more */ ;");
        assert_eq!(problems, 0);
        assert_eq!(tokens[0], TokenKind::Mark("start".to_owned()));
        assert_eq!(tokens[1], TokenKind::Sign("{"));
        assert_eq!(tokens[5], TokenKind::Foreign);
        assert_eq!(tokens[6], TokenKind::Sign(";"));
    }

    #[test]
    fn text_that_does_not_end_is_said_and_reading_goes_on() {
        for text in ["/* no end", "{# no end", "\"no end\nskip", "é ; #", "99999999999999999999"] {
            assert!(kinds(text).1 > 0, "{text}");
        }
    }
}
