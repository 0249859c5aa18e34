//! Guided search over diagrams: A* whose states are sets.
//!
//! What is reached is divided by its abstract distance; what has the smallest sum of steps and distance is expanded next, deeper sets first among equals (Qian and Nymeyer, TACAS 2004; SGMC
//! of Bui 2009, section 3.10). Distances never exceed the true ones and differ by at most one along a step, so a set that is expanded has been reached on shortest ways, and the first evidence is at
//! the end of a shortest trace. When nothing is left there is no evidence at all: what the database leaves out never leads to any. Differences to the source: sets with the same steps and distance
//! are one, what was expanded is subtracted when a set is taken, and the way back goes through the sets that were expanded, step by step.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use fathom_diagram::{Diagram, NoRoom};
use fathom_model::{Interpreter, Trace};

use crate::composite::Composite;
use crate::concrete::follow;
use crate::distances::AbstractDistances;
use crate::relation::{CompositeRelation, Sets, add};

/// How far to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GuidedLimits {
    /// Most sets to expand.
    pub max_states: Option<u64>,
    /// Most steps from an initial state.
    pub max_depth: Option<u32>,
}

/// Why a guided search ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GuidedEnd {
    /// There is evidence, at the end of a shortest trace.
    Found(Trace),
    /// There is evidence, but the interpreter cannot be led there: a step has more outcomes than it lists.
    Unshown,
    /// There is none.
    Exhausted,
    /// There is none within the bound on depth.
    DepthCut,
    /// The bound on sets was met.
    StatesCut,
    /// Somebody asked to stop.
    Stopped,
    /// There was no room for diagrams.
    NoRoom,
}

/// What a guided search has seen.
#[derive(Clone, PartialEq, Debug)]
pub struct GuidedSearch {
    /// Why it ended.
    pub end: GuidedEnd,
    /// Sets that were expanded.
    pub n_states: u64,
    /// Sets that were made by steps.
    pub n_transitions: u64,
    /// Most steps from an initial state of what was expanded.
    pub depth: u64,
    /// Concrete states that were expanded.
    pub concrete_states: f64,
}

/// Where a guided search is, for whoever watches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GuidedProgress {
    /// Sets that were expanded.
    pub n_states: u64,
    /// Sets that were made by steps.
    pub n_transitions: u64,
    /// Steps from an initial state of what is expanded.
    pub depth: u64,
    /// Sets that wait.
    pub n_pending: u64,
}

/// Searches for evidence about the property of a relation; asks now and then whether to go on.
pub fn guided_search(
    relation: &CompositeRelation<'_, '_>,
    distances: &AbstractDistances,
    limits: GuidedLimits,
    goes_on: &mut dyn FnMut(&GuidedProgress) -> bool,
) -> GuidedSearch {
    let mut search = Search {
        relation,
        distances,
        limits,
        open: BTreeMap::new(),
        expanded: Vec::new(),
        closed: Sets::new(),
        seen: GuidedSearch {
            end: GuidedEnd::Exhausted,
            n_states: 0,
            n_transitions: 0,
            depth: 0,
            concrete_states: 0.0,
        },
        is_cut: false,
    };
    let end = search.run(goes_on).unwrap_or(GuidedEnd::NoRoom);
    let concrete_states = relation.count(&search.closed);
    GuidedSearch { end, concrete_states, ..search.seen }
}

/// Sum of steps and distance, and steps, of which more come first.
type Rank = (u32, Reverse<u32>);

struct Search<'r, 'c, 'm> {
    relation: &'r CompositeRelation<'c, 'm>,
    distances: &'r AbstractDistances,
    limits: GuidedLimits,
    open: BTreeMap<Rank, Sets>,
    /// By steps: what was expanded.
    expanded: Vec<Vec<(usize, Diagram)>>,
    closed: Sets,
    seen: GuidedSearch,
    is_cut: bool,
}

impl Search<'_, '_, '_> {
    fn run(&mut self, goes_on: &mut dyn FnMut(&GuidedProgress) -> bool) -> Result<GuidedEnd, NoRoom> {
        if self.relation.is_found_at_once {
            return Ok(self.found(&[]));
        }
        for (&place, values) in &self.relation.initial {
            self.wait(0, place, values)?;
        }
        while let Some(((_, Reverse(steps)), sets)) = self.open.pop_first() {
            let mut reached = Sets::new();
            for (place, values) in sets {
                let values = match self.closed.get(&place) {
                    Some(closed) => values.minus(closed)?,
                    None => values,
                };
                if values.is_false() {
                    continue;
                }
                if self.limits.max_states.is_some_and(|most| self.seen.n_states >= most) {
                    return Ok(GuidedEnd::StatesCut);
                }
                let progress = GuidedProgress {
                    n_states: self.seen.n_states,
                    n_transitions: self.seen.n_transitions,
                    depth: u64::from(steps),
                    n_pending: self.open.len() as u64,
                };
                if !goes_on(&progress) {
                    return Ok(GuidedEnd::Stopped);
                }
                self.seen.n_states += 1;
                self.seen.depth = self.seen.depth.max(u64::from(steps));
                add(&mut self.closed, place, &values)?;
                let evidence = values.and(&self.relation.parts[place].goal)?;
                self.note(steps, place, values.clone());
                if !evidence.is_false() {
                    return self.way_to(steps, place, &evidence);
                }
                let image = self.relation.image(place, &values)?;
                if self.limits.max_depth.is_some_and(|most| steps >= most) {
                    self.is_cut |= !image.is_empty();
                    continue;
                }
                self.seen.n_transitions += image.len() as u64;
                for (target, values) in &image {
                    add(&mut reached, *target, values)?;
                }
            }
            for (place, values) in reached {
                let news = match self.closed.get(&place) {
                    Some(closed) => values.minus(closed)?,
                    None => values,
                };
                self.wait(steps + 1, place, &news)?;
            }
        }
        Ok(if self.is_cut { GuidedEnd::DepthCut } else { GuidedEnd::Exhausted })
    }

    /// Divides what was reached in so many steps by distance, and keeps it for later.
    fn wait(&mut self, steps: u32, place: usize, values: &Diagram) -> Result<(), NoRoom> {
        for (distance, values) in self.distances.split(place, values)? {
            let rank = (steps.saturating_add(distance), Reverse(steps));
            add(self.open.entry(rank).or_default(), place, &values)?;
        }
        Ok(())
    }

    fn note(&mut self, steps: u32, place: usize, values: Diagram) {
        let steps = steps as usize;
        if self.expanded.len() <= steps {
            self.expanded.resize(steps + 1, Vec::new());
        }
        self.expanded[steps].push((place, values));
    }

    /// A concrete way to evidence, through what was expanded one step before, two steps before, and so on.
    fn way_to(&self, steps: u32, place: usize, evidence: &Diagram) -> Result<GuidedEnd, NoRoom> {
        let composite: &Composite<'_> = self.relation.composite;
        let pick = |place: usize, values: &Diagram| composite.pick(&self.relation.parts[place].bytes, values);
        let mut states: Vec<Vec<u8>> = pick(place, evidence).into_iter().collect();
        for layer in self.expanded[..steps as usize].iter().rev() {
            let Some((place, values)) = self.relation.locate(&states[states.len() - 1])? else { break };
            let target = Sets::from([(place, values)]);
            for (before, values) in layer {
                let leading = self.relation.one_before(*before, &target)?.and(values)?;
                if let Some(state) = pick(*before, &leading) {
                    states.push(state);
                    break;
                }
            }
        }
        states.reverse();
        Ok(self.found(&states))
    }

    /// The trace through states.
    fn found(&self, states: &[Vec<u8>]) -> GuidedEnd {
        let property = self.relation.property;
        let interpreter = Interpreter::new(self.relation.composite.model, &[property]);
        follow(&interpreter, states, property).map_or(GuidedEnd::Unshown, GuidedEnd::Found)
    }
}
