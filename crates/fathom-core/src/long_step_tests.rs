//! Steps of very many moves: those that go round for ever are run-time errors, and of those that are given up nothing is claimed.

use fathom_model::{Answer, Stop};
use fathom_search::NoMonitor;
use fathom_source::MemoryLoader;
use fathom_symbolic::Partition;

use crate::{CheckOptions, Code, Language, Report, check, default_properties, load};

/// Reports of compiled, interpreted and, if asked for, symbolic steps.
fn reports(text: &str, with_sets: bool) -> Vec<Report> {
    let loader = MemoryLoader::new().with("m.pml", text);
    let model = load("m.pml", Language::Promela, &loader, &[]).expect("a program").model.expect("a model");
    let options = CheckOptions { properties: default_properties(&model), ..CheckOptions::default() };
    let sets = CheckOptions { partition: Some(Partition::symbolic(&model)), ..options.clone() };
    let interpreted = CheckOptions { code: Code::Interpreted, ..options.clone() };
    let ways = [options, interpreted].into_iter().chain(with_sets.then_some(sets));
    ways.map(|options| check(&model, &options, &mut NoMonitor)).collect()
}

#[test]
fn nothing_is_claimed_beyond_a_step_that_is_given_up() {
    for (block, with_sets) in [("d_step", true), ("atomic", false)] {
        let text = format!(
            "int x; active proctype p() {{ {block} {{ do :: x < 1100000 -> x++ :: else -> break od }}; assert(false) }}"
        );
        for report in reports(&text, with_sets) {
            let answers: Vec<Answer> = report.verdicts.iter().map(|verdict| verdict.answer).collect();
            assert_eq!(answers, [Answer::Inconclusive; 3], "{block}");
            assert_eq!(report.stop, Stop::States, "{block}");
        }
    }
}

#[test]
fn a_block_that_goes_round_is_a_run_time_error() {
    let text = "byte x, y; active proctype p() { if :: y = 1 :: y = 2 fi; d_step { do :: y == 1 -> x++ :: else -> break od }; x = 3 }";
    for report in reports(text, true) {
        let answers: Vec<Answer> = report.verdicts.iter().map(|verdict| verdict.answer).collect();
        assert_eq!(answers, [Answer::Holds, Answer::Holds, Answer::Violated]);
        assert_eq!(report.verdicts[2].trace.as_ref().map(|trace| trace.choices.len()), Some(1));
    }
}
