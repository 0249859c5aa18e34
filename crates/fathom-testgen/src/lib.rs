//! Tests from systems: what they should cover, how they are found, and what they cover.
//!
//! A [`Chart`] is the control flow of one kind of process, whatever language it was written in. [`Goals`] are made of charts by
//! [`Criterion`]. A [`Tracker`] says which goals a step reaches; what it has to remember for that is its history. [`Observed`] is a
//! system with the history as a part of its states, so that every engine searches for goals. [`generate()`] goes from goal to goal,
//! [`cover_criterion()`] does so for a criterion of the coverage language, [`all_at_once()`] looks for one sequence that reaches them all, [`count()`] follows finished tests and counts again, without any of
//! the above.
//!
//! Source: Ernits, *Two State Space Reduction Techniques for Explicit State Model Checking* (2007), section 5.1: coverage as reachability
//! by trap variables, guided by cost, with bitstate pruning. Here traps are bits of the search wherever that is sound, and no part of the model.
//!
//! **Invariant:** a goal is called infeasible only when a search of everything that can be reached, with the history that the goal
//! needs, came to its end without it.

mod chart;
mod count;
mod criterion_tests;
mod distance;
mod engine;
mod generate;
mod goal;
mod goal_set;
mod graph_tour;
mod history;
mod model_chart;
mod numbering;
mod observed;
mod select;
#[cfg(test)]
mod tests;
mod tour;
mod whole;

pub use chart::{Chart, ChartEdge, ChartLocation, ChartValue, ChartVariable, Charts, Observe, Taken};
pub use count::{Events, count};
pub use criterion_tests::{CriterionTests, FollowedTest, Told, cover_criterion, events_of};
pub use engine::{Guide, TestEngine};
pub use generate::{GenerateOptions, Generated, GoalAnswer, SIZES, Shape, Test, TestStatistics, generate};
pub use goal::{Criterion, Goal, Goals, TooManyGoals};
pub use goal_set::GoalSet;
pub use history::Tracker;
pub use model_chart::ModelCharts;
pub use observed::{Observed, Target};
pub use select::select;
pub use tour::{Tour, tour};
pub use whole::{WholeOptions, WholeOutcome, all_at_once};
