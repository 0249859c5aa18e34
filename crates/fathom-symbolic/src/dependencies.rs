//! Which cells matter for which, read off the transition relation; and which are weak.
//!
//! A cell depends on the cells that what it becomes in a step is a function of: its value, what is chosen for it, and the condition of the step. Bui, *Guided Random-Walk Based Model Checking*
//! (2009), after Qian and Nymeyer, ranks variables by how many others depend on them and calls the last ones weak, from the text of the model and without a threshold. Here
//! dependencies are those of the functions themselves (what cancels out does not count), cells that the property never asks for, directly or by
//! way of others, are always weak, and the ranking is that of explicit databases: the property's own cells, then the strongest, those
//! far away last.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fathom_diagram::{NoRoom, Variable};

use crate::relation::CompositeRelation;

/// Layers of dependencies below the property whose cells are near.
const NEAR_LAYERS: u32 = 3;

/// What depends on what, by the names of cells.
#[derive(Clone, Debug, Default)]
pub struct CellDependencies {
    /// Number of bits, by name.
    bits: BTreeMap<String, usize>,
    /// For each cell: those that it depends on.
    on: BTreeMap<String, BTreeSet<String>>,
    /// Those that the property looks at.
    asked: BTreeSet<String>,
}

impl CellDependencies {
    /// The dependencies of a model.
    ///
    /// # Errors
    ///
    /// When there is no room.
    pub fn new(relation: &CompositeRelation<'_, '_>) -> Result<CellDependencies, NoRoom> {
        let mut found = CellDependencies::default();
        let encoding = &relation.composite.encoding;
        let diagrams = relation.composite.diagrams();
        for part in &relation.parts {
            let mut names: HashMap<Variable, &str> = HashMap::new();
            for cell in &part.cells {
                found.bits.insert(cell.name.clone(), cell.bits.len());
                names.extend(cell.bits.iter().map(|&bit| (encoding.variables(bit).now, cell.name.as_str())));
            }
            let named = |support: Vec<Variable>| -> BTreeSet<String> {
                support
                    .iter()
                    .filter_map(|variable| names.get(variable))
                    .map(|&name| name.to_owned())
                    .collect()
            };
            found.asked.extend(named(part.goal.support()));
            for step in &part.steps {
                for cell in &relation.parts[step.target].cells {
                    let mut becomes = step.condition.clone();
                    let mut own_choices: Vec<Variable> = Vec::new();
                    let mut changes = false;
                    for (bit, function) in step.bits.iter().filter(|(bit, _)| cell.bits.contains(bit)) {
                        let next = diagrams.variable(encoding.variables(*bit).next)?;
                        becomes = becomes.and(&next.equivalent(function)?)?;
                        own_choices.extend(function.support());
                        changes = true;
                    }
                    if !changes {
                        continue;
                    }
                    let others: Vec<Variable> =
                        step.choices.iter().copied().filter(|choice| !own_choices.contains(choice)).collect();
                    let on = named(becomes.exists(&diagrams.variables(&others)?)?.support());
                    found.on.entry(cell.name.clone()).or_default().extend(on);
                }
            }
        }
        Ok(found)
    }

    /// The cells that the property looks at.
    pub fn asked(&self) -> &BTreeSet<String> {
        &self.asked
    }

    /// By cell that the property asks for, directly or by way of others: how many steps away.
    pub fn layers(&self) -> BTreeMap<String, u32> {
        let mut layers: BTreeMap<String, u32> = self.asked.iter().map(|name| (name.clone(), 0)).collect();
        let mut waiting: Vec<String> = self.asked.iter().cloned().collect();
        for layer in 1.. {
            let below: BTreeSet<String> =
                waiting.iter().filter_map(|name| self.on.get(name)).flatten().cloned().collect();
            waiting = below.into_iter().filter(|name| !layers.contains_key(name)).collect();
            if waiting.is_empty() {
                break;
            }
            layers.extend(waiting.iter().map(|name| (name.clone(), layer)));
        }
        layers
    }

    /// Number of cells that depend on one, itself not counted.
    pub fn strength(&self, name: &str) -> usize {
        self.on.iter().filter(|(of, on)| *of != name && on.contains(name)).count()
    }

    /// The cells that matter, the strongest first, each with its bits.
    pub fn ranked(&self) -> Vec<(String, usize)> {
        let layers = self.layers();
        let mut ranked: Vec<&String> = layers.keys().collect();
        ranked.sort_by_key(|name| {
            let layer = layers[*name];
            (layer > 0, layer > NEAR_LAYERS, std::cmp::Reverse(self.strength(name)), layer, *name)
        });
        ranked.into_iter().map(|name| (name.clone(), self.bits[name])).collect()
    }

    /// Every cell, with its bits.
    pub fn cells(&self) -> &BTreeMap<String, usize> {
        &self.bits
    }
}
