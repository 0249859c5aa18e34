//! The check of composite states on a random model under a random partition, for tests and fuzz targets.
//!
//! The first bytes make the partition, the others the program. Complete engines must reach exactly the concrete states of the
//! reference engine and find the same evidence, breadth-first on shortest ways; every trace is replayed on the way.

use fathom_core::model::Interpreter;
use fathom_core::search::NoMonitor;
use fathom_core::symbolic::Partition;
use fathom_core::{CheckOptions, Engine, check, default_properties};

use crate::check_random_model::{Compared, accepted, check_evidence};
use crate::naive::explore;
use crate::{Entropy, random_promela};

/// Models with more states are not compared.
const MOST_STATES: usize = 2_000;
/// Bytes that choose the partition.
const PARTITION_BYTES: usize = 8;

/// Makes a program and a partition from bytes and compares what is said about it with the reference engine.
///
/// # Panics
///
/// When they disagree. The message shows the program and the partition.
pub fn check_random_partition(bytes: &[u8]) -> Compared {
    let (chosen, rest) = bytes.split_at(bytes.len().min(PARTITION_BYTES));
    let program = random_promela(&mut Entropy::new(rest));
    let model = accepted(&program);
    let interpreter = Interpreter::new(&model, &default_properties(&model));
    let Some(expected) = explore(&interpreter, MOST_STATES) else { return Compared::TooLarge };
    let names: Vec<String> =
        Partition::explicit(&model).sides().iter().map(|side| side.name.clone()).collect();
    let is_chosen = |place: &usize| {
        chosen.get(place / 8 % PARTITION_BYTES).is_some_and(|byte| byte >> (place % 8) & 1 == 1)
    };
    let symbolic: Vec<&str> = (0..names.len()).filter(is_chosen).map(|place| names[place].as_str()).collect();
    let partition = Partition::explicit(&model).with(&symbolic, true).expect("the names are the model's");
    for engine in [Engine::BreadthFirst, Engine::DepthFirst] {
        let options = CheckOptions {
            engine,
            partition: Some(partition.clone()),
            properties: default_properties(&model),
            continue_after_all: true,
            max_bytes: Some(1 << 28),
            ..CheckOptions::default()
        };
        let report = check(&model, &options, &mut NoMonitor);
        let told = || format!("{} with {symbolic:?} symbolic\n{program}", engine.name());
        if let Some(composite) = &report.composite {
            let reached = composite.concrete_states;
            assert_eq!(reached, expected.states as f64, "concrete states, {}", told());
        }
        let answer = fathom_core::model::Answer::Holds;
        if let Err(difference) = check_evidence(&report.verdicts, &expected.evidence, engine, answer) {
            panic!("{difference}, {}", told());
        }
    }
    Compared::Agreed { states: expected.states }
}
