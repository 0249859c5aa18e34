//! The front end for Uppaal's languages: XML (`.xml`) and text (`.xta`, `.ta`), and its queries (`.q`).
//!
//! `lexer` and the `parse_…` modules read text, `xml` reads XML into the same `syntax`; then `instantiate` makes processes out of
//! templates, with `declare`, `resolve`, `expression`, `statement` and `condition` for what is written in them, `edge`
//! connects them, and `query` turns queries into questions about the [`Network`]. Everything that is known when the model is read
//! is computed then: constants, parameters, selections, quantifiers, calls.
//!
//! **Invariant:** reading never stops at the first problem and never panics. Everything that is not understood has a
//! diagnostic of its own.

#[cfg(test)]
mod alike_tests;
mod branch;
mod condition;
mod cost;
mod declare;
mod define;
mod edge;
mod expression;
mod instantiate;
mod lexer;
mod parse_declaration;
mod parse_expression;
mod parse_system;
mod query;
mod resolve;
mod scope;
mod statement;
#[cfg(test)]
mod symmetry_tests;
mod syntax;
#[cfg(test)]
mod tests;
mod types;
mod xml;

use std::collections::BTreeSet;
use std::rc::Rc;

use fathom_source::{Diagnostic, FileId, SourceMap, Span, has_errors};
use fathom_timed::{Coordinates, Expr, Network, RangeRule, TimedProperty, TimedQuestion};

pub use define::define;

use crate::lexer::{lex, placed};
use crate::parse_expression::Parser;
use crate::resolve::Lowering;
use crate::scope::Scope;
use crate::syntax::{Document, Query};

/// Reads a file: the network, unless there are errors, with the properties that its queries stand for.
pub fn read(file: FileId, sources: &SourceMap) -> (Option<(Network, Vec<TimedProperty>)>, Vec<Diagnostic>) {
    let (document, mut diagnostics) = parse(file, sources);
    let mut properties = Vec::new();
    let network = lower(&document, &mut diagnostics, |lowering, global| {
        properties = lowering.properties(global, &document.queries);
    });
    forget_repeated(&mut diagnostics);
    let is_usable = !has_errors(&diagnostics);
    (is_usable.then_some((network, properties)), diagnostics)
}

/// What queries from outside, such as those of a file (`.q`), ask about a model: one a line, with comments; a line may go on in the next
/// one after `\`. A list of values is a question for each of them.
///
/// # Errors
///
/// What is wrong with them.
pub fn lower_query_file(
    model: FileId,
    queries: FileId,
    sources: &SourceMap,
) -> Result<Vec<(TimedQuestion, Span)>, Vec<Diagnostic>> {
    lower_queries(model, queries, sources, |parser| {
        let mut found = Vec::new();
        while !parser.is_end() {
            found.push(parser.query()?);
            parser.accept(";");
        }
        Some(found)
    })
}

/// A condition that is to be true in some state, or in every state.
///
/// # Errors
///
/// What is wrong with it.
pub fn lower_condition(
    model: FileId,
    condition: FileId,
    sources: &SourceMap,
    is_invariant: bool,
) -> Result<TimedQuestion, Vec<Diagnostic>> {
    let questions = lower_queries(model, condition, sources, |parser| {
        let start = parser.span();
        let condition = parser.expression()?;
        let span = start.to(parser.last_span());
        let kind = match is_invariant {
            true => syntax::QueryKind::Invariantly(condition),
            false => syntax::QueryKind::Possibly(condition),
        };
        Some(vec![Query { kind, span }])
    })?;
    questions.into_iter().map(|(question, _)| question).next().ok_or_else(Vec::new)
}

/// An expression about locations and integers of one state: a proposition of a formula.
///
/// # Errors
///
/// What is wrong with it; bounds on clocks and deadlocks are, as they are not true or false of a whole step.
pub fn lower_state_expr(
    model: FileId,
    expression: FileId,
    sources: &SourceMap,
) -> Result<Expr, Vec<Diagnostic>> {
    let read = |parser: &mut Parser<'_>| parser.expression();
    let lowered = lower_text(model, expression, sources, read, |lowering, global, parsed| {
        lowering.proposition(global, parsed)
    })?;
    lowered.ok_or_else(Vec::new)
}

fn lower_queries(
    model: FileId,
    file: FileId,
    sources: &SourceMap,
    read: impl FnOnce(&mut Parser<'_>) -> Option<Vec<Query>>,
) -> Result<Vec<(TimedQuestion, Span)>, Vec<Diagnostic>> {
    lower_text(model, file, sources, read, |lowering, global, queries| {
        queries.iter().flat_map(|query| lowering.questions(global, query).unwrap_or_default()).collect()
    })
}

/// Reads a text and lowers it with the names of a model.
fn lower_text<S, T: Default>(
    model: FileId,
    file: FileId,
    sources: &SourceMap,
    read: impl FnOnce(&mut Parser<'_>) -> Option<S>,
    lower_parsed: impl for<'a> FnOnce(&mut Lowering<'a>, &Rc<Scope<'a>>, &'a S) -> T,
) -> Result<T, Vec<Diagnostic>> {
    // The model has been read before, so what there is to say about it has been said.
    let (document, _) = parse(model, sources);
    let mut diagnostics = Vec::new();
    let text = sources.file(file).text().replace("\\\n", " \n");
    let tokens = lex(&placed(&text, 0), file, &mut diagnostics);
    let mut parser = Parser::new(&tokens, &mut diagnostics);
    let parsed = read(&mut parser).filter(|_| parser.finish().is_some());
    let mut found = T::default();
    if let Some(parsed) = &parsed {
        let mut others = Vec::new();
        lower(&document, &mut others, |lowering, global| {
            lowering.diagnostics.clear();
            found = lower_parsed(lowering, global, parsed);
            diagnostics.append(&mut lowering.diagnostics);
        });
    }
    forget_repeated(&mut diagnostics);
    if has_errors(&diagnostics) || parsed.is_none() { Err(diagnostics) } else { Ok(found) }
}

fn parse(file: FileId, sources: &SourceMap) -> (Document, Vec<Diagnostic>) {
    let text = sources.file(file).text();
    let mut diagnostics = Vec::new();
    let is_xml = text.trim_start().starts_with('<');
    let document = if is_xml {
        xml::read_xml(text, file, &mut diagnostics).unwrap_or_default()
    } else {
        let tokens = lex(&placed(text, 0), file, &mut diagnostics);
        let mut document = Document::default();
        Parser::new(&tokens, &mut diagnostics).document(&mut document);
        document
    };
    if document.system.is_empty() && !has_errors(&diagnostics) {
        let message = "there is no system line";
        let error = Diagnostic::error("uppaal::no-system", message);
        diagnostics.push(error.help("name the processes at the end: `system P, Q;`"));
    }
    (document, diagnostics)
}

/// Lowers a document, and lets someone ask for more in the end.
fn lower<'a>(
    document: &'a Document,
    diagnostics: &mut Vec<Diagnostic>,
    then: impl FnOnce(&mut Lowering<'a>, &Rc<Scope<'a>>),
) -> Network {
    let mut lowering = Lowering {
        network: Network { range_rule: RangeRule::Fault, ..Network::default() },
        channels: Vec::new(),
        diagnostics: Vec::new(),
        place: Coordinates::default(),
        calls: Vec::new(),
        next_local: 0,
        process_scopes: Vec::new(),
        cost_rates: Vec::new(),
    };
    let global = Scope::outermost();
    lowering.declare_all(&global, &document.declarations, "");
    lowering.declare_cost(document, &global);
    let instances = lowering.instantiate_all(document, &global);
    lowering.connect(document, &global, &instances);
    lowering.settle_cost();
    then(&mut lowering, &global);
    diagnostics.append(&mut lowering.diagnostics);
    lowering.network
}

/// The same thing is said once, however many processes a template makes.
fn forget_repeated(diagnostics: &mut Vec<Diagnostic>) {
    let mut seen = BTreeSet::new();
    diagnostics.retain(|diagnostic| {
        let place = diagnostic.primary.as_ref().map(|label| label.span);
        seen.insert((diagnostic.code, diagnostic.message.clone(), place))
    });
}
