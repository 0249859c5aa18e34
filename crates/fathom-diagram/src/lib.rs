//! Binary decision diagrams: sets of valuations of Boolean variables, in canonical form.
//!
//! A [`Diagrams`] is where the nodes of many diagrams live, each once (Bryant, "Graph-Based Algorithms for Boolean
//! Function Manipulation", IEEE Transactions on Computers, 1986); a [`Diagram`] is one function. Equal functions are
//! equal diagrams, so that comparison takes no time. Variables are ordered as they were made.
//!
//! The work is done by a library, OxiDD (Husung and others, TACAS 2024), wrapped here so that nothing else in the
//! project names it; decision 13 has the alternatives that were measured. Room for nodes is given once and for all.
//! When it is used up, rubbish is collected and the operation tried again; when that does not help, the operation
//! fails with [`NoRoom`], which is a reason to end a search, not to break it off.
//!
//! **Invariant:** this is plain mathematics. Nothing here knows models, states or searches.
//!
//! ```
//! use fathom_diagram::{Diagrams, Room};
//!
//! let diagrams = Diagrams::new(Room::default());
//! let [a, b] = [diagrams.new_variable(), diagrams.new_variable()];
//! let both = diagrams.variable(a)?.and(&diagrams.variable(b)?)?;
//! let either = diagrams.variable(a)?.or(&diagrams.variable(b)?)?;
//! assert!(either.includes(&both)?);
//! assert_eq!(either.count(2), 3.0);
//! assert_eq!(both.exists(&diagrams.variables(&[b])?)?, diagrams.variable(a)?);
//! # Ok::<(), fathom_diagram::NoRoom>(())
//! ```

mod assignment;
mod diagram;
mod diagrams;
mod simplify;
#[cfg(test)]
mod tests;

pub use assignment::Assignment;
pub use diagram::{Diagram, Substitution, Variables};
pub use diagrams::{Diagrams, NoRoom, Room, Variable};
