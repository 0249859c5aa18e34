//! Frontiers and the one search loop.
//!
//! [`search()`] explores a system, remembers what it reached in a store, and takes what to expand next from
//! a [`Frontier`]. [`breadth_first()`] and [`depth_first()`] are the two engines made of it: each picks the
//! store and the frontier that belong together. [`breadth_first_parallel()`] and [`depth_first_parallel()`] do
//! the same with threads and a shared store. [`strong_components()`] and, with threads, [`nested_depth_first_parallel()`] look for infinite runs.
//! [`last_first()`] is the order for regions that swallow each other; [`breadth_first_regions_parallel()`] and its siblings are searches of regions with threads.
//! [`best_first()`], [`beam()`] and [`branch_and_bound()`] are guided by estimates. [`verdicts`] turns what was seen into answers, and [`replay()`]
//! follows a trace and checks that it shows what it claims.
//!
//! **Invariant:** nothing here touches a clock, a signal or a terminal. Limits on time and the wish of the
//! user to stop come in through a [`Monitor`], and a [`Clock`] for a profile through the options.

mod barrier;
mod beam;
mod best_first;
mod branch_and_bound;
mod breadth_first;
mod depth_first;
mod frontier;
mod lasso;
mod last_first;
mod local_steps;
mod on_path;
mod options;
mod ordered;
mod outcome;
mod pace;
mod parallel;
mod parallel_breadth_first;
mod parallel_depth_first;
mod parallel_nested_depth_first;
mod parallel_regions;
mod parallel_trail;
mod parents;
mod random;
mod region_stacks;
mod replay;
mod sample;
mod search;
mod state_graph;
mod state_queue;
mod stopwatch;
mod strong_components;
#[cfg(test)]
mod tests;
mod trail;

pub use beam::{beam, beam_in};
pub use best_first::{Estimate, Heap, Priority, best_first};
pub use branch_and_bound::{Cheapest, Cost, branch_and_bound};
pub use breadth_first::{Queue, breadth_first};
pub use depth_first::{Order, Stack, depth_first};
pub use frontier::{Frontier, Reached};
pub use last_first::{Pile, last_first};
pub use options::{Monitor, NoMonitor, Options, Patience, Progress, StoreKind};
pub use ordered::{Arrival, Ordered, TakesTurns};
pub use outcome::{Meaning, Outcome, verdicts};
pub use parallel_breadth_first::breadth_first_parallel;
pub use parallel_depth_first::depth_first_parallel;
pub use parallel_nested_depth_first::nested_depth_first_parallel;
pub use parallel_regions::breadth_first_regions_parallel;
pub use random::Random;
pub use region_stacks::{depth_first_regions_parallel, last_first_regions_parallel};
pub use replay::{Replay, ReplayError, Visit, replay};
pub use search::search;
pub use state_graph::{Explored, StateGraph, state_graph};
pub use state_queue::StateQueue;
pub use stopwatch::{Clock, Profile, STAGES, Stage};
pub use strong_components::strong_components;
