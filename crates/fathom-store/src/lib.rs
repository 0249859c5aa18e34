//! Stores: what a search remembers.
//!
//! A search asks a [`Store`] one question about every state it reaches: is this new? [`PackedStore`] answers
//! without error for states without regions, and [`SharedStore`] does so for many threads. [`ExactStore`] is for
//! every kind of region, with explicit parts packed ([`PackedParts`], the default) or in full ([`PlainParts`]).
//! [`SharedRegionStore`] shares those among threads. [`UnionStore`] keeps one union of regions for each explicit part and hands out what is new.
//! [`CompactStore`] and [`BitstateStore`] take a fraction of the memory and now and then take a new state for a
//! known one.
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
mod numbered;
mod numbered_table;
mod packed;
mod packed_bitstate;
mod packed_parts;
mod packing;
mod parts;
mod plain;
mod prefetch;
mod projections;
mod recent;
mod root_table;
mod segments;
mod shared;
mod shared_regions;
mod store;
mod sync;
mod table;
mod tree;
mod union;
mod word_set;

pub use bitstate::BitstateStore;
pub use compact::CompactStore;
pub use exact::{ExactStore, Keep};
pub use numbered::{Entered, NumberedStore};
pub use packed::PackedStore;
pub use packed_bitstate::PackedBitstateStore;
pub use packed_parts::PackedParts;
pub use packing::Opened;
pub use parts::Parts;
pub use plain::PlainParts;
pub use projections::{Projections, Remembered};
pub use recent::Recent;
pub use shared::{Claims, NeedsRoom, Session, SharedStore};
pub use shared_regions::{Place, Reach, SharedInsert, SharedRegionStore};
pub use store::{Insert, StateId, Store};
pub use union::UnionStore;
