//! Heuristics on small models in Promela.

use std::collections::{BTreeMap, VecDeque};

use fathom_core::model::{Interpreter, Model, NoRegion, PropertyId, Question, Steps, System};
use fathom_core::source::MemoryLoader;
use fathom_core::{Asked, Language, load};

use crate::view::View;
use crate::{Heuristic, Kind, ModelHeuristic};

pub(crate) fn model(text: &str, reach: Option<&str>) -> (Model, PropertyId) {
    try_model(text, reach).unwrap_or_else(|| panic!("this is no model: {text}"))
}

/// The same for a text that may be no model.
pub(crate) fn try_model(text: &str, reach: Option<&str>) -> Option<(Model, PropertyId)> {
    let loader = MemoryLoader::new().with("m.pml", text);
    let mut loaded = load("m.pml", Language::Promela, &loader, &[]).ok()?;
    loaded.model.as_ref()?;
    let asked =
        reach.map(|reach| loaded.ask(Asked::Reach, reach).unwrap_or_else(|error| panic!("{error:?}")));
    let model = loaded.model?;
    let assertion = |model: &Model| {
        let is_assertion = |question: &Question| matches!(question, Question::Assertion);
        model.properties.iter().position(|property| is_assertion(&property.question)).unwrap().into()
    };
    let property = asked.unwrap_or_else(|| assertion(&model));
    Some((model, property))
}

/// The initial state.
pub(crate) fn initial(model: &Model) -> Vec<u8> {
    let system = Interpreter::new(model, &[]);
    let mut steps = Steps::new();
    system.initial(&mut system.scratch(), &mut steps);
    steps.state(0).to_vec()
}

/// What a state leads to.
pub(crate) fn successors(model: &Model, state: &[u8]) -> Vec<Vec<u8>> {
    let system = Interpreter::new(model, &[]);
    let mut steps = Steps::new();
    system.successors(state, &NoRegion, &mut system.scratch(), &mut steps);
    (0..steps.len()).map(|index| steps.state(index).to_vec()).collect()
}

/// Every reachable state, with the number of steps to the nearest finding.
pub(crate) fn distances(model: &Model, property: PropertyId) -> BTreeMap<Vec<u8>, Option<u32>> {
    try_distances(model, property, usize::MAX).expect("there is no limit")
}

/// The same for a model that may have more than so many states.
pub(crate) fn try_distances(
    model: &Model,
    property: PropertyId,
    most_states: usize,
) -> Option<BTreeMap<Vec<u8>, Option<u32>>> {
    let system = Interpreter::new(model, &[property]);
    let mut scratch = system.scratch();
    let mut steps = Steps::new();
    system.initial(&mut scratch, &mut steps);
    if steps.is_empty() {
        return None;
    }
    let mut pending = vec![steps.state(0).to_vec()];
    let mut distances = BTreeMap::new();
    let mut parents: BTreeMap<Vec<u8>, Vec<Vec<u8>>> = BTreeMap::new();
    let mut near = VecDeque::new();
    while let Some(state) = pending.pop() {
        if distances.insert(state.clone(), None).is_some() {
            continue;
        }
        if distances.len() > most_states {
            return None;
        }
        steps.clear();
        system.successors(&state, &NoRegion, &mut scratch, &mut steps);
        if !steps.findings().is_empty() {
            near.push_back((state.clone(), 0));
        }
        for index in 0..steps.len() {
            let next = steps.state(index).to_vec();
            parents.entry(next.clone()).or_default().push(state.clone());
            pending.push(next);
        }
    }
    while let Some((state, distance)) = near.pop_front() {
        if distances[&state].is_some() {
            continue;
        }
        let before = parents.get(&state).cloned().unwrap_or_default();
        near.extend(before.into_iter().map(|parent| (parent, distance + 1)));
        distances.insert(state, Some(distance));
    }
    Some(distances)
}

pub(crate) const COUNTERS: &str = "byte x, y; chan c = [2] of { byte };
    proctype q(byte n) { atomic { x < 5 -> x++; y = n }; here: c!x; d_step { skip; y = 7 }; there: skip }
    active proctype p() { byte m; run q(3); do :: c?m; assert(m != 3) :: x = (x + 1) % 4 :: y > 0 -> y--;  x = 0 od }";

#[test]
fn a_lower_bound_is_never_more_than_the_distance() {
    for reach in [None, Some("q:there && y == 2"), Some("q@here || y == 9"), Some("x == 3 && len(c) == 1")] {
        let reach = reach.map(|text| text.replace("q:", "q@"));
        let (model, property) = model(COUNTERS, reach.as_deref());
        let local = ModelHeuristic::new(&model, &[property], Kind::Local).unwrap();
        assert!(local.is_lower_bound());
        let distances = distances(&model, property);
        assert!(distances.values().flatten().count() > 10, "{reach:?}");
        let mut largest = 0;
        for (state, distance) in distances {
            let estimate = local.estimate(&state, &NoRegion);
            assert!(
                distance.is_none_or(|distance| estimate <= distance),
                "{reach:?}: {estimate} {distance:?}"
            );
            largest = largest.max(estimate);
        }
        assert!(largest > 0);
    }
}

#[test]
fn a_goal_has_no_formula_distance_and_other_states_have_some() {
    for kind in [Kind::Formula, Kind::Wrong] {
        let (model, property) = model(COUNTERS, Some("q@there && y == 2"));
        let heuristic = ModelHeuristic::new(&model, &[property], kind).unwrap();
        for (state, distance) in distances(&model, property) {
            let estimate = heuristic.estimate(&state, &NoRegion);
            assert_eq!(estimate == 0, distance == Some(0), "{kind:?} {distance:?}");
        }
    }
}

#[test]
fn numbers_that_are_names_are_counted_and_others_measured() {
    let (model, property) = model(
        "byte a = 9, b = 1; active proctype p() { skip; a == 2 && b == 1; skip; done: false }",
        Some("p@done"),
    );
    let estimate = |kind| {
        let heuristic = ModelHeuristic::new(&model, &[property], kind).unwrap();
        let mut steps = Steps::new();
        let interpreter = Interpreter::new(&model, &[]);
        interpreter.initial(&mut interpreter.scratch(), &mut steps);
        heuristic.estimate(steps.state(0), &NoRegion)
    };
    // Three steps, and what the guard on the way lacks.
    assert_eq!([Kind::Local, Kind::Wrong, Kind::Formula].map(estimate), [3, 3 + 1, 3 + 7]);
}

#[test]
fn a_trap_and_blocked_processes_guide_to_deadlocks() {
    let text = "chan r = [0] of { byte }; byte x; bit fork;
        active proctype p() { do :: d_step { x < 3 -> x++ } :: x == 3 -> break od; stuck: false }
        active proctype q() { fork == 1; r!1 }
        active proctype s() { r?1 }";
    let (model, _) = model(text, Some("true"));
    let deadlock = model.properties.iter().position(|property| property.name == "deadlock").unwrap().into();
    let formula = ModelHeuristic::new(&model, &[deadlock], Kind::Formula).unwrap();
    let blocked = ModelHeuristic::new(&model, &[deadlock], Kind::Blocked).unwrap();
    assert!(ModelHeuristic::new(&model, &[deadlock], Kind::Local).is_none());
    for (state, distance) in distances(&model, deadlock) {
        let distance = distance.unwrap();
        // The loop is the first step away from the trap, and every increment is one more.
        assert_eq!(formula.estimate(&state, &NoRegion), distance);
        assert_eq!(blocked.estimate(&state, &NoRegion), u32::from(distance > 0));
    }
}

#[test]
fn a_view_gives_the_values_of_the_interpreter() {
    let texts = [
        "x * 100 - y / 2 + (y % 3 << 2 >> 1)",
        "(x | y) & 6 ^ y",
        "-x + ~y",
        "x < y || y >= 3 && !(x == 2)",
        "(x > 1 -> y : len(c))",
        "empty(c) + nfull(c) * 2 + (x != y)",
        "q@here + q[1]:n * 3 + p:m",
        "_nr_pr * 1000 + (x <= 3)",
        "z[x % 3] + z[1]",
    ];
    let mut n_compared = 0;
    for text in texts {
        let declared = format!("byte z[3] = 4; {COUNTERS}");
        let (model, property) = model(&declared, Some(text));
        let Question::Reach(expr) = &model.properties[property.index()].question else { unreachable!() };
        let interpreter = Interpreter::new(&model, &[]);
        let mut scratch = interpreter.scratch();
        for state in distances(&model, property).keys() {
            let expected = interpreter.evaluate(&mut scratch, state, expr).ok();
            let view = View::new(&model, interpreter.layout(), state);
            assert_eq!(view.value(expr, None), expected, "{text}");
            n_compared += 1;
        }
    }
    assert!(n_compared > 500, "{n_compared}");
}

#[test]
fn a_cost_is_the_value_of_an_expression() {
    let (model, property) = model(COUNTERS, Some("x - 2"));
    let Question::Reach(expr) = &model.properties[property.index()].question else { unreachable!() };
    let cost = ModelHeuristic::cost(&model, expr.clone());
    let values: Vec<u32> =
        distances(&model, property).keys().map(|state| cost.estimate(state, &NoRegion)).collect();
    assert!(values.contains(&0) && values.contains(&1) && values.iter().all(|&value| value <= 3));
    assert!(!cost.is_lower_bound());
}
