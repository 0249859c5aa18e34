//! Hand-shakes: two edges of two processes in one move.
//!
//! First the sender's edge, then an edge of another process that receives from the same channel. Receivers are
//! tried from the highest number to the lowest, and the rule about groups holds for their edges as well; edges
//! that do not receive, `else` among them, do not take part. Receivers look at the state after the sender's
//! half. Afterwards the receiver goes on alone if its edge is atomic; the sender loses the right to. All this
//! is as in the verifiers that Spin 6.5 generates.

use super::channel::check_field_count;
use super::enabled::{ElseRule, guard_holds, location_of, may_move};
use super::eval::Look;
use super::frames::Configuration;
use super::reached::{Move, Partner, Reached};
use super::step::{Buffers, Extent, Tried, act_and_arrive, finish};
use crate::{Edge, Fault, Pattern, Sync};

/// The sender's half, from a state to `buffers.offered`. False when the effect of its edge refuses.
pub(super) fn offer(
    look: &Look<'_>,
    from: &Configuration,
    channel: usize,
    edge: &Edge,
    buffers: &mut Buffers,
) -> Result<bool, Fault> {
    let Some(Sync::Send { fields, .. }) = &edge.sync else { return Ok(false) };
    let ty = look.model.channel_type(from.channels[channel].channel_type);
    check_field_count(ty, fields.len())?;
    buffers.message.clear();
    for (field, field_type) in fields.iter().zip(&ty.fields) {
        let value = look.value(from, field)?;
        buffers.message.push(field_type.truncate(value));
    }
    buffers.offered.copy_from(from);
    let done = act_and_arrive(look, &mut buffers.offered, edge, &mut buffers.log)?;
    buffers.offered.set_last(look.layout, look.own.unwrap_or_default());
    Ok(done)
}

/// The receivers' half: one move for every edge that accepts the message under way.
pub(super) fn hand_shake(
    look: &Look<'_>,
    channel: usize,
    label: Move,
    extent: Extent,
    buffers: &mut Buffers,
    reached: &mut Reached,
) -> Tried {
    // Every receiver starts from what the sender has printed and asserted.
    let sent = Sent {
        channel,
        label,
        assertion_failed: std::mem::take(&mut buffers.log.assertion_failed),
        output: buffers.log.output.clone(),
    };
    let mut result = Tried::Refused;
    for receiver in (0..buffers.offered.processes.len() as u32).rev().filter(|other| *other != label.process)
    {
        let look = Look { timeout: false, ..look.by(receiver) };
        match may_move(&look, &buffers.offered) {
            Ok(true) if sent.offer_to(&look, receiver, extent, buffers, reached) => result = Tried::Taken,
            Ok(_) => {}
            Err(fault) => reached.fault(fault, &[label]),
        }
    }
    buffers.log.assertion_failed = false;
    result
}

/// A message under way, with what its sender did.
struct Sent {
    channel: usize,
    label: Move,
    assertion_failed: bool,
    output: Option<String>,
}

impl Sent {
    /// Tries every edge of one receiver. Gives whether one accepts.
    fn offer_to(
        &self,
        look: &Look<'_>,
        receiver: u32,
        extent: Extent,
        buffers: &mut Buffers,
        reached: &mut Reached,
    ) -> bool {
        let template_id = buffers.offered.processes[receiver as usize].template;
        let template = look.model.template(template_id);
        for edges in &location_of(look, &buffers.offered, receiver).groups {
            let mut accepted = false;
            for &edge_id in edges {
                let edge = template.edge(edge_id);
                let partner = Some(Partner { process: receiver, template: template_id, edge: edge_id });
                buffers.moves.clear();
                buffers.moves.push(Move { partner, ..self.label });
                buffers.log.output.clone_from(&self.output);
                buffers.log.assertion_failed = self.assertion_failed;
                match accept(look, self.channel, edge, buffers) {
                    Ok(false) => continue,
                    Ok(true) => {
                        buffers.note_assertion(reached);
                        finish(look, receiver, edge, extent, buffers, reached);
                    }
                    Err(fault) => reached.fault(fault, &buffers.moves),
                }
                accepted = true;
            }
            if accepted {
                return true;
            }
        }
        false
    }
}

/// Takes an edge that receives the message under way, from `offered` to `work`. False when it does not fit.
fn accept(look: &Look<'_>, channel: usize, edge: &Edge, buffers: &mut Buffers) -> Result<bool, Fault> {
    let Some(Sync::Receive { channel: own_channel, patterns, copy: false, .. }) = &edge.sync else {
        return Ok(false);
    };
    let Buffers { offered, work, message, log, .. } = buffers;
    if !guard_holds(look, offered, &edge.guard, ElseRule::Never)?
        || look.channel(offered, own_channel)? != channel
    {
        return Ok(false);
    }
    check_field_count(look.model.channel_type(offered.channels[channel].channel_type), patterns.len())?;
    for (pattern, value) in patterns.iter().zip(&*message) {
        if let Pattern::Match(expected) = pattern
            && look.value(offered, expected)? != i64::from(*value as i32)
        {
            return Ok(false);
        }
    }
    work.copy_from(offered);
    for (pattern, value) in patterns.iter().zip(&*message) {
        if let Pattern::Bind(place) = pattern {
            look.store(work, place, *value)?;
        }
    }
    act_and_arrive(look, work, edge, log)
}
