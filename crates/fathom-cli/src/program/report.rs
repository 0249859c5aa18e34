//! Answers about model programs, for people and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write;

use fathom_core::model::{Answer, Evidence, PropertyId, Trace, Verdict};
use fathom_core::program::{Asked, Form, Opened, Runnable, Symmetry};
use fathom_core::{ProgramReport, replay_program};

use super::formulas::AskedFormula;
use super::replay::to_file;
use super::{Source, warnings};
use crate::arguments::Format;
use crate::commands::check_report::write_formula;
use crate::failure::{self, Failure};
use crate::trace_file::{TraceNames, written_text};
use crate::units::{counted, display_size};
use crate::{memory, output, wire};

/// Everything that the report is about.
pub(super) struct Answered<'a> {
    pub program: &'a dyn Runnable,
    /// What was asked, formulas included.
    pub asked: Vec<Asked>,
    /// The formulas, which are the last of these.
    pub formulas: Vec<AskedFormula>,
    /// Of those that are violated: where nothing can happen after the end of the run.
    pub stuck: Vec<PropertyId>,
    pub source: &'a Source,
    pub engine: &'static str,
    /// What was remembered of each state.
    pub store: &'static str,
    pub seed: u64,
    pub report: &'a ProgramReport,
    pub note: Option<String>,
    /// Of a hunt: what each arm did.
    pub arms: Vec<wire::ArmForm>,
    /// Whether there are no shorter runs than those shown.
    pub is_shortest: bool,
    pub command: String,
}

impl Answered<'_> {
    /// The formula that was asked as a property, if it is one.
    pub fn formula(&self, property: PropertyId) -> Option<&AskedFormula> {
        let n_others = self.asked.len() - self.formulas.len();
        property.index().checked_sub(n_others).map(|number| &self.formulas[number])
    }
}

/// Writes trace files, shows the report, and gives the exit status.
pub(super) fn publish(
    answered: &Answered<'_>,
    traces: Option<&TraceNames>,
    format: Format,
) -> Result<u8, Failure> {
    let files = traces.map_or(Ok(Vec::new()), |names| write_traces(answered, names))?;
    match format {
        Format::Json => output::print_json(&to_wire(answered, &files))?,
        Format::Text => output::print(&to_text(answered, &files))?,
    }
    Ok(failure::status(answered.report.verdicts.iter(), answered.report.stop))
}

/// Writes the runs, violations first, and gives the files by the place of their answers.
fn write_traces(answered: &Answered<'_>, names: &TraceNames) -> Result<Vec<Option<String>>, Failure> {
    let verdicts = &answered.report.verdicts;
    let mut files = vec![None; verdicts.len()];
    let mut order: Vec<usize> = (0..verdicts.len()).collect();
    order.sort_by_key(|&index| verdicts[index].answer != Answer::Violated);
    let found = order.into_iter().filter_map(|index| Some((index, to_file(answered, &verdicts[index])?)));
    for (rank, (index, file)) in found.enumerate() {
        let path = if rank == 0 { names.first() } else { names.for_property(&file.property) };
        names.write(&path, &file)?;
        files[index] = Some(path.to_string_lossy().into_owned());
    }
    Ok(files)
}

/// The variables of a state, by name.
pub(super) fn variables(opened: &dyn Opened, state: &[u8]) -> BTreeMap<String, String> {
    opened.variables(state).into_iter().collect()
}

/// The variables that differ, with their later values.
pub(super) fn changes(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let is_new = |(name, value): &(&String, &String)| before.get(*name) != Some(value);
    after.iter().filter(is_new).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// A run, action by action.
pub(super) fn run_form(program: &dyn Runnable, trace: &Trace) -> Option<wire::ProgramRunForm> {
    let replay = replay_program(program, trace).ok()?;
    let plain = program.open(Symmetry::None, Form::InFull);
    let states: Vec<BTreeMap<String, String>> =
        replay.visits.iter().map(|visit| variables(&*plain, &visit.state)).collect();
    let taken = replay.visits.iter().skip(1).map(|visit| visit.labels.join(", ")).enumerate();
    let mut steps: Vec<wire::ProgramStepForm> = taken
        .map(|(number, action)| {
            let changes = changes(&states[number], &states[number + 1]);
            wire::ProgramStepForm { action, changes }
        })
        .collect();
    let fault = match &trace.evidence {
        Evidence::Finding { fault: Some(fault), .. } => Some(fault.to_string()),
        _ => None,
    };
    // The action that fails is no step.
    if !replay.finding_labels.is_empty() {
        steps.push(wire::ProgramStepForm {
            action: replay.finding_labels.join(", "),
            changes: BTreeMap::new(),
        });
    }
    Some(wire::ProgramRunForm { start: states.first().cloned().unwrap_or_default(), steps, fault })
}

fn statistics(answered: &Answered<'_>) -> wire::StatisticsReport {
    let cost = &answered.report.statistics;
    let ratio = |amount: f64, by: f64| if by > 0.0 { amount / by } else { 0.0 };
    let omissions = answered.report.expected_omissions;
    wire::StatisticsReport {
        states: cost.states,
        expanded: None,
        transitions: cost.transitions,
        matched: cost.matched,
        max_depth: cost.max_depth,
        seconds: cost.seconds,
        setup_seconds: 0.0,
        states_per_second: ratio(cost.states as f64, cost.seconds),
        store_bytes: cost.store_bytes,
        bytes_per_state: ratio(cost.store_bytes as f64, cost.states as f64),
        peak_memory_bytes: memory::peak(),
        expected_omissions: (omissions > 0.0).then_some(omissions),
        profile: None,
    }
}

fn to_wire(answered: &Answered<'_>, files: &[Option<String>]) -> wire::Report {
    let Answered { program, source, report, .. } = answered;
    let property = |(index, verdict): (usize, &Verdict)| {
        let asked = &answered.asked[verdict.property.index()];
        let run = verdict.trace.as_ref().and_then(|trace| run_form(*program, trace));
        wire::PropertyReport {
            name: asked.name.clone(),
            kind: asked.kind.to_owned(),
            verdict: verdict.answer.word().to_owned(),
            trust: verdict.trust.word().to_owned(),
            stop: verdict.stop.word().to_owned(),
            span: None,
            trace: run.as_ref().map(|run| wire::TraceSummary {
                steps: run.steps.len(),
                loop_at: verdict.trace.as_ref().and_then(|trace| trace.loop_at),
                file: files.get(index).cloned().flatten(),
                optimal: Some(if answered.is_shortest { "shortest" } else { "unknown" }.to_owned()),
                factor: None,
                participation: None,
            }),
            program: run,
            timed: None,
            value: None,
            formula: answered.formula(verdict.property).map(AskedFormula::form),
            tree: None,
            vacuous: Vec::new(),
            constants: Vec::new(),
        }
    };
    let reductions = match report.symmetry {
        Symmetry::None => Vec::new(),
        symmetry => vec![format!("symmetry-{}", symmetry.name())],
    };
    wire::Report {
        fathom: wire::VERSION.to_owned(),
        model: wire::ModelSummary {
            file: source.name.clone(),
            language: source.language.to_owned(),
            processes: 0,
            state_bits: state_bits(*program),
        },
        run: wire::RunSummary {
            engine: answered.engine.to_owned(),
            store: answered.store.to_owned(),
            reductions,
            threads: report.threads,
            seed: answered.seed,
        },
        properties: report.verdicts.iter().enumerate().map(property).collect(),
        states_of: Vec::new(),
        composite: None,
        statistics: statistics(answered),
        note: answered.note.clone(),
        arms: answered.arms.clone(),
        sample: None,
    }
}

/// Bits of the first initial state in full.
fn state_bits(program: &dyn Runnable) -> usize {
    use fathom_core::model::{Steps, System};
    let opened = program.open(Symmetry::None, Form::InFull);
    let system = opened.system();
    let mut steps = Steps::new();
    system.initial(&mut system.scratch(), &mut steps);
    if steps.is_empty() { 0 } else { steps.state(0).len() * 8 }
}

fn to_text(answered: &Answered<'_>, files: &[Option<String>]) -> String {
    let Answered { program, source, report, .. } = answered;
    let mut text = format!(
        "{}: {}, {} bits in the first state\nengine {}, store {}, symmetry {}, {}\n\n",
        source.name,
        source.language,
        state_bits(*program),
        answered.engine,
        answered.store,
        report.symmetry.name(),
        counted(report.threads as u64, "thread"),
    );
    if report.asks_for_names {
        text.push_str("the program asks for the names of objects: it was searched without symmetry\n\n");
    }
    let name = |verdict: &Verdict| &answered.asked[verdict.property.index()].name;
    let width = report.verdicts.iter().map(|verdict| name(verdict).chars().count()).max().unwrap_or(0);
    for verdict in &report.verdicts {
        let (answer, trust, stop) = (verdict.answer.word(), verdict.trust.word(), verdict.stop.word());
        let _ = writeln!(text, "{:<width$}  {answer:<12}  {trust}, {stop}", name(verdict));
        if let Some(formula) = answered.formula(verdict.property) {
            write_formula(&mut text, &formula.form(), width);
        }
    }
    for warning in warnings(*program, report.verdicts.len()) {
        let _ = writeln!(text, "warning: {warning}");
    }
    for (index, verdict) in report.verdicts.iter().enumerate() {
        let run = verdict.trace.as_ref().and_then(|trace| run_form(*program, trace));
        let Some(run) = run else { continue };
        let what = if verdict.answer == Answer::Violated { "violation" } else { "witness" };
        let is_formula = answered.formula(verdict.property).is_some();
        let optimal = if answered.is_shortest && !is_formula { " (none is shorter)" } else { "" };
        let steps = counted(run.steps.len() as u64, "step");
        let _ = writeln!(text, "\n{what} of {}, {steps}{optimal}:", name(verdict));
        text += &run_text(&run);
        if let Some(at) = verdict.trace.as_ref().and_then(|trace| trace.loop_at) {
            let _ = writeln!(text, "      and so on, from after step {at}");
        }
        if answered.stuck.contains(&verdict.property) {
            text.push_str("      and nothing more can happen\n");
        }
        if let Some(file) = files.get(index).and_then(Option::as_ref) {
            let before = answered.source.before.join(" ");
            let _ = writeln!(text, "{}", written_text(&before, file));
        }
    }
    if let Some(note) = &answered.note {
        let _ = write!(text, "\n{}\n", note.trim_end());
    }
    let statistics = statistics(answered);
    let _ = write!(
        text,
        "\n{}, {}, {} matched, depth {}\n{:.3} s, {:.0} states/s\n{} for states, {:.1} bytes/state, peak memory {}\n\
         search ended: {}\nreproduce: {}\n",
        counted(statistics.states, "state"),
        counted(statistics.transitions, "transition"),
        statistics.matched,
        statistics.max_depth,
        statistics.seconds,
        statistics.states_per_second,
        display_size(statistics.store_bytes),
        statistics.bytes_per_state,
        display_size(statistics.peak_memory_bytes),
        report.stop.word(),
        answered.command
    );
    text
}

/// Writes a state: a line for each variable.
pub(super) fn write_variables(text: &mut String, variables: &BTreeMap<String, String>) {
    for (name, value) in variables {
        let _ = writeln!(text, "        {name} = {value}");
    }
}

/// A run for people.
pub(super) fn run_text(run: &wire::ProgramRunForm) -> String {
    let mut text = String::from("      start\n");
    write_variables(&mut text, &run.start);
    for (number, step) in run.steps.iter().enumerate() {
        let _ = writeln!(text, "{:>4}  {}", number + 1, step.action);
        write_variables(&mut text, &step.changes);
    }
    if let Some(fault) = &run.fault {
        let _ = writeln!(text, "      {fault}");
    }
    text
}
