//! Successors.
