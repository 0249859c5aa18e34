//! The forms of runs and networks of timed automata.

use serde::{Deserialize, Serialize};

use crate::wire::{ModelSummary, TracedEvidence, TracedModel};

/// A run of timed automata. Numbers are whole or fractions: `5`, `21/2`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimedRunForm {
    /// The steps.
    pub steps: Vec<TimedStepForm>,
    /// The wait after the last step.
    pub last_delay: String,
    /// All delays together.
    pub duration: String,
    /// The last state.
    pub end: Option<TimedStateForm>,
}

/// A step of a run of timed automata.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimedStepForm {
    /// The wait before it.
    pub delay: String,
    /// The edges that are taken together.
    pub moves: Vec<TimedMoveForm>,
    /// On request: what the clocks satisfy after it, as bounds, whatever the delays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<Vec<String>>,
}

/// An edge of a process that is taken.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimedMoveForm {
    /// The process.
    pub process: String,
    /// The location that is left.
    pub from: String,
    /// The location that is entered.
    pub to: String,
    /// The event.
    pub event: String,
}

/// A state of timed automata.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimedStateForm {
    /// The location of each process.
    pub locations: std::collections::BTreeMap<String, String>,
    /// The value of each variable.
    pub values: std::collections::BTreeMap<String, i32>,
    /// The value of each clock.
    pub clocks: std::collections::BTreeMap<String, String>,
}

/// A run of timed automata in a trace file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimedTrace {
    /// Parts of a unit of time in which delays are given.
    pub scale: i64,
    /// Index of the location at which each process starts.
    pub initial: Vec<u32>,
    /// The steps.
    pub steps: Vec<TimedTraceStep>,
    /// The wait after the last step.
    pub last_delay: i64,
    /// How the run goes on, where that matters: `loop`, `stuck` or `waiting`. Where a loop begins is said by `loop_at`.
    pub for_ever: Option<String>,
    /// The move after the last step that is a fault: processes and edges, by index; empty for none.
    pub faulty: Vec<(usize, usize)>,
    /// The run, told for people; replay does not read it.
    pub told: Option<TimedRunForm>,
}

/// A step of a run in a trace file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimedTraceStep {
    /// The wait before it, in parts of a unit.
    pub delay: i64,
    /// Processes and edges, by index; empty for a moment at which nothing happens.
    pub edges: Vec<(usize, usize)>,
}

/// The result of `replay` for timed automata.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimedReplayReport {
    /// Version of Fathom.
    pub fathom: String,
    /// The model.
    pub model: TracedModel,
    /// The name of the property.
    pub property: String,
    /// What was found at the end, now.
    pub evidence: TracedEvidence,
    /// For a run with a loop: the number of steps before it.
    pub loop_at: Option<usize>,
    /// The run.
    pub timed: TimedRunForm,
}

/// The result of `simulate --random` for timed automata.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimedSimulationReport {
    /// Version of Fathom.
    pub fathom: String,
    /// The model.
    pub model: ModelSummary,
    /// The seed.
    pub seed: u64,
    /// Why it ended: `steps`, `end`, `fault` or `cancelled`.
    pub stop: String,
    /// The run with its earliest delays.
    pub timed: Option<TimedRunForm>,
    /// Run-time errors that may come next.
    pub faults: Vec<String>,
}

/// The result of `info` for timed automata.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimedInfoReport {
    /// Version of Fathom.
    pub fathom: String,
    /// The model.
    pub model: ModelSummary,
    /// Bytes of locations and integers.
    pub state_bytes: usize,
    /// The processes.
    pub processes: Vec<TimedProcessForm>,
    /// The integers.
    pub variables: Vec<TimedVariableForm>,
    /// Names of the clocks.
    pub clocks: Vec<String>,
    /// Sets of edges that are taken together.
    pub synchronizations: usize,
    /// Scalar sets whose elements are not told apart where nothing is asked.
    pub symmetric_sets: usize,
    /// What may be exchanged there with `--symmetry canonical`, a line for each set.
    #[serde(default)]
    pub symmetry: Vec<String>,
    /// Whether runs have a cost.
    pub has_cost: bool,
    /// What can be asked.
    pub properties: Vec<TimedPropertyForm>,
    /// Warnings about the text.
    pub diagnostics: Vec<serde_json::Value>,
}

/// A process of a network.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimedProcessForm {
    /// Its name.
    pub name: String,
    /// Locations.
    pub locations: usize,
    /// Edges.
    pub edges: usize,
}

/// An integer of a network.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimedVariableForm {
    /// Its name.
    pub name: String,
    /// The least value.
    pub least: i32,
    /// The largest value.
    pub most: i32,
    /// The value at the start.
    pub initial: i32,
}

/// Something that can be asked of a network.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimedPropertyForm {
    /// Its name.
    pub name: String,
    /// The form of the question.
    pub kind: String,
    /// Where it is written.
    pub span: Option<String>,
    /// Whether it is asked only when someone names it.
    pub on_request: bool,
}
