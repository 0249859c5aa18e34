//! JSON forms of what there is to say about sets of values; part of [`wire`](crate::wire).

use serde::{Deserialize, Serialize};

/// Which variables were sets of values, and what was seen.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompositeForm {
    /// Names of what was a set of values.
    pub symbolic: Vec<String>,
    /// Names of what was not.
    pub explicit: Vec<String>,
    /// Different explicit parts; 0 for sampled engines.
    pub explicit_parts: u64,
    /// Concrete states reached; 0 for sampled engines.
    pub concrete_states: f64,
    /// Nodes of decision diagrams.
    pub nodes: u64,
    /// Abstract distances that guided, one for each property.
    pub distances: Vec<DistancesForm>,
}

/// The abstract distances to evidence about a property.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DistancesForm {
    /// The property.
    pub property: String,
    /// Names of what was kept, as in heuristic files.
    pub kept: Vec<String>,
    /// Bits of it.
    pub bits: u64,
    /// Number of layers, one for each distance.
    pub layers: u32,
    /// Whether they hold everything that may lead to evidence.
    pub complete: bool,
    /// Nodes of all layers.
    pub nodes: u64,
    /// The distance of the nearest initial state, a lower bound of the length of every trace; null when there is no trace.
    pub start: Option<u32>,
}

/// The side of a part of the states of a model under `--partition auto`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SideForm {
    /// Its name.
    pub name: String,
    /// `symbolic` or `explicit`.
    pub side: String,
    /// Bits of one instance.
    pub bits: u32,
    /// Why.
    pub reason: String,
}
