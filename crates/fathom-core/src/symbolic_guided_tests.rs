//! Guided search and walks over diagrams, through the facade.

use fathom_hunt::{Bias, Repeats, Share, Target, WalkOptions};
use fathom_model::{Answer, Model, PropertyId, Stop, Trust};
use fathom_search::{NoMonitor, Progress};
use fathom_source::MemoryLoader;
use fathom_symbolic::Partition;

use crate::symbolic_arms::{Shared, composites, symbolic_arms};
use crate::{CheckOptions, Engine, Guidance, Language, Optimality, Report, check, default_properties, load};

const WAITING: &str = "
MODULE main
VAR count : 0..7; state : {idle, waiting, failed}; aside : 0..7;
ASSIGN
  init(count) := 0; init(state) := idle; init(aside) := 0;
  next(aside) := {0, 1, 2, 3, 4, 5, 6, 7};
  next(state) := case state = idle : {idle, waiting}; count = 7 : failed; state = waiting : {waiting, idle}; TRUE : state; esac;
  next(count) := case state = waiting & count < 7 : {count + 1, 0}; TRUE : 0; esac;
INVARSPEC NAME never := state != failed
INVARSPEC NAME always := count < 8
";

fn smv(text: &str) -> Model {
    let loader = MemoryLoader::new().with("m.smv", text);
    load("m.smv", Language::Smv, &loader, &[]).unwrap().model.unwrap()
}

fn run(model: &Model, options: CheckOptions) -> Report {
    check(model, &CheckOptions { properties: default_properties(model), ..options }, &mut NoMonitor)
}

fn walking(trail: bool, guided: bool, seed: u64) -> CheckOptions {
    let repeats = if trail { Repeats::Avoid } else { Repeats::Allow };
    CheckOptions {
        engine: Engine::SymbolicWalk,
        guidance: Guidance {
            walk: WalkOptions { repeats, n_walks: 200, max_depth: Some(500), ..WalkOptions::default() },
            guided,
            bias: Bias::Linear { floor: 1 },
            share: Share::EachEstimate,
            seed,
            ..Guidance::default()
        },
        ..CheckOptions::default()
    }
}

#[test]
fn a_guided_search_is_complete_and_shortest() {
    let model = smv(WAITING);
    let plain = run(&model, CheckOptions::default());
    let engine = Engine::SymbolicGuided;
    let guided = run(&model, CheckOptions { engine, ..CheckOptions::default() });
    let lengths = |report: &Report| -> Vec<(Answer, Option<usize>)> {
        let length = |trace: &fathom_model::Trace| trace.choices.len();
        report.verdicts.iter().map(|one| (one.answer, one.trace.as_ref().map(length))).collect()
    };
    assert_eq!(lengths(&guided), lengths(&plain));
    assert_eq!(guided.optimality, Optimality::Shortest);
    let composite = guided.composite.expect("a report");
    let never =
        composite.distances.iter().find(|one| one.start.is_some()).expect("an error that can be reached");
    assert_eq!(never.kept, ["count", "state"], "what is aside is weak");
    assert_eq!(never.start, Some(9));
    let partition = Partition::explicit(&model).with(&["count", "aside"], true).unwrap();
    let some = CheckOptions { engine, partition: Some(partition), ..CheckOptions::default() };
    let some = run(&model, some);
    assert_eq!(lengths(&some), lengths(&plain));
    assert_eq!(some.composite.unwrap().explicit_parts, 3);
}

#[test]
fn limits_leave_a_guided_search_inconclusive() {
    let model = smv(WAITING);
    let engine = Engine::SymbolicGuided;
    for (options, stop) in [
        (CheckOptions { max_depth: Some(3), ..CheckOptions::default() }, Stop::Depth),
        (CheckOptions { max_states: Some(2), ..CheckOptions::default() }, Stop::States),
    ] {
        let report = run(&model, CheckOptions { engine, ..options });
        let never = report.verdicts.iter().find(|one| one.answer == Answer::Inconclusive).expect("cut off");
        assert_eq!(never.stop, stop);
        assert!(never.trace.is_none());
    }
    let properties = default_properties(&model);
    let options = CheckOptions { engine, properties, ..CheckOptions::default() };
    let stopped = check(&model, &options, &mut |_: &Progress| Some(Stop::Time));
    assert!(stopped.verdicts.iter().all(|one| one.answer == Answer::Inconclusive && one.stop == Stop::Time));
}

#[test]
fn too_many_explicit_parts_are_searched_without_distances() {
    let loader = MemoryLoader::new().with(
        "m.pml",
        "byte x; byte y; chan c = [1] of { byte };
         active proctype p() { do :: x < 4 -> x++ :: c!x od }
         active proctype q() { do :: c?y; assert(y != 3) od }",
    );
    let model = load("m.pml", Language::Promela, &loader, &[]).unwrap().model.unwrap();
    let partition = Some(Partition::explicit(&model).with(&["x"], true).unwrap());
    let options = CheckOptions { engine: Engine::SymbolicGuided, partition, ..CheckOptions::default() };
    let report = run(&model, options.clone());
    let lengths: Vec<usize> =
        report.verdicts.iter().filter_map(|one| Some(one.trace.as_ref()?.choices.len())).collect();
    assert_eq!(lengths, [8]);
    assert!(report.note.unwrap().contains("searched breadth-first"));
    let walks = run(&model, CheckOptions { engine: Engine::SymbolicWalk, ..options });
    assert!(walks.verdicts.iter().any(|one| one.answer == Answer::Violated && one.trace.is_some()));
    assert!(walks.verdicts.iter().all(|one| one.answer != Answer::Holds), "walks prove nothing");
    assert!(walks.note.unwrap().contains("walked through composite states"));
}

#[test]
fn processes_that_come_and_go_are_searched_without_a_relation() {
    let text = "system s; signal go(integer); signalroute r(1) #multiset from parent to sink with go;
        process parent(1); var c pid; var n integer;
          state a #start; provided n < 2; task n := n + 1; output go(n); c := fork child(); nextstate a;
            provided n = 2; kill c; nextstate b; endstate;
          state b; stop; endstate; endprocess;
        process sink(1); var x integer; var y integer; state a #start; input go(x); task y := 1 / (x - 2); nextstate a; endstate; endprocess;
        process child(0); state x #start; nextstate y; endstate; state y; stop; endstate; endprocess; endsystem;";
    let loader = MemoryLoader::new().with("m.if", text);
    let few = [("if_processes".to_owned(), "5".to_owned()), ("if_queue".to_owned(), "2".to_owned())];
    let loaded = load("m.if", Language::If, &loader, &few).unwrap();
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    for engine in [Engine::SymbolicGuided, Engine::SymbolicWalk] {
        let report = run(&model, CheckOptions { engine, ..CheckOptions::default() });
        let broken = |one: &fathom_model::Verdict| {
            model.properties[one.property.index()].name == "runtime-error" && one.answer == Answer::Violated
        };
        assert!(report.verdicts.iter().any(broken), "{engine:?}: {:?}", report.verdicts);
    }
}

#[test]
fn walks_find_what_is_there_and_never_prove() {
    let model = smv(WAITING);
    let steps = |report: &Report| report.statistics.transitions;
    let (mut guided_steps, mut unguided_steps) = (0, 0);
    for seed in 0..5 {
        for trail in [false, true] {
            let [unguided, guided] = [false, true].map(|guided| run(&model, walking(trail, guided, seed)));
            for report in [&unguided, &guided] {
                for one in &report.verdicts {
                    assert!(one.answer != Answer::Holds, "a sample never proves");
                    assert!(one.trace.is_some() || one.trust == Trust::Sampled);
                }
            }
            let is_found = guided.verdicts.iter().any(|one| one.answer == Answer::Violated);
            assert!(is_found, "guided walks find the error");
            let again = run(&model, walking(trail, true, seed));
            for (one, other) in again.verdicts.iter().zip(&guided.verdicts) {
                assert_eq!((one.answer, &one.trace), (other.answer, &other.trace), "the seed decides");
            }
            assert_eq!(steps(&again), steps(&guided));
            guided_steps += guided
                .verdicts
                .iter()
                .filter_map(|one| Some(one.trace.as_ref()?.choices.len()))
                .sum::<usize>();
            unguided_steps += unguided
                .verdicts
                .iter()
                .filter_map(|one| Some(one.trace.as_ref()?.choices.len()))
                .sum::<usize>();
        }
    }
    assert!(guided_steps < unguided_steps, "{guided_steps} {unguided_steps}");
    let safe = smv("MODULE main VAR x : 0..3; ASSIGN init(x) := 0; next(x) := {0, 1, 2}; INVARSPEC x < 3");
    let report = run(&safe, walking(true, false, 1));
    let claim = report.sample.expect("a sample").claim.expect("a claim");
    assert_eq!((claim.n_walks, claim.n_draws, claim.n_cut), (200, 200, 0));
    assert!(report.verdicts.iter().all(|one| one.answer == Answer::Inconclusive));
}

#[test]
fn arms_on_sets_of_values_find_errors_and_know_the_shortest() {
    let model = smv(WAITING);
    let of = |name: &str| {
        PropertyId::from(model.properties.iter().position(|one| one.name == name).expect("a property"))
    };
    let (never, always) = (of("never"), of("always"));
    let composites = composites(&model, &[never, always]);
    let shared: Vec<Shared<'_, '_>> = composites.iter().map(Shared::new).collect();
    let target = |property, most_steps| Target { property, most_steps };
    let mut arms = symbolic_arms(&shared, 1);
    let slice = arms[0].work(&[target(never, None)], 1_000_000, &mut NoMonitor);
    assert!(slice.found.is_some() && slice.is_shortest && !slice.proves);
    let slice = arms[0].work(&[target(never, Some(8))], 1_000_000, &mut NoMonitor);
    assert!(slice.found.is_none() && slice.is_shortest && slice.is_exhausted && !slice.proves);
    let slice = arms[0].work(&[target(always, None)], 1_000_000, &mut NoMonitor);
    assert!(slice.found.is_none() && slice.proves);
    for arm in &mut arms[1..3] {
        let found = (0..20).find_map(|_| arm.work(&[target(never, None)], 1_000_000, &mut NoMonitor).found);
        assert!(found.is_some(), "{} finds the error", arm.name());
        let slice = arm.work(&[target(always, None)], 100_000, &mut NoMonitor);
        assert!(slice.found.is_none() && !slice.proves && slice.states > 0, "{}", arm.name());
    }
}
