//! Runs and states of timed automata, for people and as JSON.

use std::fmt::Write;

use fathom_core::model::Fault;
use fathom_core::timed_automata::concrete::{ConcreteState, TimedRun, TimedStep};
use fathom_core::timed_automata::liveness::ForEver;
use fathom_core::timed_automata::symbolic_run::{constraint_text, zones_of_run};
use fathom_core::timed_automata::{Layout, Network, Valuation};

use crate::arguments::ModelConfig;
use crate::wire;

/// A number of parts of a unit as a fraction.
pub fn fraction(parts: i64, scale: i64) -> String {
    let (mut divisor, mut rest) = (parts, scale);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    let divisor = divisor.abs().max(1);
    match scale / divisor {
        1 => format!("{}", parts / divisor),
        denominator => format!("{}/{denominator}", parts / divisor),
    }
}

/// The moves of a step, for JSON.
pub fn moves(network: &Network, edges: &[(usize, usize)]) -> Vec<wire::TimedMoveForm> {
    edges
        .iter()
        .map(|&(process, edge)| {
            let declared = &network.processes[process];
            let edge = &declared.edges[edge];
            wire::TimedMoveForm {
                process: declared.name.clone(),
                from: declared.locations[edge.source].name.clone(),
                to: declared.locations[edge.target].name.clone(),
                event: network.events[edge.event].clone(),
            }
        })
        .collect()
}

/// A state for JSON.
pub fn state_form(network: &Network, state: &ConcreteState, scale: i64) -> wire::TimedStateForm {
    let locations = network.processes.iter().zip(&state.valuation.locations).map(|(process, &location)| {
        (process.name.clone(), process.locations[location as usize].name.clone())
    });
    let values = network
        .variables
        .iter()
        .zip(&state.valuation.values)
        .map(|(variable, value)| (variable.name.clone(), *value));
    let clocks = network
        .clocks
        .iter()
        .zip(&state.clocks)
        .map(|(clock, &value)| (clock.name.clone(), fraction(value, scale)));
    wire::TimedStateForm {
        locations: locations.collect(),
        values: values.collect(),
        clocks: clocks.collect(),
    }
}

/// The zones of a run in words.
fn zone_texts(network: &Network, run: &TimedRun, states: &[ConcreteState]) -> Option<Vec<Vec<String>>> {
    let zones = zones_of_run(network, run, states)?;
    let text = |zone: Vec<_>| zone.iter().map(|one| constraint_text(network, one)).collect();
    Some(zones.into_iter().map(text).collect())
}

/// A run with its states for JSON, with zones if they are wanted.
pub fn run_form(
    network: &Network,
    (run, states): &(TimedRun, Vec<ConcreteState>),
    with_zones: bool,
) -> wire::TimedRunForm {
    let zones = with_zones.then(|| zone_texts(network, run, states)).flatten();
    let step = |(number, step): (usize, &TimedStep)| wire::TimedStepForm {
        delay: fraction(step.delay, run.scale),
        moves: moves(network, &step.edges),
        zone: zones.as_ref().and_then(|zones| zones.get(number + 1)).cloned(),
    };
    wire::TimedRunForm {
        steps: run.steps.iter().enumerate().map(step).collect(),
        last_delay: fraction(run.last_delay, run.scale),
        duration: fraction(duration(run), run.scale),
        end: states.last().map(|state| state_form(network, state, run.scale)),
    }
}

/// All delays of a run together, in parts of a unit.
pub fn duration(run: &TimedRun) -> i64 {
    run.steps.iter().map(|step| step.delay).sum::<i64>() + run.last_delay
}

/// Bytes of the locations and integers of a state.
pub fn state_bytes(network: &Network) -> usize {
    let valuation = Valuation {
        locations: vec![0; network.processes.len()],
        values: network.variables.iter().map(|variable| variable.initial).collect(),
    };
    let mut bytes = Vec::new();
    Layout::new(network).encode(&valuation, &mut bytes);
    bytes.len()
}

/// A network in a few numbers.
pub fn summary(config: &ModelConfig, network: &Network) -> wire::ModelSummary {
    wire::ModelSummary {
        file: config.file.clone(),
        language: config.language.name().to_owned(),
        processes: network.processes.len(),
        state_bits: state_bytes(network) * 8,
    }
}

/// Writes a run with its states: a line for each step, and the last state; with zones if they are wanted.
pub fn write_run(
    text: &mut String,
    network: &Network,
    (run, states): &(TimedRun, Vec<ConcreteState>),
    with_zones: bool,
) {
    let zones = with_zones.then(|| zone_texts(network, run, states)).flatten().unwrap_or_default();
    let write_zone = |text: &mut String, number: usize| {
        if let Some(zone) = zones.get(number) {
            let _ = writeln!(
                text,
                "      zone: {}",
                if zone.is_empty() { "any".to_owned() } else { zone.join(", ") }
            );
        }
    };
    write_zone(text, 0);
    let mut now = 0;
    for (number, step) in run.steps.iter().enumerate() {
        now += step.delay;
        if step.edges.is_empty() {
            let _ = writeln!(text, "{:>4}  at {:<8} it begins", number + 1, fraction(now, run.scale));
            continue;
        }
        let moves = moves_text(network, &step.edges);
        let changes =
            states.get(number).zip(states.get(number + 1)).map_or(String::new(), |(before, after)| {
                let pairs =
                    before.valuation.values.iter().zip(&after.valuation.values).zip(&network.variables);
                pairs
                    .filter(|((before, after), _)| before != after)
                    .map(|((before, after), variable)| format!("  {}: {before} → {after}", variable.name))
                    .collect()
            });
        let _ = writeln!(text, "{:>4}  at {:<8} {moves}{changes}", number + 1, fraction(now, run.scale));
        write_zone(text, number + 1);
    }
    if run.last_delay > 0 {
        let _ = writeln!(text, "      at {:<8} after waiting", fraction(now + run.last_delay, run.scale));
    }
    if let Some(state) = states.last() {
        let _ = writeln!(text, "      {}", state_text(network, state, run.scale));
    }
}

/// The moves of a step in a line.
pub fn moves_text(network: &Network, edges: &[(usize, usize)]) -> String {
    let text =
        |one: &wire::TimedMoveForm| format!("{}: {} → {} ({})", one.process, one.from, one.to, one.event);
    moves(network, edges).iter().map(text).collect::<Vec<_>>().join(", ")
}

/// A state in a line.
pub fn state_text(network: &Network, state: &ConcreteState, scale: i64) -> String {
    let form = state_form(network, state, scale);
    let places = form.locations.iter().map(|(process, location)| format!("{process}.{location}"));
    let values = form.values.iter().map(|(name, value)| format!("{name}={value}"));
    let clocks = form.clocks.iter().map(|(name, value)| format!("{name}={value}"));
    places.chain(values).chain(clocks).collect::<Vec<_>>().join(" ")
}

/// How a run goes on for ever, in a line.
pub fn for_ever_text(for_ever: ForEver) -> String {
    match for_ever {
        ForEver::Loop(at) => format!("and so on, from after step {at}"),
        ForEver::Waiting => "and nothing more has to happen: time goes on".to_owned(),
        ForEver::Stuck => "and nothing more can happen".to_owned(),
    }
}

/// The move after a run that is a fault, in a line.
pub fn fault_text(network: &Network, edges: &[(usize, usize)], fault: &Fault) -> String {
    match edges.is_empty() {
        true => format!("*** waiting: {fault}"),
        false => format!("*** {}: {fault}", moves_text(network, edges)),
    }
}
