//! Who takes part in errors, on small models and on the examples of the source.

use fathom_search::NoMonitor;
use fathom_source::MemoryLoader;

use crate::{
    CheckOptions, Language, Participation, advice, check, estimated_participation, few_participants, load,
    replay, traced_participation,
};
use fathom_model::Model;

fn model(text: &str, defines: &[(&str, &str)]) -> Model {
    let loader = MemoryLoader::new().with("m.pml", text);
    let defines: Vec<(String, String)> =
        defines.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let loaded = load("m.pml", Language::Promela, &loader, &defines).expect("the program is there");
    loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

/// The estimate for the property with a name: participants and processes.
fn estimate(model: &Model, property: &str) -> Option<(usize, usize)> {
    let id = model.properties.iter().position(|one| one.name == property).expect("a property");
    estimated_participation(model, id.into()).map(|one| (one.n_participants, one.n_processes))
}

const PETERSON: &str = include_str!("../../../examples/promela/peterson_n.pml");
const PHILOSOPHERS: &str = include_str!("../../../examples/promela/philosophers.pml");
const LAST_ID: &str = include_str!("../../../examples/promela/lastid_mutex.pml");
const BLOCKS: &str = include_str!("../../../examples/promela/blocks_world.pml");

#[test]
fn all_of_five_take_part_in_petersons_filter_and_two_of_five_when_only_a_pair_counts() {
    assert_eq!(estimate(&model(PETERSON, &[("N", "5")]), "assertion"), Some((5, 5)));
    assert_eq!(estimate(&model(PETERSON, &[("N", "5"), ("PAIR", "1")]), "assertion"), Some((2, 5)));
}

#[test]
fn a_pair_takes_part_in_mutual_exclusion_and_everybody_in_the_deadlock_of_philosophers() {
    assert_eq!(estimate(&model(LAST_ID, &[("N", "8"), ("PAIR", "1")]), "assertion"), Some((2, 8)));
    assert_eq!(estimate(&model(LAST_ID, &[("N", "8")]), "assertion"), Some((8, 8)));
    assert_eq!(estimate(&model(PHILOSOPHERS, &[("N", "9")]), "deadlock"), Some((9, 9)));
    assert_eq!(estimate(&model(BLOCKS, &[]), "assertion"), Some((4, 4)));
}

#[test]
fn processes_that_are_looked_into_take_part_and_monitors_do_not() {
    let text = "byte a[3], x; chan c = [1] of { byte };
        active [3] proctype p() { byte n; n = 1; a[_pid] = n; stay: a[2] == 5 }
        active proctype q() { run r(); run r() }
        proctype r() { c!1; c?x }
        active proctype monitor() { do :: assert(a[1] < 9) od }
        ltl near { [] (p[0]@stay -> a[2] == 0) }
        ltl message { [] (x == 0) }";
    let model = model(text, &[]);
    // One element of an array, written by the process with that number.
    assert_eq!(estimate(&model, "assertion"), Some((1, 7)));
    // The process whose location is looked at, and the one that writes the element.
    assert_eq!(estimate(&model, "near"), Some((2, 7)));
    // Created processes are found on a walk; they write by receiving.
    assert_eq!(estimate(&model, "message"), Some((2, 7)));
    assert_eq!(estimate(&model, "runtime-error"), None);
}

#[test]
fn a_trace_says_who_moved() {
    let model = model(LAST_ID, &[("N", "5")]);
    let id = model.properties.iter().position(|one| one.name == "assertion").expect("a property");
    let options = CheckOptions { properties: vec![id.into()], ..CheckOptions::default() };
    let verdict = check(&model, &options, &mut NoMonitor).verdicts.remove(0);
    let replay = replay(&model, verdict.property, &verdict.trace.expect("a violation"));
    let traced = traced_participation(&model, &replay);
    assert_eq!(traced, Participation { n_participants: 2, n_processes: 5 });
    assert!(traced.is_low() && (traced.share() - 0.4).abs() < 1e-12);
}

#[test]
fn few_participants_are_for_searches_and_many_for_hunts() {
    let model = model(LAST_ID, &[]);
    let question = &model.properties[1].question;
    let of =
        |n_participants, n_processes| advice(&model, question, Participation { n_participants, n_processes });
    assert_eq!(of(2, 5).command, "check --engine best");
    assert_eq!(of(3, 5).command, "hunt");
}

#[test]
fn the_few_that_take_part_are_known_by_number() {
    let few = |text: &str, defines: &[(&str, &str)], property: &str| {
        let model = model(text, defines);
        let id = model.properties.iter().position(|one| one.name == property).expect("a property");
        few_participants(&model, &[id.into()])
    };
    assert_eq!(few(LAST_ID, &[("N", "8"), ("PAIR", "1")], "assertion"), Some(vec![0, 1]));
    assert_eq!(few(LAST_ID, &[("N", "8")], "assertion"), None);
    assert_eq!(few(PHILOSOPHERS, &[("N", "9")], "deadlock"), None);
}

#[test]
fn processes_of_smv_are_counted_and_get_engines_over_sets() {
    let smv = |text: &str| {
        let loader = MemoryLoader::new().with("m.smv", text);
        load("m.smv", Language::Smv, &loader, &[]).expect("a text").model.expect("a model")
    };
    let high = smv(include_str!("../../../examples/smv/peterson_high.smv"));
    assert_eq!(estimate(&high, "alone"), Some((3, 3)));
    let low = smv(include_str!("../../../examples/smv/peterson_low.smv"));
    assert_eq!(estimate(&low, "alone"), Some((2, 3)));
    let pair = smv(include_str!("../../../examples/smv/send_receive.smv"));
    assert_eq!(estimate(&pair, "answered"), Some((1, 3)));
    let command = |model: &Model, name: &str| {
        let id = model.properties.iter().position(|one| one.name == name).expect("a property");
        let participation = estimated_participation(model, id.into()).expect("an estimate");
        advice(model, &model.properties[id].question, participation).command
    };
    assert_eq!(command(&pair, "answered"), "check --engine symbolic-guided");
    assert_eq!(command(&high, "alone"), "check --engine symbolic-walk --guided --trail --weigh-estimates");
}
