//! `graph` on model programs: the states, or the classes of states that symmetry takes for one; collapsed, or pruned with the
//! states that were taken for others still there (Ernits 2007 has both views).

use std::collections::HashMap;

use fathom_core::model::{NoRegion, Steps, System};
use fathom_core::program::{Call, Form, Opened, Runnable, Symmetry};

use super::ProgramGraphArguments;
use crate::failure::Failure;
use crate::graph::{Arrow, Color, Graph, Node, Shape, short};

/// Draws the states of a program.
pub fn draw(program: &dyn Runnable, arguments: &ProgramGraphArguments) -> Result<u8, Failure> {
    let draw = |n_states| state_graph(program, arguments, n_states);
    let graph = arguments.picture.bounded(arguments.max_states, draw);
    arguments.picture.publish(program.title(), &[graph])
}

struct Builder<'a> {
    opened: &'a dyn Opened,
    /// What finds the classes of states, when states that are taken for others are drawn too.
    classes: Option<&'a dyn Opened>,
    max_states: usize,
    known: HashMap<Vec<u8>, usize>,
    /// The node that stands for a class.
    standing: HashMap<Vec<u8>, usize>,
    /// The states to be expanded, with their nodes.
    states: Vec<(Vec<u8>, usize)>,
    graph: Graph,
}

fn state_graph(program: &dyn Runnable, arguments: &ProgramGraphArguments, max_states: usize) -> Graph {
    let quotient = program.open(arguments.symmetry.kind(), Form::InFull);
    let plain = program.open(Symmetry::None, Form::InFull);
    let is_witness: Vec<bool> = program.asked().iter().map(|asked| asked.is_witnessed).collect();
    let mut builder = Builder {
        opened: if arguments.twins { &*plain } else { &*quotient },
        classes: arguments.twins.then_some(&*quotient),
        max_states,
        known: HashMap::new(),
        standing: HashMap::new(),
        states: Vec::new(),
        graph: Graph { name: "states".to_owned(), nodes: Vec::new(), arrows: Vec::new() },
    };
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
            let (state, from) = self.states[next].clone();
            next += 1;
            steps.clear();
            system.successors(&state, &NoRegion, &mut scratch, &mut steps);
            for finding in steps.findings() {
                let is_good = is_witness[finding.property.index()];
                self.graph.nodes[from].shape = if is_good { Shape::End } else { Shape::Bad };
            }
            if steps.is_empty() && self.graph.nodes[from].shape == Shape::Plain {
                self.graph.nodes[from].shape = Shape::End;
            }
            for index in 0..steps.len() {
                let has_room = self.graph.arrows.len() < max_transitions;
                match has_room.then(|| self.node_of(steps.state(index))).flatten() {
                    Some(to) => {
                        let label = short(&steps.labels(index).join(", "));
                        self.graph.arrows.push(Arrow { from, to, label, dashed: false, color: Color::Plain });
                    }
                    None => self.graph.nodes[from].shape = Shape::Open,
                }
            }
        }
    }

    /// The node of a state; none when there is no room for a new one.
    fn node_of(&mut self, state: &[u8]) -> Option<usize> {
        if let Some(&node) = self.known.get(state) {
            return Some(node);
        }
        let node = self.graph.nodes.len();
        if node >= self.max_states {
            return None;
        }
        self.known.insert(state.to_vec(), node);
        let lines = self.opened.variables(state).into_iter();
        let lines = lines.map(|(name, value)| short(&format!("{name} = {value}")));
        let label = std::iter::once(node.to_string()).chain(lines).collect::<Vec<_>>().join("\n");
        self.graph.nodes.push(Node { label, shape: Shape::Plain });
        let class = self.classes.map(|classes| classes.class_of(state));
        match class.map(|class| *self.standing.entry(class).or_insert(node)) {
            Some(twin) if twin != node => {
                self.graph.arrows.push(Arrow {
                    from: node,
                    to: twin,
                    label: String::new(),
                    dashed: true,
                    color: Color::Plain,
                });
            }
            _ => self.states.push((state.to_vec(), node)),
        }
        Some(node)
    }
}
