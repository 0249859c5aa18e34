//! Kinds of edges and locations: what decides how they are compiled.
//!
//! An edge that enters an indivisible block stands for the whole block here, because code for it runs the
//! block to its end.

use std::collections::HashSet;

use fathom_model::{Action, Edge, EdgeId, Guard, Location, Model, Sync, TemplateId};

use crate::facts::Facts;

/// Most edges of a location that one function answers for: results have a bit for each, and some to spare.
pub(crate) const MOST_CHOICES: usize = 62;

/// The bit of a channel, counted from 0, in sets of channels.
pub(crate) fn channel_bit(channel: u64) -> u64 {
    1 << (channel % 64)
}

/// How the edges of a location are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LocationKind {
    /// All at once, each on a copy of the state.
    InPlace,
    /// There is only one edge, and it needs the driver when it can be taken.
    Last,
    /// By the driver.
    Special,
}

/// How the edges of a location are taken.
pub(crate) fn location_kind(facts: &Facts<'_>, template: TemplateId, location: &Location) -> LocationKind {
    let edges: Vec<&Edge> =
        location.groups.iter().flatten().map(|edge| facts.model.template(template).edge(*edge)).collect();
    if needs_one_by_one(facts, &edges) {
        return LocationKind::Special;
    }
    match edges.iter().any(|edge| changes_records_inside(facts.model, template, edge)) {
        false => LocationKind::InPlace,
        true if edges.len() == 1 => LocationKind::Last,
        true => LocationKind::Special,
    }
}

/// A location at which all offers of hand-shakes are idle when nobody receives from their channels, without these
/// edges; and the channels. None when the driver is needed for other reasons, too.
pub(crate) fn without_offers(
    facts: &Facts<'_>,
    template: TemplateId,
    location: &Location,
) -> Option<(Location, u64)> {
    let [group] = &location.groups[..] else { return None };
    let mut channels = 0;
    let mut without = location.clone();
    without.groups = vec![Vec::new()];
    for &id in group {
        let edge = facts.model.template(template).edge(id);
        if !facts.may_offer(edge.sync.as_ref()) {
            without.groups[0].push(id);
        } else {
            channels |= idle_offer(facts, template, edge)?;
        }
    }
    let is_simple = !location.deterministic
        && channels != 0
        && location_kind(facts, template, &without) == LocationKind::InPlace;
    is_simple.then_some((without, channels))
}

/// The bit of the channel of an edge that does nothing, not even fail, unless somebody receives from it.
pub(crate) fn idle_offer(facts: &Facts<'_>, template: TemplateId, edge: &Edge) -> Option<u64> {
    let Some(Sync::Send { channel, fields, .. }) = &edge.sync else { return None };
    let guard_is_total = match &edge.guard {
        Guard::When(condition) => facts.is_total(condition),
        Guard::Always | Guard::Youngest | Guard::Else => true,
    };
    let [class] = facts.classes_of(channel)[..] else { return None };
    let number = facts.constant(channel).filter(|number| *number > 0)?;
    let is_idle = guard_is_total
        && facts.classes[class].is_rendezvous()
        && facts.classes[class].fields.len() == fields.len()
        && fields.iter().all(|field| facts.is_total(field))
        && is_plain_move(facts, template, edge);
    is_idle.then(|| channel_bit(number as u64 - 1))
}

/// Whether an edge, apart from the exchange, only moves its process to another location.
pub(crate) fn is_plain_move(facts: &Facts<'_>, template: TemplateId, edge: &Edge) -> bool {
    let goes_on = edge.atomic && facts.run_on.rank(template, edge.target).is_some();
    let needs_code = goes_on || facts.model.template(template).location(edge.target).deterministic;
    let does_something = |action: &Action| !matches!(action, Action::Print(_));
    facts.layout.last.is_none() && !needs_code && !edge.effect.iter().any(does_something)
}

/// Whether edges must be tried one by one.
pub(crate) fn needs_one_by_one(facts: &Facts<'_>, edges: &[&Edge]) -> bool {
    edges.len() > MOST_CHOICES
        || edges.iter().any(|edge| facts.may_offer(edge.sync.as_ref()) || requires(edge))
}

/// Whether the effect of an edge may have a result other than 0.
pub(crate) fn has_result(model: &Model, template: TemplateId, edge: &Edge) -> bool {
    any_inside(model, template, edge, &mut |edge| {
        edge.atomic || edge.effect.iter().any(|action| matches!(action, Action::Assert(_)))
    })
}

/// Whether an edge may turn out not to be executable after it has run.
pub(crate) fn requires(edge: &Edge) -> bool {
    edge.effect.iter().any(|action| matches!(action, Action::Require(_)))
}

/// Whether an edge adds or removes records.
pub(crate) fn changes_records(edge: &Edge) -> bool {
    edge.effect.iter().any(|action| matches!(action, Action::Create { .. } | Action::End))
}

/// Whether an edge, or the indivisible block that it enters, adds or removes records.
pub(crate) fn changes_records_inside(model: &Model, template: TemplateId, edge: &Edge) -> bool {
    any_inside(model, template, edge, &mut changes_records)
}

/// The same for an edge by its identity.
pub(crate) fn grows(model: &Model, template: TemplateId, edge: EdgeId) -> bool {
    changes_records_inside(model, template, model.template(template).edge(edge))
}

/// Whether the process may go on alone after an edge and the block that it enters.
pub(crate) fn may_go_on(model: &Model, template: TemplateId, edge: &Edge) -> bool {
    any_inside(model, template, edge, &mut |edge| edge.atomic)
}

/// Whether something is true of an edge or of one in the indivisible block that it enters.
pub(crate) fn any_inside(
    model: &Model,
    template: TemplateId,
    edge: &Edge,
    is_it: &mut dyn FnMut(&Edge) -> bool,
) -> bool {
    if is_it(edge) {
        return true;
    }
    let template = model.template(template);
    let mut seen = HashSet::from([edge.target]);
    let mut waiting = vec![edge.target];
    while let Some(location) = waiting.pop() {
        let location = template.location(location);
        if !location.deterministic {
            continue;
        }
        for edge in location.groups.iter().flatten().map(|edge| template.edge(*edge)) {
            if is_it(edge) {
                return true;
            }
            if seen.insert(edge.target) {
                waiting.push(edge.target);
            }
        }
    }
    false
}
