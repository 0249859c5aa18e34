//! Questions about systems of IF with clocks.
//!
//! The states in the middle of a transition are none of the system: conditions on single states look past them, and what has to be true for
//! ever need not be true there.

use fathom_model::PropertyId;
use fathom_source::{Diagnostic, FileId, SourceMap, Span, has_errors};
use fathom_timed::extremum::Extremum;
use fathom_timed::{Conjunct, TimedProperty, TimedQuestion};

use crate::query::{FORMS, Query, asks_for_deadlock};
use crate::timed::LoadedTimed;

type Said<T> = Result<T, Vec<Diagnostic>>;

impl LoadedTimed {
    /// Whether a condition is true in some state, or in every one.
    pub(crate) fn if_reach(&mut self, text: &str, is_wanted: bool) -> Said<TimedQuestion> {
        if let Some(is_stuck) = asks_for_deadlock(text.trim()) {
            let stuck = Conjunct { is_stuck: Some(is_stuck == is_wanted), ..Conjunct::default() };
            return Ok(match (is_wanted, is_stuck) {
                (false, false) => TimedQuestion::Deadlock,
                (true, _) => TimedQuestion::Reach(vec![stuck]),
                (false, true) => TimedQuestion::Never(vec![stuck]),
            });
        }
        let found = self.if_conjuncts(text, is_wanted)?;
        let found = self.if_system()?.between(found);
        Ok(if is_wanted { TimedQuestion::Reach(found) } else { TimedQuestion::Never(found) })
    }

    /// What a query asks: one thing, but for lists of values, each of which is a question of its own.
    pub(crate) fn if_questions(&mut self, text: &str) -> Said<Vec<TimedQuestion>> {
        let Some(query) = Query::read(text) else {
            return Err(vec![Diagnostic::error("query::form", FORMS)]);
        };
        let question = match query {
            Query::Possibly(condition) => self.if_reach(condition, true)?,
            Query::Invariantly(condition) => self.if_reach(condition, false)?,
            Query::PotentiallyAlways(condition) => TimedQuestion::Always(self.for_ever(condition, true)?),
            Query::Eventually(condition) => TimedQuestion::NotAlways(self.for_ever(condition, false)?),
            Query::LeadsTo(premise, conclusion) => {
                let within = self.for_ever(conclusion, false)?;
                let (first, second) =
                    (self.if_conjuncts(premise, true)?, self.if_conjuncts(conclusion, false)?);
                let both = |one: &Conjunct, other: &Conjunct| Conjunct {
                    conditions: [&one.conditions[..], &other.conditions[..]].concat(),
                    clocks: [&one.clocks[..], &other.clocks[..]].concat(),
                    is_stuck: None,
                };
                let pairs = first.iter().flat_map(|one| second.iter().map(move |other| both(one, other)));
                TimedQuestion::LeadsTo(self.if_system()?.between(pairs.collect()), within)
            }
            Query::Extremum { is_largest, among, values } => {
                let among = match among {
                    Some(condition) => self.if_conjuncts(condition, true)?,
                    None => vec![Conjunct::default()],
                };
                let among = self.if_system()?.between(among);
                let mut found = Vec::new();
                for value in values {
                    let measured = self.if_expression(value, |system, parsed| system.measured(parsed))?;
                    let asked = Extremum { is_largest, among: among.clone(), measured };
                    found.push(TimedQuestion::Extremum(asked));
                }
                return Ok(found);
            }
        };
        Ok(vec![question])
    }

    /// Adds queries, one a line; what comes after `//` is a comment.
    pub(crate) fn ask_if_queries(&mut self, text: &str) -> Said<Vec<PropertyId>> {
        let mut found = Vec::new();
        for line in text.lines() {
            let line = line.split("//").next().unwrap_or(line).trim();
            if line.is_empty() {
                continue;
            }
            for question in self.if_questions(line)? {
                let name = self.free_name("query");
                let file = self.sources.add(format!("<{name}>"), line);
                let span = Some(Span { file, start: 0, end: line.len() as u32 });
                self.properties.push(TimedProperty { name, question, span });
                found.push(PropertyId::from(self.properties.len() - 1));
            }
        }
        Ok(found)
    }

    /// A condition on locations and integers of a system of IF, for formulas.
    pub(crate) fn if_proposition(&self, file: FileId, sources: &SourceMap) -> Said<fathom_timed::Expr> {
        let (parsed, said) = fathom_if::parse_expression(file, sources);
        match (parsed, &self.system) {
            (Some(parsed), Some(system)) if !has_errors(&said) => system.proposition(&parsed),
            _ => Err(said),
        }
    }

    /// What has to be true for ever: convex in every state, so that at most one conjunct speaks of clocks.
    fn for_ever(&mut self, text: &str, is_wanted: bool) -> Said<Vec<Conjunct>> {
        let mut within = self.if_conjuncts(text, is_wanted)?;
        if within.iter().filter(|conjunct| !conjunct.clocks.is_empty()).count() > 1 {
            let message =
                "what has to be true for ever has to be convex: one conjunction of bounds on clocks";
            return Err(vec![Diagnostic::error("if::not-convex", message)]);
        }
        within.extend(self.if_system()?.middle());
        Ok(within)
    }

    /// The alternatives under which an expression is true, or false.
    fn if_conjuncts(&mut self, text: &str, is_wanted: bool) -> Said<Vec<Conjunct>> {
        self.if_expression(text, |system, parsed| system.conjuncts(parsed, is_wanted))
    }

    fn if_system(&self) -> Said<&fathom_if::TimedSystem> {
        self.system.as_deref().ok_or_else(|| self.diagnostics.clone())
    }

    fn if_expression<T>(
        &mut self,
        text: &str,
        lower: impl FnOnce(&fathom_if::TimedSystem, &fathom_if::syntax::Expr) -> Said<T>,
    ) -> Said<T> {
        let file = self.sources.add("<expression>", text);
        let (parsed, said) = fathom_if::parse_expression(file, &self.sources);
        match parsed {
            Some(parsed) if !has_errors(&said) => lower(self.if_system()?, &parsed),
            _ => Err(said),
        }
    }
}
