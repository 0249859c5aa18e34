//! Scalar sets: values that are all alike (Ip and Dill, "Better Verification Through Symmetry", FMSD 1996; Hendriks, Behrmann,
//! Larsen, Niebert and Vaandrager, "Adding Symmetry Reduction to Uppaal", FORMATS 2003).
//!
//! A front end says which processes, variables, clocks and events belong to which elements of which sets, or [`crate::alike`] finds out. That is a guess:
//! [`crate::automorphism`] looks whether exchanging two elements changes nothing.

/// What belongs to which elements of scalar sets.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ScalarSets {
    /// The sets.
    pub sets: Vec<ScalarSet>,
    /// By process.
    pub processes: Vec<Coordinates>,
    /// By variable.
    pub variables: Vec<Coordinates>,
    /// By variable: the set whose elements are its values.
    pub values: Vec<Option<usize>>,
    /// By clock.
    pub clocks: Vec<Coordinates>,
    /// By event.
    pub events: Vec<Coordinates>,
}

/// A set of values that may all be alike.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ScalarSet {
    /// Number of elements.
    pub size: u32,
    /// The value that stands for the first element; the next ones follow it. Variables may have other values, too, which stand for none.
    pub first: i32,
}

/// Where something stands among others like it.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Coordinates {
    /// What it has in common with the others.
    pub family: String,
    /// Sets and elements that tell it from them.
    pub elements: Vec<(usize, u32)>,
}
