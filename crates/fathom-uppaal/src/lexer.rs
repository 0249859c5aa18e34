//! Characters to tokens, each with its place in the file.
//!
//! Texts inside XML are written with references (`&lt;`) and may be cut by comments and CDATA sections. So the lexer reads
//! characters that know where they stand, and does not care where they come from.

use fathom_source::{Diagnostic, FileId, Span};

/// A character and the bytes of the file that it is written with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub character: char,
    pub start: u32,
    pub end: u32,
}

/// Plain text as characters with places.
pub(crate) fn placed(text: &str, offset: usize) -> Vec<Placed> {
    text.char_indices()
        .map(|(at, character)| Placed {
            character,
            start: (offset + at) as u32,
            end: (offset + at + character.len_utf8()) as u32,
        })
        .collect()
}

/// What a token is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A name or a keyword.
    Word(String),
    Number(i64),
    /// A number with a fraction.
    Fraction,
    /// Text in quotation marks.
    Text,
    Symbol(&'static str),
    End,
}

/// A token.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub kind: Kind,
    pub span: Span,
}

/// Longest first.
const SYMBOLS: [&str; 49] = [
    "-->", "<<=", ">>=", "->", ":=", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=",
    "%=", "&=", "|=", "^=", "<<", ">>", "<?", ">?", "**", "{", "}", "(", ")", "[", "]", ",", ";", ":", "?",
    "!", ".", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^",
];

/// Reads tokens; the last one is the end.
pub(crate) fn lex(text: &[Placed], file: FileId, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut lexer = Lexer { text, file, at: 0, tokens: Vec::new(), diagnostics };
    lexer.run();
    lexer.tokens
}

struct Lexer<'a> {
    text: &'a [Placed],
    file: FileId,
    at: usize,
    tokens: Vec<Token>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).map(|placed| placed.character)
    }

    fn span(&self, from: usize) -> Span {
        let end = self.text.last().map_or(0, |last| last.end);
        let start = self.text.get(from).map_or(end, |placed| placed.start);
        let last =
            if self.at > from { self.text.get(self.at - 1).map_or(end, |placed| placed.end) } else { start };
        Span { file: self.file, start, end: last }
    }

    fn push(&mut self, kind: Kind, from: usize) {
        let span = self.span(from);
        self.tokens.push(Token { kind, span });
    }

    fn skip_while(&mut self, is_skipped: impl Fn(char) -> bool) {
        while self.peek(0).is_some_and(&is_skipped) {
            self.at += 1;
        }
    }

    fn run(&mut self) {
        while let Some(character) = self.peek(0) {
            let from = self.at;
            match character {
                _ if character.is_whitespace() => self.at += 1,
                '/' if self.peek(1) == Some('/') => self.skip_while(|character| character != '\n'),
                '/' if self.peek(1) == Some('*') => self.block_comment(),
                '"' => {
                    self.at += 1;
                    self.skip_while(|character| character != '"');
                    self.at += 1;
                    self.push(Kind::Text, from);
                }
                '\'' => {
                    self.at += 1;
                    self.push(Kind::Symbol("'"), from);
                }
                _ if character.is_ascii_digit() => self.number(),
                _ if character.is_alphabetic() || character == '_' => {
                    self.skip_while(|character| character.is_alphanumeric() || "_$#".contains(character));
                    let word = self.text[from..self.at].iter().map(|placed| placed.character).collect();
                    self.push(Kind::Word(word), from);
                }
                _ => self.symbol(),
            }
        }
        self.push(Kind::End, self.at);
    }

    fn block_comment(&mut self) {
        let from = self.at;
        self.at += 2;
        while self.peek(0).is_some() && !(self.peek(0) == Some('*') && self.peek(1) == Some('/')) {
            self.at += 1;
        }
        if self.peek(0).is_none() {
            let span = self.span(from);
            self.diagnostics.push(Diagnostic::error("uppaal::syntax", "comment does not end").at(span, ""));
        }
        self.at = (self.at + 2).min(self.text.len());
    }

    fn number(&mut self) {
        let from = self.at;
        self.skip_while(|character| character.is_ascii_digit());
        let is_fraction = self.peek(0) == Some('.') && self.peek(1).is_some_and(|next| next.is_ascii_digit());
        if is_fraction {
            self.at += 1;
            self.skip_while(|character| character.is_ascii_digit());
            return self.push(Kind::Fraction, from);
        }
        let digits: String = self.text[from..self.at].iter().map(|placed| placed.character).collect();
        let number = digits.parse().ok().filter(|&number: &i64| number <= i64::from(i32::MAX));
        if number.is_none() {
            let span = self.span(from);
            self.diagnostics.push(Diagnostic::error("uppaal::too-large", "number is too large").at(span, ""));
        }
        self.push(Kind::Number(number.unwrap_or(0)), from);
    }

    fn symbol(&mut self) {
        let from = self.at;
        let matches = |symbol: &&&str| {
            symbol.chars().enumerate().all(|(ahead, character)| self.peek(ahead) == Some(character))
        };
        if let Some(symbol) = SYMBOLS.iter().find(matches) {
            self.at += symbol.len();
            return self.push(Kind::Symbol(symbol), from);
        }
        self.at += 1;
        let span = self.span(from);
        self.diagnostics.push(Diagnostic::error("uppaal::syntax", "unexpected character").at(span, ""));
    }
}
