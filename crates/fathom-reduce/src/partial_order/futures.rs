//! Futures: what a process can still do from where it is.

use fathom_model::{Action, Edge, Expr, Initializer, LocationId, Model, TemplateId};

use crate::access::{Access, Channels, EdgeAccess};
use crate::constant_channels::ConstantChannels;

/// What a process can still touch, by template and location: itself, and through the processes it creates.
pub(super) fn futures(
    model: &Model,
    accesses: &[Vec<EdgeAccess>],
    constant: &ConstantChannels,
) -> Vec<Vec<Access>> {
    let mut futures: Vec<Vec<Access>> =
        (model.templates.iter()).map(|template| vec![Access::default(); template.locations.len()]).collect();
    // From the last location to the first, because most edges lead forward, until nothing is added any more.
    loop {
        let mut changed = false;
        for (index, template) in model.templates.iter().enumerate() {
            for location in (0..template.locations.len()).rev() {
                let mut future = futures[index][location].clone();
                for &id in template.locations[location].groups.iter().flatten() {
                    let edge = template.edge(id);
                    let access = &accesses[index][id.index()];
                    changed |= future.add(&access.executing);
                    changed |= future.add(&access.enabling);
                    changed |=
                        add_created(model, &futures, constant, TemplateId::from(index), edge, &mut future);
                    // An end leads nowhere, whatever its target says.
                    let goes_on =
                        edge.target != LocationId::from(location) && !edge.effect.contains(&Action::End);
                    if goes_on {
                        changed |= future.add(&futures[index][edge.target.index()]);
                    }
                }
                futures[index][location] = future;
            }
        }
        if !changed {
            return futures;
        }
    }
}

/// Adds what the processes that an edge creates can touch. Gives whether anything was new.
fn add_created(
    model: &Model,
    futures: &[Vec<Access>],
    constant: &ConstantChannels,
    creator: TemplateId,
    edge: &Edge,
    future: &mut Access,
) -> bool {
    let mut changed = false;
    for action in &edge.effect {
        if let Action::Create { template: created, arguments, .. } = action {
            changed |= future.add(&brought_by(model, futures, constant, creator, *created, arguments));
        }
    }
    changed
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
