//! The JSON form of the report of `fathom plan`: described in `docs/formats/plan.md`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::wire_test::TestMoveForm;

/// The report of `plan`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanReportForm {
    /// Version of Fathom.
    pub fathom: String,
    /// The model.
    pub file: String,
    /// Its language.
    pub language: String,
    /// What is to be reached; null when a schedule only has to keep something.
    pub goal: Option<String>,
    /// What a schedule without an end has to keep.
    pub keep: Vec<String>,
    /// Whether a schedule without an end was asked for.
    pub cycle: bool,
    /// What is made small; null when any plan will do.
    pub minimize: Option<String>,
    /// found, impossible or not-found.
    pub answer: String,
    /// Whether no plan is better: proved.
    pub optimal: bool,
    /// What it comes to: steps, time, cost or the value of the expression, the largest one of a schedule without an end.
    pub value: Option<f64>,
    /// Why the search ended.
    pub stop: String,
    /// After which step a loop begins that ends with the last step; null when there is none.
    pub loop_at: Option<usize>,
    /// The steps, with the state before the first as step 0.
    pub steps: Vec<PlanStepForm>,
    /// What the search cost.
    pub statistics: PlanStatisticsForm,
}

/// A step of a plan.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanStepForm {
    /// Counted from 1; 0 is the state before the first.
    pub number: usize,
    /// When it is taken; null without time.
    pub time: Option<f64>,
    /// Who does what.
    pub moves: Vec<TestMoveForm>,
    /// The values of the expressions that were asked for, after the step.
    pub shown: BTreeMap<String, i64>,
}

/// What the search cost.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanStatisticsForm {
    /// States stored.
    pub states: u64,
    /// Steps executed.
    pub transitions: u64,
    /// Bytes for them.
    pub store_bytes: u64,
    /// Seconds of search.
    pub seconds: f64,
    /// Most memory of the process.
    pub peak_memory_bytes: u64,
}
