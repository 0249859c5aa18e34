//! The check of a random program in SMV under a random partition, for tests and fuzz targets.
//!
//! Explicit states, which the reference interpreter makes, say what is true; composite states must reach exactly these states and say the same about invariants and formulas of linear and branching
//! time, with fairness. Traces and trees are replayed by the facade.

use fathom_core::model::{Answer, PropertyId};
use fathom_core::search::NoMonitor;
use fathom_core::source::MemoryLoader;
use fathom_core::symbolic::Partition;
use fathom_core::{CheckOptions, Engine, Language, check, default_properties, load};

use crate::check_random_tree::random_partition;
use crate::{Entropy, random_smv};

/// Makes a program and partitions from bytes and compares; gives how many properties hold.
///
/// # Panics
///
/// When Fathom has a bug. The message shows the program.
pub fn check_random_smv(bytes: &[u8]) -> usize {
    let mut entropy = Entropy::new(bytes);
    let mask = entropy.below(256) << 8 | entropy.below(256);
    let program = random_smv(&mut entropy);
    let loader = MemoryLoader::new().with("random.smv", &program);
    let loaded = load("random.smv", Language::Smv, &loader, &[]).expect("a file in memory");
    let Some(model) = loaded.model else { panic!("{:?}\n{program}", loaded.diagnostics) };
    let options = CheckOptions {
        properties: default_properties(&model),
        continue_after_all: true,
        max_bytes: Some(1 << 28),
        ..CheckOptions::default()
    };
    let expected = check(&model, &options, &mut NoMonitor);
    let answers = |report: &fathom_core::Report| -> Vec<Answer> {
        report.verdicts.iter().map(|verdict| verdict.answer).collect()
    };
    // Guided search over diagrams: the same answers, and traces as short as those of a breadth-first search.
    let is_safety = |property: &PropertyId| model.properties[property.index()].question.is_safety();
    let properties: Vec<PropertyId> = options.properties.iter().copied().filter(is_safety).collect();
    let shown = |report: &fathom_core::Report| -> Vec<(Answer, Option<usize>)> {
        let verdicts = report.verdicts.iter().filter(|verdict| is_safety(&verdict.property));
        verdicts.map(|one| (one.answer, one.trace.as_ref().map(|trace| trace.choices.len()))).collect()
    };
    let guided = CheckOptions { engine: Engine::SymbolicGuided, properties, ..options.clone() };
    assert_eq!(shown(&check(&model, &guided, &mut NoMonitor)), shown(&expected), "guided\n{program}");
    for partition in [random_partition(&model, mask), Partition::symbolic(&model)] {
        let composite = CheckOptions { partition: Some(partition.clone()), ..options.clone() };
        let report = check(&model, &composite, &mut NoMonitor);
        assert_eq!(answers(&report), answers(&expected), "partition {mask:x}\n{program}");
        // One exploration for everything, where nothing goes wrong.
        let at_once = CheckOptions { continue_after_all: false, ..composite };
        for (ours, theirs) in
            answers(&check(&model, &at_once, &mut NoMonitor)).into_iter().zip(answers(&expected))
        {
            assert!(ours == theirs || ours == Answer::Inconclusive, "at once, partition {mask:x}\n{program}");
        }
        if let Some(composite) = &report.composite {
            let states = expected.statistics.states as f64;
            assert_eq!(composite.concrete_states, states, "partition {mask:x}\n{program}");
        }
    }
    answers(&expected).into_iter().filter(|answer| *answer == Answer::Holds).count()
}
