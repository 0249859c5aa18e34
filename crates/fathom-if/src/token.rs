//! Tokens of IF.

use std::fmt;

use fathom_source::Span;

/// What a token is.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum TokenKind {
    /// A word: a keyword or a name. Keywords are told apart by the parser.
    Word(String),
    /// A number without a fraction.
    Integer(i64),
    /// A number with a fraction, as written.
    Float(String),
    /// Text between quotes.
    Text(String),
    /// `#` and a word: a mark such as `#start`.
    Mark(String),
    /// Foreign code between `{#` and `#}`.
    Foreign,
    /// Punctuation and operators.
    Sign(&'static str),
    /// The end of the text.
    End,
}

/// A token with its place.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

impl fmt::Display for TokenKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenKind::Word(word) => write!(out, "`{word}`"),
            TokenKind::Integer(value) => write!(out, "`{value}`"),
            TokenKind::Float(text) => write!(out, "`{text}`"),
            TokenKind::Text(_) => write!(out, "a text in quotes"),
            TokenKind::Mark(word) => write!(out, "`#{word}`"),
            TokenKind::Foreign => write!(out, "foreign code"),
            TokenKind::Sign(sign) => write!(out, "`{sign}`"),
            TokenKind::End => write!(out, "the end of the text"),
        }
    }
}

/// Words that cannot be names.
const KEYWORDS: &[&str] = &[
    "abstract",
    "active",
    "and",
    "array",
    "call",
    "const",
    "deadline",
    "delayable",
    "do",
    "eager",
    "else",
    "endabstract",
    "endenum",
    "endif",
    "endprocedure",
    "endprocess",
    "endrecord",
    "endstate",
    "endsystem",
    "endwhile",
    "enum",
    "env",
    "false",
    "fork",
    "fpar",
    "from",
    "if",
    "in",
    "informal",
    "inout",
    "input",
    "kill",
    "lazy",
    "nextstate",
    "nil",
    "not",
    "of",
    "or",
    "out",
    "output",
    "private",
    "procedure",
    "process",
    "provided",
    "public",
    "range",
    "record",
    "reset",
    "return",
    "returns",
    "save",
    "self",
    "set",
    "signal",
    "signalroute",
    "skip",
    "state",
    "stop",
    "string",
    "system",
    "task",
    "then",
    "to",
    "tpc",
    "true",
    "type",
    "var",
    "via",
    "when",
    "while",
    "with",
];

/// Whether a word is reserved.
pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_sorted_for_the_search() {
        assert!(KEYWORDS.is_sorted());
        assert!(is_keyword("with") && is_keyword("abstract") && !is_keyword("withs"));
    }
}
