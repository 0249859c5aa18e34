//! Diagnostics as text for people, with excerpts of the source.
//!
//! This is the only file that knows the library that draws the excerpts. Spans are clamped to the text and to
//! character boundaries first, so that a span that is slightly wrong costs a caret, never a panic. A line
//! longer than [`MAX_EXCERPT_BYTES`] is not shown.

use crate::{Diagnostic, Severity, SourceMap, Span};
use codespan_reporting::diagnostic as drawn;
use codespan_reporting::files::{Error, Files};
use codespan_reporting::term::{self, Config, termcolor::Buffer};
use std::ops::Range;

/// Lines longer than this are left out of excerpts.
const MAX_EXCERPT_BYTES: usize = 2000;

/// All diagnostics in their order, with excerpts, in color (ANSI escapes) if asked.
pub fn render_text(sources: &SourceMap, diagnostics: &[Diagnostic], color: bool) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        match draw(sources, diagnostic, color) {
            Some(drawn) => text.push_str(&drawn),
            None => text.push_str(&plain(sources, diagnostic)),
        }
    }
    text
}

/// None when there is no excerpt to show.
fn draw(sources: &SourceMap, diagnostic: &Diagnostic, color: bool) -> Option<String> {
    let labels = diagnostic.primary.iter().map(|label| (drawn::LabelStyle::Primary, label));
    let labels = labels.chain(diagnostic.secondary.iter().map(|label| (drawn::LabelStyle::Secondary, label)));
    let labels: Vec<drawn::Label<usize>> = labels
        .map(|(style, label)| {
            let range = excerpt(sources, label.span)?;
            Some(drawn::Label::new(style, label.span.file.index(), range).with_message(&label.text))
        })
        .collect::<Option<_>>()?;
    let severity = match diagnostic.severity {
        Severity::Error => drawn::Severity::Error,
        Severity::Warning => drawn::Severity::Warning,
    };
    let mut notes = diagnostic.notes.clone();
    notes.extend(diagnostic.help.iter().map(|help| format!("help: {help}")));
    let drawing = drawn::Diagnostic::new(severity)
        .with_code(diagnostic.code)
        .with_message(&diagnostic.message)
        .with_labels(labels)
        .with_notes(notes);
    let mut buffer = if color { Buffer::ansi() } else { Buffer::no_color() };
    term::emit_to_write_style(&mut buffer, &Config::default(), &Excerpts(sources), &drawing).ok()?;
    String::from_utf8(buffer.into_inner()).ok()
}

/// One diagnostic without excerpts.
fn plain(sources: &SourceMap, diagnostic: &Diagnostic) -> String {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let mut text = String::new();
    if let Some(label) = diagnostic.primary.as_ref().filter(|label| is_known(sources, label.span)) {
        text.push_str(&format!("{}: ", sources.locate(label.span)));
    }
    text.push_str(&format!("{severity}[{}]: {}\n", diagnostic.code, diagnostic.message));
    for note in &diagnostic.notes {
        text.push_str(&format!("  = {note}\n"));
    }
    if let Some(help) = &diagnostic.help {
        text.push_str(&format!("  = help: {help}\n"));
    }
    text
}

fn is_known(sources: &SourceMap, span: Span) -> bool {
    span.file.index() < sources.n_files()
}

/// The bytes of a span, clamped to the text; none if its lines are too long to show.
fn excerpt(sources: &SourceMap, span: Span) -> Option<Range<usize>> {
    if !is_known(sources, span) {
        return None;
    }
    let file = sources.file(span.file);
    let text = file.text();
    let start = text.floor_char_boundary(span.start as usize);
    let end = text.ceil_char_boundary((span.end as usize).min(text.len())).max(start);
    let too_long = |offset: usize| file.line(file.line_column(offset as u32).0).len() > MAX_EXCERPT_BYTES;
    if too_long(start) || too_long(end) { None } else { Some(start..end) }
}

/// The files of a map as the drawing library wants to see them.
struct Excerpts<'a>(&'a SourceMap);

impl<'a> Files<'a> for Excerpts<'a> {
    type FileId = usize;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, id: usize) -> Result<&'a str, Error> {
        self.0.files().nth(id).map(|(_, file)| file.name()).ok_or(Error::FileMissing)
    }

    fn source(&'a self, id: usize) -> Result<&'a str, Error> {
        self.0.files().nth(id).map(|(_, file)| file.text()).ok_or(Error::FileMissing)
    }

    fn line_index(&'a self, id: usize, offset: usize) -> Result<usize, Error> {
        let (_, file) = self.0.files().nth(id).ok_or(Error::FileMissing)?;
        Ok(file.line_of(offset as u32) as usize - 1)
    }

    fn line_range(&'a self, id: usize, line: usize) -> Result<Range<usize>, Error> {
        let (_, file) = self.0.files().nth(id).ok_or(Error::FileMissing)?;
        let max = file.n_lines() as usize - 1;
        file.line_range(line as u32 + 1).ok_or(Error::LineTooLarge { given: line, max })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_points_at_the_place() {
        let mut sources = SourceMap::new();
        let file = sources.add("a.pml", "byte é;\nx = 1;\n");
        let diagnostic = Diagnostic::error("promela::undeclared-name", "undeclared name `x`")
            .at(Span { file, start: 9, end: 10 }, "not declared")
            .also(Span { file, start: 0, end: 4 }, "a type")
            .note("names are declared before they are used")
            .help("declare it");
        let text = render_text(&sources, &[diagnostic], false);
        let expected = "\
error[promela::undeclared-name]: undeclared name `x`
  ┌─ a.pml:2:1
  │
1 │ byte é;
  │ ---- a type
2 │ x = 1;
  │ ^ not declared
  │
  = names are declared before they are used
  = help: declare it

";
        assert_eq!(text, expected);
    }

    #[test]
    fn every_span_of_every_text_renders() {
        for text in ["", "\n", "é", "a\r\nb\t\u{301}", "\u{1F600}\n\n", "x\ny"] {
            let mut sources = SourceMap::new();
            let file = sources.add("t", text);
            for start in 0..=text.len() as u32 + 2 {
                for end in 0..=text.len() as u32 + 2 {
                    let diagnostic =
                        Diagnostic::warning("t::t", "found").at(Span { file, start, end }, "here");
                    for color in [false, true] {
                        let rendered = render_text(&sources, std::slice::from_ref(&diagnostic), color);
                        assert!(rendered.contains("found"), "{text:?} {start} {end}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_very_long_line_is_not_shown() {
        let mut sources = SourceMap::new();
        let file = sources.add("t", "x".repeat(100_000));
        let diagnostic = Diagnostic::error("t::t", "found").at(Span { file, start: 5, end: 6 }, "");
        assert_eq!(render_text(&sources, &[diagnostic], false), "t:1:6: error[t::t]: found\n");
    }

    #[test]
    fn a_diagnostic_without_a_place_renders() {
        let text = render_text(&SourceMap::new(), &[Diagnostic::error("t::t", "nothing there")], false);
        assert_eq!(text, "error[t::t]: nothing there\n\n");
    }
}
