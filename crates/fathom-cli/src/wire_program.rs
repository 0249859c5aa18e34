//! The forms of JSON for runs of model programs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

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
