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
use fathom_zone::{Bound, Constraint, Zone, extrapolation, matrix, transform};

use crate::bounds::{LocalBounds, diagonals};
use crate::expr::{Environment, Expr, checked_index};
use crate::layout::{Layout, Valuation};
use crate::moves::TimedMove;
use crate::network::{
    ClockConstraint, ClockPlace, CostClock, Guard, Network, Participant, Synchronization, Urgency, WeakRule,
};
use crate::property::{Conjunct, TimedProperty, TimedQuestion};
use crate::statement::{self, ClockUpdate, Outcome};
use crate::symmetry::Symmetry;
use crate::time_stop;
use crate::zone_region::{Cover, ZoneRegion};

/// How zones are made larger. All use the constants of the locations at which a state is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Extrapolation {
    /// Not at all: there may be infinitely many.
    None,
    /// By the largest constants.
    Max,
    /// By the largest constants, more.
    MaxPlus,
    /// By the constants of lower and upper bounds.
    Lu,
    /// By the constants of lower and upper bounds, more.
    #[default]
    LuPlus,
}

impl Extrapolation {
    /// The name in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Extrapolation::None => "none",
            Extrapolation::Max => "max",
            Extrapolation::MaxPlus => "max-plus",
            Extrapolation::Lu => "lu",
            Extrapolation::LuPlus => "lu-plus",
        }
    }
}

/// How zones are made and compared.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ZoneOptions {
    /// How zones are made larger. Networks with bounds on differences of clocks are split along these and extrapolated
    /// by the largest constants, whatever this says, unless it says `None`.
    pub extrapolation: Extrapolation,
    /// When a zone is included in another.
    pub cover: Cover,
}

impl ZoneOptions {
    /// Those nearest to these under which no value that is added can be stuck where no true value is.
    pub fn for_deadlocks(self) -> ZoneOptions {
        let extrapolation = match self.extrapolation {
            Extrapolation::Lu => Extrapolation::Max,
            Extrapolation::LuPlus => Extrapolation::MaxPlus,
            other => other,
        };
        let cover = if self.cover == Cover::Simulation { Cover::Inclusion } else { self.cover };
        ZoneOptions { extrapolation, cover }
    }
}

/// A cost that no run has.
const MOST_COST: i32 = 1 << 28;

/// A guard, with bounds made ready where they do not depend on integers.
#[derive(Clone, Debug)]
struct ReadyGuard {
    conditions: Vec<Expr>,
    fixed: Vec<Constraint>,
    dynamic: Vec<ClockConstraint>,
    /// Whether it says nothing at all, as most invariants do.
    is_trivial: bool,
}

impl ReadyGuard {
    fn new(conditions: &[Expr], clocks: &[ClockConstraint]) -> ReadyGuard {
        let mut ready = ReadyGuard {
            conditions: conditions.to_vec(),
            fixed: Vec::new(),
            dynamic: Vec::new(),
            is_trivial: conditions.is_empty() && clocks.is_empty(),
        };
        for constraint in clocks {
            match fixed_constraint(constraint) {
                Some(fixed) => ready.fixed.push(fixed),
                None => ready.dynamic.push(constraint.clone()),
            }
        }
        ready
    }
}

/// A constraint on clocks of a zone, if it is the same in every state.
fn fixed_constraint(constraint: &ClockConstraint) -> Option<Constraint> {
    let side = |place: &Option<ClockPlace>| match place {
        None => Some(0),
        Some(place) => place.constant().map(|clock| clock + 1),
    };
    let bound = i32::try_from(constraint.bound.constant()?).ok()?;
    Some(Constraint {
        left: side(&constraint.left)?,
        right: side(&constraint.right)?,
        bound: bound_of(bound, constraint.is_strict),
    })
}

pub(crate) fn bound_of(constant: i32, is_strict: bool) -> Bound {
    if is_strict { Bound::below(constant) } else { Bound::at_most(constant) }
}

/// A location, made ready.
#[derive(Clone, Debug)]
struct ReadyLocation {
    invariant: ReadyGuard,
    urgency: Urgency,
    /// Edges that no synchronization speaks of.
    alone: Vec<usize>,
    /// By event: the edges with it.
    by_event: Vec<Vec<usize>>,
}

/// The zone graph of a network, and the properties that are asked about it.
#[derive(Clone, Debug)]
pub struct ZoneSystem<'a> {
    network: &'a Network,
    options: ZoneOptions,
    layout: Layout,
    bounds: LocalBounds,
    /// By process and location.
    locations: Vec<Vec<ReadyLocation>>,
    /// By process and edge.
    guards: Vec<Vec<ReadyGuard>>,
    /// What is looked for: property, one of its conjuncts, and whether it is about deadlocks.
    asked: Vec<(PropertyId, ReadyGuard, Option<bool>)>,
    labels: Vec<Vec<Vec<usize>>>,
    runtime_error: Option<PropertyId>,
    deadlock: Option<PropertyId>,
    /// Bounds on differences of clocks.
    diagonals: Vec<Constraint>,
    /// Whether some synchronization is urgent.
    has_urgent: bool,
    /// Whether a move may be possible in a part of what its guards allow only.
    goes_by_parts: bool,
    /// What has to be true all the time, beside the invariants: one of these; nothing when anything may be.
    restriction: Option<Vec<ReadyGuard>>,
    /// The clock that is a cost, where costs matter.
    cost: Option<CostClock>,
    /// States that differ in names of elements only are one.
    symmetry: Option<Arc<Symmetry>>,
}

/// Buffers of one worker.
#[derive(Clone, Debug)]
pub struct ZoneScratch {
    pub(crate) before: Valuation,
    after: Valuation,
    locals: Vec<i32>,
    /// The zone under expansion, within its invariant.
    pub(crate) source: Vec<Bound>,
    zone: Vec<Bound>,
    updates: Vec<ClockUpdate>,
    pub(crate) chosen: Vec<(usize, usize)>,
    /// What holds of clocks because no move of a higher priority is possible.
    pub(crate) within: Vec<ClockConstraint>,
    /// Constants of lower bounds, then of upper bounds, clock 0 first in each half.
    constants: Vec<i32>,
    bytes: Vec<u8>,
    exchanges: Vec<(usize, usize)>,
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
        ZoneSystem {
            network,
            options,
            layout: Layout::new(network),
            bounds: LocalBounds::new(network, &all),
            locations: ready_locations(network),
            guards: network
                .processes
                .iter()
                .map(|process| process.edges.iter().map(|edge| ready(&edge.guard)).collect())
                .collect(),
            asked: conjuncts
                .iter()
                .map(|(id, conjunct)| {
                    (*id, ReadyGuard::new(&conjunct.conditions, &conjunct.clocks), conjunct.is_stuck)
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

    /// The same, but only as long as one of these is true. In any state, at most one of them may speak of clocks, so that what is
    /// left of a zone is one. `others` are conditions whose constants count, too.
    #[must_use]
    pub fn restricted_to(mut self, within: &[Conjunct], others: &[Conjunct]) -> Self {
        let all = [within, others, &time_stop::bounds_of_stops(self.network)].concat();
        self.bounds = LocalBounds::new(self.network, &all);
        self.diagonals = diagonals(self.network, &all);
        let ready = |conjunct: &Conjunct| ReadyGuard::new(&conjunct.conditions, &conjunct.clocks);
        self.restriction = Some(within.iter().map(ready).collect());
        self
    }

    /// The same, with a cost: zones are closed upwards in it, and it is left alone by extrapolation.
    #[must_use]
    pub fn with_cost(mut self, cost: CostClock) -> Self {
        self.cost = Some(cost);
        self
    }

    /// Lets time pass in a zone, and closes it upwards in the cost.
    #[inline]
    fn pass_time(&self, zone: &mut [Bound]) {
        let dim = self.network.dim();
        transform::up(zone, dim);
        if let Some(CostClock { clock, grows: false, .. }) = self.cost {
            // All others grow, and it does not.
            for other in (1..dim).filter(|&other| other != clock + 1) {
                zone[other * dim + clock + 1] = Bound::INFINITY;
            }
        }
    }

    /// Whoever has come somewhere at some cost might as well have paid more.
    #[inline]
    fn forget_dearness(&self, zone: &mut [Bound]) {
        let Some(CostClock { clock, .. }) = self.cost else { return };
        let dim = self.network.dim();
        for other in (0..dim).filter(|&other| other != clock + 1) {
            zone[(clock + 1) * dim + other] = Bound::INFINITY;
        }
    }

    /// Adds what has to be true all the time to a zone; false when nothing is left.
    fn constrain_to_restriction(
        &self,
        environment: &Environment<'_>,
        zone: &mut [Bound],
    ) -> Result<bool, Fault> {
        let Some(restriction) = &self.restriction else { return Ok(true) };
        let mut chosen: Option<&ReadyGuard> = None;
        for guard in restriction {
            if !holds(&guard.conditions, environment)? {
                continue;
            }
            if guard.fixed.is_empty() && guard.dynamic.is_empty() {
                return Ok(true);
            }
            chosen = chosen.or(Some(guard));
        }
        match chosen {
            Some(guard) => self.constrain(guard, environment, zone),
            None => Ok(false),
        }
    }

    /// The bounds on clocks that the restriction is in a state; none where it cannot be true.
    pub(crate) fn restriction_in(&self, valuation: &Valuation) -> Option<Vec<Constraint>> {
        let environment = self.environment(valuation);
        let mut found: Option<Vec<Constraint>> = None;
        for guard in self.restriction.iter().flatten() {
            if !holds(&guard.conditions, &environment).unwrap_or(false) {
                continue;
            }
            let mut bounds = guard.fixed.clone();
            for constraint in &guard.dynamic {
                bounds.extend(constraint_in(constraint, &environment).ok().flatten());
            }
            if bounds.is_empty() {
                return Some(bounds);
            }
            found = found.or(Some(bounds));
        }
        found
    }

    /// The network.
    pub fn network(&self) -> &'a Network {
        self.network
    }

    /// How states are laid out.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Adds the bounds of a guard to a zone; false when nothing is left.
    #[inline]
    fn constrain(
        &self,
        guard: &ReadyGuard,
        environment: &Environment<'_>,
        zone: &mut [Bound],
    ) -> Result<bool, Fault> {
        let dim = self.network.dim();
        for constraint in &guard.fixed {
            if !matrix::constrain(zone, dim, constraint.left, constraint.right, constraint.bound) {
                return Ok(false);
            }
        }
        for constraint in &guard.dynamic {
            let Some(Constraint { left, right, bound }) = constraint_in(constraint, environment)? else {
                continue;
            };
            if !matrix::constrain(zone, dim, left, right, bound) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Adds all invariants of a state to a zone; false when nothing is left, or a condition on integers fails.
    #[inline]
    pub(crate) fn constrain_to_invariants(
        &self,
        valuation: &Valuation,
        zone: &mut [Bound],
    ) -> Result<bool, Fault> {
        Ok(self.constrain_to_own_invariants(valuation, zone)?
            && self.constrain_to_restriction(&self.environment(valuation), zone)?)
    }

    /// The same without the restriction.
    pub(crate) fn constrain_to_own_invariants(
        &self,
        valuation: &Valuation,
        zone: &mut [Bound],
    ) -> Result<bool, Fault> {
        let environment = self.environment(valuation);
        for (locations, &location) in self.locations.iter().zip(&valuation.locations) {
            let invariant = &locations[location as usize].invariant;
            if invariant.is_trivial {
                continue;
            }
            if !holds(&invariant.conditions, &environment)?
                || !self.constrain(invariant, &environment, zone)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(crate) fn environment<'v>(&'v self, valuation: &'v Valuation) -> Environment<'v> {
        Environment {
            values: &valuation.values,
            locals: &[],
            locations: &valuation.locations,
            labels: &self.labels,
        }
    }

    /// Whether time may pass.
    #[inline]
    pub(crate) fn may_delay(&self, valuation: &Valuation) -> bool {
        self.locations
            .iter()
            .zip(&valuation.locations)
            .enumerate()
            .all(|(process, (ready, &location))| match ready[location as usize].urgency {
                Urgency::None => true,
                Urgency::Atomic => !self.is_committed(process, valuation),
                Urgency::Urgent | Urgency::Committed => false,
            })
            && !(self.has_urgent && self.network.is_urgent(&self.environment(valuation)))
    }

    #[inline]
    pub(crate) fn is_committed(&self, process: usize, valuation: &Valuation) -> bool {
        match self.locations[process][valuation.locations[process] as usize].urgency {
            Urgency::None | Urgency::Urgent => false,
            Urgency::Committed => true,
            Urgency::Atomic => self.network.is_committed(process, &self.environment(valuation)),
        }
    }

    /// The states that a part of a composite state leads to by waiting, with the invariants and the restriction of this system.
    pub fn enter(
        &self,
        state: &[u8],
        zone: &[Bound],
        scratch: &mut ZoneScratch,
        out: &mut Steps<ZoneRegion, TimedMove>,
    ) {
        self.layout.decode(state, &mut scratch.after);
        scratch.zone.copy_from_slice(zone);
        if self.constrain_to_invariants(&scratch.after, &mut scratch.zone).unwrap_or(false) {
            // A fault here was one of the step that led here.
            let _ = self.finish(scratch, &[], out);
        }
    }

    /// Lets time pass in a zone that satisfies the invariants, extrapolates it, and pushes what comes out.
    fn finish(
        &self,
        scratch: &mut ZoneScratch,
        labels: &[TimedMove],
        out: &mut Steps<ZoneRegion, TimedMove>,
    ) -> Result<(), Fault> {
        self.forget_dearness(&mut scratch.zone);
        if !self.may_delay(&scratch.after) {
            self.push_zone(scratch, labels, out);
            return Ok(());
        }
        if self.network.time_stops.is_empty() {
            if self.wait(scratch)? {
                self.push_zone(scratch, labels, out);
            }
            return Ok(());
        }
        let dim = self.network.dim();
        for part in self.parts_of_wait(&scratch.after, &scratch.zone)? {
            scratch.zone.copy_from_slice(&part.zone);
            if !part.is_still {
                let is_possible = self.wait(scratch)?;
                let constrain = |one: &Constraint| {
                    matrix::constrain(&mut scratch.zone, dim, one.left, one.right, one.bound)
                };
                if !is_possible || !part.end.iter().all(constrain) {
                    continue;
                }
            }
            let moved = labels.first().cloned().unwrap_or_default();
            let label = out.is_recording().then(|| TimedMove { stay: Some(part.stay()), ..moved });
            self.push_zone(scratch, label.as_slice(), out);
        }
        Ok(())
    }

    /// Lets time pass in a zone, as long as the invariants allow; false when nothing is left.
    #[inline]
    fn wait(&self, scratch: &mut ZoneScratch) -> Result<bool, Fault> {
        self.pass_time(&mut scratch.zone);
        let environment = self.environment(&scratch.after);
        for (locations, &location) in self.locations.iter().zip(&scratch.after.locations) {
            let invariant = &locations[location as usize].invariant;
            if !invariant.is_trivial && !self.constrain(invariant, &environment, &mut scratch.zone)? {
                return Ok(false);
            }
        }
        self.constrain_to_restriction(&environment, &mut scratch.zone)
    }

    /// Extrapolates a zone, and pushes what comes out.
    fn push_zone(
        &self,
        scratch: &mut ZoneScratch,
        labels: &[TimedMove],
        out: &mut Steps<ZoneRegion, TimedMove>,
    ) {
        let dim = self.network.dim();
        scratch.bytes.clear();
        self.layout.encode(&scratch.after, &mut scratch.bytes);
        self.bounds.gather(&scratch.after.locations, &mut scratch.constants);
        let ZoneScratch { zone, constants, bytes, .. } = scratch;
        let (lower, upper) = constants.split_at_mut(dim);
        if let Some(CostClock { clock, .. }) = self.cost {
            (lower[clock + 1], upper[clock + 1]) = (MOST_COST, MOST_COST);
        }
        if !self.diagonals.is_empty() && self.options.extrapolation != Extrapolation::None {
            let most: Vec<i32> = lower.iter().zip(&*upper).map(|(&lower, &upper)| lower.max(upper)).collect();
            let whole = Zone::from_bounds(dim, zone).expect("a zone with a value");
            for piece in extrapolation::extrapolate_split(&whole, &most, &self.diagonals) {
                if let Some(symmetry) = &self.symmetry {
                    let (mut after, mut zone) = (scratch.after.clone(), piece.bounds().to_vec());
                    symmetry.sort(&mut after, &mut zone, &mut Vec::new());
                    bytes.clear();
                    self.layout.encode(&after, bytes);
                    out.push(bytes, ZoneRegion::new(&zone, Cover::Inclusion, &[]), labels);
                    continue;
                }
                out.push(bytes, ZoneRegion::new(piece.bounds(), Cover::Inclusion, &[]), labels);
            }
            return;
        }
        match self.options.extrapolation {
            Extrapolation::None => {}
            Extrapolation::Lu => extrapolation::extrapolate_lu(zone, dim, lower, upper),
            Extrapolation::LuPlus => extrapolation::extrapolate_lu_plus(zone, dim, lower, upper),
            Extrapolation::Max | Extrapolation::MaxPlus => {
                for (lower, &upper) in lower.iter_mut().zip(&*upper) {
                    *lower = (*lower).max(upper);
                }
                if self.options.extrapolation == Extrapolation::Max {
                    extrapolation::extrapolate_max(zone, dim, lower);
                } else {
                    extrapolation::extrapolate_max_plus(zone, dim, lower);
                }
            }
        }
        if self.symmetry.is_some() {
            return self.push_in_order(scratch, labels, out);
        }
        out.push(bytes, ZoneRegion::new(zone, self.options.cover, constants), labels);
    }

    /// Pushes what has been worked out, with elements of scalar sets in order.
    fn push_in_order(
        &self,
        scratch: &mut ZoneScratch,
        labels: &[TimedMove],
        out: &mut Steps<ZoneRegion, TimedMove>,
    ) {
        let Some(symmetry) = &self.symmetry else { return };
        scratch.exchanges.clear();
        symmetry.sort(&mut scratch.after, &mut scratch.zone, &mut scratch.exchanges);
        scratch.bytes.clear();
        self.layout.encode(&scratch.after, &mut scratch.bytes);
        self.bounds.gather(&scratch.after.locations, &mut scratch.constants);
        let region = ZoneRegion::new(&scratch.zone, self.options.cover, &scratch.constants);
        out.push(&scratch.bytes, region, labels);
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
        if has_committed
            && !chosen.iter().any(|&(process, _)| self.is_committed(process, &scratch.before))
        {
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
        if !self.constrain_to_invariants(&scratch.after, &mut scratch.zone)? {
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
        let has_committed = (0..self.network.processes.len())
            .any(|process| self.is_committed(process, &scratch.before));
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

/// Whether every condition is true.
#[inline]
pub(crate) fn holds(conditions: &[Expr], environment: &Environment<'_>) -> Result<bool, Fault> {
    for condition in conditions {
        if condition.evaluate(environment)? == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A constraint on clocks of a zone; none when there is no bound.
pub(crate) fn constraint_in(
    constraint: &ClockConstraint,
    environment: &Environment<'_>,
) -> Result<Option<Constraint>, Fault> {
    let side = |place: &Option<ClockPlace>| clock_of(place.as_ref(), environment);
    let (left, right) = (side(&constraint.left)?, side(&constraint.right)?);
    let Some(bound) = constraint.bound_in(environment)? else { return Ok(None) };
    // Ranges were checked when the network was made: this never cuts anything off.
    let most = i64::from(statement::MOST_CLOCK_VALUE);
    let bound = bound_of(bound.clamp(-most, most) as i32, constraint.is_strict);
    Ok(Some(Constraint { left, right, bound }))
}

/// The clock of a zone that a place is; 0 for none.
pub(crate) fn clock_of(place: Option<&ClockPlace>, environment: &Environment<'_>) -> Result<usize, Fault> {
    let Some(place) = place else { return Ok(0) };
    let index = match &place.index {
        None => 0,
        Some(index) => checked_index(index.evaluate(environment)?, place.length)?,
    };
    Ok(place.first + index + 1)
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

fn ready(guard: &Guard) -> ReadyGuard {
    ReadyGuard::new(&guard.conditions, &guard.clocks)
}

fn ready_locations(network: &Network) -> Vec<Vec<ReadyLocation>> {
    let is_synchronized = |process: usize, event: usize| {
        network.synchronizations.iter().any(|synchronization| {
            synchronization
                .participants
                .iter()
                .any(|participant| participant.process == process && participant.event == event)
        })
    };
    network
        .processes
        .iter()
        .enumerate()
        .map(|(index, process)| {
            let mut locations: Vec<ReadyLocation> = process
                .locations
                .iter()
                .map(|location| ReadyLocation {
                    invariant: ready(&location.invariant),
                    urgency: location.urgency,
                    alone: Vec::new(),
                    by_event: vec![Vec::new(); network.events.len()],
                })
                .collect();
            for (number, edge) in process.edges.iter().enumerate() {
                let location = &mut locations[edge.source];
                location.by_event[edge.event].push(number);
                if !is_synchronized(index, edge.event) {
                    location.alone.push(number);
                }
            }
            locations
        })
        .collect()
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
