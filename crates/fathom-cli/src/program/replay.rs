//! Runs of model programs in trace files, and `replay` on them.
//!
//! A file has the number of the action that was taken in each state. They are taken again on the program without symmetry, and what the run is
//! said to show is looked for at its end; of a formula, the word of the run is evaluated.

use fathom_core::model::{Evidence, PropertyId, Trace, Verdict};
use fathom_core::program::{Form, Runnable, Symmetry};

use super::formulas::AskedFormula;
use super::report::{Answered, run_form, run_text};
use crate::arguments::{Format, OutputArguments};
use crate::failure::{self, Failure};
use crate::trace_file::{FORMAT, find_fault};
use crate::units::counted;
use crate::{output, wire};

/// The file for the run of an answer.
pub fn to_file(answered: &Answered<'_>, verdict: &Verdict) -> Option<wire::TraceFile> {
    let trace = verdict.trace.as_ref()?;
    let asked = &answered.asked[verdict.property.index()];
    let formula = answered.formula(verdict.property).map(|formula| formula.asked.clone());
    let is_stuck = answered.stuck.contains(&verdict.property);
    Some(wire::TraceFile {
        fathom: wire::VERSION.to_owned(),
        format: FORMAT,
        model: answered.source.traced.clone(),
        asked: formula.into_iter().collect(),
        property: asked.name.clone(),
        kind: asked.kind.to_owned(),
        verdict: verdict.answer.word().to_owned(),
        evidence: evidence(trace, is_stuck),
        initial: trace.initial,
        choices: trace.choices.clone(),
        loop_at: trace.loop_at,
        first: None,
        steps: Vec::new(),
        timed: None,
        program: Some(wire::ProgramTrace { is_stuck, told: run_form(answered.program, trace)? }),
    })
}

fn evidence(trace: &Trace, is_stuck: bool) -> wire::TracedEvidence {
    let (kind, fault) = match &trace.evidence {
        Evidence::State => ("state", None),
        Evidence::Finding { fault, .. } => ("finding", fault.as_ref().map(ToString::to_string)),
    };
    let text = match (&fault, trace.loop_at) {
        (Some(fault), _) => fault.clone(),
        (None, Some(at)) => format!("and so on, from after step {at}"),
        (None, None) if is_stuck => "and nothing more can happen".to_owned(),
        (None, None) => "the last state shows it".to_owned(),
    };
    wire::TracedEvidence { kind: kind.to_owned(), fault, text }
}

/// Follows the run of a file on a program, and shows it.
pub fn replay(
    program: &dyn Runnable,
    model: &wire::TracedModel,
    path: &str,
    file: &wire::TraceFile,
    output: &OutputArguments,
) -> Result<u8, Failure> {
    let does_not_fit = |error: String| Failure::new(format!("{path} does not fit the program: {error}"));
    let run = file.program.as_ref().ok_or_else(|| does_not_fit("it is no run of a program".to_owned()))?;
    let trace = follow(program, file, run.is_stuck).map_err(does_not_fit)?;
    let told = run_form(program, &trace);
    let told = told.ok_or_else(|| does_not_fit("it is no run".to_owned()))?;
    let evidence = evidence(&trace, run.is_stuck);
    if output.format == Format::Json {
        output::print_json(&wire::ProgramReplayReport {
            fathom: wire::VERSION.to_owned(),
            model: model.clone(),
            property: file.property.clone(),
            evidence,
            loop_at: trace.loop_at,
            program: told,
        })?;
        return Ok(failure::HOLDS);
    }
    let steps = counted(told.steps.len() as u64, "step");
    let text = format!("{}: {}, {steps}:\n{}", model.file, file.property, run_text(&told));
    output::print(&format!("{text}      {}\n", evidence.text))?;
    Ok(failure::HOLDS)
}

/// The trace of a file, when it shows what it claims.
fn follow(program: &dyn Runnable, file: &wire::TraceFile, is_stuck: bool) -> Result<Trace, String> {
    let trace = Trace {
        initial: file.initial,
        choices: file.choices.clone(),
        evidence: Evidence::State,
        loop_at: file.loop_at,
    };
    if let [formula] = &file.asked[..] {
        let formula = AskedFormula::read(program, formula.clone())
            .map_err(|_| format!("the program does not understand the formula {}", formula.text))?;
        formula.check_again(program, &trace, is_stuck)?;
        return Ok(trace);
    }
    let asked = program.asked();
    let property = asked.iter().position(|asked| asked.name == file.property && !asked.is_proposition);
    let property =
        PropertyId::from(property.ok_or_else(|| format!("the program has no property '{}'", file.property))?);
    let plain = program.open(Symmetry::None, Form::InFull);
    let fault = find_fault(&plain.system(), &trace, property, file.evidence.fault.as_deref())?;
    let trace = Trace { evidence: Evidence::Finding { property, fault }, ..trace };
    fathom_core::replay_program(program, &trace).map_err(|error| error.to_string())?;
    Ok(trace)
}
