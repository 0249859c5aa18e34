//! Stores: what a search remembers.
//!
//! A search asks a [`Store`] one question about every state it reaches: is this new? [`ExactStore`] answers
//! without error, for every kind of region, with explicit parts compressed ([`TreeParts`], the default) or in
//! full ([`PlainParts`]). [`SharedStore`] is the compressed one for many threads. [`CompactStore`] and
//! [`BitstateStore`] take a fraction of the memory and now and then take a new state for a known one.
//!
//! **Invariant:** a store never decides what is explored. It says what is new, known or covered, and that it
//! is full; what follows from that is the engine's business.

mod arena;
mod bitstate;
mod bucket;
mod compact;
mod exact;
#[cfg(all(test, loom))]
mod loom_tests;
mod parents;
mod parts;
mod plain;
mod prefetch;
mod segments;
mod shared;
mod store;
mod sync;
mod table;
mod tree;
mod word_set;

pub use bitstate::BitstateStore;
pub use compact::CompactStore;
pub use exact::{ExactStore, Keep};
pub use parents::Parents;
pub use parts::Parts;
pub use plain::PlainParts;
pub use shared::{Claims, NeedsRoom, Session, SharedStore};
pub use store::{Insert, StateId, Store};
pub use tree::{OpenTree, TreeParts};
