//! What systems mean: states counted by the reference interpreter.

use std::collections::BTreeSet;

use fathom_model::{Finding, Interpreter, Model, Steps, System};
use fathom_source::{Diagnostic, SourceMap, render_text};
use fathom_timed::{Environment, Network, TimedProperty, TimedQuestion, Valuation, ZoneOptions, ZoneSystem};

use super::network_tests::{faults_of, network_of, network_reaches};
use super::{Names, lower_system, lower_timed};
use crate::options::Options;
use crate::parse::parse_system;

fn lower_with(text: &str, defines: &[(&str, &str)]) -> (Option<(Model, Names)>, Vec<Diagnostic>, SourceMap) {
    let mut sources = SourceMap::new();
    let file = sources.add("m.if", text);
    let (system, mut said) = parse_system(file, &sources);
    assert!(said.is_empty(), "{}", render_text(&sources, &said, false));
    let defines: Vec<(String, String)> =
        defines.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let (options, found) = Options::from_defines(&defines);
    said.extend(found);
    let (lowered, found) = lower_system(&system, "m.if", &sources, options);
    said.extend(found);
    (lowered, said, sources)
}

/// What a search of all states finds.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Explored {
    states: usize,
    transitions: usize,
    /// Names of violated properties.
    pub(super) violated: Vec<String>,
}

pub(super) fn explore(text: &str, defines: &[(&str, &str)]) -> Explored {
    let (lowered, said, sources) = lower_with(text, defines);
    let (model, _) = lowered.unwrap_or_else(|| panic!("{}", render_text(&sources, &said, false)));
    let explored = explore_model(&model);
    let goes_on = explored.violated.iter().all(|name| name == "deadlock");
    if goes_on {
        assert_eq!(explore_network(text, defines), explored.states, "{text}");
    }
    explored
}

/// How many states that are not in the middle of a transition the same system has as a network of timed automata. No step is a
/// run-time error.
fn explore_network(text: &str, defines: &[(&str, &str)]) -> usize {
    let mut sources = SourceMap::new();
    let file = sources.add("m.if", text);
    let system = parse_system(file, &sources).0;
    let defines: Vec<(String, String)> =
        defines.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let (lowered, said) = lower_timed(&system, "m.if", &sources, Options::from_defines(&defines).0);
    let lowered = lowered.unwrap_or_else(|| panic!("{}", render_text(&sources, &said, false)));
    let network = lowered.network();
    let fault =
        TimedProperty { name: "runtime-error".to_owned(), question: TimedQuestion::RuntimeError, span: None };
    let asked = [fathom_model::PropertyId(0)];
    let zones = ZoneSystem::new(network, &[fault], &asked, ZoneOptions::default());
    let (mut scratch, mut steps) = (zones.scratch(), Steps::new());
    let mut seen: BTreeSet<Vec<u8>> = BTreeSet::new();
    let mut frontier = Vec::new();
    zones.initial(&mut scratch, &mut steps);
    loop {
        for index in 0..steps.len() {
            if seen.insert(steps.state(index).to_vec()) {
                frontier.push((steps.state(index).to_vec(), steps.region(index).clone()));
            }
        }
        assert!(steps.findings().is_empty(), "{:?}", steps.findings());
        let Some((state, region)) = frontier.pop() else { break };
        steps.clear();
        zones.successors(&state, &region, &mut scratch, &mut steps);
    }
    between(network, &zones, &seen)
}

/// How many states are not in the middle of a transition, whoever would have gone on alone.
fn between(network: &Network, zones: &ZoneSystem<'_>, seen: &BTreeSet<Vec<u8>>) -> usize {
    let is_held = network.is_held();
    let mut found = BTreeSet::new();
    for state in seen {
        let mut valuation = Valuation::default();
        zones.layout().decode(state, &mut valuation);
        let Valuation { values, locations } = &valuation;
        let environment = Environment { values, locals: &[], locations, labels: &[] };
        if is_held.as_ref().is_none_or(|is_held| is_held.evaluate(&environment) == Ok(0)) {
            network.holder.iter().for_each(|&holder| valuation.values[holder] = 0);
            found.insert((valuation.locations, valuation.values));
        }
    }
    found.len()
}

fn explore_model(model: &Model) -> Explored {
    let asked: Vec<_> = (0..model.properties.len()).map(fathom_model::PropertyId::from).collect();
    let interpreter = Interpreter::new(model, &asked);
    let mut scratch = interpreter.scratch();
    let mut steps = Steps::new();
    let mut seen: BTreeSet<Vec<u8>> = BTreeSet::new();
    let mut frontier = Vec::new();
    let mut violated = BTreeSet::new();
    let mut transitions = 0;
    interpreter.initial(&mut scratch, &mut steps);
    loop {
        for index in 0..steps.len() {
            if seen.insert(steps.state(index).to_vec()) {
                frontier.push(steps.state(index).to_vec());
            }
        }
        let name = |finding: &Finding| model.properties[finding.property.index()].name.clone();
        violated.extend(steps.findings().iter().map(name));
        assert!(seen.len() < 100_000, "too many states for a test");
        let Some(state) = frontier.pop() else { break };
        steps.clear();
        interpreter.successors(&state, &fathom_model::NoRegion, &mut scratch, &mut steps);
        transitions += steps.len();
    }
    Explored { states: seen.len(), transitions, violated: violated.into_iter().collect() }
}

fn found(states: usize, transitions: usize, violated: &[&str]) -> Explored {
    Explored { states, transitions, violated: violated.iter().map(|name| (*name).to_owned()).collect() }
}

/// A system with one process of this text, after declarations of the system.
pub(super) fn one(before: &str, process: &str) -> String {
    format!("system s; {before} process p(1); {process} endprocess; endsystem;")
}

const OVEN: &str = include_str!("../../../../examples/if/microwave.if");
const CONVERTER: &str = include_str!("../../../../examples/if/converter.if");

#[test]
fn the_microwave_oven_has_the_states_and_transitions_of_its_source() {
    assert_eq!(explore(OVEN, &[]), found(7, 12, &[]));
}

#[test]
fn the_converter_reaches_511_states() {
    assert_eq!(explore(CONVERTER, &[]).states, 511);
}

#[test]
fn a_range_that_is_left_violates_the_assertion() {
    let counter = |body: &str| {
        one(
            "type small = range 0..5;",
            &format!("var x small; state a #start; {body} nextstate a; endstate;"),
        )
    };
    assert_eq!(explore(&counter("provided x < 5; task x := x + 1;"), &[]).violated, ["deadlock"]);
    assert_eq!(explore(&counter("task x := (x + 1) % 6;"), &[]), found(6, 6, &[]));
    // The first value that does not fit is 6; three bits hold it, and counting wraps at eight.
    assert_eq!(explore(&counter("task x := x + 1;"), &[]), found(8, 8, &["assertion"]));
    let (lowered, said, _) = lower_with(&counter("task x := 7;"), &[]);
    assert!(lowered.is_none());
    assert_eq!(said[0].code, "if::out-of-range");
}

#[test]
fn unstable_states_are_inside_a_step() {
    let two = |mark: &str| {
        format!(
            "system s; var g integer; process p(2);
             state a #start; provided g < 2; task g := g + 1; nextstate b; endstate;
             state b {mark}; nextstate c; endstate; state c; provided false; nextstate c; endstate;
             endprocess; endsystem;"
        )
    };
    // Each of two processes is at a, b or c.
    assert_eq!(explore(&two(""), &[]).states, 9);
    assert_eq!(explore(&two("#unstable"), &[]).states, 4);
}

#[test]
fn substates_have_the_transitions_of_the_state_around_them() {
    let text = one(
        "",
        "state first #start; nextstate deep; endstate;
         state around; nextstate end;
           state other; nextstate other; endstate;
           state deep #start; nextstate other; endstate;
         endstate;
         state end; nextstate around; endstate;",
    );
    // The start transition is folded away: deep, other, end; around is entered at deep.
    assert_eq!(explore(&text, &[]), found(3, 5, &[]));
}

#[test]
fn loops_and_branches_are_one_step() {
    let text = one(
        "",
        "var x range10; var y integer; type range10 = range 0..10;
         state a #start; provided y < 3;
           while x < 10 do task x := x + 1; if x % 2 = 0 then skip; else task y := y + 1; endif endwhile
           task x := 0; task y := y - 4; nextstate a; endstate;",
    );
    assert_eq!(explore(&text, &[]), found(4, 3, &["deadlock"]));
}

#[test]
fn a_loop_that_changes_nothing_is_warned_of() {
    let codes = |condition: &str, body: &str| -> Vec<&str> {
        let text = one(
            "procedure put; fpar out a integer; task a := 1; endprocedure; type three = array[0..2] of integer;",
            &format!(
                "var x integer; var y integer; var z three;
                 state a #start; while {condition} do {body} endwhile nextstate b; endstate; state b; endstate;"
            ),
        );
        lower_with(&text, &[]).1.iter().map(|said| said.code).collect()
    };
    for (condition, body) in [
        ("true", "skip;"),
        ("x < 3", "task y := y + 1;"),
        ("x < 3", "if y = 0 then task y := x; else skip; endif"),
        ("x = 0", "call put(y);"),
    ] {
        assert_eq!(codes(condition, body), ["if::endless-loop"], "while {condition} do {body}");
    }
    for (condition, body) in [
        ("false", "skip;"),
        ("x < 3", "task x := x + 1;"),
        ("x < 3", "if y = 0 then skip; else task x := 3; endif"),
        ("z[1] = 0", "task z[y] := 2;"),
        ("x = 0", "call put(x);"),
    ] {
        assert_eq!(codes(condition, body), [""; 0], "while {condition} do {body}");
    }
}

#[test]
fn calls_pass_values_in_and_out() {
    let text = one(
        "procedure twice; fpar in a integer, out b integer; var c integer; task c := a + a; task b := c; endprocedure;
         procedure next; fpar a integer; returns integer; return a + 1; endprocedure;",
        "var x integer; var y integer;
         state a #start; provided x = 0; x := call next(1); call twice(x + 1, y); nextstate b; endstate;
         state b; provided x = 2 and y = 6; nextstate b; endstate;",
    );
    assert_eq!(explore(&text, &[]), found(2, 2, &[]));
    let text = one(
        "procedure again; fpar a integer; call again(a); endprocedure;",
        "state a #start; call again(1); nextstate a; endstate;",
    );
    assert_eq!(lower_with(&text, &[]).1[0].code, "if::recursion");
}

/// A sender of three signals, then a receiver.
fn sender(options: &str, receiver: &str) -> String {
    format!(
        "system s; type data = range 0..3; signal m(data); signal n();
         signalroute r(1) {options} from p to q with m, n;
         process p(1); var i data;
           state a #start; provided i < 3; task i := i + 1; output m(i) via {{r}}0; nextstate a;
             provided i = 3; output n(); stop; endstate; endprocess;
         process q(1); var x data; {receiver} endprocess; endsystem;"
    )
}

const ORDERLY: &str = "var last data; state a #start; input m(x); if x = last + 1 then task last := x;
     else task last := last / 0; endif task x := 0; nextstate a; input n(); stop; endstate;";

#[test]
fn signals_arrive_in_order_and_stop_is_a_valid_end() {
    assert_eq!(explore(&sender("", ORDERLY), &[]).violated, Vec::<String>::new());
}

#[test]
fn a_lossy_route_loses_signals() {
    // With a signal missing the receiver divides by zero, or waits for the last one for ever.
    assert_eq!(explore(&sender("#lossy", ORDERLY), &[]).violated, ["deadlock", "runtime-error"]);
}

#[test]
fn a_full_queue_is_an_error_unless_said_otherwise() {
    let text = sender("", "state a #start; provided x = 3; input m(x); nextstate a; endstate;");
    let with =
        |overflow| explore(&text, &[("if_queue", "2"), ("if_overflow", overflow), ("if_discard", "off")]);
    assert_eq!(with("error").violated, ["assertion", "deadlock"]);
    assert_eq!(with("block").violated, ["deadlock"]);
    assert_eq!(with("drop").violated, ["deadlock"]);
    assert!(with("drop").states > with("block").states);
}

#[test]
fn a_signal_that_a_state_does_not_take_is_thrown_away() {
    let text = sender("", "state a #start; input n(); stop; endstate;");
    assert_eq!(explore(&text, &[]).violated, Vec::<String>::new());
    assert_eq!(explore(&text, &[("if_discard", "off")]).violated, ["deadlock"]);
}

#[test]
fn a_saved_signal_waits_and_is_passed_over() {
    let receiver = |save: &str| {
        let text = format!("state a #start; {save} input n(); nextstate b; endstate; state b; input m(x); nextstate c; endstate;
             state c; provided x = 1; input m(x); stop; endstate;");
        sender("", &text)
    };
    // Without `save` the numbers are thrown away before the last signal comes, and nothing is left to wait for.
    assert_eq!(explore(&receiver(""), &[]).violated, ["deadlock"]);
    assert_eq!(explore(&receiver("save m;"), &[]).violated, Vec::<String>::new());
    let both = receiver("save n;");
    assert_eq!(lower_with(&both, &[]).1[0].code, "if::save");
}

/// A sender of signals one after the other, and a receiver.
fn one_after_the_other(sent: &[&str], options: &str, receiver: &str) -> String {
    let mut states = String::new();
    for (number, signal) in sent.iter().enumerate() {
        let mark = if number == 0 { "#start" } else { "" };
        states +=
            &format!("state s{number} {mark}; output {signal}(); nextstate s{}; endstate; ", number + 1);
    }
    format!(
        "system s; signal k(); signal l(); signal m(); signal n(); signalroute r(1) {options} from p to q with k, l, m, n;
         process p(1); {states} state s{}; endstate; endprocess;
         process q(1); var x integer; {receiver} endprocess; endsystem;",
        sent.len()
    )
}

#[test]
fn of_several_signals_beside_saved_ones_the_first_is_taken() {
    let receiver = "state a #start; save k, l; input m(); nextstate b; input n(); task x := 1 / x; nextstate b; endstate;
        state b; input l(); nextstate c; input n(); nextstate b; endstate; state c; endstate;";
    // What is saved is passed over, whatever it is and however much of it there is, but nothing else is: `n` waits for `m`. None to five were sent before `m` is taken, and four or
    // five after that.
    let text = one_after_the_other(&["k", "k", "l", "m", "n"], "", receiver);
    let explored = explore(&text, &[("if_queue", "5"), ("if_discard", "off")]);
    assert_eq!(explored, Explored { states: 8, transitions: 8, violated: vec!["deadlock".to_owned()] });
    // The two were exchanged: the first that is not saved is `n`.
    let exchanged = one_after_the_other(&["k", "n", "m"], "", receiver);
    assert_eq!(explore(&exchanged, &[]).violated, ["runtime-error"]);
    // In `b` nothing is saved: `k` is in front and thrown away, and `l` comes at last.
    assert_eq!(explore(&text, &[("if_queue", "5")]).violated, ["deadlock"]);
    let many: String = (0..64).map(|number| format!("signal s{number}(); ")).collect();
    let beyond = text.replace("signal k();", &format!("{many} signal k();"));
    assert_eq!(lower_with(&beyond, &[]).1[0].code, "if::unsupported-save");
}

#[test]
fn signals_of_a_route_without_order_are_taken_in_any() {
    let text = |options: &str| {
        format!(
            "system s; type data = range 0..3; signal m(data); signalroute r(1) {options} from p to q with m;
             process p(1); var i data; state a #start; provided i < 3; task i := i + 1; output m(i); nextstate a; endstate; endprocess;
             process q(1); var x data; var code integer; state a #start; input m(x); task code := 4 * code + x; nextstate a; endstate; endprocess; endsystem;"
        )
    };
    // So many were sent, and so many of them taken.
    assert_eq!(explore(&text(""), &[]).states, 1 + 2 + 3 + 4);
    // Of i that were sent, k were taken in some order: i! / (i - k)! of these; which wait is told by that, however they came.
    let explored = explore(&text("#multiset"), &[]);
    assert_eq!(explored.states, 1 + 2 + (1 + 2 + 2) + (1 + 3 + 6 + 6));
    assert_eq!(explored.violated, ["deadlock"]);
    // Some may be lost as well: of i that were sent t were taken in some order, and some of the others wait.
    assert_eq!(explore(&text("#multiset #lossy"), &[]).states, 1 + 3 + (4 + 4 + 2) + (8 + 12 + 12 + 6));
    // A bag has a bound, too.
    assert_eq!(explore(&text("#multiset"), &[("if_queue", "2")]).violated, ["assertion", "deadlock"]);
}

#[test]
fn bags_and_queues_have_nothing_to_do_with_each_other() {
    let text = |order: &str| {
        format!(
            "system s; signal m(); signal n(); signal o(); signalroute r(1) {order} from p to q with m; signalroute t(1) from p to q with n, o;
             process p(1); state a #start; output n(); nextstate b; endstate; state b; output m(); nextstate c; endstate; state c; output o(); stop; endstate; endprocess;
             process q(1); var x integer; state a #start; save o; input m(); task x := 1 / x; nextstate b; input n(); nextstate b; endstate;
               state b; input m(); nextstate b; input n(); nextstate b; input o(); stop; endstate; endprocess; endsystem;"
        )
    };
    // In a queue `n` comes first; from a bag `m` may be taken before it.
    assert_eq!(explore(&text(""), &[]).violated, Vec::<String>::new());
    assert_eq!(explore(&text("#multiset"), &[]).violated, ["runtime-error"]);
    // What a state does not take is thrown away, out of a bag as well; what it saves stays there.
    let receiver = |save: &str| {
        one_after_the_other(
            &["m", "n"],
            "#multiset",
            &format!(
                "state a #start; {save} input n(); nextstate b; endstate; state b; input m(); stop; endstate;"
            ),
        )
    };
    assert_eq!(explore(&receiver("save m;"), &[]).states, 5);
    assert_eq!(explore(&receiver(""), &[]).states, 8);
    // The environment fills bags as it fills queues.
    let open = |order: &str| {
        format!(
            "system s; type data = range 0..1; signal m(data); signalroute r(1) {order} from env to p with m;
             process p(2); var x data; state a #start; input m(x); nextstate a; endstate; endprocess; endsystem;"
        )
    };
    let eager = [("if_environment", "eager"), ("if_queue", "2")];
    assert_eq!(explore(&open(""), &eager).states, (2 * (1 + 2 + 4)) * (2 * (1 + 2 + 4)));
    assert_eq!(explore(&open("#multiset"), &eager).states, (2 * (1 + 2 + 3)) * (2 * (1 + 2 + 3)));
}

#[test]
fn the_environment_sends_every_value() {
    let text = "system s; type data = range 0..3; signal m(data, boolean); signalroute r(1) from env to p with m;
        process p(1); var x data; var y boolean; state a #start; input m(x, y); nextstate a; endstate; endprocess; endsystem;";
    // Eight values are stored, and nothing or one of eight is in the queue.
    assert_eq!(explore(text, &[]).states, 72);
    assert_eq!(explore(text, &[("if_environment", "eager"), ("if_queue", "2")]).states, 8 * (1 + 8 + 64));
    let wide = text.replace("range 0..3", "range 0..300");
    assert_eq!(lower_with(&wide, &[]).1[0].code, "if::environment-domain");
}

#[test]
fn forked_processes_get_arguments_and_can_be_killed() {
    let text = "system s; type small = range 0..9; signal hello(small); var sum integer;
        process boss(1); var w pid; var done boolean;
          state a #start; w := fork worker(3, self); nextstate b; endstate;
          state b; input hello(sum); kill w; nextstate c; endstate;
          state c; provided not active w and not done; task done := true; nextstate c; provided done; stop; endstate; endprocess;
        process worker(0); fpar n small, b pid;
          state a #start; output hello(n * 2) to b; nextstate wait; endstate;
          state wait; provided sum < 0; nextstate wait; endstate; endprocess; endsystem;";
    assert_eq!(explore(text, &[]).violated, Vec::<String>::new());
    let many = one("", "state a #start; fork p(); nextstate a; endstate;");
    assert_eq!(explore(&many, &[("if_processes", "4")]).violated, ["assertion"]);
}

fn reaches(model: &Model, goal: &fathom_model::Expr) -> bool {
    let mut model = model.clone();
    model.properties = vec![fathom_model::Property {
        name: "goal".to_owned(),
        question: fathom_model::Question::Reach(goal.clone()),
        span: None,
    }];
    !explore_model(&model).violated.is_empty()
}

#[test]
fn records_and_arrays_are_copied_and_indexed_from_their_bound() {
    let text = one(
        "type row = array[1..3] of integer; type pair = record left row; right boolean; endrecord;",
        "var a pair; var b pair; var i integer;
         state s #start; provided i < 3; task i := i + 1; task a.left[i] := i * 10; nextstate s;
           provided i = 3; task b := a; task b.right := true; task i := 4; nextstate s; endstate;
         state t; nextstate t; endstate;",
    );
    let (model, names) = lower_with(&text, &[]).0.expect("a model");
    let goal = |text: &str| {
        let mut sources = SourceMap::new();
        let file = sources.add("e", text);
        let expr = crate::parse::parse_expression(file, &sources).0.expect("an expression");
        names.state_expr(&expr).map(|expr| reaches(&model, &expr))
    };
    assert_eq!(goal("p.b.left[2] = 20 and b.right and p@s"), Ok(true));
    assert_eq!(goal("{p}0.b.left[1] = 20"), Ok(false));
    assert!(goal("p.c = 1").is_err() && goal("p[1].i = 1").is_err() && goal("p@u").is_err());
    let beyond = text.replace("provided i < 3", "provided i < 4");
    assert_eq!(explore(&beyond, &[]).violated, ["deadlock", "runtime-error"]);
}

#[test]
fn what_is_not_supported_has_a_diagnostic_of_its_own() {
    let state = "state a #start; nextstate a; endstate;";
    let routed = |options: &str| format!("signal m(); signalroute r(1) {options} from p to p with m;");
    let cases = [
        ("if::unsupported-abstract", one("type t = abstract endabstract;", state)),
        ("if::unsupported-string", one("type t = string[3] of boolean;", state)),
        ("if::unsupported-float", one("var x float;", state)),
        ("if::unsupported-delay", one(&routed("#delay[1,2]"), state)),
        ("if::unsupported-rate", one(&routed("#rate[1,2]"), state)),
        (
            "if::unsupported-foreign-code",
            one("procedure f; {# x #} endprocedure;", "state a #start; call f(); nextstate a; endstate;"),
        ),
        (
            "if::unsupported-clock",
            one("type row = array[0..1] of clock;", "var t row; state a #start; nextstate a; endstate;"),
        ),
        ("if::clocks", one("type watch = clock;", "var t watch; state a #start; nextstate a; endstate;")),
        ("if::no-start-state", one("", "state a; nextstate a; endstate;")),
        ("if::unknown-name", one("", "state a #start; nextstate b; endstate;")),
        ("if::type", one("", "var x integer; state a #start; provided x; nextstate a; endstate;")),
        ("if::duplicate", one("var x integer; var x integer;", state)),
        ("if::no-process", "system s; endsystem;".to_owned()),
        ("if::constant", one("const N;", state)),
        (
            "if::state-too-large",
            format!(
                "system s; type t = array[0..60000] of integer; process p(9999); var x t; {state} endprocess; endsystem;"
            ),
        ),
    ];
    for (code, text) in cases {
        let (lowered, said, _) = lower_with(&text, &[]);
        assert!(lowered.is_none(), "{text}");
        assert!(said.iter().any(|one| one.code == code), "{code} of {said:?}");
    }
}

#[test]
fn a_variable_does_not_hide_the_process_or_type_of_a_cast() {
    let text = |name: &str| {
        format!(
            "system s; type small = range 0..3; signal go();
             process b(1); state run #start; input go(); nextstate done; endstate; state done; endstate; endprocess;
             process a(1); var {name} small; var p pid;
             state run #start; task {name} := {{small}}1; task p := {{b}}0; output go() to p; nextstate done; endstate;
             state done; endstate; endprocess; endsystem;"
        )
    };
    let expected = explore(&text("other"), &[]);
    assert_eq!(explore(&text("b"), &[]), expected);
    assert_eq!(explore(&text("small"), &[]), expected);
}

#[test]
fn constants_come_from_outside() {
    let text = one(
        "const N; const M = 2; type t = range 0..N;",
        "var x t; state a #start; provided x < M; task x := x + 1; nextstate a; endstate;",
    );
    assert_eq!(explore(&text, &[("N", "9")]).states, 3);
    assert_eq!(explore(&text, &[("N", "9"), ("M", "5")]).states, 6);
}

#[test]
fn a_route_may_have_a_bound_of_its_own() {
    let text =
        |options: &str| sender(options, "state a #start; provided x = 3; input m(x); nextstate a; endstate;");
    let with = |options: &str, overflow, queue| {
        explore(&text(options), &[("if_queue", queue), ("if_overflow", overflow), ("if_discard", "off")])
    };
    // The bound of the only route is as good as that of all queues.
    for overflow in ["error", "block", "drop"] {
        let (own, all) = (with("#bounded[2]", overflow, "4"), with("", overflow, "2"));
        assert_eq!(own.violated, all.violated, "{overflow}");
        assert!(overflow == "error" || own.states == all.states, "{overflow}");
        // It may be larger, too.
        assert_eq!(with("#bounded[4]", overflow, "2").states, with("", overflow, "4").states, "{overflow}");
    }
    let said = |options: &str| lower_with(&text(options), &[]).1[0].code;
    assert_eq!(said("#bounded"), "if::bounds");
    assert_eq!(said("#bounded[0]"), "if::bounds");
    assert_eq!(said("#fifo[3]"), "if::bounds");
    assert_eq!(said("#lossy #reliable"), "if::contradicting-marks");
}

#[test]
fn a_process_starts_in_one_state() {
    let text = "system s; process p(1); state a #start; nextstate b; endstate; state b #start; stop; endstate; endprocess; endsystem;";
    assert_eq!(lower_with(text, &[]).1[0].code, "if::two-start-states");
    let text = "system s; process p(1); state a #start; state b #start; stop; endstate; state c #start; stop; endstate; endstate; endprocess; endsystem;";
    assert_eq!(lower_with(text, &[]).1[0].code, "if::two-start-states");
}

#[test]
fn variables_without_a_value_are_zero_or_anything() {
    let text = "system s; type t = range 2..4; type e = enum red, green endenum; var g t;
        process p(2); var x boolean; var y e; var z t; state a #start; task z := 3; nextstate b; endstate;
          state b; provided x; task x := false; nextstate b; endstate; endprocess; endsystem;";
    let states = |value| {
        let (lowered, said, sources) = lower_with(text, &[("if_unassigned", value)]);
        let (model, _) = lowered.unwrap_or_else(|| panic!("{}", render_text(&sources, &said, false)));
        explore_model(&model).states
    };
    assert_eq!(states("zero"), 1);
    // `g`, and `x` and `y` twice; `z` has a value.
    assert_eq!(states("any"), 3 * (2 * 2) * (2 * 2));
    let timed = text.replace("var g t;", "var g t; var c clock;");
    assert_eq!(lower_with(&timed, &[("if_unassigned", "any")]).1[0].code, "if::option");
}

#[test]
fn elements_are_named_as_they_are_indexed() {
    let text = "system s; type t = array [3..4] of boolean; var g t;
        process p(1); state a #start; task g[4] := true; stop; endstate; endprocess; endsystem;";
    let (lowered, said, sources) = lower_with(text, &[]);
    let (model, _) = lowered.unwrap_or_else(|| panic!("{}", render_text(&sources, &said, false)));
    let interpreter = Interpreter::new(&model, &[]);
    let (mut scratch, mut steps) = (interpreter.scratch(), Steps::new());
    interpreter.initial(&mut scratch, &mut steps);
    let state = fathom_model::explain::describe_state(&model, interpreter.layout(), steps.state(0));
    let names: Vec<&str> = state.values.iter().map(|value| value.name.as_str()).collect();
    assert_eq!(names, ["g[3]", "g[4]"]);
}

#[test]
fn arrays_and_records_are_compared_as_wholes() {
    let text = |condition: &str| {
        format!(
            "system s; type t = array [1..2] of boolean; type r = record one integer; two t; endrecord; var g r; var h r;
             process p(1); state a #start; task g.two[2] := true; nextstate b; endstate;
               state b; provided {condition}; stop; endstate; endprocess; endsystem;"
        )
    };
    let stops = |condition: &str| explore(&text(condition), &[]).violated.is_empty();
    assert!(stops("g <> h") && !stops("g = h"));
    assert!(stops("g.two <> h.two") && stops("g.one = h.one"));
    assert_eq!(lower_with(&text("g = h.two"), &[]).1[0].code, "if::type");
}

/// The codes of what is said.
fn codes(text: &str) -> Vec<&'static str> {
    lower_with(text, &[]).1.iter().map(|said| said.code).collect()
}

#[test]
fn a_signal_goes_where_its_route_leads() {
    let system = |route: &str, body: &str| {
        format!(
            "system s; signal m(); signalroute o({route}) from p to p with m;
             process p(1); var q pid; state a #start; {body} nextstate z; endstate;
             state z; input m(); nextstate y; endstate; state y; endstate; endprocess;
             process w(1); state a #start; input m(); nextstate b; endstate; state b; endstate; endprocess; endsystem;"
        )
    };
    for to in ["{w}0", "env", "w"] {
        assert_eq!(
            codes(&system("1", &format!("output m() via o to {to};"))),
            ["if::no-destination"],
            "{to}"
        );
    }
    for to in ["{p}0", "self", "p"] {
        assert_eq!(codes(&system("1", &format!("output m() via o to {to};"))), [""; 0], "{to}");
    }
    // By a variable, it is known when the signal is sent. Without a route, anyone will do.
    for (body, is_error) in [
        ("task q := {w}0; output m() via o to q;", true),
        ("task q := {p}0; output m() via o to q;", false),
        ("task q := {w}0; output m() to q;", false),
        ("output m() to q;", true),
        ("kill q;", true),
        ("task q := {w}0; kill q;", false),
    ] {
        let text = system("1", body);
        assert_eq!(explore(&text, &[]).violated.contains(&"runtime-error".to_owned()), is_error, "{body}");
        let faults = faults_of(network_of(&text, &[]).0.network()).0;
        assert_eq!(!faults.is_empty(), is_error, "{body}");
    }
    assert_eq!(codes(&system("0", "output m() via o;")), ["if::no-such-instance"]);
    assert_eq!(codes(&system("0", "output m();")), ["if::no-destination"]);
}

#[test]
fn an_edge_says_that_a_pid_names_no_process() {
    for statement in ["kill q", "output m() to q"] {
        let text =
            one("signal m();", &format!("var q pid; state a #start; {statement}; nextstate a; endstate;"));
        let model = lower_with(&text, &[]).0.expect("a model").0;
        let wanted = format!("{statement} (the pid names no process)");
        assert!(model.templates[0].edges.iter().any(|edge| edge.text == wanted), "{statement}");
    }
}

#[test]
fn what_a_procedure_returns_is_in_the_range_that_it_says() {
    let text = |body: &str, start: u32| {
        one(
            &format!("type r = range 0..3; procedure f; fpar in k integer; returns r; {body} endprocedure;"),
            &format!(
                "var u integer; state a #start; provided true; task u := {start}; u := call f(u); nextstate z; endstate; state z; endstate;"
            ),
        )
    };
    assert_eq!(explore(&text("return k;", 9), &[]).violated, ["assertion", "deadlock"]);
    assert_eq!(explore(&text("return k;", 3), &[]).violated, ["deadlock"]);
    assert_eq!(codes(&text("return 9;", 3)), ["if::out-of-range"]);
    assert_eq!(codes(&text("return k = 1;", 3)), ["if::type"]);
}

#[test]
fn calls_are_not_written_out_without_end() {
    let calls = |n: u32| {
        let twice = |n: u32| format!("procedure f{n}; call f{}(); call f{}(); endprocedure; ", n - 1, n - 1);
        let all: String = (1..=n).map(twice).collect();
        one(
            &format!("procedure f0; skip; endprocedure; {all}"),
            &format!("state a #start; call f{n}(); nextstate a; endstate;"),
        )
    };
    assert_eq!(codes(&calls(10)), [""; 0]);
    assert_eq!(codes(&calls(60)), ["if::calls"]);
}

#[test]
fn nothing_is_said_twice_for_two_substates() {
    let text = one(
        "type small = range 0..2;",
        "var x small; state a #start; state b #start; endstate; state c; endstate; task x := 7; nextstate a; endstate;",
    );
    assert_eq!(codes(&text), ["if::out-of-range"]);
}

#[test]
fn who_cannot_end_is_not_stopped() {
    let text = one("", "var t clock; state a #start; provided true; nextstate a; endstate;");
    assert!(!network_reaches(&text, &[], "p@stopped"));
    assert!(network_reaches(&text, &[], "not p@stopped"));
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_text() {
    let text = one("", "state a #start; nextstate a; endstate;");
    assert_eq!(codes(&format!("\u{feff}{text}")), [""; 0]);
}
