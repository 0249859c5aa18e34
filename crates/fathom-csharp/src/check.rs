//! A check of the whole front end on arbitrary bytes, for tests and fuzz targets.

use fathom_program::Program;
use fathom_source::{SourceMap, has_errors, render_json, render_text};

use crate::load::{Options, read};

/// How many states of what was read are looked at.
const MOST_STATES: usize = 6;

/// Reads bytes as a program and as a state machine, takes some steps, and renders everything there is to say.
///
/// # Panics
///
/// When the front end has a bug: it panics, or a diagnostic has a place that does not exist.
pub fn check_front_end(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut sources = SourceMap::new();
    let file = sources.add("input", text.as_ref());
    for (programs, machines) in [(&[file][..], &[][..]), (&[], &[file])] {
        let (program, diagnostics) = read(programs, machines, &sources, &Options::default());
        assert_eq!(program.is_none(), has_errors(&diagnostics), "a program exactly when there is no error");
        for diagnostic in &diagnostics {
            for label in diagnostic.primary.iter().chain(&diagnostic.secondary) {
                let text = sources.file(label.span.file).text();
                let range = label.span.start as usize..label.span.end as usize;
                assert!(text.get(range).is_some(), "a place that does not exist: {diagnostic:?}");
            }
        }
        render_text(&sources, &diagnostics, true);
        render_json(&sources, &diagnostics);
        if let Some(program) = program {
            walk(&program);
        }
    }
}

/// Looks at a few states.
fn walk(program: &crate::CSharpProgram) {
    let mut pending = program.initial();
    let mut n_seen = 0;
    while let Some(state) = pending.pop() {
        n_seen += 1;
        program.variables(&state);
        let mut actions = Vec::new();
        program.actions(&state, &mut actions);
        for action in actions {
            let mut next = state.clone();
            if program.try_apply(&action, &mut next).is_ok() && n_seen + pending.len() < MOST_STATES {
                pending.push(next);
            }
        }
    }
}
