//! Timed automata through the facade: verdicts, runs with delays, faults.

use fathom_model::{Answer, Fault, Stop, Trust};
use fathom_search::{NoMonitor, StoreKind};
use fathom_source::MemoryLoader;
use fathom_timed::{Cover, ZoneOptions};

use crate::{Asked, Language, LoadedTimed, TimedEngine, TimedOptions, TimedReport, check_timed, load_timed};

fn load(text: &str) -> LoadedTimed {
    let loader = MemoryLoader::new().with("m.tck", text);
    load_timed("m.tck", Language::TChecker, &loader).expect("a file in memory")
}

/// Everything in the file, and conditions that are to be reached.
fn check(text: &str, reach: &[&str]) -> TimedReport {
    let mut loaded = load(text);
    for condition in reach {
        loaded.ask(Asked::Reach, condition).expect("a condition");
    }
    let properties: Vec<fathom_model::PropertyId> = (0..loaded.properties.len())
        .filter(|&index| !loaded.properties[index].question.is_on_request())
        .map(Into::into)
        .collect();
    let network = loaded.network.expect("a network");
    let options = TimedOptions { properties, continue_after_all: true, ..TimedOptions::default() };
    check_timed(&network, &loaded.properties, &options, &mut NoMonitor)
}

const ONE: &str = "system:s\nevent:e\nclock:1:x\nclock:1:y\nint:1:0:3:0:i\nprocess:P\nlocation:P:l{initial: : invariant: x<=4}\n\
                   location:P:m{labels: late}\n";

#[test]
fn strict_bounds_give_fractions() {
    let report = check(
        &format!("{ONE}edge:P:l:m:e{{provided: x>3 && x<4 : do: y=0}}\n"),
        &["P.m && y>0 && x<4", "P.m && x<=3", "P.l && x>4"],
    );
    let answers: Vec<Answer> = report.answers.iter().map(|answer| answer.verdict.answer).collect();
    // No fault, the label, the first condition; neither of the others.
    assert_eq!(answers, [Answer::Holds, Answer::Holds, Answer::Holds, Answer::Violated, Answer::Violated]);
    let (run, _) = report.answers[2].run.as_ref().expect("a run");
    assert!(run.scale > 1 && run.steps[0].delay > 3 * run.scale && run.last_delay > 0);
}

#[test]
fn values_out_of_range_block_and_divisions_by_zero_are_faults() {
    let report = check(&format!("{ONE}edge:P:l:l:e{{do: i=i+2}}\n"), &["i==2", "i==4"]);
    let answers: Vec<Answer> = report.answers.iter().map(|answer| answer.verdict.answer).collect();
    assert_eq!(answers, [Answer::Holds, Answer::Violated, Answer::Holds, Answer::Violated]);
    let report = check(&format!("{ONE}edge:P:l:m:e{{provided: x>=2 : do: i=1/i}}\n"), &[]);
    let answer = &report.answers[0];
    assert_eq!(answer.verdict.answer, Answer::Violated);
    let (run, _) = answer.run.as_ref().expect("a run up to the fault");
    assert_eq!((run.steps.len(), run.last_delay), (0, 2));
    let trace = answer.verdict.trace.as_ref().expect("a trace");
    let fathom_model::Evidence::Finding { fault, .. } = &trace.evidence else { panic!("a finding") };
    assert_eq!(*fault, Some(Fault::DivisionByZero));
}

#[test]
fn an_endless_loop_is_a_fault_and_not_the_end() {
    let report = check(&format!("{ONE}edge:P:l:m:e{{do: while 1 do nop end}}\n"), &[]);
    assert_eq!(report.answers[0].verdict.answer, Answer::Violated);
}

#[test]
fn a_limit_is_an_honest_answer() {
    let loaded = load(&format!("{ONE}edge:P:l:l:e{{do: i=i+1}}\n"));
    let network = loaded.network.expect("a network");
    for engine in [TimedEngine::BreadthFirst, TimedEngine::LastFirst, TimedEngine::DepthFirst] {
        let properties = vec![fathom_model::PropertyId(1)];
        let options = TimedOptions { engine, properties, max_states: Some(2), ..TimedOptions::default() };
        let report = check_timed(&network, &loaded.properties, &options, &mut NoMonitor);
        assert_eq!(report.answers[0].verdict.answer, Answer::Inconclusive);
        assert_eq!(report.stop, Stop::States);
    }
}

#[test]
fn a_network_without_clocks_or_processes_has_one_state() {
    for text in ["system:s\n", "system:s\nprocess:P\nlocation:P:l{initial:}\n"] {
        let loaded = load(text);
        let network = loaded.network.expect("a network");
        let options = TimedOptions { zones: ZoneOptions::default(), ..TimedOptions::default() };
        let report = check_timed(&network, &[], &options, &mut NoMonitor);
        assert_eq!((report.statistics.states, report.stop), (1, Stop::Exhausted));
    }
}

/// Asks about deadlocks alone.
fn check_deadlock(rest: &str) -> TimedReport {
    let loaded = load(&format!("{ONE}{rest}"));
    let deadlock =
        loaded.properties.iter().position(|property| property.name == "deadlock").expect("is there");
    let network = loaded.network.expect("a network");
    let options = TimedOptions { properties: vec![deadlock.into()], ..TimedOptions::default() };
    check_timed(&network, &loaded.properties, &options, &mut NoMonitor)
}

#[test]
fn waiting_too_long_is_a_deadlock_with_a_run_that_waits() {
    // The edge is open until 3 and the invariant until 4: after 3 nothing is possible any more.
    let report = check_deadlock("edge:P:l:l:e{provided: x<=3 : do: x=0}\n");
    assert_eq!(report.answers[0].verdict.answer, Answer::Violated);
    let (run, _) = report.answers[0].run.as_ref().expect("a run");
    assert!(run.steps.is_empty() && run.last_delay > 3 * run.scale);
    // Open until the invariant ends: there is always a way on.
    let report = check_deadlock("edge:P:l:l:e{provided: x>=3 : do: x=0}\n");
    assert_eq!(report.answers[0].verdict.answer, Answer::Holds);
    // The target refuses: y is not 0 there.
    let report = check_deadlock("location:P:n{invariant: y<=0}\nedge:P:l:n:e{provided: y>=1 && x<=2}\n");
    assert_eq!(report.answers[0].verdict.answer, Answer::Violated);
}

#[test]
fn a_lossy_store_finds_what_is_there_and_proves_nothing() {
    let mut loaded = load(&format!(
        "{ONE}edge:P:l:l:e{{provided: x>=1 && i<3 : do: i=i+1; y=0}}\nedge:P:l:m:e{{provided: y>=2}}\nedge:P:m:l:e{{do: x=0; i=0}}\n"
    ));
    let there = loaded.ask(Asked::Reach, "P.m && i==3").expect("a condition");
    let not_there = loaded.ask(Asked::Reach, "P.l && x>4").expect("a condition");
    let network = loaded.network.take().expect("a network");
    let check = |store: StoreKind, engine: TimedEngine, cover: Cover| {
        let zones = ZoneOptions { cover, ..ZoneOptions::default() };
        let properties = vec![there, not_there];
        let continue_after_all = true;
        let options =
            TimedOptions { engine, store, zones, properties, continue_after_all, ..TimedOptions::default() };
        check_timed(&network, &loaded.properties, &options, &mut NoMonitor)
    };
    for engine in [TimedEngine::BreadthFirst, TimedEngine::DepthFirst] {
        let exact = check(StoreKind::Exact, engine, Cover::Equality);
        for store in
            [StoreKind::Bitstate { bits: 1 << 16, hashes: 3, seed: 1 }, StoreKind::Compact { bits: 40 }]
        {
            let lossy = check(store, engine, Cover::Inclusion);
            // A large table tells all zones apart, but does not look for larger ones.
            assert_eq!(lossy.statistics.states, exact.statistics.states, "{store:?}");
            let answers: Vec<(Answer, Trust)> =
                lossy.answers.iter().map(|one| (one.verdict.answer, one.verdict.trust)).collect();
            assert_eq!(answers[0].0, Answer::Holds);
            assert!(lossy.answers[0].run.is_some());
            assert_eq!(answers[1], (Answer::Inconclusive, Trust::Lossy), "{store:?}");
        }
        let tiny = check(StoreKind::Bitstate { bits: 64, hashes: 1, seed: 1 }, engine, Cover::Inclusion);
        assert!(tiny.statistics.states <= exact.statistics.states);
        assert_eq!(tiny.answers[1].verdict.trust, Trust::Lossy);
    }
}
