//! `graph` on networks of timed automata: the locations and edges of the processes, or the first zones of the zone graph.

use std::collections::HashMap;

use fathom_core::LoadedTimed;
use fathom_core::model::{Region, Steps, System};
use fathom_core::timed_automata::symbolic_run::{constraint_text, zone_constraints};
use fathom_core::timed_automata::{
    Cover, Extrapolation, Network, Process, TimedMove, Urgency, Valuation, ZoneOptions, ZoneRegion,
    ZoneSystem,
};
use fathom_source::Span;

use super::forms::moves_text;
use crate::arguments::ModelConfig;
use crate::commands::check_timed::load;
use crate::commands::graph::GraphArguments;
use crate::failure::Failure;
use crate::graph::{Arrow, Color, Graph, Node, Shape, short};

/// Runs the command.
pub fn graph(arguments: &GraphArguments, config: &ModelConfig) -> Result<u8, Failure> {
    let loaded = load(config)?;
    let Some(network) = &loaded.network else { return Err(Failure::new("there is no network")) };
    let graphs = match arguments.states {
        true => {
            vec![arguments.picture.bounded(arguments.max_states, |n_states| zone_graph(network, n_states))]
        }
        false => process_graphs(&loaded, network, &arguments.process)?,
    };
    arguments.picture.publish(&network.name, &graphs)
}

fn process_graphs(loaded: &LoadedTimed, network: &Network, names: &[String]) -> Result<Vec<Graph>, Failure> {
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
        .map(|process| process_graph(loaded, network, process))
        .collect())
}

/// Locations and edges, as they are written.
fn process_graph(loaded: &LoadedTimed, network: &Network, process: &Process) -> Graph {
    let text_at = |span: Option<Span>| span.map_or(String::new(), |span| short(loaded.sources.text(span)));
    let nodes = process.locations.iter().map(|location| {
        let mark = match location.urgency {
            Urgency::None => "",
            Urgency::Urgent => "\nurgent",
            Urgency::Committed | Urgency::Atomic => "\ncommitted",
        };
        let labels: String =
            location.labels.iter().map(|&label| format!("\n{}:", network.labels[label])).collect();
        Node {
            label: format!("{}{mark}{labels}", location.name),
            shape: if location.is_initial { Shape::Initial } else { Shape::Plain },
        }
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

/// The zones reached breadth-first, at most `max_zones`, made larger by largest constants only, so that bounds can be read; a zone within one that is drawn is that one. What was not expanded is marked as open.
fn zone_graph(network: &Network, max_zones: usize) -> Graph {
    let options = ZoneOptions { extrapolation: Extrapolation::Max, cover: Cover::Inclusion };
    let system = ZoneSystem::new(network, &[], &[], options);
    let (mut scratch, mut steps) = (system.scratch(), Steps::recording());
    let mut drawing = Drawing {
        network,
        system: &system,
        max_zones,
        known: HashMap::new(),
        zones: Vec::new(),
        nodes: Vec::new(),
    };
    let mut arrows = Vec::new();
    system.initial(&mut scratch, &mut steps);
    for index in 0..steps.len() {
        if let Some(node) = drawing.node_of(&steps, index) {
            drawing.nodes[node].shape = Shape::Initial;
        }
    }
    let mut next = 0;
    while next < drawing.zones.len() {
        let (state, region) = drawing.zones[next].clone();
        steps.clear();
        system.successors(&state, &region, &mut scratch, &mut steps);
        for index in 0..steps.len() {
            match drawing.node_of(&steps, index) {
                None => drawing.nodes[next].shape = Shape::Open,
                Some(to) => {
                    let taken = steps.labels(index).last().map_or(&[][..], |last| &last.edges);
                    let label = short(&moves_text(network, taken));
                    arrows.push(Arrow { from: next, to, label, dashed: false, color: Color::Plain });
                }
            }
        }
        if steps.is_empty() && drawing.nodes[next].shape == Shape::Plain {
            drawing.nodes[next].shape = Shape::End;
        }
        next += 1;
    }
    Graph { name: "zones".to_owned(), nodes: drawing.nodes, arrows }
}

struct Drawing<'a> {
    network: &'a Network,
    system: &'a ZoneSystem<'a>,
    max_zones: usize,
    known: HashMap<Vec<u8>, Vec<usize>>,
    zones: Vec<(Vec<u8>, ZoneRegion)>,
    nodes: Vec<Node>,
}

impl Drawing<'_> {
    /// The node of a zone; none when there is no room for a new one.
    fn node_of(&mut self, steps: &Steps<ZoneRegion, TimedMove>, index: usize) -> Option<usize> {
        let (state, region) = (steps.state(index), steps.region(index));
        let nodes = self.known.entry(state.to_vec()).or_default();
        if let Some(&node) = nodes.iter().find(|&&node| self.zones[node].1.includes(region)) {
            return Some(node);
        }
        let node = self.zones.len();
        if node >= self.max_zones {
            return None;
        }
        nodes.push(node);
        self.zones.push((state.to_vec(), region.clone()));
        self.nodes.push(Node { label: self.label(node, state, region), shape: Shape::Plain });
        Some(node)
    }

    fn label(&self, node: usize, state: &[u8], region: &ZoneRegion) -> String {
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
        let lines = lines.iter().filter(|line| !line.is_empty()).map(|line| short(line));
        std::iter::once(node.to_string()).chain(lines).collect::<Vec<_>>().join("\n")
    }
}
