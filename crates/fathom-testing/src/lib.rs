//! What the tests of Fathom share: random models, a reference engine to compare with, and the checks that
//! tests and fuzz targets run on whatever bytes they have.

mod check_branching;
mod check_common_fragment;
mod check_front_end;
mod check_linear;
mod check_random_claim;
mod check_random_coverage;
mod check_random_formula;
mod check_random_model;
mod check_random_partition;
mod check_random_sequence;
mod check_random_smv;
mod check_random_timed;
mod check_random_tree;
mod entropy;
mod files;
mod naive;
mod naive_formula;
mod naive_runs;
mod random_promela;
mod random_smv;
mod random_uppaal;
mod shrink;
pub mod systems;

pub use check_branching::check_branching;
pub use check_common_fragment::check_common_fragment;
pub use check_front_end::check_front_end;
pub use check_linear::check_linear;
pub use check_random_claim::check_random_claim;
pub use check_random_coverage::check_random_coverage;
pub use check_random_formula::{Judged, check_random_formula};
pub use check_random_model::{Compared, check_random_model, compare_engines};
pub use check_random_partition::check_random_partition;
pub use check_random_sequence::{AgreedSequence, check_random_sequence};
pub use check_random_smv::check_random_smv;
pub use check_random_timed::check_random_timed;
pub use check_random_tree::check_random_tree;
pub use entropy::Entropy;
pub use fathom_core::program_files::check_front_end as check_csharp_front_end;
pub use files::file_loader;
pub use naive::{Explored, explore};
pub use naive_formula::is_violated;
pub use random_promela::random_promela;
pub use random_smv::random_smv;
pub use random_uppaal::random_uppaal;
pub use shrink::{attempt, shrink, shrink_failing};
