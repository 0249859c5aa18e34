//! The atomics of the shared tables, in a form that loom can replace to try every interleaving.

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering};
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Zeros that take no memory until they are written to, where the operating system plays along.
#[cfg(not(loom))]
pub(crate) fn zeroed_words(length: usize) -> Box<[AtomicU64]> {
    // SAFETY: all bits zero is a valid `AtomicU64`.
    unsafe { Box::new_zeroed_slice(length).assume_init() }
}

/// See [`zeroed_words`].
#[cfg(not(loom))]
pub(crate) fn zeroed_slots(length: usize) -> Box<[AtomicU32]> {
    // SAFETY: all bits zero is a valid `AtomicU32`.
    unsafe { Box::new_zeroed_slice(length).assume_init() }
}

/// See the version without loom.
#[cfg(loom)]
pub(crate) fn zeroed_words(length: usize) -> Box<[AtomicU64]> {
    (0..length).map(|_| AtomicU64::new(0)).collect()
}

/// See the version without loom.
#[cfg(loom)]
pub(crate) fn zeroed_slots(length: usize) -> Box<[AtomicU32]> {
    (0..length).map(|_| AtomicU32::new(0)).collect()
}
