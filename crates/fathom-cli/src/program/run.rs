//! `check` and `hunt` on model programs.

use fathom_core::model::PropertyId;
use fathom_core::program::{Asked, Runnable};
use fathom_core::search::StoreKind;
use fathom_core::{CheckOptions, Engine, ProgramHuntOptions, ProgramReport, check_program, hunt_program};

use super::formulas::AskedFormula;
use super::report::{Answered, publish};
use super::{ProgramCheckArguments, ProgramHuntArguments, Source, choose};
use crate::commands::hunt::{HuntWatch, to_wire, who_did_what};
use crate::commands::run_arguments::available_threads;
use crate::failure::Failure;
use crate::memory;
use crate::monitor::{Interrupt, Watch};
use crate::output::quoted;

/// Answers properties of a program.
pub fn check(
    program: &dyn Runnable,
    source: &Source,
    arguments: &ProgramCheckArguments,
) -> Result<u8, Failure> {
    let engine = match arguments.engine.as_str() {
        "dfs" => Engine::DepthFirst,
        "best" => Engine::Best,
        "astar" => Engine::AStar,
        "best-dfs" => Engine::BestDepthFirst,
        "beam" => Engine::Beam,
        "bnb" => Engine::BranchAndBound,
        "isr" => Engine::Isr,
        "walk" => Engine::Walk,
        _ => Engine::BreadthFirst,
    };
    if arguments.random_order && engine != Engine::DepthFirst {
        return Err(Failure::new("--random-order needs --engine dfs"));
    }
    let is_weight = |weight: f64| weight.is_finite() && weight >= 0.0;
    if arguments.weight.is_some_and(|weight| !is_weight(weight)) {
        return Err(Failure::new("--weight takes a number, at least 0"));
    }
    let in_vain = [
        ("--weight", "astar", arguments.weight.is_some() && engine != Engine::AStar),
        ("--beam-width", "beam", arguments.beam_width.is_some() && engine != Engine::Beam),
    ];
    if let Some((flag, engine, _)) = in_vain.iter().find(|(.., is_in_vain)| *is_in_vain) {
        return Err(Failure::new(format!("{flag} needs --engine {engine}")));
    }
    if engine.is_for_hunting() && !matches!(engine, Engine::Isr | Engine::Walk) {
        if !program.has_distance() {
            return Err(Failure::new(format!(
                "--engine {} needs distances, and the program has none: `fn distance` in Rust, `[StateProperty] static int Distance()` in C#",
                engine.name()
            )));
        }
        if arguments.store.kind(arguments.seed)? != StoreKind::Exact {
            return Err(Failure::new(format!("--engine {} has an exact store", engine.name())));
        }
    }
    let limits = &arguments.limits;
    if !arguments.formulas.fair_ctl.is_empty() && arguments.formulas.ctl.is_empty() {
        return Err(Failure::new("--fair-ctl needs --ctl"));
    }
    let formulas = AskedFormula::read_all(program, arguments.formulas.to_properties())?;
    let asks_formulas_only = arguments.property.is_empty() && !formulas.is_empty();
    let mut options = CheckOptions {
        engine,
        properties: if asks_formulas_only { Vec::new() } else { choose(program, &arguments.property)? },
        continue_after_all: arguments.continue_after_all,
        max_states: limits.max_states,
        max_depth: limits.max_depth,
        max_bytes: limits.memory.or_else(memory::default_limit),
        threads: arguments.threads.threads.map_or_else(available_threads, |threads| threads as usize),
        random_order: arguments.random_order.then_some(arguments.seed),
        store: arguments.store.kind(arguments.seed)?,
        ..CheckOptions::default()
    };
    options.guidance.seed = arguments.seed;
    options.guidance.weight = arguments.weight.unwrap_or(options.guidance.weight);
    if let Some(width) = arguments.beam_width {
        options.guidance.beam_width = width as usize;
    }
    let names = options.properties.iter().map(|id| program.asked()[id.index()].name.clone());
    let names = names.chain(formulas.iter().map(|formula| formula.asked.text.clone()));
    let traces = arguments.trace.claim(&names.collect::<Vec<_>>())?;
    let mut watch = Watch::start(limits.time, Interrupt::listen(), arguments.output.quiet);
    let mut report = match asks_formulas_only {
        true => ProgramReport::empty(),
        false => check_program(program, arguments.symmetry.kind(), &options, &mut watch),
    };
    let mut asked = program.asked();
    let mut stuck = Vec::new();
    for formula in &formulas {
        let answer = formula.answer(program, PropertyId::from(asked.len()), &options, &mut watch);
        asked.push(Asked {
            name: formula.asked.text.clone(),
            kind: formula.kind(),
            is_witnessed: false,
            is_proposition: false,
            is_of_states: false,
        });
        report.add(&answer);
        stuck.extend(answer.is_stuck.then_some(answer.verdict.property));
    }
    report.statistics.seconds = watch.finish().as_secs_f64();
    let mut words = words(source, "check", &arguments.property);
    let mut value = |name: &str, value: String| words.extend([name.to_owned(), value]);
    value("--engine", engine.name().to_owned());
    value("--symmetry", report.symmetry.name().to_owned());
    value("--threads", report.threads.to_string());
    value("--seed", arguments.seed.to_string());
    if let Some(weight) = arguments.weight {
        value("--weight", weight.to_string());
    }
    if let Some(width) = arguments.beam_width {
        value("--beam-width", width.to_string());
    }
    for (name, flag) in arguments.store.to_words(options.store) {
        value(name, flag.unwrap_or_default());
    }
    if let Some(time) = limits.time {
        value("--time", format!("{}s", time.as_secs_f64()));
    }
    let bounds = [
        ("--max-states", limits.max_states),
        ("--max-depth", limits.max_depth.map(u64::from)),
        ("--memory", limits.memory),
    ];
    for (name, bound) in bounds {
        if let Some(bound) = bound {
            value(name, bound.to_string());
        }
    }
    for (name, is_given) in
        [("--continue", arguments.continue_after_all), ("--random-order", arguments.random_order)]
    {
        if is_given {
            words.push(name.to_owned());
        }
    }
    words.extend(arguments.formulas.to_words());
    let answered = Answered {
        program,
        asked,
        formulas,
        stuck,
        source,
        engine: engine.name(),
        store: options.store.name(),
        seed: arguments.seed,
        report: &report,
        note: None,
        arms: Vec::new(),
        is_shortest: engine == Engine::BreadthFirst && report.threads == 1,
        command: words.join(" "),
    };
    publish(&answered, traces.as_ref(), arguments.output.format)
}

/// Hunts for evidence about properties of a program.
pub fn hunt(
    program: &dyn Runnable,
    source: &Source,
    arguments: &ProgramHuntArguments,
) -> Result<u8, Failure> {
    let limits = &arguments.limits;
    let options = ProgramHuntOptions {
        properties: choose(program, &arguments.property)?,
        all: limits.all,
        symmetry: arguments.symmetry.kind(),
        seed: limits.seed,
        max_states: limits.max_states,
        max_bytes: limits.memory.or_else(memory::default_limit),
        threads: limits.threads.map_or_else(available_threads, |threads| threads as usize),
    };
    let names = options.properties.iter().map(|id| program.asked()[id.index()].name.clone());
    let traces = arguments.trace.claim(&names.collect::<Vec<_>>())?;
    let mut watch =
        HuntWatch::start(limits.time, Interrupt::listen(), arguments.output.quiet, options.threads);
    let mut hunted = hunt_program(program, &options, &mut watch);
    hunted.report.statistics.seconds = watch.finish().as_secs_f64();
    let is_found = hunted.report.verdicts.iter().any(|verdict| verdict.trace.is_some());
    let note = who_did_what(&[], is_found, &hunted.found_by, &hunted.arms);
    let mut words = words(source, "hunt", &arguments.property);
    let mut value = |name: &str, value: String| words.extend([name.to_owned(), value]);
    value("--symmetry", hunted.report.symmetry.name().to_owned());
    value("--time", format!("{}s", limits.time.as_secs_f64()));
    value("--threads", options.threads.to_string());
    value("--seed", options.seed.to_string());
    for (name, bound) in [("--max-states", limits.max_states), ("--memory", limits.memory)] {
        if let Some(bound) = bound {
            value(name, bound.to_string());
        }
    }
    if limits.all {
        words.push("--all".to_owned());
    }
    let answered = Answered {
        program,
        asked: program.asked(),
        formulas: Vec::new(),
        stuck: Vec::new(),
        source,
        engine: "hunt",
        store: "none",
        seed: options.seed,
        report: &hunted.report,
        note: Some(note),
        arms: hunted.arms.iter().map(to_wire).collect(),
        is_shortest: false,
        command: words.join(" "),
    };
    publish(&answered, traces.as_ref(), arguments.output.format)
}

/// The first words of the command that reproduces a run.
fn words(source: &Source, verb: &str, properties: &[String]) -> Vec<String> {
    let mut words = source.before.clone();
    words.push(verb.to_owned());
    words.extend(source.after.iter().cloned());
    for property in properties {
        words.extend(["--property".to_owned(), quoted(property)]);
    }
    words
}
