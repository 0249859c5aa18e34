//! The corpora, random models, and the state of the repository, in one binary: linking costs more than many of these tests.
//!
//! Tests here share a process: they may read its environment, but not change it.

mod branching_corpus;
mod coverage_corpus;
mod fuzz_smoke;
mod hygiene;
mod known_verdicts;
mod layers;
mod ltl_corpus;
mod own_corpus;
mod own_if;
mod own_if_timed;
mod own_smv;
mod own_timed;
mod own_uppaal;
mod partition_corpus;
mod promela_corpus;
mod timed_corpus;
mod uppaal_corpus;
