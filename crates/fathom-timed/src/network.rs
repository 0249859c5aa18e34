//! Networks: processes with locations and edges, bounded integers, clocks, synchronizations.
//!
//! A timed automaton (Alur and Dill, "A Theory of Timed Automata", TCS 1994) waits at a location as long as its
//! invariant allows and takes an edge when the guard is true. A network takes the edges of one process, or those of
//! several processes at once where a synchronization asks for it.

use fathom_model::Fault;
use fathom_source::Span;

use crate::expr::{BinaryOp, Environment, Expr, Interval, NO_BOUND};
use crate::scalar::ScalarSets;
use crate::statement::Statement;
use crate::time_stop::TimeStop;

/// A network of timed automata.
#[derive(Clone, Default, Debug)]
pub struct Network {
    /// Its name.
    pub name: String,
    /// The integers; an array is several in a row.
    pub variables: Vec<Variable>,
    /// The clocks; an array is several in a row. The clock with index `i` here is clock `i + 1` of a zone.
    pub clocks: Vec<Clock>,
    /// The processes.
    pub processes: Vec<Process>,
    /// Names of events.
    pub events: Vec<String>,
    /// Which edges go together.
    pub synchronizations: Vec<Synchronization>,
    /// Names of labels of locations.
    pub labels: Vec<String>,
    /// What happens when a variable would leave its range.
    pub range_rule: RangeRule,
    /// Locals that the longest sequence of statements needs.
    pub n_locals: usize,
    /// The priority of edges that are taken alone; see [`Synchronization::priority`].
    pub alone_priority: i32,
    /// The priority of each process; none when all have the same. Among moves of the same priority, those come first that a
    /// process of higher priority takes part in.
    pub process_priorities: Vec<i32>,
    /// The cost of runs, if they have one.
    pub cost: Option<CostClock>,
    /// What may be symmetric.
    pub scalars: ScalarSets,
    /// Where time stops, beside locations and synchronizations that are urgent.
    pub time_stops: Vec<TimeStop>,
    /// The variable that says who goes on alone at locations that are [atomic](Urgency::Atomic): the index of a process, and one more.
    pub holder: Option<usize>,
}

impl Network {
    /// Number of clocks and one more: the dimension of its zones.
    pub fn dim(&self) -> usize {
        self.clocks.len() + 1
    }

    /// Whether some moves come before others.
    pub fn has_priorities(&self) -> bool {
        !self.process_priorities.is_empty()
            || self.synchronizations.iter().any(|one| one.priority != self.alone_priority)
    }

    /// Whether some process receives broadcasts with guards that bound clocks.
    pub fn has_clocked_receivers(&self) -> bool {
        let is_clocked = |participant: &Participant| {
            let mut edges = self.processes[participant.process].edges.iter();
            participant.is_weak
                && edges.any(|edge| edge.event == participant.event && !edge.guard.clocks.is_empty())
        };
        let mut broadcasts = self.synchronizations.iter().filter(|one| one.weak_rule == WeakRule::Guard);
        broadcasts.any(|one| one.participants.iter().any(is_clocked))
    }

    /// The priority of a move: that of its kind, then the largest of a process that takes part.
    pub fn priority(&self, kind: i32, edges: &[(usize, usize)]) -> (i32, i32) {
        let of_process = |&(process, _): &(usize, usize)| self.process_priorities.get(process).copied();
        (kind, edges.iter().filter_map(of_process).max().unwrap_or(0))
    }

    /// Whether an urgent synchronization is possible, so that no time passes. Its guards do not speak of clocks.
    pub fn is_urgent(&self, environment: &Environment<'_>) -> bool {
        let is_ready = |participant: &Participant| {
            let process = &self.processes[participant.process];
            let location = environment.locations[participant.process] as usize;
            let mut edges = process.edges.iter();
            edges.any(|edge| {
                edge.source == location
                    && edge.event == participant.event
                    && edge.guard.conditions.iter().all(|one| one.evaluate(environment) != Ok(0))
            })
        };
        self.synchronizations.iter().any(|synchronization| {
            synchronization.is_urgent
                && synchronization.participants.iter().all(|one| one.is_weak || is_ready(one))
        })
    }

    /// Whether the next step has to be one of a process at a location like that of this one.
    pub fn is_committed(&self, process: usize, environment: &Environment<'_>) -> bool {
        match self.urgency(process, environment) {
            Urgency::None | Urgency::Urgent => false,
            Urgency::Committed => true,
            Urgency::Atomic => {
                let is_it = |holder: usize| environment.values[holder] == process as i32 + 1;
                self.holder.is_none_or(is_it) && self.can_go_on(process, environment)
            }
        }
    }

    /// Whether no time passes where a process is.
    pub fn is_still(&self, process: usize, environment: &Environment<'_>) -> bool {
        match self.urgency(process, environment) {
            Urgency::None => false,
            Urgency::Urgent | Urgency::Committed => true,
            Urgency::Atomic => self.can_go_on(process, environment),
        }
    }

    fn urgency(&self, process: usize, environment: &Environment<'_>) -> Urgency {
        self.processes[process].locations[environment.locations[process] as usize].urgency
    }

    /// Whether some edge leaves the location of a process, as far as integers say. What is a fault to evaluate counts.
    fn can_go_on(&self, process: usize, environment: &Environment<'_>) -> bool {
        let location = environment.locations[process] as usize;
        self.processes[process].edges.iter().any(|edge| {
            edge.source == location
                && edge.guard.conditions.iter().all(|one| one.evaluate(environment) != Ok(0))
        })
    }

    /// The condition that some process goes on alone at a location that is atomic.
    pub fn is_held(&self) -> Option<Expr> {
        let holder = self.holder?;
        let both = |op: BinaryOp| move |left, right| Expr::Binary(op, Box::new(left), Box::new(right));
        let mut found = Vec::new();
        for (index, process) in self.processes.iter().enumerate() {
            let of_location = |(location, declared): (usize, &Location)| {
                let leaving = process.edges.iter().filter(|edge| edge.source == location);
                let wanted = leaving.map(|edge| {
                    edge.guard
                        .conditions
                        .iter()
                        .cloned()
                        .reduce(both(BinaryOp::And))
                        .unwrap_or(Expr::Constant(1))
                });
                let can_go_on =
                    wanted.reduce(both(BinaryOp::Or)).filter(|_| declared.urgency == Urgency::Atomic)?;
                Some(both(BinaryOp::And)(Expr::At { process: index, location }, can_go_on))
            };
            let places = process.locations.iter().enumerate().filter_map(of_location);
            let Some(places) = places.reduce(both(BinaryOp::Or)) else { continue };
            let value = Expr::Constant(index as i64 + 1);
            let is_it = both(BinaryOp::Equal)(Expr::Variable(holder), value);
            found.push(both(BinaryOp::And)(is_it, places));
        }
        found.into_iter().reduce(both(BinaryOp::Or))
    }

    /// Gives variables that are no part of states their first value again.
    pub fn reset_meta(&self, values: &mut [i32]) {
        for (value, variable) in values.iter_mut().zip(&self.variables).filter(|(_, one)| one.is_meta) {
            *value = variable.initial;
        }
    }

    /// The ranges of the variables.
    pub fn ranges(&self) -> Vec<Interval> {
        let range = |variable: &Variable| Interval {
            least: i64::from(variable.least),
            most: i64::from(variable.most),
        };
        self.variables.iter().map(range).collect()
    }

    /// A condition that is a label, as the locations with it where they are few, which takes less time to look at. Others as they are.
    pub(crate) fn places_of_label(&self, condition: &Expr) -> Expr {
        const FEW: usize = 4;
        let Expr::HasLabel(label) = condition else { return condition.clone() };
        let places: Vec<Expr> = (self.processes.iter().enumerate())
            .flat_map(|(process, declared)| {
                let has_label = |&location: &usize| declared.locations[location].labels.contains(label);
                (0..declared.locations.len())
                    .filter(has_label)
                    .map(move |location| Expr::At { process, location })
            })
            .collect();
        if places.len() > FEW {
            return condition.clone();
        }
        let either = |left, right| Expr::Binary(BinaryOp::Or, Box::new(left), Box::new(right));
        places.into_iter().reduce(either).unwrap_or(Expr::Constant(0))
    }

    /// By process and location: the labels.
    pub fn labels_of_locations(&self) -> Vec<Vec<Vec<usize>>> {
        let of_process =
            |process: &Process| process.locations.iter().map(|location| location.labels.clone()).collect();
        self.processes.iter().map(of_process).collect()
    }

    /// Every guard and invariant.
    pub fn guards(&self) -> impl Iterator<Item = &Guard> {
        self.processes.iter().flat_map(|process| {
            let invariants = process.locations.iter().map(|location| &location.invariant);
            invariants.chain(process.edges.iter().map(|edge| &edge.guard))
        })
    }
}

/// A bounded integer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name; for an element of an array with its index.
    pub name: String,
    /// The least value.
    pub least: i32,
    /// The largest value.
    pub most: i32,
    /// The value at the start.
    pub initial: i32,
    /// Whether it is no part of states: it has its first value before each step.
    pub is_meta: bool,
}

/// A clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clock {
    /// Its name; for an element of an array with its index.
    pub name: String,
}

/// The cost of runs: a clock that nothing is compared with, and that edges add to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CostClock {
    /// The clock.
    pub clock: usize,
    /// Whether it grows with time, by 1 a unit; it stays as it is if not.
    pub grows: bool,
    /// The variable that says what is still to be paid at least.
    pub estimate: Option<usize>,
}

/// What happens when an assignment would take a variable out of its range.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum RangeRule {
    /// The edge cannot be taken, as in TChecker.
    #[default]
    Blocks,
    /// That is a run-time error, as in Uppaal.
    Fault,
}

/// A process: one automaton.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// Its locations.
    pub locations: Vec<Location>,
    /// Its edges, in the order of the text.
    pub edges: Vec<Edge>,
}

/// A control location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// Its name.
    pub name: String,
    /// Whether the process may start here.
    pub is_initial: bool,
    /// What has to be true as long as the process is here.
    pub invariant: Guard,
    /// Whether time passes here.
    pub urgency: Urgency,
    /// Its labels.
    pub labels: Vec<usize>,
    /// Where it is written.
    pub span: Option<Span>,
}

/// Whether time passes at a location.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Urgency {
    /// It does.
    #[default]
    None,
    /// It does not.
    Urgent,
    /// It does not, and the next step is one of a process at a committed location.
    Committed,
    /// The same, as long as the conditions on integers of some edge that leaves it are true: the middle of a step that waits, where it
    /// must, for others. Where the network has a [holder](Network::holder), the next step is one of this process only while it is that one.
    Atomic,
}

/// An edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The location that it leaves.
    pub source: usize,
    /// The location that it enters.
    pub target: usize,
    /// Its event.
    pub event: usize,
    /// When it can be taken.
    pub guard: Guard,
    /// What it does.
    pub update: Vec<Statement>,
    /// Where it is written.
    pub span: Option<Span>,
}

/// A condition on integers, and bounds on clocks, all of which have to be true.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Guard {
    /// Each is true when it is not 0.
    pub conditions: Vec<Expr>,
    /// The bounds.
    pub clocks: Vec<ClockConstraint>,
}

/// `left - right < bound` or `left - right <= bound`; no clock is 0.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ClockConstraint {
    /// The clock that is bounded.
    pub left: Option<ClockPlace>,
    /// The clock that is taken from it.
    pub right: Option<ClockPlace>,
    /// The bound.
    pub bound: Expr,
    /// Whether the bound itself is excluded.
    pub is_strict: bool,
}

impl ClockConstraint {
    /// The bound, unless there is none.
    ///
    /// # Errors
    ///
    /// A fault on the way.
    pub fn bound_in(&self, environment: &Environment<'_>) -> Result<Option<i64>, Fault> {
        let bound = self.bound.evaluate(environment)?;
        Ok((bound != NO_BOUND).then_some(bound))
    }

    /// Whether it bounds the difference of two clocks.
    pub fn is_diagonal(&self) -> bool {
        self.left.is_some() && self.right.is_some()
    }
}

/// A clock, or an element of an array of clocks.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ClockPlace {
    /// The clock, or the first element.
    pub first: usize,
    /// Number of elements.
    pub length: u32,
    /// Which one; none for a clock that is no element of an array.
    pub index: Option<Expr>,
}

impl ClockPlace {
    /// A clock.
    pub fn clock(clock: usize) -> ClockPlace {
        ClockPlace { first: clock, length: 1, index: None }
    }

    /// The clock, if it is the same in every state.
    pub fn constant(&self) -> Option<usize> {
        match &self.index {
            None => Some(self.first),
            Some(index) => {
                let index = usize::try_from(index.constant()?).ok()?;
                (index < self.length as usize).then_some(self.first + index)
            }
        }
    }

    /// The clocks that it may be.
    pub fn possible(&self) -> std::ops::Range<usize> {
        match self.constant() {
            Some(clock) => clock..clock + 1,
            None => self.first..self.first + self.length as usize,
        }
    }
}

/// Edges of several processes that are taken together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Synchronization {
    /// The processes, in the order in which their updates happen.
    pub participants: Vec<Participant>,
    /// When weak participants take part.
    pub weak_rule: WeakRule,
    /// Whether no time passes while it is possible.
    pub is_urgent: bool,
    /// A move is possible only where none of a higher priority is.
    pub priority: i32,
    /// Where it is written.
    pub span: Option<Span>,
}

/// When a weak participant takes part.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum WeakRule {
    /// When an edge with the event leaves its location, whatever the guard of the edge says, as in TChecker.
    #[default]
    Edge,
    /// When the guard of such an edge is true, as with broadcast channels of Uppaal.
    Guard,
}

/// A process that takes part in a synchronization.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Participant {
    /// The process.
    pub process: usize,
    /// The event of its edge.
    pub event: usize,
    /// Whether the others go on without it when it cannot take part.
    pub is_weak: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_true_at_its_places_however_many_there_are() {
        // Label 0 is nowhere, label 1 at few locations of both processes, label 2 at many.
        let labels: [&[&[usize]]; 2] = [&[&[1], &[2], &[2], &[1, 2]], &[&[], &[2], &[1, 2]]];
        let location = |labels: &&[usize]| Location {
            name: "l".to_owned(),
            is_initial: false,
            invariant: Guard::default(),
            urgency: Urgency::None,
            labels: labels.to_vec(),
            span: None,
        };
        let process = |labels: &&[&[usize]]| Process {
            locations: labels.iter().map(location).collect(),
            ..Process::default()
        };
        let network = Network { processes: labels.iter().map(process).collect(), ..Network::default() };
        let labels = network.labels_of_locations();
        for label in 0..3 {
            let condition = Expr::HasLabel(label);
            let places = network.places_of_label(&condition);
            assert_eq!(places == condition, label == 2, "few places are told one by one");
            for locations in (0..4).flat_map(|one| (0..3).map(move |other| [one, other])) {
                let environment =
                    Environment { values: &[], locals: &[], locations: &locations, labels: &labels };
                let expected = condition.evaluate(&environment);
                assert_eq!(places.evaluate(&environment), expected, "{label} at {locations:?}");
            }
        }
        assert_eq!(network.places_of_label(&Expr::Constant(7)), Expr::Constant(7));
    }
}
