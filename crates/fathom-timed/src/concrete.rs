//! The concrete meaning: numbers for clocks, delays, steps; and a checker of runs.
//!
//! A run waits and takes edges. [`check_run`] follows one and looks at every rule of the language: delays are not
//! negative and pass only where time may pass, invariants hold at both ends of each delay (and so all the way, as they
//! are convex), the edges of each step belong together, their guards are true, and the end shows what it is said to
//! show. Numbers are exact: whole multiples of a common fraction. Nothing here knows zones; this is what makes it
//! worth asking about runs that a search of zones has found.

use std::borrow::Cow;
use std::fmt;

use fathom_model::Fault;

use crate::expr::{Environment, Expr, checked_index};
use crate::layout::Valuation;
use crate::network::{ClockConstraint, ClockPlace, Guard, Network, Participant, Synchronization, WeakRule};
use crate::property::Conjunct;
use crate::statement::{self, ClockUpdate, Outcome};
use crate::time_stop::{StopRule, TimeStop};

/// A run with its delays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimedRun {
    /// Where each process starts.
    pub initial: Vec<u32>,
    /// Parts of one unit of time in which delays are given.
    pub scale: i64,
    /// The steps.
    pub steps: Vec<TimedStep>,
    /// The wait after the last step.
    pub last_delay: i64,
}

/// A step of a run: first the delay, then the edges.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimedStep {
    /// The wait before it, in parts of a unit.
    pub delay: i64,
    /// Process, and index of the edge in it, in the order in which updates happen.
    pub edges: Vec<(usize, usize)>,
}

/// What the end of a run is to show.
#[derive(Clone, Copy, Debug)]
pub enum Goal<'a> {
    /// One of these is true.
    OneOf(&'a [Conjunct]),
    /// Taking these edges is a fault; without edges, waiting is.
    Fault(&'a [(usize, usize)], &'a Fault),
    /// No move is possible, at once or after any wait.
    Deadlock,
    /// Time can go on without bound, and one of these, each of them convex, stays true.
    Waiting(&'a [Conjunct]),
}

/// A state with numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConcreteState {
    /// Locations and integers.
    pub valuation: Valuation,
    /// The clocks, in parts of a unit.
    pub clocks: Vec<i64>,
}

/// Why a run is none.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RunError {
    /// A process does not start there.
    NotInitial,
    /// A delay is negative, or time may not pass there.
    NoDelay {
        /// Number of steps before.
        after: usize,
    },
    /// An invariant does not hold.
    Invariant {
        /// Number of steps before.
        after: usize,
    },
    /// The edges do not belong together, or do not leave the locations at which the processes are.
    NoSuchMove {
        /// Number of steps before.
        after: usize,
    },
    /// A process at a committed location comes first.
    Committed {
        /// Number of steps before.
        after: usize,
    },
    /// A move of a higher priority is possible.
    Priority {
        /// Number of steps before.
        after: usize,
    },
    /// A guard is false.
    Guard {
        /// Number of steps before.
        after: usize,
    },
    /// What has to be true all the time is not.
    Within {
        /// Number of steps before.
        after: usize,
    },
    /// An update cannot be made.
    Update {
        /// Number of steps before.
        after: usize,
    },
    /// The end does not show what it is to show.
    Goal,
}

impl fmt::Display for RunError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (after, what) = match self {
            RunError::NotInitial => return write!(out, "the run does not begin at initial locations"),
            RunError::Goal => return write!(out, "the end does not show what it is to show"),
            RunError::NoDelay { after } => (after, "time cannot pass like this"),
            RunError::Invariant { after } => (after, "an invariant does not hold"),
            RunError::NoSuchMove { after } => (after, "the edges do not belong together"),
            RunError::Committed { after } => (after, "a process at a committed location comes first"),
            RunError::Priority { after } => (after, "a move of a higher priority is possible"),
            RunError::Guard { after } => (after, "a guard is false"),
            RunError::Within { after } => (after, "what has to be true all the time is not"),
            RunError::Update { after } => (after, "an update cannot be made"),
        };
        write!(out, "after {after} steps: {what}")
    }
}

impl std::error::Error for RunError {}

/// Follows a run and checks every rule and the goal. Gives the states before each delay, and the last one.
///
/// # Errors
///
/// The first rule that is broken.
pub fn check_run(network: &Network, run: &TimedRun, goal: Goal<'_>) -> Result<Vec<ConcreteState>, RunError> {
    check_run_within(network, run, goal, (usize::MAX, &[]))
}

/// The same, with something that has to be true all the time after a number of steps: one of these conjuncts, each of them
/// convex. A step without edges is a moment at which nothing happens.
///
/// # Errors
///
/// The first rule that is broken.
pub fn check_run_within(
    network: &Network,
    run: &TimedRun,
    goal: Goal<'_>,
    (from, within): (usize, &[Conjunct]),
) -> Result<Vec<ConcreteState>, RunError> {
    let mut checker = Checker::start(network, run)?;
    let mut states = Vec::with_capacity(run.steps.len() + 2);
    for (number, step) in run.steps.iter().enumerate() {
        states.push(checker.state.clone());
        checker.wait_within(step.delay, if number >= from { Some(within) } else { None })?;
        if !step.edges.is_empty() {
            checker.take(&step.edges)?;
        }
    }
    states.push(checker.state.clone());
    checker.wait_within(run.last_delay, if run.steps.len() >= from { Some(within) } else { None })?;
    states.push(checker.state.clone());
    checker.check_goal(goal)?;
    Ok(states)
}

/// Follows a run and then tries a move, or to wait when there are no edges. Gives the states, and the fault that the move is.
///
/// # Errors
///
/// The first rule that is broken.
#[allow(clippy::type_complexity)]
pub fn fault_after(
    network: &Network,
    run: &TimedRun,
    edges: &[(usize, usize)],
) -> Result<(Vec<ConcreteState>, Option<Fault>), RunError> {
    let states = check_run(network, run, Goal::OneOf(&[Conjunct::default()]))?;
    let mut checker = Checker::start(network, run)?;
    if let Some(last) = states.last() {
        checker.state.clone_from(last);
    }
    let fault = checker.fault_at(edges);
    Ok((states, fault))
}

/// Edges, and the synchronization that they are one of.
pub(crate) type Choice = (Vec<(usize, usize)>, Option<usize>);

/// Edges, and those whose guards have to be false.
type LaterChoice = (Vec<(usize, usize)>, Vec<(usize, usize)>);

/// A run under way: a state, and what can be done in it.
pub(crate) struct Checker<'a> {
    network: &'a Network,
    labels: Cow<'a, [Vec<Vec<usize>>]>,
    scale: i64,
    pub(crate) state: ConcreteState,
    /// Steps taken.
    after: usize,
}

impl<'a> Checker<'a> {
    fn start(network: &'a Network, run: &TimedRun) -> Result<Checker<'a>, RunError> {
        let is_initial = run.initial.len() == network.processes.len()
            && network.processes.iter().zip(&run.initial).all(|(process, &location)| {
                process.locations.get(location as usize).is_some_and(|location| location.is_initial)
            });
        if !is_initial || run.scale < 1 {
            return Err(RunError::NotInitial);
        }
        let values = network.variables.iter().map(|variable| variable.initial).collect();
        let checker = Checker {
            network,
            labels: Cow::Owned(network.labels_of_locations()),
            scale: run.scale,
            state: ConcreteState {
                valuation: Valuation { locations: run.initial.clone(), values },
                clocks: vec![0; network.clocks.len()],
            },
            after: 0,
        };
        checker.check_invariants()?;
        Ok(checker)
    }

    /// In the middle of a run. The labels are those of the locations of the network.
    pub(crate) fn at(
        network: &'a Network,
        labels: &'a [Vec<Vec<usize>>],
        scale: i64,
        state: ConcreteState,
    ) -> Checker<'a> {
        Checker { network, labels: Cow::Borrowed(labels), scale, state, after: 0 }
    }

    fn environment(&self) -> Environment<'_> {
        let Valuation { locations, values } = &self.state.valuation;
        Environment { values, locals: &[], locations, labels: &self.labels }
    }

    /// Whether time may pass here.
    fn may_pass(&self) -> bool {
        let is_enabled = |edges: &Vec<(usize, usize)>| {
            let mut guards =
                edges.iter().map(|&(process, edge)| &self.network.processes[process].edges[edge].guard);
            guards.all(|guard| self.satisfies(guard).unwrap_or(true))
        };
        let urgent = |(edges, origin): &Choice| {
            origin.is_some_and(|index| self.network.synchronizations[index].is_urgent) && is_enabled(edges)
        };
        let environment = self.environment();
        (0..self.network.processes.len()).all(|process| !self.network.is_still(process, &environment))
            && !self.moves().iter().any(urgent)
    }

    /// The longest delay before time stops, with whether it is excluded; none when it does not. What is a fault stops it at once.
    fn stopped_after(&self) -> Option<(i64, bool)> {
        let now: Vec<(i64, i64)> = self.state.clocks.iter().map(|&clock| (1, clock)).collect();
        let end = |stop: &TimeStop| {
            if stop.bounds_in(&self.environment()).is_err() {
                return Some((0, false));
            }
            let mut delays = Delays { least: (0, false), most: None };
            let is_here = self.state.valuation.locations[stop.process] as usize == stop.location
                && delays.restrict(&stop.guard, &self.environment(), &now, self.scale).unwrap_or(false)
                && delays.is_possible();
            match stop.rule {
                _ if !is_here => None,
                StopRule::WhileTrue => Some((delays.least.0, false)),
                StopRule::BeforeFalse => delays.most,
            }
        };
        self.network.time_stops.iter().filter_map(end).min_by_key(|&(end, is_excluded)| (end, !is_excluded))
    }

    /// Waits, and looks whether one conjunct is true from the first moment to the last: each is convex.
    fn wait_within(&mut self, delay: i64, within: Option<&[Conjunct]>) -> Result<(), RunError> {
        let Some(within) = within else { return self.wait(delay) };
        let holding = |checker: &Self| -> Vec<usize> {
            let holds = |index: &usize| {
                let conjunct = &within[*index];
                checker.satisfies_all(&conjunct.conditions, &conjunct.clocks).unwrap_or(false)
            };
            (0..within.len()).filter(holds).collect()
        };
        let before = holding(self);
        self.wait(delay)?;
        let after = holding(self);
        match before.iter().any(|index| after.contains(index)) {
            true => Ok(()),
            false => Err(RunError::Within { after: self.after }),
        }
    }

    pub(crate) fn wait(&mut self, delay: i64) -> Result<(), RunError> {
        if delay < 0 || (delay > 0 && !self.may_pass()) {
            return Err(RunError::NoDelay { after: self.after });
        }
        let is_longer = |most: (i64, bool)| delay > most.0 || (most.1 && delay == most.0);
        if delay > 0 && self.stopped_after().is_some_and(is_longer) {
            return Err(RunError::NoDelay { after: self.after });
        }
        let still = self.network.cost.filter(|cost| !cost.grows).map(|cost| cost.clock);
        for (clock, value) in self.state.clocks.iter_mut().enumerate() {
            if still != Some(clock) {
                *value += delay;
            }
        }
        self.check_invariants()
    }

    pub(crate) fn check_invariants(&self) -> Result<(), RunError> {
        for (process, &location) in self.network.processes.iter().zip(&self.state.valuation.locations) {
            if !self.satisfies(&process.locations[location as usize].invariant).unwrap_or(false) {
                return Err(RunError::Invariant { after: self.after });
            }
        }
        Ok(())
    }

    fn satisfies(&self, guard: &Guard) -> Result<bool, Fault> {
        self.satisfies_all(&guard.conditions, &guard.clocks)
    }

    fn satisfies_all(&self, conditions: &[Expr], clocks: &[ClockConstraint]) -> Result<bool, Fault> {
        let environment = self.environment();
        for condition in conditions {
            if condition.evaluate(&environment)? == 0 {
                return Ok(false);
            }
        }
        for constraint in clocks {
            let difference = self.value(constraint.left.as_ref())? - self.value(constraint.right.as_ref())?;
            let Some(bound) = constraint.bound_in(&environment)? else { continue };
            let bound = bound * self.scale;
            if difference > bound || (constraint.is_strict && difference == bound) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The value of a clock; 0 for none.
    fn value(&self, place: Option<&ClockPlace>) -> Result<i64, Fault> {
        let Some(place) = place else { return Ok(0) };
        let index = match &place.index {
            None => 0,
            Some(index) => checked_index(index.evaluate(&self.environment())?, place.length)?,
        };
        Ok(self.state.clocks[place.first + index])
    }

    pub(crate) fn take(&mut self, edges: &[(usize, usize)]) -> Result<(), RunError> {
        let after = self.after;
        self.check_move(edges)?;
        match self.run_updates(edges) {
            Ok(Some((values, updates))) => {
                for &(process, edge) in edges {
                    let target = self.network.processes[process].edges[edge].target;
                    self.state.valuation.locations[process] = target as u32;
                }
                self.state.valuation.values = values;
                for ClockUpdate { clock, from, value } in updates {
                    let base = from.map_or(0, |from| self.state.clocks[from]);
                    self.state.clocks[clock] = base + i64::from(value) * self.scale;
                }
            }
            _ => return Err(RunError::Update { after }),
        }
        self.after += 1;
        self.check_invariants()
    }

    /// Whether these edges can be taken together, as far as locations and guards say.
    fn check_move(&self, edges: &[(usize, usize)]) -> Result<(), RunError> {
        let after = self.after;
        if !self.belongs_together(edges) {
            return Err(RunError::NoSuchMove { after });
        }
        let environment = self.environment();
        let is_committed = |process: usize| self.network.is_committed(process, &environment);
        let has_committed = (0..self.network.processes.len()).any(is_committed);
        if has_committed && !edges.iter().any(|&(process, _)| is_committed(process)) {
            return Err(RunError::Committed { after });
        }
        for &(process, edge) in edges {
            if !self.satisfies(&self.network.processes[process].edges[edge].guard).unwrap_or(false) {
                return Err(RunError::Guard { after });
            }
        }
        if self.network.has_priorities() && self.has_higher(edges) {
            return Err(RunError::Priority { after });
        }
        Ok(())
    }

    /// Whether a move of a higher priority than that of these edges is possible now.
    fn has_higher(&self, edges: &[(usize, usize)]) -> bool {
        let moves = self.moves();
        let priority = |(edges, origin): &Choice| {
            let kind = origin
                .map_or(self.network.alone_priority, |index| self.network.synchronizations[index].priority);
            self.network.priority(kind, edges)
        };
        let Some(own) = moves.iter().filter(|(other, _)| other == edges).map(priority).max() else {
            return false;
        };
        moves.iter().any(|other| {
            priority(other) > own
                && self.belongs_together(&other.0)
                && self
                    .delays_before(&other.0)
                    .map_or(true, |delays| delays.is_some_and(|one| one.has_zero()))
        })
    }

    /// Whether the edges leave the locations of their processes and are those of one process alone or of a
    /// synchronization.
    fn belongs_together(&self, edges: &[(usize, usize)]) -> bool {
        let leaves_location = |&(process, edge): &(usize, usize)| {
            self.network
                .processes
                .get(process)
                .and_then(|process| process.edges.get(edge))
                .is_some_and(|edge| edge.source == self.state.valuation.locations[process] as usize)
        };
        if edges.is_empty() || !edges.iter().all(leaves_location) {
            return false;
        }
        let event =
            |&(process, edge): &(usize, usize)| (process, self.network.processes[process].edges[edge].event);
        let taken: Vec<(usize, usize)> = edges.iter().map(event).collect();
        let has_edge =
            |participant: &Participant, rule: WeakRule| !self.ready_edges(participant, rule).is_empty();
        let mut is_synchronized = false;
        for synchronization in &self.network.synchronizations {
            let participants = &synchronization.participants;
            is_synchronized |=
                participants.iter().any(|participant| (participant.process, participant.event) == taken[0]);
            // Whoever can take part does.
            let wanted: Vec<(usize, usize)> = participants
                .iter()
                .filter(|participant| {
                    !participant.is_weak || has_edge(participant, synchronization.weak_rule)
                })
                .map(|participant| (participant.process, participant.event))
                .collect();
            if wanted == taken {
                return true;
            }
        }
        !is_synchronized && taken.len() == 1
    }

    /// The integers after the updates and what is to be done to clocks; none when a variable would leave its range.
    #[allow(clippy::type_complexity)]
    fn run_updates(&self, edges: &[(usize, usize)]) -> Result<Option<(Vec<i32>, Vec<ClockUpdate>)>, Fault> {
        let (locations, mut values) = (&self.state.valuation.locations, self.state.valuation.values.clone());
        let mut updates = Vec::new();
        for &(process, edge) in edges {
            let update = &self.network.processes[process].edges[edge].update;
            let mut locals = vec![0; self.network.n_locals];
            match statement::run(update, self.network, locations, &mut values, &mut locals, &mut updates) {
                Outcome::Done => {}
                Outcome::Blocked => return Ok(None),
                Outcome::Fault(fault) => return Err(fault),
            }
        }
        self.network.reset_meta(&mut values);
        Ok(Some((values, updates)))
    }

    fn check_goal(&self, goal: Goal<'_>) -> Result<(), RunError> {
        let is_shown = match goal {
            Goal::OneOf(conjuncts) => conjuncts.iter().any(|conjunct| {
                self.satisfies_all(&conjunct.conditions, &conjunct.clocks).unwrap_or(false)
                    && conjunct.is_stuck.is_none_or(|is_stuck| self.is_stuck() == is_stuck)
            }),
            Goal::Deadlock => self.is_stuck(),
            Goal::Waiting(conjuncts) => self.can_wait_for_ever(conjuncts).unwrap_or(false),
            Goal::Fault(edges, fault) => self.fault_at(edges).as_ref() == Some(fault),
        };
        if is_shown { Ok(()) } else { Err(RunError::Goal) }
    }

    /// Whether no delay is too long, and one of some conjuncts is true after any.
    fn can_wait_for_ever(&self, conjuncts: &[Conjunct]) -> Result<bool, Fault> {
        if !self.may_pass() || self.stopped_after().is_some() {
            return Ok(false);
        }
        let now: Vec<(i64, i64)> = self.state.clocks.iter().map(|&clock| (1, clock)).collect();
        let is_always_true = |guard: &Guard| -> Result<bool, Fault> {
            let mut delays = Delays { least: (0, false), most: None };
            let is_true = delays.restrict(guard, &self.environment(), &now, self.scale)?;
            Ok(is_true && delays.has_zero() && delays.most.is_none())
        };
        for (process, &location) in self.network.processes.iter().zip(&self.state.valuation.locations) {
            if !is_always_true(&process.locations[location as usize].invariant)? {
                return Ok(false);
            }
        }
        for Conjunct { conditions, clocks, .. } in conjuncts {
            if is_always_true(&Guard { conditions: conditions.clone(), clocks: clocks.clone() })? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The edges with the event of a participant that leave its location; for one that takes part only when a guard is true, those
    /// whose guard is.
    fn ready_edges(&self, participant: &Participant, rule: WeakRule) -> Vec<(usize, usize)> {
        let process = participant.process;
        let location = self.state.valuation.locations[process] as usize;
        let edges = self.network.processes[process].edges.iter().enumerate();
        edges
            .filter(|(_, edge)| edge.source == location && edge.event == participant.event)
            .filter(|(_, edge)| {
                !participant.is_weak || rule == WeakRule::Edge || self.satisfies(&edge.guard).unwrap_or(true)
            })
            .map(|(number, _)| (process, number))
            .collect()
    }

    /// Every choice of edges, with the synchronization that it is one of. Not all belong together.
    pub(crate) fn moves(&self) -> Vec<Choice> {
        let mut moves: Vec<Choice> = Vec::new();
        for (index, synchronization) in self.network.synchronizations.iter().enumerate() {
            let mut choices: Vec<Vec<(usize, usize)>> = vec![Vec::new()];
            for participant in &synchronization.participants {
                let edges = self.ready_edges(participant, synchronization.weak_rule);
                if edges.is_empty() && participant.is_weak {
                    continue;
                }
                let with =
                    |choice: &Vec<(usize, usize)>, edge: &(usize, usize)| [&choice[..], &[*edge]].concat();
                choices = choices
                    .iter()
                    .flat_map(|choice| edges.iter().map(move |edge| with(choice, edge)))
                    .collect();
            }
            moves.extend(choices.into_iter().map(|edges| (edges, Some(index))));
        }
        for (process, &location) in self.state.valuation.locations.iter().enumerate() {
            let edges = self.network.processes[process].edges.iter().enumerate();
            let is_alone = |event: usize| {
                let mut participants = self.network.synchronizations.iter().flat_map(|one| &one.participants);
                !participants.any(|participant| (participant.process, participant.event) == (process, event))
            };
            let leaving = edges.filter(|(_, edge)| edge.source == location as usize && is_alone(edge.event));
            moves.extend(leaving.map(|(number, _)| (vec![(process, number)], None)));
        }
        moves
    }

    /// Whether no move is possible, at once or after any wait.
    fn is_stuck(&self) -> bool {
        // What waits may receive what nobody would now, and the other way round.
        let is_possible =
            |(edges, silent): &LaterChoice| !edges.is_empty() && self.can_take_later(edges, silent);
        let alone = self.moves().into_iter().filter(|(_, origin)| origin.is_none());
        let synchronizations = self.network.synchronizations.iter();
        let together = synchronizations.flat_map(|synchronization| self.choices_later(synchronization));
        !alone.map(|(edges, _)| (edges, Vec::new())).chain(together).any(|choice| is_possible(&choice))
    }

    /// Every choice of edges of a synchronization after some wait, each with the edges whose guards have to be false then.
    fn choices_later(&self, synchronization: &Synchronization) -> Vec<LaterChoice> {
        let mut choices = vec![(Vec::new(), Vec::new())];
        for participant in &synchronization.participants {
            let process = participant.process;
            let location = self.state.valuation.locations[process] as usize;
            let edges = self.network.processes[process].edges.iter().enumerate();
            let leaving: Vec<(usize, usize)> = edges
                .filter(|(_, edge)| edge.source == location && edge.event == participant.event)
                .map(|(number, _)| (process, number))
                .collect();
            let goes_without =
                participant.is_weak && (leaving.is_empty() || synchronization.weak_rule == WeakRule::Guard);
            let mut next = Vec::new();
            for (edges, silent) in choices {
                for &edge in &leaving {
                    next.push(([&edges[..], &[edge]].concat(), silent.clone()));
                }
                if goes_without {
                    next.push((edges, [&silent[..], &leaving[..]].concat()));
                }
            }
            choices = next;
        }
        choices
    }

    /// Whether edges can be taken after some wait, when others cannot. What runs into a fault counts as possible.
    fn can_take_later(&self, edges: &[(usize, usize)], silent: &[(usize, usize)]) -> bool {
        let Ok(delays) = self.delays_before(edges) else { return true };
        let mut parts: Vec<Delays> = delays.into_iter().collect();
        let now: Vec<(i64, i64)> = self.state.clocks.iter().map(|&clock| (1, clock)).collect();
        for &(process, edge) in silent {
            let mut enabled = Delays { least: (0, false), most: None };
            let guard = &self.network.processes[process].edges[edge].guard;
            match enabled.restrict(guard, &self.environment(), &now, self.scale) {
                Ok(true) => parts = parts.iter().flat_map(|part| part.without(&enabled)).collect(),
                Ok(false) => {}
                Err(_) => return true,
            }
        }
        parts.iter().any(Delays::is_possible)
    }

    /// The delays after which edges can be taken, as far as clocks say; none when something else forbids it.
    fn delays_before(&self, edges: &[(usize, usize)]) -> Result<Option<Delays>, Fault> {
        let processes = 0..self.network.processes.len();
        let environment = self.environment();
        let is_committed = |process: usize| self.network.is_committed(process, &environment);
        if processes.clone().any(is_committed) && !edges.iter().any(|&(process, _)| is_committed(process)) {
            return Ok(None);
        }
        let may_pass = self.may_pass();
        let most = if may_pass { self.stopped_after() } else { Some((0, false)) };
        let mut delays = Delays { least: (0, false), most };
        let Valuation { locations, values } = &self.state.valuation;
        let before = Environment { values, locals: &[], locations, labels: &self.labels };
        let now: Vec<(i64, i64)> = self.state.clocks.iter().map(|&clock| (1, clock)).collect();
        let invariants = |(process, &location): (usize, &u32)| {
            &self.network.processes[process].locations[location as usize].invariant
        };
        for guard in locations.iter().enumerate().map(invariants) {
            if !delays.restrict(guard, &before, &now, self.scale)? {
                return Ok(None);
            }
        }
        for &(process, edge) in edges {
            let guard = &self.network.processes[process].edges[edge].guard;
            if !delays.restrict(guard, &before, &now, self.scale)? {
                return Ok(None);
            }
        }
        let Some((values, updates)) = self.run_updates(edges)? else { return Ok(None) };
        let mut locations = locations.clone();
        for &(process, edge) in edges {
            locations[process] = self.network.processes[process].edges[edge].target as u32;
        }
        let mut then = now;
        for ClockUpdate { clock, from, value } in updates {
            let (slope, base) = from.map_or((0, 0), |from| then[from]);
            then[clock] = (slope, base + i64::from(value) * self.scale);
        }
        let after = Environment { values: &values, locals: &[], locations: &locations, labels: &self.labels };
        for guard in locations.iter().enumerate().map(invariants) {
            if !delays.restrict(guard, &after, &then, self.scale)? {
                return Ok(None);
            }
        }
        Ok(Some(delays))
    }

    /// The fault that is met here: by taking edges, or by waiting when there are none.
    fn fault_at(&self, edges: &[(usize, usize)]) -> Option<Fault> {
        if edges.is_empty() {
            let mut stops = self.network.time_stops.iter().filter(|_| self.may_pass());
            return stops.find_map(|stop| stop.bounds_in(&self.environment()).err());
        }
        self.fault_of(edges).filter(|_| self.belongs_together(edges))
    }

    /// The fault that taking edges runs into, in guards, updates or the invariants of the target.
    fn fault_of(&self, edges: &[(usize, usize)]) -> Option<Fault> {
        for &(process, edge) in edges {
            match self.satisfies(&self.network.processes[process].edges[edge].guard) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(fault) => return Some(fault),
            }
        }
        let (values, _) = match self.run_updates(edges) {
            Ok(done) => done?,
            Err(fault) => return Some(fault),
        };
        let mut locations = self.state.valuation.locations.clone();
        for &(process, edge) in edges {
            locations[process] = self.network.processes[process].edges[edge].target as u32;
        }
        let environment =
            Environment { values: &values, locals: &[], locations: &locations, labels: &self.labels };
        for (process, &location) in self.network.processes.iter().zip(&locations) {
            let invariant = &process.locations[location as usize].invariant;
            let bounds = invariant.clocks.iter().map(|constraint| &constraint.bound);
            for expr in invariant.conditions.iter().chain(bounds) {
                if let Err(fault) = expr.evaluate(&environment) {
                    return Some(fault);
                }
            }
        }
        None
    }
}

/// Delays between two ends, each with whether it is excluded.
struct Delays {
    least: (i64, bool),
    most: Option<(i64, bool)>,
}

impl Delays {
    /// Whether it is possible without any delay.
    fn has_zero(&self) -> bool {
        self.least <= (0, false) && self.most.is_none_or(|most| most.0 > 0 || most == (0, false))
    }

    /// What is left without others: before them, and after them.
    fn without(&self, others: &Delays) -> Vec<Delays> {
        let sharper = |one: (i64, bool), other: (i64, bool)| {
            if one.0 < other.0 || (one.0 == other.0 && one.1) { one } else { other }
        };
        let end = (others.least.0, !others.least.1);
        let before =
            Delays { least: self.least, most: Some(self.most.map_or(end, |most| sharper(most, end))) };
        let after = others
            .most
            .map(|(end, is_excluded)| Delays { least: self.least.max((end, !is_excluded)), most: self.most });
        [before].into_iter().chain(after).filter(Delays::is_possible).collect()
    }

    fn is_possible(&self) -> bool {
        self.most
            .is_none_or(|most| self.least.0 < most.0 || (self.least.0 == most.0 && !self.least.1 && !most.1))
    }

    /// Leaves out the delays that violate a guard, when each clock is a multiple of the delay and a number. False when
    /// the guard is false whatever the delay.
    fn restrict(
        &mut self,
        guard: &Guard,
        environment: &Environment<'_>,
        clocks: &[(i64, i64)],
        scale: i64,
    ) -> Result<bool, Fault> {
        for condition in &guard.conditions {
            if condition.evaluate(environment)? == 0 {
                return Ok(false);
            }
        }
        let value = |place: Option<&ClockPlace>| -> Result<(i64, i64), Fault> {
            let Some(place) = place else { return Ok((0, 0)) };
            let index = match &place.index {
                None => 0,
                Some(index) => checked_index(index.evaluate(environment)?, place.length)?,
            };
            Ok(clocks[place.first + index])
        };
        for constraint in &guard.clocks {
            let (left, right) = (value(constraint.left.as_ref())?, value(constraint.right.as_ref())?);
            let Some(bound) = constraint.bound_in(environment)? else { continue };
            let room = bound * scale - (left.1 - right.1);
            let end = (room, constraint.is_strict);
            match left.0 - right.0 {
                // delay <= room
                1 => {
                    let is_sharper =
                        self.most.is_none_or(|most| end.0 < most.0 || (end.0 == most.0 && end.1));
                    self.most = if is_sharper { Some(end) } else { self.most };
                }
                // -delay <= room
                -1 => {
                    let end = (-room, constraint.is_strict);
                    let is_sharper = end.0 > self.least.0 || (end.0 == self.least.0 && end.1);
                    self.least = if is_sharper { end } else { self.least };
                }
                _ if room < 0 || (room == 0 && constraint.is_strict) => return Ok(false),
                _ => {}
            }
        }
        Ok(true)
    }
}
