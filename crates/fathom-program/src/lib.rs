//! Model programs: systems written as programs over sets, maps and objects.
//!
//! A [`Program`] has states made of [`Data`], actions that are enabled in a state, and what they do. The types of data
//! are those of the language it is written in, plain Rust or one that is interpreted. [`ProgramSystem`] presents it to every
//! engine as a system, and on request its quotient: states that differ in the names of objects only are one.

// The derive macros name this crate by its name, in here too.
extern crate self as fathom_program;

mod blame;
mod classes;
mod data;
#[cfg(test)]
mod data_tests;
mod program;
mod promise;
#[cfg(test)]
mod random_tests;
mod renamed;
mod runnable;
mod system;
mod table;
#[cfg(test)]
mod tests;

pub use blame::when_programs_panic;
pub use data::{
    Bag, Below, Bits, Data, Finite, Layout, MANY, Map, Names, Object, Parts, Reader, Seq, Set, Shown, Sort,
    StateReader, Writer, draw, either, hash, pairs, widest, width_alone, widths,
};
pub use fathom_derive::{Data, Finite};
pub use fathom_symmetry::{Drawing, Place, mix};
pub use program::{ActionFacts, Facts, Program, Property};
pub use runnable::{Asked, Form, Opened, Runnable};
pub use system::{Call, ProgramSystem, Symmetry};
pub use table::PartTable;
