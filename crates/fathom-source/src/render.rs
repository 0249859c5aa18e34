//! Diagnostics as text for people, with excerpts of the source.
//!
//! This is the only file that knows the library that draws the excerpts. Spans are clamped to the text and to
//! character boundaries first, so that a span that is slightly wrong costs a caret, never a panic. A line
//! longer than [`MAX_EXCERPT_BYTES`] is not shown.

use crate::{Diagnostic, Severity, SourceMap, Span};
use codespan_reporting::diagnostic as drawn;
use codespan_reporting::files::{Error, Files};
use codespan_reporting::term::{self, Config, termcolor::Buffer};
use std::borrow::Cow;
use std::ops::Range;

/// Lines longer than this are left out of excerpts.
const MAX_EXCERPT_BYTES: usize = 2000;

/// All diagnostics in their order, with excerpts, in color (ANSI escapes) if asked.
pub fn render_text(sources: &SourceMap, diagnostics: &[Diagnostic], color: bool) -> String {
    let mut text = String::new();
    let excerpts = Excerpts::new(sources);
    for diagnostic in diagnostics.iter().map(visible_diagnostic) {
        match draw(&excerpts, &diagnostic, color) {
            Some(drawn) => text.push_str(&drawn),
            None => text.push_str(&plain(sources, &diagnostic)),
        }
    }
    text
}

/// Whether a character would change how others are shown.
fn is_hidden(one: char) -> bool {
    let turns = matches!(one, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (one.is_control() && !matches!(one, '\n' | '\r' | '\t'))
}

/// A text of as many bytes in which every character can be seen.
fn visible_source(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let shown = |one: char| match (is_hidden(one), one.len_utf8()) {
        (false, _) => one,
        (true, 1) => '?',
        (true, 2) => '\u{b7}',
        (true, _) => '\u{fffd}',
    };
    Cow::Owned(text.chars().map(shown).collect())
}

/// A text in which every character can be seen.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for one in text.chars() {
        if is_hidden(one) { shown.extend(one.escape_default()) } else { shown.push(one) }
    }
    shown
}

fn visible_diagnostic(diagnostic: &Diagnostic) -> Diagnostic {
    let mut shown = diagnostic.clone();
    shown.message = visible(&shown.message);
    shown.notes.iter_mut().chain(&mut shown.help).for_each(|text| *text = visible(text));
    for label in shown.primary.iter_mut().chain(&mut shown.secondary) {
        label.text = visible(&label.text);
    }
    shown
}

/// None when there is no excerpt to show.
fn draw(excerpts: &Excerpts<'_>, diagnostic: &Diagnostic, color: bool) -> Option<String> {
    let sources = excerpts.sources;
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
    term::emit_to_write_style(&mut buffer, &Config::default(), excerpts, &drawing).ok()?;
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
struct Excerpts<'s> {
    sources: &'s SourceMap,
    /// By file, its text with every character to be seen.
    texts: Vec<Cow<'s, str>>,
}

impl<'s> Excerpts<'s> {
    fn new(sources: &'s SourceMap) -> Excerpts<'s> {
        Excerpts { sources, texts: sources.files().map(|(_, file)| visible_source(file.text())).collect() }
    }
}

impl<'a> Files<'a> for Excerpts<'_> {
    type FileId = usize;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, id: usize) -> Result<&'a str, Error> {
        self.sources.files().nth(id).map(|(_, file)| file.name()).ok_or(Error::FileMissing)
    }

    fn source(&'a self, id: usize) -> Result<&'a str, Error> {
        self.texts.get(id).map(|text| &**text).ok_or(Error::FileMissing)
    }

    fn line_index(&'a self, id: usize, offset: usize) -> Result<usize, Error> {
        let (_, file) = self.sources.files().nth(id).ok_or(Error::FileMissing)?;
        Ok(file.line_of(offset as u32) as usize - 1)
    }

    fn line_range(&'a self, id: usize, line: usize) -> Result<Range<usize>, Error> {
        let (_, file) = self.sources.files().nth(id).ok_or(Error::FileMissing)?;
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
    fn control_characters_are_not_passed_on() {
        let mut sources = SourceMap::new();
        let file = sources.add("a.pml", "by\u{1b}te \u{9b}\u{202e}x;\n");
        let diagnostic = Diagnostic::error("promela::syntax", "what is `\u{1b}[2J`")
            .at(Span { file, start: 10, end: 11 }, "\u{7}")
            .note("\u{0}");
        let text = render_text(&sources, &[diagnostic], false);
        assert!(!text.contains(is_hidden), "{text:?}");
        assert!(text.contains("by?te \u{b7}\u{fffd}x;") && text.contains("what is `\\u{1b}[2J`"), "{text}");
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
