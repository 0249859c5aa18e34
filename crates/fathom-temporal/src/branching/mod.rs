//! Branching time: formulas of computation tree logic on the graph of all states.
//!
//! [`BranchingQuestion`] takes a formula of a model apart into propositions; a [`Labeling`] says for each part of it in which states of
//! a [`Graph`] it is true; [`explain`] makes a tree of steps of it that shows why, for people, and
//! [`BranchingQuestion::check_tree`] checks such a tree on a system without the labeling.

mod check_tree;
mod components;
mod graph;
mod label;
mod linear;
mod processes;
mod question;
#[cfg(test)]
mod tests;
mod tree;

pub use check_tree::{FairLoops, TreeError, check_tree, evaluate_in_state};
pub use graph::{Graph, StateSet};
pub use label::{Fairness, Known, Labeling, Recurring};
pub use linear::PathSearch;
pub use processes::{AcceptLoop, OnLoop, ProcessFacts, is_fair_to_processes};
pub use question::{BranchingQuestion, Facts, PlainSearch};
pub use tree::{Branch, Claim, Demands, MOST_CLAIMS, Reason, Tree, TreeStep, demands, explain, parts};
