//! Stores: what a search remembers.
//!
//! A search asks a [`Store`] one question about every state it reaches: is this new? [`ExactStore`] answers
//! without error, for every kind of region.
//!
//! **Invariant:** a store never decides what is explored. It says what is new, known or covered, and that it
//! is full; what follows from that is the engine's business.

mod arena;
mod exact;
mod store;
mod table;

pub use exact::{ExactStore, Keep};
pub use store::{Insert, StateId, Store};
