//! Formulas and claims by walks, on small models and against the complete search.

use fathom_hunt::{ArmRow, Repeats, WalkOptions};
use fathom_model::{Answer, Model, Stop, Trust, Verdict};
use fathom_search::{NoMonitor, Progress};
use fathom_source::MemoryLoader;

use crate::{CheckOptions, Engine, Guidance, HuntOptions, Language, Report, check, hunt, load, replay};

fn model(text: &str) -> Model {
    let loader = MemoryLoader::new().with("m.pml", text);
    let loaded = load("m.pml", Language::Promela, &loader, &[]).expect("the program is there");
    loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

fn options(model: &Model, engine: Engine) -> CheckOptions {
    let linear = (0..model.properties.len()).filter(|&index| !model.properties[index].question.is_safety());
    CheckOptions { engine, properties: linear.map(Into::into).collect(), ..CheckOptions::default() }
}

fn walk(text: &str, guidance: Guidance) -> (Model, Report) {
    let model = model(text);
    let options = CheckOptions { guidance, ..options(&model, Engine::Walk) };
    let report = check(&model, &options, &mut NoMonitor);
    (model, report)
}

/// A server that may forget a client.
const SERVER: &str = "bool asked, served, crashed;
    active proctype client() { do :: !asked -> asked = true; served; served = false; asked = false od }
    active proctype server() {
      do
      :: asked && !served -> served = true
      :: !asked -> skip
      :: crashed = true; crashed = false
      od
    }
    ltl answer { [] (asked -> <> served) }
    ltl calm { <> [] !asked }
    ltl sane { [] !(served && !asked) }
    ltl always_fine { [] (crashed -> <> !crashed) }";

#[test]
fn walks_find_lassos_that_replay_and_the_formula_is_false_of_them() {
    let (model, report) = walk(SERVER, Guidance::default());
    let complete = check(&model, &options(&model, Engine::DepthFirst), &mut NoMonitor);
    for (walked, exact) in report.verdicts.iter().zip(&complete.verdicts) {
        let name = &model.properties[walked.property.index()].name;
        match exact.answer {
            Answer::Violated => assert_eq!(walked.answer, Answer::Violated, "{name}"),
            _ => assert_eq!((walked.answer, walked.trust), (Answer::Inconclusive, Trust::Sampled), "{name}"),
        }
        if let Some(trace) = &walked.trace {
            replay(&model, walked.property, trace);
        }
    }
    let answer = |name: &str| {
        let is_named = |verdict: &&Verdict| model.properties[verdict.property.index()].name == name;
        report.verdicts.iter().find(is_named).expect("a verdict").clone()
    };
    assert!(answer("answer").trace.expect("a run that never serves").loop_at.is_some());
    assert_eq!(answer("always_fine").answer, Answer::Inconclusive);
}

#[test]
fn a_claim_written_by_hand_is_violated_by_a_lasso_and_by_reaching_its_end() {
    let program = "byte x; active proctype p() { do :: x = (x + 1) % 4 :: x == 2 -> x = 2 od }\n";
    let stays = "never { do :: skip :: x == 2 -> goto accept od; accept: do :: x == 2 od }";
    let (model, report) = walk(&format!("{program}{stays}"), Guidance::default());
    let trace = report.verdicts[0].trace.as_ref().expect("it can stay at 2");
    assert!(trace.loop_at.is_some());
    replay(&model, report.verdicts[0].property, trace);
    let reaches = "never { do :: x == 3 -> break :: else od }";
    let (_, report) = walk(&format!("{program}{reaches}"), Guidance::default());
    assert_eq!(report.verdicts[0].answer, Answer::Violated);
    assert_eq!(report.verdicts[0].trace.as_ref().expect("a finite run").loop_at, None);
}

#[test]
fn a_process_that_stops_stutters_for_ever() {
    let text = "bool done; active proctype p() { skip; skip } ltl ends { <> done }";
    let (_, report) = walk(text, Guidance::default());
    assert_eq!(report.verdicts[0].answer, Answer::Violated);
}

#[test]
fn walks_to_their_first_loop_support_a_claim_about_what_they_did_not_find() {
    let text = "byte x; active proctype p() { do :: x = (x + 1) % 7 od } ltl moves { [] <> (x == 3) }";
    let walk_options =
        WalkOptions { n_walks: 300, repeats: Repeats::End, max_depth: None, ..WalkOptions::default() };
    let (_, report) = walk(text, Guidance { walk: walk_options, ..Guidance::default() });
    assert_eq!(report.verdicts[0].answer, Answer::Inconclusive);
    let claim = report.sample.expect("a sample").claim.expect("a claim");
    assert_eq!((claim.n_walks, claim.n_draws), (300, 300));
    assert!(claim.epsilon < 0.04 && claim.epsilon > 0.0);
}

#[test]
fn one_seed_gives_one_lasso_whatever_the_threads() {
    let model = model(SERVER);
    let trace = |threads, seed| {
        let guidance = Guidance { seed, ..Guidance::default() };
        let options = CheckOptions { threads, guidance, ..options(&model, Engine::Walk) };
        check(&model, &options, &mut NoMonitor).verdicts[0].trace.clone().expect("a lasso")
    };
    for seed in 1..6 {
        assert_eq!(trace(1, seed), trace(3, seed));
    }
    assert!((2..9).any(|seed| trace(1, seed) != trace(1, 1)), "seeds matter");
}

/// Three counters, two of which go on and on, so that there are far more states than the complete attempt may have, and hardly
/// any loop. The first counter may stay at 90 for ever, and then wait in circles for one of the others.
const COUNTERS: &str = "byte a; int b, c; bool stay;
    active proctype p() { do :: a = (a + 1) % 100 :: a == 90 -> stay = true; do :: b > 200 -> skip :: c > 200 -> skip od od }
    active proctype q() { do :: b = b + 1 od }
    active proctype r() { do :: c = c + 1 od }
    ltl returns { [] <> (a == 0) }
    ltl bounded { [] (a < 100) }";

#[test]
fn a_hunt_finds_a_lasso_where_the_complete_attempt_ends_early() {
    let model = model(COUNTERS);
    let properties = options(&model, Engine::Walk).properties;
    let hunted = |properties: Vec<_>, all| {
        let options = HuntOptions { properties, all, max_states: Some(1_000_000), ..HuntOptions::default() };
        hunt(&model, &options, &mut |_: &Progress, _: &[ArmRow]| None::<Stop>)
    };
    let found = hunted(properties.clone(), true);
    let verdict = &found.report.verdicts[0];
    assert_eq!((verdict.answer, verdict.property), (Answer::Violated, properties[0]));
    assert!(verdict.trace.as_ref().is_some_and(|trace| trace.loop_at.is_some()));
    assert!(found.found_by[0].as_ref().is_some_and(|arm| arm.contains("walk")));
    assert!(found.arms.iter().any(|row| row.name.starts_with("returns: walk")));
    assert_eq!(found.report.verdicts[1].answer, Answer::Inconclusive);
    assert_eq!(found.report.verdicts[1].trust, Trust::Sampled);
    // Something found is enough unless everything is asked for.
    let first = hunted(properties, false);
    assert_eq!(
        (first.report.verdicts[1].answer, first.report.verdicts[1].stop),
        (Answer::Inconclusive, Stop::Found)
    );
}

#[test]
fn a_hunt_on_a_small_model_proves_formulas() {
    let model =
        model("byte x; active proctype p() { do :: x = (x + 1) % 7 od } ltl moves { [] <> (x == 3) }");
    let options =
        HuntOptions { properties: options(&model, Engine::Walk).properties, ..HuntOptions::default() };
    let hunted = hunt(&model, &options, &mut |_: &Progress, _: &[ArmRow]| None::<Stop>);
    let verdict = &hunted.report.verdicts[0];
    assert_eq!((verdict.answer, verdict.trust), (Answer::Holds, Trust::Complete));
}
