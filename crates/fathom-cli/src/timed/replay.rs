//! Runs of timed automata in trace files, and `replay` on them.
//!
//! A file has the edges and delays of the run. They are followed by the concrete meaning of the network, and what the run is said to show is
//! looked for again; see [`check_timed_again`].

use std::fmt::Write;

use fathom_core::model::Fault;
use fathom_core::timed_automata::concrete::{ConcreteState, TimedRun, TimedStep};
use fathom_core::timed_automata::liveness::ForEver;
use fathom_core::{LoadedTimed, ShownRun, TimedAnswer, check_timed_again};

use super::forms::{duration, fault_text, for_ever_text, fraction, run_form, write_run};
use crate::arguments::{Format, ModelConfig};
use crate::commands::check_timed::{ask, load, show_warnings};
use crate::commands::replay::{ReplayArguments, changed};
use crate::failure::{self, Failure};
use crate::session::fingerprint;
use crate::trace_file::FORMAT;
use crate::units::counted;
use crate::{output, wire};

/// Longest time, in parts of a unit, and finest part that a file may have: sums of delays stay small numbers.
const MOST_TIME: i64 = 1 << 40;
/// Longer runs are not told in their file.
const MAX_TOLD_STEPS: usize = 100_000;

/// The file for the run of an answer.
pub fn to_file(
    config: &ModelConfig,
    loaded: &LoadedTimed,
    asked: &[wire::AskedProperty],
    answer: &TimedAnswer,
) -> wire::TraceFile {
    let property = &loaded.properties[answer.verdict.property.index()];
    let (for_ever, loop_at) = match answer.for_ever {
        None => (None, None),
        Some(ForEver::Loop(at)) => (Some("loop"), Some(at)),
        Some(ForEver::Stuck) => (Some("stuck"), None),
        Some(ForEver::Waiting) => (Some("waiting"), None),
    };
    let fault = answer.fault.as_ref();
    let timed = answer.run.as_ref().zip(loaded.network.as_ref()).map(|(found, network)| wire::TimedTrace {
        scale: found.0.scale,
        initial: found.0.initial.clone(),
        steps: found.0.steps.iter().map(step_form).collect(),
        last_delay: found.0.last_delay,
        for_ever: for_ever.map(str::to_owned),
        faulty: fault.map_or_else(Vec::new, |(edges, _)| edges.clone()),
        told: (found.0.steps.len() <= MAX_TOLD_STEPS).then(|| run_form(network, found, false)),
    });
    wire::TraceFile {
        fathom: wire::VERSION.to_owned(),
        format: FORMAT,
        model: traced_model(config, loaded),
        asked: asked.to_vec(),
        property: property.name.clone(),
        kind: property.question.kind().to_owned(),
        verdict: answer.verdict.answer.word().to_owned(),
        evidence: evidence(loaded, answer.for_ever, fault.map(|(edges, fault)| (&edges[..], fault))),
        initial: 0,
        choices: Vec::new(),
        loop_at,
        first: None,
        steps: Vec::new(),
        timed,
        program: None,
    }
}

fn step_form(step: &TimedStep) -> wire::TimedTraceStep {
    wire::TimedTraceStep { delay: step.delay, edges: step.edges.clone() }
}

/// What traces say about a network.
pub fn traced_model(config: &ModelConfig, loaded: &LoadedTimed) -> wire::TracedModel {
    wire::TracedModel {
        file: config.file.clone(),
        language: config.language.name().to_owned(),
        defines: config.defines.clone(),
        parts: wire::ProgramParts::default(),
        sha256: fingerprint([loaded.model_text()]),
    }
}

fn evidence(
    loaded: &LoadedTimed,
    for_ever: Option<ForEver>,
    fault: Option<(&[(usize, usize)], &Fault)>,
) -> wire::TracedEvidence {
    let text = match (fault.zip(loaded.network.as_ref()), for_ever) {
        (Some(((edges, fault), network)), _) => fault_text(network, edges, fault),
        (None, Some(for_ever)) => for_ever_text(for_ever),
        (None, None) => "the last state shows it".to_owned(),
    };
    wire::TracedEvidence {
        kind: if for_ever.is_some() { "state" } else { "finding" }.to_owned(),
        fault: fault.map(|(_, fault)| fault.to_string()),
        text,
    }
}

/// Loads the network of a trace.
///
/// # Errors
///
/// When it cannot be read, or is another one now.
pub fn open(config: &ModelConfig, file: &wire::TraceFile) -> Result<LoadedTimed, Failure> {
    let loaded = load(config)?;
    match fingerprint([loaded.model_text()]) == file.model.sha256 {
        true => Ok(loaded),
        false => Err(changed(config)),
    }
}

/// The run in a file.
fn shown_run(file: &wire::TraceFile, timed: &wire::TimedTrace) -> Result<ShownRun, String> {
    let delays = timed.steps.iter().map(|step| step.delay).chain([timed.last_delay]);
    let mut total: i64 = 0;
    for delay in delays {
        total = total.checked_add(delay).filter(|total| *total <= MOST_TIME).ok_or("the run is too long")?;
        if delay < 0 {
            return Err("a delay is negative".to_owned());
        }
    }
    if !(1..=MOST_TIME).contains(&timed.scale) {
        return Err("there is no such part of a unit of time".to_owned());
    }
    let for_ever = match (timed.for_ever.as_deref(), file.loop_at) {
        (None, _) => None,
        (Some("loop"), Some(at)) => Some(ForEver::Loop(at)),
        (Some("stuck"), _) => Some(ForEver::Stuck),
        (Some("waiting"), _) => Some(ForEver::Waiting),
        (Some(other), _) => return Err(format!("a run does not go on by '{other}'")),
    };
    let step = |step: &wire::TimedTraceStep| TimedStep { delay: step.delay, edges: step.edges.clone() };
    let run = TimedRun {
        initial: timed.initial.clone(),
        scale: timed.scale,
        steps: timed.steps.iter().map(step).collect(),
        last_delay: timed.last_delay,
    };
    Ok(ShownRun { run, for_ever, faulty: timed.faulty.clone() })
}

/// Follows the run of a file, and shows it.
pub fn replay(
    arguments: &ReplayArguments,
    config: &ModelConfig,
    mut loaded: LoadedTimed,
    file: &wire::TraceFile,
    timed: &wire::TimedTrace,
) -> Result<u8, Failure> {
    if arguments.msc || arguments.shorten {
        return Err(Failure::new("--msc and --shorten are not available for runs of timed automata"));
    }
    let model = traced_model(config, &loaded);
    for asked in &file.asked {
        ask(&mut loaded, asked)?;
    }
    if !arguments.output.quiet {
        show_warnings(&loaded);
    }
    let Some(network) = &loaded.network else { return Err(Failure::new("there is no network")) };
    let found = loaded.properties.iter().find(|property| property.name == file.property);
    let property =
        found.ok_or_else(|| Failure::new(format!("the model has no property '{}'", file.property)))?;
    let does_not_fit =
        |error: String| Failure::new(format!("{} does not fit the model: {error}", arguments.trace));
    let shown = shown_run(file, timed).map_err(does_not_fit)?;
    let (states, fault) = check_timed_again(network, &property.question, &shown).map_err(does_not_fit)?;
    let fault = fault.as_ref().map(|fault| (&shown.faulty[..], fault));
    let evidence = evidence(&loaded, shown.for_ever, fault);
    let run: (TimedRun, Vec<ConcreteState>) = (shown.run, states);
    if arguments.output.format == Format::Json {
        output::print_json(&wire::TimedReplayReport {
            fathom: wire::VERSION.to_owned(),
            model,
            property: file.property.clone(),
            evidence,
            loop_at: file.loop_at,
            timed: run_form(network, &run, false),
        })?;
        return Ok(failure::HOLDS);
    }
    let mut text = format!(
        "{}: {}, {} in {} units of time:\n",
        model.file,
        file.property,
        counted(run.0.steps.len() as u64, "step"),
        fraction(duration(&run.0), run.0.scale)
    );
    write_run(&mut text, network, &run, false);
    let _ = writeln!(text, "      {}", evidence.text);
    output::print(&text)?;
    Ok(failure::HOLDS)
}
