//! Blocked processes: the fewer can move, the nearer a deadlock.
//!
//! The estimate is the number of processes that have an executable edge (or that may rest where they are, which is
//! no part of a deadlock unless another process is stuck). It is the estimate of Edelkamp, Leue and Lluch Lafuente,
//! "Directed explicit-state model checking" (2004), for deadlocks. A hand-shake counts when some other process offers
//! the other half on the same channel; the fields of the message are not compared.

use fathom_model::{Edge, Guard, Pattern, Sync};

use crate::view::View;

/// A half of a hand-shake: channel, whether it is the sender, process.
type Offer = (usize, bool, usize);

/// Number of processes that can move.
pub(crate) fn n_movable(view: &View<'_>) -> u32 {
    let mut is_movable = vec![false; view.processes.len()];
    let mut offers: Vec<Offer> = Vec::new();
    for (process, movable) in is_movable.iter_mut().enumerate() {
        *movable = can_move_alone(view, process, &mut offers);
    }
    for &(channel, is_sender, process) in &offers {
        if !is_movable[process] {
            is_movable[process] = offers
                .iter()
                .any(|&(on, sends, other)| on == channel && sends != is_sender && other != process);
        }
    }
    is_movable.into_iter().filter(|&movable| movable).count() as u32
}

/// Whether a process can move without a partner; adds what it offers to partners.
fn can_move_alone(view: &View<'_>, process: usize, offers: &mut Vec<Offer>) -> bool {
    let (_, template) = view.processes[process];
    let template = view.model.template(template);
    if let Some(provided) = &template.provided
        && view.value(provided, Some(process)) == Some(0)
    {
        return false;
    }
    let location = template.location(view.location(process));
    let mut can_move = false;
    for edge in location.groups.iter().flatten() {
        can_move |= is_executable(view, process, template.edge(*edge), can_move, offers);
    }
    can_move
}

fn is_executable(
    view: &View<'_>,
    process: usize,
    edge: &Edge,
    is_other: bool,
    offers: &mut Vec<Offer>,
) -> bool {
    let is_allowed = match &edge.guard {
        Guard::Always => true,
        Guard::When(expr) => view.value(expr, Some(process)) != Some(0),
        Guard::Else => !is_other,
        Guard::Youngest => process + 1 == view.processes.len(),
    };
    if !is_allowed {
        return false;
    }
    let (channel, is_sender) = match &edge.sync {
        None => return true,
        Some(Sync::Send { channel, .. }) => (channel, true),
        Some(Sync::Receive { channel, .. }) => (channel, false),
    };
    let Some(channel) = view.channel(channel, Some(process)) else { return false };
    let (length, capacity) = view.length(channel);
    match &edge.sync {
        _ if capacity == 0 => {
            offers.push((channel, is_sender, process));
            false
        }
        Some(Sync::Receive { patterns, which, .. }) => {
            which.places(length).any(|message| fits(view, process, channel, message, patterns))
        }
        _ => length < capacity,
    }
}

fn fits(view: &View<'_>, process: usize, channel: usize, message: u32, patterns: &[Pattern]) -> bool {
    patterns.iter().enumerate().all(|(field, pattern)| match pattern {
        Pattern::Bind(_) => true,
        Pattern::Match(expr) => {
            let (wanted, is) = (view.value(expr, Some(process)), view.field(channel, message, field));
            wanted.is_none() || is.is_none() || wanted == is
        }
    })
}
