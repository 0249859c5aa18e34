//! Properties: labels of the file, and conditions given from outside.

use fathom_source::{Diagnostic, FileId, SourceMap, Span};
use fathom_timed::{Conjunct, Expr, Network, TimedProperty, TimedQuestion};

use crate::condition::{conjuncts, proposition};
use crate::scope::Scope;
use crate::syntax::Text;

/// That nothing runs into a fault; for each label whether it can be reached; and that nothing is stuck.
pub(crate) fn of_labels(network: &Network) -> Vec<TimedProperty> {
    let of_all = |name: &str, question| TimedProperty { name: name.to_owned(), question, span: None };
    let reach = |(label, name): (usize, &String)| {
        let name = match name.as_str() {
            "runtime-error" | "deadlock" => format!("label-{name}"),
            name => name.to_owned(),
        };
        let conditions = vec![Expr::HasLabel(label)];
        let question = TimedQuestion::Reach(vec![Conjunct { conditions, ..Conjunct::default() }]);
        TimedProperty { name, question, span: None }
    };
    let mut properties = vec![of_all("runtime-error", TimedQuestion::RuntimeError)];
    properties.extend(network.labels.iter().enumerate().map(reach));
    properties.push(of_all("deadlock", TimedQuestion::Deadlock));
    properties
}

/// A condition that is to be true in some state.
///
/// # Errors
///
/// What is wrong with it.
pub fn lower_reach(
    network: &Network,
    file: FileId,
    sources: &SourceMap,
) -> Result<TimedQuestion, Vec<Diagnostic>> {
    condition(network, file, sources, false).map(TimedQuestion::Reach)
}

/// A condition that is to be true in every state.
///
/// # Errors
///
/// What is wrong with it.
pub fn lower_invariant(
    network: &Network,
    file: FileId,
    sources: &SourceMap,
) -> Result<TimedQuestion, Vec<Diagnostic>> {
    condition(network, file, sources, true).map(TimedQuestion::Never)
}

/// An expression about locations and integers of one state: a proposition of a formula.
///
/// # Errors
///
/// What is wrong with it; a bound on clocks is, as it is not true or false of a whole step.
pub fn lower_state_expr(
    network: &Network,
    file: FileId,
    sources: &SourceMap,
) -> Result<Expr, Vec<Diagnostic>> {
    let scope = Scope::of(network).about_states(network);
    let mut diagnostics = Vec::new();
    let found = proposition(&scope, &whole(file, sources), &mut diagnostics);
    found.filter(|_| !fathom_source::has_errors(&diagnostics)).ok_or(diagnostics)
}

/// The text of a file without white space around it.
fn whole(file: FileId, sources: &SourceMap) -> Text {
    let raw = sources.file(file).text();
    let start = raw.len() - raw.trim_start().len();
    let text = raw.trim().to_owned();
    let span = Span { file, start: start as u32, end: (start + text.len()) as u32 };
    Text { text, span }
}

fn condition(
    network: &Network,
    file: FileId,
    sources: &SourceMap,
    is_negated: bool,
) -> Result<Vec<Conjunct>, Vec<Diagnostic>> {
    let scope = Scope::of(network).about_states(network);
    let mut diagnostics = Vec::new();
    let found = conjuncts(&scope, &whole(file, sources), is_negated, &mut diagnostics);
    match found {
        Some(found) if !fathom_source::has_errors(&diagnostics) => Ok(found),
        _ => Err(diagnostics),
    }
}
