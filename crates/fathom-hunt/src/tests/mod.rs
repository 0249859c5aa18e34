//! Tests of the engines on small systems.

mod isr;
mod portfolio;
mod shorten;
mod walk;
