//! Values that an effect chooses: all of them at once.
//!
//! A choice is a vector of fresh variables. Until the step is over, conditions and bits are functions of these as well; then they are
//! quantified away, in the same product that makes the image. The variable of a bit that is chosen stands beside the variables of the bit for which it is
//! chosen, which is that of the global at the offset of the place, also when the place is a temporary: front ends give the temporary that becomes a variable
//! the offset of the variable. One that becomes none, an input, has variables of its own. So a relation between now and then that is written as choices and requirements has the order that relations
//! want, current and next value side by side (Burch, Clarke, Long, McMillan and Dill, "Symbolic Model Checking for Sequential Circuit Verification", 1994).

use fathom_diagram::{Diagram, NoRoom, Variable};
use fathom_model::{Base, BinaryOp, Place};

use crate::effect::Faults;
use crate::machine::{Machine, View};
use crate::number::Number;
use crate::path::Path;

impl Machine<'_> {
    /// Stores any value of a range in a place.
    pub fn choose_value(
        &mut self,
        view: &View,
        mut path: Path,
        place: &Place,
        (least, most): (i64, i64),
        faults: &mut Faults,
    ) -> Result<Vec<Path>, NoRoom> {
        let largest = (most - least) as u64;
        let n_bits = u64::BITS - largest.leading_zeros();
        let mut bits = Vec::with_capacity(n_bits as usize + 1);
        for bit in 0..n_bits {
            let variable = self.choice_variable(place, bit, &path.choices);
            path.add_choice(variable);
            if !self.chosen.contains(&variable) {
                self.chosen.push(variable);
            }
            bits.push(self.encoding.diagrams.variable(variable)?);
        }
        bits.push(self.arithmetic.no.clone());
        let above_least = self.arithmetic.number(bits);
        if !(largest + 1).is_power_of_two() {
            let beyond = self.arithmetic.less(&Number::Known(largest as i64), &above_least)?;
            path.condition = path.condition.minus(&beyond)?;
        }
        let value = self.arithmetic.binary(BinaryOp::Add, &above_least, &Number::Known(least))?;
        self.store(view, path, place, value, faults)
    }

    /// A variable for a bit that is chosen, which no choice on the way so far has.
    fn choice_variable(&self, place: &Place, bit: u32, taken: &[Variable]) -> Variable {
        let is_fixed = matches!(place.base, Base::Global | Base::Temporary) && place.indices.is_empty();
        if is_fixed && bit < u32::from(place.ty.bits) {
            let number = place.offset * 8 + bit;
            let is_input = place.base == Base::Temporary && place.offset >= self.layout.records;
            let variables =
                if is_input { self.encoding.temporary(number) } else { self.encoding.variables(number) };
            let choice = variables.choice;
            if !taken.contains(&choice) {
                return choice;
            }
        }
        let spare = |number: usize| self.encoding.spare(number).choice;
        (0..).map(spare).find(|choice| !taken.contains(choice)).expect("there is always another one")
    }

    /// A condition on the values at the start, and on what was chosen before: for which of them something can be chosen.
    pub fn settle(&self, condition: &Diagram, kept: &[Variable]) -> Result<Diagram, NoRoom> {
        if self.chosen.is_empty() {
            return Ok(condition.clone());
        }
        let gone: Vec<Variable> =
            self.chosen.iter().copied().filter(|variable| !kept.contains(variable)).collect();
        condition.exists(&self.encoding.diagrams.variables(&gone)?)
    }

    /// The same for faults.
    pub fn settle_all(&self, faults: Faults, kept: &[Variable]) -> Result<Faults, NoRoom> {
        faults.into_iter().map(|(fault, condition)| Ok((fault, self.settle(&condition, kept)?))).collect()
    }
}
