//! Tokens to syntax: a parser by recursive descent, after the grammar of Spin 6.5.
//!
//! It never gives up at the first mistake: a mistake is recorded, tokens are skipped to the next separator or
//! bracket that the sequence or the program can go on from, and parsing continues. Depth is counted, so that
//! no input overflows the stack, neither here nor where the tree is walked later.
//!
//! Separators: Spin puts a semicolon after `}` and after `else` where one is missing, and at the end of a
//! line after most tokens that can end a statement. Here a separator is optional in the same places, and a
//! line that starts with `-`, `!` or `(` after such a token starts a new statement as in Spin. An operator
//! that cannot start a statement continues the line before it, which Spin refuses.
//!
//! The files of this module: `cursor` walks the tokens and recovers, `unit` has the top level, `decl`
//! declarations, `stmt` statements, `message` sends and receives, `expr` expressions and formulas. Calls of
//! inlines are expanded on the way, see [`crate::inline`].

mod cursor;
mod decl;
mod expr;
mod message;
mod stmt;
mod unit;

pub(crate) use expr::precedence;

pub(crate) use cursor::{Failed, Parsed, Parser, Source};

use crate::lexer;
use crate::preprocess::preprocess;
use crate::syntax::{Expr, Program};
use crate::token::Interner;
use fathom_source::{Diagnostic, FileId, FileLoader, LoadError, MAX_SOURCE_BYTES, SourceMap, Span};

/// Parses a whole program: preprocesses the main file with everything it includes, and expands inlines.
///
/// `defines` are macros that exist from the start, name and value; a macro without a value in mind should get
/// the value `1`. What could be understood is returned together with everything there is to say; the program
/// is complete only if none of the diagnostics is an error.
pub fn parse_program(
    main: FileId,
    sources: &mut SourceMap,
    loader: &dyn FileLoader,
    defines: &[(String, String)],
) -> (Program, Vec<Diagnostic>) {
    if let Some(diagnostic) = too_large(main, sources) {
        return (Program::default(), vec![diagnostic]);
    }
    let mut interner = Interner::new();
    let end = end_of(main, sources);
    let (tokens, diagnostics) = preprocess(main, sources, loader, defines, &mut interner);
    let mut parser = Parser::new(tokens, end, &interner, diagnostics);
    let program = parser.program();
    (program, parser.finish())
}

/// Parses a file that holds one expression over the variables of a program: an invariant or a goal.
///
/// `process_names` are the proctypes of the program, for `name[i]:variable` and `name[i]@label`.
pub fn parse_expression(
    file: FileId,
    sources: &SourceMap,
    process_names: &[String],
) -> (Option<Expr>, Vec<Diagnostic>) {
    parse_lone(file, sources, process_names, Mode::State)
}

/// Parses a file that holds one formula of linear temporal logic, as in an `ltl` block.
pub fn parse_formula(
    file: FileId,
    sources: &SourceMap,
    process_names: &[String],
) -> (Option<Expr>, Vec<Diagnostic>) {
    parse_lone(file, sources, process_names, Mode::Temporal)
}

/// Which operators an expression may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// Operators on values.
    State,
    /// Those of linear temporal logic as well; `->` is implication.
    Temporal,
}

fn parse_lone(
    file: FileId,
    sources: &SourceMap,
    process_names: &[String],
    mode: Mode,
) -> (Option<Expr>, Vec<Diagnostic>) {
    if let Some(diagnostic) = too_large(file, sources) {
        return (None, vec![diagnostic]);
    }
    let mut interner = Interner::new();
    let processes = process_names.iter().map(|name| interner.intern(name)).collect();
    let mut diagnostics = Vec::new();
    let tokens = lexer::lex(file, sources.file(file).text(), &mut interner, &mut diagnostics);
    let mut parser = Parser::new(tokens, end_of(file, sources), &interner, diagnostics);
    parser.processes = processes;
    parser.mode = mode;
    let expression = parser.lone_expression();
    (expression.ok(), parser.finish())
}

fn end_of(file: FileId, sources: &SourceMap) -> Span {
    let end = sources.file(file).text().len() as u32;
    Span { file, start: end, end }
}

fn too_large(file: FileId, sources: &SourceMap) -> Option<Diagnostic> {
    let bytes = sources.file(file).text().len();
    (bytes > MAX_SOURCE_BYTES).then(|| {
        let error = LoadError::TooLarge { bytes: bytes as u64 };
        Diagnostic::error("source::file-too-large", format!("cannot read the file: {error}"))
            .at(Span { file, start: 0, end: 0 }, "")
    })
}

#[cfg(test)]
mod tests;
