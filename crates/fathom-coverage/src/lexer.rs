//! Words, parentheses and quoted texts of criteria and use cases.
//!
//! Regular expressions have parentheses, too: a word goes on to the next blank, or to a closing parenthesis that was not opened inside it.

use fathom_source::{Diagnostic, FileId, Span};

/// One piece of text.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Token {
    /// `(` where a criterion may begin.
    Open,
    /// `)`.
    Close,
    /// A word without quotes.
    Word(String),
    /// A text in quotes, without them.
    Quoted(String),
}

/// What stands where.
pub(crate) type Placed = (Token, Span);

/// Cuts a text into pieces.
pub(crate) fn tokens(file: FileId, text: &str) -> Result<Vec<Placed>, Box<Diagnostic>> {
    let mut found = Vec::new();
    let mut at = 0;
    // Whether a parenthesis opens a criterion here, and not a regular expression.
    let mut may_open = true;
    while let Some(next) = text[at..].chars().next() {
        let start = at;
        let span = |end: usize| Span { file, start: start as u32, end: end as u32 };
        if next.is_whitespace() {
            at += next.len_utf8();
            continue;
        }
        if next == '#' {
            at += text[at..].find('\n').unwrap_or(text.len() - at);
            continue;
        }
        let token = match next {
            '(' if may_open => {
                at += 1;
                Token::Open
            }
            ')' => {
                at += 1;
                Token::Close
            }
            '"' => match quoted(&text[at + 1..]) {
                Some((inside, length)) => {
                    at += length + 1;
                    Token::Quoted(inside)
                }
                None => {
                    return Err(Box::new(
                        Diagnostic::error("coverage::quote", "a text without a closing quote")
                            .at(span(text.len()), ""),
                    ));
                }
            },
            _ => {
                let length = word_length(&text[at..]);
                at += length;
                Token::Word(text[start..at].to_owned())
            }
        };
        may_open = match &token {
            Token::Open => true,
            Token::Word(word) => crate::criterion::WORDS.contains(&word.as_str()),
            Token::Close | Token::Quoted(_) => false,
        };
        found.push((token, span(at)));
    }
    Ok(found)
}

/// The text up to a closing quote, and the bytes it takes with the quote.
fn quoted(text: &str) -> Option<(String, usize)> {
    let mut inside = String::new();
    let mut rest = text.char_indices();
    while let Some((place, next)) = rest.next() {
        match next {
            '"' => return Some((inside, place + 1)),
            '\\' => match rest.next()?.1 {
                '"' => inside.push('"'),
                other => inside.extend(['\\', other]),
            },
            other => inside.push(other),
        }
    }
    None
}

fn word_length(text: &str) -> usize {
    let (mut depth, mut is_escaped) = (0, false);
    for (place, next) in text.char_indices() {
        match next {
            _ if next.is_whitespace() => return place,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '(' => depth += 1,
            ')' if depth == 0 => return place,
            ')' => depth -= 1,
            _ => (),
        }
    }
    text.len()
}
