//! Syntax back to text.
//!
//! A statement prints on one line as it should look in a trace; an expression with as few parentheses as
//! mean the same; a program so that reading it again gives the same tree, except for places and for the
//! names of inlines, which are printed as comments.
//!
//! Operators on values print without spaces, as in Spin's traces. Where two signs would run together into
//! another token (`--`, `!!`), parentheses keep them apart.

mod expr;
mod program;
mod stmt;

pub use expr::expression;
pub use program::program;
pub use stmt::statement_line;

#[cfg(test)]
mod tests;
