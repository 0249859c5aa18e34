//! Abstract distances over diagrams: how far a state is from evidence at least.
//!
//! Some cells are kept and the others forgotten. A state of the abstraction is what is kept; it has a step to another one when some states with these values have. Backwards from the evidence, layer after layer, all that leads there in
//! one step more is a diagram over what is kept (Qian and Nymeyer, "Guided Invariant Model Checking Based on Abstraction and Symbolic Pattern Databases", TACAS 2004;
//! Bui 2009, section 3.9). The abstract relation is never made: of what leads to a layer, the forgotten cells are quantified away. A layer says nothing about forgotten cells, so it is a set of states
//! of the model as well, and states are told apart by intersection.
//!
//! **Invariant:** distances are lower bounds, and differ by at most one along a step. What is in no layer of a complete database never leads to evidence. When layers become too
//! large the database ends there, and what is in none is as far as the last layer and one step more.

use std::collections::{BTreeMap, BTreeSet};

use fathom_diagram::{Diagram, NoRoom, Variable};

use crate::dependencies::CellDependencies;
use crate::graph::GoesOn;
use crate::relation::{CompositeRelation, NoRelation, Sets, add};

/// Most nodes of everything that leads to a layer, for a database that is chosen automatically: beyond, a search without one is sooner done.
const MOST_NODES: usize = 1 << 15;
/// Bits that the first attempt keeps, and by how much the next ones keep more.
const FIRST_BITS: usize = 8;
const MORE_BITS: f64 = 1.5;

/// A database: see the module header.
#[derive(Clone, Debug)]
pub struct AbstractDistances {
    /// By part: the layers that have something there, by distance.
    layers: Vec<Vec<(u32, Diagram)>>,
    n_layers: u32,
    is_complete: bool,
    kept: Vec<String>,
    n_bits: usize,
    n_nodes: usize,
    /// All values.
    everything: Diagram,
}

/// Why there is no database as it was written down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoDistances {
    /// No relation, no room, or no time.
    Relation(NoRelation),
    /// A name that is no cell of the symbolic part.
    Unknown(String),
}

impl<E: Into<NoRelation>> From<E> for NoDistances {
    fn from(reason: E) -> NoDistances {
        NoDistances::Relation(reason.into())
    }
}

impl AbstractDistances {
    /// A database that knows nothing: every state is at distance 0.
    pub fn none(relation: &CompositeRelation<'_, '_>) -> AbstractDistances {
        let all = relation.composite.diagrams().constant(true);
        AbstractDistances {
            layers: vec![vec![(0, all.clone())]; relation.parts.len()],
            n_layers: 1,
            is_complete: true,
            kept: Vec::new(),
            n_bits: 0,
            n_nodes: 0,
            everything: all,
        }
    }

    /// The database that keeps the strongest cells, as many as are of use: more are kept while that does not make the initial states look nearer and layers are not too large.
    ///
    /// # Errors
    ///
    /// When there is no room, or when told to stop.
    pub fn chosen(
        relation: &CompositeRelation<'_, '_>,
        goes_on: &mut GoesOn<'_>,
    ) -> Result<AbstractDistances, NoRelation> {
        let ranked = CellDependencies::new(relation)?.ranked();
        let total: usize = ranked.iter().map(|(_, bits)| bits).sum();
        let mut most_bits = FIRST_BITS;
        let mut best: Option<(u32, AbstractDistances)> = None;
        let mut n_tried = None;
        loop {
            let mut n_bits = 0;
            let n_kept = ranked
                .iter()
                .take_while(|(_, bits)| {
                    n_bits += bits;
                    n_bits <= most_bits
                })
                .count();
            let n_kept = n_kept.max(1).min(ranked.len());
            if n_tried.replace(n_kept) != Some(n_kept) {
                let keep: BTreeSet<String> = ranked[..n_kept].iter().map(|(name, _)| name.clone()).collect();
                let made = AbstractDistances::keeping_some(relation, &keep, Some(MOST_NODES), goes_on)?;
                let (far, is_cut) = (made.least(relation, &relation.initial)?, !made.is_complete);
                // As far with more kept tells more states apart; a database that was cut tells fewer.
                if best.as_ref().is_none_or(|(least, _)| far > *least || far == *least && !is_cut) {
                    best = Some((far, made));
                }
                if is_cut {
                    break;
                }
            }
            if most_bits >= total {
                break;
            }
            most_bits = (most_bits as f64 * MORE_BITS).ceil() as usize;
        }
        Ok(best.map_or_else(|| AbstractDistances::none(relation), |(_, made)| made))
    }

    /// The database that keeps the cells with these names.
    ///
    /// # Errors
    ///
    /// When a name is unknown, when there is no room, or when told to stop.
    pub fn keeping(
        relation: &CompositeRelation<'_, '_>,
        names: &[String],
        goes_on: &mut GoesOn<'_>,
    ) -> Result<AbstractDistances, NoDistances> {
        let cells = relation.parts.iter().flat_map(|part| &part.cells);
        let known: BTreeSet<&str> = cells.map(|cell| cell.name.as_str()).collect();
        if let Some(unknown) = names.iter().find(|name| !known.contains(name.as_str())) {
            return Err(NoDistances::Unknown(unknown.clone()));
        }
        let keep = names.iter().cloned().collect();
        Ok(AbstractDistances::keeping_some(relation, &keep, None, goes_on)?)
    }

    fn keeping_some(
        relation: &CompositeRelation<'_, '_>,
        keep: &BTreeSet<String>,
        most_nodes: Option<usize>,
        goes_on: &mut GoesOn<'_>,
    ) -> Result<AbstractDistances, NoRelation> {
        let encoding = &relation.composite.encoding;
        let diagrams = relation.composite.diagrams();
        let forgotten: Vec<Vec<Variable>> = relation
            .parts
            .iter()
            .map(|part| {
                let cells = part.cells.iter().filter(|cell| !keep.contains(&cell.name));
                cells.flat_map(|cell| &cell.bits).map(|&bit| encoding.variables(bit).now).collect()
            })
            .collect();
        let mut made =
            AbstractDistances { layers: vec![Vec::new(); relation.parts.len()], ..Self::none(relation) };
        made.kept = keep.iter().cloned().collect();
        made.n_bits = relation
            .parts
            .iter()
            .zip(&forgotten)
            .map(|(part, gone)| part.variables.len() - gone.len())
            .max()
            .unwrap_or(0);
        made.n_layers = 0;
        let mut seen = vec![diagrams.constant(false); relation.parts.len()];
        let mut last = Sets::new();
        for (place, part) in relation.parts.iter().enumerate() {
            let goal = part.goal.exists(&diagrams.variables(&forgotten[place])?)?;
            if !goal.is_false() {
                last.insert(place, goal);
            }
        }
        let mut n_spent = 0;
        while !last.is_empty() {
            made.add_layer(&mut seen, &last)?;
            let mut next = Sets::new();
            for (place, part) in relation.parts.iter().enumerate() {
                for step in &part.steps {
                    let Some(target) = last.get(&step.target) else { continue };
                    if !goes_on(u64::from(made.n_layers), relation.parts.len() as u64) {
                        return Err(NoRelation::Stopped);
                    }
                    let before = relation.before(step, target, &forgotten[place])?.minus(&seen[place])?;
                    if before.is_false() {
                        continue;
                    }
                    n_spent += before.n_nodes();
                    if most_nodes.is_some_and(|most| n_spent > most) {
                        made.is_complete = false;
                        return Ok(made);
                    }
                    add(&mut next, place, &before)?;
                }
            }
            last = next;
        }
        Ok(made)
    }

    fn add_layer(&mut self, seen: &mut [Diagram], layer: &Sets) -> Result<(), NoRoom> {
        for (&place, values) in layer {
            seen[place] = seen[place].or(values)?;
            self.n_nodes += values.n_nodes();
            self.layers[place].push((self.n_layers, values.clone()));
        }
        self.n_layers += 1;
        Ok(())
    }

    /// The larger of two distances, everywhere: still a lower bound.
    ///
    /// # Errors
    ///
    /// When there is no room.
    pub fn joined(&self, other: &AbstractDistances) -> Result<AbstractDistances, NoRoom> {
        let mut joined = AbstractDistances {
            layers: Vec::with_capacity(self.layers.len()),
            n_layers: 0,
            is_complete: true,
            kept: self
                .kept
                .iter()
                .chain(&other.kept)
                .cloned()
                .collect::<BTreeSet<String>>()
                .into_iter()
                .collect(),
            n_bits: self.n_bits.max(other.n_bits),
            n_nodes: 0,
            everything: self.everything.clone(),
        };
        for place in 0..self.layers.len() {
            let mut by_distance: BTreeMap<u32, Diagram> = BTreeMap::new();
            for (distance, values) in self.all_layers(place)? {
                for (other, values) in other.split(place, &values)? {
                    let larger = distance.max(other);
                    let union = match by_distance.get(&larger) {
                        Some(known) => known.or(&values)?,
                        None => values,
                    };
                    by_distance.insert(larger, union);
                }
            }
            joined.n_nodes += by_distance.values().map(Diagram::n_nodes).sum::<usize>();
            let farthest = by_distance.last_key_value().map_or(0, |(distance, _)| distance + 1);
            joined.n_layers = joined.n_layers.max(farthest);
            joined.layers.push(by_distance.into_iter().collect());
        }
        Ok(joined)
    }

    /// The layers of a part, with the one beyond the last if there is one.
    fn all_layers(&self, place: usize) -> Result<Vec<(u32, Diagram)>, NoRoom> {
        let mut layers = self.layers[place].clone();
        if !self.is_complete {
            let mut beyond = self.everything.clone();
            for (_, values) in &layers {
                beyond = beyond.minus(values)?;
            }
            layers.push((self.n_layers, beyond));
        }
        Ok(layers)
    }

    /// Values of a part by their distances, the near ones first. What can never lead to evidence is left out.
    pub(crate) fn split(&self, place: usize, values: &Diagram) -> Result<Vec<(u32, Diagram)>, NoRoom> {
        let mut split = Vec::new();
        let mut rest = values.clone();
        for (distance, layer) in &self.layers[place] {
            if rest.is_false() {
                return Ok(split);
            }
            let here = rest.and(layer)?;
            if !here.is_false() {
                rest = rest.minus(layer)?;
                split.push((*distance, here));
            }
        }
        if !self.is_complete && !rest.is_false() {
            split.push((self.n_layers, rest));
        }
        Ok(split)
    }

    /// The distance of the nearest of some values; that of what never leads to evidence is the largest number.
    fn least(&self, relation: &CompositeRelation<'_, '_>, sets: &Sets) -> Result<u32, NoRoom> {
        debug_assert_eq!(self.layers.len(), relation.parts.len());
        let mut least = u32::MAX;
        for (&place, values) in sets {
            least = least.min(self.split(place, values)?.first().map_or(u32::MAX, |(distance, _)| *distance));
        }
        Ok(least)
    }

    /// The distance of a state; none when it never leads to evidence.
    ///
    /// # Errors
    ///
    /// When there is no room.
    pub fn of(&self, relation: &CompositeRelation<'_, '_>, state: &[u8]) -> Result<Option<u32>, NoRoom> {
        let Some((place, values)) = relation.locate(state)? else { return Ok(None) };
        Ok(self.split(place, &values)?.first().map(|(distance, _)| *distance))
    }

    /// The distance of the nearest initial state; none when no initial state leads to evidence.
    ///
    /// # Errors
    ///
    /// When there is no room.
    pub fn of_start(&self, relation: &CompositeRelation<'_, '_>) -> Result<Option<u32>, NoRoom> {
        Ok(Some(self.least(relation, &relation.initial)?).filter(|&least| least < u32::MAX))
    }

    /// Number of layers.
    pub fn n_layers(&self) -> u32 {
        self.n_layers
    }

    /// The largest distance that a state may have.
    pub fn largest(&self) -> u32 {
        if self.is_complete { self.n_layers.saturating_sub(1) } else { self.n_layers }
    }

    /// Whether the layers hold everything that may lead to evidence.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// What is kept.
    pub fn kept(&self) -> &[String] {
        &self.kept
    }

    /// Bits that are kept.
    pub fn n_bits(&self) -> usize {
        self.n_bits
    }

    /// Nodes of all layers.
    pub fn n_nodes(&self) -> usize {
        self.n_nodes
    }
}
