//! The forms of JSON for runs of model programs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::wire::{TracedEvidence, TracedModel};

/// A run of a model program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramRunForm {
    /// The variables at the start, as text.
    pub start: BTreeMap<String, String>,
    /// The actions.
    pub steps: Vec<ProgramStepForm>,
    /// What went wrong in the last action, if something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// An action, and what it changed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramStepForm {
    /// The action with its arguments.
    pub action: String,
    /// The variables that changed, with their new values.
    pub changes: BTreeMap<String, String>,
}

/// What a model program is composed of, as the command line names it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramParts {
    /// Other files of the program.
    pub with: Vec<String>,
    /// State machines that it is composed with.
    pub scenario: Vec<String>,
    /// Factory methods or namespaces.
    pub program: Vec<String>,
    /// Features.
    pub feature: Vec<String>,
}

impl ProgramParts {
    /// Whether nothing is named.
    pub fn is_empty(&self) -> bool {
        *self == ProgramParts::default()
    }
}

/// A run of a model program in a trace file, beside its choices.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramTrace {
    /// Whether nothing can happen after its end, where a formula is violated by that.
    pub is_stuck: bool,
    /// The run, told for people; replay does not read it.
    pub told: ProgramRunForm,
}

/// The result of `replay` for model programs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramReplayReport {
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
    pub program: ProgramRunForm,
}
