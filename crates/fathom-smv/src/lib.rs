//! The SMV front end: from modules of the symbolic model verifier, in the dialect of NuSMV, to a model.
//!
//! [`parse_program`] gives a syntax tree, [`lower_program`] takes instances apart, checks, and lowers to the model language. Neither stops at the first
//! problem; both return diagnostics. The language is that of K. L. McMillan's SMV (1992) as the manual of NuSMV 2.6 (Cavada and others, 2015) describes it; where the manual leaves room is written down
//! in `docs/smv.md`.

mod check;
mod element;
mod enumeration;
mod expr;
mod fault;
mod flatten;
mod lexer;
mod lower;
mod parse;
mod parse_expr;
mod print;
mod set;
mod spec;
pub mod syntax;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_messages;
#[cfg(test)]
mod tests_of_runs;
#[cfg(test)]
mod tests_of_values;
mod value;

pub use check::check_front_end;
pub use lower::{Names, lower_program};
pub use parse::{parse_expression, parse_program};
