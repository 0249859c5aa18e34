//! Temporal formulas on systems: from a formula over expressions to a product that engines can search.
//!
//! A [`LinearQuestion`] takes a formula of a model apart into propositions and an automaton for the runs that violate
//! it. [`Stuttering`] makes every run infinite. A [`Product`] is a system watched by that automaton; the formula is
//! violated when the product has a run that the automaton accepts. A lasso that engines find is checked
//! again by [`LinearQuestion::is_violated_by`], which knows nothing of automata.
//!
//! **Invariant:** nothing here searches. Engines see the product as they see any system.

mod product;
mod question;
mod stuttering;
#[cfg(test)]
mod tests;

pub use product::{Product, ProductScratch};
pub use question::{Letter, LinearQuestion, Truth, Watcher};
pub use stuttering::Stuttering;
