//! The forms of JSON that Fathom writes and reads, as data.
//!
//! These are promises to scripts: `docs/formats/report.md` and `docs/formats/trace.md` describe them, and a test
//! compares the documents with real output. Fields keep their names and meaning; new ones may be added to
//! traces, never to the report of `check` without a note in the document.

use serde::{Deserialize, Serialize};

pub use crate::wire_composite::{CompositeForm, DistancesForm, SideForm};
pub use crate::wire_plan::{PlanReportForm, PlanStatisticsForm, PlanStepForm};
pub use crate::wire_program::{
    ProgramParts, ProgramReplayReport, ProgramRunForm, ProgramStepForm, ProgramTrace,
};
pub use crate::wire_sweep::{Quartiles, SweepReport, SweepRun, SweepValue, percent};
pub use crate::wire_test::{
    CountedForm, CountedPartForm, GoalForm, TestForm, TestMoveForm, TestReportForm, TestStatisticsForm,
    TestStepForm, TestSummaryForm,
};
pub use crate::wire_timed::{
    TimedInfoReport, TimedMoveForm, TimedProcessForm, TimedPropertyForm, TimedReplayReport, TimedRunForm,
    TimedSimulationReport, TimedStateForm, TimedStepForm, TimedTrace, TimedTraceStep, TimedVariableForm,
};

/// The version of Fathom.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The report of `check`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// Version of Fathom.
    pub fathom: String,
    /// What was checked.
    pub model: ModelSummary,
    /// How.
    pub run: RunSummary,
    /// The answers.
    pub properties: Vec<PropertyReport>,
    /// With `--states-of`: the states that satisfy formulas.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states_of: Vec<StatesForm>,
    /// When some variables were sets of values: which, and what was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub composite: Option<CompositeForm>,
    /// What they cost.
    pub statistics: StatisticsReport,
    /// What is to be said about heuristics and the length of traces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What the engines of a hunt did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arms: Vec<ArmForm>,
    /// What walks or pruned searches did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<SampleForm>,
}

/// What a sampled engine did.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleForm {
    /// Walks or pruned searches, up to the one that found something first.
    pub attempts: u64,
    /// For walks that found nothing: what that says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<ClaimForm>,
    /// For pruned searches: those that found something.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hits: Vec<HitForm>,
    /// With `--distinguish`: what the last of these took for equal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distinction: Option<DistinctionForm>,
}

/// What walks that found nothing say: the probability that one finds something is at most `epsilon`, unless an event
/// with probability `delta` has happened.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimForm {
    /// Number of walks.
    pub walks: u64,
    /// Independent ones before the first that was not finished: those that count.
    pub draws: u64,
    /// Of these, those cut at the bound on their length; with any, the statement is about walks of at most that length.
    pub cut: u64,
    /// The probability that the statement is wrong.
    pub delta: f64,
    /// The bound on the probability that a walk finds something; 1 without draws.
    pub epsilon: f64,
}

/// A pruned search that found something.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HitForm {
    /// Its number, counted from 0 since the sizes last began.
    pub number: u64,
    /// Bits of its table.
    pub bits: u64,
    /// States that got a bit.
    pub stored: u64,
    /// Steps to states whose bit was set.
    pub matched: u64,
    /// Its longest path.
    pub depth: u32,
    /// Steps of the trace.
    pub length: usize,
}

/// What a pruned search took for equal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DistinctionForm {
    /// Bits of its table.
    pub bits: u64,
    /// Different states that were generated.
    pub states: usize,
    /// Classes of states taken for equal; everything that was not met is one more.
    pub classes: usize,
    /// Variables, locations (`p[1]@`) and channels.
    pub variables: Vec<RoleForm>,
    /// The largest classes: for each state what differs from the first of its class.
    pub largest: Vec<Vec<std::collections::BTreeMap<String, Option<String>>>>,
}

/// How a partition depends on a variable.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleForm {
    /// Its name.
    pub name: String,
    /// Number of different values.
    pub values: usize,
    /// Classes in which it has more than one value; 0: states that differ here were always told apart.
    pub mixed_classes: usize,
    /// Share of members of classes that differ from the first here.
    pub differs_inside: f64,
    /// Share of unrelated states that differ here: what to expect of a variable that plays no role.
    pub differs_anywhere: f64,
}

/// What one engine of a hunt did.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArmForm {
    /// Its name.
    pub name: String,
    /// Slices of time that it was given.
    pub slices: u64,
    /// States visited.
    pub states: u64,
    /// Steps made.
    pub transitions: u64,
    /// Length of the longest path.
    pub depth: u64,
    /// Length of its shortest trace.
    pub best: Option<usize>,
}

/// A command could not run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorReport {
    /// Version of Fathom.
    pub fathom: String,
    /// Why, in one line.
    pub error: String,
    /// Errors and warnings about the text of the model or of a property.
    pub diagnostics: Vec<serde_json::Value>,
}

/// A model in a few numbers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSummary {
    /// The main file as the user named it.
    pub file: String,
    /// The language.
    pub language: String,
    /// Processes at the start.
    pub processes: usize,
    /// Bits of the initial state.
    pub state_bits: usize,
}

/// How a search was made.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSummary {
    /// The engine.
    pub engine: String,
    /// The store.
    pub store: String,
    /// The reductions.
    pub reductions: Vec<String>,
    /// Threads that searched.
    pub threads: usize,
    /// The seed of everything random.
    pub seed: u64,
}

/// The answer to one property.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PropertyReport {
    /// Its name.
    pub name: String,
    /// The form of the question.
    pub kind: String,
    /// `holds`, `violated` or `inconclusive`.
    pub verdict: String,
    /// `complete`, `lossy` or `sampled`.
    pub trust: String,
    /// Why the search for an answer ended.
    pub stop: String,
    /// Where it is written: `file:line:col`.
    pub span: Option<String>,
    /// The evidence.
    pub trace: Option<TraceSummary>,
    /// For model programs: the evidence, action by action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<ProgramRunForm>,
    /// For timed automata: the evidence with delays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timed: Option<TimedRunForm>,
    /// For timed automata: the largest or least value that was asked for, or the cost of the best witness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What a formula says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formula: Option<FormulaForm>,
    /// Why a formula of branching time is true or false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<TreeForm>,
    /// With `--vacuity`: parts of a formula that holds which do not matter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vacuous: Vec<VacuousForm>,
    /// With `--vacuity`: propositions of a formula that are the same in all states.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constants: Vec<ConstantForm>,
}

/// A part of a formula that holds, and would hold whatever stood there.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VacuousForm {
    /// The part.
    pub part: String,
    /// The stronger formula, which holds too.
    pub stronger: String,
    /// What the part is the consequence of.
    pub cause: Option<String>,
}

/// A proposition that never changes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConstantForm {
    /// The proposition.
    pub proposition: String,
    /// What it is.
    pub value: bool,
}

/// The states that satisfy a formula.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatesForm {
    /// Its name.
    pub name: String,
    /// What it says.
    pub formula: FormulaForm,
    /// Number of states that can be reached.
    pub states: u64,
    /// How many states satisfy each part, operands first and the formula itself last; empty when the search ended early.
    pub parts: Vec<StatesPartForm>,
    /// The nearest states that satisfy the formula.
    pub nearest: Vec<NearStateForm>,
    /// Why the search ended.
    pub stop: String,
}

/// How many states satisfy a part of a formula.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatesPartForm {
    /// The part.
    pub formula: String,
    /// How many states satisfy it.
    pub states: u64,
    /// Whether every initial state does.
    pub initially: bool,
}

/// A state that satisfies a formula.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NearStateForm {
    /// Index of the initial state that it is reached from.
    pub initial: u32,
    /// Index of the step taken in each state on a shortest way.
    pub choices: Vec<u32>,
    /// The state.
    pub state: StateForm,
}

/// What a formula says.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormulaForm {
    /// The formula.
    pub text: String,
    /// The same in plain words.
    pub reading: String,
    /// The pattern that it stands for, if one was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// The pattern as a formula of computation tree logic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ctl: Option<String>,
    /// What must be true again and again on the paths that count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fairness: Vec<String>,
    /// For the property specification language: what a run that ends is taken for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
}

/// A claim about a state with its reason.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeForm {
    /// The formula that the claim is about.
    pub formula: String,
    /// Whether it is true there, or false.
    pub holds: bool,
    /// `state`: it can be seen in the state; `parts`: it follows from those; `path`: a path shows it; `search`: it is about all paths.
    pub reason: String,
    /// Claims about parts of the formula in the same state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<TreeForm>,
    /// The path that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathForm>,
}

/// A path that shows a claim.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathForm {
    /// The steps.
    pub steps: Vec<Step>,
    /// Index of the step taken in each state.
    pub choices: Vec<u32>,
    /// For a path that goes on for ever: the number of steps before its loop.
    pub loop_at: Option<usize>,
    /// What is claimed on the way.
    pub claims: Vec<PathClaimForm>,
}

/// A claim about a state on a path.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathClaimForm {
    /// Number of steps before it.
    pub after: usize,
    /// The claim.
    pub claim: TreeForm,
}

/// A trace in a few numbers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceSummary {
    /// Number of steps; the last may be one that an error cut short.
    pub steps: usize,
    /// For a lasso: the number of steps before the loop.
    pub loop_at: Option<usize>,
    /// The file it was written to.
    pub file: Option<String>,
    /// What is known about its length or cost: `shortest`, `within` (a factor of the shortest), `cheapest` or `unknown`;
    /// only for guided engines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimal: Option<String>,
    /// With `within`: the factor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub factor: Option<f64>,
    /// Who takes part; only where hunting engines searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub participation: Option<ParticipationForm>,
}

/// How many processes take part in an error.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParticipationForm {
    /// Processes that take part.
    pub participants: usize,
    /// Processes that there are.
    pub processes: usize,
    /// The share.
    pub share: f64,
}

impl From<fathom_core::Participation> for ParticipationForm {
    fn from(participation: fathom_core::Participation) -> ParticipationForm {
        ParticipationForm {
            participants: participation.n_participants,
            processes: participation.n_processes,
            share: participation.share(),
        }
    }
}

impl std::fmt::Display for ParticipationForm {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ParticipationForm { participants, processes, share } = self;
        write!(formatter, "{participants} of {processes} processes take part (PEP {share:.2})")
    }
}

/// Which engine to try first when a complete search takes too long.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdviceForm {
    /// The command with its flags, without the model.
    pub command: String,
    /// Why.
    pub reason: String,
}

/// What a search cost.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatisticsReport {
    /// Distinct stored states.
    pub states: u64,
    /// For timed automata: expanded states, also those that were swallowed by larger ones afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expanded: Option<u64>,
    /// Executed steps.
    pub transitions: u64,
    /// Steps that led to a known state.
    pub matched: u64,
    /// Longest distance from the start.
    pub max_depth: u64,
    /// Seconds of search.
    pub seconds: f64,
    /// Seconds before the search: reading, checking and lowering the model.
    pub setup_seconds: f64,
    /// Stored states for each second of search.
    pub states_per_second: f64,
    /// Bytes of the store.
    pub store_bytes: u64,
    /// Bytes of the store for each state.
    pub bytes_per_state: f64,
    /// Most memory of the whole program; 0 when the system does not say.
    pub peak_memory_bytes: u64,
    /// With a lossy store: how many states were probably missed, not counting what lies behind them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_omissions: Option<f64>,
    /// With `--profile`: where the time of the search went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<ProfileReport>,
}

/// Seconds spent in each stage of a search.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileReport {
    /// Making successors.
    pub successors: f64,
    /// Making keys of states: packing or hashing them.
    pub keys: f64,
    /// Looking keys up and adding them.
    pub store: f64,
    /// Taking the next state to expand and reading it.
    pub frontier: f64,
}

/// A trace file: everything needed to follow a trace again, and the trace told for people.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceFile {
    /// Version of Fathom that wrote it.
    pub fathom: String,
    /// Number of this form.
    pub format: u32,
    /// The model.
    pub model: TracedModel,
    /// Properties that were given on the command line, in order.
    pub asked: Vec<AskedProperty>,
    /// The name of the property that the trace is about.
    pub property: String,
    /// The form of the question.
    pub kind: String,
    /// `violated`, or `holds` for a witness.
    pub verdict: String,
    /// What is found at the end.
    pub evidence: TracedEvidence,
    /// Index of the initial state.
    pub initial: u32,
    /// Index of the step taken in each state.
    pub choices: Vec<u32>,
    /// For a lasso: the number of steps before the loop.
    pub loop_at: Option<usize>,
    /// The state at the start, told for people, where there are several to start in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<StateForm>,
    /// The steps, told for people; replay does not read them.
    pub steps: Vec<Step>,
    /// For timed automata: the run, in place of choices and steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timed: Option<TimedTrace>,
    /// For model programs: the run, in place of steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<ProgramTrace>,
}

/// The model of a trace.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TracedModel {
    /// The main file as the user named it.
    pub file: String,
    /// The language.
    pub language: String,
    /// Definitions: name and value.
    pub defines: Vec<(String, String)>,
    /// For model programs: what they are composed of.
    #[serde(default, skip_serializing_if = "ProgramParts::is_empty")]
    pub parts: ProgramParts,
    /// Fingerprint of all its files: SHA-256 in hexadecimal; empty for a program that is part of an executable.
    pub sha256: String,
}

/// A property given on the command line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedProperty {
    /// `invariant`, `reach`, `ltl`, `ctl`, `psl`, `pattern`, `automaton`, `query`, or `queries` for a file of them.
    pub kind: String,
    /// The expression or formula, or the whole automaton.
    pub text: String,
    /// For `ctl`: what must be true again and again on the paths that count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fairness: Vec<String>,
    /// For `psl`: what a run that ends is taken for, if not the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    /// For `automaton` and `queries`: the file that it was read from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// What a trace shows.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TracedEvidence {
    /// `finding`: the last state, or the last step, decides the property. `state`: the way itself does.
    pub kind: String,
    /// What went wrong, when it is not the state itself.
    pub fault: Option<String>,
    /// One sentence about it.
    pub text: String,
}

/// One step of the system.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Counted from 1.
    pub number: usize,
    /// Whether the step was made to its end; false for a last one that an error cut short.
    pub complete: bool,
    /// What happened, one statement after the other; more than one in an atomic sequence.
    pub moves: Vec<MoveForm>,
}

/// One statement of one process, or a hand-shake of two.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoveForm {
    /// Number of the process.
    pub process: u32,
    /// Its name.
    pub name: String,
    /// The statement.
    pub statement: String,
    /// Where it stands: `file:line:col`.
    pub span: Option<String>,
    /// The receiver of a hand-shake.
    pub partner: Option<PartnerForm>,
    /// Made because nothing else could move.
    pub timeout: bool,
    /// Values before and after.
    pub changes: Vec<ChangeForm>,
    /// Channels whose contents changed, with the contents afterwards.
    pub channels: Vec<ChannelForm>,
    /// Messages sent and received.
    pub messages: Vec<MessageForm>,
    /// What was printed.
    pub output: String,
    /// Processes created.
    pub created: Vec<ProcessName>,
    /// Whether the process ended.
    pub ended: bool,
    /// What went wrong.
    pub fault: Option<String>,
}

/// The receiver of a hand-shake.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartnerForm {
    /// Number of the process.
    pub process: u32,
    /// Its name.
    pub name: String,
    /// The statement.
    pub statement: String,
    /// Where it stands.
    pub span: Option<String>,
}

/// A process by number and name.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessName {
    /// Its number.
    pub process: u32,
    /// Its name.
    pub name: String,
}

/// A value before and after.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeForm {
    /// The process that owns the variable; none for a shared one.
    pub process: Option<u32>,
    /// The variable.
    pub name: String,
    /// Before; none when the process is new.
    pub old: Option<String>,
    /// After; none when the process has ended.
    pub new: Option<String>,
}

/// A channel and what is in it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChannelForm {
    /// Its number, counted from 1.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// Messages that fit.
    pub capacity: u32,
    /// The messages, front first.
    pub messages: Vec<String>,
}

/// A message.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageForm {
    /// `handshake`, `send`, `receive` or `copy`.
    pub kind: String,
    /// The sender, when it is known.
    pub from: Option<u32>,
    /// The receiver, when it is known.
    pub to: Option<u32>,
    /// Name of the channel.
    pub channel: String,
    /// The fields, separated by commas.
    pub text: String,
}

/// A state.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateForm {
    /// The processes.
    pub processes: Vec<ProcessForm>,
    /// The values.
    pub values: Vec<ValueForm>,
    /// The channels.
    pub channels: Vec<ChannelForm>,
}

/// Where a process is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessForm {
    /// Its number.
    pub process: u32,
    /// Its name.
    pub name: String,
    /// Number of its location.
    pub location: u32,
    /// The labels there.
    pub labels: Vec<String>,
    /// Where that is in the text.
    pub span: Option<String>,
    /// Whether it may rest there.
    pub end: bool,
}

/// A value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueForm {
    /// The process that owns the variable; none for a shared one.
    pub process: Option<u32>,
    /// The variable.
    pub name: String,
    /// The value.
    pub value: String,
}

/// The result of `replay`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayReport {
    /// Version of Fathom.
    pub fathom: String,
    /// The model.
    pub model: TracedModel,
    /// The property that the trace is about.
    pub property: String,
    /// What is found at the end.
    pub evidence: TracedEvidence,
    /// For a lasso: the number of steps before the loop.
    pub loop_at: Option<usize>,
    /// The state at the start, where there are several to start in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<StateForm>,
    /// The steps.
    pub steps: Vec<Step>,
    /// The last state.
    pub state: Option<StateForm>,
    /// Who takes part in the trace.
    pub participation: ParticipationForm,
}

/// The result of `simulate --random`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimulationReport {
    /// Version of Fathom.
    pub fathom: String,
    /// The model.
    pub model: ModelSummary,
    /// The seed.
    pub seed: u64,
    /// Why the run ended: `steps`, `end`, `deadlock`, `fault` or `cancelled`.
    pub stop: String,
    /// Index of the initial state, none when there is not even one.
    pub initial: Option<u32>,
    /// Index of the step taken in each state.
    pub choices: Vec<u32>,
    /// The state at the start, where there are several to start in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<StateForm>,
    /// The steps.
    pub steps: Vec<Step>,
    /// Everything printed.
    pub output: String,
    /// What went wrong on the way or at the end.
    pub faults: Vec<String>,
    /// The last state.
    pub state: Option<StateForm>,
}

/// The result of `info`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InfoReport {
    /// Version of Fathom.
    pub fathom: String,
    /// The model.
    pub model: ModelSummary,
    /// Bytes of the initial state.
    pub state_bytes: usize,
    /// Names of all its files.
    pub files: Vec<String>,
    /// The process templates.
    pub processes: Vec<TemplateForm>,
    /// The shared variables.
    pub globals: Vec<VariableForm>,
    /// The channel types.
    pub channels: Vec<ChannelTypeForm>,
    /// What can be asked.
    pub properties: Vec<PropertyForm>,
    /// Names that may be exchanged without a difference to the questions about single states that the model asks, in words.
    #[serde(default)]
    pub symmetry: Vec<String>,
    /// What `--partition auto` makes of it.
    pub partition: Vec<SideForm>,
    /// Warnings about the text.
    pub diagnostics: Vec<serde_json::Value>,
}

/// A process template.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TemplateForm {
    /// Its name.
    pub name: String,
    /// `process`, `claim`, `trace` or `notrace`.
    pub role: String,
    /// Instances at the start.
    pub instances: usize,
    /// Control locations.
    pub locations: usize,
    /// Edges.
    pub edges: usize,
    /// Parameters and locals.
    pub locals: Vec<VariableForm>,
    /// Where it is declared.
    pub span: Option<String>,
}

/// A variable.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariableForm {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Bytes in the state.
    pub bytes: u32,
    /// Whether it is a parameter.
    pub parameter: bool,
    /// Where it is declared.
    pub span: Option<String>,
}

/// A channel type.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChannelTypeForm {
    /// The variable declared with it.
    pub name: String,
    /// Messages that fit; 0 for a hand-shake.
    pub capacity: u32,
    /// Types of the fields.
    pub fields: Vec<String>,
    /// Bytes in the state.
    pub bytes: u32,
}

/// A property of the model.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PropertyForm {
    /// Its name.
    pub name: String,
    /// The form of the question.
    pub kind: String,
    /// Where it is written.
    pub span: Option<String>,
    /// Whether some engine answers it.
    pub supported: bool,
    /// Who takes part in an error, estimated; null where nothing can be said.
    pub participation: Option<ParticipationForm>,
    /// What to try when a complete search takes too long; null where nothing can be said.
    pub advice: Option<AdviceForm>,
}
