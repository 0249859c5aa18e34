//! From a way through composite states to a trace of the model.
//!
//! The last composite state has values that show the evidence; one of them is picked. Going back, what led to it in the
//! composite state before is the set with functions in the place of bits (see [`image`](crate::image)), and one value of that is picked,
//! and so on to the initial state. The states so found are then followed on the reference interpreter, which says which of its steps
//! lead from one to the next and what it finds at the end: the trace is the interpreter's.

use fathom_diagram::NoRoom;
use fathom_model::{Evidence, Interpreter, NoRegion, PropertyId, Steps, System, Trace};

use crate::composite::Composite;
use crate::encoding::KnownBits;
use crate::region::DiagramRegion;

/// A composite state on a way.
pub type CompositeVisit = (Vec<u8>, DiagramRegion);

impl Composite<'_> {
    /// The trace along a way that ends with evidence about a property; without a way, evidence before the first step. None
    /// when there is no such trace.
    ///
    /// # Errors
    ///
    /// When there is no room.
    pub fn concrete_trace(
        &self,
        way: &[CompositeVisit],
        property: PropertyId,
    ) -> Result<Option<Trace>, NoRoom> {
        let interpreter = Interpreter::new(self.model, &[property]);
        let Some(states) = self.concrete_states(way, property)? else { return Ok(None) };
        Ok(follow(&interpreter, &states, property))
    }

    /// Concrete states along a way, each in its composite state and each with a step to the next, the last one with evidence about
    /// a property.
    pub(crate) fn concrete_states(
        &self,
        way: &[CompositeVisit],
        property: PropertyId,
    ) -> Result<Option<Vec<Vec<u8>>>, NoRoom> {
        let Some(((last, region), before)) = way.split_last() else { return Ok(Some(Vec::new())) };
        let mut known = KnownBits::default();
        let mut shown = self.arithmetic.no.clone();
        for (found, _, values) in self.expand(&mut known, last, &region.diagram)?.findings {
            if found == property {
                shown = shown.or(&values)?;
            }
        }
        let Some(end) = self.pick(last, &shown) else { return Ok(None) };
        let mut states = vec![end];
        for (explicit, region) in before.iter().rev() {
            let Some(state) = self.state_before(&mut known, explicit, region, &states[states.len() - 1])?
            else {
                return Ok(None);
            };
            states.push(state);
        }
        states.reverse();
        Ok(Some(states))
    }

    /// A state of a composite state with a step to a state.
    fn state_before(
        &self,
        known: &mut KnownBits,
        explicit: &[u8],
        region: &DiagramRegion,
        to: &[u8],
    ) -> Result<Option<Vec<u8>>, NoRoom> {
        let (bytes, values) = self.divide(to)?;
        let expansion = self.expand(known, explicit, &region.diagram)?;
        let (_, start) = self.start(explicit, &region.diagram);
        let mut machine = self.machine(known, start, &region.diagram);
        for path in expansion.paths.iter().filter(|path| path.shape.bytes == bytes) {
            let before = machine.pre(path, &values)?;
            if let Some(state) = self.pick(explicit, &before) {
                return Ok(Some(state));
            }
        }
        Ok(None)
    }
}

/// The choices of the interpreter that lead through states to evidence.
pub(crate) fn follow(
    interpreter: &Interpreter<'_>,
    states: &[Vec<u8>],
    property: PropertyId,
) -> Option<Trace> {
    let mut scratch = interpreter.scratch();
    let mut steps = Steps::new();
    interpreter.initial(&mut scratch, &mut steps);
    let mut choices = Vec::with_capacity(states.len());
    for state in states {
        let choice = (0..steps.len()).find(|&index| steps.state(index) == &state[..])?;
        choices.push(choice as u32);
        steps.clear();
        interpreter.successors(state, &NoRegion, &mut scratch, &mut steps);
    }
    let finding = steps.findings().iter().find(|finding| finding.property == property)?;
    let evidence = Evidence::Finding { property, fault: finding.fault.clone() };
    let (initial, choices) = choices.split_first().map_or((0, &[][..]), |(&initial, rest)| (initial, rest));
    Some(Trace { initial, choices: choices.to_vec(), evidence, loop_at: None })
}
