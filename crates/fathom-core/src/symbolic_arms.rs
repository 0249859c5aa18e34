//! Arms of a hunt that work on sets of values: guided search over diagrams, and walks through sets of successors.
//!
//! The transition relation of a property is made once, when the first arm needs it, and shared. Where there is none that is small enough these arms have nothing to do. A step over diagrams takes as long as
//! many explicit ones, so that slices, which are counted in states, are shorter here.

use std::sync::OnceLock;

use fathom_hunt::{Arm, Bias, Found, Share, Slice, Target, derive_seed};
use fathom_model::{Model, PropertyId};
use fathom_search::{Monitor, Progress};
use fathom_symbolic::{
    AbstractDistances, Composite, CompositeRelation, GuidedEnd, GuidedLimits, Partition, Room,
    SymbolicRepeats, SymbolicWalkEnd, SymbolicWalkRules, SymbolicWalker, guided_search,
};

use crate::symbolic_guided::Dice;

/// Explicit states that a step over diagrams counts for.
const STATES_OF_A_STEP: u64 = 32;
/// Sets that the first guided search may expand, and how many times as many the next.
const FIRST_SETS: u64 = 256;
const GROWTH: u64 = 8;
/// Nodes for the relation and all that is done with it.
const NODES: usize = 1 << 23;

/// A model with everything symbolic, for each property.
pub(crate) fn composites<'m>(model: &'m Model, safety: &[PropertyId]) -> Vec<(PropertyId, Composite<'m>)> {
    let partition = Partition::symbolic(model);
    let composite = |&property: &PropertyId| {
        (property, Composite::new(model, &partition, &[property], Room { nodes: NODES }))
    };
    safety.iter().map(composite).collect()
}

/// What the arms share about a property.
pub(crate) struct Shared<'g, 'm> {
    property: PropertyId,
    composite: &'g Composite<'m>,
    relation: OnceLock<Option<CompositeRelation<'g, 'm>>>,
    distances: OnceLock<Option<AbstractDistances>>,
}

impl<'g, 'm> Shared<'g, 'm> {
    pub fn new((property, composite): &'g (PropertyId, Composite<'m>)) -> Shared<'g, 'm> {
        let (relation, distances) = (OnceLock::new(), OnceLock::new());
        Shared { property: *property, composite, relation, distances }
    }

    fn relation(&self, monitor: &mut dyn Monitor) -> Option<&CompositeRelation<'g, 'm>> {
        let make = || {
            let mut goes_on = |_: u64, _: u64| monitor.poll(&NOTHING_YET).is_none();
            CompositeRelation::new(self.composite, self.property, &mut goes_on).ok()
        };
        self.relation.get_or_init(make).as_ref()
    }

    fn distances(
        &self,
        relation: &CompositeRelation<'g, 'm>,
        monitor: &mut dyn Monitor,
    ) -> Option<&AbstractDistances> {
        let make = || {
            let mut goes_on = |_: u64, _: u64| monitor.poll(&NOTHING_YET).is_none();
            AbstractDistances::chosen(relation, &mut goes_on).ok()
        };
        self.distances.get_or_init(make).as_ref()
    }
}

const NOTHING_YET: Progress = Progress { states: 0, transitions: 0, depth: 0, pending: 0, bytes: 0 };

/// The arms on sets of values.
pub(crate) fn symbolic_arms<'g, 'm: 'g>(shared: &'g [Shared<'g, 'm>], seed: u64) -> Vec<Box<dyn Arm + 'g>> {
    let walks = |name: &'static str, guided: bool, repeats: SymbolicRepeats, number: u64| {
        let seed = derive_seed(seed, number);
        Box::new(WalkThroughSets { name, shared, guided, repeats, seed, next: 0, n_slices: 0 })
            as Box<dyn Arm + 'g>
    };
    // Numbers that no explicit arm has.
    vec![
        Box::new(GuidedOverSets { shared, next: 0, n_slices: 0 }),
        walks("symbolic trail, guided", true, SymbolicRepeats::Avoid, 1001),
        walks("symbolic walk, guided", true, SymbolicRepeats::Allow, 1002),
        walks("symbolic trail", false, SymbolicRepeats::Avoid, 1003),
    ]
}

/// The property that is looked at next, and the most steps that are an improvement.
fn next_target<'g, 'm>(
    shared: &'g [Shared<'g, 'm>],
    targets: &[Target],
    number: u64,
) -> Option<(&'g Shared<'g, 'm>, u32)> {
    let target = targets.get(number as usize % targets.len().max(1))?;
    let one = shared.iter().find(|one| one.property == target.property)?;
    Some((one, target.most_steps.unwrap_or(u32::MAX)))
}

/// A* over sets of states, with more and more sets.
struct GuidedOverSets<'g, 'm> {
    shared: &'g [Shared<'g, 'm>],
    next: u64,
    n_slices: u32,
}

impl Arm for GuidedOverSets<'_, '_> {
    fn name(&self) -> &str {
        "symbolic guided"
    }

    fn work(&mut self, targets: &[Target], _: u64, monitor: &mut dyn Monitor) -> Slice {
        let Some((one, most_steps)) = next_target(self.shared, targets, self.next) else {
            return Slice { is_exhausted: true, ..Slice::default() };
        };
        self.next += 1;
        let Some(relation) = one.relation(monitor) else {
            return Slice { is_exhausted: true, ..Slice::default() };
        };
        let Some(distances) = one.distances(relation, monitor) else {
            return Slice { is_exhausted: true, ..Slice::default() };
        };
        let max_states = Some(FIRST_SETS.saturating_mul(GROWTH.saturating_pow(self.n_slices)));
        if self.next.is_multiple_of(targets.len().max(1) as u64) {
            self.n_slices += 1;
        }
        let max_depth = (most_steps < u32::MAX).then_some(most_steps);
        let done = guided_search(relation, distances, GuidedLimits { max_states, max_depth }, &mut |now| {
            let progress = Progress {
                states: now.n_states,
                transitions: now.n_transitions,
                depth: now.depth,
                ..NOTHING_YET
            };
            monitor.poll(&progress).is_none()
        });
        let is_alone = targets.len() == 1;
        let is_over = matches!(done.end, GuidedEnd::Exhausted | GuidedEnd::DepthCut);
        let found = match done.end {
            GuidedEnd::Found(trace) => Some((one.property, Found::from(&trace))),
            _ => None,
        };
        Slice {
            is_exhausted: is_alone && is_over,
            proves: is_alone && is_over && max_depth.is_none(),
            is_shortest: is_alone && (found.is_some() || is_over && max_depth.is_some()),
            found,
            states: done.n_states,
            transitions: done.n_transitions,
            depth: done.depth,
        }
    }
}

/// Walks of single states through sets of successors. Bounds change from slice to slice, as for explicit walks.
struct WalkThroughSets<'g, 'm> {
    name: &'static str,
    shared: &'g [Shared<'g, 'm>],
    guided: bool,
    repeats: SymbolicRepeats,
    seed: u64,
    next: u64,
    n_slices: u32,
}

impl Arm for WalkThroughSets<'_, '_> {
    fn name(&self) -> &str {
        self.name
    }

    fn work(&mut self, targets: &[Target], n_states: u64, monitor: &mut dyn Monitor) -> Slice {
        let nothing = Slice { is_exhausted: true, ..Slice::default() };
        let Some((one, most_steps)) = next_target(self.shared, targets, u64::from(self.n_slices)) else {
            return nothing;
        };
        let Some(relation) = one.relation(monitor) else { return nothing };
        let distances = match self.guided {
            true => one.distances(relation, monitor),
            false => None,
        };
        if self.guided && distances.is_none() {
            return nothing;
        }
        let bound = (1000 * 10_u64.pow(self.n_slices % 4)).min(u64::from(most_steps)) as u32;
        let rules = SymbolicWalkRules { repeats: self.repeats, max_depth: Some(bound) };
        self.n_slices += 1;
        let most = (n_states / STATES_OF_A_STEP).max(1);
        let mut walker = SymbolicWalker::new(relation, distances);
        let (mut slice, mut is_stopped) = (Slice::default(), false);
        let largest = distances.map_or(0, AbstractDistances::largest);
        while slice.states < most && slice.found.is_none() && !is_stopped {
            let bias = Bias::default().of_walk(self.next);
            let mut dice =
                Dice::new(derive_seed(self.seed, self.next), bias, Share::EachEstimate, largest, false);
            self.next += 1;
            let before = slice.states;
            let made = walker.walk(rules, &mut dice, &mut |n_steps| {
                let progress = Progress { states: before + n_steps, depth: n_steps, ..NOTHING_YET };
                is_stopped |= n_steps % 64 == 0 && monitor.poll(&progress).is_some();
                !is_stopped
            });
            let n_steps = made.states.len().saturating_sub(1) as u64;
            slice.states += made.states.len() as u64;
            slice.transitions += n_steps;
            slice.depth = slice.depth.max(n_steps);
            match made.end {
                SymbolicWalkEnd::Found => {
                    let trace = relation.trace_of(&made);
                    slice.found = trace.map(|trace| (one.property, Found::from(&trace)));
                }
                SymbolicWalkEnd::NoRoom => is_stopped = true,
                _ => {}
            }
        }
        slice
    }
}
