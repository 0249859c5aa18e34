//! From steps of a model to events of a coverage criterion.
//!
//! Actions are always known. A state counts as visited, when an action or the passing of time leads to it, and a transition as executed, when
//! the tester knows it: when the model can be in one state only. Time is no action and no step, so nothing but the state counts when it passes. The variables that criteria may speak of are those of the model whose values are numbers or `true` and `false`, and `steps` and
//! `runs` of the test.

use std::collections::VecDeque;

use fathom_coverage::{Coverage, Happened, Item, Kind, Universe};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::action::Action;
use crate::estimate::Estimate;
use crate::explored::Explored;
use crate::model::{Role, State, TestModel};

/// A state in words: its variables, or its bytes if it has none.
pub(crate) fn state_text(model: &dyn TestModel, state: &[u8]) -> String {
    let variables = model.variables(state);
    if variables.is_empty() {
        return state.iter().map(|byte| format!("{byte:02x}")).collect();
    }
    let words: Vec<String> = variables.into_iter().map(|(name, value)| format!("{name} = {value}")).collect();
    words.join(", ")
}

fn transition_text(from: &str, action: &Action, to: &str) -> String {
    format!("{from} -> {action} -> {to}")
}

/// The number that a variable stands for.
fn number(value: &str) -> Option<i64> {
    match value {
        "true" | "True" => Some(1),
        "false" | "False" => Some(0),
        digits => digits.parse().ok(),
    }
}

/// The actions, states and transitions of a model, as far as so many states go.
pub fn universe(explored: &Explored<'_>, most_states: usize, wants_states: bool) -> Universe {
    let mut universe = Universe { is_complete: true, ..Universe::default() };
    for name in ["steps", "runs"] {
        universe.items.insert((Kind::SystemVariables, name.to_owned()));
    }
    let model = explored.model();
    let mut known: FxHashSet<State> = FxHashSet::default();
    let mut open: VecDeque<State> = VecDeque::new();
    for state in model.initial() {
        if known.insert(state.clone()) {
            open.push_back(state);
        }
    }
    if let Some(state) = open.front() {
        let numbers = model.variables(state).into_iter().filter(|(_, value)| number(value).is_some());
        universe.items.extend(numbers.map(|(name, _)| (Kind::SystemVariables, name)));
    }
    while let Some(state) = open.pop_front() {
        let text = if wants_states { state_text(model, &state) } else { String::new() };
        if wants_states {
            universe.items.insert((Kind::States, text.clone()));
        }
        for step in explored.steps(&state).iter() {
            if !matches!(step.role, Role::Internal | Role::Time) {
                universe.items.insert((Kind::Actions, step.action.shown().to_owned()));
                if wants_states {
                    let to = state_text(model, &step.target);
                    universe.items.insert((Kind::Transitions, transition_text(&text, &step.action, &to)));
                }
            }
            if known.contains(&step.target) {
                continue;
            }
            if known.len() >= most_states {
                universe.is_complete = false;
                continue;
            }
            known.insert(step.target.clone());
            open.push_back(step.target.clone());
        }
    }
    universe
}

/// Counts what a test does for a criterion, and can try steps.
#[derive(Debug)]
pub struct Tracker {
    coverage: Coverage,
    wants_states: bool,
    wants_transitions: bool,
    wants_variables: bool,
    states: FxHashMap<State, Item>,
    transitions: FxHashMap<(State, Action, State), Item>,
    variables: FxHashMap<State, Vec<(Item, i64)>>,
    actions: FxHashMap<Action, Item>,
    /// Of the whole test.
    n_steps: i64,
    /// What `n_steps` was when trials began: a trial may be a step, or the passing of time.
    trials: Vec<i64>,
    n_runs: i64,
}

impl Tracker {
    /// Counts for a criterion.
    pub fn new(coverage: Coverage) -> Tracker {
        let asks = |kind| coverage.criterion().asks_for(kind);
        let (states, transitions, variables) =
            (asks(Kind::States), asks(Kind::Transitions), asks(Kind::SystemVariables));
        Tracker {
            coverage,
            wants_states: states,
            wants_transitions: transitions,
            wants_variables: variables,
            states: FxHashMap::default(),
            transitions: FxHashMap::default(),
            variables: FxHashMap::default(),
            actions: FxHashMap::default(),
            n_steps: 0,
            trials: Vec::new(),
            n_runs: 0,
        }
    }

    /// How far the test has got.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// Rate and progress, for comparing.
    pub(crate) fn measure(&self) -> (f64, f64) {
        (self.coverage.rate().to_f64(), self.coverage.progress())
    }

    /// A run begins.
    pub(crate) fn begin_run(&mut self, explored: &Explored<'_>, estimate: &Estimate) {
        self.n_runs += 1;
        let happened = self.arrive(explored, estimate, Happened::default());
        self.coverage.mark(&happened);
    }

    /// An action happened.
    pub(crate) fn step(&mut self, explored: &Explored<'_>, from: &Estimate, action: &Action, to: &Estimate) {
        self.n_steps += 1;
        let happened = self.event(explored, from, action, to);
        self.coverage.mark(&happened);
    }

    /// Time passed.
    pub(crate) fn pass_time(&mut self, explored: &Explored<'_>, to: &Estimate) {
        let happened = self.arrive(explored, to, Happened::default());
        self.coverage.mark(&happened);
    }

    /// Tries a step; [`Tracker::take_back`] undoes it.
    pub(crate) fn try_step(
        &mut self,
        explored: &Explored<'_>,
        from: &Estimate,
        action: &Action,
        to: &Estimate,
    ) {
        self.begin_trial();
        self.step(explored, from, action, to);
    }

    /// Tries the passing of time; [`Tracker::take_back`] undoes it.
    pub(crate) fn try_time(&mut self, explored: &Explored<'_>, to: &Estimate) {
        self.begin_trial();
        self.pass_time(explored, to);
    }

    fn begin_trial(&mut self) {
        self.trials.push(self.n_steps);
        self.coverage.push();
    }

    /// Undoes the last trial.
    pub(crate) fn take_back(&mut self) {
        self.n_steps = self.trials.pop().expect("a trial has begun");
        self.coverage.pop();
    }

    fn event(
        &mut self,
        explored: &Explored<'_>,
        from: &Estimate,
        action: &Action,
        to: &Estimate,
    ) -> Happened {
        let item = match self.actions.get(action) {
            Some(item) => *item,
            None => {
                let item = self.coverage.item(Kind::Actions, action.shown());
                self.actions.insert(action.clone(), item);
                item
            }
        };
        let mut happened = Happened { items: vec![item], values: Vec::new() };
        if let (true, Some(source), Some(target)) = (self.wants_transitions, from.only(), to.only()) {
            let key = (source.clone(), action.clone(), target.clone());
            let item = match self.transitions.get(&key) {
                Some(item) => *item,
                None => {
                    let model = explored.model();
                    let (source, target) = (state_text(model, source), state_text(model, target));
                    let item =
                        self.coverage.item(Kind::Transitions, &transition_text(&source, action, &target));
                    self.transitions.insert(key, item);
                    item
                }
            };
            happened.items.push(item);
        }
        self.arrive(explored, to, happened)
    }

    fn arrive(&mut self, explored: &Explored<'_>, to: &Estimate, mut happened: Happened) -> Happened {
        if self.wants_variables {
            let counted = [("steps", self.n_steps), ("runs", self.n_runs)];
            for (name, value) in counted {
                happened.values.push((self.coverage.item(Kind::SystemVariables, name), value));
            }
        }
        let Some(state) = to.only() else { return happened };
        if self.wants_states {
            let item = match self.states.get(state) {
                Some(item) => *item,
                None => {
                    let item = self.coverage.item(Kind::States, &state_text(explored.model(), state));
                    self.states.insert(state.clone(), item);
                    item
                }
            };
            happened.items.push(item);
        }
        if self.wants_variables {
            if !self.variables.contains_key(state) {
                let variables = explored.model().variables(state).into_iter();
                let numbers = variables.filter_map(|(name, value)| Some((name, number(&value)?)));
                let numbers: Vec<(String, i64)> = numbers.collect();
                let items = numbers.into_iter();
                let items =
                    items.map(|(name, value)| (self.coverage.item(Kind::SystemVariables, &name), value));
                let items = items.collect();
                self.variables.insert(state.clone(), items);
            }
            happened.values.extend_from_slice(&self.variables[state]);
        }
        happened
    }
}
