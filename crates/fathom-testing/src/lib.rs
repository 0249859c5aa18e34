//! What the tests of Fathom share: random models, and a reference engine to compare with.

mod entropy;
mod files;
mod naive;
mod random_promela;

pub use entropy::Entropy;
pub use files::file_loader;
pub use naive::{Explored, explore};
pub use random_promela::random_promela;
