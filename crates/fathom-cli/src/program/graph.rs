//! `graph` on model programs: the states, or the classes of states that symmetry takes for one.

use std::collections::HashMap;

use fathom::model::{NoRegion, Steps, System};
use fathom::program::{Call, Form, Opened, Runnable};

use super::ProgramGraphArguments;
use crate::commands::graph::GraphFormat;
use crate::failure::{self, Failure};
use crate::graph::dot::to_dot;
use crate::graph::svg::{fits, to_svg};
use crate::graph::{Arrow, Graph, Node, Shape, short};
use crate::output;

/// States to draw when the user gives no number.
const DEFAULT_STATES: usize = 200;

/// Draws the states of a program.
pub fn draw(program: &dyn Runnable, arguments: &ProgramGraphArguments) -> Result<u8, Failure> {
    let mut max_states = arguments.max_states.unwrap_or(DEFAULT_STATES);
    let graph = loop {
        let graph = state_graph(program, arguments, max_states);
        let too_large = arguments.format == GraphFormat::Svg && !fits(std::slice::from_ref(&graph));
        if !too_large || arguments.max_states.is_some() || max_states < 2 {
            break graph;
        }
        max_states = max_states * 3 / 4;
    };
    let text = match arguments.format {
        GraphFormat::Dot => to_dot(program.title(), &[graph]),
        GraphFormat::Svg => to_svg(&[graph]).map_err(Failure::new)?,
    };
    match &arguments.output {
        Some(path) => output::write_file(path, &text, arguments.force)?,
        None => output::print(&text)?,
    }
    Ok(failure::HOLDS)
}

struct Builder<'a> {
    opened: &'a dyn Opened,
    max_states: usize,
    known: HashMap<Vec<u8>, usize>,
    states: Vec<Vec<u8>>,
    graph: Graph,
}

fn state_graph(program: &dyn Runnable, arguments: &ProgramGraphArguments, max_states: usize) -> Graph {
    let opened = program.open(arguments.symmetry.kind(), Form::InFull);
    let is_witness: Vec<bool> = program.asked().iter().map(|asked| asked.is_witnessed).collect();
    let graph = Graph { name: "states".to_owned(), nodes: Vec::new(), arrows: Vec::new() };
    let mut builder =
        Builder { opened: &*opened, max_states, known: HashMap::new(), states: Vec::new(), graph };
    builder.explore(&is_witness, arguments.max_transitions.unwrap_or(usize::MAX));
    builder.graph
}

impl Builder<'_> {
    fn explore(&mut self, is_witness: &[bool], max_transitions: usize) {
        let system = self.opened.system();
        let mut scratch = system.scratch();
        let mut steps: Steps<NoRegion, Call> = Steps::recording();
        system.initial(&mut scratch, &mut steps);
        for index in 0..steps.len() {
            if let Some(node) = self.node_of(steps.state(index)) {
                self.graph.nodes[node].shape = Shape::Initial;
            }
        }
        let mut next = 0;
        while next < self.states.len() {
            steps.clear();
            system.successors(&self.states[next], &NoRegion, &mut scratch, &mut steps);
            for finding in steps.findings() {
                let is_good = is_witness[finding.property.index()];
                self.graph.nodes[next].shape = if is_good { Shape::End } else { Shape::Bad };
            }
            if steps.is_empty() && self.graph.nodes[next].shape == Shape::Plain {
                self.graph.nodes[next].shape = Shape::End;
            }
            for index in 0..steps.len() {
                let has_room = self.graph.arrows.len() < max_transitions;
                match self.node_of(steps.state(index)).filter(|_| has_room) {
                    Some(to) => {
                        let label = short(&steps.labels(index).join(", "));
                        self.graph.arrows.push(Arrow { from: next, to, label, dashed: false });
                    }
                    None => self.graph.nodes[next].shape = Shape::Open,
                }
            }
            next += 1;
        }
    }

    /// The node of a state; none when there is no room for a new one.
    fn node_of(&mut self, state: &[u8]) -> Option<usize> {
        if let Some(&node) = self.known.get(state) {
            return Some(node);
        }
        let node = self.states.len();
        if node >= self.max_states {
            return None;
        }
        self.known.insert(state.to_vec(), node);
        self.states.push(state.to_vec());
        let lines =
            self.opened.variables(state).into_iter().map(|(name, value)| short(&format!("{name} = {value}")));
        let label = std::iter::once(node.to_string()).chain(lines).collect::<Vec<_>>().join("\n");
        self.graph.nodes.push(Node { label, shape: Shape::Plain });
        Some(node)
    }
}
