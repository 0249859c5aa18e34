//! From paths to regions and back.
//!
//! The image of a path is what its bits have become for the values that take it: bits that changed get their next variables,
//! the current ones are quantified away, and the next ones renamed. Bits that did not change are not touched at all. What
//! leads to a set of states is the set with functions in the place of bits: no quantification is needed.

use fathom_diagram::{Diagram, NoRoom, Variable, Variables};

use crate::machine::Machine;
use crate::path::{Bits, Path};

/// The last of several images from one start. A value that is chosen for something explicit makes a path for each value; what is symbolic becomes the same on all of
/// them, and one image will do.
pub(crate) struct LastImage {
    bits: Bits,
    choices: Vec<Variable>,
    /// What was chosen and no bit depends on.
    unneeded: Variables,
    /// For which other choices the path is taken.
    condition: Diagram,
    target: Vec<u32>,
    image: Diagram,
}

impl Machine<'_> {
    /// The values that the symbolic part has at the end of a path, unless they are those of the path before.
    pub fn post_again(&mut self, path: &Path, last: &mut Option<LastImage>) -> Result<Diagram, NoRoom> {
        let target = path.shape.symbolic_bits(self.cells);
        if let Some(last) = last
            && last.bits == path.bits
            && last.choices == path.choices
            && last.target == target
            && last.condition == path.condition.exists(&last.unneeded)?
        {
            return Ok(last.image.clone());
        }
        let needed: Vec<Variable> = path.bits.iter().flat_map(|(_, function)| function.support()).collect();
        let unneeded: Vec<Variable> =
            path.choices.iter().copied().filter(|variable| !needed.contains(variable)).collect();
        let unneeded = self.encoding.diagrams.variables(&unneeded)?;
        let condition = path.condition.exists(&unneeded)?;
        let image = self.post(&Path { condition: condition.clone(), ..path.clone() })?;
        let (bits, choices) = (path.bits.clone(), path.choices.clone());
        *last = Some(LastImage { bits, choices, unneeded, condition, target, image: image.clone() });
        Ok(image)
    }

    /// The values that the symbolic part has at the end of a path.
    pub fn post(&mut self, path: &Path) -> Result<Diagram, NoRoom> {
        let diagrams = &self.encoding.diagrams;
        let mut changed = Vec::with_capacity(path.bits.len());
        for (bit, function) in path.bits.iter() {
            changed.push((self.known.variables(self.encoding, bit)?, function));
        }
        let target = path.shape.symbolic_bits(self.cells);
        let mut gone: Vec<Variable> = path.choices.clone();
        for &bit in &self.start.bits {
            if path.bits.contains(bit) || target.binary_search(&bit).is_err() {
                gone.push(self.known.variables(self.encoding, bit)?.now);
            }
        }
        // From the last variable to the first: each conjunct is put on top of what is there.
        changed.sort_by_key(|(variables, _)| std::cmp::Reverse(variables.next));
        let mut relation = self.arithmetic.yes.clone();
        let mut renaming = Vec::with_capacity(changed.len());
        for (variables, function) in changed {
            let next = diagrams.variable(variables.next)?;
            relation = next.equivalent(function)?.and(&relation)?;
            renaming.push((variables.next, diagrams.variable(variables.now)?));
        }
        let image = path.condition.and_exists(&relation, &diagrams.variables(&gone)?)?;
        image.substitute(&diagrams.substitution(renaming.iter().map(|(variable, now)| (*variable, now))))
    }

    /// The values at the start of a path that lead to a set of values at its end.
    pub fn pre(&mut self, path: &Path, target: &Diagram) -> Result<Diagram, NoRoom> {
        let before = self.leading_to(path, target)?;
        before.exists(&self.encoding.diagrams.variables(&path.choices)?)
    }

    /// The same with what is chosen on the way.
    pub fn leading_to(&mut self, path: &Path, target: &Diagram) -> Result<Diagram, NoRoom> {
        let mut functions = Vec::with_capacity(path.bits.len());
        for (bit, function) in path.bits.iter() {
            functions.push((self.known.variables(self.encoding, bit)?.now, function));
        }
        let substitution = self.encoding.diagrams.substitution(functions);
        target.substitute(&substitution)?.and(&path.condition)
    }
}
