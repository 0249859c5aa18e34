//! Tests that fulfil a criterion of the coverage language (Katara and Kervinen, HVC 2006).
//!
//! A criterion counts: executions of actions and transitions, visits of states, values of variables. So it is no set of goals, and the searches are of
//! their own kind: from the end of the test at hand breadth-first to the nearest step that brings the criterion nearer, by its rate and, where the rate stays as it is,
//! by the progress of its parts; then on from there. When nothing that can be reached helps, another test begins; when nothing helps from the beginning either, and the
//! search saw everything, more than that cannot be fulfilled.

use std::collections::{HashMap, VecDeque};

use fathom_coverage::{Coverage, Criterion, Kind, Rate, Universe, reference::Event};
use fathom_model::{Steps, Stop, System};
use fathom_search::{Monitor, Progress};
use fathom_source::Diagnostic;

use crate::generate::{Test, TestStatistics, is_final};
use crate::numbering::Numbering;

/// Variables by name, as a person would write them.
type Variables = Vec<(String, String)>;

/// How a system is told in the words of criteria.
pub struct Told<'a, L> {
    /// The actions of a label, in order.
    pub actions: &'a dyn Fn(&L) -> Vec<String>,
    /// The variables of the explicit part of a state, by name, as a person would write them.
    pub variables: &'a dyn Fn(&[u8]) -> Variables,
}

impl<L> Clone for Told<'_, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L> Copy for Told<'_, L> {}

impl<L> std::fmt::Debug for Told<'_, L> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Told").finish_non_exhaustive()
    }
}

/// Tests for a criterion, and how far they get.
#[derive(Clone, Debug)]
pub struct CriterionTests {
    /// The tests; what they reach beside the criterion is not counted.
    pub tests: Vec<Test>,
    /// How much of the criterion they fulfil together.
    pub rate: Rate,
    /// By elementary criterion: text, rate, what is missing.
    pub parts: Vec<(String, Rate, Vec<String>)>,
    /// Why there is no more: [`Stop::Found`] when all is fulfilled, [`Stop::Exhausted`] when more cannot be.
    pub stop: Stop,
    /// What there is to cover, as far as it was looked for.
    pub universe: Universe,
    /// What it cost.
    pub statistics: TestStatistics,
}

/// States between questions whether to stop.
const BETWEEN_POLLS: usize = 1000;

/// States of a search that has no other limit.
const MOST_STATES: usize = 1_000_000;

/// Finds tests for a criterion. What there is to cover is read off the first `n_looked` states.
///
/// # Errors
///
/// What is wrong with the criterion: a query that matches nothing.
pub fn cover_criterion<S: System>(
    system: &S,
    told: Told<'_, S::Label>,
    criterion: &Criterion,
    n_looked: usize,
    max_states: Option<u64>,
    monitor: &mut dyn Monitor,
) -> Result<CriterionTests, Vec<Diagnostic>> {
    let asks_states = criterion.leaves().iter().any(|leaf| leaf.kind != Kind::Actions);
    let mut teller = Teller { told, asks_states, texts: HashMap::new() };
    let universe = look(system, &mut teller, n_looked);
    let coverage = Coverage::new(criterion, &universe)?;
    let max_states = max_states.map_or(MOST_STATES, |most| most as usize);
    let mut covering = Covering {
        system,
        teller,
        coverage,
        max_states,
        n_steps: 0,
        tests: Vec::new(),
        statistics: TestStatistics::default(),
        place: None,
    };
    let stop = covering.run(monitor);
    Ok(CriterionTests {
        rate: covering.coverage.rate(),
        parts: covering.coverage.details(),
        tests: covering.tests,
        statistics: covering.statistics,
        stop,
        universe,
    })
}

/// A test that was followed: its states, each with the labels of the step that led there.
pub type FollowedTest<L> = Vec<(Vec<u8>, Vec<L>)>;

/// The events of tests that were followed, in their order: states and labels of each visit of each test. What the rate is counted from again.
pub fn events_of<L>(told: Told<'_, L>, tests: &[FollowedTest<L>]) -> Vec<Event> {
    let mut teller = Teller { told, asks_states: true, texts: HashMap::new() };
    let (mut events, mut n_steps) = (Vec::new(), 0);
    for (number, test) in tests.iter().enumerate() {
        let mut before: Option<&[u8]> = None;
        for (state, labels) in test {
            match before {
                None => events.push(teller.arrival(state, n_steps, number as i64 + 1)),
                Some(before) => {
                    n_steps += 1;
                    events.push(teller.step(before, labels, state, n_steps, number as i64 + 1));
                }
            }
            before = Some(state);
        }
    }
    events
}

/// A state in words, and the variables that are numbers.
type StateText = (String, Vec<(String, i64)>);

/// Tells events.
struct Teller<'a, L> {
    told: Told<'a, L>,
    asks_states: bool,
    /// Texts and numbers of states.
    texts: HashMap<Vec<u8>, StateText>,
}

fn number(value: &str) -> Option<i64> {
    match value {
        "true" => Some(1),
        "false" => Some(0),
        digits => digits.parse().ok(),
    }
}

impl<L> Teller<'_, L> {
    fn text(&mut self, state: &[u8]) -> &StateText {
        if !self.texts.contains_key(state) {
            let variables = (self.told.variables)(state);
            let words: Vec<String> =
                variables.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            let numbers = variables.into_iter().filter_map(|(name, value)| Some((name, number(&value)?)));
            self.texts.insert(state.to_vec(), (words.join(", "), numbers.collect()));
        }
        &self.texts[state]
    }

    fn arrival(&mut self, state: &[u8], n_steps: i64, n_tests: i64) -> Event {
        let mut event = Event::default();
        if self.asks_states {
            let (text, numbers) = self.text(state);
            event.items.push((Kind::States, text.clone()));
            event.values.clone_from(numbers);
            event.values.push(("steps".to_owned(), n_steps));
            event.values.push(("runs".to_owned(), n_tests));
        }
        event
    }

    fn step(&mut self, from: &[u8], labels: &[L], to: &[u8], n_steps: i64, n_tests: i64) -> Event {
        let mut event = self.arrival(to, n_steps, n_tests);
        let actions: Vec<String> = labels.iter().flat_map(|label| (self.told.actions)(label)).collect();
        if self.asks_states {
            let (from, to) = (self.text(from).0.clone(), self.text(to).0.clone());
            event.items.push((Kind::Transitions, format!("{from} -> {} -> {to}", actions.join(" | "))));
        }
        event.items.extend(actions.into_iter().map(|action| (Kind::Actions, action)));
        event
    }
}

/// What there is in the first states.
fn look<S: System>(system: &S, teller: &mut Teller<'_, S::Label>, most: usize) -> Universe {
    let mut universe = Universe { is_complete: true, ..Universe::default() };
    let mut add = |event: Event| {
        universe.items.extend(event.items);
        universe.items.extend(event.values.into_iter().map(|(name, _)| (Kind::SystemVariables, name)));
    };
    let mut known = Numbering::new();
    for state in known.initial(system) {
        add(teller.arrival(&known.states[state].0, 0, 0));
    }
    let (mut scratch, mut steps) = (system.scratch(), Steps::recording());
    let mut next = 0;
    while next < known.states.len().min(most) {
        steps.clear();
        let (state, region) = known.states[next].clone();
        system.successors(&state, &region, &mut scratch, &mut steps);
        for index in 0..steps.len() {
            add(teller.step(&state, steps.labels(index), steps.state(index), 0, 0));
            known.number(steps.state(index), steps.region(index));
        }
        next += 1;
    }
    universe.is_complete = next == known.states.len();
    universe
}

/// A way that helps: choices, and where they lead.
struct Way<R> {
    initial: u32,
    choices: Vec<u32>,
    state: Vec<u8>,
    region: R,
    events: Vec<Event>,
}

struct Covering<'a, S: System> {
    system: &'a S,
    teller: Teller<'a, S::Label>,
    coverage: Coverage,
    max_states: usize,
    n_steps: i64,
    tests: Vec<Test>,
    statistics: TestStatistics,
    /// Where the test at hand ends.
    place: Option<(Vec<u8>, S::Region)>,
}

impl<S: System> Covering<'_, S> {
    fn run(&mut self, monitor: &mut dyn Monitor) -> Stop {
        loop {
            if self.coverage.rate().is_full() {
                return Stop::Found;
            }
            match self.nearest(monitor) {
                Ok(way) => self.take(way),
                Err(stop) if is_final(stop) => return stop,
                // Another test may get further.
                Err(_) if self.place.take().is_some() => {}
                Err(stop) => return stop,
            }
        }
    }

    fn take(&mut self, way: Way<S::Region>) {
        for event in &way.events {
            let happened = self.coverage.number(event);
            self.coverage.mark(&happened);
        }
        if self.place.is_none() {
            self.tests.push(Test { initial: way.initial, choices: Vec::new(), reached: Vec::new() });
        }
        self.n_steps += way.choices.len() as i64;
        if let Some(test) = self.tests.last_mut() {
            test.choices.extend(way.choices);
        }
        self.place = Some((way.state, way.region));
    }

    /// Whether an event would bring the criterion nearer.
    fn helps(&mut self, event: &Event, before: (Rate, f64)) -> bool {
        let happened = self.coverage.number(event);
        self.coverage.push();
        self.coverage.mark(&happened);
        let (rate, progress) = (self.coverage.rate(), self.coverage.progress());
        self.coverage.pop();
        rate > before.0 || rate == before.0 && progress > before.1
    }

    /// A shortest way to something that helps, or why there is none.
    fn nearest(&mut self, monitor: &mut dyn Monitor) -> Result<Way<S::Region>, Stop> {
        let before = (self.coverage.rate(), self.coverage.progress());
        self.statistics.searches += 1;
        let mut known: Numbering<S::Region> = Numbering::new();
        // By state: the state before, the choice in it, and the event.
        let mut came_from: Vec<Option<(usize, u32, Event)>> = Vec::new();
        let starts = match &self.place {
            Some((state, region)) => vec![known.number(state, region).0],
            None => known.initial(self.system),
        };
        came_from.resize(known.states.len(), None);
        let n_tests = self.tests.len() as i64 + i64::from(self.place.is_none());
        if self.place.is_none() {
            for (index, &state) in starts.iter().enumerate() {
                let event = self.teller.arrival(&known.states[state].0, self.n_steps, n_tests);
                if self.helps(&event, before) {
                    let (state, region) = known.states[state].clone();
                    return Ok(Way {
                        initial: index as u32,
                        choices: Vec::new(),
                        state,
                        region,
                        events: vec![event],
                    });
                }
            }
        }
        let mut open: VecDeque<(usize, i64)> = starts.iter().map(|&state| (state, 0)).collect();
        let (mut scratch, mut steps) = (self.system.scratch(), Steps::recording());
        let (mut n_expanded, mut is_cut) = (0, false);
        while let Some((here, depth)) = open.pop_front() {
            if n_expanded % BETWEEN_POLLS == 0 {
                let (states, pending) = (known.states.len() as u64, open.len() as u64);
                let progress = Progress { states, transitions: 0, depth: depth as u64, pending, bytes: 0 };
                if let Some(stop) = monitor.poll(&progress) {
                    return Err(stop);
                }
            }
            n_expanded += 1;
            self.statistics.states += 1;
            steps.clear();
            let (state, region) = known.states[here].clone();
            self.system.successors(&state, &region, &mut scratch, &mut steps);
            self.statistics.transitions += steps.len() as u64;
            for index in 0..steps.len() {
                let n_steps = self.n_steps + depth + 1;
                let event =
                    self.teller.step(&state, steps.labels(index), steps.state(index), n_steps, n_tests);
                if self.helps(&event, before) {
                    let last = (here, index as u32, event);
                    let (state, region) = (steps.state(index).to_vec(), steps.region(index).clone());
                    return Ok(self.way(&known, &came_from, &starts, last, (state, region)));
                }
                if known.states.len() >= self.max_states {
                    is_cut = true;
                    continue;
                }
                let (target, is_new) = known.number(steps.state(index), steps.region(index));
                if is_new {
                    came_from.push(Some((here, index as u32, event)));
                    open.push_back((target, depth + 1));
                }
            }
        }
        Err(if is_cut { Stop::States } else { Stop::Exhausted })
    }

    fn way(
        &mut self,
        known: &Numbering<S::Region>,
        came_from: &[Option<(usize, u32, Event)>],
        starts: &[usize],
        last: (usize, u32, Event),
        (state, region): (Vec<u8>, S::Region),
    ) -> Way<S::Region> {
        let (mut choices, mut events) = (vec![last.1], vec![last.2]);
        let mut here = last.0;
        while let Some((before, choice, event)) = &came_from[here] {
            choices.push(*choice);
            events.push(event.clone());
            here = *before;
        }
        if self.place.is_none() {
            let n_tests = self.tests.len() as i64 + 1;
            events.push(self.teller.arrival(&known.states[here].0, self.n_steps, n_tests));
        }
        choices.reverse();
        events.reverse();
        let initial = starts.iter().position(|&start| start == here).unwrap_or(0) as u32;
        Way { initial, choices, state, region, events }
    }
}
