//! `graph` on networks of timed automata: the locations and edges of the processes, or the first zones of the zone graph.

use fathom_core::LoadedTimed;
use fathom_core::model::{PropertyId, Steps};
use fathom_core::timed_automata::symbolic_run::{constraint_text, zone_constraints};
use fathom_core::timed_automata::symmetry::SymmetryUse;
use fathom_core::timed_automata::{
    Cover, Extrapolation, Network, Process, TimedMove, TimedProperty, TimedQuestion, Urgency, Valuation,
    ZoneOptions, ZoneRegion, ZoneSystem,
};
use fathom_source::Span;

use super::forms::{fault_text, moves_text};
use crate::arguments::ModelConfig;
use crate::commands::check_timed::load;
use crate::commands::graph::{GraphArguments, PictureArguments};
use crate::failure::Failure;
use crate::graph::explore::{DrawLimits, Portrait, explore};
use crate::graph::{Arrow, Color, Graph, Node, Role};

/// Runs the command.
pub fn graph(arguments: &GraphArguments, config: &ModelConfig) -> Result<u8, Failure> {
    let loaded = load(config)?;
    let Some(network) = &loaded.network else { return Err(Failure::new("there is no network")) };
    let graphs = if arguments.states {
        // Unasked every zone is drawn as it is.
        let symmetry = match arguments.symmetry.of_network()? {
            SymmetryUse::Found => SymmetryUse::Found,
            SymmetryUse::None | SymmetryUse::Declared => SymmetryUse::None,
        };
        let network = &*symmetry.prepare(network);
        let GraphArguments { picture, max_states, max_transitions, .. } = arguments;
        let draw = |limits| zone_graph(&loaded, network, (symmetry, picture), limits);
        vec![picture.bounded(*max_states, *max_transitions, draw)]
    } else {
        process_graphs(&loaded, network, &arguments.process, &arguments.picture)?
    };
    arguments.picture.publish(&network.name, &graphs)
}

fn process_graphs(
    loaded: &LoadedTimed,
    network: &Network,
    names: &[String],
    picture: &PictureArguments,
) -> Result<Vec<Graph>, Failure> {
    let is_named = |process: &Process, name: &String| process.name == *name;
    for name in names {
        if !network.processes.iter().any(|process| is_named(process, name)) {
            let known: Vec<&str> = network.processes.iter().map(|process| process.name.as_str()).collect();
            return Err(Failure::new(format!(
                "there is no process '{name}'; the model has: {}",
                known.join(", ")
            )));
        }
    }
    let is_wanted = |process: &&Process| names.is_empty() || names.iter().any(|name| is_named(process, name));
    Ok(network
        .processes
        .iter()
        .filter(is_wanted)
        .map(|process| process_graph(loaded, network, process, picture))
        .collect())
}

/// Locations and edges, as they are written.
fn process_graph(
    loaded: &LoadedTimed,
    network: &Network,
    process: &Process,
    picture: &PictureArguments,
) -> Graph {
    let text_at =
        |span: Option<Span>| span.map_or(String::new(), |span| picture.fit(loaded.sources.text(span)));
    let nodes = process.locations.iter().map(|location| {
        let mark = match location.urgency {
            Urgency::None => "",
            Urgency::Urgent => "\nurgent",
            Urgency::Committed | Urgency::Atomic => "\ncommitted",
        };
        let labels: String =
            location.labels.iter().map(|&label| format!("\n{}:", network.labels[label])).collect();
        Node::new(format!("{}{mark}{labels}", location.name)).starting(location.is_initial)
    });
    let arrows = process.edges.iter().map(|edge| {
        let text = text_at(edge.span);
        Arrow {
            from: edge.source,
            to: edge.target,
            label: if text.is_empty() { network.events[edge.event].clone() } else { text },
            dashed: false,
            color: Color::Plain,
        }
    });
    Graph { name: process.name.clone(), nodes: nodes.collect(), arrows: arrows.collect() }
}

/// The zones reached, made larger by largest constants only, so that bounds can be read.
fn zone_graph(
    loaded: &LoadedTimed,
    network: &Network,
    (symmetry, picture): (SymmetryUse, &PictureArguments),
    limits: DrawLimits,
) -> Graph {
    let is_drawn = |question: &TimedQuestion| {
        matches!(question, TimedQuestion::Reach(_) | TimedQuestion::Never(_) | TimedQuestion::RuntimeError)
    };
    let mut properties = loaded.properties.clone();
    properties.retain(|property| is_drawn(&property.question));
    properties.push(TimedProperty {
        name: "deadlock".to_owned(),
        question: TimedQuestion::Deadlock,
        span: None,
    });
    let asked: Vec<PropertyId> = (0..properties.len()).map(PropertyId::from).collect();
    let options = ZoneOptions { extrapolation: Extrapolation::Max, cover: Cover::Inclusion };
    let system = ZoneSystem::new(network, &properties, &asked, options);
    let found = symmetry.symmetry(network, &properties, &asked);
    let drawing = ZoneDrawing { picture, network, system: system.with_symmetry(found), properties };
    explore("zones", &drawing.system, &drawing, limits)
}

/// How zones are drawn.
struct ZoneDrawing<'a> {
    picture: &'a PictureArguments,
    network: &'a Network,
    system: ZoneSystem<'a>,
    properties: Vec<TimedProperty>,
}

impl<'a> Portrait<ZoneSystem<'a>> for ZoneDrawing<'a> {
    fn label(&self, state: &[u8], region: &ZoneRegion) -> String {
        let mut valuation = Valuation::default();
        self.system.layout().decode(state, &mut valuation);
        let processes = self.network.processes.iter().zip(&valuation.locations);
        let places: Vec<String> = processes
            .map(|(process, &location)| {
                format!("{}.{}", process.name, process.locations[location as usize].name)
            })
            .collect();
        let variables = self.network.variables.iter().zip(&valuation.values);
        let values: Vec<String> = variables
            .filter(|(variable, value)| !variable.is_meta && **value != 0)
            .map(|(variable, value)| format!("{}={value}", variable.name))
            .collect();
        let bounds: Vec<String> = zone_constraints(self.network, region)
            .unwrap_or_default()
            .iter()
            .map(|one| constraint_text(self.network, one))
            .collect();
        let lines = [places.join(" "), values.join(" "), bounds.join(", ")];
        let lines = lines.iter().filter(|line| !line.is_empty()).map(|line| self.picture.fit(line));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn step_label(&self, moves: &[TimedMove]) -> String {
        let taken = moves.last().map_or(&[][..], |last| &last.edges);
        self.picture.fit(&moves_text(self.network, taken))
    }

    fn mark(&self, _: &[u8], _: &ZoneRegion, steps: &Steps<ZoneRegion, TimedMove>, node: &mut Node) {
        for finding in steps.findings() {
            let property = &self.properties[finding.property.index()];
            let text = finding.fault.as_ref().map_or(format!("*** {}", property.name), |fault| {
                let edges = steps.finding_labels(finding).last().map_or(&[][..], |last| &last.edges);
                fault_text(self.network, edges, fault)
            });
            let role = match property.question {
                TimedQuestion::Reach(_) => Role::Goal,
                TimedQuestion::Deadlock => Role::Deadlock,
                _ => Role::Unsafe,
            };
            node.roles.add(role);
            if role != Role::Goal {
                node.note(&self.picture.fit(&text));
            }
        }
    }
}
