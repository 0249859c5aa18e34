//! Channels of an abstraction: kept with every message in them, or dropped, when any message may come out.

use fathom_model::layout::RecordKind;
use fathom_model::{ChannelTypeId, Edge, Guard, Pattern, Sync, Which};

use super::machine::{Chance, End, Machine, Treatment, edges_of};
use super::values::Values;

impl<'m> Machine<'m> {
    /// The second half of a hand-shake.
    pub(super) fn hand_over(
        &mut self,
        sender: usize,
        number: i64,
        ty: ChannelTypeId,
        message: &[Values],
    ) -> Result<(usize, &'m Edge), End> {
        let fields = &self.model.channel_type(ty).fields;
        let message: Vec<Values> =
            message.iter().zip(fields).map(|(values, field)| values.stored_as(*field)).collect();
        let mut takers: Vec<(usize, &'m Edge, &'m [Pattern])> = Vec::new();
        for receiver in 0..self.shape.n_processes(self.work.n_records) {
            if receiver == sender || !self.is_provided(receiver) {
                continue;
            }
            for location in self.resting_places(receiver) {
                for edge in edges_of(self.template(receiver), location) {
                    if let Some(patterns) = self.accepts(receiver, edge, number, &message) {
                        takers.push((receiver, edge, patterns));
                    }
                }
            }
        }
        if takers.is_empty() {
            return Err(End::Nowhere);
        }
        let (receiver, edge, patterns) = takers[self.chooser.choose(takers.len())];
        for (pattern, values) in patterns.iter().zip(&message) {
            if let Pattern::Bind(place) = pattern {
                self.store(place, receiver, values)?;
            }
        }
        self.act(receiver, edge)?;
        Ok((receiver, edge))
    }

    /// The patterns of an edge that may accept a message.
    pub(super) fn accepts(
        &self,
        receiver: usize,
        edge: &'m Edge,
        number: i64,
        message: &[Values],
    ) -> Option<&'m [Pattern]> {
        let Some(Sync::Receive { channel, patterns, copy: false, .. }) = &edge.sync else { return None };
        let is_allowed = match &edge.guard {
            Guard::Always => true,
            Guard::When(expr) => self.value(expr, Some(receiver))?.may_be_true(),
            Guard::Else | Guard::Youngest => false,
        };
        let fits = |(pattern, values): (&Pattern, &Values)| match pattern {
            Pattern::Bind(_) => true,
            Pattern::Match(expr) => {
                self.value(expr, Some(receiver)).is_some_and(|wanted| wanted.meets(values))
            }
        };
        let is_ours = is_allowed
            && self.value(channel, Some(receiver))?.contains(number)
            && patterns.len() == message.len()
            && patterns.iter().zip(message).all(fits);
        is_ours.then_some(patterns.as_slice())
    }

    /// Index and type of a channel with a number.
    pub(super) fn channel(&self, number: i64) -> Option<(usize, ChannelTypeId)> {
        let index = usize::try_from(number - 1).ok()?;
        let record = *self.shape.channels.get(index)?;
        match self.shape.records[record].kind {
            RecordKind::Channel(ty) if record < self.work.n_records => Some((index, ty)),
            _ => None,
        }
    }

    /// Whether the content of a channel is known.
    pub(super) fn is_exact(&self, channel: usize) -> bool {
        let first = self.shape.channel_cells[channel] as usize;
        self.treatments.get(first).is_some_and(|treatment| *treatment == Treatment::Exact)
    }

    /// Number of messages in a channel whose content is known.
    pub(super) fn length(&self, channel: usize) -> u32 {
        self.work.values[self.shape.channel_cells[channel] as usize] as u32
    }

    pub(super) fn field_cell(&self, channel: usize, n_fields: usize, slot: usize, field: usize) -> usize {
        self.shape.channel_cells[channel] as usize + 1 + slot * n_fields + field
    }

    pub(super) fn send(
        &mut self,
        channel: usize,
        ty: ChannelTypeId,
        message: &[Values],
        sorted: bool,
    ) -> Result<(), End> {
        let ty = self.model.channel_type(ty);
        let n_fields = ty.fields.len();
        if !self.is_exact(channel) {
            if self.is_collecting {
                for (field, values) in message.iter().enumerate() {
                    let cell = self.field_cell(channel, n_fields, 0, field);
                    self.assign(cell, values)?;
                    // What is in the first slot is not known from this.
                    self.work.overlay.retain(|(of, _)| *of != cell);
                }
                let all = Values::of((0..=i64::from(ty.capacity)).collect()).unwrap_or(Values::Any);
                let length = self.shape.channel_cells[channel] as usize;
                self.assign(length, &all)?;
                self.work.overlay.retain(|(of, _)| *of != length);
            }
            return Ok(());
        }
        let length = self.length(channel) as usize;
        if length >= ty.capacity as usize {
            return Err(End::Nowhere);
        }
        let mut values = Vec::with_capacity(n_fields);
        for (field, possible) in message.iter().enumerate() {
            let cell = self.field_cell(channel, n_fields, 0, field);
            let possible = match self.stored(cell, possible) {
                Values::Any => self.sets[self.shape.cells[cell].family as usize].clone(),
                possible => possible,
            };
            values.push(self.pick(&possible)?);
        }
        let slot_of = |machine: &Machine<'_>, slot: usize| -> Vec<i64> {
            let cells = (0..n_fields).map(|field| machine.field_cell(channel, n_fields, slot, field));
            cells.map(|cell| machine.work.values[cell]).collect()
        };
        let slot = match sorted {
            true => (0..length).find(|&slot| slot_of(self, slot) > values).unwrap_or(length),
            false => length,
        };
        for to in (slot..=length).rev() {
            let message = if to == slot { values.clone() } else { slot_of(self, to - 1) };
            for (field, value) in message.into_iter().enumerate() {
                let cell = self.field_cell(channel, n_fields, to, field);
                self.assign_known(cell, value)?;
            }
        }
        let cell = self.shape.channel_cells[channel] as usize;
        Ok(self.assign_known(cell, length as i64 + 1)?)
    }

    pub(super) fn receive(
        &mut self,
        process: usize,
        channel: usize,
        ty: ChannelTypeId,
        patterns: &[Pattern],
        which: Which,
        copy: bool,
    ) -> Result<(), End> {
        let n_fields = self.model.channel_type(ty).fields.len();
        if patterns.len() != n_fields {
            return Err(End::Nowhere);
        }
        let is_exact = self.is_exact(channel);
        let length = if is_exact { self.length(channel) as usize } else { 1 };
        // What a channel holds in places that are not known is in the first. A message that is passed over is not told from one that does not fit: what is taken then
        // is taken by the model, or by nobody.
        let places = if is_exact { which.places(length as u32) } else { 0..1 };
        for slot in places.map(|place| place as usize) {
            let cells: Vec<usize> =
                (0..n_fields).map(|field| self.field_cell(channel, n_fields, slot, field)).collect();
            let message: Vec<Values> = cells.iter().map(|&cell| self.read(cell)).collect();
            match self.fit(process, patterns, &message) {
                Chance::No => continue,
                Chance::Maybe if is_exact && self.chooser.choose(2) == 1 => continue,
                _ => {}
            }
            for (pattern, values) in patterns.iter().zip(&message) {
                if let Pattern::Bind(place) = pattern {
                    self.store(place, process, values)?;
                }
            }
            if is_exact && !copy {
                for to in slot..length {
                    for field in 0..n_fields {
                        let value = match to + 1 < length {
                            true => self.work.values[self.field_cell(channel, n_fields, to + 1, field)],
                            false => 0,
                        };
                        let cell = self.field_cell(channel, n_fields, to, field);
                        self.assign_known(cell, value)?;
                    }
                }
                let cell = self.shape.channel_cells[channel] as usize;
                self.assign_known(cell, length as i64 - 1)?;
            }
            return Ok(());
        }
        Err(End::Nowhere)
    }

    /// Whether a message fits patterns.
    pub(super) fn fit(&self, process: usize, patterns: &[Pattern], message: &[Values]) -> Chance {
        let chance = |(pattern, values): (&Pattern, &Values)| {
            let Pattern::Match(expr) = pattern else { return Chance::Sure };
            match self.value(expr, Some(process)) {
                Some(wanted) if !wanted.meets(values) => Chance::No,
                Some(Values::One(_)) if matches!(values, Values::One(_)) => Chance::Sure,
                None => Chance::No,
                _ => Chance::Maybe,
            }
        };
        patterns.iter().zip(message).map(chance).min().unwrap_or(Chance::Sure)
    }
}
