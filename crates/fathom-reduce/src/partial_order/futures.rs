//! Futures: what a process can still do from where it is.

use fathom_model::{Action, EdgeId, Expr, Initializer, LocationId, Model, Template, TemplateId};

use crate::access::{Access, Channels, EdgeAccess};
use crate::constant_channels::ConstantChannels;

/// What a process can still touch, by template and location: itself, and through the processes it creates.
pub(super) fn futures(
    model: &Model,
    accesses: &[Vec<EdgeAccess>],
    constant: &ConstantChannels,
) -> Vec<Vec<Access>> {
    let own = |template: &Template, location: usize, accesses: &[EdgeAccess]| {
        let mut access = Access::default();
        for edge in reachable_edges(template, LocationId::from(location)) {
            access.add(&accesses[edge.index()].executing);
            access.add(&accesses[edge.index()].enabling);
        }
        access
    };
    let mut futures: Vec<Vec<Access>> = (model.templates.iter().zip(accesses))
        .map(|(template, accesses)| {
            (0..template.locations.len()).map(|location| own(template, location, accesses)).collect()
        })
        .collect();
    // What created processes do, until nothing is added any more.
    loop {
        let mut changed = false;
        for (index, template) in model.templates.iter().enumerate() {
            for location in 0..template.locations.len() {
                for edge in reachable_edges(template, LocationId::from(location)) {
                    for action in &template.edge(edge).effect {
                        let Action::Create { template: created, arguments, .. } = action else { continue };
                        let creator = TemplateId::from(index);
                        let brought = brought_by(model, &futures, constant, creator, *created, arguments);
                        changed |= futures[index][location].add(&brought);
                    }
                }
            }
        }
        if !changed {
            return futures;
        }
    }
}

/// What a process that is created can touch, in terms of its creator: channels given to it are channels of
/// the creator, and channels that it makes for itself are nobody else's.
fn brought_by(
    model: &Model,
    futures: &[Vec<Access>],
    constant: &ConstantChannels,
    creator: TemplateId,
    created: TemplateId,
    arguments: &[Expr],
) -> Access {
    let template = model.template(created);
    let mut brought = futures[created.index()][template.initial.index()].clone();
    let uses = std::mem::take(&mut brought.channels);
    for mut channel in uses {
        if let Channels::Local(offset) = channel.channels {
            let parameter = template.parameters.iter().position(|place| place.offset == offset);
            let makes_itself = template.locals.initializers.iter().any(|initializer| {
                matches!(initializer, Initializer::Channel { place, .. } if place.offset == offset)
            });
            channel.channels = match parameter {
                Some(parameter) => constant.channels(&arguments[parameter], Some(creator)),
                None if makes_itself => continue,
                None => Channels::Any,
            };
        }
        brought.add_channel(channel);
    }
    brought
}

/// The edges that can be taken from a location on.
fn reachable_edges(template: &Template, from: LocationId) -> Vec<EdgeId> {
    let mut seen = vec![false; template.locations.len()];
    let mut edges = vec![false; template.edges.len()];
    let mut pending = vec![from];
    while let Some(location) = pending.pop() {
        if std::mem::replace(&mut seen[location.index()], true) {
            continue;
        }
        for &edge in template.location(location).groups.iter().flatten() {
            edges[edge.index()] = true;
            // An end leads nowhere, whatever its target says.
            if !template.edge(edge).effect.contains(&Action::End) {
                pending.push(template.edge(edge).target);
            }
        }
    }
    (0..edges.len()).filter(|&edge| edges[edge]).map(EdgeId::from).collect()
}
