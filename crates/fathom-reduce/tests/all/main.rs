//! Reduced searches against full ones, in one binary.

mod facts;
mod same_answers;
mod symmetry;
