//! `info` on networks of timed automata: what a network is made of.

use std::fmt::Write;

use fathom_core::LoadedTimed;
use fathom_core::timed_automata::symmetry::{Symmetry, SymmetryUse};
use fathom_core::timed_automata::{Network, Process, TimedProperty, Variable};
use fathom_source::render_json;

use super::forms::{state_bytes, summary};
use crate::arguments::{Format, ModelConfig};
use crate::commands::check_timed::{load, show_warnings};
use crate::commands::info::InfoArguments;
use crate::failure::{self, Failure};
use crate::units::counted;
use crate::{output, wire};

/// Runs the command.
pub fn info(arguments: &InfoArguments, config: &ModelConfig) -> Result<u8, Failure> {
    if arguments.lowered {
        return Err(Failure::new(
            "--model is not available for timed automata: their text is what is checked",
        ));
    }
    let loaded = load(config)?;
    let Some(network) = &loaded.network else { return Err(Failure::new("there is no network")) };
    let report = gather(config, &loaded, network);
    match arguments.output.format {
        Format::Json => output::print_json(&report)?,
        Format::Text => {
            if !arguments.output.quiet {
                show_warnings(&loaded);
            }
            output::print(&to_text(&report))?;
        }
    }
    Ok(failure::HOLDS)
}

fn gather(config: &ModelConfig, loaded: &LoadedTimed, network: &Network) -> wire::TimedInfoReport {
    let process = |process: &Process| wire::TimedProcessForm {
        name: process.name.clone(),
        locations: process.locations.len(),
        edges: process.edges.len(),
    };
    let variable = |variable: &Variable| wire::TimedVariableForm {
        name: variable.name.clone(),
        least: variable.least,
        most: variable.most,
        initial: variable.initial,
    };
    let property = |property: &TimedProperty| wire::TimedPropertyForm {
        name: property.name.clone(),
        kind: property.question.kind().to_owned(),
        span: property.span.map(|span| loaded.sources.locate(span)),
        on_request: property.question.is_on_request(),
    };
    wire::TimedInfoReport {
        fathom: wire::VERSION.to_owned(),
        model: summary(config, network),
        state_bytes: state_bytes(network),
        processes: network.processes.iter().map(process).collect(),
        variables: network.variables.iter().map(variable).collect(),
        clocks: network.clocks.iter().map(|clock| clock.name.clone()).collect(),
        synchronizations: network.synchronizations.len(),
        symmetric_sets: Symmetry::new(network, &[], &[]).map_or(0, |symmetry| symmetry.n_sets()),
        symmetry: Symmetry::new(&SymmetryUse::Found.prepare(network), &[], &[])
            .map_or_else(Vec::new, |symmetry| symmetry.describe(network)),
        has_cost: network.cost.is_some(),
        properties: loaded.properties.iter().map(property).collect(),
        diagnostics: match render_json(&loaded.sources, &loaded.diagnostics) {
            serde_json::Value::Array(list) => list,
            other => vec![other],
        },
    }
}

fn to_text(report: &wire::TimedInfoReport) -> String {
    let mut text = format!(
        "{}: {}, {}, {}, {}, a state of {} and a zone\n",
        report.model.file,
        report.model.language,
        counted(report.processes.len() as u64, "process").replace("processs", "processes"),
        counted(report.clocks.len() as u64, "clock"),
        counted(report.synchronizations as u64, "synchronization"),
        counted(report.state_bytes as u64, "byte"),
    );
    for process in &report.processes {
        let _ = writeln!(
            text,
            "  {}: {}, {}",
            process.name,
            counted(process.locations as u64, "location"),
            counted(process.edges as u64, "edge")
        );
    }
    if !report.clocks.is_empty() {
        let _ = writeln!(text, "clocks: {}", report.clocks.join(", "));
    }
    if !report.variables.is_empty() {
        text.push_str("variables:\n");
    }
    for variable in &report.variables {
        let _ = writeln!(
            text,
            "  {}: {} to {}, at first {}",
            variable.name, variable.least, variable.most, variable.initial
        );
    }
    match report.symmetric_sets {
        0 => {}
        sets => {
            let _ = writeln!(text, "symmetry of {}", counted(sets as u64, "scalar set"));
        }
    }
    if !report.symmetry.is_empty() {
        text.push_str(
            "may be exchanged (--symmetry canonical takes states for one that differ in this only):\n",
        );
        for line in &report.symmetry {
            let _ = writeln!(text, "  {line}");
        }
    }
    if report.has_cost {
        text.push_str("runs have a cost\n");
    }
    text.push_str("properties:\n");
    for property in &report.properties {
        let place = property.span.as_ref().map_or(String::new(), |span| format!(", {span}"));
        let request = if property.on_request { ", when asked by name" } else { "" };
        let _ = writeln!(text, "  {} ({}{place}{request})", property.name, property.kind);
    }
    text
}
