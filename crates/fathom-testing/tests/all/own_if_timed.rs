//! Systems of IF whose clocks are real numbers, beside the same system in the language of Uppaal: the answers are the same, and known.

use fathom_core::model::{Answer, RunEnd};
use fathom_core::search::NoMonitor;
use fathom_core::source::MemoryLoader;
use fathom_core::timed_automata::liveness::ForEver;
use fathom_core::{
    Asked, BestWitness, Language, LoadedTimed, TimedAnswer, TimedEngine, TimedOptions, check_timed,
    load_timed,
};

fn load(language: Language, text: &str) -> LoadedTimed {
    let loader = MemoryLoader::new().with("m", text);
    load_timed("m", language, &loader).expect("a file in memory")
}

/// Whether a state can be reached, in every order; runs are checked on the way.
fn reaches(loaded: &mut LoadedTimed, asked: &str) -> bool {
    assert!(loaded.network.is_some(), "{:?}", loaded.diagnostics);
    let id = loaded.ask(Asked::Reach, asked).unwrap_or_else(|problems| panic!("{asked}: {problems:?}"));
    let network = loaded.network.as_ref().expect("a network");
    let answer = |(engine, threads)| {
        let options = TimedOptions { engine, threads, properties: vec![id], ..TimedOptions::default() };
        let report = check_timed(network, &loaded.properties, &options, &mut NoMonitor);
        assert_eq!(report.answers[0].run.is_some(), report.answers[0].verdict.answer == Answer::Holds);
        report.answers[0].verdict.answer
    };
    let engines = [(TimedEngine::BreadthFirst, 1), (TimedEngine::DepthFirst, 1), (TimedEngine::LastFirst, 2)];
    let answers = engines.map(answer);
    assert!(answers.iter().all(|one| *one == answers[0]), "{asked}: {answers:?}");
    answers[0] == Answer::Holds
}

/// Asks both systems, in the words of each.
fn check(system: &str, automata: &str, asked: &[(&str, &str, bool)]) {
    let mut ours = load(Language::If, system);
    let mut theirs = load(Language::Uppaal, automata);
    for (of_system, of_automata, expected) in asked {
        assert_eq!(reaches(&mut ours, of_system), *expected, "{of_system}\n{system}");
        assert_eq!(reaches(&mut theirs, of_automata), *expected, "{of_automata}\n{automata}");
    }
}

/// A transition that is possible from 2 to 3, and another one from 4 on.
fn window(deadline: &str) -> String {
    format!(
        "system s; var t clock; var u clock; process p(1); var late boolean;
         state a #start; set t := 0; set u := 0; nextstate b; endstate;
         state b; deadline {deadline}; when t >= 2 and t <= 3; set u := 0; nextstate c;
           deadline lazy; when t >= 4; task late := true; set u := 0; nextstate c; endstate;
         state c; endstate; endprocess; endsystem;"
    )
}

/// The same, with an invariant for the deadline.
fn window_automata(invariant: &str) -> String {
    format!(
        "clock t, u; bool late; process P() {{ state b {invariant}, c; init b;
         trans b -> c {{ guard t >= 2 && t <= 3; assign u = 0; }}, b -> c {{ guard t >= 4; assign late = true, u = 0; }}; }}
         system P;"
    )
}

#[test]
fn an_eager_transition_is_taken_at_once() {
    let asked = [
        ("late", "late", false),
        ("p@c and t - u > 2", "P.c && t - u > 2", false),
        ("p@c and t - u = 2", "P.c && t - u == 2", true),
        ("p@b and t > 2", "P.b && t > 2", false),
    ];
    check(&window("eager"), &window_automata("{ t <= 2 }"), &asked);
}

#[test]
fn a_delayable_transition_is_taken_before_it_is_too_late() {
    let asked = [
        ("late", "late", false),
        ("p@c and t - u > 2 and t - u < 3", "P.c && t - u > 2 && t - u < 3", true),
        ("p@c and t - u = 3", "P.c && t - u == 3", true),
        ("p@b and t > 3", "P.b && t > 3", false),
    ];
    check(&window("delayable"), &window_automata("{ t <= 3 }"), &asked);
}

#[test]
fn a_lazy_transition_may_be_missed() {
    let asked = [
        ("late", "late", true),
        ("p@c and t - u > 3 and t - u < 4", "P.c && t - u > 3 && t - u < 4", false),
        ("p@b and t > 9", "P.b && t > 9", true),
    ];
    check(&window("lazy"), &window_automata(""), &asked);
}

#[test]
fn the_fastest_way_obeys_deadlines() {
    let fastest = |text: &str, asked: &str| {
        let mut loaded = load(Language::If, text);
        let id = loaded.ask(Asked::Reach, asked).expect("a condition");
        let network = loaded.network.as_ref().expect("a network");
        let best = Some(BestWitness::Fastest);
        let options = TimedOptions { best, properties: vec![id], ..TimedOptions::default() };
        let report = check_timed(network, &loaded.properties, &options, &mut NoMonitor);
        report.answers[0].cost
    };
    assert_eq!(fastest(&window("lazy"), "late"), Some((4, false)));
    assert_eq!(fastest(&window("delayable"), "p@c"), Some((2, false)));
    assert_eq!(fastest(&window("eager"), "late"), None);
}

#[test]
fn a_moment_that_was_missed_does_not_stop_time() {
    // The condition becomes true when the window has passed: no invariant says that.
    let system = |deadline: &str| {
        format!(
            "system s; var t clock; var go boolean;
             process q(1); state a #start; set t := 0; nextstate b; endstate;
               state b; deadline lazy; when t >= 5 and t <= 6; task go := true; nextstate c; endstate; state c; endstate; endprocess;
             process p(1); state a #start; deadline {deadline}; provided go; when t >= 2 and t <= 3; nextstate c; endstate;
               state c; endstate; endprocess; endsystem;"
        )
    };
    let automata = "clock t; bool go; process Q() { state b, c; init b; trans b -> c { guard t >= 5 && t <= 6; assign go = true; }; }
                    process P() { state a, c; init a; trans a -> c { guard go && t >= 2 && t <= 3; }; } system Q, P;";
    let asked = [("go and t > 9", "go && t > 9", true), ("p@c", "P.c", false)];
    for deadline in ["eager", "delayable", "lazy"] {
        check(&system(deadline), automata, &asked);
    }
}

#[test]
fn signals_are_taken_in_order_and_at_once() {
    let system = "system s; var t clock; var r clock; signal m(integer); signal n();
        signalroute w(1) #fifo #reliable from sender to receiver with m, n;
        process sender(1); state a #start; set t := 0; nextstate b; endstate;
          state b; deadline delayable; when t >= 1 and t <= 2; output m(7); output n(); output m(9); nextstate c; endstate;
          state c; endstate; endprocess;
        process receiver(1); var x integer;
          state a #start; input m(x); set r := 0; nextstate b; endstate;
          state b; input m(x); nextstate c; endstate;
          state c; endstate; endprocess; endsystem;";
    let automata = "clock t, r; int x; chan m, n; process S() { state b { t <= 2 }, c1, c2, c; commit c1, c2; init b;
          trans b -> c1 { guard t >= 1; sync m!; }, c1 -> c2 { sync n!; }, c2 -> c { sync m!; }; }
        process R() { state a, b, c; init a; trans a -> b { sync m?; assign x = 7, r = 0; }, b -> b { sync n?; }, b -> c { sync m?; assign x = 9; }; }
        system S, R;";
    let asked = [
        // Received when it was sent, from 1 to 2.
        ("receiver@c and t - r = 1", "R.c && t - r == 1", true),
        ("receiver@c and t - r > 2", "R.c && t - r > 2", false),
        ("receiver@c and receiver.x = 9", "R.c && x == 9", true),
        ("receiver@c and receiver.x = 7", "R.c && x == 7", false),
        ("receiver@a and t > 2", "R.a && t > 2", false),
    ];
    check(system, automata, &asked);
}

#[test]
fn a_condition_of_a_state_bounds_time_there() {
    let system = "system s; var t clock; process p(1);
        state a #start; set t := 0; nextstate b; endstate;
        state b; tpc t <= 4; deadline lazy; when t >= 3; nextstate c; endstate; state c; endstate; endprocess; endsystem;";
    let automata =
        "clock t; process P() { state b { t <= 4 }, c; init b; trans b -> c { guard t >= 3; }; } system P;";
    let asked = [
        ("p@b and t = 4", "P.b && t == 4", true),
        ("p@b and t > 4", "P.b && t > 4", false),
        ("p@c and t > 9", "P.c && t > 9", true),
    ];
    check(system, automata, &asked);
}

#[test]
fn a_clock_that_was_reset_fulfils_nothing() {
    let mut loaded = load(
        Language::If,
        "system s; process p(1); var t clock; var u clock;
         state a #start; set t := 3; set u := 0; nextstate b; endstate;
         state b; deadline lazy; when t >= 5; reset t; set u := 0; nextstate c; endstate;
         state c; deadline lazy; when t >= 0; nextstate d; endstate; state d; endstate; endprocess; endsystem;",
    );
    assert!(reaches(&mut loaded, "p@c and u > 5") && !reaches(&mut loaded, "p@d"));
    assert!(!reaches(&mut loaded, "p@c and t >= 0") && reaches(&mut loaded, "p@c and not (t >= 0)"));
    assert!(reaches(&mut loaded, "p@b and t = 3") && !reaches(&mut loaded, "p@b and t < 3"));
}

/// Fischer's protocol: a member writes within 2, and waits for more than 2, or for less.
#[test]
fn members_exclude_each_other_when_they_wait_long_enough() {
    let system = |wait: &str| {
        format!(
            "system fischer; var id integer; process p(2); var t clock; var me integer;
             state start #start; provided self = {{p}}0; task me := 1; set t := 0; nextstate idle;
               provided self = {{p}}1; task me := 2; set t := 0; nextstate idle; endstate;
             state idle; deadline lazy; provided id = 0; set t := 0; nextstate ask; endstate;
             state ask; deadline delayable; when t <= 2; task id := me; set t := 0; nextstate pause; endstate;
             state pause; deadline lazy; provided id = me; when {wait}; nextstate inside;
               deadline lazy; provided id <> me; nextstate idle; endstate;
             state inside; deadline lazy; task id := 0; nextstate idle; endstate;
             endprocess; endsystem;"
        )
    };
    let automata = |wait: &str| {
        format!(
            "int id; process P(int me) {{ clock t; state idle, ask {{ t <= 2 }}, pause, inside; init idle;
             trans idle -> ask {{ guard id == 0; assign t = 0; }}, ask -> pause {{ guard t <= 2; assign id = me, t = 0; }},
             pause -> inside {{ guard id == me && {wait}; }}, pause -> idle {{ guard id != me; }},
             inside -> idle {{ assign id = 0; }}; }} A = P(1); B = P(2); system A, B;"
        )
    };
    for (wait, meets) in [("t > 2", false), ("t >= 1", true)] {
        let asked = [
            ("p[0]@inside and p[1]@inside", "A.inside && B.inside", meets),
            ("p[1]@inside and id = 2", "B.inside && id == 2", true),
        ];
        check(&system(wait), &automata(wait), &asked);
    }
}

#[test]
fn what_has_no_counterpart_is_refused_with_a_diagnostic_of_its_own() {
    let one = |body: &str| format!("system s; process p(1); var t clock; {body} endprocess; endsystem;");
    let cases = [
        ("if::open-deadline", one("state a #start; deadline eager; when t > 2; nextstate a; endstate;")),
        ("if::open-deadline", one("state a #start; deadline delayable; when t < 2; nextstate a; endstate;")),
        (
            "if::unsupported-with-clocks",
            one("state a #start; deadline delayable; when t <= 2 or t = 4; nextstate a; endstate;"),
        ),
        (
            "if::unsupported-clock",
            one("type row = array[0..1] of clock; var u row; state a #start; endstate;"),
        ),
    ];
    for (code, text) in cases {
        let loaded = load(Language::If, &text);
        assert!(loaded.network.is_none(), "{text}");
        assert!(loaded.diagnostics.iter().any(|one| one.code == code), "{code}: {:?}", loaded.diagnostics);
    }
}

/// What is said of every run; violations are timed and checked on the way.
fn of_runs(loaded: &mut LoadedTimed, asked: Asked, text: &str) -> TimedAnswer {
    assert!(loaded.network.is_some(), "{:?}", loaded.diagnostics);
    let id = loaded.ask(asked, text).unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
    let network = loaded.network.as_ref().expect("a network");
    let options = TimedOptions { properties: vec![id], ..TimedOptions::default() };
    check_timed(network, &loaded.properties, &options, &mut NoMonitor).answers.remove(0)
}

/// Formulas and what becomes of them: none when they hold, else how the run goes on.
fn check_runs(text: &str, asked: &[(&str, Option<ForEver>)]) {
    let mut loaded = load(Language::If, text);
    for (formula, expected) in asked {
        let answer = of_runs(&mut loaded, Asked::Ltl, formula);
        let wanted = if expected.is_none() { Answer::Holds } else { Answer::Violated };
        assert_eq!(answer.verdict.answer, wanted, "{formula}\n{text}");
        assert_eq!(answer.for_ever, *expected, "{formula}\n{text}");
        assert_eq!(answer.run.is_some(), expected.is_some());
    }
}

#[test]
fn only_who_is_lazy_may_wait_for_ever() {
    let done = "<> p@c";
    check_runs(&window("eager"), &[(done, None), ("[] !p.late", None)]);
    check_runs(&window("delayable"), &[(done, None), ("[] !p.late", None)]);
    check_runs(
        &window("lazy"),
        &[(done, Some(ForEver::Waiting)), ("[] (p@b -> <> p.late)", Some(ForEver::Waiting))],
    );
    let no_end = |deadline: &str| {
        format!(
            "system s; var t clock; process p(1); state a #start; set t := 0; nextstate b; endstate;
             state b; deadline {deadline}; when t >= 2; nextstate c; endstate; state c; endstate; endprocess; endsystem;"
        )
    };
    // There is no last moment of something that stays possible.
    check_runs(&no_end("eager"), &[(done, None)]);
    check_runs(&no_end("delayable"), &[(done, Some(ForEver::Waiting))]);
    check_runs(&no_end("lazy"), &[(done, Some(ForEver::Waiting))]);
}

#[test]
fn a_run_goes_on_where_time_stops_for_a_transition_and_is_stuck_where_there_is_none() {
    let state = |body: &str| {
        format!(
            "system s; var t clock; process p(1); var n boolean; state a #start; set t := 0; nextstate b; endstate;
             state b; {body} endstate; state c; endstate; endprocess; endsystem;"
        )
    };
    // Every unit of time: the loop is after the start.
    let ticks = "deadline eager; when t >= 1 and t <= 1; task n := not n; set t := 0; nextstate b;";
    let again = format!("{ticks} deadline lazy; provided n; nextstate c;");
    check_runs(&state(ticks), &[("[]<> p.n", None), ("<>[] p.n", Some(ForEver::Loop(1)))]);
    check_runs(&state(&again), &[("<> p@c", Some(ForEver::Loop(1))), ("[] (p@c -> [] p.n)", None)]);
    // Time stops at 4, and nothing can be done from there.
    let stuck = "tpc t <= 4; deadline lazy; when t >= 6; nextstate c;";
    check_runs(&state(stuck), &[("<> p@c", Some(ForEver::Stuck)), ("[] !p@c", None)]);
    // The same, but there is something to be done at the last moment.
    let last = "tpc t <= 4; deadline lazy; when t >= 4; nextstate c;";
    check_runs(&state(last), &[("<> p@c", None)]);
    let mut loaded = load(Language::If, &state(stuck));
    let id = loaded.properties.iter().position(|one| one.name == "deadlock").expect("there is one");
    let options = TimedOptions { properties: vec![id.into()], ..TimedOptions::default() };
    let network = loaded.network.take().expect("a network");
    let report = check_timed(&network, &loaded.properties, &options, &mut NoMonitor);
    assert!(report.answers[0].run.is_some());
}

#[test]
fn formulas_of_other_logics_are_in_the_words_of_the_language_and_without_clocks() {
    let mut loaded = load(Language::If, &window("delayable"));
    for (asked, text, expected) in [
        (Asked::Pattern, "existence(p@c)", Answer::Holds),
        (Asked::Pattern, "absence(p@c)", Answer::Violated),
        (Asked::Psl(RunEnd::Stutter), "{p@a; p@b} |=> p@c", Answer::Holds),
        (Asked::Ltl, "[] (\"not p@c or not p.late\")", Answer::Holds),
    ] {
        assert_eq!(of_runs(&mut loaded, asked, text).verdict.answer, expected, "{text}");
    }
    let problems = loaded.ask(Asked::Ltl, "[] (p@b -> t <= 3)").expect_err("it speaks of a clock");
    assert_eq!(problems[0].code, "if::clock-in-formula");
}
