//! Where generated code may go on alone by itself.
//!
//! After an atomic edge the same process goes on, and most of the time it has exactly one edge to take. Then
//! generated code takes it in place, without coming back to the driver, which would have to copy the state and
//! to look whether it was there before. The driver gets back where there is a choice, and where a sequence
//! might go round: the locations of a template are numbered, and code goes on by itself only to higher
//! numbers. So every round has a state that the driver sees, and a sequence that repeats itself is noticed
//! there instead of some edges earlier, which makes no difference as long as these edges have no choice and no
//! assertion.

use std::collections::HashSet;

use fathom_model::{Action, Edge, Location, LocationId, Model, Template, TemplateId, TemplateRole};

use crate::facts::Facts;
use crate::kinds::{any_inside, changes_records_inside, requires};

/// Most edges of a location that code goes on from by itself.
const MOST_EDGES: usize = 16;

/// The locations at which generated code may go on.
#[derive(Clone, Default, Debug)]
pub(crate) struct RunOn {
    /// By template and location: its number, for those where code goes on.
    ranks: Vec<Vec<Option<usize>>>,
}

impl RunOn {
    pub fn of(facts: &Facts<'_>) -> RunOn {
        let model = facts.model;
        let ranks =
            (0..model.templates.len()).map(|index| ranks(facts, model, TemplateId::from(index))).collect();
        RunOn { ranks }
    }

    /// The number of a location where code goes on.
    pub fn rank(&self, template: TemplateId, location: LocationId) -> Option<usize> {
        self.ranks[template.index()][location.index()]
    }

    /// All locations where code goes on, in an order in which each comes after those it leads to.
    pub fn locations(&self) -> Vec<(TemplateId, LocationId)> {
        let mut all = Vec::new();
        for (template, ranks) in self.ranks.iter().enumerate() {
            let mut ranked: Vec<(usize, usize)> = ranks
                .iter()
                .enumerate()
                .filter_map(|(location, rank)| rank.map(|rank| (rank, location)))
                .collect();
            ranked.sort_unstable_by(|left, right| right.cmp(left));
            all.extend(
                ranked.iter().map(|&(_, location)| (TemplateId::from(template), LocationId::from(location))),
            );
        }
        all
    }
}

fn ranks(facts: &Facts<'_>, model: &Model, id: TemplateId) -> Vec<Option<usize>> {
    let template = model.template(id);
    let none = vec![None; template.locations.len()];
    if template.role != TemplateRole::Process || template.provided.is_some() || model.uses_priorities {
        return none;
    }
    let targets: HashSet<LocationId> =
        template.edges.iter().filter(|edge| edge.atomic).map(|edge| edge.target).collect();
    let mut ranks = none;
    for (rank, location) in reverse_postorder(template).into_iter().enumerate() {
        if targets.contains(&location) && is_simple(facts, model, id, template.location(location)) {
            ranks[location.index()] = Some(rank);
        }
    }
    ranks
}

/// Whether all that can happen at a location is an edge of the process alone, without assertions, that leaves
/// the records as they are.
fn is_simple(facts: &Facts<'_>, model: &Model, id: TemplateId, location: &Location) -> bool {
    let template = model.template(id);
    let is_simple_edge = |edge: &Edge| {
        !facts.may_offer(edge.sync.as_ref())
            && !changes_records_inside(model, id, edge)
            && !any_inside(model, id, edge, &mut |edge| requires(edge) || asserts(edge))
    };
    let [group] = location.groups.as_slice() else { return false };
    !location.deterministic
        && group.len() <= MOST_EDGES
        && group.iter().all(|edge| is_simple_edge(template.edge(*edge)))
}

fn asserts(edge: &Edge) -> bool {
    edge.effect.iter().any(|action| matches!(action, Action::Assert(_)))
}

/// The locations that can be reached, each before those it leads to except where there is a cycle.
fn reverse_postorder(template: &Template) -> Vec<LocationId> {
    let targets = |location: LocationId| -> Vec<LocationId> {
        let edges = template.location(location).groups.iter().flatten();
        edges.map(|edge| template.edge(*edge).target).collect()
    };
    let mut order = Vec::new();
    let mut seen = HashSet::from([template.initial]);
    let mut stack = vec![(template.initial, targets(template.initial))];
    while let Some((location, waiting)) = stack.last_mut() {
        match waiting.pop() {
            Some(next) if seen.insert(next) => stack.push((next, targets(next))),
            Some(_) => {}
            None => {
                order.push(*location);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}
