//! The project's own programs in SMV: every sidecar in `examples/smv` says what must come out, explicitly, symbolically, and under a partition of its own.

use std::path::{Path, PathBuf};

use fathom_core::model::Question;
use fathom_core::search::NoMonitor;
use fathom_core::symbolic::Partition;
use fathom_core::{CheckOptions, Engine, Language, check, load};
use fathom_testing::{at_once, file_loader, sidecars_in};
use serde_json::Value;

/// Models with more states are not made explicit here.
const MOST_STATES: u64 = 200_000;

fn sidecars() -> Vec<PathBuf> {
    let found = sidecars_in("examples/smv");
    assert!(found.len() >= 4);
    found
}

/// Whether the states of a model are explored one by one here.
fn is_explored(expected: &Value) -> bool {
    let n_states = expected["states"].as_u64().expect("a number");
    n_states <= MOST_STATES && expected["slow_when_explicit"] != true
}

#[test]
fn states_and_verdicts_are_those_of_the_sidecars_on_every_side() {
    at_once(&sidecars(), |sidecar| {
        let path = sidecar.with_extension("smv");
        let loaded = load(&path.to_string_lossy(), Language::Smv, &file_loader, &[]).expect("a file");
        assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
        let model = loaded.model.expect("a model");
        let text = std::fs::read_to_string(sidecar).expect("a sidecar");
        let expected: Value = serde_json::from_str(&text).expect("JSON");
        let n_states = expected["states"].as_u64().expect("a number");
        let own: Vec<&str> =
            expected["symbolic"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut partitions: Vec<Option<Partition>> = Vec::new();
        if expected["slow_when_all_symbolic"] != true {
            partitions.push(Some(Partition::symbolic(&model)));
        }
        if is_explored(&expected) {
            partitions.push(None);
        }
        if !own.is_empty() {
            partitions.push(Some(Partition::explicit(&model).with(&own, true).expect("names")));
        }
        let verdicts = expected["verdicts"].as_object().expect("verdicts");
        for partition in partitions {
            let properties: Vec<_> = (0..model.properties.len())
                .filter(|&place| verdicts.contains_key(&model.properties[place].name))
                .map(Into::into)
                .collect();
            assert_eq!(properties.len(), verdicts.len(), "{}", sidecar.display());
            let is_composite = partition.is_some();
            let options =
                CheckOptions { properties, partition, continue_after_all: true, ..CheckOptions::default() };
            let report = check(&model, &options, &mut NoMonitor);
            for verdict in &report.verdicts {
                let name = &model.properties[verdict.property.index()].name;
                assert_eq!(verdict.answer.word(), verdicts[name], "{name} of {}", sidecar.display());
            }
            if !is_composite && !report.verdicts.is_empty() && report.searched_states {
                assert_eq!(report.statistics.states, n_states, "{}", sidecar.display());
            }
            if is_composite {
                let states = report.composite.expect("a report").concrete_states;
                assert_eq!(states, n_states as f64, "{}", sidecar.display());
            }
        }
    });
}

/// da Costa's question to the calculator: in how many states is there a step to two zeros? The sum over all factors e of the square of the greatest common divisor of e and 256.
#[test]
fn as_many_states_as_numbers_say_have_a_step_to_two_zeros() {
    let expected: u64 = (0..256u64).map(|e| 1u64 << (2 * (e | 256).trailing_zeros())).sum();
    assert_eq!(expected, 98_176);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/smv/calculator.smv");
    let mut loaded = load(&path.to_string_lossy(), Language::Smv, &file_loader, &[]).expect("a file");
    let asked = loaded.ask_states_of("EX \"a = 0ud8_0 & b = 0ud8_0\"", &[]).expect("a formula");
    let model = loaded.model.expect("a model");
    let auto = Partition::auto(&model);
    let symbolic: Vec<&str> =
        auto.sides().iter().filter(|side| side.symbolic).map(|side| side.name.as_str()).collect();
    assert_eq!(symbolic, ["a", "b"], "one factor of each product is known");
    let some = |names: &[&str]| Partition::explicit(&model).with(names, true).expect("names");
    for partition in [auto, some(&["a", "b", "e"]), some(&["a", "b", "c", "e"]), Partition::symbolic(&model)]
    {
        let options =
            CheckOptions { states_of: vec![asked], partition: Some(partition), ..CheckOptions::default() };
        let report = check(&model, &options, &mut NoMonitor);
        let [found] = &report.satisfying[..] else { panic!("one formula") };
        assert_eq!(found.n_states, 1 << 24);
        assert_eq!(found.parts.last().map(|part| part.n_states), Some(expected));
    }
}

#[test]
fn guided_search_over_diagrams_finds_traces_as_short_as_breadth_first_search() {
    at_once(&sidecars(), |sidecar| {
        let text = std::fs::read_to_string(sidecar).expect("a sidecar");
        let expected: Value = serde_json::from_str(&text).expect("JSON");
        let n_states = expected["states"].as_u64().expect("a number");
        if !is_explored(&expected) {
            return;
        }
        let path = sidecar.with_extension("smv");
        let loaded = load(&path.to_string_lossy(), Language::Smv, &file_loader, &[]).expect("a file");
        let model = loaded.model.expect("a model");
        let properties: Vec<_> = (0..model.properties.len())
            .filter(|&place| {
                let question = &model.properties[place].question;
                // What holds takes a breadth-first search of everything.
                question.is_safety() && (n_states <= 20_000 || matches!(question, Question::Invariant(_)))
            })
            .map(Into::into)
            .collect();
        let run = |engine: Engine| {
            let options = CheckOptions { engine, properties: properties.clone(), ..CheckOptions::default() };
            let report = check(&model, &options, &mut NoMonitor);
            let length = |trace: &fathom_core::model::Trace| trace.choices.len();
            let verdicts = report.verdicts.iter();
            verdicts.map(|one| (one.answer, one.trace.as_ref().map(length))).collect::<Vec<_>>()
        };
        let (plain, guided) = (run(Engine::BreadthFirst), run(Engine::SymbolicGuided));
        assert_eq!(guided, plain, "{}", sidecar.display());
        if let Some(shortest) = expected["shortest"].as_u64() {
            let lengths: Vec<usize> = guided.iter().filter_map(|(_, length)| *length).collect();
            assert_eq!(lengths, [shortest as usize], "{}", sidecar.display());
        }
    });
}
