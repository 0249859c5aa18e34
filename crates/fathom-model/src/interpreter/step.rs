//! The moves of one process: single edges and indivisible blocks; hand-shakes are in
//! [`hand_shake`](super::hand_shake).
//!
//! The rules are those of the verifier that Spin 6.5 generates (G. J. Holzmann, *The Spin Model Checker*,
//! 2003, and its search routine), because state counts are compared with it:
//!
//! - Edges are tried in the order of the groups and of the lists in them. Once an edge of a group was taken,
//!   later groups are not tried. One corner is kept as it is in Spin: a hand-shake offer that nobody accepts
//!   makes later groups count again.
//! - `else` is executable when no edge before it was taken. An offer counts as taken when somebody accepts.
//! - A block of deterministic locations runs to its end as part of the move that enters it.

use super::channel;
use super::effect::{Applied, Log, apply};
use super::enabled::{ElseRule, guard_holds, is_rendezvous, location_of, may_move};
use super::eval::Look;
use super::frames::Configuration;
use super::hand_shake::{hand_shake, offer};
use super::reached::{Move, Reached};
use crate::{ChannelQuery, Edge, EdgeId, Fault, Location, Sync};

/// Most edges of one indivisible block before it is given up.
const LONGEST_BLOCK: usize = 1_000_000;

/// Edges of a block before anybody asks whether it goes round.
const SHORT_BLOCK: usize = 64;

/// How much belongs to one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    /// An edge, with the indivisible block it enters.
    Block,
    /// One edge or hand-shake, even inside a block.
    Edge,
}

/// Buffers for trying edges.
#[derive(Clone, Default, Debug)]
pub(crate) struct Buffers {
    /// The state after the sender's half of a hand-shake.
    pub offered: Configuration,
    /// The state after a whole move.
    pub work: Configuration,
    /// The state after the next edge of an indivisible block.
    next: Configuration,
    /// Values of the message under way.
    pub message: Vec<i64>,
    /// Labels of the move under way.
    pub moves: Vec<Move>,
    /// What happens on the side.
    pub log: Log,
}

/// Whether an edge can be taken.
enum Attempt {
    /// No.
    Blocked,
    /// It was.
    Done,
    /// Only together with a receiver on this channel.
    Offer(usize),
}

/// What came of trying an edge.
#[derive(PartialEq, Eq)]
pub(super) enum Tried {
    /// Not executable.
    Blocked,
    /// Taken, or a fault on the way.
    Taken,
    /// A hand-shake that nobody accepts.
    Refused,
}

/// A process at a location, about to move.
struct Trial<'a> {
    look: &'a Look<'a>,
    /// The process.
    process: u32,
    from: &'a Configuration,
    location: &'a Location,
    extent: Extent,
}

/// Tries every edge of the process that looks and collects the states reached. Gives whether any was taken.
pub(crate) fn moves_of(
    look: &Look<'_>,
    from: &Configuration,
    extent: Extent,
    buffers: &mut Buffers,
    reached: &mut Reached,
) -> bool {
    let Some(process) = look.own else { return false };
    let location = location_of(look, from, process);
    // Inside a block nobody asks who may move.
    match if location.deterministic { Ok(true) } else { may_move(look, from) } {
        Ok(true) => {}
        Ok(false) => return false,
        Err(fault) => {
            reached.fault(fault, &[]);
            return true;
        }
    }
    let trial = Trial { look, process, from, location, extent };
    let mut taken = false;
    let mut decided_by = None;
    for (group, edges) in location.groups.iter().enumerate() {
        for &edge in edges {
            if decided_by.is_some_and(|decided_by| decided_by != group) {
                return taken;
            }
            let else_rule = if taken { ElseRule::Never } else { ElseRule::NothingBefore };
            match trial.try_edge(edge, else_rule, buffers, reached) {
                Tried::Blocked => {}
                Tried::Refused => decided_by = None,
                Tried::Taken => {
                    taken = true;
                    decided_by = Some(group);
                    if location.deterministic {
                        return true;
                    }
                }
            }
        }
    }
    taken
}

impl Trial<'_> {
    /// Tries every outcome of an edge; one that is not executable does not keep others from being so.
    fn try_edge(
        &self,
        edge_id: EdgeId,
        else_rule: ElseRule,
        buffers: &mut Buffers,
        reached: &mut Reached,
    ) -> Tried {
        buffers.log.outcomes.start();
        let mut tried = Tried::Blocked;
        loop {
            let once = self.try_outcome(edge_id, else_rule, buffers, reached);
            if once != Tried::Blocked {
                tried = once;
            }
            let outcome = buffers.log.outcomes.number();
            if self.look.model.listing.ends_after(outcome, !reached.is_recording()) {
                let template = self.from.processes[self.process as usize].template;
                let Trial { look, process, .. } = *self;
                let label =
                    Move { process, template, edge: edge_id, partner: None, timeout: look.timeout, outcome };
                reached.fault(Fault::TooManyOutcomes, &[label]);
                return Tried::Taken;
            }
            if !buffers.log.outcomes.advance() {
                return tried;
            }
        }
    }

    fn try_outcome(
        &self,
        edge_id: EdgeId,
        else_rule: ElseRule,
        buffers: &mut Buffers,
        reached: &mut Reached,
    ) -> Tried {
        let Trial { look, process, from, extent, .. } = *self;
        let template = from.processes[process as usize].template;
        let edge = look.model.template(template).edge(edge_id);
        let (partner, outcome) = (None, buffers.log.outcomes.number());
        let label = Move { process, template, edge: edge_id, partner, timeout: look.timeout, outcome };
        buffers.moves.clear();
        buffers.start_output(reached);
        match attempt(look, from, &mut buffers.work, edge, else_rule, &mut buffers.message, &mut buffers.log)
        {
            Ok(Attempt::Blocked) => Tried::Blocked,
            Ok(Attempt::Done) => {
                buffers.moves.push(label);
                buffers.note_assertion(reached);
                finish(look, process, edge, extent, buffers, reached);
                Tried::Taken
            }
            Ok(Attempt::Offer(channel)) => match self.offer(channel, edge, buffers) {
                Ok(false) => Tried::Blocked,
                Ok(true) => hand_shake(look, channel, label, extent, buffers, reached),
                Err(fault) => {
                    reached.fault(fault, &[label]);
                    Tried::Taken
                }
            },
            Err(fault) => {
                reached.fault(fault, &[label]);
                Tried::Taken
            }
        }
    }

    /// Offers a hand-shake, which must not happen inside an indivisible block.
    fn offer(&self, channel: usize, edge: &Edge, buffers: &mut Buffers) -> Result<bool, Fault> {
        let template = self.look.model.template(self.from.processes[self.process as usize].template);
        if self.location.deterministic || template.location(edge.target).deterministic {
            return Err(Fault::RendezvousInside);
        }
        offer(self.look, self.from, channel, edge, buffers)
    }
}

/// Takes an edge of the process that looks, from one configuration to another.
fn attempt(
    look: &Look<'_>,
    from: &Configuration,
    to: &mut Configuration,
    edge: &Edge,
    else_rule: ElseRule,
    message: &mut Vec<i64>,
    log: &mut Log,
) -> Result<Attempt, Fault> {
    if !guard_holds(look, from, &edge.guard, else_rule)? {
        return Ok(Attempt::Blocked);
    }
    match &edge.sync {
        None => to.copy_from(from),
        Some(Sync::Send { channel, fields, sorted }) => {
            let channel = look.channel(from, channel)?;
            if is_rendezvous(look, from, channel) {
                return Ok(Attempt::Offer(channel));
            }
            if channel::query(look, from, channel, ChannelQuery::Full) != 0 {
                return Ok(Attempt::Blocked);
            }
            message.clear();
            for field in fields {
                message.push(look.value(from, field)?);
            }
            to.copy_from(from);
            channel::send(look, to, channel, message, *sorted)?;
        }
        Some(Sync::Receive { channel, patterns, which, copy }) => {
            let channel = look.channel(from, channel)?;
            if is_rendezvous(look, from, channel) {
                return if *copy { Err(Fault::PollOfRendezvous) } else { Ok(Attempt::Blocked) };
            }
            let Some(slot) = channel::find_message(look, from, channel, patterns, *which)? else {
                return Ok(Attempt::Blocked);
            };
            to.copy_from(from);
            channel::bind(look, to, channel, patterns, slot)?;
            if !*copy {
                channel::remove(look.layout, to, channel, slot);
            }
        }
    }
    let done = act_and_arrive(look, to, edge, log)?;
    Ok(if done { Attempt::Done } else { Attempt::Blocked })
}

/// Runs the effect of an edge and moves the process to the target. False when the effect refuses.
pub(super) fn act_and_arrive(
    look: &Look<'_>,
    state: &mut Configuration,
    edge: &Edge,
    log: &mut Log,
) -> Result<bool, Fault> {
    match apply(look, state, &edge.effect, log)? {
        Applied::Refused => return Ok(false),
        Applied::Ended => {}
        Applied::Done => state.set_location(look.layout, look.own.unwrap_or_default(), edge.target),
    }
    Ok(true)
}

/// Ends a move whose first edge has led to `buffers.work`: runs the block it entered and files the state.
pub(super) fn finish(
    look: &Look<'_>,
    process: u32,
    first: &Edge,
    extent: Extent,
    buffers: &mut Buffers,
    reached: &mut Reached,
) {
    let atomic = match extent {
        Extent::Edge => Ok(Some(first.atomic)),
        Extent::Block => run_block(look, process, first, buffers, reached),
    };
    match atomic {
        Ok(None) => look.model.listing.give_up_step(),
        Ok(Some(atomic)) => {
            let alive = (process as usize) < buffers.work.processes.len();
            // Inside a block, which happens only one edge at a time, the move is not over yet.
            if !(alive && location_of(look, &buffers.work, process).deterministic) {
                buffers.work.set_last(look.layout, process);
            }
            let alone = (atomic && alive).then_some(process);
            reached.push(&buffers.work.bytes, &buffers.moves, buffers.log.output.as_deref(), alone);
        }
        Err(fault) => reached.fault(fault, &buffers.moves),
    }
}

/// Goes on inside an indivisible block until it ends. Gives the atomic mark of the last edge; nothing when there is no end to be seen.
///
/// What happens in a block depends on the state alone, so that a block that comes back to a state goes round for ever. Long ones are compared with the
/// state of the last number of edges that is a power of two (Brent 1980).
fn run_block(
    look: &Look<'_>,
    process: u32,
    first: &Edge,
    buffers: &mut Buffers,
    reached: &mut Reached,
) -> Result<Option<bool>, Fault> {
    let mut atomic = first.atomic;
    let mut n_edges = 0usize;
    let mut remembered = Vec::new();
    while (process as usize) < buffers.work.processes.len() {
        let location = location_of(look, &buffers.work, process);
        if !location.deterministic {
            break;
        }
        n_edges += 1;
        if n_edges > LONGEST_BLOCK {
            return Ok(None);
        }
        if n_edges >= SHORT_BLOCK {
            if remembered == buffers.work.bytes {
                return Err(Fault::EndlessInside);
            }
            if n_edges.is_power_of_two() {
                remembered.clone_from(&buffers.work.bytes);
            }
        }
        let edge = first_executable(look, process, location, buffers)?;
        std::mem::swap(&mut buffers.work, &mut buffers.next);
        buffers.note_assertion(reached);
        atomic = edge.atomic;
    }
    Ok(Some(atomic))
}

/// Takes the first executable edge of a location inside a block, from `work` to `next`.
fn first_executable<'a>(
    look: &Look<'a>,
    process: u32,
    location: &Location,
    buffers: &mut Buffers,
) -> Result<&'a Edge, Fault> {
    let template_id = buffers.work.processes[process as usize].template;
    let template = look.model.template(template_id);
    let Buffers { work, next, message, moves, log, .. } = buffers;
    for &edge_id in location.groups.iter().flatten() {
        let edge = template.edge(edge_id);
        let (template, partner, outcome) = (template_id, None, 0);
        let label = Move { process, template, edge: edge_id, partner, timeout: look.timeout, outcome };
        moves.push(label);
        log.assertion_failed = false;
        match attempt(look, work, next, edge, ElseRule::NothingBefore, message, log)? {
            Attempt::Done => return Ok(edge),
            Attempt::Blocked => {}
            Attempt::Offer(_) => return Err(Fault::RendezvousInside),
        }
        moves.pop();
    }
    Err(Fault::BlockedInside)
}

impl Buffers {
    /// Listens to what is printed from here on, if someone wants to know.
    fn start_output(&mut self, reached: &Reached) {
        self.log.output = reached.is_printing().then(String::new);
        self.log.assertion_failed = false;
    }

    /// Files an assertion that failed in the last edge of the move under way.
    pub(super) fn note_assertion(&mut self, reached: &mut Reached) {
        if std::mem::take(&mut self.log.assertion_failed) {
            let condition = reached.is_printing().then(|| self.log.false_condition.clone());
            reached.failed_assertion(condition, &self.moves);
        }
    }
}
