//! Networks of timed automata and what they mean.
//!
//! A front end for a timed language lowers it to a [`Network`]: processes with locations and edges, bounded integers,
//! clocks, and synchronizations. There are two meanings. [`ZoneSystem`] is the one that engines search: a state is the
//! locations and integers, as bytes, and a zone of clock values. [`concrete`] is the one that everybody
//! understands: numbers for clocks, delays and steps. Each trace that a search of zones finds becomes a run with delays
//! ([`timing`]) and is checked by the concrete meaning, which knows nothing of zones.
//!
//! **Invariant:** nothing here knows a source language, a file, a clock of the machine or a terminal.

mod access;
pub mod alike;
mod automorphism;
mod bounds;
pub mod cheapest;
mod choice;
pub mod concrete;
mod deadlock;
pub mod digital;
mod expr;
pub mod extremum;
mod flow;
mod layout;
pub mod liveness;
mod locals;
mod moves;
mod network;
mod priority;
mod property;
mod ready;
mod runs;
#[cfg(test)]
mod runs_tests;
mod scalar;
mod statement;
pub mod symbolic_run;
pub mod symmetry;
mod time_stop;
pub mod timing;
mod waiting;
mod within;
mod zone_options;
mod zone_region;
mod zone_system;
#[cfg(test)]
mod zone_system_tests;

pub use access::{accessed, accessed_clocks};
pub use bounds::LocalBounds;
pub use deadlock::stuck_ends;
pub use expr::{BinaryOp, Environment, Expr, Interval, UnaryOp};
pub use layout::{Layout, Valuation};
pub use moves::{Stay, TimedMove};
pub use network::{
    Clock, ClockConstraint, ClockPlace, CostClock, Edge, Guard, Location, Network, Participant, Process,
    RangeRule, Synchronization, Urgency, Variable, WeakRule,
};
pub use property::{Conjunct, TimedFormula, TimedProperty, TimedQuestion};
pub use runs::{Phase, Runs, RunsScratch};
pub use scalar::{Coordinates, ScalarSet, ScalarSets};
pub use statement::{ClockUpdate, Compute, Outcome, Place, Statement};
pub use time_stop::{StopRule, TimeStop};
pub use zone_options::{Extrapolation, ZoneOptions};
pub use zone_region::{Cover, ZoneRegion};
pub use zone_system::ZoneSystem;
