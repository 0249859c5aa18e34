//! What symbolic execution needs at hand: the model, where its bits are, and who looks.

use std::sync::Arc;

use fathom_diagram::{Diagram, NoRoom, Variable};
use fathom_model::layout::Layout;
use fathom_model::{Fault, Model};
use rustc_hash::FxHashMap;

use crate::encoding::{Encoding, KnownBits};
use crate::number::{Arithmetic, Number};
use crate::partition::AllCells;
use crate::shape::Directory;

/// Symbolic execution from one composite state.
pub(crate) struct Machine<'a> {
    pub model: &'a Model,
    pub layout: &'a Layout,
    pub cells: &'a AllCells,
    pub encoding: &'a Encoding,
    pub arithmetic: &'a Arithmetic,
    pub known: &'a mut KnownBits,
    pub start: StartBits,
    /// The values at the start.
    pub region: Diagram,
    /// What bits are at the start, as far as anyone asked.
    pub at_start: FxHashMap<u32, Diagram>,
    /// Variables of values that were chosen.
    pub chosen: Vec<Variable>,
}

/// Which bits are symbolic in the state that is expanded.
#[derive(Clone, Default, Debug)]
pub(crate) struct StartBits {
    /// What there is in it.
    pub directory: Arc<Directory>,
    /// Their numbers, in order.
    pub bits: Vec<u32>,
}

impl StartBits {
    pub fn contains(&self, bit: u32) -> bool {
        self.directory.symbolic.get(bit as usize / 8).is_some_and(|&symbolic| symbolic)
    }
}

/// Who looks at a state, and under which circumstances.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    /// The process that looks; none for a property.
    pub own: Option<u32>,
    /// The process created last in the same effect.
    pub created: i64,
    /// Whether nothing can move otherwise.
    pub timeout: bool,
    /// How many questions about other processes led here.
    pub depth: u32,
}

impl View {
    /// The look of nobody, at rest.
    pub const NOBODY: View = View { own: None, created: 0, timeout: false, depth: 0 };

    /// The same circumstances, seen by a process.
    pub fn by(self, process: u32) -> View {
        View { own: Some(process), ..self }
    }
}

/// The values at the start for which an evaluation goes on, and those for which it ran into a fault.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    pub condition: Diagram,
    /// Faults with the values that lead to them; no two overlap.
    pub faults: Vec<(Fault, Diagram)>,
}

impl Live {
    pub fn new(condition: &Diagram) -> Live {
        Live { condition: condition.clone(), faults: Vec::new() }
    }

    /// For some of the values the evaluation ends here.
    pub fn fault(&mut self, fault: Fault, condition: &Diagram) -> Result<(), NoRoom> {
        let condition = self.condition.and(condition)?;
        if !condition.is_false() {
            self.condition = self.condition.minus(&condition)?;
            self.faults.push((fault, condition));
        }
        Ok(())
    }

    /// Something that is only evaluated under a condition; what it makes of the condition is forgotten afterwards, but not its
    /// faults.
    pub fn within<T>(
        &mut self,
        condition: &Diagram,
        evaluate: impl FnOnce(&mut Live) -> Result<T, NoRoom>,
    ) -> Result<T, NoRoom> {
        let before = self.condition.clone();
        let n_faults = self.faults.len();
        self.condition = before.and(condition)?;
        let result = evaluate(self)?;
        self.condition = before;
        for place in n_faults..self.faults.len() {
            self.condition = self.condition.minus(&self.faults[place].1)?;
        }
        Ok(result)
    }
}

impl Machine<'_> {
    /// A value that a number has somewhere where a condition holds.
    pub fn example(&self, number: &Number, condition: &Diagram) -> i64 {
        let bits = match number {
            Number::Known(value) => return *value,
            Number::Bits(bits) => bits,
        };
        let support = condition.support();
        let Some(values) = condition.pick(&support) else { return 0 };
        let value =
            |variable| support.binary_search(&variable).is_ok_and(|place| values.get(place) == Some(&true));
        let last = bits.len() - 1;
        (0..bits.len())
            .filter(|&place| bits[place].evaluate(value))
            .map(|place| if place == last { -(1i64 << place) } else { 1i64 << place })
            .sum()
    }

    /// The values below a bound that a number has, each with its condition, and the condition under which it has none of
    /// them.
    pub fn cases(
        &self,
        number: &Number,
        n_values: usize,
        live: &Live,
    ) -> Result<(Vec<(Diagram, usize)>, Diagram), NoRoom> {
        if let Number::Known(value) = number {
            return Ok(match usize::try_from(*value) {
                Ok(value) if value < n_values => {
                    (vec![(live.condition.clone(), value)], self.arithmetic.no.clone())
                }
                _ => (Vec::new(), live.condition.clone()),
            });
        }
        let mut cases = Vec::new();
        let mut rest = live.condition.clone();
        for value in 0..n_values {
            if rest.is_false() {
                break;
            }
            let condition = rest.and(&self.arithmetic.is(number, value as i64)?)?;
            if !condition.is_false() {
                rest = rest.minus(&condition)?;
                cases.push((condition, value));
            }
        }
        Ok((cases, rest))
    }
}
