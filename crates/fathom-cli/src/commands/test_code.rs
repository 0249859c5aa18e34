//! Tests as source code, by templates.
//!
//! A template is text with fields `{{name}}` and sections `{{#tests}} … {{/tests}}`, `{{#steps}} … {{/steps}}`, `{{#moves}} … {{/moves}}`, which are
//! repeated for each test, step and move. `{{#delay}} … {{/delay}}` is kept for steps that wait. A line with nothing but the begin or end of a section leaves
//! no empty line behind. Fields that are texts come in two forms: `{{text}}` as it stands and `{{text_string}}` as a string of Rust, C or Python.

use crate::wire::{TestForm, TestMoveForm, TestReportForm, TestStepForm};

/// The template for a language.
pub fn built_in(name: &str) -> Option<&'static str> {
    match name {
        "rust" => Some(include_str!("../../templates/tests.rs.txt")),
        "python" => Some(include_str!("../../templates/tests.py.txt")),
        "c" => Some(include_str!("../../templates/tests.c.txt")),
        _ => None,
    }
}

/// What fields stand for in a section.
type Fields = Vec<(&'static str, String)>;

/// A template filled with tests.
///
/// # Errors
///
/// In words: an unknown field or section, or one that does not end.
pub fn fill(template: &str, report: &TestReportForm) -> Result<String, String> {
    let mut text = String::new();
    let fields = vec![
        ("file", report.file.clone()),
        ("file_string", quoted(&report.file)),
        ("language", report.language.clone()),
        ("fathom", report.fathom.clone()),
        ("n_tests", report.tests.len().to_string()),
        ("criteria", report.criteria.join(", ")),
    ];
    render(template, &Level::Report(report), &[fields], &mut text)?;
    Ok(text)
}

/// What a section is about.
enum Level<'r> {
    Report(&'r TestReportForm),
    Test(&'r TestForm),
    Step(&'r TestStepForm),
    Move,
}

fn render(template: &str, level: &Level<'_>, scopes: &[Fields], out: &mut String) -> Result<(), String> {
    let mut rest = template;
    while let Some(start) = rest.find("{{") {
        let end = rest[start..].find("}}").ok_or("a field does not end")? + start;
        let name = rest[start + 2..end].trim();
        let Some(section) = name.strip_prefix('#') else {
            out.push_str(&rest[..start]);
            let value = scopes.iter().rev().flatten().find(|(known, _)| *known == name);
            out.push_str(&value.ok_or_else(|| format!("unknown field '{name}'"))?.1);
            rest = &rest[end + 2..];
            continue;
        };
        let close = format!("{{{{/{section}}}}}");
        let behind = &rest[end + 2..];
        let length = behind.find(&close).ok_or_else(|| format!("the section '{section}' does not end"))?;
        let (before, inside) = lonely(&rest[..start], &behind[..length]);
        out.push_str(before);
        let inside = if ends_lonely(inside) { inside.trim_end_matches([' ', '\t']) } else { inside };
        repeat(section, inside, level, scopes, out)?;
        let after = &behind[length + close.len()..];
        rest = if ends_lonely(inside) { after.strip_prefix('\n').unwrap_or(after) } else { after };
    }
    out.push_str(rest);
    Ok(())
}

/// Whether a text ends with a line of blanks, or is empty.
fn ends_lonely(text: &str) -> bool {
    text.rsplit('\n').next().unwrap_or(text).trim().is_empty() && text.contains('\n')
}

/// The text before a section and the text in it, without the line of the begin if nothing else is on it.
fn lonely<'t>(before: &'t str, inside: &'t str) -> (&'t str, &'t str) {
    let line = before.rsplit('\n').next().unwrap_or(before);
    match inside.strip_prefix('\n') {
        Some(inside) if line.trim().is_empty() => (&before[..before.len() - line.len()], inside),
        _ => (before, inside),
    }
}

fn repeat(
    section: &str,
    inside: &str,
    level: &Level<'_>,
    scopes: &[Fields],
    out: &mut String,
) -> Result<(), String> {
    let mut inner = |level: &Level<'_>, fields: Fields| {
        let scopes = [scopes, &[fields]].concat();
        render(inside, level, &scopes, out)
    };
    match (section, level) {
        ("tests", Level::Report(report)) => {
            for (number, test) in report.tests.iter().enumerate() {
                let goals: Vec<String> =
                    test.goals.iter().map(|&goal| report.goals[goal as usize].text.clone()).collect();
                let fields = vec![
                    ("test", (number + 1).to_string()),
                    ("n_steps", test.steps.len().to_string()),
                    ("goals", goals.join("; ").replace('\n', " ")),
                ];
                inner(&Level::Test(test), fields)?;
            }
        }
        ("steps", Level::Test(test)) => {
            for (number, step) in test.steps.iter().enumerate() {
                let delay = step.delay.map_or("0".to_owned(), |delay| delay.to_string());
                inner(&Level::Step(step), vec![("step", (number + 1).to_string()), ("delay", delay)])?;
            }
        }
        ("delay", Level::Step(step)) => {
            if step.delay.is_some_and(|delay| delay > 0.0) {
                inner(&Level::Move, Vec::new())?;
            }
        }
        ("moves", Level::Step(step)) => {
            for TestMoveForm { process, text } in &step.moves {
                let fields = vec![
                    ("process", process.clone()),
                    ("process_string", quoted(process)),
                    ("text", text.clone()),
                    ("text_string", quoted(text)),
                ];
                inner(&Level::Move, fields)?;
            }
        }
        _ => return Err(format!("unknown section '{section}', or one in the wrong place")),
    }
    Ok(())
}

/// A string of Rust, C and Python alike.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' | '\r' | '\t' => quoted.push(' '),
            other => quoted.push(other),
        }
    }
    quoted + "\""
}
