//! Generated tests against the independent count, on small models.

use fathom_hunt::Refine;
use fathom_model::{
    Evidence, Interpreter, Model, Property, PropertyId, Question, Steps, Stop, System, Trace,
};
use fathom_search::{NoMonitor, replay};
use fathom_source::{MemoryLoader, SourceMap};

use super::*;
use crate::chart::Observe;

fn model(text: &str) -> Model {
    let (mut sources, loader) = (SourceMap::new(), MemoryLoader::new());
    let main = sources.add("m.pml", text);
    let (program, _, said) = fathom_promela::parse_program_and_macros(main, &mut sources, &loader, &[]);
    assert!(said.is_empty(), "{said:?}");
    let (lowered, said) = fathom_promela::lower_program(&program, "m.pml");
    lowered.unwrap_or_else(|| panic!("{said:?}"))
}

/// What a test does, by following it on the reference interpreter.
fn events(model: &Model, charts: &ModelCharts, asked: &[PropertyId], test: &Test) -> Events {
    let interpreter = Interpreter::new(model, asked);
    let trace = Trace {
        initial: test.initial,
        choices: test.choices.clone(),
        evidence: Evidence::State,
        loop_at: None,
    };
    let replayed = replay(&interpreter, &trace).expect("a test replays");
    let mut events = Events::default();
    charts
        .locations(&replayed.visits[0].state, &mut |_, chart, location| events.first.push((chart, location)));
    let (mut scratch, mut steps) = (interpreter.scratch(), Steps::new());
    for visit in &replayed.visits {
        visit.labels.iter().for_each(|label| charts.taken(label, &mut |taken| events.taken.push(taken)));
        steps.clear();
        interpreter.successors(&visit.state, &visit.region, &mut scratch, &mut steps);
        events.found.extend(steps.findings().iter().map(|finding| finding.property));
    }
    events
}

/// Generates tests and compares what is said about them with the independent count.
fn check(
    model: &Model,
    criteria: &[Criterion],
    traps: &[PropertyId],
    options: &GenerateOptions,
) -> (Goals, Generated) {
    let charts = ModelCharts::new(model);
    let goals = Goals::of(charts.charts(), criteria, traps).unwrap();
    let tracker = Tracker::new(&charts, &goals).unwrap();
    let interpreter = Interpreter::new(model, traps);
    let generated = generate(&interpreter, &tracker, options, &mut NoMonitor);
    let mut counted = vec![false; goals.len()];
    for test in &generated.tests {
        let reached = count(charts.charts(), &goals, &events(model, &charts, traps, test));
        counted.iter_mut().zip(reached).for_each(|(any, one)| *any |= one);
    }
    for (goal, answer) in generated.answers.iter().enumerate() {
        let is_covered = matches!(answer, GoalAnswer::Covered { .. });
        assert_eq!(is_covered, counted[goal], "{:?}: {answer:?}", goals.goals[goal]);
    }
    (goals, generated)
}

fn every_engine() -> Vec<GenerateOptions> {
    let engines = [TestEngine::BreadthFirst, TestEngine::DepthFirst, TestEngine::BestFirst, TestEngine::Isr];
    let guides = [Guide::None, Guide::Uniform, Guide::Tuned, Guide::Distance];
    let shapes = [Shape::Long, Shape::Short, Shape::Tour];
    let mut all = Vec::new();
    for engine in engines {
        for guide in guides {
            let with = |shape| GenerateOptions { engine, guide, shape, ..GenerateOptions::default() };
            all.extend(shapes.map(with));
        }
    }
    all
}

const COUNTER: &str = "byte n; chan c = [1] of { byte };
    active proctype sender() { do :: n < 5 -> n++ :: n == 5 -> c ! n; n = 0 :: n > 5 -> req_never: c ! 9 od }
    active proctype receiver() { byte x; do :: c ? x -> if :: x == 5 -> req_five: x = 0 :: else -> x = 1 fi od }";

const ALL: [Criterion; 6] = [
    Criterion::Locations,
    Criterion::Transitions,
    Criterion::Switches(1),
    Criterion::Switches(2),
    Criterion::DefinitionUse,
    Criterion::Requirements,
];

#[test]
fn every_engine_covers_the_same_goals_and_the_count_agrees() {
    let model = model(COUNTER);
    let expected = check(&model, &ALL, &[], &GenerateOptions::default()).1.answers;
    assert!(expected.contains(&GoalAnswer::Infeasible));
    let is_covered = |answer: &GoalAnswer| matches!(answer, GoalAnswer::Covered { .. });
    for options in every_engine() {
        let answers = check(&model, &ALL, &[], &options).1.answers;
        for (one, other) in answers.iter().zip(&expected) {
            assert_eq!(is_covered(one), is_covered(other), "{options:?}");
            assert!(!matches!(one, GoalAnswer::NotFound(_)), "{options:?}");
        }
    }
}

#[test]
fn requirements_are_covered_or_proved_infeasible_by_name() {
    let (goals, generated) =
        check(&model(COUNTER), &[Criterion::Requirements], &[], &GenerateOptions::default());
    assert_eq!(goals.goals, [Goal::Requirement("five".to_owned()), Goal::Requirement("never".to_owned())]);
    assert!(matches!(generated.answers[0], GoalAnswer::Covered { .. }));
    assert_eq!(generated.answers[1], GoalAnswer::Infeasible);
}

#[test]
fn traps_are_states_to_be_reached() {
    let mut model = model(COUNTER);
    let n = fathom_model::Place::fixed(fathom_model::Base::Global, 0, fathom_model::ScalarType::BYTE);
    let is = |value| {
        let equal = fathom_model::BinaryOp::Equal;
        let (n, value) = (fathom_model::Expr::Load(n.clone()), fathom_model::Expr::Const(value));
        Question::Reach(fathom_model::Expr::Binary(equal, Box::new(n), Box::new(value)))
    };
    let mut ask = |name: &str, question| {
        model.properties.push(Property { name: name.to_owned(), question, span: None });
        PropertyId::from(model.properties.len() - 1)
    };
    let traps = [ask("three", is(3)), ask("seven", is(7)), ask("zero", is(0))];
    for options in every_engine() {
        let (_, generated) = check(&model, &[], &traps, &options);
        assert!(matches!(generated.answers[0], GoalAnswer::Covered { step: 6.., .. }), "{options:?}");
        assert_eq!(generated.answers[1], GoalAnswer::Infeasible, "{options:?}");
        assert!(matches!(generated.answers[2], GoalAnswer::Covered { test: 0, step: 0 }), "{options:?}");
    }
}

#[test]
fn processes_that_end_and_come_again_have_no_common_past() {
    // Each worker takes two edges and ends: no sequence over two lives is reached, though the process number is the same.
    let text = "byte made;
        proctype worker() { made = made + 1; made = made + 1 }
        active proctype boss() { do :: made < 4 -> run worker(); _nr_pr == 1 :: made >= 4 -> break od }";
    let (_, generated) = check(&model(text), &ALL, &[], &GenerateOptions::default());
    assert!(generated.n_covered() > 0);
}

#[test]
fn a_limit_leaves_goals_open_and_proves_nothing() {
    let options = GenerateOptions { max_states: Some(3), ..GenerateOptions::default() };
    let (_, generated) = check(&model(COUNTER), &ALL, &[], &options);
    assert!(generated.answers.contains(&GoalAnswer::NotFound(Stop::States)));
    assert!(!generated.answers.contains(&GoalAnswer::Infeasible));
}

#[test]
fn one_sequence_for_everything_is_shortest_breadth_first() {
    let model =
        model("byte n; active proctype p() { do :: n < 9 -> n++ :: n == 9 -> n = 0 :: n == 9 -> break od }");
    let charts = ModelCharts::new(&model);
    let goals = Goals::of(charts.charts(), &[Criterion::Transitions], &[]).unwrap();
    let tracker = Tracker::new(&charts, &goals).unwrap();
    let interpreter = Interpreter::new(&model, &[]);
    let run = |engine, guide, refine| {
        let wanted = GoalSet::full(goals.len());
        let options = WholeOptions { engine, guide, refine, ..WholeOptions::new(wanted) };
        all_at_once(&interpreter, &tracker, &options, &mut NoMonitor)
    };
    let shortest = run(TestEngine::BreadthFirst, Guide::None, Refine::Never);
    assert!(shortest.is_shortest);
    // Nine times two steps up, two to fall back, the same again up to the other choice, and the end of the process.
    let length = shortest.test.as_ref().unwrap().choices.len();
    assert_eq!(length, 18 + 2 + 18 + 2);
    for guide in [Guide::None, Guide::Uniform, Guide::Tuned, Guide::Distance] {
        let found = run(TestEngine::Isr, guide, Refine::FromStart);
        assert!(!found.is_shortest);
        assert!(found.test.as_ref().unwrap().choices.len() >= length);
        let reached =
            count(charts.charts(), &goals, &events(&model, &charts, &[], found.test.as_ref().unwrap()));
        assert!(reached.iter().all(|&reached| reached), "{guide:?}");
    }
}

#[test]
fn loops_that_goals_wait_for_are_found_through_other_counters() {
    // The seconds wait for the hundredths: 4 * 3 ticks, and 11 buttons as for the large stopwatch.
    let text = include_str!("../examples/stopwatch.pml");
    let model = model(&format!("#define CENTS 4\n#define SECONDS 3\n{text}"));
    let charts = ModelCharts::new(&model);
    let goals = Goals::of(charts.charts(), &[Criterion::Transitions], &[]).unwrap();
    let tracker = Tracker::new(&charts, &goals).unwrap();
    let interpreter = Interpreter::new(&model, &[]);
    let run = |engine, guide, refine| {
        let options = WholeOptions { engine, guide, refine, ..WholeOptions::new(GoalSet::full(goals.len())) };
        all_at_once(&interpreter, &tracker, &options, &mut NoMonitor)
    };
    let length = |found: &WholeOutcome| found.test.as_ref().unwrap().choices.len();
    let shortest = run(TestEngine::BreadthFirst, Guide::None, Refine::Never);
    assert_eq!((length(&shortest), shortest.is_shortest), (23, true));
    for guide in [Guide::Tuned, Guide::Distance] {
        let found = run(TestEngine::DepthFirst, guide, Refine::Never);
        assert!((23..=33).contains(&length(&found)), "{guide:?}: {}", length(&found));
        let refined = run(TestEngine::Isr, guide, Refine::GoOn);
        assert!((23..=25).contains(&length(&refined)), "{guide:?}: {}", length(&refined));
    }
}

#[test]
fn tours_take_every_step_of_every_state() {
    let model = model(COUNTER);
    let options = GenerateOptions { shape: Shape::Tour, ..GenerateOptions::default() };
    let (_, generated) = check(&model, &ALL, &[], &options);
    let interpreter = Interpreter::new(&model, &[]);
    let (mut scratch, mut steps) = (interpreter.scratch(), Steps::new());
    interpreter.initial(&mut scratch, &mut steps);
    let mut all = std::collections::BTreeSet::new();
    let mut open = vec![steps.state(0).to_vec()];
    let mut known = std::collections::BTreeSet::from([open[0].clone()]);
    while let Some(state) = open.pop() {
        steps.clear();
        interpreter.successors(&state, &fathom_model::NoRegion, &mut scratch, &mut steps);
        for step in 0..steps.len() {
            all.insert((state.clone(), step as u32));
            if known.insert(steps.state(step).to_vec()) {
                open.push(steps.state(step).to_vec());
            }
        }
    }
    let mut taken = std::collections::BTreeSet::new();
    for test in &generated.tests {
        let (initial, choices) = (test.initial, test.choices.clone());
        let trace = Trace { initial, choices, evidence: Evidence::State, loop_at: None };
        let visits = replay(&interpreter, &trace).expect("a test replays").visits;
        taken.extend(visits.iter().zip(&test.choices).map(|(visit, &choice)| (visit.state.clone(), choice)));
    }
    assert_eq!(taken, all);
}

#[test]
fn a_graph_that_is_too_large_for_a_tour_is_given_up() {
    let options = GenerateOptions { shape: Shape::Tour, max_states: Some(3), ..GenerateOptions::default() };
    let (_, generated) = check(&model(COUNTER), &[Criterion::Transitions], &[], &options);
    assert!(generated.tests.is_empty());
    assert!(generated.answers.iter().all(|answer| *answer == GoalAnswer::NotFound(Stop::States)));
}
