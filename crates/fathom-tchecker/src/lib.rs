//! The front end for `.tck` files: the text format of TChecker for networks of timed automata.
//!
//! The format has one declaration a line (`process:P`, `location:P:l{invariant: x<=5}`, `edge:P:l:m:e{do: x=0}`), with
//! attributes in braces. `syntax` is what is written, `parse` reads it; `expression` and `statement` read what stands in
//! attributes; `lower` gives names their meaning and makes a [`Network`]; `property` reads conditions given
//! from outside.
//!
//! **Invariant:** reading never stops at the first problem and never panics. Everything that is not understood has a
//! diagnostic of its own.

mod condition;
mod expression;
mod lexer;
mod linear;
mod lower;
mod parse;
mod property;
mod scope;
mod statement;
mod syntax;
#[cfg(test)]
mod tests;

pub use lower::lower;
pub use parse::parse;
pub use property::{lower_invariant, lower_reach, lower_state_expr};
pub use syntax::Declarations;

use fathom_source::{Diagnostic, FileId, SourceMap};
use fathom_timed::{Network, TimedProperty};

/// Reads a file: the network, unless there are errors, with the properties that its labels stand for.
pub fn read(file: FileId, sources: &SourceMap) -> (Option<(Network, Vec<TimedProperty>)>, Vec<Diagnostic>) {
    let (declarations, mut diagnostics) = parse(file, sources);
    let (network, found) = lower(&declarations);
    diagnostics.extend(found);
    let properties = property::of_labels(&network);
    let is_usable = !fathom_source::has_errors(&diagnostics);
    (is_usable.then_some((network, properties)), diagnostics)
}
