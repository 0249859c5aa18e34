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

pub use crate::preprocess::Macros;
use crate::preprocess::{expand_text, preprocess};
use crate::syntax::{Expr, Program};
use fathom_source::{Diagnostic, FileId, FileLoader, LoadError, MAX_SOURCE_BYTES, SourceMap, Span};

/// Parses a whole program: preprocesses the main file with everything it includes, and expands inlines.
///
/// `defines` are macros that exist from the start, name and value; a macro without a value in mind should get
/// the value `1`. What could be understood is returned together with everything there is to say; the program
/// is complete only if none of the diagnostics is an error.
///
/// ```
/// use fathom_promela::{parse_program, print};
/// use fathom_source::{MemoryLoader, SourceMap};
///
/// let mut sources = SourceMap::new();
/// let main = sources.add("counter.pml", "byte n; init { do :: n < LIMIT -> n++ :: else break od }");
/// let defines = [("LIMIT".to_owned(), "3".to_owned())];
/// let (program, diagnostics) = parse_program(main, &mut sources, &MemoryLoader::new(), &defines);
/// assert!(diagnostics.is_empty());
/// assert!(print::program(&program).contains("(n<3)"));
/// ```
pub fn parse_program(
    main: FileId,
    sources: &mut SourceMap,
    loader: &dyn FileLoader,
    defines: &[(String, String)],
) -> (Program, Vec<Diagnostic>) {
    let (program, _, diagnostics) = parse_program_and_macros(main, sources, loader, defines);
    (program, diagnostics)
}

/// Like [`parse_program`]; also gives the macros that are defined at the end of the program, for
/// [`parse_expression_with_macros`] and [`parse_formula_with_macros`].
pub fn parse_program_and_macros(
    main: FileId,
    sources: &mut SourceMap,
    loader: &dyn FileLoader,
    defines: &[(String, String)],
) -> (Program, Macros, Vec<Diagnostic>) {
    let mut macros = Macros::default();
    if let Some(diagnostic) = too_large(main, sources) {
        return (Program::default(), macros, vec![diagnostic]);
    }
    let end = end_of(main, sources);
    let (tokens, diagnostics) = preprocess(main, sources, loader, defines, &mut macros);
    let mut parser = Parser::new(tokens, end, &macros.interner, diagnostics);
    let program = parser.program();
    let diagnostics = parser.finish();
    (program, macros, diagnostics)
}

/// Parses a file that holds one expression over the variables of a program: an invariant or a goal.
///
/// `process_names` are the proctypes of the program, for `name[i]:variable` and `name[i]@label`.
pub fn parse_expression(
    file: FileId,
    sources: &SourceMap,
    process_names: &[String],
) -> (Option<Expr>, Vec<Diagnostic>) {
    parse_lone(file, sources, process_names, None, Mode::State)
}

/// Parses a file that holds one formula of linear temporal logic, as in an `ltl` block.
pub fn parse_formula(
    file: FileId,
    sources: &SourceMap,
    process_names: &[String],
) -> (Option<Expr>, Vec<Diagnostic>) {
    parse_lone(file, sources, process_names, None, Mode::Temporal)
}

/// Like [`parse_expression`], with the macros of a program.
pub fn parse_expression_with_macros(
    file: FileId,
    sources: &SourceMap,
    process_names: &[String],
    macros: &Macros,
) -> (Option<Expr>, Vec<Diagnostic>) {
    parse_lone(file, sources, process_names, Some(macros), Mode::State)
}

/// Like [`parse_formula`], with the macros of a program.
pub fn parse_formula_with_macros(
    file: FileId,
    sources: &SourceMap,
    process_names: &[String],
    macros: &Macros,
) -> (Option<Expr>, Vec<Diagnostic>) {
    parse_lone(file, sources, process_names, Some(macros), Mode::Temporal)
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
    macros: Option<&Macros>,
    mode: Mode,
) -> (Option<Expr>, Vec<Diagnostic>) {
    if let Some(diagnostic) = too_large(file, sources) {
        return (None, vec![diagnostic]);
    }
    let mut macros = macros.cloned().unwrap_or_default();
    let processes = process_names.iter().map(|name| macros.interner.intern(name)).collect();
    let (tokens, diagnostics) = expand_text(file, sources, &mut macros);
    let mut parser = Parser::new(tokens, end_of(file, sources), &macros.interner, diagnostics);
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
