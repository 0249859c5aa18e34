//! The IF front end: from the interchange format of Verimag to a model.
//!
//! [`parse_system`] gives a syntax tree, [`lower_system`] resolves names, checks, and lowers to the model language. Neither stops at the first
//! problem; both return diagnostics.

mod check;
mod lexer;
mod lower;
mod options;
mod parse;
#[cfg(test)]
mod samples;
pub mod syntax;
mod token;

pub use check::check_front_end;
pub use lower::{Names, lower_system};
pub use options::{Environment, Options, Overflow};
pub use parse::{parse_expression, parse_system};
