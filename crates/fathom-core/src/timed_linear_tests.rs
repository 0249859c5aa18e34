//! Formulas about runs of timed automata through the facade: known verdicts, how runs go on, and what is refused.

use fathom_model::{Answer, RunEnd, Stop};
use fathom_search::NoMonitor;
use fathom_source::MemoryLoader;
use fathom_timed::liveness::ForEver;

use crate::{Asked, Language, LoadedTimed, TimedAnswer, TimedOptions, check_timed, load_timed};

fn load(name: &str, text: &str) -> LoadedTimed {
    let loader = MemoryLoader::new().with(name, text);
    let language = Language::of_file(name).expect("a known extension");
    load_timed(name, language, &loader).expect("a file in memory")
}

fn ask_with(text: &str, kind: Asked, formula: &str, options: TimedOptions) -> TimedAnswer {
    let mut loaded = load("m.tck", text);
    let id = loaded.ask(kind, formula).unwrap_or_else(|problems| panic!("{formula}: {problems:?}"));
    let network = loaded.network.expect("a network");
    let options = TimedOptions { properties: vec![id], ..options };
    check_timed(&network, &loaded.properties, &options, &mut NoMonitor).answers.remove(0)
}

fn ask(text: &str, kind: Asked, formula: &str) -> TimedAnswer {
    ask_with(text, kind, formula, TimedOptions::default())
}

/// Verdicts of formulas, true and false.
fn check(text: &str, holding: &[&str], violated: &[&str]) {
    for (formulas, expected) in [(holding, Answer::Holds), (violated, Answer::Violated)] {
        for formula in formulas {
            let answer = ask(text, Asked::Ltl, formula);
            assert_eq!(answer.verdict.answer, expected, "{formula}");
            assert_eq!(answer.run.is_some(), expected == Answer::Violated, "{formula}");
        }
    }
}

const LAMP: &str = "system:lamp\nevent:press\nclock:1:x\nprocess:P\nlocation:P:off{initial:}\n\
                    location:P:on{invariant: x<=10}\nedge:P:off:on:press{do: x=0}\nedge:P:on:off:press{provided: x>=5}\n";

#[test]
fn a_lamp_goes_off_again_but_need_not_go_on() {
    check(
        LAMP,
        &[
            "[] (P.on -> <> P.off)",
            "[]<> P.off",
            "[] (P.on -> X P.off)",
            "P.off",
            "P.off W P.on",
            "<> P.on || [] P.off",
        ],
        &["<> P.on", "<>[] P.off", "[] (P.off -> X P.on)", "P.off U P.on", "[] P.off"],
    );
    assert_eq!(ask(LAMP, Asked::Ltl, "<> P.on").for_ever, Some(ForEver::Waiting));
    let blinking = ask(LAMP, Asked::Ltl, "<>[] P.off");
    assert_eq!(blinking.for_ever, Some(ForEver::Loop(0)));
    let (run, _) = blinking.run.expect("a run");
    assert_eq!((run.steps.len(), run.steps[1].delay, run.scale), (2, 5, 1));
}

#[test]
fn a_run_cannot_pause_in_the_word_and_then_go_on() {
    // Whoever is off in the next state, too, has no next move.
    check(LAMP, &["[] (P.off && X P.off -> [] P.off)"], &["[] (P.off -> [] P.off)"]);
}

/// A location that has to be left within 4 units, from which something leads on.
fn leaving(rest: &str) -> String {
    format!(
        "system:s\nevent:e\nclock:1:x\nint:1:0:3:0:i\nprocess:P\nlocation:P:l{{initial: : invariant: x<=4}}\n\
         location:P:m{{labels: late}}\n{rest}"
    )
}

#[test]
fn a_run_that_gets_stuck_repeats_its_last_state() {
    let too_late = leaving("edge:P:l:m:e{provided: x<=3}\n");
    check(&too_late, &["<> P.m || [] P.l", "P.l"], &["<> P.m", "<> late"]);
    let answer = ask(&too_late, Asked::Ltl, "<> P.m");
    assert_eq!(answer.for_ever, Some(ForEver::Stuck));
    let (run, _) = answer.run.expect("a run that waits too long");
    assert!(run.steps.is_empty() && run.last_delay > 3 * run.scale);
    // Open until the invariant ends: there is always a way on.
    check(
        &leaving("edge:P:l:m:e{provided: x>=3}\n"),
        &["<> P.m", "<>[] late", "P.l && X [] P.m"],
        &["[] P.l"],
    );
}

#[test]
fn zeno_runs_count() {
    // Again and again within the first four units.
    let zeno = leaving("edge:P:l:l:e\nedge:P:l:m:e{provided: x>=4}\n");
    check(&zeno, &[], &["<> P.m"]);
    assert!(matches!(ask(&zeno, Asked::Ltl, "<> P.m").for_ever, Some(ForEver::Loop(_))));
    // Each time round takes time, but so do three times only.
    let counted = leaving("edge:P:l:l:e{do: i=i+1}\nedge:P:l:m:e{provided: x>=4}\n");
    check(&counted, &["<> P.m", "[] (i == 3 -> X P.m)"], &["<> i == 3", "[] i < 2"]);
}

#[test]
fn a_state_whose_moves_are_all_faults_ends_no_run() {
    let faulty = leaving("edge:P:l:m:e{do: i=1/i}\n");
    // As for `A<>`: there is no run on which it does not come.
    check(&faulty, &["<> P.m", "[] P.l"], &["[] ! P.l", "[] i == 1"]);
}

#[test]
fn a_proposition_that_cannot_be_evaluated_is_a_violation() {
    let divided = leaving("edge:P:l:m:e{provided: x>=4}\n");
    let answer = ask(&divided, Asked::Ltl, "[] (P.l || 1 / i == 1)");
    assert_eq!(answer.verdict.answer, Answer::Violated);
    let (run, _) = answer.run.expect("a run to where it is");
    assert_eq!(run.steps.len(), 1);
    // Where it is not asked for it does no harm.
    check(&divided, &["[] (P.l || P.m || 1 / i == 1)"], &[]);
}

#[test]
fn the_property_specification_language_and_patterns_come_by_the_same_way() {
    for (kind, formula, expected) in [
        (Asked::Psl(RunEnd::Stutter), "always {P.off; P.on} |=> {P.off}", Answer::Holds),
        (Asked::Psl(RunEnd::Stutter), "always {P.off; P.on} |=> {P.on}", Answer::Violated),
        (Asked::Psl(RunEnd::Stutter), "always next! true", Answer::Holds),
        // Whoever waits for ever makes no next move.
        (Asked::Psl(RunEnd::Neutral), "always next! true", Answer::Violated),
        (Asked::Pattern, "response(P.on, P.off)", Answer::Holds),
        (Asked::Pattern, "response(P.off, P.on)", Answer::Violated),
    ] {
        let answer = ask(LAMP, kind, formula);
        assert_eq!(answer.verdict.answer, expected, "{formula}");
        assert_eq!(answer.run.is_some(), expected == Answer::Violated);
    }
}

#[test]
fn clocks_in_propositions_are_refused_with_their_place() {
    let mut loaded = load("m.tck", LAMP);
    let problems = loaded.ask(Asked::Ltl, "[] (P.on -> x <= 10)").expect_err("a clock");
    assert_eq!(problems[0].code, "tchecker::clock-in-formula");
    let place = problems[0].primary.as_ref().expect("a place").span;
    assert_eq!(loaded.sources.text(place), "x <= 10");
    let mut loaded = load("m.xta", "clock x; process P() { state a; init a; } system P;");
    for (formula, part) in [("<> (P.a && x > 3)", "x > 3"), ("[] ! deadlock", "deadlock")] {
        let problems = loaded.ask(Asked::Ltl, formula).expect_err("clocks");
        assert_eq!(problems[0].code, "uppaal::clock-in-formula");
        assert_eq!(loaded.sources.text(problems[0].primary.as_ref().expect("a place").span), part);
    }
    assert!(loaded.ask(Asked::Ctl, "AG P.a").is_err());
}

#[test]
fn a_limit_is_an_honest_answer() {
    let options = TimedOptions { max_states: Some(1), ..TimedOptions::default() };
    let answer = ask_with(LAMP, Asked::Ltl, "[]<> P.off", options);
    assert_eq!((answer.verdict.answer, answer.verdict.stop), (Answer::Inconclusive, Stop::States));
    assert!(answer.run.is_none());
}

#[test]
fn a_loop_of_zones_needs_more_than_one_round_to_show_that_it_is_none() {
    // The second clock is never reset, so that the loop can be gone round twice and no more.
    let twice = "system:s\nevent:e\nclock:1:x\nclock:1:y\nprocess:P\nlocation:P:l{initial: : invariant: x<=3}\n\
                 location:P:m\nedge:P:l:l:e{provided: x>=3 && y<=6 : do: x=0}\nedge:P:l:m:e{provided: x>=3}\n";
    check(twice, &["<> P.m", "X X X P.m"], &["X X P.m"]);
}
