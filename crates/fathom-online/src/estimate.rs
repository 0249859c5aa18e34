//! The states that a model may be in, as far as a tester can know.
//!
//! An action may lead to several states, and internal steps are heard by nobody. The estimate is closed under internal steps. What is
//! observed makes it smaller: an action, silence, the passing of time; none left means that the implementation did what no run of the
//! model does.
//!
//! A controllable action may be sent when every state that does not move on by itself accepts it: a state with internal steps will move on,
//! and what it does not accept yet it may accept then.

use std::collections::BTreeSet;
use std::fmt;

use crate::action::Action;
use crate::explored::Explored;
use crate::model::{Role, State};

/// Most states that an estimate has.
const MOST_STATES: usize = 5_000;

/// More states are possible than a tester keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyStates;

impl fmt::Display for TooManyStates {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the model may be in more than {MOST_STATES} states")
    }
}

/// The states that a model may be in.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Estimate(BTreeSet<State>);

/// What may happen next.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Enabled {
    /// What the tester may do, sent or not.
    pub controllable: Vec<(Action, Role)>,
    /// What the implementation may do.
    pub observable: Vec<Action>,
    /// Whether time may pass.
    pub may_tick: bool,
    /// Whether the implementation may be silent for ever.
    pub may_be_silent: bool,
}

impl Estimate {
    /// The states.
    pub fn states(&self) -> impl Iterator<Item = &State> {
        self.0.iter()
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no state is possible.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The state, if it is known.
    pub fn only(&self) -> Option<&State> {
        if self.0.len() == 1 { self.0.first() } else { None }
    }
}

impl Explored<'_> {
    /// Where a run begins.
    ///
    /// # Errors
    ///
    /// When too many states are possible.
    pub fn begin(&self) -> Result<Estimate, TooManyStates> {
        self.close(self.model().initial())
    }

    /// These states and those that internal steps lead to.
    fn close(&self, states: impl IntoIterator<Item = State>) -> Result<Estimate, TooManyStates> {
        let mut known: BTreeSet<State> = states.into_iter().collect();
        let mut open: Vec<State> = known.iter().cloned().collect();
        while let Some(state) = open.pop() {
            for step in self.steps(&state).iter().filter(|step| step.role == Role::Internal) {
                if known.insert(step.target.clone()) {
                    open.push(step.target.clone());
                }
            }
            if known.len() > MOST_STATES {
                return Err(TooManyStates);
            }
        }
        Ok(Estimate(known))
    }

    /// After an action; empty when it is impossible.
    ///
    /// # Errors
    ///
    /// When too many states are possible.
    pub fn after(&self, estimate: &Estimate, action: &Action, role: Role) -> Result<Estimate, TooManyStates> {
        let mut targets = BTreeSet::new();
        for state in &estimate.0 {
            let steps = self.steps(state);
            let same = steps.iter().filter(|step| step.role == role && step.action == *action);
            targets.extend(same.map(|step| step.target.clone()));
        }
        self.close(targets)
    }

    /// After one unit of time; empty when time may not pass.
    ///
    /// # Errors
    ///
    /// When too many states are possible.
    pub fn after_tick(&self, estimate: &Estimate) -> Result<Estimate, TooManyStates> {
        let mut targets = BTreeSet::new();
        for state in &estimate.0 {
            let steps = self.steps(state);
            let time = steps.iter().filter(|step| step.role == Role::Time);
            targets.extend(time.map(|step| step.target.clone()));
        }
        self.close(targets)
    }

    /// After silence for as long as anyone waits; empty when something has to happen.
    pub fn after_silence(&self, estimate: &Estimate) -> Estimate {
        Estimate(estimate.0.iter().filter(|state| self.is_quiet(state)).cloned().collect())
    }

    fn is_quiet(&self, state: &State) -> bool {
        !self.has(state, Role::Observable) && !self.has(state, Role::Internal)
    }

    /// What may happen next, each action once, in the order of the model.
    pub fn enabled(&self, estimate: &Estimate) -> Enabled {
        let mut enabled = Enabled::default();
        let mut first: Option<Vec<(Action, Role)>> = None;
        let has_settled = estimate.0.iter().any(|state| !self.has(state, Role::Internal));
        for state in &estimate.0 {
            let mut here: Vec<(Action, Role)> = Vec::new();
            for step in self.steps(state).iter() {
                match step.role {
                    Role::Controllable | Role::Unsent => {
                        let entry = (step.action.clone(), step.role);
                        if !here.contains(&entry) {
                            here.push(entry);
                        }
                    }
                    Role::Observable if !enabled.observable.contains(&step.action) => {
                        enabled.observable.push(step.action.clone());
                    }
                    Role::Time => enabled.may_tick = true,
                    Role::Observable | Role::Internal => (),
                }
            }
            enabled.may_be_silent |= self.is_quiet(state);
            if has_settled && self.has(state, Role::Internal) {
                continue;
            }
            match &mut first {
                None => first = Some(here),
                Some(common) => common.retain(|entry| here.contains(entry)),
            }
        }
        enabled.controllable = first.unwrap_or_default();
        enabled
    }
}
