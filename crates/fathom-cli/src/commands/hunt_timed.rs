//! `fathom hunt` for networks of timed automata.

use std::time::Instant;

use fathom_core::timed_automata::{TimedQuestion, ZoneOptions};
use fathom_core::{TimedHuntOptions, hunt_timed};

use super::check_timed::{
    Answered, asked_by_text, asking, choose_properties, load, names_of, publish, show_warnings,
};
use super::hunt::{HuntArguments, HuntWatch, to_wire, who_did_what};
use super::run_arguments::available_threads;
use crate::arguments::ModelConfig;
use crate::failure::Failure;
use crate::memory;
use crate::monitor::Interrupt;
use crate::output::quoted;

/// The heuristics that know zones.
const KNOWN: [&str; 3] = ["auto", "formula", "none"];

/// Runs the command.
pub fn run(arguments: &HuntArguments, config: &ModelConfig) -> Result<u8, Failure> {
    refuse_others(arguments, config)?;
    let HuntArguments { asked, guide, limits, output, symmetry, .. } = arguments;
    let interrupt = Interrupt::listen();
    let started = Instant::now();
    let mut loaded = load(config)?;
    let properties = choose_properties(asked, &mut loaded)?;
    let by_text = asked_by_text(asked)?;
    let traces = arguments.trace.file.claim(&names_of(&loaded, &properties))?;
    if !output.quiet {
        show_warnings(&loaded);
    }
    let Some(network) = &loaded.network else { return Err(Failure::new("there is no network")) };
    let asks_deadlock =
        properties.iter().any(|id| matches!(loaded.properties[id.index()].question, TimedQuestion::Deadlock));
    let zones = ZoneOptions::default();
    let options = TimedHuntOptions {
        properties,
        all: limits.all,
        zones: if asks_deadlock { zones.for_deadlocks() } else { zones },
        unguided: guide.heuristic == "none",
        symmetry: symmetry.of_network()?,
        reversed: guide.reverse_heuristic,
        seed: limits.seed,
        max_states: limits.max_states,
        max_bytes: limits.memory.or_else(memory::default_limit),
        threads: limits.threads.map_or_else(available_threads, |threads| threads as usize),
    };
    let setup_seconds = started.elapsed().as_secs_f64();
    let mut watch = HuntWatch::start(limits.time, interrupt, output.quiet, options.threads);
    let mut hunted = hunt_timed(network, &loaded.properties, &options, &mut watch);
    hunted.report.statistics.seconds = watch.finish().as_secs_f64();
    let is_found = hunted.report.answers.iter().any(|answer| answer.run.is_some());
    let note = who_did_what(&hunted.heuristics, is_found, &hunted.found_by, &hunted.arms);
    let answered = Answered {
        config,
        loaded: &loaded,
        network,
        asked: &by_text,
        engine: "hunt",
        zones: options.zones,
        store: "none",
        threads: options.threads,
        seed: options.seed,
        report: &hunted.report,
        setup_seconds,
        command: command(arguments, config, &options),
        trace_zones: false,
        note: Some(note),
        hunt: Some((hunted.arms.iter().map(to_wire).collect(), hunted.optimality)),
    };
    publish(&answered, traces.as_ref(), output.format)
}

/// Flags that would be silently without effect are refused.
fn refuse_others(arguments: &HuntArguments, config: &ModelConfig) -> Result<(), Failure> {
    let HuntArguments { asked, guide, trace, .. } = arguments;
    if !KNOWN.contains(&guide.heuristic.as_str()) {
        return Err(Failure::new(format!(
            "--heuristic {}: for timed automata there are {}",
            guide.heuristic,
            KNOWN.join(", ")
        )));
    }
    let given = [
        ("-D", !config.defines.is_empty() && config.language == fathom_core::Language::TChecker),
        ("--ignore", !asked.ignore.is_empty()),
        ("--cost", guide.cost.is_some()),
        ("--param", guide.param.is_some()),
        ("--heuristic-out", guide.heuristic_out.is_some()),
        ("--msc", trace.msc),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((flag, _)) => Err(Failure::new(format!("{flag} is not available for timed automata yet"))),
        None => Ok(()),
    }
}

/// The command that reproduces the hunt.
fn command(arguments: &HuntArguments, config: &ModelConfig, options: &TimedHuntOptions) -> String {
    let HuntArguments { asked, guide, limits, symmetry, .. } = arguments;
    let mut words = asking("hunt", config, asked);
    let mut value = |name: &str, value: &str| words.extend([name.to_owned(), quoted(value)]);
    value("--heuristic", &guide.heuristic);
    value("--time", &format!("{}s", limits.time.as_secs_f64()));
    value("--threads", &options.threads.to_string());
    value("--seed", &options.seed.to_string());
    if let Some(kind) = &symmetry.symmetry {
        value("--symmetry", kind);
    }
    for (name, limit) in [("--max-states", limits.max_states), ("--memory", limits.memory)] {
        if let Some(limit) = limit {
            value(name, &limit.to_string());
        }
    }
    for (name, is_given) in [("--reverse-heuristic", guide.reverse_heuristic), ("--all", limits.all)] {
        if is_given {
            words.push(name.to_owned());
        }
    }
    words.join(" ")
}
