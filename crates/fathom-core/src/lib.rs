//! Fathom, the model checker, as a library.
//!
//! [`load()`] reads a model, [`check()`] answers its properties. This crate is the one place where defaults are
//! chosen: which front end reads a file, which engine answers a property, which store it uses.
//!
//! **Invariant:** nothing here touches a file, a clock or a terminal; loaders and monitors are passed in.

mod ask;
#[cfg(test)]
mod ask_tests;
mod branching;
mod branching_graph;
mod branching_path;
#[cfg(test)]
mod branching_tests;
mod check;
#[cfg(test)]
mod claim_tests;
mod code;
mod composite;
mod composite_formulas;
#[cfg(test)]
mod composite_tests;
mod distinction;
mod guidance;
mod guided;
#[cfg(test)]
mod guided_tests;
mod hunt;
mod hunt_linear;
#[cfg(test)]
mod hunt_linear_tests;
mod hunt_timed;
#[cfg(test)]
mod hunt_timed_tests;
#[cfg(test)]
mod if_tests;
mod insight;
mod linear;
mod linear_product;
mod linear_replay;
#[cfg(test)]
mod linear_tests;
mod load;
mod load_program;
#[cfg(test)]
mod long_step_tests;
mod order;
mod participation;
#[cfg(test)]
mod participation_tests;
mod pattern;
#[cfg(test)]
mod process_limit_tests;
mod program_branching;
mod program_linear;
#[cfg(test)]
mod program_tests;
mod programs;
mod query;
mod reduce;
#[cfg(test)]
mod sequence_tests;
mod shorten;
#[cfg(test)]
mod shorten_tests;
mod symbolic_arms;
mod symbolic_guided;
#[cfg(test)]
mod symbolic_guided_tests;
mod tests_of_models;
mod tests_of_networks;
mod tests_of_programs;
#[cfg(test)]
mod tests_of_tests;
mod timed;
mod timed_distance;
mod timed_if;
mod timed_linear;
#[cfg(test)]
mod timed_linear_tests;
mod timed_questions;
mod timed_replay;
#[cfg(test)]
mod timed_tests;
mod vacuity;
#[cfg(test)]
mod vacuity_tests;

pub use ask::Expansion;
pub use check::{
    CheckOptions, Code, Engine, Optimality, Report, check, default_properties, is_claim, replay, try_replay,
};
pub use composite::{CompositeReport, runs_on_composite_states};
pub use distinction::Distinction;
pub use fathom_csharp as program_files;
pub use fathom_guide as guide;
pub use fathom_guide::Kind as HeuristicKind;
pub use fathom_hunt as hunting;
pub use fathom_logic as logic;
pub use fathom_model as model;
pub use fathom_program as program;
pub use fathom_reduce::{Quotient, Symmetry as ModelSymmetry};
pub use fathom_search as search;
pub use fathom_source as source;
pub use fathom_symbolic as symbolic;
pub use fathom_temporal as temporal;
pub use fathom_testgen as testgen;
pub use fathom_timed as timed_automata;
pub use guidance::{Guidance, HeuristicChoice, HeuristicData, HeuristicError, describe_heuristic};
pub use guided::Sample;
pub use hunt::{HuntOptions, HuntReport, hunt};
pub use hunt_timed::{TimedHuntOptions, TimedHuntReport, hunt_timed};
pub use insight::{Constant, Insight, SatisfiedPart, Satisfying, ShownTree, Vacuous};
pub use linear::Fairness;
pub use linear_replay::proposition_faults;
pub use load::{Asked, Language, Loaded, is_timed, load};
pub use load_program::{LoadedProgram, load_program};
pub use participation::{
    Advice, Participation, advice, estimated_participation, few_participants, traced_participation,
};
pub use pattern::{best_pattern, patterns_of};
pub use program_branching::{ProgramTreeFormula, check_program_tree_formula};
pub use program_linear::{FormulaAnswer, ProgramFormula, check_formula_again, check_program_formula};
pub use programs::{
    ProgramHuntOptions, ProgramHuntReport, ProgramReport, check_program, hunt_program, replay_program,
};
pub use reduce::{Reductions, find_symmetry, symmetry_of};
pub use shorten::shorten;
pub use symbolic_guided::DistancesReport;
pub use tests_of_models::{
    CountedReport, Shortening, TestError, TestOptions, TestReport, WrittenStep, WrittenTest, generate_tests,
    value_traps,
};
pub use tests_of_networks::generate_timed_tests;
pub use tests_of_programs::generate_program_tests;
pub use timed::{
    BestWitness, LoadedTimed, TimedAnswer, TimedEngine, TimedOptions, TimedReport, check_timed, load_timed,
    load_timed_with,
};
pub use timed_replay::{ShownRun, check_timed_again};
