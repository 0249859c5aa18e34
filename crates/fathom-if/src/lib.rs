//! The IF front end: from the interchange format of Verimag to a model.
//!
//! [`parse_system`] gives a syntax tree, [`lower_system`] resolves names, checks, and lowers to the model language, [`lower_timed`], for a system that
//! [has clocks](has_clocks), to a network of timed automata. None stops at the first
//! problem; all return diagnostics.

mod check;
mod lexer;
mod lower;
mod options;
mod parse;
#[cfg(test)]
mod samples;
pub mod syntax;
mod timed;
mod token;

pub use check::check_front_end;
pub use lower::{Names, TimedSystem, has_clocks, lower_system, lower_timed};
pub use options::{Environment, Options, Overflow};
pub use parse::{parse_expression, parse_system};
