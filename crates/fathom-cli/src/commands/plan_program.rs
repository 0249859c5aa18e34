//! Plans of model programs.
//!
//! Goals are made of names: the properties of the program that are about single states, and what may be true of them (`accepting`, for programs in
//! C# that say where runs may end). What is shown along a plan are variables whose values are numbers or truth values.

use std::collections::BTreeMap;

use fathom_core::model::{Answer, PropertyId, Statistics, Verdict};
use fathom_core::program::{Call, Form, Runnable, Symmetry};
use fathom_core::search::Monitor;
use fathom_core::temporal::AtEnd;
use fathom_core::{Asked, CheckOptions, ProgramFormula, check_program_formula, replay_program};
use fathom_source::SourceMap;

use super::plan::{PlanArguments, Sought, moves_chart};
use super::plan_cycle::no_such_run_in_ltl;
use crate::arguments::ModelConfig;
use crate::failure::Failure;
use crate::monitor::{Interrupt, Watch};
use crate::program::from_file;
use crate::wire::{PlanStepForm, TestMoveForm};
use crate::{memory, output};

/// Looks for a plan.
pub(super) fn plan(arguments: &PlanArguments, config: &ModelConfig) -> Result<Sought, Failure> {
    if let Some(what) = arguments.minimized().filter(|what| *what != "steps") {
        return Err(Failure::new(format!(
            "--minimize {}: model programs have steps to be made small",
            output::quoted(what)
        )));
    }
    if arguments.store.store != "exact" {
        return Err(Failure::new("--store is not available for plans of model programs"));
    }
    let interrupt = Interrupt::listen();
    let (program, _) = from_file::open(config, arguments.output.quiet)?;
    let options = CheckOptions {
        max_states: arguments.limits.max_states,
        max_depth: arguments.limits.max_depth,
        max_bytes: arguments.limits.memory.or_else(memory::default_limit),
        ..CheckOptions::default()
    };
    let mut watch = Watch::start(arguments.limits.time, interrupt, arguments.output.quiet);
    let (text, at_end) = match (&arguments.goal, arguments.cycle.cycle) {
        // A run that ends is no schedule.
        (goal, true) => (no_such_run_in_ltl(goal.as_deref(), &arguments.cycle.keep), AtEnd::Stops),
        (goal, false) => (format!("[](!({}))", goal.as_deref().unwrap_or_default()), AtEnd::Repeats),
    };
    let (mut verdict, statistics) = search(&text, at_end, &program, &options, &mut watch)?;
    if !arguments.cycle.cycle {
        // The formula says that there is no plan.
        verdict.answer = match verdict.answer {
            Answer::Holds => Answer::Violated,
            Answer::Violated => Answer::Holds,
            Answer::Inconclusive => Answer::Inconclusive,
        };
    }
    let seconds = watch.finish().as_secs_f64();
    let mut form = arguments.report(config, &verdict, &statistics, seconds);
    let Some(trace) = &verdict.trace else { return Ok(Sought::nothing(form)) };
    let replayed = replay_program(&program, trace)
        .map_err(|error| Failure::new(format!("the plan does not replay: {error}")))?;
    let opened = program.open(Symmetry::None, Form::InFull);
    let mut values = Vec::new();
    for (number, visit) in replayed.visits.iter().enumerate() {
        let act = |text: &Call| TestMoveForm { process: program.title().to_owned(), text: text.to_string() };
        let moves = visit.labels.iter().map(act).collect();
        form.steps.push(PlanStepForm { number, time: None, moves, shown: BTreeMap::new() });
        let variables: BTreeMap<String, String> = opened.variables(&visit.state).into_iter().collect();
        let value = |one: super::plan::Watched| number_of(&variables, one.flag, &one.text);
        values.push(arguments.watched().into_iter().map(value).collect::<Result<Vec<i64>, Failure>>()?);
    }
    form.loop_at = trace.loop_at;
    // The search is breadth-first.
    if !arguments.cycle.cycle && arguments.minimized().is_some() {
        form.value = Some(trace.choices.len() as f64);
        form.optimal = true;
    }
    let chart = moves_chart(&form);
    Ok(Sought { form, chart, values, has_fixed_delays: true })
}

/// Whether no run violates a formula about the states of the program; the run that does is the plan.
fn search(
    text: &str,
    at_end: AtEnd,
    program: &dyn Runnable,
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
) -> Result<(Verdict, Statistics), Failure> {
    let mut sources = SourceMap::new();
    let mut formula =
        ProgramFormula::read(Asked::Ltl, text, program, &mut sources).map_err(|diagnostics| {
            let message =
                "cannot understand --goal or --keep: they speak of properties of the program by name";
            Failure::of_diagnostics(message, &sources, &diagnostics)
        })?;
    formula.at_end = at_end;
    let property = PropertyId::from(program.asked().len());
    let answer = check_program_formula(program, property, &formula, options, monitor);
    Ok((answer.verdict, answer.statistics))
}

/// The value of a variable as a number.
fn number_of(variables: &BTreeMap<String, String>, flag: &str, name: &str) -> Result<i64, Failure> {
    let Some(text) = variables.get(name) else {
        let known: Vec<&str> = variables.keys().map(String::as_str).collect();
        return Err(Failure::new(format!(
            "{flag} {}: the program has no such variable; there are {}",
            output::quoted(name),
            known.join(", ")
        )));
    };
    match text.as_str() {
        "true" => Ok(1),
        "false" => Ok(0),
        text => text.parse().map_err(|_| {
            Failure::new(format!("{flag} {}: its value {text} is no number", output::quoted(name)))
        }),
    }
}
