//! Use cases: lists of events that users care about, as criteria.
//!
//! A use case has an identifier, a name, a priority and its basic course, one event a line, each a regular expression for the action that
//! it is (Katara and Kervinen, HVC 2006). Its events follow each other with `then`; use cases of one priority are joined with `and`, those of
//! different priorities with `then`, the smallest number first.
//!
//! ```text
//! use case UC1 "Alice invites Bob" priority 1
//!   Alice.Call
//!   Bob.Answer
//! use case UC2 "Bob hangs up"
//!   Bob.HangUp
//! ```

use std::collections::BTreeMap;

use fathom_source::{Diagnostic, FileId, SourceMap, Span};

use crate::criterion::{Criterion, Elementary, Join, Kind, Pattern, Quantifier};
use crate::parse::MOST_NESTED;

/// The priority of a use case that does not say one.
const USUAL_PRIORITY: u32 = 1;

/// Something that users do.
#[derive(Clone, PartialEq, Debug)]
pub struct UseCase {
    /// A short name for reports.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// The smaller, the earlier.
    pub priority: u32,
    /// The actions of its basic course.
    pub events: Vec<Pattern>,
    /// Where it begins.
    pub span: Span,
}

impl UseCase {
    /// Its events, one after the other.
    ///
    /// # Panics
    ///
    /// When it has no events; the parser gives none such.
    pub fn criterion(&self) -> Criterion {
        let events = self.events.iter().map(|pattern| {
            Criterion::Elementary(Elementary {
                quantifier: Quantifier::Any,
                least: 1,
                kind: Kind::Actions,
                patterns: vec![pattern.clone()],
                span: Some(self.span),
            })
        });
        chain(events, Join::Then).expect("a use case has events")
    }
}

fn chain(criteria: impl IntoIterator<Item = Criterion>, join: Join) -> Option<Criterion> {
    criteria.into_iter().reduce(|left, right| left.joined(join, right))
}

/// The criterion of several use cases: in the order of priorities, those of one priority in any order. None if there are none.
pub fn criterion_of(use_cases: &[UseCase]) -> Option<Criterion> {
    let mut by_priority: BTreeMap<u32, Vec<Criterion>> = BTreeMap::new();
    for use_case in use_cases {
        by_priority.entry(use_case.priority).or_default().push(use_case.criterion());
    }
    chain(by_priority.into_values().filter_map(|together| chain(together, Join::And)), Join::Then)
}

/// Reads a file of use cases.
///
/// # Errors
///
/// What is wrong with each line that cannot be read.
pub fn parse_use_cases(file: FileId, sources: &SourceMap) -> Result<Vec<UseCase>, Vec<Diagnostic>> {
    let text = sources.file(file).text();
    let mut found: Vec<UseCase> = Vec::new();
    let mut problems = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let content = line.trim();
        let begin = (start + indent) as u32;
        let span = Span { file, start: begin, end: begin + content.len() as u32 };
        start += line.len();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let read = match content.strip_prefix("use case") {
            Some(rest) if rest.starts_with(char::is_whitespace) => {
                heading(rest.trim(), span).map(|use_case| found.push(use_case))
            }
            _ => event(content).and_then(|pattern| match found.last_mut() {
                Some(use_case) if use_case.events.len() < MOST_NESTED / 2 => {
                    use_case.events.push(pattern);
                    Ok(())
                }
                Some(_) => Err(format!("a use case has at most {} events", MOST_NESTED / 2)),
                None => Err("expected `use case` before the first event".to_owned()),
            }),
        };
        if let Err(message) = read {
            problems.push(Diagnostic::error("coverage::use-case", message).at(span, ""));
        }
    }
    for (index, use_case) in found.iter().enumerate() {
        let mut complain = |message: String| {
            problems.push(Diagnostic::error("coverage::use-case", message).at(use_case.span, ""));
        };
        if use_case.events.is_empty() {
            complain(format!("use case `{}` has no events", use_case.id));
        }
        if found[..index].iter().any(|other| other.id == use_case.id) {
            complain(format!("there are two use cases `{}`", use_case.id));
        }
    }
    if found.is_empty() && problems.is_empty() {
        problems.push(Diagnostic::error("coverage::use-case", "there are no use cases"));
    }
    if found.len() > MOST_NESTED / 2 {
        let message = format!("there are more than {} use cases", MOST_NESTED / 2);
        problems.push(Diagnostic::error("coverage::use-case", message));
    }
    if problems.is_empty() { Ok(found) } else { Err(problems) }
}

fn event(text: &str) -> Result<Pattern, String> {
    Pattern::new(text).map_err(|error| format!("no regular expression: {error}"))
}

/// `ID "name" priority 2`, of which only the identifier has to be there.
fn heading(text: &str, span: Span) -> Result<UseCase, String> {
    let (id, mut rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    rest = rest.trim();
    let mut name = id.to_owned();
    if let Some(quoted) = rest.strip_prefix('"') {
        let (inside, after) = quoted.split_once('"').ok_or("a name without a closing quote")?;
        name = inside.to_owned();
        rest = after.trim();
    }
    let mut priority = USUAL_PRIORITY;
    if let Some(number) = rest.strip_prefix("priority") {
        priority =
            number.trim().parse().map_err(|_| "expected a whole number after `priority`".to_owned())?;
        rest = "";
    }
    match (id, rest) {
        ("" | "priority", _) => Err("expected an identifier after `use case`".to_owned()),
        (_, "") => Ok(UseCase { id: id.to_owned(), name, priority, events: Vec::new(), span }),
        _ => Err(format!("expected `priority`, found `{rest}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<UseCase>, Vec<Diagnostic>> {
        let mut sources = SourceMap::new();
        let file = sources.add("calls.use", text);
        parse_use_cases(file, &sources)
    }

    #[test]
    fn priorities_order_use_cases() {
        let text = "# calls\nuse case U2 \"late\" priority 2\n c\nuse case U1\n a.*\n b\n\nuse case U3\n d\n";
        let use_cases = read(text).unwrap();
        assert_eq!(use_cases[0].name, "late");
        let criterion = criterion_of(&use_cases).unwrap();
        let expected = "(((action a.* then action b) and action d) then action c)";
        assert_eq!(criterion.to_string(), expected);
        assert_eq!(criterion_of(&[]), None);
    }

    #[test]
    fn every_problem_is_reported_at_its_line() {
        let text =
            "event\nuse case\nuse case A priority x\nuse case B \"b\n [\nuse case C\n  a\nuse case C\n";
        let problems = read(text).unwrap_err();
        let starts: Vec<u32> =
            problems.iter().map(|problem| problem.primary.as_ref().unwrap().span.start).collect();
        assert_eq!(starts.len(), 7, "{problems:?}");
        assert_eq!(starts[0], 0);
        assert_eq!(read("").unwrap_err().len(), 1);
    }
}
