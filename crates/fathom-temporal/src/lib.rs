//! Temporal formulas on systems: from a formula over expressions to a product that engines can search.
//!
//! A [`LinearQuestion`] takes a formula of a model apart into propositions and an automaton for the runs that violate
//! it. [`Extended`] makes every run infinite, and [`Fair`] counts only those in which no process waits for ever without need. A [`Product`] is a system watched by that automaton; the formula is
//! violated when the product has a run that the automaton accepts. A lasso that engines find is checked
//! again by [`LinearQuestion::is_violated_by`], which knows nothing of automata.
//!
//! **Invariant:** nothing here searches. Engines see the product as they see any system.

mod along;
mod automaton;
mod branching;
mod claim;
mod fairness;
mod marked_end;
mod product;
mod propositions;
mod question;
mod run_formula;
mod sequence;
mod stuttering;
#[cfg(test)]
mod tests;
mod watcher;
mod wording;

pub use along::{Along, AlongScratch};
pub use branching::{
    AcceptLoop, Branch, BranchingQuestion, Claim, Demands, Facts, FairLoops, Fairness, Graph, Known,
    Labeling, MOST_CLAIMS, OnLoop, PathSearch, PlainSearch, ProcessFacts, Reason, Recurring, StateSet, Tree,
    TreeError, TreeStep, check_tree, demands, evaluate_in_state, explain, is_fair_to_processes, parts,
};
pub use fairness::{Fair, FairScratch, is_fair_loop};
pub use marked_end::{MarkedEnd, MarkedEndScratch};
pub use product::{Product, ProductScratch};
pub use question::{Harder, LinearQuestion};
pub use run_formula::{Letter, RunFormula, Truth};
pub use stuttering::{AtEnd, Extended};
pub use watcher::{Acceptance, Watcher};
pub use wording::{Wording, wording};
