//! Zones: convex sets of clock values.
//!
//! A zone is what a conjunction of bounds on clocks and on differences of clocks describes. It is kept as a
//! *difference-bound matrix* (Dill, "Timing Assumptions and Verification of Finite-State Concurrent Systems",
//! 1989): entry `(i, j)` bounds `x_i - x_j`, and clock 0 is always 0. A matrix is *closed* when no bound follows
//! from the others more sharply than it is written; a zone has exactly one closed matrix.
//!
//! Two levels. The modules of functions work on slices of `dim * dim` bounds, row by row, and allocate nothing:
//! [`matrix`] (make, close, tighten), [`transform`] (time and resets), [`inclusion`], [`extrapolation`]. The types
//! [`Zone`] and [`Federation`] own their memory. [`minimal`] is the short form of a zone.
//!
//! This is plain mathematics: nothing here knows automata, models or searches.
//!
//! **Invariant:** every function takes closed matrices of zones that are not empty and leaves closed ones, unless
//! it says otherwise. Functions that may find a zone empty say so in their answer; the matrix is then worth nothing.
//!
//! # Example
//!
//! ```
//! use fathom_zone::{Bound, Zone};
//!
//! // Both clocks are 0; time passes until x is 5; y is set back.
//! let mut zone = Zone::zero(2);
//! zone.up();
//! assert!(zone.constrain(1, 0, Bound::at_most(5)));
//! zone.reset(2, 0);
//! assert_eq!(zone.bound(1, 2), Bound::at_most(5));
//! // It is not possible that x is 6 now.
//! assert!(!zone.constrain(0, 1, Bound::at_most(-6)));
//! ```

mod bound;
mod dimension;
pub mod extrapolation;
mod federation;
#[cfg(test)]
mod grid_tests;
pub mod inclusion;
pub mod matrix;
pub mod minimal;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod small_universe;
pub mod transform;
mod zone;

pub use bound::Bound;
pub use extrapolation::NO_BOUND;
pub use federation::Federation;
pub use minimal::Constraint;
pub use zone::Zone;
