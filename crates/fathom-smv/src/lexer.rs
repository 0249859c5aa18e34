//! From text to tokens. Comments are `-- …` to the end of the line and `/-- … --/`.

use fathom_source::{Diagnostic, FileId, SourceMap, Span};

/// What a token is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    /// A name or a keyword.
    Word(String),
    /// A number.
    Integer(i64),
    /// A constant of a word type.
    WordConstant {
        /// Whether it has a sign.
        signed: bool,
        /// Bits.
        width: u32,
        /// The bits as a number without sign.
        bits: u64,
    },
    /// Punctuation and operators.
    Sign(&'static str),
    /// The end of the text.
    End,
}

/// A token with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

impl TokenKind {
    /// How messages name it.
    pub(crate) fn describe(&self) -> String {
        match self {
            TokenKind::Word(word) => format!("`{word}`"),
            TokenKind::Integer(value) => format!("`{value}`"),
            TokenKind::WordConstant { .. } => "a word constant".to_owned(),
            TokenKind::Sign(sign) => format!("`{sign}`"),
            TokenKind::End => "the end of the text".to_owned(),
        }
    }
}

/// The greatest number there is in a text; it is one only after a `-`.
const MOST: i64 = 1 << 31;

/// Signs, longest first.
const SIGNS: &[&str] = &[
    "<->", ":=", "..", "::", "->", "!=", "<=", ">=", "<<", ">>", ";", ":", ",", "(", ")", "[", "]", "{", "}",
    ".", "=", "<", ">", "+", "-", "*", "/", "&", "|", "!", "?",
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

/// Whether a character may be part of a name, after its first.
fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$' | '#' | '-')
}

impl Lexer<'_> {
    fn run(&mut self) {
        loop {
            self.skip_blank();
            let start = self.at;
            let Some(first) = self.text[self.at..].chars().next() else { break };
            if let Some(kind) = self.token(first) {
                self.tokens.push(Token { kind, span: self.span(start) });
            }
        }
        let span = self.span(self.at);
        self.tokens.push(Token { kind: TokenKind::End, span });
    }

    fn span(&self, start: usize) -> Span {
        Span { file: self.file, start: start as u32, end: self.at as u32 }
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("/--") {
                let start = self.at;
                match trimmed.find("--/") {
                    Some(end) => self.at += end + 3,
                    None => {
                        self.at = self.text.len();
                        self.error("smv::unclosed-comment", "a comment without end", start);
                    }
                }
            } else if trimmed.starts_with("--") {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else {
                return;
            }
        }
    }

    fn error(&mut self, code: &'static str, message: &str, start: usize) {
        let span = self.span(start);
        self.diagnostics.push(Diagnostic::error(code, message).at(span, ""));
    }

    /// One token; none when the characters mean nothing, which is said.
    fn token(&mut self, first: char) -> Option<TokenKind> {
        let start = self.at;
        let rest = &self.text[self.at..];
        if first.is_ascii_alphabetic() || first == '_' {
            let mut length = 0;
            for (at, letter) in rest.char_indices() {
                if !is_of_name(letter) || rest[at..].starts_with("--") || rest[at..].starts_with("->") {
                    break;
                }
                length = at + letter.len_utf8();
            }
            self.at += length;
            return Some(TokenKind::Word(rest[..length].to_owned()));
        }
        if first.is_ascii_digit() {
            return self.number(start);
        }
        if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            self.at += sign.len();
            return Some(TokenKind::Sign(sign));
        }
        self.at += first.len_utf8();
        self.error("smv::unexpected-character", "a character that means nothing here", start);
        None
    }

    fn number(&mut self, start: usize) -> Option<TokenKind> {
        let rest = &self.text[start..];
        let is_word = rest.len() > 1
            && rest.starts_with('0')
            && rest[1..].starts_with(['u', 's', 'b', 'B', 'o', 'O', 'd', 'D', 'h', 'H']);
        if is_word {
            return self.word_constant(start);
        }
        let length = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        self.at += length;
        match rest[..length].parse::<i64>() {
            Ok(value) if value <= MOST => Some(TokenKind::Integer(value)),
            _ => {
                self.error("smv::number-too-large", "a number of more than 32 bits", start);
                Some(TokenKind::Integer(0))
            }
        }
    }

    /// `0ud8_255`, `0b4_1010`, `0h_ff` and so on.
    fn word_constant(&mut self, start: usize) -> Option<TokenKind> {
        let rest = &self.text[start..];
        let is_of_constant = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let length = rest.find(|letter| !is_of_constant(letter)).unwrap_or(rest.len());
        self.at += length;
        let text = &rest[1..length];
        let signed = text.starts_with('s');
        let text = text.strip_prefix(['u', 's']).unwrap_or(text);
        let constant = text.chars().next().and_then(|base| {
            let (radix, bits_of_digit) = match base.to_ascii_lowercase() {
                'b' => (2, 1),
                'o' => (8, 3),
                'h' => (16, 4),
                'd' => (10, 0),
                _ => return None,
            };
            let (width, digits) = match text[1..].split_once('_') {
                Some((width, digits)) => (width, digits.replace('_', "")),
                None => ("", text[1..].to_owned()),
            };
            let width = match width {
                "" if bits_of_digit > 0 => digits.len() as u32 * bits_of_digit,
                _ => width.parse().ok()?,
            };
            let bits = u64::from_str_radix(&digits, radix).ok()?;
            // A signed constant in decimal is a number and its sign, and no row of bits.
            let most = match (signed && radix == 10, width) {
                (_, 0) => return None,
                (true, _) => 1 << (width - 1).min(63),
                (false, 1..=63) => (1 << width) - 1,
                (false, _) => u64::MAX,
            };
            let fits = width <= 64 && bits <= most;
            fits.then_some(TokenKind::WordConstant { signed, width, bits })
        });
        if constant.is_none() {
            self.error(
                "smv::bad-word-constant",
                "not a word constant that fits its bits, as in `0ud8_255`",
                start,
            );
        }
        constant.or(Some(TokenKind::WordConstant { signed: false, width: 1, bits: 0 }))
    }
}
