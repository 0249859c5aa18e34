//! The JSON form of the report of `fathom test`: described in `docs/formats/test.md`.

use serde::{Deserialize, Serialize};

/// The report of `test`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestReportForm {
    /// Version of Fathom.
    pub fathom: String,
    /// The model.
    pub file: String,
    /// Its language.
    pub language: String,
    /// What makes goals.
    pub criteria: Vec<String>,
    /// The engine.
    pub engine: String,
    /// Which steps are tried first.
    pub guide: String,
    /// The seed.
    pub seed: u64,
    /// How many of what.
    pub summary: TestSummaryForm,
    /// The goals.
    pub goals: Vec<GoalForm>,
    /// What came of a criterion of the coverage language; null without one.
    pub counted: Option<CountedForm>,
    /// The tests.
    pub tests: Vec<TestForm>,
    /// What it cost.
    pub statistics: TestStatisticsForm,
}

/// How many of what.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestSummaryForm {
    /// Goals.
    pub goals: usize,
    /// Goals that tests reach.
    pub covered: usize,
    /// Goals that nothing reaches: proved.
    pub infeasible: usize,
    /// The others.
    pub not_found: usize,
    /// Tests.
    pub tests: usize,
    /// Steps of all tests.
    pub steps: usize,
    /// Whether no shorter sequence reaches as much.
    pub shortest: bool,
}

/// A goal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoalForm {
    /// location, transition, switch, def-use, requirement, value or trap.
    pub kind: String,
    /// The goal in words.
    pub text: String,
    /// Where it is written.
    pub span: Option<String>,
    /// covered, infeasible or not-found.
    pub answer: String,
    /// Why the last search ended, for what was not found.
    pub stop: Option<String>,
    /// The first test that reaches it, counted from 0.
    pub test: Option<usize>,
    /// After how many steps.
    pub step: Option<usize>,
}

/// How much of a criterion of the coverage language tests fulfil.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountedForm {
    /// The criterion.
    pub criterion: String,
    /// How much of it, between 0 and 1.
    pub rate: f64,
    /// covered, infeasible (more cannot be) or not-found.
    pub answer: String,
    /// Why the last search ended, for what was not found.
    pub stop: Option<String>,
    /// Its elementary criteria.
    pub parts: Vec<CountedPartForm>,
}

/// An elementary criterion.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountedPartForm {
    /// The criterion.
    pub criterion: String,
    /// How much of it.
    pub rate: f64,
    /// Items below the value that is asked for.
    pub missing: Vec<String>,
}

/// A test.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestForm {
    /// Index of the initial state.
    pub initial: u32,
    /// Index of the step taken in each state.
    pub choices: Vec<u32>,
    /// The steps in words.
    pub steps: Vec<TestStepForm>,
    /// The goals that it is the first to reach, by number.
    pub goals: Vec<u32>,
    /// Number of goals that it reaches.
    pub covers: usize,
}

/// A step of a test.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestStepForm {
    /// How long to wait before it; null without time.
    pub delay: Option<f64>,
    /// Who does what.
    pub moves: Vec<TestMoveForm>,
}

/// A move of a step.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestMoveForm {
    /// The process.
    pub process: String,
    /// What it does.
    pub text: String,
}

/// What generation cost.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestStatisticsForm {
    /// Number of searches.
    pub searches: u64,
    /// States stored by all of them.
    pub states: u64,
    /// Steps executed by all of them.
    pub transitions: u64,
    /// Bytes of the largest store.
    pub store_bytes: u64,
    /// Seconds of generation.
    pub seconds: f64,
    /// Seconds to load.
    pub setup_seconds: f64,
    /// Most memory of the process.
    pub peak_memory_bytes: u64,
}
