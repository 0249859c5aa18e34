//! Random criteria on random executions: the incremental evaluation against the meaning, and the laws of the source.

use fathom_source::SourceMap;
use proptest::prelude::*;

use crate::reference::{self, Event};
use crate::*;

const ACTIONS: [&str; 4] = ["a", "b(1)", "b(2)", "c"];
const PATTERNS: [&str; 6] = ["a", "b", "b.1.", "c|d", ".*", "e"];

fn elementary() -> impl Strategy<Value = Criterion> {
    let kinds = prop_oneof![
        4 => Just(Kind::Actions),
        1 => Just(Kind::States),
        1 => Just(Kind::Transitions),
        1 => Just(Kind::SystemVariables)
    ];
    (any::<bool>(), 1u32..4, kinds, proptest::collection::vec(0..PATTERNS.len(), 1..3)).prop_map(
        |(is_every, least, kind, patterns)| {
            let quantifier = if is_every { Quantifier::Every } else { Quantifier::Any };
            let patterns = patterns.into_iter().map(|place| Pattern::new(PATTERNS[place]).unwrap()).collect();
            Criterion::Elementary(Elementary { quantifier, least, kind, patterns, span: None })
        },
    )
}

fn criterion() -> impl Strategy<Value = Criterion> {
    elementary().prop_recursive(4, 12, 2, |inner| {
        let join = prop_oneof![Just(Join::And), Just(Join::Or), Just(Join::Then)];
        (inner.clone(), join, inner).prop_map(|(left, join, right)| left.joined(join, right))
    })
}

fn event() -> impl Strategy<Value = Event> {
    let kinds = [Kind::Actions, Kind::States, Kind::Transitions];
    let item = (0..3usize, 0..6usize).prop_map(move |(kind, place)| {
        // The last two are in no universe.
        let text = ACTIONS.get(place).copied().unwrap_or(["d", "e"][place % 2]);
        (kinds[kind], text.to_owned())
    });
    let value = (prop_oneof![Just("a"), Just("c"), Just("e")], -1i64..5);
    let values = proptest::collection::vec(value.prop_map(|(name, value)| (name.to_owned(), value)), 0..2);
    (proptest::collection::vec(item, 0..3), values).prop_map(|(items, values)| Event { items, values })
}

fn execution() -> impl Strategy<Value = Vec<Event>> {
    proptest::collection::vec(event(), 0..25)
}

fn universe() -> Universe {
    let kinds = [Kind::Actions, Kind::States, Kind::Transitions, Kind::SystemVariables];
    let all = kinds.into_iter().flat_map(|kind| ACTIONS.map(|item| (kind, item.to_owned())));
    Universe { items: all.collect(), is_complete: false }
}

/// None where a query matches nothing.
fn coverage_of(criterion: &Criterion) -> Option<Coverage> {
    Coverage::new(criterion, &universe()).ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn rates_are_those_of_the_meaning_after_every_event(criterion in criterion(), execution in execution()) {
        let Some(mut coverage) = coverage_of(&criterion) else { return Ok(()) };
        let mut before = Rate::NONE;
        for length in 0..=execution.len() {
            if length > 0 {
                let happened = coverage.number(&execution[length - 1]);
                coverage.mark(&happened);
            }
            let expected = reference::rate(&criterion, &universe(), &execution[..length]);
            prop_assert_eq!(coverage.rate(), expected, "{} after {}", criterion, length);
            let is_complete = criterion.leaves().iter().all(|leaf| leaf.quantifier == Quantifier::Any);
            prop_assert!(!is_complete || before <= expected, "rates of `any` never fall");
            before = expected;
        }
    }

    #[test]
    fn a_trial_that_is_taken_back_leaves_no_trace(
        criterion in criterion(),
        execution in execution(),
        trials in proptest::collection::vec(execution(), 0..25),
    ) {
        let Some(mut coverage) = coverage_of(&criterion) else { return Ok(()) };
        for (place, event) in execution.iter().enumerate() {
            if let Some(trial) = trials.get(place) {
                let (rate, progress) = (coverage.rate(), coverage.progress());
                let half = trial.len() / 2;
                coverage.push();
                for (index, event) in trial.iter().enumerate() {
                    if index == half {
                        coverage.push();
                    }
                    let happened = coverage.number(event);
                    coverage.mark(&happened);
                }
                if !trial.is_empty() {
                    coverage.pop();
                }
                coverage.pop();
                prop_assert_eq!(coverage.rate(), rate);
                prop_assert_eq!(coverage.progress(), progress);
            }
            let happened = coverage.number(event);
            coverage.mark(&happened);
        }
        prop_assert_eq!(coverage.rate(), reference::rate(&criterion, &universe(), &execution));
    }

    #[test]
    fn and_or_and_then_obey_the_laws_of_the_source(
        a in criterion(), b in criterion(), c in criterion(), execution in execution(),
    ) {
        let rate = |criterion: Criterion| reference::rate(&criterion, &universe(), &execution);
        let join = |left: &Criterion, join, right: &Criterion| left.clone().joined(join, right.clone());
        for (one, other) in [(Join::And, Join::Or), (Join::Or, Join::And)] {
            prop_assert_eq!(rate(join(&a, one, &a)), rate(a.clone()));
            prop_assert_eq!(rate(join(&a, one, &b)), rate(join(&b, one, &a)));
            prop_assert_eq!(rate(join(&a, one, &join(&b, one, &c))), rate(join(&join(&a, one, &b), one, &c)));
            let distributed = join(&join(&a, one, &b), other, &join(&a, one, &c));
            prop_assert_eq!(rate(join(&a, one, &join(&b, other, &c))), rate(distributed));
            let then = join(&join(&a, Join::Then, &b), one, &join(&a, Join::Then, &c));
            prop_assert_eq!(rate(join(&a, Join::Then, &join(&b, one, &c))), rate(then), "`then` distributes from the left");
        }
    }

    #[test]
    fn what_is_written_is_read_again(criterion in criterion()) {
        let mut sources = SourceMap::new();
        let file = sources.add("<goal>", criterion.to_string());
        prop_assert_eq!(parse_criterion(file, &sources).unwrap(), criterion);
    }

    #[test]
    fn any_text_is_read_or_refused_with_a_place(text in "[ a-z()\"\\\\>=0-9.*|#]{0,40}") {
        let mut sources = SourceMap::new();
        let file = sources.add("<goal>", text.clone());
        if let Err(problem) = parse_criterion(file, &sources) {
            let span = problem.primary.unwrap().span;
            prop_assert!(span.start <= span.end && span.end as usize <= text.len());
        }
        let _ = parse_use_cases(file, &sources);
    }
}

#[test]
fn the_example_of_the_source_gives_one_half() {
    let mut sources = SourceMap::new();
    let file = sources.add("<goal>", "every value >= 1 for actions a b.1.");
    let criterion = parse_criterion(file, &sources).unwrap();
    let mut coverage = Coverage::new(&criterion, &universe()).unwrap();
    let event = Event { items: vec![(Kind::Actions, "a".to_owned())], values: Vec::new() };
    let happened = coverage.number(&event);
    (0..3).for_each(|_| coverage.mark(&happened));
    assert_eq!(coverage.rate(), Rate::of(1, 2));
    assert_eq!(coverage.details()[0].2, ["b(1)"]);
}

#[test]
fn a_query_that_matches_nothing_is_an_error() {
    let mut sources = SourceMap::new();
    let file = sources.add("<goal>", "action a and actions zzz");
    let criterion = parse_criterion(file, &sources).unwrap();
    let problems = Coverage::new(&criterion, &universe()).unwrap_err();
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].primary.as_ref().unwrap().span.start, 13);
}
