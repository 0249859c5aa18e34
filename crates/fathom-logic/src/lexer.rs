//! Words, numbers and signs of formulas.
//!
//! One lexer serves LTL, CTL, PSL and patterns. State expressions of any language pass through it, so every
//! character has a token: what is not known is a sign of its own, and the parser says what it expected instead.

use fathom_source::{FileId, SourceMap, Span};

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind<'t> {
    /// A name or a word operator.
    Word(&'t str),
    /// A number.
    Number(&'t str),
    /// Text between double quotes, without them.
    Quoted(&'t str),
    /// An operator or bracket.
    Sign(&'t str),
    /// The end of the text.
    End,
}

/// A token with its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token<'t> {
    pub kind: Kind<'t>,
    pub span: Span,
    /// Whether white space or the start of the text comes before it.
    pub after_space: bool,
}

impl Token<'_> {
    pub fn is(&self, sign: &str) -> bool {
        self.kind == Kind::Sign(sign)
    }

    /// How a message calls it.
    pub fn describe(&self) -> String {
        match self.kind {
            Kind::Word(text) | Kind::Number(text) | Kind::Sign(text) => format!("`{text}`"),
            Kind::Quoted(text) => format!("`\"{text}\"`"),
            Kind::End => "the end".to_owned(),
        }
    }
}

/// Signs of more than one character, longest first among those with a common start.
const SIGNS: [&str; 31] = [
    "<->", "<=>", "|->", "|=>", "<>->", "[]->", "->", "=>", "[]", "<>", "&&", "||", "/\\", "\\/", "==", "!=",
    "<=", ">=", "<<", ">>", "..", "[*", "[+]", "[=", "[->", "++", "--", "::", "**", "^^", "~~",
];

/// All tokens of a file, with [`Kind::End`] at the end.
pub(crate) fn tokens(file: FileId, sources: &SourceMap) -> Vec<Token<'_>> {
    let text = sources.file(file).text();
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut after_space = true;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            after_space = true;
            continue;
        }
        let (kind, length) = token(&text[at..], first);
        let span = Span { file, start: at as u32, end: (at + length) as u32 };
        tokens.push(Token { kind, span, after_space });
        at += length;
        after_space = false;
    }
    let end = text.len() as u32;
    tokens.push(Token { kind: Kind::End, span: Span { file, start: end, end }, after_space });
    tokens
}

fn token(rest: &str, first: char) -> (Kind<'_>, usize) {
    let run = |accept: fn(char) -> bool| rest.find(|c| !accept(c)).unwrap_or(rest.len());
    if first.is_alphabetic() || first == '_' {
        let length = run(|c| c.is_alphanumeric() || c == '_');
        return (Kind::Word(&rest[..length]), length);
    }
    if first.is_ascii_digit() {
        let length = run(|c| c.is_ascii_alphanumeric());
        return (Kind::Number(&rest[..length]), length);
    }
    if first == '"'
        && let Some(length) = rest[1..].find('"')
    {
        return (Kind::Quoted(&rest[1..=length]), length + 2);
    }
    let sign = SIGNS.iter().filter(|sign| rest.starts_with(**sign)).max_by_key(|sign| sign.len());
    let length = sign.map_or(first.len_utf8(), |sign| sign.len());
    (Kind::Sign(&rest[..length]), length)
}
