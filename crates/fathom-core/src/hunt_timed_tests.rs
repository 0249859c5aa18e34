//! Hunts in networks of timed automata.

use fathom_hunt::ArmRow;
use fathom_model::{Answer, PropertyId, Stop, Trust};
use fathom_search::{NoMonitor, Progress};
use fathom_source::MemoryLoader;

use crate::{
    Asked, Language, LoadedTimed, Optimality, TimedHuntOptions, TimedHuntReport, TimedOptions, check_timed,
    hunt_timed, load_timed,
};

/// Fischer's protocol with so many processes; without the wait, two get in.
fn fischer(n: usize, wait: &str) -> String {
    let mut text = format!("system:fischer\nevent:tau\nint:1:0:{n}:0:id\nint:1:0:{n}:0:inside\n");
    for k in 1..=n {
        text += &format!(
            "clock:1:x{k}\nprocess:P{k}\nlocation:P{k}:idle{{initial:}}\nlocation:P{k}:ask{{invariant: x{k}<=10}}\n\
             location:P{k}:wait\nlocation:P{k}:cs\n\
             edge:P{k}:idle:ask:tau{{provided: id==0 : do: x{k}=0}}\n\
             edge:P{k}:ask:wait:tau{{provided: x{k}<=10 : do: x{k}=0; id={k}}}\n\
             edge:P{k}:wait:cs:tau{{provided: {wait} id=={k} : do: inside=inside+1}}\n\
             edge:P{k}:wait:idle:tau{{provided: id!={k}}}\n\
             edge:P{k}:cs:idle:tau{{do: id=0; inside=inside-1}}\n"
        )
        .replace("{k}", &k.to_string());
    }
    text
}

fn load(text: &str, asked: Asked, question: &str) -> (LoadedTimed, PropertyId) {
    let loader = MemoryLoader::new().with("m.tck", text);
    let mut loaded = load_timed("m.tck", Language::TChecker, &loader).expect("a file in memory");
    assert!(loaded.network.is_some(), "{:?}", loaded.diagnostics);
    let property = loaded.ask(asked, question).expect("a question");
    (loaded, property)
}

fn hunt(loaded: &LoadedTimed, options: &TimedHuntOptions) -> TimedHuntReport {
    let network = loaded.network.as_ref().expect("a network");
    hunt_timed(network, &loaded.properties, options, &mut |_: &Progress, _: &[ArmRow]| None::<Stop>)
}

#[test]
fn a_hunt_agrees_with_a_check_and_small_networks_are_answered_for_good() {
    for (wait, answer) in [("x1>10 && x2>10 && ", Answer::Holds), ("", Answer::Violated)] {
        let (loaded, property) = load(&fischer(2, wait), Asked::Invariant, "inside<=1");
        let network = loaded.network.as_ref().expect("a network");
        let properties = vec![property];
        let plain = TimedOptions { properties: properties.clone(), ..TimedOptions::default() };
        let checked = check_timed(network, &loaded.properties, &plain, &mut NoMonitor);
        let hunted = hunt(&loaded, &TimedHuntOptions { properties, ..TimedHuntOptions::default() });
        let (ours, theirs) = (&hunted.report.answers[0], &checked.answers[0]);
        assert_eq!((ours.verdict.answer, ours.verdict.trust), (answer, Trust::Complete));
        assert_eq!(theirs.verdict.answer, answer);
        assert_eq!(ours.run.is_some(), answer == Answer::Violated);
        let steps = |answer: &crate::TimedAnswer| answer.run.as_ref().map(|(run, _)| run.steps.len());
        assert_eq!(steps(ours), steps(theirs));
        // A zone that swallows another one may cost a step.
        assert_eq!(hunted.optimality, Optimality::Unknown);
        assert!(hunted.arms.is_empty(), "the complete attempt was enough");
    }
}

/// A counter of 2000 that a clock lets grow, one that falls, and processes that idle: too much for a short attempt.
fn counters(n_idle: usize) -> String {
    let mut text = "system:s\nevent:e\nint:1:0:2000:0:i\nclock:1:x\nprocess:P\nlocation:P:l{initial: : invariant: x<=3}\n\
                    edge:P:l:l:e{provided: x>=1 : do: i=i+1; x=0}\nedge:P:l:l:e{provided: i>0 : do: i=i-1}\n"
        .to_owned();
    for k in 0..n_idle {
        text += &format!(
            "clock:1:y{k}\nint:1:0:9:0:j{k}\nprocess:Q{k}\nlocation:Q{k}:l{{initial:}}\n\
             edge:Q{k}:l:l:e{{provided: y{k}>=1 && j{k}<9 : do: j{k}=j{k}+1; y{k}=0}}\n\
             edge:Q{k}:l:l:e{{provided: j{k}>0 : do: j{k}=j{k}-1}}\n"
        );
    }
    text
}

#[test]
fn engines_on_zones_find_what_a_short_attempt_does_not_and_one_seed_gives_one_run() {
    let (loaded, property) = load(&counters(4), Asked::Reach, "i==40");
    let options = |seed| TimedHuntOptions {
        properties: vec![property],
        seed,
        max_states: Some(300_000),
        ..TimedHuntOptions::default()
    };
    let hunted = hunt(&loaded, &options(7));
    let answer = &hunted.report.answers[0];
    assert_eq!(answer.verdict.answer, Answer::Holds, "{:?}", hunted.arms);
    let (run, _) = answer.run.as_ref().expect("a run");
    assert!((40..400).contains(&run.steps.len()), "{} steps", run.steps.len());
    assert!(hunted.found_by[0].is_some() && hunted.heuristics == ["formula"]);
    let again = hunt(&loaded, &options(7));
    assert_eq!(hunted.arms, again.arms);
    assert_eq!(answer.verdict.trace, again.report.answers[0].verdict.trace);
}

#[test]
fn nothing_found_is_inconclusive_and_other_questions_have_a_search_of_their_own() {
    let (loaded, property) = load(&counters(4), Asked::Reach, "i==1999 && j0==9 && j1==9");
    let options = TimedHuntOptions {
        properties: vec![property],
        max_states: Some(210_000),
        ..TimedHuntOptions::default()
    };
    let hunted = hunt(&loaded, &options);
    let verdict = &hunted.report.answers[0].verdict;
    assert_eq!((verdict.answer, verdict.trust), (Answer::Inconclusive, Trust::Sampled));
    let loader = MemoryLoader::new().with(
        "m.xta",
        "clock x; process P() { state a { x <= 5 }, b; init a; trans a -> b { guard x >= 2; }; } system P;",
    );
    let mut loaded = load_timed("m.xta", Language::Uppaal, &loader).expect("a file in memory");
    assert!(loaded.network.is_some(), "{:?}", loaded.diagnostics);
    let asked = ["A<> P.b", "E<> P.b", "sup{P.a}: x"];
    let properties = asked.map(|query| loaded.ask(Asked::Query, query).expect("a query")).to_vec();
    let hunted = hunt(
        &loaded,
        &TimedHuntOptions { properties: properties.clone(), all: true, ..TimedHuntOptions::default() },
    );
    let order: Vec<PropertyId> = hunted.report.answers.iter().map(|answer| answer.verdict.property).collect();
    assert_eq!(order, properties);
    let answers: Vec<Answer> = hunted.report.answers.iter().map(|answer| answer.verdict.answer).collect();
    assert_eq!(answers[..2], [Answer::Holds, Answer::Holds]);
    assert!(hunted.report.answers[2].value.is_some());
}

#[test]
fn a_reversed_distance_still_answers() {
    let (loaded, property) = load(&fischer(3, ""), Asked::Reach, "P1.cs && P2.cs");
    let options =
        TimedHuntOptions { properties: vec![property], reversed: true, ..TimedHuntOptions::default() };
    assert_eq!(hunt(&loaded, &options).report.answers[0].verdict.answer, Answer::Holds);
}

/// Members of a scalar set that each count: too many states for a short attempt, even up to names.
const MEMBERS: &str = "const int N = 6; typedef scalar[N] id_t; clock x; int[0,30] n[id_t]; int[0,180] total;
process P(const id_t self) {
  state a { x <= 5 }; init a;
  trans a -> a { guard x >= 2 && n[self] < 30; assign n[self]++, total++, x = 0; },
        a -> a { guard n[self] > 0 && x >= 1; assign n[self]--, total--, x = 0; };
}
system P;";

#[test]
fn a_hunt_up_to_names_shows_a_run_with_true_names() {
    let loader = MemoryLoader::new().with("m.xta", MEMBERS);
    let mut loaded = load_timed("m.xta", Language::Uppaal, &loader).expect("a file in memory");
    assert!(loaded.network.is_some(), "{:?}", loaded.diagnostics);
    let property = loaded.ask(Asked::Query, "E<> total == 90").expect("a query");
    let options = TimedHuntOptions {
        properties: vec![property],
        seed: 3,
        max_states: Some(400_000),
        ..TimedHuntOptions::default()
    };
    let hunted = hunt(&loaded, &options);
    let answer = &hunted.report.answers[0];
    assert_eq!(hunted.report.n_symmetric_sets, 1);
    assert_eq!(answer.verdict.answer, Answer::Holds, "{:?}", hunted.arms);
    assert!(hunted.found_by[0].is_some(), "the attempts up to names are too short for this");
    // The run was checked on the network as it is written before it came here; it ends where it should.
    let (run, states) = answer.run.as_ref().expect("a run");
    let network = loaded.network.as_ref().expect("a network");
    let total = network.variables.iter().position(|variable| variable.name == "total").expect("declared");
    assert_eq!(states.last().map(|state| state.valuation.values[total]), Some(90));
    assert!(run.steps.len() >= 90);
}
