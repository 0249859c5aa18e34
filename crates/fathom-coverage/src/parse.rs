//! Reading criteria.
//!
//! ```text
//! criterion  = elementary | "(" criterion ")" | criterion ("and" | "or" | "then") criterion
//! elementary = ("every" | "any") "value" ">=" number "for" ("actions" | "states" | "transitions" | "sysvars") pattern+
//!            | ("action" | "state" | "transition" | "sysvar") pattern+          any value >= 1 for …
//!            | ("actions" | "states" | "transitions" | "sysvars") pattern+      every value >= 1 for …
//! ```

use fathom_source::{Diagnostic, FileId, SourceMap, Span};

use crate::criterion::{Criterion, Elementary, Join, Kind, Pattern, Quantifier, WORDS};
use crate::lexer::{Placed, Token, tokens};

/// How deep criteria may nest: [`Rate`](crate::Rate) has room for no more.
pub const MOST_NESTED: usize = 60;

/// Most executions that may be asked for.
const MOST_VALUE: u32 = 1_000_000_000;

/// Reads the criterion in a file.
///
/// # Errors
///
/// What is wrong, and where.
pub fn parse_criterion(file: FileId, sources: &SourceMap) -> Result<Criterion, Box<Diagnostic>> {
    let text = sources.file(file).text();
    let end = Span { file, start: text.len() as u32, end: text.len() as u32 };
    let mut parser = Parser { tokens: tokens(file, text)?, at: 0, end, depth: 0 };
    let criterion = parser.criterion()?;
    match parser.tokens.get(parser.at) {
        None if height(&criterion) > MOST_NESTED => Err(too_deep(end)),
        None => Ok(criterion),
        Some(_) => Err(parser.expected("`and`, `or`, `then` or the end")),
    }
}

fn height(criterion: &Criterion) -> usize {
    match criterion {
        Criterion::Elementary(_) => 0,
        Criterion::Joined(left, _, right) => 1 + height(left).max(height(right)),
    }
}

fn too_deep(span: Span) -> Box<Diagnostic> {
    let message = format!("criteria nest deeper than {MOST_NESTED}");
    Box::new(Diagnostic::error("coverage::too-deep", message).at(span, ""))
}

struct Parser {
    tokens: Vec<Placed>,
    at: usize,
    end: Span,
    depth: usize,
}

impl Parser {
    fn word(&self) -> Option<&str> {
        match self.tokens.get(self.at) {
            Some((Token::Word(word), _)) => Some(word),
            _ => None,
        }
    }

    fn here(&self) -> Span {
        self.tokens.get(self.at).map_or(self.end, |(_, span)| *span)
    }

    fn expected(&self, what: &str) -> Box<Diagnostic> {
        let found = match self.tokens.get(self.at) {
            None => "the end".to_owned(),
            Some((Token::Open, _)) => "`(`".to_owned(),
            Some((Token::Close, _)) => "`)`".to_owned(),
            Some((Token::Word(word) | Token::Quoted(word), _)) => format!("`{word}`"),
        };
        let message = format!("expected {what}, found {found}");
        Box::new(Diagnostic::error("coverage::syntax", message).at(self.here(), ""))
    }

    fn eat(&mut self, word: &str) -> Result<(), Box<Diagnostic>> {
        if self.word() != Some(word) {
            return Err(self.expected(&format!("`{word}`")));
        }
        self.at += 1;
        Ok(())
    }

    fn join(&self) -> Option<Join> {
        [Join::And, Join::Or, Join::Then].into_iter().find(|join| Some(join.word()) == self.word())
    }

    fn criterion(&mut self) -> Result<Criterion, Box<Diagnostic>> {
        let mut criterion = self.operand()?;
        let mut chain: Option<(Join, Span)> = None;
        while let Some(join) = self.join() {
            let here = self.here();
            if let Some((first, place)) = chain.filter(|(first, _)| *first != join) {
                let message = format!("`{}` after `{}` needs parentheses", join.word(), first.word());
                let problem = Diagnostic::error("coverage::parentheses", message);
                return Err(Box::new(problem.at(here, "").also(place, "the chain that it would go on with")));
            }
            chain = Some((join, here));
            self.at += 1;
            criterion = criterion.joined(join, self.operand()?);
        }
        Ok(criterion)
    }

    fn operand(&mut self) -> Result<Criterion, Box<Diagnostic>> {
        if !matches!(self.tokens.get(self.at), Some((Token::Open, _))) {
            return self.elementary().map(Criterion::Elementary);
        }
        if self.depth >= MOST_NESTED {
            return Err(too_deep(self.here()));
        }
        self.depth += 1;
        self.at += 1;
        let inside = self.criterion()?;
        if !matches!(self.tokens.get(self.at), Some((Token::Close, _))) {
            return Err(self.expected("`)`"));
        }
        self.at += 1;
        self.depth -= 1;
        Ok(inside)
    }

    fn elementary(&mut self) -> Result<Elementary, Box<Diagnostic>> {
        let start = self.here();
        let quantifier = match self.word() {
            Some("every") => Some(Quantifier::Every),
            Some("any") => Some(Quantifier::Any),
            _ => None,
        };
        let kind = |parser: &Parser, form: fn(Kind) -> &'static str| {
            Kind::ALL.into_iter().find(|kind| parser.word() == Some(form(*kind)))
        };
        let (quantifier, least, kind) = match quantifier {
            Some(quantifier) => {
                self.at += 1;
                self.eat("value")?;
                let least = self.at_least()?;
                self.eat("for")?;
                let kind = kind(self, Kind::plural);
                let kind =
                    kind.ok_or_else(|| self.expected("`actions`, `states`, `transitions` or `sysvars`"))?;
                (quantifier, least, kind)
            }
            None => match (kind(self, Kind::singular), kind(self, Kind::plural)) {
                (Some(kind), _) => (Quantifier::Any, 1, kind),
                (_, Some(kind)) => (Quantifier::Every, 1, kind),
                _ => return Err(self.expected("`every`, `any`, `action`, `actions` or another criterion")),
            },
        };
        self.at += 1;
        let mut patterns = Vec::new();
        while let Some(text) = self.pattern_text() {
            let read = Pattern::new(&text);
            patterns.push(read.map_err(|error| {
                let message = format!("no regular expression: {error}");
                Box::new(Diagnostic::error("coverage::pattern", message).at(self.here(), ""))
            })?);
            self.at += 1;
        }
        if patterns.is_empty() {
            return Err(self.expected("a regular expression"));
        }
        let span = start.to(self.tokens[self.at - 1].1);
        Ok(Elementary { quantifier, least, kind, patterns, span: Some(span) })
    }

    fn pattern_text(&self) -> Option<String> {
        match self.tokens.get(self.at)? {
            (Token::Word(word), _) if !WORDS.contains(&word.as_str()) => Some(word.clone()),
            (Token::Quoted(text), _) => Some(text.clone()),
            _ => None,
        }
    }

    /// `>= 3`, or `>=3`.
    fn at_least(&mut self) -> Result<u32, Box<Diagnostic>> {
        let Some(word) = self.word() else { return Err(self.expected("`>=`")) };
        let Some(glued) = word.strip_prefix(">=") else { return Err(self.expected("`>=`")) };
        let glued = glued.to_owned();
        if glued.is_empty() {
            self.at += 1;
        }
        let digits = if glued.is_empty() { self.word().unwrap_or_default().to_owned() } else { glued };
        let number: Option<u32> = digits.parse().ok().filter(|number| (1..=MOST_VALUE).contains(number));
        let number =
            number.ok_or_else(|| self.expected(&format!("a whole number from 1 to {MOST_VALUE}")))?;
        self.at += 1;
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Criterion, Box<Diagnostic>> {
        let mut sources = SourceMap::new();
        let file = sources.add("<goal>", text);
        parse_criterion(file, &sources)
    }

    #[test]
    fn short_and_long_forms_are_the_same() {
        assert_eq!(read("action MakeCall"), read("any value >= 1 for actions MakeCall"));
        assert_eq!(read("actions Send.*Message"), read("every value >=1 for actions Send.*Message"));
        assert_eq!(read("state a b"), read("any value >= 1 for states a b"));
    }

    #[test]
    fn chains_nest_to_the_left_and_mixtures_need_parentheses() {
        let chain = read("action a then action b then action c").unwrap();
        assert_eq!(chain.to_string(), "((action a then action b) then action c)");
        let problem = read("action a and action b then action c").unwrap_err();
        assert_eq!(problem.code, "coverage::parentheses");
        assert!(read("(action a and action b) then action c").is_ok());
    }

    #[test]
    fn expressions_may_have_parentheses_and_quotes() {
        let criterion = read(r#"(actions Put\((1|2)\) "Get(1, 2)" (A|B)c) and action "then""#).unwrap();
        let leaves = criterion.leaves();
        assert_eq!(leaves[0].patterns.len(), 3);
        assert!(leaves[0].matches(Kind::Actions, "Put(1)"));
        assert!(leaves[0].matches(Kind::Actions, "Bc(7)"), "the name alone is enough");
        assert!(!leaves[0].matches(Kind::Actions, "Put(3)"));
        assert!(leaves[1].matches(Kind::Actions, "then"));
    }

    #[test]
    fn problems_have_a_place() {
        for (text, code, start) in [
            ("", "coverage::syntax", 0),
            ("action", "coverage::syntax", 6),
            ("every value > 1 for actions a", "coverage::syntax", 12),
            ("any value >= 0 for actions a", "coverage::syntax", 13),
            ("any value >= 1 for action a", "coverage::syntax", 19),
            ("action a and", "coverage::syntax", 12),
            ("(action a", "coverage::syntax", 9),
            ("action a)", "coverage::syntax", 8),
            ("action [", "coverage::pattern", 7),
            ("action \"a", "coverage::quote", 7),
        ] {
            let problem = read(text).unwrap_err();
            let span = problem.primary.as_ref().unwrap().span;
            assert_eq!((problem.code, span.start), (code, start), "{text}: {problem:?}");
        }
        let deep = "(".repeat(500) + "action a" + &")".repeat(500);
        assert_eq!(read(&deep).unwrap_err().code, "coverage::too-deep");
        let long = vec!["action a"; 500].join(" then ");
        assert_eq!(read(&long).unwrap_err().code, "coverage::too-deep");
    }
}
