//! Hand-shakes: the sender's half, then every receiver that accepts, as in the interpreter.

use fathom_model::layout::write_number;

use crate::context::{Code, result};
use crate::expand::{Ask, Expansion, Mover, Tried, View};
use crate::kinds::channel_bit;
use crate::plan::{EdgePlan, EffectPlan, ReceiverPlan};

impl Expansion<'_, '_> {
    /// Offers the message in the context to every other process.
    pub(crate) fn hand_shake(
        &mut self,
        view: &View<'_>,
        mover: &Mover<'_>,
        edge: &EdgePlan<Code>,
    ) -> Result<Tried, Ask> {
        if mover.location.deterministic {
            return Err(Ask);
        }
        let is_plain = matches!(edge.offered, EffectPlan::Goto(..));
        let channel = channel_bit(self.context.message_channel);
        if is_plain && !self.somebody_receives(view, mover, channel) {
            return Ok(Tried::Refused);
        }
        let mut offered = std::mem::take(&mut self.buffers.offered);
        offered.clear();
        offered.extend_from_slice(view.state);
        let timeout = std::mem::take(&mut self.context.timeout);
        let differs = self.differs;
        self.differs.in_others = true;
        let tried = self.send_and_accept(&mut offered, view, mover, edge, timeout);
        self.differs = differs;
        self.context.timeout = timeout;
        self.buffers.offered = offered;
        tried
    }

    fn send_and_accept(
        &mut self,
        offered: &mut [u8],
        view: &View<'_>,
        mover: &Mover<'_>,
        edge: &EdgePlan<Code>,
        timeout: u64,
    ) -> Result<Tried, Ask> {
        let sent = match edge.offered {
            EffectPlan::Goto(target, _) => {
                let at = (mover.entry.offset + mover.template.location_offset) as usize;
                write_number(&mut offered[at..], mover.template.location_width, target);
                0
            }
            EffectPlan::InPlace(code) => {
                // The sender may still look at the timeout that made it move.
                self.context.timeout = timeout;
                let sent = self.edit(code, offered, mover.entry, mover.process);
                self.context.timeout = 0;
                sent?
            }
            _ => return Err(Ask),
        };
        if sent & result::REFUSED != 0 {
            return Ok(Tried::Blocked);
        }
        let offer = &View { state: offered, directory: view.directory };
        let channel = channel_bit(self.context.message_channel);
        let mut tried = Tried::Refused;
        for receiver in (0..view.directory.processes.len()).rev().filter(|other| *other != mover.process) {
            if self.hot(offer, receiver).receives & channel == 0 {
                continue;
            }
            let receiver = self.mover(offer, receiver);
            if self.may_move(offer.state, &receiver)? && self.offer_to(offer, &receiver, sent)? {
                tried = Tried::Taken;
            }
        }
        Ok(tried)
    }

    /// Whether there may be a process other than this one that receives from a channel.
    pub(crate) fn somebody_receives(&mut self, view: &View<'_>, sender: &Mover<'_>, channel: u64) -> bool {
        let mut all = 0..view.directory.processes.len();
        if sender.location.receives & channel != 0 {
            return all.any(|other| other != sender.process && self.hot(view, other).receives & channel != 0);
        }
        self.note_receives(view) & channel != 0
    }

    /// The channels that some process may receive from.
    #[inline]
    pub(crate) fn note_receives(&mut self, view: &View<'_>) -> u64 {
        match self.receives {
            Some(receives) => receives,
            None => self.find_receives(view),
        }
    }

    #[inline(never)]
    fn find_receives(&mut self, view: &View<'_>) -> u64 {
        let all = 0..view.directory.processes.len();
        let receives = all.fold(0, |set, process| set | self.hot(view, process).receives);
        self.receives = Some(receives);
        receives
    }

    fn may_accept(&self, edge: &ReceiverPlan<Code>) -> bool {
        edge.channel.is_none_or(|channel| channel == self.context.message_channel)
    }

    /// Tries every edge of one receiver. Gives whether one accepts.
    fn offer_to(&mut self, offer: &View<'_>, receiver: &Mover<'_>, sent: u64) -> Result<bool, Ask> {
        let Mover { process, entry, .. } = *receiver;
        for group in &receiver.location.receivers {
            let mut accepted = false;
            for edge in group {
                if !self.may_accept(edge)
                    || self.ask(edge.accept, offer.state, entry, process)? == result::BLOCKED
                {
                    continue;
                }
                let Some(code) = edge.accepted else { return Err(Ask) };
                let received = self.run_on_copy(code, offer.state, receiver)?;
                if received & result::REFUSED != 0 {
                    continue;
                }
                accepted = true;
                self.note_partner(process);
                // A failure of both halves counts once.
                let only_sender = sent & !received & result::FIRST_FAILED != 0;
                self.n_failed += result::n_failed(received) + u64::from(only_sender);
            }
            if accepted {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
