//! Criteria: what is to be covered.

use std::fmt;

use fathom_source::Span;
use regex_lite::Regex;

/// What a query is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Actions; their value is how often they were executed.
    Actions,
    /// States; how often they were visited.
    States,
    /// Transitions; how often they were executed.
    Transitions,
    /// Variables of the model and of the test; their largest value.
    SystemVariables,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 4] = [Kind::Actions, Kind::States, Kind::Transitions, Kind::SystemVariables];

    /// The word of the language for several.
    pub fn plural(self) -> &'static str {
        match self {
            Kind::Actions => "actions",
            Kind::States => "states",
            Kind::Transitions => "transitions",
            Kind::SystemVariables => "sysvars",
        }
    }

    /// The word of the language for one.
    pub fn singular(self) -> &'static str {
        &self.plural()[..self.plural().len() - 1]
    }
}

/// How many of the items that match are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// Each of them.
    Every,
    /// One of them.
    Any,
}

/// A regular expression that has to match the whole of an item, or the name of an action before its arguments.
#[derive(Clone)]
pub struct Pattern {
    text: String,
    regex: Regex,
}

impl Pattern {
    /// Reads a regular expression.
    ///
    /// # Errors
    ///
    /// What is wrong with it, for people.
    pub fn new(text: &str) -> Result<Pattern, String> {
        let regex = Regex::new(&format!("^(?:{text})$")).map_err(|error| error.to_string())?;
        Ok(Pattern { text: text.to_owned(), regex })
    }

    /// Whether it matches an item.
    pub fn matches(&self, kind: Kind, item: &str) -> bool {
        let name = match kind {
            Kind::Actions => item.split_once('(').map(|(name, _)| name),
            _ => None,
        };
        self.regex.is_match(item) || name.is_some_and(|name| self.regex.is_match(name))
    }

    /// The expression as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.text == other.text
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}", self.text)
    }
}

/// `every value >= 2 for actions Send.*`.
#[derive(Clone, Debug)]
pub struct Elementary {
    /// Every or any.
    pub quantifier: Quantifier,
    /// The value that is asked for, at least 1.
    pub least: u32,
    /// What it is about.
    pub kind: Kind,
    /// An item belongs to it if one of these matches.
    pub patterns: Vec<Pattern>,
    /// Where it is written, if it is.
    pub span: Option<Span>,
}

impl Elementary {
    /// Whether an item of this kind belongs to it.
    pub fn matches(&self, kind: Kind, item: &str) -> bool {
        kind == self.kind && self.patterns.iter().any(|pattern| pattern.matches(kind, item))
    }
}

/// Places do not count.
impl PartialEq for Elementary {
    fn eq(&self, other: &Elementary) -> bool {
        (self.quantifier, self.least, self.kind, &self.patterns)
            == (other.quantifier, other.least, other.kind, &other.patterns)
    }
}

/// How two criteria are joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Join {
    /// Both.
    And,
    /// One of them.
    Or,
    /// The second after the first has been fulfilled; what happened before does not count for it.
    Then,
}

impl Join {
    /// The word of the language.
    pub fn word(self) -> &'static str {
        match self {
            Join::And => "and",
            Join::Or => "or",
            Join::Then => "then",
        }
    }
}

/// What is to be covered.
#[derive(Clone, PartialEq, Debug)]
pub enum Criterion {
    /// A count.
    Elementary(Elementary),
    /// Two criteria.
    Joined(Box<Criterion>, Join, Box<Criterion>),
}

impl Criterion {
    /// An elementary criterion that asks for one execution or visit.
    pub fn once(quantifier: Quantifier, kind: Kind, pattern: Pattern) -> Criterion {
        Criterion::Elementary(Elementary { quantifier, least: 1, kind, patterns: vec![pattern], span: None })
    }

    /// Two criteria joined.
    pub fn joined(self, join: Join, other: Criterion) -> Criterion {
        Criterion::Joined(Box::new(self), join, Box::new(other))
    }

    /// Its elementary criteria, from left to right.
    pub fn leaves(&self) -> Vec<&Elementary> {
        match self {
            Criterion::Elementary(leaf) => vec![leaf],
            Criterion::Joined(left, _, right) => [left.leaves(), right.leaves()].concat(),
        }
    }

    /// Whether some part of it is about a kind of items.
    pub fn asks_for(&self, kind: Kind) -> bool {
        self.leaves().iter().any(|leaf| leaf.kind == kind)
    }
}

/// Words of the language, which patterns in quotes only can be.
pub(crate) const WORDS: [&str; 3] = ["and", "or", "then"];

impl fmt::Display for Elementary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.quantifier, self.least) {
            (Quantifier::Any, 1) => write!(out, "{}", self.kind.singular())?,
            (Quantifier::Every, 1) => write!(out, "{}", self.kind.plural())?,
            (Quantifier::Any, least) => write!(out, "any value >= {least} for {}", self.kind.plural())?,
            (Quantifier::Every, least) => write!(out, "every value >= {least} for {}", self.kind.plural())?,
        }
        self.patterns.iter().try_for_each(|pattern| write!(out, " {}", quoted(&pattern.text)))
    }
}

fn quoted(text: &str) -> String {
    let is_plain = !text.is_empty()
        && !WORDS.contains(&text)
        && text.chars().all(|c| c.is_alphanumeric() || "_.*+?|$^[]{}-/=>:,<".contains(c));
    if is_plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\\\"")) }
}

impl fmt::Display for Criterion {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Criterion::Elementary(leaf) => write!(out, "{leaf}"),
            Criterion::Joined(left, join, right) => write!(out, "({left} {} {right})", join.word()),
        }
    }
}
