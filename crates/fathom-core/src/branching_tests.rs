//! Formulas of computation tree logic on small models.

use fathom_model::{Answer, Question, Stop, Verdict};
use fathom_search::NoMonitor;
use fathom_source::MemoryLoader;
use fathom_temporal::Reason;

use crate::{Asked, CheckOptions, Code, Insight, Language, Loaded, check, load, try_replay};

fn load_text(text: &str) -> Loaded {
    let loader = MemoryLoader::new().with("m.pml", text);
    load("m.pml", Language::Promela, &loader, &[]).expect("the program is there")
}

/// The answer about a formula, the same for compiled and interpreted steps, and why.
fn ask(text: &str, formula: &str, fairness: &[&str]) -> (Loaded, Verdict, Option<Insight>) {
    let mut loaded = load_text(text);
    let fairness: Vec<String> = fairness.iter().map(|&text| text.to_owned()).collect();
    let property =
        loaded.ask_ctl(formula, &fairness).unwrap_or_else(|problems| panic!("{formula}: {problems:?}"));
    let model = loaded.model.as_ref().expect("a model");
    let answers = [Code::Native, Code::Interpreted].map(|code| {
        let options = CheckOptions { code, properties: vec![property], ..CheckOptions::default() };
        let mut report = check(model, &options, &mut NoMonitor);
        (report.verdicts.remove(0), report.insights.pop())
    });
    assert_eq!(answers[0].0.answer, answers[1].0.answer, "{formula}");
    assert_eq!(answers[0].0.trace, answers[1].0.trace, "{formula}");
    let [(verdict, insight), _] = answers;
    (loaded, verdict, insight)
}

fn answer(text: &str, formula: &str, fairness: &[&str]) -> Answer {
    ask(text, formula, fairness).1.answer
}

const CHOICE: &str = "byte x; active proctype p() { do :: x = 1 :: x = 2 od }\n";
const TRAP: &str =
    "byte x; active proctype p() { do :: x = 1 :: x = 2 :: x = 3; break od; do :: x = 4 od }\n";
const ENDING: &str = "byte x; active proctype p() { x = 1; x = 2 }\n";

#[test]
fn formulas_about_branching_are_answered() {
    use Answer::{Holds, Violated};
    for (model, formula, expected) in [
        (CHOICE, "AG EF x == 1", Holds),
        (CHOICE, "AF x == 1", Violated),
        (CHOICE, "EG x != 2", Holds),
        (CHOICE, "AG AF x == 1", Violated),
        (CHOICE, "AG (EX x == 1 && EX x == 2)", Holds),
        (CHOICE, "A [x == 0 U (x == 1 || x == 2)]", Holds),
        (CHOICE, "!EF x == 3", Holds),
        (TRAP, "AG EF x == 1", Violated),
        (TRAP, "EF AG x == 4", Holds),
        (TRAP, "AF AG x == 4", Violated),
        (TRAP, "AG (x == 3 -> AX x == 4)", Holds),
        (TRAP, "E [x < 3 U AG x >= 3]", Holds),
    ] {
        assert_eq!(answer(model, formula, &[]), expected, "{formula}");
    }
}

/// Where nobody knows whether a state is good, nobody can say that none is.
#[test]
fn a_state_without_a_value_decides_what_depends_on_it() {
    let program = "byte x = 1; byte a[3]; active proctype p() { x = 5; x = 2; a[2] = 7 }";
    for (formula, expected) in [
        ("!EF a[x] == 9", Answer::Violated),
        ("AG !(a[x] == 9)", Answer::Violated),
        ("true && !EF a[x] == 9", Answer::Violated),
        ("!EF (x < 3 && a[x] == 9)", Answer::Holds),
        ("EF a[x] == 7", Answer::Holds),
        ("!AG a[x] == 0", Answer::Holds),
    ] {
        assert_eq!(answer(program, formula, &[]), expected, "{formula}");
    }
}

#[test]
fn fairness_constraints_leave_paths_out() {
    assert_eq!(answer(CHOICE, "AF x == 1", &["x == 1"]), Answer::Holds);
    assert_eq!(answer(CHOICE, "AG AF x == 2", &["x == 1"]), Answer::Violated);
    assert_eq!(answer(CHOICE, "AG (AF x == 2 && AF x == 1)", &["x == 1", "x == 2"]), Answer::Holds);
    // A constraint that no path meets leaves nothing to violate, and nothing to exist.
    assert_eq!(answer(CHOICE, "AG false", &["x == 7"]), Answer::Holds);
    assert_eq!(answer(CHOICE, "EF true", &["x == 7"]), Answer::Violated);
    let (_, _, insight) = ask(CHOICE, "EG true", &["x == 1", "x == 2"]);
    let tree = insight.and_then(|insight| insight.tree).expect("a witness");
    let Reason::Path(branch) = tree.tree.reason else { panic!("a path") };
    assert!(branch.loop_at.is_some_and(|loop_at| branch.choices.len() - loop_at >= 2), "a loop through both");
}

#[test]
fn a_run_that_ends_repeats_its_last_state() {
    assert_eq!(answer(ENDING, "AF AG x == 2", &[]), Answer::Holds);
    assert_eq!(answer(ENDING, "AX AX AX AX x == 2", &[]), Answer::Holds);
    assert_eq!(answer(ENDING, "EF EX x == 1", &[]), Answer::Holds);
    assert_eq!(answer(ENDING, "AG EX true", &[]), Answer::Holds);
    assert_eq!(answer(ENDING, "AG AF x == 1", &[]), Answer::Violated);
}

#[test]
fn formulas_about_single_states_are_plain_searches_with_nearest_evidence() {
    for (formula, expected, n_steps) in [
        ("AG x < 2", Answer::Violated, Some(2)),
        ("EF x == 2", Answer::Holds, Some(2)),
        ("!AG x < 2", Answer::Holds, Some(2)),
        ("!EF x == 2", Answer::Violated, Some(2)),
        ("AG x < 3", Answer::Holds, None),
        ("EF x == 3", Answer::Violated, None),
    ] {
        let (loaded, verdict, insight) = ask(ENDING, formula, &[]);
        assert_eq!(verdict.answer, expected, "{formula}");
        assert_eq!(verdict.trace.as_ref().map(|trace| trace.choices.len()), n_steps, "{formula}");
        assert_eq!(insight.is_some(), n_steps.is_some(), "{formula}");
        let model = loaded.model.expect("a model");
        let stop = if n_steps.is_some() { Stop::Found } else { Stop::Exhausted };
        assert_eq!(verdict.stop, stop, "{formula}");
        if let Some(trace) = &verdict.trace {
            assert!(try_replay(&model, verdict.property, trace).is_ok(), "{formula}");
        }
    }
}

#[test]
fn a_counterexample_is_a_tree_whose_first_path_is_the_trace() {
    let (loaded, verdict, insight) = ask(TRAP, "AG (x == 1 -> AF x == 4)", &[]);
    let trace = verdict.trace.expect("a trace");
    assert!(trace.loop_at.is_some(), "it goes around without 4");
    let shown = insight.and_then(|insight| insight.tree).expect("a tree");
    assert!(!shown.tree.holds && shown.tree.has_path());
    let model = loaded.model.expect("a model");
    assert!(try_replay(&model, verdict.property, &trace).is_ok());
    assert!(matches!(model.properties[verdict.property.index()].question, Question::Ctl(_)));
    // What no path shows has no trace.
    let (_, verdict, insight) = ask(TRAP, "AG EF x == 1 || EF x == 9", &[]);
    assert_eq!(verdict.answer, Answer::Violated);
    assert!(insight.is_some() && verdict.trace.is_some(), "the way into the trap");
    let (_, verdict, _) = ask(CHOICE, "EF AG x == 1", &[]);
    assert_eq!((verdict.answer, verdict.trace), (Answer::Violated, None));
}

#[test]
fn a_proposition_without_value_is_reported_where_the_answer_depends_on_it() {
    let text = "byte x; byte a[2]; active proctype p() { x = 1; x = 2 }\n";
    for formula in ["AG (a[x] == 0)", "AG AX (a[x] == 0)"] {
        let (_, verdict, _) = ask(text, formula, &[]);
        assert_eq!(verdict.answer, Answer::Violated, "{formula}");
        let trace = verdict.trace.expect("a trace");
        assert_eq!((trace.choices.len(), trace.loop_at), (2, None), "{formula}");
    }
    assert_eq!(answer(text, "AG (x < 2 -> a[x] == 0)", &[]), Answer::Holds);
    assert_eq!(answer(text, "EF (a[x] == 0)", &[]), Answer::Holds);
    assert_eq!(answer(text, "EX (a[x] == 0)", &[]), Answer::Holds);
}

#[test]
fn limits_leave_a_formula_open() {
    let mut loaded = load_text("int x; active proctype p() { do :: x++ od }");
    let property = loaded.ask(Asked::Ctl, "AG EF x == 5").expect("a formula");
    let model = loaded.model.expect("a model");
    let base = CheckOptions { properties: vec![property], ..CheckOptions::default() };
    for (options, stop) in [
        (CheckOptions { max_states: Some(100), ..base.clone() }, Stop::States),
        (CheckOptions { max_depth: Some(50), ..base.clone() }, Stop::Depth),
        (CheckOptions { max_bytes: Some(100_000), ..base }, Stop::Memory),
    ] {
        let verdicts = check(&model, &options, &mut NoMonitor).verdicts;
        assert_eq!((verdicts[0].answer, verdicts[0].stop), (Answer::Inconclusive, stop));
    }
}

/// The answer about a formula on paths that are fair to processes, and whether there is a tree.
fn fair_answer(text: &str, formula: &str) -> Answer {
    let mut loaded = load_text(text);
    let property = loaded.ask(Asked::Ctl, formula).unwrap_or_else(|problems| panic!("{problems:?}"));
    let model = loaded.model.expect("a model");
    let answers = [Code::Native, Code::Interpreted].map(|code| {
        let properties = vec![property];
        let options = CheckOptions { code, properties, fair_processes: true, ..CheckOptions::default() };
        check(&model, &options, &mut NoMonitor).verdicts.remove(0).answer
    });
    assert_eq!(answers[0], answers[1], "{formula}");
    answers[0]
}

#[test]
fn paths_that_are_fair_to_processes_let_everyone_move_who_always_can() {
    let two =
        "bool on, done; active proctype p() { do :: on = !on od } active proctype q() { done = true }\n";
    assert_eq!(answer(two, "AF done", &[]), Answer::Violated);
    assert_eq!(fair_answer(two, "AF done"), Answer::Holds);
    assert_eq!(fair_answer(two, "EG !done"), Answer::Violated);
    assert_eq!(fair_answer(two, "AG AF on"), Answer::Holds);
    assert_eq!(fair_answer(two, "EF (on && !done)"), Answer::Holds);
    // Someone who can move only now and then may be passed over for ever.
    let now_and_then = "bool on, done; active proctype p() { do :: on = !on od } active proctype q() { atomic { on -> done = true } }\n";
    assert_eq!(fair_answer(now_and_then, "AF done"), Answer::Violated);
    // Of two who hand over, the receiver moves, too.
    let hand_over = "chan c = [0] of { bit }; bool got, idle; active proctype s() { do :: c!1 od } \
                     active proctype r() { do :: c?1 -> got = !got od } active proctype t() { do :: idle = !idle od }\n";
    assert_eq!(answer(hand_over, "AF got", &[]), Answer::Violated);
    assert_eq!(fair_answer(hand_over, "AG AF got"), Answer::Holds);
}

#[test]
fn mutual_exclusion_keeps_its_promise_to_processes_that_move() {
    let peterson = include_str!("../../../corpus/promela/ltl/peterson.pml");
    assert_eq!(answer(peterson, "AG (flag[0] -> AF critical[0])", &[]), Answer::Violated);
    assert_eq!(fair_answer(peterson, "AG (flag[0] -> AF critical[0])"), Answer::Holds);
    assert_eq!(fair_answer(peterson, "AG (AF critical[0] && AF critical[1])"), Answer::Holds);
    assert_eq!(fair_answer(peterson, "EG !critical[0]"), Answer::Violated);
}
