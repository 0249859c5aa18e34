//! Tests that are generated from every language.

use fathom_search::NoMonitor;
use fathom_source::MemoryLoader;
use fathom_testgen::{Criterion, GenerateOptions, GoalAnswer, Guide, Shape, TestEngine};

use crate::{
    Asked, Language, Shortening, TestOptions, generate_tests, generate_timed_tests, load, load_timed,
    value_traps,
};

fn of(criteria: &[Criterion]) -> TestOptions {
    TestOptions { criteria: criteria.to_vec(), ..TestOptions::default() }
}

const TURNSTILE: &str = "byte coins; active proctype turnstile() {
    locked: if :: coins < 3 -> coins++; goto open :: coins == 3 -> goto filled fi;
    open: if :: true -> goto locked :: coins == 2 -> coins = 0; goto open fi;
    filled: coins > 3 }";

#[test]
fn short_tests_start_at_the_beginning_and_cover_what_long_ones_cover() {
    let loader = MemoryLoader::new().with("m.pml", TURNSTILE);
    let model = load("m.pml", Language::Promela, &loader, &[]).unwrap().model.unwrap();
    let long = of(&[Criterion::Switches(1)]);
    let generate = GenerateOptions { shape: Shape::Short, ..GenerateOptions::default() };
    let short = TestOptions { generate, ..long.clone() };
    let long = generate_tests(&model, &long, &mut NoMonitor).unwrap();
    let short = generate_tests(&model, &short, &mut NoMonitor).unwrap();
    assert_eq!((long.n_covered(), long.n_infeasible()), (short.n_covered(), short.n_infeasible()));
    assert_eq!(long.n_covered() + long.n_infeasible(), long.goals.len());
    assert!(short.tests.len() > long.tests.len());
}

#[test]
fn one_sequence_is_made_as_short_as_it_can_be() {
    let text = "byte n; active proctype p() { do :: n < 3 -> n++ :: n > 0 -> n-- :: n == 3 -> n = 0 od }";
    let loader = MemoryLoader::new().with("m.pml", text);
    let model = load("m.pml", Language::Promela, &loader, &[]).unwrap().model.unwrap();
    let generate = GenerateOptions { engine: TestEngine::DepthFirst, ..GenerateOptions::default() };
    let options = TestOptions { generate, ..of(&[Criterion::Transitions]) };
    let first = generate_tests(&model, &options, &mut NoMonitor).unwrap();
    let shortening = Shortening { engine: TestEngine::BreadthFirst, guide: Guide::None, refine: false };
    let options = TestOptions { shorten: Some(shortening), ..options };
    let shortest = generate_tests(&model, &options, &mut NoMonitor).unwrap();
    assert!(shortest.is_shortest && !first.is_shortest);
    assert!(shortest.n_steps() <= first.n_steps());
    assert_eq!(shortest.n_covered(), first.n_covered());
}

#[test]
fn values_of_smv_variables_are_goals() {
    let text = "MODULE main VAR light : {red, green, broken}; on : boolean;
        ASSIGN init(light) := red; next(light) := case light = red : green; TRUE : red; esac;
        init(on) := FALSE; next(on) := {TRUE, FALSE};";
    let loader = MemoryLoader::new().with("m.smv", text);
    let mut model = load("m.smv", Language::Smv, &loader, &[]).unwrap().model.unwrap();
    let traps = value_traps(&mut model);
    let options = TestOptions { traps, ..TestOptions::default() };
    let report = generate_tests(&model, &options, &mut NoMonitor).unwrap();
    assert_eq!((report.goals.len(), report.n_covered(), report.n_infeasible()), (5, 4, 1));
}

#[test]
fn tests_of_timed_automata_say_how_long_to_wait() {
    let text = "system:lamp\nevent:press\nclock:1:x\nprocess:P\nlocation:P:off{initial:}\nlocation:P:on{invariant: x<=10}\n\
                location:P:never{}\nedge:P:off:on:press{do: x=0}\nedge:P:on:off:press{provided: x>=5}\n\
                edge:P:on:never:press{provided: x>=11}\n";
    let loader = MemoryLoader::new().with("lamp.tck", text);
    let mut loaded = load_timed("lamp.tck", Language::TChecker, &loader).unwrap();
    let late = loaded.ask(Asked::Reach, "P.on && x > 7").unwrap();
    let network = loaded.network.unwrap();
    let options = TestOptions { traps: vec![late], ..of(&[Criterion::Transitions, Criterion::Locations]) };
    let report =
        generate_timed_tests(&network, &loaded.properties, &loaded.sources, &options, &mut NoMonitor)
            .unwrap();
    assert_eq!((report.n_covered(), report.n_infeasible(), report.goals.len()), (5, 2, 7));
    let delays: Vec<Option<f64>> = report.tests[0].steps.iter().map(|step| step.delay).collect();
    assert_eq!(delays, [Some(0.0), Some(5.0)]);
    assert!(report.answers.iter().all(|answer| !matches!(answer, GoalAnswer::NotFound(_))));
}

#[test]
fn tests_of_programs_are_calls() {
    use fathom_program::{Data, Program};

    #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Data)]
    struct Lamp {
        is_on: bool,
        presses: u8,
    }

    #[derive(Clone, Debug)]
    enum Action {
        Press,
        Reset(u8),
    }

    struct Switch;

    impl Program for Switch {
        type State = Lamp;
        type Action = Action;

        fn initial(&self) -> Vec<Lamp> {
            vec![Lamp { is_on: false, presses: 0 }]
        }

        fn actions(&self, lamp: &Lamp, actions: &mut Vec<Action>) {
            if lamp.presses < 3 {
                actions.push(Action::Press);
            }
            if lamp.presses == 3 {
                actions.push(Action::Reset(0));
            }
        }

        fn apply(&self, action: &Action, lamp: &mut Lamp) {
            match action {
                Action::Press => (lamp.is_on, lamp.presses) = (!lamp.is_on, lamp.presses + 1),
                Action::Reset(presses) => (lamp.is_on, lamp.presses) = (false, *presses),
            }
        }
    }

    let report = crate::generate_program_tests(
        &Switch,
        &of(&[Criterion::Transitions, Criterion::Switches(1)]),
        &mut NoMonitor,
    )
    .unwrap();
    // Press, Reset; after each of them either, but Reset twice.
    assert_eq!((report.goals.len(), report.n_covered(), report.n_infeasible()), (6, 5, 1));
    let calls: Vec<&str> = report.tests[0].steps.iter().map(|step| step.moves[0].1.as_str()).collect();
    assert_eq!(calls, ["Press", "Press", "Press", "Reset(0)", "Press"]);
}
