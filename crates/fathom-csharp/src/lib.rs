//! The C# front end: model programs in the manner of NModel (Jacky, Veanes, Campbell and Schulte 2008).
//!
//! [`load()`] reads files: `parse` turns the tree of an existing grammar into our `syntax`, `declare` collects types and members,
//! `compile` resolves names and types to `code`, `model` finds actions, conditions and domains in it, `factory` and `fsm`
//! what is to be composed, `terms` whether that fits. [`CSharpProgram`] is a [`Program`](fathom_program::Program) whose steps are interpreted.
//!
//! **Invariant:** reading never stops at the first problem and never panics; neither does running, where whatever goes
//! wrong is a finding. What is not understood has a diagnostic of its own.

mod access;
mod assigned;
mod attributes;
mod builtin;
mod builtin_choice;
mod builtin_many;
mod builtin_text;
mod calls;
mod candidates;
mod captured;
mod casts;
mod check;
mod code;
mod compile;
mod compile_assign;
mod compile_call;
mod compile_expression;
mod compile_local;
mod compile_new;
mod compile_operator;
mod declare;
mod described;
mod effects;
mod factory;
mod first_values;
mod fsm;
mod interpret;
mod library;
mod library_text;
mod load;
mod method_group;
mod model;
mod naming;
mod operate;
mod order;
mod parse;
mod parse_expression;
mod parse_statement;
mod program;
mod reach;
mod reparse;
mod resolve;
mod syntax;
mod terms;
#[cfg(test)]
mod tests;
mod texts;
mod types;
mod unit;
mod value;
mod walk;

pub use check::check_front_end;
pub use load::{Options, load, read};
pub use program::{Action, CSharpProgram};
pub use value::{Real, State, Value};
