//! Steps that are made once for many sets of values of an explicit part.
//!
//! Symbolic execution from a set of values uses all that the set says: what is constant in it is a constant in every function. That is what makes products small, but it is done
//! again for every set, and a counter that goes through thousands of values one by one is executed thousands of times. So, where a part is expanded again and again, its steps are made for its *hull*:
//! bits that were constant in all that was expanded of the part stay constants, all others may be anything. Sets inside the hull then cost one product each with a relation that is
//! there already (Burch, Clarke, Long, McMillan and Dill, 1994); a set outside of it enlarges the hull, by a bit at least, so that this happens once for each bit at most.
//!
//! The functions of a hull may be too large where those of the sets are not. They are made within an allowance of nodes, and when it is used up the part is executed for each set, as before, until that has cost several
//! times as much: then a larger allowance is tried.

use std::sync::Arc;

use fathom_diagram::{Diagram, NoRoom, Substitution, Variable, Variables};
use fathom_model::{Fault, PropertyId};
use rustc_hash::FxHashMap;

use crate::composite::{Composite, Expansion};
use crate::encoding::KnownBits;
use crate::path::Path;
use crate::shape::Shape;

/// Expansions before the first hull is made: one that is used less often does not pay.
const MISSES: u32 = 2;
/// Nodes that the steps of a hull may take at first.
const ALLOWANCE: usize = 1 << 16;
/// What was spent on a part for each node that its steps may take later.
const SHARE_OF_ATTEMPTS: usize = 4;

/// The prepared steps of the explicit parts of a search.
#[derive(Clone, Default, Debug)]
pub(crate) struct PreparedParts {
    parts: FxHashMap<Vec<u8>, PreparedPart>,
}

#[derive(Clone, Debug)]
struct PreparedPart {
    /// All that was expanded.
    seen: Diagram,
    n_misses: u32,
    /// None while there are none.
    steps: Option<Arc<PreparedSteps>>,
    /// Nodes that were made by executing sets one by one, and the same since there are steps.
    n_spent: usize,
    n_spent_since: usize,
    /// Nodes that it took to make the steps.
    n_made: usize,
    /// The last allowance that was not enough, 0 while there is none.
    n_refused: usize,
}

impl PreparedPart {
    /// Whether it is time to make steps for all that was seen. After a refusal it is when far more was spent without them: so all attempts together cost less than what is done anyway.
    fn is_due(&self) -> bool {
        match self.n_refused {
            0 if self.steps.is_some() => self.n_spent_since >= self.n_made,
            0 => self.n_misses >= MISSES,
            refused => self.n_spent / SHARE_OF_ATTEMPTS > refused,
        }
    }

    /// Nodes that steps may take.
    fn allowance(&self) -> usize {
        ALLOWANCE.max(self.n_spent / SHARE_OF_ATTEMPTS)
    }
}

/// The steps of all values of a hull.
#[derive(Clone, Debug)]
struct PreparedSteps {
    hull: Diagram,
    steps: Vec<PreparedStep>,
    findings: Vec<(PropertyId, Option<Fault>, Diagram)>,
}

/// One way through a step, and the explicit part that it leads to.
#[derive(Clone, Debug)]
struct PreparedStep {
    target: Vec<u8>,
    relation: StepRelation,
}

/// A step as a relation between values now and then.
#[derive(Clone, Debug)]
pub(crate) struct StepRelation {
    relation: Diagram,
    /// Values now that are gone then.
    gone: Variables,
    /// Values then become values now.
    renaming: Substitution,
}

impl StepRelation {
    /// What a set of values becomes.
    pub fn image(&self, values: &Diagram) -> Result<Diagram, NoRoom> {
        values.and_exists(&self.relation, &self.gone)?.substitute(&self.renaming)
    }
}

/// What a set of values of a part becomes in one step, by explicit part, and evidence in it.
pub(crate) struct PreparedExpansion {
    pub images: Vec<(Vec<u8>, Diagram)>,
    pub findings: Vec<(PropertyId, Option<Fault>)>,
}

impl PreparedParts {
    /// The steps of a set of values of a part, when they are prepared: now, or before.
    pub fn expand(
        &mut self,
        composite: &Composite<'_>,
        known: &mut KnownBits,
        state: &[u8],
        values: &Diagram,
    ) -> Result<Option<PreparedExpansion>, NoRoom> {
        let steps = self.steps_for(composite, known, state, values)?;
        steps.map(|steps| steps.expand(values)).transpose()
    }

    /// The steps of a hull around a set of values of a part, when they are prepared: now, or before.
    fn steps_for(
        &mut self,
        composite: &Composite<'_>,
        known: &mut KnownBits,
        state: &[u8],
        values: &Diagram,
    ) -> Result<Option<Arc<PreparedSteps>>, NoRoom> {
        let Some(part) = self.parts.get_mut(state) else {
            let seen = values.clone();
            let part = PreparedPart {
                seen,
                n_misses: 1,
                steps: None,
                n_spent: 0,
                n_spent_since: 0,
                n_made: 0,
                n_refused: 0,
            };
            self.parts.insert(state.to_vec(), part);
            return Ok(None);
        };
        let is_inside = match &part.steps {
            Some(steps) => steps.hull.includes(values)?,
            None => false,
        };
        if !is_inside {
            part.seen = part.seen.or(values)?;
            part.n_misses += 1;
            if !part.is_due() {
                return Ok(None);
            }
            let allowance = part.allowance();
            let n_nodes = composite.diagrams().about_n_nodes();
            match composite.prepare(known, state, &part.seen, allowance)? {
                Some(steps) => {
                    part.seen = steps.hull.clone();
                    part.steps = Some(Arc::new(steps));
                    part.n_made = composite.diagrams().about_n_nodes().saturating_sub(n_nodes);
                    (part.n_misses, part.n_refused, part.n_spent_since) = (0, 0, 0);
                }
                None => {
                    part.n_refused = allowance;
                    return Ok(None);
                }
            }
        }
        Ok(part.steps.clone())
    }
}

impl PreparedParts {
    /// Notes how many nodes it took to execute a set of values of a part that is not prepared.
    pub fn spend(&mut self, state: &[u8], n_nodes: usize) {
        if let Some(part) = self.parts.get_mut(state) {
            part.n_spent = part.n_spent.saturating_add(n_nodes);
            part.n_spent_since = part.n_spent_since.saturating_add(n_nodes);
        }
    }
}

impl PreparedSteps {
    fn expand(&self, values: &Diagram) -> Result<PreparedExpansion, NoRoom> {
        let mut images: Vec<(Vec<u8>, Diagram)> = Vec::new();
        for step in &self.steps {
            let image = step.relation.image(values)?;
            if image.is_false() {
                continue;
            }
            match images.iter_mut().find(|(target, _)| *target == step.target) {
                Some((_, known)) => *known = known.or(&image)?,
                None => images.push((step.target.clone(), image)),
            }
        }
        Ok(PreparedExpansion { images, findings: self.evidence_in(values)? })
    }

    /// Evidence in a set of values of the hull.
    fn evidence_in(&self, values: &Diagram) -> Result<Vec<(PropertyId, Option<Fault>)>, NoRoom> {
        let mut findings = Vec::new();
        for (property, fault, evidence) in &self.findings {
            if !evidence.and(values)?.is_false() {
                findings.push((*property, fault.clone()));
            }
        }
        Ok(findings)
    }
}

impl Composite<'_> {
    /// The steps of the hull of a set of values; none when they take too many nodes.
    fn prepare(
        &self,
        known: &mut KnownBits,
        state: &[u8],
        seen: &Diagram,
        allowance: usize,
    ) -> Result<Option<PreparedSteps>, NoRoom> {
        let diagrams = self.diagrams();
        diagrams.within_allowance(allowance, || {
            let hull = self.hull(known, state, seen)?;
            let Expansion { paths, findings, .. } = self.expand(known, state, &hull)?;
            let bits = Shape::load(&self.layout, &self.cells, state).symbolic_bits(&self.cells);
            let mut steps = Vec::with_capacity(paths.len());
            for path in &paths {
                let relation = self.relation_of(&bits, path)?;
                steps.push(PreparedStep { target: path.shape.bytes.clone(), relation });
            }
            Ok(PreparedSteps { hull, steps, findings })
        })
    }

    /// All values of a part that agree with a set on the bits that are constant in it.
    fn hull(&self, known: &mut KnownBits, state: &[u8], values: &Diagram) -> Result<Diagram, NoRoom> {
        let mut constant = Vec::new();
        for bit in Shape::load(&self.layout, &self.cells, state).symbolic_bits(&self.cells) {
            let with = values.and(known.function(&self.encoding, bit)?)?;
            if with.is_false() || with == *values {
                constant.push((known.variables(&self.encoding, bit)?.now, !with.is_false()));
            }
        }
        self.all_values(state)?.and(&self.diagrams().cube(&constant)?)
    }

    /// A path from a part with these bits as a relation.
    pub(crate) fn relation_of(&self, before: &[u32], path: &Path) -> Result<StepRelation, NoRoom> {
        let diagrams = self.diagrams();
        let mut changed: Vec<_> =
            path.bits.iter().map(|(bit, function)| (self.encoding.variables(bit), function)).collect();
        // From the last variable to the first: each conjunct is put on top of what is there.
        changed.sort_by_key(|(variables, _)| std::cmp::Reverse(variables.next));
        let mut relation = diagrams.constant(true);
        let mut renaming = Vec::with_capacity(changed.len());
        for (variables, function) in changed {
            relation = diagrams.variable(variables.next)?.equivalent(function)?.and(&relation)?;
            renaming.push((variables.next, diagrams.variable(variables.now)?));
        }
        let relation = path.condition.and_exists(&relation, &diagrams.variables(&path.choices)?)?;
        let after = path.shape.symbolic_bits(&self.cells);
        let is_gone = |bit: &&u32| path.bits.contains(**bit) || after.binary_search(bit).is_err();
        let gone: Vec<Variable> =
            before.iter().filter(is_gone).map(|&bit| self.encoding.variables(bit).now).collect();
        Ok(StepRelation {
            relation,
            gone: diagrams.variables(&gone)?,
            renaming: diagrams.substitution(renaming.iter().map(|(variable, now)| (*variable, now))),
        })
    }
}
