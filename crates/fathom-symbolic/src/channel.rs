//! What channels do to a set of states: as in `channel.rs` of the reference interpreter.
//!
//! Where the number of messages is not known, a path is split by it: capacities are small, and the slots that a message
//! moves through are then known.

use fathom_diagram::{Diagram, NoRoom};
use fathom_model::{ChannelType, Fault, Pattern, Which};

use crate::evaluate::Choices;
use crate::machine::{Live, Machine, View};
use crate::number::Number;
use crate::partition::bits_for;
use crate::path::Path;

impl<'a> Machine<'a> {
    pub fn channel_type(&self, path: &Path, channel: usize) -> &'a ChannelType {
        self.model.channel_type(path.shape.channels[channel].channel_type)
    }

    /// Whether exchanges on a channel are hand-shakes.
    pub fn is_rendezvous(&self, path: &Path, channel: usize) -> bool {
        self.channel_type(path, channel).is_rendezvous()
    }

    /// Number of messages in a channel.
    pub fn length(&mut self, path: &Path, channel: usize) -> Result<Number, NoRoom> {
        let record = path.shape.channels[channel];
        let layout = self.layout.channels[record.channel_type.index()];
        if layout.length_width == 0 {
            return Ok(Number::Known(0));
        }
        let n_bits = bits_for(self.channel_type(path, channel).capacity as usize + 1);
        self.read_unsigned(path, record.offset + layout.length, layout.length_width, n_bits)
    }

    fn set_length(&mut self, path: &mut Path, channel: usize, length: u32) -> Result<(), NoRoom> {
        let record = path.shape.channels[channel];
        let layout = self.layout.channels[record.channel_type.index()];
        let n_bits = bits_for(self.channel_type(path, channel).capacity as usize + 1);
        self.write_unsigned(path, record.offset + layout.length, layout.length_width, n_bits, length)
    }

    fn slot_address(&self, path: &Path, channel: usize, slot: u32) -> u32 {
        let record = path.shape.channels[channel];
        let layout = &self.layout.channels[record.channel_type.index()];
        record.offset + layout.messages + slot * layout.message_size
    }

    /// The slots of the message that is meant, with the conditions under which it is there and fits.
    pub fn find_message(
        &mut self,
        view: &View,
        path: &Path,
        channel: usize,
        patterns: &[Pattern],
        which: Which,
        live: &mut Live,
    ) -> Result<Choices<u32>, NoRoom> {
        let length = self.length(path, channel)?;
        let capacity = self.channel_type(path, channel).capacity;
        let mut rest = live.condition.clone();
        let mut slots = Vec::new();
        for slot in which.places(capacity) {
            let is_there = self.arithmetic.less(&Number::Known(i64::from(slot)), &length)?;
            let asked = rest.and(&is_there)?;
            if asked.is_false() {
                break;
            }
            let fits =
                live.within(&asked, |live| self.message_fits(view, path, channel, patterns, slot, live))?;
            rest = rest.and(&live.condition)?.minus(&fits)?;
            if let Which::Beside(passed) = which {
                rest = rest.and(&self.is_passed(path, channel, slot, passed)?)?;
            }
            if !fits.is_false() {
                slots.push((fits, slot));
            }
        }
        Ok(slots)
    }

    /// For which values the first field of a message is in a set.
    fn is_passed(&mut self, path: &Path, channel: usize, slot: u32, passed: u64) -> Result<Diagram, NoRoom> {
        let first = match self.channel_type(path, channel).fields.first() {
            Some(&field) => self.read(path, self.slot_address(path, channel, slot), field)?,
            None => Number::Known(0),
        };
        let mut any = self.arithmetic.no.clone();
        for value in (0..64).filter(|value| passed >> value & 1 == 1) {
            any = any.or(&self.arithmetic.is(&first, value)?)?;
        }
        Ok(any)
    }

    fn message_fits(
        &mut self,
        view: &View,
        path: &Path,
        channel: usize,
        patterns: &[Pattern],
        slot: u32,
        live: &mut Live,
    ) -> Result<Diagram, NoRoom> {
        let ty = self.channel_type(path, channel);
        let mut address = self.slot_address(path, channel, slot);
        for (place, pattern) in patterns.iter().enumerate() {
            let field = ty.fields.get(place);
            if let Pattern::Match(expected) = pattern {
                let expected = self.value(view, path, expected, live)?;
                let found = match field {
                    Some(&field) => self.read(path, address, field)?,
                    None => Number::Known(0),
                };
                live.condition = live.condition.and(&self.arithmetic.equal(&expected, &found)?)?;
            }
            address += field.map_or(0, |field| field.size());
        }
        Ok(live.condition.clone())
    }

    /// The paths of a path by the number of messages of a channel.
    pub fn by_length(&mut self, path: &Path, channel: usize) -> Result<Vec<(Path, u32)>, NoRoom> {
        let length = self.length(path, channel)?;
        if let Number::Known(length) = length {
            return Ok(vec![(path.clone(), length as u32)]);
        }
        let n_values = self.channel_type(path, channel).capacity as usize + 1;
        let (cases, _) = self.cases(&length, n_values, &Live::new(&path.condition))?;
        let split =
            |(condition, length): (Diagram, usize)| (Path { condition, ..path.clone() }, length as u32);
        Ok(cases.into_iter().map(split).collect())
    }

    /// Copies the message of one slot to another.
    fn copy_message(&mut self, path: &mut Path, channel: usize, from: u32, to: u32) -> Result<(), NoRoom> {
        let mut from = self.slot_address(path, channel, from);
        let mut to = self.slot_address(path, channel, to);
        for &field in &self.channel_type(path, channel).fields {
            if path.shape.symbolic[from as usize] {
                let bits = self.bits_at(path, from, u32::from(field.bits))?;
                for (place, bit) in bits.into_iter().enumerate() {
                    self.set_bit(path, to * 8 + place as u32, bit)?;
                }
            } else {
                let bytes = from as usize..(from + field.size()) as usize;
                path.shape.bytes.copy_within(bytes, to as usize);
            }
            from += field.size();
            to += field.size();
        }
        Ok(())
    }

    /// Puts a message into a buffered channel that has room and as many fields.
    pub fn send(
        &mut self,
        path: &Path,
        channel: usize,
        values: &[Number],
        sorted: bool,
    ) -> Result<Vec<Path>, NoRoom> {
        let ty = self.channel_type(path, channel);
        let mut sent = Vec::new();
        for (path, length) in self.by_length(path, channel)? {
            debug_assert!(length < ty.capacity, "the channel has room");
            let slots = match sorted {
                true => self.sorted_slots(&path, channel, values, length)?,
                false => vec![(path.condition.clone(), length)],
            };
            for (condition, slot) in slots {
                let mut one = Path { condition, ..path.clone() };
                for from in (slot..length).rev() {
                    self.copy_message(&mut one, channel, from, from + 1)?;
                }
                self.set_length(&mut one, channel, length + 1)?;
                let mut address = self.slot_address(&one, channel, slot);
                let mut paths = vec![one];
                for (value, &field) in values.iter().zip(&ty.fields) {
                    let mut next = Vec::with_capacity(paths.len());
                    for path in paths {
                        next.extend(self.store_here(path, address, field, value.clone())?);
                    }
                    paths = next;
                    address += field.size();
                }
                sent.extend(paths);
            }
        }
        Ok(sent)
    }

    /// Where a sorted send inserts: before the first message that is greater.
    fn sorted_slots(
        &mut self,
        path: &Path,
        channel: usize,
        values: &[Number],
        length: u32,
    ) -> Result<Choices<u32>, NoRoom> {
        let mut rest = path.condition.clone();
        let mut slots = Vec::new();
        for slot in 0..length {
            let mut address = self.slot_address(path, channel, slot);
            let mut same = self.arithmetic.yes.clone();
            let mut greater = self.arithmetic.no.clone();
            for (value, &field) in values.iter().zip(&self.channel_type(path, channel).fields) {
                let stored = self.read(path, address, field)?;
                greater = greater.or(&same.and(&self.arithmetic.less(value, &stored)?)?)?;
                same = same.and(&self.arithmetic.equal(value, &stored)?)?;
                address += field.size();
            }
            let here = rest.and(&greater)?;
            if !here.is_false() {
                rest = rest.minus(&here)?;
                slots.push((here, slot));
            }
        }
        if !rest.is_false() {
            slots.push((rest, length));
        }
        Ok(slots)
    }

    /// Copies the fields of a message out; binding patterns store them.
    pub fn bind(
        &mut self,
        view: &View,
        path: Path,
        channel: usize,
        patterns: &[Pattern],
        slot: u32,
        faults: &mut Vec<(Fault, Diagram)>,
    ) -> Result<Vec<Path>, NoRoom> {
        let ty = self.channel_type(&path, channel);
        let mut address = self.slot_address(&path, channel, slot);
        let mut paths = vec![path];
        for (pattern, &field) in patterns.iter().zip(&ty.fields) {
            if let Pattern::Bind(place) = pattern {
                let mut next = Vec::with_capacity(paths.len());
                for path in paths {
                    let value = self.read(&path, address, field)?;
                    next.extend(self.store(view, path, place, value, faults)?);
                }
                paths = next;
            }
            address += field.size();
        }
        Ok(paths)
    }

    /// Takes a message out; those behind it move up.
    pub fn remove(&mut self, path: &Path, channel: usize, slot: u32) -> Result<Vec<Path>, NoRoom> {
        let mut removed = Vec::new();
        for (mut path, length) in self.by_length(path, channel)? {
            for from in slot + 1..length {
                self.copy_message(&mut path, channel, from, from - 1)?;
            }
            let mut address = self.slot_address(&path, channel, length - 1);
            for &field in &self.channel_type(&path, channel).fields {
                self.write_unsigned(&mut path, address, field.size(), u32::from(field.bits), 0)?;
                address += field.size();
            }
            self.set_length(&mut path, channel, length - 1)?;
            removed.push(path);
        }
        Ok(removed)
    }
}
