//! The IF front end: from the interchange format of Verimag to a model.
//!
//! [`parse_system`] gives a syntax tree. It does not stop at the first problem and returns diagnostics with what it understood.

mod check;
mod lexer;
mod parse;
#[cfg(test)]
mod samples;
pub mod syntax;
mod token;

pub use check::check_front_end;
pub use parse::{parse_expression, parse_system};
