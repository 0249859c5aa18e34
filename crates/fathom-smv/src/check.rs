//! A check of the whole front end on arbitrary bytes, for tests and fuzz targets.

use fathom_source::{SourceMap, has_errors, render_json, render_text};

use crate::lower::lower_program;
use crate::parse::{parse_expression, parse_program};

/// Reads bytes as a program and as an expression, and renders everything there is to say.
///
/// # Panics
///
/// When the front end has a bug: it panics, or a diagnostic has a place that does not exist.
pub fn check_front_end(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut sources = SourceMap::new();
    let file = sources.add("input", text.as_ref());
    let (program, mut diagnostics) = parse_program(file, &sources);
    if !has_errors(&diagnostics) {
        let (lowered, said) = lower_program(&program, "input", &[]);
        assert_eq!(lowered.is_none(), has_errors(&said), "a model exactly when there is no error");
        if let Some((model, _)) = lowered {
            assert_eq!(fathom_model::validate(&model), Ok(()));
        }
        diagnostics.extend(said);
    }
    diagnostics.extend(parse_expression(file, &sources).1);
    for diagnostic in &diagnostics {
        for label in diagnostic.primary.iter().chain(&diagnostic.secondary) {
            let text = sources.file(label.span.file).text();
            let range = label.span.start as usize..label.span.end as usize;
            assert!(text.get(range).is_some(), "a place that does not exist: {diagnostic:?}");
        }
    }
    render_text(&sources, &diagnostics, true);
    render_json(&sources, &diagnostics);
}
