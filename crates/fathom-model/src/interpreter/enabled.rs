//! Whether a process may move, and whether an edge could be taken, without taking it.
//!
//! Three rules live here: the `provided` clause of a template, scheduling by priority, and
//! [`Expr::Enabled`](crate::Expr::Enabled). Hand-shakes never count as enabled: whether one happens depends
//! on a second process.
//!
//! One difference from Spin: there, an `else` of the process asked about does not count once the process that
//! asks has already taken another edge from the same state, because both share one flag. Here the answer
//! depends on the state alone.

use super::channel;
use super::effect::{Applied, Log, apply};
use super::eval::Look;
use super::frames::Configuration;
use crate::{Action, ChannelQuery, Edge, Fault, Guard, Location, Sync, Template};

/// Whether the process that looks may take edges at all: its `provided` clause holds and no process that
/// could move has a higher priority.
pub(crate) fn may_move(look: &Look<'_>, state: &Configuration) -> Result<bool, Fault> {
    let Some(own) = look.own else { return Ok(false) };
    let record = state.processes[own as usize];
    if !is_provided(look, state, look.model.template(record.template))? {
        return Ok(false);
    }
    if !look.model.uses_priorities {
        return Ok(true);
    }
    let priority = state.priority(look.layout, record);
    for (other, &other_record) in state.processes.iter().enumerate() {
        if other == own as usize || state.priority(look.layout, other_record) <= priority {
            continue;
        }
        let theirs = Look { depth: look.depth + 1, ..*look }.by(other as u32);
        let template = look.model.template(other_record.template);
        if is_provided(&theirs, state, template)? && has_executable_edge(&theirs, state)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_provided(look: &Look<'_>, state: &Configuration, template: &Template) -> Result<bool, Fault> {
    match &template.provided {
        Some(condition) => look.holds(state, condition),
        None => Ok(true),
    }
}

/// Whether the process that looks has an executable edge, not counting hand-shakes, and whatever its
/// `provided` clause says.
pub(crate) fn has_executable_edge(look: &Look<'_>, state: &Configuration) -> Result<bool, Fault> {
    let Some(own) = look.own else { return Ok(false) };
    let template = look.model.template(state.processes[own as usize].template);
    for edge in location_of(look, state, own).groups.iter().flatten() {
        if is_executable(look, state, template.edge(*edge))? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The location that a process is at.
pub(crate) fn location_of<'a>(look: &Look<'a>, state: &Configuration, process: u32) -> &'a Location {
    let record = state.processes[process as usize];
    look.model.template(record.template).location(state.location(look.layout, record))
}

/// Whether an edge could be taken, given that none listed before it can.
pub(crate) fn is_executable(look: &Look<'_>, state: &Configuration, edge: &Edge) -> Result<bool, Fault> {
    let possible = guard_holds(look, state, &edge.guard, ElseRule::NothingBefore)?
        && is_exchange_possible(look, state, edge.sync.as_ref())?;
    if !possible || !edge.effect.iter().any(|action| matches!(action, Action::Require(_))) {
        return Ok(possible);
    }
    // What the edge requires may depend on what it does before: try it on a copy.
    let mut log = Log::default();
    loop {
        let mut copy = state.clone();
        if apply(look, &mut copy, &edge.effect, &mut log)? != Applied::Refused {
            return Ok(true);
        }
        if !log.outcomes.advance() {
            return Ok(false);
        }
    }
}

/// Whether the guard of an edge other than `else` and its exchange with a buffer allow it.
pub(crate) fn might_be_taken(look: &Look<'_>, state: &Configuration, edge: &Edge) -> Result<bool, Fault> {
    Ok(guard_holds(look, state, &edge.guard, ElseRule::Never)?
        && is_exchange_possible(look, state, edge.sync.as_ref())?)
}

/// Whether a message can be put into or taken out of a buffer; a hand-shake cannot.
fn is_exchange_possible(look: &Look<'_>, state: &Configuration, sync: Option<&Sync>) -> Result<bool, Fault> {
    Ok(match sync {
        None => true,
        Some(Sync::Send { channel, .. }) => {
            let channel = look.channel(state, channel)?;
            !is_rendezvous(look, state, channel)
                && channel::query(look, state, channel, ChannelQuery::NotFull) != 0
        }
        Some(Sync::Receive { channel, patterns, which, copy }) => {
            let channel = look.channel(state, channel)?;
            match (is_rendezvous(look, state, channel), copy) {
                (true, true) => return Err(Fault::PollOfRendezvous),
                (true, false) => false,
                (false, _) => channel::find_message(look, state, channel, patterns, *which)?.is_some(),
            }
        }
    })
}

/// What is known about the edges listed before an `else`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ElseRule {
    /// None of them was taken.
    NothingBefore,
    /// One of them was taken, or a hand-shake is under way: no `else`.
    Never,
}

/// Whether a guard allows the process that looks to take its edge.
pub(crate) fn guard_holds(
    look: &Look<'_>,
    state: &Configuration,
    guard: &Guard,
    else_rule: ElseRule,
) -> Result<bool, Fault> {
    match guard {
        Guard::Always => Ok(true),
        Guard::When(condition) => look.holds(state, condition),
        Guard::Else => Ok(else_rule == ElseRule::NothingBefore),
        Guard::Youngest => Ok(look.own.is_some_and(|own| own as usize + 1 == state.processes.len())),
    }
}

/// Whether exchanges on a channel are hand-shakes.
pub(crate) fn is_rendezvous(look: &Look<'_>, state: &Configuration, channel: usize) -> bool {
    look.model.channel_type(state.channels[channel].channel_type).is_rendezvous()
}
