//! Diagnostics as JSON for scripts.
//!
//! An array of objects: `code`, `severity` (`error` or `warning`), `message`, `span` and `end`
//! (`file:line:column`, null without a place), `label`, `labels` (other places: `span`, `end`, `text`),
//! `notes`, `help` (null if there is none).

use crate::{Diagnostic, Label, Severity, SourceMap, Span};
use serde_json::{Value, json};

/// All diagnostics in their order, in the form that the module describes.
pub fn render_json(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Value {
    diagnostics.iter().map(|diagnostic| one(sources, diagnostic)).collect()
}

fn one(sources: &SourceMap, diagnostic: &Diagnostic) -> Value {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let primary = diagnostic.primary.as_ref();
    let labels: Vec<Value> = diagnostic
        .secondary
        .iter()
        .map(|Label { span, text }| json!({ "span": start(sources, *span), "end": end(sources, *span), "text": text }))
        .collect();
    json!({
        "code": diagnostic.code,
        "severity": severity,
        "message": diagnostic.message,
        "span": primary.and_then(|label| start(sources, label.span)),
        "end": primary.and_then(|label| end(sources, label.span)),
        "label": primary.map(|label| &label.text),
        "labels": labels,
        "notes": diagnostic.notes,
        "help": diagnostic.help,
    })
}

/// None for a span of another map.
fn start(sources: &SourceMap, span: Span) -> Option<String> {
    (span.file.index() < sources.n_files()).then(|| sources.locate(span))
}

fn end(sources: &SourceMap, span: Span) -> Option<String> {
    start(sources, Span { start: span.end, ..span })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_has_code_place_and_words() {
        let mut sources = SourceMap::new();
        let file = sources.add("a.pml", "byte a;\nbyte a;\n");
        let diagnostics = [
            Diagnostic::error("promela::redeclared", "`a` is declared again")
                .at(Span { file, start: 13, end: 14 }, "here")
                .also(Span { file, start: 5, end: 6 }, "first here"),
            Diagnostic::warning("promela::odd", "odd").note("a note").help("do this"),
        ];
        let expected = json!([
            { "code": "promela::redeclared", "severity": "error", "message": "`a` is declared again",
              "span": "a.pml:2:6", "end": "a.pml:2:7", "label": "here",
              "labels": [{ "span": "a.pml:1:6", "end": "a.pml:1:7", "text": "first here" }],
              "notes": [], "help": null },
            { "code": "promela::odd", "severity": "warning", "message": "odd", "span": null, "end": null,
              "label": null, "labels": [], "notes": ["a note"], "help": "do this" },
        ]);
        assert_eq!(render_json(&sources, &diagnostics), expected);
    }

    #[test]
    fn a_span_beyond_the_text_has_a_place() {
        let mut sources = SourceMap::new();
        let file = sources.add("é", "é");
        let diagnostic = Diagnostic::error("t::t", "").at(Span { file, start: 1, end: 99 }, "");
        let json = render_json(&sources, &[diagnostic]);
        assert_eq!(json[0]["span"], "é:1:1");
        assert_eq!(json[0]["end"], "é:1:2");
    }
}
