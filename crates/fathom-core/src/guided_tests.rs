//! Guided engines and their claims on small models.

use fathom_guide::{AbstractPlan, Combine, DatabasePlan};
use fathom_model::{Answer, Model, PropertyId, Stop};
use fathom_search::NoMonitor;
use fathom_source::MemoryLoader;

use crate::{
    Asked, CheckOptions, Engine, Guidance, HeuristicChoice, HeuristicData, HeuristicError, HeuristicKind,
    Language, Optimality, Reductions, Report, check, describe_heuristic, load, patterns_of,
};

/// A walk on a square with a slow and a costly way to the corner.
const SQUARE: &str = "byte x, y; int paid; active proctype p() { do
    :: d_step { paid < 20 && x < 6 -> x++; paid = paid + 1 } :: d_step { paid < 20 && x > 0 -> x--; paid = paid + 1 }
    :: d_step { paid < 20 && y < 6 -> y++; paid = paid + 1 } :: d_step { paid < 20 && y < 5 -> y = y + 2; paid = paid + 5 }
    :: paid >= 20 -> break od }";

fn model(text: &str, reach: &str) -> (Model, PropertyId) {
    let loader = MemoryLoader::new().with("m.pml", text);
    let mut loaded = load("m.pml", Language::Promela, &loader, &[]).unwrap();
    let property = loaded.ask(Asked::Reach, reach).unwrap();
    (loaded.model.unwrap(), property)
}

fn run(model: &Model, property: PropertyId, engine: Engine, guidance: Guidance) -> Report {
    let options = CheckOptions { engine, properties: vec![property], guidance, ..CheckOptions::default() };
    check(model, &options, &mut NoMonitor)
}

fn length(report: &Report) -> usize {
    report.verdicts[0].trace.as_ref().unwrap().choices.len()
}

#[test]
fn engines_that_claim_a_shortest_trace_find_one() {
    let (model, property) = model(SQUARE, "x == 6 && y == 6");
    let shortest = length(&run(&model, property, Engine::BreadthFirst, Guidance::default()));
    assert_eq!(shortest, 9);
    let local = Guidance { heuristic: HeuristicChoice::Kind(HeuristicKind::Local), ..Guidance::default() };
    let abstracted = Guidance { heuristic: HeuristicChoice::Abstract(None), ..Guidance::default() };
    for engine in [Engine::AStar, Engine::BranchAndBound] {
        for guidance in [Guidance::default(), local.clone(), abstracted.clone()] {
            let report = run(&model, property, engine, guidance);
            assert_eq!((length(&report), report.optimality), (shortest, Optimality::Shortest), "{engine:?}");
        }
    }
    let weighted = Guidance { weight: 2.0, ..local.clone() };
    let report = run(&model, property, Engine::AStar, weighted);
    assert_eq!(report.optimality, Optimality::Within(2.0));
    assert!(length(&report) <= 2 * shortest);
    for engine in [Engine::Best, Engine::BestDepthFirst, Engine::Beam] {
        let report = run(&model, property, engine, Guidance::default());
        assert_eq!(report.optimality, Optimality::Unknown);
        assert!(length(&report) >= shortest);
    }
    let reversed = Guidance { reversed: true, ..abstracted };
    let report = run(&model, property, Engine::AStar, reversed);
    assert_eq!((report.optimality, report.verdicts[0].answer), (Optimality::Unknown, Answer::Holds));
}

#[test]
fn branch_and_bound_finds_the_cheapest_trace() {
    let (model, property) = model(SQUARE, "x == 6 && y == 6");
    let loader = MemoryLoader::new().with("m.pml", SQUARE);
    let mut loaded = load("m.pml", Language::Promela, &loader, &[]).unwrap();
    let asked = loaded.ask(Asked::Reach, "paid").unwrap();
    let fathom_model::Question::Reach(cost) =
        loaded.model.unwrap().properties[asked.index()].question.clone()
    else {
        unreachable!()
    };
    let guidance = Guidance { cost: Some(cost), ..Guidance::default() };
    let report = run(&model, property, Engine::BranchAndBound, guidance);
    assert_eq!((length(&report), report.optimality), (12, Optimality::Cheapest));
    assert!(report.note.unwrap().contains("cost 12"));
}

#[test]
fn reductions_are_those_asked_for_and_spoil_the_claim_where_they_change_steps() {
    let text = "byte a, b, unused; active proctype p() { unused = 1; a = 1; b = 2; a = 3 }
        active proctype q() { byte m; m = 1; m = 2; m = 3 }";
    let (model, property) = model(text, "a == 3");
    let with = |reductions| Guidance { reductions, ..Guidance::default() };
    let steady = run(&model, property, Engine::AStar, with(None));
    assert_eq!(steady.reductions.names(), ["slice", "dead"]);
    assert_eq!((length(&steady), steady.optimality), (4, Optimality::Shortest));
    let none = run(&model, property, Engine::AStar, with(Some(Reductions::NONE)));
    assert!(none.reductions.names().is_empty());
    assert_eq!((length(&none), none.optimality), (4, Optimality::Shortest));
    for engine in [Engine::Best, Engine::AStar, Engine::Beam, Engine::BestDepthFirst, Engine::BranchAndBound]
    {
        let all = run(&model, property, engine, with(Some(Reductions::ALL)));
        assert!(all.reductions.fuse && all.reductions.slice && all.reductions.dead);
        assert_eq!(
            (all.verdicts[0].answer, all.optimality),
            (Answer::Holds, Optimality::Unknown),
            "{engine:?}"
        );
    }
    let por = Reductions { partial_order: true, ..Reductions::NONE };
    let (model, property) = self::model(text, "a == 9");
    let ordered = run(&model, property, Engine::Best, with(Some(por)));
    let plain = run(&model, property, Engine::Best, with(Some(Reductions::NONE)));
    assert!(ordered.reductions.partial_order);
    assert!(ordered.statistics.states < plain.statistics.states);
}

#[test]
fn a_beam_that_leaves_states_out_proves_nothing() {
    let (model, property) = model(SQUARE, "x == 9");
    let narrow = Guidance { beam_width: 3, ..Guidance::default() };
    let report = run(&model, property, Engine::Beam, narrow);
    assert_eq!((report.verdicts[0].answer, report.verdicts[0].stop), (Answer::Inconclusive, Stop::States));
    let wide = Guidance { beam_width: 1_000_000, ..Guidance::default() };
    let report = run(&model, property, Engine::Beam, wide);
    assert_eq!((report.verdicts[0].answer, report.verdicts[0].stop), (Answer::Violated, Stop::Exhausted));
}

#[test]
fn a_heuristic_can_be_written_down_and_used_again() {
    let (model, property) = model(SQUARE, "x == 6 && y == 6");
    let options = |heuristic| CheckOptions {
        engine: Engine::AStar,
        properties: vec![property],
        guidance: Guidance { heuristic, ..Guidance::default() },
        ..CheckOptions::default()
    };
    let described = describe_heuristic(&model, &options(HeuristicChoice::Abstract(None)), &|| true).unwrap();
    let HeuristicData::Abstract(plan, sizes) = described else { panic!("{described:?}") };
    assert!(plan.databases[0].keep.contains(&"x".to_owned()) && sizes[0].1 >= 6, "{plan:?} {sizes:?}");
    let again = options(HeuristicChoice::Abstract(Some(plan)));
    assert_eq!(length(&check(&model, &again, &mut NoMonitor)), 9);
    let keep = DatabasePlan { keep: vec!["nothing".to_owned()], groups: Vec::new() };
    let wrong = AbstractPlan { databases: vec![keep], combine: Combine::Max };
    let refused =
        describe_heuristic(&model, &options(HeuristicChoice::Abstract(Some(wrong))), &|| true).unwrap_err();
    assert!(matches!(refused, HeuristicError::NoDatabase(_)), "{refused}");
}

#[test]
fn the_pattern_of_a_small_instance_guides_a_large_one() {
    let text = |n: u32| {
        format!(
            "bit taken[{n}]; active [{n}] proctype phil() {{ do :: atomic {{ !taken[_pid]; taken[_pid] = 1 }};
             atomic {{ !taken[(_pid + 1) % {n}]; taken[(_pid + 1) % {n}] = 1 }};
             taken[_pid] = 0; taken[(_pid + 1) % {n}] = 0 od }}"
        )
    };
    let load = |n| {
        let loader = MemoryLoader::new().with("m.pml", text(n));
        load("m.pml", Language::Promela, &loader, &[]).unwrap().model.unwrap()
    };
    let (small, large) = (load(2), load(9));
    let deadlock = |model: &Model| {
        let index = model.properties.iter().position(|property| property.name == "deadlock").unwrap();
        PropertyId::from(index)
    };
    let table = patterns_of(&small, &[deadlock(&small)], &[], 1000, &mut NoMonitor).remove(0);
    let guidance = Guidance { heuristic: HeuristicChoice::Pattern(table), ..Guidance::default() };
    let report = run(&large, deadlock(&large), Engine::Best, guidance);
    assert_eq!(length(&report), 9);
    assert!(report.statistics.states < 200, "{:?}", report.statistics);
}
