//! Paths: what a set of states has become on its way through a step.
//!
//! A path starts as the composite state that is expanded. Its condition says for which of the values at the start it is the way
//! that is taken; its bits say what each symbolic bit has become, as a function of the values at the start. This is the functional form of
//! symbolic execution: a step is deterministic once the way is chosen, so that the image is one product of a relation and
//! what leads to a set of states is one substitution, without a relation at all (see [`image`](crate::image)).
//! The source (da Costa, 2005, after Verus) carries relations instead; both give the same sets.

use std::sync::Arc;

use fathom_diagram::{Diagram, NoRoom, Variable};
use fathom_model::ScalarType;

use crate::changed_bits::ChangedBits;
use crate::machine::Machine;
use crate::number::Number;
use crate::shape::Shape;

/// What symbolic bits have become, by their numbers, as functions of the values at the start. Ways that part share them until one changes a bit.
pub(crate) type Bits = Arc<ChangedBits>;

/// A set of states on its way.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    /// For which values at the start this is the way.
    pub condition: Diagram,
    /// The explicit part.
    pub shape: Shape,
    /// What symbolic bits have become, by their numbers; those that are not here are what they were.
    pub bits: Bits,
    /// For which values at the start an assertion failed in the edge under way.
    pub assertion: Diagram,
    /// Temporaries of the effect under way, with their offsets: few at a time.
    pub temporaries: Vec<(u32, Number)>,
    /// Variables of values that were chosen on the way: condition and bits are functions of these as well.
    pub choices: Vec<Variable>,
}

impl Path {
    /// A way on which nothing was chosen.
    pub fn new(condition: Diagram, shape: Shape, bits: Bits, assertion: Diagram) -> Path {
        Path { condition, shape, bits, assertion, temporaries: Vec::new(), choices: Vec::new() }
    }

    /// The same way for fewer values; none when there are none.
    pub fn under(&self, condition: &Diagram) -> Result<Option<Path>, NoRoom> {
        let condition = self.condition.and(condition)?;
        Ok((!condition.is_false()).then(|| Path { condition, ..self.clone() }))
    }

    /// The same for a way that nobody else goes on with.
    pub fn into_under(self, condition: &Diagram) -> Result<Option<Path>, NoRoom> {
        let condition = self.condition.and(condition)?;
        Ok((!condition.is_false()).then(|| Path { condition, ..self }))
    }

    /// Notes that a value was chosen.
    pub fn add_choice(&mut self, variable: Variable) {
        if !self.choices.contains(&variable) {
            self.choices.push(variable);
        }
    }

    /// The temporary at an offset, if it has been set.
    pub fn temporary(&self, offset: u32) -> Option<&Number> {
        self.temporaries.iter().find(|(of, _)| *of == offset).map(|(_, number)| number)
    }

    /// Sets the temporary at an offset.
    pub fn set_temporary(&mut self, offset: u32, number: Number) {
        match self.temporaries.iter_mut().find(|(of, _)| *of == offset) {
            Some((_, known)) => *known = number,
            None => self.temporaries.push((offset, number)),
        }
    }

    /// Forgets bits that do not exist any more.
    pub fn forget_from(&mut self, byte: usize) {
        let first = byte as u32 * 8;
        if self.bits.reaches(first) {
            Arc::make_mut(&mut self.bits).truncate(first);
        }
    }
}

impl Machine<'_> {
    /// What a bit is on a path.
    pub fn bit(&mut self, path: &Path, bit: u32) -> Result<Diagram, NoRoom> {
        match path.bits.get(bit) {
            Some(function) => Ok(function.clone()),
            None => self.bit_at_start(bit),
        }
    }

    /// What a bit is at the start: a constant where the region says so. A factor that is always 3 costs nothing then, symbolic
    /// or not, while the product of two unknown ones is large.
    fn bit_at_start(&mut self, bit: u32) -> Result<Diagram, NoRoom> {
        if self.region.is_true() {
            return self.known.function(self.encoding, bit).cloned();
        }
        if let Some(function) = self.at_start.get(&bit) {
            return Ok(function.clone());
        }
        let variable = self.known.function(self.encoding, bit)?;
        let with = self.region.and(variable)?;
        let function = match (with.is_false(), with == self.region) {
            (true, _) => &self.arithmetic.no,
            (_, true) => &self.arithmetic.yes,
            _ => variable,
        };
        self.at_start.insert(bit, function.clone());
        Ok(function.clone())
    }

    /// Whether a bit at the start is this function.
    fn is_at_start(&mut self, bit: u32, function: &Diagram) -> Result<bool, NoRoom> {
        if self.region.is_true() {
            return Ok(self.known.function(self.encoding, bit)? == function);
        }
        Ok(self.bit_at_start(bit)? == *function)
    }

    /// The bits of a symbolic scalar.
    pub fn bits_at(&mut self, path: &Path, address: u32, n_bits: u32) -> Result<Vec<Diagram>, NoRoom> {
        // With room for a sign.
        let mut bits = Vec::with_capacity(n_bits as usize + 1);
        for bit in 0..n_bits {
            bits.push(self.bit(path, address * 8 + bit)?);
        }
        Ok(bits)
    }

    /// Reads a scalar as the interpreter does.
    pub fn read(&mut self, path: &Path, address: u32, ty: ScalarType) -> Result<Number, NoRoom> {
        if !path.shape.symbolic[address as usize] {
            let value = ty.read(&path.shape.bytes[address as usize..]);
            return Ok(Number::Known(i64::from(value as i32)));
        }
        let bits = self.bits_at(path, address, u32::from(ty.bits))?;
        Ok(self.arithmetic.load(ty, bits))
    }

    /// Reads an unsigned number of so many bits in so many bytes: a location or a length.
    pub fn read_unsigned(
        &mut self,
        path: &Path,
        address: u32,
        width: u32,
        n_bits: u32,
    ) -> Result<Number, NoRoom> {
        if !path.shape.symbolic[address as usize] {
            let bytes = &path.shape.bytes[address as usize..];
            return Ok(Number::Known(i64::from(fathom_model::layout::read_number(bytes, width))));
        }
        let mut bits = self.bits_at(path, address, n_bits)?;
        bits.push(self.arithmetic.no.clone());
        Ok(self.arithmetic.number(bits))
    }

    /// Writes bits without a sign to a symbolic scalar where a condition holds.
    pub fn write_bits(
        &mut self,
        path: &mut Path,
        address: u32,
        bits: &[Diagram],
        condition: &Diagram,
    ) -> Result<(), NoRoom> {
        for (place, bit) in bits.iter().enumerate() {
            let number = address * 8 + place as u32;
            let new = match condition.is_true() {
                true => bit.clone(),
                false => condition.ite(bit, &self.bit(path, number)?)?,
            };
            self.set_bit(path, number, new)?;
        }
        Ok(())
    }

    /// A bit becomes a function. What is as it was is not kept, so that equal paths look equal.
    pub fn set_bit(&mut self, path: &mut Path, bit: u32, function: Diagram) -> Result<(), NoRoom> {
        let is_as_before = self.start.contains(bit) && self.is_at_start(bit, &function)?;
        if is_as_before {
            if path.bits.contains(bit) {
                Arc::make_mut(&mut path.bits).remove(bit);
            }
        } else {
            Arc::make_mut(&mut path.bits).insert(bit, function);
        }
        Ok(())
    }

    /// Writes a value that is known to an unsigned number of so many bits in so many bytes.
    pub fn write_unsigned(
        &mut self,
        path: &mut Path,
        address: u32,
        width: u32,
        n_bits: u32,
        value: u32,
    ) -> Result<(), NoRoom> {
        if !path.shape.symbolic[address as usize] {
            fathom_model::layout::write_number(&mut path.shape.bytes[address as usize..], width, value);
            return Ok(());
        }
        for bit in 0..n_bits {
            let function = self.arithmetic.constant(value >> bit & 1 == 1).clone();
            self.set_bit(path, address * 8 + bit, function)?;
        }
        Ok(())
    }

    /// Stores a number in the scalar at an address.
    pub fn store_here(
        &mut self,
        mut path: Path,
        address: u32,
        ty: ScalarType,
        value: Number,
    ) -> Result<Vec<Path>, NoRoom> {
        if path.shape.symbolic[address as usize] {
            let bits = self.arithmetic.stored_bits(value, usize::from(ty.bits));
            for (place, bit) in (address * 8..).zip(bits) {
                self.set_bit(&mut path, place, bit)?;
            }
            return Ok(vec![path]);
        }
        if let Number::Known(value) = value {
            ty.write(&mut path.shape.bytes[address as usize..], value);
            return Ok(vec![path]);
        }
        let choices = [(path.condition.clone(), address)];
        self.store_at(path, &choices, ty, &value)
    }

    /// Stores numbers in the scalar at an address that conditions choose; gives the paths that this leads to. Explicit
    /// scalars split the path: one for each address and value that is possible.
    pub fn store_at(
        &mut self,
        mut path: Path,
        choices: &[(Diagram, u32)],
        ty: ScalarType,
        value: &Number,
    ) -> Result<Vec<Path>, NoRoom> {
        let bits = self.arithmetic.store(value, usize::from(ty.bits));
        if choices.iter().all(|(_, address)| path.shape.symbolic[*address as usize]) {
            // What a bit becomes where the path is not taken does not matter.
            let yes = self.arithmetic.yes.clone();
            for (condition, address) in choices {
                let condition = if choices.len() == 1 { &yes } else { condition };
                self.write_bits(&mut path, *address, &bits, condition)?;
            }
            return Ok(vec![path]);
        }
        let mut paths = Vec::new();
        for (condition, address) in choices {
            let Some(mut chosen) = path.under(condition)? else { continue };
            if chosen.shape.symbolic[*address as usize] {
                let yes = self.arithmetic.yes.clone();
                self.write_bits(&mut chosen, *address, &bits, &yes)?;
                paths.push(chosen);
                continue;
            }
            for (value, part) in self.arithmetic.split(&chosen.condition, &bits)? {
                let mut one = Path { condition: part, ..chosen.clone() };
                ty.write(&mut one.shape.bytes[*address as usize..], i64::from(value));
                paths.push(one);
            }
        }
        Ok(paths)
    }
}
