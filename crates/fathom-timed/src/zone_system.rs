//! The zone graph of a network: the system that engines search.
//!
//! A composite state is the locations and integers, and a zone of clock values closed under delay (as far as the
//! invariants allow). A step takes the edges of one move: invariant of the source, guards, updates, invariant of the
//! target, delay, invariant again, extrapolation. Moves come in a fixed order: synchronizations as they are written, the
//! edges of the last participant changing fastest, then the edges that no synchronization speaks of, by process. All
//! of this is as in TChecker (Herbreteau and Point, tck-reach, "elapsed" semantics), so that counts compare.
//!
//! What guards say about clocks is compiled to bounds where it does not depend on integers. Everything that the moves
//! of one state have in common is done once for all of them.

use std::borrow::Cow;
use std::sync::Arc;

use fathom_model::{Fault, PropertyId, Steps, System};
use fathom_zone::{Bound, Constraint, matrix, transform};

use crate::bounds::{LocalBounds, diagonals};
use crate::expr::{Environment, Expr};
use crate::layout::{Layout, Valuation};
use crate::moves::TimedMove;
use crate::network::{ClockConstraint, CostClock, Network, Participant, Synchronization, Urgency, WeakRule};
use crate::property::{Conjunct, TimedProperty, TimedQuestion};
use crate::ready::{ReadyGuard, ReadyLocation, constraint_in, holds, ready, ready_locations};
use crate::statement::{self, ClockUpdate, Outcome};
use crate::symmetry::Symmetry;
use crate::time_stop;
use crate::zone_options::ZoneOptions;
use crate::zone_region::{Cover, ZoneRegion};

/// The zone graph of a network, and the properties that are asked about it.
#[derive(Clone, Debug)]
pub struct ZoneSystem<'a> {
    pub(crate) network: &'a Network,
    pub(crate) options: ZoneOptions,
    pub(crate) layout: Layout,
    pub(crate) bounds: LocalBounds,
    /// By process and location.
    pub(crate) locations: Vec<Vec<ReadyLocation>>,
    /// The processes that have invariants at all, and those that have locations in which time does not pass.
    pub(crate) with_invariants: Vec<usize>,
    pub(crate) with_urgency: Vec<usize>,
    /// Whether all invariants are upper bounds of clocks that do not depend on integers, as most are.
    pub(crate) has_plain_invariants: bool,
    /// By process and edge.
    pub(crate) guards: Vec<Vec<ReadyGuard>>,
    /// What is looked for: property, one of its conjuncts, and whether it is about deadlocks.
    pub(crate) asked: Vec<(PropertyId, ReadyGuard, Option<bool>)>,
    pub(crate) labels: Vec<Vec<Vec<usize>>>,
    pub(crate) runtime_error: Option<PropertyId>,
    pub(crate) deadlock: Option<PropertyId>,
    /// Bounds on differences of clocks.
    pub(crate) diagonals: Vec<Constraint>,
    /// Whether some synchronization is urgent.
    pub(crate) has_urgent: bool,
    /// Whether a move may be possible in a part of what its guards allow only.
    pub(crate) goes_by_parts: bool,
    /// What has to be true all the time, beside the invariants: one of these; nothing when anything may be.
    pub(crate) restriction: Option<Vec<ReadyGuard>>,
    /// The clock that is a cost, where costs matter.
    pub(crate) cost: Option<CostClock>,
    /// States that differ in names of elements only are one.
    pub(crate) symmetry: Option<Arc<Symmetry>>,
}

/// Buffers of one worker.
#[derive(Clone, Debug)]
pub struct ZoneScratch {
    pub(crate) before: Valuation,
    pub(crate) after: Valuation,
    pub(crate) locals: Vec<i32>,
    /// The zone under expansion, within its invariant.
    pub(crate) source: Vec<Bound>,
    pub(crate) zone: Vec<Bound>,
    pub(crate) updates: Vec<ClockUpdate>,
    pub(crate) chosen: Vec<(usize, usize)>,
    /// What holds of clocks because no move of a higher priority is possible.
    pub(crate) within: Vec<ClockConstraint>,
    /// Constants of lower bounds, then of upper bounds, clock 0 first in each half.
    pub(crate) constants: Vec<i32>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) exchanges: Vec<(usize, usize)>,
}

impl<'a> ZoneSystem<'a> {
    /// The zone graph of a network, asked about some of a list of properties.
    pub fn new(
        network: &'a Network,
        properties: &[TimedProperty],
        asked: &[PropertyId],
        options: ZoneOptions,
    ) -> ZoneSystem<'a> {
        let questions = || asked.iter().map(|&id| (id, &properties[id.index()].question));
        let conjuncts: Vec<(PropertyId, &Conjunct)> = questions()
            .flat_map(|(id, question)| question.conjuncts().iter().map(move |conjunct| (id, conjunct)))
            .collect();
        let mut all: Vec<Conjunct> = conjuncts.iter().map(|(_, conjunct)| (*conjunct).clone()).collect();
        let find = |is_it: fn(&TimedQuestion) -> bool| {
            questions().find(|(_, question)| is_it(question)).map(|(id, _)| id)
        };
        let runtime_error = find(|question| matches!(question, TimedQuestion::RuntimeError));
        let deadlock = find(|question| matches!(question, TimedQuestion::Deadlock));
        // Priorities are about what is not possible, too, and so are broadcasts that depend on clocks.
        let is_about_stuck = deadlock.is_some() || all.iter().any(|conjunct| conjunct.is_stuck.is_some());
        let goes_by_parts = network.has_priorities() || network.has_clocked_receivers();
        // So are places where time stops.
        let has_stops = !network.time_stops.is_empty();
        let goes_by_largest = is_about_stuck || goes_by_parts || has_stops;
        let options = if goes_by_largest { options.for_deadlocks() } else { options };
        all.extend(time_stop::bounds_of_stops(network));
        let locations = ready_locations(network);
        let with = |is_it: fn(&ReadyLocation) -> bool| -> Vec<usize> {
            (0..locations.len()).filter(|&process| locations[process].iter().any(is_it)).collect()
        };
        ZoneSystem {
            with_invariants: with(|location| !location.invariant.is_trivial),
            with_urgency: with(|location| !matches!(location.urgency, Urgency::None)),
            has_plain_invariants: locations.iter().flatten().all(|one| one.invariant.is_plainly_above()),
            locations,
            network,
            options,
            layout: Layout::new(network),
            bounds: LocalBounds::new(network, &all),
            guards: network
                .processes
                .iter()
                .map(|process| process.edges.iter().map(|edge| ready(&edge.guard)).collect())
                .collect(),
            asked: conjuncts
                .iter()
                .map(|(id, conjunct)| {
                    let conditions: Vec<Expr> =
                        conjunct.conditions.iter().map(|one| network.places_of_label(one)).collect();
                    (*id, ReadyGuard::new(&conditions, &conjunct.clocks), conjunct.is_stuck)
                })
                .collect(),
            labels: network.labels_of_locations(),
            runtime_error,
            deadlock,
            diagonals: diagonals(network, &all),
            has_urgent: network.synchronizations.iter().any(|one| one.is_urgent),
            goes_by_parts,
            restriction: None,
            cost: None,
            symmetry: None,
        }
    }

    /// The same, with elements of scalar sets in order, if that changes no answer. What was asked when the system was made has to be what
    /// the symmetry was looked for with.
    #[must_use]
    pub fn with_symmetry(mut self, symmetry: Option<Symmetry>) -> Self {
        self.symmetry = symmetry.map(Arc::new);
        self
    }

    /// The same, with all states as they are.
    #[must_use]
    pub fn without_symmetry(mut self) -> Self {
        self.symmetry = None;
        self
    }

    /// The symmetry that counts.
    pub fn symmetry(&self) -> Option<&Symmetry> {
        self.symmetry.as_deref()
    }

    /// A closed matrix as a region; for expansion only, not to be compared with others.
    pub(crate) fn region_of(&self, zone: &[Bound]) -> ZoneRegion {
        ZoneRegion::new(zone, Cover::Inclusion, &[])
    }

    /// The same, with a cost: zones are closed upwards in it, and it is left alone by extrapolation.
    #[must_use]
    pub fn with_cost(mut self, cost: CostClock) -> Self {
        self.cost = Some(cost);
        self
    }

    /// The network.
    pub fn network(&self) -> &'a Network {
        self.network
    }

    /// How states are laid out.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(crate) fn environment<'v>(&'v self, valuation: &'v Valuation) -> Environment<'v> {
        Environment {
            values: &valuation.values,
            locals: &[],
            locations: &valuation.locations,
            labels: &self.labels,
        }
    }

    #[inline]
    pub(crate) fn is_committed(&self, process: usize, valuation: &Valuation) -> bool {
        match self.locations[process][valuation.locations[process] as usize].urgency {
            Urgency::None | Urgency::Urgent => false,
            Urgency::Committed => true,
            Urgency::Atomic => self.network.is_committed(process, &self.environment(valuation)),
        }
    }

    /// Takes the chosen edges together, if that is possible.
    #[inline]
    fn take(
        &self,
        scratch: &mut ZoneScratch,
        has_committed: bool,
        out: &mut Steps<ZoneRegion, TimedMove>,
    ) -> Result<(), Fault> {
        let chosen = &scratch.chosen;
        if has_committed && !chosen.iter().any(|&(process, _)| self.is_committed(process, &scratch.before)) {
            return Ok(());
        }
        let environment = self.environment(&scratch.before);
        for &(process, edge) in chosen {
            if !holds(&self.guards[process][edge].conditions, &environment)? {
                return Ok(());
            }
        }
        scratch.zone.clone_from(&scratch.source);
        for &(process, edge) in chosen {
            if !self.constrain(&self.guards[process][edge], &environment, &mut scratch.zone)? {
                return Ok(());
            }
        }
        scratch.after.clone_from(&scratch.before);
        scratch.updates.clear();
        for &(process, edge) in chosen {
            let edge = &self.network.processes[process].edges[edge];
            scratch.after.locations[process] = edge.target as u32;
            if edge.update.is_empty() {
                continue;
            }
            if !scratch.locals.is_empty() {
                scratch.locals.fill(0);
            }
            let (values, locals) = (&mut scratch.after.values, &mut scratch.locals);
            let before = &scratch.before.locations;
            match statement::run(&edge.update, self.network, before, values, locals, &mut scratch.updates) {
                Outcome::Done => {}
                Outcome::Blocked => return Ok(()),
                Outcome::Fault(fault) => return Err(fault),
            }
        }
        self.network.reset_meta(&mut scratch.after.values);
        let dim = self.network.dim();
        for update in &scratch.updates {
            apply_update(&mut scratch.zone, dim, *update);
        }
        if !self.is_entered_by_waiting(&scratch.after)
            && !self.constrain_to_invariants(&scratch.after, &mut scratch.zone)?
        {
            return Ok(());
        }
        if out.is_recording() {
            let (edges, within) = (scratch.chosen.clone(), scratch.within.clone());
            return self.finish(scratch, &[TimedMove { edges, within, stay: None }], out);
        }
        self.finish(scratch, &[], out)
    }

    /// Takes the chosen edges together; a fault on the way is evidence about run-time errors.
    #[inline]
    pub(crate) fn try_take(
        &self,
        scratch: &mut ZoneScratch,
        has_committed: bool,
        out: &mut Steps<ZoneRegion, TimedMove>,
    ) {
        if let Err(fault) = self.take(scratch, has_committed, out)
            && let Some(property) = self.runtime_error
        {
            out.find(
                property,
                Some(fault),
                &[TimedMove { edges: scratch.chosen.clone(), within: scratch.within.clone(), stay: None }],
            );
        }
    }

    /// Every choice of edges for the participants of a synchronization from here on.
    fn synchronize(
        &self,
        participants: &[Participant],
        rule: WeakRule,
        scratch: &mut ZoneScratch,
        has_committed: bool,
        out: &mut Steps<ZoneRegion, TimedMove>,
    ) {
        let Some((first, rest)) = participants.split_first() else {
            if !scratch.chosen.is_empty() {
                self.try_take(scratch, has_committed, out);
            }
            return;
        };
        let edges = self.edges_to_take(*first, rule, &scratch.before);
        if edges.is_empty() {
            // Those that must take part were looked at before.
            return self.synchronize(rest, rule, scratch, has_committed, out);
        }
        for &edge in edges.iter() {
            scratch.chosen.push((first.process, edge));
            self.synchronize(rest, rule, scratch, has_committed, out);
            scratch.chosen.pop();
        }
    }

    /// The edges of a process that no synchronization speaks of and that leave its location.
    pub(crate) fn edges_alone(&self, process: usize, locations: &[u32]) -> &[usize] {
        &self.locations[process][locations[process] as usize].alone
    }

    /// The bounds that the guards of edges put on clocks; none when a condition on integers fails.
    pub(crate) fn bounds_of_guards(
        &self,
        valuation: &Valuation,
        edges: &[(usize, usize)],
    ) -> Result<Option<Vec<Constraint>>, Fault> {
        let environment = self.environment(valuation);
        let mut found = Vec::new();
        for &(process, edge) in edges {
            let guard = &self.guards[process][edge];
            if !holds(&guard.conditions, &environment)? {
                return Ok(None);
            }
            found.extend_from_slice(&guard.fixed);
            for constraint in &guard.dynamic {
                found.extend(constraint_in(constraint, &environment)?);
            }
        }
        Ok(Some(found))
    }

    /// The edges with the event of a participant that leave its location.
    #[inline]
    pub(crate) fn edges_with(&self, participant: Participant, locations: &[u32]) -> &[usize] {
        let Participant { process, event, .. } = participant;
        &self.locations[process][locations[process] as usize].by_event[event]
    }

    /// The edges of which a participant takes one; none when it does not take part.
    #[inline]
    pub(crate) fn edges_to_take(
        &self,
        participant: Participant,
        rule: WeakRule,
        valuation: &Valuation,
    ) -> Cow<'_, [usize]> {
        let edges = self.edges_with(participant, &valuation.locations);
        if !participant.is_weak || rule == WeakRule::Edge {
            return Cow::Borrowed(edges);
        }
        let environment = self.environment(valuation);
        // What is a fault to evaluate takes part, so that someone notices.
        let is_ready = |&edge: &usize| {
            holds(&self.guards[participant.process][edge].conditions, &environment) != Ok(false)
        };
        Cow::Owned(edges.iter().copied().filter(is_ready).collect())
    }

    /// Whether a process may be kept by clocks from receiving with an edge, and the others then go on without it.
    pub(crate) fn may_stay_silent(
        &self,
        synchronization: &Synchronization,
        participant: Participant,
        edge: usize,
    ) -> bool {
        let guard = &self.guards[participant.process][edge];
        participant.is_weak
            && synchronization.weak_rule == WeakRule::Guard
            && !(guard.fixed.is_empty() && guard.dynamic.is_empty())
    }

    /// Pushes what the state under expansion says about properties.
    fn note_findings(&self, scratch: &mut ZoneScratch, out: &mut Steps<ZoneRegion, TimedMove>) {
        let environment = self.environment(&scratch.before);
        for (property, wanted, is_stuck) in &self.asked {
            // What cannot be evaluated is not true; steps are where faults are noticed.
            if !holds(&wanted.conditions, &environment).unwrap_or(false) {
                continue;
            }
            if !wanted.fixed.is_empty() || !wanted.dynamic.is_empty() || is_stuck.is_some() {
                scratch.zone.clone_from(&scratch.source);
                if !self.constrain(wanted, &environment, &mut scratch.zone).unwrap_or(false) {
                    continue;
                }
            }
            if let Some(is_stuck) = is_stuck {
                let stuck = self.stuck_in(&scratch.before, &scratch.source);
                if self.part_where(&scratch.zone, &stuck, *is_stuck).is_empty() {
                    continue;
                }
            }
            out.find(*property, None, &[]);
        }
    }
}

impl System for ZoneSystem<'_> {
    type Region = ZoneRegion;
    type Label = TimedMove;
    type Scratch = ZoneScratch;

    fn scratch(&self) -> ZoneScratch {
        let dim = self.network.dim();
        ZoneScratch {
            before: Valuation::default(),
            after: Valuation::default(),
            locals: vec![0; self.network.n_locals],
            source: vec![Bound::ZERO; dim * dim],
            zone: vec![Bound::ZERO; dim * dim],
            updates: Vec::new(),
            chosen: Vec::new(),
            within: Vec::new(),
            constants: vec![0; 2 * dim],
            bytes: Vec::new(),
            exchanges: Vec::new(),
        }
    }

    fn initial(&self, scratch: &mut ZoneScratch, out: &mut Steps<ZoneRegion, TimedMove>) {
        for locations in initial_locations(self.network) {
            scratch.after = Valuation {
                locations,
                values: self.network.variables.iter().map(|variable| variable.initial).collect(),
            };
            matrix::make_zero(&mut scratch.zone);
            let is_possible = self.constrain_to_invariants(&scratch.after, &mut scratch.zone);
            let done = match is_possible {
                Ok(true) => self.finish(scratch, &[], out),
                Ok(false) => Ok(()),
                Err(fault) => Err(fault),
            };
            if let (Err(fault), Some(property)) = (done, self.runtime_error) {
                out.find(property, Some(fault), &[]);
            }
        }
    }

    fn successors(
        &self,
        state: &[u8],
        region: &ZoneRegion,
        scratch: &mut ZoneScratch,
        out: &mut Steps<ZoneRegion, TimedMove>,
    ) {
        self.layout.decode(state, &mut scratch.before);
        scratch.source.copy_from_slice(region.bounds());
        // Extrapolation may have left the invariant. A fault here was one of the step that led here.
        if !self.constrain_to_invariants(&scratch.before, &mut scratch.source).unwrap_or(false) {
            return;
        }
        if !self.asked.is_empty() {
            self.note_findings(scratch, out);
        }
        if let Some(property) = self.deadlock
            && !self.stuck_in(&scratch.before, &scratch.source).is_empty()
        {
            out.find(property, None, &[]);
        }
        self.take_all(scratch, out);
        if let Some(property) = self.runtime_error
            && let Some(fault) = self.fault_of_waiting(&scratch.before)
            // A move that is the same fault says more.
            && out.findings().iter().all(|finding| finding.fault.as_ref() != Some(&fault))
        {
            out.find(property, Some(fault), &[TimedMove::default()]);
        }
    }
}

impl ZoneSystem<'_> {
    /// Every move of the state under expansion.
    fn take_all(&self, scratch: &mut ZoneScratch, out: &mut Steps<ZoneRegion, TimedMove>) {
        let has_committed =
            self.with_urgency.iter().any(|&process| self.is_committed(process, &scratch.before));
        scratch.chosen.clear();
        scratch.within.clear();
        if self.goes_by_parts {
            return self.take_by_parts(scratch, has_committed, out);
        }
        for synchronization in &self.network.synchronizations {
            let participants = &synchronization.participants;
            let is_possible = participants.iter().all(|&participant| {
                participant.is_weak || !self.edges_with(participant, &scratch.before.locations).is_empty()
            });
            if is_possible {
                self.synchronize(participants, synchronization.weak_rule, scratch, has_committed, out);
            }
        }
        for process in 0..self.network.processes.len() {
            let location = scratch.before.locations[process] as usize;
            for &edge in &self.locations[process][location].alone {
                scratch.chosen.clear();
                scratch.chosen.push((process, edge));
                self.try_take(scratch, has_committed, out);
            }
        }
    }
}

/// Sets a clock in a zone.
#[inline]
fn apply_update(zone: &mut [Bound], dim: usize, update: ClockUpdate) {
    let ClockUpdate { clock, from, value } = update;
    match from {
        None => transform::reset(zone, dim, clock + 1, value),
        Some(from) => {
            transform::copy(zone, dim, clock + 1, from + 1);
            if value > 0 {
                transform::advance(zone, dim, clock + 1, value);
            }
        }
    }
}

/// Every choice of an initial location for each process.
pub(crate) fn initial_locations(network: &Network) -> Vec<Vec<u32>> {
    let mut choices = vec![Vec::new()];
    for process in &network.processes {
        let starts: Vec<u32> = (0..process.locations.len())
            .filter(|&location| process.locations[location].is_initial)
            .map(|location| location as u32)
            .collect();
        choices = choices
            .into_iter()
            .flat_map(|chosen| {
                starts.iter().map(move |&start| {
                    let mut chosen = chosen.clone();
                    chosen.push(start);
                    chosen
                })
            })
            .collect();
    }
    choices
}
