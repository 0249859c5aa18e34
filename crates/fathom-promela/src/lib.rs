//! The Promela front end: from text to a model.
//!
//! [`parse_program`] preprocesses and parses, [`lower_program`] resolves names, checks, and lowers to the
//! model language. Neither stops at the first problem; both return diagnostics.

mod automaton;
mod body;
mod check;
mod constant;
mod context;
mod declare;
mod flow;
mod inline;
mod lexer;
mod lower;
mod message;
mod parse;
mod preprocess;
pub mod print;
mod property;
mod remote;
mod resolve;
#[cfg(test)]
mod samples;
mod scope;
pub mod syntax;
mod token;
mod type_check;
mod visit;

pub use check::check_front_end;
pub use lower::lower_program;
pub use parse::{
    Macros, parse_expression, parse_expression_with_macros, parse_formula, parse_formula_with_macros,
    parse_program, parse_program_and_macros,
};
pub use property::{lower_formula, lower_state_expr};
