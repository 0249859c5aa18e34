//! Prints the random program of a seed: `cargo run -p fathom-testing --example random_model -- SEED`.
#![allow(clippy::print_stdout)]

use fathom_testing::{Entropy, random_promela};

fn main() {
    let seed = std::env::args().nth(1).and_then(|seed| seed.parse().ok()).unwrap_or(0);
    print!("{}", random_promela(&mut Entropy::seeded(seed, 400)));
}
