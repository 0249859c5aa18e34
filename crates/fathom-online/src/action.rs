//! Actions as terms: a name with arguments.
//!
//! Models of different languages write the same action in different ways, and an implementation writes it in its own: `Put(3)`,
//! `Put { item: 3 }`, `Take`, `Take()`, `Say("hi")`, `Say(hi)`. Two actions are the same when their terms are, names of fields and
//! unnecessary quotes left out. What is shown is what the model writes.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A value in an action.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
    /// A whole number.
    Int(i64),
    /// A text.
    Text(String),
    /// A name with arguments, or none.
    Compound(String, Vec<Term>),
    /// `[…]`, `{…}` or `(…)`, by its first character.
    Group(char, Vec<Term>),
    /// Something else, as it is written.
    Other(String),
}

/// Something that the tester or the implementation does.
#[derive(Clone)]
pub struct Action {
    shown: Arc<str>,
    key: Arc<str>,
}

impl Action {
    /// Reads an action; what is no term is an action without arguments.
    pub fn new(shown: &str) -> Action {
        let key = match parse(shown) {
            Some(term) => term.to_string(),
            None => shown.split_whitespace().collect::<Vec<_>>().join(" "),
        };
        Action { shown: shown.into(), key: key.into() }
    }

    /// An action with these arguments.
    pub fn of(name: &str, arguments: Vec<Term>) -> Action {
        let key = Term::Compound(name.to_owned(), arguments).to_string();
        Action { shown: key.as_str().into(), key: key.into() }
    }

    /// As the model writes it.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The same for all actions that are the same.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The term, if it is one.
    pub fn term(&self) -> Option<(String, Vec<Term>)> {
        match parse(&self.shown)? {
            Term::Compound(name, arguments) => Some((name, arguments)),
            _ => None,
        }
    }

    /// The name, without arguments.
    pub fn name(&self) -> String {
        self.term().map_or_else(|| self.key.to_string(), |(name, _)| name)
    }

    /// The arguments.
    pub fn arguments(&self) -> Vec<Term> {
        self.term().map_or_else(Vec::new, |(_, arguments)| arguments)
    }
}

impl PartialEq for Action {
    fn eq(&self, other: &Action) -> bool {
        self.key == other.key
    }
}

impl Eq for Action {}

impl PartialOrd for Action {
    fn partial_cmp(&self, other: &Action) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Action {
    fn cmp(&self, other: &Action) -> Ordering {
        self.key.cmp(&other.key)
    }
}

impl Hash for Action {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

impl fmt::Display for Action {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.shown)
    }
}

impl fmt::Debug for Action {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}`", self.shown)
    }
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_alphabetic() || first == '_') && letters.all(is_in_name)
}

fn is_in_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '.'
}

/// The form that equal terms share.
impl fmt::Display for Term {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |out: &mut fmt::Formatter<'_>, terms: &[Term]| {
            terms.iter().enumerate().try_for_each(|(place, term)| {
                if place > 0 { write!(out, ", {term}") } else { write!(out, "{term}") }
            })
        };
        match self {
            Term::Int(number) => write!(out, "{number}"),
            Term::Text(text) if is_name(text) => write!(out, "{text}"),
            Term::Text(text) => write!(out, "{text:?}"),
            Term::Other(text) => write!(out, "{text}"),
            Term::Compound(name, arguments) if arguments.is_empty() => write!(out, "{name}"),
            Term::Compound(name, arguments) => {
                write!(out, "{name}(")?;
                list(out, arguments)?;
                write!(out, ")")
            }
            Term::Group(open, terms) => {
                write!(out, "{open}")?;
                list(out, terms)?;
                write!(out, "{}", closing(*open))
            }
        }
    }
}

fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        _ => '}',
    }
}

/// How deep terms may nest.
const MOST_NESTED: usize = 50;

fn parse(text: &str) -> Option<Term> {
    let mut parser = Parser { rest: text.trim(), depth: 0 };
    let term = parser.term()?;
    (parser.rest.is_empty() && matches!(term, Term::Compound(..))).then_some(term)
}

struct Parser<'t> {
    rest: &'t str,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn take(&mut self, length: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest.trim_start();
        taken
    }

    fn term(&mut self) -> Option<Term> {
        self.depth += 1;
        let term = if self.depth > MOST_NESTED { None } else { self.term_inside() };
        self.depth -= 1;
        term
    }

    fn term_inside(&mut self) -> Option<Term> {
        let first = self.rest.chars().next()?;
        match first {
            '"' => self.quoted(),
            '(' | '[' | '{' => Some(Term::Group(first, self.list()?)),
            _ if is_in_name(first) || first == '-' => {
                let end = self.rest.find(|c: char| !is_in_name(c) && c != '-');
                let word = self.take(end.unwrap_or(self.rest.len()));
                if !is_name(word) {
                    let number = word.parse().map(Term::Int);
                    return Some(number.unwrap_or_else(|_| Term::Other(word.to_owned())));
                }
                let arguments = match self.rest.chars().next() {
                    Some('(' | '{') => self.list()?,
                    _ => Vec::new(),
                };
                Some(Term::Compound(word.to_owned(), arguments))
            }
            _ => None,
        }
    }

    /// Terms in parentheses, each perhaps with the name of a field in front.
    fn list(&mut self) -> Option<Vec<Term>> {
        let close = closing(self.take(1).chars().next()?);
        let mut terms = Vec::new();
        loop {
            if self.rest.starts_with(close) {
                self.take(1);
                return Some(terms);
            }
            let mut term = self.term()?;
            if self.rest.starts_with(':') {
                self.take(1);
                term = self.term()?;
            } else if let Some(rest) = self.rest.strip_prefix("->") {
                // An entry of a map.
                self.rest = rest.trim_start();
                term = Term::Group('(', vec![term, self.term()?]);
            }
            terms.push(term);
            if self.rest.starts_with(',') {
                self.take(1);
            } else if !self.rest.starts_with(close) {
                return None;
            }
        }
    }

    fn quoted(&mut self) -> Option<Term> {
        let mut text = String::new();
        let mut letters = self.rest.char_indices().skip(1);
        while let Some((place, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.take(place + 1);
                    return Some(Term::Text(text));
                }
                '\\' => text.push(match letters.next()?.1 {
                    'n' => '\n',
                    't' => '\t',
                    other => other,
                }),
                other => text.push(other),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_of_writing_an_action_are_one() {
        for (left, right) in [
            ("Take", "Take()"),
            ("Put(3)", "Put { item: 3 }"),
            ("Say(\"hi\")", "Say( hi )"),
            ("Move(Some(1), [2, 3])", "Move(Some(1),[2,3])"),
            ("a:b?c", "a:b?c "),
        ] {
            assert_eq!(Action::new(left), Action::new(right));
        }
        for (left, right) in
            [("Put(3)", "Put(4)"), ("Put(3)", "Put"), ("Say(\"a b\")", "Say(a, b)"), ("f(1)", "g(1)")]
        {
            assert_ne!(Action::new(left), Action::new(right));
        }
    }

    #[test]
    fn names_and_arguments_are_found() {
        let action = Action::new("Send { to: \"Bob\", size: -2 }");
        assert_eq!(action.name(), "Send");
        assert_eq!(action.arguments(), [Term::Text("Bob".to_owned()), Term::Int(-2)]);
        assert_eq!(action.shown(), "Send { to: \"Bob\", size: -2 }");
        assert_eq!(Action::new("((").name(), "((");
        assert_eq!(Action::new(&"f(".repeat(200)).arguments(), []);
    }
}
