//! Why a command could not run: the environment, the flags, or errors in the model.

use fathom_core::model::{Answer, Stop, Trust, Verdict};
use fathom_source::{Diagnostic, SourceMap, render_json, render_text};
use std::io::IsTerminal;

use crate::output;
use crate::wire::ErrorReport;

/// Exit status: every property holds.
pub const HOLDS: u8 = 0;
/// Exit status: some property is violated.
pub const VIOLATED: u8 = 1;
/// Exit status: the command could not run.
pub const CANNOT_RUN: u8 = 2;
/// Exit status: some property has no answer and none is violated.
pub const INCONCLUSIVE: u8 = 3;

/// The exit status for some verdicts, and the reason why the search that gave them ended.
pub fn status<'v>(verdicts: impl Iterator<Item = &'v Verdict> + Clone, stop: Stop) -> u8 {
    if verdicts.clone().any(|verdict| verdict.answer == Answer::Violated) {
        return VIOLATED;
    }
    let is_proved = |verdict: &Verdict| verdict.answer == Answer::Holds && verdict.trust == Trust::Complete;
    let is_complete = verdicts.clone().next().is_some() || stop == Stop::Exhausted;
    if verdicts.clone().all(is_proved) && is_complete { HOLDS } else { INCONCLUSIVE }
}

/// Why a command could not run.
#[derive(Debug)]
pub struct Failure {
    /// One line.
    message: String,
    /// Errors in the model or in a property: as text and as JSON.
    diagnostics: Option<(String, serde_json::Value)>,
}

impl Failure {
    /// A failure that one line explains.
    pub fn new(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), diagnostics: None }
    }

    /// Errors in the model or in a property.
    pub fn of_diagnostics(
        message: impl Into<String>,
        sources: &SourceMap,
        diagnostics: &[Diagnostic],
    ) -> Failure {
        let color = std::io::stderr().is_terminal();
        let text = render_text(sources, diagnostics, color);
        Failure { message: message.into(), diagnostics: Some((text, render_json(sources, diagnostics))) }
    }

    /// Says why: in words on standard error, or as one JSON object on standard output.
    pub fn report(&self, as_json: bool) {
        if as_json {
            let diagnostics = match &self.diagnostics {
                Some((_, serde_json::Value::Array(list))) => list.clone(),
                _ => Vec::new(),
            };
            let report = ErrorReport {
                fathom: crate::wire::VERSION.to_owned(),
                error: self.message.clone(),
                diagnostics,
            };
            // Standard output may be closed: there is nobody left to tell.
            let _ = output::print_json(&report);
            return;
        }
        if let Some((text, _)) = &self.diagnostics {
            output::note(text.trim_end());
        }
        output::complain(&self.message);
    }
}
