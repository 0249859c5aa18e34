//! Testers against small tables of transitions: what passes is a run of the model, what fails is none.

use std::collections::BTreeSet;

use fathom_coverage::{Coverage, Pattern, parse_criterion};
use fathom_search::Random;
use fathom_source::SourceMap;
use proptest::prelude::*;
use proptest::strategy::Strategy;

use crate::*;

/// Transitions between numbered states, from 0 on. `a`, `b`, `c` are controllable, `x` and `y` observable, `i` internal, `p` unsent, `t` time.
#[derive(Clone, Debug)]
struct Table(Vec<(u8, char, u8)>);

fn role(letter: char) -> Role {
    match letter {
        'x' | 'y' => Role::Observable,
        'i' => Role::Internal,
        'p' => Role::Unsent,
        't' => Role::Time,
        _ => Role::Controllable,
    }
}

impl TestModel for Table {
    fn initial(&self) -> Vec<State> {
        vec![[0].into()]
    }

    fn steps(&self, state: &[u8]) -> Vec<ModelStep> {
        let here = self.0.iter().filter(|(from, ..)| [*from] == *state);
        here.map(|(_, letter, to)| ModelStep {
            action: Action::new(&letter.to_string()),
            role: role(*letter),
            target: [*to].into(),
        })
        .collect()
    }

    fn variables(&self, state: &[u8]) -> Vec<(String, String)> {
        vec![("at".to_owned(), state[0].to_string())]
    }

    fn may_end(&self, state: &[u8]) -> bool {
        state == [0]
    }

    fn is_timed(&self) -> bool {
        self.0.iter().any(|(_, letter, _)| *letter == 't')
    }
}

/// An implementation that does what a table says, and chooses at random where the table leaves a choice.
struct Machine {
    table: Table,
    at: u8,
    random: Random,
}

impl Machine {
    fn new(table: &Table, seed: u64) -> Embedded<Machine> {
        Embedded(Machine { table: table.clone(), at: 0, random: Random::new(seed) })
    }

    fn go(&mut self, is_wanted: impl Fn(char) -> bool) -> Option<char> {
        let here: Vec<_> =
            self.table.0.iter().filter(|(from, letter, _)| *from == self.at && is_wanted(*letter)).collect();
        let (_, letter, to) = here.get(self.random.below(here.len().max(1)))?;
        self.at = *to;
        Some(*letter)
    }
}

impl Implementation for Machine {
    fn reset(&mut self) {
        self.at = 0;
    }

    fn perform(&mut self, action: &Action) -> Result<Vec<Action>, String> {
        loop {
            if self.go(|letter| letter.to_string() == action.key()).is_some() {
                return Ok(Vec::new());
            }
            if self.go(|letter| letter == 'i').is_none() {
                return Err("not now".to_owned());
            }
        }
    }

    fn act(&mut self) -> Option<Action> {
        loop {
            match self.go(|letter| matches!(letter, 'x' | 'y' | 'i'))? {
                'i' => (),
                letter => return Some(Action::new(&letter.to_string())),
            }
        }
    }

    fn tick(&mut self) -> Vec<Action> {
        self.go(|letter| letter == 't');
        Vec::new()
    }
}

/// The states after a log, by the book: none left means that it is no run of the table.
fn states_after(table: &Table, entries: &[Entry]) -> BTreeSet<u8> {
    let step = |states: &BTreeSet<u8>, letter: char| -> BTreeSet<u8> {
        let taken = table.0.iter().filter(|(from, by, _)| states.contains(from) && *by == letter);
        taken.map(|(.., to)| *to).collect()
    };
    let close = |mut states: BTreeSet<u8>| loop {
        let more = step(&states, 'i');
        if more.is_subset(&states) {
            return states;
        }
        states.extend(more);
    };
    let mut states = close(BTreeSet::from([0]));
    for entry in entries {
        states = match entry {
            Entry::Did { action, .. } | Entry::Observed { action, .. } => {
                close(step(&states, action.key().chars().next().unwrap()))
            }
            Entry::Silence => {
                let busy = |at: &u8| table.0.iter().any(|(from, by, _)| from == at && "xyi".contains(*by));
                states.into_iter().filter(|at| !busy(at)).collect()
            }
            Entry::Tick => close(step(&states, 't')),
        };
    }
    states
}

fn table() -> impl Strategy<Value = Table> {
    let letter = prop_oneof![2 => Just('a'), 2 => Just('b'), 1 => Just('x'), 1 => Just('y'), 1 => Just('i')];
    proptest::collection::vec((0..6u8, letter, 0..6u8), 1..20).prop_map(|mut transitions| {
        // No loops of internal steps, where an implementation might turn for ever.
        transitions.retain(|(from, letter, to)| *letter != 'i' || from < to);
        Table(transitions)
    })
}

fn strategies() -> [crate::Strategy; 4] {
    [
        crate::Strategy::Random,
        crate::Strategy::LeastVisited,
        crate::Strategy::Coverage { depth: 3 },
        crate::Strategy::Guided { most_states: 100 },
    ]
}

fn tracker(explored: &Explored<'_>, goal: &str) -> Tracker {
    let mut sources = SourceMap::new();
    let file = sources.add("<goal>", goal);
    let criterion = parse_criterion(file, &sources).unwrap();
    Tracker::new(Coverage::new(&criterion, &universe(explored, 1000, true)).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn an_implementation_that_does_what_the_model_says_passes(table in table(), seed in 0..1000u64) {
        let explored = Explored::new(&table);
        for strategy in strategies() {
            let mut tracker = (!table.0.is_empty()).then(|| tracker(&explored, "states .*"));
            let options = TestOptions { runs: 3, steps: 30, seed, strategy, ..TestOptions::default() };
            let report =
                test(&explored, &mut Machine::new(&table, seed), &options, tracker.as_mut(), &mut ());
            prop_assert_eq!(&report.verdict, &TestVerdict::Pass);
            for run in &report.runs {
                prop_assert!(!states_after(&table, &run.entries).is_empty());
            }
        }
    }

    #[test]
    fn what_fails_is_no_run_of_the_model(
        model in table(), change in 0..20usize, to in 0..6u8, letter in 0..5usize, seed in 0..1000u64,
    ) {
        let mut wrong = model.clone();
        let n = wrong.0.len();
        if n == 0 { return Ok(()) }
        let from = wrong.0[change % n].0;
        let letter = ['a', 'b', 'x', 'y', 'i'][letter];
        prop_assume!(letter != 'i' || from < to);
        wrong.0[change % n] = (from, letter, to);
        let explored = Explored::new(&model);
        let options = TestOptions { runs: 3, steps: 40, seed, ..TestOptions::default() };
        let report = test(&explored, &mut Machine::new(&wrong, seed), &options, None, &mut ());
        let last = &report.runs.last().unwrap().entries;
        match &report.verdict {
            TestVerdict::Pass => prop_assert!(!states_after(&model, last).is_empty()),
            TestVerdict::Fail(Failure::Refused { .. }) => {
                prop_assert!(!states_after(&model, last).is_empty(), "the model allows what was refused");
            }
            TestVerdict::Fail(_) => {
                prop_assert!(states_after(&model, last).is_empty());
                prop_assert!(!states_after(&model, &last[..last.len() - 1]).is_empty());
            }
            TestVerdict::Inconclusive(why) => prop_assert!(false, "{}", why),
        }
    }
}

#[test]
fn silence_is_a_failure_where_something_has_to_happen() {
    let model = Table(vec![(0, 'a', 1), (1, 'x', 0)]);
    let explored = Explored::new(&model);
    let silent = Table(vec![(0, 'a', 1)]);
    let report = test(&explored, &mut Machine::new(&silent, 1), &TestOptions::default(), None, &mut ());
    assert_eq!(report.verdict.failure().map(Failure::kind), Some("missing"));
    assert_eq!(report.runs[0].entries.last(), Some(&Entry::Silence));
}

#[test]
fn silence_tells_states_apart() {
    // After `a` either `x` follows or nothing, and `b` is possible only where nothing follows.
    let model = Table(vec![(0, 'a', 1), (0, 'a', 2), (1, 'x', 0), (2, 'b', 0)]);
    let explored = Explored::new(&model);
    let quiet = Table(vec![(0, 'a', 2), (2, 'b', 0)]);
    let options = TestOptions { steps: 50, ..TestOptions::default() };
    let report = test(&explored, &mut Machine::new(&quiet, 1), &options, None, &mut ());
    assert_eq!(report.verdict, TestVerdict::Pass);
    let did_b = |entry: &Entry| matches!(entry, Entry::Did { action, .. } if action.key() == "b");
    assert!(report.runs[0].entries.iter().any(did_b), "silence has told that `b` is possible");
}

#[test]
fn time_may_not_pass_a_deadline() {
    let model = Table(vec![(0, 'a', 1), (1, 't', 2), (2, 'x', 0)]);
    let explored = Explored::new(&model);
    let report = test(&explored, &mut Machine::new(&model, 1), &TestOptions::default(), None, &mut ());
    assert_eq!(report.verdict, TestVerdict::Pass);
    let late = Table(vec![(0, 'a', 1), (1, 't', 2), (2, 't', 3), (3, 'x', 0)]);
    let report = test(&explored, &mut Machine::new(&late, 1), &TestOptions::default(), None, &mut ());
    assert_eq!(report.verdict.failure().map(Failure::kind), Some("missing"));
    let early = Table(vec![(0, 'a', 1), (1, 'x', 0)]);
    let report = test(&explored, &mut Machine::new(&early, 1), &TestOptions::default(), None, &mut ());
    assert_eq!(report.verdict.failure().map(Failure::kind), Some("unexpected"));
}

#[test]
fn states_that_time_alone_leads_to_are_visited_and_looked_for() {
    // Only three units of time in a row lead to the last state, and time is no step.
    let waits = [(1, 't', 2), (2, 't', 3), (3, 't', 4)];
    let back = (1..5).map(|at| (at, 'b', 0));
    let model = Table([(0, 'a', 1)].into_iter().chain(waits).chain(back).collect());
    let explored = Explored::new(&model);
    for strategy in strategies() {
        let mut tracker = tracker(&explored, "states .* and any value >= 1 for sysvars steps");
        let options = TestOptions { strategy, stops_when_covered: true, ..TestOptions::default() };
        let report = test(&explored, &mut Machine::new(&model, 1), &options, Some(&mut tracker), &mut ());
        assert_eq!(report.verdict, TestVerdict::Pass);
        let n_steps = report.covered_after.expect("all states are reached");
        if matches!(strategy, crate::Strategy::Coverage { .. } | crate::Strategy::Guided { .. }) {
            assert_eq!(n_steps, 1, "{strategy:?}: one action, then time");
        }
    }
}

#[test]
fn runs_are_led_to_where_they_may_end() {
    let model = Table(vec![(0, 'a', 1), (1, 'b', 1), (1, 'c', 0)]);
    let explored = Explored::new(&model);
    let cleanup = vec![Pattern::new("c").unwrap()];
    let end = EndRule { must_be_allowed: true, cleanup };
    let options = TestOptions { runs: 20, steps: 7, end, ..TestOptions::default() };
    let report = test(&explored, &mut Machine::new(&model, 1), &options, None, &mut ());
    assert_eq!(report.verdict, TestVerdict::Pass);
    assert!(report.runs.iter().all(|run| states_after(&model, &run.entries) == BTreeSet::from([0])));
    let end = EndRule { must_be_allowed: true, cleanup: Vec::new() };
    let options = TestOptions { end, ..options };
    let report = test(&explored, &mut Machine::new(&model, 1), &options, None, &mut ());
    assert!(matches!(report.verdict, TestVerdict::Inconclusive(_)), "{:?}", report.verdict);
}

/// A long corridor with many ways back: `x` after ten times `a`.
fn corridor() -> Table {
    let ahead = (0..10).map(|at| (at, 'a', at + 1));
    let back = (1..10).map(|at| (at, 'b', 0));
    Table(ahead.chain(back).chain([(10, 'x', 0)]).collect())
}

#[test]
fn guidance_gets_where_chance_does_not() {
    let model = corridor();
    let explored = Explored::new(&model);
    let steps = |strategy| {
        let mut tracker = tracker(&explored, "action x and states .*");
        let options = TestOptions {
            steps: 3000,
            strategy,
            stops_when_covered: true,
            needs_goal: true,
            ..TestOptions::default()
        };
        let report = test(&explored, &mut Machine::new(&model, 1), &options, Some(&mut tracker), &mut ());
        (report.verdict.name(), report.covered_after.unwrap_or(usize::MAX))
    };
    let [random, least, coverage, guided] = strategies().map(steps);
    assert_eq!(guided, ("pass", 11), "the shortest way there is");
    assert_eq!(coverage, ("pass", 11));
    assert!(random.1 > 100 && least.1 > 100, "{random:?} {least:?}");
}

#[test]
fn a_failing_run_is_made_as_short_as_it_can_be() {
    let model = corridor();
    let explored = Explored::new(&model);
    let mut wrong = corridor();
    // After `b` in state 2 there is no `a` any more.
    wrong.0.retain(|(from, letter, _)| (*from, *letter) != (2, 'b'));
    wrong.0.push((2, 'b', 20));
    let options = TestOptions { steps: 500, seed: 3, ..TestOptions::default() };
    let report = test(&explored, &mut Machine::new(&wrong, 1), &options, None, &mut ());
    let failed = report.runs.last().unwrap();
    assert_eq!(failed.verdict.name(), "fail");
    let shortened = shorten(&explored, &mut Machine::new(&wrong, 1), failed, 500, &mut ()).unwrap();
    assert!(shortened.is_minimal);
    let did: Vec<String> = stimuli(&shortened.log.entries)
        .iter()
        .filter_map(|stimulus| match stimulus {
            Stimulus::Do(action) => Some(action.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(did, ["a", "a", "b", "a"]);
    let again = replay(&explored, &mut Machine::new(&wrong, 1), &shortened.log);
    assert_eq!(
        again.verdict.failure().map(Failure::kind),
        shortened.log.verdict.failure().map(Failure::kind)
    );
}

#[test]
fn plans_are_not_sent() {
    let model = Table(vec![(0, 'p', 1), (1, 'a', 0)]);
    let explored = Explored::new(&model);
    let options = TestOptions { steps: 20, ..TestOptions::default() };
    let only_a = Table(vec![(0, 'a', 0)]);
    let report = test(&explored, &mut Machine::new(&only_a, 1), &options, None, &mut ());
    assert_eq!(report.verdict, TestVerdict::Pass);
    let sent =
        report.runs[0].entries.iter().filter(|entry| matches!(entry, Entry::Did { is_sent: true, .. }));
    assert_eq!(sent.count(), 10);
}

/// Says `x` before it hears of what is sent to it.
struct Crossing {
    is_refusing: bool,
}

impl Stepper for Crossing {
    fn reset(&mut self) -> Result<(), Broken> {
        Ok(())
    }
    fn perform(&mut self, _: &Action) -> Result<Answer, Broken> {
        let outcome = if self.is_refusing {
            Outcome::Refused("too late".to_owned())
        } else {
            Outcome::Done(Vec::new())
        };
        Ok(Answer { earlier: vec![Action::new("x")], outcome })
    }
    fn poll(&mut self) -> Result<Heard, Broken> {
        Ok(None)
    }
    fn wait(&mut self) -> Result<Heard, Broken> {
        Ok(None)
    }
    fn tick(&mut self) -> Result<Ticked, Broken> {
        Ok(Ticked::Passed(Vec::new()))
    }
}

#[test]
fn an_observation_that_crosses_an_action_may_come_before_or_after_it() {
    let verdict = |transitions: &[(u8, char, u8)], is_refusing| {
        let model = Table(transitions.to_vec());
        let explored = Explored::new(&model);
        let script = [Stimulus::Do(Action::new("a"))];
        follow(&explored, &mut Crossing { is_refusing }, &script).verdict.name()
    };
    let before = [(0, 'a', 9), (0, 'x', 1), (1, 'a', 2)];
    let after = [(0, 'a', 1), (1, 'x', 2)];
    let neither = [(0, 'a', 1), (1, 'y', 2)];
    assert_eq!(verdict(&before, false), "pass");
    assert_eq!(verdict(&after, false), "pass");
    assert_eq!(verdict(&neither, false), "fail");
    assert_eq!(verdict(&before, true), "fail", "it is still possible after `x`");
    assert_eq!(verdict(&[(0, 'a', 9), (0, 'x', 1)], true), "pass", "`x` has made it impossible");
}

#[test]
fn use_cases_are_expanded_to_runs() {
    let model = corridor();
    let explored = Explored::new(&model);
    let events =
        |words: &[&str]| -> Vec<Pattern> { words.iter().map(|word| Pattern::new(word).unwrap()).collect() };
    let Expansion::Run(actions) = expand(&explored, &events(&["b", "x"]), 1000) else { panic!("possible") };
    assert_eq!(actions.len(), 13);
    assert_eq!(actions.iter().filter(|(_, is_event)| *is_event).count(), 2);
    assert_eq!(expand(&explored, &events(&["b", "y"]), 1000), Expansion::Impossible(1));
    assert_eq!(expand(&explored, &events(&["x"]), 3), Expansion::TooFar(0));
}
