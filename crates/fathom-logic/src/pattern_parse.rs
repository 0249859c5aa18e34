//! Patterns as text: `response(p, s) after q`.
//!
//! The name of the pattern with its operands, then a scope: nothing or `globally`, `before r`, `after q`, `between q and r`,
//! `after q until r`. Operands are state formulas; in a scope they are in parentheses if they have connectives.

use fathom_source::{Diagnostic, FileId, SourceMap, similar};

use crate::lexer::Kind;
use crate::parse::{Language, Lower, Parsed, Parser, ResolveProposition, STATE_LEVEL, Stop, Tree};
use crate::pattern::{Pattern, PatternKind, Scope};
use crate::{Formulas, Propositions};

const PATTERN: Language = Language { code: "pattern::syntax", is_branching: false };

/// The names of the patterns, with their operands, for messages and help.
pub const PATTERN_NAMES: [&str; 10] = [
    "absence(p)",
    "existence(p)",
    "bounded(p, n)",
    "universality(p)",
    "precedence(s, p)",
    "response(p, s)",
    "precedence_chain_2_1(s, t, p)",
    "precedence_chain_1_2(p, s, t)",
    "response_chain_2_1(s, t, p)",
    "response_chain_1_2(p, s, t)",
];

/// `bounded(p, n)` is refused beyond this.
const MOST_TIMES: usize = 50;

enum ParsedScope {
    Globally,
    Before(Tree),
    After(Tree),
    Between(Tree, Tree),
    AfterUntil(Tree, Tree),
}

/// Parses a file that holds one pattern.
///
/// # Errors
///
/// What is wrong with the text.
pub fn parse_pattern(
    file: FileId,
    sources: &SourceMap,
    formulas: &mut Formulas,
    resolver: &mut dyn ResolveProposition,
) -> Result<Pattern, Vec<Diagnostic>> {
    let mut parser = Parser::new(file, sources, &PATTERN);
    let Ok((kind, operands, scope)) = parser.pattern() else { return Err(parser.diagnostics) };
    let mut diagnostics = parser.diagnostics;
    let mut lower = Lower { sources, formulas, resolver, diagnostics: &mut diagnostics };
    let operands: Vec<_> = operands.iter().map(|tree| lower.formula(tree)).collect();
    let scope = match &scope {
        ParsedScope::Globally => Some(Scope::Globally),
        ParsedScope::Before(r) => lower.formula(r).map(Scope::Before),
        ParsedScope::After(q) => lower.formula(q).map(Scope::After),
        ParsedScope::Between(q, r) => {
            let (q, r) = (lower.formula(q), lower.formula(r));
            q.zip(r).map(|(q, r)| Scope::Between(q, r))
        }
        ParsedScope::AfterUntil(q, r) => {
            let (q, r) = (lower.formula(q), lower.formula(r));
            q.zip(r).map(|(q, r)| Scope::AfterUntil(q, r))
        }
    };
    let operands: Option<Vec<_>> = operands.into_iter().collect();
    match (operands, scope) {
        (Some(operands), Some(scope)) => Ok(Pattern { kind, operands, scope }),
        _ => Err(diagnostics),
    }
}

/// Parses a pattern whose propositions are their texts.
///
/// # Errors
///
/// What is wrong with the text.
pub fn parse_pattern_text(
    text: &str,
    formulas: &mut Formulas,
    propositions: &mut Propositions,
) -> Result<Pattern, Vec<Diagnostic>> {
    let mut sources = SourceMap::new();
    let file = sources.add("pattern", text);
    parse_pattern(file, &sources, formulas, propositions)
}

impl Parser<'_> {
    fn pattern(&mut self) -> Parsed<(PatternKind, Vec<Tree>, ParsedScope)> {
        let mut kind = self.pattern_kind()?;
        self.expect("(")?;
        let mut operands = vec![self.state_formula(0)?];
        while operands.len() < kind.n_operands() {
            self.expect(",")?;
            operands.push(self.state_formula(0)?);
        }
        if let PatternKind::BoundedExistence(times) = &mut kind {
            self.expect(",")?;
            *times = self.times()?;
        }
        self.expect(")")?;
        let scope = self.scope()?;
        if self.peek().kind != Kind::End {
            return self.expected("the end of the pattern");
        }
        Ok((kind, operands, scope))
    }

    fn pattern_kind(&mut self) -> Parsed<PatternKind> {
        let kind = match self.peek().kind {
            Kind::Word("absence") => PatternKind::Absence,
            Kind::Word("existence") => PatternKind::Existence,
            Kind::Word("bounded" | "bounded_existence") => PatternKind::BoundedExistence(0),
            Kind::Word("universality") => PatternKind::Universality,
            Kind::Word("precedence") => PatternKind::Precedence,
            Kind::Word("response") => PatternKind::Response,
            Kind::Word("precedence_chain_2_1") => PatternKind::PrecedenceChain21,
            Kind::Word("precedence_chain_1_2") => PatternKind::PrecedenceChain12,
            Kind::Word("response_chain_2_1") => PatternKind::ResponseChain21,
            Kind::Word("response_chain_1_2") => PatternKind::ResponseChain12,
            _ => {
                let token = self.peek();
                let message = format!("expected the name of a pattern, found {}", token.describe());
                let mut problem = Diagnostic::error(self.language.code, message)
                    .at(token.span, "here")
                    .note(format!("patterns: {}", PATTERN_NAMES.join(", ")));
                if let Kind::Word(word) = token.kind
                    && let Some(name) =
                        similar(word, PATTERN_NAMES.map(|name| name.split('(').next().unwrap_or(name)))
                {
                    problem = problem.help(format!("there is a `{name}`"));
                }
                self.diagnostics.push(problem);
                return Err(Stop);
            }
        };
        self.next();
        Ok(kind)
    }

    fn times(&mut self) -> Parsed<usize> {
        let number = match self.peek().kind {
            Kind::Number(text) => text.parse().ok().filter(|&times| times <= MOST_TIMES),
            _ => None,
        };
        match number {
            Some(times) => {
                self.next();
                Ok(times)
            }
            None => self.expected(&format!("a number up to {MOST_TIMES}")),
        }
    }

    /// A formula about one state.
    fn state_formula(&mut self, least: u8) -> Parsed<Tree> {
        let tree = self.formula(least)?;
        if tree.is_temporal {
            let message = "operands of patterns are about one state";
            let problem =
                Diagnostic::error(self.language.code, message).at(tree.span, "has a temporal operator");
            self.diagnostics.push(problem);
            return Err(Stop);
        }
        Ok(tree)
    }

    fn scope(&mut self) -> Parsed<ParsedScope> {
        match self.peek().kind {
            Kind::End => return Ok(ParsedScope::Globally),
            Kind::Word("globally") => {
                self.next();
                return Ok(ParsedScope::Globally);
            }
            _ => {}
        }
        match self.peek().kind {
            Kind::Word("before") => {
                self.next();
                Ok(ParsedScope::Before(self.state_formula(STATE_LEVEL)?))
            }
            Kind::Word("after") => {
                self.next();
                let start = self.state_formula(STATE_LEVEL)?;
                if self.peek().kind != Kind::Word("until") {
                    return Ok(ParsedScope::After(start));
                }
                self.next();
                Ok(ParsedScope::AfterUntil(start, self.state_formula(STATE_LEVEL)?))
            }
            Kind::Word("between") => {
                self.next();
                let start = self.state_formula(STATE_LEVEL)?;
                if self.peek().kind != Kind::Word("and") {
                    return self.expected("`and`");
                }
                self.next();
                Ok(ParsedScope::Between(start, self.state_formula(STATE_LEVEL)?))
            }
            other => {
                let stop = self.expected("`globally`, `before`, `after`, `between` or the end");
                if let Kind::Word(word) = other
                    && let Some(name) = similar(word, ["globally", "before", "after", "between"])
                    && let Some(problem) = self.diagnostics.pop()
                {
                    self.diagnostics.push(problem.help(format!("there is a `{name}`")));
                }
                stop
            }
        }
    }
}
