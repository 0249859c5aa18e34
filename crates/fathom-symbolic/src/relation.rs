//! All that a model can do, for all values of its symbolic part at once: a relation between explicit parts whose edges carry diagrams.
//!
//! Where [`CompositeGraph`](crate::CompositeGraph) explores what is reached and keeps steps for that, a relation is made for all values that bits can have, reached or not.
//! So it is made before anything is searched, images of sets and of single states are one product each, and what leads to a set can be asked of an *abstraction*, which has more
//! states than are reached. This is the transition relation of symbolic model checking (Burch, Clarke, Long, McMillan and Dill, 1994), kept as a list of
//! disjuncts, one for each path through a step.
//!
//! **Invariant:** from what is reached, images are exactly the steps of the reference interpreter; evidence is told by the goal of a part in the same sense. For values that
//! no state has, anything may be said.

use std::collections::{BTreeMap, HashMap};

use fathom_diagram::{Diagram, NoRoom, Substitution, Variable};
use fathom_model::PropertyId;

use crate::cell::Cell;
use crate::composite::Composite;
use crate::encoding::KnownBits;
use crate::graph::GoesOn;
use crate::path::Path;
use crate::prepared::StepRelation;
use crate::shape::Shape;

/// Most explicit parts. They are counted for all values, so there may be more than are reached.
const MOST_PARTS: usize = 1 << 12;
/// Most nodes, by and large. Of processes that come and go, and of loops over wide numbers, a relation grows without end, while what is reached is little.
const MOST_NODES: usize = 1 << 22;

/// Why there is no relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoRelation {
    /// There is no room for diagrams.
    NoRoom,
    /// Somebody asked to stop.
    Stopped,
    /// There are too many explicit parts.
    TooManyParts,
}

impl std::fmt::Display for NoRelation {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            NoRelation::NoRoom => "the transition relation is too large",
            NoRelation::Stopped => "there was no time for the transition relation",
            NoRelation::TooManyParts => "there are too many explicit parts for a transition relation",
        })
    }
}

impl From<NoRoom> for NoRelation {
    fn from(_: NoRoom) -> NoRelation {
        NoRelation::NoRoom
    }
}

/// One way through a step.
pub(crate) struct RelationStep {
    pub target: usize,
    /// What changes, with what it becomes: a function of the values now and of what is chosen.
    pub bits: Vec<(u32, Diagram)>,
    /// For which values, and which choices, this is the way.
    pub condition: Diagram,
    pub choices: Vec<Variable>,
    /// The same as a relation between values now and then, without choices.
    relation: StepRelation,
    /// Functions for the values then.
    substitution: Substitution,
}

/// An explicit part.
pub(crate) struct RelationPart {
    pub bytes: Vec<u8>,
    pub cells: Vec<Cell>,
    /// Variables of the symbolic bits, in the order of the bits.
    pub variables: Vec<Variable>,
    /// Numbers of the symbolic bits.
    pub bits: Vec<u32>,
    pub steps: Vec<RelationStep>,
    /// Values that are evidence about the property.
    pub goal: Diagram,
}

/// Sets of values by explicit part.
pub(crate) type Sets = BTreeMap<usize, Diagram>;

/// The transition relation of a model under a partition, and the evidence about one property.
pub struct CompositeRelation<'c, 'm> {
    pub(crate) composite: &'c Composite<'m>,
    pub(crate) property: PropertyId,
    pub(crate) parts: Vec<RelationPart>,
    places: HashMap<Vec<u8>, usize>,
    pub(crate) initial: Sets,
    /// Whether there is evidence before the first step.
    pub(crate) is_found_at_once: bool,
}

impl<'c, 'm> CompositeRelation<'c, 'm> {
    /// The relation of a model under a partition, which must have been made for the property.
    ///
    /// # Errors
    ///
    /// When there is none that is small enough, or when told to stop.
    pub fn new(
        composite: &'c Composite<'m>,
        property: PropertyId,
        goes_on: &mut GoesOn<'_>,
    ) -> Result<Self, NoRelation> {
        let mut known = KnownBits::default();
        let (states, findings) = composite.build_initial(&mut known)?;
        let mut relation = CompositeRelation {
            composite,
            property,
            parts: Vec::new(),
            places: HashMap::new(),
            initial: Sets::new(),
            is_found_at_once: findings.iter().any(|(found, ..)| *found == property),
        };
        for (bytes, region) in states {
            let place = relation.part(&bytes)?;
            let all = relation.initial.entry(place).or_insert_with(|| composite.arithmetic.no.clone());
            *all = all.or(&region.diagram)?;
        }
        let mut next = 0;
        while next < relation.parts.len() {
            if !goes_on(next as u64, relation.parts.len() as u64) {
                return Err(NoRelation::Stopped);
            }
            let left = MOST_NODES.saturating_sub(composite.diagrams().about_n_nodes());
            let made = composite.diagrams().within_allowance(left, || {
                match relation.add_steps(&mut known, next) {
                    Err(NoRelation::NoRoom) => Err(NoRoom),
                    made => Ok(made),
                }
            })?;
            made.unwrap_or(Err(NoRelation::NoRoom))?;
            next += 1;
        }
        Ok(relation)
    }

    fn part(&mut self, bytes: &[u8]) -> Result<usize, NoRelation> {
        if let Some(&place) = self.places.get(bytes) {
            return Ok(place);
        }
        let place = self.parts.len();
        if place >= MOST_PARTS {
            return Err(NoRelation::TooManyParts);
        }
        let composite = self.composite;
        let shape = Shape::load(&composite.layout, &composite.cells, bytes);
        let bits = shape.symbolic_bits(&composite.cells);
        self.places.insert(bytes.to_vec(), place);
        self.parts.push(RelationPart {
            bytes: bytes.to_vec(),
            cells: composite.cells_of(&shape),
            variables: bits.iter().map(|&bit| composite.encoding.variables(bit).now).collect(),
            bits,
            steps: Vec::new(),
            goal: composite.arithmetic.no.clone(),
        });
        Ok(place)
    }

    fn add_steps(&mut self, known: &mut KnownBits, place: usize) -> Result<(), NoRelation> {
        let bytes = self.parts[place].bytes.clone();
        let all = self.composite.all_values(&bytes)?;
        let expansion = self.composite.expand(known, &bytes, &all)?;
        for (_, _, values) in expansion.findings.iter().filter(|(found, ..)| *found == self.property) {
            self.parts[place].goal = self.parts[place].goal.or(values)?;
        }
        for path in expansion.paths {
            let target = self.part(&path.shape.bytes)?;
            let step = self.step(place, target, path)?;
            self.parts[place].steps.push(step);
        }
        Ok(())
    }

    fn step(&self, source: usize, target: usize, path: Path) -> Result<RelationStep, NoRoom> {
        let encoding = &self.composite.encoding;
        let functions = path.bits.iter().map(|(bit, function)| (encoding.variables(bit).now, function));
        Ok(RelationStep {
            target,
            relation: self.composite.relation_of(&self.parts[source].bits, &path)?,
            substitution: self.composite.diagrams().substitution(functions),
            bits: path.bits.iter().map(|(bit, function)| (bit, function.clone())).collect(),
            condition: path.condition,
            choices: path.choices,
        })
    }

    /// What a set of values of a part becomes in one step.
    pub(crate) fn image(&self, place: usize, values: &Diagram) -> Result<Sets, NoRoom> {
        let mut image = Sets::new();
        for step in &self.parts[place].steps {
            let then = step.relation.image(values)?;
            if !then.is_false() {
                add(&mut image, step.target, &then)?;
            }
        }
        Ok(image)
    }

    /// Values of a part from which a step leads to a set of values of its target, whatever the values of these variables and of what is chosen.
    pub(crate) fn before(
        &self,
        step: &RelationStep,
        target: &Diagram,
        forgotten: &[Variable],
    ) -> Result<Diagram, NoRoom> {
        let gone: Vec<Variable> = step.choices.iter().chain(forgotten).copied().collect();
        let before = target.substitute(&step.substitution)?;
        before.and_exists(&step.condition, &self.composite.diagrams().variables(&gone)?)
    }

    /// Values of a part from which a step leads to a set of values of parts.
    pub(crate) fn one_before(&self, place: usize, target: &Sets) -> Result<Diagram, NoRoom> {
        let mut before = self.composite.arithmetic.no.clone();
        for step in &self.parts[place].steps {
            if let Some(values) = target.get(&step.target) {
                before = before.or(&self.before(step, values, &[])?)?;
            }
        }
        Ok(before)
    }

    /// The part of a concrete state, and its values there; none when its explicit part is unknown.
    pub(crate) fn locate(&self, state: &[u8]) -> Result<Option<(usize, Diagram)>, NoRoom> {
        let (explicit, values) = self.composite.divide(state)?;
        Ok(self.places.get(&explicit).map(|&place| (place, values)))
    }

    /// Number of explicit parts.
    pub fn n_parts(&self) -> usize {
        self.parts.len()
    }

    /// Number of concrete states in sets of values.
    pub(crate) fn count(&self, sets: &Sets) -> f64 {
        sets.iter().map(|(&place, values)| values.count(self.parts[place].variables.len() as u32)).sum()
    }
}

/// Adds values to those of a part.
pub(crate) fn add(sets: &mut Sets, place: usize, values: &Diagram) -> Result<(), NoRoom> {
    match sets.get_mut(&place) {
        Some(known) => *known = known.or(values)?,
        None => {
            sets.insert(place, values.clone());
        }
    }
    Ok(())
}
