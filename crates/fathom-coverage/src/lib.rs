//! The coverage language: when enough has been tested, and how far a test has got.
//!
//! The language and its graded evaluation are those of Katara and Kervinen ("Making model-based testing more agile", HVC 2006):
//! a [`Criterion`] counts executions of actions and transitions, visits of states and values of variables, and joins such counts with
//! `and`, `or` and `then`. Its [`Rate`] is between 0 and 1; 1 means that it is fulfilled. It says when to stop and what to prefer, never what
//! may be done: that is for the model alone.
//!
//! [`parse_criterion`] reads a criterion, [`Coverage`] follows an execution and can try steps and take them back, [`reference`](mod@reference) is the
//! meaning, slow and obvious. [`UseCase`]s become criteria.
//!
//! What the source leaves open or prints otherwise is settled here:
//!
//! - `every value >= n` divides the capped average by *n*, so that it stays below 1 until it is fulfilled (the printed form lacks the
//!   division).
//! - A chain of one operator nests to the left; different operators in a row need parentheses.
//! - A query that nothing matches is an error.
//! - The state in which a run begins counts as visited.
//! - The value of a variable is the largest that it had while its criterion counted, so that rates never fall.
//! - Rates are exact fractions: in floating point, a long chain of `then` would be fulfilled too early.
//!
//! **Invariant:** nothing here knows models, files or clocks.

mod coverage;
mod criterion;
#[cfg(test)]
mod law_tests;
mod lexer;
mod parse;
mod rate;
pub mod reference;
mod use_case;

pub use coverage::{Coverage, Happened, Item, Universe};
pub use criterion::{Criterion, Elementary, Join, Kind, Pattern, Quantifier};
pub use parse::{MOST_NESTED, parse_criterion};
pub use rate::Rate;
pub use use_case::{UseCase, criterion_of, parse_use_cases};
